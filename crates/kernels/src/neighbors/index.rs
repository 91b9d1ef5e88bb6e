//! The rows learnt from, ready to be searched.

use super::metric::{Metric, MetricName, NormKind, Stretch, levenshtein};
use super::params::{Algorithm, NeighborParams};
use super::sparse::{check_known, enough_known, of_sparse, owned};
use crate::kernel::{Held, Kernel, Points, PointsRef};
use crate::structures::Band;
use crate::structures::series::{Envelopes, nearest_line};
use mercer_core::{
    DataKind, Dataset, Error, ErrorKind, Input, Numbers, ParamType, Result, Schema, SeriesRef, Session,
};
use mercer_math::{Csr, Mat, NearestRows, Neighbourhoods, PairMetric, SearchMethod, nearest_by, within_by};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// What was learnt from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Items {
    /// Rows, stretched as the metric wants them.
    Rows(Arc<Mat>),
    /// Sparse rows; or, where the metric is precomputed, the distances that are known.
    Sparse(Arc<Csr>),
    /// Strings, series, graphs, or rows that a kernel measures.
    Points(Arc<Points>),
}

/// How far neighbours are searched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Reach {
    /// To so many.
    Count(usize),
    /// To a distance.
    Radius(f64),
}

/// The items learnt from with their metric. What searches are made of is built when it is first needed, and is not saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Index {
    metric: Metric,
    items: Items,
    algorithm: Algorithm,
    leaf_size: usize,
    /// The metric's name in scikit-learn.
    pub(crate) effective: String,
    #[serde(skip)]
    search: OnceLock<Arc<NearestRows>>,
}

/// Work between two looks at the session, in multiplications.
const STRETCH_OF_WORK: usize = 1 << 31;

impl Index {
    pub(crate) fn new(who: &str, params: &NeighborParams, data: &Dataset<'_>) -> Result<Self> {
        let none = Default::default();
        let given = params.stretch.metric_params.as_ref().unwrap_or(&none);
        if !params.metric.may_have(params.algorithm) {
            let allowed = "auto or brute for this metric";
            return Err(Error::param(who, "algorithm", allowed, params.algorithm.to_value()));
        }
        let input = data.input();
        let kind = params.kinds().learns_from;
        let (metric, items) = if kind != DataKind::Rows || params.metric == MetricName::Kernel {
            let metric = params.metric.resolve(who, params.p, given, None)?;
            (metric, Items::points(who, kind, &input)?)
        } else {
            match input.rows(who)?.numbers(who)? {
                Numbers::Sparse(sparse) => {
                    let metric = params.metric.resolve(who, params.p, given, None)?;
                    (metric, Items::Sparse(owned(sparse.view()).into()))
                }
                Numbers::Dense(dense) => {
                    let metric = params.metric.resolve(who, params.p, given, Some(dense.view()))?;
                    let rows = metric.stretched(dense.view());
                    (metric, Items::Rows(rows.into()))
                }
            }
        };
        if metric == Metric::Precomputed {
            check_distances(who, &items)?;
        }
        let effective = params.metric.effective(&metric);
        let (algorithm, leaf_size) = (params.algorithm, params.leaf_size);
        let index = Self { metric, items, algorithm, leaf_size, effective, search: OnceLock::new() };
        if index.len() >= u32::MAX as usize {
            return Err(Error::shape(format!("rows of {who} at most"), u32::MAX as usize - 1, index.len()));
        }
        index.rows();
        Ok(index)
    }

    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// What it costs to compare one item with all, in multiplications.
    pub(crate) fn cost(&self) -> usize {
        match (&self.items, self.rows()) {
            (_, Some(rows)) if rows.tree().is_some() => {
                64 * rows.rows().n_cols() * self.len().ilog2().max(1) as usize
            }
            (Items::Rows(rows), _) => rows.n_rows() * rows.n_cols(),
            (Items::Sparse(rows), _) => 8 * (rows.n_rows() + rows.view().nnz()),
            (Items::Points(points), _) => match &**points {
                // Tables are as long as they are wide.
                Points::Series(s) => {
                    let view = s.view();
                    (0..view.len()).map(|i| view.get(i).len().pow(2) / 4).sum()
                }
                Points::Strings(s) if self.metric == Metric::Strings => 100 * s.len(),
                other => 10_000 * other.len(),
            },
        }
        .max(1)
    }

    /// The rows ready for searching, where the metric is a norm.
    pub(crate) fn rows(&self) -> Option<&NearestRows> {
        let (Metric::Norm(norm, _), Items::Rows(rows)) = (&self.metric, &self.items) else { return None };
        let method = match self.algorithm {
            Algorithm::Auto => SearchMethod::Auto,
            Algorithm::BallTree | Algorithm::KdTree => SearchMethod::Tree,
            Algorithm::Brute => SearchMethod::Brute,
        };
        let make = || Arc::new(NearestRows::new(rows.clone(), norm.norm(), method, self.leaf_size));
        Some(self.search.get_or_init(make))
    }

