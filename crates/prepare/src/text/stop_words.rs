//! The English stop words.

/// The words of `stop_words.txt`, whose head says where they come from.
pub fn english_stop_words() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("stop_words.txt").lines().filter(|l| !l.starts_with('#'));
    lines.flat_map(str::split_whitespace)
}
