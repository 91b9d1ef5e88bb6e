//! From data and settings to problems, to the solver that suits them, and to what is proved.

use super::crammer_singer::{Classes, descend_classes, standing_classes};
use super::dual::{Budget, Descent, descend};
use super::l1::{descend_l1, standing_l1};
use super::newton::newton;
use super::problem::{Problem, Standing};
use crate::points::{OnPoints, Points, on_points};
use mercer_core::{ClassWeight, Dataset, Error, ParamGroup, ParamKind, ParamType, Result, Session, Value};
use mercer_math::Weights;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Which form of a problem is solved: the one in the coefficients, or the dual, in the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dual {
    /// The dual where there are more features than rows, if the problem has it.
    Auto,
    /// The dual.
    Yes,
    /// The problem itself.
    No,
}

impl ParamType for Dual {
    fn kind() -> ParamKind {
        ParamKind::Choice { words: &["auto", "true", "false"], number: false }
    }

    fn to_value(&self) -> Value {
        match self {
            Dual::Auto => Value::from("auto"),
            Dual::Yes => Value::Bool(true),
            Dual::No => Value::Bool(false),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(word) if word == "auto" => Ok(Dual::Auto),
            Value::Text(word) if word == "true" => Ok(Dual::Yes),
            Value::Text(word) if word == "false" => Ok(Dual::No),
            Value::Bool(true) => Ok(Dual::Yes),
            Value::Bool(false) => Ok(Dual::No),
            _ => Err("one of auto, true, false".to_owned()),
        }
    }
}

impl Dual {
    /// Whether the dual is solved, of a problem that has it or not, and can be solved directly or not.
    pub(crate) fn chosen(self, n: usize, d: usize, has_dual: bool, has_primal: bool) -> bool {
        match self {
            Dual::Yes => true,
            Dual::No => false,
            Dual::Auto if n < d => has_dual,
            Dual::Auto => !has_primal,
        }
    }
}

/// What linear machines share: the weight of the loss, the intercept, and how the solution is found.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct SvmParams {
    /// Weight of the loss against the penalty: smaller is simpler.
    #[param(name = "C", default = 1.0, range = "(0, inf)", search = "log 1e-4..1e4")]
    pub c: f64,
    /// Where the solver stops.
    #[param(default = 1e-4, range = "(0, inf)")]
    pub tol: f64,
    /// Whether to fit an intercept.
    #[param(default = true)]
    pub fit_intercept: bool,
    /// The constant that stands behind the features of each row; the larger, the less the intercept is penalised.
    #[param(default = 1.0, range = "(0, inf)")]
    pub intercept_scaling: f64,
    /// Whether the dual problem is solved; auto does where there are more features than rows, if the problem has both forms.
    #[param(default = Dual::Auto)]
    pub dual: Dual,
    /// Most passes over the rows or coefficients, or Newton steps.
    #[param(default = 1000, range = "[1, inf)")]
    pub max_iter: usize,
}

/// The settings of a machine: all that is needed to solve its problem, and to prove a solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) name: String,
    pub(crate) form: Form,
    pub(crate) squared: bool,
    pub(crate) c: f64,
    /// Half the width of the tube, for numbers.
    pub(crate) epsilon: f64,
    /// The constant behind the features; 0 for none.
    pub(crate) bias: f64,
    pub(crate) tol: f64,
    pub(crate) max_iter: usize,
    pub(crate) class_weight: Option<ClassWeight>,
    pub(crate) seed: u64,
}

/// How the problem is posed and solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Form {
    /// L2 penalty, in the rows.
    Dual,
    /// L2 penalty, in the coefficients.
    Primal,
    /// L1 penalty.
    L1,
    /// All classes at once.
    CrammerSinger,
}

/// What is to be solved: one problem for each vector of weights, or one for all.
pub(crate) enum Task {
    Each(Vec<Problem>),
    Joint(Classes),
}

/// Solutions: vectors of weights, the constant's last, and how they stand.
pub(crate) struct Solved {
    pub(crate) weights: Vec<Vec<f64>>,
    pub(crate) iterations: usize,
    pub(crate) termination: mercer_core::Termination,
    pub(crate) standing: Standing,
}

