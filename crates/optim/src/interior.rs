//! Mehrotra's interior point, under [`solve_qp`](crate::solve_qp).

use crate::lu::Lu;
use crate::objective::{Stop, sup_norm};
use mercer_math::{Mat, axpy, dot, gemv, gemv_t, weighted_gram};

/// The weight of |x − xₖ|²/2 and |z − zₖ|²/2 in a proximal point.
const NEAR: f64 = 1e-4;

/// Inequalities: rows of a matrix, then bounds as (variable, sign).
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) g: Mat,
    pub(crate) bounds: Vec<(usize, f64)>,
}

impl Rows {
    fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = gemv(self.g.view(), x);
        out.extend(self.bounds.iter().map(|(j, sign)| sign * x[*j]));
        out
    }

    fn t_times(&self, z: &[f64]) -> Vec<f64> {
        let (rows, bounds) = z.split_at(self.g.n_rows());
        let mut out = gemv_t(self.g.view(), rows);
        self.bounds.iter().zip(bounds).for_each(|((j, sign), z)| out[*j] += sign * z);
        out
    }

    /// Adds Cᵀ diag(w) C to the lower triangle.
    fn add_gram(&self, weights: &[f64], out: &mut Mat) {
        let (rows, bounds) = weights.split_at(self.g.n_rows());
        if !rows.is_empty() {
            weighted_gram(self.g.view(), Some(rows), None, out);
        }
        self.bounds.iter().zip(bounds).for_each(|((j, _), w)| out[(*j, *j)] += w);
    }
}

/// A point with its slacks and multipliers.
#[derive(Clone, Debug)]
pub(crate) struct Iterate {
    pub(crate) x: Vec<f64>,
    s: Vec<f64>,
    pub(crate) z: Vec<f64>,
    pub(crate) y: Vec<f64>,
}

/// min x'Px / 2 + q'x  s.t.  C x <= d,  A x = b.
#[derive(Clone, Debug)]
pub(crate) struct Interior {
    p: Mat,
    q: Vec<f64>,
    c: Rows,
    d: Vec<f64>,
    a: Mat,
    b: Vec<f64>,
    /// By how much a constraint gives way for each unit that its multiplier is above `centre`: C x − soft (z − centre) <= d.
    soft: f64,
    centre: Vec<f64>,
    best: Iterate,
    iterations: usize,
}

/// What is missing of each optimality condition.
struct Residuals {
    dual: Vec<f64>,
    primal: Vec<f64>,
    equal: Vec<f64>,
    gap: f64,
    /// The largest of all, relative to the size of its terms.
    worst: f64,
}

impl Interior {
    pub(crate) fn new(p: Mat, q: Vec<f64>, c: Rows, d: Vec<f64>, a: Mat, b: Vec<f64>) -> Self {
        let best = Iterate {
            x: vec![0.0; q.len()],
            s: vec![1.0; d.len()],
            z: vec![1.0; d.len()],
            y: vec![0.0; b.len()],
        };
        let centre = vec![0.0; d.len()];
        Self { p, q, c, d, a, b, soft: 0.0, centre, best, iterations: 0 }
    }

    /// The iterate of least residual.
    pub(crate) fn best(&self) -> &Iterate {
        &self.best
    }

    pub(crate) fn bounds(&self) -> &[(usize, f64)] {
        &self.c.bounds
    }

    pub(crate) fn iterations(&self) -> usize {
        self.iterations
    }

    /// Runs until the relative residuals are at most `tol`; the best iterate is kept.
    pub(crate) fn solve(&mut self, tol: f64, max_iter: usize) -> Stop {
        let stop = self.finish(tol, max_iter);
        if stop == Stop::NoProgress && self.residuals(&self.best).worst < 1e-3 {
            self.approach(tol, max_iter);
        }
        if self.residuals(&self.best).worst <= tol { Stop::Converged } else { stop }
    }

