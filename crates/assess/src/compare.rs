//! Cross validation, and the comparison of learners on the same folds.

use mercer_core::{Certificate, Dataset, Error, ErrorKind, Learner, Model, Result, Session};
use mercer_measure::{Answers, Metric, Split, Splitter, TTest, corrected_t_test};
use rayon::prelude::*;
use std::time::Instant;

/// The scores of one fold.
#[derive(Clone, Debug)]
pub struct Fold {
    /// One score for each metric.
    pub scores: Vec<f64>,
    /// Seconds to fit.
    pub fit_seconds: f64,
    /// Test rows.
    pub n_test: usize,
}

/// A learner under comparison.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called in the table.
    pub label: String,
    /// The learner, with its preparation.
    pub learner: Box<dyn Learner>,
    /// Whether it is the baseline.
    pub is_baseline: bool,
}

/// A candidate with what was measured of it.
#[derive(Clone, Debug)]
pub struct Contender {
    /// The candidate.
    pub candidate: Candidate,
    /// Its folds; empty when it failed.
    pub folds: Vec<Fold>,
    /// The mean of each metric over the folds.
    pub means: Vec<f64>,
    /// The 95 % interval of the first metric.
    pub interval: Option<(f64, f64)>,
    /// Its answers for every row, each from the fold that held the row out.
    pub answers: Option<Answers>,
    /// The model fitted on all rows.
    pub model: Option<Box<dyn Model>>,
    /// Seconds of that fit.
    pub fit_seconds: f64,
    /// Seconds to predict one row.
    pub row_seconds: Option<f64>,
    /// Size of the model's bytes.
    pub size: Option<u64>,
    /// How it compares with the best on the first metric: the corrected resampled t-test.
    pub versus_best: Option<TTest>,
    /// Why it could not be fitted.
    pub error: Option<String>,
}

impl Contender {
    /// The certificate of the model fitted on all rows.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.model.as_ref().map(|m| m.certificate())
    }

    /// What is worth saying beside its scores: that it failed, ties with the best, or did not converge.
    pub fn remark(&self) -> String {
        let mut parts = Vec::new();
        if let Some(error) = &self.error {
            parts.push(format!("failed: {error}"));
        }
        if let Some(test) = self.versus_best.filter(|t| t.p_value > 0.05) {
            parts.push(format!("tie with 1 (p = {:.2})", test.p_value));
        }
        if self.certificate().is_some_and(|c| !c.is_success()) {
            parts.push("not converged".to_owned());
        }
        parts.join("; ")
    }
}

/// The outcome of a comparison, best first.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The metrics; the first decides.
    pub metrics: Vec<&'static Metric>,
    /// The contenders, best first, failed ones last.
    pub contenders: Vec<Contender>,
    /// Candidates that the deadline left out.
    pub left_out: Vec<String>,
}

/// The folds that suit a data set, shuffled.
pub fn folds(data: &Dataset<'_>, k: usize, seed: u64) -> Result<Vec<Split>> {
    mercer_measure::folds(data, k, Some(seed))
}

