//! The English stop words.

/// The words of `stop_words.txt`, whose head says where they come from.
pub(crate) fn english() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("stop_words.txt").lines().filter(|l| !l.starts_with('#'));
    lines.flat_map(str::split_whitespace)
}
