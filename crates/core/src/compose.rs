//! What learners that are made of other learners share: resolving a base learner, what members take and keep together,
//! refusing members that do not fit, drawing rows by weight. Their inner folds stand beside the splitters, in `measure`.

use crate::abilities::Capabilities;
use crate::catalogue;
use crate::contract::Learner;
use crate::data_kinds::Kinds;
use crate::declaration::Task;
use crate::error::{Error, Result};
use crate::nested::{NestedLearner, Steps};
use mercer_math::{Rng, by_weight, running_sums};

/// Takes rows of any kind, and depends on nothing.
pub const ANY_ROWS: Capabilities = Capabilities {
    weights: true,
    sparse: true,
    missing: true,
    categorical: true,
    text: true,
    times: true,
    ..Capabilities::NONE
};

/// The learner that is given, or the default by its name.
pub fn resolve(given: &Option<NestedLearner>, default: &str) -> Result<Box<dyn Learner>> {
    match given {
        Some(learner) => Ok(learner.0.clone()),
        None => catalogue::make_spec(default),
    }
}

/// The kinds of data of the learner that is given, or the default by its name; rows where it cannot be made.
pub fn kinds(given: &Option<NestedLearner>, default: &str) -> Kinds {
    resolve(given, default).map_or(Kinds::ROWS, |learner| learner.kinds())
}

/// What a composite can do, from what it gives of its own and what its members take: only what all of them take, and
/// whatever any of them depends on.
pub fn together(own: Capabilities, members: &[Capabilities]) -> Capabilities {
    let all = |of: fn(&Capabilities) -> bool| members.iter().all(of);
    let any = |of: fn(&Capabilities) -> bool| members.iter().any(of);
    Capabilities {
        weights: own.weights && all(|c| c.weights),
        explain: own.explain && all(|c| c.explain),
        sparse: all(|c| c.sparse),
        missing: all(|c| c.missing),
        categorical: all(|c| c.categorical),
        text: all(|c| c.text),
        times: all(|c| c.times),
        binary: own.binary || any(|c| c.binary),
        scaled: any(|c| c.scaled),
        nonnegative: any(|c| c.nonnegative),
        counts: any(|c| c.counts),
        counts_rows: own.counts_rows || any(|c| c.counts_rows),
        ordered: own.ordered || any(|c| c.ordered),
        random: own.random || any(|c| c.random),
        ..own
    }
}

/// What a composite around one learner can do; a learner that cannot be made is told of by `check`.
pub fn together_with(own: Capabilities, given: &Option<NestedLearner>, default: &str) -> Capabilities {
    resolve(given, default).map_or(own, |learner| together(own, &[learner.capabilities()]))
}

/// What the members of a composite can do, each alone.
pub fn capabilities_of(members: &Steps) -> Vec<Capabilities> {
    members.0.iter().map(|(_, member)| member.0.capabilities()).collect()
}

/// Refuses a member that learns something else than the composite `owner` does, or cannot be made.
pub fn check_member(owner: &str, param: &str, member: &dyn Learner, task: Task) -> Result<()> {
    check_fit(owner, param, member, &format!("a learner for {task}"), |member| member.task() == task)
}

/// Refuses an `estimator` that does not fit the composite `owner`, which expects something of it, or cannot be made.
pub fn check_given(
    owner: &str,
    given: &Option<NestedLearner>,
    expected: &str,
    fits: impl Fn(&dyn Learner) -> bool,
) -> Result<()> {
    given.as_ref().map_or(Ok(()), |member| check_fit(owner, "estimator", member.0.as_ref(), expected, fits))
}

fn check_fit(
    owner: &str,
    param: &str,
    member: &dyn Learner,
    expected: &str,
    fits: impl Fn(&dyn Learner) -> bool,
) -> Result<()> {
    member.check()?;
    match fits(member) {
        true => Ok(()),
        false => Err(Error::param(owner, param, expected, member.declaration().name)),
    }
}

/// Refuses members without a name of their own, or none at all.
pub fn check_members(owner: &str, members: &Steps, task: Task) -> Result<()> {
    if members.0.is_empty() {
        return Err(Error::param(owner, "estimators", "at least one learner", "[]"));
    }
    for (i, (name, member)) in members.0.iter().enumerate() {
        if members.0[..i].iter().any(|(other, _)| other == name) {
            return Err(Error::param(owner, "estimators", "names that differ", name));
        }
        check_member(owner, "estimators", member.0.as_ref(), task)?;
    }
    Ok(())
}

/// Rows drawn with replacement in proportion to their weights, in rising order; as many as have a weight, unless told.
pub fn draw_by_weight(rng: &mut Rng, weights: &[f64], wanted: Option<usize>) -> Vec<usize> {
    let present: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    let sums = running_sums(present.iter().map(|&i| weights[i]));
    let wanted = wanted.unwrap_or(present.len());
    let mut rows: Vec<usize> = (0..wanted).map(|_| present[by_weight(rng, &sums)]).collect();
    rows.sort_unstable();
    rows
}
