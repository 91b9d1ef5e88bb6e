//! Topics against scikit-learn and tomotopy, and against their own laws.

use mercer_bayes::{GibbsTopics, LatentDirichletAllocation, document_completion, learners, left_to_right};
use mercer_core::sums::{MemoryBatches, fit_partitions};
use mercer_core::{
    Attribute, AttributeValues, Dataset, Fit, FoundTopics, Learner, NumbersRef, Object, Params, Session,
    Trained, Value,
};
use mercer_math::special::lgamma;
use mercer_math::{Csr, Mat, Moments, rng_for, uniform};
use mercer_testkit::{assert_close, close, matrix, numbers, reference};

fn all() -> serde_json::Value {
    reference(include_str!("reference/topics.json"))
}

fn attribute(all: &[Attribute], name: &str) -> Vec<f64> {
    match &all.iter().find(|a| a.name == name).unwrap_or_else(|| panic!("no {name}")).values {
        AttributeValues::Real(values) => values.clone(),
        AttributeValues::Int(values) => values.iter().map(|v| *v as f64).collect(),
        other => panic!("{other:?}"),
    }
}

fn configured(params: &serde_json::Value) -> LatentDirichletAllocation {
    let mut out = LatentDirichletAllocation::default().n_components(3);
    for (key, value) in params.as_object().unwrap() {
        out.set(key, &Value::from_json(value).unwrap()).unwrap();
    }
    out
}

/// The bound of rows and topics, which scikit-learn calls the score.
fn score(model: &Trained<LatentDirichletAllocation>, x: &Mat) -> f64 {
    let (input, session) = (mercer_core::Input::from(x), Session::default());
    let rows: f64 = model.as_model().on(&input, &session).unwrap().log_bounds().unwrap().iter().sum();
    rows + attribute(&model.attributes(), "topics_bound_")[0]
}

/// To seven digits: scikit-learn's digamma is off by some 1e-9.
#[test]
fn variational_updates_are_those_of_scikit_learn() {
    let all = all();
    let (x, start) = (matrix(&all["x"]), matrix(&all["start"]).into_vec());
    let session = Session::default().with_start(start);
    for case in all["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let learner = configured(&case["params"]);
        let model = match case["batches"].as_array() {
            None => learner.fit_in(&Dataset::new(&x), &session).unwrap(),
            Some(batches) => batches
                .iter()
                .fold(None, |model, ends| {
                    let ends = numbers(ends);
                    let rows: Vec<usize> = (ends[0] as usize..ends[1] as usize).collect();
                    let batch = Dataset::new(&x).subset(&rows).unwrap();
                    Some(learner.partial_fit(model.as_ref(), &batch, &session).unwrap())
                })
                .unwrap(),
        };
        let attributes = model.attributes();
        for key in ["components_", "exp_dirichlet_component_"] {
            let expected = matrix(&case[key]).into_vec();
            assert_close(&attribute(&attributes, key), &expected, 1e-7, &format!("{name}: {key}"));
        }
        assert_close(
            &attribute(&attributes, "n_batch_iter_"),
            &[case["n_batch_iter_"].as_f64().unwrap()],
            0.0,
            name,
        );
        if let Some(bound) = case["bound_"].as_f64() {
            assert_close(&attribute(&attributes, "bound_"), &[bound], 1e-7, &format!("{name}: bound_"));
        }
        let shares = model.transform(&x).unwrap().dense("shares").unwrap().view().to_mat();
        let expected = matrix(&case["shares"]);
        assert_close(shares.as_slice(), expected.as_slice(), 1e-7, &format!("{name}: shares"));
        let found = score(&model, &x);
        assert!(close(found, case["score"].as_f64().unwrap(), 1e-7), "{name}: {found}");
    }
}

/// Documents of three topics of their own words.
fn corpus(n: usize, d: usize, words: usize, seed: u64) -> Mat {
    let mut rng = rng_for(seed, 0);
    let mut x = Mat::zeros(n, d);
    for i in 0..n {
        let (main, other, share) = (i % 3, (i + 1 + i / 3 % 2) % 3, uniform(&mut rng));
        for _ in 0..words {
            let topic = if uniform(&mut rng) < share { main } else { other };
            let place = (uniform(&mut rng).powi(2) * (d / 3) as f64) as usize;
            x[(i, topic * (d / 3) + place.min(d / 3 - 1))] += 1.0;
        }
    }
    x
}

