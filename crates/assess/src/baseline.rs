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
    Abilities, Attribute, AttributeValues, Certificate, Choice, Dataset, Error, Evidence, Fitted, Input,
    Labels, Learn, Params, Prediction, Proba, Result, Schema, Session, TargetColumn, TargetSchema,
    TargetValues, Termination,
};
use mercer_math::{Mat, Weights, argmax, below, rng_for, seed_for, weighted_index};
use serde::{Deserialize, Serialize};

/// How [`DummyClassifier`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum ClassStrategy {
    /// The most frequent class, with the class shares as probabilities.
    Prior,
    /// The most frequent class, with probability 1.
    MostFrequent,
    /// Classes drawn by their shares in training.
    Stratified,
    /// Classes drawn with equal probability.
    Uniform,
    /// The class that `constant` names.
    Constant,
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
    mixins = "DummyMixin",
    can = "proba weights sparse missing categorical text times multi_output blind",
    references = "Hastie, Tibshirani, Friedman. The Elements of Statistical Learning, section 2.4. 2009."
)]
pub struct DummyClassifier {
    /// How it answers; what is drawn depends on the seed of training and on the place of the row.
    #[param(default = ClassStrategy::Prior)]
    pub strategy: ClassStrategy,
    /// The answer of the strategy `constant`, one class for each target.
    #[param(default = None)]
    pub constant: Option<Vec<String>>,
}

/// Class shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DummyClassifierModel {
    /// The share of each class in training, for each target.
    pub priors: Vec<Vec<f64>>,
    /// The class predicted for each target, unless it is drawn.
    pub classes: Vec<u32>,
    strategy: ClassStrategy,
    seed: u64,
    certificate: Certificate,
}

impl Learn for DummyClassifier {
    type Model = DummyClassifierModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        match (self.strategy, &self.constant) {
            (ClassStrategy::Constant, None) => {
                let expected = "the class to predict, where the strategy is constant";
                Err(Error::param(Self::NAME, "constant", expected, "none"))
            }
            _ => Ok(()),
        }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<DummyClassifierModel> {
        let target = data.need_target(Self::NAME)?;
        let (mut priors, mut classes) = (Vec::new(), Vec::new());
        for (k, column) in target.columns().iter().enumerate() {
            let (codes, labels) = codes_of(column)?;
            let shares = class_shares(codes, labels.len(), data.weights().as_deref());
            classes.push(match self.strategy {
                ClassStrategy::Constant => self.constant_code(k, target.n_columns(), labels)?,
                _ => argmax(&shares) as u32,
            });
            priors.push(shares);
        }
        let meaning = "share of the predicted class in training: no constant answer errs less often on it";
        let certificate = match self.strategy {
            ClassStrategy::Stratified | ClassStrategy::Uniform => {
                Certificate::without_evidence(Termination::Exact, "what is drawn has nothing to prove")
            }
            _ => Certificate::new(Termination::Exact).with_evidence(Evidence::value(
                SHARE,
                priors[0][classes[0] as usize],
                meaning,
            )),
        };
        Ok(DummyClassifierModel {
            priors,
            classes,
            strategy: self.strategy,
            seed: session.seed(),
            certificate,
        })
    }
}

const SHARE: &str = "share of the predicted class";

impl DummyClassifier {
    fn constant_code(&self, target: usize, n_targets: usize, labels: &Labels) -> Result<u32> {
        let given = self.constant.as_deref().unwrap_or_default();
        if given.len() != n_targets {
            return Err(Error::shape("classes of `constant`, one a target", n_targets, given.len()));
        }
        let at = labels.iter().position(|label| label.to_string() == given[target]);
        let expected = "a class of the training data";
        at.map(|at| at as u32).ok_or_else(|| Error::param(Self::NAME, "constant", expected, &given[target]))
    }
}

