//! The model of local means and local lines.

use super::kernel::{best_bandwidth, usual_bandwidth};
use super::nadaraya_watson::LocalParams;
use crate::neighbors::evenly_spaced;
use mercer_core::{
    Attribute, Certificate, Dataset, Error, ErrorKind, Evidence, Fitted, Input, Prediction, Result, Schema,
    Session, Termination,
};
use mercer_math::{Cholesky, LocalKernel, Mat, NearestRows, Norm, SearchMethod, argmax, eigh, matmul};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// Rows with their targets, of which means or lines are taken about every row that is asked about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SmootherModel {
    /// The rows, each feature times its stretch.
    x: Arc<Mat>,
    stretch: Vec<f64>,
    /// The targets, rows × targets.
    y: Mat,
    weights: Option<Vec<f64>>,
    kernel: LocalKernel,
    bandwidth: f64,
    lines: bool,
    certificate: Certificate,
    #[serde(skip)]
    search: OnceLock<Arc<NearestRows>>,
}

const SQUARES: &str = "leave-one-out squared error";
/// Pairs of rows that a bandwidth is chosen by.
const PAIRS: usize = 1_000_000;
/// Rows that are left out between two looks at the session.
const STRETCH: usize = 16;

impl SmootherModel {
    pub(crate) fn learn(
        who: &str,
        params: &LocalParams,
        lines: bool,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Self> {
        let (n, d) = (data.n_rows(), data.n_features());
        let target = data.need_target(who)?;
        let columns: Vec<&[f64]> =
            (0..target.n_columns()).map(|k| target.numbers_of(k)).collect::<Result<_>>()?;
        let fixed = params.bandwidth.fixed(who, n, d)?;
        let (stretch, h) = fixed.clone().unwrap_or((vec![1.0; d], 1.0));
        let dense = data.dense(who)?;
        let x = Mat::from_fn(n, d, |i, j| dense.view().get(i, j) * stretch[j]);
        if let Some((i, j)) = x.view().find_non_finite() {
            return Err(Error::numeric(who, format!("row {i} of column {j} is too large for its bandwidth")));
        }
        let mut model = Self {
            x: x.into(),
            stretch,
            y: Mat::from_fn(n, columns.len(), |i, k| columns[k][i]),
            weights: data.weights().map(|w| w.to_vec()),
            kernel: params.shape.kernel.kernel(),
            bandwidth: h,
            lines,
            certificate: Certificate::new(Termination::Exact),
            search: OnceLock::new(),
        };
        if fixed.is_none() {
            model.choose(who, session)?;
        }
        let error = model.left_out_error(&model.y, &[model.bandwidth], &session.undisturbed())?[0];
        let many =
            if model.left_out().len() == n { "each training row" } else { "evenly spaced training rows" };
        if error.is_finite() {
            let meaning = format!("mean squared error for {many} by the other rows, which did not see it");
            let evidence = Evidence::value(SQUARES, error, meaning).on_scale(data.target_spread(false)?);
            model.certificate = model.certificate.clone().with_evidence(evidence);
        } else {
            let note = "a single row answers alone: there is nothing to leave out";
            model.certificate = model.certificate.clone().with_note(note);
        }
        Ok(model)
    }

    fn choose(&mut self, who: &str, session: &Session) -> Result<()> {
        let usual = usual_bandwidth(self.x.view());
        let found = best_bandwidth(usual, session, |hs| self.left_out_error(&self.y, hs, session))?;
        // A single row has no other to be compared with, and any bandwidth says the same of it.
        self.bandwidth = found.map_or(usual, |(h, _)| h);
        if !(self.bandwidth > 0.0 && self.bandwidth.is_finite()) {
            return Err(Error::numeric(who, "no bandwidth: the features are too large or too small"));
        }
        Ok(())
    }

    fn rows(&self) -> &NearestRows {
        let make = || Arc::new(NearestRows::new(self.x.clone(), Norm::Euclidean, SearchMethod::Brute, 40));
        self.search.get_or_init(make)
    }

    fn left_out(&self) -> Vec<u32> {
        let n = self.x.n_rows();
        // Rows of weight 0 are not there, and need no answer.
        let some = evenly_spaced(n, (PAIRS / n.max(1)).clamp(64, 2000));
        some.into_iter().filter(|&i| self.weights.as_ref().is_none_or(|w| w[i as usize] > 0.0)).collect()
    }

    /// The mean squared error for rows that are left out, by bandwidth, against `truth`; weighted.
    fn left_out_error(&self, truth: &Mat, bandwidths: &[f64], session: &Session) -> Result<Vec<f64>> {
        let which = self.left_out();
        let (t, weight) = (self.y.n_cols(), |i: usize| self.weights.as_ref().map_or(1.0, |w| w[i]));
        let total: f64 = which.iter().map(|&i| weight(i as usize)).sum();
        let each = |work: &mut Work, &row: &u32| {
            let row = row as usize;
            self.rows().distances(self.x.row(row), &mut work.distances);
            let loss = |&h: &f64| {
                let mut loss = 0.0;
                let answered = self.answer(self.x.row(row), h, Some(row), work);
                for k in 0..t {
                    let gap = truth[(row, k)] - if answered { work.answer[k] } else { f64::NAN };
                    loss += weight(row) / total / t as f64 * gap * gap;
                }
                loss
            };
            bandwidths.iter().map(loss).collect::<Vec<f64>>()
        };
        let mut sums = vec![if which.is_empty() { f64::NAN } else { 0.0 }; bandwidths.len()];
        for (at, some) in which.chunks(STRETCH).enumerate() {
            let losses: Vec<Vec<f64>> = some.par_iter().map_init(|| self.work(), each).collect();
            losses.iter().for_each(|row| sums.iter_mut().zip(row).for_each(|(s, v)| *s += v));
            let (done, total) = ((STRETCH * at + some.len()) as u64, which.len() as u64);
            if session.step("rows left out", done, Some(total), None).is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
        }
        Ok(sums)
    }

    fn work(&self) -> Work {
        let (n, d, t) = (self.x.n_rows(), self.x.n_cols(), self.y.n_cols());
        let slopes = if self.lines { d } else { 0 };
        Work {
            distances: vec![0.0; n],
            kernels: vec![0.0; n],
            near: Vec::new(),
            gap: vec![0.0; slopes],
            mean: vec![0.0; slopes],
            left: Mat::zeros(slopes, slopes),
            right: Mat::zeros(slopes, t),
            answer: vec![0.0; t],
        }
    }

    /// The answer at a point whose distances stand in `work`, without the row `skip`; `false` where there is no row.
    fn answer(&self, point: &[f64], h: f64, skip: Option<usize>, work: &mut Work) -> bool {
        let Work { distances, kernels, .. } = work;
        kernels.copy_from_slice(distances);
        self.kernel.logs(kernels, h);
        if let Some(weights) = &self.weights {
            kernels.iter_mut().zip(weights).for_each(|(l, w)| *l += w.ln());
        }
        if let Some(skip) = skip {
            kernels[skip] = f64::NEG_INFINITY;
        }
        let greatest = kernels[argmax(kernels)];
        if greatest == f64::NEG_INFINITY {
            return self.nearest(skip, work);
        }
        kernels.iter_mut().for_each(|l| *l -= greatest);
        mercer_math::exp_slice(kernels);
        if self.lines && self.line(point, h, work) {
            return true;
        }
        let total: f64 = work.kernels.iter().sum();
        work.answer.fill(0.0);
        for (i, w) in work.kernels.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            mercer_math::axpy(w / total, self.y.row(i), &mut work.answer);
        }
        true
    }

