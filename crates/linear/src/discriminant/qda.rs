//! Quadratic discriminant analysis: Gaussian classes, each with a covariance of its own.
//!
//! # Objective
//! The class of largest posterior,
//! $\ln\pi_k - \tfrac12\ln\lvert\Sigma_k\rvert - \tfrac12(x-\mu_k)^\top\Sigma_k^{-1}(x-\mu_k)$.
//!
//! # Algorithm
//! Every class has the eigenvalues and -vectors of its covariance; `reg_param` draws the eigenvalues towards 1, `shrinkage` (with
//! `eigen`) towards their mean.
//!
//! # Complexity
//! Time O(n d² + k d³), memory O(k d²) and a copy of the rows; O(k d²) a row to predict.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::QuadraticDiscriminantAnalysis;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.1], [-0.1], [0.0], [3.0], [-3.0], [4.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&[0, 0, 0, 1, 1, 1]))?;
//! let model = QuadraticDiscriminantAnalysis::default().fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 0, 1, 1, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A class whose covariance has an eigenvalue of at most `tol` (of the largest, where that is below 1) has no density: it is
//! refused, and the error says which. Columns that vary in no class do not count.
//!
//! # References
//! - T. Hastie, R. Tibshirani, J. Friedman. The Elements of Statistical Learning, section 4.3. Springer, 2009.
//! - J. H. Friedman. Regularized discriminant analysis. JASA 84(405), 1989. doi:10.1080/01621459.1989.10478752

use crate::discriminant::class_moments::{ClassMoments, LOSS, evidence, log_loss};
use crate::discriminant::shrinkage::{GaussianClassParams, Shrinkage};
use crate::linear_scores::best_class;
use crate::logistic_loss::ABSENT;
use mercer_core::{
    Abilities, Attribute, AttributeValues, Certificate, Choice, Dataset, Decision, Error, Fitted, Input,
    Learn, Params, Prediction, Proba, Result, Schema, Session, Termination,
};
use mercer_math::{Eigh, Mat, MatRef, dot, eigh, matmul};
use mercer_measure::class_probabilities;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How [`QuadraticDiscriminantAnalysis`] finds its covariances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum QdaSolver {
    /// From the spread of the rows about their mean; eigenvalues can be drawn towards 1.
    Svd,
    /// From the covariance, which can be shrunk.
    Eigen,
}

/// Quadratic discriminant analysis: Gaussian classes, each with a covariance of its own.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "qda",
    canon = "L8",
    task = Classification,
    python = "discriminant_analysis",
    tried = "| reg_param=0.3 | solver=eigen,shrinkage=auto",
    order = "solver shrinkage priors reg_param store_covariance tol covariances",
    door = "covariance_estimator=None",
    mixins = "GaussianClassesMixin",
    can = "proba decision weights scaled",
    references = "Friedman. Regularized discriminant analysis. JASA 84(405), 1989."
)]
pub struct QuadraticDiscriminantAnalysis {
    /// How the covariances are found.
    #[param(default = QdaSolver::Svd)]
    pub solver: QdaSolver,
    /// Shares and covariances of the classes.
    #[param(flatten)]
    pub classes: GaussianClassParams,
    /// How much eigenvalues of the covariances are drawn towards 1, with `svd`.
    #[param(default = 0.0, range = "[0, 1]", search = "linear 0..1")]
    pub reg_param: f64,
    /// Whether the covariances are kept, too.
    #[param(default = false)]
    pub store_covariance: bool,
    /// Eigenvalues of at most this, or of at most this share of the largest where that is below 1, are refused.
    #[param(default = 1e-4, range = "[0, inf)")]
    pub tol: f64,
}

/// A fitted quadratic discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QdaModel {
    /// The mean of each class, classes × features.
    pub means: Mat,
    /// The share of each class.
    pub priors: Vec<f64>,
    /// The eigenvalues of each class's covariance; none for a class that did not occur in training.
    pub scalings: Vec<Vec<f64>>,
    /// Its eigenvectors, in columns.
    pub rotations: Vec<Mat>,
    stored: bool,
    certificate: Certificate,
}

