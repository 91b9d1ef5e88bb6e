//! Kernel ridge regression: least squares in the feature space of a kernel, with an L2 penalty.
//!
//! # Objective
//! $$ \min_{f \in \mathcal H}\ \sum_i s_i (y_i - f(x_i))^2 + \alpha \lVert f\rVert_{\mathcal H}^2, \qquad f(x) = \sum_i c_i\,k(x, x_i) $$
//! with sample weights $s_i$; by the representer theorem the minimum has this form. There is no intercept, as in scikit-learn: centre
//! the target, or add a constant to the kernel.
//!
//! # Algorithm
//! Cholesky of $K + \alpha S^{-1}$, symmetrised as $S^{1/2} K S^{1/2} + \alpha I$. Where that is singular, the solution of least norm
//! from its eigenvalues. Leave-one-out predictions in closed form: $y_i - c_i / [(K + \alpha S^{-1})^{-1}]_{ii}$.
//!
//! # Complexity
//! Time O(n² d + n³), memory O(n²); O(n d) a prediction.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{Kernel, KernelRidge};
//! use mercer_math::Mat;
//! let x = Mat::from_fn(20, 1, |i, _| i as f64 * 0.3);
//! let y: Vec<f64> = (0..20).map(|i| (i as f64 * 0.3).sin()).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let model = KernelRidge::default().alpha(1e-6).kernel(Kernel::rbf(1.0).into()).fit(&data)?;
//! let new = Mat::from_rows(&[[1.0]]).unwrap();
//! assert!((model.predict(&new)?.numbers()?[0] - 1f64.sin()).abs() < 1e-3);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The certificate shows the residual of the equations that were solved. A small $\alpha$ beside a smooth kernel leaves them badly
//! conditioned: the coefficients then lose digits that predictions keep.
//!
//! # References
//! - C. Saunders, A. Gammerman, V. Vovk. Ridge regression learning algorithm in dual variables. ICML 1998.
//! - T. Hastie, R. Tibshirani, J. Friedman. The Elements of Statistical Learning, section 5.8. doi:10.1007/978-0-387-84858-7

use crate::kernel::{Held, Kernel, KernelSpec, PairwiseParams, Points, PointsRef};
use mercer_core::{
    Attribute, Certificate, Dataset, Error, ErrorKind, Evidence, Fitted, Input, Kinds, Learn, ParamKind,
    ParamType, Params, Prediction, Result, Schema, Session, Termination, Value,
};
use mercer_math::{BlockCholesky, Cholesky, Mat, NoFactor, Weights, eigh, matmul_parallel};
use serde::{Deserialize, Serialize};

/// One penalty for all targets, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetPenalties(pub Vec<f64>);

impl ParamType for TargetPenalties {
    fn kind() -> ParamKind {
        ParamKind::Real
    }

    fn to_value(&self) -> Value {
        if let [one] = self.0.as_slice() { one.to_value() } else { self.0.to_value() }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match f64::from_value(value) {
            Ok(one) => Ok(Self(vec![one])),
            Err(_) => Vec::from_value(value)
                .map(Self)
                .map_err(|_| "a number, or a list with one for each target".to_owned()),
        }
    }

    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        self.0.iter().for_each(|v| visit(*v));
    }
}

/// Kernel ridge regression: least squares in the feature space of a kernel.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kernel-ridge",
    canon = "K6",
    rows = 10_000,
    task = Regression,
    python = "kernel_ridge",
    order = "alpha kernel gamma degree coef0",
    tried = "kernel=rbf(gamma=0.5) | alpha=0.5 | kernel=polynomial,degree=2 | kernel=weisfeiler_lehman(rounds=2)",
    best = "kernel=rbf,alpha=0.1",
    door = "kernel_params=None",
    mixins = "KernelMixin",
    can = "weights sparse multi_output scaled",
    references = "Saunders, Gammerman, Vovk. Ridge regression learning algorithm in dual variables. ICML 1998."
)]
pub struct KernelRidge {
    /// Strength of the L2 penalty, or a list with one for each target.
    #[param(name = "alpha", default = TargetPenalties(vec![1.0]), range = "[0, inf)", search = "log 1e-6..1e3")]
    pub alphas: TargetPenalties,
    /// The kernel.
    #[param(flatten)]
    pub params: PairwiseParams,
}

impl KernelRidge {
    /// Strength of the L2 penalty, of all targets.
    #[must_use]
    pub fn alpha(self, alpha: f64) -> Self {
        self.alphas(TargetPenalties(vec![alpha]))
    }
}

/// A fitted sum of kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRidgeModel {
    /// The kernel, with all its hyper-parameters.
    pub kernel: Kernel,
    /// The points of training.
    pub points: Points,
    /// The coefficients, points × targets.
    pub dual_coef: Mat,
    /// The strengths of the penalty, one or one for each target.
    alphas: Vec<f64>,
    /// The weights of the points, where they were given.
    weights: Option<Vec<f64>>,
    certificate: Certificate,
}

const RESIDUAL: &str = "dual residual";

impl Learn for KernelRidge {
    type Model = KernelRidgeModel;

