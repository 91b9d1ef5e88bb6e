//! Solvers of smooth problems on the standard test functions, with and without bounds, and where they must fail.

mod functions;

use functions::{all, distance};
use mercer_math::{Mat, dot, gemv, normal, rng_for};
use mercer_optim::*;
use std::ops::ControlFlow;

#[test]
fn gradients_of_the_test_functions() {
    for mut case in all() {
        let x: Vec<f64> = case.minima[0].iter().map(|v| v + 0.17).collect();
        assert!(check_gradient(&mut case, &x) < 1e-6, "{}", case.name);
        for minimum in case.minima.clone() {
            let mut grad = vec![0.0; minimum.len()];
            let value = case.value_grad(&minimum, &mut grad);
            assert!(value - case.value < 49.0, "{}: {value}", case.name);
        }
    }
}

#[test]
fn every_solver_on_every_function() {
    type Solver = (&'static str, fn(&mut dyn Objective, &[f64]) -> Solution);
    let solvers: [Solver; 6] = [
        ("lbfgs", |f, x| lbfgs(f, x, &Lbfgs { tol: 1e-8, max_iter: 5000, ..Lbfgs::default() }, None)),
        ("newton_cg", |f, x| {
            newton_cg(f, x, &NewtonCg { tol: 1e-8, max_iter: 5000, ..NewtonCg::default() }, None)
        }),
        ("lbfgsb", |f, x| {
            let (lower, upper) = (vec![f64::NEG_INFINITY; x.len()], vec![f64::INFINITY; x.len()]);
            let settings = LbfgsB { tol: 1e-8, max_iter: 5000, ..LbfgsB::default() };
            lbfgsb(f, x, &lower, &upper, &settings, None).unwrap()
        }),
        ("owlqn", |f, x| {
            let settings = OwlQn { tol: 1e-8, max_iter: 5000, ..OwlQn::default() };
            owlqn(f, x, &vec![0.0; x.len()], &settings, None).unwrap()
        }),
        ("cg hz", |f, x| {
            nonlinear_cg(f, x, &NonlinearCg { tol: 1e-8, max_iter: 50_000, ..NonlinearCg::default() }, None)
                .unwrap()
        }),
        ("cg pr", |f, x| {
            let conjugacy = Conjugacy::PolakRibiere;
            nonlinear_cg(f, x, &NonlinearCg { conjugacy, tol: 1e-8, max_iter: 50_000 }, None).unwrap()
        }),
    ];
    let mut failed = Vec::new();
    for (name, solve) in solvers {
        for mut case in all() {
            let start = case.start.clone();
            let found = solve(&mut case, &start);
            // The singular valley of Powell is flat to the fourth order.
            let tol = if case.name.starts_with("Powell") { 2e-2 } else { 1e-5 };
            if distance(&case, &found.x) > tol {
                failed.push(format!("{name} on {}: {found:?}", case.name));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A convex quadratic with a dense matrix: ½ x'Ax − b'x.
#[derive(Clone)]
struct Dense {
    a: Mat,
    b: Vec<f64>,
}

impl Dense {
    fn random(n: usize, seed: u64) -> Self {
        let mut rng = rng_for(seed, 0);
        let root = Mat::from_fn(n + 5, n, |_, _| normal(&mut rng));
        Self {
            a: mercer_math::matmul(root.view().t(), root.view()),
            b: (0..n).map(|_| 5.0 * normal(&mut rng)).collect(),
        }
    }
}

impl Objective for Dense {
    fn dim(&self) -> usize {
        self.b.len()
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        grad.copy_from_slice(&gemv(self.a.view(), x));
        let value = 0.5 * dot(grad, x) - dot(&self.b, x);
        grad.iter_mut().zip(&self.b).for_each(|(g, b)| *g -= b);
        value
    }

    fn hess_vec(&mut self, _: &[f64], v: &[f64], out: &mut [f64]) -> bool {
        out.copy_from_slice(&gemv(self.a.view(), v));
        true
    }
}

#[test]
fn bounds_agree_with_the_quadratic_program() {
    for seed in 0..30 {
        let mut f = Dense::random(12, seed);
        let mut rng = rng_for(seed, 1);
        let lower: Vec<f64> =
            (0..12).map(|j| if j % 3 == 0 { f64::NEG_INFINITY } else { -normal(&mut rng).abs() }).collect();
        let upper: Vec<f64> =
            (0..12).map(|j| if j % 4 == 0 { f64::INFINITY } else { normal(&mut rng).abs() * 0.3 }).collect();
        let constraints = Constraints::none(12).with_bounds(lower.clone(), upper.clone());
        let q: Vec<f64> = f.b.iter().map(|b| -b).collect();
        let exact = solve_qp(&f.a, &q, &constraints, &QpSettings::default()).unwrap().optimum().unwrap();
        let settings = LbfgsB { tol: 1e-9, ..LbfgsB::default() };
        let start = vec![7.0; 12];
        let set = Prox::Box { lower: lower.clone(), upper: upper.clone() };
        let slow = Proximal { tol: 1e-9, max_iter: 100_000, ..Proximal::default() };
        let found = [
            lbfgsb(&mut f, &start, &lower, &upper, &settings, None).unwrap(),
            proximal_gradient(&mut f, &set, &start, &slow, None).unwrap(),
            projected_gradient(&mut f, &set, &start, &slow, None).unwrap(),
        ];
        for (k, found) in found.iter().enumerate() {
            assert_eq!(found.stop, Stop::Converged, "solver {k}, seed {seed}: {found:?}");
            assert!(constraints.violation(&found.x) == 0.0);
            let apart = found.x.iter().zip(&exact.x).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(apart < 1e-7, "solver {k}, seed {seed}: {apart}");
        }
    }
}

#[test]
fn conjugate_gradients_solve_systems() {
    let f = Dense::random(40, 3);
    let mut product = |v: &[f64], out: &mut [f64]| out.copy_from_slice(&gemv(f.a.view(), v));
    let exact = mercer_math::Cholesky::new(&f.a).unwrap().solve_vec(&f.b);
    let settings = LinearCg { tol: 1e-12, max_iter: 2000 };
    let plain = linear_cg(&mut product, None, &f.b, &[0.0; 40], &settings).unwrap();
    let mut diagonal = |r: &[f64], z: &mut [f64]| (0..40).for_each(|i| z[i] = r[i] / f.a[(i, i)]);
    let helped = linear_cg(&mut product, Some(&mut diagonal), &f.b, &[1.0; 40], &settings).unwrap();
    for found in [&plain, &helped] {
        assert_eq!(found.stop, Stop::Converged);
        assert!(found.x.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-7 * (1.0 + b.abs())));
    }
    // Distinct eigenvalues bound the iterations.
    let mut three = |v: &[f64], out: &mut [f64]| (0..40).for_each(|i| out[i] = v[i] * (1 + i % 3) as f64);
    let few = linear_cg(&mut three, None, &f.b, &[0.0; 40], &LinearCg::default()).unwrap();
    assert!(few.stop == Stop::Converged && few.iterations <= 3);
    // An indefinite matrix is said.
    let mut saddle = |v: &[f64], out: &mut [f64]| (0..2).for_each(|i| out[i] = v[i] * [1.0, -3.0][i]);
    assert_eq!(
        linear_cg(&mut saddle, None, &[1.0, 1.0], &[0.0; 2], &settings).unwrap().stop,
        Stop::NoProgress
    );
    assert!(linear_cg(&mut saddle, None, &[f64::NAN], &[0.0], &settings).is_err());
    assert_eq!(linear_cg(&mut |_, _| {}, None, &[], &[], &settings).unwrap().stop, Stop::Converged);
}

#[test]
fn steps_of_gradient_descent() {
    let mut f = Dense { a: Mat::from_rows(&[[2.0, 0.0], [0.0, 10.0]]).unwrap(), b: vec![0.0; 2] };
    let rules = [
        StepRule::Fixed(0.1),
        StepRule::Decaying(Schedule::InverseScaling { first: 0.1, power: 0.3 }),
        StepRule::Optimal,
        StepRule::Backtracking { first: 1.0 },
        StepRule::Wolfe(Wolfe::default()),
    ];
    for step in rules {
        let settings = GradientDescent { step, ..GradientDescent::default() };
        let found = gradient_descent(&mut f, &[3.0, 1.0], &settings, None);
        assert_eq!(found.stop, Stop::Converged, "{step:?}");
        assert!(found.x.iter().all(|x| x.abs() < 1e-6), "{step:?}");
    }
    // The optimal step of 001 eq. 8.17 is the exact minimum along the gradient: successive gradients are orthogonal.
    let settings = GradientDescent { step: StepRule::Optimal, max_iter: 1, ..GradientDescent::default() };
    let found = gradient_descent(&mut f, &[3.0, 1.0], &settings, None);
    let (before, mut after) = ([6.0, 10.0], [0.0; 2]);
    f.value_grad(&found.x, &mut after);
    assert!(dot(&before, &after).abs() < 1e-12);
    // And the rate of Kantorovich's inequality is kept from its worst start.
    let ratio: f64 = ((10.0 - 2.0) / (10.0 + 2.0f64)).powi(2);
    let mut values = Vec::new();
    let mut monitor = |step: &Step| {
        values.push(step.value);
        ControlFlow::Continue(())
    };
    let settings = GradientDescent { step: StepRule::Optimal, max_iter: 20, ..GradientDescent::default() };
    gradient_descent(&mut f, &[5.0, 1.0], &settings, Some(&mut monitor));
    assert!(values.windows(2).all(|v| v[1] <= (ratio + 1e-9) * v[0]));
    assert!((values[5] / values[4] - ratio).abs() < 1e-6, "{}", values[5] / values[4]);
}

#[test]
fn newton_fails_at_the_cube_root() {
    // 001 §8.3.1: for f(x) = x^(1/3) every step is x -> -2x, from any start but the root.
    let mut seen = Vec::new();
    let mut cube_root = |x: f64| {
        seen.push(x);
        (x.cbrt(), x.cbrt().powi(-2) / 3.0)
    };
    for start in [1e-9, -0.3, 1.0, 40.0] {
        let found = newton_root(&mut cube_root, start, &NewtonRoot::default()).unwrap();
        assert_eq!(found.stop, RootStop::Diverged, "{start}: {found:?}");
        assert!(found.x.abs() > 500.0 * start.abs());
    }
    assert!(
        seen.windows(2)
            .filter(|p| p[1] != -0.3 && p[1] != 1.0 && p[1] != 40.0)
            .all(|p| (p[1] / p[0] + 2.0).abs() < 1e-9)
    );
    // As a minimum: f' = x^(1/3), f = ¾ |x|^(4/3); the line search of `newton` saves it.
    struct FourThirds;
    impl Objective for FourThirds {
        fn dim(&self) -> usize {
            1
        }
        fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
            grad[0] = x[0].cbrt();
            0.75 * x[0].abs().powf(4.0 / 3.0)
        }
    }
    let mut hessian = |x: &[f64], h: &mut Mat| h[(0, 0)] = x[0].cbrt().powi(-2) / 3.0;
    let found =
        newton(&mut FourThirds, &mut hessian, &[1.0], &Newton { tol: 1e-4, ..Newton::default() }, None);
    assert!(found.stop == Stop::Converged && found.x[0].abs() < 1e-10, "{found:?}");
}

#[test]
fn orders_of_convergence() {
    let errors = |f: fn(f64) -> (f64, f64), start: f64, root: f64| {
        let mut seen = Vec::new();
        let mut watched = |x: f64| {
            seen.push((x - root).abs());
            f(x)
        };
        let found =
            newton_root(&mut watched, start, &NewtonRoot { tol: 0.0, ..NewtonRoot::default() }).unwrap();
        // A double root is never reached to the last bit.
        assert!(matches!(found.stop, RootStop::Converged | RootStop::MaxIter), "{found:?}");
        seen
    };
    // A simple root: errors are squared. A double root: errors are halved.
    let simple = errors(|x| (x * x - 2.0, 2.0 * x), 2.0, 2f64.sqrt());
    assert!(simple.windows(2).take(4).all(|e| e[1] <= 0.5 * e[0] * e[0]), "{simple:?}");
    let double = errors(|x| (x * x, 2.0 * x), 1.0, 0.0);
    assert!(double.windows(2).take(20).all(|e| (e[1] / e[0] - 0.5).abs() < 1e-12));
}

#[test]
fn systems_and_their_failures() {
    let settings = NewtonRoot::default();
    let mut circle = |x: &[f64], f: &mut [f64], j: &mut Mat| {
        f.copy_from_slice(&[x[0] * x[0] + x[1] * x[1] - 4.0, x[0] - x[1]]);
        j.as_mut_slice().copy_from_slice(&[2.0 * x[0], 2.0 * x[1], 1.0, -1.0]);
    };
    let found = newton_system(&mut circle, &[1.0, 0.5], &settings).unwrap();
    assert!(found.stop == RootStop::Converged && found.x.iter().all(|x| (x - 2f64.sqrt()).abs() < 1e-12));
    assert_eq!(newton_system(&mut circle, &[0.0, 0.0], &settings).unwrap().stop, RootStop::Singular);
    assert!(newton_system(&mut circle, &[f64::NAN, 0.0], &settings).is_err());
    assert_eq!(newton_system(&mut |_, _, _| {}, &[], &settings).unwrap().stop, RootStop::Converged);
    // atan: beyond 1.39 plain Newton diverges, damped Newton converges.
    let mut arc = |x: f64| (x.atan(), 1.0 / (1.0 + x * x));
    let plain = newton_root(&mut arc, 2.0, &settings).unwrap();
    assert!(matches!(plain.stop, RootStop::Diverged | RootStop::Singular), "{plain:?}");
    let damped = newton_root(&mut arc, 2.0, &NewtonRoot { damped: true, ..settings.clone() }).unwrap();
    assert!(damped.stop == RootStop::Converged && damped.x.abs() < 1e-9);
    // No root at all.
    let none = newton_root(&mut |x| (x * x + 1.0, 2.0 * x), 0.7, &settings).unwrap();
    assert_ne!(none.stop, RootStop::Converged);
    let none =
        newton_root(&mut |x| (x * x + 1.0, 2.0 * x), 0.7, &NewtonRoot { damped: true, ..settings.clone() })
            .unwrap();
    assert!(matches!(none.stop, RootStop::NoProgress | RootStop::Singular | RootStop::MaxIter), "{none:?}");
    assert_eq!(newton_root(&mut |_| (f64::NAN, 1.0), 0.0, &settings).unwrap().stop, RootStop::Diverged);
    assert_eq!(newton_root(&mut |_| (1.0, 0.0), 0.0, &settings).unwrap().stop, RootStop::Singular);
}

/// NaN everywhere, or from the second evaluation on.
struct Nan(usize, usize);

impl Objective for Nan {
    fn dim(&self) -> usize {
        self.0
    }

    fn value_grad(&mut self, _: &[f64], grad: &mut [f64]) -> f64 {
        let bad = self.1 == 0;
        self.1 = self.1.saturating_sub(1);
        grad.fill(if bad { f64::NAN } else { 1.0 });
        if bad { f64::NAN } else { 1.0 }
    }
}

#[test]
fn bad_input_is_said() {
    for good in [0, 1] {
        let x = [0.5; 3];
        let found = [
            lbfgsb(&mut Nan(3, good), &x, &[0.0; 3], &[1.0; 3], &LbfgsB::default(), None).unwrap(),
            owlqn(&mut Nan(3, good), &x, &[0.1; 3], &OwlQn::default(), None).unwrap(),
            nonlinear_cg(&mut Nan(3, good), &x, &NonlinearCg::default(), None).unwrap(),
            proximal_gradient(&mut Nan(3, good), &Prox::Zero, &x, &Proximal::default(), None).unwrap(),
        ];
        assert!(found.iter().all(|f| f.stop == Stop::NoProgress), "{found:?}");
    }
    // No variables.
    let mut empty = Dense { a: Mat::zeros(0, 0), b: vec![] };
    assert_eq!(lbfgsb(&mut empty, &[], &[], &[], &LbfgsB::default(), None).unwrap().stop, Stop::Converged);
    assert_eq!(owlqn(&mut empty, &[], &[], &OwlQn::default(), None).unwrap().stop, Stop::Converged);
    assert_eq!(nonlinear_cg(&mut empty, &[], &NonlinearCg::default(), None).unwrap().stop, Stop::Converged);
    assert_eq!(
        proximal_gradient(&mut empty, &Prox::Zero, &[], &Proximal::default(), None).unwrap().stop,
        Stop::Converged
    );
    // Wrong lengths, contradictions.
    let mut f = Dense::random(2, 0);
    let text = |r: mercer_core::Result<Solution>| r.unwrap_err().to_string();
    let settings = LbfgsB::default();
    assert!(
        text(lbfgsb(&mut f, &[0.0], &[0.0; 2], &[1.0; 2], &settings, None))
            .contains("starting values of lbfgsb")
    );
    assert!(text(lbfgsb(&mut f, &[0.0; 2], &[0.0; 2], &[1.0, -1.0], &settings, None)).contains("bounds[1]"));
    assert!(
        text(lbfgsb(&mut f, &[0.0; 2], &[0.0; 2], &[1.0, f64::NAN], &settings, None)).contains("bounds[1]")
    );
    assert!(text(owlqn(&mut f, &[0.0; 2], &[0.0, -1.0], &OwlQn::default(), None)).contains("l1[1]"));
    assert!(text(owlqn(&mut f, &[0.0; 2], &[0.0], &OwlQn::default(), None)).contains("weights"));
    assert!(text(nonlinear_cg(&mut f, &[f64::NAN; 2], &NonlinearCg::default(), None)).contains("`x0`"));
    let prox = Prox::L1 { weight: f64::NAN };
    assert!(
        text(proximal_gradient(&mut f, &prox, &[0.0; 2], &Proximal::default(), None)).contains("`weight`")
    );
}

#[test]
fn limits_and_monitors() {
    let mut f = Dense::random(6, 1);
    let x = [1.0; 6];
    let (lower, upper) = ([-9.0; 6], [9.0; 6]);
    let mut stop_at_two =
        |s: &Step| if s.iteration >= 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let found = [
        lbfgsb(&mut f, &x, &lower, &upper, &LbfgsB::default(), Some(&mut stop_at_two)).unwrap(),
        owlqn(&mut f, &x, &[0.1; 6], &OwlQn::default(), Some(&mut stop_at_two)).unwrap(),
        nonlinear_cg(&mut f, &x, &NonlinearCg::default(), Some(&mut stop_at_two)).unwrap(),
        proximal_gradient(&mut f, &Prox::NonNegative, &x, &Proximal::default(), Some(&mut stop_at_two))
            .unwrap(),
    ];
    assert!(found.iter().all(|f| (f.stop, f.iterations) == (Stop::Interrupted, 2)), "{found:?}");
    let found = [
        lbfgsb(&mut f, &x, &lower, &upper, &LbfgsB { max_iter: 1, ..LbfgsB::default() }, None).unwrap(),
        owlqn(&mut f, &x, &[0.1; 6], &OwlQn { max_iter: 1, ..OwlQn::default() }, None).unwrap(),
        nonlinear_cg(&mut f, &x, &NonlinearCg { max_iter: 1, ..NonlinearCg::default() }, None).unwrap(),
        proximal_gradient(&mut f, &Prox::Zero, &x, &Proximal { max_iter: 1, ..Proximal::default() }, None)
            .unwrap(),
    ];
    assert!(found.iter().all(|f| (f.stop, f.iterations) == (Stop::MaxIter, 1)), "{found:?}");
}
