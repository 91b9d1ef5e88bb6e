//! What Python hands over: a float64 matrix as it is, everything else as a tuple that `mercer/_data.py` prepares.
//!
//! ```text
//! X        ndarray (float64, 2-D) | ("matrix", ndarray, names) | ("table", n_rows, columns)
//!          | ("csr", indptr, indices, values, n_columns, names | None) | ("strings", [str])
//!          | ("series", int64 starts, float64 values, coordinates) | ("graphs", [(nodes, int64 ends, float64 weights, …)])
//!          | ("density", name) | ("callable", function, name, dim, start) | ("mdp", Process)
//!          | ("environment", name) | ("walk", Process) | ("foreign", what Python says of an environment of its own)
//! column   (name, "number", float64) | (name, "level", uint32 codes, levels) | (name, "truth", uint8: 2 is missing)
//!          | (name, "text", [str | None]) | (name, "time", int64 microseconds, the least of them missing)
//! y        None | ("numbers", [float64, …], name) | ("classes", uint32 codes, labels, name)
//!          | ("many", [uint32 codes, …], [labels, …])
//! ```

use crate::buffers::{HeldMatrix, HeldSlice};
use crate::density::{Callables, Failure};
use crate::environments::Foreign;
use crate::errors::{bad, raise};
use crate::planning::PyMdp;
use crate::structures;
use mercer::math::CsrRef;
use mercer::{
    Column, Dataset, Density, Environment, Error, Graph, Input, Label, Labels, Mdp, Rows, Series, Table,
    Target, TargetColumn, TargetKind, TargetValues,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple};
use std::borrow::Cow;
use std::sync::Arc;

/// An input whose memory is held.
#[derive(Debug)]
pub(crate) enum Held {
    Matrix(HeldMatrix, Option<Arc<[String]>>),
    Table(usize, Vec<(String, HeldColumn)>),
    Csr(HeldCsr),
    Strings(Vec<String>),
    Series(Arc<Series>),
    Graphs(Vec<Graph>),
    Density(Density),
    Callable(Density, Failure),
    Mdp(Arc<Mdp>),
    Environment(Environment, Option<Failure>),
}

#[derive(Debug)]
pub(crate) enum HeldColumn {
    Numbers(HeldSlice<f64>),
    Levels(HeldSlice<u32>, Arc<[String]>),
    Truths(Vec<Option<bool>>),
    Texts(Vec<Option<String>>),
    Times(HeldSlice<i64>),
}

#[derive(Debug)]
pub(crate) struct HeldCsr {
    indptr: Vec<usize>,
    indices: HeldSlice<i32>,
    values: HeldSlice<f64>,
    n_cols: usize,
    names: Option<Arc<[String]>>,
}

fn item<'py>(tuple: &Bound<'py, PyTuple>, at: usize) -> PyResult<Bound<'py, PyAny>> {
    tuple.get_item(at)
}

pub(crate) fn slice<T: numpy::Element + Copy>(array: &Bound<'_, PyAny>) -> PyResult<HeldSlice<T>> {
    HeldSlice::of(array).ok_or_else(|| bad("an array of another type or layout than expected"))
}

fn names(list: &Bound<'_, PyAny>) -> PyResult<Option<Arc<[String]>>> {
    Ok(list.extract::<Option<Vec<String>>>()?.map(Into::into))
}

impl Held {
    pub(crate) fn of(x: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(matrix) = HeldMatrix::of(x) {
            return Ok(Held::Matrix(matrix, None));
        }
        let tuple = x.cast::<PyTuple>().map_err(|_| bad(format!("cannot take a {}", x.get_type())))?;
        let tag: String = item(tuple, 0)?.extract()?;
        let first = item(tuple, 1)?;
        Ok(match tag.as_str() {
            "matrix" => {
                let matrix = HeldMatrix::of(&first).ok_or_else(|| bad("not a float64 matrix"))?;
                Held::Matrix(matrix, names(&item(tuple, 2)?)?)
            }
            "table" => {
                let columns =
                    item(tuple, 2)?.try_iter()?.map(|column| held_column(column?.cast::<PyTuple>()?));
                Held::Table(first.extract()?, columns.collect::<PyResult<_>>()?)
            }
            "csr" => Held::Csr(HeldCsr::of(tuple)?),
            "strings" => Held::Strings(first.extract()?),
            "series" => Held::Series(structures::series(tuple)?),
            "graphs" => Held::Graphs(structures::graphs(&first)?),
            "density" => Held::Density(mercer::bayes::density(first.extract()?).map_err(raise)?),
            "callable" => {
                let (density, failure) = first.extract::<Callables>()?.density();
                Held::Callable(density, failure)
            }
            "mdp" => Held::Mdp(first.cast::<PyMdp>()?.get().0.clone()),
            "environment" => {
                Held::Environment(mercer::rl::environment(first.extract()?).map_err(raise)?, None)
            }
            "walk" => {
                let mdp = first.cast::<PyMdp>()?.get().0.as_ref().clone();
                Held::Environment(Environment::of_mdp("mdp", mdp).map_err(raise)?, None)
            }
            "foreign" => {
                let (environment, failure) = first.extract::<Foreign>()?.environment()?;
                Held::Environment(environment, Some(failure))
            }
            other => return Err(bad(format!("unknown kind of data `{other}`"))),
        })
    }

