//! Linear and quadratic programs and non-negative least squares: optimality and proofs on random and on hard problems.

use mercer_math::{Mat, Rng, below, dot, gemv, gemv_t, matmul, normal, rng_for, uniform};
use mercer_optim::{
    Constraints, LpSettings, Multipliers, Nnls, Optimum, QpSettings, Stop, Verdict, kkt_linear, nnls,
    solve_lp, solve_qp,
};

fn lp(cost: &[f64], constraints: &Constraints) -> Verdict {
    solve_lp(cost, constraints, &LpSettings::default()).expect("a program")
}

fn qp(p: &Mat, q: &[f64], constraints: &Constraints) -> Verdict {
    solve_qp(p, q, constraints, &QpSettings::default()).expect("a program")
}

fn optimum(verdict: Verdict) -> Optimum {
    match verdict {
        Verdict::Optimal(found) => found,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(found: &Optimum, gradient: &[f64], constraints: &Constraints, tol: f64) {
    let kkt = kkt_linear(gradient, constraints, &found.x, &found.multipliers).expect("sizes agree");
    assert!(kkt.holds(tol), "{kkt:?}");
    let gap = (found.value - found.dual_value).abs();
    assert!(gap <= 10.0 * tol * (1.0 + found.value.abs()), "gap {gap} at {}", found.value);
}

fn random(rng: &mut Rng, n: usize, m: usize) -> Mat {
    Mat::from_fn(n, m, |_, _| normal(rng))
}

/// Random constraints around a point inside: inequalities, equalities, and bounds of every kind.
fn around(rng: &mut Rng, n: usize, m: usize, p: usize) -> Constraints {
    let inside: Vec<f64> = (0..n).map(|_| normal(rng)).collect();
    let (g, a) = (random(rng, m, n), random(rng, p, n));
    let h = gemv(g.view(), &inside)
        .iter()
        .map(|v| v + if below(rng, 3) == 0 { 0.0 } else { uniform(rng) })
        .collect();
    let b = gemv(a.view(), &inside);
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
    for j in 0..n {
        let kind = below(rng, 4);
        if kind & 1 == 1 {
            lower[j] = inside[j] - uniform(rng);
        }
        if kind & 2 == 2 {
            upper[j] = inside[j] + uniform(rng);
        }
    }
    Constraints::none(n).with_inequalities(g, h).with_equalities(a, b).with_bounds(lower, upper)
}

#[test]
fn random_linear_programs_are_solved_or_proved_unbounded() {
    let mut optimal = 0;
    for seed in 0..200 {
        let mut rng = rng_for(seed, 1);
        let (n, m) = (1 + below(&mut rng, 12), below(&mut rng, 20));
        let p = below(&mut rng, n.min(4));
        let constraints = around(&mut rng, n, m, p);
        let cost: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        match lp(&cost, &constraints) {
            Verdict::Optimal(found) => {
                check(&found, &cost, &constraints, 1e-9);
                optimal += 1;
            }
            Verdict::Unbounded { point, ray } => {
                assert!(constraints.violation(&point) < 1e-9, "seed {seed}");
                assert!(constraints.proves_unbounded(&cost, &ray, 1e-9), "seed {seed}");
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(optimal > 80, "{optimal}");
}

#[test]
fn larger_linear_programs() {
    for (n, m) in [(60, 90), (150, 100)] {
        let mut rng = rng_for(n as u64, 2);
        // Costs that are a combination of active rows have an optimum.
        let constraints = around(&mut rng, n, m, 10);
        let weights: Vec<f64> = (0..m).map(|_| -uniform(&mut rng)).collect();
        let cost = gemv_t(constraints.g.view(), &weights);
        check(&optimum(lp(&cost, &constraints)), &cost, &constraints, 1e-8);
    }
}

#[test]
fn random_contradictions_are_proved() {
    for seed in 0..100 {
        let mut rng = rng_for(seed, 3);
        let (n, m) = (1 + below(&mut rng, 10), 2 + below(&mut rng, 12));
        let mut constraints = around(&mut rng, n, m, 0);
        // The last row is minus a combination of the others, and less than it can be.
        let weights: Vec<f64> = (0..m).map(|_| uniform(&mut rng)).collect();
        let row = gemv_t(constraints.g.view(), &weights);
        let rows: Vec<Vec<f64>> =
            (0..m).map(|i| constraints.g.row(i).to_vec()).chain([row.iter().map(|v| -v).collect()]).collect();
        constraints.g = Mat::from_rows(&rows).unwrap();
        constraints.h.push(-dot(&constraints.h, &weights) - 0.1 - uniform(&mut rng));
        let cost: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        let Verdict::Infeasible(proof) = lp(&cost, &constraints) else { panic!("seed {seed}") };
        assert!(constraints.proves_infeasible(&proof, 1e-9), "seed {seed}");
        let p = Mat::identity(n);
        let Verdict::Infeasible(proof) = qp(&p, &cost, &constraints) else { panic!("seed {seed}") };
        assert!(constraints.proves_infeasible(&proof, 1e-9), "seed {seed}");
        // A proof of something else is none.
        let other = Multipliers { inequality: vec![1.0; m + 1], ..proof.clone() };
        assert!(!constraints.proves_infeasible(&other, 1e-9));
        assert!(!constraints.proves_infeasible(&Multipliers::zero(&constraints), 1e-9));
    }
}

#[test]
fn contradictory_bounds_and_equalities() {
    let bounds = Constraints::none(2).with_bounds(vec![0.0, 3.0], vec![1.0, 2.0]);
    let Verdict::Infeasible(proof) = lp(&[1.0, 1.0], &bounds) else { panic!() };
    assert!(bounds.proves_infeasible(&proof, 1e-12));
    let Verdict::Infeasible(proof) = qp(&Mat::identity(2), &[1.0, 1.0], &bounds) else { panic!() };
    assert!(bounds.proves_infeasible(&proof, 1e-12));
    let a = Mat::from_rows(&[[1.0, 1.0], [2.0, 2.0]]).unwrap();
    for (b, feasible) in [(vec![1.0, 2.0], true), (vec![1.0, 3.0], false)] {
        let constraints = Constraints::none(2).with_equalities(a.clone(), b).non_negative();
        for verdict in [lp(&[1.0, 0.0], &constraints), qp(&Mat::identity(2), &[0.0; 2], &constraints)] {
            match verdict {
                Verdict::Optimal(found) => assert!(feasible && constraints.violation(&found.x) < 1e-9),
                Verdict::Infeasible(proof) => {
                    assert!(!feasible && constraints.proves_infeasible(&proof, 1e-9))
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn beale_does_not_cycle() {
    let g =
        Mat::from_rows(&[[0.25, -60.0, -0.04, 9.0], [0.5, -90.0, -0.02, 3.0], [0.0, 0.0, 1.0, 0.0]]).unwrap();
    let constraints = Constraints::none(4).with_inequalities(g, vec![0.0, 0.0, 1.0]).non_negative();
    let cost = [-0.75, 150.0, -0.02, 6.0];
    let found = optimum(lp(&cost, &constraints));
    assert!((found.value + 0.05).abs() < 1e-12, "{found:?}");
    check(&found, &cost, &constraints, 1e-12);
}

#[test]
fn klee_and_minty_reach_the_last_corner() {
    for n in [3, 8, 12] {
        // max sum 2^(n-j) x_j  s.t.  2 sum_{k<j} 2^(j-k) x_k + x_j <= 5^j
        let g = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => 2f64.powi((i - j + 1) as i32),
        });
        let h: Vec<f64> = (1..=n).map(|j| 5f64.powi(j as i32)).collect();
        let cost: Vec<f64> = (0..n).map(|j| -(2f64.powi((n - 1 - j) as i32))).collect();
        let constraints = Constraints::none(n).with_inequalities(g, h.clone()).non_negative();
        let found = optimum(lp(&cost, &constraints));
        assert!((found.value + h[n - 1]).abs() <= 1e-9 * h[n - 1], "{n}: {}", found.value);
        assert!((found.dual_value + h[n - 1]).abs() <= 1e-9 * h[n - 1]);
    }
}

#[test]
fn degenerate_transport_and_assignment() {
    // Assignment of n to n: every vertex is degenerate, n redundant equalities minus one.
    let n = 7;
    let mut rng = rng_for(11, 0);
    let cost: Vec<f64> = (0..n * n).map(|_| below(&mut rng, 20) as f64).collect();
    let a = Mat::from_fn(2 * n, n * n, |i, j| f64::from(if i < n { j / n == i } else { j % n == i - n }));
    let constraints = Constraints::none(n * n).with_equalities(a, vec![1.0; 2 * n]).non_negative();
    let found = optimum(lp(&cost, &constraints));
    check(&found, &cost, &constraints, 1e-9);
    assert!(found.x.iter().all(|v| v.abs() < 1e-9 || (v - 1.0).abs() < 1e-9));
}

#[test]
fn units_do_not_matter() {
    let g = Mat::from_rows(&[[1.0, 1.0], [1.0, 3.0]]).unwrap();
    for power in [-140, -30, 0, 30, 140] {
        let unit = 10f64.powi(power);
        // The first variable in other units, and the cost in yet others.
        let scaled = Mat::from_fn(2, 2, |i, j| if j == 0 { g[(i, j)] * unit } else { g[(i, j)] });
        let constraints = Constraints::none(2).with_inequalities(scaled, vec![4.0, 6.0]).non_negative();
        let cost = [-3.0 * unit, -2.0];
        let found = optimum(lp(&cost, &constraints));
        assert!((found.value + 12.0).abs() < 1e-9 && (found.x[0] * unit - 4.0).abs() < 1e-9, "{power}");
        if power.abs() <= 30 {
            let p = Mat::from_rows(&[[unit * unit, 0.0], [0.0, 1.0]]).unwrap();
            let found = optimum(qp(&p, &[-9.0 * unit, -1.0], &constraints));
            assert!(
                (found.x[0] * unit - 4.0).abs() < 1e-8 && found.x[1].abs() < 1e-8,
                "{power}: {:?}",
                found.x
            );
        }
    }
}

#[test]
fn random_convex_quadratic_programs() {
    for seed in 0..200 {
        let mut rng = rng_for(seed, 4);
        let (n, m) = (1 + below(&mut rng, 12), below(&mut rng, 20));
        let p = below(&mut rng, n.min(4));
        let constraints = around(&mut rng, n, m, p);
        // Of any rank.
        let rank = below(&mut rng, n + 1);
        let root = random(&mut rng, rank, n);
        let square = matmul(root.view().t(), root.view());
        let q: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        match qp(&square, &q, &constraints) {
            Verdict::Optimal(found) => {
                let mut gradient = gemv(square.view(), &found.x);
                gradient.iter_mut().zip(&q).for_each(|(g, q)| *g += q);
                check(&found, &gradient, &constraints, 1e-8);
            }
            Verdict::Unbounded { point, ray } => {
                assert!(constraints.violation(&point) < 1e-9, "seed {seed}");
                assert!(constraints.proves_unbounded(&q, &ray, 1e-9), "seed {seed}");
                assert!(gemv(square.view(), &ray).iter().all(|v| v.abs() < 1e-7), "seed {seed}");
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

#[test]
fn a_support_vector_machine_is_a_quadratic_program() {
    let (n, d, c) = (80, 3, 1.0);
    let mut rng = rng_for(5, 5);
    let x = random(&mut rng, n, d);
    let y: Vec<f64> =
        (0..n).map(|i| if x[(i, 0)] + 0.5 * normal(&mut rng) > 0.0 { 1.0 } else { -1.0 }).collect();
    let signed = Mat::from_fn(n, d, |i, j| x[(i, j)] * y[i]);
    let kernel = matmul(signed.view(), signed.view().t());
    let constraints = Constraints::none(n)
        .with_equalities(Mat::from_fn(1, n, |_, j| y[j]), vec![0.0])
        .with_bounds(vec![0.0; n], vec![c; n]);
    let found = optimum(qp(&kernel, &vec![-1.0; n], &constraints));
    let mut gradient = gemv(kernel.view(), &found.x);
    gradient.iter_mut().for_each(|g| *g -= 1.0);
    check(&found, &gradient, &constraints, 1e-8);
    // The multiplier of the equality is the intercept: free support vectors are on the margin.
    let w = gemv_t(signed.view(), &found.x);
    let b = found.multipliers.equality[0];
    for i in (0..n).filter(|&i| found.x[i] > 1e-4 && found.x[i] < c - 1e-4) {
        assert!((y[i] * (dot(x.row(i), &w) + b) - 1.0).abs() < 1e-6, "{i}");
    }
}

#[test]
fn random_non_negative_least_squares() {
    for seed in 0..100 {
        let mut rng = rng_for(seed, 6);
        let (n, d) = (1 + below(&mut rng, 30), 1 + below(&mut rng, 20));
        let mut a = random(&mut rng, n, d);
        if seed % 3 == 0 && d > 1 {
            // A column twice.
            (0..n).for_each(|i| a[(i, d - 1)] = a[(i, 0)]);
        }
        let b: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        let found = nnls(a.view(), &b, &Nnls::default()).unwrap();
        assert_eq!(found.stop, Stop::Converged, "seed {seed}");
        for (x, g) in found.x.iter().zip(&found.gradient) {
            assert!(*x >= 0.0 && *g >= -1e-9 && (*x == 0.0 || g.abs() < 1e-9), "seed {seed}: {x} {g}");
        }
    }
}

#[test]
fn edges_of_least_squares() {
    let found = nnls(Mat::zeros(0, 0).view(), &[], &Nnls::default()).unwrap();
    assert!(found.x.is_empty() && found.residual_norm == 0.0);
    let found = nnls(Mat::zeros(3, 2).view(), &[1.0, 2.0, 2.0], &Nnls::default()).unwrap();
    assert_eq!((found.x, found.residual_norm), (vec![0.0; 2], 3.0));
    let a = Mat::from_rows(&[[1e150, 0.0], [0.0, 1e-150]]).unwrap();
    let found = nnls(a.view(), &[2e100, 3e-100], &Nnls::default()).unwrap();
    assert!((found.x[0] / 2e-50 - 1.0).abs() < 1e-12, "{found:?}");
    assert!(nnls(a.view(), &[1.0], &Nnls::default()).is_err());
    assert!(nnls(a.view(), &[1.0, f64::NAN], &Nnls::default()).is_err());
    let nan = Mat::from_rows(&[[f64::NAN]]).unwrap();
    assert!(nnls(nan.view(), &[1.0], &Nnls::default()).is_err());
    let limit = Nnls { max_iter: 1, ..Nnls::default() };
    assert_eq!(nnls(Mat::identity(3).view(), &[1.0; 3], &limit).unwrap().stop, Stop::MaxIter);
}

#[test]
fn empty_programs() {
    let none = Constraints::none(0);
    assert_eq!(optimum(lp(&[], &none)).value, 0.0);
    assert_eq!(optimum(qp(&Mat::zeros(0, 0), &[], &none)).value, 0.0);
    // No variables, and a row that cannot hold: 0 <= -1.
    let never = Constraints::none(0).with_inequalities(Mat::zeros(1, 0), vec![-1.0]);
    assert!(matches!(lp(&[], &never), Verdict::Infeasible(_)));
    assert!(matches!(qp(&Mat::zeros(0, 0), &[], &never), Verdict::Infeasible(_)));
    // No constraints.
    assert!(matches!(lp(&[1.0], &Constraints::none(1)), Verdict::Unbounded { .. }));
    assert_eq!(optimum(lp(&[0.0], &Constraints::none(1))).x, [0.0]);
    let found = optimum(qp(&Mat::identity(2), &[1.0, -2.0], &Constraints::none(2)));
    assert!((found.x[0] + 1.0).abs() < 1e-12 && (found.x[1] - 2.0).abs() < 1e-12);
    assert!(matches!(qp(&Mat::zeros(1, 1), &[1.0], &Constraints::none(1)), Verdict::Unbounded { .. }));
    let box_only = Constraints::none(2).with_bounds(vec![-1.0, -2.0], vec![3.0, 4.0]);
    assert_eq!(optimum(lp(&[1.0, -1.0], &box_only)).x, [-1.0, 4.0]);
    // A variable that is fixed.
    let fixed = Constraints::none(2).with_bounds(vec![2.0, 0.0], vec![2.0, 1.0]);
    assert_eq!(optimum(lp(&[1.0, -1.0], &fixed)).x, [2.0, 1.0]);
}

#[test]
fn what_is_refused() {
    let settings = LpSettings::default();
    let none = Constraints::none(2);
    let text = |result: mercer_core::Result<Verdict>| result.unwrap_err().to_string();
    assert!(text(solve_lp(&[1.0], &none, &settings)).contains("costs"));
    assert!(text(solve_lp(&[1.0, f64::NAN], &none, &settings)).contains("`cost` of solve_lp must be finite"));
    let bad = none.clone().with_inequalities(Mat::zeros(1, 3), vec![1.0]);
    assert!(text(solve_lp(&[1.0; 2], &bad, &settings)).contains("`g`"));
    let bad = none.clone().with_equalities(Mat::zeros(1, 2), vec![]);
    assert!(text(solve_lp(&[1.0; 2], &bad, &settings)).contains("`a`"));
    let bad = none.clone().with_bounds(vec![f64::NAN; 2], vec![1.0; 2]);
    assert!(text(solve_lp(&[1.0; 2], &bad, &settings)).contains("bounds[0]"));
    let bad = none.clone().with_bounds(vec![0.0; 2], vec![1.0; 3]);
    assert!(text(solve_lp(&[1.0; 2], &bad, &settings)).contains("upper"));
    let settings = QpSettings::default();
    let saddle = Mat::from_rows(&[[0.0, 1.0], [1.0, 0.0]]).unwrap();
    assert!(text(solve_qp(&saddle, &[0.0; 2], &none, &settings)).contains("positive semi-definite"));
    let skew = Mat::from_rows(&[[1.0, 1.0], [0.0, 1.0]]).unwrap();
    assert!(text(solve_qp(&skew, &[0.0; 2], &none, &settings)).contains("symmetric"));
    assert!(solve_qp(&Mat::identity(3), &[0.0; 2], &none, &settings).is_err());
    assert!(solve_lp(&[0.0; 2], &none, &LpSettings { tol: f64::NAN, ..LpSettings::default() }).is_err());
}

#[test]
fn limits_are_said() {
    let mut rng = rng_for(9, 9);
    let constraints = around(&mut rng, 8, 12, 2);
    let cost = vec![1.0; 8];
    let few = LpSettings { max_iter: 1, ..LpSettings::default() };
    let verdict = solve_lp(&cost, &constraints, &few).unwrap();
    assert!(matches!(verdict, Verdict::Unfinished { stop: Stop::MaxIter, .. }), "{verdict:?}");
    let few = QpSettings { max_iter: 1, ..QpSettings::default() };
    let verdict = solve_qp(&Mat::identity(8), &cost, &constraints, &few).unwrap();
    assert!(matches!(verdict, Verdict::Unfinished { stop: Stop::MaxIter, .. }), "{verdict:?}");
}

/// Small whole numbers: ties everywhere, dependent rows, feasible sets without an inside, unbounded sets of solutions.
#[test]
fn degenerate_programs_all_end_in_a_proof() {
    let (mut counts, mut unfinished) = ([0; 3], 0);
    for seed in 0..1500 {
        let mut rng = rng_for(seed, 8);
        let (n, m, p) = (1 + below(&mut rng, 8), below(&mut rng, 10), below(&mut rng, 4));
        let mut int = |k: usize| below(&mut rng, 2 * k + 1) as f64 - k as f64;
        let (g, a) = (Mat::from_fn(m, n, |_, _| int(2)), Mat::from_fn(p, n, |_, _| int(1)));
        let (h, b) = ((0..m).map(|_| int(3)).collect(), (0..p).map(|_| int(1)).collect());
        let lower = (0..n).map(|_| if int(1) > 0.0 { f64::NEG_INFINITY } else { 0.0 }).collect();
        let upper = (0..n).map(|_| if int(1) > 0.0 { 3.0 } else { f64::INFINITY }).collect();
        let cost: Vec<f64> = (0..n).map(|_| int(2)).collect();
        let root = Mat::from_fn(seed as usize % 3, n, |_, _| int(1));
        let constraints =
            Constraints::none(n).with_inequalities(g, h).with_equalities(a, b).with_bounds(lower, upper);
        let square = matmul(root.view().t(), root.view());
        let linear = lp(&cost, &constraints);
        let quadratic = qp(&square, &cost, &constraints);
        for (verdict, p) in [(&linear, Mat::zeros(n, n)), (&quadratic, square)] {
            match verdict {
                Verdict::Optimal(found) => {
                    let mut gradient = gemv(p.view(), &found.x);
                    gradient.iter_mut().zip(&cost).for_each(|(g, c)| *g += c);
                    let kkt = kkt_linear(&gradient, &constraints, &found.x, &found.multipliers).unwrap();
                    assert!(kkt.holds(1e-7), "seed {seed}: {kkt:?}");
                    counts[0] += 1;
                }
                Verdict::Infeasible(proof) => {
                    assert!(constraints.proves_infeasible(proof, 1e-9), "seed {seed}");
                    counts[1] += 1;
                }
                Verdict::Unbounded { point, ray } => {
                    assert!(constraints.violation(point) < 1e-9, "seed {seed}");
                    assert!(constraints.proves_unbounded(&cost, ray, 1e-9), "seed {seed}");
                    assert!(gemv(p.view(), ray).iter().all(|v| v.abs() < 1e-9), "seed {seed}");
                    counts[2] += 1;
                }
                Verdict::Unfinished { .. } => unfinished += 1,
            }
        }
        let infeasible = |v: &Verdict| matches!(v, Verdict::Infeasible(_));
        assert_eq!(infeasible(&linear), infeasible(&quadratic), "seed {seed}");
        assert!(!matches!(linear, Verdict::Unfinished { .. }), "seed {seed}: {linear:?}");
    }
    assert!(counts.iter().all(|c| *c > 300), "{counts:?}");
    assert!(unfinished <= 1, "{unfinished}");
}
