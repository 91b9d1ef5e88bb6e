//! Laws of several numbers beside the Gaussian: of shares, counts, matrices, and with heavy tails.

mod matrices;
mod shares;
mod student;

pub use matrices::{InverseWishart, Wishart};
pub(crate) use shares::climbed;
pub use shares::{Dirichlet, Multinomial};
pub use student::MultivariateStudent;
