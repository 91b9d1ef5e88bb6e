//! Monotone and interaction constraints on columns, given by place or by name.

use crate::cart::criterion::NodeSummary;
use crate::limits::{Limits, MaxFeatures};
use mercer_core::{Error, ParamKind, ParamType, Result, Rows, Value};
use std::sync::Arc;

/// For some columns, whether the prediction must rise (1) or fall (-1) with them: `[1, 0, -1]` by place, or
/// `[[age, 1], [price, -1]]` by name.
#[derive(Clone, Debug, PartialEq)]
pub enum Monotonic {
    /// One sign a column.
    ByPlace(Vec<i64>),
    /// Signs of named columns.
    ByName(Vec<(String, i64)>),
}

impl ParamType for Monotonic {
    fn kind() -> ParamKind {
        ParamKind::List(Box::new(ParamKind::Integer))
    }

    fn to_value(&self) -> Value {
        match self {
            Monotonic::ByPlace(signs) => signs.to_value(),
            Monotonic::ByName(pairs) => {
                let pair = |(name, sign): &(String, i64)| Value::List(vec![name.to_value(), sign.to_value()]);
                Value::List(pairs.iter().map(pair).collect())
            }
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        let sign = |v: &Value| i64::from_value(v).ok().filter(|s| (-1..=1).contains(s));
        let pair = |v: &Value| match v {
            Value::List(pair) => match pair.as_slice() {
                [name, s] => Some((String::from_value(name).ok()?, sign(s)?)),
                _ => None,
            },
            _ => None,
        };
        let found = match value {
            Value::List(items) if items.iter().all(|v| sign(v).is_some()) => {
                Some(Monotonic::ByPlace(items.iter().filter_map(sign).collect()))
            }
            Value::List(items) => items.iter().map(pair).collect::<Option<_>>().map(Monotonic::ByName),
            Value::Map(pairs) => {
                let named = pairs.iter().map(|(name, s)| Some((String::from_value(name).ok()?, sign(s)?)));
                named.collect::<Option<_>>().map(Monotonic::ByName)
            }
            Value::Object(o) => {
                let named = o.params.iter().map(|(name, s)| Some((name.clone(), sign(s)?)));
                named.collect::<Option<_>>().map(Monotonic::ByName)
            }
            _ => None,
        };
        found.ok_or_else(|| "signs -1, 0 or 1, one for each column, or pairs of a name and a sign".to_owned())
    }
}

impl Monotonic {
    /// The sign of each column.
    pub(crate) fn resolve(&self, owner: &str, rows: &Rows<'_>) -> Result<Vec<i8>> {
        let d = rows.n_features();
        match self {
            Monotonic::ByPlace(signs) if signs.len() == d => Ok(signs.iter().map(|&s| s as i8).collect()),
            Monotonic::ByPlace(signs) => Err(Error::shape("signs of monotonic_cst", d, signs.len())),
            Monotonic::ByName(pairs) => {
                let mut out = vec![0i8; d];
                for (name, sign) in pairs {
                    out[place(owner, "monotonic_cst", rows, name)?] = *sign as i8;
                }
                Ok(out)
            }
        }
    }
}

/// The least and the greatest value that the monotone splits above leave to a node of an exact tree.
pub(crate) type Bounds = (f64, f64);

/// Monotone constraints of an exact tree: the signs of all columns.
///
/// A split by a column with a sign is allowed where both values lie in the bounds of the node, and in the order of the
/// sign; the middle of both then bounds everything below. Values that other splits bring beyond their bounds are moved
/// to them.
#[derive(Clone, Debug)]
pub(crate) struct Monotone {
    pub(crate) signs: Arc<[i8]>,
    /// Which number of a node's value is meant: the mean, or the share of the second class.
    pub(crate) place: usize,
}

impl Monotone {
    pub(crate) fn sign(&self, feature: u32) -> i8 {
        self.signs.get(feature as usize).copied().unwrap_or(0)
    }

    /// Whether both sides of a split by a column of this sign may have these values.
    pub(crate) fn allows(sign: i8, (least, most): Bounds, (left, right): (f64, f64)) -> bool {
        let inside = |v: f64| v >= least && v <= most;
        sign == 0 || (inside(left) && inside(right) && (left - right) * f64::from(sign) <= 0.0)
    }

