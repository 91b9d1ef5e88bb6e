//! The model of the three learners of counts: log probabilities that are linear in the counts of a row.

use super::class_table::ClassTable;
use super::counts::{CountSums, Event, count};
use super::posterior::{
    GAP, LIKELIHOOD, alone, certificate, classes_in_blocks, gap, in_blocks, odds, probabilities,
};
use super::smoothing::CountParams;
use mercer_core::{
    Abilities, Attribute, Certificate, Contributions, Dataset, Error, Explainer, Fitted, Input, Interactions,
    Joint, NumbersRef, Outputs, Prediction, Proba, Result, Schema, Session,
};
use mercer_math::{Mat, MatRef, axpy, dot, matmul};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A naive Bayes model of counts: Bernoulli, multinomial or complement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountNBModel {
    event: Event,
    params: CountParams,
    counts: CountSums,
    /// The counts before the last batch, where learning went on.
    before: Option<CountSums>,
    /// The logarithm of the probability of each feature in each class, classes × features; of the complement model, its weights.
    pub feature_log_prob: Mat,
    /// The logarithm of the share of each class.
    pub class_log_prior: Vec<f64>,
    /// The logarithm of the share of a class that was never seen, where classes are smoothed.
    pub unseen_class_log_prior: Option<f64>,
    /// What a count of each feature adds to each class, classes × features.
    coef: Mat,
    intercept: Vec<f64>,
    certificate: Certificate,
}

impl CountNBModel {
    /// The model of these counts, and of those that an earlier one has.
    pub(super) fn new(
        event: Event,
        params: &CountParams,
        counts: CountSums,
        earlier: Option<&Self>,
    ) -> Result<Self> {
        let before = earlier.map(|model| model.counts.clone());
        let mut all = counts;
        before.iter().for_each(|before| all.add(before));
        let d = all.feature.n_cols();
        if !all.feature.as_slice().iter().all(|n| n.is_finite()) {
            return Err(Error::numeric(event.name(), "counts whose sums are too large: scale the features"));
        }
        let feature_log_prob = log_probabilities(event, &params.alphas(event.name(), d)?, &all)?;
        let prior = params.prior.log_priors(event.name(), &all.class)?;
        let (coef, intercept) = linear_form(event, &feature_log_prob, &prior.known);
        let mut model = Self {
            event,
            params: params.clone(),
            counts: all,
            before,
            feature_log_prob,
            class_log_prior: prior.known,
            unseen_class_log_prior: prior.unseen,
            coef,
            intercept,
            certificate: certificate(None, false),
        };
        model.certificate = certificate(model.likelihood(&model.counts), model.before.is_some());
        Ok(model)
    }

    /// The mean log likelihood of rows with these counts; none of the complement model, which is no likelihood.
    fn likelihood(&self, counts: &CountSums) -> Option<f64> {
        if matches!(self.event, Event::Complement { .. }) {
            return None;
        }
        let term = |n: f64, log: f64| if n == 0.0 { 0.0 } else { n * log };
        let class = |c: usize| {
            let rows = counts.class[c];
            let mut sum = term(rows, self.class_log_prior[c]);
            for (&n, &log) in counts.feature.row(c).iter().zip(self.feature_log_prob.row(c)) {
                sum += term(n, log);
                if let Event::Bernoulli { .. } = self.event {
                    sum += term(rows - n, log_not(log));
                }
            }
            sum
        };
        let sums: Vec<f64> = (0..counts.class.len()).into_par_iter().map(class).collect();
        Some(sums.iter().sum::<f64>() / counts.class.iter().sum::<f64>())
    }

    /// The coefficients and intercepts by which the log odds of two classes, or the joint log probability of each of more, are
    /// linear in the counts of a row.
    pub fn linear_form(&self) -> (Mat, Vec<f64>) {
        odds(&self.coef, &self.intercept)
    }

    fn joint(&self, x: NumbersRef<'_>, session: &Session) -> Mat {
        let table = self.table(x, session);
        in_blocks(x.n_rows(), self.intercept.len(), session, |rows, out| self.fill(x, &table, rows, out))
    }

