//! `mercer explain` from outside: what it prints, and what it refuses.

use std::path::Path;
use std::process::Command;

fn run(folder: &Path, arguments: &[&str], code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    let output = command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "mercer {}\n{text}", arguments.join(" "));
    text
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&run(folder, &[arguments, &["--json", "-q"]].concat(), 0)).unwrap()
}

#[test]
fn a_tree_explains_itself() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run(here, &["fit", "penguins", "-t", "species", "-m", "tree:max_depth=3", "-o", "t.mercer"], 0);
    let overall = json(here, &["explain", "t.mercer", "penguins"]);
    let columns = overall["importance"].as_array().unwrap();
    assert!(columns[0]["mean"].as_f64().unwrap() > 0.0 && columns.len() >= 6, "{overall}");
    // What each feature adds makes up what the model says.
    let row = json(here, &["explain", "t.mercer", "penguins", "--row", "3"]);
    let says = row["says"].as_object().unwrap().values().filter_map(|v| v.as_f64()).fold(0.0, f64::max);
    let parts = row["because"]["contributions"].as_object().unwrap().values().filter_map(|v| v.as_f64());
    let sum = row["because"]["base"].as_f64().unwrap() + parts.sum::<f64>();
    assert!((says - sum).abs() < 1e-9, "{row}");
    let text = run(here, &["explain", "t.mercer", "penguins", "--row", "3"], 0);
    assert!(text.contains("(on average)") && text.contains("adds"), "{text}");
    let other = run(
        here,
        &["explain", "t.mercer", "penguins", "--row", "3", "--what-if", "flipper_length_mm=230"],
        0,
    );
    assert!(other.contains("as it is") && other.contains("flipper_length_mm=230"), "{other}");
    let curve =
        json(here, &["explain", "t.mercer", "penguins", "--pdp", "flipper_length_mm", "--points", "5"]);
    assert_eq!(curve["points"].as_array().unwrap().len(), 5);
    let levels = json(here, &["explain", "t.mercer", "penguins", "--pdp", "island"]);
    assert_eq!(levels["points"].as_array().unwrap().len(), 3);
    let effects = run(here, &["explain", "t.mercer", "penguins", "--ale", "flipper_length_mm"], 0);
    assert!(effects.contains("accumulated local effects"), "{effects}");
}

#[test]
fn clusters_have_no_answers_to_weigh_columns_by() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run(here, &["fit", "penguins", "--drop", "species", "-m", "kmeans:n_clusters=2", "-o", "k.mercer"], 0);
    let text = run(here, &["explain", "k.mercer", "penguins"], 2);
    assert!(text.contains("without a target") && text.contains("report"), "{text}");
}

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run(here, &["fit", "penguins", "-t", "species", "-m", "tree:max_depth=3", "-o", "t.mercer"], 0);
    let text = run(here, &["explain", "t.mercer", "penguins", "--row", "9999"], 2);
    assert!(text.contains("9999") && text.contains("rows"), "{text}");
    let text =
        run(here, &["explain", "t.mercer", "penguins", "--row", "1", "--what-if", "island=Atlantis"], 2);
    assert!(text.contains("Atlantis") && text.contains("Biscoe"), "{text}");
    let text = run(here, &["explain", "t.mercer", "penguins", "--pdp", "flipper_lenght_mm"], 3);
    assert!(text.contains("flipper_length_mm"), "{text}");
    run(here, &["fit", "penguins", "-t", "species", "-m", "lda", "-o", "l.mercer"], 0);
    let text = run(here, &["explain", "l.mercer", "penguins", "--row", "1"], 3);
    assert!(text.contains("explain itself"), "{text}");
}

