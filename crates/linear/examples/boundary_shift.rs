//! How far rows on the right side move the boundary of least squares, and of logistic regression: `docs/boundary-shift.md`.
#![expect(clippy::print_stdout, reason = "what an example is for")]

use mercer_core::{Dataset, Fit, Result, Target};
use mercer_linear::{LinearRegression, LogisticRegression};
use mercer_math::Mat;

fn main() -> Result<()> {
    println!("distance  least squares  mistakes  logistic regression  mistakes");
    for distance in [None, Some(5.0), Some(10.0), Some(20.0), Some(50.0)] {
        let near =
            (0..40).map(|i| (f64::from(2 * (i % 2) - 1) + 0.04 * f64::from(i / 2 - 10), i64::from(i % 2)));
        let far = distance.into_iter().flat_map(|at| std::iter::repeat_n((at, 1), 10));
        let all: Vec<(f64, i64)> = near.chain(far).collect();
        let x = Mat::from_fn(all.len(), 1, |i, _| all[i].0);
        let signs: Vec<f64> = all.iter().map(|(_, c)| 2.0 * *c as f64 - 1.0).collect();
        let classes: Vec<i64> = all.iter().map(|(_, c)| *c).collect();
        let squares = LinearRegression::default().fit(&Dataset::new(&x).with_target(Target::real(signs))?)?;
        let border = -squares.intercept()[0] / squares.coef()[(0, 0)];
        let data = Dataset::new(&x).with_target(Target::classes(&classes))?;
        let logistic = LogisticRegression::default().fit(&data)?;
        let at = |v: f64| {
            Ok::<f64, mercer_core::Error>(logistic.decision_function(Mat::from_fn(1, 1, |_, _| v))?[(0, 0)])
        };
        let other = -at(0.0)? / (at(1.0)? - at(0.0)?);
        let wrong = |border: f64| all.iter().filter(|(x, c)| (*x > border) != (*c == 1)).count();
        let told = distance.map_or("none".to_owned(), |d| d.to_string());
        println!("{told:>8}  {border:13.2}  {:8}  {other:19.2}  {:8}", wrong(border), wrong(other));
    }
    Ok(())
}
