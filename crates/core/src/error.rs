//! One opaque error with a kind: what went wrong, and where (parameter, column, row, line or byte).

use std::fmt;

/// The result of everything that can fail on user input.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong. [`Error::kind`] tells it apart; its display is a sentence for a person.
#[derive(Clone, PartialEq)]
pub struct Error(Box<ErrorKind>);

/// The kinds of error, with the values that a program needs to react to them.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A hyper-parameter is out of its range or of the wrong type.
    #[error("`{name}` of {owner} must be {expected}, got {got}")]
    Param {
        /// The learner.
        owner: String,
        /// The parameter.
        name: String,
        /// What is allowed.
        expected: String,
        /// What was given.
        got: String,
    },
    /// A name that the learner does not have.
    #[error("{owner} has no parameter `{name}`{}", did_you_mean(suggestion))]
    UnknownParam {
        /// The learner.
        owner: String,
        /// The name given.
        name: String,
        /// The closest name.
        suggestion: Option<String>,
    },
    /// A name that the catalogue does not have.
    #[error("no {what} is called `{name}`{}", did_you_mean(suggestion))]
    Unknown {
        /// What was looked up: "model", "column", "data set", "metric".
        what: &'static str,
        /// The name given.
        name: String,
        /// The closest name.
        suggestion: Option<String>,
    },
    /// A text that is no value, expression or number.
    #[error("cannot read `{text}`: {reason} at position {position}")]
    Syntax {
        /// The text.
        text: String,
        /// Why it cannot be read.
        reason: String,
        /// The byte at which reading stopped.
        position: usize,
    },
    /// Two sizes that must agree do not.
    #[error("{what}: expected {expected}, got {got}")]
    Shape {
        /// What has the wrong size.
        what: String,
        /// The size needed.
        expected: usize,
        /// The size found.
        got: usize,
    },
    /// Nothing, or too little, to learn from.
    #[error("{learner} needs at least {needed} {what}, got {got}")]
    TooFew {
        /// The learner.
        learner: String,
        /// Rows, classes, features …
        what: &'static str,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        got: usize,
    },
    /// A value that the learner cannot take.
    #[error("{learner} cannot take {value} (column `{column}`, row {row}){hint}")]
    BadValue {
        /// The learner.
        learner: String,
        /// NaN, infinity, a missing value …
        value: String,
        /// The column.
        column: String,
        /// The row, from 0.
        row: usize,
        /// What to do about it, starting with "; ", or empty.
        hint: String,
    },
    /// Data of a kind that the learner does not take.
    #[error("{learner} takes {takes}, not {got}")]
    Kind {
        /// The learner.
        learner: String,
        /// The kinds it takes.
        takes: String,
        /// The kind it was given.
        got: String,
    },
    /// Something that the learner or model cannot do.
    #[error("{who} cannot {what}{hint}")]
    Incapable {
        /// The learner or model.
        who: String,
        /// The verb phrase.
        what: String,
        /// What to do instead, starting with "; ", or empty.
        hint: String,
    },
    /// Text that a reader cannot parse.
    #[error("{source_name}, line {line}, column {column}: {reason}")]
    Parse {
        /// The file or stream.
        source_name: String,
        /// The line, from 1.
        line: u64,
        /// The field, from 1 (0 where the whole line is meant).
        column: u64,
        /// What is wrong there.
        reason: String,
    },
    /// A file that cannot be opened, read or written.
    #[error("{path}: {reason}")]
    File {
        /// The path.
        path: String,
        /// The reason.
        reason: String,
    },
    /// A model file, or bytes of a model, that are damaged, hostile or of another version.
    #[error("not a usable model: {reason}{}", at_byte(byte))]
    Format {
        /// What is wrong.
        reason: String,
        /// Where, when it is known.
        byte: Option<u64>,
    },
    /// A numerical failure, for instance a singular matrix.
    #[error("{learner}: {reason}")]
    Numeric {
        /// The learner.
        learner: String,
        /// What happened.
        reason: String,
    },
    /// The work was cancelled before anything usable existed.
    #[error("cancelled before there was a result")]
    Cancelled,
    /// Code of the user's (density, kernel, metric) failed.
    #[error("{name}: {reason}")]
    UserCode {
        /// The name of the function.
        name: String,
        /// Its error.
        reason: String,
    },
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |s| format!("; did you mean `{s}`?"))
}

fn at_byte(byte: &Option<u64>) -> String {
    byte.map_or_else(String::new, |b| format!(" (byte {b})"))
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// A parameter out of range.
    pub fn param(owner: &str, name: &str, expected: impl Into<String>, got: impl fmt::Display) -> Self {
        let (owner, name) = (owner.to_owned(), name.to_owned());
        ErrorKind::Param { owner, name, expected: expected.into(), got: got.to_string() }.into()
    }

    /// Sizes that do not agree.
    pub fn shape(what: impl Into<String>, expected: usize, got: usize) -> Self {
        ErrorKind::Shape { what: what.into(), expected, got }.into()
    }

    /// Too little to learn from.
    pub fn too_few(learner: &str, what: &'static str, needed: usize, got: usize) -> Self {
        ErrorKind::TooFew { learner: learner.to_owned(), what, needed, got }.into()
    }

    /// Something that cannot be done.
    pub fn incapable(who: &str, what: impl Into<String>) -> Self {
        ErrorKind::Incapable { who: who.to_owned(), what: what.into(), hint: String::new() }.into()
    }

    /// A numerical failure.
    pub fn numeric(learner: &str, reason: impl Into<String>) -> Self {
        ErrorKind::Numeric { learner: learner.to_owned(), reason: reason.into() }.into()
    }

    /// A damaged model.
    pub fn format(reason: impl Into<String>) -> Self {
        ErrorKind::Format { reason: reason.into(), byte: None }.into()
    }

    /// An unknown name, with the closest of those that exist.
    pub fn unknown<'a>(what: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        ErrorKind::Unknown { what, name: name.to_owned(), suggestion: closest(name, known) }.into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Error {}

/// The known name closest to `name`, when it is close enough to be a slip of the finger.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = (name.chars().count() / 3).max(1) + 1;
    known
        .into_iter()
        .map(|k| (edit_distance(&name.to_lowercase(), &k.to_lowercase()), k))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k.to_owned())
}

/// Levenshtein's distance with one row of memory.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_suggested_only_when_close() {
        assert_eq!(closest("aplha", ["alpha", "beta"]), Some("alpha".into()));
        assert_eq!(closest("Spceies", ["island", "species"]), Some("species".into()));
        assert_eq!(closest("zzz", ["alpha", "beta"]), None);
    }

    #[test]
    fn messages_name_parameter_range_and_value() {
        let error = Error::param("Ridge", "alpha", "in [0, inf)", -1.0);
        assert_eq!(error.to_string(), "`alpha` of Ridge must be in [0, inf), got -1");
    }
}
