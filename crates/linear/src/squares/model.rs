//! What ordinary least squares learns.

use super::frame::Frame;
use super::inference::Inference;
use crate::linear_model::LinearRegressionModel;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Fitted, Influence, Input, Prediction, Result, Schema,
    Session, Summarised, Summary,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// A fitted linear regression with what is known of its coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastSquaresModel {
    linear: LinearRegressionModel,
    rank: Option<usize>,
    singular: Vec<f64>,
    inference: Option<Inference>,
}

impl LeastSquaresModel {
    /// The model of coefficients in a frame, targets × coefficients with the intercept first.
    pub(super) fn of(
        frame: &Frame,
        u: &Mat,
        certificate: Certificate,
        rank: Option<usize>,
        positive: bool,
    ) -> Result<Self> {
        let (coef, intercept) = frame.unscaled(u);
        let made =
            LinearRegressionModel::of("LinearRegression", coef, intercept, frame.means.clone(), certificate)?;
        let linear = LinearRegressionModel { fit_intercept: frame.intercept, positive, ..made };
        Ok(Self { linear, rank, singular: frame.singular.clone(), inference: None })
    }

    /// A model of which an iteration found the coefficients and nothing else.
    pub(super) fn iterated(linear: LinearRegressionModel) -> Self {
        let linear = LinearRegressionModel { solver: String::new(), ..linear };
        Self { linear, rank: None, singular: Vec::new(), inference: None }
    }

    /// With what a regular triangle of several rows says of the coefficients of a single target.
    pub(super) fn with_inference(mut self, frame: &Frame, inverse: Mat, squares: &[f64]) -> Self {
        if self.rank == Some(self.linear.coef.n_cols()) && squares.len() == 1 {
            self.inference = Inference::of(frame, inverse, squares[0]);
        }
        self
    }

    /// With as many singular values as the rows have.
    pub(super) fn with_singular(mut self, n: usize) -> Self {
        self.singular.truncate(n);
        self
    }

    /// The coefficients, targets × features.
    pub fn coef(&self) -> &Mat {
        &self.linear.coef
    }

    /// The intercept of each target.
    pub fn intercept(&self) -> &[f64] {
        &self.linear.intercept
    }

    /// The rank of the centred rows, where it is known.
    pub fn rank(&self) -> Option<usize> {
        self.rank
    }

    /// The singular values of the centred rows, where they are known.
    pub fn singular(&self) -> &[f64] {
        &self.singular
    }
}

impl Fitted for LeastSquaresModel {
    fn meets_not_finite(&self) -> bool {
        true
    }

    fn certificate(&self) -> &Certificate {
        self.linear.certificate()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.linear.infer(input, schema, session)
    }

    fn abilities(&self) -> Abilities<'_> {
        let summary = self.inference.as_ref().map(|_| self as &dyn Summarised);
        Abilities { summary, ..self.linear.abilities() }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        let (d, targets) = (self.linear.coef.n_cols(), self.linear.coef.n_rows());
        (ability == "summary" && self.inference.is_none()).then(|| match self.rank {
            _ if self.linear.positive => {
                "coefficients that may not be negative have no t statistics".to_owned()
            }
            _ if targets > 1 => format!("it has {targets} targets: fit one at a time"),
            Some(rank) if rank < d => {
                format!("the features have rank {rank} of {d}, so that their coefficients are not unique")
            }
            Some(_) => "there are not more rows than coefficients".to_owned(),
            None => "the coefficients of wide sparse rows are found by iteration alone".to_owned(),
        })
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        self.linear.reprove(data, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.linear.attributes();
        if let Some(rank) = self.rank {
            all.push(Attribute::int("rank_", "The rank of the centred rows.", &[], vec![rank as i64]));
            let doc = "The singular values of the centred rows.";
            all.push(Attribute::real("singular_", doc, &[self.singular.len()], self.singular.clone()));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.linear.validate(schema)?;
        let width = self.linear.coef.n_cols() + usize::from(self.linear.fit_intercept);
        let fits = self.inference.as_ref().is_none_or(|i| i.fits(width, &self.linear));
        if fits { Ok(()) } else { Err("standard errors do not fit the coefficients".to_owned()) }
    }
}

impl Summarised for LeastSquaresModel {
    fn summary(&self, level: f64, schema: &Schema) -> Result<Summary> {
        let inference = self.inference.as_ref().ok_or_else(|| mercer_core::Error::incapable("it", "tell"))?;
        Ok(inference.summary(&self.linear, level, schema))
    }

    fn influence(&self, input: &Input<'_>, target: &[f64], _: &Session) -> Result<Influence> {
        let inference = self.inference.as_ref().ok_or_else(|| mercer_core::Error::incapable("it", "tell"))?;
        inference.influence(&self.linear, input, target)
    }
}
