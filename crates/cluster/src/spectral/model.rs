//! What spectral clustering learns: rows with their clusters, and the eigenvectors that they follow from.

use super::affinity::{Normalised, affinities};
use super::{Affinity, SpectralClustering};
use crate::space::{Assigned, Measure, Space, labels_attribute};
use mercer_core::{
    Attribute, Certificate, Dataset, Error, Evidence, Fitted, Input, Params, Prediction, Result, Schema,
    Session, Termination,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// Rows with their clusters, and the eigenvectors that they follow from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpectralModel {
    assigned: Assigned,
    affinity: Affinity,
    gamma: f64,
    n_neighbors: usize,
    values: Vec<f64>,
    vectors: Mat,
    certificate: Certificate,
}

const RESIDUAL: &str = "eigenvector residual";

impl SpectralModel {
    pub(super) fn new(
        assigned: Assigned,
        (affinity, gamma, n_neighbors): (Affinity, f64, usize),
        (values, vectors, gap): (Vec<f64>, Mat, Option<f64>),
        graph: &Normalised,
    ) -> Self {
        let residual = graph.residual(&values, &vectors);
        let meaning =
            "largest entry of N v − λ v, with N the normalised affinities: zero for exact eigenvectors";
        let mut certificate = Certificate::new(Termination::Exact)
            .with_evidence(Evidence::residual(RESIDUAL, residual, meaning));
        if let Some(gap) = gap {
            certificate = certificate.with_note(format!(
                "the last eigenvalue that is used is {gap:.3e} above the next: the smaller, the less the clusters are determined"
            ));
        }
        certificate = certificate.with_note("a new row has the cluster of the nearest row learnt from");
        Self { assigned, affinity, gamma, n_neighbors, values, vectors, certificate }
    }

    /// The cluster of each training row.
    pub fn labels(&self) -> &[i32] {
        self.assigned.labels()
    }

    fn graph(&self, data: &Dataset<'_>, session: &Session) -> Result<Option<Normalised>> {
        let dense = data.dense(SpectralClustering::NAME)?;
        if dense.view().n_rows() != self.vectors.n_rows() {
            return Ok(None);
        }
        let space = Space { rows: dense.view().to_mat().into(), measure: self.assigned.space.measure };
        let params = SpectralClustering {
            affinity: self.affinity,
            gamma: self.gamma,
            n_neighbors: self.n_neighbors,
            ..SpectralClustering::default()
        };
        Ok(Some(Normalised::new(affinities(SpectralClustering::NAME, &space, &params, session)?)))
    }
}

impl Fitted for SpectralModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        if self.affinity == Affinity::Precomputed {
            return Err(Error::incapable(SpectralClustering::NAME, "predict from affinities that are given"));
        }
        self.assigned.infer(SpectralClustering::NAME, input, session)
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let graph = session.run(|| self.graph(data, session))?;
        let found = graph.map_or(f64::INFINITY, |g| g.residual(&self.values, &self.vectors));
        Ok(vec![(RESIDUAL.to_owned(), found)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (values, k) = (self.values.clone(), self.values.len());
        let mut out = vec![
            labels_attribute(self.labels()),
            Attribute::real(
                "eigenvalues_",
                "The leading eigenvalues of the normalised affinities.",
                &[k],
                values,
            ),
        ];
        if let Ok(matrix) = affinities(
            SpectralClustering::NAME,
            &self.assigned.space,
            &SpectralClustering {
                affinity: self.affinity,
                gamma: self.gamma,
                n_neighbors: self.n_neighbors,
                ..SpectralClustering::default()
            },
            &Session::default(),
        ) {
            let n = matrix.n_rows();
            out.push(Attribute::real(
                "affinity_matrix_",
                "The affinities of all pairs.",
                &[n, n],
                matrix.into_vec(),
            ));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.assigned.validate(schema.n_features())?;
        let given = self.assigned.space.measure == Measure::Precomputed;
        let fits = self.vectors.is_consistent()
            && self.vectors.n_cols() == self.values.len()
            && self.vectors.n_rows() == self.assigned.labels().len()
            && self.n_neighbors > 0
            && given == (self.affinity == Affinity::Precomputed);
        if fits { Ok(()) } else { Err("eigenvectors and rows do not fit together".to_owned()) }
    }
}
