//! Stacking: a learner that learns to combine others.
//!
//! # Objective
//! A final learner $g$ on the predictions of the members, $\hat y(x) = g(h_1(x), \dots, h_M(x))$.
//!
//! # Algorithm
//! The rows are cut into `cv` folds. Each member predicts every fold from the rows outside it; the final learner is
//! trained on these predictions, none of which saw its own row. Then each member is trained once more, on all rows.
//! Members speak in probabilities where they give any (of two classes, that of the second), else in decision values,
//! else in predictions; `passthrough` gives the features to the final learner, too.
//!
//! # Complexity
//! `cv` + 1 fits of every member, and one of the final learner.
//!
//! # Example
//! ```
//! use mercer_ensemble::StackingRegressor;
//! assert_eq!(StackingRegressor::default().stacking.cv, 5);
//! ```
//!
//! # Numerics
//! Predicted classes are handed on as one column of zeros and ones for each class (of two classes, the second).
//!
//! # References
//! - D. H. Wolpert. Stacked generalization. Neural Networks 5(2), 1992. doi:10.1016/S0893-6080(05)80023-1
//! - L. Breiman. Stacked regressions. Machine Learning 24, 1996. doi:10.1007/BF00117832

use crate::base;
use mercer_core::compose::ANY_ROWS;
use mercer_core::{
    Abilities, Capabilities, Certificate, Choice, Dataset, Fitted, Input, Learn, Model, NestedLearner,
    NestedModel, ParamGroup, Params, Prediction, Proba, Result, Schema, Session, Steps, Task, Termination,
};
use mercer_math::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What members say to the final learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum StackMethod {
    /// The first of the others that the member can.
    Auto,
    /// Class probabilities.
    PredictProba,
    /// Decision values.
    DecisionFunction,
    /// Predictions.
    Predict,
}

/// What both stacking learners share.
#[derive(Clone, Debug, ParamGroup)]
pub struct StackingParams {
    /// The members by name.
    #[param(default = Steps::default(), transparent)]
    pub estimators: Steps,
    /// The learner that combines them; none means a linear one.
    #[param(default = None)]
    pub final_estimator: Option<NestedLearner>,
    /// Number of folds.
    #[param(default = 5, range = "[2, inf)")]
    pub cv: usize,
    /// Whether the final learner sees the features, too.
    #[param(default = false)]
    pub passthrough: bool,
}

/// Stacking: a classifier on the out-of-fold predictions of other classifiers.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "stack",
    canon = "T8",
    task = Classification,
    python = "ensemble",
    twin = "StackingRegressor",
    tried = "estimators=[logistic, tree(max_depth=3)]",
    session = "n_jobs verbose",
    can = "proba members weights counts_rows ordered",
    order = "cv stack_method",
    references = "Wolpert. Stacked generalization. Neural Networks 5(2), 1992."
)]
pub struct StackingClassifier {
    /// What both stacking learners share.
    #[param(
        flatten,
        doc(final_estimator = "The learner that combines them; none means logistic regression.")
    )]
    pub stacking: StackingParams,
    /// What the members say.
    #[param(default = StackMethod::Auto)]
    pub stack_method: StackMethod,
}

/// Stacking: a regressor on the out-of-fold predictions of other regressors.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "stack-regressor",
    canon = "T8",
    task = Regression,
    python = "ensemble",
    twin = "StackingClassifier",
    tried = "estimators=[ridge, tree-regressor(max_depth=3)],passthrough=true",
    session = "n_jobs verbose",
    can = "members weights counts_rows ordered",
    references = "Breiman. Stacked regressions. Machine Learning 24, 1996."
)]
pub struct StackingRegressor {
    /// What both stacking learners share.
    #[param(flatten, doc(final_estimator = "The learner that combines them; none means ridge regression."))]
    pub stacking: StackingParams,
}

/// Members and the model that combines them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StackingModel {
    members: Vec<NestedModel>,
    method: StackMethod,
    passthrough: bool,
    last: NestedModel,
    certificate: Certificate,
}

/// The two learners are one, but for the task.
struct Stack<'a> {
    who: &'static str,
    params: &'a StackingParams,
    last: base::AnyLearner,
    method: StackMethod,
}

