//! Gradients for symmetric weights, tile by tile: what a Gaussian process asks for in every step of its search.
//!
//! The chain rule of `gradient.rs` runs on tiles that stay in cache, over the lower triangle alone, on all threads; no matrix
//! of the size of the Gram matrix is made. Kernels with a leaf or a rule that has no tiled form go the way of whole matrices.

use super::evaluate::{COLS, ROWS, Tile, dense, distances};
use super::radial::Profile;
use super::side::Part;
use super::{Hyper, Kernel, Side};
use mercer_math::{Mat, MatRef, dot, gemm_into, sum, symmetrise, tree_reduce};

impl Kernel {
    /// $\sum_{ij} W_{ij}\,\partial K_{ij}/\partial\theta_p$ for every hyper-parameter in the order of [`Kernel::theta`], for symmetric weights, of
    /// which only the lower triangle is read.
    ///
    /// # Panics
    /// When the weights are not one for each pair of points.
    pub fn gradient_lower(&self, side: &Side<'_>, weights: &Mat) -> Vec<f64> {
        let n = side.n;
        assert_eq!((weights.n_rows(), weights.n_cols()), (n, n), "one weight for each pair");
        if !self.has_tiles() {
            let mut whole = weights.clone();
            symmetrise(&mut whole);
            return self.gradient_dot(side, &whole);
        }
        let (part, size) = (side.part.dense(), self.n_theta());
        let block = |b: usize| {
            let rows = b * ROWS..((b + 1) * ROWS).min(n);
            let mut found = vec![0.0; size];
            let mut own = vec![0.0; rows.len() * COLS.min(rows.end)];
            for c0 in (0..rows.end).step_by(COLS) {
                let tile = Tile { rows: rows.clone(), cols: c0..(c0 + COLS).min(rows.end), same: true };
                let own = &mut own[..tile.len()];
                for (i, line) in tile.lines(own) {
                    // Pairs below the diagonal stand for those above it, too.
                    for (v, j) in line.iter_mut().zip(tile.cols.clone()) {
                        *v = if j < i {
                            2.0 * weights[(i, j)]
                        } else if j == i {
                            weights[(i, i)]
                        } else {
                            0.0
                        };
                    }
                }
                self.add_slopes(&part, &tile, own, &mut found);
            }
            found
        };
        let merge = |mut a: Vec<f64>, b: Vec<f64>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        tree_reduce(n.div_ceil(ROWS), block, merge).unwrap_or_else(|| vec![0.0; size])
    }

    /// $\sum_{ij} W_{ij}\,\partial k(x_i, z_j) + \sum_i d_i\,\partial k(x_i, x_i)$ for every hyper-parameter, on one thread, for a side whose
    /// first points are the $x$, one for each row of weights, and whose others are the $z$.
    ///
    /// # Panics
    /// When the weights are not one for each pair, or for each of the first points.
    pub fn gradient_cross(&self, side: &Side<'_>, on_diagonal: &[f64], weights: &Mat) -> Vec<f64> {
        let (b, m) = (weights.n_rows(), weights.n_cols());
        assert_eq!((side.n, on_diagonal.len()), (b + m, b), "one weight for each pair");
        if !self.has_tiles() {
            let mut whole = Mat::zeros(b + m, b + m);
            for i in 0..b {
                whole[(i, i)] = on_diagonal[i];
                whole.row_mut(i)[b..].copy_from_slice(weights.row(i));
            }
            return self.gradient_dot(side, &whole);
        }
        let (part, mut found) = (side.part.dense(), vec![0.0; self.n_theta()]);
        let mut own = vec![0.0; ROWS * COLS.min(m.max(ROWS))];
        for first in (0..b).step_by(ROWS) {
            let rows = first..(first + ROWS).min(b);
            let square = Tile { rows: rows.clone(), cols: rows.clone(), same: true };
            let diagonal = &mut own[..square.len()];
            diagonal.fill(0.0);
            square.lines(diagonal).for_each(|(i, line)| line[i - first] = on_diagonal[i]);
            self.add_slopes(&part, &square, diagonal, &mut found);
            for c0 in (0..m).step_by(COLS) {
                let cols = c0..(c0 + COLS).min(m);
                let tile = Tile { rows: rows.clone(), cols: b + cols.start..b + cols.end, same: true };
                let own = &mut own[..tile.len()];
                tile.lines(own).for_each(|(i, line)| line.copy_from_slice(&weights.row(i)[cols.clone()]));
                self.add_slopes(&part, &tile, own, &mut found);
            }
        }
        found
    }

