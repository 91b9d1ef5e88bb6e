//! Searches of many queries, in parallel, by whichever way is fastest: all of them find the same.

use super::best::{Best, sort_pairs};
use super::kd_tree::KdTree;
use super::products::{Products, QUERIES};
use super::rank::{LANES, Norm, ranks_to, tiles_of};
use crate::{Mat, MatRef};
use rayon::prelude::*;
use std::sync::Arc;

/// How neighbours are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMethod {
    /// A tree where there are few features, else brute force.
    Auto,
    /// A k-d tree.
    Tree,
    /// Every row.
    Brute,
}

/// Beyond so many features a tree looks at most of its boxes.
const TREE_FEATURES: usize = 15;
/// Below so many features products of matrices save less than choosing candidates costs.
const PRODUCT_FEATURES: usize = 8;
/// Rows that are measured in one go by brute force.
const RUN: usize = 256;

/// Neighbours of several queries, one after the other, the nearest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbourhoods {
    /// Where the neighbours of each query begin; one more than there are queries.
    pub starts: Vec<usize>,
    /// The rows.
    pub indices: Vec<u32>,
    /// Their distances.
    pub distances: Vec<f64>,
}

impl Neighbourhoods {
    /// The number of queries.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no query.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows and distances of a query.
    pub fn of(&self, query: usize) -> (&[u32], &[f64]) {
        let range = self.starts[query]..self.starts[query + 1];
        (&self.indices[range.clone()], &self.distances[range])
    }

    /// The neighbours of blocks of queries, joined in their order.
    pub fn join(blocks: Vec<Neighbourhoods>) -> Self {
        let total = blocks.iter().map(|b| b.indices.len()).sum();
        let mut all = Self {
            starts: vec![0],
            indices: Vec::with_capacity(total),
            distances: Vec::with_capacity(total),
        };
        for block in blocks {
            let base = all.indices.len();
            all.starts.extend(block.starts.iter().skip(1).map(|s| s + base));
            all.indices.extend(block.indices);
            all.distances.extend(block.distances);
        }
        all
    }

    fn begin() -> Self {
        Self { starts: vec![0], ..Self::default() }
    }

    fn push(&mut self, pairs: &[(f64, u32)], distance: impl Fn(f64) -> f64) {
        self.indices.extend(pairs.iter().map(|p| p.1));
        self.distances.extend(pairs.iter().map(|p| distance(p.0)));
        self.starts.push(self.indices.len());
    }
}

#[derive(Clone, Debug)]
enum Engine {
    Tree(KdTree),
    Tiles(Vec<[f64; LANES]>),
    Products(Products, Vec<[f64; LANES]>),
}

/// Rows whose neighbours are searched.
///
/// # Example
/// ```
/// use mercer_math::{Mat, NearestRows, Norm, SearchMethod};
/// let x = Mat::from_rows(&[[0.0], [1.0], [5.0]]).unwrap();
/// let rows = NearestRows::new(x.into(), Norm::Euclidean, SearchMethod::Auto, 30);
/// let query = Mat::from_rows(&[[0.8]]).unwrap();
/// let found = rows.nearest(query.view(), 2, None);
/// assert_eq!(found.of(0).0, &[1, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct NearestRows {
    x: Arc<Mat>,
    norm: Norm,
    engine: Engine,
}

impl NearestRows {
    /// Prepares rows, at most 2³² − 2 of them.
    ///
    /// # Panics
    /// When there are more.
    pub fn new(x: Arc<Mat>, norm: Norm, method: SearchMethod, leaf_size: usize) -> Self {
        let (n, d) = (x.n_rows(), x.n_cols());
        assert!(n < u32::MAX as usize, "at most 2^32 - 2 rows");
        let tree = match method {
            SearchMethod::Tree => true,
            SearchMethod::Brute => false,
            SearchMethod::Auto => d <= TREE_FEATURES && n > 4 * LANES,
        };
        let engine = if tree {
            Engine::Tree(KdTree::new(&x, norm, leaf_size))
        } else {
            let all: Vec<u32> = (0..n as u32).collect();
            let tiles = tiles_of(x.as_slice(), d, &all);
            let products = (norm == Norm::Euclidean && d >= PRODUCT_FEATURES).then(|| Products::new(&x));
            match products.flatten() {
                Some(products) => Engine::Products(products, tiles),
                None => Engine::Tiles(tiles),
            }
        };
        Self { x, norm, engine }
    }

