//! Gaussian components: weights, means and covariances of one of four forms, and how sums make them.

use super::kernel::GaussianSums;
use mercer_core::{Choice, Error, Result};
use mercer_math::{Cholesky, Mat, MatRef, matmul};
use serde::{Deserialize, Serialize};

/// What the covariances of the components share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum CovarianceType {
    /// Nothing: each component has a matrix of its own.
    Full,
    /// One matrix for all components.
    Tied,
    /// Each component has a variance for each feature.
    Diag,
    /// Each component has one variance.
    Spherical,
}

impl CovarianceType {
    /// The numbers of one component's covariance (of all components together, where they share it).
    pub(crate) fn size(self, d: usize) -> usize {
        match self {
            CovarianceType::Full | CovarianceType::Tied => d * d,
            CovarianceType::Diag => d,
            CovarianceType::Spherical => 1,
        }
    }

    /// How many covariances there are.
    pub(crate) fn count(self, k: usize) -> usize {
        if self == CovarianceType::Tied { 1 } else { k }
    }

    /// The shape of all covariances, as scikit-learn has it.
    pub(crate) fn shape(self, k: usize, d: usize) -> Vec<usize> {
        match self {
            CovarianceType::Full => vec![k, d, d],
            CovarianceType::Tied => vec![d, d],
            CovarianceType::Diag => vec![k, d],
            CovarianceType::Spherical => vec![k],
        }
    }

    /// Free numbers in all covariances.
    pub(crate) fn n_free(self, k: usize, d: usize) -> usize {
        match self {
            CovarianceType::Full => k * d * (d + 1) / 2,
            CovarianceType::Tied => d * (d + 1) / 2,
            CovarianceType::Diag => k * d,
            CovarianceType::Spherical => k,
        }
    }
}

/// Gaussian components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gaussians {
    /// What the covariances share.
    pub form: CovarianceType,
    /// The share of each component.
    pub weights: Vec<f64>,
    /// The mean of each component, one a row.
    pub means: Mat,
    /// The covariances, one after the other, by rows.
    pub covariances: Vec<f64>,
    /// Near the data: differences are taken from it, so that data far from zero lose no digits.
    pub(crate) origin: Vec<f64>,
    /// Upper triangular P with P Pᵀ the inverse of each covariance (its diagonal for diagonal forms).
    pub factors: Vec<f64>,
}

/// What is added to the weight of a component, so that empty ones divide by no zero.
pub(crate) const TINY: f64 = 10.0 * f64::EPSILON;

impl Gaussians {
    /// Unit covariances about given means.
    pub(crate) fn about(form: CovarianceType, means: &Mat, origin: &[f64]) -> Self {
        let (k, d) = (means.n_rows(), means.n_cols());
        let unit: Vec<f64> = match form {
            CovarianceType::Full | CovarianceType::Tied => Mat::identity(d).into_vec(),
            CovarianceType::Diag => vec![1.0; d],
            CovarianceType::Spherical => vec![1.0],
        };
        let all = unit.repeat(form.count(k));
        let weights = vec![1.0 / k as f64; k];
        let (means, origin) = (means.clone(), origin.to_vec());
        Self { form, weights, means, covariances: all.clone(), origin, factors: all }
    }

    /// Number of components.
    pub fn n_components(&self) -> usize {
        self.means.n_rows()
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.means.n_cols()
    }

    /// The factor of component `c`.
    pub(crate) fn factor(&self, c: usize) -> &[f64] {
        let size = self.form.size(self.n_features());
        let c = if self.form == CovarianceType::Tied { 0 } else { c };
        &self.factors[c * size..(c + 1) * size]
    }

    /// The logarithm of the determinant of component `c`'s factor.
    pub(crate) fn log_det(&self, c: usize) -> f64 {
        let (d, factor) = (self.n_features(), self.factor(c));
        match self.form {
            CovarianceType::Full | CovarianceType::Tied => (0..d).map(|j| factor[j * d + j].ln()).sum(),
            CovarianceType::Diag => factor.iter().map(|p| p.ln()).sum(),
            CovarianceType::Spherical => d as f64 * factor[0].ln(),
        }
    }

    /// The inverse covariances, in the layout of the covariances.
    pub fn precisions(&self) -> Vec<f64> {
        let (d, size) = (self.n_features(), self.form.size(self.n_features()));
        match self.form {
            CovarianceType::Diag | CovarianceType::Spherical => self.factors.iter().map(|p| p * p).collect(),
            CovarianceType::Full | CovarianceType::Tied => {
                let one = |p: &[f64]| {
                    let p = square(p, d);
                    matmul(p, p.t()).into_vec()
                };
                self.factors.chunks_exact(size.max(1)).flat_map(one).collect()
            }
        }
    }

    /// The covariances anew from the factors: L Lᵀ with L the inverse of the transposed factor.
    pub(crate) fn covariances_of_factors(&mut self) {
        let (d, size) = (self.n_features(), self.form.size(self.n_features()));
        self.covariances = match self.form {
            CovarianceType::Diag | CovarianceType::Spherical => {
                self.factors.iter().map(|p| 1.0 / (p * p)).collect()
            }
            CovarianceType::Full | CovarianceType::Tied => {
                let one = |p: &[f64]| {
                    let l = root(p, d);
                    matmul(l.view(), l.view().t()).into_vec()
                };
                self.factors.chunks_exact(size.max(1)).flat_map(one).collect()
            }
        };
    }

