//! One-hot encoding: a 0/1 column for each level of a categorical feature.
//!
//! # Objective
//! Feature $j$ with levels $l_1 … l_m$ becomes $([x_j = l_1], …, [x_j = l_m])$.
//!
//! # Algorithm
//! Levels of a table's categorical columns come from its dictionary, those of numbers from the sorted distinct
//! values of training. Rare levels may share one column at the end. A missing level becomes zeros; an unseen one is
//! an error, zeros, or the column of the rare ones. Rows are counted, then written, in parallel blocks.
//!
//! # Complexity
//! Time O(n d), memory O(n d) sparse, O(n Σm) dense.
//!
//! # Example
//! ```
//! use mercer_core::{Column, Dataset, Fit, Table};
//! use mercer_prepare::OneHotEncoder;
//! let table = Table::new(vec![("island".into(), Column::categories(&[Some("Dream"), Some("Biscoe")]))])?;
//! let encoder = OneHotEncoder::default().fit(&Dataset::new(&table))?;
//! assert_eq!(encoder.transform(&table)?.dense("x")?.view().to_mat().as_slice(), &[0.0, 1.0, 1.0, 0.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! None: values are 0 and 1.
//!
//! # References
//! - D. B. Suits. Use of dummy variables in regression equations. JASA 52, 1957. doi:10.1080/01621459.1957.10501412

use super::levels::{
    Coded, Counts, EncodeColumns, EncodedColumns, Levels, coded, level_attributes, levels_of, rebuilt,
    unknown_level,
};
use super::rare::{Groups, Rarity, rare_name};
use crate::text::Parts;
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Column, CountOrShare, Dataset, Error, Feature, Fitted, Input,
    Inverse, Learn, MISSING_CODE, NumbersRef, Params, Result, Rows, Schema, Session, Termination,
    Transformer,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

/// What [`OneHotEncoder`] does with a level that training did not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum HandleUnknown {
    /// Refuse it, naming column, row and level.
    Error,
    /// Encode it as zeros.
    Ignore,
    /// Encode it as a rare level where there are any, else as zeros.
    InfrequentIfExist,
}

/// What a missing value is to [`OneHotEncoder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum MissingLevel {
    /// A level of its own, the last, in columns that had any in training; else zeros.
    Level,
    /// Zeros.
    Zeros,
}

/// Which level of a feature gets no column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Drop {
    /// The first, so that the columns are not collinear.
    First,
    /// The first of features with two levels.
    IfBinary,
}

/// One-hot encoding: a 0/1 column for each level.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "one-hot onehot",
    canon = "D5",
    task = Transformation,
    python = "preprocessing",
    door = "categories='auto' dtype=float feature_name_combiner='concat'",
    mixins = "EncoderMixin",
    can = "transform inverse weights missing categorical encodes",
    references = "Suits. Use of dummy variables in regression equations. JASA 52, 1957."
)]
pub struct OneHotEncoder {
    /// Which columns are encoded.
    #[param(flatten)]
    pub encoded: EncodedColumns,
    /// Which level gets no column; none means that all do.
    #[param(default = None)]
    pub drop: Option<Drop>,
    /// The level of each column that gets no column, in place of `drop`.
    #[param(default = None)]
    pub drop_levels: Option<Vec<String>>,
    /// What to do with a level that training did not see.
    #[param(default = HandleUnknown::Error)]
    pub handle_unknown: HandleUnknown,
    /// What a missing value is: a level of its own in columns that had any in training, or zeros.
    #[param(default = MissingLevel::Level)]
    pub missing: MissingLevel,
    /// Levels of fewer rows than this (a number, or a share) share one column.
    #[param(default = None, range = "[0, inf)")]
    pub min_frequency: Option<CountOrShare>,
    /// The most columns of a feature, that of the rare levels counted; none means any number.
    #[param(default = None, range = "[1, inf)")]
    pub max_categories: Option<usize>,
    /// Whether the result is sparse.
    #[param(default = true)]
    pub sparse_output: bool,
}

/// Fitted levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneHotEncoderModel {
    levels: Vec<Levels>,
    /// Whether a missing value is a level of the column, the last.
    missing: Vec<bool>,
    groups: Vec<Groups>,
    /// The place of the first output column of each input column, and their number at the end.
    offsets: Vec<u32>,
    /// The group of each input column that gets no output column.
    dropped: Vec<Option<u32>>,
    names: Vec<String>,
    matrix: bool,
    handle_unknown: HandleUnknown,
    sparse_output: bool,
    certificate: Certificate,
}

