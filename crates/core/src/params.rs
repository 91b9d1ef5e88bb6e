//! Hyper-parameters, declared once: what `#[derive(Params)]` fills in, and everything made of it.

use crate::declaration::{Declaration, ParamDeclaration, ParamKind, Range};
use crate::error::{Error, ErrorKind, Result, closest};
use crate::value::{Object, Value};

/// A struct of hyper-parameters, implemented by `#[derive(Params)]`.
pub trait Params: Clone + Default + Send + Sync + std::fmt::Debug + 'static {
    /// The learner's name.
    const NAME: &'static str;

    /// The declaration, built once.
    fn declaration() -> &'static Declaration;

    /// The fields, in the order of the struct.
    fn fields() -> &'static [Field<Self>];

    /// Reads a parameter by path: `alpha`, `forest__max_depth`.
    fn value(&self, path: &str) -> Result<Value> {
        let (field, rest) = find::<Self>(path)?;
        match rest {
            None => Ok((field.get)(self)),
            Some(rest) => (field.child)(self, rest).unwrap_or_else(|| Err(unknown::<Self>(path))),
        }
    }

    /// Sets a parameter by path. Ranges are checked at `fit`, types here.
    fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        let (field, rest) = find::<Self>(path)?;
        match rest {
            None => (field.set)(self, value)
                .map_err(|expected| Error::param(Self::NAME, field.name, expected, value)),
            Some(rest) => (field.set_child)(self, rest, value).unwrap_or_else(|| Err(unknown::<Self>(path))),
        }
    }

    /// Checks every parameter against its range, in positive form: NaN is in no range.
    fn check_params(&self) -> Result<()> {
        for field in Self::fields() {
            let Some(range) = &field.range else { continue };
            let mut bad = None;
            (field.numbers)(self, &mut |v| bad = bad.or((!range.holds(v)).then_some(v)));
            if let Some(bad) = bad {
                let expected = format!("in {}", range.text);
                return Err(Error::param(Self::NAME, field.name, expected, bad));
            }
        }
        Ok(())
    }

    /// All parameters as one object.
    fn to_object(&self) -> Object {
        let params = Self::fields().iter().map(|f| (f.name.to_owned(), (f.get)(self))).collect();
        Object { kind: Self::NAME.to_owned(), params }
    }

    /// Default parameters with those of `object` set. A single positional argument sets the first field.
    fn from_object(object: &Object) -> Result<Self> {
        let mut params = Self::default();
        for (name, value) in &object.params {
            let name = match name.parse::<usize>() {
                Ok(i) => Self::fields().get(i).map_or(name.as_str(), |f| f.name),
                Err(_) => name,
            };
            params.set(name, value)?;
        }
        Ok(params)
    }

    /// The declarations of the parameters.
    fn declare_params() -> Vec<ParamDeclaration> {
        let default = Self::default();
        Self::fields().iter().map(|f| f.declare(&default)).collect()
    }
}

fn find<P: Params>(path: &str) -> Result<(&'static Field<P>, Option<&str>)> {
    let (name, rest) = path.split_once("__").map_or((path, None), |(name, rest)| (name, Some(rest)));
    let exact = P::fields().iter().find(|f| f.name == path);
    if let Some(field) = exact {
        return Ok((field, None));
    }
    if let (Some(field), Some(rest)) = (P::fields().iter().find(|f| f.name == name), rest) {
        return Ok((field, Some(rest)));
    }
    // Children of a list of named steps are addressed without the list's own name: `scale__with_mean`.
    P::fields().iter().find(|f| f.transparent).map(|f| (f, Some(path))).ok_or_else(|| unknown::<P>(path))
}

fn unknown<P: Params>(path: &str) -> Error {
    let suggestion = closest(path, P::fields().iter().map(|f| f.name));
    ErrorKind::UnknownParam { owner: P::NAME.to_owned(), name: path.to_owned(), suggestion }.into()
}

/// One field of a [`Params`] struct: written by the derive, read by everything else.
#[derive(Debug)]
pub struct Field<P: 'static> {
    /// The public name.
    pub name: &'static str,
    /// The doc comment.
    pub doc: &'static str,
    /// Its type.
    pub kind: fn() -> ParamKind,
    /// The valid range of its numbers.
    pub range: Option<Range>,
    /// The search range, in the grammar of [`crate::Search::parse`].
    pub search: Option<&'static str>,
    /// Whether its children are addressed without its own name.
    pub transparent: bool,
    /// Reads it.
    pub get: fn(&P) -> Value,
    /// Sets it; the error says what is expected.
    pub set: fn(&mut P, &Value) -> Result<(), String>,
    /// Visits the numbers that the range constrains.
    pub numbers: fn(&P, &mut dyn FnMut(f64)),
    /// Reads a child parameter.
    pub child: fn(&P, &str) -> Option<Result<Value>>,
    /// Sets a child parameter.
    pub set_child: fn(&mut P, &str, &Value) -> Option<Result<()>>,
}

