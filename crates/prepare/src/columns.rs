//! Columns apart: each step on the columns that it is for, the results side by side.
//!
//! # Objective
//! None of its own: what each step makes of its columns, $[T_1(X_{J_1}), \dots, T_m(X_{J_m}), X_{\text{rest}}]$.
//!
//! # Algorithm
//! Columns are chosen by name or by kind at `fit`, stored, and fail by name when they are not there. A step that takes
//! documents is fitted on each of its columns alone. Results are put side by side: sparse where few values are not
//! zero, a table where some are no numbers, else dense.
//!
//! # Complexity
//! The sum of the steps', and one copy of the result.
//!
//! # Example
//! ```
//! use mercer_core::{Column, ColumnKind, Columns, Dataset, Fit, Table};
//! use mercer_prepare::{ColumnTransformer, OneHotEncoder, StandardScaler};
//! let table = Table::new(vec![
//!     ("mass".into(), Column::numbers(vec![1.0, 3.0])),
//!     ("island".into(), Column::categories(&[Some("a"), Some("b")])),
//! ])?;
//! let by_kind = ColumnTransformer::of(vec![
//!     ("numbers", Box::new(StandardScaler::default()), Columns::Kind(ColumnKind::Numeric)),
//!     ("levels", Box::new(OneHotEncoder::default()), Columns::Names(vec!["island".into()])),
//! ]);
//! let model = by_kind.fit(&Dataset::new(&table))?;
//! assert_eq!(model.transform(&table)?.n_features(), 3);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Those of the steps.
//!
//! # References
//! - L. Buitinck et al. API design for machine learning software. ECML workshop, 2013. arXiv:1309.0238

use mercer_core::{
    Abilities, Attribute, AttributeValues, Capabilities, Certificate, Choice, Column, ColumnStep,
    ColumnSteps, Columns, DataKind, Dataset, Error, Fitted, Input, Learn, Learner, NestedLearner,
    NestedModel, Params, Result, RowData, Rows, Schema, Session, Table, Termination, Transformer,
};
use mercer_math::{Csr, Mat};
use serde::{Deserialize, Serialize};

/// What becomes of columns that no step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Remainder {
    /// They are left out.
    Drop,
    /// They stay as they are, behind the others.
    Passthrough,
}

/// Columns apart: a step for the numbers, one for the categories, one for each text.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "columns column-transformer",
    canon = "D7",
    task = Transformation,
    python = "compose",
    tried = "transformers=[[a, standard-scaler, [x0, x1]], [b, imputer, rest]] | transformers=[[a, standard-scaler, [x2]]],remainder=passthrough",
    can = "transform weights missing categorical text times",
    references = "Buitinck et al. API design for machine learning software. 2013. arXiv:1309.0238"
)]
pub struct ColumnTransformer {
    /// The steps: name, transformer, and its columns (a list of names, a kind such as `numeric`, or `rest`).
    #[param(default = ColumnSteps::default(), transparent)]
    pub transformers: ColumnSteps,
    /// What becomes of columns that no step takes.
    #[param(default = Remainder::Drop)]
    pub remainder: Remainder,
    /// The result is sparse when a part is and fewer than this share of its values are not zero.
    #[param(default = 0.3, range = "[0, 1]")]
    pub sparse_threshold: f64,
    /// Whether names of columns begin with the name of their step.
    #[param(default = true)]
    pub verbose_feature_names_out: bool,
}

/// One fitted step and its columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    name: String,
    columns: Vec<String>,
    /// `None` for columns that pass through.
    model: Option<NestedModel>,
}

/// Fitted steps with their columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ColumnTransformerModel {
    parts: Vec<Part>,
    sparse_threshold: f64,
    prefixed: bool,
    certificate: Certificate,
}

