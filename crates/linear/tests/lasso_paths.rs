//! Paths, cross-validation and several tasks against scikit-learn, against their optimality conditions, and against each
//! other.

use mercer_core::{Dataset, Fit, Session, Target};
use mercer_linear::{
    Alphas, ElasticNet, ElasticNetCv, Lasso, LassoCv, MultiTaskElasticNet, MultiTaskLasso, MultiTaskLassoCv,
    PathParams, Ratios, enet_path, lasso_path,
};
use mercer_math::{Csr, Mat, dot, normal, rng_for};
use mercer_testkit::{assert_within, numbers};
use serde_json::Value;

struct Problem {
    all: Value,
    x: Mat,
    y: Vec<Vec<f64>>,
}

impl Problem {
    fn each() -> Vec<Problem> {
        let all: Value = mercer_testkit::reference(include_str!("reference/lasso_paths.json"));
        let of = |p: &Value| {
            let (n, d) = (p["n"].as_u64().unwrap() as usize, p["d"].as_u64().unwrap() as usize);
            let x = Mat::from_vec(numbers(&p["x"]), n, d).unwrap();
            let y = numbers(&p["y"]).chunks(n).map(<[f64]>::to_vec).collect();
            Problem { all: p.clone(), x, y }
        };
        all["problems"].as_array().unwrap().iter().map(of).collect()
    }

    fn one(&self) -> Dataset<'_> {
        Dataset::new(&self.x).with_target(Target::real(self.y[0].clone())).unwrap()
    }

    fn two(&self) -> Dataset<'_> {
        Dataset::new(&self.x).with_target(Target::multi(self.y.clone()).unwrap()).unwrap()
    }

    fn want(&self, what: &str, name: &str) -> Vec<f64> {
        numbers(&self.all[what][name])
    }
}

fn tight(alphas: usize, eps: f64, l1_ratio: f64) -> PathParams {
    let mut params = PathParams { l1_ratio, eps, alphas: Alphas::Count(alphas), ..PathParams::default() };
    (params.descent.tol, params.descent.max_iter) = (1e-14, 1_000_000);
    params
}

#[test]
fn paths_match_reference() {
    for p in Problem::each() {
        for (what, data, alphas) in [("enet_path", p.one(), 8), ("enet_path_two", p.two(), 5)] {
            let path = enet_path(&data, &tight(alphas, 0.02, 0.7), &Session::default()).unwrap();
            assert_within(&path.alphas, &p.want(what, "alphas"), 1e-10, what);
            let coefs: Vec<f64> = path.coefs.iter().flat_map(|w| w.as_slice().to_vec()).collect();
            assert_within(&coefs, &p.want(what, "coefs"), 1e-5, what);
        }
    }
}

#[test]
fn cross_validation_matches_reference() {
    for p in Problem::each() {
        for what in ["lasso_cv", "lasso_cv_weighted"] {
            let cv = LassoCv::default().alphas(Alphas::Count(12)).eps(0.01).cv(Some(4)).tol(1e-14);
            let mut data = p.one();
            if what == "lasso_cv_weighted" {
                data = data.with_weights(numbers(&p.all["weights"])).unwrap();
            }
            let model = cv.max_iter(1_000_000).fit(&data).unwrap();
            assert_within(&[model.alpha()], &p.want(what, "alpha"), 1e-9, what);
            assert_within(model.alphas().as_slice(), &p.want(what, "alphas"), 1e-9, what);
            assert_within(model.mse_path(), &p.want(what, "mse"), 1e-5, what);
            assert_within(model.coef(), &p.want(what, "coef"), 1e-5, what);
            assert_within(&[model.intercept()], &p.want(what, "intercept"), 1e-5, what);
            assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
        }
        let cv = ElasticNetCv::default().l1_ratio(Ratios::Several(vec![0.3, 0.9])).alphas(Alphas::Count(6));
        let cv = cv.eps(0.01).positive(true).tol(1e-14).max_iter(1_000_000);
        let model = cv.fit(&p.one()).unwrap();
        assert_eq!(vec![model.l1_ratio()], p.want("enet_cv", "l1_ratio"));
        assert_within(&[model.alpha()], &p.want("enet_cv", "alpha"), 1e-9, "enet_cv");
        assert_within(model.alphas().as_slice(), &p.want("enet_cv", "alphas"), 1e-9, "enet_cv");
        assert_within(model.mse_path(), &p.want("enet_cv", "mse"), 1e-5, "enet_cv");
        assert_within(model.coef(), &p.want("enet_cv", "coef"), 1e-5, "enet_cv");
        let csr = Csr::from_dense(p.x.view());
        let sparse = Dataset::new(&csr).with_target(Target::real(p.y[0].clone())).unwrap();
        assert_within(cv.fit(&sparse).unwrap().mse_path(), model.mse_path(), 1e-9, "sparse rows");
    }
}

