//! What Gaussian classes are made of: the weight, the mean and the scatter of each class.

use crate::discriminant::shrinkage::{GaussianClassParams, Shrinkage, shrunk};
use mercer_core::{Dataset, Error, Evidence, Result};
use mercer_math::{Mat, MatRef, Weights, symmetrise, tree_reduce, weighted_gram};
use rayon::prelude::*;

/// Rows of a block that one thread sums up.
const BLOCK: usize = 2048;

/// The rows of each class, and their moments.
pub(crate) struct ClassMoments {
    /// The rows of each class, those without weight left out.
    pub(crate) rows: Vec<Mat>,
    row_weights: Vec<Option<Vec<f64>>>,
    /// Their weights.
    pub(crate) weights: Vec<f64>,
    /// Their means, classes × features; zero for a class without rows.
    pub(crate) means: Mat,
    /// The share of each class: as given, or as counted.
    pub(crate) priors: Vec<f64>,
    /// The covariances of the classes, and maybe of all rows, where they were given.
    given: Vec<Mat>,
}

impl ClassMoments {
    /// Sorts the rows by class. Priors and covariances that are given are checked, one for each class.
    pub(crate) fn new(who: &str, data: &Dataset<'_>, params: Option<&GaussianClassParams>) -> Result<Self> {
        let target = data.need_target(who)?;
        let (codes, labels) = target.class()?;
        let matrix = data.dense(who)?;
        let x = matrix.view();
        let (k, given) = (labels.len(), data.weights());
        let w = Weights::of(&given);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); k];
        (0..codes.len()).filter(|&i| w[i] > 0.0).for_each(|i| members[codes[i] as usize].push(i));
        let present = members.iter().filter(|m| !m.is_empty()).count();
        if present < 2 {
            return Err(Error::too_few(who, "classes with rows", 2, present));
        }
        let rows: Vec<Mat> = members.par_iter().map(|m| x.gather(m)).collect();
        let uniform = w.is_uniform();
        let row_weights = members.iter().map(|m| (!uniform).then(|| m.iter().map(|&i| w[i]).collect()));
        let row_weights: Vec<Option<Vec<f64>>> = row_weights.collect();
        let weights: Vec<f64> =
            rows.iter().zip(&row_weights).map(|(r, w)| Weights::of(w).total(r.n_rows())).collect();
        let mut means = Mat::zeros(k, x.n_cols());
        for c in (0..k).filter(|&c| weights[c] > 0.0) {
            let mean = mean_of(rows[c].view(), row_weights[c].as_deref(), weights[c]);
            means.row_mut(c).copy_from_slice(&mean);
        }
        let priors = checked_priors(who, params.and_then(|p| p.priors.as_deref()), &weights)?;
        let given = match params.and_then(|p| p.covariances.as_deref()) {
            Some(given) => checked_covariances(who, given, k, x.n_cols())?,
            None => Vec::new(),
        };
        Ok(Self { rows, row_weights, weights, means, priors, given })
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.weights.len()
    }

    pub(crate) fn n_features(&self) -> usize {
        self.means.n_cols()
    }

    /// The weight of all rows.
    pub(crate) fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The classes that have rows.
    pub(crate) fn present(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.n_classes()).filter(|&c| self.weights[c] > 0.0)
    }

    /// The mean of all classes by their priors.
    pub(crate) fn centre(&self) -> Vec<f64> {
        mercer_math::gemv_t(self.means.view(), &self.priors)
    }

    /// Σ w (x − μ)(x − μ)ᵀ of one class.
    pub(crate) fn scatter(&self, c: usize) -> Mat {
        scatter(self.rows[c].view(), self.row_weights[c].as_deref(), self.means.row(c))
    }

    /// The sum of the scatters of all classes.
    pub(crate) fn within(&self) -> Mat {
        let mut all = Mat::zeros(self.n_features(), self.n_features());
        self.present().for_each(|c| mercer_math::axpy(1.0, self.scatter(c).as_slice(), all.as_mut_slice()));
        all
    }

    /// The covariance of a class: as given, or that of its rows, drawn towards a multiple of the identity.
    pub(crate) fn covariance(&self, c: usize, shrinkage: Option<Shrinkage>) -> Mat {
        self.drawn(c, self.in_units(shrinkage).as_ref())
    }

    /// How far to draw, and the units of the columns, which only that asks for.
    fn in_units(&self, shrinkage: Option<Shrinkage>) -> Option<(Shrinkage, Vec<f64>)> {
        shrinkage.map(|s| (s, self.units()))
    }

    fn drawn(&self, c: usize, shrinkage: Option<&(Shrinkage, Vec<f64>)>) -> Mat {
        if let Some(given) = self.given.get(c) {
            return given.clone();
        }
        let (w, mean) = (self.row_weights[c].as_deref(), self.means.row(c));
        let shrinkage = shrinkage.map(|(s, units)| (*s, &units[..]));
        shrunk(self.rows[c].view(), w, mean, self.scatter(c), shrinkage)
    }

    /// The standard deviation of each column over all rows; 0 where it is rounding about the mean.
    pub(crate) fn units(&self) -> Vec<f64> {
        let mut centre = vec![0.0; self.n_features()];
        self.present()
            .for_each(|c| mercer_math::axpy(self.weights[c] / self.total(), self.means.row(c), &mut centre));
        let mut squares = vec![0.0; centre.len()];
        for c in self.present() {
            let w = Weights::of(&self.row_weights[c]);
            for i in 0..self.rows[c].n_rows() {
                let row = self.rows[c].row(i).iter().zip(&centre);
                squares.iter_mut().zip(row).for_each(|(s, (v, m))| *s += w[i] * (v - m) * (v - m));
            }
        }
        let deviation =
            |(s, m): (&f64, &f64)| Some((s / self.total()).sqrt()).filter(|u| *u > 1e-12 * m.abs());
        squares.iter().zip(&centre).map(|one| deviation(one).unwrap_or(0.0)).collect()
    }

    /// The mean of the classes' covariances by their priors.
    pub(crate) fn mean_covariance(&self, shrinkage: Option<Shrinkage>) -> Mat {
        let mut all = Mat::zeros(self.n_features(), self.n_features());
        let shrinkage = self.in_units(shrinkage);
        for c in self.present() {
            let one = self.drawn(c, shrinkage.as_ref());
            mercer_math::axpy(self.priors[c], one.as_slice(), all.as_mut_slice());
        }
        all
    }

    /// The covariance of all rows, whatever their class.
    pub(crate) fn total_covariance(&self, shrinkage: Option<Shrinkage>) -> Mat {
        if let Some(given) = self.given.get(self.n_classes()) {
            return given.clone();
        }
        let (n, d) = (self.rows.iter().map(Mat::n_rows).sum(), self.n_features());
        let mut x = Vec::with_capacity(n * d);
        self.rows.iter().for_each(|r| x.extend_from_slice(r.as_slice()));
        let w: Option<Vec<f64>> =
            self.row_weights.iter().cloned().collect::<Option<Vec<_>>>().map(|w| w.concat());
        let x = Mat::from_vec(x, n, d).unwrap_or_else(|| Mat::zeros(0, d));
        let mean = mean_of(x.view(), w.as_deref(), self.total());
        let scatter = scatter(x.view(), w.as_deref(), &mean);
        let shrinkage = self.in_units(shrinkage);
        let shrinkage = shrinkage.as_ref().map(|(s, units)| (*s, &units[..]));
        shrunk(x.view(), w.as_deref(), &mean, scatter, shrinkage)
    }
}

