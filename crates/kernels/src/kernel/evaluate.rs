//! Values of kernels: blocks by matrix products with the rest of the formula applied while they are in cache.

use super::radial::Profile;
use super::side::Part;
use super::{Kernel, Side};
use crate::structures::Structure;
use mercer_core::{DataKind, Matrix};
use mercer_math::{Mat, MatRef, exp_slice, gemm_into, sparse_dot, sq_dist, symmetrise};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Rows and columns of a tile: with eight bytes a value, half of the second-level cache.
pub(super) const ROWS: usize = 32;
pub(super) const COLS: usize = 1024;
/// Up to so many features, distances are taken directly: a product would not be faster.
pub(super) const FEW_FEATURES: usize = 4;
/// Where rounding of ‖x‖² + ‖y‖² − 2x·y may change the scaled distance by more than this, it is taken directly.
const LOST: f64 = 1e-9;

/// A tile of pairs: some points of the left side with some of the right one.
#[derive(Clone)]
pub(super) struct Tile {
    pub(super) rows: Range<usize>,
    pub(super) cols: Range<usize>,
    /// Whether both sides are the same points, so that equal places are the same point.
    pub(super) same: bool,
}

impl Tile {
    pub(super) fn len(&self) -> usize {
        self.rows.len() * self.cols.len()
    }

    /// The lines of a tile's values, each with the place of its point on the left.
    pub(super) fn lines<'o>(&self, out: &'o mut [f64]) -> impl Iterator<Item = (usize, &'o mut [f64])> {
        self.rows.clone().zip(out.chunks_exact_mut(self.cols.len().max(1)))
    }
}

impl Kernel {
    /// k of the points `rows` of the left side with all of the right one, row by row, on one thread.
    ///
    /// # Panics
    /// When `out` has not room for just these, or the sides were not made by this kernel.
    pub fn block(&self, left: &Side<'_>, rows: Range<usize>, right: &Side<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), rows.len() * right.n, "one value for each pair");
        let n = right.n;
        if n == 0 || self.fused(left, rows.clone(), right, out) {
            return;
        }
        // Of columns that make one tile, rows already lie as they shall.
        let mut tile = vec![0.0; if n <= COLS { 0 } else { ROWS.min(rows.len()) * COLS }];
        for r0 in rows.clone().step_by(ROWS) {
            let some = r0..(r0 + ROWS).min(rows.end);
            if n <= COLS {
                let which = Tile { rows: some.clone(), cols: 0..n, same: false };
                let out = &mut out[(r0 - rows.start) * n..][..which.len()];
                self.fill(&left.part, &right.part, &which, out);
                continue;
            }
            for c0 in (0..n).step_by(COLS) {
                let cols = c0..(c0 + COLS).min(n);
                let which = Tile { rows: some.clone(), cols: cols.clone(), same: false };
                let tile = &mut tile[..which.len()];
                self.fill(&left.part, &right.part, &which, tile);
                for (i, line) in which.lines(tile) {
                    out[(i - rows.start) * n + cols.start..][..cols.len()].copy_from_slice(line);
                }
            }
        }
    }

    /// Rows of one task: of structures, each value is work enough.
    pub(super) fn rows_at_once(&self) -> usize {
        if matches!(self.data_kind(), DataKind::Rows | DataKind::Strings) { ROWS } else { 1 }
    }

    /// k of all points of two sides, in parallel over blocks of rows.
    pub fn cross(&self, left: &Side<'_>, right: &Side<'_>) -> Mat {
        let (mut out, rows) = (Mat::zeros(left.n, right.n), self.rows_at_once());
        if right.n > 0 {
            out.as_mut_slice().par_chunks_mut(rows * right.n).enumerate().for_each(|(b, out)| {
                let rows = b * rows..b * rows + out.len() / right.n;
                self.block(left, rows, right, out);
            });
        }
        out
    }

    /// k of all pairs of one side's points: symmetric, with the noise of each point on the diagonal.
    pub fn gram(&self, side: &Side<'_>) -> Mat {
        let mut out = Mat::zeros(side.n, side.n);
        self.lower_gram(side, &mut out, &|| true);
        symmetrise(&mut out);
        out
    }

