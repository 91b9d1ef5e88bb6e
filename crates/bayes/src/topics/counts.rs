//! Rows of counts: what topic models refuse, and the priors that they share.

use crate::naive::Smoothing;
use mercer_core::{Error, ErrorKind, NumbersRef, Result, Rows};

/// Refuses the first value that is negative or, where counts must be `whole`, no whole number; by row and column.
pub(super) fn refuse(learner: &str, rows: &Rows<'_>, whole: bool) -> Result<()> {
    let numbers = rows.numbers(learner)?;
    let bad = |v: f64| complaint(v, whole).is_some();
    let found = match numbers.view() {
        NumbersRef::Dense(x) => x.find(bad).map(|(i, j)| (i, j, x.get(i, j))),
        NumbersRef::Sparse(x) if !x.values().iter().any(|v| bad(*v)) => None,
        NumbersRef::Sparse(x) => (0..x.n_rows()).find_map(|i| {
            let (columns, values) = x.row(i);
            values.iter().position(|v| bad(*v)).map(|at| (i, columns[at] as usize, values[at]))
        }),
    };
    let Some((row, j, v)) = found else { return Ok(()) };
    let value = complaint(v, whole).unwrap_or_default();
    let (learner, column, hint) = (learner.to_owned(), rows.name(j), String::new());
    Err(ErrorKind::BadValue { learner, value, column, row, hint }.into())
}

fn complaint(v: f64, whole: bool) -> Option<String> {
    if v < 0.0 {
        Some(format!("the negative value {v}"))
    } else if whole && (v.fract() != 0.0 || v > f64::from(u32::MAX)) {
        Some(format!("{v}, which is no count: LatentDirichletAllocation takes any weights of words"))
    } else {
        None
    }
}

/// The prior of each of `k` topics; 1/k each where it is not given.
pub(super) fn prior_of(
    learner: &str,
    given: &Option<Smoothing>,
    k: usize,
    otherwise: f64,
) -> Result<Vec<f64>> {
    match given {
        None => Ok(vec![otherwise; k]),
        Some(Smoothing::One(alpha)) => Ok(vec![*alpha; k]),
        Some(Smoothing::Each(alphas)) if alphas.len() == k => Ok(alphas.clone()),
        Some(Smoothing::Each(alphas)) => {
            let expected = format!("a number, or one for each of {k} topics");
            Err(Error::param(learner, "doc_topic_prior", expected, format!("{} numbers", alphas.len())))
        }
    }
}

/// Refuses more topics by words than memory holds.
pub(super) fn check_size(learner: &str, k: usize, d: usize) -> Result<()> {
    if k.saturating_mul(d.max(1)) > 1 << 31 {
        let expected = format!("at most {} for {d} words", (1usize << 31) / d.max(1));
        return Err(Error::param(learner, "n_components", expected, k));
    }
    Ok(())
}
