//! Mean shift: clusters about the modes of a density, which are climbed by steps to local means.
//!
//! # Objective
//! The points that are the mean of the rows within `bandwidth` of them: the modes of the density estimate with Epanechnikov's kernel
//! $$ \hat f(x) \propto \sum_i \max\bigl(0,\ 1 - \lVert x - x_i\rVert_2^2 / h^2\bigr). $$
//!
//! # Algorithm
//! Every seed (each row, or each filled cell of a grid as wide as the bandwidth) goes to the mean of the rows within the bandwidth, again
//! and again, until it moves less than a thousandth of it; all seeds at once, and those that have met go on as one. Of ends within the
//! bandwidth of each other the one with the most rows about it is kept. A row belongs to the nearest of them. Without a bandwidth it is
//! the mean distance of a row to the farthest of the nearest 30 % of the rows.
//!
//! # Complexity
//! Time O(m log n) searches of the rows a round for m seeds that have not met, and O(n² log n) for the bandwidth; memory O(n d).
//!
//! # Example
//! ```
//! use mercer_cluster::MeanShift;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[1.0, 1.0], [2.0, 1.0], [1.0, 0.0], [4.0, 7.0], [3.0, 5.0], [3.0, 6.0]]).unwrap();
//! let model = MeanShift::default().bandwidth(Some(2.0)).fit(&Dataset::new(&x))?;
//! assert_eq!(model.labels(), [1, 1, 1, 0, 0, 0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A mean is taken from its first row, so that rows far from zero lose no digits and seeds with the same rows about them meet in
//! every bit.
//!
//! # References
//! - K. Fukunaga, L. D. Hostetler. The estimation of the gradient of a density function, with applications in pattern recognition. IEEE
//!   Trans. Inf. Theory 21(1), 1975. doi:10.1109/TIT.1975.1055330
//! - D. Comaniciu, P. Meer. Mean shift: a robust approach toward feature space analysis. IEEE TPAMI 24(5), 2002. doi:10.1109/34.1000236

mod climb;
mod model;

pub use model::MeanShiftModel;

use crate::space::{ClusterMetric, ClusterSearch, Reach, Space};
use climb::{Climb, Peak};
use mercer_core::{Dataset, Error, Learn, Params, Result, Session};
use mercer_math::{Mat, MatRef, sample_indices};
use std::collections::HashMap;

/// Clusters about the modes of a density, which are climbed by steps to local means.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "mean-shift meanshift",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    tried = "bandwidth=2 | bandwidth=1.5,bin_seeding=true | bandwidth=1.5,cluster_all=false | max_iter=2",
    session = "n_jobs",
    rows = 2000,
    mixins = "MeanShiftMixin",
    can = "scaled",
    references = "Fukunaga, Hostetler. The estimation of the gradient of a density function. IEEE Trans. Inf. Theory 21(1), 1975.|Comaniciu, Meer. Mean shift: a robust approach toward feature space analysis. IEEE TPAMI 24(5), 2002."
)]
pub struct MeanShift {
    /// How far rows count for a local mean; none for an estimate from the rows.
    #[param(default = None, range = "(0, inf)")]
    pub bandwidth: Option<f64>,
    /// Where steps begin, one list of coordinates for each, in place of the rows.
    #[param(default = None)]
    pub seeds: Option<Vec<Vec<f64>>>,
    /// Whether steps begin at the filled cells of a grid, which are fewer than the rows.
    #[param(default = false)]
    pub bin_seeding: bool,
    /// Rows that make a cell a beginning.
    #[param(default = 1, range = "[1, inf)")]
    pub min_bin_freq: usize,
    /// Whether rows farther from all modes than the bandwidth belong to the nearest one, too; else they are noise.
    #[param(default = true)]
    pub cluster_all: bool,
    /// Steps of a seed, at most.
    #[param(default = 300, range = "[0, inf)")]
    pub max_iter: usize,
}

/// The share of the rows whose farthest decides about a bandwidth that is not given.
const QUANTILE: f64 = 0.3;

impl Learn for MeanShift {
    type Model = MeanShiftModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<MeanShiftModel> {
        let space = Space::new(Self::NAME, data, ClusterMetric::Euclidean, 2.0)?;
        let bandwidth = match self.bandwidth {
            Some(bandwidth) => bandwidth,
            None => mean_reach(&space, QUANTILE, session)?,
        };
        let seeds = self.begin(&space, bandwidth)?;
        let searched = space.search(ClusterSearch::Auto, 30);
        let climb = Climb { space: &space, searched: &searched, bandwidth, max_iter: self.max_iter };
        let (peaks, rounds, why) = climb.all(seeds, session)?;
        if peaks.is_empty() {
            let reason = format!(
                "no row was within bandwidth={bandwidth} of any seed: try other seeds or a larger bandwidth"
            );
            return Err(Error::numeric(Self::NAME, reason));
        }
        let centres = highest(peaks, bandwidth);
        let residual = climb.residual(&centres, session)?;
        drop(searched);
        let limit = if self.cluster_all { f64::INFINITY } else { bandwidth };
        MeanShiftModel::new(&space, centres, (bandwidth, limit), (residual, rounds, why), session)
    }
}

