//! The expected error of a learner taken apart: bias, variance and noise.
//!
//! 000 eq. 1.17: E[(h_D(x) − y)²] = E[(h_D(x) − h̄(x))²] + E[(h̄(x) − ȳ(x))²] + E[(ȳ(x) − y)²], where h_D is learnt from a
//! drawn data set D, h̄ its mean over data sets, and ȳ(x) the mean of y at x.

use mercer_core::{Dataset, Error, ErrorKind, Learner, Result, Session, Target};
use mercer_math::{Mat, Rng};
use rayon::prelude::*;

/// A source of regression data whose truth is known.
pub trait Truth: Sync {
    /// `n` inputs.
    fn inputs(&self, n: usize, rng: &mut Rng) -> Mat;
    /// ȳ(x), the mean of y at an input.
    fn mean(&self, x: &[f64]) -> f64;
    /// A draw of y at an input.
    fn draw(&self, x: &[f64], rng: &mut Rng) -> f64;
}

/// The parts of the expected squared error, averaged over inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct BiasVariance {
    /// E[(h̄(x) − ȳ(x))²], the squared bias; corrected for the error of h̄ from finitely many data sets, so it may be
    /// slightly negative where there is none.
    pub bias: f64,
    /// E[(h_D(x) − h̄(x))²], unbiased.
    pub variance: f64,
    /// E[(ȳ(x) − y)²], from draws of y at the test inputs.
    pub noise: f64,
    /// E[(h_D(x) − y)²], measured on fresh y for every data set, on its own.
    pub total: f64,
    /// The standard error of `total − (bias + variance + noise)`, from the scatter over data sets.
    pub error: f64,
    /// h̄ at the test inputs.
    pub mean_prediction: Vec<f64>,
    /// ȳ at the test inputs.
    pub truth: Vec<f64>,
}

impl BiasVariance {
    /// The sum of the three parts, which the total must equal up to chance.
    pub fn sum(&self) -> f64 {
        self.bias + self.variance + self.noise
    }
}

/// Estimates the parts for a regressor by resampling: `sets` data sets of `n_train` rows, the same `n_test` inputs for
/// all.
pub fn bias_variance(
    learner: &dyn Learner,
    truth: &dyn Truth,
    (n_train, n_test, sets): (usize, usize, usize),
    session: &Session,
) -> Result<BiasVariance> {
    if n_train == 0 || n_test == 0 || sets < 2 {
        return Err(Error::too_few(
            "bias_variance",
            "data sets, with rows to learn from and to test on",
            2,
            sets.min(n_train).min(n_test),
        ));
    }
    let test = truth.inputs(n_test, &mut session.rng(0));
    let means: Vec<f64> = (0..n_test).map(|i| truth.mean(test.row(i))).collect();
    let one = |set: usize| -> Result<(Vec<f64>, Vec<f64>)> {
        if session.step("data set", set as u64, Some(sets as u64), None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let task = session.split(1 + set as u64).quiet();
        let mut rng = task.rng(1);
        let x = truth.inputs(n_train, &mut rng);
        let y: Vec<f64> = (0..n_train).map(|i| truth.draw(x.row(i), &mut rng)).collect();
        let model = learner.train(&Dataset::new(&x).with_target(Target::real(y))?, &task)?;
        let predicted = model.predict(&(&test).into(), &task)?.numbers()?.to_vec();
        let fresh = (0..n_test).map(|i| truth.draw(test.row(i), &mut rng)).collect();
        Ok((predicted, fresh))
    };
    let drawn =
        session.run(|| (0..sets).into_par_iter().with_max_len(1).map(one).collect::<Result<Vec<_>>>())?;
    Ok(decompose(&drawn, means))
}

/// The parts from predictions and fresh answers, one pair of lists a data set.
fn decompose(drawn: &[(Vec<f64>, Vec<f64>)], truth: Vec<f64>) -> BiasVariance {
    let (k, n) = (drawn.len() as f64, truth.len());
    let average = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>() / n as f64;
    let mean_prediction: Vec<f64> =
        (0..n).map(|i| drawn.iter().map(|(h, _)| h[i]).sum::<f64>() / k).collect();
    let spread =
        |i: usize| drawn.iter().map(|(h, _)| (h[i] - mean_prediction[i]).powi(2)).sum::<f64>() / (k - 1.0);
    let variance = average(&spread);
    // The mean of k predictions strays from h̄ by variance/k, which the square of the bias would take for its own.
    let bias = average(&|i| (mean_prediction[i] - truth[i]).powi(2)) - variance / k;
    let noise = average(&|i| drawn.iter().map(|(_, y)| (y[i] - truth[i]).powi(2)).sum::<f64>() / k);
    // What the sum leaves out is 2 E[(h − ȳ)(ȳ − y)], zero by independence: its scatter is the error of the comparison.
    let cross: Vec<f64> =
        drawn.iter().map(|(h, y)| 2.0 * average(&|i| (h[i] - truth[i]) * (truth[i] - y[i]))).collect();
    let mean_cross = cross.iter().sum::<f64>() / k;
    let error = (cross.iter().map(|c| (c - mean_cross).powi(2)).sum::<f64>() / (k - 1.0) / k).sqrt();
    let total = average(&|i| drawn.iter().map(|(h, y)| (h[i] - y[i]).powi(2)).sum::<f64>() / k);
    BiasVariance { bias, variance, noise, total, error, mean_prediction, truth }
}
