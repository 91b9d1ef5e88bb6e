//! Least angle regression against scikit-learn, and against the lasso by descent at its knots.

use mercer_core::{Dataset, Fit, Target};
use mercer_linear::{Lars, Lasso, LassoLars, Ridge};
use mercer_math::{Mat, normal, rng_for};
use mercer_testkit::{assert_within, numbers};

fn as_real(active: &[u32]) -> Vec<f64> {
    active.iter().map(|j| f64::from(*j)).collect()
}

#[test]
fn matches_reference() {
    let all: serde_json::Value = mercer_testkit::reference(include_str!("reference/lasso_paths.json"));
    for p in all["problems"].as_array().unwrap() {
        let (n, d) = (p["n"].as_u64().unwrap() as usize, p["d"].as_u64().unwrap() as usize);
        let x = Mat::from_vec(numbers(&p["x"]), n, d).unwrap();
        let y = numbers(&p["y"])[..n].to_vec();
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        let lars = Lars::default().n_nonzero_coefs(6).fit(&data).unwrap();
        let want = |what: &str, name: &str| numbers(&p[what][name]);
        assert_within(&lars.alphas()[0], &want("lars", "alphas"), 1e-9, "lars");
        assert_within(&as_real(&lars.active()[0]), &want("lars", "active"), 1e-12, "lars");
        assert_within(lars.coef(), &want("lars", "coef"), 1e-8, "lars");
        let path = lars.paths()[0].view().t().to_mat();
        assert_within(path.as_slice(), &want("lars", "path"), 1e-8, "lars");
        for (what, positive) in [("lasso_lars", false), ("lasso_lars_positive", true)] {
            let lars = LassoLars::default().alpha(0.02).positive(positive).fit(&data).unwrap();
            assert_within(&lars.alphas()[0], &want(what, "alphas"), 1e-8, what);
            assert_within(&as_real(&lars.active()[0]), &want(what, "active"), 1e-12, what);
            // Its end of a path of positive coefficients can be off the optimum; that of descent is not.
            let lasso = Lasso::default().alpha(0.02).positive(positive).tol(1e-14).max_iter(100_000);
            assert_within(lars.coef(), lasso.fit(&data).unwrap().coef(), 1e-7, what);
            if !positive {
                assert_within(lars.coef(), &want(what, "coef"), 1e-7, what);
            }
            assert!(lars.certificate().evidence[0].value < 1e-10, "{}", lars.certificate());
            assert!(lars.verify(&data).unwrap().iter().all(|v| v.holds));
        }
    }
}

#[test]
fn the_path_is_the_lasso_at_its_knots_and_least_squares_at_its_end() {
    let mut rng = rng_for(8, 0);
    for (n, d) in [(50, 12), (20, 35)] {
        let x = Mat::from_fn(n, d, |_, j| normal(&mut rng) * (1.0 + j as f64));
        let y: Vec<f64> = (0..n).map(|i| x[(i, 0)] - 0.5 * x[(i, 3)] + normal(&mut rng)).collect();
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        let lars = LassoLars::default().alpha(0.0).fit(&data).unwrap();
        let (path, alphas) = (&lars.paths()[0], &lars.alphas()[0]);
        assert!(alphas.windows(2).all(|a| a[1] <= a[0]));
        for (knot, &alpha) in alphas.iter().enumerate().filter(|(_, a)| **a > 1e-3 * alphas[0]) {
            let lasso = Lasso::default().alpha(alpha).tol(1e-14).max_iter(100_000).fit(&data).unwrap();
            assert_within(&path.col(knot), lasso.coef(), 1e-6, &format!("knot {knot}, alpha {alpha}"));
        }
        if n > d {
            let least = Ridge::default().alpha(0.0).fit(&data).unwrap();
            assert_within(lars.coef(), least.coef.as_slice(), 1e-9, "least squares");
            let lar = Lars::default().fit(&data).unwrap();
            assert_within(lar.coef(), least.coef.as_slice(), 1e-9, "least squares");
        }
    }
}

#[test]
fn degenerate_features_stay_out() {
    let x = Mat::from_fn(12, 4, |i, j| if j == 3 { 1.0 } else { ((i * (j % 2 + 2)) % 7) as f64 });
    let y: Vec<f64> = (0..12).map(|i| 2.0 * x[(i, 0)] + x[(i, 1)]).collect();
    let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    let lars = LassoLars::default().alpha(1e-6).fit(&data).unwrap();
    assert!(lars.coef()[3] == 0.0 && (lars.coef()[0] == 0.0 || lars.coef()[2] == 0.0), "{:?}", lars.coef());
    assert!(lars.verify(&data).unwrap().iter().all(|v| v.holds));
    let two = Target::multi(vec![y.clone(), y.iter().map(|y| -y).collect()]).unwrap();
    let both = LassoLars::default().alpha(1e-6).fit(&Dataset::new(&x).with_target(two).unwrap()).unwrap();
    assert_within(&both.coef()[..4], lars.coef(), 1e-12, "two targets");
}
