//! What support vector machines learn: support vectors, their coefficients and intercepts, and what they say of rows.

use super::machine::{Machine, contiguous, pairs, worked_on};
use super::params::DecisionShape;
use super::platt::{Sigmoid, couple};
use super::scores::Scores;
use super::solver::Joint;
use super::source::Source;
use super::{evidence, form::Form, form::Standing};
use crate::kernel::{Held, Kernel, Points};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Error, Fitted, Input, Label, Prediction, Proba,
    Result, Schema, Session, Target, TargetColumn, TargetKind, TargetValues,
};
use mercer_math::{Mat, argmax};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How many decision functions there are, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Scheme {
    /// One for each pair of classes.
    Pairs,
    /// One for each class against the rest.
    Rest,
    /// One for each class, all learnt together.
    Joint,
    /// One, of numbers or of rows without a target.
    One,
}

/// A fitted support vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SvmModel {
    pub(crate) machine: Machine,
    /// The kernel.
    pub kernel: Kernel,
    /// The rows of training that are support vectors, class by class.
    pub support: Vec<usize>,
    /// The support vectors.
    pub vectors: Points,
    /// How many of them each class has.
    pub n_support: Vec<usize>,
    /// Their coefficients: of pairs, (classes − 1) × vectors in LIBSVM's order, else a row for each decision function.
    pub dual_coef: Mat,
    /// The intercept of each decision function; of pairs, positive values mean the first class.
    pub intercept: Vec<f64>,
    pub(crate) scales: Vec<f64>,
    pub(crate) first: Vec<f64>,
    pub(crate) sigmoids: Vec<Sigmoid>,
    /// Steps of the solver for each decision function.
    pub n_iter: Vec<u64>,
    pub(crate) shape: (usize, usize),
    pub(crate) class_weight: Vec<f64>,
    pub(crate) break_ties: bool,
    pub(crate) by_pairs: bool,
    pub(crate) certificate: Certificate,
}

impl SvmModel {
    /// The model with what its classes are told by.
    pub(crate) fn telling(mut self, shape: DecisionShape, break_ties: bool) -> Self {
        (self.by_pairs, self.break_ties) = (shape == DecisionShape::Ovo, break_ties);
        self
    }

    fn n_classes(&self) -> usize {
        self.class_weight.len()
    }

    /// All decision functions of rows: pairs in LIBSVM's order, or one after the other.
    fn raw(&self, input: &Input<'_>) -> Result<Mat> {
        let held = Held::new(&self.machine.name, self.kernel.data_kind(), input)?;
        let owned = contiguous(held.view());
        let points = owned.as_ref().map_or_else(|| held.view(), Points::view);
        let functions =
            Scores { scheme: self.machine.scheme, n_support: &self.n_support, dual_coef: &self.dual_coef };
        let found = match self.coef() {
            // Sums of products are products with sums.
            Some(coef) => {
                let side = self.kernel.side(points)?;
                let vectors = Points::Dense(coef);
                self.kernel.cross(&side, &self.kernel.side(vectors.view())?)
            }
            None => functions.of(&self.kernel, points, &self.vectors)?,
        };
        let mut found = found;
        for i in 0..found.n_rows() {
            found.row_mut(i).iter_mut().zip(&self.intercept).for_each(|(f, b)| *f += b);
        }
        match found.as_slice().iter().all(|f| f.is_finite()) {
            true => Ok(found),
            false => {
                Err(Error::numeric(&self.machine.name, "kernel values are too large: scale the features"))
            }
        }
    }

    /// The coefficients of the features of each decision function, where the kernel is linear.
    pub fn coef(&self) -> Option<Mat> {
        let linear = matches!(&self.kernel, Kernel::Linear(bias) if bias.values == [0.0]);
        let functions =
            Scores { scheme: self.machine.scheme, n_support: &self.n_support, dual_coef: &self.dual_coef };
        linear.then(|| functions.coef(&self.vectors, self.shape.1)).flatten()
    }

    /// One value for each class from those of pairs: votes, and within equal votes the sums of decision values.
    fn by_class(&self, raw: &Mat) -> Mat {
        let k = self.n_classes();
        let mut out = Mat::zeros(raw.n_rows(), k);
        for i in 0..raw.n_rows() {
            let (mut votes, mut sums) = (vec![0.0; k], vec![0.0; k]);
            for (&f, (a, b)) in raw.row(i).iter().zip(pairs(k as u32)) {
                sums[a as usize] += f;
                sums[b as usize] -= f;
                votes[if f < 0.0 { b } else { a } as usize] += 1.0;
            }
            let squashed = |c: usize| votes[c] + sums[c] / (3.0 * (sums[c].abs() + 1.0));
            out.row_mut(i).iter_mut().enumerate().for_each(|(c, v)| *v = squashed(c));
        }
        out
    }

