//! Text: documents become sparse rows of term counts or weights.

mod analyze;
mod count;
mod count_vectorizer;
mod hashing;
mod interner;
mod parts;
mod stop_words;
mod terms;
mod tfidf;
mod tfidf_vectorizer;
mod vocabulary;
mod words;

pub use count_vectorizer::{CountVectorizer, CountVectorizerModel};
pub use hashing::{HashingVectorizer, HashingVectorizerModel};
pub(crate) use parts::Parts;
pub use stop_words::english_stop_words;
pub use terms::{StopWords, StripAccents, TermParams, TextAnalyzer};
pub use tfidf::{Formula, RowNorm, TfidfParams, TfidfTransformer, TfidfTransformerModel};
pub use tfidf_vectorizer::{TfidfVectorizer, TfidfVectorizerModel};
pub use vocabulary::VocabularyParams;
