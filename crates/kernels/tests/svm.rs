//! Support vector machines against LIBSVM, against closed forms, and against the properties that they must have.

use mercer_core::{
    Attribute, AttributeValues, ClassWeight, Dataset, Decision, Fit, Learner, Model, Session, Target,
    Termination, Value,
};
use mercer_kernels::{Gamma, Kernel, KernelSpec, NuSVC, NuSVR, OneClassSVM, PointsRef, SVC, SVR, SvcClasses};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_testkit::{assert_within, close, numbers, shared_data};

fn attribute(attributes: &[Attribute], name: &str) -> Vec<f64> {
    match &attributes.iter().find(|a| a.name == name).unwrap_or_else(|| panic!("no {name}")).values {
        AttributeValues::Real(v) => v.clone(),
        AttributeValues::Int(v) => v.iter().map(|i| *i as f64).collect(),
        _ => Vec::new(),
    }
}

/// A shared table: its columns standardised, and the last one as it is written.
fn table(text: &str) -> (Mat, Vec<String>) {
    let rows: Vec<Vec<&str>> =
        text.lines().skip(1).filter(|l| !l.is_empty()).map(|l| l.split(',').collect()).collect();
    let (n, d) = (rows.len(), rows[0].len() - 1);
    let mut x = Mat::from_fn(n, d, |i, j| rows[i][j].parse().unwrap());
    for j in 0..d {
        let column = x.col(j);
        let mean = column.iter().sum::<f64>() / n as f64;
        let spread = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        (0..n).for_each(|i| x[(i, j)] = (x[(i, j)] - mean) / if spread > 0.0 { spread } else { 1.0 });
    }
    (x, rows.iter().map(|r| r[d].trim_matches('"').to_owned()).collect())
}

/// The rows of a file of LIBSVM's format with 13 features.
fn heart(text: &str) -> (Mat, Vec<String>) {
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
    let mut x = Mat::zeros(lines.len(), 13);
    for (i, line) in lines.iter().enumerate() {
        for entry in &line[1..] {
            let (j, v) = entry.split_once(':').unwrap();
            x[(i, j.parse::<usize>().unwrap() - 1)] = v.parse().unwrap();
        }
    }
    (x, lines.iter().map(|l| l[0].trim_start_matches('+').to_owned()).collect())
}

fn learner(case: &serde_json::Value) -> Box<dyn Learner> {
    let mut learner: Box<dyn Learner> = match case["learner"].as_str().unwrap() {
        "SVC" => Box::new(SVC::default().tol(1e-9)),
        "NuSVC" => Box::new(NuSVC::default().tol(1e-9)),
        "SVR" => Box::new(SVR::default().tol(1e-9)),
        "NuSVR" => Box::new(NuSVR::default().tol(1e-9)),
        _ => Box::new(OneClassSVM::default().tol(1e-9)),
    };
    for (name, value) in case["settings"].as_object().unwrap() {
        learner = learner.with(name, &Value::from_json(value).unwrap()).unwrap();
    }
    learner
}

#[test]
fn matches_libsvm_on_real_data() {
    let all = mercer_testkit::reference(include_str!("reference/svm.json"));
    for case in all["cases"].as_array().unwrap() {
        let name = case["data"].as_str().unwrap();
        let (x, last) = match name {
            "heart-scale" => match shared_data("heart-scale.svm") {
                Some(text) => heart(&text),
                None => return,
            },
            name => match shared_data(&format!("{name}.csv")) {
                Some(text) => table(&text),
                None => return,
            },
        };
        let told = format!("{name} {} {}", case["learner"], case["settings"]);
        let learner = learner(case);
        let target = match case["learner"].as_str().unwrap() {
            "SVC" | "NuSVC" => Some(Target::classes(&last)),
            "SVR" | "NuSVR" => {
                Some(Target::real(last.iter().map(|v| v.parse().unwrap()).collect::<Vec<f64>>()))
            }
            _ => None,
        };
        let csr = Csr::from_dense(x.view());
        for (sparse, data) in [(false, Dataset::new(&x)), (true, Dataset::new(&csr))] {
            let mut data = data;
            if let Some(target) = &target {
                data = data.with_target(target.clone()).unwrap();
            }
            if case["weighted"].as_bool().unwrap() {
                data = data
                    .with_weights((0..x.n_rows()).map(|i| 1.0 + (i % 3) as f64).collect::<Vec<_>>())
                    .unwrap();
            }
            let model = learner.train(&data, &Session::new(3)).unwrap();
            check(model.as_ref(), &data, case, &format!("{told} sparse={sparse}"));
        }
    }
}

