//! Basis expansion: several columns from each, or from several: polynomials, splines, bins.

mod bin_edges;
mod bins;
mod bspline;
mod combinations;
pub(crate) mod parts;
mod polynomial;
mod spline;
mod whole;

pub use bins::{BinEncoding, BinStrategy, KBinsDiscretizer, KBinsDiscretizerModel};
pub use polynomial::{MemoryOrder, PolynomialFeatures, PolynomialFeaturesModel};
pub use spline::{Extrapolation, HandleMissing, Knots, SplineTransformer, SplineTransformerModel};
pub use whole::Whole;