    /// Interior points, and the last digits from the constraints that bind.
    fn finish(&mut self, tol: f64, max_iter: usize) -> Stop {
        let stop = self.run(tol, max_iter);
        if let Some(at) = self.polish() {
            self.keep(at);
        }
        if self.residuals(&self.best).worst <= tol { Stop::Converged } else { stop }
    }

    /// Proximal points and multipliers: where the solutions form an unbounded set, or the feasible set has no inside, the
    /// centre that interior points follow runs away. Programs with |x − xₖ|² added, whose constraints give way to
    /// multipliers above zₖ, have one solution each, which come to rest at a solution of the program itself.
    /// R. T. Rockafellar. Augmented Lagrangians and applications of the proximal point algorithm. Math. Oper. Res. 1(2), 1976.
    fn approach(&mut self, tol: f64, max_iter: usize) {
        let mut last = self.best.clone();
        for _ in 0..10 {
            let mut near = Self { iterations: 0, ..self.clone() };
            for j in 0..self.q.len() {
                near.p[(j, j)] += NEAR;
                near.q[j] -= NEAR * last.x[j];
            }
            (near.soft, near.centre) = (NEAR, last.z);
            near.run(tol, max_iter);
            self.iterations += near.iterations;
            last = near.best.clone();
            self.keep(near.best.clone());
            if let Some(at) = self.polish() {
                self.keep(at);
            }
            if self.residuals(&self.best).worst <= tol || near.residuals(&near.best).worst > 1e-6 {
                return;
            }
        }
    }

    /// Takes an iterate for the best, if it is.
    fn keep(&mut self, at: Iterate) {
        if self.residuals(&at).worst < self.residuals(&self.best).worst {
            self.best = at;
        }
    }

    fn run(&mut self, tol: f64, max_iter: usize) -> Stop {
        let Some(mut at) = self.start() else { return Stop::NoProgress };
        let (mut least, mut idle) = (f64::INFINITY, 0);
        loop {
            let residuals = self.residuals(&at);
            idle = if residuals.worst < 0.9 * least { 0 } else { idle + 1 };
            if residuals.worst < least {
                (least, self.best) = (residuals.worst, at.clone());
            }
            // Beyond the tolerance, go on while a step still gains a digit.
            if least <= tol && (least <= 1e-4 * tol || residuals.worst > 0.1 * least || self.d.is_empty()) {
                return Stop::Converged;
            }
            if self.iterations >= max_iter {
                return Stop::MaxIter;
            }
            self.iterations += 1;
            let moved = self.step(&mut at, &residuals);
            if moved.is_none() || idle > 15 {
                return if least <= tol { Stop::Converged } else { Stop::NoProgress };
            }
        }
    }

    /// The solution of the program with squared slacks, moved inside (the start of CVXOPT).
    fn start(&self) -> Option<Iterate> {
        let system = self.system(&vec![1.0; self.d.len()])?;
        let mut right = self.c.t_times(&self.d);
        axpy(-1.0, &self.q, &mut right);
        right.extend_from_slice(&self.b);
        let mut x = system.solve(&right);
        let y = x.split_off(self.q.len());
        let mut s: Vec<f64> = self.c.times(&x).iter().zip(&self.d).map(|(c, d)| d - c).collect();
        let mut z: Vec<f64> = s.iter().map(|s| -s).collect();
        for v in [&mut s, &mut z] {
            let least = v.iter().copied().fold(f64::INFINITY, f64::min);
            if least <= 1e-3 {
                v.iter_mut().for_each(|v| *v += 1.0 - least);
            }
        }
        Some(Iterate { x, s, z, y })
    }

