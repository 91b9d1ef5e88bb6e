//! Ridge regression for every penalty at once: one decomposition of the rows, from which coefficients, leave-one-out
//! residuals, bias, variance and the constrained form follow.

use super::Ridge;
use crate::centred::Centred;
use mercer_core::{Dataset, Error, Fit, NumbersRef, Params, Result};
use mercer_math::{Mat, dot, eigh, gram_blocked, matmul, matmul_parallel, symmetrise};

/// Rows S^½(X − 1x̄ᵀ) = UΣVᵀ in the unit of the longest column, by the eigenvectors of XᵀX or, where there are fewer rows
/// than columns, of XXᵀ.
pub(crate) struct Spectrum<'a> {
    pub(crate) centred: Centred<'a>,
    /// What the columns are divided by.
    unit: f64,
    /// σ², none negative.
    values: Vec<f64>,
    /// V, or U for the dual.
    basis: Mat,
    /// Vᵀ Xᵀ y, or Uᵀ y for the dual, directions × targets.
    along: Mat,
    /// X V, or U for the dual: rows × directions.
    rows: Mat,
    dual: bool,
}

impl<'a> Spectrum<'a> {
    pub(crate) fn of(who: &str, data: &Dataset<'a>, fit_intercept: bool) -> Result<Self> {
        let centred = Centred::new(fit_intercept, data)?;
        let largest = centred.norms().into_iter().fold(0.0, f64::max);
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let (n, d) = (centred.x.view().n_rows(), centred.x.view().n_cols());
        // About their means n rows span n − 1 directions at most, of which the primal would see rounding for the others.
        let dual = if fit_intercept { n <= d } else { n < d };
        let y = Mat::from_fn(n, centred.y.len(), |i, k| centred.weight(i).sqrt() * centred.y[k][i]);
        let too_large = || Error::numeric(who, "values too large: scale the features or the target");
        let (gram, own) = match (centred.x.view(), dual) {
            (NumbersRef::Sparse(_), true) => (sparse_products(&centred, unit), None),
            (view, _) => {
                let own = scaled_rows(&centred, view, unit);
                let gram =
                    if dual { matmul_parallel(own.view(), own.view().t()) } else { gram_blocked(own.view()) };
                (gram, Some(own))
            }
        };
        let mut gram = gram;
        symmetrise(&mut gram);
        if dual && fit_intercept {
            // The direction of the mean is one of no length; made the longest, it is told from the others and left out.
            let (trace, total) = ((0..n).map(|i| gram[(i, i)]).sum::<f64>(), centred.total);
            let length = 2.0 * trace + 1.0;
            for i in 0..n {
                let own = length * (centred.weight(i) / total).sqrt();
                (0..n).for_each(|j| gram[(i, j)] += own * (centred.weight(j) / total).sqrt());
            }
        }
        let mut eigen = eigh(&gram).ok_or_else(too_large)?;
        if dual && fit_intercept {
            eigen.values.remove(0);
            eigen.vectors = Mat::from_fn(n, n - 1, |i, j| eigen.vectors[(i, j + 1)]);
        }
        let rows = match (&own, dual) {
            (Some(own), false) => matmul_parallel(own.view(), eigen.vectors.view()),
            _ => eigen.vectors.clone(),
        };
        let along = matmul(rows.view().t(), y.view());
        let values = eigen.values.iter().map(|v| v.max(0.0)).collect();
        Ok(Self { centred, unit, values, basis: eigen.vectors, along, rows, dual })
    }

    /// A penalty in the units of the decomposition.
    fn alpha(&self, alpha: f64) -> f64 {
        alpha / self.unit / self.unit
    }

    /// Coefficients, features × targets, with a penalty for each target.
    pub(crate) fn coef(&self, alphas: &[f64]) -> Mat {
        let mut scaled = self.along.clone();
        for (j, value) in self.values.iter().enumerate() {
            let row = scaled.row_mut(j).iter_mut();
            row.zip(alphas).for_each(|(v, a)| *v *= inverse(value + self.alpha(*a)));
        }
        let mut w = matmul(self.basis.view(), scaled.view());
        if self.dual {
            let columns: Vec<Vec<f64>> = (0..w.n_cols())
                .map(|k| {
                    let roots = |i: usize| {
                        if self.centred.weight(i) > 0.0 { self.centred.weight(i).sqrt() } else { 0.0 }
                    };
                    let u: Vec<f64> = (0..w.n_rows())
                        .map(|i| if roots(i) > 0.0 { w[(i, k)] / roots(i) } else { 0.0 })
                        .collect();
                    self.centred.transposed(&u)
                })
                .collect();
            let d = self.centred.mean_x.len();
            w = Mat::from_fn(d, columns.len(), |j, k| columns[k][j] / self.unit);
        }
        w.as_mut_slice().iter_mut().for_each(|v| *v /= self.unit);
        w
    }

