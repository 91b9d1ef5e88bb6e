//! Isolation forest: outliers are the rows that random cuts set apart soon.
//!
//! # Objective
//! $$ s(x) = -2^{-\overline{h}(x) / c(\psi)}, \qquad
//!    c(n) = 2 (\ln(n - 1) + \gamma) - 2 (n - 1)/n, \quad c(2) = 1, \quad c(1) = 0 $$
//! with the mean depth $\overline h$ of a row over the trees, where a leaf of $n$ rows counts $c(n)$ more, and the
//! rows $\psi$ of a tree. A row is an outlier where $s(x)$ is below `offset_`: −0.5, or the quantile of the training
//! scores that `contamination` asks for.
//!
//! # Algorithm
//! Each tree draws `max_samples` rows, without replacement unless `bootstrap`, and cuts them: a random feature of those
//! that vary in the node, a random threshold between its least and greatest value, until a row is alone, rows are
//! equal, or the depth is the logarithm of $\psi$. One task grows one tree, with a random stream of its own.
//!
//! # Complexity
//! Time O(B ψ log ψ) to grow B trees and O(B log ψ) for the score of a row; memory O(B ψ). Sparse rows are read by
//! columns, a value by a search among those of its column that are not zero.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Input, Session};
//! use mercer_math::Mat;
//! use mercer_trees::IsolationForest;
//! let x = Mat::from_fn(50, 2, |i, j| if i == 7 { 40.0 } else { (i * (j + 3) % 11) as f64 });
//! let model = IsolationForest::default().fit(&Dataset::new(&x))?;
//! let scores = model.score_samples(&Input::from(&x), &Session::default())?;
//! assert!((0..50).all(|i| scores[7] <= scores[i]));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! $c(n)$ is the asymptotic form that scikit-learn uses; the exact mean depth is $2 H_{n-1} - 2(n-1)/n$.
//!
//! # References
//! - F. T. Liu, K. M. Ting, Z.-H. Zhou. Isolation forest. ICDM, 2008. doi:10.1109/ICDM.2008.17

use crate::grown::{LEAF, Rule};
use crate::limits::MaxFeatures;
use crate::packed::{PackedTrees, TreeParts};
use crate::sorted_columns::columns;
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, CountOrShare, Dataset, Decision, Error, Evidence, Fitted,
    Input, Label, Learn, Params, Prediction, Result, RowData, Schema, Session, Target, TargetColumn,
    TargetKind, TargetValues, Termination,
};
use mercer_math::{Mat, Rng, below, sample_indices, uniform};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many rows an isolation tree draws.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum IsolationSamples {
    /// 256, or all rows where there are fewer.
    Auto,
    /// So many, or this share of the rows.
    Of(CountOrShare),
}

/// The share of the training rows that are outliers.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Contamination {
    /// Rows with a score below −0.5 are outliers.
    Auto,
    /// This share.
    Fraction(f64),
}

/// Isolation forest: outliers are the rows that random cuts set apart soon.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "isolation-forest",
    canon = "T5",
    task = Outliers,
    python = "ensemble",
    tried = "n_estimators=12",
    session = "n_jobs random_state verbose",
    mixins = "ForestMixin",
    door = "warm_start=False",
    can = "decision trees sparse random ordered",
    references = "Liu, Ting, Zhou. Isolation forest. ICDM, 2008. doi:10.1109/ICDM.2008.17"
)]
pub struct IsolationForest {
    /// Number of trees.
    #[param(default = 100, range = "[1, 1e6]")]
    pub n_estimators: usize,
    /// Rows that each tree draws; auto is 256.
    #[param(default = IsolationSamples::Auto)]
    pub max_samples: IsolationSamples,
    /// Share of outliers in the training rows; auto cuts scores at -0.5.
    #[param(default = Contamination::Auto)]
    pub contamination: Contamination,
    /// How many features each tree uses.
    #[param(default = MaxFeatures::Of(CountOrShare::Share(1.0)))]
    pub max_features: MaxFeatures,
    /// Whether rows are drawn with replacement.
    #[param(default = false)]
    pub bootstrap: bool,
}

