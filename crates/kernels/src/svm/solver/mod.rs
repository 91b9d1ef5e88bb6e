//! The solver under all machines: a quadratic in as many variables as there are points (or twice as many), between bounds and
//! with fixed sums, by decomposition. It knows points by number and asks an [`Oracle`] for blocks of kernel values.

mod block;
mod cache;
mod element;
mod epoch;
mod joint;
mod oracle;
mod problem;

pub(crate) use joint::{Joint, JointSolution, solve_joint};
pub(crate) use oracle::{Oracle, weighted_sums};
pub(crate) use problem::{Problem, Settings, Solution};

use epoch::{Ended, Epoch};
use mercer_core::{Result, Session, Termination};

/// min ½ βᵀKβ + qᵀβ  s.t.  l ≤ β ≤ h, and the sum of each group of variables stays what it is at the start.
///
/// Epochs work on the points that are not yet settled at a bound. When no pair of their variables violates the optimality
/// conditions by more than `tol`, the sums Kβ of all points are computed afresh: settled points that turn out to be
/// violated join again.
pub(crate) fn solve<O: Oracle>(
    oracle: &O,
    problem: &Problem,
    settings: &Settings,
    session: &Session,
) -> Result<Solution> {
    let n = oracle.len();
    let all: Vec<usize> = (0..n).collect();
    let mut solution = Solution::of(problem, oracle, problem.start.clone(), session)?;
    // A point whose sums are exact, from which those of another are found by what has changed.
    let mut known = (solution.beta.clone(), solution.sums.clone());
    let mut active = all.clone();
    let mut rounds = 0;
    loop {
        // Rounding of what is kept may leave violations; from then on nothing is rounded.
        let precise = rounds >= 2 || settings.exact(n);
        // Points that are left out again and again stay.
        let settings = &Settings { shrinking: settings.shrinking && rounds < 10, ..*settings };
        let ended = match precise {
            true => Epoch::<O, f64>::new(oracle, problem, settings, &active).run(&mut solution, session),
            false => Epoch::<O, f32>::new(oracle, problem, settings, &active).run(&mut solution, session),
        };
        let (narrowed, termination) = match ended {
            Ended::Settled { narrowed } => (narrowed, None),
            // Whoever has no time has sums that were added up; all others have them afresh.
            Ended::Stopped(why @ (Termination::Cancelled | Termination::Deadline), narrowed) => {
                (narrowed, Some(why))
            }
            Ended::Stopped(why, _) => (true, Some(why)),
        };
        if narrowed || !precise {
            let change: Vec<f64> = solution.beta.iter().zip(&known.0).map(|(b, k)| b - k).collect();
            // Whoever stops is owed sums that are true of all points.
            let moved = problem.sums(oracle, &all, &change, &session.undisturbed())?;
            solution.sums = known.1.iter().zip(&moved).map(|(k, m)| k + m).collect();
            known = (solution.beta.clone(), solution.sums.clone());
        }
        let violation = problem.violation(&solution, &all);
        let reached = violation < problem.reach(&solution.sums, settings.tol);
        if let Some(why) = termination {
            solution.termination = if reached { Termination::Converged } else { why };
            return Ok(solution);
        }
        if reached || (precise && !narrowed) {
            solution.termination = Termination::Converged;
            return Ok(solution);
        }
        rounds += 1;
        active = if settings.shrinking { problem.unsettled(&solution, &all) } else { all.clone() };
    }
}
