//! The model of Gaussian naive Bayes.

use super::gaussian::{GaussianNB, GaussianParams, Totals};
use super::moments::ClassMoments;
use super::posterior::{
    GAP, LIKELIHOOD, alone, best_classes, certificate, gap, in_blocks, odds, probabilities,
};
use mercer_core::{
    Abilities, Attribute, Certificate, Contributions, Dataset, Error, Explainer, Fitted, Input, Interactions,
    Joint, Outputs, Params, Prediction, Proba, Result, Schema, Session, sums,
};
use mercer_math::{Mat, MatRef, wide};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Normal features within each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianNBModel {
    params: GaussianParams,
    moments: ClassMoments,
    /// The moments before the last batch, where learning went on.
    before: Option<ClassMoments>,
    /// The variance of each feature in each class, classes × features, with what was added.
    pub var: Mat,
    /// What was added to all variances.
    pub epsilon: f64,
    /// The share of each class.
    pub class_prior: Vec<f64>,
    certificate: Certificate,
}

/// What the moments say of the classes.
struct Estimates {
    var: Mat,
    epsilon: f64,
    class_prior: Vec<f64>,
}

const WHO: &str = GaussianNB::NAME;

impl Estimates {
    fn of(params: &GaussianParams, moments: &ClassMoments) -> Result<Self> {
        let spread = moments.overall_variances();
        let largest = spread.iter().fold(0.0f64, |a, v| if v.is_nan() { f64::INFINITY } else { a.max(*v) });
        let finite = |m: &Mat| m.as_slice().iter().all(|v| v.is_finite());
        if !(largest.is_finite() && finite(&moments.squares) && finite(&moments.mean)) {
            return Err(Error::numeric(WHO, "values whose squares are too large: scale the features"));
        }
        let epsilon = params.var_smoothing * largest;
        let k = moments.weight.len();
        let pooled = |j: usize| (0..k).map(|c| moments.squares[(c, j)]).sum::<f64>() / moments.total();
        let var =
            Mat::from_fn(k, moments.n_features(), |c, j| match (params.shared_variance, moments.weight[c]) {
                (true, _) => pooled(j) + epsilon,
                (false, weight) if weight > 0.0 => moments.squares[(c, j)] / weight + epsilon,
                (false, _) => epsilon,
            });
        Ok(Self { var, epsilon, class_prior: priors(params.priors.as_deref(), &moments.weight)? })
    }
}

/// The shares of classes as given, or as counted.
fn priors(given: Option<&[f64]>, weights: &[f64]) -> Result<Vec<f64>> {
    let total: f64 = weights.iter().sum();
    let Some(given) = given else { return Ok(weights.iter().map(|w| w / total).collect()) };
    if given.len() != weights.len() {
        let expected = format!(
            "one for each of {} classes (Number of priors must match number of classes)",
            weights.len()
        );
        return Err(Error::param(WHO, "priors", expected, given.len()));
    }
    let sum: f64 = given.iter().sum();
    if sum.is_nan() || (sum - 1.0).abs() > 1e-8 + 1e-5 {
        let expected = "such that they sum to 1 (The sum of the priors should be 1)";
        return Err(Error::param(WHO, "priors", expected, sum));
    }
    match given.iter().find(|p| **p < 0.0) {
        Some(bad) => Err(Error::param(WHO, "priors", "at least 0 (Priors must be non-negative)", *bad)),
        None => Ok(given.to_vec()),
    }
}

impl GaussianNBModel {
    /// The model of these moments, and of those that an earlier one has.
    pub(super) fn new(
        params: &GaussianParams,
        moments: ClassMoments,
        earlier: Option<&Self>,
    ) -> Result<Self> {
        let before = earlier.map(|model| model.moments.clone());
        let all = match &before {
            Some(before) => {
                let mut all = before.clone();
                all.add(&moments);
                all
            }
            None => moments,
        };
        let Estimates { var, epsilon, class_prior } = Estimates::of(params, &all)?;
        let certificate_now = certificate(None, false);
        let mut model = Self {
            params: params.clone(),
            moments: all,
            before,
            var,
            epsilon,
            class_prior,
            certificate: certificate_now,
        };
        model.certificate = certificate(Some(model.likelihood(&model.moments)), model.before.is_some());
        Ok(model)
    }

