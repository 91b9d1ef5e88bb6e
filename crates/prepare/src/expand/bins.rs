//! Binning: each feature into intervals, as their numbers or as 0/1 columns.
//!
//! # Objective
//! Feature $x$ with edges $e_0 < … < e_m$ becomes the number of the interval $[e_{i}, e_{i+1})$ that holds it, the last
//! one closed and the outer ones open to infinity; or one 0/1 column an interval.
//!
//! # Algorithm
//! Edges evenly over the range of training (`uniform`), at quantiles (`quantile`), or half way between the means of
//! k-means on a line (`kmeans`: Lloyd's iteration from even bins). Whole weights count copies; of other weights the
//! proportions matter. Bins narrower than 1e-8 are joined to a neighbour; a constant feature has one bin. Columns of a
//! table that are no numbers pass through (after the 0/1 columns, where there are some).
//!
//! # Complexity
//! Time O(d n log n) for `quantile` and `kmeans`, O(n d) for `uniform`; O(n d log m) to transform with m bins.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::{BinEncoding, KBinsDiscretizer, Whole};
//! let x = Mat::from_rows(&[[1.0], [2.0], [3.0], [4.0]]).unwrap();
//! let learner = KBinsDiscretizer::default().n_bins(Whole::One(2)).encode(BinEncoding::Ordinal);
//! let model = learner.fit(&Dataset::new(&x))?;
//! assert_eq!(model.transform(&x)?.dense("z")?.view().to_mat().as_slice(), &[0.0, 0.0, 1.0, 1.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A value is compared with the edges as they are. Undoing gives the middle of the bin, or the value of a constant
//! feature (scikit-learn gives NaN there).
//!
//! # References
//! - J. Dougherty, R. Kohavi, M. Sahami. Supervised and unsupervised discretization of continuous features. ICML, 1995.
//!   doi:10.1016/B978-1-55860-377-6.50032-3
//! - S. P. Lloyd. Least squares quantization in PCM. IEEE Trans. Information Theory 28(2), 1982.
//!   doi:10.1109/TIT.1982.1056489

use super::bin_edges;
use super::parts::{Expanded, Parts};
use super::whole::Whole;
use crate::scale::QuantileMethod;
use crate::scale::columns::{
    ColumnMap, Values, by_columns, draw, map_columns, numeric, same_names, to_invert,
};
use mercer_core::{
    Abilities, Attribute, AttributeValues, Capabilities, Certificate, Choice, Dataset, Error, ErrorKind,
    Evidence, Fitted, Input, Inverse, Learn, Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{Csr, Mat, MatRef};
use serde::{Deserialize, Serialize};

/// How bins come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum BinEncoding {
    /// Sparse 0/1 columns.
    Onehot,
    /// Dense 0/1 columns.
    #[choice("onehot-dense")]
    OnehotDense,
    /// The number of the bin.
    Ordinal,
}

/// How edges are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum BinStrategy {
    /// Bins of equal width.
    Uniform,
    /// Bins of equal weight.
    Quantile,
    /// Bins about the means of k-means.
    Kmeans,
}

/// Binning: each numeric feature into intervals; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "k-bins-discretizer bins",
    canon = "D5",
    task = Transformation,
    python = "preprocessing",
    door = "dtype=None",
    mixins = "BinsMixin",
    can = "transform inverse weights categorical text random",
    references = "Dougherty, Kohavi, Sahami. Supervised and unsupervised discretization of continuous features. ICML, 1995."
)]
pub struct KBinsDiscretizer {
    /// Number of bins of every feature, or of each.
    #[param(default = Whole::One(5), range = "[2, 1000000]", search = "int 2..20")]
    pub n_bins: Whole,
    /// How bins come out: onehot (sparse columns), onehot-dense or ordinal (numbers).
    #[param(default = BinEncoding::Onehot)]
    pub encode: BinEncoding,
    /// How edges are found: uniform, quantile or kmeans.
    #[param(default = BinStrategy::Quantile)]
    pub strategy: BinStrategy,
    /// How a quantile is read between two values, for strategy quantile.
    #[param(default = QuantileMethod::AveragedInvertedCdf)]
    pub quantile_method: QuantileMethod,
    /// Number of rows that edges are computed from, at most; none means all.
    #[param(default = None, range = "[1, inf)")]
    pub subsample: Option<usize>,
}

/// The bins of one feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Bins {
    /// The edges; those of a constant feature are infinite.
    edges: Vec<f64>,
    /// The middle of each bin.
    middles: Vec<f64>,
}

/// Fitted bins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KBinsDiscretizerModel {
    /// The bins of each feature; `None` for columns that pass through.
    bins: Vec<Option<Bins>>,
    encode: BinEncoding,
    certificate: Certificate,
}

const EVIDENCE: &str = "largest share of the training weight in one bin of a feature";