fn codes_of<'t>(column: &'t TargetColumn<'_>) -> Result<(&'t [u32], &'t Labels)> {
    match (&column.values, column.kind.labels()) {
        (TargetValues::Codes(codes), Some(labels)) => Ok((codes, labels)),
        _ => Err(Error::incapable(DummyClassifier::NAME, "answer with numbers")),
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

impl DummyClassifierModel {
    /// The class of a row by its place.
    fn draw(&self, target: usize, row: usize) -> u32 {
        let mut rng = rng_for(seed_for(self.seed, target as u64), row as u64);
        let priors = &self.priors[target];
        match self.strategy {
            ClassStrategy::Uniform => below(&mut rng, priors.len()) as u32,
            ClassStrategy::Stratified => {
                weighted_index(&mut rng, priors).map_or(self.classes[target], |c| c as u32)
            }
            _ => self.classes[target],
        }
    }
}

impl Proba for DummyClassifierModel {
    fn probabilities(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        let n = input.n_units().unwrap_or(0);
        let width = self.priors.iter().map(Vec::len).sum();
        let mut out = Mat::zeros(n, width);
        for i in 0..n {
            let mut start = 0;
            for (target, priors) in self.priors.iter().enumerate() {
                let row = &mut out.row_mut(i)[start..start + priors.len()];
                match self.strategy {
                    ClassStrategy::Prior => row.copy_from_slice(priors),
                    ClassStrategy::Uniform => row.fill(1.0 / priors.len() as f64),
                    _ => row[self.draw(target, i) as usize] = 1.0,
                }
                start += priors.len();
            }
        }
        Ok(out)
    }
}

impl Fitted for DummyClassifierModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, _: &Session) -> Result<Prediction> {
        let n = input.n_units().unwrap_or(0);
        schema.prediction((0..self.priors.len()).map(|t| (0..n).map(|i| self.draw(t, i)).collect::<Vec<_>>()))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        if matches!(self.strategy, ClassStrategy::Stratified | ClassStrategy::Uniform) {
            return Ok(Vec::new());
        }
        let target = data.need_target(DummyClassifier::NAME)?;
        let (codes, labels) = codes_of(&target.columns()[0])?;
        let shares = class_shares(codes, labels.len().max(self.priors[0].len()), data.weights().as_deref());
        Ok(vec![(SHARE.to_owned(), shares[self.classes[0] as usize])])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let doc = "The share of each class.";
        match self.priors.as_slice() {
            [one] => vec![Attribute::real("class_prior_", doc, &[one.len()], one.clone())],
            many => {
                let parts = many.iter().map(|p| AttributeValues::Real(p.clone())).collect();
                vec![Attribute::several("class_prior_", doc, parts)]
            }
        }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = |((target, priors), class): ((&TargetSchema, &Vec<f64>), &u32)| {
            target.kind.labels().is_some_and(|l| l.len() == priors.len()) && (*class as usize) < priors.len()
        };
        let ok = self.priors.len() == schema.targets.len()
            && self.classes.len() == self.priors.len()
            && !self.priors.is_empty()
            && schema.targets.iter().zip(&self.priors).zip(&self.classes).all(fits);
        if ok { Ok(()) } else { Err("class shares do not fit the schema".to_owned()) }
    }
}

/// How [`DummyRegressor`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum NumberStrategy {
    /// The mean.
    Mean,
    /// The median.
    Median,
    /// The quantile that `quantile` names.
    Quantile,
    /// The number that `constant` names.
    Constant,
}

/// A baseline for numbers: their mean or median in training.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "baseline-regressor dummy-regressor",
    canon = "A3",
    task = Regression,
    python = "dummy",
    twin = "DummyClassifier",
    mixins = "DummyMixin",
    can = "weights sparse missing categorical text times multi_output blind",
    references = "Hastie, Tibshirani, Friedman. The Elements of Statistical Learning, section 2.4. 2009."
)]
pub struct DummyRegressor {
    /// How it answers.
    #[param(default = NumberStrategy::Mean)]
    pub strategy: NumberStrategy,
    /// The answer of the strategy `constant`, one number for each target.
    #[param(default = None)]
    pub constant: Option<Vec<f64>>,
    /// The quantile that the strategy `quantile` answers with.
    #[param(default = None, range = "[0, 1]")]
    pub quantile: Option<f64>,
}

