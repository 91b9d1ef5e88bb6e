//! Gaussian mixtures by expectation maximisation.
//!
//! # Objective
//! $$ \max_{\pi,\mu,\Sigma}\ \sum_i w_i \ln \sum_k \pi_k\, \mathcal N(x_i;\ \mu_k, \Sigma_k) $$
//! Rows whose component is known (`labels`) count with $\ln \pi_k \mathcal N(x_i; \mu_k, \Sigma_k)$ of that component.
//!
//! # Algorithm
//! EM (see `em.rs`): the E-step whitens chunks of rows for all components by one matrix product and takes shares by a
//! fused log-sum-exp; the M-step takes weights, means and covariances from sums of whitened rows. Each iteration is one
//! pass of sums over blocks of rows, so that files larger than memory are streamed. First components come from k-means,
//! from seeds of k-means++, from random rows or shares, or are given.
//!
//! # Complexity
//! Time O(n k d²) an iteration for full covariances, O(n d² + n k d) tied, O(n k d) diagonal and spherical; memory
//! O(k d²) beyond the data.
//!
//! # Example
//! ```
//! use mercer_cluster::GaussianMixture;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-1.0], [-1.2], [-0.8], [1.0], [1.2], [0.8]]).unwrap();
//! let model = GaussianMixture::default().n_components(2).fit(&Dataset::new(&x))?;
//! let mut means = model.components.means.as_slice().to_vec();
//! means.sort_by(f64::total_cmp);
//! assert!((means[0] + 1.0).abs() < 1e-6 && (means[1] - 1.0).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Statistics are those of rows that are whitened by the component they count for, so that a covariance is accurate
//! relative to itself in every direction, however far its component lies from zero. `reg_covar` on every variance keeps components from
//! collapsing onto single rows, where the likelihood has no bound; it is no part of what EM climbs, so that the
//! likelihood may fall by about its size, and the certificate says by how much it did. A covariance that has no Cholesky
//! factor all the same is an error that names its component.
//!
//! # References
//! - A. P. Dempster, N. M. Laird, D. B. Rubin. Maximum likelihood from incomplete data via the EM algorithm. JRSS B 39(1), 1977. doi:10.1111/j.2517-6161.1977.tb01600.x
//! - G. J. McLachlan, D. Peel. Finite Mixture Models. Wiley, 2000. doi:10.1002/0471721182
//! - G. Schwarz. Estimating the dimension of a model. Ann. Statist. 6(2), 1978. doi:10.1214/aos/1176344136

use super::em::{Expectation, Seen};
use super::gaussian_model::GaussianMixtureModel;
use super::gaussians::{CovarianceType, Gaussians, square};
use super::kernel::{GaussianSums, Kernel, LN_2PI};
use super::params::{CovarianceParams, EmParams, check_size};
use super::start::MixtureInit;
use mercer_core::sums::Batches;
use mercer_core::{Capabilities, Dataset, Error, Learn, Params, Result, Session};
use mercer_math::{Cholesky, Mat};
use serde::{Deserialize, Serialize};

/// Gaussian mixtures by expectation maximisation.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gmm gaussian-mixture",
    canon = "C2",
    task = Clustering,
    python = "mixture",
    order = "n_components covariance_type tol reg_covar max_iter, precisions_init labels",
    tried = "| n_components=3 | n_components=3,covariance_type=tied,init_params='k-means++' | n_components=3,covariance_type=diag,init_params=random_from_data,n_init=2 | n_components=2,covariance_type=spherical,init_params=random",
    session = "verbose random_state",
    door = "warm_start=False verbose_interval=10",
    mixins = "GaussianMixtureMixin",
    can = "proba density sample weights by_sums random scaled",
    references = "Dempster, Laird, Rubin. Maximum likelihood from incomplete data via the EM algorithm. JRSS B 39(1), 1977.|McLachlan, Peel. Finite Mixture Models. Wiley, 2000."
)]
pub struct GaussianMixture {
    /// How EM runs.
    #[param(flatten)]
    pub em: EmParams,
    /// The covariances.
    #[param(flatten)]
    pub shape: CovarianceParams,
    /// The first weights of the components, summing to 1.
    #[param(default = None, range = "[0, 1]")]
    pub weights_init: Option<Vec<f64>>,
    /// The first means, one list of coordinates for each component.
    #[param(default = None)]
    pub means_init: Option<Vec<Vec<f64>>>,
    /// The first inverse covariances, all numbers by rows: a matrix for each component (full), one matrix (tied), a number
    /// for each component and feature (diag), or for each component (spherical).
    #[param(default = None)]
    pub precisions_init: Option<Vec<f64>>,
}

