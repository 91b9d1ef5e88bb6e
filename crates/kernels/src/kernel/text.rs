//! Kernels as text: `2*rbf(length_scale=3)+white(0.1)`, and back.

use super::hyper::USUAL_BOUNDS;
use super::{Hyper, Kernel, Named};
use crate::structures::Structure;
use mercer_core::{Object, Value, closest};
use mercer_math::Mat;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

/// What a kernel has where its text is silent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defaults {
    /// γ; `None` means a length scale of 1 for distances, and 1 for all others.
    pub(super) gamma: Option<f64>,
    pub(super) degree: f64,
    pub(super) coef0: f64,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { gamma: None, degree: 3.0, coef0: 1.0 }
    }
}

/// The names of kernels, for suggestions and documents.
pub(super) const NAMES: &[&str] = &[
    "linear",
    "polynomial",
    "poly",
    "rbf",
    "sigmoid",
    "laplacian",
    "cosine",
    "chi2",
    "additive_chi2",
    "precomputed",
    "matern",
    "rational_quadratic",
    "periodic",
    "dot_product",
    "constant",
    "white",
    "bilinear",
    "spectrum",
    "mismatch",
    "subsequence",
    "ga",
    "dtw",
    "weisfeiler_lehman",
    "shortest_path",
    "random_walk",
    "subtree",
    "sum",
    "product",
    "power",
    "exp",
    "polynomial_of",
    "normalised",
    "scaled_by",
    "on",
    "columns",
];

