//! LambdaRank: gradients of pairs inside a query, weighted by the change of NDCG that swapping them would bring.
//!
//! For rows i, j of a query with relevance $y_i > y_j$ the pair's loss is $\log(1 + e^{-(s_i - s_j)})$, times
//! $|\Delta \mathrm{NDCG}|$ of the swap at the current order (Burges 2010). Only pairs with one row among the first
//! [`TRUNCATION`] places count, as in LightGBM.

use super::settings::Job;
use mercer_core::{Error, Result};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Places of a ranking that count.
const TRUNCATION: usize = 30;

/// The query groups: the rows of each query.
#[derive(Debug)]
pub(crate) struct Queries {
    /// Rows by query, one query after the other.
    rows: Vec<u32>,
    starts: Vec<usize>,
}

impl Queries {
    /// The queries of the kept rows: the groups of the data.
    pub(crate) fn new(job: &Job<'_>, kept: Option<&[u32]>) -> Result<Self> {
        let groups = job.data.groups().ok_or_else(|| {
            Error::incapable(job.learner, "rank without groups: give each row the number of its query")
        })?;
        let at = |i: usize| kept.map_or(i, |k| k[i] as usize);
        let mut queries: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for i in 0..kept.map_or(groups.len(), <[u32]>::len) {
            queries.entry(groups[at(i)]).or_default().push(i as u32);
        }
        if let Some(row) = job.y.iter().position(|y| !(0.0..=31.0).contains(y) || y.fract() != 0.0) {
            return Err(Error::shape(
                format!("a relevance of row {row} that is a whole number, at most"),
                31,
                job.y[row].max(0.0) as usize,
            ));
        }
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for query in queries.into_values() {
            rows.extend(query);
            starts.push(rows.len());
        }
        Ok(Self { rows, starts })
    }

    /// Gradients and hessians of all rows.
    pub(crate) fn gradients(&self, y: &[f64], scores: &[f64], g: &mut [f32], h: &mut [f32]) {
        let found: Vec<Vec<(f64, f64)>> =
            self.starts.par_windows(2).map(|w| lambdas(&self.rows[w[0]..w[1]], y, scores)).collect();
        for (w, lambdas) in self.starts.windows(2).zip(found) {
            for (&i, (a, b)) in self.rows[w[0]..w[1]].iter().zip(lambdas) {
                (g[i as usize], h[i as usize]) = (a as f32, b as f32);
            }
        }
    }
}

fn gain(y: f64) -> f64 {
    2f64.powf(y) - 1.0
}

fn discount(place: usize) -> f64 {
    1.0 / (place as f64 + 2.0).log2()
}

/// The gradients and hessians of one query's rows.
fn lambdas(rows: &[u32], y: &[f64], scores: &[f64]) -> Vec<(f64, f64)> {
    let (y, s) = (|i: usize| y[rows[i] as usize], |i: usize| scores[rows[i] as usize]);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| s(b).total_cmp(&s(a)).then(a.cmp(&b)));
    let mut ideal: Vec<f64> = (0..rows.len()).map(y).collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let best: f64 = ideal.iter().take(TRUNCATION).enumerate().map(|(p, &y)| gain(y) * discount(p)).sum();
    let mut out = vec![(0.0, 0.0); rows.len()];
    if best <= 0.0 {
        return out;
    }
    for p in 0..order.len().min(TRUNCATION) {
        for q in p + 1..order.len() {
            let (a, b) = (order[p], order[q]);
            if y(a) == y(b) {
                continue;
            }
            let (up, down) = if y(a) > y(b) { (a, b) } else { (b, a) };
            let swing = (gain(y(up)) - gain(y(down))) * (discount(p) - discount(q)).abs() / best;
            let wrong = 1.0 / (1.0 + (s(up) - s(down)).exp());
            let (lambda, hessian) = (swing * wrong, swing * wrong * (1.0 - wrong));
            out[up] = (out[up].0 - lambda, out[up].1 + hessian);
            out[down] = (out[down].0 + lambda, out[down].1 + hessian);
        }
    }
    out
}
