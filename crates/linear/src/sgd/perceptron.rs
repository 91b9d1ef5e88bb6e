//! The perceptron.
//!
//! # Objective
//! Coefficients with $y_i (w^\top x_i + b) > 0$ for every row; of more than two classes, each against the rest. What is
//! lowered on the way is $\sum_i \max(0, -y_i (w^\top x_i + b))$.
//!
//! # Algorithm
//! At each mistake $w \leftarrow w + \eta\,y_i x_i$, $b \leftarrow b + \eta\,y_i$, passes over the rows in random order, until
//! one makes no mistake or the loss stops falling. With `average` the coefficients are the mean over all steps, which errs
//! less on new rows. Penalties, weights and stopping are those of [`SGDClassifier`](crate::SGDClassifier), of which this is the
//! special case `loss=perceptron, learning_rate=constant`.
//!
//! # Complexity
//! O(nnz) a pass for each class; memory O(d) for each class. If the classes can be told apart with a margin γ, at most
//! (R/γ)² mistakes are made, R being the largest norm of a row with its constant.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::Perceptron;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-2.0], [-1.0], [1.0], [2.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["no", "no", "yes", "yes"]))?;
//! let model = Perceptron::default().tol(None).fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 1, 1]);
//! assert_eq!(model.certificate().evidence[2].name, "mistake bound");
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The certificate has the mistake bound of the margin that the last coefficients leave, where they keep the classes apart and
//! neither weights nor a penalty change what a mistake does.
//!
//! # References
//! - F. Rosenblatt. The perceptron. Psychological Review 65(6), 1958. doi:10.1037/h0042519
//! - A. B. J. Novikoff. On convergence proofs for perceptrons. 1962.
//! - Y. Freund, R. E. Schapire. Large margin classification using the perceptron algorithm. Machine Learning 37(3), 1999.
//!   doi:10.1023/A:1007662407062

use super::model::SgdModel;
use super::settings::{Average, LearningRate, Rule, SgdParams, SgdPassParams, SgdPenalty};
use super::train::Plan;
use crate::class_weights::ClassWeightParams;
use crate::intercept::InterceptParams;
use mercer_core::{Capabilities, ClassWeight, Dataset, Learn, Params, Result, Session};
use mercer_measure::Loss;

/// The perceptron, for two classes or more.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "perceptron",
    canon = "L6",
    task = Classification,
    python = "linear_model",
    tried = "| average=true,class_weight=balanced,early_stopping=true | penalty=l2,alpha=0.001,shuffle=false,tol=none,max_iter=20",
    session = "random_state verbose n_jobs",
    mixins = "DescentMixin ResumeMixin", door = "warm_start=False",
    can = "decision weights sparse scaled resumes counts_rows ordered random",
    references = "Rosenblatt. The perceptron. Psychological Review 65(6), 1958.|Freund, Schapire. Large margin classification using the perceptron algorithm. Machine Learning 37(3), 1999."
)]
pub struct Perceptron {
    /// The penalty; none leaves it out.
    #[param(default = None)]
    pub penalty: Option<SgdPenalty>,
    /// What all learners by stochastic gradients take.
    #[param(flatten)]
    pub descent: SgdParams,
    /// The length of a step.
    #[param(default = 1.0, range = "(0, inf)")]
    pub eta0: f64,
    /// How classes are weighted.
    #[param(flatten)]
    pub classes: ClassWeightParams,
}

impl Perceptron {
    pub(crate) fn plan(&self) -> Plan<'_> {
        let steps = (LearningRate::Constant, self.eta0, 0.5);
        Plan {
            name: Self::NAME,
            params: &self.descent,
            rule: Rule::new(&self.descent, Loss::Perceptron, self.penalty, steps, 1),
            class_weight: self.classes.class_weight.as_ref(),
            n_partitions: 1,
        }
    }
}

impl Learn for Perceptron {
    type Model = SgdModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SgdModel> {
        let even = data.weights().is_none_or(|w| w.iter().all(|v| *v == w[0]));
        let bounded = self.penalty.is_none() && self.classes.class_weight.is_none() && even;
        self.plan().learn(data, session, bounded)
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
        let zeroes = self.penalty == Some(SgdPenalty::L1);
        Capabilities { random, zeroes, ..Self::declaration().capabilities }
    }
}
