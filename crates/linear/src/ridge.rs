//! Ridge regression: least squares with an L2 penalty.
//!
//! # Objective
//! $$ \min_{w,b}\ \tfrac12\sum_i s_i (y_i - x_i^\top w - b)^2 + \tfrac{\alpha}{2}\lVert w\rVert_2^2 $$
//! with sample weights $s_i$; the intercept $b$ is not penalised. Each of several targets may have an $\alpha$ of its own.
//!
//! # Algorithm
//! Primal: Cholesky of the centred $X^\top SX + \alpha I$, from sums over blocks of rows. Dual, when there are
//! fewer rows than features: Cholesky of $XX^\top + \alpha S^{-1}$ (Woodbury's identity). Where $\alpha = 0$
//! leaves the system singular, the minimum-norm solution from the eigenvalues of $X^\top SX$. Sparse rows with
//! many features: conjugate gradients that never form a dense matrix. By choice: LSQR, gradient descent, the stochastic
//! average gradient and SAGA, and for positive coefficients L-BFGS within bounds; all on the rows as they are.
//!
//! # Complexity
//! Time O(n d² + d³) primal, O(n² d + n³) dual, O(nnz) an iteration sparse; memory O(min(n, d)²) beyond the data.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::Ridge;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 3.0, 5.0, 7.0]))?;
//! let model = Ridge::default().alpha(0.0).fit(&data)?;
//! assert!((model.coef[(0, 0)] - 2.0).abs() < 1e-12 && (model.intercept[0] - 1.0).abs() < 1e-12);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Blocks are centred at their own means before products are formed, so that features far from zero lose no
//! digits. The normal equations square the condition number: the certificate shows the gradient that is left.
//!
//! # References
//! - A. E. Hoerl, R. W. Kennard. Ridge regression. Technometrics 12(1), 1970. doi:10.1080/00401706.1970.10488634
//! - M. R. Hestenes, E. Stiefel. Methods of conjugate gradients. J. Res. NBS 49, 1952. doi:10.6028/jres.049.044

mod classifier;
mod cv;
mod iterative;
mod penalties;
mod spectrum;
mod stochastic;

pub use classifier::{RidgeClassifier, RidgeClassifierModel};
pub use cv::{GcvMode, RidgeCV, RidgeClassifierCV, RidgeClassifierCvModel, RidgeCvModel, RidgeCvParams};
pub use penalties::Penalties;
pub use spectrum::RidgePath;

use crate::centred::{Centred, certificate, column_norm};
use crate::intercept::InterceptParams;
use crate::linear_model::{LinearRegressionModel, larger, relative_gradient};
use crate::squares::nonnegative::nonnegative;
use crate::squares::normal::{minimum_norm, well_conditioned};
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{
    Capabilities, Certificate, Choice, CrossMoments, Dataset, Error, Learn, NumbersRef, ParamGroup,
    ParamType, Params, Result, Session, Termination,
};
use mercer_math::{Cholesky, Mat, svd, symmetrise};

/// How [`Ridge`] solves its equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum RidgeSolver {
    /// Whichever is fastest for the shape of the data.
    Auto,
    /// Cholesky of the features' Gram matrix.
    Cholesky,
    /// Cholesky of the rows' Gram matrix.
    Dual,
    /// Eigenvalues of the features' Gram matrix: the minimum-norm solution where there are many.
    Svd,
    /// Conjugate gradients, without forming a matrix.
    SparseCg,
    /// Golub and Kahan's bidiagonalisation of the rows, which does not square their condition number.
    Lsqr,
    /// Gradient descent with the steps of Barzilai and Borwein.
    GradientDescent,
    /// The stochastic average gradient: one row at a time, drawn at random.
    Sag,
    /// Its unbiased twin.
    Saga,
    /// L-BFGS within bounds, for coefficients that may not be negative.
    Lbfgs,
}

