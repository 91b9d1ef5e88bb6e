//! Orthogonal matching pursuit: a linear model of few features, chosen one after the other.
//!
//! # Objective
//! Greedily $\min_w \lVert y - Xw - b\rVert^2$ with at most `n_nonzero_coefs` coefficients, or the fewest coefficients with
//! $\lVert y - Xw - b\rVert^2 \le$ `tol`. Which set of features is the best is a hard question; the pursuit takes the one
//! that correlates most with what is left, and never takes it back.
//!
//! # Algorithm
//! In each step the feature with the largest $|x_j^\top r|$ joins, and least squares on all that joined is solved by a Cholesky
//! factor of their products that grows by a row. [`OrthogonalMatchingPursuitCV`] follows the pursuit of each fold's training
//! rows side by side, and takes the number of features with the least mean squared error on rows held out.
//!
//! # Complexity
//! O(n d + k²) a step with k features in use.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::OrthogonalMatchingPursuit;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![-2.0, 0.0, 2.0]))?;
//! let model = OrthogonalMatchingPursuit::default().n_nonzero_coefs(Some(1)).fit(&data)?;
//! assert_eq!(model.coef(), [2.0, 0.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Correlations are with columns as they are: put them on one scale first. The pursuit ends early where the best feature is
//! in the span of those in use, which the certificate notes. Coefficients are refined once after each step, so that the
//! residual is orthogonal to the features in use up to rounding; this is the evidence.
//!
//! # References
//! - Y. C. Pati, R. Rezaiifar, P. S. Krishnaprasad. Orthogonal matching pursuit. Asilomar 1993. doi:10.1109/ACSSC.1993.342465
//! - R. Rubinstein, M. Zibulevsky, M. Elad. Efficient implementation of the K-SVD algorithm using batch orthogonal matching
//!   pursuit. CS Technion, 2008.

use crate::intercept::InterceptParams;
use crate::lars_cv::FoldParams;
use crate::linear_model::{LinearRegressionModel, larger};
use crate::pursuit::{Chosen, pursue_all, until};
use crate::sparse_path::Columns;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, ErrorKind, Evidence, Fitted, Input, Learn, Params,
    Prediction, Result, Schema, Session, Termination,
};
use mercer_math::{Mat, dot};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Orthogonal matching pursuit: least squares on few features, chosen one after the other.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "omp",
    canon = "L3",
    task = Regression,
    python = "linear_model",
    door = "precompute='auto'",
    mixins = "PursuitMixin",
    tried = "n_nonzero_coefs=1",
    can = "explain sparse multi_output scaled",
    references = "Pati, Rezaiifar, Krishnaprasad. Orthogonal matching pursuit. Asilomar 1993."
)]
pub struct OrthogonalMatchingPursuit {
    /// Most features in use; none means a tenth of them, or one. Not asked for where `tol` is given.
    #[param(default = None, range = "[1, inf)", search = "linear 1..20")]
    pub n_nonzero_coefs: Option<usize>,
    /// The squared length of the residual at which to stop; none stops at the number of features.
    #[param(default = None, range = "[0, inf)")]
    pub tol: Option<f64>,
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
}

/// Orthogonal matching pursuit with as many features as cross-validation says.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "OrthogonalMatchingPursuitCV",
    aliases = "omp-cv",
    canon = "L3",
    task = Regression,
    python = "linear_model",
    session = "n_jobs verbose",
    door = "copy=True",
    mixins = "PursuitCvMixin",
    tried = "max_iter=1",
    can = "explain sparse scaled counts_rows ordered",
    references = "Pati, Rezaiifar, Krishnaprasad. Orthogonal matching pursuit. Asilomar 1993."
)]
pub struct OrthogonalMatchingPursuitCV {
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// Most features tried; none means a tenth of them, at least 5 where there are as many.
    #[param(default = None, range = "[1, inf)")]
    pub max_iter: Option<usize>,
    /// The folds.
    #[param(flatten)]
    pub folds: FoldParams,
}

/// A linear regression on few features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PursuitModel {
    linear: LinearRegressionModel,
    /// The features of each target, as they came.
    active: Vec<Vec<u32>>,
    /// How many features were wanted; none where a tolerance said when to stop.
    wanted: Option<u64>,
    /// The mean squared error for each number of features and fold, where folds chose it; else empty.
    mse_path: Vec<Vec<f64>>,
}

