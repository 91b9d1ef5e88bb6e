//! The levels of a column, and rows as codes of levels: what all encoders share.

use super::rare::Groups;
use mercer_core::{
    Attribute, AttributeValues, Choice, Column, ColumnKind, Dataset, Error, ErrorKind, Feature, MISSING_CODE,
    ParamGroup, Result, RowData, Rows, Table,
};
use mercer_math::Weights;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The code of a number that is no level. Categories that training did not see have any code beyond the levels.
const UNKNOWN: u32 = MISSING_CODE - 1;

/// Which columns are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum EncodeColumns {
    /// Categorical columns of a table (numbers pass through); every column of a matrix. In Python every column, as in
    /// scikit-learn.
    Auto,
    /// Categorical columns of a table (numbers pass through); every column of a matrix.
    Categorical,
    /// Every column.
    All,
}

/// What every encoder is told of columns.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct EncodedColumns {
    /// Which columns are encoded.
    #[param(default = EncodeColumns::Auto)]
    pub columns: EncodeColumns,
}

/// The levels of one input column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Levels {
    /// Passed through as a number.
    Keep,
    /// The dictionary of a categorical column.
    Texts(Arc<[String]>),
    /// The sorted distinct numbers of a numeric column.
    Numbers(Vec<f64>),
}

/// The levels of one column as training has them.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    pub(crate) levels: Levels,
    /// The weight of the rows of each level, and of those where it is missing.
    pub(crate) of: Vec<f64>,
    pub(crate) missing: f64,
}

/// The columns of the training data with their levels, and the weight of all rows.
pub(crate) struct Seen {
    pub(crate) columns: Vec<Counts>,
    pub(crate) names: Vec<String>,
    pub(crate) matrix: bool,
    pub(crate) total: f64,
}

/// Collects the levels of every column that is to be encoded.
pub(crate) fn levels_of(owner: &str, data: &Dataset<'_>, which: EncodeColumns) -> Result<Seen> {
    let rows = data.rows(owner)?;
    let matrix = !matches!(rows.data(), RowData::Table(_));
    let table = rows.table()?;
    let weights = data.weights();
    let all = matrix || which == EncodeColumns::All;
    let columns: Vec<Counts> =
        table.columns().par_iter().map(|c| Counts::of(c, all, weights.as_deref())).collect();
    if let Some(j) = columns.iter().position(|c| c.levels.len() > u32::MAX as usize / 4) {
        let what = format!("levels of column `{}`", table.names()[j]);
        return Err(Error::shape(what, u32::MAX as usize / 4, columns[j].levels.len()));
    }
    let total = weights.map_or(data.n_rows() as f64, |w| w.iter().sum());
    Ok(Seen { columns, names: table.names().to_vec(), matrix, total })
}

impl Counts {
    fn of(column: &Column<'_>, all: bool, weights: Option<&[f64]>) -> Self {
        let weight = Weights::from(weights);
        match column {
            Column::Categorical { codes, levels } => {
                let mut of = vec![0.0; levels.len()];
                let mut missing = 0.0;
                for (i, &code) in codes.iter().enumerate() {
                    *of.get_mut(code as usize).unwrap_or(&mut missing) += weight[i];
                }
                Self { levels: Levels::Texts(levels.clone()), of, missing }
            }
            other if all => numbers(&other.to_numbers().unwrap_or_default(), weight),
            Column::Numeric(_) | Column::Boolean(_) | Column::Text(_) | Column::Time(_) => {
                Self { levels: Levels::Keep, of: Vec::new(), missing: 0.0 }
            }
        }
    }
}

fn numbers(values: &[f64], weight: Weights<'_>) -> Counts {
    let mut index = NumberIndex::default();
    let (mut of, mut missing) = (Vec::new(), 0.0);
    for (i, &v) in values.iter().enumerate() {
        match weight[i] {
            w if w > 0.0 && v.is_nan() => missing += w,
            w if w > 0.0 => {
                let at = index.insert(v) as usize;
                if at == of.len() {
                    of.push(0.0);
                }
                of[at] += w;
            }
            _ => {}
        }
    }
    let mut order: Vec<usize> = (0..of.len()).collect();
    order.sort_unstable_by(|&a, &b| index.values[a].total_cmp(&index.values[b]));
    Counts {
        levels: Levels::Numbers(order.iter().map(|&i| index.values[i]).collect()),
        of: order.iter().map(|&i| of[i]).collect(),
        missing,
    }
}

