//! Gradient boosting on histograms, for classes.
//!
//! # Objective
//! The logistic loss of a sum of trees,
//! $$ \min_F \sum_i w_i \log\bigl(1 + e^{-\tilde y_i F(x_i)}\bigr), \qquad F = f_0 + \eta \sum_t f_t $$
//! with two classes ($\tilde y = \pm 1$), or the softmax loss with one sum of trees for each of several classes.
//!
//! # Algorithm
//! Newton boosting: each tree is grown on first and second derivatives of the loss at the current scores. A split
//! gains $G_L^2/(H_L+\lambda) + G_R^2/(H_R+\lambda) - G^2/(H+\lambda)$, a leaf holds $-G/(H+\lambda)$. Columns are
//! quantised to at most 255 bins once; a node's histogram of gradients is built for the smaller child and subtracted
//! for the other. Leaves are split best first. Gradients are packed with hessian and count into words of whole
//! numbers for the search of splits (see `histogram.rs`); the values of leaves come from the gradients themselves.
//!
//! Missing values go to the side that gains more; where a node saw none, with the larger child. Levels of a category
//! are ordered by gradient over hessian, and the best prefix from either end is taken; columns of more than 32 levels
//! are split by prefixes of up to eight, and by means of the target, each row's taken from other rows (`categorical`).
//! Early stopping watches the loss of the validation rows that the data bring, or of rows set aside by a hash of what
//! they hold, and keeps the rounds that were best there.
//!
//! Columns that are never away from their most frequent bin together, such as those of one-hot codes, share a histogram
//! of at most 256 codes, from which each is split by itself. Sparse rows are quantised from their entries, and give the
//! model of the same rows made dense.
//!
//! # Complexity
//! Time O(n d) to quantise (sparse rows: their entries) and O(n d log leaves) a round at most; memory 2 n d bytes beyond
//! the data. Columns that share a histogram count once in d, but for the search of splits.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::HistGradientBoostingClassifier;
//! let x = Mat::from_fn(200, 2, |i, j| ((i * (j + 3)) % 17) as f64);
//! let y: Vec<bool> = (0..200).map(|i| x[(i, 0)] > 8.0).collect();
//! let data = Dataset::new(&x).with_target(Target::classes(&y))?;
//! let model = HistGradientBoostingClassifier::default().fit(&data)?;
//! assert!(model.predict(&x)?.class()?.0.iter().zip(&y).all(|(&c, &y)| (c == 1) == y));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Sums of histograms are exact, so a model does not depend on the number of threads. Gradients are rounded to whole
//! numbers by a hash of their own bits, to 1/65536 of the largest for large data and finer for small ones. Rows of
//! weight 0 are not there; `min_samples_leaf` counts rows. Statistics of many levels depend on the order of the rows.
//!
//! # References
//! - J. H. Friedman. Greedy function approximation: a gradient boosting machine. Ann. Stat. 29(5), 2001.
//!   doi:10.1214/aos/1013203451
//! - G. Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017.
//! - Y. Shi et al. Quantized training of gradient boosting decision trees. NeurIPS, 2022.

use super::constraints::{Interactions, Monotonic};
use super::loss::Loss;
use super::model::BoostedTrees;
use super::params::{BoostParams, EarlyStopping, EarlyStoppingParams, HistBoostParams};
use super::settings::{Categorical, Job};
use super::train::boost;
use crate::cart::classifier::class_totals;
use mercer_core::{
    Capabilities, Choice, ClassWeight, CountOrShare, Dataset, Labels, Learn, Params, Result, Session, Task,
};
use mercer_math::Weights;

/// The loss of [`HistGradientBoostingClassifier`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum HistLoss {
    /// The logistic loss, of two or more classes.
    LogLoss,
}

/// Gradient boosting on histograms, for classes.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gbdt",
    canon = "T7",
    task = Classification,
    python = "ensemble",
    twin = "HistGradientBoostingRegressor",
    quick = "",
    best = "| learning_rate=0.05,max_iter=200",
    order = "learning_rate max_iter max_leaf_nodes, max_bins categorical",
    session = "verbose random_state",
    mixins = "CategoricalMixin",
    door = "categorical_features='from_dtype' warm_start=False",
    can = "proba decision explain trees weights missing categorical sparse counts_rows ordered",
    references = "Friedman. Greedy function approximation: a gradient boosting machine. Ann. Stat. 29(5), 2001.|\
                  Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NeurIPS, 2017."
)]
pub struct HistGradientBoostingClassifier {
    /// The loss.
    #[param(default = HistLoss::LogLoss)]
    pub loss: HistLoss,
    /// Trees, histograms and early stopping.
    #[param(
        flatten,
        doc(
            monotonic_cst = "Whether the probability of the second class must rise (1) or fall (-1) with a column."
        )
    )]
    pub hist: HistBoostParams,
    /// How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
    /// them as they are.
    #[param(default = None)]
    pub class_weight: Option<ClassWeight>,
}

/// The weights of all rows with classes weighted, unless all are 1.
pub(crate) fn class_weights(
    owner: &str,
    data: &Dataset<'_>,
    codes: &[u32],
    labels: &Labels,
    class_weight: Option<&ClassWeight>,
) -> Result<Option<Vec<f64>>> {
    let weights = data.weights().map(|w| w.to_vec());
    let Some(given) = class_weight else { return Ok(weights) };
    let factors = given.factors(owner, labels, &class_totals(codes, &weights, labels.len()))?;
    let of = |i: usize| Weights::of(&weights)[i] * factors[codes[i] as usize];
    Ok(Some((0..codes.len()).map(of).collect()))
}

impl Learn for HistGradientBoostingClassifier {
    type Model = BoostedTrees;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        let target = data.need_target(Self::NAME)?;
        let (codes, labels) = target.class()?;
        let k = labels.len();
        let loss = if k == 2 { Loss::Logistic } else { Loss::Softmax(k as u32) };
        let settings = self.hist.settings(Self::NAME, Task::Classification, loss, data)?;
        let job = Job {
            learner: Self::NAME,
            data,
            y: codes.iter().map(|&c| f64::from(c)).collect(),
            weights: class_weights(Self::NAME, data, codes, labels, self.class_weight.as_ref())?,
            labels: labels.to_vec(),
            objective: None,
            before: None,
        };
        boost(&job, &settings, session)
    }

    fn capabilities(&self) -> Capabilities {
        self.hist.capabilities(Self::declaration().capabilities)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.hist.check(Self::NAME, Task::Classification)
    }
}
