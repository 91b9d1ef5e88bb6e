//! Proximal, stochastic and coordinate-wise solvers, and the KKT checker, where answers are known.

use mercer_math::{Mat, below, dot, gemv, gemv_t, normal, rng_for};
use mercer_optim::*;

/// ½ |Ax − b|².
struct Squares {
    a: Mat,
    b: Vec<f64>,
}

impl Squares {
    fn random(n: usize, d: usize, seed: u64) -> Self {
        let mut rng = rng_for(seed, 0);
        Self { a: Mat::from_fn(n, d, |_, _| normal(&mut rng)), b: (0..n).map(|_| normal(&mut rng)).collect() }
    }
}

impl Objective for Squares {
    fn dim(&self) -> usize {
        self.a.n_cols()
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        let residual: Vec<f64> = gemv(self.a.view(), x).iter().zip(&self.b).map(|(v, b)| v - b).collect();
        grad.copy_from_slice(&gemv_t(self.a.view(), &residual));
        0.5 * dot(&residual, &residual)
    }
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

#[test]
fn optimality_of_every_proximal_problem() {
    let parts = [
        Prox::Zero,
        Prox::L1 { weight: 2.0 },
        Prox::L2 { weight: 3.0 },
        Prox::ElasticNet { l1: 1.0, l2: 2.0 },
        Prox::Group { weight: 1.5, groups: vec![vec![0, 1, 2], vec![3, 4]] },
        Prox::Box { lower: vec![-0.1; 6], upper: vec![0.1; 6] },
        Prox::NonNegative,
        Prox::Simplex { total: 1.0 },
        Prox::Ball { radius: 0.3 },
    ];
    for seed in 0..5 {
        for prox in &parts {
            for accelerated in [true, false] {
                let mut f = Squares::random(15, 6, seed);
                let settings = Proximal { accelerated, tol: 1e-9, max_iter: 50_000, ..Proximal::default() };
                let found = proximal_gradient(&mut f, prox, &[1.0; 6], &settings, None).unwrap();
                assert_eq!(found.stop, Stop::Converged, "{prox:?}: {found:?}");
                assert!(found.value.is_finite(), "{prox:?}");
                // A fixed point of the map with any step is a minimum.
                let mut grad = vec![0.0; 6];
                f.value_grad(&found.x, &mut grad);
                for step in [0.01, 1.0] {
                    let mut moved: Vec<f64> = found.x.iter().zip(&grad).map(|(x, g)| x - step * g).collect();
                    prox.map(step, &mut moved);
                    assert!(apart(&moved, &found.x) < 1e-7, "{prox:?}: {}", apart(&moved, &found.x));
                }
            }
        }
    }
}

#[test]
fn acceleration_pays_on_long_valleys() {
    struct Valley;
    impl Objective for Valley {
        fn dim(&self) -> usize {
            50
        }
        fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
            let curvature = |j: usize| 1e4f64.powf(-(j as f64) / 49.0);
            (0..50).for_each(|j| grad[j] = curvature(j) * (x[j] - 1.0));
            (0..50).map(|j| 0.5 * curvature(j) * (x[j] - 1.0).powi(2)).sum()
        }
    }
    let run = |accelerated| {
        let settings = Proximal { accelerated, tol: 1e-8, max_iter: 1_000_000, ..Proximal::default() };
        proximal_gradient(&mut Valley, &Prox::Zero, &[0.0; 50], &settings, None).unwrap()
    };
    let (fast, slow) = (run(true), run(false));
    assert!(fast.stop == Stop::Converged && slow.stop == Stop::Converged);
    assert!(10 * fast.iterations < slow.iterations, "{} and {}", fast.iterations, slow.iterations);
}

#[test]
fn non_negative_three_ways() {
    for seed in 0..20 {
        let mut f = Squares::random(20, 8, seed);
        let exact = nnls(f.a.view(), &f.b, &Nnls::default()).unwrap();
        let settings = LbfgsB { tol: 1e-9, ..LbfgsB::default() };
        let found = lbfgsb(&mut f, &[1.0; 8], &[0.0; 8], &[f64::INFINITY; 8], &settings, None).unwrap();
        assert!(found.stop == Stop::Converged && apart(&found.x, &exact.x) < 1e-8, "seed {seed}");
        let mut coordinates = Kept { residual: f.b.iter().map(|b| -b).collect(), a: f.a.clone() };
        let settings = CoordinateDescent { tol: 1e-12, ..CoordinateDescent::default() };
        let part = Separable::non_negative(8);
        let found = coordinate_descent(&mut coordinates, &part, &[0.0; 8], &settings).unwrap();
        assert!(found.stop == Stop::Converged && apart(&found.x, &exact.x) < 1e-9, "seed {seed}");
    }
}

