//! Coherence of topics: how often their top words occur in the same documents.

use mercer_core::{Choice, Error, Result};
use mercer_math::CsrRef;

/// A measure of coherence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Coherence {
    /// The mean over pairs of ln (D(v, w) + 1) / D(w), w the word higher up: at most about 0.
    #[choice("u_mass")]
    UMass,
    /// The mean over pairs of normalised pointwise mutual information, from −1 to 1.
    #[choice("c_npmi")]
    Npmi,
    /// The mean over words of the cosine of their normalised pointwise mutual information with all top words and its sum over all of these,
    /// from 0 to 1.
    #[choice("c_v")]
    CV,
}

/// Keeps the logarithm of what never occurs finite.
const LEAST: f64 = 1e-12;

/// The coherence of each topic, given by the columns of its top words, the first one first, on documents by words; a document has a word where
/// its value is positive. Words that no document has make no pair of `u_mass`; a topic without a pair is NaN.
///
/// D. Mimno et al., EMNLP 2011 (`u_mass`); M. Röder, A. Both, A. Hinneburg, WSDM 2015 (`c_npmi`, `c_v`), with whole documents in
/// place of sliding windows, since rows of counts have no order of words.
///
/// # Example
/// ```
/// use mercer_math::{Csr, Mat};
/// use mercer_measure::{Coherence, coherence};
/// let x = Csr::from_dense(Mat::from_rows(&[[1., 1., 0.], [1., 1., 0.], [0., 0., 1.]]).unwrap().view());
/// let found = coherence(x.view(), &[vec![0, 1], vec![0, 2]], Coherence::Npmi)?;
/// assert!((found[0] - 1.0).abs() < 1e-9 && found[1] < -0.9);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn coherence(documents: CsrRef<'_>, topics: &[Vec<usize>], measure: Coherence) -> Result<Vec<f64>> {
    if let Some(bad) = topics.iter().flatten().find(|j| **j >= documents.n_cols()) {
        return Err(Error::param(
            "coherence",
            "topics",
            format!("columns below {}", documents.n_cols()),
            bad,
        ));
    }
    if documents.n_rows() == 0 {
        return Err(Error::too_few("coherence", "rows", 1, 0));
    }
    let mut holders: Vec<Option<Vec<u32>>> = vec![None; documents.n_cols()];
    topics.iter().flatten().for_each(|j| holders[*j] = Some(Vec::new()));
    for i in 0..documents.n_rows() {
        let (columns, values) = documents.row(i);
        for (j, v) in columns.iter().zip(values) {
            if let Some(rows) = holders[*j as usize].as_mut().filter(|_| *v > 0.0) {
                rows.push(i as u32);
            }
        }
    }
    let n = documents.n_rows() as f64;
    Ok(topics.iter().map(|top| of_topic(top, &holders, n, measure)).collect())
}

fn of_topic(top: &[usize], holders: &[Option<Vec<u32>>], n: f64, measure: Coherence) -> f64 {
    let rows = |j: usize| holders[j].as_deref().unwrap_or(&[]);
    let count = top.len();
    // The documents that have both words.
    let both: Vec<Vec<f64>> =
        top.iter().map(|v| top.iter().map(|w| shared(rows(*v), rows(*w)) as f64).collect()).collect();
    let npmi = |a: usize, b: usize| {
        let p = both[a][b] / n + LEAST;
        (p / (both[a][a] / n * both[b][b] / n).max(LEAST * LEAST)).ln() / -p.ln()
    };
    match measure {
        Coherence::UMass => {
            let pairs = (0..count).flat_map(|m| (0..m).map(move |l| (m, l)));
            mean(
                pairs
                    .filter(|(_, l)| both[*l][*l] > 0.0)
                    .map(|(m, l)| ((both[m][l] + 1.0) / both[l][l]).ln()),
            )
        }
        Coherence::Npmi => {
            mean((0..count).flat_map(|m| (0..m).map(move |l| (m, l))).map(|(m, l)| npmi(m, l)))
        }
        Coherence::CV => {
            let vectors: Vec<Vec<f64>> =
                (0..count).map(|a| (0..count).map(|b| npmi(a, b)).collect()).collect();
            let whole: Vec<f64> = (0..count).map(|b| vectors.iter().map(|v| v[b]).sum()).collect();
            mean(vectors.iter().map(|v| cosine(v, &whole)))
        }
    }
}

/// How many of two rising lists are in both.
fn shared(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut found) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, found) = (i + 1, j + 1, found + 1),
        }
    }
    found
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    if norms > 0.0 { dot(a, b) / norms } else { 0.0 }
}

/// NaN of nothing.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), v| (sum + v, n + 1.0));
    sum / n
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{Csr, Mat};

    #[test]
    fn small_corpora_by_hand() {
        // Words a, b, c in four documents: ab, ab, ac, b.
        let x = Mat::from_rows(&[[2., 1., 0.], [1., 3., 0.], [1., 0., 1.], [0., 1., 0.]]).unwrap();
        let x = Csr::from_dense(x.view());
        let of = |measure| coherence(x.view(), &[vec![0, 1, 2]], measure).unwrap()[0];
        // D(a) = D(b) = 3, D(c) = 1; D(a, b) = 2, D(a, c) = 1, D(b, c) = 0.
        let umass = ((3.0f64 / 3.0).ln() + (2.0f64 / 3.0).ln() + (1.0f64 / 3.0).ln()) / 3.0;
        assert!((of(Coherence::UMass) - umass).abs() < 1e-12);
        let npmi = |p: f64, a: f64, b: f64| (p / (a * b)).ln() / -p.ln();
        let expected = (npmi(0.5, 0.75, 0.75) + npmi(0.25, 0.75, 0.25) + npmi(1e-12, 0.75, 0.25)) / 3.0;
        assert!((of(Coherence::Npmi) - expected).abs() < 1e-9);
        let cv = of(Coherence::CV);
        assert!(cv > 0.0 && cv < 1.0);
        // Words that always come together point the same way.
        let alike = coherence(x.view(), &[vec![0, 0]], Coherence::CV).unwrap()[0];
        assert!((alike - 1.0).abs() < 1e-12);
        assert!(coherence(x.view(), &[vec![0]], Coherence::UMass).unwrap()[0].is_nan());
        assert!(coherence(x.view(), &[vec![3]], Coherence::UMass).is_err());
    }
}
