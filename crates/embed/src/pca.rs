//! Principal component analysis.
//!
//! # Objective
//! $$ \max_{V^\top V = I}\ \operatorname{tr}(V^\top S V), \qquad S = \tfrac{1}{W-1}\sum_i w_i (x_i-\bar x)(x_i-\bar x)^\top $$
//! with $W = \sum_i w_i$; a row's coordinates are $V^\top(x - \bar x)$.
//!
//! # Algorithm
//! `covariance_eigh`: eigenvectors of $S$, from sums over blocks of rows. `full`: singular vectors of the centred
//! rows, without squaring the condition number. `randomized`: a random projection with power iterations, for a few
//! components of wide data, which never forms $S$; sparse rows are centred implicitly.
//!
//! # Complexity
//! Time O(n d² + d³), O(n d min(n, d)) and O(n d k) respectively; memory O(d²), O(n d) and O((n + d) k).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_embed::{Pca, PcaComponents};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]).unwrap();
//! let pca = Pca::default().n_components(PcaComponents::Count(1)).fit(&Dataset::new(&x))?;
//! assert!((pca.explained_variance_ratio()[0] - 1.0).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Signs are fixed so that the entry of largest size of each component is positive. `covariance_eigh` loses
//! components whose variance is below 1e-16 of the largest; `full` resolves them.
//!
//! # References
//! - I. T. Jolliffe. Principal Component Analysis. Springer, 2002. doi:10.1007/b98835
//! - N. Halko, P.-G. Martinsson, J. A. Tropp. Finding structure with randomness. SIAM Review 53(2), 2011.
//!   doi:10.1137/090771806

use crate::pca_centred::Centred;
use crate::pca_rank::likeliest;
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, CrossMoments, Dataset, Error, Evidence, Fitted,
    Input, Inverse, Learn, NumbersRef, Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{Mat, MatRef, Weights, eigh, matmul, symmetrise};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How many components are kept.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum PcaComponents {
    /// As many as there are.
    All,
    /// As many as the data make likeliest (Minka 2000); for at least as many rows as features.
    Mle,
    /// This many.
    Count(usize),
    /// As many as explain this share of the variance.
    Share(f64),
}

/// How [`Pca`] finds its components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum PcaSolver {
    /// Whichever suits the shape of the data.
    Auto,
    /// Singular vectors of the centred rows.
    Full,
    /// Eigenvectors of the covariance.
    CovarianceEigh,
    /// scikit-learn's name for some of the singular vectors; here the same as `full`.
    Arpack,
    /// A random projection with power iterations.
    Randomized,
}

/// How often the randomised solver multiplies by the rows and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum PowerIterations {
    /// 7 times for less than a tenth of the components, else 4 times.
    Auto,
    /// This often.
    Count(usize),
}

/// Principal component analysis: the directions of largest variance.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "PCA",
    aliases = "pca",
    canon = "E1",
    task = Transformation,
    python = "decomposition",
    tried = "| n_components=2,svd_solver=randomized",
    session = "random_state",
    door = "copy=True tol=0.0 power_iteration_normalizer='auto'",
    mixins = "PCAMixin",
    can = "transform inverse weights sparse by_sums scaled",
    references = "Jolliffe. Principal Component Analysis. Springer, 2002.|Halko, Martinsson, Tropp. Finding structure with randomness. SIAM Review 53(2), 2011."
)]
pub struct Pca {
    /// How many components to keep: all, a number, or the share of variance to explain.
    #[param(default = PcaComponents::All, search = "int 1..20")]
    pub n_components: PcaComponents,
    /// Whether to scale the coordinates to variance 1.
    #[param(default = false)]
    pub whiten: bool,
    /// How the components are found.
    #[param(default = PcaSolver::Auto)]
    pub svd_solver: PcaSolver,
    /// Power iterations of the randomised solver.
    #[param(default = PowerIterations::Auto, range = "[0, 100]")]
    pub iterated_power: PowerIterations,
    /// Extra directions of the randomised solver.
    #[param(default = 10, range = "[1, 1000]")]
    pub n_oversamples: usize,
}

