//! Ridge regression on classes.
//!
//! # Objective
//! Each class is a target of +1 for its own rows and −1 for all others (two classes share one target), to which ridge
//! regression is fitted; the class with the largest answer is predicted.
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

use super::{Ridge, RidgeParams, RidgeSolver};
use crate::class_weights::ClassWeightParams;
use crate::intercept::InterceptParams;
use crate::linear_model::LinearRegressionModel;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, ClassWeight, Dataset, Decision, Error, Fitted, Input,
    Labels, Learn, Params, Prediction, Result, Schema, Session, Target,
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
    mixins = "SolverMixin",
    door = "copy_X=True",
    order = "fit_intercept max_iter tol class_weight solver positive",
    can = "weights sparse decision scaled",
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
        Capabilities { sparse: self.plain().capabilities().sparse, ..Self::declaration().capabilities }
    }
}

/// The data with a target of ±1 for each class, one for two, and the weights of the classes.
pub(super) fn coded<'a>(who: &str, data: &Dataset<'a>, weight: Option<&ClassWeight>) -> Result<Dataset<'a>> {
    let target = data.need_target(who)?;
    let (codes, labels) = target.class()?;
    if labels.len() < 2 {
        return Err(Error::too_few(who, "classes", 2, labels.len()));
    }
    let of = |class: u32| codes.iter().map(|&c| if c == class { 1.0 } else { -1.0 }).collect::<Vec<f64>>();
    let columns = if labels.len() == 2 { vec![of(1)] } else { (0..labels.len() as u32).map(of).collect() };
    let own = data.weights();
    let weights = weight.map(|w| class_weights(who, w, codes, labels, Weights::of(&own))).transpose()?;
    let coded = data.with_input(data.input())?.with_target(Target::multi(columns)?)?;
    weights.map_or(Ok(coded.clone()), |w| coded.with_weights(w))
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
        schema.prediction([(0..scores.n_rows()).map(|i| class_of(scores.row(i))).collect::<Vec<u32>>()])
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
        let classes = schema.labels().map_or(0, |l| l.len());
        let (rows, linear) = (if classes == 2 { 1 } else { classes }, &self.linear);
        let fits = classes >= 2
            && linear.coef.is_consistent()
            && (linear.coef.n_rows(), linear.coef.n_cols()) == (rows, schema.n_features())
            && linear.intercept.len() == rows;
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}

impl Decision for RidgeClassifierModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let LinearRegressionModel { coef, intercept, .. } = &self.linear;
        crate::linear_scores::scores("RidgeClassifier", coef, intercept, input, session)
    }
}
