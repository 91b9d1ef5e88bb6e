//! Properties of the page and of its JSON twin.

use mercer_plot::{Bar, Dendrogram, HeatMap, LineChart, Series};
use mercer_report::{
    Binary, CalibrationBin, CertificateView, Chain, Chains, Check, ClassRow, Clusters, ColumnProfile,
    Component, CountCriterion, Curve, ErrorKind, Evidence, GridPolicy, Importance, LeaderRow, Leaderboard,
    Level, Multiclass, Policy, Regression, Report, Reproducibility, Section, StateRow, Step, Table,
};

/// A report in which every text is `name` and every number is `value`.
fn full(name: &str, value: f64) -> Report {
    let n = || name.to_string();
    let interval = Some((value, value));
    Report {
        title: n(),
        verdict: n(),
        task: n(),
        facts: vec![(n(), n())],
        leaderboard: Some(Leaderboard {
            metric: n(),
            method: n(),
            rows: leaders(name, value),
            greater_is_better: true,
        }),
        checks: [Level::Passed, Level::Note, Level::Warning, Level::Issue]
            .map(|level| Check { code: n(), level, message: n(), help: n() })
            .to_vec(),
        sections: vec![section(name, value)],
        explanations: vec![section(name, value)],
        importance: vec![Importance {
            model: n(),
            method: n(),
            rows: vec![Bar { name: n(), value, interval }],
        }],
        profile: vec![ColumnProfile {
            name: n(),
            kind: n(),
            missing: 1,
            unique: 2,
            summary: n(),
            histogram: vec![value, 1.0],
        }],
        pipeline: vec![Step { name: n(), summary: n(), parameters: vec![(n(), n())] }],
        certificates: vec![CertificateView {
            model: n(),
            termination: n(),
            converged: false,
            iterations: Some(3),
            objective: Some(value),
            evidence: vec![Evidence { name: n(), value, meaning: n() }],
            notes: vec![n()],
        }],
        reproducibility: Reproducibility {
            command: n(),
            version: n(),
            data_hash: n(),
            data_name: n(),
            created: Some(n()),
            ..Reproducibility::default()
        },
        ..tasks(name, value)
    }
}

/// The supervised tasks, over the others.
fn tasks(name: &str, value: f64) -> Report {
    let n = || name.to_string();
    let interval = Some((value, value));
    let curve =
        || Curve { name: n(), points: vec![(0.0, 0.0), (value, value), (1.0, 1.0)], area: Some(value) };
    Report {
        binary: Some(Binary {
            positive: n(),
            negative: n(),
            roc: vec![curve(), curve()],
            precision_recall: vec![curve()],
            break_even: Some(value),
            positive_share: Some(value),
            calibration: vec![CalibrationBin { predicted: value, observed: value, interval, count: 3 }],
            thresholds: Binary::count_thresholds(&[true, false, true], &[value, 0.3, 0.7]),
            threshold: value,
        }),
        multiclass: Some(Multiclass {
            classes: vec![n(), n()],
            confusion: vec![vec![5, 2], vec![u64::MAX, 3]],
            per_class: vec![ClassRow { class: n(), precision: value, recall: value, f1: value, support: 7 }],
            roc: vec![curve()],
        }),
        regression: Some(Regression {
            target: n(),
            actual: vec![value, 1.0, 2.0],
            predicted: vec![1.0, value, 2.5],
            coverage: vec![(0.9, value)],
        }),
        ..more_tasks(name, value)
    }
}

/// Clusters, chains and policies.
fn more_tasks(name: &str, value: f64) -> Report {
    let n = || name.to_string();
    let interval = Some((value, value));
    Report {
        clusters: Some(Clusters {
            names: vec![n()],
            map: vec![(value, 1.0), (1.0, 2.0)],
            assignments: vec![None, Some(usize::MAX)],
            map_axes: (n(), n()),
            sizes: vec![3],
            silhouette: vec![value],
            outlines: vec![vec![(value, 1.0), (1.0, 2.0), (2.0, value)]],
            components: vec![Component { name: n(), share: value, features: vec![(n(), (value, 1.0))] }],
            choice: vec![CountCriterion {
                name: n(),
                points: vec![(2.0, value)],
                errors: vec![value],
                chosen: Some(u64::MAX),
                rule: n(),
            }],
            mergers: Some(Dendrogram {
                leaves: vec![n()],
                mergers: vec![(0, 1)],
                heights: vec![value],
                ..Dendrogram::default()
            }),
            profiles: vec![n()],
        }),
        chains: Some(Chains {
            parameters: vec![Chain {
                name: n(),
                traces: vec![vec![value, 1.0]],
                ranks: vec![vec![u64::MAX / 4, 0], vec![]],
                mean: value,
                interval,
                r_hat: value,
                ess: value,
            }],
            divergences: Some(1),
            every: usize::MAX,
        }),
        policy: Some(Policy {
            grid: Some(GridPolicy {
                n_columns: 2,
                values: vec![value, 1.0, -1.0],
                moves: vec![Some((value, 1.0)), None],
            }),
            states: vec![StateRow { state: n(), value, action: n() }],
        }),
        ..Report::default()
    }
}