fn check(model: &dyn Model, data: &Dataset<'_>, case: &serde_json::Value, told: &str) {
    let certificate = model.certificate();
    assert_eq!(certificate.termination, Termination::Converged, "{told}: {certificate}");
    assert!(certificate.evidence[0].value < 1e-7, "{told}: {certificate}");
    for verified in model.verify(data, &Session::default()).unwrap() {
        assert!(verified.holds, "{told}: {verified:?}");
    }
    // LIBSVM minimises the negative dual. Other forms are scaled by what their models are divided by.
    if matches!(case["learner"].as_str(), Some("SVC" | "SVR")) {
        let (found, expected) = (certificate.objective.unwrap(), -case["objective"].as_f64().unwrap());
        assert!(close(found / expected, 1.0, 1e-6), "{told}: the objective {found}, not {expected}");
    }
    assert_within(&attribute(&model.attributes(), "intercept_"), &numbers(&case["intercept"]), 2e-5, told);
    let (found, expected) = (attribute(&model.attributes(), "n_support_"), numbers(&case["n_support"]));
    // LIBSVM rounds kernel values to single precision, which may leave a coefficient at nearly nothing.
    found
        .iter()
        .zip(&expected)
        .for_each(|(a, b)| assert!((a - b).abs() <= 1.0, "{told}: {found:?}, not {expected:?}"));
    let (found, n) =
        (attribute(&model.attributes(), "dual_coef_"), attribute(&model.attributes(), "support_").len());
    let sums: Vec<f64> = found.chunks(n).map(|row| row.iter().map(|c| c.abs()).sum()).collect();
    let expected = numbers(&case["dual_sum"]);
    sums.iter()
        .zip(&expected)
        .for_each(|(a, b)| assert!(close(a / b, 1.0, 1e-4), "{told}: {sums:?}, not {expected:?}"));
    let (input, session) = (data.input(), Session::default());
    let asked = model.on(&input, &session).unwrap();
    let decisions = match model.can().decision {
        true => asked.decision().unwrap().into_vec(),
        false => asked.predict().unwrap().numbers().unwrap().to_vec(),
    };
    let width = decisions.len() / data.n_rows();
    let some: Vec<f64> = decisions.chunks(width).step_by(7).flatten().copied().collect();
    let expected: Vec<f64> = match case["decisions"][0].is_array() {
        true => case["decisions"].as_array().unwrap().iter().flat_map(numbers).collect(),
        false => numbers(&case["decisions"]),
    };
    assert_within(&some, &expected, 1e-4, told);
}

fn blobs(n: usize, d: usize, seed: u64) -> (Mat, Vec<&'static str>) {
    let mut rng = rng_for(seed, 0);
    let x = Mat::from_fn(n, d, |i, _| normal(&mut rng) + if i % 2 == 0 { 0.7 } else { -0.3 });
    (x, (0..n).map(|i| if i % 2 == 0 { "up" } else { "down" }).collect())
}

#[test]
fn blocks_reach_the_optimum_of_one_block() {
    // More rows than a block has variables, with and without leaving rows out: the same optimum.
    let (x, y) = blobs(3000, 5, 1);
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let exact = SVC::default().tol(1e-9).fit(&data).unwrap();
    for (shrinking, cache) in [(true, 200.0), (false, 200.0), (true, 0.5), (true, 1e-4)] {
        let model = SVC::default().tol(1e-6).shrinking(shrinking).cache_size(cache).fit(&data).unwrap();
        let certificate = model.certificate();
        assert_eq!(certificate.termination, Termination::Converged, "{certificate}");
        let (a, b) = (certificate.objective.unwrap(), exact.certificate().objective.unwrap());
        assert!(close(a / b, 1.0, 1e-6), "{a} and {b}");
        assert!(certificate.evidence[1].value < 1e-6, "{certificate}");
    }
}

#[test]
fn rounded_rows_of_the_kernel_leave_no_violation() {
    let (x, y) = blobs(5000, 4, 2);
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let rough = SVC::default().c(50.0).fit(&data).unwrap();
    assert_eq!(rough.certificate().termination, Termination::Converged);
    assert!(rough.certificate().evidence[1].value < 1e-3, "{}", rough.certificate());
    assert!(rough.verify(&data).unwrap().iter().all(|v| v.holds));
}

