//! Rows of numbers and categories, and how columns of a table become them.

use mercer_core::{Column, Dataset, Error, MISSING_CODE, Result, Rows};
use mercer_math::{Mat, hash_row};
use serde::{Deserialize, Serialize};

/// The code of a value that no training row had: it equals nothing.
const UNKNOWN: u32 = u32::MAX;

/// What a column is to a learner of prototypes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Role {
    /// A number, of which means are taken.
    Number,
    /// A category of the schema, with its levels.
    Levels(Vec<String>),
    /// A number that stands for a category: the different values, in order.
    Values(Vec<f64>),
}

impl Role {
    /// Levels with the missing one, which is the last.
    fn n_codes(&self) -> usize {
        match self {
            Role::Number => 0,
            Role::Levels(levels) => levels.len() + 1,
            Role::Values(values) => values.len() + 1,
        }
    }

    /// The level of a code as a person would write it.
    pub(super) fn name(&self, code: u32) -> String {
        let name = match self {
            Role::Number => None,
            Role::Levels(levels) => levels.get(code as usize).cloned(),
            Role::Values(values) => values.get(code as usize).map(f64::to_string),
        };
        name.unwrap_or_else(|| "missing".to_owned())
    }

    fn is_sound(&self) -> bool {
        match self {
            Role::Number => true,
            Role::Levels(levels) => levels.len() < UNKNOWN as usize,
            Role::Values(values) => values.len() < UNKNOWN as usize && values.windows(2).all(|w| w[0] < w[1]),
        }
    }
}

/// What each column is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Roles(pub(super) Vec<Role>);

/// Rows as numbers and codes of categories.
#[derive(Clone, Debug)]
pub(super) struct Mixed {
    pub(super) numbers: Mat,
    /// One code for each row and column of categories, row by row.
    codes: Vec<u32>,
    n_categories: usize,
}

impl Roles {
    /// The roles of the columns to learn from. Where `numbers` are none of them, a number stands for a category.
    pub(super) fn of(rows: &Rows<'_>, numbers: bool) -> Result<Self> {
        let role = |column: &Column<'_>| match column {
            Column::Categorical { levels, .. } => Role::Levels(levels.to_vec()),
            Column::Numeric(_) if numbers => Role::Number,
            other => {
                // Zero has one sign here, so that both zeros are one value.
                let known = other.to_numbers().unwrap_or_default();
                let mut values: Vec<f64> = known.iter().filter(|v| !v.is_nan()).map(|v| v + 0.0).collect();
                values.sort_unstable_by(f64::total_cmp);
                values.dedup();
                Role::Values(values)
            }
        };
        Ok(Self(rows.table()?.columns().iter().map(|c| role(c)).collect()))
    }

    pub(super) fn n_numbers(&self) -> usize {
        self.0.iter().filter(|r| **r == Role::Number).count()
    }

    /// The columns of categories, in order.
    pub(super) fn categories(&self) -> impl Iterator<Item = &Role> {
        self.0.iter().filter(|r| **r != Role::Number)
    }

    /// For each column of categories, how many codes there are.
    pub(super) fn n_codes(&self) -> Vec<usize> {
        self.categories().map(Role::n_codes).collect()
    }

    /// The rows in these roles.
    pub(super) fn read(&self, rows: &Rows<'_>) -> Result<Mixed> {
        let (table, n, n_categories) = (rows.table()?, rows.n_rows(), self.categories().count());
        let (mut numbers, mut codes) = (Mat::zeros(n, self.n_numbers()), vec![UNKNOWN; n * n_categories]);
        let (mut number, mut category) = (0, 0);
        for (role, column) in self.0.iter().zip(table.columns()) {
            let values = column.to_numbers().unwrap_or_default();
            match (role, column.as_ref()) {
                (Role::Number, _) => {
                    values.iter().enumerate().for_each(|(i, v)| numbers[(i, number)] = *v);
                    number += 1;
                    continue;
                }
                (Role::Levels(levels), Column::Categorical { codes: given, .. }) => {
                    let code = |c: u32| match c {
                        MISSING_CODE => levels.len() as u32,
                        c if (c as usize) < levels.len() => c,
                        _ => UNKNOWN,
                    };
                    let own = codes.iter_mut().skip(category).step_by(n_categories);
                    own.zip(given.iter()).for_each(|(own, given)| *own = code(*given));
                }
                (Role::Values(known), _) => {
                    let code = |v: f64| match known.binary_search_by(|k| k.total_cmp(&(v + 0.0))) {
                        _ if v.is_nan() => known.len() as u32,
                        Ok(place) => place as u32,
                        Err(_) => UNKNOWN,
                    };
                    let own = codes.iter_mut().skip(category).step_by(n_categories);
                    own.zip(values.iter()).for_each(|(own, v)| *own = code(*v));
                }
                // Alignment makes categories of whatever stands where training had categories.
                (Role::Levels(_), _) => {}
            }
            category += 1;
        }
        Ok(Mixed { numbers, codes, n_categories })
    }

    /// The rows of a data set, without those of weight zero, and the weights of the others.
    pub(super) fn weighted(&self, who: &str, data: &Dataset<'_>) -> Result<(Mixed, Vec<f64>, Vec<usize>)> {
        let input = data.input();
        let mixed = self.read(input.rows(who)?)?;
        let weights = data.weights().map_or_else(|| vec![1.0; mixed.len()], |w| w.to_vec());
        let kept: Vec<usize> = (0..mixed.len()).filter(|&i| weights[i] > 0.0).collect();
        if kept.len() == mixed.len() {
            return Ok((mixed, weights, kept));
        }
        Ok((mixed.gather(&kept), kept.iter().map(|&i| weights[i]).collect(), kept))
    }

    pub(super) fn validate(&self, n_features: usize) -> bool {
        self.0.len() == n_features && n_features > 0 && self.0.iter().all(Role::is_sound)
    }
}

impl Mixed {
    pub(super) fn len(&self) -> usize {
        self.numbers.n_rows()
    }

    pub(super) fn codes(&self, i: usize) -> &[u32] {
        &self.codes[i * self.n_categories..(i + 1) * self.n_categories]
    }

    pub(super) fn n_categories(&self) -> usize {
        self.n_categories
    }

    pub(super) fn gather(&self, rows: &[usize]) -> Self {
        Self {
            numbers: self.numbers.view().gather(rows),
            codes: rows.iter().flat_map(|&i| self.codes(i)).copied().collect(),
            n_categories: self.n_categories,
        }
    }

    /// A hash of each row.
    pub(super) fn hashes(&self, seed: u64) -> Vec<u64> {
        let mut row = Vec::new();
        let mut hash = |i: usize| {
            row.clear();
            row.extend_from_slice(self.numbers.row(i));
            row.extend(self.codes(i).iter().map(|&code| f64::from(code)));
            hash_row(&row, seed)
        };
        (0..self.len()).map(&mut hash).collect()
    }

    /// Takes the columns of numbers from an origin, so that data far from zero lose no digits.
    pub(super) fn centred(mut self, origin: &[f64]) -> Self {
        for i in 0..self.len() {
            self.numbers.row_mut(i).iter_mut().zip(origin).for_each(|(v, o)| *v -= o);
        }
        self
    }

    /// Refuses numbers whose squared distances overflow.
    pub(super) fn check_size(&self, who: &str) -> Result<()> {
        let large = self.numbers.as_slice().iter().fold(0.0f64, |a, v| a.max(v.abs()));
        match large < 1e150 {
            true => Ok(()),
            false => Err(Error::numeric(who, "values too large for squared distances: scale them")),
        }
    }
}
