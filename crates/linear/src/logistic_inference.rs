//! What unpenalised logistic regression says of its coefficients, and whether its classes are separable.
//!
//! Where a direction of the coefficients has no row on its wrong side, the likelihood grows along it for ever and has no
//! maximum (Albert and Anderson 1984, doi:10.1093/biomet/71.1.1). Of classes that are separated completely, the point found
//! is such a direction itself: every margin is positive. Of others, Newton's next step is: it would still move scores by
//! about 1 though the gradient is all but zero, and turns no row to the wrong side.

use crate::logistic_curvature::factor;
use crate::logistic_loss::{Curvature, Dims, LogisticSums};
use crate::logistic_state::LogisticState;
use mercer_core::{Schema, Statistic, Summary, Termination};
use mercer_math::{Cholesky, Mat};
use serde::{Deserialize, Serialize};

/// More coefficients than this have no standard errors, whose matrix grows with the square.
const MOST: usize = 1024;
/// A step of Newton's at an optimum moves scores by less than this.
const MOVED: f64 = 0.05;
/// What a row may fall back along a direction that separates, beside the row that it moves most.
const SLACK: f64 = 0.02;

/// What comes after the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Stage {
    /// The search itself.
    Search,
    /// The Hessian and the margins at the point found.
    Information(Termination),
    /// The margins along a direction, with what is known of the coefficients already.
    Direction(Termination, Vec<f64>, Result<LogisticInference, String>),
}

/// What is kept of a fit for its summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LogisticInference {
    /// The standard errors by class, in each the intercept first.
    errors: Vec<f64>,
    /// The class that the others are compared with, and these; of two classes, the second with the first.
    reference: usize,
    others: Vec<usize>,
    intercept: bool,
    n_rows: f64,
    log_likelihood: f64,
    null: f64,
}

/// Why classes that can be told apart have no summary.
pub(crate) fn separable(how: &str) -> String {
    format!(
        "the classes are {how} separable: the likelihood has no maximum, coefficients grow for ever; penalise them"
    )
}

/// The scores that have coefficients of their own once one class is the reference, which comes first.
fn split(dims: Dims, scale: &[f64]) -> (usize, Vec<usize>) {
    let mut present = (0..scale.len()).filter(|&c| scale[c] > 0.0);
    let reference = present.next().unwrap_or(0);
    if dims.columns() == 1 { (0, vec![0]) } else { (reference, present.collect()) }
}

/// The Hessian of the summed loss without the reference class, by classes.
fn information(dims: Dims, sums: &LogisticSums, others: &[usize]) -> Mat {
    let width = dims.width();
    Mat::from_fn(others.len() * width, others.len() * width, |r, s| {
        let (a, b) = (others[r / width].max(others[s / width]), others[r / width].min(others[s / width]));
        let (i, j) = (r % width, s % width);
        sums.grams[a * (a + 1) / 2 + b][(i.max(j), i.min(j))]
    })
}

impl LogisticState {
    /// What the round after the search must tell of the curvature.
    pub(crate) fn last_curvature(&self) -> Curvature {
        if self.dims.len() <= MOST { Curvature::Full } else { Curvature::None }
    }

    /// After the round of [`Stage::Information`]: what is known of the coefficients, and the direction to look along where
    /// Newton would still move.
    pub(crate) fn inferred(
        &self,
        sums: &LogisticSums,
        weighted: bool,
    ) -> (Result<LogisticInference, String>, Option<Vec<f64>>) {
        if sums.margins.least > 0.0 {
            return (Err(separable("completely")), None);
        }
        let (k, width) = (self.dims.columns(), self.dims.width());
        if sums.grams.is_empty() {
            return (Err(format!("there are more than {MOST} coefficients")), None);
        }
        let (reference, others) = split(self.dims, &self.scale);
        let h = information(self.dims, sums, &others);
        let place = |r: usize| (r % width) * k + others[r / width];
        let gradient = self.search.as_ref().map(|s| s.grad()).unwrap_or_default();
        let right: Vec<f64> = (0..h.n_rows()).map(|r| -self.total * gradient[place(r)]).collect();
        let step = factor(h.clone()).map(|f| f.solve_vec(&right)).unwrap_or_default();
        let size = |r: usize| self.sizes.get(r % width).copied().unwrap_or(1.0);
        let moves = step.iter().enumerate().any(|(r, d)| (d * size(r)).abs() > MOVED);
        let along = moves.then(|| {
            let mut along = vec![0.0; self.dims.len()];
            step.iter().enumerate().for_each(|(r, d)| along[place(r)] = *d);
            along
        });
        let found = if weighted {
            Err("class weights make another likelihood than that of the rows".to_owned())
        } else {
            self.errors(&h).map(|errors| LogisticInference {
                errors,
                reference,
                others,
                intercept: self.dims.intercept,
                n_rows: self.total,
                log_likelihood: -sums.loss,
                null: self.counts.iter().filter(|n| **n > 0.0).map(|n| n * (n / self.total).ln()).sum(),
            })
        };
        (found, along)
    }

