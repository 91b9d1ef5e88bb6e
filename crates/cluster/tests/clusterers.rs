//! Clusters, trees and reachabilities against frozen ones of scikit-learn and scipy; and what theory says of them.

use mercer_core::{AttributeValues, Dataset, Learner, Model, Session, catalogue};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_testkit::{assert_alike, matrix, reference, shared_data};
use serde_json::Value;

fn learner(spec: &str) -> Box<dyn Learner> {
    catalogue::register(mercer_cluster::learners());
    catalogue::make_spec(spec).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

fn fitted(spec: &str, x: &Mat) -> Box<dyn Model> {
    learner(spec).train(&Dataset::new(x), &Session::new(1)).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

fn attribute(model: &dyn Model, name: &str) -> Vec<f64> {
    let found = model.attributes().into_iter().find(|a| a.name == name);
    match found.unwrap_or_else(|| panic!("no {name}")).values {
        AttributeValues::Real(v) => v,
        AttributeValues::Int(v) => v.into_iter().map(|v| v as f64).collect(),
        other => panic!("{other:?}"),
    }
}

fn spec_of(case: &Value) -> String {
    let word = |v: &Value| match v {
        Value::Null => "none".to_owned(),
        Value::String(s) => s.clone(),
        other => other.to_string(),
    };
    let params: Vec<String> =
        case["params"].as_object().unwrap().iter().map(|(k, v)| format!("{k}={}", word(v))).collect();
    format!("{}:{}", case["learner"].as_str().unwrap(), params.join(","))
}

/// The numbers of nested lists; null is infinity.
fn flat(value: &Value, out: &mut Vec<f64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|v| flat(v, out)),
        Value::Null => out.push(f64::INFINITY),
        other => out.push(other.as_f64().unwrap()),
    }
}

/// Labels numbered by their first row: where edges of the spanning tree are equally long, or two rows stand for each other equally
/// well, programs number clusters otherwise.
fn first_seen(labels: &[f64]) -> Vec<f64> {
    let mut seen: Vec<f64> = Vec::new();
    let mut number = |l: f64| {
        let place = seen.iter().position(|s| *s == l).unwrap_or_else(|| {
            seen.push(l);
            seen.len() - 1
        });
        if l < 0.0 { -1.0 } else { place as f64 }
    };
    labels.iter().map(|&l| number(l)).collect()
}

#[test]
fn scikit_learn_and_scipy_find_the_same() {
    check(&reference(include_str!("reference/clusterers.json")), 60);
}

/// Hierarchies along connections, and spanning trees that are found over boxes.
#[test]
fn scikit_learn_grows_the_same_trees() {
    check(&reference(include_str!("reference/trees.json")), 27);
}

fn check(all: &Value, least: usize) {
    let cases = all["cases"].as_array().unwrap();
    assert!(cases.len() > least);
    for case in cases {
        let x = matrix(&all["sets"][case["set"].as_str().unwrap()]);
        let spec = spec_of(case);
        let model = fitted(&spec, &x);
        for (name, theirs) in case["found"].as_object().unwrap() {
            let mut expected = Vec::new();
            flat(theirs, &mut expected);
            let what = format!("{spec} on {}: {name}", case["set"]);
            let mut ours = attribute(model.as_ref(), name);
            if name == "labels_" && ["HDB", "Spe", "Aff"].iter().any(|s| spec.starts_with(s))
                || name == "labels_" && spec.contains("linkage=single,") && spec.contains("connectivity")
            {
                (ours, expected) = (first_seen(&ours), first_seen(&expected));
            }
            assert_alike(&ours, &expected, 1e-10, &what);
        }
        let verified = model.verify(&Dataset::new(&x), &Session::default()).unwrap();
        assert!(verified.iter().all(|v| v.holds), "{spec}: {verified:?}");
    }
}

#[test]
fn certificates_do_not_hold_on_other_rows() {
    let mut rng = rng_for(3, 0);
    let x = Mat::from_fn(60, 2, |i, _| (i % 3) as f64 * 6.0 + normal(&mut rng));
    let other = Mat::from_fn(60, 2, |i, j| x[(59 - i, j)] * (1.0 + 0.3 * (i % 2) as f64));
    for spec in
        ["dbscan:eps=1.5", "hdbscan", "optics", "agglomerative:n_clusters=3", "agglomerative:linkage=average"]
    {
        let model = fitted(spec, &x);
        let verified = model.verify(&Dataset::new(&other), &Session::default()).unwrap();
        assert!(verified.iter().any(|v| !v.holds), "{spec}: {verified:?}");
    }
}

