//! Forest growth: bootstrap bags of rows, one task a tree, and what is kept of the trees.

use super::binned_columns::BinnedColumns;
use super::histogram_tree::{Entry, Grower};
use super::sparse_tree::SparseGrower;
use super::split_statistics::SplitStatistics;
use crate::cart::criterion::Criterion;
use crate::cart::prune;
use crate::cart::training_columns::TrainingColumns;
use crate::grown::Grown;
use crate::limits::Limits;
use crate::packed::{Leaf, PackedTrees, RowCursor};
use mercer_core::{Choice, Dataset, Result, Session, Termination};
use mercer_math::{Rng, Weights, below, by_weight, rng_for, running_sums, sample_indices, seed_for};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};

/// When the features that a split may use are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum FeaturesPer {
    /// Anew for every split (Breiman 2001).
    Split,
    /// Once for each tree (Ho 1998).
    Tree,
}

/// The bootstrap bags of a forest: which rows each tree was grown on can be drawn again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bags {
    pub(crate) seed: u64,
    /// Rows drawn for each tree, with replacement.
    pub(crate) draws: u64,
}

/// The streams of a tree.
const ROWS: u64 = 0;
const FEATURES: u64 = 1;
const NODES: u64 = 2;

impl Bags {
    /// How often each of `n` rows is in the bag of tree `t`; with `sums`, the running sums of their weights, rows are
    /// drawn in proportion to weight.
    pub(crate) fn counts(&self, t: usize, n: usize, sums: Option<&[f64]>) -> Vec<u16> {
        let mut rng = rng_for(seed_for(self.seed, t as u64), ROWS);
        let mut counts = vec![0u16; n];
        for _ in 0..self.draws {
            let i = match sums {
                None => below(&mut rng, n),
                Some(sums) => by_weight(&mut rng, sums),
            };
            counts[i] = counts[i].saturating_add(1);
        }
        counts
    }
}

/// The running sums of the weights that rows are drawn by, unless all are 1.
pub(crate) fn running(weights: &[f64]) -> Option<Vec<f64>> {
    weights.iter().any(|w| *w != 1.0).then(|| running_sums(weights.iter().copied()))
}

/// The plan of a forest: what its trees are grown by.
#[derive(Debug)]
pub(crate) struct ForestPlan {
    pub(crate) n_estimators: usize,
    pub(crate) limits: Limits,
    pub(crate) bags: Option<Bags>,
    /// Running sums of the weights that rows are drawn by.
    pub(crate) sums: Option<Vec<f64>>,
    pub(crate) features_per: FeaturesPer,
}

/// The task of growing one tree.
#[derive(Debug)]
pub(crate) struct Task {
    /// How often each kept row is in the bag; `None` is once each.
    pub(crate) counts: Option<Vec<u16>>,
    features: Vec<u32>,
    session: Session,
    rng: Rng,
    /// Whether there are no other trees to be grown at the same time.
    is_alone: bool,
}

impl Task {
    /// A tree of all rows and features that stands for itself.
    pub(crate) fn alone(d: usize, session: &Session) -> Self {
        let rng = rng_for(session.seed(), NODES);
        let features = (0..d as u32).collect();
        Self { counts: None, features, session: session.clone(), rng, is_alone: true }
    }