impl ColumnTransformer {
    /// Steps by name, transformer and columns.
    pub fn of(steps: Vec<(&str, Box<dyn Learner>, Columns)>) -> Self {
        let step = |(name, learner, columns): (&str, Box<dyn Learner>, Columns)| ColumnStep {
            name: name.to_owned(),
            learner: NestedLearner(learner),
            columns,
        };
        Self { transformers: ColumnSteps(steps.into_iter().map(step).collect()), ..Self::default() }
    }

    fn steps(&self) -> impl Iterator<Item = &ColumnStep> {
        self.transformers.0.iter()
    }

    /// The columns of each step, and those that no step takes.
    fn resolve(&self, table: &Table<'_>) -> Result<(Vec<Vec<String>>, Vec<String>)> {
        let mut chosen: Vec<Vec<String>> = Vec::new();
        for step in self.steps() {
            chosen.push(match &step.columns {
                Columns::Names(names) => {
                    names.iter().try_for_each(|n| table.position(n).map(|_| ()))?;
                    names.clone()
                }
                Columns::Kind(kind) => {
                    table.iter().filter(|(_, c)| c.kind() == *kind).map(|(n, _)| n.to_owned()).collect()
                }
                Columns::Rest => Vec::new(),
            });
        }
        let taken: std::collections::HashSet<&String> = chosen.iter().flatten().collect();
        let left: Vec<String> = table.names().iter().filter(|n| !taken.contains(n)).cloned().collect();
        let rest = self.steps().position(|s| s.columns == Columns::Rest);
        Ok(match rest {
            Some(at) => {
                chosen[at] = left;
                (chosen, Vec::new())
            }
            None => (chosen, left),
        })
    }

    /// Fits every step on its columns; with `through`, they transform the rows as they do in training.
    fn run(
        &self,
        data: &Dataset<'_>,
        session: &Session,
        through: bool,
    ) -> Result<(ColumnTransformerModel, Vec<Rows<'static>>)> {
        let rows = data.rows(Self::NAME)?;
        let source = Source::new(&rows)?;
        let (chosen, left) = self.resolve(source.table())?;
        let (mut parts, mut made) = (Vec::new(), Vec::new());
        for (step, columns) in self.steps().zip(chosen) {
            let learner = step.learner.0.as_ref();
            // A step for documents takes them one column at a time.
            let cut = if learner.kinds().learns_from == DataKind::Strings { 1 } else { columns.len().max(1) };
            for columns in columns.chunks(cut) {
                let input = source.part(learner.kinds().learns_from, columns)?;
                let part = data.with_input(input)?;
                let weightless = part.weights().is_some() && !learner.capabilities().weights;
                let part = if weightless { part.without_weights() } else { part };
                let model = match through {
                    true => {
                        let (model, rows) = learner.train_transform(&part, session)?;
                        made.push(rows);
                        model
                    }
                    false => learner.train(&part, session)?,
                };
                parts.push(Part {
                    name: step.name.clone(),
                    columns: columns.to_vec(),
                    model: Some(NestedModel(model)),
                });
            }
        }
        if self.remainder == Remainder::Passthrough && !left.is_empty() {
            if through {
                made.push(source.passed(&left)?);
            }
            parts.push(Part { name: "remainder".to_owned(), columns: left, model: None });
        }
        if parts.is_empty() {
            return Err(Error::too_few(Self::NAME, "columns taken by a step", 1, 0));
        }
        let mut certificate =
            Certificate::without_evidence(Termination::Exact, "columns apart prove what their steps prove");
        let child = |p: &Part| Some((p.name.clone(), p.model.as_ref()?.0.certificate().clone()));
        certificate.children = parts.iter().filter_map(child).collect();
        let (sparse_threshold, prefixed) = (self.sparse_threshold, self.verbose_feature_names_out);
        Ok((ColumnTransformerModel { parts, sparse_threshold, prefixed, certificate }, made))
    }
}

impl Learn for ColumnTransformer {
    type Model = ColumnTransformerModel;
    const COMPOSITE: bool = true;