    /// The coefficients class beside class, where rows are sparse and many enough to pay for turning them.
    fn table(&self, x: NumbersRef<'_>, session: &Session) -> Table {
        let turned = matches!(x, NumbersRef::Sparse(_)) && x.n_rows() > 4;
        match turned.then(|| ClassTable::new(&self.coef, session)) {
            Some(Some(table)) => Table::Turned(table),
            None if self.coef.as_slice().iter().all(|w| w.is_finite()) => Table::None,
            Some(None) | None => Table::Infinite,
        }
    }

    /// The joint log probabilities of some rows.
    fn fill(&self, x: NumbersRef<'_>, table: &Table, rows: std::ops::Range<usize>, out: &mut [f64]) {
        match (x.rows(rows.clone()), table) {
            (_, Table::Infinite) => self.with_care(x, rows, out),
            (NumbersRef::Dense(x), _) => self.dense(x, out),
            (NumbersRef::Sparse(x), Table::Turned(table)) => {
                table.scores(self.event, x, &self.intercept, out)
            }
            (NumbersRef::Sparse(x), Table::None) => {
                for (i, out) in out.chunks_exact_mut(self.intercept.len()).enumerate() {
                    let (columns, values) = x.row(i);
                    for (c, out) in out.iter_mut().enumerate() {
                        let w = self.coef.row(c);
                        let terms =
                            columns.iter().zip(values).map(|(&j, &v)| self.event.count(v) * w[j as usize]);
                        *out = self.intercept[c] + terms.sum::<f64>();
                    }
                }
            }
        }
    }

    fn dense(&self, x: MatRef<'_>, out: &mut [f64]) {
        let counted = self.event.counts_otherwise().then(|| {
            let mut own = x.to_mat();
            own.as_mut_slice().iter_mut().for_each(|v| *v = self.event.count(*v));
            own
        });
        let scores = matmul(counted.as_ref().map_or(x, Mat::view), self.coef.view().t());
        out.copy_from_slice(scores.as_slice());
        let k = self.intercept.len();
        out.chunks_exact_mut(k).for_each(|z| z.iter_mut().zip(&self.intercept).for_each(|(z, b)| *z += b));
    }

    /// The definition, term by term: what does not occur adds nothing, whatever its logarithm.
    fn with_care(&self, x: NumbersRef<'_>, rows: std::ops::Range<usize>, out: &mut [f64]) {
        let k = self.intercept.len();
        let complement = matches!(self.event, Event::Complement { .. }) && k > 1;
        let bernoulli = matches!(self.event, Event::Bernoulli { .. });
        for (i, out) in rows.zip(out.chunks_exact_mut(k)) {
            let row: Vec<f64> = match x {
                NumbersRef::Dense(x) => x.row_cow(i).into_owned(),
                NumbersRef::Sparse(x) => x.rows(i..i + 1).to_dense().into_vec(),
            };
            for (c, out) in out.iter_mut().enumerate() {
                *out = if complement { 0.0 } else { self.class_log_prior[c] };
                for (v, &log) in row.iter().map(|v| self.event.count(*v)).zip(self.feature_log_prob.row(c)) {
                    *out += if v == 0.0 { 0.0 } else { v * log };
                    *out += if bernoulli && v != 1.0 { (1.0 - v) * log_not(log) } else { 0.0 };
                }
            }
        }
    }

    fn numbers_of<'a>(&self, input: &'a Input<'_>) -> Result<mercer_core::Numbers<'a>> {
        input.rows(self.event.name())?.numbers(self.event.name())
    }
}

/// How rows meet coefficients.
enum Table {
    /// As these are.
    None,
    Turned(ClassTable),
    /// With care: a coefficient that is infinite must not meet a count of zero.
    Infinite,
}

/// ln(1 − p) of ln p.
fn log_not(log: f64) -> f64 {
    (-log.exp_m1()).ln()
}

