//! Linear support vector classification.
//!
//! # Objective
//! $$ \min_{w}\ \tfrac12\lVert w\rVert_2^2 + C\sum_i s_i\,\ell(1 - y_i\,w^\top \tilde x_i), \qquad
//!    \ell(t) = \max(0,t)\ \text{or}\ \max(0,t)^2 $$
//! for two classes $y_i = \pm1$ and sample weights $s_i$; `penalty = l1` puts $\lVert w\rVert_1$ in place of the first term.
//! $\tilde x$ is $x$ with the constant `intercept_scaling` behind it: the intercept is that constant times its coefficient,
//! which is penalised as the others are. More classes are each held against the rest, or all at once (`crammer_singer`):
//! $\tfrac12\sum_k\lVert w_k\rVert^2 + C\sum_i s_i \max_k(w_k^\top \tilde x_i - w_{y_i}^\top \tilde x_i + [k \ne y_i])$.
//!
//! # Algorithm
//! The dual by coordinate descent with shrinking, in random order; the squared hinge also by trust-region Newton in the
//! coefficients, and with an L1 penalty by coordinate descent on columns; Crammer and Singer's machine by a sequential dual
//! method that solves for all classes of a row at once. Classes against the rest run side by side.
//!
//! # Complexity
//! O(nnz) a pass of descent or a product of Newton's method, for each class; memory O(n + d) beyond the rows, and a copy of
//! the rows by columns for the L1 penalty.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LinearSVC;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-2.0], [-1.0], [1.0], [2.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["no", "no", "yes", "yes"]))?;
//! let model = LinearSVC::default().fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 1, 1]);
//! assert!(model.certificate().evidence[0].value < 1e-4);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! `tol` bounds violations of the dual's optimality conditions, in units of the margin, or the gradient relative to that of no
//! coefficients. The certificate has the duality gap whatever the solver; for the hinge, whose dual variables the coefficients
//! do not determine, `verify` solves the dual again. `class_weight` of several classes weighs the class that is held against the
//! rest, not the rest, as in LIBLINEAR.
//!
//! # References
//! - C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan. A dual coordinate descent method for large-scale
//!   linear SVM. ICML 2008. doi:10.1145/1390156.1390208
//! - R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang, C.-J. Lin. LIBLINEAR. JMLR 9, 2008.
//! - S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh, C.-J. Lin. A sequential dual method for large scale
//!   multi-class linear SVMs. KDD 2008. doi:10.1145/1401890.1401942
//! - K. Crammer, Y. Singer. On the algorithmic implementation of multiclass kernel-based vector machines. JMLR 2, 2001.

use super::machine::{Dual, Form, Machine, SvmParams};
use super::model::LinearSvmModel;
use crate::class_weights::ClassWeightParams;
use mercer_core::{
    Capabilities, Choice, ClassWeight, Dataset, Error, Learn, ParamType, Params, Result, Session,
};

/// What [`LinearSVC`] penalises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum SvcPenalty {
    /// The sum of absolute coefficients.
    L1,
    /// Half the sum of squared coefficients.
    L2,
}

/// What a row within the margin costs [`LinearSVC`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum SvcLoss {
    /// How far it is within.
    Hinge,
    /// The square of it.
    SquaredHinge,
}

/// How [`LinearSVC`] takes more than two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum MultiClass {
    /// Each against the rest.
    Ovr,
    /// All in one problem.
    CrammerSinger,
}

/// Linear support vector classification, for two classes or more.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "linear-svc",
    canon = "L6",
    task = Classification,
    twin = "LinearSVR",
    python = "svm",
    tried = "| loss=hinge,class_weight=balanced,max_iter=100000 | penalty=l1,C=0.3,tol=1e-8,max_iter=20000 | multi_class=crammer_singer,tol=1e-6,max_iter=20000",
    session = "random_state verbose",
    mixins = "MachineMixin",
    can = "decision weights sparse scaled",
    references = "Hsieh, Chang, Lin, Keerthi, Sundararajan. A dual coordinate descent method for large-scale linear SVM. ICML 2008.|Fan, Chang, Hsieh, Wang, Lin. LIBLINEAR. JMLR 9, 2008."
)]
pub struct LinearSVC {
    /// The penalty.
    #[param(default = SvcPenalty::L2)]
    pub penalty: SvcPenalty,
    /// What a row within the margin costs.
    #[param(default = SvcLoss::SquaredHinge)]
    pub loss: SvcLoss,
    /// The weight of the loss, the intercept, and how the solution is found.
    #[param(flatten)]
    pub machine: SvmParams,
    /// How more than two classes are taken.
    #[param(default = MultiClass::Ovr)]
    pub multi_class: MultiClass,
    /// How classes are weighted.
    #[param(flatten)]
    pub classes: ClassWeightParams,
}

impl Learn for LinearSVC {
    type Model = LinearSvmModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LinearSvmModel> {
        let dual =
            self.machine.dual.chosen(data.n_rows(), data.n_features(), self.has_dual(), self.has_primal());
        let form = match (self.multi_class, self.penalty) {
            (MultiClass::CrammerSinger, _) => Form::CrammerSinger,
            (_, SvcPenalty::L1) => Form::L1,
            _ if dual => Form::Dual,
            _ => Form::Primal,
        };
        let squared = self.loss == SvcLoss::SquaredHinge;
        let mut machine = Machine::new(Self::NAME, form, squared, &self.machine, session);
        machine.class_weight = self.classes.class_weight.clone();
        let solved = machine.solve(data, session)?;
        Ok(LinearSvmModel::new(machine, true, &solved, data.n_features()))
    }

    fn capabilities(&self) -> Capabilities {
        // Descent ends within its tolerance at another point for another order of visits.
        let visits = self.multi_class == MultiClass::CrammerSinger
            || self.penalty == SvcPenalty::L1
            || self.loss == SvcLoss::Hinge
            || self.machine.dual != Dual::No;
        let zeroes = self.penalty == SvcPenalty::L1 && self.multi_class == MultiClass::Ovr;
        Capabilities { random: visits, ordered: visits, zeroes, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if self.multi_class == MultiClass::CrammerSinger {
            return Ok(());
        }
        let bad = |name, allowed: &str, value| Err(Error::param(Self::NAME, name, allowed, value));
        match (self.penalty, self.loss, self.machine.dual) {
            (SvcPenalty::L1, SvcLoss::Hinge, _) => {
                bad("loss", "squared_hinge for an L1 penalty", self.loss.to_value())
            }
            (SvcPenalty::L1, _, Dual::Yes) => {
                bad("dual", "auto or false for an L1 penalty", self.machine.dual.to_value())
            }
            (SvcPenalty::L2, SvcLoss::Hinge, Dual::No) => {
                bad("dual", "auto or true for the hinge loss", self.machine.dual.to_value())
            }
            _ => Ok(()),
        }
    }
}

impl LinearSVC {
    fn has_dual(&self) -> bool {
        self.penalty == SvcPenalty::L2
    }

    fn has_primal(&self) -> bool {
        self.loss == SvcLoss::SquaredHinge
    }
}
