//! A data set: a view of input, target, weights and groups through row indices, so that folds copy nothing.

use crate::data_kinds::{Input, Matrix, Numbers, Rows};
use crate::error::{Error, ErrorKind, Result};
use crate::target::{Labels, Target};
use mercer_math::Weights;
use std::borrow::Cow;
use std::sync::Arc;

/// What a learner is given. Cloning and taking subsets copies no values.
///
/// # Example
/// ```
/// use mercer_core::{Dataset, Target};
/// use mercer_math::Mat;
/// let x = Mat::from_rows(&[[0.0], [1.0], [2.0]]).unwrap();
/// let data = Dataset::new(&x).with_target(Target::real(vec![0.0, 1.0, 2.0]))?;
/// let fold = data.subset(&[0, 2])?;
/// assert_eq!(fold.n_rows(), 2);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dataset<'a> {
    input: Input<'a>,
    target: Option<Arc<Target<'a>>>,
    weights: Option<Arc<Cow<'a, [f64]>>>,
    groups: Option<Arc<Cow<'a, [u32]>>>,
    rows: Option<Arc<[usize]>>,
    valid: Option<Arc<Dataset<'a>>>,
}

impl<'a> Dataset<'a> {
    /// A data set without a target.
    pub fn new(input: impl Into<Input<'a>>) -> Self {
        Self { input: input.into(), target: None, weights: None, groups: None, rows: None, valid: None }
    }

    /// The data set with a target; it must have as many rows.
    pub fn with_target(mut self, target: Target<'a>) -> Result<Self> {
        self.check_len("rows of the target", target.n_rows())?;
        self.target = Some(Arc::new(target));
        Ok(self)
    }

