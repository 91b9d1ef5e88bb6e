//! Counts of features by class: the sums behind the Bernoulli, the multinomial and the complement model.

use mercer_core::sums::{self, Block, BySums, Round, Shape};
use mercer_core::{Dataset, Error, ErrorKind, NumbersRef, Result, Session};
use mercer_math::{BLOCK_ROWS, CsrRef, Mat, MatRef, axpy, prefetch, tree_reduce};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What a value of a feature counts for, and what is made of the counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Event {
    /// As often as it says, in a row of so many draws.
    Multinomial,
    /// The same, by the other classes.
    Complement { norm: bool },
    /// Once or not at all: where it is above a threshold, or as it is.
    Bernoulli { binarize: Option<f64> },
}

impl Event {
    /// The learner, for errors.
    pub(super) fn name(self) -> &'static str {
        match self {
            Event::Multinomial => "MultinomialNB",
            Event::Complement { .. } => "ComplementNB",
            Event::Bernoulli { .. } => "BernoulliNB",
        }
    }

    /// What a value counts for.
    #[inline]
    pub(super) fn count(self, v: f64) -> f64 {
        match self {
            Event::Bernoulli { binarize: Some(threshold) } => f64::from(u8::from(v > threshold)),
            Event::Multinomial | Event::Complement { .. } | Event::Bernoulli { binarize: None } => v,
        }
    }

    /// Whether counts are not the values themselves.
    pub(super) fn counts_otherwise(self) -> bool {
        matches!(self, Event::Bernoulli { binarize: Some(_) })
    }

    /// Whether a value is no count.
    #[inline]
    fn refuses(self, v: f64) -> bool {
        match self {
            Event::Multinomial | Event::Complement { .. } => v < 0.0,
            Event::Bernoulli { binarize: Some(_) } => false,
            Event::Bernoulli { binarize: None } => !(0.0..=1.0).contains(&v),
        }
    }

    /// What is wrong with a value that is no count.
    fn complaint(self, v: f64) -> String {
        match self {
            Event::Bernoulli { .. } => format!("{v}, which is not between 0 and 1"),
            Event::Multinomial | Event::Complement { .. } => format!("the negative value {v}"),
        }
    }
}

/// How often each feature occurs in each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountSums {
    /// The weight of the rows of each class.
    pub(super) class: Vec<f64>,
    /// The weighted counts, classes × features.
    pub(super) feature: Mat,
}

impl CountSums {
    pub(super) fn add(&mut self, other: &Self) {
        axpy(1.0, &other.class, &mut self.class);
        axpy(1.0, other.feature.as_slice(), self.feature.as_mut_slice());
    }

    fn absorb(&mut self, event: Event, block: &Block<'_>) -> Result<()> {
        match block.x {
            NumbersRef::Dense(x) => self.absorb_dense(event, x, block),
            NumbersRef::Sparse(x) => {
                for (i, &c) in block.classes.iter().enumerate() {
                    let (w, (columns, values)) = (block.weight(i), x.row(i));
                    self.class[c as usize] += w;
                    let counts = self.feature.row_mut(c as usize);
                    for (&j, &v) in columns.iter().zip(values) {
                        if event.refuses(v) {
                            return Err(refusal(event, v, j as usize));
                        }
                        counts[j as usize] += w * event.count(v);
                    }
                }
                Ok(())
            }
        }
    }

    fn absorb_dense(&mut self, event: Event, x: MatRef<'_>, block: &Block<'_>) -> Result<()> {
        let turned = (!x.has_contiguous_rows()).then(|| x.to_mat());
        let x = turned.as_ref().map_or(x, Mat::view);
        for (i, &c) in block.classes.iter().enumerate() {
            let (w, row) = (block.weight(i), x.row_cow(i));
            self.class[c as usize] += w;
            if let Some(j) = row.iter().position(|v| event.refuses(*v)) {
                return Err(refusal(event, row[j], j));
            }
            let counts = self.feature.row_mut(c as usize);
            match event {
                Event::Bernoulli { binarize: Some(threshold) } => mercer_math::wide(|| {
                    counts
                        .iter_mut()
                        .zip(&*row)
                        .for_each(|(n, v)| *n += if *v > threshold { w } else { 0.0 });
                }),
                _ => axpy(w, &row, counts),
            }
        }
        Ok(())
    }
}

