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

/// The policy of the strategy that lost least is saved, and chooses an arm for each context.
#[test]
fn the_policy_of_a_bandit_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let arms = "bandit-linear:weights=[[1,0],[0,1]],deviation=0.1";
    let arguments = ["play", arms, "--agent", "lin-ucb:alpha=0.5", "--runs", "5", "-o", "p.mercer"];
    let (_, err) = run(folder.path(), &arguments, 0);
    assert!(err.contains("wrote p.mercer"), "{err}");
    std::fs::write(folder.path().join("x.csv"), "x0,x1\n0.9,-0.3\n-0.2,0.5\n").unwrap();
    let (out, _) = run(folder.path(), &["predict", "p.mercer", "x.csv"], 0);
    assert_eq!(out.lines().collect::<Vec<_>>(), ["action", "0", "1"]);
    let agents = "contextual-bandit:strategy='ucb1:scale=1e4',steps=2000";
    let reported =
        ["play", "frozen-lake", "--agent", agents, "--runs", "2", "--report", "r.html", "-o", "l.mercer"];
    run(folder.path(), &reported, 0);
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

/// Python's `play` is held to the same numbers by its own tests, which read this file; the command of the first line wrote it:
/// `mercer play frozen-lake --agent q-learning:steps=20000,value-iteration --runs 5 --judge 50 --seed 3 --json`.
#[test]
fn runs_are_those_of_python() {
    let folder = tempfile::tempdir().unwrap();
    let agents = "q-learning:steps=20000,value-iteration";
    let arguments =
        ["play", "frozen-lake", "--agent", agents, "--runs", "5", "--judge", "50", "--seed", "3", "--json"];
    let (text, _) = run(folder.path(), &arguments, 0);
    let mut found: serde_json::Value = serde_json::from_str(&text).expect("one document");
    found["agents"].as_array_mut().unwrap().iter_mut().for_each(|agent| {
        agent.as_object_mut().unwrap().remove("seconds");
    });
    found.as_object_mut().unwrap().remove("schema_version");
    let known = include_str!("../../python/tests/reference/play.json");
    assert_eq!(found, serde_json::from_str::<serde_json::Value>(known).unwrap());
}

/// A fitted agent or planner is shown as `play` shows it: where states lie on a grid, whichever way textbooks count, as maps.
#[test]
fn reports_of_agents_and_planners_show_maps_and_curves() {
    let folder = tempfile::tempdir().unwrap();
    let report = |world: &str, agent: &str| -> (String, serde_json::Value) {
        run(folder.path(), &["fit", world, "-m", agent, "--report", "r.html"], 0);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        (read("r.html"), serde_json::from_str(&read("r.json")).unwrap())
    };
    let (page, twin) = report("cliff", "q-learning:alpha=0.5,discount=1,steps=20000");
    let shown = ["Return while learning", "Value map", "Policy map"];
    assert!(shown.iter().all(|title| page.contains(title)));
    assert!(twin["verdict"].as_str().unwrap().contains("1050 episodes in "), "{}", twin["verdict"]);
    let grid = &twin["policy"]["grid"];
    assert_eq!((&grid["n_columns"], &grid["moves"][36]), (&12.into(), &serde_json::json!([0.0, 1.0])));
    // Rows of the environments count downwards, the second number of these processes upwards; (2,2) of the latter is a wall.
    for (world, width, cells) in
        [("windy", 10, 70), ("grid4x4", 4, 16), ("grid5x5", 5, 25), ("gridworld", 4, 12)]
    {
        let (page, twin) = report(world, "value-iteration");
        let grid = &twin["policy"]["grid"];
        assert_eq!(grid["n_columns"], width, "{world}");
        assert_eq!(grid["values"].as_array().unwrap().len(), cells, "{world}");
        assert!(page.contains("Policy map") && !page.contains("Return while learning"), "{world}");
        match world {
            // Beside the corner on the upper left, which ends an episode.
            "grid4x4" => {
                assert_eq!((&grid["values"][0], &grid["values"][1]), (&"nan".into(), &(-1.0).into()));
                assert_eq!(grid["moves"][1], serde_json::json!([-1.0, 0.0]));
            }
            // The exits of Russell and Norvig are in the right column, 1 above -1, and left of the upper one one goes right.
            "gridworld" => {
                let value = |cell: usize| grid["values"][cell].as_f64().unwrap();
                assert!((value(3) - 1.0).abs() < 1e-6 && (value(7) + 1.0).abs() < 1e-6);
                assert_eq!(
                    (&grid["values"][5], &grid["moves"][2]),
                    (&"nan".into(), &serde_json::json!([1.0, 0.0]))
                );
            }
            _ => {}
        }
    }
    let (page, _) = report("taxi", "q-learning:steps=20000");
    assert!(page.contains("Value and action by state") && page.contains("Return while learning"));
    let (page, _) = report("cart-pole", "actor-critic:steps=3000");
    assert!(page.contains("Return while learning") && !page.contains("Value map"));
    // Who judges a policy has values and no moves; who draws by preferences has moves and no values.
    let (page, twin) = report("frozen-lake", "td-prediction:steps=5000");
    assert!(page.contains("Value map") && !page.contains("Policy map"));
    assert_eq!(twin["policy"]["grid"]["moves"], serde_json::json!([]));
    let (page, _) = report("frozen-lake", "reinforce:steps=5000");
    assert!(!page.contains("Value map") && page.contains("Policy map") && !page.contains("no data"));
}
