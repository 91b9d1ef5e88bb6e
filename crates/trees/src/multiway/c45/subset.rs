//! Which rules of a class to keep: those that tell most briefly which rows are of the class (C4.5, chapter 5).
//!
//! Who knows the rows but not their classes is sent the rules of a class, then which of the rows that meet one are of
//! another class after all, and which of the others are of this one:
//!
//!   L(S) = ½ (Σ bits of the rules − log₂ |S|!) + log₂ C(covered, wrong) + log₂ C(n − covered, left out).
//!
//! A condition costs log₂ of the number of columns, and then log₂ of its column's levels, or one bit for its direction
//! and log₂ of the places where its column can be cut. The order of a rule's k conditions says nothing: log₂ k! less.
//! Quinlan's factor ½ is for what rules say twice. Weights count as copies.

use crate::multiway::Condition;
use crate::sorted_columns::Values;
use mercer_core::Session;
use mercer_math::special::lgamma;
use mercer_math::{Weights, rng_for, uniform};

/// What the bits of rules weigh against those of exceptions.
const THEORY: f64 = 0.5;
/// All subsets of so many rules are looked at; of more, those on the way from some starts.
const FEW: usize = 10;
/// Starts of the search drawn at random, beside no rule and all of them.
const STARTS: u64 = 10;

/// log₂ of x!.
fn log_factorial(x: f64) -> f64 {
    lgamma(x + 1.0) / std::f64::consts::LN_2
}

/// log₂ of the number of ways to choose `k` of `n`.
fn log_choose(n: f64, k: f64) -> f64 {
    log_factorial(n) - log_factorial(k) - log_factorial(n - k)
}

/// What conditions cost, by column.
pub(super) struct Code {
    /// log₂ of the number of columns.
    column: f64,
    /// Different values of each column.
    values: Vec<usize>,
}

impl Code {
    pub(super) fn new(table: &[Values<'_>], n: usize) -> Self {
        let distinct = |column: &Values<'_>| {
            let mut all: Vec<f64> = (0..n).map(|i| column.number(i)).filter(|v| !v.is_nan()).collect();
            all.sort_unstable_by(f64::total_cmp);
            all.dedup();
            all.len()
        };
        Self { column: (table.len() as f64).log2(), values: table.iter().map(distinct).collect() }
    }

    /// The bits of a rule.
    pub(super) fn bits(&self, tests: &[(usize, Condition)]) -> f64 {
        let one = |(feature, test): &(usize, Condition)| {
            let values = self.values[*feature] as f64;
            self.column
                + match test {
                    Condition::Is(_) => values.max(1.0).log2(),
                    _ => 1.0 + (values - 1.0).max(1.0).log2(),
                }
        };
        tests.iter().map(one).sum::<f64>() - log_factorial(tests.len() as f64)
    }
}

/// The rules of a class.
pub(super) struct Candidates<'a> {
    /// The rows that meet each.
    met: Vec<Vec<u32>>,
    /// The bits of each.
    bits: Vec<f64>,
    /// Whether a row is of the class.
    own: Vec<bool>,
    weights: Weights<'a>,
    /// The weight of all rows, and of those of the class.
    total: [f64; 2],
}

/// Some of the rules.
#[derive(Clone)]
struct Choice {
    chosen: Vec<bool>,
    /// How many of them each row meets.
    times: Vec<u32>,
    /// The weight of the rows that meet any, and of those of another class among them.
    covered: [f64; 2],
    /// The bits of the rules, before their order is taken off.
    bits: f64,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(met: Vec<Vec<u32>>, bits: Vec<f64>, own: Vec<bool>, weights: Weights<'a>) -> Self {
        let sum = |of: &dyn Fn(usize) -> bool| (0..own.len()).filter(|&i| of(i)).map(|i| weights[i]).sum();
        let total = [sum(&|_| true), sum(&|i| own[i])];
        Self { met, bits, own, weights, total }
    }

    fn none(&self) -> Choice {
        let (chosen, times) = (vec![false; self.bits.len()], vec![0; self.own.len()]);
        Choice { chosen, times, covered: [0.0; 2], bits: 0.0 }
    }

    /// What is covered, and the bits of the rules, once rule `r` is turned on or off.
    fn turned(&self, at: &Choice, r: usize) -> ([f64; 2], f64) {
        let (alone, sign) = if at.chosen[r] { (1, -1.0) } else { (0, 1.0) };
        let mut covered = at.covered;
        for i in self.met[r].iter().map(|&i| i as usize).filter(|&i| at.times[i] == alone) {
            let w = sign * self.weights[i];
            covered = [covered[0] + w, covered[1] + if self.own[i] { 0.0 } else { w }];
        }
        (covered, at.bits + sign * self.bits[r])
    }

    fn turn(&self, at: &mut Choice, r: usize) {
        (at.covered, at.bits) = self.turned(at, r);
        at.chosen[r] = !at.chosen[r];
        let on = at.chosen[r];
        for &i in &self.met[r] {
            let times = &mut at.times[i as usize];
            *times = if on { *times + 1 } else { *times - 1 };
        }
    }

    /// The bits of so many rules and of their exceptions.
    fn length(&self, rules: usize, ([covered, wrong], bits): ([f64; 2], f64)) -> f64 {
        let [n, own] = self.total;
        let left_out = own - (covered - wrong);
        let exceptions = log_choose(covered, wrong) + log_choose(n - covered, left_out);
        THEORY * (bits - log_factorial(rules as f64)) + exceptions
    }

