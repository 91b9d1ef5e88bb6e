//! What mean shift learns: modes.

use super::MeanShift;
use super::climb::Climb;
use crate::space::{Assigned, ClusterSearch, Measure, Space, labels_attribute};
use mercer_core::{
    Attribute, Certificate, Dataset, Evidence, Fitted, Input, Params, Prediction, Result, Schema, Session,
    Termination,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// The modes of a density, to the nearest of which rows belong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanShiftModel {
    /// The modes with their numbers.
    modes: Assigned,
    /// How far rows count for a local mean.
    pub bandwidth: f64,
    /// The cluster of each training row. Not saved: they are the predictions of those rows.
    #[serde(skip)]
    labels: Vec<i32>,
    certificate: Certificate,
}

const RESIDUAL: &str = "largest step left";

impl MeanShiftModel {
    pub(super) fn new(
        space: &Space,
        centres: Mat,
        (bandwidth, limit): (f64, f64),
        (residual, rounds, why): (f64, u64, Termination),
        session: &Session,
    ) -> Result<Self> {
        let meaning = "largest distance of a mode and the mean of the rows within the bandwidth of it: below a thousandth of the \
                       bandwidth where climbing has come to its end";
        let large = space.rows.as_slice().iter().fold(0.0f64, |a, v| a.max(v.abs()));
        let size = bandwidth.max(1e-6 * large).max(f64::MIN_POSITIVE);
        let certificate = Certificate::new(why)
            .with_iterations(rounds)
            .with_evidence(Evidence::residual(RESIDUAL, residual, meaning).on_scale(size))
            .with_note(
                "of modes within the bandwidth of each other the one with the most rows about it is kept",
            );
        let labels = (0..centres.n_rows() as i32).collect();
        let own = Space { rows: centres.into(), measure: Measure::Norm(2.0) };
        let modes = Assigned::new(own, labels, None, limit);
        let labels = modes.nearest(&space.rows, session);
        Ok(Self { modes, bandwidth, labels, certificate })
    }

    /// The modes, one a row; those with the most rows about them come first.
    pub fn centres(&self) -> &Mat {
        &self.modes.space.rows
    }

    /// The cluster of each training row; -1 is noise.
    pub fn labels(&self) -> &[i32] {
        &self.labels
    }
}

impl Fitted for MeanShiftModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        self.modes.infer(MeanShift::NAME, input, session)
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let dense = data.dense(MeanShift::NAME)?;
        let space = Space { rows: dense.view().to_mat().into(), measure: Measure::Norm(2.0) };
        let searched = space.search(ClusterSearch::Auto, 30);
        let climb = Climb { space: &space, searched: &searched, bandwidth: self.bandwidth, max_iter: 0 };
        Ok(vec![(RESIDUAL.to_owned(), climb.residual(self.centres(), session)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (centres, rounds) = (self.centres(), self.certificate.iterations.unwrap_or(0) as i64);
        let shape = [centres.n_rows(), centres.n_cols()];
        let mut out = vec![
            Attribute::real("cluster_centers_", "The modes, one a row.", &shape, centres.as_slice().to_vec()),
            Attribute::int("n_iter_", "The steps of the longest way.", &[], vec![rounds]),
            Attribute::real("bandwidth_", "How far rows count for a local mean.", &[], vec![self.bandwidth]),
        ];
        if !self.labels.is_empty() {
            out.push(labels_attribute(&self.labels));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.modes.validate(schema.n_features())?;
        let fits = self.modes.space.measure == Measure::Norm(2.0)
            && self.centres().n_rows() > 0
            && self.bandwidth >= 0.0
            && self.bandwidth.is_finite();
        if fits { Ok(()) } else { Err("modes without a bandwidth".to_owned()) }
    }
}
