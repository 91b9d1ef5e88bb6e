//! What all learners with an L1 penalty solve and learn: a net, its model and what is proved of it.

use crate::lasso::{CoordinateDescentParams, Visit};
use crate::linear_model::LinearRegressionModel;
use crate::sparse_path::{Along, Budget, Columns, Penalty, Solved, Standing};
use mercer_core::sums::{self, Block, BySums, Round, Shape};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, CrossMoments, Dataset, Error, Evidence, Fitted, Input,
    Prediction, Result, Schema, Session, Termination,
};
use mercer_math::{Mat, dot};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The objective of a net, and how it is solved.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    pub(crate) alpha: f64,
    pub(crate) l1_ratio: f64,
    pub(crate) positive: bool,
    /// Whether features come and go for all targets at once; else each target is alone.
    pub(crate) together: bool,
    pub(crate) descent: CoordinateDescentParams,
}

/// A linear regression with a penalty that sets coefficients to zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElasticNetModel {
    linear: LinearRegressionModel,
    l1_ratio: f64,
    positive: bool,
    together: bool,
    dual_gap: Vec<f64>,
    n_iter: Vec<u64>,
}

/// More features than this have no Gram matrix as a whole.
const WIDE: usize = 4000;
/// Sparse rows with more features than this are never made dense.
const WIDE_SPARSE: usize = 1000;

/// Whether rows of this shape are solved on the Gram matrix of all features.
pub(crate) fn is_tall(name: &str, data: &Dataset<'_>) -> Result<bool> {
    let sparse = data.whole_input().rows(name)?.is_sparse();
    let (n, d) = (data.n_rows(), data.n_features());
    Ok(d <= n && d <= if sparse { WIDE_SPARSE } else { WIDE })
}

/// The moments of rows, taken by sums.
struct Moments;

/// The moments of all rows.
pub(crate) fn moments(name: &str, data: &Dataset<'_>, session: &Session) -> Result<CrossMoments> {
    sums::fit(name, &Moments, data, session)
}

impl BySums for Moments {
    type State = (usize, usize);
    type Summary = CrossMoments;
    type Local = ();
    type Model = CrossMoments;

    fn begin(&self, shape: &Shape, _: &Session) -> Result<Self::State> {
        Ok((shape.n_features, shape.n_targets))
    }

    fn empty(&self, &(n_features, n_targets): &Self::State) -> CrossMoments {
        CrossMoments::empty(n_features, n_targets)
    }

    fn absorb(
        &self,
        _: &Self::State,
        block: &Block<'_>,
        _: &mut (),
        summary: &mut CrossMoments,
    ) -> Result<()> {
        summary.merge(CrossMoments::of_block(block));
        Ok(())
    }

    fn merge(&self, into: &mut CrossMoments, other: CrossMoments) {
        into.merge(other);
    }

    fn advance(
        &self,
        _: Self::State,
        moments: CrossMoments,
        _: &Session,
    ) -> Result<Round<Self::State, CrossMoments>> {
        Ok(Round::Done(moments))
    }
}

impl BySums for Net {
    type State = (usize, usize);
    type Summary = CrossMoments;
    type Local = ();
    type Model = ElasticNetModel;

    fn begin(&self, shape: &Shape, session: &Session) -> Result<Self::State> {
        Moments.begin(shape, session)
    }

    fn empty(&self, state: &Self::State) -> CrossMoments {
        Moments.empty(state)
    }

    fn absorb(
        &self,
        state: &Self::State,
        block: &Block<'_>,
        local: &mut (),
        summary: &mut CrossMoments,
    ) -> Result<()> {
        Moments.absorb(state, block, local, summary)
    }

    fn merge(&self, into: &mut CrossMoments, other: CrossMoments) {
        Moments.merge(into, other);
    }

    fn advance(
        &self,
        _: Self::State,
        moments: CrossMoments,
        session: &Session,
    ) -> Result<Round<Self::State, ElasticNetModel>> {
        let moments = if self.descent.fit_intercept { moments } else { moments.about_zero() };
        let sizes = Size::of_moments(&moments);
        let parts = if self.is_joint() { vec![None] } else { (0..sizes.len()).map(Some).collect() };
        let size = (sizes.len(), moments.mean_x.len());
        let starts = parts.iter().map(|k| self.start(*k, size, session)).collect::<Result<Vec<_>>>()?;
        let solve = |(k, start): (&Option<usize>, &Option<Vec<f64>>)| {
            self.solve(Along::moments(&moments, *k), start.clone(), moments.weight, session)
        };
        let solved = self.gathered(parts.par_iter().zip(&starts).map(solve).collect());
        self.model("a linear model", solved, &moments.mean_x, &moments.mean_y, &sizes).map(Round::Done)
    }
}

