//! Control problems in continuous states, with Gymnasium's equations and limits: a car between two hills, a pole on a cart, and
//! two links that swing.

use crate::options::Options;
use mercer_core::{Dynamics, Environment, Error, Outcome, Result, Simulation, Space};
use mercer_math::{Rng, rng_for, uniform};
use std::f64::consts::PI;

/// One control problem with `N` numbers of state: pure functions of the state.
trait Problem: Clone + Send + Sync + 'static {
    const NAME: &'static str;
    /// The numbers observed.
    const NAMES: &'static [&'static str];
    const ACTIONS: &'static [&'static str];
    /// How many numbers a state has.
    const STATE: usize;
    /// A first state.
    fn start(&self, rng: &mut Rng, state: &mut [f64]);
    /// The next state, the reward, and whether the episode ends.
    fn next(&self, state: &mut [f64], action: usize) -> (f64, bool);
    /// What is seen of a state.
    fn observe(&self, state: &[f64], observation: &mut [f64]) {
        observation.copy_from_slice(state);
    }
    /// The upper ends of the observations.
    fn high(&self) -> Vec<f64>;
    /// The lower ends.
    fn low(&self) -> Vec<f64> {
        self.high().iter().map(|v| -v).collect()
    }
}

/// A problem as an environment.
struct Control<P> {
    problem: P,
    space: Space,
    limit: Option<u64>,
}

fn environment<P: Problem>(problem: P, limit: Option<u64>) -> Result<Environment> {
    let space = Space::Box { low: problem.low(), high: problem.high() };
    Environment::new(P::NAME, Control { problem, space, limit })
}

impl<P: Problem> Dynamics for Control<P> {
    fn observations(&self) -> &Space {
        &self.space
    }
    fn n_actions(&self) -> usize {
        P::ACTIONS.len()
    }
    fn actions(&self) -> Vec<String> {
        P::ACTIONS.iter().map(|a| (*a).to_owned()).collect()
    }
    fn names(&self) -> Vec<String> {
        P::NAMES.iter().map(|n| (*n).to_owned()).collect()
    }
    fn step_limit(&self) -> Option<u64> {
        self.limit
    }
    fn make(&self, seed: u64) -> Result<Box<dyn Simulation>> {
        let (problem, rng) = (self.problem.clone(), rng_for(seed, 0));
        Ok(Box::new(Controlled { problem, state: vec![0.0; P::STATE], rng }))
    }
}

struct Controlled<P> {
    problem: P,
    state: Vec<f64>,
    rng: Rng,
}

impl<P: Problem> Simulation for Controlled<P> {
    fn reset(&mut self, seed: Option<u64>, observation: &mut [f64]) -> Result<()> {
        if let Some(seed) = seed {
            self.rng = rng_for(seed, 0);
        }
        self.problem.start(&mut self.rng, &mut self.state);
        self.problem.observe(&self.state, observation);
        Ok(())
    }

    fn step(&mut self, action: usize, observation: &mut [f64]) -> Result<Outcome> {
        if action >= P::ACTIONS.len() {
            let expected = format!("an integer in [0, {}]", P::ACTIONS.len() - 1);
            return Err(Error::param(P::NAME, "action", expected, action));
        }
        let (reward, terminated) = self.problem.next(&mut self.state, action);
        self.problem.observe(&self.state, observation);
        Ok(Outcome { reward, terminated, truncated: false })
    }

    fn set_state(&mut self, state: &[f64]) -> Result<()> {
        if state.len() != P::STATE {
            return Err(Error::shape(format!("numbers of a state of {}", P::NAME), P::STATE, state.len()));
        }
        if !state.iter().all(|v| v.is_finite()) {
            return Err(Error::param(P::NAME, "state", "finite numbers", format!("{state:?}")));
        }
        self.state.copy_from_slice(state);
        Ok(())
    }
}

