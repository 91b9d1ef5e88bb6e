//! Brute force by products in single precision: ‖b‖² − 2 a·b + ‖a‖² chooses tiles with candidates, whose ranks are then added
//! up as every other rank.
//!
//! Rows a and queries b are taken about the mean of the rows, in a unit in which no row is longer than 1. A sum starts at
//! −½‖a‖² and adds a·b: it is ½(‖b‖² − rank), and a row is passed over where its sum lies below ½(‖b‖² − limit).
//! With u = 2⁻²⁴, rounding of the start, of both factors and of d + 1 additions and products moves a sum by at most
//! κ(½‖a‖² + ‖a‖‖b‖) ≤ κ(‖a‖² + ½‖b‖²), κ = 1.1 (d + 6) u. The first part is added to each start, the second is taken from
//! what the sum is held against: no row within the limit is passed over.

use super::rank::{LANES, Norm, ranks_to};
use crate::simd::twin;
use crate::{Mat, MatRef, axpy, dot};
use rayon::prelude::*;

/// Rows of a panel, side by side: two AVX-512 registers, four tiles.
const PANEL: usize = 32;
/// Queries that are held against a panel at a time; with a panel, sixteen registers of sums.
const GROUP: usize = 8;
/// Queries of one scan: they stay in the cache of a core while all panels pass.
pub(super) const QUERIES: usize = 128;
/// The longest row is between 1 over this and this, so that no square of a difference overflows or vanishes.
const LONGEST: f64 = (1u128 << 127) as f64;
/// The most features: rounding of so many products stays small beside the products.
const FEATURES: usize = 1 << 20;

/// Rows about their mean, in single precision.
#[derive(Clone, Debug)]
pub(super) struct Products {
    n: usize,
    origin: Vec<f64>,
    scale: f64,
    /// Panel by panel: for each feature, its values at the panel's rows.
    panels: Vec<[f32; PANEL]>,
    /// What the sums of a panel's rows start at; −∞ where there is no row.
    starts: Vec<[f32; PANEL]>,
}

/// κ of the module's bound.
fn rounding(d: usize) -> f64 {
    1.1 * (d as f64 + 6.0) * 2f64.powi(-24)
}

impl Products {
    /// `None` where rows are so long or so short that squares overflow or vanish, or have too many features: such rows are
    /// compared directly.
    pub(super) fn new(x: &Mat) -> Option<Self> {
        let (n, d) = (x.n_rows(), x.n_cols());
        let mut origin = vec![0.0; d];
        (0..n).for_each(|i| axpy(1.0 / n as f64, x.row(i), &mut origin));
        let centred = |i: usize, j: usize| x.row(i)[j] - origin[j];
        let square = |i: usize| (0..d).map(|j| centred(i, j) * centred(i, j)).sum::<f64>();
        let squares: Vec<f64> = (0..n).map(square).collect();
        let longest = squares.iter().copied().fold(0.0, f64::max).sqrt();
        let fits = longest == 0.0 || (1.0 / LONGEST..LONGEST).contains(&longest);
        if !fits || !squares.iter().all(|s| s.is_finite()) || !(1..=FEATURES).contains(&d) {
            return None;
        }
        let scale = if longest > 0.0 { 2f64.powi(-longest.log2().ceil() as i32) } else { 1.0 };
        let mut panels = vec![[0.0; PANEL]; n.div_ceil(PANEL) * d];
        let mut starts = vec![[f32::NEG_INFINITY; PANEL]; n.div_ceil(PANEL)];
        let each = panels.par_chunks_exact_mut(d).zip(&mut starts).enumerate();
        each.with_min_len(16).for_each(|(p, (panel, starts))| {
            for (l, (i, start)) in (p * PANEL..n).zip(starts).enumerate() {
                panel.iter_mut().enumerate().for_each(|(j, v)| v[l] = (centred(i, j) * scale) as f32);
                *start = (squares[i] * scale * scale * (rounding(d) - 0.5)) as f32;
            }
        });
        Some(Self { n, origin, scale, panels, starts })
    }

