//! How a document becomes terms, as parameters.

use super::analyze::Analyzer;
use mercer_core::{Choice, Error, ParamKind, ParamType, Result, Value};
use serde::{Deserialize, Serialize};

/// The pattern of scikit-learn's: words of two characters or more.
pub(crate) const TOKEN_PATTERN: &str = r"(?u)\b\w\w+\b";

/// How accents are taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum StripAccents {
    /// Characters are decomposed, and what is not ASCII is dropped.
    Ascii,
    /// Characters are decomposed, and combining marks are dropped.
    Unicode,
}

/// What terms are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum TextAnalyzer {
    /// Words.
    Word,
    /// Characters.
    Char,
    /// Characters inside words, which are padded with a space at each end.
    CharWb,
}

/// Words that are no terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopWords {
    /// The English list of scikit-learn.
    English,
    /// A list of one's own.
    List(Vec<String>),
}

impl ParamType for StopWords {
    fn kind() -> ParamKind {
        ParamKind::List(Box::new(ParamKind::Text))
    }
    fn to_value(&self) -> Value {
        match self {
            StopWords::English => "english".into(),
            StopWords::List(words) => words.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(word) if word == "english" => Ok(StopWords::English),
            value => Vec::from_value(value)
                .map(StopWords::List)
                .map_err(|_| "english, or a list of words".to_owned()),
        }
    }
}

/// How a document becomes terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub(crate) strip_accents: Option<StripAccents>,
    pub(crate) lowercase: bool,
    pub(crate) analyzer: TextAnalyzer,
    pub(crate) stop_words: Option<StopWords>,
    pub(crate) token_pattern: String,
    pub(crate) ngram_range: Vec<usize>,
}

/// The recipe of a learner whose fields have these names.
macro_rules! recipe_of {
    ($learner:expr) => {
        $crate::text::recipe::Recipe {
            strip_accents: $learner.strip_accents,
            lowercase: $learner.lowercase,
            analyzer: $learner.analyzer,
            stop_words: $learner.stop_words.clone(),
            token_pattern: $learner.token_pattern.clone(),
            ngram_range: $learner.ngram_range.clone(),
        }
    };
}
pub(crate) use recipe_of;

impl Recipe {
    /// The recipe made ready to work; an error names the parameter that is wrong.
    pub(crate) fn analyzer(&self, owner: &str) -> Result<Analyzer> {
        match self.ngram_range[..] {
            [low, high] if 1 <= low && low <= high => Analyzer::new(self, owner, (low, high)),
            _ => {
                let expected = "two whole numbers, the first at least 1 and at most the second";
                Err(Error::param(owner, "ngram_range", expected, self.ngram_range.to_value()))
            }
        }
    }
}
