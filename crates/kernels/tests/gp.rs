//! Gaussian process regression: against scikit-learn, closed forms, brute force, and moments of draws.

use mercer_core::{
    Cancel, Dataset, Fit, Observer, Params, Progress, Session, Target, Termination, Trained, Value,
};
use mercer_kernels::{GaussianProcessRegressor, Kernel, MeanFunction, Noise, PointsRef};
use mercer_math::{Cholesky, Mat, matmul, normal, rng_for};
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value as Json;
use std::sync::Arc;

type Gp = GaussianProcessRegressor;

fn frozen() -> Json {
    reference(include_str!("reference/gp.json"))
}

fn parse(text: &str) -> Kernel {
    Kernel::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn columns(y: &Mat) -> Target<'static> {
    Target::multi((0..y.n_cols()).map(|k| y.col(k)).collect()).expect("columns of equal lengths")
}

fn fitted(learner: &Gp, x: &Mat, target: Target<'static>) -> Trained<Gp> {
    learner.fit(&Dataset::new(x).with_target(target).expect("equal lengths")).expect("a fit")
}

fn dense(x: &Mat) -> PointsRef<'_> {
    PointsRef::Dense(x.view())
}

/// The settings of a case of the reference.
fn setting(all: &Json, kernel: &Kernel, case: &str) -> (Gp, Target<'static>) {
    let silent = !kernel.to_string().contains("white");
    let learner = Gp::default().kernel_of(kernel.clone());
    let one = Target::real(numbers(&all["y"]));
    match case {
        "plain" => (learner.noise(if silent { 0.1 } else { 1e-10 }), one),
        "normalised" => (learner.noise(0.05).normalize_y(true), one),
        "each" => (learner.alpha(Noise::Each(numbers(&all["each"]))), one),
        _ => (learner.noise(0.1).normalize_y(true), columns(&matrix(&all["both"]))),
    }
}

/// Variances of new points in the units of each target, without `alpha`, as scikit-learn gives them.
fn deviations(model: &Trained<Gp>, new: &Mat, alpha: f64, units: &[f64]) -> Vec<f64> {
    let found = model.distribution(dense(new)).expect("a distribution");
    let std = |i: usize, unit: f64| (found.epistemic[i] + found.aleatoric[i] - alpha).sqrt() * unit;
    (0..new.n_rows()).flat_map(|i| units.iter().map(move |u| (i, *u))).map(|(i, u)| std(i, u)).collect()
}

fn units(y: &Mat, normalised: bool) -> Vec<f64> {
    let own = |k: usize| mercer_math::Moments::of(&y.col(k)).variance().sqrt();
    (0..y.n_cols()).map(|k| if normalised { own(k) } else { 1.0 }).collect()
}

fn flat(value: &Json) -> Vec<f64> {
    match value.as_array() {
        Some(items) => items.iter().flat_map(flat).collect(),
        None => vec![value.as_f64().expect("a number")],
    }
}

#[test]
fn likelihoods_gradients_and_predictions_are_those_of_scikit_learn() {
    let all = frozen();
    let (x, new) = (matrix(&all["x"]), matrix(&all["new"]));
    for (text, cases) in all["regression"].as_object().expect("cases") {
        for (case, expected) in cases.as_object().expect("cases") {
            let (kernel, told) = (parse(text), format!("{text}, {case}"));
            let (learner, target) = setting(&all, &kernel, case);
            let y = Mat::from_fn(x.n_rows(), target.n_columns(), |i, k| {
                target.numbers_of(k).expect("numbers")[i]
            });
            let alpha = match &learner.alpha {
                Noise::One(alpha) => *alpha,
                Noise::Each(_) => 0.0,
            };
            let units = units(&y, learner.normalize_y);
            let model = fitted(&learner.clone().optimizer(None), &x, target.clone());
            let (value, slopes) =
                model.log_marginal_likelihood(&kernel.theta(), &Session::default()).expect("a value");
            assert_close(&[value], &flat(&expected["lml"]), 1e-8, &told);
            assert_close(&[model.evidence()], &flat(&expected["lml"]), 1e-8, &told);
            assert_close(&slopes, &flat(&expected["gradient"]), 1e-8, &told);
            let mean = model.mean(dense(&new)).expect("means");
            assert_close(mean.as_slice(), &flat(&expected["mean"]), 1e-8, &told);
            assert_close(&deviations(&model, &new, alpha, &units), &flat(&expected["std"]), 1e-8, &told);
            let mut covariance = model.covariance_of(dense(&new)).expect("a covariance");
            let found = model.distribution(dense(&new)).expect("variances");
            (0..new.n_rows()).for_each(|i| covariance[(i, i)] += found.aleatoric[i] - alpha);
            let scaled: Vec<f64> =
                covariance.as_slice().iter().flat_map(|v| units.iter().map(move |u| v * u * u)).collect();
            assert_close(&scaled, &flat(&expected["covariance"]), 1e-8, &told);
            assert_close(&attribute(&model, "alpha_"), &flat(&expected["alpha"]), 1e-7, &told);
        }
    }
}

