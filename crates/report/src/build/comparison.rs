//! The leaderboard of a comparison, its verdict, and what a reader should know before trusting it.

use super::ProfiledTable;
use crate::format::four_digits;
use crate::model::{Check, LeaderRow, Leaderboard, Level};
use mercer_assess::Comparison;
use mercer_core::Dataset;

/// The names of the targets.
pub(super) fn target_names(data: &Dataset<'_>) -> Vec<String> {
    data.target().iter().flat_map(|t| t.columns()).filter_map(|c| c.name.clone()).collect()
}

pub(super) fn verdict(result: &Comparison, target: &str) -> String {
    let (best, metric) = (&result.contenders[0], result.metrics[0]);
    let baseline = result.contenders.iter().find(|c| c.candidate.is_baseline);
    let score = |v: Option<&f64>| v.map_or_else(String::new, |v| four_digits(*v));
    match baseline {
        Some(b) if !best.candidate.is_baseline => format!(
            "{} predicts {target} best: {} {} against {} for the baseline.",
            best.candidate.label,
            metric.label,
            score(best.means.first()),
            score(b.means.first())
        ),
        _ => format!("No model beats the baseline on {target}: nothing was found to learn."),
    }
}

pub(super) fn leaderboard(result: &Comparison, k: usize) -> Leaderboard {
    let rows = result
        .contenders
        .iter()
        .enumerate()
        .map(|(i, c)| LeaderRow {
            rank: i + 1,
            model: c.candidate.label.clone(),
            score: c.means.first().copied().unwrap_or(f64::NAN),
            interval: c.interval,
            extra: result
                .metrics
                .iter()
                .zip(&c.means)
                .skip(1)
                .map(|(m, v)| (m.label.to_owned(), *v))
                .collect(),
            fit_seconds: c.error.is_none().then_some(c.fit_seconds),
            predict_row_seconds: c.row_seconds,
            size_bytes: c.size,
            note: c.remark(),
            is_baseline: c.candidate.is_baseline,
        })
        .collect();
    Leaderboard {
        metric: result.metrics[0].label.to_owned(),
        greater_is_better: result.metrics[0].greater_is_better,
        method: format!(
            "{k}-fold cross validation, the same folds for all; Student's 95 % interval over folds"
        ),
        rows,
    }
}

pub(super) fn check(code: &str, level: Level, message: String) -> Check {
    Check { code: code.to_owned(), level, message, help: String::new() }
}

/// What a reader should know before trusting the leaderboard.
pub(super) fn checks(
    result: &Comparison,
    table: Option<ProfiledTable<'_>>,
    targets: &[String],
) -> Vec<Check> {
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let mut out = table.map(|t| t.checks(&targets)).unwrap_or_default();
    for c in &result.contenders {
        if let Some(why) = c.certificate().and_then(|c| c.shortfall()) {
            let message = format!("{}: training {why}", c.candidate.label);
            out.push(check("K004", Level::Warning, message));
        }
    }
    if out.is_empty() {
        let message = match table.is_some() && !targets.is_empty() {
            true => "no leaks, constant columns or identifiers; all training converged",
            false => "all training converged; the columns were not looked at",
        };
        out.push(check("K000", Level::Passed, message.to_owned()));
    }
    out
}