fn leaders(name: &str, value: f64) -> Vec<LeaderRow> {
    let row = LeaderRow {
        rank: 1,
        model: name.into(),
        score: value,
        interval: Some((value, value)),
        extra: vec![(name.into(), value)],
        fit_seconds: Some(value),
        predict_row_seconds: Some(value),
        size_bytes: Some(1),
        note: name.into(),
        is_baseline: false,
    };
    vec![row.clone(), LeaderRow { is_baseline: true, ..row }]
}

fn section(name: &str, value: f64) -> Section {
    let chart = LineChart {
        title: name.into(),
        series: vec![Series::new(name, vec![(value, 1.0)])],
        ..LineChart::default()
    };
    let heat = HeatMap { values: vec![vec![value]], ..HeatMap::default() };
    let table = Table {
        caption: name.into(),
        columns: vec![name.into()],
        rows: vec![vec![name.into(), name.into()], vec![]],
    };
    Section {
        title: name.into(),
        text: name.into(),
        charts: vec![chart.into(), heat.into()],
        tables: vec![table],
    }
}

/// Tags of HTML that must balance; void and optional ones are left out.
fn check_balanced(html: &str) {
    for tag in [
        "section",
        "table",
        "tr",
        "td",
        "figure",
        "figcaption",
        "svg",
        "g",
        "text",
        "title",
        "div",
        "p",
        "ul",
        "ol",
        "dl",
        "nav",
        "main",
        "header",
        "script",
        "style",
        "details",
        "span",
        "code",
    ] {
        let opened = html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        let closed = html.matches(&format!("</{tag}>")).count();
        // `<svg .../>` does not occur, but groups may be empty.
        assert_eq!(opened, closed, "<{tag}>");
    }
}

#[test]
fn hostile_names_are_escaped() {
    let hostile = "<script>alert(1)</script>\"'&</style></svg><img src=x onerror=alert(2)>\u{0}";
    let html = full(hostile, 0.5).to_html().unwrap();
    assert!(!html.contains("<script>alert") && !html.contains("<img") && !html.contains("alert(2)>"));
    assert_eq!(html.matches("<script").count(), 2, "the page's own script and the threshold table");
    check_balanced(&html);
}

#[test]
fn nothing_is_loaded_from_outside() {
    let html = full("x", 0.5).to_html().unwrap();
    for part in html.split("http").skip(1) {
        assert!(
            part.starts_with("://www.w3.org/2000/svg\"") || part.starts_with("-equiv="),
            "http{part:.40}"
        );
    }
    assert!(!html.contains("url(") && !html.contains("@import") && !html.contains(" src="));
}

#[test]
fn an_empty_report_is_a_page() {
    let html = Report::default().to_html().unwrap();
    assert!(html.contains("<h1>Report</h1>") && html.contains("This report is empty"));
    check_balanced(&html);
    assert!(html.len() < 20_000, "{}", html.len());
}

#[test]
fn any_number_is_survived() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 0.0, -0.0, 1.0] {
        let report = full("x", value);
        let html = report.to_html().unwrap();
        check_balanced(&html);
        assert!(!html.contains("NaN") && !html.contains(">inf"), "{value}");
        let back = Report::from_json(&report.to_json().unwrap()).unwrap();
        // Debug, since NaN is not equal to itself.
        assert_eq!(format!("{back:?}"), format!("{report:?}"));
    }
}

#[test]
fn the_order_is_that_of_the_interface() {
    let html = full("x", 0.5).to_html().unwrap();
    let ids = [
        "leaderboard",
        "checks",
        "plots",
        "explanations",
        "data",
        "pipeline",
        "certificate",
        "reproducibility",
    ];
    let places: Vec<usize> =
        ids.iter().map(|id| html.find(&format!("<section id=\"{id}\"")).unwrap()).collect();
    assert!(html.find("class=\"verdict\"").unwrap() < places[0]);
    assert!(places.windows(2).all(|w| w[0] < w[1]), "{places:?}");
    for id in ids {
        assert!(html.contains(&format!("href=\"#{id}\"")));
    }
}

