//! What is proved of a machine, by name.

use super::form::{Form, Standing};
use super::machine::Machine;
use mercer_core::Evidence;

const GAP: &str = "relative duality gap";
const VIOLATION: &str = "KKT violation";
const LEFT_OUT: &str = "leave-one-out bound";
const SHARE: &str = "share of support vectors";
const MARGIN: &str = "margin";

/// The evidence of a standing.
pub(crate) fn of(machine: &Machine, standing: &Standing, support: usize, n: usize) -> Vec<Evidence> {
    let gap = "the objective is at most this share of that of a constant above its minimum";
    let violation = "largest difference of two slopes that should be the other way round, in units of the margin or the target";
    let mut all = vec![
        Evidence::bound(GAP, standing.relative_gap(), gap),
        Evidence::residual(VIOLATION, standing.violation, violation).on_scale(standing.unit),
    ];
    let share = support as f64 / n.max(1) as f64;
    match machine.form {
        Form::Classes { .. } | Form::NuClasses { .. } => {
            let told = "share of support vectors: leaving out one row at a time, no larger share of them is mistaken";
            all.push(Evidence::bound(LEFT_OUT, share, told));
            let told = "1/|w|, half the width of the street between two classes in the kernel's space; the narrowest";
            all.push(Evidence::value(MARGIN, margin(standing), told).on_scale(margin(standing)));
        }
        Form::Numbers { .. } | Form::NuNumbers { .. } | Form::OneClass { .. } => {
            all.push(Evidence::value(SHARE, share, "share of the rows that the model keeps"));
        }
    }
    // A hard margin that was stopped before all rows were on their side has no gap.
    all.retain(|e| e.value.is_finite());
    all
}

fn margin(standing: &Standing) -> f64 {
    1.0 / standing.square.max(0.0).sqrt()
}

/// The same numbers, found anew.
pub(crate) fn again(standing: &Standing, support: usize, n: usize) -> Vec<(String, f64)> {
    let share = support as f64 / n.max(1) as f64;
    let all = [
        (GAP, standing.relative_gap()),
        (VIOLATION, standing.violation),
        (LEFT_OUT, share),
        (SHARE, share),
        (MARGIN, margin(standing)),
    ];
    all.map(|(name, value)| (name.to_owned(), value)).into()
}
