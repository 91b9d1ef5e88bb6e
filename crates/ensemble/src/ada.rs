//! AdaBoost: weak classifiers, each trained on what the others get wrong.
//!
//! # Objective
//! Forward stagewise fitting of the exponential loss: $f_t = f_{t-1} + \alpha_t h_t$ with
//! $$ (\alpha_t, h_t) = \arg\min_{\alpha, h} \sum_i w_i\, e^{-y_i (f_{t-1}(x_i) + \alpha h(x_i))}, \qquad y_i \in \{-1, +1\}. $$
//! With the weighted error $\varepsilon_t$ of $h_t$ under the current weights,
//! $\alpha_t = \tfrac12 \ln\tfrac{1-\varepsilon_t}{\varepsilon_t}$. For $K$ classes (SAMME),
//! $\alpha_t = \ln\tfrac{1-\varepsilon_t}{\varepsilon_t} + \ln(K-1)$.
//!
//! # Algorithm
//! Two forms, equal in what they predict and in the weights after normalising: `wrong` multiplies the weights of
//! mistakes by $e^{\alpha}$ with $\alpha = \ln\frac{1-\varepsilon}{\varepsilon}$, `both` multiplies by $e^{\mp\alpha}$
//! with half that $\alpha$. Weights reach the learner as sample weights, or by drawing rows in proportion to them
//! (`by = resampling`), for learners that take none. Training stops at $\varepsilon \ge 1 - 1/K$ (no better than
//! guessing), and at $\varepsilon = 0$, where one member is right on all rows.
//!
//! # Complexity
//! `n_estimators` fits, one after the other.
//!
//! # Example
//! ```
//! use mercer_ensemble::AdaBoostClassifier;
//! assert_eq!(AdaBoostClassifier::default().n_estimators, 50);
//! ```
//!
//! # Numerics
//! Weights are normalised in each round, so that they neither overflow nor vanish together. The training error of two
//! classes is proved to be at most $\prod_t 2\sqrt{\varepsilon_t(1-\varepsilon_t)} \le e^{-2\sum_t(\frac12-\varepsilon_t)^2}$
//! (with `learning_rate = 1`), which the certificate shows beside the measured error and the margins.
//!
//! # References
//! - Y. Freund, R. E. Schapire. A decision-theoretic generalization of on-line learning and an application to boosting.
//!   J. Comput. Syst. Sci. 55(1), 1997. doi:10.1006/jcss.1997.1504
//! - J. Zhu, H. Zou, S. Rosset, T. Hastie. Multi-class AdaBoost. Statistics and Its Interface 2, 2009.
//! - R. E. Schapire, Y. Freund, P. Bartlett, W. S. Lee. Boosting the margin. Ann. Statist. 26(5), 1998.
//!   doi:10.1214/aos/1024691352

use crate::ada_proof::Proof;
use crate::base;
use crate::explain::{Part, Sum, explains_as_sum};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, Dataset, Decision, Error, Fitted, Input, Learn,
    Model, NestedLearner, NestedModel, Outputs, Params, Prediction, Proba, Result, Schema, Session, Task,
    Termination,
};
use mercer_math::{Mat, Weights, argmax, softmax_in_place};
use serde::{Deserialize, Serialize};

/// Which of the two forms of AdaBoost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum AdaVersion {
    /// Mistakes gain weight, the others keep theirs: α = ln((1 − ε)/ε).
    Wrong,
    /// Mistakes gain and the others lose: α = ½ ln((1 − ε)/ε).
    Both,
}

/// How weights reach the learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Reweighting {
    /// As sample weights.
    Weights,
    /// By drawing rows in proportion to them.
    Resampling,
}