    /// The answer of the nearest row, for points that no kernel reaches.
    fn nearest(&self, skip: Option<usize>, work: &mut Work) -> bool {
        let counts = |i: &usize| {
            Some(*i) != skip
                && self.weights.as_ref().is_none_or(|w| w[*i] > 0.0)
                && !work.distances[*i].is_nan()
        };
        let near = (0..self.x.n_rows()).filter(counts);
        let near = near.min_by(|&a, &b| work.distances[a].total_cmp(&work.distances[b]));
        let Some(near) = near else { return false };
        work.answer.copy_from_slice(self.y.row(near));
        true
    }

    /// min_{a,b} Σ kᵢ (yᵢ − a − bᵀgᵢ)² with gᵢ = (xᵢ − x)/h; the answer is a = ȳ − bᵀḡ with weighted means ȳ and ḡ.
    ///
    /// Cholesky of Σ k(g − ḡ)(g − ḡ)ᵀ, or where that is singular to 1e-12 the b of least norm. `false` where it is not finite.
    fn line(&self, point: &[f64], h: f64, work: &mut Work) -> bool {
        let Work { kernels, near, gap, mean, left, right, answer, .. } = work;
        // Kernels are relative to the greatest one: what is less than this of it is far below rounding.
        near.clear();
        near.extend((0..kernels.len()).filter(|&i| kernels[i] > 1e-20));
        let total: f64 = near.iter().map(|&i| kernels[i]).sum();
        let gap_of = |i: usize, gap: &mut [f64]| {
            gap.iter_mut().zip(self.x.row(i).iter().zip(point)).for_each(|(g, (x, q))| *g = (x - q) / h);
        };
        mean.fill(0.0);
        answer.fill(0.0);
        for &i in near.iter() {
            let w = kernels[i] / total;
            gap_of(i, gap);
            mean.iter_mut().zip(gap.iter()).for_each(|(m, g)| *m += w * g);
            answer.iter_mut().zip(self.y.row(i)).for_each(|(a, y)| *a += w * y);
        }
        left.as_mut_slice().fill(0.0);
        right.as_mut_slice().fill(0.0);
        for &i in near.iter() {
            gap_of(i, gap);
            gap.iter_mut().zip(mean.iter()).for_each(|(g, m)| *g -= m);
            for a in 0..gap.len() {
                let along = kernels[i] * gap[a];
                left.row_mut(a).iter_mut().zip(&gap[..=a]).for_each(|(l, g)| *l += along * g);
                let rest = self.y.row(i).iter().zip(answer.iter());
                right.row_mut(a).iter_mut().zip(rest).for_each(|(r, (y, c))| *r += along * (y - c));
            }
        }
        symmetrise_lower(left);
        slopes(left, right);
        for (a, m) in mean.iter().enumerate() {
            mercer_math::axpy(-m, right.row(a), answer);
        }
        answer.iter().all(|v| v.is_finite())
    }

