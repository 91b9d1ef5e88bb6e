//! Kernels as values: leaves, the rules that build new kernels from old ones, their hyper-parameters and gradients.
//!
//! A [`Kernel`] is a tree. Its leaves are functions of two points; the inner nodes are the rules of construction: a
//! positive multiple, sums, products, powers and polynomials with coefficients that are not negative, the exponential,
//! $g(x)\,k(x,y)\,g(y)$, composition with a map, sub-blocks of columns, $x^\top A y$. What is made of positive semi-definite
//! parts by these rules is positive semi-definite.
//!
//! ```
//! use mercer_kernels::Kernel;
//! let trend = Kernel::rbf(2.0) * Kernel::constant(3.0);
//! let kernel = &trend + &Kernel::white(0.1);
//! assert_eq!(kernel.to_string(), "sum(product(rbf(length_scale=2.0), constant(3.0)), white(0.1))");
//! let x = mercer_math::Mat::from_rows(&[[0.0], [1.0]]).unwrap();
//! let side = kernel.side(mercer_kernels::PointsRef::Dense(x.view()))?;
//! assert!((kernel.gram(&side)[(0, 1)] - 3.0 * (-0.125f64).exp()).abs() < 1e-15);
//! # Ok::<(), mercer_core::Error>(())
//! ```

mod apply;
mod build;
mod definite;
mod evaluate;
mod explicit;
mod fused;
mod gradient;
mod gradient_tiles;
mod hyper;
mod matrices;
mod points;
mod radial;
mod shared;
mod side;
mod text;

pub use build::{Map, Named, Scalar};
pub use definite::{Definiteness, definiteness};
pub use explicit::{PolynomialMap, marginalised};
pub use hyper::{Hyper, USUAL_BOUNDS};
pub(crate) use points::wrong_points;
pub use points::{Held, Points, PointsRef};
pub use shared::{Gamma, KernelParams, KernelSpec, PairwiseParams};
pub use side::Side;
pub(crate) use text::Args;

use crate::structures::Structure;
use mercer_core::DataKind;
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// A kernel: a function of two points. Written and read as text (`rbf(length_scale=2.0)+white(0.1)`), so that files hold no
/// recursive type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Kernel {
    /// c
    Constant(Hyper),
    /// The noise of each point: σ² where both are the same point of the same set, else 0.
    White(Hyper),
    /// σ₀² + x·y
    Linear(Hyper),
    /// (γ x·y + c)^q
    Polynomial {
        /// γ
        gamma: Hyper,
        /// c
        coef0: Hyper,
        /// q
        degree: f64,
    },
    /// tanh(γ x·y + c), which is indefinite in general
    Sigmoid {
        /// γ
        gamma: Hyper,
        /// c
        coef0: Hyper,
    },
    /// x·y / (‖x‖ ‖y‖)
    Cosine,
    /// xᵀ A y
    Bilinear(Mat),
    /// exp(−‖x − y‖² / 2ℓ²), with a scale for all features or for each
    Rbf(Hyper),
    /// Matérn's kernel of smoothness ν in ‖x − y‖/ℓ
    Matern {
        /// ℓ
        length_scale: Hyper,
        /// ν; infinity is the RBF kernel
        nu: f64,
    },
    /// (1 + ‖x − y‖² / 2αℓ²)^−α
    RationalQuadratic {
        /// α
        alpha: Hyper,
        /// ℓ
        length_scale: Hyper,
    },
    /// exp(−2 Σⱼ sin²(π(xⱼ − yⱼ)/p) / ℓ²): a product over the coordinates. The form with sin²(π‖x − y‖/p) is not positive
    /// semi-definite beyond one dimension.
    Periodic {
        /// ℓ
        length_scale: Hyper,
        /// p
        periodicity: Hyper,
    },
    /// exp(−γ Σⱼ |xⱼ − yⱼ|)
    Laplacian(Hyper),
    /// exp(−γ Σⱼ (xⱼ − yⱼ)² / (xⱼ + yⱼ)), of values that are not negative
    Chi2(Hyper),
    /// −Σⱼ (xⱼ − yⱼ)² / (xⱼ + yⱼ), which is only conditionally positive definite
    AdditiveChi2,
    /// A kernel of strings, series or graphs
    Structure(Structure),
    /// Values that are given: a point is a row of the Gram matrix with the points of training
    Precomputed,
    /// k₁ + k₂ + …
    Sum(Vec<Kernel>),
    /// k₁ · k₂ · …
    Product(Vec<Kernel>),
    /// k^q
    Power(Box<Kernel>, f64),
    /// exp(k)
    Exp(Box<Kernel>),
    /// a₀ + a₁ k + a₂ k² + …
    PolynomialOf(Box<Kernel>, Vec<f64>),
    /// k(x, y) / √(k(x, x) k(y, y))
    Normalised(Box<Kernel>),
    /// g(x) k(x, y) g(y)
    ScaledBy(Box<Kernel>, Named<Scalar>),
    /// k(φ(x), φ(y))
    On(Box<Kernel>, Named<Map>),
    /// k of some columns alone
    OnColumns(Box<Kernel>, Vec<usize>),
}

impl Kernel {
    /// The kind of data that it takes.
    pub fn data_kind(&self) -> DataKind {
        match self {
            Kernel::Structure(structure) => structure.data_kind(),
            _ => self
                .children()
                .iter()
                .map(|k| k.data_kind())
                .find(|k| *k != DataKind::Rows)
                .unwrap_or(DataKind::Rows),
        }
    }

