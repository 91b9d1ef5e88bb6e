//! Recursive feature elimination: a learner is fitted, its least important features go, and so on.
//!
//! # Objective
//! The features that are left when, in each round, those with the smallest $\sum_k w_{kj}^2$ (or importance squared) of
//! a freshly fitted model have been taken out.
//!
//! # Algorithm
//! Backward elimination by the model's own importances. `RFECV` runs it within each fold, scores every number of
//! features on the rows held out, and takes the smallest number of best mean score.
//!
//! # Complexity
//! (d − k) / `step` fits; `RFECV` `cv` times as many.
//!
//! # Example
//! ```
//! use mercer_prepare::Rfe;
//! assert!(Rfe::default().elimination.estimator.is_none());
//! ```
//!
//! # Numerics
//! Of equally important features the first goes first. A round that is stopped leaves the features it had.
//!
//! # References
//! - I. Guyon, J. Weston, S. Barnhill, V. Vapnik. Gene selection for cancer classification using support vector
//!   machines. Machine Learning 46, 2002. doi:10.1023/A:1012487302797

use super::base;
use super::selection::{Facts, SelectionModel};
use super::sequential::{HowMany, ScoringParams};
use mercer_core::{
    Capabilities, Certificate, CountOrShare, Dataset, ErrorKind, Learn, Learner, Model, NestedLearner,
    NestedModel, ParamGroup, Params, Result, Rows, Session, Termination,
};
use mercer_math::argsort;
use rayon::prelude::*;

/// What recursive elimination goes by.
#[derive(Clone, Debug, ParamGroup)]
pub struct EliminationParams {
    /// A learner with coefficients or importances; none means logistic regression for classes, ridge for numbers.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// How many features go in a round, or which share of all.
    #[param(default = CountOrShare::Count(1), range = "(0, inf)")]
    pub step: CountOrShare,
}

/// Recursive feature elimination: the least important features of a learner go, round by round.
#[derive(Clone, Debug, Params)]
#[params(
    name = "RFE",
    aliases = "rfe",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "EliminationMixin SelectorMixin",
    session = "verbose",
    door = "importance_getter='auto'",
    can = "transform inverse supervised scaled",
    order = "n_features_to_select step",
    references = "Guyon et al. Gene selection for cancer classification using support vector machines. Machine Learning 46, 2002."
)]
pub struct Rfe {
    /// The learner and the features of a round.
    #[param(flatten)]
    pub elimination: EliminationParams,
    /// The number or share of features to keep; none means half.
    #[param(default = None, range = "[0, inf)")]
    pub n_features_to_select: Option<HowMany>,
}

/// Recursive feature elimination with the number of features chosen by cross-validation.
#[derive(Clone, Debug, Params)]
#[params(
    name = "RFECV",
    aliases = "rfecv",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "EliminationCVMixin SelectorMixin",
    session = "verbose n_jobs",
    door = "importance_getter='auto'",
    can = "transform inverse supervised counts_rows ordered scaled",
    references = "Guyon et al. Gene selection for cancer classification using support vector machines. Machine Learning 46, 2002."
)]
pub struct Rfecv {
    /// The learner and the features of a round.
    #[param(flatten)]
    pub elimination: EliminationParams,
    /// The least number of features.
    #[param(default = 1, range = "[1, inf)")]
    pub min_features_to_select: usize,
    /// How sets of features are scored.
    #[param(flatten)]
    pub scoring: ScoringParams,
}

/// How many of `n_features` go in a round: one at least; as in scikit-learn, 2.0 is a count.
fn per_round(step: CountOrShare, n_features: usize) -> usize {
    match step {
        CountOrShare::Share(n) if n >= 1.0 => n as usize,
        step => (step.of(n_features as f64) as usize).max(1),
    }
}

/// What elimination found.
struct Eliminated {
    support: Vec<bool>,
    ranking: Vec<u32>,
    model: Box<dyn Model>,
    stopped: Option<Termination>,
}

/// Sees the columns and the model of a round.
type Watch<'a> = dyn FnMut(&[usize], &dyn Model) -> Result<()> + 'a;

