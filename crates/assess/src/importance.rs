//! Permutation importance: what a model loses when one column is shuffled.

use crate::Answers;
use crate::dependence::Exchange;
use mercer_core::{Dataset, Model, Result, Session};
use mercer_math::shuffle;
use mercer_measure::Metric;

/// The importance of one column.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// The column.
    pub name: String,
    /// Its place among the columns.
    pub column: usize,
    /// The loss of each repeat.
    pub losses: Vec<f64>,
    /// The mean loss over the repeats, in units of the metric; positive means that the column helps.
    pub mean: f64,
    /// The smallest and largest loss over the repeats.
    pub range: (f64, f64),
}

/// The order in which the values of a column stand in one of some repeats.
pub fn shuffled(n: usize, column: usize, repeat: usize, repeats: usize, session: &Session) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    shuffle(&mut session.rng((column * repeats.max(1000) + repeat) as u64), &mut order);
    order
}

/// Permutation importance of every column (Breiman 2001, section 10), most important first.
pub fn permutation_importance(
    model: &dyn Model,
    data: &Dataset<'_>,
    metric: &Metric,
    repeats: usize,
    session: &Session,
) -> Result<Vec<Importance>> {
    permutation_importance_against(model, data, &Answers::of(model, data, session)?, metric, repeats, session)
}

/// The same where the answers for the rows as they are are at hand.
pub fn permutation_importance_against(
    model: &dyn Model,
    data: &Dataset<'_>,
    answers: &Answers,
    metric: &Metric,
    repeats: usize,
    session: &Session,
) -> Result<Vec<Importance>> {
    let reference = answers.score(metric)?;
    let rows = data.rows(model.declaration().name)?;
    let exchange = Exchange::new(&rows)?;
    let mut out = Vec::new();
    for (j, (name, column)) in exchange.columns().enumerate() {
        let mut losses = Vec::new();
        for repeat in 0..repeats.max(1) {
            if session.interrupted().is_some() {
                break;
            }
            let order = shuffled(column.len(), j, repeat, repeats, session);
            let input = exchange.with(name, column.gather(&order))?;
            let score = Answers::of(model, &data.with_input(input)?, session)?.score(metric)?;
            losses.push(if metric.greater_is_better { reference - score } else { score - reference });
        }
        if losses.is_empty() {
            break;
        }
        let range = losses.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |r, &l| (r.0.min(l), r.1.max(l)));
        out.push(Importance {
            name: name.to_owned(),
            column: j,
            mean: losses.iter().sum::<f64>() / losses.len() as f64,
            range,
            losses,
        });
    }
    out.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    Ok(out)
}