fn attribute(model: &Trained<Gp>, name: &str) -> Vec<f64> {
    let found = model.attributes().into_iter().find(|a| a.name == name).expect("an attribute of this name");
    match found.values {
        mercer_core::AttributeValues::Real(values) => values,
        _ => panic!("{name} is no array of numbers"),
    }
}

#[test]
fn hyper_parameters_are_at_least_as_likely_as_those_of_scikit_learn() {
    let all = frozen();
    let (x, new) = (matrix(&all["x"]), matrix(&all["new"]));
    for (text, cases) in all["regression"].as_object().expect("cases") {
        for (case, expected) in cases.as_object().expect("cases") {
            let (kernel, told) = (parse(text), format!("{text}, {case}"));
            let (learner, target) = setting(&all, &kernel, case);
            let model = fitted(&learner, &x, target);
            let best = expected["best"].as_f64().expect("a number");
            assert!(model.evidence() >= best - 1e-6 * best.abs(), "{told}: {} for {best}", model.evidence());
            assert!(model.certificate().is_success(), "{told}: {}", model.certificate());
            // Where both are at the same maximum, they say the same.
            let theta = flat(&expected["theta"]);
            let near = model.kernel().theta().iter().zip(&theta).all(|(a, b)| (a - b).abs() < 1e-3);
            if near {
                let mean = model.mean(dense(&new)).expect("means");
                assert_close(mean.as_slice(), &flat(&expected["best_mean"]), 1e-3, &told);
            }
        }
    }
}

fn line(n: usize) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(4, 1);
    let x = Mat::from_fn(n, 2, |i, j| if j == 0 { 0.25 * i as f64 } else { normal(&mut rng) });
    let y =
        (0..n).map(|i| 3.0 + (0.25 * i as f64).sin() + 0.4 * x[(i, 1)] + 0.1 * normal(&mut rng)).collect();
    (x, y)
}

#[test]
fn one_point_has_a_closed_form() {
    let (x, new) = (Mat::from_rows(&[[0.5]]).unwrap(), Mat::from_rows(&[[0.5], [1.5], [9.0]]).unwrap());
    let learner =
        Gp::default().kernel_of(Kernel::constant(4.0) * Kernel::rbf(2.0)).noise(0.25).optimizer(None);
    let model = fitted(&learner, &x, Target::real(vec![1.7]));
    let found = model.distribution(dense(&new)).unwrap();
    for (i, at) in [0.5f64, 1.5, 9.0].into_iter().enumerate() {
        let k = 4.0 * (-(at - 0.5).powi(2) / 8.0).exp();
        assert!((found.mean[(i, 0)] - k * 1.7 / 4.25).abs() < 1e-14);
        assert!((found.epistemic[i] - (4.0 - k * k / 4.25)).abs() < 1e-14);
        assert_eq!(found.aleatoric[i], 0.25);
    }
    let value = -0.5 * (1.7f64 * 1.7 / 4.25 + 4.25f64.ln() + (2.0 * std::f64::consts::PI).ln());
    assert!((model.evidence() - value).abs() < 1e-14);
}