    /// The norm, where the metric is one.
    pub(crate) fn norm(&self) -> Option<NormKind> {
        match &self.metric {
            Metric::Norm(norm, _) => Some(*norm),
            Metric::Pairs(_)
            | Metric::Strings
            | Metric::Precomputed
            | Metric::Warped(_)
            | Metric::Kernel(_) => None,
        }
    }

    /// The rows as they are searched, where there are rows.
    pub(crate) fn stored(&self) -> Option<&Mat> {
        match &self.items {
            Items::Rows(rows) => Some(rows),
            Items::Sparse(_) | Items::Points(_) => None,
        }
    }

    /// Whether rows are kept as they were given.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.metric, Metric::Norm(_, Stretch::None))
    }

    /// Rows that are asked about, as those learnt from are kept.
    pub(crate) fn stretched(&self, who: &str, input: &Input<'_>) -> Result<Arc<Mat>> {
        match self.queries(who, input)? {
            Items::Rows(rows) => Ok(rows),
            Items::Sparse(rows) => Ok(rows.view().to_dense().into()),
            Items::Points(_) => Err(Error::incapable(who, "take other data than rows")),
        }
    }

    /// Units that are asked about, as the items are kept.
    fn queries(&self, who: &str, input: &Input<'_>) -> Result<Items> {
        if let Items::Points(_) = self.items {
            return Items::points(who, self.metric.data_kind(), input);
        }
        let numbers = input.rows(who)?.numbers(who)?;
        Ok(match (numbers, &self.items, &self.metric) {
            // Distances that are not known are not zero, whatever was learnt from.
            (Numbers::Sparse(sparse), Items::Sparse(_), _)
            | (Numbers::Sparse(sparse), _, Metric::Precomputed) => Items::Sparse(owned(sparse.view()).into()),
            (Numbers::Sparse(sparse), ..) => {
                Items::Rows(self.metric.stretched(sparse.view().to_dense().view()).into())
            }
            (Numbers::Dense(dense), Items::Sparse(_), metric) if *metric != Metric::Precomputed => {
                Items::Sparse(Csr::from_dense(dense.view()).into())
            }
            (Numbers::Dense(dense), ..) => Items::Rows(self.metric.stretched(dense.view()).into()),
        })
    }

    /// The neighbours of units; without any, of the items themselves, none of which is its own neighbour.
    pub(crate) fn find(
        &self,
        who: &str,
        input: Option<&Input<'_>>,
        reach: Reach,
        session: &Session,
    ) -> Result<Neighbourhoods> {
        let Some(input) = input else {
            let all: Vec<u32> = (0..self.len() as u32).collect();
            return self.find_own(&all, reach, session);
        };
        self.find_items(&self.queries(who, input)?, None, reach, session)
    }

    /// The neighbours of some of the items among the others.
    pub(crate) fn find_own(&self, which: &[u32], reach: Reach, session: &Session) -> Result<Neighbourhoods> {
        let all = which.len() == self.len() && which.iter().zip(0..).all(|(a, b)| *a == b);
        if all {
            return self.find_items(&self.items, Some(which), reach, session);
        }
        let rows: Vec<usize> = which.iter().map(|&i| i as usize).collect();
        let chosen = match &self.items {
            Items::Rows(x) => Items::Rows(x.view().gather(&rows).into()),
            Items::Sparse(x) => Items::Sparse(x.view().gather(&rows).into()),
            Items::Points(points) => Items::Points(points.view().gather(&rows).into()),
        };
        self.find_items(&chosen, Some(which), reach, session)
    }

    fn find_items(
        &self,
        queries: &Items,
        own: Option<&[u32]>,
        reach: Reach,
        session: &Session,
    ) -> Result<Neighbourhoods> {
        if let (Metric::Precomputed, Items::Sparse(known), Reach::Count(k)) = (&self.metric, queries, reach) {
            enough_known(known, own, k)?;
        }
        let m = queries.len();
        let least = if matches!(queries, Items::Points(_)) { 16 } else { 256 };
        let chunk = (STRETCH_OF_WORK / self.cost()).clamp(least, 1 << 16);
        let mut found = Vec::new();
        for start in (0..m).step_by(chunk) {
            let range = start..(start + chunk).min(m);
            let own = own.map(|own| &own[range.clone()]);
            found.push(session.run(|| self.find_chunk(queries, range.clone(), own, reach))?);
            let stopped = session.step("neighbours", (start + chunk).min(m) as u64, Some(m as u64), None);
            if stopped.is_some() && start + chunk < m {
                return Err(ErrorKind::Cancelled.into());
            }
        }
        Ok(Neighbourhoods::join(found))
    }

    fn find_chunk(
        &self,
        queries: &Items,
        range: Range<usize>,
        own: Option<&[u32]>,
        reach: Reach,
    ) -> Result<Neighbourhoods> {
        if let (Some(rows), Items::Rows(x)) = (self.rows(), queries) {
            let view = x.view().rows(range);
            return Ok(match reach {
                Reach::Count(k) => rows.nearest(view, k, own),
                Reach::Radius(radius) => rows.within(view, radius, own),
            });
        }
        let size = (range.len(), self.len());
        let search = |fill: &(dyn Fn(usize, &mut [f64]) + Sync)| match reach {
            Reach::Count(k) => nearest_by(size, k, own, fill),
            Reach::Radius(radius) => within_by(size, radius, own, fill),
        };
        if let (Metric::Kernel(kernel), Items::Points(q), Items::Points(x)) =
            (&self.metric, queries, &self.items)
        {
            let found = apart(kernel, q.view().range(range), x.view())?;
            return Ok(search(&|i, out| out.copy_from_slice(found.row(i))));
        }
        if let (Metric::Warped(band), Some(q), Some(x)) =
            (&self.metric, queries.series(), self.items.series())
        {
            let envelopes = Envelopes::of(x, *band);
            // An item is the nearest to itself, which is not asked for.
            let most = match reach {
                Reach::Count(k) => k.saturating_add(usize::from(own.is_some())).min(x.len()),
                Reach::Radius(_) => x.len(),
            };
            return Ok(search(&|i, out| {
                nearest_line(q.get(range.start + i), x, &envelopes, *band, most, out)
            }));
        }
        Ok(search(&|i, out| self.distances(queries, range.start + i, out)))
    }

    /// The distances of a query and all items.
    fn distances(&self, queries: &Items, i: usize, out: &mut [f64]) {
        match (&self.metric, queries, &self.items) {
            (Metric::Norm(norm, _), Items::Rows(q), Items::Rows(x)) => {
                let norm = norm.norm();
                out.iter_mut().enumerate().for_each(|(j, d)| *d = norm.between(x.row(j), q.row(i)));
            }
            (Metric::Pairs(pairs), Items::Rows(q), Items::Rows(x)) => {
                out.iter_mut().enumerate().for_each(|(j, d)| *d = pairs.between(q.row(i), x.row(j)));
            }
            (Metric::Norm(norm, _), Items::Sparse(q), Items::Sparse(x)) => {
                let norm = norm.norm();
                let measure = |a: &[f64], b: &[f64]| norm.between(b, a);
                of_sparse(q.view().row(i), x.view(), measure, out);
            }
            (Metric::Pairs(pairs), Items::Sparse(q), Items::Sparse(x)) => {
                let measure = |a: &[f64], b: &[f64]| pairs.of_sparse(a, b, x.n_cols());
                of_sparse(q.view().row(i), x.view(), measure, out);
            }
            (Metric::Precomputed, Items::Sparse(q), _) => {
                out.fill(f64::INFINITY);
                let (columns, distances) = q.view().row(i);
                columns.iter().zip(distances).for_each(|(&j, d)| out[j as usize] = *d);
            }
            (Metric::Precomputed, Items::Rows(q), _) => out.copy_from_slice(&q.row(i)[..out.len()]),
            (Metric::Strings, Items::Points(q), Items::Points(x)) => {
                if let (PointsRef::Strings(q), PointsRef::Strings(x)) = (q.view(), x.view()) {
                    out.iter_mut().zip(x).for_each(|(d, s)| *d = levenshtein(&q[i], s));
                }
            }
            // Validation keeps items and metric together.
            _ => out.fill(f64::INFINITY),
        }
    }

    /// Calls `work` with the distances of each of some units and all items, side by side.
    pub(crate) fn each_distances<T: Send>(
        &self,
        who: &str,
        input: &Input<'_>,
        work: impl Fn(usize, &mut [f64]) -> T + Sync,
    ) -> Result<Vec<T>> {
        use rayon::prelude::*;
        let queries = self.queries(who, input)?;
        let m = input.n_units().unwrap_or(0);
        let one = |buffer: &mut Vec<f64>, i: usize| {
            self.distances(&queries, i, buffer);
            work(i, buffer)
        };
        Ok((0..m).into_par_iter().map_init(|| vec![0.0; self.len()], one).collect())
    }

    /// Refuses a loaded index that does not fit together.
    pub(crate) fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let ok = match (&self.metric, &self.items) {
            (Metric::Strings, Items::Points(points)) => {
                matches!(&**points, Points::Strings(strings) if !strings.is_empty())
            }
            (Metric::Warped(band), Items::Points(points)) => {
                let share = match band {
                    Band::Share(share) => (0.0..=1.0).contains(share),
                    Band::Radius(_) => true,
                };
                share && matches!(&**points, Points::Series(_)) && points.fits(d) && !points.is_empty()
            }
            (Metric::Kernel(kernel), Items::Points(points)) => {
                *kernel != Kernel::Precomputed && points.suit(kernel) && points.fits(d) && !points.is_empty()
            }
            (Metric::Norm(norm, stretch), Items::Rows(rows)) => {
                let exponent = match norm {
                    NormKind::Minkowski(p) => *p > 0.0,
                    NormKind::Euclidean | NormKind::Manhattan | NormKind::Chebyshev => true,
                };
                exponent && stretch.fits(d) && fits(rows, d)
            }
            (Metric::Precomputed, Items::Rows(rows)) => fits(rows, d) && rows.n_rows() == d,
            (Metric::Precomputed, Items::Sparse(rows)) => fits_sparse(rows, d) && rows.n_rows() == d,
            (Metric::Norm(_, Stretch::None) | Metric::Pairs(_), Items::Sparse(rows)) => fits_sparse(rows, d),
            (Metric::Pairs(pairs), Items::Rows(rows)) => {
                let holes = *pairs == PairMetric::NanEuclidean;
                (if holes { has_shape(rows, d) } else { fits(rows, d) })
                    && (*pairs != PairMetric::Haversine || d == 2)
            }
            _ => false,
        };
        if ok && self.len() < u32::MAX as usize {
            Ok(())
        } else {
            Err("the rows do not fit the metric".to_owned())
        }
    }
}