impl IsolationForest {
    fn samples(&self, n: usize) -> usize {
        match self.max_samples {
            IsolationSamples::Auto => n.min(256),
            IsolationSamples::Of(amount) => (amount.of(n as f64) as usize).clamp(1, n.max(1)),
        }
    }
}

impl Learn for IsolationForest {
    type Model = IsolationForestModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        let rows = data.rows(Self::NAME)?;
        let (n, d) = (rows.n_rows(), rows.n_features());
        let psi = self.samples(n);
        let (dense, by_columns) = match rows.data() {
            RowData::Sparse(_) => (None, columns(Self::NAME, &rows)?),
            _ => (Some(rows.dense(Self::NAME)?), Vec::new()),
        };
        let grow = |rng: &mut Rng| match &dense {
            Some(x) => {
                let x = x.view();
                self.tree((n, d), psi, |i, j| x.get(i, j), rng)
            }
            None => self.tree((n, d), psi, |i, j| by_columns[j].number(i), rng),
        };
        let (done, total) = (AtomicU64::new(0), Some(self.n_estimators as u64));
        let one = |t: usize| -> Result<Option<PackedTrees>> {
            if t > 0 && session.interrupted().is_some() {
                return Ok(None);
            }
            let mut packed = PackedTrees::new(d, 1, 1);
            packed.push(grow(&mut session.rng(t as u64)).sketch())?;
            session.step("trees", done.fetch_add(1, Ordering::Relaxed) + 1, total, None);
            Ok(Some(packed))
        };
        let made: Vec<Result<Option<PackedTrees>>> =
            (0..self.n_estimators).into_par_iter().with_max_len(1).map(one).collect();
        let mut packed = PackedTrees::new(d, 1, 1);
        for one in made.into_iter().filter_map(Result::transpose) {
            packed.append(&one?)?;
        }
        let short = packed.n_trees() < self.n_estimators;
        let stopped = short.then(|| session.interrupted().unwrap_or(Termination::Cancelled));
        let certificate = Certificate::new(stopped.unwrap_or(Termination::Complete));
        let mut model = IsolationForestModel { packed, psi: psi as u64, offset: -0.5, certificate };
        model.settle(self.contamination, data, session)?;
        Ok(model)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.max_features.check(Self::NAME)?;
        if let IsolationSamples::Of(amount) = self.max_samples {
            amount.check(Self::NAME, "max_samples", "auto, ", 1)?;
        }
        match self.contamination {
            Contamination::Fraction(f) if !(f > 0.0 && f <= 0.5) => {
                let expected = "auto, or a fraction in (0.0, 0.5]";
                Err(Error::param(Self::NAME, "contamination", expected, f))
            }
            _ => Ok(()),
        }
    }
}

/// An isolation tree while it grows.
#[derive(Default)]
struct IsolationTree {
    rule: Vec<Rule>,
    left: Vec<u32>,
    right: Vec<u32>,
    cover: Vec<f64>,
    value: Vec<f64>,
}

impl IsolationTree {
    fn sketch(&self) -> TreeParts<'_> {
        TreeParts {
            rule: &self.rule,
            left: &self.left,
            right: &self.right,
            cover: &self.cover,
            value: &self.value,
            lines: &[],
            details: (&[], &[]),
        }
    }

    /// Adds a leaf of so many rows at a depth.
    fn push(&mut self, rows: usize, depth: usize) -> u32 {
        self.rule.push(Rule::Leaf);
        self.left.push(LEAF);
        self.right.push(LEAF);
        self.cover.push(rows as f64);
        self.value.push(depth as f64 + average_path(rows as f64));
        self.rule.len() as u32 - 1
    }
}

