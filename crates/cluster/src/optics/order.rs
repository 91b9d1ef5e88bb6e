//! The order of the rows.

use super::rounded;
use crate::space::{Space, Tiles};
use mercer_core::{ErrorKind, Result, Session};
use mercer_math::Norm;
use serde::{Deserialize, Serialize};

/// The order of the rows, with the reachability of each row and the row that it was reached from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) rows: Vec<u32>,
    /// By row, not by place; infinite for rows that nothing reached.
    pub(super) reach: Vec<f64>,
    /// By row; none for rows that nothing reached.
    pub(super) from: Vec<Option<u32>>,
}

impl Order {
    /// Every next row is the one of the least reachability, of equals the first.
    pub(super) fn of(space: &Space, cores: &[f64], max_eps: f64, session: &Session) -> Result<Self> {
        let n = space.len();
        let mut order =
            Self { rows: Vec::with_capacity(n), reach: vec![f64::INFINITY; n], from: vec![None; n] };
        let mut tiles = (space.norm() == Some(Norm::Euclidean)).then(|| Tiles::new(&space.rows));
        let (mut left, mut far): (Vec<u32>, Vec<f64>) = ((0..n as u32).collect(), vec![0.0; n]);
        while !left.is_empty() {
            let done = order.rows.len();
            if done.is_multiple_of(64) && session.step("order", done as u64, Some(n as u64), None).is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            let key = |place: usize| (order.reach[left[place] as usize], left[place]);
            let next = (1..left.len()).fold(0, |best, place| {
                let (a, b) = (key(best), key(place));
                if b.0 < a.0 || (b.0 == a.0 && b.1 < a.1) { place } else { best }
            });
            let row = left.swap_remove(next);
            if let Some(tiles) = &mut tiles {
                tiles.remove(next);
            }
            order.rows.push(row);
            let core = cores[row as usize];
            if core.is_infinite() {
                continue;
            }
            let far = &mut far[..left.len()];
            match &tiles {
                Some(tiles) => {
                    tiles.sq_dists(space.rows.row(row as usize), 0, far);
                    far.iter_mut().for_each(|v| *v = v.sqrt());
                }
                None => {
                    far.iter_mut().zip(&left).for_each(|(v, &j)| *v = space.between(row as usize, j as usize))
                }
            }
            for (&other, &far) in left.iter().zip(far.iter()) {
                let reach = &mut order.reach[other as usize];
                if far <= max_eps && far.max(core) <= *reach {
                    let new = rounded(far.max(core));
                    if new < *reach {
                        (*reach, order.from[other as usize]) = (new, Some(row));
                    }
                }
            }
        }
        Ok(order)
    }

    /// Whether each row has one place in the order, a reachability, and none or another row before it.
    pub(super) fn is_whole(&self) -> bool {
        let n = self.rows.len();
        let mut seen = vec![false; n];
        let mut once = |i: u32| (i as usize) < n && !std::mem::replace(&mut seen[i as usize], true);
        self.rows.iter().all(|&i| once(i))
            && self.reach.len() == n
            && self.from.len() == n
            && self.from.iter().flatten().all(|&i| (i as usize) < n)
    }

    /// The clusters of DBSCAN at a distance.
    pub(super) fn cut(&self, cores: &[f64], eps: f64) -> Vec<i32> {
        let (mut labels, mut cluster) = (vec![-1; self.rows.len()], -1);
        for &row in &self.rows {
            let i = row as usize;
            let (far, near) = (self.reach[i] > eps, cores[i] <= eps);
            cluster += i32::from(far && near);
            labels[i] = if far && !near { -1 } else { cluster };
        }
        labels
    }
}
