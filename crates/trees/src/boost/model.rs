//! The boosted model: trees whose leaves add up to a score, and the link from scores to predictions.

use super::loss::Loss;
use super::train::LOSS;
use crate::packed::PackedTrees;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Error, Fitted, Input, Label, Prediction, Proba,
    Result, Schema, Session, Target, TargetColumn, TargetKind,
};
use mercer_math::{Mat, argmax};
use serde::{Deserialize, Serialize};

/// The model of all boosting learners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoostedTrees {
    /// The trees, one for each score and round; leaves hold what is added to a score.
    pub trees: PackedTrees,
    pub(crate) loss: Loss,
    /// The scores before the first tree.
    pub(crate) start: Vec<f64>,
    /// The classes; empty for numbers.
    pub(crate) labels: Vec<Label>,
    /// The gain of each feature's splits, summed.
    pub(crate) gains: Vec<f64>,
    /// The number of each feature's splits.
    pub(crate) splits: Vec<u32>,
    pub(crate) train_score: Vec<f64>,
    pub(crate) validation_score: Vec<f64>,
    pub(crate) certificate: Certificate,
}

impl BoostedTrees {
    /// The loss that was boosted.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// Rounds of boosting: trees for each score.
    pub fn n_rounds(&self) -> usize {
        self.trees.n_trees() / self.outputs().max(1)
    }

    /// Whether what is predicted is the scores themselves.
    pub(crate) fn scores_are_numbers(&self) -> bool {
        self.labels.is_empty() && !self.loss.is_log()
    }

    /// Scores of a row: one, one for each class, or one for each target.
    pub(crate) fn outputs(&self) -> usize {
        self.start.len()
    }

    /// The scores before the first tree.
    pub fn baseline(&self) -> &[f64] {
        &self.start
    }

    /// The share of all gain that each feature brought; all 0 without a split.
    pub fn importances(&self) -> Vec<f64> {
        let total: f64 = self.gains.iter().sum();
        self.gains.iter().map(|g| if total > 0.0 { g / total } else { 0.0 }).collect()
    }

    /// The scores of some rows: rows × outputs.
    pub(crate) fn raw(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        self.raw_after(input, self.n_rounds(), session)
    }

    /// The scores of some rows after so many rounds: rows × outputs.
    pub fn raw_after(&self, input: &Input<'_>, rounds: usize, session: &Session) -> Result<Vec<f64>> {
        let k = self.outputs();
        let trees = 0..rounds.saturating_mul(k);
        let start = &self.start;
        let mut scores = self.trees.sum(input, session, trees)?;
        scores.chunks_mut(k).for_each(|row| row.iter_mut().zip(start).for_each(|(s, &b)| *s += b));
        Ok(scores)
    }

    /// The target of a data set in the numbers of the loss; several targets follow each other.
    fn numbers_of(&self, target: &Target<'_>) -> Result<Vec<f64>> {
        if self.labels.is_empty() {
            let columns = (0..self.outputs()).map(|k| target.numbers_of(k));
            return Ok(columns.collect::<Result<Vec<&[f64]>>>()?.concat());
        }
        let (codes, labels) = target.class()?;
        let of = |l: &Label| self.labels.iter().position(|mine| mine == l).map_or(f64::NAN, |c| c as f64);
        let map: Vec<f64> = labels.iter().map(of).collect();
        Ok(codes.iter().map(|&c| map.get(c as usize).copied().unwrap_or(f64::NAN)).collect())
    }

    fn codes(&self, scores: &[f64]) -> Vec<u32> {
        match self.loss.outputs() {
            1 => scores.iter().map(|&s| u32::from(s > 0.0)).collect(),
            k => scores.chunks(k).map(|row| argmax(row) as u32).collect(),
        }
    }
}

