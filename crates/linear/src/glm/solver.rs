//! The rounds in which a generalised linear model is fitted.

use super::family::{Curved, Family};
use super::frame::{GlmFrame, GlmSums, Pass};
use super::inference::Inference;
use super::model::{GlmModel, Standing};
use super::{GlmParams, GlmSolver};
use crate::logistic_curvature::factor;
use mercer_core::sums::{Block, BySums, Round, Shape};
use mercer_core::{Error, Result, Session, Termination};
use mercer_math::{Mat, Moments, gemv, symmetrise};
use mercer_optim::{Ask, AskTell, AskTellSettings, Stop};
use serde::{Deserialize, Serialize};

/// Up to this many coefficients `auto` takes the whole Hessian in every step; 500,000 rows of 50 took 0.8 s by Newton, 0.4 s by
/// L-BFGS with the Hessian at the start.
const NEWTON_LIMIT: usize = 16;
/// Up to this many, L-BFGS is preconditioned by the Hessian at the start.
const GRAM_LIMIT: usize = 1024;
/// More make no Hessian that fits a computer well.
const HESSIAN_LIMIT: usize = 8192;
/// Sparse rows with more columns than this are never made dense.
const SPARSE_LIMIT: usize = 256;

/// Penalised maximum likelihood of a family.
///
///   min_u  (1/S) Σ s ℓ(y, a·u) + ½ Σ_j p_j u_j²,   ℓ half the unit deviance, a the row in the frame, S = Σ s
///
/// Given a start or none; returns the model. Stops when the largest entry of the gradient over the pull of the target's
/// spread is at most `tol`, a thousandth of it for Newton's method, at `max_iter`, or where no step helps.
pub(super) struct Glm<'a> {
    who: &'a str,
    family: Family,
    params: &'a GlmParams,
    /// The column that is added to the score.
    offset: Option<usize>,
    /// Coefficients and intercept to evaluate, in the place of a search.
    at: Option<(&'a [f64], f64)>,
}

/// What every worker needs to know in a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GlmState {
    n_features: usize,
    sparse: bool,
    /// Sparse rows that are not made dense.
    wide: bool,
    newton: bool,
    frame: Option<GlmFrame>,
    search: Option<AskTell>,
    /// The inverse of the Hessian at the start.
    inverse: Option<Mat>,
    /// The curvature of the constant model, for want of a Hessian.
    curvature: f64,
    /// How the search ended, once likelihoods are summed.
    ended: Option<Termination>,
}

impl<'a> Glm<'a> {
    pub(super) fn new(who: &'a str, family: Family, params: &'a GlmParams) -> Self {
        Self { who, family, params, offset: None, at: None }
    }

    /// The same with a column that is added to the score.
    pub(super) fn with_offset(self, offset: Option<usize>) -> Self {
        Self { offset, ..self }
    }

    /// The same that evaluates a point alone.
    pub(super) fn at(self, coef: &'a [f64], intercept: f64) -> Self {
        Self { at: Some((coef, intercept)), ..self }
    }

    /// From moments to the first point.
    fn start(&self, mut state: GlmState, sums: &GlmSums, session: &Session) -> Result<GlmState> {
        let intercept = self.params.intercept.fit_intercept;
        if !(sums.y.weight > 0.0 && sums.y.weight.is_finite()) {
            return Err(Error::numeric(
                self.who,
                "the weights of the rows add up to no finite positive number",
            ));
        }
        let finite = |m: &Moments| m.mean.is_finite() && m.m2.is_finite();
        if !sums.columns.iter().chain([&sums.y]).all(finite) {
            return Err(Error::numeric(self.who, "values too large: scale the features or the target"));
        }
        let frame = GlmFrame::of(sums, intercept, state.sparse, self.params.alpha, self.offset);
        let constant = self.family.start(self.who, sums.y.mean)?;
        let (mut point, settled) = (vec![0.0; frame.width()], self.at);
        let given = session.start().map(|start| start.split_at(start.len().saturating_sub(1)));
        match settled.or(given.map(|(coef, b)| (coef, b.first().copied().unwrap_or(0.0)))) {
            Some((coef, _)) if coef.len() != state.n_features => {
                return Err(Error::shape("coefficients for the data", state.n_features, coef.len()));
            }
            Some((coef, b)) => point = frame.scaled(coef, b),
            None if intercept => point[0] = constant - self.offset.map_or(0.0, |j| sums.columns[j].mean),
            None if !self.family.log && self.family.power != 0.0 => {
                let why = "without an intercept and with the identity link the start has no positive mean";
                return Err(Error::numeric(self.who, why));
            }
            None => {}
        }
        let size = self.size(&frame);
        let mean = sums.y.mean;
        state.curvature = self.family.information(mean);
        if !(size.is_finite() && state.curvature > 0.0 && state.curvature.is_finite()) {
            return Err(Error::numeric(self.who, "values too large or too small: scale the target"));
        }
        let settings = AskTellSettings {
            memory: if state.newton { 0 } else { 10 },
            products: 0,
            tol: self.params.tol * size * if state.newton { 1e-3 } else { 1.0 },
            max_iter: if settled.is_some() { 0 } else { self.params.max_iter },
            l1: Vec::new(),
        };
        state.search = Some(AskTell::new(point, settings));
        state.frame = Some(frame);
        Ok(state)
    }