impl Learn for KBinsDiscretizer {
    type Model = KBinsDiscretizerModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<KBinsDiscretizerModel> {
        let all = data.rows(Self::NAME)?;
        let weights = data.weights().map(|w| w.into_owned());
        let n_bins = self.bins_of_each(all.n_features())?;
        let (rows, drawn, _) = draw(all.clone(), weights.clone(), self.subsample, session);
        let bins =
            by_columns(&rows, drawn.as_deref(), session, |j, column| Ok(self.bins(&column, n_bins[j])))?;
        let mut model = KBinsDiscretizerModel {
            bins,
            encode: self.encode,
            certificate: Certificate::new(Termination::Exact),
        };
        let evidence = Evidence::value(
            EVIDENCE,
            model.largest_share(&all, weights.as_deref(), session)?,
            "1 over the number of bins where all are equally full",
        );
        model.certificate = model.certificate.with_evidence(evidence);
        Ok(model)
    }

    /// Rows are drawn only where their number is limited.
    fn capabilities(&self) -> Capabilities {
        Capabilities { random: self.subsample.is_some(), ..Self::declaration().capabilities }
    }
}

impl KBinsDiscretizer {
    fn bins_of_each(&self, n_features: usize) -> Result<Vec<usize>> {
        match &self.n_bins {
            Whole::One(n) => Ok(vec![*n; n_features]),
            Whole::Many(list) if list.len() == n_features => Ok(list.clone()),
            Whole::Many(list) => {
                let expected = format!("one number, or one for each of {n_features} features");
                Err(Error::param(Self::NAME, "n_bins", expected, format!("{list:?}")))
            }
        }
    }

    fn bins(&self, column: &Values<'_>, n_bins: usize) -> Bins {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = column.present().fold(ends, |(a, b), (v, _)| (a.min(v), b.max(v)));
        if low == high {
            return Bins { edges: vec![f64::NEG_INFINITY, f64::INFINITY], middles: vec![low] };
        }
        let edges = match self.strategy {
            BinStrategy::Uniform => bin_edges::uniform(low, high, n_bins),
            BinStrategy::Quantile => bin_edges::quantile(column, n_bins, self.quantile_method),
            BinStrategy::Kmeans => bin_edges::kmeans(column, low, high, n_bins),
        };
        if edges.len() < 2 || edges.iter().any(|e| e.is_nan()) {
            // Values closer together than the narrowest bin.
            let edges = vec![f64::NEG_INFINITY, f64::INFINITY];
            return Bins { edges, middles: vec![low + (high - low) * 0.5] };
        }
        Bins { middles: edges.windows(2).map(|e| (e[0] + e[1]) * 0.5).collect(), edges }
    }
}

impl Bins {
    fn len(&self) -> usize {
        self.middles.len()
    }

    /// The number of the bin that holds `x`.
    fn of(&self, x: f64) -> usize {
        self.edges[1..self.edges.len() - 1].partition_point(|edge| *edge <= x)
    }
}

impl KBinsDiscretizerModel {
    fn numeric(&self) -> Vec<bool> {
        self.bins.iter().map(Option::is_some).collect()
    }

    fn width(&self) -> usize {
        self.bins.iter().flatten().map(Bins::len).sum()
    }

    fn largest_share(&self, rows: &Rows<'_>, weights: Option<&[f64]>, session: &Session) -> Result<f64> {
        let found = by_columns(rows, weights, session, |j, column| {
            let Some(bins) = &self.bins[j] else { return Ok(0.0) };
            let mut full = vec![0.0; bins.len()];
            column.present().for_each(|(v, w)| full[bins.of(v)] += w);
            let total: f64 = full.iter().sum();
            Ok(full.into_iter().fold(0.0, f64::max) / total)
        })?;
        Ok(found.into_iter().flatten().fold(0.0, f64::max))
    }

    fn one_hot(&self, x: MatRef<'_>) -> Csr {
        let bins: Vec<&Bins> = self.bins.iter().flatten().collect();
        let mut out = Csr::empty(self.width());
        let (mut places, ones) = (vec![0u32; bins.len()], vec![1.0; bins.len()]);
        for i in 0..x.n_rows() {
            let mut first = 0;
            for (k, bins) in bins.iter().enumerate() {
                places[k] = (first + bins.of(x.get(i, k))) as u32;
                first += bins.len();
            }
            out.push_row(&places, &ones);
        }
        out
    }

    fn names(&self, features: &[String]) -> Vec<String> {
        let names = features.iter().zip(&self.bins);
        let bins = names.clone().filter_map(|(name, bins)| bins.as_ref().map(|b| (name, b)));
        let made = bins.flat_map(|(name, b)| (0..b.len()).map(move |i| format!("{name}_{i}.0")));
        made.chain(names.filter(|(_, b)| b.is_none()).map(|(name, _)| name.clone())).collect()
    }