#[test]
fn several_tasks_match_reference() {
    for p in Problem::each() {
        let net = MultiTaskElasticNet::default().alpha(0.1).l1_ratio(0.8).tol(1e-14).max_iter(1_000_000);
        let model = net.fit(&p.two()).unwrap();
        assert_within(model.coef(), &p.want("multi_task", "coef"), 1e-5, "multi_task");
        let verified = model.verify(&p.two()).unwrap();
        assert!(verified.len() == 2 && verified.iter().all(|v| v.holds), "{verified:?}");
        let cv = MultiTaskLassoCv::default().alphas(Alphas::Count(6)).eps(0.05).cv(Some(3)).tol(1e-14);
        let model = cv.max_iter(1_000_000).fit(&p.two()).unwrap();
        assert_within(&[model.alpha()], &p.want("multi_task_cv", "alpha"), 1e-9, "multi_task_cv");
        assert_within(model.mse_path(), &p.want("multi_task_cv", "mse"), 1e-5, "multi_task_cv");
        assert_within(model.coef(), &p.want("multi_task_cv", "coef"), 1e-5, "multi_task_cv");
        let one = MultiTaskLasso::default().alpha(0.1).tol(1e-14).max_iter(1_000_000).fit(&p.one()).unwrap();
        let alone = Lasso::default().alpha(0.1).tol(1e-14).max_iter(1_000_000).fit(&p.one()).unwrap();
        assert_within(one.coef(), alone.coef(), 1e-6, "one task is a lasso");
    }
}

#[test]
fn each_of_several_targets_is_fitted_alone() {
    for p in Problem::each() {
        let net = ElasticNet::default().alpha(0.1).tol(1e-13).max_iter(1_000_000);
        let both = net.fit(&p.two()).unwrap();
        let alone: Vec<f64> = (0..2)
            .flat_map(|k| {
                let data = Dataset::new(&p.x).with_target(Target::real(p.y[k].clone())).unwrap();
                net.fit(&data).unwrap().coef().to_vec()
            })
            .collect();
        assert_eq!(both.coef(), alone);
        assert_eq!(both.dual_gap().len(), 2);
        let shapes: Vec<_> = both.attributes().iter().map(|a| (a.name, a.shape.clone())).collect();
        assert!(shapes.contains(&("n_iter_", vec![2])) && shapes.contains(&("dual_gap_", vec![2])));
    }
}

fn wide(n: usize, d: usize) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(9, 2);
    let x = Mat::from_fn(n, d, |_, _| normal(&mut rng));
    let y = (0..n).map(|i| dot(&x.row(i)[..5], &[3.0, -2.0, 1.5, 1.0, -1.0]) + 0.3 * normal(&mut rng));
    let y = y.collect();
    (x, y)
}

/// The optimality conditions of every solution of a wide path, and the gap that is claimed of it.
#[test]
fn every_point_of_a_wide_path_is_optimal() {
    let (x, y) = wide(80, 600);
    let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    for positive in [false, true] {
        let params = PathParams { positive, ..tight(30, 0.01, 1.0) };
        let path = lasso_path(&data, &params, &Session::default()).unwrap();
        for (alpha, w) in path.alphas.iter().zip(&path.coefs) {
            let w = w.as_slice();
            let r: Vec<f64> = (0..80).map(|i| y[i] - dot(x.row(i), w)).collect();
            for j in 0..600 {
                let g = dot(&x.col(j), &r) / 80.0;
                let off = match w[j] {
                    0.0 if positive => (g - alpha).max(0.0),
                    0.0 => (g.abs() - alpha).max(0.0),
                    w => (g - alpha * w.signum()).abs(),
                };
                assert!(off < 1e-5 * path.alphas[0], "alpha {alpha}, feature {j}: {off}");
                assert!(!positive || w[j] >= 0.0);
            }
        }
    }
}

