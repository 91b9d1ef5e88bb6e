//! The schema of what a model was trained on, and the alignment of new data to it.

use crate::dataset::Dataset;
use crate::declaration::DataKind;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input, RowData, Rows, wrong_kind};
use crate::session::Unseen;
use crate::table::{Column, ColumnKind, MISSING_CODE, Table};
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
    /// The features, for rows.
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
            Input::Rows(rows) => (features_of(rows), rows.names().is_some()),
            _ => (Vec::new(), false),
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

    /// New data in the shape of the training data: width checked, columns matched by name, categories in
    /// the codes of training. Nothing is copied where nothing has to change.
    pub fn align<'i, 'a>(
        &self,
        owner: &str,
        input: &'i Input<'a>,
        unseen: Unseen,
    ) -> Result<Cow<'i, Input<'a>>> {
        match input {
            Input::Rows(rows) if self.kind == DataKind::Rows => match rows.data() {
                RowData::Table(table) => {
                    let table = self.align_table(owner, table, unseen)?;
                    Ok(Cow::Owned(Input::from(table)))
                }
                _ => self.check_width(owner, rows).map(|()| Cow::Borrowed(input)),
            },
            // A policy is asked about states, given by name or by number.
            Input::Strings(_) | Input::Rows(_) if self.kind == DataKind::Mdp => Ok(Cow::Borrowed(input)),
            other if other.kind() == self.kind => Ok(Cow::Borrowed(input)),
            other => Err(wrong_kind(owner, self.kind, other.kind())),
        }
    }

    fn check_width(&self, owner: &str, rows: &Rows<'_>) -> Result<()> {
        if rows.n_features() != self.n_features() {
            let what = format!("features of the input to {owner}");
            return Err(Error::shape(what, self.n_features(), rows.n_features()));
        }
        match self
            .features
            .iter()
            .find(|f| matches!(f.kind, ColumnKind::Categorical | ColumnKind::Text | ColumnKind::Time))
        {
            Some(feature) => Err(ErrorKind::Kind {
                learner: owner.to_owned(),
                takes: format!("a table with the {} column `{}`", feature.kind, feature.name),
                got: "a plain matrix".to_owned(),
            }
            .into()),
            None => Ok(()),
        }
    }

    fn align_table<'a>(&self, owner: &str, table: &Table<'a>, unseen: Unseen) -> Result<Table<'a>> {
        if !self.named && table.n_columns() != self.n_features() {
            let what = format!("features of the input to {owner}");
            return Err(Error::shape(what, self.n_features(), table.n_columns()));
        }
        let mut columns = Vec::with_capacity(self.features.len());
        for (j, feature) in self.features.iter().enumerate() {
            let at = if self.named { table.position(&feature.name)? } else { j };
            let column = &table.columns()[at];
            columns.push((feature.name.clone(), feature.align(owner, column, unseen)?));
        }
        Table::from_shared(columns)
    }
}

fn features_of(rows: &Rows<'_>) -> Vec<Feature> {
    let none: Arc<[String]> = Arc::from([]);
    let feature = |j: usize| {
        let (kind, levels) = match rows.data() {
            RowData::Table(table) => match table.columns()[j].as_ref() {
                Column::Categorical { levels, .. } => (ColumnKind::Categorical, levels.clone()),
                other => (other.kind(), none.clone()),
            },
            _ => (ColumnKind::Numeric, none.clone()),
        };
        Feature { name: rows.name(j), kind, levels }
    };
    (0..rows.n_features()).map(feature).collect()
}