    fn classes(&self, raw: &Mat) -> Vec<u32> {
        let k = self.n_classes();
        let vote = |i: usize| {
            let mut votes = vec![0.0; k];
            for (&f, (a, b)) in raw.row(i).iter().zip(pairs(k as u32)) {
                votes[if f > 0.0 { a } else { b } as usize] += 1.0;
            }
            argmax(&votes) as u32
        };
        match self.machine.scheme {
            Scheme::Pairs if self.break_ties && k > 2 => best(&self.by_class(raw)),
            Scheme::Pairs => (0..raw.n_rows()).map(vote).collect(),
            _ => best(raw),
        }
    }

    /// What the decision functions say of the data that they were learnt from.
    fn standing(&self, data: &Dataset<'_>, session: &Session) -> Result<Standing> {
        let input = data.input();
        let held = Held::new(&self.machine.name, self.kernel.data_kind(), &input)?;
        let owned = worked_on(held.view());
        let points = owned.as_ref().map_or_else(|| held.view(), Points::view);
        if points.len() != self.shape.0 {
            return Err(Error::shape("rows of training", self.shape.0, points.len()));
        }
        let all = Source::new(&self.kernel, points, (0..points.len()).collect())?;
        let parts = self.machine.parts(data)?;
        if parts.parts.len() != self.intercept.len() {
            return Err(Error::shape("decision functions", self.intercept.len(), parts.parts.len()));
        }
        if let (Scheme::Joint, Form::Classes { c }) = (self.machine.scheme, self.machine.form) {
            return self.standing_joint(&input, &super::joint::pose(c, &parts), &parts.parts[0].rows);
        }
        let mut place = vec![None; points.len()];
        self.support.iter().enumerate().for_each(|(at, &i)| place[i] = Some(at));
        let mut total = Standing::default();
        let classes = pairs(self.n_classes() as u32).map(Some).chain(std::iter::repeat(None));
        for (at, (part, pair)) in parts.parts.iter().zip(classes).enumerate() {
            let row = |i: usize| match (self.machine.scheme, pair) {
                (Scheme::Pairs, Some((a, b))) if parts.codes[i] == a => b as usize - 1,
                (Scheme::Pairs, Some((a, _))) => a as usize,
                _ => at,
            };
            let coefficient = |&i: &usize| place[i].map_or(0.0, |s| self.dual_coef[(row(i), s)]);
            let own: Vec<f64> = part.rows.iter().map(coefficient).collect();
            let first: Vec<f64> = match self.first.is_empty() {
                true => Vec::new(),
                false => part.rows.iter().map(|&i| self.first[i]).collect(),
            };
            let source = all.subset(&part.rows);
            let lessons = (&part.y[..], &part.weights[..]);
            let found = self.machine.form.restand(
                &self.machine.name,
                &source,
                lessons,
                (&own, self.scales[at], &first),
                session,
            )?;
            total = total.and(found);
        }
        Ok(total)
    }

    /// How all classes together stand, on rows that have weight.
    fn standing_joint(&self, input: &Input<'_>, problem: &Joint, rows: &[usize]) -> Result<Standing> {
        let (raw, n) = (self.raw(input)?, rows.len());
        let own = problem.own(&(0..n).collect::<Vec<_>>());
        let mut alpha = vec![0.0; own.len()];
        for (at, i) in self.support.iter().enumerate() {
            if let Ok(place) = rows.binary_search(i) {
                (0..problem.n_classes).for_each(|m| alpha[m * n + place] = self.dual_coef[(m, at)]);
            }
        }
        let slopes: Vec<f64> = own.iter().enumerate().map(|(t, e)| raw[(rows[t % n], t / n)] + e).collect();
        Ok(super::joint::stand(problem, &alpha, &slopes))
    }

    fn class_attributes(&self) -> Vec<Attribute> {
        let probabilities = |f: fn(&Sigmoid) -> f64| self.sigmoids.iter().map(f).collect::<Vec<f64>>();
        let m = self.sigmoids.len();
        let k = self.n_classes();
        vec![
            Attribute::real("class_weight_", "The weight of each class.", &[k], self.class_weight.clone()),
            Attribute::real("probA_", "The slopes of the sigmoids.", &[m], probabilities(|s| s.a)),
            Attribute::real("probB_", "The constants of the sigmoids.", &[m], probabilities(|s| s.b)),
        ]
    }

