//! TF-IDF: counts weighted by how few rows hold a term.
//!
//! # Objective
//! $x'_{ij} = \mathrm{tf}(x_{ij})\,\mathrm{idf}_j$ for $n$ rows of which $d_j$ hold term $j$. With `formula = log`
//! (scikit-learn's) $\mathrm{idf}_j = 1 + \ln\frac{n + s}{d_j + s}$, where $s$ is 1 with `smooth_idf` and else 0;
//! with `formula = ratio` (that of the lecture notes) $\mathrm{idf}_j = n / d_j$. $\mathrm{tf}(x)$ is $x$, or
//! $1 + \ln x$ with `sublinear_tf`. Rows are then scaled to length 1 unless `norm = none`: the raw ratio of the notes
//! is `formula = ratio, norm = none`.
//!
//! # Algorithm
//! One pass to count, one to weigh, rows in parallel. Weights of rows count as copies.
//!
//! # Complexity
//! Time and memory O(stored entries + columns).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::{Formula, TfidfTransformer};
//! let counts = Mat::from_rows(&[[2.0, 0.0], [1.0, 1.0]]).unwrap();
//! let ratio = TfidfTransformer::default().formula(Formula::Ratio).norm(None).fit(&Dataset::new(&counts))?;
//! assert_eq!(ratio.transform(&counts)?.dense("x")?.view().to_mat().as_slice(), &[2.0, 0.0, 1.0, 2.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A term that no row holds is taken to be in one, so that no weight is infinite.
//!
//! # References
//! - K. Spärck Jones. A statistical interpretation of term specificity. J. Doc. 28, 1972. doi:10.1108/eb026526

use super::parts::Parts;
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, ErrorKind, Fitted, Input, Learn, NumbersRef,
    ParamGroup, Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::Weights;
use serde::{Deserialize, Serialize};

/// To what length rows are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum RowNorm {
    /// The absolute values sum to 1.
    L1,
    /// The squares sum to 1.
    L2,
}

/// How rare terms gain weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum Formula {
    /// 1 + ln(n / d), smoothed with `smooth_idf`, as scikit-learn has it.
    Log,
    /// n / d.
    Ratio,
}

/// How counts are weighted.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct TfidfParams {
    /// To what length rows are scaled; none leaves them.
    #[param(default = Some(RowNorm::L2), search = "among l1|l2|none")]
    pub norm: Option<RowNorm>,
    /// Whether rare terms gain weight.
    #[param(default = true)]
    pub use_idf: bool,
    /// Whether one row more, holding every term, is counted (formula log).
    #[param(default = true)]
    pub smooth_idf: bool,
    /// Whether a count x becomes 1 + ln x.
    #[param(default = false, search = "among true|false")]
    pub sublinear_tf: bool,
    /// How rare terms gain weight: scikit-learn's smooth logarithm, or the plain ratio.
    #[param(default = Formula::Log)]
    pub formula: Formula,
}

/// TF-IDF: rows of counts weighted by how few rows hold a term.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "tfidf-transformer",
    canon = "D4",
    task = Transformation,
    python = "feature_extraction.text",
    mixins = "TfidfMixin",
    can = "transform weights sparse",
    references = "Spärck Jones. A statistical interpretation of term specificity. J. Doc. 28, 1972."
)]
pub struct TfidfTransformer {
    /// How counts are weighted.
    #[param(flatten)]
    pub weighting: TfidfParams,
}

/// What is done to counts: fitted weights of terms, and how rows are scaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Weighting {
    norm: Option<RowNorm>,
    sublinear: bool,
    /// One for each column, or none for all ones.
    idf: Vec<f64>,
}

impl Weighting {
    /// The weights of terms that `frequencies` of `n` rows hold.
    pub(crate) fn new(params: &TfidfParams, n: f64, frequencies: &[f64]) -> Self {
        let smooth = f64::from(u8::from(params.smooth_idf));
        let weight = |&d: &f64| match params.formula {
            Formula::Log => {
                let held = d + smooth;
                1.0 + ((n + smooth) / if held > 0.0 { held } else { 1.0 }).ln()
            }
            Formula::Ratio => n / if d > 0.0 { d } else { 1.0 },
        };
        let idf = if params.use_idf { frequencies.iter().map(weight).collect() } else { Vec::new() };
        Self { norm: params.norm, sublinear: params.sublinear_tf, idf }
    }

