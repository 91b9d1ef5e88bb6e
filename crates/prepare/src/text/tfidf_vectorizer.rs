//! TF-IDF of documents: term counts, weighted by how few documents hold a term.
//!
//! # Objective
//! That of [`TfidfTransformer`] on what [`crate::CountVectorizer`] counts.
//!
//! # Algorithm
//! Both in one pass over the documents.
//!
//! # Complexity
//! Time O(bytes × n-gram sizes + v log v), memory O(terms of the documents + v) for v different terms.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_prepare::TfidfVectorizer;
//! let documents: Vec<String> = vec!["cats chase mice".into(), "mice".into()];
//! let tfidf = TfidfVectorizer::default().fit(&Dataset::new(documents.as_slice()))?;
//! let rows = tfidf.transform(documents.as_slice())?.dense("x")?.view().to_mat();
//! assert!(rows[(0, 0)] > rows[(0, 2)] && rows[(1, 2)] == 1.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Those of [`TfidfTransformer`].
//!
//! # References
//! - K. Spärck Jones. A statistical interpretation of term specificity. J. Doc. 28, 1972. doi:10.1108/eb026526

use super::parts::Parts;
use super::terms::{StopWords, StripAccents, TermParams, TextAnalyzer};
use super::tfidf::{Formula, RowNorm, TfidfParams, Weighting};
use super::vocabulary::{Learnt, Vocabulary, VocabularyParams, VocabularySettings};
use mercer_core::{
    Abilities, Attribute, Certificate, CountOrShare, Dataset, Fitted, Input, Learn, Params, Result, Rows,
    Schema, Session, Termination, Transformer,
};
use serde::{Deserialize, Serialize};

/// TF-IDF of documents: a sparse row for each, rare terms weighing more.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "tfidf tfidf-vectorizer",
    canon = "D4",
    task = Transformation,
    learns_from = Strings,
    python = "feature_extraction.text",
    door = "input='content' encoding='utf-8' decode_error='strict' preprocessor=None tokenizer=None dtype=float",
    mixins = "VectorizerMixin",
    can = "transform fills encodes",
    references = "Spärck Jones. A statistical interpretation of term specificity. J. Doc. 28, 1972."
)]
pub struct TfidfVectorizer {
    /// How a document becomes terms.
    #[param(flatten)]
    pub terms: TermParams,
    /// Which terms get a column.
    #[param(flatten)]
    pub vocabulary: VocabularyParams,
    /// How counts are weighted.
    #[param(
        flatten,
        doc(smooth_idf = "Whether one document more, holding every term, is counted (formula log).")
    )]
    pub weighting: TfidfParams,
}

/// A fitted vocabulary with a weight for each term.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TfidfVectorizerModel {
    vocabulary: Vocabulary,
    weighting: Weighting,
    binary: bool,
    certificate: Certificate,
}

impl TfidfVectorizer {
    fn vocabulary_settings(&self) -> VocabularySettings<'_> {
        VocabularySettings { owner: Self::NAME, terms: &self.terms, vocabulary: &self.vocabulary }
    }

    /// Learns, and gives the rows of counts where they are asked for.
    fn run(
        &self,
        data: &Dataset<'_>,
        rows: bool,
        session: &Session,
    ) -> Result<(TfidfVectorizerModel, Option<Parts>)> {
        let documents = data.whole_input().strings(Self::NAME)?;
        let Learnt { vocabulary, frequencies, rows } =
            self.vocabulary_settings().learn(documents, rows, session)?;
        let why = "counts of terms, with nothing left to prove";
        let model = TfidfVectorizerModel {
            vocabulary,
            weighting: Weighting::new(&self.weighting, documents.len() as f64, &frequencies),
            binary: self.vocabulary.binary,
            certificate: Certificate::without_evidence(Termination::Exact, why),
        };
        Ok((model, rows))
    }
}

impl Learn for TfidfVectorizer {
    type Model = TfidfVectorizerModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.vocabulary_settings().check()
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<TfidfVectorizerModel> {
        self.run(data, false, session).map(|(model, _)| model)
    }

    /// The same rows as `transform` gives, from one pass over the documents instead of two.
    fn learn_transform(
        &self,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<(TfidfVectorizerModel, Rows<'static>)>> {
        let made = self.run(data, true, session).and_then(|(model, rows)| {
            let rows = model.finish(rows.unwrap_or_default(), session)?;
            Ok((model, rows))
        });
        Some(made)
    }
}

impl TfidfVectorizerModel {
    fn finish(&self, mut parts: Parts, session: &Session) -> Result<Rows<'static>> {
        if self.binary {
            parts.for_rows(session, |_, values| values.fill(1.0));
        }
        self.weighting.apply(&mut parts, session);
        self.vocabulary.named(parts.finish(self.vocabulary.len())?)
    }
}

impl Transformer for TfidfVectorizerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        self.finish(self.vocabulary.counts_of(TfidfVectorizer::NAME, input, session)?, session)
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        self.vocabulary.terms()
    }
}

impl Fitted for TfidfVectorizerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        self.weighting.attribute().into_iter().chain([self.vocabulary.attribute()]).collect()
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.vocabulary.validate(TfidfVectorizer::NAME, schema)?;
        let fits = self.weighting.fits(self.vocabulary.len());
        if fits { Ok(()) } else { Err("weights do not fit the terms".to_owned()) }
    }
}
