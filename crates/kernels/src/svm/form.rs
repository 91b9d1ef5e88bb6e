//! The five forms of the problem, and what becomes of their solutions.

use super::solver::{Oracle, Problem, Settings, Solution, solve};
use mercer_core::{Error, Result, Session, Termination};
use serde::{Deserialize, Serialize};

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Form {
    /// Two classes, with the cost C of what lies within the margin.
    Classes {
        /// C.
        c: f64,
    },
    /// Two classes, with the share ν of support vectors.
    NuClasses {
        /// ν.
        nu: f64,
    },
    /// Numbers, with the cost C of what lies beyond a tube of half width ε.
    Numbers {
        /// C.
        c: f64,
        /// ε.
        epsilon: f64,
    },
    /// Numbers, with a tube that leaves the share ν outside.
    NuNumbers {
        /// C.
        c: f64,
        /// ν.
        nu: f64,
    },
    /// Rows without a target, of which the share ν may lie beyond.
    OneClass {
        /// ν.
        nu: f64,
    },
}

/// A squared length in the kernel's space that is this share of its terms is rounding alone.
const MARGINLESS: f64 = 1e-12;
/// Sums in another order differ by less than this share of the largest.
const ROUNDING: f64 = 1e-12;

/// A decision function Σ cᵢ k(xᵢ, x) + b, and how it stands.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    /// The coefficient of each point.
    pub(crate) coefficients: Vec<f64>,
    pub(crate) intercept: f64,
    /// What the dual variables were divided by.
    pub(crate) scale: f64,
    /// The first of a point's two variables, where their sum does not tell them.
    pub(crate) first: Vec<f64>,
    pub(crate) standing: Standing,
    pub(crate) iterations: u64,
    pub(crate) termination: Termination,
}

/// The numbers that prove a solution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    /// The dual objective, to be made large.
    pub(crate) dual: f64,
    /// The objective less the dual one.
    pub(crate) gap: f64,
    /// The objective of a constant.
    pub(crate) size: f64,
    /// The largest violation of the optimality conditions.
    pub(crate) violation: f64,
    /// The size of slopes.
    pub(crate) unit: f64,
    /// |w|² in feature space, of the decision function.
    pub(crate) square: f64,
    /// Support vectors at a bound, and between.
    pub(crate) bounded: usize,
    pub(crate) free: usize,
}

impl Standing {
    /// Both problems together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            dual: self.dual + other.dual,
            gap: self.gap + other.gap,
            size: self.size + other.size,
            violation: larger(self.violation, other.violation),
            unit: self.unit.max(other.unit),
            square: larger(self.square, other.square),
            bounded: self.bounded + other.bounded,
            free: self.free + other.free,
        }
    }

    pub(crate) fn relative_gap(&self) -> f64 {
        if self.gap == 0.0 { 0.0 } else { self.gap / self.size.max(self.dual.abs()) }
    }
}

/// The larger of two, or what is not a number.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

impl Form {
    /// Whether bounds are infinite: no row may lie within the margin.
    pub(crate) fn is_hard(&self) -> bool {
        matches!(self, Form::Classes { c } if c.is_infinite())
    }