    fn kinds(&self) -> Kinds {
        let kind = self.params.kernel.data_kind();
        Kinds { learns_from: kind, asked_about: kind }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<KernelRidgeModel> {
        let input = data.input();
        let held = Held::new(Self::NAME, self.kinds().learns_from, &input)?;
        let kernel = self.params.resolve(Self::NAME, held.view())?;
        kernel.check_given(Self::NAME, held.view())?;
        let y = targets(data)?;
        if self.alphas.0.len() != 1 && self.alphas.0.len() != y.n_cols() {
            return Err(Error::shape(
                "values of `alpha` (one, or one for each target)",
                y.n_cols(),
                self.alphas.0.len(),
            ));
        }
        let weights = data.weights();
        let gram = kernel.gram_in(Self::NAME, &kernel.side(held.view())?, session)?;
        let dual_coef = solve(&gram, &y, Weights::of(&weights), &self.alphas.0, session)?;
        let mut model = KernelRidgeModel {
            points: kernel.keep_all(held.view()),
            kernel,
            dual_coef,
            alphas: self.alphas.0.clone(),
            weights: weights.as_deref().map(<[f64]>::to_vec),
            certificate: Certificate::new(Termination::Exact),
        };
        let residual = model.residual(&gram, &y, Weights::of(&weights));
        let meaning = "largest entry of √s(Kc − y) + αc/√s over that of √s y: zero at the minimum, which is unique where α > 0";
        model.certificate = model.certificate.with_evidence(Evidence::residual(RESIDUAL, residual, meaning));
        Ok(model)
    }
}

/// The targets, rows × targets.
fn targets(data: &Dataset<'_>) -> Result<Mat> {
    let target = data.need_target(KernelRidge::NAME)?;
    let columns = (0..target.n_columns()).map(|k| target.numbers_of(k)).collect::<Result<Vec<_>>>()?;
    Ok(Mat::from_fn(target.n_rows(), columns.len(), |i, k| columns[k][i]))
}

/// min_c Σ sᵢ(yᵢ − (Kc)ᵢ)² + α cᵀKc for each target: (S½KS½ + αI) u = S½y, c = S½u.
fn solve(gram: &Mat, y: &Mat, weights: Weights<'_>, alphas: &[f64], session: &Session) -> Result<Mat> {
    let (n, t) = (y.n_rows(), y.n_cols());
    let root = |i: usize| weights[i].sqrt();
    let mut out = Mat::zeros(n, t);
    let mut solved: Option<(f64, Factor)> = None;
    for k in 0..t {
        let alpha = alphas.get(k).copied().unwrap_or(alphas[0]);
        if solved.as_ref().is_none_or(|(of, _)| *of != alpha) {
            let a = Mat::from_fn(n, n, |i, j| {
                gram[(i, j)] * root(i) * root(j) + if i == j { alpha } else { 0.0 }
            });
            solved = Some((alpha, Factor::new(a, session)?));
        }
        let Some((_, factor)) = &solved else { continue };
        let right: Vec<f64> = (0..n).map(|i| root(i) * y[(i, k)]).collect();
        let u = factor.solve(&right);
        (0..n).for_each(|i| out[(i, k)] = root(i) * u[i]);
    }
    if out.as_slice().iter().all(|v| v.is_finite()) {
        return Ok(out);
    }
    Err(Error::numeric(KernelRidge::NAME, "values of the kernel or the target are too large"))
}

/// A factor of a symmetric matrix: Cholesky's, or eigenvalues where it is not positive definite.
enum Factor {
    Cholesky(BlockCholesky),
    Eigen(mercer_math::Eigh),
}

impl Factor {
    fn new(a: Mat, session: &Session) -> Result<Self> {
        let n = a.n_rows();
        // A pivot of rounding alone is none.
        let sizes: Vec<f64> = (0..n).map(|i| 1e-14 * n as f64 * a[(i, i)]).collect();
        let again = a.clone();
        match BlockCholesky::new(a, &|| session.interrupted().is_none()) {
            Ok(factor) if factor.pivots().zip(&sizes).all(|(p, size)| p * p > *size) => {
                return Ok(Factor::Cholesky(factor));
            }
            Err(NoFactor::Stopped) => return Err(ErrorKind::Cancelled.into()),
            Ok(_) | Err(NoFactor::NotPositive(..)) => {}
        }
        let bad =
            || Error::numeric(KernelRidge::NAME, "the Gram matrix has no eigenvalues: values too large");
        Ok(Factor::Eigen(eigh(&again).ok_or_else(bad)?))
    }

    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let n = b.len();
        match self {
            Factor::Cholesky(factor) => {
                let mut x = Mat::from_fn(n, 1, |i, _| b[i]);
                factor.solve(&mut x);
                x.into_vec()
            }
            Factor::Eigen(e) => {
                let largest = e.values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                let mut out = vec![0.0; n];
                let used = e.values.iter().enumerate().filter(|(_, v)| v.abs() > 1e-15 * n as f64 * largest);
                for (k, value) in used {
                    let along: f64 = (0..n).map(|i| e.vectors[(i, k)] * b[i]).sum::<f64>() / value;
                    (0..n).for_each(|i| out[i] += along * e.vectors[(i, k)]);
                }
                out
            }
        }
    }
}

