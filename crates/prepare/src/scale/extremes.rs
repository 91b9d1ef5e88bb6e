//! The smallest and largest value of each column, by sums.

use mercer_core::sums::Block;
use mercer_core::{Column, NumbersRef, RowData, Rows};
use mercer_math::Weights;
use serde::{Deserialize, Serialize};

/// The range of each column among the rows of positive weight, and the weight of those rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// The smallest value; infinity where there is none.
    pub min: Vec<f64>,
    /// The largest value; negative infinity where there is none.
    pub max: Vec<f64>,
    /// The weight of the rows.
    pub weight: f64,
}

impl Extremes {
    pub(crate) fn empty(n_features: usize) -> Self {
        Self { min: vec![f64::INFINITY; n_features], max: vec![f64::NEG_INFINITY; n_features], weight: 0.0 }
    }

    /// Adds a row. Comparisons with NaN are false: missing values change nothing.
    fn add_row(&mut self, row: &[f64]) {
        let ends = self.min.iter_mut().zip(&mut self.max);
        for (&v, (min, max)) in row.iter().zip(ends) {
            *min = if v < *min { v } else { *min };
            *max = if v > *max { v } else { *max };
        }
    }

    fn add(&mut self, j: usize, v: f64) {
        self.min[j] = if v < self.min[j] { v } else { self.min[j] };
        self.max[j] = if v > self.max[j] { v } else { self.max[j] };
    }

    pub(crate) fn absorb(&mut self, block: &Block<'_>) {
        let counted = (0..block.n_rows()).filter(|&i| block.weight(i) > 0.0);
        match block.x {
            NumbersRef::Dense(x) => {
                for i in counted {
                    self.weight += block.weight(i);
                    match x.row(i) {
                        Some(row) => self.add_row(row),
                        None => (0..x.n_cols()).for_each(|j| self.add(j, x.get(i, j))),
                    }
                }
            }
            NumbersRef::Sparse(x) => {
                let mut stored = vec![0usize; x.n_cols()];
                let mut n = 0;
                for i in counted {
                    self.weight += block.weight(i);
                    n += 1;
                    for (&j, &v) in x.row(i).0.iter().zip(x.row(i).1) {
                        stored[j as usize] += 1;
                        self.add(j as usize, v);
                    }
                }
                (0..x.n_cols()).filter(|&j| stored[j] < n).for_each(|j| self.add(j, 0.0));
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Extremes) {
        self.weight += other.weight;
        self.min.iter_mut().zip(&other.min).for_each(|(a, b)| *a = a.min(*b));
        self.max.iter_mut().zip(&other.max).for_each(|(a, b)| *a = a.max(*b));
    }

    /// The extremes of rows in any layout; columns that are no numbers have none.
    pub(crate) fn of(rows: &Rows<'_>, weights: Option<&[f64]>) -> Self {
        let mut out = Self::empty(rows.n_features());
        let x = match rows.data() {
            RowData::Dense(m) => NumbersRef::Dense(m.view()),
            RowData::Sparse(m) => NumbersRef::Sparse(m.view()),
            RowData::Table(table) => {
                let weights = Weights::from(weights);
                (0..table.n_rows()).for_each(|i| out.weight += weights[i]);
                for (j, column) in table.columns().iter().enumerate() {
                    let Column::Numeric(values) = column.as_ref() else { continue };
                    let counted = values.iter().enumerate().filter(|(i, _)| weights.counts(*i));
                    counted.for_each(|(_, &v)| out.add(j, v));
                }
                return out;
            }
        };
        let targets = mercer_math::Mat::zeros(0, 0);
        out.absorb(&Block { x, targets: targets.view(), classes: &[], weights: weights.into() });
        out
    }

    /// Smallest, largest and largest absolute value of column `j`; `None` where it has no value.
    pub(crate) fn column(&self, j: usize) -> Option<(f64, f64, f64)> {
        let (min, max) = (self.min[j], self.max[j]);
        (min <= max).then(|| (min, max, max.max(-min)))
    }
}

/// Makes a learner whose `model(&self, Extremes)` needs nothing but the extremes learn in memory and from streams.
macro_rules! learns_from_extremes {
    ($learner:ty => $model:ty) => {
        impl mercer_core::sums::BySums for $learner {
            type State = usize;
            type Summary = $crate::scale::extremes::Extremes;
            type Local = ();
            type Model = $model;

            fn begin(&self, shape: &mercer_core::sums::Shape, _: &Session) -> Result<usize> {
                Ok(shape.n_features)
            }

            fn empty(&self, n_features: &usize) -> Self::Summary {
                Self::Summary::empty(*n_features)
            }

            fn absorb(
                &self,
                _: &usize,
                block: &mercer_core::sums::Block<'_>,
                (): &mut (),
                summary: &mut Self::Summary,
            ) -> Result<()> {
                summary.absorb(block);
                Ok(())
            }

            fn merge(&self, into: &mut Self::Summary, other: Self::Summary) {
                into.merge(&other);
            }

            fn advance(
                &self,
                _: usize,
                summary: Self::Summary,
                _: &Session,
            ) -> Result<mercer_core::sums::Round<usize, $model>> {
                Ok(mercer_core::sums::Round::Done(self.model(&summary)))
            }
        }

        impl Learn for $learner {
            type Model = $model;

            fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<$model> {
                let rows = data.rows(Self::NAME)?;
                match rows.data() {
                    mercer_core::RowData::Table(_) => {
                        let extremes =
                            $crate::scale::extremes::Extremes::of(&rows, data.weights().as_deref());
                        Ok(self.model(&extremes))
                    }
                    _ => mercer_core::sums::fit(Self::NAME, self, data, session),
                }
            }

            fn learn_stream(
                &self,
                batches: &mut dyn mercer_core::sums::Batches,
                session: &Session,
            ) -> Option<Result<$model>> {
                Some(mercer_core::sums::fit_stream(Self::NAME, &self.capabilities(), self, batches, session))
            }

            fn capabilities(&self) -> mercer_core::Capabilities {
                self.narrow_capabilities(Self::declaration().capabilities)
            }

            fn check(&self) -> Result<()> {
                self.check_params()?;
                self.check_together()
            }
        }
    };
}
pub(crate) use learns_from_extremes;