#[test]
fn leaving_one_out_is_what_refits_say_under_every_mean() {
    let (x, y) = line(14);
    for mean in [MeanFunction::Zero, MeanFunction::Constant, MeanFunction::Linear] {
        let kernel = Kernel::constant(1.5) * Kernel::rbf(1.3) + Kernel::white(0.05);
        let learner = Gp::default().kernel_of(kernel).noise(0.02).optimizer(None).mean(mean);
        let found = fitted(&learner, &x, Target::real(y.clone())).leave_one_out(&Session::default()).unwrap();
        let mut total = 0.0;
        for i in 0..14 {
            let others: Vec<usize> = (0..14).filter(|&j| j != i).collect();
            let (rest, rest_y) = (x.view().gather(&others), others.iter().map(|&j| y[j]).collect::<Vec<_>>());
            let without = fitted(&learner, &rest, Target::real(rest_y));
            let said = without.distribution(dense(&x.view().gather(&[i]))).unwrap();
            let variance = said.epistemic[0] + said.aleatoric[0];
            assert!((found.mean[(i, 0)] - said.mean[(0, 0)]).abs() < 1e-9, "{mean:?}, row {i}");
            assert!((found.variance[(i, 0)] - variance).abs() < 1e-9, "{mean:?}, row {i}");
            let off = y[i] - said.mean[(0, 0)];
            total -= 0.5 * ((2.0 * std::f64::consts::PI * variance).ln() + off * off / variance);
        }
        let model = fitted(&learner, &x, Target::real(y.clone()));
        let evidence = &model.certificate().evidence;
        let claimed = evidence.iter().find(|e| e.name.starts_with("leave-one-out")).expect("evidence").value;
        assert!((claimed - total).abs() < 1e-8, "{claimed} for {total}");
    }
}

/// An unknown mean is the limit of a wide prior on its coefficients, which a kernel can hold.
#[test]
fn an_unknown_mean_is_the_limit_of_a_wide_prior() {
    let (x, y) = line(20);
    let base = Kernel::rbf(1.3) + Kernel::white(0.05);
    let new = Mat::from_rows(&[[1.1, 0.3], [7.0, -1.0]]).unwrap();
    let wide = |kernel: Kernel| {
        let learner = Gp::default().kernel_of(kernel).noise(1e-10).optimizer(None);
        fitted(&learner, &x, Target::real(y.clone())).distribution(dense(&new)).unwrap()
    };
    let about = |mean| {
        let learner = Gp::default().kernel_of(base.clone()).optimizer(None).mean(mean);
        fitted(&learner, &x, Target::real(y.clone())).distribution(dense(&new)).unwrap()
    };
    let constant = Kernel::constant(1e5);
    let linear = Kernel::constant(1e5) * Kernel::linear() + Kernel::constant(1e5);
    for (prior, mean) in [(constant, MeanFunction::Constant), (linear, MeanFunction::Linear)] {
        let (limit, exact) = (wide(base.clone() + prior), about(mean));
        assert_close(exact.mean.as_slice(), limit.mean.as_slice(), 1e-3, "means");
        assert_close(&exact.epistemic, &limit.epistemic, 1e-3, "variances");
    }
}

#[test]
fn gradients_are_differences_under_every_mean_and_for_kernels_without_tiles() {
    let (x, y) = line(30);
    let kernels = [
        Kernel::constant(1.5) * Kernel::rbf(1.3) + Kernel::white(0.05),
        parse("rbf(length_scale=[1.3, 0.7])*periodic(1.1, 2.3)+white(0.1)"),
        parse(
            "power(rational_quadratic(1.4, 0.8), exponent=2)+normalised(dot_product(1.2)+rbf(2.0))+white(0.1)",
        ),
        parse("laplacian(0.4)+columns(matern(1.0, nu=1.5), columns=[1])+exp(rbf(2.0))+white(0.2)"),
    ];
    for kernel in kernels {
        for mean in [MeanFunction::Zero, MeanFunction::Constant, MeanFunction::Linear] {
            let learner = Gp::default().kernel_of(kernel.clone()).optimizer(None).mean(mean);
            let model = fitted(&learner, &x, Target::real(y.clone()));
            let at = |theta: &[f64]| model.log_marginal_likelihood(theta, &Session::default()).unwrap();
            let theta = kernel.theta();
            let slopes = at(&theta).1;
            for p in 0..theta.len() {
                let moved = |by: f64| {
                    let mut theta = theta.clone();
                    theta[p] += by;
                    at(&theta).0
                };
                let h = 1e-4;
                let difference =
                    (8.0 * (moved(h) - moved(-h)) - moved(2.0 * h) + moved(-2.0 * h)) / (12.0 * h);
                let size = 1.0 + difference.abs();
                assert!(
                    (slopes[p] - difference).abs() < 1e-7 * size,
                    "{kernel}, {mean:?}, {p}: {} {difference}",
                    slopes[p]
                );
            }
        }
    }
}

