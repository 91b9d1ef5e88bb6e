//! What all laws of one number answer, and what is said of a family of laws.

use mercer_core::{Error, Result};
use mercer_math::special::bisect;
use mercer_math::{Mat, Rng};
use std::fmt::Debug;

/// The law of a random number: a member of a [`Family`].
///
/// Densities of discrete laws are probabilities. Outside of the support a log density is minus infinity; of NaN everything is NaN.
pub trait Univariate: Debug + Send + Sync {
    /// The family that it belongs to.
    fn family(&self) -> &'static Family;
    /// Its parameters, in the order of the family's.
    fn parameters(&self) -> Vec<f64>;
    /// The logarithm of the density, or of the probability, of `x`.
    fn log_density(&self, x: f64) -> f64;
    /// The probability of at most `x`.
    fn cdf(&self, x: f64) -> f64;
    /// The probability of more than `x`, without cancellation where it is small.
    fn survival(&self, x: f64) -> f64;
    /// The least number that at most a share `p` lies below; NaN outside [0, 1].
    fn quantile(&self, p: f64) -> f64;
    /// The number that a share `q` lies above: the quantile of 1 − q, whose digits a small `q` keeps; NaN outside [0, 1].
    fn upper_quantile(&self, q: f64) -> f64 {
        let family = self.family();
        if family.discrete {
            whole_quantile(self, Tail::Upper(q))
        } else {
            by_bisection(self, Tail::Upper(q))
        }
    }
    /// The logarithm of [`cdf`](Self::cdf).
    fn log_cdf(&self, x: f64) -> f64 {
        log_of(self.cdf(x), self.survival(x))
    }
    /// The logarithm of [`survival`](Self::survival).
    fn log_survival(&self, x: f64) -> f64 {
        log_of(self.survival(x), self.cdf(x))
    }
    /// The least and the largest number of the support.
    fn support(&self) -> (f64, f64);
    /// The mean of the `order`-th power; infinite or NaN where there is none.
    fn moment(&self, order: u32) -> f64;
    /// A draw.
    fn draw(&self, rng: &mut Rng) -> f64;
    /// The mean; NaN where there is none.
    fn mean(&self) -> f64;
    /// The variance; NaN where there is none.
    fn variance(&self) -> f64;
    /// The entropy in nats, differential for continuous laws.
    fn entropy(&self) -> f64;
    /// The derivatives of the log density by the parameters.
    fn score(&self, x: f64) -> Vec<f64>;
    /// The derivative of the log density by `x`, for continuous laws; NaN for others.
    fn slope(&self, _x: f64) -> f64 {
        f64::NAN
    }
    /// Fisher's information of one observation, parameters × parameters; `None` where the support depends on the parameters,
    /// so that the score has no such meaning. Where no closed form is known, the mean of score × scoreᵀ is summed up.
    fn information(&self) -> Option<Mat> {
        Some(crate::information::by_sums(self))
    }
    /// The density, or the probability, of `x`.
    fn density(&self, x: f64) -> f64 {
        self.log_density(x).exp()
    }
}

/// Where a parameter may lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Any finite number.
    Real,
    /// Above zero.
    Positive,
    /// Between zero and one.
    Share,
    /// Above zero and at most one.
    Chance,
    /// A whole number of at least zero, which is given and never estimated.
    Count,
}

impl Domain {
    fn holds(self, value: f64) -> bool {
        match self {
            Domain::Real => value.is_finite(),
            Domain::Positive => 0.0 < value && value.is_finite(),
            Domain::Share => (0.0..=1.0).contains(&value),
            Domain::Chance => 0.0 < value && value <= 1.0,
            Domain::Count => (0.0..=9e15).contains(&value) && value == value.floor(),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Domain::Real => "finite",
            Domain::Positive => "in (0, inf)",
            Domain::Share => "in [0, 1]",
            Domain::Chance => "in (0, 1]",
            Domain::Count => "a whole number of at least 0",
        }
    }
}

/// A parameter of a family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Where it may lie.
    pub domain: Domain,
    /// The value that it has where none is given; NaN where one must be.
    pub default: f64,
}