    /// The lower triangle of [`Kernel::gram`] and its diagonal, in memory that is there; other values are left as they were, or
    /// overwritten. Before each block of rows `go_on` is asked, from any thread; false where it said no, and not all is written.
    ///
    /// # Panics
    /// When `out` has not one row and one column for each point.
    pub fn lower_gram(&self, side: &Side<'_>, out: &mut Mat, go_on: &(dyn Fn() -> bool + Sync)) -> bool {
        let n = side.n;
        assert_eq!((out.n_rows(), out.n_cols()), (n, n), "one value for each pair");
        let (whole, rows) = (AtomicBool::new(true), self.rows_at_once());
        out.as_mut_slice().par_chunks_mut(rows * n.max(1)).enumerate().for_each(|(b, out)| {
            if !whole.load(Relaxed) || !go_on() {
                return whole.store(false, Relaxed);
            }
            let rows = b * rows..b * rows + out.len() / n;
            let mut tile = vec![0.0; rows.len() * COLS.min(rows.end)];
            for c0 in (0..rows.end).step_by(COLS) {
                let which = Tile { rows: rows.clone(), cols: c0..(c0 + COLS).min(rows.end), same: true };
                let tile = &mut tile[..which.len()];
                self.fill(&side.part, &side.part, &which, tile);
                for (i, line) in which.lines(tile) {
                    out[(i - rows.start) * n + c0..][..line.len()].copy_from_slice(line);
                }
            }
        });
        if !whole.into_inner() {
            return false;
        }
        let diagonal = self.diagonal(side);
        diagonal.into_iter().enumerate().for_each(|(i, v)| out[(i, i)] = v);
        true
    }

    /// k of each point with itself, noise included.
    pub fn diagonal(&self, side: &Side<'_>) -> Vec<f64> {
        self.diagonal_of(&side.part, side.n)
    }

    /// The values of a tile.
    pub(super) fn fill(&self, left: &Part<'_>, right: &Part<'_>, tile: &Tile, out: &mut [f64]) {
        match (self, left, right) {
            (Kernel::Sum(parts) | Kernel::Product(parts), Part::All(l), Part::All(r)) => {
                let sum = matches!(self, Kernel::Sum(_));
                out.fill(if sum { 0.0 } else { 1.0 });
                let mut part = vec![0.0; out.len()];
                for ((kernel, l), r) in parts.iter().zip(l).zip(r) {
                    kernel.fill(l, r, tile, &mut part);
                    match sum {
                        true => out.iter_mut().zip(&part).for_each(|(o, p)| *o += p),
                        false => out.iter_mut().zip(&part).for_each(|(o, p)| *o *= p),
                    }
                }
            }
            (Kernel::Power(inner, q), ..) => {
                inner.fill(left, right, tile, out);
                raise(out, *q);
            }
            (Kernel::Exp(inner), ..) => {
                inner.fill(left, right, tile, out);
                exp_slice(out);
            }
            (Kernel::PolynomialOf(inner, a), ..) => {
                inner.fill(left, right, tile, out);
                out.iter_mut().for_each(|v| *v = horner(a, *v));
            }
            (
                Kernel::Normalised(inner) | Kernel::ScaledBy(inner, _),
                Part::Scaled(f, l),
                Part::Scaled(g, r),
            ) => {
                inner.fill(l, r, tile, out);
                for (i, line) in tile.lines(out) {
                    line.iter_mut().zip(&g[tile.cols.clone()]).for_each(|(v, g)| *v *= f[i] * g);
                }
            }
            (Kernel::On(inner, _) | Kernel::OnColumns(inner, _), ..) => inner.fill(left, right, tile, out),
            _ => self.fill_leaf(left, right, tile, out),
        }
    }

