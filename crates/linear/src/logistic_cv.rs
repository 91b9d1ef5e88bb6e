//! Logistic regression that chooses the strength and the mixture of its penalty by cross-validation.
//!
//! # Objective
//! That of [`LogisticRegression`](crate::LogisticRegression), with the $C$ (and the share of the L1 part) of a list whose
//! models score best on rows held out.
//!
//! # Algorithm
//! For each fold and each share one path over all $C$ in the order given, every fit begun where the last one ended; folds
//! and shares side by side. The best by the mean score is fitted to all rows, begun at the mean of the folds' coefficients;
//! without `refit`, the coefficients that were best in each fold are averaged.
//!
//! # Complexity
//! That of as many fits as there are folds, shares and strengths, each of a few rounds, and memory of their coefficients.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LogisticRegressionCV;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(60, 1, |i, _| i as f64 / 10.0);
//! let y: Vec<i64> = (0..60).map(|i| i64::from((i * 7) % 60 > 59 - i)).collect();
//! let data = Dataset::new(&x).with_target(Target::classes(&y))?;
//! let model = LogisticRegressionCV::default().fit(&data)?;
//! assert!(model.c() >= 1e-4 && model.c() <= 1e4);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Folds keep the shares of the classes and the order of the rows, as scikit-learn's do for `cv` a number. Of equal scores
//! the first strength wins, then the first share. The certificate is that of the final fit; what is proved says nothing of
//! the choice. Means of fits (`refit` = false) are no optimum, and have no proof.
//!
//! # References
//! - J. Friedman, T. Hastie, R. Tibshirani. Regularization paths for generalized linear models via coordinate descent.
//!   JSS 33(1), 2010. doi:10.18637/jss.v033.i01

use crate::class_weights::ClassWeightParams;
use crate::intercept::InterceptParams;
use crate::logistic::LogisticRegression;
use crate::logistic_model::LogisticModel;
use crate::logistic_path::{along, from};
use crate::logistic_settings::{LogisticFitParams, LogisticPenalty, LogisticSolver};
use crate::paths::Alphas;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, ClassWeight, Dataset, Error, ErrorKind, Fit, Fitted,
    Input, Learn, Params, Prediction, Result, Schema, Session,
};
use mercer_math::argmax;
use mercer_measure::{Metric, Scored, class_probabilities};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Logistic regression whose penalty is chosen by cross-validation along a path.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "logistic-cv",
    canon = "L5 A7",
    task = Classification,
    python = "linear_model",
    tried = "Cs=4 | Cs=[0.1,1.0],l1_ratios=[0.0,0.5],cv=3,scoring=log_loss | Cs=3,refit=false",
    session = "random_state verbose n_jobs",
    mixins = "LogisticCvMixin",
    door = "dual=False use_legacy_attributes=False",
    order = "Cs l1_ratios fit_intercept cv penalty scoring solver tol max_iter class_weight refit",
    can = "proba decision weights sparse scaled explain counts_rows ordered",
    references = "Friedman, Hastie, Tibshirani. Regularization paths for generalized linear models via coordinate descent. JSS 33(1), 2010."
)]
pub struct LogisticRegressionCV {
    /// How many weights of the loss against the penalty, evenly between 1e-4 and 1e4 by their logarithms, or which.
    #[param(name = "Cs", default = Alphas::Count(10), range = "(0, inf]")]
    pub cs: Alphas,
    /// The shares of the L1 part that are tried; none means that of the penalty.
    #[param(default = None, range = "[0, 1]")]
    pub l1_ratios: Option<Vec<f64>>,
    /// Number of folds; none means 5.
    #[param(default = None, range = "[2, inf)")]
    pub cv: Option<usize>,
    /// The penalty, where no shares are given; none is plain maximum likelihood.
    #[param(default = Some(LogisticPenalty::L2))]
    pub penalty: Option<LogisticPenalty>,
    /// The metric by name; none means accuracy.
    #[param(default = None)]
    pub scoring: Option<String>,
    /// Whether to fit all rows with the best setting; else what was best in each fold is averaged.
    #[param(default = true)]
    pub refit: bool,
    /// How each fit is found.
    #[param(flatten)]
    pub fitting: LogisticFitParams,
}

