//! Regression by local means (Nadaraya and Watson).
//!
//! # Objective
//! $$ \hat f(x) = \frac{\sum_i s_i K(\lVert x - x_i\rVert/h)\, y_i}{\sum_i s_i K(\lVert x - x_i\rVert/h)}
//!    = \arg\min_c \sum_i s_i K(\lVert x - x_i\rVert/h)\,(y_i - c)^2 $$
//! with sample weights $s_i$. With one bandwidth for each feature, each feature is divided by its own.
//!
//! # Algorithm
//! Kernels are taken relative to the greatest one, so that they never all underflow; where a kernel with an end reaches no row, the
//! nearest row answers. `bandwidth=loo` minimises the squared error for rows that are left out: for a smoother that is
//! linear in $y$ it needs no refit, $y_i - \hat f_{-i}(x_i) = (y_i - \hat f(x_i))/(1 - S_{ii})$, here taken directly as the mean without
//! the row itself.
//!
//! # Complexity
//! Time O(d n) a row asked about, and O(d n m) to choose a bandwidth by m rows, at most 2000 evenly spaced ones. Memory O(d n).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{Bandwidth, NadarayaWatson};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [2.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 3.0]))?;
//! let model = NadarayaWatson::default().bandwidth(Bandwidth::Number(1.0)).fit(&data)?;
//! let middle = Mat::from_rows(&[[1.0]]).unwrap();
//! assert!((model.predict(&middle)?.numbers()?[0] - 2.0).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Logarithms of kernels are compared before any is taken: far from all rows, the nearest ones decide.
//!
//! # References
//! - E. A. Nadaraya. On estimating regression. Theory Probab. Appl. 9(1), 1964. doi:10.1137/1109020
//! - G. S. Watson. Smooth regression analysis. Sankhyā A 26(4), 1964.
//! - W. Härdle, J. S. Marron. Optimal bandwidth selection in nonparametric regression function estimation. Ann. Statist. 13(4), 1985. doi:10.1214/aos/1176349748

use super::kernel::{Bandwidth, LocalKernelName};
use super::smoother::SmootherModel;
use mercer_core::{Capabilities, Dataset, Learn, ParamGroup, Params, Result, Session};

/// Kernel and bandwidth of a local regression.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct LocalParams {
    /// The bandwidth: a number, one for each feature, the rule of Scott or Silverman, or the best for rows that are left out.
    #[param(default = Bandwidth::Loo, range = "(0, inf)", search = "log 0.01..10")]
    pub bandwidth: Bandwidth,
    /// The kernel.
    #[param(flatten)]
    pub shape: ShapeParams,
}

/// The kernel of a local learner.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ShapeParams {
    /// The kernel.
    #[param(default = LocalKernelName::Gaussian)]
    pub kernel: LocalKernelName,
}

/// Regression by local means (Nadaraya and Watson).
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "nadaraya-watson",
    canon = "K7",
    task = Regression,
    python = "kernel_regression",
    tried = "bandwidth=0.8 | | kernel=epanechnikov,bandwidth=scott",
    session = "",
    can = "weights multi_output scaled",
    references = "Nadaraya. On estimating regression. Theory Probab. Appl. 9(1), 1964.|Watson. Smooth regression analysis. Sankhyā A 26(4), 1964."
)]
pub struct NadarayaWatson {
    /// Kernel and bandwidth.
    #[param(flatten)]
    pub params: LocalParams,
}

impl Learn for NadarayaWatson {
    type Model = SmootherModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SmootherModel> {
        SmootherModel::learn(Self::NAME, &self.params, false, data, session)
    }

    fn capabilities(&self) -> Capabilities {
        self.params.capabilities(Self::declaration().capabilities)
    }
}

impl LocalParams {
    /// A bandwidth that is chosen by rows counts them.
    pub(crate) fn capabilities(&self, declared: Capabilities) -> Capabilities {
        Capabilities { counts_rows: self.bandwidth.counts_rows(), ..declared }
    }
}