/// Moments of 4000 draws: each of 5 means and 15 covariances within 4.5 of its standard errors, which fails by chance in fewer
/// than 2 of 10 000 runs; the seed is fixed.
#[test]
fn draws_have_the_moments_of_the_posterior() {
    let (x, y) = line(12);
    let learner =
        Gp::default().kernel_of(Kernel::constant(2.0) * Kernel::rbf(0.8)).noise(0.01).optimizer(None);
    let model = fitted(&learner, &x, Target::real(y));
    let new = Mat::from_fn(5, 2, |i, j| if j == 0 { 0.9 * i as f64 } else { 0.1 });
    let (draws, n) = (4000, 5);
    let drawn = model.sample(dense(&new), 0, draws, &mut rng_for(11, 0)).unwrap();
    let (mean, covariance) = (model.mean(dense(&new)).unwrap(), model.covariance_of(dense(&new)).unwrap());
    let about = |i: usize, s: usize| drawn[(i, s)] - mean[(i, 0)];
    for i in 0..n {
        let off = (0..draws).map(|s| about(i, s)).sum::<f64>() / draws as f64;
        assert!(off.abs() < 4.5 * (covariance[(i, i)] / draws as f64).sqrt(), "mean {i}: {off}");
        for j in 0..=i {
            let found = (0..draws).map(|s| about(i, s) * about(j, s)).sum::<f64>() / draws as f64;
            let error = ((covariance[(i, i)] * covariance[(j, j)] + covariance[(i, j)].powi(2))
                / draws as f64)
                .sqrt();
            assert!((found - covariance[(i, j)]).abs() < 4.5 * error, "{i} {j}: {found}");
        }
    }
}

#[test]
fn intervals_and_quantiles_are_those_of_the_normal_distribution() {
    let (x, y) = line(25);
    let learner = Gp::default().kernel_of(parse("1.0*rbf(1.0)+white(0.1)"));
    let model = fitted(&learner, &x, Target::real(y));
    let (input, session) = (mercer_core::Input::from(x.clone()), Session::default());
    let asked = model.as_model().on(&input, &session).unwrap();
    let (spread, quantiles) = (asked.spread().unwrap(), asked.quantiles(&[0.025, 0.5, 0.975]).unwrap());
    let intervals = asked.intervals(0.95).unwrap();
    for (i, std) in spread.std().into_iter().enumerate() {
        assert!((intervals[(i, 1)] - spread.mean[i] - 1.959963984540054 * std).abs() < 1e-12);
        assert!((quantiles[(i, 0)] - intervals[(i, 0)]).abs() < 1e-12);
        assert!((quantiles[(i, 1)] - spread.mean[i]).abs() < 1e-12);
    }
}

#[test]
fn a_kernel_that_is_not_definite_is_an_error_that_names_alpha() {
    let x = Mat::from_rows(&[[1.0], [1.0], [2.0]]).unwrap();
    let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 2.0, 3.0])).unwrap();
    let learner = Gp::default().kernel_of(Kernel::rbf(1.0)).noise(0.0);
    let told = learner.fit(&data).unwrap_err().to_string();
    assert!(told.contains("alpha") && told.contains("jitter"), "{told}");
    let short = Gp::default().alpha(Noise::Each(vec![0.1, 0.2])).fit(&data).unwrap_err().to_string();
    assert!(short.contains("alpha") && short.contains('3'), "{short}");
    let many = Gp::default().n_targets(Some(2)).fit(&data).unwrap_err().to_string();
    assert!(many.contains("n_targets"), "{many}");
}

#[test]
fn seeds_draw_the_starts_and_threads_change_nothing() {
    let (x, y) = line(300);
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let learner = Gp::default().kernel_of(parse("1.0*rbf([1.0, 1.0])+white(0.1)")).n_restarts_optimizer(1);
    let run = |threads| learner.fit_in(&data, &Session::new(3).with_threads(threads)).unwrap();
    let (one, three) = (run(1), run(3));
    assert_eq!(one.kernel(), three.kernel());
    assert_eq!(one.mean(dense(&x)).unwrap(), three.mean(dense(&x)).unwrap());
}

