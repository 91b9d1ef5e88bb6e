//! Decomposition over the points that are not yet settled: blocks of the worst violators, one after the other.

use super::block::{Block, LANES};
use super::cache::RowCache;
use super::element::Element;
use super::oracle::{COLUMNS, Oracle, ROWS};
use super::problem::{Ends, Problem, Settings, Solution};
use mercer_core::{Session, Termination};
use rayon::prelude::*;

/// Variables of a block: their kernel values fill the third level of the cache, and a pass over one row the first.
const BLOCK: usize = 1024;
/// Blocks between two looks for settled points.
const LOOK: u64 = 8;
/// Steps on a block beside its size before the session is asked again.
const STEPS: u64 = 100;
/// The share of the first violation at which a block is left for the next.
const SHARE: f64 = 0.1;

/// How an epoch ended.
pub(super) enum Ended {
    /// No pair of the points that were left violates the conditions.
    Settled { narrowed: bool },
    /// The session or a limit ended it; whether points were left out.
    Stopped(Termination, bool),
}

pub(super) struct Epoch<'e, O: Oracle, E> {
    oracle: &'e O,
    problem: &'e Problem,
    settings: &'e Settings,
    /// The points worked on.
    active: Vec<usize>,
    narrowed: bool,
    cache: RowCache<E>,
    /// The variables of these points, copy by copy: slopes without the linear part, by point.
    sums: Vec<f64>,
    beta: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    linear: Vec<f64>,
    second: Vec<bool>,
    diagonal: Vec<f64>,
    /// The variables of the last block.
    last: Vec<usize>,
}

enum Pass {
    Done(Ended),
    Narrow(Vec<usize>),
}

impl<'e, O: Oracle, E: Element> Epoch<'e, O, E> {
    pub(super) fn new(oracle: &'e O, problem: &'e Problem, settings: &'e Settings, active: &[usize]) -> Self {
        let narrowed = active.len() < oracle.len();
        let cache = RowCache::new(active.len(), settings.cache_bytes, 2 * LANES);
        let (sums, beta, low, high, linear, second, diagonal, last) = Default::default();
        let active = active.to_vec();
        Self {
            oracle,
            problem,
            settings,
            active,
            narrowed,
            cache,
            sums,
            beta,
            low,
            high,
            linear,
            second,
            diagonal,
            last,
        }
    }

    pub(super) fn run(mut self, solution: &mut Solution, session: &Session) -> Ended {
        let diagonal = self.oracle.diagonal();
        loop {
            self.load(solution, &diagonal);
            let points: Vec<O::Points> = self.active.chunks(COLUMNS).map(|c| self.oracle.gather(c)).collect();
            let sides: Vec<O::Side<'_>> = points.iter().map(|p| self.oracle.side(p)).collect();
            let pass = self.pass(&sides, solution, session);
            self.store(solution);
            match pass {
                Pass::Done(ended) => return ended,
                Pass::Narrow(keep) => {
                    let empty = RowCache::new(0, 0, 0);
                    let wide = std::mem::replace(&mut self.cache, empty);
                    self.cache = wide.narrowed(&keep, self.settings.cache_bytes, 2 * LANES);
                    self.active = keep.iter().map(|&p| self.active[p]).collect();
                    self.narrowed = true;
                    self.last.clear();
                }
            }
        }
    }

    /// The variables of the points worked on, out of all.
    fn load(&mut self, solution: &Solution, diagonal: &[f64]) {
        let n = solution.sums.len();
        let each = |all: &[f64]| -> Vec<f64> {
            (0..all.len() / n.max(1)).flat_map(|c| self.active.iter().map(move |&i| all[c * n + i])).collect()
        };
        let second = |s: &Vec<bool>| -> Vec<bool> {
            (0..s.len() / n.max(1)).flat_map(|c| self.active.iter().map(move |&i| s[c * n + i])).collect()
        };
        let problem = self.problem;
        let (low, high, linear, beta) =
            (each(&problem.low), each(&problem.high), each(&problem.linear), each(&solution.beta));
        let second = problem.second.as_ref().map(second).unwrap_or_default();
        (self.sums, self.diagonal) = (each(&solution.sums), each(diagonal));
        (self.low, self.high, self.linear, self.beta, self.second) = (low, high, linear, beta, second);
    }

