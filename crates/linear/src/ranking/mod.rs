//! Ranking by pairs: a linear score that puts the more relevant row of each pair of a query first.
//!
//! # Objective
//! $$ \min_w\ \tfrac12\lVert w\rVert_2^2 + C\sum_{q}\ \sum_{i,j \in q:\, y_i > y_j} s_i s_j\,\ell(x_i^\top w - x_j^\top w) $$
//! over the pairs of rows of the same query $q$ (group of the data; all rows where there are none) that differ in relevance
//! $y$, with the squared hinge $\ell(z) = \max(0, 1 - z)^2$ (RankSVM) or the logistic loss $\ln(1 + e^{-z})$ (RankNet with a
//! linear score). A row of weight 2 is in twice as many pairs.
//!
//! # Algorithm
//! L-BFGS on columns about their means in units of their spread, which leaves the differences of scores as they are. Queries are
//! worked on side by side.
//!
//! # Complexity
//! An iteration takes O(n d), or O(nnz) of sparse rows, and for each query of m rows O(m log m) with the squared hinge, O(m²)
//! with the logistic loss, which no order of the rows takes apart. Memory of a copy of the rows, of sparse ones of two sparse
//! copies.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::PairwiseRanker;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[1.0, 5.0], [2.0, 5.0], [1.0, 0.0], [3.0, 0.0]]).unwrap();
//! let relevance = Target::real(vec![0.0, 1.0, 0.0, 2.0]);
//! let data = Dataset::new(&x).with_target(relevance)?.with_groups(vec![0, 0, 1, 1])?;
//! let model = PairwiseRanker::default().fit(&data)?;
//! let scores = model.predict(&x)?;
//! assert!(scores.numbers()?[1] > scores.numbers()?[0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Only the order of relevances counts. Scores have no intercept, which no pair would see, and are to be compared within a query.
//!
//! # References
//! - T. Joachims. Optimizing search engines using clickthrough data. KDD, 2002. doi:10.1145/775047.775067
//! - C. Burges et al. Learning to rank using gradient descent. ICML, 2005. doi:10.1145/1102351.1102363
//! - C.-P. Lee, C.-J. Lin. Large-scale linear rankSVM. Neural Computation 26(4), 2014. doi:10.1162/NECO_a_00571

mod pairs;

use crate::linear_model::{LinearRegressionModel, larger};
use crate::ordinal::{ScoreSolverParams, rows::ScaledRows};
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, Error, Evidence, Fitted, Input, Learn, Params,
    Prediction, Result, Schema, Session, Termination,
};
use mercer_math::Mat;
use mercer_optim::{Lbfgs, Objective, Stop, lbfgs};
use pairs::Query;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// What is paid for the difference of the scores of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum PairLoss {
    /// The squared hinge: RankSVM.
    SquaredHinge,
    /// The logistic loss: RankNet.
    Logistic,
}

impl PairLoss {
    /// The loss of a difference, and its slope.
    fn at(self, z: f64) -> (f64, f64) {
        match self {
            PairLoss::SquaredHinge => {
                let short = (1.0 - z).max(0.0);
                (short * short, -2.0 * short)
            }
            PairLoss::Logistic => {
                let e = (-z.abs()).exp();
                let wrong = if z > 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
                ((-z).max(0.0) + e.ln_1p(), -wrong)
            }
        }
    }
}

/// Ranking by pairs: a linear score by which the more relevant row of a query comes first.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "ranker",
    canon = "L9",
    task = Regression,
    python = "linear_model",
    tried = " | loss=logistic",
    mixins = "GroupsMixin",
    can = "explain weights sparse scaled",
    references = "Joachims. Optimizing search engines using clickthrough data. KDD, 2002.|\
                  Burges et al. Learning to rank using gradient descent. ICML, 2005."
)]
pub struct PairwiseRanker {
    /// What is paid for a pair in the wrong order, or too near to it.
    #[param(default = PairLoss::SquaredHinge, search = "among squared_hinge|logistic")]
    pub loss: PairLoss,
    /// Weight of the pairs against the penalty: smaller is simpler.
    #[param(name = "C", default = 1.0, range = "(0, inf)", search = "log 1e-4..1e4")]
    pub c: f64,
    /// When to stop.
    #[param(flatten)]
    pub stop: ScoreSolverParams,
}

/// A fitted ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankingModel {
    linear: LinearRegressionModel,
    loss: PairLoss,
    c: f64,
}

