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
use super::recipe::{StopWords, StripAccents, TOKEN_PATTERN, TextAnalyzer, recipe_of};
use super::tfidf::{Formula, RowNorm, TfidfTransformer, Weighting};
use super::vocabulary::{Learnt, Vocabulary, VocabularySettings, limits};
use crate::encode::Frequency;
use mercer_core::{
    Attribute, Certificate, Dataset, Fitted, Input, Learn, Params, Result, Rows, Schema, Session,
    Termination, Transformer,
};
use serde::{Deserialize, Serialize};

/// TF-IDF of documents: a sparse row for each, rare terms weighing more.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "tfidf tfidf-vectorizer",
    canon = "D4",
    task = Transformation,
    takes = Strings,
    python = "feature_extraction.text",
    can = "transform fills encodes",
    references = "Spärck Jones. A statistical interpretation of term specificity. J. Doc. 28, 1972."
)]
pub struct TfidfVectorizer {
    /// Whether accents are taken off, and how: ascii keeps ASCII only, unicode drops combining marks.
    #[param(default = None)]
    pub strip_accents: Option<StripAccents>,
    /// Whether documents are made lower case.
    #[param(default = true)]
    pub lowercase: bool,
    /// What terms are made of.
    #[param(default = TextAnalyzer::Word, search = "among word|char_wb")]
    pub analyzer: TextAnalyzer,
    /// Words that are no terms: english, or a list.
    #[param(default = None)]
    pub stop_words: Option<StopWords>,
    /// The regular expression of a word, or of its only group.
    #[param(default = TOKEN_PATTERN.to_owned())]
    pub token_pattern: String,
    /// The least and the greatest number of words or characters in a term.
    #[param(default = vec![1, 1])]
    pub ngram_range: Vec<usize>,
    /// Terms in more documents than this (a number, or a share) get no column.
    #[param(default = Frequency::Share(1.0), range = "[0, inf)")]
    pub max_df: Frequency,
    /// Terms in fewer documents than this (a number, or a share) get no column.
    #[param(default = Frequency::Count(1), range = "[0, inf)")]
    pub min_df: Frequency,
    /// How many terms get a column, the most frequent first; none means all.
    #[param(default = None, range = "[1, inf)")]
    pub max_features: Option<usize>,
    /// The terms, where they are not to be learnt; their order is that of the columns.
    #[param(default = None)]
    pub vocabulary: Option<Vec<String>>,
    /// Whether a term counts once in a document.
    #[param(default = false)]
    pub binary: bool,
    /// To what length rows are scaled; none leaves them.
    #[param(default = Some(RowNorm::L2), search = "among l1|l2|none")]
    pub norm: Option<RowNorm>,
    /// Whether rare terms gain weight.
    #[param(default = true)]
    pub use_idf: bool,
    /// Whether one document more, holding every term, is counted (formula log).
    #[param(default = true)]
    pub smooth_idf: bool,
    /// Whether a count x becomes 1 + ln x.
    #[param(default = false, search = "among true|false")]
    pub sublinear_tf: bool,
    /// How rare terms gain weight: scikit-learn's smooth logarithm, or the plain ratio.
    #[param(default = Formula::Log)]
    pub formula: Formula,
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
        VocabularySettings {
            owner: Self::NAME,
            recipe: recipe_of!(self),
            limits: limits(self.max_df, self.min_df, self.max_features, self.binary),
            given: self.vocabulary.as_deref(),
        }
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
        let weighting = TfidfTransformer {
            norm: self.norm,
            use_idf: self.use_idf,
            smooth_idf: self.smooth_idf,
            sublinear_tf: self.sublinear_tf,
            formula: self.formula,
        };
        let why = "counts of terms, with nothing left to prove";
        let model = TfidfVectorizerModel {
            vocabulary,
            weighting: Weighting::new(&weighting, documents.len() as f64, &frequencies),
            binary: self.binary,
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
        let mut weigh = || {
            if self.binary {
                parts.for_rows(|_, values| values.fill(1.0));
            }
            self.weighting.apply(&mut parts);
        };
        session.run(&mut weigh);
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

    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
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
