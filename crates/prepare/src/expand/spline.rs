//! Spline features: B-splines of each feature, so that linear models fit smooth curves.
//!
//! # Objective
//! Feature $x$ becomes $(B_1(x), …, B_m(x))$, the B-splines of `degree` over `n_knots` knots: piecewise polynomials,
//! smooth where they meet, not negative, with $\sum_j B_j(x) = 1$ on the range of training.
//!
//! # Algorithm
//! Knots evenly over the range of training, or at quantiles (linear; whole weights count copies); beyond the ends
//! they go on at the last distance, as Eilers and Marx advise. Values by the recursion of Cox and de Boor. Beyond the
//! range of training: an error, the value at its end, a straight line, the polynomial itself, or periodically.
//! Columns of a table that are no numbers follow unchanged.
//!
//! # Complexity
//! Time O(n d (k² + log m)) for degree k and m knots; memory O(n d m) dense, O(n d k) sparse.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::SplineTransformer;
//! let x = Mat::from_fn(6, 1, |i, _| i as f64);
//! let model = SplineTransformer::default().degree(2).n_knots(3).fit(&Dataset::new(&x))?;
//! let z = model.transform(&x)?.dense("z")?.view().to_mat();
//! assert_eq!(z.row(0), &[0.5, 0.5, 0.0, 0.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Where many equal values leave equal knots at the upper end, the last interval that is not empty holds it, so that
//! splines sum to 1 there too (scikit-learn leaves zeros). Splines of a constant feature are all zero.
//!
//! # References
//! - C. de Boor. On calculating with B-splines. J. Approximation Theory 6(1), 1972. doi:10.1016/0021-9045(72)90080-9
//! - P. H. C. Eilers, B. D. Marx. Flexible smoothing with B-splines and penalties. Statistical Science 11(2), 1996.
//!   doi:10.1214/ss/1038425655

use super::bspline::{Basis, extended, linspace};
use super::parts::{Expanded, Parts, in_order};
use super::polynomial::MemoryOrder;
use crate::scale::columns::{Values, by_columns, numeric};
use crate::scale::order::{QuantileMethod, Sorted, levels, percent};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, Dataset, Error, ErrorKind, Evidence, Fitted,
    Input, Learn, Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{Csr, Mat, MatRef, Weights};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Where knots lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Knots {
    /// Evenly from the smallest to the largest value.
    Uniform,
    /// At quantiles, evenly from 0 to 1.
    Quantile,
}

/// What splines are beyond the range of training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum Extrapolation {
    /// Nothing: such a value is refused, by column and row.
    Error,
    /// What they are at its end.
    Constant,
    /// Straight lines from its end.
    Linear,
    /// Their own polynomials, further on.
    Continue,
    /// What they are one period away.
    Periodic,
}

/// What is done with missing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum HandleMissing {
    /// They are refused.
    Error,
    /// All splines of the feature are zero.
    Zeros,
}

/// Spline features: B-splines of each numeric feature; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "spline-transformer splines",
    canon = "D5",
    task = Transformation,
    python = "preprocessing",
    mixins = "SplineMixin",
    can = "transform weights missing categorical text",
    references = "de Boor. On calculating with B-splines. J. Approximation Theory 6(1), 1972.|Eilers, Marx. Flexible smoothing with B-splines and penalties. Statistical Science 11(2), 1996."
)]
pub struct SplineTransformer {
    /// Number of knots of a feature, both ends of its range among them.
    #[param(default = 5, range = "[2, 1000000]", search = "int 3..10")]
    pub n_knots: usize,
    /// The degree of the polynomials.
    #[param(default = 3, range = "[0, 100]", search = "int 1..4")]
    pub degree: usize,
    /// Where knots lie: uniform or quantile.
    #[param(default = Knots::Uniform)]
    pub knots: Knots,
    /// The knots of each feature, in place of `n_knots` and `knots`: one list of rising numbers for each.
    #[param(default = None)]
    pub knot_positions: Option<Vec<Vec<f64>>>,
    /// What splines are beyond the range of training: error, constant, linear, continue or periodic.
    #[param(default = Extrapolation::Constant)]
    pub extrapolation: Extrapolation,
    /// Whether the last spline of each feature is kept; without it they do not sum to 1.
    #[param(default = true)]
    pub include_bias: bool,
    /// The layout that scikit-learn gives a dense result; here it is by rows in either case.
    #[param(default = MemoryOrder::C)]
    pub order: MemoryOrder,
    /// Whether missing values are refused (error) or have splines of zero (zeros).
    #[param(default = HandleMissing::Error)]
    pub handle_missing: HandleMissing,
    /// Whether the result is sparse.
    #[param(default = false)]
    pub sparse_output: bool,
}

