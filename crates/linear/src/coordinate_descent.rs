//! Coordinate descent for the elastic net, on a Gram matrix or on columns.

use mercer_core::{Session, Termination};
use mercer_math::{Cholesky, Csr, Mat, Rng, axpy, below, dot};

/// What coordinate descent needs of min ½‖y − Xw‖² + l1‖w‖₁ + ½ l2‖w‖².
pub(crate) trait Quadratic {
    /// Number of coefficients.
    fn n(&self) -> usize;
    /// ‖X_j‖².
    fn norm2(&self, j: usize) -> f64;
    /// X_jᵀ R with the residual R = y − Xw.
    fn correlation(&self, j: usize) -> f64;
    /// Takes `w[j] += step` into account.
    fn step(&mut self, j: usize, step: f64);
    /// ‖y‖².
    fn yy(&self) -> f64;
    /// ‖R‖² and R · y, at these coefficients.
    fn residual(&self, w: &[f64]) -> (f64, f64);
    /// The products of some columns, and theirs with y.
    fn gram(&self, columns: &[usize]) -> (Mat, Vec<f64>);
    /// Starts again from these coefficients, without the rounding that steps have left.
    fn reset(&mut self, w: &[f64]);
}

/// Least squares known by its moments: G = XᵀX, c = Xᵀy.
pub(crate) struct ByGram<'a> {
    gram: &'a Mat,
    xy: &'a [f64],
    yy: f64,
    /// Xᵀ R.
    left: Vec<f64>,
}

impl<'a> ByGram<'a> {
    pub(crate) fn new(gram: &'a Mat, xy: &'a [f64], yy: f64) -> Self {
        Self { gram, xy, yy, left: xy.to_vec() }
    }
}

impl Quadratic for ByGram<'_> {
    fn n(&self) -> usize {
        self.xy.len()
    }
    fn norm2(&self, j: usize) -> f64 {
        self.gram[(j, j)]
    }
    fn correlation(&self, j: usize) -> f64 {
        self.left[j]
    }
    fn step(&mut self, j: usize, step: f64) {
        axpy(-step, self.gram.row(j), &mut self.left);
    }
    fn yy(&self) -> f64 {
        self.yy
    }
    fn residual(&self, w: &[f64]) -> (f64, f64) {
        // R·R = y·y − w·c − w·(Xᵀ R), and R·y = y·y − w·c.
        let fitted = dot(w, self.xy);
        ((self.yy - fitted - dot(w, &self.left)).max(0.0), self.yy - fitted)
    }
    fn gram(&self, columns: &[usize]) -> (Mat, Vec<f64>) {
        let n = columns.len();
        let gram = Mat::from_fn(n, n, |a, b| self.gram[(columns[a], columns[b])]);
        (gram, columns.iter().map(|&j| self.xy[j]).collect())
    }
    fn reset(&mut self, w: &[f64]) {
        self.left.copy_from_slice(self.xy);
        for (j, &v) in w.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            axpy(-v, self.gram.row(j), &mut self.left);
        }
    }
}

/// The columns of rows, each row times the root of its weight.
pub(crate) enum Columns {
    /// Centred, one column a row of the matrix.
    Dense(Mat),
    /// Not centred; the means are subtracted on the way.
    Sparse {
        /// Columns, not weighted.
        columns: Csr,
        /// Their means; zeros without an intercept.
        mean: Vec<f64>,
        /// The root of each weight.
        root: Vec<f64>,
    },
}

/// Least squares on columns, with the residual kept up to date.
pub(crate) struct ByColumns {
    columns: Columns,
    y: Vec<f64>,
    norm2: Vec<f64>,
    residual: Vec<f64>,
    /// The true residual is `residual − offset · root`: means are taken off lazily.
    offset: f64,
    total: f64,
}