/// Of a stream no row is known, and the column only by its place.
fn refusal(event: Event, v: f64, column: usize) -> Error {
    Error::numeric(event.name(), format!("{} in column {column} is no count", event.complaint(v)))
}

/// The counts of all rows. A value that is no count is refused by row and column.
pub(super) fn count(event: Event, data: &Dataset<'_>, session: &Session) -> Result<CountSums> {
    let counted = match data.numbers(event.name())?.view() {
        NumbersRef::Dense(_) => sums::fit(event.name(), &Tally(event), data, session),
        NumbersRef::Sparse(x) => by_class(event, x, data, session),
    };
    counted.map_err(|error| named(event, data).unwrap_or(error))
}

/// Rows of a class that one task adds up.
const PIECE: usize = 16 * BLOCK_ROWS;

/// The counts of sparse rows, class by class: the table of one class stays in the cache of a processor, where tables of all classes do not, and
/// little is merged. Pieces of many rows are merged in a tree that threads do not change.
fn by_class(event: Event, x: CsrRef<'_>, data: &Dataset<'_>, session: &Session) -> Result<CountSums> {
    if session.step("round", 0, None, None).is_some() {
        return Err(ErrorKind::Cancelled.into());
    }
    let target = data.need_target(event.name())?;
    let (codes, labels) = target.class()?;
    let own = data.weights();
    let (k, d) = (labels.len(), x.n_cols());
    let mut rows = vec![Vec::new(); k];
    for (i, c) in codes.iter().enumerate() {
        rows[*c as usize].push(i);
    }
    let one = |rows: &[usize], counts: &mut [f64]| match session.interrupted() {
        Some(_) => Err(ErrorKind::Cancelled.into()),
        None => add_rows(event, x, rows, own.as_deref(), counts),
    };
    let mut out = CountSums { class: vec![0.0; k], feature: Mat::zeros(k, d) };
    let tables = out.feature.as_mut_slice().par_chunks_mut(d.max(1)).zip(&mut out.class).zip(&rows);
    tables.try_for_each(|((counts, total), rows)| -> Result<()> {
        if rows.len() <= PIECE {
            *total = one(rows, counts)?;
            return Ok(());
        }
        let piece = |p: usize| {
            let mut own = vec![0.0; d];
            one(&rows[p * PIECE..((p + 1) * PIECE).min(rows.len())], &mut own).map(|total| (total, own))
        };
        let merge = |a: Result<(f64, Vec<f64>)>, b: Result<(f64, Vec<f64>)>| {
            let ((a, mut into), (b, own)) = (a?, b?);
            axpy(1.0, &own, &mut into);
            Ok((a + b, into))
        };
        if let Some(found) = tree_reduce(rows.len().div_ceil(PIECE), piece, merge) {
            let (all, own) = found?;
            *total = all;
            counts.copy_from_slice(&own);
        }
        Ok(())
    })?;
    Ok(out)
}

/// Adds rows of one class to its counts; their weight.
fn add_rows(
    event: Event,
    x: CsrRef<'_>,
    rows: &[usize],
    weights: Option<&[f64]>,
    counts: &mut [f64],
) -> Result<f64> {
    let mut total = 0.0;
    for (at, &i) in rows.iter().enumerate() {
        // Rows of a class are apart in memory.
        if let Some(&next) = rows.get(at + 2) {
            let (columns, values) = x.row(next);
            (0..values.len().min(FAR)).step_by(16).for_each(|e| prefetch(columns, e));
            (0..values.len().min(FAR)).step_by(8).for_each(|e| prefetch(values, e));
        }
        let (w, (columns, values)) = (weights.map_or(1.0, |w| w[i]), x.row(i));
        if values.iter().fold(false, |bad, v| bad | event.refuses(*v)) {
            let at = values.iter().position(|v| event.refuses(*v)).unwrap_or(0);
            return Err(refusal(event, values[at], columns[at] as usize));
        }
        total += w;
        for (&j, &v) in columns.iter().zip(values) {
            counts[j as usize] += w * event.count(v);
        }
    }
    Ok(total)
}

/// Entries of a row that are asked for before it comes; the processor finds what follows.
const FAR: usize = 128;

