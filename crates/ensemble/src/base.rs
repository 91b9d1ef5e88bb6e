//! What ensembles share: their members, what these can do together, and how well the whole fits its training rows.

use mercer_core::{
    Capabilities, Certificate, Dataset, Error, Evidence, Input, Learner, Model, NestedLearner, NestedModel,
    Params, Result, Schema, Session, Steps, Task, Termination, catalogue,
};
use mercer_math::{Mat, Rng, Weights, argmax, by_weight, running_sums};
use mercer_measure::{Split, folds_in_order};
use rayon::prelude::*;

/// A learner of any kind.
pub(crate) type AnyLearner = Box<dyn Learner>;

/// The learner that is given, or the default by its name.
pub(crate) fn resolve(given: &Option<NestedLearner>, default: &str) -> Result<Box<dyn Learner>> {
    match given {
        Some(learner) => Ok(learner.0.clone()),
        None => catalogue::make_spec(default),
    }
}

/// What an ensemble can do, from what it gives of its own and what its members take: only what all of them take, and
/// whatever any of them depends on.
pub(crate) fn together(own: Capabilities, members: &[Capabilities]) -> Capabilities {
    let all = |of: fn(&Capabilities) -> bool| members.iter().all(of);
    let any = |of: fn(&Capabilities) -> bool| members.iter().any(of);
    Capabilities {
        weights: own.weights && all(|c| c.weights),
        sparse: all(|c| c.sparse),
        missing: all(|c| c.missing),
        categorical: all(|c| c.categorical),
        text: all(|c| c.text),
        times: all(|c| c.times),
        binary: own.binary || any(|c| c.binary),
        counts_rows: own.counts_rows || any(|c| c.counts_rows),
        ordered: own.ordered || any(|c| c.ordered),
        random: own.random || any(|c| c.random),
        ..own
    }
}

/// What an ensemble of one learner can do; a learner that cannot be made is told of by `check`.
pub(crate) fn together_with(own: Capabilities, given: &Option<NestedLearner>, default: &str) -> Capabilities {
    resolve(given, default).map_or(own, |learner| together(own, &[learner.capabilities()]))
}

/// Refuses a member that learns something else than the ensemble does, or cannot be made.
pub(crate) fn check_member<L: Params>(param: &str, member: &dyn Learner, task: Task) -> Result<()> {
    member.check()?;
    match member.task() == task {
        true => Ok(()),
        false => {
            let expected = format!("a learner for {task}");
            Err(Error::param(L::NAME, param, expected, member.declaration().name))
        }
    }
}

/// Refuses members without a name of their own, or none at all.
pub(crate) fn check_members<L: Params>(members: &Steps, task: Task) -> Result<()> {
    if members.0.is_empty() {
        return Err(Error::param(L::NAME, "estimators", "at least one learner", "[]"));
    }
    for (i, (name, member)) in members.0.iter().enumerate() {
        if members.0[..i].iter().any(|(other, _)| other == name) {
            return Err(Error::param(L::NAME, "estimators", "names that differ", name));
        }
        check_member::<L>("estimators", member.0.as_ref(), task)?;
    }
    Ok(())
}

/// What the members of an ensemble can do, each alone.
pub(crate) fn abilities(members: &Steps) -> Vec<Capabilities> {
    members.0.iter().map(|(_, member)| member.0.capabilities()).collect()
}

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

/// Folds in the order of the rows: by group where there are groups, else stratified for classes.
pub(crate) fn folds(data: &Dataset<'_>, k: usize, who: &str) -> Result<Vec<Split>> {
    let target = data.need_target(who)?;
    let codes = target.class().ok().map(|(codes, _)| codes);
    folds_in_order(data.n_rows(), k, codes, data.groups().as_deref())
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
pub(crate) fn certified(certificate: Certificate, (name, value): (&'static str, f64)) -> Certificate {
    let meaning = match name {
        ERROR => "share of the training weight that the ensemble predicts wrongly",
        _ => "mean of the squared errors on the training rows",
    };
    certificate.with_evidence(Evidence::value(name, value, meaning))
}

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

/// Rows drawn with replacement in proportion to their weights, in rising order; as many as have a weight, unless told.
pub(crate) fn draw(rng: &mut Rng, weights: &[f64], wanted: Option<usize>) -> Vec<usize> {
    let there: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    let sums = running_sums(there.iter().map(|&i| weights[i]));
    let wanted = wanted.unwrap_or(there.len());
    let mut rows: Vec<usize> = (0..wanted).map(|_| there[by_weight(rng, &sums)]).collect();
    rows.sort_unstable();
    rows
}
