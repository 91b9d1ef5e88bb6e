//! A perceptron on strings through the spectrum kernel.
//!
//! # Objective
//! Class scores $f_c(s) = \sum_i \alpha_{ic}\,k(s_i, s)$ with $f_{y_i}(s_i) > f_c(s_i)$ for all $c \ne y_i$, where
//! $k$ counts common substrings; normalised, $k(s,t)/\sqrt{k(s,s)k(t,t)}$.
//!
//! # Algorithm
//! The multiclass perceptron in the kernel's feature space: at each mistake the true class's weights gain the
//! string's feature vector and the predicted class's lose it ($\alpha_i \leftarrow \alpha_i \pm 1$), until a pass
//! over the strings makes no mistake. The explicit substring counts make a prediction independent of the number of
//! support strings. With `averaged`, predictions use the mean of all weight vectors along the way.
//!
//! # Complexity
//! Time O(total length × classes) a pass, memory O(distinct substrings × classes).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Input, Target};
//! use mercer_kernels::SpectrumPerceptron;
//! let words = ["abab", "baba", "xyxy", "yxyx"].map(String::from);
//! let data = Dataset::new(&words[..]).with_target(Target::classes(&["left", "left", "right", "right"]))?;
//! let model = SpectrumPerceptron::default().length(2).fit(&data)?;
//! assert_eq!(model.predict(&["abba".to_string()][..])?.columns()[0].text(0), "left");
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Counts and their sums are exact; only the normalisation rounds.
//!
//! # References
//! - C. Leslie, E. Eskin, W. S. Noble. The spectrum kernel. PSB 2002. doi:10.1142/9789812799623_0053
//! - K. Crammer, Y. Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3, 2003.
//! - A. B. J. Novikoff. On convergence proofs for perceptrons. 1962.

use crate::structures::Spectrum;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Error, Evidence, Fitted, Input, Learn, Params,
    Prediction, Result, Schema, Session, Target, Termination,
};
use mercer_math::{Mat, shuffle};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A multiclass perceptron on strings, through the spectrum kernel.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "spectrum-perceptron string-perceptron",
    canon = "K3 K6",
    task = Classification,
    learns_from = Strings,
    python = "kernels",
    session = "random_state verbose",
    can = "decision ordered random",
    references = "Leslie, Eskin, Noble. The spectrum kernel. PSB 2002.|Crammer, Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3, 2003."
)]
pub struct SpectrumPerceptron {
    /// The length of the substrings that are counted, in characters.
    #[param(default = 3, range = "[1, 64]", search = "int 1..6")]
    pub length: usize,
    /// Whether shorter substrings count, too.
    #[param(default = true)]
    pub blended: bool,
    /// Whether strings are scaled to length one in feature space.
    #[param(default = true)]
    pub normalize: bool,
    /// Whether predictions use the mean of the weights over all steps, which errs less on new strings.
    #[param(default = true)]
    pub averaged: bool,
    /// Limit of passes over the strings.
    #[param(default = 50, range = "[1, inf)", search = "int 5..200")]
    pub max_iter: usize,
}

/// Weights of substrings, for each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpectrumPerceptronModel {
    spectrum: Spectrum,
    normalize: bool,
    /// The substrings seen, in order.
    grams: Vec<String>,
    /// Weights for prediction, classes × substrings.
    weights: Mat,
    /// The last weights, of which the certificate speaks.
    last: Mat,
    passes: u64,
    updates: u64,
    certificate: Certificate,
}

const MARGIN: &str = "negative margin";

impl Learn for SpectrumPerceptron {
    type Model = SpectrumPerceptronModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SpectrumPerceptronModel> {
        let input = data.input();
        let strings = input.strings(Self::NAME)?;
        let target = data.need_target(Self::NAME)?;
        let (codes, labels) = target.class()?;
        if labels.len() < 2 {
            return Err(Error::too_few(Self::NAME, "classes", 2, labels.len()));
        }
        let spectrum = Spectrum { length: self.length, blended: self.blended };
        let (grams, rows) = features(&spectrum, self.normalize, strings);
        let run = self.passes(&rows, codes, labels.len(), grams.len(), session);
        let mut model = SpectrumPerceptronModel {
            spectrum,
            normalize: self.normalize,
            grams,
            weights: if self.averaged { run.mean } else { run.last.clone() },
            last: run.last,
            passes: run.passes,
            updates: run.updates,
            certificate: Certificate::new(run.termination).with_iterations(run.passes),
        };
        model.certify(&rows, codes);
        Ok(model)
    }
}

