//! Times least squares beside ridge regression: `squares_speed [rows] [columns]`, 500,000 × 200 unless told.

#![allow(clippy::print_stdout)]

use mercer_core::{Dataset, Fit, Result, Target};
use mercer_linear::{LinearRegression, Ridge, RidgeCV};
use mercer_math::{Mat, dot, normal, rng_for};
use std::time::Instant;

fn main() -> Result<()> {
    let arg =
        |i: usize, default: usize| std::env::args().nth(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (n, d) = (arg(1, 500_000), arg(2, 200));
    let mut rng = rng_for(1, 1);
    let x = Mat::from_fn(n, d, |_, _| normal(&mut rng));
    let w: Vec<f64> = (0..d).map(|_| normal(&mut rng)).collect();
    let y: Vec<f64> = (0..n).map(|i| 1.0 + dot(x.row(i), &w) + normal(&mut rng)).collect();
    let data = Dataset::new(&x).with_target(Target::real(y))?;
    for _ in 0..3 {
        let start = Instant::now();
        Ridge::default().fit(&data)?;
        let ridge = start.elapsed().as_secs_f64();
        let start = Instant::now();
        LinearRegression::default().fit(&data)?;
        println!("ridge {ridge:.3} s, least squares {:.3} s", start.elapsed().as_secs_f64());
    }
    let start = Instant::now();
    RidgeCV::default().fit(&data.subset(&(0..n.min(50_000)).collect::<Vec<_>>())?)?;
    println!("ridge by leave-one-out, at most 50,000 rows: {:.3} s", start.elapsed().as_secs_f64());
    Ok(())
}