impl Learn for GaussianMixture {
    type Model = GaussianMixtureModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<GaussianMixtureModel> {
        let (step, last) = self.step(data.n_features())?.starting(self.em.n_components, session)?;
        let ended = self.em.fit(&step, last, data, session)?;
        Ok(GaussianMixtureModel::new(ended, self.shape.reg_covar, self.em.labels.clone()))
    }

    fn learn_stream(
        &self,
        batches: &mut dyn Batches,
        session: &Session,
    ) -> Option<Result<GaussianMixtureModel>> {
        let stream = |batches: &mut dyn Batches| {
            let step = self.step(batches.schema()?.n_features())?;
            let ended = self.em.stream(&step, &self.capabilities(), batches, session)?;
            Ok(GaussianMixtureModel::new(ended, self.shape.reg_covar, None))
        };
        Some(stream(batches))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { scaled: self.em.n_components > 1, ..Self::declaration().capabilities }
    }
}

impl GaussianMixture {
    fn step(&self, d: usize) -> Result<GaussianStep> {
        let (k, form) = (self.em.n_components, self.shape.covariance_type);
        check_size(Self::NAME, k, d.saturating_mul(form.size(d)))?;
        let refuse = |name, expected: String, got: String| Err(Error::param(Self::NAME, name, expected, got));
        if let Some(weights) = &self.weights_init {
            let total: f64 = weights.iter().sum();
            if weights.len() != k || (total - 1.0).abs() > 1e-6 {
                let got = format!("{} numbers with sum {total}", weights.len());
                return refuse("weights_init", format!("{k} numbers with sum 1"), got);
            }
        }
        if let Some(means) = &self.means_init {
            let whole =
                means.len() == k && means.iter().all(|m| m.len() == d && m.iter().all(|v| v.is_finite()));
            if !whole {
                return refuse(
                    "means_init",
                    format!("{k} means of {d} finite coordinates"),
                    means.len().to_string(),
                );
            }
        }
        let factors = match &self.precisions_init {
            None => None,
            Some(given) if given.len() != form.size(d) * form.count(k) => {
                let expected = format!("{} numbers", form.size(d) * form.count(k));
                return refuse("precisions_init", expected, given.len().to_string());
            }
            Some(given) => Some(factors(given, form, d).ok_or_else(|| {
                Error::param(Self::NAME, "precisions_init", "symmetric, positive definite", "others")
            })?),
        };
        let means = self.means_init.as_ref().map(|m| Mat::from_fn(k, d, |c, j| m[c][j]));
        let given = First { weights: self.weights_init.clone(), means, factors };
        Ok(GaussianStep { form, n_features: d, reg: self.shape.reg_covar, given })
    }
}

/// The factors of given inverse covariances; `None` where one is not positive definite.
fn factors(precisions: &[f64], form: CovarianceType, d: usize) -> Option<Vec<f64>> {
    if let CovarianceType::Diag | CovarianceType::Spherical = form {
        let positive = precisions.iter().all(|p| *p > 0.0 && p.is_finite());
        return positive.then(|| precisions.iter().map(|p| p.sqrt()).collect());
    }
    let mut out = Vec::with_capacity(precisions.len());
    for one in precisions.chunks_exact(d * d) {
        let p = square(one, d);
        let tilt =
            (0..d * d).any(|e| (one[e] - one[e % d * d + e / d]).abs() > 1e-7 * one[e].abs().max(1e-300));
        // P = U Uᵀ with U upper triangular: the Cholesky factor with rows and columns turned around.
        let turned = Mat::from_fn(d, d, |i, j| p.get(d - 1 - i, d - 1 - j));
        let l = Cholesky::new(&turned).filter(|_| !tilt)?.l();
        out.extend((0..d * d).map(|e| l[(d - 1 - e / d, d - 1 - e % d)]));
    }
    Some(out)
}

