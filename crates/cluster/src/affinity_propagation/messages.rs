//! Messages between all pairs of rows, and the rows that they make stand for others.

use super::AffinityPropagation;
use mercer_core::{Result, Session, Termination};
use mercer_math::Mat;
use rayon::prelude::*;

/// Rows that stand for others.
pub(super) struct Exemplars {
    /// Which rows they are, in order; none where messages have not settled on any.
    pub(super) rows: Vec<usize>,
    /// The cluster of each row; -1 where there is none.
    pub(super) labels: Vec<i32>,
    pub(super) ended: Ended,
}

/// How it ended.
#[derive(Clone, Copy)]
pub(super) struct Ended {
    pub(super) rounds: u64,
    pub(super) why: Termination,
}

/// Rows whose part of the sums of a column is taken together.
const BLOCK: usize = 32;

/// max Σ s(i, c(i)) s.t. c(c(i)) = c(i), by max-sum messages: given similarities with preferences on their diagonal. Stops when the
/// rows that stand for others have not changed for `convergence_iter` iterations. Equations 1 and 2 of Frey and Dueck 2007.
pub(super) fn exemplars(similar: &Mat, params: &AffinityPropagation, session: &Session) -> Result<Exemplars> {
    let n = similar.n_rows();
    let mut messages = Messages {
        similar,
        responsible: Mat::zeros(n, n),
        available: Mat::zeros(n, n),
        sums: vec![0.0; n],
        own: vec![0.0; n],
        damping: params.damping,
    };
    messages.respond();
    let (mut chosen, mut lasting) = (vec![false; n], vec![0usize; n]);
    let mut ended = Ended { rounds: 0, why: Termination::IterationLimit };
    for round in 0..params.max_iter {
        if let Some(stopped) = session.step("messages", round as u64, Some(params.max_iter as u64), None) {
            ended.why = stopped;
            break;
        }
        ended.rounds = round as u64 + 1;
        for (i, now) in messages.exchange().into_iter().enumerate() {
            lasting[i] = if now == chosen[i] { lasting[i] + 1 } else { 1 };
            chosen[i] = now;
        }
        // Before the first iteration nobody had said anything.
        let settled = lasting.iter().all(|&l| l >= params.convergence_iter) && chosen.contains(&true);
        if settled && round >= params.convergence_iter {
            ended.why = Termination::Converged;
            break;
        }
    }
    let rows: Vec<usize> = (0..n).filter(|&i| chosen[i]).collect();
    if rows.is_empty() {
        return Ok(Exemplars { rows, labels: vec![-1; n], ended });
    }
    let rows = best_rows(similar, rows);
    let labels = assigned(similar, &rows);
    // An exemplar may have lost all rows, itself among them, to others.
    let mut used = labels.clone();
    used.sort_unstable();
    used.dedup();
    let mut kept: Vec<usize> = used.iter().map(|&c| rows[c]).collect();
    kept.sort_unstable();
    let place = |c: usize| kept.binary_search(&rows[c]).unwrap_or(0) as i32;
    let labels = labels.iter().map(|&c| place(c)).collect();
    Ok(Exemplars { rows: kept, labels, ended })
}

/// The most similar exemplar of each row, the first of equals; an exemplar is its own.
pub(super) fn assigned(similar: &Mat, rows: &[usize]) -> Vec<usize> {
    let best = |i: usize| {
        let line = similar.row(i);
        (1..rows.len()).fold(0, |best, c| if line[rows[c]] > line[rows[best]] { c } else { best })
    };
    let mut labels: Vec<usize> = (0..similar.n_rows()).map(best).collect();
    rows.iter().enumerate().for_each(|(c, &row)| labels[row] = c);
    labels
}

/// For each cluster the row that is most similar to all of it.
fn best_rows(similar: &Mat, rows: Vec<usize>) -> Vec<usize> {
    let (k, mut members) = (rows.len(), vec![Vec::new(); rows.len()]);
    assigned(similar, &rows).into_iter().enumerate().for_each(|(i, c)| members[c].push(i));
    let best = |c: usize| {
        let total = |j: usize| members[c].iter().map(|&i| similar[(i, j)]).sum::<f64>();
        let totals: Vec<f64> = members[c].iter().map(|&j| total(j)).collect();
        let first = (1..totals.len()).fold(0, |best, j| if totals[j] > totals[best] { j } else { best });
        members[c][first]
    };
    (0..k).into_par_iter().map(best).collect()
}

