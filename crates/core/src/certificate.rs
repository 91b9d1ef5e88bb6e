//! Certificates: how training ended, and what can be proved of the model.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Termination {
    /// A closed form, or a procedure that ends by itself at the solution.
    Exact,
    /// An iteration reached its tolerance.
    Converged,
    /// The iteration limit came first.
    IterationLimit,
    /// No step made progress any more, short of the tolerance.
    Stalled,
    /// The user stopped it; the model is the best so far.
    Cancelled,
    /// The deadline came first; the model is the best so far.
    Deadline,
    /// All the work that was asked for was done: a number of draws, rounds, episodes or members.
    Complete,
}

impl Termination {
    /// Whether training came to its own end.
    pub fn is_success(self) -> bool {
        matches!(self, Termination::Exact | Termination::Converged | Termination::Complete)
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Termination::Exact => "exact",
            Termination::Converged => "converged",
            Termination::IterationLimit => "stopped at the iteration limit, not converged",
            Termination::Stalled => "stalled, not converged",
            Termination::Cancelled => "cancelled, best so far",
            Termination::Deadline => "out of time, best so far",
            Termination::Complete => "complete",
        })
    }
}

/// What kind of number a piece of evidence is; it decides how [`crate::Model::verify`] compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sense {
    /// A residual that is zero at the exact solution: smaller is better.
    Residual,
    /// An upper bound on something, which must hold on the data.
    Bound,
    /// A plain value that must come out the same.
    Value,
}

/// One number that proves something, with its meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Its name: "gradient norm", "duality gap".
    pub name: String,
    /// The number.
    pub value: f64,
    /// What kind of number.
    pub sense: Sense,
    /// The natural size of such a number on the data: what a useless model would have. Rounding is judged against it.
    pub scale: f64,
    /// What it proves, and under which assumptions.
    pub meaning: String,
}

impl Evidence {
    /// A residual that is zero at the exact solution.
    pub fn residual(name: &str, value: f64, meaning: impl Into<String>) -> Self {
        Self::new(name, value, Sense::Residual, meaning.into())
    }

    /// An upper bound.
    pub fn bound(name: &str, value: f64, meaning: impl Into<String>) -> Self {
        Self::new(name, value, Sense::Bound, meaning.into())
    }

    /// A plain value.
    pub fn value(name: &str, value: f64, meaning: impl Into<String>) -> Self {
        Self::new(name, value, Sense::Value, meaning.into())
    }

    /// A share, a rate or another pure number, whose size is 1.
    fn new(name: &str, value: f64, sense: Sense, meaning: String) -> Self {
        Self { name: name.to_owned(), value, sense, meaning, scale: 1.0 }
    }

    /// The natural size of a number that has the units of the data.
    #[must_use]
    pub fn on_scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    /// Whether a recomputed number agrees with this one, to rounding. What is not a number agrees with nothing.
    pub fn agrees(&self, found: f64) -> bool {
        let slack = 1e-6 * self.scale.max(self.value.abs());
        let known = self.value.is_finite() && found.is_finite() && slack.is_finite();
        known
            && match self.sense {
                Sense::Residual | Sense::Bound => found <= self.value + slack,
                Sense::Value => (found - self.value).abs() <= slack,
            }
    }
}

/// How training ended, and what can be proved of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// How training ended.
    pub termination: Termination,
    /// Iterations, where there were any.
    pub iterations: Option<u64>,
    /// The value of the training objective, where there is one.
    pub objective: Option<f64>,
    /// What is proved.
    pub evidence: Vec<Evidence>,
    /// Remarks; without evidence, the reason why there can be none.
    pub notes: Vec<String>,
    /// Certificates of the parts of a composite model.
    pub children: Vec<(String, Certificate)>,
}

impl Certificate {
    /// A certificate without evidence yet.
    pub fn new(termination: Termination) -> Self {
        let (iterations, objective, evidence, notes, children) = Default::default();
        Self { termination, iterations, objective, evidence, notes, children }
    }

    /// A certificate that can have no evidence, and why.
    pub fn without_evidence(termination: Termination, why: &str) -> Self {
        Self::new(termination).with_note(why)
    }

    /// With a number of iterations.
    #[must_use]
    pub fn with_iterations(mut self, iterations: u64) -> Self {
        self.iterations = Some(iterations);
        self
    }

    /// With the value of the objective.
    #[must_use]
    pub fn with_objective(mut self, objective: f64) -> Self {
        self.objective = Some(objective);
        self
    }

    /// With one more piece of evidence.
    #[must_use]
    pub fn with_evidence(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// With one more remark.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Whether this and every part came to its own end.
    pub fn is_success(&self) -> bool {
        self.termination.is_success() && self.children.iter().all(|(_, c)| c.is_success())
    }

    /// How this, or the first part of it that did not come to its own end, ended instead.
    pub fn shortfall(&self) -> Option<String> {
        if !self.termination.is_success() {
            return self.to_string().lines().next().map(str::to_owned);
        }
        self.children.iter().find_map(|(name, child)| Some(format!("{name}: {}", child.shortfall()?)))
    }

    /// All pieces of evidence, with the path of the part they belong to.
    pub fn all_evidence(&self) -> Vec<(String, &Evidence)> {
        let own = self.evidence.iter().map(|e| (String::new(), e));
        let parts = self.children.iter().flat_map(|(name, child)| {
            child.all_evidence().into_iter().map(move |(path, e)| (format!("{name}/{path}"), e))
        });
        own.chain(parts).collect()
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.termination)?;
        if let Some(n) = self.iterations {
            write!(f, " after {n} iteration{}", if n == 1 { "" } else { "s" })?;
        }
        if let Some(value) = self.objective {
            write!(f, "; objective {value:.6}")?;
        }
        for e in &self.evidence {
            write!(f, "\n  {} = {:.3e}: {}", e.name, e.value, e.meaning)?;
        }
        for note in &self.notes {
            write!(f, "\n  {note}")?;
        }
        for (name, child) in &self.children {
            write!(f, "\n  {name}: {}", child.to_string().replace('\n', "\n  "))?;
        }
        Ok(())
    }
}

/// A piece of evidence beside what the data say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verified {
    /// The claim.
    pub claimed: Evidence,
    /// The number found on the data.
    pub found: f64,
    /// Whether the claim holds.
    pub holds: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_is_taken_from_the_scale_and_not_from_one() {
        for scale in [1e-150, 1e-4, 1.0, 3e5, 1e150] {
            let loss = Evidence::value("loss", 0.2 * scale, "").on_scale(scale);
            assert!(loss.agrees(0.2 * scale * (1.0 + 1e-9)) && !loss.agrees(0.201 * scale));
            let zero = Evidence::residual("residual", 0.0, "").on_scale(scale);
            assert!(zero.agrees(1e-9 * scale) && zero.agrees(-scale) && !zero.agrees(1e-4 * scale));
        }
    }

    #[test]
    fn what_is_not_a_number_agrees_with_nothing() {
        let claims = [f64::NAN, f64::INFINITY, 0.0, 1.0];
        for claim in claims {
            for found in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                assert!(!Evidence::value("value", claim, "").agrees(found));
                assert!(!Evidence::residual("value", claim, "").agrees(found));
                assert!(!Evidence::bound("value", claim, "").agrees(found));
            }
        }
        assert!(!Evidence::bound("value", f64::INFINITY, "").agrees(0.0));
        assert!(!Evidence::value("value", f64::NAN, "").agrees(0.0));
    }
}
