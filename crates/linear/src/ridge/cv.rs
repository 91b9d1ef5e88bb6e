//! Ridge regression that chooses its penalty by cross validation.
//!
//! # Objective
//! That of [`Ridge`](crate::Ridge), with the $\alpha$ of a list whose predictions of rows that were left out score best.
//!
//! # Algorithm
//! Without `cv`, every row is left out once, exactly and from one eigendecomposition of $X^\top SX$ or $XX^\top$, whichever is
//! smaller: $y_i - \hat y_{-i} = (y_i - \hat y_i)/(1 - h_i)$ with the leverage $h_i$ of ridge regression. With `cv`
//! folds, each fold has one decomposition for all penalties.
//!
//! # Complexity
//! O(n d min(n, d)) once and O(n min(n, d)) for each penalty; memory of a copy of the rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::RidgeCV;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(20, 1, |i, _| i as f64);
//! let data = Dataset::new(&x).with_target(Target::real((0..20).map(|i| 2.0 * i as f64).collect::<Vec<_>>()))?;
//! let model = RidgeCV::default().fit(&data)?;
//! assert_eq!(model.alpha(), [0.1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The first of equally good penalties is chosen. A row with a weight is left out whole, whatever its weight, which is why
//! weights are not copies here; its error counts by its weight.
//!
//! # References
//! - G. H. Golub, M. Heath, G. Wahba. Generalized cross-validation as a method for choosing a good ridge parameter.
//!   Technometrics 21(2), 1979. doi:10.1080/00401706.1979.10489751
//! - R. Rifkin, R. Lippert. Notes on regularized least squares. MIT-CSAIL-TR-2007-025, 2007.

use super::classifier::{RidgeClassifierModel, answers, class_of, classes_of, coded};
use super::spectrum::Spectrum;
use crate::class_weights::ClassWeightParams;
use crate::intercept::InterceptParams;
use crate::linear_model::LinearRegressionModel;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, ClassWeight, Dataset, Error, Fitted, Input,
    Learn, ParamGroup, Params, Prediction, Result, Schema, Session, Termination,
};
use mercer_math::{Mat, Weights};
use mercer_measure::{Metric, Scored};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How rows are left out; all ways give the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum GcvMode {
    /// Whichever is smaller.
    Auto,
    /// Singular values of the rows.
    Svd,
    /// Eigenvalues of the products of rows.
    Eigen,
}

/// How a penalty is chosen.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct RidgeCvParams {
    /// The penalties that are tried; with rows left out one at a time they are positive.
    #[param(default = vec![0.1, 1.0, 10.0], range = "[0, inf)")]
    pub alphas: Vec<f64>,
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// The metric by name; none means the squared error of rows left out, and with folds R² or accuracy.
    #[param(default = None)]
    pub scoring: Option<String>,
    /// Number of folds; none leaves out one row at a time.
    #[param(default = None, range = "[2, inf)")]
    pub cv: Option<usize>,
    /// Whether to keep what each row left out gives; not with folds.
    #[param(default = false)]
    pub store_cv_results: bool,
}

/// Ridge regression with the penalty that predicts rows left out best.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "ridge-cv",
    canon = "L2",
    task = Regression,
    python = "linear_model",
    tried = "| cv=3",
    mixins = "RidgeCvMixin",
    can = "weights sparse multi_output scaled explain counts_rows",
    order = "scoring cv gcv_mode store_cv_results alpha_per_target",
    references = "Golub, Heath, Wahba. Generalized cross-validation as a method for choosing a good ridge parameter. Technometrics 21(2), 1979."
)]
pub struct RidgeCV {
    /// How the penalty is chosen.
    #[param(flatten)]
    pub choice: RidgeCvParams,
    /// How rows are left out; all ways give the same, the fastest is taken.
    #[param(default = None)]
    pub gcv_mode: Option<GcvMode>,
    /// Whether each target has a penalty of its own; not with folds.
    #[param(default = false)]
    pub alpha_per_target: bool,
}

