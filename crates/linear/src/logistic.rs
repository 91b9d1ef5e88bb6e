//! Logistic regression: linear classification by maximum likelihood, for two classes or more.
//!
//! # Objective
//! $$ \min_{W,b}\ C\sum_i s_i\,\ell(y_i, W x_i + b) + \tfrac12\lVert W\rVert_F^2 $$
//! with $\ell(y, z) = \ln(1 + e^{-z})$ or $\ln(1 + e^{z})$ for the two classes of a binary target, and
//! $\ell(y, z) = \ln\sum_k e^{z_k} - z_y$ for more (softmax, one row of $W$ for each class). Intercepts are not
//! penalised and sum to zero over the classes. `penalty = none` leaves the second term out; `l1` puts
//! $\lVert W\rVert_1$ in its place, and an `l1_ratio` $\rho$ mixes both,
//! $\rho\lVert W\rVert_1 + \tfrac{1-\rho}{2}\lVert W\rVert_F^2$: an L1 part sets coefficients to zero.
//!
//! # Algorithm
//! Everything is driven by rounds of sums over blocks of rows. The first counts the classes; the start is the
//! best constant model. L-BFGS begins with the inverse of the Hessian there, estimated on a sample of the rows
//! chosen by their content (its diagonal where there are many features), which makes it indifferent to scales
//! and correlations. Newton-Cholesky gathers the whole Hessian in each round; Newton-CG asks for products with it.
//! An L1 part of two classes is met by Newton's method on columns: coordinate descent finds each step, on the coefficients
//! that are not zero or want to leave it. Of more classes, and by the name lbfgs, it is met by orthant-wise L-BFGS, whose steps stop
//! coefficients at exactly zero. `sag` and `saga` visit one row a step and keep the last slope of every row; `liblinear` is
//! the objective of that library, whose intercept is penalised.
//!
//! # Complexity
//! Time O(n d k) a round or a pass, and O(n (dk)²) a round of Newton-Cholesky; memory O(d k) for each block of rows, and
//! O(k d²) for the preconditioner of up to a thousand features; a copy of the rows by columns for coordinate descent, O(n k)
//! for average gradients. Both need all rows in memory, the others learn from streams.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LogisticRegression;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["no", "no", "yes", "yes"]))?;
//! let model = LogisticRegression::default().fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 1, 1]);
//! assert!(model.certificate().is_success());
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Probabilities are formed from scores without overflow, losses without cancellation. `tol` bounds the largest
//! entry of the gradient (with an L1 part, of the least subgradient) of the objective divided by $C\sum_i s_i$. An infinite
//! `C` is no penalty. Separable classes without a penalty have no finite optimum: the fit ends by tolerance or by the iteration limit, and
//! the certificate says so. Else `summary` has standard errors from the Hessian, for more than two classes against the first.
//!
//! # References
//! - D. R. Cox. The regression analysis of binary sequences. J. R. Stat. Soc. B 20(2), 1958. doi:10.1111/j.2517-6161.1958.tb00292.x
//! - D. C. Liu, J. Nocedal. On the limited memory BFGS method. Math. Programming 45, 1989. doi:10.1007/BF01589116
//! - G. Andrew, J. Gao. Scalable training of L1-regularized log-linear models. ICML 2007. doi:10.1145/1273496.1273501
//! - C.-J. Lin, R. C. Weng, S. S. Keerthi. Trust region Newton method for logistic regression. JMLR 9, 2008.
//! - G.-X. Yuan, C.-H. Ho, C.-J. Lin. An improved GLMNET for L1-regularized logistic regression. JMLR 13, 2012.
//! - A. Defazio, F. Bach, S. Lacoste-Julien. SAGA: a fast incremental gradient method. NIPS 2014. arXiv:1407.0202

use crate::class_weights::ClassWeightParams;
use crate::intercept::InterceptParams;
use crate::logistic_curvature::Preconditioner;
use crate::logistic_direct::{Way, fit_from};
use crate::logistic_inference::{Stage, settled};
use crate::logistic_loss::{Curvature, Dims, LogisticLocal, LogisticSums, Pass};
use crate::logistic_model::LogisticModel;
use crate::logistic_settings::{LogisticFitParams, LogisticPenalty, LogisticSolver};
use crate::logistic_state::{LogisticState, SPARSE_GRAM};
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{
    Capabilities, ClassWeight, Dataset, Error, Learn, ParamType, Params, Result, Session, Termination,
};
use mercer_math::Mat;
use mercer_optim::{Ask, AskTell, AskTellSettings, Stop};

