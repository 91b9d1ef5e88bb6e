//! Topics: the shares of words that documents, rows of counts, are mixtures of.

use crate::asked::Asked;
use crate::contract::Model;
use crate::data_kinds::Input;
use crate::error::Result;
use crate::nested::NestedModel;
use crate::schema::Schema;
use crate::session::Session;
use mercer_math::Mat;

/// A model of rows of counts, each a mixture of topics.
pub trait Topics {
    /// The topics.
    fn found(&self, schema: &Schema) -> FoundTopics;
    /// A lower bound on the logarithm of each row's probability under the topics.
    fn log_bounds(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>>;
}

/// Topics by their words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundTopics {
    /// The share of each word in each topic, topics × words; a topic's shares sum to 1.
    pub shares: Mat,
    /// The share of each topic among all words learnt from.
    pub sizes: Vec<f64>,
    /// The Dirichlet prior of a row's shares of the topics.
    pub prior: Vec<f64>,
    /// The words: the names of the features.
    pub words: Vec<String>,
}

impl FoundTopics {
    /// The columns of the `n` words with the largest shares in a topic, the largest first; of equal ones the first.
    pub fn top(&self, topic: usize, n: usize) -> Vec<usize> {
        let shares = self.shares.row(topic);
        let mut all: Vec<usize> = (0..shares.len()).collect();
        let larger = |a: &usize, b: &usize| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b));
        let n = n.min(all.len());
        if n > 0 && n < all.len() {
            all.select_nth_unstable_by(n - 1, larger);
        }
        all.truncate(n);
        all.sort_by(larger);
        all
    }

    /// The `n` words with the largest shares in a topic, the largest first.
    pub fn top_words(&self, topic: usize, n: usize) -> Vec<&str> {
        self.top(topic, n).into_iter().map(|j| self.words[j].as_str()).collect()
    }

    /// The topics from the largest to the smallest.
    pub fn by_size(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.sizes.len()).collect();
        all.sort_by(|a, b| self.sizes[*b].total_cmp(&self.sizes[*a]).then(a.cmp(b)));
        all
    }
}

impl Asked<'_> {
    /// A lower bound on the logarithm of each row's probability under the topics.
    pub fn log_bounds(&self) -> Result<Vec<f64>> {
        self.need("topics", |can| can.topics)?.log_bounds(self.input(), self.session())
    }

    /// The topics.
    pub fn topics(&self) -> Result<FoundTopics> {
        Ok(self.need("topics", |can| can.topics)?.found(self.schema()))
    }
}

impl dyn Model + '_ {
    /// The topics; behind a pipeline, those of its last step.
    pub fn topics(&self) -> Result<FoundTopics> {
        let can = self.abilities();
        match can.route {
            Some(route) => route.last.topics(),
            None => Ok(can.topics.ok_or_else(|| super::lacks(self, "topics"))?.found(self.schema())),
        }
    }
}

impl Topics for NestedModel {
    fn found(&self, _: &Schema) -> FoundTopics {
        self.0.topics().unwrap_or_default()
    }
    fn log_bounds(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        self.0.on(input, session)?.log_bounds()
    }
}
