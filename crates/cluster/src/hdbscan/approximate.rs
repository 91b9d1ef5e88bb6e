//! The clusters of new rows by the tree, and which of them are noise.

use super::{HDBSCAN, HdbscanModel, divides_first};
use crate::space::{ClusterSearch, Measure, Reach};
use mercer_core::{Error, Input, Params, Result, Session};

impl HdbscanModel {
    /// The clusters of new rows, -1 for noise, and how strongly rows belong to them, as if each joined the tree without changing it.
    ///
    /// A new row reaches a row learnt from at the greatest of both core distances and their distance; it leaves the tree with the row that
    /// it reaches first, or, where it reaches that one later than this row leaves, from the cluster that there is at that distance. The row
    /// reached first is looked for among the nearest twice `min_samples`, as the package hdbscan does, whence the name.
    pub fn approximate_predict(&self, input: &Input<'_>, session: &Session) -> Result<(Vec<i32>, Vec<f64>)> {
        let space = &self.assigned.space;
        let queries = space.queries(HDBSCAN::NAME, input)?;
        let (n, near, d) = (space.len(), self.min_samples.min(space.len()), space.rows.n_cols());
        if queries.n_cols() != d {
            return Err(Error::shape("features of new rows", d, queries.n_cols()));
        }
        if space.measure != Measure::Precomputed {
            input.rows(HDBSCAN::NAME)?.refuse_not_finite(HDBSCAN::NAME)?;
        }
        let search = space.search(ClusterSearch::Auto, 30);
        let scale = if divides_first(space.measure) { 1.0 / self.alpha } else { 1.0 };
        let mut cores = Vec::with_capacity(n);
        let places = Places::of(self);
        let (mut labels, mut strengths) = (Vec::new(), Vec::new());
        session.run(|| {
            search.each("core distances", Reach::Count(near), session, |_, found| {
                cores.extend((0..found.len()).map(|i| scale * found.of(i).1.last().copied().unwrap_or(0.0)));
            })?;
            let reach = Reach::Count((2 * near).min(n));
            search.each_of(queries.view(), "new rows", reach, session, |_, found| {
                for i in 0..found.len() {
                    let (rows, far) = found.of(i);
                    // The new row is the nearest to itself.
                    let own = near.checked_sub(2).map_or(0.0, |place| scale * far[place]);
                    let reached = rows.iter().zip(far).map(|(&row, far)| {
                        ((far / self.alpha).max(own).max(cores[row as usize]), row as usize)
                    });
                    let first = reached.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0));
                    let (label, strength) = places.of_row(first.1, 1.0 / first.0);
                    labels.push(label);
                    strengths.push(strength);
                }
            })
        })?;
        Ok((labels, strengths))
    }
}

/// Where rows and clusters leave the tree.
struct Places<'a> {
    model: &'a HdbscanModel,
    rows: Vec<(usize, f64)>,
    origins: Vec<(usize, f64)>,
    deaths: Vec<f64>,
    /// The number of each chosen cluster.
    numbers: Vec<i32>,
}

impl<'a> Places<'a> {
    fn of(model: &'a HdbscanModel) -> Self {
        let tree = &model.clusters.condensed;
        let mut chosen: Vec<u32> = model.clusters.owners.iter().flatten().copied().collect();
        chosen.sort_unstable();
        chosen.dedup();
        let mut numbers = vec![-1; tree.n_clusters];
        chosen.iter().zip(0..).for_each(|(&c, number)| numbers[c as usize] = number);
        Self { model, rows: tree.rows(), origins: tree.origins(), deaths: tree.deaths(false), numbers }
    }

    /// The cluster and the strength of a new row that leaves at `lambda` beside a row learnt from.
    fn of_row(&self, row: usize, lambda: f64) -> (i32, f64) {
        let (mut cluster, leaves) = self.rows[row];
        if leaves > lambda {
            while cluster > 0 && self.origins[cluster].1 >= lambda {
                cluster = self.origins[cluster].0;
            }
        }
        let Some(owner) = self.model.clusters.owners[cluster] else { return (-1, 0.0) };
        let owner = owner as usize;
        if owner == 0 && lambda < self.model.clusters.border {
            return (-1, 0.0);
        }
        let death = self.deaths[owner];
        let whole = death == 0.0 || lambda.is_infinite();
        (self.numbers[owner], if whole { 1.0 } else { lambda.min(death) / death })
    }
}