/// The error that names the first value that is no count.
pub(super) fn named(event: Event, data: &Dataset<'_>) -> Option<Error> {
    let rows = data.rows(event.name()).ok()?;
    let numbers = rows.numbers(event.name()).ok()?;
    let (i, j, v) = match numbers.view() {
        NumbersRef::Dense(x) => x.find(|v| event.refuses(v)).map(|(i, j)| (i, j, x.get(i, j))),
        NumbersRef::Sparse(x) => (0..x.n_rows()).find_map(|i| {
            let (columns, values) = x.row(i);
            values.iter().position(|v| event.refuses(*v)).map(|at| (i, columns[at] as usize, values[at]))
        }),
    }?;
    let (learner, value, hint) = (event.name().to_owned(), event.complaint(v), String::new());
    Some(ErrorKind::BadValue { learner, value, column: rows.name(j), row: i, hint }.into())
}

/// Counting by sums.
pub(super) struct Tally(pub(super) Event);

impl BySums for Tally {
    type State = (usize, usize);
    type Summary = CountSums;
    type Local = ();
    type Model = CountSums;

    /// Of sparse rows, a block holds as many that adding its counts up costs little beside counting.
    fn block_rows(&self, shape: &Shape) -> usize {
        match shape.sparse {
            true => (shape.n_classes * shape.n_features / 16).clamp(BLOCK_ROWS, 16 * BLOCK_ROWS),
            false => BLOCK_ROWS,
        }
    }

    fn begin(&self, shape: &Shape, _: &Session) -> Result<(usize, usize)> {
        Ok((shape.n_classes, shape.n_features))
    }

    fn empty(&self, &(k, d): &(usize, usize)) -> CountSums {
        CountSums { class: vec![0.0; k], feature: Mat::zeros(k, d) }
    }

    fn absorb(
        &self,
        _: &(usize, usize),
        block: &Block<'_>,
        (): &mut (),
        summary: &mut CountSums,
    ) -> Result<()> {
        summary.absorb(self.0, block)
    }

    fn merge(&self, into: &mut CountSums, other: CountSums) {
        into.add(&other);
    }

    fn advance(
        &self,
        _: (usize, usize),
        summary: CountSums,
        _: &Session,
    ) -> Result<Round<(usize, usize), CountSums>> {
        Ok(Round::Done(summary))
    }
}

/// A learner of counts: its rows once through [`Tally`], its model from the counts.
macro_rules! learns_from_counts {
    ($learner:ident, $capabilities:expr) => {
        impl mercer_core::Learn for $learner {
            type Model = crate::naive::CountNBModel;

            fn learn(
                &self,
                data: &mercer_core::Dataset<'_>,
                session: &mercer_core::Session,
            ) -> mercer_core::Result<Self::Model> {
                let counts = crate::naive::counts::count(self.event(), data, session)?;
                Self::Model::new(self.event(), &self.params, counts, None)
            }

            fn learn_stream(
                &self,
                batches: &mut dyn mercer_core::sums::Batches,
                session: &mercer_core::Session,
            ) -> Option<mercer_core::Result<Self::Model>> {
                let can = mercer_core::Learn::capabilities(self);
                Some(mercer_core::sums::fit_stream(Self::NAME, &can, self, batches, session))
            }

            fn resume(
                &self,
                model: Option<&Self::Model>,
                data: &mercer_core::Dataset<'_>,
                session: &mercer_core::Session,
            ) -> Option<mercer_core::Result<Self::Model>> {
                let counts = crate::naive::counts::count(self.event(), data, session);
                Some(counts.and_then(|counts| Self::Model::new(self.event(), &self.params, counts, model)))
            }

            fn capabilities(&self) -> mercer_core::Capabilities {
                let own: fn(&Self, mercer_core::Capabilities) -> mercer_core::Capabilities = $capabilities;
                own(self, Self::declaration().capabilities)
            }
        }

        crate::naive::by_sums::by_sums!(
            $learner,
            crate::naive::CountSums => crate::naive::CountNBModel,
            |own: &Self| crate::naive::counts::Tally(own.event()),
            |own: &Self, counts| crate::naive::CountNBModel::new(own.event(), &own.params, counts, None)
        );
    };
}
pub(super) use learns_from_counts;