impl Feature {
    fn align<'a>(&self, owner: &str, column: &Arc<Column<'a>>, unseen: Unseen) -> Result<Arc<Column<'a>>> {
        let numeric = |k| matches!(k, ColumnKind::Numeric | ColumnKind::Boolean);
        match (self.kind, column.as_ref()) {
            (ColumnKind::Categorical, Column::Categorical { levels, .. }) if *levels == self.levels => {
                Ok(column.clone())
            }
            // A column of nothing but missing values reads as numbers, whatever it is.
            (ColumnKind::Categorical, other) => self.recode(owner, other, unseen).map(Arc::new),
            (ColumnKind::Text, Column::Text(_)) => Ok(column.clone()),
            (ColumnKind::Text, other) => {
                let texts: Vec<_> = (0..other.len()).map(|i| other.text(i).map(Cow::into_owned)).collect();
                Ok(Arc::new(Column::Text(Cow::Owned(texts))))
            }
            (wanted, got) if wanted == got.kind() => Ok(column.clone()),
            (ColumnKind::Time, got) => {
                let times = got.to_times().map_err(|row| self.bad_value(owner, got, row))?;
                Ok(Arc::new(Column::Time(Cow::Owned(times.into_owned()))))
            }
            (wanted, got) if numeric(wanted) && numeric(got.kind()) => {
                let numbers = got.to_numbers().map(Cow::into_owned).unwrap_or_default();
                Ok(Arc::new(Column::Numeric(Cow::Owned(numbers))))
            }
            (_, got) if got.n_missing() == got.len() => {
                Ok(Arc::new(Column::Numeric(Cow::Owned(vec![f64::NAN; got.len()]))))
            }
            (wanted, got) => Err(ErrorKind::Kind {
                learner: owner.to_owned(),
                takes: format!("the column `{}` as {wanted}", self.name),
                got: got.kind().to_string(),
            }
            .into()),
        }
    }

    fn bad_value(&self, owner: &str, column: &Column<'_>, row: usize) -> Error {
        ErrorKind::BadValue {
            learner: owner.to_owned(),
            value: format!("`{}`, which is no date or time", column.text(row).unwrap_or_default()),
            column: self.name.clone(),
            row,
            hint: String::new(),
        }
        .into()
    }

    /// The column in the codes of this feature. Each level is looked up once, not each row.
    fn recode(&self, owner: &str, column: &Column<'_>, unseen: Unseen) -> Result<Column<'static>> {
        let Column::Categorical { codes, levels } = column else {
            let texts: Vec<_> = (0..column.len()).map(|i| column.text(i)).collect();
            return self.recode(owner, &Column::categories(&texts), unseen);
        };
        let known: std::collections::HashMap<&str, u32> =
            self.levels.iter().enumerate().map(|(c, l)| (l.as_str(), c as u32)).collect();
        let mut beyond: Vec<String> = Vec::new();
        let map: Vec<u32> = levels
            .iter()
            .map(|level| match known.get(level.as_str()) {
                Some(&code) => code,
                None if unseen == Unseen::Keep => {
                    beyond.push(level.clone());
                    (self.levels.len() + beyond.len() - 1) as u32
                }
                None => MISSING_CODE,
            })
            .collect();
        let code = |c: &u32| map.get(*c as usize).copied().unwrap_or(MISSING_CODE);
        let new: Vec<u32> = codes.iter().map(code).collect();
        let lost = |i: &usize| new[*i] == MISSING_CODE && (codes[*i] as usize) < levels.len();
        if let (Unseen::Error, Some(row)) = (unseen, (0..new.len()).find(lost)) {
            return Err(ErrorKind::BadValue {
                learner: owner.to_owned(),
                value: format!("the level `{}`, which was not seen in training", levels[codes[row] as usize]),
                column: self.name.clone(),
                row,
                hint: String::new(),
            }
            .into());
        }
        Ok(Column::Categorical { codes: Cow::Owned(new), levels: self.with_levels(beyond) })
    }

    /// The levels with more at their end.
    fn with_levels(&self, beyond: Vec<String>) -> Arc<[String]> {
        match beyond.is_empty() {
            true => self.levels.clone(),
            false => self.levels.iter().cloned().chain(beyond).collect(),
        }
    }
}
