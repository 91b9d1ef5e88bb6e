//! Stochastic gradients: machines that are told one noisy gradient at a time.
//!
//! # Objective
//! $$ \min_\theta\ \mathbb E_Z[\ell(\theta; Z)] $$
//! of which each step sees the gradient of one sample or of a mini-batch.
//!
//! # Algorithm
//! With gradient g, rate η and everything elementwise:
//! SGD $\theta \mathrel{-}= \eta g$; momentum $v = \beta v + g$, $\theta \mathrel{-}= \eta v$; Nesterov
//! $\theta \mathrel{-}= \eta(g + \beta v)$; AdaGrad $s \mathrel{+}= g^2$, $\theta \mathrel{-}= \eta g / (\sqrt s + \epsilon)$;
//! RMSProp $s = \rho s + (1 - \rho)g^2$; Adam both moments, corrected by $1 - \beta^k$; AdamW also
//! $\theta \mathrel{-}= \eta\lambda\theta$.
//!
//! # Complexity
//! O(n) a step, memory O(n) for each moment.
//!
//! # Example
//! ```
//! use mercer_optim::{Rule, Schedule, Stochastic};
//! // The mean of a stream, by Robbins and Monro: with rates 1/k the iterate is the running mean.
//! let schedule = Schedule::RobbinsMonro { scale: 1.0, shift: 0.0, power: 1.0 };
//! let mut mean = Stochastic::new(vec![0.0], Rule::Sgd, schedule)?;
//! for z in [4.0, 2.0, 9.0] {
//!     let grad = [mean.point()[0] - z];
//!     mean.step(&grad)?;
//! }
//! assert!((mean.point()[0] - 5.0).abs() < 1e-15);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A gradient that is not finite is refused and changes nothing. State serialises, so that a run can be resumed.
//!
//! # References
//! - H. Robbins, S. Monro. A stochastic approximation method. Ann. Math. Statist. 22(3), 1951. doi:10.1214/aoms/1177729586
//! - B. T. Polyak. Some methods of speeding up the convergence of iteration methods. USSR Comput. Math. 4(5), 1964.
//! - I. Sutskever, J. Martens, G. Dahl, G. Hinton. On the importance of initialization and momentum. ICML 2013.
//! - J. Duchi, E. Hazan, Y. Singer. Adaptive subgradient methods. JMLR 12, 2011.
//! - T. Tieleman, G. Hinton. RMSProp. Coursera lecture 6.5, 2012.
//! - D. P. Kingma, J. Ba. Adam: a method for stochastic optimization. ICLR 2015. arXiv:1412.6980
//! - I. Loshchilov, F. Hutter. Decoupled weight decay regularization. ICLR 2019. arXiv:1711.05101

use crate::objective::sup_norm;
use crate::refuse::{finite, length, number};
use crate::schedule::Schedule;
use mercer_core::Result;
use mercer_math::axpy;
use serde::{Deserialize, Serialize};

const OWNER: &str = "Stochastic";

/// How a gradient becomes a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Rule {
    /// Against the gradient.
    Sgd,
    /// Against a running sum of gradients (heavy ball).
    Momentum {
        /// What is kept of the sum.
        beta: f64,
    },
    /// Momentum that looks ahead.
    Nesterov {
        /// What is kept of the sum.
        beta: f64,
    },
    /// Rates divided by the root of all squares so far.
    AdaGrad {
        /// Added to the root.
        epsilon: f64,
    },
    /// Rates divided by the root of a running mean of squares.
    RmsProp {
        /// What is kept of the mean.
        rho: f64,
        /// Added to the root.
        epsilon: f64,
    },
    /// Running means of gradients and squares, corrected for their start.
    Adam {
        /// What is kept of the mean of gradients.
        beta1: f64,
        /// What is kept of the mean of squares.
        beta2: f64,
        /// Added to the root.
        epsilon: f64,
    },
    /// Adam, with weights that decay apart from the gradient.
    AdamW {
        /// What is kept of the mean of gradients.
        beta1: f64,
        /// What is kept of the mean of squares.
        beta2: f64,
        /// Added to the root.
        epsilon: f64,
        /// The part of the weights that a step takes off, times the rate.
        decay: f64,
    },
}

impl Rule {
    /// Momentum of 0.9.
    pub const MOMENTUM: Self = Self::Momentum { beta: 0.9 };
    /// Nesterov's momentum of 0.9.
    pub const NESTEROV: Self = Self::Nesterov { beta: 0.9 };
    /// AdaGrad with ε = 1e-10.
    pub const ADAGRAD: Self = Self::AdaGrad { epsilon: 1e-10 };
    /// RMSProp with ρ = 0.99, ε = 1e-8.
    pub const RMSPROP: Self = Self::RmsProp { rho: 0.99, epsilon: 1e-8 };
    /// Adam with the values of its paper.
    pub const ADAM: Self = Self::Adam { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };
    /// AdamW with a decay of 0.01.
    pub const ADAMW: Self = Self::AdamW { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decay: 0.01 };

