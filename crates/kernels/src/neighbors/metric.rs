//! Metrics: what is near to what. A norm of rows can be searched by a tree; everything else is compared with every row.

use super::params::Algorithm;
use crate::kernel::Kernel;
use crate::structures::Band;
use mercer_core::{Choice, DataKind, Error, ParamKind, ParamType, Result, Value};
use mercer_math::{Cholesky, ColumnMoments, Mat, MatRef, Norm, PairMetric, matmul};
use serde::{Deserialize, Serialize};

/// The name of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum MetricName {
    /// The norm with exponent `p`.
    Minkowski,
    /// √Σ|a−b|².
    Euclidean,
    /// Another name of the Euclidean metric.
    L2,
    /// Σ|a−b|.
    Manhattan,
    /// Another name of the Manhattan metric.
    Cityblock,
    /// Another name of the Manhattan metric.
    L1,
    /// max|a−b|.
    Chebyshev,
    /// Another name of the Chebyshev metric.
    Infinity,
    /// Euclidean, each feature divided by its standard deviation (`V` of `metric_params` has variances).
    Seuclidean,
    /// √(a−b)ᵀV⁻¹(a−b), with V the covariance (`V` or `VI` of `metric_params`).
    Mahalanobis,
    /// Σ|a−b|².
    Sqeuclidean,
    /// 1 − the cosine of the angle.
    Cosine,
    /// 1 − the correlation.
    Correlation,
    /// The angle between two points on a sphere: latitude and longitude in radians.
    Haversine,
    /// The share of features that differ.
    Hamming,
    /// Σ|a−b|/(|a|+|b|).
    Canberra,
    /// Σ|a−b|/Σ(|a|+|b|).
    Braycurtis,
    /// The share that differs of features that are not zero in both.
    Jaccard,
    /// Of features that are zero or not: those that differ, over those and twice those that are in both.
    Dice,
    /// Of features that are zero or not: twice those that differ, over all and those that differ.
    Rogerstanimoto,
    /// Of features that are zero or not: the share that is not in both.
    Russellrao,
    /// Of features that are zero or not: twice those that differ, over those and the ones that are in both.
    Sokalsneath,
    /// Of features that are zero or not: by the odds of agreeing.
    Yule,
    /// Euclidean over the features that neither misses, scaled up to all features; infinite where there are none.
    NanEuclidean,
    /// Strings: how many letters must be put in, left out or changed.
    Levenshtein,
    /// Rows are distances to the rows learnt from.
    Precomputed,
    /// Series: √Σ|a−b|² along the best alignment (`window` of `metric_params` is a share of the longer series, `radius` a number of places).
    Dtw,
    /// √(k(a,a) + k(b,b) − 2k(a,b)) of a kernel (`kernel` of `metric_params`).
    Kernel,
}

/// What metrics take beyond their name: `p`, weights `w` of the features, variances or a covariance `V`, its inverse `VI`,
/// the band `window` or `radius` of warping, a `kernel`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricParams {
    given: Vec<(String, Value)>,
}

impl ParamType for MetricParams {
    fn kind() -> ParamKind {
        ParamKind::Text
    }
    fn to_value(&self) -> Value {
        Value::Map(
            self.given.iter().map(|(name, value)| (Value::Text(name.clone()), value.clone())).collect(),
        )
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        let expected = || "p, w, V, VI, window, radius or kernel, each with its value".to_owned();
        let pairs: Vec<(Value, Value)> = match value {
            Value::Map(pairs) => pairs.clone(),
            Value::List(items) => items
                .iter()
                .map(|item| match item {
                    Value::List(pair) if pair.len() == 2 => Ok((pair[0].clone(), pair[1].clone())),
                    _ => Err(expected()),
                })
                .collect::<Result<_, _>>()?,
            _ => return Err(expected()),
        };
        let one = |(name, value): (Value, Value)| match name {
            Value::Text(name)
                if matches!(name.as_str(), "p" | "w" | "V" | "VI" | "window" | "radius" | "kernel") =>
            {
                Ok((name, value))
            }
            _ => Err(expected()),
        };
        Ok(Self { given: pairs.into_iter().map(one).collect::<Result<_, _>>()? })
    }
}