/// The logarithm of each feature's probability in each class. Where neither rows nor pseudo-counts say anything, all
/// features are alike.
fn log_probabilities(event: Event, alphas: &[f64], counts: &CountSums) -> Result<Mat> {
    let (k, d) = (counts.class.len(), alphas.len());
    let mut totals = vec![0.0; d];
    if let Event::Complement { .. } = event {
        (0..k).for_each(|c| axpy(1.0, counts.feature.row(c), &mut totals));
    }
    let class = |(c, out): (usize, &mut [f64])| {
        let own = counts.feature.row(c);
        match event {
            // Rounding must not make less than nothing of what only this class has.
            Event::Complement { .. } => {
                (0..d).for_each(|j| out[j] = (totals[j] + alphas[j] - own[j]).max(alphas[j]));
            }
            Event::Multinomial | Event::Bernoulli { .. } => {
                out.iter_mut().zip(own).zip(alphas).for_each(|((out, n), a)| *out = n + a);
            }
        }
        let sum: f64 = out.iter().sum();
        match event {
            Event::Bernoulli { .. } => {
                for (out, a) in out.iter_mut().zip(alphas) {
                    let whole = counts.class[c] + 2.0 * a;
                    *out = if whole > 0.0 { out.ln() - whole.ln() } else { 0.5f64.ln() };
                }
            }
            Event::Multinomial | Event::Complement { .. } if sum > 0.0 => {
                let whole = sum.ln();
                out.iter_mut().for_each(|out| *out = out.ln() - whole);
            }
            Event::Multinomial | Event::Complement { .. } => out.fill((1.0 / d as f64).ln()),
        }
        match event {
            Event::Complement { norm: true } => {
                let sum: f64 = out.iter().sum();
                out.iter_mut().for_each(|w| *w /= sum);
            }
            Event::Complement { norm: false } => out.iter_mut().for_each(|w| *w = -*w),
            Event::Multinomial | Event::Bernoulli { .. } => {}
        }
    };
    let mut out = Mat::zeros(k, d);
    out.as_mut_slice().par_chunks_mut(d.max(1)).enumerate().for_each(class);
    match out.as_slice().iter().any(|w| w.is_nan()) {
        true => Err(Error::numeric(event.name(), "weights without a sum: take `alpha` above 0")),
        false => Ok(out),
    }
}

/// Coefficients and intercepts of each class.
fn linear_form(event: Event, logs: &Mat, prior: &[f64]) -> (Mat, Vec<f64>) {
    match event {
        Event::Multinomial => (logs.clone(), prior.to_vec()),
        // A single class has no complement.
        Event::Complement { .. } if prior.len() == 1 => (logs.clone(), prior.to_vec()),
        Event::Complement { .. } => (logs.clone(), vec![0.0; prior.len()]),
        Event::Bernoulli { .. } => {
            let coef =
                Mat::from_fn(logs.n_rows(), logs.n_cols(), |c, j| logs[(c, j)] - log_not(logs[(c, j)]));
            let not = |c: usize| logs.row(c).iter().map(|log| log_not(*log)).sum::<f64>();
            (coef, prior.iter().enumerate().map(|(c, p)| p + not(c)).collect())
        }
    }
}

