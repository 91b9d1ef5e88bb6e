//! Generators of matrices: low rank, sparse codes, checkerboards.

use super::{Args, Generated, GeneratedTarget};
use mercer_core::{Error, Result};
use mercer_math::{Mat, Rng, matmul, normal, qr_thin, sample_indices, shuffle, uniform};

/// U S Vᵀ with random orthonormal U, V and singular values (1−t) exp(−(i/r)²) + t exp(−0.1 i/r).
pub(super) fn low_rank_matrix(n: usize, d: usize, rank: usize, tail: f64, rng: &mut Rng) -> Result<Mat> {
    let k = n.min(d);
    let mut orthonormal = |rows: usize| {
        let g = Mat::from_fn(rows, k, |_, _| normal(rng));
        qr_thin(g.view())
            .map(|(q, _)| q)
            .ok_or_else(|| Error::numeric("low_rank", "the random matrix has no QR decomposition"))
    };
    let (mut u, v) = (orthonormal(n)?, orthonormal(d)?);
    for i in 0..n {
        for (j, value) in u.row_mut(i).iter_mut().enumerate() {
            let at = j as f64 / rank as f64;
            *value *= (1.0 - tail) * (-at * at).exp() + tail * (-0.1 * at).exp();
        }
    }
    Ok(matmul(u.view(), v.view().t()))
}

pub(super) fn low_rank(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let (n, d) = (args.count("n_samples", 1)?, args.count("n_features", 1)?);
    let tail = args.at_least_zero("tail_strength")?;
    let x = low_rank_matrix(n, d, args.count("effective_rank", 1)?, tail, rng)?;
    Ok(Generated::new(x, GeneratedTarget::None))
}

pub(super) fn sparse_coded_signal(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let (n, d) = (args.count("n_samples", 1)?, args.count("n_features", 1)?);
    let (k, active) = (args.count("n_components", 1)?, args.count("n_nonzero_coefs", 1)?);
    if active > k {
        return args.wrong("n_nonzero_coefs", "at most the number of atoms");
    }
    let mut dictionary = Mat::from_fn(k, d, |_, _| normal(rng));
    for a in 0..k {
        let row = dictionary.row_mut(a);
        let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        row.iter_mut().for_each(|v| *v /= norm);
    }
    let mut code = Mat::zeros(n, k);
    for i in 0..n {
        for a in sample_indices(rng, k, active) {
            code[(i, a)] = normal(rng);
        }
    }
    let x = matmul(code.view(), dictionary.view());
    Ok(Generated { x, y: GeneratedTarget::None, more: vec![("dictionary", dictionary), ("code", code)] })
}

pub(super) fn checkerboard(args: &Args<'_>, rng: &mut Rng) -> Result<Generated> {
    let (n, d) = (args.count("n_samples", 1)?, args.count("n_features", 1)?);
    let (r, c) = (args.count("n_row_clusters", 1)?, args.count("n_column_clusters", 1)?);
    let (low, high, noise) = (args.real("minval")?, args.real("maxval")?, args.at_least_zero("noise")?);
    if low > high {
        return args.wrong("minval", "at most `maxval`");
    }
    let rows: Vec<usize> = (0..n).map(|i| i * r / n).collect();
    let mut columns: Vec<usize> = (0..d).map(|j| j * c / d).collect();
    if args.flag("shuffle")? {
        shuffle(rng, &mut columns);
    }
    let blocks = Mat::from_fn(r, c, |_, _| low + (high - low) * uniform(rng));
    let x = Mat::from_fn(n, d, |i, j| blocks[(rows[i], columns[j])] + noise * normal(rng));
    let labels = Mat::from_fn(1, d, |_, j| columns[j] as f64);
    let codes = rows.iter().map(|&g| g as u32).collect();
    Ok(Generated { x, y: GeneratedTarget::Classes(codes), more: vec![("columns", labels)] })
}