/// Fitted knots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SplineTransformerModel {
    /// The knots of the first numeric feature, then of the second and so on.
    knots: Vec<f64>,
    /// Number of knots of a feature, those beyond its range counted.
    n_knots: usize,
    degree: usize,
    extrapolation: Extrapolation,
    include_bias: bool,
    sparse_output: bool,
    numeric: Vec<bool>,
    certificate: Certificate,
}

const EVIDENCE: &str = "largest distance of the sum of a feature's splines from 1";

impl Learn for SplineTransformer {
    type Model = SplineTransformerModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SplineTransformerModel> {
        let rows = data.rows(Self::NAME)?;
        let periodic = self.extrapolation == Extrapolation::Periodic;
        let found = by_columns(&rows, data.weights().as_deref(), session, |j, column| {
            let base = match &self.knot_positions {
                Some(given) => given.get(j).cloned().ok_or_else(|| {
                    Error::shape("features in `knot_positions`", data.n_features(), given.len())
                })?,
                None => self.base(&column),
            };
            let knots = extended(&base, self.degree, periodic);
            match knots.iter().all(|t| t.is_finite()) {
                true => Ok(knots),
                false => {
                    Err(Error::numeric(Self::NAME, format!("no room for knots about `{}`", rows.name(j))))
                }
            }
        })?;
        let evidence = Evidence::bound(
            EVIDENCE,
            64.0 * f64::EPSILON * (self.degree + 1) as f64,
            "zero but for rounding on the range of training: splines are a partition of unity",
        );
        Ok(SplineTransformerModel {
            numeric: numeric(&Schema::of(data)),
            knots: found.into_iter().flatten().flatten().collect(),
            n_knots: self.n_knots + 2 * self.degree,
            degree: self.degree,
            extrapolation: self.extrapolation,
            include_bias: self.include_bias,
            sparse_output: self.sparse_output,
            certificate: Certificate::new(Termination::Exact).with_evidence(evidence),
        })
    }

    /// Missing values only where they have splines of zero.
    fn capabilities(&self) -> Capabilities {
        let missing = self.handle_missing == HandleMissing::Zeros;
        Capabilities { missing, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if let Some(given) = &self.knot_positions {
            let rises =
                |knots: &Vec<f64>| knots.len() == self.n_knots && knots.windows(2).all(|w| w[0] < w[1]);
            if !given.iter().all(rises) {
                let expected = format!("lists of {} (n_knots) rising numbers", self.n_knots);
                return Err(Error::param(Self::NAME, "knot_positions", expected, "another"));
            }
        }
        let periodic = self.extrapolation == Extrapolation::Periodic;
        let n_splines = self.n_knots - 1 + if periodic { 0 } else { self.degree };
        if periodic && self.degree >= self.n_knots {
            let expected = format!("below n_knots ({}) for periodic splines", self.n_knots);
            return Err(Error::param(Self::NAME, "degree", expected, self.degree));
        }
        match n_splines > 1 || self.include_bias {
            true => Ok(()),
            false => {
                let expected = "true where a feature has one spline alone, or nothing would be left";
                Err(Error::param(Self::NAME, "include_bias", expected, false))
            }
        }
    }
}

impl SplineTransformer {
    /// The knots of the base interval; all zero where there is no value.
    fn base(&self, column: &Values<'_>) -> Vec<f64> {
        if column.present().next().is_none() {
            return vec![0.0; self.n_knots];
        }
        match self.knots {
            Knots::Uniform => {
                let ends = (f64::INFINITY, f64::NEG_INFINITY);
                let (low, high) =
                    column.present().fold(ends, |(low, high), (v, _)| (low.min(v), high.max(v)));
                linspace(low, high, self.n_knots)
            }
            Knots::Quantile => {
                let sorted = Sorted::of(column);
                let at = |level: f64| sorted.quantile(percent(level), QuantileMethod::Linear);
                levels(self.n_knots).into_iter().map(at).collect()
            }
        }
    }
}

/// Splines at the ends of a base interval: the first of them, values and derivatives.
struct Ends {
    below: (usize, Vec<f64>, Vec<f64>),
    above: (usize, Vec<f64>, Vec<f64>),
}

impl SplineTransformerModel {
    fn n_features(&self) -> usize {
        self.knots.len() / self.n_knots
    }

