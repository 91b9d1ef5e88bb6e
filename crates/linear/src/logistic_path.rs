//! Logistic regression along many strengths of its penalty, each fit begun where the last one ended.

use crate::logistic::LogisticRegression;
use crate::logistic_direct::{Ended, fit_from};
use crate::logistic_loss::{LogisticLocal, LogisticSums};
use crate::logistic_model::LogisticModel;
use crate::logistic_state::LogisticState;
use mercer_core::sums::{Block, BySums, Round, Shape};
use mercer_core::{Dataset, Error, Fit, Learn, Result, Session, Termination};

/// The fits of a learner for each weight of the loss, in this order; each begins at the coefficients of the one before, so
/// that rising weights (falling penalties) are cheapest.
///
/// # Example
/// ```
/// use mercer_core::{Dataset, Session, Target};
/// use mercer_linear::{LogisticRegression, logistic_path};
/// use mercer_math::Mat;
/// let x = Mat::from_fn(30, 1, |i, _| i as f64 / 10.0);
/// let y: Vec<i64> = (0..30).map(|i| i64::from((i * 7) % 30 > 29 - i)).collect();
/// let data = Dataset::new(&x).with_target(Target::classes(&y))?;
/// let path = logistic_path(&LogisticRegression::default(), &[0.01, 1.0, 100.0], &data, &Session::default())?;
/// assert!(path[0].coef[(0, 0)] < path[1].coef[(0, 0)] && path[1].coef[(0, 0)] < path[2].coef[(0, 0)]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn logistic_path(
    learner: &LogisticRegression,
    cs: &[f64],
    data: &Dataset<'_>,
    session: &Session,
) -> Result<Vec<LogisticModel>> {
    if cs.is_empty() {
        return Err(Error::param("logistic_path", "cs", "at least one weight of the loss", "[]"));
    }
    let data = learner.checked(data)?;
    session.run(|| along(learner, cs, &data, session))
}

/// The same on data that are checked, in the session's pool.
pub(crate) fn along(
    learner: &LogisticRegression,
    cs: &[f64],
    data: &Dataset<'_>,
    session: &Session,
) -> Result<Vec<LogisticModel>> {
    let mut models: Vec<LogisticModel> = Vec::with_capacity(cs.len());
    for &c in cs {
        let learner = LogisticRegression { c, ..learner.clone() };
        learner.check()?;
        models.push(from(&learner, models.last(), data, session)?);
    }
    Ok(models)
}

/// A fit that begins at the coefficients of a model.
pub(crate) fn from(
    learner: &LogisticRegression,
    model: Option<&LogisticModel>,
    data: &Dataset<'_>,
    session: &Session,
) -> Result<LogisticModel> {
    let start = model.map(|m| m.point(learner.fitting.intercept.fit_intercept));
    fit_from(learner, start, data, session)
}

/// [`LogisticRegression`] with a start of its own, which is left where another solver `ended` there.
pub(crate) struct Warm<'a> {
    pub(crate) learner: &'a LogisticRegression,
    pub(crate) start: Option<Vec<f64>>,
    pub(crate) ended: Option<Ended>,
}

impl BySums for Warm<'_> {
    type State = LogisticState;
    type Summary = LogisticSums;
    type Local = LogisticLocal;
    type Model = LogisticModel;

    fn block_rows(&self, shape: &Shape) -> usize {
        self.learner.block_rows(shape)
    }

    fn begin(&self, shape: &Shape, session: &Session) -> Result<LogisticState> {
        self.learner.begin(shape, session)
    }

    fn empty(&self, state: &LogisticState) -> LogisticSums {
        self.learner.empty(state)
    }

    fn absorb(
        &self,
        state: &LogisticState,
        block: &Block<'_>,
        local: &mut LogisticLocal,
        out: &mut LogisticSums,
    ) -> Result<()> {
        self.learner.absorb(state, block, local, out)
    }

    fn merge(&self, into: &mut LogisticSums, other: LogisticSums) {
        into.merge(other);
    }

    fn advance(
        &self,
        mut state: LogisticState,
        sums: LogisticSums,
        session: &Session,
    ) -> Result<Round<LogisticState, LogisticModel>> {
        if state.search.is_none() {
            self.learner.start(&mut state, &sums, self.start.as_deref())?;
            if let (Some(_), Some(point)) = (self.ended, &self.start) {
                state.ended = self.ended;
                state.evaluate_at(point.clone())?;
            }
            return Ok(Round::Go(state));
        }
        self.learner.advance(state, sums, session)
    }

    fn abandon(&self, state: LogisticState, why: Termination) -> Option<LogisticModel> {
        self.learner.abandon(state, why)
    }
}
