//! The sampler against all partitions, one by one.

use super::cluster::{NormalWishart, Norms};
use super::gibbs::{Chain, Concentration, log_joint};
use super::process::{
    crp, crp_log_probability, dirichlet_marginals, expected_tables, polya_urn, stick_breaking,
    table_probabilities,
};
use mercer_math::{Mat, rng_for, uniform};
use std::collections::HashMap;

/// All partitions of n rows, as tables in the order of their first guest.
fn partitions(n: usize) -> Vec<Vec<u32>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        let grown = all.into_iter().flat_map(|p: Vec<u32>| {
            let k = p.iter().max().map_or(0, |m| m + 1);
            (0..=k).map(move |c| [p.as_slice(), &[c]].concat())
        });
        all = grown.collect();
    }
    all
}

fn sizes(p: &[u32]) -> Vec<usize> {
    let k = p.iter().max().map_or(0, |m| *m as usize + 1);
    (0..k).map(|c| p.iter().filter(|l| **l as usize == c).count()).collect()
}

/// Tables renumbered in the order of their first guest.
fn canonical(labels: &[u32]) -> Vec<u32> {
    let mut seen: Vec<u32> = Vec::new();
    let place = |l: &u32| match seen.iter().position(|s| s == l) {
        Some(at) => at as u32,
        None => {
            seen.push(*l);
            seen.len() as u32 - 1
        }
    };
    labels.iter().map(place).collect()
}

/// χ² of counts against expected ones, rare ones pooled, as a standard normal by Wilson and Hilferty.
fn surprise(counts: &[f64], expected: &[f64]) -> f64 {
    let (mut chi, mut cells, mut rare) = (0.0, 0.0, (0.0, 0.0));
    for (c, e) in counts.iter().zip(expected) {
        if *e < 10.0 {
            rare = (rare.0 + c, rare.1 + e);
        } else {
            chi += (c - e) * (c - e) / e;
            cells += 1.0;
        }
    }
    if rare.1 > 5.0 {
        chi += (rare.0 - rare.1) * (rare.0 - rare.1) / rare.1;
        cells += 1.0;
    }
    let free: f64 = cells - 1.0;
    let third = 2.0 / (9.0 * free);
    ((chi / free).cbrt() - (1.0 - third)) / third.sqrt()
}

#[test]
fn partition_probabilities_sum_to_one_in_any_order_of_arrivals() {
    for (alpha, n) in [(0.3, 6), (1.0, 5), (4.0, 6)] {
        let all = partitions(n);
        let total: f64 = all.iter().map(|p| crp_log_probability(alpha, &sizes(p)).unwrap().exp()).sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        // Seats taken one after the other, in the order given and in its reverse.
        for p in &all {
            let chain = |order: &mut dyn Iterator<Item = u32>| {
                let (mut seated, mut log) = (Vec::new(), 0.0f64);
                for l in order {
                    let there = seated.iter().filter(|s| **s == l).count() as f64;
                    log += (if there > 0.0 { there } else { alpha } / (alpha + seated.len() as f64)).ln();
                    seated.push(l);
                }
                log
            };
            let known = crp_log_probability(alpha, &sizes(p)).unwrap();
            assert!((chain(&mut p.iter().copied()) - known).abs() < 1e-12);
            assert!((chain(&mut p.iter().rev().copied()) - known).abs() < 1e-12);
        }
        let tables = table_probabilities(alpha, n).unwrap();
        let mean: f64 = tables.iter().enumerate().map(|(k, p)| k as f64 * p).sum();
        assert!((mean - expected_tables(alpha, n).unwrap()).abs() < 1e-12);
        for (k, p) in tables.iter().enumerate() {
            let of = all.iter().filter(|q| sizes(q).len() == k);
            let sum: f64 = of.map(|q| crp_log_probability(alpha, &sizes(q)).unwrap().exp()).sum();
            assert!((sum - p).abs() < 1e-12);
        }
    }
}

/// Of many guests only the tables that have a chance are looked at; a concentration beyond all guests cancels nothing.
#[test]
fn many_guests_and_large_concentrations_keep_their_digits() {
    for (alpha, n) in [(1.0, 30_000), (20.0, 5000), (1e7, 300)] {
        let tables = table_probabilities(alpha, n).unwrap();
        let (total, mean): (f64, f64) =
            tables.iter().enumerate().fold((0.0, 0.0), |(t, m), (k, p)| (t + p, m + k as f64 * p));
        let expected = expected_tables(alpha, n).unwrap();
        assert!((total - 1.0).abs() < 1e-11 && (mean / expected - 1.0).abs() < 1e-11, "{total} {mean}");
    }
    // Three guests at one table: 2 / ((α + 1) (α + 2)).
    let log = crp_log_probability(1e12, &[3]).unwrap();
    assert!(
        (log - (2f64.ln() - 1.0f64.mul_add(1e12, 1.0).ln() - (1e12 + 2.0f64).ln())).abs() < 1e-13,
        "{log}"
    );
}

/// Draws of the restaurant and of the urn's ties follow the partition probabilities: one false alarm in 10⁶ seeds each.
#[test]
fn draws_follow_the_partition_probabilities() {
    let (alpha, n, draws) = (1.3, 5, 20_000);
    let all = partitions(n);
    let expected: Vec<f64> =
        all.iter().map(|p| draws as f64 * crp_log_probability(alpha, &sizes(p)).unwrap().exp()).collect();
    let place: HashMap<Vec<u32>, usize> = all.iter().cloned().zip(0..).collect();
    let mut rng = rng_for(3, 7);
    let (mut seats, mut ties) = (vec![0.0; all.len()], vec![0.0; all.len()]);
    for _ in 0..draws {
        let tables: Vec<u32> = crp(&mut rng, alpha, n).unwrap().into_iter().map(|t| t as u32).collect();
        seats[place[&canonical(&tables)]] += 1.0;
        let drawn = polya_urn(&mut rng, alpha, n, uniform).unwrap();
        let tied: Vec<u32> =
            drawn.iter().map(|v| drawn.iter().position(|w| w == v).unwrap() as u32).collect();
        ties[place[&canonical(&tied)]] += 1.0;
    }
    assert!(surprise(&seats, &expected) < 4.9, "{}", surprise(&seats, &expected));
    assert!(surprise(&ties, &expected) < 4.9, "{}", surprise(&ties, &expected));
}

