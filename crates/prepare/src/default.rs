//! The default preparation: what a learner needs before it can take a table as people have it.

use crate::encode::{HandleUnknown, OneHotEncoder};
use crate::imputer::{ImputeStrategy, SimpleImputer};
use crate::pipeline::Pipeline;
use crate::scaler::StandardScaler;
use crate::select::SelectColumns;
use mercer_core::{Column, DataKind, Learner, NestedLearner, Params, Result, Steps, Table};

/// A learner with its preparation in front, and what was decided for the user.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The pipeline, or the bare learner where it needs nothing.
    pub learner: Box<dyn Learner>,
    /// A sentence for each decision.
    pub notes: Vec<String>,
}

/// Puts in front of `learner` what it needs to take `table`: text and all-missing columns dropped, missing
/// values imputed, categories encoded, numbers scaled where scale matters.
pub fn prepared(learner: Box<dyn Learner>, table: &Table<'_>) -> Result<Prepared> {
    let plain = learner.takes() != DataKind::Rows || learner.declaration().name == Pipeline::NAME;
    if plain {
        return Ok(Prepared { learner, notes: Vec::new() });
    }
    let can = learner.capabilities();
    let mut steps: Vec<(String, NestedLearner)> = Vec::new();
    let mut notes = Vec::new();
    let mut push = |name: &str, step: Box<dyn Learner>| steps.push((name.to_owned(), NestedLearner(step)));
    let unusable = |c: &Column<'_>| (matches!(c, Column::Text(_)) && !can.text) || (c.n_missing() == c.len());
    let dropped: Vec<String> =
        table.iter().filter(|(_, c)| unusable(c)).map(|(name, _)| name.to_owned()).collect();
    if !dropped.is_empty() {
        notes.push(format!("left out {} (free text or nothing but missing values)", quoted(&dropped)));
        push("select", Box::new(SelectColumns::default().drop(dropped.clone())));
    }
    let kept: Vec<&Column<'_>> = table
        .iter()
        .filter(|(name, _)| !dropped.iter().any(|d| d == name))
        .map(|(_, c)| c.as_ref())
        .collect();
    let categorical = kept.iter().any(|c| matches!(c, Column::Categorical { .. }));
    if !can.missing {
        // Always there: new rows may lack values even when training rows do not.
        if kept.iter().any(|c| c.n_missing() > 0) {
            notes.push("missing values: median of numbers, most frequent level of categories".to_owned());
        }
        push("impute", Box::new(SimpleImputer::default().strategy(ImputeStrategy::Median)));
    }
    if categorical && !can.categorical {
        let levels: usize = kept
            .iter()
            .map(|c| if let Column::Categorical { levels, .. } = c { levels.len() } else { 0 })
            .sum();
        let sparse = levels > 200 && can.sparse;
        notes.push(format!("categories: one-hot, {levels} levels"));
        push(
            "encode",
            Box::new(OneHotEncoder::default().handle_unknown(HandleUnknown::Ignore).sparse_output(sparse)),
        );
        if scale_matters(learner.as_ref()) {
            push("scale", Box::new(StandardScaler::default().with_mean(!sparse)));
        }
    } else if scale_matters(learner.as_ref()) {
        push("scale", Box::<StandardScaler>::default());
    }
    if steps.is_empty() {
        return Ok(Prepared { learner, notes });
    }
    steps.push((learner.declaration().alias().to_owned(), NestedLearner(learner)));
    Ok(Prepared { learner: Box::new(Pipeline { steps: Steps(steps) }), notes })
}

/// Trees and baselines split or count; everything else that takes plain numbers measures distances or
/// penalises coefficients, and so needs its features on one scale.
fn scale_matters(learner: &dyn Learner) -> bool {
    let declaration = learner.declaration();
    let splits_or_counts = matches!(declaration.python, "tree" | "dummy" | "ensemble");
    !splits_or_counts && declaration.python != "preprocessing" && declaration.python != "impute"
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}
