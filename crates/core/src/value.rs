//! Parameter values as a tree: one text grammar, one JSON form, for every door.
//!
//! ```text
//! spec    := name [ ':' args ]                     ridge:alpha=0.1,fit_intercept=false
//! args    := arg { ',' arg }        arg := name '=' value | value
//! value   := product { '+' product }               rbf(gamma=0.1)+white
//! product := atom { '*' atom }
//! atom    := number | word [ '(' args ')' ] | '[' values ']' | 'quoted' | "quoted"
//! word    := letters, digits, '_', '-', '.', '/' [ '++' ]      k-means++
//! ```

use crate::error::{ErrorKind, Result};
use std::collections::BTreeMap;
use std::fmt;

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: the `None` of an optional parameter.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A real number.
    Real(f64),
    /// A word or any other text.
    Text(String),
    /// Several values.
    List(Vec<Value>),
    /// Something with a type and parameters of its own: a learner, a kernel.
    Object(Object),
    /// Values by other values, such as the weights of classes; as text it is a list of pairs.
    Map(Vec<(Value, Value)>),
}

/// A typed object among values: `{type, params}`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Object {
    /// The name of the type.
    pub kind: String,
    /// Its parameters; positional ones are called `0`, `1`, ….
    pub params: BTreeMap<String, Value>,
}

impl Value {
    /// Reads a value in the text grammar.
    ///
    /// ```
    /// use mercer_core::Value;
    /// assert_eq!(Value::parse("1e-3")?, Value::Real(1e-3));
    /// assert_eq!(Value::parse("rbf(gamma=0.1)")?.to_string(), "rbf(gamma=0.1)");
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Value> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let value = parser.value()?;
        parser.end()?;
        Ok(value)
    }

    /// The JSON form. JSON has no infinity: it is written `"inf"`.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as J;
        match self {
            Value::Null => J::Null,
            Value::Bool(b) => J::Bool(*b),
            Value::Int(i) => J::from(*i),
            Value::Real(r) => {
                serde_json::Number::from_f64(*r).map_or_else(|| J::String(r.to_string()), J::Number)
            }
            Value::Text(s) => J::String(s.clone()),
            Value::List(items) => items.iter().map(Value::to_json).collect(),
            Value::Object(o) => {
                let params: serde_json::Map<_, _> =
                    o.params.iter().map(|(k, v)| (k.clone(), v.to_json())).collect();
                serde_json::json!({ "type": o.kind, "params": params })
            }
            Value::Map(pairs) => {
                let pair = |(k, v): &(Value, Value)| J::from(vec![k.to_json(), v.to_json()]);
                serde_json::json!({ "map": pairs.iter().map(pair).collect::<Vec<_>>() })
            }
        }
    }

    /// Reads the JSON form; `None` where an object has no `type`.
    pub fn from_json(json: &serde_json::Value) -> Option<Value> {
        use serde_json::Value as J;
        Some(match json {
            J::Null => Value::Null,
            J::Bool(b) => Value::Bool(*b),
            J::Number(n) => n.as_i64().map(Value::Int).or_else(|| n.as_f64().map(Value::Real))?,
            J::String(s) => Value::Text(s.clone()),
            J::Array(items) => Value::List(items.iter().map(Value::from_json).collect::<Option<_>>()?),
            J::Object(map) if map.contains_key("map") => {
                let pair =
                    |pair: &J| Some((Value::from_json(pair.get(0)?)?, Value::from_json(pair.get(1)?)?));
                Value::Map(map["map"].as_array()?.iter().map(pair).collect::<Option<_>>()?)
            }
            J::Object(map) => {
                let kind = map.get("type")?.as_str()?.to_owned();
                let params = match map.get("params") {
                    Some(J::Object(params)) => params
                        .iter()
                        .map(|(k, v)| Some((k.clone(), Value::from_json(v)?)))
                        .collect::<Option<_>>()?,
                    Some(_) => return None,
                    None => BTreeMap::new(),
                };
                Value::Object(Object { kind, params })
            }
        })
    }
}

