//! What the regressions by robust losses learn: a linear model, and the loss that its certificate speaks of.

use super::huber::Huber;
use super::power::Power;
use super::quantile::Pinball;
use super::rows::Rows;
use crate::linear_model::LinearRegressionModel;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Fitted, Input, Prediction, Result, Schema, Session,
};
use serde::{Deserialize, Serialize};

/// The loss that was minimised, with what else was learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RobustLoss {
    /// The pinball loss of a quantile with an L1 penalty.
    Quantile {
        /// The quantile.
        quantile: f64,
        /// The penalty.
        alpha: f64,
    },
    /// Huber's loss with an L2 penalty.
    Huber {
        /// The border in scales.
        epsilon: f64,
        /// The penalty.
        alpha: f64,
        /// The scale.
        scale: f64,
        /// Whether each training row lies beyond the border.
        outliers: Vec<bool>,
    },
    /// A power of the residuals.
    Power {
        /// The power.
        p: f64,
    },
}

/// A linear regression by a robust loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobustModel {
    pub(super) linear: LinearRegressionModel,
    pub(super) loss: RobustLoss,
}

impl RobustModel {
    /// The coefficients.
    pub fn coef(&self) -> &[f64] {
        self.linear.coef.as_slice()
    }

    /// The intercept.
    pub fn intercept(&self) -> f64 {
        self.linear.intercept[0]
    }

    /// The loss, with what else was learnt.
    pub fn loss(&self) -> &RobustLoss {
        &self.loss
    }
}

impl Fitted for RobustModel {
    fn certificate(&self) -> &Certificate {
        self.linear.certificate()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.linear.infer(input, schema, session)
    }

    fn abilities(&self) -> Abilities<'_> {
        self.linear.abilities()
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let (who, intercept) = ("a linear model", self.linear.fit_intercept);
        Ok(match &self.loss {
            RobustLoss::Quantile { quantile, alpha } => {
                let problem = Pinball::of(who, data, *quantile, *alpha, intercept)?;
                problem.evidence(&problem.rows.point(&self.linear))
            }
            RobustLoss::Huber { epsilon, alpha, scale, .. } => {
                let problem = Huber::of(who, data, *epsilon, *alpha, intercept)?;
                problem.evidence(&problem.rows.point(&self.linear), *scale)
            }
            RobustLoss::Power { p } if *p == 1.0 => {
                let problem = Pinball::of(who, data, 0.5, 0.0, intercept)?;
                problem.evidence(&problem.rows.point(&self.linear))
            }
            RobustLoss::Power { p } => {
                let problem = Power { rows: Rows::of(who, data, intercept)?, p: *p };
                problem.evidence(&problem.rows.point(&self.linear))
            }
        })
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.linear.attributes();
        let iterations = self.certificate().iterations.unwrap_or(0);
        all.push(Attribute::int("n_iter_", "Iterations.", &[], vec![iterations as i64]));
        if let RobustLoss::Huber { scale, outliers, .. } = &self.loss {
            all.push(Attribute::real("scale_", "The scale of the residuals.", &[], vec![*scale]));
            let mask = outliers.iter().map(|o| i64::from(*o)).collect();
            all.push(Attribute::int("outliers_", "Rows beyond the border.", &[outliers.len()], mask));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.linear.validate(schema)
    }
}
