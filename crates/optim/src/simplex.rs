//! The revised simplex method for bounded variables, under [`solve_lp`](crate::solve_lp).

use crate::lu::Lu;
use mercer_math::{Mat, axpy, dot, gemv, gemv_t, scale};

/// Pivots below this, relative to the largest of their column, are taken for zero.
const PIVOT: f64 = 1e-9;
/// Iterations between two factorisations of the basis.
const REFRESH: usize = 60;
/// Steps of length zero after which the lowest index enters.
const PATIENCE: usize = 40;

/// How a phase ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// No reduced cost promises a decrease.
    Optimal,
    /// Costs fall for ever along this direction of the first variables.
    Ray(Vec<f64>),
    /// Too many iterations.
    MaxIter,
    /// The basis became singular to working precision.
    Stuck,
}

/// Where a variable stands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Basic,
    Lower,
    Upper,
    /// A free variable outside of the basis, at zero.
    Zero,
}

/// min c'x  s.t.  M x + s + a = right,  bounds on x,  s >= 0 for inequalities,  a = 0 after phase one.
///
/// Variables are numbered: x, then one slack for each inequality, then one artificial for each row.
#[derive(Clone, Debug)]
pub(crate) struct Simplex {
    /// The columns of M as rows.
    columns: Mat,
    right: Vec<f64>,
    n_slacks: usize,
    /// The sign of each artificial's column.
    signs: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    cost: Vec<f64>,
    at: Vec<At>,
    x: Vec<f64>,
    basis: Vec<usize>,
    inverse: Mat,
    run: Run,
}

/// Limits and counts.
#[derive(Clone, Debug)]
struct Run {
    tol: f64,
    max_iter: usize,
    iterations: usize,
    since_refresh: usize,
    /// Steps of length zero in a row.
    idle: usize,
}

impl Simplex {
    /// Every variable at the bound nearest to zero; slacks are basic where that is feasible, else artificials.
    pub(crate) fn new(
        columns: Mat,
        right: Vec<f64>,
        n_slacks: usize,
        mut lower: Vec<f64>,
        mut upper: Vec<f64>,
        tol: f64,
        max_iter: usize,
    ) -> Self {
        let (n, m) = (columns.n_rows(), right.len());
        lower.extend(vec![0.0; n_slacks + m]);
        upper.extend(vec![f64::INFINITY; n_slacks]);
        upper.extend(vec![0.0; m]);
        let total = lower.len();
        let nearest = |j: usize| match (lower[j].is_finite(), upper[j].is_finite()) {
            (true, true) if upper[j].abs() < lower[j].abs() => (At::Upper, upper[j]),
            (true, _) => (At::Lower, lower[j]),
            (false, true) => (At::Upper, upper[j]),
            (false, false) => (At::Zero, 0.0),
        };
        let (mut at, mut x): (Vec<At>, Vec<f64>) = (0..total).map(nearest).unzip();
        let missing = {
            let used = gemv_t(columns.view(), &x[..n]);
            right.iter().zip(used).map(|(r, u)| r - u).collect::<Vec<f64>>()
        };
        let (mut basis, mut signs, mut cost) = (Vec::with_capacity(m), vec![1.0; m], vec![0.0; total]);
        for (i, &gap) in missing.iter().enumerate() {
            let artificial = n + n_slacks + i;
            let j = if i < n_slacks && gap >= 0.0 { n + i } else { artificial };
            if j == artificial {
                signs[i] = if gap < 0.0 { -1.0 } else { 1.0 };
                (upper[j], cost[j]) = (f64::INFINITY, 1.0);
            }
            (at[j], x[j]) = (At::Basic, gap.abs());
            basis.push(j);
        }
        let inverse = Mat::from_fn(m, m, |i, k| {
            if i != k {
                0.0
            } else if basis[i] >= n + n_slacks {
                signs[i]
            } else {
                1.0
            }
        });
        let run = Run { tol, max_iter, iterations: 0, since_refresh: 0, idle: 0 };
        Self { columns, right, n_slacks, signs, lower, upper, cost, at, x, basis, inverse, run }
    }

    /// Finds a point with as little missing as there can be.
    pub(crate) fn phase_one(&mut self) -> End {
        self.run()
    }

    /// Minimises `cost` from a feasible basis; artificials may no longer be used.
    pub(crate) fn phase_two(&mut self, cost: &[f64]) -> End {
        self.cost.fill(0.0);
        self.cost[..cost.len()].copy_from_slice(cost);
        for j in self.columns.n_rows() + self.n_slacks..self.x.len() {
            self.upper[j] = 0.0;
        }
        self.run.idle = 0;
        self.run()
    }

