//! What Gaussian process classification learns: processes of two classes each.

use super::classifier::{GaussianProcessClassifier, rows_of};
use super::laplace::{Laplace, inner};
use super::model::training_rows;
use super::search::{Found, not_definite, of_hyper_parameters, projected};
use crate::kernel::{Held, Kernel, Points, PointsRef};
use mercer_core::{
    Abilities, Attribute, Certificate, DataKind, Dataset, Evidence, Fitted, Input, Params, Prediction, Proba,
    Result, Schema, Session, Termination,
};
use mercer_math::special::erf;
use mercer_math::{BlockCholesky, Mat, dot};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

const NAME: &str = GaussianProcessClassifier::NAME;
const GRADIENT: &str = "gradient of the log marginal likelihood";
const LIKELIHOOD: &str = "log marginal likelihood";
const MODE: &str = "residual of the mode";
/// New points that are looked at together.
const SOME: usize = 128;
/// Williams and Barber's approximation of the logistic function by error functions: scales and coefficients, by least squares.
const SCALES: [f64; 5] = [0.41, 0.4, 0.37, 0.44, 0.39];
const COEFFICIENTS: [f64; 5] = [-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654];

/// A process of two classes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Binary {
    positive: u32,
    /// The other class; none is all others.
    negative: Option<u32>,
    kernel: Kernel,
    /// y − π at the mode.
    pull: Vec<f64>,
    /// √(π(1 − π)) there.
    root: Vec<f64>,
    likelihood: f64,
    slope: f64,
    residual: f64,
    iterations: u64,
    termination: Termination,
    /// The factor of I + W^½ K W^½, made again when a loaded model is first asked.
    #[serde(skip)]
    factor: OnceLock<Arc<BlockCholesky>>,
}

impl Binary {
    /// The process at the kernel that was found.
    pub(super) fn at(mut laplace: Laplace<'_>, found: Found) -> Result<Self> {
        let searched = found.termination != Termination::Exact;
        let slope = match searched {
            true => {
                laplace.value_grad(&found.kernel)?.map_or(f64::NAN, |(_, g)| projected(&found.kernel, &g))
            }
            false => 0.0,
        };
        let mode = laplace.need_mode(&found.kernel)?;
        let residual = laplace.residual(&found.kernel, &mode.pull)?;
        Ok(Self {
            positive: 1,
            negative: None,
            kernel: found.kernel,
            likelihood: mode.value,
            pull: mode.pull,
            root: mode.root,
            slope,
            residual,
            iterations: found.iterations,
            termination: found.termination,
            factor: OnceLock::new(),
        })
    }

    /// The same between these classes.
    pub(super) fn between(self, positive: u32, negative: Option<u32>) -> Self {
        Self { positive, negative, ..self }
    }

    fn factor(&self, points: PointsRef<'_>) -> Result<Arc<BlockCholesky>> {
        if let Some(factor) = self.factor.get() {
            return Ok(factor.clone());
        }
        let n = points.len();
        let mut gram = Mat::zeros(n, n);
        self.kernel.lower_gram(&self.kernel.side(points)?, &mut gram, &|| true);
        let made = BlockCholesky::new(inner(&gram, &self.root, Mat::zeros(n, n)), &|| true);
        let made = made.map_err(|_| not_definite(NAME, &self.kernel))?;
        Ok(self.factor.get_or_init(|| Arc::new(made)).clone())
    }