impl OneHotEncoder {
    fn rarity(&self) -> Rarity {
        Rarity { min_frequency: self.min_frequency, max_categories: self.max_categories }
    }

    /// The group of each column that gets no column.
    fn dropped(&self, levels: &[Levels], groups: &[Groups]) -> Result<Vec<Option<u32>>> {
        let Some(named) = &self.drop_levels else {
            let drops = |g: &Groups| match self.drop {
                Some(Drop::First) => g.len() > 0,
                Some(Drop::IfBinary) => g.len() == 2,
                None => false,
            };
            return Ok(groups.iter().map(|g| drops(g).then_some(0)).collect());
        };
        if named.len() != levels.len() {
            return Err(Error::shape("levels of `drop_levels`, one a column", levels.len(), named.len()));
        }
        let one = |((name, levels), groups): ((&String, &Levels), &Groups)| {
            let at = (0..levels.len()).find(|&level| levels.name(level) == *name);
            let group = at.map(|level| groups.of()[level]).filter(|g| Some(*g) != groups.rare());
            let expected = "a level of its column that is not rare";
            group.map(Some).ok_or_else(|| Error::param(Self::NAME, "drop_levels", expected, name))
        };
        named.iter().zip(levels).zip(groups).map(one).collect()
    }
}

impl Learn for OneHotEncoder {
    type Model = OneHotEncoderModel;
    const MEETS_UNSEEN: bool = true;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.rarity().check(Self::NAME)
    }

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<OneHotEncoderModel> {
        let mut seen = levels_of(Self::NAME, data, self.encoded.columns)?;
        let own =
            |c: &Counts| self.missing == MissingLevel::Level && c.missing > 0.0 && c.levels != Levels::Keep;
        let missing: Vec<bool> = seen.columns.iter().map(own).collect();
        let with_missing = seen.columns.iter_mut().zip(&missing).filter(|(_, own)| **own);
        with_missing.for_each(|(c, _)| c.of.push(c.missing));
        let groups: Vec<Groups> =
            seen.columns.iter().map(|c| self.rarity().groups(&c.of, seen.total)).collect();
        let levels: Vec<Levels> = seen.columns.into_iter().map(|c| c.levels).collect();
        let dropped = self.dropped(&levels, &groups)?;
        let mut offsets = vec![0u32];
        for ((levels, groups), &drop) in levels.iter().zip(&groups).zip(&dropped) {
            let next = offsets[offsets.len() - 1].checked_add(width(levels, groups, drop));
            offsets.push(next.ok_or_else(|| Error::shape("columns", u32::MAX as usize, usize::MAX))?);
        }
        // Where a level is dropped, nothing may be left; without, there must have been levels.
        if offsets.last() == Some(&0) && dropped.iter().all(Option::is_none) {
            return Err(Error::too_few(Self::NAME, "levels", 1, 0));
        }
        let why = "a dictionary computes nothing to prove";
        Ok(OneHotEncoderModel {
            levels,
            missing,
            groups,
            offsets,
            dropped,
            names: seen.names,
            matrix: seen.matrix,
            handle_unknown: self.handle_unknown,
            sparse_output: self.sparse_output,
            certificate: Certificate::without_evidence(Termination::Exact, why),
        })
    }
}

/// Number of output columns of one input column.
fn width(levels: &Levels, groups: &Groups, dropped: Option<u32>) -> u32 {
    match levels {
        Levels::Keep => 1,
        _ => groups.len().saturating_sub(u32::from(dropped.is_some())),
    }
}

/// No column at all.
const NONE: u32 = u32::MAX;

/// Where the codes of one input column go.
struct Places<'c> {
    from: Coded<'c>,
    /// The output column of each level, or [`NONE`].
    of: Vec<u32>,
    /// That of a level that training did not see.
    unknown: u32,
    /// That of a missing value.
    missing: u32,
    first: u32,
}

impl Places<'_> {
    /// Hands each entry of some rows to `entry`: the row counted from the first, the output column, the value.
    fn each(&self, rows: Range<usize>, mut entry: impl FnMut(usize, u32, f64)) {
        match &self.from {
            Coded::Kept(values) => {
                let present = values[rows].iter().enumerate().filter(|(_, v)| **v != 0.0);
                present.for_each(|(row, &v)| entry(row, self.first, v));
            }
            Coded::Codes(codes) => {
                for (row, &code) in codes[rows].iter().enumerate() {
                    let column = match self.of.get(code as usize) {
                        Some(&column) => column,
                        None if code == MISSING_CODE => self.missing,
                        None => self.unknown,
                    };
                    if column != NONE {
                        entry(row, column, 1.0);
                    }
                }
            }
        }
    }

    fn is_unknown(&self, i: usize) -> bool {
        matches!(&self.from, Coded::Codes(c) if c[i] != MISSING_CODE && c[i] as usize >= self.of.len())
    }
}

