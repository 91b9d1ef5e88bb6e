//! What DBSCAN learns: rows with their clusters, and which of them are cores.

use super::{DBSCAN, is_core};
use crate::space::{Assigned, ClusterSearch, Groups, Reach, labels_attribute};
use mercer_core::{
    Attribute, Certificate, Dataset, Evidence, Fitted, Input, Params, Prediction, Result, Schema, Session,
    Termination,
};
use serde::{Deserialize, Serialize};

/// Rows with their clusters, and which of them are cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DbscanModel {
    assigned: Assigned,
    min_samples: usize,
    certificate: Certificate,
}

const VIOLATIONS: &str = "rows in a wrong place";
const CORES: &str = "core rows";

impl DbscanModel {
    pub(super) fn new(assigned: Assigned, min_samples: usize) -> Self {
        let wrong = "cores without the cluster of a core within eps, rows at a border without one of their cluster, noise \
                     within eps of a core, and clusters in several parts: zero for a clustering by the definition";
        let cores = assigned.deciding.len() as f64;
        let certificate = Certificate::new(Termination::Exact)
            .with_evidence(Evidence::residual(VIOLATIONS, 0.0, wrong))
            .with_evidence(Evidence::value(CORES, cores, "rows with enough weight within eps"))
            .with_note(
                "a new row has the cluster of the nearest core within eps; of rows at the border of two clusters, the \
                 first is theirs, so that the numbering and such rows depend on the order of the rows",
            );
        Self { assigned, min_samples, certificate }
    }

    /// The cluster of each training row; -1 is noise.
    pub fn labels(&self) -> &[i32] {
        self.assigned.labels()
    }

    /// The rows that are cores.
    pub fn cores(&self) -> &[u32] {
        &self.assigned.deciding
    }

    /// How many rows are in a wrong place, and how many are cores.
    fn violations(&self, data: &Dataset<'_>, session: &Session) -> Result<(usize, usize)> {
        let (labels, weights) = (&self.assigned.labels, data.weights());
        let n = labels.len();
        if data.n_rows() != n {
            return Ok((data.n_rows().max(n), 0));
        }
        let space = self.assigned.space.of(DBSCAN::NAME, data)?;
        let searched = space.search(ClusterSearch::Auto, 30);
        let mut cores = vec![false; n];
        let reach = Reach::Radius(self.assigned.limit);
        searched.each("proof", reach, session, |first, near| {
            for i in 0..near.len() {
                cores[first + i] = is_core(first + i, near.of(i).0, self.min_samples, weights.as_deref());
            }
        })?;
        let (mut wrong, mut groups) = (0, Groups::new(n));
        searched.each("proof", reach, session, |first, near| {
            for i in 0..near.len() {
                let (row, own) = (first + i, labels[first + i]);
                let mut around = near.of(i).0.iter().copied().filter(|&j| cores[j as usize]);
                wrong += usize::from(if cores[row] {
                    own < 0
                        || around.any(|j| {
                            groups.join(row as u32, j);
                            labels[j as usize] != own
                        })
                } else if own < 0 {
                    around.next().is_some()
                } else {
                    around.all(|j| labels[j as usize] != own)
                });
            }
        })?;
        let parts = (0..n as u32).filter(|&i| cores[i as usize] && groups.find(i) == i).count();
        let clusters = self.assigned.n_clusters();
        Ok((wrong + parts.abs_diff(clusters), cores.iter().filter(|c| **c).count()))
    }
}

impl Fitted for DbscanModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        self.assigned.infer(DBSCAN::NAME, input, session)
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (wrong, cores) = session.run(|| self.violations(data, session))?;
        Ok(vec![(VIOLATIONS.to_owned(), wrong as f64), (CORES.to_owned(), cores as f64)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (cores, space) = (&self.assigned.deciding, &self.assigned.space);
        let rows: Vec<usize> = cores.iter().map(|&i| i as usize).collect();
        let components = space.rows.view().gather(&rows);
        vec![
            Attribute::int(
                "core_sample_indices_",
                "The rows that are cores.",
                &[cores.len()],
                cores.iter().map(|&i| i64::from(i)).collect(),
            ),
            Attribute::real(
                "components_",
                "The cores themselves.",
                &[cores.len(), components.n_cols()],
                components.into_vec(),
            ),
            labels_attribute(&self.assigned.labels),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.assigned.validate(schema.n_features())
    }
}
