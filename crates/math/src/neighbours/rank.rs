//! Ranks: what distances by norms are compared by.

use crate::simd::{fma, twin};

/// Rows that are measured side by side: two AVX2 registers.
pub(super) const LANES: usize = 8;

/// A norm of the difference of two rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// √Σ|x|².
    Euclidean,
    /// Σ|x|.
    Manhattan,
    /// max|x|.
    Chebyshev,
    /// (Σ|x|^p)^(1/p), p > 0; below 1 the triangle inequality does not hold, but nothing here needs it.
    Minkowski(f64),
}

impl Norm {
    /// The norm with exponent `p`; those that have a name by their name.
    pub fn minkowski(p: f64) -> Self {
        match p {
            1.0 => Norm::Manhattan,
            2.0 => Norm::Euclidean,
            f64::INFINITY => Norm::Chebyshev,
            p => Norm::Minkowski(p),
        }
    }

    /// The distance that a rank stands for.
    #[inline]
    pub fn distance(self, rank: f64) -> f64 {
        match self {
            Norm::Euclidean => rank.sqrt(),
            Norm::Manhattan | Norm::Chebyshev => rank,
            Norm::Minkowski(p) => rank.powf(1.0 / p),
        }
    }

    /// The rank of a distance.
    #[inline]
    pub fn rank(self, distance: f64) -> f64 {
        match self {
            Norm::Euclidean => distance * distance,
            Norm::Manhattan | Norm::Chebyshev => distance,
            Norm::Minkowski(p) => distance.powf(p),
        }
    }

    /// The distance of two rows of equal length.
    pub fn between(self, a: &[f64], b: &[f64]) -> f64 {
        self.distance(rank_between(self, a, b))
    }

    /// A factor below 1 that makes up for powers that are not monotone in their last bits; bounds of other norms are
    /// monotone as they are.
    pub(super) fn caution(self) -> f64 {
        if matches!(self, Norm::Minkowski(_)) { 1.0 - 1e-12 } else { 1.0 }
    }
}

/// What one feature adds to a rank.
pub(super) trait Grow: Copy {
    fn grow<const FMA: bool>(self, rank: f64, gap: f64) -> f64;
}

#[derive(Clone, Copy)]
pub(super) struct Squares;
#[derive(Clone, Copy)]
pub(super) struct Sizes;
#[derive(Clone, Copy)]
pub(super) struct Largest;
#[derive(Clone, Copy)]
pub(super) struct Powers(pub(super) f64);

impl Grow for Squares {
    #[inline(always)]
    fn grow<const FMA: bool>(self, rank: f64, gap: f64) -> f64 {
        fma::<FMA>(gap, gap, rank)
    }
}

impl Grow for Sizes {
    #[inline(always)]
    fn grow<const FMA: bool>(self, rank: f64, gap: f64) -> f64 {
        rank + gap.abs()
    }
}

impl Grow for Largest {
    #[inline(always)]
    fn grow<const FMA: bool>(self, rank: f64, gap: f64) -> f64 {
        let gap = gap.abs();
        if gap > rank { gap } else { rank }
    }
}

impl Grow for Powers {
    #[inline(always)]
    fn grow<const FMA: bool>(self, rank: f64, gap: f64) -> f64 {
        rank + gap.abs().powf(self.0)
    }
}

/// Runs an expression with `$grow` bound to what the norm's features add.
macro_rules! by_norm {
    ($norm:expr, $grow:ident => $work:expr) => {
        match $norm {
            $crate::neighbours::rank::Norm::Euclidean => {
                let $grow = $crate::neighbours::rank::Squares;
                $work
            }
            $crate::neighbours::rank::Norm::Manhattan => {
                let $grow = $crate::neighbours::rank::Sizes;
                $work
            }
            $crate::neighbours::rank::Norm::Chebyshev => {
                let $grow = $crate::neighbours::rank::Largest;
                $work
            }
            $crate::neighbours::rank::Norm::Minkowski(p) => {
                let $grow = $crate::neighbours::rank::Powers(p);
                $work
            }
        }
    };
}
pub(super) use by_norm;

/// The ranks of a query and eight rows that lie feature by feature.
#[inline(always)]
pub(super) fn tile_ranks<const FMA: bool>(
    grow: impl Grow,
    query: &[f64],
    tile: &[[f64; LANES]],
) -> [f64; LANES] {
    let mut ranks = [0.0; LANES];
    for (x, q) in tile.iter().zip(query) {
        for l in 0..LANES {
            ranks[l] = grow.grow::<FMA>(ranks[l], x[l] - q);
        }
    }
    ranks
}

#[inline(always)]
fn between_body<const FMA: bool>(norm: Norm, a: &[f64], b: &[f64]) -> f64 {
    by_norm!(norm, grow => a.iter().zip(b).fold(0.0, |rank, (a, b)| grow.grow::<FMA>(rank, a - b)))
}

twin! {
    /// The rank of two rows.
    pub(super) fn rank_between(norm: Norm, a: &[f64], b: &[f64]) -> f64 = between_body
}

#[inline(always)]
fn all_body<const FMA: bool>(norm: Norm, tiles: &[[f64; LANES]], query: &[f64], out: &mut [f64]) {
    by_norm!(norm, grow => {
        for (tile, out) in tiles.chunks_exact(query.len().max(1)).zip(out.chunks_mut(LANES)) {
            let ranks = tile_ranks::<FMA>(grow, query, tile);
            out.copy_from_slice(&ranks[..out.len()]);
        }
    });
}

twin! {
    /// The ranks of a query and rows in tiles, one for each value of `out`.
    pub(super) fn ranks_to(norm: Norm, tiles: &[[f64; LANES]], query: &[f64], out: &mut [f64]) = all_body
}

/// Rows in tiles of eight, feature by feature; `order` names the rows, and a tile that is not full repeats its first row.
pub(super) fn tiles_of(x: &[f64], d: usize, order: &[u32]) -> Vec<[f64; LANES]> {
    let mut tiles = vec![[0.0; LANES]; order.len().div_ceil(LANES) * d];
    if d == 0 {
        return tiles;
    }
    for (rows, tile) in order.chunks(LANES).zip(tiles.chunks_exact_mut(d)) {
        for l in 0..LANES {
            let row = &x[rows[if l < rows.len() { l } else { 0 }] as usize * d..][..d];
            tile.iter_mut().zip(row).for_each(|(lanes, v)| lanes[l] = *v);
        }
    }
    tiles
}
