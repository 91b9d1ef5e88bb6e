//! Kernels made in Rust: constructors, and the rules of construction as operators and methods.

use super::{Hyper, Kernel};
use mercer_core::{Error, Result};
use mercer_math::{Mat, eigvalsh};
use std::fmt;
use std::ops::{Add, Mul};
use std::sync::Arc;

/// A function of the user's inside of a kernel, with a name: text and files hold the name alone, and a kernel that was read
/// from them computes nothing before it is given the function again ([`Kernel::with_function`]).
pub struct Named<F: ?Sized> {
    /// Its name.
    pub name: String,
    /// The function; `None` after loading.
    pub function: Option<Arc<F>>,
}

impl<F: ?Sized> Clone for Named<F> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), function: self.function.clone() }
    }
}

impl<F: ?Sized> fmt::Debug for Named<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl<F: ?Sized> PartialEq for Named<F> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<F: ?Sized> Named<F> {
    pub(super) fn get(&self) -> Result<&F> {
        let missing = || {
            Error::incapable("this kernel", format!("compute: its function `{}` was not loaded", self.name))
        };
        self.function.as_deref().ok_or_else(missing)
    }
}

/// A function of a point.
pub type Scalar = dyn Fn(&[f64]) -> f64 + Send + Sync;
/// A map of a point.
pub type Map = dyn Fn(&[f64]) -> Vec<f64> + Send + Sync;

impl Kernel {
    /// c, for all pairs.
    pub fn constant(value: f64) -> Self {
        Kernel::Constant(value.into())
    }

    /// The noise of each point.
    pub fn white(noise_level: f64) -> Self {
        Kernel::White(noise_level.into())
    }

    /// x·y
    pub fn linear() -> Self {
        Kernel::Linear(Hyper::fixed(0.0))
    }

    /// σ₀² + x·y
    pub fn dot_product(sigma_0: f64) -> Self {
        Kernel::Linear(sigma_0.into())
    }

    /// (γ x·y + c)^q
    pub fn polynomial(degree: f64, gamma: f64, coef0: f64) -> Self {
        Kernel::Polynomial { gamma: Hyper::fixed(gamma), coef0: Hyper::fixed(coef0), degree }
    }

    /// tanh(γ x·y + c)
    pub fn sigmoid(gamma: f64, coef0: f64) -> Self {
        Kernel::Sigmoid { gamma: Hyper::fixed(gamma), coef0: Hyper::fixed(coef0) }
    }

    /// exp(−‖x − y‖² / 2ℓ²)
    pub fn rbf(length_scale: f64) -> Self {
        Kernel::Rbf(length_scale.into())
    }

    /// exp(−γ‖x − y‖²)
    pub fn rbf_gamma(gamma: f64) -> Self {
        Kernel::Rbf(Hyper::free(1.0 / (2.0 * gamma).sqrt()))
    }

    /// Matérn's kernel of smoothness ν.
    pub fn matern(length_scale: f64, nu: f64) -> Self {
        Kernel::Matern { length_scale: length_scale.into(), nu }
    }

    /// (1 + ‖x − y‖² / 2αℓ²)^−α
    pub fn rational_quadratic(length_scale: f64, alpha: f64) -> Self {
        Kernel::RationalQuadratic { alpha: alpha.into(), length_scale: length_scale.into() }
    }

    /// exp(−2 Σⱼ sin²(π(xⱼ − yⱼ)/p) / ℓ²)
    pub fn periodic(length_scale: f64, periodicity: f64) -> Self {
        Kernel::Periodic { length_scale: length_scale.into(), periodicity: periodicity.into() }
    }

    /// exp(−γ Σⱼ |xⱼ − yⱼ|)
    pub fn laplacian(gamma: f64) -> Self {
        Kernel::Laplacian(gamma.into())
    }

    /// exp(−γ Σⱼ (xⱼ − yⱼ)² / (xⱼ + yⱼ))
    pub fn chi2(gamma: f64) -> Self {
        Kernel::Chi2(gamma.into())
    }