    fn basis(&self, feature: usize) -> Basis<'_> {
        Basis {
            degree: self.degree,
            knots: &self.knots[feature * self.n_knots..(feature + 1) * self.n_knots],
        }
    }

    /// Number of splines of a feature, before the last is dropped.
    fn n_splines(&self) -> usize {
        let all = self.n_knots - self.degree - 1;
        if self.extrapolation == Extrapolation::Periodic { all - self.degree } else { all }
    }

    fn width(&self) -> usize {
        self.n_splines() - usize::from(!self.include_bias)
    }

    fn ends(&self, feature: usize) -> Ends {
        let basis = self.basis(feature);
        let (low, high) = basis.range();
        let k = self.degree + 1;
        let at = |x: f64| {
            let (mut values, mut slopes) = (vec![0.0; 2 * k], vec![0.0; 2 * k]);
            let first = basis.evaluate(x, false, &mut values);
            basis.evaluate(x, true, &mut slopes);
            values.truncate(k);
            slopes.truncate(k);
            (first, values, slopes)
        };
        Ends { below: at(low), above: at(high) }
    }

    /// The splines at `x` that may not be zero, into `h`, and the number of the first; `None` where `x` is refused.
    fn splines(&self, feature: usize, ends: &Ends, x: f64, h: &mut [f64]) -> Option<usize> {
        let basis = self.basis(feature);
        let (low, high) = basis.range();
        if self.extrapolation == Extrapolation::Periodic {
            let period = high - low;
            let inside = if period > 0.0 { low + (x - low).rem_euclid(period) } else { low };
            return Some(basis.evaluate(inside, false, h));
        }
        let beyond = match (x < low, x > high) {
            (true, _) => Some((&ends.below, low)),
            (_, true) => Some((&ends.above, high)),
            _ => None,
        };
        match (beyond, self.extrapolation) {
            (None, _) | (_, Extrapolation::Continue) => Some(basis.evaluate(x, false, h)),
            (_, Extrapolation::Error) => None,
            (Some(((first, values, slopes), end)), how) => {
                let slope = if how == Extrapolation::Linear { x - end } else { 0.0 };
                for ((h, v), s) in h.iter_mut().zip(values).zip(slopes) {
                    *h = v + if slope == 0.0 { 0.0 } else { slope * s };
                }
                Some(*first)
            }
        }
    }

