//! Log densities, which samplers draw from.

use super::Input;
use crate::error::Result;
use mercer_math::Rng;
use std::fmt;
use std::sync::Arc;

/// A density known up to its constant, by its logarithm.
pub trait LogDensity: Send + Sync {
    /// The number of dimensions.
    fn dim(&self) -> usize;
    /// The logarithm at `x`; minus infinity outside the support.
    fn log_density(&self, x: &[f64]) -> Result<f64>;
    /// The logarithm at `x`, with its gradient written to `gradient`; `None` where the gradient is not known.
    fn log_density_and_gradient(&self, _x: &[f64], _gradient: &mut [f64]) -> Option<Result<f64>> {
        None
    }
    /// A draw of coordinate `j` given all others; `None` where the conditional is not known.
    fn draw_conditional(&self, _j: usize, _x: &[f64], _rng: &mut Rng) -> Option<Result<f64>> {
        None
    }
    /// The names of the coordinates; empty where they have none.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
    /// A point of the support to start from.
    fn start(&self) -> Vec<f64> {
        vec![0.0; self.dim()]
    }
    /// Whether it may only be called on the thread that called `fit` (a Python callable).
    fn is_local(&self) -> bool {
        false
    }
}

/// A named log density; clones share it.
///
/// # Example
/// ```
/// use mercer_core::Density;
/// let normal = Density::new("normal", 1, |x| Ok(-0.5 * x[0] * x[0]));
/// assert_eq!(normal.log_density(&[2.0])?, -2.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Density {
    name: Arc<str>,
    inner: Arc<dyn LogDensity>,
}

struct Closure<F>(usize, F);

/// A closure that gives value and gradient.
struct Smooth<F>(usize, F);

impl<F: Fn(&[f64], &mut [f64]) -> Result<f64> + Send + Sync> LogDensity for Smooth<F> {
    fn dim(&self) -> usize {
        self.0
    }
    fn log_density(&self, x: &[f64]) -> Result<f64> {
        (self.1)(x, &mut vec![0.0; self.0])
    }
    fn log_density_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<Result<f64>> {
        Some((self.1)(x, gradient))
    }
}

impl<F: Fn(&[f64]) -> Result<f64> + Send + Sync> LogDensity for Closure<F> {
    fn dim(&self) -> usize {
        self.0
    }
    fn log_density(&self, x: &[f64]) -> Result<f64> {
        (self.1)(x)
    }
}

impl Density {
    /// A density from a closure.
    pub fn new(name: &str, dim: usize, f: impl Fn(&[f64]) -> Result<f64> + Send + Sync + 'static) -> Self {
        Self::from_trait(name, Arc::new(Closure(dim, f)))
    }

    /// A density from a closure that gives the logarithm and writes its gradient.
    pub fn with_gradient(
        name: &str,
        dim: usize,
        f: impl Fn(&[f64], &mut [f64]) -> Result<f64> + Send + Sync + 'static,
    ) -> Self {
        Self::from_trait(name, Arc::new(Smooth(dim, f)))
    }

    /// A density from its trait.
    pub fn from_trait(name: &str, inner: Arc<dyn LogDensity>) -> Self {
        Self { name: name.into(), inner }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl std::ops::Deref for Density {
    type Target = dyn LogDensity;
    fn deref(&self) -> &Self::Target {
        self.inner.as_ref()
    }
}

impl fmt::Debug for Density {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Density({}, {} dimensions)", self.name, self.dim())
    }
}

impl From<Density> for Input<'_> {
    fn from(density: Density) -> Self {
        Input::Density(density)
    }
}
