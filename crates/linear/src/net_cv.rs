//! Cross-validation along the path: which strength and which share of the L1 penalty.
//!
//! # Objective
//! The strength $\alpha$ and share $\rho$ of [`ElasticNet`](crate::ElasticNet) (for several tasks of
//! [`MultiTaskElasticNet`](crate::MultiTaskElasticNet)) with the least mean squared error on rows held out, averaged
//! over folds, by the weight of their rows where there are weights.
//!
//! # Algorithm
//! Folds and shares run side by side; in each, the path of strengths is followed from the strongest, each solution from
//! the one before. Where there are more rows than features, the moments of every fold are taken once, and those of its
//! training rows are merged from all others. The best setting is fitted to all rows.
//!
//! # Complexity
//! One pass over the rows for all folds (tall), then O(d²) an iteration; `cv` paths (wide).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LassoCv;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(30, 2, |i, j| ((i * (j + 2)) % 7) as f64);
//! let y: Vec<f64> = (0..30).map(|i| 3.0 * x[(i, 0)] + 1.0).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let model = LassoCv::default().fit(&data)?;
//! assert!((model.coef()[0] - 3.0).abs() < 0.05);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Folds are of consecutive rows, as scikit-learn's are for `cv` a number (of whole groups where there are groups), or the
//! caller's own (`fit_on`). Of
//! equal errors the larger strength wins, and the first share. The certificate is that of the final fit; what is proved
//! says nothing of the choice.
//!
//! # References
//! - J. Friedman, T. Hastie, R. Tibshirani. Regularization paths for generalized linear models via coordinate descent.
//!   JSS 33(1), 2010. doi:10.18637/jss.v033.i01

use crate::lasso::{CoordinateDescentParams, SignParams, Visit};
use crate::net::{ElasticNetModel, Net};
use crate::net_search::{Search, searches};
use crate::paths::Alphas;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Fit, Fitted, Input, Learn, ParamGroup,
    ParamKind, ParamType, Params, Prediction, Result, Schema, Session, Trained, Value,
};
use mercer_math::Mat;
use mercer_measure::Split;
use serde::{Deserialize, Serialize};

/// One share of the L1 penalty, or several to choose from.
#[derive(Clone, Debug, PartialEq)]
pub enum Ratios {
    /// This one.
    One(f64),
    /// The best of these.
    Several(Vec<f64>),
}

impl ParamType for Ratios {
    fn kind() -> ParamKind {
        ParamKind::List(Box::new(ParamKind::Real))
    }
    fn to_value(&self) -> Value {
        match self {
            Ratios::One(ratio) => ratio.to_value(),
            Ratios::Several(ratios) => ratios.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(_) => Vec::from_value(value).map(Ratios::Several),
            value => f64::from_value(value).map(Ratios::One).map_err(|e| format!("{e}, or a list")),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        self.all().iter().for_each(|v| visit(*v));
    }
}

impl Ratios {
    pub(crate) fn all(&self) -> &[f64] {
        match self {
            Ratios::One(ratio) => std::slice::from_ref(ratio),
            Ratios::Several(ratios) => ratios,
        }
    }
}

/// The share of the L1 penalty.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ShareParams {
    /// The share of the L1 penalty, or several to choose from.
    #[param(default = Ratios::One(0.5), range = "[0, 1]")]
    pub l1_ratio: Ratios,
}

/// The strengths and the folds that they are tried on.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct PathCvParams {
    /// The smallest strength over the largest, where strengths are not given.
    #[param(default = 1e-3, range = "(0, inf)")]
    pub eps: f64,
    /// How many strengths, or which.
    #[param(default = Alphas::Count(100), range = "[0, inf)")]
    pub alphas: Alphas,
    /// Number of folds; none means 5.
    #[param(default = None, range = "[2, inf)")]
    pub cv: Option<usize>,
}

/// Lasso whose strength is chosen by cross-validation along the path.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "LassoCV",
    aliases = "lasso-cv",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state n_jobs verbose",
    door = "precompute='auto' copy_X=True",
    mixins = "NetCvMixin",
    can = "explain weights sparse scaled zeroes counts_rows ordered",
    references = "Friedman, Hastie, Tibshirani. Regularization paths for generalized linear models via coordinate descent. JSS 33(1), 2010."
)]
pub struct LassoCv {
    /// The strengths and the folds.
    #[param(flatten)]
    pub path: PathCvParams,
    /// The intercept, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
    /// What coefficients may be.
    #[param(flatten)]
    pub sign: SignParams,
}

