//! Generalised linear models with an L2 penalty: Poisson, gamma and Tweedie regression.
//!
//! # Objective
//! $$ \min_{w,b}\ \frac{1}{2\sum_i s_i}\sum_i s_i\,d_p\big(y_i, h(x_i^\top w + b)\big) + \tfrac{\alpha}{2}\lVert w\rVert_2^2 $$
//! with the unit deviance $d_p$ of the law whose variance is the power $p$ of its mean (0 normal, 1 Poisson, 2 gamma, 3
//! inverse Gaussian, between 1 and 2 compound Poisson), sample weights $s_i$, and $h$ the exponential (`link = log`) or
//! nothing (`identity`). The intercept $b$ is not penalised. A column named by `offset` is added to the score with a
//! coefficient of 1: for counts with exposures, the logarithm of the exposure. The same coefficients come of the rate for the
//! target and the exposure for the weight.
//!
//! # Algorithm
//! Rounds of sums over blocks of rows. The first tells means and spreads of the columns, which are then centred (dense rows)
//! and scaled; the start is the best constant. Newton's method (iteratively reweighted least squares) with the Cholesky factor of the whole Hessian where
//! there are few columns; else L-BFGS, preconditioned by the Hessian at the start. Where the deviance is not convex in
//! the score, Fisher's information takes the place of the Hessian. Both with a line search.
//!
//! # Complexity
//! Time O(n d² + d³) a step of Newton, O(n d) one of L-BFGS (O(nnz) on wide sparse rows); memory O(d²), or O(d).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::PoissonRegressor;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 2.0, 4.0, 8.0]))?;
//! let model = PoissonRegressor::default().alpha(0.0).fit(&data)?;
//! assert!((model.coef()[0] - 2f64.ln()).abs() < 1e-6 && model.intercept().abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! `tol` bounds the largest entry of the gradient in the units of the columns' spreads, relative to the pull of the target's own spread on the
//! constant model, so that no unit is large or small. Newton goes on to a thousandth of it, which costs about one step.
//! Without a penalty `summary` gives standard errors from Fisher's information, with Pearson's estimate of the dispersion
//! where the family has one (the Poisson law has none).
//!
//! # References
//! - P. McCullagh, J. A. Nelder. Generalized Linear Models. 2nd ed., 1989. doi:10.1201/9780203753736
//! - B. Jørgensen. Exponential dispersion models. J. R. Stat. Soc. B 49(2), 1987. doi:10.1111/j.2517-6161.1987.tb01685.x

mod family;
mod frame;
mod inference;
mod model;
mod solver;

pub use model::GlmModel;

use crate::intercept::InterceptParams;
use family::Family;
use mercer_core::sums::{self, Batches};
use mercer_core::{Capabilities, Choice, Dataset, Error, Learn, ParamGroup, Params, Result, Schema, Session};
use solver::Glm;

/// How a generalised linear model is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum GlmSolver {
    /// Whichever is fastest for the shape of the data.
    Auto,
    /// L-BFGS, preconditioned by the Hessian at the start.
    Lbfgs,
    /// Newton's method with the whole Hessian.
    NewtonCholesky,
}

/// What the score of a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum GlmLink {
    /// The logarithm where the family has positive means, else the mean itself.
    Auto,
    /// The mean itself.
    Identity,
    /// The logarithm of the mean.
    Log,
}

/// The penalty of a generalised linear model, and how it is fitted.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct GlmParams {
    /// Strength of the L2 penalty beside the mean deviance; 0 is maximum likelihood.
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-6..1e2")]
    pub alpha: f64,
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// How the optimum is found.
    #[param(default = GlmSolver::Auto)]
    pub solver: GlmSolver,
    /// Most steps of the solver.
    #[param(default = 100, range = "[1, inf)")]
    pub max_iter: usize,
    /// Largest entry of the relative gradient at which the fit stops.
    #[param(default = 1e-4, range = "(0, inf)")]
    pub tol: f64,
    /// The column that is added to the score as it is, such as the logarithm of an exposure: it is no feature, its coefficient is
    /// 1, in training and in prediction. None means that there is no such column.
    #[param(default = None)]
    pub offset: Option<String>,
}

/// Poisson regression: counts and rates whose logarithm is linear.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "poisson",
    canon = "L9",
    task = Regression,
    python = "linear_model",
    tried = "| alpha=0 | solver=lbfgs,tol=1e-7,alpha=0.01",
    fixture = PositiveTarget,
    mixins = "PoissonMixin WarmMixin SolverMixin",
    door = "warm_start=False verbose=0",
    can = "weights sparse by_sums scaled summary",
    references = "McCullagh, Nelder. Generalized Linear Models. 2nd ed., 1989."
)]
pub struct PoissonRegressor {
    /// The penalty, and how the optimum is found.
    #[param(flatten)]
    pub params: GlmParams,
}

