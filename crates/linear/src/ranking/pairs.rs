//! The loss of the pairs of a query: its value, and the derivative by each score.

use super::PairLoss;
use mercer_core::Session;
use std::ops::Range;

/// The rows of one query: scores, the place of each relevance among those of the query, and weights.
pub(super) struct Query<'a> {
    pub(super) scores: &'a [f64],
    pub(super) levels: &'a [u32],
    pub(super) weights: &'a [f64],
}

/// Queries up to this many rows are faster pair by pair.
const FEW: usize = 48;
/// Pairs of a line; a product of so many numbers up to 2 is still a number.
const LINE: usize = 512;
/// Rows whose pairs one task looks at, whatever the threads.
const BLOCK: usize = 1024;

/// Σ w ln(1 + e) of numbers from 0 to 1; one logarithm of a product where the weights are all the same.
fn logs(e: &[f64], w: &[f64]) -> f64 {
    match w.iter().all(|v| *v == w[0]) {
        true => w[0] * e.iter().map(|e| 1.0 + e).product::<f64>().ln(),
        false => e.iter().zip(w).map(|(e, w)| w * e.ln_1p()).sum(),
    }
}

/// The pairs of some rows, sorted by relevance, with all less relevant ones: value, and the derivative by each score.
fn lines(f: &[f64], w: &[f64], less: &[usize], rows: Range<usize>, session: &Session) -> (f64, Vec<f64>) {
    let (mut by, mut line, mut value) = (vec![0.0; f.len()], [0.0; LINE], 0.0);
    for i in rows {
        if i % 16 == 0 && session.interrupted().is_some() {
            return (f64::NAN, by);
        }
        let mut sum = 0.0;
        for start in (0..less[i]).step_by(LINE) {
            let end = (start + LINE).min(less[i]);
            let line = &mut line[..end - start];
            line.iter_mut().zip(&f[start..end]).for_each(|(e, fj)| *e = -(f[i] - fj).abs());
            mercer_math::exp_slice(line);
            for (e, j) in line.iter_mut().zip(start..end) {
                let z = f[i] - f[j];
                let wrong = if z > 0.0 { *e } else { 1.0 } / (1.0 + *e);
                value += w[i] * w[j] * (-z).max(0.0);
                sum += w[j] * wrong;
                by[j] += w[i] * w[j] * wrong;
            }
            value += w[i] * logs(line, &w[start..end]);
        }
        by[i] -= w[i] * sum;
    }
    (value, by)
}

