//! The training loop: the rounds of boosting.

use super::binned_tree::BinnedTree;
use super::early_stopping::EarlyStopper;
use super::grow::{BoostContext, Workspace, grow};
use super::histogram::Groups;
use super::lambdarank::Queries;
use super::linear_leaves::{Raw, features};
use super::loss::Loss;
use super::model::BoostedTrees;
use super::quantised::Packed;
use super::sampling;
use super::settings::{BoostSettings, Job, Sampling};
use super::split::SplitFinder;
use super::target_statistics::encode;
use crate::bins::Bins;
use crate::packed::{Line, PackedTrees, TreeParts};
use crate::sorted_columns::{ROW, columns};
use mercer_core::{Certificate, Error, Evidence, Result, Session, Termination};
use mercer_math::{Weights, seed_for};
use mercer_measure::loss::quantile_constant;
use rayon::prelude::*;

/// A trained tree: its splits in codes, and the values of its leaves.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) binned: BinnedTree,
    pub(crate) value: Vec<f64>,
    pub(crate) cover: Vec<f64>,
    /// The lines of the leaves; empty where the tree is without.
    pub(crate) lines: Vec<Option<Line>>,
}

impl Finished {
    /// Adds the tree to the packed ones.
    pub(crate) fn pack(&self, bins: &Bins, packed: &mut PackedTrees) -> Result<()> {
        let rule = &self.binned.rules(bins);
        let (left, right) = (&self.binned.left, &self.binned.right);
        let (cover, value, lines) = (&self.cover, &self.value, &self.lines);
        packed.push(TreeParts { rule, left, right, cover, value, lines, details: (&[], &[]) })
    }

    /// Adds `factor` times the tree to the scores of all rows.
    pub(crate) fn add(&self, bins: &Bins, raw: Raw<'_>, factor: f64, scores: &mut [f64]) {
        scores.par_chunks_mut(4096).enumerate().for_each(|(b, scores)| {
            for (i, score) in (b * 4096..).zip(scores) {
                let leaf = self.binned.leaf(bins, i) as usize;
                let line = self.lines.get(leaf).and_then(Option::as_ref);
                *score += factor * line.and_then(|line| raw.at(line, i)).unwrap_or(self.value[leaf]);
            }
        });
    }

    /// Multiplies what all leaves say.
    fn scale(&mut self, factor: f64) {
        self.value.iter_mut().for_each(|v| *v *= factor);
        self.lines.iter_mut().flatten().for_each(|line| line.scale(factor));
    }
}

/// The training state: scores, gradients and trees so far, on the kept rows.
struct Rounds<'a> {
    settings: &'a BoostSettings,
    job: &'a Job<'a>,
    session: &'a Session,
    bins: &'a Bins,
    raw: Raw<'a>,
    y: Vec<f64>,
    w: Option<Vec<f64>>,
    queries: Option<Queries>,
    /// Output × row, as gradients and hessians.
    scores: Vec<f64>,
    g: Vec<f32>,
    h: Vec<f32>,
    /// Rows of the current bag, where not all are in it.
    bag: Option<Vec<u32>>,
    trees: Vec<Finished>,
}