impl MetricParams {
    fn get<T: ParamType>(&self, who: &str, name: &str) -> Result<Option<T>> {
        let Some((_, value)) = self.given.iter().find(|(own, _)| own == name) else { return Ok(None) };
        let bad = |expected| Error::param(who, "metric_params", format!("`{name}` as {expected}"), value);
        T::from_value(value).map(Some).map_err(bad)
    }

    /// The kernel of the metric that is called so.
    fn kernel(&self, who: &str) -> Result<Kernel> {
        let bad = |expected: String| {
            let given = self.given.iter().find(|(own, _)| own == "kernel").map_or(&Value::Null, |(_, v)| v);
            Error::param(who, "metric_params", format!("`kernel`: {expected}"), given)
        };
        let found = self.given.iter().find(|(own, _)| own == "kernel").map(|(_, value)| match value {
            // A text from outside may be a whole kernel, not a word alone.
            Value::Text(text) => Kernel::parse(text),
            other => Kernel::from_value(other),
        });
        match found.unwrap_or_else(|| Err("a kernel".to_owned())).map_err(bad)? {
            Kernel::Precomputed => Err(bad("a kernel of points".to_owned())),
            kernel => Ok(kernel),
        }
    }
}

/// A metric that is ready to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Metric {
    /// A norm of the difference of rows, once their features are stretched.
    Norm(NormKind, Stretch),
    /// A distance of two rows.
    Pairs(PairMetric),
    /// Levenshtein's distance of two strings.
    Strings,
    /// Rows are distances.
    Precomputed,
    /// Series after warping.
    Warped(Band),
    /// The distance of a kernel.
    Kernel(Kernel),
}

/// The norms, with the exponent of those that have no name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum NormKind {
    /// √Σ|a−b|².
    Euclidean,
    /// Σ|a−b|.
    Manhattan,
    /// max|a−b|.
    Chebyshev,
    /// (Σ|a−b|^p)^(1/p).
    Minkowski(f64),
}

/// What is done to rows before a norm is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stretch {
    /// Nothing.
    None,
    /// A factor for each feature.
    Columns(Vec<f64>),
    /// A product with this matrix.
    Matrix(Mat),
}

impl NormKind {
    /// The norm of `math`.
    pub fn norm(self) -> Norm {
        match self {
            NormKind::Euclidean => Norm::Euclidean,
            NormKind::Manhattan => Norm::Manhattan,
            NormKind::Chebyshev => Norm::Chebyshev,
            NormKind::Minkowski(p) => Norm::Minkowski(p),
        }
    }

    fn of(p: f64) -> Self {
        match Norm::minkowski(p) {
            Norm::Euclidean => NormKind::Euclidean,
            Norm::Manhattan => NormKind::Manhattan,
            Norm::Chebyshev => NormKind::Chebyshev,
            Norm::Minkowski(p) => NormKind::Minkowski(p),
        }
    }
}

impl MetricName {
    /// The kind of data that the metric measures.
    pub fn data_kind(self, params: Option<&MetricParams>) -> DataKind {
        match self {
            MetricName::Levenshtein => DataKind::Strings,
            MetricName::Dtw => DataKind::Series,
            MetricName::Kernel => {
                let kernel = params.and_then(|p| p.kernel("a metric").ok());
                kernel.map_or(DataKind::Rows, |kernel| kernel.data_kind())
            }
            _ => DataKind::Rows,
        }
    }

