//! The problem and its solution.

use super::oracle::{Oracle, weighted_sums};
use mercer_core::{Result, Session, Termination};

/// min ½ βᵀKβ + qᵀβ  s.t.  l ≤ β ≤ h, sums of groups as at the start.
///
/// Variable t belongs to point t mod n: regression has two for each point, and K has the same value for both.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// q.
    pub(crate) linear: Vec<f64>,
    /// l.
    pub(crate) low: Vec<f64>,
    /// h.
    pub(crate) high: Vec<f64>,
    /// Whether a variable is of the second group, where there are two.
    pub(crate) second: Option<Vec<bool>>,
    /// Where β begins: within the bounds, with the sums that are wanted.
    pub(crate) start: Vec<f64>,
}

/// How the solution is sought.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The largest violation that is left.
    pub(crate) tol: f64,
    /// Whether points that are settled at a bound are left out.
    pub(crate) shrinking: bool,
    /// Memory for rows of the kernel.
    pub(crate) cache_bytes: usize,
    /// Most steps; none is no limit.
    pub(crate) max_iter: Option<u64>,
    /// The dual objective, times the largest k(x, x), at which bounds that are infinite are given up.
    pub(crate) unbounded: f64,
}

/// A point, and how it stands.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// The variables.
    pub(crate) beta: Vec<f64>,
    /// Kβ, for every point.
    pub(crate) sums: Vec<f64>,
    /// Steps.
    pub(crate) iterations: u64,
    pub(crate) termination: Termination,
    /// Where bounds are infinite and so is the minimum: two points that no margin tells apart, if such were met.
    pub(crate) unbounded: Option<Option<(usize, usize)>>,
}

impl Settings {
    /// Whether kernel values are kept as they are: where they are few, or where much is asked of them.
    pub(super) fn exact(&self, n: usize) -> bool {
        n <= 4096 || self.tol < 1e-4
    }
}

impl Solution {
    /// The point β.
    pub(crate) fn of<O: Oracle>(
        problem: &Problem,
        oracle: &O,
        beta: Vec<f64>,
        session: &Session,
    ) -> Result<Self> {
        let all: Vec<usize> = (0..oracle.len()).collect();
        let sums = problem.sums(oracle, &all, &beta, session)?;
        let termination = Termination::Converged;
        Ok(Self { beta, sums, iterations: 0, termination, unbounded: None })
    }
}

/// The slope range of one group: the smallest of what may grow, the largest of what may shrink.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) up: f64,
    pub(crate) down: f64,
}

impl Ends {
    pub(crate) const NONE: Self = Self { up: f64::INFINITY, down: f64::NEG_INFINITY };

    /// How much is violated: positive where something may grow that is steeper than something that may shrink.
    pub(crate) fn violation(self) -> f64 {
        if self.up.is_finite() && self.down.is_finite() { self.down - self.up } else { f64::NEG_INFINITY }
    }
}

impl Problem {
    /// How many variables a point has.
    pub(crate) fn copies(&self, n: usize) -> usize {
        self.linear.len() / n.max(1)
    }

    pub(crate) fn group(&self, t: usize) -> usize {
        self.second.as_ref().map_or(0, |s| usize::from(s[t]))
    }

    pub(crate) fn groups(&self) -> usize {
        1 + usize::from(self.second.is_some())
    }

    /// The violation that can be reached: `tol`, or what rounding leaves of sums of this size.
    pub(super) fn reach(&self, sums: &[f64], tol: f64) -> f64 {
        let largest = |values: &[f64]| values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        tol.max(1e-13 * (largest(sums) + largest(&self.linear)))
    }

    /// The coefficient of every point: the sum of its variables.
    pub(crate) fn coefficients(&self, n: usize, beta: &[f64]) -> Vec<f64> {
        let mut out = beta[..n].to_vec();
        beta.chunks(n.max(1)).skip(1).for_each(|c| out.iter_mut().zip(c).for_each(|(o, b)| *o += b));
        out
    }

    /// (Kβ)ᵢ for some points.
    pub(super) fn sums<O: Oracle>(
        &self,
        oracle: &O,
        points: &[usize],
        beta: &[f64],
        session: &Session,
    ) -> Result<Vec<f64>> {
        let all = self.coefficients(oracle.len(), beta);
        let support: Vec<usize> = (0..all.len()).filter(|&i| all[i] != 0.0).collect();
        let coefficients: Vec<f64> = support.iter().map(|&i| all[i]).collect();
        weighted_sums(oracle, points, &support, &coefficients, session)
    }

    /// The ends of each group, over some points.
    pub(crate) fn ends(&self, solution: &Solution, points: &[usize]) -> [Ends; 2] {
        let n = solution.sums.len();
        let mut ends = [Ends::NONE; 2];
        for copy in 0..self.copies(n) {
            for &i in points {
                let t = copy * n + i;
                let slope = solution.sums[i] + self.linear[t];
                let ends = &mut ends[self.group(t)];
                if solution.beta[t] < self.high[t] {
                    ends.up = ends.up.min(slope);
                }
                if solution.beta[t] > self.low[t] {
                    ends.down = ends.down.max(slope);
                }
            }
        }
        ends
    }

    pub(crate) fn violation(&self, solution: &Solution, points: &[usize]) -> f64 {
        let ends = self.ends(solution, points);
        ends[0].violation().max(ends[1].violation()).max(0.0)
    }

    /// Points that are not settled: one of their variables is free, or at a bound that it may have to leave.
    pub(super) fn unsettled(&self, solution: &Solution, points: &[usize]) -> Vec<usize> {
        let n = solution.sums.len();
        let ends = self.ends(solution, points);
        let open = |t: usize, i: usize| {
            let (b, slope) = (solution.beta[t], solution.sums[i] + self.linear[t]);
            let ends = ends[self.group(t)];
            let settled = (b <= self.low[t] && slope > ends.down) || (b >= self.high[t] && slope < ends.up);
            !settled
        };
        points.iter().copied().filter(|&i| (0..self.copies(n)).any(|c| open(c * n + i, i))).collect()
    }

    /// ½ βᵀKβ + qᵀβ.
    pub(crate) fn objective(&self, solution: &Solution) -> f64 {
        let n = solution.sums.len();
        let square = mercer_math::dot(&self.coefficients(n, &solution.beta), &solution.sums);
        0.5 * square + mercer_math::dot(&self.linear, &solution.beta)
    }

    /// The slope at which each group is balanced: the mean over its free variables, or the middle of what is allowed.
    pub(crate) fn balance(&self, solution: &Solution) -> Vec<f64> {
        let n = solution.sums.len();
        let all: Vec<usize> = (0..n).collect();
        let ends = self.ends(solution, &all);
        let one = |group: usize| {
            let (mut total, mut count) = (0.0, 0.0);
            for t in (0..self.linear.len()).filter(|&t| self.group(t) == group) {
                if solution.beta[t] > self.low[t] && solution.beta[t] < self.high[t] {
                    total += solution.sums[t % n] + self.linear[t];
                    count += 1.0;
                }
            }
            match (count > 0.0, ends[group].up.is_finite(), ends[group].down.is_finite()) {
                (true, ..) => total / count,
                (_, true, true) => 0.5 * (ends[group].up + ends[group].down),
                (_, true, false) => ends[group].up,
                (_, false, true) => ends[group].down,
                _ => 0.0,
            }
        };
        (0..self.groups()).map(one).collect()
    }
}
