//! Conformal prediction: intervals around any regressor that hold as many answers as they promise.
//!
//! # Objective
//! An interval $C(x)$ with $P(y \in C(x)) \ge 1-\alpha$ for a new row that is exchangeable with those of training,
//! whatever their distribution and however wrong the regressor.
//!
//! # Algorithm
//! A row's score is how far its answer lies outside of what was said of it by models that did not see it:
//! $s = \max(\ell(x) - y,\ y - u(x))$. With `conformity=absolute`, $\ell = u = \hat f(x)$ and $s$ is the absolute
//! residual. With `conformity=quantile` $\ell$ and $u$ are quantiles of the regressor's own, so that intervals are wide
//! where answers spread (conformalised quantile regression): of a learner with a quantile loss, fitted three times, or
//! of one that gives intervals.
//!
//! - `split`: a share `calibration_size` of the rows is held out; the interval is $[\ell(x) - q, u(x) + q]$ with $q$ the
//!   $\lceil(1-\alpha)(n+1)\rceil$-th smallest of the $n$ held-out scores. Holds at least $1-\alpha$ of the answers, and
//!   at most $1/(n+1)$ more if scores have no ties.
//! - `cv_plus`: each fold's model gives the scores of its own rows; the upper end is the
//!   $\lceil(1-\alpha)(n+1)\rceil$-th smallest of all $u_{-k(i)}(x) + s_i$, the lower likewise. Uses every row; holds at
//!   least $1-2\alpha$ of the answers but for $\sqrt{2/n}$, and $1-\alpha$ in practice.
//! - `jackknife_plus`: the same with folds of one row, at least $1-2\alpha$.
//!
//! Intervals at any level come from the same scores; `coverage` is that of the certificate, and of the quantiles.
//! Predictions are means over the folds.
//!
//! # Complexity
//! One fit (`split`), `cv` or n of them; a fit is three for learners with a quantile loss. An interval costs
//! O(k log k log n) beyond the predictions of the k folds.
//!
//! # Example
//! ```
//! use mercer_assess::{ConformalRegressor, DummyRegressor};
//! use mercer_core::{Dataset, Fit, NestedLearner, Target};
//! use mercer_math::Mat;
//! let x = Mat::from_fn(80, 1, |i, _| i as f64);
//! let data = Dataset::new(&x).with_target(Target::real((0..80).map(|i| (i % 7) as f64).collect::<Vec<_>>()))?;
//! let mean = NestedLearner(Box::new(DummyRegressor::default()));
//! let model = ConformalRegressor::default().estimator(Some(mean)).fit(&data)?;
//! let ends = model.predict_interval(&x, 0.9)?;
//! assert!(ends.row(0)[0] <= 0.5 && ends.row(0)[1] >= 5.5);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! With fewer than $1/\alpha - 1$ calibration rows no finite interval holds what it promises: the ends are infinite.
//! Where two ends cross, both are set to their middle. A weight counts as so many copies of a row; a row of weight 0 is
//! absent. Rows are drawn by the seed, whole groups where there are groups.
//!
//! # References
//! - V. Vovk, A. Gammerman, G. Shafer. Algorithmic Learning in a Random World. Springer, 2005. doi:10.1007/b106715
//! - Y. Romano, E. Patterson, E. Candès. Conformalized quantile regression. NeurIPS, 2019.
//! - R. F. Barber, E. Candès, A. Ramdas, R. Tibshirani. Predictive inference with the jackknife+. Ann. Statist. 49(1),
//!   2021. doi:10.1214/20-AOS1965

mod bounds;
mod scores;

use bounds::{Bounds, at_quantile};
use mercer_core::{
    Abilities, Capabilities, Certificate, Choice, Dataset, Error, Evidence, Fitted, Input, Intervals, Kinds,
    Learn, Learner, NestedLearner, Params, Prediction, Result, Schema, Session, Task, Termination, compose,
};
use mercer_math::{Mat, Weights};
use mercer_measure::{Split, folds, group_shuffle_split, leave_one_group_out, leave_one_out, train_test};
use rayon::prelude::*;
use scores::{Scores, reach};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};

