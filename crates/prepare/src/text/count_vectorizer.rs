//! Term counts: each document becomes a sparse row with a column for each term of the vocabulary.
//!
//! # Objective
//! $x_{ij}$ is how often term $j$ is in document $i$ (or whether it is, with `binary`).
//!
//! # Algorithm
//! Lower case and accents first, then words (by the default pattern `\b\w\w+\b` without a regular expression),
//! characters, or characters inside words, then n-grams. Terms are numbered chunk by chunk of documents in
//! parallel; the vocabularies are merged, pruned by document frequency and sorted.
//!
//! # Complexity
//! Time O(bytes × n-gram sizes + v log v), memory O(terms of the documents + v) for v different terms.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Input};
//! use mercer_prepare::CountVectorizer;
//! let documents: Vec<String> = vec!["the cat and the dog".into(), "a dog".into()];
//! let counts = CountVectorizer::default().fit(&Dataset::new(documents.as_slice()))?;
//! let rows = counts.transform(documents.as_slice())?;
//! assert_eq!(rows.names().unwrap().to_vec(), ["and", "cat", "dog", "the"]);
//! assert_eq!(rows.dense("x")?.view().to_mat().row(0), [1.0, 1.0, 1.0, 2.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! None: counts are whole numbers.
//!
//! # References
//! - Z. S. Harris. Distributional structure. Word 10, 1954. doi:10.1080/00437956.1954.11659520

use super::parts::Parts;
use super::terms::{StopWords, StripAccents, TermParams, TextAnalyzer};
use super::vocabulary::{Learnt, Vocabulary, VocabularyParams, VocabularySettings};
use mercer_core::{
    Abilities, Attribute, Certificate, CountOrShare, Dataset, Fitted, Input, Learn, Params, Result, Rows,
    Schema, Session, Termination, Transformer,
};
use serde::{Deserialize, Serialize};

/// Term counts: a sparse row for each document, a column for each term.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "count count-vectorizer",
    canon = "D4",
    task = Transformation,
    learns_from = Strings,
    python = "feature_extraction.text",
    door = "input='content' encoding='utf-8' decode_error='strict' preprocessor=None tokenizer=None dtype=int",
    mixins = "VectorizerMixin",
    can = "transform fills encodes",
    references = "Harris. Distributional structure. Word 10, 1954."
)]
pub struct CountVectorizer {
    /// How a document becomes terms.
    #[param(flatten)]
    pub terms: TermParams,
    /// Which terms get a column.
    #[param(flatten)]
    pub vocabulary: VocabularyParams,
}

/// A fitted vocabulary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountVectorizerModel {
    vocabulary: Vocabulary,
    binary: bool,
    certificate: Certificate,
}

impl CountVectorizer {
    fn vocabulary_settings(&self) -> VocabularySettings<'_> {
        VocabularySettings { owner: Self::NAME, terms: &self.terms, vocabulary: &self.vocabulary }
    }

    fn model(&self, vocabulary: Vocabulary) -> CountVectorizerModel {
        let why = "counts of terms, with nothing left to prove";
        let certificate = Certificate::without_evidence(Termination::Exact, why);
        CountVectorizerModel { vocabulary, binary: self.vocabulary.binary, certificate }
    }
}

impl Learn for CountVectorizer {
    type Model = CountVectorizerModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.vocabulary_settings().check()
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<CountVectorizerModel> {
        let learnt =
            self.vocabulary_settings().learn(data.whole_input().strings(Self::NAME)?, false, session)?;
        Ok(self.model(learnt.vocabulary))
    }

    /// The same rows as `transform` gives, from one pass over the documents instead of two.
    fn learn_transform(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<(CountVectorizerModel, Rows<'static>)>> {
        let made = || {
            let documents = data.whole_input().strings(Self::NAME)?;
            let Learnt { vocabulary, rows, .. } =
                self.vocabulary_settings().learn(documents, true, session)?;
            let model = self.model(vocabulary);
            let rows = model.finish(rows.unwrap_or_default(), session)?;
            Ok((model, rows))
        };
        Some(made())
    }
}

impl CountVectorizerModel {
    fn finish(&self, mut parts: Parts, session: &Session) -> Result<Rows<'static>> {
        if self.binary {
            parts.for_rows(session, |_, values| values.fill(1.0));
        }
        self.vocabulary.named(parts.finish(self.vocabulary.len())?)
    }
}

impl Transformer for CountVectorizerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let counts = self.vocabulary.counts_of(CountVectorizer::NAME, input, session)?;
        self.finish(counts, session)
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        self.vocabulary.terms()
    }
}

impl Fitted for CountVectorizerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        vec![self.vocabulary.attribute()]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.vocabulary.validate(CountVectorizer::NAME, schema)
    }
}
