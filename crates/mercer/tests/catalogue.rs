//! The catalogue: nothing of it is left out of the contract suite, and names say one thing.

use mercer::prelude::*;
use mercer::{Preset, Value};

/// Each family tries its own learners (`tests/contract.rs` there): of every learner that the catalogue has, the family
/// that it is written in must do so.
#[test]
fn every_learner_is_tried_by_its_family() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for entry in mercer::catalogue() {
        let d = (entry.declaration)();
        let family = d.file.split_once("/src/").map_or("", |(family, _)| family);
        let suite = std::fs::read_to_string(root.join(family).join("tests/contract.rs")).unwrap_or_default();
        let suite: String = suite.split_whitespace().collect();
        let own = format!("contract(mercer_{}::learners()", family.trim_start_matches("crates/"));
        assert!(suite.contains(&own), "{} of {}: no contract suite", d.name, d.file);
        // Under the standard harness its `main` would never run, and nothing would be tried.
        let manifest = std::fs::read_to_string(root.join(family).join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[[test]]\nname = \"contract\"\nharness = false\n"), "{family}: harness");
    }
}

#[test]
fn twins_are_twins_of_each_other() {
    let all = mercer::catalogue();
    let named = |name: &str| all.iter().map(|e| (e.declaration)()).find(|d| d.name == name);
    for d in all.iter().map(|e| (e.declaration)()).filter(|d| d.twin.is_some()) {
        let twin = d.twin.and_then(named).unwrap_or_else(|| panic!("{}: no twin {:?}", d.name, d.twin));
        assert_eq!(twin.twin, Some(d.name));
        assert!(twin.task != d.task, "{} and {} learn the same", d.name, twin.name);
    }
}

#[test]
fn presets_make_learners_of_their_task() {
    for task in [mercer::Task::Classification, mercer::Task::Regression] {
        for preset in [Preset::Baseline, Preset::Quick, Preset::Explain, Preset::Best] {
            mercer::catalogue();
            let specs = mercer::core::catalogue::preset(preset, task);
            assert!(!specs.is_empty(), "{preset:?} has nothing for {task}");
            for spec in specs {
                let object = mercer::Object::parse_spec(&spec).unwrap();
                let twin = || mercer::core::catalogue::make_twin(&object).unwrap();
                let learns = mercer::learner(&spec).unwrap().task() == task;
                assert!(learns || twin().is_some_and(|t| t.task() == task), "{spec} for {task}");
            }
        }
    }
}

#[test]
fn models_and_learners_cross_threads() {
    fn crosses<T: Send + Sync + ?Sized>() {}
    crosses::<dyn Learner>();
    crosses::<dyn Model>();
    crosses::<Error>();
    crosses::<Session>();
}

/// A suite that cannot fail proves nothing.
#[test]
fn the_suite_fails_on_a_learner_that_cannot_fit() {
    let checks = mercer_testkit::checks();
    assert!(checks.len() >= 25, "{}", checks.len());
    // A pipeline without steps has nothing to fit: most checks must fail on it.
    let empty = Pipeline::default();
    assert!(mercer_testkit::check_all(&empty).len() > 5);
}

#[test]
fn names_and_aliases_are_unique() {
    let mut names: Vec<String> = mercer::catalogue()
        .iter()
        .flat_map(|e| {
            let d = (e.declaration)();
            std::iter::once(d.name)
                .chain(d.aliases.iter().copied())
                .map(str::to_lowercase)
                .collect::<std::collections::BTreeSet<_>>()
        })
        .collect();
    let n = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), n);
}

#[test]
fn parameters_by_path_reach_into_pipelines() {
    let pipeline = mercer::learner("pipeline:steps=[standard-scaler, ridge(alpha=3)]").unwrap();
    assert_eq!(pipeline.get("ridge__alpha").unwrap(), Value::Real(3.0));
    let changed = pipeline.with("ridge__alpha", &Value::Real(0.5)).unwrap();
    assert_eq!(changed.get("ridge__alpha").unwrap(), Value::Real(0.5));
    let error = pipeline.with("ridge__aplha", &Value::Real(0.5)).unwrap_err().to_string();
    assert!(error.contains("did you mean `alpha`"), "{error}");
}