    /// The kernels that it is made of.
    pub fn children(&self) -> Vec<&Kernel> {
        match self {
            Kernel::Sum(parts) | Kernel::Product(parts) => parts.iter().collect(),
            Kernel::Power(inner, _)
            | Kernel::Exp(inner)
            | Kernel::PolynomialOf(inner, _)
            | Kernel::Normalised(inner)
            | Kernel::ScaledBy(inner, _)
            | Kernel::On(inner, _)
            | Kernel::OnColumns(inner, _) => vec![inner],
            _ => Vec::new(),
        }
    }

    fn children_mut(&mut self) -> Vec<&mut Kernel> {
        match self {
            Kernel::Sum(parts) | Kernel::Product(parts) => parts.iter_mut().collect(),
            Kernel::Power(inner, _)
            | Kernel::Exp(inner)
            | Kernel::PolynomialOf(inner, _)
            | Kernel::Normalised(inner)
            | Kernel::ScaledBy(inner, _)
            | Kernel::On(inner, _)
            | Kernel::OnColumns(inner, _) => vec![inner],
            _ => Vec::new(),
        }
    }

    /// Its own hyper-parameters with their names, without those of its parts: in the order of scikit-learn, by name.
    pub fn own_hypers(&self) -> Vec<(&'static str, &Hyper)> {
        match self {
            Kernel::Constant(h) => vec![("constant_value", h)],
            Kernel::White(h) => vec![("noise_level", h)],
            Kernel::Linear(h) => vec![("sigma_0", h)],
            Kernel::Polynomial { gamma, coef0, .. } | Kernel::Sigmoid { gamma, coef0 } => {
                vec![("coef0", coef0), ("gamma", gamma)]
            }
            Kernel::Rbf(h) => vec![("length_scale", h)],
            Kernel::Matern { length_scale, .. } => vec![("length_scale", length_scale)],
            Kernel::RationalQuadratic { alpha, length_scale } => {
                vec![("alpha", alpha), ("length_scale", length_scale)]
            }
            Kernel::Periodic { length_scale, periodicity } => {
                vec![("length_scale", length_scale), ("periodicity", periodicity)]
            }
            Kernel::Laplacian(h) | Kernel::Chi2(h) => vec![("gamma", h)],
            _ => Vec::new(),
        }
    }

    fn own_hypers_mut(&mut self) -> Vec<&mut Hyper> {
        match self {
            Kernel::Constant(h) | Kernel::White(h) | Kernel::Linear(h) | Kernel::Rbf(h) => vec![h],
            Kernel::Laplacian(h) | Kernel::Chi2(h) => vec![h],
            Kernel::Polynomial { gamma, coef0, .. } | Kernel::Sigmoid { gamma, coef0 } => vec![coef0, gamma],
            Kernel::Matern { length_scale, .. } => vec![length_scale],
            Kernel::RationalQuadratic { alpha, length_scale } => vec![alpha, length_scale],
            Kernel::Periodic { length_scale, periodicity } => vec![length_scale, periodicity],
            _ => Vec::new(),
        }
    }

    /// Visits all hyper-parameters, its own first, then those of its parts in order.
    fn visit<'k>(&'k self, see: &mut dyn FnMut(&'static str, &'k Hyper)) {
        self.own_hypers().into_iter().for_each(|(name, hyper)| see(name, hyper));
        self.children().into_iter().for_each(|child| child.visit(see));
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(&mut Hyper)) {
        self.own_hypers_mut().into_iter().for_each(&mut *see);
        self.children_mut().into_iter().for_each(|child| child.visit_mut(see));
    }

    /// The logarithms of the hyper-parameters that may be moved.
    pub fn theta(&self) -> Vec<f64> {
        let mut theta = Vec::new();
        self.visit(&mut |_, h| theta.extend(h.values[..h.n_free()].iter().map(|v| v.ln())));
        theta
    }

    /// The names of the numbers in [`Kernel::theta`].
    pub fn theta_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.visit(&mut |name, h| match h.n_free() {
            1 => names.push(name.to_owned()),
            n => names.extend((0..n).map(|i| format!("{name}[{i}]"))),
        });
        names
    }

    /// The bounds of the logarithms of the hyper-parameters that may be moved.
    pub fn bounds(&self) -> Vec<(f64, f64)> {
        let mut bounds = Vec::new();
        self.visit(&mut |_, h| bounds.extend(h.log_bounds()));
        bounds
    }

    /// The kernel with other hyper-parameters, by their logarithms; what is missing stays.
    #[must_use]
    pub fn with_theta(&self, theta: &[f64]) -> Self {
        let (mut copy, mut rest) = (self.clone(), theta.iter());
        copy.visit_mut(&mut |h| {
            let n = h.n_free();
            h.values[..n].iter_mut().zip(rest.by_ref().take(n)).for_each(|(v, t)| *v = t.exp());
        });
        copy
    }

    /// The kernel of the function alone, without the noise of each point: what it is between points of different sets.
    #[must_use]
    pub fn without_noise(&self) -> Self {
        let mut copy = self.clone();
        copy.silence();
        copy
    }

    fn silence(&mut self) {
        if let Kernel::White(_) = self {
            *self = Kernel::Constant(Hyper::fixed(0.0));
        }
        self.children_mut().into_iter().for_each(Kernel::silence);
    }

    /// Whether k(x, y) depends on x − y alone.
    pub fn is_stationary(&self) -> bool {
        match self {
            Kernel::Constant(_) | Kernel::White(_) | Kernel::Rbf(_) | Kernel::Matern { .. } => true,
            Kernel::RationalQuadratic { .. } | Kernel::Periodic { .. } | Kernel::Laplacian(_) => true,
            Kernel::ScaledBy(..) | Kernel::On(..) => false,
            _ => !self.children().is_empty() && self.children().iter().all(|k| k.is_stationary()),
        }
    }
}