/// AdaBoost: weak classifiers, each trained on what the others get wrong.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "adaboost",
    canon = "T6",
    task = Classification,
    python = "ensemble",
    twin = "AdaBoostRegressor",
    tried = "n_estimators=12 | n_estimators=5,by=resampling",
    session = "random_state",
    can = "proba decision explain members weights",
    references = "Freund, Schapire. A decision-theoretic generalization of on-line learning. J. Comput. Syst. Sci. 55(1), 1997."
)]
pub struct AdaBoostClassifier {
    /// The weak learner; none means a tree of one split.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// Most members.
    #[param(default = 50, range = "[1, inf)", search = "int 10..200")]
    pub n_estimators: usize,
    /// Factor of every α.
    #[param(default = 1.0, range = "(0, inf)", search = "log 0.01..2")]
    pub learning_rate: f64,
    /// Whether mistakes alone are reweighted, or both sides; predictions are the same.
    #[param(default = AdaVersion::Wrong)]
    pub version: AdaVersion,
    /// How weights reach the learner.
    #[param(default = Reweighting::Weights)]
    pub by: Reweighting,
}

/// Members with their weights α.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AdaBoostModel {
    members: Vec<NestedModel>,
    /// The weight α of each member.
    pub alphas: Vec<f64>,
    /// The weighted training error ε of each member.
    pub errors: Vec<f64>,
    learning_rate: f64,
    version: AdaVersion,
    n_classes: usize,
    certificate: Certificate,
}

const STUMP: &str = "DecisionTreeClassifier:max_depth=1";

impl AdaBoostClassifier {
    fn draws(&self) -> bool {
        self.by == Reweighting::Resampling
    }
}

impl Learn for AdaBoostClassifier {
    type Model = AdaBoostModel;

    fn capabilities(&self) -> Capabilities {
        let draws = self.draws();
        let own = Self::declaration().capabilities;
        let own = Capabilities { counts_rows: draws, ordered: draws, random: draws, ..own };
        let together = base::together_with(own, &self.estimator, STUMP);
        let explain = base::resolve(&self.estimator, STUMP).is_ok_and(|m| m.capabilities().explain_mapped);
        Capabilities { weights: draws || together.weights, explain, ..together }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let member = base::resolve(&self.estimator, STUMP)?;
        base::check_member(Self::NAME, "estimator", member.as_ref(), Task::Classification)?;
        match self.draws() || member.capabilities().weights {
            true => Ok(()),
            false => {
                let expected = "a learner that takes weights, or by=resampling";
                Err(Error::param(Self::NAME, "estimator", expected, member.declaration().name))
            }
        }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AdaBoostModel> {
        let target = data.need_target(Self::NAME)?;
        let (truth, labels) = target.class()?;
        let weak =
            Weak { learner: base::resolve(&self.estimator, STUMP)?, draws: self.draws(), data, session };
        let mut boost =
            Boost::new(truth, data.weights().as_deref(), labels.len(), self.learning_rate, self.version);
        let (mut members, mut alphas, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let mut termination = Termination::IterationLimit;
        for t in 0..self.n_estimators {
            let last = errors.last().copied();
            if let Some(why) = session.step("AdaBoost", t as u64, Some(self.n_estimators as u64), last) {
                termination = why;
                break;
            }
            let model = weak.train(&boost.weights, t)?;
            let found = base::codes(model.as_ref(), &data.input(), session)?;
            let (round, step) = boost.round(&found);
            if round == Round::Useless && !members.is_empty() {
                // The end that the algorithm sets itself.
                termination = Termination::Converged;
                break;
            }
            members.push(NestedModel(model));
            errors.push(step.error);
            alphas.push(step.alpha);
            if round != Round::Go {
                termination = if round == Round::Perfect { Termination::Exact } else { Termination::Stalled };
                break;
            }
        }
        if termination == Termination::IterationLimit {
            // All members that were asked for: the usual end.
            termination = Termination::Complete;
        }
        let names = (0..).map(|t| format!("member {t}"));
        let certificate =
            base::certificate(termination, names.zip(&members)).with_iterations(members.len() as u64);
        let (learning_rate, version, n_classes) = (self.learning_rate, self.version, labels.len());
        let mut model =
            AdaBoostModel { members, alphas, errors, learning_rate, version, n_classes, certificate };
        let proof = Proof::of(&model, data, session)?;
        model.certificate = proof.certify(model.certificate, n_classes, learning_rate);
        Ok(model)
    }
}

/// The weak learner on its data.
struct Weak<'a, 'd> {
    learner: base::AnyLearner,
    draws: bool,
    data: &'a Dataset<'d>,
    session: &'a Session,
}

impl Weak<'_, '_> {
    fn train(&self, weights: &[f64], t: usize) -> Result<Box<dyn Model>> {
        let session = self.session.split(t as u64).quiet();
        if self.draws {
            let rows = base::draw_by_weight(&mut self.session.rng(t as u64), weights, None);
            return self.learner.train(&self.data.without_weights().subset(&rows)?, &session);
        }
        // As many as there are rows of weight, so that limits on weights mean what they say.
        let n = weights.iter().filter(|w| **w > 0.0).count() as f64;
        let scaled: Vec<f64> = weights.iter().map(|w| w * n).collect();
        let all = self.data.with_input(self.data.input())?.with_weights(scaled)?;
        self.learner.train(&all, &session)
    }
}

/// What a round says of going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    Go,
    /// No mistake is left.
    Perfect,
    /// No better than guessing.
    Useless,
}

/// The error and the weight of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) error: f64,
    pub(crate) alpha: f64,
}