    /// The data as Mercer sees them.
    pub(crate) fn input(&self) -> Result<Input<'_>, Error> {
        Ok(match self {
            Held::Matrix(matrix, names) => Input::Rows(named(matrix.view().into(), names)?),
            Held::Table(_, columns) => {
                let columns = columns.iter().map(|(name, column)| (name.clone(), column.column())).collect();
                Table::new(columns)?.into()
            }
            Held::Csr(csr) => Input::Rows(named(csr.view()?.into(), &csr.names)?),
            Held::Strings(strings) => Input::Strings(Cow::Borrowed(strings)),
            Held::Series(series) => Input::Series(series.clone()),
            Held::Graphs(graphs) => Input::Graphs(Cow::Borrowed(graphs)),
            Held::Density(density) | Held::Callable(density, _) => density.clone().into(),
            Held::Mdp(mdp) => Input::Mdp(mdp.clone()),
            Held::Environment(environment, _) => environment.clone().into(),
        })
    }

    /// Whether work on these data is quick enough to stay on the caller's thread.
    pub(crate) fn is_small(&self) -> bool {
        const LIMIT: usize = 64 << 10;
        match self {
            Held::Matrix(matrix, _) => matrix.shape()[0] * matrix.shape()[1] * 8 < LIMIT,
            Held::Table(n_rows, columns) => n_rows * columns.len() * 8 < LIMIT,
            Held::Csr(csr) => csr.values.slice().len() * 8 < LIMIT,
            Held::Strings(strings) => strings.iter().map(String::len).sum::<usize>() < LIMIT / 16,
            Held::Density(_)
            | Held::Callable(..)
            | Held::Mdp(_)
            | Held::Environment(..)
            | Held::Series(_)
            | Held::Graphs(_) => false,
        }
    }

    /// Where a function of the user's left its exception.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        match self {
            Held::Callable(_, failure) => Some(failure),
            Held::Matrix(..)
            | Held::Table(..)
            | Held::Csr(_)
            | Held::Strings(_)
            | Held::Series(_)
            | Held::Graphs(_)
            | Held::Density(_)
            | Held::Mdp(_) => None,
            Held::Environment(_, failure) => failure.as_ref(),
        }
    }
}

fn named<'a>(rows: Rows<'a>, names: &Option<Arc<[String]>>) -> Result<Rows<'a>, Error> {
    match names {
        Some(names) => rows.named(names.clone()),
        None => Ok(rows),
    }
}

fn held_column(tuple: &Bound<'_, PyTuple>) -> PyResult<(String, HeldColumn)> {
    let (name, kind, values) = (item(tuple, 0)?, item(tuple, 1)?, item(tuple, 2)?);
    let kind: String = kind.extract()?;
    let column = match kind.as_str() {
        "number" => HeldColumn::Numbers(slice(&values)?),
        "level" => HeldColumn::Levels(slice(&values)?, item(tuple, 3)?.extract::<Vec<String>>()?.into()),
        "truth" => {
            let truth = |&b: &u8| if b > 1 { None } else { Some(b == 1) };
            HeldColumn::Truths(slice::<u8>(&values)?.slice().iter().map(truth).collect())
        }
        "text" => HeldColumn::Texts(values.extract()?),
        "time" => HeldColumn::Times(slice(&values)?),
        other => return Err(bad(format!("unknown kind of column `{other}`"))),
    };
    Ok((name.extract()?, column))
}

impl HeldColumn {
    fn column(&self) -> Column<'_> {
        match self {
            HeldColumn::Numbers(values) => Column::Numeric(Cow::Borrowed(values.slice())),
            HeldColumn::Levels(codes, levels) => {
                Column::Categorical { codes: Cow::Borrowed(codes.slice()), levels: levels.clone() }
            }
            HeldColumn::Truths(values) => Column::Boolean(Cow::Borrowed(values)),
            HeldColumn::Texts(values) => Column::Text(Cow::Borrowed(values)),
            HeldColumn::Times(values) => Column::Time(Cow::Borrowed(values.slice())),
        }
    }
}

impl HeldCsr {
    fn of(tuple: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let indptr = slice::<i64>(&item(tuple, 1)?)?;
        Ok(Self {
            indptr: indptr.slice().iter().map(|&p| usize::try_from(p).unwrap_or(usize::MAX)).collect(),
            indices: slice(&item(tuple, 2)?)?,
            values: slice(&item(tuple, 3)?)?,
            n_cols: item(tuple, 4)?.extract()?,
            names: names(&item(tuple, 5)?)?,
        })
    }