/// The regressor where none is given.
const DEFAULT: &str = "Ridge";

/// Which rows calibrate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum ConformalMethod {
    /// A share of the rows, held out once.
    Split,
    /// All rows, each by the model of the fold that it is not in.
    CvPlus,
    /// All rows, each by the model of all others.
    JackknifePlus,
}

/// What intervals are made around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Conformity {
    /// A prediction: all intervals of one model are equally wide.
    Absolute,
    /// Two quantiles.
    Quantile,
}

/// Conformal prediction: intervals around any regressor that hold as many answers as they promise.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "conformal",
    canon = "A1",
    task = Regression,
    python = "calibration",
    tried = "| method=cv_plus,estimator=tree-regressor(max_depth=3) | conformity=quantile,estimator=gbdt-regressor(max_iter=5) | conformity=quantile,estimator=forest-regressor(n_estimators=5,quantiles=true)",
    can = "intervals weights sparse counts_rows ordered random",
    references = "Romano, Patterson, Candès. Conformalized quantile regression. NeurIPS, 2019.|\
                  Barber et al. Predictive inference with the jackknife+. Ann. Statist. 49(1), 2021. doi:10.1214/20-AOS1965"
)]
pub struct ConformalRegressor {
    /// The regressor; none means ridge regression.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// Which rows calibrate.
    #[param(default = ConformalMethod::Split)]
    pub method: ConformalMethod,
    /// What intervals are made around.
    #[param(default = Conformity::Absolute)]
    pub conformity: Conformity,
    /// The share of answers that the certificate is about; intervals can be asked for at any other.
    #[param(default = 0.9, range = "(0, 1)")]
    pub coverage: f64,
    /// Share of the rows that calibrate, of method split.
    #[param(default = 0.25, range = "(0, 1)")]
    pub calibration_size: f64,
    /// Number of folds, of method cv_plus.
    #[param(default = 5, range = "[2, inf)")]
    pub cv: usize,
}

/// How the rows were cut; the same rows are cut the same way again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Cut {
    method: ConformalMethod,
    size: f64,
    cv: usize,
    seed: u64,
}

/// The models of the folds with the scores of the rows that they did not see.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConformalModel {
    parts: Vec<Bounds>,
    scores: Vec<Scores>,
    coverage: f64,
    cut: Cut,
    certificate: Certificate,
}

impl ConformalRegressor {
    fn resolve(&self) -> Result<Box<dyn Learner>> {
        compose::resolve(&self.estimator, DEFAULT)
    }
}

impl Learn for ConformalRegressor {
    type Model = ConformalModel;

    fn kinds(&self) -> Kinds {
        compose::kinds(&self.estimator, DEFAULT)
    }

