//! Multinomial naive Bayes: rows of counts, each drawn from the shares that the features have in its class.
//!
//! # Objective
//! $$ \hat y = \arg\max_y\ \ln p_y + \sum_j x_j \ln p_{jy}, \qquad p_{jy} = \frac{c_{jy} + \alpha_j}{\sum_i (c_{iy} + \alpha_i)} $$
//! with the counts $c_{jy}$ of feature $j$ in class $y$ and pseudo-counts $\alpha$: the maximum of the likelihood with a Dirichlet
//! prior.
//!
//! # Algorithm
//! One pass adds the rows up by class, in blocks. What is learnt is linear in the counts of a row: `coef_`, `intercept_`.
//!
//! # Complexity
//! Time O(nnz) to learn, O(k nnz) to predict with k classes; memory O(k d).
//!
//! # Example
//! ```
//! use mercer_bayes::MultinomialNB;
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! // Manning, Raghavan and Schütze, table 13.1: is the text about China?
//! let x = Mat::from_rows(&[
//!     [1., 2., 0., 0., 0., 0.], [0., 2., 0., 0., 1., 0.], [0., 1., 0., 1., 0., 0.], [0., 1., 1., 0., 0., 1.],
//! ]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["yes", "yes", "yes", "no"]))?;
//! let model = MultinomialNB::default().fit(&data)?;
//! let text = Mat::from_rows(&[[0., 3., 1., 0., 0., 1.]]).unwrap();
//! assert_eq!(model.predict(&text)?.class()?.0, &[1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! In logarithms throughout. Without smoothing a feature that a class never had excludes that class; a count of zero adds
//! nothing even then. Negative values are refused.
//!
//! # References
//! - A. McCallum, K. Nigam. A comparison of event models for naive Bayes text classification. AAAI Workshop, 1998.
//! - C. D. Manning, P. Raghavan, H. Schütze. Introduction to Information Retrieval, chapter 13. Cambridge, 2008.

use super::counts::{Event, learns_from_counts};
use super::smoothing::{CountParams, PriorParams, Smoothing};
use mercer_core::Params;

/// Multinomial naive Bayes: rows of counts, such as words of texts.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "multinomial-nb",
    canon = "B1",
    task = Classification,
    python = "naive_bayes",
    tried = "| alpha=0.5,prior_alpha=1 | alpha=0,force_alpha=false,fit_prior=false",
    mixins = "CountsMixin",
    can = "proba joint explain weights sparse by_sums scaled nonnegative resumes",
    references = "McCallum, Nigam. A comparison of event models for naive Bayes text classification. AAAI Workshop, 1998."
)]
pub struct MultinomialNB {
    /// Smoothing, and shares of classes.
    #[param(flatten)]
    pub params: CountParams,
}

impl MultinomialNB {
    fn event(&self) -> Event {
        Event::Multinomial
    }
}

learns_from_counts!(MultinomialNB, |_, can| can);