    /// What is missing for feasibility after phase one.
    pub(crate) fn missing(&self) -> f64 {
        self.x[self.columns.n_rows() + self.n_slacks..].iter().sum()
    }

    /// Whether equations and bounds hold at the current point, to what rounding may take of its size.
    pub(crate) fn is_feasible(&self) -> bool {
        let size = self.x.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        // In positive form, so that NaN is refused.
        let slack = (100.0 * self.run.tol).max(1e-12 * size);
        let inside = |j: usize| self.x[j] >= self.lower[j] - slack && self.x[j] <= self.upper[j] + slack;
        (0..self.x.len()).all(inside) && self.residual().iter().all(|r| r.abs() <= slack)
    }

    /// The variables of the program.
    pub(crate) fn values(&self) -> &[f64] {
        &self.x[..self.columns.n_rows()]
    }

    /// Iterations of both phases.
    pub(crate) fn iterations(&self) -> usize {
        self.run.iterations
    }

    /// The prices y = B⁻ᵀ c_B of the rows, refined once.
    pub(crate) fn prices(&self) -> Vec<f64> {
        let costs: Vec<f64> = self.basis.iter().map(|&j| self.cost[j]).collect();
        let mut prices = gemv_t(self.inverse.view(), &costs);
        let errors: Vec<f64> = self.basis.iter().map(|&j| self.cost[j] - self.along(j, &prices)).collect();
        axpy(1.0, &gemv_t(self.inverse.view(), &errors), &mut prices);
        clean(&mut prices, 1e-13);
        prices
    }

    fn run(&mut self) -> End {
        loop {
            if self.run.since_refresh >= REFRESH && !self.refresh() {
                return End::Stuck;
            }
            let entering = self.entering();
            let Some((j, sign)) = entering else {
                // What looks optimal is looked at again without the rounding of many updates.
                if self.run.since_refresh == 0 {
                    return End::Optimal;
                }
                if !self.refresh() {
                    return End::Stuck;
                }
                continue;
            };
            if self.run.iterations >= self.run.max_iter {
                let _ = self.refresh();
                return End::MaxIter;
            }
            self.run.iterations += 1;
            let column = gemv(self.inverse.view(), &self.column(j));
            match self.leaving(j, sign, &column) {
                None if self.run.since_refresh > 0 => {
                    if !self.refresh() {
                        return End::Stuck;
                    }
                }
                None => return End::Ray(self.ray(j, sign, &column)),
                Some((step, row)) => self.step(j, sign, step, row, &column),
            }
        }
    }

    /// The column of a variable.
    fn column(&self, j: usize) -> Vec<f64> {
        let n = self.columns.n_rows();
        if j < n {
            return self.columns.row(j).to_vec();
        }
        let (i, value) = self.unit(j);
        let mut column = vec![0.0; self.right.len()];
        column[i] = value;
        column
    }

    /// Row and sign of the column of a slack or artificial.
    fn unit(&self, j: usize) -> (usize, f64) {
        let i = j - self.columns.n_rows();
        if i < self.n_slacks { (i, 1.0) } else { (i - self.n_slacks, self.signs[i - self.n_slacks]) }
    }

    /// The product of a variable's column with prices.
    fn along(&self, j: usize, prices: &[f64]) -> f64 {
        if j < self.columns.n_rows() {
            return dot(self.columns.row(j), prices);
        }
        let (i, value) = self.unit(j);
        value * prices[i]
    }

    /// The variable to enter the basis and whether it rises; `None` at an optimum.
    fn entering(&self) -> Option<(usize, f64)> {
        let prices = self.prices();
        let careful = self.run.idle > PATIENCE;
        let mut best: Option<(usize, f64)> = None;
        let mut most = self.run.tol;
        for j in 0..self.x.len() {
            if self.at[j] == At::Basic || self.lower[j] == self.upper[j] {
                continue;
            }
            let reduced = self.cost[j] - self.along(j, &prices);
            let promises = match self.at[j] {
                At::Lower => -reduced,
                At::Upper => reduced,
                At::Zero => reduced.abs(),
                At::Basic => 0.0,
            };
            if promises > most {
                best = Some((j, if reduced < 0.0 { 1.0 } else { -1.0 }));
                if careful {
                    break;
                }
                most = promises;
            }
        }
        best
    }