#[test]
fn sparse_columns_give_the_dense_path() {
    let (mut x, y) = wide(60, 300);
    x.as_mut_slice().iter_mut().enumerate().for_each(|(i, v)| *v = if i % 5 < 2 { *v + 1.0 } else { 0.0 });
    let csr = Csr::from_dense(x.view());
    let mut params = tight(20, 0.02, 0.9);
    params.descent.fit_intercept = true;
    let weights: Vec<f64> = (0..60).map(|i| f64::from(1 + i % 3)).collect();
    let path = |data: Dataset<'_>| {
        let data = data.with_target(Target::real(y.clone())).unwrap().with_weights(weights.clone()).unwrap();
        enet_path(&data, &params, &Session::default()).unwrap()
    };
    let (dense, sparse) = (path(Dataset::new(&x)), path(Dataset::new(&csr)));
    for (a, b) in dense.coefs.iter().zip(&sparse.coefs) {
        assert_within(a.as_slice(), b.as_slice(), 1e-6, "sparse columns");
    }
}

/// 003, ridge against lasso: twins and a feature twice as large. The lasso takes the cheapest way to the same fit.
#[test]
fn duplicated_and_related_features() {
    let mut rng = rng_for(3, 3);
    let z: Vec<f64> = (0..200).map(|_| normal(&mut rng)).collect();
    let y: Vec<f64> = z.iter().map(|z| 4.0 * z).collect();
    let fit = |scale: f64, l1_ratio: f64| {
        let x = Mat::from_fn(200, 2, |i, j| if j == 0 { z[i] } else { scale * z[i] });
        let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
        let net = ElasticNet::default().alpha(0.01).l1_ratio(l1_ratio).tol(1e-15).max_iter(1_000_000);
        net.fit(&data).unwrap().coef().to_vec()
    };
    // Twins: any split with the same sum and signs is a lasso optimum; the L2 penalty splits evenly.
    let lasso = fit(1.0, 1.0);
    assert!(lasso.iter().all(|w| *w >= 0.0) && (lasso[0] + lasso[1] - 4.0).abs() < 0.05, "{lasso:?}");
    let ridge = fit(1.0, 0.0);
    assert!((ridge[0] - ridge[1]).abs() < 1e-6 && (ridge[0] + ridge[1] - 4.0).abs() < 0.05, "{ridge:?}");
    // x₂ = 2 x₁: |w₁| + |w₂| is least with w₂ alone; w₁² + w₂² with w₂ = 2 w₁.
    let lasso = fit(2.0, 1.0);
    assert!(lasso[0].abs() < 1e-6 && (lasso[1] - 2.0).abs() < 0.05, "{lasso:?}");
    let ridge = fit(2.0, 0.0);
    assert!((ridge[1] - 2.0 * ridge[0]).abs() < 1e-6 && (ridge[0] + 2.0 * ridge[1] - 4.0).abs() < 0.05);
}

#[test]
fn scales_change_units_alone() {
    let (x, y) = wide(40, 90);
    let fit = |sx: f64, sy: f64| {
        let x = Mat::from_fn(40, 90, |i, j| sx * x[(i, j)]);
        let y: Vec<f64> = y.iter().map(|y| sy * y).collect();
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        let model = Lasso::default().alpha(0.1 * sx * sy).tol(1e-12).max_iter(100_000).fit(&data).unwrap();
        model.coef().iter().map(|w| w * sx / sy).collect::<Vec<f64>>()
    };
    let plain = fit(1.0, 1.0);
    for (sx, sy) in [(1e150, 1.0), (1e-150, 1.0), (1.0, 1e-150), (1.0, 1e145), (1e100, 1e-100)] {
        assert_within(&fit(sx, sy), &plain, 1e-6, &format!("{sx} {sy}"));
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (x, y) = wide(70, 400);
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let fit = |threads| {
        let cv = LassoCv::default().alphas(Alphas::Count(20));
        cv.fit_in(&data, &Session::new(1).with_threads(threads)).unwrap().mse_path().to_vec()
    };
    assert_eq!(fit(1), fit(2));
}
