//! Times k-means on two made problems: `kmeans_speed blobs|uniform [algorithm] [folder] [repeats]`.
//!
//! 500,000 × 30, 50 clusters. blobs: 50 Gaussians of unit width whose means are standard normal, so that they
//! overlap. uniform: the unit cube. With a folder, `<kind>.x` (rows) and `<kind>.c` (first centres) are read there
//! as raw 64-bit floats, or written where they are not, for other programs to start from.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use mercer_cluster::KMeans;
use mercer_core::{Dataset, Fit, Params, Result, Session, Value};
use mercer_math::{Mat, below, normal, rng_for, sample_indices, uniform};
use std::fs;
use std::time::Instant;

const ROWS: usize = 500_000;
const FEATURES: usize = 30;
const CLUSTERS: usize = 50;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |i: usize, default: &str| args.get(i).cloned().unwrap_or_else(|| default.to_owned());
    let kind = arg(0, "blobs");
    let made = make(&kind);
    let folder = args.get(2).map(String::as_str);
    let x = stored(folder, &format!("{kind}.x"), &made);
    let chosen = sample_indices(&mut rng_for(2, 0), ROWS, CLUSTERS);
    let first = stored(folder, &format!("{kind}.c"), &x.view().gather(&chosen));
    let data = Dataset::new(&x);
    let mut learner = KMeans::default().n_clusters(CLUSTERS);
    learner.set("algorithm", &Value::Text(arg(1, "auto")))?;
    for seed in 0..args.get(3).and_then(|v| v.parse().ok()).unwrap_or(3) {
        let session = Session::new(seed).with_threads(2);
        let start = Instant::now();
        let centres = (0..first.n_rows()).map(|c| first.row(c).to_vec()).collect();
        let model = learner.clone().centres(Some(centres)).fit_in(&data, &session)?;
        report("given centres", start, model.n_iter, model.inertia);
        let start = Instant::now();
        let model = learner.fit_in(&data, &session)?;
        report("k-means++", start, model.n_iter, model.inertia);
    }
    Ok(())
}

fn report(what: &str, start: Instant, iterations: u64, inertia: f64) {
    let seconds = start.elapsed().as_secs_f64();
    let each = 1e3 * seconds / iterations as f64;
    println!("{what}: {seconds:.3} s, {iterations} iterations, {each:.1} ms each, inertia {inertia:.6}");
}

fn make(kind: &str) -> Mat {
    let mut rng = rng_for(1, 0);
    if kind == "uniform" {
        return Mat::from_fn(ROWS, FEATURES, |_, _| uniform(&mut rng));
    }
    let means = Mat::from_fn(CLUSTERS, FEATURES, |_, _| normal(&mut rng));
    let mut x = Mat::zeros(ROWS, FEATURES);
    for i in 0..ROWS {
        let mean = means.row(below(&mut rng, CLUSTERS));
        x.row_mut(i).iter_mut().zip(mean).for_each(|(v, m)| *v = m + normal(&mut rng));
    }
    x
}

fn stored(folder: Option<&str>, name: &str, made: &Mat) -> Mat {
    let Some(folder) = folder else { return made.clone() };
    let path = format!("{folder}/{name}");
    if let Ok(bytes) = fs::read(&path) {
        let values = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
        return Mat::from_vec(values, made.n_rows(), made.n_cols()).unwrap_or_else(|| made.clone());
    }
    let bytes: Vec<u8> = made.as_slice().iter().flat_map(|v| v.to_le_bytes()).collect();
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes));
    written.unwrap_or_else(|e| eprintln!("{path}: {e}"));
    made.clone()
}
