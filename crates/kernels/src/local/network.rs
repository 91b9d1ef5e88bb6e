//! Networks of radial basis functions, plain and normalised.
//!
//! # Objective
//! $$ f(x) = b + \sum_m w_m \varphi_m(x), \qquad \varphi_m(x) = K(\lVert x - c_m\rVert/\sigma_m) \ \text{ or }\
//!    \frac{K(\lVert x - c_m\rVert/\sigma_m)}{\sum_l K(\lVert x - c_l\rVert/\sigma_l)} $$
//! $$ \min_{w,b} \sum_i (y_i - f(x_i))^2 + \alpha \lVert w\rVert_2^2 $$
//! Classes are learnt as one number each, 1 for the rows of the class and 0 for all others.
//!
//! # Algorithm
//! Centres by k-means, begun by k-means++, or all training rows. One width for all centres, the greatest distance of two centres
//! over $\sqrt{2M}$; or one each, the mean distance to its two nearest others; or a number. Weights by least squares with
//! a ridge, from sums over blocks of rows; or the targets themselves, where all rows are centres: normalised, that is the
//! regression of Nadaraya and Watson. By gradients, the centres and widths of a Gaussian network then move with the weights,
//! by L-BFGS on the same squares, to a local optimum of all. A normalised network needs no intercept, since its functions sum to 1.
//!
//! # Complexity
//! Time O(n M (d + M) + M³) for M centres, memory O(M²); a prediction costs O(M d).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{NetworkCenters, RBFNetworkRegressor};
//! use mercer_math::Mat;
//! let x = Mat::from_fn(40, 1, |i, _| i as f64 / 8.0);
//! let y: Vec<f64> = (0..40).map(|i| (i as f64 / 8.0).sin()).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y.clone()))?;
//! let model = RBFNetworkRegressor::default().n_centers(NetworkCenters::Number(12)).fit(&data)?;
//! let found = model.predict(&x)?;
//! assert!(found.numbers()?.iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-2));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Normalised functions are taken relative to the greatest one, so that they never all underflow. The normal equations square the
//! condition number: the certificate shows the gradient that is left.
//!
//! # References
//! - D. S. Broomhead, D. Lowe. Multivariable functional interpolation and adaptive networks. Complex Systems 2, 1988.
//! - J. Moody, C. J. Darken. Fast learning in networks of locally-tuned processing units. Neural Computation 1(2), 1989. doi:10.1162/neco.1989.1.2.281
//! - L. Xu, A. Krzyżak, A. Yuille. On radial basis function nets and kernel regression. Neural Networks 7(4), 1994. doi:10.1016/0893-6080(94)90040-X

use super::kernel::LocalKernelName;
use super::network_model::RbfNetworkModel;
use mercer_core::{
    Capabilities, Choice, Dataset, Error, Learn, ParamGroup, ParamType, Params, Result, Session, Target,
    TargetValues,
};
use mercer_math::Mat;

/// How many centres there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum NetworkCenters {
    /// Every training row is one.
    All,
    /// So many, by k-means.
    Number(usize),
}

/// How wide the functions about the centres are.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum NetworkWidth {
    /// All alike: the greatest distance of two centres over √(2M).
    Global,
    /// Each by the mean distance to its two nearest others.
    Nearest,
    /// So wide.
    Number(f64),
}

/// Where the weights of the centres come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum NetworkOutput {
    /// Least squares with a ridge.
    LeastSquares,
    /// The targets of the rows, which are all centres.
    Targets,
    /// Least squares, then centres, widths and weights together by L-BFGS on the gradient of the same squares.
    Gradient,
}

/// Centres, widths and weights of a network.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct NetworkParams {
    /// How many centres there are, at most one for each row.
    #[param(default = NetworkCenters::Number(20), range = "[1, inf)", search = "int 5..200")]
    pub n_centers: NetworkCenters,
    /// How wide the functions about the centres are.
    #[param(default = NetworkWidth::Global, range = "(0, inf)")]
    pub width: NetworkWidth,
    /// The function.
    #[param(default = LocalKernelName::Gaussian)]
    pub kernel: LocalKernelName,
    /// Whether the functions are divided by their sum.
    #[param(default = false, search = "among true|false")]
    pub normalized: bool,
    /// Where the weights come from.
    #[param(default = NetworkOutput::LeastSquares)]
    pub output: NetworkOutput,
    /// Strength of the ridge.
    #[param(default = 1e-6, range = "[0, inf)", search = "log 1e-8..1")]
    pub alpha: f64,
    /// Limit of the passes of k-means.
    #[param(default = 30, range = "[1, inf)")]
    pub max_iter: usize,
    /// Limit of the steps by gradients.
    #[param(default = 200, range = "[0, inf)")]
    pub gradient_steps: usize,
}

