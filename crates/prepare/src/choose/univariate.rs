//! Selection by a score of each feature alone: the best k, a share, or those whose p-value is small enough.
//!
//! # Objective
//! Each feature $j$ gets a score $s_j$ against the target, and where the score is a test a p-value $p_j$. Kept are the
//! $k$ features of highest score, a percentage of them, those with $p_j < \alpha$ (false positive rate), the largest set
//! with $p_{(i)} \le \alpha i / d$ (false discovery rate), or those with $p_j < \alpha / d$ (family-wise error).
//!
//! # Algorithm
//! F tests, chi-squared and correlation in closed form; mutual information from nearest neighbours. As in
//! scikit-learn, a score that is not a number ranks last, of equal scores the later feature is the better for
//! `SelectKBest` and the earlier for `SelectPercentile`, and correlation ranks with its sign.
//!
//! # Complexity
//! O(n d), or O(nnz) for sparse rows; mutual information O(d n log n) and, with two numbers, about O(d n^{1.5}).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_prepare::{KBest, SelectKBest};
//! let x = Mat::from_rows(&[[1.0, 5.0], [2.0, 4.0], [8.0, 5.0], [9.0, 4.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["a", "a", "b", "b"]))?;
//! assert_eq!(SelectKBest::default().k(KBest::Number(1)).fit(&data)?.kept(), [0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Deviations are from the mean, not differences of sums of squares. Weights are numbers of rows; mutual information,
//! which counts neighbours, takes none. Scikit-learn's random jitter of 1e-10 in mutual information is left out.
//!
//! # References
//! - A. Kraskov, H. Stögbauer, P. Grassberger. Estimating mutual information. Phys. Rev. E 69, 2004.
//! - B. C. Ross. Mutual information between discrete and continuous data sets. PLoS ONE 9(2), 2014.
//! - Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. JRSS B 57(1), 1995.

use super::scores::{ScoreFunction, scores};
use super::selection::{Facts, SelectionModel};
use mercer_core::{
    Capabilities, Certificate, Choice, Dataset, Error, Learn, ParamGroup, Params, Result, Session,
    Termination,
};
use mercer_math::{argsort, quantile_sorted};

/// How many features [`SelectKBest`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum KBest {
    /// All of them.
    All,
    /// So many.
    Number(usize),
}

/// Selection of the k features of highest score.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "select-k-best",
    tried = "| score_func=chi2 | score_func=mutual_info_classif",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "KBestMixin SelectorMixin",
    can = "transform inverse supervised weights sparse",
    references = "Kraskov, Stögbauer, Grassberger. Estimating mutual information. Phys. Rev. E 69, 2004."
)]
pub struct SelectKBest {
    /// How a feature is scored against the target.
    #[param(default = ScoreFunction::FClassif)]
    pub score_func: ScoreFunction,
    /// The number of features to keep, or all.
    #[param(default = KBest::Number(10), range = "[0, inf)", search = "int 1..50")]
    pub k: KBest,
}

/// Selection of a percentage of the features, those of highest score.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "select-percentile",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "PercentileMixin SelectorMixin",
    can = "transform inverse supervised weights sparse",
    references = "Kraskov, Stögbauer, Grassberger. Estimating mutual information. Phys. Rev. E 69, 2004."
)]
pub struct SelectPercentile {
    /// How a feature is scored against the target.
    #[param(default = ScoreFunction::FClassif)]
    pub score_func: ScoreFunction,
    /// The percentage of the features to keep.
    #[param(default = 10.0, range = "[0, 100]", search = "linear 1..100")]
    pub percentile: f64,
}

/// What selection by tests is told.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct TestParams {
    /// How a feature is scored against the target: one of the tests.
    #[param(default = ScoreFunction::FClassif)]
    pub score_func: ScoreFunction,
    /// The level of the tests.
    #[param(default = 0.05, range = "[0, 1]", search = "log 1e-4..0.5")]
    pub alpha: f64,
}

/// Selection by a test of each feature: keeps those with a p-value below alpha.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "select-fpr",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "FprMixin SelectorMixin",
    can = "transform inverse supervised weights sparse",
    references = "Benjamini, Hochberg. Controlling the false discovery rate. JRSS B 57(1), 1995."
)]
pub struct SelectFpr {
    /// The test and its level.
    #[param(flatten, doc(alpha = "The chance that a feature of no use is kept."))]
    pub test: TestParams,
}

/// Selection by tests at a false discovery rate: of the features kept, a share of at most alpha is expected to be of no use.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "select-fdr",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "FdrMixin SelectorMixin",
    can = "transform inverse supervised weights sparse",
    references = "Benjamini, Hochberg. Controlling the false discovery rate. JRSS B 57(1), 1995."
)]
pub struct SelectFdr {
    /// The test and its level.
    #[param(flatten, doc(alpha = "The expected share of features of no use among those kept."))]
    pub test: TestParams,
}