    /// Mean and variance of the latent function at new points (algorithm 3.2); the mean alone where the variance is not wanted.
    fn latent(
        &self,
        known: PointsRef<'_>,
        new: PointsRef<'_>,
        with_variance: bool,
    ) -> Result<Vec<(f64, f64)>> {
        let factor = if with_variance { Some(self.factor(known)?) } else { None };
        let (left, right) = (self.kernel.side(new)?, self.kernel.side(known)?);
        let diagonal = self.kernel.diagonal(&left);
        let blocks = (0..new.len().div_ceil(SOME)).into_par_iter().map(|b| {
            let rows = b * SOME..((b + 1) * SOME).min(new.len());
            let mut values = Mat::zeros(rows.len(), known.len());
            self.kernel.block(&left, rows.clone(), &right, values.as_mut_slice());
            let means: Vec<f64> = (0..rows.len()).map(|i| dot(values.row(i), &self.pull)).collect();
            if let Some(factor) = &factor {
                for i in 0..rows.len() {
                    values.row_mut(i).iter_mut().zip(&self.root).for_each(|(v, r)| *v *= r);
                }
                factor.solve_l_rows(&mut values);
            }
            let seen = |i: usize| dot(values.row(i), values.row(i));
            rows.enumerate().map(|(at, i)| (means[at], diagonal[i] - seen(at))).collect::<Vec<_>>()
        });
        Ok(blocks.collect::<Vec<_>>().concat())
    }

    /// The probability of the positive class at new points.
    fn probabilities(&self, known: PointsRef<'_>, new: PointsRef<'_>) -> Result<Vec<f64>> {
        Ok(self
            .latent(known, new, true)?
            .into_iter()
            .map(|(mean, variance)| averaged(mean, variance))
            .collect())
    }
}

/// The logistic function averaged over a Gaussian.
fn averaged(mean: f64, variance: f64) -> f64 {
    let precision = 1.0 / (2.0 * variance.max(f64::MIN_POSITIVE));
    let part = |(scale, coefficient): (&f64, &f64)| {
        // √α/√(α + λ²), which is 1 where the variance is 0.
        let shrunk = (1.0 / (1.0 + scale * scale / precision)).sqrt();
        coefficient * 0.5 * erf(scale * mean * shrunk)
    };
    let sum: f64 = SCALES.iter().zip(&COEFFICIENTS).map(part).sum();
    (sum + 0.5 * COEFFICIENTS.iter().sum::<f64>()).clamp(0.0, 1.0)
}

/// Gaussian processes that tell classes apart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaussianProcessClassifierModel {
    points: Points,
    codes: Vec<u32>,
    binaries: Vec<Binary>,
    max_iter: usize,
    certificate: Certificate,
}

impl GaussianProcessClassifierModel {
    pub(super) fn new(points: Points, codes: Vec<u32>, binaries: Vec<Binary>, max_iter: usize) -> Self {
        let worst = |of: fn(&Binary) -> f64| {
            binaries.iter().map(of).fold(0.0, |m, v| if v > m || v.is_nan() { v } else { m })
        };
        let ends = binaries.iter().map(|b| b.termination);
        let termination =
            ends.clone().find(|t| !t.is_success()).or(ends.max_by_key(|t| *t == Termination::Converged));
        let (n, mean) = (codes.len() as f64, mean_likelihood(binaries.iter().map(|b| b.likelihood)));
        let mode = "largest error of y − σ(f) = K⁻¹f at the mode of the latent function: zero at the mode";
        let value = "the log probability of the classes given the rows in Laplace's approximation, averaged over processes of two classes";
        let end = termination.unwrap_or(Termination::Exact);
        let mut certificate = Certificate::new(end)
            .with_iterations(binaries.iter().map(|b| b.iterations).sum())
            .with_objective(mean)
            .with_evidence(Evidence::residual(MODE, worst(|b| b.residual), mode))
            .with_evidence(Evidence::value(LIKELIHOOD, mean, value).on_scale(n));
        if binaries.iter().any(|b| b.termination != Termination::Exact) {
            let meaning = "largest slope of the log marginal likelihood by the logarithm of a hyper-parameter, within the bounds: zero at a maximum";
            certificate = certificate
                .with_evidence(Evidence::residual(GRADIENT, worst(|b| b.slope), meaning).on_scale(n))
                .with_note(of_hyper_parameters(end));
        }
        Self { points, codes, binaries, max_iter, certificate }
    }

    /// The approximate log marginal likelihood, averaged over processes of two classes.
    pub fn evidence(&self) -> f64 {
        mean_likelihood(self.binaries.iter().map(|b| b.likelihood))
    }

    /// The kernel of each process of two classes.
    pub fn kernels(&self) -> Vec<&Kernel> {
        self.binaries.iter().map(|b| &b.kernel).collect()
    }

