//! NewLearner: a mean that is drawn towards zero, until the algorithm stands here.
//!
//! # Objective
//! $\min_c \tfrac12\sum_i s_i(y_i - c)^2 + \tfrac{\alpha}{2}c^2$.
//!
//! # Algorithm
//! $c = \sum_i s_i y_i / (\alpha + \sum_i s_i)$.
//!
//! # Complexity
//! Time O(n), memory O(1).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_family::NewLearner;
//! use mercer_math::Mat;
//! let x = Mat::zeros(3, 1);
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 2.0, 6.0]))?;
//! assert_eq!(NewLearner::default().alpha(0.0).fit(&data)?.predict(&x)?.numbers()?, &[3.0, 3.0, 3.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! None to speak of.
//!
//! # References
//! - T. Hastie, R. Tibshirani, J. Friedman. The Elements of Statistical Learning, section 3.4. Springer, 2009.

use mercer_core::{
    Attribute, Certificate, Dataset, Evidence, Fitted, Input, Learn, Params, Prediction, Result, Schema, Session,
    Termination,
};
use mercer_math::Weights;
use serde::{Deserialize, Serialize};

/// The name of the certificate's evidence.
const GRADIENT: &str = "gradient at the answer";

/// A mean that is drawn towards zero.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "new-alias",
    canon = "CANON",
    task = Regression,
    python = "python_module",
    can = "weights sparse missing categorical text times blind",
    references = "Hastie, Tibshirani, Friedman. The Elements of Statistical Learning, section 3.4. 2009."
)]
pub struct NewLearner {
    /// Weight of the penalty.
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-4..1e4")]
    pub alpha: f64,
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewLearnerModel {
    /// The constant.
    pub constant: f64,
    alpha: f64,
    certificate: Certificate,
}

impl Learn for NewLearner {
    type Model = NewLearnerModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<NewLearnerModel> {
        let (sum, total) = sums(Self::NAME, data)?;
        let constant = sum / (self.alpha + total);
        let meaning = "the derivative of the objective, which is convex, divided by the sum of the weights";
        let evidence = Evidence::value(GRADIENT, gradient(constant, self.alpha, sum, total), meaning);
        let certificate = Certificate::new(Termination::Exact).with_evidence(evidence);
        Ok(NewLearnerModel { constant, alpha: self.alpha, certificate })
    }
}

/// The weighted sum of the target, and the sum of the weights.
fn sums(who: &str, data: &Dataset<'_>) -> Result<(f64, f64)> {
    let (target, weights) = (data.need_target(who)?, data.weights());
    let (y, weights) = (target.numbers()?, Weights::from(weights.as_deref()));
    Ok((0..y.len()).fold((0.0, 0.0), |(sum, total), i| (sum + weights[i] * y[i], total + weights[i])))
}

fn gradient(constant: f64, alpha: f64, sum: f64, total: f64) -> f64 {
    ((alpha + total) * constant - sum).abs() / total
}

impl Fitted for NewLearnerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, _: &Session) -> Result<Prediction> {
        schema.prediction([vec![self.constant; input.n_units().unwrap_or(0)]])
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let (sum, total) = sums(NewLearner::NAME, data)?;
        Ok(vec![(GRADIENT.to_owned(), gradient(self.constant, self.alpha, sum, total))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        vec![Attribute::real("constant_", "The answer to every row.", &[], vec![self.constant])]
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        if self.constant.is_finite() { Ok(()) } else { Err("the constant is not finite".to_owned()) }
    }
}
