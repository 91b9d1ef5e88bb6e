//! Scaling: every numeric feature by a map of its own (or every row by its norm); other columns pass through.

mod binarizer;
pub(crate) mod columns;
mod decimal;
pub(crate) mod extremes;
mod likelihood;
mod log;
mod max_abs;
mod min_max;
mod normalizer;
pub(crate) mod order;
mod power;
mod quantile;
mod robust;
mod standard;

pub use binarizer::{Binarizer, BinarizerModel};
pub use decimal::{DecimalScaler, DecimalScalerModel};
pub use extremes::Extremes;
pub use log::{LogMethod, LogScaler, LogScalerModel};
pub use max_abs::{MaxAbsScaler, MaxAbsScalerModel};
pub use min_max::{MinMaxScaler, MinMaxScalerModel};
pub use normalizer::{Norm, Normalizer, NormalizerModel};
pub use order::QuantileMethod;
pub use power::{PowerMethod, PowerTransformer, PowerTransformerModel};
pub use quantile::{OutputDistribution, QuantileTransformer, QuantileTransformerModel};
pub use robust::{RobustScaler, RobustScalerModel};
pub use standard::{StandardScaler, StandardScalerModel};
