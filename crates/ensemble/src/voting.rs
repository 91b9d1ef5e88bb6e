//! Voting: learners of different kinds decide together.
//!
//! # Objective
//! With weights $w_m \ge 0$ of the members (equal ones by default): the class of most votes
//! $\arg\max_c \sum_m w_m [h_m(x) = c]$ (plurality), the class of the greatest mean probability
//! $\arg\max_c \sum_m w_m p_m(c \mid x)$ (soft), or for numbers the mean $\sum_m w_m h_m(x) / \sum_m w_m$.
//!
//! # Algorithm
//! Each member is trained on all rows, in parallel. Ties go to the first class.
//!
//! # Complexity
//! That of the members.
//!
//! # Example
//! ```
//! use mercer_core::{Params, Steps};
//! use mercer_ensemble::{Voting, VotingClassifier};
//! let learner = VotingClassifier { voting: Voting::Soft, ..VotingClassifier::default() };
//! assert!(mercer_core::Learn::check(&learner).is_err()); // no members yet
//! # let _: Steps = learner.members.estimators;
//! ```
//!
//! # Numerics
//! Sums run over the members in their order.
//!
//! # References
//! - L. Lam, C. Y. Suen. Application of majority voting to pattern recognition. IEEE Trans. SMC A 27(5), 1997.
//!   doi:10.1109/3468.618255
//! - L. I. Kuncheva. Combining Pattern Classifiers. Wiley, 2004.

use crate::base;
use crate::explain::{Part, Sum, explains_as_sum, explains_mean};
use mercer_core::{
    Abilities, Capabilities, Certificate, Choice, Dataset, Error, Fitted, Input, Kinds, Learn, NestedModel,
    Outputs, ParamGroup, Params, Prediction, Proba, Result, Schema, Session, Steps, Task, Termination,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// What is voted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Voting {
    /// Each member has one vote, for its class.
    Hard,
    /// Members share out their vote by their probabilities.
    Soft,
}

/// What both voting learners share.
#[derive(Clone, Debug, ParamGroup)]
pub struct VotingParams {
    /// The members by name.
    #[param(default = Steps::default(), transparent)]
    pub estimators: Steps,
    /// The weight of each member; none means equal ones.
    #[param(default = None, range = "[0, inf)")]
    pub weights: Option<Vec<f64>>,
}

/// Voting: the class that most members predict, or that is most probable to them on average.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "vote",
    canon = "T8",
    task = Classification,
    python = "ensemble",
    twin = "VotingRegressor",
    tried = "estimators=[logistic, tree(max_depth=3)] | estimators=[logistic, tree(max_depth=3)],voting=soft,weights=[2, 1]",
    session = "n_jobs verbose",
    door = "flatten_transform=True",
    can = "proba explain members weights",
    order = "estimators voting",
    references = "Kuncheva. Combining Pattern Classifiers. Wiley, 2004."
)]
pub struct VotingClassifier {
    /// The members and their weights.
    #[param(flatten)]
    pub members: VotingParams,
    /// Whether classes or probabilities are counted.
    #[param(default = Voting::Hard, search = "among hard|soft")]
    pub voting: Voting,
}

/// Averaging: the mean of what the members predict.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "average",
    canon = "T8",
    task = Regression,
    python = "ensemble",
    twin = "VotingClassifier",
    tried = "estimators=[ridge, tree-regressor(max_depth=3)]",
    session = "n_jobs verbose",
    can = "explain members weights",
    references = "Kuncheva. Combining Pattern Classifiers. Wiley, 2004."
)]
pub struct VotingRegressor {
    /// The members and their weights.
    #[param(flatten)]
    pub members: VotingParams,
}

/// Members with their weights, which sum to 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VotingModel {
    members: Vec<NestedModel>,
    weights: Vec<f64>,
    soft: bool,
    certificate: Certificate,
}

impl Learn for VotingClassifier {
    type Model = VotingModel;

    fn kinds(&self) -> Kinds {
        self.members.estimators.0.first().map_or(Self::declaration().kinds, |(_, m)| m.0.kinds())
    }

    fn capabilities(&self) -> Capabilities {
        let soft = self.voting == Voting::Soft;
        let own = Capabilities { proba: soft, explain: soft, ..Self::declaration().capabilities };
        let members = base::capabilities_of(&self.members.estimators);
        let own = Capabilities { explain: own.explain && !members.iter().any(|m| m.decision), ..own };
        base::together(own, &members)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        base::check_members(Self::NAME, &self.members.estimators, Task::Classification)?;
        if self.voting == Voting::Soft {
            let silent = self.members.estimators.0.iter().find(|(_, m)| !m.0.capabilities().proba);
            if let Some((name, _)) = silent {
                return Err(Error::param(
                    Self::NAME,
                    "voting",
                    "hard, since not all members give probabilities",
                    name,
                ));
            }
        }
        check_weights(Self::NAME, &self.members)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<VotingModel> {
        VotingModel::learn(Self::NAME, &self.members, self.voting == Voting::Soft, data, session)
    }
}

impl Learn for VotingRegressor {
    type Model = VotingModel;

    fn kinds(&self) -> Kinds {
        self.members.estimators.0.first().map_or(Self::declaration().kinds, |(_, m)| m.0.kinds())
    }

