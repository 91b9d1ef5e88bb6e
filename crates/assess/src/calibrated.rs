//! Calibration: a classifier whose probabilities mean what they say.
//!
//! # Objective
//! A map from the scores of a classifier to probabilities that fits held-out rows: Platt's sigmoid
//! $1/(1+e^{Af+B})$ of most likelihood, the isotonic function nearest in squares, or the temperature $T$ of least log
//! loss in $\mathrm{softmax}(f/T)$.
//!
//! # Algorithm
//! The rows are cut into folds. With `ensemble`, each fold's classifier is calibrated on the rows that it did not see,
//! and probabilities are averaged; without, one classifier is trained on all rows and calibrated on the out-of-fold
//! scores. More than two classes are calibrated one against the rest and normalised; a temperature serves all at once.
//!
//! # Complexity
//! `cv` fits of the classifier (one more without `ensemble`), and O(n log n) for the map.
//!
//! # Example
//! ```
//! use mercer_assess::CalibratedClassifierCV;
//! assert_eq!(CalibratedClassifierCV::default().held_out.cv, 5);
//! ```
//!
//! # Numerics
//! Newton's method on the sigmoid with scores scaled to one; bisection on the slope of the log loss, which rises with
//! the inverse temperature. Classes whose calibrated probabilities are all zero get equal ones.
//!
//! # References
//! - J. Platt. Probabilistic outputs for support vector machines. 1999.
//! - B. Zadrozny, C. Elkan. Transforming classifier scores into accurate multiclass probability estimates. KDD 2002.
//! - C. Guo, G. Pleiss, Y. Sun, K. Weinberger. On calibration of modern neural networks. ICML 2017.

use crate::base::{self, HeldOutParams};
use crate::calibrate::{Isotonic, Sigmoid, Temperature};
use mercer_core::{
    Abilities, Capabilities, Certificate, Choice, Dataset, Evidence, Fitted, Input, Kinds, Learn, Model,
    NestedLearner, NestedModel, Params, Prediction, Proba, Result, Schema, Session, Termination,
};
use mercer_math::{Mat, MatRef, argmax};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The map from scores to probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Calibration {
    /// Platt's sigmoid.
    Sigmoid,
    /// Isotonic regression.
    Isotonic,
    /// One temperature for all classes.
    Temperature,
}

/// Calibration: any classifier with probabilities fitted on rows that it did not see.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "calibrated",
    canon = "A1",
    task = Classification,
    python = "calibration",
    tried = "| method=isotonic | method=temperature,ensemble=false",
    session = "n_jobs",
    can = "proba weights sparse counts_rows ordered",
    order = "estimator method cv",
    references = "Platt. Probabilistic outputs for support vector machines. 1999.|Guo et al. On calibration of modern neural networks. ICML 2017."
)]
pub struct CalibratedClassifierCV {
    /// The classifier, and the folds that hold rows out for it.
    #[param(flatten)]
    pub held_out: HeldOutParams,
    /// The map from scores to probabilities.
    #[param(default = Calibration::Sigmoid, search = "among sigmoid|isotonic|temperature")]
    pub method: Calibration,
    /// Whether to average a calibrated classifier for each fold, instead of calibrating one on all rows.
    #[param(default = true)]
    pub ensemble: bool,
}

/// The map of one classifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Map {
    Sigmoid(Vec<Sigmoid>),
    Isotonic(Vec<Isotonic>),
    Temperature(Temperature),
}

/// Classifiers with their maps; probabilities are averaged over them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CalibratedModel {
    parts: Vec<(NestedModel, Map)>,
    n_classes: usize,
    certificate: Certificate,
}

impl Learn for CalibratedClassifierCV {
    type Model = CalibratedModel;

    fn kinds(&self) -> Kinds {
        base::kinds(&self.held_out.estimator)
    }

