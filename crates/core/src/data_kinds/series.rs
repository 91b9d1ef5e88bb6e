//! Series: sequences of points of any length, reached through a kernel or a metric.

use super::rows::Rows;
use super::{DataKind, Input, wrong_kind};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Feature, Schema};
use crate::table::ColumnKind;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Series of any length, each a sequence of points with the same number of coordinates, in one piece of memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    n_coordinates: usize,
    /// Where each series begins among the values, and the end of the last.
    starts: Vec<usize>,
    values: Vec<f64>,
}

/// Series, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct SeriesRef<'a> {
    n_coordinates: usize,
    starts: &'a [usize],
    values: &'a [f64],
}

impl Series {
    /// Series from their values, one after the other, point by point; `starts` has where each begins, and the end. A series
    /// has at least one point.
    ///
    /// ```
    /// let two = mercer_core::Series::new(1, vec![0, 2, 5], vec![1.0, 2.0, 3.0, 4.0, 5.0])?;
    /// assert_eq!(two.view().get(1), [3.0, 4.0, 5.0]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn new(n_coordinates: usize, starts: Vec<usize>, values: Vec<f64>) -> Result<Self> {
        let made = Self { n_coordinates, starts, values };
        match made.problem() {
            Some((i, length)) => Err(Error::shape(
                format!("values of series {i}, a multiple of its coordinates and at least"),
                n_coordinates.max(1),
                length,
            )),
            None => Ok(made),
        }
    }

    /// The rows of a table of numbers, each a series of single numbers.
    pub fn from_rows(owner: &str, rows: &Rows<'_>) -> Result<Self> {
        let dense = rows.dense(owner)?;
        let (n, d) = (dense.view().n_rows(), dense.view().n_cols());
        Self::new(1, (0..=n).map(|i| i * d).collect(), dense.view().to_mat().into_vec())
    }

    /// The first series that is not made of whole points, with its number of values.
    fn problem(&self) -> Option<(usize, usize)> {
        let d = self.n_coordinates;
        if d == 0 || self.starts.first() != Some(&0) || self.starts.last() != Some(&self.values.len()) {
            return Some((0, self.values.len()));
        }
        let pairs = self.starts.windows(2).enumerate();
        let mut lengths = pairs.map(|(i, w)| (i, w[1].saturating_sub(w[0])));
        lengths.find(|&(_, length)| length == 0 || !length.is_multiple_of(d))
    }

    /// Whether what was loaded fits together.
    pub fn is_consistent(&self) -> bool {
        self.problem().is_none()
            && self.starts.windows(2).all(|w| w[0] <= w[1])
            && self.values.iter().all(|v| v.is_finite())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The series.
    pub fn view(&self) -> SeriesRef<'_> {
        SeriesRef { n_coordinates: self.n_coordinates, starts: &self.starts, values: &self.values }
    }
}

impl<'a> SeriesRef<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The coordinates of each point.
    pub fn n_coordinates(&self) -> usize {
        self.n_coordinates
    }

    /// The values of a series, point by point.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn get(&self, i: usize) -> &'a [f64] {
        &self.values[self.starts[i]..self.starts[i + 1]]
    }

    /// The series of a range.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn range(&self, range: Range<usize>) -> SeriesRef<'a> {
        SeriesRef { starts: &self.starts[range.start..=range.end], ..*self }
    }

    /// The chosen series, copied.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn gather(&self, chosen: &[usize]) -> Series {
        let (mut starts, mut values) = (vec![0], Vec::new());
        for &i in chosen {
            values.extend_from_slice(self.get(i));
            starts.push(values.len());
        }
        Series { n_coordinates: self.n_coordinates, starts, values }
    }

    /// The coordinates as features.
    pub(crate) fn features(&self) -> Vec<Feature> {
        let one = |j| Feature { name: format!("x{j}"), kind: ColumnKind::Numeric, levels: Arc::from([]) };
        (0..self.n_coordinates).map(one).collect()
    }

    /// Refuses values that are not finite; the error names series and point.
    pub fn finite(&self, learner: &str) -> Result<()> {
        for i in 0..self.len() {
            if let Some(at) = self.get(i).iter().position(|v| !v.is_finite()) {
                return Err(ErrorKind::BadValue {
                    learner: learner.to_owned(),
                    value: self.get(i)[at].to_string(),
                    column: format!("t{}", at / self.n_coordinates),
                    row: i,
                    hint: "; series have no missing values".to_owned(),
                }
                .into());
            }
        }
        Ok(())
    }
}

/// Series as they are, with as many coordinates as those that were learnt from; the rows of a table of numbers are series of
/// equal length.
pub(super) fn align<'i, 'a>(
    owner: &str,
    schema: &Schema,
    input: &'i Input<'a>,
) -> Result<Cow<'i, Input<'a>>> {
    let aligned = match input {
        Input::Series(_) => Cow::Borrowed(input),
        Input::Rows(rows) => Cow::Owned(Series::from_rows(owner, rows)?.into()),
        Input::Strings(_)
        | Input::Density(_)
        | Input::Mdp(_)
        | Input::States(_)
        | Input::Graphs(_)
        | Input::Environment(_) => {
            return Err(wrong_kind(owner, DataKind::Series, input.kind()));
        }
    };
    let (wanted, found) = (schema.n_features(), aligned.series(owner)?.n_coordinates());
    match wanted == found {
        true => Ok(aligned),
        false => Err(Error::shape(format!("coordinates of the series that {owner} takes"), wanted, found)),
    }
}

impl From<Series> for Input<'_> {
    fn from(series: Series) -> Self {
        Input::Series(Arc::new(series))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::Mat;

    #[test]
    fn series_are_whole_points() {
        let two = Series::new(2, vec![0, 2, 6], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!((two.len(), two.view().range(1..2).get(0)), (2, &[2.0, 3.0, 4.0, 5.0][..]));
        assert_eq!(two.view().gather(&[1, 0]).view().get(1), [0.0, 1.0]);
        assert!(two.is_consistent());
        for (starts, values) in [(vec![0, 3], 3), (vec![0, 0, 2], 2), (vec![0, 2], 4), (vec![], 0)] {
            let error = Series::new(2, starts, vec![0.0; values]).unwrap_err().to_string();
            assert!(error.contains("series 0"), "{error}");
        }
    }

    #[test]
    fn rows_are_series() {
        let rows = Input::from(Mat::from_rows(&[[1.0, 2.0], [3.0, 4.0]]).unwrap());
        let known = Series::new(1, vec![0, 1], vec![0.0]).unwrap();
        let schema = Schema::of(&crate::Dataset::new(known));
        let aligned = align("a test", &schema, &rows).unwrap();
        let series = aligned.series("a test").unwrap();
        assert_eq!(series.get(1), [3.0, 4.0]);
        let two = Input::from(Series::new(2, vec![0, 2], vec![0.0, 1.0]).unwrap());
        assert!(align("a test", &schema, &two).unwrap_err().to_string().contains("coordinates"));
        let bad = Series::new(1, vec![0, 2], vec![1.0, f64::NAN]).unwrap();
        assert!(bad.view().finite("a test").unwrap_err().to_string().contains("t1"));
    }
}