/// The mean of rows, twice over so that values far from zero lose no digits.
fn mean_of(x: MatRef<'_>, w: Option<&[f64]>, total: f64) -> Vec<f64> {
    let w = Weights::from(w);
    let mut mean = vec![0.0; x.n_cols()];
    for _ in 0..2 {
        let sums = tree_reduce(
            x.n_rows().div_ceil(BLOCK),
            |b| {
                let mut sums = vec![0.0; x.n_cols()];
                for i in b * BLOCK..((b + 1) * BLOCK).min(x.n_rows()) {
                    let row = x.row_cow(i);
                    sums.iter_mut().zip(&*row).zip(&mean).for_each(|((s, v), m)| *s += w[i] * (v - m));
                }
                sums
            },
            |mut a, b| {
                mercer_math::axpy(1.0, &b, &mut a);
                a
            },
        );
        sums.iter().flatten().zip(&mut mean).for_each(|(s, m)| *m += s / total);
    }
    mean
}

fn scatter(x: MatRef<'_>, w: Option<&[f64]>, mean: &[f64]) -> Mat {
    let d = x.n_cols();
    let leaf = |b: usize| {
        let range = b * BLOCK..((b + 1) * BLOCK).min(x.n_rows());
        let mut acc = Mat::zeros(d, d);
        weighted_gram(x.rows(range.clone()), w.map(|w| &w[range]), Some(mean), &mut acc);
        acc
    };
    let merge = |mut a: Mat, b: Mat| {
        mercer_math::axpy(1.0, b.as_slice(), a.as_mut_slice());
        a
    };
    let mut all = tree_reduce(x.n_rows().div_ceil(BLOCK), leaf, merge).unwrap_or_else(|| Mat::zeros(d, d));
    symmetrise(&mut all);
    all
}