/// Rows that one task works on.
const BLOCK: usize = 1 << 12;

impl OneHotEncoderModel {
    fn n_columns(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0) as usize
    }

    fn place(&self, j: usize, group: u32) -> u32 {
        match self.dropped[j] {
            Some(dropped) if dropped == group => NONE,
            Some(dropped) => self.offsets[j] + group - u32::from(group > dropped),
            None => self.offsets[j] + group,
        }
    }

    /// The group whose column is the `c`-th of input column `j`.
    fn group_at(&self, j: usize, c: u32) -> u32 {
        self.dropped[j].map_or(c, |dropped| c + u32::from(c >= dropped))
    }

    fn places<'c>(&self, from: Vec<Coded<'c>>) -> Vec<Places<'c>> {
        let one = |(j, from): (usize, Coded<'c>)| {
            let groups = &self.groups[j];
            let unknown = match self.handle_unknown {
                HandleUnknown::InfrequentIfExist => groups.rare().map_or(NONE, |g| self.place(j, g)),
                _ => NONE,
            };
            let mut of: Vec<u32> = groups.of().iter().map(|&g| self.place(j, g)).collect();
            let missing = if self.missing[j] { of.pop().unwrap_or(NONE) } else { NONE };
            Places { from, of, unknown, missing, first: self.offsets[j] }
        };
        from.into_iter().enumerate().map(one).collect()
    }

    /// Counts the entries of rows, then writes them, in parallel blocks of rows.
    fn rows(places: &[Places<'_>], n: usize) -> Parts {
        let blocks: Vec<_> = (0..n).step_by(BLOCK).map(|start| start..(start + BLOCK).min(n)).collect();
        let lengths: Vec<Vec<u32>> = blocks
            .par_iter()
            .map(|rows| {
                let mut lengths = vec![0u32; rows.len()];
                places.iter().for_each(|place| place.each(rows.clone(), |row, _, _| lengths[row] += 1));
                lengths
            })
            .collect();
        let mut parts = Parts::with_lengths(lengths.iter().map(Vec::as_slice));
        let sizes: Vec<usize> = lengths.iter().map(|l| l.iter().map(|l| *l as usize).sum()).collect();
        let work = parts.split(&sizes).into_par_iter().zip(blocks.into_par_iter().zip(lengths));
        work.for_each(|((indices, values), (rows, lengths))| {
            let mut start = 0;
            let begin = |length: u32| {
                start += length as usize;
                start - length as usize
            };
            let mut next: Vec<usize> = lengths.into_iter().map(begin).collect();
            for place in places {
                place.each(rows.clone(), |row, column, value| {
                    (indices[next[row]], values[next[row]]) = (column, value);
                    next[row] += 1;
                });
            }
        });
        parts
    }

    /// The group of each input column of row `i`, or the number of a column that passes through.
    fn decode(&self, entries: impl Iterator<Item = (u32, f64)>, owner: &[u32], best: &mut [(f64, u32)]) {
        best.fill((0.0, NONE));
        for (column, value) in entries {
            let j = owner[column as usize] as usize;
            if value > best[j].0 || (self.levels[j] == Levels::Keep && value != 0.0) {
                best[j] = (value, self.group_at(j, column - self.offsets[j]));
            }
        }
    }
}

impl Transformer for OneHotEncoderModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let table = input.rows(OneHotEncoder::NAME)?.table()?;
        let parts = session.run(|| {
            let places = self.places(coded(&self.levels, &table));
            if self.handle_unknown == HandleUnknown::Error {
                let first = |(j, p): (usize, &Places<'_>)| {
                    (0..table.n_rows()).into_par_iter().find_first(|&i| p.is_unknown(i)).map(|i| (i, j))
                };
                if let Some((row, j)) = places.iter().enumerate().filter_map(first).min() {
                    let hint = "; set handle_unknown=ignore to encode it as zeros";
                    return Err(unknown_level(OneHotEncoder::NAME, &table, j, row, hint));
                }
            }
            Ok(Self::rows(&places, table.n_rows()))
        })?;
        let csr = parts.finish(self.n_columns())?;
        Ok(if self.sparse_output { csr.into() } else { csr.view().to_dense().into() })
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        let names = |(j, feature): (usize, &Feature)| -> Vec<String> {
            let (levels, groups) = (&self.levels[j], &self.groups[j]);
            if *levels == Levels::Keep {
                return vec![feature.name.clone()];
            }
            let rare = rare_name(feature.levels.iter());
            let name = |&level: &u32| match (level as usize).cmp(&levels.len()) {
                Ordering::Less => format!("{}_{}", feature.name, levels.name(level as usize)),
                Ordering::Equal if self.missing[j] => format!("{}_nan", feature.name),
                _ => format!("{}_{rare}", feature.name),
            };
            let kept = groups.levels().into_iter().zip(0u32..).filter(|(_, g)| self.dropped[j] != Some(*g));
            kept.map(|(level, _)| name(&level)).collect()
        };
        schema.features.iter().enumerate().flat_map(names).collect()
    }
}

