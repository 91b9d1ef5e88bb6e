//! What tests against the outside share: reading the frozen values of a peer, and whether numbers agree.

use mercer_math::Mat;
use serde_json::Value;

/// A frozen reference, as `include_str!` has it.
///
/// # Panics
/// Where it is no JSON.
pub fn reference(text: &str) -> Value {
    serde_json::from_str(text).expect("a reference is JSON")
}

/// The numbers of a JSON list; null is NaN.
///
/// # Panics
/// Where it is no list.
#[track_caller]
pub fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("a list of numbers");
    list.iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}

/// A matrix of JSON rows.
///
/// # Panics
/// Where it is no list of equally long lists.
#[track_caller]
pub fn matrix(rows: &Value) -> Mat {
    let rows: Vec<Vec<f64>> = rows.as_array().expect("a list of rows").iter().map(numbers).collect();
    Mat::from_rows(&rows).expect("rows of one length")
}

/// The case of this name among the `cases` of a reference.
///
/// # Panics
/// Where there is none.
#[track_caller]
pub fn case<'a>(all: &'a Value, name: &str) -> &'a Value {
    let mut cases = all["cases"].as_array().into_iter().flatten();
    cases.find(|c| c["name"] == name).unwrap_or_else(|| panic!("the reference has no case `{name}`"))
}

/// Whether two numbers agree to `tol`, relative to numbers beyond 1; NaN agrees with nothing.
pub fn close(found: f64, expected: f64, tol: f64) -> bool {
    found == expected || (found - expected).abs() <= tol * expected.abs().max(1.0)
}

/// Whether two numbers are close, or both missing.
pub fn alike(found: f64, expected: f64, tol: f64) -> bool {
    close(found, expected, tol) || (found.is_nan() && expected.is_nan())
}

/// Whether two lists are equally long and their numbers alike.
pub fn all_alike(found: &[f64], expected: &[f64], tol: f64) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| alike(*a, *b, tol))
}

/// Fails where the numbers of two lists are not close, and says where.
///
/// # Panics
/// Then.
#[track_caller]
pub fn assert_close(found: &[f64], expected: &[f64], tol: f64, what: &str) {
    assert_each(found, expected, what, |a, b| close(a, b, tol));
}

/// Fails where the numbers of two lists are not alike, and says where.
///
/// # Panics
/// Then.
#[track_caller]
pub fn assert_alike(found: &[f64], expected: &[f64], tol: f64, what: &str) {
    assert_each(found, expected, what, |a, b| alike(a, b, tol));
}

/// Fails where two lists differ by more than `most` anywhere, whatever their size.
///
/// # Panics
/// Then.
#[track_caller]
pub fn assert_within(found: &[f64], expected: &[f64], most: f64, what: &str) {
    assert_each(found, expected, what, |a, b| (a - b).abs() <= most);
}

#[track_caller]
fn assert_each(found: &[f64], expected: &[f64], what: &str, agree: impl Fn(f64, f64) -> bool) {
    assert_eq!(found.len(), expected.len(), "{what}: length");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!(agree(*a, *b), "{what}: {a} in place of {b} at {i}");
    }
}
