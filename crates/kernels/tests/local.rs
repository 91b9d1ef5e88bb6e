//! Kernel densities against scikit-learn, local regressions against statsmodels, networks against their limits.

use mercer_core::{Dataset, Fit, Input, Learner, Model, ParamType, Session, Target, Value};
use mercer_kernels::{
    Bandwidth, KernelDensity, LocalKernelName, LocalLinearRegression, MetricName, NadarayaWatson,
    NetworkCenters, NetworkOutput, NetworkWidth, RBFNetworkClassifier, RBFNetworkRegressor,
};
use mercer_math::{Mat, normal, rng_for};
use mercer_testkit::{assert_alike, assert_close, matrix, numbers, reference};
use serde_json::Value as Json;

fn word<T: ParamType>(json: &Json) -> T {
    T::from_value(&Value::from(json.as_str().unwrap())).unwrap()
}

fn density(learner: KernelDensity, data: &Dataset<'_>) -> Box<dyn Model> {
    let learner: Box<dyn Learner> = Box::new(learner);
    learner.train(data, &Session::default()).unwrap()
}

fn logs(model: &dyn Model, x: &Mat) -> Vec<f64> {
    model.on(&Input::from(x), &Session::default()).unwrap().log_densities().unwrap()
}

#[test]
fn densities_match_scikit_learn() {
    let all = reference(include_str!("reference/neighbors.json"));
    let (x, new) = (matrix(&all["x"]), matrix(&all["new"]));
    let far: Vec<Vec<f64>> = (0..15).map(|i| new.row(i).to_vec()).chain([vec![40.0, 0.0, 0.0]]).collect();
    let far = Mat::from_rows(&far).unwrap();
    let data = Dataset::new(&x);
    let weighted = data.clone().with_weights(numbers(&all["weights"])).unwrap();
    for case in all["densities"].as_array().unwrap() {
        let learner = KernelDensity::default().kernel(word(&case["kernel"]));
        if case["rule"].is_string() {
            let model = density(learner.bandwidth(word(&case["rule"])), &data);
            assert_close(
                &logs(model.as_ref(), &new),
                &numbers(&case["logs"]),
                1e-10,
                &case["rule"].to_string(),
            );
            continue;
        }
        let learner = learner.bandwidth(Bandwidth::Number(1.3)).metric(word::<MetricName>(&case["metric"]));
        let data = if case["weighted"].as_bool().unwrap() { &weighted } else { &data };
        let found = logs(density(learner.clone(), data).as_ref(), &far);
        let found: Vec<f64> = found.iter().map(|v| if v.is_finite() { *v } else { f64::NAN }).collect();
        let what = format!("{} {}", case["kernel"], case["metric"]);
        assert_alike(&found, &numbers(&case["logs"]), 1e-10, &what);
        // With a tolerance, the tree may stop early, and keeps to it.
        let rough = logs(density(learner.atol(1e-4).rtol(1e-2), data).as_ref(), &far);
        for (rough, exact) in rough.iter().zip(&found).filter(|(_, e)| !e.is_nan()) {
            assert!(
                (rough.exp() - exact.exp()).abs() <= 1.01e-4 + 1.01e-2 * exact.exp(),
                "{what}: {rough} {exact}"
            );
        }
    }
}

/// Rows of two bumps.
fn bumps(n: usize) -> Mat {
    let mut rng = rng_for(8, 1);
    Mat::from_fn(n, 2, |i, j| (if i % 2 == 0 { 3.0 } else { -1.0 }) * (j as f64) + 0.5 * normal(&mut rng))
}

#[test]
fn the_bandwidth_of_left_out_rows_is_the_best_of_all() {
    let x = bumps(120);
    let data = Dataset::new(&x);
    let model = density(KernelDensity::default().bandwidth(Bandwidth::Loo), &data);
    let score = |h: f64| -> f64 {
        let one = |i: usize| {
            let others: Vec<usize> = (0..120).filter(|j| *j != i).collect();
            let others = data.subset(&others).unwrap();
            let model = density(KernelDensity::default().bandwidth(Bandwidth::Number(h)), &others);
            logs(model.as_ref(), &x.view().gather(&[i]))[0]
        };
        (0..120).map(one).sum()
    };
    let attributes = model.attributes();
    let mercer_core::AttributeValues::Real(found) = &attributes[0].values else { panic!("a number") };
    let best = score(found[0]);
    assert_close(
        &[-model.certificate().objective.unwrap()],
        &[best],
        1e-10,
        "likelihood of rows that are left out",
    );
    assert!([0.8, 0.9, 0.97, 1.03, 1.1, 1.3].iter().all(|f| score(f * found[0]) < best + 1e-4), "{found:?}");
}

