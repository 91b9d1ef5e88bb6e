//! The precision in which kernel values are kept.

/// A kept kernel value.
pub(crate) trait Element: Copy + Default + Send + Sync + 'static {
    /// Rounded to what is kept.
    fn of(value: f64) -> Self;
    /// As it is computed with.
    fn wide(self) -> f64;
}

impl Element for f32 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Element for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
}
