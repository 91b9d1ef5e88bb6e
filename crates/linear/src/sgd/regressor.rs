//! Linear regression by stochastic gradient descent.
//!
//! # Objective
//! $$ \min_{w,b}\ \frac{1}{\sum_i s_i}\sum_i s_i\,\ell(y_i, w^\top x_i + b) +
//!    \alpha\Bigl(\tfrac{1-\rho}{2}\lVert w\rVert_2^2 + \rho\lVert w\rVert_1\Bigr) $$
//! with any loss of the residual: half the squared error makes a ridge regression, `epsilon_insensitive` a support vector
//! machine, `absolute` a median regression. `poisson`, `gamma` and `tweedie` are deviances of the logarithm of a mean; their
//! predictions are $e^{w^\top x + b}$.
//!
//! # Algorithm
//! That of [`SGDClassifier`](crate::SGDClassifier), with numbers for targets.
//!
//! # Complexity
//! O(nnz) a pass; memory O(d) beyond the rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::SGDRegressor;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-1.0], [-0.5], [0.0], [0.5], [1.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![-2.0, -1.0, 0.0, 1.0, 2.0]))?;
//! let model = SGDRegressor::default().alpha(0.0).max_iter(5000).tol(None).fit(&data)?;
//! assert!((model.coef[(0, 0)] - 2.0).abs() < 0.01);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! As for [`SGDClassifier`](crate::SGDClassifier). Targets far from the size of 1 need other steps; the certificate shows it
//! by its gradient.
//!
//! # References
//! - L. Bottou. Stochastic gradient descent tricks. Neural Networks: Tricks of the Trade, 2012. doi:10.1007/978-3-642-35289-8_25
//! - Y. Tsuruoka, J. Tsujii, S. Ananiadou. Stochastic gradient descent training for L1-regularized log-linear models. ACL 2009.

use super::classifier::width;
use super::model::SgdModel;
use super::settings::{
    Average, LearningRate, Rule, SgdLoss, SgdParams, SgdPassParams, SgdPenalty, SgdStepParams,
};
use super::train::Plan;
use crate::intercept::InterceptParams;
use mercer_core::{Capabilities, Dataset, Error, Learn, ParamType, Params, Result, Session};
use mercer_measure::Loss;

/// Linear regression by stochastic gradient descent.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "sgd-regressor",
    canon = "L7",
    task = Regression,
    twin = "SGDClassifier",
    python = "linear_model",
    tried = "| loss=huber,penalty=elasticnet,average=10,learning_rate=adaptive | loss=epsilon_insensitive,learning_rate=pa1,eta0=1,penalty=none,max_iter=20 | learning_rate=robbins_monro,batch_size=4,n_partitions=2,early_stopping=true,shuffle=false",
    session = "random_state verbose",
    mixins = "DescentMixin ResumeNumbersMixin", door = "warm_start=False",
    can = "weights sparse scaled resumes counts_rows ordered random",
    references = "Bottou. Stochastic gradient descent tricks. Neural Networks: Tricks of the Trade, 2012."
)]
pub struct SGDRegressor {
    /// The loss by name: squared_error, huber, epsilon_insensitive, squared_epsilon_insensitive and others of the residual or
    /// of the logarithm of a mean.
    #[param(default = SgdLoss::parse("squared_error").expect("a loss"))]
    pub loss: SgdLoss,
    /// Penalty, widths and steps.
    #[param(flatten)]
    pub step: SgdStepParams,
    /// What all learners by stochastic gradients take.
    #[param(flatten)]
    pub descent: SgdParams,
    /// How long steps are.
    #[param(default = LearningRate::Invscaling)]
    pub learning_rate: LearningRate,
    /// How fast the learning rate invscaling falls.
    #[param(default = 0.25)]
    pub power_t: f64,
}

impl SGDRegressor {
    pub(crate) fn plan(&self) -> Plan<'_> {
        let loss = self.loss.with_width(self.step.epsilon);
        let steps = (self.learning_rate, self.step.eta0, self.power_t);
        Plan {
            name: Self::NAME,
            params: &self.descent,
            rule: Rule::new(&self.descent, loss, self.step.penalty, steps, self.step.batch_size),
            class_weight: None,
            n_partitions: self.step.n_partitions,
        }
    }
}

impl Learn for SGDRegressor {
    type Model = SgdModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SgdModel> {
        self.plan().learn(data, session, false)
    }

    fn resume(
        &self,
        model: Option<&SgdModel>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<SgdModel>> {
        Some(self.plan().resume(model, data, session))
    }

    fn capabilities(&self) -> Capabilities {
        let random = self.descent.passes.shuffle || self.descent.early_stopping;
        Capabilities { random, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let loss = self.loss.with_width(self.step.epsilon);
        if loss.is_margin() || loss == Loss::CrossEntropy {
            let allowed = "a loss of the residual or of the logarithm of a mean";
            return Err(Error::param(Self::NAME, "loss", allowed, self.loss.to_value()));
        }
        width(Self::NAME, loss)?;
        self.plan().rule.check(Self::NAME)
    }
}
