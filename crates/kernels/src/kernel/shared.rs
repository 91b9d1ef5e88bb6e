//! Kernels as scikit-learn's users spell them: a word beside `gamma`, `degree` and `coef0`, or a whole kernel.

use super::text::{Defaults, NAMES};
use super::{Kernel, PointsRef};
use mercer_core::{Choice, DataKind, Error, ParamGroup, ParamKind, ParamType, Result, Value};

/// A kernel as a parameter: a word, whose γ, degree and constant stand beside it, or a whole kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelSpec(Value);

impl KernelSpec {
    /// The kernel of a name.
    pub fn word(name: &str) -> Self {
        Self(Value::Text(name.to_owned()))
    }

    /// The kernel, with what its text leaves open as given.
    pub fn resolve(&self, owner: &str, gamma: Option<f64>, degree: f64, coef0: f64) -> Result<Kernel> {
        let defaults = Defaults { gamma, degree, coef0 };
        Kernel::read(&self.0, defaults).map_err(|expected| Error::param(owner, "kernel", expected, &self.0))
    }

    /// The kind of data that it takes.
    pub fn data_kind(&self) -> DataKind {
        Kernel::from_value(&self.0).map_or(DataKind::Rows, |kernel| kernel.data_kind())
    }

    /// Whether values of the kernel are given in place of points.
    pub fn is_precomputed(&self) -> bool {
        Kernel::from_value(&self.0) == Ok(Kernel::Precomputed)
    }
}

impl From<Kernel> for KernelSpec {
    fn from(kernel: Kernel) -> Self {
        Self(kernel.to_value())
    }
}

impl ParamType for KernelSpec {
    fn kind() -> ParamKind {
        ParamKind::Kernel { words: NAMES }
    }

    fn to_value(&self) -> Value {
        self.0.clone()
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        // A text from outside may be a whole kernel, not a word alone.
        let value = match value {
            Value::Text(text) if text.contains(['(', '+', '*']) => {
                Value::parse(text).map_err(|e| e.to_string())?
            }
            other => other.clone(),
        };
        Kernel::from_value(&value)?;
        Ok(Self(value))
    }
}

/// γ of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Gamma {
    /// 1 / (features · variance of all values)
    Scale,
    /// 1 / features
    Auto,
    /// This number.
    Of(f64),
}

impl Gamma {
    /// Its value for some points.
    pub fn of(self, points: PointsRef<'_>) -> f64 {
        match self {
            Gamma::Of(gamma) => gamma,
            Gamma::Auto => 1.0 / points.n_features().max(1) as f64,
            Gamma::Scale => match points.spread() {
                spread if spread > 0.0 => 1.0 / spread,
                // Points that are all the same have no scale.
                _ => 1.0,
            },
        }
    }
}

/// The kernel of a support vector machine.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct KernelParams {
    /// The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)+white`.
    #[param(default = KernelSpec::word("rbf"), search = "among rbf|linear|poly")]
    pub kernel: KernelSpec,
    /// The degree of a polynomial kernel.
    #[param(default = 3.0, range = "[0, inf)", search = "int 2..5 if kernel=poly")]
    pub degree: f64,
    /// The coefficient γ of the kernels rbf, poly, sigmoid, laplacian and chi2: `scale` is 1 / (features · variance), `auto` 1 / features.
    #[param(default = Gamma::Scale, range = "[0, inf)", search = "log 1e-4..10 if kernel=rbf|poly")]
    pub gamma: Gamma,
    /// The constant inside of the kernels poly and sigmoid.
    #[param(default = 0.0, range = "(-inf, inf)")]
    pub coef0: f64,
}

impl KernelParams {
    /// The kernel for some points.
    pub fn resolve(&self, owner: &str, points: PointsRef<'_>) -> Result<Kernel> {
        self.kernel.resolve(owner, Some(self.gamma.of(points)), self.degree, self.coef0)
    }
}

/// The kernel of kernel ridge regression and its like.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct PairwiseParams {
    /// The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel, such as `rbf(gamma=0.1)`.
    #[param(default = KernelSpec::word("linear"), search = "among rbf|linear|polynomial")]
    pub kernel: KernelSpec,
    /// The coefficient γ of the kernels rbf, polynomial, sigmoid, laplacian and chi2; none means 1 / features, and 1 for chi2.
    #[param(default = None, range = "[0, inf)", search = "log 1e-4..10 if kernel=rbf|polynomial")]
    pub gamma: Option<f64>,
    /// The degree of a polynomial kernel.
    #[param(default = 3.0, range = "[0, inf)", search = "int 2..5 if kernel=polynomial")]
    pub degree: f64,
    /// The constant inside of the kernels polynomial and sigmoid.
    #[param(default = 1.0, range = "(-inf, inf)")]
    pub coef0: f64,
}

impl PairwiseParams {
    /// The kernel for some points.
    pub fn resolve(&self, owner: &str, points: PointsRef<'_>) -> Result<Kernel> {
        let is_chi2 = self.kernel == KernelSpec::word("chi2");
        let usual = if is_chi2 { 1.0 } else { Gamma::Auto.of(points) };
        self.kernel.resolve(owner, Some(self.gamma.unwrap_or(usual)), self.degree, self.coef0)
    }
}
