//! Rows side by side in tiles of eight, from which rows can be taken away: what is left stays dense.

use mercer_math::{Mat, wide};

/// Rows of a tile.
const LANES: usize = 8;

/// Rows in tiles, feature by feature within a tile.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    d: usize,
    len: usize,
    lanes: Vec<[f64; LANES]>,
}

impl Tiles {
    pub(crate) fn new(rows: &Mat) -> Self {
        let (n, d) = (rows.n_rows(), rows.n_cols());
        let mut tiles = Self { d, len: n, lanes: vec![[0.0; LANES]; n.div_ceil(LANES) * d] };
        (0..n).for_each(|i| tiles.set(i, rows.row(i)));
        tiles
    }

    pub(crate) fn set(&mut self, place: usize, row: &[f64]) {
        let tile = &mut self.lanes[place / LANES * self.d..][..self.d];
        tile.iter_mut().zip(row).for_each(|(lanes, v)| lanes[place % LANES] = *v);
    }

    pub(crate) fn get(&self, place: usize, out: &mut [f64]) {
        let tile = &self.lanes[place / LANES * self.d..][..self.d];
        tile.iter().zip(out).for_each(|(lanes, v)| *v = lanes[place % LANES]);
    }

    /// Takes a row away; the last one takes its place.
    pub(crate) fn remove(&mut self, place: usize) {
        self.len -= 1;
        let (from, to) = (self.len, place);
        for j in 0..self.d {
            let v = self.lanes[from / LANES * self.d + j][from % LANES];
            self.lanes[to / LANES * self.d + j][to % LANES] = v;
        }
    }

    /// The squared distances of a point and the rows from place `first`, a multiple of eight, on; one for each value of `out`.
    pub(crate) fn sq_dists(&self, point: &[f64], first: usize, out: &mut [f64]) {
        let tiles = &self.lanes[first / LANES * self.d..];
        wide(|| {
            for (tile, out) in tiles.chunks_exact(self.d).zip(out.chunks_mut(LANES)) {
                let mut sums = [0.0; LANES];
                for (lanes, p) in tile.iter().zip(point) {
                    for l in 0..LANES {
                        let gap = lanes[l] - p;
                        sums[l] += gap * gap;
                    }
                }
                out.copy_from_slice(&sums[..out.len()]);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{normal, rng_for, sq_dist};

    #[test]
    fn what_is_left_is_measured() {
        let mut rng = rng_for(1, 0);
        let x = Mat::from_fn(21, 3, |_, _| normal(&mut rng));
        let mut tiles = Tiles::new(&x);
        let mut ids: Vec<usize> = (0..21).collect();
        for place in [3, 0, 18, 7, 9, 15] {
            tiles.remove(place);
            ids.swap_remove(place);
        }
        let mut out = vec![0.0; ids.len()];
        tiles.sq_dists(x.row(5), 0, &mut out);
        for (id, found) in ids.iter().zip(&out) {
            assert!((found - sq_dist(x.row(*id), x.row(5))).abs() < 1e-12);
        }
    }
}