/// Gamma regression: positive numbers whose spread grows with their mean, which is the exponential of a linear score.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gamma",
    canon = "L9",
    task = Regression,
    python = "linear_model",
    tried = "| alpha=0 | solver=lbfgs,tol=1e-7,alpha=0.01",
    fixture = PositiveTarget,
    mixins = "GammaMixin WarmMixin SolverMixin",
    door = "warm_start=False verbose=0",
    can = "weights sparse by_sums scaled summary",
    references = "McCullagh, Nelder. Generalized Linear Models. 2nd ed., 1989."
)]
pub struct GammaRegressor {
    /// The penalty, and how the optimum is found.
    #[param(flatten)]
    pub params: GlmParams,
}

/// Tweedie regression: any power of the mean for a variance.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "tweedie",
    canon = "L9",
    task = Regression,
    python = "linear_model",
    tried = "| power=1.5,alpha=0.1 | power=3,alpha=0 | power=2,link=log,solver=lbfgs,tol=1e-7,alpha=0.01",
    fixture = PositiveTarget,
    order = "power alpha fit_intercept link solver max_iter tol",
    mixins = "TweedieMixin WarmMixin SolverMixin",
    door = "warm_start=False verbose=0",
    can = "weights sparse by_sums scaled summary",
    references = "Jørgensen. Exponential dispersion models. J. R. Stat. Soc. B 49(2), 1987."
)]
pub struct TweedieRegressor {
    /// The power of the mean that the variance grows with: 0 normal, 1 Poisson, 2 gamma, 3 inverse Gaussian.
    #[param(default = 0.0, range = "(-inf, inf)", search = "linear 1..2")]
    pub power: f64,
    /// What the score of a row is: its mean or the logarithm of it.
    #[param(default = GlmLink::Auto)]
    pub link: GlmLink,
    /// The penalty, and how the optimum is found.
    #[param(flatten)]
    pub params: GlmParams,
}

impl GlmParams {
    fn learn(&self, who: &str, family: Family, data: &Dataset<'_>, session: &Session) -> Result<GlmModel> {
        family.check(who, data.need_target(who)?.numbers()?)?;
        let offset = self.offset_of(who, &Schema::of(data))?;
        sums::fit(who, &Glm::new(who, family, self).with_offset(offset), data, session)
    }

    /// The place of the column that is added to the score.
    fn offset_of(&self, who: &str, schema: &Schema) -> Result<Option<usize>> {
        let Some(name) = &self.offset else { return Ok(None) };
        let at = schema.features.iter().position(|f| f.name == *name);
        let at = at.ok_or_else(|| Error::param(who, "offset", "the name of a column", name))?;
        if schema.features.len() == 1 {
            return Err(Error::param(who, "offset", "one of several columns: no feature is left", name));
        }
        Ok(Some(at))
    }

    fn stream(
        &self,
        who: &str,
        family: Family,
        can: &Capabilities,
        batches: &mut dyn Batches,
        session: &Session,
    ) -> Result<GlmModel> {
        let offset = self.offset_of(who, &batches.schema()?)?;
        sums::fit_stream(who, can, &Glm::new(who, family, self).with_offset(offset), batches, session)
    }

    /// Scale matters to a penalty alone, and penalised coefficients have no tests.
    fn capabilities(&self, declared: Capabilities, power: f64) -> Capabilities {
        let free = self.alpha == 0.0;
        Capabilities { scaled: !free, summary: free && inference::has_likelihood(power), ..declared }
    }
}

macro_rules! learns {
    ($learner:ident, $family:expr) => {
        impl Learn for $learner {
            type Model = GlmModel;

            fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<GlmModel> {
                self.params.learn(Self::NAME, $family(self), data, session)
            }

            fn capabilities(&self) -> Capabilities {
                self.params.capabilities(Self::declaration().capabilities, $family(self).power)
            }

            fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<GlmModel>> {
                let can = self.capabilities();
                Some(self.params.stream(Self::NAME, $family(self), &can, batches, session))
            }

            fn check(&self) -> Result<()> {
                self.check_params()?;
                check_power(Self::NAME, $family(self).power)
            }
        }
    };
}

learns!(PoissonRegressor, |_: &PoissonRegressor| Family { power: 1.0, log: true });
learns!(GammaRegressor, |_: &GammaRegressor| Family { power: 2.0, log: true });
learns!(TweedieRegressor, TweedieRegressor::family);

impl TweedieRegressor {
    fn family(&self) -> Family {
        let log = match self.link {
            GlmLink::Auto => self.power > 0.0,
            GlmLink::Identity => false,
            GlmLink::Log => true,
        };
        Family { power: self.power, log }
    }
}

/// There is no law whose variance is a power of its mean within (0, 1).
fn check_power(who: &str, power: f64) -> Result<()> {
    if power > 0.0 && power < 1.0 {
        return Err(Error::param(who, "power", "outside of (0, 1), where no law has such a variance", power));
    }
    Ok(())
}