    /// The rows of the bag, with how often they are in it.
    pub(crate) fn rows(&self, n: usize) -> impl Iterator<Item = (u32, u16)> + '_ {
        (0..n as u32)
            .map(|i| (i, self.counts.as_ref().map_or(1, |c| c[i as usize])))
            .filter(|(_, count)| *count > 0)
    }

    /// Grows on binned columns; `item` is the response of a row.
    pub(crate) fn binned<T: SplitStatistics>(
        self,
        statistics: &T,
        codes: &BinnedColumns,
        n: usize,
        limits: &Limits,
        item: impl Fn(u32, u16) -> T::Item,
    ) -> GrownTree {
        let entries: Vec<_> = self.rows(n).map(|(row, c)| Entry { row, item: item(row, c) }).collect();
        if let Some(rows) = &codes.sparse {
            let on = (statistics, rows, &self.session);
            return SparseGrower::new(on, limits.clone(), entries, &self.features, self.rng).grow();
        }
        let on = (statistics, codes, &self.session);
        let grower = Grower::new(on, limits.clone(), entries, self.features, self.rng, None);
        if self.is_alone { grower.grow_in_parallel() } else { grower.grow() }
    }

    /// Grows with exact splits; `criterion` is that of the bag's rows, in their order.
    pub(crate) fn exact<R: Criterion>(
        self,
        training: &TrainingColumns<'_>,
        limits: &Limits,
        criterion: impl FnOnce(&[(u32, u16)]) -> R,
    ) -> GrownTree {
        let rows: Vec<(u32, u16)> = self.rows(training.n_kept()).collect();
        let places: Vec<u32> = rows.iter().map(|&(row, _)| training.place(row)).collect();
        let (grown, end) =
            training.grow_on(Some(&places), self.features, &criterion(&rows), limits, &self.session);
        (grown, Some(end).filter(|end| !end.is_success()))
    }
}

/// A grown tree, and why it was cut short, where it was.
pub(crate) type GrownTree = (Grown, Option<Termination>);

/// The targets that the trees of a forest grow on: from histograms where they can, else with exact splits.
pub(crate) trait ForestTarget: Sync {
    /// The kept rows in bins, where trees for these targets can grow from histograms.
    fn codes(
        &self,
        training: &TrainingColumns<'_>,
        max_bins: Option<usize>,
        limits: &Limits,
    ) -> Option<BinnedColumns>;
    /// Grows a tree from histograms.
    fn binned(&self, task: Task, codes: &BinnedColumns, limits: &Limits) -> GrownTree;
    /// Grows a tree with exact splits.
    fn exact(&self, task: Task, training: &TrainingColumns<'_>, limits: &Limits) -> GrownTree;

    /// Grows a single tree of all rows from histograms, where there can be one.
    fn single(
        &self,
        training: &TrainingColumns<'_>,
        max_bins: Option<usize>,
        limits: &Limits,
        session: &Session,
    ) -> Option<(Grown, Termination)> {
        let codes = self.codes(training, max_bins, limits)?;
        let (grown, stopped) = self.binned(Task::alone(codes.n_features(), session), &codes, limits);
        Some((grown, stopped.unwrap_or(Termination::Complete)))
    }

    /// Grows a forest by a plan; its leaves hold `width` numbers.
    fn forest(
        &self,
        plan: ForestPlan,
        (training, max_bins): (&TrainingColumns<'_>, Option<usize>),
        width: usize,
        session: &Session,
    ) -> Result<(Forest, Termination)> {
        let binned = self.codes(training, max_bins, &plan.limits);
        let shape = (training.n_kept(), training.n_features(), width);
        plan.grow(shape, session, |task, limits| match &binned {
            Some(codes) => self.binned(task, codes, limits),
            None => self.exact(task, training, limits),
        })
    }
}

/// A grown forest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Forest {
    pub(crate) packed: PackedTrees,
    pub(crate) importances: Vec<f64>,
    pub(crate) bags: Option<Bags>,
}

type Made = (PackedTrees, Vec<f64>, Option<Termination>);

impl ForestPlan {
    /// Grows the forest of `n` kept rows and `d` features whose leaves hold `width` numbers.
    pub(crate) fn grow(
        self,
        (n, d, width): (usize, usize, usize),
        session: &Session,
        tree: impl Fn(Task, &Limits) -> GrownTree + Sync,
    ) -> Result<(Forest, Termination)> {
        let (done, total) = (AtomicU64::new(0), Some(self.n_estimators as u64));
        let one = |t: usize| -> Result<Option<Made>> {
            if t > 0 && session.interrupted().is_some() {
                return Ok(None);
            }
            let (mut grown, mut stopped) = tree(self.task(t, n, d, session), &self.limits);
            if self.limits.ccp_alpha > 0.0 {
                prune::prune(&mut grown, self.limits.ccp_alpha);
            }
            let mut packed = PackedTrees::new(d, width, width);
            packed.push((&grown).into())?;
            let so_far = done.fetch_add(1, Ordering::Relaxed) + 1;
            let late = session.step("trees", so_far, total, None);
            stopped = stopped.or(late.filter(|_| so_far < self.n_estimators as u64));
            Ok(Some((packed, importances(&grown, d), stopped)))
        };
        let made: Vec<Result<Option<Made>>> =
            (0..self.n_estimators).into_par_iter().with_max_len(1).map(one).collect();
        let made = made.into_iter().filter_map(Result::transpose).collect::<Result<Vec<Made>>>()?;
        self.gather(made, (d, width))
    }