/// Numbers drawn evenly between two.
fn between(rng: &mut Rng, low: f64, high: f64, out: &mut [f64]) {
    out.iter_mut().for_each(|v| *v = low + (high - low) * uniform(rng));
}

/// Moore's car, too weak to climb the hill but by swinging; state: position and velocity.
#[derive(Clone)]
struct MountainCar {
    goal_velocity: f64,
}

pub(super) fn mountain_car(mut options: Options) -> Result<Environment> {
    let goal_velocity = options.number("goal_velocity", 0.0, 0.0, 0.07)?;
    let limit = options.step_limit(200)?;
    options.done()?;
    environment(MountainCar { goal_velocity }, limit)
}

impl Problem for MountainCar {
    const NAME: &'static str = "mountain-car";
    const NAMES: &'static [&'static str] = &["position", "velocity"];
    const ACTIONS: &'static [&'static str] = &["left", "coast", "right"];
    const STATE: usize = 2;

    fn start(&self, rng: &mut Rng, state: &mut [f64]) {
        between(rng, -0.6, -0.4, &mut state[..1]);
        state[1] = 0.0;
    }

    fn next(&self, state: &mut [f64], action: usize) -> (f64, bool) {
        let push = (action as f64 - 1.0) * 0.001;
        let velocity = (state[1] + push - 0.0025 * (3.0 * state[0]).cos()).clamp(-0.07, 0.07);
        let position = (state[0] + velocity).clamp(-1.2, 0.6);
        // The wall on the left takes the speed away.
        let velocity = if position == -1.2 && velocity < 0.0 { 0.0 } else { velocity };
        state.copy_from_slice(&[position, velocity]);
        (-1.0, position >= 0.5 && velocity >= self.goal_velocity)
    }

    fn high(&self) -> Vec<f64> {
        vec![0.6, 0.07]
    }
    fn low(&self) -> Vec<f64> {
        vec![-1.2, -0.07]
    }
}

/// Barto, Sutton and Anderson's pole on a cart; state: position and velocity of the cart, angle and speed of the pole.
#[derive(Clone)]
struct CartPole {
    /// Whether falling costs 1 and nothing is paid before.
    book: bool,
}

pub(super) fn cart_pole(mut options: Options) -> Result<Environment> {
    let book = options.truth("book", false)?;
    let limit = options.step_limit(500)?;
    options.done()?;
    environment(CartPole { book }, limit)
}

/// The angle, 12 degrees, at which the pole has fallen.
const FALLEN: f64 = 12.0 * 2.0 * PI / 360.0;

impl Problem for CartPole {
    const NAME: &'static str = "cart-pole";
    const NAMES: &'static [&'static str] = &["position", "velocity", "angle", "spin"];
    const ACTIONS: &'static [&'static str] = &["left", "right"];
    const STATE: usize = 4;

    fn start(&self, rng: &mut Rng, state: &mut [f64]) {
        between(rng, -0.05, 0.05, state);
    }

    fn next(&self, state: &mut [f64], action: usize) -> (f64, bool) {
        let (gravity, pole, total, half, tau) = (9.8, 0.1, 1.1, 0.5, 0.02);
        let (x, x_dot, theta, theta_dot) = (state[0], state[1], state[2], state[3]);
        let force = if action == 1 { 10.0 } else { -10.0 };
        let (sin, cos) = theta.sin_cos();
        let push = (force + pole * half * theta_dot * theta_dot * sin) / total;
        let theta_acc = (gravity * sin - cos * push) / (half * (4.0 / 3.0 - pole * cos * cos / total));
        let x_acc = push - pole * half * theta_acc * cos / total;
        let next =
            [x + tau * x_dot, x_dot + tau * x_acc, theta + tau * theta_dot, theta_dot + tau * theta_acc];
        state.copy_from_slice(&next);
        let fallen = next[0].abs() > 2.4 || next[2].abs() > FALLEN;
        let reward = match (self.book, fallen) {
            (false, _) => 1.0,
            (true, true) => -1.0,
            (true, false) => 0.0,
        };
        (reward, fallen)
    }

    fn high(&self) -> Vec<f64> {
        vec![4.8, f64::INFINITY, 2.0 * FALLEN, f64::INFINITY]
    }
}

