//! Orthogonal matching pursuit on products: one feature after the other, each time least squares on those chosen.

use crate::products::{GramProducts, GrowingFactor, Products};
use crate::sparse_path::Columns;
use mercer_core::{Dataset, Error, Result, Session, Termination};
use mercer_math::{Mat, dot};
use rayon::prelude::*;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Until {
    /// As many features are chosen.
    pub(crate) features: usize,
    /// The squared residual is at most this.
    pub(crate) tol: Option<f64>,
}

/// The features chosen, and the coefficients after each.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) features: Vec<usize>,
    /// The coefficients of the first k features, for k = 1, 2, …
    pub(crate) coefs: Vec<Vec<f64>>,
    /// Whether nothing was left to choose, short of what was asked for.
    pub(crate) early: bool,
    pub(crate) termination: Termination,
}

/// A feature whose squared distance from the span of those chosen is less than this share of its square is not chosen.
const DEGENERATE: f64 = 1e-12;
/// Correlations below this share of the first are rounding.
const NOTHING: f64 = 1e-13;

/// Orthogonal matching pursuit (Pati et al. 1993) by a growing factor (Rubinstein et al. 2008).
///
/// Takes the feature that correlates most with the residual, then solves least squares on all that were taken, until there
/// are enough, the residual is small enough, or the best feature adds nothing that those taken do not span. `yy` is ‖y‖².
pub(crate) fn pursue(problem: &dyn Products, yy: f64, until: Until, session: &Session) -> Chosen {
    let d = problem.n();
    let (mut factor, mut w) = (GrowingFactor::default(), vec![0.0; d]);
    let mut left = problem.left(&w);
    let xy = left.clone();
    let first = xy.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    let mut out =
        Chosen { features: Vec::new(), coefs: Vec::new(), early: false, termination: Termination::Exact };
    while out.features.len() < until.features.min(d) {
        let step = out.features.len() as u64;
        if let Some(why) = session.step("matching pursuit", step, Some(until.features as u64), None) {
            out.termination = why;
            return out;
        }
        let size = |j: &usize| left[*j].abs();
        let best = (0..d).fold(None, |best: Option<usize>, j| match best {
            Some(b) if size(&b) >= size(&j) => Some(b),
            _ if left[j].is_nan() => best,
            _ => Some(j),
        });
        let Some(best) = best.filter(|j| size(j) > NOTHING * first && !out.features.contains(j)) else {
            out.early = true;
            return out;
        };
        let between = problem.between(best, &out.features);
        if !factor.push(&between, problem.norm2(best), DEGENERATE) {
            out.early = true;
            return out;
        }
        out.features.push(best);
        let mut coef = factor.solve(&out.features.iter().map(|&j| xy[j]).collect::<Vec<f64>>());
        out.features.iter().zip(&coef).for_each(|(&j, c)| w[j] = *c);
        left = problem.left(&w);
        // One step of refinement: what the factor's rounding has left in the features chosen.
        let rest = factor.solve(&out.features.iter().map(|&j| left[j]).collect::<Vec<f64>>());
        coef.iter_mut().zip(&rest).for_each(|(c, r)| *c += r);
        out.features.iter().zip(&coef).for_each(|(&j, c)| w[j] = *c);
        let fitted: f64 = out.features.iter().zip(&coef).map(|(&j, c)| c * (xy[j] + left[j])).sum();
        out.coefs.push(coef);
        if until.tol.is_some_and(|tol| yy - fitted <= tol) {
            return out;
        }
    }
    out.early = until.tol.is_some();
    out
}

/// A pursuit of some targets as [`orthogonal_mp`] and [`orthogonal_mp_gram`] follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pursuit {
    /// The coefficients of each target after each feature, features × steps.
    pub paths: Vec<Mat>,
    /// Whether nothing was left to choose for some target, short of what was asked for.
    pub early: bool,
}

impl Pursuit {
    fn of(d: usize, chosen: &[Chosen]) -> Self {
        let path = |c: &Chosen| {
            let mut path = Mat::zeros(d, c.coefs.len());
            for (step, coef) in c.coefs.iter().enumerate() {
                c.features.iter().zip(coef).for_each(|(&j, v)| path[(j, step)] = *v);
            }
            path
        };
        Self { paths: chosen.iter().map(path).collect(), early: chosen.iter().any(|c| c.early) }
    }
}

/// Orthogonal matching pursuit without an intercept: at most as many features as wanted, or with `tol` until the squared
/// residual is at most that.
pub fn orthogonal_mp(
    data: &Dataset<'_>,
    features: usize,
    tol: Option<f64>,
    session: &Session,
) -> Result<Pursuit> {
    let columns = Columns::of("orthogonal_mp", data, false)?;
    let until = until("orthogonal_mp", features, tol, columns.n())?;
    let chosen = session.run(|| pursue_all(&columns, until, session));
    Ok(Pursuit::of(columns.n(), &chosen))
}

/// Orthogonal matching pursuit of a problem that is known by its products: XᵀX, and for each target Xᵀy and ‖y‖², which only
/// `tol` asks for.
pub fn orthogonal_mp_gram(
    gram: &Mat,
    targets: &[(Vec<f64>, f64)],
    features: usize,
    tol: Option<f64>,
    session: &Session,
) -> Result<Pursuit> {
    let d = gram.n_rows();
    if gram.n_cols() != d {
        return Err(Error::shape("columns of Gram", d, gram.n_cols()));
    }
    if let Some((xy, _)) = targets.iter().find(|(xy, _)| xy.len() != d) {
        return Err(Error::shape("rows of Xy", d, xy.len()));
    }
    let until = until("orthogonal_mp_gram", features, tol, d)?;
    let one = |(xy, yy): &(Vec<f64>, f64)| {
        pursue(&GramProducts { gram, xy, total: 1.0 }, *yy, until, &session.quiet())
    };
    let chosen: Vec<Chosen> = session.run(|| targets.par_iter().map(one).collect());
    Ok(Pursuit::of(d, &chosen))
}

/// Refuses more features than there are, unless a tolerance says when to stop.
pub(crate) fn until(name: &str, features: usize, tol: Option<f64>, d: usize) -> Result<Until> {
    match tol {
        Some(tol) if tol.is_nan() || tol < 0.0 => Err(Error::param(name, "tol", "at least 0", tol)),
        Some(_) => Ok(Until { features: d, tol }),
        None if features > d => {
            let most = format!("at most the number of features, {d}");
            Err(Error::param(name, "n_nonzero_coefs", most, features))
        }
        None => Ok(Until { features, tol }),
    }
}

/// The pursuit of each target of a table, side by side.
pub(crate) fn pursue_all(columns: &Columns, until: Until, session: &Session) -> Vec<Chosen> {
    let one = |k: usize| {
        let own = columns.only(k);
        pursue(&own, dot(&own.y, &own.y), until, session)
    };
    (0..columns.targets()).into_par_iter().map(one).collect()
}
