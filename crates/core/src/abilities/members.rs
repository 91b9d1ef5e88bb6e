//! Members: the models that an ensemble is made of, each as a model of its own.

use crate::contract::Model;
use crate::error::Result;
use crate::nested::NestedModel;

/// A model that is made of other models of the same target, or of parts of it.
pub trait Members: Send + Sync {
    /// Number of members.
    fn n_members(&self) -> usize;

    /// Member `i`, which there is, as a model of its own; `whole` is the model that these are the members of.
    fn member(&self, i: usize, whole: &dyn Model) -> Result<Box<dyn Model>>;

    /// The columns of the whole's rows that member `i` sees, unless it sees all.
    fn columns(&self, _i: usize) -> Option<Vec<usize>> {
        None
    }
}

impl dyn Model + '_ {
    /// The members of an ensemble, and the model that they make up: this one, or the last one behind its steps. An error
    /// where it has none.
    pub fn members(&self) -> Result<(&dyn Members, &dyn Model)> {
        let members = self.abilities().members.ok_or_else(|| super::lacks(self, "members"))?;
        Ok((members, super::answering(self)))
    }
}

impl Members for NestedModel {
    fn n_members(&self) -> usize {
        self.0.abilities().members.map_or(0, Members::n_members)
    }
    fn member(&self, i: usize, _: &dyn Model) -> Result<Box<dyn Model>> {
        let (members, whole) = self.0.members()?;
        members.member(i, whole)
    }
    fn columns(&self, i: usize) -> Option<Vec<usize>> {
        self.0.abilities().members.and_then(|members| members.columns(i))
    }
}
