//! Lasso and elastic net: least squares with an L1 penalty, or with L1 and L2.
//!
//! # Objective
//! $$ \min_{w,b}\ \frac{1}{2\sum_i s_i}\sum_i s_i (y_i - x_i^\top w - b)^2 + \alpha\rho\lVert w\rVert_1 +
//!    \tfrac12\alpha(1-\rho)\lVert w\rVert_2^2 $$
//! with sample weights $s_i$ and the share $\rho$ (`l1_ratio`) of the L1 penalty, 1 for the lasso; the intercept $b$
//! is not penalised.
//!
//! # Algorithm
//! Coordinate descent: on the Gram matrix, from sums over blocks of rows, where there are more rows than features,
//! else on columns with the residual kept up to date; sparse columns are centred on the way and stay sparse. Features
//! that no optimum within the duality gap can use are left out (gap-safe screening). Where descent ends, the equations
//! of the features in use are solved exactly.
//!
//! # Complexity
//! O(n d²) once and O(d²) an iteration by sums, O(n d) or O(nnz) an iteration on columns; memory O(d²) or a copy of
//! the rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::Lasso;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![-2.0, 0.0, 2.0]))?;
//! let model = Lasso::default().alpha(0.1).fit(&data)?;
//! assert!((model.coef()[0] - 1.85).abs() < 1e-12 && model.coef()[1] == 0.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Stopping is by the duality gap relative to $\lVert y\rVert^2$: the certificate says how far the objective can be
//! from its minimum, and how far the optimality conditions are from holding. `alpha = 0` is least squares by descent;
//! `Ridge` with `alpha = 0` is the better way to it.
//!
//! # References
//! - R. Tibshirani. Regression shrinkage and selection via the lasso. JRSS B 58(1), 1996.
//! - H. Zou, T. Hastie. Regularization and variable selection via the elastic net. JRSS B 67(2), 2005.
//! - J. Friedman, T. Hastie, R. Tibshirani. Regularization paths for generalized linear models via coordinate descent.
//!   JSS 33(1), 2010. doi:10.18637/jss.v033.i01
//! - E. Ndiaye, O. Fercoq, A. Gramfort, J. Salmon. Gap safe screening rules. JMLR 18(128), 2017.

use crate::coordinate_descent::{
    Budget, ByColumns, ByGram, Columns, Penalty, Quadratic, Solved, Standing, descend,
};
use crate::linear_model::LinearRegressionModel;
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{
    Attribute, Capabilities, Certificate, Choice, CrossMoments, Dataset, Error, Evidence, Fitted, Input,
    Learn, NumbersRef, ParamGroup, Params, Prediction, Result, Schema, Session, rows_t_dot,
};
use mercer_math::{Mat, Weights, dot, symmetrise};
use serde::{Deserialize, Serialize};

/// The order in which coefficients are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Visit {
    /// One after the other.
    Cyclic,
    /// Drawn at random.
    Random,
}

/// What the lasso and the elastic net share: the intercept, and how the coefficients are found.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct CoordinateDescentParams {
    /// Whether to fit an unpenalised intercept.
    #[param(default = true)]
    pub fit_intercept: bool,
    /// Most passes over the coefficients.
    #[param(default = 1000, range = "[1, inf)")]
    pub max_iter: usize,
    /// Duality gap, relative to the sum of squares of the target, at which to stop.
    #[param(default = 1e-4, range = "[0, inf)")]
    pub tol: f64,
    /// Whether coefficients may not be negative.
    #[param(default = false)]
    pub positive: bool,
    /// The order in which coefficients are visited.
    #[param(default = Visit::Cyclic)]
    pub selection: Visit,
}

/// Lasso: least squares with an L1 penalty, which sets coefficients to zero.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "lasso",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state",
    door = "precompute=False copy_X=True warm_start=False",
    can = "weights sparse by_sums scaled zeroes",
    references = "Tibshirani. Regression shrinkage and selection via the lasso. JRSS B 58(1), 1996."
)]
pub struct Lasso {
    /// Strength of the penalty.
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-4..1e2")]
    pub alpha: f64,
    /// The intercept, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
}

