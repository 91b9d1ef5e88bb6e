//! The catalogue: every learner by name. It makes learners from values and models from bytes.

use crate::contract::{Encoded, Learn, Learner, Model};
use crate::declaration::{Declaration, Preset, Task};
use crate::erased::Erased;
use crate::error::{Error, Result};
use crate::params::Params;
use crate::value::Object;
use std::sync::{OnceLock, PoisonError, RwLock};

/// Reads a model of some version from its bytes.
type Decode = fn(u32, &[u8]) -> Result<Box<dyn Model>>;

/// One learner of the catalogue. A family hands its own over by a function, `learners()`, so that what is generic of them
/// is compiled in the family alone.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its declaration.
    pub declaration: fn() -> &'static Declaration,
    make: fn(&Object) -> Result<Box<dyn Learner>>,
    decode: Decode,
}

impl Entry {
    /// The entry of a learner.
    pub const fn of<L: Learn>() -> Self {
        Self {
            declaration: <L as Params>::declaration,
            make: |object| Ok(Box::new(L::from_object(object)?)),
            decode: |version, bytes| Ok(Box::new(Erased::decode::<L>(version, bytes)?)),
        }
    }

    /// A learner with default parameters but for those given.
    pub fn make(&self, object: &Object) -> Result<Box<dyn Learner>> {
        (self.make)(object)
    }
}

fn registry() -> &'static RwLock<Vec<Entry>> {
    static REGISTRY: OnceLock<RwLock<Vec<Entry>>> = OnceLock::new();
    REGISTRY.get_or_init(RwLock::default)
}

/// Adds learners to the process's catalogue; those that it has are left alone.
pub fn register(entries: &[Entry]) {
    let mut all = registry().write().unwrap_or_else(PoisonError::into_inner);
    for entry in entries {
        if all.iter().all(|e| (e.declaration)().name != (entry.declaration)().name) {
            all.push(*entry);
        }
    }
}

/// All registered learners, in the order of registration.
pub fn entries() -> Vec<Entry> {
    registry().read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The entry that answers to `name`; the error suggests the closest.
pub fn find(name: &str) -> Result<Entry> {
    let all = entries();
    let found = all.iter().find(|e| (e.declaration)().answers_to(name)).copied();
    found.ok_or_else(|| {
        let names: Vec<&str> = all
            .iter()
            .flat_map(|e| {
                std::iter::once((e.declaration)().name).chain((e.declaration)().aliases.iter().copied())
            })
            .collect();
        Error::unknown("model", name, names)
    })
}

/// A learner from its name and parameters.
pub fn make(object: &Object) -> Result<Box<dyn Learner>> {
    find(&object.kind)?.make(object)
}

/// A learner from the text of `-m`: `ridge:alpha=0.1`.
pub fn make_spec(spec: &str) -> Result<Box<dyn Learner>> {
    make(&Object::parse_spec(spec)?)
}

/// The twin of a learner with the same parameters, which learns the other task; `None` where it has none.
pub fn make_twin(object: &Object) -> Result<Option<Box<dyn Learner>>> {
    let twin = (find(&object.kind)?.declaration)().twin;
    twin.map(|name| make(&Object { kind: name.to_owned(), params: object.params.clone() })).transpose()
}

/// The learners that `compare` tries for a task, as texts of `-m`: what they declare, or else what their twins do.
pub fn preset(preset: Preset, task: Task) -> Vec<String> {
    let learns = |d: &Declaration| d.task == task;
    let declares = |d: &Declaration| d.presets.iter().any(|(at, _)| *at == preset);
    let twin_learns = |d: &Declaration| {
        let twin = d.twin.and_then(|name| find(name).ok()).map(|twin| (twin.declaration)());
        twin.is_some_and(|twin| learns(twin) && !declares(twin))
    };
    let mut out = Vec::new();
    for d in entries().iter().map(|e| (e.declaration)()).filter(|d| learns(d) || twin_learns(d)) {
        for (_, setting) in d.presets.iter().filter(|(at, _)| *at == preset) {
            out.push(if setting.is_empty() {
                d.alias().to_owned()
            } else {
                format!("{}:{setting}", d.alias())
            });
        }
    }
    out
}

/// A model from its bytes.
pub fn decode(encoded: &Encoded) -> Result<Box<dyn Model>> {
    (find(&encoded.name)?.decode)(encoded.version, &encoded.bytes)
}
