//! The mismatch kernel and the kernel of subsequences with gaps, on strings.
//!
//! The mismatch kernel counts substrings of length $k$, each of which stands for all that differ from it in at most $m$ letters
//! (Leslie et al. 2004). How many two substrings stand for in common depends on their Hamming distance alone, so that the kernel is
//! $\sum_{\alpha \in s, \beta \in t} c(d(\alpha, \beta))$, and distances along a diagonal follow from each other by one comparison.
//!
//! The kernel of subsequences is $\sum_u \sum_{i: u = s[i]} \sum_{j: u = t[j]} \lambda^{l(i) + l(j)}$ over all sequences $u$ of $n$ letters,
//! where $l(i)$ is the length that the letters span in the string (Lodhi et al. 2002).
//!
//! C. Leslie, E. Eskin, A. Cohen, J. Weston, W. S. Noble. Mismatch string kernels for discriminative protein classification. Bioinformatics
//! 20(4), 2004, doi:10.1093/bioinformatics/btg431. H. Lodhi, C. Saunders, J. Shawe-Taylor, N. Cristianini, C. Watkins. Text classification using
//! string kernels. JMLR 2, 2002.

/// Which substrings count as the same: those of `length` letters that differ in at most `mismatches`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The length of the substrings, in characters.
    pub length: usize,
    /// In how many letters they may differ.
    pub mismatches: usize,
    /// How many letters there are: 4 for DNA, 20 for proteins.
    pub alphabet: usize,
}

impl Mismatch {
    /// For each Hamming distance up to the length, how many strings are within reach of both of two that are so far apart.
    pub(crate) fn in_common(&self) -> Vec<f64> {
        let (k, m, a) = (self.length, self.mismatches, self.alphabet as f64);
        // Of the d places that differ, p agree with the first and q with the second; of the others, i are changed.
        let count = |d: usize| {
            let mut sum = 0.0;
            for i in 0..=m.min(k - d) {
                let alike = choose(k - d, i) * (a - 1.0).powi(i as i32);
                for p in (0..=d).filter(|p| i + d - p <= m) {
                    for q in (0..=d - p).filter(|q| i + d - q <= m) {
                        sum += alike * choose(d, p) * choose(d - p, q) * (a - 2.0).powi((d - p - q) as i32);
                    }
                }
            }
            sum
        };
        (0..=k).map(count).collect()
    }

    /// The kernel of two strings, given [`Mismatch::in_common`].
    pub(crate) fn between(&self, s: &[u32], t: &[u32], in_common: &[f64]) -> f64 {
        let k = self.length;
        if s.len() < k || t.len() < k {
            return 0.0;
        }
        let starts = (0..=s.len() - k).map(|i| (i, 0)).chain((1..=t.len() - k).map(|j| (0, j)));
        let mut sum = 0.0;
        for (i, j) in starts {
            let (s, t) = (&s[i..], &t[j..]);
            let mut apart = s[..k].iter().zip(&t[..k]).filter(|(a, b)| a != b).count();
            sum += in_common[apart];
            let (leaving, coming) = (s.iter().zip(t), s[k..].iter().zip(&t[k..]));
            for ((a, b), (c, d)) in leaving.zip(coming) {
                apart = apart + usize::from(c != d) - usize::from(a != b);
                sum += in_common[apart];
            }
        }
        sum
    }
}

fn choose(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64).round()
}

/// k(s, t) of the mismatch kernel.
///
/// ```
/// use mercer_kernels::{Mismatch, mismatch_kernel};
/// let exact = Mismatch { length: 2, mismatches: 0, alphabet: 4 };
/// assert_eq!(mismatch_kernel(&exact, "ACAC", "ACG"), 2.0); // AC twice times once
/// ```
pub fn mismatch_kernel(mismatch: &Mismatch, s: &str, t: &str) -> f64 {
    mismatch.between(&letters(s), &letters(t), &mismatch.in_common())
}

/// The letters of a string as numbers.
pub(crate) fn letters(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

/// Subsequences of `length` letters, those that are spread out counting less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subsequence {
    /// The number of letters.
    pub length: usize,
    /// λ: each letter that a subsequence spans in a string counts this factor.
    pub decay: f64,
}