/// The masses of stick-breaking draws on three cells have the moments of their Dirichlet distribution (five standard errors).
#[test]
fn sticks_have_dirichlet_marginals_on_a_partition() {
    let (alpha, masses, draws) = (2.5, [0.5, 0.3, 0.2], 4000);
    let parameters = dirichlet_marginals(alpha, &masses).unwrap();
    let mut rng = rng_for(5, 5);
    let mut found = vec![Vec::new(); 3];
    for _ in 0..draws {
        let weights = stick_breaking(&mut rng, alpha, 80).unwrap();
        let mut cells = [0.0; 3];
        for w in weights {
            let u = uniform(&mut rng);
            cells[if u < 0.5 { 0 } else { usize::from(u >= 0.8) + 1 }] += w;
        }
        cells.iter().zip(&mut found).for_each(|(c, f)| f.push(*c));
    }
    for (a, values) in parameters.iter().zip(&found) {
        let moments = mercer_math::Moments::of(values);
        let (mean, variance) = (a / alpha, a * (alpha - a) / (alpha * alpha * (alpha + 1.0)));
        assert!((moments.mean - mean).abs() < 5.0 * (variance / draws as f64).sqrt(), "{}", moments.mean);
        assert!((moments.variance() / variance - 1.0).abs() < 0.15, "{} {variance}", moments.variance());
    }
    assert!(dirichlet_marginals(1.0, &[0.5, 0.4]).is_err() && stick_breaking(&mut rng, f64::NAN, 3).is_err());
}

/// The chain visits every partition of six rows as often as its posterior probability says: one false alarm in 10⁶ seeds, states
/// being taken twelve sweeps apart, where they are as good as independent.
#[test]
fn the_chain_has_the_exact_posterior() {
    let x =
        Mat::from_rows(&[[0.0, 0.1], [0.3, -0.2], [1.5, 1.2], [1.9, 1.0], [-1.2, 0.6], [0.9, 0.4]]).unwrap();
    let scale = Mat::from_rows(&[[0.4, 0.1], [0.1, 0.5]]).unwrap();
    let prior = NormalWishart::new("test", vec![0.2, 0.3], 0.3, 4.0, &scale).unwrap();
    let (norms, alpha, draws) = (Norms::new(&prior, 6), 0.8, 12_000);
    let all = partitions(6);
    let clusters = |p: &[u32]| {
        let mut out = vec![prior.empty(); sizes(p).len()];
        p.iter().enumerate().for_each(|(i, c)| out[*c as usize].add(&prior, x.row(i), &mut [0.0; 2]));
        out
    };
    let logs: Vec<f64> = all.iter().map(|p| log_joint(&prior, &clusters(p), alpha)).collect();
    let top = mercer_math::log_sum_exp(&logs);
    let expected: Vec<f64> = logs.iter().map(|l| draws as f64 * (l - top).exp()).collect();
    let place: HashMap<Vec<u32>, usize> = all.iter().cloned().zip(0..).collect();
    let mut chain = Chain::new(&x, &prior, &norms, alpha, rng_for(11, 3));
    let mut counts = vec![0.0; all.len()];
    for _ in 0..draws {
        (0..12).for_each(|_| (0..6).for_each(|i| chain.reseat(i)));
        counts[place[&canonical(&chain.labels)]] += 1.0;
    }
    let found = surprise(&counts, &expected);
    assert!(found < 4.9, "{found}");
    // Rank-one updates have lost nothing.
    let before = chain.log_joint();
    chain.refresh();
    assert!((before - chain.log_joint()).abs() < 1e-6, "{before} {}", chain.log_joint());
}

/// With the partition fixed at k clusters of n rows, the concentration's chain has its exact mean, which is summed on a grid.
#[test]
fn the_concentration_has_its_posterior() {
    let x = Mat::from_fn(30, 1, |i, _| (i % 3) as f64 * 1e3);
    let prior = NormalWishart::new("test", vec![0.0], 0.01, 3.0, &Mat::identity(1)).unwrap();
    let norms = Norms::new(&prior, 30);
    let mut chain = Chain::new(&x, &prior, &norms, 1.0, rng_for(2, 9));
    (0..20).for_each(|_| (0..30).for_each(|i| chain.reseat(i)));
    let k = chain.clusters.len();
    let gamma = Concentration { fixed: None, shape: 2.0, rate: 1.5 };
    let draws = 40_000;
    let mut mean = 0.0;
    for _ in 0..draws {
        chain.concentrate(&gamma);
        mean += chain.alpha / draws as f64;
    }
    let weight = |a: f64| {
        let seats = mercer_math::special::lgamma(a) - mercer_math::special::lgamma(a + 30.0);
        ((k as f64 + 1.0) * a.ln() - 1.5 * a + seats).exp()
    };
    let grid = || (1..4000).map(|i| f64::from(i) * 0.005);
    let exact = grid().map(|a| a * weight(a)).sum::<f64>() / grid().map(weight).sum::<f64>();
    assert!((mean - exact).abs() < 0.03 * exact, "{mean} for {exact}");
}
