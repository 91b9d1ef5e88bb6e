//! The model of a network of radial basis functions, and how its centres are found.

use super::network::{NetworkCenters, NetworkOutput, NetworkParams, NetworkWidth, targets};
use crate::neighbors::evenly_spaced;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Error, Evidence, Fitted, Input, Prediction, Result,
    Schema, Session, Termination,
};
use mercer_math::{
    BLOCK_ROWS, Centres, ColumnMoments, LocalKernel, Mat, MatRef, Nearest, NearestRows, Norm, Rng,
    SearchMethod, argmax, eigh, exp_slice, gemm, matmul, solve_spd, sq_dist, tree_reduce, weighted_index,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Centres with widths and weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RbfNetworkModel {
    pub(super) centers: Mat,
    pub(super) widths: Vec<f64>,
    /// Centres × outputs.
    pub(super) weights: Mat,
    pub(super) intercept: Vec<f64>,
    kernel: LocalKernel,
    pub(super) normalized: bool,
    pub(super) alpha: f64,
    /// Whether the outputs are classes.
    classes: bool,
    certificate: Certificate,
}

const GRADIENT: &str = "relative gradient";
const WHOLE: &str = "relative gradient of everything";
const SQUARES: &str = "training squared error";

/// Sums over rows: ΦᵀΦ, Φᵀy and yᵀy.
type Sums = (Mat, Mat, f64);

impl RbfNetworkModel {
    pub(crate) fn learn(
        who: &str,
        params: &NetworkParams,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Self> {
        let dense = data.dense(who)?;
        let x = dense.view().to_mat();
        let y = targets(&*data.need_target(who)?)?;
        let (centers, termination) = match params.n_centers {
            NetworkCenters::All => (x.clone(), Termination::Exact),
            NetworkCenters::Number(m) if m >= x.n_rows() => (x.clone(), Termination::Exact),
            NetworkCenters::Number(m) => k_means(&x, m, params.max_iter, session),
        };
        let widths = widths(who, params.width, &centers)?;
        let mut model = Self {
            weights: Mat::zeros(centers.n_rows(), y.n_cols()),
            intercept: vec![0.0; y.n_cols()],
            centers,
            widths,
            kernel: params.kernel.kernel(),
            normalized: params.normalized,
            alpha: params.alpha,
            classes: data.labels().is_some(),
            certificate: Certificate::new(termination),
        };
        let evidence = if params.output == NetworkOutput::Targets {
            model.weights = y.clone();
            let found = model.squares(x.view(), &y);
            let scale = data.target_spread(false).unwrap_or(1.0);
            Evidence::value(SQUARES, found, "mean squared error of the training rows").on_scale(scale)
        } else {
            let sums = model.sums(x.view(), &y);
            model.solve(who, &sums)?;
            if params.output == NetworkOutput::Gradient {
                return model.followed(x.view(), &y, params.gradient_steps, session);
            }
            let meaning = "gradient that is left of the penalised squares, relative to that of zero weights";
            Evidence::residual(GRADIENT, model.gradient(&sums), meaning)
        };
        model.certificate = model.certificate.clone().with_evidence(evidence);
        model.certificate = model.certificate.clone().with_note(
            "the weights are the best for these centres and widths, which k-means and a rule chose without a look at the target",
        );
        Ok(model)
    }

    /// The network with its centres and widths moved by gradients, too.
    fn followed(mut self, x: MatRef<'_>, y: &Mat, steps: usize, session: &Session) -> Result<Self> {
        let termination = self.descend(x, y, steps, session);
        let meaning = "gradient in centres, widths and weights that is left of the penalised squares, relative to their size";
        let evidence = Evidence::residual(WHOLE, self.whole_gradient(x, y), meaning);
        let note =
            "a point where the gradient is zero may be a local optimum: other seeds may find a better one";
        self.certificate = Certificate::new(termination).with_evidence(evidence).with_note(note);
        Ok(self)
    }

    /// Functions that sum to 1 have a constant among their sums already.
    pub(super) fn has_intercept(&self) -> bool {
        !self.normalized
    }

    /// The functions at some rows, a row each, with a last column of ones where there is an intercept.
    pub(super) fn functions(&self, x: MatRef<'_>) -> Mat {
        let m = self.centers.n_rows();
        let mut out = Mat::zeros(x.n_rows(), m + usize::from(self.has_intercept()));
        for i in 0..x.n_rows() {
            let point = x.row_cow(i);
            let row = out.row_mut(i);
            for (c, v) in row[..m].iter_mut().enumerate() {
                let mut log = [sq_dist(&point, self.centers.row(c)).sqrt()];
                self.kernel.logs(&mut log, self.widths[c]);
                *v = log[0];
            }
            if self.normalized {
                normalise(&mut row[..m]);
            } else {
                exp_slice(&mut row[..m]);
                row[m] = 1.0;
            }
        }
        out
    }

    fn sums(&self, x: MatRef<'_>, y: &Mat) -> Sums {
        let leaf = |b: usize| {
            let range = b * BLOCK_ROWS..((b + 1) * BLOCK_ROWS).min(x.n_rows());
            let (phi, own) = (self.functions(x.rows(range.clone())), y.view().rows(range));
            let squares = own.to_mat().as_slice().iter().map(|v| v * v).sum();
            (matmul(phi.view().t(), phi.view()), matmul(phi.view().t(), own), squares)
        };
        let add = |mut a: Sums, b: Sums| {
            a.0.as_mut_slice().iter_mut().zip(b.0.as_slice()).for_each(|(a, b)| *a += b);
            a.1.as_mut_slice().iter_mut().zip(b.1.as_slice()).for_each(|(a, b)| *a += b);
            (a.0, a.1, a.2 + b.2)
        };
        tree_reduce(x.n_rows().div_ceil(BLOCK_ROWS), leaf, add).unwrap_or((
            Mat::zeros(0, 0),
            Mat::zeros(0, 0),
            0.0,
        ))
    }

    /// ΦᵀΦ with the ridge on all weights but the intercept.
    fn ridged(&self, gram: &Mat) -> Mat {
        let mut left = gram.clone();
        (0..self.centers.n_rows()).for_each(|c| left[(c, c)] += self.alpha);
        left
    }

    /// min_w wᵀ(ΦᵀΦ + αI)w − 2 wᵀΦᵀy: Cholesky, or where that fails the solution of least norm by eigenvalues.
    fn solve(&mut self, who: &str, (gram, right, _): &Sums) -> Result<()> {
        let (left, m) = (self.ridged(gram), self.centers.n_rows());
        let solution = match solve_spd(&left, right).filter(|s| s.as_slice().iter().all(|v| v.is_finite())) {
            Some(solution) => solution,
            None => {
                let bad = || Error::numeric(who, "the functions have no finite products: values too large");
                let eigen = eigh(&left).ok_or_else(bad)?;
                let top = eigen.values.iter().copied().fold(0.0, f64::max);
                let mut along = matmul(eigen.vectors.view().t(), right.view());
                for (e, value) in eigen.values.iter().enumerate() {
                    let inverse = if *value > 1e-13 * top { 1.0 / value } else { 0.0 };
                    along.row_mut(e).iter_mut().for_each(|v| *v *= inverse);
                }
                matmul(eigen.vectors.view(), along.view())
            }
        };
        self.weights = Mat::from_fn(m, right.n_cols(), |c, k| solution[(c, k)]);
        if self.has_intercept() {
            self.intercept = solution.row(m).to_vec();
        }
        Ok(())
    }

    /// ‖(ΦᵀΦ + αI)w − Φᵀy‖ / ‖Φᵀy‖ in the greatest element.
    fn gradient(&self, (gram, right, _): &Sums) -> f64 {
        let m = self.centers.n_rows();
        let whole = Mat::from_fn(right.n_rows(), right.n_cols(), |c, k| {
            if c < m { self.weights[(c, k)] } else { self.intercept[k] }
        });
        let mut gradient = right.clone();
        gemm(1.0, self.ridged(gram).view(), whole.view(), -1.0, &mut gradient);
        let size = |m: &Mat| m.as_slice().iter().fold(0.0f64, |a, v| a.max(v.abs()));
        let scale = size(right);
        if scale > 0.0 { size(&gradient) / scale } else { size(&gradient) }
    }

    /// The mean squared error of rows, evenly spaced ones where there are many.
    fn squares(&self, x: MatRef<'_>, y: &Mat) -> f64 {
        let which: Vec<usize> = evenly_spaced(x.n_rows(), 1000).iter().map(|&i| i as usize).collect();
        let (found, y) = (self.outputs(x.gather(&which).view()), y.view().gather(&which));
        let gaps = found.as_slice().iter().zip(y.as_slice());
        gaps.map(|(a, b)| (a - b).powi(2)).sum::<f64>() / y.as_slice().len() as f64
    }

    pub(super) fn outputs(&self, x: MatRef<'_>) -> Mat {
        let (n, t, m) = (x.n_rows(), self.weights.n_cols(), self.centers.n_rows());
        let mut out = Mat::zeros(n, t);
        if t > 0 {
            out.as_mut_slice().par_chunks_mut(512 * t).enumerate().for_each(|(b, out)| {
                let phi = self.functions(x.rows(b * 512..((b + 1) * 512).min(n)));
                let functions = Mat::from_fn(phi.n_rows(), m, |i, c| phi[(i, c)]);
                let sums = matmul(functions.view(), self.weights.view());
                for (out, sums) in out.chunks_exact_mut(t).zip(sums.as_slice().chunks_exact(t)) {
                    out.iter_mut().zip(sums).zip(&self.intercept).for_each(|((o, s), b)| *o = s + b);
                }
            });
        }
        out
    }

    fn of_input(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let dense = input.rows("a network")?.dense("a network")?;
        Ok(session.run(|| self.outputs(dense.view())))
    }
}

/// Logarithms of functions become functions that sum to 1; where none is above zero, all are alike.
fn normalise(logs: &mut [f64]) {
    let greatest = logs[argmax(logs)];
    if greatest == f64::NEG_INFINITY {
        logs.fill(1.0 / logs.len() as f64);
        return;
    }
    logs.iter_mut().for_each(|l| *l -= greatest);
    exp_slice(logs);
    let total: f64 = logs.iter().sum();
    logs.iter_mut().for_each(|v| *v /= total);
}

fn widths(who: &str, rule: NetworkWidth, centers: &Mat) -> Result<Vec<f64>> {
    let m = centers.n_rows();
    let global = || {
        let some: Vec<u32> = evenly_spaced(m, 500);
        let far = |&a: &u32| {
            let gaps = some.iter().map(|&b| sq_dist(centers.row(a as usize), centers.row(b as usize)));
            gaps.fold(0.0, f64::max)
        };
        let greatest = some.iter().map(far).fold(0.0, f64::max).sqrt();
        if greatest > 0.0 { greatest / (2.0 * m as f64).sqrt() } else { 1.0 }
    };
    let widths = match rule {
        NetworkWidth::Number(width) => vec![width; m],
        NetworkWidth::Global => vec![global(); m],
        NetworkWidth::Nearest => {
            let rows = NearestRows::new(centers.clone().into(), Norm::Euclidean, SearchMethod::Auto, 30);
            let all: Vec<u32> = (0..m as u32).collect();
            let found = rows.nearest(centers.view(), 2, Some(&all));
            let mean = |i: usize| {
                let near = found.of(i).1;
                let mean = near.iter().sum::<f64>() / near.len().max(1) as f64;
                if mean > 0.0 { mean } else { global() }
            };
            (0..m).map(mean).collect()
        }
    };
    match widths.iter().all(|w| w.is_finite() && *w > 0.0) {
        true => Ok(widths),
        false => Err(Error::numeric(who, "the distances of centres overflow: values too large")),
    }
}

/// Lloyd's algorithm from centres by k-means++: centres of `x`, and how it ended.
fn k_means(x: &Mat, m: usize, max_iter: usize, session: &Session) -> (Mat, Termination) {
    let (n, d) = (x.n_rows(), x.n_cols());
    let mut centers = seeds(x, m, &mut session.rng(0));
    let origin = ColumnMoments::of(x.view(), None).means();
    let rows: Vec<u32> = (0..n as u32).collect();
    let mut found = vec![Nearest::default(); n];
    let mut labels = vec![u32::MAX; n];
    for pass in 0..max_iter {
        let packed = Centres::new(centers.view(), &origin);
        rows.par_chunks(BLOCK_ROWS)
            .zip(found.par_chunks_mut(BLOCK_ROWS))
            .for_each(|(rows, found)| packed.scan(x.as_slice(), rows, found));
        let moved = labels.iter().zip(&found).any(|(old, new)| *old != new.label);
        if !moved {
            return (centers, Termination::Converged);
        }
        labels.iter_mut().zip(&found).for_each(|(old, new)| *old = new.label.min(m as u32 - 1));
        let (mut sums, mut counts) = (Mat::zeros(m, d), vec![0.0; m]);
        for (i, &label) in labels.iter().enumerate() {
            // Differences from the old centre lose fewer digits than sums of values.
            let (c, row) = (label as usize, x.row(i));
            counts[c] += 1.0;
            sums.row_mut(c).iter_mut().zip(row).zip(centers.row(c)).for_each(|((s, v), o)| *s += v - o);
        }
        for c in (0..m).filter(|&c| counts[c] > 0.0) {
            let step: Vec<f64> = sums.row(c).iter().map(|s| s / counts[c]).collect();
            centers.row_mut(c).iter_mut().zip(step).for_each(|(v, s)| *v += s);
        }
        if let Some(why) = session.step("k-means", pass as u64 + 1, Some(max_iter as u64), None) {
            return (centers, why);
        }
    }
    // Centres that still move are centres all the same: the weights are the best for them.
    (centers, Termination::IterationLimit)
}

/// Rows drawn one after the other, by the squared distance to those drawn before.
fn seeds(x: &Mat, m: usize, rng: &mut Rng) -> Mat {
    let mut chosen = vec![mercer_math::below(rng, x.n_rows())];
    let mut far = vec![f64::INFINITY; x.n_rows()];
    while chosen.len() < m {
        let last = x.row(chosen[chosen.len() - 1]);
        far.iter_mut().enumerate().for_each(|(i, f)| *f = f.min(sq_dist(x.row(i), last)));
        // Rows that are all drawn, or equal to drawn ones, leave nothing to choose by.
        let next = weighted_index(rng, &far).unwrap_or_else(|| mercer_math::below(rng, x.n_rows()));
        chosen.push(next);
    }
    x.view().gather(&chosen)
}

impl Decision for RbfNetworkModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let scores = self.of_input(input, session)?;
        if scores.n_cols() == 2 {
            return Ok(Mat::from_fn(scores.n_rows(), 1, |i, _| scores[(i, 1)] - scores[(i, 0)]));
        }
        Ok(scores)
    }
}