/// A logistic regression with a chosen penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogisticCvModel {
    inner: LogisticModel,
    c: f64,
    l1_ratio: f64,
    cs: Vec<f64>,
    ratios: Vec<f64>,
    n_folds: usize,
    /// Folds × shares × strengths; larger is better.
    scores: Vec<f64>,
    n_iter: Vec<u64>,
    /// The same × rows of coefficients × (features, intercept).
    paths: Vec<f64>,
}

/// One path of a fold: its models with their scores.
type Path = Vec<(LogisticModel, f64)>;

impl LogisticRegressionCV {
    fn strengths(&self) -> Vec<f64> {
        match &self.cs {
            Alphas::Count(1) => vec![1e-4],
            Alphas::Count(n) => (0..*n).map(|i| 10f64.powf(-4.0 + 8.0 * i as f64 / (n - 1) as f64)).collect(),
            Alphas::These(cs) => cs.clone(),
        }
    }

    fn ratios(&self) -> Vec<f64> {
        match (&self.l1_ratios, self.penalty) {
            (Some(ratios), _) => ratios.clone(),
            (None, Some(LogisticPenalty::L1)) => vec![1.0],
            (None, _) => vec![0.0],
        }
    }

    /// The learner of one share.
    fn learner(&self, l1_ratio: f64) -> LogisticRegression {
        LogisticRegression {
            penalty: self.penalty.map(|_| LogisticPenalty::Elasticnet),
            l1_ratio,
            c: 1.0,
            fitting: self.fitting.clone(),
        }
    }

    /// The path of one share on the rows of one fold.
    fn path(
        &self,
        ratio: f64,
        split: &mercer_measure::Split,
        metric: &Metric,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Path> {
        let part = |rows: &[usize]| -> Result<Dataset<'_>> {
            let part = data.subset(rows)?;
            part.with_input(part.input())
        };
        let (train, test) = (part(&split.train)?, part(&split.test)?);
        let models = along(&self.learner(ratio), &self.strengths(), &train, session)?;
        let (target, weights, input) = (test.need_target(Self::NAME)?, test.weights(), test.input());
        let (truth, labels) = target.class()?;
        let scored = |model: LogisticModel| {
            let scores = model.scores(&input, session)?;
            let best = |z: &[f64]| if let [z] = z { u32::from(*z > 0.0) } else { argmax(z) as u32 };
            let predicted: Vec<u32> = (0..scores.n_rows()).map(|i| best(scores.row(i))).collect();
            let probabilities = class_probabilities(scores.clone(), 1.0);
            let said = Scored::Classes {
                truth,
                n_classes: labels.len(),
                predicted: Some(&predicted),
                probabilities: Some(probabilities.view()),
                scores: Some(scores.view()),
            };
            let value = metric.evaluate(&said, weights.as_deref())?;
            Ok((model, if metric.greater_is_better { value } else { -value }))
        };
        models.into_iter().map(scored).collect()
    }
}

impl Learn for LogisticRegressionCV {
    type Model = LogisticCvModel;

    fn capabilities(&self) -> Capabilities {
        let random = matches!(self.fitting.solver, LogisticSolver::Sag | LogisticSolver::Saga);
        let binary = self.fitting.one_score();
        Capabilities { random, binary, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let empty = matches!(&self.cs, Alphas::These(cs) if cs.is_empty()) || self.cs == Alphas::Count(0);
        if empty {
            return Err(Error::param(Self::NAME, "Cs", "at least one", "none"));
        }
        if self.l1_ratios.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::param(Self::NAME, "l1_ratios", "at least one share", "[]"));
        }
        if self.l1_ratios.is_none() && self.penalty == Some(LogisticPenalty::Elasticnet) {
            return Err(Error::param(Self::NAME, "l1_ratios", "given for the penalty elasticnet", "none"));
        }
        self.scoring.as_deref().map_or(Ok(()), |name| Metric::by_name(name).map(|_| ()))?;
        self.ratios().iter().try_for_each(|ratio| self.learner(*ratio).check())
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LogisticCvModel> {
        let folds = mercer_measure::folds(data, self.cv.unwrap_or(5), None)?;
        let metric = Metric::by_name(self.scoring.as_deref().unwrap_or("accuracy"))?;
        let ratios = self.ratios();
        let tasks: Vec<(usize, usize)> =
            (0..folds.len()).flat_map(|f| (0..ratios.len()).map(move |r| (f, r))).collect();
        let quiet = session.quiet();
        let paths: Vec<Result<Path>> =
            tasks.par_iter().map(|&(f, r)| self.path(ratios[r], &folds[f], metric, data, &quiet)).collect();
        let paths = paths.into_iter().collect::<Result<Vec<Path>>>()?;
        if session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        Found { cs: self.strengths(), ratios, paths, n_folds: folds.len() }.conclude(self, data, session)
    }
}

