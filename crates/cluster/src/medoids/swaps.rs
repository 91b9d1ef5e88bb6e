//! Medoids, and what swapping one for another row would change.

use crate::space::Lines;

/// The two nearest medoids of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Two {
    first: (f64, u32),
    second: (f64, u32),
}

/// Medoids, the distances of all rows from them, and the two nearest of each row.
pub(super) struct Swaps {
    weights: Vec<f64>,
    medoids: Vec<usize>,
    /// Line m has the distances from medoid m.
    far: Vec<Vec<f64>>,
    near: Vec<Two>,
    /// What the objective gains where a medoid is taken away.
    losses: Vec<f64>,
    line: Vec<f64>,
    changes: Vec<f64>,
}

/// A swap must lower the objective by this share.
const SLACK: f64 = 1e-12;

impl Swaps {
    pub(super) fn new(lines: &Lines<'_>, weights: Vec<f64>, medoids: Vec<usize>) -> Self {
        let (n, k) = (weights.len(), medoids.len());
        let mut far = vec![vec![0.0; n]; k];
        far.iter_mut().zip(&medoids).for_each(|(far, &m)| lines.fill(m, far));
        let (near, line) = (vec![Two::default(); n], vec![0.0; n]);
        let mut all = Self { weights, medoids, far, near, losses: vec![0.0; k], line, changes: vec![0.0; k] };
        (0..n).for_each(|i| all.near[i] = all.two(i));
        all.lose();
        all
    }

    fn two(&self, i: usize) -> Two {
        let none = (f64::INFINITY, u32::MAX);
        let mut two = Two { first: none, second: none };
        for (m, far) in self.far.iter().enumerate() {
            // A medoid is its own, even where another coincides with it.
            let own = (if self.medoids[m] == i { -1.0 } else { far[i] }, m as u32);
            if own.0 < two.first.0 {
                (two.second, two.first) = (two.first, own);
            } else if own.0 < two.second.0 {
                two.second = own;
            }
        }
        two.first.0 = two.first.0.max(0.0);
        two.second.0 = two.second.0.max(0.0);
        two
    }

    fn lose(&mut self) {
        self.losses.fill(0.0);
        for (two, w) in self.near.iter().zip(&self.weights) {
            self.losses[two.first.1 as usize] += w * (two.second.0 - two.first.0);
        }
    }

    pub(super) fn objective(&self) -> f64 {
        self.near.iter().zip(&self.weights).map(|(two, w)| w * two.first.0).sum()
    }

    /// The best swap of a row with a medoid: the medoid, and the change of the objective.
    fn best(&mut self, lines: &Lines<'_>, row: usize) -> (usize, f64) {
        lines.fill(row, &mut self.line);
        if self.medoids.len() == 1 {
            let total: f64 = self.line.iter().zip(&self.weights).map(|(far, w)| w * far).sum();
            return (0, total - self.objective());
        }
        let mut shared = 0.0;
        self.changes.copy_from_slice(&self.losses);
        for ((far, two), w) in self.line.iter().zip(&self.near).zip(&self.weights) {
            let change = &mut self.changes[two.first.1 as usize];
            if *far < two.first.0 {
                shared += w * (far - two.first.0);
                *change += w * (two.first.0 - two.second.0);
            } else if *far < two.second.0 {
                *change += w * (far - two.second.0);
            }
        }
        let least = |best: usize, m: usize| if self.changes[m] < self.changes[best] { m } else { best };
        let m = (1..self.changes.len()).fold(0, least);
        (m, self.changes[m] + shared)
    }

    /// Swaps a row with a medoid where that improves; whether it did.
    pub(super) fn try_row(&mut self, lines: &Lines<'_>, row: usize) -> bool {
        if self.medoids.contains(&row) {
            return false;
        }
        let (m, change) = self.best(lines, row);
        let better = change < -SLACK * self.objective();
        if better {
            self.medoids[m] = row;
            std::mem::swap(&mut self.far[m], &mut self.line);
            (0..self.near.len()).for_each(|i| self.near[i] = self.two(i));
            self.lose();
        }
        better
    }

    /// How much the best of all swaps would gain.
    pub(super) fn best_gain(&mut self, lines: &Lines<'_>, candidates: &[usize]) -> f64 {
        let free: Vec<usize> = candidates.iter().copied().filter(|i| !self.medoids.contains(i)).collect();
        free.into_iter().map(|i| -self.best(lines, i).1).fold(0.0, f64::max)
    }

    pub(super) fn into_parts(self) -> (Vec<usize>, Vec<i32>, f64) {
        let objective = self.objective();
        (self.medoids, self.near.iter().map(|two| two.first.1 as i32).collect(), objective)
    }
}
