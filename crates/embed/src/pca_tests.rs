//! Tests of [`Pca`] against its definition and across its solvers.

use crate::{Pca, PcaComponents, PcaSolver, PowerIterations};
use mercer_core::sums::{self, MemoryBatches};
use mercer_core::{Dataset, Fit, Session};
use mercer_math::{Csr, Mat, normal, rng_for};

fn data(n: usize, d: usize) -> Mat {
    let mut rng = rng_for(11, 3);
    let scales: Vec<f64> = (0..d).map(|j| 3.0 / (j + 1) as f64).collect();
    let mixing = Mat::from_fn(d, d, |_, _| normal(&mut rng));
    let latent = Mat::from_fn(n, d, |_, j| scales[j] * normal(&mut rng));
    let mut x = mercer_math::matmul(latent.view(), mixing.view());
    x.as_mut_slice().iter_mut().for_each(|v| *v += 10.0);
    x
}

fn fit(x: &Mat, k: usize, solver: PcaSolver) -> mercer_core::Trained<Pca> {
    let pca = Pca::default()
        .n_components(PcaComponents::Count(k))
        .svd_solver(solver)
        .iterated_power(PowerIterations::Count(12));
    pca.fit(&Dataset::new(x)).unwrap()
}

#[test]
fn solvers_agree_and_certify() {
    let x = data(300, 12);
    let full = fit(&x, 4, PcaSolver::Full);
    for solver in [PcaSolver::CovarianceEigh, PcaSolver::Randomized] {
        let other = fit(&x, 4, solver);
        for (a, b) in full.components.as_slice().iter().zip(other.components.as_slice()) {
            assert!((a - b).abs() < 1e-6, "{solver:?}: {a} {b}");
        }
        assert!(other.certificate().evidence[0].value < 1e-6, "{}", other.certificate());
        assert!(other.verify(&Dataset::new(&x)).unwrap()[0].holds);
    }
}

#[test]
fn coordinates_are_uncorrelated_whitened_and_invertible() {
    let x = data(200, 5);
    let model = Pca::default().whiten(true).fit(&Dataset::new(&x)).unwrap();
    let z = model.transform(&x).unwrap().dense("z").unwrap().view().to_mat();
    let gram = mercer_math::matmul(z.view().t(), z.view());
    for i in 0..5 {
        for j in 0..5 {
            let expect = if i == j { 199.0 } else { 0.0 };
            assert!((gram[(i, j)] - expect).abs() < 1e-8);
        }
    }
    let back = model.inverse_transform(&z).unwrap();
    let back = back.dense("x").unwrap().view().to_mat();
    assert!(back.as_slice().iter().zip(x.as_slice()).all(|(a, b)| (a - b).abs() < 1e-9));
}

/// The closed form of two standardised variables with correlation r: variances 1 + |r| and 1 − |r|.
#[test]
fn two_standardised_variables_have_variances_one_plus_and_minus_r() {
    let x = data(500, 2);
    let moments: Vec<_> = (0..2).map(|j| mercer_math::Moments::of(&x.col(j))).collect();
    let z = Mat::from_fn(500, 2, |i, j| (x[(i, j)] - moments[j].mean) / moments[j].sample_variance().sqrt());
    let r = (0..500).map(|i| z[(i, 0)] * z[(i, 1)]).sum::<f64>() / 499.0;
    let model = Pca::default().fit(&Dataset::new(&z)).unwrap();
    assert!((model.explained_variance[0] - (1.0 + r.abs())).abs() < 1e-10);
    assert!((model.explained_variance[1] - (1.0 - r.abs())).abs() < 1e-10);
}

#[test]
fn shares_counts_and_bad_numbers() {
    let x = data(100, 6);
    let share = Pca::default().n_components(PcaComponents::Share(0.9)).fit(&Dataset::new(&x)).unwrap();
    let ratios = share.explained_variance_ratio();
    assert!(ratios.iter().sum::<f64>() > 0.9 && ratios[..ratios.len() - 1].iter().sum::<f64>() <= 0.9);
    let error = Pca::default().n_components(PcaComponents::Count(7)).fit(&Dataset::new(&x)).unwrap_err();
    assert!(error.to_string().contains("`n_components`") && error.to_string().contains("6"), "{error}");
}

#[test]
fn any_cut_sparse_rows_and_weights() {
    let x = data(4500, 4);
    let dataset = Dataset::new(&x);
    let whole = fit(&x, 3, PcaSolver::CovarianceEigh);
    let pca = Pca::default()
        .n_components(PcaComponents::Count(3))
        .svd_solver(PcaSolver::CovarianceEigh)
        .iterated_power(PowerIterations::Count(12));
    let streamed = pca.fit_stream(&mut MemoryBatches::new(&dataset, 1000), &Session::default()).unwrap();
    assert_eq!(streamed.components, whole.components);
    let parts: Vec<_> = [0..100, 100..4500].map(|r| dataset.subset(&r.collect::<Vec<_>>()).unwrap()).into();
    let distributed = sums::fit_partitions("PCA", &pca, &parts, &Session::default()).unwrap();
    assert!(
        distributed
            .components
            .as_slice()
            .iter()
            .zip(whole.components.as_slice())
            .all(|(a, b)| (a - b).abs() < 1e-9)
    );
    let csr = Csr::from_dense(x.view());
    for solver in [PcaSolver::Auto, PcaSolver::Full, PcaSolver::Randomized] {
        let sparse = pca.clone().svd_solver(solver).fit(&Dataset::new(&csr)).unwrap();
        assert!(
            sparse
                .components
                .as_slice()
                .iter()
                .zip(whole.components.as_slice())
                .all(|(a, b)| (a - b).abs() < 1e-6)
        );
    }
}
