//! Logarithmic scaling: each feature by its logarithm.
//!
//! # Objective
//! With the base $a$ of `base`,
//! - `log`: $z = \log_a x$ for $x > 0$, the formula of course note 004;
//! - `log1p`: $z = \log_a(1 + x)$ for $x \ge 0$, which keeps zero;
//! - `signed`: $z = \operatorname{sign}(x)\log_a(1 + |x|)$ for every $x$, which keeps zero and signs.
//!
//! # Algorithm
//! Value by value; nothing is learnt. Training rows outside the domain are refused by column and row, as are new ones.
//! `log1p` and `signed` keep sparse rows sparse. Missing values stay missing.
//!
//! # Complexity
//! Time O(n d), or O(nnz) for sparse rows; memory O(1).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::{LogMethod, LogScaler};
//! let x = Mat::from_rows(&[[1.0], [2.0], [8.0]]).unwrap();
//! let scaler = LogScaler::default().method(LogMethod::Log).base(2.0).fit(&Dataset::new(&x))?;
//! assert_eq!(scaler.transform(&x)?.dense("z")?.view().to_mat().as_slice(), &[0.0, 1.0, 3.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! `log1p` and `signed` lose no digits near zero. Bases 2 and 10 have logarithms of their own, exact at their powers.
//!
//! # References
//! - J. W. Tukey. Exploratory Data Analysis. Addison-Wesley, 1977.

use super::columns::{ColumnMap, map_columns, refuse, same_names, to_invert};
use mercer_core::sums::Batches;
use mercer_core::{
    Abilities, Capabilities, Certificate, Choice, Dataset, Error, Fitted, Input, Inverse, Learn, Params,
    Result, Rows, Schema, Session, Termination, Transformer,
};
use serde::{Deserialize, Serialize};

/// Which logarithm [`LogScaler`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum LogMethod {
    /// log x, for values above 0.
    Log,
    /// log(1 + x), for values from 0.
    Log1p,
    /// sign(x) log(1 + |x|), for all values.
    Signed,
}

/// Logarithmic scaling: each numeric feature by its logarithm; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "log-scaler log",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    can = "transform inverse weights sparse missing categorical text by_sums",
    references = "Tukey. Exploratory Data Analysis. Addison-Wesley, 1977."
)]
pub struct LogScaler {
    /// Which logarithm: log (values above 0), log1p (values from 0) or signed (all values).
    #[param(default = LogMethod::Signed)]
    pub method: LogMethod,
    /// The base of the logarithm.
    #[param(default = std::f64::consts::E, range = "(1, inf)")]
    pub base: f64,
}

/// A logarithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogScalerModel {
    method: LogMethod,
    base: f64,
    n_features: usize,
    certificate: Certificate,
}

impl Learn for LogScaler {
    type Model = LogScalerModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<LogScalerModel> {
        let rows = data.rows(Self::NAME)?;
        let model = self.model(rows.n_features());
        model.check_domain(&rows, data.weights().as_deref())?;
        Ok(model)
    }

    fn learn_stream(&self, batches: &mut dyn Batches, _: &Session) -> Option<Result<Self::Model>> {
        Some(batches.schema().map(|schema| self.model(schema.n_features())))
    }

