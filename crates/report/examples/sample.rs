//! Renders sample reports: `cargo run -p mercer-report --example sample -- OUT.html [binary|multiclass|regression|other]`.

use mercer_plot::{Axis, Bar, LineChart, Series};
use mercer_report::{
    Binary, CalibrationBin, CertificateView, Chain, Chains, Check, ClassRow, Clusters, ColumnProfile,
    CountCriterion, Curve, Evidence, GridPolicy, Importance, LeaderRow, Leaderboard, Level, Multiclass,
    Policy, Regression, Report, Reproducibility, Section, Step, Table,
};

/// A small generator, so that the sample is the same everywhere.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("a path to write to is needed")?;
    let mut report = common();
    let variant = arguments.next().unwrap_or_default();
    match variant.as_str() {
        "multiclass" => report.multiclass = Some(multiclass()),
        "regression" => report.regression = Some(regression()),
        "other" => {
            report.clusters = Some(clusters());
            report.chains = Some(chains());
            report.policy = Some(policy());
        }
        _ => report.binary = Some(binary()),
    }
    std::fs::write(&path, report.to_html()?)?;
    std::fs::write(format!("{path}.json"), report.to_json()?)?;
    Ok(())
}

fn row(rank: usize, model: &str, score: f64, half: f64, auc: f64, rest: (f64, f64, u64, &str)) -> LeaderRow {
    LeaderRow {
        rank,
        model: model.into(),
        score,
        interval: Some((score - half, score + half)),
        extra: vec![("AUC".into(), auc)],
        fit_seconds: Some(rest.0),
        predict_row_seconds: Some(rest.1),
        size_bytes: Some(rest.2),
        note: rest.3.into(),
        is_baseline: false,
    }
}

fn common() -> Report {
    let baseline = LeaderRow {
        fit_seconds: None,
        predict_row_seconds: None,
        size_bytes: None,
        is_baseline: true,
        ..row(5, "baseline", 0.666, 0.003, 0.5, (0.0, 0.0, 0, ""))
    };
    let rows = vec![
        row(1, "gbdt", 0.421, 0.026, 0.873, (0.4, 3e-6, 96_000, "")),
        row(2, "logistic", 0.436, 0.027, 0.862, (0.1, 1e-6, 6000, "tie with 1 (p = 0.21)")),
        row(3, "forest", 0.447, 0.03, 0.866, (0.6, 4e-5, 2_100_000, "")),
        row(4, "tree:4", 0.481, 0.04, 0.841, (0.009, 2e-7, 2000, "readable")),
        baseline,
    ];
    let method = "5-fold stratified, same folds for all".into();
    Report {
        title: "titanic.csv → survived".into(),
        verdict: "gbdt predicts survived best (log loss 0.421, baseline 0.666); logistic ties and is easier to explain.".into(),
        task: "Binary classification of survived (38 % yes)".into(),
        facts: [("rows", "891"), ("columns", "12"), ("missing", "age 20 %, cabin 77 %"), ("seed", "7")]
            .map(|(a, b)| (a.into(), b.into()))
            .to_vec(),
        leaderboard: Some(Leaderboard { metric: "log loss".into(), greater_is_better: false, method, rows }),
        checks: checks(),
        sections: vec![learning_curve()],
        importance: vec![importance()],
        profile: profile(),
        pipeline: pipeline(),
        certificates: certificates(),
        reproducibility: Reproducibility {
            command: "mercer compare titanic.csv -t survived --budget 60s --seed 7 -o t.mercer --report r.html".into(),
            seed: Some(7),
            threads: Some(2),
            version: "0.1.0".into(),
            data_hash: "sha256:9b1c5f0e7a6c3b2d4f8a9e0c1d2b3a4f5e6d7c8b9a0f1e2d3c4b5a69788796a5".into(),
            data_name: "titanic.csv".into(),
            n_rows: 891,
            n_cols: 12,
            created: Some("2026-04-14 09:30 UTC".into()),
        },
        ..Report::default()
    }
}