impl KernelRidgeModel {
    fn alpha(&self, k: usize) -> f64 {
        self.alphas.get(k).copied().unwrap_or(self.alphas[0])
    }

    fn residual(&self, gram: &Mat, y: &Mat, weights: Weights<'_>) -> f64 {
        let fitted = matmul_parallel(gram.view(), self.dual_coef.view());
        let (mut worst, mut size) = (0.0f64, 0.0f64);
        for i in (0..y.n_rows()).filter(|&i| weights.counts(i)) {
            let root = weights[i].sqrt();
            for k in 0..y.n_cols() {
                let off = (root * (fitted[(i, k)] - y[(i, k)])
                    + self.alpha(k) * self.dual_coef[(i, k)] / root)
                    .abs();
                worst = if off > worst || off.is_nan() { off } else { worst };
                size = size.max((root * y[(i, k)]).abs());
            }
        }
        if worst == 0.0 { 0.0 } else { worst / size.max(f64::MIN_POSITIVE) }
    }

    /// What each point of training would be predicted without it, targets in columns: exact, from the diagonal of one inverse.
    /// Points without weight are predicted as any new point. Values of a kernel that were given must be given again.
    pub fn leave_one_out(&self, gram: Option<&Mat>) -> Result<Mat> {
        let made = match gram {
            None if self.kernel == Kernel::Precomputed => {
                return Err(Error::incapable(
                    "KernelRidge",
                    "leave one out without the Gram matrix that it was given",
                ));
            }
            None => Some(self.kernel.gram(&self.kernel.side(self.points.view())?)),
            Some(_) => None,
        };
        let gram =
            gram.or(made.as_ref()).ok_or_else(|| Error::incapable("KernelRidge", "find its Gram matrix"))?;
        let (n, weights) = (self.points.len(), Weights::of(&self.weights));
        let fitted = matmul_parallel(gram.view(), self.dual_coef.view());
        let mut out = fitted.clone();
        for k in 0..self.dual_coef.n_cols() {
            let root = |i: usize| weights[i].sqrt();
            let a = Mat::from_fn(n, n, |i, j| {
                gram[(i, j)] * root(i) * root(j) + if i == j { self.alpha(k) } else { 0.0 }
            });
            let Some(inverse) = Cholesky::new(&a).map(|c| c.inverse()) else {
                return Err(Error::numeric(
                    "KernelRidge",
                    "the equations are singular: leaving one out needs an alpha above 0",
                ));
            };
            for i in (0..n).filter(|&i| weights.counts(i)) {
                // y = Kc + αc/s, and (K + α/s)⁻¹ has s·[(S½KS½ + αI)⁻¹] on its diagonal.
                let y = fitted[(i, k)] + self.alpha(k) * self.dual_coef[(i, k)] / weights[i];
                out[(i, k)] = y - self.dual_coef[(i, k)] / (weights[i] * inverse[(i, i)]);
            }
        }
        Ok(out)
    }
}

impl Fitted for KernelRidgeModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let held = Held::new(KernelRidge::NAME, self.kernel.data_kind(), input)?;
        let out = session.run(|| self.kernel.sums_of(held.view(), &self.points, &self.dual_coef))?;
        schema.prediction((0..out.n_cols()).map(|k| out.col(k)))
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let (input, y, weights) = (data.input(), targets(data)?, data.weights());
        let held = Held::new(KernelRidge::NAME, self.kernel.data_kind(), &input)?;
        if held.view().len() != self.points.len() {
            return Err(Error::shape(
                "points that KernelRidge learnt from",
                self.points.len(),
                held.view().len(),
            ));
        }
        let gram = self.kernel.gram(&self.kernel.side(held.view())?);
        Ok(vec![(RESIDUAL.to_owned(), self.residual(&gram, &y, Weights::of(&weights)))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (n, t) = (self.dual_coef.n_rows(), self.dual_coef.n_cols());
        let shape = if t == 1 { vec![n] } else { vec![n, t] };
        let mut all = vec![Attribute::real(
            "dual_coef_",
            "The coefficient of each point of training.",
            &shape,
            self.dual_coef.as_slice().to_vec(),
        )];
        if let PointsRef::Dense(x) = self.points.view() {
            let values = x.to_mat().into_vec();
            all.push(Attribute::real("X_fit_", "The points of training.", &[x.n_rows(), x.n_cols()], values));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let n = self.points.len();
        let fits = self.points.fits(schema.n_features())
            && self.dual_coef.is_consistent()
            && self.dual_coef.n_rows() == n
            && self.dual_coef.n_cols() == schema.targets.len()
            && (self.alphas.len() == 1 || self.alphas.len() == schema.targets.len())
            && self.weights.as_ref().is_none_or(|w| w.len() == n)
            && self.kernel.takes(self.points.view());
        if fits { Ok(()) } else { Err("the kernel's points do not fit the schema".to_owned()) }
    }
}