impl Kernel {
    /// Reads a kernel from a value; the error says what is expected.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        Self::read(value, Defaults::default())
    }

    /// Reads a kernel in the text grammar.
    ///
    /// ```
    /// use mercer_kernels::Kernel;
    /// let kernel = Kernel::parse("2*rbf(gamma=0.5)+white(0.1)").unwrap();
    /// assert_eq!(kernel.theta_names(), ["constant_value", "length_scale", "noise_level"]);
    /// assert!(Kernel::parse("rbs(gamma=0.5)").unwrap_err().contains("rbf"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::from_value(&Value::parse(text).map_err(|e| e.to_string())?)
    }

    pub(super) fn read(value: &Value, defaults: Defaults) -> Result<Self, String> {
        match value {
            Value::Text(word) => {
                Self::read_object(&Object { kind: word.clone(), ..Object::default() }, defaults)
            }
            Value::Object(object) => Self::read_object(object, defaults),
            Value::Int(c) => Ok(Kernel::constant(*c as f64)),
            Value::Real(c) => Ok(Kernel::constant(*c)),
            _ => Err("a kernel, such as rbf, matern(nu=1.5) or linear+white".to_owned()),
        }
    }

    fn read_object(object: &Object, defaults: Defaults) -> Result<Self, String> {
        let mut args = Args { kind: &object.kind, params: object.params.clone() };
        let kernel = Self::read_args(&mut args, defaults)?;
        args.end()?;
        // Given values are columns of the rows themselves, which no other kernel could make sense of.
        if kernel.children().contains(&&Kernel::Precomputed) {
            return Err(format!("precomputed stands alone, not inside of {}", object.kind));
        }
        for (name, hyper) in kernel.own_hypers() {
            let signed = matches!(name, "coef0" | "sigma_0");
            if let Some(problem) = hyper.problem(signed) {
                return Err(format!("`{name}` of {} {problem}", object.kind));
            }
        }
        Ok(kernel)
    }

    fn read_args(args: &mut Args<'_>, defaults: Defaults) -> Result<Self, String> {
        let gamma = defaults.gamma.unwrap_or(1.0);
        Ok(match args.kind {
            "constant" => Kernel::Constant(args.hyper("constant_value", 0, Hyper::free(1.0))?),
            "white" => Kernel::White(args.hyper("noise_level", 0, Hyper::free(1.0))?),
            "linear" => Kernel::Linear(args.hyper("sigma_0", 0, Hyper::fixed(0.0))?),
            "dot_product" => Kernel::Linear(args.hyper("sigma_0", 0, Hyper::free(1.0))?),
            "polynomial" | "poly" => Kernel::Polynomial {
                degree: args.number("degree", 0, defaults.degree)?,
                gamma: args.hyper("gamma", 1, Hyper::fixed(gamma))?,
                coef0: args.hyper("coef0", 2, Hyper::fixed(defaults.coef0))?,
            },
            "sigmoid" => Kernel::Sigmoid {
                gamma: args.hyper("gamma", 0, Hyper::fixed(gamma))?,
                coef0: args.hyper("coef0", 1, Hyper::fixed(defaults.coef0))?,
            },
            "cosine" => Kernel::Cosine,
            "rbf" => match args.params.contains_key("gamma")
                || defaults.gamma.is_some() && !args.has("length_scale", 0)
            {
                true => Kernel::rbf_gamma(args.number("gamma", 9, gamma)?),
                false => Kernel::Rbf(args.hyper("length_scale", 0, Hyper::free(1.0))?),
            },
            "matern" => Kernel::Matern {
                length_scale: args.hyper("length_scale", 0, Hyper::free(1.0))?,
                nu: args.above_zero("nu", 1, 1.5)?,
            },
            "rational_quadratic" | "rq" => Kernel::RationalQuadratic {
                length_scale: args.hyper("length_scale", 0, Hyper::free(1.0))?,
                alpha: args.hyper("alpha", 1, Hyper::free(1.0))?,
            },
            "periodic" | "exp_sine_squared" => Kernel::Periodic {
                length_scale: args.hyper("length_scale", 0, Hyper::free(1.0))?,
                periodicity: args.hyper("periodicity", 1, Hyper::free(1.0))?,
            },
            "laplacian" => Kernel::Laplacian(args.hyper("gamma", 0, Hyper::free(gamma))?),
            "chi2" => Kernel::Chi2(args.hyper("gamma", 0, Hyper::free(gamma))?),
            "additive_chi2" => Kernel::AdditiveChi2,
            "precomputed" => Kernel::Precomputed,
            "bilinear" => Kernel::bilinear(args.matrix("matrix")?).map_err(|e| e.to_string())?,
            "sum" => Kernel::Sum(args.kernels(defaults)?),
            "product" => Kernel::Product(args.kernels(defaults)?),
            "power" => {
                let inner = args.kernel(defaults)?;
                inner.power(args.number("exponent", 1, 2.0)?)
            }
            "exp" => args.kernel(defaults)?.exp(),
            "polynomial_of" => {
                let inner = args.kernel(defaults)?;
                inner.polynomial_of(&args.numbers("coefficients", 1)?).map_err(|e| e.to_string())?
            }
            "normalised" => args.kernel(defaults)?.normalised(),
            "scaled_by" => {
                let inner = Box::new(args.kernel(defaults)?);
                Kernel::ScaledBy(inner, Named { name: args.word("function")?, function: None })
            }
            "on" => {
                let inner = Box::new(args.kernel(defaults)?);
                Kernel::On(inner, Named { name: args.word("map")?, function: None })
            }
            "columns" => {
                let inner = args.kernel(defaults)?;
                let columns = args.numbers("columns", 1)?;
                let whole = |v: &f64| (*v >= 0.0 && v.fract() == 0.0).then_some(*v as usize);
                let columns: Option<Vec<usize>> = columns.iter().map(whole).collect();
                inner.on_columns(&columns.ok_or("`columns` of columns must be places of columns, from 0")?)
            }
            other => {
                if let Some(structure) = Structure::read(args)? {
                    return Ok(Kernel::Structure(structure));
                }
                let hint = closest(other, NAMES.iter().copied()).map(|n| format!("; did you mean `{n}`?"));
                return Err(format!(
                    "a kernel ({}), and `{other}` is none{}",
                    NAMES.join(", "),
                    hint.unwrap_or_default()
                ));
            }
        })
    }

    /// The kernel as a value.
    pub fn to_value(&self) -> Value {
        let mut out = Object::default();
        let list = |numbers: &[f64]| Value::List(numbers.iter().map(|v| Value::Real(*v)).collect());
        let kind = match self {
            Kernel::Constant(_) => "constant",
            Kernel::White(_) => "white",
            Kernel::Linear(_) => "linear",
            Kernel::Polynomial { .. } => "polynomial",
            Kernel::Sigmoid { .. } => "sigmoid",
            Kernel::Cosine => "cosine",
            Kernel::Bilinear(_) => "bilinear",
            Kernel::Rbf(_) => "rbf",
            Kernel::Matern { .. } => "matern",
            Kernel::RationalQuadratic { .. } => "rational_quadratic",
            Kernel::Periodic { .. } => "periodic",
            Kernel::Laplacian(_) => "laplacian",
            Kernel::Chi2(_) => "chi2",
            Kernel::AdditiveChi2 => "additive_chi2",
            Kernel::Structure(structure) => structure.name(),
            Kernel::Precomputed => "precomputed",
            Kernel::Sum(_) => "sum",
            Kernel::Product(_) => "product",
            Kernel::Power(..) => "power",
            Kernel::Exp(_) => "exp",
            Kernel::PolynomialOf(..) => "polynomial_of",
            Kernel::Normalised(_) => "normalised",
            Kernel::ScaledBy(..) => "scaled_by",
            Kernel::On(..) => "on",
            Kernel::OnColumns(..) => "columns",
        };
        let mut put = |name: &str, value: Value| drop(out.params.insert(name.to_owned(), value));
        match self {
            Kernel::Polynomial { degree, .. } => put("degree", Value::Real(*degree)),
            Kernel::Matern { nu, .. } => put("nu", Value::Real(*nu)),
            Kernel::Bilinear(a) => {
                put("matrix", Value::List((0..a.n_rows()).map(|i| list(a.row(i))).collect()))
            }
            Kernel::Structure(structure) => structure.write(&mut put),
            Kernel::Power(_, q) => put("exponent", Value::Real(*q)),
            Kernel::PolynomialOf(_, a) => put("coefficients", list(a)),
            Kernel::ScaledBy(_, g) => put("function", Value::Text(g.name.clone())),
            Kernel::On(_, map) => put("map", Value::Text(map.name.clone())),
            Kernel::OnColumns(_, columns) => {
                put("columns", Value::List(columns.iter().map(|&j| j.into()).collect()))
            }
            _ => {}
        }
        // Places as texts stand in the order of numbers while they have as many digits.
        let digits = self.children().len().saturating_sub(1).to_string().len();
        self.children().iter().enumerate().for_each(|(i, k)| put(&format!("{i:0digits$}"), k.to_value()));
        let plain = matches!(self, Kernel::Constant(_) | Kernel::White(_));
        self.own_hypers()
            .into_iter()
            .for_each(|(name, h)| write_hyper(&mut out.params, name, h, self.is_fixed_by_default(), plain));
        out.kind = kind.to_owned();
        if out.params.is_empty() { Value::Text(out.kind) } else { Value::Object(out) }
    }

    /// Whether its hyper-parameters stay where nothing else is said.
    fn is_fixed_by_default(&self) -> bool {
        matches!(self, Kernel::Linear(_) | Kernel::Polynomial { .. } | Kernel::Sigmoid { .. })
    }
}

