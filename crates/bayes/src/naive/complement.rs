//! Complement naive Bayes: each class by what the other classes have, which suits classes of very different sizes.
//!
//! # Objective
//! $$ \hat y = \arg\max_y\ -\sum_j x_j \ln \tilde p_{jy}, \qquad
//!    \tilde p_{jy} = \frac{\alpha_j + \sum_{z \ne y} c_{jz}}{\sum_i (\alpha_i + \sum_{z \ne y} c_{iz})} $$
//! with the counts $c_{jz}$ of feature $j$ in class $z$. With `norm`, the weights $\ln\tilde p_{jy}$ of a class are divided by their
//! sum.
//!
//! # Algorithm
//! One pass adds the rows up by class, in blocks; the complement of a class is the whole without it.
//!
//! # Complexity
//! Time O(nnz) to learn, O(k nnz) to predict with k classes; memory O(k d).
//!
//! # Example
//! ```
//! use mercer_bayes::ComplementNB;
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[2.0, 0.0], [1.0, 0.0], [3.0, 1.0], [0.0, 2.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["a", "a", "a", "b"]))?;
//! let model = ComplementNB::default().fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 0, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! In logarithms throughout. The scores are no likelihood: the certificate has none. Negative values are refused. The shares
//! of classes count only where there is a single class, as in scikit-learn.
//!
//! # References
//! - J. D. M. Rennie, L. Shih, J. Teevan, D. R. Karger. Tackling the poor assumptions of naive Bayes text classifiers. ICML 2003.

use super::counts::{Event, learns_from_counts};
use super::smoothing::{CountParams, PriorParams, Smoothing};
use mercer_core::Params;

/// Complement naive Bayes: counts, each class by what the others have.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "complement-nb",
    canon = "B1",
    task = Classification,
    python = "naive_bayes",
    tried = "| norm=true,alpha=0.5",
    mixins = "CountsMixin",
    can = "proba joint explain weights sparse by_sums scaled nonnegative resumes",
    references = "Rennie, Shih, Teevan, Karger. Tackling the poor assumptions of naive Bayes text classifiers. ICML 2003."
)]
pub struct ComplementNB {
    /// Smoothing, and shares of classes.
    #[param(flatten)]
    pub params: CountParams,
    /// Whether the weights of each class are divided by their sum.
    #[param(default = false)]
    pub norm: bool,
}

impl ComplementNB {
    fn event(&self) -> Event {
        Event::Complement { norm: self.norm }
    }
}

learns_from_counts!(ComplementNB, |_, can| can);