impl Learn for QuadraticDiscriminantAnalysis {
    type Model = QdaModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.classes.check(Self::NAME, self.solver == QdaSolver::Svd, "eigen")
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<QdaModel> {
        let moments = ClassMoments::new(Self::NAME, data, Some(&self.classes))?;
        let target = data.need_target(Self::NAME)?;
        let labels = target.class()?.1;
        let units = moments.units();
        let (mut scalings, mut rotations) = (Vec::new(), Vec::new());
        for c in 0..moments.n_classes() {
            let weight = moments.weights[c];
            if weight <= 0.0 {
                scalings.push(Vec::new());
                rotations.push(Mat::zeros(0, 0));
                continue;
            }
            if weight <= 1.0 {
                let why = format!("y has only 1 sample in class {}, covariance is ill defined", labels[c]);
                return Err(Error::numeric(Self::NAME, why));
            }
            let Eigh { values, vectors } = self.taken_apart(&moments, c, &units)?;
            let wanted = self.tol * values.first().map_or(1.0, |v| v.min(1.0));
            if let Some(least) = values.iter().find(|v| v.is_nan() || **v <= wanted) {
                let why = format!(
                    "the covariance of class {} is not of full rank: an eigenvalue of {least:.1e}, where more than \
                     {wanted:.1e} is wanted; raise reg_param, or take solver=eigen with shrinkage",
                    labels[c]
                );
                return Err(Error::numeric(Self::NAME, why));
            }
            scalings.push(values);
            rotations.push(vectors);
        }
        let certificate = Certificate::new(Termination::Exact);
        let (means, priors) = (moments.means, moments.priors);
        let mut model =
            QdaModel { means, priors, scalings, rotations, stored: self.store_covariance, certificate };
        let loss = log_loss(Self::NAME, data, &model.probabilities(&data.input(), session)?)?;
        model.certificate = model.certificate.with_evidence(evidence(loss, &moments.weights));
        let constant = units.iter().filter(|u| **u == 0.0).count();
        if constant > 0 {
            let note =
                format!("columns that do not vary tell no classes apart: {constant} of {}", units.len());
            model.certificate = model.certificate.with_note(note);
        }
        Ok(model)
    }
}

impl QuadraticDiscriminantAnalysis {
    /// The eigenvalues, regularised, and the eigenvectors of a class's covariance.
    fn taken_apart(&self, moments: &ClassMoments, c: usize, units: &[f64]) -> Result<Eigh> {
        let mut cov = moments.covariance(c, self.classes.shrinkage);
        // A column that never varies tells classes apart by nothing: it has the same variance in each.
        let unit = units.iter().copied().fold(0.0, f64::max);
        for j in (0..units.len()).filter(|&j| units[j] == 0.0) {
            (0..units.len()).for_each(|i| (cov[(i, j)], cov[(j, i)]) = (0.0, 0.0));
            cov[(j, j)] = if unit > 0.0 { unit * unit } else { 1.0 };
        }
        let overflow =
            || Error::numeric(Self::NAME, "values whose squares are too large: scale the features");
        let mut parts = eigh(&cov).ok_or_else(overflow)?;
        if self.solver == QdaSolver::Svd {
            parts.values.iter_mut().for_each(|v| *v = (1.0 - self.reg_param) * *v + self.reg_param);
        }
        Ok(parts)
    }
}

