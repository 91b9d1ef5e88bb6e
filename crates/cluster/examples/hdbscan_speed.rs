//! Times HDBSCAN on raw 64-bit floats: `hdbscan_speed FILE FEATURES [min_cluster_size] [repeats] [threads]`.

#![allow(clippy::print_stdout)]

use mercer_cluster::HDBSCAN;
use mercer_core::{Dataset, Fit, Result, Session};
use mercer_math::Mat;
use std::time::Instant;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: usize| args.get(i).and_then(|v| v.parse().ok()).unwrap_or(default);
    let bytes = args.first().and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    let values: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    let d = number(1, 3);
    let n = values.len() / d;
    let Some(x) = Mat::from_vec(values[..n * d].to_vec(), n, d) else { return Ok(()) };
    for _ in 0..number(3, 3) {
        let session = Session::new(0).with_threads(number(4, 2));
        let start = Instant::now();
        let model = HDBSCAN::default().min_cluster_size(number(2, 50)).fit_in(&Dataset::new(&x), &session)?;
        println!("{:.3} s, {} clusters", start.elapsed().as_secs_f64(), model.n_clusters());
    }
    Ok(())
}