impl Learn for StackingClassifier {
    type Model = StackingModel;

    fn capabilities(&self) -> Capabilities {
        let last = base::resolve(&self.stacking.final_estimator, "LogisticRegression");
        capabilities(Self::declaration().capabilities, &self.stacking, last)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        base::check_members(Self::NAME, &self.stacking.estimators, Task::Classification)?;
        let last = base::resolve(&self.stacking.final_estimator, "LogisticRegression")?;
        base::check_member(Self::NAME, "final_estimator", last.as_ref(), Task::Classification)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<StackingModel> {
        let last = base::resolve(&self.stacking.final_estimator, "LogisticRegression")?;
        Stack { who: Self::NAME, params: &self.stacking, last, method: self.stack_method }
            .learn(data, session)
    }
}

impl Learn for StackingRegressor {
    type Model = StackingModel;

    fn capabilities(&self) -> Capabilities {
        let last = base::resolve(&self.stacking.final_estimator, "Ridge");
        capabilities(Self::declaration().capabilities, &self.stacking, last)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        base::check_members(Self::NAME, &self.stacking.estimators, Task::Regression)?;
        let last = base::resolve(&self.stacking.final_estimator, "Ridge")?;
        base::check_member(Self::NAME, "final_estimator", last.as_ref(), Task::Regression)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<StackingModel> {
        let last = base::resolve(&self.stacking.final_estimator, "Ridge")?;
        let method = StackMethod::Predict;
        Stack { who: Self::NAME, params: &self.stacking, last, method }.learn(data, session)
    }
}

/// The final learner sees numbers only, and decides what the whole gives.
fn capabilities(own: Capabilities, params: &StackingParams, last: Result<base::AnyLearner>) -> Capabilities {
    let Ok(last) = last.map(|l| l.capabilities()) else { return own };
    let mut all = base::capabilities_of(&params.estimators);
    let mut final_takes = Capabilities { weights: last.weights, ..ANY_ROWS };
    if params.passthrough {
        final_takes = Capabilities { missing: last.missing, ..final_takes };
        all.push(Capabilities { sparse: false, categorical: false, text: false, times: false, ..ANY_ROWS });
    }
    all.push(Capabilities {
        counts_rows: last.counts_rows,
        ordered: last.ordered,
        random: last.random,
        ..final_takes
    });
    base::together(Capabilities { proba: own.proba && last.proba, ..own }, &all)
}

impl Stack<'_> {
    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<StackingModel> {
        let folds = mercer_measure::folds(data, self.params.cv, None)?;
        let tasks: Vec<(usize, usize)> =
            (0..self.params.estimators.0.len()).flat_map(|m| (0..folds.len()).map(move |f| (m, f))).collect();
        let held = |&(m, f): &(usize, usize)| -> Result<Mat> {
            let member = &self.params.estimators.0[m].1.0;
            let model = member.train(&data.subset(&folds[f].train)?, &session.quiet())?;
            member_output(model.as_ref(), self.method, &data.subset(&folds[f].test)?.input(), session)
        };
        let parts = tasks.par_iter().with_max_len(1).map(held).collect::<Result<Vec<_>>>()?;
        let width: usize = parts.iter().step_by(folds.len()).map(Mat::n_cols).sum();
        let mut made = Mat::zeros(data.n_rows(), width);
        let mut start = 0;
        for member in parts.chunks(folds.len()) {
            for (fold, part) in folds.iter().zip(member) {
                for (at, &row) in fold.test.iter().enumerate() {
                    made.row_mut(row)[start..start + part.n_cols()].copy_from_slice(part.row(at));
                }
            }
            start += member[0].n_cols();
        }
        let made = if self.params.passthrough { beside(made, &data.input(), self.who)? } else { made };
        let last = NestedModel(self.last.train(&data.with_input(Input::from(&made))?, &session.quiet())?);
        let members = base::train_all(&self.params.estimators, data, session)?;
        let names = self.params.estimators.0.iter().map(|(name, _)| name.clone()).chain(["final".to_owned()]);
        let certificate = base::certificate(Termination::Exact, names.zip(members.iter().chain([&last])));
        let (method, passthrough) = (self.method, self.params.passthrough);
        let mut model = StackingModel {
            members,
            method,
            passthrough,
            last,
            certificate: Certificate::new(Termination::Exact),
        };
        let found = model.infer(&data.input(), &Schema::of(data), session)?;
        model.certificate = base::certified(certificate, base::fit_evidence(data, &found, self.who)?, data)?;
        Ok(model)
    }
}

/// What a member says of rows.
fn member_output(
    model: &dyn Model,
    method: StackMethod,
    input: &Input<'_>,
    session: &Session,
) -> Result<Mat> {
    let can = model.can();
    let classes = model.schema().labels().map_or(0, |l| l.len());
    let method = match method {
        StackMethod::Auto if can.proba => StackMethod::PredictProba,
        StackMethod::Auto if can.decision => StackMethod::DecisionFunction,
        StackMethod::Auto => StackMethod::Predict,
        given => given,
    };
    let all = match method {
        StackMethod::PredictProba => model.predict_proba(input, session)?,
        StackMethod::DecisionFunction => return model.decision(input, session),
        _ if classes > 0 => {
            let codes = base::codes(model, input, session)?;
            Mat::from_fn(codes.len(), classes, |i, c| f64::from(u8::from(codes[i] as usize == c)))
        }
        _ => {
            let values = base::numbers(model, input, session)?;
            Mat::from_fn(values.len(), 1, |i, _| values[i])
        }
    };
    // Of two shares, one says everything.
    Ok(if classes == 2 { Mat::from_fn(all.n_rows(), 1, |i, _| all[(i, 1)]) } else { all })
}

/// The features beside what the members said.
fn beside(member_outputs: Mat, input: &Input<'_>, who: &str) -> Result<Mat> {
    let features = input.rows(who)?.dense(who)?;
    let x = features.view();
    let width = member_outputs.n_cols();
    let at = |i: usize, j: usize| if j < width { member_outputs[(i, j)] } else { x.get(i, j - width) };
    Ok(Mat::from_fn(member_outputs.n_rows(), width + x.n_cols(), at))
}

impl StackingModel {
    fn member_outputs(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let parts = self
            .members
            .iter()
            .map(|m| member_output(m.0.as_ref(), self.method, input, session))
            .collect::<Result<Vec<_>>>()?;
        let n = input.n_units().unwrap_or(0);
        let width = parts.iter().map(Mat::n_cols).sum::<usize>();
        let mut values = Vec::with_capacity(n * width);
        for i in 0..n {
            parts.iter().for_each(|p| values.extend_from_slice(p.row(i)));
        }
        let made = Mat::from_vec(values, n, width).unwrap_or_default();
        if self.passthrough { beside(made, input, "stacking") } else { Ok(made) }
    }
}

impl Proba for StackingModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.last.0.predict_proba(&Input::from(&self.member_outputs(input, session)?), session)
    }
}

