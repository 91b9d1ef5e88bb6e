//! The schema of what a model was trained on, and the alignment of new data to it.

use crate::data_kinds::{DataKind, Input, rows};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::session::Unseen;
use crate::table::ColumnKind;
use crate::target::{Labels, Prediction, Target, TargetColumn, TargetKind, TargetValues};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// One feature that a model knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Its name; `x<j>` where the training data had none.
    pub name: String,
    /// Its kind.
    pub kind: ColumnKind,
    /// The levels of a categorical feature, in the order of their codes.
    pub levels: Arc<[String]>,
}

/// One target that a model knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetSchema {
    /// Its name, where it had one.
    pub name: Option<String>,
    /// Its kind, with the dictionary of its classes.
    pub kind: TargetKind,
}

/// What a model was trained on: it lives in the model, and new data are aligned to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The kind of data.
    pub kind: DataKind,
    /// The features, for rows; the coordinates of the points of series.
    pub features: Vec<Feature>,
    /// Whether the training data gave names, so that tables are matched by name.
    pub named: bool,
    /// The targets.
    pub targets: Vec<TargetSchema>,
}

impl Schema {
    /// The schema of a data set.
    pub fn of(data: &Dataset<'_>) -> Self {
        let (features, named) = match data.whole_input() {
            Input::Rows(rows) => (rows::features(rows), rows.names().is_some()),
            Input::Strings(_) | Input::Density(_) | Input::Mdp(_) | Input::States(_) | Input::Graphs(_) => {
                (Vec::new(), false)
            }
            Input::Series(series) => (series.view().features(), false),
            // What its policies are asked about: rows of observations.
            Input::Environment(environment) => (rows::numbers(environment.feature_names()), false),
        };
        let targets = data.target().map_or_else(Vec::new, |t| {
            t.columns().iter().map(|c| TargetSchema { name: c.name.clone(), kind: c.kind.clone() }).collect()
        });
        Self { kind: data.whole_input().kind(), features, named, targets }
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.features.len()
    }

    /// The dictionary of the classes, for a single class target.
    pub fn labels(&self) -> Option<&Labels> {
        match self.targets.as_slice() {
            [one] => one.kind.labels(),
            _ => None,
        }
    }

    /// Values as a prediction, a column for each target.
    pub fn prediction<V: Into<TargetValues<'static>>>(
        &self,
        columns: impl IntoIterator<Item = V>,
    ) -> Result<Prediction> {
        let column = |(t, values): (&TargetSchema, V)| TargetColumn {
            name: t.name.clone(),
            kind: t.kind.clone(),
            values: values.into(),
        };
        Target::new(self.targets.iter().zip(columns).map(column).collect())
    }

    /// New data of the kind learnt from, in the shape of the training data: width checked, columns matched by name,
    /// categories in the codes of training. Nothing is copied where nothing has to change.
    pub fn align<'i, 'a>(
        &self,
        owner: &str,
        input: &'i Input<'a>,
        unseen: Unseen,
    ) -> Result<Cow<'i, Input<'a>>> {
        self.kind.align(owner, self, input, unseen)
    }
}
