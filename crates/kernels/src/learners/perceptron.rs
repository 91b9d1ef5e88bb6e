//! A perceptron in the feature space of a kernel.
//!
//! # Objective
//! Class scores $f_c(x) = \sum_i \alpha_{ic}\,k(x_i, x)$ with $f_{y_i}(x_i) > f_c(x_i)$ for all $c \ne y_i$ and all points of training.
//!
//! # Algorithm
//! Points are visited in an order that is shuffled for each pass. At a mistake, the point's coefficient of its own class grows by 1 and that of
//! the best rival falls by 1 ($\alpha_i \leftarrow \alpha_i \pm 1$), until a pass makes no mistake. Scores of all points are kept, so that a mistake
//! costs one row of the kernel. With `averaged`, predictions use the mean of the coefficients over all steps.
//!
//! # Complexity
//! Time O(n d) a mistake and O(n classes) a pass; memory O(n classes) and the rows of the kernel in use, at most `cache_size`.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::{Kernel, KernelPerceptron};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]).unwrap(); // exclusive or
//! let data = Dataset::new(&x).with_target(Target::classes(&["same", "same", "other", "other"]))?;
//! let model = KernelPerceptron::default().kernel(Kernel::rbf_gamma(2.0).into()).fit(&data)?;
//! assert_eq!(model.predict(&x)?.columns()[0].text(2), "other");
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Coefficients are whole numbers; scores are sums of as many kernels as there were mistakes.
//!
//! # References
//! - M. A. Aizerman, E. M. Braverman, L. I. Rozonoer. Theoretical foundations of the potential function method. 1964.
//! - K. Crammer, Y. Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3, 2003.
//! - A. B. J. Novikoff. On convergence proofs for perceptrons. 1962.

use crate::kernel::{Gamma, Held, Kernel, KernelParams, KernelSpec, Points, Side};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Error, Evidence, Fitted, Input, Kinds, Learn,
    Params, Prediction, Result, Schema, Session, Target, Termination,
};
use mercer_math::{Mat, argmax, axpy, shuffle};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A perceptron in the feature space of a kernel, for two or more classes.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kernel-perceptron",
    canon = "K6",
    task = Classification,
    python = "kernels",
    tried = "kernel=rbf(gamma=0.5),max_iter=20 | averaged=false,kernel=linear,max_iter=5 | kernel=ga(sigma=1),max_iter=3",
    session = "random_state verbose",
    mixins = "KernelMixin",
    can = "decision sparse scaled ordered random counts_rows",
    references = "Aizerman, Braverman, Rozonoer. Theoretical foundations of the potential function method. 1964.|Crammer, Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3, 2003."
)]
pub struct KernelPerceptron {
    /// The kernel.
    #[param(flatten, default(kernel = KernelSpec::word("rbf")))]
    pub params: KernelParams,
    /// Whether predictions use the mean of the coefficients over all steps, which errs less on new points.
    #[param(default = true)]
    pub averaged: bool,
    /// Limit of passes over the points.
    #[param(default = 100, range = "[1, inf)", search = "int 5..200")]
    pub max_iter: usize,
    /// Memory for rows of the kernel, in megabytes.
    #[param(default = 200.0, range = "(0, inf)")]
    pub cache_size: f64,
}

/// Points on which a mistake was made, and their coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelPerceptronModel {
    /// The kernel, with all its hyper-parameters.
    pub kernel: Kernel,
    /// The points on which a mistake was made.
    pub points: Points,
    /// Their places among the points of training.
    pub support: Vec<u64>,
    /// Coefficients for prediction, points × classes.
    pub dual_coef: Mat,
    /// The last coefficients, of which the certificate speaks.
    last: Mat,
    passes: u64,
    mistakes: u64,
    certificate: Certificate,
}

const MARGIN: &str = "negative margin";

impl Learn for KernelPerceptron {
    type Model = KernelPerceptronModel;

