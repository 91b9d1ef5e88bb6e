//! Linear classification by stochastic gradient descent.
//!
//! # Objective
//! $$ \min_{w,b}\ \frac{1}{\sum_i s_i}\sum_i s_i\,\ell(y_i, w^\top x_i + b) +
//!    \alpha\Bigl(\tfrac{1-\rho}{2}\lVert w\rVert_2^2 + \rho\lVert w\rVert_1\Bigr) $$
//! for two classes $y_i = \pm1$; of more, each against the rest. $\ell$ is any loss of the margin or of the residual: the hinge
//! makes a support vector machine, `log_loss` a logistic regression, `perceptron` a perceptron.
//!
//! # Algorithm
//! Rows in random order, one (or `batch_size`) a step, $w \leftarrow w - \eta_t (\ell'(y_i, w^\top x_i + b)\,x_i + \alpha w)$.
//! The L2 penalty scales one number a step, the L1 penalty is paid by a coefficient when a row touches it, the average over
//! steps is kept in two vectors: a step costs what the row has entries. With `n_partitions`, partitions of the rows go
//! their own ways side by side in each pass and meet at their mean. Passes end when the mean loss, or the score of
//! held out rows, has not improved by `tol` for `n_iter_no_change` of them.
//!
//! # Complexity
//! O(nnz) a pass for each class; memory O(d) for each class beyond the rows.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Session, Target};
//! use mercer_linear::SGDClassifier;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-2.0], [-1.0], [1.0], [2.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["no", "no", "yes", "yes"]))?;
//! let model = SGDClassifier::default().fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 1, 1]);
//! // The same rows as batches.
//! let session = Session::default();
//! let begun = SGDClassifier::default().partial_fit(None, &data, &session)?;
//! let more = SGDClassifier::default().partial_fit(Some(&begun), &data, &session)?;
//! assert_eq!(more.t, 9.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Results depend on the order of the rows; the certificate says what objective and gradient were reached, and whether the
//! learning rate satisfies the conditions of Robbins and Monro. Slopes beyond 1e12 are cut there. Unlike scikit-learn, the
//! intercept of sparse rows learns as fast as that of dense ones, and debts of the L1 penalty are paid before a row's score
//! is taken, so that sparse and dense rows give the same model; only the average under an L1 penalty differs, since it has
//! coefficients before they paid.
//!
//! # References
//! - H. Robbins, S. Monro. A stochastic approximation method. Ann. Math. Statist. 22(3), 1951. doi:10.1214/aoms/1177729586
//! - L. Bottou. Stochastic gradient descent tricks. Neural Networks: Tricks of the Trade, 2012. doi:10.1007/978-3-642-35289-8_25
//! - Y. Tsuruoka, J. Tsujii, S. Ananiadou. Stochastic gradient descent training for L1-regularized log-linear models. ACL 2009.
//! - M. Zinkevich, M. Weimer, A. Smola, L. Li. Parallelized stochastic gradient descent. NIPS 2010.
//! - K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer. Online passive-aggressive algorithms. JMLR 7, 2006.

use super::descent::State;
use super::model::{SgdModel, gives_probabilities};
use super::settings::{
    Average, LearningRate, Rule, SgdLoss, SgdParams, SgdPassParams, SgdPenalty, SgdScheduleParams,
    SgdStepParams,
};
use super::train::{Lessons, Plan};
use crate::class_weights::ClassWeightParams;
use crate::intercept::InterceptParams;
use mercer_core::{Capabilities, ClassWeight, Dataset, Error, Learn, ParamType, Params, Result, Session};
use mercer_measure::Loss;

/// Linear classification by stochastic gradient descent, for two classes or more.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "sgd-classifier",
    canon = "L7",
    task = Classification,
    twin = "SGDRegressor",
    python = "linear_model",
    tried = "| loss=log_loss,penalty=elasticnet,average=true,alpha=0.01 | loss=modified_huber,learning_rate=adaptive,eta0=0.1,early_stopping=true,batch_size=8,n_partitions=3 | penalty=l1,alpha=0.1,learning_rate=invscaling,eta0=0.1,shuffle=false",
    session = "random_state verbose n_jobs",
    mixins = "DescentMixin ResumeMixin", door = "warm_start=False",
    can = "decision weights sparse scaled resumes counts_rows ordered random",
    references = "Bottou. Stochastic gradient descent tricks. Neural Networks: Tricks of the Trade, 2012.|Tsuruoka, Tsujii, Ananiadou. Stochastic gradient descent training for L1-regularized log-linear models. ACL 2009."
)]
pub struct SGDClassifier {
    /// The loss by name, of the margin or of the residual: hinge, log_loss, modified_huber, squared_hinge, perceptron,
    /// squared_error, huber, epsilon_insensitive and others.
    #[param(default = SgdLoss::parse("hinge").expect("a loss"))]
    pub loss: SgdLoss,
    /// Penalty, widths and steps.
    #[param(flatten)]
    pub step: SgdStepParams,
    /// What all learners by stochastic gradients take.
    #[param(flatten)]
    pub descent: SgdParams,
    /// How steps get shorter.
    #[param(flatten)]
    pub schedule: SgdScheduleParams,
    /// How classes are weighted.
    #[param(flatten)]
    pub classes: ClassWeightParams,
}