    /// The middles of the bins whose columns are largest.
    fn undo_one_hot(&self, rows: &Rows<'_>) -> Result<Rows<'static>> {
        let dense = rows.dense(KBinsDiscretizer::NAME)?;
        let x = dense.view();
        let bins: Vec<&Bins> = self.bins.iter().flatten().collect();
        let mut out = Mat::zeros(x.n_rows(), bins.len());
        for i in 0..x.n_rows() {
            let (row, mut first) = (x.row_cow(i), 0);
            for (k, bins) in bins.iter().enumerate() {
                let block = &row[first..first + bins.len()];
                let largest = (0..block.len()).rev().max_by(|&a, &b| block[a].total_cmp(&block[b]));
                let bin = largest.filter(|&b| block[b] > 0.0).ok_or_else(|| ErrorKind::BadValue {
                    learner: KBinsDiscretizer::NAME.to_owned(),
                    value: "a row without a bin".to_owned(),
                    column: rows.name(first),
                    row: i,
                    hint: "; one column of each feature must be above 0".to_owned(),
                })?;
                out[(i, k)] = bins.middles[bin];
                first += bins.len();
            }
        }
        Ok(out.into())
    }
}

impl ColumnMap for KBinsDiscretizerModel {
    fn column(&self, j: usize, values: &mut [f64]) {
        if let Some(bins) = &self.bins[j] {
            values.iter_mut().for_each(|v| *v = bins.of(*v) as f64);
        }
    }
}

/// Numbers of bins to their middles.
struct Undo<'a>(&'a KBinsDiscretizerModel);

impl ColumnMap for Undo<'_> {
    fn column(&self, j: usize, values: &mut [f64]) {
        let Some(bins) = &self.0.bins[j] else { return };
        for v in values.iter_mut().filter(|v| !v.is_nan()) {
            // Numbers beyond the bins, which no transformation gives, go to the nearest.
            *v = bins.middles[(v.max(0.0) as usize).min(bins.len() - 1)];
        }
    }
}

impl Transformer for KBinsDiscretizerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(KBinsDiscretizer::NAME)?;
        if self.encode == BinEncoding::Ordinal {
            return map_columns(rows, session, self);
        }
        let parts = Parts::of(rows, &self.numeric())?;
        let made = self.one_hot(parts.dense().view());
        let made = match self.encode {
            BinEncoding::OnehotDense => Expanded::Dense(made.view().to_dense()),
            _ => Expanded::Sparse(made),
        };
        let names: Vec<String> = (0..rows.n_features()).map(|j| rows.name(j)).collect();
        parts.followed_by_rest(made, || self.names(&names))
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        match self.encode {
            BinEncoding::Ordinal => same_names(schema),
            _ => self.names(&same_names(schema)),
        }
    }
}

impl Inverse for KBinsDiscretizerModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        match self.encode {
            BinEncoding::Ordinal => {
                let rows = to_invert(KBinsDiscretizer::NAME, input, self.bins.len())?;
                match rows.is_sparse() {
                    // Bin 0 is not stored.
                    true => map_columns(
                        &rows.dense(KBinsDiscretizer::NAME)?.view().to_mat().into(),
                        session,
                        &Undo(self),
                    ),
                    false => map_columns(rows, session, &Undo(self)),
                }
            }
            _ if self.bins.iter().any(Option::is_none) => {
                let what = "undo 0/1 columns beside columns that are no numbers; set encode=ordinal";
                Err(Error::incapable(KBinsDiscretizer::NAME, what))
            }
            _ => self.undo_one_hot(to_invert(KBinsDiscretizer::NAME, input, self.width())?),
        }
    }
}

impl Fitted for KBinsDiscretizerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let rows = data.rows(KBinsDiscretizer::NAME)?;
        let share = self.largest_share(&rows, data.weights().as_deref(), session)?;
        Ok(vec![(EVIDENCE.to_owned(), share)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n_bins: Vec<i64> = self.bins.iter().map(|b| b.as_ref().map_or(0, |b| b.len() as i64)).collect();
        let edges =
            |b: &Option<Bins>| AttributeValues::Real(b.as_ref().map_or(Vec::new(), |b| b.edges.to_vec()));
        let edges = self.bins.iter().map(edges).collect();
        vec![
            Attribute::int("n_bins_", "Number of bins of each feature.", &[n_bins.len()], n_bins),
            Attribute::several("bin_edges_", "The edges of each feature.", edges),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let sound = |bins: &Bins| {
            bins.edges.len() >= 2
                && bins.middles.len() + 1 == bins.edges.len()
                && bins.edges.len() <= 1_000_001
                && bins.edges.iter().all(|e| !e.is_nan())
                && bins.edges.is_sorted()
        };
        let fits = self.numeric() == numeric(schema) && self.width() <= u32::MAX as usize;
        let ok = fits && self.bins.iter().flatten().all(sound);
        if ok { Ok(()) } else { Err("bins do not fit the schema".to_owned()) }
    }
}
