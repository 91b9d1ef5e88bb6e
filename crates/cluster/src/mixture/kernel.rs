//! The E-step of Gaussian components: whitened rows, shares of the components, and expected statistics.
//!
//! Rows are taken in chunks that stay in the first caches, with a feature a row: whitening all components is one matrix
//! product, and every other loop runs over neighbouring rows of a feature. The statistics of whitened rows
//! z = Pᵀ(x − m) are, for each component, Σ r, Σ r z and Σ r z zᵀ; the last is a product of z scaled by √r with itself.

use super::em::Seen;
use super::gaussians::{CovarianceType, Gaussians};
use super::moments::Moments;
use mercer_core::NumbersRef;
use mercer_math::{Mat, MatRef, Weights, dot, exp_slice, gemm_into, sum, wide};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows of a chunk.
const CHUNK: usize = 256;

/// Expected statistics of Gaussian components.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GaussianSums {
    /// The weighted sum of the rows' log-likelihoods.
    pub(crate) log_likelihood: f64,
    /// The weight of all rows.
    pub(crate) weight: f64,
    /// −Σ r ln r.
    pub(crate) entropy: f64,
    /// Σ r of each component.
    pub(crate) totals: Vec<f64>,
    /// Σ r u of each component, where rows draw by u (Student's t).
    pub(crate) pulls: Vec<f64>,
    /// Σ r (ln u − u) of each component, for the degrees of freedom.
    pub(crate) tails: Vec<f64>,
    /// Σ r u z of each component.
    pub(crate) firsts: Vec<f64>,
    /// Σ r u z zᵀ of each component, or its diagonal, or of all components together.
    pub(crate) seconds: Vec<f64>,
}

impl GaussianSums {
    pub(crate) fn merge(&mut self, other: Self) {
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        self.log_likelihood += other.log_likelihood;
        self.weight += other.weight;
        self.entropy += other.entropy;
        add(&mut self.totals, &other.totals);
        add(&mut self.pulls, &other.pulls);
        add(&mut self.tails, &other.tails);
        add(&mut self.firsts, &other.firsts);
        add(&mut self.seconds, &other.seconds);
    }
}

/// Gaussian (or Student's) components, ready to look at rows.
#[derive(Debug)]
pub(crate) struct Kernel<'a> {
    at: &'a Gaussians,
    /// The transposed factors, one below the other: all whitened features of a row are its product with the row.
    map: Vec<f64>,
    /// The whitened means, from the origin.
    places: Vec<f64>,
    /// What is added to each component's logarithm.
    constants: Vec<f64>,
    /// Degrees of freedom; none for Gaussians.
    freedom: &'a [f64],
    /// Whether the entropy of the shares is summed.
    pub(crate) entropy: bool,
}

/// Work space of a chunk.
#[derive(Debug)]
pub(crate) struct Scratch {
    rows: Vec<f64>,
    white: Vec<f64>,
    logs: Vec<f64>,
    pulls: Vec<f64>,
    tops: Vec<f64>,
    sizes: Vec<f64>,
    roots: Vec<f64>,
}

/// A share below this is none.
const NOTHING: f64 = 1e-200;

/// ln(2π).
pub(crate) const LN_2PI: f64 = 1.837_877_066_409_345_5;

