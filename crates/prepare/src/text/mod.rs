//! Text: documents become sparse rows of term counts or weights.

mod analyze;
mod count;
mod count_vectorizer;
mod hashing;
mod interner;
mod parts;
mod recipe;
mod stop_words;
mod tfidf;
mod tfidf_vectorizer;
mod vocabulary;
mod words;

pub use count_vectorizer::{CountVectorizer, CountVectorizerModel};
pub use hashing::{HashingVectorizer, HashingVectorizerModel};
pub(crate) use parts::Parts;
pub use recipe::{StopWords, StripAccents, TextAnalyzer};
pub use tfidf::{Formula, RowNorm, TfidfTransformer, TfidfTransformerModel};
pub use tfidf_vectorizer::{TfidfVectorizer, TfidfVectorizerModel};