    /// Calls `take(query, row, rank)` for all pairs whose rank is at most `limits[query]`, which becomes what it returns; of a
    /// query, in the order of the rows. `tiles` are those of the rows. `false` where queries are too far from the rows, and
    /// nothing was done.
    pub(super) fn scan(
        &self,
        tiles: &[[f64; LANES]],
        queries: MatRef<'_>,
        mut take: impl FnMut(usize, u32, f64) -> f64,
        limits: &mut [f64],
    ) -> bool {
        let (own, d) = (queries.to_mat(), self.origin.len());
        let Some(mut groups) = self.groups(&own, limits) else { return false };
        let (mut sums, mut tops) = ([[0.0; PANEL]; GROUP], [0.0; PANEL]);
        for (p, (panel, starts)) in self.panels.chunks_exact(d).zip(&self.starts).enumerate() {
            for (g, group) in groups.iter_mut().enumerate() {
                add_products(panel, starts, &group.rows, &group.least, &mut sums, &mut tops);
                if !tops.iter().fold(false, |any, top| any | (*top >= 0.0)) {
                    continue;
                }
                for (r, sums) in sums.iter().enumerate().take(own.n_rows() - g * GROUP) {
                    for (t, sums) in sums.as_chunks::<LANES>().0.iter().enumerate() {
                        let first = p * PANEL + t * LANES;
                        let least = group.least[r];
                        if first >= self.n || !sums.iter().fold(false, |any, sum| any | (*sum >= least)) {
                            continue;
                        }
                        let i = g * GROUP + r;
                        let mut ranks = [0.0; LANES];
                        let ranks = &mut ranks[..LANES.min(self.n - first)];
                        ranks_to(Norm::Euclidean, &tiles[first / LANES * d..][..d], own.row(i), ranks);
                        for (rank, row) in ranks.iter().zip(first as u32..) {
                            if *rank <= limits[i] {
                                limits[i] = take(i, row, *rank);
                            }
                        }
                        group.least[r] = self.least(group.squares[r], limits[i]);
                    }
                }
            }
        }
        true
    }

    /// Queries in groups; `None` where one is so far from the rows that single precision cannot tell.
    fn groups(&self, own: &Mat, limits: &[f64]) -> Option<Vec<Group>> {
        let d = self.origin.len();
        let none =
            Group { rows: vec![[0.0; GROUP]; d], squares: [0.0; GROUP], least: [f32::INFINITY; GROUP] };
        let mut groups = vec![none; own.n_rows().div_ceil(GROUP)];
        let mut centred = vec![0.0; d];
        for (i, limit) in limits.iter().enumerate() {
            let values = own.row(i).iter().zip(&self.origin).map(|(q, o)| (q - o) * self.scale);
            centred.iter_mut().zip(values).for_each(|(c, v)| *c = v);
            let square = dot(&centred, &centred);
            // A comparison that is false of what is not a number, too.
            let near = square < 2f64.powi(60);
            if !near {
                return None;
            }
            let (group, r) = (&mut groups[i / GROUP], i % GROUP);
            group.rows.iter_mut().zip(&centred).for_each(|(row, v)| row[r] = *v as f32);
            (group.squares[r], group.least[r]) = (square, self.least(square, *limit));
        }
        Some(groups)
    }

    /// The least sum of a row within the limit of a query, whose squared length is `square`.
    fn least(&self, square: f64, limit: f64) -> f32 {
        let d = self.origin.len();
        // Ranks are rounded, too; and numbers near zero have fewer digits.
        let limit = limit * self.scale * self.scale * (1.0 + (d as f64 + 8.0) * f64::EPSILON);
        let tiny = (d as f64 + 2.0) * 2f64.powi(-140) * (1.0 + square);
        ((0.5 * (square * (1.0 - rounding(d)) - limit) - tiny) as f32).next_down()
    }
}

/// Queries that are held against a panel together.
#[derive(Clone)]
struct Group {
    /// For each feature, its values at the queries.
    rows: Vec<[f32; GROUP]>,
    /// Squared lengths.
    squares: [f64; GROUP],
    /// The least sums of rows within the limits; ∞ where there is no query.
    least: [f32; GROUP],
}