#[test]
fn nu_bounds_both_shares() {
    let (x, y) = blobs(400, 3, 3);
    let classes = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let mut rng = rng_for(4, 0);
    let numbers: Vec<f64> = (0..400).map(|i| x[(i, 0)].sin() + 0.3 * normal(&mut rng)).collect();
    let real = Dataset::new(&x).with_target(Target::real(numbers)).unwrap();
    for nu in [0.3, 0.5, 0.8] {
        let one = OneClassSVM::default().nu(nu).tol(1e-9).fit(&Dataset::new(&x)).unwrap();
        let beyond = one
            .decisions(&(&x).into(), &Session::default())
            .unwrap()
            .as_slice()
            .iter()
            .filter(|f| **f < -1e-6)
            .count();
        assert!(beyond as f64 <= nu * 400.0 + 1e-9 && one.support.len() as f64 >= nu * 400.0 - 1e-9);
        let of = |model: &dyn Model| attribute(&model.attributes(), "support_").len() as f64;
        let svc: Box<dyn Learner> = Box::new(NuSVC::default().nu(nu).tol(1e-9));
        let svc = svc.train(&classes, &Session::default()).unwrap();
        let within = svc.decision(&classes.input(), &Session::default()).unwrap();
        let errors = within
            .as_slice()
            .iter()
            .enumerate()
            .filter(|(i, f)| (if y[*i] == "up" { **f } else { -**f }) < 1.0 - 1e-6);
        assert!(errors.count() as f64 <= nu * 400.0 + 1e-9 && of(svc.as_ref()) >= nu * 400.0 - 1e-9);
        let svr: Box<dyn Learner> = Box::new(NuSVR::default().nu(nu).tol(1e-9));
        let svr = svr.train(&real, &Session::default()).unwrap();
        assert!(of(svr.as_ref()) >= nu * 400.0 - 1e-9);
    }
}

#[test]
fn a_hard_margin_is_the_widest_street() {
    // Two points at distance 2√2: w = (½, ½), b = 0, and the street is as wide as they are apart.
    let x = Mat::from_rows(&[[1.0, 1.0], [-1.0, -1.0], [3.0, 2.0], [-2.0, -5.0]]).unwrap();
    let data = Dataset::new(&x).with_target(Target::classes(&["b", "a", "b", "a"])).unwrap();
    let hard = SVC::default().c(f64::INFINITY).kernel(KernelSpec::word("linear")).tol(1e-10);
    let model = hard.fit(&data).unwrap();
    assert_within(attribute(&model.attributes(), "coef_").as_slice(), &[0.5, 0.5], 1e-9, "coef");
    assert_within(attribute(&model.attributes(), "intercept_").as_slice(), &[0.0], 1e-9, "intercept");
    let margin = model.certificate().evidence.iter().find(|e| e.name == "margin").unwrap().value;
    assert!(close(margin, 2f64.sqrt(), 1e-9), "{margin}");
    assert!(model.certificate().evidence[0].value < 1e-8, "{}", model.certificate());
    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
}

#[test]
fn a_hard_margin_that_does_not_exist_is_refused() {
    let x = Mat::from_rows(&[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]).unwrap();
    let data = Dataset::new(&x).with_target(Target::classes(&["same", "same", "other", "other"])).unwrap();
    let hard = SVC::default().c(f64::INFINITY);
    let verdict = hard.clone().kernel(KernelSpec::word("linear")).fit(&data).unwrap_err().to_string();
    assert!(
        verdict.contains("cannot be separated") && verdict.contains("by duality no margin above"),
        "{verdict}"
    );
    // The kernel RBF separates whatever differs.
    assert!(hard.clone().fit(&data).is_ok());
    let twice = Mat::from_rows(&[[0.0], [1.0], [1.0], [2.0]]).unwrap();
    let data = Dataset::new(&twice).with_target(Target::classes(&["a", "a", "b", "b"])).unwrap();
    let verdict = hard.fit(&data).unwrap_err().to_string();
    assert!(verdict.contains("rows 1 and 2") || verdict.contains("rows 2 and 1"), "{verdict}");
    let (x, y) = blobs(300, 2, 5);
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let verdict = SVC::default().c(f64::INFINITY).kernel(KernelSpec::word("linear")).fit(&data);
    assert!(verdict.unwrap_err().to_string().contains("cannot be separated"));
}

