//! The shares of topics of a document, by variational inference: a Dirichlet posterior that factorises from the topics of words.

use mercer_core::NumbersRef;
use mercer_math::special::{digamma, lgamma};
use mercer_math::{Wide, exp_slice, run_wide, wide};

/// Keeps a word that no topic has from dividing by zero.
const LEAST: f64 = f64::EPSILON;
/// Partial sums of dot products, so that they vectorise.
const LANES: usize = 8;

/// Topics that documents are asked about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inference<'a> {
    /// The weight of each topic for each word, words × topics: exp E ln β, or β itself.
    pub(super) weights: &'a [f64],
    /// The Dirichlet prior of a document's shares.
    pub(super) alpha: &'a [f64],
    /// The mean change of γ at which rounds end.
    pub(super) tol: f64,
    /// The most rounds of a document.
    pub(super) max_rounds: usize,
}

/// A document, and what is inferred of it; kept from document to document, so that nothing is allocated.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    pub(super) words: Vec<u32>,
    pub(super) counts: Vec<f64>,
    /// The Dirichlet posterior of the shares.
    pub(super) gamma: Vec<f64>,
    /// exp E ln θ.
    pub(super) theta: Vec<f64>,
    /// The count of each word over its weight under `theta`.
    pub(super) ratios: Vec<f64>,
    /// The weights of the document's words, topics × words.
    rows: Vec<f64>,
    next: Vec<f64>,
}

impl Work {
    /// Takes the words of row `i`.
    pub(super) fn read(&mut self, x: NumbersRef<'_>, i: usize) {
        self.words.clear();
        self.counts.clear();
        let mut push = |j: u32, v: f64| {
            if v != 0.0 {
                self.words.push(j);
                self.counts.push(v);
            }
        };
        match x {
            NumbersRef::Dense(x) => x.row_cow(i).iter().enumerate().for_each(|(j, v)| push(j as u32, *v)),
            NumbersRef::Sparse(x) => {
                let (columns, values) = x.row(i);
                columns.iter().zip(values).for_each(|(j, v)| push(*j, *v));
            }
        }
    }

    /// The number of words, repeated ones counted again.
    pub(super) fn length(&self) -> f64 {
        self.counts.iter().sum()
    }
}

impl Inference<'_> {
    /// The posterior of the document in `work`, from γ = 1.
    ///
    ///   max_γ,φ  E_q[ln p(words, z, θ)] − E_q[ln q(z, θ)]     with q(θ) = Dirichlet(γ), q(z_w) = φ_w
    ///
    /// Rounds γ ← α + Σ_w n_w φ_w, φ_wk ∝ exp(E ln θ_k) β_wk, until the mean change of γ is below `tol`.
    /// Figure 6 of Blei, Ng, Jordan 2003, with φ never kept.
    pub(super) fn infer(&self, work: &mut Work) {
        let (k, n) = (self.alpha.len(), work.words.len());
        work.rows.resize(k * n, 0.0);
        for (w, &j) in work.words.iter().enumerate() {
            let weights = &self.weights[j as usize * k..][..k];
            weights.iter().enumerate().for_each(|(t, v)| work.rows[t * n + w] = *v);
        }
        work.gamma.clear();
        work.gamma.resize(k, 1.0);
        work.next.resize(k, 0.0);
        work.theta.resize(k, 0.0);
        expected(&work.gamma, &mut work.theta);
        for _ in 0..self.max_rounds {
            self.weigh(work);
            run_wide(Gather { rows: &work.rows, ratios: &work.ratios, out: &mut work.next });
            let mut change = 0.0;
            for (t, next) in work.next.iter_mut().enumerate() {
                *next = *next * work.theta[t] + self.alpha[t];
                change += (*next - work.gamma[t]).abs();
            }
            std::mem::swap(&mut work.gamma, &mut work.next);
            expected(&work.gamma, &mut work.theta);
            if change < self.tol * k as f64 {
                break;
            }
        }
        self.weigh(work);
    }

    /// The ratios under the present `theta`.
    fn weigh(&self, work: &mut Work) {
        let n = work.words.len();
        work.ratios.clear();
        work.ratios.resize(n, LEAST);
        let Work { theta, rows, counts, ratios, .. } = work;
        run_wide(Weigh { theta, rows, counts, ratios });
    }

    /// The bound on the logarithm of the probability of the document in `work`, which has been inferred; `logs` are E ln θ.
    pub(super) fn bound(&self, work: &Work, logs: &mut [f64]) -> f64 {
        let (total, prior) = (work.gamma.iter().sum::<f64>(), self.alpha.iter().sum::<f64>());
        let whole = digamma(total);
        let mut bound = lgamma(prior) - lgamma(total);
        for ((&gamma, &alpha), log) in work.gamma.iter().zip(self.alpha).zip(logs) {
            *log = digamma(gamma) - whole;
            bound += (alpha - gamma) * *log + lgamma(gamma) - lgamma(alpha);
        }
        let word = |(c, r): (&f64, &f64)| c * (c / r).ln();
        bound + work.counts.iter().zip(&work.ratios).map(word).sum::<f64>()
    }
}