    /// Whether every node above a free hyper-parameter has a tiled form.
    fn has_tiles(&self) -> bool {
        let own = match self {
            Kernel::Normalised(_) => false,
            Kernel::Polynomial { .. } | Kernel::Sigmoid { .. } | Kernel::Laplacian(_) | Kernel::Chi2(_) => {
                false
            }
            Kernel::Periodic { length_scale, periodicity } => {
                length_scale.values.len() == 1 && periodicity.values.len() == 1
            }
            _ => true,
        };
        self.n_theta() == 0 || own && self.children().iter().all(|k| k.has_tiles())
    }

    /// Adds the weighted slopes of a tile to `out`, one place for each hyper-parameter of this node and its parts.
    fn add_slopes(&self, part: &Part<'_>, tile: &Tile, weights: &[f64], out: &mut [f64]) {
        if out.is_empty() {
            return;
        }
        let values = |kernel: &Kernel, part: &Part<'_>| {
            let mut values = vec![0.0; tile.len()];
            kernel.fill(part, part, tile, &mut values);
            values
        };
        if let Some((inner, slope)) = self.outer_slope() {
            let mut own = values(inner, part);
            own.iter_mut().zip(weights).for_each(|(v, w)| *v = w * slope(*v));
            return inner.add_slopes(part, tile, &own, out);
        }
        match (self, part) {
            (Kernel::Sum(parts), Part::All(sides)) => {
                let mut rest = out;
                for (kernel, side) in parts.iter().zip(sides) {
                    let (own, others) = rest.split_at_mut(kernel.n_theta());
                    kernel.add_slopes(side, tile, weights, own);
                    rest = others;
                }
            }
            (Kernel::Product(parts), Part::All(sides)) => {
                let made: Vec<Vec<f64>> = parts.iter().zip(sides).map(|(k, side)| values(k, side)).collect();
                let mut rest = out;
                for (i, (kernel, side)) in parts.iter().zip(sides).enumerate() {
                    let (own, others) = rest.split_at_mut(kernel.n_theta());
                    rest = others;
                    if own.is_empty() {
                        continue;
                    }
                    let mut scaled = weights.to_vec();
                    for (_, made) in made.iter().enumerate().filter(|(j, _)| *j != i) {
                        scaled.iter_mut().zip(made).for_each(|(w, v)| *w *= v);
                    }
                    kernel.add_slopes(side, tile, &scaled, own);
                }
            }
            (Kernel::ScaledBy(inner, _), Part::Scaled(g, inside)) => {
                let mut scaled = weights.to_vec();
                for (i, line) in tile.lines(&mut scaled) {
                    line.iter_mut().zip(&g[tile.cols.clone()]).for_each(|(w, h)| *w *= g[i] * h);
                }
                inner.add_slopes(inside, tile, &scaled, out);
            }
            (Kernel::On(inner, _) | Kernel::OnColumns(inner, _), _) => {
                inner.add_slopes(part, tile, weights, out)
            }
            _ => self.add_leaf_slopes(part, tile, weights, out),
        }
    }

    fn add_leaf_slopes(&self, part: &Part<'_>, tile: &Tile, weights: &[f64], out: &mut [f64]) {
        match self {
            Kernel::Constant(c) => out[0] += c.value() * sum(weights),
            Kernel::Linear(sigma) => out[0] += 2.0 * sigma.value() * sigma.value() * sum(weights),
            Kernel::White(noise) => {
                let width = tile.cols.len();
                let own = tile.rows.clone().filter(|i| tile.cols.contains(i));
                let total: f64 =
                    own.map(|i| weights[(i - tile.rows.start) * width + i - tile.cols.start]).sum();
                out[0] += noise.value() * total;
            }
            _ => self.add_radial_slopes(part, tile, weights, out),
        }
    }

    /// The slopes of a kernel of the scaled squared distance s: those of its own hyper-parameters, and −2 f′(s) s for the scale.
    fn add_radial_slopes(&self, part: &Part<'_>, tile: &Tile, weights: &[f64], out: &mut [f64]) {
        let Some(profile) = Profile::of(self) else { unreachable!("other leaves have no tiled form") };
        let mut s = vec![0.0; tile.len()];
        distances(part.rows(), part.rows(), self.unit(), tile, &mut s);
        let (mut out, mut place) = (out, |h: &Hyper| h.n_free());
        if let Kernel::RationalQuadratic { alpha, .. } = self
            && place(alpha) > 0
        {
            out[0] += rational_slope(alpha.value(), &s, weights);
            out = &mut out[1..];
        }
        if let Kernel::Periodic { length_scale, periodicity } = self
            && place(periodicity) > 0
        {
            // It stands behind the length scale.
            let unit = length_scale.value() * length_scale.value();
            out[place(length_scale)] += period_slope(part, tile, unit, &s, weights);
        }
        let scales = self.length_scale().map_or(0, &mut place);
        if scales == 0 {
            return;
        }
        let mut slopes = s.clone();
        profile.slopes(&mut slopes);
        slopes.iter_mut().zip(weights).for_each(|(f, w)| *f *= w);
        match scales {
            1 => out[0] -= 2.0 * dot(&slopes, &s),
            _ => add_scale_slopes(dense(part), tile, &slopes, out),
        }
    }
}

