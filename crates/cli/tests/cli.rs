//! The whole binary: what it prints, what it writes, and how it ends.

use std::path::Path;
use std::process::{Command, Output};

fn mercer(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("the binary runs")
}

fn text(output: &Output) -> (i32, String, String) {
    let read = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), read(&output.stdout), read(&output.stderr))
}

/// Runs, expects a code, and gives standard output and standard error.
fn run(folder: &Path, arguments: &[&str], code: i32) -> (String, String) {
    let (found, out, err) = text(&mercer(folder, arguments));
    assert_eq!(found, code, "mercer {}\n{out}\n{err}", arguments.join(" "));
    (out, err)
}

fn json(folder: &Path, arguments: &[&str], code: i32) -> serde_json::Value {
    let (out, _) = run(folder, arguments, code);
    let document: serde_json::Value = serde_json::from_str(&out).expect("exactly one document");
    assert_eq!(document["schema_version"], 1);
    document
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn compare_ranks_with_a_baseline_and_writes_report_and_model() {
    let folder = folder();
    let arguments =
        ["compare", "penguins", "-t", "species", "--report", "p.html", "-o", "best.mercer", "--seed", "7"];
    let (out, _) = run(folder.path(), &arguments, 0);
    assert!(
        out.contains("344 rows × 8 columns") && out.contains("seed 7") && out.contains("baseline"),
        "{out}"
    );
    let html = std::fs::read_to_string(folder.path().join("p.html")).unwrap();
    assert!(
        html.contains("compare penguins -t species") && html.contains("<svg"),
        "the report has command and plots"
    );
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"), "nothing is fetched");
    let twin: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("p.json")).unwrap()).unwrap();
    assert_eq!(twin["reproducibility"]["seed"], 7);
    let scores = json(folder.path(), &["evaluate", "best.mercer", "penguins", "--json"], 0);
    assert!(scores["metrics"]["accuracy"]["value"].as_f64().unwrap() > 0.95);
}

#[test]
fn a_table_is_profiled_once_a_command() {
    let folder = folder();
    let compare = ["compare", "iris", "-t", "species", "--models", "tree", "--report", "i.html", "--verbose"];
    let fit = ["fit", "iris", "-t", "species", "-m", "tree", "--report", "i.html", "--verbose"];
    for arguments in [&compare[..], &fit[..], &["look", "iris", "--verbose"]] {
        let (_, err) = run(folder.path(), arguments, 0);
        assert_eq!(err.matches("profiled 5 columns").count(), 1, "{arguments:?}: {err}");
    }
}

