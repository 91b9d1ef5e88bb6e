//! Ridge regression on classes.
//!
//! # Objective
//! Each class is a target of +1 for its own rows and −1 for all others (two classes share one target), to which ridge
//! regression is fitted; the class with the largest answer is predicted. Several targets are coded one beside the other.
//!
//! # Algorithm
//! That of [`Ridge`](crate::Ridge) with as many targets as classes: all share one factorisation.
//!
//! # Complexity
//! O(n d² + d³), whatever the number of classes.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::RidgeClassifier;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [3.0], [4.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&[0, 0, 1, 1]))?;
//! let model = RidgeClassifier::default().fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, [0, 0, 1, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Answers are no probabilities. Rows far from the boundary on the right side draw it to themselves, as they do in least
//! squares; logistic regression does not have this fault.
//!
//! # References
//! - R. Rifkin, G. Yeo, T. Poggio. Regularized least-squares classification. NATO Science Series III 190, 2003.

use super::{Penalties, Ridge, RidgeParams, RidgeSolver};
use crate::class_weights::ClassWeightParams;
use crate::intercept::InterceptParams;
use crate::linear_model::LinearRegressionModel;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, ClassWeight, Dataset, Decision, Error, Fitted, Input,
    Labels, Learn, Params, Prediction, Result, Schema, Session, Target, TargetColumn, TargetSchema,
    TargetValues,
};
use mercer_math::{Mat, Weights, argmax};
use serde::{Deserialize, Serialize};

/// Ridge regression on classes, coded as +1 and −1.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "ridge-classifier",
    canon = "L1 L2",
    task = Classification,
    python = "linear_model",
    tried = "| class_weight=balanced",
    session = "random_state",
    mixins = "RidgeMixin SolverMixin",
    door = "copy_X=True",
    order = "fit_intercept max_iter tol class_weight solver positive",
    can = "weights sparse multi_output decision scaled",
    references = "Rifkin, Yeo, Poggio. Regularized least-squares classification. 2003."
)]
pub struct RidgeClassifier {
    /// The penalty, and how it is solved.
    #[param(flatten)]
    pub ridge: RidgeParams,
    /// The weights of the classes.
    #[param(flatten)]
    pub classes: ClassWeightParams,
}

/// Linear answers for each class, of which the largest counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RidgeClassifierModel {
    pub(super) linear: LinearRegressionModel,
    pub(super) class_weight: Option<ClassWeight>,
}

impl RidgeClassifier {
    /// Strength of the L2 penalty.
    #[must_use]
    pub fn alpha(self, alpha: f64) -> Self {
        self.alphas(Penalties::One(alpha))
    }

    fn plain(&self) -> Ridge {
        Ridge { params: self.ridge.clone() }
    }
}

impl Learn for RidgeClassifier {
    type Model = RidgeClassifierModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RidgeClassifierModel> {
        let coded = coded(Self::NAME, data, self.classes.class_weight.as_ref())?;
        let linear = self.plain().learn(&coded, session)?;
        Ok(RidgeClassifierModel { linear, class_weight: self.classes.class_weight.clone() })
    }

    fn capabilities(&self) -> Capabilities {
        let Capabilities { sparse, random, .. } = self.plain().capabilities();
        let multi_output = self.classes.class_weight.is_none();
        Capabilities { sparse, random, multi_output, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.ridge.check(Self::NAME)?;
        self.check_params()
    }
}

/// The data with a target of ±1 for each class, one for two, of each target; and the weights of the classes.
pub(super) fn coded<'a>(who: &str, data: &Dataset<'a>, weight: Option<&ClassWeight>) -> Result<Dataset<'a>> {
    let target = data.need_target(who)?;
    let mut columns = Vec::new();
    for (codes, classes) in classes_of(who, &target)? {
        let of =
            |class: u32| codes.iter().map(|&c| if c == class { 1.0 } else { -1.0 }).collect::<Vec<f64>>();
        if classes <= 2 { columns.push(of(1)) } else { columns.extend((0..classes as u32).map(of)) }
    }
    let coded = data.with_input(data.input())?.with_target(Target::multi(columns)?)?;
    let Some(weight) = weight else { return Ok(coded) };
    if target.n_columns() > 1 {
        return Err(Error::param(who, "class_weight", "none where there are several targets", "weights"));
    }
    let (own, (codes, labels)) = (data.weights(), target.class()?);
    coded.with_weights(class_weights(who, weight, codes, labels, Weights::of(&own))?)
}