/// The weights of the rows as rounds go by; they sum to 1.
pub(crate) struct Boost<'a> {
    pub(crate) weights: Vec<f64>,
    truth: &'a [u32],
    n_classes: f64,
    learning_rate: f64,
    version: AdaVersion,
}

impl<'a> Boost<'a> {
    pub(crate) fn new(
        truth: &'a [u32],
        weights: Option<&[f64]>,
        n_classes: usize,
        learning_rate: f64,
        version: AdaVersion,
    ) -> Self {
        let mut weights = Weights::from(weights).to_vec(truth.len());
        normalise(&mut weights);
        Self { weights, truth, n_classes: n_classes as f64, learning_rate, version }
    }

    /// Takes the predictions of a member into account.
    pub(crate) fn round(&mut self, found: &[u32]) -> (Round, Step) {
        let wrong = |i: usize| found[i] != self.truth[i];
        let error: f64 = (0..found.len()).filter(|&i| wrong(i)).map(|i| self.weights[i]).sum();
        if error <= 0.0 {
            return (Round::Perfect, Step { error: 0.0, alpha: 1.0 });
        }
        // A hair below, since a sum of weights may fall short of a half.
        if error >= 1.0 - 1.0 / self.n_classes - 1e-12 {
            return (Round::Useless, Step { error, alpha: 1.0 });
        }
        let full = self.learning_rate * (((1.0 - error) / error).ln() + (self.n_classes - 1.0).ln());
        let (alpha, right) = match self.version {
            AdaVersion::Wrong => (full, 1.0),
            AdaVersion::Both => (0.5 * full, (-0.5 * full).exp()),
        };
        let grow = alpha.exp();
        for i in 0..found.len() {
            self.weights[i] *= if wrong(i) { grow } else { right };
        }
        normalise(&mut self.weights);
        (Round::Go, Step { error, alpha })
    }
}

fn normalise(weights: &mut [f64]) {
    let total: f64 = weights.iter().sum();
    mercer_math::scale(1.0 / total, weights);
}

impl AdaBoostModel {
    /// The members and their weights.
    pub(crate) fn stages(&self) -> impl Iterator<Item = (&dyn Model, f64)> {
        self.members.iter().map(|m| m.0.as_ref()).zip(self.alphas.iter().copied())
    }