impl Inverse for OneHotEncoderModel {
    /// The level whose column is greatest; without any, the dropped level, or a missing value where none is.
    fn inverted(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let numbers = input.rows(OneHotEncoder::NAME)?.numbers(OneHotEncoder::NAME)?;
        let view = numbers.view();
        if view.n_cols() != self.n_columns() {
            let what = "columns of the input to the inverse of OneHotEncoder";
            return Err(Error::shape(what, self.n_columns(), view.n_cols()));
        }
        let d = self.levels.len();
        let owner: Vec<u32> =
            (0..d).flat_map(|j| (self.offsets[j]..self.offsets[j + 1]).map(move |_| j as u32)).collect();
        let mut best = vec![(0.0, NONE); d];
        let mut values = vec![vec![0.0; view.n_rows()]; d];
        let mut groups = vec![vec![NONE; view.n_rows()]; d];
        for i in 0..view.n_rows() {
            match view {
                NumbersRef::Dense(m) => {
                    self.decode((0..m.n_cols()).map(|c| (c as u32, m.get(i, c))), &owner, &mut best);
                }
                NumbersRef::Sparse(m) => {
                    let (columns, entries) = m.row(i);
                    self.decode(columns.iter().copied().zip(entries.iter().copied()), &owner, &mut best);
                }
            }
            for (j, &(value, group)) in best.iter().enumerate() {
                (values[j][i], groups[j][i]) = (value, group);
            }
        }
        let columns = values.into_iter().zip(groups).enumerate().map(|(j, (values, groups))| {
            if self.levels[j] == Levels::Keep {
                return Column::Numeric(Cow::Owned(values));
            }
            let level_of = self.groups[j].levels();
            let fallback = self.dropped[j].and_then(|g| level_of.get(g as usize).copied());
            let n = self.levels[j].len() as u32;
            let level = |g: u32| {
                let level = if g == NONE { fallback } else { level_of.get(g as usize).copied() };
                // The level of missing values is missing; rare levels are one beyond all of them.
                level.filter(|l| !(self.missing[j] && *l == n)).map(|l| l.min(n))
            };
            let rare = match &self.levels[j] {
                Levels::Texts(texts) => rare_name(texts.iter()),
                _ => String::new(),
            };
            self.levels[j].column(groups.into_iter().map(level).collect(), &rare)
        });
        rebuilt(self.matrix, &self.names, columns.collect())
    }
}

impl Fitted for OneHotEncoderModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut out = level_attributes(&self.levels, &self.groups);
        let level = |(j, dropped): (usize, &Option<u32>)| {
            dropped.map_or(-1, |g| i64::from(self.groups[j].levels()[g as usize]))
        };
        let dropped = self.dropped.iter().enumerate().map(level).collect();
        let doc = "The level of each column that gets no column, -1 where all do.";
        out.push(Attribute::int("dropped_levels_", doc, &[self.levels.len()], dropped));
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let (missing, dropped) = (self.missing.len(), self.dropped.len());
        let lengths = [self.levels.len(), self.groups.len(), missing, dropped, self.names.len()];
        let ok = lengths.iter().all(|l| *l == d)
            && self.offsets.len() == d + 1
            && self.offsets[0] == 0
            && self.levels.iter().zip(&schema.features).all(|(l, f)| l.fit(f))
            && (0..d).all(|j| {
                let (levels, groups, dropped) = (&self.levels[j], &self.groups[j], self.dropped[j]);
                let missing = self.missing[j];
                groups.fit(levels.len() + usize::from(missing))
                    && !(missing && *levels == Levels::Keep)
                    && dropped.is_none_or(|g| g < groups.len())
                    && self.offsets[j].checked_add(width(levels, groups, dropped))
                        == Some(self.offsets[j + 1])
            });
        if ok { Ok(()) } else { Err("levels do not fit the schema".to_owned()) }
    }
}

#[cfg(test)]
#[path = "one_hot_tests.rs"]
mod tests;