/// Logistic regression: linear classification by maximum likelihood, for two classes or more.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "logistic",
    canon = "L5",
    task = Classification,
    python = "linear_model",
    quick = "",
    explain = "",
    best = "C=0.1 | | C=10",
    tried = "| solver=newton_cg,class_weight=balanced | penalty=l1,C=0.5,solver=lbfgs | penalty=none,tol=1e-8 | solver=liblinear,intercept_scaling=2 | solver=coordinate,l1_ratio=1,C=0.5,tol=1e-8 | solver=saga,penalty=elasticnet,l1_ratio=0.5,tol=1e-9,max_iter=20000",
    session = "random_state verbose n_jobs",
    mixins = "LogisticMixin", door = "dual=False warm_start=False",
    can = "proba decision weights sparse by_sums scaled explain summary",
    references = "Cox. The regression analysis of binary sequences. J. R. Stat. Soc. B 20(2), 1958."
)]
pub struct LogisticRegression {
    /// The penalty; none is plain maximum likelihood.
    #[param(default = Some(LogisticPenalty::L2))]
    pub penalty: Option<LogisticPenalty>,
    /// The share of the L1 part in the penalty: 0 is L2, 1 is L1. The penalty l1 has no other part.
    #[param(default = 0.0, range = "[0, 1]", search = "linear 0..1 if penalty=elasticnet")]
    pub l1_ratio: f64,
    /// Weight of the loss against the penalty: smaller is simpler, infinity leaves the penalty out.
    #[param(name = "C", default = 1.0, range = "(0, inf]", search = "log 1e-4..1e4")]
    pub c: f64,
    /// How a fit is found.
    #[param(flatten)]
    pub fitting: LogisticFitParams,
}

impl Learn for LogisticRegression {
    type Model = LogisticModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LogisticModel> {
        let (d, classes) = (data.n_features(), data.need_target(Self::NAME)?.class()?.1.len());
        let scores = if classes == 2 { 1 } else { classes };
        let start = session.start_of(Self::NAME, scores, d)?.map(|(coef, intercept)| {
            let by_feature = (0..d).flat_map(|j| (0..scores).map(move |c| coef[c * d + j]));
            let intercept = intercept.iter().copied().filter(|_| self.fitting.intercept.fit_intercept);
            by_feature.chain(intercept).collect()
        });
        fit_from(self, start, data, session)
    }

    fn capabilities(&self) -> Capabilities {
        let mixed = self.penalty == Some(LogisticPenalty::Elasticnet);
        let zeroes = self.penalty == Some(LogisticPenalty::L1) || mixed && self.l1_ratio == 1.0;
        let free = !self.penalised();
        let summary = free && self.fitting.classes.class_weight.is_none();
        let (by_sums, random) = (self.way(2) == Way::Sums, self.way(2) == Way::Average);
        let all = Self::declaration().capabilities;
        let binary = self.fitting.one_score();
        Capabilities { zeroes: zeroes && !free, summary, by_sums, random, ordered: random, binary, ..all }
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        let by_sums = self.way(2) == Way::Sums;
        by_sums.then(|| sums::fit_stream(Self::NAME, &self.capabilities(), self, batches, session))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let solver = self.fitting.solver;
        let bad = |allowed: &str| Err(Error::param(Self::NAME, "solver", allowed, solver.to_value()));
        let smooth =
            matches!(solver, LogisticSolver::NewtonCholesky | LogisticSolver::NewtonCg | LogisticSolver::Sag);
        if self.l1_share() > 0.0 && smooth {
            return bad("auto, lbfgs, coordinate, liblinear or saga for an L1 penalty");
        }
        if solver == LogisticSolver::Liblinear && self.l1_share() > 0.0 && self.l1_share() < 1.0 {
            return bad("another than liblinear for both penalties at once");
        }
        if !self.penalised() && matches!(solver, LogisticSolver::Coordinate | LogisticSolver::Liblinear) {
            return bad("another than coordinate and liblinear without a penalty");
        }
        Ok(())
    }
}

