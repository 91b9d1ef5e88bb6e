//! Mean functions: what a Gaussian process is about where its data say nothing.
//!
//! The coefficients of the mean function have a flat prior and are integrated out (Rasmussen and Williams, section 2.7). With
//! $H$ the functions' values at the rows, $A = H^\top K^{-1} H$ and $P = K^{-1} - K^{-1}HA^{-1}H^\top K^{-1}$, everything that a process
//! of mean zero has in $K^{-1}$ is found in $P$: the likelihood, its gradient and leaving one out.

use crate::kernel::PointsRef;
use mercer_core::{Choice, Error, Result};
use mercer_math::{ColumnMoments, Mat, axpy, dot};
use serde::{Deserialize, Serialize};

/// The mean of a Gaussian process before it has seen data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum MeanFunction {
    /// Zero.
    Zero,
    /// An unknown number.
    Constant,
    /// An unknown linear function of the features.
    Linear,
}

/// The functions that a mean is made of: none, 1, or 1 and standardised features, of which those that depend on others are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Trend {
    pub(super) constant: bool,
    /// Feature, its mean and its deviation.
    pub(super) features: Vec<(usize, f64, f64)>,
}

impl Trend {
    pub(super) fn of(who: &str, mean: MeanFunction, points: PointsRef<'_>) -> Result<Self> {
        let mut trend = Self { constant: mean != MeanFunction::Zero, features: Vec::new() };
        if mean != MeanFunction::Linear {
            return Ok(trend);
        }
        let PointsRef::Dense(x) = points else {
            return Err(Error::param(who, "mean", "zero or constant where the points are no rows", "linear"));
        };
        let moments = ColumnMoments::of(x, None);
        let (means, variances) = (moments.means(), moments.variances());
        let mut chosen: Vec<Vec<f64>> = Vec::new();
        for j in 0..x.n_cols() {
            let deviation = variances[j].sqrt();
            let varies = deviation > 1e-13 * means[j].abs();
            if !varies {
                continue;
            }
            let mut column: Vec<f64> =
                (0..x.n_rows()).map(|i| (x.get(i, j) - means[j]) / deviation).collect();
            let size = dot(&column, &column);
            for other in &chosen {
                axpy(-dot(other, &column), other, &mut column);
            }
            let left = dot(&column, &column);
            if left > 1e-10 * size && chosen.len() + 2 < x.n_rows() {
                column.iter_mut().for_each(|v| *v /= left.sqrt());
                chosen.push(column);
                trend.features.push((j, means[j], deviation));
            }
        }
        Ok(trend)
    }

    /// How many functions there are.
    pub(super) fn len(&self) -> usize {
        usize::from(self.constant) + self.features.len()
    }

    /// Their values, points × functions.
    pub(super) fn values(&self, points: PointsRef<'_>) -> Mat {
        Mat::from_fn(points.len(), self.len(), |i, k| match (k, points) {
            (0, _) => 1.0,
            (k, PointsRef::Dense(x)) => {
                let (j, mean, deviation) = self.features[k - 1];
                (x.get(i, j) - mean) / deviation
            }
            _ => 0.0,
        })
    }

    pub(super) fn fits(&self, n_features: usize) -> bool {
        (self.constant || self.features.is_empty())
            && self.features.iter().all(|(j, _, deviation)| *j < n_features && *deviation > 0.0)
    }
}
