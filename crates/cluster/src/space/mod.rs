//! Rows and the distance between them: what clusterers by distances share.

mod assigned;
mod boruvka;
mod groups;
mod lines;
mod spanning;
mod tiles;

pub use assigned::Assigned;
pub(crate) use assigned::{clusters_of, labels_attribute};
pub(crate) use boruvka::reach_tree;
pub(crate) use groups::Groups;
pub(crate) use lines::Lines;
pub(crate) use spanning::{Edge, Merger, mergers, spanning_tree};
pub(crate) use tiles::Tiles;

use mercer_core::{Choice, Dataset, Error, ErrorKind, Input, ParamGroup, Result, RowData, Rows, Session};
use mercer_math::{
    Mat, MatRef, NearestRows, Neighbourhoods, Norm, PairMetric, SearchMethod, nearest_by, within_by,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is near to what, and how it is found.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct NearParams {
    /// What is near to what.
    #[param(default = ClusterMetric::Euclidean)]
    pub metric: ClusterMetric,
    /// How neighbours are searched; all ways find the same ones.
    #[param(default = ClusterSearch::Auto)]
    pub algorithm: ClusterSearch,
    /// Rows in a leaf of the tree that is searched, which changes the speed alone.
    #[param(default = 30, range = "[1, inf)")]
    pub leaf_size: usize,
}

/// How neighbours are searched; all ways find the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum ClusterSearch {
    /// A tree where there are few features, else brute force.
    Auto,
    /// A k-d tree for norms; every row for other metrics.
    BallTree,
    /// A k-d tree.
    KdTree,
    /// Every row.
    Brute,
}

impl ClusterSearch {
    fn method(self) -> SearchMethod {
        match self {
            ClusterSearch::Auto => SearchMethod::Auto,
            ClusterSearch::BallTree | ClusterSearch::KdTree => SearchMethod::Tree,
            ClusterSearch::Brute => SearchMethod::Brute,
        }
    }
}

/// What is near to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum ClusterMetric {
    /// √Σ|a−b|².
    Euclidean,
    /// Another name of the Euclidean metric.
    L2,
    /// (Σ|a−b|^p)^(1/p).
    Minkowski,
    /// Σ|a−b|.
    Manhattan,
    /// Another name of the Manhattan metric.
    Cityblock,
    /// Another name of the Manhattan metric.
    L1,
    /// max|a−b|.
    Chebyshev,
    /// Another name of the Chebyshev metric.
    Infinity,
    /// Σ|a−b|².
    Sqeuclidean,
    /// 1 − the cosine of the angle.
    Cosine,
    /// 1 − the correlation.
    Correlation,
    /// The angle between two points on a sphere: latitude and longitude in radians.
    Haversine,
    /// The share of features that differ.
    Hamming,
    /// Σ|a−b|/(|a|+|b|).
    Canberra,
    /// Σ|a−b|/Σ(|a|+|b|).
    Braycurtis,
    /// The share that differs of features that are not zero in both.
    Jaccard,
    /// Of features that are zero or not: those that differ, over those and twice those that are in both.
    Dice,
    /// Of features that are zero or not: twice those that differ, over all and those that differ.
    Rogerstanimoto,
    /// Of features that are zero or not: the share that is not in both.
    Russellrao,
    /// Of features that are zero or not: twice those that differ, over those and the ones that are in both.
    Sokalsneath,
    /// Of features that are zero or not: by the odds of agreeing.
    Yule,
    /// Rows are distances to the rows learnt from.
    Precomputed,
}

/// A metric that is ready to measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Measure {
    /// The norm of this exponent.
    Norm(f64),
    /// A distance that is no norm.
    Pairs(PairMetric),
    /// Rows are distances.
    Precomputed,
}

impl ClusterMetric {
    pub(crate) fn measure(self, who: &str, p: f64, d: usize) -> Result<Measure> {
        use ClusterMetric as M;
        let pairs = match self {
            M::Euclidean | M::L2 => return Ok(Measure::Norm(2.0)),
            M::Minkowski => return Ok(Measure::Norm(p)),
            M::Manhattan | M::Cityblock | M::L1 => return Ok(Measure::Norm(1.0)),
            M::Chebyshev | M::Infinity => return Ok(Measure::Norm(f64::INFINITY)),
            M::Precomputed => return Ok(Measure::Precomputed),
            M::Haversine if d != 2 => {
                return Err(Error::shape(format!("features of {who} for haversine"), 2, d));
            }
            M::Sqeuclidean => PairMetric::Sqeuclidean,
            M::Cosine => PairMetric::Cosine,
            M::Correlation => PairMetric::Correlation,
            M::Haversine => PairMetric::Haversine,
            M::Hamming => PairMetric::Hamming,
            M::Canberra => PairMetric::Canberra,
            M::Braycurtis => PairMetric::Braycurtis,
            M::Jaccard => PairMetric::Jaccard,
            M::Dice => PairMetric::Dice,
            M::Rogerstanimoto => PairMetric::RogersTanimoto,
            M::Russellrao => PairMetric::RussellRao,
            M::Sokalsneath => PairMetric::SokalSneath,
            M::Yule => PairMetric::Yule,
        };
        Ok(Measure::Pairs(pairs))
    }
}