fn checks() -> Vec<Check> {
    let check = |code: &str, level, message: &str, help: &str| Check {
        code: code.into(),
        level,
        message: message.into(),
        help: help.into(),
    };
    let mut list = vec![
        check("K008", Level::Issue, "sibsp and parch carry the same information", "mercer check --help K008"),
        check("K011", Level::Warning, "cabin is missing in 77 % of rows", ""),
        check(
            "K021",
            Level::Note,
            "logistic ties with gbdt (p = 0.21)",
            "mercer fit titanic.csv -t survived -m logistic",
        ),
    ];
    for (code, message) in [
        ("K001", "no target leak found"),
        ("K002", "no duplicate rows"),
        ("K003", "classes are balanced enough"),
    ] {
        list.push(check(code, Level::Passed, message, ""));
    }
    list
}

fn learning_curve() -> Section {
    let curve = |name: &str, level: f64, sign: f64| {
        let points: Vec<(f64, f64)> = [100.0, 200.0, 300.0, 450.0, 600.0, 712.0]
            .map(|n: f64| (n, level + sign * 1.4 / n.sqrt()))
            .to_vec();
        let band = points.iter().map(|(n, v)| (v - 0.4 / n.sqrt(), v + 0.4 / n.sqrt())).collect();
        Series { band, markers: true, ..Series::new(name, points) }
    };
    let chart = LineChart {
        title: "Learning curve".into(),
        description: "The curves have not met: more data would help more than a larger model.".into(),
        x: Axis::new("rows to learn from"),
        y: Axis::new("log loss"),
        series: vec![curve("validation", 0.37, 1.0), curve("training", 0.36, -0.6)],
        ..LineChart::default()
    };
    let slices = Table {
        caption: "Log loss by slice.".into(),
        columns: ["slice", "rows", "log loss", "95 % interval"].map(String::from).to_vec(),
        rows: [["sex = female", "314", "0.402", "0.36–0.45"], ["sex = male", "577", "0.431", "0.40–0.46"]]
            .map(|r| r.map(String::from).to_vec())
            .to_vec(),
    };
    Section {
        title: "More data or more model?".into(),
        text: "Each point is the mean over five folds with its 95 % interval.".into(),
        charts: vec![chart.into()],
        tables: vec![slices],
    }
}

fn importance() -> Importance {
    let bar = |(name, value, half): (&str, f64, f64)| Bar {
        name: name.into(),
        value,
        interval: Some((value - half, value + half)),
    };
    let rows = [
        ("sex", 0.171, 0.012),
        ("pclass", 0.062, 0.008),
        ("age", 0.048, 0.009),
        ("fare", 0.031, 0.007),
        ("a column with an unreasonably long name that must be cut", 0.012, 0.005),
        ("embarked", 0.006, 0.004),
        ("parch", -0.002, 0.003),
    ];
    Importance {
        model: "gbdt".into(),
        method: "permutation, rise in log loss".into(),
        rows: rows.map(bar).to_vec(),
    }
}

fn profile() -> Vec<ColumnProfile> {
    let column = |name: &str, kind: &str, missing, unique, summary: &str, histogram: &[f64]| ColumnProfile {
        name: name.into(),
        kind: kind.into(),
        missing,
        unique,
        summary: summary.into(),
        histogram: histogram.to_vec(),
    };
    vec![
        column("survived", "binary, target", 0, 2, "38 % yes", &[549.0, 342.0]),
        column("pclass", "ordinal", 0, 3, "3 (55 %), 1 (24 %), 2 (21 %)", &[216.0, 184.0, 491.0]),
        column("sex", "category", 0, 2, "male (65 %), female (35 %)", &[577.0, 314.0]),
        column(
            "age",
            "number",
            177,
            88,
            "0.42 to 80, median 28",
            &[54.0, 46.0, 177.0, 169.0, 118.0, 70.0, 45.0, 24.0, 9.0, 2.0],
        ),
        column(
            "fare",
            "number",
            0,
            248,
            "0 to 512.3, median 14.45",
            &[732.0, 106.0, 31.0, 2.0, 11.0, 6.0, 0.0, 0.0, 0.0, 3.0],
        ),
        column("cabin", "text", 687, 147, "B96 B98, G6, C23 C25 C27, …", &[]),
    ]
}

