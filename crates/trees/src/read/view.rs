//! The trees of any model that is made of them, in a pipeline or a wrapper, too.

use super::outline::Outline;
use mercer_core::{Error, Input, Model, Result, Schema, Session, Trees};

/// The trees of a model, with the model that they stand in.
#[derive(Clone)]
pub struct TreesView<'m> {
    trees: &'m dyn Trees,
    schema: &'m Schema,
    model: &'m dyn Model,
}

impl std::fmt::Debug for TreesView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TreesView({} trees)", self.n_trees())
    }
}

impl<'m> TreesView<'m> {
    /// The trees of a model, or an error that says that it has none.
    pub fn of(model: &'m dyn Model) -> Result<Self> {
        let (trees, schema) = model.trees()?;
        Ok(Self { trees, schema, model })
    }

    /// What the trees learnt from.
    pub fn schema(&self) -> &'m Schema {
        self.schema
    }

    /// Number of trees.
    pub fn n_trees(&self) -> usize {
        self.trees.n_trees()
    }

    fn check(&self, t: usize) -> Result<()> {
        match self.n_trees() {
            n if t < n => Ok(()),
            n => Err(Error::param("trees", "tree", format!("in [0, {n})"), t)),
        }
    }

    /// A tree as plain data.
    pub fn outline(&self, t: usize) -> Result<Outline> {
        self.check(t)?;
        Ok(Outline { nodes: self.trees.nodes(t, self.schema) })
    }

    /// A tree as plain data, with other names for the features, in their order.
    pub fn outline_as(&self, t: usize, names: &[String]) -> Result<Outline> {
        self.check(t)?;
        let mut schema = self.schema.clone();
        schema.features.iter_mut().zip(names).for_each(|(feature, name)| feature.name.clone_from(name));
        Ok(Outline { nodes: self.trees.nodes(t, &schema) })
    }

    /// The nodes of a tree that a row whose feature `j` is `value(j)` comes by, from the root on.
    pub fn path(&self, t: usize, value: &dyn Fn(usize) -> f64) -> Result<Vec<usize>> {
        self.check(t)?;
        Ok(self.trees.path(t, value))
    }

    /// Rows as the trees see them: prepared by the steps before, aligned to the schema.
    pub fn prepared<'a>(&self, input: &'a Input<'a>, session: &'a Session) -> Result<Input<'a>>
    where
        'm: 'a,
    {
        Ok(self.model.on(input, session)?.input().clone())
    }

    /// The leaf of every row in every tree: rows × trees.
    pub fn leaves(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
        self.model.on(input, session)?.leaves()
    }
}