    /// The mean of each feature in each class.
    pub fn theta(&self) -> &Mat {
        &self.moments.mean
    }

    /// A variance that can be divided by: a feature without spread has the least there is, so that any other value is as
    /// good as impossible.
    fn usable(v: f64) -> f64 {
        v.max(f64::MIN_POSITIVE)
    }

    /// The mean log likelihood of rows with these moments.
    fn likelihood(&self, moments: &ClassMoments) -> f64 {
        let mut sum = 0.0;
        for (c, &weight) in moments.weight.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            sum += weight * self.class_prior[c].ln();
            for j in 0..moments.n_features() {
                let v = Self::usable(self.var[(c, j)]);
                let off = moments.mean[(c, j)] - self.moments.mean[(c, j)];
                let squares = moments.squares[(c, j)] + weight * off * off;
                sum -= 0.5 * (weight * (2.0 * PI * v).ln() + squares / v);
            }
        }
        sum / moments.total()
    }

    /// The coefficients and intercepts of the log odds of two classes, or of each class of more up to what they have in common;
    /// there with shared variances.
    pub fn linear_form(&self) -> Option<(Mat, Vec<f64>)> {
        if !self.params.shared_variance {
            return None;
        }
        let theta = &self.moments.mean;
        let (k, d) = (theta.n_rows(), theta.n_cols());
        let coef = Mat::from_fn(k, d, |c, j| theta[(c, j)] / Self::usable(self.var[(c, j)]));
        let half = |c: usize| 0.5 * mercer_math::dot(coef.row(c), theta.row(c));
        let intercept: Vec<f64> =
            self.class_prior.iter().enumerate().map(|(c, p)| p.ln() - half(c)).collect();
        Some(odds(&coef, &intercept))
    }

    /// What does not depend on a row: the share of each class and the constants of its densities.
    fn constants(&self) -> Vec<f64> {
        let logs = |c: usize| self.var.row(c).iter().map(|v| (2.0 * PI * Self::usable(*v)).ln()).sum::<f64>();
        self.class_prior.iter().enumerate().map(|(c, p)| p.ln() - 0.5 * logs(c)).collect()
    }

    fn inverses(&self) -> Mat {
        Mat::from_fn(self.var.n_rows(), self.var.n_cols(), |c, j| 1.0 / Self::usable(self.var[(c, j)]))
    }
}

/// Σ_j (x_j − m_j)² v_j in eight running sums.
#[inline(always)]
fn quadratic(x: &[f64], m: &[f64], v: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (xs, ms, vs) = (x.chunks_exact(8), m.chunks_exact(8), v.chunks_exact(8));
    let rest = xs.remainder().iter().zip(ms.remainder()).zip(vs.remainder());
    let rest: f64 = rest.map(|((x, m), v)| (x - m) * (x - m) * v).sum();
    for ((x, m), v) in xs.zip(ms).zip(vs) {
        for l in 0..8 {
            let t = x[l] - m[l];
            sums[l] += t * t * v[l];
        }
    }
    let pairs = [sums[0] + sums[4], sums[1] + sums[5], sums[2] + sums[6], sums[3] + sums[7]];
    (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]) + rest
}

impl Joint for GaussianNBModel {
    fn log_joint(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let x = input.rows(WHO)?.dense(WHO)?;
        let (x, theta) = (x.view(), &self.moments.mean);
        let (constants, inverses, k) = (self.constants(), self.inverses(), theta.n_rows());
        let fill = |x: MatRef<'_>, out: &mut [f64]| {
            wide(|| {
                for (i, out) in out.chunks_exact_mut(k).enumerate() {
                    let Some(row) = x.row(i) else { continue };
                    for (c, out) in out.iter_mut().enumerate() {
                        *out = constants[c] - 0.5 * quadratic(row, theta.row(c), inverses.row(c));
                    }
                }
            });
        };
        Ok(in_blocks(x.n_rows(), k, session, |rows, out| {
            let block = x.rows(rows);
            match block.has_contiguous_rows() {
                true => fill(block, out),
                false => fill(block.to_mat().view(), out),
            }
        }))
    }
}