impl ByColumns {
    /// `y` is centred and times the root of the weights, as the columns are.
    pub(crate) fn new(columns: Columns, y: Vec<f64>) -> Self {
        let (norm2, total) = match &columns {
            Columns::Dense(m) => ((0..m.n_rows()).map(|j| dot(m.row(j), m.row(j))).collect(), 0.0),
            Columns::Sparse { columns, mean, root } => {
                let total = dot(root, root);
                let norm2 = |j: usize| {
                    let (at, values) = columns.view().row(j);
                    let square = |(&i, v): (&u32, &f64)| (root[i as usize] * (v - mean[j])).powi(2);
                    let stored: f64 = at.iter().map(|&i| root[i as usize] * root[i as usize]).sum();
                    at.iter().zip(values).map(square).sum::<f64>()
                        + (total - stored).max(0.0) * mean[j] * mean[j]
                };
                ((0..columns.n_rows()).map(norm2).collect(), total)
            }
        };
        Self { residual: y.clone(), columns, y, norm2, offset: 0.0, total }
    }

    /// Column `j`, dense, as it counts.
    fn column(&self, j: usize) -> Vec<f64> {
        match &self.columns {
            Columns::Dense(m) => m.row(j).to_vec(),
            Columns::Sparse { columns, mean, root } => {
                let mut out: Vec<f64> = root.iter().map(|r| -r * mean[j]).collect();
                let (at, values) = columns.view().row(j);
                at.iter().zip(values).for_each(|(&i, v)| out[i as usize] += root[i as usize] * v);
                out
            }
        }
    }

    /// Column `j` times a column as it counts: of sparse columns, over what is stored alone.
    fn product(&self, j: usize, column: &[f64]) -> f64 {
        match &self.columns {
            Columns::Dense(m) => dot(m.row(j), column),
            Columns::Sparse { columns, root, .. } => {
                // Centred columns are orthogonal to the roots, so that the mean of this one drops out.
                let (at, values) = columns.view().row(j);
                at.iter().zip(values).map(|(&i, v)| v * root[i as usize] * column[i as usize]).sum()
            }
        }
    }

    fn true_residual(&self) -> Vec<f64> {
        let mut out = self.residual.clone();
        if let Columns::Sparse { root, .. } = &self.columns {
            axpy(-self.offset, root, &mut out);
        }
        out
    }
}

impl Quadratic for ByColumns {
    fn n(&self) -> usize {
        self.norm2.len()
    }
    fn norm2(&self, j: usize) -> f64 {
        self.norm2[j]
    }
    fn correlation(&self, j: usize) -> f64 {
        match &self.columns {
            Columns::Dense(m) => dot(m.row(j), &self.residual),
            Columns::Sparse { columns, mean, root } => {
                // The residual is orthogonal to the roots where columns are centred, so that means drop out.
                let (at, values) = columns.view().row(j);
                let stored: f64 = at
                    .iter()
                    .zip(values)
                    .map(|(&i, v)| v * root[i as usize] * self.residual[i as usize])
                    .sum();
                stored - self.offset * self.total * mean[j]
            }
        }
    }
    fn step(&mut self, j: usize, step: f64) {
        match &self.columns {
            Columns::Dense(m) => axpy(-step, m.row(j), &mut self.residual),
            Columns::Sparse { columns, mean, root } => {
                let (at, values) = columns.view().row(j);
                for (&i, v) in at.iter().zip(values) {
                    self.residual[i as usize] -= step * v * root[i as usize];
                }
                self.offset -= step * mean[j];
            }
        }
    }
    fn yy(&self) -> f64 {
        dot(&self.y, &self.y)
    }
    fn residual(&self, _: &[f64]) -> (f64, f64) {
        let r = self.true_residual();
        (dot(&r, &r), dot(&r, &self.y))
    }
    fn gram(&self, used: &[usize]) -> (Mat, Vec<f64>) {
        let mut gram = Mat::zeros(used.len(), used.len());
        let mut xy = Vec::with_capacity(used.len());
        for (a, &j) in used.iter().enumerate() {
            let column = self.column(j);
            xy.push(dot(&column, &self.y));
            for (b, &other) in used[..=a].iter().enumerate() {
                let product = self.product(other, &column);
                (gram[(a, b)], gram[(b, a)]) = (product, product);
            }
        }
        (gram, xy)
    }
    fn reset(&mut self, w: &[f64]) {
        self.residual.copy_from_slice(&self.y);
        self.offset = 0.0;
        for (j, &v) in w.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            self.step(j, v);
        }
    }
}

