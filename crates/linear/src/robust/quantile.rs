//! Linear quantile regression; at the quantile ½, least absolute deviations.
//!
//! # Objective
//! $$ \min_{w,b}\ \frac{1}{\sum_i s_i}\sum_i s_i\,\rho_\tau(y_i - x_i^\top w - b) + \alpha\lVert w\rVert_1,\qquad
//!    \rho_\tau(r) = r\,(\tau - [r < 0]) $$
//! with sample weights $s_i$ and the quantile $\tau$; the intercept $b$ is not penalised.
//!
//! # Algorithm
//! A linear programme: a primal-dual interior point with predictor and corrector (the penalty is one more row for each
//! coefficient), then the step onto the corner of the feasible set that is next to it, as many rows as coefficients that
//! are fitted exactly. Coefficients that no dual point can move from zero are left out before.
//!
//! # Complexity
//! O(n d² + d³) an iteration, about twenty of them; memory of a copy of the rows, sparse where they are.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::QuantileRegressor;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(9, 1, |i, _| i as f64);
//! let y: Vec<f64> = (0..9).map(|i| if i == 4 { 100.0 } else { 1.0 + 2.0 * i as f64 }).collect();
//! let model = QuantileRegressor::default().alpha(0.0).fit(&Dataset::new(&x).with_target(Target::real(y))?)?;
//! assert!((model.coef()[0] - 2.0).abs() < 1e-9 && (model.intercept() - 1.0).abs() < 1e-9);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The certificate holds a subgradient: the weights of rows that are fitted exactly are solved for within their bounds, and
//! what is left of the gradient is zero at an optimum, to rounding. Where there are several optima, one is given.
//!
//! # References
//! - R. Koenker, G. Bassett. Regression quantiles. Econometrica 46(1), 1978. doi:10.2307/1913643
//! - S. Portnoy, R. Koenker. The Gaussian hare and the Laplacian tortoise. Statist. Sci. 12(4), 1997.
//!   doi:10.1214/ss/1030037960

use super::interior_point::{Interior, Programme, interior_point, pinball};
use super::model::{RobustLoss, RobustModel};
use super::rows::Rows;
use crate::intercept::InterceptParams;
use crate::linear_model::larger;
use mercer_core::{
    Capabilities, Certificate, Choice, Dataset, Evidence, Learn, Params, Result, Session, Termination,
};
use mercer_math::{Mat, dot, lstsq};

/// Solvers by scikit-learn's names: all mean the interior point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum QuantileSolver {
    /// Whichever is best.
    Highs,
    /// Dual simplex.
    HighsDs,
    /// Interior point.
    HighsIpm,
    /// Interior point of old.
    InteriorPoint,
    /// Simplex of old.
    RevisedSimplex,
}

/// Linear quantile regression, exactly.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "quantile-regression",
    canon = "L1",
    task = Regression,
    python = "linear_model",
    tried = "alpha=0.01 | alpha=0,quantile=0.8",
    mixins = "SolverMixin",
    door = "solver_options=None",
    can = "weights sparse scaled explain",
    references = "Koenker, Bassett. Regression quantiles. Econometrica 46(1), 1978."
)]
pub struct QuantileRegressor {
    /// The quantile of the target that is predicted.
    #[param(default = 0.5, range = "(0, 1)", search = "linear 0.05..0.95")]
    pub quantile: f64,
    /// Strength of the L1 penalty.
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-4..1e1")]
    pub alpha: f64,
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// Names of scikit-learn's solvers; all reach the same optimum by the interior point.
    #[param(default = QuantileSolver::Highs)]
    pub solver: QuantileSolver,
}

impl Learn for QuantileRegressor {
    type Model = RobustModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RobustModel> {
        let problem = Pinball::of(Self::NAME, data, self.quantile, self.alpha, self.intercept.fit_intercept)?;
        let (u, found) = problem.solve(session);
        let certificate = problem.certificate(&u, &found);
        let linear = problem.rows.model(Self::NAME, &u, certificate)?;
        let loss = RobustLoss::Quantile { quantile: self.quantile, alpha: self.alpha };
        Ok(RobustModel { linear, loss })
    }

    /// Without a penalty the units of columns do not matter.
    fn capabilities(&self) -> Capabilities {
        Capabilities { scaled: self.alpha > 0.0, ..Self::declaration().capabilities }
    }
}

/// The name of the evidence.
const SUBGRADIENT: &str = "relative subgradient";

/// How a search ended.
pub(super) struct Found {
    termination: Termination,
    iterations: usize,
    /// The duality gap of the mean objective.
    gap: f64,
}

/// Quantile regression in the frame of its rows.
pub(super) struct Pinball {
    pub(super) rows: Rows,
    quantile: f64,
    /// The L1 penalty of each coefficient, zero for the intercept.
    penalty: Vec<f64>,
    /// Σ s |a| max(τ, 1−τ) of each column: no gradient is steeper.
    steepest: Vec<f64>,
}