#[test]
fn every_figure_offers_its_data() {
    let html = full("x", 0.5).to_html().unwrap();
    let figures = html.matches("<figure>").count();
    assert!(figures > 15);
    assert_eq!(html.matches("href=\"data:text/csv").count(), figures + 1, "one for the threshold table");
}

#[test]
fn large_reports_stay_small() {
    let n = 200_000;
    let wave = |k: f64| -> Vec<f64> { (0..n).map(|i| (f64::from(i) * k).sin()).collect() };
    let points: Vec<(f64, f64)> =
        (0..n).map(|i| (f64::from(i) / f64::from(n), f64::from(i) / f64::from(n))).collect();
    let mut report = full("x", 0.5);
    report.regression =
        Some(Regression { actual: wave(0.1), predicted: wave(0.11), ..Regression::default() });
    report.binary = Some(Binary { roc: vec![Curve { points, ..Curve::default() }], ..Binary::default() });
    let classes = vec!["a class".to_string(); 50];
    report.multiclass =
        Some(Multiclass { classes, confusion: vec![vec![3; 50]; 50], ..Multiclass::default() });
    report.profile = vec![ColumnProfile { histogram: vec![1.0; 12], ..ColumnProfile::default() }; 3000];
    let html = report.to_html().unwrap();
    assert!(html.len() < 2_000_000, "{}", html.len());
    assert!(html.contains("2500 more rows not shown"));
}

#[test]
fn unknown_versions_are_refused() {
    let json = Report::default().to_json().unwrap();
    assert!(json.starts_with("{\"schema_version\":1,\"kind\":\"mercer.report\""));
    let error =
        Report::from_json(&json.replace("\"schema_version\":1", "\"schema_version\":99")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaVersion { found: 99 });
    assert_eq!(Report::from_json("{").unwrap_err().kind(), ErrorKind::Json);
    assert_eq!(Report::from_json("{\"schema_version\":1}").unwrap(), Report::default());
}

#[test]
fn thresholds_count_every_row() {
    let table = Binary::count_thresholds(&[true, false, true, false, true], &[0.9, 0.2, 0.5, 0.5, f64::NAN]);
    assert_eq!(table.len(), 201);
    for row in &table {
        assert_eq!(row.true_positive + row.false_positive + row.false_negative + row.true_negative, 4);
    }
    let half = &table[100];
    assert_eq!((half.threshold, half.true_positive, half.false_positive, half.true_negative), (0.5, 2, 1, 1));
    assert_eq!(Binary::count_thresholds(&[true, true], &[f64::MAX, f64::MIN]).len(), 201);
    assert!(Binary::count_thresholds(&[], &[]).is_empty());
}

#[test]
fn chains_that_did_not_mix_are_flagged() {
    let chain = |name: &str, r_hat| Chain { name: name.into(), r_hat, ess: 400.0, ..Chain::default() };
    let parameters = vec![chain("mu", 1.001), chain("tau", 1.02)];
    let html = of_chains(Chains { parameters, ..Chains::default() });
    assert!(html.contains("1 of 2 parameters: tau"));
    assert_eq!(html.matches("<tr class=\"bad\"").count(), 1);
}

fn of_chains(chains: Chains) -> String {
    Report { chains: Some(chains), ..Report::default() }.to_html().unwrap()
}

/// Of many parameters those are drawn that have mixed the least, and what is left out is said.
#[test]
fn the_worst_chains_are_drawn() {
    let chain = |j: usize| Chain {
        name: format!("x{j}"),
        traces: vec![vec![0.0, 1.0]; 9],
        r_hat: if j == 3 { f64::NAN } else { 1.0 + j as f64 / 100.0 },
        ..Chain::default()
    };
    let html = of_chains(Chains { parameters: (0..10).map(chain).collect(), divergences: None, every: 20 });
    let drawn: Vec<usize> = (0..10).filter(|j| html.contains(&format!("Trace of x{j}<"))).collect();
    assert_eq!(drawn, [2, 3, 4, 5, 6, 7, 8, 9]);
    for said in ["8 of 10 parameters", "the first 8 of 9 chains", "one of every 20 draws"] {
        assert!(html.contains(said), "{said}");
    }
}
