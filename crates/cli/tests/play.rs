//! `mercer play` from outside: what it prints, what it writes, what it refuses.

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

/// Q-learning walks along the cliff, and what it learnt is written in every form; the same command prints the same.
#[test]
fn agents_are_played_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = vec![
        "play",
        "cliff",
        "--agent",
        "q-learning:alpha=0.5,discount=1,value-iteration:discount=1",
        "--runs",
        "4",
        "--steps",
        "20000",
    ];
    let files =
        ["--csv", "c.csv", "--plot", "c.svg", "-o", "p.mercer", "--replay", "r.txt", "--report", "r.html"];
    let (out, err) = run(folder.path(), &[arguments.clone(), files.to_vec()].concat(), 0);
    assert!(
        out.contains("48 states · 4 actions") && out.contains("-13.00") && out.contains("actions at random"),
        "{out}"
    );
    assert!(files.iter().skip(1).step_by(2).all(|file| err.contains(file)), "{err}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("c.csv").starts_with("agent,step,return,low,high") && read("c.csv").lines().count() > 20);
    assert!(read("c.svg").contains("</svg>") && read("r.html").contains("Value map"));
    assert!(read("r.txt").contains("13 steps") && read("r.txt").contains("(3,11)"));
    std::fs::write(folder.path().join("at.csv"), "state\n36\n").unwrap();
    let (said, _) = run(folder.path(), &["predict", "p.mercer", "at.csv"], 0);
    assert_eq!(said.lines().nth(1), Some("up"));
    arguments.push("--json");
    let document = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("one document") };
    let (first, again) = (run(folder.path(), &arguments, 0).0, run(folder.path(), &arguments, 0).0);
    let (first, again) = (document(&first), document(&again));
    assert_eq!(first["agents"][0]["scores"], again["agents"][0]["scores"]);
    assert_eq!(first["agents"][0]["return"], -13.0);
    assert_eq!(first["agents"][1]["scores"].as_array().unwrap().len(), 1, "a planner plans once");
}

#[test]
fn episodes_move_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for (environment, agent) in [("frozen-lake:slippery=false", "dyna"), ("mountain-car", "sarsa")] {
        let arguments =
            ["play", environment, "--agent", agent, "--runs", "2", "--steps", "20000", "--replay", "e.svg"];
        run(folder.path(), &arguments, 0);
        let picture = std::fs::read_to_string(folder.path().join("e.svg")).unwrap();
        assert!(picture.contains("<animate") && picture.ends_with("</svg>\n"), "{environment}");
    }
}

/// Strategies on the arms of a bandit: ranked by regret, beside its bounds, in every form; the same at any number of threads.
#[test]
fn strategies_are_played_on_bandits() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "play",
        "bandit:means=[0.2,0.5,0.8]",
        "--agent",
        "explore,epsilon-greedy:epsilon=0.05,decay=0.01,thompson",
        "--runs",
        "100",
        "--steps",
        "500",
    ];
    let files = ["--csv", "c.csv", "--plot", "c.svg", "--report", "r.html"];
    let (out, err) = run(folder.path(), &[&arguments[..], &files].concat(), 0);
    assert!(
        out.contains("3 arms · 500 steps") && out.contains("Lai and Robbins") && out.contains("12.84"),
        "{out}"
    );
    assert!(files.iter().skip(1).step_by(2).all(|file| err.contains(file)), "{err}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("c.csv").starts_with("strategy,step,reward,best,regret,low,high"));
    assert_eq!(read("c.csv").lines().count(), 1501);
    assert!(read("c.svg").contains("UCB1, upper bound") && read("r.html").contains("Best arm"));
    let document = |threads: &str| -> serde_json::Value {
        let asked = [&arguments[..], &["--json", "--threads", threads]].concat();
        serde_json::from_str(&run(folder.path(), &asked, 0).0).expect("one document")
    };
    let (one, two) = (document("1"), document("2"));
    for (a, b) in one["strategies"].as_array().unwrap().iter().zip(two["strategies"].as_array().unwrap()) {
        assert_eq!((&a["strategy"], &a["final_regret"]), (&b["strategy"], &b["final_regret"]));
    }
    // Trying all in turn loses (0.6 + 0.3) / 3 a step, but for the two steps beyond whole turns.
    let turns = one["strategies"][2]["regret"].as_f64().unwrap();
    assert_eq!(one["strategies"][2]["strategy"], "explore");
    assert!((turns - (166.0 * 0.9 + 0.9)).abs() < 1e-9, "{turns}");
    // By hand: Σ Δ / kl over 0.2 and 0.5 against 0.8, by ln 500.
    let bound = one["bounds"]["Lai and Robbins, in the long run"].as_f64().unwrap();
    let kl = |p: f64| p * (p / 0.8).ln() + (1.0 - p) * ((1.0 - p) / 0.2).ln();
    assert!((bound - (0.6 / kl(0.2) + 0.3 / kl(0.5)) * 500f64.ln()).abs() < 1e-9, "{bound}");
}

#[test]
fn what_cannot_be_played_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (vec!["play", "frozen-lak"], "frozen-lake"),
        (vec!["play", "cliff", "--agent", "ridge"], "neither acts nor plans"),
        (vec!["play", "cliff", "--agent", "sarsa:alpha=2"], "alpha"),
        (vec!["play", "cart-pole", "--agent", "value-iteration"], "decision process"),
        (vec!["play", "cliff:wet=true"], "wet"),
        (vec!["play", "cliff", "--runs", "0"], "--runs"),
        (vec!["play", "cliff", "--judge", "0"], "--judge"),
        (vec!["play", "bandit-testbet"], "bandit-testbed"),
        (vec!["play", "bandit"], "arms"),
        (vec!["play", "bandit:means=[2]"], "means"),
        (vec!["play", "bandit-testbed", "--agent", "sarsa"], "sarsa"),
        (vec!["play", "bandit-testbed", "--agent", "thompson"], "[0, 1]"),
        (vec!["play", "bandit-testbed", "--agent", "lin-ucb"], "n_features"),
        (vec!["play", "bandit-testbed", "--runs", "0"], "runs"),
        (vec!["play", "bandit-testbed", "--replay", "r.svg"], "--replay"),
    ] {
        let output = mercer(folder.path(), &arguments);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && err.contains(words), "{arguments:?}: {err}");
    }
    let (out, _) = run(folder.path(), &["play", "cliff", "--dry-run"], 0);
    assert!(out.contains("would play cliff"), "{out}");
}
