//! Numbers for people.

use mercer_plot::number;

/// A number to four significant digits, as texts and tables have it.
pub fn four_digits(v: f64) -> String {
    match v.abs() {
        _ if v.is_nan() => "–".to_owned(),
        0.0 => "0".to_owned(),
        a if !(1e-4..1e6).contains(&a) => format!("{v:.3e}"),
        a => {
            let digits = (3 - a.log10().floor() as i32).clamp(0, 6) as usize;
            format!("{v:.digits$}")
        }
    }
}

/// Digits after the point that suit a whole column of values.
pub(crate) fn decimals(values: impl Iterator<Item = f64>) -> usize {
    let largest = values.filter(|v| v.is_finite()).map(f64::abs).fold(0.0, f64::max);
    match largest {
        v if v < 10.0 => 3,
        v if v < 100.0 => 2,
        v if v < 1000.0 => 1,
        _ => 0,
    }
}

/// A value with a given number of decimals; very large or tiny ones in short form.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let tiny = value != 0.0 && value.abs() < 0.5 * 10f64.powi(-(decimals as i32));
    if !value.is_finite() || value.abs() >= 1e7 || tiny {
        return number(value);
    }
    format!("{value:.decimals$}").replace('-', "−")
}

/// "0.395–0.447", or "−0.1 to 0.2" where a dash could be taken for a minus.
pub(crate) fn interval(ends: Option<(f64, f64)>, decimals: usize) -> String {
    match ends {
        Some((low, high)) if low.is_nan() || high.is_nan() => String::new(),
        Some((low, high)) if low < 0.0 => format!("{} to {}", fixed(low, decimals), fixed(high, decimals)),
        Some((low, high)) => format!("{}–{}", fixed(low, decimals), fixed(high, decimals)),
        None => String::new(),
    }
}

/// A duration with two significant digits: "0.4 s", "9 ms", "40 µs", "2.5 min".
pub(crate) fn seconds(value: Option<f64>) -> String {
    let Some(value) = value.filter(|v| v.is_finite() && *v >= 0.0) else { return String::new() };
    let (scaled, unit) = match value {
        v if v >= 7200.0 => (v / 3600.0, "h"),
        v if v >= 120.0 => (v / 60.0, "min"),
        v if v >= 0.1 => (v, "s"),
        v if v >= 1e-4 => (v * 1e3, "ms"),
        v if v >= 1e-7 => (v * 1e6, "µs"),
        v => (v * 1e9, "ns"),
    };
    format!("{} {unit}", two_digits(scaled))
}

/// A size in decimal units: "96 kB", "2.1 MB".
pub(crate) fn bytes(value: Option<u64>) -> String {
    let Some(value) = value else { return String::new() };
    let v = value as f64;
    match v {
        v if v >= 1e9 => format!("{} GB", two_digits(v / 1e9)),
        v if v >= 1e6 => format!("{} MB", two_digits(v / 1e6)),
        v if v >= 1e3 => format!("{} kB", two_digits(v / 1e3)),
        v => format!("{v} B"),
    }
}

fn two_digits(value: f64) -> String {
    let text = if value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") };
    text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
}

/// "20 %", "0.4 %" or "< 0.1 %".
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    match 100.0 * part as f64 / whole as f64 {
        0.0 => "0 %".into(),
        v if v < 0.1 => "< 0.1 %".into(),
        v => format!("{} %", two_digits(v)),
    }
}

/// A count with thin spaces between thousands.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(c);
    }
    text
}

/// "1 issue", "2 issues".
pub(crate) fn plural(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        for (value, text) in
            [(0.4, "0.4 s"), (0.009, "9 ms"), (4e-5, "40 µs"), (2e-7, "0.2 µs"), (150.0, "2.5 min")]
        {
            assert_eq!(seconds(Some(value)), text);
        }
        assert_eq!(seconds(Some(f64::NAN)), "");
        assert_eq!((bytes(Some(96_000)), bytes(Some(2_100_000))), ("96 kB".into(), "2.1 MB".into()));
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
    }

    #[test]
    fn intervals() {
        assert_eq!(interval(Some((0.395, 0.4471)), 3), "0.395–0.447");
        assert_eq!(interval(Some((-0.1, 0.2)), 1), "−0.1 to 0.2");
        assert_eq!(interval(Some((f64::NAN, 1.0)), 1), "");
    }
}