    fn residuals(&self, at: &Iterate) -> Residuals {
        let px = gemv(self.p.view(), &at.x);
        let (cz, ay) = (self.c.t_times(&at.z), gemv_t(self.a.view(), &at.y));
        let dual: Vec<f64> = (0..px.len()).map(|j| px[j] + self.q[j] + cz[j] + ay[j]).collect();
        let cx = self.c.times(&at.x);
        let primal: Vec<f64> = (0..cx.len())
            .map(|i| cx[i] + at.s[i] - self.soft * (at.z[i] - self.centre[i]) - self.d[i])
            .collect();
        let ax = gemv(self.a.view(), &at.x);
        let equal: Vec<f64> = ax.iter().zip(&self.b).map(|(v, b)| v - b).collect();
        let gap = dot(&at.s, &at.z);
        let size = |lists: &[&[f64]]| 1.0 + lists.iter().fold(0.0, |m, v| f64::max(m, sup_norm(v)));
        let value = 0.5 * dot(&at.x, &px) + dot(&self.q, &at.x);
        let worst = (sup_norm(&dual) / size(&[&px, &self.q, &cz, &ay]))
            .max(sup_norm(&primal) / size(&[&self.d]))
            .max(sup_norm(&equal) / size(&[&self.b]))
            .max(gap / (1.0 + value.abs()));
        let whole = [&dual, &primal, &equal].iter().all(|v| v.iter().all(|r| r.is_finite()));
        Residuals { dual, primal, equal, gap, worst: if whole { worst } else { f64::INFINITY } }
    }

    /// One predictor and corrector; `None` where it cannot be computed or leads nowhere.
    fn step(&self, at: &mut Iterate, residuals: &Residuals) -> Option<()> {
        let m = at.s.len();
        let weights: Vec<f64> = at.z.iter().zip(&at.s).map(|(z, s)| z / (s + self.soft * z)).collect();
        let system = self.system(&weights)?;
        let mut products: Vec<f64> = at.s.iter().zip(&at.z).map(|(s, z)| s * z).collect();
        let mut direction = self.direction(&system, at, residuals, &products);
        if m > 0 {
            let length = longest(at, &direction).min(1.0);
            let mean = residuals.gap / m as f64;
            let after = |i: usize| (at.s[i] + length * direction.s[i]) * (at.z[i] + length * direction.z[i]);
            let left = (0..m).map(after).sum::<f64>() / m as f64 / mean;
            let target = left.clamp(0.0, 1.0).powi(3) * mean;
            for (i, product) in products.iter_mut().enumerate() {
                *product += direction.s[i] * direction.z[i] - target;
            }
            direction = self.direction(&system, at, residuals, &products);
        }
        let length = (0.995 * longest(at, &direction)).min(1.0);
        let whole = length > 1e-13 && direction.x.iter().chain(&direction.z).all(|v| v.is_finite());
        whole.then_some(())?;
        axpy(length, &direction.x, &mut at.x);
        axpy(length, &direction.s, &mut at.s);
        axpy(length, &direction.z, &mut at.z);
        axpy(length, &direction.y, &mut at.y);
        Some(())
    }

    /// The Newton direction for complementarity products that should vanish.
    fn direction(&self, system: &System, at: &Iterate, residuals: &Residuals, products: &[f64]) -> Iterate {
        let m = at.s.len();
        let pull: Vec<f64> = (0..m)
            .map(|i| (at.z[i] * residuals.primal[i] - products[i]) / (at.s[i] + self.soft * at.z[i]))
            .collect();
        let mut right = self.c.t_times(&pull);
        axpy(1.0, &residuals.dual, &mut right);
        right.extend_from_slice(&residuals.equal);
        right.iter_mut().for_each(|v| *v = -*v);
        let mut x = system.solve(&right);
        let y = x.split_off(self.q.len());
        let cx = self.c.times(&x);
        let give = |i: usize| at.s[i] + self.soft * at.z[i];
        let z: Vec<f64> =
            (0..m).map(|i| (at.z[i] * (residuals.primal[i] + cx[i]) - products[i]) / give(i)).collect();
        let s = (0..m).map(|i| self.soft * z[i] - residuals.primal[i] - cx[i]).collect();
        Iterate { x, s, z, y }
    }

