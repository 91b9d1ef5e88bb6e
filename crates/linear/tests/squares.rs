//! Least squares against NIST's certified values, scikit-learn and statsmodels, and where it is hard.

use mercer_core::{Dataset, Fit, Session, Target, sums};
use mercer_linear::LinearRegression;
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value;

/// The digits that agree; for a certified zero, those of the absolute difference.
fn digits(found: f64, certified: f64) -> f64 {
    let off = if certified == 0.0 { found.abs() } else { (found / certified - 1.0).abs() };
    if off == 0.0 { 15.0 } else { (-off.log10()).min(15.0) }
}

#[test]
fn certified_values() {
    let all = reference(include_str!("reference/nist.json"));
    for case in all["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let x = matrix(&case["x"]).view().t().to_mat();
        let data = Dataset::new(&x).with_target(Target::real(numbers(&case["y"]))).unwrap();
        let learner = LinearRegression::default().fit_intercept(case["intercept"].as_bool().unwrap());
        let model = learner.fit(&data).unwrap();
        let summary = model.summary().unwrap_or_else(|e| panic!("{name}: {e}; {}", model.certificate()));
        let least = |list: &Value, found: &dyn Fn(usize) -> f64| {
            let certified = numbers(list);
            (0..certified.len()).map(|i| digits(found(i), certified[i])).fold(15.0, f64::min)
        };
        let estimates = least(&case["estimates"], &|i| summary.coefficients[i].estimate);
        let errors = least(&case["standard_deviations"], &|i| summary.coefficients[i].std_error);
        let sigma = digits(summary.sigma.unwrap(), case["residual_standard_deviation"].as_f64().unwrap());
        let r2 = digits(summary.r_squared.unwrap(), case["r_squared"].as_f64().unwrap());
        // Filip's powers of x are rounded before they are seen; all else is nearly as exact as numbers are.
        let wanted = if name == "Filip" { 7.0 } else { 12.0 };
        let found = estimates.min(errors).min(sigma).min(r2);
        assert!(found >= wanted, "{name}: {estimates:.1} {errors:.1} {sigma:.1} {r2:.1} digits");
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{name}: {}", model.certificate());
    }
}

fn problems() -> Vec<Value> {
    reference(include_str!("reference/squares.json"))["problems"].as_array().unwrap().clone()
}

#[test]
fn matches_scikit_learn() {
    for p in problems() {
        let (x, y) = (matrix(&p["x"]), matrix(&p["y2"]));
        let csr = Csr::from_dense(x.view());
        let target = Target::multi(vec![y.row(0).to_vec(), y.row(1).to_vec()]).unwrap();
        for fit in p["squares"].as_array().unwrap() {
            let flag = |name: &str| fit[name].as_bool().unwrap();
            let learner =
                LinearRegression::default().fit_intercept(flag("intercept")).positive(flag("positive"));
            for data in
                [Dataset::new(&x), Dataset::new(&csr)].into_iter().take(2 - usize::from(flag("positive")))
            {
                let mut data = data.with_target(target.clone()).unwrap();
                if flag("weighted") {
                    data = data.with_weights(numbers(&p["weights"])).unwrap();
                }
                let model = learner.fit(&data).unwrap();
                if flag("positive") && x.n_rows() < x.n_cols() {
                    continue; // Not unique.
                }
                assert_close(
                    model.coef().as_slice(),
                    matrix(&fit["coef"]).as_slice(),
                    1e-8,
                    &fit.to_string(),
                );
                assert_close(model.intercept(), &numbers(&fit["b"]), 1e-8, &fit.to_string());
                assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "{}", model.certificate());
                if !flag("positive") {
                    assert_eq!(
                        model.rank(),
                        fit["rank"].as_u64().map(|r| r as usize),
                        "{}",
                        model.certificate()
                    );
                    // scikit-learn's list is as long as the smaller dimension.
                    let singular = numbers(&fit["singular"]);
                    assert_close(&model.singular()[..singular.len()], &singular, 1e-8, "singular values");
                }
            }
        }
    }
}

