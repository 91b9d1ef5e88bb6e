//! Naive Bayes against scikit-learn, against values that are computed by hand, and against its own laws.

use mercer_bayes::{
    BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB, Smoothing, Unseen, learners,
};
use mercer_core::{
    Attribute, AttributeValues, Column, Dataset, Fit, Learner, Model, Params, Session, Table, Target, Value,
    sums::fit_partitions,
};
use mercer_math::{Csr, Mat, dot, normal, rng_for, uniform};
use mercer_testkit::{assert_close, matrix, numbers, reference};

fn attribute(all: &[Attribute], name: &str) -> Vec<f64> {
    fn flat(values: &AttributeValues) -> Vec<f64> {
        match values {
            AttributeValues::Real(values) => values.clone(),
            AttributeValues::Int(values) => values.iter().map(|v| *v as f64).collect(),
            AttributeValues::Several(parts) => parts.iter().flat_map(flat).collect(),
            AttributeValues::Text(_) => panic!("{values:?}"),
        }
    }
    flat(&all.iter().find(|a| a.name == name).unwrap_or_else(|| panic!("no {name}")).values)
}

fn learner(name: &str, params: &serde_json::Value) -> Box<dyn Learner> {
    let class = match name.split(' ').next().unwrap() {
        "gaussian" => "GaussianNB",
        "multinomial" => "MultinomialNB",
        "complement" => "ComplementNB",
        "bernoulli" => "BernoulliNB",
        _ => "CategoricalNB",
    };
    let entry = learners().iter().find(|e| (e.declaration)().name == class).unwrap();
    let mut out = entry.make(&mercer_core::Object::default()).unwrap();
    for (key, value) in params.as_object().unwrap() {
        out = out.with(key, &Value::from_json(value).unwrap()).unwrap();
    }
    out
}

#[test]
fn matches_scikit_learn() {
    let all = reference(include_str!("reference/naive.json"));
    let y: Vec<i64> = numbers(&all["y"]).iter().map(|v| *v as i64).collect();
    let session = Session::default();
    for case in all["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let x = matrix(&all[case["rows"].as_str().unwrap()]);
        let mut data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
        if case["weighted"] == true {
            data = data.with_weights(numbers(&all["weights"])).unwrap();
        }
        let model = learner(name, &case["params"]).train(&data, &session).unwrap();
        let attributes = model.attributes();
        for (key, value) in case.as_object().unwrap().iter().filter(|(key, _)| key.ends_with('_')) {
            assert_close(&attribute(&attributes, key), &numbers(value), 1e-10, &format!("{name}: {key}"));
        }
        let new = all["new"].as_u64().unwrap() as usize;
        let input = data.input();
        let asked = model.on(&input, &session).unwrap();
        let (joint, p) = (asked.log_joint().unwrap(), asked.proba().unwrap());
        let first = |m: &Mat| m.as_slice()[..new * 3].to_vec();
        assert_close(&first(&joint), matrix(&case["joint"]).as_slice(), 1e-10, &format!("{name}: joint"));
        assert_close(&first(&p), matrix(&case["proba"]).as_slice(), 1e-10, &format!("{name}: proba"));
        let predicted = asked.predict().unwrap();
        let codes: Vec<f64> = predicted.class().unwrap().0.iter().map(|c| f64::from(*c)).collect();
        assert_close(&codes, &numbers(&case["predict"]), 0.0, name);
        assert!(model.verify(&data, &session).unwrap().iter().all(|v| v.holds), "{name}");
    }
}

