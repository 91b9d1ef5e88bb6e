//! Linear leaves: Newton's step for a linear function instead of a constant.
//!
//! For the rows of a leaf with gradients g and hessians h, over the numeric features x split on the way to it:
//!   min over b, c of  sum_i g_i f_i + h_i f_i^2 / 2 + lambda / 2 |b|^2   with  f_i = c + b' x_i.
//! Around the means of x weighted by h the intercept stands alone: c is -sum(g) / sum(h), and b solves
//! (X' H X + lambda I) b = -X' g by Cholesky's factors. A feature that the ones before it determine has no
//! coefficient. Rows that miss one of the features neither help to fit the line nor use it.
//!
//! - Y. Shi, J. Li, Z. Li. Gradient boosting with piece-wise linear regression trees. IJCAI, 2019.

use super::binned_tree::BinnedTree;
use crate::bins::Bins;
use crate::packed::Line;
use crate::sorted_columns::Values;

/// A pivot of less than this share of its diagonal element is nothing but rounding.
const SINGULAR: f64 = 1e-10;

/// The raw (not binned) values of the rows that a model is boosted on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'a> {
    pub(crate) columns: &'a [Values<'a>],
    /// The rows of the data that are kept; `None` for all.
    pub(crate) kept: Option<&'a [u32]>,
}

impl Raw<'_> {
    fn place(&self, i: usize) -> usize {
        self.kept.map_or(i, |kept| kept[i] as usize)
    }

    /// What a line says of a kept row.
    pub(crate) fn at(&self, line: &Line, i: usize) -> Option<f64> {
        line.at(|j| self.columns[j].number(self.place(i)))
    }

    /// The line of some rising kept rows over some features, from their gradients and hessians; `None` where there are
    /// too few rows, or no line is better than a constant.
    pub(crate) fn fit(
        &self,
        features: &[u32],
        rows: &[u32],
        lambda: f64,
        derivatives: impl Fn(usize) -> (f64, f64),
    ) -> Option<Line> {
        let (n, d) = (rows.len(), features.len());
        let mut x = vec![0.0; n * d];
        for (c, &j) in features.iter().enumerate() {
            let places = rows.iter().map(|&i| self.place(i as usize));
            self.columns[j as usize].read(places, |k, v| x[k * d + c] = v);
        }
        let whole: Vec<(&[f64], f64, f64)> = x
            .chunks_exact(d.max(1))
            .zip(rows)
            .filter(|(x, _)| x.iter().all(|v| !v.is_nan()))
            .map(|(x, &i)| (x, derivatives(i as usize).0, derivatives(i as usize).1))
            .collect();
        let gradient: f64 = whole.iter().map(|r| r.1).sum();
        let hessian: f64 = whole.iter().map(|r| r.2).sum();
        if d == 0 || whole.len() <= d || hessian <= 0.0 {
            return None;
        }
        let means: Vec<f64> =
            (0..d).map(|c| whole.iter().map(|r| r.2 * r.0[c]).sum::<f64>() / hessian).collect();
        let (mut gram, mut right, mut centred) = (vec![0.0; d * d], vec![0.0; d], vec![0.0; d]);
        for (x, g, h) in whole {
            centred.iter_mut().zip(x.iter().zip(&means)).for_each(|(out, (x, mean))| *out = x - mean);
            for (a, &xa) in centred.iter().enumerate() {
                right[a] -= g * xa;
                let row = &mut gram[a * d..=a * d + a];
                row.iter_mut().zip(&centred).for_each(|(out, xb)| *out += h * xa * xb);
            }
        }
        (0..d).for_each(|a| gram[a * d + a] += lambda);
        solve(&mut gram, &mut right);
        let intercept = means.iter().zip(&right).fold(-gradient / hessian, |sum, (m, b)| sum - m * b);
        let terms: Vec<(u32, f64)> = features.iter().copied().zip(right).filter(|t| t.1 != 0.0).collect();
        let good = intercept.is_finite() && terms.iter().all(|t| t.1.is_finite()) && !terms.is_empty();
        good.then_some(Line { intercept, terms })
    }
}

