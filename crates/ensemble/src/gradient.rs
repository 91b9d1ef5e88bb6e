//! The engine of gradient boosting with any weak learner: rounds, line searches, early stopping.

use crate::base;
use crate::line::{Line, Objective};
use crate::stages::{Link, Stage, StagesModel};
use mercer_core::{
    Capabilities, Certificate, Choice, CountOrShare, Dataset, Error, Input, Learner, MaxFeatures,
    NestedLearner, NestedModel, ParamGroup, ParamType, Result, Session, Target, Termination, Value,
};
use mercer_math::{Mat, Rng, Weights, rng_for, sample_indices};
use std::collections::HashMap;

/// How far each weak learner is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum LineSearch {
    /// For losses that fall without end (classes, counts), one step of Newton for each value that it predicts, which
    /// overfits less than their least loss; else as `leaf`.
    Newton,
    /// The step of least loss for each value that it predicts: for each leaf of a tree.
    Leaf,
    /// One step for all rows.
    Global,
}

/// What gradient boosting of numbers and of classes share.
#[derive(Clone, Debug, ParamGroup)]
pub struct GradientBoostingParams {
    /// Factor of every step.
    #[param(default = 0.1, range = "(0, inf)", search = "log 0.01..1")]
    pub learning_rate: f64,
    /// Most rounds.
    #[param(default = 100, range = "[1, inf)", search = "int 20..500")]
    pub n_estimators: usize,
    /// Share of the rows, drawn anew in each round, that a weak learner sees.
    #[param(default = 1.0, range = "(0, 1]", search = "linear 0.3..1")]
    pub subsample: f64,
    /// Depth of the trees; of no meaning with an `estimator`, as are the other limits of trees.
    #[param(default = Some(3), range = "[1, inf)", search = "int 1..8")]
    pub max_depth: Option<usize>,
    /// Least rows of a node of the trees that is split, or the share of all rows.
    #[param(default = CountOrShare::Count(2))]
    pub min_samples_split: CountOrShare,
    /// Least rows of a leaf; fractions are shares of all rows.
    #[param(default = CountOrShare::Count(1), search = "int 1..32")]
    pub min_samples_leaf: CountOrShare,
    /// Least share of all weight in a leaf of the trees.
    #[param(default = 0.0, range = "[0, 0.5]")]
    pub min_weight_fraction_leaf: f64,
    /// Least decrease of impurity by a split of the trees, times the node's share of the weight.
    #[param(default = 0.0, range = "[0, inf)")]
    pub min_impurity_decrease: f64,
    /// How many features the trees look at for each split; none looks at all.
    #[param(default = None)]
    pub max_features: Option<MaxFeatures>,
    /// Most leaves of the trees, which are then grown best first; none is without limit.
    #[param(default = None, range = "[2, inf)")]
    pub max_leaf_nodes: Option<usize>,
    /// Strength of cost-complexity pruning.
    #[param(default = 0.0, range = "[0, inf)")]
    pub ccp_alpha: f64,
    /// The weak learner, a regressor; none means a tree.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// How far each leaf is followed: one step of Newton, the step of least loss, or that of all rows together.
    #[param(default = LineSearch::Newton)]
    pub line_search: LineSearch,
    /// Rounds without progress on validation rows before training ends; none never ends early.
    #[param(default = None, range = "[1, inf)")]
    pub n_iter_no_change: Option<usize>,
    /// Share of the rows set aside for that, unless the data bring validation rows.
    #[param(default = 0.1, range = "(0, 1)")]
    pub validation_fraction: f64,
    /// Least progress.
    #[param(default = 1e-4, range = "[0, inf)")]
    pub tol: f64,
}

impl GradientBoostingParams {
    /// The weak learner that is given, or a tree.
    pub(crate) fn weak(&self) -> Result<Box<dyn Learner>> {
        match &self.estimator {
            Some(learner) => Ok(learner.0.clone()),
            None => {
                let limits = [
                    ("max_depth", self.max_depth.to_value()),
                    ("min_samples_split", self.min_samples_split.to_value()),
                    ("min_samples_leaf", self.min_samples_leaf.to_value()),
                    ("min_weight_fraction_leaf", self.min_weight_fraction_leaf.to_value()),
                    ("min_impurity_decrease", self.min_impurity_decrease.to_value()),
                    ("max_features", self.max_features.to_value()),
                    ("max_leaf_nodes", self.max_leaf_nodes.to_value()),
                    ("ccp_alpha", self.ccp_alpha.to_value()),
                    // Rounds would repeat each other where features tie: on few rows most splits do.
                    ("ties", Value::Text("random".to_owned())),
                ];
                let tree = base::resolve(&None, "DecisionTreeRegressor")?;
                limits.iter().try_fold(tree, |tree, (name, value)| tree.with(name, value))
            }
        }
    }