/// A constant for each target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DummyRegressorModel {
    /// The constants.
    pub constants: Vec<f64>,
    strategy: NumberStrategy,
    quantile: f64,
    certificate: Certificate,
}

impl Learn for DummyRegressor {
    type Model = DummyRegressorModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let missing = match self.strategy {
            NumberStrategy::Constant if self.constant.is_none() => "constant",
            NumberStrategy::Quantile if self.quantile.is_none() => "quantile",
            _ => return Ok(()),
        };
        Err(Error::param(Self::NAME, missing, "given, where the strategy is its name", "none"))
    }

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<DummyRegressorModel> {
        let quantile = if self.strategy == NumberStrategy::Quantile { self.quantile } else { Some(0.5) };
        let quantile = quantile.unwrap_or(0.5);
        let n_targets = data.need_target(Self::NAME)?.n_columns();
        let constants = match (self.strategy, &self.constant) {
            (NumberStrategy::Constant, Some(given)) if given.len() == n_targets => given.clone(),
            (NumberStrategy::Constant, given) => {
                let got = given.as_ref().map_or(0, Vec::len);
                return Err(Error::shape("numbers of `constant`, one a target", n_targets, got));
            }
            (strategy, _) => constants(data, strategy, quantile)?,
        };
        let certificate = match self.strategy {
            NumberStrategy::Constant => {
                Certificate::without_evidence(Termination::Exact, "the answer was given, not learnt")
            }
            _ => Certificate::new(Termination::Exact).with_evidence(Evidence::value(
                FIRST,
                constants[0],
                "a closed form: recomputing it from the data must give the same",
            ).on_scale(data.target_spread(true)?)),
        };
        Ok(DummyRegressorModel { constants, strategy: self.strategy, quantile, certificate })
    }
}

const FIRST: &str = "first constant";

fn constants(data: &Dataset<'_>, strategy: NumberStrategy, quantile: f64) -> Result<Vec<f64>> {
    let target = data.need_target(DummyRegressor::NAME)?;
    let weights = data.weights();
    let weight = Weights::of(&weights);
    (0..target.n_columns())
        .map(|k| {
            let y = target.numbers_of(k)?;
            let mut pairs: Vec<(f64, f64)> =
                (0..y.len()).map(|i| (y[i], weight[i])).filter(|p| p.1 > 0.0).collect();
            let total: f64 = pairs.iter().map(|p| p.1).sum();
            if strategy == NumberStrategy::Mean {
                let origin = pairs.first().map_or(0.0, |p| p.0);
                return Ok(origin + pairs.iter().map(|(v, w)| w * (v - origin)).sum::<f64>() / total);
            }
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            Ok(match weights {
                Some(_) => mercer_math::weighted_quantile(&pairs, quantile).unwrap_or(0.0),
                None => between(&pairs, quantile),
            })
        })
        .collect()
}

/// The quantile of sorted values, interpolated between the two that are nearest.
fn between(sorted: &[(f64, f64)], quantile: f64) -> f64 {
    let at = quantile * (sorted.len().max(1) - 1) as f64;
    let value = |i: usize| sorted.get(i.min(sorted.len().saturating_sub(1))).map_or(0.0, |p| p.0);
    let (low, high) = (value(at.floor() as usize), value(at.ceil() as usize));
    low + (high - low) * at.fract()
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
        match self.strategy {
            NumberStrategy::Constant => Ok(Vec::new()),
            strategy => Ok(vec![(FIRST.to_owned(), constants(data, strategy, self.quantile)?[0])]),
        }
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
