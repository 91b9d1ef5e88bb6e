//! Clusters as valleys of the reachability with steep sides: section 4.3 of Ankerst et al.

use super::order::Order;

/// A side that falls steeply, and the greatest reachability between its end and where we are.
#[derive(Clone, Copy, Debug)]
struct Fall {
    start: usize,
    end: usize,
    between: f64,
}

/// The plot of the reachability over the order, with a high end, and what each step of it is like.
struct Plot<'a> {
    order: &'a Order,
    reach: Vec<f64>,
    keep: f64,
}

impl Plot<'_> {
    fn ratio(&self, i: usize) -> f64 {
        self.reach[i] / self.reach[i + 1]
    }

    fn rises_steeply(&self, i: usize) -> bool {
        self.ratio(i) <= self.keep
    }

    fn falls_steeply(&self, i: usize) -> bool {
        self.ratio(i) >= 1.0 / self.keep
    }

    /// The end of a steep side: it goes on while at most `few` steps in a row are not steep and none goes the other way.
    fn side(
        &self,
        start: usize,
        few: usize,
        steep: impl Fn(usize) -> bool,
        other: impl Fn(usize) -> bool,
    ) -> usize {
        let (mut end, mut flat) = (start, 0);
        for i in start..self.reach.len() - 1 {
            if steep(i) {
                (end, flat) = (i, 0);
            } else if other(i) {
                break;
            } else {
                flat += 1;
                if flat > few {
                    break;
                }
            }
        }
        end
    }

    /// The valley between two sides, cut where they are equally high; none where the sides do not belong together.
    fn valley(&self, fall: &Fall, rise: (usize, usize)) -> Option<(usize, usize)> {
        let (mut start, mut end) = (fall.start, rise.1);
        let (top, out) = (self.reach[fall.start], self.reach[end + 1]);
        if out * self.keep < fall.between {
            return None;
        }
        if top * self.keep >= out {
            while start < fall.end && self.reach[start + 1] > out {
                start += 1;
            }
        } else if out * self.keep >= top {
            while end > rise.0 && self.reach[end - 1] > top {
                end -= 1;
            }
        }
        Some((start, end))
    }

    /// Drops rows from the end of a valley that were not reached from within it.
    fn reached_within(&self, start: usize, mut end: usize) -> Option<(usize, usize)> {
        while start < end {
            let from = self.order.from[self.order.rows[end] as usize];
            let within = from.is_some_and(|from| self.order.rows[start..end].contains(&from));
            if self.reach[start] > self.reach[end] || within {
                return Some((start, end));
            }
            end -= 1;
        }
        None
    }
}

/// The clusters of the smallest valleys, and all valleys by their first and last place, small ones before those that hold them.
pub(super) fn clusters(
    order: &Order,
    xi: f64,
    (few, smallest): (usize, usize),
    correct: bool,
) -> (Vec<i32>, Vec<[u32; 2]>) {
    let reach = order.rows.iter().map(|&i| order.reach[i as usize]).chain([f64::INFINITY]).collect();
    let plot = Plot { order, reach, keep: 1.0 - xi };
    let (n, mut valleys, mut falls) = (order.rows.len(), Vec::new(), Vec::<Fall>::new());
    let (mut at, mut between) = (0, 0.0f64);
    for i in 0..n {
        let (down, up) = (plot.falls_steeply(i), plot.rises_steeply(i));
        if i < at || !(down || up) {
            continue;
        }
        between = plot.reach[at..=i].iter().fold(between, |a, v| a.max(*v));
        falls.retain(|f| between.is_finite() && between <= plot.reach[f.start] * plot.keep);
        falls.iter_mut().for_each(|f| f.between = f.between.max(between));
        let end = if down {
            let end = plot.side(i, few, |i| plot.falls_steeply(i), |i| plot.ratio(i) < 1.0);
            falls.push(Fall { start: i, end, between: 0.0 });
            end
        } else {
            let end = plot.side(i, few, |i| plot.rises_steeply(i), |i| plot.ratio(i) > 1.0);
            let fits = |(f, (start, last)): &(&Fall, (usize, usize))| {
                last - start + 1 >= smallest && *start <= f.end && *last >= i
            };
            let found = falls.iter().filter_map(|f| {
                let (start, last) = plot.valley(f, (i, end))?;
                let kept = if correct { plot.reached_within(start, last)? } else { (start, last) };
                Some((f, kept))
            });
            let found: Vec<_> = found.filter(fits).map(|(_, v)| [v.0 as u32, v.1 as u32]).collect();
            valleys.extend(found.into_iter().rev());
            end
        };
        at = end + 1;
        between = plot.reach[at];
    }
    let mut labels = vec![-1i32; n];
    let mut next = 0;
    for [start, end] in &valleys {
        let rows = &order.rows[*start as usize..=*end as usize];
        if rows.iter().all(|&i| labels[i as usize] < 0) {
            rows.iter().for_each(|&i| labels[i as usize] = next);
            next += 1;
        }
    }
    (labels, valleys)
}