impl<'a> Kernel<'a> {
    /// Components with constants of their own beside ln |P|: logarithms of weights, of normalisers.
    pub(crate) fn new(at: &'a Gaussians, constants: &[f64], freedom: &'a [f64]) -> Self {
        let (k, d) = (at.n_components(), at.n_features());
        let count = at.form.count(k);
        let mut map = Vec::new();
        if matches!(at.form, CovarianceType::Full | CovarianceType::Tied) {
            map = vec![0.0; count * d * d];
            for c in 0..count {
                let factor = at.factor(c);
                (0..d * d).for_each(|e| map[c * d * d + e] = factor[e % d * d + e / d]);
            }
        }
        let mut places = vec![0.0; k * d];
        for c in 0..k {
            let shift: Vec<f64> = at.means.row(c).iter().zip(&at.origin).map(|(m, o)| m - o).collect();
            let place = &mut places[c * d..(c + 1) * d];
            match at.form {
                CovarianceType::Full | CovarianceType::Tied => {
                    let own = if count == 1 { 0 } else { c };
                    let rows = map[own * d * d..(own + 1) * d * d].chunks_exact(d);
                    place.iter_mut().zip(rows).for_each(|(p, row)| *p = dot(row, &shift));
                }
                CovarianceType::Diag | CovarianceType::Spherical => place.copy_from_slice(&shift),
            }
        }
        let constants = (0..k).map(|c| constants[c] + at.log_det(c)).collect();
        Self { at, map, places, constants, freedom, entropy: false }
    }

    fn sizes(&self) -> (usize, usize) {
        (self.at.n_components(), self.at.n_features())
    }

    pub(crate) fn scratch(&self, rows: usize) -> Scratch {
        let ((k, d), n) = (self.sizes(), rows.min(CHUNK));
        let whites = if self.at.form == CovarianceType::Tied { d } else { k * d };
        let make = |len: usize| vec![0.0; len * n];
        Scratch {
            rows: make(d),
            white: make(whites),
            logs: make(k),
            pulls: make(if self.freedom.is_empty() { 0 } else { k }),
            tops: make(1),
            sizes: make(1),
            roots: make(1),
        }
    }

    /// Statistics of no rows.
    pub(crate) fn zero(at: &Gaussians, tails: bool) -> GaussianSums {
        let (k, d) = (at.n_components(), at.n_features());
        let seconds = match at.form {
            CovarianceType::Full => k * d * d,
            CovarianceType::Tied => d * d,
            CovarianceType::Diag | CovarianceType::Spherical => k * d,
        };
        GaussianSums {
            log_likelihood: 0.0,
            weight: 0.0,
            entropy: 0.0,
            totals: vec![0.0; k],
            pulls: vec![0.0; if tails { k } else { 0 }],
            tails: vec![0.0; if tails { k } else { 0 }],
            firsts: vec![0.0; k * d],
            seconds: vec![0.0; seconds],
        }
    }

    /// Adds the expected statistics of rows.
    pub(crate) fn expect(&self, seen: Seen<'_>, sums: &mut GaussianSums) {
        let (n, (k, d)) = (seen.x.n_rows(), self.sizes());
        let mut s = self.scratch(n);
        let moments = Moments::new(self.at, &self.places);
        let size = moments.as_ref().map_or(CHUNK, |_| Moments::rows(d));
        let mut products = moments.as_ref().map_or_else(Vec::new, |fast| fast.products(size));
        let mut totals = moments.as_ref().map_or_else(Vec::new, Moments::sums);
        for start in (0..n).step_by(size) {
            let range = start..(start + size).min(n);
            let m = range.len();
            self.centre(seen.x.rows(range.clone()), &mut s);
            match &moments {
                Some(fast) => fast.distances(&s.rows, m, &mut products, &mut s.logs[..k * m]),
                None => self.distances(m, &mut s),
            }
            self.logs(m, &mut s);
            let weights = seen.weights.rows(range.clone());
            match seen.shares {
                Some(shares) => {
                    let shares = &shares[start * k..(start + m) * k];
                    (0..k * m).for_each(|e| s.logs[e] = shares[e % m * k + e / m]);
                    s.pulls.fill(1.0);
                }
                None => self.share(m, weights, seen.known.map(|v| &v[range.clone()]), &mut s, sums),
            }
            if let Some(known) = seen.known {
                fix(&known[range], m, &mut s.logs[..k * m]);
            }
            self.count(m, weights, &mut s, sums);
            match &moments {
                Some(fast) => fast.add(&products, &s.logs[..k * m], m, &mut totals),
                None => self.add(m, &mut s, sums),
            }
        }
        if let Some(fast) = &moments {
            fast.whitened(&totals, sums);
        }
    }