impl Proba for BoostedTrees {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let mut scores = self.raw(input, session)?;
        self.loss.link(&mut scores);
        let k = self.labels.len();
        if self.loss.outputs() == 1 && k == 2 {
            scores = scores.iter().flat_map(|&p| [1.0 - p, p]).collect();
        }
        let n = scores.len() / k.max(1);
        Mat::from_vec(scores, n, k).ok_or_else(|| Error::shape("probabilities", n * k, 0))
    }
}

impl Decision for BoostedTrees {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let (scores, k) = (self.raw(input, session)?, self.loss.outputs());
        let n = scores.len() / k;
        Mat::from_vec(scores, n, k).ok_or_else(|| Error::shape("decision values", n * k, 0))
    }
}

impl Fitted for BoostedTrees {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let mut scores = self.raw(input, session)?;
        if !self.labels.is_empty() {
            return schema.prediction([self.codes(&scores)]);
        }
        self.loss.link(&mut scores);
        let k = self.outputs();
        let column = |c: usize| TargetColumn {
            name: schema.targets.get(c).and_then(|t| t.name.clone()),
            kind: TargetKind::Real,
            values: scores.iter().skip(c).step_by(k).copied().collect::<Vec<f64>>().into(),
        };
        Target::new((0..k).map(column).collect())
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            proba: (!self.labels.is_empty()).then_some(self),
            decision: (!self.labels.is_empty()).then_some(self),
            explain: (!self.trees.has_lines()).then_some(self as _),
            trees: Some(self),
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        // How a line shares its value among the features of a path and its own is not settled.
        let lines = "with linear_tree=true its leaves hold lines, and those of leaves with one number alone are exact; \
                     train with linear_tree=false";
        (ability == "explain").then(|| lines.to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        if !self.loss.has_mean() {
            return Ok(Vec::new());
        }
        let y = self.numbers_of(data.need_target("the model")?.as_ref())?;
        let weights = data.weights();
        let loss = self.mean_loss(&data.input(), &y, weights.as_deref(), session)?;
        Ok(vec![(LOSS.to_owned(), loss)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = self.gains.len();
        let splits = self.splits.iter().map(|&s| i64::from(s)).collect();
        let curve = |name, doc, values: &[f64]| Attribute::real(name, doc, &[values.len()], values.to_vec());
        vec![
            Attribute::int("n_iter_", "Rounds of boosting.", &[], vec![self.n_rounds() as i64]),
            Attribute::int(
                "n_trees_per_iteration_",
                "Trees of a round: one, or one for each class or target.",
                &[],
                vec![self.outputs() as i64],
            ),
            Attribute::real(
                "feature_importances_",
                "The share of all gain that each feature brought.",
                &[d],
                self.importances(),
            ),
            Attribute::int("feature_splits_", "How often each feature is split.", &[d], splits),
            curve(
                "train_score_",
                "The training loss, or score, by round, where stopping was watched.",
                &self.train_score,
            ),
            curve(
                "validation_score_",
                "The validation loss, or score, by round, from before the first.",
                &self.validation_score,
            ),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let k = self.outputs();
        let labels = schema.labels().map_or(&[][..], |l| l);
        let fits = match self.loss {
            Loss::Logistic | Loss::Exponential => labels.len() == 2,
            Loss::Softmax(k) => labels.len() == k as usize && k > 0,
            _ => labels.is_empty(),
        };
        if labels != self.labels || !fits {
            return Err("the classes of the trees are not those of the schema".to_owned());
        }
        let d = schema.n_features();
        // Only numbers have several targets.
        let targets = if self.labels.is_empty() { schema.targets.len().max(1) } else { self.loss.outputs() };
        if k != targets
            || self.gains.len() != d
            || self.splits.len() != d
            || !self.trees.n_trees().is_multiple_of(k)
        {
            return Err("the arrays of the boosted trees do not fit each other".to_owned());
        }
        if !self.start.iter().chain(&self.gains).all(|v| v.is_finite()) {
            return Err("a number of the boosted trees is not finite".to_owned());
        }
        self.trees.validate(schema, 1, k)
    }
}
