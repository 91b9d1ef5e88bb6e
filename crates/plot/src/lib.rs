//! Pictures: one plot crate for report, page, command line and notebooks.
//!
//! Plain data in, an SVG string out: every chart is a struct with public fields that implements [`Chart`].
//! Nothing here touches the disk, the network or the clock, and nothing panics: values that cannot be drawn
//! (NaN, infinities, magnitudes above 1e300, non-positive values on a logarithmic axis) are dropped, counted
//! and the count is written under the chart; a chart without data says so.
//!
//! # Why not a plotting library
//! The SVG is written directly. A library that draws on an abstract canvas knows neither CSS variables (light
//! and dark from one file) nor `<title>` tooltips nor `role="img"`, and wants a font to measure text with.
//! What is left – scales, axes, marks – is a few hundred lines.
//!
//! # Colours
//! The palette is that of Okabe and Ito, safe for colour-blind readers; series also differ by dash and marker.
//! Each SVG carries its own style sheet: it follows `prefers-color-scheme` on its own, and the variables of
//! [`page_variables`] where an embedding page sets them.
//!
//! # Example
//! ```
//! use mercer_plot::{Axis, Chart, LineChart, Series};
//! let chart = LineChart {
//!     title: "Learning curve".into(),
//!     x: Axis::new("rows"),
//!     y: Axis::new("log loss"),
//!     series: vec![Series::new("valid", vec![(100.0, 0.61), (200.0, 0.48), (400.0, 0.43)])],
//!     ..LineChart::default()
//! };
//! assert!(chart.to_svg().starts_with("<svg"));
//! assert!(chart.to_csv().starts_with("series,x,y,lower,upper\n"));
//! ```

mod any;
mod bars;
mod csv;
mod dendrogram;
mod dots;
mod frame;
mod heat;
mod histogram;
mod line;
pub mod nonfinite_json;
mod rows;
mod scale;
mod scatter;
mod spark;
mod svg;
mod theme;
mod thin;
mod tree;

pub use any::AnyChart;
pub use bars::{Bar, BarChart};
pub use dendrogram::Dendrogram;
pub use dots::{Dot, DotChart};
pub use heat::{HeatMap, Shade};
pub use histogram::Histogram;
pub use line::{LineChart, Mark, Series};
pub use scale::{Axis, number};
pub use scatter::{Group, Scatter};
pub use spark::sparkline;
pub use theme::page_variables;
pub use tree::{TreeBranch, TreeChart, TreeNode};

use serde::{Deserialize, Serialize};

/// What every chart can do.
pub trait Chart {
    /// The chart as a stand-alone SVG document, which may also be placed inline in HTML.
    fn to_svg(&self) -> String;

    /// The data as drawn (thinned where the drawing is), as RFC 4180 text with a header line.
    fn to_csv(&self) -> String;
}

/// Width and height of a chart in CSS pixels.
///
/// Charts made of rows (bars, dots, heat maps) use the width only; their height follows from their content.
/// Values outside 200 to 4000 are clamped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
}

impl Default for Size {
    fn default() -> Self {
        Self { width: 480.0, height: 340.0 }
    }
}