/// Numbers numbered in order of first appearance: small whole ones by place, others by open addressing. Zeros of both
/// signs are one.
#[derive(Default)]
struct NumberIndex {
    /// Number + 1 of each small whole value, 0 where it has none.
    small: Vec<u32>,
    /// Number + 1 of the value, 0 where free. The length is a power of two, or zero.
    slots: Vec<u32>,
    values: Vec<f64>,
}

/// Whole numbers below this are small.
const SMALL: u32 = 1 << 16;

/// A small whole number as a place.
fn small(value: f64) -> Option<usize> {
    let whole = value as u32;
    (whole < SMALL && f64::from(whole) == value).then_some(whole as usize)
}

impl NumberIndex {
    fn of(values: &[f64]) -> Self {
        let mut index = Self::default();
        for &v in values {
            index.insert(v);
        }
        index
    }

    fn insert(&mut self, value: f64) -> u32 {
        let next = self.values.len() as u32;
        let entry = match small(value) {
            Some(at) => {
                if at >= self.small.len() {
                    self.small.resize((at + 1).next_power_of_two(), 0);
                }
                &mut self.small[at]
            }
            None => {
                if 2 * self.values.len() >= self.slots.len() {
                    self.grow();
                }
                match self.look(value) {
                    Ok(id) => return id,
                    Err(slot) => &mut self.slots[slot],
                }
            }
        };
        if *entry == 0 {
            *entry = next + 1;
            self.values.push(value + 0.0);
        }
        *entry - 1
    }

    fn find(&self, value: f64) -> Option<u32> {
        match small(value) {
            Some(at) => self.small.get(at).and_then(|id| id.checked_sub(1)),
            None if self.slots.is_empty() => None,
            None => self.look(value).ok(),
        }
    }

    /// The number of a value that is not small, or the free slot where it belongs.
    fn look(&self, value: f64) -> Result<u32, usize> {
        let (bits, mask) = (value.to_bits(), self.slots.len() - 1);
        // The upper bits of the product depend on all of the number's; whole numbers have no lower ones.
        let shift = 64 - self.slots.len().trailing_zeros();
        let mut slot = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                id if self.values[id as usize - 1].to_bits() == bits => return Ok(id - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; (2 * self.slots.len()).max(2 * self.values.len()).max(64).next_power_of_two()];
        for id in 0..self.values.len() {
            let value = self.values[id];
            if let (None, Err(slot)) = (small(value), self.look(value)) {
                self.slots[slot] = id as u32 + 1;
            }
        }
    }
}

impl Levels {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Levels::Keep => 0,
            Levels::Texts(levels) => levels.len(),
            Levels::Numbers(values) => values.len(),
        }
    }

    /// A level as a person would write it.
    pub(crate) fn name(&self, level: usize) -> String {
        match self {
            Levels::Keep => String::new(),
            Levels::Texts(levels) => levels[level].clone(),
            Levels::Numbers(values) => values[level].to_string(),
        }
    }

    /// Whether loaded levels fit a feature of the schema.
    pub(crate) fn fit(&self, feature: &Feature) -> bool {
        match self {
            Levels::Keep => matches!(feature.kind, ColumnKind::Numeric | ColumnKind::Boolean),
            Levels::Texts(levels) => {
                feature.kind == ColumnKind::Categorical && levels.len() == feature.levels.len()
            }
            Levels::Numbers(values) => {
                matches!(feature.kind, ColumnKind::Numeric | ColumnKind::Boolean)
                    && values.iter().all(|v| !v.is_nan())
                    && values.windows(2).all(|w| w[0] < w[1])
            }
        }
    }

    /// The rows of a column as codes: a level, [`MISSING_CODE`], or anything else for a level that is unknown.
    fn codes<'c>(&self, column: &'c Column<'_>) -> Cow<'c, [u32]> {
        match (self, column) {
            (Levels::Texts(_), Column::Categorical { codes, .. }) => Cow::Borrowed(codes),
            (Levels::Numbers(levels), column) => {
                let (index, numbers) = (NumberIndex::of(levels), column.to_numbers().unwrap_or_default());
                let code =
                    |v: &f64| if v.is_nan() { MISSING_CODE } else { index.find(*v).unwrap_or(UNKNOWN) };
                let mut out = vec![0; numbers.len()];
                let blocks = out.par_chunks_mut(1 << 14).zip(numbers.par_chunks(1 << 14));
                blocks.for_each(|(out, v)| out.iter_mut().zip(v).for_each(|(o, v)| *o = code(v)));
                Cow::Owned(out)
            }
            _ => Cow::Owned(vec![MISSING_CODE; column.len()]),
        }
    }

    /// A column of levels; `None` is missing, and `rare` is the name of all rare levels, beyond the levels.
    pub(crate) fn column(&self, levels: Vec<Option<u32>>, rare: &str) -> Column<'static> {
        match self {
            Levels::Keep => Column::Numeric(Cow::Owned(vec![f64::NAN; levels.len()])),
            Levels::Numbers(values) => {
                let value =
                    |l: &Option<u32>| l.and_then(|l| values.get(l as usize)).copied().unwrap_or(f64::NAN);
                Column::Numeric(levels.iter().map(value).collect())
            }
            Levels::Texts(texts) => {
                let n = texts.len() as u32;
                let with_rare = levels.iter().any(|l| l.is_some_and(|l| l >= n));
                let codes: Vec<u32> =
                    levels.into_iter().map(|l| l.map_or(MISSING_CODE, |l| l.min(n))).collect();
                let levels = texts.iter().cloned().chain(with_rare.then(|| rare.to_owned())).collect();
                Column::Categorical { codes: Cow::Owned(codes), levels }
            }
        }
    }
}

