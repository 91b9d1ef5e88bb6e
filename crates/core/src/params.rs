//! Hyper-parameters, declared once: what `#[derive(Params)]` fills in, and everything made of it.
//!
//! Everything here but the thin methods of [`Params`] is compiled once, not once for each learner: a struct hands
//! out pointers to its parameters ([`ParamGroup::gather`]), and a [`ParamTable`] knows their names, ranges and order.

use crate::declaration::{Declaration, ParamDeclaration, ParamKind, Range};
use crate::error::{Error, ErrorKind, Result, closest};
use crate::value::{Object, Value};

/// A struct of hyper-parameters, implemented by `#[derive(Params)]`.
pub trait Params: ParamGroup + Clone + Default + Send + Sync + std::fmt::Debug {
    /// The learner's name.
    const NAME: &'static str;

    /// The declaration, built once.
    fn declaration() -> &'static Declaration;

    /// The parameters with their places, built once.
    fn table() -> &'static ParamTable;

    /// Reads a parameter by path: `alpha`, `forest__max_depth`.
    fn value(&self, path: &str) -> Result<Value> {
        Self::table().value(self, path)
    }

    /// Sets a parameter by path. Ranges are checked at `fit`, types here.
    fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        Self::table().set(self, path, value)
    }

    /// Checks every parameter against its range, in positive form: NaN is in no range.
    fn check_params(&self) -> Result<()> {
        Self::table().check(self)
    }

    /// All parameters as one object.
    fn to_object(&self) -> Object {
        Self::table().to_object(self)
    }

    /// Default parameters with those of `object` set. A single positional argument sets the first field.
    fn from_object(object: &Object) -> Result<Self> {
        let mut params = Self::default();
        Self::table().fill(&mut params, object)?;
        Ok(params)
    }
}

/// Parameters that stand in a struct: those of a learner, or a group that several learners flatten into theirs
/// (`#[derive(ParamGroup)]`). A flattened group is seen nowhere from outside: its parameters stand in the flat list.
pub trait ParamGroup: 'static {
    /// Adds what is declared of each parameter, in the order of the struct.
    fn declare(fields: &mut Vec<Field>)
    where
        Self: Sized;
    /// Adds the parameters, in the same order.
    fn gather<'a>(&'a self, params: &mut Vec<&'a dyn AnyParam>);
    /// Adds the parameters, to be set, in the same order.
    fn gather_mut<'a>(&'a mut self, params: &mut Vec<&'a mut dyn AnyParam>);
}

/// What is declared of one parameter: written by the derive, read by everything else.
#[derive(Clone, Debug)]
pub struct Field {
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
}

impl Field {
    /// The field called `name`, which the place that flattens its group declares otherwise.
    ///
    /// # Panics
    /// Where there is none: the declaration is wrong, whatever the data.
    pub fn named<'a>(fields: &'a mut [Field], name: &str) -> &'a mut Field {
        let found = fields.iter_mut().rfind(|f| f.name == name);
        found.unwrap_or_else(|| panic!("`{name}` is no parameter of the flattened group"))
    }
}

/// The parameters of a learner in the order that the doors show, each with its place among those gathered.
#[derive(Debug)]
pub struct ParamTable {
    owner: &'static str,
    fields: Vec<(usize, Field)>,
}

impl ParamTable {
    /// The table of `owner`. `order` holds runs of names, parted by commas: all but the first of a run move to right
    /// behind the first.
    ///
    /// # Panics
    /// Where `order` names no parameter: the declaration is wrong, whatever the data.
    pub fn new(owner: &'static str, order: &str, declare: fn(&mut Vec<Field>)) -> Self {
        let mut declared = Vec::new();
        declare(&mut declared);
        let mut fields: Vec<(usize, Field)> = declared.into_iter().enumerate().collect();
        for run in order.split(',') {
            let mut names = run.split_whitespace();
            let mut last = names.next();
            for name in names {
                let place = |fields: &[(usize, Field)], name| {
                    let found = fields.iter().position(|(_, f)| Some(f.name) == name);
                    found.unwrap_or_else(|| panic!("the order of {owner} names {name:?}, no parameter"))
                };
                let moved = fields.remove(place(&fields, Some(name)));
                fields.insert(place(&fields, last) + 1, moved);
                last = Some(name);
            }
        }
        ParamTable { owner, fields }
    }

    /// The declarations of the parameters, with the values of `default` as defaults.
    pub fn declare(&self, default: &dyn ParamGroup) -> Vec<ParamDeclaration> {
        let values = gathered(default);
        let declare = |(place, f): &(usize, Field)| ParamDeclaration {
            name: f.name,
            doc: f.doc.trim(),
            kind: (f.kind)(),
            default: values[*place].get(),
            range: f.range.clone(),
            search: f.search,
        };
        self.fields.iter().map(declare).collect()
    }