    /// The factors anew from the covariances; the error names the first component that has none.
    pub(crate) fn refactor(&mut self, name: &str) -> Result<()> {
        let (d, size) = (self.n_features(), self.form.size(self.n_features()));
        let mut factors = Vec::with_capacity(self.covariances.len());
        for (c, covariance) in self.covariances.chunks_exact(size.max(1)).enumerate() {
            match self.form {
                CovarianceType::Diag | CovarianceType::Spherical => {
                    if !covariance.iter().all(|v| *v > 0.0 && v.is_finite()) {
                        return Err(collapsed(name, c));
                    }
                    factors.extend(covariance.iter().map(|v| 1.0 / v.sqrt()));
                }
                CovarianceType::Full | CovarianceType::Tied => {
                    let matrix = square(covariance, d).to_mat();
                    let factor = Cholesky::new(&matrix).ok_or_else(|| collapsed(name, c))?;
                    let inverse = lower_inverse(&factor.l());
                    let upper = inverse.view().t().to_mat();
                    if upper.view().find_non_finite().is_some() {
                        return Err(collapsed(name, c));
                    }
                    factors.extend_from_slice(upper.as_slice());
                }
            }
        }
        self.factors = factors;
        Ok(())
    }

    /// M-step: weights, means and covariances by sums that were taken under `self`.
    pub(crate) fn maximised(&self, name: &str, sums: &GaussianSums, reg: f64) -> Result<Gaussians> {
        let mut out = self.moved(sums);
        let d = self.n_features();
        match self.form {
            CovarianceType::Full | CovarianceType::Tied => {
                for covariance in out.covariances.chunks_exact_mut(d * d) {
                    (0..d).for_each(|j| covariance[j * d + j] += reg);
                }
            }
            CovarianceType::Diag | CovarianceType::Spherical => {
                out.covariances.iter_mut().for_each(|v| *v += reg);
            }
        }
        out.refactor(name)?;
        Ok(out)
    }

    /// Weights, means and covariances by sums that were taken under `self`; factors are those of before.
    ///
    /// Sums are of whitened rows z = Pᵀ(x − m): with L the inverse of Pᵀ, the mean moves by L times the mean of z,
    /// and the covariance is L cov(z) Lᵀ, to full relative accuracy in every direction.
    pub(crate) fn moved(&self, sums: &GaussianSums) -> Gaussians {
        let (k, d) = (self.n_components(), self.n_features());
        let mut out = self.clone();
        let total: f64 = sums.totals.iter().sum::<f64>() + k as f64 * TINY;
        out.weights = sums.totals.iter().map(|n| (n + TINY) / total).collect();
        match self.form {
            CovarianceType::Full => {
                for c in 0..k {
                    let l = root(self.factor(c), d);
                    let (delta, spread) = sums.centred(c, d);
                    push(&l, &delta, out.means.row_mut(c));
                    let spread = sandwich(&l, &spread);
                    out.covariances[c * d * d..(c + 1) * d * d].copy_from_slice(spread.as_slice());
                }
            }
            CovarianceType::Tied => {
                let l = root(self.factor(0), d);
                let mut spread = square(&sums.seconds, d).to_mat();
                for c in 0..k {
                    let pull = sums.pull(c) + TINY;
                    let place: Vec<f64> = sums.firsts[c * d..(c + 1) * d].iter().map(|f| f / pull).collect();
                    let mean = out.means.row_mut(c);
                    mean.copy_from_slice(&self.origin);
                    push(&l, &place, mean);
                    rank_one(&mut spread, -pull, &place);
                }
                mercer_math::scale(1.0 / total, spread.as_mut_slice());
                out.covariances = sandwich(&l, &spread).into_vec();
            }
            CovarianceType::Diag | CovarianceType::Spherical => {
                let mut variances = vec![0.0; d];
                for c in 0..k {
                    let factor = |j: usize| {
                        if d == self.factor(c).len() { self.factor(c)[j] } else { self.factor(c)[0] }
                    };
                    let (n, pull) = (sums.totals[c] + TINY, sums.pull(c) + TINY);
                    for (j, variance) in variances.iter_mut().enumerate() {
                        let delta = sums.firsts[c * d + j] / pull;
                        let spread = sums.seconds[c * d + j] / n - pull / n * delta * delta;
                        out.means[(c, j)] += delta / factor(j);
                        *variance = spread.max(0.0) / (factor(j) * factor(j));
                    }
                    match self.form {
                        CovarianceType::Spherical => {
                            out.covariances[c] = variances.iter().sum::<f64>() / d as f64;
                        }
                        _ => out.covariances[c * d..(c + 1) * d].copy_from_slice(&variances),
                    }
                }
            }
        }
        out
    }