/// The messages of all pairs.
struct Messages<'a> {
    similar: &'a Mat,
    responsible: Mat,
    available: Mat,
    /// Σ_i max(0, r(i,k)), with r(k,k) itself for k.
    sums: Vec<f64>,
    /// The responsibilities of rows for themselves.
    own: Vec<f64>,
    damping: f64,
}

impl Messages<'_> {
    /// The first responsibilities.
    fn respond(&mut self) {
        self.pass(|_, _, _| false);
    }

    /// New availabilities, and the responsibilities that follow from them: which rows stand for others in between.
    fn exchange(&mut self) -> Vec<bool> {
        let (sums, own) = (std::mem::take(&mut self.sums), std::mem::take(&mut self.own));
        let damping = self.damping;
        self.pass(|i, available, responsible| {
            let own_available = damping * available[i] + (1.0 - damping) * (sums[i] - own[i]);
            for ((a, r), sum) in available.iter_mut().zip(responsible).zip(&sums) {
                *a = damping * *a - (1.0 - damping) * (r.max(0.0) - sum).max(0.0);
            }
            available[i] = own_available;
            own_available + own[i] > 0.0
        })
    }

    /// One pass over the rows: `before` changes the availabilities of a row, and says something of it; then come its responsibilities.
    fn pass(&mut self, before: impl Fn(usize, &mut [f64], &[f64]) -> bool + Sync) -> Vec<bool> {
        let n = self.similar.n_rows();
        let (similar, damping) = (self.similar, self.damping);
        let blocks = self.available.as_mut_slice().par_chunks_mut(BLOCK * n);
        let blocks = blocks.zip(self.responsible.as_mut_slice().par_chunks_mut(BLOCK * n)).enumerate();
        let block = |(b, (available, responsible)): (usize, (&mut [f64], &mut [f64]))| {
            let (mut sums, mut said) = (vec![0.0; n], Vec::with_capacity(BLOCK));
            let rows = available.chunks_mut(n).zip(responsible.chunks_mut(n));
            for (i, (available, responsible)) in (b * BLOCK..).zip(rows) {
                let yes = before(i, available, responsible);
                respond(similar.row(i), available, responsible, damping);
                sums.iter_mut().zip(&*responsible).for_each(|(s, r)| *s += r.max(0.0));
                sums[i] += responsible[i].min(0.0);
                said.push((yes, responsible[i]));
            }
            (sums, said)
        };
        let found: Vec<Said> = blocks.map(block).collect();
        self.sums = vec![0.0; n];
        found.iter().for_each(|(sums, _)| self.sums.iter_mut().zip(sums).for_each(|(a, b)| *a += b));
        self.own = found.iter().flat_map(|(_, said)| said.iter().map(|s| s.1)).collect();
        found.iter().flat_map(|(_, said)| said.iter().map(|s| s.0)).collect()
    }
}

/// Of a block of rows: its part of the sums of all columns, and what is said of each row, with its responsibility for itself.
type Said = (Vec<f64>, Vec<(bool, f64)>);

/// The responsibilities of a row.
fn respond(similar: &[f64], available: &[f64], responsible: &mut [f64], damping: f64) {
    let (mut first, mut second, mut place) = (f64::NEG_INFINITY, f64::NEG_INFINITY, 0);
    for (k, (a, s)) in available.iter().zip(similar).enumerate() {
        let value = a + s;
        if value > first {
            (second, first, place) = (first, value, k);
        } else if value > second {
            second = value;
        }
    }
    let of_first = damping * responsible[place] + (1.0 - damping) * (similar[place] - second);
    for (r, s) in responsible.iter_mut().zip(similar) {
        *r = damping * *r + (1.0 - damping) * (s - first);
    }
    responsible[place] = of_first;
}