impl Measure {
    /// The distance of two rows; not for distances that are given.
    pub(crate) fn between(self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Measure::Norm(p) => Norm::minkowski(p).between(a, b),
            Measure::Pairs(pairs) => pairs.between(a, b),
            Measure::Precomputed => f64::INFINITY,
        }
    }
}

/// Rows with the distance between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Space {
    pub(crate) rows: Arc<Mat>,
    pub(crate) measure: Measure,
}

/// Queries between two looks at the session.
const CHUNK: usize = 8192;
/// Neighbours that are held at a time, about.
const NEIGHBOURS: usize = 1 << 22;

impl Space {
    /// The rows of a data set. Where rows are distances, they must be square, without negative values, and symmetric.
    pub(crate) fn new(who: &str, data: &Dataset<'_>, metric: ClusterMetric, p: f64) -> Result<Self> {
        let (n, d) = (data.n_rows(), data.n_features());
        if d == 0 {
            return Err(Error::too_few(who, "features", 1, 0));
        }
        if n >= u32::MAX as usize {
            return Err(Error::shape(format!("rows of {who} at most"), u32::MAX as usize - 1, n));
        }
        let measure = metric.measure(who, p, d)?;
        let rows = held(who, &data.rows(who)?, measure)?;
        if measure == Measure::Precomputed {
            check_distances(who, rows.view())?;
        }
        let space = Self { rows: Arc::new(rows), measure };
        space.check_size(who)?;
        Ok(space)
    }

    /// Other rows under the same distance.
    pub(crate) fn of(&self, who: &str, data: &Dataset<'_>) -> Result<Self> {
        Ok(Self { rows: Arc::new(held(who, &data.rows(who)?, self.measure)?), measure: self.measure })
    }

    /// Refuses values whose distances overflow.
    fn check_size(&self, who: &str) -> Result<()> {
        let large = self.rows.as_slice().iter().fold(0.0f64, |a, v| a.max(v.abs()));
        if self.measure == Measure::Precomputed || large < 1e150 {
            return Ok(());
        }
        Err(Error::numeric(who, "values too large for squared distances: scale them"))
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.n_rows()
    }

    /// The norm, where the distance is one.
    pub(crate) fn norm(&self) -> Option<Norm> {
        match self.measure {
            Measure::Norm(p) => Some(Norm::minkowski(p)),
            Measure::Pairs(_) | Measure::Precomputed => None,
        }
    }

    /// The distance of two rows.
    pub(crate) fn between(&self, i: usize, j: usize) -> f64 {
        match self.measure {
            Measure::Precomputed => self.rows[(i, j)],
            measure => measure.between(self.rows.row(i), self.rows.row(j)),
        }
    }

    /// The distances of a row that is asked about and all rows.
    fn fill(&self, query: &[f64], out: &mut [f64]) {
        match self.measure {
            Measure::Norm(p) => {
                let norm = Norm::minkowski(p);
                out.iter_mut().enumerate().for_each(|(j, v)| *v = norm.between(self.rows.row(j), query));
            }
            Measure::Pairs(pairs) => {
                out.iter_mut().enumerate().for_each(|(j, v)| *v = pairs.between(query, self.rows.row(j)));
            }
            Measure::Precomputed => out.copy_from_slice(&query[..out.len()]),
        }
    }