/// The penalty of ridge regression, and how it is solved.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct RidgeParams {
    /// Strength of the L2 penalty, or a list with one for each target; 0 is ordinary least squares.
    #[param(name = "alpha", default = Penalties::One(1.0), range = "[0, inf)", search = "log 1e-4..1e4")]
    pub alphas: Penalties,
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// How the equations are solved.
    #[param(default = RidgeSolver::Auto)]
    pub solver: RidgeSolver,
    /// Iteration limit of solvers that iterate; none means ten for each feature (conjugate gradients, LSQR), 1000 passes (SAG,
    /// SAGA), 15000 steps (L-BFGS) or 20000 (gradient descent).
    #[param(default = None, range = "[1, inf)")]
    pub max_iter: Option<usize>,
    /// Gradient, relative to that of zero coefficients, at which solvers that iterate stop.
    #[param(default = 1e-8, range = "[0, inf)")]
    pub tol: f64,
    /// Whether coefficients may not be negative: exactly by pivoting (auto), or by L-BFGS.
    #[param(default = false)]
    pub positive: bool,
}

/// Ridge regression: least squares with an L2 penalty.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "ridge",
    canon = "L1 L2",
    task = Regression,
    python = "linear_model",
    quick = "",
    explain = "",
    best = "alpha=0.1 | | alpha=10",
    tried = "| solver=sparse_cg,tol=1e-10 | positive=true | solver=lsqr,tol=1e-12 | solver=gradient_descent,tol=1e-10 | solver=saga,tol=1e-10 | solver=lbfgs,positive=true,tol=1e-10",
    session = "random_state",
    mixins = "RidgeMixin SolverMixin",
    door = "copy_X=True",
    can = "weights sparse multi_output by_sums scaled explain",
    references = "Hoerl, Kennard. Ridge regression. Technometrics 12(1), 1970."
)]
pub struct Ridge {
    /// The penalty, and how it is solved.
    #[param(flatten)]
    pub params: RidgeParams,
}

impl RidgeParams {
    pub(crate) fn check(&self, who: &str) -> Result<()> {
        if self.positive && !matches!(self.solver, RidgeSolver::Auto | RidgeSolver::Lbfgs) {
            return Err(Error::param(
                who,
                "solver",
                "auto or lbfgs for positive coefficients",
                self.solver.to_value(),
            ));
        }
        if self.alphas.all().is_empty() {
            return Err(Error::param(who, "alpha", "a number, or a list of at least one", "[]"));
        }
        Ok(())
    }
}

impl Ridge {
    /// Strength of the L2 penalty, of all targets.
    #[must_use]
    pub fn alpha(self, alpha: f64) -> Self {
        self.alphas(Penalties::One(alpha))
    }
}

impl Learn for Ridge {
    type Model = LinearRegressionModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LinearRegressionModel> {
        let sparse = data.whole_input().rows(Self::NAME)?.is_sparse();
        let (n, d) = (data.n_rows(), data.n_features());
        match self.params.solver {
            RidgeSolver::Auto if self.params.positive && sparse && d > DENSE_LIMIT => {
                self.iterate(data, RidgeSolver::Lbfgs, session)
            }
            RidgeSolver::Auto if self.params.positive => sums::fit(Self::NAME, self, data, session),
            RidgeSolver::SparseCg
            | RidgeSolver::Lsqr
            | RidgeSolver::GradientDescent
            | RidgeSolver::Sag
            | RidgeSolver::Saga
            | RidgeSolver::Lbfgs => self.iterate(data, self.params.solver, session),
            RidgeSolver::Auto if sparse && d > DENSE_LIMIT => {
                self.iterate(data, RidgeSolver::SparseCg, session)
            }
            RidgeSolver::Dual => self.dual(data),
            // Duplicated rows or α = 0 can leave the dual singular; the primal has a fallback for that.
            RidgeSolver::Auto if n < d && self.params.alphas.least() > 0.0 && !sparse => self.dual(data),
            _ => sums::fit(Self::NAME, self, data, session),
        }
    }

