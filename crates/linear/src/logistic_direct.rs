//! Solvers of logistic regression that see all rows at once, and which solver is taken when.

use crate::logistic::LogisticRegression;
use crate::logistic_coordinate::{Binary, Found, Limits, descend};
use crate::logistic_model::LogisticModel;
use crate::logistic_path::Warm;
use crate::logistic_saga::{Averaged, average};
use crate::logistic_settings::LogisticSolver;
use crate::points::{OnPoints, Points, columns_of, on_points};
use mercer_core::{Dataset, Error, NumbersRef, Params, Result, Session, Termination, sums};
use mercer_math::{CsrRef, Weights};

/// How a fit goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By rounds of sums over rows.
    Sums,
    /// By coordinate descent on columns.
    Coordinate,
    /// By average gradients.
    Average,
}

/// How a solver that does not go by sums ended: the steps it made, and what it proved.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Ended {
    pub(crate) termination: Termination,
    pub(crate) iterations: u64,
    pub(crate) gap: Option<f64>,
}

impl LogisticRegression {
    /// The way of a fit of so many classes.
    pub(crate) fn way(&self, classes: usize) -> Way {
        match self.fitting.solver {
            LogisticSolver::Coordinate => Way::Coordinate,
            LogisticSolver::Sag | LogisticSolver::Saga => Way::Average,
            LogisticSolver::Auto | LogisticSolver::Liblinear if classes == 2 && self.l1_share() > 0.0 => {
                Way::Coordinate
            }
            _ => Way::Sums,
        }
    }
}

/// The rows as solvers take them.
struct Rows {
    codes: Vec<u32>,
    /// With the weights of the classes.
    weights: Vec<f64>,
    total: f64,
    present: Vec<bool>,
}

impl Rows {
    fn of(learner: &LogisticRegression, data: &Dataset<'_>) -> Result<Self> {
        let name = LogisticRegression::NAME;
        let target = data.need_target(name)?;
        let (codes, labels) = target.class()?;
        let mut weights = Weights::of(&data.weights()).to_vec(data.n_rows());
        let mut totals = vec![0.0; labels.len()];
        codes.iter().zip(&weights).for_each(|(&c, w)| totals[c as usize] += w);
        let present: Vec<bool> = totals.iter().map(|t| *t > 0.0).collect();
        let count = present.iter().filter(|p| **p).count();
        if count < 2 {
            return Err(Error::too_few(name, "classes", 2, count));
        }
        if let Some(given) = &learner.fitting.classes.class_weight {
            let factors = given.factors(name, labels, &totals)?;
            weights.iter_mut().zip(codes).for_each(|(w, &c)| *w *= factors[c as usize]);
        }
        let total = mercer_math::sum(&weights);
        let measured = !learner.penalised() || (learner.c * total).is_finite();
        if !(total > 0.0 && total.is_finite() && measured) {
            return Err(Error::numeric(name, "the weights of the rows add up to no finite positive number"));
        }
        Ok(Self { codes: codes.to_vec(), weights, total, present })
    }

    /// The problem of two classes, in units of the penalty.
    fn binary(&self, learner: &LogisticRegression) -> Binary {
        let share = learner.l1_share();
        let by = if learner.penalised() { learner.c } else { 1.0 };
        let strength = f64::from(learner.penalised());
        Binary {
            signs: self.codes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect(),
            costs: self.weights.iter().map(|w| by * w).collect(),
            l1: strength * share,
            l2: strength * (1.0 - share),
            intercept: learner.fitting.intercept.fit_intercept,
            intercept_cost: learner.fitting.intercept_cost(),
        }
    }
}