/// Elastic net: least squares with an L1 and an L2 penalty.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "elastic-net",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state",
    door = "precompute=False copy_X=True warm_start=False",
    can = "weights sparse by_sums scaled",
    references = "Zou, Hastie. Regularization and variable selection via the elastic net. JRSS B 67(2), 2005."
)]
pub struct ElasticNet {
    /// Strength of the penalties.
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-4..1e2")]
    pub alpha: f64,
    /// The share of the L1 penalty: 0 is ridge regression, 1 the lasso.
    #[param(default = 0.5, range = "[0, 1]", search = "linear 0..1")]
    pub l1_ratio: f64,
    /// The intercept, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
}

/// A linear regression with a penalty that the certificate speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElasticNetModel {
    linear: LinearRegressionModel,
    l1_ratio: f64,
    positive: bool,
    dual_gap: f64,
}

impl Learn for Lasso {
    type Model = ElasticNetModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetModel> {
        ElasticNet::from(self).solve(Self::NAME, data, session)
    }

    fn capabilities(&self) -> Capabilities {
        ElasticNet::from(self).capabilities()
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        let net = ElasticNet::from(self);
        Some(sums::fit_stream(Self::NAME, &self.capabilities(), &net, batches, session))
    }
}

impl From<&Lasso> for ElasticNet {
    fn from(lasso: &Lasso) -> Self {
        Self { alpha: lasso.alpha, l1_ratio: 1.0, descent: lasso.descent.clone() }
    }
}

impl Learn for ElasticNet {
    type Model = ElasticNetModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetModel> {
        self.solve(Self::NAME, data, session)
    }

    fn capabilities(&self) -> Capabilities {
        let random = self.descent.selection == Visit::Random;
        Capabilities { random, zeroes: self.l1_ratio == 1.0, ..Self::declaration().capabilities }
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        Some(sums::fit_stream(Self::NAME, &self.capabilities(), self, batches, session))
    }
}

/// More features than this have no Gram matrix.
const WIDE: usize = 4000;
/// Sparse rows with more features than this are never made dense.
const WIDE_SPARSE: usize = 1000;

impl BySums for ElasticNet {
    type State = usize;
    type Summary = CrossMoments;
    type Local = ();
    type Model = ElasticNetModel;

    fn begin(&self, shape: &Shape, _: &Session) -> Result<usize> {
        Ok(shape.n_features)
    }

    fn empty(&self, n_features: &usize) -> CrossMoments {
        CrossMoments::empty(*n_features, 1)
    }

    fn absorb(&self, _: &usize, block: &Block<'_>, _: &mut (), summary: &mut CrossMoments) -> Result<()> {
        summary.merge(CrossMoments::of_block(block));
        Ok(())
    }

    fn merge(&self, into: &mut CrossMoments, other: CrossMoments) {
        into.merge(other);
    }

    fn advance(
        &self,
        _: usize,
        moments: CrossMoments,
        session: &Session,
    ) -> Result<Round<usize, ElasticNetModel>> {
        let mut moments = if self.descent.fit_intercept { moments } else { moments.about_zero() };
        symmetrise(&mut moments.xx);
        let mut problem = ByGram::new(&moments.xx, moments.xy.as_slice(), moments.yy[0]);
        let (total, mean_y) = (moments.weight, moments.mean_y[0]);
        let size = Size::of(&problem, total, mean_y);
        let solved = self.descend(&mut problem, total, session);
        self.model(Self::NAME, solved, &moments.mean_x, mean_y, &size).map(Round::Done)
    }
}