    /// The rows of a chunk, from the origin; features are rows.
    fn centre(&self, x: MatRef<'_>, s: &mut Scratch) {
        let (d, m) = (self.at.n_features(), x.n_rows());
        let rows = &mut s.rows[..d * m];
        if x.has_contiguous_rows() {
            for i in 0..m {
                let row = x.row(i).unwrap_or(&[]);
                for j in 0..d {
                    rows[j * m + i] = row[j] - self.at.origin[j];
                }
            }
        } else {
            (0..d * m).for_each(|e| rows[e] = x.get(e % m, e / m) - self.at.origin[e / m]);
        }
    }

    /// The whitened rows of a chunk; where covariances are not shared, from the means of the components.
    fn whiten(&self, m: usize, s: &mut Scratch) {
        let (k, d) = self.sizes();
        let rows = &s.rows[..d * m];
        if let CovarianceType::Full | CovarianceType::Tied = self.at.form {
            let (map, rows) =
                (MatRef::row_major(&self.map, self.map.len() / d, d), MatRef::row_major(rows, d, m));
            if let (Some(map), Some(rows)) = (map, rows) {
                gemm_into(1.0, map, rows, 0.0, &mut s.white[..map.n_rows() * m]);
            }
            return;
        }
        for c in 0..k {
            let factor = self.at.factor(c);
            for j in 0..d {
                let (place, factor) = (self.places[c * d + j], factor[j % factor.len()]);
                let out = &mut s.white[(c * d + j) * m..(c * d + j + 1) * m];
                let row = &rows[j * m..(j + 1) * m];
                wide(|| out.iter_mut().zip(row).for_each(|(z, x)| *z = (x - place) * factor));
            }
        }
    }

    /// The squared Mahalanobis distances of all components. Whitened rows end as differences from the means, but for shared
    /// covariances.
    fn distances(&self, m: usize, s: &mut Scratch) {
        self.whiten(m, s);
        let (k, d) = self.sizes();
        for c in 0..k {
            let logs = &mut s.logs[c * m..(c + 1) * m];
            logs.fill(0.0);
            for j in 0..d {
                let place = self.places[c * d + j];
                match self.at.form {
                    CovarianceType::Full => {
                        let z = &mut s.white[(c * d + j) * m..(c * d + j + 1) * m];
                        wide(|| {
                            for (q, z) in logs.iter_mut().zip(z) {
                                *z -= place;
                                *q += *z * *z;
                            }
                        });
                    }
                    CovarianceType::Tied => {
                        let z = &s.white[j * m..(j + 1) * m];
                        wide(|| logs.iter_mut().zip(z).for_each(|(q, z)| *q += (z - place) * (z - place)));
                    }
                    CovarianceType::Diag | CovarianceType::Spherical => {
                        let z = &s.white[(c * d + j) * m..(c * d + j + 1) * m];
                        wide(|| logs.iter_mut().zip(z).for_each(|(q, z)| *q += z * z));
                    }
                }
            }
        }
    }

    /// From squared distances to the logarithms of weight times density of each component; where there are degrees of freedom,
    /// by how much a row draws, too.
    fn logs(&self, m: usize, s: &mut Scratch) {
        let (k, d) = self.sizes();
        for c in 0..k {
            let (logs, constant) = (&mut s.logs[c * m..(c + 1) * m], self.constants[c]);
            match self.freedom.get(c) {
                None => wide(|| logs.iter_mut().for_each(|q| *q = constant - 0.5 * *q)),
                Some(&nu) => {
                    let half = 0.5 * (nu + d as f64);
                    for (q, u) in logs.iter_mut().zip(&mut s.pulls[c * m..(c + 1) * m]) {
                        *u = 2.0 * half / (nu + *q);
                        *q = constant - half * (*q / nu).ln_1p();
                    }
                }
            }
        }
    }