    fn vector_attributes(&self) -> Vec<Attribute> {
        match &self.vectors {
            Points::Dense(m) => {
                let shape = [m.n_rows(), m.n_cols()];
                vec![Attribute::real(
                    "support_vectors_",
                    "The support vectors.",
                    &shape,
                    m.as_slice().to_vec(),
                )]
            }
            Points::Sparse(m) => {
                // Row by row: where each begins, its columns and its values; Python makes a sparse matrix of them.
                let rows = || (0..m.n_rows()).map(|i| m.view().row(i));
                let mut starts = vec![0];
                rows().for_each(|(c, _)| starts.push(starts[starts.len() - 1] + c.len() as i64));
                let columns: Vec<i64> = rows().flat_map(|(c, _)| c.iter().map(|&c| i64::from(c))).collect();
                let values: Vec<f64> = rows().flat_map(|(_, v)| v.iter().copied()).collect();
                let n = [values.len()];
                vec![
                    Attribute::int(
                        "support_starts_",
                        "Where each sparse support vector begins.",
                        &[starts.len()],
                        starts,
                    ),
                    Attribute::int("support_columns_", "The columns of their values.", &n, columns),
                    Attribute::real("support_values_", "Their values.", &n, values),
                ]
            }
            Points::Strings(s) => {
                vec![Attribute::text("support_vectors_", "The support vectors.", s.clone())]
            }
            Points::Places(_) | Points::Series(_) | Points::Graphs(_) => Vec::new(),
        }
    }
}

/// The class of the largest value of each row.
fn best(scores: &Mat) -> Vec<u32> {
    (0..scores.n_rows()).map(|i| argmax(scores.row(i)) as u32).collect()
}