#[test]
fn matches_the_summary_of_statsmodels() {
    let p = &problems()[0];
    let (x, y) = (matrix(&p["x"]), numbers(&p["y"]));
    for fit in p["summaries"].as_array().unwrap() {
        let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
        let weighted = data.clone().with_weights(numbers(&fit["weights"])).unwrap();
        let learner = LinearRegression::default().fit_intercept(fit["intercept"].as_bool().unwrap());
        let model = learner.fit(&weighted).unwrap();
        let s = model.as_model().summary(0.9).unwrap();
        let column =
            |f: &dyn Fn(&mercer_core::SummaryRow) -> f64| s.coefficients.iter().map(f).collect::<Vec<_>>();
        assert_close(&column(&|c| c.estimate), &numbers(&fit["estimates"]), 1e-10, "estimates");
        assert_close(&column(&|c| c.std_error), &numbers(&fit["errors"]), 1e-10, "errors");
        assert_close(&column(&|c| c.statistic), &numbers(&fit["t"]), 1e-10, "t");
        assert_close(&column(&|c| c.p_value), &numbers(&fit["p"]), 1e-10, "p");
        assert_close(&column(&|c| c.lower), &numbers(&fit["lower"]), 1e-9, "lower");
        assert_close(&column(&|c| c.upper), &numbers(&fit["upper"]), 1e-9, "upper");
        let given = |name: &str| fit[name].as_f64().unwrap();
        let facts = [
            (s.r_squared.unwrap(), "r2"),
            (s.adjusted_r_squared.unwrap(), "adjusted"),
            (s.f_statistic.unwrap(), "f"),
            (s.sigma.unwrap(), "sigma"),
            (s.log_likelihood, "llf"),
            (s.aic, "aic"),
            (s.bic, "bic"),
        ];
        facts.iter().for_each(|(found, name)| assert_close(&[*found], &[given(name)], 1e-10, name));
        assert!(
            (s.f_p_value.unwrap() / given("f_p") - 1.0).abs() < 1e-7,
            "{:?} {}",
            s.f_p_value,
            given("f_p")
        );
        assert!(s.to_string().contains("(intercept)") == s.coefficients.len().eq(&6), "{s}");
        if numbers(&fit["weights"]).iter().all(|w| *w == 1.0) {
            let i = model.influence(&data).unwrap();
            assert_close(&i.leverage, &numbers(&fit["leverage"]), 1e-10, "leverage");
            assert_close(&i.cooks_distance, &numbers(&fit["cooks"]), 1e-9, "Cook's distance");
            assert_close(&i.standardised, &numbers(&fit["standardised"]), 1e-9, "standardised");
        }
    }
}

#[test]
fn a_summary_that_would_mean_nothing_is_refused_with_its_reason() {
    let mut rng = rng_for(2, 2);
    let x =
        Mat::from_fn(20, 3, |i, j| if j == 2 { 2.0 * i as f64 } else { normal(&mut rng) + (i * j) as f64 });
    let y: Vec<f64> = (0..20).map(|i| (i as f64).sqrt()).collect();
    let twice = Mat::from_fn(20, 4, |i, j| if j == 3 { x[(i, 0)] } else { x[(i, j)] });
    let why = |x: &Mat, learner: LinearRegression, rows: usize| {
        let data = Dataset::new(x).with_target(Target::real(y.clone())).unwrap();
        let data = data.subset(&(0..rows).collect::<Vec<_>>()).unwrap();
        learner.fit(&data).unwrap().summary().unwrap_err().to_string()
    };
    let plain = LinearRegression::default;
    assert!(why(&twice, plain(), 20).contains("rank 3 of 4"), "{}", why(&twice, plain(), 20));
    assert!(why(&x, plain(), 4).contains("more rows"), "{}", why(&x, plain(), 4));
    assert!(why(&x, plain().positive(true), 20).contains("negative"));
    let data = Dataset::new(&x).with_target(Target::multi(vec![y.clone(), y.clone()]).unwrap()).unwrap();
    assert!(plain().fit(&data).unwrap().summary().unwrap_err().to_string().contains("2 targets"));
}

/// Nearly equal columns are solved by QR, streamed and over partitions, too.
#[test]
fn hard_columns_have_the_same_bits_in_a_stream() {
    let mut rng = rng_for(3, 3);
    let mut x = Mat::from_fn(6000, 4, |_, _| 1e3 + normal(&mut rng));
    (0..6000).for_each(|i| x[(i, 3)] = x[(i, 0)] + 1e-6 * x[(i, 3)]);
    let y: Vec<f64> = (0..6000).map(|i| x[(i, 0)] - 3.0 * x[(i, 3)] + 2.0 * x[(i, 1)]).collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let whole = LinearRegression::default().fit(&data).unwrap();
    assert_close(whole.coef().as_slice(), &[1.0, 2.0, 0.0, -3.0], 1e-5, "coefficients");
    let mut batches = sums::MemoryBatches::new(&data, 777);
    let streamed = LinearRegression::default().fit_stream(&mut batches, &Session::default()).unwrap();
    assert_eq!(streamed.coef(), whole.coef());
    let cuts: Vec<_> =
        [0..10, 10..3000, 3000..6000].map(|r| data.subset(&r.collect::<Vec<_>>()).unwrap()).into();
    let parts = sums::fit_partitions("x", &LinearRegression::default(), &cuts, &Session::default()).unwrap();
    assert_close(parts.coef().as_slice(), whole.coef().as_slice(), 1e-7, "partitions");
}
