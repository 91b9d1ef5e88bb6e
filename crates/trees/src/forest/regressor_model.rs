//! Regression forest: how its trees grow, and the model.

use super::binned_columns::BinnedColumns;
use super::ensemble_variance::EnsembleVariance;
use super::grow_forest::{Forest, ForestTarget, GrownTree, Task};
use super::quantile_forest::Samples;
use super::settings::{ForestParams, Settings};
use super::split_statistics::{Measured, Sums};
use crate::cart::criterion::absolute_error::AbsoluteError;
use crate::cart::criterion::squared_error::Outputs;
use crate::cart::regressor::{RegressionCriterion, check_counts, mean, mean_loss, monotone, predicted};
use crate::cart::training_columns::TrainingColumns;
use crate::limits::{Limits, MaxFeatures};
use crate::packed::PackedTrees;
use mercer_core::{
    Abilities, Attribute, Certificate, CountOrShare, Dataset, Error, Evidence, Fitted, Input, ParamGroup,
    Prediction, Result, Schema, Session,
};
use mercer_math::{Mat, Weights};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What forests for numbers share.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ForestRegressorParams {
    /// The loss that splits decrease.
    #[param(default = RegressionCriterion::SquaredError)]
    pub criterion: RegressionCriterion,
    /// Trees, bags and features.
    #[param(flatten, default(tree.max_features = Some(MaxFeatures::Of(CountOrShare::Share(1.0)))))]
    pub forest: ForestParams,
    /// Whether the training targets of each leaf are kept, which give quantiles and prediction intervals.
    #[param(default = false)]
    pub quantiles: bool,
}

/// The numeric targets of the kept rows.
pub(crate) struct NumberResponse {
    /// Rows × outputs, less the offsets.
    y: Vec<f64>,
    /// Weights inside the trees, unless all are 1.
    w: Option<Vec<f64>>,
    offsets: Arc<[f64]>,
    criterion: RegressionCriterion,
}

impl NumberResponse {
    /// The response of some outputs with these means.
    pub(crate) fn new(
        outputs: &[Vec<f64>],
        means: &[f64],
        w: Option<Vec<f64>>,
        criterion: RegressionCriterion,
    ) -> Result<Self> {
        if criterion == RegressionCriterion::Poisson {
            check_counts(outputs, means)?;
        }
        let squared =
            matches!(criterion, RegressionCriterion::SquaredError | RegressionCriterion::FriedmanMse);
        let offsets: Arc<[f64]> = if squared { means.into() } else { Arc::from(vec![0.0; means.len()]) };
        let n = outputs.first().map_or(0, Vec::len);
        let y = (0..n).flat_map(|i| outputs.iter().zip(&*offsets).map(move |(y, o)| y[i] - o)).collect();
        Ok(Self { y, w, offsets, criterion })
    }

    fn weight(&self, row: u32, count: u16) -> f64 {
        Weights::of(&self.w)[row as usize] * f64::from(count)
    }
}

impl ForestTarget for NumberResponse {
    /// Histograms know one output, around its mean, and no signs.
    fn codes(
        &self,
        training: &TrainingColumns<'_>,
        max_bins: Option<usize>,
        limits: &Limits,
    ) -> Option<BinnedColumns> {
        let means = self.criterion != RegressionCriterion::AbsoluteError;
        let free = self.offsets.len() == 1 && means && limits.monotone.is_none();
        free.then(|| training.codes(max_bins, limits)).flatten()
    }

    fn binned(&self, task: Task, codes: &BinnedColumns, limits: &Limits) -> GrownTree {
        let poisson = self.criterion == RegressionCriterion::Poisson;
        let statistics = Sums { offset: self.offsets[0], poisson };
        task.binned(&statistics, codes, self.y.len(), limits, |row, count| Measured {
            y: self.y[row as usize],
            weight: self.weight(row, count),
        })
    }

