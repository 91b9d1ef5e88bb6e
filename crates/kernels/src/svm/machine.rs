//! From data to problems, and from their solutions to a model.

use super::form::{Form, Solved, Standing};
use super::model::{Scheme, SvmModel};
use super::platt::Sigmoid;
use super::solver::Settings;
use super::source::Source;
use crate::kernel::{Held, Kernel, KernelParams, Points, PointsRef};
use mercer_core::{Certificate, ClassWeight, Dataset, Error, ErrorKind, Result, Session, Termination};
use mercer_math::{Mat, Weights};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// All that is needed to solve a machine's problems, and to prove their solutions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) name: String,
    pub(crate) form: Form,
    pub(crate) scheme: Scheme,
    pub(crate) class_weight: Option<ClassWeight>,
}

/// One problem: the rows that pose it, their targets and weights.
pub(crate) struct Part {
    pub(crate) rows: Vec<usize>,
    pub(crate) y: Vec<f64>,
    pub(crate) weights: Vec<f64>,
}

/// The problems of data.
pub(crate) struct Parts {
    pub(crate) parts: Vec<Part>,
    /// The class of every row, and the weight of every class; empty for numbers.
    pub(crate) codes: Vec<u32>,
    pub(crate) factors: Vec<f64>,
}

/// Problems of no more rows than this are solved side by side.
const SMALL: usize = 2048;

impl Machine {
    /// The problems that data pose.
    pub(crate) fn parts(&self, data: &Dataset<'_>) -> Result<Parts> {
        let n = data.n_rows();
        let weights = Weights::of(&data.weights()).to_vec(n);
        let weighted = |i: &usize| weights[*i] > 0.0;
        let rows: Vec<usize> = (0..n).filter(weighted).collect();
        let part = |rows: Vec<usize>, y: Vec<f64>, factor: &dyn Fn(usize) -> f64| {
            let weights = rows.iter().map(|&i| weights[i] * factor(i)).collect();
            Part { rows, y, weights }
        };
        if self.scheme == Scheme::One {
            let y: Vec<f64> = match self.form {
                Form::OneClass { .. } => vec![1.0; rows.len()],
                _ => {
                    let target = data.need_target(&self.name)?;
                    let y = target.numbers()?;
                    rows.iter().map(|&i| y[i]).collect()
                }
            };
            let parts = vec![part(rows, y, &|_| 1.0)];
            return Ok(Parts { parts, codes: Vec::new(), factors: Vec::new() });
        }
        let target = data.need_target(&self.name)?;
        let (codes, labels) = target.class()?;
        let mut totals = vec![0.0; labels.len()];
        rows.iter().for_each(|&i| totals[codes[i] as usize] += weights[i]);
        let present = totals.iter().filter(|t| **t > 0.0).count();
        if present < 2 {
            return Err(Error::too_few(&self.name, "classes", 2, present));
        }
        let factors = match &self.class_weight {
            Some(given) => given.factors(&self.name, labels, &totals)?,
            None => vec![1.0; labels.len()],
        };
        let factor = |i: usize| factors[codes[i] as usize];
        let sign = |class: u32| move |c: u32| if c == class { 1.0 } else { -1.0 };
        let k = labels.len() as u32;
        let parts = match self.scheme {
            Scheme::Pairs => pairs(k)
                .map(|(a, b)| {
                    let rows: Vec<usize> =
                        rows.iter().copied().filter(|&i| codes[i] == a || codes[i] == b).collect();
                    let y = rows.iter().map(|&i| codes[i]).map(sign(a)).collect();
                    part(rows, y, &factor)
                })
                .collect(),
            _ => (0..k)
                .map(|class| {
                    part(rows.clone(), rows.iter().map(|&i| codes[i]).map(sign(class)).collect(), &factor)
                })
                .collect(),
        };
        Ok(Parts { parts, codes: codes.to_vec(), factors })
    }