/// Solves a positive semi-definite system in place, of which the lower half is given; variables that those before them
/// determine are 0.
fn solve(gram: &mut [f64], right: &mut [f64]) {
    let d = right.len();
    let mut free = vec![false; d];
    for a in 0..d {
        let diagonal = gram[a * d + a];
        for b in 0..=a {
            let dot: f64 = (0..b).map(|k| gram[a * d + k] * gram[b * d + k]).sum();
            let rest = gram[a * d + b] - dot;
            gram[a * d + b] = if b < a {
                if free[b] { rest / gram[b * d + b] } else { 0.0 }
            } else {
                free[a] = rest > SINGULAR * diagonal;
                rest.max(0.0).sqrt()
            };
        }
        let dot: f64 = (0..a).map(|k| gram[a * d + k] * right[k]).sum();
        right[a] = if free[a] { (right[a] - dot) / gram[a * d + a] } else { 0.0 };
    }
    for a in (0..d).rev() {
        let dot: f64 = (a + 1..d).map(|k| gram[k * d + a] * right[k]).sum();
        right[a] = if free[a] { (right[a] - dot) / gram[a * d + a] } else { 0.0 };
    }
}

/// The numeric features split on the way to each node, rising.
pub(crate) fn features(tree: &BinnedTree, bins: &Bins) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); tree.split.len()];
    // Children come after their parents.
    for node in 0..found.len() {
        let Some(split) = &tree.split[node] else { continue };
        let (j, mut own) = (split.column, found[node].clone());
        let numeric = bins.encoded(j as usize).is_none() && !bins.is_categorical(j as usize);
        if let (true, Err(at)) = (numeric, own.binary_search(&j)) {
            own.insert(at, j);
        }
        found[tree.left[node] as usize] = own.clone();
        found[tree.right[node] as usize] = own;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{normal, rng_for};

    #[test]
    fn the_gradient_of_the_penalised_step_is_zero_at_the_line() {
        let mut rng = rng_for(12, 0);
        let n = 200;
        let values: Vec<Vec<f64>> = (0..3)
            .map(|j| {
                (0..n)
                    .map(|i| if i % 17 == j { f64::NAN } else { 1e3 * j as f64 + normal(&mut rng) })
                    .collect()
            })
            .collect();
        let columns: Vec<Values<'_>> = values.iter().map(|v| Values::Numbers(v.into())).collect();
        let kept: Vec<u32> = (0..n as u32).filter(|i| i % 3 > 0).collect();
        let raw = Raw { columns: &columns, kept: Some(&kept) };
        let (g, h): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (normal(&mut rng), 0.1 + (i % 5) as f64)).unzip();
        let rows: Vec<u32> = (0..kept.len() as u32).filter(|i| i % 4 > 0).collect();
        for lambda in [0.0, 3.0] {
            let line = raw.fit(&[0, 2], &rows, lambda, |i| (g[i], h[i])).unwrap();
            let coefficient = |j: usize| line.terms.iter().find(|t| t.0 as usize == j).map_or(0.0, |t| t.1);
            let slope = |j: Option<usize>| -> f64 {
                let whole = rows.iter().map(|&i| i as usize).filter_map(|i| Some((i, raw.at(&line, i)?)));
                let x = |i: usize| j.map_or(1.0, |j| values[j][kept[i] as usize]);
                whole.map(|(i, f)| (g[i] + h[i] * f) * x(i)).sum()
            };
            assert!(slope(None).abs() < 1e-9);
            for j in [0, 2] {
                assert!((slope(Some(j)) + lambda * coefficient(j)).abs() < 1e-6, "{j}: {}", slope(Some(j)));
            }
        }
    }

    #[test]
    fn features_that_others_determine_have_no_coefficient() {
        let first: Vec<f64> = (0..50).map(f64::from).collect();
        let second: Vec<f64> = first.iter().map(|v| 3.0 * v - 7.0).collect();
        let columns = [
            Values::Numbers((&first).into()),
            Values::Numbers((&second).into()),
            Values::Numbers(vec![4.0; 50].into()),
        ];
        let raw = Raw { columns: &columns, kept: None };
        let rows: Vec<u32> = (0..50).collect();
        let line = raw.fit(&[0, 1, 2], &rows, 0.0, |i| (-2.0 * first[i] - 1.0, 1.0)).unwrap();
        assert_eq!(line.terms.len(), 1);
        assert!((line.terms[0].1 - 2.0).abs() < 1e-12 && (line.intercept - 1.0).abs() < 1e-10);
        assert_eq!(raw.fit(&[2], &rows, 0.0, |_| (1.0, 1.0)), None);
        assert_eq!(raw.fit(&[0], &rows[..1], 0.0, |_| (1.0, 1.0)), None);
        assert_eq!(raw.fit(&[0], &rows, 0.0, |_| (1.0, 0.0)), None);
    }
}