    fn exact(&self, task: Task, training: &TrainingColumns<'_>, limits: &Limits) -> GrownTree {
        let q = self.offsets.len();
        let of_bag = |rows: &[(u32, u16)]| -> (Vec<f64>, Option<Vec<f64>>) {
            let y = rows.iter().flat_map(|&(i, _)| &self.y[i as usize * q..][..q]).copied().collect();
            (y, Some(rows.iter().map(|&(i, c)| self.weight(i, c)).collect()))
        };
        if self.criterion == RegressionCriterion::AbsoluteError {
            return task.exact(training, limits, |rows| {
                let (y, w) = of_bag(rows);
                AbsoluteError { y, w, q }
            });
        }
        let poisson = self.criterion == RegressionCriterion::Poisson;
        task.exact(training, limits, |rows| {
            let (y, w) = of_bag(rows);
            Outputs { y, w, offsets: self.offsets.clone(), poisson }
        })
    }
}

/// Grows a forest for numbers; `quantiles` keeps the targets of its leaves.
pub(crate) fn grow(
    settings: Settings<'_>,
    &ForestRegressorParams { criterion, quantiles, .. }: &ForestRegressorParams,
    data: &Dataset<'_>,
    session: &Session,
) -> Result<ForestRegressorModel> {
    let rows = data.rows(settings.owner)?;
    let target = data.need_target(settings.owner)?;
    if quantiles && target.n_columns() > 1 {
        return Err(Error::param(settings.owner, "quantiles", "false for several targets", true));
    }
    let training = TrainingColumns::new(settings.owner, &rows, data)?;
    let (q, n, d) = (target.n_columns(), training.n_kept(), rows.n_features());
    let outputs =
        (0..q).map(|k| target.numbers_of(k).map(|y| training.pick(y))).collect::<Result<Vec<Vec<f64>>>>()?;
    let means: Vec<f64> = outputs.iter().map(|y| mean(y, &training.weights)).collect();
    let mut plan = settings.plan(n, d, training.weights.as_deref(), session);
    plan.limits.monotone =
        monotone(settings.owner, &training, settings.params.tree.monotonic_cst.as_ref(), &rows, q)?;
    plan.limits.interactions = settings.interactions(&rows)?;
    // A bag has drawn by weight already.
    let w = training.weights.clone().filter(|_| !settings.params.bootstrap);
    let response = NumberResponse::new(&outputs, &means, w, criterion)?;
    let absolute = criterion == RegressionCriterion::AbsoluteError;
    let (forest, termination) =
        response.forest(plan, (&training, settings.params.tree.max_bins), q, session)?;
    let certificate = Certificate::new(termination);
    let samples = quantiles.then(|| Samples::new(&forest.packed, data, session)).transpose()?;
    let mut model =
        ForestRegressorModel { forest, absolute, oob: None, oob_score: None, samples, certificate };
    model.certify(data, settings.params.oob_score, session)?;
    Ok(model)
}

/// A grown forest for numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForestRegressorModel {
    pub(super) forest: Forest,
    pub(super) absolute: bool,
    /// Rows × outputs.
    oob: Option<Vec<f64>>,
    oob_score: Option<f64>,
    pub(super) samples: Option<Samples>,
    pub(super) certificate: Certificate,
}

/// The names of the certificate's evidence.
const NAMES: [[&str; 2]; 2] = [
    ["training mean squared error", "training mean absolute error"],
    ["out-of-bag mean squared error", "out-of-bag mean absolute error"],
];

impl ForestRegressorModel {
    /// The trees; their leaves hold means or medians.
    pub fn trees(&self) -> &PackedTrees {
        &self.forest.packed
    }

    /// The decrease of impurity that each feature brought, a mean over the trees, summing to 1.
    pub fn feature_importances(&self) -> &[f64] {
        &self.forest.importances
    }

    /// The mean of every training row over the trees whose bags it is not in (NaN where there is none), rows ×
    /// outputs; with `oob_score`.
    pub fn oob_prediction(&self) -> Option<&[f64]> {
        self.oob.as_deref()
    }

    /// R² of those means; with `oob_score`.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// For each row of `a` and of `b`, the share of trees in which both end in the same leaf.
    pub fn proximity(&self, a: &Input<'_>, b: &Input<'_>, session: &Session) -> Result<Mat> {
        self.forest.proximity(a, b, session)
    }

    /// The spread of the trees: how much averaging them helps, and how much more could. For the first target.
    pub fn ensemble_variance(&self, data: &Dataset<'_>, session: &Session) -> Result<EnsembleVariance> {
        let target = data.need_target("a forest")?;
        let y = target.numbers_of(0)?;
        EnsembleVariance::measure(&self.forest.packed, data, session, |i, value| value[0] - y[i])
    }

