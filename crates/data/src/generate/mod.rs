//! Generators of textbook data: blobs, moons, circles, Friedman's functions, the Swiss roll, ….
//!
//! A generator is asked for by a text, `moons:n_samples=200,noise=0.1`, wherever data are wanted. Names, parameters and
//! shapes follow scikit-learn's `make_*`; the random streams are Mercer's own, so the values are not.

mod classes;
mod matrices;
mod numbers;
#[cfg(test)]
mod tests;

pub use numbers::{friedman_inputs, friedman_mean};

use crate::infer::{Inferred, Loaded};
use mercer_core::{Column, ColumnKind, Error, Object, Result, Table, Task, Value, closest};
use mercer_math::{Mat, Rng, rng_for, shuffle};
use std::collections::BTreeMap;

/// A generator: one row of [`GENERATORS`].
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Its name: `moons`.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// What its target is for.
    pub task: Task,
    /// Its parameters.
    pub params: &'static [GeneratorParam],
    make: fn(&Args<'_>, &mut Rng) -> Result<Generated>,
}

/// A parameter of a [`Generator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneratorParam {
    /// Its name.
    pub name: &'static str,
    /// Its default, in the grammar of values.
    pub default: &'static str,
    /// One line of meaning.
    pub doc: &'static str,
}

/// Generated data.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The rows.
    pub x: Mat,
    /// The target.
    pub y: GeneratedTarget,
    /// What else is known, by name: the true coefficients, the dictionary of a code, the noise-free target.
    pub more: Vec<(&'static str, Mat)>,
}

/// The target of [`Generated`] data.
#[derive(Clone, Debug, PartialEq)]
pub enum GeneratedTarget {
    /// Classes or groups.
    Classes(Vec<u32>),
    /// Numbers, a column a target.
    Numbers(Mat),
    /// None.
    None,
}

const fn param(name: &'static str, default: &'static str, doc: &'static str) -> GeneratorParam {
    GeneratorParam { name, default, doc }
}

const N: GeneratorParam = param("n_samples", "100", "Number of rows.");
const NOISE: GeneratorParam = param("noise", "0", "Standard deviation of the Gaussian noise that is added.");
const SHUFFLE: GeneratorParam = param("shuffle", "true", "Whether to shuffle the rows.");

/// All generators.
#[rustfmt::skip]
pub static GENERATORS: &[Generator] = &[
    Generator { name: "blobs", doc: "Gaussian blobs, one a class.", task: Task::Classification, make: classes::blobs, params: &[
        N, param("n_features", "2", "Number of features."), param("centers", "3", "Number of blobs."),
        param("cluster_std", "1", "Standard deviation of each blob."),
        param("center_box", "[-10, 10]", "The interval in which centres are drawn."), SHUFFLE] },
    Generator { name: "moons", doc: "Two half circles that interleave.", task: Task::Classification, make: classes::moons, params: &[N, SHUFFLE, NOISE] },
    Generator { name: "circles", doc: "A circle inside another.", task: Task::Classification, make: classes::circles, params: &[
        N, SHUFFLE, NOISE, param("factor", "0.8", "The inner radius over the outer.")] },
    Generator { name: "classification", doc: "Clusters at the corners of a cube, with redundant, repeated and useless features (Guyon 2003).", task: Task::Classification, make: classes::classification, params: &[
        N, param("n_features", "20", "Number of features."), param("n_informative", "2", "Features that tell classes apart."),
        param("n_redundant", "2", "Random combinations of those."), param("n_repeated", "0", "Copies of any of both."),
        param("n_classes", "2", "Number of classes."), param("n_clusters_per_class", "2", "Clusters of each class."),
        param("weights", "none", "The share of each class; none means equal ones."), param("flip_y", "0.01", "The share of rows whose class is drawn again."),
        param("class_sep", "1", "Half the side of the cube."), param("hypercube", "true", "Whether clusters lie at the corners of a cube, else of a random polytope."), SHUFFLE] },
    Generator { name: "gaussian_quantiles", doc: "One Gaussian cut into classes by the distance from its mean.", task: Task::Classification, make: classes::gaussian_quantiles, params: &[
        N, param("n_features", "2", "Number of features."), param("n_classes", "3", "Number of classes."), param("cov", "1", "Variance of each feature."), SHUFFLE] },
    Generator { name: "regression", doc: "A linear target of some of the features.", task: Task::Regression, make: numbers::regression, params: &[
        N, param("n_features", "100", "Number of features."), param("n_informative", "10", "Features with a coefficient."),
        param("n_targets", "1", "Number of targets."), param("bias", "0", "The intercept."),
        param("effective_rank", "none", "About how many singular vectors explain the rows; none means independent features."),
        param("tail_strength", "0.5", "The weight of the noisy tail of the singular values."), NOISE, SHUFFLE] },
    Generator { name: "friedman1", doc: "10 sin(π x₀ x₁) + 20 (x₂ − ½)² + 10 x₃ + 5 x₄ (Friedman 1991).", task: Task::Regression, make: numbers::friedman1, params: &[
        N, param("n_features", "10", "Number of features, five of them of use."), NOISE] },
    Generator { name: "friedman2", doc: "√(x₀² + (x₁x₂ − 1/(x₁x₃))²) (Friedman 1991).", task: Task::Regression, make: numbers::friedman2, params: &[N, NOISE] },
    Generator { name: "friedman3", doc: "atan((x₁x₂ − 1/(x₁x₃)) / x₀) (Friedman 1991).", task: Task::Regression, make: numbers::friedman3, params: &[N, NOISE] },
    Generator { name: "swiss_roll", doc: "A sheet rolled up in three dimensions; the target is the place along the roll.", task: Task::Regression, make: numbers::swiss_roll, params: &[
        N, NOISE, param("hole", "false", "Whether the sheet has a hole.")] },
    Generator { name: "s_curve", doc: "A sheet bent into an S; the target is the place along the curve.", task: Task::Regression, make: numbers::s_curve, params: &[N, NOISE] },
    Generator { name: "sparse_coded_signal", doc: "Signals that are sparse combinations of the atoms of a dictionary.", task: Task::Transformation, make: matrices::sparse_coded_signal, params: &[
        N, param("n_components", "20", "Atoms of the dictionary."), param("n_features", "10", "Number of features."), param("n_nonzero_coefs", "3", "Atoms in each signal.")] },
    Generator { name: "low_rank", doc: "A matrix of bell-shaped singular values.", task: Task::Transformation, make: matrices::low_rank, params: &[
        N, param("n_features", "100", "Number of features."), param("effective_rank", "10", "About how many singular vectors explain the rows."),
        param("tail_strength", "0.5", "The weight of the noisy tail of the singular values.")] },
    Generator { name: "checkerboard", doc: "A matrix of constant blocks, rows and columns shuffled, for biclustering; the target is the block of the row.", task: Task::Clustering, make: matrices::checkerboard, params: &[
        N, param("n_features", "100", "Number of columns."), param("n_row_clusters", "3", "Blocks of rows."), param("n_column_clusters", "3", "Blocks of columns."),
        NOISE, param("minval", "10", "Least value of a block."), param("maxval", "100", "Largest value of a block."), SHUFFLE] },
];