/// Draws have the density that they are drawn from: means of powers of their distance to the only row, by the kernel's integrals.
#[test]
fn draws_follow_the_kernel() {
    let x = Mat::from_rows(&[[1.0, -2.0, 0.5]]).unwrap();
    use LocalKernelName::*;
    // E r² for d = 3 and h = 1: ∫ r⁴K / ∫ r²K.
    let expected =
        [(Gaussian, 3.0), (Tophat, 0.6), (Epanechnikov, 3.0 / 7.0), (Exponential, 12.0), (Linear, 0.4)];
    for (kernel, second) in expected {
        let model = density(KernelDensity::default().kernel(kernel), &Dataset::new(&x));
        let n = 40_000;
        let drawn = model.sample(n, &Session::new(3)).unwrap().dense("test").unwrap().view().to_mat();
        let squares: f64 = (0..n).map(|i| mercer_math::sq_dist(drawn.row(i), x.row(0)) / n as f64).sum();
        // Four standard errors: a false alarm once in 16,000 for each kernel.
        let spread: f64 =
            (0..n).map(|i| (mercer_math::sq_dist(drawn.row(i), x.row(0)) - second).powi(2) / n as f64).sum();
        assert!(
            (squares - second).abs() < 4.0 * (spread / n as f64).sqrt(),
            "{kernel:?}: {squares} for {second}"
        );
    }
    let other = density(KernelDensity::default().metric(MetricName::Manhattan), &Dataset::new(&x));
    assert!(other.sample(2, &Session::default()).unwrap_err().to_string().contains("not Euclidean"));
}

#[test]
fn local_regressions_match_statsmodels() {
    let all = reference(include_str!("reference/local.json"));
    let (x, new, y) = (matrix(&all["x"]), matrix(&all["new"]), numbers(&all["y"]));
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    for case in all["cases"].as_array().unwrap() {
        let bandwidth = Bandwidth::Several(numbers(&case["bandwidth"]));
        let (found, error) = if case["kind"] == "lc" {
            let model = NadarayaWatson::default().bandwidth(bandwidth).fit(&data).unwrap();
            (model.predict(&new).unwrap(), model.certificate().evidence[0].value)
        } else {
            let model = LocalLinearRegression::default().bandwidth(bandwidth).fit(&data).unwrap();
            (model.predict(&new).unwrap(), model.certificate().evidence[0].value)
        };
        assert_close(found.numbers().unwrap(), &numbers(&case["means"]), 1e-9, &case["kind"].to_string());
        assert_close(&[error], &[case["loo"].as_f64().unwrap()], 1e-9, "leave-one-out error");
    }
}

/// Leaving a row out by the closed form of linear smoothers, (f − S y)/(1 − S), is refitting without it.
#[test]
fn leaving_out_by_the_closed_form_is_refitting() {
    let all = reference(include_str!("reference/local.json"));
    let (x, y) = (matrix(&all["x"]), numbers(&all["y"]));
    let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
    let n = y.len();
    let predict = |lines: bool, data: &Dataset<'_>, at: &Mat| -> Vec<f64> {
        let h = Bandwidth::Number(0.6);
        let found = if lines {
            LocalLinearRegression::default().bandwidth(h).fit(data).unwrap().predict(at).unwrap()
        } else {
            NadarayaWatson::default().bandwidth(h).fit(data).unwrap().predict(at).unwrap()
        };
        found.numbers().unwrap().to_vec()
    };
    for lines in [false, true] {
        let whole = predict(lines, &data, &x);
        for i in (0..n).step_by(7) {
            // The smoother is linear in y: its diagonal is what a target of 1 in this row alone predicts there.
            let unit = Target::real((0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<_>>());
            let s = predict(lines, &Dataset::new(&x).with_target(unit).unwrap(), &x)[i];
            let others = data.subset(&(0..n).filter(|j| *j != i).collect::<Vec<_>>()).unwrap();
            let refit = predict(lines, &others, &x.view().gather(&[i]))[0];
            assert_close(&[(whole[i] - s * y[i]) / (1.0 - s)], &[refit], 1e-8, "closed form");
        }
    }
}

#[test]
fn the_normalised_network_on_all_rows_is_nadaraya_watson() {
    let all = reference(include_str!("reference/local.json"));
    let (x, new, y) = (matrix(&all["x"]), matrix(&all["new"]), numbers(&all["y"]));
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    use LocalKernelName::*;
    for kernel in [Gaussian, Exponential, Epanechnikov] {
        let mean =
            NadarayaWatson::default().kernel(kernel).bandwidth(Bandwidth::Number(1.2)).fit(&data).unwrap();
        let network = RBFNetworkRegressor::default()
            .n_centers(NetworkCenters::All)
            .normalized(true)
            .output(NetworkOutput::Targets)
            .kernel(kernel)
            .width(NetworkWidth::Number(1.2))
            .fit(&data)
            .unwrap();
        let (a, b) = (network.predict(&new).unwrap(), mean.predict(&new).unwrap());
        assert_close(a.numbers().unwrap(), b.numbers().unwrap(), 1e-12, &format!("{kernel:?}"));
    }
}

#[test]
fn networks_learn_what_lines_cannot() {
    let mut rng = rng_for(4, 0);
    let x = Mat::from_fn(300, 2, |_, _| normal(&mut rng));
    let inside = |i: usize| x.row(i).iter().map(|v| v * v).sum::<f64>() < 1.2;
    let labels: Vec<&str> = (0..300).map(|i| if inside(i) { "in" } else { "out" }).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&labels)).unwrap();
    for normalized in [false, true] {
        let model = RBFNetworkClassifier::default().normalized(normalized).fit(&data).unwrap();
        let found = model.predict(&x).unwrap();
        let right = (0..300).filter(|&i| found.columns()[0].text(i) == labels[i]).count();
        assert!(right > 270, "{right} of 300");
        assert!(model.certificate().evidence[0].value < 1e-8, "{}", model.certificate());
    }
}