    fn capabilities(&self) -> Capabilities {
        compose::together_with(<Self as Params>::declaration().capabilities, &self.estimator, DEFAULT)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let expected = match self.conformity {
            Conformity::Absolute => "a regressor",
            Conformity::Quantile => {
                "a learner with a quantile loss, or a forest with quantiles=true, for conformity=quantile"
            }
        };
        compose::check_given(Self::NAME, &self.estimator, expected, |inner| match self.conformity {
            Conformity::Absolute => inner.task() == Task::Regression,
            Conformity::Quantile => inner.capabilities().intervals || at_quantile(inner, 0.5).is_some(),
        })
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ConformalModel> {
        let learner = self.resolve()?;
        let (size, cv) = (self.calibration_size, self.cv);
        let cut = Cut { method: self.method, size, cv, seed: session.seed() };
        let data = &present(data)?;
        let folds = cut.folds(data)?;
        let quantiles = (self.conformity == Conformity::Quantile).then_some(self.coverage);
        let (done, total) = (AtomicU64::new(0), Some(folds.len() as u64));
        let one = |i: usize| -> Result<(Bounds, Scores)> {
            let inside = session.split(i as u64).quiet();
            let bounds = Bounds::train(learner.as_ref(), quantiles, &data.subset(&folds[i].train)?, &inside)?;
            let scores = scored(&bounds, &data.subset(&folds[i].test)?, session)?;
            session.step("folds", done.fetch_add(1, Ordering::Relaxed) + 1, total, None);
            Ok((bounds, scores))
        };
        let made = (0..folds.len()).into_par_iter().with_max_len(1).map(one).collect::<Result<Vec<_>>>()?;
        let (parts, scores): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        // The folds' learners stop by themselves; what they made so far is calibrated all the same.
        let certificate = Certificate::new(session.interrupted().unwrap_or(Termination::Exact));
        let mut model = ConformalModel { parts, scores, coverage: self.coverage, cut, certificate };
        model.certify();
        Ok(model)
    }
}

/// The rows whose weight is not 0.
fn present<'a>(data: &Dataset<'a>) -> Result<Dataset<'a>> {
    match data.weights() {
        Some(w) if w.contains(&0.0) => data.subset(&(0..w.len()).filter(|&i| w[i] > 0.0).collect::<Vec<_>>()),
        _ => Ok(data.clone()),
    }
}

/// How far the answers of some rows lie outside of the ends.
fn scored(bounds: &Bounds, data: &Dataset<'_>, session: &Session) -> Result<Scores> {
    let target = data.need_target(ConformalRegressor::NAME)?;
    let (y, weights) = (target.numbers()?, data.weights());
    let ends = bounds.ends(&data.input(), session)?;
    let score = |i: usize| (ends.row(i)[0] - y[i]).max(y[i] - ends.row(i)[1]);
    let pairs: Vec<(f64, f64)> = (0..y.len()).map(|i| (score(i), Weights::of(&weights)[i])).collect();
    match pairs.iter().all(|p| p.0.is_finite()) {
        true => Ok(Scores::new(pairs)),
        false => Err(Error::numeric(ConformalRegressor::NAME, "the regressor predicts no finite numbers")),
    }
}

impl Cut {
    /// The splits: rows that are learnt from, and those that calibrate.
    fn folds(&self, data: &Dataset<'_>) -> Result<Vec<Split>> {
        let groups = data.groups().map(|g| g.iter().map(|&g| u64::from(g)).collect::<Vec<_>>());
        let n = data.n_rows();
        match (self.method, groups) {
            (ConformalMethod::Split, None) => train_test(n, self.size, self.seed, None).map(|s| vec![s]),
            (ConformalMethod::Split, Some(groups)) => group_shuffle_split(&groups, 1, self.size, self.seed),
            (ConformalMethod::CvPlus, _) => folds(data, self.cv, Some(self.seed)),
            (ConformalMethod::JackknifePlus, None) if n < 2 => leave_one_out(n),
            (ConformalMethod::JackknifePlus, None) => leave_one_out(n).map_err(|_| {
                let expected = format!("cv_plus or split for {n} rows: a fit for each would be too many");
                Error::param(ConformalRegressor::NAME, "method", expected, "jackknife_plus")
            }),
            (ConformalMethod::JackknifePlus, Some(groups)) => leave_one_group_out(&groups),
        }
    }
}

/// The names of the certificate's evidence.
const QUANTILE: &str = "calibration quantile";
const COVERED: &str = "calibration coverage";

impl ConformalModel {
    /// The quantile of the scores at the coverage of the certificate, and the share of the rows that it holds.
    fn evidence(&self, scores: &[Scores]) -> (f64, f64) {
        let quantile = reach(scores, &vec![0.0; scores.len()], self.coverage);
        let sum = |of: &dyn Fn(&Scores) -> f64| scores.iter().map(of).sum::<f64>();
        (quantile, sum(&|s| s.weight_to(quantile)) / sum(&Scores::weight))
    }

