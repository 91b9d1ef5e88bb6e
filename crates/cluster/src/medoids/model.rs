//! What k-medoids learns: rows that are medoids.

use super::KMedoids;
use super::swaps::Swaps;
use crate::space::{Lines, Measure, Space, clusters_of, labels_attribute};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Evidence, Fitted, Input, Params, Prediction, Result, Rows,
    Schema, Session, Termination, Transformer,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// Rows that are medoids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMedoidsModel {
    /// The medoids, one a row; empty where distances were given.
    pub centres: Mat,
    /// Which rows they are.
    pub medoids: Vec<u64>,
    /// The weighted sum of distances of the training rows from their medoids.
    pub inertia: f64,
    /// The cluster of each training row. Not saved: they are the predictions of those rows.
    #[serde(skip)]
    pub labels: Vec<i32>,
    measure: Measure,
    certificate: Certificate,
}

const INERTIA: &str = "inertia";
const GAIN: &str = "gain of the best swap";

impl KMedoidsModel {
    pub(super) fn new(
        space: &Space,
        (medoids, labels, inertia): (Vec<usize>, Vec<i32>, f64),
        rounds: u64,
        why: Termination,
    ) -> Self {
        let size = inertia.max(f64::MIN_POSITIVE);
        let objective = "weighted sum of distances from the nearest medoids: the objective";
        let mut certificate = Certificate::new(why)
            .with_iterations(rounds)
            .with_objective(inertia)
            .with_evidence(Evidence::value(INERTIA, inertia, objective).on_scale(size));
        if why == Termination::Converged {
            let meaning = "what the objective would lose by the best swap of a medoid and another row: zero at a local optimum of swaps";
            certificate = certificate.with_evidence(Evidence::residual(GAIN, 0.0, meaning).on_scale(size));
        }
        certificate = certificate.with_note("a local optimum of single swaps: the global one is NP-hard");
        let centres = match space.measure {
            Measure::Precomputed => Mat::zeros(0, space.rows.n_cols()),
            Measure::Norm(_) | Measure::Pairs(_) => space.rows.view().gather(&medoids),
        };
        let medoids = medoids.into_iter().map(|m| m as u64).collect();
        Self { centres, medoids, inertia, labels, measure: space.measure, certificate }
    }

    /// The distances of rows and the medoids.
    fn distances(&self, input: &Input<'_>) -> Result<Mat> {
        let dense = input.rows(KMedoids::NAME)?.dense(KMedoids::NAME)?;
        let x = dense.view();
        Ok(match self.measure {
            Measure::Precomputed => {
                Mat::from_fn(x.n_rows(), self.medoids.len(), |i, m| x.get(i, self.medoids[m] as usize))
            }
            measure => {
                let mut out = Mat::zeros(x.n_rows(), self.medoids.len());
                for i in 0..x.n_rows() {
                    let row = x.row_cow(i);
                    let far = |m: usize| measure.between(&row, self.centres.row(m));
                    out.row_mut(i).iter_mut().enumerate().for_each(|(m, v)| *v = far(m));
                }
                out
            }
        })
    }
}

impl Transformer for KMedoidsModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        Ok(self.distances(input)?.into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.medoids.len()).map(|m| format!("kmedoids{m}")).collect()
    }
}

impl Fitted for KMedoidsModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, _: &Session) -> Result<Prediction> {
        let far = self.distances(input)?;
        let nearest = |i: usize| {
            let row = far.row(i);
            (1..row.len()).fold(0, |best, m| if row[m] < row[best] { m } else { best }) as i32
        };
        clusters_of(&(0..far.n_rows()).map(nearest).collect::<Vec<_>>(), self.medoids.len())
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let dense = data.dense(KMedoids::NAME)?;
        let space = Space { rows: dense.view().to_mat().into(), measure: self.measure };
        let n = space.len();
        let medoids: Vec<usize> = self.medoids.iter().map(|&m| m as usize).collect();
        if medoids.iter().any(|&m| m >= n) {
            return Ok(vec![(INERTIA.to_owned(), f64::INFINITY)]);
        }
        let weights = data.weights().map_or_else(|| vec![1.0; n], |w| w.to_vec());
        let candidates: Vec<usize> = (0..n).filter(|&i| weights[i] > 0.0).collect();
        let (inertia, gain) = session.run(|| {
            let lines = Lines::new(&space);
            let mut swaps = Swaps::new(&lines, weights, medoids);
            (swaps.objective(), swaps.best_gain(&lines, &candidates))
        });
        let gained = (GAIN.to_owned(), gain);
        let mut out = vec![(INERTIA.to_owned(), inertia)];
        out.extend(Some(gained).filter(|_| self.certificate.termination == Termination::Converged));
        Ok(out)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.centres.n_rows(), self.centres.n_cols());
        let medoids = self.medoids.iter().map(|&m| m as i64).collect();
        let rounds = self.certificate.iterations.unwrap_or(0) as i64;
        let mut out = vec![
            Attribute::int("medoid_indices_", "Which rows are medoids.", &[self.medoids.len()], medoids),
            Attribute::real("inertia_", "The sum of distances from the medoids.", &[], vec![self.inertia]),
            Attribute::int("n_iter_", "The rounds over all rows.", &[], vec![rounds]),
        ];
        if k > 0 {
            let values = self.centres.as_slice().to_vec();
            out.push(Attribute::real("cluster_centers_", "The medoids, one a row.", &[k, d], values));
        }
        if !self.labels.is_empty() {
            out.push(labels_attribute(&self.labels));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (d, k) = (schema.n_features(), self.medoids.len());
        let given = self.measure == Measure::Precomputed;
        let rows = if given { 0 } else { k };
        let fits = self.centres.is_consistent()
            && (self.centres.n_rows(), self.centres.n_cols()) == (rows, d)
            && (1..=u32::MAX as usize).contains(&k)
            && (!given || self.medoids.iter().all(|&m| (m as usize) < d));
        if fits { Ok(()) } else { Err("medoids do not fit the schema".to_owned()) }
    }
}
