//! Naive Bayes: features that are independent within a class, so that every learner here needs its rows only through sums.

mod bernoulli;
mod by_sums;
mod categorical;
mod categorical_model;
mod class_table;
mod complement;
mod count_model;
mod counts;
mod gaussian;
mod gaussian_model;
mod moments;
mod multinomial;
mod posterior;
mod smoothing;

pub use bernoulli::BernoulliNB;
pub use categorical::{CategoricalNB, CategoricalParams, CategorySums, MinCategories, Unseen};
pub use categorical_model::CategoricalNBModel;
pub use complement::ComplementNB;
pub use count_model::CountNBModel;
pub use counts::CountSums;
pub use gaussian::{GaussianNB, GaussianParams};
pub use gaussian_model::GaussianNBModel;
pub use moments::ClassMoments;
pub use multinomial::MultinomialNB;
pub use smoothing::{CountParams, PriorParams, Smoothing};
