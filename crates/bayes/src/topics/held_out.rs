//! How likely topics make documents that they were not learnt from.

use super::inference::{Inference, Work};
use super::lda_model::shares;
use mercer_core::{Error, FoundTopics, NumbersRef, Result, Session, Termination};
use mercer_math::{Mat, Rng, uniform};
use rayon::prelude::*;

/// How well the first half of each document tells the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// The log likelihood of the words of second halves.
    pub log_likelihood: f64,
    /// How many words these are.
    pub words: f64,
}

impl Completion {
    /// The perplexity of the second halves: e to minus the mean logarithm of a word's probability.
    pub fn perplexity(&self) -> f64 {
        (-self.log_likelihood / self.words).exp()
    }
}

/// When rounds of a document end.
const TOL: f64 = 1e-6;
const MAX_ROUNDS: usize = 1000;

/// Document completion: shares of topics are inferred from every other word of a document, and tell the rest. Words are taken in the
/// order of their columns, alternately; parts of counts fall to the first half.
pub fn document_completion(topics: &FoundTopics, x: NumbersRef<'_>, session: &Session) -> Result<Completion> {
    check(topics, x)?;
    let weights = topics.shares.view().t().to_mat();
    let inference =
        Inference { weights: weights.as_slice(), alpha: &topics.prior, tol: TOL, max_rounds: MAX_ROUNDS };
    let one = |(work, rest): &mut (Work, Vec<f64>), i: usize| {
        work.read(x, i);
        halve(work, rest);
        inference.infer(work);
        let theta = shares(work);
        let mut out = (0.0, 0.0);
        for (j, n) in work.words.iter().zip(&*rest).filter(|(_, n)| **n > 0.0) {
            let p: f64 = theta.iter().zip(weights.row(*j as usize)).map(|(t, w)| t * w).sum();
            out = (out.0 + n * p.ln(), out.1 + n);
        }
        out
    };
    let found: Vec<(f64, f64)> =
        session.run(|| (0..x.n_rows()).into_par_iter().map_init(Default::default, one).collect());
    let (log_likelihood, words) = found.iter().fold((0.0, 0.0), |(l, n), (log, of)| (l + log, n + of));
    if words > 0.0 {
        Ok(Completion { log_likelihood, words })
    } else {
        Err(Error::too_few("document completion", "words of second halves", 1, 0))
    }
}

/// Leaves every other word in `work`, from the first on, and puts how many others there are into `rest`.
fn halve(work: &mut Work, rest: &mut Vec<f64>) {
    rest.clear();
    let mut odd = false;
    for count in &mut work.counts {
        let whole = count.floor();
        let other = if odd { (whole / 2.0).ceil() } else { (whole / 2.0).floor() };
        odd ^= whole % 2.0 != 0.0;
        rest.push(other);
        *count -= other;
    }
}

/// The left-to-right estimate of each document's log likelihood, by so many particles: Σ_n ln (1/R) Σ_r p(w_n | z of the words before).
/// Algorithm 3 of Wallach, Murray, Salakhutdinov, Mimno 2009, whose error falls with the particles to well below what tells models apart
/// (tests: below 1 % of the likelihood). Words are taken in the order of their columns; counts must be whole.
pub fn left_to_right(
    topics: &FoundTopics,
    x: NumbersRef<'_>,
    particles: usize,
    session: &Session,
) -> Result<Vec<f64>> {
    check(topics, x)?;
    if particles == 0 {
        return Err(Error::param("left_to_right", "particles", "at least 1", 0));
    }
    let weights = topics.shares.view().t().to_mat();
    let one = |i: usize| -> Result<f64> {
        let mut work = Work::default();
        work.read(x, i);
        if let Some(bad) = work.counts.iter().find(|c| c.fract() != 0.0) {
            return Err(Error::numeric("left_to_right", format!("{bad} in row {i} is no whole count")));
        }
        let repeat = |(j, c): (&u32, &f64)| std::iter::repeat_n(*j as usize, *c as usize);
        let words: Vec<usize> = work.words.iter().zip(&work.counts).flat_map(repeat).collect();
        let mut likelihoods = vec![0.0; words.len()];
        let mut rng = session.rng(i as u64);
        for _ in 0..particles {
            if session.interrupted().is_some_and(|why| why == Termination::Cancelled) {
                return Err(mercer_core::ErrorKind::Cancelled.into());
            }
            particle(&weights, &topics.prior, &words, &mut likelihoods, &mut rng);
        }
        Ok(likelihoods.iter().map(|p| (p / particles as f64).ln()).sum())
    };
    session.run(|| (0..x.n_rows()).into_par_iter().map(one).collect())
}

/// Adds what one particle says of each word to `likelihoods`.
fn particle(weights: &Mat, alpha: &[f64], words: &[usize], likelihoods: &mut [f64], rng: &mut Rng) {
    let whole: f64 = alpha.iter().sum();
    let mut factors = alpha.to_vec();
    let mut topics: Vec<usize> = Vec::with_capacity(words.len());
    for (n, &word) in words.iter().enumerate() {
        for m in 0..n {
            factors[topics[m]] -= 1.0;
            topics[m] = draw(&factors, weights.row(words[m]), rng).0;
            factors[topics[m]] += 1.0;
        }
        let (topic, total) = draw(&factors, weights.row(word), rng);
        likelihoods[n] += total / (n as f64 + whole);
        topics.push(topic);
        factors[topic] += 1.0;
    }
}

/// A topic drawn in proportion to factor times weight, and the sum of these.
fn draw(factors: &[f64], weights: &[f64], rng: &mut Rng) -> (usize, f64) {
    let total: f64 = factors.iter().zip(weights).map(|(f, w)| f * w).sum();
    let mut left = uniform(rng) * total;
    for (k, (f, w)) in factors.iter().zip(weights).enumerate() {
        left -= f * w;
        if left < 0.0 {
            return (k, total);
        }
    }
    (factors.len() - 1, total)
}

fn check(topics: &FoundTopics, x: NumbersRef<'_>) -> Result<()> {
    if x.n_cols() != topics.shares.n_cols() {
        return Err(Error::shape("words", topics.shares.n_cols(), x.n_cols()));
    }
    let negative = match x {
        NumbersRef::Dense(x) => x.find(|v| v < 0.0 || !v.is_finite()).is_some(),
        NumbersRef::Sparse(x) => x.values().iter().any(|v| *v < 0.0 || !v.is_finite()),
    };
    if negative { Err(Error::numeric("topics", "counts must be finite and not negative")) } else { Ok(()) }
}
