//! Linear discriminant analysis: Gaussian classes with one covariance, and the directions that part them.
//!
//! # Objective
//! The class of largest posterior, $\ln \pi_k + x^\top\Sigma^{-1}\mu_k - \tfrac12\mu_k^\top\Sigma^{-1}\mu_k$, with the mean
//! within-class covariance $\Sigma$; `transform` projects onto the directions $w$ that maximise
//! $\frac{w^\top S_b w}{w^\top S_w w}$, one fewer than there are classes.
//!
//! # Algorithm
//! Scatters are summed over blocks of rows about the means of the classes. `svd` whitens the within-class scatter, in units of
//! the columns' standard deviations, by its eigenvalues and leaves out directions without spread; the means in these
//! directions are taken apart again. `lsqr` solves for the coefficients alone; `eigen` solves the generalised eigenvalue
//! problem of both scatters. The last two can shrink the covariances.
//!
//! # Complexity
//! Time O(n d² + d³), memory O(k d²) and a copy of the rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LinearDiscriminantAnalysis;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-2.0, 1.0], [-1.0, -1.0], [-1.5, 0.0], [1.0, 1.0], [2.0, -1.0], [1.5, 0.5]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&[0, 0, 0, 1, 1, 1]))?;
//! let model = LinearDiscriminantAnalysis::default().fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 0, 1, 1, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Directions whose standard deviation within classes is at most `tol` of that of their columns do not count with `svd`, which
//! the eigenvalues of the scatter tell apart as long as `tol` is above 1e-8. `lsqr` takes the pseudo-inverse of a
//! singular covariance; `eigen` refuses it.
//!
//! # References
//! - R. A. Fisher. The use of multiple measurements in taxonomic problems. Ann. Eugenics 7(2), 1936.
//!   doi:10.1111/j.1469-1809.1936.tb02137.x
//! - C. R. Rao. The utilization of multiple measurements in problems of biological classification. JRSS B 10(2), 1948.
//! - O. Ledoit, M. Wolf. A well-conditioned estimator for large-dimensional covariance matrices. J. Multivar. Anal. 88(2),
//!   2004. doi:10.1016/S0047-259X(03)00096-4
//! - Y. Chen et al. Shrinkage algorithms for MMSE covariance estimation. IEEE Trans. Signal Process. 58(10), 2010.

use crate::discriminant::class_moments::{ClassMoments, LOSS, evidence, log_loss};
use crate::discriminant::shrinkage::{GaussianClassParams, Shrinkage};
use crate::linear_scores::{best_class, scores};
use crate::logistic_loss::ABSENT;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, Dataset, Decision, Error, Fitted, Input, Learn,
    Params, Prediction, Proba, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{Eigh, Mat, dot, eigh, matmul, matmul_parallel, svd};
use mercer_measure::class_probabilities;
use serde::{Deserialize, Serialize};

/// How [`LinearDiscriminantAnalysis`] finds its coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum DiscriminantSolver {
    /// By whitening: no inverse of a covariance, directions without spread are left out.
    Svd,
    /// By linear equations: coefficients alone, no projection.
    Lsqr,
    /// By the generalised eigenvalues of the scatter between classes and that within.
    Eigen,
}

/// Linear discriminant analysis: Gaussian classes with one covariance.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "lda",
    canon = "L8",
    task = Classification,
    python = "discriminant_analysis",
    quick = "",
    explain = "",
    tried = "| solver=lsqr,shrinkage=auto | solver=eigen,shrinkage=0.2",
    order = "solver shrinkage priors n_components store_covariance tol covariances",
    door = "covariance_estimator=None",
    mixins = "ProjectingClassesMixin",
    can = "proba decision transform weights",
    references = "Fisher. The use of multiple measurements in taxonomic problems. Ann. Eugenics 7(2), 1936."
)]
pub struct LinearDiscriminantAnalysis {
    /// How the coefficients are found.
    #[param(default = DiscriminantSolver::Svd)]
    pub solver: DiscriminantSolver,
    /// Shares and covariances of the classes.
    #[param(flatten)]
    pub classes: GaussianClassParams,
    /// Most directions that `transform` gives; none gives one fewer than there are classes.
    #[param(default = None, range = "[1, inf)")]
    pub n_components: Option<usize>,
    /// Whether `svd` keeps the covariance, too.
    #[param(default = false)]
    pub store_covariance: bool,
    /// Directions whose spread within classes is at most this share of their columns' do not count with `svd`.
    #[param(default = 1e-4, range = "[0, inf)")]
    pub tol: f64,
}

