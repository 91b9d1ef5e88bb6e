//! What HDBSCAN learns: rows with their clusters, how strongly they belong to them, and the tree.

use super::choose::Chosen;
use super::condense::{Condensed, Part};
use super::{HDBSCAN, StoredCenters, reaching};
use crate::space::{Assigned, ClusterSearch, Merger, Space, labels_attribute};
use mercer_core::{
    Attribute, Certificate, Dataset, Evidence, Fitted, Input, Params, Prediction, Result, Schema, Session,
    Termination,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// Rows with their clusters, how strongly they belong to them, and the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HdbscanModel {
    pub(super) assigned: Assigned,
    pub(super) clusters: Hierarchy,
    tree: Vec<Merger>,
    centres: Centres,
    pub(super) min_samples: usize,
    pub(super) alpha: f64,
    certificate: Certificate,
}

/// The condensed tree, and what was chosen of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Hierarchy {
    pub(super) condensed: Condensed,
    /// For each cluster of the tree the one chosen at or above it.
    pub(super) owners: Vec<Option<u32>>,
    /// The λ below which rows are noise where all are one cluster.
    pub(super) border: f64,
    strengths: Vec<f64>,
    persistence: Vec<f64>,
}

impl Hierarchy {
    pub(super) fn new(condensed: Condensed, chosen: Chosen) -> Self {
        let Chosen { strengths, owners, persistence, border, .. } = chosen;
        Self { condensed, owners, border, strengths, persistence }
    }

    /// Parent, child, λ and size of all that leaves a cluster: rows have their numbers, clusters those from the number of rows on.
    fn table(&self) -> Vec<f64> {
        let n = self.condensed.n_rows;
        let line = |l: &super::condense::Leaving| {
            let (child, size) = match l.what {
                Part::Row(row) => (row, 1),
                Part::Cluster(c, size) => (n + c, size),
            };
            [(n + l.from) as f64, child as f64, l.lambda, size as f64]
        };
        self.condensed.leaving.iter().flat_map(line).collect()
    }

    fn fits(&self, n: usize, k: usize) -> bool {
        let known = |c: &u32| (*c as usize) < self.condensed.n_clusters;
        self.condensed.n_rows == n
            && self.condensed.is_whole()
            && self.owners.len() == self.condensed.n_clusters
            && self.owners.iter().flatten().all(known)
            && self.strengths.len() == n
            && self.persistence.len() >= k
    }
}

/// The centres of the clusters, where they are stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Centres {
    means: Option<Mat>,
    medoids: Option<Mat>,
}

impl Centres {
    pub(super) fn of(space: &Space, chosen: &Chosen, which: Option<StoredCenters>) -> Self {
        let k = chosen.labels.iter().max().map_or(0, |l| (l + 1) as usize);
        let mut members = vec![Vec::new(); k];
        for (i, &l) in chosen.labels.iter().enumerate().filter(|(_, l)| **l >= 0) {
            members[l as usize].push(i);
        }
        let d = space.rows.n_cols();
        let mean = |c: usize, j: usize| {
            let total: f64 = members[c].iter().map(|&i| chosen.strengths[i]).sum();
            members[c].iter().map(|&i| chosen.strengths[i] * space.rows[(i, j)]).sum::<f64>() / total
        };
        let medoid = |members: &Vec<usize>| {
            let cost =
                |a: usize| members.iter().map(|&b| chosen.strengths[b] * space.between(a, b)).sum::<f64>();
            let costs = members.iter().map(|&a| (cost(a), a));
            costs.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, a)| a)
        };
        let means = || Mat::from_fn(k, d, mean);
        let medoids = || space.rows.view().gather(&members.iter().map(medoid).collect::<Vec<_>>());
        match which {
            None => Self::default(),
            Some(StoredCenters::Centroid) => Self { means: Some(means()), medoids: None },
            Some(StoredCenters::Medoid) => Self { means: None, medoids: Some(medoids()) },
            Some(StoredCenters::Both) => Self { means: Some(means()), medoids: Some(medoids()) },
        }
    }

    fn fit(&self, d: usize) -> bool {
        [&self.means, &self.medoids].into_iter().flatten().all(|m| m.is_consistent() && m.n_cols() == d)
    }
}

/// What a model is made of.
pub(super) struct Parts {
    pub(super) assigned: Assigned,
    pub(super) clusters: Hierarchy,
    pub(super) tree: Vec<Merger>,
    pub(super) centres: Centres,
    pub(super) min_samples: usize,
    pub(super) alpha: f64,
    pub(super) length: f64,
}