/// The mean depth at which a search fails in a random tree of `n` values.
fn average_path(n: f64) -> f64 {
    const GAMMA: f64 = 0.577_215_664_901_532_9;
    if n <= 1.0 {
        0.0
    } else if n == 2.0 {
        1.0
    } else {
        2.0 * ((n - 1.0).ln() + GAMMA) - 2.0 * (n - 1.0) / n
    }
}

impl IsolationForest {
    /// A tree of `n` rows with `d` features each, whose values `x` tells.
    fn tree(
        &self,
        (n, d): (usize, usize),
        psi: usize,
        x: impl Fn(usize, usize) -> f64,
        rng: &mut Rng,
    ) -> IsolationTree {
        let mut rows: Vec<usize> = if self.bootstrap {
            (0..psi).map(|_| below(rng, n)).collect()
        } else {
            sample_indices(rng, n, psi)
        };
        let mut features = sample_indices(rng, d, self.max_features.of(d));
        let deepest = (psi.max(2) as f64).log2().ceil() as usize;
        let mut shoot = IsolationTree::default();
        let root = shoot.push(psi, 0);
        let mut stack = vec![(root, 0, psi, 0)];
        while let Some((id, start, end, depth)) = stack.pop() {
            if depth >= deepest || end - start < 2 {
                continue;
            }
            let here = &mut rows[start..end];
            let Some((feature, threshold)) = cut(&x, here, &mut features, rng) else { continue };
            here.sort_unstable_by_key(|&i| (x(i, feature) > threshold, i));
            let at = start + here.partition_point(|&i| x(i, feature) <= threshold);
            let missing_left = 2 * (at - start) > end - start;
            let children = [shoot.push(at - start, depth + 1), shoot.push(end - at, depth + 1)];
            shoot.rule[id as usize] = Rule::Number { feature: feature as u32, threshold, missing_left };
            (shoot.left[id as usize], shoot.right[id as usize]) = (children[0], children[1]);
            stack.push((children[1], at, end, depth + 1));
            stack.push((children[0], start, at, depth + 1));
        }
        shoot
    }
}

/// A random feature that varies over the rows, and a random threshold that parts them.
fn cut(
    x: impl Fn(usize, usize) -> f64,
    rows: &[usize],
    features: &mut [usize],
    rng: &mut Rng,
) -> Option<(usize, f64)> {
    for next in 0..features.len() {
        let drawn = next + below(rng, features.len() - next);
        features.swap(next, drawn);
        let feature = features[next];
        let values = rows.iter().map(|&i| x(i, feature));
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low < high {
            let u = uniform(rng);
            // Weighted ends: their difference may be more than the greatest number.
            let drawn = (1.0 - u) * low + u * high;
            return Some((feature, if drawn >= low && drawn < high { drawn } else { low }));
        }
    }
    None
}

/// A grown isolation forest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IsolationForestModel {
    packed: PackedTrees,
    /// Rows of a tree.
    psi: u64,
    offset: f64,
    certificate: Certificate,
}

/// The name of the certificate's evidence.
const SHARE: &str = "share of outliers";

impl IsolationForestModel {
    /// The trees; their leaves hold depths.
    pub fn trees(&self) -> &PackedTrees {
        &self.packed
    }

    /// Scores in [−1, 0]: the lower, the more of an outlier.
    pub fn score_samples(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        let trees = self.packed.n_trees();
        let depths = self.packed.sum(input, session, 0..trees)?;
        let scale = trees as f64 * average_path(self.psi as f64);
        Ok(depths.iter().map(|d| if scale > 0.0 { -(-d / scale).exp2() } else { -0.5 }).collect())
    }

    /// The score below which rows are outliers.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    fn settle(&mut self, contamination: Contamination, data: &Dataset<'_>, session: &Session) -> Result<()> {
        let mut certificate = self.certificate.clone().with_iterations(self.packed.n_trees() as u64);
        let stopped = !certificate.termination.is_success();
        certificate =
            certificate.with_note("what is an outlier is a matter of definition: no optimum is claimed");
        if !stopped || contamination != Contamination::Auto {
            let mut scores = self.score_samples(&data.input(), session)?;
            if let Contamination::Fraction(share) = contamination {
                scores.sort_unstable_by(f64::total_cmp);
                self.offset = quantile(&scores, share);
            }
            let share = share_below(&scores, self.offset);
            let meaning = "share of the training rows that the model calls outliers";
            certificate = certificate.with_evidence(Evidence::value(SHARE, share, meaning));
        }
        self.certificate = certificate;
        Ok(())
    }
}

