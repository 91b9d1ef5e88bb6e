//! The rounds of expectation maximisation: what each asks of a block of rows, and where it leads.

use super::em::{Em, EmFound, EmState, EmSums, Ended, Expectation, Seen, Stage, lost};
use super::start::{MixtureInit, nearest, random_shares};
use crate::KMeansLocal;
use mercer_core::sums::{Block, BySums, Round, Shape};
use mercer_core::{Error, Result, Session, Termination};
use mercer_math::{BLOCK_ROWS, ColumnMoments, Mat};

impl<M: Expectation> BySums for Em<'_, M> {
    type State = EmState<M::Theta>;
    type Summary = EmSums<M::Sums>;
    type Local = KMeansLocal;
    type Model = Ended<M::Theta>;

    fn block_rows(&self, shape: &Shape) -> usize {
        self.kmeans().block_rows(shape).min(BLOCK_ROWS)
    }

    fn begin(&self, shape: &Shape, session: &Session) -> Result<Self::State> {
        if shape.n_features == 0 {
            return Err(Error::too_few(self.model.name(), "features", 1, 0));
        }
        Ok(EmState {
            stage: Stage::Scan,
            seed: session.seed(),
            run: 0,
            n_features: shape.n_features,
            kmeans: None,
            origin: Vec::new(),
            centres: Mat::default(),
            theta: None,
            objectives: Vec::new(),
            fall: 0.0,
            best: None,
        })
    }

    fn empty(&self, state: &Self::State) -> Self::Summary {
        let mut out = EmSums { moments: None, kmeans: None, sums: None };
        match (state.stage, &state.kmeans, &state.theta) {
            (Stage::Scan, _, _) => out.moments = Some(ColumnMoments::empty(state.n_features)),
            (Stage::Seed, Some(seeds), _) => out.kmeans = Some(self.kmeans().empty(seeds)),
            (_, _, Some(theta)) => out.sums = Some(self.model.zero(theta)),
            _ => {}
        }
        out
    }

    fn absorb(
        &self,
        state: &Self::State,
        block: &Block<'_>,
        local: &mut KMeansLocal,
        out: &mut Self::Summary,
    ) -> Result<()> {
        let mut scratch = Mat::default();
        let x = block.dense(&mut scratch);
        if state.stage == Stage::Scan {
            self.model.check(x)?;
            out.moments = Some(ColumnMoments::of_block(x, block.weights.given()));
        }
        if let (Some(seeds), Some(sums)) = (&state.kmeans, &mut out.kmeans) {
            return self.kmeans().absorb(seeds, block, local, sums);
        }
        if let (Some(theta), Some(sums)) = (&state.theta, &mut out.sums) {
            let mut shares = Vec::new();
            if state.stage == Stage::Start {
                shares = match self.runs.init {
                    MixtureInit::Random => random_shares(x, self.runs.n_components, state.seed, state.run),
                    _ => nearest(x, &state.centres),
                };
            }
            let seen = Seen {
                x,
                weights: block.weights,
                shares: (!shares.is_empty()).then_some(shares.as_slice()),
                known: self.runs.labelled.then_some(block.classes),
            };
            self.model.expect(theta, seen, sums);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::Summary, other: Self::Summary) {
        if let (Some(a), Some(b)) = (into.moments.take(), other.moments) {
            into.moments = Some(a.merge(b));
        }
        if let (Some(a), Some(b)) = (&mut into.kmeans, other.kmeans) {
            self.kmeans().merge(a, b);
        }
        if let (Some(a), Some(b)) = (&mut into.sums, other.sums) {
            self.model.merge(a, b);
        }
    }

    fn advance(
        &self,
        mut state: Self::State,
        sums: Self::Summary,
        session: &Session,
    ) -> Result<Round<Self::State, Self::Model>> {
        match (state.stage, sums) {
            (Stage::Scan, EmSums { moments: Some(moments), .. }) => {
                if moments.columns.iter().all(|c| c.weight <= 0.0) {
                    return Err(Error::too_few(self.model.name(), "rows of positive weight", 1, 0));
                }
                state.origin = moments.means();
                let spread: f64 = moments.variances().iter().sum();
                if !(spread + state.origin.iter().map(|v| v * v).sum::<f64>()).is_finite() {
                    return Err(Error::numeric(
                        self.model.name(),
                        "values too large for squares: scale them",
                    ));
                }
                self.start(&mut state, session)?;
            }
            (Stage::Seed, EmSums { kmeans: Some(sums), .. }) => self.seeded(&mut state, sums, session)?,
            (Stage::Start, EmSums { sums: Some(sums), .. }) => {
                let Some(theta) = state.theta.take() else { return Err(lost()) };
                state.theta = Some(self.model.amend(self.model.maximise(&theta, &sums)?)?);
                state.stage = Stage::Iterate;
                if self.runs.max_iter == 0 {
                    self.ended(&mut state, false, session)?;
                }
            }
            (Stage::Iterate, EmSums { sums: Some(sums), .. }) => {
                let Some(theta) = state.theta.take() else { return Err(lost()) };
                if let Some(converged) = self.iterated(&mut state, &theta, &sums, session)? {
                    self.ended(&mut state, converged, session)?;
                }
            }
            (Stage::Judge, EmSums { sums: Some(sums), .. }) => {
                return self.judged(state, &sums).map(Round::Done);
            }
            _ => return Err(lost()),
        }
        Ok(Round::Go(state))
    }

    fn abandon(&self, state: Self::State, why: Termination) -> Option<Self::Model> {
        let now = match (state.stage, state.theta) {
            (Stage::Iterate, Some(theta)) if !state.objectives.is_empty() => {
                let (objectives, fall) = (state.objectives, state.fall);
                Some(EmFound { theta, objectives, converged: false, fall, end: None })
            }
            _ => None,
        };
        let found = match (state.best, now) {
            (Some(best), Some(now)) => Some(best.or_better(now)),
            (best, now) => best.or(now),
        };
        Some(Ended { found: found?, why: Some(why) })
    }
}