impl ElasticNet {
    fn solve(&self, name: &str, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetModel> {
        let sparse = data.whole_input().rows(name)?.is_sparse();
        let (n, d) = (data.n_rows(), data.n_features());
        if d <= n && d <= if sparse { WIDE_SPARSE } else { WIDE } {
            return sums::fit(name, self, data, session);
        }
        let rows = Rows::of(name, data, self.descent.fit_intercept)?;
        let mut problem = ByColumns::new(rows.columns, rows.y);
        let size = Size::of(&problem, rows.total, rows.mean_y);
        let solved = self.descend(&mut problem, rows.total, session);
        self.model(name, solved, &rows.mean_x, rows.mean_y, &size)
    }

    fn penalty(&self, total: f64) -> Penalty {
        let strength = self.alpha * total;
        let (l1, l2) = (strength * self.l1_ratio, strength * (1.0 - self.l1_ratio));
        Penalty { l1, l2, positive: self.descent.positive }
    }

    fn descend(&self, problem: &mut impl Quadratic, total: f64, session: &Session) -> Solved {
        let order = (self.descent.selection == Visit::Random).then(|| session.rng(0));
        let budget = Budget { max_iter: self.descent.max_iter, tol: self.descent.tol, order, session };
        descend(problem, self.penalty(total), budget)
    }

    /// The model, in the units of the mean over rows.
    fn model(
        &self,
        name: &str,
        solved: Solved,
        mean_x: &[f64],
        mean_y: f64,
        size: &Size,
    ) -> Result<ElasticNetModel> {
        let Solved { w, standing, termination, iterations } = solved;
        let used = w.iter().filter(|w| **w != 0.0).count();
        let dual_gap = if standing.gap < 0.0 { 0.0 } else { standing.gap / size.total };
        if !dual_gap.is_finite() {
            let why = "values whose squares are too large or too small: scale the features or the target";
            return Err(Error::numeric(name, why));
        }
        let meaning = "the largest violation of the optimality conditions over the largest entry of X'y";
        let mut certificate = Certificate::new(termination)
            .with_iterations(iterations)
            .with_objective(standing.objective / size.total);
        let Penalty { l1, l2, .. } = self.penalty(size.total);
        certificate = if l1 > size.rounding || (l1 == 0.0 && l2 > 0.0) {
            let meaning = "the objective is at most this far above its minimum";
            certificate.with_evidence(Evidence::bound(GAP, dual_gap, meaning).on_scale(size.objective))
        } else {
            certificate.with_note("no gap is proved: there is no penalty, or rounding hides it beside features and targets of this size")
        };
        let certificate = certificate
            .with_evidence(Evidence::residual(KKT, standing.kkt / size.xy, meaning))
            .with_note(format!("{used} of {} coefficients are not zero", w.len()));
        let coef = Mat::from_fn(w.len(), 1, |j, _| w[j]);
        let linear = LinearRegressionModel::about(name, &coef, (mean_x, &[mean_y]), certificate)?;
        let (alpha, fit_intercept) = (self.alpha, self.descent.fit_intercept);
        let linear = LinearRegressionModel { alpha, fit_intercept, ..linear };
        Ok(ElasticNetModel { linear, l1_ratio: self.l1_ratio, positive: self.descent.positive, dual_gap })
    }
}

const GAP: &str = "duality gap";
const KKT: &str = "relative KKT violation";

/// The sizes of what is proved, before anything is learnt.
struct Size {
    /// Σ s.
    total: f64,
    /// The mean objective of zero coefficients.
    objective: f64,
    /// The largest entry of Xᵀy.
    xy: f64,
    /// What rounding may leave of such an entry.
    rounding: f64,
}

impl Size {
    /// Of a problem at zero coefficients, and never less than rounding of targets far from zero leaves.
    fn of(problem: &impl Quadratic, total: f64, mean_y: f64) -> Self {
        let largest = |f: &dyn Fn(usize) -> f64| (0..problem.n()).map(f).fold(0.0, f64::max);
        let raw = problem.yy() + total * mean_y * mean_y;
        let rounding = 1e-12 * (largest(&|j| problem.norm2(j)).sqrt() * raw.sqrt());
        let xy = largest(&|j| problem.correlation(j).abs()).max(rounding);
        let objective = 0.5 * (problem.yy() + 1e-8 * raw) / total;
        Self { total, objective, xy: if xy > 0.0 { xy } else { 1.0 }, rounding }
    }
}

/// Rows as columns: centred, and times the root of their weights.
struct Rows {
    columns: Columns,
    y: Vec<f64>,
    mean_x: Vec<f64>,
    mean_y: f64,
    total: f64,
}

impl Rows {
    fn of(name: &str, data: &Dataset<'_>, centre: bool) -> Result<Self> {
        let numbers = data.numbers(name)?;
        let target = data.need_target(name)?;
        let y = target.numbers()?;
        let weights = Weights::of(&data.weights()).to_vec(y.len());
        let total = mercer_math::sum(&weights);
        let share: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let root: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let d = numbers.view().n_cols();
        let (mean_x, mean_y) = match centre {
            true => (rows_t_dot(numbers.view(), &share), dot(y, &share)),
            false => (vec![0.0; d], 0.0),
        };
        let columns = match numbers.view() {
            NumbersRef::Dense(x) => {
                Columns::Dense(Mat::from_fn(d, y.len(), |j, i| root[i] * (x.get(i, j) - mean_x[j])))
            }
            NumbersRef::Sparse(x) => {
                Columns::Sparse { columns: x.transposed(), mean: mean_x.clone(), root: root.clone() }
            }
        };
        let y = y.iter().zip(&root).map(|(y, r)| r * (y - mean_y)).collect();
        Ok(Self { columns, y, mean_x, mean_y, total })
    }
}

impl ElasticNetModel {
    /// The coefficients.
    pub fn coef(&self) -> &[f64] {
        self.linear.coef.as_slice()
    }