    /// Moves the value of a node to its bounds; shares of two classes still sum to 1.
    pub(crate) fn clip(&self, node: &mut NodeSummary, (least, most): Bounds) {
        let value = &mut node.value;
        value[self.place] = value[self.place].max(least).min(most);
        if self.place == 1 {
            value[0] = 1.0 - value[1];
        }
    }

    /// The bounds of both children of a split.
    pub(crate) fn bounds(
        &self,
        feature: u32,
        (least, most): Bounds,
        sides: [&NodeSummary; 2],
    ) -> [Bounds; 2] {
        let [left, right] = sides.map(|side| side.value[self.place]);
        let middle = f64::midpoint(left, right);
        match self.sign(feature) {
            0 => [(least, most); 2],
            1 => [(least, middle), (middle, most)],
            _ => [(middle, most), (least, middle)],
        }
    }
}

/// Which columns may meet on a way from the root to a leaf.
#[derive(Clone, Debug, PartialEq)]
pub enum Interactions {
    /// Any two.
    Pairwise,
    /// None with another.
    NoInteractions,
    /// Those of a set; columns of no set form one more.
    Sets(Vec<Vec<Member>>),
}

/// A column of a set.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// By its place, whatever columns are called.
    Place(usize),
    /// By its name; a number where no column has that name is a place.
    Name(String),
}

impl From<&str> for Member {
    fn from(name: &str) -> Self {
        Member::Name(name.to_owned())
    }
}

impl ParamType for Member {
    fn kind() -> ParamKind {
        ParamKind::Text
    }

    fn to_value(&self) -> Value {
        match self {
            Member::Place(place) => place.to_value(),
            Member::Name(name) => name.to_value(),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Int(_) => usize::from_value(value).map(Member::Place),
            other => String::from_value(other).map(Member::Name),
        }
    }
}

impl ParamType for Interactions {
    fn kind() -> ParamKind {
        ParamKind::Choice { words: &["pairwise", "no_interactions"], number: false }
    }

    fn to_value(&self) -> Value {
        match self {
            Interactions::Pairwise => Value::Text("pairwise".to_owned()),
            Interactions::NoInteractions => Value::Text("no_interactions".to_owned()),
            Interactions::Sets(sets) => sets.to_value(),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(word) if word == "pairwise" => Ok(Interactions::Pairwise),
            Value::Text(word) if word == "no_interactions" => Ok(Interactions::NoInteractions),
            list => Vec::from_value(list)
                .map(Interactions::Sets)
                .map_err(|_| "one of pairwise, no_interactions, or lists of columns".to_owned()),
        }
    }
}

/// Each two of more columns would take too much room.
const MOST_PAIRED: u32 = 2048;

impl Interactions {
    /// The sets of columns that may meet.
    pub(crate) fn resolve(&self, owner: &str, rows: &Rows<'_>) -> Result<Vec<Vec<u32>>> {
        let d = rows.n_features() as u32;
        match self {
            Interactions::Pairwise if d <= 1 => Ok(Vec::new()),
            Interactions::Pairwise if d > MOST_PAIRED => {
                let expected = format!("sets of columns where there are more than {MOST_PAIRED}");
                Err(Error::param(owner, "interaction_cst", expected, "pairwise"))
            }
            Interactions::Pairwise => Ok((0..d).flat_map(|a| (a + 1..d).map(move |b| vec![a, b])).collect()),
            Interactions::NoInteractions => Ok((0..d).map(|j| vec![j]).collect()),
            Interactions::Sets(sets) => {
                let one = |member: &Member| match member {
                    Member::Place(j) if (*j as u64) < u64::from(d) => Ok(*j as u32),
                    Member::Place(j) => {
                        Err(Error::param(owner, "interaction_cst", "made of columns of the data", *j))
                    }
                    Member::Name(name) => place(owner, "interaction_cst", rows, name).map(|j| j as u32),
                };
                if sets.iter().any(Vec::is_empty) {
                    return Err(Error::param(
                        owner,
                        "interaction_cst",
                        "made of sets of at least one column",
                        "[]",
                    ));
                }
                let mut sets = sets
                    .iter()
                    .map(|set| set.iter().map(one).collect::<Result<Vec<u32>>>())
                    .collect::<Result<Vec<_>>>()?;
                let rest: Vec<u32> = (0..d).filter(|j| sets.iter().all(|s| !s.contains(j))).collect();
                if !rest.is_empty() {
                    sets.push(rest);
                }
                Ok(sets)
            }
        }
    }
}