    /// The logarithm of an implicit zero is not finite.
    fn capabilities(&self) -> Capabilities {
        Capabilities { sparse: self.method != LogMethod::Log, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        match self.base.is_finite() {
            true => Ok(()),
            false => Err(Error::param(Self::NAME, "base", "finite", self.base)),
        }
    }
}

impl LogScaler {
    fn model(&self, n_features: usize) -> LogScalerModel {
        let why = "a fixed function learns nothing that could be proved";
        let certificate = Certificate::without_evidence(Termination::Exact, why);
        LogScalerModel { method: self.method, base: self.base, n_features, certificate }
    }
}

impl LogScalerModel {
    fn check_domain(&self, rows: &Rows<'_>, weights: Option<&[f64]>) -> Result<()> {
        match self.method {
            LogMethod::Log => {
                let hint = "log takes values above 0; set method=log1p or method=signed";
                refuse(LogScaler::NAME, rows, weights, |v| v <= 0.0, hint)
            }
            LogMethod::Log1p => {
                let hint = "log1p takes values from 0; set method=signed";
                refuse(LogScaler::NAME, rows, weights, |v| v < 0.0, hint)
            }
            LogMethod::Signed => Ok(()),
        }
    }
}

impl ColumnMap for LogScalerModel {
    fn column(&self, _: usize, values: &mut [f64]) {
        let unit = 1.0 / self.base.ln();
        let log = |v: f64| match self.base {
            2.0 => v.log2(),
            10.0 => v.log10(),
            _ => v.ln() * unit,
        };
        match self.method {
            LogMethod::Log => values.iter_mut().for_each(|v| *v = log(*v)),
            LogMethod::Log1p => values.iter_mut().for_each(|v| *v = v.ln_1p() * unit),
            LogMethod::Signed => values.iter_mut().for_each(|v| *v = (v.abs().ln_1p() * unit).copysign(*v)),
        }
    }
}

/// The inverse map.
struct Undo<'a>(&'a LogScalerModel);

impl ColumnMap for Undo<'_> {
    fn column(&self, _: usize, values: &mut [f64]) {
        let unit = self.0.base.ln();
        match self.0.method {
            LogMethod::Log => values.iter_mut().for_each(|v| *v = self.0.base.powf(*v)),
            LogMethod::Log1p => values.iter_mut().for_each(|v| *v = (*v * unit).exp_m1()),
            LogMethod::Signed => {
                values.iter_mut().for_each(|v| *v = (v.abs() * unit).exp_m1().copysign(*v));
            }
        }
    }
}

impl Transformer for LogScalerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(LogScaler::NAME)?;
        self.check_domain(rows, None)?;
        map_columns(rows, session, self)
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Inverse for LogScalerModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = to_invert(LogScaler::NAME, input, self.n_features)?;
        if self.method == LogMethod::Log && rows.is_sparse() {
            return Err(Error::incapable(LogScaler::NAME, "undo sparse rows with method=log"));
        }
        map_columns(rows, session, &Undo(self))
    }
}

impl Fitted for LogScalerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = self.n_features == schema.n_features() && self.base.is_finite() && self.base > 1.0;
        if fits { Ok(()) } else { Err("the base or the width does not fit".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::Fit;
    use mercer_math::Mat;

    /// 004: x_new = log_a x.
    #[test]
    fn the_formula_of_note_004() {
        let x = Mat::from_rows(&[[1.0], [10.0], [1000.0], [0.5]]).unwrap();
        let model = LogScaler::default().method(LogMethod::Log).base(10.0).fit(&Dataset::new(&x)).unwrap();
        let z = model.transform(&x).unwrap().dense("z").unwrap().view().to_mat();
        assert_eq!(z.as_slice(), &[0.0, 1.0, 3.0, 0.5f64.log10()]);
        let back = model.inverse_transform(&z).unwrap();
        let back = back.dense("x").unwrap().view().to_mat();
        assert!(back.as_slice().iter().zip(x.as_slice()).all(|(a, b)| (a - b).abs() < 1e-12 * b));
    }

    #[test]
    fn values_outside_the_domain_are_refused_by_column_and_row() {
        let x = Mat::from_rows(&[[1.0, 3.0], [2.0, -4.0]]).unwrap();
        for method in [LogMethod::Log, LogMethod::Log1p] {
            let learner = LogScaler::default().method(method);
            let error = learner.fit(&Dataset::new(&x)).unwrap_err().to_string();
            assert!(error.contains("`x1`") && error.contains("row 1") && error.contains("-4"), "{error}");
            let weighted = Dataset::new(&x).with_weights(vec![1.0, 0.0]).unwrap();
            assert!(learner.fit(&weighted).unwrap().transform(&x).is_err());
        }
        let signed = LogScaler::default().fit(&Dataset::new(&x)).unwrap().transform(&x).unwrap();
        assert_eq!(signed.dense("z").unwrap().view().get(1, 1), -5f64.ln());
    }
}
