//! Tables of estimates with normal standard errors.

use mercer_core::{Schema, SummaryRow};
use mercer_math::special::{norm_cdf, norm_ppf};

/// Name, estimate and standard error of each coefficient, with z tests and confidence intervals of a level.
pub(crate) fn rows(each: impl Iterator<Item = (String, f64, f64)>, level: f64) -> Vec<SummaryRow> {
    let critical = -norm_ppf(0.5 * (1.0 - level));
    let row = |(name, estimate, std_error): (String, f64, f64)| {
        let statistic = estimate / std_error;
        let p_value = if statistic.is_nan() { 1.0 } else { 2.0 * norm_cdf(-statistic.abs()) };
        let (lower, upper) = (estimate - critical * std_error, estimate + critical * std_error);
        SummaryRow { name, estimate, std_error, statistic, p_value, lower, upper }
    };
    each.map(row).collect()
}

/// What a summary calls the target.
pub(crate) fn target_name(schema: &Schema) -> String {
    schema.targets.first().and_then(|t| t.name.clone()).unwrap_or_else(|| "the target".to_owned())
}
