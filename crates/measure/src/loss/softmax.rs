//! The cross-entropy of many classes: `loss(f, c) = ln Σ_j e^{f_j} − f_c` for scores `f` and the true class `c`.

use mercer_core::{Error, Result};
use mercer_math::rising_root;
use mercer_math::{log_sum_exp, softmax_in_place};

fn check(scores: &[f64], class: usize) -> Result<()> {
    if class < scores.len() {
        Ok(())
    } else {
        Err(Error::shape("scores of the true class", class + 1, scores.len()))
    }
}

/// The loss of the scores `f` when the class is `class`.
///
/// # Example
/// ```
/// use mercer_measure::softmax;
/// assert!((softmax::value(&[0.0, 0.0, 0.0], 1)? - 3f64.ln()).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn value(scores: &[f64], class: usize) -> Result<f64> {
    check(scores, class)?;
    Ok(log_sum_exp(scores) - scores[class])
}

/// Its gradient, `p − e_c` with `p` the softmax of the scores.
pub fn gradient(scores: &[f64], class: usize) -> Result<Vec<f64>> {
    check(scores, class)?;
    let mut p = scores.to_vec();
    softmax_in_place(&mut p);
    p[class] -= 1.0;
    Ok(p)
}

/// The diagonal `p (1 − p)` of its Hessian `diag(p) − p pᵀ`.
pub fn curvature(scores: &[f64], class: usize) -> Result<Vec<f64>> {
    check(scores, class)?;
    let mut p = scores.to_vec();
    softmax_in_place(&mut p);
    p.iter_mut().for_each(|p| *p *= 1.0 - *p);
    Ok(p)
}

/// Turns the scores of a block, rows × `k`, into probabilities: its link.
pub fn means(k: usize, scores: &mut [f64]) {
    scores.chunks_mut(k.max(1)).for_each(softmax_in_place);
}

/// The first and second derivative by the score of class `j` alone. The scores become probabilities.
///
/// # Panics
/// When `j` is not below the number of scores.
pub fn partial(scores: &mut [f64], class: usize, j: usize) -> (f64, f64) {
    softmax_in_place(scores);
    let p = scores[j];
    (p - f64::from(j == class), p * (1.0 - p))
}

/// Gradients and curvatures of a block: scores, rows × `k`, become `p − e_c`; `curvature` is as large.
///
/// # Panics
/// When there are not `k` scores and curvatures for each class, or a class is not below `k`.
pub fn gradients(k: usize, classes: &[u32], scores: &mut [f64], curvature: &mut [f64]) {
    assert!(scores.len() == classes.len() * k && curvature.len() == scores.len(), "k scores for each row");
    for ((p, h), &class) in scores.chunks_mut(k).zip(curvature.chunks_mut(k)).zip(classes) {
        softmax_in_place(p);
        h.iter_mut().zip(p.iter()).for_each(|(h, p)| *h = p * (1.0 - p));
        p[class as usize] -= 1.0;
    }
}

/// The best constant scores, given the share of each class: their logarithms, finite also for a class without rows.
pub fn start(shares: &[f64]) -> Vec<f64> {
    shares.iter().map(|s| s.max(1e-15).ln()).collect()
}

/// No eigenvalue of the Hessian exceeds it (Böhning, 1992).
pub const CURVATURE_BOUND: f64 = 0.5;

/// The proximal point `argmin_z step · loss(z, c) + ½ ‖z − v‖²` for a `step` above 0.
///
/// With `m = ln Σ e^z` given, each `z_j + step e^{z_j − m} = v_j + step [j = c]` is an equation in one unknown; `m` is
/// the root of `Σ e^{z_j − m} = 1`. Both by Newton's method within a bracket.
pub fn prox(v: &[f64], step: f64, class: usize) -> Result<Vec<f64>> {
    check(v, class)?;
    if !(step > 0.0 && step.is_finite()) {
        return Err(Error::param("prox", "step", "in (0, inf)", step));
    }
    if v.iter().any(|v| !v.is_finite()) {
        return Err(Error::numeric("the proximal point of the cross-entropy", "a score is not finite"));
    }
    let target = |j: usize| v[j] + step * f64::from(j == class);
    let z_at = |j: usize, m: f64| {
        let a = target(j);
        // With q = step · p ∈ (0, step], z = a − q.
        rising_root(a - step * (a - m).exp().min(1.0), a, |z| {
            let q = step * (z - m).exp();
            (z + q - a, 1.0 + q)
        })
    };
    let targets: Vec<f64> = (0..v.len()).map(target).collect();
    let top = log_sum_exp(&targets);
    // Each z lies within `step` below its target, so m lies within `step` below that of the targets.
    let m = rising_root(top - step, top, |m| {
        let (mut sum, mut slope) = (0.0, 0.0);
        for j in 0..v.len() {
            let p = (z_at(j, m) - m).exp();
            sum += p;
            slope += p / (1.0 + step * p);
        }
        (1.0 - sum, slope)
    });
    Ok((0..v.len()).map(|j| z_at(j, m)).collect())
}

