//! Sequential selection: features are added, or taken out, one at a time, by the score of a learner over folds.
//!
//! # Objective
//! Greedily $\max_S\ \mathrm{score}_{cv}(S)$ subject to $|S| = k$: the greedy search for an L0 constraint.
//!
//! # Algorithm
//! Each round scores every candidate by cross-validation and takes the best, the first among equals. With
//! `n_features_to_select=auto` and `tol`, it ends when a round improves the score by less than `tol`; a negative `tol`
//! lets backward selection go on while the score falls by no more than that.
//!
//! # Complexity
//! About k (d − k/2) `cv` fits forward.
//!
//! # Example
//! ```
//! use mercer_prepare::{HowMany, SequentialFeatureSelector};
//! assert_eq!(SequentialFeatureSelector::default().n_features_to_select, HowMany::Auto);
//! ```
//!
//! # Numerics
//! Folds follow the order of the rows. A search that is stopped keeps what it had found.
//!
//! # References
//! - F. Ferri, P. Pudil, M. Hatef, J. Kittler. Comparative study of techniques for large-scale feature selection. 1994.

use super::base;
use super::selection::{Facts, SelectionModel};
use mercer_core::{
    Capabilities, Certificate, Choice, CountOrShare, Dataset, Error, ErrorKind, Learn, Learner,
    NestedLearner, ParamGroup, Params, Result, Rows, Session, Termination,
};
use mercer_measure::{Metric, Split};
use rayon::prelude::*;

/// How many features to keep.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum HowMany {
    /// Half of them or, with a tolerance, as many as it says.
    Auto,
    /// So many, or this share.
    Of(CountOrShare),
}

impl HowMany {
    pub(crate) fn of(self, n_features: usize) -> usize {
        match self {
            HowMany::Auto => n_features / 2,
            // As in scikit-learn, 3.0 is a count.
            HowMany::Of(CountOrShare::Share(n)) if n > 1.0 => n as usize,
            HowMany::Of(amount) => amount.of(n_features as f64) as usize,
        }
    }
}

/// Whether features are added or taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Direction {
    /// From none, added.
    Forward,
    /// From all, taken out.
    Backward,
}

/// How sets of features are scored.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ScoringParams {
    /// Number of folds.
    #[param(default = 5, range = "[2, inf)")]
    pub cv: usize,
    /// The metric by name; none means accuracy for classes and R² for numbers.
    #[param(default = None)]
    pub scoring: Option<String>,
}

/// Sequential selection: features one at a time, by the score of a learner over folds.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "sequential-selector",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "SequentialMixin SelectorMixin",
    session = "n_jobs",
    can = "transform inverse supervised counts_rows ordered scaled",
    order = "scoring cv",
    references = "Ferri et al. Comparative study of techniques for large-scale feature selection. 1994."
)]
pub struct SequentialFeatureSelector {
    /// The learner; none means logistic regression for classes, ridge for numbers.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// The number or share of features to keep; auto is half, or as many as the tolerance says.
    #[param(default = HowMany::Auto, range = "(0, inf)")]
    pub n_features_to_select: HowMany,
    /// With auto, the least improvement of the score that counts.
    #[param(default = None, range = "(-inf, inf)")]
    pub tol: Option<f64>,
    /// Whether features are added or taken out.
    #[param(default = Direction::Forward)]
    pub direction: Direction,
    /// How sets of features are scored.
    #[param(flatten)]
    pub scoring: ScoringParams,
}

/// What a candidate set of features is scored by.
struct Judge<'a> {
    learner: &'a dyn Learner,
    data: &'a Dataset<'a>,
    rows: Rows<'a>,
    folds: Vec<Split>,
    metric: &'static Metric,
}