/// Covariances as given, of `k` classes and maybe of all rows: symmetric, finite.
fn checked_covariances(who: &str, given: &[f64], k: usize, d: usize) -> Result<Vec<Mat>> {
    let size = d * d;
    if given.len() != k * size && given.len() != (k + 1) * size {
        let expected = format!("{size} numbers for each of {k} classes, or for these and all rows");
        return Err(Error::param(who, "covariances", expected, given.len()));
    }
    if !given.iter().all(|v| v.is_finite()) {
        return Err(Error::param(who, "covariances", "finite numbers", "others"));
    }
    let one = |part: &[f64]| {
        let mut made = Mat::from_fn(d, d, |i, j| part[i * d + j]);
        let largest = (0..d).fold(0.0f64, |a, j| a.max(made[(j, j)].abs()));
        let even = (0..d).all(|i| (0..i).all(|j| (made[(i, j)] - made[(j, i)]).abs() <= 1e-8 * largest));
        symmetrise(&mut made);
        if even { Ok(made) } else { Err(Error::param(who, "covariances", "symmetric", "others")) }
    };
    given.chunks_exact(size.max(1)).map(one).collect()
}

/// Priors as given, summing to one, or the share of each class.
fn checked_priors(who: &str, given: Option<&[f64]>, weights: &[f64]) -> Result<Vec<f64>> {
    let total: f64 = weights.iter().sum();
    let Some(given) = given else { return Ok(weights.iter().map(|w| w / total).collect()) };
    if given.len() != weights.len() {
        return Err(Error::param(
            who,
            "priors",
            format!("one for each of {} classes", weights.len()),
            given.len(),
        ));
    }
    if let Some(bad) = given.iter().find(|p| p.is_nan() || **p < 0.0) {
        return Err(Error::param(who, "priors", "non-negative", *bad));
    }
    let sum: f64 = given.iter().sum();
    match sum > 0.0 && sum.is_finite() {
        true => Ok(given.iter().map(|p| p / sum).collect()),
        false => Err(Error::param(who, "priors", "with a positive sum", sum)),
    }
}

/// The name of the evidence.
pub(crate) const LOSS: &str = "training log loss";

/// The mean of −ln p of the true classes.
pub(crate) fn log_loss(who: &str, data: &Dataset<'_>, p: &Mat) -> Result<f64> {
    let target = data.need_target(who)?;
    let (codes, _) = target.class()?;
    let weights = data.weights();
    let w = Weights::of(&weights);
    let one = |i: usize| {
        if w[i] > 0.0 { -w[i] * p[(i, codes[i] as usize)].max(f64::MIN_POSITIVE).ln() } else { 0.0 }
    };
    let losses: Vec<f64> = (0..codes.len()).map(one).collect();
    Ok(mercer_math::pairwise_sum(&losses) / w.total(codes.len()))
}

/// The evidence of Gaussian classes: their loss on the training rows, on the scale of that of the shares of classes alone.
pub(crate) fn evidence(loss: f64, weights: &[f64]) -> Evidence {
    let total: f64 = weights.iter().sum();
    let entropy: f64 = weights.iter().filter(|w| **w > 0.0).map(|w| -w / total * (w / total).ln()).sum();
    Evidence::value(LOSS, loss, "mean of −ln p of the true classes on the training rows").on_scale(entropy)
}