impl Object {
    /// Reads `name[:args]`, the form of `-m`.
    pub fn parse_spec(text: &str) -> Result<Object> {
        let (name, args) = text.split_once(':').unwrap_or((text, ""));
        let mut parser = Parser { text, at: text.len() - args.len(), depth: 0 };
        if name.trim().is_empty() {
            parser.at = 0;
            return Err(parser.error("expected a name"));
        }
        let params = if args.trim().is_empty() { BTreeMap::new() } else { parser.args()? };
        parser.end()?;
        Ok(Object { kind: name.trim().to_owned(), params })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("none"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Real(r) if r.fract() == 0.0 && r.abs() < 1e15 => write!(f, "{r:.1}"),
            Value::Real(r) if r.abs() < 1e-4 || r.abs() >= 1e15 => write!(f, "{r:e}"),
            Value::Real(r) => write!(f, "{r}"),
            Value::Text(s) if is_word(s) => f.write_str(s),
            Value::Text(s) => write!(f, "'{}'", s.replace('\\', "\\\\").replace('\'', "\\'")),
            Value::List(items) => write!(f, "[{}]", join(items.iter().map(ToString::to_string))),
            Value::Map(pairs) => write!(f, "[{}]", join(pairs.iter().map(|(k, v)| format!("[{k}, {v}]")))),
            Value::Object(o) => {
                let args = join(o.params.iter().map(|(k, v)| match k.parse::<usize>() {
                    Ok(_) => v.to_string(),
                    Err(_) => format!("{k}={v}"),
                }));
                write!(f, "{}({args})", o.kind)
            }
        }
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn is_word(s: &str) -> bool {
    let reserved =
        matches!(s, "true" | "false" | "none" | "null" | "True" | "False" | "None" | "inf" | "nan");
    !reserved && s.starts_with(|c: char| c.is_alphabetic() || c == '_') && s.chars().all(word_char)
}

fn word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')
}

/// Nesting beyond this is refused, so that no text can overflow the stack.
const MAX_DEPTH: usize = 32;

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn error(&self, reason: &str) -> crate::Error {
        let (text, reason) = (self.text.to_owned(), reason.to_owned());
        ErrorKind::Syntax { text, reason, position: self.at }.into()
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        if self.take(wanted) { Ok(()) } else { Err(self.error(&format!("expected `{wanted}`"))) }
    }

    fn end(&mut self) -> Result<()> {
        if self.peek().is_none() { Ok(()) } else { Err(self.error("unexpected text")) }
    }

    fn value(&mut self) -> Result<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("nested too deeply"));
        }
        let value = self.operands('+', "sum", |p| p.operands('*', "product", Self::atom));
        self.depth -= 1;
        value
    }

    fn operands(
        &mut self,
        operator: char,
        kind: &str,
        mut operand: impl FnMut(&mut Self) -> Result<Value>,
    ) -> Result<Value> {
        let first = operand(self)?;
        let mut terms = vec![first];
        while self.take(operator) {
            terms.push(operand(self)?);
        }
        if terms.len() == 1 {
            return Ok(terms.swap_remove(0));
        }
        let params = terms.into_iter().enumerate().map(|(i, t)| (i.to_string(), t)).collect();
        Ok(Value::Object(Object { kind: kind.to_owned(), params }))
    }

    fn atom(&mut self) -> Result<Value> {
        match self.peek() {
            Some('[') => self.list(),
            Some(quote @ ('\'' | '"')) => self.quoted(quote),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '.') => self.number(),
            Some(c) if word_char(c) => self.word(),
            _ => Err(self.error("expected a value")),
        }
    }

    fn list(&mut self) -> Result<Value> {
        self.expect('[')?;
        let mut items = Vec::new();
        while !self.take(']') {
            items.push(self.value()?);
            if !self.take(',') {
                self.expect(']')?;
                break;
            }
        }
        Ok(Value::List(items))
    }

    fn quoted(&mut self, quote: char) -> Result<Value> {
        self.expect(quote)?;
        let mut out = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                '\\' => out.extend(chars.next().map(|(_, escaped)| escaped)),
                c if c == quote => {
                    self.at += offset + c.len_utf8();
                    return Ok(Value::Text(out));
                }
                c => out.push(c),
            }
        }
        Err(self.error("the quote is never closed"))
    }

    fn number(&mut self) -> Result<Value> {
        let rest = &self.text[self.at..];
        let mut end = 0;
        for (i, c) in rest.char_indices() {
            let sign_of_exponent = i > 0 && matches!(rest.as_bytes()[i - 1], b'e' | b'E');
            if !(c.is_ascii_alphanumeric()
                || c == '.'
                || (matches!(c, '-' | '+') && (i == 0 || sign_of_exponent)))
            {
                break;
            }
            end = i + c.len_utf8();
        }
        let digits = &rest[..end];
        let value = digits.parse::<i64>().map(Value::Int).or_else(|_| digits.parse::<f64>().map(Value::Real));
        let value = value.map_err(|_| self.error(&format!("`{digits}` is no number")))?;
        self.at += end;
        Ok(value)
    }

    fn word(&mut self) -> Result<Value> {
        let rest = &self.text[self.at..];
        let mut end = rest.find(|c| !word_char(c)).unwrap_or(rest.len());
        // As in `k-means++`: no sum has two signs in a row.
        end += if rest[end..].starts_with("++") { 2 } else { 0 };
        let word = &rest[..end];
        self.at += end;
        if self.take('(') {
            let params = if self.peek() == Some(')') { BTreeMap::new() } else { self.args()? };
            self.expect(')')?;
            return Ok(Value::Object(Object { kind: word.to_owned(), params }));
        }
        Ok(match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "none" | "None" | "null" => Value::Null,
            "inf" => Value::Real(f64::INFINITY),
            "nan" | "NaN" => Value::Real(f64::NAN),
            word => Value::Text(word.to_owned()),
        })
    }

    fn args(&mut self) -> Result<BTreeMap<String, Value>> {
        let mut args = BTreeMap::new();
        loop {
            let start = self.at;
            let first = self.value()?;
            let (name, value) = match first {
                Value::Text(name) if self.take('=') => (name, self.value()?),
                value => (args.len().to_string(), value),
            };
            if args.insert(name.clone(), value).is_some() {
                self.at = start;
                return Err(self.error(&format!("`{name}` is given twice")));
            }
            if !self.take(',') {
                return Ok(args);
            }
        }
    }
}

