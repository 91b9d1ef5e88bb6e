//! Against frozen values of scipy and scikit-learn (`reference/generate_optim.py`).

use mercer_math::{Mat, axpy, dot, gemv, gemv_t};
use mercer_optim::*;
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value;

fn all() -> Value {
    reference(include_str!("reference/optim.json"))
}

fn cases<'a>(all: &'a Value, name: &str) -> &'a [Value] {
    all[name].as_array().expect("cases")
}

fn constraints(case: &Value) -> Constraints {
    let n = numbers(&case["lower"]).len();
    let rows = |name: &str| match case[name].as_array().expect("rows").is_empty() {
        true => Mat::zeros(0, n),
        false => matrix(&case[name]),
    };
    Constraints::none(n)
        .with_inequalities(rows("g"), numbers(&case["h"]))
        .with_equalities(rows("a"), numbers(&case["b"]))
        .with_bounds(numbers(&case["lower"]), numbers(&case["upper"]))
}

#[test]
fn linear_programs_and_their_multipliers() {
    for case in cases(&all(), "lp") {
        let constraints = constraints(case);
        let found = solve_lp(&numbers(&case["cost"]), &constraints, &LpSettings::default()).unwrap();
        let found = found.optimum().expect("an optimum");
        assert_close(&[found.value, found.dual_value], &[case["value"].as_f64().unwrap(); 2], 1e-8, "value");
        assert_close(&found.x, &numbers(&case["x"]), 1e-8, "x");
        assert_close(&found.multipliers.inequality, &numbers(&case["z"]), 1e-8, "z");
        assert_close(&found.multipliers.equality, &numbers(&case["y"]), 1e-8, "y");
        assert_close(&found.multipliers.lower, &numbers(&case["lambda"]), 1e-8, "lambda");
        assert_close(&found.multipliers.upper, &numbers(&case["mu"]), 1e-8, "mu");
    }
}

#[test]
fn quadratic_programs() {
    for case in cases(&all(), "qp") {
        let found =
            solve_qp(&matrix(&case["p"]), &numbers(&case["q"]), &constraints(case), &QpSettings::default());
        let found = found.unwrap().optimum().expect("an optimum");
        assert_close(&[found.value, found.dual_value], &[case["value"].as_f64().unwrap(); 2], 1e-8, "value");
        assert_close(&found.x, &numbers(&case["x"]), 1e-7, "x");
    }
}

#[test]
fn non_negative_least_squares() {
    for case in cases(&all(), "nnls") {
        let found = nnls(matrix(&case["a"]).view(), &numbers(&case["b"]), &Nnls::default()).unwrap();
        assert_eq!(found.stop, Stop::Converged);
        // With more columns than rows there is more than one solution.
        if found.x.len() <= numbers(&case["b"]).len() {
            assert_close(&found.x, &numbers(&case["x"]), 1e-8, "x");
        }
        assert_close(&[found.residual_norm], &[case["norm"].as_f64().unwrap()], 1e-8, "norm");
    }
}

struct Rosenbrock(usize);

impl Objective for Rosenbrock {
    fn dim(&self) -> usize {
        self.0
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        grad.fill(0.0);
        let mut value = 0.0;
        for i in 0..x.len() - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            value += a * a + 100.0 * b * b;
            grad[i] += -2.0 * a - 400.0 * x[i] * b;
            grad[i + 1] += 200.0 * b;
        }
        value
    }
}

#[test]
fn bounds_on_rosenbrock() {
    for case in cases(&all(), "bounds") {
        let (lower, upper) = (numbers(&case["lower"]), numbers(&case["upper"]));
        let settings = LbfgsB { tol: 1e-9, ..LbfgsB::default() };
        let mut f = Rosenbrock(lower.len());
        let found = lbfgsb(&mut f, &numbers(&case["x0"]), &lower, &upper, &settings, None).unwrap();
        assert_eq!(found.stop, Stop::Converged);
        assert_close(&[found.value], &[case["value"].as_f64().unwrap()], 1e-8, "value");
        assert_close(&found.x, &numbers(&case["x"]), 1e-7, "x");
    }
}

