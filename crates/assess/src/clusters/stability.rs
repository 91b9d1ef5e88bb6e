//! Stability: whether clusters come again when other rows are learnt from.

use super::{KCriterion, KOptions, Told, WHO, checked};
use mercer_core::{Dataset, Error, ErrorKind, Learner, Result, Session};
use mercer_math::{Moments, sample_indices};
use mercer_measure::adjusted_rand_index;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// How alike the clusters of two subsamples are, on the rows that both have (Ben-Hur, Elisseeff and Guyon 2002,
/// doi:10.1142/9789812799623_0002; von Luxburg 2010, doi:10.1561/2200000008).
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// The numbers of clusters.
    pub counts: Vec<usize>,
    /// The adjusted Rand index of each pair of subsamples, for each number of clusters; empty where so many clusters could not be
    /// had of a subsample, or every row was one of its own.
    pub scores: Vec<Vec<f64>>,
    /// Its mean.
    pub means: Vec<f64>,
    /// The standard error of the mean.
    pub errors: Vec<f64>,
    /// The largest number, from two on, whose mean is at least the best one but its standard error.
    pub chosen: Option<usize>,
}

impl Stability {
    /// As one criterion among others; of one cluster, which always comes again, it says nothing.
    pub(super) fn criterion(self, counts: &[usize]) -> KCriterion {
        let at = |values: &[f64], k: &usize| {
            let place = self.counts.iter().position(|c| c == k).filter(|_| *k > 1);
            place.map_or(f64::NAN, |place| values[place])
        };
        KCriterion {
            name: "stability",
            label: "stability",
            rule: "the largest whose subsamples agree (adjusted Rand index) as the best ones do, but for a standard error",
            values: counts.iter().map(|k| at(&self.means, k)).collect(),
            errors: Some(counts.iter().map(|k| at(&self.errors, k)).collect()),
            chosen: self.chosen,
        }
    }
}

fn different(codes: &[u32]) -> usize {
    codes.iter().collect::<BTreeSet<_>>().len()
}

/// The stability of a learner that is told the number of clusters.
pub fn stability(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    options: &KOptions,
    session: &Session,
) -> Result<Stability> {
    let (told, counts) = (Told::new(learner)?, checked(&options.counts)?);
    if !(options.share > 0.5 && options.share < 1.0) {
        return Err(Error::param(
            WHO,
            "share",
            "in (0.5, 1), so that subsamples have rows in common",
            options.share,
        ));
    }
    let (n, pairs) = (data.n_rows(), options.resamples);
    if pairs == 0 {
        return Err(Error::param(WHO, "resamples", "at least 1", 0));
    }
    let size = ((n as f64 * options.share).round() as usize).clamp(1, n);
    if 2 * size <= n + 1 {
        return Err(Error::too_few(WHO, "rows for subsamples with rows in common", 4, n));
    }
    let tasks = counts.len() * pairs;
    let one = |task: usize| -> Result<f64> {
        if session.step("stability", task as u64, Some(tasks as u64), None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let (k, pair) = (counts[task / pairs], task % pairs);
        // All numbers of clusters see the same subsamples.
        let mut rng = session.split(pair as u64).rng(2);
        let mut draw = || {
            let mut rows = sample_indices(&mut rng, n, size);
            rows.sort_unstable();
            rows
        };
        let (first, second) = (draw(), draw());
        let shared: Vec<usize> = first.iter().copied().filter(|i| second.binary_search(i).is_ok()).collect();
        let own = session.split((1 << 32) + task as u64).quiet();
        let labels = |rows: &[usize]| -> Result<Option<Vec<u32>>> {
            let part = data.subset(rows)?;
            let model = told.with(k)?.train(&part, &own)?;
            let found = model.predict(&part.input(), &own)?;
            let codes = found.class()?.0;
            let of = |row: &usize| rows.binary_search(row).map_or(0, |place| codes[place]);
            Ok((different(codes) == k).then(|| shared.iter().map(of).collect()))
        };
        let both = labels(&first).and_then(|a| Ok(a.zip(labels(&second)?)));
        match both {
            // Rows that all have clusters of their own agree whatever the data.
            Ok(Some((a, b))) if different(&a) < a.len() || different(&b) < b.len() => {
                adjusted_rand_index(&a, &b, None)
            }
            Ok(_) => Ok(f64::NAN),
            Err(error) if session.interrupted().is_some() => Err(error),
            // A number of clusters that cannot be had on a subsample is not stable.
            Err(_) => Ok(f64::NAN),
        }
    };
    let values =
        session.run(|| (0..tasks).into_par_iter().with_max_len(1).map(one).collect::<Result<Vec<_>>>())?;
    let scores: Vec<Vec<f64>> = values
        .chunks(pairs)
        .map(|of_k| if of_k.iter().all(|v| v.is_finite()) { of_k.to_vec() } else { Vec::new() })
        .collect();
    Ok(summed(counts, scores))
}

fn summed(counts: Vec<usize>, scores: Vec<Vec<f64>>) -> Stability {
    let moments: Vec<Moments> = scores.iter().map(|s| Moments::of(s)).collect();
    let known = |i: &usize| !scores[*i].is_empty();
    let means: Vec<f64> =
        (0..counts.len()).map(|i| if known(&i) { moments[i].mean } else { f64::NAN }).collect();
    let error = |i: usize| match scores[i].len() {
        0 | 1 => f64::NAN,
        m => (moments[i].sample_variance() / m as f64).sqrt(),
    };
    let errors: Vec<f64> = (0..counts.len()).map(error).collect();
    let several: Vec<usize> = (0..counts.len()).filter(|i| known(i) && counts[*i] > 1).collect();
    let best = several.iter().copied().reduce(|a, b| if means[b] > means[a] { b } else { a });
    let chosen = best.and_then(|best| {
        let slack = if errors[best].is_finite() { errors[best] } else { 0.0 };
        several.iter().copied().rev().find(|&i| means[i] >= means[best] - slack)
    });
    Stability { chosen: chosen.map(|i| counts[i]), counts, scores, means, errors }
}
