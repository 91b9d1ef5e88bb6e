//! Exact Shapley values of ensembles that are sums: those of the members, each with its weight.
//!
//! Shapley values are linear in what is explained. A mean of members is explained by the mean of their values; where a
//! member counts through a function of what it says (its vote, the step of its leaf), by the values of that function,
//! which single trees give.

use mercer_core::{Contributions, Error, Input, Interactions, Model, OutputMap, Outputs, Result, Session};
use mercer_math::Mat;
use std::borrow::Cow;

/// A member, and how it counts.
pub(crate) struct Part<'m> {
    pub(crate) model: &'m dyn Model,
    /// The features that it sees, in rising order; empty for all.
    pub(crate) features: &'m [u32],
    /// The first output that it counts for.
    pub(crate) output: usize,
    pub(crate) weight: f64,
    /// What of it counts, unless it is what it says.
    pub(crate) output_map: Option<Box<OutputMap<'m>>>,
}

impl<'m> Part<'m> {
    /// A member that counts with what it says.
    pub(crate) fn of(model: &'m dyn Model, weight: f64) -> Self {
        Self { model, features: &[], output: 0, weight, output_map: None }
    }

    fn contributions(&self, whole: &Sum<'_>, input: &Input<'_>, session: &Session) -> Result<Contributions> {
        let input = narrow(input, self.features, whole.who)?;
        let asked = self.model.on(&input, session)?;
        if let Some(map) = &self.output_map {
            return asked.mapped_contributions(map);
        }
        let found = asked.contributions()?;
        match found.outputs == whole.member_outputs {
            true => Ok(found),
            false => Err(whole.incapable(self.model, "explains something else than what is averaged")),
        }
    }

    fn interactions(&self, whole: &Sum<'_>, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        let input = narrow(input, self.features, whole.who)?;
        let asked = self.model.on(&input, session)?;
        match &self.output_map {
            Some(map) => asked.mapped_interactions(map),
            None => asked.interactions(),
        }
    }

    /// The names of the features that are explained, where they are not the member's own but made of them.
    fn made(&self, found: &Contributions) -> Vec<String> {
        let own = self.model.schema().features.iter().map(|f| &f.name);
        if own.eq(&found.features) { Vec::new() } else { found.features.clone() }
    }

    /// The column of each of `width` features in the whole; features that a pipeline makes are the same in all members.
    fn places(&self, width: usize, made: bool) -> Vec<usize> {
        match self.features.is_empty() || made {
            true => (0..width).collect(),
            false => self.features.iter().map(|&j| j as usize).collect(),
        }
    }
}

/// The rows with some features alone; with all where none are named.
pub(crate) fn narrow<'i, 'a>(
    input: &'i Input<'a>,
    features: &[u32],
    who: &str,
) -> Result<Cow<'i, Input<'a>>> {
    if features.is_empty() {
        return Ok(Cow::Borrowed(input));
    }
    let kept: Vec<usize> = features.iter().map(|&j| j as usize).collect();
    Ok(Cow::Owned(Input::from(input.rows(who)?.columns(&kept)?)))
}

/// Which of the members does not explain itself, in words.
pub(crate) fn silent<'m>(members: impl Iterator<Item = &'m dyn Model>) -> String {
    let mut silent = members.filter(|m| !explains_mean(*m));
    match silent.next().map(|m| (m.declaration().name, m.abilities().explain.is_some())) {
        Some((name, true)) => format!("its member {name} explains its decision values, not what is averaged"),
        Some((name, false)) => format!("its member {name} does not explain itself"),
        None => "a member does not explain itself".to_owned(),
    }
}

/// Whether a model explains what an average of its kind is made of: numbers, or probabilities. A classifier that has
/// decision values explains those.
pub(crate) fn explains_mean(model: &dyn Model) -> bool {
    let can = model.abilities();
    can.explain.is_some() && can.decision.is_none()
}

/// An ensemble as a sum.
pub(crate) struct Sum<'m> {
    pub(crate) who: &'static str,
    pub(crate) parts: Vec<Part<'m>>,
    /// What is there before any member, for each output.
    pub(crate) start: Vec<f64>,
    /// What the ensemble explains.
    pub(crate) outputs: Outputs,
    /// What members explain that count with what they say.
    pub(crate) member_outputs: Outputs,
}

impl Sum<'_> {
    pub(crate) fn contributions(&self, input: &Input<'_>, session: &Session) -> Result<Contributions> {
        let (n, d) = (input.n_units().unwrap_or(0), input.rows(self.who)?.n_features());
        let mut base = self.start.clone();
        let mut values: Vec<Mat> = Vec::new();
        let mut features: Option<Vec<String>> = None;
        for part in &self.parts {
            let found = part.contributions(self, input, session)?;
            let made = part.made(&found);
            if features.as_ref().is_some_and(|features| *features != made) {
                return Err(self.incapable(part.model, "explains other features than those before it"));
            }
            let width = if made.is_empty() { d } else { made.len() };
            let places = part.places(width, !made.is_empty());
            values.resize_with(self.start.len(), || Mat::zeros(n, width));
            for (k, own) in found.values.iter().enumerate() {
                base[part.output + k] += part.weight * found.base[k];
                let into = &mut values[part.output + k];
                (0..n).for_each(|i| scatter(own.row(i), part.weight, &places, into.row_mut(i)));
            }
            features = Some(made);
        }
        values.resize_with(self.start.len(), || Mat::zeros(n, d));
        Ok(Contributions { features: features.unwrap_or_default(), outputs: self.outputs, base, values })
    }

    pub(crate) fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        let n = input.n_units().unwrap_or(0);
        // What is explained, and whether it can be, shows on any row.
        let first = self.contributions(&input.gather(&[0][..n.min(1)]), session)?;
        let width = first.values.first().map_or(0, Mat::n_cols);
        let mut all = vec![vec![Mat::zeros(width, width); n]; self.start.len()];
        for part in &self.parts {
            let places = part.places(width, !first.features.is_empty());
            for (k, rows) in part.interactions(self, input, session)?.iter().enumerate() {
                for (own, into) in rows.iter().zip(&mut all[part.output + k]) {
                    for (j, &place) in places.iter().enumerate() {
                        scatter(own.row(j), part.weight, &places, into.row_mut(place));
                    }
                }
            }
        }
        Ok(all)
    }

    fn incapable(&self, member: &dyn Model, why: &str) -> Error {
        let name = member.declaration().name;
        Error::incapable(self.who, format!("explain itself by exact contributions: its member {name} {why}"))
    }
}

/// Adds `weight` times a row, whose entries have these places in the other.
fn scatter(own: &[f64], weight: f64, places: &[usize], into: &mut [f64]) {
    own.iter().zip(places).for_each(|(v, &place)| into[place] += weight * v);
}

/// An ensemble that is a sum of what its members say, or of functions of it, explains itself as one.
macro_rules! explains_as_sum {
    ($model:ty) => {
        impl mercer_core::Explainer for $model {
            fn contributions(
                &self,
                input: &mercer_core::Input<'_>,
                session: &mercer_core::Session,
            ) -> mercer_core::Result<mercer_core::Contributions> {
                self.sum().contributions(input, session)
            }

            fn interactions(
                &self,
                input: &mercer_core::Input<'_>,
                session: &mercer_core::Session,
            ) -> mercer_core::Result<mercer_core::Interactions> {
                self.sum().interactions(input, session)
            }
        }
    };
}
pub(crate) use explains_as_sum;