    fn task(&self, t: usize, n: usize, d: usize, session: &Session) -> Task {
        let seed = seed_for(session.seed(), t as u64);
        let counts = self.bags.as_ref().map(|bags| bags.counts(t, n, self.sums.as_deref()));
        let features = match self.features_per {
            FeaturesPer::Split => (0..d as u32).collect(),
            FeaturesPer::Tree => {
                let drawn = sample_indices(&mut rng_for(seed, FEATURES), d, self.limits.max_features);
                let mut drawn: Vec<u32> = drawn.into_iter().map(|j| j as u32).collect();
                drawn.sort_unstable();
                drawn
            }
        };
        let session = session.quiet().with_seed(seed_for(seed, NODES));
        Task { counts, features, session, rng: rng_for(seed, NODES), is_alone: false }
    }

    /// Puts the trees together. Trees that were cut short are left out, unless there are no others.
    fn gather(self, made: Vec<Made>, (d, width): (usize, usize)) -> Result<(Forest, Termination)> {
        let stopped = made.iter().find_map(|m| m.2);
        let short = made.len() < self.n_estimators;
        let stopped = stopped.or(short.then_some(Termination::Cancelled));
        let whole = made.iter().any(|m| m.2.is_none());
        let mut packed = PackedTrees::new(d, width, width);
        let mut sum = vec![0.0; d];
        for (one, part, _) in made.iter().filter(|m| !whole || m.2.is_none()) {
            packed.append(one)?;
            sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
        }
        normalise(&mut sum);
        let forest = Forest { packed, importances: sum, bags: self.bags };
        Ok((forest, stopped.unwrap_or(Termination::Complete)))
    }
}

/// The decrease of impurity that each feature brought to one tree, summing to 1 (or all 0 without a split).
fn importances(grown: &Grown, d: usize) -> Vec<f64> {
    use crate::grown::Rule;
    let mut out = vec![0.0; d];
    let part = |i: usize| grown.weight[i] * grown.impurity[i];
    for i in grown.preorder().into_iter().map(|i| i as usize) {
        if let Rule::Number { feature, .. } | Rule::Levels { feature, .. } = &grown.rule[i] {
            let (left, right) = (grown.left[i] as usize, grown.right[i] as usize);
            out[*feature as usize] += part(i) - part(left) - part(right);
        }
    }
    normalise(&mut out);
    out
}

fn normalise(values: &mut [f64]) {
    let total: f64 = values.iter().sum();
    if total > 0.0 {
        values.iter_mut().for_each(|v| *v /= total);
    }
}

impl Forest {
    /// The mean over the trees of what their leaves say: rows × outputs.
    pub(crate) fn mean(&self, input: &mercer_core::Input<'_>, session: &Session) -> Result<Vec<f64>> {
        let trees = self.packed.n_trees();
        let mut sums = self.packed.sum(input, session, 0..trees)?;
        sums.iter_mut().for_each(|v| *v /= trees as f64);
        Ok(sums)
    }

