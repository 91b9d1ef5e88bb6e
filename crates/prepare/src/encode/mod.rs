//! Encoders: levels become numbers.

mod frequency;
mod levels;
pub(crate) mod one_hot;
mod ordinal;
mod rare;
mod target;
mod target_sums;

pub use frequency::Frequency;
pub use levels::EncodeColumns;
pub use one_hot::{Drop, HandleUnknown, OneHotEncoder, OneHotEncoderModel};
pub use ordinal::{OrdinalEncoder, OrdinalEncoderModel, OrdinalUnknown};
pub use target::{Smooth, TargetEncoder, TargetEncoderModel, TargetType};