/// Up to this many variables, `auto` takes the whole Hessian. At 200,000 rows and 16 variables that took 1.6 times
/// as long as L-BFGS, but left a gradient 30 times smaller: quadratic convergence is worth it where it is cheap.
const NEWTON_LIMIT: usize = 16;
/// Why a fit that did not converge has no summary.
const UNFINISHED: &str = "the fit has not converged";
/// More variables than this make no Hessian that fits a computer well.
const HESSIAN_LIMIT: usize = 8192;

impl BySums for LogisticRegression {
    type State = LogisticState;
    type Summary = LogisticSums;
    type Local = LogisticLocal;
    type Model = LogisticModel;

    /// Large enough that the sums of a block are small beside its rows.
    fn block_rows(&self, shape: &Shape) -> usize {
        match (shape.sparse, self.fitting.solver) {
            (true, _) => {
                if shape.n_features < 1 << 14 {
                    4096
                } else {
                    8192
                }
            }
            (false, LogisticSolver::NewtonCholesky) => {
                (4 * shape.n_features * shape.n_classes).next_power_of_two().clamp(2048, 1 << 15)
            }
            (false, _) => (8 * shape.n_features).next_power_of_two().clamp(2048, 1 << 15),
        }
    }

    fn begin(&self, shape: &Shape, _session: &Session) -> Result<LogisticState> {
        let dims = Dims {
            features: shape.n_features,
            classes: shape.n_classes,
            intercept: self.fitting.intercept.fit_intercept,
        };
        if dims.classes < 2 {
            return Err(Error::too_few(Self::NAME, "classes", 2, dims.classes));
        }
        let auto = matches!(self.fitting.solver, LogisticSolver::Auto | LogisticSolver::Liblinear);
        let smooth = self.l1_share() == 0.0;
        let small = dims.len() <= NEWTON_LIMIT;
        let newton = self.fitting.solver == LogisticSolver::NewtonCholesky || (auto && smooth && small);
        let wide = shape.sparse && dims.width() > SPARSE_GRAM;
        let truncated = self.fitting.solver == LogisticSolver::NewtonCg || (auto && smooth && !small && wide);
        if newton && dims.len() > HESSIAN_LIMIT {
            let allowed = format!("another than newton_cholesky beyond {HESSIAN_LIMIT} coefficients");
            return Err(Error::param(Self::NAME, "solver", allowed, dims.len()));
        }
        let (scale, share, sizes, means, counts) = Default::default();
        let (curvature, preconditioner) = (Curvature::None, Preconditioner::Identity);
        let (total, l1, lambda, sparse) = (0.0, 0.0, 0.0, shape.sparse);
        let intercept_cost = if dims.intercept { self.fitting.intercept_cost() } else { 0.0 };
        let (search, ended) = (None, None);
        let labels = shape.labels.clone();
        Ok(LogisticState {
            dims,
            labels,
            sparse,
            newton,
            truncated,
            scale,
            share,
            total,
            sizes,
            means,
            counts,
            stage: Stage::Search,
            l1,
            lambda,
            intercept_cost,
            ended,
            curvature,
            preconditioner,
            search,
        })
    }

    fn empty(&self, state: &LogisticState) -> LogisticSums {
        let (k, width) = (state.dims.columns(), state.dims.width());
        if state.search.is_none() {
            let (classes, sizes) = (vec![0.0; state.dims.classes], vec![0.0; state.dims.features]);
            let means = sizes.clone();
            return LogisticSums { classes, sizes, means, ..Default::default() };
        }
        let grams = match state.curvature {
            Curvature::Sample(_) => 1,
            Curvature::Full => k * (k + 1) / 2,
            Curvature::None | Curvature::Diagonal => 0,
        };
        let diagonal = if state.curvature == Curvature::Diagonal { width } else { 0 };
        LogisticSums {
            grad: vec![0.0; state.dims.len()],
            diagonal: vec![0.0; diagonal],
            grams: (0..grams).map(|_| Mat::zeros(width, width)).collect(),
            ..Default::default()
        }
    }

