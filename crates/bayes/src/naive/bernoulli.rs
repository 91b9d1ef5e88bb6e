//! Bernoulli naive Bayes: features that are there or not, each with its own chance in each class.
//!
//! # Objective
//! $$ \hat y = \arg\max_y\ \ln p_y + \sum_j x_j \ln p_{jy} + (1 - x_j)\ln(1 - p_{jy}), \qquad
//!    p_{jy} = \frac{c_{jy} + \alpha_j}{c_y + 2\alpha_j} $$
//! with the rows $c_{jy}$ of class $y$ that have feature $j$. The log odds of two classes are linear,
//! $w_j = \ln\frac{p_{j1}}{p_{j0}} - \ln\frac{1 - p_{j1}}{1 - p_{j0}}$: `coef_` and `intercept_`.
//!
//! # Algorithm
//! One pass counts, in blocks, the rows of each class whose value is above `binarize`.
//!
//! # Complexity
//! Time O(nnz) to learn, O(k nnz) to predict with k classes; memory O(k d).
//!
//! # Example
//! ```
//! use mercer_bayes::BernoulliNB;
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["a", "a", "b", "b"]))?;
//! let model = BernoulliNB::default().fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 1, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! In logarithms throughout. Sparse rows stay sparse, since thresholds are not negative. Without a threshold, values must lie
//! between 0 and 1.
//!
//! # References
//! - C. D. Manning, P. Raghavan, H. Schütze. Introduction to Information Retrieval, chapter 13. Cambridge, 2008.
//! - A. McCallum, K. Nigam. A comparison of event models for naive Bayes text classification. AAAI Workshop, 1998.

use super::counts::{Event, learns_from_counts};
use super::smoothing::{CountParams, PriorParams, Smoothing};
use mercer_core::{Capabilities, Params};

/// Bernoulli naive Bayes: features that are there or not.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "bernoulli-nb",
    canon = "B1",
    task = Classification,
    python = "naive_bayes",
    tried = "| binarize=0.5,alpha=0.5,prior_alpha=1",
    order = "alpha force_alpha binarize fit_prior class_prior prior_alpha",
    mixins = "CountsMixin",
    can = "proba joint explain weights sparse by_sums resumes",
    references = "Manning, Raghavan, Schütze. Introduction to Information Retrieval, chapter 13. Cambridge, 2008."
)]
pub struct BernoulliNB {
    /// Smoothing, and shares of classes.
    #[param(flatten)]
    pub params: CountParams,
    /// Above which value a feature is there; none takes values between 0 and 1 as they are.
    #[param(default = Some(0.0), range = "[0, inf)")]
    pub binarize: Option<f64>,
}

impl BernoulliNB {
    fn event(&self) -> Event {
        Event::Bernoulli { binarize: self.binarize }
    }
}

// Only zero is the same threshold in all units.
learns_from_counts!(BernoulliNB, |own, can| Capabilities { scaled: own.binarize != Some(0.0), ..can });