    /// The data set with a weight for each row: finite and not negative (`fit` wants one above zero).
    pub fn with_weights(mut self, weights: impl Into<Cow<'a, [f64]>>) -> Result<Self> {
        let weights = weights.into();
        self.check_len("weights", weights.len())?;
        if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(bad_weight(weights[row], row));
        }
        self.weights = Some(Arc::new(weights));
        Ok(self)
    }

    /// The data set with a group for each row, for splits that keep groups together.
    pub fn with_groups(mut self, groups: impl Into<Cow<'a, [u32]>>) -> Result<Self> {
        let groups = groups.into();
        self.check_len("groups", groups.len())?;
        self.groups = Some(Arc::new(groups));
        Ok(self)
    }

    /// The data set with validation rows, for early stopping.
    #[must_use]
    pub fn with_valid(mut self, valid: Dataset<'a>) -> Self {
        self.valid = Some(Arc::new(valid));
        self
    }

    fn check_len(&self, what: &str, got: usize) -> Result<()> {
        match self.input.n_units() {
            Some(n) if n != got => Err(Error::shape(what, n, got)),
            None => Err(Error::incapable(&self.input.kind().to_string(), format!("have {what}"))),
            _ => Ok(()),
        }
    }

    /// The chosen rows of this view, which may repeat.
    pub fn subset(&self, rows: &[usize]) -> Result<Dataset<'a>> {
        let n = self.n_rows();
        if let Some(&bad) = rows.iter().find(|&&i| i >= n) {
            return Err(Error::shape("a row index below", n, bad));
        }
        let rows = match &self.rows {
            Some(outer) => rows.iter().map(|&i| outer[i]).collect(),
            None => rows.into(),
        };
        Ok(Dataset { rows: Some(rows), valid: None, ..self.clone() })
    }

    /// Number of rows (0 for kinds that have none).
    pub fn n_rows(&self) -> usize {
        self.rows.as_ref().map_or_else(|| self.input.n_units().unwrap_or(0), |r| r.len())
    }

    /// Number of features (0 for kinds that have none).
    pub fn n_features(&self) -> usize {
        match &self.input {
            Input::Rows(rows) => rows.n_features(),
            Input::Strings(_)
            | Input::Density(_)
            | Input::Mdp(_)
            | Input::States(_)
            | Input::Series(_)
            | Input::Graphs(_)
            | Input::Environment(_) => 0,
        }
    }

    /// The input of this view; rows are copied only where the view selects some.
    pub fn input(&self) -> Input<'a> {
        match &self.rows {
            Some(rows) => self.input.gather(rows),
            None => self.input.clone(),
        }
    }

    /// The whole input under the view, without regard to the chosen rows.
    pub fn whole_input(&self) -> &Input<'a> {
        &self.input
    }

    /// The same view over another input with the same rows, as a preparation step makes it.
    pub fn with_input<'b>(&self, input: Input<'b>) -> Result<Dataset<'b>>
    where
        'a: 'b,
    {
        let rows = self.clone().compact_rows();
        let made = Dataset {
            input,
            target: rows.target,
            weights: rows.weights,
            groups: rows.groups,
            rows: None,
            valid: None,
        };
        made.input.n_units().map_or(Ok(()), |n| {
            if n == self.n_rows() {
                Ok(())
            } else {
                Err(Error::shape("rows after preparation", self.n_rows(), n))
            }
        })?;
        Ok(made)
    }

    /// The same view without its weights.
    #[must_use]
    pub fn without_weights(&self) -> Dataset<'a> {
        Dataset { weights: None, ..self.clone() }
    }

    /// Target, weights and groups copied along the chosen rows; the input is left alone.
    fn compact_rows(mut self) -> Dataset<'a> {
        if let Some(rows) = &self.rows {
            self.target = self.target.map(|t| Arc::new(t.gather(rows)));
            self.weights = self.weights.map(|w| Arc::new(rows.iter().map(|&i| w[i]).collect()));
            self.groups = self.groups.map(|g| Arc::new(rows.iter().map(|&i| g[i]).collect()));
        }
        self
    }

    /// The rows of features of this view.
    pub fn rows(&self, learner: &str) -> Result<Rows<'a>> {
        let whole = self.input.rows(learner)?;
        Ok(match &self.rows {
            Some(rows) => whole.gather(rows),
            None => whole.clone(),
        })
    }

    /// The features as numbers, dense or sparse.
    pub fn numbers(&self, learner: &str) -> Result<Numbers<'a>> {
        self.rows(learner)?.numbers(learner)
    }

    /// The features as a dense matrix.
    pub fn dense(&self, learner: &str) -> Result<Matrix<'a>> {
        self.rows(learner)?.dense(learner)
    }

    /// The target of this view.
    pub fn target(&self) -> Option<Cow<'_, Target<'a>>> {
        self.target.as_deref().map(|t| match &self.rows {
            Some(rows) => Cow::Owned(t.gather(rows)),
            None => Cow::Borrowed(t),
        })
    }

    /// The target, or an error that names the learner.
    pub fn need_target(&self, learner: &str) -> Result<Cow<'_, Target<'a>>> {
        self.target().ok_or_else(|| {
            ErrorKind::Incapable {
                who: learner.to_owned(),
                what: "learn without a target".to_owned(),
                hint: String::new(),
            }
            .into()
        })
    }

    /// The target's dictionary, when it is a single column of classes.
    pub fn labels(&self) -> Option<&Labels> {
        self.target.as_deref().and_then(|t| t.class().ok()).map(|(_, labels)| labels)
    }

    /// The weights of this view.
    pub fn weights(&self) -> Option<Cow<'_, [f64]>> {
        self.weights.as_deref().map(|w| match &self.rows {
            Some(rows) => rows.iter().map(|&i| w[i]).collect(),
            None => Cow::Borrowed(w.as_ref()),
        })
    }

    /// The mean squared (or absolute) distance of the numeric targets from a constant a ten-thousandth beside their
    /// mean: what a model that learnt nothing loses, and so the size of such losses on these data.
    pub fn target_spread(&self, absolute: bool) -> Result<f64> {
        let target = self.need_target("a fit")?;
        let (weights, n) = (self.weights(), self.n_rows());
        let weight = Weights::of(&weights);
        let (mut loss, total) = (0.0, weight.total(n));
        for k in 0..target.n_columns() {
            let y = target.numbers_of(k)?;
            let constant = y.iter().zip(weight.iter(n)).map(|(y, w)| w / total * y).sum::<f64>() * 1.0001;
            let one = |y: &f64| if absolute { (y - constant).abs() } else { (y - constant).powi(2) };
            loss += y.iter().zip(weight.iter(n)).map(|(y, w)| w / total * one(y)).sum::<f64>();
        }
        Ok(loss / target.n_columns() as f64)
    }

    /// The groups of this view.
    pub fn groups(&self) -> Option<Cow<'_, [u32]>> {
        self.groups.as_deref().map(|g| match &self.rows {
            Some(rows) => rows.iter().map(|&i| g[i]).collect(),
            None => Cow::Borrowed(g.as_ref()),
        })
    }

    /// The validation rows, if any.
    pub fn valid(&self) -> Option<&Dataset<'a>> {
        self.valid.as_deref()
    }
}

fn bad_weight(weight: f64, row: usize) -> Error {
    ErrorKind::BadValue {
        learner: "a fit".to_owned(),
        value: format!("the weight {weight}"),
        column: "sample_weight".to_owned(),
        row,
        hint: "; weights are finite and at least 0".to_owned(),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::Mat;

    #[test]
    fn subsets_of_subsets_keep_rows_targets_and_weights_together() {
        let x = Mat::from_fn(6, 1, |i, _| i as f64);
        let target = Target::real((0..6).map(|i| 10.0 * i as f64).collect::<Vec<_>>());
        let data = Dataset::new(&x).with_target(target).unwrap().with_weights(vec![1.0; 6]).unwrap();
        let inner = data.subset(&[5, 3, 1]).unwrap().subset(&[2, 2, 0]).unwrap();
        let numbers = inner.dense("test").unwrap();
        assert_eq!(numbers.view().col_cow(0).as_ref(), &[1.0, 1.0, 5.0]);
        assert_eq!(inner.target().unwrap().numbers().unwrap(), &[10.0, 10.0, 50.0]);
        assert!(data.subset(&[6]).is_err());
    }

    #[test]
    fn weights_are_checked() {
        let x = Mat::zeros(2, 1);
        for bad in [vec![1.0], vec![1.0, -1.0], vec![1.0, f64::NAN]] {
            assert!(Dataset::new(&x).with_weights(bad).is_err());
        }
    }
}