impl QdaModel {
    /// ln π − ½ ln|Σ| − ½ (x − μ)ᵀ Σ⁻¹ (x − μ) of each row and class.
    fn log_joint(&self, x: MatRef<'_>) -> Mat {
        let (n, k, d) = (x.n_rows(), self.priors.len(), self.means.n_cols());
        let mut out = Mat::zeros(n, k);
        for c in 0..k {
            if self.scalings[c].is_empty() || self.priors[c] <= 0.0 {
                (0..n).for_each(|i| out[(i, c)] = ABSENT);
                continue;
            }
            let roots: Vec<f64> = self.scalings[c].iter().map(|s| s.sqrt()).collect();
            let white = Mat::from_fn(d, d, |j, r| self.rotations[c][(j, r)] / roots[r]);
            let base = self.priors[c].ln() - roots.iter().map(|r| r.ln()).sum::<f64>();
            let centred = Mat::from_fn(n, d, |i, j| x.get(i, j) - self.means[(c, j)]);
            let z = matmul(centred.view(), white.view());
            (0..n).for_each(|i| out[(i, c)] = base - 0.5 * dot(z.row(i), z.row(i)));
        }
        out
    }

    /// Decision values: of two classes the log of their ratio, else the log of each.
    fn scores(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        const ROWS: usize = 512;
        let who = QuadraticDiscriminantAnalysis::NAME;
        let matrix = input.rows(who)?.dense(who)?;
        let (x, k) = (matrix.view(), self.priors.len());
        let n = x.n_rows();
        let mut all = Mat::zeros(n, k);
        session.run(|| {
            all.as_mut_slice().par_chunks_mut(ROWS * k).enumerate().for_each(|(b, out)| {
                let part = self.log_joint(x.rows(b * ROWS..((b + 1) * ROWS).min(n)));
                out.copy_from_slice(part.as_slice());
            });
        });
        Ok(if k == 2 { Mat::from_fn(n, 1, |i, _| all[(i, 1)] - all[(i, 0)]) } else { all })
    }
}

impl Fitted for QdaModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        schema.prediction([best_class(&self.scores(input, session)?)])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), decision: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let p = self.probabilities(&data.input(), session)?;
        Ok(vec![(LOSS.to_owned(), log_loss(QuadraticDiscriminantAnalysis::NAME, data, &p)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.means.n_rows(), self.means.n_cols());
        let scalings = self.scalings.iter().map(|s| AttributeValues::Real(s.clone())).collect();
        let flat = |m: &[Mat]| m.iter().flat_map(|m| m.as_slice().to_vec()).collect::<Vec<f64>>();
        let mut all = vec![
            Attribute::real("means_", "The mean of each class.", &[k, d], self.means.as_slice().to_vec()),
            Attribute::real("priors_", "The share of each class.", &[k], self.priors.clone()),
            Attribute::several("scalings_", "The eigenvalues of each class's covariance.", scalings),
        ];
        if self.rotations.iter().all(|r| r.n_rows() == d) {
            let doc = "The eigenvectors of each class's covariance, in columns.";
            all.push(Attribute::real("rotations_", doc, &[k, d, d], flat(&self.rotations)));
            if self.stored {
                let one = |(s, r): (&Vec<f64>, &Mat)| {
                    let scaled = Mat::from_fn(d, d, |i, j| r[(i, j)] * s[j]);
                    matmul(scaled.view(), r.view().t())
                };
                let covariances: Vec<Mat> = self.scalings.iter().zip(&self.rotations).map(one).collect();
                let doc = "The covariance of each class.";
                all.push(Attribute::real("covariance_", doc, &[k, d, d], flat(&covariances)));
            }
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (k, d) = (schema.labels().map_or(0, |l| l.len()), schema.n_features());
        let absent = |c: usize| self.scalings[c].is_empty();
        let whole = |c: usize| {
            let r = &self.rotations[c];
            self.scalings[c].len() == d && r.is_consistent() && (r.n_rows(), r.n_cols()) == (d, d)
        };
        let fits = k >= 2
            && self.means.is_consistent()
            && (self.means.n_rows(), self.means.n_cols()) == (k, d)
            && [self.priors.len(), self.scalings.len(), self.rotations.len()] == [k; 3]
            && (0..k).all(|c| absent(c) || whole(c));
        if fits { Ok(()) } else { Err("covariances do not fit the schema".to_owned()) }
    }
}

impl Decision for QdaModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.scores(input, session)
    }
}

impl Proba for QdaModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        Ok(class_probabilities(self.scores(input, session)?, 1.0))
    }
}