    fn length_of(&self, at: &Choice) -> f64 {
        self.length(at.chosen.iter().filter(|c| **c).count(), (at.covered, at.bits))
    }

    fn of(&self, chosen: impl Fn(usize) -> bool) -> Choice {
        let mut at = self.none();
        (0..self.bits.len()).filter(|&r| chosen(r)).for_each(|r| self.turn(&mut at, r));
        at
    }

    /// Turns rules on or off, always the one that saves most, until none saves any bit.
    fn climb(&self, mut at: Choice, session: &Session) -> Choice {
        let mut length = self.length_of(&at);
        while session.interrupted().is_none() {
            let kept = at.chosen.iter().filter(|c| **c).count();
            let after = |r: usize| {
                let rules = if at.chosen[r] { kept - 1 } else { kept + 1 };
                (self.length(rules, self.turned(&at, r)), r)
            };
            let best = (0..at.chosen.len()).map(after).min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((shorter, r)) = best.filter(|(l, _)| *l < length - 1e-9) else { break };
            self.turn(&mut at, r);
            length = shorter;
        }
        at
    }

    /// The subset of the shortest encoding, or the shortest found where there are many; of equals, the first.
    pub(super) fn best(&self, task: u64, session: &Session) -> Vec<bool> {
        let n = self.bits.len();
        let found: Vec<Choice> = if n <= FEW {
            (0..1u32 << n).map(|mask| self.of(|r| mask >> r & 1 == 1)).collect()
        } else {
            let drawn = |start: u64| {
                let mut rng = rng_for(session.seed(), task * STARTS + start);
                let chosen: Vec<bool> = (0..n).map(|_| uniform(&mut rng) < 0.5).collect();
                self.of(|r| chosen[r])
            };
            let starts = [self.of(|_| true), self.none()].into_iter().chain((0..STARTS).map(drawn));
            starts.map(|start| self.climb(start, session)).collect()
        };
        let shortest = found.into_iter().min_by(|a, b| self.length_of(a).total_cmp(&self.length_of(b)));
        shortest.map_or_else(Vec::new, |at| at.chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten rows, five of the class. One rule (2 bits) meets five rows, four of them of the class; the other, of two
    /// conditions (2 + 3.585 − 1 bits), meets the fifth. By hand: no rule 7.977 bits, the first 5.644, the second 9.270,
    /// both 5.377.
    fn by_hand(weights: Weights<'_>) -> Candidates<'_> {
        let met = vec![vec![0, 1, 2, 3, 5], vec![4]];
        let own = (0..10).map(|i| i < 5).collect();
        Candidates::new(met, vec![2.0, 2.0 + (2.0 + 3f64.log2()) - 1.0], own, weights)
    }

    #[test]
    fn lengths_by_hand() {
        let rules = by_hand(Weights::NONE);
        for (chosen, expected) in [
            ([false, false], 252f64.log2()),
            ([true, false], 1.0 + 25f64.log2()),
            ([false, true], 0.5 * 4.584_962_500_721_156 + 126f64.log2()),
            ([true, true], 0.5 * 5.584_962_500_721_156 + 6f64.log2()),
        ] {
            let found = rules.length_of(&rules.of(|r| chosen[r]));
            assert!((found - expected).abs() < 1e-9, "{chosen:?}: {found} {expected}");
        }
        assert_eq!(rules.best(0, &Session::default()), [true, true]);
        assert_eq!(rules.climb(rules.none(), &Session::default()).chosen, [true, true]);
        let code = Code { column: 1.0, values: vec![4, 2] };
        assert!((code.bits(&[(1, Condition::Is(0.0))]) - 2.0).abs() < 1e-12);
        let two = [(0, Condition::AtMost(1.5)), (1, Condition::Is(1.0))];
        assert!((code.bits(&two) - rules.bits[1]).abs() < 1e-12);
    }

    #[test]
    fn weights_are_copies() {
        let weights = [1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        let (plain, weighted) = (by_hand(Weights::NONE), by_hand(Weights::from(&weights[..])));
        let rows: Vec<usize> = (0..10).flat_map(|i| vec![i; weights[i] as usize]).collect();
        let met = |m: &Vec<u32>| {
            (0..rows.len() as u32).filter(|&i| m.contains(&(rows[i as usize] as u32))).collect::<Vec<u32>>()
        };
        let own = rows.iter().map(|&i| plain.own[i]).collect();
        let copies =
            Candidates::new(plain.met.iter().map(met).collect(), plain.bits.clone(), own, Weights::NONE);
        for mask in 0..4 {
            let of = |rules: &Candidates<'_>| rules.length_of(&rules.of(|r| mask >> r & 1 == 1));
            assert!((of(&weighted) - of(&copies)).abs() < 1e-9, "{mask}");
        }
    }

    /// Twelve rules, of which each of the first six meets two rows of the class and the others nothing but rows of
    /// another: the search by starts finds what is best of all subsets, whatever the seed.
    #[test]
    fn many_rules_are_searched() {
        let own: Vec<bool> = (0..40).map(|i| i < 12).collect();
        let met = (0..12u32).map(|r| if r < 6 { vec![2 * r, 2 * r + 1] } else { vec![2 * r + 6, 2 * r + 7] });
        let rules = Candidates::new(met.collect(), vec![3.0; 12], own, Weights::NONE);
        let wanted: Vec<bool> = (0..12).map(|r| r < 6).collect();
        for seed in 0..5 {
            assert_eq!(rules.best(1, &Session::new(seed)), wanted);
        }
    }
}
