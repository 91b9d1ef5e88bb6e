//! How a document becomes terms, as parameters.

use super::analyze::Analyzer;
use mercer_core::{Choice, Error, ParamGroup, ParamKind, ParamType, Result, Value};
use serde::{Deserialize, Serialize};

/// The pattern of scikit-learn's: words of two characters or more.
const TOKEN_PATTERN: &str = r"(?u)\b\w\w+\b";

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

/// How a document becomes terms: what all vectorisers share.
#[derive(Clone, Debug, PartialEq, ParamGroup, Serialize, Deserialize)]
pub struct TermParams {
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
}

impl TermParams {
    /// The parameters made ready to work; an error names the parameter that is wrong.
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
