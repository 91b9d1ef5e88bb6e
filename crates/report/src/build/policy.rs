//! The policy of a planner: the value of each state, and what is done there.

use super::Subject;
use crate::model::Report;
use crate::tasks::{Policy, StateRow};
use mercer_core::{AttributeValues, Input, Result};

/// The value of each state, and what is done there.
pub(super) fn add(subject: &Subject<'_>, report: &mut Report) -> Result<()> {
    let states = subject.model.attributes().into_iter().find(|a| a.name == "states_").map(|a| a.values);
    let (Some((values, _)), Some(AttributeValues::Text(states))) = (subject.numbers("values_"), states)
    else {
        return Ok(());
    };
    let actions = subject.model.predict(&Input::Strings(states.as_slice().into()), subject.session)?;
    let row = |(i, state): (usize, &String)| StateRow {
        state: state.clone(),
        value: values[i],
        action: actions.columns()[0].text(i),
    };
    report.policy = Some(Policy { grid: None, states: states.iter().enumerate().map(row).collect() });
    Ok(())
}
