//! Where a search looks: the parameters of a learner, each with its range and the condition under which it matters.

use mercer_core::catalogue;
use mercer_core::{Error, Learner, Object, ParamKind, Result, Search, Value, When};
use mercer_math::{Rng, below, uniform};

/// One parameter that is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// Its path: `C`, `impute__strategy`.
    pub path: String,
    /// Its range.
    pub search: Search,
    /// The condition under which it matters; the parameter named there comes earlier in the space.
    pub when: Option<When>,
}

/// The parameters that are searched; those that others depend on come first.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Space {
    /// The parameters.
    pub dimensions: Vec<Dimension>,
}

/// The values chosen for some parameters, in the order in which they are set.
pub type Setting = Vec<(String, Value)>;

impl Space {
    /// The space that a learner declares: every parameter with a search range, those of nested learners included.
    ///
    /// Conditions on a parameter that is not itself searched are settled by its present value.
    pub fn of(learner: &dyn Learner) -> Result<Space> {
        let mut found = Vec::new();
        declared(&learner.to_object(), "", 0, &mut found)?;
        Space { dimensions: found }.settled(learner)
    }

    /// Reads a space: `C=log(1e-3,1e3), max_depth=int(2,12), criterion=[gini,entropy],
    /// l1_ratio=linear(0,1,when='penalty=elasticnet')`. A list is a choice among its values.
    ///
    /// # Example
    /// ```
    /// use mercer_assess::Space;
    /// let space = Space::parse("alpha=log(0.01,100), fit_intercept=[true,false]")?;
    /// assert_eq!(space.grid(3).len(), 6);
    /// assert!(Space::parse("alpha=log(0,1)").is_err());
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Space> {
        let object = Object::parse_spec(&format!("space:{text}"))?;
        let dimensions =
            object.params.iter().map(|(path, value)| dimension(path, value)).collect::<Result<Vec<_>>>()?;
        if dimensions.is_empty() {
            return Err(Error::too_few("a search space", "parameters", 1, 0));
        }
        Ok(Space { dimensions })
    }

    /// The space for this learner: paths checked, conditions on parameters outside the space settled by their
    /// present values, parents before those that depend on them.
    pub fn settled(self, learner: &dyn Learner) -> Result<Space> {
        let (mut placed, mut left): (Vec<Dimension>, _) = (Vec::new(), self.dimensions);
        while !left.is_empty() {
            let searched: Vec<String> = left.iter().map(|d| d.path.clone()).collect();
            let waits = |d: &Dimension| d.when.as_ref().is_some_and(|w| searched.contains(&w.param));
            let (waiting, ready): (Vec<_>, Vec<_>) = left.into_iter().partition(waits);
            if ready.is_empty() {
                let path = &searched[0];
                return Err(Error::param(
                    "a search space",
                    path,
                    "under a condition that can hold",
                    "a circle",
                ));
            }
            for dimension in ready {
                match &dimension.when {
                    Some(when) if !placed.iter().any(|d| d.path == when.param) => {
                        let value = learner.get(&when.param)?;
                        if when.values.iter().any(|v| same(v, &value)) {
                            placed.push(Dimension { when: None, ..dimension });
                        }
                    }
                    _ => placed.push(dimension),
                }
            }
            left = waiting;
        }
        let space = Space { dimensions: placed };
        space.check(learner)?;
        Ok(space)
    }

    /// Every parameter must exist, and take the ends of its range.
    fn check(&self, learner: &dyn Learner) -> Result<()> {
        for dimension in self.dimensions.iter().filter(|d| d.when.is_none()) {
            let ends = match &dimension.search {
                Search::Among(values) => values.clone(),
                search => vec![at(search, 0.0), at(search, 1.0)],
            };
            for value in ends {
                learner.with(&dimension.path, &value)?.check()?;
            }
        }
        Ok(())
    }

    /// Every combination, with `points` values of each range (fewer where a range of whole numbers has fewer).
    pub fn grid(&self, points: usize) -> Vec<Setting> {
        let mut settings: Vec<Setting> = vec![Vec::new()];
        for dimension in &self.dimensions {
            let values = dimension.values(points.max(1));
            settings = settings
                .into_iter()
                .flat_map(|setting| match dimension.is_active(&setting) {
                    false => vec![setting],
                    true => values.iter().map(|v| extended(&setting, &dimension.path, v.clone())).collect(),
                })
                .collect();
        }
        settings
    }