impl Pinball {
    pub(super) fn of(
        who: &str,
        data: &Dataset<'_>,
        quantile: f64,
        alpha: f64,
        intercept: bool,
    ) -> Result<Self> {
        let rows = Rows::of(who, data, intercept)?;
        let most = quantile.max(1.0 - quantile);
        let pull: Vec<f64> = rows.weights.iter().map(|s| most * s).collect();
        let steepest = rows.a.most_back(&pull);
        let strength = alpha * rows.frame.weight;
        let own = rows.frame.unit.iter().map(|unit| strength / unit);
        let penalty = std::iter::repeat_n(0.0, rows.first()).chain(own).collect();
        Ok(Self { rows, quantile, penalty, steepest })
    }

    /// The optimum, and how the search ended.
    pub(super) fn solve(&self, session: &Session) -> (Vec<f64>, Found) {
        let (n, width) = (self.rows.y.len(), self.rows.a.n_cols());
        // Coefficients that no dual point can move from zero stay there; a penalty beneath rounding is none.
        let free: Vec<usize> = (0..width).filter(|&j| self.penalty[j] < self.steepest[j]).collect();
        let held: Vec<usize> =
            (0..free.len()).filter(|&k| self.penalty[free[k]] > 1e-16 * self.steepest[free[k]]).collect();
        let m = n + held.len();
        let a = self.rows.a.with_ones(&free, &held);
        let y: Vec<f64> = self.rows.y.iter().copied().chain(std::iter::repeat_n(0.0, held.len())).collect();
        let doubled = held.iter().map(|&k| 2.0 * self.penalty[free[k]]);
        let cost: Vec<f64> = self.rows.weights.iter().copied().chain(doubled).collect();
        let quantile: Vec<f64> = (0..m).map(|i| if i < n { self.quantile } else { 0.5 }).collect();
        let lp = Programme { a: &a, y: &y, cost: &cost, quantile: &quantile };
        let mut stopped = None;
        let found = interior_point(&lp, vec![0.0; free.len()], 1e-12, 200, |k, gap| {
            stopped = session.step("interior point", k as u64, None, Some(gap));
            stopped.is_some()
        });
        let corner = corner(&lp, &found);
        let cost_of = |u: &[f64]| objective(&lp, u);
        let u = corner.filter(|u| cost_of(u) <= cost_of(&found.u) * (1.0 + 1e-12) || !found.converged);
        let end = if u.is_some() || found.converged { Termination::Converged } else { Termination::Stalled };
        let mut all = vec![0.0; width];
        free.iter().zip(u.as_ref().unwrap_or(&found.u)).for_each(|(&j, v)| all[j] = *v);
        let (gap, iterations) = (found.gap * self.rows.unit() / self.rows.frame.weight, found.iterations);
        (all, Found { termination: stopped.unwrap_or(end), iterations, gap })
    }

    fn objective(&self, u: &[f64]) -> f64 {
        let left = self.rows.residuals(u);
        let loss =
            left.iter().zip(&self.rows.weights).map(|(r, s)| s * pinball(*r, self.quantile)).sum::<f64>();
        loss + u.iter().zip(&self.penalty).map(|(u, p)| p * u.abs()).sum::<f64>()
    }

    pub(super) fn certificate(&self, u: &[f64], ended: &Found) -> Certificate {
        let found = self.subgradient(u);
        let termination = match ended.termination {
            Termination::Converged if found.is_nan() || found > 1e-6 => Termination::Stalled,
            other => other,
        };
        let meaning = "largest entry of the least subgradient of the convex objective, each over the most it can be: zero at an exact optimum";
        Certificate::new(termination)
            .with_iterations(ended.iterations as u64)
            .with_note(format!("the interior point ended with a duality gap of {:.1e}", ended.gap))
            .with_objective(self.objective(u) / self.rows.frame.weight * self.rows.unit())
            .with_evidence(Evidence::residual(SUBGRADIENT, found, meaning))
    }

    pub(super) fn evidence(&self, u: &[f64]) -> Vec<(String, f64)> {
        vec![(SUBGRADIENT.to_owned(), self.subgradient(u))]
    }

