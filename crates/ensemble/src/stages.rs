//! What gradient boosting learns: stages of weak learners, each with its steps.

use crate::base;
use crate::explain::{Part, Sum, explains_as_sum};
use crate::line::Objective;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Evidence, Fitted, Input, Members, Model,
    NestedModel, Outputs, Prediction, Proba, Result, Schema, Session, Termination,
};
use mercer_math::{Mat, Weights};
use mercer_measure::{Loss, class_probabilities};
use serde::{Deserialize, Serialize};

/// How scores become predictions, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Link {
    /// They are predictions.
    Identity,
    /// The second class where positive; probabilities by the sigmoid of the score times this, unless 0.
    Sign(f64),
    /// Softmax.
    Softmax,
}

/// Stages of weak learners, each with its steps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StagesModel {
    pub(crate) start: Vec<f64>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) learning_rate: f64,
    pub(crate) link: Link,
    pub(crate) loss: String,
    /// The mean training loss after each round.
    pub train_score: Vec<f64>,
    /// The mean loss on validation rows after each round, where there are any.
    pub validation_score: Vec<f64>,
    /// The mean loss on the rows that a round did not draw, before and after it; empty where all are drawn.
    pub out_of_bag: Vec<(f64, f64)>,
    pub(crate) certificate: Certificate,
}

/// One weak learner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stage {
    pub(crate) member: NestedModel,
    /// The score to which it is added.
    pub(crate) class: u32,
    /// The values that it predicts in training, rising; empty for one step for all.
    pub(crate) values: Vec<f64>,
    /// The step for each, or the one step.
    pub(crate) steps: Vec<f64>,
}

const LOSS: &str = "training loss";

impl Stage {
    /// How far a row goes for which the member says `h`; values that training did not see go with the nearest.
    pub(crate) fn step(&self, h: f64) -> f64 {
        if self.values.is_empty() {
            return self.steps[0] * h;
        }
        let at = self.values.partition_point(|v| *v < h).min(self.values.len() - 1);
        let before = at.saturating_sub(1);
        let nearer = (h - self.values[before]).abs() < (self.values[at] - h).abs();
        self.steps[if nearer { before } else { at }]
    }

    fn is_valid(&self, schema: &Schema, width: usize) -> bool {
        let own = self.member.0.schema();
        own.kind == schema.kind
            && own.n_features() == schema.n_features()
            && own.targets.len() == 1
            && own.labels().is_none()
            && (self.class as usize) < width
            && self.steps.len() == self.values.len().max(1)
            && self.values.windows(2).all(|v| v[0] < v[1])
    }
}

impl StagesModel {
    /// Adds stages to scores.
    pub(crate) fn add(
        &self,
        stages: &[Stage],
        input: &Input<'_>,
        scores: &mut Mat,
        session: &Session,
    ) -> Result<()> {
        for stage in stages {
            for (i, h) in base::numbers(stage.member.0.as_ref(), input, session)?.into_iter().enumerate() {
                scores[(i, stage.class as usize)] += self.learning_rate * stage.step(h);
            }
        }
        Ok(())
    }

    fn scores(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let mut scores = Mat::from_fn(input.n_units().unwrap_or(0), self.start.len(), |_, k| self.start[k]);
        self.add(&self.stages, input, &mut scores, session)?;
        Ok(scores)
    }

    /// The scores as a sum, for explanations: with one step for all rows of what members say, else of the steps of
    /// their leaves.
    fn sum(&self) -> Sum<'_> {
        let parts = self.stages.iter().map(|stage| {
            let (output, plain) =
                (stage.class as usize, Part::of(stage.member.0.as_ref(), self.learning_rate));
            match stage.values.is_empty() {
                true => Part { output, weight: self.learning_rate * stage.steps[0], ..plain },
                false => {
                    Part { output, output_map: Some(Box::new(|h: &[f64]| vec![stage.step(h[0])])), ..plain }
                }
            }
        });
        Sum {
            who: "gradient boosting",
            parts: parts.collect(),
            start: self.start.clone(),
            outputs: if self.link == Link::Identity { Outputs::Numbers } else { Outputs::Scores },
            member_outputs: Outputs::Numbers,
        }
    }

    fn objective(&self) -> Result<Objective> {
        match self.link {
            Link::Softmax => Ok(Objective::Softmax(self.start.len())),
            _ => Loss::parse(&self.loss).map(Objective::One),
        }
    }

    /// How training ended, and the loss on all its rows.
    pub(crate) fn certify(&mut self, end: Termination, data: &Dataset<'_>, session: &Session) -> Result<()> {
        let loss = self.loss_on(data, session)?;
        let meaning = "the mean loss on the training rows";
        self.certificate = Certificate::new(end)
            .with_iterations(self.train_score.len() as u64)
            .with_objective(loss)
            .with_evidence(Evidence::value(LOSS, loss, meaning).on_scale(self.constant_loss(data)?));
        Ok(())
    }

    /// The loss of a constant a ten-thousandth beside the start: what learning nothing costs.
    fn constant_loss(&self, data: &Dataset<'_>) -> Result<f64> {
        let objective = self.objective()?;
        let y = objective.truth(&*data.need_target("gradient boosting")?)?;
        let w = Weights::of(&data.weights()).to_vec(y.len());
        let scores = Mat::from_fn(y.len(), self.start.len(), |_, k| self.start[k] * 1.0001);
        Ok(objective.value(&scores, &y, &w).abs())
    }

    fn loss_on(&self, data: &Dataset<'_>, session: &Session) -> Result<f64> {
        let objective = self.objective()?;
        let y = objective.truth(&*data.need_target("gradient boosting")?)?;
        let w = Weights::of(&data.weights()).to_vec(y.len());
        Ok(objective.value(&self.scores(&data.input(), session)?, &y, &w))
    }
}

