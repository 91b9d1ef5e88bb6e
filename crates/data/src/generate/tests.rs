//! Every generator: its shape, its formula, its errors.

use super::*;
use mercer_math::svd;

fn made(spec: &str) -> Generated {
    generate(spec, 3).unwrap()
}

fn classes(g: &Generated) -> &[u32] {
    let GeneratedTarget::Classes(c) = &g.y else { panic!("classes") };
    c
}

fn numbers(g: &Generated) -> Vec<f64> {
    let GeneratedTarget::Numbers(y) = &g.y else { panic!("numbers") };
    y.col(0)
}

#[test]
fn every_generator_has_its_shape_and_depends_on_the_seed_alone() {
    for g in GENERATORS {
        let one = g.make(&BTreeMap::new(), 1).unwrap();
        let again = g.make(&BTreeMap::new(), 1).unwrap();
        assert_eq!(one.x.n_rows(), 100, "{}", g.name);
        assert!(one.x.as_slice().iter().all(|v| v.is_finite()));
        assert_eq!((one.x.as_slice(), &one.y), (again.x.as_slice(), &again.y), "{}", g.name);
        assert_ne!(one.x.as_slice(), g.make(&BTreeMap::new(), 2).unwrap().x.as_slice(), "{}", g.name);
        assert!(g.params.iter().all(|p| Value::parse(p.default).is_ok()));
        assert_eq!(g.table(&BTreeMap::new(), 1).unwrap().table.n_rows(), 100);
    }
}

#[test]
fn shapes_are_what_they_are_called() {
    let moons = made("moons:n_samples=400");
    for (i, &c) in classes(&moons).iter().enumerate() {
        let (a, b) = (moons.x[(i, 0)], moons.x[(i, 1)]);
        let (dx, dy) = if c == 0 { (a, b) } else { (1.0 - a, 0.5 - b) };
        assert!((dx * dx + dy * dy - 1.0).abs() < 1e-12 && dy >= -1e-12);
    }
    let circles = made("circles:factor=0.5");
    for (i, &c) in classes(&circles).iter().enumerate() {
        let r = (circles.x[(i, 0)].powi(2) + circles.x[(i, 1)].powi(2)).sqrt();
        assert!((r - if c == 0 { 1.0 } else { 0.5 }).abs() < 1e-12);
    }
    let roll = made("swiss_roll:n_samples=200");
    for (i, t) in numbers(&roll).iter().enumerate() {
        assert!(((roll.x[(i, 0)].powi(2) + roll.x[(i, 2)].powi(2)).sqrt() - t).abs() < 1e-9);
        assert!((0.0..=21.0).contains(&roll.x[(i, 1)]));
    }
    let s = made("s_curve");
    for (i, t) in numbers(&s).iter().enumerate() {
        assert!((s.x[(i, 0)] - t.sin()).abs() < 1e-12);
    }
    let quantiles = made("gaussian_quantiles:n_samples=300");
    let radius = |i: usize| quantiles.x.row(i).iter().map(|v| v * v).sum::<f64>();
    let of = |c: u32| (0..300).filter(|&i| classes(&quantiles)[i] == c).map(radius).collect::<Vec<_>>();
    assert_eq!(of(1).len(), 100);
    assert!(of(0).iter().all(|a| of(1).iter().all(|b| a <= b)));
}

/// Values from scikit-learn's formulas at fixed points, worked by hand.
#[test]
fn friedman_functions_have_known_values() {
    let one = friedman_mean(1, &[0.5, 1.0, 0.5, 0.2, 0.4]).unwrap();
    assert!((one - (10.0 + 0.0 + 2.0 + 2.0)).abs() < 1e-12);
    let two = friedman_mean(2, &[3.0, 1.0, 5.0, 1.0]).unwrap();
    assert!((two - 5.0).abs() < 1e-12);
    let three = friedman_mean(3, &[4.0, 1.0, 5.0, 1.0]).unwrap();
    assert!((three - std::f64::consts::FRAC_PI_4).abs() < 1e-12);
    assert!(friedman_mean(1, &[0.0; 4]).is_err() && friedman_mean(4, &[0.0; 9]).is_err());
    let g = made("friedman1:n_samples=50,noise=0");
    assert_eq!(numbers(&g), g.more[0].1.col(0));
}

#[test]
fn linear_and_low_rank_data_are_so() {
    let g = made("regression:n_samples=60,n_features=8,n_informative=3,noise=0,bias=2");
    let coef = &g.more.iter().find(|(n, _)| *n == "coef").unwrap().1;
    assert_eq!((0..8).filter(|&j| coef[(j, 0)] != 0.0).count(), 3);
    for (i, y) in numbers(&g).iter().enumerate() {
        let line: f64 = (0..8).map(|j| g.x[(i, j)] * coef[(j, 0)]).sum();
        assert!((y - line - 2.0).abs() < 1e-9);
    }
    let g = made("low_rank:n_samples=40,n_features=20,effective_rank=3,tail_strength=0.2");
    let s = svd(g.x.view()).unwrap().s;
    for (i, value) in s.iter().enumerate().take(20) {
        let at = i as f64 / 3.0;
        assert!((value - (0.8 * (-at * at).exp() + 0.2 * (-0.1 * at).exp())).abs() < 1e-10);
    }
    let g = made("sparse_coded_signal:n_samples=30");
    let (dictionary, code) = (&g.more[0].1, &g.more[1].1);
    for i in 0..30 {
        assert_eq!(code.row(i).iter().filter(|v| **v != 0.0).count(), 3);
        for j in 0..10 {
            let value: f64 = (0..20).map(|a| code[(i, a)] * dictionary[(a, j)]).sum();
            assert!((g.x[(i, j)] - value).abs() < 1e-12);
        }
    }
    let g = made("checkerboard:n_samples=30,n_features=12,noise=0");
    let mut values: Vec<u64> = g.x.as_slice().iter().map(|v| v.to_bits()).collect();
    values.sort_unstable();
    values.dedup();
    assert_eq!(values.len(), 9);
}

#[test]
fn classes_have_their_shares() {
    let g = made("classification:n_samples=1000,weights=[0.9, 0.1],flip_y=0,n_features=6");
    assert_eq!(classes(&g).iter().filter(|&&c| c == 0).count(), 900);
    let g = made("blobs:n_samples=10,centers=3");
    assert_eq!(
        (0..3).map(|c| classes(&g).iter().filter(|&&x| x == c).count()).collect::<Vec<_>>(),
        [4, 3, 3]
    );
}

#[test]
fn bad_parameters_are_named() {
    let error = |spec: &str| generate(spec, 0).unwrap_err().to_string();
    for (spec, word) in [
        ("mons", "moons"),
        ("moons:n_samples=-1", "n_samples"),
        ("moons:noise=[1]", "noise"),
        ("circles:factor=1", "factor"),
        ("classification:n_features=2", "n_features"),
        ("classification:n_clusters_per_class=9", "n_informative"),
        ("classification:weights=[1]x", "expected"),
        ("blobs:center_box=[1, 0]", "center_box"),
        ("gaussian_quantiles:n_samples=2", "n_samples"),
        ("sparse_coded_signal:n_nonzero_coefs=99", "n_nonzero_coefs"),
    ] {
        assert!(error(spec).contains(word), "{spec}: {}", error(spec));
    }
}
