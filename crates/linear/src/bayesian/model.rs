//! What Bayesian regressions learn: a Gaussian distribution of the coefficients, and the precision of the noise.

use crate::centred::Centred;
use crate::linear_model::{GRADIENT, LinearRegressionModel, relative_gradient};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Evidence, Fitted, Input, Intervals, Prediction,
    PredictiveSpread, Result, Schema, Session, Spread, Termination,
};
use mercer_math::special::norm_ppf;
use mercer_math::{Cholesky, Mat, Rng, dot, matmul_parallel, normal};
use serde::{Deserialize, Serialize};

/// A linear regression with the posterior distribution of its coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesianModel {
    pub(super) linear: LinearRegressionModel,
    /// Features whose coefficients are not zero for certain.
    pub(super) kept: Vec<usize>,
    /// The covariance of their coefficients.
    pub(super) covariance: Mat,
    /// The precision of the noise.
    pub(super) alpha: f64,
    /// The precision of the coefficients: one, or one for each feature.
    pub(super) lambda: Vec<f64>,
    /// The prior mean of the coefficients; empty means zero.
    pub(super) prior: Vec<f64>,
    /// The variance of the intercept at the mean of the rows, where it counts.
    pub(super) base: f64,
    /// The log marginal likelihood after each iteration, where it was asked for.
    pub(super) scores: Vec<f64>,
}

impl BayesianModel {
    /// The posterior mean of the coefficients.
    pub fn mean(&self) -> &[f64] {
        self.linear.coef.as_slice()
    }

    /// The intercept.
    pub fn intercept(&self) -> f64 {
        self.linear.intercept[0]
    }

    /// The posterior covariance of the coefficients, features × features.
    pub fn covariance(&self) -> Mat {
        let mut out = Mat::zeros(self.mean().len(), self.mean().len());
        for (a, &i) in self.kept.iter().enumerate() {
            self.kept.iter().enumerate().for_each(|(b, &j)| out[(i, j)] = self.covariance[(a, b)]);
        }
        out
    }

    /// The variance of the noise.
    pub fn noise_variance(&self) -> f64 {
        1.0 / self.alpha
    }

    /// The precision of the coefficients before data: one, or one for each feature.
    pub fn prior_precision(&self) -> &[f64] {
        &self.lambda
    }

    /// The log marginal likelihood of the data at the end, where it was asked for.
    pub fn log_evidence(&self) -> Option<f64> {
        self.scores.last().copied()
    }

    /// Intervals that hold each coefficient with the probability `level`, features × 2.
    pub fn credible_intervals(&self, level: f64) -> Mat {
        let z = norm_ppf(0.5 + 0.5 * level);
        let covariance = self.covariance();
        let side = |j: usize| z * covariance[(j, j)].max(0.0).sqrt();
        Mat::from_fn(self.mean().len(), 2, |j, end| {
            self.mean()[j] + if end == 0 { -side(j) } else { side(j) }
        })
    }

    /// Draws of the coefficients from their posterior, draws × features.
    pub fn sample(&self, draws: usize, rng: &mut Rng) -> Mat {
        let mut out = Mat::from_fn(draws, self.mean().len(), |_, j| self.mean()[j]);
        let Some(factor) = Cholesky::new(&self.covariance) else { return out };
        let l = factor.l();
        for i in 0..draws {
            let z: Vec<f64> = (0..self.kept.len()).map(|_| normal(rng)).collect();
            self.kept.iter().enumerate().for_each(|(a, &j)| out[(i, j)] += dot(&l.row(a)[..=a], &z[..=a]));
        }
        out
    }

    /// The penalty λ_j / α of a coefficient; `None` where it is zero for certain.
    fn penalty(&self, j: usize) -> Option<f64> {
        let own = self.lambda.get(j).or(self.lambda.first())?;
        self.kept.binary_search(&j).ok().map(|_| own / self.alpha)
    }

    /// The gradient of the penalised squares at the posterior mean, relative to that of zero coefficients.
    fn gradient(&self, centred: &Centred<'_>) -> f64 {
        let (w, y) = (self.mean(), &centred.y[0]);
        let left: Vec<f64> = y.iter().zip(centred.times(w)).map(|(y, f)| y - f).collect();
        let mut g = centred.transposed(&left);
        let xy = centred.transposed(y);
        for j in 0..w.len() {
            let pull = w[j] - self.prior.get(j).copied().unwrap_or(0.0);
            match self.penalty(j) {
                Some(penalty) => g[j] -= penalty * pull,
                None => g[j] = 0.0,
            }
        }
        let root = centred.total.sqrt();
        let shift = centred.mean_y[0] - dot(&centred.mean_x, w) - self.intercept();
        g.push(centred.total * shift);
        let mut norms = centred.norms();
        // A prior that is stronger than the rows has the last word on what is large.
        (0..w.len()).for_each(|j| norms[j] += self.penalty(j).unwrap_or(0.0).sqrt().min(1e300));
        norms.push(root);
        let spread = y.iter().enumerate().map(|(i, v)| centred.weight(i) * v * v).sum::<f64>().sqrt();
        let size = spread + root * (centred.mean_y[0].abs() + self.intercept().abs());
        relative_gradient(&g, &xy, &norms, size)
    }

