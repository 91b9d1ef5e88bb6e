//! Points and a kernel as the solver sees them: numbered, with blocks of values.

use super::solver::Oracle;
use crate::kernel::{Kernel, Points, PointsRef, Side};
use mercer_core::Result;
use mercer_math::MatRef;
use std::ops::Range;

/// Some of the points learnt from, numbered anew.
pub(crate) struct Source<'a> {
    kernel: &'a Kernel,
    points: PointsRef<'a>,
    /// The Gram matrix, where the kernel is given by it.
    given: Option<MatRef<'a>>,
    /// The places of the chosen points among all.
    chosen: Vec<usize>,
}

/// Chosen points: copies, or their places in the Gram matrix.
pub(crate) enum Chosen {
    Points(Points),
    Places(Vec<usize>),
}

/// Chosen points made ready.
pub(crate) enum Ready<'s> {
    Side(Side<'s>),
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
        Ok(Self { kernel, points, given, chosen })
    }

    /// Some of these points.
    pub(crate) fn subset(&self, of: &[usize]) -> Self {
        let chosen = of.iter().map(|&i| self.chosen[i]).collect();
        Self { kernel: self.kernel, points: self.points, given: self.given, chosen }
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
            Chosen::Points(points) => Ready::Side(ready(self.kernel, points.view())),
            Chosen::Places(places) => Ready::Places(places),
        }
    }

    fn block(&self, left: &Ready<'_>, rows: Range<usize>, right: &Ready<'_>, out: &mut [f64]) {
        match (left, right, self.given) {
            (Ready::Side(left), Ready::Side(right), _) => self.kernel.block(left, rows, right, out),
            (Ready::Places(left), Ready::Places(right), Some(gram)) => {
                let values = left[rows].iter().flat_map(|&i| right.iter().map(move |&j| gram.get(i, j)));
                out.iter_mut().zip(values).for_each(|(o, v)| *o = v);
            }
            _ => unreachable!("both sides are made of the same points"),
        }
    }
}

fn ready<'s>(kernel: &Kernel, points: PointsRef<'s>) -> Side<'s> {
    kernel.side(points).expect("the kernel has taken all of these points before")
}
