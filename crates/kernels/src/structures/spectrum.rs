//! The spectrum kernel on strings, and its explicit feature map.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How strings become counts of substrings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spectrum {
    /// The length of the substrings, in characters.
    pub length: usize,
    /// Whether shorter substrings count, too.
    pub blended: bool,
}

impl Spectrum {
    /// How often each substring occurs.
    pub fn counts<'s>(&self, text: &'s str) -> BTreeMap<&'s str, f64> {
        let starts: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
        let shortest = if self.blended { 1 } else { self.length };
        let mut counts = BTreeMap::new();
        for length in shortest..=self.length {
            for window in starts.windows(length + 1) {
                *counts.entry(&text[window[0]..window[length]]).or_insert(0.0) += 1.0;
            }
        }
        counts
    }
}

/// k(s, t) = Σ_u count_s(u) count_t(u) over substrings u of the given length (Leslie, Eskin and Noble 2002): a
/// positive semi-definite kernel, since it is the product of two explicit feature vectors.
///
/// ```
/// let spectrum = mercer_kernels::Spectrum { length: 2, blended: false };
/// assert_eq!(mercer_kernels::spectrum_kernel(&spectrum, "abab", "abc"), 2.0); // "ab" twice times once
/// ```
pub fn spectrum_kernel(spectrum: &Spectrum, s: &str, t: &str) -> f64 {
    let (s, t) = (spectrum.counts(s), spectrum.counts(t));
    s.iter().map(|(u, a)| a * t.get(u).unwrap_or(&0.0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{Mat, eigh};

    #[test]
    fn gram_matrices_are_positive_semi_definite() {
        let strings = ["statistics", "computation", "statics", "", "a", "naïve", "computers"];
        for blended in [false, true] {
            let spectrum = Spectrum { length: 3, blended };
            let gram = Mat::from_fn(7, 7, |i, j| spectrum_kernel(&spectrum, strings[i], strings[j]));
            assert!(eigh(&gram).unwrap().values.iter().all(|v| *v > -1e-10));
        }
    }

    /// "statistics" and "computation" share "tat" and "ati" at length 3 (Lodhi et al. 2002).
    #[test]
    fn hand_worked_value() {
        assert_eq!(
            spectrum_kernel(&Spectrum { length: 3, blended: false }, "statistics", "computation"),
            2.0
        );
    }
}