    /// Weighs rows of counts in place.
    pub(crate) fn apply(&self, rows: &mut Parts, session: &Session) {
        rows.for_rows(session, |columns, values| {
            if self.sublinear {
                values.iter_mut().for_each(|v| *v = 1.0 + v.ln());
            }
            if !self.idf.is_empty() {
                values.iter_mut().zip(columns).for_each(|(v, &j)| *v *= self.idf[j as usize]);
            }
            self.norm.iter().for_each(|norm| norm.scale(values));
        });
    }

    /// The weights as a fitted attribute.
    pub(crate) fn attribute(&self) -> Option<Attribute> {
        let doc = "The weight of each term.";
        (!self.idf.is_empty()).then(|| Attribute::real("idf_", doc, &[self.idf.len()], self.idf.clone()))
    }

    /// Whether loaded weights fit `n_cols` columns.
    pub(crate) fn fits(&self, n_cols: usize) -> bool {
        self.idf.is_empty() || self.idf.len() == n_cols
    }
}

impl RowNorm {
    /// Scales a row to length 1; a row of zeros stays.
    pub(crate) fn scale(self, values: &mut [f64]) {
        let length = match self {
            RowNorm::L1 => values.iter().map(|v| v.abs()).sum::<f64>(),
            RowNorm::L2 => values.iter().map(|v| v * v).sum::<f64>().sqrt(),
        };
        if length > 0.0 {
            values.iter_mut().for_each(|v| *v /= length);
        }
    }
}

/// Fitted weights of terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TfidfTransformerModel {
    weighting: Weighting,
    n_cols: usize,
    certificate: Certificate,
}

impl Learn for TfidfTransformer {
    type Model = TfidfTransformerModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<TfidfTransformerModel> {
        let rows = parts_of(&data.rows(Self::NAME)?)?;
        let weights = data.weights();
        let mut frequencies = vec![0.0; data.n_features()];
        let mut n = 0.0;
        for i in 0..data.n_rows() {
            if i % 4096 == 0 && session.step("rows", i as u64, Some(data.n_rows() as u64), None).is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            let weight = Weights::of(&weights)[i];
            n += weight;
            rows.indices[rows.indptr[i]..rows.indptr[i + 1]]
                .iter()
                .for_each(|&j| frequencies[j as usize] += weight);
        }
        let why = "counts of rows, with nothing left to prove";
        Ok(TfidfTransformerModel {
            weighting: Weighting::new(&self.weighting, n, &frequencies),
            n_cols: data.n_features(),
            certificate: Certificate::without_evidence(Termination::Exact, why),
        })
    }
}

/// Rows as sparse parts, without the zeros.
fn parts_of(rows: &Rows<'_>) -> Result<Parts> {
    let numbers = rows.numbers(TfidfTransformer::NAME)?;
    let mut parts = Parts { indptr: vec![0], ..Parts::default() };
    let push = |j: u32, v: f64, parts: &mut Parts| {
        if v != 0.0 {
            parts.indices.push(j);
            parts.values.push(v);
        }
    };
    for i in 0..rows.n_rows() {
        match numbers.view() {
            NumbersRef::Dense(m) => (0..m.n_cols()).for_each(|j| push(j as u32, m.get(i, j), &mut parts)),
            NumbersRef::Sparse(m) => {
                let (columns, values) = m.row(i);
                columns.iter().zip(values).for_each(|(&j, &v)| push(j, v, &mut parts));
            }
        }
        parts.indptr.push(parts.indices.len());
    }
    Ok(parts)
}

impl Transformer for TfidfTransformerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(TfidfTransformer::NAME)?;
        let mut parts = parts_of(rows)?;
        if self.weighting.sublinear
            && let Some(at) = parts.values.iter().position(|v| *v < 0.0)
        {
            return Err(ErrorKind::BadValue {
                learner: TfidfTransformer::NAME.to_owned(),
                value: format!("the count {}", parts.values[at]),
                column: rows.name(parts.indices[at] as usize),
                row: parts.indptr.partition_point(|&end| end <= at) - 1,
                hint: "; counts are at least 0".to_owned(),
            }
            .into());
        }
        self.weighting.apply(&mut parts, session);
        Ok(parts.finish(self.n_cols)?.into())
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        schema.features.iter().map(|f| f.name.clone()).collect()
    }
}

impl Fitted for TfidfTransformerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        self.weighting.attribute().into_iter().collect()
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let ok = self.n_cols == schema.n_features() && self.weighting.fits(self.n_cols);
        if ok { Ok(()) } else { Err("weights do not fit the schema".to_owned()) }
    }
}