#[test]
fn a_booster_explains_its_score_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run(here, &["fit", "breast-cancer", "-t", "diagnosis", "-m", "gbdt:max_iter=20", "-o", "b.mercer"], 0);
    for row in ["0", "300"] {
        let found = json(here, &["explain", "b.mercer", "breast-cancer", "--row", row]);
        // Whatever the predicted class, the parts make up the log odds of the second one.
        let says = found["says"].as_object().unwrap();
        let second = found["because"]["what"].as_str().unwrap().strip_prefix("score of ").unwrap();
        let p = says[second].as_f64().unwrap();
        let parts =
            found["because"]["contributions"].as_object().unwrap().values().filter_map(|v| v.as_f64());
        let score = found["because"]["base"].as_f64().unwrap() + parts.sum::<f64>();
        assert!((score - (p / (1.0 - p)).ln()).abs() < 1e-6, "{found}");
    }
}

#[test]
fn an_ensemble_explains_itself_by_its_members() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let fit = |data: &str, target: &str, model: &str| {
        run(here, &["fit", data, "-t", target, "-m", model, "-o", "e.mercer"], 0);
    };
    fit("penguins", "species", "bagging:n_estimators=3,max_features=0.5");
    let found = json(here, &["explain", "e.mercer", "penguins", "--row", "3"]);
    let parts = found["because"]["contributions"].as_object().unwrap().values().filter_map(|v| v.as_f64());
    let said = found["says"][found["because"]["what"].as_str().unwrap()].as_f64().unwrap();
    assert!((found["because"]["base"].as_f64().unwrap() + parts.sum::<f64>() - said).abs() < 1e-9, "{found}");
    fit("diabetes", "progression", "gradient-boosting-regressor:n_estimators=5");
    let table = run(here, &["predict", "e.mercer", "diabetes", "--explain", "1", "-q"], 0);
    assert!(table.starts_with("progression,because_1,adds_1\n"), "{table}");
    fit("diabetes", "progression", "adaboost-regressor:n_estimators=3");
    let text = run(here, &["predict", "e.mercer", "diabetes", "--explain", "1"], 3);
    assert!(text.contains("AdaBoostRegressor") && text.contains("explain itself"), "{text}");
}

#[test]
fn predictions_come_with_their_largest_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run(here, &["fit", "penguins", "-t", "species", "-m", "tree:max_depth=3", "-o", "t.mercer"], 0);
    let whole = json(here, &["explain", "t.mercer", "penguins", "--row", "3"]);
    let lines =
        run(here, &["predict", "t.mercer", "penguins", "--explain", "2", "--format", "jsonl", "-q"], 0);
    let fourth: serde_json::Value = serde_json::from_str(lines.lines().nth(3).unwrap()).unwrap();
    let (few, all) = (&fourth["because"], &whole["because"]);
    assert_eq!((&few["what"], &few["base"]), (&all["what"], &all["base"]));
    let few = few["contributions"].as_object().unwrap();
    assert_eq!(few.len(), 2);
    let size = |v: &serde_json::Value| v.as_f64().unwrap().abs();
    let least = few.values().map(size).fold(f64::INFINITY, f64::min);
    for (name, value) in all["contributions"].as_object().unwrap() {
        match few.get(name) {
            Some(same) => assert_eq!(same, value),
            None => assert!(size(value) <= least, "{name}"),
        }
    }
    let table = run(here, &["predict", "t.mercer", "penguins", "--explain", "2", "-q"], 0);
    assert!(table.starts_with("species,because_1,adds_1,because_2,adds_2\n"), "{table}");
    assert_eq!(table.lines().count(), 345);
    // Parquet takes the columns, too.
    run(
        here,
        &["predict", "t.mercer", "penguins", "--explain", "1", "--format", "parquet", "-o", "p.parquet"],
        0,
    );
    run(here, &["fit", "penguins", "-t", "species", "-m", "lda", "-o", "l.mercer"], 0);
    let text = run(here, &["predict", "l.mercer", "penguins", "--explain", "3"], 3);
    assert!(text.contains("LinearDiscriminantAnalysis cannot explain itself"), "{text}");
    run(here, &["predict", "t.mercer", "penguins", "--explain", "0"], 2);
}