    fn fill_leaf(&self, left: &Part<'_>, right: &Part<'_>, tile: &Tile, out: &mut [f64]) {
        if let Some(profile) = Profile::of(self) {
            distances(left.rows(), right.rows(), self.unit(), tile, out);
            return profile.values(out);
        }
        match self {
            Kernel::Constant(c) => out.fill(c.value()),
            Kernel::White(noise) => {
                out.fill(0.0);
                for (i, line) in tile.lines(out).filter(|(i, _)| tile.same && tile.cols.contains(i)) {
                    line[i - tile.cols.start] = noise.value();
                }
            }
            Kernel::Linear(sigma) => {
                dots(left, right, tile, out);
                let bias = sigma.value() * sigma.value();
                out.iter_mut().for_each(|v| *v += bias);
            }
            Kernel::Polynomial { gamma, coef0, degree } => {
                dots(left, right, tile, out);
                out.iter_mut().for_each(|v| *v = gamma.value() * *v + coef0.value());
                raise(out, *degree);
            }
            Kernel::Sigmoid { gamma, coef0 } => {
                dots(left, right, tile, out);
                out.iter_mut().for_each(|v| *v = (gamma.value() * *v + coef0.value()).tanh());
            }
            Kernel::Cosine => {
                dots(left, right, tile, out);
                let length = |v: &f64| if *v > 0.0 { v.sqrt() } else { 1.0 };
                let (f, g) = (squares(left), squares(right));
                for (i, line) in tile.lines(out) {
                    let own = length(&f[i]);
                    line.iter_mut().zip(&g[tile.cols.clone()]).for_each(|(v, g)| *v /= own * length(g));
                }
            }
            Kernel::Laplacian(gamma) => {
                direct(left, right, tile, out, |x, y| {
                    -gamma.value() * x.iter().zip(y).map(|(x, y)| (x - y).abs()).sum::<f64>()
                });
                exp_slice(out);
            }
            Kernel::Chi2(gamma) => {
                direct(left, right, tile, out, |x, y| -gamma.value() * chi2(x, y));
                exp_slice(out);
            }
            Kernel::AdditiveChi2 => direct(left, right, tile, out, |x, y| -chi2(x, y)),
            Kernel::Bilinear(a) => {
                let (x, y) = (dense(left), dense(right));
                let mut xa = vec![0.0; tile.rows.len() * a.n_cols()];
                gemm_into(1.0, x.rows(tile.rows.clone()), a.view(), 0.0, &mut xa);
                if let Some(xa) = MatRef::row_major(&xa, tile.rows.len(), a.n_cols()) {
                    gemm_into(1.0, xa, y.rows(tile.cols.clone()).t(), 0.0, out);
                }
            }
            Kernel::Structure(structure) => {
                let (Part::Structure(x), Part::Structure(y)) = (left, right) else {
                    unreachable!("both sides are structures")
                };
                tile.lines(out).for_each(|(i, line)| structure.line(x, i, y, tile.cols.clone(), line));
            }
            Kernel::Precomputed => given(left, right, tile, out),
            _ => unreachable!("rules of construction are no leaves"),
        }
    }

    /// What the squared distance of a radial kernel is divided by: the length scale's square where there is one for all.
    pub(super) fn unit(&self) -> f64 {
        match self {
            Kernel::Rbf(h)
            | Kernel::Matern { length_scale: h, .. }
            | Kernel::RationalQuadratic { length_scale: h, .. }
            | Kernel::Periodic { length_scale: h, .. }
                if h.values.len() == 1 =>
            {
                h.value() * h.value()
            }
            _ => 1.0,
        }
    }

