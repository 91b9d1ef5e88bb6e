//! Maximum likelihood and maximum a posteriori.
//!
//! # Objective
//! $$ \max_\theta\ \sum_i w_i \ln p(x_i \mid \theta) + \sum_j \ln \pi_j(\theta_j) $$
//! without priors for maximum likelihood. Invariant: the most likely value of g(θ) is g of the most likely θ; the most probable one
//! is not, since a density changes with its coordinates.
//!
//! # Algorithm
//! Closed forms where a family has one and nothing is held fixed. Else L-BFGS-B over real coordinates (logarithms of positive parameters
//! relative to their first guess, log odds of shares), then Fisher's scoring, θ + I(θ)⁻¹ · mean score, while it still shrinks the mean score.
//!
//! # References
//! - R. A. Fisher. Theory of statistical estimation. Proc. Camb. Phil. Soc. 22, 1925. doi:10.1017/S0305004100009580

use crate::family::{Domain, Family, Likelihood, Sample, Univariate};
use mercer_core::{Error, Result};
use mercer_math::{Cholesky, Mat};
use mercer_optim::{LbfgsB, Objective, lbfgsb};

/// Parameters of a family that were estimated from data.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The parameters, in the order of the family's.
    pub parameters: Vec<f64>,
    /// The log likelihood at them.
    pub log_likelihood: f64,
    /// The largest component of the mean score by the free parameters, times the size of the parameter: zero at an optimum within
    /// the domain. `None` where the support depends on the parameters.
    pub score: Option<f64>,
    /// Large-sample standard errors of the free parameters (zero for fixed ones), from Fisher's information at the estimate. `None`
    /// where there is no information, or priors were used.
    pub standard_errors: Option<Vec<f64>>,
}

/// The parameters under which the observations are most likely. `fixed` holds parameters at given values, by place (missing places
/// are free).
///
/// # Example
/// ```
/// use mercer_stats::{Family, mle};
/// let gamma = mle(Family::named("gamma")?, &[1.0, 2.0, 4.0, 1.5], None, &[])?;
/// assert!(gamma.score.unwrap() < 1e-10);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn mle(
    family: &'static Family,
    x: &[f64],
    weights: Option<&[f64]>,
    fixed: &[Option<f64>],
) -> Result<Estimate> {
    estimate(family, x, weights, fixed, &[])
}

/// The most probable parameters given independent priors of them, by place (`None` is a flat prior).
pub fn map_estimate(
    family: &'static Family,
    x: &[f64],
    weights: Option<&[f64]>,
    fixed: &[Option<f64>],
    priors: &[Option<&dyn Univariate>],
) -> Result<Estimate> {
    if priors.len() > family.parameters.len() {
        return Err(Error::shape(
            format!("priors of {}", family.name),
            family.parameters.len(),
            priors.len(),
        ));
    }
    if priors.iter().flatten().any(|prior| prior.family().discrete) {
        return Err(Error::incapable(family.name, "take a discrete prior: its parameters are continuous"));
    }
    estimate(family, x, weights, fixed, priors)
}

fn estimate(
    family: &'static Family,
    x: &[f64],
    weights: Option<&[f64]>,
    fixed: &[Option<f64>],
    priors: &[Option<&dyn Univariate>],
) -> Result<Estimate> {
    let sample = checked(family, x, weights)?;
    let held = |j: usize| fixed.get(j).copied().flatten();
    let given: Vec<f64> = (0..family.parameters.len()).map(|j| held(j).unwrap_or(f64::NAN)).collect();
    for (parameter, value) in family.parameters.iter().zip(&given) {
        if parameter.domain == Domain::Count && value.is_nan() {
            let expected = "given: it is not estimated from data";
            return Err(Error::param(family.name, parameter.name, expected, "nothing"));
        }
    }
    let guess = (family.guess)(&given, &sample);
    let start: Vec<f64> = guess.iter().zip(&given).map(|(g, v)| if v.is_nan() { *g } else { *v }).collect();
    let free: Vec<usize> = (0..start.len()).filter(|&j| given[j].is_nan()).collect();
    let (low, high) = sample.range();
    let alike = low == high && family.likelihood == Likelihood::Iterated && free.len() > 1;
    let start = match alike || family.law(&start).is_err() {
        true => within(family, &start, &free, priors).ok_or_else(|| {
            let reason = "the likelihood has no maximum: the observations are all alike, or at a bound";
            Error::numeric(family.name, reason)
        })?,
        false => start,
    };
    let only_counts =
        (0..start.len()).all(|j| given[j].is_nan() || family.parameters[j].domain == Domain::Count);
    let closed = match family.likelihood {
        Likelihood::Closed => only_counts,
        Likelihood::Apart => true,
        Likelihood::Iterated => false,
    };
    let deviation = sample.moments().1.sqrt();
    let unit = if deviation > 0.0 { deviation } else { 1.0 };
    let problem = Problem { family, unit, sample: &sample, priors, free: &free, start: &start };
    let parameters = match free.is_empty() || closed && priors.iter().all(Option::is_none) {
        true => start.clone(),
        false => problem.maximise()?,
    };
    problem.told(parameters)
}

