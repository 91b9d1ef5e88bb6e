//! One problem with two sides: targets, costs and loss of a machine, and how far a point is from its optimum.

use crate::points::Points;
use mercer_math::dot;

/// min ½|w|² + Σ cᵢ ℓ(eᵢ) with the excess eᵢ of w·xᵢ over what is free: for a class ±1 the part of w·x − y that lies on
/// the wrong side of the margin, for a number the part of w·x − y beyond the tube of ε. ℓ(e) is |e|, or e² where `squared`.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) targets: Vec<f64>,
    /// Of a row that does not count, 0.
    pub(crate) costs: Vec<f64>,
    pub(crate) classes: bool,
    pub(crate) squared: bool,
    /// Half the width of the tube; 0 for classes.
    pub(crate) epsilon: f64,
}

/// How far a point is from the optimum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    /// The objective.
    pub(crate) objective: f64,
    /// It is at most this far above its minimum.
    pub(crate) gap: f64,
    /// The objective of no coefficients.
    pub(crate) size: f64,
    /// The largest entry of w − Σ βᵢxᵢ, each over that of Σ |βᵢxᵢ|; of squared losses with the β of w = 0, since those of
    /// the optimum may be as small as what is measured.
    pub(crate) residual: f64,
    /// Rows that hold the machine in place.
    pub(crate) support: usize,
}

impl Standing {
    /// The gap in units of the objective of no coefficients.
    pub(crate) fn relative_gap(&self) -> f64 {
        if self.gap == 0.0 { 0.0 } else { self.gap / self.size.max(f64::MIN_POSITIVE) }
    }

    /// The worse of both, with sums where they are sums.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            objective: self.objective + other.objective,
            gap: self.gap + other.gap,
            size: self.size + other.size,
            residual: crate::linear_model::larger(self.residual, other.residual),
            support: self.support + other.support,
        }
    }
}

impl Problem {
    /// What of a score is not free.
    #[inline(always)]
    pub(crate) fn excess(&self, i: usize, score: f64) -> f64 {
        let (y, miss) = (self.targets[i], score - self.targets[i]);
        if self.classes {
            if y * score < 1.0 { miss } else { 0.0 }
        } else {
            miss.signum() * (miss.abs() - self.epsilon).max(0.0)
        }
    }

    #[inline(always)]
    pub(crate) fn cost(&self, i: usize, excess: f64) -> f64 {
        self.costs[i] * if self.squared { excess * excess } else { excess.abs() }
    }

    /// Σ cᵢ ℓ at scores.
    pub(crate) fn loss(&self, scores: &[f64]) -> f64 {
        scores.iter().enumerate().map(|(i, &f)| self.cost(i, self.excess(i, f))).sum()
    }

    pub(crate) fn scores<P: Points>(&self, points: &P, w: &[f64]) -> Vec<f64> {
        (0..points.n()).map(|i| if self.costs[i] > 0.0 { points.dot(i, w) } else { 0.0 }).collect()
    }

    /// The dual value of β, with v = Σ βᵢxᵢ: Σ yᵢβᵢ − ε|βᵢ| − ½λᵢβᵢ² − ½|v|², λ = 1/2c for squared losses.
    pub(crate) fn dual_value(&self, beta: &[f64], v: &[f64]) -> f64 {
        let each = |i: usize| {
            let (b, c) = (beta[i], self.costs[i]);
            let curved = if self.squared && b != 0.0 { 0.25 * b * b / c } else { 0.0 };
            self.targets[i] * b - self.epsilon * b.abs() - curved
        };
        (0..beta.len()).map(each).sum::<f64>() - 0.5 * dot(v, v)
    }

    /// The standing of w beside the dual point β, which is feasible: weak duality bounds the minimum from below.
    /// Of squared losses without a β that of the excess is taken, for which the gap is ½|w − v|².
    pub(crate) fn standing<P: Points>(&self, points: &P, w: &[f64], beta: Option<&[f64]>) -> Standing {
        let scores = self.scores(points, w);
        let own: Vec<f64>;
        let beta = match beta {
            Some(beta) => beta,
            None => {
                own = (0..points.n()).map(|i| -2.0 * self.costs[i] * self.excess(i, scores[i])).collect();
                &own
            }
        };
        let (mut v, mut sizes) = (vec![0.0; w.len()], vec![0.0; w.len()]);
        for (i, &b) in beta.iter().enumerate().filter(|(i, _)| self.costs[*i] > 0.0) {
            if b != 0.0 {
                points.add(i, b, &mut v);
            }
            let most = if self.squared { 2.0 * self.costs[i] * self.excess(i, 0.0) } else { b };
            points.each(i, |j, x| sizes[j] += (most * x).abs());
        }
        let objective = 0.5 * dot(w, w) + self.loss(&scores);
        let far = w.iter().zip(&v).map(|(w, v)| w - v);
        let gap = match self.squared {
            true => 0.5 * far.clone().map(|d| d * d).sum::<f64>(),
            false => objective - self.dual_value(beta, &v),
        };
        let over = |(d, (s, w)): (f64, (&f64, &f64))| if d == 0.0 { 0.0 } else { d.abs() / s.max(w.abs()) };
        let residual = far.zip(sizes.iter().zip(w)).map(over).fold(0.0, crate::linear_model::larger);
        let size = self.loss(&vec![0.0; points.n()]);
        let support = beta.iter().filter(|b| **b != 0.0).count();
        // Rounding may leave less than nothing; NaN stays.
        let gap = if gap < 0.0 { 0.0 } else { gap };
        Standing { objective, gap, size, residual, support }
    }
}
