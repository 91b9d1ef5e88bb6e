//! Support vector classification with a share of support vectors in place of a cost.
//!
//! # Objective
//! $$ \min_{w,b,\rho}\ \tfrac12\lVert w\rVert^2 - \nu\rho + \tfrac1n\sum_i s_i \max(0,\ \rho - y_i(\langle w,\varphi(x_i)\rangle + b)) $$
//! At the optimum $\nu$ is at least the share of rows within the margin, and at most the share of support vectors. The decision
//! function is divided by $\rho$, so that it is that of [`SVC`](crate::SVC) with $C = 1/(n\rho)$.
//!
//! # Algorithm
//! That of [`SVC`](crate::SVC); pairs of variables that move are of one class, so that the sum of each class stays.
//!
//! # Complexity
//! That of [`SVC`](crate::SVC).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::NuSVC;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-2.0], [-1.0], [1.0], [2.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["no", "no", "yes", "yes"]))?;
//! let model = NuSVC::default().nu(0.5).fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 1, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A share that one of two classes has too few rows for is refused (`class_weight=balanced` makes them weigh the same), and so is
//! one so small that classes which overlap have no margin, $\rho = 0$. Near there the cost $1/(n\rho)$ is huge, and so is the
//! number of steps. `tol` is in units of $\rho$ before the division, the certificate's violation in those after it.
//!
//! # References
//! - B. Schölkopf, A. J. Smola, R. C. Williamson, P. L. Bartlett. New support vector algorithms. Neural Computation 12(5), 2000.
//!   doi:10.1162/089976600300015565
//! - C.-C. Chang, C.-J. Lin. Training ν-support vector classifiers. Neural Computation 13(9), 2001. doi:10.1162/089976601750399335

use super::form::Form;
use super::model::{Scheme, SvmModel};
use super::params::{ClassMachineParams, DecisionShape, MachineParams};
use super::svc::{check_ties, classifier, kinds, told};
use crate::kernel::{Gamma, KernelParams, KernelSpec};
use mercer_core::{Capabilities, ClassWeight, Dataset, Kinds, Learn, Params, Result, Session};

/// Support vector classification with a share of support vectors in place of a cost.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "nusvc",
    canon = "K4",
    task = Classification,
    twin = "NuSVR",
    python = "svm",
    tried = "class_weight=balanced,gamma=0.3,tol=1e-7 | kernel=poly,gamma=auto,degree=2,coef0=1,nu=0.8,class_weight=balanced,tol=1e-6 | probability=true,break_ties=true",
    session = "random_state verbose",
    mixins = "SvmMixin SvcMixin",
    can = "decision weights sparse scaled ordered",
    references = "Schölkopf, Smola, Williamson, Bartlett. New support vector algorithms. Neural Computation 12(5), 2000."
)]
pub struct NuSVC {
    /// At most the share of support vectors, at least the share of rows within the margin.
    #[param(default = 0.5, range = "(0, 1]", search = "linear 0.05..0.8")]
    pub nu: f64,
    /// The kernel, and how the solution is found.
    #[param(flatten)]
    pub machine: MachineParams,
    /// Weights of classes, and what is said of rows.
    #[param(flatten)]
    pub classes: ClassMachineParams,
}

impl Learn for NuSVC {
    type Model = SvmModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SvmModel> {
        classifier(
            Self::NAME,
            Form::NuClasses { nu: self.nu },
            Scheme::Pairs,
            &self.machine,
            &self.classes,
            data,
            session,
        )
    }

    fn kinds(&self) -> Kinds {
        kinds(&self.machine)
    }

    fn capabilities(&self) -> Capabilities {
        told(&self.machine, self.classes.probability, Self::declaration().capabilities)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        check_ties(Self::NAME, &self.classes)
    }
}