impl Fitted for CountNBModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let numbers = self.numbers_of(input)?;
        let x = numbers.view();
        let (table, k) = (self.table(x, session), self.intercept.len());
        let fill = |rows: std::ops::Range<usize>, out: &mut [f64]| self.fill(x, &table, rows, out);
        schema.prediction([classes_in_blocks(x.n_rows(), k, session, fill)])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), joint: Some(self), explain: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let mut found = count(self.event, data, session)?;
        self.before.iter().for_each(|before| found.add(before));
        let logs = log_probabilities(
            self.event,
            &self.params.alphas(self.event.name(), self.coef.n_cols())?,
            &found,
        )?;
        let prior = self.params.prior.log_priors(self.event.name(), &found.class)?.known;
        let apart =
            gap(logs.as_slice(), self.feature_log_prob.as_slice()).max(gap(&prior, &self.class_log_prior));
        let likelihood = self.likelihood(&found).map(|value| (LIKELIHOOD.to_owned(), value));
        Ok([(GAP.to_owned(), apart)].into_iter().chain(likelihood).collect())
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.coef.n_rows(), self.coef.n_cols());
        let real =
            |name, doc, shape: &[usize], values: &[f64]| Attribute::real(name, doc, shape, values.to_vec());
        let (coef, intercept) = self.linear_form();
        let mut all = vec![
            real("class_count_", "The weight of the rows of each class.", &[k], &self.counts.class),
            real(
                "feature_count_",
                "How often each feature occurs in each class.",
                &[k, d],
                self.counts.feature.as_slice(),
            ),
            real(
                "feature_log_prob_",
                "The logarithm of the probability of each feature in each class.",
                &[k, d],
                self.feature_log_prob.as_slice(),
            ),
            real(
                "class_log_prior_",
                "The logarithm of the share of each class.",
                &[k],
                &self.class_log_prior,
            ),
            real(
                "coef_",
                "What a count of each feature adds to the log odds of two classes, or to each of more.",
                &[coef.n_rows(), d],
                coef.as_slice(),
            ),
            real(
                "intercept_",
                "The log odds, or joint log probabilities, of a row of zeros.",
                &[intercept.len()],
                &intercept,
            ),
        ];
        if let Event::Complement { .. } = self.event {
            let sums: Vec<f64> = (0..d).map(|j| (0..k).map(|c| self.counts.feature[(c, j)]).sum()).collect();
            all.push(real("feature_all_", "How often each feature occurs in all classes.", &[d], &sums));
        }
        if let Some(unseen) = self.unseen_class_log_prior {
            let doc = "The logarithm of the share of a class that was never seen.";
            all.push(real("unseen_class_log_prior_", doc, &[], &[unseen]));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (k, d) = (schema.labels().map_or(0, |l| l.len()), schema.n_features());
        let shape = |m: &Mat| m.is_consistent() && (m.n_rows(), m.n_cols()) == (k, d);
        let counts = |c: &CountSums| c.class.len() == k && shape(&c.feature);
        let fits = k > 0
            && counts(&self.counts)
            && self.before.as_ref().is_none_or(counts)
            && shape(&self.feature_log_prob)
            && shape(&self.coef)
            && self.class_log_prior.len() == k
            && self.intercept.len() == k;
        if fits { Ok(()) } else { Err("counts do not fit the schema".to_owned()) }
    }
}

impl Joint for CountNBModel {
    fn log_joint(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        Ok(self.joint(self.numbers_of(input)?.view(), session))
    }
}

impl Proba for CountNBModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        Ok(probabilities(self.log_joint(input, session)?, session))
    }
}

/// The Shapley values of a linear function of features that vary independently: w_j (n_j − n̄_j) about the mean.
impl Explainer for CountNBModel {
    fn contributions(&self, input: &Input<'_>, _: &Session) -> Result<Contributions> {
        let who = self.event.name();
        if !self.coef.as_slice().iter().all(|w| w.is_finite()) {
            return Err(Error::numeric(
                who,
                "a feature that excludes a class has no finite part: take `alpha` above 0",
            ));
        }
        let x = input.rows(who)?.dense(who)?;
        let (x, k, d) = (x.view(), self.coef.n_rows(), self.coef.n_cols());
        let total = self.counts.class.iter().sum::<f64>();
        let means: Vec<f64> =
            (0..d).map(|j| (0..k).map(|c| self.counts.feature[(c, j)]).sum::<f64>() / total).collect();
        let part = |c: usize| {
            Mat::from_fn(x.n_rows(), d, |i, j| self.coef[(c, j)] * (self.event.count(x.get(i, j)) - means[j]))
        };
        let base = (0..k).map(|c| self.intercept[c] + dot(&means, self.coef.row(c))).collect();
        let values = (0..k).map(part).collect();
        Ok(Contributions { features: Vec::new(), outputs: Outputs::Joint, base, values })
    }

    /// Nothing acts together: all stands on the diagonal.
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        Ok(alone(&self.contributions(input, session)?.values))
    }
}