impl Learn for OrthogonalMatchingPursuit {
    type Model = PursuitModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<PursuitModel> {
        let columns = Columns::of(Self::NAME, data, self.intercept.fit_intercept)?;
        let wanted = self.n_nonzero_coefs.unwrap_or((columns.n() / 10).max(1));
        let until = until(Self::NAME, wanted, self.tol, columns.n())?;
        let chosen = pursue_all(&columns, until, session);
        let wanted = until.tol.is_none().then_some(wanted as u64);
        PursuitModel::new(Self::NAME, &columns, &chosen, wanted, self.intercept.fit_intercept)
    }
}

impl Learn for OrthogonalMatchingPursuitCV {
    type Model = PursuitModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<PursuitModel> {
        let columns = Columns::of(Self::NAME, data, self.intercept.fit_intercept)?;
        let d = columns.n();
        let most = self.max_iter.unwrap_or((d / 10).max(5).min(d));
        if most > d {
            let bound = format!("at most the number of features, {d}");
            return Err(Error::param(Self::NAME, "max_iter", bound, most));
        }
        let folds = mercer_measure::folds(data, self.folds.cv.unwrap_or(5), None)?;
        let one = |f: &mercer_measure::Split| self.errors(data, f, most, &session.quiet());
        let errors: Vec<Result<Vec<f64>>> = folds.par_iter().with_max_len(1).map(one).collect();
        let errors = errors.into_iter().collect::<Result<Vec<_>>>()?;
        if session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        // A fold's pursuit that ends early has nothing to say of more features.
        let tried = errors.iter().map(Vec::len).min().unwrap_or(0);
        let mse_path: Vec<Vec<f64>> = (0..tried).map(|k| errors.iter().map(|e| e[k]).collect()).collect();
        let mut best = (f64::INFINITY, 0);
        for (k, errors) in mse_path.iter().enumerate() {
            let mean = mercer_math::sum(errors) / errors.len() as f64;
            if mean < best.0 {
                best = (mean, k + 1);
            }
        }
        if tried > 0 && best.1 == 0 {
            return Err(Error::numeric(
                Self::NAME,
                "no number of features has a finite error on the rows held out",
            ));
        }
        // A target that no feature tells anything of in some fold is left to its mean by one feature at most.
        let wanted = best.1.max(1);
        let chosen = pursue_all(&columns, until(Self::NAME, wanted, None, d)?, session);
        let fit_intercept = self.intercept.fit_intercept;
        let model = PursuitModel::new(Self::NAME, &columns, &chosen, Some(wanted as u64), fit_intercept)?;
        Ok(PursuitModel { mse_path, ..model })
    }
}

impl OrthogonalMatchingPursuitCV {
    /// The mean squared error on held-out rows for 1, 2, … features.
    fn errors(
        &self,
        data: &Dataset<'_>,
        fold: &mercer_measure::Split,
        most: usize,
        session: &Session,
    ) -> Result<Vec<f64>> {
        let train = data.subset(&fold.train)?;
        let train = train.with_input(train.input())?;
        let columns = Columns::of(Self::NAME, &train, self.intercept.fit_intercept)?;
        let chosen = pursue_all(&columns, until(Self::NAME, most, None, columns.n())?, session);
        let test = data.subset(&fold.test)?;
        let (numbers, target) = (test.numbers(Self::NAME)?, test.need_target(Self::NAME)?);
        let y = target.numbers()?;
        let mut w = vec![0.0; columns.n()];
        let error = |coef: &Vec<f64>| {
            chosen[0].features.iter().zip(coef).for_each(|(&j, c)| w[j] = *c);
            let bias = columns.mean_y[0] - dot(&columns.mean_x, &w);
            let off = |(i, y): (usize, &f64)| (y - bias - numbers.view().dot_row(i, &w)).powi(2);
            y.iter().enumerate().map(off).sum::<f64>() / y.len() as f64
        };
        Ok(chosen[0].coefs.iter().map(error).collect())
    }
}

const LEFT: &str = "relative correlation of features in use";