/// Ridge regression on classes with the penalty that predicts rows left out best.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "ridge-classifier-cv",
    canon = "L2",
    task = Classification,
    python = "linear_model",
    tried = "| cv=3",
    mixins = "RidgeCvMixin",
    can = "weights sparse multi_output decision scaled counts_rows",
    order = "cv class_weight store_cv_results",
    references = "Rifkin, Lippert. Notes on regularized least squares. 2007."
)]
pub struct RidgeClassifierCV {
    /// How the penalty is chosen.
    #[param(flatten)]
    pub choice: RidgeCvParams,
    /// The weights of the classes.
    #[param(flatten)]
    pub classes: ClassWeightParams,
}

/// What was chosen, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Chosen {
    /// The penalties, one or one for each target.
    alpha: Vec<f64>,
    /// Their scores; larger is better.
    score: Vec<f64>,
    /// Rows × targets × penalties: squared errors, or predictions where a metric scores them.
    results: Option<(Vec<usize>, Vec<f64>)>,
}

/// A fitted ridge regression with a chosen penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RidgeCvModel {
    linear: LinearRegressionModel,
    chosen: Chosen,
}

/// A fitted ridge classifier with a chosen penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RidgeClassifierCvModel {
    inner: RidgeClassifierModel,
    chosen: Chosen,
}

impl Learn for RidgeCV {
    type Model = RidgeCvModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RidgeCvModel> {
        let rows = weighted(data)?;
        let (linear, chosen) = self.choice.fit(Self::NAME, &rows, &[], self.alpha_per_target, session)?;
        Ok(RidgeCvModel { linear, chosen })
    }

    fn check(&self) -> Result<()> {
        if self.alpha_per_target && self.choice.cv.is_some() {
            return Err(Error::param(Self::NAME, "alpha_per_target", "false with folds", true));
        }
        self.choice.check(Self::NAME)?;
        self.check_params()
    }
}

impl Learn for RidgeClassifierCV {
    type Model = RidgeClassifierCvModel;

    fn capabilities(&self) -> Capabilities {
        let multi_output = self.classes.class_weight.is_none();
        Capabilities { multi_output, ..Self::declaration().capabilities }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RidgeClassifierCvModel> {
        let numbers = coded(Self::NAME, data, self.classes.class_weight.as_ref())?;
        let target = data.need_target(Self::NAME)?;
        let weights = numbers.weights();
        let kept: Vec<usize> = (0..data.n_rows()).filter(|&i| Weights::of(&weights).counts(i)).collect();
        let all = classes_of(Self::NAME, &target)?;
        let classes: Vec<(Vec<u32>, usize)> =
            all.iter().map(|(codes, n)| (kept.iter().map(|&i| codes[i]).collect(), *n)).collect();
        let (linear, mut chosen) =
            self.choice.fit(Self::NAME, &weighted(&numbers)?, &classes, false, session)?;
        // As many dimensions for one target as for several.
        if let Some((shape, _)) = chosen.results.as_mut().filter(|(shape, _)| shape.len() == 2) {
            shape.insert(1, 1);
        }
        Ok(RidgeClassifierCvModel {
            inner: RidgeClassifierModel { linear, class_weight: self.classes.class_weight.clone() },
            chosen,
        })
    }

    fn check(&self) -> Result<()> {
        self.choice.check(Self::NAME)?;
        self.check_params()
    }
}

/// The rows that have a weight.
fn weighted<'a>(data: &Dataset<'a>) -> Result<Dataset<'a>> {
    let weights = data.weights();
    let kept: Vec<usize> = (0..data.n_rows()).filter(|&i| Weights::of(&weights).counts(i)).collect();
    if kept.len() == data.n_rows() { Ok(data.clone()) } else { data.subset(&kept) }
}

/// The classes of the rows in each target, and how many there are; nothing for numbers.
type Classes<'a> = &'a [(Vec<u32>, usize)];