/// Fitted components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PcaModel {
    /// The components, one a row.
    pub components: Mat,
    /// The variance along each component.
    pub explained_variance: Vec<f64>,
    /// The mean of each feature.
    pub mean: Vec<f64>,
    total_variance: f64,
    noise_variance: f64,
    weight: f64,
    whiten: bool,
    certificate: Certificate,
}

/// Covariances up to this many features are formed whole.
const COVARIANCE_LIMIT: usize = 1500;
const RESIDUAL: &str = "eigenvector residual";

impl Learn for Pca {
    type Model = PcaModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        match self.n_components {
            PcaComponents::Count(0) => Err(Error::param(Self::NAME, "n_components", "at least 1", 0)),
            PcaComponents::Share(s) if !(0.0 < s && s < 1.0) => {
                Err(Error::param(Self::NAME, "n_components", "in (0, 1) as a share", s))
            }
            _ => Ok(()),
        }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<PcaModel> {
        // Rows without weight say nothing, not even which solver suits.
        let (weights, d) = (data.weights(), data.n_features());
        let n = Weights::of(&weights).count(data.n_rows());
        if self.n_components == PcaComponents::Mle && n < d {
            return Err(Error::param(
                Self::NAME,
                "n_components",
                "another than mle, which is only supported if n_samples >= n_features",
                "mle",
            ));
        }
        let few = matches!(self.n_components, PcaComponents::Count(k) if (k as f64) < 0.8 * n.min(d) as f64);
        let solver = match self.svd_solver {
            PcaSolver::Auto if d <= COVARIANCE_LIMIT && n >= d => PcaSolver::CovarianceEigh,
            PcaSolver::Auto if few && n.min(d) > 500 => PcaSolver::Randomized,
            PcaSolver::Auto => PcaSolver::Full,
            chosen => chosen,
        };
        match solver {
            PcaSolver::CovarianceEigh => sums::fit(Self::NAME, self, data, session),
            PcaSolver::Randomized => Centred::new(data)?.randomized(self, session),
            _ => Centred::new(data)?.full(self),
        }
    }

    /// Only the covariance is a sum over rows.
    fn capabilities(&self) -> Capabilities {
        let by_sums = matches!(self.svd_solver, PcaSolver::Auto | PcaSolver::CovarianceEigh);
        Capabilities {
            by_sums,
            random: self.svd_solver == PcaSolver::Randomized,
            ..Self::declaration().capabilities
        }
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<PcaModel>> {
        self.capabilities()
            .by_sums
            .then(|| sums::fit_stream(Self::NAME, &Self::declaration().capabilities, self, batches, session))
    }
}

impl BySums for Pca {
    type State = usize;
    type Summary = CrossMoments;
    type Local = ();
    type Model = PcaModel;

    fn begin(&self, shape: &Shape, _: &Session) -> Result<usize> {
        Ok(shape.n_features)
    }

    fn empty(&self, n_features: &usize) -> CrossMoments {
        CrossMoments::empty(*n_features, 0)
    }

    fn absorb(&self, _: &usize, block: &Block<'_>, (): &mut (), summary: &mut CrossMoments) -> Result<()> {
        let alone = Block { targets: block.targets.t().rows(0..0).t(), ..*block };
        summary.merge(CrossMoments::of_block(&alone));
        Ok(())
    }

    fn merge(&self, into: &mut CrossMoments, other: CrossMoments) {
        into.merge(other);
    }