    /// Mean and variance of the latent function of one process at new points.
    pub fn latent(&self, process: usize, points: PointsRef<'_>) -> Result<Vec<(f64, f64)>> {
        let Some(binary) = self.binaries.get(process) else {
            return Err(mercer_core::Error::shape("processes", self.binaries.len(), process + 1));
        };
        binary.latent(self.rows(binary).view(), points, true)
    }

    /// The log marginal likelihood of one process and its gradient at other hyper-parameters, by their logarithms.
    pub fn log_marginal_likelihood(
        &self,
        process: usize,
        theta: &[f64],
        session: &Session,
    ) -> Result<(f64, Vec<f64>)> {
        let Some(binary) = self.binaries.get(process) else {
            return Err(mercer_core::Error::shape("processes", self.binaries.len(), process + 1));
        };
        let (rows, kernel) = (self.rows(binary), binary.kernel.with_theta(theta));
        let y = positives(&self.codes, binary);
        let mut laplace = Laplace::new(NAME, rows.view(), &y, (self.max_iter, false), session);
        laplace.value_grad(&kernel)?.ok_or_else(|| not_definite(NAME, &kernel))
    }

    fn rows(&self, binary: &Binary) -> Points {
        match binary.negative {
            None => self.points.clone(),
            some => self.points.view().gather(&rows_of(&self.codes, binary.positive, some)),
        }
    }

    /// What each class scores, rows × classes: probabilities against the rest, or votes of pairs with confidence to break ties.
    fn scores(&self, points: PointsRef<'_>, n_classes: usize) -> Result<Mat> {
        let mut out = Mat::zeros(points.len(), n_classes);
        if let [one] = self.binaries.as_slice() {
            let latent = one.latent(self.points.view(), points, false)?;
            latent.iter().enumerate().for_each(|(i, (mean, _))| out[(i, 1)] = *mean);
            return Ok(out);
        }
        let mut sure = Mat::zeros(points.len(), n_classes);
        for binary in &self.binaries {
            let rows = self.rows(binary);
            let (p, latent) =
                (binary.probabilities(rows.view(), points)?, binary.latent(rows.view(), points, false)?);
            let (a, b) = (binary.positive as usize, binary.negative.map(|n| n as usize));
            for (i, p) in p.into_iter().enumerate() {
                let Some(b) = b else {
                    out[(i, a)] = p;
                    continue;
                };
                out[(i, if latent[i].0 > 0.0 { a } else { b })] += 1.0;
                sure[(i, a)] += p;
                sure[(i, b)] -= p;
            }
        }
        let parts = out.as_mut_slice().iter_mut().zip(sure.as_slice());
        parts.for_each(|(v, s)| *v += s / (3.0 * (s.abs() + 1.0)));
        Ok(out)
    }

