//! Ordinary least squares.
//!
//! # Objective
//! $$ \min_{w,b}\ \tfrac12\sum_i s_i (y_i - x_i^\top w - b)^2 $$
//! with sample weights $s_i$, and $w \ge 0$ where `positive`. Of several solutions, that of least norm.
//!
//! # Algorithm
//! By sums over blocks of rows, in rounds. The first sums centred moments; where no column is nearly a combination of
//! the others (variance inflation below a thousand), Cholesky's factor of the correlations gives the coefficients. Else a
//! second round makes R of Householder's QR decomposition of the rows, block by block, and a triangle solves them; where
//! that is singular to rounding, its singular values give the solution of least norm. Every regular solution is refined by
//! the residuals of one more round, after QR with twice the digits and until nothing moves. Non-negative coefficients
//! come from the triangle by block principal pivoting. Sparse rows with many features: conjugate gradients.
//!
//! # Complexity
//! O(n d²) once and O(n d) a round of refinement, twice the first for QR; memory O(d²) beyond the data.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LinearRegression;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 3.1, 4.9, 7.0]))?;
//! let model = LinearRegression::default().fit(&data)?;
//! assert!((model.coef()[(0, 0)] - 1.98).abs() < 1e-12);
//! let slope = &model.summary()?.coefficients[1];
//! assert!(slope.p_value < 0.001 && slope.lower < 2.0 && 2.0 < slope.upper);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Columns are taken about their means and divided by powers of two, so that neither offsets nor units cost digits; the rank
//! is judged after that. Columns that do not vary have coefficient zero. On the certified problems of NIST the
//! coefficients and their standard deviations are right to twelve digits or more, but for Filip's polynomial of degree ten,
//! where the given powers are rounded: seven.
//!
//! # References
//! - G. H. Golub, C. F. Van Loan. Matrix Computations. 4th ed., 2013.
//! - J. Demmel, L. Grigori, M. Hoemmen, J. Langou. Communication-optimal parallel and sequential QR. SIAM J. Sci. Comput.
//!   34(1), 2012. doi:10.1137/080731992
//! - Å. Björck. Stability analysis of the method of seminormal equations. Linear Algebra Appl. 88, 1987.
//!   doi:10.1016/0024-3795(87)90101-7

use super::frame::{Frame, ResidualSums, stacked};
use super::model::LeastSquaresModel;
use super::nonnegative::nonnegative;
use super::triangle::Reduced;
use crate::centred::certificate;
use crate::intercept::InterceptParams;
use crate::linear_model::larger;
use crate::ridge::{DENSE_LIMIT, Ridge, RidgeSolver};
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{
    Capabilities, Certificate, CrossMoments, Dataset, Error, Learn, Params, Result, Session, Termination,
};
use mercer_math::{Cholesky, Mat, eigvalsh, symmetrise};
use serde::{Deserialize, Serialize};

/// Ordinary least squares.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "linear-regression ols least-squares",
    canon = "L1",
    task = Regression,
    python = "linear_model",
    explain = "",
    tried = "| positive=true",
    session = "n_jobs",
    door = "copy_X=True",
    can = "weights sparse multi_output by_sums explain summary",
    references = "Golub, Van Loan. Matrix Computations. 4th ed., 2013."
)]
pub struct LinearRegression {
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// Relative residual at which conjugate gradients on wide sparse rows stop; all else is exact.
    #[param(default = 1e-6, range = "(0, 1)")]
    pub tol: f64,
    /// Whether coefficients may not be negative; for dense rows.
    #[param(default = false)]
    pub positive: bool,
}

/// Beyond this variance inflation of a column the moments are not trusted.
const MOST_INFLATED: f64 = 1e3;
/// Most rounds of refinement after QR.
const MOST_REFINED: usize = 5;

impl Learn for LinearRegression {
    type Model = LeastSquaresModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LeastSquaresModel> {
        let sparse = data.whole_input().rows(Self::NAME)?.is_sparse();
        let (n, d) = (data.n_rows(), data.n_features());
        if sparse && d > DENSE_LIMIT {
            let ridge = Ridge::default().alpha(0.0).fit_intercept(self.intercept.fit_intercept).tol(self.tol);
            let linear = ridge.solver(RidgeSolver::SparseCg).learn(data, session)?;
            return Ok(LeastSquaresModel::iterated(linear));
        }
        if n <= d && !sparse {
            return self.wide(data);
        }
        sums::fit(Self::NAME, self, data, session)
    }

    fn capabilities(&self) -> Capabilities {
        let positive = self.positive;
        let own = Self::declaration().capabilities;
        Capabilities { sparse: !positive, summary: !positive, ..own }
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        Some(sums::fit_stream(Self::NAME, &self.capabilities(), self, batches, session))
    }
}

