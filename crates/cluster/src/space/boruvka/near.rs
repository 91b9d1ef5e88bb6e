//! The nearest rows of all rows.

use super::boxes::{Boxes, LANES, Rank};
use mercer_core::Result;
use mercer_math::wide;
use rayon::prelude::*;

/// The nearest rows of every row, by place, and its core: the rank of the last of them.
pub(super) struct Near {
    pub(super) cores: Vec<f64>,
    /// The places of the others, `each` for every row, in no order.
    pub(super) others: Vec<u32>,
    pub(super) each: usize,
}

/// Rows that are asked about in one go.
const BLOCK: usize = 256;
/// Rows between two looks at the session.
const CHUNK: usize = 1 << 15;

/// Candidates for the nearest rows of one row.
struct Candidates {
    count: usize,
    found: Vec<(f64, u32)>,
    limit: f64,
}

impl Candidates {
    fn begin(&mut self) {
        self.found.clear();
        self.limit = f64::INFINITY;
    }

    /// Keeps the nearest ones. They are chosen of twice as many at a time, which costs less than a heap.
    fn choose(&mut self) {
        if self.found.len() > self.count {
            let last = self.count - 1;
            self.found.select_nth_unstable_by(last, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            self.found.truncate(self.count);
            self.limit = self.found[last].0;
        }
    }
}

impl Near {
    /// The `count` nearest rows of those from the `from`-th place on, each row itself among them.
    fn block<R: Rank>(boxes: &Boxes, count: usize, from: usize) -> Self {
        let to = (from + BLOCK).min(boxes.len());
        let mut block = Self { cores: Vec::new(), others: Vec::new(), each: count - 1 };
        let mut candidates =
            Candidates { count, found: Vec::with_capacity(2 * count + LANES), limit: f64::INFINITY };
        let mut stack = Vec::new();
        wide(|| {
            for place in from..to {
                candidates.begin();
                search::<R>(boxes, boxes.row(place), &mut candidates, &mut stack);
                candidates.choose();
                block.cores.push(candidates.found.iter().fold(0.0, |far: f64, one| far.max(one.0)));
                let others =
                    candidates.found.iter().map(|one| one.1).filter(|&other| other as usize != place);
                block.others.extend(others.take(count - 1));
            }
        });
        block
    }

    /// The `count` nearest rows of all rows; `pause` is told how many are done.
    pub(super) fn of<R: Rank>(
        boxes: &Boxes,
        count: usize,
        pause: impl Fn(usize) -> Result<()>,
    ) -> Result<Self> {
        let (n, each) = (boxes.len(), count - 1);
        let mut all = Self { cores: Vec::with_capacity(n), others: Vec::with_capacity(n * each), each };
        for chunk in (0..n).step_by(CHUNK) {
            pause(chunk)?;
            let starts = (chunk..(chunk + CHUNK).min(n)).step_by(BLOCK).collect::<Vec<usize>>();
            let blocks: Vec<Self> =
                starts.into_par_iter().map(|from| Self::block::<R>(boxes, count, from)).collect();
            for block in blocks {
                all.cores.extend(block.cores);
                all.others.extend(block.others);
            }
        }
        Ok(all)
    }

    pub(super) fn others_of(&self, place: usize) -> &[u32] {
        &self.others[place * self.each..][..self.each]
    }
}

/// Rows as far as the last of the nearest are not looked for: the core is the same, and many rows may coincide.
#[inline(always)]
fn search<R: Rank>(boxes: &Boxes, row: &[f64], near: &mut Candidates, stack: &mut Vec<(u32, f64)>) {
    stack.clear();
    stack.push((0, 0.0));
    while let Some((mut at, rank)) = stack.pop() {
        if rank >= near.limit {
            continue;
        }
        // Down to a leaf, always into the nearer box; the other one waits.
        while boxes.nodes[at as usize].right > 0 {
            let right = boxes.nodes[at as usize].right;
            let (a, b) = (boxes.to_box::<R>(row, at as usize + 1), boxes.to_box::<R>(row, right as usize));
            let (near_box, far_box, far) = if b < a { (right, at + 1, a) } else { (at + 1, right, b) };
            if far < near.limit {
                stack.push((far_box, far));
            }
            at = near_box;
        }
        let places = boxes.nodes[at as usize].places();
        for first in places.clone().step_by(LANES) {
            let ranks = boxes.ranks::<R>(row, first);
            for (place, &rank) in (first..places.end).zip(&ranks) {
                if rank < near.limit {
                    near.found.push((rank, place as u32));
                }
            }
        }
        if near.found.len() >= 2 * near.count {
            near.choose();
        }
    }
}