/// Generates data from a text: `moons:n_samples=200,noise=0.1`.
///
/// # Example
/// ```
/// let moons = mercer_data::generate("moons:n_samples=50,noise=0.1", 7)?;
/// assert_eq!((moons.x.n_rows(), moons.x.n_cols()), (50, 2));
/// assert!(mercer_data::generate("moons:nois=1", 7).unwrap_err().to_string().contains("noise"));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn generate(spec: &str, seed: u64) -> Result<Generated> {
    let object = Object::parse_spec(spec)?;
    let generator = Generator::by_name(&object.kind)?;
    generator.make(&object.params, seed)
}

impl Generator {
    /// The generator of a name, with or without scikit-learn's `make_`; the error suggests the closest.
    pub fn by_name(name: &str) -> Result<&'static Generator> {
        let wanted = name.strip_prefix("make_").unwrap_or(name).replace('-', "_");
        let wanted = if wanted == "low_rank_matrix" { "low_rank".to_owned() } else { wanted };
        let found = GENERATORS.iter().find(|g| g.name == wanted);
        found.ok_or_else(|| Error::unknown("generator", name, GENERATORS.iter().map(|g| g.name)))
    }

    /// Generates data with these parameters and the defaults for the others.
    pub fn make(&self, params: &BTreeMap<String, Value>, seed: u64) -> Result<Generated> {
        if let Some(unknown) = params.keys().find(|k| !self.params.iter().any(|p| p.name == k.as_str())) {
            let names = || self.params.iter().map(|p| p.name);
            let expected = match closest(unknown, names()) {
                Some(name) => {
                    format!("one of {}; did you mean `{name}`?", names().collect::<Vec<_>>().join(", "))
                }
                None => format!("one of {}", names().collect::<Vec<_>>().join(", ")),
            };
            return Err(Error::param(self.name, unknown, expected, "unknown"));
        }
        let args = Args { generator: self, params };
        let mut made = (self.make)(&args, &mut rng_for(seed, 0))?;
        if self.params.contains(&SHUFFLE) && args.flag("shuffle")? {
            made.shuffle(&mut rng_for(seed, 1));
        }
        Ok(made)
    }

    /// The data as a table: features `x0`, `x1`, … and the target `y`.
    pub fn table(&self, params: &BTreeMap<String, Value>, seed: u64) -> Result<Loaded> {
        let made = self.make(params, seed)?;
        let mut columns: Vec<(String, Column<'static>)> =
            (0..made.x.n_cols()).map(|j| (format!("x{j}"), Column::numbers(made.x.col(j)))).collect();
        match &made.y {
            GeneratedTarget::Classes(codes) => {
                let texts: Vec<Option<String>> = codes.iter().map(|c| Some(format!("c{c}"))).collect();
                columns.push(("y".to_owned(), Column::categories(&texts)));
            }
            GeneratedTarget::Numbers(y) if y.n_cols() == 1 => {
                columns.push(("y".to_owned(), Column::numbers(y.col(0))))
            }
            GeneratedTarget::Numbers(y) => {
                columns.extend((0..y.n_cols()).map(|k| (format!("y{k}"), Column::numbers(y.col(k)))));
            }
            GeneratedTarget::None => {}
        }
        let inferred = columns.iter().map(|(name, column)| Inferred {
            column: name.clone(),
            kind: column.kind(),
            notes: vec!["generated".to_owned()],
            n_missing: 0,
            n_unique: if column.kind() == ColumnKind::Numeric { None } else { Some(levels(column)) },
        });
        let inferred = inferred.collect();
        Ok(Loaded { table: Table::new(columns)?, inferred })
    }
}