/// Σ W ∂k/∂ln α of the rational quadratic kernel.
fn rational_slope(alpha: f64, s: &[f64], weights: &[f64]) -> f64 {
    let slope = |s: f64| {
        let u = s / (2.0 * alpha);
        alpha * (1.0 + u).powf(-alpha) * (u / (1.0 + u) - u.ln_1p())
    };
    s.iter().zip(weights).map(|(s, w)| w * slope(*s)).sum()
}

/// Σ W ∂k/∂ln p of the periodic kernel: with u = π(x − y)/p it is k · 2 Σ u sin 2u / ℓ².
fn period_slope(part: &Part<'_>, tile: &Tile, unit: f64, s: &[f64], weights: &[f64]) -> f64 {
    let Part::Turned(angles, _) = part else { unreachable!("periodic kernels keep the angles of points") };
    let mut values = s.to_vec();
    Profile::Gaussian.values(&mut values);
    let mut total = 0.0;
    for ((i, line), weights) in tile.lines(&mut values).zip(weights.chunks_exact(tile.cols.len())) {
        for ((k, w), j) in line.iter().zip(weights).zip(tile.cols.clone()).filter(|((_, w), _)| **w != 0.0) {
            let turn = |(a, b): (&f64, &f64)| 0.5 * (a - b) * (a - b).sin();
            let slope: f64 = angles.row(i).iter().zip(angles.row(j)).map(turn).sum();
            total += w * k * 2.0 * slope / unit;
        }
    }
    total
}

/// Scales of features: with M = W∘f′(s), −2 Σ M_ab (x_aj − x_bj)² for every j, by row and column sums of M and one product. Points
/// are taken about one of them, so that features far from zero lose no digits.
fn add_scale_slopes(x: MatRef<'_>, tile: &Tile, m: &[f64], out: &mut [f64]) {
    let (d, width) = (x.n_cols(), tile.cols.len());
    let origin = x.row_cow(tile.rows.start);
    let about = |range: &std::ops::Range<usize>| {
        Mat::from_fn(range.len(), d, |i, j| x.get(range.start + i, j) - origin[j])
    };
    let (left, right) = (about(&tile.rows), about(&tile.cols));
    let mut product = vec![0.0; tile.rows.len() * d];
    let Some(view) = MatRef::row_major(m, tile.rows.len(), width) else { return };
    gemm_into(1.0, view, right.view(), 0.0, &mut product);
    let mut columns = vec![0.0; width];
    for (i, line) in m.chunks_exact(width).enumerate() {
        columns.iter_mut().zip(line).for_each(|(c, m)| *c += m);
        let total = sum(line);
        for (j, out) in out.iter_mut().enumerate() {
            let own = left[(i, j)];
            *out -= 2.0 * own * (total * own - 2.0 * product[i * d + j]);
        }
    }
    for (b, total) in columns.iter().enumerate() {
        out.iter_mut().zip(right.row(b)).for_each(|(out, x)| *out -= 2.0 * total * x * x);
    }
}
