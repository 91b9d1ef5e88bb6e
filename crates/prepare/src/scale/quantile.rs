//! Quantile transformation: each feature to a uniform or normal distribution by its own distribution function.
//!
//! # Objective
//! $$ z = \hat F(x) \quad\text{or}\quad z = \Phi^{-1}(\hat F(x)) $$
//! with $\hat F$ the distribution function of the training values, interpolated between `n_quantiles` of them.
//!
//! # Algorithm
//! Each column is sorted, in parallel, and its quantiles read off (linear, type 7); at most `subsample` rows, drawn
//! by the session's seed, are used. A value is found among the quantiles by a search without branches; a value that
//! equals several quantiles gets the mean of their levels. Values beyond those of training go to the ends. Whole
//! weights count copies; of other weights the proportions matter. Missing values are left out and stay missing.
//!
//! Sparse rows need `ignore_implicit_zeros`: quantiles are those of the stored values, and zeros stay zeros.
//!
//! # Complexity
//! Time O(d m log m) for m rows used, O(n d log q) to transform with q quantiles; memory O(m) a thread and O(d q).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::QuantileTransformer;
//! let x = Mat::from_rows(&[[1.0], [10.0], [100.0]]).unwrap();
//! let model = QuantileTransformer::default().fit(&Dataset::new(&x))?;
//! assert_eq!(model.transform(&x)?.dense("z")?.view().to_mat().as_slice(), &[0.0, 0.5, 1.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Levels are computed as numpy computes them, so that ties fall to the same side. Normal values are kept within
//! ±5.2, the quantiles of 1e-7 from either end, as in scikit-learn.
//!
//! # References
//! - B. M. Bolstad et al. A comparison of normalization methods for high density oligonucleotide array data.
//!   Bioinformatics 19(2), 2003. doi:10.1093/bioinformatics/19.2.185
//! - P. Massart. The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. Annals of Probability 18(3), 1990.
//!   doi:10.1214/aop/1176990746

use super::columns::{ColumnMap, Values, by_columns, draw, map_columns, same_names, to_invert};
use super::order::{QuantileMethod, Sorted, levels, percent};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, Dataset, Error, Evidence, Fitted, Input,
    Inverse, Learn, Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::special::{norm_cdf, norm_ppf};
use serde::{Deserialize, Serialize};

/// The distribution that features are brought to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum OutputDistribution {
    /// Uniform on [0, 1].
    Uniform,
    /// Standard normal.
    Normal,
}

/// Quantile transformation: each numeric feature to a uniform or normal distribution; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "quantile-transformer quantile",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    door = "copy=True",
    mixins = "ScalerMixin",
    can = "transform inverse weights sparse missing categorical text random",
    references = "Bolstad et al. A comparison of normalization methods. Bioinformatics 19(2), 2003."
)]
pub struct QuantileTransformer {
    /// Number of quantiles kept; no more than there are rows.
    #[param(default = 1000, range = "[1, 1000000]")]
    pub n_quantiles: usize,
    /// The distribution of the result.
    #[param(default = OutputDistribution::Uniform)]
    pub output_distribution: OutputDistribution,
    /// Whether quantiles of sparse rows are those of the stored values; sparse rows are taken only so.
    #[param(default = false)]
    pub ignore_implicit_zeros: bool,
    /// Number of rows that quantiles are computed from, at most; none means all.
    #[param(default = Some(10_000), range = "[1, inf)")]
    pub subsample: Option<usize>,
}

/// Fitted quantiles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantileTransformerModel {
    /// The quantiles of the first feature, then of the second and so on; NaN where a feature has no value.
    quantiles: Vec<f64>,
    /// The levels of the quantiles, from 0 to 1.
    levels: Vec<f64>,
    /// Which features are transformed.
    changed: Vec<bool>,
    output: OutputDistribution,
    ignore_zeros: bool,
    certificate: Certificate,
}

const EVIDENCE: &str = "largest distance of a quantile's level from the distribution function";