/// The fits of a search over folds that were chosen elsewhere, to be scored elsewhere: for each fold all shares, for each of
/// them all strengths.
#[derive(Clone, Debug)]
pub struct LogisticFolds {
    learner: LogisticRegressionCV,
    models: Vec<LogisticModel>,
    n_folds: usize,
}

impl LogisticFolds {
    /// The paths of a learner on the training rows of each fold, side by side.
    pub fn fit(
        learner: &LogisticRegressionCV,
        folds: &[Vec<usize>],
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Self> {
        let data = learner.checked(data)?;
        let (cs, ratios, quiet) = (learner.strengths(), learner.ratios(), session.quiet());
        let tasks: Vec<(&Vec<usize>, f64)> =
            folds.iter().flat_map(|fold| ratios.iter().map(move |r| (fold, *r))).collect();
        let one = |(fold, ratio): &(&Vec<usize>, f64)| -> Result<Vec<LogisticModel>> {
            let part = data.subset(fold)?;
            along(&learner.learner(*ratio), &cs, &part.with_input(part.input())?, &quiet)
        };
        let all: Vec<Result<Vec<LogisticModel>>> = session.run(|| tasks.par_iter().map(one).collect());
        let models = all.into_iter().collect::<Result<Vec<_>>>()?.concat();
        if session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        Ok(Self { learner: learner.clone(), models, n_folds: folds.len() })
    }

    /// The fits, by folds, shares and strengths.
    pub fn models(&self) -> &[LogisticModel] {
        &self.models
    }

    /// The learner of the fit of this number.
    pub fn learner(&self, at: usize) -> LogisticRegression {
        let (cs, ratios) = (self.learner.strengths(), self.learner.ratios());
        let ratio = ratios[at / cs.len() % ratios.len()];
        LogisticRegression { c: cs[at % cs.len()], ..self.learner.learner(ratio) }
    }

    /// The model of the best fit, by the scores of all; larger is better.
    pub fn conclude(&self, scores: &[f64], data: &Dataset<'_>, session: &Session) -> Result<LogisticCvModel> {
        if scores.len() != self.models.len() {
            return Err(Error::shape("scores", self.models.len(), scores.len()));
        }
        let data = self.learner.checked(data)?;
        let cs = self.learner.strengths();
        let fits: Vec<(LogisticModel, f64)> =
            self.models.iter().cloned().zip(scores.iter().copied()).collect();
        let paths = fits.chunks(cs.len()).map(<[_]>::to_vec).collect();
        let found = Found { cs, ratios: self.learner.ratios(), paths, n_folds: self.n_folds };
        session.run(|| found.conclude(&self.learner, &data, session))
    }
}

/// All fits of a search: one path for each fold and share.
struct Found {
    cs: Vec<f64>,
    ratios: Vec<f64>,
    paths: Vec<Path>,
    n_folds: usize,
}

impl Found {
    fn at(&self, fold: usize, c: usize, ratio: usize) -> &(LogisticModel, f64) {
        &self.paths[fold * self.ratios.len() + ratio][c]
    }

    /// The first strength, then the first share, of the largest score.
    fn best(&self, score: impl Fn(usize, usize) -> f64) -> Result<(usize, usize)> {
        let mut best = (f64::NAN, (0, 0));
        for c in 0..self.cs.len() {
            for r in 0..self.ratios.len() {
                let score = score(c, r);
                if score > best.0 || (best.0.is_nan() && !score.is_nan()) {
                    best = (score, (c, r));
                }
            }
        }
        if best.0.is_nan() {
            return Err(Error::numeric(
                LogisticRegressionCV::NAME,
                "no strength has a score on the rows held out",
            ));
        }
        Ok(best.1)
    }

