//! The edges in the order in which Prim's algorithm finds them, and of equally long ones those that it takes.

use super::boxes::Boxes;
use super::near::Near;
use super::search::Link;
use crate::space::Edge;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Numbers listed for each place, in one array.
struct Lists {
    starts: Vec<u32>,
    values: Vec<u32>,
}

impl Lists {
    /// `each` names all pairs of a place and a number, and is asked twice.
    fn of(n: usize, each: impl Fn(&mut dyn FnMut(u32, u32))) -> Self {
        let mut starts = vec![0u32; n + 1];
        each(&mut |place, _| starts[place as usize + 1] += 1);
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        let (mut values, mut next) = (vec![0; starts[n] as usize], starts.clone());
        each(&mut |place, value| {
            let at = &mut next[place as usize];
            values[*at as usize] = value;
            *at += 1;
        });
        Self { starts, values }
    }

    fn at(&self, place: u32) -> &[u32] {
        &self.values[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }
}

/// Prim's algorithm from the first row: the next row is the nearest to the tree, of equally near ones the first.
///
/// It runs over `links`, and over all edges as long as the core of a row to which the other one is among the nearest: no row has
/// shorter ones, so that each of these is part of some shortest tree.
pub(super) fn ordered(boxes: &Boxes, near: &Near, links: &[Link], length: impl Fn(f64) -> f64) -> Vec<Edge> {
    let (n, cores) = (boxes.len(), &near.cores);
    let within = Lists::of(n, |take| {
        for (place, core) in cores.iter().enumerate() {
            for &other in near.others_of(place).iter().filter(|&&other| cores[other as usize] <= *core) {
                take(place as u32, other);
                take(other, place as u32);
            }
        }
    });
    let linked = Lists::of(n, |take| {
        for (i, link) in links.iter().enumerate() {
            take(link.ends.0, i as u32);
            take(link.ends.1, i as u32);
        }
    });
    let mut places = vec![0u32; n];
    boxes.order.iter().zip(0..).for_each(|(&row, place)| places[row as usize] = place);
    let (mut best, mut from, mut inside) = (vec![f64::INFINITY; n], vec![0u32; n], vec![false; n]);
    let (mut heap, mut edges) = (BinaryHeap::new(), Vec::with_capacity(n - 1));
    // Ranks are not negative, so that they are in the order of their bits.
    heap.push(Reverse((0, 0)));
    while let Some(Reverse((rank, row))) = heap.pop() {
        let at = places[row as usize];
        if std::mem::replace(&mut inside[at as usize], true) {
            continue;
        }
        if row > 0 {
            let from = boxes.order[from[at as usize] as usize];
            edges.push(Edge { from, to: row, length: length(f64::from_bits(rank)) });
        }
        let mut look = |other: u32, rank: f64| {
            if rank < best[other as usize] && !inside[other as usize] {
                (best[other as usize], from[other as usize]) = (rank, at);
                heap.push(Reverse((rank.to_bits(), boxes.order[other as usize])));
            }
        };
        let core = cores[at as usize];
        within.at(at).iter().for_each(|&other| look(other, core.max(cores[other as usize])));
        for link in linked.at(at).iter().map(|&i| links[i as usize]) {
            look(link.ends.0 + link.ends.1 - at, link.rank);
        }
    }
    edges
}