/// What every worker needs to know in a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum LeastSquaresState {
    /// Moments of some features and targets are summed.
    Moments {
        /// Features.
        n_features: usize,
        /// Targets.
        n_targets: usize,
    },
    /// The triangle of the rows is made.
    Triangle(Box<Frame>),
    /// Residuals of coefficients are summed, with twice the digits after QR.
    Residual(Box<Refining>),
}

/// Coefficients that are refined.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refining {
    frame: Frame,
    r: Mat,
    inverse: Mat,
    u: Mat,
    careful: bool,
    round: usize,
}

/// What a block contributes to a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum LeastSquaresSums {
    /// Centred moments.
    Moments(CrossMoments),
    /// R of the rows.
    Triangle(Mat),
    /// Sums over residuals.
    Residual(ResidualSums),
}

impl BySums for LinearRegression {
    type State = LeastSquaresState;
    type Summary = LeastSquaresSums;
    type Local = ();
    type Model = LeastSquaresModel;

    fn begin(&self, shape: &Shape, _: &Session) -> Result<Self::State> {
        Ok(LeastSquaresState::Moments { n_features: shape.n_features, n_targets: shape.n_targets })
    }

    fn empty(&self, state: &Self::State) -> LeastSquaresSums {
        match state {
            LeastSquaresState::Moments { n_features, n_targets } => {
                LeastSquaresSums::Moments(CrossMoments::empty(*n_features, *n_targets))
            }
            LeastSquaresState::Triangle(frame) => {
                LeastSquaresSums::Triangle(Mat::zeros(0, frame.width() + frame.mean_y.len()))
            }
            LeastSquaresState::Residual(at) => {
                LeastSquaresSums::Residual(ResidualSums::empty(at.u.n_rows(), at.frame.width()))
            }
        }
    }

    fn absorb(
        &self,
        state: &Self::State,
        block: &Block<'_>,
        _: &mut (),
        summary: &mut LeastSquaresSums,
    ) -> Result<()> {
        let part = match state {
            LeastSquaresState::Moments { .. } => LeastSquaresSums::Moments(CrossMoments::of_block(block)),
            LeastSquaresState::Triangle(frame) => LeastSquaresSums::Triangle(frame.triangle(block)),
            LeastSquaresState::Residual(at) => {
                let mut sums = ResidualSums::empty(at.u.n_rows(), at.frame.width());
                match at.careful {
                    true => at.frame.careful_residual(block, &at.u, &mut sums),
                    false => at.frame.residual(block, &at.u, &mut sums),
                }
                LeastSquaresSums::Residual(sums)
            }
        };
        self.merge(summary, part);
        Ok(())
    }

    fn merge(&self, into: &mut LeastSquaresSums, other: LeastSquaresSums) {
        match (into, other) {
            (LeastSquaresSums::Moments(a), LeastSquaresSums::Moments(b)) => a.merge(b),
            (LeastSquaresSums::Triangle(a), LeastSquaresSums::Triangle(b)) => {
                *a = if a.n_rows() == 0 { b } else { stacked(std::mem::take(a), b) };
            }
            (LeastSquaresSums::Residual(a), LeastSquaresSums::Residual(b)) => a.merge(&b),
            // Summaries of one round are of one kind; a stranger's bytes are left out.
            (
                LeastSquaresSums::Moments(_) | LeastSquaresSums::Triangle(_) | LeastSquaresSums::Residual(_),
                _,
            ) => {}
        }
    }

    fn advance(
        &self,
        state: Self::State,
        summary: LeastSquaresSums,
        _: &Session,
    ) -> Result<Round<Self::State, Self::Model>> {
        match (state, summary) {
            (LeastSquaresState::Moments { .. }, LeastSquaresSums::Moments(moments)) => {
                self.by_moments(moments)
            }
            (LeastSquaresState::Triangle(frame), LeastSquaresSums::Triangle(triangle)) => {
                self.by_triangle(*frame, &triangle)
            }
            (LeastSquaresState::Residual(at), LeastSquaresSums::Residual(sums)) => self.refined(*at, &sums),
            _ => Err(Error::format("a summary of another round")),
        }
    }
}