    /// Turns logarithms into shares, and adds the log-likelihood of the rows.
    fn share(
        &self,
        m: usize,
        weights: Weights<'_>,
        known: Option<&[u32]>,
        s: &mut Scratch,
        sums: &mut GaussianSums,
    ) {
        let k = self.at.n_components();
        for (i, known) in known.into_iter().flatten().enumerate().filter(|(_, c)| (**c as usize) < k) {
            // A known row counts with its own component alone.
            (0..k).filter(|c| *c != *known as usize).for_each(|c| s.logs[c * m + i] = f64::NEG_INFINITY);
        }
        normalise(k, m, s);
        for i in 0..m {
            let log = s.tops[i];
            sums.log_likelihood += weights[i] * log;
        }
        if self.entropy {
            let logs = s.logs[..k * m].iter().enumerate();
            sums.entropy -=
                logs.map(|(e, r)| if *r > 0.0 { weights[e % m] * r * r.ln() } else { 0.0 }).sum::<f64>();
        }
    }

    /// Adds Σ r of a chunk whose shares are known; the shares become what each row draws by.
    fn count(&self, m: usize, weights: Weights<'_>, s: &mut Scratch, sums: &mut GaussianSums) {
        sums.weight += weights.total(m);
        for c in 0..self.at.n_components() {
            let r = &mut s.logs[c * m..(c + 1) * m];
            if let Some(weights) = weights.given() {
                r.iter_mut().zip(weights).for_each(|(r, w)| *r *= w);
            }
            sums.totals[c] += sum(r);
            if let Some(pull) = sums.pulls.get_mut(c) {
                let u = &s.pulls[c * m..(c + 1) * m];
                sums.tails[c] += r.iter().zip(u).map(|(r, u)| r * (u.ln() - u)).sum::<f64>();
                r.iter_mut().zip(u).for_each(|(r, u)| *r *= u);
                *pull += sum(r);
            }
        }
    }

    /// Adds Σ r z and Σ r z zᵀ of a chunk.
    fn add(&self, m: usize, s: &mut Scratch, sums: &mut GaussianSums) {
        let (k, d) = self.sizes();
        s.sizes[..m].fill(0.0);
        for c in 0..k {
            let r = &s.logs[c * m..(c + 1) * m];
            if self.at.form == CovarianceType::Tied {
                s.sizes[..m].iter_mut().zip(r).for_each(|(v, r)| *v += r);
                let firsts = sums.firsts[c * d..(c + 1) * d].iter_mut();
                firsts.zip(s.white.chunks_exact(m)).for_each(|(f, z)| *f += dot(r, z));
                continue;
            }
            let roots = &mut s.roots[..m];
            wide(|| roots.iter_mut().zip(r).for_each(|(v, r)| *v = r.sqrt()));
            let white = &mut s.white[c * d * m..(c + 1) * d * m];
            scaled(white, roots);
            let firsts = sums.firsts[c * d..(c + 1) * d].iter_mut();
            firsts.zip(white.chunks_exact(m)).for_each(|(f, z)| *f += dot(roots, z));
            if self.at.form == CovarianceType::Full {
                square_add(white, d, &mut sums.seconds[c * d * d..(c + 1) * d * d]);
            } else {
                let seconds = sums.seconds[c * d..(c + 1) * d].iter_mut();
                seconds.zip(white.chunks_exact(m)).for_each(|(q, z)| *q += dot(z, z));
            }
        }
        if self.at.form == CovarianceType::Tied {
            s.sizes[..m].iter_mut().for_each(|v| *v = v.sqrt());
            let white = &mut s.white[..d * m];
            scaled(white, &s.sizes[..m]);
            square_add(white, d, &mut sums.seconds);
        }
    }