/// Lecture notes 002, §1.4, by hand: X = {0, 1, OOD}, Y = {0, 1, OOD}, λ = 1, with c₀ = c₀₀ + c₁₀ (the sum over x at fixed y).
#[test]
fn an_unseen_value_and_an_unseen_label_have_the_probability_of_the_notes() {
    // Of class 0: x = 0, 0, 1; of class 1: x = 1.
    let x = Mat::from_rows(&[[0.0], [0.0], [1.0], [1.0]]).unwrap();
    let data = Dataset::new(&x).with_target(Target::classes(&[0, 0, 0, 1])).unwrap();
    let mut learner = CategoricalNB::default().unseen(Unseen::Smooth);
    learner.set("prior_alpha", &Value::Real(1.0)).unwrap();
    let model = learner.fit(&data).unwrap();
    let all = model.attributes();
    let p = |name: &str| attribute(&all, name).iter().map(|v| v.exp()).collect::<Vec<_>>();
    // p_y = (c_y + 1)/(4 + 3), p_OOD = 1/(4 + 3).
    assert_close(&p("class_log_prior_"), &[4.0 / 7.0, 2.0 / 7.0], 1e-15, "labels");
    assert_close(&p("unseen_class_log_prior_"), &[1.0 / 7.0], 1e-15, "an unseen label");
    // p_xy = (c_xy + 1)/(c_y + 3).
    assert_close(&p("feature_log_prob_"), &[3.0 / 6.0, 2.0 / 6.0, 1.0 / 4.0, 2.0 / 4.0], 1e-15, "values");
    assert_close(&p("unseen_log_prob_"), &[1.0 / 6.0, 1.0 / 4.0], 1e-15, "an unseen value");
    // A value that was never seen: p(y | OOD) ∝ p_y / (c_y + 3).
    let strange = Mat::from_rows(&[[7.0]]).unwrap();
    let odds = (4.0 / 7.0 / 6.0) / (2.0 / 7.0 / 4.0);
    assert_close(
        model.predict_proba(&strange).unwrap().as_slice(),
        &[odds / (1.0 + odds), 1.0 / (1.0 + odds)],
        1e-14,
        "p",
    );
    // As scikit-learn does, others refuse it, by name.
    let plain = CategoricalNB::default().fit(&data).unwrap();
    let told = plain.predict(&strange).unwrap_err().to_string();
    assert!(told.contains("`7`") && told.contains("x0") && told.contains("row 0"), "{told}");
}

