//! The shortest edge out of every group, from two walks through the boxes at once.

use super::boxes::{Boxes, LANES, Rank};
use super::near::Near;
use mercer_core::Result;
use mercer_math::wide;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// An edge between two places, the lower one first, with its rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub(super) rank: f64,
    pub(super) ends: (u32, u32),
}

impl Link {
    fn new(a: usize, b: usize, rank: f64) -> Self {
        Self { rank, ends: (a.min(b) as u32, a.max(b) as u32) }
    }

    /// Keeps the shorter one; of equally short ones that between lower places.
    fn least(self, other: Option<Self>) -> Self {
        other.filter(|other| other.before(&self)).unwrap_or(self)
    }

    pub(super) fn before(&self, other: &Self) -> bool {
        (self.rank, self.ends) < (other.rank, other.ends)
    }
}

/// Rows of more than one group.
const MIXED: u32 = u32::MAX;
/// Parts of the tree that are looked at side by side.
const PARTS: usize = 128;
/// Parts between two looks at the session.
const CHUNK: usize = 32;
/// Rows whose nearest are looked at side by side.
const BLOCK: usize = 512;

/// What is known of nodes, for one round.
#[derive(Default)]
pub(super) struct Nodes {
    /// The group of all rows, or none.
    group: Vec<u32>,
    /// The greatest of the ranks below which a group with rows here looks for an edge.
    bound: Vec<f64>,
    /// The least core.
    core: Vec<f64>,
}

/// What the walk of one part found, and the rank of the shortest edge that it knows of, by group. It looks for shorter ones alone:
/// of equally short ones the first on its way counts, which no other walk changes, and rows that coincide are not all compared.
struct Own {
    found: Vec<(u32, Link)>,
    best: Vec<f64>,
}

/// A search for the shortest edge out of every group.
pub(super) struct Search<'a, R: Rank> {
    pub(super) boxes: &'a Boxes,
    pub(super) near: &'a Near,
    /// The group of each place.
    pub(super) groups: &'a [u32],
    /// The bits of the rank of the shortest edge found so far, by group. Ranks are not negative, so that they are in the order of
    /// their bits; bounds are only ever too high, and what is as short as the bound is kept: whoever comes first, the same edges
    /// are among those that are found.
    best: Vec<AtomicU64>,
    /// The rank of the shortest edge to one of the nearest rows, by group.
    first: Vec<f64>,
    kind: std::marker::PhantomData<R>,
}

impl<'a, R: Rank> Search<'a, R> {
    /// Groups have the numbers below `count`.
    pub(super) fn new(boxes: &'a Boxes, near: &'a Near, groups: &'a [u32], count: usize) -> Self {
        let best = (0..count).map(|_| AtomicU64::new(f64::INFINITY.to_bits())).collect();
        Self { boxes, near, groups, best, first: Vec::new(), kind: std::marker::PhantomData }
    }

    #[inline(always)]
    fn best(&self, group: u32) -> f64 {
        f64::from_bits(self.best[group as usize].load(Relaxed))
    }

    #[inline(always)]
    fn offer(&self, group: u32, link: Option<Link>, found: &mut Vec<(u32, Link)>) {
        if let Some(link) = link
            && link.rank <= self.best(group)
        {
            self.best[group as usize].fetch_min(link.rank.to_bits(), Relaxed);
            found.push((group, link));
        }
    }

    /// Edges out of all groups, the shortest of each among them. `open` has the rows whose nearest are not all of their own
    /// group yet, and loses those of which they now are; `pause` is asked now and then.
    pub(super) fn run(
        mut self,
        open: &mut Vec<u32>,
        nodes: &mut Nodes,
        pause: impl Fn() -> Result<()>,
    ) -> Result<Vec<(u32, Link)>> {
        let mut found = self.among_nearest(open);
        self.first = self.best.iter().map(|bits| f64::from_bits(bits.load(Relaxed))).collect();
        let (boxes, cores) = (self.boxes, &self.near.cores);
        if nodes.core.is_empty() {
            boxes.upwards(|place| cores[place], f64::min, &mut nodes.core);
        }
        let one = |a: u32, b: u32| if a == b { a } else { MIXED };
        boxes.upwards(|place| self.groups[place], one, &mut nodes.group);
        boxes.upwards(|place| self.first[self.groups[place] as usize], f64::max, &mut nodes.bound);
        let (mut parts, mut stack) = (Vec::new(), vec![0]);
        while let Some(at) = stack.pop() {
            match boxes.nodes[at].right as usize {
                right if right > 0 && boxes.nodes[at].places().len() * PARTS > boxes.len() => {
                    stack.extend([right, at + 1]);
                }
                _ => parts.push(at),
            }
        }
        let walk = |&part: &usize| {
            let mut own = Own { found: Vec::new(), best: self.first.clone() };
            wide(|| self.walk(nodes, (part, 0), boxes.between::<R>(part, 0), &mut own));
            own.found
        };
        for parts in parts.chunks(CHUNK) {
            pause()?;
            let walked: Vec<Vec<(u32, Link)>> = parts.par_iter().map(walk).collect();
            found.extend(walked.into_iter().flatten());
        }
        Ok(found)
    }

