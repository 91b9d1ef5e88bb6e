//! Expectation maximisation (EM), the engine of every mixture here.
//!
//! Given a model with hidden variables ([`Expectation`]), EM climbs its likelihood (or a bound or penalised form of it):
//!
//!   E-step   expected sufficient statistics under the parameters θ, a sum over rows
//!   M-step   the θ that those statistics make most likely
//!
//! Both are one round of sums over blocks of rows, so that a mixture learns in memory, streamed and over partitions
//! alike. A run stops when the objective per unit of weight changes by less than `tol`; of `n_init` runs the one of
//! the highest objective is kept. That no iteration lowers the objective is checked at every one of them: the largest
//! fall that was seen is evidence in the certificate, and a fall beyond rounding is told in a note.
//!
//! Dempster, Laird, Rubin. Maximum likelihood from incomplete data via the EM algorithm. JRSS B 39(1), 1977.
//! doi:10.1111/j.2517-6161.1977.tb01600.x

use super::start::{MixtureInit, anchored};
use crate::kmeans::Phase;
use crate::{KMeans, KMeansInit, KMeansRuns, KMeansState, KMeansSums};
use mercer_core::sums::{self, Batches, BySums, Round, Shape};
use mercer_core::{
    Capabilities, Certificate, Dataset, Error, ErrorKind, Evidence, Input, Numbers, Result, Session,
    Termination,
};
use mercer_math::{ColumnMoments, Mat, MatRef, Weights};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Some rows as an E-step sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) x: MatRef<'a>,
    pub(crate) weights: Weights<'a>,
    /// Shares of the components that are given rather than inferred, one row of them for each row.
    pub(crate) shares: Option<&'a [f64]>,
    /// The component of each row, where some are known; a number beyond the components where it is not.
    pub(crate) known: Option<&'a [u32]>,
}

/// A model with hidden variables, as EM sees it: its E-step, its M-step and its objective.
pub(crate) trait Expectation: Sync {
    /// Parameters.
    type Theta: Clone + Serialize + DeserializeOwned + Send + Sync;
    /// Expected sufficient statistics.
    type Sums: Serialize + DeserializeOwned + Send;

    /// The name of the learner, for errors.
    fn name(&self) -> &'static str;
    /// Parameters about these centres before anything is known, from which the first statistics are taken.
    fn about(&self, centres: &Mat, origin: &[f64]) -> Self::Theta;
    /// The parameters that the user gives in place of a start by sums, where all of them are given.
    fn given(&self, origin: &[f64]) -> Result<Option<Self::Theta>>;
    /// The first parameters, with those that the user gives in their places.
    fn amend(&self, theta: Self::Theta) -> Result<Self::Theta>;
    /// Refuses rows that it cannot learn from.
    fn check(&self, _: MatRef<'_>) -> Result<()> {
        Ok(())
    }
    /// Statistics of no rows.
    fn zero(&self, theta: &Self::Theta) -> Self::Sums;
    /// E-step: adds the expected statistics of some rows.
    fn expect(&self, theta: &Self::Theta, rows: Seen<'_>, sums: &mut Self::Sums);
    /// Adds statistics to others.
    fn merge(&self, into: &mut Self::Sums, other: Self::Sums);
    /// M-step.
    fn maximise(&self, theta: &Self::Theta, sums: &Self::Sums) -> Result<Self::Theta>;
    /// What EM climbs, per unit of weight: statistics were taken under `before`, and led to `after`.
    fn objective(&self, before: &Self::Theta, sums: &Self::Sums, after: &Self::Theta) -> f64;
    /// How far apart two sets of parameters are, as a pure number.
    fn distance(&self, a: &Self::Theta, b: &Self::Theta) -> f64;
}

/// When and from where EM runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmRuns {
    pub(crate) n_components: usize,
    pub(crate) tol: f64,
    pub(crate) max_iter: usize,
    pub(crate) n_init: usize,
    pub(crate) init: MixtureInit,
    /// Whether classes of the data are known components.
    pub(crate) labelled: bool,
    /// The objective before the first iteration, where the work goes on from an earlier one.
    pub(crate) last: Option<f64>,
}

