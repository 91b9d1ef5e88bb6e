//! Values of RBF kernels of dense rows in double precision: products of a few rows with panels of points that stay in registers.

use crate::kernel::Kernel;
use mercer_math::{MatRef, exp_slice};
use std::ops::Range;

/// Points of a panel, whose sums with [`ROWS`] rows fit into the registers.
const PANEL: usize = 8;
const ROWS: usize = 4;
/// Where rounding of ‖x‖² + ‖y‖² − 2x·y may change the exponent by more than this, values are computed otherwise.
const LOST: f64 = 1e-9;

/// What RBF values of dense rows are computed with: γ, and a point near all of them, about which squares are small.
#[derive(Clone, Debug)]
pub(crate) struct About {
    gamma: f64,
    centre: Vec<f64>,
}

impl About {
    /// γ of an RBF kernel of one length and the mean of rows, where squares about it are small enough.
    pub(crate) fn of(kernel: &Kernel, x: MatRef<'_>) -> Option<Self> {
        let Kernel::Rbf(scale) = kernel else { return None };
        let [scale] = scale.values[..] else { return None };
        let gamma = 0.5 / (scale * scale);
        let (n, d) = (x.n_rows(), x.n_cols());
        let centre: Vec<f64> =
            (0..d).map(|j| (0..n).map(|i| x.get(i, j)).sum::<f64>() / n.max(1) as f64).collect();
        let square = |i: usize| (0..d).map(|j| (x.get(i, j) - centre[j]).powi(2)).sum::<f64>();
        let largest = (0..n).map(square).fold(0.0, f64::max);
        // A row that is asked about lies within twice as far, or so far off that its values are nothing.
        (d > 0 && 40.0 * f64::EPSILON * gamma * largest < LOST).then_some(Self { gamma, centre })
    }
}

/// Points about a centre: by rows, and side by side in panels.
pub(crate) struct Panels {
    n: usize,
    d: usize,
    rows: Vec<f64>,
    panels: Vec<f64>,
    squares: Vec<f64>,
}

impl Panels {
    /// Some rows.
    pub(crate) fn new(about: &About, x: MatRef<'_>) -> Self {
        let (n, d) = (x.n_rows(), x.n_cols());
        let mut rows = Vec::with_capacity(n * d);
        for i in 0..n {
            rows.extend(x.row_cow(i).iter().zip(&about.centre).map(|(v, c)| v - c));
        }
        let mut panels = vec![0.0; n.next_multiple_of(PANEL) * d];
        for (i, row) in rows.chunks_exact(d.max(1)).enumerate() {
            let panel = &mut panels[i / PANEL * PANEL * d..][..PANEL * d];
            row.iter().enumerate().for_each(|(j, v)| panel[j * PANEL + i % PANEL] = *v);
        }
        let squares = rows.chunks_exact(d.max(1)).map(|r| r.iter().map(|v| v * v).sum()).collect();
        Self { n, d, rows, panels, squares }
    }
}

/// exp(−γ‖x − y‖²) of some rows of the left with all points of the right, row by row.
pub(crate) fn rbf(about: &About, left: &Panels, rows: Range<usize>, right: &Panels, out: &mut [f64]) {
    let n = right.n;
    for (i, out) in rows.step_by(ROWS).zip(out.chunks_mut(ROWS * n.max(1))) {
        mercer_math::wide(
            #[inline(always)]
            || exponents(about.gamma, left, i, right, out),
        );
        exp_slice(out);
    }
}

/// −γ‖x − y‖² of a few rows with all points.
#[inline(always)]
fn exponents(gamma: f64, left: &Panels, first: usize, right: &Panels, out: &mut [f64]) {
    let (n, d) = (right.n, left.d);
    let count = out.len() / n;
    // The last rows are taken twice where there are fewer, so that there is one way through.
    let of = |r: usize| &left.rows[(first + r.min(count - 1)) * d..][..d];
    let (a, b, c, e) = (of(0), of(1), of(2), of(3));
    for j in (0..n).step_by(PANEL) {
        let panel = right.panels[j * d..(j + PANEL) * d].as_chunks::<PANEL>().0;
        let mut sums = [[0.0f64; PANEL]; ROWS];
        for ((((column, a), b), c), e) in panel.iter().zip(a).zip(b).zip(c).zip(e) {
            for l in 0..PANEL {
                sums[0][l] += a * column[l];
                sums[1][l] += b * column[l];
                sums[2][l] += c * column[l];
                sums[3][l] += e * column[l];
            }
        }
        let width = PANEL.min(n - j);
        let mut squares = [0.0; PANEL];
        squares[..width].copy_from_slice(&right.squares[j..j + width]);
        for (r, sums) in sums.iter_mut().enumerate().take(count) {
            let own = left.squares[first + r];
            for l in 0..PANEL {
                let square = own + squares[l] - 2.0 * sums[l];
                sums[l] = -gamma * if square > 0.0 { square } else { 0.0 };
            }
            out[r * n + j..][..width].copy_from_slice(&sums[..width]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{Mat, normal, rng_for};

    #[test]
    fn panels_say_what_the_kernel_says() {
        let mut rng = rng_for(3, 0);
        for (n, m, d) in [(1, 1, 1), (7, 9, 3), (33, 70, 20), (5, 16, 1)] {
            let x = Mat::from_fn(n, d, |_, _| 100.0 + normal(&mut rng));
            let y = Mat::from_fn(m, d, |i, j| if i == 0 { x[(0, j)] } else { 100.0 + normal(&mut rng) });
            let kernel = Kernel::rbf_gamma(0.3);
            let about = About::of(&kernel, y.view()).unwrap();
            let mut found = vec![0.0; n * m];
            rbf(&about, &Panels::new(&about, x.view()), 0..n, &Panels::new(&about, y.view()), &mut found);
            for i in 0..n {
                for j in 0..m {
                    let far: f64 = x.row(i).iter().zip(y.row(j)).map(|(a, b)| (a - b).powi(2)).sum();
                    assert!((found[i * m + j] - (-0.3 * far).exp()).abs() < 1e-12, "{n} {m} {d}");
                }
            }
        }
        let far = Mat::from_fn(4, 2, |i, _| 1e9 * i as f64);
        assert!(About::of(&Kernel::rbf_gamma(0.3), far.view()).is_none());
    }
}
