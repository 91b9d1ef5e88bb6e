//! What linear regressors learn: coefficients and intercepts.

use crate::centred::Centred;
use crate::linear_scores::{scores, scores_of};
use mercer_core::{
    Abilities, Attribute, AttributeValues, Certificate, Contributions, Dataset, Error, Explainer, Fitted,
    Input, Interactions, NumbersRef, Outputs, Prediction, Result, Schema, Session,
};
use mercer_math::Mat;
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
    /// The strengths for each target, where they differ; else empty.
    pub(crate) alphas: Vec<f64>,
    /// Whether the intercept was fitted.
    pub(crate) fit_intercept: bool,
    /// Whether coefficients could not be negative.
    pub(crate) positive: bool,
    /// The means of the features over the training rows, about which predictions are explained.
    pub(crate) means: Vec<f64>,
    /// How it was solved, where there are several ways; else empty.
    pub(crate) solver: String,
    pub(crate) certificate: Certificate,
}

/// The name of the evidence.
pub(crate) const GRADIENT: &str = "relative gradient";

impl LinearRegressionModel {
    /// The model without a penalty whose coefficients, features × targets, hold about the means of features and targets;
    /// numbers that are not finite are an error.
    pub(crate) fn about(
        who: &str,
        w: &Mat,
        (mean_x, mean_y): (&[f64], &[f64]),
        certificate: Certificate,
    ) -> Result<Self> {
        let coef = w.view().t().to_mat();
        let intercept =
            (0..coef.n_rows()).map(|k| mean_y[k] - mercer_math::dot(mean_x, coef.row(k))).collect();
        Self::of(who, coef, intercept, mean_x.to_vec(), certificate)
    }

    /// The model of coefficients, targets × features, and intercepts.
    pub(crate) fn of(
        who: &str,
        coef: Mat,
        intercept: Vec<f64>,
        means: Vec<f64>,
        certificate: Certificate,
    ) -> Result<Self> {
        if !coef.as_slice().iter().chain(&intercept).all(|v| v.is_finite()) {
            let why = "values whose squares are too large or too small: scale the features or the target";
            return Err(Error::numeric(who, why));
        }
        let (alpha, alphas, fit_intercept, positive, solver) = (0.0, Vec::new(), true, false, String::new());
        Ok(Self { coef, intercept, alpha, alphas, fit_intercept, positive, means, solver, certificate })
    }

    /// The strength of the L2 penalty for a target.
    pub(crate) fn penalty(&self, target: usize) -> f64 {
        self.alphas.get(target).copied().unwrap_or(self.alpha)
    }

    /// Predicted values of each row, rows × targets.
    pub(crate) fn scores(&self, x: NumbersRef<'_>) -> Mat {
        scores_of(&self.coef, &self.intercept, x)
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
    fn meets_not_finite(&self) -> bool {
        true
    }

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let scores = scores("a linear model", &self.coef, &self.intercept, input, session)?;
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

    fn abilities(&self) -> Abilities<'_> {
        Abilities { explain: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (t, d) = (self.coef.n_rows(), self.coef.n_cols());
        let (coef_shape, intercept_shape) = if t == 1 { (vec![d], vec![]) } else { (vec![t, d], vec![t]) };
        let mut all = vec![
            Attribute::real("coef_", "The coefficients.", &coef_shape, self.coef.as_slice().to_vec()),
            Attribute::real("intercept_", "The intercept.", &intercept_shape, self.intercept.clone()),
        ];
        if !self.solver.is_empty() {
            let values = AttributeValues::Text(vec![self.solver.clone()]);
            all.push(Attribute { name: "solver_", doc: "How it was solved.", shape: vec![], values });
            if let Some(n) = self.certificate.iterations {
                all.push(Attribute::int("n_iter_", "Iterations of the solver.", &[], vec![n as i64]));
            }
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = self.coef.is_consistent()
            && self.coef.n_cols() == schema.n_features()
            && self.coef.n_rows() == schema.targets.len()
            && self.intercept.len() == self.coef.n_rows()
            && self.means.len() == self.coef.n_cols();
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}

/// The Shapley values of a linear function of features that vary independently: w_j (x_j − x̄_j) about the mean answer.
impl Explainer for LinearRegressionModel {
    fn contributions(&self, input: &Input<'_>, _session: &Session) -> Result<Contributions> {
        let (base, values) =
            about_means((&self.coef, &self.intercept), &self.means, input, "a linear model")?;
        Ok(Contributions { features: Vec::new(), outputs: Outputs::Numbers, base, values })
    }

    /// Nothing acts together: all stands on the diagonal.
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        Ok(all_alone(&self.contributions(input, session)?.values))
    }
}

/// The score of the mean row and w_j (x_j − x̄_j) of every row, for each row of coefficients with its intercept.
pub(crate) fn about_means(
    (coef, intercept): (&Mat, &[f64]),
    means: &[f64],
    input: &Input<'_>,
    who: &str,
) -> Result<(Vec<f64>, Vec<Mat>)> {
    let x = input.rows(who)?.dense(who)?;
    let (x, outputs) = (x.view(), 0..coef.n_rows());
    let base = |k: usize| intercept[k] + mercer_math::dot(means, coef.row(k));
    let part =
        |k: usize| Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| coef[(k, j)] * (x.get(i, j) - means[j]));
    Ok((outputs.clone().map(base).collect(), outputs.map(part).collect()))
}

/// The interactions of features that act alone, from their parts.
pub(crate) fn all_alone(parts: &[Mat]) -> Interactions {
    let alone = |parts: &Mat, i: usize| {
        let mut out = Mat::zeros(parts.n_cols(), parts.n_cols());
        (0..parts.n_cols()).for_each(|j| out[(j, j)] = parts[(i, j)]);
        out
    };
    parts.iter().map(|parts| (0..parts.n_rows()).map(|i| alone(parts, i)).collect()).collect()
}