impl SGDClassifier {
    pub(crate) fn plan(&self) -> Plan<'_> {
        let loss = self.loss.with_width(self.step.epsilon);
        let steps = (self.schedule.learning_rate, self.step.eta0, self.schedule.power_t);
        Plan {
            name: Self::NAME,
            params: &self.descent,
            rule: Rule::new(&self.descent, loss, self.step.penalty, steps, self.step.batch_size),
            class_weight: self.classes.class_weight.as_ref(),
            n_partitions: self.step.n_partitions,
        }
    }
}

impl Learn for SGDClassifier {
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
        let proba = gives_probabilities(self.loss.with_width(self.step.epsilon));
        let random = self.descent.passes.shuffle || self.descent.early_stopping;
        let zeroes = self.step.penalty == Some(SgdPenalty::L1);
        Capabilities { proba, random, zeroes, ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let loss = self.loss.with_width(self.step.epsilon);
        let knows =
            (loss.is_margin() || loss.is_residual() || loss == Loss::CrossEntropy) && loss != Loss::ZeroOne;
        if !knows {
            let allowed = "a loss of the margin or of the residual that has a gradient";
            return Err(Error::param(Self::NAME, "loss", allowed, self.loss.to_value()));
        }
        width(Self::NAME, loss)?;
        self.plan().rule.check(Self::NAME)
    }
}

/// Refuses a Huber loss without a width.
pub(crate) fn width(owner: &str, loss: Loss) -> Result<()> {
    match loss {
        Loss::Huber { delta } if delta <= 0.0 => {
            Err(Error::param(owner, "epsilon", "above 0 for the loss huber", delta))
        }
        _ => Ok(()),
    }
}

impl Plan<'_> {
    /// Learns from nothing, or from the session's start: coefficients of one descent after the other, then their intercepts.
    /// Steps are counted from the first.
    pub(crate) fn learn(&self, data: &Dataset<'_>, session: &Session, bounded: bool) -> Result<SgdModel> {
        let lessons = Lessons::of(self.name, self.rule.loss, self.class_weight, data, true)?;
        let d = data.n_features();
        let start = session.start_of(self.name, lessons.targets.len(), d)?;
        let begin = |(coef, intercept): (&[f64], &[f64])| {
            let one =
                |(w, b): (&[f64], &f64)| State { w: w.to_vec(), intercept: *b, ..State::new(d, &self.rule) };
            coef.chunks_exact(d.max(1)).zip(intercept).map(one).collect::<Vec<State>>()
        };
        // Novikoff's bound is on mistakes from nothing.
        let bounded = bounded && start.is_none();
        let states = start.map(begin);
        let ended = self.run(data, &lessons, states.as_deref(), self.params.passes.max_iter, session)?;
        SgdModel::new(self, ended, data, &lessons, bounded)
    }

    /// One pass from where a model stands.
    pub(crate) fn resume(
        &self,
        model: Option<&SgdModel>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<SgdModel> {
        if self.params.early_stopping {
            let allowed = "false for learning in batches, which makes one pass";
            return Err(Error::param(self.name, "early_stopping", allowed, true));
        }
        if self.class_weight == Some(&ClassWeight::Balanced) {
            let allowed = "weights by class for learning in batches, of which none shows all rows";
            return Err(Error::param(self.name, "class_weight", allowed, "balanced"));
        }
        let lessons = Lessons::of(self.name, self.rule.loss, self.class_weight, data, false)?;
        let mut ended = self.run(data, &lessons, model.map(SgdModel::states), 1, session)?;
        if ended.termination == mercer_core::Termination::IterationLimit {
            // One pass is all that was asked for.
            ended.termination = mercer_core::Termination::Complete;
        }
        SgdModel::new(self, ended, data, &lessons, false)
    }
}
