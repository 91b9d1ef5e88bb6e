//! Wide problems, solved on the few features that matter.

use super::descent::{Budget, Stretch, polish, stretch};
use super::path::Trail;
use super::{ByColumns, ByGram, Columns, Penalty, Quadratic, Solved, Standing, descend};
use mercer_core::Termination;
use mercer_math::dot;

/// More features than this get no Gram matrix: all columns are descended on instead.
const MOST_MEMBERS: usize = 6000;
/// Features that may come at once, where fewer are in use.
const LEAST_NEW: usize = 100;

/// A problem on columns, with the features that have mattered so far and their Gram matrix. Solving it again with a
/// weaker penalty goes on from there.
pub(crate) struct WorkingSet<'a> {
    columns: &'a Columns,
    w: Vec<f64>,
    residual: Vec<f64>,
    /// X_jᵀR as far as it is known: exact when `drift` is zero.
    left: Vec<f64>,
    /// How far the residual has moved since the correlation of a feature was taken.
    drift: Vec<f64>,
    /// The features of the Gram matrix, in its order.
    members: Vec<usize>,
    member: Vec<bool>,
    gathered: Vec<f64>,
    gram: ByGram,
    /// The L1 penalty of the solution from which to go on.
    last: f64,
    trail: Trail,
}

impl<'a> WorkingSet<'a> {
    /// Starts from zero.
    pub(crate) fn new(columns: &'a Columns) -> Self {
        let (d, t) = (columns.n(), columns.targets());
        let mut left = vec![0.0; d * t];
        columns.correlate(&(0..d).collect::<Vec<_>>(), &columns.y, &mut left);
        let free = Penalty { l1: 0.0, l2: 0.0, positive: false };
        let last = left.chunks_exact(t).fold(0.0, |a, g| f64::max(a, free.size(g.iter().copied())));
        Self {
            columns,
            w: vec![0.0; d * t],
            residual: columns.y.clone(),
            left,
            drift: vec![0.0; d],
            members: Vec::new(),
            member: vec![false; d],
            gathered: Vec::new(),
            gram: ByGram::empty(t, dot(&columns.y, &columns.y)),
            last,
            trail: Trail::default(),
        }
    }

    /// Goes on from these coefficients: what they use are the first members.
    pub(crate) fn start(&mut self, from: Vec<f64>) {
        let t = self.columns.targets();
        let used = |j: &usize| !self.member[*j] && from[j * t..(j + 1) * t].iter().any(|v| *v != 0.0);
        let used: Vec<usize> = (0..self.columns.n()).filter(used).collect();
        if self.members.len() + used.len() <= MOST_MEMBERS {
            self.take(&used);
        }
        self.w = from;
        self.look(Penalty { l1: 0.0, l2: 0.0, positive: false });
    }

    /// min_W ½‖Y − XW‖² + l1 Σ ‖W_j‖ + ½ l2‖W‖² (s.t. W ≥ 0), on sets of features that grow.
    ///
    /// The features that the sequential strong rule (Tibshirani et al. 2012) expects, and those whose correlations
    /// violate the optimality conditions, join those of before, as in celer (Massias, Gramfort, Salmon 2018); their
    /// problem is solved on its Gram matrix, and the gap taken over all features. Stops when that is at most
    /// tol ‖Y‖². A correlation is not taken again while it cannot have reached l1 since.
    pub(crate) fn solve(&mut self, penalty: Penalty, budget: &mut Budget<'_>) -> Solved {
        let target = budget.tol * self.gram.yy();
        let mut iterations = 0;
        let mut standing = self.standing(penalty);
        let guess = self.trail.ahead(&self.w, penalty);
        let (mut ended, mut inner) = (None, 0.5 * target);
        while !standing.within(target) && ended.is_none() {
            let new = self.wanted(penalty);
            if penalty.l1 == 0.0 || self.members.len() + new.len() > MOST_MEMBERS {
                return self.on_all(penalty, budget);
            }
            let all = self.take(&new);
            if new.is_empty() {
                // The gap over all features lags behind that of the members.
                inner *= 0.1;
            }
            let goal = if all { inner } else { inner.max(0.3 * standing.gap) };
            let found = self.descend_on_members(penalty, guess.as_deref(), goal, &mut iterations, budget);
            ended = found.ended.or((inner < 1e-4 * target).then_some(Termination::Stalled));
            if found.ended == Some(Termination::Stalled) && !new.is_empty() {
                ended = None;
            }
            standing = self.standing(penalty);
        }
        let mut termination = ended.unwrap_or(Termination::Converged);
        if budget.exact && matches!(termination, Termination::Converged | Termination::Stalled) {
            standing = self.polish(penalty, standing);
            if standing.gap <= target.max(1e-13 * self.gram.yy()) {
                termination = Termination::Converged;
            }
        }
        if !standing.gap.is_finite() {
            termination = Termination::Stalled;
        }
        self.last = penalty.l1;
        self.trail.push(&self.w, penalty);
        Solved { w: self.w.clone(), standing, termination, iterations }
    }