impl Proba for GaussianNBModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        Ok(probabilities(self.log_joint(input, session)?, session))
    }
}

impl Fitted for GaussianNBModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        schema.prediction([best_classes(&self.log_joint(input, session)?)])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), joint: Some(self), explain: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let moments = sums::fit(WHO, &Totals, data, session)?;
        let all = match &self.before {
            Some(before) => {
                let mut all = before.clone();
                all.add(&moments);
                all
            }
            None => moments,
        };
        let found = Estimates::of(&self.params, &all)?;
        let logs = |m: &Mat| m.as_slice().iter().map(|v| Self::usable(*v).ln()).collect::<Vec<_>>();
        let scaled = |m: &Mat| {
            let scale = self.var.as_slice().iter().map(|v| Self::usable(*v).sqrt());
            m.as_slice().iter().zip(scale).map(|(m, s)| m / s).collect::<Vec<_>>()
        };
        let apart = gap(&logs(&found.var), &logs(&self.var))
            .max(gap(&scaled(&all.mean), &scaled(&self.moments.mean)))
            .max(gap(&found.class_prior, &self.class_prior));
        Ok(vec![(GAP.to_owned(), apart), (LIKELIHOOD.to_owned(), self.likelihood(&all))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.var.n_rows(), self.var.n_cols());
        let real =
            |name, doc, shape: &[usize], values: &[f64]| Attribute::real(name, doc, shape, values.to_vec());
        let mut all = vec![
            real("class_count_", "The weight of the rows of each class.", &[k], &self.moments.weight),
            real("class_prior_", "The share of each class.", &[k], &self.class_prior),
            real("theta_", "The mean of each feature in each class.", &[k, d], self.moments.mean.as_slice()),
            real("var_", "The variance of each feature in each class.", &[k, d], self.var.as_slice()),
            real("epsilon_", "What was added to all variances.", &[], &[self.epsilon]),
        ];
        if let Some((coef, intercept)) = self.linear_form() {
            let doc = "What each feature adds to the log odds of two classes, or to each of more.";
            all.push(real("coef_", doc, &[coef.n_rows(), d], coef.as_slice()));
            all.push(real("intercept_", "The log odds of a row of zeros.", &[intercept.len()], &intercept));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (k, d) = (schema.labels().map_or(0, |l| l.len()), schema.n_features());
        let shape = |m: &Mat| m.is_consistent() && (m.n_rows(), m.n_cols()) == (k, d);
        let moments = |m: &ClassMoments| m.weight.len() == k && shape(&m.mean) && shape(&m.squares);
        let fits = k > 0
            && moments(&self.moments)
            && self.before.as_ref().is_none_or(moments)
            && shape(&self.var)
            && self.class_prior.len() == k;
        if fits { Ok(()) } else { Err("moments do not fit the schema".to_owned()) }
    }
}

/// The joint log probability is a sum over features: each one's term less its mean over the training rows.
impl Explainer for GaussianNBModel {
    fn contributions(&self, input: &Input<'_>, _: &Session) -> Result<Contributions> {
        let x = input.rows(WHO)?.dense(WHO)?;
        let (x, theta, inverses) = (x.view(), &self.moments.mean, self.inverses());
        let usual =
            |c: usize, j: usize| -0.5 * self.moments.square_about(j, theta[(c, j)]) * inverses[(c, j)];
        let (k, d) = (theta.n_rows(), theta.n_cols());
        let usual = Mat::from_fn(k, d, usual);
        let part = |c: usize| {
            Mat::from_fn(x.n_rows(), d, |i, j| {
                let off = x.get(i, j) - theta[(c, j)];
                -0.5 * off * off * inverses[(c, j)] - usual[(c, j)]
            })
        };
        let constants = self.constants();
        let base = constants.iter().enumerate().map(|(c, b)| b + usual.row(c).iter().sum::<f64>()).collect();
        let values = (0..k).map(part).collect();
        Ok(Contributions { features: Vec::new(), outputs: Outputs::Joint, base, values })
    }

    /// Nothing acts together: all stands on the diagonal.
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        Ok(alone(&self.contributions(input, session)?.values))
    }
}