impl LinearRegression {
    /// Coefficients from Cholesky's factor of the correlations, to be refined; or a round for the triangle.
    fn by_moments(&self, moments: CrossMoments) -> Result<Round<LeastSquaresState, LeastSquaresModel>> {
        let means = moments.mean_x.clone();
        let mut moments = if self.intercept.fit_intercept { moments } else { moments.about_zero() };
        symmetrise(&mut moments.xx);
        if moments.xx.view().find_non_finite().is_some() || moments.yy.iter().any(|v| !v.is_finite()) {
            return Err(overflow());
        }
        let mut frame = Frame::of(&moments, means, self.intercept.fit_intercept);
        let (used, unit, first) = (&frame.used, &frame.unit, usize::from(self.intercept.fit_intercept));
        let scaled = |i: usize, j: usize| moments.xx[(used[i], used[j])] / unit[i] / unit[j];
        let gram = Mat::from_fn(used.len(), used.len(), scaled);
        let Some(factor) = Cholesky::new(&gram) else { return Ok(go(frame)) };
        let (l, q, root) = (factor.l(), frame.width(), frame.weight.sqrt());
        let r = Mat::from_fn(q, q, |i, j| match (i.checked_sub(first), j.checked_sub(first)) {
            (Some(i), Some(j)) => l[(j, i)],
            (None, None) => root,
            _ => 0.0,
        });
        let mut z = Mat::from_fn(used.len(), frame.mean_y.len(), |i, k| {
            moments.xy[(used[i], k)] / unit[i] / frame.unit_y[k]
        });
        factor.solve_l(&mut z);
        let explained = |k: usize| z.col(k).iter().map(|v| v * v).sum::<f64>();
        let rest = (0..z.n_cols()).map(|k| (frame.spread[k] - explained(k)).max(0.0)).collect();
        let z = Mat::from_fn(q, z.n_cols(), |i, k| i.checked_sub(first).map_or(0.0, |i| z[(i, k)]));
        let reduced = Reduced { r, z, rest };
        let Some(inverse) = reduced.inverse(frame.weight) else { return Ok(go(frame)) };
        let inflation = |j: usize| {
            let row = inverse.row(j + first);
            mercer_math::dot(row, row) * gram[(j, j)]
        };
        if !(0..used.len()).all(|j| inflation(j) <= MOST_INFLATED) {
            return Ok(go(frame));
        }
        frame.singular = singular(&moments.xx);
        if self.positive {
            return self.nonnegative(&frame, &reduced).map(Round::Done);
        }
        let u = reduced.solve();
        let at = Refining { frame, r: reduced.r, inverse, u, careful: false, round: 0 };
        Ok(Round::Go(LeastSquaresState::Residual(Box::new(at))))
    }

    /// Coefficients from R of the rows: to be refined where R is regular, else those of least norm.
    fn by_triangle(
        &self,
        mut frame: Frame,
        triangle: &Mat,
    ) -> Result<Round<LeastSquaresState, LeastSquaresModel>> {
        if triangle.view().find_non_finite().is_some() {
            return Err(overflow());
        }
        let reduced = Reduced::of(triangle, frame.width());
        let solved = reduced.least_norm(&frame, frame.weight);
        let (u, rank, values) = solved.ok_or_else(overflow)?;
        frame.singular = values;
        frame.singular.resize(frame.means.len(), 0.0);
        if self.positive {
            return self.nonnegative(&frame, &reduced).map(Round::Done);
        }
        if let Some(inverse) = reduced.inverse(frame.weight) {
            let u = reduced.solve();
            let at = Refining { frame, r: reduced.r, inverse, u, careful: true, round: 0 };
            return Ok(Round::Go(LeastSquaresState::Residual(Box::new(at))));
        }
        let gradient = self.reduced_gradient(&frame, &reduced, &u);
        let objective = objective(&frame, &reduced.rest);
        let certificate = certificate(Termination::Exact, gradient, objective).with_note(format!(
            "the features have rank {rank} of {}: of all solutions, the one of least norm",
            frame.means.len()
        ));
        self.model(&frame, &u, certificate, Some(rank)).map(Round::Done)
    }

    /// A step of refinement; the end where it moves nothing, or makes nothing better.
    fn refined(
        &self,
        mut at: Refining,
        sums: &ResidualSums,
    ) -> Result<Round<LeastSquaresState, LeastSquaresModel>> {
        let reduced = Reduced { r: at.r, z: Mat::default(), rest: Vec::new() };
        let first = usize::from(at.frame.intercept);
        let (mut moved, mut relative) = (0.0f64, 0.0f64);
        for k in 0..at.u.n_rows() {
            let g: Vec<f64> =
                sums.gradient.row(k).iter().zip(sums.low.row(k)).map(|(hi, lo)| hi + lo).collect();
            let norm = |j: usize| if j < first { at.frame.weight.sqrt() } else { 1.0 };
            let steepest = g.iter().enumerate().map(|(j, g)| (g / norm(j)).abs()).fold(0.0, larger);
            relative = larger(relative, if steepest == 0.0 { 0.0 } else { steepest / at.frame.steep[k] });
            moved = larger(moved, reduced.refine(at.u.row_mut(k), &g));
        }
        at.round += 1;
        // Steps that do not get small are those of a triangle that is too far from the rows.
        if at.careful && moved > 4.0 * f64::EPSILON && moved < 1e-3 && at.round < MOST_REFINED {
            return Ok(Round::Go(LeastSquaresState::Residual(Box::new(Refining { r: reduced.r, ..at }))));
        }
        let certificate = certificate(Termination::Exact, relative, objective(&at.frame, &sums.squares));
        let rank = at.frame.used.len();
        let model = self.model(&at.frame, &at.u, certificate, Some(rank))?;
        Ok(Round::Done(model.with_inference(&at.frame, at.inverse, &sums.squares)))
    }

