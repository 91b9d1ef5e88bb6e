//! Explicit features whose products approximate a kernel: Nyström's columns, and random Fourier features.
//!
//! # Objective
//! $\Phi\Phi^\top \approx K$ with few columns. Nyström: for $m$ points $B$ drawn from those of training, $\Phi = K_{XB} K_{BB}^{-1/2}$, exact on
//! $B$. Fourier: for the kernel $e^{-\gamma\lVert x-y\rVert^2}$, $\Phi = \sqrt{2/m}\,\cos(XW + b)$ with $W$ normal of variance $2\gamma$ and $b$
//! uniform on $[0, 2\pi)$, whose products have the kernel as their mean (Bochner's theorem).
//!
//! # Algorithm
//! Nyström: eigenvectors of the kernel of the drawn points, with a pseudo-inverse where eigenvalues are zero. Fourier: one product
//! and a cosine for each row.
//!
//! # Complexity
//! Nyström: time O(m³ + n m (d + m)), memory O(m² + m d). Fourier: time O(n d m), memory O(d m).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_kernels::Nystroem;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(50, 2, |i, j| (i as f64 * (0.3 + 0.1 * j as f64)).sin());
//! let model = Nystroem::default().n_components(20).fit(&Dataset::new(&x))?;
//! assert_eq!(model.transform(&x)?.n_features(), 20);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Eigenvalues are cut at 1e-12, as scikit-learn does.
//!
//! # References
//! - C. K. I. Williams, M. Seeger. Using the Nyström method to speed up kernel machines. NIPS 2000.
//! - A. Rahimi, B. Recht. Random features for large-scale kernel machines. NIPS 2007.

use crate::kernel::{Gamma, Held, Kernel, KernelSpec, Points, PointsRef};
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, Error, Evidence, Fitted, Input, Kinds, Learn,
    NumbersRef, ParamGroup, Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{Mat, eigh, matmul, normal, sample_indices, uniform};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// The kernel that is approximated.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct NystroemParams {
    /// The kernel: a word whose `gamma`, `degree` and `coef0` stand beside it, or a whole kernel.
    #[param(default = KernelSpec::word("rbf"), search = "among rbf|linear|polynomial")]
    pub kernel: KernelSpec,
    /// The coefficient γ of the kernels rbf, polynomial, sigmoid, laplacian and chi2; none means 1 / features, and 1 for chi2.
    #[param(default = None, range = "[0, inf)", search = "log 1e-4..10")]
    pub gamma: Option<f64>,
    /// The constant inside of the kernels polynomial and sigmoid; none means 1.
    #[param(default = None, range = "(-inf, inf)")]
    pub coef0: Option<f64>,
    /// The degree of a polynomial kernel; none means 3.
    #[param(default = None, range = "[0, inf)")]
    pub degree: Option<f64>,
}

/// Nyström's approximation: features from the kernel with some of the points.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "nystroem nystrom",
    canon = "K6",
    task = Transformation,
    python = "kernel_approximation",
    order = "kernel gamma coef0 degree n_components",
    tried = "n_components=10 | n_components=5,kernel=polynomial",
    session = "random_state n_jobs",
    door = "kernel_params=None",
    mixins = "NystroemMixin",
    can = "transform sparse scaled random counts_rows ordered",
    references = "Williams, Seeger. Using the Nyström method to speed up kernel machines. NIPS 2000."
)]
pub struct Nystroem {
    /// The kernel.
    #[param(flatten)]
    pub params: NystroemParams,
    /// How many points are drawn.
    #[param(default = 100, range = "[1, inf)", search = "int 10..500")]
    pub n_components: usize,
}

/// Fitted features of Nyström's approximation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NystroemModel {
    /// The kernel, with all its hyper-parameters.
    pub kernel: Kernel,
    /// The drawn points.
    pub components: Points,
    /// Their places among the points of training.
    pub indices: Vec<u64>,
    /// K^−½ of the drawn points.
    pub normalization: Mat,
    certificate: Certificate,
}

const ERROR: &str = "error on the drawn points";

impl Learn for Nystroem {
    type Model = NystroemModel;

