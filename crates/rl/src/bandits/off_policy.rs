//! What another policy would have been paid, from what one policy was.

use mercer_core::{Error, Result};
use mercer_math::{Mat, dot};

/// Rounds that were logged, and what the other policy would do in them.
#[derive(Clone, Copy, Debug)]
pub struct Logged<'a> {
    /// The arm that was chosen in each round.
    pub arms: &'a [usize],
    /// What it paid.
    pub rewards: &'a [f64],
    /// With what probability it was chosen.
    pub propensities: &'a [f64],
    /// The probability of each arm under the other policy: a row for each round.
    pub target: &'a Mat,
}

/// The value of a policy, and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean reward of a round.
    pub value: f64,
    /// The standard error of that, over the rounds.
    pub standard_error: f64,
}

impl Estimate {
    /// The mean of terms, one for each round, that do not depend on each other.
    fn of(terms: &[f64]) -> Self {
        let n = terms.len() as f64;
        let value = terms.iter().sum::<f64>() / n;
        let squares: f64 = terms.iter().map(|t| (t - value) * (t - value)).sum();
        Self { value, standard_error: (squares / (n - 1.0) / n).sqrt() }
    }
}

impl Logged<'_> {
    fn check(&self) -> Result<()> {
        let (n, k) = (self.arms.len(), self.target.n_cols());
        if n < 2 {
            return Err(Error::too_few("the value of a policy", "rounds", 2, n));
        }
        let sizes = [("rewards", self.rewards.len()), ("propensities", self.propensities.len())];
        for (what, got) in sizes.into_iter().chain([("rows of the other policy", self.target.n_rows())]) {
            if got != n {
                return Err(Error::shape(format!("{what}: one for each round"), n, got));
            }
        }
        for i in 0..n {
            let refuse = |name: &str, expected: &str, got: f64| {
                Err(Error::param("Logged", &format!("{name} of round {i}"), expected, got))
            };
            if self.arms[i] >= k {
                return refuse("arm", &format!("below {k}"), self.arms[i] as f64);
            }
            if !self.rewards[i].is_finite() {
                return refuse("reward", "finite", self.rewards[i]);
            }
            if !(self.propensities[i] > 0.0 && self.propensities[i] <= 1.0) {
                return refuse("propensity", "in (0, 1]", self.propensities[i]);
            }
            let shares = self.target.row(i);
            if let Some(bad) = shares.iter().find(|p| !(0.0..=1.0).contains(*p)) {
                return refuse("probability", "in [0, 1]", *bad);
            }
            let total: f64 = shares.iter().sum();
            if (total - 1.0).abs() > 1e-9 {
                return refuse("probabilities", "such that they sum to 1", total);
            }
        }
        Ok(())
    }

    /// How much more often the other policy would have done what was done.
    fn ratio(&self, i: usize) -> f64 {
        self.target[(i, self.arms[i])] / self.propensities[i]
    }

    /// What a model of rewards says of the other policy in each round.
    fn predicted(&self, model: &Mat) -> Result<Vec<f64>> {
        if (model.n_rows(), model.n_cols()) != (self.target.n_rows(), self.target.n_cols()) {
            let (expected, got) = (self.target.as_slice().len(), model.as_slice().len());
            return Err(Error::shape("predicted rewards: one for each arm of each round", expected, got));
        }
        if let Some(bad) = model.as_slice().iter().find(|v| !v.is_finite()) {
            return Err(Error::param("Logged", "predicted rewards", "finite", bad));
        }
        Ok((0..self.arms.len()).map(|i| dot(self.target.row(i), model.row(i))).collect())
    }
}

/// By importance: rewards weighted by how much more often the other policy would have had them. Without bias, where
/// every arm that it takes had a chance.
///
/// # Errors
/// Lists of different lengths, probabilities that are none, fewer than two rounds.
pub fn importance(logged: &Logged<'_>) -> Result<Estimate> {
    logged.check()?;
    let terms: Vec<f64> = logged.rewards.iter().enumerate().map(|(i, r)| logged.ratio(i) * r).collect();
    Ok(Estimate::of(&terms))
}

/// By importance, with weights that are made to sum to the rounds: a little bias for much less variance. The
/// error is that of a ratio, to its first order.
///
/// # Errors
/// As [`importance`]; no round that the other policy could have had.
pub fn self_normalised(logged: &Logged<'_>) -> Result<Estimate> {
    logged.check()?;
    let n = logged.arms.len();
    let ratios: Vec<f64> = (0..n).map(|i| logged.ratio(i)).collect();
    let total: f64 = ratios.iter().sum();
    if total == 0.0 {
        return Err(Error::numeric(
            "self_normalised",
            "no arm that was chosen could have been by the other policy",
        ));
    }
    let value = dot(&ratios, logged.rewards) / total;
    let squares: f64 = ratios.iter().zip(logged.rewards).map(|(w, r)| (w * (r - value)).powi(2)).sum();
    Ok(Estimate { value, standard_error: squares.sqrt() / total })
}

/// By a model of the rewards of each arm in each round alone: as right as the model.
///
/// # Errors
/// As [`importance`]; predictions of another shape.
pub fn direct(logged: &Logged<'_>, model: &Mat) -> Result<Estimate> {
    logged.check()?;
    Ok(Estimate::of(&logged.predicted(model)?))
}

/// By a model, and by importance of what it missed: without bias where either model or propensities are right (Dudík, Langford
/// and Li 2011).
///
/// # Errors
/// As [`direct`].
pub fn doubly_robust(logged: &Logged<'_>, model: &Mat) -> Result<Estimate> {
    logged.check()?;
    let mut terms = logged.predicted(model)?;
    for (i, term) in terms.iter_mut().enumerate() {
        *term += logged.ratio(i) * (logged.rewards[i] - model[(i, logged.arms[i])]);
    }
    Ok(Estimate::of(&terms))
}
