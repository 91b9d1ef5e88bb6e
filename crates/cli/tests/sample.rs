//! `mercer sample` from outside: what it prints, what it writes, what it warns of.

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

#[test]
fn draws_are_summed_up_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let (out, err) = run(folder.path(), &["sample", "eight-schools", "--draws", "500", "-o", "draws.csv"], 0);
    assert!(out.contains("mu") && out.contains("r_hat") && out.contains("4 chains × 500 draws"), "{out}");
    assert!(err.contains("wrote draws.csv"), "{err}");
    let draws = std::fs::read_to_string(folder.path().join("draws.csv")).unwrap();
    assert!(draws.starts_with("chain,draw,mu,log_tau") && draws.lines().count() == 2001);
    let arguments = [
        "sample",
        "normal",
        "--sampler",
        "slice",
        "--chains",
        "2",
        "--draws",
        "300",
        "--json",
        "-o",
        "m.mercer",
    ];
    let (out, _) = run(folder.path(), &arguments, 0);
    let document: serde_json::Value = serde_json::from_str(&out).expect("one document");
    assert_eq!(
        (&document["sampler"], &document["chains"], &document["draws"]),
        (&"Slice".into(), &2.into(), &300.into())
    );
    assert!(document["coordinates"][1]["mean"].as_f64().unwrap().abs() < 0.5);
    run(folder.path(), &["inspect", "m.mercer"], 0);
}

#[test]
fn chains_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (_, err) =
        run(folder.path(), &["sample", "eight-schools", "--draws", "200", "--report", "r.html"], 0);
    assert!(err.contains("wrote r.html"), "{err}");
    let twin: serde_json::Value = serde_json::from_str(&read("r.json")).unwrap();
    let parameters = twin["chains"]["parameters"].as_array().unwrap();
    assert_eq!((parameters.len(), parameters[0]["name"].as_str()), (10, Some("mu")));
    assert_eq!(parameters[0]["traces"].as_array().map(Vec::len), Some(4));
    assert!(read("r.html").contains("mercer sample eight-schools --draws 200 --report r.html"));
    let (_, err) = run(folder.path(), &["sample", "normal", "--report", "r.json"], 2);
    assert!(err.contains("r.json"), "{err}");
}

#[test]
fn what_did_not_mix_is_told_and_fails_under_strict() {
    let folder = tempfile::tempdir().unwrap();
    let hard = ["sample", "funnel", "--sampler", "metropolis", "--draws", "50", "--warmup", "20", "--strict"];
    let (_, err) = run(folder.path(), &hard, 6);
    assert!(err.contains("warning: R-hat"), "{err}");
    // One chain that never moves has no R-hat at all, and is told of all the same.
    let still = [
        "sample",
        "normal",
        "--sampler",
        "metropolis:step=1e300",
        "--chains",
        "1",
        "--warmup",
        "0",
        "--strict",
    ];
    let (_, err) = run(folder.path(), &still, 6);
    assert!(err.contains("no R-hat of x[1], x[2]: the chains never moved there"), "{err}");
    let (_, err) = run(folder.path(), &["sample", "eight-scools"], 2);
    assert!(err.contains("eight-schools"), "{err}");
    let (_, err) = run(folder.path(), &["sample", "normal", "--sampler", "ridge"], 2);
    assert!(err.contains("no sampler"), "{err}");
    run(folder.path(), &["sample", "normal", "--draws", "2"], 2);
}