    /// Features that are not members yet, and should be: those that are expected to be used, the most correlated
    /// first, not many more at once than are in use.
    fn wanted(&self, penalty: Penalty) -> Vec<usize> {
        let t = self.columns.targets();
        let expected = penalty.l1 - (self.last - penalty.l1).max(0.0);
        let mut new: Vec<(f64, usize)> = (0..self.columns.n())
            .filter(|&j| !self.member[j] && self.columns.norm2[j] > 0.0)
            .map(|j| (penalty.size(self.left[j * t..(j + 1) * t].iter().copied()), j))
            .filter(|(size, _)| *size > expected)
            .collect();
        let used = self.w.iter().filter(|w| **w != 0.0).count();
        let most = LEAST_NEW.max(used);
        if new.len() > most {
            new.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            new.truncate(most);
        }
        let mut new: Vec<usize> = new.into_iter().map(|(_, j)| j).collect();
        new.sort_unstable();
        new
    }

    /// Makes features members; whether no others were expected.
    fn take(&mut self, new: &[usize]) -> bool {
        if new.is_empty() {
            return true;
        }
        let t = self.columns.targets();
        self.members.extend_from_slice(new);
        new.iter().for_each(|&j| self.member[j] = true);
        self.columns.gather(new, &mut self.gathered);
        let products = self.columns.products(new, &self.members, &self.gathered);
        let mut xy = vec![0.0; self.w.len()];
        self.columns.correlate(new, &self.columns.y, &mut xy);
        let xy: Vec<f64> = new.iter().flat_map(|&j| xy[j * t..(j + 1) * t].to_vec()).collect();
        self.gram.extend(&products, &xy);
        new.len() < LEAST_NEW.max(self.w.iter().filter(|w| **w != 0.0).count())
    }

    fn descend_on_members(
        &mut self,
        penalty: Penalty,
        guess: Option<&[f64]>,
        goal: f64,
        iterations: &mut u64,
        budget: &mut Budget<'_>,
    ) -> Stretch {
        let mut w = self.of_members(&self.w);
        let guess = guess.map(|guess| self.of_members(guess));
        let from = (&mut w[..], guess.as_deref());
        let found = stretch(&mut self.gram, penalty, from, goal, iterations, budget);
        self.put(&w);
        self.look(penalty);
        found
    }

    fn of_members(&self, w: &[f64]) -> Vec<f64> {
        let t = self.columns.targets();
        self.members.iter().flat_map(|&j| &w[j * t..(j + 1) * t]).copied().collect()
    }

    fn put(&mut self, w: &[f64]) {
        let t = self.columns.targets();
        for (&j, w) in self.members.iter().zip(w.chunks_exact(t)) {
            self.w[j * t..(j + 1) * t].copy_from_slice(w);
        }
    }

    /// Takes the residual, and the correlations of all features that may reach l1.
    fn look(&mut self, penalty: Penalty) {
        let t = self.columns.targets();
        let before = std::mem::take(&mut self.residual);
        self.columns.residual(&self.w, &mut self.residual);
        let moved = mercer_math::sq_dist(&before, &self.residual).sqrt();
        let free = Penalty { positive: false, ..penalty };
        let mut which = Vec::with_capacity(self.columns.n());
        for j in 0..self.columns.n() {
            self.drift[j] += moved;
            let known = free.size(self.left[j * t..(j + 1) * t].iter().copied());
            let norm = self.columns.norm2[j].sqrt();
            let below = known + 1.000001 * norm * self.drift[j] < penalty.l1;
            if self.member[j] || !below {
                which.push(j);
                self.drift[j] = 0.0;
            }
        }
        self.columns.correlate(&which, &self.residual, &mut self.left);
    }

    fn standing(&self, penalty: Penalty) -> Standing {
        let products = (dot(&self.residual, &self.residual), dot(&self.residual, &self.columns.y));
        penalty.standing(&self.w, &self.left, self.columns.targets(), products)
    }

    /// Solves the equations of the features in use exactly, where that is better on all features.
    fn polish(&mut self, penalty: Penalty, standing: Standing) -> Standing {
        let (mut w, before) = (self.of_members(&self.w), self.w.clone());
        let mut inner = Standing { kkt: f64::INFINITY, ..standing };
        self.gram.reset(&w);
        polish(&mut self.gram, penalty, &mut w, &mut inner);
        self.put(&w);
        self.look(penalty);
        let found = self.standing(penalty);
        if found.kkt <= standing.kkt {
            return found;
        }
        self.w = before;
        self.look(penalty);
        self.standing(penalty)
    }

    /// The same on all columns at once, where too many features matter, or all.
    fn on_all(&mut self, penalty: Penalty, budget: &mut Budget<'_>) -> Solved {
        let mut problem = ByColumns::new(self.columns);
        let solved = descend(&mut problem, penalty, self.w.clone(), None, budget);
        self.w.clone_from(&solved.w);
        self.look(Penalty { l1: 0.0, ..penalty });
        self.last = penalty.l1;
        solved
    }
}
