//! Linear support vector regression.
//!
//! # Objective
//! $$ \min_{w}\ \tfrac12\lVert w\rVert_2^2 + C\sum_i s_i\,\ell(|y_i - w^\top \tilde x_i| - \varepsilon), \qquad
//!    \ell(t) = \max(0,t)\ \text{or}\ \max(0,t)^2 $$
//! with sample weights $s_i$. $\tilde x$ is $x$ with the constant `intercept_scaling` behind it: the intercept is that constant
//! times its coefficient, which is penalised as the others are.
//!
//! # Algorithm
//! The dual by coordinate descent with shrinking, in random order; the squared loss also by trust-region Newton in the
//! coefficients.
//!
//! # Complexity
//! O(nnz) a pass of descent or a product of Newton's method; memory O(n + d) beyond the rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LinearSVR;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-2.0], [-1.0], [0.0], [1.0], [2.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![-4.0, -2.0, 0.0, 2.0, 4.0]))?;
//! let model = LinearSVR::default().c(100.0).fit(&data)?;
//! assert!((model.coef[(0, 0)] - 2.0).abs() < 1e-3);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Descent stops when all violations of the dual's optimality conditions add up to `tol` times those of the first pass,
//! Newton's method at `tol` times the gradient of no coefficients. The certificate has the duality gap; for the loss that is
//! not squared, whose dual variables the coefficients do not determine, `verify` solves the dual again.
//!
//! # References
//! - C.-H. Ho, C.-J. Lin. Large-scale linear support vector regression. JMLR 13, 2012.
//! - H. Drucker, C. Burges, L. Kaufman, A. Smola, V. Vapnik. Support vector regression machines. NIPS 9, 1996.

use super::machine::{Dual, Form, Machine, SvmParams};
use super::model::LinearSvmModel;
use mercer_core::{Capabilities, Choice, Dataset, Error, Learn, ParamType, Params, Result, Session};

/// What a row beyond the tube costs [`LinearSVR`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum SvrLoss {
    /// How far it is beyond.
    EpsilonInsensitive,
    /// The square of it.
    SquaredEpsilonInsensitive,
}

/// Linear support vector regression.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "linear-svr",
    canon = "L6",
    task = Regression,
    twin = "LinearSVC",
    python = "svm",
    tried = "tol=1e-9,max_iter=1000000 | loss=squared_epsilon_insensitive,epsilon=0.1,tol=1e-10",
    session = "random_state verbose",
    mixins = "MachineMixin",
    can = "weights sparse scaled",
    references = "Ho, Lin. Large-scale linear support vector regression. JMLR 13, 2012."
)]
pub struct LinearSVR {
    /// Half the width of the tube in which errors are free.
    #[param(default = 0.0, range = "[0, inf)", search = "log 1e-3..1e1")]
    pub epsilon: f64,
    /// What a row beyond the tube costs.
    #[param(default = SvrLoss::EpsilonInsensitive)]
    pub loss: SvrLoss,
    /// The weight of the loss, the intercept, and how the solution is found.
    #[param(flatten)]
    pub machine: SvmParams,
}

impl Learn for LinearSVR {
    type Model = LinearSvmModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LinearSvmModel> {
        let squared = self.loss == SvrLoss::SquaredEpsilonInsensitive;
        let dual = self.machine.dual.chosen(data.n_rows(), data.n_features(), true, squared);
        let form = if dual { Form::Dual } else { Form::Primal };
        let mut machine = Machine::new(Self::NAME, form, squared, &self.machine, session);
        machine.epsilon = self.epsilon;
        let solved = machine.solve(data, session)?;
        Ok(LinearSvmModel::new(machine, false, &solved, data.n_features()))
    }

    fn capabilities(&self) -> Capabilities {
        // Descent ends within its tolerance at another point for another order of visits.
        let visits = self.loss == SvrLoss::EpsilonInsensitive || self.machine.dual != Dual::No;
        Capabilities { random: visits, ordered: visits, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if self.loss == SvrLoss::EpsilonInsensitive && self.machine.dual == Dual::No {
            let allowed = "auto or true for the epsilon-insensitive loss";
            return Err(Error::param(Self::NAME, "dual", allowed, self.machine.dual.to_value()));
        }
        Ok(())
    }
}