    fn certify(&mut self, data: &Dataset<'_>, keep: bool, session: &Session) -> Result<()> {
        let mut certificate = self.certificate.clone().with_iterations(self.forest.packed.n_trees() as u64);
        if session.interrupted().is_some() {
            self.certificate = certificate.with_note("stopped before its error was measured");
            return Ok(());
        }
        let (name, loss, means) = self.loss(data, session)?;
        certificate = if loss.is_nan() {
            certificate.with_note("no evidence: no row is outside of any bag")
        } else {
            let meaning = match self.forest.bags {
                Some(_) => "mean loss of the trees grown without a row on it",
                None => "mean loss of the forest on the training rows",
            };
            let scale = data.target_spread(self.absolute)?;
            certificate.with_evidence(Evidence::value(name, loss, meaning).on_scale(scale))
        };
        if keep {
            self.oob_score = Some(self.r_squared(data, &means)?);
            self.oob = Some(means);
        }
        self.certificate = certificate;
        Ok(())
    }

    /// 1 less the share of the first target's weighted variance that is left.
    fn r_squared(&self, data: &Dataset<'_>, found: &[f64]) -> Result<f64> {
        let q = self.forest.packed.outputs();
        let target = data.need_target("a forest")?;
        let weights = data.weights();
        let kept: Vec<usize> = (0..data.n_rows()).filter(|&i| !found[i * q].is_nan()).collect();
        let mut score = 0.0;
        for k in 0..q {
            let y = target.numbers_of(k)?;
            let w: Vec<f64> = kept.iter().map(|&i| Weights::of(&weights)[i]).collect();
            let own: Vec<f64> = kept.iter().map(|&i| y[i]).collect();
            let (centre, w) = (mean(&own, &Some(w.clone())), w);
            let sum = |of: &dyn Fn(usize) -> f64| -> f64 {
                kept.iter().zip(&w).map(|(&i, w)| w * (y[i] - of(i)) * (y[i] - of(i))).sum()
            };
            score += 1.0 - sum(&|i| found[i * q + k]) / sum(&|_| centre);
        }
        Ok(score / q as f64)
    }

    /// The loss on the rows grown on: out of bag where there are bags.
    fn loss(&self, data: &Dataset<'_>, session: &Session) -> Result<(&'static str, f64, Vec<f64>)> {
        let weights = data.weights();
        let means = match &self.forest.bags {
            Some(bags) => self.forest.out_of_bag(bags, data, weights.as_deref(), session)?,
            None => self.forest.mean(&data.input(), session)?,
        };
        let loss = mean_loss(data, &means, self.forest.packed.outputs(), self.absolute)?;
        Ok((NAMES[usize::from(self.forest.bags.is_some())][usize::from(self.absolute)], loss, means))
    }
}

impl Fitted for ForestRegressorModel {
    const VERSION: u32 = 3;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        predicted(&self.forest.mean(input, session)?, self.forest.packed.outputs(), schema)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            intervals: self.samples.as_ref().map(|_| self as _),
            quantiles: self.samples.as_ref().map(|_| self as _),
            explain: Some(self),
            trees: Some(self),
            members: Some(self),
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        matches!(ability, "intervals" | "quantiles")
            .then(|| "train with quantiles=true, or put ConformalRegressor around it".to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (name, loss, _) = self.loss(data, session)?;
        Ok(vec![(name.to_owned(), loss)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = super::attributes(&self.forest);
        if let (Some(oob), Some(score)) = (&self.oob, self.oob_score) {
            let doc = "Means of the training rows over the trees grown without them.";
            let q = self.forest.packed.outputs();
            let shape = if q == 1 { vec![oob.len()] } else { vec![oob.len() / q, q] };
            all.push(Attribute::real("oob_prediction_", doc, &shape, oob.clone()));
            all.push(Attribute::real("oob_score_", "R² of these means.", &[], vec![score]));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.forest.validate(schema, schema.targets.len(), self.oob.as_deref())?;
        match self.samples.as_ref().is_none_or(|s| schema.targets.len() == 1 && s.is_valid(self.trees())) {
            true => Ok(()),
            false => Err("the rows in the leaves do not fit the forest".to_owned()),
        }
    }
}