    /// min ‖Ru − z‖ s.t. u ≥ 0 but for the intercept.
    fn nonnegative(&self, frame: &Frame, reduced: &Reduced) -> Result<LeastSquaresModel> {
        let (q, first) = (frame.width(), usize::from(frame.intercept));
        let part = Mat::from_fn(q - first, q - first, |i, j| reduced.r[(i + first, j + first)]);
        let h = mercer_math::matmul(part.view().t(), part.view());
        let (mut u, mut rest, mut exchanges) = (Mat::zeros(reduced.z.n_cols(), q), reduced.rest.clone(), 0);
        let (mut relative, mut termination) = (0.0f64, Termination::Exact);
        for (k, rest) in rest.iter_mut().enumerate() {
            let z = &reduced.z.col(k)[first..];
            let f = mercer_math::gemv_t(part.view(), z);
            let (w, n, done) = nonnegative(&h, &f, |_| false);
            let fitted = mercer_math::gemv(part.view(), &w);
            *rest += fitted.iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            for j in 0..w.len() {
                let g = f[j] - mercer_math::dot(h.row(j), &w);
                let g = if w[j] > 0.0 { g.abs() } else { g.max(0.0) };
                relative = larger(relative, g / frame.steep[k]);
            }
            u.row_mut(k)[first..].copy_from_slice(&w);
            exchanges += n;
            termination = if done { termination } else { Termination::Stalled };
        }
        let certificate = certificate(termination, relative, objective(frame, &rest));
        self.model(frame, &u, certificate.with_iterations(exchanges as u64), Some(frame.used.len()))
    }

    /// The largest relative gradient of coefficients by the triangle.
    fn reduced_gradient(&self, frame: &Frame, reduced: &Reduced, u: &Mat) -> f64 {
        let mut relative = 0.0;
        for k in 0..u.n_rows() {
            let mut left = mercer_math::gemv(reduced.r.view(), u.row(k));
            left.iter_mut().enumerate().for_each(|(i, v)| *v -= reduced.z[(i, k)]);
            let g = mercer_math::gemv_t(reduced.r.view(), &left);
            relative = g.iter().map(|g| g.abs() / frame.steep[k]).fold(relative, larger);
        }
        relative
    }

    fn model(
        &self,
        frame: &Frame,
        u: &Mat,
        certificate: Certificate,
        rank: Option<usize>,
    ) -> Result<LeastSquaresModel> {
        LeastSquaresModel::of(frame, u, certificate, rank, self.positive)
    }

    /// Fewer rows than columns: one triangle of all rows, without moments.
    fn wide(&self, data: &Dataset<'_>) -> Result<LeastSquaresModel> {
        let (x, weights) = (data.dense(Self::NAME)?, data.weights());
        let (frame, y) = Frame::of_rows(Self::NAME, data, x.view(), self.intercept.fit_intercept)?;
        let block = Block {
            x: mercer_core::NumbersRef::Dense(x.view()),
            targets: y.view(),
            classes: &[],
            weights: weights.as_deref().into(),
        };
        let triangle = frame.triangle(&block);
        let n = data.n_rows().min(data.n_features());
        match self.by_triangle(frame, &triangle)? {
            Round::Done(model) => Ok(model.with_singular(n)),
            Round::Go(mut state) => loop {
                let mut sums = self.empty(&state);
                self.absorb(&state, &block, &mut (), &mut sums)?;
                match self.advance(state, sums, &Session::default())? {
                    Round::Go(next) => state = next,
                    Round::Done(model) => return Ok(model.with_singular(n)),
                }
            },
        }
    }
}

fn go(frame: Frame) -> Round<LeastSquaresState, LeastSquaresModel> {
    Round::Go(LeastSquaresState::Triangle(Box::new(frame)))
}

fn overflow() -> Error {
    Error::numeric(LinearRegression::NAME, "values too large: scale the features or the target")
}

/// ½ Σ s r² over all targets, in their own units.
fn objective(frame: &Frame, squares: &[f64]) -> f64 {
    0.5 * squares.iter().zip(&frame.unit_y).map(|(s, u)| s * u * u).sum::<f64>()
}

/// Singular values by the eigenvalues of the moments.
fn singular(xx: &Mat) -> Vec<f64> {
    let values = eigvalsh(xx).unwrap_or_default();
    values.into_iter().map(|v| v.max(0.0).sqrt()).collect()
}
