//! ID3: a tree on discrete attributes, chosen by the entropy that they take away.
//!
//! # Objective
//! At each node the attribute of the greatest information gain
//! $$ \mathrm{Gain}(D, a) = H(D) - \sum_v \tfrac{|D^v|}{|D|} H(D^v), \qquad H(D) = -\sum_k p_k \log_2 p_k, $$
//! with a branch for each of its values v, as long as the gain is at least $\varepsilon$.
//!
//! # Algorithm
//! The general algorithm for decision trees on discrete attributes, with $D^v$ the rows of *value* v. A node is a
//! leaf where all rows are of one class, where no attribute is left that tells two rows apart, or where the best gain
//! is below `epsilon`; an attribute is tested once on a way. A branch that no training row takes predicts what the
//! node above it does (and the loop over values then goes on). Ties go to the first attribute.
//!
//! Discrete are categorical columns, and numeric ones of at most 64 different whole numbers (as ordinal encoders and
//! binning make them); any other column is refused by name. A row whose tested value is missing counts in the node
//! but goes down no branch, and the gain is multiplied by the share of known values. Where a value is missing or was
//! never seen in training, the prediction is that of the node.
//!
//! # Complexity
//! Time O(d n) a level of the tree, at most d levels; memory O(n) a level. A prediction costs one look-up a level.
//!
//! # Example
//! ```
//! use mercer_core::{Column, Dataset, Fit, Table, Target};
//! use mercer_trees::Id3;
//! let wind = Column::categories(&[Some("weak"), Some("strong"), Some("weak")]);
//! let table = Table::new(vec![("wind".into(), wind)])?;
//! let data = Dataset::new(&table).with_target(Target::classes(&["yes", "no", "yes"]))?;
//! let model = Id3::default().fit(&data)?;
//! assert_eq!(model.predict(&table)?.class()?.0, &[1, 0, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A gain has to be better by more than 1e-12 bits to win over an attribute that comes first. Ways of more than 500
//! tests end in a leaf.
//!
//! # References
//! - J. R. Quinlan. Induction of decision trees. Machine Learning 1, 1986. doi:10.1007/BF00116251

use crate::multiway::attributes::Problem;
use crate::multiway::grow::Grower;
use crate::multiway::{MultiwayTree, MultiwayTreeModel};
use mercer_core::{Dataset, Learn, Params, Result, Session, Termination};

/// ID3: a tree on discrete attributes with a branch for each value, chosen by information gain.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "id3",
    canon = "T1",
    task = Classification,
    python = "tree",
    fixture = Levels,
    mixins = "TreeMixin",
    can = "proba trees weights missing categorical",
    references = "Quinlan. Induction of decision trees. Machine Learning 1, 1986."
)]
pub struct Id3 {
    /// Least information gain of a split, in bits.
    #[param(default = 0.0, range = "[0, inf)", search = "log 1e-4..1e-1")]
    pub epsilon: f64,
}

impl Learn for Id3 {
    type Model = MultiwayTreeModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        let problem = Problem::new(Self::NAME, data, true)?;
        let choose = |gains: &[Option<crate::multiway::gain::Gain>]| {
            let known = gains.iter().enumerate().filter_map(|(j, g)| g.map(|g| (j, g.gain)));
            let best = known.reduce(|best, next| if next.1 > best.1 + 1e-12 { next } else { best });
            best.filter(|(_, gain)| *gain >= self.epsilon - 1e-12).map(|(j, _)| j)
        };
        let mut grower = Grower {
            problem: &problem,
            session,
            choose: &choose,
            least: 0.0,
            fractional: false,
            stopped: None,
            nodes: 0,
        };
        let root = grower.grow(&problem.items, &mut vec![false; problem.factors.len()], 0);
        let termination = grower.stopped.unwrap_or(Termination::Exact);
        let tree = MultiwayTree::new(&root, problem.dictionaries);
        MultiwayTreeModel::new(tree, false, termination, data)
    }
}
