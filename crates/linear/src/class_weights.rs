//! The weights of classes, as linear classifiers take them.

use mercer_core::{ClassWeight, ParamGroup};

/// How classes are weighted.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ClassWeightParams {
    /// How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
    /// them as they are.
    #[param(default = None)]
    pub class_weight: Option<ClassWeight>,
}