    /// The pull of the target's spread on the constant model, which no entry of its gradient is beyond.
    fn size(&self, frame: &GlmFrame) -> f64 {
        let mean = frame.y.mean;
        let about = if frame.intercept || !self.family.log { mean } else { 1.0 };
        let centre = if frame.intercept { 0.0 } else { mean - if self.family.log { 1.0 } else { 0.0 } };
        let spread = (frame.y.variance() + centre * centre).sqrt();
        let about = if self.family.has_mean(about) { about } else { 1.0 };
        let size = self.family.pull(about, spread.max(1e-8 * mean.abs())).abs();
        if size > 0.0 { size } else { f64::MIN_POSITIVE }
    }

    /// Whether a Hessian is summed in the next round.
    fn wants_gram(&self, state: &GlmState) -> bool {
        let width = state.frame.as_ref().map_or(0, GlmFrame::width);
        match state.ended {
            Some(_) => !state.wide && width <= GRAM_LIMIT,
            _ if self.at.is_some() || state.wide => false,
            _ if state.newton => true,
            _ => state.inverse.is_none() && width <= GRAM_LIMIT,
        }
    }

    fn tell(&self, state: &mut GlmState, sums: GlmSums) -> Option<Stop> {
        let (frame, mut search) = (state.frame.as_ref()?, state.search.take()?);
        let Ask::Value(point) = search.ask() else { return Some(Stop::NoProgress) };
        let (mut grad, total) = (sums.grad, frame.weight);
        mercer_math::scale(1.0 / total, &mut grad);
        let penalised = |(g, (u, p)): (&mut f64, (&f64, &f64))| *g += u * p;
        grad.iter_mut().zip(point.iter().zip(&frame.penalty)).for_each(penalised);
        let squares: f64 = point.iter().zip(&frame.penalty).map(|(u, p)| p * u * u).sum();
        let value = sums.loss / total + 0.5 * squares;
        let hessian = (sums.gram.n_rows() > 0 && value.is_finite()).then(|| hessian(sums.gram, frame));
        let stop = if state.newton && self.at.is_none() {
            let factor = hessian.and_then(factor);
            search.tell_value(value, grad, |g| factor.as_ref().map_or_else(|| g.to_vec(), |f| f.solve_vec(g)))
        } else {
            if let (None, Some(h)) = (&state.inverse, hessian) {
                state.inverse = factor(h).map(|f| f.inverse());
            }
            let diagonal = |(g, p): (&f64, &f64)| g / (state.curvature + p);
            search.tell_value(value, grad, |g| match &state.inverse {
                Some(inverse) => gemv(inverse.view(), g),
                None => g.iter().zip(&frame.penalty).map(diagonal).collect(),
            })
        };
        state.search = Some(search);
        stop
    }

    /// What the best point is worth.
    fn model(
        &self,
        state: &GlmState,
        ended: Termination,
        inference: Result<Inference, String>,
    ) -> Result<GlmModel> {
        let (Some(frame), Some(search)) = (&state.frame, &state.search) else {
            return Err(mercer_core::ErrorKind::Cancelled.into());
        };
        let standing = Standing {
            size: self.size(frame),
            termination: ended,
            grad: search.grad(),
            value: search.value(),
            iterations: search.iterations() as u64,
        };
        GlmModel::new(
            self.who,
            (self.family, self.params, self.offset),
            frame,
            search.point(),
            &standing,
            inference,
        )
    }
}

/// The whole Hessian of the mean objective from its sums; columns that do not vary have none, and get 1.
fn hessian(mut gram: Mat, frame: &GlmFrame) -> Mat {
    symmetrise(&mut gram);
    mercer_math::scale(1.0 / frame.weight, gram.as_mut_slice());
    for (j, p) in frame.penalty.iter().enumerate() {
        gram[(j, j)] += p;
        if gram[(j, j)] == 0.0 {
            gram[(j, j)] = 1.0;
        }
    }
    gram
}

