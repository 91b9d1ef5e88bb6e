//! The calculus of Gaussian laws of several numbers: marginals, conditionals, products, linear maps, quadratic forms.
//!
//! With blocks $x = (x_a, x_b)$, mean $(\mu_a, \mu_b)$ and covariance $\Sigma$ cut alike,
//! $$ x_a \mid x_b \sim N\bigl(\mu_a + \Sigma_{ab}\Sigma_{bb}^{-1}(x_b - \mu_b),\ \Sigma_{aa} - \Sigma_{ab}\Sigma_{bb}^{-1}\Sigma_{ba}\bigr). $$
//! C. M. Bishop. Pattern Recognition and Machine Learning, section 2.3. Springer, 2006.

use crate::updates::{Definiteness, definiteness};
use mercer_core::{Error, Result};
use mercer_math::{BLOCK_ROWS, Cholesky, Mat, MatRef, Rng, dot, eigh, matmul, normal, symmetrise};
use std::f64::consts::PI;

const NAME: &str = "Gaussian";

/// A Gaussian law of several numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    mean: Vec<f64>,
    covariance: Mat,
}

/// The function $ e^{-\frac12 x^\top A x + b^\top x + c} $, which is what densities of Gaussian laws multiply to.
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic {
    /// The symmetric matrix A.
    pub a: Mat,
    /// The vector b.
    pub b: Vec<f64>,
    /// The constant c.
    pub c: f64,
}

impl Quadratic {
    /// Completes the square: the Gaussian law that the function is proportional to, and the logarithm of its integral. `A` must be
    /// positive definite.
    pub fn complete(&self) -> Result<(Gaussian, f64)> {
        square("A", &self.a, self.b.len())?;
        let factor = factor(&self.a)?;
        let mean = factor.solve_vec(&self.b);
        let log_integral = self.c + 0.5 * dot(&self.b, &mean) + 0.5 * self.b.len() as f64 * (2.0 * PI).ln()
            - 0.5 * factor.log_det();
        Ok((Gaussian { mean, covariance: symmetric(factor.inverse()) }, log_integral))
    }

    /// The product of two such functions.
    pub fn times(&self, other: &Quadratic) -> Result<Quadratic> {
        square("A", &other.a, self.b.len())?;
        Ok(Quadratic {
            a: sum(&self.a, &other.a),
            b: self.b.iter().zip(&other.b).map(|(a, b)| a + b).collect(),
            c: self.c + other.c,
        })
    }
}