    /// What boosting of this weak learner can do; steps of leaves are explained through functions of what it says.
    pub(crate) fn together(&self, own: Capabilities, weak: &dyn Learner) -> Capabilities {
        let weak = weak.capabilities();
        let explain = if self.line_search == LineSearch::Global { weak.explain } else { weak.explain_mapped };
        Capabilities { explain, ..base::together(own, &[weak]) }
    }

    /// Whether rows are drawn, for a round or to validate on.
    pub(crate) fn draws(&self) -> bool {
        self.subsample < 1.0 || self.n_iter_no_change.is_some()
    }
}

/// Gradient boosting with its parameters settled.
pub(crate) struct GradientBoost<'a> {
    pub(crate) who: &'static str,
    pub(crate) weak: Box<dyn Learner>,
    pub(crate) objective: Objective,
    pub(crate) params: &'a GradientBoostingParams,
}

/// The rows that are boosted, and what is known of them.
struct Rows {
    y: Vec<f64>,
    w: Vec<f64>,
    scores: Mat,
}

impl Rows {
    fn new(data: &Dataset<'_>, boosting: &GradientBoost<'_>) -> Result<Self> {
        let target = data.need_target(boosting.who)?;
        let y = boosting.objective.truth(&target)?;
        let w = Weights::of(&data.weights()).to_vec(y.len());
        let scores = Mat::zeros(y.len(), boosting.objective.width());
        Ok(Self { y, w, scores })
    }

    fn loss(&self, objective: Objective) -> f64 {
        objective.value(&self.scores, &self.y, &self.w)
    }

    /// The weights of the rows that are not among `drawn`, zero for all others; none where none is left.
    fn without(&self, drawn: &[usize]) -> Option<Vec<f64>> {
        let mut w = self.w.clone();
        drawn.iter().for_each(|&i| w[i] = 0.0);
        w.iter().any(|w| *w > 0.0).then_some(w)
    }
}