#[test]
fn the_same_seed_gives_the_same_table_at_any_number_of_threads() {
    let folder = folder();
    let scores = |threads: &str| {
        let document =
            json(folder.path(), &["compare", "iris", "-t", "species", "--json", "--threads", threads], 0);
        document["models"].as_array().unwrap().iter().map(|m| m["folds"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(scores("1"), scores("2"));
}

#[test]
fn fit_predict_evaluate_and_inspect_go_together() {
    let folder = folder();
    let here = folder.path();
    run(here, &["fit", "diabetes", "-t", "progression", "-m", "ridge:alpha=2", "-o", "r.mercer"], 0);
    let (out, _) = run(here, &["predict", "r.mercer", "diabetes"], 0);
    assert_eq!((out.lines().next(), out.lines().count()), (Some("progression"), 443));
    let (out, _) = run(here, &["predict", "r.mercer", "diabetes", "--format", "jsonl"], 0);
    assert!(out.lines().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()));
    let header = json(here, &["inspect", "r.mercer", "--json"], 0);
    assert_eq!(header["schema"]["features"].as_array().unwrap().len(), 10);
    assert!(header["command"].as_str().unwrap().contains("-m ridge:alpha=2"));
    run(here, &["evaluate", "r.mercer", "diabetes", "--fail-under", "r2=0.4"], 0);
    let (_, err) = run(here, &["evaluate", "r.mercer", "diabetes", "--fail-under", "r2=0.99"], 4);
    assert!(err.contains("gate not met"), "{err}");
    run(here, &["predict", "r.mercer", "diabetes", "-o", "p.csv"], 0);
    assert!(here.join("p.csv").is_file() && !here.join("p.csv.part").exists());
}

#[test]
fn intervals_are_two_more_columns_or_an_error_that_says_what_gives_some() {
    let folder = folder();
    let here = folder.path();
    run(
        here,
        &["fit", "diabetes", "-t", "progression", "-m", "conformal:estimator=ridge", "-o", "c.mercer"],
        0,
    );
    let (out, _) = run(here, &["predict", "c.mercer", "diabetes", "--interval", "0.9"], 0);
    assert_eq!((out.lines().next(), out.lines().count()), (Some("progression,lower,upper"), 443));
    for row in out.lines().skip(1) {
        let row: Vec<f64> = row.split(',').map(|v| v.parse().unwrap()).collect();
        assert!(row[1] <= row[0] && row[0] <= row[2], "{row:?}");
    }
    run(here, &["fit", "diabetes", "-t", "progression", "-m", "ridge", "-o", "r.mercer"], 0);
    let (_, err) = run(here, &["predict", "r.mercer", "diabetes", "--interval", "0.9"], 3);
    assert!(err.contains("cannot give prediction intervals") && err.contains("ConformalRegressor"), "{err}");
    let (_, err) = run(here, &["predict", "c.mercer", "diabetes", "--interval", "90"], 2);
    assert!(err.contains("in (0, 1), got 90"), "{err}");
}

#[test]
fn several_class_targets_are_several_columns() {
    let folder = folder();
    let here = folder.path();
    let rows = "species,sex,bill,mass\na,f,1,2\nb,m,3,4\na,m,1.5,4.5\nb,f,3.5,2.5\na,f,1.2,2.1\n";
    std::fs::write(here.join("t.csv"), rows).unwrap();
    run(here, &["fit", "t.csv", "-t", "species,sex", "-m", "tree", "-o", "m.mercer"], 0);
    let (out, _) = run(here, &["predict", "m.mercer", "t.csv", "--proba"], 0);
    assert!(out.starts_with("species,sex,p(species=a),p(species=b),p(sex=f),p(sex=m)\na,f,1"), "{out}");
}

#[test]
fn categories_missing_values_and_unseen_levels_just_work() {
    let folder = folder();
    let here = folder.path();
    run(here, &["fit", "penguins", "-t", "species", "-m", "logistic", "-o", "p.mercer"], 0);
    std::fs::write(here.join("new.csv"), "sex,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,year\n,Atlantis,39.1,18.7,181,3750,2007\n").unwrap();
    let (out, _) = run(here, &["predict", "p.mercer", "new.csv", "--proba"], 0);
    assert!(out.starts_with("species,p(Adelie)") && out.contains("Adelie,0.9"), "{out}");
    let (_, err) = run(here, &["predict", "p.mercer", "new.csv", "--unseen", "error"], 3);
    assert!(err.contains("Atlantis") && err.contains("`island`") && err.contains("row 0"), "{err}");
}

#[test]
fn unsupervised_models_and_data_that_are_no_table_go_through_the_same_doors() {
    let folder = folder();
    let here = folder.path();
    run(
        here,
        &[
            "fit",
            "iris",
            "--drop",
            "species",
            "-m",
            "kmeans:n_clusters=3",
            "-o",
            "k.mercer",
            "--report",
            "k.html",
        ],
        0,
    );
    let page = std::fs::read_to_string(here.join("k.html")).unwrap();
    for part in ["Silhouette", "Clusters in words", "Choice of the number of clusters", "low petal_length"] {
        assert!(page.contains(part), "{part}");
    }
    let (out, _) = run(here, &["predict", "k.mercer", "iris"], 0);
    assert_eq!(out.lines().count(), 151);
    let (out, _) =
        run(here, &["fit", "iris", "--drop", "species", "-m", "dbscan:eps=0.5", "-o", "d.mercer"], 0);
    assert!(out.contains("2 clusters of 45, 71 rows; 34 rows are noise"), "{out}");
    let (out, _) = run(here, &["predict", "d.mercer", "iris"], 0);
    assert_eq!(out.lines().filter(|l| *l == "-1").count(), 34);
    run(here, &["fit", "iris", "--drop", "species", "-m", "pca:n_components=2", "-o", "c.mercer"], 0);
    let (out, _) = run(here, &["predict", "c.mercer", "iris"], 0);
    assert_eq!(out.lines().next(), Some("pca0,pca1"));
    run(here, &["fit", "banana", "-m", "metropolis:draws=200", "-o", "m.mercer", "--report", "m.html"], 0);
    let (out, _) = run(here, &["predict", "m.mercer"], 0);
    assert_eq!(out.lines().count(), 801);
    let mdp = r#"{"states": ["a", "b"], "actions": ["go", "stay"], "discount": 0.9,
        "transitions": [["a", "go", "b", 1.0, 5.0], ["a", "stay", "a", 1.0, 0.0]]}"#;
    std::fs::write(here.join("two.json"), mdp).unwrap();
    run(here, &["fit", "two.json", "-m", "value-iteration", "-o", "v.mercer", "--report", "v.html"], 0);
    std::fs::write(here.join("states.csv"), "state\na\nb\n").unwrap();
    let (out, _) = run(here, &["predict", "v.mercer", "states.csv"], 0);
    assert_eq!(out, "action\ngo\n(none)\n");
    run(here, &["fit", "process:gambler:goal=10", "-m", "policy-iteration", "-o", "p.mercer"], 0);
    std::fs::write(
        here.join("words.csv"),
        "word,side\nabab,left\nbaba,left\nxyxy,right\nyxyx,right\nabba,left\nxyyx,right\n",
    )
    .unwrap();
    let graphs = r#"[{"nodes": 3, "edges": [[0, 1], [1, 2], [2, 0]], "target": "ring"},
        {"nodes": 3, "edges": [[0, 1], [1, 2]], "target": "path"},
        {"nodes": 4, "edges": [[0, 1], [1, 2], [2, 3], [3, 0]], "target": "ring"},
        {"nodes": 4, "edges": [[0, 1], [1, 2], [2, 3]], "target": "path"}]"#;
    std::fs::write(here.join("graphs.json"), graphs).unwrap();
    let machine = "svc:kernel=normalised(weisfeiler_lehman(rounds=2)),C=100";
    run(here, &["fit", "graphs.json", "-m", machine, "-o", "g.mercer"], 0);
    let (answers, _) = run(here, &["predict", "g.mercer", "graphs.json"], 0);
    let answers: Vec<&str> = answers.lines().skip(1).map(|l| l.trim()).collect();
    assert_eq!(answers, ["ring", "path", "ring", "path"]);
    run(here, &["fit", "words.csv", "-t", "side", "-m", "spectrum-perceptron:length=2", "-o", "s.mercer"], 0);
    let (out, _) = run(here, &["predict", "s.mercer", "words.csv"], 3);
    assert!(out.is_empty(), "two columns of strings: which one is a question, not a guess");
    let (out, _) = run(here, &["evaluate", "s.mercer", "words.csv", "--json"], 0);
    assert!(out.contains("\"accuracy\""));
}

