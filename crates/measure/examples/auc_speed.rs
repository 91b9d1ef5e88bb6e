//! Times `roc_auc` on five million scores: `cargo run --release -p mercer-measure --example auc_speed`.

use mercer_math::{normal, rng_for, uniform};
use std::time::Instant;

#[allow(clippy::print_stdout)] // An example prints.
fn main() -> Result<(), mercer_core::Error> {
    let (n, mut rng) = (5_000_000, rng_for(1, 0));
    let truth: Vec<bool> = (0..n).map(|_| uniform(&mut rng) < 0.3).collect();
    let scores: Vec<f64> = truth.iter().map(|t| normal(&mut rng) + f64::from(*t)).collect();
    let weights: Vec<f64> = (0..n).map(|_| uniform(&mut rng)).collect();
    for (what, weights) in [("plain", None), ("weighted", Some(&weights[..]))] {
        for _ in 0..3 {
            let start = Instant::now();
            let area = mercer_measure::roc_auc(&truth, &scores, weights)?;
            println!("{what}: {area:.12} in {:.3} s", start.elapsed().as_secs_f64());
        }
    }
    Ok(())
}