    /// The largest difference of weights, of means in standard deviations, and of variances relative to themselves.
    pub(crate) fn distance(&self, other: &Gaussians) -> f64 {
        let (k, d, size) = (self.n_components(), self.n_features(), self.form.size(self.n_features()));
        let variance = |c: usize, i: usize, j: usize| match self.form {
            CovarianceType::Full => self.covariances[c * size + i * d + j],
            CovarianceType::Tied => self.covariances[i * d + j],
            CovarianceType::Diag => self.covariances[c * size + i],
            CovarianceType::Spherical => self.covariances[c],
        };
        let mut far = 0.0f64;
        for c in 0..k {
            far = far.max((self.weights[c] - other.weights[c]).abs());
            for j in 0..d {
                let unit = variance(c, j, j).sqrt();
                far = far.max((self.means[(c, j)] - other.means[(c, j)]).abs() / unit * self.weights[c]);
            }
        }
        for (at, (a, b)) in self.covariances.iter().zip(&other.covariances).enumerate() {
            let (c, i, j) = match self.form {
                CovarianceType::Full | CovarianceType::Tied => (at / size, at % size / d, at % d),
                CovarianceType::Diag => (at / size, at % size, at % size),
                CovarianceType::Spherical => (at, 0, 0),
            };
            let unit = (variance(c, i, i) * variance(c, j, j)).sqrt();
            let share = if self.form == CovarianceType::Tied { 1.0 } else { self.weights[c] };
            far = far.max((a - b).abs() / unit * share);
        }
        far
    }

    /// Whether all parts fit together and are numbers.
    pub(crate) fn is_consistent(&self) -> bool {
        let (k, d) = (self.means.n_rows(), self.means.n_cols());
        let numbers = self.form.size(d).checked_mul(self.form.count(k));
        let finite = |v: &[f64]| v.iter().all(|v| v.is_finite());
        self.means.is_consistent()
            && k > 0
            && d > 0
            && self.weights.len() == k
            && self.origin.len() == d
            && finite(&self.origin)
            && Some(self.covariances.len()) == numbers
            && Some(self.factors.len()) == numbers
            && finite(&self.weights)
            && finite(self.means.as_slice())
            && finite(&self.factors)
    }
}

fn collapsed(name: &str, c: usize) -> Error {
    Error::numeric(
        name,
        format!(
            "Fitting the mixture model failed because some components have ill-defined empirical covariance (for \
             instance caused by singleton or collapsed samples). Try to decrease the number of components, increase \
             reg_covar, or scale the input data. The first of them is component {c}."
        ),
    )
}

/// d × d numbers as a matrix.
pub(crate) fn square(values: &[f64], d: usize) -> MatRef<'_> {
    MatRef::row_major(values, d, d).expect("d × d numbers")
}

/// The inverse of a lower triangular matrix.
pub(crate) fn lower_inverse(l: &Mat) -> Mat {
    let d = l.n_rows();
    let mut out = Mat::zeros(d, d);
    for c in 0..d {
        out[(c, c)] = 1.0 / l[(c, c)];
        for i in c + 1..d {
            let sum: f64 = (c..i).map(|j| l[(i, j)] * out[(j, c)]).sum();
            out[(i, c)] = -sum / l[(i, i)];
        }
    }
    out
}

/// L, the inverse of Pᵀ, of an upper triangular P.
pub(crate) fn root(factor: &[f64], d: usize) -> Mat {
    lower_inverse(&square(factor, d).t().to_mat())
}

/// mean += L delta.
fn push(l: &Mat, delta: &[f64], mean: &mut [f64]) {
    for (i, m) in mean.iter_mut().enumerate() {
        *m += l.row(i).iter().zip(delta).map(|(l, v)| l * v).sum::<f64>();
    }
}

/// L S Lᵀ, symmetric to the last bit.
fn sandwich(l: &Mat, s: &Mat) -> Mat {
    let left = matmul(l.view(), s.view());
    let mut out = matmul(left.view(), l.view().t());
    mercer_math::symmetrise(&mut out);
    out
}

/// S += a v vᵀ.
fn rank_one(s: &mut Mat, a: f64, v: &[f64]) {
    for i in 0..v.len() {
        let w = a * v[i];
        s.row_mut(i).iter_mut().zip(v).for_each(|(s, v)| *s += w * v);
    }
}

impl GaussianSums {
    /// The weight by which component `c` draws its mean.
    pub(crate) fn pull(&self, c: usize) -> f64 {
        self.pulls.get(c).copied().unwrap_or(self.totals[c])
    }

    /// The mean and the covariance of the whitened rows of component `c`.
    fn centred(&self, c: usize, d: usize) -> (Vec<f64>, Mat) {
        let (n, pull) = (self.totals[c] + TINY, self.pull(c) + TINY);
        let delta: Vec<f64> = self.firsts[c * d..(c + 1) * d].iter().map(|f| f / pull).collect();
        let mut spread = square(&self.seconds[c * d * d..(c + 1) * d * d], d).to_mat();
        mercer_math::scale(1.0 / n, spread.as_mut_slice());
        rank_one(&mut spread, -pull / n, &delta);
        (delta, spread)
    }
}