impl Learn for QuantileTransformer {
    type Model = QuantileTransformerModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<QuantileTransformerModel> {
        let rows = data.rows(Self::NAME)?;
        let weights = data.weights();
        let (rows, weights, drawn) =
            draw(rows, weights.as_deref().map(<[f64]>::to_vec), self.subsample, session);
        let total = match &weights {
            Some(w) if w.iter().all(|w| w.fract() == 0.0) => w.iter().sum(),
            Some(w) => w.iter().filter(|w| **w > 0.0).count() as f64,
            None => rows.n_rows() as f64,
        };
        let levels = levels(self.n_quantiles.min((total as usize).max(1)));
        let of = |sorted: &Sorted| -> Vec<f64> {
            levels.iter().map(|&l| sorted.quantile(percent(l), QuantileMethod::Linear)).collect()
        };
        let sparse = rows.is_sparse();
        let found = by_columns(&rows, weights.as_deref(), session, |_, column| {
            let column = if sparse { without_zeros(column) } else { column };
            let sorted = Sorted::of(&column);
            // A sparse column without a stored value is all zeros.
            let quantiles = if sparse && sorted.is_empty() { vec![0.0; levels.len()] } else { of(&sorted) };
            Ok((quantiles, distance_bound(&sorted, drawn, rows.n_features())))
        })?;
        let changed = found.iter().map(Option::is_some).collect();
        let bound = found.iter().flatten().map(|(_, bound)| *bound).fold(0.0, f64::max);
        let blank = vec![f64::NAN; levels.len()];
        let quantiles = found.into_iter().flat_map(|c| c.map_or_else(|| blank.clone(), |(q, _)| q)).collect();
        Ok(QuantileTransformerModel {
            quantiles,
            changed,
            output: self.output_distribution,
            ignore_zeros: sparse,
            certificate: promise(bound, drawn),
            levels,
        })
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        match self.subsample {
            Some(n) if self.n_quantiles > n => {
                let expected = format!("at most subsample ({n})");
                Err(Error::param(Self::NAME, "n_quantiles", expected, self.n_quantiles))
            }
            _ => Ok(()),
        }
    }

    /// An implicit zero must stay zero; rows are drawn only where their number is limited.
    fn capabilities(&self) -> Capabilities {
        let (sparse, random) = (self.ignore_implicit_zeros, self.subsample.is_some());
        Capabilities { sparse, random, ..Self::declaration().capabilities }
    }
}

/// The stored values of a sparse column.
fn without_zeros(column: Values<'_>) -> Values<'static> {
    let mut values = column.values.into_owned();
    let mut weights = column.weights.map(std::borrow::Cow::into_owned);
    if column.zeros {
        values.pop();
        weights = weights.map(|mut w| {
            w.pop();
            w
        });
    }
    Values { values: values.into(), weights: weights.map(Into::into), zeros: false }
}

/// How far levels may be from the distribution function of a column: quantiles of the rows used are at most one row
/// off; those of drawn rows are off by no more than the inequality of Dvoretzky, Kiefer and Wolfowitz allows, but for
/// one fit in a million.
fn distance_bound(sorted: &Sorted, drawn: bool, d: usize) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    let (largest, worth) = sorted.steps();
    let chance = if drawn { ((2e6 * d as f64).ln() / (2.0 * worth)).sqrt() } else { 0.0 };
    (1.0 + largest) / sorted.total() + chance
}

fn promise(bound: f64, drawn: bool) -> Certificate {
    let meaning = match drawn {
        true => "the distance of drawn rows from all rows, but for one fit in a million",
        false => "the step of the distribution function at a row",
    };
    Certificate::new(Termination::Exact).with_evidence(Evidence::bound(EVIDENCE, bound, meaning))
}

impl QuantileTransformerModel {
    fn of_column(&self, j: usize) -> &[f64] {
        let m = self.levels.len();
        &self.quantiles[j * m..(j + 1) * m]
    }
}

/// Values searched at once: enough to hide the time of a load behind others.
const LANES: usize = 16;