    /// The rows.
    pub fn rows(&self) -> &Arc<Mat> {
        &self.x
    }

    /// The tree, where there is one.
    pub fn tree(&self) -> Option<&KdTree> {
        match &self.engine {
            Engine::Tree(tree) => Some(tree),
            Engine::Tiles(_) | Engine::Products(..) => None,
        }
    }

    /// The `k` nearest rows of each query (all, where there are fewer); in parallel. With `own`, each query is the row of
    /// that number, which is no neighbour of itself.
    pub fn nearest(&self, queries: MatRef<'_>, k: usize, own: Option<&[u32]>) -> Neighbourhoods {
        let k = k.min(self.x.n_rows());
        self.in_blocks(queries, |from, block| {
            let mut found = Neighbourhoods::begin();
            let skip = |i: usize| own.map(|own| own[from + i]);
            match &self.engine {
                Engine::Products(products, tiles) if block.n_rows() >= 4 => {
                    let mut best = vec![Best::new(k); block.n_rows()];
                    let mut limits: Vec<f64> = best.iter().map(Best::limit).collect();
                    let take = |i: usize, row: u32, rank: f64| {
                        if Some(row) != skip(i) {
                            best[i].offer(rank, row);
                        }
                        best[i].limit()
                    };
                    if products.scan(tiles, block, take, &mut limits) {
                        best.iter_mut().for_each(|b| found.push(b.sorted(), |r| self.norm.distance(r)));
                        return found;
                    }
                }
                _ => {}
            }
            let (mut best, mut stack) = (Best::new(k), Vec::new());
            for i in 0..block.n_rows() {
                let query = block.row_cow(i);
                match &self.engine {
                    Engine::Tree(tree) => tree.nearest(&query, skip(i), &mut best, &mut stack),
                    Engine::Tiles(tiles) | Engine::Products(_, tiles) => {
                        self.each_rank(tiles, &query, |rank, row| {
                            if rank <= best.limit() && Some(row) != skip(i) {
                                best.offer(rank, row);
                            }
                        });
                    }
                }
                found.push(best.sorted(), |r| self.norm.distance(r));
                best.clear();
            }
            found
        })
    }

    /// The rows within `radius` of each query, the nearest first; in parallel. `own` as in [`NearestRows::nearest`].
    pub fn within(&self, queries: MatRef<'_>, radius: f64, own: Option<&[u32]>) -> Neighbourhoods {
        let limit = self.norm.rank(radius);
        self.in_blocks(queries, |from, block| {
            let skip = |i: usize| own.map(|own| own[from + i]);
            let mut found = Neighbourhoods::begin();
            let mut pairs: Vec<Vec<(f64, u32)>> = vec![Vec::new(); block.n_rows()];
            let by_products = match &self.engine {
                Engine::Products(products, tiles) if block.n_rows() >= 4 => {
                    let mut limits = vec![limit; block.n_rows()];
                    let take = |i: usize, row: u32, rank: f64| {
                        if Some(row) != skip(i) {
                            pairs[i].push((rank, row));
                        }
                        limit
                    };
                    products.scan(tiles, block, take, &mut limits)
                }
                _ => false,
            };
            for (i, pairs) in pairs.iter_mut().enumerate() {
                let query = block.row_cow(i);
                match &self.engine {
                    Engine::Tree(tree) => tree.within(&query, skip(i), limit, pairs),
                    Engine::Tiles(tiles) | Engine::Products(_, tiles) if !by_products => {
                        self.each_rank(tiles, &query, |rank, row| {
                            if rank <= limit && Some(row) != skip(i) {
                                pairs.push((rank, row));
                            }
                        });
                    }
                    Engine::Tiles(_) | Engine::Products(..) => {}
                }
                sort_pairs(pairs);
                found.push(pairs, |r| self.norm.distance(r));
            }
            found
        })
    }