fn levels(column: &Column<'_>) -> usize {
    if let Column::Categorical { levels, .. } = column { levels.len() } else { 0 }
}

impl Generated {
    fn new(x: Mat, y: GeneratedTarget) -> Self {
        Self { x, y, more: Vec::new() }
    }

    /// Rows in a random order; what else is known by row follows.
    fn shuffle(&mut self, rng: &mut Rng) {
        let n = self.x.n_rows();
        let mut order: Vec<usize> = (0..n).collect();
        shuffle(rng, &mut order);
        self.x = self.x.view().gather(&order);
        self.y = match &self.y {
            GeneratedTarget::Classes(c) => GeneratedTarget::Classes(order.iter().map(|&i| c[i]).collect()),
            GeneratedTarget::Numbers(y) => GeneratedTarget::Numbers(y.view().gather(&order)),
            GeneratedTarget::None => GeneratedTarget::None,
        };
        for (_, m) in self.more.iter_mut().filter(|(name, m)| *name == "truth" && m.n_rows() == n) {
            *m = m.view().gather(&order);
        }
    }
}

/// The parameters of a call.
pub(crate) struct Args<'a> {
    generator: &'a Generator,
    params: &'a BTreeMap<String, Value>,
}

/// Values beyond this are refused: nobody means to generate them.
const LARGEST: usize = 1 << 31;

impl Args<'_> {
    fn value(&self, name: &str) -> Result<Value> {
        if let Some(value) = self.params.get(name) {
            return Ok(value.clone());
        }
        let default = self.generator.params.iter().find(|p| p.name == name).map_or("none", |p| p.default);
        Value::parse(default)
    }

    fn wrong<T>(&self, name: &str, expected: &str) -> Result<T> {
        Err(Error::param(self.generator.name, name, expected, self.value(name)?))
    }

    fn count(&self, name: &str, least: usize) -> Result<usize> {
        let number = match self.value(name)? {
            Value::Int(i) => usize::try_from(i).ok(),
            Value::Real(r) if r.fract() == 0.0 && (0.0..1e9).contains(&r) => Some(r as usize),
            _ => None,
        };
        match number.filter(|n| (least..LARGEST).contains(n)) {
            Some(n) => Ok(n),
            None => self.wrong(name, &format!("a whole number, at least {least}")),
        }
    }

    fn real(&self, name: &str) -> Result<f64> {
        match self.value(name)? {
            Value::Real(r) if r.is_finite() => Ok(r),
            Value::Int(i) => Ok(i as f64),
            Value::Null if name == "noise" => Ok(0.0),
            _ => self.wrong(name, "a number"),
        }
    }

    fn at_least_zero(&self, name: &str) -> Result<f64> {
        match self.real(name)? {
            r if r >= 0.0 => Ok(r),
            _ => self.wrong(name, "a number, at least 0"),
        }
    }

    fn flag(&self, name: &str) -> Result<bool> {
        match self.value(name)? {
            Value::Bool(b) => Ok(b),
            _ => self.wrong(name, "true or false"),
        }
    }

    fn reals(&self, name: &str) -> Result<Option<Vec<f64>>> {
        let number = |v: &Value| match v {
            Value::Real(r) if r.is_finite() => Some(*r),
            Value::Int(i) => Some(*i as f64),
            _ => None,
        };
        match self.value(name)? {
            Value::Null => Ok(None),
            Value::List(items) => match items.iter().map(number).collect::<Option<Vec<_>>>() {
                Some(numbers) => Ok(Some(numbers)),
                None => self.wrong(name, "a list of numbers"),
            },
            _ => self.wrong(name, "a list of numbers"),
        }
    }
}