type Row = Vec<(u32, f64)>;

/// The substrings of all strings in order, and each string's sparse features.
fn features(spectrum: &Spectrum, normalize: bool, strings: &[String]) -> (Vec<String>, Vec<Row>) {
    let counts: Vec<_> = strings.iter().map(|s| spectrum.counts(s)).collect();
    let mut grams: Vec<&str> = counts.iter().flat_map(|c| c.keys().copied()).collect();
    grams.sort_unstable();
    grams.dedup();
    let place: HashMap<&str, u32> = grams.iter().enumerate().map(|(i, g)| (*g, i as u32)).collect();
    let rows =
        counts.iter().map(|c| scaled(c.iter().map(|(g, v)| (place[g], *v)).collect(), normalize)).collect();
    (grams.into_iter().map(str::to_owned).collect(), rows)
}

/// The row scaled to length one, where that is asked for and it has a length.
fn scaled(mut row: Row, normalize: bool) -> Row {
    let norm = row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
    if normalize && norm > 0.0 {
        row.iter_mut().for_each(|(_, v)| *v /= norm);
    }
    row
}

fn score(weights: &[f64], row: &Row) -> f64 {
    row.iter().map(|(j, v)| weights[*j as usize] * v).sum()
}

struct Run {
    last: Mat,
    mean: Mat,
    passes: u64,
    updates: u64,
    termination: Termination,
}

impl SpectrumPerceptron {
    /// Passes in an order shuffled for each, until one makes no mistake.
    ///
    /// The mean over all T steps is w − u/T, where u gathers t·Δw of each update (Daumé 2006, section 2.1.2).
    fn passes(
        &self,
        rows: &[Row],
        codes: &[u32],
        n_classes: usize,
        n_grams: usize,
        session: &Session,
    ) -> Run {
        let (mut w, mut u) = (Mat::zeros(n_classes, n_grams), Mat::zeros(n_classes, n_grams));
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let (mut steps, mut updates, mut passes) = (0.0, 0, 0);
        let mut termination = Termination::IterationLimit;
        while passes < self.max_iter as u64 {
            shuffle(&mut session.rng(passes), &mut order);
            let mut mistakes = 0;
            for &i in &order {
                steps += 1.0;
                let truth = codes[i] as usize;
                let rival = (0..n_classes)
                    .filter(|&c| c != truth)
                    .map(|c| (score(w.row(c), &rows[i]), c))
                    .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
                let Some((rival_score, rival)) = rival else { continue };
                if score(w.row(truth), &rows[i]) > rival_score {
                    continue;
                }
                mistakes += 1;
                for (class, sign) in [(truth, 1.0), (rival, -1.0)] {
                    for (j, v) in &rows[i] {
                        w.row_mut(class)[*j as usize] += sign * v;
                        u.row_mut(class)[*j as usize] += sign * v * steps;
                    }
                }
            }
            passes += 1;
            updates += mistakes;
            if mistakes == 0 {
                termination = Termination::Converged;
                break;
            }
            if let Some(why) = session.step("pass", passes, Some(self.max_iter as u64), Some(mistakes as f64))
            {
                termination = why;
                break;
            }
        }
        let mean = Mat::from_fn(n_classes, n_grams, |c, j| w[(c, j)] - u[(c, j)] / (steps + 1.0));
        Run { last: w, mean, passes, updates, termination }
    }
}

impl SpectrumPerceptronModel {
    /// The smallest distance, in feature space, by which the last weights put a string's own class first.
    fn margin(&self, rows: &[Row], codes: &[u32]) -> f64 {
        let norm = self.last.as_slice().iter().map(|v| v * v).sum::<f64>().sqrt();
        let each = rows.iter().zip(codes).map(|(row, &c)| {
            let own = score(self.last.row(c as usize), row);
            let rivals = (0..self.last.n_rows()).filter(|&k| k != c as usize);
            own - rivals.map(|k| score(self.last.row(k), row)).fold(f64::NEG_INFINITY, f64::max)
        });
        each.fold(f64::INFINITY, f64::min) / norm.max(f64::MIN_POSITIVE)
    }

