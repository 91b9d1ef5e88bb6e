//! Times logistic regression on two made problems: `logistic_speed dense|narrow|sparse|multi [solver] [tol] [dump folder]`.
//!
//! dense: 200,000 × 100, correlated features. sparse: 100,000 × 100,000, Zipf columns, about 100 entries a row of
//! unit length. multi: 50,000 × 100, 8 classes. With a folder, the problem is written there for other programs.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use mercer_core::{Dataset, Fit, Input, Label, Params, Result, Target, Value};
use mercer_linear::LogisticRegression;
use mercer_math::{Csr, Mat, normal, rng_for, uniform};
use std::fs;
use std::time::Instant;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |i: usize, default: &str| args.get(i).cloned().unwrap_or_else(|| default.to_owned());
    let kind = arg(0, "dense");
    let dump = args.get(3).map(String::as_str);
    let (input, codes, classes): (Input<'static>, Vec<u32>, i64) = match kind.as_str() {
        "sparse" => sparse(dump),
        "narrow" => dense(200_000, 15, 2, dump),
        "multi" => dense(50_000, 100, 8, dump),
        _ => dense(200_000, 100, 2, dump),
    };
    let labels: Vec<Label> = (0..classes).map(Label::Int).collect();
    let data = Dataset::new(input).with_target(Target::coded(codes, labels.into()))?;
    let mut learner = LogisticRegression::default().tol(arg(2, "1e-4").parse().unwrap_or(1e-4));
    learner.set("solver", &Value::Text(arg(1, "auto")))?;
    for _ in 0..5 {
        let start = Instant::now();
        let model = learner.fit(&data)?;
        let seconds = start.elapsed().as_secs_f64();
        let certificate = model.certificate();
        println!(
            "{kind} {}: {seconds:.3} s, objective {:.9}, gradient {:.1e}, {} steps, {}",
            arg(1, "auto"),
            certificate.objective.unwrap_or(f64::NAN),
            certificate.evidence[0].value,
            model.n_iter,
            certificate.termination
        );
    }
    Ok(())
}

fn write(dump: Option<&str>, name: &str, bytes: Vec<u8>) {
    if let Some(folder) = dump {
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(format!("{folder}/{name}"), bytes));
        written.unwrap_or_else(|e| eprintln!("{folder}/{name}: {e}"));
    }
}

fn dense(n: usize, d: usize, k: usize, dump: Option<&str>) -> (Input<'static>, Vec<u32>, i64) {
    let mut rng = rng_for(7, 0);
    let scales: Vec<f64> = (0..d).map(|_| (0.7 * normal(&mut rng)).exp()).collect();
    let w = Mat::from_fn(d, k, |j, _| 2.0 * normal(&mut rng) / (scales[j] * (d as f64).sqrt()));
    let mut codes = Vec::with_capacity(n);
    let mut x = Mat::zeros(n, d);
    for i in 0..n {
        let common = normal(&mut rng);
        let row = x.row_mut(i);
        row.iter_mut().zip(&scales).for_each(|(v, s)| *v = s * (normal(&mut rng) + 0.5 * common));
        let score = |c: usize| (0..d).map(|j| row[j] * w[(j, c)]).sum::<f64>();
        let gumbel = |u: f64| -(-u.ln()).ln();
        let noisy: Vec<f64> = (0..k).map(|c| score(c) + gumbel(uniform(&mut rng))).collect();
        codes.push((0..k).max_by(|&a, &b| noisy[a].total_cmp(&noisy[b])).unwrap_or(0) as u32);
    }
    write(dump, "x.bin", x.as_slice().iter().flat_map(|v| v.to_le_bytes()).collect());
    write(dump, "y.bin", codes.iter().flat_map(|v| v.to_le_bytes()).collect());
    (x.into(), codes, k as i64)
}

fn sparse(dump: Option<&str>) -> (Input<'static>, Vec<u32>, i64) {
    let (n, d) = (100_000, 100_000usize);
    let mut rng = rng_for(8, 0);
    let w: Vec<f64> = (0..d).map(|_| 6.0 * normal(&mut rng)).collect();
    let (mut indptr, mut indices, mut values, mut codes) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let words = 60 + (80.0 * uniform(&mut rng)) as usize;
        // Rank r with probability about 1 / r.
        let mut row: Vec<u32> =
            (0..words).map(|_| ((d as f64).powf(uniform(&mut rng)) as u32 - 1).min(d as u32 - 1)).collect();
        row.sort_unstable();
        row.dedup();
        let raw: Vec<f64> =
            row.iter().map(|&j| 1.0 + (f64::from(j) + 2.0).ln() * (0.5 + uniform(&mut rng))).collect();
        let norm = raw.iter().map(|v| v * v).sum::<f64>().sqrt();
        let score: f64 = row.iter().zip(&raw).map(|(&j, v)| w[j as usize] * v / norm).sum();
        codes.push(u32::from(uniform(&mut rng) < 1.0 / (1.0 + (-score).exp())));
        indices.extend_from_slice(&row);
        values.extend(raw.iter().map(|v| v / norm));
        indptr.push(indices.len());
    }
    write(dump, "indptr.bin", indptr.iter().flat_map(|v| (*v as u64).to_le_bytes()).collect());
    write(dump, "indices.bin", indices.iter().flat_map(|v| v.to_le_bytes()).collect());
    write(dump, "values.bin", values.iter().flat_map(|v| v.to_le_bytes()).collect());
    write(dump, "y.bin", codes.iter().flat_map(|v| v.to_le_bytes()).collect());
    let x = Csr::new(indptr, indices, values, d).unwrap_or_else(|| Csr::empty(d));
    (x.into(), codes, 2)
}
