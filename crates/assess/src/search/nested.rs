//! Triple and nested cross validation, step by step as lecture note 004 draws them.

use super::space::{Setting, Space, apply};
use crate::Answers;
use mercer_core::{Dataset, Error, ErrorKind, Learner, Model, Result, Session, Value};
use mercer_measure::{Metric, Scale, Split, average_values};
use rayon::prelude::*;

/// The outcome of triple cross validation.
#[derive(Clone, Debug)]
pub struct Triple {
    /// The best setting by its score on the validation rows T′.
    pub setting: Setting,
    /// The score of every setting on T′.
    pub validation: Vec<f64>,
    /// The score on the test rows T of the best setting fitted on L ∪ T′: the estimate of what the model is worth.
    pub estimate: Vec<f64>,
    /// The best setting fitted on L ∪ T′ ∪ T.
    pub model: Box<dyn Model>,
}

/// Triple cross validation of 004: every setting is trained on L and scored on T′; the best is trained on L ∪ T′ and
/// scored on T; what is returned is trained on all rows. The first metric decides.
pub fn triple(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    settings: &[Setting],
    (l, t_prime, t): (&[usize], &[usize], &[usize]),
    metrics: &[&'static Metric],
    session: &Session,
) -> Result<Triple> {
    let metric =
        *metrics.first().ok_or_else(|| Error::too_few("triple cross validation", "metrics", 1, 0))?;
    let score = |setting: &Setting| {
        let model = apply(learner, setting)?.train(&data.subset(l)?, &session.quiet())?;
        scored(model.as_ref(), data, t_prime, metrics, session).map(|s| s[0])
    };
    let validation =
        session.run(|| settings.par_iter().with_max_len(1).map(score).collect::<Result<Vec<_>>>())?;
    interrupted(session)?;
    let best = best_of(&validation, metric)?;
    let chosen = apply(learner, &settings[best])?;
    let union = [l, t_prime].concat();
    let tested = chosen.train(&data.subset(&union)?, &session.quiet())?;
    let estimate = scored(tested.as_ref(), data, t, metrics, session)?;
    let all = [union.as_slice(), t].concat();
    let model = chosen.train(&data.subset(&all)?, &session.quiet())?;
    Ok(Triple { setting: settings[best].clone(), validation, estimate, model })
}

/// One round of nested cross validation.
#[derive(Clone, Debug, PartialEq)]
pub struct NestedRound {
    /// λᵢ*, the best setting by its mean over the inner folds.
    pub setting: Setting,
    /// That mean.
    pub inner: f64,
    /// The scores of λᵢ* trained on S ∖ Sᵢ, on Sᵢ.
    pub scores: Vec<f64>,
}

/// The outcome of nested cross validation.
#[derive(Clone, Debug)]
pub struct Nested {
    /// The rounds, one for each fold.
    pub rounds: Vec<NestedRound>,
    /// The mean of the scores over the rounds: what the whole procedure is worth.
    pub estimate: Vec<f64>,
    /// λ*, the average of the λᵢ*.
    pub setting: Setting,
    /// The learner with λ*.
    pub learner: Box<dyn Learner>,
    /// λ* trained on all rows.
    pub model: Box<dyn Model>,
}

/// Nested cross validation of 004 over a partition S₁ … S_k: in round i every setting is trained on S ∖ Sᵢ ∖ Sⱼ and
/// scored on Sⱼ for all j ≠ i; the best by the mean, λᵢ*, is trained on S ∖ Sᵢ and scored on Sᵢ. The scores are
/// averaged, and so are the λᵢ* ([`average_settings`]); the average is trained on S.
///
/// S ∖ Sᵢ ∖ Sⱼ serves two rounds, so each pair of folds is trained on once: k(k−1)/2 fits a setting instead of k(k−1).
pub fn nested(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    space: &Space,
    settings: &[Setting],
    folds: &[Split],
    metrics: &[&'static Metric],
    session: &Session,
) -> Result<Nested> {
    let metric =
        *metrics.first().ok_or_else(|| Error::too_few("nested cross validation", "metrics", 1, 0))?;
    let k = folds.len();
    if k < 3 {
        return Err(Error::too_few("nested cross validation", "folds", 3, k));
    }
    let pairs: Vec<(usize, usize)> = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).collect();
    let tasks: Vec<(usize, usize, usize)> =
        (0..settings.len()).flat_map(|s| pairs.iter().map(move |&(i, j)| (s, i, j))).collect();
    let total = tasks.len() as u64;
    let inner = |n: usize, &(s, i, j): &(usize, usize, usize)| {
        interrupted(session)?;
        let rows: Vec<usize> =
            folds[i].train.iter().copied().filter(|r| folds[j].test.binary_search(r).is_err()).collect();
        let task = session.quiet();
        let model = apply(learner, &settings[s])?.train(&data.subset(&rows)?, &task)?;
        let _ = session.step("nested fold", n as u64, Some(total), None);
        let on = |fold: usize| scored(model.as_ref(), data, &folds[fold].test, &metrics[..1], session);
        // Trained without i and j: scored on j it belongs to round i, scored on i to round j.
        Ok([(s, i, on(j)?[0]), (s, j, on(i)?[0])])
    };
    let scores: Vec<[(usize, usize, f64); 2]> = session.run(|| {
        tasks.par_iter().with_max_len(1).enumerate().map(|(n, t)| inner(n, t)).collect::<Result<_>>()
    })?;
    let mut means = vec![vec![0.0; settings.len()]; k];
    scores.iter().flatten().for_each(|&(s, round, score)| means[round][s] += score / (k - 1) as f64);
    let round = |(i, means): (usize, &Vec<f64>)| {
        interrupted(session)?;
        let best = best_of(means, metric)?;
        let task = session.quiet();
        let model = apply(learner, &settings[best])?.train(&data.subset(&folds[i].train)?, &task)?;
        let scores = scored(model.as_ref(), data, &folds[i].test, metrics, session)?;
        Ok(NestedRound { setting: settings[best].clone(), inner: means[best], scores })
    };
    let rounds: Vec<NestedRound> =
        session.run(|| means.par_iter().with_max_len(1).enumerate().map(round).collect::<Result<_>>())?;
    let estimate =
        (0..metrics.len()).map(|m| rounds.iter().map(|r| r.scores[m]).sum::<f64>() / k as f64).collect();
    let chosen: Vec<&Setting> = rounds.iter().map(|r| &r.setting).collect();
    let setting = average_settings(space, &chosen)?;
    let learner = apply(learner, &setting)?;
    let model = learner.train(data, &session.quiet())?;
    Ok(Nested { rounds, estimate, setting, learner, model })
}

/// λ* from the λᵢ*: of each parameter the mean, geometric where its scale is logarithmic, rounded where it is whole; of
/// choices the most frequent, the first of equals. A parameter that matters under a condition is averaged over the
/// rounds in which it did.
pub fn average_settings(space: &Space, settings: &[&Setting]) -> Result<Setting> {
    let mut out = Setting::new();
    for dimension in &space.dimensions {
        let values: Vec<Value> = settings
            .iter()
            .flat_map(|s| s.iter().filter(|(path, _)| *path == dimension.path).map(|(_, v)| v.clone()))
            .collect();
        if dimension.is_active(&out) && !values.is_empty() {
            out.push((dimension.path.clone(), average_values(&values, Scale::from(&dimension.search))?));
        }
    }
    Ok(out)
}

fn scored(
    model: &dyn Model,
    data: &Dataset<'_>,
    rows: &[usize],
    metrics: &[&'static Metric],
    session: &Session,
) -> Result<Vec<f64>> {
    let answers = Answers::of(model, &data.subset(rows)?, session)?;
    metrics.iter().map(|m| answers.score(m)).collect()
}

fn best_of(scores: &[f64], metric: &Metric) -> Result<usize> {
    let better = |best: Option<usize>, i: usize| match best {
        _ if scores[i].is_nan() => best,
        Some(b) if !metric.is_better(scores[i], scores[b]) => best,
        _ => Some(i),
    };
    (0..scores.len())
        .fold(None, better)
        .ok_or_else(|| Error::numeric(metric.label, "every setting scores NaN on the validation rows"))
}

fn interrupted(session: &Session) -> Result<()> {
    session.interrupted().map_or(Ok(()), |_| Err(ErrorKind::Cancelled.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(pairs: &[(&str, Value)]) -> Setting {
        pairs.iter().map(|(p, v)| ((*p).to_owned(), v.clone())).collect()
    }

    #[test]
    fn averages_follow_the_scale() {
        let space = Space::parse("a=log(1e-3,1e3), b=linear(0,10), c=int(1,9), d=[x,y,z]").unwrap();
        let one = |a: f64, b: f64, c: i64, d: &str| {
            setting(&[("a", a.into()), ("b", b.into()), ("c", c.into()), ("d", d.into())])
        };
        let rounds = [one(0.01, 1.0, 1, "y"), one(1.0, 2.0, 4, "z"), one(100.0, 6.0, 5, "y")];
        let average = average_settings(&space, &rounds.iter().collect::<Vec<_>>()).unwrap();
        let value = |path: &str| average.iter().find(|(p, _)| p == path).map(|(_, v)| v.clone()).unwrap();
        let Value::Real(a) = value("a") else { panic!("a number") };
        assert!((a - 1.0).abs() < 1e-12);
        assert_eq!((value("b"), value("c"), value("d")), (3.0.into(), 3i64.into(), "y".into()));
    }

    #[test]
    fn ties_of_choices_go_to_the_first_to_appear() {
        let space = Space::parse("d=[x,y]").unwrap();
        let rounds = [setting(&[("d", "y".into())]), setting(&[("d", "x".into())])];
        let average = average_settings(&space, &rounds.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(average, setting(&[("d", "y".into())]));
    }
}