    fn capabilities(&self) -> Capabilities {
        let each: Vec<Capabilities> = self.steps().map(|s| s.learner.0.capabilities()).collect();
        let any = |f: fn(&Capabilities) -> bool| each.iter().any(f);
        let all = |f: fn(&Capabilities) -> bool| each.iter().all(f) && self.remainder == Remainder::Drop;
        Capabilities {
            missing: each.iter().all(|c| c.missing),
            sparse: each.iter().all(|c| c.sparse),
            supervised: any(|c| c.supervised),
            cross_fits: any(|c| c.cross_fits),
            random: any(|c| c.random),
            ordered: any(|c| c.ordered),
            counts_rows: any(|c| c.counts_rows || !c.weights),
            nonnegative: any(|c| c.nonnegative),
            fills: all(|c| c.fills),
            encodes: all(|c| c.encodes),
            ..<Self as Params>::declaration().capabilities
        }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let rests = self.steps().filter(|s| s.columns == Columns::Rest).count();
        if rests > 1 {
            return Err(Error::param(Self::NAME, "transformers", "with `rest` at most once", rests));
        }
        for (i, step) in self.steps().enumerate() {
            step.learner.0.check()?;
            let bad_name = step.name.is_empty() || step.name.contains("__") || step.name == "remainder";
            if bad_name || self.steps().take(i).any(|other| other.name == step.name) {
                let expected = "named differently, without `__`, and not `remainder`";
                return Err(Error::param(Self::NAME, "transformers", expected, &step.name));
            }
            if !step.learner.0.capabilities().transform {
                let who = step.learner.0.declaration().name;
                return Err(Error::param(Self::NAME, &step.name, "a transformer", who));
            }
        }
        Ok(())
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ColumnTransformerModel> {
        self.run(data, session, false).map(|(model, _)| model)
    }

    fn learn_transform(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<(ColumnTransformerModel, Rows<'static>)>> {
        let learnt = self.run(data, session, true);
        Some(learnt.and_then(|(model, made)| {
            let rows = model.join(made)?;
            Ok((model, rows))
        }))
    }
}

/// Where steps take their columns from: a table, or sparse rows with a table of their names that has no rows.
enum Source<'r, 'a> {
    Table(Table<'r>),
    Sparse(&'r Rows<'a>, Table<'static>),
}

impl<'r, 'a> Source<'r, 'a> {
    fn new(rows: &'r Rows<'a>) -> Result<Self> {
        if !rows.is_sparse() {
            return Ok(Source::Table(rows.table()?));
        }
        let empty = |j: usize| (rows.name(j), Column::numbers(Vec::new()));
        Ok(Source::Sparse(rows, Table::new((0..rows.n_features()).map(empty).collect())?))
    }

    /// Names and kinds of the columns.
    fn table(&self) -> &Table<'_> {
        match self {
            Source::Table(table) => table,
            Source::Sparse(_, names) => names,
        }
    }

    /// Some columns of sparse rows.
    fn sparse(rows: &Rows<'_>, names: &Table<'_>, columns: &[String]) -> Result<Rows<'static>> {
        let places = columns.iter().map(|c| names.position(c)).collect::<Result<Vec<_>>>()?;
        rows.columns(&places)?.named(columns.to_vec())
    }

    /// The columns of a part as its step takes them.
    fn part(&self, takes: DataKind, columns: &[String]) -> Result<Input<'r>> {
        use DataKind::{Density, Environment, Graphs, Mdp, States, Strings};
        match (self, takes, columns) {
            (Source::Sparse(rows, names), DataKind::Rows | DataKind::Series, _) => {
                Ok(Input::from(Self::sparse(rows, names, columns)?))
            }
            (Source::Table(table), Strings, [name]) => {
                let column = table.column(name)?;
                let text = |i: usize| column.text(i).map_or_else(String::new, |t| t.into_owned());
                Ok(Input::Strings((0..column.len()).map(text).collect()))
            }
            (Source::Table(table), DataKind::Rows | Strings | DataKind::Series, _) => {
                Ok(Input::from(table.select(columns)?))
            }
            (_, Density | Environment | Mdp | States | Graphs | Strings, _) => {
                let of = if matches!(self, Source::Table(_)) { "columns" } else { "sparse rows" };
                Err(Error::incapable(ColumnTransformer::NAME, format!("make {takes} of {of}")))
            }
        }
    }

    /// Columns that pass through: as numbers where all are.
    fn passed(&self, columns: &[String]) -> Result<Rows<'static>> {
        let table = match self {
            Source::Sparse(rows, names) => return Self::sparse(rows, names, columns),
            Source::Table(table) => table.select(columns)?,
        };
        let all: Vec<usize> = (0..table.n_rows()).collect();
        let copied = table.gather(&all);
        let rows = Rows::from(copied.clone());
        Ok(match rows.dense(ColumnTransformer::NAME) {
            Ok(matrix) => Rows::from(matrix.view().to_mat()),
            Err(_) => Rows::from(copied),
        })
    }
}