/// A start for parameters of which the observations alone say nothing, such as the spread of a single one: the medians of their
/// priors. `None` where there is no prior, or a parameter without one is no better known.
fn within(
    family: &'static Family,
    start: &[f64],
    free: &[usize],
    priors: &[Option<&dyn Univariate>],
) -> Option<Vec<f64>> {
    let mut out = start.to_vec();
    let told = |j: &usize| Some((*j, priors.get(*j).copied().flatten()?));
    let told: Vec<(usize, &dyn Univariate)> = free.iter().filter_map(told).collect();
    told.iter().for_each(|(j, prior)| out[*j] = prior.quantile(0.5));
    (!told.is_empty() && family.law(&out).is_ok()).then_some(out)
}

fn checked<'a>(family: &Family, x: &'a [f64], weights: Option<&'a [f64]>) -> Result<Sample<'a>> {
    if let Some(w) = weights {
        if w.len() != x.len() {
            return Err(Error::shape("weights", x.len(), w.len()));
        }
        if let Some(bad) = w.iter().find(|w| !(**w >= 0.0 && w.is_finite())) {
            return Err(Error::param(family.name, "weights", "finite and at least 0", bad));
        }
    }
    let sample = Sample { x, weights };
    if let Some((i, value)) = x.iter().enumerate().find(|(_, v)| !(family.holds)(**v)) {
        let got = format!("{value} at row {i}");
        return Err(Error::param(family.name, "x", "within the support of the family", got));
    }
    if sample.total() <= 0.0 {
        return Err(Error::too_few(family.name, "observations of positive weight", 1, 0));
    }
    Ok(sample)
}

struct Problem<'a> {
    family: &'static Family,
    /// The size of a step of a real parameter: the deviation of the observations.
    unit: f64,
    sample: &'a Sample<'a>,
    priors: &'a [Option<&'a dyn Univariate>],
    free: &'a [usize],
    start: &'a [f64],
}

