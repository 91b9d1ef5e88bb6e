//! From a document to its terms, as byte slices of a buffer that is used again.

use super::interner::Interner;
use super::stop_words::english_stop_words;
use super::terms::{StopWords, StripAccents, TermParams, TextAnalyzer};
use super::words::{is_space, word_runs};
use mercer_core::{Error, Result};
use regex::Regex;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// A [`TermParams`] made ready.
#[derive(Clone, Debug)]
pub(crate) struct Analyzer {
    strip_accents: Option<StripAccents>,
    lowercase: bool,
    units: Units,
    stop_words: Interner,
    ngrams: (usize, usize),
}

#[derive(Clone, Debug)]
enum Units {
    /// Runs of word characters of this length at least, found without a regular expression.
    Words(usize),
    /// Words by a pattern, or by its only group.
    Pattern(Regex),
    Chars,
    CharsOfWords,
}

/// Buffers of [`Analyzer::each`].
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    text: String,
    joined: String,
    spans: Vec<(usize, usize)>,
    starts: Vec<usize>,
}

impl Analyzer {
    pub(crate) fn new(params: &TermParams, owner: &str, ngrams: (usize, usize)) -> Result<Self> {
        let units = match params.analyzer {
            TextAnalyzer::Word => match params.token_pattern.trim_start_matches("(?u)") {
                r"\b\w\w+\b" => Units::Words(2),
                r"\b\w+\b" | r"\w+" => Units::Words(1),
                _ => Units::Pattern(pattern(&params.token_pattern, owner)?),
            },
            TextAnalyzer::Char => Units::Chars,
            TextAnalyzer::CharWb => Units::CharsOfWords,
        };
        let mut stop_words = Interner::default();
        let words: Vec<&str> = match &params.stop_words {
            Some(StopWords::English) => english_stop_words().collect(),
            Some(StopWords::List(words)) => words.iter().map(String::as_str).collect(),
            None => Vec::new(),
        };
        for word in words {
            stop_words.intern(word.as_bytes());
        }
        let TermParams { strip_accents, lowercase, .. } = *params;
        Ok(Self { strip_accents, lowercase, units, stop_words, ngrams })
    }

    /// Hands each term of a document to `term`, in no particular order.
    pub(crate) fn each(&self, document: &str, scratch: &mut Scratch, mut term: impl FnMut(&[u8])) {
        let Scratch { text, joined, spans, starts } = scratch;
        self.normalise(document, text);
        match &self.units {
            Units::Words(least) if self.ngrams == (1, 1) => {
                let bytes = text.as_bytes();
                word_runs(text, *least, |a, b| {
                    let word = &bytes[a..b];
                    if !self.is_stop(word) {
                        term(word);
                    }
                });
            }
            Units::Words(least) => {
                joined.clear();
                spans.clear();
                word_runs(text, *least, |a, b| self.join(&text[a..b], joined, spans));
                self.word_ngrams(joined, spans, term);
            }
            Units::Pattern(pattern) => {
                joined.clear();
                spans.clear();
                tokens(pattern, text, |word| self.join(word, joined, spans));
                self.word_ngrams(joined, spans, term);
            }
            Units::Chars => {
                squeeze_spaces(text, joined);
                char_starts(joined, starts);
                let (low, high) = self.ngrams;
                for n in low..=high.min(starts.len() - 1) {
                    starts.windows(n + 1).for_each(|w| term(&joined.as_bytes()[w[0]..w[n]]));
                }
            }
            Units::CharsOfWords => {
                for word in text.split(is_space).filter(|w| !w.is_empty()) {
                    joined.clear();
                    joined.extend([" ", word, " "]);
                    char_starts(joined, starts);
                    self.padded_ngrams(joined.as_bytes(), starts, &mut term);
                }
            }
        }
    }

    /// Lower case, then without accents, as scikit-learn does it.
    fn normalise(&self, document: &str, out: &mut String) {
        out.clear();
        if document.is_ascii() {
            out.push_str(document);
            if self.lowercase {
                out.make_ascii_lowercase();
            }
            return;
        }
        let text: Cow<'_, str> =
            if self.lowercase { document.to_lowercase().into() } else { document.into() };
        match self.strip_accents {
            None => out.push_str(&text),
            Some(StripAccents::Ascii) => out.extend(text.nfkd().filter(char::is_ascii)),
            // What has become ASCII by now has nothing to decompose.
            Some(StripAccents::Unicode) => {
                out.extend(text.nfkd().filter(|c| canonical_combining_class(*c) == 0));
            }
        }
    }

    fn is_stop(&self, word: &[u8]) -> bool {
        self.stop_words.find(word).is_some()
    }

    /// Adds a word that is no stop word to the words joined by spaces, so that each n-gram is one slice.
    fn join(&self, word: &str, joined: &mut String, spans: &mut Vec<(usize, usize)>) {
        if self.is_stop(word.as_bytes()) {
            return;
        }
        if !spans.is_empty() {
            joined.push(' ');
        }
        let start = joined.len();
        joined.push_str(word);
        spans.push((start, joined.len()));
    }

