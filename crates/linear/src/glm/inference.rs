//! What a family says of its coefficients without a penalty: standard errors, tests, likelihood.
//!
//! Weights count rows, as everywhere in Mercer: a weight of 2 is two copies of a row.

use super::family::Family;
use super::frame::{GlmFrame, GlmSums};
use mercer_core::{Schema, Statistic, Summary};
use mercer_math::{Cholesky, special::lgamma, symmetrise};
use serde::{Deserialize, Serialize};

/// Whether the law of a power has a likelihood in closed form.
pub(super) fn has_likelihood(power: f64) -> bool {
    [0.0, 1.0, 2.0, 3.0].contains(&power)
}

/// What is kept of a fit for its summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Inference {
    /// The standard error of each coefficient, the intercept first.
    errors: Vec<f64>,
    n_rows: f64,
    /// The dispersion φ of Var y = φ V(μ); 1 for counts.
    dispersion: f64,
    deviance: f64,
    /// None where there is an offset, since the best constant beside it is not known.
    null_deviance: Option<f64>,
    log_likelihood: f64,
}

impl Inference {
    /// From the sums of Fisher's information at the optimum; else why there is none.
    pub(super) fn of(
        family: Family,
        frame: &GlmFrame,
        offset: Option<usize>,
        sums: GlmSums,
    ) -> Result<Self, String> {
        let (first, width) = (usize::from(frame.intercept), frame.width());
        if sums.gram.n_rows() != width {
            return Err(format!("there are {width} coefficients, too many for their standard errors"));
        }
        let still = |(j, s): (usize, &f64)| *s == 0.0 && offset != Some(j);
        if let Some(j) = frame.scale.iter().enumerate().position(still) {
            return Err(format!("feature {j} does not vary, so that its coefficient is not unique"));
        }
        let (n, free) = (frame.weight, (width - usize::from(offset.is_some())) as f64);
        if n - free <= 1e-9 * n {
            return Err("there are not more rows than coefficients".to_owned());
        }
        let mut information = sums.gram;
        symmetrise(&mut information);
        // The offset has no coefficient, and stands alone.
        offset.into_iter().for_each(|j| information[(first + j, first + j)] = 1.0);
        let depends =
            || "the features depend on each other, so that their coefficients are not unique".to_owned();
        let factor = Cholesky::new(&information).ok_or_else(depends)?;
        let l = factor.l();
        if (0..width).any(|j| l[(j, j)] * l[(j, j)] <= 1e-13 * information[(j, j)]) {
            return Err(depends());
        }
        let inverse = factor.inverse();
        let dispersion = if family.power == 1.0 { 1.0 } else { sums.facts.pearson / (n - free) };
        // The intercept is u₀ − Σ m_j s_j u_j.
        let mut along = vec![1.0; first];
        along.extend(frame.shift.iter().zip(&frame.scale).map(|(m, s)| -m * s));
        let own = |j: usize| frame.scale[j] * inverse[(j + first, j + first)].sqrt();
        let of_intercept = mercer_math::dot(&along, &mercer_math::gemv(inverse.view(), &along)).sqrt();
        let all = frame.intercept.then_some(of_intercept).into_iter().chain((0..width - first).map(own));
        let errors = all.map(|e| e * dispersion.sqrt()).collect();
        let deviance = 2.0 * sums.loss;
        let log_likelihood = match family.power {
            // The variance that makes the rows most likely, not the unbiased one, as for least squares.
            0.0 if !family.log => -0.5 * n * ((2.0 * std::f64::consts::PI * deviance / n).ln() + 1.0),
            0.0 => -0.5 * (deviance / dispersion + n * (2.0 * std::f64::consts::PI * dispersion).ln()),
            1.0 => sums.facts.counts,
            2.0 => {
                // Half the deviance is Σ s (y/μ − 1 − ln(y/μ)).
                let k = 1.0 / dispersion;
                k * (n * k.ln() - n - sums.loss) - n * lgamma(k) - sums.facts.log_y
            }
            _ => {
                let logs = 3.0 * sums.facts.log_y + n * (2.0 * std::f64::consts::PI * dispersion).ln();
                -0.5 * (deviance / dispersion + logs)
            }
        };
        let null_deviance = offset.is_none().then_some(2.0 * sums.facts.null);
        Ok(Self { errors, n_rows: n, dispersion, deviance, null_deviance, log_likelihood })
    }

    pub(super) fn fits(&self, width: usize) -> bool {
        self.errors.len() == width
    }

    pub(super) fn summary(
        &self,
        model: &str,
        estimates: Vec<f64>,
        (offset, level): (Option<usize>, f64),
        schema: &Schema,
    ) -> Summary {
        let features = schema.features.len();
        let first = estimates.len() - features;
        let (p, offset) =
            ((self.errors.len() - usize::from(offset.is_some())) as f64, offset.map(|j| first + j));
        let intercept = (first > 0).then(|| "(intercept)".to_owned());
        let names = intercept.into_iter().chain(schema.features.iter().map(|f| f.name.clone()));
        let each = names.zip(estimates).zip(&self.errors).map(|((n, e), s)| (n, e, *s));
        let each = each.enumerate().filter(|(j, _)| Some(*j) != offset).map(|(_, row)| row);
        Summary {
            model: model.to_owned(),
            target: crate::wald::target_name(schema),
            coefficients: crate::wald::rows(each, level),
            statistic: Statistic::Z,
            level,
            n_rows: self.n_rows,
            df_model: p - first as f64,
            df_residual: self.n_rows - p,
            r_squared: None,
            adjusted_r_squared: None,
            pseudo_r_squared: None,
            f_statistic: None,
            f_p_value: None,
            sigma: Some(self.dispersion.sqrt()),
            deviance: Some(self.deviance),
            null_deviance: self.null_deviance,
            log_likelihood: self.log_likelihood,
            aic: -2.0 * self.log_likelihood + 2.0 * p,
            bic: -2.0 * self.log_likelihood + self.n_rows.ln() * p,
        }
    }
}