    fn store(&self, solution: &mut Solution) {
        let (n, a) = (solution.sums.len(), self.active.len());
        for (p, &i) in self.active.iter().enumerate() {
            solution.sums[i] = self.sums[p];
            (0..self.beta.len() / a).for_each(|c| solution.beta[c * n + i] = self.beta[c * a + p]);
        }
    }

    fn group(&self, v: usize) -> usize {
        self.second.get(v).map_or(0, |s| usize::from(*s))
    }

    /// The point of a variable: there are at most two for each.
    fn point(&self, v: usize) -> usize {
        let a = self.sums.len();
        if v < a { v } else { v - a }
    }

    fn slope(&self, v: usize) -> f64 {
        self.sums[self.point(v)] + self.linear[v]
    }

    fn ends(&self) -> [Ends; 2] {
        let mut ends = [Ends::NONE; 2];
        let a = self.sums.len();
        for (c, (beta, linear)) in self.beta.chunks(a.max(1)).zip(self.linear.chunks(a.max(1))).enumerate() {
            for p in 0..a {
                let (v, slope) = (c * a + p, self.sums[p] + linear[p]);
                let ends = &mut ends[self.group(v)];
                if beta[p] < self.high[v] && slope < ends.up {
                    ends.up = slope;
                }
                if beta[p] > self.low[v] && slope > ends.down {
                    ends.down = slope;
                }
            }
        }
        ends
    }