    /// The rows ready to be searched.
    pub(crate) fn search(&self, search: ClusterSearch, leaf_size: usize) -> Searched<'_> {
        let make = |norm| NearestRows::new(self.rows.clone(), norm, search.method(), leaf_size);
        Searched { space: self, tree: self.norm().map(make) }
    }

    /// Whether the parts fit together and to a schema of so many features.
    pub(crate) fn fits(&self, d: usize) -> bool {
        let whole = self.rows.is_consistent() && self.rows.n_cols() == d && d > 0;
        whole
            && match self.measure {
                Measure::Norm(p) => p > 0.0,
                Measure::Pairs(PairMetric::Haversine) => d == 2,
                Measure::Pairs(_) => true,
                Measure::Precomputed => self.rows.n_rows() == d,
            }
    }

    /// Rows that are asked about.
    pub(crate) fn queries(&self, who: &str, input: &Input<'_>) -> Result<Mat> {
        held(who, input.rows(who)?, self.measure)
    }
}

/// Rows in memory of their own. Distances that a sparse matrix leaves out are infinite.
fn held(who: &str, rows: &Rows<'_>, measure: Measure) -> Result<Mat> {
    let RowData::Sparse(sparse) = rows.data() else { return Ok(rows.dense(who)?.view().to_mat()) };
    let (sparse, left_out) =
        (sparse.view(), if measure == Measure::Precomputed { f64::INFINITY } else { 0.0 });
    let (n, d) = (sparse.n_rows(), sparse.n_cols());
    let lacking = || {
        let size = n as f64 * d as f64 * 8e-9;
        Error::numeric(
            who,
            format!("{n} sparse rows of {d} features need {size:.1} GB when dense, which memory lacks"),
        )
    };
    let mut values = Vec::new();
    values.try_reserve_exact(n.checked_mul(d).ok_or_else(lacking)?).map_err(|_| lacking())?;
    values.resize(n * d, left_out);
    for i in 0..n {
        let (columns, given) = sparse.row(i);
        for (&j, &v) in columns.iter().zip(given) {
            // Entries that are given twice are added.
            let value = &mut values[i * d + j as usize];
            *value = if *value == left_out { v } else { *value + v };
        }
    }
    Mat::from_vec(values, n, d).ok_or_else(lacking)
}

fn check_distances(who: &str, x: MatRef<'_>) -> Result<()> {
    let (n, d) = (x.n_rows(), x.n_cols());
    if n != d {
        return Err(Error::shape(format!("columns of the distances of {who}, which must be square"), n, d));
    }
    if let Some((i, j)) = x.find(|v| v < 0.0) {
        let (value, column) = (format!("a distance of {}", x.get(i, j)), format!("x{j}"));
        let hint = "; distances are not negative".to_owned();
        return Err(ErrorKind::BadValue { learner: who.to_owned(), value, column, row: i, hint }.into());
    }
    Ok(())
}

/// Rows that are ready to be searched.
pub(crate) struct Searched<'a> {
    space: &'a Space,
    tree: Option<NearestRows>,
}

/// How far neighbours are searched.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reach {
    /// To so many.
    Count(usize),
    /// To a distance.
    Radius(f64),
}

impl Searched<'_> {
    fn of(&self, queries: MatRef<'_>, reach: Reach) -> Neighbourhoods {
        let size = (queries.n_rows(), self.space.len());
        let fill = |i: usize, out: &mut [f64]| self.space.fill(&queries.row_cow(i), out);
        match (&self.tree, reach) {
            (Some(tree), Reach::Count(k)) => tree.nearest(queries, k, None),
            (Some(tree), Reach::Radius(r)) => tree.within(queries, r, None),
            (None, Reach::Count(k)) => nearest_by(size, k, None, fill),
            (None, Reach::Radius(r)) => within_by(size, r, None, fill),
        }
    }

    /// Calls `take` with the neighbours of all rows, chunk by chunk in their order, and the first row of each chunk.
    pub(crate) fn each(
        &self,
        stage: &str,
        reach: Reach,
        session: &Session,
        take: impl FnMut(usize, Neighbourhoods),
    ) -> Result<()> {
        self.each_of(self.space.rows.view(), stage, reach, session, take)
    }

    /// The same for the neighbours of other points.
    pub(crate) fn each_of(
        &self,
        queries: MatRef<'_>,
        stage: &str,
        reach: Reach,
        session: &Session,
        mut take: impl FnMut(usize, Neighbourhoods),
    ) -> Result<()> {
        let (n, mut start, mut chunk) = (queries.n_rows(), 0, 256);
        while start < n {
            let end = (start + chunk).min(n);
            if session.step(stage, start as u64, Some(n as u64), None).is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            let found = self.of(queries.rows(start..end), reach);
            // The chunks that follow have as many rows as keep their neighbours few.
            chunk = (NEIGHBOURS * (end - start) / found.indices.len().max(1)).clamp(64, CHUNK);
            take(start, found);
            start = end;
        }
        Ok(())
    }
}
