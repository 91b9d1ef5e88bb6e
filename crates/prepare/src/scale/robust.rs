//! Robust scaling: each feature by its median and a range of its quantiles.
//!
//! # Objective
//! $$ z = \frac{x - \operatorname{median}(x)}{Q_{b}(x) - Q_{a}(x)} $$
//! with the percentiles $a, b$ of `quantile_range`: outliers move neither. A feature without such a range is only
//! centred. With `unit_variance`, normal data come out with variance 1.
//!
//! # Algorithm
//! Each column is sorted, in parallel; quantiles are interpolated linearly. Whole weights count copies; of other
//! weights the proportions matter. Missing values are left out and stay missing.
//!
//! # Complexity
//! Time O(d n log n), memory O(n) a thread.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::RobustScaler;
//! let x = Mat::from_rows(&[[1.0], [2.0], [3.0], [4.0], [1000.0]]).unwrap();
//! let scaler = RobustScaler::default().fit(&Dataset::new(&x))?;
//! assert_eq!(scaler.transform(&x)?.dense("z")?.view().to_mat().as_slice(), &[-1.0, -0.5, 0.0, 0.5, 498.5]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A range of less than ten times machine precision counts as none, as in scikit-learn.
//!
//! # References
//! - R. J. Hyndman, Y. Fan. Sample quantiles in statistical packages. The American Statistician 50(4), 1996.
//!   doi:10.1080/00031305.1996.10473566

use super::columns::{MulAdd, SubDiv, by_columns, map_columns, or_one, same_names, to_invert};
use super::order::{QuantileMethod, Sorted};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Error, Evidence, Fitted, Input, Inverse, Learn,
    Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::special::norm_ppf;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Robust scaling: each numeric feature by its median and quantile range; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "robust-scaler robust",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    door = "copy=True",
    mixins = "ScalerMixin",
    can = "transform inverse weights sparse missing categorical text",
    references = "Hyndman, Fan. Sample quantiles in statistical packages. The American Statistician 50(4), 1996."
)]
pub struct RobustScaler {
    /// Whether to subtract the median; not possible on sparse rows.
    #[param(default = true)]
    pub with_centering: bool,
    /// Whether to divide by the quantile range.
    #[param(default = true)]
    pub with_scaling: bool,
    /// The two percentiles between which the range is taken.
    #[param(default = vec![25.0, 75.0], range = "[0, 100]")]
    pub quantile_range: Vec<f64>,
    /// Whether normal data come out with variance 1.
    #[param(default = false)]
    pub unit_variance: bool,
}

/// Fitted medians and ranges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobustScalerModel {
    /// The median of each feature (0 for columns that pass through or are not centred).
    pub center: Vec<f64>,
    /// What each feature is divided by (1 for columns that pass through or are not scaled).
    pub scale: Vec<f64>,
    with_centering: bool,
    with_scaling: bool,
    levels: (f64, f64),
    /// What the quantile range of a transformed feature is: 1, or that of the normal law.
    unit: f64,
    certificate: Certificate,
}

const CENTRE_SPARSE: &str = "centre sparse rows; set with_centering=false";
const MEDIAN: &str = "largest median of a transformed feature";
const RANGE: &str = "largest distance of the quantile range of a transformed feature from its unit";

/// Median and quantile range of a column; `None` where it has no value.
fn centre_and_range(sorted: &Sorted, levels: (f64, f64)) -> Option<(f64, f64)> {
    let at = |level| sorted.quantile(level, QuantileMethod::Linear);
    (!sorted.is_empty()).then(|| (at(0.5), at(levels.1) - at(levels.0)))
}

impl Learn for RobustScaler {
    type Model = RobustScalerModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RobustScalerModel> {
        let rows = data.rows(Self::NAME)?;
        if self.with_centering && rows.is_sparse() {
            return Err(Error::incapable(Self::NAME, CENTRE_SPARSE));
        }
        let levels = (self.quantile_range[0] / 100.0, self.quantile_range[1] / 100.0);
        let normal = norm_ppf(levels.1) - norm_ppf(levels.0);
        let unit = if self.unit_variance { normal } else { 1.0 };
        let found = by_columns(&rows, data.weights().as_deref(), session, |_, column| {
            Ok(centre_and_range(&Sorted::of(&column), levels))
        })?;
        let scale = |range: f64| if self.with_scaling { or_one(range) / unit } else { 1.0 };
        let center = |median: f64| if self.with_centering { median } else { 0.0 };
        let (center, scale) = found
            .into_iter()
            .map(|c| c.flatten().map_or((0.0, 1.0), |(median, range)| (center(median), scale(range))))
            .unzip();
        let mut model = RobustScalerModel {
            center,
            scale,
            with_centering: self.with_centering,
            with_scaling: self.with_scaling,
            levels,
            unit,
            certificate: Certificate::new(Termination::Exact),
        };
        model.certificate = model.promise();
        Ok(model)
    }

