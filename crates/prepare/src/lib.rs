//! Preparation: scaling, encoding, imputation, column selection, pipelines.

mod default;
mod imputer;
mod one_hot;
mod pipeline;
mod scaler;
mod select;

pub use default::{Prepared, prepared};
pub use imputer::{ImputeStrategy, SimpleImputer, SimpleImputerModel};
pub use one_hot::{Drop, EncodeColumns, HandleUnknown, OneHotEncoder, OneHotEncoderModel};
pub use pipeline::{Pipeline, PipelineModel};
pub use scaler::{StandardScaler, StandardScalerModel};
pub use select::{SelectColumns, SelectColumnsModel};

use mercer_core::catalogue::Entry;

/// The learners of this family.
pub const LEARNERS: &[Entry] = &[
    Entry::of::<StandardScaler>(),
    Entry::of::<OneHotEncoder>(),
    Entry::of::<SimpleImputer>(),
    Entry::of::<SelectColumns>(),
    Entry::of::<Pipeline>(),
];