    /// The minimum with exactly those constraints that bind at the best iterate, as equalities.
    fn polish(&self) -> Option<Iterate> {
        let (n, p) = (self.q.len(), self.b.len());
        let active: Vec<usize> = (0..self.d.len()).filter(|&i| self.best.z[i] > self.best.s[i]).collect();
        let row = |i: usize, j: usize| match i.checked_sub(self.c.g.n_rows()) {
            None => self.c.g[(i, j)],
            Some(k) => {
                if self.c.bounds[k].0 == j {
                    self.c.bounds[k].1
                } else {
                    0.0
                }
            }
        };
        let side = |i: usize, j: usize| if i < p { self.a[(i, j)] } else { row(active[i - p], j) };
        let total = n + p + active.len();
        let whole = Mat::from_fn(total, total, |i, j| match (i < n, j < n) {
            (true, true) => self.p[(i, j)],
            (false, true) => side(i - n, j),
            (true, false) => side(j - n, i),
            (false, false) => 0.0,
        });
        let system = System::new(whole, n, 1e-9)?;
        let right = self.q.iter().map(|q| -q).chain(self.b.iter().copied());
        let right: Vec<f64> = right.chain(active.iter().map(|&i| self.d[i])).collect();
        let mut x = system.solve(&right);
        let y = x.split_off(n);
        let (y, tight) = y.split_at(p);
        let mut z = vec![0.0; self.d.len()];
        active.iter().zip(tight).for_each(|(&i, v)| z[i] = v.max(0.0));
        let s = self.c.times(&x).iter().zip(&self.d).map(|(c, d)| (d - c).max(0.0)).collect();
        Some(Iterate { x, s, z, y: y.to_vec() })
    }

    /// The matrix of the Newton direction with weights z / s.
    fn system(&self, weights: &[f64]) -> Option<System> {
        let (n, p) = (self.q.len(), self.b.len());
        let mut h = self.p.clone();
        self.c.add_gram(weights, &mut h);
        let whole = Mat::from_fn(n + p, n + p, |i, j| match (i < n, j < n) {
            (true, true) => h[(i.max(j), i.min(j))],
            (false, true) => self.a[(i - n, j)],
            (true, false) => self.a[(j - n, i)],
            (false, false) => 0.0,
        });
        System::new(whole, n, 1e-13)
    }
}

/// A factored system, and the matrix without the lift for refinement.
struct System {
    lu: Lu,
    whole: Mat,
}

impl System {
    /// Lifts the diagonal, up for the first `n` rows and down for the rest, so that singular matrices pass.
    fn new(whole: Mat, n: usize, lift: f64) -> Option<Self> {
        let mut lifted = whole.clone();
        for i in 0..whole.n_rows() {
            lifted[(i, i)] += if i < n { lift } else { -lift };
        }
        Some(Self { lu: Lu::new(lifted)?, whole })
    }

    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = self.lu.solve(right);
        let mut error = f64::INFINITY;
        for _ in 0..10 {
            let mut left = right.to_vec();
            axpy(-1.0, &gemv(self.whole.view(), &x), &mut left);
            let now = sup_norm(&left);
            // In positive form, so that NaN ends it.
            let better = now < 0.9 * error && now > 0.0;
            if !better {
                break;
            }
            error = now;
            axpy(1.0, &self.lu.solve(&left), &mut x);
        }
        x
    }
}

/// The longest step that keeps slacks and multipliers positive.
fn longest(at: &Iterate, direction: &Iterate) -> f64 {
    let pairs = at.s.iter().zip(&direction.s).chain(at.z.iter().zip(&direction.z));
    pairs.fold(f64::INFINITY, |m, (v, d)| if *d < 0.0 { m.min(-v / d) } else { m })
}