    fn capabilities(&self) -> Capabilities {
        base::capabilities::<Self>(&self.held_out.estimator)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        base::check::<Self>(&self.held_out.estimator)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<CalibratedModel> {
        let learner = base::resolve(&self.held_out.estimator)?;
        let target = data.need_target(Self::NAME)?;
        let (truth, labels) = target.class()?;
        let folds = base::folds(data, self.held_out.cv, Self::NAME)?;
        let held = |i: usize| -> Result<(Box<dyn Model>, Mat)> {
            let model = learner.train(&data.subset(&folds[i].train)?, &session.quiet())?;
            let scores = model.scores(&data.subset(&folds[i].test)?.input(), session)?;
            Ok((model, scores))
        };
        let out_of_fold =
            (0..folds.len()).into_par_iter().with_max_len(1).map(held).collect::<Result<Vec<_>>>()?;
        let weights = data.weights();
        let pick = |rows: &[usize]| weights.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect::<Vec<_>>());
        let codes = |rows: &[usize]| rows.iter().map(|&i| truth[i]).collect::<Vec<u32>>();
        let parts = if self.ensemble {
            let part = |(fold, (model, scores)): (&mercer_measure::Split, (Box<dyn Model>, Mat))| {
                let w = pick(&fold.test);
                let map = self.map(scores.view(), &codes(&fold.test), labels.len(), w.as_deref())?;
                Ok((NestedModel(model), map))
            };
            folds.iter().zip(out_of_fold).map(part).collect::<Result<Vec<_>>>()?
        } else {
            let rows: Vec<usize> = folds.iter().flat_map(|f| f.test.iter().copied()).collect();
            let n_cols = out_of_fold[0].1.n_cols();
            let stacked: Vec<f64> = out_of_fold.into_iter().flat_map(|(_, s)| s.into_vec()).collect();
            let scores = Mat::from_vec(stacked, rows.len(), n_cols)
                .ok_or_else(|| mercer_core::Error::shape("out-of-fold scores", rows.len(), n_cols))?;
            let map = self.map(scores.view(), &codes(&rows), labels.len(), pick(&rows).as_deref())?;
            vec![(NestedModel(learner.train(data, &session.quiet())?), map)]
        };
        let mut model = CalibratedModel {
            parts,
            n_classes: labels.len(),
            certificate: Certificate::new(Termination::Exact),
        };
        model.certify(data, truth, session)?;
        Ok(model)
    }
}

impl CalibratedClassifierCV {
    fn map(&self, scores: MatRef<'_>, truth: &[u32], k: usize, weights: Option<&[f64]>) -> Result<Map> {
        if self.method == Calibration::Temperature {
            return Temperature::fit(logits(scores).view(), truth, weights).map(Map::Temperature);
        }
        // Two classes have one question; the score of the second is the only or the last column.
        let columns: Vec<(usize, u32)> = match k {
            0..=2 => vec![(scores.n_cols() - 1, 1)],
            k => (0..k).map(|c| (c, c as u32)).collect(),
        };
        let question = |&(column, class): &(usize, u32)| {
            let positive: Vec<bool> = truth.iter().map(|&t| t == class).collect();
            (scores.col_cow(column), positive)
        };
        match self.method {
            Calibration::Isotonic => {
                let fit = |c: &(usize, u32)| {
                    let (scores, positive) = question(c);
                    let values: Vec<f64> = positive.iter().map(|&p| f64::from(u8::from(p))).collect();
                    Isotonic::fit(&scores, &values, weights)
                };
                columns.iter().map(fit).collect::<Result<_>>().map(Map::Isotonic)
            }
            _ => {
                let fit = |c: &(usize, u32)| {
                    let (scores, positive) = question(c);
                    Sigmoid::fit(&scores, &positive, weights)
                };
                columns.iter().map(fit).collect::<Result<_>>().map(Map::Sigmoid)
            }
        }
    }
}

/// Logits of scores: decision values as they are (−f and f for two classes), logarithms of probabilities.
fn logits(scores: MatRef<'_>) -> Mat {
    let (n, k) = (scores.n_rows(), scores.n_cols());
    if k == 1 {
        return Mat::from_fn(n, 2, |i, c| if c == 0 { -scores.get(i, 0) } else { scores.get(i, 0) });
    }
    let is_probability = (0..n).all(|i| {
        let row = (0..k).map(|c| scores.get(i, c));
        row.clone().all(|p| (0.0..=1.0).contains(&p)) && (row.sum::<f64>() - 1.0).abs() < 1e-5
    });
    Mat::from_fn(n, k, |i, c| if is_probability { (scores.get(i, c) + 1e-12).ln() } else { scores.get(i, c) })
}