/// Interaction constraints: the sets of columns that may meet on a way through a tree, where not all may.
#[derive(Debug)]
pub(crate) struct InteractionConstraints {
    sets: Vec<Vec<u32>>,
    /// The sets of each column, rising.
    of: Vec<Vec<u32>>,
    max_features: Option<MaxFeatures>,
}

/// The columns that the splits above leave to a node.
#[derive(Debug)]
pub(crate) struct Allowed {
    /// The sets that hold all columns met so far, rising.
    sets: Vec<u32>,
    /// Whether one of them holds a column.
    has: Vec<bool>,
    /// How many columns they hold.
    pub(crate) count: usize,
    /// So many of these are looked at for a split.
    pub(crate) wanted: usize,
}

impl InteractionConstraints {
    /// What `interaction_cst` leaves; a split looks at `max_features` of the columns allowed.
    pub(crate) fn new(
        owner: &str,
        given: Option<&Interactions>,
        rows: &Rows<'_>,
        max_features: Option<MaxFeatures>,
    ) -> Result<Option<Arc<Self>>> {
        let Some(given) = given else { return Ok(None) };
        let (d, mut sets) = (rows.n_features(), given.resolve(owner, rows)?);
        let mut of = vec![Vec::new(); d];
        for (s, set) in sets.iter_mut().enumerate() {
            set.sort_unstable();
            set.dedup();
            set.iter().for_each(|&j| of[j as usize].push(s as u32));
        }
        let free = sets.is_empty() || sets.iter().any(|set| set.len() == d);
        Ok((!free).then(|| Arc::new(Self { sets, of, max_features })))
    }

    /// The columns of a root.
    pub(crate) fn root(&self) -> Arc<Allowed> {
        self.allowed((0..self.sets.len() as u32).collect())
    }

    fn allowed(&self, sets: Vec<u32>) -> Arc<Allowed> {
        let mut has = vec![false; self.of.len()];
        sets.iter().flat_map(|&s| &self.sets[s as usize]).for_each(|&j| has[j as usize] = true);
        let count = has.iter().filter(|has| **has).count();
        let wanted = self.max_features.map_or(count, |m| m.of(count));
        Arc::new(Allowed { sets, has, count, wanted })
    }

    /// The columns of the children of a node that is split by `feature`.
    fn after(&self, node: &Arc<Allowed>, feature: u32) -> Arc<Allowed> {
        let of = &self.of[feature as usize];
        let sets: Vec<u32> = of.iter().copied().filter(|s| node.sets.binary_search(s).is_ok()).collect();
        if sets.len() == node.sets.len() { node.clone() } else { self.allowed(sets) }
    }
}

impl Allowed {
    #[inline]
    pub(crate) fn has(&self, feature: u32) -> bool {
        self.has[feature as usize]
    }
}

impl Limits {
    /// The columns of the children of a node that is split by `feature`, where not all columns may meet.
    pub(crate) fn allowed_after(&self, node: &Option<Arc<Allowed>>, feature: u32) -> Option<Arc<Allowed>> {
        let (interactions, node) = self.interactions.as_ref().zip(node.as_ref())?;
        Some(interactions.after(node, feature))
    }
}

/// The place of a column given by name, or by number where no column has that name.
fn place(owner: &str, param: &str, rows: &Rows<'_>, name: &str) -> Result<usize> {
    let d = rows.n_features();
    let by_name = (0..d).find(|&j| rows.name(j) == *name);
    let place = by_name.or_else(|| name.parse().ok().filter(|&j: &usize| j < d));
    place.ok_or_else(|| Error::param(owner, param, "made of columns of the data", name))
}