/// Fits a learner on each split's training rows and scores it on the test rows.
pub fn cross_validate(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    splits: &[Split],
    metrics: &[&'static Metric],
    session: &Session,
) -> Result<(Vec<Fold>, Option<Answers>)> {
    let fold = |(i, split): (usize, &Split)| {
        if session.step("fold", i as u64, Some(splits.len() as u64), None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        fold_scores(learner, data, split, metrics, session)
    };
    let scored = session
        .run(|| splits.par_iter().with_max_len(1).enumerate().map(fold).collect::<Result<Vec<_>>>())?;
    let (mut folds, mut parts) = (Vec::new(), Vec::new());
    for (split, (fold, answers, _)) in splits.iter().zip(scored) {
        folds.push(fold);
        parts.push((split.test.clone(), answers));
    }
    let answers = Answers::merge(&parts, data.n_rows());
    Ok((folds, answers))
}

/// One fold with the model fitted for it.
#[derive(Clone, Debug)]
pub struct FoldModel {
    /// The model.
    pub model: Box<dyn Model>,
    /// A score for each metric on the test rows.
    pub test: Vec<f64>,
    /// The same on the training rows; empty where that was not asked for.
    pub train: Vec<f64>,
    /// Seconds to fit.
    pub fit_seconds: f64,
    /// Seconds to score.
    pub score_seconds: f64,
}

/// Cross validation that keeps the models; with `train_scores` they are scored on their own rows, too.
pub fn fold_models(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    splits: &[Split],
    metrics: &[&'static Metric],
    train_scores: bool,
    session: &Session,
) -> Result<Vec<FoldModel>> {
    let fold = |(i, split): (usize, &Split)| {
        let (fold, answers, model) = fold_scores(learner, data, split, metrics, session)?;
        if session.step("fold", i as u64 + 1, Some(splits.len() as u64), None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let started = Instant::now();
        let test = metrics.iter().map(|m| answers.score(m)).collect::<Result<Vec<_>>>()?;
        let score_seconds = started.elapsed().as_secs_f64();
        let train = if train_scores {
            let answers = Answers::of(model.as_ref(), &data.subset(&split.train)?, session)?;
            metrics.iter().map(|m| answers.score(m)).collect::<Result<Vec<_>>>()?
        } else {
            Vec::new()
        };
        Ok(FoldModel { model, test, train, fit_seconds: fold.fit_seconds, score_seconds })
    };
    session.run(|| splits.par_iter().with_max_len(1).enumerate().map(fold).collect())
}

/// One fold: its scores, its answers, and the model fitted for it.
pub(crate) fn fold_scores(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    split: &Split,
    metrics: &[&'static Metric],
    session: &Session,
) -> Result<(Fold, Answers, Box<dyn Model>)> {
    let started = Instant::now();
    let model = learner.train(&data.subset(&split.train)?, &session.quiet())?;
    let fit_seconds = started.elapsed().as_secs_f64();
    let answers = Answers::of(model.as_ref(), &data.subset(&split.test)?, session)?;
    let scores = metrics.iter().map(|m| answers.score(m)).collect::<Result<Vec<_>>>()?;
    Ok((Fold { scores, fit_seconds, n_test: split.test.len() }, answers, model))
}

/// Compares candidates on the same folds. A deadline in the session ends it after the candidate under way.
pub fn compare(
    candidates: Vec<Candidate>,
    data: &Dataset<'_>,
    splits: &[Split],
    metrics: &[&'static Metric],
    session: &Session,
) -> Result<Comparison> {
    let Some(first) = metrics.first() else { return Err(Error::too_few("compare", "metrics", 1, 0)) };
    let (mut contenders, mut left_out) = (Vec::new(), Vec::new());
    let total = candidates.len() as u64;
    for (i, candidate) in candidates.into_iter().enumerate() {
        let stop = session.step(&candidate.label, i as u64, Some(total), None);
        if stop.is_some() && !contenders.is_empty() {
            left_out.push(candidate.label);
            continue;
        }
        match contend(&candidate, data, splits, metrics, session) {
            Ok(contender) => contenders.push(contender),
            Err(e) if matches!(e.kind(), ErrorKind::Cancelled) => left_out.push(candidate.label),
            Err(e) => contenders.push(failed(candidate, &e)),
        }
    }
    if contenders.is_empty() {
        return Err(ErrorKind::Cancelled.into());
    }
    let score = |c: &Contender| c.means.first().copied().unwrap_or(f64::NAN);
    contenders.sort_by(|a, b| {
        let (a, b) = (score(a), score(b));
        first.is_better(b, a).cmp(&first.is_better(a, b))
    });
    against_the_best(&mut contenders, splits);
    Ok(Comparison { metrics: metrics.to_vec(), contenders, left_out })
}

fn contend(
    candidate: &Candidate,
    data: &Dataset<'_>,
    splits: &[Split],
    metrics: &[&'static Metric],
    session: &Session,
) -> Result<Contender> {
    let (folds, answers) = cross_validate(candidate.learner.as_ref(), data, splits, metrics, session)?;
    let mean = |m: usize| folds.iter().map(|f| f.scores[m]).sum::<f64>() / folds.len().max(1) as f64;
    let first: Vec<f64> = folds.iter().map(|f| f.scores[0]).collect();
    let interval = metrics.first().and_then(|metric| metric.t_interval(&first, 0.95));
    let started = Instant::now();
    let model = candidate.learner.train(data, &session.quiet())?;
    let fit_seconds = started.elapsed().as_secs_f64();
    Ok(Contender {
        candidate: candidate.clone(),
        means: (0..metrics.len()).map(mean).collect(),
        interval,
        answers,
        fit_seconds,
        row_seconds: one_row_seconds(model.as_ref(), data, session),
        size: model.encode().ok().map(|e| e.bytes.len() as u64),
        model: Some(model),
        folds,
        versus_best: None,
        error: None,
    })
}

/// The shortest of a few timings of one row.
fn one_row_seconds(model: &dyn Model, data: &Dataset<'_>, session: &Session) -> Option<f64> {
    let row = data.subset(&[0]).ok()?.input();
    let time = || {
        let started = Instant::now();
        model.predict(&row, session).ok().map(|_| started.elapsed().as_secs_f64())
    };
    (0..20).filter_map(|_| time()).min_by(f64::total_cmp)
}

fn failed(candidate: Candidate, error: &Error) -> Contender {
    Contender {
        candidate,
        folds: Vec::new(),
        means: Vec::new(),
        interval: None,
        answers: None,
        model: None,
        fit_seconds: 0.0,
        row_seconds: None,
        size: None,
        versus_best: None,
        error: Some(error.to_string()),
    }
}

fn against_the_best(contenders: &mut [Contender], splits: &[Split]) {
    let Some((best, rest)) = contenders.split_first_mut() else { return };
    let scores = |c: &Contender| c.folds.iter().map(|f| f.scores[0]).collect::<Vec<_>>();
    let reference = scores(best);
    let Some(split) = splits.first() else { return };
    for other in rest.iter_mut().filter(|c| c.error.is_none()) {
        other.versus_best =
            corrected_t_test(&reference, &scores(other), split.train.len(), split.test.len()).ok();
    }
}

/// The splits of a scheme in words, such as `timeseries(k=5)` or `repeated(k=5,times=3)`.
pub fn splits(data: &Dataset<'_>, scheme: &str, seed: u64) -> Result<Vec<Split>> {
    let target = data.target();
    let classes = target.as_ref().and_then(|t| t.class().ok()).map(|(codes, _)| codes);
    let groups: Option<Vec<u64>> = data.groups().map(|g| g.iter().map(|&g| u64::from(g)).collect());
    Splitter::parse(scheme)?.splits(data.n_rows(), classes, groups.as_deref(), seed)
}