    fn certify(&mut self, rows: &[Row], codes: &[u32]) {
        let margin = self.margin(rows, codes);
        let meaning = "below zero, every training string lies on its own side by that much in feature space";
        let mut certificate =
            self.certificate.clone().with_evidence(Evidence::residual(MARGIN, -margin, meaning));
        if margin > 0.0 {
            let radius = rows.iter().map(|r| r.iter().map(|(_, v)| v * v).sum::<f64>()).fold(0.0, f64::max);
            let bound = 2.0 * radius / (margin * margin);
            let note =
                format!("{} mistakes; Novikoff's bound for this margin allows {bound:.0}", self.updates);
            certificate = certificate.with_note(note);
        } else {
            certificate = certificate.with_note("the strings were not separated: no mistake bound holds");
        }
        self.certificate = certificate;
    }

    fn rows(&self, strings: &[String]) -> Vec<Row> {
        let place = |g: &str| self.grams.binary_search_by(|k| k.as_str().cmp(g)).ok();
        let row = |s: &String| {
            let counts = self.spectrum.counts(s);
            // Substrings that training did not see have no weight, yet count towards the string's length.
            let norm = counts.values().map(|v| v * v).sum::<f64>().sqrt();
            let scale = if self.normalize && norm > 0.0 { norm } else { 1.0 };
            counts.iter().filter_map(|(g, v)| Some((place(g)? as u32, v / scale))).collect()
        };
        strings.iter().map(row).collect()
    }

    fn scores(&self, input: &Input<'_>) -> Result<Mat> {
        let rows = self.rows(input.strings(SpectrumPerceptron::NAME)?);
        Ok(Mat::from_fn(rows.len(), self.weights.n_rows(), |i, c| score(self.weights.row(c), &rows[i])))
    }
}

impl Decision for SpectrumPerceptronModel {
    fn decisions(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        let scores = self.scores(input)?;
        if scores.n_cols() == 2 {
            return Ok(Mat::from_fn(scores.n_rows(), 1, |i, _| scores[(i, 1)] - scores[(i, 0)]));
        }
        Ok(scores)
    }
}

impl Fitted for SpectrumPerceptronModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, _: &Session) -> Result<Prediction> {
        let scores = self.scores(input)?;
        let best = |i: usize| {
            let row = scores.row(i);
            (0..row.len()).rev().max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0) as u32
        };
        let labels = schema.labels().cloned().unwrap_or_else(|| [].into());
        let prediction = Target::coded((0..scores.n_rows()).map(best).collect(), labels);
        Ok(match schema.targets.first().and_then(|t| t.name.clone()) {
            Some(name) => prediction.named(&[name]),
            None => prediction,
        })
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decision: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let input = data.input();
        let rows = self.rows(input.strings(SpectrumPerceptron::NAME)?);
        let target = data.need_target(SpectrumPerceptron::NAME)?;
        Ok(vec![(MARGIN.to_owned(), -self.margin(&rows, target.class()?.0))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let shape = [self.weights.n_rows(), self.weights.n_cols()];
        vec![
            Attribute::real(
                "coef_",
                "The weight of each substring for each class.",
                &shape,
                self.weights.as_slice().to_vec(),
            ),
            Attribute::text("substrings_", "The substrings.", self.grams.clone()),
            Attribute::int("n_iter_", "The number of passes.", &[], vec![self.passes as i64]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let shape = |m: &Mat| m.is_consistent() && m.n_cols() == self.grams.len();
        let classes = schema.labels().map_or(0, |l| l.len());
        let ok = shape(&self.weights)
            && shape(&self.last)
            && self.weights.n_rows() == classes
            && self.last.n_rows() == classes
            && (1..=64).contains(&self.spectrum.length)
            && self.grams.is_sorted();
        if ok { Ok(()) } else { Err("weights do not fit the substrings".to_owned()) }
    }
}
