//! Polynomial features: all products of features up to a degree.
//!
//! # Objective
//! $$ x \mapsto \Bigl(\prod_j x_j^{p_j}\Bigr)_{p}, \qquad \text{min} \le \textstyle\sum_j p_j \le \text{max} $$
//! with every $p_j \le 1$ for `interaction_only`, and a leading 1 with `include_bias`.
//!
//! # Algorithm
//! Terms by degree, then in lexicographic order; each is an earlier term times one feature. Of sparse rows only
//! products of stored values are made, and their places are counted rather than looked up. Columns of a table that
//! are no numbers follow the terms unchanged.
//!
//! # Complexity
//! Time and memory O(n t) for t terms, or O(n z^k / k!) for z stored values a row and degree k.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::PolynomialFeatures;
//! let x = Mat::from_rows(&[[2.0, 3.0]]).unwrap();
//! let model = PolynomialFeatures::default().fit(&Dataset::new(&x))?;
//! let rows = model.transform(&x)?;
//! assert_eq!(rows.names().unwrap().to_vec(), ["1", "x0", "x1", "x0^2", "x0 x1", "x1^2"]);
//! assert_eq!(rows.dense("z")?.view().to_mat().as_slice(), &[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Products may leave the range of numbers: scale features first.
//!
//! # References
//! - J. D. Gergonne. The application of the method of least squares to the interpolation of sequences. 1815; reprinted
//!   in Historia Mathematica 1(4), 1974. doi:10.1016/0315-0860(74)90034-2

use super::combinations::Combinations;
use super::parts::{Expanded, Parts, in_order};
use super::whole::Whole;
use crate::scale::columns::numeric;
use mercer_core::sums::Batches;
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, Error, Feature, Fitted, Input, Learn, Numbers,
    Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{Csr, CsrRef, Mat, MatRef};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The layout of a dense result, which scikit-learn lets one choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum MemoryOrder {
    /// By rows.
    #[choice("C")]
    C,
    /// By columns.
    #[choice("F")]
    F,
}

/// Polynomial features: all products of numeric features up to a degree; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "polynomial-features polynomial",
    canon = "D5",
    task = Transformation,
    python = "preprocessing",
    mixins = "PolynomialMixin",
    can = "transform weights sparse categorical text by_sums",
    references = "Gergonne. The application of the method of least squares to the interpolation of sequences. 1815."
)]
pub struct PolynomialFeatures {
    /// The largest degree, or the smallest and the largest: 2 or [2, 3].
    #[param(default = Whole::One(2), range = "[0, inf)", search = "int 1..3")]
    pub degree: Whole,
    /// Whether powers of single features are left out.
    #[param(default = false)]
    pub interaction_only: bool,
    /// Whether the first column is 1.
    #[param(default = true)]
    pub include_bias: bool,
    /// The layout that scikit-learn gives a dense result; here it is by rows in either case.
    #[param(default = MemoryOrder::C)]
    pub order: MemoryOrder,
}

/// The shape of the terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolynomialFeaturesModel {
    low: usize,
    high: usize,
    interaction_only: bool,
    include_bias: bool,
    numeric: Vec<bool>,
    /// Number of terms without the bias, so that a damaged degree is seen.
    n_terms: usize,
    certificate: Certificate,
}

/// No more terms than this: their names alone would fill the memory.
const LIMIT: usize = 50_000_000;

impl Learn for PolynomialFeatures {
    type Model = PolynomialFeaturesModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<PolynomialFeaturesModel> {
        self.model(&Schema::of(data))
    }

    fn learn_stream(&self, batches: &mut dyn Batches, _: &Session) -> Option<Result<Self::Model>> {
        Some(batches.schema().and_then(|schema| self.model(&schema)))
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.degrees().map(|_| ())
    }
}

impl PolynomialFeatures {
    fn degrees(&self) -> Result<(usize, usize)> {
        let refuse = |expected: &str| {
            let got = mercer_core::ParamType::to_value(&self.degree);
            Err(Error::param(Self::NAME, "degree", expected, got))
        };
        let (low, high) = match &self.degree {
            Whole::One(high) => (0, *high),
            Whole::Many(list) => match list[..] {
                [low, high] if low <= high => (low, high),
                _ => return refuse("a number, or two: the smallest and the largest degree"),
            },
        };
        match high == 0 && !self.include_bias {
            true => refuse("above 0 without include_bias, or nothing would be left"),
            false => Ok((low, high)),
        }
    }

    fn model(&self, schema: &Schema) -> Result<PolynomialFeaturesModel> {
        let (low, high) = self.degrees()?;
        let why = "a fixed function learns nothing that could be proved";
        let mut model = PolynomialFeaturesModel {
            low,
            high,
            interaction_only: self.interaction_only,
            include_bias: self.include_bias,
            numeric: numeric(schema),
            n_terms: 0,
            certificate: Certificate::without_evidence(Termination::Exact, why),
        };
        match model.combinations() {
            // Fewer features than the lowest degree leave nothing, as scikit-learn has it; degree 0 is a mistake.
            Some(c) if c.len() + usize::from(self.include_bias) + model.n_rest() > 0 || high > 0 => {
                model.n_terms = c.len();
                Ok(model)
            }
            Some(_) => Err(Error::too_few(Self::NAME, "terms", 1, 0)),
            None => {
                let expected = format!("low enough for {LIMIT} terms of {} features", model.n_numeric());
                Err(Error::param(Self::NAME, "degree", expected, high))
            }
        }
    }
}

/// A term of degree 2 or more as an earlier term times a feature, where that term is made.
struct Term {
    parent: Option<usize>,
    features: Vec<u32>,
}