#[test]
fn explanations_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let read = |name: &str| std::fs::read_to_string(here.join(name)).unwrap();
    run(here, &["fit", "penguins", "-t", "species", "-m", "tree:max_depth=3", "-o", "t.mercer"], 0);
    for (arguments, word) in [
        (&["explain", "t.mercer", "penguins", "--tree", "0", "-o", "a.svg"][..], "flipper_length_mm"),
        (&["explain", "t.mercer", "--tree", "0", "-o", "a.svg"][..], "flipper_length_mm"),
        (&["explain", "t.mercer", "penguins", "-o", "a.svg"][..], "Feature importance"),
        (&["explain", "t.mercer", "penguins", "--pdp", "island", "-o", "a.svg"][..], "Biscoe"),
        (&["explain", "t.mercer", "penguins", "--pdp", "bill_length_mm", "-o", "a.svg"][..], "Gentoo"),
        (&["explain", "t.mercer", "penguins", "--ale", "bill_length_mm", "-o", "a.svg"][..], "effect"),
    ] {
        assert!(run(here, arguments, 0).contains("wrote a.svg"));
        let svg = read("a.svg");
        assert!(svg.starts_with("<svg") && svg.contains(word), "{arguments:?} {svg}");
    }
    run(here, &["explain", "t.mercer", "--tree", "0", "-o", "a.csv"], 0);
    assert!(read("a.csv").starts_with("branch,heading,note,node,parent,weight"));
    let text = run(here, &["explain", "t.mercer", "--tree", "0", "-o", "a.png"], 2);
    assert!(text.contains(".svg or .csv"), "{text}");
    let text = run(here, &["explain", "t.mercer", "--tree", "0"], 0);
    assert!(text.contains("|--- flipper_length_mm <= ") && text.contains("class Gentoo"), "{text}");
    let tree = json(here, &["explain", "t.mercer", "--tree", "0"]);
    assert_eq!(
        (tree["trees"].as_u64(), tree["nodes"][0]["name"].as_str()),
        (Some(1), Some("flipper_length_mm"))
    );
    run(here, &["fit", "penguins", "-t", "species", "-m", "forest:n_estimators=3", "-o", "f.mercer"], 0);
    assert!(run(here, &["explain", "f.mercer", "--tree", "2"], 0).contains("tree 2 of 3"));
    let text = run(here, &["explain", "f.mercer", "--tree", "3"], 2);
    assert!(text.contains("[0, 3)"), "{text}");
    run(here, &["fit", "penguins", "-t", "species", "-m", "lda", "-o", "l.mercer"], 0);
    let text = run(here, &["explain", "l.mercer", "--tree", "0"], 3);
    assert!(text.contains("show its trees"), "{text}");
    run(here, &["explain", "t.mercer"], 2);
}

#[test]
fn reports_draw_the_tree_and_what_matters() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let report = |model: &str| {
        run(here, &["fit", "penguins", "-t", "species", "-m", model, "--report", "r.html"], 0);
        let twin = std::fs::read_to_string(here.join("r.json")).unwrap();
        let twin: serde_json::Value = serde_json::from_str(&twin).unwrap();
        let titles =
            twin["explanations"].as_array().unwrap().iter().map(|s| s["title"].as_str().unwrap().to_owned());
        (titles.collect::<Vec<_>>(), std::fs::read_to_string(here.join("r.html")).unwrap())
    };
    let (titles, html) = report("tree:max_depth=3");
    assert_eq!(titles, ["The tree", "What features add", "How it depends on them"]);
    assert!(html.contains("class=\"wide\"") && html.len() < 2_000_000);
    assert_eq!(report("forest:n_estimators=5").0[0], "The first of 5 trees");
    assert_eq!(report("lda").0, ["How it depends on them"]);
    assert_eq!(report("logistic").0, ["What features add", "How it depends on them"]);
}
