//! Ward's hierarchy by nearest-neighbour chains over means, without a matrix of distances.

use crate::space::{Edge, Space, Tiles};
use mercer_core::{ErrorKind, Result, Session};
use mercer_math::wide;
use rayon::prelude::*;

/// Clusters that are looked at in one go.
const RUN: usize = 2048;
/// Values of means from which on a look is worth two threads.
const WORTH: usize = 1 << 17;

/// Clusters side by side; each has the number of one of its rows.
struct Clusters {
    means: Tiles,
    ids: Vec<u32>,
    sizes: Vec<f64>,
    /// Where the cluster of this number stands.
    place: Vec<u32>,
    /// The squared heights of mergers with the cluster last looked at.
    far: Vec<f64>,
}

impl Clusters {
    /// The cluster nearest to that at `at`, by the squared height of their merger; `before`, where it is as near as any.
    fn nearest(&mut self, at: usize, before: Option<u32>, mean: &mut [f64]) -> (u32, f64) {
        self.means.get(at, mean);
        let (m, size) = (self.ids.len(), self.sizes[at]);
        let (means, sizes, mean) = (&self.means, &self.sizes, &*mean);
        let look = |(run, far): (usize, &mut [f64])| {
            means.sq_dists(mean, run * RUN, far);
            let sizes = &sizes[run * RUN..][..far.len()];
            wide(|| far.iter_mut().zip(sizes).for_each(|(far, t)| *far *= 2.0 * size * t / (size + t)));
        };
        let far = &mut self.far[..m];
        if m * mean.len() >= WORTH {
            far.par_chunks_mut(RUN).enumerate().for_each(look);
        } else {
            far.chunks_mut(RUN).enumerate().for_each(look);
        }
        far[at] = f64::INFINITY;
        let least = wide(|| {
            let mut lanes = [f64::INFINITY; 8];
            let (eights, rest) = far.as_chunks::<8>();
            for eight in eights {
                (0..8).for_each(|l| lanes[l] = if eight[l] < lanes[l] { eight[l] } else { lanes[l] });
            }
            lanes.iter().chain(rest).fold(f64::INFINITY, |a, v| a.min(*v))
        });
        match before.filter(|&b| far[self.place[b as usize] as usize] <= least) {
            Some(before) => (before, least),
            None => {
                let equal = far.iter().zip(&self.ids).filter(|(v, _)| **v <= least);
                (equal.map(|(_, id)| *id).min().unwrap_or(0), least)
            }
        }
    }

    /// Merges two clusters; the second has the number of both.
    fn merge(&mut self, a: u32, b: u32, (mean, other): (&mut [f64], &mut [f64])) {
        let (at, from) = (self.place[b as usize] as usize, self.place[a as usize] as usize);
        self.means.get(at, mean);
        self.means.get(from, other);
        let total = self.sizes[at] + self.sizes[from];
        let share = self.sizes[from] / total;
        mean.iter_mut().zip(other.iter()).for_each(|(m, o)| *m += share * (o - *m));
        self.means.set(at, mean);
        self.sizes[at] = total;
        self.means.remove(from);
        self.sizes.swap_remove(from);
        self.ids.swap_remove(from);
        if let Some(&moved) = self.ids.get(from) {
            self.place[moved as usize] = from as u32;
        }
    }
}

/// The mergers, each as an edge between rows of the two clusters, in the order in which chains find them.
pub(super) fn chain(space: &Space, session: &Session) -> Result<Vec<Edge>> {
    let (n, d) = (space.len(), space.rows.n_cols());
    let ids: Vec<u32> = (0..n as u32).collect();
    let mut all = Clusters {
        means: Tiles::new(&space.rows),
        place: ids.clone(),
        ids,
        sizes: vec![1.0; n],
        far: vec![0.0; n],
    };
    let (mut chain, mut edges) = (Vec::<u32>::new(), Vec::with_capacity(n - 1));
    let (mut mean, mut other, mut looks) = (vec![0.0; d], vec![0.0; d], 0u64);
    while edges.len() < n - 1 {
        if looks.is_multiple_of(64)
            && session.step("mergers", edges.len() as u64, Some(n as u64 - 1), None).is_some()
        {
            return Err(ErrorKind::Cancelled.into());
        }
        looks += 1;
        let top = *chain.last().unwrap_or(&all.ids[0]);
        if chain.is_empty() {
            chain.push(top);
        }
        let before = chain.len().checked_sub(2).map(|i| chain[i]);
        let (near, square) = all.nearest(all.place[top as usize] as usize, before, &mut mean);
        if before != Some(near) {
            chain.push(near);
            continue;
        }
        chain.truncate(chain.len() - 2);
        let (a, b) = (top.min(near), top.max(near));
        all.merge(a, b, (&mut mean, &mut other));
        edges.push(Edge { from: a, to: b, length: square.sqrt() });
    }
    Ok(edges)
}