#[test]
fn streaming_gives_the_model_of_memory() {
    let folder = folder();
    let here = folder.path();
    let rows: String =
        (0..5000).map(|i| format!("{},{},{}\n", i % 17, (i * 31) % 101, (i % 17) * 2)).collect();
    std::fs::write(here.join("d.csv"), format!("a,b,y\n{rows}")).unwrap();
    run(here, &["fit", "d.csv", "-t", "y", "-m", "ridge", "--stream", "-o", "s.mercer"], 0);
    run(here, &["fit", "d.csv", "-t", "y", "-m", "ridge", "--raw", "-o", "w.mercer"], 0);
    let predicted = |file: &str| run(here, &["predict", file, "d.csv"], 0).0;
    assert_eq!(predicted("s.mercer"), predicted("w.mercer"));
}

#[test]
fn mistakes_have_their_codes_and_suggestions() {
    let folder = folder();
    let here = folder.path();
    let check = |arguments: &[&str], code: i32, says: &str| {
        let (_, err) = run(here, arguments, code);
        assert!(err.contains(says), "mercer {}: {err}", arguments.join(" "));
    };
    check(&["fit", "iris", "-t", "specie", "-m", "logistic"], 3, "did you mean `species`?");
    check(&["fit", "iris", "-t", "species", "-m", "logistik"], 2, "did you mean `logistic`?");
    check(&["fit", "iris", "-t", "species", "-m", "logistic:c=1"], 2, "no parameter `c`");
    check(
        &["fit", "iris", "-t", "species", "-m", "logistic:C=-1"],
        2,
        "`C` of LogisticRegression must be in (0, inf], got -1",
    );
    check(&["fit", "irsi", "-t", "species", "-m", "logistic"], 3, "did you mean `iris`?");
    check(&["compare", "iris", "-t", "species", "--metric", "acuracy"], 2, "did you mean `accuracy`?");
    check(&["compare", "iris", "-t", "species", "--budget", "soon"], 2, "--budget");
    check(&["compare", "iris"], 2, "-t COLUMN");
    check(&["predict", "nothing.mercer", "iris"], 5, "nothing.mercer");
    check(&["fit", "iris", "-t", "species", "-m", "ridge"], 2, "learns regression");
    std::fs::write(here.join("ragged.csv"), "a,b\n1,2\n3\n").unwrap();
    check(&["look", "ragged.csv"], 3, "line 3");
    std::fs::write(here.join("broken.mercer"), "MERCER\r\nnot really").unwrap();
    check(&["inspect", "broken.mercer"], 5, "not a usable model");
    check(&["frobnicate"], 2, "frobnicate");
    let failed = json(here, &["fit", "iris", "-t", "specie", "-m", "logistic", "--json"], 3);
    assert_eq!(failed["error"]["code"], 3);
}