    /// How many settings [`Space::grid`] gives, without making them; saturates.
    pub fn grid_size(&self, points: usize) -> usize {
        let all = self.dimensions.iter().map(|d| d.values(points.max(1)).len());
        all.fold(1usize, usize::saturating_mul)
    }

    /// A setting drawn evenly: on the logarithm for ranges that say so.
    pub fn sample(&self, rng: &mut Rng) -> Setting {
        self.fill(|dimension| match &dimension.search {
            Search::Among(values) => values[below(rng, values.len())].clone(),
            search => at(search, uniform(rng)),
        })
    }

    /// A setting from a rule for each parameter that matters.
    pub(crate) fn fill(&self, mut choose: impl FnMut(&Dimension) -> Value) -> Setting {
        let mut setting = Setting::new();
        for dimension in &self.dimensions {
            if dimension.is_active(&setting) {
                setting.push((dimension.path.clone(), choose(dimension)));
            }
        }
        setting
    }
}

impl Dimension {
    /// Whether the parameter matters given those chosen before it.
    pub fn is_active(&self, setting: &Setting) -> bool {
        self.when.as_ref().is_none_or(|when| {
            let chosen = setting.iter().find(|(path, _)| *path == when.param);
            chosen.is_some_and(|(_, value)| when.values.iter().any(|v| same(v, value)))
        })
    }

    fn values(&self, points: usize) -> Vec<Value> {
        match &self.search {
            Search::Among(values) => values.clone(),
            search => {
                let place = |i: usize| if points == 1 { 0.5 } else { i as f64 / (points - 1) as f64 };
                let mut values: Vec<Value> = (0..points).map(|i| at(search, place(i))).collect();
                values.dedup();
                values
            }
        }
    }
}

/// A learner with the parameters of a setting.
pub fn apply(learner: &dyn Learner, setting: &Setting) -> Result<Box<dyn Learner>> {
    let made =
        setting.iter().try_fold(learner.clone_box(), |learner, (path, value)| learner.with(path, value))?;
    made.check()?;
    Ok(made)
}

fn extended(setting: &Setting, path: &str, value: Value) -> Setting {
    setting.iter().cloned().chain([(path.to_owned(), value)]).collect()
}

/// Whether two values mean the same: a learner is known by its type alone, a word and a learner's name agree.
fn same(wanted: &Value, got: &Value) -> bool {
    match (wanted, got) {
        (Value::Text(name), Value::Object(o)) => {
            catalogue::find(&o.kind).is_ok_and(|e| (e.declaration)().answers_to(name))
        }
        (Value::Object(a), Value::Object(b)) => a.kind == b.kind,
        (Value::Int(a), Value::Real(b)) | (Value::Real(b), Value::Int(a)) => *a as f64 == *b,
        (a, b) => a == b,
    }
}

/// The value at `u` in [0, 1] of a range.
pub(crate) fn at(search: &Search, u: f64) -> Value {
    let u = u.clamp(0.0, 1.0);
    match search {
        Search::Log(a, b) if u == 0.0 || u == 1.0 => Value::Real(if u == 0.0 { *a } else { *b }),
        Search::Log(a, b) => Value::Real((a.ln() + u * (b.ln() - a.ln())).exp().clamp(*a, *b)),
        Search::Linear(a, b) => Value::Real((a + u * (b - a)).clamp(*a, *b)),
        Search::Integer(a, b) => {
            let width = (b - a) as f64 + 1.0;
            Value::Int((a + (u * width).floor() as i64).min(*b))
        }
        Search::Among(values) => values[((u * values.len() as f64) as usize).min(values.len() - 1)].clone(),
    }
}

/// Where a value lies in [0, 1] of its range; `None` for choices and values of another type.
pub(crate) fn place(search: &Search, value: &Value) -> Option<f64> {
    let number = match value {
        Value::Real(r) => *r,
        Value::Int(i) => *i as f64,
        _ => return None,
    };
    match search {
        Search::Log(a, b) => Some((number.ln() - a.ln()) / (b.ln() - a.ln())),
        Search::Linear(a, b) => Some((number - a) / (b - a)),
        Search::Integer(a, b) => Some((number - *a as f64 + 0.5) / ((b - a) as f64 + 1.0)),
        Search::Among(_) => None,
    }
}