impl RidgeCvParams {
    fn check(&self, who: &str) -> Result<()> {
        if self.alphas.is_empty() {
            return Err(Error::param(who, "alphas", "a list of at least one penalty", "none"));
        }
        if let (None, Some(bad)) = (self.cv, self.alphas.iter().find(|a| **a == 0.0)) {
            return Err(Error::param(who, "alphas", "positive unless there are folds", bad));
        }
        if self.store_cv_results && self.cv.is_some() {
            return Err(Error::param(who, "store_cv_results", "false with folds", true));
        }
        self.scoring.as_deref().map_or(Ok(()), |name| Metric::by_name(name).map(|_| ()))
    }

    /// Chooses, and fits all rows.
    fn fit(
        &self,
        who: &str,
        data: &Dataset<'_>,
        classes: Classes<'_>,
        each: bool,
        session: &Session,
    ) -> Result<(LinearRegressionModel, Chosen)> {
        let spectrum = Spectrum::of(who, data, self.intercept.fit_intercept)?;
        let chosen = match self.cv {
            Some(k) => self.by_folds(who, data, classes, k, session)?,
            None => self.by_rows(&spectrum, data, classes, each)?,
        };
        let centred = &spectrum.centred;
        let alphas: Vec<f64> =
            (0..centred.y.len()).map(|k| chosen.alpha[k.min(chosen.alpha.len() - 1)]).collect();
        let w = spectrum.coef(&alphas);
        let way = if self.cv.is_some() { "folds" } else { "rows left out one at a time" };
        let note = format!("{:?} is the best of {} penalties by {way}", chosen.alpha, self.alphas.len());
        let certificate = centred.certificate(&alphas, &w, None, Termination::Exact).with_note(note);
        let model = LinearRegressionModel::about(who, &w, (&centred.mean_x, &centred.mean_y), certificate)?;
        let means = centred.means.clone();
        let linear = LinearRegressionModel {
            alpha: alphas[0],
            alphas,
            fit_intercept: self.intercept.fit_intercept,
            means,
            ..model
        };
        Ok((linear, chosen))
    }

    /// The best by rows that are left out one at a time.
    fn by_rows(
        &self,
        spectrum: &Spectrum<'_>,
        data: &Dataset<'_>,
        classes: Classes<'_>,
        each: bool,
    ) -> Result<Chosen> {
        let metric = self.scoring.as_deref().map(Metric::by_name).transpose()?;
        let (centred, weights) = (&spectrum.centred, data.weights());
        let (n, t) = (data.n_rows(), centred.y.len());
        let left: Vec<Mat> = self
            .alphas
            .par_iter()
            .map(|&alpha| spectrum.left_out(alpha, self.intercept.fit_intercept))
            .collect();
        // Predictions of rows that were left out.
        let said = |e: &Mat, i: usize, k: usize| centred.y[k][i] - e[(i, k)] + centred.mean_y[k];
        let score = |e: &Mat, targets: std::ops::Range<usize>| -> Result<f64> {
            let Some(metric) = metric else {
                let squares = targets.clone().flat_map(|k| (0..n).map(move |i| (i, k)));
                let total = squares.map(|(i, k)| centred.weight(i) * e[(i, k)].powi(2)).sum::<f64>();
                return Ok(-total / (n * targets.len()) as f64);
            };
            let truth = Mat::from_fn(n, targets.len(), |i, k| {
                centred.y[targets.start + k][i] + centred.mean_y[targets.start + k]
            });
            let predicted = Mat::from_fn(n, targets.len(), |i, k| said(e, i, targets.start + k));
            evaluate(metric, &truth, &predicted, classes, weights.as_deref())
        };
        let groups: Vec<std::ops::Range<usize>> =
            if each { (0..t).map(|k| k..k + 1).collect() } else { std::iter::once(0..t).collect() };
        let mut chosen = Chosen { alpha: Vec::new(), score: Vec::new(), results: None };
        for group in groups {
            let scores = left.iter().map(|e| score(e, group.clone())).collect::<Result<Vec<f64>>>()?;
            chosen.choose(&self.alphas, &scores, n)?;
        }
        if self.store_cv_results {
            let value = |e: &Mat, i: usize, k: usize| match metric {
                Some(_) => said(e, i, k),
                None => centred.weight(i) * e[(i, k)].powi(2),
            };
            let rows = (0..n).flat_map(|i| (0..t).map(move |k| (i, k)));
            let values = rows.flat_map(|(i, k)| left.iter().map(move |e| value(e, i, k))).collect();
            let shape = if t == 1 { vec![n, left.len()] } else { vec![n, t, left.len()] };
            chosen.results = Some((shape, values));
        }
        Ok(chosen)
    }