    /// Only the primal is a sum over rows.
    fn capabilities(&self) -> Capabilities {
        let primal =
            matches!(self.params.solver, RidgeSolver::Auto | RidgeSolver::Cholesky | RidgeSolver::Svd);
        let sparse = self.params.solver != RidgeSolver::Dual;
        let random = matches!(self.params.solver, RidgeSolver::Sag | RidgeSolver::Saga);
        Capabilities { by_sums: primal, sparse, random, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.params.check(Self::NAME)?;
        self.check_params()
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        self.capabilities()
            .by_sums
            .then(|| sums::fit_stream(Self::NAME, &self.capabilities(), self, batches, session))
    }
}

/// Sparse rows with more features than this are never made dense.
pub(crate) const DENSE_LIMIT: usize = 2000;

impl BySums for Ridge {
    type State = (usize, usize);
    type Summary = CrossMoments;
    type Local = ();
    type Model = LinearRegressionModel;

    fn begin(&self, shape: &Shape, _session: &Session) -> Result<Self::State> {
        Ok((shape.n_features, shape.n_targets))
    }

    fn empty(&self, &(n_features, n_targets): &Self::State) -> CrossMoments {
        CrossMoments::empty(n_features, n_targets)
    }

    fn absorb(
        &self,
        _: &Self::State,
        block: &Block<'_>,
        _: &mut (),
        summary: &mut CrossMoments,
    ) -> Result<()> {
        self.merge(summary, CrossMoments::of_block(block));
        Ok(())
    }

    fn merge(&self, into: &mut CrossMoments, other: CrossMoments) {
        into.merge(other);
    }

    fn advance(
        &self,
        _: Self::State,
        moments: CrossMoments,
        _: &Session,
    ) -> Result<Round<Self::State, Self::Model>> {
        let means = moments.mean_x.clone();
        let mut moments = if self.params.intercept.fit_intercept { moments } else { moments.about_zero() };
        symmetrise(&mut moments.xx);
        let model = self.primal(&moments)?;
        Ok(Round::Done(LinearRegressionModel { means, ..model }))
    }
}

impl Ridge {
    /// min_w ½ wᵀ(S + αI)w − cᵀw for each target, with S = Σ s (x−x̄)(x−x̄)ᵀ and c = Σ s (x−x̄)(y−ȳ).
    ///
    /// Cholesky where S + αI is safely positive definite, else the pseudo-inverse by eigenvalues.
    fn primal(&self, moments: &CrossMoments) -> Result<LinearRegressionModel> {
        let (d, t) = (moments.mean_x.len(), moments.mean_y.len());
        let alphas = self.params.alphas.of_targets(t)?;
        if self.params.positive {
            return self.pivoted(&alphas, moments);
        }
        let (mut w, mut rank, mut solver) = (Mat::zeros(d, t), d, "cholesky");
        for (alpha, targets) in penalties::groups(&alphas) {
            let mut a = moments.xx.clone();
            (0..d).for_each(|j| a[(j, j)] += alpha);
            let mut own = Mat::from_fn(d, targets.len(), |j, k| moments.xy[(j, targets[k])]);
            let factor = match self.params.solver {
                RidgeSolver::Svd => None,
                _ => Cholesky::new(&a).filter(|c| well_conditioned(c, &a)),
            };
            if let Some(cholesky) = factor {
                cholesky.solve(&mut own);
            } else {
                let found = minimum_norm(&a, &own).ok_or_else(|| {
                    Error::numeric(Self::NAME, "the Gram matrix has no eigenvalues: values too large")
                })?;
                (own, rank, solver) = (found.0, rank.min(found.1), "svd");
            }
            targets.iter().enumerate().for_each(|(at, &k)| (0..d).for_each(|j| w[(j, k)] = own[(j, at)]));
        }
        let (relative, objective, gap) = self.standing(moments, &w);
        let mut certificate = certificate(Termination::Exact, relative, objective);
        if self.params.alphas.least() > 0.0 && gap.is_finite() {
            certificate = certificate
                .with_note(format!("strong convexity: the objective is within {gap:.1e} of its minimum"));
        }
        if rank < d {
            certificate = certificate.with_note(format!(
                "the features have rank {rank} of {d}: of all solutions, the one of least norm"
            ));
        }
        self.model(w, (&moments.mean_x, &moments.mean_y), solver, certificate)
    }

