//! Encoders: levels become numbers.

mod frequency;
mod levels;
pub(crate) mod one_hot;
mod ordinal;
mod rare;
mod target;
mod target_sums;

pub(crate) use frequency::check_frequency;
pub use levels::{EncodeColumns, EncodedColumns};
pub use one_hot::{Drop, HandleUnknown, MissingLevel, OneHotEncoder, OneHotEncoderModel};
pub use ordinal::{OrdinalEncoder, OrdinalEncoderModel, OrdinalUnknown};
pub use target::{Smooth, TargetEncoder, TargetEncoderModel, TargetType};
