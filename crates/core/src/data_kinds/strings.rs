//! Strings, reached through a kernel, a metric or a vocabulary.

use super::Input;
use std::borrow::Cow;

/// The chosen strings, copied.
pub(super) fn gather(strings: &[String], chosen: &[usize]) -> Cow<'static, [String]> {
    chosen.iter().map(|&i| strings[i].clone()).collect()
}

impl<'a> From<&'a [String]> for Input<'a> {
    fn from(strings: &'a [String]) -> Self {
        Input::Strings(Cow::Borrowed(strings))
    }
}
