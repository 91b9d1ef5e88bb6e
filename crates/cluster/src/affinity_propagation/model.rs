//! What affinity propagation learns: rows that stand for others.

use super::messages::{Exemplars, assigned};
use super::{AffinityPropagation, Similarity, similarities};
use crate::space::{clusters_of, labels_attribute};
use mercer_core::{
    Attribute, Certificate, Dataset, Evidence, Fitted, Input, Params, Prediction, Result, Schema, Session,
};
use mercer_math::{Mat, MatRef, sq_dist};
use serde::{Deserialize, Serialize};

/// Rows that stand for others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AffinityPropagationModel {
    /// The rows that stand for others, one a row; empty where similarities were given.
    pub centres: Mat,
    /// Which rows they are.
    pub exemplars: Vec<u64>,
    /// The net similarity: that of all rows and those that stand for them, with the preferences of the latter.
    pub net_similarity: f64,
    /// The cluster of each training row, -1 where there is none. Not saved: they are the predictions of those rows.
    #[serde(skip)]
    pub labels: Vec<i32>,
    /// The similarities of all pairs. Not saved.
    #[serde(skip)]
    similar: Mat,
    affinity: Similarity,
    /// What the preferences of the exemplars add up to.
    preferred: f64,
    certificate: Certificate,
}

const NET: &str = "net similarity";

/// The similarities of rows and those that stand for them, which stand for themselves without any.
fn net(similar: &Mat, exemplars: &[usize]) -> f64 {
    let labels = assigned(similar, exemplars);
    let of = |(i, &c): (usize, &usize)| if exemplars[c] == i { 0.0 } else { similar[(i, exemplars[c])] };
    labels.iter().enumerate().map(of).sum()
}

impl AffinityPropagationModel {
    pub(super) fn new(
        x: MatRef<'_>,
        affinity: Similarity,
        similar: Mat,
        (found, preferences): (Exemplars, Vec<f64>),
    ) -> Result<Self> {
        let preferred: f64 = found.rows.iter().map(|&i| preferences[i]).sum();
        let mut certificate = Certificate::new(found.ended.why).with_iterations(found.ended.rounds);
        let mut net_similarity = f64::NEG_INFINITY;
        if found.rows.is_empty() {
            certificate = certificate.with_note(
                "messages have not settled on any row that stands for others, so that there is no cluster: more damping or \
                 iterations may help",
            );
        } else {
            net_similarity = net(&similar, &found.rows) + preferred;
            let meaning = "similarity of all rows and those that stand for them, and the preferences of the latter: the objective";
            let evidence = Evidence::value(NET, net_similarity, meaning);
            certificate = certificate
                .with_objective(net_similarity)
                .with_evidence(evidence.on_scale(net_similarity.abs().max(f64::MIN_POSITIVE)))
                .with_note("messages are exact on trees alone; here they approximate the best choice, which is NP-hard");
        }
        let centres = match affinity {
            Similarity::Euclidean => x.gather(&found.rows),
            Similarity::Precomputed => Mat::zeros(0, x.n_cols()),
        };
        let exemplars = found.rows.iter().map(|&i| i as u64).collect();
        let labels = found.labels;
        Ok(Self { centres, exemplars, net_similarity, labels, similar, affinity, preferred, certificate })
    }
}

impl Fitted for AffinityPropagationModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, _: &Session) -> Result<Prediction> {
        let dense = input.rows(AffinityPropagation::NAME)?.dense(AffinityPropagation::NAME)?;
        let (x, k) = (dense.view(), self.exemplars.len());
        let near = |i: usize, c: usize| match self.affinity {
            Similarity::Euclidean => -sq_dist(&x.row_cow(i), self.centres.row(c)),
            Similarity::Precomputed => x.get(i, self.exemplars[c] as usize),
        };
        let best = |i: usize| {
            let first = (f64::NEG_INFINITY, -1);
            let better = |best: (f64, i32), c: usize| {
                let value = near(i, c);
                if value > best.0 || best.1 < 0 { (value, c as i32) } else { best }
            };
            (0..k).fold(first, better).1
        };
        clusters_of(&(0..x.n_rows()).map(best).collect::<Vec<_>>(), k)
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        if self.exemplars.is_empty() {
            return Ok(Vec::new());
        }
        let similar = similarities(data.dense(AffinityPropagation::NAME)?.view(), self.affinity)?;
        let rows: Vec<usize> = self.exemplars.iter().map(|&i| i as usize).collect();
        let found = match rows.iter().all(|&i| i < similar.n_rows()) {
            true => net(&similar, &rows) + self.preferred,
            false => f64::NEG_INFINITY,
        };
        Ok(vec![(NET.to_owned(), found)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.exemplars.len(), self.centres.n_cols());
        let rounds = self.certificate.iterations.unwrap_or(0) as i64;
        let exemplars = self.exemplars.iter().map(|&i| i as i64).collect();
        let mut out = vec![
            Attribute::int("cluster_centers_indices_", "Which rows stand for others.", &[k], exemplars),
            Attribute::int("n_iter_", "The iterations.", &[], vec![rounds]),
            Attribute::real(
                "net_similarity_",
                "The similarity of all rows and those that stand for them, and the preferences of the latter.",
                &[],
                vec![self.net_similarity],
            ),
        ];
        if self.affinity == Similarity::Euclidean {
            let values = self.centres.as_slice().to_vec();
            out.push(Attribute::real("cluster_centers_", "The rows that stand for others.", &[k, d], values));
        }
        if !self.labels.is_empty() {
            let n = self.similar.n_rows();
            let values = self.similar.as_slice().to_vec();
            out.push(Attribute::real("affinity_matrix_", "The similarities of all pairs.", &[n, n], values));
            out.push(labels_attribute(&self.labels));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (d, k) = (schema.n_features(), self.exemplars.len());
        let given = self.affinity == Similarity::Precomputed;
        let fits = self.centres.is_consistent()
            && (self.centres.n_rows(), self.centres.n_cols()) == (if given { 0 } else { k }, d)
            && k <= i32::MAX as usize
            && (!given || self.exemplars.iter().all(|&i| (i as usize) < d));
        if fits { Ok(()) } else { Err("exemplars do not fit the schema".to_owned()) }
    }
}