    fn advance(&self, _: usize, moments: CrossMoments, _: &Session) -> Result<Round<usize, PcaModel>> {
        let mut covariance = moments.xx;
        symmetrise(&mut covariance);
        let freedom = freedom(moments.weight);
        covariance.as_mut_slice().iter_mut().for_each(|v| *v /= freedom);
        let eigen = eigh(&covariance)
            .ok_or_else(|| Error::numeric(Self::NAME, "values too large for a covariance"))?;
        let rank = (moments.n_rows as usize).min(covariance.n_rows());
        let total = (0..covariance.n_rows()).map(|j| covariance[(j, j)]).sum();
        let spectrum = Spectrum {
            components: eigen.vectors.view().t().rows(0..rank).to_mat(),
            variances: eigen.values.iter().take(rank).map(|v| v.max(0.0)).collect(),
            mean: moments.mean_x,
            weight: moments.weight,
            total,
            full_rank: rank,
        };
        let apply = |v: &Mat| matmul(covariance.view(), v.view());
        self.model(spectrum, &apply).map(Round::Done)
    }
}

pub(crate) fn freedom(weight: f64) -> f64 {
    if weight > 1.0 { weight - 1.0 } else { 1.0 }
}

/// Components by falling variance, before some are chosen.
pub(crate) struct Spectrum {
    pub(crate) components: Mat,
    pub(crate) variances: Vec<f64>,
    pub(crate) mean: Vec<f64>,
    pub(crate) weight: f64,
    pub(crate) total: f64,
    pub(crate) full_rank: usize,
}

impl Pca {
    /// Chooses components, fixes signs, and certifies them with `apply`, which multiplies by the covariance.
    pub(crate) fn model(&self, s: Spectrum, apply: &dyn Fn(&Mat) -> Mat) -> Result<PcaModel> {
        let k = self.count(&s)?;
        let mut components = s.components.view().rows(0..k).to_mat();
        for i in 0..k {
            let row = components.row_mut(i);
            let largest =
                row.iter().fold(0.0f64, |a, v| if v.abs() > a.abs() * (1.0 + 1e-12) { *v } else { a });
            if largest < 0.0 {
                row.iter_mut().for_each(|v| *v = -*v);
            }
        }
        let explained_variance = s.variances[..k].to_vec();
        let left = s.full_rank - k;
        let noise_variance = if left > 0 {
            ((s.total - explained_variance.iter().sum::<f64>()) / left as f64).max(0.0)
        } else {
            0.0
        };
        let residual = residual(&components, &explained_variance, apply);
        let meaning = "largest entry of Sv − λv over the largest λ: zero for exact components";
        let certificate = Certificate::new(Termination::Exact)
            .with_evidence(Evidence::residual(RESIDUAL, residual, meaning));
        let (mean, total_variance, weight, whiten) = (s.mean, s.total, s.weight, self.whiten);
        Ok(PcaModel {
            components,
            explained_variance,
            mean,
            total_variance,
            noise_variance,
            weight,
            whiten,
            certificate,
        })
    }

    fn count(&self, s: &Spectrum) -> Result<usize> {
        match self.n_components {
            PcaComponents::All => Ok(s.variances.len()),
            PcaComponents::Mle => Ok(likeliest(&s.variances, s.weight)),
            PcaComponents::Count(k) if k <= s.variances.len() => Ok(k),
            PcaComponents::Count(k) => {
                let expected = format!("at most min(rows, features) = {}", s.variances.len());
                Err(Error::param(Self::NAME, "n_components", expected, k))
            }
            PcaComponents::Share(share) => {
                let mut sum = 0.0;
                let enough = s.variances.iter().position(|v| {
                    sum += v;
                    sum > share * s.total
                });
                Ok(enough.map_or(s.variances.len(), |i| i + 1))
            }
        }
    }
}

/// The largest entry of S vₖ − λₖ vₖ over the largest λ.
fn residual(components: &Mat, variances: &[f64], apply: &dyn Fn(&Mat) -> Mat) -> f64 {
    let columns = components.view().t().to_mat();
    let image = apply(&columns);
    let scale = variances.first().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    let mut worst = 0.0f64;
    for j in 0..columns.n_rows() {
        for (k, variance) in variances.iter().enumerate() {
            let off = (image[(j, k)] - variance * columns[(j, k)]).abs() / scale;
            worst = if off > worst || off.is_nan() { off } else { worst };
        }
    }
    worst
}

impl PcaModel {
    /// The share of the variance along each component.
    pub fn explained_variance_ratio(&self) -> Vec<f64> {
        let total = if self.total_variance > 0.0 { self.total_variance } else { 1.0 };
        self.explained_variance.iter().map(|v| v / total).collect()
    }