    /// Whether it is a norm of stretched rows, which a tree can search.
    pub fn is_norm(self) -> bool {
        use MetricName::*;
        match self {
            Minkowski | Euclidean | L2 | Manhattan | Cityblock | L1 | Chebyshev | Infinity | Seuclidean
            | Mahalanobis => true,
            Sqeuclidean | Cosine | Correlation | Haversine | Hamming | Canberra | Braycurtis | Jaccard
            | Dice | Rogerstanimoto | Russellrao | Sokalsneath | Yule | NanEuclidean | Levenshtein
            | Precomputed | Dtw | Kernel => false,
        }
    }

    /// Whether a tree may be asked for: the metric is a norm, or holds the triangle inequality as a ball tree wants it.
    pub(crate) fn may_have(self, algorithm: Algorithm) -> bool {
        use MetricName::*;
        match algorithm {
            Algorithm::Auto | Algorithm::Brute => true,
            Algorithm::KdTree => self.is_norm(),
            Algorithm::BallTree => {
                let no = matches!(self, Sqeuclidean | Cosine | Correlation | Yule | NanEuclidean);
                !no && !matches!(self, Levenshtein | Precomputed | Dtw | Kernel)
            }
        }
    }

    /// Whether sparse rows can be measured without making them dense.
    pub(crate) fn takes_sparse(self, params: Option<&MetricParams>) -> bool {
        use MetricName::*;
        let stretched = params.is_some_and(|p| p.given.iter().any(|(name, _)| name != "p"));
        !stretched
            && !matches!(
                self,
                Seuclidean
                    | Mahalanobis
                    | Correlation
                    | Haversine
                    | NanEuclidean
                    | Levenshtein
                    | Dtw
                    | Kernel
            )
    }

    /// Whether factors of the features change nothing, or have no meaning.
    pub fn is_scale_free(self) -> bool {
        use MetricName::*;
        matches!(
            self,
            Seuclidean
                | Mahalanobis
                | Hamming
                | Canberra
                | Jaccard
                | Dice
                | Rogerstanimoto
                | Russellrao
                | Sokalsneath
                | Yule
                | Levenshtein
                | Precomputed
        )
    }