/// The penalties, in the units of ½‖y − Xw‖².
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

impl Penalty {
    /// The gap between the objective and its dual at w, from `left` = XᵀR, ‖R‖² and R·y. A feasible point of the dual
    /// is the residual, shrunk until no feature correlates more than l1 allows (Fercoq, Gramfort, Salmon 2015); with
    /// l1 = 0 the dual of Dünner et al. (2016); without any penalty the largest gradient.
    pub(crate) fn standing(&self, w: &[f64], left: &[f64], rr: f64, ry: f64) -> Standing {
        let Penalty { l1, l2, positive } = *self;
        let size = |g: f64| if positive { g.max(0.0) } else { g.abs() };
        let (mut kkt, mut dual_norm, mut norm1, mut squares, mut over) = (0.0f64, 0.0f64, 0.0, 0.0, 0.0);
        for (&w, &x) in w.iter().zip(left) {
            let g = x - l2 * w;
            dual_norm = dual_norm.max(size(g));
            over += size(x).powi(2);
            norm1 += w.abs();
            squares += w * w;
            kkt = kkt.max(if w == 0.0 { (size(g) - l1).max(0.0) } else { (g - l1 * w.signum()).abs() });
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

    /// The best value of one coefficient, given its correlation with the residual of the others.
    fn shrunk(&self, correlation: f64, norm2: f64) -> f64 {
        if self.positive && correlation < 0.0 {
            return 0.0;
        }
        correlation.signum() * (correlation.abs() - self.l1).max(0.0) / (norm2 + self.l2)
    }
}

/// When to stop, and in which order to go.
pub(crate) struct Budget<'a> {
    pub(crate) max_iter: usize,
    pub(crate) tol: f64,
    /// Random order from this stream; else cyclic.
    pub(crate) order: Option<Rng>,
    pub(crate) session: &'a Session,
}

/// What came of it.
pub(crate) struct Solved {
    pub(crate) w: Vec<f64>,
    pub(crate) standing: Standing,
    pub(crate) termination: Termination,
    pub(crate) iterations: u64,
}

/// min_w ½‖y − Xw‖² + l1‖w‖₁ + ½ l2‖w‖² (s.t. w ≥ 0), one coefficient at a time.
///
/// Stops when the duality gap is at most tol ‖y‖², with gap-safe screening of features on the way (Ndiaye et al.
/// 2017), then solves the equations of the features that are left exactly.
pub(crate) fn descend(problem: &mut impl Quadratic, penalty: Penalty, mut budget: Budget<'_>) -> Solved {
    let n = problem.n();
    let mut w = vec![0.0; n];
    let target = budget.tol * problem.yy();
    let mut active: Vec<usize> = (0..n).filter(|&j| problem.norm2(j) > 0.0).collect();
    let (mut iterations, mut termination) = (0, Termination::Converged);
    let mut standing = stand(problem, penalty, &w);
    screen(problem, penalty, &mut active, &mut w, standing.0.gap, &standing.1);
    while standing.0.gap > target {
        let stop = budget.session.step(
            "coordinate descent",
            iterations,
            Some(budget.max_iter as u64),
            Some(standing.0.objective),
        );
        if let Some(why) =
            stop.or((iterations >= budget.max_iter as u64).then_some(Termination::IterationLimit))
        {
            termination = why;
            break;
        }
        let (mut moved, mut largest) = (0.0f64, 0.0f64);
        for k in 0..active.len() {
            let j = active[budget.order.as_mut().map_or(k, |rng| below(rng, active.len()))];
            let (old, norm2) = (w[j], problem.norm2(j));
            w[j] = penalty.shrunk(problem.correlation(j) + old * norm2, norm2);
            if w[j] != old {
                problem.step(j, w[j] - old);
            }
            moved = moved.max((w[j] - old).abs());
            largest = largest.max(w[j].abs());
        }
        iterations += 1;
        let still = moved <= budget.tol * largest || moved <= f64::EPSILON * largest;
        if still || iterations % 10 == 0 || iterations >= budget.max_iter as u64 {
            problem.reset(&w);
            standing = stand(problem, penalty, &w);
            if budget.order.is_none() && moved <= f64::EPSILON * largest && standing.0.gap > target {
                // No coefficient moves any more: the gap is all rounding.
                termination = Termination::Stalled;
                break;
            }
            screen(problem, penalty, &mut active, &mut w, standing.0.gap, &standing.1);
        }
    }
    problem.reset(&w);
    standing = stand(problem, penalty, &w);
    if termination.is_success() || termination == Termination::Stalled {
        polish(problem, penalty, &mut w, &mut standing.0);
        if standing.0.gap <= target.max(1e-13 * problem.yy()) {
            termination = Termination::Converged;
        }
    }
    if !standing.0.gap.is_finite() {
        termination = Termination::Stalled;
    }
    Solved { w, standing: standing.0, termination, iterations }
}

fn stand(problem: &impl Quadratic, penalty: Penalty, w: &[f64]) -> (Standing, Vec<f64>) {
    let left: Vec<f64> = (0..w.len()).map(|j| problem.correlation(j)).collect();
    let (rr, ry) = problem.residual(w);
    (penalty.standing(w, &left, rr, ry), left)
}

/// Leaves out features that no optimum within the gap can use.
fn screen(
    problem: &mut impl Quadratic,
    penalty: Penalty,
    active: &mut Vec<usize>,
    w: &mut [f64],
    gap: f64,
    left: &[f64],
) {
    let Penalty { l1, l2, .. } = penalty;
    if l1 == 0.0 {
        return;
    }
    let scores: Vec<f64> = left.iter().zip(w.iter()).map(|(x, w)| x - l2 * w).collect();
    // The dual point is that of the gap: where coefficients may not be negative, only positive scores shrink it.
    let scale = scores.iter().fold(l1, |a, g| a.max(if penalty.positive { *g } else { g.abs() }));
    // Rounding may leave a gap of less than nothing.
    let radius = (2.0 * (gap.max(0.0) + 1e-12 * problem.yy())).sqrt() / l1;
    let (kept, gone): (Vec<usize>, Vec<usize>) = active
        .iter()
        .partition(|&&j| (1.0 - (scores[j] / scale).abs()) / (problem.norm2(j) + l2).sqrt() <= radius);
    for j in gone {
        if w[j] != 0.0 {
            problem.step(j, -w[j]);
            w[j] = 0.0;
        }
    }
    *active = kept;
}

/// More coefficients than this are left as they are.
const MOST_POLISHED: usize = 1500;

/// Solves (G + l2 I) w = c − l1 sign(w) on the features in use; kept where no sign turns and the optimality conditions
/// hold better.
fn polish(problem: &mut impl Quadratic, penalty: Penalty, w: &mut Vec<f64>, standing: &mut Standing) {
    let used: Vec<usize> = (0..w.len()).filter(|&j| w[j] != 0.0).collect();
    if used.is_empty() || used.len() > MOST_POLISHED {
        return;
    }
    let (mut gram, xy) = problem.gram(&used);
    (0..used.len()).for_each(|a| gram[(a, a)] += penalty.l2);
    let Some(factor) = Cholesky::new(&gram) else { return };
    let right: Vec<f64> = used.iter().zip(&xy).map(|(&j, c)| c - penalty.l1 * w[j].signum()).collect();
    let mut solution = factor.solve_vec(&right);
    let rest: Vec<f64> = (0..used.len()).map(|a| right[a] - dot(gram.row(a), &solution)).collect();
    axpy(1.0, &factor.solve_vec(&rest), &mut solution);
    if used.iter().zip(&solution).any(|(&j, v)| v.signum() != w[j].signum() || !v.is_finite()) {
        return;
    }
    let mut better = w.clone();
    used.iter().zip(&solution).for_each(|(&j, v)| better[j] = *v);
    problem.reset(&better);
    let (found, _) = stand(problem, penalty, &better);
    if found.kkt <= standing.kkt {
        (*w, *standing) = (better, found);
    }
}
