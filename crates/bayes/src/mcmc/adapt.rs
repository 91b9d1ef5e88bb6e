//! Warm-up of gradient samplers: dual averaging of the step size, and windows that estimate the mass matrix.

use super::engine::{Adaptation, Engine, StepInfo};
use super::hamiltonian::{Metric, Phase, first_step_size};
use mercer_core::{Choice, Density, ParamGroup, Result};
use mercer_math::{Mat, Rng};

/// What the mass matrix adapts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum MassMatrix {
    /// The variance of each coordinate.
    Diagonal,
    /// The covariance of all.
    Dense,
    /// Nothing: all masses are 1.
    Unit,
}

/// What gradient samplers share.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct HamiltonianParams {
    /// The acceptance that the step size is steered towards during warm-up: higher means shorter steps.
    #[param(default = 0.8, range = "(0, 1)")]
    pub target_accept: f64,
    /// What the mass matrix adapts to during warm-up: the variance of each coordinate, the covariance of all, or nothing.
    #[param(default = MassMatrix::Diagonal)]
    pub mass_matrix: MassMatrix,
    /// The first step size; found by doubling and halving where there is none.
    #[param(default = None, range = "(0, inf)")]
    pub step_size: Option<f64>,
}

/// An engine of Hamiltonian dynamics.
pub(crate) trait Hamiltonian: Engine {
    fn metric(&mut self) -> &mut Metric;
    fn set_step_size(&mut self, step: f64);
    fn phase(state: &Self::State) -> &Phase;
}

/// Nesterov's dual averaging of the logarithm of the step size (section 3.2 of Hoffman and Gelman 2014).
struct DualAveraging {
    mu: f64,
    count: f64,
    error: f64,
    mean_log: f64,
}

impl DualAveraging {
    fn from(step: f64) -> Self {
        Self { mu: (10.0 * step).ln(), count: 0.0, error: 0.0, mean_log: 0.0 }
    }

    /// The next step size.
    fn update(&mut self, acceptance: f64, target: f64) -> f64 {
        const GAMMA: f64 = 0.05;
        const T0: f64 = 10.0;
        const KAPPA: f64 = 0.75;
        self.count += 1.0;
        let eta = 1.0 / (self.count + T0);
        self.error = (1.0 - eta) * self.error + eta * (target - acceptance.min(1.0));
        let log = self.mu - self.error * self.count.sqrt() / GAMMA;
        let weight = self.count.powf(-KAPPA);
        self.mean_log = weight * log + (1.0 - weight) * self.mean_log;
        log.exp()
    }
}

/// Running mean and scatter.
struct Covariance {
    count: f64,
    mean: Vec<f64>,
    /// The scatter: of the diagonal alone, one row.
    scatter: Mat,
    dense: bool,
}

impl Covariance {
    fn new(dim: usize, dense: bool) -> Self {
        Self {
            count: 0.0,
            mean: vec![0.0; dim],
            scatter: Mat::zeros(if dense { dim } else { 1 }, dim),
            dense,
        }
    }

    fn push(&mut self, q: &[f64]) {
        self.count += 1.0;
        let before: Vec<f64> = q.iter().zip(&self.mean).map(|(q, m)| q - m).collect();
        self.mean.iter_mut().zip(&before).for_each(|(m, d)| *m += d / self.count);
        let after: Vec<f64> = q.iter().zip(&self.mean).map(|(q, m)| q - m).collect();
        match self.dense {
            true => {
                for (i, d) in after.iter().enumerate() {
                    mercer_math::axpy(*d, &before, self.scatter.row_mut(i));
                }
            }
            false => {
                let terms = before.iter().zip(&after);
                self.scatter.row_mut(0).iter_mut().zip(terms).for_each(|(s, (a, b))| *s += a * b);
            }
        }
    }

    /// The estimate, drawn a little towards a thousandth of the identity as Stan does; `None` where it is none.
    fn metric(&self) -> Option<Metric> {
        let n = self.count;
        if n < 3.0 {
            return None;
        }
        let share = n / (n + 5.0) / (n - 1.0);
        let more = 1e-3 * 5.0 / (n + 5.0);
        match self.dense {
            false => {
                let v: Vec<f64> = self.scatter.row(0).iter().map(|s| s * share + more).collect();
                v.iter().all(|v| v.is_finite() && *v > 0.0).then_some(Metric::Diagonal(v))
            }
            true => {
                let d = self.mean.len();
                let at = |i: usize, j: usize| 0.5 * (self.scatter[(i, j)] + self.scatter[(j, i)]) * share;
                Metric::dense(Mat::from_fn(d, d, |i, j| at(i, j) + if i == j { more } else { 0.0 }))
            }
        }
    }
}

