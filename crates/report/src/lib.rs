//! The offline HTML report and its JSON twin.
//!
//! Two halves. [`ReportBuilder`] asks models, tables and comparisons for everything that a [`Report`] shows; the command line
//! and Python both call it. The rest is plain data in, text out, and knows nothing of the toolkit: [`Report::to_html`] and
//! [`Report::to_json`]. The page is one file without any outside resource, light and dark, printable, usable by keyboard and
//! without scripts (only the threshold slider needs one). [`Report::save`] writes it through `files`; nothing here touches the
//! network or the clock, and a report holds no raw rows.
//!
//! The page keeps the order: verdict, leaderboard, checks, main plots, explanations, data, pipeline,
//! certificate, reproducibility. A part without content is left out.
//!
//! # Example
//! ```
//! use mercer_report::{Check, Level, Report};
//! let report = Report {
//!     title: "titanic".into(),
//!     verdict: "gbdt is best: log loss 0.421 against 0.666 for the baseline.".into(),
//!     checks: vec![Check { code: "K008".into(), level: Level::Issue, message: "twins".into(), ..Check::default() }],
//!     ..Report::default()
//! };
//! assert!(report.to_html()?.starts_with("<!doctype html>"));
//! assert_eq!(Report::from_json(&report.to_json()?)?, report);
//! # Ok::<(), mercer_report::Error>(())
//! ```

mod build;
pub mod charts;
mod draw;
mod error;
mod format;
mod model;
mod page;
mod tasks;
mod view;

pub use build::{Evaluation, ProfiledTable, ReportBuilder, column_summary, model_name, policy_of};
pub use error::{Error, ErrorKind};
pub use format::four_digits;
pub use model::{
    CertificateView, Check, ColumnProfile, Evidence, Importance, LeaderRow, Leaderboard, Level, Report,
    Reproducibility, Section, Step, Table,
};
pub use tasks::{
    Binary, CalibrationBin, Chain, Chains, ClassRow, Clusters, Component, CountCriterion, Curve, GridPolicy,
    Multiclass, Policy, Regression, StateRow, ThresholdRow,
};

/// The version of the JSON twin's layout.
pub const SCHEMA_VERSION: u32 = 1;

/// The document type that the JSON twin names itself.
const KIND: &str = "mercer.report";

#[derive(serde::Serialize)]
struct Twin<'a> {
    schema_version: u32,
    kind: &'static str,
    #[serde(flatten)]
    report: &'a Report,
}

#[derive(serde::Deserialize)]
struct Header {
    schema_version: u32,
}

impl Report {
    /// The report as one self-contained HTML file.
    pub fn to_html(&self) -> Result<String, Error> {
        page::render(self)
    }

    /// The JSON twin: everything in this struct beside `schema_version`. NaN and the infinities are written
    /// as `"nan"`, `"inf"` and `"-inf"`.
    pub fn to_json(&self) -> Result<String, Error> {
        let twin = Twin { schema_version: SCHEMA_VERSION, kind: KIND, report: self };
        serde_json::to_string(&twin).map_err(|e| Error::new(ErrorKind::Json, e))
    }

    /// Reads a JSON twin back. Unknown fields are ignored, missing ones are empty.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let json = |e| Error::new(ErrorKind::Json, e);
        let header: Header = serde_json::from_str(text).map_err(json)?;
        if header.schema_version != SCHEMA_VERSION {
            return Err(Error::of(ErrorKind::SchemaVersion { found: header.schema_version }));
        }
        serde_json::from_str(text).map_err(json)
    }
}