    /// The standard errors from the information, by classes, in each the intercept first.
    fn errors(&self, h: &Mat) -> Result<Vec<f64>, String> {
        let (n, width) = (h.n_rows(), self.dims.width());
        let depends =
            || "the features depend on each other, so that their coefficients are not unique".to_owned();
        let unit: Vec<f64> = (0..n).map(|j| h[(j, j)].sqrt()).collect();
        if unit.iter().any(|u| !(*u > 0.0 && u.is_finite())) {
            return Err(depends());
        }
        let scaled = Mat::from_fn(n, n, |i, j| h[(i, j)] / unit[i] / unit[j]);
        let factor = Cholesky::new(&scaled).ok_or_else(depends)?;
        let l = factor.l();
        if (0..n).any(|j| l[(j, j)] * l[(j, j)] <= 1e-13) {
            return Err(depends());
        }
        let inverse = factor.inverse();
        let error = |r: usize| inverse[(r, r)].sqrt() / unit[r];
        let first = usize::from(self.dims.intercept);
        // The constant comes last in the loss, first in a summary.
        let of_class = |c: usize| (0..width).map(move |j| c * width + (j + width - first) % width);
        Ok((0..n / width).flat_map(of_class).map(error).collect())
    }
}

/// After the round of [`Stage::Direction`]: whether it separates.
pub(crate) fn settled(
    sums: &LogisticSums,
    known: Result<LogisticInference, String>,
) -> Result<LogisticInference, String> {
    let found = sums.margins;
    let separates = found.most > MOVED && found.least >= -SLACK * found.most;
    if separates { Err(separable("quasi-completely")) } else { known }
}

impl LogisticInference {
    pub(crate) fn fits(&self, coef: &Mat) -> bool {
        let width = coef.n_cols() + usize::from(self.intercept);
        let rows = self.others.iter().chain([&self.reference]).all(|&c| c < coef.n_rows());
        rows && self.errors.len() == width * self.others.len()
    }

    /// One line for each coefficient of each class but the reference: how its log-odds against that differ.
    pub(crate) fn summary(&self, coef: &Mat, intercepts: &[f64], level: f64, schema: &Schema) -> Summary {
        let two = coef.n_rows() == 1;
        let against = |c: usize, values: &dyn Fn(usize) -> f64| {
            if two { values(0) } else { values(c) - values(self.reference) }
        };
        let label =
            |c: usize| schema.labels().and_then(|l| l.get(c)).map_or_else(String::new, ToString::to_string);
        let mut each = Vec::with_capacity(self.errors.len());
        for &c in &self.others {
            let name = |name: &str| if two { name.to_owned() } else { format!("{}: {name}", label(c)) };
            if self.intercept {
                each.push((name("(intercept)"), against(c, &|c| intercepts[c])));
            }
            let features = schema.features.iter().enumerate();
            each.extend(features.map(|(j, f)| (name(&f.name), against(c, &|c| coef[(c, j)]))));
        }
        let rows = each.into_iter().zip(&self.errors).map(|((name, estimate), e)| (name, estimate, *e));
        let p = self.errors.len() as f64;
        Summary {
            model: "LogisticRegression".to_owned(),
            target: crate::wald::target_name(schema),
            coefficients: crate::wald::rows(rows, level),
            statistic: Statistic::Z,
            level,
            n_rows: self.n_rows,
            df_model: (schema.features.len() * self.others.len()) as f64,
            df_residual: self.n_rows - p,
            r_squared: None,
            adjusted_r_squared: None,
            pseudo_r_squared: Some(1.0 - self.log_likelihood / self.null),
            f_statistic: None,
            f_p_value: None,
            sigma: None,
            deviance: Some(-2.0 * self.log_likelihood),
            null_deviance: Some(-2.0 * self.null),
            log_likelihood: self.log_likelihood,
            aic: -2.0 * self.log_likelihood + 2.0 * p,
            bic: -2.0 * self.log_likelihood + self.n_rows.ln() * p,
        }
    }
}