    pub(super) fn diagonal_of(&self, part: &Part<'_>, n: usize) -> Vec<f64> {
        let of = |parts: &[Kernel], sides: &[Part<'_>], join: fn(f64, f64) -> f64, start: f64| {
            let mut out = vec![start; n];
            for (kernel, side) in parts.iter().zip(sides) {
                let own = kernel.diagonal_of(side, n);
                out.iter_mut().zip(own).for_each(|(o, v)| *o = join(*o, v));
            }
            out
        };
        let mapped = |inner: &Kernel, f: &dyn Fn(f64) -> f64| {
            inner.diagonal_of(part, n).into_iter().map(f).collect::<Vec<f64>>()
        };
        match (self, part) {
            (Kernel::Sum(parts), Part::All(sides)) => of(parts, sides, |a, b| a + b, 0.0),
            (Kernel::Product(parts), Part::All(sides)) => of(parts, sides, |a, b| a * b, 1.0),
            (Kernel::Power(inner, q), _) => mapped(inner, &|v| v.powf(*q)),
            (Kernel::Exp(inner), _) => mapped(inner, &f64::exp),
            (Kernel::PolynomialOf(inner, a), _) => mapped(inner, &|v| horner(a, v)),
            (Kernel::On(inner, _) | Kernel::OnColumns(inner, _), _) => inner.diagonal_of(part, n),
            (Kernel::Normalised(_), Part::Scaled(f, _)) => {
                f.iter().map(|f| if *f > 0.0 { 1.0 } else { 0.0 }).collect()
            }
            (Kernel::ScaledBy(inner, _), Part::Scaled(f, inside)) => {
                inner.diagonal_of(inside, n).into_iter().zip(f).map(|(v, f)| v * f * f).collect()
            }
            (Kernel::Constant(h) | Kernel::White(h), _) => vec![h.value(); n],
            (Kernel::Rbf(_) | Kernel::Matern { .. } | Kernel::RationalQuadratic { .. }, _) => vec![1.0; n],
            (Kernel::Periodic { .. } | Kernel::Laplacian(_) | Kernel::Chi2(_), _) => vec![1.0; n],
            (Kernel::AdditiveChi2, _) => vec![0.0; n],
            (Kernel::Structure(Structure::GlobalAlignment { .. } | Structure::Warping { .. }), _) => {
                vec![1.0; n]
            }
            _ => (0..n).map(|i| self.with_itself(part, i)).collect(),
        }
    }

    /// k of a point with itself, for leaves where it is not the same for all.
    fn with_itself(&self, part: &Part<'_>, i: usize) -> f64 {
        let mut out = [0.0];
        self.fill_leaf(part, part, &Tile { rows: i..i + 1, cols: i..i + 1, same: true }, &mut out);
        out[0]
    }
}

/// k^q of all values; whole powers by products.
fn raise(values: &mut [f64], q: f64) {
    match q {
        1.0 => {}
        2.0 => values.iter_mut().for_each(|v| *v *= *v),
        3.0 => values.iter_mut().for_each(|v| *v = *v * *v * *v),
        q if q.fract() == 0.0 && q.abs() < 64.0 => values.iter_mut().for_each(|v| *v = v.powi(q as i32)),
        q => values.iter_mut().for_each(|v| *v = v.powf(q)),
    }
}

/// a₀ + a₁ v + a₂ v² + …
pub(super) fn horner(a: &[f64], v: f64) -> f64 {
    a.iter().rev().fold(0.0, |sum, a| sum * v + a)
}

pub(super) fn chi2(x: &[f64], y: &[f64]) -> f64 {
    let term = |(x, y): (&f64, &f64)| if x + y > 0.0 { (x - y) * (x - y) / (x + y) } else { 0.0 };
    x.iter().zip(y).map(term).sum()
}

pub(super) fn dense<'p>(part: &'p Part<'_>) -> MatRef<'p> {
    match part {
        Part::Dense(m, _) => m.view(),
        _ => unreachable!("this leaf prepares dense rows"),
    }
}

fn squares<'p>(part: &'p Part<'_>) -> &'p [f64] {
    match part {
        Part::Dense(_, squares) | Part::Sparse(_, squares) => squares,
        _ => unreachable!("this leaf prepares squared lengths"),
    }
}

/// A function of two dense rows, for every pair.
pub(super) fn direct(
    left: &Part<'_>,
    right: &Part<'_>,
    tile: &Tile,
    out: &mut [f64],
    f: impl Fn(&[f64], &[f64]) -> f64,
) {
    let (x, y) = (dense(left), dense(right));
    for (i, line) in tile.lines(out) {
        let own = x.row_cow(i);
        line.iter_mut().zip(tile.cols.clone()).for_each(|(v, j)| *v = f(&own, &y.row_cow(j)));
    }
}

