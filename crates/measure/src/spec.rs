//! Reading `name(param=value, …)`, the grammar that metrics, losses, regularisers and splitters share.

use mercer_core::{Error, ErrorKind, Object, Result, Value, closest};
use std::collections::BTreeMap;

/// A name with parameters, taken out one by one.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    /// The name, lower case with underscores.
    pub(crate) kind: String,
    params: BTreeMap<String, Value>,
}

/// Lower case, with underscores for spaces and dashes.
pub(crate) fn plain(text: &str) -> String {
    text.trim().to_lowercase().replace([' ', '-'], "_")
}

impl Spec {
    /// Reads text; a bare word is a name without parameters.
    pub(crate) fn parse(what: &'static str, text: &str) -> Result<Self> {
        Self::of(what, &Value::parse(text)?)
    }

    /// The same from a value.
    pub(crate) fn of(what: &'static str, value: &Value) -> Result<Self> {
        match value {
            Value::Text(word) => Ok(Self { kind: plain(word), params: BTreeMap::new() }),
            Value::Object(Object { kind, params }) => Ok(Self { kind: plain(kind), params: params.clone() }),
            other => Err(Error::unknown(what, &other.to_string(), [])),
        }
    }

    /// Gives positional parameters their names and refuses names that are not among `names`.
    pub(crate) fn name_all(&mut self, names: &[&str]) -> Result<()> {
        let mut named = BTreeMap::new();
        for (key, value) in std::mem::take(&mut self.params) {
            let name = match key.parse::<usize>().ok() {
                Some(place) => names.get(place).copied(),
                None => names.iter().copied().find(|n| *n == key),
            };
            let Some(name) = name else {
                let (owner, suggestion) = (self.kind.clone(), closest(&key, names.iter().copied()));
                return Err(ErrorKind::UnknownParam { owner, name: key, suggestion }.into());
            };
            if named.insert(name.to_owned(), value).is_some() {
                return Err(Error::param(&self.kind, name, "given once", "two values"));
            }
        }
        self.params = named;
        Ok(())
    }

    fn wrong(&self, name: &str, expected: &str, got: &Value) -> Error {
        Error::param(&self.kind, name, expected, got)
    }

    /// A number for which `holds`; `default` where it is not given.
    pub(crate) fn real(
        &self,
        name: &str,
        default: f64,
        expected: &str,
        holds: impl Fn(f64) -> bool,
    ) -> Result<f64> {
        let number = match self.params.get(name) {
            None => return Ok(default),
            Some(Value::Int(i)) => *i as f64,
            Some(Value::Real(r)) => *r,
            Some(other) => return Err(self.wrong(name, expected, other)),
        };
        if holds(number) { Ok(number) } else { Err(Error::param(&self.kind, name, expected, number)) }
    }

    /// A whole number of at least `least`, or `None` where it is not given or `none`.
    pub(crate) fn count(&self, name: &str, least: usize) -> Result<Option<usize>> {
        let expected = || format!("a whole number of at least {least}");
        match self.params.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Int(i)) => match usize::try_from(*i).ok().filter(|i| *i >= least) {
                Some(count) => Ok(Some(count)),
                None => Err(Error::param(&self.kind, name, expected(), i)),
            },
            Some(other) => Err(self.wrong(name, &expected(), other)),
        }
    }

    /// A truth value.
    pub(crate) fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.params.get(name) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.wrong(name, "true or false", other)),
        }
    }

    /// The place of a word among `words`; 0 where it is not given.
    pub(crate) fn choice(&self, name: &str, words: &[&str]) -> Result<usize> {
        let expected = || format!("one of {}", words.join(", "));
        let word = match self.params.get(name) {
            None => return Ok(0),
            Some(Value::Null) => "none".to_owned(),
            Some(Value::Text(word)) => plain(word),
            Some(other) => return Err(self.wrong(name, &expected(), other)),
        };
        words.iter().position(|w| *w == word).ok_or_else(|| Error::param(&self.kind, name, expected(), word))
    }

    /// The number list under a name.
    pub(crate) fn counts(&self, name: &str) -> Result<Option<Vec<usize>>> {
        let expected = "a list of whole numbers";
        match self.params.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value @ Value::List(items)) => {
                let one = |item: &Value| match item {
                    Value::Int(i) => usize::try_from(*i).ok(),
                    _ => None,
                };
                let all: Option<Vec<usize>> = items.iter().map(one).collect();
                all.map(Some).ok_or_else(|| self.wrong(name, expected, value))
            }
            Some(other) => Err(self.wrong(name, expected, other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_names_are_read_and_the_rest_is_refused() {
        let mut spec = Spec::parse("loss", "Huber(1.35)").unwrap();
        spec.name_all(&["delta"]).unwrap();
        assert_eq!(
            (spec.kind.as_str(), spec.real("delta", 1.0, "above 0", |d| d > 0.0)),
            ("huber", Ok(1.35))
        );
        let wrong = |text: &str, expect: &str| {
            let error = Spec::parse("loss", text).and_then(|mut s| {
                s.name_all(&["delta", "k"])?;
                s.real("delta", 1.0, "above 0", |d| d > 0.0)?;
                s.count("k", 2).map(|_| ())
            });
            assert!(error.clone().unwrap_err().to_string().contains(expect), "{text}: {error:?}");
        };
        wrong("huber(delta=-1)", "above 0");
        wrong("huber(delta=nan)", "above 0");
        wrong("huber(delta=x)", "above 0");
        wrong("huber(dleta=1)", "`delta`");
        wrong("huber(1, 2, 3)", "no parameter `2`");
        wrong("huber(1, delta=2)", "given once");
        wrong("huber(k=1)", "at least 2");
        wrong("huber(", "cannot read");
        wrong("7", "no loss is called");
    }
}