/// |y − Xw|² / 2n, whole and one coordinate at a time.
struct Squares {
    x: Mat,
    y: Vec<f64>,
    residual: Vec<f64>,
}

impl Objective for Squares {
    fn dim(&self) -> usize {
        self.x.n_cols()
    }

    fn value_grad(&mut self, w: &[f64], grad: &mut [f64]) -> f64 {
        let n = self.y.len() as f64;
        let mut residual = gemv(self.x.view(), w);
        axpy(-1.0, &self.y, &mut residual);
        grad.copy_from_slice(&gemv_t(self.x.view(), &residual));
        grad.iter_mut().for_each(|g| *g /= n);
        0.5 * dot(&residual, &residual) / n
    }
}

impl Coordinates for Squares {
    fn dim(&self) -> usize {
        self.x.n_cols()
    }

    fn partial(&mut self, j: usize) -> f64 {
        dot(&self.x.col(j), &self.residual) / self.y.len() as f64
    }

    fn curvature(&self, j: usize) -> f64 {
        dot(&self.x.col(j), &self.x.col(j)) / self.y.len() as f64
    }

    fn change(&mut self, j: usize, by: f64) {
        axpy(by, &self.x.col(j), &mut self.residual);
    }
}

#[test]
fn four_ways_to_the_lasso() {
    for case in cases(&all(), "lasso") {
        let (x, y, alpha) = (matrix(&case["x"]), numbers(&case["y"]), case["alpha"].as_f64().unwrap());
        let d = x.n_cols();
        let expected = numbers(&case["coef"]);
        let residual = y.iter().map(|v| -v).collect();
        let mut f = Squares { x, y, residual };
        let zero = vec![0.0; d];
        let settings = OwlQn { tol: 1e-10, ..OwlQn::default() };
        let found = owlqn(&mut f, &zero, &vec![alpha; d], &settings, None).unwrap();
        assert_eq!(found.stop, Stop::Converged);
        assert_close(&found.x, &expected, 1e-8, "owlqn");
        let prox = Prox::L1 { weight: alpha };
        for accelerated in [true, false] {
            let settings = Proximal { accelerated, tol: 1e-11, max_iter: 100_000, ..Proximal::default() };
            let found = proximal_gradient(&mut f, &prox, &zero, &settings, None).unwrap();
            assert_eq!(found.stop, Stop::Converged);
            assert_close(&found.x, &expected, 1e-8, "proximal gradient");
        }
        let settings = CoordinateDescent { tol: 1e-13, ..CoordinateDescent::default() };
        let found = coordinate_descent(&mut f, &Separable::l1(d, alpha), &zero, &settings).unwrap();
        assert_eq!(found.stop, Stop::Converged);
        assert_close(&found.x, &expected, 1e-8, "coordinate descent");
    }
}

#[test]
fn ten_stochastic_steps() {
    let all = all();
    let steps = &all["steps"];
    let (curvature, start) = (numbers(&steps["curvature"]), numbers(&steps["start"]));
    let rules = [
        ("sgd", Rule::Sgd),
        ("momentum", Rule::MOMENTUM),
        ("nesterov", Rule::NESTEROV),
        ("adagrad", Rule::ADAGRAD),
        ("rmsprop", Rule::RMSPROP),
        ("adam", Rule::ADAM),
        ("adamw", Rule::ADAMW),
    ];
    for (name, rule) in rules {
        let schedule = Schedule::Constant(steps["rate"].as_f64().unwrap());
        let mut machine = Stochastic::new(start.clone(), rule, schedule).unwrap();
        for k in 1..=10 {
            let grad: Vec<f64> = machine.point().iter().zip(&curvature).map(|(x, c)| x * c).collect();
            assert_eq!(machine.step(&grad).unwrap().step, k);
            // A machine goes on from its bytes as if never stopped.
            let bytes = serde_json::to_string(&machine).unwrap();
            machine = serde_json::from_str(&bytes).unwrap();
        }
        assert_close(machine.point(), &numbers(&steps["rules"][name]), 1e-12, name);
    }
}