    /// The intercept.
    pub fn intercept(&self) -> f64 {
        self.linear.intercept[0]
    }

    /// Gap and violation on some data, from the residual itself.
    fn standing(&self, data: &Dataset<'_>) -> Result<(Standing, Size)> {
        let rows = Rows::of("a linear model", data, self.linear.fit_intercept)?;
        let (total, y) = (rows.total, rows.y.clone());
        let mut problem = ByColumns::new(rows.columns, rows.y);
        let all = |p: &ByColumns| (0..p.n()).map(|j| p.correlation(j)).collect::<Vec<f64>>();
        let size = Size::of(&problem, total, rows.mean_y);
        problem.reset(self.coef());
        let net =
            ElasticNet::default().alpha(self.linear.alpha).l1_ratio(self.l1_ratio).positive(self.positive);
        let (rr, ry) = if y.is_empty() { (0.0, 0.0) } else { problem.residual(self.coef()) };
        // The objective has the intercept at its best; how far this one is off it counts, too.
        let off = rows.mean_y - dot(&rows.mean_x, self.coef()) - self.intercept();
        let mut standing = net.penalty(total).standing(self.coef(), &all(&problem), rr, ry);
        standing.gap += 0.5 * total * off * off;
        Ok((standing, size))
    }
}

impl Fitted for ElasticNetModel {
    fn certificate(&self) -> &Certificate {
        self.linear.certificate()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.linear.infer(input, schema, session)
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let (standing, size) = self.standing(data)?;
        Ok(vec![(GAP.to_owned(), standing.gap / size.total), (KKT.to_owned(), standing.kkt / size.xy)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.linear.attributes();
        let iterations = self.certificate().iterations.unwrap_or(0);
        all.push(Attribute::int("n_iter_", "Passes over the coefficients.", &[], vec![iterations as i64]));
        all.push(Attribute::real("dual_gap_", "The duality gap.", &[], vec![self.dual_gap]));
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.linear.validate(schema)
    }
}