#[test]
fn streams_partitions_and_sparse_rows_give_the_same_topics() {
    let x = corpus(300, 30, 20, 3);
    let (data, session) = (Dataset::new(&x), Session::new(4));
    let learner = LatentDirichletAllocation::default().n_components(3).max_iter(4).learn_prior(true);
    let whole = learner.fit_in(&data, &session).unwrap();
    let bytes = |model: &Trained<LatentDirichletAllocation>| model.encode().unwrap().bytes;
    let mut batches = MemoryBatches::new(&data, 37);
    assert_eq!(bytes(&whole), bytes(&learner.fit_stream(&mut batches, &session).unwrap()), "streamed");
    let sparse = Csr::from_dense(x.view());
    let thin = learner.fit_in(&Dataset::new(&sparse), &session).unwrap();
    assert_close(
        &attribute(&thin.attributes(), "components_"),
        &attribute(&whole.attributes(), "components_"),
        1e-12,
        "sparse",
    );
    let parts: Vec<Dataset<'_>> =
        [0..100, 100..180, 180..300].map(|r| data.subset(&r.collect::<Vec<_>>()).unwrap()).into();
    let apart = fit_partitions("LatentDirichletAllocation", &learner, &parts, &session).unwrap();
    let found = mercer_core::Fitted::attributes(&apart);
    let expected = attribute(&whole.attributes(), "components_");
    assert_close(&attribute(&found, "components_"), &expected, 1e-8, "partitions");
}

#[test]
fn each_pass_raises_the_bound_and_a_fixed_point_does_not_move() {
    let x = corpus(60, 12, 15, 5);
    let bound = |passes: usize, learns: bool| {
        let learner =
            LatentDirichletAllocation::default().n_components(3).max_iter(passes).learn_prior(learns);
        let exact = learner.mean_change_tol(1e-13).max_doc_update_iter(100_000);
        exact.fit(&Dataset::new(&x)).unwrap().certificate().objective.unwrap()
    };
    for learns in [false, true] {
        let bounds: Vec<f64> = (1..12).map(|p| bound(p, learns)).collect();
        assert!(bounds.windows(2).all(|w| w[1] >= w[0] - 1e-10), "{learns}: {bounds:?}");
    }
    assert!(bound(40, true) > bound(40, false), "a prior that is learnt fits better");
    let long = LatentDirichletAllocation::default().n_components(3).max_iter(3000).mean_change_tol(1e-12);
    let model = long.max_doc_update_iter(100_000).fit(&Dataset::new(&x)).unwrap();
    let unrest = &model.certificate().evidence[1];
    assert!(unrest.name.contains("moves") && unrest.value < 1e-8, "{unrest:?}");
}

fn gibbs(k: usize) -> GibbsTopics {
    GibbsTopics::default().n_components(k)
}

#[test]
fn planted_topics_are_found_by_both() {
    let x = corpus(150, 30, 40, 7);
    let learners: [Box<dyn Learner>; 2] =
        [Box::new(LatentDirichletAllocation::default().n_components(3).max_iter(40)), Box::new(gibbs(3))];
    for learner in learners {
        let model = learner.train(&Dataset::new(&x), &Session::new(2)).unwrap();
        let topics = model.topics().unwrap();
        assert!(close(topics.sizes.iter().sum::<f64>(), 1.0, 1e-9));
        let mut homes: Vec<usize> = (0..3)
            .map(|t| {
                let top = topics.top(t, 5);
                assert!(top.iter().all(|j| j / 10 == top[0] / 10), "{:?}", topics.top_words(t, 5));
                top[0] / 10
            })
            .collect();
        homes.sort_unstable();
        assert_eq!(homes, [0, 1, 2]);
    }
}

#[test]
fn counts_that_are_none_are_refused_by_row_and_column() {
    let mut x = corpus(30, 9, 10, 9);
    x[(4, 3)] = 1.5;
    assert!(LatentDirichletAllocation::default().fit(&Dataset::new(&x)).is_ok());
    let told = gibbs(2).fit(&Dataset::new(&x)).unwrap_err().to_string();
    assert!(told.contains("1.5") && told.contains("x3") && told.contains("row 4"), "{told}");
    x[(4, 3)] = -1.0;
    for name in ["LatentDirichletAllocation", "GibbsTopics"] {
        let entry = learners().iter().find(|e| (e.declaration)().name == name).unwrap();
        let learner = entry.make(&Object::default()).unwrap();
        let told = learner.train(&Dataset::new(&x), &Session::default()).unwrap_err().to_string();
        assert!(told.contains("the negative value -1") && told.contains("x3"), "{told}");
    }
    let mut wrong = LatentDirichletAllocation::default().n_components(3);
    wrong.set("doc_topic_prior", &Value::List(vec![Value::Real(0.5), Value::Real(0.1)])).unwrap();
    let told = wrong.fit(&Dataset::new(corpus(5, 9, 3, 1))).unwrap_err().to_string();
    assert!(told.contains("doc_topic_prior") && told.contains("3 topics"), "{told}");
}

