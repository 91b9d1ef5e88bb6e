//! Serde for floats that JSON cannot hold: NaN and the infinities travel as `"nan"`, `"inf"` and `"-inf"`.
//!
//! Use it on a field as `#[serde(with = "mercer_plot::nonfinite_json")]`; the field may be an `f64` or vectors, pairs,
//! options and names built around one. Only for self-describing formats.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that may hold non-finite floats.
pub trait Nonfinite: Sized {
    /// Its form on the wire.
    type Wire: Serialize + DeserializeOwned;
    /// To the wire.
    fn to_wire(&self) -> Self::Wire;
    /// From the wire; text that is no known number becomes NaN.
    fn from_wire(wire: Self::Wire) -> Self;
}

/// A float on the wire: a JSON number, or the name of a value that is none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WireFloat {
    /// A finite number.
    Number(f64),
    /// `"nan"`, `"inf"` or `"-inf"`.
    Text(String),
}

impl Nonfinite for f64 {
    type Wire = WireFloat;

    fn to_wire(&self) -> WireFloat {
        match *self {
            v if v.is_finite() => WireFloat::Number(v),
            v if v.is_nan() => WireFloat::Text("nan".into()),
            v if v > 0.0 => WireFloat::Text("inf".into()),
            _ => WireFloat::Text("-inf".into()),
        }
    }

    fn from_wire(wire: WireFloat) -> f64 {
        match wire {
            WireFloat::Number(v) => v,
            WireFloat::Text(t) if t == "inf" => f64::INFINITY,
            WireFloat::Text(t) if t == "-inf" => f64::NEG_INFINITY,
            WireFloat::Text(_) => f64::NAN,
        }
    }
}

impl Nonfinite for String {
    type Wire = String;

    fn to_wire(&self) -> String {
        self.clone()
    }

    fn from_wire(wire: String) -> String {
        wire
    }
}

impl<T: Nonfinite> Nonfinite for Vec<T> {
    type Wire = Vec<T::Wire>;

    fn to_wire(&self) -> Self::Wire {
        self.iter().map(T::to_wire).collect()
    }

    fn from_wire(wire: Self::Wire) -> Self {
        wire.into_iter().map(T::from_wire).collect()
    }
}

impl<T: Nonfinite> Nonfinite for Option<T> {
    type Wire = Option<T::Wire>;

    fn to_wire(&self) -> Self::Wire {
        self.as_ref().map(T::to_wire)
    }

    fn from_wire(wire: Self::Wire) -> Self {
        wire.map(T::from_wire)
    }
}

impl<A: Nonfinite, B: Nonfinite> Nonfinite for (A, B) {
    type Wire = (A::Wire, B::Wire);

    fn to_wire(&self) -> Self::Wire {
        (self.0.to_wire(), self.1.to_wire())
    }

    fn from_wire(wire: Self::Wire) -> Self {
        (A::from_wire(wire.0), B::from_wire(wire.1))
    }
}

/// For `#[serde(with)]`.
pub fn serialize<T: Nonfinite, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.to_wire().serialize(serializer)
}

/// For `#[serde(with)]`.
pub fn deserialize<'de, T: Nonfinite, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::Wire::deserialize(deserializer).map(T::from_wire)
}