/// Selection by tests at a family-wise error: the chance that any feature of no use is kept is at most alpha.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "select-fwe",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "FweMixin SelectorMixin",
    can = "transform inverse supervised weights sparse",
    references = "Benjamini, Hochberg. Controlling the false discovery rate. JRSS B 57(1), 1995."
)]
pub struct SelectFwe {
    /// The test and its level.
    #[param(flatten, doc(alpha = "The chance that any feature of no use is kept."))]
    pub test: TestParams,
}

/// Scores all features and keeps those that the rule marks, given scores and p-values.
fn select(
    learner: &str,
    function: ScoreFunction,
    data: &Dataset<'_>,
    rule: impl Fn(&[f64], &[f64]) -> Vec<bool>,
) -> Result<SelectionModel> {
    let (scores, pvalues) = scores(learner, function, data)?;
    let support = rule(&scores, pvalues.as_deref().unwrap_or_default());
    let certificate =
        Certificate::without_evidence(Termination::Exact, "a closed form of each column and the target");
    let facts = Facts { scores: Some(scores), pvalues, ..Facts::default() };
    Ok(SelectionModel::new(&support, facts, certificate))
}

/// Scores that are not a number rank last.
fn ranked(scores: &[f64]) -> Vec<f64> {
    scores.iter().map(|s| if s.is_nan() { f64::MIN } else { *s }).collect()
}

/// The k best; of equal ones the later.
fn best(scores: &[f64], k: usize) -> Vec<bool> {
    let order = argsort(&ranked(scores));
    let mut support = vec![false; scores.len()];
    order.iter().rev().take(k).for_each(|&j| support[j] = true);
    support
}

/// A percentage of all; of equal ones on the border the earlier.
fn share(scores: &[f64], percentile: f64) -> Vec<bool> {
    let scores = ranked(scores);
    if percentile >= 100.0 || percentile <= 0.0 {
        return vec![percentile > 0.0; scores.len()];
    }
    let mut sorted = scores.clone();
    sorted.sort_by(f64::total_cmp);
    let border = quantile_sorted(&sorted, (100.0 - percentile) / 100.0);
    let mut support: Vec<bool> = scores.iter().map(|s| *s > border).collect();
    let most = (scores.len() as f64 * percentile / 100.0) as usize;
    let room = most.saturating_sub(support.iter().filter(|s| **s).count());
    (0..scores.len()).filter(|&j| scores[j] == border).take(room).for_each(|j| support[j] = true);
    support
}

/// The largest set with p₍ᵢ₎ ≤ α i / d.
fn discoveries(pvalues: &[f64], alpha: f64) -> Vec<bool> {
    let mut sorted: Vec<f64> = pvalues.iter().copied().filter(|p| !p.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let allowed = |i: usize| alpha / pvalues.len() as f64 * (i + 1) as f64;
    let border = (0..sorted.len()).rev().find(|&i| sorted[i] <= allowed(i)).map(|i| sorted[i]);
    pvalues.iter().map(|p| border.is_some_and(|b| *p <= b)).collect()
}

fn check_test(learner: &str, function: ScoreFunction) -> Result<()> {
    match function.has_pvalues() {
        true => Ok(()),
        false => Err(Error::param(
            learner,
            "score_func",
            "f_classif, f_regression or chi2, which give p-values",
            format!("{function:?}"),
        )),
    }
}

impl Learn for SelectKBest {
    type Model = SelectionModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<SelectionModel> {
        select(Self::NAME, self.score_func, data, |scores, _| match self.k {
            KBest::All => vec![true; scores.len()],
            KBest::Number(k) => best(scores, k),
        })
    }

    fn capabilities(&self) -> Capabilities {
        self.score_func.narrow(Self::declaration().capabilities)
    }
}

impl Learn for SelectPercentile {
    type Model = SelectionModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<SelectionModel> {
        select(Self::NAME, self.score_func, data, |scores, _| share(scores, self.percentile))
    }

    fn capabilities(&self) -> Capabilities {
        self.score_func.narrow(Self::declaration().capabilities)
    }
}

impl Learn for SelectFpr {
    type Model = SelectionModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<SelectionModel> {
        select(Self::NAME, self.test.score_func, data, |_, p| {
            p.iter().map(|p| *p < self.test.alpha).collect()
        })
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        check_test(Self::NAME, self.test.score_func)
    }

    fn capabilities(&self) -> Capabilities {
        self.test.score_func.narrow(Self::declaration().capabilities)
    }
}

impl Learn for SelectFdr {
    type Model = SelectionModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<SelectionModel> {
        select(Self::NAME, self.test.score_func, data, |_, p| discoveries(p, self.test.alpha))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        check_test(Self::NAME, self.test.score_func)
    }

    fn capabilities(&self) -> Capabilities {
        self.test.score_func.narrow(Self::declaration().capabilities)
    }
}

impl Learn for SelectFwe {
    type Model = SelectionModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<SelectionModel> {
        select(Self::NAME, self.test.score_func, data, |_, p| {
            p.iter().map(|v| *v < self.test.alpha / p.len() as f64).collect()
        })
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        check_test(Self::NAME, self.test.score_func)
    }

    fn capabilities(&self) -> Capabilities {
        self.test.score_func.narrow(Self::declaration().capabilities)
    }
}
