//! Where fields and records begin and end (RFC 4180, leniently).
//!
//! A quote opens a quoted field only as its first byte; elsewhere it is an ordinary byte, as in the `csv`
//! crate. Text after a closing quote belongs to the field. Records end with LF or CRLF.

use memchr::{memchr, memchr2};
use std::borrow::Cow;

/// One field as it stands in the source.
#[derive(Debug)]
pub(super) struct Field<'a> {
    /// The value, quotes resolved.
    pub value: Cow<'a, [u8]>,
    /// Where the byte after the field is: a delimiter, a line end, or the end of the data.
    pub end: usize,
}

/// A quote that is never closed, by the byte at which it opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OpenQuote(pub usize);

/// What follows a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Next {
    /// Another field, at this byte.
    Field(usize),
    /// The next record, or the end of the data, at this byte.
    Record(usize),
}

/// The field that starts at `start`.
#[inline]
pub(super) fn field(bytes: &[u8], start: usize, delimiter: u8) -> Result<Field<'_>, OpenQuote> {
    if bytes.get(start) == Some(&b'"') {
        return quoted(bytes, start, delimiter);
    }
    let end = plain_end(bytes, start, delimiter);
    Ok(Field { value: Cow::Borrowed(&bytes[start..end]), end })
}

/// The end of unquoted text: the delimiter, the line end (without its CR), or the end of the data.
#[inline]
fn plain_end(bytes: &[u8], start: usize, delimiter: u8) -> usize {
    let rest = &bytes[start..];
    // Most fields are short: a plain loop beats the set-up of a vector search.
    let near = rest.iter().take(24).position(|&b| b == delimiter || b == b'\n');
    let end = near.or_else(|| memchr2(delimiter, b'\n', rest)).unwrap_or(rest.len());
    let at_line_end = rest.get(end) != Some(&delimiter);
    let carriage = at_line_end && end > 0 && rest[end - 1] == b'\r';
    start + end - usize::from(carriage)
}

/// The byte after the closing quote of the field that opens at `open`.
fn closing(bytes: &[u8], open: usize) -> Result<usize, OpenQuote> {
    let mut at = open + 1;
    loop {
        at += memchr(b'"', &bytes[at..]).ok_or(OpenQuote(open))? + 1;
        if bytes.get(at) != Some(&b'"') {
            return Ok(at);
        }
        at += 1;
    }
}

fn quoted(bytes: &[u8], start: usize, delimiter: u8) -> Result<Field<'_>, OpenQuote> {
    let close = closing(bytes, start)?;
    let inner = &bytes[start + 1..close - 1];
    let end = plain_end(bytes, close, delimiter);
    if end == close && memchr(b'"', inner).is_none() {
        return Ok(Field { value: Cow::Borrowed(inner), end });
    }
    let mut value = Vec::with_capacity(end - start);
    let mut rest = inner;
    while let Some(at) = memchr(b'"', rest) {
        // A quote inside is always doubled: the first of the two stays.
        value.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    value.extend_from_slice(rest);
    value.extend_from_slice(&bytes[close..end]);
    Ok(Field { value: Cow::Owned(value), end })
}

/// What comes after a field that ends at `end`.
#[inline(always)]
pub(super) fn next(bytes: &[u8], end: usize, delimiter: u8) -> Next {
    match bytes.get(end) {
        None => Next::Record(end),
        Some(b'\n') => Next::Record(end + 1),
        Some(&b) if b == delimiter => Next::Field(end + 1),
        // `plain_end` stops before a CR only when LF or the end of the data follows it.
        Some(_) => Next::Record((end + 2).min(bytes.len())),
    }
}

/// The first byte at or after `at` that is not on a blank line; `at` is the start of a line.
#[inline(always)]
pub(super) fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b'\n') => at += 1,
            Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => at += 2,
            Some(b'\r') if at + 1 == bytes.len() => at += 1,
            _ => return at,
        }
    }
}

/// The fields of a record, and where the next record starts.
pub(super) type Record<'a> = (Vec<Cow<'a, [u8]>>, usize);

/// The fields of the record at `at` (not on a blank line), and where the next record starts.
pub(super) fn record(bytes: &[u8], at: usize, delimiter: u8) -> Result<Record<'_>, OpenQuote> {
    let (mut fields, mut start) = (Vec::new(), at);
    loop {
        let Field { value, end } = field(bytes, start, delimiter)?;
        fields.push(value);
        match next(bytes, end, delimiter) {
            Next::Field(at) => start = at,
            Next::Record(at) => return Ok((fields, at)),
        }
    }
}

/// Ends of whole records at or after `wanted`, found by looking at quotes only: cheap where they are rare.
#[derive(Debug)]
pub(super) struct Boundaries<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    /// Everything before this byte is settled, and it lies outside quotes.
    at: usize,
    /// The first quote at or after `at`, or the end: remembered, or every call would search the rest again.
    quote: usize,
}

impl<'a> Boundaries<'a> {
    /// Starts at the beginning of a record.
    pub(super) fn new(bytes: &'a [u8], delimiter: u8) -> Self {
        Self { bytes, delimiter, at: 0, quote: memchr(b'"', bytes).unwrap_or(bytes.len()) }
    }