impl Fitted for RbfNetworkModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let found = self.of_input(input, session)?;
        if schema.labels().is_some() {
            let classes: Vec<u32> = (0..found.n_rows()).map(|i| argmax(found.row(i)) as u32).collect();
            return schema.prediction([classes]);
        }
        schema.prediction((0..found.n_cols()).map(|k| found.col(k)))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decision: self.classes.then_some(self as _), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let dense = data.dense("the proof")?;
        let y = targets(&*data.need_target("the proof")?)?;
        if y.n_cols() != self.weights.n_cols() {
            return Err(Error::shape("outputs to prove on", self.weights.n_cols(), y.n_cols()));
        }
        let one = |e: &Evidence| match e.name.as_str() {
            WHOLE => (e.name.clone(), self.whole_gradient(dense.view(), &y)),
            SQUARES => (e.name.clone(), self.squares(dense.view(), &y)),
            _ => (e.name.clone(), self.gradient(&self.sums(dense.view(), &y))),
        };
        Ok(self.certificate.evidence.iter().map(one).collect())
    }

    fn attributes(&self) -> Vec<Attribute> {
        let shape = |m: &Mat| [m.n_rows(), m.n_cols()];
        let values = |m: &Mat| m.as_slice().to_vec();
        vec![
            Attribute::real("centers_", "The centres.", &shape(&self.centers), values(&self.centers)),
            Attribute::real(
                "widths_",
                "The width of each centre.",
                &[self.widths.len()],
                self.widths.clone(),
            ),
            Attribute::real(
                "coef_",
                "The weights, centres × outputs.",
                &shape(&self.weights),
                values(&self.weights),
            ),
            Attribute::real("intercept_", "The intercepts.", &[self.intercept.len()], self.intercept.clone()),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (m, t) = (self.centers.n_rows(), self.weights.n_cols());
        let outputs = schema.labels().map_or(schema.targets.len(), |l| l.len());
        let ok = self.centers.is_consistent()
            && self.weights.is_consistent()
            && m > 0
            && self.centers.n_cols() == schema.n_features()
            && self.weights.n_rows() == m
            && self.widths.len() == m
            && self.widths.iter().all(|w| *w > 0.0)
            && self.intercept.len() == t
            && t == outputs
            && self.classes == schema.labels().is_some()
            && t > 0;
        if ok { Ok(()) } else { Err("centres, widths and weights do not fit together".to_owned()) }
    }
}
