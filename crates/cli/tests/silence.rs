//! What must not happen in silence: numbers that become text, rounded keys, rows without answers, leaks that nobody looked
//! for, and cells that talk to the terminal.

use std::path::Path;
use std::process::{Command, Output};

fn mercer(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("the binary runs")
}

/// Runs, expects a code, and gives standard output and standard error.
fn run(folder: &Path, arguments: &[&str], code: i32) -> (String, String) {
    let output = mercer(folder, arguments);
    let read = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (read(&output.stdout), read(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "mercer {}\n{out}\n{err}", arguments.join(" "));
    (out, err)
}

fn json(folder: &Path, arguments: &[&str], code: i32) -> serde_json::Value {
    let (out, _) = run(folder, arguments, code);
    let document: serde_json::Value = serde_json::from_str(&out).expect("exactly one document");
    assert_eq!(document["schema_version"], 1);
    document
}

/// A folder with a file of `n` lines under a header.
fn with_file(name: &str, header: &str, n: usize, row: impl Fn(usize) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    add_file(folder.path(), name, header, n, row);
    folder
}

fn add_file(folder: &Path, name: &str, header: &str, n: usize, row: impl Fn(usize) -> String) {
    let rows: String = (0..n).map(|i| row(i) + "\n").collect();
    std::fs::write(folder.join(name), format!("{header}\n{rows}")).expect("written");
}

fn features(folder: &Path, model: &str) -> Vec<(String, String)> {
    let header = json(folder, &["inspect", model, "--json"], 0);
    let one = |f: &serde_json::Value| {
        (
            f["name"].as_str().unwrap_or_default().to_owned(),
            f["kind"].as_str().unwrap_or_default().to_lowercase(),
        )
    };
    header["schema"]["features"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn numbers_survive_tokens_and_commas_and_fit_uses_them() {
    let row = |i: usize| {
        let x = if i % 9 == 4 { "?".to_owned() } else { format!("{},5", i * i % 71) };
        format!("{x};{};{}", i % 5, 2 * (i * i % 71))
    };
    let folder = with_file("d.csv", "x;z;y", 90, row);
    let here = folder.path();
    for command in [
        &["fit", "d.csv", "-t", "y", "-m", "ridge", "-o", "m.mercer"][..],
        &["compare", "d.csv", "-t", "y", "--models", "ridge"],
    ] {
        let (_, err) = run(here, command, 0);
        assert!(err.contains("`x`: 10 fields `?` are taken as missing, the first on line 6"), "{err}");
        assert!(err.contains("decimal commas"), "{err}");
    }
    assert!(features(here, "m.mercer").contains(&("x".to_owned(), "numeric".to_owned())));
    // A new file whose column would read otherwise keeps the model's kind; a value that cannot be is named.
    std::fs::write(here.join("one.csv"), "x;z\n-;1\n").unwrap();
    run(here, &["predict", "m.mercer", "one.csv"], 0);
    std::fs::write(here.join("bad.csv"), "x;z\n1;1\nlow;2\n").unwrap();
    let (_, err) = run(here, &["predict", "m.mercer", "bad.csv"], 3);
    assert!(err.contains("line 3") && err.contains("`low` of `x` is no number"), "{err}");
}

#[test]
fn flags_say_how_fields_are_read_and_are_refused_where_they_mean_nothing() {
    let folder = with_file("d.csv", "x,k,y", 60, |i| {
        let x = if i % 6 == 0 { "-999".to_owned() } else { format!("{i}.5") };
        format!("{x},{},{}", i % 3, i % 2)
    });
    let here = folder.path();
    let look =
        |more: &[&str]| json(here, &[&["look", "d.csv", "--json"], more].concat(), 0)["columns"].clone();
    assert_eq!(look(&["--na", "-999"])[0]["missing"], 10);
    add_file(here, "q.csv", "x", 20, |i| if i == 3 { "?".to_owned() } else { i.to_string() });
    let notes = json(here, &["look", "q.csv", "--json"], 0)["columns"][0]["notes"].to_string();
    assert!(notes.contains("1 field `?` is taken as missing, the first on line 5"), "{notes}");
    let kinds = look(&["--kind", "k=categorical", "--kind", "y=text"]);
    assert_eq!((&kinds[1]["kind"], &kinds[2]["kind"]), (&"categorical".into(), &"text".into()));
    assert_eq!(look(&["--kind", "k=categorical,y=text"]), kinds);
    let (_, err) = run(here, &["look", "d.csv", "--kind", "k=number"], 2);
    assert!(err.contains("--kind wants"), "{err}");
    run(here, &["look", "d.csv", "--decimal", "x"], 2);
    run(here, &["look", "d.csv", "--kind", "nowhere=text"], 3);
    let (_, err) = run(here, &["look", "moons", "--na", "0"], 2);
    assert!(err.contains("left alone"), "{err}");
}

#[test]
fn keys_are_not_rounded_and_are_told_with_the_flag_that_drops_them() {
    let row = |i: usize| {
        format!("{},{i},{},{:04},{}.5,{}", 9_007_199_254_740_993 + i, 7000 - 3 * i, i % 50, i % 7, i % 2)
    };
    let folder = with_file("d.csv", "big,index,id,zip,x,y", 60, row);
    let here = folder.path();
    for command in
        [&["fit", "d.csv", "-t", "y", "-m", "tree"][..], &["compare", "d.csv", "-t", "y", "--models", "tree"]]
    {
        let (_, err) = run(here, command, 0);
        for says in [
            "`index` counts the rows: --drop index",
            "`id` looks like an identifier: --drop id",
            "`zip`: numbers with leading zeros: an identifier? Read it as categorical to keep them (--kind zip=KIND or --drop zip)",
            "`big`: whole numbers beyond 2^53, such as `9007199254740993` on line 2",
            "left out `big`",
        ] {
            assert!(err.contains(says), "{says}: {err}");
        }
    }
    // Rows that are left out do not hide a counter.
    add_file(here, "gaps.csv", "row no,x,y", 60, |i| {
        format!("{},{}.5,{}", i + 1, i % 7, ["a", "b", ""][i % 3])
    });
    let (_, err) = run(here, &["fit", "gaps.csv", "-t", "y", "-m", "tree", "--valid", "gaps.csv"], 0);
    assert_eq!(err.matches("`row no` counts the rows: --drop 'row no' leaves it out").count(), 1, "{err}");
    let (_, err) = run(here, &["fit", "d.csv", "-t", "y", "-m", "tree", "--drop", "index,id,zip,big"], 0);
    assert!(!err.contains("note:"), "{err}");
}

#[test]
fn predict_counts_unseen_levels_and_follows_the_ending() {
    let folder = with_file("d.csv", "c,x,y", 40, |i| format!("{},{i},{}", ["a", "b"][i % 2], i % 2));
    let here = folder.path();
    run(here, &["fit", "d.csv", "-t", "y", "-m", "tree", "-o", "m.mercer"], 0);
    std::fs::write(here.join("new.csv"), "c,x\na,1\nz,2\nq,3\nz,4\n").unwrap();
    let (out, err) = run(here, &["predict", "m.mercer", "new.csv"], 0);
    assert_eq!(out.lines().count(), 5);
    assert!(err.contains("3 values of `c` were not seen in training, the first is `z`"), "{err}");
    run(here, &["predict", "m.mercer", "new.csv", "-o", "p.jsonl"], 0);
    let lines = std::fs::read_to_string(here.join("p.jsonl")).unwrap();
    assert!(lines.lines().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()), "{lines}");
    run(here, &["predict", "m.mercer", "new.csv", "-o", "p.parquet"], 0);
    assert_eq!(&std::fs::read(here.join("p.parquet")).unwrap()[..4], b"PAR1");
    for wrong in [&["-o", "p.xlsx"][..], &["-o", "p.csv", "--format", "jsonl"]] {
        run(here, &[&["predict", "m.mercer", "new.csv"], wrong].concat(), 2);
    }
    let document = json(here, &["predict", "m.mercer", "new.csv", "--json"], 0);
    assert_eq!(document["predictions"].as_array().unwrap().len(), 4);
    assert_eq!(document["unseen"][0]["count"], 3);
    let document = json(here, &["predict", "m.mercer", "new.csv", "--json", "-o", "p.csv"], 0);
    assert_eq!((&document["output"], &document["n_rows"]), (&"p.csv".into(), &4.into()));
}

#[test]
fn json_is_one_document_however_a_command_ends() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run(here, &["fit", "iris", "-t", "species", "-m", "tree", "-o", "m.mercer"], 0);
    let gate = json(here, &["evaluate", "m.mercer", "iris", "--json", "--fail-under", "accuracy=2"], 4);
    assert!(gate["metrics"]["accuracy"]["value"].is_number());
    let strict =
        ["fit", "digits", "-t", "digit", "-m", "logistic:max_iter=1,solver=lbfgs", "--strict", "--json"];
    json(here, &strict, 6);
    assert_eq!(json(here, &["fit", "--json"], 2)["error"]["code"], 2);
    for dry in [
        &["fit", "iris", "-t", "species", "-m", "tree"][..],
        &["compare", "iris", "-t", "species"],
        &["tune", "iris", "-t", "species", "-m", "tree"],
    ] {
        assert!(json(here, &[dry, &["--dry-run", "--json"]].concat(), 0)["would"].is_string());
    }
    json(here, &["completions", "bash", "--json"], 2);
    json(here, &["explain", "m.mercer", "iris", "--json"], 0);
}

#[test]
fn one_class_is_refused_and_rows_without_a_target_are_counted() {
    let folder = with_file("one.csv", "x,y", 30, |i| format!("{i}.5,a"));
    let here = folder.path();
    add_file(here, "some.csv", "x,y", 30, |i| format!("{i}.5,{}", ["a", "b", ""][i % 3]));
    let commands = [
        &["fit", "-m", "tree"][..],
        &["compare", "--models", "tree"],
        &["tune", "-m", "tree", "--trials", "2"],
        &["fit", "-m", "logistic", "--stream"],
    ];
    for command in commands {
        let (_, err) = run(here, &[&[command[0], "one.csv", "-t", "y"], &command[1..]].concat(), 3);
        assert!(err.contains("`y` has one class only, `a`"), "{command:?}: {err}");
        let (_, err) = run(here, &[&[command[0], "some.csv", "-t", "y"], &command[1..]].concat(), 0);
        assert!(err.contains("10 ") && err.contains("left out"), "{command:?}: {err}");
    }
    run(here, &["fit", "some.csv", "-t", "y", "-m", "tree", "-o", "m.mercer"], 0);
    let document = json(here, &["evaluate", "m.mercer", "some.csv", "--json"], 0);
    assert_eq!(document["n_rows"], 20);
    assert!(document["notes"][0].as_str().unwrap().contains("10 of 30 rows"), "{document}");
}

#[test]
fn control_characters_of_cells_do_not_reach_the_terminal() {
    let folder = with_file("d.csv", "a\u{1b}[2Jb,c\u{9b}d,y", 20, |i| {
        format!("x\u{1b}]0;evil\u{7}{},{i}.5,{}", i % 2, i % 2)
    });
    let here = folder.path();
    let quiet = |text: &str| text.chars().all(|c| !c.is_control() || c == '\n');
    let bad = ["look", "d.csv", "--kind", "a\u{1b}[2Jb=numeric"];
    for (command, code) in [
        (&["look", "d.csv"][..], 0),
        (&["fit", "d.csv", "-t", "y", "-m", "tree"], 0),
        (&bad, 3),
        (&["look", "d.csv", "--json"], 0),
    ] {
        let (out, err) = run(here, command, code);
        assert!(quiet(&out) && quiet(&err), "{command:?}: {out:?} {err:?}");
        assert!(format!("{out}{err}").contains("\\u001b") || command[0] == "fit", "{out}{err}");
    }
    let document = json(here, &["look", "d.csv", "--json"], 0);
    assert_eq!(document["columns"][1]["name"], "c\u{9b}d", "the document says what is there");
}

#[test]
fn every_target_is_checked_for_leaks_and_a_report_needs_a_name_of_its_own() {
    let folder = with_file("d.csv", "x,twin,a,b", 60, |i| {
        format!("{}.5,{},{}.25,{}.75", i * 7 % 11, (i % 9) * 2, i * i % 37, i % 9)
    });
    let here = folder.path();
    let compare = ["compare", "d.csv", "-t", "a,b", "--models", "ridge"];
    run(here, &[&compare[..], &["--report", "r.html"]].concat(), 0);
    let twin: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(here.join("r.json")).unwrap()).unwrap();
    let checks = twin["checks"].to_string();
    assert!(checks.contains("`twin`") && checks.contains("`b`") && !checks.contains("no leaks"), "{checks}");
    let (out, _) = run(here, &["look", "d.csv", "-t", "a,b"], 0);
    assert!(out.contains("leak: `twin`") && out.contains("`b`"), "{out}");
    for command in [&compare[..], &["fit", "d.csv", "-t", "a", "-m", "ridge"]] {
        let (_, err) = run(here, &[command, &["--report", "x.json"]].concat(), 2);
        assert!(err.contains("JSON twin would be one file") && !here.join("x.json").exists(), "{err}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_is_not_out_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let models = "tree;forest:n_estimators=100000;tree:max_depth=3";
    let child = Command::new(env!("CARGO_BIN_EXE_mercer"))
        .args(["compare", "digits", "-t", "digit", "--models", models])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    std::thread::sleep(std::time::Duration::from_secs(4));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("interrupted") && !err.contains("out of time"), "{err}");
}
