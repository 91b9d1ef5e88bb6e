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
    run(here, &["fit", "penguins", "-t", "species", "-m", "logistic", "-o", "l.mercer"], 0);
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