    /// Centring would fill sparse rows.
    fn capabilities(&self) -> Capabilities {
        Capabilities { sparse: !self.with_centering, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let refuse = |expected: &str| {
            let got = format!("{:?}", self.quantile_range);
            Err(Error::param(Self::NAME, "quantile_range", expected, got))
        };
        match self.quantile_range[..] {
            [low, high] if low <= high => match self.unit_variance
                && !(0.0 < low && low < high && high < 100.0)
            {
                true => refuse("two percentiles in (0, 100), the first below the second, for unit_variance"),
                false => Ok(()),
            },
            _ => refuse("two percentiles, the first not above the second"),
        }
    }
}

impl RobustScalerModel {
    fn promise(&self) -> Certificate {
        let offset = self.center.iter().zip(&self.scale).map(|(c, s)| c.abs() / s).fold(1.0, f64::max);
        let bound = 64.0 * f64::EPSILON * if offset.is_finite() { offset } else { 1.0 };
        let mut certificate = Certificate::new(Termination::Exact);
        if self.with_centering {
            let meaning = "zero but for rounding, in units of the range: every feature is centred";
            certificate = certificate.with_evidence(Evidence::bound(MEDIAN, bound, meaning));
        }
        if self.with_scaling {
            let meaning = "zero but for rounding: every feature that has a range has the same";
            certificate = certificate.with_evidence(Evidence::bound(RANGE, bound, meaning));
        }
        if !self.with_centering && !self.with_scaling {
            certificate =
                certificate.with_note("nothing is changed: neither centring nor scaling is asked for");
        }
        certificate
    }

    fn map(&self) -> (Cow<'_, [f64]>, Cow<'_, [f64]>) {
        (self.center.as_slice().into(), self.scale.as_slice().into())
    }

    fn refuse_sparse(&self, rows: &Rows<'_>) -> Result<()> {
        match self.with_centering && rows.is_sparse() {
            true => Err(Error::incapable(RobustScaler::NAME, CENTRE_SPARSE)),
            false => Ok(()),
        }
    }
}

impl Transformer for RobustScalerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(RobustScaler::NAME)?;
        self.refuse_sparse(rows)?;
        let (shift, scale) = self.map();
        map_columns(rows, session, &SubDiv { shift, scale })
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Inverse for RobustScalerModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = to_invert(RobustScaler::NAME, input, self.scale.len())?;
        self.refuse_sparse(rows)?;
        let (shift, scale) = self.map();
        map_columns(rows, session, &MulAdd { scale, shift, clip: None })
    }
}

impl Fitted for RobustScalerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let rows = self.transformed(data.whole_input(), session)?;
        let found = by_columns(&rows, data.weights().as_deref(), session, |_, column| {
            Ok(centre_and_range(&Sorted::of(&column), self.levels))
        })?;
        let (mut median, mut range) = (0.0, 0.0);
        for (found, scale) in found.into_iter().map(Option::flatten).zip(&self.scale) {
            let Some((centre, width)) = found.filter(|_| scale.is_finite()) else { continue };
            median = f64::max(median, centre.abs());
            // A feature without a range keeps what it has: less than ten times machine precision.
            if width * scale >= 10.0 * f64::EPSILON {
                range = f64::max(range, (width - self.unit).abs());
            }
        }
        Ok(vec![(MEDIAN.to_owned(), median), (RANGE.to_owned(), range)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = [self.scale.len()];
        let mut out = Vec::new();
        if self.with_centering {
            out.push(Attribute::real("center_", "The median of each feature.", &d, self.center.clone()));
        }
        if self.with_scaling {
            out.push(Attribute::real("scale_", "What each feature is divided by.", &d, self.scale.clone()));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let fits = self.center.len() == d && self.scale.len() == d;
        let levels = 0.0 <= self.levels.0 && self.levels.0 <= self.levels.1 && self.levels.1 <= 1.0;
        if fits && levels { Ok(()) } else { Err("medians do not fit the schema".to_owned()) }
    }
}
