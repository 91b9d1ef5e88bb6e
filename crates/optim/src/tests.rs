//! Tests of all solvers on the same problems.

use crate::problems::{Barrier, Closure, Logistic, Quadratic, Rosenbrock, rosenbrock_hessian};
use crate::*;
use mercer_math::{Mat, dot};
use std::ops::ControlFlow;

fn far(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs()))
}

fn by_lbfgs(objective: &mut dyn Objective, x0: &[f64], tol: f64) -> Solution {
    lbfgs(objective, x0, &Lbfgs { tol, ..Lbfgs::default() }, None)
}

fn by_newton_cg(objective: &mut dyn Objective, x0: &[f64], tol: f64) -> Solution {
    newton_cg(objective, x0, &NewtonCg { tol, ..NewtonCg::default() }, None)
}

#[test]
fn rosenbrock_from_the_usual_start() {
    for n in [2, 10, 50] {
        let start: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
        let found = [
            by_lbfgs(&mut Rosenbrock(n), &start, 1e-9),
            by_newton_cg(&mut Rosenbrock(n), &start, 1e-9),
            newton(&mut Rosenbrock(n), &mut rosenbrock_hessian, &start, &Newton::default(), None),
        ];
        for (k, found) in found.iter().enumerate() {
            assert_eq!(found.stop, Stop::Converged, "solver {k}, n = {n}: {found:?}");
            // For large n there is a second, local minimum near (-1, 1, ..., 1).
            let local = found.value > 1.0 && found.value < 4.0;
            assert!(local || far(&found.x, &vec![1.0; n]) < 1e-7, "solver {k}, n = {n}");
        }
        assert!(found[0].evaluations < 60 + 7 * n && found[2].iterations < 100);
    }
}

#[test]
fn ill_conditioned_quadratics_in_closed_form() {
    for (n, condition) in [(5, 1e2), (30, 1e6), (100, 1e4)] {
        let mut q = Quadratic::conditioned(n, condition);
        let solution: Vec<f64> = (1..=n).map(|i| i as f64).collect();
        let diagonal = q.0.clone();
        let mut hessian = |_: &[f64], h: &mut Mat| (0..n).for_each(|i| h[(i, i)] = diagonal[i]);
        let start = vec![0.0; n];
        let exact = newton(&mut q, &mut hessian, &start, &Newton::default(), None);
        assert_eq!((exact.stop, exact.iterations), (Stop::Converged, 1));
        // Ten remembered steps see little of a spectrum over six decades: thousands of iterations are normal.
        let patient = Lbfgs { tol: 1e-7, max_iter: 20_000, ..Lbfgs::default() };
        let found = [exact, lbfgs(&mut q, &start, &patient, None), by_newton_cg(&mut q, &start, 1e-7)];
        for (k, found) in found.iter().enumerate() {
            assert_eq!(found.stop, Stop::Converged, "solver {k}, n = {n}");
            assert!(far(&found.x, &solution) < 1e-6, "solver {k}, n = {n}: {}", far(&found.x, &solution));
        }
    }
}

#[test]
fn gradient_descent_on_a_kind_quadratic() {
    let mut q = Quadratic::conditioned(6, 50.0);
    let solution: Vec<f64> = (1..=6).map(f64::from).collect();
    for step in [StepRule::Fixed(1.0 / 50.0), StepRule::Backtracking { first: 1.0 }] {
        let settings = GradientDescent { step, tol: 1e-6, ..GradientDescent::default() };
        let found = gradient_descent(&mut q, &[0.0; 6], &settings, None);
        assert_eq!(found.stop, Stop::Converged, "{step:?}");
        assert!(far(&found.x, &solution) < 1e-5);
    }
    // Above 2 / L the fixed step diverges, and says so.
    let settings = GradientDescent { step: StepRule::Fixed(1.0), ..GradientDescent::default() };
    assert_eq!(gradient_descent(&mut q, &[0.0; 6], &settings, None).stop, Stop::NoProgress);
}

