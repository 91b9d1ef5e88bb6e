//! Target encoding: each level becomes the mean of the target over its rows, drawn towards the mean of all.
//!
//! # Objective
//! Level $l$ of $n_l$ rows with mean $\bar y_l$ becomes $\lambda_l \bar y_l + (1 - \lambda_l)\,\bar y$ with
//! $\lambda_l = n_l / (n_l + m)$; `smooth = auto` takes $m = \sigma_l^2 / \tau^2$, the variance within the level over
//! that of the target. A target of several classes gives a column for each.
//!
//! # Algorithm
//! Two passes over the rows, columns and classes in parallel. The rows that are learnt from are encoded out of fold:
//! each by levels learnt from the other folds, so that no row's own target leaks into its features.
//!
//! # Complexity
//! Time O(n d k cv) for k classes, memory O(n d k).
//!
//! # Example
//! ```
//! use mercer_core::{Column, Dataset, Fit, Table, Target};
//! use mercer_prepare::{Smooth, TargetEncoder};
//! let table = Table::new(vec![("c".into(), Column::categories(&[Some("a"), Some("a"), Some("b"), Some("b")]))])?;
//! let data = Dataset::new(&table).with_target(Target::real(vec![1.0, 3.0, 5.0, 7.0]))?;
//! let encoder = TargetEncoder::default().smooth(Smooth::Number(0.0)).fit(&data)?;
//! assert_eq!(encoder.transform(&table)?.dense("x")?.view().to_mat().as_slice(), &[2.0, 2.0, 6.0, 6.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A level that training did not see gets the mean of all. Missing values are a level of their own where training
//! has any. Weights of rows count as copies, except in the choice of folds.
//!
//! # References
//! - D. Micci-Barreca. A preprocessing scheme for high-cardinality categorical attributes. SIGKDD Explorations 3(1),
//!   2001. doi:10.1145/507533.507538

use super::levels::{Coded, EncodeColumns, EncodedColumns, Levels, coded, level_values, levels_of};
use super::target_sums::{Numbers, Rows as Train};
use mercer_core::{
    Abilities, Attribute, AttributeValues, Certificate, Choice, Dataset, Error, ErrorKind, Feature, Fitted,
    Input, Learn, MISSING_CODE, Params, Result, Rows, Schema, Session, Table, Target, Termination,
    Transformer,
};
use mercer_math::Mat;
use mercer_measure::{k_fold, stratified_k_fold};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How far levels are drawn towards the mean of all.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Smooth {
    /// As far as the variances within levels and of the target say.
    Auto,
    /// As if so many more rows had the mean of all.
    Number(f64),
}

/// What the target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum TargetType {
    /// Numbers are continuous, two classes binary, more multiclass.
    Auto,
    /// Numbers.
    Continuous,
    /// Two classes: one column, for the second.
    Binary,
    /// A column for each class.
    Multiclass,
}

/// Target encoding: the mean of the target over the rows of a level, out of fold for the rows learnt from.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "target-encoder",
    canon = "D5",
    task = Transformation,
    python = "preprocessing",
    door = "categories='auto'",
    mixins = "TargetEncoderMixin",
    can = "transform weights missing categorical encodes supervised cross_fits random",
    references = "Micci-Barreca. A preprocessing scheme for high-cardinality categorical attributes. 2001."
)]
pub struct TargetEncoder {
    /// Which columns are encoded.
    #[param(flatten)]
    pub encoded: EncodedColumns,
    /// What the target is.
    #[param(default = TargetType::Auto)]
    pub target_type: TargetType,
    /// How far levels are drawn towards the mean of all: auto, or a number of rows.
    #[param(default = Smooth::Auto, range = "[0, inf)", search = "log 0.1..1000")]
    pub smooth: Smooth,
    /// Number of folds in which the rows learnt from are encoded.
    #[param(default = 5, range = "[2, inf)")]
    pub cv: usize,
    /// Whether the folds are of shuffled rows.
    #[param(default = true)]
    pub shuffle: bool,
}

/// Fitted encodings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetEncoderModel {
    levels: Vec<Levels>,
    /// Whether missing values are a level of each column, the last.
    missing: Vec<bool>,
    /// By columns and, within them, classes: a number for each level.
    encodings: Vec<Vec<f64>>,
    /// The mean of the target, for each class.
    means: Vec<f64>,
    certificate: Certificate,
}

