//! Exact Shapley values of trees: what each feature adds to a prediction.
//!
//! The value of a set S of known features is the mean prediction when a row follows its own way at splits on features
//! of S, and both ways in proportion to the training weight at all others (path-dependent TreeSHAP). A leaf of value v
//! whose path tests the features 1..m contributes to feature i
//! $$ v\,(o_i - p_i) \int_0^1 \prod_{j \ne i} \bigl(p_j (1 - t) + o_j t\bigr)\,dt, $$
//! where $p_j$ is the product of the shares of the training weight along the splits on j, and $o_j$ is 1 if the row
//! follows all of them, else 0: the integral of $t^s (1-t)^{m-1-s}$ is Shapley's weight $s!(m-1-s)!/m!$. The integrand
//! is a polynomial of degree m − 1, so Gauss-Legendre quadrature with m/2 points is exact, and the product over the
//! path is carried down the tree at each point: O(nodes × depth/2) for a row and a tree, with positive factors only.
//!
//! For the pair i, j the integral leaves both out, and the index is half of
//! $v\,(o_i - p_i)(o_j - p_j) \int \prod_{k \ne i,j}$.
//!
//! - S. Lundberg, G. Erion, S.-I. Lee. Consistent individualized feature attribution for tree ensembles. 2018.
//!   arXiv:1802.03888
//! - P. Yu, A. Bifet, J. Read, C. Xu. Linear tree Shap. NeurIPS 2022. arXiv:2209.08192

mod models;
mod quadrature;
mod shapley_tree;
mod walk;

pub(crate) use shapley_tree::Branches;

use crate::sorted_columns::columns;
use mercer_core::{Error, ErrorKind, Input, Interactions, Result, Session};
use mercer_math::Mat;
use rayon::prelude::*;
use shapley_tree::ShapleyTree;
use walk::{Room, add_contributions, add_interactions};

/// Rows of a task.
const BLOCK: usize = 32;

/// An explanation that was stopped has no part that is worth keeping.
fn go_on(session: &Session) -> Result<()> {
    session.interrupted().map_or(Ok(()), |_| Err(ErrorKind::Cancelled.into()))
}

/// The mean of each output, and what each feature adds to each of them: for each output, rows × features. Tree t with
/// leaves of one number counts for output t mod `outputs`; every tree is multiplied by `scale`.
pub(crate) fn contributions<B: Branches>(
    trees: &[B],
    outputs: usize,
    scale: f64,
    input: &Input<'_>,
    session: &Session,
) -> Result<(Vec<f64>, Vec<Mat>)> {
    let rows = input.rows("an explanation")?;
    let (n, d) = (rows.n_rows(), rows.n_features());
    let columns = columns("an explanation", rows)?;
    let mut base = vec![0.0; outputs];
    // Rows × outputs × features, so that a row is in one place.
    let mut all = vec![0.0; n * outputs * d];
    for (t, tree) in trees.iter().enumerate() {
        let shapley = ShapleyTree::new(tree);
        let first = if shapley.width == outputs { 0 } else { t % outputs };
        shapley.mean().iter().enumerate().for_each(|(k, v)| base[first + k] += scale * v);
        let block = |(b, out): (usize, &mut [f64])| {
            go_on(session)?;
            let mut room = Room::new(&shapley, d);
            for (i, out) in out.chunks_mut(outputs * d).enumerate() {
                room.decide(&shapley, |j| columns[j].number(b * BLOCK + i));
                add_contributions(&shapley, &mut room, scale, &mut out[first * d..]);
            }
            Ok::<_, Error>(())
        };
        let size = (BLOCK * outputs * d).max(1);
        if n <= BLOCK {
            all.chunks_mut(size).enumerate().try_for_each(block)?;
        } else {
            session.run(|| all.par_chunks_mut(size).enumerate().try_for_each(block))?;
        }
    }
    let of = |k: usize| Mat::from_fn(n, d, |i, j| all[(i * outputs + k) * d + j]);
    Ok((base, (0..outputs).map(of).collect()))
}

/// How pairs of features act together: for each output and row, features × features.
pub(crate) fn interactions<B: Branches>(
    trees: &[B],
    outputs: usize,
    scale: f64,
    input: &Input<'_>,
    session: &Session,
) -> Result<Interactions> {
    let rows = input.rows("an explanation")?;
    let (n, d) = (rows.n_rows(), rows.n_features());
    let columns = columns("an explanation", rows)?;
    let mut all = vec![0.0; n * outputs * d * d];
    for (t, tree) in trees.iter().enumerate() {
        let shapley = ShapleyTree::new(tree);
        let first = if shapley.width == outputs { 0 } else { t % outputs };
        let block = |(i, out): (usize, &mut [f64])| {
            go_on(session)?;
            let mut room = Room::new(&shapley, d);
            room.decide(&shapley, |j| columns[j].number(i));
            add_interactions(&shapley, &mut room, scale, d, &mut out[first * d * d..]);
            Ok::<_, Error>(())
        };
        session.run(|| all.par_chunks_mut((outputs * d * d).max(1)).enumerate().try_for_each(block))?;
    }
    // What is left of a feature's own part once its pairs are taken off.
    let (_, own) = contributions(trees, outputs, scale, input, session)?;
    let matrix = |k: usize, i: usize| {
        let at = (i * outputs + k) * d * d;
        let mut m = Mat::from_vec(all[at..at + d * d].to_vec(), d, d).unwrap_or_default();
        for j in 0..d {
            m[(j, j)] = own[k][(i, j)] - (0..d).filter(|&l| l != j).map(|l| m[(j, l)]).sum::<f64>();
        }
        m
    };
    Ok((0..outputs).map(|k| (0..n).map(|i| matrix(k, i)).collect()).collect())
}