    /// The same with w ≥ 0.
    fn pivoted(&self, alphas: &[f64], moments: &CrossMoments) -> Result<LinearRegressionModel> {
        let (a, d, t) = (&moments.xx, moments.xx.n_rows(), moments.mean_y.len());
        let (mut w, mut exchanges, mut termination) = (Mat::zeros(d, t), 0, Termination::Exact);
        // What varies by less than rounding about its mean does not vary.
        let varies = |j: usize| moments.xx[(j, j)] > (4e-15 * moments.mean_x[j]).powi(2) * moments.weight;
        for (k, alpha) in alphas.iter().enumerate() {
            // In the units of the columns, so that squares of extreme ones are not compared with others.
            let own = |i: usize, j: usize| a[(i, j)] + if i == j { *alpha } else { 0.0 };
            let unit: Vec<f64> =
                (0..d).map(|j| own(j, j).sqrt()).map(|u| if u > 0.0 { u } else { 1.0 }).collect();
            let h = Mat::from_fn(d, d, |i, j| own(i, j) / unit[i] / unit[j]);
            let f: Vec<f64> =
                (0..d).map(|j| if varies(j) { moments.xy[(j, k)] / unit[j] } else { 0.0 }).collect();
            let (found, n, done) = nonnegative(&h, &f, |_| false);
            found.iter().enumerate().for_each(|(j, v)| w[(j, k)] = v / unit[j]);
            exchanges += n;
            termination = if done { termination } else { Termination::Stalled };
        }
        let (relative, objective, _) = self.standing(moments, &w);
        let certificate = certificate(termination, relative, objective).with_iterations(exchanges as u64);
        self.model(w, (&moments.mean_x, &moments.mean_y), "pivoting", certificate)
    }

    /// The largest relative gradient from moments, the objective, and how far it is above its minimum at most.
    fn standing(&self, m: &CrossMoments, w: &Mat) -> (f64, f64, f64) {
        let d = w.n_rows();
        let norms: Vec<f64> = (0..d).map(|j| column_norm(m.xx[(j, j)], m.mean_x[j], m.weight)).collect();
        let (mut relative, mut above, mut objective) = (0.0f64, 0.0, 0.0);
        for k in 0..w.n_cols() {
            let (wk, xy, alpha) = (w.col(k), m.xy.col(k), self.params.alphas.of(k));
            let size = (m.yy[k] + m.weight * m.mean_y[k] * m.mean_y[k]).sqrt();
            objective += 0.5 * m.yy[k];
            let gradient = |j: usize| {
                let sw = mercer_math::dot(m.xx.row(j), &wk);
                objective += wk[j] * (0.5 * (sw + alpha * wk[j]) - xy[j]);
                let g = sw + alpha * wk[j] - xy[j];
                // At a lower bound only what points below it is a fault.
                if self.params.positive && wk[j] == 0.0 { g.min(0.0) } else { g }
            };
            let gradient: Vec<f64> = (0..d).map(gradient).collect();
            above += mercer_math::dot(&gradient, &gradient) / (2.0 * alpha);
            relative = larger(relative, relative_gradient(&gradient, &xy, &norms, size));
        }
        (relative, objective, above)
    }