/// The target as the encoder sees it.
enum View<'a> {
    Real(&'a [f64]),
    Binary(&'a [u32]),
    Classes(&'a [u32], usize),
}

impl View<'_> {
    fn n_outputs(&self) -> usize {
        if let View::Classes(_, k) = self { *k } else { 1 }
    }

    fn output(&self, k: usize) -> Numbers<'_> {
        match self {
            View::Real(values) => Numbers::Real(values),
            View::Binary(codes) => Numbers::Class(codes, 1),
            View::Classes(codes, _) => Numbers::Class(codes, k as u32),
        }
    }
}

impl TargetEncoder {
    fn view<'t>(&self, target: &'t Target<'_>) -> Result<View<'t>> {
        let refused = |got: &str| -> Error {
            let takes = format!("a target that is {}", word(self.target_type));
            ErrorKind::Kind { learner: Self::NAME.to_owned(), takes, got: got.to_owned() }.into()
        };
        match (target.class(), self.target_type) {
            (Ok((codes, labels)), TargetType::Auto) if labels.len() > 2 => {
                Ok(View::Classes(codes, labels.len()))
            }
            (Ok((codes, _)), TargetType::Auto) => Ok(View::Binary(codes)),
            (Ok((codes, labels)), TargetType::Multiclass) => Ok(View::Classes(codes, labels.len())),
            (Ok((codes, labels)), TargetType::Binary) if labels.len() <= 2 => Ok(View::Binary(codes)),
            (Ok((_, labels)), _) => Err(refused(&format!("{} classes", labels.len()))),
            (Err(_), TargetType::Auto | TargetType::Continuous) => Ok(View::Real(target.numbers()?)),
            (Err(_), _) => Err(refused("numbers")),
        }
    }

    /// Encodings learnt from some rows, and the means of the target there.
    fn encode(
        &self,
        columns: &[Coded<'_>],
        sizes: &[usize],
        target: &View<'_>,
        train: Train<'_>,
    ) -> (Vec<Vec<f64>>, Vec<f64>) {
        let k = target.n_outputs();
        let moments: Vec<(f64, f64)> = (0..k).map(|c| train.moments(target.output(c))).collect();
        let one = |at: usize| match &columns[at / k] {
            Coded::Kept(_) => Vec::new(),
            Coded::Codes(codes) => {
                let c = at % k;
                train.encodings(codes, sizes[at / k], target.output(c), self.smooth, moments[c])
            }
        };
        let encodings = (0..columns.len() * k).into_par_iter().map(one).collect();
        (encodings, moments.iter().map(|m| m.0).collect())
    }

    /// Learns and, with `out_of_fold`, encodes the rows learnt from.
    fn run(
        &self,
        data: &Dataset<'_>,
        out_of_fold: bool,
        session: &Session,
    ) -> Result<(TargetEncoderModel, Option<Mat>)> {
        let seen = levels_of(Self::NAME, data, self.encoded.columns)?;
        let missing: Vec<bool> =
            seen.columns.iter().map(|c| c.missing > 0.0 && c.levels != Levels::Keep).collect();
        let levels: Vec<Levels> = seen.columns.into_iter().map(|c| c.levels).collect();
        let (target, weights) = (data.need_target(Self::NAME)?, data.weights());
        let view = self.view(&target)?;
        let rows = data.rows(Self::NAME)?;
        let table = rows.table()?;
        let columns = with_missing(coded(&levels, &table), &levels, &missing);
        let sizes: Vec<usize> = levels.iter().zip(&missing).map(|(l, m)| l.len() + usize::from(*m)).collect();
        let all: Vec<usize> = (0..table.n_rows()).collect();
        let (encodings, means) =
            self.encode(&columns, &sizes, &view, Train { rows: &all, weights: weights.as_deref() });
        let why = "means of the target, with nothing left to prove";
        let certificate = Certificate::without_evidence(Termination::Exact, why);
        let model = TargetEncoderModel { levels, missing, encodings, means, certificate };
        if !out_of_fold {
            return Ok((model, None));
        }
        let seed = self.shuffle.then(|| session.seed());
        let splits = match &view {
            View::Real(values) => k_fold(values.len(), self.cv, seed)?,
            View::Binary(codes) | View::Classes(codes, _) => stratified_k_fold(codes, self.cv, seed)?,
        };
        let mut out = Mat::zeros(table.n_rows(), model.n_columns());
        for (fold, split) in splits.iter().enumerate() {
            if session.step("fold", fold as u64, Some(splits.len() as u64), None).is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            let train = Train { rows: &split.train, weights: weights.as_deref() };
            let (encodings, means) = self.encode(&columns, &sizes, &view, train);
            for &i in &split.test {
                write_row(&columns, &encodings, &means, i, out.row_mut(i));
            }
        }
        Ok((model, Some(out)))
    }
}

fn word(kind: TargetType) -> &'static str {
    match kind {
        TargetType::Auto => "a column of numbers or classes",
        TargetType::Continuous => "continuous",
        TargetType::Binary => "binary",
        TargetType::Multiclass => "multiclass",
    }
}