impl BySums for Glm<'_> {
    type State = GlmState;
    type Summary = GlmSums;
    type Local = ();
    type Model = GlmModel;

    /// Large enough that the sums of a block are small beside its rows.
    fn block_rows(&self, shape: &Shape) -> usize {
        (8 * shape.n_features).next_power_of_two().clamp(2048, 1 << 14)
    }

    fn begin(&self, shape: &Shape, _: &Session) -> Result<GlmState> {
        if shape.n_targets != 1 {
            return Err(Error::shape("targets", 1, shape.n_targets));
        }
        let width = shape.n_features + usize::from(self.params.intercept.fit_intercept);
        let wide = shape.sparse && width > SPARSE_LIMIT;
        let newton = match self.params.solver {
            GlmSolver::Auto => width <= NEWTON_LIMIT,
            GlmSolver::Lbfgs => false,
            GlmSolver::NewtonCholesky if width > HESSIAN_LIMIT => {
                let allowed = format!("another than newton_cholesky beyond {HESSIAN_LIMIT} coefficients");
                return Err(Error::param(self.who, "solver", allowed, width));
            }
            GlmSolver::NewtonCholesky => true,
        };
        Ok(GlmState {
            n_features: shape.n_features,
            sparse: shape.sparse,
            wide: wide && !newton,
            newton,
            frame: None,
            search: None,
            inverse: None,
            curvature: 1.0,
            ended: None,
        })
    }

    fn empty(&self, state: &GlmState) -> GlmSums {
        let Some(frame) = &state.frame else {
            return GlmSums { columns: vec![Moments::default(); state.n_features], ..Default::default() };
        };
        let (width, gram) = (frame.width(), self.wants_gram(state));
        let side = if gram { width } else { 0 };
        GlmSums { grad: vec![0.0; width], gram: Mat::zeros(side, side), ..Default::default() }
    }

    fn absorb(&self, state: &GlmState, block: &Block<'_>, _: &mut (), out: &mut GlmSums) -> Result<()> {
        let (Some(frame), Some(search)) = (&state.frame, &state.search) else {
            let y: Vec<f64> = (0..block.n_rows()).map(|i| block.targets.get(i, 0)).collect();
            self.family.check(self.who, &y)?;
            out.count(block);
            return Ok(());
        };
        let point = match (state.ended, search.ask()) {
            (None, Ask::Value(point)) => point,
            _ => search.point(),
        };
        let finish = state.ended.is_some();
        let curved = if finish { Curved::Expected } else { Curved::Convex };
        Pass { family: self.family, frame, point, curved, offset: self.offset, finish }
            .absorb(block, state.wide, out);
        Ok(())
    }

    fn merge(&self, into: &mut GlmSums, other: GlmSums) {
        into.merge(other);
    }

    fn advance(
        &self,
        mut state: GlmState,
        sums: GlmSums,
        session: &Session,
    ) -> Result<Round<GlmState, GlmModel>> {
        if state.frame.is_none() {
            return self.start(state, &sums, session).map(Round::Go);
        }
        if let (Some(ended), Some(frame)) = (state.ended, &state.frame) {
            let inference = Inference::of(self.family, frame, self.offset, sums);
            return self.model(&state, ended, inference).map(Round::Done);
        }
        let ended = match self.tell(&mut state, sums) {
            None => return Ok(Round::Go(state)),
            Some(Stop::Converged) => Termination::Converged,
            Some(Stop::MaxIter) => Termination::IterationLimit,
            Some(_) => Termination::Stalled,
        };
        let why = if self.params.alpha > 0.0 {
            "the penalty draws the coefficients to zero, so that they have no tests: set alpha=0"
        } else if !super::inference::has_likelihood(self.family.power) {
            "the likelihood of this power is no closed form"
        } else if !ended.is_success() {
            "the fit has not converged"
        } else if self.at.is_none() {
            state.ended = Some(ended);
            return Ok(Round::Go(state));
        } else {
            ""
        };
        self.model(&state, ended, Err(why.to_owned())).map(Round::Done)
    }

    fn abandon(&self, state: GlmState, why: Termination) -> Option<GlmModel> {
        let known = state.search.as_ref().is_some_and(|s| !s.grad().is_empty());
        known.then(|| self.model(&state, why, Err("the fit was stopped".to_owned())).ok())?
    }
}
