//! What can go wrong.

use std::fmt;

/// Why a report could not be read or written.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not the JSON of a report.
    Json,
    /// The JSON twin has a layout that this version does not know.
    SchemaVersion {
        /// The version found.
        found: u32,
    },
    /// The page template failed, which is a bug.
    Template,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { kind, source: Some(Box::new(source)) }
    }

    pub(crate) fn of(kind: ErrorKind) -> Self {
        Self { kind, source: None }
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::Json => write!(f, "not a report in JSON")?,
            ErrorKind::SchemaVersion { found } => {
                write!(f, "`schema_version` of the report must be {}, got {found}", crate::SCHEMA_VERSION)?
            }
            ErrorKind::Template => write!(f, "the report's template failed")?,
        }
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as &(dyn std::error::Error + 'static))
    }
}