/// Missing values as the level after the last, where training has any.
fn with_missing<'c>(columns: Vec<Coded<'c>>, levels: &[Levels], missing: &[bool]) -> Vec<Coded<'c>> {
    let one = |(j, column): (usize, Coded<'c>)| match column {
        Coded::Codes(codes) if missing[j] => {
            let last = levels[j].len() as u32;
            // Levels that training did not see must not look like the missing one.
            let code = |c: &u32| match *c {
                MISSING_CODE => last,
                c if c < last => c,
                _ => MISSING_CODE,
            };
            Coded::Codes(codes.iter().map(code).collect())
        }
        other => other,
    };
    columns.into_iter().enumerate().map(one).collect()
}

/// Writes one encoded row.
fn write_row(columns: &[Coded<'_>], encodings: &[Vec<f64>], means: &[f64], i: usize, out: &mut [f64]) {
    let (k, mut at) = (means.len(), 0);
    for (j, column) in columns.iter().enumerate() {
        match column {
            Coded::Kept(values) => {
                out[at] = values[i];
                at += 1;
            }
            Coded::Codes(codes) => {
                for (c, mean) in means.iter().enumerate() {
                    out[at + c] = encodings[j * k + c].get(codes[i] as usize).copied().unwrap_or(*mean);
                }
                at += k;
            }
        }
    }
}

impl Learn for TargetEncoder {
    type Model = TargetEncoderModel;
    const MEETS_UNSEEN: bool = true;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<TargetEncoderModel> {
        self.run(data, false, session).map(|(model, _)| model)
    }

    fn learn_transform(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<(TargetEncoderModel, Rows<'static>)>> {
        let made = self.run(data, true, session);
        Some(made.map(|(model, rows)| (model, rows.unwrap_or_else(|| Mat::zeros(0, 0)).into())))
    }
}

impl TargetEncoderModel {
    fn width(&self, levels: &Levels) -> usize {
        if *levels == Levels::Keep { 1 } else { self.means.len() }
    }

    fn n_columns(&self) -> usize {
        self.levels.iter().map(|l| self.width(l)).sum()
    }
}

impl Transformer for TargetEncoderModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let table: Table<'_> = input.rows(TargetEncoder::NAME)?.table()?;
        session.run(|| {
            let columns = with_missing(coded(&self.levels, &table), &self.levels, &self.missing);
            let width = self.n_columns();
            let mut out = Mat::zeros(table.n_rows(), width);
            let rows = out.as_mut_slice().par_chunks_mut(width.max(1)).enumerate();
            rows.for_each(|(i, row)| write_row(&columns, &self.encodings, &self.means, i, row));
            Ok(out.into())
        })
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        let names = |(levels, feature): (&Levels, &Feature)| match schema.labels() {
            Some(labels) if self.means.len() > 1 && *levels != Levels::Keep => {
                labels.iter().map(|label| format!("{}_{label}", feature.name)).collect()
            }
            _ => vec![feature.name.clone()],
        };
        self.levels.iter().zip(&schema.features).flat_map(names).collect()
    }
}

impl Fitted for TargetEncoderModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let encodings = self.encodings.iter().map(|e| AttributeValues::Real(e.clone())).collect();
        let doc = "What each level of each column becomes, for each class.";
        vec![
            Attribute::real(
                "target_mean_",
                "The mean of the target, for each class.",
                &[self.means.len()],
                self.means.clone(),
            ),
            Attribute::several("encodings_", doc, encodings),
            Attribute::several("categories_", "The levels of each column.", level_values(&self.levels)),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (d, k) = (schema.n_features(), self.means.len());
        let classes = schema.labels().map_or(1, |l| l.len());
        let ok = self.levels.len() == d
            && self.missing.len() == d
            && (k == 1 || k == classes)
            && self.encodings.len() == d * k
            && self.levels.iter().zip(&schema.features).all(|(l, f)| l.fit(f))
            && self.encodings.iter().enumerate().all(|(at, e)| match &self.levels[at / k] {
                Levels::Keep => e.is_empty(),
                levels => e.len() == levels.len() + usize::from(self.missing[at / k]),
            });
        if ok { Ok(()) } else { Err("encodings do not fit the schema".to_owned()) }
    }
}
