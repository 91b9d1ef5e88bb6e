//! Rows centred without being touched, for the solvers of [`Pca`] that never form a covariance.

use crate::pca::{Pca, PcaComponents, PcaModel, PowerIterations, Spectrum, freedom};
use mercer_core::{Dataset, Error, NumbersRef, Params, Result, Session, rows_dot, rows_t_dot};
use mercer_math::{Mat, Weights, randomized_svd_with, svd};

/// Rows with their means subtracted implicitly, and the square roots of their weights.
pub(crate) struct Centred<'a> {
    x: mercer_core::Numbers<'a>,
    roots: Option<Vec<f64>>,
    mean: Vec<f64>,
    weight: f64,
    rank: usize,
}

impl<'a> Centred<'a> {
    pub(crate) fn new(data: &Dataset<'a>) -> Result<Self> {
        let x = data.numbers(Pca::NAME)?;
        let weights = data.weights();
        let weight = Weights::of(&weights).total(data.n_rows());
        let share: Vec<f64> = Weights::of(&weights).iter(data.n_rows()).map(|w| w / weight).collect();
        let mean = rows_t_dot(x.view(), &share);
        let rank = share.iter().filter(|s| **s > 0.0).count().min(data.n_features());
        let roots = weights.map(|w| w.iter().map(|v| v.sqrt()).collect());
        Ok(Self { x, roots, mean, weight, rank })
    }

    fn root(&self, i: usize) -> f64 {
        Weights::of(&self.roots)[i]
    }

    /// W^½ (X − 1x̄ᵀ) V.
    fn times(&self, v: &Mat) -> Mat {
        let mut out = Mat::zeros(self.x.view().n_rows(), v.n_cols());
        for k in 0..v.n_cols() {
            let column = v.col(k);
            let shift = mercer_math::dot(&self.mean, &column);
            let product = rows_dot(self.x.view(), &column);
            product.iter().enumerate().for_each(|(i, p)| out[(i, k)] = self.root(i) * (p - shift));
        }
        out
    }

    /// (X − 1x̄ᵀ)ᵀ W^½ U.
    fn transposed(&self, u: &Mat) -> Mat {
        let mut out = Mat::zeros(self.mean.len(), u.n_cols());
        for k in 0..u.n_cols() {
            let weighted: Vec<f64> = (0..u.n_rows()).map(|i| self.root(i) * u[(i, k)]).collect();
            let total: f64 = weighted.iter().sum();
            let product = rows_t_dot(self.x.view(), &weighted);
            (0..product.len()).for_each(|j| out[(j, k)] = product[j] - total * self.mean[j]);
        }
        out
    }

    fn total_variance(&self) -> f64 {
        let each = |i: usize| {
            let row = match self.x.view() {
                NumbersRef::Dense(x) => x.row_cow(i).into_owned(),
                NumbersRef::Sparse(x) => x.rows(i..i + 1).to_dense().into_vec(),
            };
            self.root(i).powi(2) * mercer_math::sq_dist(&row, &self.mean)
        };
        (0..self.x.view().n_rows()).map(each).sum::<f64>() / freedom(self.weight)
    }

    pub(crate) fn randomized(&self, pca: &Pca, session: &Session) -> Result<PcaModel> {
        let shape = (self.x.view().n_rows(), self.mean.len());
        let wanted = match pca.n_components {
            PcaComponents::Count(k) if k <= self.rank => k,
            PcaComponents::Count(k) => {
                let expected = format!("at most min(rows, features) = {}", self.rank);
                return Err(Error::param(Pca::NAME, "n_components", expected, k));
            }
            _ => self.rank,
        };
        let power = match pca.iterated_power {
            PowerIterations::Count(power) => power,
            PowerIterations::Auto if 10 * wanted < shape.0.min(shape.1) => 7,
            PowerIterations::Auto => 4,
        };
        let mut rng = session.rng(0);
        let svd = randomized_svd_with(
            shape,
            &|v| self.times(v),
            &|u| self.transposed(u),
            wanted,
            pca.n_oversamples,
            power,
            &mut rng,
        );
        self.finish(pca, svd, self.total_variance())
    }

    pub(crate) fn full(&self, pca: &Pca) -> Result<PcaModel> {
        let mut rows = match self.x.view() {
            NumbersRef::Dense(x) => x.to_mat(),
            NumbersRef::Sparse(x) => x.to_dense(),
        };
        for i in 0..rows.n_rows() {
            let root = self.root(i);
            rows.row_mut(i).iter_mut().zip(&self.mean).for_each(|(v, m)| *v = root * (*v - m));
        }
        let svd = svd(rows.view());
        let total =
            svd.as_ref().map_or(0.0, |s| s.s.iter().map(|v| v * v).sum::<f64>() / freedom(self.weight));
        self.finish(pca, svd, total)
    }

    fn finish(&self, pca: &Pca, svd: Option<mercer_math::Svd>, total: f64) -> Result<PcaModel> {
        let svd = svd.ok_or_else(|| Error::numeric(Pca::NAME, "values too large for singular values"))?;
        let kept = svd.s.len().min(self.rank);
        let freedom = freedom(self.weight);
        let spectrum = Spectrum {
            components: svd.vt.view().rows(0..kept).to_mat(),
            variances: svd.s[..kept].iter().map(|s| s * s / freedom).collect(),
            mean: self.mean.clone(),
            weight: self.weight,
            total,
            full_rank: self.rank,
        };
        pca.model(spectrum, &|v| self.covariance_times(v))
    }

    pub(crate) fn covariance_times(&self, v: &Mat) -> Mat {
        let mut out = self.transposed(&self.times(v));
        let freedom = freedom(self.weight);
        out.as_mut_slice().iter_mut().for_each(|x| *x /= freedom);
        out
    }
}