#[test]
fn strict_turns_non_convergence_into_a_code() {
    let folder = folder();
    let fit = ["fit", "digits", "-t", "digit", "-m", "logistic:max_iter=1,solver=lbfgs"];
    run(folder.path(), &fit, 0);
    run(folder.path(), &[&fit[..], &["--strict"]].concat(), 6);
}

#[test]
fn lists_completions_config_and_dry_runs() {
    let folder = folder();
    let here = folder.path();
    assert!(json(here, &["models", "--json"], 0)["models"].as_array().unwrap().len() >= 15);
    let schema = json(here, &["params", "ridge", "--json"], 0);
    assert_eq!(schema["model"]["schema"]["properties"]["alpha"]["minimum"], 0.0);
    assert!(run(here, &["datasets"], 0).0.contains("penguins"));
    assert!(run(here, &["completions", "bash"], 0).0.contains("mercer"));
    assert!(run(here, &["look", "penguins", "-t", "species"], 0).0.contains("bill_length_mm"));
    std::fs::write(here.join("c.conf"), "# flags\nseed = 11\ncv = 3\n").unwrap();
    let (out, _) = run(here, &["compare", "iris", "-t", "species", "--config", "c.conf", "--cv", "4"], 0);
    assert!(out.contains("4-fold") && out.contains("seed 11"), "{out}");
    let (out, _) =
        run(here, &["fit", "iris", "-t", "species", "-m", "tree", "-o", "t.mercer", "--dry-run"], 0);
    assert!(out.starts_with("would fit") && !here.join("t.mercer").exists(), "{out}");
}

/// Engel's food expenditure by income, as every textbook's least squares has it.
#[test]
fn a_linear_model_prints_its_summary_or_why_it_has_none() {
    let folder = folder();
    let here = folder.path();
    let fit = ["fit", "engel-food", "-t", "foodexp", "-m", "LinearRegression", "--raw", "--summary"];
    let (out, _) = run(here, &fit, 0);
    for part in ["income", "0.48517", "147.4", "R² 0.830"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (out, _) = run(here, &[&fit[..], &["--json"]].concat(), 0);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rows = document["summary"]["coefficients"].as_array().unwrap();
    assert!(rows.iter().any(|r| (r["std_error"].as_f64().unwrap() - 15.957).abs() < 1e-3), "{rows:?}");
    let (_, err) = run(here, &["fit", "engel-food", "-t", "foodexp", "-m", "ridge", "--summary"], 0);
    assert!(err.contains("no summary"), "{err}");
}