    /// The metric for these rows, which decide about variances that are not given.
    pub fn resolve(
        self,
        who: &str,
        p: f64,
        params: &MetricParams,
        rows: Option<MatRef<'_>>,
    ) -> Result<Metric> {
        let d = rows.map_or(0, |r| r.n_cols());
        let plain = |norm| Ok(Metric::Norm(norm, Stretch::None));
        match self {
            MetricName::Minkowski => {
                let p = params.get(who, "p")?.unwrap_or(p);
                if p.is_nan() || p <= 0.0 {
                    return Err(Error::param(who, "metric_params", "`p` above 0", p));
                }
                let norm = NormKind::of(p);
                let Some(weights) = params.get::<Vec<f64>>(who, "w")? else { return plain(norm) };
                // Σ w|a−b|^p is a plain norm of features that are stretched by w^(1/p).
                check_scales(who, "w", &weights, d, false)?;
                let root = |w: &f64| if p.is_infinite() { *w } else { w.powf(1.0 / p) };
                Ok(Metric::Norm(norm, Stretch::Columns(weights.iter().map(root).collect())))
            }
            MetricName::Euclidean | MetricName::L2 => plain(NormKind::Euclidean),
            MetricName::Manhattan | MetricName::Cityblock | MetricName::L1 => plain(NormKind::Manhattan),
            MetricName::Chebyshev | MetricName::Infinity => plain(NormKind::Chebyshev),
            MetricName::Seuclidean => {
                let variances = match (params.get::<Vec<f64>>(who, "V")?, rows) {
                    (Some(given), _) => given,
                    (None, Some(rows)) => sample_variances(rows),
                    (None, None) => Vec::new(),
                };
                check_scales(who, "V", &variances, d, true)?;
                let factors = variances.iter().map(|v| 1.0 / v.sqrt()).collect();
                Ok(Metric::Norm(NormKind::Euclidean, Stretch::Columns(factors)))
            }
            MetricName::Mahalanobis => {
                let inverse =
                    match (params.get::<Vec<Vec<f64>>>(who, "VI")?, params.get::<Vec<Vec<f64>>>(who, "V")?) {
                        (Some(inverse), _) => square(who, "VI", &inverse, d)?,
                        (None, Some(covariance)) => inverted(who, &square(who, "V", &covariance, d)?)?,
                        (None, None) => inverted(who, &covariance(rows))?,
                    };
                let Some(root) = Cholesky::new(&inverse) else {
                    return Err(Error::param(
                        who,
                        "metric_params",
                        "`VI` positive definite",
                        "another matrix",
                    ));
                };
                Ok(Metric::Norm(NormKind::Euclidean, Stretch::Matrix(root.l())))
            }
            MetricName::Sqeuclidean => Ok(Metric::Pairs(PairMetric::Sqeuclidean)),
            MetricName::Cosine => Ok(Metric::Pairs(PairMetric::Cosine)),
            MetricName::Correlation => Ok(Metric::Pairs(PairMetric::Correlation)),
            MetricName::Haversine if d == 2 => Ok(Metric::Pairs(PairMetric::Haversine)),
            MetricName::Haversine => Err(Error::shape("features for the haversine metric", 2, d)),
            MetricName::Hamming => Ok(Metric::Pairs(PairMetric::Hamming)),
            MetricName::Canberra => Ok(Metric::Pairs(PairMetric::Canberra)),
            MetricName::Braycurtis => Ok(Metric::Pairs(PairMetric::Braycurtis)),
            MetricName::Jaccard => Ok(Metric::Pairs(PairMetric::Jaccard)),
            MetricName::Dice => Ok(Metric::Pairs(PairMetric::Dice)),
            MetricName::Rogerstanimoto => Ok(Metric::Pairs(PairMetric::RogersTanimoto)),
            MetricName::Russellrao => Ok(Metric::Pairs(PairMetric::RussellRao)),
            MetricName::Sokalsneath => Ok(Metric::Pairs(PairMetric::SokalSneath)),
            MetricName::Yule => Ok(Metric::Pairs(PairMetric::Yule)),
            MetricName::NanEuclidean => Ok(Metric::Pairs(PairMetric::NanEuclidean)),
            MetricName::Levenshtein => Ok(Metric::Strings),
            MetricName::Precomputed => Ok(Metric::Precomputed),
            MetricName::Dtw => {
                if let Some(radius) = params.get(who, "radius")? {
                    return Ok(Metric::Warped(Band::Radius(radius)));
                }
                let share = params.get(who, "window")?.unwrap_or(1.0);
                let bad = |_| Error::param(who, "metric_params", "`window` in [0, 1]", share);
                Ok(Metric::Warped(Band::new(share).map_err(bad)?))
            }
            MetricName::Kernel => Ok(Metric::Kernel(params.kernel(who)?)),
        }
    }

    /// The name under which scikit-learn knows what is measured.
    pub fn effective(self, metric: &Metric) -> String {
        match (self, metric) {
            (MetricName::Minkowski, Metric::Norm(NormKind::Euclidean, Stretch::None)) => {
                "euclidean".to_owned()
            }
            (MetricName::Minkowski, Metric::Norm(NormKind::Manhattan, Stretch::None)) => {
                "manhattan".to_owned()
            }
            (MetricName::Minkowski, Metric::Norm(NormKind::Chebyshev, Stretch::None)) => {
                "chebyshev".to_owned()
            }
            _ => self.to_value().to_string(),
        }
    }
}

fn check_scales(who: &str, name: &str, given: &[f64], d: usize, above: bool) -> Result<()> {
    if given.len() != d {
        return Err(Error::shape(format!("`{name}` of metric_params of {who}"), d, given.len()));
    }
    match given.iter().find(|v| !(v.is_finite() && **v >= 0.0 && (!above || **v > 0.0))) {
        Some(bad) => Err(Error::param(who, "metric_params", format!("`{name}` positive"), bad)),
        None => Ok(()),
    }
}