#[inline(always)]
fn fma<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

// What is stored side by side is computed side by side: queries written out one by one, and all that is asked of the sums
// stored by lanes, keep the compiler from working across queries.
#[inline(always)]
fn add_products_body<const FMA: bool>(
    panel: &[[f32; PANEL]],
    starts: &[f32; PANEL],
    rows: &[[f32; GROUP]],
    least: &[f32; GROUP],
    out: &mut [[f32; PANEL]; GROUP],
    tops: &mut [f32; PANEL],
) {
    let mut sums = [*starts; GROUP];
    for (column, row) in panel.iter().zip(rows) {
        for l in 0..PANEL {
            sums[0][l] = fma::<FMA>(row[0], column[l], sums[0][l]);
            sums[1][l] = fma::<FMA>(row[1], column[l], sums[1][l]);
            sums[2][l] = fma::<FMA>(row[2], column[l], sums[2][l]);
            sums[3][l] = fma::<FMA>(row[3], column[l], sums[3][l]);
            sums[4][l] = fma::<FMA>(row[4], column[l], sums[4][l]);
            sums[5][l] = fma::<FMA>(row[5], column[l], sums[5][l]);
            sums[6][l] = fma::<FMA>(row[6], column[l], sums[6][l]);
            sums[7][l] = fma::<FMA>(row[7], column[l], sums[7][l]);
        }
    }
    *out = sums;
    for l in 0..PANEL {
        let mut top = f32::NEG_INFINITY;
        for r in 0..GROUP {
            let over = sums[r][l] - least[r];
            top = if over > top { over } else { top };
        }
        tops[l] = top;
    }
}

twin! {
    /// The sums of a group of queries and a panel of rows; and for each row, by how much its sums surpass the least ones at most.
    wide fn add_products(
        panel: &[[f32; PANEL]], starts: &[f32; PANEL], rows: &[[f32; GROUP]], least: &[f32; GROUP],
        out: &mut [[f32; PANEL]; GROUP], tops: &mut [f32; PANEL]
    ) = add_products_body
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_and_their_twin_are_within_their_bound(
            d in 1usize..40, values in prop::collection::vec(-1.0..1.0f32, 40 * (PANEL + GROUP)), size in -30i32..30,
        ) {
            let panel: Vec<[f32; PANEL]> = values.as_chunks::<PANEL>().0[..d].to_vec();
            let scaled = |v: &[f32; GROUP]| v.map(|v| v * 2f32.powi(size));
            let rows: Vec<[f32; GROUP]> = values[40 * PANEL..].as_chunks::<GROUP>().0[..d].iter().map(scaled).collect();
            let starts: [f32; PANEL] = std::array::from_fn(|l| -panel.iter().map(|v| v[l] * v[l]).sum::<f32>() / 2.0);
            let least = [0.0f32; GROUP].map(|_| 0.25);
            let (mut fast, mut portable) = (([[0.0; PANEL]; GROUP], [0.0; PANEL]), ([[0.0; PANEL]; GROUP], [0.0; PANEL]));
            add_products(&panel, &starts, &rows, &least, &mut fast.0, &mut fast.1);
            add_products_body::<false>(&panel, &starts, &rows, &least, &mut portable.0, &mut portable.1);
            for (sums, tops) in [fast, portable] {
                for l in 0..PANEL {
                    for r in 0..GROUP {
                        let terms = panel.iter().zip(&rows).map(|(x, q)| f64::from(x[l]) * f64::from(q[r]));
                        let exact = terms.clone().sum::<f64>() + f64::from(starts[l]);
                        let most = terms.map(f64::abs).sum::<f64>() - f64::from(starts[l]);
                        prop_assert!((f64::from(sums[r][l]) - exact).abs() <= rounding(d) * most);
                    }
                    let any = (0..GROUP).any(|r| sums[r][l] >= least[r]);
                    prop_assert_eq!(tops[l] >= 0.0, any);
                }
            }
        }
    }
}
