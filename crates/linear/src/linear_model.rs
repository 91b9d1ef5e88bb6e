//! What linear regressors learn: coefficients and intercepts.

use crate::centred::Centred;
use mercer_core::{
    Attribute, Certificate, Dataset, Fitted, Input, NumbersRef, Prediction, Result, Schema, Session,
};
use mercer_math::{Mat, matmul_parallel};
use serde::{Deserialize, Serialize};

/// A fitted linear regression: ŷ = x · w + b, for one or more targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearRegressionModel {
    /// The coefficients, targets × features.
    pub coef: Mat,
    /// The intercept of each target.
    pub intercept: Vec<f64>,
    /// The strength of the L2 penalty that the certificate speaks of.
    pub(crate) alpha: f64,
    /// Whether the intercept was fitted.
    pub(crate) fit_intercept: bool,
    pub(crate) certificate: Certificate,
}

/// The name of the evidence.
pub(crate) const GRADIENT: &str = "relative gradient";

impl LinearRegressionModel {
    /// Predicted values of each row, rows × targets.
    pub(crate) fn scores(&self, x: NumbersRef<'_>) -> Mat {
        let mut out = match x {
            NumbersRef::Dense(x) if x.n_rows() > 64 && self.coef.n_rows() > 1 => {
                matmul_parallel(x, self.coef.view().t())
            }
            _ => Mat::from_fn(x.n_rows(), self.coef.n_rows(), |i, k| x.dot_row(i, self.coef.row(k))),
        };
        for i in 0..out.n_rows() {
            out.row_mut(i).iter_mut().zip(&self.intercept).for_each(|(v, b)| *v += b);
        }
        out
    }
}

/// The largest entry of the gradient of penalised least squares, each over the norm of its column, relative to the
/// largest such entry of Xᵀy: 1 for coefficients of zero, whatever the units of columns and target. `size` is the norm
/// of the target and of the intercepts, whose rounding no gradient is smaller than.
pub(crate) fn relative_gradient(gradient: &[f64], xy: &[f64], norms: &[f64], size: f64) -> f64 {
    let steepest = |entries: &[f64]| {
        let each = entries.iter().zip(norms).filter(|(g, _)| **g != 0.0).map(|(g, n)| (g / n).abs());
        each.fold(0.0f64, larger)
    };
    let found = steepest(gradient);
    if found == 0.0 { 0.0 } else { found / steepest(xy).max(1e-8 * size) }
}

/// The larger of two numbers; what is not a number is larger than any.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

impl Fitted for LinearRegressionModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, _session: &Session) -> Result<Prediction> {
        let x = input.rows("a linear model")?.numbers("a linear model")?;
        let scores = self.scores(x.view());
        let single = scores.n_cols() == 1;
        let columns = if single {
            vec![scores.into_vec()]
        } else {
            (0..scores.n_cols()).map(|k| scores.col(k)).collect()
        };
        schema.prediction(columns)
    }

    fn reprove(&self, data: &Dataset<'_>, _session: &Session) -> Result<Vec<(String, f64)>> {
        let found = Centred::new(self.fit_intercept, data)?.relative_gradient(self);
        Ok(vec![(GRADIENT.to_owned(), found)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (t, d) = (self.coef.n_rows(), self.coef.n_cols());
        let (coef_shape, intercept_shape) = if t == 1 { (vec![d], vec![]) } else { (vec![t, d], vec![t]) };
        vec![
            Attribute::real("coef_", "The coefficients.", &coef_shape, self.coef.as_slice().to_vec()),
            Attribute::real("intercept_", "The intercept.", &intercept_shape, self.intercept.clone()),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = self.coef.is_consistent()
            && self.coef.n_cols() == schema.n_features()
            && self.coef.n_rows() == schema.targets.len()
            && self.intercept.len() == self.coef.n_rows();
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}
