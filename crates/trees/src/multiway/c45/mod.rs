//! C4.5: gain ratio, thresholds on numbers, missing values as fractions of rows, error-based pruning, rules.
//!
//! # Objective
//! At each node, of the attributes whose gain is at least the average, the one of the greatest
//! $$ \mathrm{GainRatio}(D, a) = \frac{F \cdot (H(D_F) - \sum_v \tfrac{|D_F^v|}{|D_F|} H(D_F^v))}{
//!    -\sum_{v} \tfrac{|D^v|}{|D|} \log_2 \tfrac{|D^v|}{|D|}} $$
//! with $D_F$ the rows whose value is known, F their share, and the missing values a part of their own in the
//! denominator. A threshold on a number costs $\log_2(\text{tries}) / |D|$ bits of its gain, with as many tries as
//! admissible thresholds: the minimum description length correction of release 8. Subtrees are then replaced by a
//! leaf or by their heaviest branch where that lowers the sum of $N \cdot U_{CF}(E, N)$ over leaves, with U the upper
//! limit of the binomial at confidence CF.
//!
//! # Algorithm
//! Quinlan's release 8, step by step. Discrete attributes branch by level and are tested once on a way, numbers
//! are cut in two; the threshold is the greatest value in all training rows that is not above the middle of the two
//! values around the cut. Two branches must weigh `min_instances`, the sides of a threshold also a tenth of an even
//! share of each class (at most 25). Attributes with more than 0.3 n levels are left out of the average of gains,
//! unless all are so. A row whose value is missing goes down every branch with the share of its known rows, in
//! training and in prediction, where the class shares of the leaves that it reaches are added up. A subtree that
//! makes as many training errors as a leaf becomes one even without pruning.
//!
//! [`MultiwayTreeModel::rules`](crate::MultiwayTreeModel::rules) gives C4.5rules: the conditions of each leaf less
//! those whose absence lowers the pessimistic error; of the rules of each class the subset that encodes it in the fewest
//! bits, rules and exceptions together; the class of fewest false positives first, and a default class. All subsets of
//! up to ten rules are looked at, else a greedy search is started from none, from all and from ten seeded subsets.
//!
//! # Complexity
//! Time O(d n log n) a level of the tree, O(n) a level and test for raising; memory O(n) a level.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::C45;
//! let x = Mat::from_rows(&[[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["a", "a", "a", "b", "b", "b"]))?;
//! let model = C45::default().fit(&data)?;
//! assert!(model.to_text(model.schema()).contains("x0 <= 3"));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! U is computed as C4.5 does: in closed form without errors, else by a normal approximation with continuity
//! correction and a table of deviates. Everything counts by weight. Ways of more than 500 tests end in a leaf.
//!
//! # References
//! - J. R. Quinlan. C4.5: Programs for Machine Learning. Morgan Kaufmann, 1993.
//! - J. R. Quinlan. Improved use of continuous attributes in C4.5. JAIR 4, 1996. doi:10.1613/jair.279

mod prune;
mod rules;
mod subset;

pub use rules::{Rule, RuleSet};

use crate::multiway::attributes::{AttributeValues, Problem};
use crate::multiway::gain::Gain;
use crate::multiway::grow::Grower;
use crate::multiway::{MultiwayTree, MultiwayTreeModel};
use mercer_core::{Dataset, Learn, Params, Result, Session, Termination};
use prune::Pruner;

/// Differences of gain, ratio and errors below this are none.
const SLACK: f64 = 1e-9;

/// C4.5: a tree chosen by gain ratio, with thresholds, missing values and error-based pruning.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "c45",
    canon = "T2",
    task = Classification,
    python = "tree",
    tried = "| prune=false,min_instances=1",
    mixins = "TreeMixin",
    can = "proba trees weights missing categorical",
    references = "Quinlan. C4.5: Programs for Machine Learning. Morgan Kaufmann, 1993."
)]
pub struct C45 {
    /// Least weight of at least two branches of a test.
    #[param(default = 2.0, range = "(0, inf)", search = "log 1..32")]
    pub min_instances: f64,
    /// Least gain ratio of a test.
    #[param(default = 0.0, range = "[0, inf)")]
    pub epsilon: f64,
    /// Whether subtrees are replaced where pessimistic errors say so.
    #[param(default = true)]
    pub prune: bool,
    /// Confidence of pessimistic errors; less prunes more.
    #[param(default = 0.25, range = "(0, 1]", search = "log 0.01..0.5")]
    pub confidence: f64,
    /// Whether pruning may raise the heaviest branch of a subtree in its place.
    #[param(default = true)]
    pub raising: bool,
}

impl Learn for C45 {
    type Model = MultiwayTreeModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        let problem = Problem::new(Self::NAME, data, false)?;
        let many = many_levels(&problem);
        let choose = |gains: &[Option<Gain>]| by_ratio(gains, &many, self.epsilon);
        let mut grower = Grower {
            problem: &problem,
            session,
            choose: &choose,
            least: self.min_instances,
            fractional: true,
            stopped: None,
            nodes: 0,
        };
        let mut root = grower.grow(&problem.items, &mut vec![false; problem.factors.len()], 0);
        let mut stopped = grower.stopped;
        prune::collapse(&mut root);
        if self.prune && stopped.is_none() {
            let mut pruner = Pruner::new(&problem, self.confidence, self.raising, session);
            pruner.prune(&mut root, &problem.items);
            stopped = pruner.stopped;
        }
        let tree = MultiwayTree::new(&root, problem.dictionaries.clone());
        MultiwayTreeModel::new(tree, true, stopped.unwrap_or(Termination::Exact), data)
    }
}

/// The attributes with so many levels that their gain says little; none, where all are so.
fn many_levels(problem: &Problem) -> Vec<bool> {
    let rows: f64 = problem.items.iter().map(|item| item.weight).sum();
    let many =
        |f: &AttributeValues| matches!(f, AttributeValues::Levels(_, levels) if *levels as f64 >= 0.3 * rows);
    let all: Vec<bool> = problem.factors.iter().map(many).collect();
    if all.contains(&false) { all } else { vec![false; all.len()] }
}

/// The attribute of the greatest gain ratio among those of at least average gain.
fn by_ratio(gains: &[Option<Gain>], many: &[bool], epsilon: f64) -> Option<usize> {
    let counted =
        || gains.iter().zip(many).filter(|(_, many)| !**many).filter_map(|(g, _)| g.map(|g| g.gain));
    let n = counted().count();
    let average = if n == 0 { f64::INFINITY } else { counted().sum::<f64>() / n as f64 };
    let mut best: Option<(usize, f64)> = None;
    for (j, gain) in gains.iter().enumerate().filter_map(|(j, g)| g.map(|g| (j, g))) {
        if gain.gain < average - SLACK || gain.split_info <= SLACK {
            continue;
        }
        let ratio = gain.gain / gain.split_info;
        if ratio >= epsilon - SLACK && best.is_none_or(|(_, found)| ratio > found + 1e-12) {
            best = Some((j, ratio));
        }
    }
    best.map(|(j, _)| j)
}
