//! Baselines that look at the target alone: what every learner has to beat.
//!
//! # Objective
//! The constant that minimises a loss: class shares for log loss, the most frequent class for 0-1 loss, the mean
//! for squared loss, the median for absolute loss.
//!
//! # Algorithm
//! Counts, sums or a sort.
//!
//! # Complexity
//! Time O(n), or O(n log n) for medians; memory O(classes).
//!
//! # Example
//! ```
//! use mercer_assess::DummyRegressor;
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! let x = Mat::zeros(3, 1);
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 2.0, 6.0]))?;
//! assert_eq!(DummyRegressor::default().fit(&data)?.predict(&x)?.numbers()?, &[3.0, 3.0, 3.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! None to speak of.
//!
//! # References
//! - T. Hastie, R. Tibshirani, J. Friedman. The Elements of Statistical Learning, section 2.4. Springer, 2009.

use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, Evidence, Fitted, Input, Learn, Params, Prediction,
    Proba, Result, Schema, Session, Termination,
};
use mercer_math::{Mat, Weights};
use serde::{Deserialize, Serialize};

/// How [`DummyClassifier`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ClassStrategy {
    /// The most frequent class, with the class shares as probabilities.
    Prior,
    /// The most frequent class, with probability 1.
    MostFrequent,
    /// Every class with equal probability; predicts the first.
    Uniform,
}

/// A baseline for classes: their shares in training.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "baseline dummy",
    canon = "A1",
    task = Classification,
    python = "dummy",
    twin = "DummyRegressor",
    baseline,
    session = "random_state",
    can = "proba weights sparse missing categorical text times blind",
    references = "Hastie, Tibshirani, Friedman. The Elements of Statistical Learning, section 2.4. 2009."
)]
pub struct DummyClassifier {
    /// How it answers.
    #[param(default = ClassStrategy::Prior)]
    pub strategy: ClassStrategy,
}

/// Class shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DummyClassifierModel {
    /// The probability given for each class.
    pub shares: Vec<f64>,
    /// The class predicted.
    pub class: u32,
    certificate: Certificate,
}

impl Learn for DummyClassifier {
    type Model = DummyClassifierModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<DummyClassifierModel> {
        let target = data.need_target(Self::NAME)?;
        let (codes, labels) = target.class()?;
        let priors = class_shares(codes, labels.len(), data.weights().as_deref());
        let best = (0..priors.len()).rev().max_by(|&a, &b| priors[a].total_cmp(&priors[b])).unwrap_or(0);
        let (shares, class) = match self.strategy {
            ClassStrategy::Prior => (priors.clone(), best),
            ClassStrategy::MostFrequent => {
                ((0..priors.len()).map(|c| f64::from(u8::from(c == best))).collect(), best)
            }
            ClassStrategy::Uniform => (vec![1.0 / priors.len() as f64; priors.len()], 0),
        };
        let meaning = "share of the predicted class in training: no constant answer errs less often on it";
        let certificate = Certificate::new(Termination::Exact).with_evidence(Evidence::value(
            "share of the predicted class",
            priors[class],
            meaning,
        ));
        Ok(DummyClassifierModel { shares, class: class as u32, certificate })
    }
}

fn class_shares(codes: &[u32], n_classes: usize, weights: Option<&[f64]>) -> Vec<f64> {
    let mut shares = vec![0.0; n_classes];
    let mut total = 0.0;
    for (i, &c) in codes.iter().enumerate() {
        let w = Weights::from(weights)[i];
        shares[c as usize] += w;
        total += w;
    }
    shares.iter_mut().for_each(|s| *s /= total);
    shares
}

impl Proba for DummyClassifierModel {
    fn probabilities(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        let n = input.n_units().unwrap_or(0);
        Ok(Mat::from_fn(n, self.shares.len(), |_, c| self.shares[c]))
    }
}

impl Fitted for DummyClassifierModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, _: &Session) -> Result<Prediction> {
        schema.prediction([vec![self.class; input.n_units().unwrap_or(0)]])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let target = data.need_target(DummyClassifier::NAME)?;
        let (codes, labels) = target.class()?;
        let shares = class_shares(codes, labels.len().max(self.shares.len()), data.weights().as_deref());
        Ok(vec![("share of the predicted class".to_owned(), shares[self.class as usize])])
    }

    fn attributes(&self) -> Vec<Attribute> {
        vec![Attribute::real(
            "class_prior_",
            "The probability of each class.",
            &[self.shares.len()],
            self.shares.clone(),
        )]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let n = schema.labels().map_or(0, |l| l.len());
        let ok = self.shares.len() == n && (self.class as usize) < n;
        if ok { Ok(()) } else { Err("class shares do not fit the schema".to_owned()) }
    }
}

/// How [`DummyRegressor`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum NumberStrategy {
    /// The mean.
    Mean,
    /// The median.
    Median,
}

/// A baseline for numbers: their mean or median in training.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "baseline-regressor dummy-regressor",
    canon = "A3",
    task = Regression,
    python = "dummy",
    twin = "DummyClassifier",
    can = "weights sparse missing categorical text times multi_output blind",
    references = "Hastie, Tibshirani, Friedman. The Elements of Statistical Learning, section 2.4. 2009."
)]
pub struct DummyRegressor {
    /// How it answers.
    #[param(default = NumberStrategy::Mean)]
    pub strategy: NumberStrategy,
}

/// A constant for each target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DummyRegressorModel {
    /// The constants.
    pub constants: Vec<f64>,
    median: bool,
    certificate: Certificate,
}

impl Learn for DummyRegressor {
    type Model = DummyRegressorModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<DummyRegressorModel> {
        let median = self.strategy == NumberStrategy::Median;
        let constants = constants(data, median)?;
        let meaning = "a closed form: recomputing it from the data must give the same";
        let certificate = Certificate::new(Termination::Exact).with_evidence(
            Evidence::value("first constant", constants[0], meaning).on_scale(data.target_spread(true)?),
        );
        Ok(DummyRegressorModel { constants, median, certificate })
    }
}

fn constants(data: &Dataset<'_>, median: bool) -> Result<Vec<f64>> {
    let target = data.need_target(DummyRegressor::NAME)?;
    let weights = data.weights();
    let weight = Weights::of(&weights);
    (0..target.n_columns())
        .map(|k| {
            let y = target.numbers_of(k)?;
            let mut pairs: Vec<(f64, f64)> =
                (0..y.len()).map(|i| (y[i], weight[i])).filter(|p| p.1 > 0.0).collect();
            let total: f64 = pairs.iter().map(|p| p.1).sum();
            if !median {
                let origin = pairs.first().map_or(0.0, |p| p.0);
                return Ok(origin + pairs.iter().map(|(v, w)| w * (v - origin)).sum::<f64>() / total);
            }
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            Ok(mercer_math::weighted_quantile(&pairs, 0.5).unwrap_or(0.0))
        })
        .collect()
}

impl Fitted for DummyRegressorModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, _: &Session) -> Result<Prediction> {
        let n = input.n_units().unwrap_or(0);
        schema.prediction(self.constants.iter().map(|c| vec![*c; n]))
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        Ok(vec![("first constant".to_owned(), constants(data, self.median)?[0])])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let shape = [1, self.constants.len()];
        vec![Attribute::real("constant_", "The answer for each target.", &shape, self.constants.clone())]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let ok = self.constants.len() == schema.targets.len() && !self.constants.is_empty();
        if ok { Ok(()) } else { Err("constants do not fit the schema".to_owned()) }
    }
}