    /// xᵀ A y, for a symmetric A that is positive semi-definite; anything else is refused.
    pub fn bilinear(a: Mat) -> Result<Self> {
        let n = a.n_rows();
        let symmetric = n == a.n_cols() && (0..n).all(|i| (0..i).all(|j| a[(i, j)] == a[(j, i)]));
        if !symmetric {
            return Err(Error::param(
                "bilinear",
                "matrix",
                "symmetric".to_owned(),
                format!("{n}×{} numbers", a.n_cols()),
            ));
        }
        let least = eigvalsh(&a).and_then(|values| values.into_iter().reduce(f64::min)).unwrap_or(f64::NAN);
        let largest = a.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let fine = least >= -1e-12 * largest * n as f64;
        if !fine {
            let expected = "positive semi-definite".to_owned();
            return Err(Error::param("bilinear", "matrix", expected, format!("the eigenvalue {least}")));
        }
        Ok(Kernel::Bilinear(a))
    }

    /// exp(k)
    #[must_use]
    pub fn exp(self) -> Self {
        Kernel::Exp(Box::new(self))
    }

    /// k^q
    #[must_use]
    pub fn power(self, exponent: f64) -> Self {
        Kernel::Power(Box::new(self), exponent)
    }

    /// a₀ + a₁ k + a₂ k² + …, with coefficients that are not negative; a negative one is refused.
    pub fn polynomial_of(self, coefficients: &[f64]) -> Result<Self> {
        match coefficients.iter().find(|a| a.is_nan() || **a < 0.0) {
            Some(bad) => Err(Error::param("polynomial_of", "coefficients", "in [0, inf)".to_owned(), bad)),
            None => Ok(Kernel::PolynomialOf(Box::new(self), coefficients.to_vec())),
        }
    }

    /// k(x, y) / √(k(x, x) k(y, y))
    #[must_use]
    pub fn normalised(self) -> Self {
        Kernel::Normalised(Box::new(self))
    }

    /// g(x) k(x, y) g(y)
    #[must_use]
    pub fn scaled_by(self, name: &str, g: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        let function: Arc<Scalar> = Arc::new(g);
        Kernel::ScaledBy(Box::new(self), Named { name: name.to_owned(), function: Some(function) })
    }

    /// k(φ(x), φ(y))
    #[must_use]
    pub fn on(self, name: &str, map: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static) -> Self {
        let function: Arc<Map> = Arc::new(map);
        Kernel::On(Box::new(self), Named { name: name.to_owned(), function: Some(function) })
    }

    /// k of some columns alone.
    #[must_use]
    pub fn on_columns(self, columns: &[usize]) -> Self {
        Kernel::OnColumns(Box::new(self), columns.to_vec())
    }

    /// The kernel with the functions of [`Kernel::scaled_by`] that have this name given again after loading.
    #[must_use]
    pub fn with_function(mut self, name: &str, g: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        self.give(name, &Some(Arc::new(g) as Arc<Scalar>), &None);
        self
    }

    /// The kernel with the maps of [`Kernel::on`] that have this name given again after loading.
    #[must_use]
    pub fn with_map(mut self, name: &str, map: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static) -> Self {
        self.give(name, &None, &Some(Arc::new(map) as Arc<Map>));
        self
    }

    fn give(&mut self, name: &str, g: &Option<Arc<Scalar>>, map: &Option<Arc<Map>>) {
        match self {
            Kernel::ScaledBy(_, named) if named.name == name && g.is_some() => named.function = g.clone(),
            Kernel::On(_, named) if named.name == name && map.is_some() => named.function = map.clone(),
            _ => {}
        }
        self.children_mut().into_iter().for_each(|child| child.give(name, g, map));
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $variant:ident;)*) => {$(
        impl $operator for Kernel {
            type Output = Kernel;
            fn $method(self, other: Kernel) -> Kernel {
                // One node for a chain of operands, so that text and files are not nested without need.
                let mut parts = match self {
                    Kernel::$variant(parts) => parts,
                    one => vec![one],
                };
                parts.push(other);
                Kernel::$variant(parts)
            }
        }
        impl $operator for &Kernel {
            type Output = Kernel;
            fn $method(self, other: &Kernel) -> Kernel {
                self.clone().$method(other.clone())
            }
        }
    )*};
}
operators! {
    Add add Sum;
    Mul mul Product;
}

impl Mul<Kernel> for f64 {
    type Output = Kernel;
    fn mul(self, kernel: Kernel) -> Kernel {
        Kernel::constant(self) * kernel
    }
}
