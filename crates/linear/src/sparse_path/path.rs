//! Paths: solutions for penalties from strong to weak, each from the one before.

use super::{Budget, ByGram, Columns, Penalty, Solved, WorkingSet, descend};
use mercer_core::CrossMoments;
use mercer_math::{Mat, symmetrise};

/// A problem that is solved again and again with weaker penalties.
pub(crate) enum Along<'a> {
    /// On a Gram matrix, from these coefficients.
    Gram(ByGram, Vec<f64>, Trail),
    /// On columns.
    Columns(Box<WorkingSet<'a>>),
}

impl<'a> Along<'a> {
    /// On the moments of some rows: of the target `k`, or of all targets at once.
    pub(crate) fn moments(moments: &CrossMoments, k: Option<usize>) -> Self {
        let mut gram = moments.xx.clone();
        symmetrise(&mut gram);
        let (xy, yy) = match k {
            Some(k) => (Mat::from_fn(gram.n_rows(), 1, |j, _| moments.xy[(j, k)]), moments.yy[k]),
            None => (moments.xy.clone(), moments.yy.iter().sum()),
        };
        let w = vec![0.0; gram.n_rows() * xy.n_cols()];
        Along::Gram(ByGram::new(gram, &xy, yy), w, Trail::default())
    }

    /// On columns, all targets at once.
    pub(crate) fn columns(columns: &'a Columns) -> Self {
        Along::Columns(Box::new(WorkingSet::new(columns)))
    }

    /// Goes on from these coefficients, feature by feature.
    pub(crate) fn start(&mut self, from: Vec<f64>) {
        match self {
            Along::Gram(_, w, _) => *w = from,
            Along::Columns(set) => set.start(from),
        }
    }

    /// The solution for one more penalty.
    pub(crate) fn solve(&mut self, penalty: Penalty, budget: &mut Budget<'_>) -> Solved {
        match self {
            Along::Gram(problem, w, trail) => {
                let guess = trail.ahead(w, penalty);
                let solved = descend(problem, penalty, std::mem::take(w), guess.as_deref(), budget);
                trail.push(&solved.w, penalty);
                w.clone_from(&solved.w);
                solved
            }
            Along::Columns(set) => set.solve(penalty, budget),
        }
    }
}

/// The last solutions of a path, which is nearly straight between the strengths where features come and go.
#[derive(Default)]
pub(crate) struct Trail {
    last: Option<(f64, Vec<f64>)>,
    before: Option<(f64, Vec<f64>)>,
}

impl Trail {
    /// One more solution.
    pub(crate) fn push(&mut self, w: &[f64], penalty: Penalty) {
        self.before = self.last.replace((penalty.l1 + penalty.l2, w.to_vec()));
    }

    /// Where the straight line through the last two solutions leads to; coefficients do not change their signs.
    pub(crate) fn ahead(&self, w: &[f64], penalty: Penalty) -> Option<Vec<f64>> {
        let ((last, _), (before, from)) = (self.last.as_ref()?, self.before.as_ref()?);
        let length = (last - penalty.l1 - penalty.l2) / (before - last);
        (length > 0.0 && length.is_finite()).then_some(())?;
        let ahead = |(w, from): (&f64, &f64)| {
            let to = w + length * (w - from);
            if to * w > 0.0 { to } else { 0.0 }
        };
        Some(w.iter().zip(from).map(ahead).collect())
    }
}

/// The largest strength at which any coefficient is used, from XᵀY feature by feature.
pub(crate) fn alpha_max(xy: &[f64], t: usize, l1_ratio: f64, total: f64, positive: bool) -> f64 {
    let penalty = Penalty { l1: 0.0, l2: 0.0, positive };
    let largest = xy.chunks_exact(t).fold(0.0, |a, g| f64::max(a, penalty.size(g.iter().copied())));
    largest / (total * l1_ratio)
}

/// `n` strengths from `largest` down to `eps` times it, in equal ratios, as scikit-learn has them.
pub(crate) fn alpha_grid(largest: f64, eps: f64, n: usize) -> Vec<f64> {
    const RESOLUTION: f64 = 1e-15;
    if largest <= RESOLUTION {
        return vec![RESOLUTION; n];
    }
    let ratio = |i: usize| if n > 1 { i as f64 / (n - 1) as f64 } else { 0.0 };
    (0..n).map(|i| largest * eps.powf(ratio(i))).collect()
}