fn pipeline() -> Vec<Step> {
    let step = |name: &str, summary: &str, parameters: &[(&str, &str)]| Step {
        name: name.into(),
        summary: summary.into(),
        parameters: parameters.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect(),
    };
    vec![
        step("drop", "name, ticket: unique in almost every row", &[]),
        step("impute", "median of age; a flag column beside it", &[("strategy", "median"), ("flag", "true")]),
        step("encode", "sex, embarked to one column per level", &[("unseen", "other")]),
        step(
            "gbdt",
            "boosted trees, log loss",
            &[("n_trees", "120"), ("learning_rate", "0.1"), ("max_depth", "4")],
        ),
    ]
}

fn certificates() -> Vec<CertificateView> {
    let evidence =
        |name: &str, value, meaning: &str| Evidence { name: name.into(), value, meaning: meaning.into() };
    vec![
        CertificateView {
            model: "gbdt".into(),
            termination: "early stopping".into(),
            converged: true,
            iterations: Some(120),
            objective: Some(0.3652),
            evidence: vec![evidence("training loss", 0.3652, "never rose from one tree to the next")],
            notes: vec![],
        },
        CertificateView {
            model: "logistic".into(),
            termination: "iteration limit".into(),
            converged: false,
            iterations: Some(100),
            objective: Some(388.42),
            evidence: vec![
                evidence("gradient norm", 3.1e-4, "zero at the optimum; the tolerance is 1e-6"),
                evidence("duality gap", 2.2e-3, "the objective is at most this far from the best possible"),
            ],
            notes: vec!["Raise max_iter or scale the columns.".into()],
        },
    ]
}

type Points = Vec<(f64, f64)>;

/// ROC and precision–recall points of labels sorted by decreasing score.
fn curves(labels: &[bool]) -> (Points, Points) {
    let positives = labels.iter().filter(|l| **l).count() as f64;
    let negatives = labels.len() as f64 - positives;
    let (mut roc, mut pr, mut tp, mut fp) = (vec![(0.0, 0.0)], Vec::new(), 0.0, 0.0);
    for label in labels {
        if *label {
            tp += 1.0
        } else {
            fp += 1.0
        }
        roc.push((fp / negatives, tp / positives));
        pr.push((tp / positives, tp / (tp + fp)));
    }
    (roc, pr)
}

fn binary() -> Binary {
    let mut random = Random(7);
    let mut rows: Vec<(f64, bool)> = (0..891)
        .map(|_| {
            let label = random.uniform() < 0.38;
            let z = random.normal() + if label { 1.1 } else { -1.1 };
            (1.0 / (1.0 + (-1.6 * z).exp()), label)
        })
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (scores, labels): (Vec<f64>, Vec<bool>) = rows.into_iter().unzip();
    let (roc, pr) = curves(&labels);
    let break_even = pr.iter().min_by(|a, b| (a.0 - a.1).abs().total_cmp(&(b.0 - b.1).abs())).map(|p| p.0);
    let bin = |k: u32| {
        let p = (f64::from(k) + 0.5) / 10.0;
        let observed = (p + 0.04 * (f64::from(k) * 1.7).sin()).clamp(0.0, 1.0);
        CalibrationBin {
            predicted: p,
            observed,
            interval: Some(((observed - 0.08).max(0.0), (observed + 0.08).min(1.0))),
            count: 89,
        }
    };
    Binary {
        positive: "yes".into(),
        negative: "no".into(),
        roc: vec![Curve { name: "gbdt".into(), points: roc, area: Some(0.873) }],
        precision_recall: vec![Curve { name: "gbdt".into(), points: pr, area: Some(0.851) }],
        break_even,
        positive_share: Some(0.38),
        calibration: (0..10).map(bin).collect(),
        thresholds: Binary::count_thresholds(&labels, &scores),
        threshold: 0.5,
    }
}

