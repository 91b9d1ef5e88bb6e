//! Maps from rows to rows, and back.

use crate::asked::Asked;
use crate::contract::Model;
use crate::data_kinds::{Input, Rows};
use crate::error::Result;
use crate::nested::NestedModel;
use crate::schema::Schema;
use crate::session::Session;

/// A map from rows to rows.
pub trait Transformer {
    /// The transformed rows.
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>>;
    /// The names of the columns that come out; empty where they have none, as hashed ones.
    fn names_out(&self, schema: &Schema) -> Vec<String>;
}

/// A transformation that can be undone.
pub trait Inverse {
    /// The rows that would be transformed into these.
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>>;
}

impl Asked<'_> {
    /// The transformed rows; they carry their names.
    pub fn transform(&self) -> Result<Rows<'static>> {
        let model = self.need("transform", |can| can.transform)?;
        named(model, self.schema(), model.transformed(self.input(), self.session())?)
    }
}

impl dyn Model + '_ {
    /// Undoes a transformation: the rows that would be transformed into these.
    pub fn inverse_transform(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let can = self.abilities();
        let inverse = can.inverse.ok_or_else(|| super::lacks(self, "inverse"))?;
        let Some(route) = can.route else { return inverse.inverted(input, session) };
        let first = route.last.inverse_transform(input, session)?;
        let undo =
            |rows, (_, step): &(String, NestedModel)| step.0.inverse_transform(&Input::Rows(rows), session);
        route.steps.iter().rev().try_fold(first, undo)
    }

    /// The names of the columns that a transformation gives.
    pub fn names_out(&self) -> Result<Vec<String>> {
        let can = self.abilities();
        match can.route {
            Some(route) => route.last.names_out(),
            None => {
                let model = can.transform.ok_or_else(|| super::lacks(self, "transform"))?;
                Ok(model.names_out(self.schema()))
            }
        }
    }
}

/// Transformed rows with their names, where the model gives any.
pub(crate) fn named(model: &dyn Transformer, schema: &Schema, rows: Rows<'static>) -> Result<Rows<'static>> {
    match model.names_out(schema) {
        names if !names.is_empty() && rows.names().is_none() => rows.named(names),
        _ => Ok(rows),
    }
}

impl Transformer for NestedModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        self.0.on(input, session)?.transform()
    }
    fn names_out(&self, _: &Schema) -> Vec<String> {
        self.0.names_out().unwrap_or_default()
    }
}

impl Inverse for NestedModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        self.0.inverse_transform(input, session)
    }
}