impl Machine {
    pub(crate) fn new(name: &str, form: Form, squared: bool, params: &SvmParams, session: &Session) -> Self {
        Self {
            name: name.to_owned(),
            form,
            squared,
            c: params.c,
            epsilon: 0.0,
            bias: if params.fit_intercept { params.intercept_scaling } else { 0.0 },
            tol: params.tol,
            max_iter: params.max_iter,
            class_weight: None,
            seed: session.seed(),
        }
    }

    /// The problems that data pose.
    pub(crate) fn task(&self, data: &Dataset<'_>) -> Result<Task> {
        let target = data.need_target(&self.name)?;
        let n = data.n_rows();
        let weights = Weights::of(&data.weights()).to_vec(n);
        if !target.is_class() {
            let costs = weights.iter().map(|w| self.c * w).collect();
            let targets = target.numbers()?.to_vec();
            let (classes, squared, epsilon) = (false, self.squared, self.epsilon);
            return Ok(Task::Each(vec![Problem { targets, costs, classes, squared, epsilon }]));
        }
        let (codes, labels) = target.class()?;
        let mut totals = vec![0.0; labels.len()];
        codes.iter().zip(&weights).for_each(|(&c, w)| totals[c as usize] += w);
        let present = totals.iter().filter(|t| **t > 0.0).count();
        if present < 2 {
            return Err(Error::too_few(&self.name, "classes", 2, present));
        }
        let factors = match &self.class_weight {
            Some(given) => given.factors(&self.name, labels, &totals)?,
            None => vec![1.0; labels.len()],
        };
        let cost = |i: usize, factor: f64| self.c * weights[i] * factor;
        if self.form == Form::CrammerSinger {
            let costs = (0..n).map(|i| cost(i, factors[codes[i] as usize])).collect();
            return Ok(Task::Joint(Classes { codes: codes.to_vec(), n_classes: labels.len(), costs }));
        }
        let against_rest = |class: u32| {
            let own = |i: usize| codes[i] == class;
            // As in LIBLINEAR, the rest of several classes is not weighted by class.
            let factor =
                |i: usize| if own(i) || labels.len() == 2 { factors[codes[i] as usize] } else { 1.0 };
            let targets = (0..n).map(|i| if own(i) { 1.0 } else { -1.0 }).collect();
            let costs = (0..n).map(|i| cost(i, factor(i))).collect();
            Problem { targets, costs, classes: true, squared: self.squared, epsilon: 0.0 }
        };
        let classes = if labels.len() == 2 { 1..2 } else { 0..labels.len() as u32 };
        Ok(Task::Each(classes.map(against_rest).collect()))
    }

    /// Solves, classes side by side.
    pub(crate) fn solve(&self, data: &Dataset<'_>, session: &Session) -> Result<Solved> {
        let (task, x) = (self.task(data)?, data.numbers(&self.name)?);
        on_points(x.view(), self.bias, Solve { machine: self, task: &task, session })
    }

    /// How given weights stand on some data. Where the loss has a kink the rows do not tell the dual point: it is solved for
    /// again, as it was in training.
    pub(crate) fn standing(
        &self,
        data: &Dataset<'_>,
        weights: &[Vec<f64>],
        session: &Session,
    ) -> Result<Standing> {
        let (task, x) = (self.task(data)?, data.numbers(&self.name)?);
        on_points(x.view(), self.bias, Prove { machine: self, task: &task, weights, session })
    }

    fn descend<P: Points>(&self, points: &P, problem: &Problem, at: usize, session: &Session) -> Descent {
        let budget = Budget { tol: self.tol, max_iter: self.max_iter, session };
        let rng = mercer_math::rng_for(self.seed, at as u64);
        match self.form {
            Form::Dual | Form::CrammerSinger => descend(points, problem, &budget, rng),
            Form::Primal => newton(points, problem, &budget),
            Form::L1 => descend_l1(points, problem, &budget, rng),
        }
    }