fn write_hyper(
    params: &mut BTreeMap<String, Value>,
    name: &str,
    hyper: &Hyper,
    fixed_by_default: bool,
    plain: bool,
) {
    let value = match hyper.values.as_slice() {
        [one] => Value::Real(*one),
        several => Value::List(several.iter().map(|v| Value::Real(*v)).collect()),
    };
    if !(fixed_by_default && name == "sigma_0" && hyper.value() == 0.0) {
        params.insert(if plain { "0".to_owned() } else { name.to_owned() }, value);
    }
    let pair = |(low, high): &(f64, f64)| Value::List(vec![Value::Real(*low), Value::Real(*high)]);
    let bounds = match hyper.bounds.as_slice() {
        [] if fixed_by_default => return,
        [one] if *one == USUAL_BOUNDS && !fixed_by_default => return,
        [] => Value::Text("fixed".to_owned()),
        [one] => pair(one),
        several => Value::List(several.iter().map(pair).collect()),
    };
    params.insert(format!("{name}_bounds"), bounds);
}

/// The arguments of a kernel while it is read: what is taken is gone, what is left at the end is an error.
pub(crate) struct Args<'o> {
    pub(crate) kind: &'o str,
    params: BTreeMap<String, Value>,
}

impl Args<'_> {
    pub(crate) fn has(&self, name: &str, place: usize) -> bool {
        self.params.contains_key(name) || self.params.contains_key(&place.to_string())
    }

    fn take(&mut self, name: &str, place: usize) -> Option<Value> {
        self.params.remove(name).or_else(|| self.params.remove(&place.to_string()))
    }

    fn expected(&self, name: &str, what: &str) -> String {
        format!("`{name}` of {} must be {what}", self.kind)
    }

    pub(crate) fn number(&mut self, name: &str, place: usize, default: f64) -> Result<f64, String> {
        match self.take(name, place) {
            None => Ok(default),
            Some(value) => real(&value).ok_or_else(|| self.expected(name, "a number")),
        }
    }

    fn above_zero(&mut self, name: &str, place: usize, default: f64) -> Result<f64, String> {
        let value = self.number(name, place, default)?;
        if value > 0.0 { Ok(value) } else { Err(self.expected(name, "above 0")) }
    }

    /// A whole number within limits.
    pub(crate) fn whole(
        &mut self,
        name: &str,
        place: usize,
        range: RangeInclusive<usize>,
        default: usize,
    ) -> Result<usize, String> {
        let value = self.number(name, place, default as f64)?;
        let (low, high) = range.into_inner();
        match value >= low as f64 && value <= high as f64 && value.fract() == 0.0 {
            true => Ok(value as usize),
            false => Err(format!(
                "{}, got {value}",
                self.expected(name, &format!("a whole number in [{low}, {high}]"))
            )),
        }
    }

    /// A finite number above 0.
    pub(crate) fn positive(&mut self, name: &str, place: usize, default: f64) -> Result<f64, String> {
        let value = self.above_zero(name, place, default)?;
        if value.is_finite() { Ok(value) } else { Err(self.expected(name, "finite")) }
    }

    /// A number in (0, 1].
    pub(crate) fn share(&mut self, name: &str, place: usize, default: f64) -> Result<f64, String> {
        let value = self.above_zero(name, place, default)?;
        if value <= 1.0 { Ok(value) } else { Err(self.expected(name, "in (0, 1]")) }
    }

    pub(crate) fn truth(&mut self, name: &str, default: bool) -> Result<bool, String> {
        match self.take(name, 9) {
            None => Ok(default),
            Some(Value::Bool(b)) => Ok(b),
            Some(_) => Err(self.expected(name, "true or false")),
        }
    }

    fn word(&mut self, name: &str) -> Result<String, String> {
        match self.take(name, 1) {
            Some(Value::Text(word)) => Ok(word),
            _ => Err(self.expected(name, "the name of a function")),
        }
    }

    fn numbers(&mut self, name: &str, place: usize) -> Result<Vec<f64>, String> {
        let found = self.take(name, place);
        let numbers = match &found {
            Some(Value::List(items)) => items.iter().map(real).collect(),
            Some(one) => real(one).map(|v| vec![v]),
            None => None,
        };
        numbers.ok_or_else(|| self.expected(name, "a list of numbers"))
    }

    fn matrix(&mut self, name: &str) -> Result<Mat, String> {
        let rows = match self.take(name, 0) {
            Some(Value::List(rows)) => rows
                .iter()
                .map(|row| if let Value::List(row) = row { row.iter().map(real).collect() } else { None })
                .collect::<Option<Vec<Vec<f64>>>>(),
            _ => None,
        };
        rows.and_then(|rows| Mat::from_rows(&rows))
            .ok_or_else(|| self.expected(name, "a list of rows of equal length"))
    }

    fn kernel(&mut self, defaults: Defaults) -> Result<Kernel, String> {
        let value = self.take("kernel", 0).ok_or_else(|| format!("{} needs a kernel", self.kind))?;
        Kernel::read(&value, defaults)
    }

    /// All that stand by place, in order.
    fn kernels(&mut self, defaults: Defaults) -> Result<Vec<Kernel>, String> {
        let mut placed: Vec<(usize, String)> =
            self.params.keys().filter_map(|k| Some((k.parse().ok()?, k.clone()))).collect();
        placed.sort_unstable();
        if placed.is_empty() {
            return Err(format!("{} needs kernels", self.kind));
        }
        placed
            .iter()
            .map(|(_, key)| Kernel::read(&self.params.remove(key).unwrap_or(Value::Null), defaults))
            .collect()
    }

    fn hyper(&mut self, name: &str, place: usize, default: Hyper) -> Result<Hyper, String> {
        let mut out = default;
        if self.has(name, place) {
            out.values = self.numbers(name, place)?;
        }
        let bounds = format!("{name}_bounds");
        let pair = |v: &Value| match v {
            Value::List(ends) => match ends.as_slice() {
                [low, high] => Some((real(low)?, real(high)?)),
                _ => None,
            },
            _ => None,
        };
        match self.params.remove(&bounds) {
            None => {}
            Some(Value::Text(word)) if word == "fixed" => out.bounds.clear(),
            Some(one) => {
                let several = if let Value::List(all) = &one { all.iter().map(pair).collect() } else { None };
                let found = pair(&one).map(|b| vec![b]).or(several);
                out.bounds =
                    found.ok_or_else(|| self.expected(&bounds, "fixed, [low, high], or a list of such"))?;
            }
        }
        Ok(out)
    }

    fn end(self) -> Result<(), String> {
        match self.params.into_keys().next() {
            Some(name) => Err(format!("{} has no parameter `{name}`", self.kind)),
            None => Ok(()),
        }
    }
}

fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::Real(r) => Some(*r),
        Value::Text(s) if s == "inf" => Some(f64::INFINITY),
        _ => None,
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_value().fmt(f)
    }
}

impl From<Kernel> for String {
    fn from(kernel: Kernel) -> Self {
        kernel.to_string()
    }
}

impl TryFrom<String> for Kernel {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}