    /// Solves all problems, small ones side by side.
    fn solve(
        &self,
        all: &Source<'_>,
        parts: &Parts,
        settings: &Settings,
        session: &Session,
    ) -> Result<Vec<Solved>> {
        let (classes, parts) = (parts, &parts.parts);
        if let (Scheme::Joint, Form::Classes { c }) = (self.scheme, self.form) {
            let (source, problem) = (all.subset(&parts[0].rows), super::joint::pose(c, classes));
            let settings = self.form.settings(settings, parts[0].rows.len());
            return super::joint::solve(&self.name, &source, &problem, &settings, session);
        }
        let one = |part: &Part| {
            let source = all.subset(&part.rows);
            let settings = self.form.settings(settings, part.rows.len());
            self.form.solve(&self.name, &source, (&part.y, &part.weights), &settings, session)
        };
        match parts.len() > 1 && parts.iter().all(|p| p.rows.len() <= SMALL) {
            true => parts.par_iter().map(one).collect(),
            false => parts.iter().map(one).collect(),
        }
    }

    /// Learns.
    pub(crate) fn learn(
        self,
        data: &Dataset<'_>,
        kernel: &KernelParams,
        settings: &Settings,
        probability: bool,
        session: &Session,
    ) -> Result<SvmModel> {
        let input = data.input();
        let held = Held::new(&self.name, kernel.kernel.data_kind(), &input)?;
        let owned = worked_on(held.view());
        let points = owned.as_ref().map_or_else(|| held.view(), Points::view);
        let kernel = kernel.resolve(&self.name, points)?;
        square_given(&kernel, points)?;
        let parts = self.parts(data)?;
        let all = Source::new(&kernel, points, (0..points.len()).collect())?;
        let solved = self.solve(&all, &parts, settings, session)?;
        let sigmoids = match probability {
            true => self.sigmoids(&all, &parts.parts, settings, session)?,
            false => Vec::new(),
        };
        Ok(self.model(held.view(), kernel, &parts, solved, sigmoids, (data.n_rows(), data.n_features())))
    }

    /// A sigmoid for each problem, from decisions on rows that its machine has not seen.
    fn sigmoids(
        &self,
        all: &Source<'_>,
        parts: &[Part],
        settings: &Settings,
        session: &Session,
    ) -> Result<Vec<Sigmoid>> {
        let one = |(at, part): (usize, &Part)| {
            let source = all.subset(&part.rows);
            let decide = |train: &[usize], test: &[usize]| {
                let take = |v: &[f64], rows: &[usize]| -> Vec<f64> { rows.iter().map(|&i| v[i]).collect() };
                let (y, weights) = (take(&part.y, train), take(&part.weights, train));
                let form = self.form.within(&y, &weights);
                let settings = form.settings(settings, train.len());
                let solved =
                    form.solve(&self.name, &source.subset(train), (&y, &weights), &settings, session)?;
                let sums = super::solver::weighted_sums(
                    &source,
                    test,
                    train,
                    &solved.coefficients,
                    &session.quiet(),
                )?;
                Ok(sums.into_iter().map(|s| s + solved.intercept).collect())
            };
            // Probabilities of half-learnt machines would say nothing.
            match session.interrupted() {
                Some(_) => Err(ErrorKind::Cancelled.into()),
                None => Sigmoid::learn(&part.y, session.rng(at as u64), decide),
            }
        };
        parts.par_iter().enumerate().map(one).collect()
    }

    fn model(
        self,
        points: PointsRef<'_>,
        kernel: Kernel,
        parts: &Parts,
        solved: Vec<Solved>,
        sigmoids: Vec<Sigmoid>,
        shape: (usize, usize),
    ) -> SvmModel {
        let n = points.len();
        let k = parts.factors.len();
        let mut used = vec![false; n];
        for (part, solved) in parts.parts.iter().zip(&solved) {
            part.rows.iter().zip(&solved.coefficients).for_each(|(&i, c)| used[i] |= *c != 0.0);
        }
        let mut support: Vec<usize> = (0..n).filter(|&i| used[i]).collect();
        // Vectors of a class stand together, in the order of the classes.
        support.sort_by_key(|&i| parts.codes.get(i).copied().unwrap_or(0));
        let n_support = match k {
            0 => vec![support.len()],
            _ => (0..k as u32).map(|c| support.iter().filter(|&&i| parts.codes[i] == c).count()).collect(),
        };
        let dual_coef = self.scheme.coefficients(&support, parts, &solved);
        let vectors = match kernel {
            Kernel::Precomputed => Points::Places(support.iter().map(|&i| i as u32).collect()),
            _ => points.gather(&support),
        };
        let standing = solved.iter().map(|s| s.standing).fold(Standing::default(), Standing::and);
        let first = match solved.as_slice() {
            [one] if !one.first.is_empty() => {
                let place = |i: usize| parts.parts[0].rows.binary_search(&i).map_or(0.0, |at| one.first[at]);
                (0..n).map(place).collect()
            }
            _ => Vec::new(),
        };
        let certificate = self.certify(&solved, &standing, support.len(), n);
        SvmModel {
            machine: self,
            kernel,
            support,
            vectors,
            n_support,
            dual_coef,
            intercept: solved.iter().map(|s| s.intercept).collect(),
            scales: solved.iter().map(|s| s.scale).collect(),
            first,
            sigmoids,
            n_iter: solved.iter().map(|s| s.iterations).collect(),
            shape,
            class_weight: parts.factors.clone(),
            break_ties: false,
            by_pairs: false,
            certificate,
        }
    }

