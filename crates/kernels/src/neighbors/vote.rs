//! What neighbours say together: shares of classes, means of numbers.

use super::params::NeighborWeights;
use mercer_core::{Error, Result, Target, TargetValues};
use mercer_math::{Mat, Neighbourhoods};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The targets of the rows learnt from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Said {
    /// Codes of classes, and how many classes there are, for each target.
    Classes(Vec<(Vec<u32>, usize)>),
    /// Numbers, for each target.
    Numbers(Vec<Vec<f64>>),
}

impl Said {
    pub(crate) fn of(target: &Target<'_>) -> Result<Self> {
        if let Ok(numbers) = target.numbers_of(0) {
            let others = (1..target.n_columns()).map(|k| target.numbers_of(k).map(<[f64]>::to_vec));
            return Ok(Said::Numbers(
                std::iter::once(Ok(numbers.to_vec())).chain(others).collect::<Result<_>>()?,
            ));
        }
        let column = |c: &mercer_core::TargetColumn<'_>| match (&c.values, c.kind.labels()) {
            (TargetValues::Codes(codes), Some(labels)) => Ok((codes.to_vec(), labels.len())),
            _ => Err(target.class().err().unwrap_or_else(|| Error::shape("classes", 1, 0))),
        };
        Ok(Said::Classes(target.columns().iter().map(column).collect::<Result<_>>()?))
    }

    /// Whether there is something said of each of `n` rows, in as many targets as wanted.
    pub(crate) fn fits(&self, n: usize, schema: &mercer_core::Schema) -> bool {
        match self {
            Said::Classes(columns) => {
                columns.len() == schema.targets.len()
                    && columns.iter().zip(&schema.targets).all(|((codes, n_classes), target)| {
                        codes.len() == n
                            && target.kind.labels().is_some_and(|l| l.len() == *n_classes)
                            && codes.iter().all(|&c| (c as usize) < *n_classes)
                    })
            }
            Said::Numbers(columns) => {
                columns.len() == schema.targets.len()
                    && columns.iter().all(|v| v.len() == n && v.iter().all(|v| v.is_finite()))
            }
        }
    }

    /// The classes of all targets.
    pub(crate) fn n_classes(&self) -> Vec<usize> {
        match self {
            Said::Classes(columns) => columns.iter().map(|c| c.1).collect(),
            Said::Numbers(_) => Vec::new(),
        }
    }

    /// The weights of classes or the means of numbers, for each query: queries × (classes of all targets, or targets). Shares
    /// sum to 1 for each target; a query without neighbours has zeros, or NaN for numbers.
    pub(crate) fn heard(&self, found: &Neighbourhoods, weights: NeighborWeights) -> Mat {
        let width = match self {
            Said::Classes(columns) => columns.iter().map(|c| c.1).sum(),
            Said::Numbers(columns) => columns.len(),
        };
        let mut out = Mat::zeros(found.len(), width);
        if width == 0 {
            return out;
        }
        let rows = out.as_mut_slice().par_chunks_mut(width).enumerate();
        rows.with_min_len(256).for_each_init(Vec::new, |own, (i, out)| {
            let (near, distances) = found.of(i);
            weigh(distances, weights, own);
            let total: f64 = own.iter().sum();
            match self {
                Said::Classes(columns) => {
                    let mut start = 0;
                    for (codes, n_classes) in columns {
                        near.iter()
                            .zip(own.iter())
                            .for_each(|(&j, w)| out[start + codes[j as usize] as usize] += w);
                        start += n_classes;
                    }
                    if total > 0.0 {
                        out.iter_mut().for_each(|v| *v /= total);
                    }
                }
                Said::Numbers(columns) => {
                    for (mean, numbers) in out.iter_mut().zip(columns) {
                        // Weights that sum to 1 keep sums of large numbers finite.
                        *mean =
                            near.iter().zip(own.iter()).map(|(&j, w)| w / total * numbers[j as usize]).sum();
                        *mean = if near.is_empty() { f64::NAN } else { *mean };
                    }
                }
            }
        });
        out
    }
}

/// What each neighbour counts, by its distance.
fn weigh(distances: &[f64], weights: NeighborWeights, out: &mut Vec<f64>) {
    out.clear();
    match weights {
        NeighborWeights::Uniform => out.resize(distances.len(), 1.0),
        NeighborWeights::Distance => {
            out.extend(distances.iter().map(|d| 1.0 / d));
            if out.iter().any(|w| w.is_infinite()) {
                out.iter_mut().for_each(|w| *w = f64::from(u8::from(w.is_infinite())));
            } else if out.iter().all(|w| *w == 0.0) {
                // All are infinitely far, one as far as the other.
                out.fill(1.0);
            }
        }
    }
}

/// Up to `most` of `n` rows, evenly spaced.
pub(crate) fn evenly_spaced(n: usize, most: usize) -> Vec<u32> {
    let m = n.min(most);
    (0..m).map(|i| (i as u64 * n as u64 / m as u64) as u32).collect()
}
