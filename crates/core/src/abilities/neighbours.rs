//! The rows learnt from that are nearest to rows that are asked about.

use crate::asked::Asked;
use crate::contract::Model;
use crate::data_kinds::Input;
use crate::error::Result;
use crate::nested::NestedModel;
use crate::session::Session;
use mercer_math::Neighbourhoods;

/// A model that finds neighbours among the rows that it learnt from. Without an input it is asked about these rows themselves, of
/// which none is its own neighbour.
pub trait Neighbours {
    /// How many rows there are to find.
    fn n_rows(&self) -> usize;

    /// The `k` nearest rows of each unit, the nearest first; without `k`, as many as the learner was told.
    fn nearest(
        &self,
        input: Option<&Input<'_>>,
        k: Option<usize>,
        session: &Session,
    ) -> Result<Neighbourhoods>;

    /// The rows within a radius of each unit, the nearest first; without `radius`, within that which the learner was told.
    fn within(
        &self,
        input: Option<&Input<'_>>,
        radius: Option<f64>,
        session: &Session,
    ) -> Result<Neighbourhoods>;
}

impl Asked<'_> {
    /// The nearest of the rows learnt from, for each row.
    pub fn nearest(&self, k: Option<usize>) -> Result<Neighbourhoods> {
        self.need("neighbours", |can| can.neighbours)?.nearest(Some(self.input()), k, self.session())
    }

    /// The rows learnt from within a radius of each row.
    pub fn within(&self, radius: Option<f64>) -> Result<Neighbourhoods> {
        self.need("neighbours", |can| can.neighbours)?.within(Some(self.input()), radius, self.session())
    }
}

impl dyn Model + '_ {
    /// What finds neighbours among the rows learnt from, for questions about these rows themselves. An error where nothing does.
    pub fn neighbours(&self) -> Result<&dyn Neighbours> {
        self.abilities().neighbours.ok_or_else(|| super::lacks(self, "neighbours"))
    }
}

impl Neighbours for NestedModel {
    fn n_rows(&self) -> usize {
        self.0.abilities().neighbours.map_or(0, Neighbours::n_rows)
    }
    fn nearest(
        &self,
        input: Option<&Input<'_>>,
        k: Option<usize>,
        session: &Session,
    ) -> Result<Neighbourhoods> {
        match input {
            Some(input) => self.0.on(input, session)?.nearest(k),
            None => self.0.neighbours()?.nearest(None, k, session),
        }
    }
    fn within(
        &self,
        input: Option<&Input<'_>>,
        radius: Option<f64>,
        session: &Session,
    ) -> Result<Neighbourhoods> {
        match input {
            Some(input) => self.0.on(input, session)?.within(radius),
            None => self.0.neighbours()?.within(None, radius, session),
        }
    }
}