    fn value(&self, params: &dyn ParamGroup, path: &str) -> Result<Value> {
        let (place, _, rest) = self.find(path)?;
        let param = gathered(params)[place];
        match rest {
            None => Ok(param.get()),
            Some(rest) => param.get_child(rest).unwrap_or_else(|| Err(self.unknown(path))),
        }
    }

    fn set(&self, params: &mut dyn ParamGroup, path: &str, value: &Value) -> Result<()> {
        let (place, field, rest) = self.find(path)?;
        let mut gathered = Vec::new();
        params.gather_mut(&mut gathered);
        match rest {
            None => gathered[place]
                .put(value)
                .map_err(|expected| Error::param(self.owner, field.name, expected, value)),
            Some(rest) => gathered[place].put_child(rest, value).unwrap_or_else(|| Err(self.unknown(path))),
        }
    }

    fn check(&self, params: &dyn ParamGroup) -> Result<()> {
        let params = gathered(params);
        for (place, field) in &self.fields {
            let Some(range) = &field.range else { continue };
            let mut bad = None;
            params[*place].visit_numbers(&mut |v| bad = bad.or((!range.holds(v)).then_some(v)));
            if let Some(bad) = bad {
                let expected = format!("in {}", range.text);
                return Err(Error::param(self.owner, field.name, expected, bad));
            }
        }
        Ok(())
    }

    fn to_object(&self, params: &dyn ParamGroup) -> Object {
        let values = gathered(params);
        let params = self.fields.iter().map(|(place, f)| (f.name.to_owned(), values[*place].get())).collect();
        Object { kind: self.owner.to_owned(), params }
    }

    fn fill(&self, params: &mut dyn ParamGroup, object: &Object) -> Result<()> {
        for (name, value) in &object.params {
            let name = match name.parse::<usize>() {
                Ok(i) => self.fields.get(i).map_or(name.as_str(), |(_, f)| f.name),
                Err(_) => name,
            };
            self.set(params, name, value)?;
        }
        Ok(())
    }

    /// The place and the declaration of the parameter at `path`, and the rest of the path.
    fn find<'a>(&self, path: &'a str) -> Result<(usize, &Field, Option<&'a str>)> {
        let named = |name: &str| self.fields.iter().find(|(_, f)| f.name == name);
        if let Some((place, field)) = named(path) {
            return Ok((*place, field, None));
        }
        if let Some((name, rest)) = path.split_once("__")
            && let Some((place, field)) = named(name)
        {
            return Ok((*place, field, Some(rest)));
        }
        // Children of a list of named steps are addressed without the list's own name: `scale__with_mean`.
        let transparent = self.fields.iter().find(|(_, f)| f.transparent);
        transparent.map(|(place, f)| (*place, f, Some(path))).ok_or_else(|| self.unknown(path))
    }

    fn unknown(&self, path: &str) -> Error {
        let suggestion = closest(path, self.fields.iter().map(|(_, f)| f.name));
        ErrorKind::UnknownParam { owner: self.owner.to_owned(), name: path.to_owned(), suggestion }.into()
    }
}

fn gathered(params: &dyn ParamGroup) -> Vec<&dyn AnyParam> {
    let mut gathered = Vec::new();
    params.gather(&mut gathered);
    gathered
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

/// A hyper-parameter of any type: [`ParamType`] behind a pointer.
pub trait AnyParam {
    /// [`ParamType::to_value`].
    fn get(&self) -> Value;
    /// [`ParamType::from_value`], put in its place.
    fn put(&mut self, value: &Value) -> Result<(), String>;
    /// [`ParamType::numbers`].
    fn visit_numbers(&self, visit: &mut dyn FnMut(f64));
    /// [`ParamType::child`].
    fn get_child(&self, path: &str) -> Option<Result<Value>>;
    /// [`ParamType::set_child`].
    fn put_child(&mut self, path: &str, value: &Value) -> Option<Result<()>>;
}

impl<T: ParamType> AnyParam for T {
    fn get(&self) -> Value {
        self.to_value()
    }
    fn put(&mut self, value: &Value) -> Result<(), String> {
        *self = T::from_value(value)?;
        Ok(())
    }
    fn visit_numbers(&self, visit: &mut dyn FnMut(f64)) {
        self.numbers(visit);
    }
    fn get_child(&self, path: &str) -> Option<Result<Value>> {
        self.child(path)
    }
    fn put_child(&mut self, path: &str, value: &Value) -> Option<Result<()>> {
        self.set_child(path, value)
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
