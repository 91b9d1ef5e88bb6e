//! Points and a kernel as the solver sees them: numbered, with blocks of values.

use super::solver::Oracle;
use crate::kernel::{Kernel, Points, PointsRef, Side};
use mercer_core::Result;
use mercer_math::{Mat, MatRef, SinglePoints, rbf_single};
use std::ops::Range;
use std::sync::Arc;

/// Some of the points learnt from, numbered anew.
pub(crate) struct Source<'a> {
    kernel: &'a Kernel,
    points: PointsRef<'a>,
    /// The Gram matrix, where the kernel is given by it.
    given: Option<MatRef<'a>>,
    /// The places of the chosen points among all.
    chosen: Vec<usize>,
    /// γ of an RBF kernel and the mean of dense rows, where distances about it are small enough for single precision.
    single: Option<(f64, Arc<[f64]>)>,
}

/// Chosen points: copies, or their places in the Gram matrix.
pub(crate) enum Chosen {
    Points(Points),
    Places(Vec<usize>),
}

/// Chosen points made ready.
pub(crate) enum Ready<'s> {
    Side(Box<Side<'s>>, Option<SinglePoints>),
    Places(&'s [usize]),
}

impl<'a> Source<'a> {
    /// Some points; an error where the kernel does not take them.
    pub(crate) fn new(kernel: &'a Kernel, points: PointsRef<'a>, chosen: Vec<usize>) -> Result<Self> {
        let given = match (kernel, points) {
            (Kernel::Precomputed, PointsRef::Dense(gram)) => Some(gram),
            _ => None,
        };
        // What is refused is refused here, before anything is solved.
        kernel.side(points)?;
        let single = single(kernel, points);
        Ok(Self { kernel, points, given, chosen, single })
    }

    /// Some of these points.
    pub(crate) fn subset(&self, of: &[usize]) -> Self {
        let chosen = of.iter().map(|&i| self.chosen[i]).collect();
        Self { chosen, single: self.single.clone(), ..*self }
    }
}

impl Oracle for Source<'_> {
    type Points = Chosen;
    type Side<'s>
        = Ready<'s>
    where
        Self: 's;

    fn len(&self) -> usize {
        self.chosen.len()
    }

    fn diagonal(&self) -> Vec<f64> {
        if let Some(gram) = self.given {
            return self.chosen.iter().map(|&i| gram.get(i, i)).collect();
        }
        let points = self.points.gather(&self.chosen);
        self.kernel.diagonal(&ready(self.kernel, points.view()))
    }

    fn gather(&self, points: &[usize]) -> Chosen {
        let places: Vec<usize> = points.iter().map(|&i| self.chosen[i]).collect();
        match self.given {
            Some(_) => Chosen::Places(places),
            None => Chosen::Points(self.points.gather(&places)),
        }
    }

    fn side<'s>(&'s self, points: &'s Chosen) -> Ready<'s> {
        match points {
            Chosen::Points(points) => {
                let about = |x: &Mat, mean: &[f64]| {
                    SinglePoints::new(x.n_rows(), x.n_cols(), |i, j| x[(i, j)] - mean[j])
                };
                let single = match (points, &self.single) {
                    (Points::Dense(x), Some((_, mean))) => Some(about(x, mean)),
                    _ => None,
                };
                Ready::Side(Box::new(ready(self.kernel, points.view())), single)
            }
            Chosen::Places(places) => Ready::Places(places),
        }
    }

    fn block(&self, left: &Ready<'_>, rows: Range<usize>, right: &Ready<'_>, out: &mut [f64]) {
        match (left, right, self.given) {
            (Ready::Side(left, _), Ready::Side(right, _), _) => self.kernel.block(left, rows, right, out),
            (Ready::Places(left), Ready::Places(right), Some(gram)) => {
                let values = left[rows].iter().flat_map(|&i| right.iter().map(move |&j| gram.get(i, j)));
                out.iter_mut().zip(values).for_each(|(o, v)| *o = v);
            }
            _ => unreachable!("both sides are made of the same points"),
        }
    }

    fn single(&self, left: &Ready<'_>, right: &Ready<'_>, out: &mut [f32]) -> bool {
        match (left, right, &self.single) {
            (Ready::Side(_, Some(left)), Ready::Side(_, Some(right)), Some((gamma, _))) => {
                rbf_single(left, right, *gamma as f32, out);
                true
            }
            _ => false,
        }
    }
}

/// γ and the mean of the rows, where γ times the largest squared distance from it leaves the digits of single precision.
fn single(kernel: &Kernel, points: PointsRef<'_>) -> Option<(f64, Arc<[f64]>)> {
    let (Kernel::Rbf(scale), PointsRef::Dense(x)) = (kernel, points) else { return None };
    let [scale] = scale.values[..] else { return None };
    let gamma = 0.5 / (scale * scale);
    let (n, d) = (x.n_rows(), x.n_cols());
    let mean: Arc<[f64]> = (0..d).map(|j| (0..n).map(|i| x.get(i, j)).sum::<f64>() / n as f64).collect();
    let square = |i: usize| (0..d).map(|j| (x.get(i, j) - mean[j]).powi(2)).sum::<f64>();
    let largest = (0..n).map(square).fold(0.0, f64::max);
    (gamma * largest < 16.0).then_some((gamma, mean))
}

fn ready<'s>(kernel: &Kernel, points: PointsRef<'s>) -> Side<'s> {
    kernel.side(points).expect("the kernel has taken all of these points before")
}