    fn of_input<T: Send>(
        &self,
        input: &Input<'_>,
        session: &Session,
        ask: impl FnOnce(PointsRef<'_>) -> Result<T> + Send,
    ) -> Result<T> {
        let kind = self.binaries.first().map_or(DataKind::Rows, |b| b.kernel.data_kind());
        let held = Held::new(NAME, kind, input)?;
        session.run(|| ask(held.view()))
    }
}

fn mean_likelihood(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.sum::<f64>() / n
}

/// 1 for rows of the positive class, 0 for others, of the rows that a process learns from.
fn positives(codes: &[u32], binary: &Binary) -> Vec<f64> {
    let rows = rows_of(codes, binary.positive, binary.negative);
    rows.into_iter().map(|i| f64::from(codes[i] == binary.positive)).collect()
}

impl Fitted for GaussianProcessClassifierModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let labels = schema.labels().cloned().unwrap_or_else(|| [].into());
        let scores = self.of_input(input, session, |points| self.scores(points, labels.len()))?;
        let best = |i: usize| {
            let row = scores.row(i);
            (0..row.len()).rev().max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0) as u32
        };
        let codes: Vec<u32> = (0..scores.n_rows()).map(best).collect();
        schema.prediction([codes])
    }

    fn abilities(&self) -> Abilities<'_> {
        let pairs = self.binaries.iter().any(|b| b.negative.is_some());
        Abilities { proba: if pairs { None } else { Some(self) }, ..Abilities::default() }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        let pairs = self.binaries.iter().any(|b| b.negative.is_some());
        (ability == "proba" && pairs)
            .then(|| "pairs of classes give none: `multi_class=one_vs_rest` does".to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (input, target) = (data.input(), data.need_target(NAME)?);
        let held = Held::new(NAME, self.binaries[0].kernel.data_kind(), &input)?;
        let (codes, _) = target.class()?;
        let (mut slope, mut residual, mut values) = (0.0f64, 0.0f64, Vec::new());
        let worse = |m: f64, v: f64| if v > m || v.is_nan() { v } else { m };
        for binary in &self.binaries {
            let rows = rows_of(codes, binary.positive, binary.negative);
            let (own, y) = (held.view().gather(&rows), positives(codes, binary));
            let mut laplace = Laplace::new(NAME, own.view(), &y, (self.max_iter, false), session);
            let found = laplace.value_grad(&binary.kernel)?;
            let (value, slopes) = found.ok_or_else(|| not_definite(NAME, &binary.kernel))?;
            values.push(value);
            slope = worse(slope, projected(&binary.kernel, &slopes));
            let known = binary.pull.len() == y.len();
            residual = worse(
                residual,
                if known { laplace.residual(&binary.kernel, &binary.pull)? } else { f64::NAN },
            );
        }
        let mean = mean_likelihood(values.into_iter());
        Ok(vec![(MODE.to_owned(), residual), (LIKELIHOOD.to_owned(), mean), (GRADIENT.to_owned(), slope)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let kernels = self.binaries.iter().map(|b| b.kernel.to_string()).collect();
        let doc = "The approximate log marginal likelihood, averaged over processes of two classes.";
        let mut all = vec![
            Attribute::text("kernel_", "The kernel of each process of two classes.", kernels),
            Attribute::real("log_marginal_likelihood_value_", doc, &[], vec![self.evidence()]),
            Attribute::real(
                "_codes",
                "The places of the classes of the training rows.",
                &[self.codes.len()],
                self.codes.iter().map(|&c| f64::from(c)).collect(),
            ),
        ];
        all.extend(training_rows(&self.points));
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let classes = schema.labels().map_or(0, |l| l.len()) as u32;
        let one = |b: &Binary| {
            let n = rows_of(&self.codes, b.positive, b.negative).len();
            self.points.suit(&b.kernel)
                && b.positive < classes
                && b.negative.is_none_or(|c| c < classes)
                && [b.pull.len(), b.root.len()] == [n, n]
        };
        let fits = self.points.fits(schema.n_features())
            && self.points.len() == self.codes.len()
            && classes >= 2
            && !self.binaries.is_empty()
            && (self.binaries.len() > 1 || self.binaries[0].negative.is_none() && classes == 2)
            && self.binaries.iter().all(one);
        if fits { Ok(()) } else { Err("rows, classes and processes do not fit together".to_owned()) }
    }
}

impl Proba for GaussianProcessClassifierModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.of_input(input, session, |points| {
            if let [one] = self.binaries.as_slice() {
                let p = one.probabilities(self.points.view(), points)?;
                return Ok(Mat::from_fn(points.len(), 2, |i, k| if k == 1 { p[i] } else { 1.0 - p[i] }));
            }
            let mut out = Mat::zeros(points.len(), self.binaries.len());
            for (k, binary) in self.binaries.iter().enumerate() {
                let p = binary.probabilities(self.points.view(), points)?;
                p.into_iter().enumerate().for_each(|(i, p)| out[(i, k)] = p);
            }
            for i in 0..points.len() {
                let total: f64 = out.row(i).iter().sum();
                let even = 1.0 / self.binaries.len() as f64;
                out.row_mut(i).iter_mut().for_each(|p| *p = if total > 0.0 { *p / total } else { even });
            }
            Ok(out)
        })
    }
}