fn multiclass() -> Multiclass {
    let classes: Vec<String> =
        ["setosa", "versicolor", "virginica", "a rather long class name", "other"].map(String::from).to_vec();
    let confusion = vec![
        vec![50, 0, 0, 1, 0],
        vec![0, 44, 6, 0, 0],
        vec![0, 9, 38, 2, 1],
        vec![2, 0, 1, 120, 4],
        vec![0, 0, 3, 7, 15],
    ];
    let per_class = classes
        .iter()
        .enumerate()
        .map(|(i, class)| ClassRow {
            class: class.clone(),
            precision: 0.97 - 0.05 * i as f64,
            recall: 0.98 - 0.06 * i as f64,
            f1: 0.96 - 0.05 * i as f64,
            support: confusion[i].iter().sum(),
        })
        .collect();
    let roc = classes.iter().enumerate().map(|(i, class)| {
        let power = 0.08 + 0.06 * i as f64;
        let points = (0..=100).map(|k| (f64::from(k) / 100.0, (f64::from(k) / 100.0).powf(power))).collect();
        Curve { name: class.clone(), points, area: Some(1.0 / (1.0 + power)) }
    });
    Multiclass { roc: roc.collect(), classes, confusion, per_class }
}

fn regression() -> Regression {
    let mut random = Random(11);
    let predicted: Vec<f64> = (0..3000).map(|_| 180_000.0 + 60_000.0 * random.normal()).collect();
    let actual = predicted.iter().map(|p| p + 0.12 * p * random.normal()).collect();
    let coverage = (1..10).map(|k| (f64::from(k) / 10.0, f64::from(k) / 10.0 - 0.03)).collect();
    Regression { target: "price (USD)".into(), actual, predicted, coverage }
}

fn clusters() -> Clusters {
    let mut random = Random(3);
    let centres = [(0.0, 0.0), (5.0, 1.0), (2.0, 5.0), (-4.0, 4.0)];
    let mut map = Vec::new();
    let mut assignments = Vec::new();
    for i in 0..240 {
        let c = centres[i % 4];
        map.push((c.0 + random.normal(), c.1 + random.normal()));
        assignments.push((i % 17 != 0).then_some(i % 4));
    }
    Clusters {
        map,
        assignments,
        sizes: vec![60, 58, 57, 50],
        silhouette: vec![0.61, 0.58, 0.49, -0.05],
        choice: vec![CountCriterion {
            name: "mean silhouette".into(),
            points: [(2.0, 0.4), (3.0, 0.52), (4.0, 0.58), (5.0, 0.5), (6.0, 0.44)].to_vec(),
            errors: Vec::new(),
            chosen: Some(4),
            rule: "the largest".into(),
        }],
        profiles: vec!["young, low fare".into(), "older, first class".into()],
        ..Clusters::default()
    }
}

fn chains() -> Chains {
    let mut random = Random(5);
    let mut chain = |name: &str, r_hat: f64, drift: f64| {
        let traces: Vec<Vec<f64>> =
            (0..4).map(|c| (0..1000).map(|_| random.normal() + drift * f64::from(c)).collect()).collect();
        let ranks = vec![vec![50; 20]; 4];
        Chain { name: name.into(), traces, ranks, mean: 0.02, interval: Some((-1.9, 2.0)), r_hat, ess: 812.0 }
    };
    let parameters = vec![chain("mu", 1.002, 0.0), chain("tau", 1.034, 0.8)];
    Chains { parameters, divergences: Some(3), every: 1 }
}

fn policy() -> Policy {
    let wall = f64::NAN;
    let values = vec![0.81, 0.87, 0.92, 1.0, 0.76, wall, 0.66, -1.0, 0.71, 0.66, 0.61, 0.39];
    let (right, up, left) = (Some((1.0, 0.0)), Some((0.0, 1.0)), Some((-1.0, 0.0)));
    let moves =
        vec![right, right, right, Some((0.0, 0.0)), up, None, up, Some((0.0, 0.0)), up, left, left, left];
    Policy { grid: Some(GridPolicy { n_columns: 4, values, moves }), states: vec![] }
}