/// Names of the evidence.
const GRADIENT: &str = "relative gradient";
const GAP: &str = "gap bound";

impl Learn for PairwiseRanker {
    type Model = RankingModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<RankingModel> {
        let mut problem = Problem::of(Self::NAME, data, self.loss, self.c, session)?;
        let settings =
            Lbfgs { memory: 20, tol: self.stop.tol, max_iter: self.stop.max_iter, ..Lbfgs::default() };
        let limit = Some(self.stop.max_iter as u64);
        let mut watch = |step: &mercer_optim::Step| match session.step(
            "lbfgs",
            step.iteration as u64,
            limit,
            Some(step.value),
        ) {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        };
        let start = vec![0.0; problem.dim()];
        let found = lbfgs(&mut problem, &start, &settings, Some(&mut watch));
        let termination = match (found.stop, session.interrupted()) {
            (Stop::Converged, _) => Termination::Converged,
            (Stop::MaxIter, _) => Termination::IterationLimit,
            // A long query that was stopped has no value.
            (Stop::Interrupted | Stop::NoProgress, Some(why)) => why,
            (Stop::Interrupted, None) => Termination::Cancelled,
            // Rounding ends it there, too.
            (Stop::NoProgress, None) if found.grad_norm <= 1e-6 => Termination::Converged,
            (Stop::NoProgress, None) => Termination::Stalled,
        };
        let certificate = Certificate::new(termination).with_iterations(found.iterations as u64);
        let certificate = match termination {
            Termination::Cancelled => {
                certificate.with_note("cancelled: nothing is proved of where it stopped")
            }
            _ => problem.certified(&found.x, found.value * problem.total * self.c, certificate),
        };
        let (coef, _) = problem.rows.unscaled(&found.x);
        let coef = Mat::from_fn(1, coef.len(), |_, j| coef[j]);
        let means = problem.rows.means.clone();
        let linear = LinearRegressionModel::of(Self::NAME, coef, vec![0.0], means, certificate)?;
        Ok(RankingModel { linear, loss: self.loss, c: self.c })
    }
}

/// min over u of the mean loss of pairs plus Σ p u² / 2.
struct Problem<'s> {
    session: &'s Session,
    rows: ScaledRows,
    loss: PairLoss,
    /// Rows by query, one query after the other, and where each starts.
    order: Vec<usize>,
    starts: Vec<usize>,
    /// By place in `order`.
    levels: Vec<u32>,
    weights: Vec<f64>,
    /// Σ s_i s_j over all pairs.
    total: f64,
    penalty: Vec<f64>,
}

impl<'s> Problem<'s> {
    fn of(who: &str, data: &Dataset<'_>, loss: PairLoss, c: f64, session: &'s Session) -> Result<Self> {
        let rows = ScaledRows::of(who, data)?;
        let (target, groups) = (data.need_target(who)?, data.groups());
        let y = target.numbers()?;
        let mut queries: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, &i) in rows.kept.iter().enumerate() {
            queries.entry(groups.as_ref().map_or(0, |g| g[i])).or_default().push(at);
        }
        let (mut order, mut starts, mut levels) = (Vec::new(), vec![0], Vec::new());
        for query in queries.into_values() {
            let mut seen: Vec<f64> = query.iter().map(|&at| y[rows.kept[at]]).collect();
            seen.sort_by(f64::total_cmp);
            seen.dedup();
            levels.extend(query.iter().map(|&at| seen.partition_point(|s| *s < y[rows.kept[at]]) as u32));
            order.extend(query);
            starts.push(order.len());
        }
        let weights = order.iter().map(|&at| rows.weights[at]).collect();
        let (total, penalty) = (0.0, Vec::new());
        let mut problem = Self { session, rows, loss, order, starts, levels, weights, total, penalty };
        let scores = vec![0.0; problem.order.len()];
        problem.total = problem.starts.windows(2).map(|w| problem.query(w, &scores).weight()).sum();
        let strength = 1.0 / (c * problem.total);
        if problem.total == 0.0 {
            return Err(Error::too_few(who, "pairs of rows of one query that differ in relevance", 1, 0));
        }
        if !(strength > 0.0 && strength.is_finite()) {
            return Err(Error::numeric(who, "the weights of the pairs are too large or too small for `C`"));
        }
        problem.penalty = problem.rows.penalty(strength);
        Ok(problem)
    }

    fn query<'a>(&'a self, ends: &[usize], scores: &'a [f64]) -> Query<'a> {
        let range = ends[0]..ends[1];
        let (levels, weights) = (&self.levels[range.clone()], &self.weights[range.clone()]);
        Query { scores: &scores[range], levels, weights }
    }

    /// The certificate with what is proved of coefficients.
    fn certified(&mut self, u: &[f64], objective: f64, certificate: Certificate) -> Certificate {
        let (relative, gap) = self.evidence(u);
        if !(relative.is_finite() && objective.is_finite()) {
            return certificate.with_note("stopped before the objective was evaluated: nothing is proved");
        }
        let meaning = "largest entry of the gradient of the convex objective, over the largest at coefficients of zero: zero at the optimum";
        let certificate = certificate
            .with_objective(objective)
            .with_evidence(Evidence::residual(GRADIENT, relative, meaning));
        if gap > 1.0 {
            return certificate;
        }
        let meaning = "strong convexity: the objective, as a mean over pairs, is within this of its minimum";
        certificate.with_evidence(Evidence::bound(GAP, gap, meaning))
    }

    /// The largest entry of the gradient over that at coefficients of zero, and a bound on how far the mean objective is
    /// above its minimum.
    fn evidence(&mut self, u: &[f64]) -> (f64, f64) {
        let (mut g, mut first) = (vec![0.0; u.len()], vec![0.0; u.len()]);
        self.value_grad(u, &mut g);
        self.value_grad(&vec![0.0; u.len()], &mut first);
        let largest = |g: &[f64]| g.iter().map(|g| g.abs()).fold(0.0, larger);
        let relative = if largest(&g) == 0.0 { 0.0 } else { largest(&g) / largest(&first).max(1e-8) };
        (
            relative,
            g.iter().zip(&self.penalty).map(|(g, p)| if *g == 0.0 { 0.0 } else { g * g / (2.0 * p) }).sum(),
        )
    }
}