    /// The distances of a query and all rows, in their order.
    ///
    /// # Panics
    /// When `out` has not one place for each row.
    pub fn distances(&self, query: &[f64], out: &mut [f64]) {
        assert_eq!(out.len(), self.x.n_rows(), "one distance for each row");
        let (tiles, order) = match &self.engine {
            Engine::Tree(tree) => (&tree.tiles, Some(&tree.order)),
            Engine::Tiles(tiles) | Engine::Products(_, tiles) => (tiles, None),
        };
        self.each_rank(tiles, query, |rank, at| {
            let row = order.map_or(at, |order| order[at as usize]);
            out[row as usize] = self.norm.distance(rank);
        });
    }

    /// Calls `take(rank, place)` for every row of the tiles, in order.
    fn each_rank(&self, tiles: &[[f64; LANES]], query: &[f64], mut take: impl FnMut(f64, u32)) {
        let (n, d) = (self.x.n_rows(), self.x.n_cols());
        let mut ranks = [0.0; RUN];
        for start in (0..n).step_by(RUN) {
            let ranks = &mut ranks[..RUN.min(n - start)];
            ranks_to(self.norm, &tiles[start / LANES * d..], query, ranks);
            ranks.iter().zip(start as u32..).for_each(|(rank, row)| take(*rank, row));
        }
    }

    /// Runs blocks of queries side by side; what they find does not depend on how many there are.
    fn in_blocks(
        &self,
        queries: MatRef<'_>,
        work: impl Fn(usize, MatRef<'_>) -> Neighbourhoods + Sync,
    ) -> Neighbourhoods {
        blocks(queries.n_rows(), |range| work(range.start, queries.rows(range)))
    }
}

fn blocks(m: usize, work: impl Fn(std::ops::Range<usize>) -> Neighbourhoods + Sync) -> Neighbourhoods {
    let size = m.div_ceil(4 * rayon::current_num_threads()).clamp(1, QUERIES);
    let run = |b: usize| work(b * size..((b + 1) * size).min(m));
    if m <= 1 {
        return if m == 0 { Neighbourhoods::begin() } else { run(0) };
    }
    Neighbourhoods::join((0..m.div_ceil(size)).into_par_iter().map(run).collect())
}

/// The `k` nearest of `n` items of each of `m` queries, by any distance: `fill` writes the distances of a query and all
/// items. In parallel; `own` as in [`NearestRows::nearest`].
pub fn nearest_by(
    (m, n): (usize, usize),
    k: usize,
    own: Option<&[u32]>,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> Neighbourhoods {
    blocks(m, |range| {
        let (mut found, mut best) = (Neighbourhoods::begin(), Best::new(k.min(n)));
        let mut distances = vec![0.0; n];
        for i in range {
            fill(i, &mut distances);
            let skip = own.map(|own| own[i] as usize);
            for (row, &distance) in distances.iter().enumerate() {
                if distance <= best.limit() && Some(row) != skip {
                    best.offer(distance, row as u32);
                }
            }
            found.push(best.sorted(), |d| d);
            best.clear();
        }
        found
    })
}

/// The items within `radius` of each query, by any distance, as [`nearest_by`].
pub fn within_by(
    (m, n): (usize, usize),
    radius: f64,
    own: Option<&[u32]>,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> Neighbourhoods {
    blocks(m, |range| {
        let (mut found, mut pairs) = (Neighbourhoods::begin(), Vec::new());
        let mut distances = vec![0.0; n];
        for i in range {
            fill(i, &mut distances);
            let skip = own.map(|own| own[i] as usize);
            let all = distances.iter().enumerate();
            let near = all.filter(|(row, d)| **d <= radius && Some(*row) != skip);
            pairs.clear();
            pairs.extend(near.map(|(row, d)| (*d, row as u32)));
            sort_pairs(&mut pairs);
            found.push(&pairs, |d| d);
        }
        found
    })
}