    /// y_i − ŷ_(−i) of each row, all of positive weight, and target, where row i is left out whole: (y_i − ŷ_i) / (1 − h_i), with
    /// h_i = s_i (1/Σs + x_iᵀ(XᵀSX + αI)⁻¹x_i).
    pub(crate) fn left_out(&self, alpha: f64, fit_intercept: bool) -> Mat {
        let alpha = self.alpha(alpha);
        // The dual counts what is left, α/(σ² + α), where 1 − h would cancel; the primal what is taken, 1/(σ² + α).
        let top = if self.dual { alpha } else { 1.0 };
        let shrink: Vec<f64> = self.values.iter().map(|v| top * inverse(v + alpha)).collect();
        let scaled = Mat::from_fn(shrink.len(), self.along.n_cols(), |j, k| shrink[j] * self.along[(j, k)]);
        let mut out = matmul_parallel(self.rows.view(), scaled.view());
        for i in 0..out.n_rows() {
            let s = self.centred.weight(i);
            let own = self.rows.row(i).iter().zip(&shrink).map(|(z, f)| z * z * f).sum::<f64>();
            let by_mean = if fit_intercept { s / self.centred.total } else { 0.0 };
            let left = if self.dual { own } else { 1.0 - own - by_mean };
            for (k, y) in self.centred.y.iter().enumerate() {
                let fitted = out[(i, k)] / s.sqrt();
                out[(i, k)] = if self.dual { fitted } else { y[i] - fitted } / left;
            }
        }
        out
    }
}

/// 1 / v, or 0 where there is no direction.
fn inverse(v: f64) -> f64 {
    if v > 0.0 { 1.0 / v } else { 0.0 }
}

/// S^½ (X − 1x̄ᵀ) / unit.
fn scaled_rows(centred: &Centred<'_>, x: NumbersRef<'_>, unit: f64) -> Mat {
    let mut rows = match x {
        NumbersRef::Dense(x) => x.to_mat(),
        NumbersRef::Sparse(x) => x.to_dense(),
    };
    for i in 0..rows.n_rows() {
        let root = centred.weight(i).sqrt();
        rows.row_mut(i).iter_mut().zip(&centred.mean_x).for_each(|(v, m)| *v = root * ((*v - m) / unit));
    }
    rows
}

/// XXᵀ of sparse rows about their means, without making them dense.
fn sparse_products(centred: &Centred<'_>, unit: f64) -> Mat {
    let (x, n) = (centred.x.view(), centred.x.view().n_rows());
    let mut out = Mat::zeros(n, n);
    let mut row = vec![0.0; centred.mean_x.len()];
    let NumbersRef::Sparse(csr) = x else { return out };
    for i in 0..n {
        row.iter_mut().zip(&centred.mean_x).for_each(|(v, m)| *v = -m);
        let (at, values) = csr.row(i);
        at.iter().zip(values).for_each(|(&j, v)| row[j as usize] += v);
        row.iter_mut().for_each(|v| *v /= unit);
        let shift = dot(&row, &centred.mean_x) / unit;
        for j in 0..=i {
            let root = (centred.weight(i) * centred.weight(j)).sqrt();
            out[(i, j)] = root * (x.dot_row(j, &row) / unit - shift);
            out[(j, i)] = out[(i, j)];
        }
    }
    out
}

/// The coefficients of ridge regression for several penalties.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgePath {
    /// The penalties.
    pub alphas: Vec<f64>,
    /// For each penalty, targets × features.
    pub coefs: Vec<Mat>,
    /// For each penalty, an intercept for each target.
    pub intercepts: Vec<Vec<f64>>,
}

