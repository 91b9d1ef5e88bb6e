//! Alignment of rows to the features that a model knows.

use super::{RowData, Rows};
use crate::data_kinds::{DataKind, Input, wrong_kind};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Feature, Schema};
use crate::session::Unseen;
use crate::table::{Column, ColumnKind, MISSING_CODE, Table};
use std::borrow::Cow;
use std::sync::Arc;

/// Rows as the model knows them: a table's columns by name and in the codes of training, a matrix of the same width.
pub(in crate::data_kinds) fn align<'i, 'a>(
    owner: &str,
    schema: &Schema,
    input: &'i Input<'a>,
    unseen: Unseen,
) -> Result<Cow<'i, Input<'a>>> {
    let Input::Rows(rows) = input else { return Err(wrong_kind(owner, DataKind::Rows, input.kind())) };
    match rows.data() {
        RowData::Table(table) => Ok(Cow::Owned(Input::from(align_table(schema, owner, table, unseen)?))),
        RowData::Dense(_) | RowData::Sparse(_) => {
            check_width(schema, owner, rows).map(|()| Cow::Borrowed(input))
        }
    }
}

fn check_width(schema: &Schema, owner: &str, rows: &Rows<'_>) -> Result<()> {
    if rows.n_features() != schema.n_features() {
        let what = format!("features of the input to {owner}");
        return Err(Error::shape(what, schema.n_features(), rows.n_features()));
    }
    match schema
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

fn align_table<'a>(schema: &Schema, owner: &str, table: &Table<'a>, unseen: Unseen) -> Result<Table<'a>> {
    if !schema.named && table.n_columns() != schema.n_features() {
        let what = format!("features of the input to {owner}");
        return Err(Error::shape(what, schema.n_features(), table.n_columns()));
    }
    let mut columns = Vec::with_capacity(schema.features.len());
    for (j, feature) in schema.features.iter().enumerate() {
        let at = if schema.named { table.position(&feature.name)? } else { j };
        let column = &table.columns()[at];
        columns.push((feature.name.clone(), feature.align(owner, column, unseen)?));
    }
    Table::from_shared(columns)
}

/// The features of a schema.
pub(crate) fn features(rows: &Rows<'_>) -> Vec<Feature> {
    let none: Arc<[String]> = Arc::from([]);
    let feature = |j: usize| {
        let (kind, levels) = match rows.data() {
            RowData::Table(table) => match table.columns()[j].as_ref() {
                Column::Categorical { levels, .. } => (ColumnKind::Categorical, levels.clone()),
                other @ (Column::Numeric(_) | Column::Boolean(_) | Column::Text(_) | Column::Time(_)) => {
                    (other.kind(), none.clone())
                }
            },
            RowData::Dense(_) | RowData::Sparse(_) => (ColumnKind::Numeric, none.clone()),
        };
        Feature { name: rows.name(j), kind, levels }
    };
    (0..rows.n_features()).map(feature).collect()
}

/// Features that are numbers.
pub(crate) fn numbers(names: Vec<String>) -> Vec<Feature> {
    let none: Arc<[String]> = Arc::from([]);
    let feature = |name| Feature { name, kind: ColumnKind::Numeric, levels: none.clone() };
    names.into_iter().map(feature).collect()
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
