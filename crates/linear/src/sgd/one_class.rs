//! Outliers by a linear one-class machine, learnt by stochastic gradient descent.
//!
//! # Objective
//! $$ \min_{w,\rho}\ \frac{\nu}{2}\lVert w\rVert_2^2 - \nu\rho +
//!    \frac{1}{\sum_i s_i}\sum_i s_i \max(0, \rho - w^\top x_i) $$
//! A row is an outlier where $w^\top x < \rho$. At the optimum at most the share $\nu$ of the rows lies beyond, and at least
//! that share is not strictly within.
//!
//! # Algorithm
//! That of [`SGDClassifier`](crate::SGDClassifier) with the hinge, all rows of one class and the intercept $b = 1 - \rho$, whose
//! every step also goes against $\nu b$.
//!
//! # Complexity
//! O(nnz) a pass; memory O(d) beyond the rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_linear::SGDOneClassSVM;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(50, 1, |i, _| if i == 0 { 0.1 } else { 3.0 + (i % 7) as f64 / 10.0 });
//! let model = SGDOneClassSVM::default().nu(0.1).tol(None).max_iter(200).fit(&Dataset::new(&x))?;
//! assert_eq!(model.predict(&x)?.class()?.0[..2], [0, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The machine cuts by a plane and is not centred: rows must lie to one side of the origin, which a kernel approximation sees
//! to. Results depend on the order of the rows. The certificate has the objective, and the share of outliers in the training rows.
//!
//! # References
//! - B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson. Estimating the support of a
//!   high-dimensional distribution. Neural Computation 13(7), 2001. doi:10.1162/089976601750264965
//! - L. Bottou. Stochastic gradient descent tricks. Neural Networks: Tricks of the Trade, 2012. doi:10.1007/978-3-642-35289-8_25

use super::descent::State;
use super::settings::{Average, LearningRate, Rule, SgdParams, SgdPassParams, SgdPenalty, SgdScheduleParams};
use super::train::{Lessons, Plan};
use crate::intercept::InterceptParams;
use crate::linear_scores::scores;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Decision, Evidence, Fitted, Input, Label,
    Learn, Params, Prediction, Result, Schema, Session, Target, TargetColumn, TargetKind, TargetValues,
};
use mercer_math::{Mat, Weights};
use mercer_measure::Loss;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A linear one-class machine by stochastic gradient descent: rows beyond its plane are outliers.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "sgd-one-class-svm",
    canon = "L7",
    task = Outliers,
    python = "linear_model",
    tried = "| nu=0.1,average=true,learning_rate=constant | nu=0.9,shuffle=false,tol=none,max_iter=30",
    session = "random_state verbose",
    mixins = "DescentMixin ResumeRowsMixin", door = "warm_start=False",
    can = "decision weights sparse scaled resumes counts_rows ordered random",
    references = "Schölkopf, Platt, Shawe-Taylor, Smola, Williamson. Estimating the support of a high-dimensional distribution. Neural Computation 13(7), 2001."
)]
pub struct SGDOneClassSVM {
    /// The share of rows that may lie beyond the plane, at most.
    #[param(default = 0.5, range = "(0, 1]", search = "linear 0.01..0.5")]
    pub nu: f64,
    /// The passes over the rows.
    #[param(flatten)]
    pub passes: SgdPassParams,
    /// How steps get shorter.
    #[param(flatten)]
    pub schedule: SgdScheduleParams,
    /// The first step, where the learning rate has one.
    #[param(default = 0.01, range = "(0, inf)")]
    pub eta0: f64,
}

/// A linear one-class machine, which can go on learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneClassModel {
    /// The coefficients, 1 × features.
    pub coef: Mat,
    /// The score below which rows are outliers.
    pub offset: f64,
    /// Passes over the rows.
    pub n_iter: u64,
    /// Steps made, and one.
    pub t: f64,
    nu: f64,
    state: State,
    certificate: Certificate,
}

const OBJECTIVE: &str = "objective";
const SHARE: &str = "share of outliers";

impl SGDOneClassSVM {
    fn params(&self) -> SgdParams {
        SgdParams {
            alpha: self.nu,
            l1_ratio: 0.0,
            passes: self.passes.clone(),
            early_stopping: false,
            validation_fraction: 0.1,
            n_iter_no_change: 5,
        }
    }