    fn view(&self) -> Result<CsrRef<'_>, Error> {
        let view = CsrRef::new(&self.indptr, self.indices.unsigned(), self.values.slice(), self.n_cols);
        view.ok_or_else(|| {
            Error::shape("columns of a sparse matrix whose indices are all below", self.n_cols, 0)
        })
    }
}

/// A target whose memory is held.
#[derive(Debug)]
pub(crate) enum HeldTarget {
    Numbers(Vec<HeldSlice<f64>>, Option<String>),
    Classes(Vec<(HeldSlice<u32>, Labels)>, Option<String>),
}

impl HeldTarget {
    pub(crate) fn of(y: &Bound<'_, PyAny>) -> PyResult<Self> {
        let tuple = y.cast::<PyTuple>()?;
        let values = item(tuple, 1)?;
        match item(tuple, 0)?.extract::<String>()?.as_str() {
            "numbers" => {
                let columns = values.try_iter()?.map(|column| slice(&column?)).collect::<PyResult<_>>()?;
                Ok(HeldTarget::Numbers(columns, item(tuple, 2)?.extract()?))
            }
            "many" => {
                let pairs = values.try_iter()?.zip(item(tuple, 2)?.try_iter()?);
                let columns = pairs.map(|(codes, labels)| Ok((slice(&codes?)?, labels_of(&labels?)?)));
                Ok(HeldTarget::Classes(columns.collect::<PyResult<_>>()?, None))
            }
            _ => {
                let column = (slice(&values)?, labels_of(&item(tuple, 2)?)?);
                Ok(HeldTarget::Classes(vec![column], item(tuple, 3)?.extract()?))
            }
        }
    }

    pub(crate) fn target(&self) -> Result<Target<'_>, Error> {
        match self {
            HeldTarget::Numbers(columns, name) => Target::new(
                columns
                    .iter()
                    .map(|values| TargetColumn {
                        name: name.clone(),
                        kind: TargetKind::Real,
                        values: TargetValues::Numbers(Cow::Borrowed(values.slice())),
                    })
                    .collect(),
            ),
            HeldTarget::Classes(columns, name) => Target::new(
                columns
                    .iter()
                    .map(|(codes, labels)| TargetColumn {
                        name: name.clone(),
                        kind: TargetKind::Class(labels.clone()),
                        values: TargetValues::Codes(Cow::Borrowed(codes.slice())),
                    })
                    .collect(),
            ),
        }
    }
}

fn labels_of(labels: &Bound<'_, PyAny>) -> PyResult<Labels> {
    let labels = labels.try_iter()?.map(|label| label_of(&label?)).collect::<PyResult<Vec<_>>>()?;
    Ok(labels.into())
}

fn label_of(label: &Bound<'_, PyAny>) -> PyResult<Label> {
    if let Ok(truth) = label.cast::<PyBool>() {
        return Ok(Label::Bool(truth.is_true()));
    }
    if label.is_instance_of::<PyInt>() {
        return Ok(Label::Int(label.extract()?));
    }
    if label.is_instance_of::<PyFloat>() {
        return Ok(Label::Real(label.extract()?));
    }
    let text =
        label.cast::<PyString>().map_err(|_| bad(format!("a class cannot be a {}", label.get_type())))?;
    Ok(Label::Text(text.extract()?))
}

/// A data set whose memory is held.
#[derive(Debug)]
pub(crate) struct HeldData {
    pub(crate) x: Held,
    y: Option<HeldTarget>,
    weights: Option<HeldSlice<f64>>,
    groups: Option<HeldSlice<u32>>,
}

impl HeldData {
    pub(crate) fn of(
        x: &Bound<'_, PyAny>,
        y: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let weights = weights.map(slice).transpose()?;
        Ok(Self { x: Held::of(x)?, y: y.map(HeldTarget::of).transpose()?, weights, groups: None })
    }

    /// The data with a group for each row.
    pub(crate) fn with_groups(mut self, groups: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        self.groups = groups.map(slice).transpose()?;
        Ok(self)
    }

    pub(crate) fn dataset(&self) -> Result<Dataset<'_>, Error> {
        let mut data = Dataset::new(self.x.input()?);
        if let Some(y) = &self.y {
            data = data.with_target(y.target()?)?;
        }
        if let Some(weights) = &self.weights {
            data = data.with_weights(weights.slice())?;
        }
        match &self.groups {
            Some(groups) => data.with_groups(groups.slice()),
            None => Ok(data),
        }
    }
}

/// The address at which Mercer reads a prepared matrix, so that tests can see that nothing was copied.
#[pyfunction]
pub(crate) fn is_view(prepared: &Bound<'_, PyAny>, address: usize) -> PyResult<bool> {
    match Held::of(prepared)? {
        Held::Matrix(matrix, _) => Ok(matrix.address() == address),
        _ => Ok(false),
    }
}

/// The English stop words.
#[pyfunction]
pub(crate) fn stop_words() -> Vec<&'static str> {
    mercer::prepare::english_stop_words().collect()
}