impl GradientBoost<'_> {
    pub(crate) fn boost(&self, data: &Dataset<'_>, link: Link, session: &Session) -> Result<StagesModel> {
        let (train, valid) = self.parts(data, session)?;
        let mut rows = Rows::new(&train, self)?;
        let mut checks = valid.as_ref().map(|v| Rows::new(v, self)).transpose()?;
        let mut model = StagesModel {
            start: self.start(&rows),
            stages: Vec::new(),
            learning_rate: self.params.learning_rate,
            link,
            loss: match self.objective {
                Objective::One(loss) => loss.to_string(),
                Objective::Softmax(_) => "softmax".to_owned(),
            },
            train_score: Vec::new(),
            validation_score: Vec::new(),
            out_of_bag: Vec::new(),
            certificate: Certificate::new(Termination::Complete),
        };
        for part in std::iter::once(&mut rows).chain(&mut checks) {
            (0..part.y.len()).for_each(|i| part.scores.row_mut(i).copy_from_slice(&model.start));
        }
        let input = train.input();
        let mut termination = Termination::Complete;
        for t in 0..self.params.n_estimators {
            let last = model.train_score.last().copied();
            if let Some(why) =
                session.step("gradient boosting", t as u64, Some(self.params.n_estimators as u64), last)
            {
                termination = why;
                break;
            }
            let drawn = self.draw(t, &rows, session);
            let unseen = rows.without(&drawn);
            let before = unseen.as_ref().map(|w| self.objective.value(&rows.scores, &rows.y, w));
            let stages = self.round(t, &train, &input, (&mut rows, &drawn), session)?;
            if let (Some(w), Some(before)) = (unseen, before) {
                model.out_of_bag.push((before, self.objective.value(&rows.scores, &rows.y, &w)));
            }
            model.train_score.push(rows.loss(self.objective));
            if let (Some(checks), Some(valid)) = (&mut checks, &valid) {
                model.add(&stages, &valid.input(), &mut checks.scores, session)?;
                model.validation_score.push(checks.loss(self.objective));
            }
            model.stages.extend(stages);
            if self
                .params
                .n_iter_no_change
                .is_some_and(|n| stalled(&model.validation_score, n, self.params.tol))
            {
                termination = Termination::Converged;
                break;
            }
        }
        model.certify(termination, data, session)?;
        Ok(model)
    }

    /// The rows to learn from, and those to check on where training may end early.
    fn parts<'a>(&self, data: &Dataset<'a>, session: &Session) -> Result<(Dataset<'a>, Option<Dataset<'a>>)> {
        if let Some(valid) = data.valid() {
            return Ok((data.clone(), Some(valid.clone())));
        }
        if self.params.n_iter_no_change.is_none() {
            return Ok((data.clone(), None));
        }
        let target = data.need_target(self.who)?;
        let codes = target.class().ok().map(|(codes, _)| codes);
        let split = mercer_measure::train_test(
            data.n_rows(),
            self.params.validation_fraction,
            session.seed(),
            codes,
        )?;
        Ok((data.subset(&split.train)?, Some(data.subset(&split.test)?)))
    }

    /// The best constant scores.
    fn start(&self, rows: &Rows) -> Vec<f64> {
        let all: Vec<usize> = (0..rows.y.len()).filter(|&i| rows.w[i] > 0.0).collect();
        match self.objective {
            Objective::One(_) => {
                let line = self.line(rows, 0, &all);
                vec![line.best(&|_| 1.0)]
            }
            Objective::Softmax(k) => {
                let mut share = vec![0.0; k];
                all.iter().for_each(|&i| share[rows.y[i] as usize] += rows.w[i]);
                let total: f64 = share.iter().sum();
                mercer_measure::softmax::start(&share.iter().map(|s| s / total).collect::<Vec<_>>())
            }
        }
    }

    fn line<'a>(&self, rows: &'a Rows, class: usize, some: &'a [usize]) -> Line<'a> {
        Line { objective: self.objective, scores: &rows.scores, y: &rows.y, w: &rows.w, class, rows: some }
    }

    /// The rows that a round learns from, those without weight left out.
    fn draw(&self, t: usize, rows: &Rows, session: &Session) -> Vec<usize> {
        let n = rows.y.len();
        let mut some: Vec<usize> = match self.params.subsample < 1.0 {
            true => {
                let mut rng: Rng = rng_for(session.seed(), t as u64);
                sample_indices(&mut rng, n, ((self.params.subsample * n as f64) as usize).max(1))
            }
            false => (0..n).collect(),
        };
        some.sort_unstable();
        some.retain(|&i| rows.w[i] > 0.0);
        some
    }

    /// One weak learner for each score, fitted to the steepest descent of the loss, and followed.
    fn round(
        &self,
        t: usize,
        data: &Dataset<'_>,
        input: &Input<'_>,
        (rows, some): (&mut Rows, &[usize]),
        session: &Session,
    ) -> Result<Vec<Stage>> {
        let n = rows.y.len();
        if some.is_empty() {
            return Ok(Vec::new());
        }
        // All scores of a round descend from the same place.
        let pulls: Vec<Vec<f64>> =
            (0..self.objective.width()).map(|k| self.objective.pull(&rows.scores, &rows.y, k)).collect();
        let mut stages = Vec::new();
        let mut moves = Vec::new();
        for (k, pull) in pulls.into_iter().enumerate() {
            if let Some(row) = pull.iter().position(|g| !g.is_finite()) {
                return Err(Error::numeric(self.who, format!("the gradient of row {row} is not finite")));
            }
            let own = data.with_input(data.input())?.with_target(Target::real(pull))?.subset(some)?;
            let task = (t * self.objective.width() + k) as u64;
            let member = NestedModel(self.weak.train(&own, &session.split(task).quiet())?);
            let found = base::numbers(member.0.as_ref(), input, session)?;
            let (values, steps) = self.follow(rows, k, some, &found);
            let stage = Stage { member, class: k as u32, values, steps };
            moves
                .push(found.iter().map(|&h| self.params.learning_rate * stage.step(h)).collect::<Vec<f64>>());
            stages.push(stage);
        }
        for (k, by) in moves.iter().enumerate() {
            (0..n).for_each(|i| rows.scores[(i, k)] += by[i]);
        }
        Ok(stages)
    }

    /// The values of a weak learner and the best step for each.
    fn follow(&self, rows: &Rows, class: usize, some: &[usize], found: &[f64]) -> (Vec<f64>, Vec<f64>) {
        if self.params.line_search == LineSearch::Global {
            let step = self.line(rows, class, some).best(&|i| found[i]);
            return (Vec::new(), vec![step]);
        }
        let mut leaves: HashMap<u64, Vec<usize>> = HashMap::new();
        some.iter().for_each(|&i| leaves.entry((found[i] + 0.0).to_bits()).or_default().push(i));
        let mut values: Vec<f64> = leaves.keys().map(|b| f64::from_bits(*b)).collect();
        values.sort_by(f64::total_cmp);
        let step = |v: &f64| {
            let line = self.line(rows, class, &leaves[&v.to_bits()]);
            match self.params.line_search {
                LineSearch::Newton => line.newton(),
                LineSearch::Leaf | LineSearch::Global => line.best(&|_| 1.0),
            }
        };
        let steps = values.iter().map(step).collect();
        (values, steps)
    }
}

/// Whether the last `n` losses are all no better than the best before them by more than `tol`.
fn stalled(losses: &[f64], n: usize, tol: f64) -> bool {
    let Some(before) = losses.len().checked_sub(n).filter(|b| *b > 0) else { return false };
    let best = losses[..before].iter().fold(f64::INFINITY, |m, l| m.min(*l));
    losses[before..].iter().all(|l| *l > best - tol)
}
