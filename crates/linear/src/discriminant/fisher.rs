//! Fisher's discriminant: two classes, one direction, and the nearer of two projected centres.
//!
//! # Objective
//! $$ \max_w\ \frac{(w^\top\mu_0 - w^\top\mu_1)^2}{w^\top S_w w} $$
//! with the within-class scatter $S_w$; a row belongs to the class whose centre is nearer to it on the line.
//!
//! # Algorithm
//! $w \propto S_w^{+}(\mu_1 - \mu_0)$, pointing to the second class, such that $w^\top S_w w = 1$ (000 eq. 2.8), or of length 1.
//!
//! # Complexity
//! Time O(n d² + d³), memory O(d²) and a copy of the rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::FisherDiscriminant;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0, 0.0], [0.0, 2.0], [4.0, 0.0], [4.0, 2.0], [0.0, 1.0], [4.0, 1.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&[0, 0, 1, 1, 0, 1]))?;
//! let model = FisherDiscriminant::default().fit(&data)?;
//! assert!(model.direction[0] > 0.0 && model.direction[1].abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Where classes have no spread in some direction, the pseudo-inverse leaves it out; where they have none at all, the line joins
//! the centres. The quotient that is reached is the evidence.
//!
//! # References
//! - R. A. Fisher. The use of multiple measurements in taxonomic problems. Ann. Eugenics 7(2), 1936.
//!   doi:10.1111/j.1469-1809.1936.tb02137.x

use crate::discriminant::class_moments::ClassMoments;
use crate::linear_scores::best_class;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, Dataset, Decision, Error, Evidence, Fitted,
    Input, Learn, Params, Prediction, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{Mat, dot, gemv};
use serde::{Deserialize, Serialize};

/// How long the direction of [`FisherDiscriminant`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum FisherNorm {
    /// Its length is 1.
    Unit,
    /// The scatter of the projected classes is 1.
    Within,
}

/// Fisher's discriminant: two classes, one direction, and the nearer of two projected centres.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "fisher",
    canon = "L8",
    task = Classification,
    python = "discriminant_analysis",
    tried = "| norm=unit",
    can = "decision transform weights binary",
    references = "Fisher. The use of multiple measurements in taxonomic problems. Ann. Eugenics 7(2), 1936."
)]
pub struct FisherDiscriminant {
    /// How long the direction is: so that the scatter of the projected classes is 1, or 1.
    #[param(default = FisherNorm::Within)]
    pub norm: FisherNorm,
}

/// A direction, and the centres of two classes on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FisherModel {
    /// The direction.
    pub direction: Vec<f64>,
    /// The projected centre of each class.
    pub centres: [f64; 2],
    certificate: Certificate,
}

const QUOTIENT: &str = "Rayleigh quotient";

impl Learn for FisherDiscriminant {
    type Model = FisherModel;

    /// A length of 1 is one in the units of the columns.
    fn capabilities(&self) -> Capabilities {
        Capabilities { scaled: self.norm == FisherNorm::Unit, ..Self::declaration().capabilities }
    }

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<FisherModel> {
        let moments = ClassMoments::new(Self::NAME, data, None)?;
        let d = moments.n_features();
        let (within, apart) = (moments.within(), difference(&moments));
        // In the units of each column, so that none is taken for rounding.
        let unit: Vec<f64> =
            (0..d).map(|j| if within[(j, j)] > 0.0 { within[(j, j)].sqrt() } else { 1.0 }).collect();
        let scaled = Mat::from_fn(d, d, |i, j| within[(i, j)] / unit[i] / unit[j]);
        let right = Mat::from_fn(d, 1, |j, _| apart[j] / unit[j]);
        let overflow =
            || Error::numeric(Self::NAME, "values whose squares are too large: scale the features");
        let (solved, rank) = mercer_math::lstsq(scaled.view(), right.view(), None).ok_or_else(overflow)?;
        let mut direction: Vec<f64> = (0..d).map(|j| solved[(j, 0)] / unit[j]).collect();
        // (μ₁ − μ₀)ᵀ S_w⁺ (μ₁ − μ₀) is the largest quotient.
        let best = dot(&apart, &direction);
        if direction.iter().all(|w| *w == 0.0) {
            direction.clone_from(&apart);
        }
        let spread = dot(&gemv(within.view(), &direction), &direction);
        let length = match self.norm {
            FisherNorm::Within if spread > 0.0 => spread.sqrt(),
            _ => dot(&direction, &direction).sqrt(),
        };
        if length > 0.0 {
            direction.iter_mut().for_each(|w| *w /= length);
        }
        let centres = [0, 1].map(|c| dot(moments.means.row(c), &direction));
        if !direction.iter().chain(&centres).all(|v| v.is_finite()) {
            return Err(overflow());
        }
        let found = quotient(&moments, &direction);
        let meaning = "squared distance of the projected centres over the scatter of the projected classes, of which no direction has more";
        let mut certificate = Certificate::new(Termination::Exact)
            .with_evidence(Evidence::value(QUOTIENT, found, meaning).on_scale(best.abs()));
        if rank < d {
            certificate =
                certificate.with_note(format!("the features have rank {rank} of {d} within classes"));
        }
        Ok(FisherModel { direction, centres, certificate })
    }
}

fn difference(moments: &ClassMoments) -> Vec<f64> {
    (0..moments.n_features()).map(|j| moments.means[(1, j)] - moments.means[(0, j)]).collect()
}

/// (wᵀ(μ₁ − μ₀))² / wᵀ S_w w, 0 where the centres are one.
fn quotient(moments: &ClassMoments, w: &[f64]) -> f64 {
    let distance = dot(&difference(moments), w).powi(2);
    if distance == 0.0 { 0.0 } else { distance / dot(&gemv(moments.within().view(), w), w) }
}

impl FisherModel {
    fn projected(&self, input: &Input<'_>) -> Result<Vec<f64>> {
        let who = FisherDiscriminant::NAME;
        Ok(gemv(input.rows(who)?.dense(who)?.view(), &self.direction))
    }
}

impl Fitted for FisherModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        schema.prediction([best_class(&self.decisions(input, session)?)])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decision: Some(self), transform: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let moments = ClassMoments::new(FisherDiscriminant::NAME, data, None)?;
        Ok(vec![(QUOTIENT.to_owned(), quotient(&moments, &self.direction))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = self.direction.len();
        vec![
            Attribute::real("direction_", "The direction of the line.", &[d], self.direction.clone()),
            Attribute::real("centres_", "The projected centre of each class.", &[2], self.centres.to_vec()),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits =
            schema.labels().is_some_and(|l| l.len() == 2) && self.direction.len() == schema.n_features();
        if fits { Ok(()) } else { Err("the direction does not fit the schema".to_owned()) }
    }
}

impl Decision for FisherModel {
    /// How much nearer a row is to the centre of the second class than to that of the first.
    fn decisions(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        let z = self.projected(input)?;
        let [a, b] = self.centres;
        Ok(Mat::from_fn(z.len(), 1, |i, _| (z[i] - a).abs() - (z[i] - b).abs()))
    }
}

impl Transformer for FisherModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let z = self.projected(input)?;
        Ok(Mat::from_fn(z.len(), 1, |i, _| z[i]).into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        vec!["fisherdiscriminant0".to_owned()]
    }
}