impl Net {
    pub(crate) fn learn(&self, name: &str, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetModel> {
        if is_tall(name, data)? {
            return sums::fit(name, self, data, session);
        }
        let columns = Columns::of(name, data, self.descent.fit_intercept)?;
        let sizes = Size::of_columns(&columns);
        let size = (sizes.len(), columns.n());
        let solved = if self.is_joint() || sizes.len() == 1 {
            let start = self.start(None, size, session)?;
            vec![self.solve(Along::columns(&columns), start, columns.total, session)]
        } else {
            let one = |k: usize| {
                let start = self.start(Some(k), size, session)?;
                Ok(self.solve(Along::columns(&columns.only(k)), start, columns.total, session))
            };
            self.gathered((0..sizes.len()).map(one).collect::<Result<Vec<_>>>()?)
        };
        self.model(name, solved, &columns.mean_x, &columns.mean_y, &sizes)
    }

    /// What a learner of this net can do: order and zeroes depend on how it is set.
    pub(crate) fn capabilities(&self, declared: Capabilities) -> Capabilities {
        let random = self.descent.selection == Visit::Random;
        Capabilities { random, zeroes: self.l1_ratio == 1.0, ..declared }
    }

    pub(crate) fn penalty(&self, total: f64) -> Penalty {
        Penalty::new(self.alpha, self.l1_ratio, total, self.positive)
    }

    pub(crate) fn budget<'s>(&self, exact: bool, session: &'s Session) -> Budget<'s> {
        let order = (self.descent.selection == Visit::Random).then(|| session.rng(0));
        Budget { max_iter: self.descent.max_iter as u64, tol: self.descent.tol, order, exact, session }
    }

    /// Whether targets hang together: without an L1 penalty each of many tasks is alone, too.
    fn is_joint(&self) -> bool {
        self.together && self.l1_ratio > 0.0
    }

    /// The solutions of tasks that were solved one by one, as one.
    fn gathered(&self, solved: Vec<Solved>) -> Vec<Solved> {
        if !self.together || solved.len() < 2 {
            return solved;
        }
        let (d, larger) = (solved[0].w.len(), crate::linear_model::larger);
        let standing = Standing {
            gap: solved.iter().map(|s| s.standing.gap).sum(),
            kkt: solved.iter().map(|s| s.standing.kkt).fold(0.0, larger),
            objective: solved.iter().map(|s| s.standing.objective).sum(),
        };
        let ended = solved.iter().map(|s| s.termination).find(|t| !t.is_success());
        vec![Solved {
            w: (0..d).flat_map(|j| solved.iter().map(move |s| s.w[j])).collect(),
            standing,
            termination: ended.unwrap_or(Termination::Converged),
            iterations: solved.iter().map(|s| s.iterations).max().unwrap_or(0),
        }]
    }

    /// The session's start, of the target `k` or of all at once, feature by feature.
    fn start(&self, k: Option<usize>, (t, d): (usize, usize), session: &Session) -> Result<Option<Vec<f64>>> {
        let Some(given) = session.start() else { return Ok(None) };
        if given.len() != t * d {
            return Err(Error::shape("coefficients to start from", t * d, given.len()));
        }
        if !given.iter().all(|v| v.is_finite()) {
            return Err(Error::numeric("a linear model", "the coefficients to start from are not finite"));
        }
        let allowed = |v: f64| if self.positive { v.max(0.0) } else { v };
        let targets = k.map_or(0..t, |k| k..k + 1);
        let of = |j: usize| targets.clone().map(move |k| allowed(given[k * d + j]));
        Ok(Some((0..d).flat_map(of).collect()))
    }

    fn solve(
        &self,
        mut problem: Along<'_>,
        start: Option<Vec<f64>>,
        total: f64,
        session: &Session,
    ) -> Solved {
        if let Some(start) = start {
            problem.start(start);
        }
        problem.solve(self.penalty(total), &mut self.budget(true, session))
    }

    /// The model, in the units of the mean over rows.
    fn model(
        &self,
        name: &str,
        solved: Vec<Solved>,
        mean_x: &[f64],
        mean_y: &[f64],
        sizes: &[Size],
    ) -> Result<ElasticNetModel> {
        let (t, d) = (mean_y.len(), mean_x.len());
        let w = |k: usize, j: usize| if self.together { solved[0].w[j * t + k] } else { solved[k].w[j] };
        let coef = Mat::from_fn(t, d, w);
        let total = sizes.first().map_or(1.0, |s| s.total);
        let gap = |s: &Solved| if s.standing.gap < 0.0 { 0.0 } else { s.standing.gap / total };
        let dual_gap: Vec<f64> = solved.iter().map(gap).collect();
        if !dual_gap.iter().all(|v| v.is_finite()) {
            let why = "Coordinate descent iterations resulted in non-finite parameter values: squares are too large or too small, scale the features or the target";
            return Err(Error::numeric(name, why));
        }
        let standings: Vec<Standing> = solved.iter().map(|s| s.standing).collect();
        let ended = solved.iter().map(|s| s.termination).find(|t| !t.is_success());
        let iterations = solved.iter().map(|s| s.iterations).max().unwrap_or(0);
        let used = coef.as_slice().iter().filter(|w| **w != 0.0).count();
        let certificate = Certificate::new(ended.unwrap_or(Termination::Converged))
            .with_iterations(iterations)
            .with_objective(standings.iter().map(|s| s.objective / total).sum());
        let certificate = self
            .proved(certificate, &standings, sizes)
            .with_note(format!("{used} of {} coefficients are not zero", t * d));
        let (alpha, fit_intercept) = (self.alpha, self.descent.fit_intercept);
        let w = coef.view().t().to_mat();
        let linear = LinearRegressionModel::about(name, &w, (mean_x, mean_y), certificate)?;
        let linear = LinearRegressionModel { alpha, fit_intercept, ..linear };
        Ok(ElasticNetModel {
            linear,
            l1_ratio: self.l1_ratio,
            positive: self.positive,
            together: self.together,
            dual_gap,
            n_iter: solved.iter().map(|s| s.iterations).collect(),
        })
    }

    /// The certificate with its evidence.
    fn proved(&self, certificate: Certificate, standings: &[Standing], sizes: &[Size]) -> Certificate {
        let size = Size::joined(sizes);
        let Penalty { l1, l2, .. } = self.penalty(size.total);
        let certificate = if l1 > size.rounding || (l1 == 0.0 && l2 > 0.0) {
            let meaning = "the objective is at most this far above its minimum";
            let gap: f64 = standings.iter().map(|s| s.gap.max(0.0) / size.total).sum();
            certificate.with_evidence(Evidence::bound(GAP, gap, meaning).on_scale(size.objective))
        } else {
            certificate.with_note("no gap is proved: there is no penalty, or rounding hides it beside features and targets of this size")
        };
        let meaning = "the largest violation of the optimality conditions over the largest entry of X'y";
        let kkt = self.relative_kkt(standings, sizes);
        certificate.with_evidence(Evidence::residual(KKT, kkt, meaning))
    }

    /// The largest violation over the size of its target, or of all targets where they are one problem.
    fn relative_kkt(&self, standings: &[Standing], sizes: &[Size]) -> f64 {
        if self.together {
            return standings[0].kkt / Size::joined(sizes).xy;
        }
        let each = standings.iter().zip(sizes).map(|(standing, size)| standing.kkt / size.xy);
        each.fold(0.0, crate::linear_model::larger)
    }
}