    /// For each row, the logarithm of its density, or the shares of its components where `shares` is set; rows side by side.
    pub(crate) fn ask(&self, x: NumbersRef<'_>, shares: bool) -> Mat {
        let (n, k) = (x.n_rows(), self.at.n_components());
        let width = if shares { k } else { 1 };
        let mut out = Mat::zeros(n, width);
        let one = |(block, out): (usize, &mut [f64])| {
            let start = block * CHUNK;
            let dense;
            let x = match x.rows(start..start + out.len() / width) {
                NumbersRef::Dense(x) => x,
                NumbersRef::Sparse(x) => {
                    dense = x.to_dense();
                    dense.view()
                }
            };
            let (m, mut s) = (x.n_rows(), self.scratch(x.n_rows()));
            self.centre(x, &mut s);
            self.distances(m, &mut s);
            self.logs(m, &mut s);
            normalise(k, m, &mut s);
            match shares {
                true => (0..k * m).for_each(|e| out[e % m * k + e / m] = s.logs[e]),
                false => out.copy_from_slice(&s.tops[..m]),
            }
        };
        if n <= CHUNK {
            out.as_mut_slice().chunks_mut(CHUNK * width).enumerate().for_each(one);
        } else {
            out.as_mut_slice().par_chunks_mut(CHUNK * width).enumerate().for_each(one);
        }
        out
    }
}

/// Turns the logarithms of components (one after the other, a chunk of rows each) into shares; `tops` become the
/// logarithms of the sums.
fn normalise(k: usize, m: usize, s: &mut Scratch) {
    let (tops, sizes, all) = (&mut s.tops[..m], &mut s.sizes[..m], &mut s.logs[..k * m]);
    tops.fill(f64::NEG_INFINITY);
    for logs in all.chunks_exact(m) {
        wide(|| tops.iter_mut().zip(logs).for_each(|(t, l)| *t = if *l > *t { *l } else { *t }));
    }
    for logs in all.chunks_exact_mut(m) {
        wide(|| logs.iter_mut().zip(&*tops).for_each(|(l, t)| *l -= t));
    }
    exp_slice(all);
    // Shares that no sum would notice are none: products of the tiniest numbers are slow.
    wide(|| all.iter_mut().for_each(|r| *r = if *r < NOTHING { 0.0 } else { *r }));
    sizes.fill(0.0);
    for shares in all.chunks_exact(m) {
        wide(|| sizes.iter_mut().zip(shares).for_each(|(v, r)| *v += r));
    }
    even(k, all, tops, sizes);
    for (top, size) in tops.iter_mut().zip(sizes.iter_mut()) {
        *top += size.ln();
        *size = 1.0 / *size;
    }
    for shares in all.chunks_exact_mut(m) {
        wide(|| shares.iter_mut().zip(&*sizes).for_each(|(r, v)| *r *= v));
    }
}

/// Rows so far that no component has a density there which is a number: their density is none, and all shares are the same.
fn even(k: usize, shares: &mut [f64], tops: &mut [f64], sizes: &mut [f64]) {
    let m = tops.len();
    for (i, (top, size)) in tops.iter_mut().zip(sizes).enumerate() {
        if !(top.is_finite() && *size > 0.0) {
            (0..k).for_each(|c| shares[c * m + i] = 1.0);
            (*top, *size) = (f64::NEG_INFINITY, k as f64);
        }
    }
}

/// All of a known row to its component.
fn fix(known: &[u32], m: usize, shares: &mut [f64]) {
    let k = shares.len() / m.max(1);
    for (i, own) in known.iter().enumerate().filter(|(_, c)| (**c as usize) < k) {
        (0..k).for_each(|c| shares[c * m + i] = f64::from(u8::from(c == *own as usize)));
    }
}

/// Scales the columns of some rows.
fn scaled(rows: &mut [f64], by: &[f64]) {
    for row in rows.chunks_exact_mut(by.len().max(1)) {
        wide(|| row.iter_mut().zip(by).for_each(|(z, b)| *z *= b));
    }
}

/// out += Z Zᵀ of d rows.
fn square_add(rows: &[f64], d: usize, out: &mut [f64]) {
    if let Some(z) = MatRef::row_major(rows, d, rows.len() / d.max(1)) {
        gemm_into(1.0, z, z.t(), 1.0, out);
    }
}
