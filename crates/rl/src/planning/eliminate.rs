//! Elimination of states: the dense systems of Markov chains, without a subtraction.

use mercer_math::axpy;

/// The system (I − A) x = b of a block of states, where A has no negative number and the rows of I − A sum to `leaving`.
///
/// States are eliminated one by one (Grassmann, Taksar and Heyman 1985): what leaves a state is carried along instead of
/// being made of its diagonal, so that nothing is subtracted and every number is right to a few units of rounding in relation
/// to itself, however seldom the block is left.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    n: usize,
    a: Vec<f64>,
    /// What leaves each state: discounted, or out of the block.
    pub(crate) leaving: Vec<f64>,
}

impl Block {
    pub(crate) fn new(n: usize) -> Self {
        Self { n, a: vec![0.0; n * n], leaving: vec![0.0; n] }
    }

    /// Adds to the weight of the way from state i to state j; what stays at a state needs no weight.
    pub(crate) fn add(&mut self, i: usize, j: usize, weight: f64) {
        if i != j {
            self.a[i * self.n + j] += weight;
        }
    }

    /// Takes out all states but the first, the last of them first, from the system and from right-hand sides; then
    /// finds the values of each right-hand side from the first state on. Where nothing leaves the block, the value of
    /// the first state is zero.
    pub(crate) fn eliminate(&mut self, right: &mut [Vec<f64>]) -> Vec<Vec<f64>> {
        let n = self.n;
        let mut pivots = vec![0.0; n];
        for k in (1..n).rev() {
            let (above, rest) = self.a.split_at_mut(k * n);
            let row = &rest[..k];
            let pivot = self.leaving[k] + row.iter().sum::<f64>();
            pivots[k] = pivot;
            for i in 0..k {
                let factor = above[i * n + k] / pivot;
                if factor > 0.0 {
                    let held = above[i * n + i];
                    axpy(factor, row, &mut above[i * n..i * n + k]);
                    above[i * n + i] = held;
                    self.leaving[i] += factor * self.leaving[k];
                    right.iter_mut().for_each(|b| b[i] += factor * b[k]);
                }
            }
        }
        pivots[0] = self.leaving[0];
        let solve = |b: &Vec<f64>| {
            let mut x: Vec<f64> = Vec::with_capacity(n);
            x.push(if pivots[0] > 0.0 { b[0] / pivots[0] } else { 0.0 });
            for k in 1..n {
                let known = mercer_math::dot(&self.a[k * n..k * n + k], &x);
                x.push((b[k] + known) / pivots[k]);
            }
            x
        };
        right.iter().map(solve).collect()
    }

    /// The shares of time in each state of a block that is never left, once [`Block::eliminate`] has run.
    pub(crate) fn stationary(&self) -> Vec<f64> {
        let n = self.n;
        let mut shares = vec![1.0; n];
        for k in 1..n {
            let pivot = self.leaving[k] + self.a[k * n..k * n + k].iter().sum::<f64>();
            shares[k] = (0..k).map(|i| shares[i] * self.a[i * n + k]).sum::<f64>() / pivot;
        }
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|s| *s /= total);
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{Mat, lstsq, rng_for, uniform};

    #[test]
    fn solves_what_least_squares_solves() {
        for n in [1, 2, 5, 20] {
            let mut rng = rng_for(n as u64, 3);
            let mut weights = Mat::from_fn(n, n, |_, _| uniform(&mut rng));
            let mut block = Block::new(n);
            for i in 0..n {
                let sum: f64 = weights.row(i).iter().sum();
                (0..n).for_each(|j| weights[(i, j)] *= 0.9 / sum);
                block.leaving[i] = 0.1;
                (0..n).for_each(|j| block.add(i, j, weights[(i, j)]));
            }
            let b: Vec<f64> = (0..n).map(|i| i as f64 - 1.0).collect();
            let system = Mat::from_fn(n, n, |i, j| f64::from(i == j) - weights[(i, j)]);
            let (expected, _) = lstsq(system.view(), Mat::from_fn(n, 1, |i, _| b[i]).view(), None).unwrap();
            let found = block.eliminate(&mut [b]).remove(0);
            assert!(found.iter().zip(expected.col(0)).all(|(f, e)| (f - e).abs() < 1e-11));
        }
    }

    /// A block that is left once in 1e15 steps: its value is 1e15 steps of reward, right to rounding. What is given up by
    /// subtracting is the whole number.
    #[test]
    fn blocks_that_are_hardly_left_keep_their_digits() {
        let mut block = Block::new(2);
        block.add(0, 1, 1.0);
        block.add(1, 0, 1.0 - 1e-15);
        block.leaving[1] = 1e-15;
        let found = block.eliminate(&mut [vec![0.5, 0.5]]).remove(0);
        assert!((found[0] - 1e15).abs() < 1.0, "{found:?}");
    }

    #[test]
    fn shares_of_time_are_stationary() {
        let mut block = Block::new(3);
        for (i, j, p) in [(0, 1, 0.5), (0, 0, 0.5), (1, 2, 1.0), (2, 0, 0.25), (2, 1, 0.75)] {
            block.add(i, j, p);
        }
        block.eliminate(&mut [vec![0.0; 3]]);
        // Balance by hand: the flow out of 0, half of its share, is a quarter of that of 2; that of 2 is that of 1.
        let shares = block.stationary();
        assert!(shares.iter().zip([0.2, 0.4, 0.4]).all(|(s, e)| (s - e).abs() < 1e-15), "{shares:?}");
    }
}
