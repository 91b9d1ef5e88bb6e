//! What a support vector machine takes on rows of a CSV file without a header whose last column is the target.
//!
//! `cargo run --release -p mercer-kernels --example svm_speed -- FILE svc|svr C`
#![expect(clippy::print_stdout, reason = "what an example is for")]

use mercer_core::{Dataset, Fit, Target};
use mercer_kernels::{SVC, SVR};
use mercer_math::Mat;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).expect("a file");
    let rows: Vec<Vec<f64>> =
        text.lines().map(|l| l.split(',').map(|v| v.parse().expect("a number")).collect()).collect();
    let d = rows[0].len() - 1;
    let x = Mat::from_fn(rows.len(), d, |i, j| rows[i][j]);
    let some = Mat::from_fn(rows.len().min(10_000), d, |i, j| rows[i][j]);
    let c: f64 = args[3].parse().expect("a number");
    let y: Vec<f64> = rows.iter().map(|r| r[d]).collect();
    let started = Instant::now();
    let told = |fit: f64, predict: f64, support: usize, certificate: &mercer_core::Certificate| {
        println!("fit {fit:.2} s, predict {predict:.3} s, {support} support vectors\n{certificate}");
    };
    if args[2] == "svc" {
        let y = Target::classes(&y.iter().map(|v| *v as i64).collect::<Vec<_>>());
        let model = SVC::default().c(c).fit(&Dataset::new(&x).with_target(y).expect("rows")).expect("a fit");
        let fit = started.elapsed().as_secs_f64();
        let started = Instant::now();
        model.predict(&some).expect("a prediction");
        told(fit, started.elapsed().as_secs_f64(), model.support.len(), model.certificate());
    } else {
        let data = Dataset::new(&x).with_target(Target::real(y)).expect("rows");
        let model = SVR::default().c(c).fit(&data).expect("a fit");
        let fit = started.elapsed().as_secs_f64();
        let started = Instant::now();
        model.predict(&some).expect("a prediction");
        told(fit, started.elapsed().as_secs_f64(), model.support.len(), model.certificate());
    }
}
