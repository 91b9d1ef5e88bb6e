//! Paths of the lasso and the elastic net: coefficients for many strengths of the penalty at once.
//!
//! # Objective
//! That of [`ElasticNet`](crate::ElasticNet) for each strength; with several targets that of
//! [`MultiTaskElasticNet`](crate::MultiTaskElasticNet), as in scikit-learn.
//!
//! # Algorithm
//! From the strongest penalty to the weakest, each from the solution before it, so that few features have to be looked
//! at; the working set and its products are kept on the way.
//!
//! # Complexity
//! About one product of all features with the residual for each strength.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Session, Target};
//! use mercer_linear::{Alphas, PathParams, lasso_path};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![-2.0, 0.0, 2.0]))?;
//! let params = PathParams { alphas: Alphas::Count(3), eps: 0.01, ..PathParams::default() };
//! let path = lasso_path(&data, &params, &Session::default())?;
//! assert!((path.alphas[0] - 4.0 / 3.0).abs() < 1e-12 && path.coefs[0].as_slice() == [0.0, 0.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Each solution has its own duality gap.
//!
//! # References
//! - J. Friedman, T. Hastie, R. Tibshirani. Regularization paths for generalized linear models via coordinate descent.
//!   JSS 33(1), 2010. doi:10.18637/jss.v033.i01

use crate::lasso::CoordinateDescentParams;
use crate::net::{Net, is_tall, moments};
use crate::sparse_path::{Along, Columns, Penalty, Solved, alpha_grid, alpha_max};
use mercer_core::{CrossMoments, Dataset, Error, ParamKind, ParamType, Result, Session, Value};
use mercer_math::{Mat, dot};

const NAME: &str = "enet_path";

/// The strengths of a path: how many, or which.
#[derive(Clone, Debug, PartialEq)]
pub enum Alphas {
    /// So many, from the largest at which any coefficient is used.
    Count(usize),
    /// These.
    These(Vec<f64>),
}

impl ParamType for Alphas {
    fn kind() -> ParamKind {
        ParamKind::List(Box::new(ParamKind::Real))
    }
    fn to_value(&self) -> Value {
        match self {
            Alphas::Count(count) => count.to_value(),
            Alphas::These(alphas) => alphas.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(_) => Vec::from_value(value).map(Alphas::These),
            value => usize::from_value(value).map(Alphas::Count).map_err(|e| format!("{e}, or a list")),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        match self {
            Alphas::Count(count) => count.numbers(visit),
            Alphas::These(alphas) => alphas.numbers(visit),
        }
    }
}

impl Alphas {
    /// Refuses none at all.
    pub(crate) fn check(&self, owner: &str) -> Result<()> {
        match self {
            Alphas::Count(0) => Err(Error::param(owner, "alphas", "at least 1, or a list of strengths", 0)),
            Alphas::These(a) if a.is_empty() => {
                Err(Error::param(owner, "alphas", "at least one strength", "[]"))
            }
            _ => Ok(()),
        }
    }

    /// The strengths, the largest first; `largest` is the one at which any coefficient is used.
    pub(crate) fn of(&self, largest: f64, eps: f64) -> Vec<f64> {
        match self {
            Alphas::Count(count) => alpha_grid(largest, eps, *count),
            Alphas::These(alphas) => {
                let mut alphas = alphas.clone();
                alphas.sort_by(|a, b| b.total_cmp(a));
                alphas
            }
        }
    }
}

/// How a path is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct PathParams {
    /// The share of the L1 penalty.
    pub l1_ratio: f64,
    /// The smallest strength over the largest, where strengths are not given.
    pub eps: f64,
    /// The strengths.
    pub alphas: Alphas,
    /// Whether coefficients may not be negative.
    pub positive: bool,
    /// The intercept (none by default, as in scikit-learn's functions), and how the coefficients are found.
    pub descent: CoordinateDescentParams,
}

impl Default for PathParams {
    fn default() -> Self {
        let descent = CoordinateDescentParams { fit_intercept: false, ..Default::default() };
        Self { l1_ratio: 0.5, eps: 1e-3, alphas: Alphas::Count(100), positive: false, descent }
    }
}

/// Coefficients along a path of strengths, from the largest to the smallest.
#[derive(Clone, Debug, PartialEq)]
pub struct RegularizationPath {
    /// The strengths.
    pub alphas: Vec<f64>,
    /// The coefficients for each strength, targets × features.
    pub coefs: Vec<Mat>,
    /// The intercepts for each strength; zeros where none is fitted.
    pub intercepts: Vec<Vec<f64>>,
    /// The duality gap for each strength.
    pub dual_gaps: Vec<f64>,
    /// Passes over the coefficients for each strength.
    pub n_iters: Vec<u64>,
}