    fn kinds(&self) -> Kinds {
        let kind = self.params.kernel.data_kind();
        Kinds { learns_from: kind, asked_about: kind }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<NystroemModel> {
        let input = data.input();
        let held = Held::new(Self::NAME, self.kinds().learns_from, &input)?;
        let points = held.view();
        let p = &self.params;
        let usual = if p.kernel == KernelSpec::word("chi2") { 1.0 } else { Gamma::Auto.of(points) };
        let gamma = Some(p.gamma.unwrap_or(usual));
        let kernel = p.kernel.resolve(Self::NAME, gamma, p.degree.unwrap_or(3.0), p.coef0.unwrap_or(1.0))?;
        kernel.check_given(Self::NAME, points)?;
        let m = self.n_components.min(points.len());
        let chosen = sample_indices(&mut session.rng(0), points.len(), m);
        let components = kernel.keep(points, &chosen);
        let gram = match (&kernel, points) {
            (Kernel::Precomputed, PointsRef::Dense(given)) => {
                Mat::from_fn(m, m, |i, j| given.get(chosen[i], chosen[j]))
            }
            _ => kernel.gram(&kernel.side(components.view())?),
        };
        let eigen = eigh(&gram).ok_or_else(|| {
            Error::numeric(Self::NAME, "values of the kernel are not finite: it has no eigenvalues")
        })?;
        let scaled = Mat::from_fn(m, m, |i, k| eigen.vectors[(i, k)] / eigen.values[k].max(1e-12).sqrt());
        let normalization = matmul(scaled.view(), eigen.vectors.view().t());
        let found = error(&gram, &normalization);
        let meaning = "largest entry of ΦΦᵀ − K on the drawn points over the largest of K: zero where K has no eigenvalue near zero";
        let mut certificate =
            Certificate::new(Termination::Exact).with_evidence(Evidence::residual(ERROR, found, meaning));
        if m < self.n_components {
            certificate = certificate
                .with_note(format!("{} points were asked for, and there are {m}", self.n_components));
        }
        let indices = chosen.iter().map(|&i| i as u64).collect();
        Ok(NystroemModel { kernel, components, indices, normalization, certificate })
    }
}

fn error(gram: &Mat, normalization: &Mat) -> f64 {
    let features = matmul(gram.view(), normalization.view());
    let product = matmul(features.view(), features.view().t());
    let largest = gram.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let off = product.as_slice().iter().zip(gram.as_slice()).map(|(p, k)| (p - k).abs());
    off.fold(0.0f64, |m, v| if v > m || v.is_nan() { v } else { m }) / largest.max(f64::MIN_POSITIVE)
}

impl Transformer for NystroemModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let held = Held::new(Nystroem::NAME, self.kernel.data_kind(), input)?;
        Ok(session.run(|| self.kernel.sums_of(held.view(), &self.components, &self.normalization))?.into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.normalization.n_cols()).map(|k| format!("nystroem{k}")).collect()
    }
}

impl Fitted for NystroemModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let input = data.input();
        let held = Held::new(Nystroem::NAME, self.kernel.data_kind(), &input)?;
        let points = held.view();
        let chosen: Vec<usize> = self.indices.iter().map(|&i| i as usize).collect();
        if let Some(&bad) = chosen.iter().find(|&&i| i >= points.len()) {
            return Err(Error::shape("points that Nystroem learnt from, at least", bad + 1, points.len()));
        }
        let drawn = points.gather(&chosen);
        let gram = match (&self.kernel, points) {
            (Kernel::Precomputed, PointsRef::Dense(given)) => {
                Mat::from_fn(chosen.len(), chosen.len(), |i, j| given.get(chosen[i], chosen[j]))
            }
            _ => self.kernel.gram(&self.kernel.side(drawn.view())?),
        };
        Ok(vec![(ERROR.to_owned(), error(&gram, &self.normalization))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let m = self.normalization.n_rows();
        let indices = self.indices.iter().map(|&i| i as i64).collect();
        let mut all = vec![
            Attribute::int("component_indices_", "The places of the drawn points.", &[m], indices),
            Attribute::real(
                "normalization_",
                "K^−½ of the drawn points.",
                &[m, m],
                self.normalization.as_slice().to_vec(),
            ),
        ];
        if let PointsRef::Dense(x) = self.components.view() {
            let shape = [x.n_rows(), x.n_cols()];
            all.push(Attribute::real("components_", "The drawn points.", &shape, x.to_mat().into_vec()));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let m = self.components.len();
        let fits = self.components.fits(schema.n_features())
            && self.normalization.is_consistent()
            && (self.normalization.n_rows(), self.normalization.n_cols()) == (m, m)
            && self.indices.len() == m
            && m > 0
            && self.kernel.takes(self.components.view());
        if fits { Ok(()) } else { Err("drawn points do not fit the schema".to_owned()) }
    }
}

/// γ of random Fourier features.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum SamplerGamma {
    /// 1 / (features · variance of all values)
    Scale,
    /// This number.
    Of(f64),
}

