//! Kernels that are sums over features one can write down: the polynomial map, and marginalised kernels.

use super::{Kernel, PointsRef};
use mercer_core::{Error, Result};
use mercer_math::{Mat, matmul};

/// The features of the polynomial kernel (x·y + c)^q: all monomials of degree up to q (exactly q where c = 0), each with the root
/// of its multinomial coefficient, so that their product is the kernel. There are C(d + q, q) of them for d coordinates and c > 0.
///
/// ```
/// use mercer_kernels::PolynomialMap;
/// let map = PolynomialMap::new(2, 2, 1.0)?;
/// assert_eq!(map.n_features(), 6);
/// let (x, y) = ([1.0, 2.0], [3.0, -1.0]);
/// let product: f64 = map.features(&x).iter().zip(map.features(&y)).map(|(a, b)| a * b).sum();
/// assert!((product - (1.0f64 * 3.0 - 2.0 + 1.0).powi(2)).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PolynomialMap {
    /// The exponents of the coordinates in each feature.
    exponents: Vec<Vec<u32>>,
    factors: Vec<f64>,
}

/// No map with more features than this is made.
const MOST_FEATURES: f64 = 5e6;

impl PolynomialMap {
    /// The map of `n_coordinates` with the degree and constant of the kernel.
    pub fn new(n_coordinates: usize, degree: u32, coef0: f64) -> Result<Self> {
        if coef0.is_nan() || coef0 < 0.0 {
            return Err(Error::param("PolynomialMap", "coef0", "in [0, inf)", coef0));
        }
        let count = (1..=degree).fold(1.0, |c, k| c * (n_coordinates as f64 + f64::from(k)) / f64::from(k));
        if count > MOST_FEATURES {
            return Err(Error::param(
                "PolynomialMap",
                "degree",
                format!("such that there are at most {MOST_FEATURES} features"),
                count,
            ));
        }
        let mut map = Self { exponents: Vec::new(), factors: Vec::new() };
        let lowest = if coef0 > 0.0 { 0 } else { degree };
        for total in lowest..=degree {
            let constant = coef0.powi((degree - total) as i32) * choose(degree, total);
            map.add(&mut vec![0; n_coordinates], 0, total, constant);
        }
        Ok(map)
    }

    /// All ways to spend `left` powers on the coordinates from `at` on.
    fn add(&mut self, exponents: &mut Vec<u32>, at: usize, left: u32, coefficient: f64) {
        if at == exponents.len() {
            if left == 0 {
                self.exponents.push(exponents.clone());
                self.factors.push(coefficient.sqrt());
            }
            return;
        }
        let last = at + 1 == exponents.len();
        for power in if last { left..=left } else { 0..=left } {
            exponents[at] = power;
            self.add(exponents, at + 1, left - power, coefficient * choose(left, power));
        }
        exponents[at] = 0;
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        self.factors.len()
    }

    /// The features of a point.
    pub fn features(&self, x: &[f64]) -> Vec<f64> {
        let feature = |(exponents, factor): (&Vec<u32>, &f64)| {
            exponents.iter().zip(x).fold(*factor, |f, (&e, v)| f * v.powi(e as i32))
        };
        self.exponents.iter().zip(&self.factors).map(feature).collect()
    }
}

fn choose(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1))
}

/// The marginalised kernel of points with a hidden part: $k_m(x, y) = \sum_{h, h'} k((x, h), (y, h'))\,p(h \mid x)\,p(h' \mid y)$, where the
/// hidden states are joined to the points as further columns: one row of `states` each, and `posterior` has p(h | x) for every point.
/// Positive semi-definite where k is.
pub fn marginalised(kernel: &Kernel, x: &Mat, states: &Mat, posterior: &Mat) -> Result<Mat> {
    let (n, m) = (x.n_rows(), states.n_rows());
    if (posterior.n_rows(), posterior.n_cols()) != (n, m) {
        return Err(Error::shape("probabilities of hidden states", n * m, posterior.as_slice().len()));
    }
    let d = x.n_cols();
    let joint = Mat::from_fn(n * m, d + states.n_cols(), |r, j| {
        let (i, h) = (r / m, r % m);
        if j < d { x[(i, j)] } else { states[(h, j - d)] }
    });
    let weights = Mat::from_fn(n, n * m, |i, r| if r / m == i { posterior[(i, r % m)] } else { 0.0 });
    let gram = kernel.gram(&kernel.side(PointsRef::Dense(joint.view()))?);
    Ok(matmul(matmul(weights.view(), gram.view()).view(), weights.view().t()))
}
