//! The training columns: from data and a criterion to a grown tree.

use super::best_first::Exact;
use super::prune;
use crate::cart::criterion::Criterion;
use crate::cart::depth_first::{Grower, Problem};
use crate::constraints::{Monotone, Monotonic};
use crate::forest::binned_columns::BinnedColumns;
use crate::forest::sparse_tree::SparseRows;
use crate::grown::Grown;
use crate::limits::Limits;
use crate::sorted_columns::{ROW, SortedColumns, Values, columns};
use mercer_core::{Certificate, Dataset, Error, Evidence, MISSING_CODE, Result, Rows, Session, Termination};
use std::collections::HashSet;
use std::sync::atomic::AtomicU64;

/// The training columns, with the rows of positive weight.
#[derive(Debug)]
pub(crate) struct TrainingColumns<'a> {
    columns: Vec<Values<'a>>,
    /// Rows of the data, of any weight.
    n: usize,
    /// The rows of positive weight, where some have none.
    kept: Option<Vec<u32>>,
    /// Weights of the kept rows, unless all are 1.
    pub(crate) weights: Option<Vec<f64>>,
}

impl<'a> TrainingColumns<'a> {
    pub(crate) fn new(learner: &str, rows: &'a Rows<'_>, data: &Dataset<'_>) -> Result<Self> {
        let n = rows.n_rows();
        if n > ROW as usize || rows.n_features() >= ROW as usize {
            return Err(Error::shape(format!("rows or features of {learner}, below"), ROW as usize, n));
        }
        let weights = data.weights();
        let weights = weights.as_deref();
        let kept = weights
            .filter(|w| w.contains(&0.0))
            .map(|w| (0..n as u32).filter(|&i| w[i as usize] > 0.0).collect::<Vec<u32>>());
        if n == 0 || kept.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::too_few(learner, "rows of positive weight", 1, 0));
        }
        let mut training = Self { columns: columns(learner, rows)?, n, kept, weights: None };
        training.weights = weights.map(|w| training.pick(w)).filter(|w| w.iter().any(|w| *w != 1.0));
        Ok(training)
    }

    /// The signs of `monotonic_cst`; number `place` of a node's value is meant.
    pub(crate) fn monotone(
        &self,
        owner: &str,
        given: Option<&Monotonic>,
        rows: &Rows<'_>,
        place: usize,
    ) -> Result<Option<Monotone>> {
        let Some(given) = given else { return Ok(None) };
        let signs = given.resolve(owner, rows)?;
        if let Some(j) = (0..signs.len()).find(|&j| signs[j] != 0 && self.columns[j].is_categorical()) {
            return Err(Error::param(owner, "monotonic_cst", "0 for columns of levels", rows.name(j)));
        }
        Ok(signs.iter().any(|s| *s != 0).then(|| Monotone { signs: signs.into(), place }))
    }

    /// Number of rows of positive weight.
    pub(crate) fn n_kept(&self) -> usize {
        self.kept.as_ref().map_or(self.n, Vec::len)
    }

    /// Number of columns.
    pub(crate) fn n_features(&self) -> usize {
        self.columns.len()
    }

    /// The values of the kept rows.
    pub(crate) fn pick<T: Copy>(&self, values: &[T]) -> Vec<T> {
        match &self.kept {
            Some(kept) => kept.iter().map(|&i| values[i as usize]).collect(),
            None => values.to_vec(),
        }
    }

    /// Grows a tree for the response of the kept rows, without pruning it.
    pub(crate) fn grow<R: Criterion>(
        &self,
        criterion: &R,
        limits: &Limits,
        session: &Session,
    ) -> (Grown, Termination) {
        let all = (0..self.columns.len() as u32).collect();
        self.grow_on(self.kept.as_deref(), all, criterion, limits, session)
    }

    /// The place of kept row `i` in the data.
    pub(crate) fn place(&self, i: u32) -> u32 {
        self.kept.as_ref().map_or(i, |kept| kept[i as usize])
    }

    /// Sparse rows that are too wide to be laid out by columns or bins, where the limits are such that trees grow on them.
    fn wide_sparse(&self, limits: &Limits) -> Option<SparseRows> {
        let Some(Values::Sparse(columns, _)) = self.columns.first() else { return None };
        let cells = self.n_kept().saturating_mul(self.n_features());
        let plain = limits.max_leaf_nodes.is_none()
            && limits.min_impurity_decrease <= 0.0
            && limits.interactions.is_none();
        let values = columns.view().values();
        let fits = plain && cells > WIDE && values.len() < cells / 20 && !values.iter().any(|v| v.is_nan());
        fits.then(|| SparseRows::of_columns(columns, self.kept.as_deref()))
    }

    /// The kept rows in bins, or sparse as they are; `None` where a column has more levels than there are bins, for levels that share one are
    /// lost.
    pub(crate) fn codes(&self, max_bins: Option<usize>, limits: &Limits) -> Option<BinnedColumns> {
        if let Some(rows) = self.wide_sparse(limits) {
            return Some(BinnedColumns::of_sparse(rows));
        }
        let max_bins = max_bins?;
        let many = |column: &Values<'_>| match column {
            Values::Codes(codes) => {
                let mut seen = HashSet::new();
                codes.iter().any(|&c| c != MISSING_CODE && seen.insert(c) && seen.len() > max_bins)
            }
            Values::Strided(..) | Values::Numbers(_) | Values::Sparse(..) => false,
        };
        (!self.columns.iter().any(many)).then(|| {
            let (kept, weights) = (self.kept.as_deref(), self.weights.as_deref());
            BinnedColumns::new(&self.columns, kept, self.n, weights, max_bins)
        })
    }

    /// Grows a tree on some rows of the data (all when `None`) and some features, without pruning it.
    pub(crate) fn grow_on<R: Criterion>(
        &self,
        rows: Option<&[u32]>,
        features: Vec<u32>,
        criterion: &R,
        limits: &Limits,
        session: &Session,
    ) -> (Grown, Termination) {
        let m = rows.map_or(self.n, <[u32]>::len);
        let summary = criterion.summary(&mut (0..m as u32));
        if let Some(why) = session.interrupted() {
            let mut stump = Grown::default();
            stump.push(crate::cart::depth_first::NONE, false, &summary);
            return (stump, why);
        }
        let mut limits = limits.clone();
        limits.min_weight_leaf *= summary.weight;
        let problem = Problem {
            columns: &self.columns,
            kept: rows,
            limits: &limits,
            session,
            weight: summary.weight,
            settled: AtomicU64::new(0),
            rows: m,
        };
        let used: Vec<Values<'_>> = features.iter().map(|&j| self.columns[j as usize].share()).collect();
        let lists = SortedColumns::sort(&used, self.n, rows);
        let grower = Grower::new(&problem, lists, features, None);
        let root = grower.root(summary, session.seed());
        let (grown, stopped) = match limits.max_leaf_nodes {
            Some(leaves) => Exact::grow(grower, criterion, root, leaves),
            None => grower.grow(criterion, root),
        };
        (grown, stopped.unwrap_or(Termination::Exact))
    }
}

/// More cells than this, most of them zero, are not laid out.
const WIDE: usize = 1 << 25;

/// Prunes where asked, and says what is known of the tree.
pub(crate) fn finish(
    mut grown: Grown,
    termination: Termination,
    limits: &Limits,
    weight: f64,
    evidence: (&str, &str),
    scale: f64,
) -> (Grown, Certificate) {
    if limits.min_instances > 0.0 {
        prune::by_size(&mut grown, limits.min_instances);
    }
    if limits.ccp_alpha > 0.0 {
        prune::prune(&mut grown, limits.ccp_alpha);
    }
    let (name, meaning) = evidence;
    let certificate = Certificate::new(termination)
        .with_evidence(Evidence::value(name, grown.leaf_loss() / weight, meaning).on_scale(scale))
        .with_note(
            "greedy: each split is the best of its node. That the whole tree is optimal is not claimed: finding a \
             smallest tree is NP-hard (Hyafil, Rivest 1976)",
        );
    (grown, certificate)
}
