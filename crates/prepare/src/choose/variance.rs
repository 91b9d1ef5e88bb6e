//! Selection by variance: features that hardly change are left out.
//!
//! # Objective
//! Keeps the features with $\mathrm{Var}(x_j) > t$; with $t = 0$, those with more than one value.
//!
//! # Algorithm
//! Two passes over each column; missing values are left out of its variance.
//!
//! # Complexity
//! O(n d), or O(nnz) for sparse rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::VarianceThreshold;
//! let x = Mat::from_rows(&[[0.1, 1.0], [0.1, 2.0]]).unwrap();
//! let model = VarianceThreshold::default().fit(&Dataset::new(&x))?;
//! assert_eq!(model.kept(), [1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Deviations are from the first value, so that a constant column has a variance of exactly zero.
//!
//! # References
//! - F. Pedregosa et al. Scikit-learn: Machine learning in Python. JMLR 12, 2011.

use super::selection::{ColumnsOf, Facts, SelectionModel};
use mercer_core::{Certificate, Dataset, Error, Learn, Params, Result, Session, Termination};
use mercer_math::Weights;
use rayon::prelude::*;

/// Selection by variance: leaves out features that hardly change.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "variance-threshold",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "SelectorMixin",
    can = "transform inverse weights sparse missing",
    references = "Pedregosa et al. Scikit-learn. JMLR 12, 2011."
)]
pub struct VarianceThreshold {
    /// Features with no more variance than this are left out.
    #[param(default = 0.0, range = "[0, inf)")]
    pub threshold: f64,
}

impl Learn for VarianceThreshold {
    type Model = SelectionModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<SelectionModel> {
        let numbers = data.numbers(Self::NAME)?;
        let (columns, weights) = (ColumnsOf::new(numbers.view()), data.weights());
        let n = data.n_rows();
        let of = |j: usize| variance(&columns, j, n, weights.as_deref());
        let variances: Vec<f64> = (0..columns.n_cols()).into_par_iter().map(of).collect();
        let support: Vec<bool> = variances.iter().map(|v| *v > self.threshold).collect();
        if !support.contains(&true) && n < 2 {
            return Err(Error::too_few(Self::NAME, "rows", 2, n));
        }
        if !support.contains(&true) {
            return Err(Error::too_few(Self::NAME, "features whose variance exceeds the threshold", 1, 0));
        }
        let certificate = Certificate::without_evidence(Termination::Exact, "a closed form of each column");
        let facts = Facts { variances: Some(variances), ..Facts::default() };
        Ok(SelectionModel::new(&support, facts, certificate))
    }
}

/// The variance of the present values of a column; NaN where there is none.
fn variance(columns: &ColumnsOf<'_>, j: usize, n: usize, weights: Option<&[f64]>) -> f64 {
    let weight = Weights::from(weights);
    let all: f64 = weight.iter(n).sum();
    let (mut origin, mut stored, mut present, mut sum) = (None, 0.0, 0.0, 0.0);
    columns.each(j, |i, v| {
        stored += weight[i];
        if !v.is_nan() && weight.counts(i) {
            let o = *origin.get_or_insert(v);
            present += weight[i];
            sum += weight[i] * (v - o);
        }
    });
    // The zeros that a sparse column does not store.
    let zeros = if stored < all * (1.0 - 1e-12) { all - stored } else { 0.0 };
    let origin = origin.unwrap_or(0.0);
    let total = present + zeros;
    let mean = (sum - zeros * origin) / total;
    let mut squares = zeros * (origin + mean).powi(2);
    columns.each(j, |i, v| {
        if !v.is_nan() && weight.counts(i) {
            squares += weight[i] * (v - origin - mean).powi(2);
        }
    });
    squares / total
}
