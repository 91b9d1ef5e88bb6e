//! A fitted vocabulary: the recipe of its terms, and a column for each.

use super::analyze::Analyzer;
use super::count::{Chosen, Counted, Limits, count, known_rows};
use super::interner::Interner;
use super::parts::Parts;
use super::recipe::Recipe;
use crate::encode::Frequency;
use mercer_core::{Attribute, DataKind, Error, Input, ParamType, Result, Rows, Schema, Session};
use mercer_math::Csr;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// Terms with their columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Vocabulary {
    recipe: Recipe,
    terms: Arc<[String]>,
    #[serde(skip)]
    ready: OnceLock<Arc<Ready>>,
}

/// What is made of a vocabulary when it is first used.
#[derive(Debug)]
struct Ready {
    analyzer: Analyzer,
    index: Interner,
}

/// What a vectoriser is told about its vocabulary.
pub(crate) struct VocabularySettings<'a> {
    pub(crate) owner: &'static str,
    pub(crate) recipe: Recipe,
    pub(crate) limits: Limits,
    pub(crate) given: Option<&'a [String]>,
}

impl VocabularySettings<'_> {
    /// Checks what ranges cannot.
    pub(crate) fn check(&self) -> Result<()> {
        self.recipe.analyzer(self.owner)?;
        self.limits.max_df.check(self.owner, "max_df")?;
        self.limits.min_df.check(self.owner, "min_df")?;
        let Some(given) = self.given else { return Ok(()) };
        if given.is_empty() {
            return Err(Error::param(self.owner, "vocabulary", "one term at least", "[]"));
        }
        let mut seen = std::collections::HashSet::new();
        match given.iter().find(|t| !seen.insert(t.as_str())) {
            Some(twice) => Err(Error::param(self.owner, "vocabulary", "different terms", twice.to_value())),
            None => Ok(()),
        }
    }

    /// Learns the vocabulary, and the number of documents that hold each term; the rows of counts are made only
    /// where `rows` asks for them or the frequencies need them.
    pub(crate) fn learn(&self, documents: &[String], rows: bool, session: &Session) -> Result<Learnt> {
        let analyzer = self.recipe.analyzer(self.owner)?;
        if let Some(given) = self.given {
            let vocabulary = Vocabulary::new(self.recipe.clone(), given.into());
            let parts = vocabulary.counts(self.owner, documents, session)?;
            let frequencies = parts.frequencies(given.len());
            return Ok(Learnt { vocabulary, frequencies, rows: Some(parts) });
        }
        let counted: Counted = count(documents, &analyzer, session)?;
        let mut chosen: Chosen = counted.choose(self.owner, self.limits)?;
        let parts = rows.then(|| counted.rows(&chosen));
        let vocabulary = Vocabulary::new(self.recipe.clone(), std::mem::take(&mut chosen.terms).into());
        Ok(Learnt { vocabulary, frequencies: chosen.frequencies, rows: parts })
    }
}

/// What [`VocabularySettings::learn`] gives.
pub(crate) struct Learnt {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) frequencies: Vec<f64>,
    pub(crate) rows: Option<Parts>,
}

impl Vocabulary {
    fn new(recipe: Recipe, terms: Arc<[String]>) -> Self {
        Self { recipe, terms, ready: OnceLock::new() }
    }

    /// Number of columns.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    fn ready(&self, owner: &str) -> Result<&Ready> {
        if let Some(ready) = self.ready.get() {
            return Ok(ready);
        }
        let mut index = Interner::default();
        for term in self.terms.iter() {
            index.intern(term.as_bytes());
        }
        let made = Arc::new(Ready { analyzer: self.recipe.analyzer(owner)?, index });
        Ok(self.ready.get_or_init(|| made))
    }

    /// Documents as rows of counts.
    pub(crate) fn counts(&self, owner: &str, documents: &[String], session: &Session) -> Result<Parts> {
        let ready = self.ready(owner)?;
        known_rows(documents, &ready.analyzer, &ready.index, session)
    }

    /// The documents of an input as rows of counts.
    pub(crate) fn counts_of(&self, owner: &str, input: &Input<'_>, session: &Session) -> Result<Parts> {
        self.counts(owner, input.strings(owner)?, session)
    }

    /// A finished matrix with the terms as names.
    pub(crate) fn named(&self, rows: Csr) -> Result<Rows<'static>> {
        Rows::from(rows).named(self.terms.clone())
    }

    /// The terms by column.
    pub(crate) fn terms(&self) -> Vec<String> {
        self.terms.to_vec()
    }

    /// The terms as a fitted attribute.
    pub(crate) fn attribute(&self) -> Attribute {
        Attribute::text("vocabulary_", "The terms, by column.", self.terms())
    }

    /// Refuses a loaded vocabulary that cannot work.
    pub(crate) fn validate(&self, owner: &str, schema: &Schema) -> Result<(), String> {
        if schema.kind != DataKind::Strings || self.terms.is_empty() || self.terms.len() >= u32::MAX as usize
        {
            return Err("terms do not fit the schema".to_owned());
        }
        let ready = self.ready(owner).map_err(|e| e.to_string())?;
        if ready.index.len() == self.terms.len() { Ok(()) } else { Err("a term has two columns".to_owned()) }
    }
}

/// The limits of a learner whose fields have these names.
pub(crate) fn limits(
    max_df: Frequency,
    min_df: Frequency,
    max_features: Option<usize>,
    binary: bool,
) -> Limits {
    Limits { max_df, min_df, max_features, binary }
}