#[test]
fn columns_of_categories_count_by_their_levels() {
    let column = |v: &[&'static str]| Column::categories(&v.iter().map(|v| Some(*v)).collect::<Vec<_>>());
    let table = |v: &[&'static str]| Table::new(vec![("sky".into(), column(v))]).unwrap();
    let train = table(&["sun", "sun", "rain", "rain", "rain", "snow"]);
    let data =
        Dataset::new(&train).with_target(Target::classes(&["out", "out", "in", "in", "out", "in"])).unwrap();
    let model = CategoricalNB::default().fit(&data).unwrap();
    // Levels are rain, snow, sun; p(rain | in) = (2 + 1)/(3 + 3), p(rain | out) = (1 + 1)/(3 + 3).
    let p = model.predict_proba(table(&["rain"])).unwrap();
    assert_close(p.as_slice(), &[0.6, 0.4], 1e-14, "rain");
    let told = model.predict(table(&["hail"])).unwrap_err().to_string();
    assert!(told.contains("hail") && told.contains("sky"), "{told}");
    // A stream of tables gives the same model.
    let session = Session::default();
    let mut batches = mercer_core::sums::MemoryBatches::new(&data, 2);
    let streamed = CategoricalNB::default().fit_stream(&mut batches, &session).unwrap();
    assert_eq!(streamed.attributes(), model.attributes());
    // A model's dictionary does not grow.
    let more = table(&["hail", "rain"]);
    let more = Dataset::new(&more).with_target(Target::classes(&["in", "out"])).unwrap();
    let told = CategoricalNB::default().partial_fit(Some(&model), &more, &session).unwrap_err().to_string();
    assert!(told.contains("hail"), "{told}");
}

/// 002 §1.5 and §1.6: the log odds equal w·x + b.
#[test]
fn linear_forms_are_the_log_odds() {
    let mut rng = rng_for(3, 1);
    let y: Vec<i64> = (0..80).map(|i| i % 2).collect();
    let bits = Mat::from_fn(80, 6, |i, j| f64::from(uniform(&mut rng) < 0.2 + 0.1 * (j + i % 2) as f64));
    let real = Mat::from_fn(80, 4, |i, j| 50.0 + normal(&mut rng) * (j + 1) as f64 + (i % 2) as f64);
    let session = Session::default();
    let check = |model: &dyn Model, x: &Mat, all: &[Attribute]| {
        let (w, b) = (attribute(all, "coef_"), attribute(all, "intercept_")[0]);
        let input = x.into();
        let joint = model.on(&input, &session).unwrap().log_joint().unwrap();
        for i in 0..x.n_rows() {
            let odds = joint[(i, 1)] - joint[(i, 0)];
            let linear = dot(&w, x.row(i)) + b;
            assert!((odds - linear).abs() < 1e-9 * odds.abs().max(1.0), "{odds} {linear}");
        }
    };
    let data = Dataset::new(&bits).with_target(Target::classes(&y)).unwrap();
    let bernoulli = BernoulliNB::default().fit(&data).unwrap();
    check(bernoulli.as_model(), &bits, &bernoulli.attributes());
    let multinomial = MultinomialNB::default().fit(&data).unwrap();
    check(multinomial.as_model(), &bits, &multinomial.attributes());
    // The printed form of §1.5: w_j = ln p_j1/p_j0 − ln (1 − p_j1)/(1 − p_j0).
    let p: Vec<f64> =
        attribute(&bernoulli.attributes(), "feature_log_prob_").iter().map(|v| v.exp()).collect();
    let w: Vec<f64> =
        (0..6).map(|j| (p[6 + j] / p[j]).ln() - ((1.0 - p[6 + j]) / (1.0 - p[j])).ln()).collect();
    assert_close(&attribute(&bernoulli.attributes(), "coef_"), &w, 1e-12, "w");
    let data = Dataset::new(&real).with_target(Target::classes(&y)).unwrap();
    let gaussian = GaussianNB::default().shared_variance(true).fit(&data).unwrap();
    check(gaussian.as_model(), &real, &gaussian.attributes());
    assert!(GaussianNB::default().fit(&data).unwrap().attributes().iter().all(|a| a.name != "coef_"));
}

/// Manning, Raghavan and Schütze, examples 13.1 and 13.2.
#[test]
fn the_example_about_china() {
    let x = [
        [1., 2., 0., 0., 0., 0.],
        [0., 2., 0., 0., 1., 0.],
        [0., 1., 0., 1., 0., 0.],
        [0., 1., 1., 0., 0., 1.],
    ];
    let x = Mat::from_rows(&x).unwrap();
    let data = Dataset::new(&x).with_target(Target::classes(&["china", "china", "china", "japan"])).unwrap();
    let text = Mat::from_rows(&[[0., 3., 1., 0., 0., 1.]]).unwrap();
    let odds = |model: &dyn Model| {
        let (input, session) = ((&text).into(), Session::default());
        let joint = model.on(&input, &session).unwrap().log_joint().unwrap();
        [joint[(0, 0)].exp(), joint[(0, 1)].exp()]
    };
    let multinomial = MultinomialNB::default().fit(&data).unwrap();
    let expected = [0.75 * (3f64 / 7.0).powi(3) / 196.0, 0.25 * (2f64 / 9.0).powi(5)];
    assert_close(&odds(multinomial.as_model()), &expected, 1e-14, "multinomial");
    let bernoulli = BernoulliNB::default().fit(&data).unwrap();
    let china = 0.75 * 0.8 * 0.2 * 0.2 * (1.0 - 0.4) * (1.0 - 0.4) * (1.0 - 0.4);
    let japan = 0.25 * (2f64 / 3.0).powi(6);
    assert_close(&odds(bernoulli.as_model()), &[china, japan], 1e-14, "Bernoulli");
}

/// Batches in any cut and partitions add up to the whole; sparse rows to the dense ones.
#[test]
fn batches_partitions_and_sparse_rows_are_the_whole() {
    let mut rng = rng_for(5, 2);
    let x = Mat::from_fn(3000, 7, |_, _| (5.0 * uniform(&mut rng) - 2.0).max(0.0).round());
    let y: Vec<i64> = (0..3000).map(|i| (i * 7 % 11) % 3).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let rows: Vec<usize> = (0..3000).collect();
    let parts: Vec<Dataset<'_>> = rows.chunks(701).map(|r| data.subset(r).unwrap()).collect();
    let csr = Csr::from_dense(x.view());
    let sparse = Dataset::new(&csr).with_target(Target::classes(&y)).unwrap();
    let session = Session::default();
    macro_rules! check {
        ($learner:expr, $sparse:expr) => {{
            let learner = $learner;
            let whole = learner.fit(&data).unwrap();
            let mut model = None;
            for part in &parts {
                model = Some(learner.partial_fit(model.as_ref(), part, &session).unwrap());
            }
            let sparse = $sparse.then(|| learner.fit(&sparse).unwrap().attributes());
            let ready: Vec<Dataset<'_>> = parts.iter().map(|p| learner.checked(p).unwrap()).collect();
            let partitioned = fit_partitions("x", &learner, &ready, &session).unwrap();
            let others = [
                Some(model.unwrap().attributes()),
                sparse,
                Some(mercer_core::Fitted::attributes(&partitioned)),
            ];
            for a in whole.attributes() {
                for other in others.iter().flatten() {
                    assert_close(
                        &attribute(other, a.name),
                        &attribute(std::slice::from_ref(&a), a.name),
                        1e-11,
                        a.name,
                    );
                }
            }
        }};
    }
    check!(BernoulliNB::default(), true);
    check!(MultinomialNB::default(), true);
    check!(ComplementNB::default(), true);
    check!(CategoricalNB::default(), false);
    check!(GaussianNB::default(), false);
}

/// Without smoothing, what a class never had excludes it, and what a row does not have adds nothing.
#[test]
fn no_smoothing_gives_no_nan() {
    let x = Mat::from_rows(&[[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]]).unwrap();
    let data = Dataset::new(&x).with_target(Target::classes(&["a", "b", "a"])).unwrap();
    let models: [Box<dyn Model>; 3] = [
        Box::new(BernoulliNB::default()) as Box<dyn Learner>,
        Box::new(MultinomialNB::default()),
        Box::new(CategoricalNB::default()),
    ]
    .map(|l| l.with("alpha", &Value::Real(0.0)).unwrap().train(&data, &Session::default()).unwrap());
    for model in models {
        let p = model.predict_proba(&(&x).into(), &Session::default()).unwrap();
        assert_eq!(p.row(1), &[0.0, 1.0], "{}", model.declaration().name);
        assert!(p.as_slice().iter().all(|v| v.is_finite()), "{}", model.declaration().name);
    }
}

#[test]
fn what_is_refused_is_named() {
    let x = Mat::from_rows(&[[1.0, 0.0], [1.0, -2.0]]).unwrap();
    let data = Dataset::new(&x).with_target(Target::classes(&["a", "b"])).unwrap();
    let told = MultinomialNB::default().fit(&data).unwrap_err().to_string();
    assert!(told.contains("-2") && told.contains("x1") && told.contains("row 1"), "{told}");
    let told = CategoricalNB::default().fit(&data).unwrap_err().to_string();
    assert!(told.contains("-2") && told.contains("x1") && told.contains("row 1"), "{told}");
    let fine = Mat::from_rows(&[[1.0, 0.0], [1.0, 2.0]]).unwrap();
    let fine = Dataset::new(&fine).with_target(Target::classes(&["a", "b"])).unwrap();
    let mut three = MultinomialNB::default();
    three.params.alpha = Smoothing::Each(vec![1.0; 3]);
    let told = three.fit(&fine).unwrap_err().to_string();
    assert!(told.contains("alpha") && told.contains('3'), "{told}");
    let told = GaussianNB::default().priors(Some(vec![0.5, 0.6])).fit(&fine).unwrap_err().to_string();
    assert!(told.contains("sum"), "{told}");
    let half = Mat::from_rows(&[[0.5], [1.0]]).unwrap();
    let half = Dataset::new(&half).with_target(Target::classes(&["a", "b"])).unwrap();
    let told = CategoricalNB::default().fit(&half).unwrap_err().to_string();
    assert!(told.contains("0.5"), "{told}");
}

/// Counts are refused before memory is asked for: of 200 classes one value alone would take 25 gigabytes.
#[test]
fn values_that_no_memory_holds_are_refused() {
    let x = Mat::from_fn(400, 1, |i, _| if i == 7 { 16_000_000.0 } else { 0.0 });
    let y: Vec<i64> = (0..400).map(|i| i % 200).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&y)).unwrap();
    let told = CategoricalNB::default().fit(&data).unwrap_err().to_string();
    assert!(told.contains("too many values"), "{told}");
    let small = Mat::from_fn(400, 1, |i, _| (i % 3) as f64);
    let small = Dataset::new(&small).with_target(Target::classes(&y)).unwrap();
    let mut least = CategoricalNB::default();
    least.set("min_categories", &Value::Int(16_000_000)).unwrap();
    let told = least.fit(&small).unwrap_err().to_string();
    assert!(told.contains("too many values"), "{told}");
}