#[test]
fn logistic_regression_to_a_gradient_of_1e_10() {
    for (n, d, seed) in [(200, 5, 1), (500, 30, 2), (50, 80, 3), (3000, 10, 4)] {
        let mut problem = Logistic::random(n, d, seed);
        let start = vec![0.0; d];
        let twin = Logistic::random(n, d, seed);
        let mut hessian = |w: &[f64], h: &mut Mat| twin.hessian(w, h);
        let settings = Newton { tol: 1e-10, ..Newton::default() };
        let found = [
            newton(&mut problem, &mut hessian, &start, &settings, None),
            by_lbfgs(&mut problem, &start, 1e-10),
            by_newton_cg(&mut problem, &start, 1e-10),
        ];
        for (k, f) in found.iter().enumerate() {
            assert_eq!(
                f.stop,
                Stop::Converged,
                "solver {k}, seed {seed}: {} after {}",
                f.grad_norm,
                f.iterations
            );
            assert!(f.grad_norm <= 1e-10);
            // The objective is 1-strongly convex: distances are bounded by gradients.
            assert!(far(&f.x, &found[0].x) < 1e-8, "solver {k}, seed {seed}");
        }
    }
}

#[test]
fn newton_cg_without_hessian_products() {
    let mut problem = Logistic::random(200, 6, 8);
    let exact = by_newton_cg(&mut problem, &[0.0; 6], 1e-9);
    let mut bare = Closure(6, |x: &[f64], g: &mut [f64]| problem.value_grad(x, g));
    let found = by_newton_cg(&mut bare, &[0.0; 6], 1e-8);
    assert_eq!(found.stop, Stop::Converged);
    assert!(far(&found.x, &exact.x) < 1e-7);
}

#[test]
fn a_domain_with_an_edge() {
    for start in [0.01, 0.5, 30.0] {
        let x0 = vec![start; 4];
        let mut hessian = |x: &[f64], h: &mut Mat| (0..4).for_each(|i| h[(i, i)] = 1.0 / (x[i] * x[i]));
        let descent = gradient_descent(&mut Barrier(4), &x0, &GradientDescent::default(), None);
        let found = [
            by_lbfgs(&mut Barrier(4), &x0, 1e-8),
            by_newton_cg(&mut Barrier(4), &x0, 1e-8),
            newton(&mut Barrier(4), &mut hessian, &x0, &Newton::default(), None),
            descent,
        ];
        for (k, found) in found.iter().enumerate() {
            assert_eq!(found.stop, Stop::Converged, "solver {k} from {start}: {found:?}");
            assert!(far(&found.x, &[1.0; 4]) < 1e-5, "solver {k} from {start}");
        }
    }
}

/// Runs every solver with few iterations allowed and a monitor.
fn run_all(
    objective: &mut dyn Objective,
    x0: &[f64],
    monitor: &mut dyn FnMut(&Step) -> ControlFlow<()>,
) -> [Solution; 4] {
    let mut flat = |_: &[f64], h: &mut Mat| (0..h.n_rows()).for_each(|i| h[(i, i)] = 1.0);
    [
        lbfgs(objective, x0, &Lbfgs::default(), Some(&mut *monitor)),
        newton_cg(objective, x0, &NewtonCg::default(), Some(&mut *monitor)),
        newton(objective, &mut flat, x0, &Newton::default(), Some(&mut *monitor)),
        gradient_descent(objective, x0, &GradientDescent::default(), Some(&mut *monitor)),
    ]
}