    /// What each coordinate is divided by.
    fn scales(&self) -> Vec<f64> {
        let scale = |v: &f64| if self.whiten && *v > 0.0 { v.sqrt() } else { 1.0 };
        self.explained_variance.iter().map(scale).collect()
    }

    fn coordinates(&self, x: MatRef<'_>) -> Mat {
        let mut rows = x.to_mat();
        (0..rows.n_rows()).for_each(|i| mercer_math::axpy(-1.0, &self.mean, rows.row_mut(i)));
        let mut out = matmul(rows.view(), self.components.view().t());
        let scales = self.scales();
        (0..out.n_rows()).for_each(|i| out.row_mut(i).iter_mut().zip(&scales).for_each(|(v, s)| *v /= s));
        out
    }
}

/// Rows that are centred and multiplied at a time: they stay in cache.
const TRANSFORM_ROWS: usize = 512;

impl Transformer for PcaModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let numbers = input.rows(Pca::NAME)?.numbers(Pca::NAME)?;
        let n = numbers.view().n_rows();
        let block = |b: usize| match numbers.view().rows(b * TRANSFORM_ROWS..(b + 1) * TRANSFORM_ROWS) {
            NumbersRef::Dense(x) => self.coordinates(x),
            NumbersRef::Sparse(x) => self.coordinates(x.to_dense().view()),
        };
        if n <= TRANSFORM_ROWS {
            return Ok(block(0).into());
        }
        let k = self.components.n_rows();
        let mut out = Mat::zeros(n, k);
        session.run(|| {
            let chunks = out.as_mut_slice().par_chunks_mut(TRANSFORM_ROWS * k);
            chunks.enumerate().for_each(|(b, chunk)| chunk.copy_from_slice(block(b).as_slice()));
        });
        Ok(out.into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.components.n_rows()).map(|k| format!("pca{k}")).collect()
    }
}

impl Inverse for PcaModel {
    fn inverted(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let dense = input.rows(Pca::NAME)?.dense(Pca::NAME)?;
        let view = dense.view();
        if view.n_cols() != self.components.n_rows() {
            return Err(Error::shape(
                "components of the input to PCA",
                self.components.n_rows(),
                view.n_cols(),
            ));
        }
        let mut scaled = view.to_mat();
        let scales = self.scales();
        (0..scaled.n_rows())
            .for_each(|i| scaled.row_mut(i).iter_mut().zip(&scales).for_each(|(v, s)| *v *= s));
        let mut out = matmul(scaled.view(), self.components.view());
        (0..out.n_rows()).for_each(|i| mercer_math::axpy(1.0, &self.mean, out.row_mut(i)));
        Ok(out.into())
    }
}

impl Fitted for PcaModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let centred = Centred::new(data)?;
        let found = residual(&self.components, &self.explained_variance, &|v| centred.covariance_times(v));
        Ok(vec![(RESIDUAL.to_owned(), found)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.components.n_rows(), self.components.n_cols());
        let freedom = freedom(self.weight);
        let singular = self.explained_variance.iter().map(|v| (v * freedom).sqrt()).collect();
        vec![
            Attribute::real(
                "components_",
                "The components, one a row.",
                &[k, d],
                self.components.as_slice().to_vec(),
            ),
            Attribute::real(
                "explained_variance_",
                "The variance along each.",
                &[k],
                self.explained_variance.clone(),
            ),
            Attribute::real(
                "explained_variance_ratio_",
                "Its share of the whole.",
                &[k],
                self.explained_variance_ratio(),
            ),
            Attribute::real("singular_values_", "The singular value of each.", &[k], singular),
            Attribute::real("mean_", "The mean of each feature.", &[d], self.mean.clone()),
            Attribute::int("n_components_", "The number of components.", &[], vec![k as i64]),
            Attribute::real("noise_variance_", "The mean variance left out.", &[], vec![self.noise_variance]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let ok = self.components.is_consistent()
            && self.components.n_cols() == d
            && self.mean.len() == d
            && self.components.n_rows() > 0
            && self.explained_variance.len() == self.components.n_rows();
        if ok { Ok(()) } else { Err("components do not fit the schema".to_owned()) }
    }
}