/// A fitted linear discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LdaModel {
    /// The coefficients: 1 × features for two classes, else classes × features.
    pub coef: Mat,
    /// The intercept of each row of coefficients; a class that did not occur in training has -1e300.
    pub intercept: Vec<f64>,
    /// The mean of each class, classes × features.
    pub means: Mat,
    /// The share of each class.
    pub priors: Vec<f64>,
    /// The directions that part the classes, features × directions; none with `lsqr`.
    pub scalings: Option<Mat>,
    /// The share of the scatter between classes that each of them explains.
    pub explained: Vec<f64>,
    /// What is subtracted before projecting; none with `eigen`.
    centre: Option<Vec<f64>>,
    covariance: Option<Mat>,
    n_components: usize,
    certificate: Certificate,
}

/// What a solver finds.
struct Found {
    /// Coefficients of every class.
    coef: Mat,
    intercept: Vec<f64>,
    scalings: Option<Mat>,
    explained: Vec<f64>,
    centre: Option<Vec<f64>>,
    covariance: Option<Mat>,
    rank: usize,
}

impl Learn for LinearDiscriminantAnalysis {
    type Model = LdaModel;

    fn capabilities(&self) -> Capabilities {
        let transform = self.solver != DiscriminantSolver::Lsqr;
        // A multiple of the identity has the units of the columns.
        let scaled = matches!(self.classes.shrinkage, Some(Shrinkage::Of(_)));
        Capabilities { transform, scaled, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.classes.check(Self::NAME, self.solver == DiscriminantSolver::Svd, "lsqr or eigen")
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LdaModel> {
        let moments = ClassMoments::new(Self::NAME, data, Some(&self.classes))?;
        let (k, d) = (moments.n_classes(), moments.n_features());
        let present = moments.present().count();
        if moments.total() <= present as f64 {
            let why = format!(
                "The number of samples must be more than the number of classes: {} and {present}",
                moments.total()
            );
            return Err(Error::numeric(Self::NAME, why));
        }
        let most = (k - 1).min(d);
        if let Some(n) = self.n_components.filter(|n| *n > most) {
            let expected =
                format!("at most {most}: n_components cannot be larger than min(n_features, n_classes - 1)");
            return Err(Error::param(Self::NAME, "n_components", expected, n));
        }
        let found = match self.solver {
            DiscriminantSolver::Svd => self.whiten(&moments),
            DiscriminantSolver::Lsqr => self.equations(&moments),
            DiscriminantSolver::Eigen => self.generalised(&moments),
        }?;
        self.model(&moments, found, data, session)
    }
}

impl LinearDiscriminantAnalysis {
    fn model(
        &self,
        m: &ClassMoments,
        found: Found,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<LdaModel> {
        let (k, d) = (m.n_classes(), m.n_features());
        let Found { mut coef, mut intercept, scalings, explained, centre, covariance, rank } = found;
        (0..k).filter(|&c| m.weights[c] <= 0.0 || m.priors[c] <= 0.0).for_each(|c| {
            coef.row_mut(c).fill(0.0);
            intercept[c] = ABSENT;
        });
        if k == 2 {
            coef = Mat::from_fn(1, d, |_, j| coef[(1, j)] - coef[(0, j)]);
            intercept = vec![intercept[1] - intercept[0]];
        }
        if !coef.as_slice().iter().chain(&intercept).all(|v| v.is_finite()) {
            let why = "values whose squares are too large or too small: scale the features";
            return Err(Error::numeric(Self::NAME, why));
        }
        let wanted = self.n_components.unwrap_or((k - 1).min(d));
        let (means, priors) = (m.means.clone(), m.priors.clone());
        let mut model = LdaModel {
            coef,
            intercept,
            means,
            priors,
            n_components: scalings.as_ref().map_or(0, |s| wanted.min(s.n_cols())),
            explained: explained.into_iter().take(wanted).collect(),
            scalings,
            centre,
            covariance,
            certificate: Certificate::new(Termination::Exact),
        };
        let loss = log_loss(Self::NAME, data, &model.probabilities(&data.input(), session)?)?;
        model.certificate = model.certificate.with_evidence(evidence(loss, &m.weights));
        if rank < d {
            let note = format!(
                "the features have rank {rank} of {d} within classes: the other directions do not count"
            );
            model.certificate = model.certificate.with_note(note);
        }
        Ok(model)
    }

    /// Whitens the within-class scatter in units of the columns, then takes apart the means.
    fn whiten(&self, m: &ClassMoments) -> Result<Found> {
        let (d, k, total) = (m.n_features(), m.n_classes(), m.total());
        let present = m.present().count() as f64;
        let within = m.within();
        let deviation = |j: usize| (within[(j, j)] / total).sqrt();
        let std: Vec<f64> = (0..d).map(|j| if deviation(j) > 0.0 { deviation(j) } else { 1.0 }).collect();
        let unit = Mat::from_fn(d, d, |i, j| within[(i, j)] / std[i] / std[j] / total);
        let Eigh { values, vectors } = eigh(&unit).ok_or_else(overflow)?;
        let spread: Vec<f64> = values.iter().map(|v| v.max(0.0).sqrt()).collect();
        // No eigenvalue can be told from zero below rounding, whatever the tolerance.
        let least = self.tol.max(spread.first().map_or(0.0, |s| s * (d as f64 * f64::EPSILON).sqrt()));
        let rank = spread.iter().filter(|s| **s > least).count();
        let first = Mat::from_fn(d, rank, |j, r| vectors[(j, r)] / std[j] / spread[r]);
        let centre = m.centre();
        let apart = Mat::from_fn(k, d, |c, j| m.means[(c, j)] - centre[j]);
        let factor = if present > 1.0 { 1.0 / (present - 1.0) } else { 1.0 };
        let mut between = matmul(apart.view(), first.view());
        for c in 0..k {
            let share = (total * m.priors[c] * factor).sqrt();
            between.row_mut(c).iter_mut().for_each(|v| *v *= share);
        }
        let parts = svd(between.view()).ok_or_else(overflow)?;
        let squares: f64 = parts.s.iter().map(|s| s * s).sum();
        let explained = parts.s.iter().map(|s| if squares > 0.0 { s * s / squares } else { 0.0 }).collect();
        let largest = parts.s.first().copied().unwrap_or(0.0);
        let used = parts.s.iter().filter(|s| **s > self.tol * largest).count();
        let scalings = matmul(first.view(), parts.vt.view().rows(0..used).t());
        let projected = matmul(apart.view(), scalings.view());
        let coef = matmul(projected.view(), scalings.view().t());
        let intercept = (0..k).map(|c| {
            m.priors[c].ln() - 0.5 * dot(projected.row(c), projected.row(c)) - dot(&centre, coef.row(c))
        });
        let intercept = intercept.collect();
        let covariance = self.store_covariance.then(|| m.mean_covariance(None));
        Ok(Found {
            coef,
            intercept,
            scalings: Some(scalings),
            explained,
            centre: Some(centre),
            covariance,
            rank,
        })
    }

    /// Σ w_k = μ_k for every class, in the sense of least squares.
    fn equations(&self, m: &ClassMoments) -> Result<Found> {
        let covariance = m.mean_covariance(self.classes.shrinkage);
        let (solved, rank) =
            mercer_math::lstsq(covariance.view(), m.means.view().t(), None).ok_or_else(overflow)?;
        let coef = solved.view().t().to_mat();
        let intercept = plain_intercepts(m, &coef);
        let (scalings, explained, centre) = (None, Vec::new(), None);
        Ok(Found { coef, intercept, scalings, explained, centre, covariance: Some(covariance), rank })
    }

    /// max_w wᵀ S_b w s.t. wᵀ S_w w = 1, direction after direction.
    fn generalised(&self, m: &ClassMoments) -> Result<Found> {
        let (d, k) = (m.n_features(), m.n_classes());
        let within = m.mean_covariance(self.classes.shrinkage);
        let between = {
            let mut all = m.total_covariance(self.classes.shrinkage);
            mercer_math::axpy(-1.0, within.as_slice(), all.as_mut_slice());
            all
        };
        let Eigh { values, vectors } = eigh(&within).ok_or_else(overflow)?;
        let largest = values.first().copied().unwrap_or(0.0);
        if values.iter().any(|v| *v <= largest * d as f64 * f64::EPSILON) {
            let why = "the covariance within classes is singular: take solver=svd, or shrinkage";
            return Err(Error::numeric(Self::NAME, why));
        }
        let white = Mat::from_fn(d, d, |j, r| vectors[(j, r)] / values[r].sqrt());
        let inner = matmul(matmul(white.view().t(), between.view()).view(), white.view());
        let Eigh { values, vectors } = eigh(&inner).ok_or_else(overflow)?;
        let sum: f64 = values.iter().sum();
        let explained = values.iter().map(|v| v / sum).take(k - 1).collect();
        let scalings = matmul(white.view(), vectors.view());
        let projected = matmul(m.means.view(), scalings.view());
        let coef = matmul(projected.view(), scalings.view().t());
        let intercept = plain_intercepts(m, &coef);
        let scalings = Some(scalings);
        Ok(Found { coef, intercept, scalings, explained, centre: None, covariance: Some(within), rank: d })
    }
}

fn plain_intercepts(m: &ClassMoments, coef: &Mat) -> Vec<f64> {
    (0..m.n_classes()).map(|c| m.priors[c].ln() - 0.5 * dot(m.means.row(c), coef.row(c))).collect()
}

fn overflow() -> Error {
    Error::numeric(LinearDiscriminantAnalysis::NAME, "values whose squares are too large: scale the features")
}

impl LdaModel {
    fn scores(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        scores(LinearDiscriminantAnalysis::NAME, &self.coef, &self.intercept, input, session)
    }
}

impl Fitted for LdaModel {
    fn meets_not_finite(&self) -> bool {
        true
    }

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        schema.prediction([best_class(&self.scores(input, session)?)])
    }

    fn abilities(&self) -> Abilities<'_> {
        let transform = self.scalings.is_some().then_some(self as _);
        Abilities { proba: Some(self), decision: Some(self), transform, ..Abilities::default() }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        (ability == "transform").then(|| "solver=lsqr finds no directions; svd and eigen do".to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let p = self.probabilities(&data.input(), session)?;
        Ok(vec![(LOSS.to_owned(), log_loss(LinearDiscriminantAnalysis::NAME, data, &p)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (rows, d, k) = (self.coef.n_rows(), self.coef.n_cols(), self.means.n_rows());
        let real =
            |name, doc, shape: &[usize], values: &[f64]| Attribute::real(name, doc, shape, values.to_vec());
        let mut all = vec![
            real("coef_", "The coefficients.", &[rows, d], self.coef.as_slice()),
            real("intercept_", "The intercepts.", &[rows], &self.intercept),
            real("means_", "The mean of each class.", &[k, d], self.means.as_slice()),
            real("priors_", "The share of each class.", &[k], &self.priors),
        ];
        if let Some(s) = &self.scalings {
            let shape = [s.n_rows(), s.n_cols()];
            all.push(real(
                "scalings_",
                "The directions that part the classes, in columns.",
                &shape,
                s.as_slice(),
            ));
            let doc = "The share of the scatter between classes that each direction explains.";
            all.push(real("explained_variance_ratio_", doc, &[self.explained.len()], &self.explained));
        }
        if let Some(centre) = &self.centre {
            all.push(real("xbar_", "The mean of all classes by their shares.", &[d], centre));
        }
        if let Some(covariance) = &self.covariance {
            all.push(real("covariance_", "The covariance within classes.", &[d, d], covariance.as_slice()));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (k, d) = (schema.labels().map_or(0, |l| l.len()), schema.n_features());
        let rows = if k == 2 { 1 } else { k };
        let shape = |m: &Mat, r, c| m.is_consistent() && (m.n_rows(), m.n_cols()) == (r, c);
        let directions = |s: &Mat| s.is_consistent() && s.n_rows() == d && self.n_components <= s.n_cols();
        let fits = k >= 2
            && shape(&self.coef, rows, d)
            && self.intercept.len() == rows
            && shape(&self.means, k, d)
            && self.priors.len() == k
            && self.scalings.as_ref().is_none_or(directions)
            && self.centre.as_ref().is_none_or(|c| c.len() == d)
            && self.covariance.as_ref().is_none_or(|c| shape(c, d, d));
        if fits { Ok(()) } else { Err("discriminants do not fit the schema".to_owned()) }
    }
}

impl Decision for LdaModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.scores(input, session)
    }
}

impl Proba for LdaModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        Ok(class_probabilities(self.scores(input, session)?, 1.0))
    }
}

impl Transformer for LdaModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let who = LinearDiscriminantAnalysis::NAME;
        let Some(scalings) = &self.scalings else { return Err(Error::incapable(who, "transform")) };
        let matrix = input.rows(who)?.dense(who)?;
        let used = Mat::from_fn(scalings.n_rows(), self.n_components, |j, r| scalings[(j, r)]);
        let mut out = session.run(|| matmul_parallel(matrix.view(), used.view()));
        if let Some(centre) = &self.centre {
            let shift = mercer_math::gemv_t(used.view(), centre);
            for i in 0..out.n_rows() {
                out.row_mut(i).iter_mut().zip(&shift).for_each(|(v, s)| *v -= s);
            }
        }
        Ok(out.into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.n_components).map(|r| format!("lineardiscriminantanalysis{r}")).collect()
    }
}