impl Gaussian {
    /// The law with this mean and covariance, which must be symmetric and have no negative eigenvalue.
    ///
    /// # Example
    /// ```
    /// use mercer_math::Mat;
    /// use mercer_stats::Gaussian;
    /// let law = Gaussian::new(vec![0.0, 0.0], Mat::from_rows(&[[1.0, 0.5], [0.5, 2.0]]).unwrap())?;
    /// let given = law.conditional(&[1], &[2.0])?;
    /// assert!((given.mean()[0] - 0.5).abs() < 1e-15 && (given.covariance()[(0, 0)] - 0.875).abs() < 1e-15);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn new(mean: Vec<f64>, covariance: Mat) -> Result<Self> {
        square("covariance", &covariance, mean.len())?;
        if let Some(j) = mean.iter().position(|v| !v.is_finite()) {
            return Err(Error::param(NAME, "mean", "finite", format!("{} at {j}", mean[j])));
        }
        match definiteness(&covariance)? {
            Definiteness { smallest, .. } if smallest < -Definiteness::slack(&covariance) => {
                let got = format!("the eigenvalue {smallest}");
                Err(Error::param(NAME, "covariance", "positive semi-definite", got))
            }
            _ => Ok(Self { mean, covariance }),
        }
    }

    /// The most likely law of some rows: their mean and their covariance, divided by their number.
    pub fn fit(x: MatRef<'_>) -> Result<Self> {
        let (n, d) = (x.n_rows(), x.n_cols());
        if n == 0 {
            return Err(Error::too_few(NAME, "rows", 1, 0));
        }
        let mean: Vec<f64> = (0..d).map(|j| (0..n).map(|i| x.get(i, j)).sum::<f64>() / n as f64).collect();
        let centred = Mat::from_fn(n, d, |i, j| x.get(i, j) - mean[j]);
        let mut covariance = matmul(centred.view().t(), centred.view());
        covariance.as_mut_slice().iter_mut().for_each(|v| *v /= n as f64);
        Self::new(mean, symmetric(covariance))
    }

    /// The mean.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The covariance.
    pub fn covariance(&self) -> &Mat {
        &self.covariance
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    /// The logarithm of the density, for a positive definite covariance.
    pub fn log_density(&self, x: &[f64]) -> Result<f64> {
        same("x", self.dim(), x.len())?;
        let (distances, log_det) = self.distances(MatRef::row_major(x, 1, x.len()))?;
        Ok(-0.5 * (distances[0] + self.dim() as f64 * (2.0 * PI).ln() + log_det))
    }

    /// The logarithm of the density at each row: the covariance is factored once for all.
    pub fn log_densities(&self, rows: MatRef<'_>) -> Result<Vec<f64>> {
        let (mut found, log_det) = self.distances(Some(rows))?;
        let rest = self.dim() as f64 * (2.0 * PI).ln() + log_det;
        found.iter_mut().for_each(|v| *v = -0.5 * (*v + rest));
        Ok(found)
    }

    /// The squared Mahalanobis distance of each row from the mean, and the logarithm of the covariance's determinant.
    pub(crate) fn distances(&self, rows: Option<MatRef<'_>>) -> Result<(Vec<f64>, f64)> {
        let rows = rows.ok_or_else(|| Error::shape("values of a row", self.dim(), 0))?;
        same("columns of the rows", self.dim(), rows.n_cols())?;
        let factor = factor(&self.covariance)?;
        let mut out = Vec::with_capacity(rows.n_rows());
        for first in (0..rows.n_rows()).step_by(BLOCK_ROWS) {
            let block = rows.rows(first..(first + BLOCK_ROWS).min(rows.n_rows()));
            let away = Mat::from_fn(self.dim(), block.n_rows(), |j, i| block.get(i, j) - self.mean[j]);
            let mut solved = away.clone();
            factor.solve(&mut solved);
            let mut distances = vec![0.0; block.n_rows()];
            for j in 0..self.dim() {
                let terms = away.row(j).iter().zip(solved.row(j));
                distances.iter_mut().zip(terms).for_each(|(d, (a, s))| *d += a * s);
            }
            out.extend(distances);
        }
        Ok((out, factor.log_det()))
    }

    /// A draw, also where the covariance is singular.
    pub fn draw(&self, rng: &mut Rng) -> Result<Vec<f64>> {
        Ok(self.draws(1, rng)?.into_vec())
    }

    /// Draws, one a row: the covariance is factored once for all.
    pub fn draws(&self, n: usize, rng: &mut Rng) -> Result<Mat> {
        let d = self.dim();
        let root = match Cholesky::new(&self.covariance) {
            Some(factor) => factor.l(),
            None => {
                let eigen = eigh(&self.covariance).ok_or_else(|| Error::numeric(NAME, "no eigenvalues"))?;
                Mat::from_fn(d, d, |i, k| eigen.vectors[(i, k)] * eigen.values[k].max(0.0).sqrt())
            }
        };
        let (mut out, mut z) = (Mat::zeros(n, d), vec![0.0; d]);
        for i in 0..n {
            z.iter_mut().for_each(|z| *z = normal(rng));
            let row = out.row_mut(i).iter_mut().zip(&self.mean).enumerate();
            row.for_each(|(j, (v, m))| *v = m + dot(root.row(j), &z));
        }
        Ok(out)
    }

    /// The differential entropy in nats.
    pub fn entropy(&self) -> Result<f64> {
        let d = self.dim() as f64;
        Ok(0.5 * (d * (2.0 * PI * std::f64::consts::E).ln() + factor(&self.covariance)?.log_det()))
    }

    /// Kullback and Leibler's divergence KL(self ‖ other).
    pub fn divergence(&self, other: &Gaussian) -> Result<f64> {
        same("dimensions of the other law", self.dim(), other.dim())?;
        let (own, theirs) = (factor(&self.covariance)?, factor(&other.covariance)?);
        let away: Vec<f64> = other.mean.iter().zip(&self.mean).map(|(a, b)| a - b).collect();
        let mut solved = self.covariance.clone();
        theirs.solve(&mut solved);
        let trace: f64 = (0..self.dim()).map(|i| solved[(i, i)]).sum();
        let distance = dot(&away, &theirs.solve_vec(&away));
        Ok(0.5 * (trace + distance - self.dim() as f64 + theirs.log_det() - own.log_det()))
    }

    /// The law of some of the numbers, in the order given.
    pub fn marginal(&self, keep: &[usize]) -> Result<Gaussian> {
        self.places("keep", keep)?;
        Ok(Gaussian {
            mean: keep.iter().map(|&j| self.mean[j]).collect(),
            covariance: self.block(keep, keep),
        })
    }

    /// The law of the other numbers, in their order, given the values of some.
    pub fn conditional(&self, known: &[usize], values: &[f64]) -> Result<Gaussian> {
        self.places("known", known)?;
        same("values of known numbers", known.len(), values.len())?;
        let rest: Vec<usize> = (0..self.dim()).filter(|j| !known.contains(j)).collect();
        let factor = factor(&self.block(known, known))?;
        let away: Vec<f64> = known.iter().zip(values).map(|(&j, v)| v - self.mean[j]).collect();
        let across = self.block(&rest, known);
        let pull = factor.solve_vec(&away);
        let mean = rest.iter().enumerate().map(|(i, &j)| self.mean[j] + dot(across.row(i), &pull)).collect();
        let mut solved = across.view().t().to_mat();
        factor.solve(&mut solved);
        let less = matmul(across.view(), solved.view());
        let own = self.block(&rest, &rest);
        let covariance = Mat::from_fn(rest.len(), rest.len(), |i, j| own[(i, j)] - less[(i, j)]);
        Ok(Gaussian { mean, covariance: symmetric(covariance) })
    }

    /// The law of Ax + b.
    pub fn map(&self, a: &Mat, b: &[f64]) -> Result<Gaussian> {
        same("columns of A", self.dim(), a.n_cols())?;
        same("values of b", a.n_rows(), b.len())?;
        let mean = (0..a.n_rows()).map(|i| dot(a.row(i), &self.mean) + b[i]).collect();
        let covariance = matmul(matmul(a.view(), self.covariance.view()).view(), a.view().t());
        Gaussian::new(mean, symmetric(covariance))
    }

    /// The law of the sum of two independent vectors.
    pub fn plus(&self, other: &Gaussian) -> Result<Gaussian> {
        same("dimensions of the other law", self.dim(), other.dim())?;
        let mean = self.mean.iter().zip(&other.mean).map(|(a, b)| a + b).collect();
        Ok(Gaussian { mean, covariance: sum(&self.covariance, &other.covariance) })
    }

    /// The joint law of x and y = Ax + b + ε with independent noise ε: first x, then y.
    pub fn joined(&self, a: &Mat, b: &[f64], noise: &Mat) -> Result<Gaussian> {
        let (d, m) = (self.dim(), a.n_rows());
        square("noise", noise, m)?;
        let y = self.map(a, b)?;
        let across = matmul(a.view(), self.covariance.view());
        let at = |i: usize, j: usize| match (i < d, j < d) {
            (true, true) => self.covariance[(i, j)],
            (false, true) => across[(i - d, j)],
            (true, false) => across[(j - d, i)],
            (false, false) => y.covariance[(i - d, j - d)] + noise[(i - d, j - d)],
        };
        let mean = self.mean.iter().chain(&y.mean).copied().collect();
        Gaussian::new(mean, symmetric(Mat::from_fn(d + m, d + m, at)))
    }

    /// The logarithm of the density as a quadratic function, for a positive definite covariance.
    pub fn quadratic(&self) -> Result<Quadratic> {
        let factor = factor(&self.covariance)?;
        let b = factor.solve_vec(&self.mean);
        let c = -0.5 * (dot(&self.mean, &b) + self.dim() as f64 * (2.0 * PI).ln() + factor.log_det());
        Ok(Quadratic { a: symmetric(factor.inverse()), b, c })
    }

    /// The law that the product of two densities is proportional to, and the logarithm of the product's integral, which is
    /// $ \ln N(\mu_1;\ \mu_2,\ \Sigma_1 + \Sigma_2) $.
    pub fn product(&self, other: &Gaussian) -> Result<(Gaussian, f64)> {
        same("dimensions of the other law", self.dim(), other.dim())?;
        self.quadratic()?.times(&other.quadratic()?)?.complete()
    }

    /// Mean and variance of xᵀAx for a symmetric A: tr AΣ + μᵀAμ, and 2 tr AΣAΣ + 4 μᵀAΣAμ.
    pub fn quadratic_form(&self, a: &Mat) -> Result<(f64, f64)> {
        square("A", a, self.dim())?;
        let spread = matmul(a.view(), self.covariance.view());
        let twice = matmul(spread.view(), spread.view());
        let trace = |m: &Mat| (0..m.n_rows()).map(|i| m[(i, i)]).sum::<f64>();
        let pulled: Vec<f64> = (0..self.dim()).map(|i| dot(a.row(i), &self.mean)).collect();
        let spread_of: Vec<f64> = (0..self.dim()).map(|i| dot(self.covariance.row(i), &pulled)).collect();
        Ok((trace(&spread) + dot(&pulled, &self.mean), 2.0 * trace(&twice) + 4.0 * dot(&pulled, &spread_of)))
    }

    fn block(&self, rows: &[usize], cols: &[usize]) -> Mat {
        Mat::from_fn(rows.len(), cols.len(), |i, j| self.covariance[(rows[i], cols[j])])
    }

    fn places(&self, what: &str, places: &[usize]) -> Result<()> {
        for (at, &j) in places.iter().enumerate() {
            if j >= self.dim() || places[..at].contains(&j) {
                let expected = format!("different places below {}", self.dim());
                return Err(Error::param(NAME, what, expected, j));
            }
        }
        Ok(())
    }
}