    /// Edges between rows of which one is among the nearest of the other: the greater core is their rank.
    fn among_nearest(&self, open: &mut Vec<u32>) -> Vec<(u32, Link)> {
        let look = |places: &[u32]| {
            let (mut found, mut still) = (Vec::new(), Vec::new());
            for &place in places {
                let (own, core) = (self.groups[place as usize], self.near.cores[place as usize]);
                let others = self.near.others_of(place as usize).iter().map(|&other| other as usize);
                let link = others.filter(|&other| self.groups[other] != own).fold(None, |least, other| {
                    let rank = core.max(self.near.cores[other]);
                    Some(Link::new(place as usize, other, rank).least(least))
                });
                self.offer(own, link, &mut found);
                if link.is_some() {
                    still.push(place);
                }
            }
            (found, still)
        };
        let looked: Vec<_> = open.par_chunks(BLOCK).map(look).collect();
        open.clear();
        let mut found = Vec::new();
        for (some, still) in looked {
            found.extend(some);
            open.extend(still);
        }
        found
    }

    /// Looks for edges from the rows of one node to those of another, at least `rank` apart.
    fn walk(&self, nodes: &Nodes, (a, b): (usize, usize), rank: f64, own: &mut Own) {
        let group = nodes.group[a];
        let least = rank.max(nodes.core[a]).max(nodes.core[b]);
        let known = |group: u32| least >= own.best[group as usize] || least > self.best(group);
        if least >= nodes.bound[a] || group != MIXED && (group == nodes.group[b] || known(group)) {
            return;
        }
        let (left, right) = (self.boxes.nodes[a], self.boxes.nodes[b]);
        match (left.right as usize, right.right as usize) {
            (0, 0) => self.leaves(a, b, own),
            (below, beside) if beside == 0 || (below > 0 && left.places().len() >= right.places().len()) => {
                for part in [a + 1, below] {
                    self.walk(nodes, (part, b), self.boxes.between::<R>(part, b), own);
                }
            }
            (_, beside) => {
                // The nearer part first: what is found there spares looks at the other.
                let (near, far) = (self.boxes.between::<R>(a, b + 1), self.boxes.between::<R>(a, beside));
                let parts =
                    if far < near { [(beside, far), (b + 1, near)] } else { [(b + 1, near), (beside, far)] };
                parts.into_iter().for_each(|(part, rank)| self.walk(nodes, (a, part), rank, own));
            }
        }
    }

    #[inline(always)]
    fn leaves(&self, a: usize, b: usize, walk: &mut Own) {
        let (boxes, cores) = (self.boxes, &self.near.cores);
        let others = boxes.nodes[b].places();
        for place in boxes.nodes[a].places() {
            let (own, core) = (self.groups[place], cores[place]);
            let (row, mut bound) = (boxes.row(place), walk.best[own as usize]);
            let least = core.max(boxes.to_box::<R>(row, b));
            if least >= bound || least > self.best(own) {
                continue;
            }
            let mut link = None;
            for first in others.clone().step_by(LANES) {
                let ranks = boxes.ranks::<R>(row, first);
                for (other, &rank) in (first..others.end).zip(&ranks) {
                    if rank < bound && self.groups[other] != own {
                        let rank = rank.max(core).max(cores[other]);
                        if rank < bound {
                            (link, bound) = (Some(Link::new(place, other, rank)), rank);
                        }
                    }
                }
            }
            walk.best[own as usize] = bound;
            self.offer(own, link, &mut walk.found);
        }
    }
}