    /// The problem that targets (±1, numbers, or anything for one class) and weights pose.
    pub(crate) fn pose(&self, owner: &str, y: &[f64], weights: &[f64]) -> Result<Problem> {
        let n = y.len();
        let total: f64 = weights.iter().sum();
        let times =
            |c: f64| -> Vec<f64> { weights.iter().map(|w| if *w > 0.0 { c * w } else { 0.0 }).collect() };
        let signed = |costs: &[f64], sign: f64| -> Vec<f64> {
            costs.iter().zip(y).map(|(c, y)| if *y == sign { sign * c } else { 0.0 }).collect()
        };
        Ok(match *self {
            Form::Classes { c } => {
                let costs = times(c);
                let linear = y.iter().map(|y| -y).collect();
                let (low, high) = (signed(&costs, -1.0), signed(&costs, 1.0));
                Problem { linear, low, high, second: None, start: vec![0.0; n] }
            }
            Form::NuClasses { nu } => {
                let costs = times(1.0);
                let (low, high) = (signed(&costs, -1.0), signed(&costs, 1.0));
                let start = fill(&high, 0.5 * nu * total)
                    .zip(fill(&low.iter().map(|l| -l).collect::<Vec<_>>(), 0.5 * nu * total));
                let Some((up, down)) = start else {
                    let allowed = "a share of support vectors that both classes have rows for (the specified nu is infeasible)";
                    return Err(Error::param(owner, "nu", allowed, nu));
                };
                let start = up.iter().zip(&down).map(|(u, d)| u - d).collect();
                let second = Some(y.iter().map(|y| *y < 0.0).collect());
                Problem { linear: vec![0.0; n], low, high, second, start }
            }
            Form::Numbers { c, epsilon } => {
                let costs = times(c);
                let linear = y.iter().map(|y| epsilon - y).chain(y.iter().map(|y| -epsilon - y)).collect();
                let (low, high) = tube(&costs);
                Problem { linear, low, high, second: None, start: vec![0.0; 2 * n] }
            }
            Form::NuNumbers { c, nu } => {
                let costs = times(c);
                let linear = y.iter().chain(y).map(|y| -y).collect();
                let (low, high) = tube(&costs);
                let up = fill(&costs, 0.5 * nu * c * total).unwrap_or_else(|| costs.clone());
                let start = up.iter().copied().chain(up.iter().map(|u| -u)).collect();
                let second = Some((0..2 * n).map(|t| t >= n).collect());
                Problem { linear, low, high, second, start }
            }
            Form::OneClass { nu } => {
                let high = times(1.0);
                let start = fill(&high, nu * total).unwrap_or_else(|| high.clone());
                Problem { linear: vec![0.0; n], low: vec![0.0; n], high, second: None, start }
            }
        })
    }

    /// The same form for some of the rows, with a share that both of their classes have rows for.
    pub(crate) fn within(&self, y: &[f64], weights: &[f64]) -> Self {
        let of = |sign: f64| y.iter().zip(weights).filter(|(y, _)| **y == sign).map(|(_, w)| w).sum::<f64>();
        match *self {
            Form::NuClasses { nu } => {
                let (up, down) = (of(1.0), of(-1.0));
                Form::NuClasses { nu: nu.min(2.0 * up.min(down) / (up + down)) }
            }
            form => form,
        }
    }

    /// Solves.
    pub(crate) fn solve<O: Oracle>(
        &self,
        owner: &str,
        oracle: &O,
        (y, weights): (&[f64], &[f64]),
        settings: &Settings,
        session: &Session,
    ) -> Result<Solved> {
        let problem = self.pose(owner, y, weights)?;
        let found = solve(oracle, &problem, settings, session)?;
        if let Some(pair) = found.unbounded {
            return Err(inseparable(owner, pair, problem.objective(&found)));
        }
        let n = y.len();
        let balance = self.balance(&problem, &found);
        let (intercept, scale) = self.threshold(&balance);
        let standing = self.stand(&problem, &found, &balance);
        if self.is_hard() && !standing.gap.is_finite() && found.termination == Termination::IterationLimit {
            return Err(inseparable(owner, None, -standing.dual));
        }
        self.check_margin(owner, &problem, &found, oracle)?;
        // Where rounding of the sums outweighs the target, nothing was learnt of it.
        let largest = |values: &[f64]| values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let noise = f64::EPSILON * largest(&found.beta) * largest(&oracle.diagonal());
        let numbers = matches!(self, Form::Numbers { .. } | Form::NuNumbers { .. });
        let drowned = numbers && noise > largest(&problem.linear);
        let gap = if self.is_hard() { 0.0 } else { standing.gap };
        let known = [standing.dual, gap, standing.violation, intercept, 1.0 / scale];
        if drowned || !known.iter().all(|v| v.is_finite()) {
            return Err(Error::numeric(
                owner,
                "kernel values are too large, or all the same: scale the features or the target",
            ));
        }
        let coefficients = problem.coefficients(n, &found.beta).into_iter().map(|c| c / scale).collect();
        let first =
            if matches!(self, Form::NuNumbers { .. }) { found.beta[..n].to_vec() } else { Vec::new() };
        let (iterations, termination) = (found.iterations, found.termination);
        Ok(Solved {
            coefficients,
            intercept: intercept / scale,
            scale,
            first,
            standing,
            iterations,
            termination,
        })
    }