impl ColumnTransformerModel {
    /// The names of what a part makes.
    fn part_names(&self, part: &Part) -> Vec<String> {
        let own = match &part.model {
            Some(model) => model.0.names_out().unwrap_or_default(),
            None => part.columns.clone(),
        };
        // Terms of one text are told from those of another by the name of its column.
        let by_column = part.model.as_ref().is_some_and(|m| m.0.schema().kind == DataKind::Strings)
            && self.parts.iter().filter(|p| p.name == part.name).count() > 1;
        let prefix = match (self.prefixed, by_column) {
            (true, true) => format!("{}__{}__", part.name, part.columns.concat()),
            (true, false) => format!("{}__", part.name),
            (false, true) => format!("{}__", part.columns.concat()),
            (false, false) => String::new(),
        };
        own.into_iter().map(|n| format!("{prefix}{n}")).collect()
    }

    /// Results side by side.
    fn join(&self, made: Vec<Rows<'static>>) -> Result<Rows<'static>> {
        if made.iter().any(|rows| matches!(rows.data(), RowData::Table(_))) {
            return self.join_tables(&made);
        }
        let n_rows = made.first().map_or(0, Rows::n_rows);
        let n_cols: usize = made.iter().map(Rows::n_features).sum();
        let filled = |rows: &Rows<'_>| match rows.data() {
            RowData::Sparse(m) => m.view().nnz(),
            _ => rows.n_rows() * rows.n_features(),
        };
        let nnz: usize = made.iter().map(filled).sum();
        let sparse = made.iter().any(Rows::is_sparse)
            && (nnz as f64) < self.sparse_threshold * (n_rows * n_cols) as f64;
        Ok(if sparse {
            side_by_side_sparse(&made, n_rows, n_cols, nnz)?.into()
        } else {
            side_by_side(&made, n_rows, n_cols)?.into()
        })
    }

