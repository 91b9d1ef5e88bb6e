//! Rows with the clusters that they were given, and the clusters of other rows by the nearest of them.

use super::{ClusterSearch, Space};
use mercer_core::{
    Attribute, Input, Label, Prediction, Result, Session, Target, TargetColumn, TargetKind, TargetValues,
};
use mercer_math::{Mat, NearestRows};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Rows with their clusters: numbers from 0 on, -1 for noise.
///
/// A clusterer that groups the rows it learns from says nothing of others by itself. Here a new row has the cluster of the
/// nearest row that decides (all rows, or the cores of dense clusters), and is noise where that row is farther than `limit`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assigned {
    pub(crate) space: Space,
    pub(crate) labels: Vec<i32>,
    /// The rows that decide about new ones.
    pub(crate) deciding: Vec<u32>,
    pub(crate) limit: f64,
    #[serde(skip)]
    search: OnceLock<Arc<Option<NearestRows>>>,
}

impl PartialEq for Assigned {
    fn eq(&self, other: &Self) -> bool {
        (&self.space, &self.labels, &self.deciding) == (&other.space, &other.labels, &other.deciding)
    }
}

/// The prediction of clusters: the classes are -1 for noise and the clusters.
pub(crate) fn clusters_of(labels: &[i32], n_clusters: usize) -> Result<Prediction> {
    let noise = i64::from(labels.contains(&-1));
    let classes: Vec<Label> = (-noise..n_clusters as i64).map(Label::Int).collect();
    let codes: Vec<u32> = labels.iter().map(|&l| (i64::from(l) + noise) as u32).collect();
    Target::new(vec![TargetColumn {
        name: Some("cluster".to_owned()),
        kind: TargetKind::Class(classes.into()),
        values: TargetValues::Codes(Cow::Owned(codes)),
    }])
}

/// `labels_`.
pub(crate) fn labels_attribute(labels: &[i32]) -> Attribute {
    let values = labels.iter().map(|&l| i64::from(l)).collect();
    Attribute::int("labels_", "The cluster of each training row; -1 is noise.", &[labels.len()], values)
}

impl Assigned {
    pub(crate) fn new(space: Space, labels: Vec<i32>, deciding: Option<Vec<u32>>, limit: f64) -> Self {
        let deciding = deciding.unwrap_or_else(|| (0..labels.len() as u32).collect());
        Self { space, labels, deciding, limit, search: OnceLock::new() }
    }

    /// The number of clusters, without noise.
    pub fn n_clusters(&self) -> usize {
        self.labels.iter().max().map_or(0, |l| (l + 1) as usize)
    }

    /// The cluster of each training row; -1 is noise.
    pub fn labels(&self) -> &[i32] {
        &self.labels
    }

    pub(crate) fn infer(&self, who: &str, input: &Input<'_>, session: &Session) -> Result<Prediction> {
        let queries = self.space.queries(who, input)?;
        clusters_of(&self.nearest(&queries, session), self.n_clusters())
    }

    /// The clusters of other rows.
    pub(crate) fn nearest(&self, queries: &Mat, session: &Session) -> Vec<i32> {
        session.run(|| match self.tree() {
            Some(tree) => {
                let found = tree.nearest(queries.view(), 1, None);
                let one = |i: usize| match found.of(i) {
                    ([row, ..], [far, ..]) if *far <= self.limit => {
                        self.labels[self.deciding[*row as usize] as usize]
                    }
                    _ => -1,
                };
                (0..queries.n_rows()).map(one).collect()
            }
            None => (0..queries.n_rows()).map(|i| self.by_all(queries.row(i))).collect(),
        })
    }

    /// The deciding rows ready to be searched, where the distance is a norm.
    fn tree(&self) -> Option<&NearestRows> {
        let make = || {
            let rows: Vec<usize> = self.deciding.iter().map(|&i| i as usize).collect();
            let chosen = Arc::new(self.space.rows.view().gather(&rows));
            let method = ClusterSearch::Auto.method();
            Arc::new(
                self.space
                    .norm()
                    .filter(|_| !rows.is_empty())
                    .map(|norm| NearestRows::new(chosen, norm, method, 30)),
            )
        };
        self.search.get_or_init(make).as_ref().as_ref()
    }

    fn by_all(&self, query: &[f64]) -> i32 {
        let mut far = vec![0.0; self.space.len()];
        self.space.fill(query, &mut far);
        let nearest = self
            .deciding
            .iter()
            .map(|&i| (far[i as usize], i))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        nearest.filter(|(far, _)| *far <= self.limit).map_or(-1, |(_, i)| self.labels[i as usize])
    }

    pub(crate) fn validate(&self, d: usize) -> Result<(), String> {
        let n = self.space.len();
        let fits = self.space.fits(d)
            && self.labels.len() == n
            && self.labels.iter().all(|&l| l >= -1 && (l as i64) < n as i64)
            && self.deciding.iter().all(|&i| (i as usize) < n)
            && self.limit >= 0.0;
        if fits { Ok(()) } else { Err("rows and clusters do not fit together".to_owned()) }
    }
}