    fn certify(&self, solved: &[Solved], standing: &Standing, support: usize, n: usize) -> Certificate {
        let ends = || solved.iter().map(|s| s.termination);
        let termination = ends().find(|t| !t.is_success()).unwrap_or(Termination::Converged);
        let iterations = solved.iter().map(|s| s.iterations).sum();
        let certificate = Certificate::new(termination)
            .with_iterations(iterations)
            .with_objective(standing.dual + standing.gap);
        let certificate = super::evidence::of(self, standing, support, n)
            .into_iter()
            .fold(certificate, Certificate::with_evidence);
        let of = if solved.len() == 1 { String::new() } else { format!(" of {} machines", solved.len()) };
        certificate.with_note(format!(
            "support vectors{of}: {} at a bound, {} free",
            standing.bounded, standing.free
        ))
    }
}

/// Pairs of classes in LIBSVM's order.
pub(crate) fn pairs(k: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..k).flat_map(move |a| (a + 1..k).map(move |b| (a, b)))
}

/// The share of values other than zero from which on sparse rows are dense to the solver.
const FULL: usize = 8;

/// Rows as they are learnt from: sparse ones that are nearly full are dense, so that they give the bits that dense ones give, sooner.
pub(crate) fn worked_on(points: PointsRef<'_>) -> Option<Points> {
    match points {
        PointsRef::Sparse(m) if m.nnz().saturating_mul(FULL) >= m.n_rows().saturating_mul(m.n_cols()) => {
            Some(Points::Dense(m.to_dense()))
        }
        _ => contiguous(points),
    }
}

/// A copy by rows of what lies otherwise, so that the layout changes nothing.
pub(crate) fn contiguous(points: PointsRef<'_>) -> Option<Points> {
    match points {
        PointsRef::Dense(m) if !m.has_contiguous_rows() => Some(points.to_points()),
        _ => None,
    }
}

fn square_given(kernel: &Kernel, points: PointsRef<'_>) -> Result<()> {
    match kernel {
        Kernel::Precomputed if points.n_features() != points.len() => Err(Error::shape(
            "columns of the Gram matrix, which has a column for each row",
            points.len(),
            points.n_features(),
        )),
        _ => Ok(()),
    }
}

impl Scheme {
    /// The coefficients of support vectors, in rows as scikit-learn has them.
    fn coefficients(self, support: &[usize], parts: &Parts, solved: &[Solved]) -> Mat {
        let k = parts.factors.len();
        let rows = match self {
            Scheme::Pairs => k - 1,
            Scheme::Rest | Scheme::Joint => k,
            Scheme::One => 1,
        };
        let mut out = Mat::zeros(rows, support.len());
        let mut place = vec![0; support.iter().max().map_or(0, |m| m + 1)];
        support.iter().enumerate().for_each(|(at, &i)| place[i] = at);
        let each = pairs(k as u32).map(Some).chain(std::iter::repeat(None));
        for (at, ((part, solved), pair)) in parts.parts.iter().zip(solved).zip(each).enumerate() {
            for (&i, &c) in part.rows.iter().zip(&solved.coefficients).filter(|(_, c)| **c != 0.0) {
                let row = match (self, pair) {
                    (Scheme::Pairs, Some((a, b))) if parts.codes[i] == a => b as usize - 1,
                    (Scheme::Pairs, Some((a, _))) => a as usize,
                    _ => at,
                };
                out[(row, place[i])] = c;
            }
        }
        out
    }
}
