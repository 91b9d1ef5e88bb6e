//! What metrics score: truth beside prediction.

use mercer_math::MatRef;

/// Truth and prediction, as far as they are there.
#[derive(Clone, Copy, Debug)]
pub enum Scored<'a> {
    /// Classes.
    Classes {
        /// True codes.
        truth: &'a [u32],
        /// Number of classes.
        n_classes: usize,
        /// Predicted codes; without them the most probable class.
        predicted: Option<&'a [u32]>,
        /// Rows × classes.
        probabilities: Option<MatRef<'a>>,
        /// Rows × classes, or rows × 1 for two classes (the second is positive); without them probabilities.
        scores: Option<MatRef<'a>>,
    },
    /// Numbers.
    Numbers {
        /// True numbers.
        truth: &'a [f64],
        /// Predicted numbers.
        predicted: &'a [f64],
    },
    /// Groups.
    Groups {
        /// The groups found.
        labels: &'a [u32],
        /// The groups known.
        truth: Option<&'a [u32]>,
        /// The rows.
        x: Option<MatRef<'a>>,
    },
    /// Several labels a row.
    Multilabel {
        /// Rows × labels; anything but 0 is set.
        truth: MatRef<'a>,
        /// The same of the predictions.
        predicted: MatRef<'a>,
    },
    /// Items of queries, to be ranked.
    Ranking {
        /// Relevance of each item, not negative.
        relevance: &'a [f64],
        /// Its score: the highest ranks first.
        scores: &'a [f64],
        /// The query it belongs to; without them all items are of one query.
        queries: Option<&'a [u64]>,
    },
}