impl Map {
    fn probabilities(&self, scores: MatRef<'_>, k: usize) -> Mat {
        let at: Box<dyn Fn(usize, f64) -> f64> = match self {
            Map::Temperature(temperature) => {
                let mut out = logits(scores);
                temperature.apply(&mut out);
                return out;
            }
            Map::Sigmoid(maps) => Box::new(|c, s| maps[c].at(s)),
            Map::Isotonic(maps) => Box::new(|c, s| maps[c].at(s)),
        };
        let n = scores.n_rows();
        if k <= 2 {
            let last = scores.n_cols() - 1;
            let second: Vec<f64> = (0..n).map(|i| at(0, scores.get(i, last))).collect();
            return Mat::from_fn(n, k, |i, c| if c == 1 { second[i] } else { 1.0 - second[i] });
        }
        let mut out = Mat::from_fn(n, k, |i, c| at(c, scores.get(i, c)));
        for i in 0..n {
            let row = out.row_mut(i);
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p = if total > 0.0 { *p / total } else { 1.0 / k as f64 });
        }
        out
    }

    fn is_valid(&self, k: usize) -> bool {
        let n = if k <= 2 { 1 } else { k };
        match self {
            Map::Sigmoid(maps) => {
                maps.len() == n && maps.iter().all(|m| m.slope.is_finite() && m.offset.is_finite())
            }
            Map::Isotonic(maps) => maps.len() == n && maps.iter().all(Isotonic::is_valid),
            Map::Temperature(t) => t.inverse.is_finite() && t.inverse > 0.0,
        }
    }
}

impl CalibratedModel {
    /// The log loss on the training rows, which anyone with the rows can compute again.
    fn certify(&mut self, data: &Dataset<'_>, truth: &[u32], session: &Session) -> Result<()> {
        let loss = self.training_loss(data, truth, session)?;
        self.certificate.objective = Some(loss);
        let meaning = "the mean log loss on the training rows; the maps were fitted on rows their classifiers did not see";
        let evidence = Evidence::value("training log loss", loss, meaning);
        self.certificate = std::mem::replace(&mut self.certificate, Certificate::new(Termination::Exact))
            .with_evidence(evidence);
        let child = |(i, (model, _)): (usize, &(NestedModel, Map))| {
            (format!("fold {i}"), model.0.certificate().clone())
        };
        self.certificate.children = self.parts.iter().enumerate().map(child).collect();
        Ok(())
    }

    fn training_loss(&self, data: &Dataset<'_>, truth: &[u32], session: &Session) -> Result<f64> {
        let p = self.probabilities(&data.input(), session)?;
        mercer_measure::log_loss(truth, p.view(), data.weights().as_deref())
    }
}

impl Proba for CalibratedModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let n = input.n_units().unwrap_or(0);
        let mut sum = Mat::zeros(n, self.n_classes);
        for (model, map) in &self.parts {
            let scores = model.0.scores(input, session)?;
            let p = map.probabilities(scores.view(), self.n_classes);
            sum.as_mut_slice()
                .iter_mut()
                .zip(p.as_slice())
                .for_each(|(s, p)| *s += p / self.parts.len() as f64);
        }
        Ok(sum)
    }
}

impl Fitted for CalibratedModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let p = self.probabilities(input, session)?;
        let best = |i: usize| argmax(p.row(i)) as u32;
        schema.prediction([(0..p.n_rows()).map(best).collect::<Vec<u32>>()])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let target = data.need_target(CalibratedClassifierCV::NAME)?;
        let loss = self.training_loss(data, target.class()?.0, session)?;
        Ok(vec![("training log loss".to_owned(), loss)])
    }

    fn parts(&self) -> Vec<(&str, &NestedModel)> {
        self.parts.iter().map(|(model, _)| ("estimator", model)).collect()
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let k = schema.labels().map_or(0, |l| l.len());
        let same = |m: &NestedModel| {
            m.0.schema().labels().map(|l| l.len()) == Some(k) && (m.0.can().proba || m.0.can().decision)
        };
        let ok = k == self.n_classes && k > 0 && !self.parts.is_empty();
        match ok && self.parts.iter().all(|(model, map)| same(model) && map.is_valid(k)) {
            true => Ok(()),
            false => Err("calibrated classifiers that do not fit the schema".to_owned()),
        }
    }
}