/// Ruspini's four groups are found by everyone (Kaufman and Rousseeuw 1990, page 100: 20, 23, 17 and 15 rows).
#[test]
fn ruspini_has_four_groups() {
    let Some(text) = shared_data("ruspini.csv") else { return };
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|l| l.split(',').filter_map(|v| v.trim_matches('"').parse().ok()).collect::<Vec<f64>>())
        .map(|v| v[v.len() - 2..].to_vec())
        .collect();
    let x = Mat::from_rows(&rows).unwrap();
    for spec in [
        "agglomerative:n_clusters=4",
        "agglomerative:n_clusters=4,linkage=average",
        "hdbscan:min_samples=3,min_cluster_size=10",
    ] {
        let labels = attribute(fitted(spec, &x).as_ref(), "labels_");
        let mut sizes: Vec<usize> =
            (0..4).map(|c| labels.iter().filter(|l| **l == f64::from(c)).count()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [15, 17, 20, 23], "{spec}");
    }
}

#[test]
fn bad_settings_and_odd_data_are_refused_in_words() {
    let x = Mat::from_fn(6, 2, |i, j| (i * (j + 1)) as f64);
    let refused = |spec: &str, x: &Mat| match learner(spec).train(&Dataset::new(x), &Session::default()) {
        Ok(_) => panic!("{spec} was taken"),
        Err(e) => e.to_string(),
    };
    assert!(refused("agglomerative:n_clusters=7", &x).contains("n_clusters"));
    assert!(refused("agglomerative:distance_threshold=1", &x).contains("distance_threshold"));
    assert!(refused("agglomerative:metric=cosine", &x).contains("ward"));
    assert!(refused("hdbscan:min_samples=7", &x).contains("min_samples"));
    assert!(refused("optics:min_samples=7", &x).contains("min_samples"));
    assert!(refused("optics:cluster_method=dbscan,eps=2,max_eps=1", &x).contains("eps"));
    assert!(refused("dbscan:metric=precomputed", &x).contains("square"));
    for pairs in ["[[0, 6]]", "[[0, 1, 2]]", "[[0, 0.5]]", "[[-1, 0]]"] {
        let refusal = refused(&format!("agglomerative:connectivity={pairs}"), &x);
        assert!(refusal.contains("connectivity"), "{refusal}");
    }
    assert!(refused("dbscan:metric=haversine", &Mat::zeros(4, 3)).contains("haversine"));
    let negative = Mat::from_fn(3, 3, |i, j| if i == j { 0.0 } else { -1.0 });
    assert!(refused("dbscan:metric=precomputed", &negative).contains("row 0"));
}

#[test]
fn distances_that_are_given_count_as_measured_ones() {
    let mut rng = rng_for(5, 0);
    let x = Mat::from_fn(50, 3, |i, _| (i % 4) as f64 * 5.0 + normal(&mut rng));
    let far = Mat::from_fn(50, 50, |i, j| mercer_math::sq_dist(x.row(i), x.row(j)).sqrt());
    for spec in [
        "dbscan:eps=2.5",
        "hdbscan",
        "optics",
        "agglomerative:linkage=average,n_clusters=4",
        "agglomerative:linkage=single,n_clusters=4",
    ] {
        let given = format!("{spec}{}metric=precomputed", if spec.contains(':') { "," } else { ":" });
        let (a, b) = (fitted(spec, &x), fitted(&given, &far));
        assert_eq!(attribute(a.as_ref(), "labels_"), attribute(b.as_ref(), "labels_"), "{spec}");
    }
}

/// A sparse matrix of distances leaves out those that are infinite; of rows it leaves out zeros.
#[test]
fn sparse_rows_and_distances_are_taken() {
    let mut rng = rng_for(6, 0);
    let x = Mat::from_fn(
        40,
        3,
        |i, j| if (i + j) % 3 == 0 { 0.0 } else { (i % 2) as f64 * 9.0 + normal(&mut rng) },
    );
    let rows = Csr::from_dense(x.view());
    let (mut near, mut all) = (Csr::empty(40), Mat::zeros(40, 40));
    for i in 0..40 {
        let far: Vec<f64> = (0..40).map(|j| mercer_math::sq_dist(x.row(i), x.row(j)).sqrt()).collect();
        let kept: Vec<u32> = (0..40u32).filter(|&j| far[j as usize] < 8.0).collect();
        near.push_row(&kept, &kept.iter().map(|&j| far[j as usize]).collect::<Vec<_>>());
        (0..40).for_each(|j| all[(i, j)] = if far[j] < 8.0 { far[j] } else { 1e9 });
    }
    for spec in ["dbscan:eps=3", "hdbscan:min_cluster_size=4", "optics:max_eps=8"] {
        let sparse = |spec: &str, x: &Csr| learner(spec).train(&Dataset::new(x), &Session::new(1)).unwrap();
        let (a, b) = (fitted(spec, &x), sparse(spec, &rows));
        assert_eq!(attribute(a.as_ref(), "labels_"), attribute(b.as_ref(), "labels_"), "{spec}");
        let given = format!("{spec},metric=precomputed");
        let (a, b) = (fitted(&given, &all), sparse(&given, &near));
        assert_eq!(attribute(a.as_ref(), "labels_"), attribute(b.as_ref(), "labels_"), "{given}");
        let verified = b.verify(&Dataset::new(&near), &Session::default()).unwrap();
        assert!(verified.iter().all(|v| v.holds), "{given}: {verified:?}");
    }
}