    /// The first record start after a line end at or beyond `wanted`; `None` when no line ends there.
    pub(super) fn at_least(&mut self, wanted: usize) -> Result<Option<usize>, OpenQuote> {
        loop {
            let from = wanted.max(self.at);
            if from < self.quote {
                let line_end = memchr(b'\n', &self.bytes[from..self.quote]);
                if let Some(i) = line_end {
                    self.at = from + i + 1;
                    return Ok(Some(self.at));
                }
            }
            if self.quote == self.bytes.len() {
                return Ok(None);
            }
            self.at = if self.opens(self.quote) { closing(self.bytes, self.quote)? } else { self.quote + 1 };
            self.quote = memchr(b'"', &self.bytes[self.at..]).map_or(self.bytes.len(), |i| self.at + i);
        }
    }

    fn opens(&self, quote: usize) -> bool {
        quote == 0 || self.bytes[quote - 1] == b'\n' || self.bytes[quote - 1] == self.delimiter
    }
}

/// The bytes cut into pieces of whole records, each of at least `size` bytes but the last.
pub(super) fn cut(
    bytes: &[u8],
    delimiter: u8,
    size: usize,
) -> Result<Vec<std::ops::Range<usize>>, OpenQuote> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    let mut boundaries = Boundaries::new(bytes, delimiter);
    while start < bytes.len() {
        let wanted = start.saturating_add(size.max(1)) - 1;
        let end = boundaries.at_least(wanted)?.unwrap_or(bytes.len());
        pieces.push(start..end);
        start = end;
    }
    Ok(pieces)
}

/// The delimiter that cuts the first records most evenly: comma, semicolon, tab or bar. Commas below a single name are no
/// delimiters where numbers have decimal commas: where `decimal` says so, or all lines are such numbers.
pub(super) fn detect_delimiter(bytes: &[u8], decimal: Option<u8>) -> u8 {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let score = |&delimiter: &u8| {
        let (mut at, mut counts) = (0, Vec::new());
        while counts.len() < 10 {
            at = skip_blank(head, at);
            if at >= head.len() {
                break;
            }
            let Ok((fields, end)) = record(head, at, delimiter) else { break };
            // A record cut off by the end of the sample does not count.
            if end >= head.len() && head.len() < bytes.len() && !counts.is_empty() {
                break;
            }
            counts.push(fields.len());
            at = end;
        }
        let first = counts.first().copied().unwrap_or(1);
        (first > 1 && counts.iter().all(|&c| c == first), first)
    };
    let candidates = [b'|', b'\t', b';', b','];
    match candidates.into_iter().max_by_key(score).unwrap_or(b',') {
        b',' if decimal != Some(b'.') => {
            let mut lines =
                head.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|l| !l.is_empty()).take(10);
            let name = lines.next().unwrap_or_default();
            let rest: Vec<&[u8]> = lines.collect();
            let number = |line: &&[u8]| {
                let parts: Vec<&[u8]> =
                    line.strip_prefix(b"-").unwrap_or(line).split(|b| *b == b',').collect();
                parts.len() <= 2 && parts.iter().all(|p| !p.is_empty() && p.iter().all(u8::is_ascii_digit))
            };
            let commas = !name.contains(&b',') && rest.iter().any(|line| line.contains(&b','));
            if commas && (decimal == Some(b',') || rest.iter().all(number)) { b';' } else { b',' }
        }
        best => best,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_never_cut_a_quoted_line_end() {
        let text = b"a,b\n\"x\ny\",1\n\"\"\"q\n\"\"\",2\nz\"\n,3\n";
        for size in 1..text.len() + 2 {
            let pieces = cut(text, b',', size).expect("closed quotes");
            assert_eq!(pieces.first().map(|p| p.start), Some(0));
            assert_eq!(pieces.last().map(|p| p.end), Some(text.len()));
            for piece in &pieces {
                assert!([0, 4, 12, 23, 26].contains(&piece.start), "{size}: {piece:?}");
            }
        }
    }

    #[test]
    fn delimiters_are_told_apart() {
        let check = |text: &str, expected: u8| {
            assert_eq!(detect_delimiter(text.as_bytes(), None), expected, "{text}")
        };
        check("a,b\n1,2\n", b',');
        check("a;b\n1,5;2,5\n", b';');
        check("a\tb\n1\t2,2\n", b'\t');
        check("a|b|c\n1|2|3\n", b'|');
        check("a\n1\n", b',');
        check("", b',');
        check("\"x;y\",b\n1,2\n", b',');
        check("a, b; c\n1\n", b',');
        check("x\n1,5\n-2,5\n3\n", b';');
        check("x\n1,a\n2,b\n", b',');
        check("x\n1,2,3\n", b',');
        assert_eq!(detect_delimiter(b"x\n1,5\nn/a\n", Some(b',')), b';');
        assert_eq!(detect_delimiter(b"x\n1,5\n", Some(b'.')), b',');
    }
}