impl Objective for Problem<'_> {
    fn dim(&self) -> usize {
        self.penalty.len()
    }

    fn value_grad(&mut self, u: &[f64], grad: &mut [f64]) -> f64 {
        // One look at all pairs of long queries takes a while: whoever waits is told.
        self.session.step("pairs", 0, None, None);
        let mut by_row = Vec::new();
        self.rows.scores(u, &mut by_row);
        let scores: Vec<f64> = self.order.iter().map(|&at| by_row[at]).collect();
        let one = |ends: &[usize]| {
            let mut pulls = vec![0.0; ends[1] - ends[0]];
            (self.query(ends, &scores).loss(self.loss, &mut pulls, self.session), pulls)
        };
        let found: Vec<(f64, Vec<f64>)> = self.starts.par_windows(2).map(one).collect();
        let (mut value, mut pulls) = (0.0, vec![0.0; by_row.len()]);
        for (ends, (own, by_score)) in self.starts.windows(2).zip(found) {
            value += own;
            let places = self.order[ends[0]..ends[1]].iter();
            places.zip(by_score).for_each(|(&at, pull)| pulls[at] = pull / self.total);
        }
        grad.copy_from_slice(&self.rows.transposed(&pulls));
        let mut penalty = 0.0;
        for ((g, u), p) in grad.iter_mut().zip(u).zip(&self.penalty) {
            *g += p * u;
            penalty += 0.5 * p * u * u;
        }
        value / self.total + penalty
    }
}

impl RankingModel {
    /// The coefficients of the score.
    pub fn coef(&self) -> &[f64] {
        self.linear.coef.as_slice()
    }
}

impl Fitted for RankingModel {
    fn certificate(&self) -> &Certificate {
        self.linear.certificate()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.linear.infer(input, schema, session)
    }

    fn abilities(&self) -> Abilities<'_> {
        self.linear.abilities()
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let mut problem = Problem::of(PairwiseRanker::NAME, data, self.loss, self.c, session)?;
        let (u, _) = problem.rows.scaled(self.coef());
        let (relative, gap) = problem.evidence(&u);
        Ok(vec![(GRADIENT.to_owned(), relative), (GAP.to_owned(), gap)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let steps = self.certificate().iterations.unwrap_or(0) as i64;
        vec![
            Attribute::real(
                "coef_",
                "The coefficients of the score.",
                &[self.coef().len()],
                self.coef().to_vec(),
            ),
            Attribute::int("n_iter_", "Steps that the solver took.", &[], vec![steps]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let positive = self.c > 0.0;
        if positive {
            self.linear.validate(schema)
        } else {
            Err("a weight of the loss that is not positive".to_owned())
        }
    }
}