impl Fitted for SvmModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let raw = session.run(|| self.raw(input))?;
        match self.machine.form {
            Form::Classes { .. } | Form::NuClasses { .. } => schema.prediction([self.classes(&raw)]),
            Form::Numbers { .. } | Form::NuNumbers { .. } => schema.prediction([raw.into_vec()]),
            Form::OneClass { .. } => {
                let codes = raw.as_slice().iter().map(|f| u32::from(*f >= 0.0)).collect();
                Target::new(vec![TargetColumn {
                    name: Some("inlier".to_owned()),
                    kind: TargetKind::Class([Label::Int(-1), Label::Int(1)].into()),
                    values: TargetValues::Codes(Cow::Owned(codes)),
                }])
            }
        }
    }

    fn abilities(&self) -> Abilities<'_> {
        let numbers = matches!(self.machine.form, Form::Numbers { .. } | Form::NuNumbers { .. });
        Abilities {
            decision: (!numbers).then_some(self as &dyn Decision),
            proba: (!self.sigmoids.is_empty()).then_some(self as &dyn Proba),
            ..Abilities::default()
        }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        Ok(evidence::again(&self.standing(data, session)?, self.support.len(), data.n_rows()))
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, n) = (self.dual_coef.n_rows(), self.support.len());
        // Of two classes positive values mean the second, while a pair is told by its first.
        let sign = if self.n_classes() == 2 { -1.0 } else { 1.0 };
        let signed = |v: &[f64]| v.iter().map(|c| sign * c).collect::<Vec<f64>>();
        let int = |v: &[usize]| v.iter().map(|&i| i as i64).collect::<Vec<i64>>();
        let steps: Vec<i64> = self.n_iter.iter().map(|&i| i as i64).collect();
        let steps_shape = if self.n_classes() == 0 { vec![] } else { vec![steps.len()] };
        let status = i64::from(!self.certificate.termination.is_success());
        let mut all = vec![
            Attribute::int(
                "support_",
                "The rows of training that are support vectors.",
                &[n],
                int(&self.support),
            ),
            Attribute::int(
                "n_support_",
                "How many of each class.",
                &[self.n_support.len()],
                int(&self.n_support),
            ),
            Attribute::real("dual_coef_", "Their coefficients.", &[k, n], signed(self.dual_coef.as_slice())),
            Attribute::real(
                "intercept_",
                "The intercepts.",
                &[self.intercept.len()],
                signed(&self.intercept),
            ),
            Attribute::int("fit_status_", "0 where the solver converged, else 1.", &[], vec![status]),
            Attribute::int(
                "shape_fit_",
                "Rows and features of training.",
                &[2],
                vec![self.shape.0 as i64, self.shape.1 as i64],
            ),
            Attribute::int("n_iter_", "Steps of the solver.", &steps_shape, steps),
        ];
        if let Some(coef) = self.coef() {
            let shape = [coef.n_rows(), coef.n_cols()];
            all.push(Attribute::real(
                "coef_",
                "The coefficients of the features.",
                &shape,
                signed(coef.as_slice()),
            ));
        }
        if self.n_classes() > 0 {
            all.extend(self.class_attributes());
        }
        if matches!(self.machine.form, Form::OneClass { .. }) {
            let offset = self.intercept.iter().map(|b| -b).collect();
            all.push(Attribute::real("offset_", "The score below which rows are outliers.", &[1], offset));
        }
        all.extend(self.vector_attributes());
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let k = schema.labels().map_or(0, |l| l.len());
        let functions = match self.machine.scheme {
            Scheme::Pairs => k * k.saturating_sub(1) / 2,
            Scheme::Rest | Scheme::Joint => k,
            Scheme::One => 1,
        };
        let rows = if self.machine.scheme == Scheme::Pairs { k.saturating_sub(1) } else { functions };
        let classes = matches!(self.machine.form, Form::Classes { .. } | Form::NuClasses { .. });
        let numbers = matches!(self.machine.form, Form::Numbers { .. } | Form::NuNumbers { .. });
        let n = self.support.len();
        let fits = classes == (self.machine.scheme != Scheme::One)
            && (!classes || k >= 2)
            && (!numbers || schema.targets.len() == 1)
            && self.class_weight.len() == if classes { k } else { 0 }
            && self.n_support.len() == k.max(1) * usize::from(classes) + usize::from(!classes)
            && self.n_support.iter().try_fold(0usize, |sum, c| sum.checked_add(*c)) == Some(n)
            && self.vectors.len() == n
            && self.vectors.fits(schema.n_features())
            && self.dual_coef.is_consistent()
            && (self.dual_coef.n_rows(), self.dual_coef.n_cols()) == (rows, n)
            && [self.intercept.len(), self.scales.len(), self.n_iter.len()] == [functions; 3]
            && (self.sigmoids.is_empty() || self.sigmoids.len() == functions)
            && (self.first.is_empty() || self.first.len() == self.shape.0)
            && self.support.iter().all(|&i| i < self.shape.0)
            && self.shape.1 == schema.n_features()
            && self.kernel.takes(self.vectors.view());
        if fits { Ok(()) } else { Err("support vectors do not fit the schema".to_owned()) }
    }
}

impl Decision for SvmModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let raw = session.run(|| self.raw(input))?;
        Ok(match (self.machine.scheme, self.n_classes()) {
            (Scheme::Pairs, 2) => Mat::from_fn(raw.n_rows(), 1, |i, _| -raw[(i, 0)]),
            (Scheme::Pairs, _) if !self.by_pairs => self.by_class(&raw),
            _ => raw,
        })
    }
}

/// Probabilities of pairs are kept this far from 0 and 1.
const EDGE: f64 = 1e-7;

impl Proba for SvmModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let raw = session.run(|| self.raw(input))?;
        let k = self.n_classes();
        let mut out = Mat::zeros(raw.n_rows(), k);
        for i in 0..raw.n_rows() {
            let each: Vec<f64> =
                raw.row(i).iter().zip(&self.sigmoids).map(|(f, s)| s.probability(*f)).collect();
            let p = match (self.machine.scheme, k) {
                (Scheme::Pairs, 2) => {
                    let first = each[0].clamp(EDGE, 1.0 - EDGE);
                    vec![first, 1.0 - first]
                }
                (Scheme::Pairs, _) => {
                    let mut r = vec![vec![0.0; k]; k];
                    for (p, (a, b)) in each.iter().zip(pairs(k as u32)) {
                        let p = p.clamp(EDGE, 1.0 - EDGE);
                        (r[a as usize][b as usize], r[b as usize][a as usize]) = (p, 1.0 - p);
                    }
                    couple(&r)
                }
                _ => each.iter().map(|p| p.clamp(EDGE, 1.0)).collect(),
            };
            let total: f64 = p.iter().sum();
            out.row_mut(i).iter_mut().zip(&p).for_each(|(o, p)| *o = p / total);
        }
        Ok(out)
    }
}