#[test]
fn a_gram_matrix_gives_the_model_of_its_kernel() {
    let (x, y) = blobs(120, 3, 6);
    let y = Target::classes(
        &y.iter().enumerate().map(|(i, c)| if i % 5 == 0 { "third" } else { c }).collect::<Vec<_>>(),
    );
    let kernel = Kernel::rbf_gamma(0.4);
    let gram = kernel.gram(&kernel.side(PointsRef::Dense(x.view())).unwrap());
    let direct = SVC::default().gamma(Gamma::Of(0.4)).tol(1e-8);
    let direct = direct.fit(&Dataset::new(&x).with_target(y.clone()).unwrap()).unwrap();
    let given = SVC::default().kernel(KernelSpec::word("precomputed")).tol(1e-8);
    let given = given.fit(&Dataset::new(&gram).with_target(y).unwrap()).unwrap();
    assert_eq!(direct.support, given.support);
    assert_within(given.dual_coef.as_slice(), direct.dual_coef.as_slice(), 1e-6, "precomputed");
    let (a, b) = (
        direct.decisions(&(&x).into(), &Session::default()).unwrap(),
        given.decisions(&(&gram).into(), &Session::default()).unwrap(),
    );
    assert_within(b.as_slice(), a.as_slice(), 1e-6, "precomputed");
    let whole = SVC::default().kernel(KernelSpec::from(kernel)).tol(1e-8);
    let data = Dataset::new(&x).with_target(Target::classes(&blobs(120, 3, 6).1)).unwrap();
    assert!(whole.fit(&data).is_ok());
    let narrow = Mat::zeros(10, 3);
    let data = Dataset::new(&narrow).with_target(Target::classes(&["a", "b"].repeat(5))).unwrap();
    let error = SVC::default().kernel(KernelSpec::word("precomputed")).fit(&data).unwrap_err().to_string();
    assert!(error.contains("10") && error.contains('3'), "{error}");
}

#[test]
fn strings_are_told_apart_through_their_kernel() {
    let words: Vec<String> =
        (0..40).map(|i| if i % 2 == 0 { format!("abab{i}") } else { format!("xyyx{i}") }).collect();
    let y: Vec<&str> = (0..40).map(|i| if i % 2 == 0 { "left" } else { "right" }).collect();
    let data = Dataset::new(&words[..]).with_target(Target::classes(&y)).unwrap();
    let learner: Box<dyn Learner> = Box::new(SVC::default());
    let learner = learner.with("kernel", &Value::parse("spectrum(length=2)").unwrap()).unwrap();
    let model = learner.train(&data, &Session::default()).unwrap();
    let said =
        model.predict(&["babab".to_owned(), "yyxx".to_owned()][..].into(), &Session::default()).unwrap();
    assert_eq!(
        (said.columns()[0].text(0), said.columns()[0].text(1)),
        ("left".to_owned(), "right".to_owned())
    );
}

#[test]
fn a_limit_of_steps_is_told() {
    let (x, y) = blobs(500, 3, 7);
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let model = SVC::default().max_iter(20).fit(&data).unwrap();
    assert_eq!(model.certificate().termination, Termination::IterationLimit);
    assert_eq!(
        (model.n_iter.as_slice(), attribute(&model.attributes(), "fit_status_")),
        (&[20][..], vec![1.0])
    );
    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
}

#[test]
fn probabilities_follow_the_decision() {
    let (x, y) = blobs(300, 3, 8);
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let learner: Box<dyn Learner> = Box::new(SVC::default().probability(true));
    let session = Session::new(11);
    let model = learner.train(&data, &session).unwrap();
    let (p, f) = (
        model.predict_proba(&data.input(), &session).unwrap(),
        model.decision(&data.input(), &session).unwrap(),
    );
    let mut order: Vec<usize> = (0..300).collect();
    order.sort_by(|&a, &b| f[(a, 0)].total_cmp(&f[(b, 0)]));
    assert!(order.windows(2).all(|w| p[(w[0], 1)] <= p[(w[1], 1)]));
    let mean = (0..300).map(|i| p[(i, 1)]).sum::<f64>() / 300.0;
    assert!((mean - 0.5).abs() < 0.05, "{mean}");
}

#[test]
fn a_share_that_no_margin_keeps_is_refused_by_name() {
    // Every third row is of the first class: at most two thirds of the rows can be support vectors of both alike.
    let (x, _) = blobs(90, 3, 9);
    let y: Vec<&str> = (0..90).map(|i| if i % 3 == 0 { "few" } else { "many" }).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let error = NuSVC::default().nu(0.7).fit(&data).unwrap_err().to_string();
    assert!(error.contains("`nu`") && error.contains("infeasible"), "{error}");
    assert!(NuSVC::default().nu(0.6).fit(&data).is_ok());
    let balanced = NuSVC::default().nu(0.7).class_weight(Some(ClassWeight::Balanced));
    assert!(balanced.fit(&data).is_ok());
    // Classes that are drawn alike are told apart by no plane: the hulls of a tenth of their rows meet.
    let error = NuSVC::default().nu(0.1).kernel(KernelSpec::word("linear")).tol(1e-9).fit(&data);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("`nu`") && error.contains("larger"), "{error}");
}