    /// The best by the mean score over folds.
    fn by_folds(
        &self,
        who: &str,
        data: &Dataset<'_>,
        classes: Classes<'_>,
        k: usize,
        session: &Session,
    ) -> Result<Chosen> {
        let default = if classes.is_empty() { "r2" } else { "accuracy" };
        let metric = Metric::by_name(self.scoring.as_deref().unwrap_or(default))?;
        let splits = match classes {
            [(codes, _)] => mercer_measure::stratified_k_fold(codes, k, None)?,
            _ => mercer_measure::folds(data, k, None)?,
        };
        let mut scores = vec![0.0; self.alphas.len()];
        for (done, split) in splits.iter().enumerate() {
            session.step("fold", done as u64, Some(splits.len() as u64), None);
            let (train, test) = (data.subset(&split.train)?, data.subset(&split.test)?);
            let spectrum = Spectrum::of(who, &train, self.intercept.fit_intercept)?;
            let (x, target, weights) = (test.numbers(who)?, test.need_target(who)?, test.weights());
            let columns =
                (0..target.n_columns()).map(|k| target.numbers_of(k)).collect::<Result<Vec<_>>>()?;
            let truth = Mat::from_fn(test.n_rows(), columns.len(), |i, k| columns[k][i]);
            let own: Vec<(Vec<u32>, usize)> = classes
                .iter()
                .map(|(codes, n)| (split.test.iter().map(|&i| codes[i]).collect(), *n))
                .collect();
            for (alpha, score) in self.alphas.iter().zip(&mut scores) {
                let w = spectrum.coef(&vec![*alpha; columns.len()]);
                let means = (spectrum.centred.mean_x.as_slice(), spectrum.centred.mean_y.as_slice());
                let model =
                    LinearRegressionModel::about(who, &w, means, Certificate::new(Termination::Exact))?;
                let found = evaluate(metric, &truth, &model.scores(x.view()), &own, weights.as_deref())?;
                *score += found / splits.len() as f64;
            }
        }
        let mut chosen = Chosen { alpha: Vec::new(), score: Vec::new(), results: None };
        chosen.choose(&self.alphas, &scores, data.n_rows())?;
        Ok(chosen)
    }
}

/// What a metric says of answers, rows × targets, on average over targets; larger is better.
fn evaluate(
    metric: &Metric,
    truth: &Mat,
    said: &Mat,
    classes: Classes<'_>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    let (mut total, mut start) = (0.0, 0);
    for (codes, n_classes) in classes {
        let own = Mat::from_fn(said.n_rows(), answers(*n_classes), |i, k| said[(i, start + k)]);
        start += own.n_cols();
        let predicted: Vec<u32> = (0..own.n_rows()).map(|i| class_of(own.row(i))).collect();
        let (predicted, scores) = (Some(predicted.as_slice()), Some(own.view()));
        let (truth, n_classes, probabilities) = (codes.as_slice(), *n_classes, None);
        let scored = Scored::Classes { truth, n_classes, predicted, probabilities, scores };
        total += metric.evaluate(&scored, weights)?;
    }
    for k in 0..if classes.is_empty() { truth.n_cols() } else { 0 } {
        let (truth, predicted) = (truth.col(k), said.col(k));
        total += metric.evaluate(&Scored::Numbers { truth: &truth, predicted: &predicted }, weights)?;
    }
    let value = total / if classes.is_empty() { truth.n_cols() } else { classes.len() } as f64;
    Ok(if metric.greater_is_better { value } else { -value })
}

