//! Quantile regression as a linear programme.

use super::design::Design;
use super::rows::solve;
use mercer_math::dot;

/// Rows a, targets y, and for each row a cost c and a quantile τ.
pub(super) struct Programme<'a> {
    pub(super) a: &'a Design,
    pub(super) y: &'a [f64],
    pub(super) cost: &'a [f64],
    pub(super) quantile: &'a [f64],
}

/// Where the interior point ended.
pub(super) struct Interior {
    pub(super) u: Vec<f64>,
    /// The dual of each row over its cost: how far its residual is from either sign, in [0, 1].
    pub(super) inner: Vec<f64>,
    pub(super) gap: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

/// State of the iteration: residuals are p − q, duals are z with s = c − z.
struct State {
    u: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    z: Vec<f64>,
    s: Vec<f64>,
}

/// Primal-dual interior point with predictor and corrector.
///
///   min_u Σ c ρ_τ(y − Au),   ρ_τ(r) = r (τ − [r < 0]);   dual: max yᵀ(z − c(1−τ))  s.t.  Aᵀz = Aᵀc(1−τ), 0 ≤ z ≤ c
///
/// Stops when the duality gap is below `tol` times the objective of u = 0, at `limit` iterations, or when `stop` says so.
/// S. Portnoy, R. Koenker, The Gaussian hare and the Laplacian tortoise, Statist. Sci. 12(4), 1997, doi:10.1214/ss/1030037960;
/// S. Mehrotra, SIAM J. Optim. 2(4), 1992, doi:10.1137/0802028.
pub(super) fn interior_point(
    lp: &Programme<'_>,
    start: Vec<f64>,
    tol: f64,
    limit: usize,
    mut stop: impl FnMut(usize, f64) -> bool,
) -> Interior {
    let n = lp.y.len();
    let mut at = begin(lp, start);
    let scale = (0..n).map(|i| lp.cost[i] * pinball(lp.y[i], lp.quantile[i])).sum::<f64>();
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let right = lp.a.back(&(0..n).map(|i| lp.cost[i] * (1.0 - lp.quantile[i])).collect::<Vec<_>>());
    let (mut iterations, mut converged, mut best) = (0, false, f64::INFINITY);
    while iterations < limit {
        let gap = dot(&at.p, &at.s) + dot(&at.q, &at.z);
        let fitted = lp.a.times(&at.u);
        let off: Vec<f64> = (0..n).map(|i| lp.y[i] - fitted[i] - at.p[i] + at.q[i]).collect();
        let infeasible = (0..n).map(|i| lp.cost[i] * off[i].abs()).sum::<f64>();
        best = gap;
        if gap + infeasible <= tol * scale {
            converged = true;
            break;
        }
        if stop(iterations, gap / scale) || !gap.is_finite() || !step(lp, &mut at, &off, &right) {
            break;
        }
        iterations += 1;
    }
    let inner = (0..n).map(|i| at.z[i].min(at.s[i]) / lp.cost[i]).collect();
    Interior { u: at.u, inner, gap: best, iterations, converged }
}

pub(super) fn pinball(r: f64, quantile: f64) -> f64 {
    if r < 0.0 { (quantile - 1.0) * r } else { quantile * r }
}

/// Duals at the quantiles, residuals of the start with room on both sides.
fn begin(lp: &Programme<'_>, u: Vec<f64>) -> State {
    let fitted = lp.a.times(&u);
    let r: Vec<f64> = lp.y.iter().zip(&fitted).map(|(y, f)| y - f).collect();
    let room = 0.1 * r.iter().map(|v| v.abs()).sum::<f64>() / r.len().max(1) as f64 + 1e-12;
    State {
        u,
        p: r.iter().map(|v| v.max(0.0) + room).collect(),
        q: r.iter().map(|v| (-v).max(0.0) + room).collect(),
        z: lp.cost.iter().zip(lp.quantile).map(|(c, t)| c * (1.0 - t)).collect(),
        s: lp.cost.iter().zip(lp.quantile).map(|(c, t)| c * t).collect(),
    }
}

/// One step; `false` where the equations cannot be solved.
fn step(lp: &Programme<'_>, at: &mut State, off: &[f64], right: &[f64]) -> bool {
    let n = lp.y.len();
    let d: Vec<f64> = (0..n).map(|i| 1.0 / (at.p[i] / at.s[i] + at.q[i] / at.z[i])).collect();
    let (h, az) = (lp.a.gram(&d), lp.a.back(&at.z));
    // Targets of p·s and q·z, by row.
    let direction = |ps: &dyn Fn(usize) -> f64, qz: &dyn Fn(usize) -> f64| -> Option<(Vec<f64>, Vec<f64>)> {
        let g: Vec<f64> =
            (0..n).map(|i| off[i] - (ps(i) / at.s[i] - at.p[i]) + (qz(i) / at.z[i] - at.q[i])).collect();
        let dg: Vec<f64> = d.iter().zip(&g).map(|(d, g)| d * g).collect();
        let mut b = lp.a.back(&dg);
        b.iter_mut().zip(right.iter().zip(&az)).for_each(|(b, (r, a))| *b -= r - a);
        let du = solve(&h, &b)?;
        let moved = lp.a.times(&du);
        let dz = (0..n).map(|i| d[i] * (g[i] - moved[i])).collect();
        Some((du, dz))
    };
    let lengths = |dz: &[f64], dp: &[f64], dq: &[f64]| {
        let (mut primal, mut dual) = (1.0f64, 1.0f64);
        let room = |v: f64, dv: f64, best: f64| if dv < 0.0 { best.min(-v / dv) } else { best };
        for i in 0..n {
            primal = room(at.q[i], dq[i], room(at.p[i], dp[i], primal));
            dual = room(at.s[i], -dz[i], room(at.z[i], dz[i], dual));
        }
        (primal, dual)
    };
    let follow = |dz: &[f64], ps: &dyn Fn(usize) -> f64, qz: &dyn Fn(usize) -> f64| {
        let dp: Vec<f64> = (0..n).map(|i| (ps(i) - at.p[i] * at.s[i] + at.p[i] * dz[i]) / at.s[i]).collect();
        let dq: Vec<f64> = (0..n).map(|i| (qz(i) - at.q[i] * at.z[i] - at.q[i] * dz[i]) / at.z[i]).collect();
        (dp, dq)
    };
    let Some((_, dz)) = direction(&|_| 0.0, &|_| 0.0) else { return false };
    let (dp, dq) = follow(&dz, &|_| 0.0, &|_| 0.0);
    let (primal, dual) = lengths(&dz, &dp, &dq);
    let now = dot(&at.p, &at.s) + dot(&at.q, &at.z);
    let then: f64 = (0..n)
        .map(|i| {
            (at.p[i] + primal * dp[i]) * (at.s[i] - dual * dz[i])
                + (at.q[i] + primal * dq[i]) * (at.z[i] + dual * dz[i])
        })
        .sum();
    let mu = now / (2 * n) as f64 * (then / now).clamp(0.0, 1.0).powi(3);
    let ps = |i: usize| mu + dp[i] * dz[i];
    let qz = |i: usize| mu - dq[i] * dz[i];
    let Some((du, step_z)) = direction(&ps, &qz) else { return false };
    let (step_p, step_q) = follow(&step_z, &ps, &qz);
    let (primal, dual) = lengths(&step_z, &step_p, &step_q);
    let (primal, dual) = ((0.9995 * primal).min(1.0), (0.9995 * dual).min(1.0));
    mercer_math::axpy(primal, &du, &mut at.u);
    mercer_math::axpy(primal, &step_p, &mut at.p);
    mercer_math::axpy(primal, &step_q, &mut at.q);
    mercer_math::axpy(dual, &step_z, &mut at.z);
    mercer_math::axpy(-dual, &step_z, &mut at.s);
    at.u.iter().all(|v| v.is_finite())
}