    /// The model of the best setting: fitted to all rows, or the mean of what is best in each fold.
    fn conclude(
        self,
        learner: &LogisticRegressionCV,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<LogisticCvModel> {
        let folds = 0..self.n_folds;
        let intercept = learner.fitting.intercept.fit_intercept;
        if learner.refit {
            let best = self.best(|c, r| folds.clone().map(|f| self.at(f, c, r).1).sum())?;
            let (c, ratio) = (self.cs[best.0], self.ratios[best.1]);
            let of_folds: Vec<&LogisticModel> = folds.map(|f| &self.at(f, best.0, best.1).0).collect();
            let start = LogisticModel::mean(&of_folds);
            let chosen = LogisticRegression { c, ..learner.learner(ratio) };
            let inner = from(&chosen, Some(&start), data, session)?;
            return Ok(self.model(inner, c, ratio, intercept));
        }
        let best = folds.map(|f| self.best(|c, r| self.at(f, c, r).1)).collect::<Result<Vec<_>>>()?;
        let models: Vec<&LogisticModel> =
            best.iter().enumerate().map(|(f, b)| &self.at(f, b.0, b.1).0).collect();
        let mean = |of: &dyn Fn(&(usize, usize)) -> f64| best.iter().map(of).sum::<f64>() / best.len() as f64;
        let (c, ratio) = (mean(&|b| self.cs[b.0]), mean(&|b| self.ratios[b.1]));
        let inner = LogisticModel::mean(&models);
        Ok(self.model(inner, c, ratio, intercept))
    }

    fn model(self, inner: LogisticModel, c: f64, l1_ratio: f64, intercept: bool) -> LogisticCvModel {
        let fits = || self.paths.iter().flatten();
        let mut paths = Vec::new();
        for (model, _) in fits() {
            for k in 0..model.coef.n_rows() {
                paths.extend_from_slice(model.coef.row(k));
                paths.extend(intercept.then_some(model.intercept[k]));
            }
        }
        LogisticCvModel {
            inner,
            c,
            l1_ratio,
            scores: fits().map(|fit| fit.1).collect(),
            n_iter: fits().map(|fit| fit.0.n_iter).collect(),
            paths,
            n_folds: self.n_folds,
            cs: self.cs,
            ratios: self.ratios,
        }
    }
}

impl LogisticCvModel {
    /// The weight of the loss that was chosen.
    pub fn c(&self) -> f64 {
        self.c
    }

    /// The share of the L1 part that was chosen.
    pub fn l1_ratio(&self) -> f64 {
        self.l1_ratio
    }

    /// The model of the chosen penalty.
    pub fn logistic(&self) -> &LogisticModel {
        &self.inner
    }

    /// The scores on rows held out, folds × shares × strengths; larger is better.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The coefficients with their intercepts, folds × shares × strengths × rows of coefficients.
    pub fn coefs_paths(&self) -> &[f64] {
        &self.paths
    }
}

impl Fitted for LogisticCvModel {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        self.inner.certificate()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.inner.infer(input, schema, session)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { summary: None, ..self.inner.abilities() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        self.inner.reprove(data, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.inner.attributes();
        all.retain(|a| a.name != "n_iter_");
        let tried = [self.n_folds, self.ratios.len(), self.cs.len()];
        let rows = self.inner.coef.n_rows();
        let each = tried.iter().product::<usize>() * rows;
        let paths = [&tried[..], &[rows, self.paths.len() / each.max(1)]].concat();
        all.extend([
            Attribute::real("C_", "The weight of the loss chosen.", &[], vec![self.c]),
            Attribute::real("l1_ratio_", "The share of the L1 part chosen.", &[], vec![self.l1_ratio]),
            Attribute::real("Cs_", "The weights of the loss tried.", &[self.cs.len()], self.cs.clone()),
            Attribute::real("l1_ratios_", "The shares tried.", &[self.ratios.len()], self.ratios.clone()),
            Attribute::real("scores_", "The scores on rows held out.", &tried, self.scores.clone()),
            Attribute::real("coefs_paths_", "The coefficients in each fold.", &paths, self.paths.clone()),
        ]);
        let steps = self.n_iter.iter().map(|n| *n as i64).collect();
        all.push(Attribute::int("n_iter_", "Steps that the solver took.", &tried, steps));
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = self.n_folds.checked_mul(self.ratios.len()).and_then(|n| n.checked_mul(self.cs.len()));
        let n = fits.filter(|&n| n > 0 && n == self.scores.len() && n == self.n_iter.len());
        let rows = n.and_then(|n| n.checked_mul(self.inner.coef.n_rows())).filter(|&n| n > 0);
        let width = self.inner.coef.n_cols();
        let whole = rows
            .is_some_and(|n| [width, width + 1].iter().any(|w| n.checked_mul(*w) == Some(self.paths.len())));
        if !whole {
            return Err("scores do not fit the strengths and folds".to_owned());
        }
        self.inner.validate(schema)
    }
}