/// For each of `x` the number of sorted values below it, without branches: the range halves in the same way for every
/// one. `sorted` is padded to a power of two with infinities.
#[inline]
fn lower_bounds(sorted: &[f64], x: &[f64; LANES]) -> [usize; LANES] {
    let mut base = [0; LANES];
    let mut half = sorted.len() / 2;
    while half > 0 {
        for l in 0..LANES {
            let next = base[l] + half;
            base[l] = std::hint::select_unpredictable(sorted[next - 1] < x[l], next, base[l]);
        }
        half /= 2;
    }
    std::array::from_fn(|l| base[l] + usize::from(sorted[base[l]] < x[l]))
}

fn padded(sorted: &[f64]) -> Vec<f64> {
    let mut out = sorted.to_vec();
    out.resize(sorted.len().next_power_of_two(), f64::INFINITY);
    out
}

/// How close to 0 or 1 a level may come before it counts as that end, for normal results.
const THRESHOLD: f64 = 1e-7;

/// What the forward map of one column looks up.
struct Lookup {
    /// The quantiles, padded.
    quantiles: Vec<f64>,
    /// The level of each quantile: the mean of those that equal it.
    at: Vec<f64>,
    /// The slope of levels from the quantile before.
    slopes: Vec<f64>,
}

impl Lookup {
    fn new(quantiles: &[f64], levels: &[f64]) -> Self {
        let n = quantiles.len();
        let mut last: Vec<usize> = (0..n).collect();
        for i in (0..n - 1).rev() {
            if quantiles[i] == quantiles[i + 1] {
                last[i] = last[i + 1];
            }
        }
        let slope = |i: usize| match i {
            0 => 0.0,
            i => (levels[i] - levels[i - 1]) / (quantiles[i] - quantiles[i - 1]),
        };
        Self {
            quantiles: padded(quantiles),
            at: (0..n).map(|i| 0.5 * (levels[last[i]] + levels[i])).collect(),
            slopes: (0..n).map(slope).collect(),
        }
    }

    /// The level of `x`, with `i` quantiles below it: the mean of the interpolations from below and from above, which
    /// differ only at equal quantiles.
    #[inline]
    fn level(&self, x: f64, i: usize, levels: &[f64]) -> f64 {
        if i >= levels.len() {
            return levels[levels.len() - 1];
        }
        if self.quantiles[i] == x {
            return self.at[i];
        }
        if i == 0 {
            return levels[0];
        }
        let (below, above, slope) = (self.quantiles[i - 1], self.quantiles[i], self.slopes[i]);
        0.5 * ((slope * (x - below) + levels[i - 1]) + (slope * (x - above) + levels[i]))
    }
}

/// The forward map of each column.
struct Forward<'a> {
    model: &'a QuantileTransformerModel,
    lookups: Vec<Lookup>,
    /// The largest normal value.
    limit: f64,
}

impl<'a> Forward<'a> {
    fn new(model: &'a QuantileTransformerModel) -> Self {
        let lookup = |j| Lookup::new(model.of_column(j), &model.levels);
        let lookups = (0..model.changed.len()).map(lookup).collect();
        Self { model, lookups, limit: -norm_ppf(THRESHOLD - f64::EPSILON) }
    }

    /// What becomes of `x`, whose level is `z`.
    #[inline]
    fn finish(&self, x: f64, z: f64, low: f64, high: f64) -> f64 {
        match self.model.output {
            OutputDistribution::Uniform if x == low => 0.0,
            OutputDistribution::Uniform if x == high => 1.0,
            OutputDistribution::Uniform => z,
            OutputDistribution::Normal if x - THRESHOLD < low => -self.limit,
            OutputDistribution::Normal if x + THRESHOLD > high => self.limit,
            OutputDistribution::Normal => norm_ppf(z).clamp(-self.limit, self.limit),
        }
    }
}

impl ColumnMap for Forward<'_> {
    fn column(&self, j: usize, values: &mut [f64]) {
        let (quantiles, levels, lookup) = (self.model.of_column(j), &self.model.levels, &self.lookups[j]);
        if !self.model.changed[j] {
            return;
        }
        let (low, high) = (quantiles[0], quantiles[quantiles.len() - 1]);
        if low.is_nan() {
            values.fill(f64::NAN);
            return;
        }
        for chunk in values.chunks_mut(LANES) {
            let mut x = [low; LANES];
            x[..chunk.len()].copy_from_slice(chunk);
            let below = lower_bounds(&lookup.quantiles, &x);
            for ((v, x), i) in chunk.iter_mut().zip(x).zip(below) {
                if !x.is_nan() {
                    *v = self.finish(x, lookup.level(x, i, levels), low, high);
                }
            }
        }
    }
}

