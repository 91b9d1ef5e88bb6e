//! Comma-separated text, as of RFC 4180.

/// Rows of text cells under a header.
#[derive(Debug)]
pub(crate) struct Csv(String);

impl Csv {
    pub(crate) fn new(header: &str) -> Self {
        Self(format!("{header}\n"))
    }

    /// One row: names first, then numbers; a missing number leaves its cell empty.
    pub(crate) fn row(&mut self, names: &[&str], numbers: &[Option<f64>]) {
        let mut cells: Vec<String> = names.iter().map(|n| quoted(n)).collect();
        cells.extend(numbers.iter().map(|v| v.map(plain).unwrap_or_default()));
        self.0.push_str(&cells.join(","));
        self.0.push('\n');
    }

    pub(crate) fn finish(self) -> String {
        self.0
    }
}

/// Every digit that matters, without three hundred zeros; NaN is an empty cell.
fn plain(value: f64) -> String {
    if value.is_nan() {
        return String::new();
    }
    if value.fract() == 0.0 && value.abs() < 1e15 { value.to_string() } else { format!("{value:?}") }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}
