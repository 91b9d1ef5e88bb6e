//! What is printed: results on standard output, notes on standard error.

use crate::fail::CommandResult;
use std::borrow::Cow;
use std::io::Write;

pub(crate) use mercer_report::four_digits as number;

/// The bold that [`crate::context::CommandContext::bold`] writes, and its end.
pub(crate) const BOLD: [&str; 2] = ["\u{1b}[1m", "\u{1b}[0m"];

/// Text that does nothing to a terminal but stand there: control characters, and those that turn the direction of
/// writing, are written as JSON escapes, so that documents stay what they are. Only ends of lines, tabs and bold pass.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let odd = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(odd) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        match BOLD.iter().any(|code| text[at..].starts_with(code)) {
            false if odd(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A line of the result.
pub(crate) fn line(text: &str) -> CommandResult {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", harmless(text))?;
    Ok(())
}

/// A line beside the result.
pub(crate) fn note(text: &str) {
    // Standard error may be closed; then there is nobody to tell.
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless(text));
}

/// A plain table with a header, columns aligned (numbers to the right), two spaces apart.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    // A cell is one line, whatever is in it.
    let flat = |cell: &str| harmless(&cell.replace('\n', "\\n").replace('\t', "\\t")).into_owned();
    let cells = |row: &[String], j: usize| row.get(j).map(|cell| flat(cell)).unwrap_or_default();
    let numeric = |j: usize| {
        let filled: Vec<String> = rows.iter().map(|r| cells(r, j)).filter(|c| !c.is_empty()).collect();
        let is_number =
            |c: &String| c.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '–'));
        !filled.is_empty() && filled.iter().all(is_number)
    };
    let header: Vec<String> = header.iter().map(|h| flat(h)).collect();
    let columns: Vec<(usize, bool)> = (0..header.len())
        .map(|j| {
            let width = rows.iter().map(|r| cells(r, j).chars().count()).max().unwrap_or(0);
            (width.max(header[j].chars().count()), numeric(j))
        })
        .collect();
    let render = |row: &[String]| {
        let padded = columns.iter().enumerate().map(|(j, &(width, right))| {
            let cell = cells(row, j);
            let space = " ".repeat(width.saturating_sub(cell.chars().count()));
            if right { space + &cell } else { cell + &space }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    std::iter::once(render(&header)).chain(rows.iter().map(|r| render(r))).collect::<Vec<_>>().join("\n")
}

/// A duration for a person: 3 µs, 12 ms, 1.4 s.
pub(crate) fn seconds(s: f64) -> String {
    match s {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// A size for a person: 312 B, 6 kB, 2.1 MB.
pub(crate) fn bytes(n: u64) -> String {
    match n as f64 {
        n if n < 1e3 => format!("{n:.0} B"),
        n if n < 1e6 => format!("{:.0} kB", n / 1e3),
        n => format!("{:.1} MB", n / 1e6),
    }
}

/// A share as per cent.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p > 0.0 && p < 1.0 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

/// Reads 90s, 5m, 1h or plain seconds.
pub(crate) fn parse_seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(digits) => (digits, text.chars().last()?),
        None => (text, 's'),
    };
    let factor = match unit {
        'm' => 60.0,
        'h' => 3600.0,
        _ => 1.0,
    };
    digits.trim().parse::<f64>().ok().filter(|s| s.is_finite() && *s > 0.0).map(|s| s * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_pass() {
        assert_eq!(harmless("a\u{1b}[2Jb\r\u{9b}c\u{202e}"), "a\\u001b[2Jb\\u000d\\u009bc\\u202e");
        assert_eq!(harmless("\u{1b}[1mbold\u{1b}[0m\n"), "\u{1b}[1mbold\u{1b}[0m\n");
        assert_eq!(table(&["x\n"], &[vec!["a\nb".to_owned()]]), "x\\n\na\\nb");
    }

    #[test]
    fn figures_read_well() {
        assert_eq!(
            [number(0.42143), number(1234.56), number(3.0), number(1e-9)],
            ["0.4214", "1235", "3.000", "1.000e-9"]
        );
        assert_eq!([seconds(3.2e-6), seconds(0.0123), seconds(2.25)], ["3 µs", "12 ms", "2.2 s"]);
        assert_eq!([bytes(312), bytes(6_100), bytes(2_100_000)], ["312 B", "6 kB", "2.1 MB"]);
        assert_eq!(
            [parse_seconds("90s"), parse_seconds("2m"), parse_seconds("-1")],
            [Some(90.0), Some(120.0), None]
        );
    }
}