    pub(crate) fn boost<'a>(&self, truth: &'a [u32], weights: Option<&[f64]>) -> Boost<'a> {
        Boost::new(truth, weights, self.n_classes, self.learning_rate, self.version)
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The decision values as a sum, for explanations: each member counts with its vote.
    fn sum(&self) -> Sum<'_> {
        let (k, total) = (self.n_classes, self.alphas.iter().sum::<f64>());
        let against = -1.0 / (k as f64 - 1.0).max(1.0);
        let vote = move |output: &[f64]| {
            let best = argmax(output);
            match k {
                2 => vec![if best == 1 { 2.0 } else { -2.0 }],
                _ => (0..k).map(|c| if c == best { 1.0 } else { against }).collect(),
            }
        };
        let part =
            |(m, alpha): (_, f64)| Part { output_map: Some(Box::new(vote)), ..Part::of(m, alpha / total) };
        Sum {
            who: "AdaBoostClassifier",
            parts: self.stages().map(part).collect(),
            start: vec![0.0; if k == 2 { 1 } else { k }],
            outputs: Outputs::Scores,
            member_outputs: Outputs::Scores,
        }
    }

    /// Σ α [h = c] for the class of the member, −α/(K − 1) for the others, over Σ α: rows × classes, or × 1 for two.
    fn votes(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let k = self.n_classes;
        let mut out = Mat::zeros(input.n_units().unwrap_or(0), k);
        let total: f64 = self.alphas.iter().sum();
        let against = -1.0 / (k as f64 - 1.0).max(1.0);
        for (model, alpha) in self.stages() {
            for (i, c) in base::codes(model, input, session)?.into_iter().enumerate() {
                let row = out.row_mut(i);
                row.iter_mut().for_each(|v| *v += against * alpha / total);
                row[c as usize] += (1.0 - against) * alpha / total;
            }
        }
        Ok(out)
    }
}

explains_as_sum!(AdaBoostModel);

impl Decision for AdaBoostModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let votes = self.votes(input, session)?;
        match self.n_classes {
            2 => Ok(Mat::from_fn(votes.n_rows(), 1, |i, _| votes[(i, 1)] - votes[(i, 0)])),
            _ => Ok(votes),
        }
    }
}

impl Proba for AdaBoostModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let mut votes = self.votes(input, session)?;
        let k = (self.n_classes as f64 - 1.0).max(1.0);
        for i in 0..votes.n_rows() {
            votes.row_mut(i).iter_mut().for_each(|v| *v /= k);
            softmax_in_place(votes.row_mut(i));
        }
        Ok(votes)
    }
}

base::members_of!(AdaBoostModel, members);

impl Fitted for AdaBoostModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        schema.prediction([base::most_probable(&self.votes(input, session)?)])
    }

    fn abilities(&self) -> Abilities<'_> {
        let first = self.members.first();
        Abilities {
            proba: Some(self),
            decision: Some(self),
            explain: first.and_then(|m| m.0.abilities().explain_mapped).map(|_| self as _),
            members: Some(self),
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        (ability == "explain").then(|| "only a vote of single decision trees is explained exactly".to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        Ok(Proof::of(self, data, session)?.values(self.n_classes, self.learning_rate))
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = self.alphas.len();
        vec![
            Attribute::real("estimator_weights_", "The weight α of each member.", &[n], self.alphas.clone()),
            Attribute::real(
                "estimator_errors_",
                "The weighted error ε of each member.",
                &[n],
                self.errors.clone(),
            ),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let n = self.members.len();
        let ok = n > 0
            && schema.labels().map(|l| l.len()) == Some(self.n_classes)
            && (self.alphas.len(), self.errors.len()) == (n, n)
            && self.alphas.iter().chain(&self.errors).all(|v| v.is_finite())
            && self.members.iter().all(|m| base::fits(m, schema));
        if ok { Ok(()) } else { Err("members that do not fit the schema".to_owned()) }
    }
}
