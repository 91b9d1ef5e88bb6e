//! The precision in which kernel values are kept.

/// A kept kernel value.
pub(crate) trait Element: Copy + Default + Send + Sync + 'static {
    /// Rounded to what is kept.
    fn of(value: f64) -> Self;
    /// As it is computed with.
    fn wide(self) -> f64;
    /// Memory for values in single precision, where that is what is kept.
    fn single(values: &mut [Self]) -> Option<&mut [f32]>;
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
    fn single(values: &mut [Self]) -> Option<&mut [f32]> {
        Some(values)
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
    fn single(_: &mut [Self]) -> Option<&mut [f32]> {
        None
    }
}