#[test]
fn interruption_is_honoured() {
    let mut seen = 0;
    let mut monitor = |step: &Step| {
        seen += 1;
        if step.iteration >= 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    for found in run_all(&mut Rosenbrock(4), &[-1.2, 1.0, -1.2, 1.0], &mut monitor) {
        assert_eq!((found.stop, found.iterations), (Stop::Interrupted, 3));
    }
    assert_eq!(seen, 16);
}

#[test]
fn hopeless_objectives_end() {
    type Function = fn(&[f64], &mut [f64]) -> f64;
    let hopeless: [(&str, Function); 7] = [
        ("nan everywhere", |_, g| {
            g.fill(f64::NAN);
            f64::NAN
        }),
        ("nan away from the start", |x, g| {
            g.fill(1.0);
            if x.iter().all(|&v| v == 0.5) { 1.0 } else { f64::NAN }
        }),
        ("nan gradient away from the start", |x, g| {
            let start = x.iter().all(|&v| v == 0.5);
            g.fill(if start { 1.0 } else { f64::NAN });
            x.iter().sum()
        }),
        ("infinite everywhere", |_, g| {
            g.fill(1.0);
            f64::INFINITY
        }),
        ("gradient of the wrong sign", |x, g| {
            g.copy_from_slice(&x.iter().map(|v| -v).collect::<Vec<_>>());
            0.5 * dot(x, x)
        }),
        ("unbounded below", |x, g| {
            g.fill(-1.0);
            -x.iter().sum::<f64>()
        }),
        ("falling ever faster", |x, g| {
            g.copy_from_slice(&x.iter().map(|v| -v.exp()).collect::<Vec<_>>());
            -x.iter().map(|v| v.exp()).sum::<f64>()
        }),
    ];
    for (name, f) in hopeless {
        let mut calls = 0usize;
        let mut counted = Closure(3, |x: &[f64], g: &mut [f64]| {
            calls += 1;
            f(x, g)
        });
        for found in run_all(&mut counted, &[0.5; 3], &mut |_| ControlFlow::Continue(())) {
            assert_ne!(found.stop, Stop::Converged, "{name}");
            assert_ne!(found.stop, Stop::Interrupted, "{name}");
        }
        assert!(calls < 200_000, "{name}: {calls}");
    }
}

#[test]
fn starting_at_the_solution_takes_no_step() {
    for found in run_all(&mut Rosenbrock(3), &[1.0; 3], &mut |_| ControlFlow::Continue(())) {
        assert_eq!((found.stop, found.iterations, found.evaluations), (Stop::Converged, 0, 1));
    }
    for found in
        run_all(&mut Closure(0, |_: &[f64], _: &mut [f64]| 0.0), &[], &mut |_| ControlFlow::Continue(()))
    {
        assert_eq!(found.stop, Stop::Converged);
    }
}

#[test]
fn value_tolerance_and_max_iter() {
    let settings = Lbfgs { tol: 0.0, value_tol: 1e-9, ..Lbfgs::default() };
    let found = lbfgs(&mut Logistic::random(300, 5, 5), &[0.0; 5], &settings, None);
    assert!(found.stop == Stop::Converged && found.grad_norm < 1e-2);
    let settings = Lbfgs { max_iter: 2, ..Lbfgs::default() };
    let found = lbfgs(&mut Rosenbrock(2), &[-1.2, 1.0], &settings, None);
    assert_eq!((found.stop, found.iterations), (Stop::MaxIter, 2));
}

#[test]
fn line_searches_keep_their_promises() {
    for power in -8..=8 {
        let mut f = Rosenbrock(2);
        let (x, mut grad) = ([-1.2, 1.0], [0.0; 2]);
        let value = f.value_grad(&x, &mut grad);
        let direction = [-grad[0], -grad[1]];
        let slope = dot(&grad, &direction);
        let from = Point { x: &x, value, grad: &grad };
        let first = 10f64.powi(power);
        for c2 in [0.9, 0.1] {
            let rule = Wolfe { c2, ..Wolfe::default() };
            let found = wolfe(&mut f, from, &direction, first, &rule).expect("a descent direction");
            assert!(found.satisfied && found.value <= value + 1e-4 * found.step * slope);
            assert!(dot(&found.grad, &direction).abs() <= -c2 * slope, "first step {first}");
            assert!(found.evaluations < 40);
        }
        let found = armijo(&mut f, from, &direction, first, 1e-4).expect("a descent direction");
        assert!(found.value <= value + 1e-4 * found.step * slope && found.step <= first);
        assert!(wolfe(&mut f, from, &grad, first, &Wolfe::default()).is_none());
        assert!(armijo(&mut f, from, &grad, first, 1e-4).is_none());
    }
}

#[test]
fn gradients_are_checked() {
    assert!(check_gradient(&mut Rosenbrock(5), &[0.3, -1.0, 2.0, 0.0, 1.5]) < 1e-7);
    assert!(check_gradient(&mut Logistic::random(100, 4, 1), &[0.1, -0.2, 0.3, 0.0]) < 1e-7);
    let mut wrong = Closure(1, |x: &[f64], g: &mut [f64]| {
        g[0] = 2.1 * x[0];
        x[0] * x[0]
    });
    assert!(check_gradient(&mut wrong, &[3.0]) > 0.04);
    let mut nan = Closure(1, |_: &[f64], g: &mut [f64]| {
        g[0] = 0.0;
        f64::NAN
    });
    assert!(check_gradient(&mut nan, &[3.0]).is_nan());
}
