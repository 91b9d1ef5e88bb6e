//! Tests of the factorisations: each is multiplied back, and its factors are checked for structure.

use super::*;
use crate::{normal, rng_for};

fn random(n: usize, d: usize) -> Mat {
    let mut rng = rng_for(n as u64, 100 + d as u64);
    Mat::from_fn(n, d, |_, _| normal(&mut rng))
}

fn spd(n: usize) -> Mat {
    let x = random(2 * n + 3, n);
    let mut a = matmul(x.view().t(), x.view());
    crate::symmetrise(&mut a);
    a
}

fn distance(a: &Mat, b: &Mat) -> f64 {
    assert_eq!((a.n_rows(), a.n_cols()), (b.n_rows(), b.n_cols()));
    a.as_slice().iter().zip(b.as_slice()).fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs()))
}

fn orthonormal_columns(q: MatRef<'_>) {
    assert!(distance(&matmul(q.t(), q), &Mat::identity(q.n_cols())) < 1e-12);
}

const SHAPES: [(usize, usize); 8] = [(1, 1), (3, 2), (2, 3), (40, 7), (7, 40), (130, 130), (0, 3), (4, 0)];

#[test]
fn cholesky_solves() {
    for n in [0, 1, 2, 5, 64, 150] {
        let a = spd(n);
        let factor = Cholesky::new(&a).expect("positive definite");
        let l = factor.l();
        assert!(distance(&matmul(l.view(), l.view().t()), &a) < 1e-10 * (n + 1) as f64);
        let x = random(n, 3);
        let b = matmul(a.view(), x.view());
        assert!(distance(&solve_spd(&a, &b).expect("positive definite"), &x) < 1e-8);
        let column = factor.solve_vec(&b.col(0));
        assert!(column.iter().zip(x.col(0)).all(|(p, q)| (p - q).abs() < 1e-8));
        assert!(distance(&matmul(a.view(), factor.inverse().view()), &Mat::identity(n)) < 1e-9);
        let mut half = b.clone();
        factor.solve_l(&mut half);
        assert!(distance(&matmul(l.view(), half.view()), &b) < 1e-9 * (n + 1) as f64);
        let sum_of_logs: f64 = eigh(&a).expect("finite").values.iter().map(|v| v.ln()).sum();
        assert!((factor.log_det() - sum_of_logs).abs() < 1e-9 * (n + 1) as f64);
    }
}

#[test]
fn bad_matrices_are_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut a = spd(6);
        a[(4, 2)] = bad;
        a[(2, 4)] = bad;
        assert!(Cholesky::new(&a).is_none() && eigh(&a).is_none());
        assert!(svd(a.view()).is_none() && qr_thin(a.view()).is_none() && pinv(a.view(), None).is_none());
        assert!(lstsq(a.view(), a.view(), None).is_none());
    }
    let indefinite = Mat::from_rows(&[[1.0, 2.0], [2.0, 1.0]]).expect("shape");
    assert!(Cholesky::new(&indefinite).is_none());
    assert!(Cholesky::new(&Mat::zeros(3, 3)).is_none());
    assert!(Cholesky::new(&Mat::zeros(3, 2)).is_none());
    assert!(solve_spd(&spd(3), &Mat::zeros(2, 1)).is_none());
}

#[test]
fn extreme_values_do_not_panic() {
    for size in [1e-310, 1e-200, 1e200, 1e308] {
        let x = Mat::from_fn(5, 4, |i, j| size * ((i * 7 + j * 3) as f64).sin());
        let square = Mat::from_fn(4, 4, |i, j| size * ((i + j) as f64).cos());
        let _ =
            (svd(x.view()), qr_thin(x.view()), eigh(&square), Cholesky::new(&square), pinv(x.view(), None));
    }
}

#[test]
fn eigh_multiplies_back() {
    for n in [0, 1, 2, 9, 90] {
        let x = random(n, n);
        let a = Mat::from_fn(n, n, |i, j| x[(i, j)] + x[(j, i)]);
        let Eigh { values, vectors } = eigh(&a).expect("finite");
        orthonormal_columns(vectors.view());
        assert!(values.windows(2).all(|w| w[0] >= w[1]));
        let scaled = Mat::from_fn(n, n, |i, j| vectors[(i, j)] * values[j]);
        assert!(distance(&matmul(scaled.view(), vectors.view().t()), &a) < 1e-11 * (n + 1) as f64);
        for j in 0..n {
            assert_eq!(sign_of_largest(vectors.col(j).into_iter()), 1.0);
        }
    }
}

#[test]
fn svd_and_qr_multiply_back() {
    for (n, d) in SHAPES {
        let x = random(n, d);
        let turned = x.view().t().to_mat();
        for view in [x.view(), turned.view().t()] {
            let Svd { u, s, vt } = svd(view).expect("finite");
            orthonormal_columns(u.view());
            orthonormal_columns(vt.view().t());
            assert!(s.windows(2).all(|w| w[0] >= w[1]) && s.iter().all(|&v| v >= 0.0));
            let scaled = Mat::from_fn(n, s.len(), |i, j| u[(i, j)] * s[j]);
            assert!(distance(&matmul(scaled.view(), vt.view()), &x) < 1e-11);
            let (q, r) = qr_thin(view).expect("finite");
            orthonormal_columns(q.view());
            assert!(distance(&matmul(q.view(), r.view()), &x) < 1e-12);
            assert!((0..r.n_rows()).all(|i| r[(i, i)] >= 0.0 && (0..i).all(|j| r[(i, j)] == 0.0)));
        }
    }
}

#[test]
fn pinv_satisfies_the_four_penrose_equations() {
    for (n, d, rank) in [(6, 4, 4), (4, 6, 4), (9, 7, 3), (7, 9, 2), (5, 5, 1)] {
        let x = matmul(random(n, rank).view(), random(rank, d).view());
        let p = pinv(x.view(), None).expect("finite");
        let (xp, px) = (matmul(x.view(), p.view()), matmul(p.view(), x.view()));
        assert!(distance(&matmul(xp.view(), x.view()), &x) < 1e-11);
        assert!(distance(&matmul(px.view(), p.view()), &p) < 1e-11);
        assert!(distance(&xp, &xp.view().t().to_mat()) < 1e-11);
        assert!(distance(&px, &px.view().t().to_mat()) < 1e-11);
        let (solution, found) = lstsq(x.view(), random(n, 2).view(), None).expect("finite");
        assert_eq!(found, rank);
        assert!(distance(&solution, &matmul(p.view(), random(n, 2).view())) < 1e-10);
    }
    assert_eq!(lstsq(Mat::zeros(3, 2).view(), Mat::zeros(3, 1).view(), None).map(|r| r.1), Some(0));
}