impl<P: Params> Field<P> {
    fn declare(&self, default: &P) -> ParamDeclaration {
        ParamDeclaration {
            name: self.name,
            doc: self.doc.trim(),
            kind: (self.kind)(),
            default: (self.get)(default),
            range: self.range.clone(),
            search: self.search,
        }
    }
}

/// A type that a hyper-parameter may have.
pub trait ParamType: Clone + Send + Sync + 'static {
    /// What it looks like from outside.
    fn kind() -> ParamKind;
    /// The value as a tree.
    fn to_value(&self) -> Value;
    /// Reads a tree; the error says what is expected, as in "a number".
    fn from_value(value: &Value) -> Result<Self, String>;
    /// Visits the numbers that a range constrains.
    fn numbers(&self, _visit: &mut dyn FnMut(f64)) {}
    /// Reads a parameter of a nested learner.
    fn child(&self, _path: &str) -> Option<Result<Value>> {
        None
    }
    /// Sets a parameter of a nested learner.
    fn set_child(&mut self, _path: &str, _value: &Value) -> Option<Result<()>> {
        None
    }
}

impl ParamType for f64 {
    fn kind() -> ParamKind {
        ParamKind::Real
    }
    fn to_value(&self) -> Value {
        Value::Real(*self)
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Real(r) => Ok(*r),
            Value::Int(i) => Ok(*i as f64),
            Value::Text(s) if matches!(s.as_str(), "inf" | "-inf" | "nan" | "NaN") => {
                s.parse().map_err(|_| "a number".to_owned())
            }
            _ => Err("a number".to_owned()),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        visit(*self);
    }
}

macro_rules! integer_param {
    ($($t:ty => $what:literal),*) => {$(
        impl ParamType for $t {
            fn kind() -> ParamKind {
                ParamKind::Integer
            }
            fn to_value(&self) -> Value {
                i64::try_from(*self).map_or(Value::Real(*self as f64), Value::Int)
            }
            fn from_value(value: &Value) -> Result<Self, String> {
                let whole = match value {
                    Value::Int(i) => Some(i128::from(*i)),
                    Value::Real(r) if r.fract() == 0.0 && r.abs() < 1e18 => Some(*r as i128),
                    _ => None,
                };
                whole.and_then(|i| <$t>::try_from(i).ok()).ok_or_else(|| $what.to_owned())
            }
            fn numbers(&self, visit: &mut dyn FnMut(f64)) {
                visit(*self as f64);
            }
        }
    )*};
}
integer_param!(usize => "a whole number, at least 0", u64 => "a whole number, at least 0", i64 => "a whole number");

impl ParamType for bool {
    fn kind() -> ParamKind {
        ParamKind::Bool
    }
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(b) => Ok(*b),
            _ => Err("true or false".to_owned()),
        }
    }
}

impl ParamType for String {
    fn kind() -> ParamKind {
        ParamKind::Text
    }
    fn to_value(&self) -> Value {
        Value::Text(self.clone())
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(s) => Ok(s.clone()),
            Value::Int(i) => Ok(i.to_string()),
            _ => Err("a text".to_owned()),
        }
    }
}

impl<T: ParamType> ParamType for Option<T> {
    fn kind() -> ParamKind {
        ParamKind::Optional(Box::new(T::kind()))
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Null => Ok(None),
            value => T::from_value(value).map(Some).map_err(|e| format!("{e}, or none")),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        self.iter().for_each(|v| v.numbers(visit));
    }
    fn child(&self, path: &str) -> Option<Result<Value>> {
        self.as_ref()?.child(path)
    }
    fn set_child(&mut self, path: &str, value: &Value) -> Option<Result<()>> {
        self.as_mut()?.set_child(path, value)
    }
}

impl<T: ParamType> ParamType for Vec<T> {
    fn kind() -> ParamKind {
        ParamKind::List(Box::new(T::kind()))
    }
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(T::to_value).collect())
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(items) => items.iter().map(T::from_value).collect(),
            _ => Err(format!("a list, each {}", T::kind())),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        self.iter().for_each(|v| v.numbers(visit));
    }
}
