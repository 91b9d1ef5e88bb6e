//! What one against the rest learns: a model of many classes for each target.

use super::model::MulticlassModel;
use crate::base;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Error, Evidence, Fitted, Input, Members, Model,
    Prediction, Proba, Result, Schema, Session, Target, Termination,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// Models of two classes that tell many apart, for one target or for several labels at once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OneVsRestModel {
    targets: Vec<MulticlassModel>,
    certificate: Certificate,
}

const HAMMING: &str = "training Hamming loss";

/// The data with one of their targets.
pub(super) fn one_target<'a>(who: &str, data: &Dataset<'a>, t: usize) -> Result<Dataset<'a>> {
    let target = data.need_target(who)?;
    if target.n_columns() == 1 {
        return Ok(data.clone());
    }
    let column = target.columns().get(t).cloned().into_iter().collect();
    data.with_input(data.input())?.with_target(Target::new(column)?)
}

impl OneVsRestModel {
    /// The models of all targets together, with their certificate.
    pub(super) fn new(targets: Vec<MulticlassModel>, data: &Dataset<'_>, session: &Session) -> Result<Self> {
        let ended = session.interrupted().unwrap_or(Termination::Exact);
        let mut model = Self { targets, certificate: Certificate::new(ended) };
        match model.targets.as_slice() {
            [one] => model.certificate = one.certificate().clone(),
            several => {
                let target = data.need_target("a classifier of many classes")?;
                let name =
                    |t: usize| target.columns()[t].name.clone().unwrap_or_else(|| format!("target {t}"));
                let children =
                    several.iter().enumerate().map(|(t, m)| (name(t), m.certificate().clone())).collect();
                let meaning = "share of the training labels that are predicted wrongly, by weight";
                let loss = model.loss(data, session)?;
                model.certificate.children = children;
                model.certificate =
                    model.certificate.with_evidence(Evidence::value(HAMMING, loss, meaning).on_scale(1.0));
            }
        }
        Ok(model)
    }

    /// The mean error rate of the targets.
    fn loss(&self, data: &Dataset<'_>, session: &Session) -> Result<f64> {
        let who = "a classifier of many classes";
        let mut sum = 0.0;
        for (t, model) in self.targets.iter().enumerate() {
            let own = one_target(who, data, t)?;
            sum += base::fit_evidence(&own, &model.found(&own.input(), session)?, who)?.1;
        }
        Ok(sum / self.targets.len() as f64)
    }

    /// What each target's model says, side by side.
    fn side_by_side(&self, n: usize, of: impl Fn(&MulticlassModel) -> Result<Mat>) -> Result<Mat> {
        let parts = self.targets.iter().map(of).collect::<Result<Vec<_>>>()?;
        let mut out = Mat::zeros(n, parts.iter().map(Mat::n_cols).sum());
        for i in 0..n {
            let values = parts.iter().flat_map(|p| p.row(i));
            out.row_mut(i).iter_mut().zip(values).for_each(|(o, v)| *o = *v);
        }
        Ok(out)
    }
}

impl Proba for OneVsRestModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.side_by_side(input.n_units().unwrap_or(0), |m| m.probabilities(input, session))
    }
}

impl Decision for OneVsRestModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.side_by_side(input.n_units().unwrap_or(0), |m| m.decisions(input, session))
    }
}

impl Members for OneVsRestModel {
    fn n_members(&self) -> usize {
        self.targets.iter().map(Members::n_members).sum()
    }

    fn member(&self, mut i: usize, whole: &dyn Model) -> Result<Box<dyn Model>> {
        for target in &self.targets {
            if i < target.n_members() {
                return target.member(i, whole);
            }
            i -= target.n_members();
        }
        Err(Error::shape("a member below", self.n_members(), i + self.n_members()))
    }
}

impl Fitted for OneVsRestModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let codes = self.targets.iter().map(|m| m.codes(input, session)).collect::<Result<Vec<_>>>()?;
        schema.prediction(codes)
    }

    fn abilities(&self) -> Abilities<'_> {
        let each: Vec<Abilities<'_>> = self.targets.iter().map(Fitted::abilities).collect();
        Abilities {
            proba: each.iter().all(|a| a.proba.is_some()).then_some(self as _),
            decision: each.iter().all(|a| a.decision.is_some()).then_some(self as _),
            members: Some(self),
            ..Abilities::default()
        }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        match self.targets.as_slice() {
            [one] => one.reprove(data, session),
            _ => Ok(vec![(HAMMING.to_owned(), self.loss(data, session)?)]),
        }
    }

    fn attributes(&self) -> Vec<Attribute> {
        match self.targets.as_slice() {
            [one] => one.attributes(),
            several => {
                let labels =
                    Attribute::int("n_classes_", "Number of labels.", &[], vec![several.len() as i64]);
                let doc = "Whether the target is several labels at once.";
                vec![labels, Attribute::int("multilabel_", doc, &[], vec![1])]
            }
        }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        match self.targets.as_slice() {
            [one] => one.validate(schema),
            several if several.len() == schema.targets.len() && !several.is_empty() => {
                let fits = |(model, target): (&MulticlassModel, &mercer_core::TargetSchema)| {
                    let labels = target.kind.labels().ok_or("a target without classes")?;
                    model.suits(schema, labels)
                };
                several.iter().zip(&schema.targets).try_for_each(fits)
            }
            _ => Err("models that do not fit the targets".to_owned()),
        }
    }
}
