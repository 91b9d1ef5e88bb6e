//! The chain against a posterior that is enumerated, and its counts against themselves.

use super::sampler::{Chain, Priors};
use mercer_core::{NumbersRef, Session};
use mercer_math::special::lgamma;
use mercer_math::{Mat, Moments, rng_for, uniform};

/// The log joint of topics of all words, from its definition.
fn log_joint(x: &Mat, z: &[usize], priors: &Priors) -> f64 {
    let (k, d) = (priors.alpha.len(), x.n_cols());
    let (mut words, mut at, mut log) = (Mat::zeros(k, d), 0, 0.0);
    for i in 0..x.n_rows() {
        let mut shares = vec![0.0; k];
        for j in 0..d {
            for _ in 0..x[(i, j)] as usize {
                shares[z[at]] += 1.0;
                words[(z[at], j)] += 1.0;
                at += 1;
            }
        }
        let whole: f64 = priors.alpha.iter().sum();
        log += lgamma(whole) - lgamma(whole + shares.iter().sum::<f64>());
        log += shares.iter().zip(&priors.alpha).map(|(n, a)| lgamma(n + a) - lgamma(*a)).sum::<f64>();
    }
    for t in 0..k {
        let whole = priors.eta * d as f64;
        log += lgamma(whole) - lgamma(whole + words.row(t).iter().sum::<f64>());
        log += words.row(t).iter().map(|n| lgamma(n + priors.eta) - lgamma(priors.eta)).sum::<f64>();
    }
    log
}

/// Pearson's statistic over all 3⁷ states of seven words, those of small probability together: beyond its mean by six standard deviations less
/// than once in 10,000, whatever the number of classes; draws are fifteen sweeps apart.
#[test]
fn states_have_their_posterior_probabilities() {
    let x = Mat::from_rows(&[[2.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]).unwrap();
    let priors = Priors { alpha: vec![0.5, 1.0, 0.2], eta: 0.4 };
    let (k, n) = (3usize, 7u32);
    let state = |code: usize| (0..n).map(|i| code / k.pow(i) % k).collect::<Vec<_>>();
    let mut p: Vec<f64> = (0..k.pow(n)).map(|code| log_joint(&x, &state(code), &priors).exp()).collect();
    let total: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= total);
    let mut chain = Chain::new(NumbersRef::Dense(x.view()), k, priors.clone(), &Session::new(1));
    let session = Session::new(1).with_threads(1);
    let draws = 60_000;
    let mut seen = vec![0.0; p.len()];
    session.run(|| {
        for sweep in 0..15 * draws {
            assert!(chain.sweep(&session).is_none());
            if sweep % 15 == 14 {
                let z = chain.assignments();
                seen[z.iter().rev().fold(0, |code, z| code * k + *z as usize)] += 1.0;
            }
        }
    });
    let z: Vec<usize> = chain.assignments().iter().map(|z| *z as usize).collect();
    assert!((chain.log_joint() - log_joint(&x, &z, &priors)).abs() < 1e-9);
    let (mut statistic, mut classes, mut rest) = (0.0f64, 0.0f64, (0.0f64, 0.0f64));
    for (p, seen) in p.iter().zip(&seen) {
        let expected = p * f64::from(draws);
        if expected < 10.0 {
            rest = (rest.0 + expected, rest.1 + seen);
        } else {
            statistic += (seen - expected).powi(2) / expected;
            classes += 1.0;
        }
    }
    statistic += (rest.1 - rest.0).powi(2) / rest.0;
    assert!(classes > 100.0, "{classes}");
    assert!(statistic < classes + 6.0 * (2.0 * classes).sqrt(), "{statistic} of {classes} classes");
}

#[test]
fn counts_of_many_parts_stay_those_of_the_words() {
    let mut rng = rng_for(5, 1);
    let x = Mat::from_fn(400, 50, |_, _| (uniform(&mut rng) * 12.0).floor());
    let session = Session::new(2);
    let priors = Priors { alpha: vec![0.1; 20], eta: 0.05 };
    let mut chain = Chain::new(NumbersRef::Dense(x.view()), 20, priors, &session);
    assert!(chain.n_parts() > 2, "{}", chain.n_parts());
    session.run(|| (0..3).for_each(|_| assert!(chain.sweep(&session).is_none())));
    chain.learn_priors(true, true);
    chain.assert_consistent();
    assert_eq!(chain.n_words() as f64, x.as_slice().iter().sum::<f64>());
}

/// Where all topics have the same words, counts of topics follow Pólya's law: E n_k = n α_k / A, E n_k (n_k − 1) = n (n − 1) α_k (α_k + 1) / (A (A + 1)).
/// With means of batches, 40 comparisons beyond five standard errors (Student's law, 49 degrees of freedom) happen less than once in 2,000.
#[test]
fn many_topics_of_one_document_follow_the_law_of_polya() {
    let (k, n, batches) = (20usize, 40.0, 50);
    let alpha: Vec<f64> = (0..k).map(|t| 0.2 + 0.1 * t as f64).collect();
    let whole: f64 = alpha.iter().sum();
    let x = Mat::from_rows(&[[n / 2.0, n / 4.0, n / 4.0]]).unwrap();
    let session = Session::new(4).with_threads(1);
    let priors = Priors { alpha: alpha.clone(), eta: 1e6 };
    let mut chain = Chain::new(NumbersRef::Dense(x.view()), k, priors, &session);
    let mut found = vec![[(); 2].map(|()| Vec::new()); k];
    for _ in 0..batches {
        let mut sums = vec![[0.0; 2]; k];
        session.run(|| {
            for _ in 0..400 {
                assert!(chain.sweep(&session).is_none());
                let mut counts = vec![0.0; k];
                chain.assignments().iter().for_each(|z| counts[*z as usize] += 1.0);
                for (sums, n) in sums.iter_mut().zip(&counts) {
                    *sums = [sums[0] + n, sums[1] + n * (n - 1.0)];
                }
            }
        });
        for (found, sums) in found.iter_mut().zip(&sums) {
            (0..2).for_each(|m| found[m].push(sums[m] / 400.0));
        }
    }
    for (a, found) in alpha.iter().zip(&found) {
        let expected = [n * a / whole, n * (n - 1.0) * a * (a + 1.0) / (whole * (whole + 1.0))];
        for (found, expected) in found.iter().zip(expected) {
            let own = Moments::of(found);
            let error = (own.sample_variance() / batches as f64).sqrt();
            assert!((own.mean - expected).abs() < 5.0 * error, "{}: {expected}, error {error}", own.mean);
        }
    }
}
