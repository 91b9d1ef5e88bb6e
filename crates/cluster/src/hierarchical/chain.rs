//! Nearest-neighbour chains over the distances of all pairs, updated as Lance and Williams have it.

use super::Linkage;
use crate::space::{Edge, Space};
use mercer_core::{Error, ErrorKind, Result, Session};
use rayon::prelude::*;

/// The distances of all pairs: row i has those of i and all before it.
struct Pairs {
    values: Vec<f64>,
}

/// Rows whose distances are taken between two looks at the session.
const CHUNK: usize = 512;

impl Pairs {
    fn new(who: &str, space: &Space, session: &Session) -> Result<Self> {
        let n = space.len();
        let total = n * (n - 1) / 2;
        let mut values = Vec::new();
        if total > isize::MAX as usize / 8 || values.try_reserve_exact(total).is_err() {
            let reason = format!(
                "the distances of all pairs of {n} rows need {:.1} GB, which memory lacks: use single or ward linkage, or fewer rows",
                total as f64 * 8e-9
            );
            return Err(Error::numeric(who, reason));
        }
        for start in (1..n).step_by(CHUNK) {
            if session.step("distances", start as u64, Some(n as u64), None).is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            let row = |i: usize| (0..i).map(|j| space.between(i, j)).collect::<Vec<f64>>();
            let rows: Vec<Vec<f64>> = (start..(start + CHUNK).min(n)).into_par_iter().map(row).collect();
            rows.iter().for_each(|row| values.extend_from_slice(row));
        }
        Ok(Self { values })
    }

    fn place(a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        high * (high - 1) / 2 + low
    }
}

/// The mergers, each as an edge between rows of the two clusters, in the order in which chains find them.
pub(super) fn chain(who: &str, space: &Space, linkage: Linkage, session: &Session) -> Result<Vec<Edge>> {
    let n = space.len();
    let mut pairs = Pairs::new(who, space, session)?;
    let (mut sizes, mut active) = (vec![1.0f64; n], (0..n).collect::<Vec<usize>>());
    let (mut chain, mut edges, mut looks) = (Vec::<usize>::new(), Vec::with_capacity(n - 1), 0u64);
    while edges.len() < n - 1 {
        if looks.is_multiple_of(64)
            && session.step("mergers", edges.len() as u64, Some(n as u64 - 1), None).is_some()
        {
            return Err(ErrorKind::Cancelled.into());
        }
        looks += 1;
        let top = *chain.last().unwrap_or(&active[0]);
        if chain.is_empty() {
            chain.push(top);
        }
        let before = chain.len().checked_sub(2).map(|i| chain[i]);
        let start = before.map_or((f64::INFINITY, top), |b| (pairs.values[Pairs::place(top, b)], b));
        let nearer = |best: (f64, usize), &i: &usize| {
            let far = if i == top { f64::INFINITY } else { pairs.values[Pairs::place(top, i)] };
            if far < best.0 || (best.1 == top && i != top) { (far, i) } else { best }
        };
        let (height, near) = active.iter().fold(start, nearer);
        if before != Some(near) {
            chain.push(near);
            continue;
        }
        chain.truncate(chain.len() - 2);
        let (a, b) = (top.min(near), top.max(near));
        let (own, other) = (sizes[a], sizes[b]);
        active.retain(|&i| i != a);
        for &i in active.iter().filter(|&&i| i != b) {
            let (from, to) = (pairs.values[Pairs::place(a, i)], Pairs::place(b, i));
            let value = &mut pairs.values[to];
            *value = match linkage {
                Linkage::Average => (own * from + other * *value) / (own + other),
                _ => from.max(*value),
            };
        }
        sizes[b] += own;
        edges.push(Edge { from: a as u32, to: b as u32, length: height });
    }
    Ok(edges)
}