impl Chosen {
    /// Takes the first penalty of the best score.
    fn choose(&mut self, alphas: &[f64], scores: &[f64], rows: usize) -> Result<()> {
        let better =
            |best: usize, j: usize| if scores[j] > scores[best] || scores[best].is_nan() { j } else { best };
        let best = (1..alphas.len()).fold(0, better);
        if scores[best].is_nan() {
            let why = format!(
                "no penalty has a score: too few rows (n_samples = {rows}), or their squares are too large"
            );
            return Err(Error::numeric("RidgeCV", why));
        }
        self.alpha.push(alphas[best]);
        self.score.push(scores[best]);
        Ok(())
    }

    fn attributes(&self) -> Vec<Attribute> {
        let shape: &[usize] = if self.alpha.len() == 1 { &[] } else { &[self.alpha.len()] };
        let mut all = vec![
            Attribute::real("alpha_", "The penalty that was chosen.", shape, self.alpha.clone()),
            Attribute::real("best_score_", "Its score; larger is better.", shape, self.score.clone()),
        ];
        if let Some((shape, values)) = &self.results {
            all.push(Attribute::real("cv_results_", "What rows left out give.", shape, values.clone()));
        }
        all
    }

    fn fits(&self, targets: usize) -> bool {
        let whole = |(shape, values): &(Vec<usize>, Vec<f64>)| {
            shape.iter().try_fold(1usize, |a, b| a.checked_mul(*b)) == Some(values.len())
        };
        (self.alpha.len() == 1 || self.alpha.len() == targets)
            && self.score.len() == self.alpha.len()
            && self.results.as_ref().is_none_or(whole)
    }
}

impl RidgeCvModel {
    /// The penalty that was chosen, or one for each target.
    pub fn alpha(&self) -> &[f64] {
        &self.chosen.alpha
    }

    /// The linear model itself.
    pub fn linear(&self) -> &LinearRegressionModel {
        &self.linear
    }
}

impl Fitted for RidgeCvModel {
    fn certificate(&self) -> &Certificate {
        self.linear.certificate()
    }
    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.linear.infer(input, schema, session)
    }
    fn abilities(&self) -> Abilities<'_> {
        self.linear.abilities()
    }
    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        self.linear.reprove(data, session)
    }
    fn attributes(&self) -> Vec<Attribute> {
        self.linear.attributes().into_iter().chain(self.chosen.attributes()).collect()
    }
    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.linear.validate(schema)?;
        let fits = self.chosen.fits(schema.targets.len());
        if fits { Ok(()) } else { Err("penalties do not fit the targets".to_owned()) }
    }
}

impl RidgeClassifierCvModel {
    /// The penalty that was chosen.
    pub fn alpha(&self) -> f64 {
        self.chosen.alpha[0]
    }
}

impl Fitted for RidgeClassifierCvModel {
    fn certificate(&self) -> &Certificate {
        self.inner.certificate()
    }
    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.inner.infer(input, schema, session)
    }
    fn abilities(&self) -> Abilities<'_> {
        self.inner.abilities()
    }
    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        self.inner.reprove(data, session)
    }
    fn attributes(&self) -> Vec<Attribute> {
        self.inner.attributes().into_iter().chain(self.chosen.attributes()).collect()
    }
    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.inner.validate(schema)?;
        if self.chosen.alpha.len() == 1 && self.chosen.fits(1) {
            Ok(())
        } else {
            Err("penalties do not fit the targets".to_owned())
        }
    }
}