    /// How far variable `j` can go, and the row that stops it (none where its own other bound does).
    fn leaving(&self, j: usize, sign: f64, column: &[f64]) -> Option<(f64, Option<usize>)> {
        let own = self.upper[j] - self.lower[j];
        let size = column.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let room = |i: usize| {
            let (k, rate) = (self.basis[i], -sign * column[i]);
            let bound = if rate < 0.0 { self.lower[k] } else { self.upper[k] };
            let blocks = rate.abs() > PIVOT * size && bound.is_finite();
            blocks.then(|| ((bound - self.x[k]) / rate).max(0.0))
        };
        let careful = self.run.idle > PATIENCE;
        let slack = if careful { 0.0 } else { 0.1 * self.run.tol };
        let rooms: Vec<Option<f64>> = (0..column.len()).map(room).collect();
        let reach = rooms.iter().zip(column).fold(f64::INFINITY, |m, (r, v)| match r {
            Some(r) => m.min(r + slack / v.abs()),
            None => m,
        });
        if own <= reach {
            return own.is_finite().then_some((own, None));
        }
        let better = |i: usize, k: usize| match careful {
            true => self.basis[i] < self.basis[k],
            false => column[i].abs() > column[k].abs(),
        };
        let mut chosen: Option<(f64, usize)> = None;
        for (i, room) in rooms.iter().enumerate() {
            if let Some(room) = *room
                && room <= reach
                && chosen.is_none_or(|(_, k)| better(i, k))
            {
                chosen = Some((room, i));
            }
        }
        chosen.map(|(step, i)| (step, Some(i)))
    }

    /// Moves variable `j`; where a row stops it, `j` takes the place of that row's variable.
    fn step(&mut self, j: usize, sign: f64, step: f64, row: Option<usize>, column: &[f64]) {
        self.run.idle = if step > 1e-12 { 0 } else { self.run.idle + 1 };
        for (&k, v) in self.basis.iter().zip(column) {
            self.x[k] -= sign * step * v;
        }
        self.x[j] += sign * step;
        let Some(row) = row else {
            self.at[j] = if sign > 0.0 { At::Upper } else { At::Lower };
            self.x[j] = if sign > 0.0 { self.upper[j] } else { self.lower[j] };
            return;
        };
        let leaves = self.basis[row];
        let falls = sign * column[row] > 0.0;
        self.at[leaves] = if falls { At::Lower } else { At::Upper };
        self.x[leaves] = if falls { self.lower[leaves] } else { self.upper[leaves] };
        self.at[j] = At::Basic;
        self.basis[row] = j;
        self.pivot(row, column);
        self.run.since_refresh += 1;
    }

    /// The inverse after the column of `row` was replaced.
    fn pivot(&mut self, row: usize, column: &[f64]) {
        scale(1.0 / column[row], self.inverse.row_mut(row));
        let top = self.inverse.row(row).to_vec();
        for (i, v) in column.iter().enumerate() {
            if i != row && *v != 0.0 {
                axpy(-v, &top, self.inverse.row_mut(i));
            }
        }
    }

    /// Inverse and basic variables from scratch; false where the basis is singular.
    fn refresh(&mut self) -> bool {
        let m = self.right.len();
        let mut basis = Mat::zeros(m, m);
        for (k, &j) in self.basis.iter().enumerate() {
            self.column(j).iter().enumerate().for_each(|(i, v)| basis[(i, k)] = *v);
        }
        let Some(lu) = Lu::new(basis) else { return false };
        self.inverse = lu.inverse();
        self.run.since_refresh = 0;
        let valid = self.inverse.view().find_non_finite().is_none();
        // Twice, since the second time corrects the rounding of the first.
        for _ in 0..2 {
            let missing = self.residual();
            for (&k, v) in self.basis.iter().zip(lu.solve(&missing)) {
                self.x[k] += v;
            }
        }
        valid
    }

    /// right − M x − s − a.
    fn residual(&self) -> Vec<f64> {
        let n = self.columns.n_rows();
        let mut left = self.right.clone();
        axpy(-1.0, &gemv_t(self.columns.view(), &self.x[..n]), &mut left);
        for j in n..self.x.len() {
            let (i, value) = self.unit(j);
            left[i] -= value * self.x[j];
        }
        left
    }

    /// The direction of the program's variables as `j` moves for ever.
    fn ray(&self, j: usize, sign: f64, column: &[f64]) -> Vec<f64> {
        let mut ray = vec![0.0; self.x.len()];
        ray[j] = sign;
        for (&k, v) in self.basis.iter().zip(column) {
            ray[k] = -sign * v;
        }
        ray.truncate(self.columns.n_rows());
        clean(&mut ray, 1e-11);
        ray
    }
}

/// Takes what is tiny beside the largest for the zero that it is the rounding of.
pub(crate) fn clean(values: &mut [f64], share: f64) {
    let size = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    values.iter_mut().filter(|v| v.abs() < share * size).for_each(|v| *v = 0.0);
}