/// Rows of counts from lists of words.
fn documents(lists: &serde_json::Value, d: usize) -> Csr {
    let mut out = Csr::empty(d);
    for list in lists.as_array().unwrap() {
        let words: Vec<u32> = numbers(list).into_iter().map(|j| j as u32).collect();
        let mut columns = words.clone();
        columns.dedup();
        let counts: Vec<f64> =
            columns.iter().map(|j| words.iter().filter(|w| *w == j).count() as f64).collect();
        out.push_row(&columns, &counts);
    }
    out
}

/// With one kept state, as tomotopy has, perplexities of held-out halves come from one law, so that means of twelve seeds differ by more than
/// 4.5 standard errors once in 100,000 (by Student's law with 22 degrees of freedom, once in 5,000).
#[test]
fn held_out_perplexity_is_that_of_tomotopy() {
    let all = all();
    let d = all["words"].as_u64().unwrap() as usize;
    let (train, test) = (documents(&all["train"], d), documents(&all["test"], d));
    let theirs = numbers(&all["perplexities"]);
    let perplexity = |learner: &GibbsTopics, seed: u64| {
        let model = learner.fit_in(&Dataset::new(&train), &Session::new(seed)).unwrap();
        let topics = model.as_model().topics().unwrap();
        document_completion(&topics, NumbersRef::Sparse(test.view()), &Session::default())
            .unwrap()
            .perplexity()
    };
    let alike = gibbs(10).learn_prior(false).burn_in(299).n_samples(1).thin(1);
    let ours: Vec<f64> = (1..=12).map(|seed| perplexity(&alike, seed)).collect();
    let (a, b) = (Moments::of(&ours), Moments::of(&theirs));
    let error = ((a.sample_variance() + b.sample_variance()) / 12.0).sqrt();
    assert!((a.mean - b.mean).abs() < 4.5 * error, "{} and {}, error {error}", a.mean, b.mean);
    // Averages of states predict better than single ones.
    let averaged = perplexity(&gibbs(10).learn_prior(false), 1);
    assert!(averaged < a.mean, "{averaged} and {}", a.mean);
}

/// The log likelihood of a document under topics: the sum over all topics of all of its words.
fn exact(topics: &FoundTopics, words: &[usize]) -> f64 {
    let (k, whole) = (topics.prior.len(), topics.prior.iter().sum::<f64>());
    let mut sum = 0.0;
    for state in 0..k.pow(words.len() as u32) {
        let z: Vec<usize> = (0..words.len()).map(|n| state / k.pow(n as u32) % k).collect();
        let mut log = lgamma(whole) - lgamma(whole + words.len() as f64);
        for (t, alpha) in topics.prior.iter().enumerate() {
            let n = z.iter().filter(|z| **z == t).count() as f64;
            log += lgamma(alpha + n) - lgamma(*alpha);
        }
        let likelihood: f64 = z.iter().zip(words).map(|(z, w)| topics.shares[(*z, *w)]).product();
        sum += log.exp() * likelihood;
    }
    sum.ln()
}

#[test]
fn left_to_right_comes_near_the_truth_and_the_bound_lies_below() {
    let x = corpus(60, 9, 12, 11);
    let model = gibbs(3).burn_in(50).fit(&Dataset::new(&x)).unwrap();
    let topics = model.as_model().topics().unwrap();
    let words = [0usize, 0, 4, 5, 8, 8, 1];
    let mut row = Mat::zeros(1, 9);
    words.iter().for_each(|w| row[(0, *w)] += 1.0);
    let mut sorted = words;
    sorted.sort_unstable();
    let truth = exact(&topics, &sorted);
    let found = left_to_right(&topics, NumbersRef::Dense(row.view()), 40_000, &Session::new(1)).unwrap()[0];
    assert!((found - truth).abs() < 0.01, "{found} and {truth}");
    let (input, session) = (mercer_core::Input::from(&row), Session::default());
    let bound = model.as_model().on(&input, &session).unwrap().log_bounds().unwrap()[0];
    assert!(bound < truth && bound > truth - 1.0, "{bound} and {truth}");
}

#[test]
fn one_sweep_says_nothing_of_mixing() {
    let x = corpus(20, 9, 6, 2);
    let note = |sweeps| {
        let learner = gibbs(2).burn_in(0).n_samples(1).thin(sweeps);
        learner.fit(&Dataset::new(&x)).unwrap().certificate().notes.concat()
    };
    assert!(note(1).contains("too few sweeps"), "{}", note(1));
    assert!(note(40).contains("went from -"), "{}", note(40));
}

#[test]
fn many_words_are_drawn_alike_on_any_number_of_threads() {
    let x = corpus(3000, 90, 60, 13);
    let learner = gibbs(5).burn_in(6).n_samples(2).thin(2).learn_every(2).learn_word_prior(true);
    let bytes = |threads| {
        let session = Session::new(3).with_threads(threads);
        learner.fit_in(&Dataset::new(&x), &session).unwrap().encode().unwrap().bytes
    };
    assert!(bytes(1) == bytes(2) && bytes(2) == bytes(3));
}