/// Boosts.
pub(crate) fn boost(job: &Job<'_>, settings: &BoostSettings, session: &Session) -> Result<BoostedTrees> {
    let rows = job.data.rows(job.learner)?;
    let n = rows.n_rows();
    if n > ROW as usize || rows.n_features() >= 1 << 24 {
        return Err(Error::shape(format!("rows or features of {}, below", job.learner), ROW as usize, n));
    }
    let columns = columns(job.learner, &rows)?;
    let mut stopper = EarlyStopper::new(job, settings, (&rows, &columns), session)?;
    let kept = stopper.kept(n, job.weights.as_deref());
    let pick =
        |v: &[f64]| kept.as_ref().map_or_else(|| v.to_vec(), |k| k.iter().map(|&i| v[i as usize]).collect());
    let (y, w) = (pick(&job.y), job.weights.as_deref().map(pick));
    if y.is_empty() {
        return Err(Error::too_few(job.learner, "rows of positive weight", 1, 0));
    }
    let w = w.filter(|w| w.iter().any(|w| *w != 1.0));
    let mut bins = Bins::new(&columns, kept.as_deref(), n, w.as_deref(), settings.max_bins, settings.bundle);
    encode(
        &mut bins,
        &columns,
        kept.as_deref(),
        (&y, w.as_deref()),
        settings,
        seed_for(session.seed(), 0xF01D),
    );
    let (bins, raw) = (&bins, Raw { columns: &columns, kept: kept.as_deref() });
    let start = match (job.before, job.objective) {
        (Some(before), _) => before.start.clone(),
        (None, Some(objective)) => vec![objective.start(&y, w.as_deref())],
        _ => settings.loss.start(&y, w.as_deref()),
    };
    check_size(job.learner, settings.loss, &y, &start)?;
    let (m, k) = (y.len(), settings.loss.outputs());
    let mut scores: Vec<f64> = start.iter().flat_map(|&s| std::iter::repeat_n(s, m)).collect();
    if let Some(before) = job.before {
        let found = before.raw(&job.data.input(), session)?;
        for (place, score) in scores.iter_mut().enumerate() {
            let row = kept.as_ref().map_or(place % m, |kept| kept[place % m] as usize);
            *score = found[row * k + place / m];
        }
    }
    let constant = settings.loss.constant_hessian().is_some() && w.is_none();
    let one_side = matches!(settings.sampling, Sampling::OneSide(..));
    let h = if constant && !one_side { Vec::new() } else { vec![0f32; m * k] };
    let queries =
        (settings.loss == Loss::LambdaRank).then(|| Queries::new(job, kept.as_deref())).transpose()?;
    let (g, bag, trees) = (vec![0f32; m * k], None, Vec::new());
    stopper.begin(&start, job, session)?;
    let mut rounds = Rounds { settings, job, session, bins, raw, y, w, queries, scores, g, h, bag, trees };
    let termination = rounds.run(&mut stopper)?;
    rounds.finish(start, stopper, termination, rows.n_features())
}

/// Gradients are of single precision: residuals that it cannot hold, or that vanish in it, are refused.
fn check_size(learner: &str, loss: Loss, y: &[f64], start: &[f64]) -> Result<()> {
    if !matches!(loss, Loss::Squared | Loss::Huber(_)) {
        return Ok(());
    }
    let largest = y.iter().fold(0.0f64, |m, y| m.max((y - start[0]).abs()));
    if largest == 0.0 || (1e-30..1e30).contains(&largest) {
        return Ok(());
    }
    let why = format!("targets that differ by {largest:.1e} are too large or too small: scale the target");
    Err(Error::numeric(learner, why))
}