/// Random Fourier features of the RBF kernel.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "rbf-sampler fourier-features",
    canon = "K6",
    task = Transformation,
    python = "kernel_approximation",
    tried = "n_components=20",
    session = "random_state",
    can = "transform sparse scaled random",
    references = "Rahimi, Recht. Random features for large-scale kernel machines. NIPS 2007."
)]
pub struct RBFSampler {
    /// The coefficient γ of the kernel exp(−γ‖x − y‖²); `scale` is 1 / (features · variance).
    #[param(default = SamplerGamma::Of(1.0), range = "[0, inf)", search = "log 1e-4..10")]
    pub gamma: SamplerGamma,
    /// How many features are drawn.
    #[param(default = 100, range = "[1, inf)", search = "int 10..1000")]
    pub n_components: usize,
}

/// Drawn frequencies and phases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RbfSamplerModel {
    /// The frequencies, features × components.
    pub weights: Mat,
    /// The phases.
    pub offsets: Vec<f64>,
    certificate: Certificate,
}

impl Learn for RBFSampler {
    type Model = RbfSamplerModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RbfSamplerModel> {
        let numbers = data.numbers(Self::NAME)?;
        let gamma = match (self.gamma, numbers.view()) {
            (SamplerGamma::Of(gamma), _) => gamma,
            (SamplerGamma::Scale, NumbersRef::Dense(x)) => Gamma::Scale.of(PointsRef::Dense(x)),
            (SamplerGamma::Scale, NumbersRef::Sparse(x)) => Gamma::Scale.of(PointsRef::Sparse(x)),
        };
        let mut rng = session.rng(0);
        let scale = (2.0 * gamma).sqrt();
        let weights = Mat::from_fn(data.n_features(), self.n_components, |_, _| scale * normal(&mut rng));
        let offsets = (0..self.n_components).map(|_| TAU * uniform(&mut rng)).collect();
        // Hoeffding: each product of features is in [−2, 2]/m with the kernel as its mean.
        let bound = |share: f64| (8.0 * (2.0 / share).ln() / self.n_components as f64).sqrt();
        let why = "nothing is learnt but the number of features: what is known holds for the draw";
        let certificate = Certificate::without_evidence(Termination::Exact, why).with_note(format!(
            "for any two points the product of their features is within {:.3} of the kernel with probability 95 % over the draw (Hoeffding)",
            bound(0.05)
        ));
        Ok(RbfSamplerModel { weights, offsets, certificate })
    }
}

/// Rows of one task.
const ROWS: usize = 128;

impl Transformer for RbfSamplerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let numbers = input.rows(RBFSampler::NAME)?.numbers(RBFSampler::NAME)?;
        let (n, m) = (numbers.view().n_rows(), self.offsets.len());
        let factor = (2.0 / m as f64).sqrt();
        let mut out = Mat::zeros(n, m);
        session.run(|| {
            out.as_mut_slice().par_chunks_mut(ROWS * m).enumerate().for_each(|(b, out)| {
                let product = match numbers.view().rows(b * ROWS..((b + 1) * ROWS).min(n)) {
                    NumbersRef::Dense(x) => matmul(x, self.weights.view()),
                    NumbersRef::Sparse(x) => matmul(x.to_dense().view(), self.weights.view()),
                };
                for (out, row) in out.chunks_exact_mut(m).zip(product.as_slice().chunks_exact(m)) {
                    out.iter_mut()
                        .zip(row)
                        .zip(&self.offsets)
                        .for_each(|((o, v), b)| *o = factor * (v + b).cos());
                }
            });
        });
        Ok(out.into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.offsets.len()).map(|k| format!("rbfsampler{k}")).collect()
    }
}

impl Fitted for RbfSamplerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let shape = [self.weights.n_rows(), self.weights.n_cols()];
        vec![
            Attribute::real("random_weights_", "The frequencies.", &shape, self.weights.as_slice().to_vec()),
            Attribute::real("random_offset_", "The phases.", &[self.offsets.len()], self.offsets.clone()),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = self.weights.is_consistent()
            && self.weights.n_rows() == schema.n_features()
            && self.weights.n_cols() == self.offsets.len()
            && !self.offsets.is_empty();
        if fits { Ok(()) } else { Err("frequencies do not fit the schema".to_owned()) }
    }
}