    fn join_tables(&self, made: &[Rows<'static>]) -> Result<Rows<'static>> {
        let mut columns: Vec<(String, Column<'static>)> = Vec::new();
        for (part, rows) in self.parts.iter().zip(made) {
            let table = rows.table()?;
            let names = self.part_names(part);
            for (name, (_, column)) in names.into_iter().zip(table.iter()) {
                columns.push((name, column.as_ref().clone().into_owned()));
            }
        }
        Ok(Table::new(columns)?.into())
    }
}

fn side_by_side(made: &[Rows<'_>], n_rows: usize, n_cols: usize) -> Result<Mat> {
    let mut out = Mat::zeros(n_rows, n_cols);
    let mut at = 0;
    for rows in made {
        match rows.data() {
            RowData::Sparse(m) => {
                for i in 0..n_rows {
                    let (indices, values) = m.view().row(i);
                    let row = out.row_mut(i);
                    indices.iter().zip(values).for_each(|(&j, &v)| row[at + j as usize] = v);
                }
            }
            _ => {
                let dense = rows.dense(ColumnTransformer::NAME)?;
                let (view, d) = (dense.view(), rows.n_features());
                for i in 0..n_rows {
                    (0..d).for_each(|j| out[(i, at + j)] = view.get(i, j));
                }
            }
        }
        at += rows.n_features();
    }
    Ok(out)
}

fn side_by_side_sparse(made: &[Rows<'_>], n_rows: usize, n_cols: usize, nnz: usize) -> Result<Csr> {
    if u32::try_from(n_cols).is_err() {
        return Err(Error::shape("columns of a sparse result, at most", u32::MAX as usize, n_cols));
    }
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::with_capacity(nnz), Vec::with_capacity(nnz));
    let dense = made.iter().map(|rows| match rows.data() {
        RowData::Sparse(_) => Ok(None),
        _ => rows.dense(ColumnTransformer::NAME).map(Some),
    });
    let dense = dense.collect::<Result<Vec<_>>>()?;
    for i in 0..n_rows {
        let mut at = 0u32;
        for (rows, dense) in made.iter().zip(&dense) {
            match (rows.data(), dense) {
                (RowData::Sparse(m), _) => {
                    let (js, vs) = m.view().row(i);
                    indices.extend(js.iter().map(|j| at + j));
                    values.extend_from_slice(vs);
                }
                (_, Some(matrix)) => {
                    let row = matrix.view().row_cow(i);
                    for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                        indices.push(at + j as u32);
                        values.push(v);
                    }
                }
                _ => {}
            }
            at += rows.n_features() as u32;
        }
        indptr.push(indices.len());
    }
    Csr::new(indptr, indices, values, n_cols)
        .ok_or_else(|| Error::shape("columns of a sparse result", n_cols, n_cols))
}

impl Transformer for ColumnTransformerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(ColumnTransformer::NAME)?;
        let source = Source::new(rows)?;
        let part = |part: &Part| match &part.model {
            Some(model) => {
                let kind = model.0.learner().kinds().asked_about;
                model.0.transform(&source.part(kind, &part.columns)?, session)
            }
            None => source.passed(&part.columns),
        };
        self.join(self.parts.iter().map(part).collect::<Result<Vec<_>>>()?)
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        self.parts.iter().flat_map(|part| self.part_names(part)).collect()
    }
}

impl Fitted for ColumnTransformerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let columns = self.parts.iter().map(|p| AttributeValues::Text(p.columns.clone())).collect();
        vec![Attribute::several(
            "columns_",
            "The columns of each step, those that pass through last.",
            columns,
        )]
    }

    fn parts(&self) -> Vec<(&str, &NestedModel)> {
        self.parts.iter().filter_map(|p| Some((p.name.as_str(), p.model.as_ref()?))).collect()
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let known = |c: &String| schema.features.iter().any(|f| f.name == *c);
        let fits = |part: &Part| {
            let transforms = part.model.as_ref().is_none_or(|m| m.0.can().transform);
            let one = part
                .model
                .as_ref()
                .is_none_or(|m| m.0.schema().kind != DataKind::Strings || part.columns.len() == 1);
            transforms && one && part.columns.iter().all(known)
        };
        match !self.parts.is_empty() && self.parts.iter().all(fits) {
            true => Ok(()),
            false => Err("steps that do not fit the columns of the schema".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OneHotEncoder, Pipeline, SimpleImputer, StandardScaler};
    use mercer_core::{ColumnKind, Fit, Value};

    fn table() -> Table<'static> {
        Table::new(vec![
            ("a".into(), Column::numbers(vec![1.0, 2.0, f64::NAN])),
            ("k".into(), Column::categories(&[Some("x"), Some("y"), Some("x")])),
            ("b".into(), Column::numbers(vec![5.0, 6.0, 7.0])),
        ])
        .unwrap()
    }

    fn by_kind() -> ColumnTransformer {
        let numbers = Pipeline::of(vec![
            ("impute", Box::new(SimpleImputer::default())),
            ("scale", Box::new(StandardScaler::default())),
        ]);
        ColumnTransformer::of(vec![
            ("numbers", Box::new(numbers), Columns::Kind(ColumnKind::Numeric)),
            ("levels", Box::new(OneHotEncoder::default()), Columns::Kind(ColumnKind::Categorical)),
        ])
    }

    #[test]
    fn parts_stand_side_by_side_with_names() {
        let model = by_kind().fit(&Dataset::new(table())).unwrap();
        let rows = model.transform(table()).unwrap();
        let names: Vec<String> = rows.names().unwrap().to_vec();
        assert_eq!(names[..2], ["numbers__a", "numbers__b"]);
        let dense = rows.dense("test").unwrap();
        assert_eq!(dense.view().row_cow(1)[2..], [0.0, 1.0]);
        assert!((dense.view().get(2, 1) - 1.224744871391589).abs() < 1e-12);
    }

    #[test]
    fn the_remainder_stays_or_goes_and_rest_takes_it() {
        let scale =
            |columns| ColumnTransformer::of(vec![("s", Box::new(StandardScaler::default()), columns)]);
        let only_b = scale(Columns::Names(vec!["b".into()]));
        let data = Dataset::new(table());
        assert_eq!(only_b.fit(&data).unwrap().transform(table()).unwrap().n_features(), 1);
        let kept = only_b.clone().remainder(Remainder::Passthrough).fit(&data).unwrap();
        let out = kept.transform(table()).unwrap();
        assert_eq!(out.names().unwrap().to_vec(), ["s__b", "remainder__a", "remainder__k"]);
        let rest = scale(Columns::Rest).fit(&data).unwrap();
        assert_eq!(rest.transform(table()).unwrap().n_features(), 3);
    }

    #[test]
    fn what_is_not_there_fails_by_name() {
        let gone = ColumnTransformer::of(vec![(
            "s",
            Box::new(StandardScaler::default()),
            Columns::Names(vec!["mas".into()]),
        )]);
        assert!(gone.fit(&Dataset::new(table())).unwrap_err().to_string().contains("mas"));
        let nothing = ColumnTransformer::default().fit(&Dataset::new(table()));
        assert!(nothing.unwrap_err().to_string().contains("columns"));
    }

    #[test]
    fn it_is_written_and_read_as_a_value_and_reached_by_path() {
        let mut learner = by_kind();
        learner.set("numbers__impute__strategy", &Value::Text("median".into())).unwrap();
        let text = Value::Object(Params::to_object(&learner)).to_json();
        assert!(text.to_string().contains("\"median\""), "{text}");
        mercer_core::catalogue::register(crate::learners());
        let Some(Value::Object(object)) = Value::from_json(&text) else { panic!("an object") };
        let back = ColumnTransformer::from_object(&object).unwrap();
        assert_eq!(Value::Object(Params::to_object(&back)).to_json(), text);
    }

    #[test]
    fn sparse_rows_stay_sparse_and_give_the_dense_answer() {
        let dense = Mat::from_fn(30, 6, |i, j| if (i * 7 + j * 3) % 5 == 0 { (i + j) as f64 } else { 0.0 });
        let sparse = Csr::from_dense(dense.view());
        let columns = |names: &[&str]| Columns::Names(names.iter().map(|n| (*n).to_owned()).collect());
        let scale: Box<dyn Learner> = Box::new(StandardScaler::default().with_mean(false));
        // In another order than that of the rows.
        let mut learner = ColumnTransformer::of(vec![("a", scale, columns(&["x4", "x1"]))]);
        learner.remainder = Remainder::Passthrough;
        let one = learner.fit(&Dataset::new(&dense)).unwrap().transform(&dense).unwrap();
        let other = learner.fit(&Dataset::new(&sparse)).unwrap().transform(&sparse).unwrap();
        assert!(other.is_sparse() && !one.is_sparse());
        assert_eq!(one.names(), other.names());
        let numbers = |rows: &Rows<'_>| rows.dense("x").unwrap().view().to_mat();
        let (one, other) = (numbers(&one), numbers(&other));
        assert!(one.as_slice().iter().zip(other.as_slice()).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}