    /// Where two classes share so many rows that ν allows too few errors, the points of their hulls that are nearest are the same:
    /// nothing is left that could be divided by.
    fn check_margin<O: Oracle>(
        &self,
        owner: &str,
        problem: &Problem,
        at: &Solution,
        oracle: &O,
    ) -> Result<()> {
        let Form::NuClasses { nu } = *self else { return Ok(()) };
        let terms: f64 = at.beta.iter().map(|b| b.abs()).sum();
        let largest = oracle.diagonal().into_iter().fold(0.0f64, |m, d| m.max(d.abs()));
        let square = 2.0 * problem.objective(at);
        // The other way round, so that what is no number is told of by whoever looks at the rest.
        match square <= MARGINLESS * terms * terms * largest && at.termination == Termination::Converged {
            true => {
                let allowed =
                    "larger: so small a share of errors leaves no margin between classes that overlap";
                Err(Error::param(owner, "nu", allowed, nu))
            }
            false => Ok(()),
        }
    }

    /// The slope at which each group is balanced. Rows on the surface of one class are within: it lies at the least of them,
    /// where rounding does not reach.
    fn balance(&self, problem: &Problem, at: &Solution) -> Vec<f64> {
        let mut balance = problem.balance(at);
        if let (Form::OneClass { .. }, [one]) = (self, &mut balance[..]) {
            let free = |&t: &usize| at.beta[t] > problem.low[t] && at.beta[t] < problem.high[t];
            let least = (0..at.beta.len()).filter(free).map(|t| at.sums[t]).fold(f64::INFINITY, f64::min);
            let largest = at.sums.iter().fold(0.0f64, |m, s| m.max(s.abs()));
            *one = one.min(least) - ROUNDING * largest;
        }
        balance
    }

    /// The intercept of the decision function, and what it is divided by.
    fn threshold(&self, balance: &[f64]) -> (f64, f64) {
        match (self, balance) {
            // Both groups are balanced at ±r about the threshold: r is the margin in units of the dual.
            // Of a solution that was stopped early it need not be positive yet.
            (Form::NuClasses { .. }, [up, down]) => {
                (-0.5 * (up + down), if up > down { 0.5 * (up - down) } else { 1.0 })
            }
            (_, [up, down]) => (-0.5 * (up + down), 1.0),
            (_, [one]) => (-one, 1.0),
            _ => (0.0, 1.0),
        }
    }

    /// How a point of the dual stands. With slopes g about the balance, the gap is Σ βg − min over the bounds of the same.
    pub(crate) fn stand(&self, problem: &Problem, at: &Solution, balance: &[f64]) -> Standing {
        let n = at.sums.len();
        let all: Vec<usize> = (0..n).collect();
        let dual = -problem.objective(at);
        let coefficients = problem.coefficients(n, &at.beta);
        let square = mercer_math::dot(&coefficients, &at.sums);
        let best = |t: usize, slope: f64| slope * if slope > 0.0 { problem.low[t] } else { problem.high[t] };
        let (mut gap, mut size, mut unit) = (0.0, 0.0, 0.0f64);
        for t in (0..problem.linear.len()).filter(|&t| problem.low[t] < problem.high[t]) {
            let about = problem.linear[t] - balance[problem.group(t)];
            let slope = at.sums[t % n] + about;
            if at.beta[t] != 0.0 || slope != 0.0 {
                gap += at.beta[t] * slope - if slope == 0.0 { 0.0 } else { best(t, slope) };
            }
            size -= if about == 0.0 { 0.0 } else { best(t, about) };
            unit = unit.max(about.abs());
        }
        if self.is_hard() {
            (gap, size) = hard_gap(problem, at, balance, square, dual);
        }
        let scale = self.threshold(balance).1;
        let support = |open: bool| {
            let free = |t: usize| at.beta[t] > problem.low[t] && at.beta[t] < problem.high[t];
            let copies = problem.copies(n);
            let holds = |i: &usize| (0..copies).any(|c| at.beta[c * n + i] != 0.0 && free(c * n + i) == open);
            (0..n).filter(|&i| coefficients[i] != 0.0).filter(holds).count()
        };
        // In units of the margin, as the decision function has them.
        let (violation, unit) = (problem.violation(at, &all) / scale, unit / scale);
        let square = square / (scale * scale);
        let gap = if gap < 0.0 { 0.0 } else { gap };
        Standing { dual, gap, size, violation, unit, square, bounded: support(false), free: support(true) }
    }

