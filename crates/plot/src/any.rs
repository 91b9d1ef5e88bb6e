//! A chart of any kind, for lists of charts and for files.

use crate::{BarChart, Chart, Dendrogram, DotChart, HeatMap, Histogram, LineChart, Scatter, TreeChart};
use serde::{Deserialize, Serialize};

/// A chart of any kind; in JSON, the chart's fields beside `"chart": "line"` and so on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "chart", rename_all = "snake_case")]
pub enum AnyChart {
    /// Lines.
    Line(LineChart),
    /// Points.
    Scatter(Scatter),
    /// Horizontal bars.
    Bars(BarChart),
    /// Dots with intervals.
    Dots(DotChart),
    /// Shaded cells.
    Heat(HeatMap),
    /// Counts between edges.
    Histogram(Histogram),
    /// A decision tree.
    Tree(TreeChart),
    /// A tree of mergers.
    Dendrogram(Dendrogram),
}

impl AnyChart {
    fn chart(&self) -> &dyn Chart {
        match self {
            Self::Line(c) => c,
            Self::Scatter(c) => c,
            Self::Bars(c) => c,
            Self::Dots(c) => c,
            Self::Heat(c) => c,
            Self::Histogram(c) => c,
            Self::Tree(c) => c,
            Self::Dendrogram(c) => c,
        }
    }

    /// The chart's heading.
    pub fn title(&self) -> &str {
        match self {
            Self::Line(c) => &c.title,
            Self::Scatter(c) => &c.title,
            Self::Bars(c) => &c.title,
            Self::Dots(c) => &c.title,
            Self::Heat(c) => &c.title,
            Self::Histogram(c) => &c.title,
            Self::Tree(c) => &c.title,
            Self::Dendrogram(c) => &c.title,
        }
    }

    /// What the chart shows, in words.
    pub fn description(&self) -> &str {
        match self {
            Self::Line(c) => &c.description,
            Self::Scatter(c) => &c.description,
            Self::Bars(c) => &c.description,
            Self::Dots(c) => &c.description,
            Self::Heat(c) => &c.description,
            Self::Histogram(c) => &c.description,
            Self::Tree(c) => &c.description,
            Self::Dendrogram(c) => &c.description,
        }
    }
}

impl Chart for AnyChart {
    fn to_svg(&self) -> String {
        self.chart().to_svg()
    }

    fn to_csv(&self) -> String {
        self.chart().to_csv()
    }
}

macro_rules! from_chart {
    ($($chart:ident => $variant:ident),*) => {$(
        impl From<$chart> for AnyChart {
            fn from(chart: $chart) -> Self {
                Self::$variant(chart)
            }
        }
    )*};
}

from_chart!(LineChart => Line, Scatter => Scatter, BarChart => Bars, DotChart => Dots, HeatMap => Heat, Histogram => Histogram, TreeChart => Tree, Dendrogram => Dendrogram);