explains_as_sum!(StagesModel);

impl Decision for StagesModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.scores(input, session)
    }
}

impl Proba for StagesModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let scale = if let Link::Sign(factor) = self.link { factor } else { 1.0 };
        Ok(class_probabilities(self.scores(input, session)?, scale))
    }
}

impl Members for StagesModel {
    fn n_members(&self) -> usize {
        self.stages.len()
    }
    fn member(&self, i: usize, _: &dyn Model) -> Result<Box<dyn Model>> {
        Ok(self.stages[i].member.0.clone_box())
    }
}

impl Fitted for StagesModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let scores = self.scores(input, session)?;
        match self.link {
            Link::Identity => schema.prediction([scores.into_vec()]),
            Link::Softmax => schema.prediction([base::most_probable(&scores)]),
            Link::Sign(_) => schema.prediction([scores
                .as_slice()
                .iter()
                .map(|z| u32::from(*z > 0.0))
                .collect::<Vec<u32>>()]),
        }
    }

    fn abilities(&self) -> Abilities<'_> {
        let explained = self.stages.first().is_none_or(|stage| {
            let can = stage.member.0.abilities();
            if stage.values.is_empty() { can.explain.is_some() } else { can.explain_mapped.is_some() }
        });
        Abilities {
            proba: (self.link != Link::Identity && self.link != Link::Sign(0.0)).then_some(self as _),
            decision: (self.link != Link::Identity).then_some(self as _),
            explain: explained.then_some(self as _),
            members: Some(self),
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        let silent = || crate::explain::silent(self.stages.iter().map(|s| s.member.0.as_ref()));
        (ability == "explain").then(|| match self.stages.first().is_some_and(|s| !s.values.is_empty()) {
            true => "steps of leaves are explained exactly for single decision trees alone".to_owned(),
            false => silent(),
        })
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        Ok(vec![(LOSS.to_owned(), self.loss_on(data, session)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = self.train_score.len();
        let mut all = vec![
            Attribute::int("n_estimators_", "Rounds of boosting.", &[], vec![n as i64]),
            Attribute::real(
                "train_score_",
                "The mean training loss after each.",
                &[n],
                self.train_score.clone(),
            ),
        ];
        if !self.validation_score.is_empty() {
            let doc = "The mean loss on validation rows after each.";
            let (n, values) = (self.validation_score.len(), self.validation_score.clone());
            all.push(Attribute::real("validation_score_", doc, &[n], values));
        }
        if let Some((_, last)) = self.out_of_bag.last() {
            let after: Vec<f64> = self.out_of_bag.iter().map(|(_, after)| *after).collect();
            let gains = self.out_of_bag.iter().map(|(before, after)| before - after).collect();
            let [each, gain, end] = [
                "The mean loss on the rows that each round did not draw.",
                "By how much each round lowered the loss on the rows that it did not draw.",
                "The last of the losses on rows that were not drawn.",
            ];
            all.push(Attribute::real("oob_scores_", each, &[after.len()], after));
            all.push(Attribute::real("oob_improvement_", gain, &[self.out_of_bag.len()], gains));
            all.push(Attribute::real("oob_score_", end, &[], vec![*last]));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let classes = schema.labels().map(|l| l.len());
        let width = match self.link {
            Link::Identity if classes.is_none() => 1,
            Link::Sign(_) if classes == Some(2) => 1,
            Link::Softmax => classes.unwrap_or(0),
            _ => 0,
        };
        let ok = width > 0
            && self.start.len() == width
            && self.objective().is_ok()
            && self.stages.iter().all(|s| s.is_valid(schema, width));
        if ok { Ok(()) } else { Err("stages that do not fit the schema".to_owned()) }
    }
}
