//! What stands behind the name of an environment or a process: `frozen-lake:size=8,slippery=false`.

use mercer_core::{Error, Object, Result, Value};

/// Options that are taken one by one; what nobody took is refused in the end.
#[derive(Debug)]
pub(crate) struct Options {
    owner: String,
    left: Vec<(String, Value)>,
    known: Vec<&'static str>,
}

impl Options {
    /// Reads `name:key=value,…`.
    pub(crate) fn parse(spec: &str) -> Result<Self> {
        let Object { kind, params } = Object::parse_spec(spec)?;
        Ok(Self { owner: kind, left: params.into_iter().collect(), known: Vec::new() })
    }

    /// The name of the environment or process.
    pub(crate) fn name(&self) -> &str {
        &self.owner
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        let at = self.left.iter().position(|(key, _)| key == name)?;
        Some(self.left.swap_remove(at).1)
    }

    /// A truth.
    pub(crate) fn truth(&mut self, name: &'static str, default: bool) -> Result<bool> {
        match self.take(name) {
            None => Ok(default),
            Some(Value::Bool(value)) => Ok(value),
            Some(other) => Err(Error::param(&self.owner, name, "true or false", other)),
        }
    }

    /// A number in a range.
    pub(crate) fn number(&mut self, name: &'static str, default: f64, low: f64, high: f64) -> Result<f64> {
        let refused = |owner: &str, value| Error::param(owner, name, format!("in [{low}, {high}]"), value);
        match self.take(name) {
            None => Ok(default),
            Some(Value::Int(value)) if (low..=high).contains(&(value as f64)) => Ok(value as f64),
            Some(Value::Real(value)) if (low..=high).contains(&value) => Ok(value),
            Some(other) => Err(refused(&self.owner, other)),
        }
    }

    /// A whole number in a range.
    pub(crate) fn count(
        &mut self,
        name: &'static str,
        default: usize,
        low: usize,
        high: usize,
    ) -> Result<usize> {
        let fits = |value: &usize| (low..=high).contains(value);
        match self.take(name) {
            None => Ok(default),
            Some(Value::Int(value)) if usize::try_from(value).is_ok_and(|v| fits(&v)) => Ok(value as usize),
            Some(other) => {
                Err(Error::param(&self.owner, name, format!("an integer in [{low}, {high}]"), other))
            }
        }
    }

    /// A text.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<String>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Text(value)) => Ok(Some(value)),
            Some(other) => Err(Error::param(&self.owner, name, "text", other)),
        }
    }

    /// After how many steps episodes are cut off; 0 means never.
    pub(crate) fn step_limit(&mut self, default: usize) -> Result<Option<u64>> {
        let limit = self.count("step_limit", default, 0, 1 << 40)?;
        Ok((limit > 0).then_some(limit as u64))
    }

    /// Refuses what was not taken.
    pub(crate) fn done(self) -> Result<()> {
        match self.left.first() {
            None => Ok(()),
            Some((key, _)) => Err(Error::unknown("option", key, self.known)),
        }
    }
}