/// Least squares that keep Ax − b.
struct Kept {
    a: Mat,
    residual: Vec<f64>,
}

impl Coordinates for Kept {
    fn dim(&self) -> usize {
        self.a.n_cols()
    }

    fn partial(&mut self, j: usize) -> f64 {
        dot(&self.a.col(j), &self.residual)
    }

    fn curvature(&self, j: usize) -> f64 {
        dot(&self.a.col(j), &self.a.col(j))
    }

    fn change(&mut self, j: usize, by: f64) {
        mercer_math::axpy(by, &self.a.col(j), &mut self.residual);
    }
}

#[test]
fn edges_of_coordinate_descent() {
    let kept = |a: Mat, b: &[f64]| Kept { a, residual: b.iter().map(|v| -v).collect() };
    let settings = CoordinateDescent::default();
    // A column of zeros has no curvature: it stays, shrinks to zero with a penalty, and is held by bounds.
    let zeros = || kept(Mat::zeros(2, 1), &[1.0, 1.0]);
    let found = coordinate_descent(&mut zeros(), &Separable::none(1), &[3.0], &settings).unwrap();
    assert_eq!((found.x, found.stop), (vec![3.0], Stop::Converged));
    let found = coordinate_descent(&mut zeros(), &Separable::l1(1, 0.1), &[3.0], &settings).unwrap();
    assert_eq!((found.x, found.stop), (vec![0.0], Stop::Converged));
    let none =
        coordinate_descent(&mut kept(Mat::zeros(0, 0), &[]), &Separable::none(0), &[], &settings).unwrap();
    assert_eq!(none.stop, Stop::Converged);
    assert!(coordinate_descent(&mut zeros(), &Separable::l1(1, f64::NAN), &[0.0], &settings).is_err());
    assert!(coordinate_descent(&mut zeros(), &Separable::none(2), &[0.0], &settings).is_err());
    let nan = Mat::from_rows(&[[f64::NAN]]).unwrap();
    assert!(coordinate_descent(&mut kept(nan, &[1.0]), &Separable::none(1), &[0.0], &settings).is_err());
}

#[test]
fn stochastic_rules_reach_the_minimum_of_a_noisy_regression() {
    let f = Squares::random(400, 5, 7);
    let truth = [1.0, -2.0, 0.5, 0.0, 3.0];
    let y = gemv(f.a.view(), &truth);
    let rules = [
        (Rule::Sgd, 0.02),
        (Rule::MOMENTUM, 0.002),
        (Rule::NESTEROV, 0.002),
        (Rule::ADAGRAD, 0.5),
        (Rule::RMSPROP, 0.02),
        (Rule::ADAM, 0.02),
        (Rule::AdamW { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decay: 0.0 }, 0.02),
    ];
    for (rule, rate) in rules {
        let schedule = Schedule::InverseScaling { first: rate, power: 0.1 };
        let mut machine = Stochastic::new(vec![0.0; 5], rule, schedule).unwrap();
        let mut rng = rng_for(3, 0);
        for _ in 0..20_000 {
            // A mini-batch of four rows.
            let mut grad = vec![0.0; 5];
            for _ in 0..4 {
                let i = below(&mut rng, 400);
                let error = dot(f.a.row(i), machine.point()) - y[i];
                mercer_math::axpy(0.25 * error, f.a.row(i), &mut grad);
            }
            machine.step(&grad).unwrap();
        }
        assert!(apart(machine.point(), &truth) < 1e-3, "{rule:?}: {:?}", machine.point());
    }
}

#[test]
fn robbins_and_monro_find_a_quantile() {
    // The 0.8-quantile of a normal: the root of E[1{Z <= θ} − 0.8], seen one Z at a time.
    let schedule = Schedule::RobbinsMonro { scale: 3.0, shift: 10.0, power: 0.9 };
    assert!(schedule.robbins_monro().holds());
    let mut machine = Stochastic::new(vec![0.0], Rule::Sgd, schedule).unwrap();
    let mut rng = rng_for(42, 0);
    for _ in 0..200_000 {
        let below = if normal(&mut rng) <= machine.point()[0] { 1.0 } else { 0.0 };
        machine.step(&[below - 0.8]).unwrap();
    }
    assert!((machine.point()[0] - 0.841_621).abs() < 0.02, "{:?}", machine.point());
}