    fn kinds(&self) -> Kinds {
        let kind = self.params.kernel.data_kind();
        Kinds { learns_from: kind, asked_about: kind }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<KernelPerceptronModel> {
        let input = data.input();
        let held = Held::new(Self::NAME, self.kinds().learns_from, &input)?;
        let target = data.need_target(Self::NAME)?;
        let (codes, labels) = target.class()?;
        if labels.len() < 2 {
            return Err(Error::too_few(Self::NAME, "classes", 2, labels.len()));
        }
        let kernel = self.params.resolve(Self::NAME, held.view())?;
        kernel.check_given(Self::NAME, held.view())?;
        let side = kernel.side(held.view())?;
        let mut rows = KernelRows::new(&kernel, &side, self.cache_size);
        let run = self.passes(&mut rows, codes, labels.len(), session);
        let support: Vec<usize> = (0..codes.len())
            .filter(|&i| run.last.row(i).iter().chain(run.sum.row(i)).any(|v| *v != 0.0))
            .collect();
        let mean = |i: usize, c: usize| run.last[(i, c)] - run.sum[(i, c)] / (run.steps + 1.0);
        let pick = |of: &dyn Fn(usize, usize) -> f64| {
            Mat::from_fn(support.len(), labels.len(), |s, c| of(support[s], c))
        };
        let last = pick(&|i, c| run.last[(i, c)]);
        let margin = margin(&run.scores, &run.last, codes);
        let radius = kernel.diagonal(&side).into_iter().fold(0.0f64, f64::max);
        let certificate = Certificate::new(run.termination).with_iterations(run.passes);
        Ok(KernelPerceptronModel {
            points: kernel.keep(held.view(), &support),
            support: support.iter().map(|&i| i as u64).collect(),
            dual_coef: if self.averaged { pick(&mean) } else { last.clone() },
            kernel,
            last,
            passes: run.passes,
            mistakes: run.mistakes,
            certificate: certified(certificate, margin, radius, run.mistakes),
        })
    }
}

fn certified(certificate: Certificate, margin: f64, radius: f64, mistakes: u64) -> Certificate {
    let meaning = "below zero, every point of training lies on its own side by that much in feature space";
    let certificate =
        certificate.with_evidence(Evidence::residual(MARGIN, -margin, meaning).on_scale(radius.sqrt()));
    if margin > 0.0 {
        let bound = 2.0 * radius / (margin * margin);
        return certificate
            .with_note(format!("{mistakes} mistakes; Novikoff's bound for this margin allows {bound:.0}"));
    }
    certificate.with_note("the points were not separated: no mistake bound holds")
}

/// The smallest distance in feature space by which the scores put a point's own class first. The squared length of the
/// coefficients is Σ α f, since f = Kα.
fn margin(scores: &Mat, coef: &Mat, codes: &[u32]) -> f64 {
    let products = || scores.as_slice().iter().zip(coef.as_slice()).map(|(f, a)| f * a);
    let (length, size): (f64, f64) = (products().sum(), products().map(f64::abs).sum());
    // Coefficients that cancel, as contradictory points leave them, have no direction: what is left of their length is rounding.
    if length <= 1e-12 * size {
        return 0.0;
    }
    let each = codes.iter().enumerate().map(|(i, &own)| {
        let row = scores.row(i);
        let rivals = (0..row.len()).filter(|&c| c != own as usize).map(|c| row[c]);
        row[own as usize] - rivals.fold(f64::NEG_INFINITY, f64::max)
    });
    each.fold(f64::INFINITY, f64::min) / length.sqrt()
}

/// Rows of the Gram matrix, kept while there is room for them.
struct KernelRows<'k, 's> {
    kernel: &'k Kernel,
    side: &'k Side<'s>,
    kept: HashMap<usize, Vec<f64>>,
    room: usize,
}

impl<'k, 's> KernelRows<'k, 's> {
    fn new(kernel: &'k Kernel, side: &'k Side<'s>, megabytes: f64) -> Self {
        let room = (megabytes * 1e6 / (8.0 * side.len().max(1) as f64)) as usize;
        Self { kernel, side, kept: HashMap::new(), room: room.max(1) }
    }