impl PolynomialFeaturesModel {
    fn n_numeric(&self) -> usize {
        self.numeric.iter().filter(|n| **n).count()
    }

    fn n_rest(&self) -> usize {
        self.numeric.len() - self.n_numeric()
    }

    fn combinations(&self) -> Option<Combinations> {
        Combinations::new(self.n_numeric(), self.low, self.high, !self.interaction_only, LIMIT)
    }

    fn must(&self) -> Result<Combinations> {
        self.combinations().ok_or_else(|| Error::format("a polynomial of too many terms"))
    }

    fn terms(&self, all: &Combinations) -> Vec<Term> {
        let mut out = Vec::with_capacity(all.len());
        for degree in all.degrees() {
            all.each(self.n_numeric(), degree, |places| {
                let features: Vec<u32> = places.iter().map(|&p| p as u32).collect();
                let known = degree > *all.degrees().start();
                let parent = known.then(|| all.rank(&features[..degree - 1]));
                out.push(Term { parent, features });
            });
        }
        out
    }

    fn dense(&self, x: MatRef<'_>, all: &Combinations, session: &Session) -> Result<Mat> {
        let bias = usize::from(self.include_bias);
        let (terms, width) = (self.terms(all), all.len() + bias);
        let n_values = x.n_rows().saturating_mul(width);
        if Vec::<f64>::new().try_reserve_exact(n_values).is_err() {
            let reason = format!("{} rows of {width} terms are too many", x.n_rows());
            return Err(Error::numeric(PolynomialFeatures::NAME, reason));
        }
        let mut out = Mat::zeros(x.n_rows(), width);
        let work = |(i, row): (usize, &mut [f64])| {
            let values = x.row_cow(i);
            row[..bias].fill(1.0);
            let row = &mut row[bias..];
            for (t, term) in terms.iter().enumerate() {
                let last = values[term.features[term.features.len() - 1] as usize];
                row[t] = match term.parent {
                    Some(parent) => row[parent] * last,
                    None => term.features.iter().map(|&j| values[j as usize]).product(),
                };
            }
        };
        if width > 0 {
            session.run(|| out.as_mut_slice().par_chunks_mut(width).enumerate().for_each(work));
        }
        Ok(out)
    }

    fn sparse(&self, x: CsrRef<'_>, all: &Combinations) -> Csr {
        let bias = u32::from(self.include_bias);
        let mut out = Csr::empty(all.len() + bias as usize);
        let (mut entries, mut places, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut features = Vec::new();
        for i in 0..x.n_rows() {
            let (columns, stored) = x.row(i);
            entries.clear();
            entries.extend(columns.iter().copied().zip(stored.iter().copied()));
            in_order(&mut entries);
            places.clear();
            values.clear();
            if self.include_bias {
                places.push(0);
                values.push(1.0);
            }
            for degree in all.degrees() {
                all.each(entries.len(), degree, |chosen| {
                    features.clear();
                    features.extend(chosen.iter().map(|&k| entries[k].0));
                    places.push(all.rank(&features) as u32 + bias);
                    values.push(chosen.iter().map(|&k| entries[k].1).product());
                });
            }
            out.push_row(&places, &values);
        }
        out
    }

    fn term_names(&self, names: &[&str], all: &Combinations) -> Vec<String> {
        let name = |term: Term| {
            let mut parts: Vec<(u32, usize)> = Vec::new();
            for j in term.features {
                match parts.last_mut() {
                    Some((last, power)) if *last == j => *power += 1,
                    _ => parts.push((j, 1)),
                }
            }
            let part = |(j, power): (u32, usize)| match power {
                1 => names[j as usize].to_owned(),
                _ => format!("{}^{power}", names[j as usize]),
            };
            parts.into_iter().map(part).collect::<Vec<_>>().join(" ")
        };
        let bias = self.include_bias.then(|| "1".to_owned());
        bias.into_iter().chain(self.terms(all).into_iter().map(name)).collect()
    }

    fn names(&self, features: &[&str]) -> Vec<String> {
        let of = |wanted: bool| {
            let pairs = features.iter().zip(&self.numeric);
            pairs.filter(move |(_, n)| **n == wanted).map(|(f, _)| *f)
        };
        let Some(all) = self.combinations() else { return Vec::new() };
        let mut out = self.term_names(&of(true).collect::<Vec<_>>(), &all);
        out.extend(of(false).map(str::to_owned));
        out
    }
}

impl Transformer for PolynomialFeaturesModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(PolynomialFeatures::NAME)?;
        let parts = Parts::of(rows, &self.numeric)?;
        let all = self.must()?;
        let made = match &parts.numbers {
            Numbers::Dense(x) => Expanded::Dense(self.dense(x.view(), &all, session)?),
            Numbers::Sparse(x) => Expanded::Sparse(self.sparse(x.view(), &all)),
        };
        let names: Vec<String> = (0..rows.n_features()).map(|j| rows.name(j)).collect();
        parts.followed_by_rest(made, || self.names(&names.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        self.names(&schema.features.iter().map(|f: &Feature| f.name.as_str()).collect::<Vec<_>>())
    }
}

impl Fitted for PolynomialFeaturesModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = self.combinations().map_or(0, |c| c.len() + usize::from(self.include_bias));
        vec![Attribute::int("n_output_features_", "Number of terms.", &[], vec![n as i64])]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = self.numeric == numeric(schema) && self.low <= self.high;
        let small = self.combinations().is_some_and(|c| c.len() == self.n_terms);
        if fits && small { Ok(()) } else { Err("terms do not fit the schema".to_owned()) }
    }
}
