//! Blocks of the RBF kernel on dense rows: products, distances and exponentials while they are in registers.

use super::evaluate::{COLS, FEW_FEATURES, direct_line, shows};
use super::side::Part;
use super::{Kernel, Side};
use mercer_math::{DoublePanels, MatRef, rbf_double};
use std::borrow::Cow;
use std::ops::Range;

impl Kernel {
    /// [`Kernel::block`]; false where this is not an RBF kernel on dense rows of more than a few features.
    ///
    /// Which way a value is found depends on its two points and its column's tile alone, never on the rows asked about beside it
    /// or on how they lie in memory.
    pub(super) fn fused(
        &self,
        left: &Side<'_>,
        rows: Range<usize>,
        right: &Side<'_>,
        out: &mut [f64],
    ) -> bool {
        let (Kernel::Rbf(_), Part::Dense(x, f), Part::Dense(y, g)) = (self, &left.part, &right.part) else {
            return false;
        };
        let (x, y, n) = (x.view(), y.view(), right.n);
        if y.n_cols() <= FEW_FEATURES || x.n_cols() != y.n_cols() {
            return false;
        }
        let panels = right.panels.get_or_init(|| DoublePanels::new(&compact(y), y.n_cols(), g));
        let (own, lengths, unit) = (compact(x.rows(rows.clone())), &f[rows.clone()], self.unit());
        for start in (0..n).step_by(COLS) {
            let columns = start..(start + COLS).min(n);
            let largest = g[columns.clone()].iter().fold(0.0f64, |m, v| m.max(*v));
            rbf_double((&own, lengths), panels, columns.clone(), 0.5 / unit, &mut out[start..], n);
            for (i, line) in rows.clone().zip(out.chunks_exact_mut(n)) {
                if shows(f[i], largest, unit) {
                    let line = &mut line[columns.clone()];
                    direct_line(&left.part, &right.part, i, start, unit, line);
                    line.iter_mut().for_each(|v| *v *= -0.5);
                    mercer_math::exp_slice(line);
                }
            }
        }
        true
    }
}

/// The values of rows one after the other: copied where they do not lie so.
fn compact(x: MatRef<'_>) -> Cow<'_, [f64]> {
    let d = x.n_cols();
    match x.has_contiguous_rows() && x.row_stride() == d && x.n_rows() > 0 {
        true => Cow::Borrowed(&x.data()[..x.n_rows() * d]),
        false => Cow::Owned((0..x.n_rows()).flat_map(|i| (0..d).map(move |j| x.get(i, j))).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::PointsRef;
    use mercer_math::{Mat, normal, rng_for};

    /// Values by definition, and the same bits alone as among others, by rows and by columns of memory.
    #[test]
    fn blocks_are_the_kernel_whatever_is_asked_beside() {
        let mut rng = rng_for(5, 0);
        let mut x = Mat::from_fn(37, 7, |_, _| normal(&mut rng));
        let y = Mat::from_fn(1100, 7, |_, _| normal(&mut rng));
        // So far out that the difference of squares would have lost its digits.
        (0..7).for_each(|j| x[(3, j)] = 1e5 + y[(1050, j)]);
        let turned = x.view().t().to_mat();
        for kernel in [Kernel::rbf(1.7), Kernel::rbf(0.4)] {
            let right = kernel.side(PointsRef::Dense(y.view())).expect("rows");
            let left = kernel.side(PointsRef::Dense(x.view())).expect("rows");
            let mut all = vec![0.0; 37 * 1100];
            kernel.block(&left, 0..37, &right, &mut all);
            let h = kernel.unit();
            for (i, line) in all.chunks(1100).enumerate() {
                for (j, v) in line.iter().enumerate() {
                    let square: f64 = (0..7).map(|k| (x[(i, k)] - y[(j, k)]).powi(2)).sum();
                    assert!((v - (-0.5 * square / h).exp()).abs() < 1e-9, "{i} {j}");
                }
            }
            let strided = kernel.side(PointsRef::Dense(turned.view().t())).expect("rows");
            for i in 0..37 {
                for left in [&left, &strided] {
                    let mut one = vec![0.0; 1100];
                    kernel.block(left, i..i + 1, &right, &mut one);
                    assert_eq!(one, all[i * 1100..(i + 1) * 1100], "row {i}");
                }
            }
        }
    }
}