/// Classes of more rows than one task adds up, and more classes than are scored side by side.
#[test]
fn sparse_rows_are_counted_and_scored_as_dense_ones_are() {
    for (n, k) in [(40_000, 2usize), (3000, 8), (3000, 30)] {
        let mut rng = rng_for(8, k as u64);
        let x = Mat::from_fn(n, 7, |_, _| (uniform(&mut rng) * 5.0 - 2.0).floor().max(0.0));
        let labels: Vec<String> =
            (0..n).map(|i| format!("{:02}", if i % 11 == 0 { i % k } else { 0 })).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        let own = |data: Dataset<'static>| {
            data.with_target(Target::classes(&labels)).unwrap().with_weights(weights.clone()).unwrap()
        };
        let sparse = Csr::from_dense(x.view());
        let (whole, thin) = (own(Dataset::new(x.clone())), own(Dataset::new(sparse.clone())));
        for learner in
            [&MultinomialNB::default() as &dyn Learner, &BernoulliNB::default(), &ComplementNB::default()]
        {
            let session = Session::new(1);
            let (a, b) = (learner.train(&whole, &session).unwrap(), learner.train(&thin, &session).unwrap());
            let counts = |model: &dyn Model| attribute(&model.attributes(), "feature_count_");
            assert_close(&counts(b.as_ref()), &counts(a.as_ref()), 1e-12, "counts");
            let joint = |model: &dyn Model, input: mercer_core::Input<'_>| {
                let classes = model.predict(&input, &session).unwrap().class().unwrap().0.to_vec();
                (model.on(&input, &session).unwrap().log_joint().unwrap(), classes)
            };
            let ((dense, first), (found, second)) =
                (joint(a.as_ref(), x.view().into()), joint(b.as_ref(), (&sparse).into()));
            assert_close(found.as_slice(), dense.as_slice(), 1e-11, "joint");
            let best = |i: usize| mercer_math::argmax(found.row(i)) as u32;
            assert_eq!(second, (0..n).map(best).collect::<Vec<_>>());
            assert_eq!(first.len(), second.len());
        }
    }
}