/// Eliminates until `n` features are left; `watch` sees the model of each round with its columns.
fn eliminate(
    owner: &str,
    learner: &dyn Learner,
    data: &Dataset<'_>,
    (n, step): (usize, usize),
    session: &Session,
    watch: &mut Watch<'_>,
) -> Result<Eliminated> {
    let rows: Rows<'_> = data.rows(owner)?;
    let d = rows.n_features();
    let (mut support, mut ranking) = (vec![true; d], vec![1u32; d]);
    let mut round = 0;
    loop {
        let columns: Vec<usize> = (0..d).filter(|&j| support[j]).collect();
        let stopped = session.step("elimination", (d - columns.len()) as u64, Some((d - n) as u64), None);
        if stopped.is_some() && round == 0 {
            return Err(ErrorKind::Cancelled.into());
        }
        let seen = base::with_columns(data, &rows, &columns)?;
        let model = learner.train(&seen, &session.split(round).quiet())?;
        watch(&columns, model.as_ref())?;
        if columns.len() <= n || stopped.is_some() {
            return Ok(Eliminated { support, ranking, model, stopped });
        }
        let importance =
            base::importances(owner, model.as_ref(), columns.len(), |v| v.map(|v| v * v).sum::<f64>())?;
        let going = step.min(columns.len() - n);
        argsort(&importance).iter().take(going).for_each(|&k| support[columns[k]] = false);
        (0..d).filter(|&j| !support[j]).for_each(|j| ranking[j] += 1);
        round += 1;
    }
}

fn finished(found: Eliminated, facts: Facts) -> SelectionModel {
    let mut certificate = Certificate::without_evidence(
        found.stopped.unwrap_or(Termination::Exact),
        "a greedy search: nothing is proved about the best set of features",
    );
    certificate.children.push(("estimator".to_owned(), found.model.certificate().clone()));
    let estimator = Some(NestedModel(found.model));
    let facts = Facts { ranking: Some(found.ranking), estimator, ..facts };
    SelectionModel::new(&found.support, facts, certificate)
}

impl Learn for Rfe {
    type Model = SelectionModel;

    fn capabilities(&self) -> Capabilities {
        base::capabilities::<Self>(&self.elimination.estimator)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        base::check::<Self>(&self.elimination.estimator)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SelectionModel> {
        let learner = base::resolve(&self.elimination.estimator, data, "Ridge", "LogisticRegression")?;
        let data = base::suited(learner.as_ref(), data)?;
        let d = data.n_features();
        let n = match self.n_features_to_select {
            None | Some(HowMany::Auto) => d / 2,
            Some(how) => how.of(d),
        };
        let bounds = (n.clamp(1, d), per_round(self.elimination.step, d));
        let found = eliminate(Self::NAME, learner.as_ref(), &data, bounds, session, &mut |_, _| Ok(()))?;
        Ok(finished(found, Facts::default()))
    }
}

impl Learn for Rfecv {
    type Model = SelectionModel;

    fn capabilities(&self) -> Capabilities {
        base::capabilities::<Self>(&self.elimination.estimator)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        base::check::<Self>(&self.elimination.estimator)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SelectionModel> {
        let learner = base::resolve(&self.elimination.estimator, data, "Ridge", "LogisticRegression")?;
        let data = &base::suited(learner.as_ref(), data)?;
        let (d, metric) = (data.n_features(), base::metric(&self.scoring.scoring, learner.as_ref())?);
        let bounds = (self.min_features_to_select.min(d), per_round(self.elimination.step, d));
        let folds = mercer_measure::folds(data, self.scoring.cv, None)?;
        let fold = |i: usize| -> Result<Vec<(usize, f64)>> {
            let (train, test) = (data.subset(&folds[i].train)?, data.subset(&folds[i].test)?);
            let (train, rows) = (train.with_input(train.input())?, test.rows(Self::NAME)?);
            let mut curve = Vec::new();
            let mut watch = |columns: &[usize], model: &dyn Model| {
                let seen = base::with_columns(&test, &rows, columns)?;
                curve.push((columns.len(), base::score(model, &seen, metric, session)?));
                Ok(())
            };
            let inner = session.split(i as u64 + 1);
            let found = eliminate(Self::NAME, learner.as_ref(), &train, bounds, &inner, &mut watch)?;
            if found.stopped.is_some() { Err(ErrorKind::Cancelled.into()) } else { Ok(curve) }
        };
        // All are collected before the first error is taken, so that it is always the same one.
        let curves: Vec<Result<Vec<(usize, f64)>>> = (0..folds.len()).into_par_iter().map(fold).collect();
        let curves: Vec<Vec<(usize, f64)>> = curves.into_iter().collect::<Result<_>>()?;
        let (mut sizes, mut means) = (Vec::new(), Vec::new());
        for (at, (size, _)) in curves[0].iter().enumerate().rev() {
            sizes.push(*size as u32);
            means.push(curves.iter().map(|c| c[at].1).sum::<f64>() / curves.len() as f64);
        }
        let best = (0..means.len()).fold(0, |best, k| if means[k] > means[best] { k } else { best });
        let bounds = (sizes[best] as usize, bounds.1);
        let found = eliminate(Self::NAME, learner.as_ref(), data, bounds, session, &mut |_, _| Ok(()))?;
        Ok(finished(found, Facts { cv_scores: Some(means), cv_sizes: Some(sizes), ..Facts::default() }))
    }
}