impl Subsequence {
    /// The kernel of two strings: for each letter of `s`, the lines of all shorter lengths, longest first, since each needs the line of
    /// the next shorter one as it was for the letter before.
    pub(crate) fn between(&self, s: &[u32], t: &[u32], lines: &mut Vec<f64>) -> f64 {
        let (n, m, decay) = (self.length, t.len(), self.decay);
        let square = decay * decay;
        lines.clear();
        lines.resize(n * (m + 1), 0.0);
        // The empty sequence is in every string, and spans nothing.
        lines[..m + 1].fill(1.0);
        let mut total = 0.0;
        for a in s {
            let last = &lines[(n - 1) * (m + 1)..];
            let found: f64 = t.iter().zip(last).filter(|(b, _)| *b == a).map(|(_, v)| v).sum();
            total += square * found;
            for l in (1..n).rev() {
                let (shorter, own) = lines[(l - 1) * (m + 1)..(l + 1) * (m + 1)].split_at_mut(m + 1);
                let mut ended = 0.0;
                for ((b, before), own) in t.iter().zip(&*shorter).zip(&mut own[1..]) {
                    ended = decay * ended + if a == b { square * before } else { 0.0 };
                    *own = decay * *own + ended;
                }
            }
        }
        total
    }
}

/// k(s, t) of the kernel of subsequences.
///
/// ```
/// use mercer_kernels::{Subsequence, subsequence_kernel};
/// let pairs = Subsequence { length: 2, decay: 0.5 };
/// assert_eq!(subsequence_kernel(&pairs, "cat", "car"), 0.5f64.powi(4)); // they share ca
/// ```
pub fn subsequence_kernel(subsequence: &Subsequence, s: &str, t: &str) -> f64 {
    subsequence.between(&letters(s), &letters(t), &mut Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const WORDS: [&str; 8] = ["", "a", "abca", "bcabca", "cccc", "abababab", "acbd", "dacbadcb"];

    /// All strings of `k` letters of an alphabet.
    fn all(alphabet: &str, k: usize) -> Vec<Vec<u32>> {
        (0..k).fold(vec![Vec::new()], |all, _| {
            let longer = |u: &Vec<u32>| {
                letters(alphabet).into_iter().map(|c| [u.as_slice(), &[c]].concat()).collect::<Vec<_>>()
            };
            all.iter().flat_map(longer).collect()
        })
    }

    /// The feature of a string γ is how many substrings differ from it in at most m letters.
    #[test]
    fn mismatches_are_those_of_the_explicit_features() {
        for (length, mismatches) in [(1, 0), (2, 1), (3, 1), (3, 2), (4, 2), (2, 2)] {
            let mismatch = Mismatch { length, mismatches, alphabet: 4 };
            let features = |s: &str| {
                let s = letters(s);
                let near =
                    |g: &Vec<u32>, w: &[u32]| g.iter().zip(w).filter(|(a, b)| a != b).count() <= mismatches;
                let count = |g: &Vec<u32>| s.windows(length).filter(|w| near(g, w)).count() as f64;
                all("abcd", length).iter().map(count).collect::<Vec<_>>()
            };
            for s in WORDS {
                for t in WORDS {
                    let expected: f64 = features(s).iter().zip(features(t)).map(|(a, b)| a * b).sum();
                    assert_eq!(mismatch_kernel(&mismatch, s, t), expected, "{mismatch:?} {s} {t}");
                }
            }
        }
    }

    /// Σ λ^span over all choices of places, by sequence.
    fn spans(s: &str, n: usize, decay: f64) -> HashMap<Vec<u32>, f64> {
        let s = letters(s);
        let mut out = HashMap::new();
        for chosen in (0..1u32 << s.len()).filter(|c| c.count_ones() as usize == n) {
            let places: Vec<usize> = (0..s.len()).filter(|i| chosen >> i & 1 == 1).collect();
            let span = places[n - 1] - places[0] + 1;
            let key = places.iter().map(|&i| s[i]).collect::<Vec<_>>();
            *out.entry(key).or_insert(0.0) += decay.powi(span as i32);
        }
        out
    }

    #[test]
    fn subsequences_are_those_of_all_choices_of_places() {
        for (length, decay) in [(1, 0.7), (2, 0.5), (3, 0.8), (4, 1.0)] {
            let subsequence = Subsequence { length, decay };
            for s in WORDS {
                for t in WORDS {
                    let (f, g) = (spans(s, length, decay), spans(t, length, decay));
                    let expected: f64 = f.iter().map(|(u, v)| v * g.get(u).unwrap_or(&0.0)).sum();
                    let found = subsequence_kernel(&subsequence, s, t);
                    assert!((found - expected).abs() <= 1e-12 * expected, "{subsequence:?} {s} {t}");
                }
            }
        }
    }

    /// Lodhi et al. 2002, section 3: k(cat, car) = λ⁴ and k(cat, cat) = 2λ⁴ + λ⁶.
    #[test]
    fn the_published_example() {
        for decay in [0.3, 0.5, 0.9f64] {
            let pairs = Subsequence { length: 2, decay };
            let (apart, own) =
                (subsequence_kernel(&pairs, "cat", "car"), subsequence_kernel(&pairs, "cat", "cat"));
            assert!((own - 2.0 * decay.powi(4) - decay.powi(6)).abs() < 1e-15);
            assert!((apart / own - 1.0 / (2.0 + decay * decay)).abs() < 1e-15);
        }
    }
}