/// Sutton's two links of which only the second is driven; state: two angles and their speeds.
#[derive(Clone)]
struct Acrobot;

pub(super) fn acrobot(mut options: Options) -> Result<Environment> {
    let limit = options.step_limit(500)?;
    options.done()?;
    environment(Acrobot, limit)
}

impl Acrobot {
    /// The change of a state under a torque, for links of mass, length and inertia 1 with their centres in the middle.
    fn change(s: [f64; 4], torque: f64) -> [f64; 4] {
        let (g, centre) = (9.8, 0.5);
        let (sin2, cos2) = s[1].sin_cos();
        let d1 = centre * centre + (1.0 + centre * centre + 2.0 * centre * cos2) + 2.0;
        let d2 = centre * centre + centre * cos2 + 1.0;
        let phi2 = centre * g * (s[0] + s[1] - PI / 2.0).cos();
        let phi1 = -centre * s[3] * s[3] * sin2 - 2.0 * centre * s[3] * s[2] * sin2
            + (centre + 1.0) * g * (s[0] - PI / 2.0).cos()
            + phi2;
        let swing = (torque + d2 / d1 * phi1 - centre * s[2] * s[2] * sin2 - phi2)
            / (centre * centre + 1.0 - d2 * d2 / d1);
        [s[2], s[3], -(d2 * swing + phi1) / d1, swing]
    }

    /// One step of the classical method of Runge and Kutta.
    fn integrate(s: [f64; 4], torque: f64, dt: f64) -> [f64; 4] {
        let along = |k: [f64; 4], h: f64| std::array::from_fn(|i| s[i] + h * k[i]);
        let k1 = Self::change(s, torque);
        let k2 = Self::change(along(k1, dt / 2.0), torque);
        let k3 = Self::change(along(k2, dt / 2.0), torque);
        let k4 = Self::change(along(k3, dt), torque);
        std::array::from_fn(|i| s[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    }
}

/// An angle between -π and π. A step turns a link by less than two turns, but a state that was set may be anywhere.
fn wrapped(angle: f64) -> f64 {
    if (-PI..=PI).contains(&angle) { angle } else { angle - 2.0 * PI * ((angle + PI) / (2.0 * PI)).floor() }
}

impl Problem for Acrobot {
    const NAME: &'static str = "acrobot";
    const NAMES: &'static [&'static str] = &["cos1", "sin1", "cos2", "sin2", "spin1", "spin2"];
    const ACTIONS: &'static [&'static str] = &["back", "none", "forth"];
    const STATE: usize = 4;

    fn start(&self, rng: &mut Rng, state: &mut [f64]) {
        between(rng, -0.1, 0.1, state);
    }

    fn next(&self, state: &mut [f64], action: usize) -> (f64, bool) {
        let s = [state[0], state[1], state[2], state[3]];
        let n = Self::integrate(s, action as f64 - 1.0, 0.2);
        let spin = |v: f64, most: f64| v.clamp(-most, most);
        let next = [wrapped(n[0]), wrapped(n[1]), spin(n[2], 4.0 * PI), spin(n[3], 9.0 * PI)];
        state.copy_from_slice(&next);
        let up = -next[0].cos() - (next[1] + next[0]).cos() > 1.0;
        (if up { 0.0 } else { -1.0 }, up)
    }

    fn observe(&self, state: &[f64], observation: &mut [f64]) {
        let ((sin1, cos1), (sin2, cos2)) = (state[0].sin_cos(), state[1].sin_cos());
        observation.copy_from_slice(&[cos1, sin1, cos2, sin2, state[2], state[3]]);
    }

    fn high(&self) -> Vec<f64> {
        vec![1.0, 1.0, 1.0, 1.0, 4.0 * PI, 9.0 * PI]
    }
}
