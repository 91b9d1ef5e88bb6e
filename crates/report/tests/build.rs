//! What the builder puts into reports: everything once, and nothing that it was not told.

use mercer_assess::{Candidate, DummyClassifier, compare, folds};
use mercer_core::{Dataset, Fit, Session, Table, Target};
use mercer_data::{ColumnProfile, bundled, profile};
use mercer_measure::Metric;
use mercer_report::{Evaluation, Level, ProfiledTable, ReportBuilder};
use mercer_trees::DecisionTreeClassifier;

/// Two columns of numbers and the species of penguins without gaps.
fn penguins() -> (Table<'static>, Table<'static>) {
    let table = bundled("penguins").unwrap();
    let whole: Vec<usize> = (0..table.n_rows())
        .filter(|&i| table.columns().iter().all(|column| column.text(i).is_some()))
        .collect();
    let table = table.gather(&whole);
    let features = table.select(&["bill_length_mm", "bill_depth_mm"]).unwrap();
    (table, features)
}

fn dataset(table: &Table<'static>, features: &Table<'static>) -> Dataset<'static> {
    let species = Target::from_column("species", table.column("species").unwrap(), true).unwrap();
    Dataset::new(features).with_target(species).unwrap()
}

/// A profile that no table has: only who is handed it can show it.
fn marked(table: &Table<'_>) -> Vec<ColumnProfile> {
    let mark = |p: ColumnProfile| ColumnProfile { n_distinct: 987_654, constant: true, ..p };
    profile(table).into_iter().map(mark).collect()
}

#[test]
fn a_table_is_profiled_by_who_read_it_and_never_again() {
    let ((table, features), session) = (penguins(), Session::default());
    let (data, marked) = (dataset(&table, &features), marked(&table));
    let names = features.names();
    let builder = ReportBuilder {
        title: Some("birds"),
        source: "penguins",
        command: "",
        table: Some(ProfiledTable { table: &table, profile: &marked, features: names }),
        session: &session,
    };
    let tree = DecisionTreeClassifier::default().fit(&data).unwrap();
    let report = builder.of_model(tree.as_model(), Some(&data), Evaluation::GivenRows, None).unwrap();
    assert_eq!((report.title.as_str(), report.profile.len()), ("birds", 8));
    assert!(report.profile.iter().all(|p| p.unique == 987_654));
    assert!(report.multiclass.is_some() && report.facts.iter().any(|(name, _)| name == "accuracy"));

    let metric = Metric::by_name("log_loss").unwrap();
    let candidate =
        |label: &str, is_baseline, learner| Candidate { label: label.to_owned(), learner, is_baseline };
    let candidates = vec![
        candidate("baseline", true, Box::<DummyClassifier>::default()),
        candidate("tree", false, Box::<DecisionTreeClassifier>::default()),
    ];
    let splits = folds(&data, 3, 0).unwrap();
    let result = compare(candidates, &data, &splits, &[metric], &session).unwrap();
    let report = builder.of_comparison(&result, &data, 3).unwrap();
    let constant: Vec<&str> =
        report.checks.iter().filter(|c| c.code == "K002").map(|c| c.message.as_str()).collect();
    assert_eq!(constant, names.iter().map(|n| format!("column `{n}` is constant")).collect::<Vec<_>>());
    assert_eq!(report.leaderboard.map(|l| l.rows.len()), Some(2));
    assert!(report.checks.iter().all(|c| c.level != Level::Passed) && report.facts.is_empty());
}

#[test]
fn a_model_without_rows_has_a_report_that_is_written_whole() {
    let ((table, features), session) = (penguins(), Session::default());
    let data = dataset(&table, &features);
    let tree = DecisionTreeClassifier::default().fit(&data).unwrap();
    let builder = ReportBuilder { title: None, source: "", command: "tree", table: None, session: &session };
    let report = builder.of_model(tree.as_model(), None, Evaluation::GivenRows, Some(0.25)).unwrap();
    assert!(report.verdict.contains("fitted in 0.2"), "{}", report.verdict);
    assert!(report.multiclass.is_none() && report.importance.is_empty() && report.explanations.is_empty());
    assert!(!report.certificates.is_empty() && !report.pipeline.is_empty());
    let folder = tempfile::tempdir().unwrap();
    let paths = report.save(&folder.path().join("tree.html")).unwrap();
    assert!(paths.iter().all(|p| p.is_file()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside the two files");
    let refused = report.save(&folder.path().join("nowhere").join("tree.html")).unwrap_err();
    assert!(refused.to_string().contains("nowhere"), "{refused}");
}

#[test]
fn a_leak_check_that_cannot_be_made_is_said() {
    let ((table, features), session) = (penguins(), Session::default());
    let species = Target::from_column("species", table.column("species").unwrap(), true).unwrap();
    // The target has a name that the table does not know: nothing can be claimed about it.
    let data = Dataset::new(&features).with_target(species.named(&["renamed"])).unwrap();
    let known = profile(&table);
    let builder = ReportBuilder {
        title: None,
        source: "penguins",
        command: "",
        table: Some(ProfiledTable { table: &table, profile: &known, features: features.names() }),
        session: &session,
    };
    let learner = Box::<DecisionTreeClassifier>::default();
    let candidates = vec![Candidate { label: "tree".to_owned(), learner, is_baseline: false }];
    let splits = folds(&data, 3, 0).unwrap();
    let result =
        compare(candidates, &data, &splits, &[Metric::by_name("accuracy").unwrap()], &session).unwrap();
    let report = builder.of_comparison(&result, &data, 3).unwrap();
    let said = |text: &str| report.checks.iter().any(|c| c.message.contains(text));
    assert!(said("`renamed` away could not be checked") && !said("no leaks"), "{:?}", report.checks);
    let error = report.save(&std::env::temp_dir().join("mercer-page.json")).unwrap_err().to_string();
    assert!(error.contains("JSON twin would be one file"), "{error}");
}

#[test]
fn missing_labels_are_an_error_with_their_row_while_scoring() {
    let ((table, features), session) = (penguins(), Session::default());
    let data = dataset(&table, &features);
    let tree = DecisionTreeClassifier::default().fit(&data).unwrap();
    let target = data.target().unwrap();
    let (codes, labels) = target.class().unwrap();
    let mut gap = codes.to_vec();
    gap[5] = u32::MAX;
    let rows = Dataset::new(&features).with_target(Target::coded(gap, labels.clone())).unwrap();
    let error = mercer_assess::Answers::of(tree.as_model(), &rows, &session).unwrap_err().to_string();
    assert!(error.contains("a missing label") && error.contains("row 5"), "{error}");
}