impl Judge<'_> {
    /// The mean score over the folds; `None` when the work was stopped.
    fn score(&self, columns: &[usize], session: &Session) -> Result<Option<f64>> {
        let seen = base::with_columns(self.data, &self.rows, columns)?;
        let mut sum = 0.0;
        for (i, fold) in self.folds.iter().enumerate() {
            if session.interrupted().is_some() {
                return Ok(None);
            }
            let model = self.learner.train(&seen.subset(&fold.train)?, &session.split(i as u64).quiet())?;
            sum += base::score(model.as_ref(), &seen.subset(&fold.test)?, self.metric, session)?;
        }
        Ok(Some(sum / self.folds.len() as f64))
    }

    /// The candidate of best score, the first among equals.
    fn best(&self, candidates: &[(usize, Vec<usize>)], session: &Session) -> Result<Option<(usize, f64)>> {
        let scored: Vec<Result<Option<f64>>> =
            candidates.par_iter().map(|(_, columns)| self.score(columns, session)).collect();
        let mut best: Option<(usize, f64)> = None;
        for ((feature, _), score) in candidates.iter().zip(scored) {
            let Some(score) = score? else { return Ok(None) };
            if best.is_none_or(|(_, b)| score > b || b.is_nan()) {
                best = Some((*feature, score));
            }
        }
        Ok(best)
    }
}

impl Learn for SequentialFeatureSelector {
    type Model = SelectionModel;

    fn capabilities(&self) -> Capabilities {
        base::capabilities::<Self>(&self.estimator)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if let (Some(tol), Direction::Forward) = (self.tol, self.direction)
            && tol < 0.0
        {
            return Err(Error::param(Self::NAME, "tol", "not negative when features are added", tol));
        }
        base::check::<Self>(&self.estimator)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SelectionModel> {
        let learner = base::resolve(&self.estimator, data, "Ridge", "LogisticRegression")?;
        let data = base::suited(learner.as_ref(), data)?;
        let d = data.n_features();
        let by_tolerance = self.tol.filter(|_| self.n_features_to_select == HowMany::Auto);
        let wanted =
            if by_tolerance.is_some() { d.saturating_sub(1) } else { self.n_features_to_select.of(d) };
        if self.n_features_to_select != HowMany::Auto && (wanted >= d || wanted == 0) {
            let expected = format!("at least 1 and below the number of features, {d}");
            return Err(Error::param(Self::NAME, "n_features_to_select", expected, wanted));
        }
        let rounds = match self.direction {
            Direction::Backward if by_tolerance.is_none() => d - wanted,
            _ => wanted,
        };
        let judge = Judge {
            metric: base::metric(&self.scoring.scoring, learner.as_ref())?,
            folds: mercer_measure::folds(&data, self.scoring.cv, None)?,
            learner: learner.as_ref(),
            rows: data.rows(Self::NAME)?,
            data: &data,
        };
        let (mut chosen, mut old, mut termination) = (vec![false; d], f64::NEG_INFINITY, Termination::Exact);
        for round in 0..rounds {
            let stop = session.step(
                "selection",
                round as u64,
                Some(rounds as u64),
                Some(old).filter(|o| o.is_finite()),
            );
            let forward = self.direction == Direction::Forward;
            let with = |k: usize| (0..d).filter(|&j| (chosen[j] || j == k) == forward).collect();
            let candidates: Vec<(usize, Vec<usize>)> =
                (0..d).filter(|&k| !chosen[k]).map(|k| (k, with(k))).collect();
            let found =
                if stop.is_some() { None } else { judge.best(&candidates, &session.split(round as u64))? };
            let Some((feature, score)) = found else {
                termination = stop.or(session.interrupted()).unwrap_or(Termination::Cancelled);
                break;
            };
            if by_tolerance.is_some_and(|tol| score - old < tol) {
                break;
            }
            (old, chosen[feature]) = (score, true);
        }
        if self.direction == Direction::Backward {
            chosen.iter_mut().for_each(|c| *c = !*c);
        }
        if !chosen.contains(&true) && termination != Termination::Exact {
            return Err(ErrorKind::Cancelled.into());
        }
        let why = "a greedy search: nothing is proved about the best set of features";
        let mut certificate = Certificate::without_evidence(termination, why);
        if old.is_finite() {
            certificate = certificate.with_objective(old);
        }
        Ok(SelectionModel::new(&chosen, Facts::default(), certificate))
    }
}
