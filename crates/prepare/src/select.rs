//! Column selection by name: what a pipeline keeps of a table.
//!
//! # Objective
//! The identity on the chosen columns.
//!
//! # Algorithm
//! Names are resolved at `fit`, stored, and fail by name when they are not there.
//!
//! # Complexity
//! O(columns); values are shared, not copied.
//!
//! # Example
//! ```
//! use mercer_core::{Column, Dataset, Fit, Table};
//! use mercer_prepare::SelectColumns;
//! let table = Table::new(vec![("a".into(), Column::numbers(vec![1.0])), ("b".into(), Column::numbers(vec![2.0]))])?;
//! let model = SelectColumns::default().drop(vec!["b".into()]).fit(&Dataset::new(&table))?;
//! assert_eq!(model.transform(&table)?.n_features(), 1);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! None.
//!
//! # References
//! None.

use mercer_core::{
    Abilities, Certificate, Dataset, Error, Fitted, Input, Learn, Params, Result, Rows, Schema, Session,
    Termination, Transformer,
};
use serde::{Deserialize, Serialize};

/// Column selection by name: keeps some columns, or drops some.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "select",
    canon = "D7",
    task = Transformation,
    python = "preprocessing",
    can = "transform weights missing categorical text times"
)]
pub struct SelectColumns {
    /// The columns to keep, in this order; none means all that are not dropped.
    #[param(default = None)]
    pub keep: Option<Vec<String>>,
    /// The columns to leave out.
    #[param(default = Vec::new())]
    pub drop: Vec<String>,
}

/// Columns chosen at `fit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelectColumnsModel {
    /// The columns that are kept.
    pub columns: Vec<String>,
    certificate: Certificate,
}

impl Learn for SelectColumns {
    type Model = SelectColumnsModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<SelectColumnsModel> {
        let rows = data.rows(Self::NAME)?;
        let table = rows.table()?;
        let kept = match &self.keep {
            Some(keep) => table.select(keep)?,
            None => table,
        };
        let columns = kept.without(&self.drop)?.names().to_vec();
        if columns.is_empty() {
            return Err(Error::too_few(Self::NAME, "columns left", 1, 0));
        }
        let certificate =
            Certificate::without_evidence(Termination::Exact, "a selection computes nothing to prove");
        Ok(SelectColumnsModel { columns, certificate })
    }
}

impl Transformer for SelectColumnsModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(SelectColumns::NAME)?;
        let table = rows.table()?.select(&self.columns)?;
        let all: Vec<usize> = (0..table.n_rows()).collect();
        Ok(table.gather(&all).into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        self.columns.clone()
    }
}

impl Fitted for SelectColumnsModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let known = |c: &String| schema.features.iter().any(|f| f.name == *c);
        if self.columns.iter().all(known) {
            Ok(())
        } else {
            Err("a selected column is not in the schema".to_owned())
        }
    }
}
