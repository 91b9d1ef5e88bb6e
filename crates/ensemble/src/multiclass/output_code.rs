//! Output codes: each class has a word of bits, and a learner of two classes learns each bit.
//!
//! # Objective
//! With a word $B_c$ of bits for each class and models $f_b$ of the bits, the prediction is the class of the nearest word,
//! $\arg\min_c \sum_b (f_b(x) - B_{cb})^2$. Words that differ in many bits correct the errors of some models.
//!
//! # Algorithm
//! The bits are drawn, each 1 with probability one half, else -1 (0 where models give no decision values); a bit that would be
//! the same for all classes tells nothing, and is drawn again. The models of the bits are trained side by side on all rows.
//!
//! # Complexity
//! `code_size` times the number of classes fits and predictions: below 1 fewer than one against the rest.
//!
//! # Example
//! ```
//! use mercer_ensemble::OutputCodeClassifier;
//! assert_eq!(OutputCodeClassifier::default().code_size, 1.5);
//! ```
//!
//! # Numerics
//! Ties go to the first class, so a class whose word was drawn before by another is never predicted; a greater `code_size`
//! makes that unlikely. Drawn words are those of the session's random numbers, not those of numpy.
//!
//! # References
//! - T. G. Dietterich, G. Bakiri. Solving multiclass learning problems via error-correcting output codes. JAIR 2, 1995.
//!   doi:10.1613/jair.105
//! - G. James, T. Hastie. The error coding method and PICTs. J. Computational and Graphical Statistics 7(3), 1998.
//!   doi:10.1080/10618600.1998.10474782

use super::model::{MulticlassModel, Scheme};
use super::{Classes, DEFAULT, check_estimator, together, train_each};
use crate::base;
use mercer_core::{
    Capabilities, Dataset, Kinds, Learn, NestedLearner, NestedModel, Params, Result, Session, Task,
};
use mercer_math::{Mat, uniform};

/// Output codes: a model for each bit of the words of the classes.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "output-code",
    canon = "L10",
    task = Classification,
    python = "multiclass",
    tried = "estimator=logistic(C=0.01),code_size=4 | estimator=tree(max_depth=3),code_size=4 | estimator=ridge(alpha=100),code_size=4",
    session = "n_jobs random_state",
    mixins = "MulticlassMixin",
    can = "members weights random",
    references = "Dietterich, Bakiri. Solving multiclass learning problems via error-correcting output codes. JAIR 2, 1995."
)]
pub struct OutputCodeClassifier {
    /// The learner of each bit, a classifier or a regressor of 0 and 1; none means logistic regression.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// Bits of a word for each class.
    #[param(default = 1.5, range = "(0, inf)", search = "linear 0.5..4")]
    pub code_size: f64,
}

impl Learn for OutputCodeClassifier {
    type Model = MulticlassModel;

    fn kinds(&self) -> Kinds {
        mercer_core::compose::kinds(&self.estimator, DEFAULT)
    }

    fn capabilities(&self) -> Capabilities {
        together(Self::declaration().capabilities, &self.estimator)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        check_estimator(Self::NAME, &self.estimator)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<MulticlassModel> {
        let learner = base::resolve(&self.estimator, DEFAULT)?;
        let classes = Classes::of(Self::NAME, data, 2)?;
        let decides = learner.task() == Task::Classification && learner.capabilities().decision;
        let (book, no) =
            (self.book(&classes, if decides { -1.0 } else { 0.0 }, session), -i64::from(decides));
        let word = |c: u32, bit: usize| {
            let at = classes.present.binary_search(&c);
            at.is_ok_and(|at| book[(at, bit)] > 0.0)
        };
        let members = train_each(book.n_cols(), |bit| {
            let own = classes.asked(data, learner.as_ref(), no, |c| word(c, bit))?;
            learner.train(&own, &session.quiet()).map(NestedModel)
        })?;
        let names: Vec<String> = (0..book.n_cols()).map(|b| format!("bit {b}")).collect();
        let scheme = Scheme::Codes { book };
        MulticlassModel::new::<Self>(scheme, classes, members, data, session, |m| names[m].clone())
    }
}

impl OutputCodeClassifier {
    /// The drawn words, present classes × bits; no bit is the same for all.
    fn book(&self, classes: &Classes, no: f64, session: &Session) -> Mat {
        let k = classes.present.len();
        let bits = ((k as f64 * self.code_size) as usize).max(1);
        let (mut rng, mut book) = (session.rng(0), Mat::zeros(k, bits));
        for b in 0..bits {
            while (1..k).all(|c| book[(c, b)] == book[(0, b)]) {
                (0..k).for_each(|c| book[(c, b)] = if uniform(&mut rng) > 0.5 { 1.0 } else { no });
            }
        }
        book
    }
}