base::members_of!(StackingModel, members);

impl Fitted for StackingModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        self.last.0.predict(&Input::from(&self.member_outputs(input, session)?), session)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            proba: self.last.0.can().proba.then_some(self as _),
            members: Some(self),
            ..Abilities::default()
        }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let found = self.infer(&data.input(), self.last.0.schema(), session)?;
        let (name, value) = base::fit_evidence(data, &found, "stacking")?;
        Ok(vec![(name.to_owned(), value)])
    }

    fn parts(&self) -> Vec<(&str, &NestedModel)> {
        vec![("final_estimator", &self.last)]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let classes = schema.labels().map_or(0, |l| l.len());
        let able = |m: &NestedModel| match self.method {
            StackMethod::PredictProba => m.0.can().proba,
            StackMethod::DecisionFunction => m.0.can().decision,
            StackMethod::Auto | StackMethod::Predict => true,
        };
        // Probabilities and decision values of two classes make one column, of more one a class.
        let width = if classes > 2 { classes } else { 1 } * self.members.len();
        let width = width + if self.passthrough { schema.n_features() } else { 0 };
        let ok = !self.members.is_empty()
            && self.members.iter().all(|m| base::fits(m, schema) && able(m))
            && base::same_target(&self.last, schema)
            && self.last.0.schema().n_features() == width;
        if ok { Ok(()) } else { Err("members that do not fit together".to_owned()) }
    }
}
