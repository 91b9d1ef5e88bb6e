//! Least squares with penalties that set coefficients to zero, at one strength or along a path of them:
//!
//!   min_W ½‖Y − XW‖² + l1 Σ_j ‖W_j‖₂ + ½ l2 ‖W‖²   (s.t. W ≥ 0)
//!
//! with a row W_j of coefficients for each feature and a column for each target. With one target it is the elastic
//! net, with several that of many tasks, whose features come and go for all targets at once.
//!
//! [`descent`] visits one feature after the other on whatever says how features correlate with the residual
//! ([`Quadratic`]): a Gram matrix or columns. [`working_set`] solves wide problems on the few features that matter,
//! which alone get a Gram matrix. [`path`] goes from strong penalties to weak ones, each from the last solution.

mod columns;
mod descent;
mod path;
mod problems;
mod working_set;

pub(crate) use columns::Columns;
pub(crate) use descent::{Budget, descend};
pub(crate) use path::{Along, alpha_grid, alpha_max};
pub(crate) use problems::{ByColumns, ByGram};
pub(crate) use working_set::WorkingSet;

use mercer_core::Termination;
use mercer_math::Mat;

/// What coordinate descent needs of ½‖Y − XW‖². Coefficients and correlations are kept feature by feature, all
/// targets of one beside each other.
pub(crate) trait Quadratic {
    /// Sweeps between two looks at the gap: as many as make a look cheap.
    const PATIENCE: u64;
    /// Number of features.
    fn n(&self) -> usize;
    /// Number of targets.
    fn targets(&self) -> usize;
    /// ‖X_j‖².
    fn norm2(&self, j: usize) -> f64;
    /// X_jᵀ R with the residual R = Y − XW.
    fn correlation(&self, j: usize, out: &mut [f64]);
    /// Takes `W_j += step` into account.
    fn step(&mut self, j: usize, step: &[f64]);
    /// ‖Y‖².
    fn yy(&self) -> f64;
    /// ‖R‖² and ⟨R, Y⟩, at these coefficients.
    fn residual(&self, w: &[f64]) -> (f64, f64);
    /// The products of some features, and theirs with the first target.
    fn gram(&self, features: &[usize]) -> (Mat, Vec<f64>);
    /// Starts again from these coefficients, without the rounding that steps have left.
    fn reset(&mut self, w: &[f64]);
}

/// The penalties, in the units of ½‖Y − XW‖².
#[derive(Clone, Copy, Debug)]
pub(crate) struct Penalty {
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) positive: bool,
}

/// What is known at some coefficients: gap, KKT violation, objective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) gap: f64,
    pub(crate) kkt: f64,
    pub(crate) objective: f64,
}

impl Standing {
    /// Whether the gap is at most `target`; what is not a number is not.
    pub(crate) fn within(&self, target: f64) -> bool {
        self.gap <= target
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    pub(crate) w: Vec<f64>,
    pub(crate) standing: Standing,
    pub(crate) termination: Termination,
    pub(crate) iterations: u64,
}

impl Penalty {
    /// That of strength `alpha`, of which the share `l1_ratio` is L1, beside a mean over rows that weigh `total`.
    pub(crate) fn new(alpha: f64, l1_ratio: f64, total: f64, positive: bool) -> Self {
        let strength = alpha * total;
        Self { l1: strength * l1_ratio, l2: strength * (1.0 - l1_ratio), positive }
    }

    /// The size of a feature's correlations that the L1 penalty has to match.
    pub(crate) fn size(&self, g: impl Iterator<Item = f64>) -> f64 {
        let mut squares = 0.0;
        let mut only = 0.0;
        let mut count = 0;
        for v in g {
            (only, count, squares) = (v, count + 1, squares + v * v);
        }
        match (count, self.positive) {
            (1, true) => only.max(0.0),
            (1, false) => only.abs(),
            _ => f64::sqrt(squares),
        }
    }

    /// The gap between the objective and its dual at W, from `left` = XᵀR, ‖R‖² and ⟨R, Y⟩. A feasible point of the
    /// dual is the residual, shrunk until no feature correlates more than l1 allows (Fercoq, Gramfort, Salmon 2015);
    /// with l1 = 0 the dual of Dünner et al. (2016); without any penalty the largest gradient.
    pub(crate) fn standing(&self, w: &[f64], left: &[f64], t: usize, (rr, ry): (f64, f64)) -> Standing {
        let Penalty { l1, l2, .. } = *self;
        let (mut kkt, mut dual_norm, mut norm1, mut squares, mut over) = (0.0f64, 0.0f64, 0.0, 0.0, 0.0);
        for (w, x) in w.chunks_exact(t).zip(left.chunks_exact(t)) {
            let g = self.size(w.iter().zip(x).map(|(w, x)| x - l2 * w));
            dual_norm = larger(dual_norm, g);
            over += self.size(x.iter().copied()).powi(2);
            let square: f64 = w.iter().map(|w| w * w).sum();
            let norm = if t == 1 { w[0].abs() } else { square.sqrt() };
            norm1 += norm;
            squares += square;
            let off = |(w, x): (&f64, &f64)| x - l2 * w - l1 * w / norm;
            let violation = match norm == 0.0 {
                true => (g - l1).max(0.0),
                false if t == 1 => (x[0] - l2 * w[0] - l1 * w[0].signum()).abs(),
                false => w.iter().zip(x).map(off).map(|v| v * v).sum::<f64>().sqrt(),
            };
            kkt = larger(kkt, violation);
        }
        let objective = 0.5 * rr + l1 * norm1 + 0.5 * l2 * squares;
        let gap = if l1 > 0.0 {
            let shrink = if dual_norm > l1 { l1 / dual_norm } else { 1.0 };
            objective + 0.5 * shrink * shrink * (rr + l2 * squares) - shrink * ry
        } else if l2 > 0.0 {
            objective + 0.5 * rr - ry + 0.5 * over / l2
        } else {
            dual_norm
        };
        Standing { gap, kkt, objective }
    }
}

/// The larger of two numbers; what is not a number is larger than any.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
