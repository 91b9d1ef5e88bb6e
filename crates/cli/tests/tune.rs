//! `mercer tune` from outside: what it prints, what it writes, how it goes on after a stop.

use std::path::Path;
use std::process::{Command, Output};

fn mercer(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("the binary runs")
}

fn run(folder: &Path, arguments: &[&str], code: i32) -> (String, String) {
    let output = mercer(folder, arguments);
    let read = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (read(&output.stdout), read(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "mercer {}\n{out}\n{err}", arguments.join(" "));
    (out, err)
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let (out, _) = run(folder, arguments, 0);
    serde_json::from_str(&out).expect("exactly one document")
}

#[test]
fn a_search_ranks_writes_its_trials_and_keeps_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "tune",
        "penguins",
        "-t",
        "species",
        "-m",
        "logistic",
        "--space",
        "C=log(1e-3,1e3)",
        "--search",
        "grid",
        "--points",
        "4",
        "-o",
        "best.mercer",
        "--results",
        "trials.csv",
        "--metric",
        "log_loss,accuracy",
    ];
    let (out, _) = run(folder.path(), &arguments, 0);
    assert!(
        out.contains("searching logistic__C") && out.contains("4 trials") && out.contains("accuracy"),
        "{out}"
    );
    let trials = std::fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    assert!(
        trials.starts_with("trial,param_logistic__C,mean_log_loss,std_log_loss,mean_accuracy"),
        "{trials}"
    );
    assert_eq!(trials.lines().count(), 5);
    let (out, _) = run(folder.path(), &["evaluate", "best.mercer", "penguins"], 0);
    assert!(out.contains("accuracy"), "{out}");
}

#[test]
fn a_journal_goes_on_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let base = ["tune", "iris", "-t", "species", "-m", "tree", "--trials", "14", "--seed", "3", "--json"];
    let whole = json(folder.path(), &base);
    let with = |more: &[&'static str]| [&base[..], more].concat();
    let first = json(folder.path(), &with(&["--journal", "j.jsonl"]));
    assert_eq!(first["best"]["setting"], whole["best"]["setting"]);
    // Cut the journal in the middle of a line, as a machine that goes down would.
    let path = folder.path().join("j.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 15);
    let cut: usize = text.lines().take(7).map(|l| l.len() + 1).sum();
    std::fs::write(&path, &text[..cut + 20]).unwrap();
    let resumed = json(folder.path(), &with(&["--journal", "j.jsonl", "--resume"]));
    let key = |d: &serde_json::Value| {
        let trials = d["trials"].as_array().unwrap();
        trials.iter().map(|t| (t["setting"].clone(), t["scores"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(key(&resumed), key(&whole));
    run(folder.path(), &with(&["--journal", "j.jsonl"]), 2);
    let other = [
        "tune",
        "iris",
        "-t",
        "species",
        "-m",
        "tree",
        "--trials",
        "14",
        "--seed",
        "4",
        "--journal",
        "j.jsonl",
        "--resume",
    ];
    let (_, err) = run(folder.path(), &other, 3);
    assert!(err.contains("`seed` differs"), "{err}");
}

#[test]
fn nested_says_what_the_procedure_is_worth() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "tune",
        "diabetes",
        "-t",
        "progression",
        "-m",
        "ridge",
        "--space",
        "alpha=log(0.1,1000)",
        "--search",
        "grid",
        "--points",
        "4",
        "--nested",
        "--cv",
        "4",
    ];
    let (out, _) = run(folder.path(), &arguments, 0);
    assert!(
        out.contains("of the whole procedure") && out.contains("average of the best settings: ridge__alpha="),
        "{out}"
    );
    let document = json(folder.path(), &[&arguments[..], &["--json"]].concat());
    assert_eq!(document["rounds"].as_array().unwrap().len(), 4);
}

#[test]
fn schemes_generators_and_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let base = [
        "tune",
        "friedman1:n_samples=80,noise=1",
        "-t",
        "y",
        "-m",
        "ridge",
        "--trials",
        "4",
        "--search",
        "random",
    ];
    let with = |more: &[&'static str]| [&base[..], more].concat();
    let (out, _) = run(folder.path(), &with(&["--cv", "timeseries(k=3)"]), 0);
    assert!(out.contains("3 folds"), "{out}");
    run(folder.path(), &with(&["--search", "halving", "--trials", "9"]), 0);
    let (_, err) = run(folder.path(), &with(&["--space", "alfa=[1]"]), 2);
    assert!(err.contains("alpha"), "{err}");
    run(folder.path(), &with(&["--cv", "nonsense"]), 3);
    run(folder.path(), &with(&["--metric", "accuracy"]), 2);
    run(folder.path(), &with(&["--metric", ","]), 2);
    let (_, err) = run(folder.path(), &with(&["--search", "grid", "--points", "99999"]), 2);
    assert!(err.contains("settings"), "{err}");
}

#[test]
fn two_models_are_told_apart_on_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    for (model, file) in [("logistic", "a.mercer"), ("tree:max_depth=1", "b.mercer")] {
        run(folder.path(), &["fit", "iris", "-t", "species", "-m", model, "-o", file], 0);
    }
    let base = [
        "evaluate",
        "a.mercer",
        "iris",
        "--against",
        "b.mercer",
        "--metric",
        "fbeta(beta=2,average=macro),kappa",
    ];
    let (out, _) = run(folder.path(), &base, 0);
    assert!(
        out.contains("F-beta (beta=2,average=macro)") && out.contains("McNemar") && !out.contains("log loss"),
        "{out}"
    );
    let document = json(folder.path(), &[&base[..], &["--json", "--interval", "bca"]].concat());
    assert!(document["against"]["p_value"].as_f64().unwrap() < 1e-6);
    run(folder.path(), &["evaluate", "a.mercer", "iris", "--metric", "rmse"], 2);
}