const GAP: &str = "duality gap";
const KKT: &str = "relative KKT violation";

/// The sizes of what is proved of a target, before anything is learnt.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Σ s.
    total: f64,
    /// The mean objective of zero coefficients.
    objective: f64,
    /// The largest entry of Xᵀy.
    xy: f64,
    /// What rounding may leave of such an entry.
    rounding: f64,
}

impl Size {
    /// Never less than rounding of targets far from zero leaves.
    fn new(total: f64, yy: f64, mean_y: f64, norm2: f64, xy: f64) -> Self {
        let raw = yy + total * mean_y * mean_y;
        let rounding = 1e-12 * (norm2.sqrt() * raw.sqrt());
        let xy = xy.max(rounding);
        let objective = 0.5 * (yy + 1e-8 * raw) / total;
        Self { total, objective, xy: if xy > 0.0 { xy } else { 1.0 }, rounding }
    }

    fn of_moments(m: &CrossMoments) -> Vec<Self> {
        let norm2 = (0..m.mean_x.len()).map(|j| m.xx[(j, j)]).fold(0.0, f64::max);
        let xy = |k: usize| m.xy.col(k).iter().fold(0.0f64, |a, v| a.max(v.abs()));
        (0..m.yy.len()).map(|k| Self::new(m.weight, m.yy[k], m.mean_y[k], norm2, xy(k))).collect()
    }

    fn of_columns(columns: &Columns) -> Vec<Self> {
        let (n, t) = (columns.n_rows(), columns.targets());
        let norm2 = columns.norm2.iter().copied().fold(0.0, f64::max);
        let mut xy = vec![0.0; columns.n() * t];
        columns.correlate(&(0..columns.n()).collect::<Vec<_>>(), &columns.y, &mut xy);
        let largest = |k: usize| xy.iter().skip(k).step_by(t).fold(0.0f64, |a, v| a.max(v.abs()));
        let square = |k: usize| dot(&columns.y[k * n..(k + 1) * n], &columns.y[k * n..(k + 1) * n]);
        (0..t).map(|k| Self::new(columns.total, square(k), columns.mean_y[k], norm2, largest(k))).collect()
    }