    /// The standing of weights on one problem, beside dual variables where the loss has a kink.
    fn one_standing<P: Points>(&self, points: &P, problem: &Problem, w: &[f64], beta: &[f64]) -> Standing {
        match (self.form, self.squared) {
            (Form::L1, _) => standing_l1(points, problem, w),
            (_, true) => problem.standing(points, w, None),
            (_, false) => problem.standing(points, w, Some(beta)),
        }
    }

    fn joint<P: Points>(&self, points: &P, rows: &Classes, session: &Session) -> Descent {
        let budget = Budget { tol: self.tol, max_iter: self.max_iter, session };
        descend_classes(points, rows, &budget, mercer_math::rng_for(self.seed, 0))
    }
}

struct Solve<'s> {
    machine: &'s Machine,
    task: &'s Task,
    session: &'s Session,
}

impl OnPoints for Solve<'_> {
    type Out = Result<Solved>;

    fn on<P: Points>(self, points: &P) -> Result<Solved> {
        let Self { machine, task, session } = self;
        let large = || {
            Error::numeric(
                &machine.name,
                "values whose squares are too large: scale the features or the target",
            )
        };
        if (0..points.n()).any(|i| !points.norm2(i).is_finite()) {
            return Err(large());
        }
        let solved = match task {
            Task::Joint(rows) => {
                let found = machine.joint(points, rows, session);
                let standing = standing_classes(points, rows, &found.w, &found.beta);
                let weights = found.w.chunks(points.width().max(1)).map(<[f64]>::to_vec).collect();
                let (iterations, termination) = (found.iterations, found.termination);
                Solved { weights, iterations, termination, standing }
            }
            Task::Each(problems) => {
                let one = |(at, problem): (usize, &Problem)| {
                    let found = machine.descend(points, problem, at, session);
                    let standing = machine.one_standing(points, problem, &found.w, &found.beta);
                    (found, standing)
                };
                let all: Vec<(Descent, Standing)> = problems.par_iter().enumerate().map(one).collect();
                let iterations = all.iter().map(|(f, _)| f.iterations).max().unwrap_or(0);
                let ends = || all.iter().map(|(f, _)| f.termination);
                let termination = ends().find(|t| !t.is_success()).or_else(|| ends().next());
                let termination = termination.unwrap_or(mercer_core::Termination::Exact);
                let standing = all.iter().map(|(_, s)| *s).fold(Standing::default(), Standing::and);
                let weights = all.into_iter().map(|(f, _)| f.w).collect();
                Solved { weights, iterations, termination, standing }
            }
        };
        let known = solved.weights.iter().flatten().all(|w| w.is_finite());
        if !(known && solved.standing.objective.is_finite() && solved.standing.gap.is_finite()) {
            return Err(large());
        }
        Ok(solved)
    }
}

struct Prove<'s> {
    machine: &'s Machine,
    task: &'s Task,
    weights: &'s [Vec<f64>],
    session: &'s Session,
}

impl OnPoints for Prove<'_> {
    type Out = Result<Standing>;

    fn on<P: Points>(self, points: &P) -> Result<Standing> {
        let Self { machine, task, weights, session } = self;
        let expected = match task {
            Task::Joint(rows) => rows.n_classes,
            Task::Each(problems) => problems.len(),
        };
        if weights.len() != expected {
            return Err(Error::shape("classes", weights.len(), expected));
        }
        let session = &session.undisturbed();
        match task {
            Task::Joint(rows) => {
                let found = machine.joint(points, rows, session);
                Ok(standing_classes(points, rows, &weights.concat(), &found.beta))
            }
            Task::Each(problems) => {
                let one = |(at, problem): (usize, &Problem)| {
                    let kink = machine.form == Form::Dual && !machine.squared;
                    let beta =
                        if kink { machine.descend(points, problem, at, session).beta } else { Vec::new() };
                    machine.one_standing(points, problem, &weights[at], &beta)
                };
                let all: Vec<Standing> = problems.par_iter().enumerate().map(one).collect();
                Ok(all.into_iter().fold(Standing::default(), Standing::and))
            }
        }
    }
}