/// How the likelihood of a family is maximised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likelihood {
    /// The first guess is the maximum.
    Closed,
    /// The first guess of each parameter is the best one whatever the others are.
    Apart,
    /// The first guess is improved by iteration.
    Iterated,
}

/// A family of laws: what tells its members apart, and how one is made and guessed from data.
#[derive(Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub doc: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether its members give probabilities to whole numbers alone.
    pub discrete: bool,
    /// How its likelihood is maximised.
    pub likelihood: Likelihood,
    pub(crate) make: fn(&[f64]) -> Box<dyn Univariate>,
    pub(crate) guess: fn(&[f64], &Sample<'_>) -> Vec<f64>,
    pub(crate) holds: fn(f64) -> bool,
}

impl Family {
    /// The member with these parameters.
    pub fn law(&self, values: &[f64]) -> Result<Box<dyn Univariate>> {
        if values.len() != self.parameters.len() {
            return Err(Error::shape(
                format!("parameters of {}", self.name),
                self.parameters.len(),
                values.len(),
            ));
        }
        for (parameter, &value) in self.parameters.iter().zip(values) {
            if !parameter.domain.holds(value) {
                return Err(Error::param(self.name, parameter.name, parameter.domain.words(), value));
            }
        }
        let pair = |a: &str, b: &str| {
            let at = |name: &str| self.parameters.iter().position(|p| p.name == name);
            at(a).zip(at(b)).map(|(i, j)| (values[i], values[j]))
        };
        match pair("low", "high") {
            Some((low, high)) if low >= high => {
                Err(Error::param(self.name, "high", format!("above low, {low}"), high))
            }
            _ => Ok((self.make)(values)),
        }
    }

    /// The family of this name.
    pub fn named(name: &str) -> Result<&'static Family> {
        let known = crate::FAMILIES.iter().find(|f| f.name == name);
        known.copied().ok_or_else(|| Error::unknown("law", name, crate::FAMILIES.iter().map(|f| f.name)))
    }
}

/// Observations, each with a weight.
#[derive(Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) x: &'a [f64],
    pub(crate) weights: Option<&'a [f64]>,
}

impl Sample<'_> {
    pub(crate) fn each(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.x.iter().enumerate().map(|(i, &x)| (x, self.weights.map_or(1.0, |w| w[i])))
    }

    pub(crate) fn total(&self) -> f64 {
        self.weights.map_or(self.x.len() as f64, |w| w.iter().sum())
    }

    /// The mean of a function of the observations.
    pub(crate) fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.each().map(|(x, w)| w * of(x)).sum::<f64>() / self.total()
    }

    /// The mean and the variance, divided by the total weight.
    pub(crate) fn moments(&self) -> (f64, f64) {
        let mean = self.mean(|x| x);
        (mean, self.mean(|x| (x - mean) * (x - mean)))
    }

    /// The least and the largest observation of positive weight.
    pub(crate) fn range(&self) -> (f64, f64) {
        let counted = self.each().filter(|(_, w)| *w > 0.0);
        counted.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (x, _)| (l.min(x), h.max(x)))
    }

    /// The point below which lies a share of the weight.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted: Vec<(f64, f64)> = self.each().collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        mercer_math::weighted_quantile(&sorted, share).unwrap_or(f64::NAN)
    }
}