    fn row(&mut self, i: usize) -> &[f64] {
        if !self.kept.contains_key(&i) && self.kept.len() >= self.room {
            self.kept.clear();
        }
        let (kernel, side) = (self.kernel, self.side);
        self.kept.entry(i).or_insert_with(|| {
            let mut row = vec![0.0; side.len()];
            kernel.block(side, i..i + 1, side, &mut row);
            row
        })
    }
}

struct Run {
    /// Coefficients and scores, points × classes; Σ step · change of the coefficients.
    last: Mat,
    scores: Mat,
    sum: Mat,
    steps: f64,
    passes: u64,
    mistakes: u64,
    termination: Termination,
}

impl KernelPerceptron {
    /// Passes until one makes no mistake. The mean of the coefficients over T steps is α − u/T, where u gathers t·Δα (Daumé 2006).
    fn passes(
        &self,
        rows: &mut KernelRows<'_, '_>,
        codes: &[u32],
        n_classes: usize,
        session: &Session,
    ) -> Run {
        let n = codes.len();
        // Scores by class, so that a row of the kernel is added to consecutive numbers.
        let mut scores = Mat::zeros(n_classes, n);
        let (mut last, mut sum) = (Mat::zeros(n, n_classes), Mat::zeros(n, n_classes));
        let mut order: Vec<usize> = (0..n).collect();
        let (mut steps, mut passes, mut mistakes) = (0.0, 0, 0);
        let mut termination = Termination::IterationLimit;
        'passes: while passes < self.max_iter as u64 {
            shuffle(&mut session.rng(passes), &mut order);
            let before = mistakes;
            for (at, &i) in order.iter().enumerate() {
                // A row of a kernel of series or graphs takes long: the session is asked before each that is not kept.
                if (at % 256 == 0 || !rows.kept.contains_key(&i))
                    && let Some(why) = session.step("pass", passes, Some(self.max_iter as u64), None)
                {
                    termination = why;
                    break 'passes;
                }
                steps += 1.0;
                let own = codes[i] as usize;
                let rivals = (0..n_classes).filter(|&c| c != own).map(|c| (scores[(c, i)], c));
                let best = rivals.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
                let Some((_, rival)) = best.filter(|(score, _)| *score >= scores[(own, i)]) else { continue };
                mistakes += 1;
                let row = rows.row(i);
                for (class, sign) in [(own, 1.0), (rival, -1.0)] {
                    axpy(sign, row, scores.row_mut(class));
                    last[(i, class)] += sign;
                    sum[(i, class)] += sign * steps;
                }
            }
            passes += 1;
            if mistakes == before {
                termination = Termination::Converged;
                break;
            }
            let wrong = (mistakes - before) as f64;
            if let Some(why) = session.step("pass", passes, Some(self.max_iter as u64), Some(wrong)) {
                termination = why;
                break;
            }
        }
        let scores = scores.view().t().to_mat();
        Run { last, scores, sum, steps, passes, mistakes, termination }
    }
}

impl KernelPerceptronModel {
    fn scores(&self, coef: &Mat, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let held = Held::new(KernelPerceptron::NAME, self.kernel.data_kind(), input)?;
        session.run(|| self.kernel.sums_of(held.view(), &self.points, coef))
    }
}

impl Decision for KernelPerceptronModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let scores = self.scores(&self.dual_coef, input, session)?;
        if scores.n_cols() == 2 {
            return Ok(Mat::from_fn(scores.n_rows(), 1, |i, _| scores[(i, 1)] - scores[(i, 0)]));
        }
        Ok(scores)
    }
}

impl Fitted for KernelPerceptronModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let scores = self.scores(&self.dual_coef, input, session)?;
        let labels = schema.labels().cloned().unwrap_or_else(|| [].into());
        let codes = (0..scores.n_rows()).map(|i| argmax(scores.row(i)) as u32).collect();
        let prediction = Target::coded(codes, labels);
        Ok(match schema.targets.first().and_then(|t| t.name.clone()) {
            Some(name) => prediction.named(&[name]),
            None => prediction,
        })
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decision: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let input = data.input();
        let scores = self.scores(&self.last, &input, session)?;
        let target = data.need_target(KernelPerceptron::NAME)?;
        let (codes, _) = target.class()?;
        let mut coef = Mat::zeros(scores.n_rows(), self.last.n_cols());
        for (s, &i) in self.support.iter().enumerate() {
            if i as usize >= coef.n_rows() {
                return Err(Error::shape(
                    "points that KernelPerceptron learnt from, at least",
                    i as usize + 1,
                    coef.n_rows(),
                ));
            }
            coef.row_mut(i as usize).copy_from_slice(self.last.row(s));
        }
        Ok(vec![(MARGIN.to_owned(), -margin(&scores, &coef, codes))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (n, c) = (self.dual_coef.n_rows(), self.dual_coef.n_cols());
        vec![
            Attribute::real(
                "dual_coef_",
                "The coefficient of each point for each class.",
                &[n, c],
                self.dual_coef.as_slice().to_vec(),
            ),
            Attribute::int(
                "support_",
                "The places of the points.",
                &[n],
                self.support.iter().map(|&i| i as i64).collect(),
            ),
            Attribute::int("n_iter_", "The number of passes.", &[], vec![self.passes as i64]),
            Attribute::int("n_mistakes_", "The number of mistakes.", &[], vec![self.mistakes as i64]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (n, classes) = (self.points.len(), schema.labels().map_or(0, |l| l.len()));
        let shape = |m: &Mat| m.is_consistent() && m.n_rows() == n && m.n_cols() == classes;
        let fits = self.points.fits(schema.n_features())
            && shape(&self.dual_coef)
            && shape(&self.last)
            && self.support.len() == n
            && self.kernel.takes(self.points.view());
        if fits { Ok(()) } else { Err("coefficients do not fit the points".to_owned()) }
    }
}