    fn check(&self) -> Result<()> {
        let share = |name: &str, v: f64| number(OWNER, name, "in [0, 1)", v, (0.0..1.0).contains(&v));
        let size = |name: &str, v: f64| number(OWNER, name, "in [0, inf)", v, v >= 0.0 && v.is_finite());
        match *self {
            Self::Sgd => Ok(()),
            Self::Momentum { beta } | Self::Nesterov { beta } => share("beta", beta),
            Self::AdaGrad { epsilon } => size("epsilon", epsilon),
            Self::RmsProp { rho, epsilon } => share("rho", rho).and_then(|()| size("epsilon", epsilon)),
            Self::Adam { beta1, beta2, epsilon } => {
                share("beta1", beta1)?;
                share("beta2", beta2)?;
                size("epsilon", epsilon)
            }
            Self::AdamW { beta1, beta2, epsilon, decay } => {
                share("beta1", beta1)?;
                share("beta2", beta2)?;
                size("epsilon", epsilon)?;
                size("decay", decay)
            }
        }
    }
}

/// What is worth reading of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepInfo {
    /// Steps done.
    pub step: u64,
    /// The rate of this one.
    pub rate: f64,
    /// The largest component of its gradient.
    pub grad_norm: f64,
}

/// A point that follows noisy gradients: everything between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stochastic {
    rule: Rule,
    schedule: Schedule,
    point: Vec<f64>,
    /// Running sum or mean of gradients; empty where the rule has none.
    first: Vec<f64>,
    /// Running sum or mean of squares; empty where the rule has none.
    second: Vec<f64>,
    steps: u64,
}

impl Stochastic {
    /// A machine at `start`, with no step done.
    ///
    /// # Errors
    /// A start that is not finite; a rule or schedule out of range.
    pub fn new(start: Vec<f64>, rule: Rule, schedule: Schedule) -> Result<Self> {
        finite(OWNER, "start", &start)?;
        rule.check()?;
        schedule.check(OWNER)?;
        let list = |wanted: bool| if wanted { vec![0.0; start.len()] } else { Vec::new() };
        let first = list(!matches!(rule, Rule::Sgd | Rule::AdaGrad { .. } | Rule::RmsProp { .. }));
        let second = list(!matches!(rule, Rule::Sgd | Rule::Momentum { .. } | Rule::Nesterov { .. }));
        Ok(Self { rule, schedule, point: start, first, second, steps: 0 })
    }

    /// The point.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// Steps done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes the point from outside of the gradient, for a projection or a proximal map after a step.
    pub fn point_mut(&mut self) -> &mut [f64] {
        &mut self.point
    }

    /// Takes one step against a gradient at [`Stochastic::point`].
    ///
    /// # Errors
    /// A gradient of the wrong length or not finite; nothing has changed then.
    pub fn step(&mut self, grad: &[f64]) -> Result<StepInfo> {
        length("gradient", self.point.len(), grad.len())?;
        finite(OWNER, "grad", grad)?;
        self.steps += 1;
        let rate = self.schedule.rate(self.steps);
        match self.rule {
            Rule::Sgd => axpy(-rate, grad, &mut self.point),
            Rule::Momentum { beta } => {
                self.gather(beta, 1.0, grad);
                axpy(-rate, &self.first, &mut self.point);
            }
            Rule::Nesterov { beta } => {
                self.gather(beta, 1.0, grad);
                axpy(-rate, grad, &mut self.point);
                axpy(-rate * beta, &self.first, &mut self.point);
            }
            Rule::AdaGrad { epsilon } => {
                self.gather_squares(1.0, 1.0, grad);
                self.scaled(rate, 1.0, epsilon, grad);
            }
            Rule::RmsProp { rho, epsilon } => {
                self.gather_squares(rho, 1.0 - rho, grad);
                self.scaled(rate, 1.0, epsilon, grad);
            }
            Rule::Adam { beta1, beta2, epsilon } => self.adam(rate, beta1, beta2, epsilon, grad),
            Rule::AdamW { beta1, beta2, epsilon, decay } => {
                self.point.iter_mut().for_each(|x| *x -= rate * decay * *x);
                self.adam(rate, beta1, beta2, epsilon, grad);
            }
        }
        Ok(StepInfo { step: self.steps, rate, grad_norm: sup_norm(grad) })
    }

    fn adam(&mut self, rate: f64, beta1: f64, beta2: f64, epsilon: f64, grad: &[f64]) {
        self.gather(beta1, 1.0 - beta1, grad);
        self.gather_squares(beta2, 1.0 - beta2, grad);
        let corrected = |beta: f64| 1.0 - beta.powf(self.steps as f64);
        let (rate, squares) = (rate / corrected(beta1), corrected(beta2));
        let first = std::mem::take(&mut self.first);
        self.scaled(rate, squares, epsilon, &first);
        self.first = first;
    }

    fn gather(&mut self, keep: f64, add: f64, grad: &[f64]) {
        self.first.iter_mut().zip(grad).for_each(|(m, g)| *m = keep * *m + add * g);
    }

    fn gather_squares(&mut self, keep: f64, add: f64, grad: &[f64]) {
        self.second.iter_mut().zip(grad).for_each(|(s, g)| *s = keep * *s + add * g * g);
    }

    /// A step against `v`, each coordinate divided by the root of its squares.
    fn scaled(&mut self, rate: f64, correction: f64, epsilon: f64, v: &[f64]) {
        for ((x, s), v) in self.point.iter_mut().zip(&self.second).zip(v) {
            let root = (s / correction).sqrt() + epsilon;
            // A coordinate that never had a gradient stays.
            if root > 0.0 {
                *x -= rate * v / root;
            }
        }
    }
}