    /// Rows about the means, of the features that are kept.
    fn rows(&self, input: &Input<'_>) -> Result<Mat> {
        let x = input.rows("a Bayesian regression")?.dense("a Bayesian regression")?;
        let x = x.view();
        let shift = |j: usize| if self.linear.fit_intercept { self.linear.means[j] } else { 0.0 };
        Ok(Mat::from_fn(x.n_rows(), self.kept.len(), |i, a| x.get(i, self.kept[a]) - shift(self.kept[a])))
    }

    fn predicted(&self, input: &Input<'_>) -> Result<Vec<f64>> {
        let x = input.rows("a Bayesian regression")?.numbers("a Bayesian regression")?;
        Ok(self.linear.scores(x.view()).into_vec())
    }
}

/// What is proved of a posterior mean.
pub(super) fn certificate(termination: Termination, iterations: u64, gradient: f64) -> Certificate {
    let meaning = "largest gradient of the log posterior by the coefficients, at the precisions found, over that of zero coefficients: zero at its maximum";
    Certificate::new(termination)
        .with_iterations(iterations)
        .with_evidence(Evidence::residual(GRADIENT, gradient, meaning))
        .with_note("precisions are at a stationary point of the evidence, which may have several")
}

impl Fitted for BayesianModel {
    fn certificate(&self) -> &Certificate {
        self.linear.certificate()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.linear.infer(input, schema, session)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { spread: Some(self), intervals: Some(self), ..self.linear.abilities() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let centred = Centred::new(self.linear.fit_intercept, data)?;
        Ok(vec![(GRADIENT.to_owned(), self.gradient(&centred))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (mut all, k) = (self.linear.attributes(), self.kept.len());
        let several =
            self.lambda.len() > 1 || self.lambda.len() == self.mean().len() && self.mean().len() > 1;
        let shape: &[usize] = if several { &[self.lambda.len()] } else { &[] };
        all.extend([
            Attribute::real("alpha_", "The precision of the noise.", &[], vec![self.alpha]),
            Attribute::real("lambda_", "The precision of the coefficients.", shape, self.lambda.clone()),
            Attribute::real(
                "sigma_",
                "The covariance of the coefficients.",
                &[k, k],
                self.covariance.as_slice().to_vec(),
            ),
            Attribute::int(
                "n_iter_",
                "Iterations.",
                &[],
                vec![self.certificate().iterations.unwrap_or(0) as i64],
            ),
            Attribute::real(
                "X_offset_",
                "What is subtracted from the features.",
                &[self.mean().len()],
                self.offset(),
            ),
            Attribute::real(
                "X_scale_",
                "What the features are divided by: 1.",
                &[self.mean().len()],
                vec![1.0; self.mean().len()],
            ),
        ]);
        if !self.scores.is_empty() {
            let doc = "The log marginal likelihood of every iteration.";
            all.push(Attribute::real("scores_", doc, &[self.scores.len()], self.scores.clone()));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.linear.validate(schema)?;
        let (k, d) = (self.kept.len(), schema.n_features());
        let fits = self.covariance.is_consistent()
            && (self.covariance.n_rows(), self.covariance.n_cols()) == (k, k)
            && self.kept.iter().all(|&j| j < d)
            && self.kept.is_sorted()
            && (self.lambda.len() == 1 || self.lambda.len() == d)
            && (self.prior.is_empty() || self.prior.len() == d)
            && self.linear.coef.n_rows() == 1;
        if fits { Ok(()) } else { Err("the covariance does not fit the coefficients".to_owned()) }
    }
}

impl BayesianModel {
    fn offset(&self) -> Vec<f64> {
        if self.linear.fit_intercept { self.linear.means.clone() } else { vec![0.0; self.mean().len()] }
    }
}

impl Spread for BayesianModel {
    fn spread(&self, input: &Input<'_>, session: &Session) -> Result<PredictiveSpread> {
        let rows = self.rows(input)?;
        let along = session.run(|| matmul_parallel(rows.view(), self.covariance.view()));
        let epistemic: Vec<f64> =
            (0..rows.n_rows()).map(|i| (self.base + dot(rows.row(i), along.row(i))).max(0.0)).collect();
        let aleatoric = vec![self.noise_variance(); epistemic.len()];
        Ok(PredictiveSpread { mean: self.predicted(input)?, epistemic, aleatoric })
    }

    fn covariance(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let rows = self.rows(input)?;
        let mut out = session.run(|| {
            let along = matmul_parallel(rows.view(), self.covariance.view());
            matmul_parallel(along.view(), rows.view().t())
        });
        out.as_mut_slice().iter_mut().for_each(|v| *v += self.base);
        (0..out.n_rows()).for_each(|i| out[(i, i)] = out[(i, i)].max(0.0) + self.noise_variance());
        Ok(out)
    }
}

impl Intervals for BayesianModel {
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat> {
        let (found, z) = (self.spread(input, session)?, norm_ppf(0.5 + 0.5 * level));
        let std = found.std();
        Ok(Mat::from_fn(std.len(), 2, |i, end| {
            found.mean[i] + if end == 0 { -z * std[i] } else { z * std[i] }
        }))
    }
}