    fn model(
        &self,
        w: Mat,
        means: (&[f64], &[f64]),
        solver: &str,
        certificate: Certificate,
    ) -> Result<LinearRegressionModel> {
        let model = LinearRegressionModel::about(Self::NAME, &w, means, certificate)?;
        let (fit_intercept, positive) = (self.params.intercept.fit_intercept, self.params.positive);
        let (alpha, alphas) = match &self.params.alphas {
            Penalties::One(alpha) => (*alpha, Vec::new()),
            Penalties::Several(alphas) => (alphas.first().copied().unwrap_or(0.0), alphas.clone()),
        };
        Ok(LinearRegressionModel {
            alpha,
            alphas,
            fit_intercept,
            positive,
            solver: solver.to_owned(),
            ..model
        })
    }

    /// w = Xᵀ (XXᵀ + αS⁻¹)⁻¹ y on centred data: Woodbury's identity, an n × n system instead of d × d.
    fn dual(&self, data: &Dataset<'_>) -> Result<LinearRegressionModel> {
        let centred = Centred::new(self.params.intercept.fit_intercept, data)?;
        let NumbersRef::Dense(x) = centred.x.view() else {
            return Err(Error::incapable(Self::NAME, "solve the dual of sparse rows; use solver=sparse_cg"));
        };
        let mut rows = x.to_mat();
        for i in 0..rows.n_rows() {
            let root = centred.weight(i).sqrt();
            rows.row_mut(i).iter_mut().zip(&centred.mean_x).for_each(|(v, m)| *v = root * (*v - m));
        }
        let products = mercer_math::matmul_parallel(rows.view(), rows.view().t());
        let alphas = self.params.alphas.of_targets(centred.y.len())?;
        let mut w = Mat::zeros(rows.n_cols(), alphas.len());
        for (alpha, targets) in penalties::groups(&alphas) {
            let mut gram = products.clone();
            (0..gram.n_rows()).for_each(|i| gram[(i, i)] += alpha);
            let y = Mat::from_fn(rows.n_rows(), targets.len(), |i, k| {
                centred.weight(i).sqrt() * centred.y[targets[k]][i]
            });
            let own = match Cholesky::new(&gram).filter(|c| well_conditioned(c, &gram)) {
                Some(cholesky) => {
                    let mut dual = y;
                    cholesky.solve(&mut dual);
                    mercer_math::matmul(rows.view().t(), dual.view())
                }
                // Squares of singular values lose half of their digits, so that the rows themselves are taken apart.
                None => singular(&rows, &y, alpha).ok_or_else(|| {
                    Error::numeric(Self::NAME, "the rows have no singular values: values too large")
                })?,
            };
            let each = targets.iter().enumerate();
            each.for_each(|(at, &k)| (0..own.n_rows()).for_each(|j| w[(j, k)] = own[(j, at)]));
        }
        let certificate = centred.certificate(&alphas, &w, None, Termination::Exact);
        let model = self.model(w, (&centred.mean_x, &centred.mean_y), "dual", certificate)?;
        Ok(LinearRegressionModel { means: centred.means, ..model })
    }
}

/// w = V (Σ² + αI)⁻¹ Σ Uᵀ y of rows X = UΣVᵀ; of all solutions, that of least norm.
fn singular(rows: &Mat, y: &Mat, alpha: f64) -> Option<Mat> {
    let svd = svd(rows.view())?;
    let largest = svd.s.first().copied().unwrap_or(0.0);
    let cut = largest * rows.n_rows().max(rows.n_cols()) as f64 * f64::EPSILON;
    let mut projected = mercer_math::matmul(svd.u.view().t(), y.view());
    for (i, &s) in svd.s.iter().enumerate() {
        let factor = if s > cut { 1.0 / (s + alpha / s) } else { 0.0 };
        projected.row_mut(i).iter_mut().for_each(|v| *v *= factor);
    }
    Some(mercer_math::matmul(svd.vt.view().t(), projected.view()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::{Fit, Target};
    use mercer_math::{Csr, normal, rng_for};
    use mercer_testkit::assert_close;

    fn problem(n: usize, d: usize, offset: f64) -> (Mat, Vec<f64>, Vec<f64>) {
        let mut rng = rng_for(1, 0);
        let x = Mat::from_fn(n, d, |_, _| offset + normal(&mut rng));
        let w: Vec<f64> = (0..d).map(|_| normal(&mut rng)).collect();
        let y = (0..n).map(|i| 3.0 + mercer_math::dot(x.row(i), &w) + 0.1 * normal(&mut rng)).collect();
        let weights = (0..n).map(|i| f64::from((i % 3) as u32)).collect();
        (x, y, weights)
    }

    #[test]
    fn every_solver_finds_the_same_optimum() {
        for (n, d) in [(60, 7), (12, 30)] {
            let (x, y, weights) = problem(n, d, 5.0);
            let data = Dataset::new(&x).with_target(Target::real(y)).unwrap().with_weights(weights).unwrap();
            for intercept in [true, false] {
                let ridge = Ridge::default().alpha(0.7).fit_intercept(intercept).tol(1e-14);
                let exact = ridge.clone().solver(RidgeSolver::Svd).fit(&data).unwrap();
                for solver in
                    [RidgeSolver::Auto, RidgeSolver::Cholesky, RidgeSolver::Dual, RidgeSolver::SparseCg]
                {
                    let model = ridge.clone().solver(solver).fit(&data).unwrap();
                    assert_close(model.coef.as_slice(), exact.coef.as_slice(), 1e-10, "ridge");
                    assert_close(&model.intercept, &exact.intercept, 1e-10, "ridge");
                    assert!(
                        model.certificate().evidence[0].value < 1e-9,
                        "{solver:?}: {}",
                        model.certificate()
                    );
                    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
                }
            }
        }
    }

    #[test]
    fn sparse_rows_give_the_dense_answer() {
        let (mut x, y, _) = problem(50, 6, 0.0);
        x.as_mut_slice().iter_mut().enumerate().for_each(|(i, v)| *v = if i % 3 == 0 { *v } else { 0.0 });
        let csr = Csr::from_dense(x.view());
        let dense =
            Ridge::default().fit(&Dataset::new(&x).with_target(Target::real(y.clone())).unwrap()).unwrap();
        for solver in [RidgeSolver::Auto, RidgeSolver::SparseCg] {
            let data = Dataset::new(&csr).with_target(Target::real(y.clone())).unwrap();
            let sparse = Ridge::default().solver(solver).tol(1e-14).fit(&data).unwrap();
            assert_close(sparse.coef.as_slice(), dense.coef.as_slice(), 1e-9, "ridge");
        }
    }

    #[test]
    fn without_penalty_duplicated_features_share_their_weight() {
        let x = Mat::from_fn(10, 2, |i, _| i as f64);
        let y: Vec<f64> = (0..10).map(|i| 4.0 * i as f64).collect();
        let model =
            Ridge::default().alpha(0.0).fit(&Dataset::new(&x).with_target(Target::real(y)).unwrap()).unwrap();
        assert_close(model.coef.as_slice(), &[2.0, 2.0], 1e-9, "ridge");
        assert!(model.certificate().notes[0].contains("rank 1 of 2"));
    }

    #[test]
    fn any_cut_of_the_rows_gives_the_same_model() {
        let (x, y, weights) = problem(5000, 4, 100.0);
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap().with_weights(weights).unwrap();
        let whole = Ridge::default().fit(&data).unwrap();
        for batch in [1, 777, 2048, 9999] {
            let mut batches = sums::MemoryBatches::new(&data, batch);
            let streamed = Ridge::default().fit_stream(&mut batches, &Session::default()).unwrap();
            assert_eq!(streamed.coef, whole.coef, "identical bits at batches of {batch}");
        }
        let cuts: Vec<_> =
            [0..10, 10..3000, 3000..5000].map(|r| data.subset(&r.collect::<Vec<_>>()).unwrap()).into();
        let distributed =
            sums::fit_partitions("Ridge", &Ridge::default(), &cuts, &Session::default()).unwrap();
        assert_close(distributed.coef.as_slice(), whole.coef.as_slice(), 1e-9, "ridge");
    }
}