/// x·y of every pair.
fn dots(left: &Part<'_>, right: &Part<'_>, tile: &Tile, out: &mut [f64]) {
    match (left, right) {
        (Part::Dense(x, _), Part::Dense(y, _)) => {
            let (x, y) = (x.view().rows(tile.rows.clone()), y.view().rows(tile.cols.clone()));
            gemm_into(1.0, x, y.t(), 0.0, out);
        }
        (Part::Sparse(x, _), Part::Dense(y, _)) => {
            for (i, line) in tile.lines(out) {
                let (indices, values) = x.view().row(i);
                let dot = |j| y.view().row(j).map_or(0.0, |y| sparse_dot(indices, values, y));
                line.iter_mut().zip(tile.cols.clone()).for_each(|(v, j)| *v = dot(j));
            }
        }
        (_, Part::Sparse(y, _)) => {
            let y = y.view();
            let mut own = vec![0.0; y.n_cols()];
            for (i, line) in tile.lines(out) {
                spread(left, i, &mut own);
                for (v, j) in line.iter_mut().zip(tile.cols.clone()) {
                    let (indices, values) = y.row(j);
                    *v = sparse_dot(indices, values, &own);
                }
            }
        }
        _ => unreachable!("both sides are rows"),
    }
}

/// Row `i` of a part, dense.
fn spread(part: &Part<'_>, i: usize, out: &mut [f64]) {
    match part {
        Part::Dense(x, _) => out.copy_from_slice(&x.view().row_cow(i)),
        Part::Sparse(x, _) => {
            out.fill(0.0);
            let (indices, values) = x.view().row(i);
            indices.iter().zip(values).for_each(|(&j, v)| out[j as usize] += v);
        }
        _ => unreachable!("a row"),
    }
}

/// ‖x − y‖²/unit of every pair: by a product, and directly where there are few features or rounding would show.
pub(super) fn distances(left: &Part<'_>, right: &Part<'_>, unit: f64, tile: &Tile, out: &mut [f64]) {
    if let (Part::Dense(x, _), Part::Dense(y, _)) = (left, right)
        && x.view().n_cols() <= FEW_FEATURES
    {
        let (x, y) = (x.view(), y.view());
        for (i, line) in tile.lines(out) {
            let own = x.row_cow(i);
            for (v, j) in line.iter_mut().zip(tile.cols.clone()) {
                let other = y.row(j).unwrap_or(&[]);
                *v = own.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / unit;
            }
        }
        return;
    }
    dots(left, right, tile, out);
    let (f, g) = (squares(left), &squares(right)[tile.cols.clone()]);
    let largest = g.iter().fold(0.0f64, |m, v| m.max(*v));
    for (i, line) in tile.lines(out) {
        if shows(f[i], largest, unit) {
            direct_line(left, right, i, tile.cols.start, unit, line);
            continue;
        }
        let own = f[i];
        line.iter_mut().zip(g).for_each(|(v, g)| *v = ((own + g - 2.0 * *v) / unit).max(0.0));
        if tile.same && tile.cols.contains(&i) {
            line[i - tile.cols.start] = 0.0;
        }
    }
}

/// Whether rounding of the difference of squares would show, for squared lengths of one point and of the longest other.
pub(super) fn shows(own: f64, largest: f64, unit: f64) -> bool {
    f64::EPSILON * 4.0 * (own + largest) / unit > LOST
}

/// ‖x − y‖²/unit of one point of the left with some of the right, by differences.
pub(super) fn direct_line(
    left: &Part<'_>,
    right: &Part<'_>,
    i: usize,
    first: usize,
    unit: f64,
    line: &mut [f64],
) {
    let d = match left {
        Part::Dense(x, _) => x.view().n_cols(),
        Part::Sparse(x, _) => x.view().n_cols(),
        _ => unreachable!("a row"),
    };
    let (mut own, mut other) = (vec![0.0; d], vec![0.0; d]);
    spread(left, i, &mut own);
    for (v, j) in line.iter_mut().zip(first..) {
        spread(right, j, &mut other);
        *v = sq_dist(&own, &other) / unit;
    }
}

/// Values that are given: the columns of the left side's rows at the places of the right side's points.
fn given(left: &Part<'_>, right: &Part<'_>, tile: &Tile, out: &mut [f64]) {
    let Part::Dense(x, _) = left else { unreachable!("the left side of a given kernel is rows") };
    let x: &Matrix<'_> = x;
    let place = |j: usize| if let Part::Places(places) = right { places[j] as usize } else { j };
    for (i, line) in tile.lines(out) {
        line.iter_mut().zip(tile.cols.clone()).for_each(|(v, j)| *v = x.view().get(i, place(j)));
    }
}
