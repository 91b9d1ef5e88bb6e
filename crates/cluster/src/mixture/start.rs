//! Where EM begins: the first shares of the components in each row.

use mercer_core::Choice;
use mercer_math::{Mat, MatRef, hash_row, hash_unit, seed_for, sq_dist};
use serde::{Deserialize, Serialize};

/// How a mixture finds its first components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum MixtureInit {
    /// The clusters of k-means.
    Kmeans,
    /// The rows nearest to each seed of k-means++.
    #[choice("k-means++")]
    PlusPlus,
    /// Random shares of the components in each row.
    Random,
    /// The rows nearest to each of some random rows.
    #[choice("random_from_data")]
    RandomFromData,
}

/// All of a row to the nearest centre, the first of equally near ones.
pub(crate) fn nearest(x: MatRef<'_>, centres: &Mat) -> Vec<f64> {
    let k = centres.n_rows();
    let mut shares = vec![0.0; x.n_rows() * k];
    for (i, shares) in shares.chunks_exact_mut(k.max(1)).enumerate() {
        let row = x.row_cow(i);
        let mut best = (f64::INFINITY, 0);
        for c in 0..k {
            let far = sq_dist(&row, centres.row(c));
            if far < best.0 {
                best = (far, c);
            }
        }
        shares[best.1] = 1.0;
    }
    shares
}

/// Shares by luck, which is a hash of a row's content: the same in any order and for every copy of a row.
pub(crate) fn random_shares(x: MatRef<'_>, k: usize, seed: u64, run: u64) -> Vec<f64> {
    let mut shares = vec![0.0; x.n_rows() * k];
    for (i, shares) in shares.chunks_exact_mut(k.max(1)).enumerate() {
        let hash = hash_row(&x.row_cow(i), seed_for(seed, run));
        for (c, share) in shares.iter_mut().enumerate() {
            *share = hash_unit(seed_for(hash, c as u64));
        }
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|s| *s /= total);
    }
    shares
}

/// Puts the means of known rows in the places of their components; the other components take the centres that are
/// farthest from all of these, one after the other.
pub(crate) fn anchored(centres: &mut Mat, anchors: &[Option<Vec<f64>>]) {
    if anchors.iter().all(Option::is_none) {
        return;
    }
    let mut taken: Vec<&[f64]> = anchors.iter().flatten().map(Vec::as_slice).collect();
    let free: Vec<Vec<f64>> = (0..centres.n_rows()).map(|c| centres.row(c).to_vec()).collect();
    let mut left: Vec<&[f64]> = free.iter().map(Vec::as_slice).collect();
    for c in 0..centres.n_rows() {
        if let Some(anchor) = anchors.get(c).and_then(Option::as_ref) {
            centres.row_mut(c).copy_from_slice(anchor);
            continue;
        }
        let far = |row: &&[f64]| taken.iter().map(|t| sq_dist(t, row)).fold(f64::INFINITY, f64::min);
        let far: Vec<f64> = left.iter().map(far).collect();
        let chosen = left.swap_remove(mercer_math::argmax(&far));
        centres.row_mut(c).copy_from_slice(chosen);
        taken.push(chosen);
    }
}
