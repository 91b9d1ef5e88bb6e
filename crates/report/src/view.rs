//! The page as the template sees it: text that is ready to be shown, and nothing to compute.

use mercer_plot::Chart;
use serde::Serialize;

/// Longer tables are cut; the rest is in the JSON twin.
const MOST_ROWS: usize = 500;

/// The whole page.
#[derive(Debug, Serialize)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) task: String,
    pub(crate) verdict: String,
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) parts: Vec<Part>,
    pub(crate) footer: String,
    pub(crate) css: String,
    pub(crate) js: &'static str,
}

/// One part of the page, with its anchor.
#[derive(Debug, Serialize)]
pub(crate) struct Part {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) blocks: Vec<Block>,
}

/// What a part is made of.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Block {
    Heading { text: String },
    Text { text: String },
    Flag { text: String },
    Items { items: Vec<String> },
    Figures { figures: Vec<Figure>, threshold: Option<ThresholdView> },
    Table(TableView),
    Checks { summary: String, found: Vec<CheckView>, passed: Vec<CheckView> },
    Steps { steps: Vec<crate::Step> },
    Command { command: String },
}

impl Block {
    pub(crate) fn heading(text: impl Into<String>) -> Self {
        Self::Heading { text: text.into() }
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// A row of figures; none, no block.
    pub(crate) fn figures(figures: Vec<Figure>) -> Option<Self> {
        (!figures.is_empty()).then_some(Self::Figures { figures, threshold: None })
    }
}

/// A check, its level in words.
#[derive(Debug, Serialize)]
pub(crate) struct CheckView {
    pub(crate) level: &'static str,
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// A chart with its caption and its data.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    /// Markup of `mercer-plot`, which escapes everything.
    pub(crate) svg: String,
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) csv: String,
    pub(crate) file: String,
    /// Kept at its size, and scrolled where it is wider than the page.
    pub(crate) wide: bool,
}

impl Figure {
    pub(crate) fn new(title: &str, caption: impl Into<String>, chart: &dyn Chart) -> Self {
        Self {
            svg: chart.to_svg(),
            title: title.into(),
            caption: caption.into(),
            csv: data_url(&chart.to_csv()),
            file: file_name(title),
            wide: false,
        }
    }

    /// The same figure, never made smaller.
    pub(crate) fn wide(self, wide: bool) -> Self {
        Self { wide, ..self }
    }
}

/// A `data:` address that needs neither a network nor a script.
pub(crate) fn data_url(csv: &str) -> String {
    let mut url = String::with_capacity(csv.len() + csv.len() / 4 + 32);
    url.push_str("data:text/csv;charset=utf-8,");
    for byte in csv.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b',' | b'.' | b'-' | b'_' | b':' | b'(' | b')' => {
                url.push(char::from(byte));
            }
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

/// "ROC curve" becomes "roc-curve.csv".
pub(crate) fn file_name(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).take(6);
    let name = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-");
    format!("{}.csv", if name.is_empty() { "data" } else { &name[..name.len().min(60)] })
}

/// The confusion of a binary classifier with its slider.
#[derive(Debug, Serialize)]
pub(crate) struct ThresholdView {
    pub(crate) positive: String,
    pub(crate) negative: String,
    /// `[threshold, tp, fp, fn, tn]` per step, as JSON of nothing but numbers.
    pub(crate) table: String,
    pub(crate) last: usize,
    pub(crate) at: usize,
    pub(crate) threshold: String,
    /// tp, fp, fn, tn at the start.
    pub(crate) counts: [u64; 4],
    pub(crate) csv: String,
}

/// A table of text.
#[derive(Debug, Default, Serialize)]
pub(crate) struct TableView {
    pub(crate) caption: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<RowView>,
    /// Which cell is the row's heading.
    pub(crate) head: usize,
    pub(crate) note: String,
}

/// The heading of a column, and whether numbers stand below it.
#[derive(Debug, Serialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) numeric: bool,
}

/// A row; `class` marks baselines, the best and flags.
#[derive(Debug, Default, Serialize)]
pub(crate) struct RowView {
    pub(crate) cells: Vec<String>,
    pub(crate) class: &'static str,
    /// A word-sized picture after the last cell; markup of `mercer-plot`.
    pub(crate) spark: Option<String>,
}

impl TableView {
    /// `columns` are headings; those that begin with `#` hold numbers.
    pub(crate) fn new(caption: impl Into<String>, columns: &[&str], rows: Vec<RowView>) -> Self {
        let column = |name: &&str| match name.strip_prefix('#') {
            Some(name) => Column { name: name.into(), numeric: true },
            None => Column { name: (*name).into(), numeric: false },
        };
        Self {
            caption: caption.into(),
            columns: columns.iter().map(column).collect(),
            rows,
            ..Self::default()
        }
        .cut()
    }

    fn cut(mut self) -> Self {
        let more = self.rows.len().saturating_sub(MOST_ROWS);
        if more > 0 {
            self.rows.truncate(MOST_ROWS);
            self.note =
                format!("{} not shown; all are in the JSON twin.", crate::format::plural(more, "more row"));
        }
        self
    }

    /// A caller's table: a column whose cells all look like numbers is set as one.
    pub(crate) fn of(table: &crate::Table) -> Self {
        let looks_numeric = |j: usize| {
            let cells = || table.rows.iter().filter_map(|r| r.get(j)).filter(|c| !c.is_empty());
            cells().next().is_some()
                && cells().all(|c| c.trim_end_matches(" %").replace('−', "-").parse::<f64>().is_ok())
        };
        // A ragged table is squared, so that no cell is lost and none is without a column.
        let width = table.rows.iter().map(Vec::len).max().unwrap_or(0).max(table.columns.len());
        let column = |j: usize| Column {
            name: table.columns.get(j).cloned().unwrap_or_default(),
            numeric: j > 0 && looks_numeric(j),
        };
        let columns = (0..width).map(column).collect();
        let square = |row: &Vec<String>| {
            let mut cells = row.clone();
            cells.resize(width, String::new());
            RowView::new(cells)
        };
        let rows = table.rows.iter().map(square).collect();
        Self { caption: table.caption.clone(), columns, rows, ..Self::default() }.cut()
    }
}

impl RowView {
    pub(crate) fn new(cells: Vec<String>) -> Self {
        Self { cells, ..Self::default() }
    }
}
