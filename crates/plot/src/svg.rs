//! A small SVG writer: escaped by construction, balanced by construction.

use std::fmt::Write;

/// Labels and tooltips are cut at this many characters, so that a hostile name cannot blow up a page.
const LONGEST_TEXT: usize = 400;

/// A document under construction; `finish` closes whatever is open.
#[derive(Debug, Default)]
pub(crate) struct Svg {
    out: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// Starts an element; end it with one of the methods of [`Element`].
    pub(crate) fn el(&mut self, name: &'static str) -> Element<'_> {
        self.out.push('<');
        self.out.push_str(name);
        Element { svg: self, name }
    }

    /// Closes the element opened last.
    pub(crate) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = write!(self.out, "</{name}>");
        }
    }

    /// Closes everything and returns the text.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }

    fn text(&mut self, text: &str) {
        escape_into(&mut self.out, text);
    }
}

/// A start tag being written.
#[must_use]
pub(crate) struct Element<'a> {
    svg: &'a mut Svg,
    name: &'static str,
}

impl Element<'_> {
    /// A text attribute.
    pub(crate) fn attr(self, name: &str, value: &str) -> Self {
        let _ = write!(self.svg.out, " {name}=\"");
        self.svg.text(value);
        self.svg.out.push('"');
        self
    }

    /// Path data of this crate's own making, which may be long and needs no escaping.
    pub(crate) fn path(self, data: &str) -> Self {
        let _ = write!(self.svg.out, " d=\"{data}\"");
        self
    }

    /// A coordinate or length.
    pub(crate) fn num(self, name: &str, value: f64) -> Self {
        let _ = write!(self.svg.out, " {name}=\"{}\"", px(value));
        self
    }

    /// Several coordinates or lengths.
    pub(crate) fn nums(self, pairs: &[(&str, f64)]) -> Self {
        pairs.iter().fold(self, |element, (name, value)| element.num(name, *value))
    }

    /// Ends an empty element.
    pub(crate) fn end(self) {
        self.svg.out.push_str("/>");
    }

    /// Ends an element that holds nothing but a tooltip.
    pub(crate) fn titled(self, title: &str) {
        self.svg.out.push_str("><title>");
        self.svg.text(title);
        let _ = write!(self.svg.out, "</title></{}>", self.name);
    }

    /// Ends an element that holds text.
    pub(crate) fn text(self, text: &str) {
        self.svg.out.push('>');
        self.svg.text(text);
        let _ = write!(self.svg.out, "</{}>", self.name);
    }

    /// Ends a text cut to `room` pixels at `size` pixels a line; the whole text is its tooltip when cut.
    pub(crate) fn fitted(self, text: &str, room: f64, size: f64) {
        let short = fit(text, room, size);
        self.svg.out.push('>');
        self.svg.text(&short);
        if short != text {
            self.svg.out.push_str("<title>");
            self.svg.text(text);
            self.svg.out.push_str("</title>");
        }
        let _ = write!(self.svg.out, "</{}>", self.name);
    }

    /// Ends an element that holds markup of this crate's own making.
    pub(crate) fn raw(self, markup: &str) {
        let _ = write!(self.svg.out, ">{markup}</{}>", self.name);
    }

    /// Leaves the element open.
    pub(crate) fn open(self) {
        self.svg.out.push('>');
        self.svg.open.push(self.name);
    }
}

/// A coordinate with at most two decimals; whatever is not finite becomes 0.
pub(crate) fn px(value: f64) -> String {
    if !value.is_finite() {
        return "0".into();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Escapes text for XML content and attributes; characters that XML forbids are dropped.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    for (i, c) in text.chars().enumerate() {
        if i == LONGEST_TEXT {
            out.push('…');
            return;
        }
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' | '\r' => out.push(' '),
            c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => {}
            c => out.push(c),
        }
    }
}

/// An estimate, slightly generous, of the width of a text in a common sans-serif face.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(char_width).sum::<f64>() * size
}

fn char_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.30,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '-' | '/' => 0.38,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.90,
        'A'..='Z' => 0.69,
        c if (c as u32) >= 0x1100 && !('\u{2000}'..='\u{22ff}').contains(&c) => 1.05,
        _ => 0.58,
    }
}

/// The longest beginning of `text` that fits, with an ellipsis when cut.
pub(crate) fn fit(text: &str, room: f64, size: f64) -> String {
    let mut used = 0.0;
    let mut short = String::new();
    // One pass, leaving room for the ellipsis, so that a label of a megabyte costs no more than a short one.
    for c in text.chars() {
        let width = char_width(c) * size;
        if used + width > room - 0.9 * size {
            break;
        }
        used += width;
        short.push(c);
    }
    let rest = &text[short.len()..];
    if rest.is_empty() || (rest.len() < 16 && used + text_width(rest, size) <= room) {
        return text.into();
    }
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        assert_eq!(px(1.0), "1");
        assert_eq!(px(1.256), "1.26");
        assert_eq!(px(-0.001), "0");
        assert_eq!(px(f64::NAN), "0");
    }

    #[test]
    fn long_labels_are_cut() {
        assert_eq!(fit("age", 100.0, 11.0), "age");
        let cut = fit(&"x".repeat(1000), 100.0, 11.0);
        assert!(cut.ends_with('…') && text_width(&cut, 11.0) <= 100.0);
    }

    #[test]
    fn forbidden_characters_vanish() {
        let mut out = String::new();
        escape_into(&mut out, "a\u{0}<b>&\"'\u{ffff}\n");
        assert_eq!(out, "a&lt;b&gt;&amp;&quot;&#39; ");
    }
}
