//! Missing indicators: for each column, whether its value is missing.
//!
//! # Objective
//! $m_{ij} = 1$ where $x_{ij}$ is missing, else 0.
//!
//! # Algorithm
//! `fit` notes the columns with missing values; by default only those have an indicator.
//!
//! # Complexity
//! O(n d), or O(nnz) for sparse rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::MissingIndicator;
//! let x = Mat::from_rows(&[[1.0, f64::NAN], [2.0, 3.0]]).unwrap();
//! let model = MissingIndicator::default().fit(&Dataset::new(&x))?;
//! assert_eq!(model.transform(&x)?.dense("x")?.view().to_mat().as_slice(), &[1.0, 0.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! None. Columns of every kind are looked at.
//!
//! # References
//! - R. J. A. Little, D. B. Rubin. Statistical Analysis with Missing Data. Wiley, 2019. doi:10.1002/9781119482260

use super::parts::indicator_name;
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, ErrorKind, Fitted, Input, Learn, ParamKind,
    ParamType, Params, Result, RowData, Rows, Schema, Session, Termination, Transformer, Value,
};
use mercer_math::{Csr, Mat, Weights};
use serde::{Deserialize, Serialize};

/// Which columns have an indicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum IndicatorFeatures {
    /// Those with missing values in training.
    #[choice("missing-only")]
    MissingOnly,
    /// All.
    All,
}

/// Whether indicators come as sparse rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndicatorSparse {
    /// As the input does.
    Auto,
    /// Always.
    True,
    /// Never.
    False,
}

impl ParamType for IndicatorSparse {
    fn kind() -> ParamKind {
        ParamKind::Choice { words: &["auto", "true", "false"], number: false }
    }
    fn to_value(&self) -> Value {
        match self {
            IndicatorSparse::Auto => Value::Text("auto".to_owned()),
            other => Value::Bool(*other == IndicatorSparse::True),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(true) => Ok(IndicatorSparse::True),
            Value::Bool(false) => Ok(IndicatorSparse::False),
            Value::Text(word) if word == "auto" => Ok(IndicatorSparse::Auto),
            _ => Err("auto, true or false".to_owned()),
        }
    }
}

/// Missing indicators: a 0/1 column for each column that can be missing.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "missing-indicator",
    canon = "D5",
    task = Transformation,
    python = "impute",
    door = "missing_values=float('nan')",
    mixins = "ImputerMixin",
    can = "transform weights sparse missing categorical text times fills encodes",
    references = "Little, Rubin. Statistical Analysis with Missing Data. Wiley, 2019."
)]
pub struct MissingIndicator {
    /// Which columns have an indicator.
    #[param(default = IndicatorFeatures::MissingOnly)]
    pub features: IndicatorFeatures,
    /// Whether indicators come as sparse rows; auto means as the input does.
    #[param(default = IndicatorSparse::Auto)]
    pub sparse: IndicatorSparse,
    /// Whether a missing value in a column that had none in training is an error, where such columns have no indicator.
    #[param(default = true)]
    pub error_on_new: bool,
}

/// The columns that have an indicator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MissingIndicatorModel {
    columns: Vec<u32>,
    sparse: IndicatorSparse,
    refuses_new: bool,
    certificate: Certificate,
}

/// Calls `visit` with the row and column of each missing value, by rows (by columns in a table).
fn each_missing(rows: &Rows<'_>, mut visit: impl FnMut(usize, usize)) {
    match rows.data() {
        RowData::Dense(m) => {
            let x = m.view();
            for i in 0..x.n_rows() {
                (0..x.n_cols()).filter(|&j| x.get(i, j).is_nan()).for_each(|j| visit(i, j));
            }
        }
        RowData::Sparse(m) => {
            for i in 0..m.view().n_rows() {
                let (columns, values) = m.view().row(i);
                columns
                    .iter()
                    .zip(values)
                    .filter(|(_, v)| v.is_nan())
                    .for_each(|(&j, _)| visit(i, j as usize));
            }
        }
        RowData::Table(t) => {
            for (j, column) in t.columns().iter().enumerate() {
                (0..column.len()).filter(|&i| column.is_missing(i)).for_each(|i| visit(i, j));
            }
        }
    }
}

impl Learn for MissingIndicator {
    type Model = MissingIndicatorModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<MissingIndicatorModel> {
        let (rows, weights) = (data.rows(Self::NAME)?, data.weights());
        let all = self.features == IndicatorFeatures::All;
        let mut has = vec![all; rows.n_features()];
        each_missing(&rows, |i, j| has[j] |= Weights::of(&weights).counts(i));
        let columns = (0..has.len() as u32).filter(|&j| has[j as usize]).collect();
        let certificate =
            Certificate::without_evidence(Termination::Exact, "nothing is computed that could be proved");
        Ok(MissingIndicatorModel {
            columns,
            sparse: self.sparse,
            refuses_new: self.error_on_new && !all,
            certificate,
        })
    }
}

impl Transformer for MissingIndicatorModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(MissingIndicator::NAME)?;
        let (n, k) = (rows.n_rows(), self.columns.len());
        let (mut marks, mut new): (Vec<Vec<u32>>, _) = (vec![Vec::new(); n], None);
        each_missing(rows, |i, j| match self.columns.binary_search(&(j as u32)) {
            Ok(at) => marks[i].push(at as u32),
            Err(_) => new = new.or(Some((i, j))),
        });
        if let (Some((row, j)), true) = (new, self.refuses_new) {
            return Err(ErrorKind::BadValue {
                learner: MissingIndicator::NAME.to_owned(),
                value: "a missing value".to_owned(),
                column: rows.name(j),
                row,
                hint: "; the column had none in training (error_on_new)".to_owned(),
            }
            .into());
        }
        let sparse = match self.sparse {
            IndicatorSparse::Auto => rows.is_sparse(),
            other => other == IndicatorSparse::True,
        };
        if sparse {
            let mut out = Csr::empty(k);
            for mut row in marks {
                row.sort_unstable();
                out.push_row(&row, &vec![1.0; row.len()]);
            }
            return Ok(out.into());
        }
        let mut out = Mat::zeros(n, k);
        marks.iter().enumerate().for_each(|(i, row)| row.iter().for_each(|&at| out[(i, at as usize)] = 1.0));
        Ok(out.into())
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        self.columns.iter().map(|&j| indicator_name(&schema.features[j as usize].name)).collect()
    }
}

impl Fitted for MissingIndicatorModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let columns = self.columns.iter().map(|&j| i64::from(j)).collect();
        vec![Attribute::int(
            "features_",
            "The columns that have an indicator.",
            &[self.columns.len()],
            columns,
        )]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let ok = self.columns.windows(2).all(|w| w[0] < w[1])
            && self.columns.last().is_none_or(|&j| (j as usize) < schema.n_features());
        if ok { Ok(()) } else { Err("indicators do not fit the schema".to_owned()) }
    }
}