fn share_below(scores: &[f64], offset: f64) -> f64 {
    scores.iter().filter(|s| **s < offset).count() as f64 / scores.len() as f64
}

/// The quantile of sorted values, between two of them by a straight line.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (low, high) = (at.floor() as usize, at.ceil() as usize);
    sorted[low] + (at - low as f64) * (sorted[high] - sorted[low])
}

impl Decision for IsolationForestModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let scores = self.score_samples(input, session)?;
        Ok(Mat::from_fn(scores.len(), 1, |i, _| scores[i] - self.offset))
    }
}

impl Fitted for IsolationForestModel {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        let scores = self.score_samples(input, session)?;
        let codes = scores.iter().map(|s| u32::from(*s >= self.offset)).collect();
        Target::new(vec![TargetColumn {
            name: Some("inlier".to_owned()),
            kind: TargetKind::Class([Label::Int(-1), Label::Int(1)].into()),
            values: TargetValues::Codes(Cow::Owned(codes)),
        }])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decision: Some(self), trees: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let scores = self.score_samples(&data.input(), session)?;
        Ok(vec![(SHARE.to_owned(), share_below(&scores, self.offset))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        vec![
            Attribute::real("offset_", "The score below which rows are outliers.", &[], vec![self.offset]),
            Attribute::int("max_samples_", "Rows of each tree.", &[], vec![self.psi as i64]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.packed.validate(schema, 1, 1)?;
        let good = self.packed.n_trees() > 0 && self.offset.is_finite();
        if good { Ok(()) } else { Err("the parts of the forest do not fit each other".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::rng_for;

    /// The mean depth of a random tree of n values is 2 H(n − 1) − 2 (n − 1)/n; c(n) is its asymptotic form.
    #[test]
    fn the_average_path_is_near_its_exact_value() {
        assert_eq!((average_path(1.0), average_path(2.0)), (0.0, 1.0));
        for n in [3usize, 10, 256] {
            let harmonic: f64 = (1..n).map(|k| 1.0 / k as f64).sum();
            let exact = 2.0 * harmonic - 2.0 * (n - 1) as f64 / n as f64;
            assert!((average_path(n as f64) - exact).abs() < 1.1 / (n - 1) as f64, "{n}");
        }
        // scikit-learn 1.9.1: _average_path_length([3, 10, 256]).
        for (n, expected) in
            [(3.0, 1.207392357589623), (10.0, 3.748880484475505), (256.0, 10.244770920119917)]
        {
            assert!((average_path(n) - expected).abs() < 1e-14 * expected, "{n}");
        }
    }

    /// Rows without outliers have depths around c(ψ), so scores around −0.5.
    #[test]
    fn random_rows_have_average_depths() {
        let mut rng = rng_for(3, 0);
        let x = Mat::from_fn(2000, 1, |_, _| uniform(&mut rng));
        let learner = IsolationForest { n_estimators: 300, ..IsolationForest::default() };
        let mut total = 0.0;
        for t in 0..300 {
            let shoot = learner.tree((2000, 1), 64, |i, j| x[(i, j)], &mut rng_for(4, t));
            let leaves = shoot.rule.iter().enumerate().filter(|(_, r)| **r == Rule::Leaf);
            total += leaves.map(|(i, _)| shoot.cover[i] * shoot.value[i]).sum::<f64>() / 64.0;
        }
        // A tree over the values themselves: the mean depth of its own rows is a little less than that of a search
        // that fails, by the depth limit and the ends.
        assert!((total / 300.0 - average_path(64.0)).abs() < 0.5, "{}", total / 300.0);
    }
}
