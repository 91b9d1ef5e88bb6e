//! Learning and validation curves.

use crate::compare::fold_scores;
use crate::search::{Setting, apply};
use mercer_core::{Dataset, Error, Learner, Result, Session, Value};
use mercer_math::shuffle;
use mercer_measure::{Metric, Split};
use rayon::prelude::*;

/// One point of a curve: the scores of each fold on its own training rows and on its test rows.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// Training rows, or the value of the parameter.
    pub at: Value,
    /// Scores on the rows learnt from, one a fold.
    pub train: Vec<f64>,
    /// Scores on the test rows, one a fold.
    pub test: Vec<f64>,
}

/// How scores grow with the number of training rows. `sizes` are shares of the training rows of a fold, in (0, 1]; each
/// size takes the rows of the one before and some more, in an order drawn by the seed.
pub fn learning_curve(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    splits: &[Split],
    metric: &'static Metric,
    sizes: &[f64],
    session: &Session,
) -> Result<Vec<CurvePoint>> {
    if let Some(bad) = sizes.iter().find(|s| !(**s > 0.0 && **s <= 1.0)) {
        return Err(Error::param("learning_curve", "sizes", "in (0, 1]", bad));
    }
    let least = splits.iter().map(|s| s.train.len()).min().unwrap_or(0);
    let count = |share: f64| ((share * least as f64).round() as usize).clamp(1, least.max(1));
    let shuffled: Vec<Vec<usize>> = splits
        .iter()
        .enumerate()
        .map(|(i, split)| {
            let mut rows = split.train.clone();
            shuffle(&mut session.rng(i as u64), &mut rows);
            rows
        })
        .collect();
    let point = |&share: &f64| {
        let n = count(share);
        let folds = splits.iter().zip(&shuffled).map(|(split, rows)| {
            let mut train = rows[..n].to_vec();
            train.sort_unstable();
            Split { train, test: split.test.clone() }
        });
        scored(Value::from(n), learner, data, &folds.collect::<Vec<_>>(), metric, session)
    };
    session.run(|| sizes.par_iter().with_max_len(1).map(point).collect())
}

/// How scores depend on one parameter.
pub fn validation_curve(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    splits: &[Split],
    metric: &'static Metric,
    (path, values): (&str, &[Value]),
    session: &Session,
) -> Result<Vec<CurvePoint>> {
    let point = |value: &Value| {
        let setting: Setting = vec![(path.to_owned(), value.clone())];
        scored(value.clone(), apply(learner, &setting)?.as_ref(), data, splits, metric, session)
    };
    session.run(|| values.par_iter().with_max_len(1).map(point).collect())
}

fn scored(
    at: Value,
    learner: &dyn Learner,
    data: &Dataset<'_>,
    splits: &[Split],
    metric: &'static Metric,
    session: &Session,
) -> Result<CurvePoint> {
    let fold = |split: &Split| {
        let (_, answers, model) = fold_scores(learner, data, split, &[metric], session)?;
        let train =
            crate::Answers::of(model.as_ref(), &data.subset(&split.train)?, session)?.score(metric)?;
        Ok((train, answers.score(metric)?))
    };
    let both = splits.par_iter().with_max_len(1).map(fold).collect::<Result<Vec<_>>>()?;
    let (train, test) = both.into_iter().unzip();
    Ok(CurvePoint { at, train, test })
}