impl MeanShift {
    fn begin(&self, space: &Space, bandwidth: f64) -> Result<Mat> {
        let (rows, d) = (space.rows.as_ref(), space.rows.n_cols());
        if let Some(seeds) = &self.seeds {
            let fits =
                !seeds.is_empty() && seeds.iter().all(|s| s.len() == d && s.iter().all(|v| v.is_finite()));
            if !fits {
                let expected = format!("lists of {d} finite numbers, at least one");
                return Err(Error::param(Self::NAME, "seeds", expected, format!("{seeds:?}")));
            }
            return Mat::from_rows(seeds)
                .ok_or_else(|| Error::numeric(Self::NAME, "seeds of unequal length"));
        }
        match self.bin_seeding && bandwidth > 0.0 {
            true => Ok(bin_seeds(rows.view(), bandwidth, self.min_bin_freq)),
            false => Ok(rows.clone()),
        }
    }
}

/// The middles of the cells of a grid with at least so many rows, in the order of their first rows; the rows themselves where every
/// row has a cell of its own.
fn bin_seeds(x: MatRef<'_>, width: f64, least: usize) -> Mat {
    let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut cells: Vec<(Vec<f64>, usize)> = Vec::new();
    for i in 0..x.n_rows() {
        // Both zeros are one cell.
        let cell: Vec<f64> = x.row_cow(i).iter().map(|v| (v / width).round_ties_even() + 0.0).collect();
        let key = cell.iter().map(|v| v.to_bits()).collect();
        let place = *places.entry(key).or_insert(cells.len());
        if place == cells.len() {
            cells.push((cell, 0));
        }
        cells[place].1 += 1;
    }
    let middle = |(cell, _): &(Vec<f64>, usize)| cell.iter().map(|v| v * width).collect::<Vec<f64>>();
    let filled: Vec<Vec<f64>> = cells.iter().filter(|(_, rows)| *rows >= least).map(middle).collect();
    if filled.len() == x.n_rows() {
        return x.to_mat();
    }
    Mat::from_rows(&filled).unwrap_or_else(|| Mat::zeros(0, x.n_cols()))
}

/// Of peaks within the bandwidth of each other the one with the most rows about it.
fn highest(mut peaks: Vec<Peak>, bandwidth: f64) -> Mat {
    let order = |a: &Peak, b: &Peak| b.rows.cmp(&a.rows).then_with(|| climb::compare(&b.at, &a.at));
    peaks.sort_by(order);
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for peak in peaks {
        let near = |other: &Vec<f64>| mercer_math::sq_dist(other, &peak.at).sqrt() <= bandwidth;
        if !kept.iter().any(near) {
            kept.push(peak.at);
        }
    }
    Mat::from_rows(&kept).unwrap_or_default()
}

/// The mean distance of a row to the farthest of the nearest share of the rows, itself among them.
fn mean_reach(space: &Space, quantile: f64, session: &Session) -> Result<f64> {
    let k = ((space.len() as f64 * quantile) as usize).max(1);
    let (mut sum, searched) = (0.0, space.search(ClusterSearch::Auto, 30));
    searched.each("bandwidth", Reach::Count(k), session, |_, near| {
        sum += (0..near.len()).filter_map(|i| near.of(i).1.last()).sum::<f64>();
    })?;
    Ok(sum / space.len() as f64)
}

/// A bandwidth for [`MeanShift`]: the mean distance of a row to the farthest of its nearest `quantile` of the rows, over `n_samples` of
/// them, or all.
pub fn estimate_bandwidth(
    x: MatRef<'_>,
    quantile: f64,
    n_samples: Option<usize>,
    session: &Session,
) -> Result<f64> {
    const WHO: &str = "estimate_bandwidth";
    if !(0.0..=1.0).contains(&quantile) {
        return Err(Error::param(WHO, "quantile", "in [0, 1]", quantile));
    }
    if n_samples == Some(0) || x.n_rows() == 0 {
        return Err(Error::too_few(WHO, "rows", 1, 0));
    }
    let rows = match n_samples {
        Some(some) if some < x.n_rows() => x.gather(&sample_indices(&mut session.rng(0), x.n_rows(), some)),
        _ => x.to_mat(),
    };
    let data = Dataset::new(&rows);
    data.input().rows(WHO)?.refuse_not_finite(WHO)?;
    let space = Space::new(WHO, &data, ClusterMetric::Euclidean, 2.0)?;
    session.run(|| mean_reach(&space, quantile, session))
}
