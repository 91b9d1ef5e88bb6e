//! Gaussian process classification: against scikit-learn and against differences.

use mercer_core::{Dataset, Fit, Session, Target, Trained};
use mercer_kernels::{GaussianProcessClassifier, GpMultiClass, Kernel, PointsRef};
use mercer_math::Mat;
use mercer_testkit::{assert_close, matrix, numbers, reference};
use serde_json::Value as Json;

type Gpc = GaussianProcessClassifier;

fn frozen() -> Json {
    reference(include_str!("reference/gp.json"))
}

fn parse(text: &str) -> Kernel {
    Kernel::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn fitted(learner: &Gpc, x: &Mat, classes: &Json) -> Trained<Gpc> {
    let codes: Vec<i64> = numbers(classes).into_iter().map(|v| v as i64).collect();
    learner.fit(&Dataset::new(x).with_target(Target::classes(&codes)).expect("equal lengths")).expect("a fit")
}

fn one(value: &Json) -> Vec<f64> {
    vec![value.as_f64().expect("a number")]
}

#[test]
fn two_classes_are_told_apart_as_scikit_learn_does() {
    let all = frozen();
    let (x, new) = (matrix(&all["x"]), matrix(&all["new"]));
    for (text, expected) in all["classification"].as_object().expect("cases") {
        let kernel = parse(text);
        let learner = Gpc::default().kernel_of(kernel.clone());
        let model = fitted(&learner.clone().optimizer(None), &x, &all["two"]);
        assert_close(&[model.evidence()], &one(&expected["lml"]), 1e-8, text);
        let (value, slopes) =
            model.log_marginal_likelihood(0, &kernel.theta(), &Session::default()).expect("a value");
        assert_close(&[value], &one(&expected["lml"]), 1e-8, text);
        assert_close(&slopes, &numbers(&expected["gradient"]), 1e-8, text);
        let latent = model.latent(0, PointsRef::Dense(new.view())).expect("a latent function");
        let (means, variances): (Vec<f64>, Vec<f64>) = latent.into_iter().unzip();
        assert_close(&means, &numbers(&expected["latent"]), 1e-8, text);
        assert_close(&variances, &numbers(&expected["variance"]), 1e-8, text);
        let found = model.predict_proba(&new).expect("probabilities");
        assert_close(found.as_slice(), matrix(&expected["proba"]).as_slice(), 1e-8, text);
        let best = fitted(&learner, &x, &all["two"]);
        let wanted = expected["best"].as_f64().expect("a number");
        assert!(best.evidence() >= wanted - 1e-6 * wanted.abs(), "{text}: {} for {wanted}", best.evidence());
        assert!(best.certificate().is_success(), "{}", best.certificate());
    }
}

#[test]
fn several_classes_are_told_apart_as_scikit_learn_does() {
    let all = frozen();
    let (x, new) = (matrix(&all["x"]), matrix(&all["new"]));
    for (text, expected) in all["classification"].as_object().expect("cases") {
        let learner = Gpc::default().kernel_of(parse(text)).optimizer(None);
        let rest = fitted(&learner, &x, &all["three"]);
        assert_close(&[rest.evidence()], &one(&expected["rest_lml"]), 1e-8, text);
        let found = rest.predict_proba(&new).expect("probabilities");
        assert_close(found.as_slice(), matrix(&expected["rest"]).as_slice(), 1e-8, text);
        let pairs = fitted(&learner.multi_class(GpMultiClass::OneVsOne), &x, &all["three"]);
        assert_close(&[pairs.evidence()], &one(&expected["pairs_lml"]), 1e-8, text);
        let prediction = pairs.predict(&new).expect("classes");
        let (codes, _) = prediction.class().expect("classes");
        assert_eq!(
            codes.iter().map(|c| f64::from(*c)).collect::<Vec<_>>(),
            numbers(&expected["pairs"]),
            "{text}"
        );
        let refused = pairs.predict_proba(&new).expect_err("no probabilities").to_string();
        assert!(refused.contains("one_vs_rest"), "{refused}");
    }
}

#[test]
fn gradients_are_differences() {
    let all = frozen();
    let x = matrix(&all["x"]);
    for text in ["2.0*rbf([0.8, 2.0])+white(0.3)", "1.5*rational_quadratic(1.4, 0.8)+dot_product(0.5)"] {
        let kernel = parse(text);
        let model = fitted(&Gpc::default().kernel_of(kernel.clone()).optimizer(None), &x, &all["two"]);
        let at =
            |theta: &[f64]| model.log_marginal_likelihood(0, theta, &Session::default()).expect("a value");
        let theta = kernel.theta();
        let slopes = at(&theta).1;
        for p in 0..theta.len() {
            let moved = |by: f64| {
                let mut theta = theta.clone();
                theta[p] += by;
                at(&theta).0
            };
            let h = 1e-3;
            let difference = (8.0 * (moved(h) - moved(-h)) - moved(2.0 * h) + moved(-2.0 * h)) / (12.0 * h);
            assert!((slopes[p] - difference).abs() < 1e-6, "{text}, {p}: {} {difference}", slopes[p]);
        }
    }
}