    /// How coefficients of a model stand on data: the dual point that they come from, and its slopes.
    pub(crate) fn restand<O: Oracle>(
        &self,
        owner: &str,
        oracle: &O,
        (y, weights): (&[f64], &[f64]),
        (coefficients, scale, first): (&[f64], f64, &[f64]),
        session: &Session,
    ) -> Result<Standing> {
        let problem = self.pose(owner, y, weights)?;
        let n = y.len();
        let own = || coefficients.iter().map(|c| c * scale);
        let mut beta: Vec<f64> = match (problem.copies(n), first.is_empty()) {
            (2, true) => own().map(|c| c.max(0.0)).chain(own().map(|c| c.min(0.0))).collect(),
            (2, false) => first.iter().copied().chain(own().zip(first).map(|(c, f)| c - f)).collect(),
            _ => own().collect(),
        };
        // What was divided and multiplied again is at its bound still.
        for (b, (low, high)) in beta.iter_mut().zip(problem.low.iter().zip(&problem.high)) {
            let near = |end: f64| end.is_finite() && (*b - end).abs() <= 1e-12 * end.abs();
            *b = if near(*low) {
                *low
            } else if near(*high) {
                *high
            } else {
                *b
            };
        }
        let at = Solution::of(&problem, oracle, beta, session)?;
        let balance = self.balance(&problem, &at);
        Ok(self.stand(&problem, &at, &balance))
    }

    /// Settings of the solver for this form and so many rows. What has no limit has that of LIBSVM, a tenth of it where no
    /// solution may exist.
    pub(crate) fn settings(&self, base: &Settings, n: usize) -> Settings {
        let limit = |most: u64| base.max_iter.or(Some(most.max(100 * n as u64)));
        match self.is_hard() {
            // Where no margin exists the dual grows for ever, and rows at a bound of zero may all be needed again.
            true => Settings { max_iter: limit(1_000_000), shrinking: false, unbounded: 1e8, ..*base },
            false => Settings { max_iter: limit(10_000_000), ..*base },
        }
    }
}

/// (½|w|²/m² − dual, ½|w|²), where m is the smallest margin: w/m keeps every row out of the margin.
fn hard_gap(problem: &Problem, at: &Solution, balance: &[f64], square: f64, dual: f64) -> (f64, f64) {
    let n = at.sums.len();
    let sides = (0..n).filter(|&t| problem.low[t] < problem.high[t]);
    let margin = sides.map(|t| -problem.linear[t] * (at.sums[t] - balance[0])).fold(f64::INFINITY, f64::min);
    let gap = if margin > 0.0 { 0.5 * square / (margin * margin) - dual } else { f64::INFINITY };
    (gap, 0.5 * square)
}

fn tube(costs: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let zeros = vec![0.0; costs.len()];
    let low = zeros.iter().copied().chain(costs.iter().map(|c| -c)).collect();
    (low, [costs, &zeros].concat())
}

/// Fills the first bounds until they have a sum; `None` where they have not so much.
fn fill(bounds: &[f64], mut sum: f64) -> Option<Vec<f64>> {
    let slack = 1e-12 * sum;
    let take = |b: &f64| {
        let part = b.min(sum);
        sum -= part;
        part
    };
    let out = bounds.iter().map(take).collect();
    (sum <= slack).then_some(out)
}

/// The verdict on classes that a margin of any width was asked for.
fn inseparable(owner: &str, pair: Option<(usize, usize)>, objective: f64) -> Error {
    let why = match pair {
        Some((i, j)) => format!("rows {i} and {j} of the two classes are the same point to the kernel"),
        None => format!(
            "by duality no margin above {:.1e} exists in the kernel's space",
            (-0.5 / objective).sqrt()
        ),
    };
    Error::numeric(
        owner,
        format!("the classes cannot be separated as far as numbers tell: {why}; a finite C allows errors"),
    )
}
