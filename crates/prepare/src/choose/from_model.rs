//! Selection from a model: the features to which a learner gives weight.
//!
//! # Objective
//! Keeps the features with $\lVert w_{\cdot j}\rVert_p \ge t$ (or importance at least $t$), at most `max_features` of them.
//! With the lasso this is L1 selection: the features whose coefficients are not zero.
//!
//! # Algorithm
//! One fit. The threshold is a number, or the mean or median of the importances times a factor.
//!
//! # Complexity
//! That of the learner.
//!
//! # Example
//! ```
//! use mercer_prepare::{SelectFromModel, Threshold};
//! let select = SelectFromModel::default().threshold(Some(Threshold::Mean(1.25)));
//! assert_eq!(select.norm_order, 1.0);
//! ```
//!
//! # Numerics
//! Without a threshold it is 1e-5 for learners with an L1 penalty, else the mean importance, as in scikit-learn.
//!
//! # References
//! - R. Tibshirani. Regression shrinkage and selection via the lasso. JRSS B 58(1), 1996.

use super::base;
use super::selection::{Facts, SelectionModel};
use mercer_core::{
    Capabilities, Certificate, Dataset, Learn, Learner, NestedLearner, NestedModel, ParamKind, ParamType,
    Params, Result, Session, Value,
};

/// The least importance that [`SelectFromModel`] keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// A number.
    Number(f64),
    /// The mean importance times a factor.
    Mean(f64),
    /// The median importance times a factor.
    Median(f64),
}

impl ParamType for Threshold {
    fn kind() -> ParamKind {
        ParamKind::Choice { words: &["mean", "median"], number: true }
    }
    fn to_value(&self) -> Value {
        let text = |factor: f64, word: &str| match factor {
            1.0 => Value::Text(word.to_owned()),
            _ => Value::Text(format!("{factor}*{word}")),
        };
        match *self {
            Threshold::Number(v) => Value::Real(v),
            Threshold::Mean(factor) => text(factor, "mean"),
            Threshold::Median(factor) => text(factor, "median"),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        if let Ok(number) = f64::from_value(value) {
            return Ok(Threshold::Number(number));
        }
        let expected = || "a number, mean, median, or a multiple such as 1.25*mean".to_owned();
        let text = match value {
            Value::Text(text) => text.clone(),
            other => other.to_string(),
        };
        let (factor, word) = match text.split_once('*') {
            Some((factor, word)) => (factor.trim().parse().map_err(|_| expected())?, word.trim()),
            None => (1.0, text.trim()),
        };
        match word {
            "mean" => Ok(Threshold::Mean(factor)),
            "median" => Ok(Threshold::Median(factor)),
            _ => Err(expected()),
        }
    }
}

/// Selection from a model: keeps the features to which a learner gives weight.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "select-from-model",
    canon = "D5 A7",
    task = Transformation,
    python = "feature_selection",
    mixins = "FromModelMixin SelectorMixin",
    door = "prefit=False importance_getter='auto'",
    can = "transform inverse supervised scaled",
    references = "Tibshirani. Regression shrinkage and selection via the lasso. JRSS B 58(1), 1996."
)]
pub struct SelectFromModel {
    /// A learner with coefficients or importances; none means the lasso for numbers, and logistic
    /// regression with an L1 penalty for classes.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// The least importance that is kept: a number, mean, median or a multiple such as 1.25*mean.
    #[param(default = None)]
    pub threshold: Option<Threshold>,
    /// The order of the norm of several coefficients of a feature.
    #[param(default = 1.0, range = "(0, inf]")]
    pub norm_order: f64,
    /// The most features to keep.
    #[param(default = None, range = "[0, inf)")]
    pub max_features: Option<usize>,
}

impl SelectFromModel {
    fn border(&self, learner: &dyn Learner, importance: &[f64]) -> f64 {
        let mean = || importance.iter().sum::<f64>() / importance.len().max(1) as f64;
        match self.threshold {
            Some(Threshold::Number(v)) => v,
            Some(Threshold::Mean(factor)) => factor * mean(),
            Some(Threshold::Median(factor)) => factor * mercer_math::median(importance).unwrap_or(f64::NAN),
            None if learner.capabilities().zeroes => 1e-5,
            None => mean(),
        }
    }
}

impl Learn for SelectFromModel {
    type Model = SelectionModel;

    fn capabilities(&self) -> Capabilities {
        base::capabilities::<Self>(&self.estimator)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        base::check::<Self>(&self.estimator)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SelectionModel> {
        let learner = base::resolve(&self.estimator, data, "Lasso", "LogisticRegression:penalty=l1")?;
        let data = base::suited(learner.as_ref(), data)?;
        let model = learner.train(&data, session)?;
        let p = self.norm_order;
        let importance = base::importances(Self::NAME, model.as_ref(), data.n_features(), |v| match p {
            1.0 => v.map(f64::abs).sum(),
            f64::INFINITY => v.fold(0.0, |a: f64, v| a.max(v.abs())),
            _ => v.map(|v| v.abs().powf(p)).sum::<f64>().powf(1.0 / p),
        })?;
        let border = self.border(learner.as_ref(), &importance);
        let mut support: Vec<bool> = importance.iter().map(|v| *v >= border).collect();
        if let Some(most) = self.max_features {
            let falling: Vec<f64> = importance.iter().map(|v| -v).collect();
            mercer_math::argsort(&falling).iter().skip(most).for_each(|&j| support[j] = false);
        }
        let why = "what is kept follows from the model; its certificate is below";
        let mut certificate = Certificate::without_evidence(model.certificate().termination, why);
        certificate.children.push(("estimator".to_owned(), model.certificate().clone()));
        let (scores, estimator) = (Some(importance), Some(NestedModel(model)));
        let facts = Facts { scores, threshold: Some(border), estimator, ..Facts::default() };
        Ok(SelectionModel::new(&support, facts, certificate))
    }
}
