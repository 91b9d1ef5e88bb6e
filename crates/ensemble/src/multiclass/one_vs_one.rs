//! One against one: a learner of two classes tells many apart, asked once for each pair.
//!
//! # Objective
//! For each pair of classes $a < b$ a model $f_{ab}$ of the question "is it $b$?", learnt from the rows of both. Each
//! gives one vote; the prediction is $\arg\max_c v_c + s_c / (3 (|s_c| + 1))$ with the votes $v_c$ and the confidence
//! $s_c = \sum_{a < c} f_{ac}(x) - \sum_{b > c} f_{cb}(x)$, which decides between equal votes only.
//!
//! # Algorithm
//! The models are trained side by side, each on the rows of its two classes.
//!
//! # Complexity
//! $k(k-1)/2$ fits of $2n/k$ rows each: less work than one against the rest for learners whose time grows faster than
//! the rows. As many predictions.
//!
//! # Example
//! ```
//! use mercer_ensemble::OneVsOneClassifier;
//! assert!(OneVsOneClassifier::default().estimator.is_none()); // logistic regressions
//! ```
//!
//! # Numerics
//! Ties go to the first class. The confidence of a model without decision values is its probability less a half, so that
//! neither class of a pair is favoured; scikit-learn takes the probability as it is, which favours later classes where votes
//! are equal. A regressor is asked for 0 or 1, and votes for the second class above a half.
//!
//! # References
//! - T. Hastie, R. Tibshirani. Classification by pairwise coupling. Annals of Statistics 26(2), 1998.
//!   doi:10.1214/aos/1028144844

use super::model::{MulticlassModel, Scheme};
use super::{Classes, DEFAULT, check_estimator, together, train_each};
use crate::base;
use mercer_core::{Capabilities, Dataset, Kinds, Learn, NestedLearner, NestedModel, Params, Result, Session};

/// One against one: a model for each pair of classes, which vote.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "one-vs-one ovo",
    canon = "L10",
    task = Classification,
    python = "multiclass",
    tried = " | estimator=tree(max_depth=3) | estimator=ridge(alpha=100)",
    session = "n_jobs",
    mixins = "OneVsOneMixin",
    can = "decision members weights",
    references = "Hastie, Tibshirani. Classification by pairwise coupling. Annals of Statistics 26(2), 1998."
)]
pub struct OneVsOneClassifier {
    /// The learner of the two classes of a pair, or a regressor of 0 and 1; none means logistic regression.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
}

impl Learn for OneVsOneClassifier {
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
        let there = &classes.present;
        let pairs: Vec<(u32, u32)> =
            (0..there.len()).flat_map(|a| there[a + 1..].iter().map(move |&b| (there[a], b))).collect();
        let members = train_each(pairs.len(), |m| {
            let (a, b) = pairs[m];
            let of_both = |&i: &usize| classes.codes[i] == a || classes.codes[i] == b;
            let rows: Vec<usize> = (0..classes.codes.len()).filter(of_both).collect();
            let own = classes.asked(data, learner.as_ref(), 0, |c| c == b)?.subset(&rows)?;
            learner.train(&own, &session.quiet()).map(NestedModel)
        })?;
        let label = |c: u32| &classes.labels[c as usize];
        let names: Vec<String> =
            pairs.iter().map(|&(a, b)| format!("{} or {}", label(a), label(b))).collect();
        MulticlassModel::new::<Self>(Scheme::Pairs, classes, members, data, session, |m| names[m].clone())
    }
}