/// Windows of the warm-up: a first part for the step size alone, then windows that double, then a last part.
struct Windows {
    first: usize,
    last: usize,
    next: usize,
    size: usize,
}

impl Windows {
    /// 75, 25 and 50 steps of at least 150; of fewer, shares of them. `None` of very few.
    fn new(warmup: usize) -> Option<Self> {
        if warmup < 20 {
            return None;
        }
        let (first, size, last) = if warmup < 150 {
            let (first, last) = (warmup * 3 / 20, warmup / 10);
            (first, warmup - first - last, last)
        } else {
            (75, 25, 50)
        };
        Some(Self { first, last: warmup - last, next: first + size - 1, size })
    }

    fn holds(&self, at: usize) -> bool {
        (self.first..self.last).contains(&at)
    }

    /// Whether a window ends at this step; then the next one is twice as long, or the rest.
    fn ends(&mut self, at: usize) -> bool {
        if at != self.next || at >= self.last {
            return false;
        }
        if self.next + 1 != self.last {
            self.size *= 2;
            self.next = at + self.size;
            if self.next + 1 != self.last && self.next + 2 * self.size >= self.last {
                self.next = self.last - 1;
            }
        }
        true
    }
}

/// The warm-up of a gradient sampler.
pub(crate) struct HamiltonianAdaptation {
    target: f64,
    averaging: DualAveraging,
    windows: Option<Windows>,
    covariance: Covariance,
    fixed: bool,
}

impl HamiltonianAdaptation {
    /// Starts the warm-up, and gives the engine's first step size.
    pub(crate) fn begin<E: Hamiltonian>(
        params: &HamiltonianParams,
        engine: &mut E,
        density: &Density,
        warmup: usize,
        (point, rng): (&[f64], &mut Rng),
    ) -> Result<Self> {
        let phase = Phase::at(density, point)?;
        let step = match params.step_size {
            Some(step) => step,
            None => first_step_size(density, engine.metric(), &phase, 1.0, rng)?,
        };
        engine.set_step_size(step);
        Ok(Self {
            target: params.target_accept,
            averaging: DualAveraging::from(step),
            windows: Windows::new(warmup),
            covariance: Covariance::new(point.len(), params.mass_matrix == MassMatrix::Dense),
            fixed: params.mass_matrix == MassMatrix::Unit,
        })
    }
}

impl<E: Hamiltonian> Adaptation<E> for HamiltonianAdaptation {
    fn learn(
        &mut self,
        engine: &mut E,
        density: &Density,
        state: &E::State,
        info: &StepInfo,
        (at, _): (usize, usize),
        rng: &mut Rng,
    ) -> Result<()> {
        let step = self.averaging.update(info.acceptance, self.target);
        engine.set_step_size(step);
        let Some(windows) = self.windows.as_mut().filter(|_| !self.fixed) else { return Ok(()) };
        if windows.holds(at) {
            self.covariance.push(&E::phase(state).q);
        }
        if windows.ends(at) {
            if let Some(metric) = self.covariance.metric() {
                *engine.metric() = metric;
            }
            self.covariance = Covariance::new(self.covariance.mean.len(), self.covariance.dense);
            let step = first_step_size(density, engine.metric(), E::phase(state), step, rng)?;
            engine.set_step_size(step);
            self.averaging = DualAveraging::from(step);
        }
        Ok(())
    }

    fn finish(&mut self, engine: &mut E) {
        if self.averaging.count > 0.0 {
            engine.set_step_size(self.averaging.mean_log.exp());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schedule that Stan's manual prints for 1000 steps: windows end after 100, 150, 250, 450 and 950 steps.
    #[test]
    fn windows_double_and_the_last_takes_the_rest() {
        let ends = |warmup: usize| {
            let mut windows = Windows::new(warmup).unwrap();
            (0..warmup).filter(|&at| windows.ends(at)).map(|at| at + 1).collect::<Vec<_>>()
        };
        assert_eq!(ends(1000), [100, 150, 250, 450, 950]);
        assert_eq!(ends(150), [100]);
        assert_eq!(ends(100), [90]);
        assert!(Windows::new(10).is_none());
    }
}