/// The path of the elastic net.
pub fn enet_path(data: &Dataset<'_>, params: &PathParams, session: &Session) -> Result<RegularizationPath> {
    let bad = |name: &str, expected: &str, value: f64| Err(Error::param(NAME, name, expected, value));
    match params {
        p if !(0.0..=1.0).contains(&p.l1_ratio) => return bad("l1_ratio", "in [0, 1]", p.l1_ratio),
        p if !(p.eps > 0.0 && p.eps.is_finite()) => return bad("eps", "in (0, inf)", p.eps),
        p if p.descent.tol.is_nan() || p.descent.tol < 0.0 => {
            return bad("tol", "in [0, inf)", p.descent.tol);
        }
        _ => params.alphas.check(NAME)?,
    }
    if let (0.0, Alphas::Count(_)) = (params.l1_ratio, &params.alphas) {
        return bad("l1_ratio", "above 0 where strengths are not given", 0.0);
    }
    if let Alphas::These(alphas) = &params.alphas
        && let Some(alpha) = alphas.iter().find(|a| !(**a >= 0.0 && a.is_finite()))
    {
        return bad("alphas", "in [0, inf)", *alpha);
    }
    let numbers = data.numbers(NAME)?;
    if data.n_rows() == 0 || numbers.view().n_cols() == 0 {
        return Err(Error::numeric(NAME, "there are no rows or no features"));
    }
    session.run(|| path(data, params, session))
}

/// The path of the lasso: that of the elastic net with an L1 penalty alone.
pub fn lasso_path(data: &Dataset<'_>, params: &PathParams, session: &Session) -> Result<RegularizationPath> {
    enet_path(data, &PathParams { l1_ratio: 1.0, ..params.clone() }, session)
}

fn path(data: &Dataset<'_>, params: &PathParams, session: &Session) -> Result<RegularizationPath> {
    let source = Source::of(NAME, data, params.descent.fit_intercept, session)?;
    let alphas = params.alphas.of(source.alpha_max(params.l1_ratio, params.positive), params.eps);
    let net = Net {
        alpha: 0.0,
        l1_ratio: params.l1_ratio,
        positive: params.positive,
        together: true,
        descent: params.descent.clone(),
    };
    let solved = source.solve(&net, &alphas, session);
    let (mean_x, mean_y, total) = source.means();
    let (t, d) = (mean_y.len(), mean_x.len());
    let coefs: Vec<Mat> = solved.iter().map(|s| Mat::from_fn(t, d, |k, j| s.w[j * t + k])).collect();
    let intercept = |w: &Mat| (0..t).map(|k| mean_y[k] - dot(mean_x, w.row(k))).collect();
    Ok(RegularizationPath {
        alphas,
        intercepts: coefs.iter().map(intercept).collect(),
        coefs,
        dual_gaps: solved.iter().map(|s| s.standing.gap.max(0.0) / total).collect(),
        n_iters: solved.iter().map(|s| s.iterations).collect(),
    })
}

/// Rows in the form that their shape asks for.
pub(crate) enum Source {
    /// Moments, where there are more rows than features.
    Tall(CrossMoments),
    /// Columns.
    Wide(Columns),
}

impl Source {
    pub(crate) fn of(name: &str, data: &Dataset<'_>, centre: bool, session: &Session) -> Result<Self> {
        match is_tall(name, data)? {
            true => Ok(Self::tall(moments(name, data, session)?, centre)),
            false => Columns::of(name, data, centre).map(Source::Wide),
        }
    }

    pub(crate) fn tall(moments: CrossMoments, centre: bool) -> Self {
        Source::Tall(if centre { moments } else { moments.about_zero() })
    }

    /// The means of features and targets, and the sum of the weights.
    pub(crate) fn means(&self) -> (&[f64], &[f64], f64) {
        match self {
            Source::Tall(m) => (&m.mean_x, &m.mean_y, m.weight),
            Source::Wide(c) => (&c.mean_x, &c.mean_y, c.total),
        }
    }

    /// The largest strength at which any coefficient is used.
    pub(crate) fn alpha_max(&self, l1_ratio: f64, positive: bool) -> f64 {
        let (_, mean_y, total) = self.means();
        match self {
            Source::Tall(m) => alpha_max(m.xy.as_slice(), mean_y.len(), l1_ratio, total, positive),
            Source::Wide(c) => {
                let mut xy = vec![0.0; c.n() * mean_y.len()];
                c.correlate(&(0..c.n()).collect::<Vec<_>>(), &c.y, &mut xy);
                alpha_max(&xy, mean_y.len(), l1_ratio, total, positive)
            }
        }
    }

    /// The solutions for these strengths, each from the one before.
    pub(crate) fn solve(&self, net: &Net, alphas: &[f64], session: &Session) -> Vec<Solved> {
        let mut along = match self {
            Source::Tall(moments) => Along::moments(moments, None),
            Source::Wide(columns) => Along::columns(columns),
        };
        let (total, mut budget) = (self.means().2, net.budget(false, session));
        let penalty = |alpha: &f64| Penalty::new(*alpha, net.l1_ratio, total, net.positive);
        alphas.iter().map(|alpha| along.solve(penalty(alpha), &mut budget)).collect()
    }
}
