//! Reduced-error pruning on validation rows.

use crate::cart::tree::Tree;
use crate::grown::{Grown, LEAF};
use crate::sorted_columns::columns;
use mercer_core::{Dataset, Error, Input, Result, Schema, Session};

/// What a row of this number loses where a node predicts these values, times its weight.
pub(crate) type Loss<'a> = Box<dyn Fn(usize, &[f64]) -> f64 + 'a>;

/// The validation rows of a data set in the shape of the training rows.
pub(crate) struct ValidationRows<'a> {
    input: Input<'a>,
    loss: Loss<'a>,
}

impl<'a> ValidationRows<'a> {
    /// The rows that `data` carries for validation; `loss` makes what their target says into a loss.
    pub(crate) fn new(
        learner: &str,
        data: &Dataset<'a>,
        session: &Session,
        loss: impl FnOnce(&Dataset<'a>) -> Result<Loss<'a>>,
    ) -> Result<Self> {
        let valid = data.valid().ok_or_else(|| {
            let needs = "true only with validation rows";
            Error::param(learner, "reduced_error", needs, "true without them")
        })?;
        if valid.n_rows() == 0 {
            return Err(Error::too_few(learner, "validation rows", 1, 0));
        }
        let input = Schema::of(data).align(learner, &valid.input(), session.unseen())?.into_owned();
        Ok(Self { input, loss: loss(valid)? })
    }

    /// Reduced-error pruning: from the leaves up, a subtree that does not do better than a leaf on these rows
    /// becomes one. Where no row comes by, the leaf wins.
    pub(crate) fn prune(&self, grown: &mut Grown, n_features: usize) -> Result<()> {
        let (tree, order) = (Tree::new(grown, n_features), grown.preorder());
        let rows = self.input.rows("a tree")?;
        let table = columns("a tree", rows)?;
        let mut own = vec![0.0; order.len()];
        for i in 0..rows.n_rows() {
            for at in tree.path(|j| table[j].number(i)) {
                own[at] += (self.loss)(i, tree.value(at));
            }
        }
        let mut subtree = vec![0.0; grown.len()];
        for (&id, own) in order.iter().zip(own).rev() {
            let id = id as usize;
            let (left, right) = (grown.left[id], grown.right[id]);
            let below = if left == LEAF { own } else { subtree[left as usize] + subtree[right as usize] };
            subtree[id] = below.min(own);
            if left != LEAF && own <= below {
                grown.cut_off(id);
            }
        }
        Ok(())
    }
}