impl PursuitModel {
    fn new(
        name: &str,
        columns: &Columns,
        chosen: &[Chosen],
        wanted: Option<u64>,
        fit_intercept: bool,
    ) -> Result<Self> {
        let mut w = Mat::zeros(columns.n(), chosen.len());
        for (k, target) in chosen.iter().enumerate() {
            let last = target.coefs.last().into_iter().flatten();
            target.features.iter().zip(last).for_each(|(&j, c)| w[(j, k)] = *c);
        }
        let ended = chosen.iter().map(|c| c.termination).find(|t| !t.is_success());
        let certificate = Certificate::new(ended.unwrap_or(Termination::Exact));
        let linear = LinearRegressionModel::about(name, &w, (&columns.mean_x, &columns.mean_y), certificate)?;
        let linear = LinearRegressionModel { fit_intercept, ..linear };
        let active = chosen.iter().map(|c| c.features.iter().map(|&j| j as u32).collect()).collect();
        let mut model = Self { linear, active, wanted, mse_path: Vec::new() };
        let meaning =
            "the largest product of a feature in use with the residual over the largest entry of X'y";
        let steps = chosen.iter().map(|c| c.features.len() as u64).max().unwrap_or(0);
        let mut certificate = Certificate::new(model.linear.certificate.termination)
            .with_iterations(steps)
            .with_evidence(Evidence::residual(LEFT, model.left(columns), meaning));
        if let Some(target) = chosen.iter().find(|c| c.early) {
            let n = target.features.len();
            let note = format!(
                "the pursuit ended early: {n} features span all that is left to explain, or to choose"
            );
            certificate = certificate.with_note(note);
        }
        model.linear.certificate = certificate;
        Ok(model)
    }

    /// The coefficients, target by target.
    pub fn coef(&self) -> &[f64] {
        self.linear.coef.as_slice()
    }

    /// The features of each target, in the order in which they came.
    pub fn active(&self) -> &[Vec<u32>] {
        &self.active
    }

    /// The mean squared errors on rows held out, numbers of features × folds; none where nobody asked for folds.
    pub fn mse_path(&self) -> &[Vec<f64>] {
        &self.mse_path
    }

    /// How far features in use are from orthogonal to the residual, and intercepts from that of the means.
    fn left(&self, columns: &Columns) -> f64 {
        let (n, t, d) = (columns.n_rows(), columns.targets(), columns.n());
        let all: Vec<usize> = (0..d).collect();
        let coef = &self.linear.coef;
        let (mut residual, mut left, mut xy) = (Vec::new(), vec![0.0; d * t], vec![0.0; d * t]);
        let w: Vec<f64> = all.iter().flat_map(|&j| (0..t).map(move |k| coef[(k, j)])).collect();
        columns.residual(&w, &mut residual);
        columns.correlate(&all, &residual, &mut left);
        columns.correlate(&all, &columns.y, &mut xy);
        let norm = columns.norm2.iter().copied().fold(0.0, f64::max).sqrt();
        let of = |k: usize| {
            let y = &columns.y[k * n..(k + 1) * n];
            let raw = (dot(y, y) + columns.total * columns.mean_y[k].powi(2)).sqrt();
            let size = xy.iter().skip(k).step_by(t).fold(1e-12 * norm * raw, |a, v| a.max(v.abs()));
            let used = self.active[k].iter().map(|&j| left[j as usize * t + k].abs());
            let shift = columns.mean_y[k] - dot(&columns.mean_x, coef.row(k)) - self.linear.intercept[k];
            let worst = used.fold(0.0, larger) + norm * columns.total.sqrt() * shift.abs();
            if worst == 0.0 { 0.0 } else { worst / size }
        };
        (0..t).map(of).fold(0.0, larger)
    }
}

impl Fitted for PursuitModel {
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
        let columns = Columns::of("a linear model", data, self.linear.fit_intercept)?;
        Ok(vec![(LEFT.to_owned(), self.left(&columns))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.linear.attributes();
        let n_iter: Vec<i64> = self.active.iter().map(|a| a.len() as i64).collect();
        let shape = if n_iter.len() == 1 { vec![] } else { vec![n_iter.len()] };
        all.push(Attribute::int("n_iter_", "The number of features in use.", &shape, n_iter));
        if let Some(wanted) = self.wanted {
            let doc = "How many features were wanted.";
            all.push(Attribute::int("n_nonzero_coefs_", doc, &[], vec![wanted as i64]));
        }
        if let Some(first) = self.mse_path.first() {
            let (shape, flat) = ([self.mse_path.len(), first.len()], self.mse_path.concat());
            let doc = "The mean squared error on rows held out, for each number of features and fold.";
            all.push(Attribute::real("mse_path_", doc, &shape, flat));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = self.linear.coef.n_cols();
        let folds = self.mse_path.first().map_or(0, Vec::len);
        let fits = self.active.len() == self.linear.intercept.len()
            && self.active.iter().flatten().all(|&j| (j as usize) < d)
            && self.mse_path.iter().all(|e| e.len() == folds);
        if fits { self.linear.validate(schema) } else { Err("features do not fit the targets".to_owned()) }
    }
}
