//! What HDBSCAN learns: rows with their clusters, how strongly they belong to them, and the tree.

use super::choose::Chosen;
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
    assigned: Assigned,
    /// How strongly each row belongs to its cluster; 0 for noise.
    pub probabilities: Vec<f64>,
    tree: Vec<Merger>,
    centres: Centres,
    min_samples: usize,
    alpha: f64,
    certificate: Certificate,
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
    pub(super) probabilities: Vec<f64>,
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
        let Parts { assigned, probabilities, tree, centres, min_samples, alpha, length } = parts;
        let meaning = "under the distance at which rows reach each other: no tree that joins all rows is shorter, and single \
                       linkage, of which clusters are chosen, follows from it";
        let certificate = Certificate::new(Termination::Exact)
            .with_evidence(Evidence::value(LENGTH, length, meaning).on_scale(length))
            .with_note("a new row has the cluster of the nearest row learnt from; edges of equal length part by the order of the rows");
        Self { assigned, probabilities, tree, centres, min_samples, alpha, certificate }
    }

    /// The cluster of each training row; -1 is noise.
    pub fn labels(&self) -> &[i32] {
        self.assigned.labels()
    }

    /// The number of clusters.
    pub fn n_clusters(&self) -> usize {
        self.assigned.n_clusters()
    }
}

impl Fitted for HdbscanModel {
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
        let mut out = vec![
            labels_attribute(self.assigned.labels()),
            Attribute::real(
                "probabilities_",
                "How strongly each row belongs to its cluster; 0 for noise.",
                &[self.probabilities.len()],
                self.probabilities.clone(),
            ),
            Attribute::real(
                "linkage_",
                "The mergers of single linkage: the two groups, the height, the rows.",
                &[self.tree.len(), 4],
                tree,
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
        let fits = self.probabilities.len() == n
            && self.tree.len() + 1 == n
            && self.centres.fit(schema.n_features());
        if fits { Ok(()) } else { Err("tree and rows do not fit together".to_owned()) }
    }
}