/// One column of rows to encode.
pub(crate) enum Coded<'c> {
    /// Numbers that pass through.
    Kept(Cow<'c, [f64]>),
    /// Codes of levels.
    Codes(Cow<'c, [u32]>),
}

/// The columns of a table as codes of `levels`.
pub(crate) fn coded<'c>(levels: &[Levels], table: &'c Table<'_>) -> Vec<Coded<'c>> {
    let one = |(levels, column): (&Levels, &'c Arc<Column<'_>>)| match levels {
        Levels::Keep => {
            Coded::Kept(column.to_numbers().unwrap_or_else(|| vec![f64::NAN; column.len()].into()))
        }
        levels => Coded::Codes(levels.codes(column)),
    };
    levels.iter().zip(table.columns()).map(one).collect()
}

/// The levels of each column as arrays; columns that pass through have none.
pub(crate) fn level_values(levels: &[Levels]) -> Vec<AttributeValues> {
    let own = |levels: &Levels| match levels {
        Levels::Keep => AttributeValues::Real(Vec::new()),
        Levels::Texts(texts) => AttributeValues::Text(texts.to_vec()),
        Levels::Numbers(values) => AttributeValues::Real(values.clone()),
    };
    levels.iter().map(own).collect()
}

/// The levels of each column, and the places of those that are too rare to stand alone.
pub(crate) fn level_attributes(levels: &[Levels], groups: &[Groups]) -> Vec<Attribute> {
    let rare = |groups: &Groups| {
        let of_rare = |(_, g): &(usize, &u32)| Some(**g) == groups.rare();
        let places = groups.of().iter().enumerate().filter(of_rare).map(|(level, _)| level as i64);
        AttributeValues::Int(places.collect())
    };
    let all = "The levels of each column.";
    let few = "The places of the levels of each column that are too rare to stand alone.";
    vec![
        Attribute::several("categories_", all, level_values(levels)),
        Attribute::several("rare_levels_", few, groups.iter().map(rare).collect()),
    ]
}

/// The error of a level that training did not see.
pub(crate) fn unknown_level(owner: &str, table: &Table<'_>, column: usize, row: usize, hint: &str) -> Error {
    let level = table.columns()[column].text(row).unwrap_or_default().into_owned();
    ErrorKind::BadValue {
        learner: owner.to_owned(),
        value: format!("the level `{level}`, which was not seen in training"),
        column: table.names()[column].clone(),
        row,
        hint: hint.to_owned(),
    }
    .into()
}

/// Columns put back together: a matrix where training had one, else a table with its names.
pub(crate) fn rebuilt(
    matrix: bool,
    names: &[String],
    columns: Vec<Column<'static>>,
) -> Result<Rows<'static>> {
    let table = Table::new(names.iter().cloned().zip(columns).collect())?;
    match matrix {
        true => Ok(Rows::from(Rows::from(table).dense("an encoder")?.view().to_mat())),
        false => Ok(table.into()),
    }
}
