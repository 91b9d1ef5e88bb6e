//! Characters as Python's `re` sees them: `\w` is a letter, a number or `_`, `\s` is what `str.isspace` says.

use std::sync::LazyLock;
use unicode_normalization::char::is_combining_mark;

/// Whether `c` is a `\w` of Python's: general categories L and N, and `_`.
pub(crate) fn is_word(c: char) -> bool {
    match c as u32 {
        at if at < 0x1_0000 => BASIC[at as usize / 64] >> (at % 64) & 1 == 1,
        _ => is_word_slow(c),
    }
}

/// The standard library's alphabetic characters are letters, combining marks and encircled letters.
fn is_word_slow(c: char) -> bool {
    let encircled =
        matches!(c as u32, 0x24b6..=0x24e9 | 0x1f130..=0x1f149 | 0x1f150..=0x1f169 | 0x1f170..=0x1f189);
    c == '_' || (c.is_alphanumeric() && !encircled && !is_combining_mark(c))
}

/// One bit for each character of the basic plane.
static BASIC: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut bits = vec![0u64; 1024];
    let words = (0..0x1_0000u32).filter(|&c| char::from_u32(c).is_some_and(is_word_slow));
    words.for_each(|c| bits[c as usize / 64] |= 1 << (c % 64));
    bits
});

/// Whether `c` is a `\s` of Python's: white space, and the four separators of ASCII.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}

/// One entry for each byte: whether it is a `\w` of ASCII.
static ASCII_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 128 {
        table[i] = (i as u8).is_ascii_alphanumeric() || i as u8 == b'_';
        i += 1;
    }
    table
};

/// The tokens of the patterns `\b\w\w+\b` and `\b\w+\b`: the longest runs of word characters that have at least
/// `least` of them.
pub(crate) fn word_runs(text: &str, least: usize, mut emit: impl FnMut(usize, usize)) {
    if text.is_ascii() {
        return ascii_runs(text.as_bytes(), least, emit);
    }
    let (mut start, mut length) = (0, 0);
    for (at, c) in text.char_indices() {
        if is_word(c) {
            start = if length == 0 { at } else { start };
            length += 1;
        } else {
            if length >= least {
                emit(start, at);
            }
            length = 0;
        }
    }
    if length >= least {
        emit(start, text.len());
    }
}

fn ascii_runs(text: &[u8], least: usize, mut emit: impl FnMut(usize, usize)) {
    let word = |b: &u8| ASCII_WORD[*b as usize];
    let mut at = 0;
    while let Some(skip) = text[at..].iter().position(word) {
        let start = at + skip;
        let length = text[start..].iter().position(|b| !word(b)).unwrap_or(text.len() - start);
        if length >= least {
            emit(start, start + length);
        }
        at = start + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<&str> {
        let mut out = Vec::new();
        word_runs(text, 2, |a, b| out.push(&text[a..b]));
        out
    }

    #[test]
    fn runs_are_those_of_the_pattern() {
        assert_eq!(runs("It's a b_c 42 x1, ok"), ["It", "b_c", "42", "x1", "ok"]);
        assert_eq!(runs("naïve café — ½½ ñ ça 日本 🙂ok"), ["naïve", "café", "½½", "ça", "日本", "ok"]);
        // A combining mark is no word character for Python, nor is an encircled letter.
        assert_eq!(runs("cafe\u{301}s ⒶⒷab"), ["cafe", "ab"]);
        assert!(runs("").is_empty() && runs("a b c").is_empty());
    }

    #[test]
    fn the_table_agrees_with_the_definition() {
        assert!((0..0x1_0000u32).filter_map(char::from_u32).all(|c| is_word(c) == is_word_slow(c)));
        assert!(is_space('\x1c') && is_space('\u{a0}') && !is_space('\u{200b}'));
    }
}
