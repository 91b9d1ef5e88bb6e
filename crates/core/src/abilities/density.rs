//! The density of rows under a model, and draws from it.

use crate::asked::Asked;
use crate::contract::Model;
use crate::data_kinds::{Input, Rows};
use crate::error::Result;
use crate::nested::NestedModel;
use crate::session::Session;

/// A model of the density of rows.
pub trait Densities {
    /// The logarithm of the density at each row.
    fn log_densities(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>>;
}

/// A model that new rows are drawn from.
pub trait Samples {
    /// So many rows, by the seed of the session.
    fn sample(&self, n: usize, session: &Session) -> Result<Rows<'static>>;
}

impl Asked<'_> {
    /// The logarithm of the density at each row.
    pub fn log_densities(&self) -> Result<Vec<f64>> {
        self.need("density", |can| can.density)?.log_densities(self.input(), self.session())
    }
}

impl dyn Model + '_ {
    /// Draws rows from the model, by the seed of the session; behind a pipeline, as its last step sees them.
    pub fn sample(&self, n: usize, session: &Session) -> Result<Rows<'static>> {
        self.abilities().sample.ok_or_else(|| super::lacks(self, "sample"))?.sample(n, session)
    }
}

impl Densities for NestedModel {
    fn log_densities(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        self.0.on(input, session)?.log_densities()
    }
}

impl Samples for NestedModel {
    fn sample(&self, n: usize, session: &Session) -> Result<Rows<'static>> {
        self.0.sample(n, session)
    }
}