/// Regression by a network of radial basis functions.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "rbf-network-regressor",
    canon = "K7",
    task = Regression,
    python = "kernel_regression",
    twin = "RBFNetworkClassifier",
    tried = "| normalized=true,width=nearest,alpha=0.001 | output=gradient,n_centers=3,alpha=0.1 | n_centers=all,output=targets,normalized=true,width=0.8",
    session = "random_state",
    can = "multi_output scaled random ordered",
    references = "Moody, Darken. Fast learning in networks of locally-tuned processing units. Neural Computation 1(2), 1989.|Xu, Krzyżak, Yuille. On radial basis function nets and kernel regression. Neural Networks 7(4), 1994."
)]
pub struct RBFNetworkRegressor {
    /// Centres, widths and weights.
    #[param(flatten)]
    pub params: NetworkParams,
}

/// Classification by a network of radial basis functions.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "rbf-network",
    canon = "K7",
    task = Classification,
    python = "kernel_regression",
    twin = "RBFNetworkRegressor",
    tried = "| normalized=true,width=nearest,alpha=0.001 | normalized=true,output=gradient,n_centers=3,alpha=0.1",
    session = "random_state",
    can = "decision scaled random ordered",
    references = "Moody, Darken. Fast learning in networks of locally-tuned processing units. Neural Computation 1(2), 1989."
)]
pub struct RBFNetworkClassifier {
    /// Centres, widths and weights.
    #[param(flatten)]
    pub params: NetworkParams,
}

impl NetworkParams {
    fn check(&self, who: &str) -> Result<()> {
        if self.output == NetworkOutput::Targets && self.n_centers != NetworkCenters::All {
            let given = self.n_centers.to_value();
            return Err(Error::param(who, "n_centers", "all where the targets are the weights", given));
        }
        if self.output == NetworkOutput::Gradient && self.kernel != LocalKernelName::Gaussian {
            let given = self.kernel.to_value();
            return Err(Error::param(who, "kernel", "gaussian where gradients are followed", given));
        }
        Ok(())
    }

    /// Nothing is drawn where every row is a centre.
    fn capabilities(&self, declared: Capabilities) -> Capabilities {
        let drawn = self.n_centers != NetworkCenters::All;
        Capabilities { random: drawn, ordered: drawn, ..declared }
    }
}

/// The targets as numbers, rows × targets: classes as one number each, 1 for rows of the class.
pub(super) fn targets(target: &Target<'_>) -> Result<Mat> {
    if let [column] = target.columns()
        && let (TargetValues::Codes(codes), Some(labels)) = (&column.values, column.kind.labels())
    {
        let mut one_hot = Mat::zeros(codes.len(), labels.len());
        codes.iter().enumerate().for_each(|(i, &c)| one_hot[(i, c as usize)] = 1.0);
        return Ok(one_hot);
    }
    let columns: Vec<&[f64]> =
        (0..target.n_columns()).map(|k| target.numbers_of(k)).collect::<Result<_>>()?;
    Ok(Mat::from_fn(target.n_rows(), columns.len(), |i, k| columns[k][i]))
}

impl Learn for RBFNetworkRegressor {
    type Model = RbfNetworkModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RbfNetworkModel> {
        RbfNetworkModel::learn(Self::NAME, &self.params, data, session)
    }
    fn capabilities(&self) -> Capabilities {
        self.params.capabilities(Self::declaration().capabilities)
    }
    fn check(&self) -> Result<()> {
        self.params.check(Self::NAME)?;
        self.check_params()
    }
}

impl Learn for RBFNetworkClassifier {
    type Model = RbfNetworkModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RbfNetworkModel> {
        RbfNetworkModel::learn(Self::NAME, &self.params, data, session)
    }
    fn capabilities(&self) -> Capabilities {
        self.params.capabilities(Self::declaration().capabilities)
    }
    fn check(&self) -> Result<()> {
        self.params.check(Self::NAME)?;
        self.check_params()
    }
}