/// Elastic net whose strength and share are chosen by cross-validation along the path.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "ElasticNetCV",
    aliases = "elastic-net-cv",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state n_jobs verbose",
    door = "precompute='auto' copy_X=True",
    mixins = "NetCvMixin",
    tried = "alphas=20 | alphas=10,l1_ratio=[0.5,0.9]",
    can = "explain weights sparse scaled counts_rows ordered",
    references = "Friedman, Hastie, Tibshirani. Regularization paths for generalized linear models via coordinate descent. JSS 33(1), 2010."
)]
pub struct ElasticNetCv {
    /// The share of the L1 penalty.
    #[param(flatten)]
    pub share: ShareParams,
    /// The strengths and the folds.
    #[param(flatten)]
    pub path: PathCvParams,
    /// The intercept, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
    /// What coefficients may be.
    #[param(flatten)]
    pub sign: SignParams,
}

/// A net chosen by cross-validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElasticNetCvModel {
    pub(crate) net: ElasticNetModel,
    pub(crate) alpha: f64,
    pub(crate) l1_ratio: f64,
    /// Whether one share was given, not a list.
    pub(crate) one_ratio: bool,
    /// Whether strengths were given, which are then those of every share.
    pub(crate) given: bool,
    /// The strengths for each share.
    pub(crate) alphas: Mat,
    /// The errors, shares × strengths × folds.
    pub(crate) mse_path: Vec<f64>,
    pub(crate) n_folds: usize,
}

impl LassoCv {
    fn search(&self) -> Search<'_> {
        let (positive, descent) = (self.sign.positive, self.descent.clone());
        let net = Net { alpha: 0.0, l1_ratio: 1.0, positive, together: false, descent };
        Search { name: Self::NAME, net, ratios: Ratios::One(1.0), path: &self.path }
    }
}

impl ElasticNetCv {
    fn search(&self) -> Search<'_> {
        let (positive, descent) = (self.sign.positive, self.descent.clone());
        let net = Net { alpha: 0.0, l1_ratio: 0.5, positive, together: false, descent };
        Search { name: Self::NAME, net, ratios: self.share.l1_ratio.clone(), path: &self.path }
    }
}

searches!(LassoCv, ElasticNetCv);

impl ElasticNetCvModel {
    /// The coefficients, target by target.
    pub fn coef(&self) -> &[f64] {
        self.net.coef()
    }

    /// The intercept, of the first of several targets.
    pub fn intercept(&self) -> f64 {
        self.net.intercept()
    }

    /// The strength that was chosen.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The share of the L1 penalty that was chosen.
    pub fn l1_ratio(&self) -> f64 {
        self.l1_ratio
    }

    /// The mean squared errors on rows held out, shares × strengths × folds.
    pub fn mse_path(&self) -> &[f64] {
        &self.mse_path
    }

    /// The strengths that were tried, for each share, from the largest.
    pub fn alphas(&self) -> &Mat {
        &self.alphas
    }
}

impl Fitted for ElasticNetCvModel {
    fn certificate(&self) -> &Certificate {
        self.net.certificate()
    }

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.net.infer(input, schema, session)
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        self.net.reprove(data, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.net.attributes();
        let (r, a) = (self.alphas.n_rows(), self.alphas.n_cols());
        let (alphas, shape) = match self.one_ratio {
            true => (vec![a], vec![a, self.n_folds]),
            false => (if self.given { vec![a] } else { vec![r, a] }, vec![r, a, self.n_folds]),
        };
        let tried = self.alphas.as_slice()[..alphas.iter().product()].to_vec();
        all.push(Attribute::real("alpha_", "The strength chosen.", &[], vec![self.alpha]));
        all.push(Attribute::real(
            "l1_ratio_",
            "The share of the L1 penalty chosen.",
            &[],
            vec![self.l1_ratio],
        ));
        all.push(Attribute::real("alphas_", "The strengths tried.", &alphas, tried));
        let doc = "The mean squared error on rows held out, for each strength and fold.";
        all.push(Attribute::real("mse_path_", doc, &shape, self.mse_path.clone()));
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let errors = self.alphas.n_rows() * self.alphas.n_cols() * self.n_folds;
        if !self.alphas.is_consistent() || self.alphas.n_rows() == 0 || self.mse_path.len() != errors {
            return Err("errors do not fit the strengths and folds".to_owned());
        }
        self.net.validate(schema)
    }
}
