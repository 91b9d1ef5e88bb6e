//! Least squares without a penalty, and what is known of its coefficients.

pub(crate) mod frame;
mod inference;
mod linear_regression;
mod model;
pub(crate) mod nonnegative;
pub(crate) mod normal;
mod triangle;

pub use frame::{Frame, ResidualSums};
pub use linear_regression::{LeastSquaresState, LeastSquaresSums, LinearRegression, Refining};
pub use model::LeastSquaresModel;