/// What a run of EM found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EmFound<T> {
    pub(crate) theta: T,
    /// The objective at each iteration, before its M-step.
    pub(crate) objectives: Vec<f64>,
    pub(crate) converged: bool,
    /// The largest fall of the objective in an iteration.
    pub(crate) fall: f64,
    /// The objective at the last parameters, and how far one more iteration would move them, where there can be one.
    pub(crate) end: Option<(f64, Option<f64>)>,
}

/// Objectives that differ by less than this share are equal: the earlier run is kept, and a fall is rounding.
const SLACK: f64 = 1e-9;
const OBJECTIVE: &str = "objective";
const RESIDUAL: &str = "fixed-point residual";
const FALL: &str = "largest fall of the objective";

impl<T> EmFound<T> {
    /// The objective at the last iteration, before its M-step.
    pub(crate) fn lower_bound(&self) -> f64 {
        self.objectives.last().copied().unwrap_or(f64::NEG_INFINITY)
    }

    pub(super) fn or_better(self, other: Self) -> Self {
        let slack = SLACK * self.lower_bound().abs().max(1.0);
        if other.lower_bound() > self.lower_bound() + slack { other } else { self }
    }

    /// The certificate of the model that was found; `what` says what the objective is.
    pub(crate) fn certificate(&self, why: Option<Termination>, what: &str) -> Certificate {
        let own = if self.converged { Termination::Converged } else { Termination::IterationLimit };
        let mut out = Certificate::new(why.unwrap_or(own)).with_iterations(self.objectives.len() as u64);
        if let Some((objective, residual)) = self.end {
            let fall = self.fall.max(self.lower_bound() - objective).max(0.0);
            out = out.with_objective(objective).with_evidence(Evidence::value(OBJECTIVE, objective, what));
            out = match residual {
                Some(residual) => out.with_evidence(Evidence::residual(
                    RESIDUAL,
                    residual,
                    "how far one more iteration would move the parameters, relative to their size: zero at a \
                     stationary point of the objective",
                )),
                None => out.with_note("one more iteration would let a component collapse"),
            };
            out = out
                .with_evidence(Evidence::bound(
                    FALL,
                    fall,
                    "by which an iteration lowered the objective, over all iterations of the run: EM lowers it by \
                     rounding alone",
                ));
            if fall > SLACK * objective.abs().max(1.0) {
                out = out.with_note(format!(
                    "an iteration lowered the objective by {fall:.3e}: variances are kept from zero \
                     (`reg_covar`), which EM does not know of"
                ));
            }
        }
        out.with_note("a local optimum: others may be higher, from which `n_init` protects in part")
    }
}

/// What a round does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stage {
    /// Means of the features.
    Scan,
    /// Centres by k-means or its seeds.
    Seed,
    /// The first statistics.
    Start,
    /// E-step and M-step.
    Iterate,
    /// The last parameters of the best run, looked at once more.
    Judge,
}

/// What every block needs to know in a round of EM.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct EmState<T> {
    pub(super) stage: Stage,
    pub(super) seed: u64,
    pub(super) run: u64,
    pub(super) n_features: usize,
    pub(super) kmeans: Option<KMeansState>,
    pub(super) origin: Vec<f64>,
    pub(super) centres: Mat,
    pub(super) theta: Option<T>,
    pub(super) objectives: Vec<f64>,
    pub(super) fall: f64,
    pub(super) best: Option<EmFound<T>>,
}

/// What a block contributes to a round of EM.
#[derive(Serialize, Deserialize)]
pub(crate) struct EmSums<S> {
    pub(super) moments: Option<ColumnMoments>,
    pub(super) kmeans: Option<KMeansSums>,
    pub(super) sums: Option<S>,
}