    /// Blocks until nothing is violated, points settle, or it is stopped.
    fn pass(&mut self, sides: &[O::Side<'_>], solution: &mut Solution, session: &Session) -> Pass {
        let size =
            BLOCK.min(RowCache::<E>::rows_in(self.settings.cache_bytes, self.active.len())).max(2 * LANES);
        let mut blocks = 0;
        loop {
            let ends = self.ends();
            let violation = ends[0].violation().max(ends[1].violation());
            let tol = self.problem.reach(&self.sums, self.settings.tol);
            if violation < tol {
                return Pass::Done(Ended::Settled { narrowed: self.narrowed });
            }
            if let Some(why) = self.stopped(solution, violation, session) {
                return Pass::Done(Ended::Stopped(why, self.narrowed));
            }
            blocks += 1;
            if self.settings.shrinking && blocks % LOOK == 0 && self.active.len() > 2 * size {
                let keep = self.unsettled(ends);
                if keep.len() * 10 <= self.active.len() * 9 {
                    return Pass::Narrow(keep);
                }
            }
            let chosen = self.choose(ends, size);
            if self.descend(sides, &chosen, tol, solution).is_none() {
                // The largest violation moved nothing: rounding has the last word.
                return Pass::Done(Ended::Stopped(Termination::Stalled, self.narrowed));
            }
            self.last = chosen;
        }
    }

    fn stopped(&self, solution: &mut Solution, violation: f64, session: &Session) -> Option<Termination> {
        let told = session.step("block", solution.iterations, self.settings.max_iter, Some(violation));
        if solution.unbounded.is_some() {
            return Some(Termination::Stalled);
        }
        if self.settings.unbounded.is_finite() {
            let square: f64 = self.beta.iter().enumerate().map(|(v, b)| b * self.sums[self.point(v)]).sum();
            let objective = 0.5 * square + mercer_math::dot(&self.linear, &self.beta);
            let size = self.diagonal.iter().fold(0.0f64, |s, d| s.max(*d));
            if -objective * size > self.settings.unbounded {
                solution.unbounded = Some(None);
                return Some(Termination::Stalled);
            }
        }
        let limit = self.settings.max_iter.is_some_and(|most| solution.iterations >= most);
        told.or(limit.then_some(Termination::IterationLimit))
    }

    /// Places of points with a variable that is free, or may have to leave its bound.
    fn unsettled(&self, ends: [Ends; 2]) -> Vec<usize> {
        let a = self.sums.len();
        let open = |v: usize| {
            let (slope, ends) = (self.slope(v), ends[self.group(v)]);
            let at_low = self.beta[v] <= self.low[v] && slope > ends.down;
            let at_high = self.beta[v] >= self.high[v] && slope < ends.up;
            !(at_low || at_high)
        };
        (0..a).filter(|p| (0..self.beta.len() / a).any(|c| open(c * a + p))).collect()
    }

    /// The variables of the next block: the worst violators, and the later half of the last block.
    fn choose(&self, ends: [Ends; 2], size: usize) -> Vec<usize> {
        let total = self.beta.len();
        if total <= size {
            return (0..total).collect();
        }
        let mut taken = vec![false; total];
        let kept = &self.last[self.last.len() - self.last.len().min(size / 2)..];
        kept.iter().for_each(|&v| taken[v] = true);
        let mut chosen = kept.to_vec();
        let groups = self.problem.groups();
        for (group, &ends) in ends.iter().enumerate().take(groups) {
            let quota = (size - chosen.len()) / (groups - group);
            for (upwards, quota) in [(true, quota / 2), (false, quota - quota / 2)] {
                let mut found = self.violators(ends, group, upwards, &taken);
                if found.len() > quota {
                    let by = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
                    if quota > 0 {
                        found.select_nth_unstable_by(quota - 1, by);
                    }
                    found.truncate(quota);
                    found.sort_unstable_by(by);
                }
                for (_, v) in found {
                    taken[v] = true;
                    chosen.push(v);
                }
            }
        }
        chosen
    }

    /// Variables of a group that may grow and are steeper than one that may shrink, or the other way round; the worst are
    /// the smallest.
    fn violators(&self, ends: Ends, group: usize, upwards: bool, taken: &[bool]) -> Vec<(f64, usize)> {
        let one = |v: usize| {
            if taken[v] || self.group(v) != group {
                return None;
            }
            let slope = self.slope(v);
            let open = if upwards { self.beta[v] < self.high[v] } else { self.beta[v] > self.low[v] };
            let bad = if upwards { slope < ends.down } else { slope > ends.up };
            (open && bad).then_some((if upwards { slope } else { -slope }, v))
        };
        (0..self.beta.len()).filter_map(one).collect()
    }

    /// Solves on the chosen variables, and adds what they changed to the sums of all points. `None` where nothing moved.
    fn descend(
        &mut self,
        sides: &[O::Side<'_>],
        chosen: &[usize],
        tol: f64,
        solution: &mut Solution,
    ) -> Option<()> {
        let mut points: Vec<usize> = chosen.iter().map(|&v| self.point(v)).collect();
        points.sort_unstable();
        points.dedup();
        fetch(&mut self.cache, self.oracle, (&self.active, &self.diagonal), sides, &points);
        let mut order = chosen.to_vec();
        order.sort_by_key(|&v| self.group(v));
        let (mut block, places) = self.block(&order);
        let share = if chosen.len() == self.beta.len() { 0.0 } else { SHARE };
        let left = self.settings.max_iter.map_or(u64::MAX, |most| most - solution.iterations);
        let limit = (STEPS * block.beta.len() as u64).min(left);
        let worked = block.work(tol * 0.5, share, limit);
        solution.iterations += worked.iterations;
        if let Some((i, j)) = worked.unbounded {
            let point = |at: usize| {
                places.iter().position(|&p| p == at).map_or(0, |k| self.active[self.point(order[k])])
            };
            solution.unbounded = Some(Some((point(i), point(j))));
        }
        let mut change = vec![0.0; points.len()];
        for (&v, &at) in order.iter().zip(&places) {
            if let Ok(p) = points.binary_search(&self.point(v)) {
                change[p] += block.beta[at] - self.beta[v];
            }
            self.beta[v] = block.beta[at];
        }
        let moved: Vec<(f64, &[E])> = points
            .iter()
            .zip(&change)
            .filter(|(_, c)| **c != 0.0)
            .map(|(&p, &c)| (c, self.cache.row(p)))
            .collect();
        add_rows(&mut self.sums, &moved);
        (worked.iterations > 0 || worked.unbounded.is_some()).then_some(())
    }

    /// The block of variables in order of their groups, and the place of each in it.
    fn block(&self, order: &[usize]) -> (Block<E>, Vec<usize>) {
        let (mut segments, mut places, mut at) = (Vec::new(), Vec::with_capacity(order.len()), 0);
        for group in 0..self.problem.groups() {
            let n = order.iter().filter(|&&v| self.group(v) == group).count();
            places.extend(at..at + n);
            let end = at + n.next_multiple_of(LANES);
            segments.push((at, end));
            at = end;
        }
        let mut block = Block::new(at, segments);
        for (&v, &k) in order.iter().zip(&places) {
            block.diagonal[k] = self.diagonal[self.point(v)];
            block.slope[k] = self.slope(v);
            (block.beta[k], block.low[k], block.high[k]) = (self.beta[v], self.low[v], self.high[v]);
        }
        let columns: Vec<(usize, usize)> =
            order.iter().map(|&v| self.point(v)).zip(places.iter().copied()).collect();
        // Rows lie far from the processor: they are read from front to back.
        let mut by_point = columns.clone();
        by_point.sort_unstable();
        let fill = |&(point, k): &(usize, usize), out: &mut [E]| {
            let row = self.cache.row(point);
            by_point.iter().for_each(|&(p, l)| out[l] = row[p]);
            out[k] = E::of(self.diagonal[point]);
        };
        let mut rows: Vec<Option<&mut [E]>> = block.kernel.chunks_mut(at.max(1)).map(Some).collect();
        let rows: Vec<_> = places.iter().map(|&k| rows[k].take()).collect();
        rows.into_par_iter().zip(&columns).with_min_len(16).for_each(|(out, of)| {
            if let Some(out) = out {
                fill(of, out);
            }
        });
        (block, places)
    }
}

/// Sees to it that the rows of all these points are in the cache: places among the points worked on, of which all numbers and
/// k(x, x) are given.
pub(super) fn fetch<O: Oracle, E: Element>(
    cache: &mut RowCache<E>,
    oracle: &O,
    (active, diagonal): (&[usize], &[f64]),
    sides: &[O::Side<'_>],
    points: &[usize],
) {
    let missing = cache.missing(points);
    if missing.is_empty() {
        return;
    }
    let mut room = cache.room(missing.len());
    room.par_chunks_mut(ROWS).zip(missing.par_chunks(ROWS)).for_each(|(room, missing)| {
        let numbers: Vec<usize> = missing.iter().map(|&p| active[p]).collect();
        let points = oracle.gather(&numbers);
        let left = oracle.side(&points);
        let (mut tile, mut kept) = (Vec::new(), vec![E::default(); missing.len() * COLUMNS]);
        for (c, side) in sides.iter().enumerate() {
            let start = c * COLUMNS;
            let n = COLUMNS.min(active.len() - start);
            let kept = &mut kept[..missing.len() * n];
            if !E::single(kept).is_some_and(|out| oracle.single(&left, side, out)) {
                tile.resize(kept.len(), 0.0);
                oracle.block(&left, 0..missing.len(), side, &mut tile);
                kept.iter_mut().zip(&tile).for_each(|(k, t)| *k = E::of(*t));
            }
            let rows = room.iter_mut().zip(kept.chunks(n));
            rows.for_each(|(row, kept)| row[start..start + n].copy_from_slice(kept));
        }
        room.iter_mut().zip(missing).for_each(|(row, &p)| row[p] = E::of(diagonal[p]));
    });
    cache.insert(&missing, room);
}

/// Columns of one task of [`add_rows`].
const SPAN: usize = 1024;

/// sums += Σ cᵣ rowᵣ, in parallel over spans of columns.
pub(super) fn add_rows<E: Element>(sums: &mut [f64], rows: &[(f64, &[E])]) {
    sums.par_chunks_mut(SPAN).enumerate().for_each(|(span, sums)| {
        let start = span * SPAN;
        mercer_math::wide(
            #[inline(always)]
            || {
                let n = sums.len();
                let (fours, rest) = rows.as_chunks::<4>();
                for [a, b, c, d] in fours {
                    let (ka, kb) = (&a.1[start..start + n], &b.1[start..start + n]);
                    let (kc, kd) = (&c.1[start..start + n], &d.1[start..start + n]);
                    for i in 0..n {
                        let first = a.0 * ka[i].wide() + b.0 * kb[i].wide();
                        sums[i] += first + (c.0 * kc[i].wide() + d.0 * kd[i].wide());
                    }
                }
                for (factor, row) in rest {
                    sums.iter_mut().zip(&row[start..start + n]).for_each(|(s, k)| *s += factor * k.wide());
                }
            },
        );
    });
}