impl Query<'_> {
    /// Σ s_i s_j over the pairs.
    pub(super) fn weight(&self) -> f64 {
        let mut by_level = vec![0.0; self.n_levels()];
        self.levels.iter().zip(self.weights).for_each(|(&l, w)| by_level[l as usize] += w);
        let mut below = 0.0;
        let mut sum = 0.0;
        for own in by_level {
            sum += own * below;
            below += own;
        }
        sum
    }

    fn n_levels(&self) -> usize {
        self.levels.iter().max().map_or(0, |l| *l as usize + 1)
    }

    /// Adds the derivative by each score to `pulls`, and returns the value; NaN where the session was stopped meanwhile.
    pub(super) fn loss(&self, loss: PairLoss, pulls: &mut [f64], session: &Session) -> f64 {
        match loss {
            _ if self.scores.len() <= FEW => self.each_pair(loss, pulls),
            PairLoss::SquaredHinge => self.swept(pulls),
            PairLoss::Logistic => self.by_lines(pulls, session),
        }
    }

    /// O(pairs), each alone.
    fn each_pair(&self, loss: PairLoss, pulls: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for i in 0..self.scores.len() {
            for j in (0..self.scores.len()).filter(|&j| self.levels[j] < self.levels[i]) {
                let (own, slope) = loss.at(self.scores[i] - self.scores[j]);
                let weight = self.weights[i] * self.weights[j];
                value += weight * own;
                pulls[i] += weight * slope;
                pulls[j] -= weight * slope;
            }
        }
        value
    }

    /// The logistic loss in O(pairs): of each row, the pairs with all less relevant ones stand in a line of exponentials; blocks
    /// of rows side by side.
    fn by_lines(&self, pulls: &mut [f64], session: &Session) -> f64 {
        let mut order: Vec<usize> = (0..self.scores.len()).collect();
        order.sort_by_key(|&i| self.levels[i]);
        let sorted = |of: &[f64]| order.iter().map(|&i| of[i]).collect::<Vec<f64>>();
        let (f, w) = (sorted(self.scores), sorted(self.weights));
        // How many rows are less relevant than each: those before the first of its relevance.
        let mut less: Vec<usize> = (0..f.len()).collect();
        for i in 1..f.len() {
            if self.levels[order[i]] == self.levels[order[i - 1]] {
                less[i] = less[i - 1];
            }
        }
        let block = |b: usize| lines(&f, &w, &less, b * BLOCK..((b + 1) * BLOCK).min(f.len()), session);
        let merge = |(value, mut by): (f64, Vec<f64>), (other, of): (f64, Vec<f64>)| {
            mercer_math::axpy(1.0, &of, &mut by);
            (value + other, by)
        };
        let found = mercer_math::tree_reduce(f.len().div_ceil(BLOCK), block, merge);
        let (value, by) = found.unwrap_or_default();
        order.iter().zip(by).for_each(|(&i, b)| pulls[i] += b);
        value
    }

    /// The squared hinge in O(n log n). Rows are visited in the order of their scores, so that those within reach of the margin
    /// only ever join; sums of weights, scores and squares by relevance stand in a tree of partial sums.
    ///
    /// C.-P. Lee, C.-J. Lin. Large-scale linear rankSVM. Neural Computation 26(4), 2014, section 4.
    fn swept(&self, pulls: &mut [f64]) -> f64 {
        // Squares of scores keep their digits about the middle of the query.
        let middle = self.scores.iter().sum::<f64>() / self.scores.len() as f64;
        let f: Vec<f64> = self.scores.iter().map(|s| s - middle).collect();
        let mut order: Vec<usize> = (0..f.len()).collect();
        order.sort_by(|&a, &b| f[b].total_cmp(&f[a]).then(a.cmp(&b)));
        let terms = |j: usize| [self.weights[j], self.weights[j] * f[j], self.weights[j] * f[j] * f[j]];
        let levels = self.n_levels();
        let (mut value, mut next, mut worse) = (0.0, 0, Sums::new(levels));
        for &i in &order {
            while next < order.len() && f[order[next]] > f[i] - 1.0 {
                worse.add(self.levels[order[next]] as usize, terms(order[next]));
                next += 1;
            }
            let ([s, s1, s2], short) = (worse.below(self.levels[i] as usize), 1.0 - f[i]);
            value += self.weights[i] * (short * short * s + 2.0 * short * s1 + s2).max(0.0);
            pulls[i] -= 2.0 * self.weights[i] * (short * s + s1);
        }
        let (mut next, mut better) = (order.len(), Sums::new(levels));
        let turned = |l: u32| levels - 1 - l as usize;
        for &j in order.iter().rev() {
            while next > 0 && f[order[next - 1]] < f[j] + 1.0 {
                next -= 1;
                better.add(turned(self.levels[order[next]]), terms(order[next]));
            }
            let [s, s1, _] = better.below(turned(self.levels[j]));
            pulls[j] += 2.0 * self.weights[j] * ((1.0 + f[j]) * s - s1);
        }
        value
    }
}

/// Sums by level, of which any first ones are summed in O(log levels).
struct Sums(Vec<[f64; 3]>);

impl Sums {
    fn new(levels: usize) -> Self {
        Self(vec![[0.0; 3]; levels + 1])
    }

    fn add(&mut self, level: usize, terms: [f64; 3]) {
        let mut at = level + 1;
        while at < self.0.len() {
            self.0[at].iter_mut().zip(terms).for_each(|(s, t)| *s += t);
            at += at & at.wrapping_neg();
        }
    }

    /// The sum over the levels before this one.
    fn below(&self, level: usize) -> [f64; 3] {
        let (mut at, mut out) = (level, [0.0; 3]);
        while at > 0 {
            out.iter_mut().zip(self.0[at]).for_each(|(o, s)| *o += s);
            at -= at & at.wrapping_neg();
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{below, normal, rng_for, uniform};

    #[test]
    fn sweeps_and_lines_find_what_all_pairs_give() {
        let mut rng = rng_for(8, 1);
        for n in [1, 2, 50, 1173] {
            let scores: Vec<f64> = (0..n).map(|_| 3.0 + normal(&mut rng)).collect();
            let levels: Vec<u32> = (0..n).map(|_| below(&mut rng, 5) as u32).collect();
            let weights: Vec<f64> = (0..n).map(|_| uniform(&mut rng)).collect();
            let ones = vec![1.0; n];
            for (loss, weights) in [
                (PairLoss::SquaredHinge, &weights),
                (PairLoss::Logistic, &weights),
                (PairLoss::Logistic, &ones),
            ] {
                let query = Query { scores: &scores, levels: &levels, weights };
                let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
                let slow = query.each_pair(loss, &mut a);
                let fast = match loss {
                    PairLoss::SquaredHinge => query.swept(&mut b),
                    PairLoss::Logistic => query.by_lines(&mut b, &Session::default()),
                };
                assert!((slow - fast).abs() <= 1e-10 * slow.max(1.0), "{slow} {fast}");
                assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
            }
        }
    }
}
