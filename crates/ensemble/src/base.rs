//! What ensembles share: their members, what these can do together, and how well the whole fits its training rows.

use mercer_core::{
    Certificate, Dataset, Evidence, Input, Learner, Model, NestedLearner, NestedModel, Result, Schema,
    Session, Steps, Termination,
};
use mercer_math::{Mat, Weights, argmax};
use rayon::prelude::*;

pub(crate) use mercer_core::compose::{
    capabilities_of, check_member, check_members, draw_by_weight, resolve, together, together_with,
};

/// A learner of any kind.
pub(crate) type AnyLearner = Box<dyn Learner>;

/// Trains every member on the same rows.
pub(crate) fn train_all(members: &Steps, data: &Dataset<'_>, session: &Session) -> Result<Vec<NestedModel>> {
    let one = |(i, (_, member)): (usize, &(String, NestedLearner))| {
        member.0.train(data, &session.split(i as u64).quiet()).map(NestedModel)
    };
    members.0.par_iter().with_max_len(1).enumerate().map(one).collect()
}

/// The codes of the classes that a model predicts.
pub(crate) fn codes(model: &dyn Model, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
    Ok(model.predict(input, session)?.class()?.0.to_vec())
}

/// The numbers that a model predicts.
pub(crate) fn numbers(model: &dyn Model, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
    Ok(model.predict(input, session)?.numbers()?.to_vec())
}

/// The most probable class of each row, the first of several.
pub(crate) fn most_probable(p: &Mat) -> Vec<u32> {
    (0..p.n_rows()).map(|i| argmax(p.row(i)) as u32).collect()
}

/// The name of the evidence of an ensemble of classifiers.
pub(crate) const ERROR: &str = "training error rate";
/// The name of the evidence of an ensemble of regressors.
pub(crate) const SQUARES: &str = "training mean squared error";

/// The evidence of how an ensemble fits its training rows, from its predictions of these.
pub(crate) fn fit_evidence(
    data: &Dataset<'_>,
    found: &mercer_core::Prediction,
    who: &str,
) -> Result<(&'static str, f64)> {
    let target = data.need_target(who)?;
    let weights = data.weights();
    let weight = Weights::of(&weights);
    let mean = |loss: &dyn Fn(usize) -> f64| {
        let (mut sum, mut total) = (0.0, 0.0);
        for i in (0..target.n_rows()).filter(|&i| weight.counts(i)) {
            sum += weight[i] * loss(i);
            total += weight[i];
        }
        sum / total
    };
    Ok(match target.class() {
        Ok((truth, labels)) => {
            // New rows may come with a dictionary of their own.
            let (codes, known) = found.class()?;
            let wrong = |i: usize| labels.get(truth[i] as usize) != known.get(codes[i] as usize);
            (ERROR, mean(&|i| f64::from(u8::from(wrong(i)))))
        }
        Err(_) => {
            let (truth, found) = (target.numbers()?, found.numbers()?);
            (SQUARES, mean(&|i| (truth[i] - found[i]).powi(2)))
        }
    })
}

/// A certificate with the certificates of the members inside, still without evidence.
pub(crate) fn certificate<'a>(
    termination: Termination,
    members: impl Iterator<Item = (String, &'a NestedModel)>,
) -> Certificate {
    let mut certificate = Certificate::new(termination);
    certificate.children = members.map(|(name, m)| (name, m.0.certificate().clone())).collect();
    certificate
}

/// The certificate with the evidence of the fit.
pub(crate) fn certified(
    certificate: Certificate,
    (name, value): (&'static str, f64),
    data: &Dataset<'_>,
) -> Result<Certificate> {
    let (meaning, scale) = match name {
        ERROR => ("share of the training weight that the ensemble predicts wrongly", 1.0),
        _ => ("mean of the squared errors on the training rows", data.target_spread(false)?),
    };
    Ok(certificate.with_evidence(Evidence::value(name, value, meaning).on_scale(scale)))
}

/// The members of a model that holds them as nested models: `members_of!(VotingModel, members)`.
macro_rules! members_of {
    ($model:ty, $($member:tt)+) => {
        impl mercer_core::Members for $model {
            fn n_members(&self) -> usize {
                self.$($member)+.len()
            }
            fn member(&self, i: usize, _: &dyn mercer_core::Model) -> mercer_core::Result<Box<dyn mercer_core::Model>> {
                Ok(self.$($member)+[i].0.clone_box())
            }
        }
    };
}
pub(crate) use members_of;

/// Whether a member of a loaded ensemble predicts what the ensemble does, from as many features.
pub(crate) fn fits(member: &NestedModel, schema: &Schema) -> bool {
    let own = member.0.schema();
    own.kind == schema.kind && own.n_features() == schema.n_features() && same_target(member, schema)
}

/// Whether a member predicts the same target, with the same classes.
pub(crate) fn same_target(member: &NestedModel, schema: &Schema) -> bool {
    let own = member.0.schema();
    own.targets.len() == 1 && schema.targets.len() == 1 && own.targets[0].kind == schema.targets[0].kind
}