impl Items {
    fn len(&self) -> usize {
        match self {
            Items::Rows(rows) => rows.n_rows(),
            Items::Sparse(rows) => rows.n_rows(),
            Items::Points(points) => points.len(),
        }
    }

    /// Data of this kind, copied.
    fn points(who: &str, kind: DataKind, input: &Input<'_>) -> Result<Self> {
        Ok(Items::Points(Held::new(who, kind, input)?.view().to_points().into()))
    }

    fn series(&self) -> Option<SeriesRef<'_>> {
        match self {
            Items::Points(points) => match &**points {
                Points::Series(series) => Some(series.view()),
                _ => None,
            },
            Items::Rows(_) | Items::Sparse(_) => None,
        }
    }
}

/// The distances that a kernel gives: √(k(a, a) + k(b, b) − 2k(a, b)).
fn apart(kernel: &Kernel, q: PointsRef<'_>, x: PointsRef<'_>) -> Result<Mat> {
    let (left, right) = (kernel.side(q)?, kernel.side(x)?);
    let (mut out, a, b) = (kernel.cross(&left, &right), kernel.diagonal(&left), kernel.diagonal(&right));
    for (i, a) in a.iter().enumerate() {
        out.row_mut(i).iter_mut().zip(&b).for_each(|(v, b)| *v = (a + b - 2.0 * *v).max(0.0).sqrt());
    }
    Ok(out)
}