    /// Trains from a state, or from nothing.
    fn train(
        &self,
        from: Option<State>,
        data: &Dataset<'_>,
        epochs: usize,
        session: &Session,
    ) -> Result<OneClassModel> {
        let params = self.params();
        let steps = (self.schedule.learning_rate, self.eta0, self.schedule.power_t);
        let mut rule = Rule::new(&params, Loss::Hinge, Some(SgdPenalty::L2), steps, 1);
        rule.one_class = true;
        let n = data.n_rows();
        let weights = Weights::of(&data.weights()).to_vec(n);
        let lessons = Lessons {
            targets: vec![vec![1.0; n]],
            weights: vec![weights],
            strata: vec![0; n],
            classes: false,
        };
        let begin = || State { intercept: 1.0, ..State::new(data.n_features(), &rule) };
        let from = [from.unwrap_or_else(begin)];
        let plan = Plan { name: Self::NAME, params: &params, rule, class_weight: None, n_partitions: 1 };
        let mut ended = plan.run(data, &lessons, Some(&from), epochs, session)?;
        let state = ended.states.swap_remove(0);
        let (w, b) = state.answer();
        let mut model = OneClassModel {
            coef: Mat::from_fn(1, w.len(), |_, j| w[j]),
            offset: 1.0 - b,
            n_iter: ended.epochs,
            t: state.t,
            nu: self.nu,
            state,
            certificate: Certificate::new(ended.termination).with_iterations(ended.epochs),
        };
        let [objective, share, size] = model.measure(data, session)?;
        let meaning = "mean hinge, penalty and threshold at the coefficients";
        let told = "share of the training rows that the model calls outliers";
        model.certificate = model
            .certificate
            .with_objective(objective)
            .with_evidence(Evidence::value(OBJECTIVE, objective, meaning).on_scale(size))
            .with_evidence(Evidence::value(SHARE, share, told));
        Ok(model)
    }
}

impl Learn for SGDOneClassSVM {
    type Model = OneClassModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<OneClassModel> {
        // The offset to begin with stands in the place of the intercept.
        let start = session.start_of(Self::NAME, 1, data.n_features())?;
        let start = start.map(|(w, offset)| OneClassModel::state_at(self, w, offset[0]));
        self.train(start, data, self.passes.max_iter, session)
    }

    fn resume(
        &self,
        model: Option<&OneClassModel>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<OneClassModel>> {
        let mut made = self.train(model.map(|m| m.state.clone()), data, 1, session);
        if let Ok(model) = &mut made
            && model.certificate.termination == mercer_core::Termination::IterationLimit
        {
            // One pass is all that was asked for.
            model.certificate.termination = mercer_core::Termination::Complete;
        }
        Some(made)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { random: self.passes.shuffle, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let params = self.params();
        let steps = (self.schedule.learning_rate, self.eta0, self.schedule.power_t);
        Rule::new(&params, Loss::Hinge, Some(SgdPenalty::L2), steps, 1).check(Self::NAME)
    }
}

impl OneClassModel {
    /// Scores, not yet held against the offset.
    pub fn score_samples(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        Ok(scores(SGDOneClassSVM::NAME, &self.coef, &[0.0], input, session)?.into_vec())
    }

    /// A state that begins at these coefficients.
    fn state_at(learner: &SGDOneClassSVM, w: &[f64], offset: f64) -> State {
        let (params, steps) =
            (learner.params(), (learner.schedule.learning_rate, learner.eta0, learner.schedule.power_t));
        let rule = Rule::new(&params, Loss::Hinge, Some(SgdPenalty::L2), steps, 1);
        State { w: w.to_vec(), intercept: 1.0 - offset, ..State::new(w.len(), &rule) }
    }

    /// The objective, the share of outliers, and the size of what the objective is made of.
    fn measure(&self, data: &Dataset<'_>, session: &Session) -> Result<[f64; 3]> {
        let found = self.score_samples(&data.input(), session)?;
        let weights = Weights::of(&data.weights()).to_vec(found.len());
        let total = mercer_math::sum(&weights).max(f64::MIN_POSITIVE);
        let (mut loss, mut size, mut beyond) = (0.0, 0.0, 0.0);
        for (f, w) in found.iter().zip(&weights) {
            loss += w / total * (self.offset - f).max(0.0);
            size += w / total * (self.offset.abs() + f.abs());
            beyond += if *f < self.offset { w / total } else { 0.0 };
        }
        let squares = 0.5 * self.nu * mercer_math::dot(self.coef.as_slice(), self.coef.as_slice());
        Ok([loss + squares - self.nu * self.offset, beyond, size + squares + self.nu * self.offset.abs()])
    }
}

impl Fitted for OneClassModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        let found = self.score_samples(input, session)?;
        let codes = found.iter().map(|s| u32::from(*s >= self.offset)).collect();
        Target::new(vec![TargetColumn {
            name: Some("inlier".to_owned()),
            kind: TargetKind::Class([Label::Int(-1), Label::Int(1)].into()),
            values: TargetValues::Codes(Cow::Owned(codes)),
        }])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decision: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let [objective, share, _] = self.measure(data, session)?;
        Ok(vec![(OBJECTIVE.to_owned(), objective), (SHARE.to_owned(), share)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = self.coef.n_cols();
        vec![
            Attribute::real("coef_", "The coefficients.", &[d], self.coef.as_slice().to_vec()),
            Attribute::real("offset_", "The score below which rows are outliers.", &[1], vec![self.offset]),
            Attribute::int("n_iter_", "Passes over the rows.", &[], vec![self.n_iter as i64]),
            Attribute::real("t_", "Steps made, and one.", &[], vec![self.t]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let fits = self.coef.is_consistent()
            && (self.coef.n_rows(), self.coef.n_cols()) == (1, d)
            && self.state.w.len() == d
            && (self.state.sum.is_empty() || self.state.sum.len() == d)
            && self.offset.is_finite();
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}

impl Decision for OneClassModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        scores(SGDOneClassSVM::NAME, &self.coef, &[-self.offset], input, session)
    }
}