/// A fit that begins at given coefficients (by features, the intercepts last), or at none.
pub(crate) fn fit_from(
    learner: &LogisticRegression,
    start: Option<Vec<f64>>,
    data: &Dataset<'_>,
    session: &Session,
) -> Result<LogisticModel> {
    let name = LogisticRegression::NAME;
    let classes = data.need_target(name)?.class()?.1.len();
    if classes > 2 && learner.fitting.one_score() {
        let allowed = "another than coordinate and liblinear for more than two classes";
        return Err(Error::param(name, "solver", allowed, classes));
    }
    // LIBLINEAR begins anew: a fit along a path is the fit alone.
    let start = start.filter(|_| learner.fitting.solver != LogisticSolver::Liblinear);
    let way = learner.way(classes);
    if way == Way::Sums {
        return sums::fit(name, &Warm { learner, start, ended: None }, data, session);
    }
    let (rows, x) = (Rows::of(learner, data)?, data.numbers(name)?);
    let scores = if classes == 2 { 1 } else { classes };
    let width = data.n_features() + usize::from(learner.fitting.intercept.fit_intercept);
    let start = start.filter(|s| s.len() == width * scores).unwrap_or_else(|| vec![0.0; width * scores]);
    let solve = Solve { learner, rows: &rows, x: x.view(), start: &start, session, way };
    let (found, gap) = on_points(x.view(), 0.0, solve);
    let Found { point, iterations, termination } = found;
    if point.iter().any(|w| !w.is_finite()) {
        return Err(Error::numeric(name, "coefficients grew too large: scale the features"));
    }
    let ended = Some(Ended { termination, iterations, gap });
    sums::fit(name, &Warm { learner, start: Some(point), ended }, data, &session.undisturbed())
}

/// The duality gap of a model's point on data; see [`Binary::relative_gap`].
pub(crate) fn relative_gap(learner: &LogisticRegression, point: &[f64], data: &Dataset<'_>) -> Result<f64> {
    let (rows, x) = (Rows::of(learner, data)?, data.numbers(LogisticRegression::NAME)?);
    Ok(on_points(x.view(), 0.0, Gap { problem: &rows.binary(learner), point }))
}

struct Gap<'g> {
    problem: &'g Binary,
    point: &'g [f64],
}

impl OnPoints for Gap<'_> {
    type Out = f64;

    fn on<P: Points>(self, points: &P) -> f64 {
        self.problem.relative_gap(points, self.point)
    }
}

struct Solve<'s> {
    learner: &'s LogisticRegression,
    rows: &'s Rows,
    x: NumbersRef<'s>,
    start: &'s [f64],
    session: &'s Session,
    way: Way,
}

impl OnPoints for Solve<'_> {
    type Out = (Found, Option<f64>);

    fn on<P: Points>(self, points: &P) -> Self::Out {
        let Self { learner, rows, start, session, .. } = self;
        let fitting = &learner.fitting;
        let mut limits =
            Limits { tol: fitting.tol, gap: 0.1 * fitting.tol, max_iter: fitting.max_iter, session };
        if self.way == Way::Coordinate {
            let columns = match self.x {
                NumbersRef::Sparse(x) => x.transposed(),
                NumbersRef::Dense(_) => columns_of(points),
            };
            let problem = rows.binary(learner);
            limits.tol *= unit(columns.view(), rows) * mercer_math::sum(&problem.costs);
            let found = descend(points, columns.view(), &problem, start, &limits);
            let gap = problem.relative_gap(points, &found.point);
            return (found, Some(gap));
        }
        let n = rows.weights.iter().filter(|w| **w > 0.0).count() as f64;
        let strength = if learner.penalised() { 1.0 / (learner.c * rows.total) } else { 0.0 };
        let problem = Averaged {
            codes: &rows.codes,
            weights: rows.weights.iter().map(|w| w * n / rows.total).collect(),
            present: rows.present.clone(),
            l1: strength * learner.l1_share(),
            l2: strength * (1.0 - learner.l1_share()),
            intercept: fitting.intercept.fit_intercept,
            saga: fitting.solver == LogisticSolver::Saga,
        };
        (average(points, &problem, start, &limits, session.rng(0)), None)
    }
}

/// Gradients have the units of the features: where these are tiny, so is what counts as no gradient.
fn unit(columns: CsrRef<'_>, rows: &Rows) -> f64 {
    let mean = |j: usize| -> f64 {
        let (at, values) = columns.row(j);
        at.iter().zip(values).map(|(&i, x)| rows.weights[i as usize] * x.abs()).sum::<f64>() / rows.total
    };
    let largest = (0..columns.n_rows()).map(mean).fold(0.0, f64::max);
    if largest > 0.0 { (1e3 * largest).min(1.0) } else { 1.0 }
}
