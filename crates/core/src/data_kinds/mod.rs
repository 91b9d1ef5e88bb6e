//! Kinds of data: what learners learn from and what their models are asked about.
//!
//! One file a kind holds its data, their alignment to what a model was trained on, and the choice of some units. The
//! matches here have no wildcard: a new kind is a list of compiler errors.

mod density;
mod environment;
mod graphs;
mod mdp;
mod pairs;
pub(crate) mod rows;
mod series;
mod states;
mod strings;
mod walk;

pub use density::{Density, LogDensity};
pub use environment::{Dynamics, Environment, Outcome, Simulation, Space};
pub use graphs::Graph;
pub use mdp::{Mdp, Transition};
pub use pairs::Pairs;
pub use rows::{Matrix, Numbers, NumbersRef, RowData, Rows, SparseMatrix};
pub use series::{Series, SeriesRef};
pub use states::States;
pub use walk::MdpWalk;

use crate::error::{Error, ErrorKind, Result};
use crate::schema::Schema;
use crate::session::Unseen;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The kinds of data that flow through the contract. Model files hold them by their place: new ones go to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DataKind {
    /// Rows: dense, sparse or a table.
    Rows,
    /// Strings.
    Strings,
    /// A log density.
    Density,
    /// A finite Markov decision process.
    Mdp,
    /// States of a decision process.
    States,
    /// Series of points.
    Series,
    /// Graphs.
    Graphs,
    /// An environment to act in.
    Environment,
}

impl fmt::Display for DataKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DataKind::Rows => "Rows",
            DataKind::Strings => "Strings",
            DataKind::Density => "a Density",
            DataKind::Mdp => "an Mdp",
            DataKind::States => "States",
            DataKind::Series => "Series",
            DataKind::Graphs => "Graphs",
            DataKind::Environment => "an Environment",
        })
    }
}

impl DataKind {
    /// New data of this kind in the shape of those that a model was trained on.
    pub(crate) fn align<'i, 'a>(
        self,
        owner: &str,
        schema: &Schema,
        input: &'i Input<'a>,
        unseen: Unseen,
    ) -> Result<Cow<'i, Input<'a>>> {
        match self {
            DataKind::Rows => rows::align(owner, schema, input, unseen),
            DataKind::States => states::align(owner, input),
            DataKind::Series => series::align(owner, schema, input),
            DataKind::Strings
            | DataKind::Density
            | DataKind::Mdp
            | DataKind::Graphs
            | DataKind::Environment => match input.kind() {
                kind if kind == self => Ok(Cow::Borrowed(input)),
                other => Err(wrong_kind(owner, self, other)),
            },
        }
    }
}

/// The two kinds that a learner declares. They are the same but for learners such as planners, which learn from a
/// decision process, while their policies are asked about states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// What it learns from.
    pub learns_from: DataKind,
    /// What its models are asked about.
    pub asked_about: DataKind,
}

impl Kinds {
    /// Rows, and rows again.
    pub const ROWS: Self = Self { learns_from: DataKind::Rows, asked_about: DataKind::Rows };
}