const LENGTH: &str = "length of the spanning tree";

/// The length of a tree, without the edges between rows whose distance is infinite.
pub(super) fn length(tree: &[Merger]) -> f64 {
    tree.iter().map(|m| m.height).filter(|h| h.is_finite()).sum()
}

impl HdbscanModel {
    pub(super) fn new(parts: Parts) -> Self {
        let Parts { assigned, clusters, tree, centres, min_samples, alpha, length } = parts;
        let meaning = "under the distance at which rows reach each other: no tree that joins all rows is shorter, and single \
                       linkage, of which clusters are chosen, follows from it";
        let certificate = Certificate::new(Termination::Exact)
            .with_evidence(Evidence::value(LENGTH, length, meaning).on_scale(length))
            .with_note("a new row has the cluster of the nearest row learnt from; edges of equal length part by the order of the rows");
        Self { assigned, clusters, tree, centres, min_samples, alpha, certificate }
    }

    /// The cluster of each training row; -1 is noise.
    pub fn labels(&self) -> &[i32] {
        self.assigned.labels()
    }

    /// How strongly each row belongs to its cluster; 0 for noise.
    pub fn probabilities(&self) -> &[f64] {
        &self.clusters.strengths
    }

    /// How far each row is from the densest place of its cluster, in [0, 1]: near 1 for outliers (GLOSH).
    pub fn outlier_scores(&self) -> Vec<f64> {
        self.clusters.condensed.outlier_scores()
    }

    /// The number of clusters.
    pub fn n_clusters(&self) -> usize {
        self.assigned.n_clusters()
    }
}

impl Fitted for HdbscanModel {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        self.assigned.infer(HDBSCAN::NAME, input, session)
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let space = self.assigned.space.of(HDBSCAN::NAME, data)?;
        let search = space.search(ClusterSearch::Brute, 30);
        let near = self.min_samples.min(space.len());
        let tree = session.run(|| reaching(&space, &search, near, self.alpha, session))?;
        Ok(vec![(LENGTH.to_owned(), length(&tree))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let merger = |m: &Merger| [f64::from(m.left), f64::from(m.right), m.height, f64::from(m.size)];
        let tree: Vec<f64> = self.tree.iter().flat_map(merger).collect();
        let shape = |m: &Mat| [m.n_rows(), m.n_cols()];
        let real = |name, doc, shape: &[usize], values| Attribute::real(name, doc, shape, values);
        let (n, clusters) = (self.labels().len(), &self.clusters);
        let strengths = clusters.strengths.clone();
        let mut out = vec![
            labels_attribute(self.assigned.labels()),
            real(
                "probabilities_",
                "How strongly each row belongs to its cluster; 0 for noise.",
                &[n],
                strengths,
            ),
            real(
                "outlier_scores_",
                "How far each row is from the densest place of its cluster, from 0 to 1 (GLOSH).",
                &[n],
                self.outlier_scores(),
            ),
            real(
                "cluster_persistence_",
                "How long each cluster lasts, as a share of what it could: near 1 for clusters that stand out.",
                &[clusters.persistence.len()],
                clusters.persistence.clone(),
            ),
            real(
                "linkage_",
                "The mergers of single linkage: the two groups, the height, the rows.",
                &[self.tree.len(), 4],
                tree,
            ),
            real(
                "condensed_tree_",
                "What leaves each cluster: the cluster, the row or cluster that leaves it, 1 / distance, the rows. Clusters are numbered \
                 after the rows.",
                &[clusters.condensed.leaving.len(), 4],
                clusters.table(),
            ),
        ];
        if let Some(m) = &self.centres.means {
            let values = m.as_slice().to_vec();
            out.push(Attribute::real(
                "centroids_",
                "The mean of each cluster, weighted by strength.",
                &shape(m),
                values,
            ));
        }
        if let Some(m) = &self.centres.medoids {
            let values = m.as_slice().to_vec();
            out.push(Attribute::real(
                "medoids_",
                "The row of each cluster that is nearest to the others.",
                &shape(m),
                values,
            ));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.assigned.validate(schema.n_features())?;
        let n = self.assigned.labels().len();
        let fits = self.clusters.fits(n, self.n_clusters())
            && self.tree.len() + 1 == n
            && self.min_samples >= 1
            && self.alpha > 0.0
            && self.centres.fit(schema.n_features());
        if fits { Ok(()) } else { Err("tree and rows do not fit together".to_owned()) }
    }
}