#[test]
fn rows_on_the_surface_are_within() {
    let (x, _) = blobs(300, 3, 10);
    let data = Dataset::new(&x);
    let model = OneClassSVM::default().nu(0.2).fit(&data).unwrap();
    let scores = model.decisions(&(&x).into(), &Session::default()).unwrap();
    let free = model.support.iter().zip(model.dual_coef.row(0)).filter(|(_, c)| **c < 1.0);
    let (within, all) = free.fold((0, 0), |(w, a), (&i, _)| (w + usize::from(scores[(i, 0)] >= 0.0), a + 1));
    assert!(all > 2 && within == all, "{within} of {all}");
}

fn weights_of(n: usize) -> Vec<f64> {
    (0..n).map(|i| 1.0 + (i % 3) as f64).collect()
}

#[test]
fn all_classes_together_match_liblinear() {
    let all = mercer_testkit::reference(include_str!("reference/svm_joint.json"));
    for case in all["cases"].as_array().unwrap() {
        let name = case["data"].as_str().unwrap();
        let Some(text) = shared_data(&format!("{name}.csv")) else { return };
        let (x, labels) = table(&text);
        let mut data = Dataset::new(&x).with_target(Target::classes(&labels)).unwrap();
        if case["weighted"].as_bool().unwrap() {
            data = data.with_weights(weights_of(x.n_rows())).unwrap();
        }
        let told = format!("{name} {} {}", case["C"], case["weighted"]);
        let machine = SVC::default().multi_class(SvcClasses::CrammerSinger).c(case["C"].as_f64().unwrap());
        let model = machine.kernel(KernelSpec::word("linear")).tol(1e-9).fit(&data).unwrap();
        let certificate = model.certificate();
        assert_eq!(certificate.termination, Termination::Converged, "{told}: {certificate}");
        let (found, expected) = (certificate.objective.unwrap(), case["objective"].as_f64().unwrap());
        assert!(close(found / expected, 1.0, 1e-7), "{told}: the objective {found}, not {expected}");
        assert!(certificate.evidence[0].value < 1e-8, "{told}: {certificate}");
        let expected: Vec<f64> = case["coef"].as_array().unwrap().iter().flat_map(numbers).collect();
        assert_within(&attribute(&model.attributes(), "coef_"), &expected, 1e-5, &told);
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    }
}

#[test]
fn all_classes_together_close_the_gap_through_any_kernel() {
    // More rows than a block has, more classes than three, and rows of the kernel that do not all fit.
    let mut rng = rng_for(12, 0);
    let x = Mat::from_fn(1500, 4, |i, j| normal(&mut rng) + if i % 5 == j { 1.5 } else { 0.0 });
    let y: Vec<String> = (0..1500).map(|i| format!("class {}", i % 5)).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let joint = SVC::default().multi_class(SvcClasses::CrammerSinger).tol(1e-6);
    let mut objectives = Vec::new();
    for cache in [200.0, 1.0] {
        let model = joint.clone().cache_size(cache).fit(&data).unwrap();
        let certificate = model.certificate();
        assert_eq!(certificate.termination, Termination::Converged, "{certificate}");
        assert!(certificate.evidence[0].value < 1e-5, "{certificate}");
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
        objectives.push(certificate.objective.unwrap());
    }
    assert!(close(objectives[0] / objectives[1], 1.0, 1e-6), "{objectives:?}");
    // A Gram matrix says the same as its kernel.
    let kernel = Kernel::rbf_gamma(0.4);
    let gram = kernel.gram(&kernel.side(PointsRef::Dense(x.view())).unwrap());
    let direct = joint.clone().gamma(Gamma::Of(0.4)).fit(&data).unwrap();
    let given = joint.clone().kernel(KernelSpec::word("precomputed"));
    let data = Dataset::new(&gram).with_target(Target::classes(&y)).unwrap();
    let given = given.fit(&data).unwrap();
    assert!(given.verify(&data).unwrap().iter().all(|v| v.holds));
    let session = Session::default();
    let (a, b) = (
        direct.decisions(&(&x).into(), &session).unwrap(),
        given.decisions(&(&gram).into(), &session).unwrap(),
    );
    assert_within(b.as_slice(), a.as_slice(), 1e-4, "precomputed");
    for bad in [joint.clone().c(f64::INFINITY), joint.probability(true)] {
        assert!(bad.fit(&data).unwrap_err().to_string().contains("crammer_singer"));
    }
}
