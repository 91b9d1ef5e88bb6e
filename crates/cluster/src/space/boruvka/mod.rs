//! The shortest spanning tree under the distance at which rows reach each other, by rounds of Borůvka over a tree of boxes.
//!
//! In every round each group of rows finds a shortest edge that leaves it, and all of these join that are no circle. Rows know their nearest ones
//! from the search for their cores; whatever else leaves a row is at least as long as its core, so that most rows need no search,
//! and two walks at once through the boxes serve the others (March, Ram and Gray 2010; McInnes and Healy 2017).
//!
//! Many edges are equally long, since each row's core is the length of all edges to the rows within it, and which of them is
//! taken decides where single rows leave their clusters. All of those are known here: Prim's algorithm runs over them and the
//! edges found, and takes what it would have taken of all pairs.

mod boxes;
mod near;
mod prim;
mod search;

use super::{Edge, Groups, Space};
use boxes::{Boxes, Largest, Rank, Sizes, Squares};
use mercer_core::{ErrorKind, Result, Session};
use mercer_math::Norm;
use near::Near;
use search::{Link, Nodes, Search};

/// Nearest rows that are kept, at most: a quarter of a gigabyte, and twice as much again while ties are settled.
const KEPT: usize = 1 << 26;
/// Below so many rows all pairs are measured sooner.
const FEWEST: usize = 256;

/// The edges of the spanning tree, where cores are the distances to the `near`-th nearest row, itself included; none where all
/// pairs have to be looked at.
pub(crate) fn reach_tree(space: &Space, near: usize, session: &Session) -> Result<Option<Vec<Edge>>> {
    if space.len() < FEWEST || space.len().saturating_mul(near) > KEPT {
        return Ok(None);
    }
    match space.norm() {
        Some(Norm::Euclidean) => grow::<Squares>(space, near, session).map(Some),
        Some(Norm::Manhattan) => grow::<Sizes>(space, near, session).map(Some),
        Some(Norm::Chebyshev) => grow::<Largest>(space, near, session).map(Some),
        Some(Norm::Minkowski(_)) | None => Ok(None),
    }
}

fn grow<R: Rank>(space: &Space, count: usize, session: &Session) -> Result<Vec<Edge>> {
    let n = space.len();
    let pause = |stage: &str, done: usize| match session.step(stage, done as u64, Some(n as u64), None) {
        Some(_) => Err(ErrorKind::Cancelled.into()),
        None => Ok::<(), mercer_core::Error>(()),
    };
    let boxes = Boxes::new(&space.rows);
    let near = Near::of::<R>(&boxes, count, |done| pause("core distances", done))?;
    let (mut joined, mut groups) = (Groups::new(n), (0..n as u32).collect::<Vec<u32>>());
    let (mut links, mut open, mut nodes) = (Vec::with_capacity(n), groups.clone(), Nodes::default());
    while links.len() + 1 < n {
        let search = Search::<R>::new(&boxes, &near, &groups, n - links.len());
        let found = search.run(&mut open, &mut nodes, || pause("spanning tree", links.len()))?;
        let mut shortest: Vec<Option<Link>> = vec![None; n - links.len()];
        for (group, link) in found {
            let best = &mut shortest[group as usize];
            if best.is_none_or(|best| link.before(&best)) {
                *best = Some(link);
            }
        }
        for link in shortest.into_iter().flatten() {
            if joined.find(link.ends.0) != joined.find(link.ends.1) {
                joined.join(link.ends.0, link.ends.1);
                links.push(link);
            }
        }
        number(&mut joined, &mut groups);
    }
    pause("spanning tree", n)?;
    let norm = space.norm().unwrap_or(Norm::Euclidean);
    Ok(prim::ordered(&boxes, &near, &links, |rank| norm.distance(rank)))
}

/// Numbers the groups of all places by their first place.
fn number(joined: &mut Groups, groups: &mut [u32]) {
    let mut next = 0;
    for place in 0..groups.len() {
        // The first place of a group stands for it, so that its number is there when the others ask.
        let root = joined.find(place as u32) as usize;
        groups[place] = if root == place { next } else { groups[root] };
        next += u32::from(root == place);
    }
}

#[cfg(test)]
mod tests;