/// The codes of every target with the number of its classes; a single one is learnt as it is.
pub(super) fn classes_of<'t>(who: &str, target: &'t Target<'_>) -> Result<Vec<(&'t [u32], usize)>> {
    let of = |column: &'t TargetColumn<'_>| match (&column.values, column.kind.labels()) {
        (TargetValues::Codes(_), Some(labels)) if labels.is_empty() => {
            Err(Error::too_few(who, "classes", 1, 0))
        }
        (TargetValues::Codes(codes), Some(labels)) => Ok((codes.as_ref(), labels.len())),
        _ => target.class().map(|(codes, labels)| (codes, labels.len())),
    };
    target.columns().iter().map(of).collect()
}

/// How many answers a target of so many classes has.
pub(super) fn answers(classes: usize) -> usize {
    if classes <= 2 { 1 } else { classes }
}

fn class_weights(
    who: &str,
    weight: &ClassWeight,
    codes: &[u32],
    labels: &Labels,
    own: Weights<'_>,
) -> Result<Vec<f64>> {
    let mut totals = vec![0.0; labels.len()];
    codes.iter().enumerate().for_each(|(i, &c)| totals[c as usize] += own[i]);
    let factors = weight.factors(who, labels, &totals)?;
    Ok(codes.iter().enumerate().map(|(i, &c)| factors[c as usize] * own[i]).collect())
}

/// The class of answers: the second of two where the only one is positive, else that with the largest.
pub(super) fn class_of(answers: &[f64]) -> u32 {
    match answers {
        [one] => u32::from(*one > 0.0),
        many => argmax(many) as u32,
    }
}

impl Fitted for RidgeClassifierModel {
    fn meets_not_finite(&self) -> bool {
        true
    }

    fn certificate(&self) -> &Certificate {
        self.linear.certificate()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let scores = self.decisions(input, session)?;
        let mut start = 0;
        let of = |width: usize| {
            let own = start..start + width;
            start += width;
            (0..scores.n_rows()).map(|i| class_of(&scores.row(i)[own.clone()])).collect::<Vec<u32>>()
        };
        schema.prediction(widths(schema).into_iter().map(of).collect::<Vec<_>>())
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decision: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        self.linear.reprove(&coded("RidgeClassifier", data, self.class_weight.as_ref())?, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.linear.coef.n_rows(), self.linear.coef.n_cols());
        let mut all = self.linear.attributes();
        // Two classes have one list of coefficients, as scikit-learn has it.
        let shape: &[usize] = if k == 1 { &[d] } else { &[k, d] };
        all[0] = Attribute::real("coef_", "The coefficients.", shape, self.linear.coef.as_slice().to_vec());
        all[1] = Attribute::real("intercept_", "The intercepts.", &[k], self.linear.intercept.clone());
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let classes = |t: &TargetSchema| t.kind.labels().map_or(0, |l| l.len());
        let (rows, linear) = (widths(schema).iter().sum::<usize>(), &self.linear);
        let fits = schema.targets.iter().all(|t| classes(t) >= 1)
            && linear.coef.is_consistent()
            && (linear.coef.n_rows(), linear.coef.n_cols()) == (rows, schema.n_features())
            && linear.intercept.len() == rows;
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}

/// How many answers each target has.
fn widths(schema: &Schema) -> Vec<usize> {
    schema.targets.iter().map(|t| answers(t.kind.labels().map_or(0, |l| l.len()))).collect()
}

impl Decision for RidgeClassifierModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let LinearRegressionModel { coef, intercept, .. } = &self.linear;
        crate::linear_scores::scores("RidgeClassifier", coef, intercept, input, session)
    }
}