    fn capabilities(&self) -> Capabilities {
        base::together(Self::declaration().capabilities, &base::capabilities_of(&self.members.estimators))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        base::check_members(Self::NAME, &self.members.estimators, Task::Regression)?;
        check_weights(Self::NAME, &self.members)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<VotingModel> {
        VotingModel::learn(Self::NAME, &self.members, false, data, session)
    }
}

fn check_weights(who: &str, members: &VotingParams) -> Result<()> {
    let n = members.estimators.0.len();
    match &members.weights {
        Some(w) if w.len() != n => {
            Err(Error::param(who, "weights", format!("{n} numbers, one for each member"), w.len()))
        }
        Some(w) if !(w.iter().sum::<f64>() > 0.0 && w.iter().sum::<f64>().is_finite()) => {
            Err(Error::param(who, "weights", "numbers with a positive sum", format!("{w:?}")))
        }
        _ => Ok(()),
    }
}

impl VotingModel {
    fn learn(
        who: &str,
        VotingParams { estimators, weights }: &VotingParams,
        soft: bool,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Self> {
        let members = base::train_all(estimators, data, session)?;
        let weights = weights.clone().unwrap_or_else(|| vec![1.0; members.len()]);
        let total: f64 = weights.iter().sum();
        let weights = weights.iter().map(|w| w / total).collect();
        let names = estimators.0.iter().map(|(name, _)| name.clone());
        let certificate = base::certificate(Termination::Exact, names.zip(&members));
        let mut model = Self { members, weights, soft, certificate: Certificate::new(Termination::Exact) };
        let found = model.infer(&data.input(), &Schema::of(data), session)?;
        model.certificate = base::certified(certificate, base::fit_evidence(data, &found, who)?, data)?;
        Ok(model)
    }

    /// Votes or mean probabilities, rows × classes.
    fn shares(&self, input: &Input<'_>, classes: usize, session: &Session) -> Result<Mat> {
        let mut out = Mat::zeros(input.n_units().unwrap_or(0), classes);
        for (member, &weight) in self.members.iter().zip(&self.weights) {
            if self.soft {
                let p = member.0.predict_proba(input, session)?;
                out.as_mut_slice().iter_mut().zip(p.as_slice()).for_each(|(o, p)| *o += weight * p);
            } else {
                let codes = base::codes(member.0.as_ref(), input, session)?;
                codes.iter().enumerate().for_each(|(i, &c)| out[(i, c as usize)] += weight);
            }
        }
        Ok(out)
    }
}

impl VotingModel {
    /// The mean as a sum, for explanations.
    fn sum(&self) -> Sum<'_> {
        let labels = self.members.first().and_then(|m| m.0.schema().labels());
        let (outputs, width) = labels.map_or((Outputs::Numbers, 1), |l| (Outputs::Probabilities, l.len()));
        let parts = self.members.iter().zip(&self.weights).map(|(m, &weight)| Part::of(m.0.as_ref(), weight));
        Sum {
            who: "voting",
            parts: parts.collect(),
            start: vec![0.0; width],
            outputs,
            member_outputs: outputs,
        }
    }
}

explains_as_sum!(VotingModel);

impl Proba for VotingModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let classes = self.members.first().and_then(|m| m.0.schema().labels()).map_or(0, |l| l.len());
        self.shares(input, classes, session)
    }
}

base::members_of!(VotingModel, members);

impl Fitted for VotingModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        if let Some(labels) = schema.labels() {
            return schema.prediction([base::most_probable(&self.shares(input, labels.len(), session)?)]);
        }
        let mut mean = vec![0.0; input.n_units().unwrap_or(0)];
        for (member, &weight) in self.members.iter().zip(&self.weights) {
            let found = base::numbers(member.0.as_ref(), input, session)?;
            mean.iter_mut().zip(found).for_each(|(m, v)| *m += weight * v);
        }
        schema.prediction([mean])
    }

    /// Votes for classes are no sum of probabilities.
    fn abilities(&self) -> Abilities<'_> {
        let votes = !self.soft && self.members.first().is_some_and(|m| m.0.schema().labels().is_some());
        Abilities {
            proba: self.soft.then_some(self as _),
            explain: (!votes && self.members.iter().all(|m| explains_mean(m.0.as_ref())))
                .then_some(self as _),
            members: Some(self),
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        (ability == "explain").then(|| match self.members.iter().all(|m| explains_mean(m.0.as_ref())) {
            true => "votes for classes are no sum; voting=soft is one".to_owned(),
            false => crate::explain::silent(self.members.iter().map(|m| m.0.as_ref())),
        })
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        // The prediction is in the classes of training, whatever those of the data.
        let Some(first) = self.members.first() else { return Ok(Vec::new()) };
        let found = self.infer(&data.input(), first.0.schema(), session)?;
        let (name, value) = base::fit_evidence(data, &found, "voting")?;
        Ok(vec![(name.to_owned(), value)])
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let able = |m: &NestedModel| base::fits(m, schema) && (!self.soft || m.0.can().proba);
        let ok = !self.members.is_empty()
            && self.weights.len() == self.members.len()
            && self.weights.iter().all(|w| w.is_finite())
            && self.members.iter().all(able);
        if ok { Ok(()) } else { Err("members that do not fit the schema".to_owned()) }
    }
}