macro_rules! value_from {
    ($($from:ty => |$v:ident| $make:expr;)*) => {$(
        impl From<$from> for Value { fn from($v: $from) -> Self { $make } }
    )*};
}
value_from! {
    bool => |v| Value::Bool(v);
    i64 => |v| Value::Int(v);
    i32 => |v| Value::Int(v.into());
    usize => |v| Value::Int(i64::try_from(v).unwrap_or(i64::MAX));
    f64 => |v| Value::Real(v);
    &str => |v| Value::Text(v.to_owned());
    String => |v| Value::Text(v);
    Vec<Value> => |v| Value::List(v);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        match Value::parse(text) {
            Ok(value) => assert_eq!(value.to_string(), expect, "{text}"),
            Err(error) => assert!(error.to_string().contains(expect), "{text}: {error}"),
        }
    }

    #[test]
    fn grammar() {
        check("1", "1");
        check("-2.5e-3", "-0.0025");
        check("1e-9", "1e-9");
        check("[1, 2, 'a b']", "[1, 2, 'a b']");
        check("rbf(gamma=0.1)+white", "sum(rbf(gamma=0.1), white)");
        check("2*rbf(1)+linear", "sum(product(2, rbf(1)), linear)");
        check("k-means++", "'k-means++'");
        check("[k-means++, a+b]", "['k-means++', sum(a, b)]");
        check("a+++b", "sum('a++', b)");
        check("a++b", "unexpected text");
        check("a+ +b", "expected a value");
        check("'it\\'s'", "'it\\'s'");
        check("rbf(gamma=", "expected a value");
        check("f(a=1,a=2)", "given twice");
        check("1x", "no number");
        check("", "expected a value");
        check(&"[".repeat(10_000), "nested too deeply");
    }

    #[test]
    fn specs_and_json_round_trip() {
        let spec = Object::parse_spec("svc:C=10,kernel=rbf(gamma=0.1),shrink=inf").unwrap();
        assert_eq!(spec.kind, "svc");
        let value = Value::Object(spec);
        let back = Value::from_json(&value.to_json()).unwrap();
        assert_eq!(back.to_json(), value.to_json());
        assert_eq!(back.to_json()["params"]["shrink"], "inf");
        assert!(Object::parse_spec(":a=1").is_err());
    }
}