    /// The mean over the trees whose bags a row is not in, NaN where there is none: rows × outputs. Rows of weight 0
    /// are in no bag, and left out. `weights` are those that rows are drawn by.
    pub(crate) fn out_of_bag(
        &self,
        bags: &Bags,
        data: &Dataset<'_>,
        weights: Option<&[f64]>,
        session: &Session,
    ) -> Result<Vec<f64>> {
        let n = data.n_rows();
        let kept: Vec<usize> = (0..n).filter(|&i| Weights::from(weights).counts(i)).collect();
        let sums = weights.and_then(|w| running(&kept.iter().map(|&i| w[i]).collect::<Vec<f64>>()));
        let outside = |t: usize| {
            let mut bits = vec![0u64; n.div_ceil(64)];
            let counts = bags.counts(t, kept.len(), sums.as_deref());
            let out = kept.iter().zip(counts).filter(|(_, count)| *count == 0);
            out.for_each(|(&i, _)| bits[i / 64] |= 1 << (i % 64));
            bits
        };
        let trees = self.packed.n_trees();
        let outside: Vec<Vec<u64>> = (0..trees).into_par_iter().map(outside).collect();
        let wanted = |t: usize, i: usize| outside[t][i / 64] >> (i % 64) & 1 == 1;
        let (k, stride) = (self.packed.outputs(), self.packed.outputs() + 1);
        let add = |t: usize, leaf: Leaf, _: RowCursor<'_>, out: &mut [f64]| {
            self.packed.add(t, leaf, &mut out[..k]);
            out[k] += 1.0;
        };
        let sums = self.packed.walk(&data.input(), session, 0..trees, stride, Some(&wanted), add)?;
        Ok(sums.chunks(stride).flat_map(|row| row[..k].iter().map(|v| v / row[k])).collect())
    }

    /// For each row of `a` and `b`, the share of trees in which both end in the same leaf.
    pub(crate) fn proximity(
        &self,
        a: &mercer_core::Input<'_>,
        b: &mercer_core::Input<'_>,
        session: &Session,
    ) -> Result<mercer_math::Mat> {
        let (of_a, of_b) = (self.packed.apply(a, session)?, self.packed.apply(b, session)?);
        Ok(crate::read::shared_leaves(&of_a, &of_b, self.packed.n_trees()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomForestRegressor;
    use mercer_core::{Fit, Input, Target};
    use mercer_math::{Mat, normal};

    /// Tree by tree and row by row, with the bags drawn again.
    #[test]
    fn out_of_bag_means_by_hand() {
        let mut rng = rng_for(2, 2);
        let x = Mat::from_fn(200, 3, |_, _| normal(&mut rng));
        let y: Vec<f64> = (0..200).map(|i| x[(i, 0)] + 0.1 * normal(&mut rng)).collect();
        let weights: Vec<f64> = (0..200).map(|i| f64::from(i % 4) / 2.0).collect();
        let kept: Vec<usize> = (0..200).filter(|i| weights[*i] > 0.0).collect();
        let sums = running(&kept.iter().map(|&i| weights[i]).collect::<Vec<_>>());
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap().with_weights(weights).unwrap();
        let learner = RandomForestRegressor::default().oob_score(true).n_estimators(25);
        let (session, trees) = (Session::new(6), 25);
        let model = learner.fit_in(&data, &session).unwrap();
        let leaves = model.trees().apply(&Input::from(&x), &session).unwrap();
        let (mut sum, mut count) = (vec![0.0; 200], vec![0.0; 200]);
        let bags = Bags { seed: 6, draws: kept.len() as u64 };
        for t in 0..trees {
            let counts = bags.counts(t, kept.len(), sums.as_deref());
            assert_eq!(counts.iter().map(|c| u64::from(*c)).sum::<u64>(), bags.draws);
            for (&i, _) in kept.iter().zip(&counts).filter(|(_, c)| **c == 0) {
                sum[i] += model.trees().value(t, leaves[i * trees + t] as usize).unwrap()[0];
                count[i] += 1.0;
            }
        }
        for (i, found) in model.oob_prediction().unwrap().iter().enumerate() {
            let expected: f64 = sum[i] / count[i];
            assert!(*found == expected || (found.is_nan() && expected.is_nan()), "{i}");
        }
        // A row of weight 0.5 is outside of more bags than one of weight 1.5.
        let outside = |k: usize| kept.iter().filter(|i| *i % 4 == k).map(|&i| count[i]).sum::<f64>();
        assert!(outside(1) > 1.5 * outside(3));
    }
}