fn same(what: &str, expected: usize, got: usize) -> Result<()> {
    if expected == got { Ok(()) } else { Err(Error::shape(what, expected, got)) }
}

/// Refuses what is no symmetric matrix of this size.
pub(crate) fn square(what: &str, a: &Mat, d: usize) -> Result<()> {
    same(&format!("rows of {what}"), d, a.n_rows())?;
    same(&format!("columns of {what}"), d, a.n_cols())?;
    let largest = a.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for i in 0..d {
        for j in 0..=i {
            let apart = (a[(i, j)] - a[(j, i)]).abs();
            if apart.is_nan() || apart > 1e-10 * largest {
                let got = format!("{} at ({i}, {j}) and {} at ({j}, {i})", a[(i, j)], a[(j, i)]);
                return Err(Error::param(NAME, what, "finite and symmetric", got));
            }
        }
    }
    Ok(())
}

pub(crate) fn factor(a: &Mat) -> Result<Cholesky> {
    Cholesky::new(a)
        .ok_or_else(|| Error::numeric(NAME, "the matrix is not positive definite: it has no Cholesky factor"))
}

fn sum(a: &Mat, b: &Mat) -> Mat {
    Mat::from_fn(a.n_rows(), a.n_cols(), |i, j| a[(i, j)] + b[(i, j)])
}

fn symmetric(mut a: Mat) -> Mat {
    symmetrise(&mut a);
    a
}