impl Rounds<'_> {
    fn run(&mut self, stopper: &mut EarlyStopper<'_>) -> Result<Termination> {
        let groups = Groups::new(self.bins);
        let (settings, k) = (self.settings, self.settings.loss.outputs());
        let context = BoostContext {
            bins: self.bins,
            groups: &groups,
            limits: &settings.limits,
            session: self.session,
        };
        let (mut packed, mut work) = (Packed::default(), Workspace::default());
        let mut rows: Vec<u32> = Vec::new();
        for round in 0..settings.rounds {
            let total = Some(settings.rounds as u64);
            if let Some(why) = self.session.step("rounds", round as u64, total, stopper.latest()) {
                return Ok(why);
            }
            let dropped =
                sampling::drop(settings.dropout.as_ref(), self.session.seed(), round, self.trees.len() / k);
            self.shift(&dropped, -1.0);
            self.gradients();
            self.draw(round);
            let shrunk = settings.learning_rate / (1.0 + dropped.len() as f64);
            let mut splits = 0;
            for c in 0..k {
                let seed = seed_for(self.session.seed(), (round * k + c) as u64);
                let h = if self.h.is_empty() { &[][..] } else { &self.h[c * self.y.len()..][..self.y.len()] };
                let constant = settings.loss.constant_hessian().unwrap_or(1.0);
                packed.fill(&self.g[c * self.y.len()..][..self.y.len()], h, constant, seed);
                rows.clear();
                match &self.bag {
                    Some(bag) => rows.extend(bag),
                    None => rows.extend(0..self.y.len() as u32),
                }
                let binned = grow(&context, &packed, &mut work, seed, &mut rows);
                splits += binned.leaves.len() - 1;
                let tree = self.settle(binned, &rows, c, shrunk);
                self.trees.push(tree);
            }
            self.scale(&dropped);
            let certain = settings.sampling == Sampling::All && settings.limits.tree_features >= 1.0;
            if splits == 0 && certain && settings.limits.node_features >= 1.0 && dropped.is_empty() {
                self.trees.truncate(self.trees.len() - k);
                return Ok(Termination::Converged);
            }
            let newest = &self.trees[self.trees.len() - k..];
            if stopper
                .should_stop(newest, self.bins, |what| what.of(&self.y, self.w.as_deref(), &self.scores))?
            {
                return Ok(Termination::Converged);
            }
        }
        Ok(Termination::Complete)
    }

    /// Adds `factor` times the trees of some rounds to the scores.
    fn shift(&mut self, dropped: &[usize], factor: f64) {
        let (m, k) = (self.y.len(), self.settings.loss.outputs());
        for (t, c) in dropped.iter().flat_map(|&r| (0..k).map(move |c| (r * k + c, c))) {
            self.trees[t].add(self.bins, self.raw, factor, &mut self.scores[c * m..][..m]);
        }
    }

    /// Gives dropped trees back with the weight that is left to them.
    fn scale(&mut self, dropped: &[usize]) {
        let (k, left) = (self.settings.loss.outputs(), dropped.len() as f64 / (1.0 + dropped.len() as f64));
        for t in dropped.iter().flat_map(|&r| r * k..(r + 1) * k) {
            self.trees[t].scale(left);
        }
        self.shift(dropped, 1.0);
    }

    /// The gradients and hessians of all rows, weighted.
    fn gradients(&mut self) {
        let (m, loss) = (self.y.len(), self.settings.loss);
        match (&self.queries, self.job.objective) {
            (Some(queries), _) => queries.gradients(&self.y, &self.scores, &mut self.g, &mut self.h),
            (None, Some(objective)) => objective.gradients(&self.y, &self.scores, &mut self.g, &mut self.h),
            _ => loss.gradients(&self.y, &self.scores, &mut self.g, &mut self.h),
        }
        if let (Some(constant), false) = (loss.constant_hessian(), self.h.is_empty()) {
            self.h.fill(constant as f32);
        }
        if let Some(w) = &self.w {
            let weigh = |v: &mut [f32]| v.iter_mut().zip(w).for_each(|(v, &w)| *v *= w as f32);
            self.g.chunks_mut(m).for_each(weigh);
            self.h.chunks_mut(m).for_each(weigh);
        }
    }

    /// Draws the rows of this round.
    fn draw(&mut self, round: usize) {
        let (m, seed) = (self.y.len(), self.session.seed());
        match self.settings.sampling {
            Sampling::All => {}
            Sampling::Bagging(share, every) => {
                if round.is_multiple_of(every.max(1)) {
                    self.bag = Some(sampling::bag(m, share, seed, round));
                }
            }
            Sampling::OneSide(top, other) => {
                self.bag = Some(sampling::one_side(m, (top, other), seed, round, &mut self.g, &mut self.h));
            }
        }
    }

    /// The values of the leaves from the exact gradients of their rows; the scores of all rows move on.
    fn settle(&mut self, binned: BinnedTree, rows: &[u32], c: usize, rate: f64) -> Finished {
        let (m, settings) = (self.y.len(), self.settings);
        let (g, scores) = (&self.g[c * m..][..m], &self.scores[c * m..][..m]);
        let h = if self.h.is_empty() { None } else { Some(&self.h[c * m..][..m]) };
        let constant = settings.loss.constant_hessian().unwrap_or(1.0);
        let one = |&(node, start, end): &(u32, usize, usize)| {
            let rows = || rows[start..end].iter().map(|&i| i as usize);
            let weight = self.w.as_ref().map_or((end - start) as f64, |w| rows().map(|i| w[i]).sum());
            let value = match settings.loss.leaf_quantile() {
                Some(q) => {
                    let w = Weights::of(&self.w);
                    let mut residuals: Vec<_> = rows().map(|i| (self.y[i] - scores[i], w[i])).collect();
                    let bounds = binned.bounds[node as usize];
                    quantile_constant(&mut residuals, q).clamp(bounds.0, bounds.1)
                }
                None => {
                    let gradient: f64 = rows().map(|i| f64::from(g[i])).sum();
                    let hessian = match h {
                        Some(h) => rows().map(|i| f64::from(h[i])).sum(),
                        None => constant * (end - start) as f64,
                    };
                    SplitFinder::value(&settings.limits, gradient, hessian, binned.bounds[node as usize])
                }
            };
            (node, rate * value, weight)
        };
        let found: Vec<(u32, f64, f64)> = binned.leaves.par_iter().map(one).collect();
        let (mut value, mut cover) = (vec![0.0; binned.split.len()], vec![0.0; binned.split.len()]);
        for (node, v, weight) in found {
            (value[node as usize], cover[node as usize]) = (v, weight);
        }
        for i in (0..cover.len()).rev().filter(|&i| binned.split[i].is_some()) {
            cover[i] = cover[binned.left[i] as usize] + cover[binned.right[i] as usize];
        }
        let lines = self.lines(&binned, rows, c, rate);
        let tree = Finished { binned, value, cover, lines };
        let scores = &mut self.scores[c * m..][..m];
        if rows.len() < m || !tree.lines.is_empty() {
            tree.add(self.bins, self.raw, 1.0, scores);
        } else {
            for &(node, start, end) in &tree.binned.leaves {
                let v = tree.value[node as usize];
                rows[start..end].iter().for_each(|&i| scores[i as usize] += v);
            }
        }
        tree
    }

    /// The lines of the leaves, by node, where the settings want any: not in the first tree, which takes the bulk.
    fn lines(&self, tree: &BinnedTree, rows: &[u32], c: usize, rate: f64) -> Vec<Option<Line>> {
        let first = self.trees.len() < self.settings.loss.outputs() && self.job.before.is_none();
        let Some(lambda) = self.settings.linear.filter(|_| !first) else { return Vec::new() };
        let (base, features) = (c * self.y.len(), features(tree, self.bins));
        let constant = self.settings.loss.constant_hessian().unwrap_or(1.0);
        let derivatives = |i: usize| {
            let hessian = self.h.get(base + i).map_or(constant, |&h| f64::from(h));
            (f64::from(self.g[base + i]), hessian)
        };
        let one = |&(node, start, end): &(u32, usize, usize)| {
            let mut line = self.raw.fit(&features[node as usize], &rows[start..end], lambda, derivatives)?;
            line.scale(rate);
            Some((node, line))
        };
        let mut lines = vec![None; tree.split.len()];
        let found: Vec<_> = tree.leaves.par_iter().filter_map(one).collect();
        found.into_iter().for_each(|(node, line)| lines[node as usize] = Some(line));
        lines
    }

    fn finish(
        self,
        start: Vec<f64>,
        stopper: EarlyStopper<'_>,
        termination: Termination,
        n_features: usize,
    ) -> Result<BoostedTrees> {
        let (k, loss, job) = (self.settings.loss.outputs(), self.settings.loss, self.job);
        let kept = stopper.best_round().map_or(self.trees.len(), |r| r * k);
        let before = job.before;
        let mut trees = PackedTrees::new(n_features, 1, k);
        before.map_or(Ok(()), |b| trees.append(&b.trees))?;
        let mut gains = before.map_or_else(|| vec![0.0; n_features], |b| b.gains.clone());
        let mut splits = before.map_or_else(|| vec![0u32; n_features], |b| b.splits.clone());
        for tree in &self.trees[..kept] {
            tree.pack(self.bins, &mut trees)?;
            for split in tree.binned.split.iter().flatten() {
                let feature = self.bins.feature(split.column as usize);
                gains[feature] += split.gain;
                splits[feature] += 1;
            }
        }
        let (train_score, validation_score) = stopper.into_scores();
        let certificate = Certificate::new(termination);
        let mut model = BoostedTrees {
            trees,
            loss,
            start,
            labels: job.labels.clone(),
            gains,
            splits,
            train_score,
            validation_score,
            certificate,
        };
        let rounds = model.n_rounds() as u64;
        let mut certificate = model.certificate.clone().with_iterations(rounds).with_note(
            "greedy: each tree is the best found for the gradient of its round; that no other sum of trees has a \
             smaller loss is not claimed, nor wanted",
        );
        if loss.has_mean() {
            let all = kept == self.trees.len() && self.y.len() == job.y.len();
            let value = if all {
                loss.mean_loss(&self.y, job.data.weights().as_deref(), &self.scores)
            } else {
                model.mean_loss(&job.data.input(), &job.y, job.data.weights().as_deref(), self.session)?
            };
            let meaning = "mean loss of the rows that fit was given, held-out ones among them";
            // A constant a ten-thousandth beside the best: what learning nothing costs, of constant targets, too.
            let constant = |start: &f64| std::iter::repeat_n(start * 1.0001, job.y.len());
            let scores: Vec<f64> = model.start.iter().flat_map(constant).collect();
            let scale = loss.mean_loss(&job.y, job.data.weights().as_deref(), &scores).abs();
            let evidence = Evidence::value(LOSS, value, meaning).on_scale(scale);
            certificate = certificate.with_objective(value).with_evidence(evidence);
        }
        model.certificate = certificate;
        Ok(model)
    }
}

/// The name of the certificate's evidence.
pub(crate) const LOSS: &str = "training loss";
