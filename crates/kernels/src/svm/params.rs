//! Parameters that support vector machines share.

use super::solver::Settings;
use crate::kernel::KernelParams;
use mercer_core::{Choice, ClassWeight, ParamGroup};

/// What errors of a regression cost.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct CostParams {
    /// The cost of errors beyond the tube: smaller is simpler.
    #[param(name = "C", default = 1.0, range = "(0, inf)", search = "log 1e-2..1e3")]
    pub c: f64,
}

/// The kernel, and how the solution is found.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct MachineParams {
    /// The kernel.
    #[param(flatten)]
    pub kernel: KernelParams,
    /// Whether rows that are settled at a bound are left out until the others are solved for.
    #[param(default = true)]
    pub shrinking: bool,
    /// The largest violation of the optimality conditions at which the solver stops: in units of the margin or the target.
    #[param(default = 1e-3, range = "(0, inf)")]
    pub tol: f64,
    /// Memory for rows of the kernel's matrix, in megabytes, of each problem that is solved.
    #[param(default = 200.0, range = "(0, inf)")]
    pub cache_size: f64,
    /// Most steps of the solver; -1 is ten million, or a hundred for each row where that is more.
    #[param(default = -1, range = "[-1, inf)")]
    pub max_iter: i64,
}

impl MachineParams {
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            tol: self.tol,
            shrinking: self.shrinking,
            cache_bytes: (self.cache_size * f64::from(1 << 20)).min(1e15) as usize,
            max_iter: u64::try_from(self.max_iter).ok(),
            unbounded: f64::INFINITY,
        }
    }
}

/// How machines that tell classes apart weigh them, and what they say of rows.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ClassMachineParams {
    /// How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
    /// them as they are.
    #[param(default = None)]
    pub class_weight: Option<ClassWeight>,
    /// Whether to learn probabilities, from decisions on five folds (Platt's sigmoids); they may disagree with the classes.
    #[param(default = false)]
    pub probability: bool,
    /// Whether decision values of several classes are told for each class, or for each pair of classes (in Python; elsewhere
    /// always for each class).
    #[param(default = DecisionShape::Ovr)]
    pub decision_function_shape: DecisionShape,
    /// Whether votes of pairs that are equal are decided by the decision values.
    #[param(default = false)]
    pub break_ties: bool,
}

/// What decision values of several classes are told for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum DecisionShape {
    /// Each class, against the rest.
    Ovr,
    /// Each pair of classes.
    Ovo,
}

/// How more than two classes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum SvcClasses {
    /// One machine for each pair, which vote.
    Ovo,
    /// One machine for each class against the rest.
    Ovr,
    /// One machine for all classes (Crammer and Singer), without intercepts.
    CrammerSinger,
}