/// What the user gives of the first components.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct First {
    weights: Option<Vec<f64>>,
    means: Option<Mat>,
    factors: Option<Vec<f64>>,
}

/// E-step and M-step of a Gaussian mixture.
#[derive(Clone, Debug)]
pub(crate) struct GaussianStep {
    pub(crate) form: CovarianceType,
    pub(crate) n_features: usize,
    pub(crate) reg: f64,
    pub(crate) given: First,
}

impl GaussianStep {
    /// The same from where an earlier fit ended, if the session says so: its objective, then weights, means and factors. Fits
    /// give them as attributes.
    fn starting(mut self, k: usize, session: &Session) -> Result<(Self, Option<f64>)> {
        let Some(start) = session.start() else { return Ok((self, None)) };
        let d = self.n_features;
        let (weights, means, factors) = (k, k * d, self.form.size(d) * self.form.count(k));
        let whole = start.len() == 1 + weights + means + factors && start.iter().all(|v| v.is_finite());
        if !whole {
            return Err(Error::shape("numbers of the start", 1 + weights + means + factors, start.len()));
        }
        let (weights, rest) = start[1..].split_at(weights);
        let (means, factors) = rest.split_at(means);
        let means = Mat::from_vec(means.to_vec(), k, d);
        self.given = First { weights: Some(weights.to_vec()), means, factors: Some(factors.to_vec()) };
        Ok((self, Some(start[0])))
    }
}

/// The components of a mixture, ready to look at rows.
pub(crate) fn kernel(at: &Gaussians) -> Kernel<'_> {
    let norm = 0.5 * at.n_features() as f64 * LN_2PI;
    let constants: Vec<f64> = at.weights.iter().map(|w| w.ln() - norm).collect();
    Kernel::new(at, &constants, &[])
}

impl Expectation for GaussianStep {
    type Theta = Gaussians;
    type Sums = GaussianSums;

    fn name(&self) -> &'static str {
        GaussianMixture::NAME
    }

    fn about(&self, centres: &Mat, origin: &[f64]) -> Gaussians {
        Gaussians::about(self.form, centres, origin)
    }

    fn given(&self, origin: &[f64]) -> Result<Option<Gaussians>> {
        let First { weights: Some(_), means: Some(means), factors: Some(_) } = &self.given else {
            return Ok(None);
        };
        self.amend(Gaussians::about(self.form, means, origin)).map(Some)
    }

    fn amend(&self, mut theta: Gaussians) -> Result<Gaussians> {
        if let Some(weights) = &self.given.weights {
            theta.weights = weights.clone();
        }
        if let Some(means) = &self.given.means {
            theta.means = means.clone();
        }
        if let Some(factors) = &self.given.factors {
            theta.factors = factors.clone();
            theta.covariances_of_factors();
        }
        Ok(theta)
    }

    fn zero(&self, theta: &Gaussians) -> GaussianSums {
        Kernel::zero(theta, false)
    }

    fn expect(&self, theta: &Gaussians, rows: Seen<'_>, sums: &mut GaussianSums) {
        kernel(theta).expect(rows, sums);
    }

    fn merge(&self, into: &mut GaussianSums, other: GaussianSums) {
        into.merge(other);
    }

    fn maximise(&self, theta: &Gaussians, sums: &GaussianSums) -> Result<Gaussians> {
        theta.maximised(GaussianMixture::NAME, sums, self.reg)
    }

    fn objective(&self, _: &Gaussians, sums: &GaussianSums, _: &Gaussians) -> f64 {
        sums.log_likelihood / sums.weight
    }

    fn distance(&self, a: &Gaussians, b: &Gaussians) -> f64 {
        a.distance(b)
    }
}