    fn word_ngrams(&self, joined: &str, spans: &[(usize, usize)], mut term: impl FnMut(&[u8])) {
        let (low, high) = self.ngrams;
        for n in low..=high.min(spans.len()) {
            spans.windows(n).for_each(|w| term(&joined.as_bytes()[w[0].0..w[n - 1].1]));
        }
    }

    /// A word shorter than n counts once, whole.
    fn padded_ngrams(&self, word: &[u8], starts: &[usize], term: &mut impl FnMut(&[u8])) {
        let (low, high) = self.ngrams;
        let length = starts.len() - 1;
        for n in low..=high {
            if n >= length {
                return term(word);
            }
            starts.windows(n + 1).for_each(|w| term(&word[w[0]..w[n]]));
        }
    }
}

/// The place of each character, and the end.
fn char_starts(text: &str, starts: &mut Vec<usize>) {
    starts.clear();
    starts.extend(text.char_indices().map(|(at, _)| at));
    starts.push(text.len());
}

/// Two or more white spaces become one space; a single one stays as it is.
fn squeeze_spaces(text: &str, out: &mut String) {
    out.clear();
    let mut run: Option<(char, usize)> = None;
    let flush = |run: &mut Option<(char, usize)>, out: &mut String| match run.take() {
        Some((c, 1)) => out.push(c),
        Some(_) => out.push(' '),
        None => {}
    };
    for c in text.chars() {
        if is_space(c) {
            run = Some(run.map_or((c, 1), |(first, n)| (first, n + 1)));
        } else {
            flush(&mut run, out);
            out.push(c);
        }
    }
    flush(&mut run, out);
}

fn tokens(pattern: &Regex, text: &str, mut token: impl FnMut(&str)) {
    if pattern.captures_len() == 1 {
        pattern.find_iter(text).for_each(|m| token(m.as_str()));
    } else {
        pattern.captures_iter(text).for_each(|c| token(c.get(1).map_or("", |m| m.as_str())));
    }
}

/// The regular expression of `token_pattern`, with Python's meaning of `\w` and `\s`. Its `\b` is Unicode's, for which
/// combining marks belong to a word and fractions do not.
fn pattern(text: &str, owner: &str) -> Result<Regex> {
    let refused = |expected: String| Error::param(owner, "token_pattern", expected, format!("`{text}`"));
    let made = Regex::new(&python_classes(text))
        .map_err(|e| refused(format!("a regular expression without look-around or back-references ({e})")))?;
    match made.captures_len() {
        1 | 2 => Ok(made),
        _ => Err(refused("a pattern with one group at most".to_owned())),
    }
}

/// `\w` and `\s` as Python means them: letters and numbers without combining marks; spaces with ASCII's separators.
fn python_classes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            (_, Some('w')) => out.push_str(r"[\p{L}\p{N}_]"),
            (_, Some('W')) => out.push_str(r"[^\p{L}\p{N}_]"),
            (_, Some('s')) => out.push_str(r"[\s\x1c-\x1f]"),
            (_, Some('S')) => out.push_str(r"[^\s\x1c-\x1f]"),
            (c, next) => {
                out.push(c);
                out.extend(next);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(params: &TermParams, document: &str) -> Vec<String> {
        let analyzer = params.analyzer("test").unwrap();
        let mut out = Vec::new();
        analyzer.each(document, &mut Scratch::default(), |t| {
            out.push(String::from_utf8(t.to_vec()).unwrap());
        });
        out
    }

    #[test]
    fn the_pattern_and_the_hand_written_tokeniser_agree() {
        let same = TermParams { token_pattern: r"\w{2,}".to_owned(), ..TermParams::default() };
        for text in ["It's the 2nd b_c, É a!", "ΟΔΟΣ Σ ½x e\u{301}s", "", "a", "日本語 ok🙂ok"] {
            assert_eq!(terms(&TermParams::default(), text), terms(&same, text), "{text}");
        }
        let group = TermParams { token_pattern: r"#(\w+)".to_owned(), ..TermParams::default() };
        assert_eq!(terms(&group, "a #b c #De"), ["b", "de"]);
    }

    #[test]
    fn wrong_patterns_and_ranges_are_refused_by_name() {
        let bad = |r: TermParams| r.analyzer("CountVectorizer").unwrap_err().to_string();
        assert!(
            bad(TermParams { token_pattern: "(".to_owned(), ..TermParams::default() })
                .contains("`token_pattern`")
        );
        assert!(
            bad(TermParams { token_pattern: "(a)(b)".to_owned(), ..TermParams::default() })
                .contains("one group")
        );
        for range in [vec![], vec![1], vec![0, 1], vec![2, 1], vec![1, 2, 3]] {
            assert!(
                bad(TermParams { ngram_range: range, ..TermParams::default() }).contains("`ngram_range`")
            );
        }
    }
}