/// `ratios = counts / (ratios + Σ_t theta[t] rows[t])`.
struct Weigh<'a> {
    theta: &'a [f64],
    rows: &'a [f64],
    counts: &'a [f64],
    ratios: &'a mut [f64],
}

impl Wide for Weigh<'_> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        for (theta, row) in self.theta.iter().zip(self.rows.chunks_exact(self.counts.len().max(1))) {
            self.ratios.iter_mut().zip(row).for_each(|(r, v)| *r += theta * v);
        }
        self.ratios.iter_mut().zip(self.counts).for_each(|(r, c)| *r = c / *r);
    }
}

/// `out[t] = rows[t] · ratios`.
struct Gather<'a> {
    rows: &'a [f64],
    ratios: &'a [f64],
    out: &'a mut [f64],
}

impl Wide for Gather<'_> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        let n = self.ratios.len();
        for (t, out) in self.out.iter_mut().enumerate() {
            let row = &self.rows[t * n..][..n];
            let ((a, a_rest), (b, b_rest)) = (row.as_chunks::<LANES>(), self.ratios.as_chunks::<LANES>());
            let mut lanes = [0.0; LANES];
            for (a, b) in a.iter().zip(b) {
                for l in 0..LANES {
                    lanes[l] += a[l] * b[l];
                }
            }
            let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
            *out = lanes.iter().sum::<f64>() + rest;
        }
    }
}

/// exp E ln θ of a Dirichlet law.
fn expected(gamma: &[f64], theta: &mut [f64]) {
    theta.copy_from_slice(gamma);
    exp_digamma(theta);
    let whole = (-digamma(gamma.iter().sum())).exp();
    theta.iter_mut().for_each(|v| *v *= whole);
}

/// exp ψ(x) of positive numbers, and 0 of 0, to about 1e-13: with y = x + 10,
/// ψ(x) = ln y − 1/(2y) − Σ B₂ₖ/(2k y²ᵏ) − Σ_{i<10} 1/(x+i), so that no logarithm is taken; the last sum by pairs x+i, x+9−i.
pub(super) fn exp_digamma(values: &mut [f64]) {
    const CHUNK: usize = 128;
    let mut logs = [0.0; CHUNK];
    for values in values.chunks_mut(CHUNK) {
        let logs = &mut logs[..values.len()];
        wide(|| {
            for (log, x) in logs.iter_mut().zip(&*values) {
                let (y, p) = (x + 10.0, x * (x + 9.0));
                let pairs =
                    1.0 / p + 1.0 / (p + 8.0) + 1.0 / (p + 14.0) + 1.0 / (p + 18.0) + 1.0 / (p + 20.0);
                let r = 1.0 / y;
                let s = r * r;
                let tail = 1.0 / 12.0 - s * (1.0 / 120.0 - s * (1.0 / 252.0 - s * (1.0 / 240.0 - s / 132.0)));
                *log = -0.5 * r - s * tail - (2.0 * x + 9.0) * pairs;
            }
        });
        exp_slice(logs);
        wide(|| values.iter_mut().zip(&*logs).for_each(|(v, e)| *v = (*v + 10.0) * e));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_digamma_is_the_exponential_of_digamma() {
        let x: Vec<f64> = (0..4000).map(|i| 10f64.powf(-2.0 + f64::from(i) * 0.002)).collect();
        let mut found = x.clone();
        exp_digamma(&mut found);
        for (x, found) in x.iter().zip(found) {
            let expected = digamma(*x).exp();
            assert!((found - expected).abs() <= 4e-13 * expected, "{x}: {found} and {expected}");
        }
        let mut corners = [0.0, 1e-3, 1e160];
        exp_digamma(&mut corners);
        assert_eq!(corners[..2], [0.0, 0.0]);
        assert!((corners[2] / 1e160 - 1.0).abs() < 1e-12);
    }
}