/// The input of `fit` and `predict`.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// Rows of features.
    Rows(Rows<'a>),
    /// Strings, reached through a kernel or a metric.
    Strings(Cow<'a, [String]>),
    /// A log density.
    Density(Density),
    /// A finite Markov decision process.
    Mdp(Arc<Mdp>),
    /// States of a decision process.
    States(States<'a>),
    /// Series of points, reached through a kernel or a metric.
    Series(Arc<Series>),
    /// Graphs, reached through a kernel.
    Graphs(Cow<'a, [Graph]>),
    /// An environment to act in.
    Environment(Environment),
}

impl<'a> Input<'a> {
    /// The kind of the data.
    pub fn kind(&self) -> DataKind {
        match self {
            Input::Rows(_) => DataKind::Rows,
            Input::Strings(_) => DataKind::Strings,
            Input::Density(_) => DataKind::Density,
            Input::Mdp(_) => DataKind::Mdp,
            Input::States(_) => DataKind::States,
            Input::Series(_) => DataKind::Series,
            Input::Graphs(_) => DataKind::Graphs,
            Input::Environment(_) => DataKind::Environment,
        }
    }

    /// How many units there are to split, weight and score; `None` where that has no meaning.
    pub fn n_units(&self) -> Option<usize> {
        match self {
            Input::Rows(rows) => Some(rows.n_rows()),
            Input::Strings(strings) => Some(strings.len()),
            Input::States(states) => Some(states.len()),
            Input::Series(series) => Some(series.len()),
            Input::Graphs(graphs) => Some(graphs.len()),
            Input::Density(_) | Input::Mdp(_) | Input::Environment(_) => None,
        }
    }

    /// The chosen units, copied; kinds without units stay whole.
    pub fn gather(&self, units: &[usize]) -> Input<'a> {
        match self {
            Input::Rows(rows) => Input::Rows(rows.gather(units)),
            Input::Strings(strings) => Input::Strings(strings::gather(strings, units)),
            Input::States(states) => Input::States(states.gather(units)),
            Input::Series(series) => Input::Series(Arc::new(series.view().gather(units))),
            Input::Graphs(graphs) => Input::Graphs(graphs::gather(graphs, units)),
            Input::Density(_) | Input::Mdp(_) | Input::Environment(_) => self.clone(),
        }
    }

    /// The rows, or an error that names the learner and both kinds.
    pub fn rows(&self, learner: &str) -> Result<&Rows<'a>> {
        let Input::Rows(rows) = self else { return Err(wrong_kind(learner, DataKind::Rows, self.kind())) };
        Ok(rows)
    }

    /// The strings, or an error.
    pub fn strings(&self, learner: &str) -> Result<&[String]> {
        let Input::Strings(strings) = self else {
            return Err(wrong_kind(learner, DataKind::Strings, self.kind()));
        };
        Ok(strings)
    }

    /// The log density, or an error.
    pub fn density(&self, learner: &str) -> Result<&Density> {
        let Input::Density(density) = self else {
            return Err(wrong_kind(learner, DataKind::Density, self.kind()));
        };
        Ok(density)
    }

    /// The decision process, or an error.
    pub fn mdp(&self, learner: &str) -> Result<&Mdp> {
        let Input::Mdp(mdp) = self else { return Err(wrong_kind(learner, DataKind::Mdp, self.kind())) };
        Ok(mdp)
    }

    /// The states, or an error.
    pub fn states(&self, learner: &str) -> Result<&States<'a>> {
        let Input::States(states) = self else {
            return Err(wrong_kind(learner, DataKind::States, self.kind()));
        };
        Ok(states)
    }

    /// The series, or an error.
    pub fn series(&self, learner: &str) -> Result<SeriesRef<'_>> {
        let Input::Series(series) = self else {
            return Err(wrong_kind(learner, DataKind::Series, self.kind()));
        };
        Ok(series.view())
    }

    /// The graphs, or an error.
    pub fn graphs(&self, learner: &str) -> Result<&[Graph]> {
        let Input::Graphs(graphs) = self else {
            return Err(wrong_kind(learner, DataKind::Graphs, self.kind()));
        };
        Ok(graphs)
    }

    /// The environment, or an error.
    pub fn environment(&self, learner: &str) -> Result<&Environment> {
        let Input::Environment(environment) = self else {
            return Err(wrong_kind(learner, DataKind::Environment, self.kind()));
        };
        Ok(environment)
    }
}

pub(crate) fn wrong_kind(learner: &str, takes: DataKind, got: DataKind) -> Error {
    ErrorKind::Kind { learner: learner.to_owned(), takes: takes.to_string(), got: got.to_string() }.into()
}

impl<'a> From<&Input<'a>> for Input<'a> {
    fn from(input: &Input<'a>) -> Self {
        input.clone()
    }
}