/// Declares a law of real parameters: the struct, its family, and `new`.
macro_rules! law {
    (
        $(#[doc = $doc:literal])+
        $name:ident ($family:literal, discrete: $discrete:literal, $likelihood:ident, holds: $holds:expr, guess: $guess:expr) {
            $($(#[doc = $field_doc:literal])+ $field:ident: $domain:ident = $default:expr,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $field_doc])+ pub $field: f64,)+
        }

        impl $name {
            /// The family.
            pub const FAMILY: &'static $crate::Family = &$crate::Family {
                name: $family,
                doc: concat!($($doc),+),
                parameters: &[$($crate::Parameter {
                    name: stringify!($field),
                    domain: $crate::Domain::$domain,
                    default: $default,
                },)+],
                discrete: $discrete,
                likelihood: $crate::Likelihood::$likelihood,
                make: |values| {
                    let mut values = values.iter().copied();
                    Box::new($name { $($field: values.next().unwrap_or(f64::NAN),)+ })
                },
                guess: $guess,
                holds: $holds,
            };

            /// The law with these parameters, where they lie in their domains.
            pub fn new($($field: f64),+) -> mercer_core::Result<Self> {
                let law = Self { $($field,)+ };
                Self::FAMILY.law(&[$($field),+]).map(|_| law)
            }
        }
    };
    (parameters $name:ident: $($field:ident),+) => {
        fn family(&self) -> &'static $crate::Family {
            $name::FAMILY
        }
        fn parameters(&self) -> Vec<f64> {
            vec![$(self.$field),+]
        }
    };
}
pub(crate) use law;

/// The logarithm of a probability, given what it lacks of one.
fn log_of(p: f64, rest: f64) -> f64 {
    if p < 0.5 { p.ln() } else { (-rest).ln_1p() }
}

/// A share of a law: what lies below a number, or what lies above it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tail {
    /// At most the number.
    Lower(f64),
    /// More than it.
    Upper(f64),
}

impl Tail {
    fn share(self) -> f64 {
        match self {
            Tail::Lower(p) | Tail::Upper(p) => p,
        }
    }

    /// Whether more is asked for than lies below `x`, by the tail that is small.
    fn is_beyond(self, law: &(impl Univariate + ?Sized), x: f64) -> bool {
        match self {
            Tail::Lower(p) if p < 0.5 => law.cdf(x) < p,
            Tail::Lower(p) => law.survival(x) > 1.0 - p,
            Tail::Upper(q) if q < 0.5 => law.survival(x) > q,
            Tail::Upper(q) => law.cdf(x) < 1.0 - q,
        }
    }

    /// The end of the support, where all or nothing is asked for; NaN for what is no share.
    fn end(self, low: f64, high: f64) -> Option<f64> {
        match self {
            Tail::Lower(0.0) | Tail::Upper(1.0) => Some(low),
            Tail::Lower(1.0) | Tail::Upper(0.0) => Some(high),
            _ if !(0.0..=1.0).contains(&self.share()) => Some(f64::NAN),
            _ => None,
        }
    }
}

/// The quantile of a continuous law by bisection.
pub(crate) fn by_bisection(law: &(impl Univariate + ?Sized), tail: Tail) -> f64 {
    let (low, high) = law.support();
    if let Some(end) = tail.end(low, high) {
        return end;
    }
    let below = |x: f64| tail.is_beyond(law, x);
    let centre = if low.is_finite() { low } else { 0.0 };
    let mut reach = 1.0;
    while high > centre + reach && below(centre + reach) && reach < 1e300 {
        reach *= 2.0;
    }
    let mut depth = 1.0;
    while low < centre - depth && !below(centre - depth) && depth < 1e300 {
        depth *= 2.0;
    }
    bisect((centre - depth).max(low), (centre + reach).min(high), below)
}

/// The least whole number of the support below which lies what is asked for.
pub(crate) fn whole_quantile(law: &(impl Univariate + ?Sized), tail: Tail) -> f64 {
    let (first, last) = law.support();
    if let Some(end) = tail.end(first, last) {
        return end;
    }
    // A probability that was computed may lack a last bit of the one that it stands for.
    const SLACK: f64 = 4.0 * f64::EPSILON;
    let reaches = |k: f64| match tail {
        Tail::Lower(p) => law.cdf(k) >= p * (1.0 - SLACK),
        Tail::Upper(q) => law.survival(k) <= q * (1.0 + SLACK),
    };
    let (mut low, mut step) = (first, 1.0);
    if reaches(first) {
        return first;
    }
    while low + step < last && !reaches(low + step) {
        low += step;
        step *= 2.0;
    }
    let mut high = (low + step).min(last);
    while high - low > 1.0 {
        let middle = (low + (high - low) / 2.0).floor();
        if reaches(middle) { high = middle } else { low = middle }
    }
    high
}
