//! The shortest tree that spans all rows, and the order in which its edges join them.

use super::{Groups, Space, Tiles};
use mercer_core::{ErrorKind, Result, Session};
use mercer_math::{Norm, wide};
use rayon::prelude::*;

/// An edge between two rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) length: f64,
}

/// Rows that are looked at in one go.
const RUN: usize = 2048;
/// Values of rows from which on a step is worth two threads.
const WORTH: usize = 1 << 17;

/// The shortest spanning tree under max(core of a, core of b, distance / `alpha`); without cores, under the distance alone. Cores
/// are levels: squares where the distance is Euclidean.
///
/// Prim's algorithm: the tree grows by the row nearest to it, of rows equally near by the first. Rows outside of the tree
/// stand side by side, so that a step is one pass over them; O(n²) distances, O(n d) memory.
pub(crate) fn spanning_tree(
    space: &Space,
    cores: Option<&[f64]>,
    alpha: f64,
    session: &Session,
) -> Result<Vec<Edge>> {
    let mut outside = Outside::new(space, cores, alpha);
    let (n, mut at) = (space.len(), 0u32);
    let mut edges = Vec::with_capacity(n.saturating_sub(1));
    for step in 1..n {
        if step % 64 == 1 && session.step("spanning tree", step as u64, Some(n as u64), None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let place = outside.approach(at);
        let (from, length) = (outside.from[place], outside.best[place]);
        at = outside.take(place);
        let length = if outside.squared { length.sqrt() } else { length };
        edges.push(Edge { from, to: at, length });
    }
    Ok(edges)
}

/// The rows outside of the tree. Euclidean distances are compared by their squares.
struct Outside<'a> {
    space: &'a Space,
    tiles: Option<Tiles>,
    squared: bool,
    factor: f64,
    own: Vec<f64>,
    ids: Vec<u32>,
    cores: Vec<f64>,
    best: Vec<f64>,
    from: Vec<u32>,
}

/// Some rows outside of the tree: their nearest distances, whose these are, their cores and places.
type Run<'a> = (((&'a mut [f64], &'a mut [u32]), &'a [f64]), &'a [u32]);

impl<'a> Outside<'a> {
    /// All rows but the first, at which the tree begins.
    fn new(space: &'a Space, cores: Option<&[f64]>, alpha: f64) -> Self {
        let n = space.len();
        let squared = space.norm() == Some(Norm::Euclidean);
        let own = cores.map_or_else(|| vec![0.0; n], <[f64]>::to_vec);
        let mut outside = Self {
            space,
            tiles: squared.then(|| Tiles::new(&space.rows)),
            squared,
            factor: if squared { 1.0 / (alpha * alpha) } else { 1.0 / alpha },
            ids: (0..n as u32).collect(),
            cores: own.clone(),
            own,
            best: vec![f64::INFINITY; n],
            from: vec![0; n],
        };
        outside.take(0);
        outside
    }

    /// Takes a row away, and says which it was.
    fn take(&mut self, place: usize) -> u32 {
        if let Some(tiles) = &mut self.tiles {
            tiles.remove(place);
        }
        self.cores.swap_remove(place);
        self.best.swap_remove(place);
        self.from.swap_remove(place);
        self.ids.swap_remove(place)
    }

    /// Tells all rows of one more row of the tree, and finds the place of the nearest to it.
    fn approach(&mut self, at: u32) -> usize {
        let Self { space, tiles, factor, own, ids, cores, best, from, .. } = self;
        let core = own[at as usize];
        let look = |(run, (((best, from), cores), ids)): (usize, Run<'_>)| {
            let mut far = [0.0; RUN];
            let far = &mut far[..ids.len()];
            match &*tiles {
                Some(tiles) => tiles.sq_dists(space.rows.row(at as usize), run * RUN, far),
                None => {
                    far.iter_mut().zip(ids).for_each(|(d, &j)| *d = space.between(at as usize, j as usize))
                }
            }
            wide(|| {
                let mut least = f64::INFINITY;
                for i in 0..far.len() {
                    let reach = (far[i] * *factor).max(core).max(cores[i]);
                    let nearer = reach < best[i];
                    best[i] = if nearer { reach } else { best[i] };
                    from[i] = if nearer { at } else { from[i] };
                    least = if best[i] < least { best[i] } else { least };
                }
                least
            })
        };
        let least = if ids.len() * space.rows.n_cols() >= WORTH {
            let parts = best.par_chunks_mut(RUN).zip(from.par_chunks_mut(RUN));
            let parts = parts.zip(cores.par_chunks(RUN)).zip(ids.par_chunks(RUN)).enumerate();
            parts.map(look).reduce(|| f64::INFINITY, f64::min)
        } else {
            let parts = best.chunks_mut(RUN).zip(from.chunks_mut(RUN));
            let parts = parts.zip(cores.chunks(RUN)).zip(ids.chunks(RUN)).enumerate();
            parts.map(look).fold(f64::INFINITY, f64::min)
        };
        let nearest = (0..best.len()).filter(|&i| best[i] <= least).min_by_key(|&i| ids[i]);
        nearest.unwrap_or(0)
    }
}

/// Two groups that become one: rows have the numbers below n, the group of the i-th merger has n + i.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Merger {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) height: f64,
    pub(crate) size: u32,
}

/// The mergers of edges, the shortest first; of equals in their order.
pub(crate) fn mergers(mut edges: Vec<Edge>, n: usize) -> Vec<Merger> {
    edges.sort_by(|a, b| a.length.total_cmp(&b.length));
    let (mut groups, mut numbers, mut sizes) =
        (Groups::new(n), (0..n as u32).collect::<Vec<_>>(), vec![1u32; n]);
    let join = |(i, e): (usize, Edge)| {
        let (a, b) = (groups.find(e.from) as usize, groups.find(e.to) as usize);
        let merger =
            Merger { left: numbers[a], right: numbers[b], height: e.length, size: sizes[a] + sizes[b] };
        groups.join(a as u32, b as u32);
        (numbers[a.min(b)], sizes[a.min(b)]) = ((n + i) as u32, merger.size);
        merger
    };
    edges.into_iter().enumerate().map(join).collect()
}