impl Ridge {
    /// Coefficients for every penalty, from one decomposition.
    pub fn path(&self, data: &Dataset<'_>, alphas: &[f64]) -> Result<RidgePath> {
        if let Some(bad) = alphas.iter().find(|a| !(**a >= 0.0 && a.is_finite())) {
            return Err(Error::param(Self::NAME, "alphas", "in [0, inf)", bad));
        }
        let spectrum = self.spectrum(data)?;
        let centred = &spectrum.centred;
        let mut out = RidgePath { alphas: alphas.to_vec(), coefs: Vec::new(), intercepts: Vec::new() };
        for alpha in alphas {
            let coef = spectrum.coef(&vec![*alpha; centred.y.len()]).view().t().to_mat();
            let intercept = |k: usize| centred.mean_y[k] - dot(&centred.mean_x, coef.row(k));
            out.intercepts.push((0..coef.n_rows()).map(intercept).collect());
            out.coefs.push(coef);
        }
        Ok(out)
    }

    fn spectrum<'a>(&self, data: &Dataset<'a>) -> Result<Spectrum<'a>> {
        if self.params.positive {
            return Err(Error::param(Self::NAME, "positive", "false for a path", true));
        }
        Spectrum::of(Self::NAME, &self.checked(data)?, self.params.intercept.fit_intercept)
    }

    /// E[ŵ] − w of data with true coefficients w: −α (XᵀSX + αI)⁻¹ w, with X about its means where there is an intercept.
    pub fn bias(&self, data: &Dataset<'_>, truth: &[f64]) -> Result<Vec<f64>> {
        let (vectors, values) = self.directions(data, truth.len())?;
        let alpha = self.params.alphas.only("bias")?;
        let along = mercer_math::gemv_t(vectors.view(), truth);
        let shrunk: Vec<f64> =
            along.iter().zip(values).map(|(a, v)| -alpha * inverse(v + alpha) * a).collect();
        Ok(mercer_math::gemv(vectors.view(), &shrunk))
    }

    /// The covariance σ² (XᵀSX + αI)⁻¹ XᵀSX (XᵀSX + αI)⁻¹ of the coefficients under noise of variance σ².
    pub fn variance(&self, data: &Dataset<'_>, noise_variance: f64) -> Result<Mat> {
        let (vectors, values) = self.directions(data, data.n_features())?;
        let alpha = self.params.alphas.only("variance")?;
        let factor: Vec<f64> =
            values.iter().map(|v| noise_variance * v * inverse(v + alpha).powi(2)).collect();
        let scaled = Mat::from_fn(values.len(), values.len(), |i, j| vectors[(i, j)] * factor[j]);
        Ok(matmul(scaled.view(), vectors.view().t()))
    }

    /// Eigenvectors and eigenvalues of XᵀSX.
    fn directions(&self, data: &Dataset<'_>, expected: usize) -> Result<(Mat, Vec<f64>)> {
        let centred = Centred::new(self.params.intercept.fit_intercept, &self.checked(data)?)?;
        let rows = scaled_rows(&centred, centred.x.view(), 1.0);
        if rows.n_cols() != expected {
            return Err(Error::shape("true coefficients", rows.n_cols(), expected));
        }
        let mut gram = gram_blocked(rows.view());
        symmetrise(&mut gram);
        let eigen =
            eigh(&gram).ok_or_else(|| Error::numeric(Self::NAME, "values too large: scale the features"))?;
        Ok((eigen.vectors, eigen.values.into_iter().map(|v| v.max(0.0)).collect()))
    }

    /// The penalty α of the constrained form min ½‖y − Xw − b‖² s.t. ‖w‖ ≤ t: 0 where least squares is that short, else
    /// the α at which ‖w(α)‖ = t, to the last digits; a single target.
    pub fn penalty_of_radius(&self, data: &Dataset<'_>, radius: f64) -> Result<f64> {
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Error::param(Self::NAME, "radius", "in (0, inf)", radius));
        }
        let spectrum = self.spectrum(data)?;
        if spectrum.centred.y.len() != 1 {
            return Err(Error::shape("targets of a constrained form", 1, spectrum.centred.y.len()));
        }
        let length = |alpha: f64| {
            let w = spectrum.coef(&[alpha]);
            dot(w.as_slice(), w.as_slice()).sqrt()
        };
        if length(0.0) <= radius {
            return Ok(0.0);
        }
        let mut high = spectrum.unit * spectrum.unit;
        while length(high) > radius {
            high *= 4.0;
        }
        let mut low = 0.0;
        for _ in 0..2000 {
            let middle = if low > 0.0 && high / low > 4.0 { (low * high).sqrt() } else { 0.5 * (low + high) };
            if middle <= low || middle >= high {
                break;
            }
            if length(middle) > radius { low = middle } else { high = middle }
        }
        Ok(high)
    }
}
