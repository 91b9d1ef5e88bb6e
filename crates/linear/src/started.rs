//! Fits that begin at given coefficients.

use crate::LogisticRegression;
use crate::logistic_direct;
use crate::sgd::{OneClassModel, Perceptron, SGDClassifier, SGDOneClassSVM, SGDRegressor};
use mercer_core::{Dataset, Error, Fit, Learn, Learner, Model, Result, Schema, Session, Trained};
use mercer_math::Mat;
use std::any::Any;

/// Learns from coefficients and intercepts, one row for each score, instead of from nothing: logistic regressions and learners
/// by stochastic gradients, whose steps are counted from the first. Of a one-class machine, the offset is its intercept.
///
/// # Example
/// ```
/// use mercer_core::{Dataset, Fit, Learner, Session, Target};
/// use mercer_linear::{LogisticRegression, fit_from};
/// use mercer_math::Mat;
/// let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
/// let data = Dataset::new(&x).with_target(Target::classes(&["no", "yes", "no", "yes"]))?;
/// let learner = LogisticRegression::default().solver(mercer_linear::LogisticSolver::Lbfgs);
/// let once = learner.fit(&data)?;
/// let again = fit_from(&learner, (&once.coef, &once.intercept), &data, &Session::default())?;
/// assert_eq!(again.certificate().iterations, Some(0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn fit_from(
    learner: &dyn Learner,
    start: (&Mat, &[f64]),
    data: &Dataset<'_>,
    session: &Session,
) -> Result<Box<dyn Model>> {
    let any: &dyn Any = learner;
    if let Some(learner) = any.downcast_ref::<LogisticRegression>() {
        return started(learner, data, session, |data| {
            let (k, d) = (start.0.n_rows(), start.0.n_cols());
            let weights = (0..d).flat_map(|j| (0..k).map(move |c| start.0[(c, j)]));
            let intercepts = start.1.iter().copied().filter(|_| learner.fitting.intercept.fit_intercept);
            logistic_direct::fit_from(learner, Some(weights.chain(intercepts).collect()), data, session)
        });
    }
    if let Some(learner) = any.downcast_ref::<SGDClassifier>() {
        return started(learner, data, session, |data| learner.plan().learn_from(start, data, session));
    }
    if let Some(learner) = any.downcast_ref::<SGDRegressor>() {
        return started(learner, data, session, |data| learner.plan().learn_from(start, data, session));
    }
    if let Some(learner) = any.downcast_ref::<Perceptron>() {
        return started(learner, data, session, |data| learner.plan().learn_from(start, data, session));
    }
    if let Some(learner) = any.downcast_ref::<SGDOneClassSVM>() {
        return started(learner, data, session, |data| {
            let [offset] = start.1 else {
                return Err(Error::shape("offsets to begin with", 1, start.1.len()));
            };
            if start.0.as_slice().len() != data.n_features() {
                let wrong = start.0.as_slice().len();
                return Err(Error::shape("coefficients to begin with", data.n_features(), wrong));
            }
            let state = OneClassModel::state_at(learner, start.0.as_slice(), *offset);
            learner.train(Some(state), data, learner.passes.max_iter, session)
        });
    }
    Err(Error::incapable(learner.declaration().name, "begin at given coefficients"))
}

fn started<L: Learn>(
    learner: &L,
    data: &Dataset<'_>,
    session: &Session,
    learn: impl FnOnce(&Dataset<'_>) -> Result<L::Model> + Send,
) -> Result<Box<dyn Model>> {
    let data = &learner.checked(data)?;
    let model = session.run(|| learn(data))?;
    Ok(Trained::assembled(learner, model, Schema::of(data), session.seed())?.into_model())
}