/// From 1,000 rows on the search begins on some of them; it ends at a maximum of the likelihood of all.
#[test]
fn many_rows_end_at_a_maximum_on_any_threads() {
    let (x, y) = line(1050);
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let learner =
        Gp::default().kernel_of(parse("1.0*rbf([1.0, 1.0])+white(0.1)")).mean(MeanFunction::Constant);
    let run = |threads| learner.fit_in(&data, &Session::new(3).with_threads(threads)).unwrap();
    let (one, two) = (run(1), run(2));
    assert_eq!((one.kernel(), one.evidence()), (two.kernel(), two.evidence()));
    // No slope is left: a step by it in the logarithms would raise the likelihood by less than the search resolves.
    let at = |theta: &[f64]| one.log_marginal_likelihood(theta, &Session::default()).unwrap();
    let theta = one.kernel().theta();
    for p in 0..theta.len() {
        for by in [-0.05, 0.05] {
            let mut near = theta.clone();
            near[p] += by;
            assert!(at(&near).0 <= one.evidence() + 1e-5, "{p} by {by}");
        }
    }
}

/// Throws the switch at a step of the search.
struct After(u64, Cancel);

impl Observer for After {
    fn progress(&self, progress: &Progress<'_>) {
        if progress.stage == "hyper-parameters" && progress.done >= self.0 {
            self.1.cancel();
        }
    }
}

/// A search that is stopped while it is on some of the rows keeps what it found there.
#[test]
fn stopped_on_some_of_the_rows_keeps_the_best_so_far() {
    let (x, y) = line(1050);
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let learner = Gp::default().kernel_of(parse("1.0*rbf([1.0, 1.0])+white(0.1)"));
    let cancel = Cancel::default();
    let session = Session::new(3).with_cancel(cancel.clone()).with_observer(Arc::new(After(3, cancel)));
    let model = learner.fit_in(&data, &session).unwrap();
    assert_eq!(model.certificate().termination, Termination::Cancelled);
    let begun = learner.optimizer(None).fit(&data).unwrap();
    assert!(model.evidence() > begun.evidence(), "{} after {}", model.evidence(), begun.evidence());
}

/// The evidence prefers the kernel that data were drawn from.
#[test]
fn evidence_prefers_the_kernel_that_made_the_data() {
    let mut rng = rng_for(9, 1);
    let x = Mat::from_fn(120, 1, |i, _| 0.1 * i as f64);
    let y: Vec<f64> = (0..120)
        .map(|i| (std::f64::consts::TAU * 0.1 * i as f64 / 1.7).sin() + 0.1 * normal(&mut rng))
        .collect();
    let evidence =
        |text: &str| fitted(&Gp::default().kernel_of(parse(text)), &x, Target::real(y.clone())).evidence();
    let (season, smooth) = (evidence("periodic(1.0, 1.7)+white(0.1)"), evidence("1.0*rbf(1.0)+white(0.1)"));
    assert!(season > smooth + 3.0, "{season} for {smooth}");
    assert!(smooth > evidence("dot_product(1.0)+white(0.1)") + 3.0);
}

#[test]
fn the_grammar_of_kernels_reaches_the_learner() {
    let mut learner = Gp::default();
    learner.set("kernel", &Value::parse("2*rbf(length_scale=1)+white(0.1)").unwrap()).unwrap();
    let (x, y) = line(20);
    let model = fitted(&learner, &x, Target::real(y));
    assert_eq!(model.kernel().theta_names(), ["constant_value", "length_scale", "noise_level"]);
}

/// A process with a linear kernel is Bayesian linear regression: the posterior mean is ridge regression's.
#[test]
fn a_linear_kernel_is_ridge_regression() {
    let (x, y) = line(30);
    let learner = Gp::default().kernel_of(Kernel::linear()).noise(0.5).optimizer(None);
    let model = fitted(&learner, &x, Target::real(y.clone()));
    let mut normal = matmul(x.view().t(), x.view());
    (0..2).for_each(|j| normal[(j, j)] += 0.5);
    let xy: Vec<f64> = (0..2).map(|j| (0..30).map(|i| x[(i, j)] * y[i]).sum()).collect();
    let w = Cholesky::new(&normal).unwrap().solve_vec(&xy);
    let expected: Vec<f64> = (0..30).map(|i| x[(i, 0)] * w[0] + x[(i, 1)] * w[1]).collect();
    assert_close(model.mean(dense(&x)).unwrap().as_slice(), &expected, 1e-10, "ridge");
}