/// The inverse map of each column.
struct Backward<'a> {
    model: &'a QuantileTransformerModel,
    levels: Vec<f64>,
}

impl ColumnMap for Backward<'_> {
    fn column(&self, j: usize, values: &mut [f64]) {
        let (model, quantiles) = (self.model, self.model.of_column(j));
        if !model.changed[j] {
            return;
        }
        let (levels, last) = (&model.levels, quantiles.len() - 1);
        let slack = if model.output == OutputDistribution::Normal { THRESHOLD } else { 0.0 };
        for chunk in values.chunks_mut(LANES) {
            let mut level = [0.0; LANES];
            for (z, v) in level.iter_mut().zip(chunk.iter()) {
                *z = if model.output == OutputDistribution::Normal { norm_cdf(*v) } else { *v };
            }
            let below = lower_bounds(&self.levels, &level);
            for ((v, z), i) in chunk.iter_mut().zip(level).zip(below).filter(|((v, _), _)| !v.is_nan()) {
                *v = if z - slack < 0.0 || i == 0 {
                    quantiles[0]
                } else if z + slack > 1.0 || i > last {
                    quantiles[last]
                } else if levels[i] == z {
                    quantiles[i]
                } else {
                    let slope = (quantiles[i] - quantiles[i - 1]) / (levels[i] - levels[i - 1]);
                    slope * (z - levels[i - 1]) + quantiles[i - 1]
                };
            }
        }
    }
}

impl Transformer for QuantileTransformerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        map_columns(input.rows(QuantileTransformer::NAME)?, session, &Forward::new(self))
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Inverse for QuantileTransformerModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = to_invert(QuantileTransformer::NAME, input, self.changed.len())?;
        map_columns(rows, session, &Backward { model: self, levels: padded(&self.levels) })
    }
}

impl Fitted for QuantileTransformerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let rows = data.rows(QuantileTransformer::NAME)?;
        let found = by_columns(&rows, data.weights().as_deref(), session, |j, column| {
            let column = if self.ignore_zeros { without_zeros(column) } else { column };
            let sorted = Sorted::of(&column);
            let total = sorted.total();
            let distance = |(&level, &q): (&f64, &f64)| {
                let (upto, below) = sorted.cdf(q);
                (below / total - level).max(level - upto / total).max(0.0)
            };
            let pairs = self.levels.iter().zip(self.of_column(j));
            Ok(if sorted.is_empty() { 0.0 } else { pairs.map(distance).fold(0.0, f64::max) })
        })?;
        Ok(vec![(EVIDENCE.to_owned(), found.into_iter().flatten().fold(0.0, f64::max))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (m, d) = (self.levels.len(), self.changed.len());
        let quantiles = (0..m * d).map(|k| self.quantiles[(k % d) * m + k / d]).collect();
        vec![
            Attribute::int("n_quantiles_", "Number of quantiles.", &[], vec![m as i64]),
            Attribute::real("quantiles_", "The quantiles of each feature.", &[m, d], quantiles),
            Attribute::real("references_", "The levels of the quantiles.", &[m], self.levels.clone()),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (d, m) = (schema.n_features(), self.levels.len());
        let rises = |v: &[f64]| v.windows(2).all(|w| w[0] <= w[1]);
        let ok = m >= 1
            && m <= u32::MAX as usize
            && self.changed.len() == d
            && m.checked_mul(d) == Some(self.quantiles.len())
            && rises(&self.levels)
            && self.levels.iter().all(|l| (0.0..=1.0).contains(l))
            && self.quantiles.chunks(m).all(|q| rises(q) || q.iter().all(|v| v.is_nan()));
        if ok { Ok(()) } else { Err("quantiles do not fit the schema".to_owned()) }
    }
}
