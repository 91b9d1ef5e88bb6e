//! Regression by local straight lines.
//!
//! # Objective
//! $$ \hat f(x) = \hat a, \qquad (\hat a, \hat b) = \arg\min_{a,b} \sum_i s_i K(\lVert x - x_i\rVert/h)\,(y_i - a - b^\top(x_i - x))^2 $$
//! with sample weights $s_i$: a least-squares line, fitted anew about every row that is asked about.
//!
//! # Algorithm
//! Normal equations of $d + 1$ unknowns for each row, solved by Cholesky; where the rows in reach do not determine a line, the one of
//! least slope by eigenvalues. `bandwidth=loo` minimises the squared error for rows that are left out; leaving a row out
//! changes its prediction to $(\hat f(x_i) - S_{ii} y_i)/(1 - S_{ii})$, without a refit.
//!
//! # Complexity
//! Time O(d² n + d³) a row asked about, that times m to choose a bandwidth by m rows, at most 2000 evenly spaced ones. Memory O(d n).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{Bandwidth, LocalLinearRegression};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 3.0, 7.0]))?;
//! let model = LocalLinearRegression::default().bandwidth(Bandwidth::Number(1.0)).fit(&data)?;
//! let new = Mat::from_rows(&[[5.0]]).unwrap();
//! assert!((model.predict(&new)?.numbers()?[0] - 11.0).abs() < 1e-9);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Differences are taken in units of the bandwidth, so that the equations are well scaled; slopes whose eigenvalue is below 1e-12
//! of the greatest are left at zero.
//!
//! # References
//! - W. S. Cleveland. Robust locally weighted regression and smoothing scatterplots. JASA 74, 1979. doi:10.1080/01621459.1979.10481038
//! - J. Fan. Design-adaptive nonparametric regression. JASA 87, 1992. doi:10.1080/01621459.1992.10476255

use super::kernel::{Bandwidth, LocalKernelName};
use super::nadaraya_watson::LocalParams;
use super::nadaraya_watson::ShapeParams;
use super::smoother::SmootherModel;
use mercer_core::{Capabilities, Dataset, Learn, Params, Result, Session};

/// Regression by local straight lines.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "local-linear",
    canon = "K7",
    task = Regression,
    python = "kernel_regression",
    tried = "bandwidth=0.8 | | kernel=epanechnikov,bandwidth=3",
    session = "",
    can = "weights multi_output scaled",
    references = "Cleveland. Robust locally weighted regression and smoothing scatterplots. JASA 74, 1979.|Fan. Design-adaptive nonparametric regression. JASA 87, 1992."
)]
pub struct LocalLinearRegression {
    /// Kernel and bandwidth.
    #[param(flatten)]
    pub params: LocalParams,
}

impl Learn for LocalLinearRegression {
    type Model = SmootherModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SmootherModel> {
        SmootherModel::learn(Self::NAME, &self.params, true, data, session)
    }

    fn capabilities(&self) -> Capabilities {
        self.params.capabilities(Self::declaration().capabilities)
    }
}