#[test]
fn stochastic_machines_refuse() {
    let rate = Schedule::Constant(0.1);
    assert!(Stochastic::new(vec![f64::NAN], Rule::Sgd, rate).is_err());
    assert!(Stochastic::new(vec![0.0], Rule::Momentum { beta: 1.0 }, rate).is_err());
    assert!(
        Stochastic::new(vec![0.0], Rule::Adam { beta1: 0.9, beta2: f64::NAN, epsilon: 0.0 }, rate).is_err()
    );
    assert!(Stochastic::new(vec![0.0], Rule::Sgd, Schedule::Constant(f64::INFINITY)).is_err());
    let mut machine = Stochastic::new(vec![1.0], Rule::ADAGRAD, rate).unwrap();
    let before = machine.clone();
    assert!(machine.step(&[f64::NAN]).is_err() && machine.step(&[1.0, 2.0]).is_err());
    assert_eq!(machine, before);
    // No gradient, no step.
    machine.step(&[0.0]).unwrap();
    assert_eq!(machine.point(), [1.0]);
}

/// A function by its closure.
struct By<F>(usize, F);

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Objective for By<F> {
    fn dim(&self) -> usize {
        self.0
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        (self.1)(x, grad)
    }
}

#[test]
fn residuals_of_a_curved_problem() {
    // min x + y  s.t.  x² + y² <= 2, x − y = 0: (−1, −1) with z = ½, y = 0.
    let mut f = By(2, |x: &[f64], g: &mut [f64]| {
        g.fill(1.0);
        x[0] + x[1]
    });
    let mut disc = By(2, |x: &[f64], g: &mut [f64]| {
        g.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
        dot(x, x) - 2.0
    });
    let mut line = By(2, |x: &[f64], g: &mut [f64]| {
        g.copy_from_slice(&[1.0, -1.0]);
        x[0] - x[1]
    });
    let mut at = |x: [f64; 2], z: f64, y: f64| {
        kkt(&mut f, &mut [&mut disc], &mut [&mut line], &x, &[z], &[y]).unwrap()
    };
    let good = at([-1.0, -1.0], 0.5, 0.0);
    assert!(good.holds(1e-12) && good.worst() == 0.0, "{good:?}");
    // Each residual alone.
    assert_eq!(at([-1.0, -1.0], 0.25, 0.0).stationarity, 0.5);
    assert_eq!(at([-2.0, -2.0], 0.25, 0.0).primal_inequality, 6.0);
    assert_eq!(at([-1.0, 1.0], 0.0, 0.0).primal_equality, 2.0);
    assert_eq!(at([1.0, 1.0], -0.5, 0.0).dual, 0.5);
    assert_eq!(at([1.0, 1.0], -0.5, 0.0).stationarity, 0.0);
    assert_eq!(at([0.0, 0.0], 0.5, 0.0).complementarity, 1.0);
    assert!(at([f64::NAN, 0.0], 0.5, 0.0).worst().is_nan());
    assert!(!at([f64::NAN, 0.0], 0.5, 0.0).holds(1e9));
    assert!(!at([-1.0, -1.0], f64::NAN, 0.0).holds(1e9));
    // The multipliers are found where they exist, and miss where they do not.
    let (z, y) = kkt_multipliers(&mut f, &mut [&mut disc], &mut [&mut line], &[-1.0, -1.0], 1e-9).unwrap();
    assert!((z[0] - 0.5).abs() < 1e-12 && y[0].abs() < 1e-12);
    let (z, y) = kkt_multipliers(&mut f, &mut [&mut disc], &mut [&mut line], &[1.0, 1.0], 1e-9).unwrap();
    assert_eq!(z[0], 0.0);
    assert!(!kkt(&mut f, &mut [&mut disc], &mut [&mut line], &[1.0, 1.0], &z, &y).unwrap().holds(1e-3));
    assert!(kkt(&mut f, &mut [], &mut [], &[0.0; 3], &[], &[]).is_err());
    assert!(kkt(&mut f, &mut [&mut disc], &mut [], &[0.0; 2], &[], &[]).is_err());
}