fn has_shape(rows: &Mat, d: usize) -> bool {
    rows.is_consistent() && rows.n_cols() == d && rows.n_rows() > 0
}

fn fits(rows: &Mat, d: usize) -> bool {
    has_shape(rows, d) && rows.as_slice().iter().all(|v| v.is_finite())
}

fn fits_sparse(rows: &Csr, d: usize) -> bool {
    let shape = rows.is_consistent() && rows.n_cols() == d && rows.n_rows() > 0;
    shape && rows.view().values().iter().all(|v| v.is_finite())
}

fn check_distances(who: &str, items: &Items) -> Result<()> {
    let (shape, negative) = match items {
        Items::Rows(x) => {
            let at = x.view().find(|v| v < 0.0);
            ((x.n_rows(), x.n_cols()), at.map(|(i, j)| (i, j, x.view().get(i, j))))
        }
        Items::Sparse(x) => ((x.n_rows(), x.n_cols()), check_known(x)),
        Items::Points(_) => return Ok(()),
    };
    if shape.0 != shape.1 {
        return Err(Error::shape(
            format!("columns of the distances that {who} learns from"),
            shape.0,
            shape.1,
        ));
    }
    match negative {
        Some((row, j, distance)) => Err(ErrorKind::BadValue {
            learner: who.to_owned(),
            value: format!("the distance {distance}"),
            column: format!("x{j}"),
            row,
            hint: "; distances are at least 0".to_owned(),
        }
        .into()),
        None => Ok(()),
    }
}
