//! Hyper-parameters of kernels: positive numbers whose logarithms an optimiser may move.

/// One hyper-parameter: a number, or one for each feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyper {
    /// The values.
    pub values: Vec<f64>,
    /// Between which values each may be moved: none where it is fixed, one pair for all, or one for each.
    pub bounds: Vec<(f64, f64)>,
}

/// The bounds that a hyper-parameter has where none are given.
pub const USUAL_BOUNDS: (f64, f64) = (1e-5, 1e5);

impl Hyper {
    /// A number that may move between the usual bounds.
    pub fn free(value: f64) -> Self {
        Self { values: vec![value], bounds: vec![USUAL_BOUNDS] }
    }

    /// A number that stays.
    pub fn fixed(value: f64) -> Self {
        Self { values: vec![value], bounds: Vec::new() }
    }

    /// The same with other bounds.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { bounds: vec![(low, high)], ..self }
    }

    /// The value of a hyper-parameter that is one number; the first of several.
    pub fn value(&self) -> f64 {
        self.values.first().copied().unwrap_or(f64::NAN)
    }

    /// Whether it may be moved.
    pub fn is_free(&self) -> bool {
        !self.bounds.is_empty()
    }

    /// How many numbers an optimiser moves.
    pub fn n_free(&self) -> usize {
        if self.is_free() { self.values.len() } else { 0 }
    }

    /// The bounds of the logarithm of each value that may move.
    pub fn log_bounds(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let bound = |i: usize| self.bounds.get(i).or(self.bounds.first()).copied().unwrap_or(USUAL_BOUNDS);
        (0..self.n_free()).map(move |i| (bound(i).0.ln(), bound(i).1.ln()))
    }

    /// What is wrong with it, where something is; `signed` where values need not be positive.
    pub fn problem(&self, signed: bool) -> Option<String> {
        let fine = |v: &f64| if signed && !self.is_free() { v.is_finite() } else { *v > 0.0 };
        if self.values.is_empty() {
            return Some("has no value".to_owned());
        }
        if let Some(v) = self.values.iter().find(|v| !fine(v)) {
            return Some(format!("must be {}, got {v}", if signed { "finite" } else { "above 0" }));
        }
        if self.bounds.len() > 1 && self.bounds.len() != self.values.len() {
            return Some(format!("has {} bounds for {} values", self.bounds.len(), self.values.len()));
        }
        let bad = self.bounds.iter().find(|(low, high)| !(*low > 0.0 && low <= high));
        bad.map(|(low, high)| format!("needs bounds with 0 < low <= high, got {low} and {high}"))
    }
}

impl From<f64> for Hyper {
    fn from(value: f64) -> Self {
        Self::free(value)
    }
}

impl From<&[f64]> for Hyper {
    fn from(values: &[f64]) -> Self {
        Self { values: values.to_vec(), bounds: vec![USUAL_BOUNDS] }
    }
}