/// The evidence of a model anew, from data: the objective, how far one more iteration would move its parameters, and by how
/// much its last iteration lowered the objective from `last`.
pub(crate) fn judge<M: Expectation>(
    model: &M,
    theta: &M::Theta,
    last: f64,
    data: &Dataset<'_>,
    labelled: bool,
    session: &Session,
) -> Result<Vec<(String, f64)>> {
    let init = MixtureInit::Random;
    let runs = EmRuns { n_components: 1, tol: 0.0, max_iter: 0, n_init: 1, init, labelled, last: None };
    let ended = Em { model, runs, anchors: &[], judged: Some(theta) }.fit(data, session)?;
    let (objective, residual) = ended.found.end.ok_or_else(lost)?;
    let mut found = vec![(OBJECTIVE, objective), (FALL, (last - objective).max(0.0))];
    found.extend(residual.map(|r| (RESIDUAL, r)));
    Ok(found.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Expectation maximisation of a model.
pub(crate) struct Em<'a, M: Expectation> {
    pub(crate) model: &'a M,
    pub(crate) runs: EmRuns,
    /// The means of the rows that are known to be of a component, where there are any.
    pub(crate) anchors: &'a [Option<Vec<f64>>],
    /// Parameters that are judged and left as they are.
    pub(crate) judged: Option<&'a M::Theta>,
}

impl<M: Expectation> Em<'_, M> {
    /// Runs in memory.
    pub(crate) fn fit(&self, data: &Dataset<'_>, session: &Session) -> Result<Ended<M::Theta>> {
        // Columns are turned into rows once, not at every round.
        let turned = match &data.numbers(self.model.name())? {
            Numbers::Dense(m) if !packed(m.view()) => Some(data.with_input(Input::from(m.view().to_mat()))?),
            _ => None,
        };
        sums::fit(self.model.name(), self, turned.as_ref().unwrap_or(data), session)
    }

    /// Runs over batches.
    pub(crate) fn stream(
        &self,
        can: &Capabilities,
        batches: &mut dyn Batches,
        session: &Session,
    ) -> Result<Ended<M::Theta>> {
        sums::fit_stream(self.model.name(), can, self, batches, session)
    }

    pub(super) fn kmeans(&self) -> KMeans {
        let init = match self.runs.init {
            MixtureInit::Kmeans | MixtureInit::PlusPlus => KMeansInit::PlusPlus,
            MixtureInit::Random | MixtureInit::RandomFromData => KMeansInit::Random,
        };
        KMeans::default().n_clusters(self.runs.n_components).init(init).n_init(KMeansRuns::Count(1))
    }

    /// Begins a run: at given parameters, or at seeds.
    pub(super) fn start(&self, state: &mut EmState<M::Theta>, session: &Session) -> Result<()> {
        (state.objectives, state.fall) = (Vec::new(), 0.0);
        if let Some(theta) = self.judged {
            (state.theta, state.stage) = (Some(theta.clone()), Stage::Judge);
        } else if let Some(theta) = self.model.given(&state.origin)? {
            state.theta = Some(theta);
            state.stage = if self.runs.max_iter == 0 { Stage::Judge } else { Stage::Iterate };
        } else if self.runs.init == MixtureInit::Random {
            let (k, d) = (self.runs.n_components, state.n_features);
            state.centres = Mat::from_fn(k, d, |_, j| state.origin[j]);
            (state.theta, state.stage) =
                (Some(self.model.about(&state.centres, &state.origin)), Stage::Start);
        } else {
            let shape = Shape {
                n_features: state.n_features,
                n_targets: 0,
                n_classes: 0,
                labels: None,
                sparse: false,
                n_rows: None,
            };
            let mut seeds = self.kmeans().begin(&shape, session)?;
            // What blocks remember of one run says nothing in the next.
            seeds.run = state.run;
            (state.kmeans, state.stage) = (Some(seeds), Stage::Seed);
        }
        Ok(())
    }

    /// Goes on with k-means until it has the centres that are wanted.
    pub(super) fn seeded(
        &self,
        state: &mut EmState<M::Theta>,
        sums: KMeansSums,
        session: &Session,
    ) -> Result<()> {
        let Some(seeds) = state.kmeans.take() else { return Err(lost()) };
        state.centres = match self.kmeans().advance(seeds, sums, &session.quiet())? {
            Round::Done(model) => model.centres,
            Round::Go(next) if next.phase == Phase::Iterate && self.runs.init != MixtureInit::Kmeans => {
                next.centres
            }
            Round::Go(next) => {
                state.kmeans = Some(next);
                return Ok(());
            }
        };
        anchored(&mut state.centres, self.anchors);
        (state.theta, state.stage) = (Some(self.model.about(&state.centres, &state.origin)), Stage::Start);
        Ok(())
    }

    /// The M-step of an iteration, and whether the run is at its end.
    pub(super) fn iterated(
        &self,
        state: &mut EmState<M::Theta>,
        theta: &M::Theta,
        sums: &M::Sums,
        session: &Session,
    ) -> Result<Option<bool>> {
        let next = self.model.maximise(theta, sums)?;
        let objective = self.model.objective(theta, sums, &next);
        if !objective.is_finite() {
            return Err(Error::numeric(self.model.name(), "values too large for densities: scale them"));
        }
        let last = state.objectives.last().copied().or(self.runs.last);
        let change = last.map_or(f64::INFINITY, |last| objective - last);
        state.fall = state.fall.max(-change);
        state.objectives.push(objective);
        state.theta = Some(next);
        let (done, most) = (state.objectives.len(), self.runs.max_iter);
        session.step("EM", done as u64, Some(most as u64), Some(objective));
        let converged = change.abs() < self.runs.tol;
        Ok((converged || done >= most).then_some(converged))
    }

    /// Ends a run, and begins the next or judges the best.
    pub(super) fn ended(
        &self,
        state: &mut EmState<M::Theta>,
        converged: bool,
        session: &Session,
    ) -> Result<()> {
        let Some(theta) = state.theta.take() else { return Err(lost()) };
        let objectives = std::mem::take(&mut state.objectives);
        let found = EmFound { theta, objectives, converged, fall: state.fall, end: None };
        let best = match state.best.take() {
            Some(best) => best.or_better(found),
            None => found,
        };
        state.run += 1;
        if state.run < self.runs.n_init as u64 {
            state.best = Some(best);
            return self.start(state, session);
        }
        (state.theta, state.best, state.stage) = (Some(best.theta.clone()), Some(best), Stage::Judge);
        Ok(())
    }

    /// The last parameters of the best run, with the objective there.
    pub(super) fn judged(&self, state: EmState<M::Theta>, sums: &M::Sums) -> Result<Ended<M::Theta>> {
        let Some(theta) = state.theta else { return Err(lost()) };
        let next = self.model.maximise(&theta, sums).ok();
        let objective = self.model.objective(&theta, sums, next.as_ref().unwrap_or(&theta));
        if !objective.is_finite() {
            return Err(Error::numeric(self.model.name(), "values too large for densities: scale them"));
        }
        let residual = next.map(|next| self.model.distance(&theta, &next)).filter(|r| r.is_finite());
        let end = Some((objective, residual));
        let none = |theta| EmFound { theta, objectives: vec![], converged: false, fall: 0.0, end: None };
        let found = EmFound { end, ..state.best.unwrap_or_else(|| none(theta)) };
        Ok(Ended { found, why: None })
    }
}

/// The end of all runs.
#[derive(Debug)]
pub(crate) struct Ended<T> {
    pub(crate) found: EmFound<T>,
    /// Why the work was stopped, where it was.
    pub(crate) why: Option<Termination>,
}

pub(crate) fn lost() -> Error {
    ErrorKind::Cancelled.into()
}

/// Whether a matrix lies row by row without holes.
fn packed(x: MatRef<'_>) -> bool {
    x.has_contiguous_rows() && (x.row_stride() == x.n_cols() || x.n_rows() <= 1)
}