/// The searched parameters of an object and of the learners inside it.
fn declared(object: &Object, prefix: &str, depth: usize, out: &mut Vec<Dimension>) -> Result<()> {
    if depth > 16 {
        return Err(Error::param("a search space", prefix, "at most 16 learners deep", depth));
    }
    let declaration = (catalogue::find(&object.kind)?.declaration)();
    for p in &declaration.params {
        if let Some((search, when)) = p.search.and_then(Search::parse) {
            let when = when.map(|w| When { param: format!("{prefix}{}", w.param), ..w });
            out.push(Dimension { path: format!("{prefix}{}", p.name), search, when });
        }
        let value = object.params.get(p.name).unwrap_or(&p.default);
        let kind = if let ParamKind::Optional(inner) = &p.kind { inner } else { &p.kind };
        match (kind, value) {
            (ParamKind::Learner, Value::Object(inner)) => {
                declared(inner, &format!("{prefix}{}__", p.name), depth + 1, out)?;
            }
            (ParamKind::Steps, Value::List(steps)) => {
                for step in steps {
                    if let Value::List(parts) = step
                        && let [Value::Text(name), Value::Object(inner), ..] = parts.as_slice()
                    {
                        declared(inner, &format!("{prefix}{name}__"), depth + 1, out)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn dimension(path: &str, value: &Value) -> Result<Dimension> {
    let wrong = || {
        let expected =
            "a list of values, or log(a,b), linear(a,b), int(a,b), among(…), each with when='name=value'";
        Error::param("a search space", path, expected, value)
    };
    let among = |values: Vec<Value>| if values.is_empty() { Err(wrong()) } else { Ok(Search::Among(values)) };
    let (search, when) = match value {
        Value::List(values) => (among(values.clone())?, None),
        Value::Object(Object { kind, params }) => {
            let when = match params.get("when") {
                Some(Value::Text(text)) => Some(When::parse(text).ok_or_else(wrong)?),
                Some(_) => return Err(wrong()),
                None => None,
            };
            let mut plain: Vec<(usize, Value)> = Vec::new();
            for (name, value) in params.iter().filter(|(name, _)| *name != "when") {
                plain.push((name.parse().map_err(|_| wrong())?, value.clone()));
            }
            plain.sort_by_key(|(place, _)| *place);
            let plain: Vec<Value> = plain.into_iter().map(|(_, v)| v).collect();
            let search = match kind.as_str() {
                "among" => among(plain)?,
                "log" | "linear" | "int" => {
                    let [a, b] = plain.as_slice() else { return Err(wrong()) };
                    Search::parse(&format!("{kind} {a}..{b}")).ok_or_else(wrong)?.0
                }
                // A learner with parameters is a value of its own.
                _ => Search::Among(vec![value.clone()]),
            };
            (search, when)
        }
        single => (Search::Among(vec![single.clone()]), None),
    };
    Ok(Dimension { path: path.to_owned(), search, when })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DummyClassifier;
    use mercer_math::rng_for;

    #[test]
    fn ranges_go_there_and_back() {
        for search in [Search::Log(1e-3, 1e3), Search::Linear(-2.0, 5.0), Search::Integer(2, 9)] {
            for u in [0.01, 0.3, 0.5, 0.99] {
                let value = at(&search, u);
                let back = place(&search, &value).unwrap();
                assert!(
                    (back - u).abs() <= if matches!(search, Search::Integer(..)) { 0.07 } else { 1e-12 },
                    "{search:?} {u}"
                );
                assert_eq!(at(&search, back), value);
            }
        }
        let whole = Dimension { path: "n".into(), search: Search::Integer(1, 3), when: None };
        assert_eq!(whole.values(7), [1, 2, 3].map(|v: i64| Value::Int(v)));
    }

    #[test]
    fn conditions_switch_parameters_off() {
        let parsed = Space::parse("a=[x,y], b=linear(0,1,when='a=x')").unwrap();
        let grid = parsed.grid(3);
        assert_eq!(grid.len(), 4, "{grid:?}");
        let mut rng = rng_for(1, 1);
        for _ in 0..50 {
            let setting = parsed.sample(&mut rng);
            assert_eq!(setting.len() == 2, setting[0].1 == Value::Text("x".into()));
        }
    }

    #[test]
    fn unknown_parameters_and_impossible_values_are_named() {
        catalogue::register(crate::learners());
        let learner = DummyClassifier::default();
        let error =
            |text: &str| Space::parse(text).and_then(|s| s.settled(&learner)).unwrap_err().to_string();
        assert!(error("strategi=[prior]").contains("strateg"), "{}", error("strategi=[prior]"));
        assert!(error("strategy=[nonsense]").contains("strategy"));
        assert!(error("strategy=log(0,1)").contains("log(a,b)"));
        assert!(error("x=linear(0,1,when='y=1'), y=linear(0,1,when='x=1')").contains("circle"));
    }
}