/// The convex conjugate `sup_f u·f − loss(f, c)`: minus the entropy of `u + e_c` on the simplex, else infinite.
///
/// A sum within 1e-9 of 1 counts as on the simplex.
pub fn conjugate(u: &[f64], class: usize) -> Result<f64> {
    check(u, class)?;
    let q = |j: usize| u[j] + f64::from(j == class);
    let total: f64 = (0..u.len()).map(q).sum();
    if (total - 1.0).abs() > 1e-9 || (0..u.len()).any(|j| q(j).is_nan() || q(j) < -1e-12) {
        return Ok(f64::INFINITY);
    }
    Ok((0..u.len()).map(|j| q(j).max(0.0)).map(|q| if q == 0.0 { 0.0 } else { q * q.ln() }).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{below, normal, rng_for};

    fn cases() -> Vec<(Vec<f64>, usize)> {
        let mut rng = rng_for(11, 0);
        (0..60)
            .map(|i| {
                let k = 1 + i % 5;
                let scale = [1.0, 10.0, 300.0][i % 3];
                ((0..k).map(|_| scale * normal(&mut rng)).collect(), below(&mut rng, k))
            })
            .collect()
    }

    #[test]
    fn gradient_and_curvature_are_those_of_differences() {
        let h = 1e-5;
        for (f, c) in cases().into_iter().filter(|(f, _)| f.iter().all(|v| v.abs() < 50.0)) {
            let (g, curved) = (gradient(&f, c).unwrap(), curvature(&f, c).unwrap());
            for j in 0..f.len() {
                let at = |d: f64| {
                    let mut f = f.clone();
                    f[j] += d;
                    f
                };
                let slope = (value(&at(h), c).unwrap() - value(&at(-h), c).unwrap()) / (2.0 * h);
                assert!((slope - g[j]).abs() < 1e-8);
                let bend = (gradient(&at(h), c).unwrap()[j] - gradient(&at(-h), c).unwrap()[j]) / (2.0 * h);
                assert!((bend - curved[j]).abs() < 1e-8 && curved[j] <= CURVATURE_BOUND);
            }
            let (mut scores, mut h) = (f.clone(), vec![0.0; f.len()]);
            gradients(f.len(), &[c as u32], &mut scores, &mut h);
            assert_eq!((&scores, &h), (&g, &curved));
            for j in 0..f.len() {
                assert_eq!(partial(&mut f.clone(), c, j), (g[j], curved[j]));
            }
        }
    }

    #[test]
    fn the_start_is_least() {
        let shares = [0.2, 0.5, 0.3];
        let total = |f: &[f64]| (0..3).map(|c| shares[c] * value(f, c).unwrap()).sum::<f64>();
        let best = start(&shares);
        for c in 0..3 {
            for d in [-1e-3, 1e-3] {
                let mut other = best.clone();
                other[c] += d;
                assert!(total(&best) < total(&other));
            }
        }
        assert!(start(&[0.0, 1.0]).iter().all(|f| f.is_finite()));
    }

    #[test]
    fn the_proximal_point_is_stationary() {
        for (v, c) in cases() {
            for step in [1e-3, 0.7, 50.0] {
                let z = prox(&v, step, c).unwrap();
                let g = gradient(&z, c).unwrap();
                for j in 0..v.len() {
                    let off = z[j] - v[j] + step * g[j];
                    assert!(off.abs() <= 1e-10 * (1.0 + step + v[j].abs()), "{v:?} {c} {step}: {off}");
                }
            }
        }
        assert!(prox(&[0.0], 0.0, 0).is_err() && prox(&[f64::NAN], 1.0, 0).is_err());
    }

    #[test]
    fn fenchel_and_young() {
        let mut rng = rng_for(12, 0);
        for (f, c) in cases() {
            let g = gradient(&f, c).unwrap();
            let dot = |u: &[f64], f: &[f64]| u.iter().zip(f).map(|(u, f)| u * f).sum::<f64>();
            let gap = value(&f, c).unwrap() + conjugate(&g, c).unwrap() - dot(&g, &f);
            assert!(gap.abs() < 1e-9 * (1.0 + f.iter().map(|v| v.abs()).sum::<f64>()), "{f:?}: {gap}");
            let other: Vec<f64> = f.iter().map(|_| 3.0 * normal(&mut rng)).collect();
            let u = gradient(&other, c).unwrap();
            assert!(value(&f, c).unwrap() + conjugate(&u, c).unwrap() - dot(&u, &f) > -1e-9);
        }
        assert_eq!(conjugate(&[0.5, 0.5], 0).unwrap(), f64::INFINITY);
        assert!(value(&[], 0).is_err() && gradient(&[1.0], 1).is_err());
    }
}
