//! Dual coordinate descent for machines with an L2 penalty.

use super::problem::Problem;
use crate::points::Points;
use mercer_core::{Session, Termination};
use mercer_math::{Rng, prefetch, shuffle};

/// What ends a descent.
pub(crate) struct Budget<'s> {
    pub(crate) tol: f64,
    pub(crate) max_iter: usize,
    pub(crate) session: &'s Session,
}

/// What a descent found.
pub(crate) struct Descent {
    pub(crate) w: Vec<f64>,
    /// The dual variables; empty where a solver has none.
    pub(crate) beta: Vec<f64>,
    pub(crate) iterations: usize,
    pub(crate) termination: Termination,
}

/// One dual variable with all that a visit reads: they lie together, since visits come in random order.
struct Coordinate {
    beta: f64,
    low: f64,
    high: f64,
    target: f64,
    /// λ, the curvature of the conjugate loss.
    ridge: f64,
    /// |x|² + λ.
    curvature: f64,
}

/// How many rows ahead memory is asked for.
const AHEAD: usize = 4;

/// min_β ½|Σ βᵢxᵢ|² − Σ yᵢβᵢ + ε Σ|βᵢ| + ½ Σ λᵢβᵢ²   s.t.  lᵢ ≤ βᵢ ≤ uᵢ
///
/// Classes have yᵢβᵢ in [0, cᵢ], numbers βᵢ in [−cᵢ, cᵢ], with λ = 0; squared losses have no upper bounds and λᵢ = 1/2cᵢ.
/// Returns w = Σ βᵢxᵢ. Each visit solves for one variable exactly; variables that sit at a kink or bound and are pushed into
/// it by more than the last pass was violated anywhere are left out until the others have converged (shrinking). Stops, for
/// classes, when the largest violations upwards and downwards add up to `tol`, for numbers when all violations do to `tol`
/// times those of the first pass.
///
/// Algorithm 3 of Hsieh, Chang, Lin, Keerthi, Sundararajan, ICML 2008; for numbers Ho, Lin, JMLR 13, 2012.
pub(crate) fn descend<P: Points>(
    points: &P,
    problem: &Problem,
    budget: &Budget<'_>,
    mut rng: Rng,
) -> Descent {
    let mut coords = coordinates(points, problem);
    let mut w = vec![0.0; points.width()];
    let mut order: Vec<u32> = (0..points.n() as u32).filter(|&i| problem.costs[i as usize] > 0.0).collect();
    let all = order.len();
    let (mut active, mut bounds, mut first) = (all, [f64::INFINITY; 2], None);
    let (mut iterations, mut termination) = (0, Termination::IterationLimit);
    while iterations < budget.max_iter {
        shuffle(&mut rng, &mut order[..active]);
        let pass = visit_all(points, &mut coords, &mut w, (&mut order, &mut active), problem.epsilon, bounds);
        iterations += 1;
        let done = match problem.classes {
            true => pass.worst[0] + pass.worst[1] <= budget.tol,
            false => pass.total <= budget.tol * *first.get_or_insert(pass.total),
        };
        if done && active == all {
            termination = Termination::Converged;
            break;
        }
        if done {
            (active, bounds) = (all, [f64::INFINITY; 2]);
        } else {
            bounds = pass.worst.map(|v| if v > 0.0 { v } else { f64::INFINITY });
        }
        let told = budget.session.step("pass", iterations as u64, Some(budget.max_iter as u64), None);
        if let Some(why) = told {
            termination = why;
            break;
        }
    }
    // Summed anew, so that what many steps have left to rounding is gone.
    w.fill(0.0);
    let moved = coords.iter().enumerate().filter(|(_, c)| c.beta != 0.0);
    moved.for_each(|(i, c)| points.add(i, c.beta, &mut w));
    Descent { w, beta: coords.iter().map(|c| c.beta).collect(), iterations, termination }
}

fn coordinates<P: Points>(points: &P, problem: &Problem) -> Vec<Coordinate> {
    let one = |i: usize| {
        let (target, cost) = (problem.targets[i], problem.costs[i]);
        let (ridge, top) = match (problem.squared, cost > 0.0) {
            (true, true) => (0.5 / cost, f64::INFINITY),
            _ => (0.0, cost),
        };
        let (low, high) = match problem.classes {
            true if target > 0.0 => (0.0, top),
            true => (-top, 0.0),
            false => (-top, top),
        };
        Coordinate { beta: 0.0, low, high, target, ridge, curvature: points.norm2(i) + ridge }
    };
    (0..points.n()).map(one).collect()
}

/// What a pass met: the largest violation upwards and downwards, and the sum of all.
struct Pass {
    worst: [f64; 2],
    total: f64,
}

/// One visit of each active variable. `bounds` are the largest violations of the last pass, upwards and downwards.
fn visit_all<P: Points>(
    points: &P,
    coords: &mut [Coordinate],
    w: &mut [f64],
    (order, active): (&mut [u32], &mut usize),
    epsilon: f64,
    bounds: [f64; 2],
) -> Pass {
    let mut pass = Pass { worst: [0.0; 2], total: 0.0 };
    let mut s = 0;
    while s < *active {
        if let Some(&next) = order.get(s + AHEAD) {
            points.prefetch(next as usize);
            prefetch(coords, next as usize);
        }
        let i = order[s] as usize;
        let c = &mut coords[i];
        let slope = points.dot(i, w) - c.target + c.ridge * c.beta;
        // The derivatives to the right and to the left.
        let right = slope + if c.beta >= 0.0 { epsilon } else { -epsilon };
        let left = slope + if c.beta > 0.0 { epsilon } else { -epsilon };
        let (up, down) = (c.beta < c.high, c.beta > c.low);
        let violation = if up && right < 0.0 {
            pass.worst[0] = pass.worst[0].max(-right);
            -right
        } else if down && left > 0.0 {
            pass.worst[1] = pass.worst[1].max(left);
            left
        } else {
            // Pushed into its place by more than anything was pushed out of one.
            if (!up || right > bounds[1]) && (!down || -left > bounds[0]) {
                *active -= 1;
                order.swap(s, *active);
                continue;
            }
            0.0
        };
        pass.total += violation;
        if violation > 0.0 {
            let next = c.minimiser(slope, epsilon);
            let step = next - c.beta;
            c.beta = next;
            if step != 0.0 {
                points.add(i, step, w);
            }
        }
        s += 1;
    }
    pass
}

impl Coordinate {
    /// The best value of this variable, all others left as they are. Where nothing is curved, a bound.
    #[inline(always)]
    fn minimiser(&self, slope: f64, epsilon: f64) -> f64 {
        let next = if self.curvature > 0.0 {
            let free = self.beta - slope / self.curvature;
            free.signum() * (free.abs() - epsilon / self.curvature).max(0.0)
        } else if slope < -epsilon {
            self.high
        } else if slope > epsilon {
            self.low
        } else {
            0.0
        };
        next.clamp(self.low, self.high)
    }
}
