//! The parameter that every linear model has.

use mercer_core::ParamGroup;

/// Whether there is an intercept.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct InterceptParams {
    /// Whether to fit an intercept, which no penalty draws to zero.
    #[param(default = true)]
    pub fit_intercept: bool,
}