    fn certify(&mut self) {
        let (quantile, covered) = self.evidence(&self.scores);
        let n: f64 = self.scores.iter().map(Scores::weight).sum();
        let level = self.coverage;
        let (least, held) = match self.cut.method {
            ConformalMethod::Split => (format!("{level}"), "the calibration rows"),
            ConformalMethod::CvPlus => {
                (format!("{:.4}", 2.0 * level - 1.0 - (2.0 / n).sqrt()), "the training rows")
            }
            ConformalMethod::JackknifePlus => (format!("{:.4}", 2.0 * level - 1.0), "the training rows"),
        };
        let promise = format!(
            "an interval at level {level} holds the answer of a new row that is exchangeable with {held} ({n} of them) \
             with probability at least {least}, whatever their distribution"
        );
        let mut certificate = self.certificate.clone().with_evidence(Evidence::value(
            COVERED,
            covered,
            "the share of the calibration rows inside of the intervals of models that did not see them",
        ));
        certificate = if quantile.is_finite() {
            let meaning = "how far intervals reach beyond what the regressor says";
            certificate.with_evidence(Evidence::value(QUANTILE, quantile, meaning).on_scale(quantile.abs()))
        } else {
            certificate.with_note(format!("{n} calibration rows are too few: intervals are infinite"))
        };
        certificate = certificate.with_note(promise);
        let child = |(i, part): (usize, &Bounds)| {
            let models = part.models().iter();
            models.map(move |m| (format!("fold {i}"), m.0.certificate().clone())).collect::<Vec<_>>()
        };
        certificate.children = self.parts.iter().enumerate().flat_map(child).collect();
        self.certificate = certificate;
    }
}

impl Intervals for ConformalModel {
    fn intervals(&self, input: &Input<'_>, level: f64, session: &Session) -> Result<Mat> {
        let ends = self.parts.iter().map(|p| p.ends(input, session)).collect::<Result<Vec<Mat>>>()?;
        let n = ends.first().map_or(0, Mat::n_rows);
        let one = |i: usize| {
            // The lower end is the upper one of what is mirrored at zero.
            let at = |sign: f64, k: usize| {
                let shifts: Vec<f64> = ends.iter().map(|e| sign * e.row(i)[k]).collect();
                sign * reach(&self.scores, &shifts, level)
            };
            let (lower, upper) = (at(-1.0, 0), at(1.0, 1));
            let middle = (lower + upper) / 2.0;
            if lower <= upper { [lower, upper] } else { [middle, middle] }
        };
        let found: Vec<f64> = session.run(|| (0..n).into_par_iter().flat_map_iter(one).collect());
        Mat::from_vec(found, n, 2).ok_or_else(|| Error::shape("ends of intervals", 2 * n, 0))
    }
}

impl Fitted for ConformalModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let points = self.parts.iter().map(|p| p.point(input, session)).collect::<Result<Vec<_>>>()?;
        let mut mean = vec![0.0; points.first().map_or(0, Vec::len)];
        points.iter().for_each(|p| mercer_math::axpy(1.0 / points.len() as f64, p, &mut mean));
        schema.prediction([mean])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { intervals: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let data = &present(data)?;
        let folds = self.cut.folds(data)?;
        let score = |(fold, part): (&Split, &Bounds)| scored(part, &data.subset(&fold.test)?, session);
        let scores = folds.iter().zip(&self.parts).map(score).collect::<Result<Vec<Scores>>>()?;
        let (quantile, covered) = self.evidence(&scores);
        Ok(vec![(COVERED.to_owned(), covered), (QUANTILE.to_owned(), quantile)])
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let ok = !self.parts.is_empty()
            && self.parts.len() == self.scores.len()
            && schema.targets.len() == 1
            && self.coverage > 0.0
            && self.coverage < 1.0
            && self.scores.iter().all(Scores::is_valid)
            && self.parts.iter().all(|p| p.is_valid(schema));
        if ok { Ok(()) } else { Err("conformal parts that do not fit each other or the schema".to_owned()) }
    }
}

#[cfg(test)]
mod tests;