fn sample_variances(rows: MatRef<'_>) -> Vec<f64> {
    let n = rows.n_rows() as f64;
    ColumnMoments::of(rows, None).variances().iter().map(|v| v * n / (n - 1.0).max(1.0)).collect()
}

fn square(who: &str, name: &str, given: &[Vec<f64>], d: usize) -> Result<Mat> {
    let bad =
        || Error::shape(format!("rows and columns of `{name}` of metric_params of {who}"), d, given.len());
    Mat::from_rows(given).filter(|m| m.n_rows() == d && m.n_cols() == d).ok_or_else(bad)
}

fn covariance(rows: Option<MatRef<'_>>) -> Mat {
    let Some(rows) = rows else { return Mat::zeros(0, 0) };
    let (n, means) = (rows.n_rows() as f64, ColumnMoments::of(rows, None).means());
    let centred = Mat::from_fn(rows.n_rows(), rows.n_cols(), |i, j| rows.get(i, j) - means[j]);
    let mut product = matmul(centred.view().t(), centred.view());
    product.as_mut_slice().iter_mut().for_each(|v| *v /= (n - 1.0).max(1.0));
    product
}

fn inverted(who: &str, covariance: &Mat) -> Result<Mat> {
    let singular =
        || Error::numeric(who, "the covariance of the features has no inverse: give `VI` in metric_params");
    Cholesky::new(covariance).map(|c| c.inverse()).ok_or_else(singular)
}

impl Metric {
    /// The kind of data that the metric measures.
    pub fn data_kind(&self) -> DataKind {
        match self {
            Metric::Strings => DataKind::Strings,
            Metric::Warped(_) => DataKind::Series,
            Metric::Kernel(kernel) => kernel.data_kind(),
            Metric::Norm(..) | Metric::Pairs(_) | Metric::Precomputed => DataKind::Rows,
        }
    }

    /// Dense rows as they are measured.
    pub(crate) fn stretched(&self, rows: MatRef<'_>) -> Mat {
        match self {
            Metric::Norm(_, stretch) => stretch.apply(rows),
            Metric::Pairs(_)
            | Metric::Strings
            | Metric::Precomputed
            | Metric::Warped(_)
            | Metric::Kernel(_) => rows.to_mat(),
        }
    }
}

impl Stretch {
    /// Rows as the norm takes them.
    pub fn apply(&self, rows: MatRef<'_>) -> Mat {
        match self {
            Stretch::None => rows.to_mat(),
            Stretch::Columns(factors) => {
                Mat::from_fn(rows.n_rows(), rows.n_cols(), |i, j| rows.get(i, j) * factors[j])
            }
            Stretch::Matrix(m) => matmul(rows, m.view()),
        }
    }

    /// Whether it fits rows of `d` features.
    pub(crate) fn fits(&self, d: usize) -> bool {
        match self {
            Stretch::None => true,
            Stretch::Columns(factors) => factors.len() == d,
            Stretch::Matrix(m) => m.is_consistent() && m.n_rows() == d && m.n_cols() == d,
        }
    }
}

/// How many letters must be put in, left out or changed to make one string the other.
pub fn levenshtein(a: &str, b: &str) -> f64 {
    let b: Vec<char> = b.chars().collect();
    let mut costs: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut costs[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = costs[j + 1];
            costs[j + 1] = changed.min(diagonal + 1).min(costs[j] + 1);
        }
    }
    costs[b.len()] as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_as_far_apart_as_published() {
        assert_eq!(levenshtein("kitten", "sitting"), 3.0);
        assert_eq!(levenshtein("", "abc"), 3.0);
        assert_eq!(levenshtein("intention", "execution"), 5.0);
    }
}