    /// The bandwidth.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }
}

fn symmetrise_lower(m: &mut Mat) {
    (0..m.n_rows()).for_each(|a| (0..a).for_each(|b| m[(b, a)] = m[(a, b)]));
}

/// Replaces `right` by the solution b of `left` b = `right`, of least norm where there are many.
fn slopes(left: &Mat, right: &mut Mat) {
    let d = left.n_rows();
    let well = |c: &Cholesky| {
        let l = c.l();
        (0..d).all(|a| l[(a, a)] * l[(a, a)] > 1e-10 * left[(a, a)])
    };
    if let Some(factor) = Cholesky::new(left).filter(well) {
        factor.solve(right);
        return;
    }
    let Some(eigen) = eigh(left) else {
        right.as_mut_slice().fill(0.0);
        return;
    };
    let top = eigen.values.iter().copied().fold(0.0, f64::max);
    let mut along = matmul(eigen.vectors.view().t(), right.view());
    for (e, value) in eigen.values.iter().enumerate() {
        let inverse = if *value > 1e-12 * top { 1.0 / value } else { 0.0 };
        along.row_mut(e).iter_mut().for_each(|v| *v *= inverse);
    }
    *right = matmul(eigen.vectors.view(), along.view());
}

/// What one thread needs for one answer after the other.
struct Work {
    distances: Vec<f64>,
    kernels: Vec<f64>,
    near: Vec<usize>,
    gap: Vec<f64>,
    mean: Vec<f64>,
    left: Mat,
    right: Mat,
    answer: Vec<f64>,
}

impl Fitted for SmootherModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let dense = input.rows("a local regression")?.dense("a local regression")?;
        let (m, d, t) = (dense.view().n_rows(), self.x.n_cols(), self.y.n_cols());
        let mut out = Mat::zeros(m, t);
        for start in (0..m).step_by(1024) {
            let end = (start + 1024).min(m);
            let answers = out.as_mut_slice()[start * t..end * t].par_chunks_mut(t).enumerate();
            let answer = |(work, point): &mut (Work, Vec<f64>), (i, out): (usize, &mut [f64])| {
                let stretched =
                    |(j, v): (usize, &mut f64)| *v = dense.view().get(start + i, j) * self.stretch[j];
                point.iter_mut().enumerate().for_each(stretched);
                self.rows().distances(point, &mut work.distances);
                self.answer(point, self.bandwidth, None, work);
                out.copy_from_slice(&work.answer);
            };
            session.run(|| answers.for_each_init(|| (self.work(), vec![0.0; d]), answer));
            if session.interrupted().is_some() && end < m {
                return Err(ErrorKind::Cancelled.into());
            }
        }
        schema.prediction((0..t).map(|k| out.col(k)))
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let target = data.need_target("the proof")?;
        if data.n_rows() != self.x.n_rows() {
            return Err(Error::shape("rows to prove on", self.x.n_rows(), data.n_rows()));
        }
        let columns: Vec<&[f64]> =
            (0..self.y.n_cols()).map(|k| target.numbers_of(k)).collect::<Result<_>>()?;
        let truth = Mat::from_fn(data.n_rows(), columns.len(), |i, k| columns[k][i]);
        Ok(vec![(SQUARES.to_owned(), self.left_out_error(&truth, &[self.bandwidth], session)?[0])])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let each: Vec<f64> = self.stretch.iter().map(|s| self.bandwidth / s).collect();
        vec![
            Attribute::real(
                "bandwidth_",
                "The bandwidth, in the units of stretched features.",
                &[],
                vec![self.bandwidth],
            ),
            Attribute::real("bandwidths_", "The bandwidth of each feature.", &[each.len()], each),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (n, d) = (self.x.n_rows(), schema.n_features());
        let finite = |m: &Mat| m.is_consistent() && m.as_slice().iter().all(|v| v.is_finite());
        let weights = self.weights.as_ref().is_none_or(|w| {
            w.len() == n && w.iter().all(|w| w.is_finite() && *w >= 0.0) && w.iter().any(|w| *w > 0.0)
        });
        let ok = finite(&self.x)
            && finite(&self.y)
            && n > 0
            && self.x.n_cols() == d
            && self.stretch.len() == d
            && self.y.n_rows() == n
            && self.y.n_cols() == schema.targets.len()
            && weights
            && self.bandwidth > 0.0;
        if ok { Ok(()) } else { Err("rows, targets and bandwidth do not fit together".to_owned()) }
    }
}