    /// min ‖g + Σ_Z d_i a_i − e‖ over duals d of the rows with residual zero and e of the coefficients that are zero, each
    /// within its bounds: its largest entry, relative to the steepest that there could be. Solved without bounds, clipped,
    /// then mended one at a time, since the bounds are seldom met.
    fn subgradient(&self, u: &[f64]) -> f64 {
        let (r, q, tau) = (self.rows.residuals(u), u.len(), self.quantile);
        let size = 1e-9 * r.iter().chain(&self.rows.y).fold(0.0f64, |a, b| a.max(b.abs()));
        let known: Vec<f64> =
            r.iter()
                .zip(&self.rows.weights)
                .map(|(r, s)| {
                    if r.abs() <= size { s * (tau - 0.5) } else { s * (tau - f64::from(u8::from(*r < 0.0))) }
                })
                .collect();
        let mut g = self.rows.a.back(&known);
        g.iter_mut().zip(u.iter().zip(&self.penalty)).filter(|(_, (u, _))| **u != 0.0).for_each(
            |(g, (u, p))| {
                *g -= p * u.signum();
            },
        );
        g.iter_mut().zip(&self.steepest).for_each(|(g, s)| *g /= if *s > 0.0 { *s } else { 1.0 });
        // Free columns in the same units: rows fitted exactly move by half their weight about the middle.
        let mut columns: Vec<(Vec<f64>, f64)> = Vec::new();
        let unit = |j: usize| if self.steepest[j] > 0.0 { self.steepest[j] } else { 1.0 };
        for (i, _) in r.iter().enumerate().filter(|(_, r)| r.abs() <= size) {
            let row = self.rows.a.row(i);
            columns.push(((0..q).map(|j| row[j] / unit(j)).collect(), 0.5 * self.rows.weights[i]));
        }
        for j in (0..q).filter(|&j| u[j] == 0.0 && self.penalty[j] > 0.0) {
            columns.push(((0..q).map(|k| f64::from(u8::from(k == j)) / unit(j)).collect(), self.penalty[j]));
        }
        least_bounded(&mut g, &columns);
        g.iter().map(|g| g.abs()).fold(0.0, larger)
    }
}

/// Adds to g a combination of columns, each with a factor within ± its bound, that makes it short.
fn least_bounded(g: &mut [f64], columns: &[(Vec<f64>, f64)]) {
    if columns.is_empty() || columns.len() > 4000 {
        return;
    }
    let scaled = Mat::from_fn(g.len(), columns.len(), |j, k| columns[k].0[j] * columns[k].1);
    let right = Mat::from_fn(g.len(), 1, |j, _| -g[j]);
    let Some((free, _)) = lstsq(scaled.view(), right.view(), None) else { return };
    let mut d: Vec<f64> = free.into_vec().into_iter().map(|v| v.clamp(-1.0, 1.0)).collect();
    let of = |k: usize| (0..scaled.n_rows()).map(move |j| (j, k));
    d.iter().enumerate().for_each(|(k, d)| of(k).for_each(|at| g[at.0] += d * scaled[at]));
    for _ in 0..200 {
        let mut moved = 0.0f64;
        for (k, d) in d.iter_mut().enumerate() {
            let own = scaled.col(k);
            let (along, square) = (dot(&own, g), dot(&own, &own));
            if square > 0.0 {
                let next = (*d - along / square).clamp(-1.0, 1.0);
                mercer_math::axpy(next - *d, &own, g);
                moved = moved.max((next - *d).abs());
                *d = next;
            }
        }
        if moved < 1e-12 {
            break;
        }
    }
}

fn objective(lp: &Programme<'_>, u: &[f64]) -> f64 {
    let fitted = lp.a.times(u);
    (0..lp.y.len()).map(|i| lp.cost[i] * pinball(lp.y[i] - fitted[i], lp.quantile[i])).sum()
}

/// The corner next to an interior point: as many independent rows as coefficients, those whose duals are furthest inside
/// of their bounds, fitted exactly. Penalty rows that are among them hold their coefficient at exactly zero.
fn corner(lp: &Programme<'_>, found: &Interior) -> Option<Vec<f64>> {
    let q = lp.a.n_cols();
    let mut order: Vec<usize> = (0..lp.y.len()).collect();
    order.sort_by(|&i, &j| found.inner[j].total_cmp(&found.inner[i]).then(i.cmp(&j)));
    let (mut chosen, mut basis): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for i in order.into_iter().take(20 * q + 100) {
        if chosen.len() == q {
            break;
        }
        let mut left = lp.a.row(i);
        let before = dot(&left, &left).sqrt();
        for _ in 0..2 {
            basis.iter().for_each(|b| mercer_math::axpy(-dot(b, &left), b, &mut left));
        }
        let after = dot(&left, &left).sqrt();
        if after > 1e-9 * before && before > 0.0 {
            left.iter_mut().for_each(|v| *v /= after);
            basis.push(left);
            chosen.push(i);
        }
    }
    if chosen.len() < q {
        return None;
    }
    let own: Vec<Vec<f64>> = chosen.iter().map(|&i| lp.a.row(i)).collect();
    let rows = Mat::from_fn(q, q, |i, j| own[i][j]);
    let right = Mat::from_fn(q, 1, |i, _| lp.y[chosen[i]]);
    let mut u = lstsq(rows.view(), right.view(), None)?.0.into_vec();
    // A row of the penalty has a single one and the target zero.
    for (&i, row) in chosen.iter().zip(&own) {
        let ones = row.iter().filter(|v| **v != 0.0).count();
        if ones == 1 && lp.y[i] == 0.0 {
            row.iter().zip(&mut u).filter(|(a, _)| **a != 0.0).for_each(|(_, u)| *u = 0.0);
        }
    }
    Some(u)
}