    /// Of all targets at once.
    fn joined(sizes: &[Self]) -> Self {
        let largest = |f: &dyn Fn(&Self) -> f64| sizes.iter().map(f).fold(0.0, f64::max);
        Self {
            total: sizes.first().map_or(1.0, |s| s.total),
            objective: sizes.iter().map(|s| s.objective).sum(),
            xy: largest(&|s| s.xy),
            rounding: largest(&|s| s.rounding),
        }
    }
}

impl ElasticNetModel {
    /// The coefficients, target by target.
    pub fn coef(&self) -> &[f64] {
        self.linear.coef.as_slice()
    }

    /// The intercept, of the first of several targets.
    pub fn intercept(&self) -> f64 {
        self.linear.intercept[0]
    }

    /// The duality gap of each problem: one for each target, or one for all tasks at once.
    pub fn dual_gap(&self) -> &[f64] {
        &self.dual_gap
    }

    fn net(&self) -> Net {
        let descent =
            CoordinateDescentParams { fit_intercept: self.linear.fit_intercept, ..Default::default() };
        let (alpha, l1_ratio) = (self.linear.alpha, self.l1_ratio);
        Net { alpha, l1_ratio, positive: self.positive, together: self.together, descent }
    }

    /// Gap and violation on some data, from the residual itself.
    fn standings(&self, data: &Dataset<'_>) -> Result<(Vec<Standing>, Vec<Size>)> {
        let columns = Columns::of("a linear model", data, self.linear.fit_intercept)?;
        let (n, t, d) = (columns.n_rows(), columns.targets(), columns.n());
        let coef = &self.linear.coef;
        let w: Vec<f64> = (0..d).flat_map(|j| (0..t).map(move |k| coef[(k, j)])).collect();
        let (mut residual, mut left) = (Vec::new(), vec![0.0; d * t]);
        columns.residual(&w, &mut residual);
        columns.correlate(&(0..d).collect::<Vec<_>>(), &residual, &mut left);
        let penalty = self.net().penalty(columns.total);
        let products = |r: &[f64], y: &[f64]| (dot(r, r), dot(r, y));
        // The objective has the intercept at its best; how far this one is off it counts, too.
        let off = |k: usize| {
            let off = columns.mean_y[k] - dot(&columns.mean_x, coef.row(k)) - self.linear.intercept[k];
            0.5 * columns.total * off * off
        };
        let sizes = Size::of_columns(&columns);
        if self.together {
            let mut found = penalty.standing(&w, &left, t, products(&residual, &columns.y));
            found.gap += (0..t).map(off).sum::<f64>();
            return Ok((vec![found], sizes));
        }
        let of = |k: usize| {
            let rows = k * n..(k + 1) * n;
            let left: Vec<f64> = left.iter().skip(k).step_by(t).copied().collect();
            let products = products(&residual[rows.clone()], &columns.y[rows]);
            let mut found = penalty.standing(coef.row(k), &left, 1, products);
            found.gap += off(k);
            found
        };
        Ok(((0..t).map(of).collect(), sizes))
    }
}

impl Fitted for ElasticNetModel {
    fn meets_not_finite(&self) -> bool {
        true
    }

    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        self.linear.certificate()
    }

    fn abilities(&self) -> Abilities<'_> {
        self.linear.abilities()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.linear.infer(input, schema, session)
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let (standings, sizes) = self.standings(data)?;
        let gap: f64 = standings.iter().map(|s| s.gap / Size::joined(&sizes).total).sum();
        Ok(vec![(GAP.to_owned(), gap), (KKT.to_owned(), self.net().relative_kkt(&standings, &sizes))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.linear.attributes();
        let shape = if self.dual_gap.len() == 1 { vec![] } else { vec![self.dual_gap.len()] };
        let n_iter = self.n_iter.iter().map(|n| *n as i64).collect();
        all.push(Attribute::int("n_iter_", "Passes over the coefficients.", &shape, n_iter));
        all.push(Attribute::real("dual_gap_", "The duality gap.", &shape, self.dual_gap.clone()));
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let parts = if self.together { 1 } else { self.linear.intercept.len() };
        if self.dual_gap.len() != parts || self.n_iter.len() != parts {
            return Err("gaps and iterations do not fit the targets".to_owned());
        }
        self.linear.validate(schema)
    }
}