    /// Calls `put(place, value)` for every spline of every feature of a row that may not be zero.
    fn row(
        &self,
        values: &[f64],
        ends: &[Ends],
        h: &mut [f64],
        mut put: impl FnMut(usize, f64),
    ) -> Result<(), usize> {
        let (n_splines, width) = (self.n_splines(), self.width());
        for (feature, &x) in values.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
            let first = self.splines(feature, &ends[feature], x, h).ok_or(feature)?;
            for (b, v) in h[..=self.degree].iter().enumerate() {
                // Periodic splines beyond the last are the first ones again.
                let place = (first + b) % n_splines;
                if place < width && *v != 0.0 {
                    put(feature * width + place, *v);
                }
            }
        }
        Ok(())
    }

    fn expand(&self, x: MatRef<'_>, session: &Session) -> Result<Expanded, (usize, usize)> {
        let ends: Vec<Ends> = (0..self.n_features()).map(|f| self.ends(f)).collect();
        let width = self.n_features() * self.width();
        let scratch = || vec![0.0; 2 * (self.degree + 1)];
        if !self.sparse_output {
            let mut out = Mat::zeros(x.n_rows(), width);
            let work = |h: &mut Vec<f64>, (i, row): (usize, &mut [f64])| {
                self.row(&x.row_cow(i), &ends, h, |place, v| row[place] += v).err().map(|f| (i, f))
            };
            let rows = || {
                let rows = out.as_mut_slice().par_chunks_mut(width.max(1)).enumerate();
                rows.map_init(scratch, work).find_map_first(|bad| bad)
            };
            return session.run(rows).map_or(Ok(()), Err).map(|()| Expanded::Dense(out));
        }
        let mut out = Csr::empty(width);
        let (mut h, mut entries) = (scratch(), Vec::new());
        for i in 0..x.n_rows() {
            entries.clear();
            let put = |place: usize, v: f64| entries.push((place as u32, v));
            self.row(&x.row_cow(i), &ends, &mut h, put).map_err(|f| (i, f))?;
            in_order(&mut entries);
            let (places, values): (Vec<u32>, Vec<f64>) = entries.iter().copied().unzip();
            out.push_row(&places, &values);
        }
        Ok(Expanded::Sparse(out))
    }

    fn names(&self, features: &[String]) -> Vec<String> {
        let chosen = |wanted: bool| {
            features.iter().zip(&self.numeric).filter(move |(_, n)| **n == wanted).map(|(name, _)| name)
        };
        let splines = chosen(true).flat_map(|name| (0..self.width()).map(move |b| format!("{name}_sp_{b}")));
        splines.chain(chosen(false).cloned()).collect()
    }

    fn refused(&self, rows: &Rows<'_>, row: usize, feature: usize, x: f64) -> Error {
        let column = (0..self.numeric.len()).filter(|&j| self.numeric[j]).nth(feature).unwrap_or(0);
        let hint = "; it lies beyond the values of training: set another extrapolation".to_owned();
        let learner = SplineTransformer::NAME.to_owned();
        ErrorKind::BadValue { learner, value: x.to_string(), column: rows.name(column), row, hint }.into()
    }
}

impl Transformer for SplineTransformerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(SplineTransformer::NAME)?;
        let parts = Parts::of(rows, &self.numeric)?;
        let dense = parts.dense();
        let made = self
            .expand(dense.view(), session)
            .map_err(|(i, feature)| self.refused(rows, i, feature, dense.view().get(i, feature)))?;
        let names: Vec<String> = (0..rows.n_features()).map(|j| rows.name(j)).collect();
        parts.followed_by_rest(made, || self.names(&names))
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        self.names(&schema.features.iter().map(|f| f.name.clone()).collect::<Vec<_>>())
    }
}

impl Fitted for SplineTransformerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let rows = data.rows(SplineTransformer::NAME)?;
        let (parts, weights) = (Parts::of(&rows, &self.numeric)?, data.weights());
        let dense = parts.dense();
        let x = dense.view();
        let ends: Vec<Ends> = (0..self.n_features()).map(|f| self.ends(f)).collect();
        let mut h = vec![0.0; 2 * (self.degree + 1)];
        let mut worst = 0.0f64;
        for i in (0..x.n_rows()).filter(|&i| Weights::of(&weights).counts(i)) {
            for (feature, ends) in ends.iter().enumerate() {
                let ((low, high), x) = (self.basis(feature).range(), x.get(i, feature));
                if low < high && !x.is_nan() && self.splines(feature, ends, x, &mut h).is_some() {
                    worst = worst.max((h[..=self.degree].iter().sum::<f64>() - 1.0).abs());
                }
            }
        }
        Ok(vec![(EVIDENCE.to_owned(), worst)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = (self.n_features() * self.width()) as i64;
        let shape = [self.n_features(), self.n_knots];
        vec![
            Attribute::int("n_features_out_", "Number of splines of all features.", &[], vec![n]),
            Attribute::real("knots_", "The knots of each feature.", &shape, self.knots.clone()),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = self.numeric.iter().filter(|n| **n).count();
        let inner = self.degree.checked_mul(2).and_then(|k| self.n_knots.checked_sub(k));
        let ok = self.numeric == numeric(schema)
            && self.degree <= 100
            && inner.is_some_and(|n| {
                n >= 2 && (self.extrapolation != Extrapolation::Periodic || self.degree < n)
            })
            && d.checked_mul(self.n_knots) == Some(self.knots.len())
            && self.width() > 0
            && self.knots.chunks(self.n_knots).all(|t| t.iter().all(|v| !v.is_nan()) && t.is_sorted());
        if ok { Ok(()) } else { Err("knots do not fit the schema".to_owned()) }
    }
}
