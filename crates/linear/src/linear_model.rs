//! What linear regressors learn: coefficients and intercepts.

use mercer_core::{
    Attribute, Certificate, Dataset, Fitted, Input, NumbersRef, Prediction, Result, Schema, Session,
};
use mercer_math::{Mat, Weights, matmul_parallel};
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

    /// The largest entry of the gradient of the penalised least-squares objective, relative to Xᵀy.
    fn relative_gradient(&self, data: &Dataset<'_>) -> Result<f64> {
        let x = data.numbers("a linear model")?;
        let target = data.need_target("a linear model")?;
        let weights = data.weights();
        let scores = self.scores(x.view());
        let mut worst = 0.0f64;
        for k in 0..target.n_columns() {
            let y = target.numbers_of(k)?;
            let weight = Weights::of(&weights);
            let mean = if self.fit_intercept {
                let total: f64 = weight.iter(y.len()).sum();
                (0..y.len()).map(|i| weight[i] * y[i]).sum::<f64>() / total
            } else {
                0.0
            };
            let residual: Vec<f64> = (0..y.len()).map(|i| weight[i] * (y[i] - scores[(i, k)])).collect();
            let centred: Vec<f64> = (0..y.len()).map(|i| weight[i] * (y[i] - mean)).collect();
            let gradient = mercer_core::rows_t_dot(x.view(), &residual);
            let scale =
                mercer_core::rows_t_dot(x.view(), &centred).iter().fold(1.0f64, |a, v| a.max(v.abs()));
            for (j, g) in gradient.iter().enumerate() {
                worst = worst.max((g - self.alpha * self.coef[(k, j)]).abs() / scale);
            }
        }
        Ok(worst)
    }
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
        Ok(vec![("relative gradient".to_owned(), self.relative_gradient(data)?)])
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
