//! Clusters from outside: tables with categories, how many clusters there are, and what reports show of them.

use std::path::Path;
use std::process::Command;

fn run(folder: &Path, arguments: &[&str], code: i32) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    let output =
        command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("the binary runs");
    let read = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (read(&output.stdout), read(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "mercer {}\n{out}\n{err}", arguments.join(" "));
    (out, err)
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&run(folder, arguments, 0).0).expect("exactly one document")
}

#[test]
fn a_mixed_table_is_clustered_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let arguments = [
        "fit",
        "penguins",
        "--drop",
        "species",
        "-m",
        "kprototypes:n_clusters=3",
        "-o",
        "k.mercer",
        "--report",
        "k.html",
    ];
    let (out, err) = run(here, &arguments, 0);
    assert!(out.contains("3 clusters of") && !err.contains("one-hot"), "{out}\n{err}");
    let (out, _) = run(here, &["predict", "k.mercer", "penguins"], 0);
    assert_eq!(out.lines().count(), 345);
    let page = std::fs::read_to_string(here.join("k.html")).unwrap();
    for part in ["gap statistic", "stability", "Clusters in words"] {
        assert!(page.contains(part), "{part}");
    }
    let (out, _) =
        run(here, &["fit", "penguins", "--keep", "island,sex,species", "-m", "kmodes:n_clusters=3"], 0);
    assert!(out.contains("3 clusters of"), "{out}");
}

#[test]
fn the_number_of_clusters_is_found_without_a_target() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let points: Vec<String> = (0..90)
        .map(|i| {
            let (x, y) = [(0.0, 0.0), (9.0, 0.0), (0.0, 9.0)][i % 3];
            format!("{},{}", x + (i as f64 * 0.7).sin(), y + (i as f64 * 1.3).cos())
        })
        .collect();
    std::fs::write(here.join("three.csv"), format!("a,b\n{}\n", points.join("\n"))).unwrap();
    let arguments =
        ["tune", "three.csv", "-m", "kmeans", "--clusters", "1..6", "-o", "k.mercer", "--seed", "1"];
    let (out, _) = run(here, &arguments, 0);
    for part in [
        "how many clusters?",
        "mean silhouette",
        "gap statistic",
        "stability",
        "3 clusters by the mean silhouette",
        "wrote k.mercer",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (out, _) = run(here, &["predict", "k.mercer", "three.csv"], 0);
    let labels: std::collections::BTreeSet<&str> = out.lines().skip(1).collect();
    assert_eq!(labels.len(), 3);
    let found =
        json(here, &["tune", "three.csv", "-m", "gmm", "--clusters", "2,3,4", "--metric", "gap", "--json"]);
    assert_eq!((&found["decided_by"], &found["chosen"]), (&"gap".into(), &3.into()), "{found}");
    let names: Vec<&str> =
        found["criteria"].as_array().unwrap().iter().filter_map(|c| c["name"].as_str()).collect();
    assert!(names.contains(&"bic") && names.contains(&"aic") && names.contains(&"silhouette"), "{names:?}");
}

#[test]
fn what_has_no_meaning_without_a_target_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let refused = |more: &[&str]| {
        let arguments: Vec<&str> =
            ["tune", "iris", "--drop", "species"].iter().chain(more).copied().collect();
        run(here, &arguments, 2).1
    };
    assert!(refused(&["-m", "kmeans", "--space", "n_clusters=[2,3]"]).contains("--clusters"));
    for counts in ["0..3", "5..2", "x", "1,,2"] {
        assert!(refused(&["-m", "kmeans", "--clusters", counts]).contains("--clusters"), "{counts}");
    }
    assert!(refused(&["-m", "logistic"]).contains("target"));
    assert!(refused(&["-m", "dbscan"]).contains("how many clusters"));
}

#[test]
fn reports_show_hierarchies_and_components() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let arguments =
        |model: &'static str| ["fit", "iris", "--drop", "species", "-m", model, "--report", "r.html"];
    run(here, &arguments("hierarchical:n_clusters=3"), 0);
    let page = std::fs::read_to_string(here.join("r.html")).unwrap();
    assert!(page.contains("Dendrogram") && page.contains("cut at"));
    run(here, &arguments("gmm:n_components=3"), 0);
    let page = std::fs::read_to_string(here.join("r.html")).unwrap();
    for part in ["Components", "BIC by number of clusters", "two standard deviations"] {
        assert!(page.contains(part), "{part}");
    }
    // The component that stands apart has the mean of setosa: 5.006 in sepal length.
    assert!(page.contains("5.006"), "means in the units of the data");
}