    fn absorb(
        &self,
        state: &LogisticState,
        block: &Block<'_>,
        local: &mut LogisticLocal,
        summary: &mut LogisticSums,
    ) -> Result<()> {
        let n_classes = state.dims.classes;
        if block.classes.len() != block.n_rows() || block.classes.iter().any(|&c| c as usize >= n_classes) {
            return Err(Error::shape("rows with a class", block.n_rows(), block.classes.len()));
        }
        let Some(search) = &state.search else {
            summary.count(block);
            return Ok(());
        };
        let pass = |point| Pass { dims: state.dims, point, scale: &state.scale };
        match &state.stage {
            Stage::Search => {}
            Stage::Information(_) => {
                pass(search.point()).value(block, state.curvature, None, summary);
                pass(search.point()).margins(block, search.point(), summary);
                return Ok(());
            }
            Stage::Direction(_, along, _) => {
                pass(search.point()).margins(block, along, summary);
                return Ok(());
            }
        }
        match search.ask() {
            Ask::Value(point) => {
                // Kept for the products that follow where this point is accepted.
                let keep = state.truncated.then(|| local.begin(search.next_iteration()));
                pass(point).value(block, state.curvature, keep, summary);
            }
            Ask::Product(vector) => {
                let pass = pass(search.point());
                if local.iteration != search.iterations() {
                    local.begin(search.iterations());
                }
                if !local.ready {
                    pass.probabilities(block, &mut local.values);
                    local.ready = true;
                }
                pass.product(block, vector, &local.values, summary);
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut LogisticSums, other: LogisticSums) {
        into.merge(other);
    }

    fn advance(
        &self,
        mut state: LogisticState,
        sums: LogisticSums,
        _: &Session,
    ) -> Result<Round<LogisticState, LogisticModel>> {
        if state.stage != Stage::Search {
            return Ok(self.finish(state, &sums));
        }
        let Some(mut search) = state.search.take() else {
            self.start(&mut state, &sums, None)?;
            return Ok(Round::Go(state));
        };
        let stop = match search.ask() {
            Ask::Value(point) => {
                let (value, grad) = state.objective(point, &sums);
                state.tell(&mut search, &sums, value, grad)
            }
            Ask::Product(vector) => {
                let mut product = sums.grad;
                state.penalise(vector, &mut product);
                search.tell_product(&product, |g| state.preconditioner.apply(g))
            }
        };
        state.search = Some(search);
        let termination = match stop {
            _ if state.ended.is_some() => state.ended.map_or(Termination::Stalled, |e| e.termination),
            None => return Ok(Round::Go(state)),
            Some(Stop::Converged) => Termination::Converged,
            Some(Stop::MaxIter) => Termination::IterationLimit,
            Some(_) => Termination::Stalled,
        };
        if !self.penalised() {
            (state.curvature, state.stage) = (state.last_curvature(), Stage::Information(termination));
            return Ok(Round::Go(state));
        }
        let why = "the penalty draws the coefficients to zero, so that they have no tests: set penalty=none";
        Ok(Round::Done(LogisticModel::new(self, &state, termination, Err(why.to_owned()))))
    }

    fn abandon(&self, state: LogisticState, why: Termination) -> Option<LogisticModel> {
        let stopped = || Err("the fit was stopped".to_owned());
        state.search.is_some().then(|| LogisticModel::new(self, &state, why, stopped()))
    }
}

impl LogisticRegression {
    /// Whether there is a penalty.
    pub(crate) fn penalised(&self) -> bool {
        self.penalty.is_some() && self.c.is_finite()
    }

    /// What comes after the search of an unpenalised fit.
    fn finish(&self, mut state: LogisticState, sums: &LogisticSums) -> Round<LogisticState, LogisticModel> {
        let (ended, found) = match state.stage.clone() {
            Stage::Direction(ended, _, known) => (ended, settled(sums, known)),
            Stage::Search => (Termination::Stalled, Err(String::new())),
            Stage::Information(ended) => {
                let (known, along) = state.inferred(sums, self.fitting.classes.class_weight.is_some());
                if let Some(along) = along {
                    (state.curvature, state.stage) = (Curvature::None, Stage::Direction(ended, along, known));
                    return Round::Go(state);
                }
                (ended, known)
            }
        };
        let found = found.and_then(|f| if ended.is_success() { Ok(f) } else { Err(UNFINISHED.to_owned()) });
        Round::Done(LogisticModel::new(self, &state, ended, found))
    }

    /// The share of the L1 part in the penalty.
    pub(crate) fn l1_share(&self) -> f64 {
        match self.penalty {
            None => 0.0,
            Some(_) if self.c == f64::INFINITY => 0.0,
            Some(LogisticPenalty::L1) => 1.0,
            Some(_) => self.l1_ratio,
        }
    }

    /// From the weights of the classes to the first point: that given, or no coefficients and intercepts that give the
    /// shares of the classes.
    pub(crate) fn start(
        &self,
        state: &mut LogisticState,
        sums: &LogisticSums,
        from: Option<&[f64]>,
    ) -> Result<()> {
        let weight: f64 = sums.classes.iter().sum();
        let active = sums.classes.iter().filter(|w| **w > 0.0).count();
        if active < 2 {
            return Err(Error::too_few(Self::NAME, "classes", 2, active));
        }
        let factors = match (&self.fitting.classes.class_weight, &state.labels) {
            (Some(given), Some(labels)) => given.factors(Self::NAME, labels, &sums.classes)?,
            _ => vec![1.0; sums.classes.len()],
        };
        let factor = |(w, f): (&f64, f64)| if *w > 0.0 { f } else { 0.0 };
        state.scale = sums.classes.iter().zip(factors).map(factor).collect();
        state.sizes = sums.sizes.iter().map(|s| s / weight).collect();
        state.means = sums.means.iter().map(|s| s / weight).collect();
        state.counts = sums.classes.clone();
        state.total = state.scale.iter().zip(&sums.classes).map(|(s, w)| s * w).sum();
        let total = state.total;
        let positive = |v: f64| v > 0.0 && v.is_finite();
        let strength = if self.penalised() { 1.0 / (self.c * total) } else { 0.0 };
        (state.l1, state.lambda) = (strength * self.l1_share(), strength * (1.0 - self.l1_share()));
        if !positive(total) || !strength.is_finite() {
            return Err(Error::numeric(
                Self::NAME,
                "the weights of the rows add up to no finite positive number",
            ));
        }
        let dims = state.dims;
        // An intercept that is penalised begins at zero, as the coefficients do.
        let free = dims.intercept && state.intercept_cost == 0.0;
        let share = |(w, s): (&f64, &f64)| match (*s > 0.0, free) {
            (true, true) => w * s / total,
            (true, false) => 1.0 / active as f64,
            (false, _) => 0.0,
        };
        state.share = sums.classes.iter().zip(&state.scale).map(share).collect();
        let mut point = vec![0.0; dims.len()];
        let intercepts = &mut point[dims.penalised()..];
        match intercepts {
            [] => {}
            [one] => *one = (state.share[1] / state.share[0]).ln(),
            many => {
                let logs = |p: &f64| if *p > 0.0 { p.ln() } else { 0.0 };
                let mean = state.share.iter().map(logs).sum::<f64>() / active as f64;
                let centred = |p: &f64| if *p > 0.0 { p.ln() - mean } else { 0.0 };
                many.iter_mut().zip(&state.share).for_each(|(b, p)| *b = centred(p));
            }
        }
        if let Some(from) = from.filter(|from| from.len() == point.len()) {
            point.copy_from_slice(from);
        }
        state.curvature = state.first_curvature(sums.rows);
        // Gradients have the units of the features: where these are tiny, so is what counts as no gradient.
        let largest = state.sizes.iter().fold(0.0f64, |m, s| m.max(*s));
        let unit = if largest > 0.0 { (1e3 * largest).min(1.0) } else { 1.0 };
        let settings = AskTellSettings {
            memory: if state.newton || state.truncated { 0 } else { 10 },
            products: if state.truncated { 200 } else { 0 },
            tol: self.fitting.tol * unit,
            max_iter: self.fitting.max_iter,
            l1: state.l1_weights(),
        };
        state.search = Some(AskTell::new(point, settings));
        Ok(())
    }
}