impl Problem<'_> {
    /// From real coordinates to a parameter, and the derivative of that.
    fn inward(&self, j: usize, t: f64) -> (f64, f64) {
        match self.family.parameters[j].domain {
            Domain::Real => (self.start[j] + self.unit * t, self.unit),
            Domain::Positive => {
                let v = self.start[j] * t.exp();
                (v, v)
            }
            Domain::Share | Domain::Chance | Domain::Count => {
                let p = 1.0 / (1.0 + (-t).exp());
                (p, p * (1.0 - p))
            }
        }
    }

    fn outward(&self, j: usize) -> f64 {
        let v = self.start[j];
        match self.family.parameters[j].domain {
            Domain::Real | Domain::Positive => 0.0,
            Domain::Share | Domain::Chance | Domain::Count => {
                let p = v.clamp(1e-6, 1.0 - 1e-6);
                (p / (1.0 - p)).ln()
            }
        }
    }

    fn full(&self, t: &[f64]) -> Vec<f64> {
        let mut values = self.start.to_vec();
        self.free.iter().zip(t).for_each(|(&j, t)| values[j] = self.inward(j, *t).0);
        values
    }

    /// The mean of what is maximised, and its derivatives by the free parameters; `None` outside of the domain.
    fn value(&self, values: &[f64]) -> Option<(f64, Vec<f64>)> {
        let law = self.family.law(values).ok()?;
        let total = self.sample.total();
        let mut slopes = vec![0.0; self.free.len()];
        let mut value = 0.0;
        for (x, w) in self.sample.each().filter(|(_, w)| *w > 0.0) {
            value += w * law.log_density(x);
            let score = law.score(x);
            self.free.iter().zip(&mut slopes).for_each(|(&j, s)| *s += w * score[j]);
        }
        for (&j, slope) in self.free.iter().zip(&mut slopes) {
            if let Some(prior) = self.priors.get(j).copied().flatten() {
                value += prior.log_density(values[j]);
                *slope += prior.slope(values[j]);
            }
        }
        slopes.iter_mut().for_each(|s| *s /= total);
        (value.is_finite() && slopes.iter().all(|s| s.is_finite())).then_some((value / total, slopes))
    }

    fn maximise(&self) -> Result<Vec<f64>> {
        let start: Vec<f64> = self.free.iter().map(|&j| self.outward(j)).collect();
        let wide = vec![f64::INFINITY; start.len()];
        let far: Vec<f64> = wide.iter().map(|v| -v).collect();
        let settings = LbfgsB { tol: 1e-9, max_iter: 2000, ..LbfgsB::default() };
        let found = lbfgsb(&mut Negative(self), &start, &far, &wide, &settings, None)?;
        if !found.value.is_finite() || found.x.iter().any(|t| t.abs() > 40.0) {
            let reason = "the likelihood has no maximum within the domain of the parameters";
            return Err(Error::numeric(self.family.name, reason));
        }
        Ok(self.scored(self.full(&found.x)))
    }

    /// Steps of Fisher's scoring while they shrink the mean score.
    fn scored(&self, mut values: Vec<f64>) -> Vec<f64> {
        let size = |slopes: &[f64]| slopes.iter().fold(0.0f64, |m, s| m.max(s.abs()));
        if self.priors.iter().any(Option::is_some) {
            return values;
        }
        for _ in 0..20 {
            let Some((_, slopes)) = self.value(&values) else { break };
            let Some(step) =
                self.information(&values).and_then(|i| Some(Cholesky::new(&i)?.solve_vec(&slopes)))
            else {
                break;
            };
            let mut next = values.clone();
            self.free.iter().zip(&step).for_each(|(&j, s)| next[j] += s);
            match self.value(&next) {
                Some((_, better)) if size(&better) < size(&slopes) => values = next,
                _ => break,
            }
        }
        values
    }

    /// Fisher's information of one observation on the free parameters.
    fn information(&self, values: &[f64]) -> Option<Mat> {
        let whole = self.family.law(values).ok()?.information()?;
        Some(Mat::from_fn(self.free.len(), self.free.len(), |a, b| whole[(self.free[a], self.free[b])]))
    }

    fn told(&self, parameters: Vec<f64>) -> Result<Estimate> {
        let law = self.family.law(&parameters)?;
        let term = |(x, w): (f64, f64)| if w > 0.0 { w * law.log_density(x) } else { 0.0 };
        let log_likelihood = self.sample.each().map(term).sum();
        if log_likelihood == f64::NEG_INFINITY {
            let reason = "an observation is impossible under the parameters that are held fixed";
            return Err(Error::numeric(self.family.name, reason));
        }
        let regular = law.information().is_some();
        let sized = |(&j, s): (&usize, &f64)| (s * parameters[j].abs().max(1e-300)).abs();
        let unit = |slopes: &[f64]| self.free.iter().zip(slopes).map(sized).fold(0.0, f64::max);
        let score = regular.then(|| self.value(&parameters).map(|(_, slopes)| unit(&slopes))).flatten();
        let plain = self.priors.iter().all(Option::is_none);
        let errors = || {
            let inverse = Cholesky::new(&self.information(&parameters)?)?.inverse();
            let mut out = vec![0.0; parameters.len()];
            for (a, &j) in self.free.iter().enumerate() {
                out[j] = (inverse[(a, a)] / self.sample.total()).sqrt();
            }
            Some(out)
        };
        let standard_errors = (plain && !self.free.is_empty()).then(errors).flatten();
        Ok(Estimate { parameters, log_likelihood, score, standard_errors })
    }
}

struct Negative<'a, 'p>(&'a Problem<'p>);

impl Objective for Negative<'_, '_> {
    fn dim(&self) -> usize {
        self.0.free.len()
    }

    fn value_grad(&mut self, t: &[f64], grad: &mut [f64]) -> f64 {
        let Some((value, slopes)) = self.0.value(&self.0.full(t)) else { return f64::INFINITY };
        for (((g, s), &j), t) in grad.iter_mut().zip(slopes).zip(self.0.free).zip(t) {
            *g = -s * self.0.inward(j, *t).1;
        }
        -value
    }
}
