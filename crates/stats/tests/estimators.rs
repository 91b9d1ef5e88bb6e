//! Estimators against closed forms: conjugate posteriors, efficiency, Stein's risk.

use mercer_core::Session;
use mercer_math::{Mat, Rng, normal, rng_for};
use mercer_stats::{
    Beta, Exponential, Family, Gamma, Gaussian, Normal, Poisson, Quadratic, Uniform, Univariate,
    definiteness, james_stein, map_estimate, matrix_norm, mle, sherman_morrison, study, vector_norm,
    woodbury,
};

fn family(name: &str) -> &'static Family {
    Family::named(name).unwrap()
}

fn near(a: f64, b: f64, tol: f64) {
    assert!((a - b).abs() <= tol * b.abs().max(1.0), "{a} != {b}");
}

/// The most probable parameters under conjugate priors are the modes of the posteriors in closed form.
#[test]
fn map_estimates_are_modes_of_conjugate_posteriors() {
    let coins = [1.0, 1.0, 0.0, 1.0, 0.0];
    let prior = Beta::new(2.0, 3.0).unwrap();
    let found = map_estimate(family("bernoulli"), &coins, None, &[], &[Some(&prior)]).unwrap();
    near(found.parameters[0], (3.0 + 1.0) / (5.0 + 3.0), 1e-8);
    let counts = [2.0, 4.0, 3.0];
    let prior = Gamma::new(2.0, 0.5).unwrap();
    let found = map_estimate(family("poisson"), &counts, None, &[], &[Some(&prior)]).unwrap();
    near(found.parameters[0], (9.0 + 2.0 - 1.0) / (3.0 + 0.5), 1e-8);
    // A mean under a normal prior, the deviation known: ridge towards the prior mean.
    let x = [1.0, 2.0, 4.0];
    let prior = Normal::new(0.0, 0.5).unwrap();
    let found = map_estimate(family("normal"), &x, None, &[None, Some(2.0)], &[Some(&prior), None]).unwrap();
    near(found.parameters[0], (7.0 / 4.0) / (3.0 / 4.0 + 1.0 / 0.25), 1e-8);
    assert!(
        map_estimate(family("poisson"), &counts, None, &[], &[Some(&Poisson::new(1.0).unwrap())]).is_err()
    );
}

/// Observations that leave the likelihood without a maximum leave the posterior with one.
#[test]
fn priors_speak_where_observations_are_silent() {
    let gamma = Gamma::new(2.0, 1.0).unwrap();
    let prior: [Option<&dyn Univariate>; 1] = [Some(&gamma)];
    // Gamma(2, 1) and three rows without events: Gamma(2, 4), whose mode is (2 − 1) / 4.
    let found = map_estimate(family("poisson"), &[0.0; 3], None, &[], &prior).unwrap();
    near(found.parameters[0], 0.25, 1e-6);
    assert!(mle(family("poisson"), &[0.0; 3], None, &[]).is_err());
    // One normal number with a prior of its spread: the mode solves 1/σ − z²/σ³ = 1/σ·(a − 1) − b by σ.
    let spread = Gamma::new(3.0, 1.0).unwrap();
    let prior: [Option<&dyn Univariate>; 2] = [None, Some(&spread)];
    let found = map_estimate(family("normal"), &[2.0], None, &[Some(0.0)], &prior).unwrap();
    let s = found.parameters[1];
    near(-1.0 / s + 4.0 / s.powi(3) + 2.0 / s - 1.0, 0.0, 1e-5);
    let found = map_estimate(family("normal"), &[2.0, 2.0], None, &[], &[None, Some(&spread)]);
    near(found.unwrap().parameters[0], 2.0, 1e-6);
}

/// The units of the observations change nothing but the parameters that have units.
#[test]
fn tiny_and_huge_units_are_fitted_alike() {
    let x = [0.4, 1.3, 0.9, 2.2, 3.1, 0.7];
    for name in ["gamma", "inverse_gamma", "weibull", "logistic", "cauchy"] {
        let plain = mle(family(name), &x, None, &[]).unwrap().parameters;
        for unit in [1e-30, 1e30] {
            let moved: Vec<f64> = x.iter().map(|v| v * unit).collect();
            let found = mle(family(name), &moved, None, &[]).unwrap().parameters;
            let scale = if name == "gamma" { 1.0 / unit } else { unit };
            near(found[1] / scale / plain[1], 1.0, 1e-6);
        }
    }
}

/// Parameters that are held leave closed forms closed, and impossible ones are refused.
#[test]
fn held_parameters_are_taken_as_they_are() {
    let x = [2.0, 3.0, 5.0];
    let pareto = mle(family("pareto"), &x, None, &[Some(1.5)]).unwrap();
    assert_eq!(pareto.parameters, [1.5, 2.0]);
    let pareto = mle(family("pareto"), &x, None, &[None, Some(1.0)]).unwrap();
    near(pareto.parameters[0], 3.0 / (30f64).ln(), 1e-14);
    let normal = mle(family("normal"), &x, None, &[Some(3.0)]).unwrap();
    near(normal.parameters[1], (5.0f64 / 3.0).sqrt(), 1e-15);
    for (name, held) in [("pareto", [None, Some(2.5)]), ("uniform", [Some(2.5), None])] {
        let told = mle(family(name), &x, None, &held).unwrap_err().to_string();
        assert!(told.contains("impossible"), "{told}");
    }
    let told = mle(family("binomial"), &[7.0, 1.0], None, &[Some(5.0), Some(0.5)]).unwrap_err().to_string();
    assert!(told.contains("impossible"), "{told}");
}

/// The most likely value of a function of a parameter is the function of the most likely parameter.
#[test]
fn maximum_likelihood_is_invariant() {
    let x = [0.7, 2.0, 1.1, 0.2, 5.0];
    let rate = mle(family("exponential"), &x, None, &[]).unwrap().parameters[0];
    // The scale 1/λ of a Weibull law of shape one is the same law in other words.
    let scale = mle(family("weibull"), &x, None, &[Some(1.0), None]).unwrap().parameters[1];
    near(scale, 1.0 / rate, 1e-9);
    let logs = mle(family("log_normal"), &x, None, &[]).unwrap();
    let normal = mle(family("normal"), &x.map(f64::ln), None, &[]).unwrap();
    near(logs.parameters[0], normal.parameters[0], 1e-14);
    // The notes have half the largest value for the uniform law on (0, θ); it is the largest.
    assert_eq!(mle(family("uniform"), &x, None, &[Some(0.0), None]).unwrap().parameters, [0.0, 5.0]);
}

#[test]
fn a_weight_of_two_is_two_copies() {
    let (x, twice) = ([0.3, 1.9, 0.8, 4.0], [0.3, 1.9, 1.9, 0.8, 4.0]);
    for name in ["gamma", "weibull", "student_t", "normal", "inverse_gamma", "logistic", "laplace"] {
        let a = mle(
            family(name),
            &x,
            Some(&[1.0, 2.0, 1.0, 1.0]),
            &[Some(4.0)][..usize::from(name == "student_t")],
        )
        .unwrap();
        let b = mle(family(name), &twice, None, &[Some(4.0)][..usize::from(name == "student_t")]).unwrap();
        a.parameters.iter().zip(&b.parameters).for_each(|(a, b)| near(*a, *b, 1e-8));
    }
}

/// 20,000 runs: shares within five standard errors.
#[test]
fn a_study_tells_bias_variance_and_efficiency() {
    let session = Session::new(5).with_threads(2);
    let law = Normal::new(1.0, 2.0).unwrap();
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let variance = |x: &[f64]| x.iter().map(|v| (v - mean(x)).powi(2)).sum::<f64>() / x.len() as f64;
    let told = study(&variance, &law, 4.0, &[0.0, 4.0], &[5, 50], 20_000, &session).unwrap();
    // E of the variance divided by n is σ²(n−1)/n; its variance 2σ⁴(n−1)/n²; Cramér and Rao's bound 2σ⁴/n.
    for s in &told {
        let n = s.n as f64;
        assert!((s.bias.0 + 4.0 / n).abs() < 5.0 * s.bias.1, "{s:?}");
        assert!((s.variance.0 - 32.0 * (n - 1.0) / (n * n)).abs() < 5.0 * s.variance.1, "{s:?}");
        near(s.cramer_rao.unwrap(), 32.0 / n, 1e-12);
        near(s.mse.0, s.variance.0 * (1.0 - 1.0 / 20_000.0) + s.bias.0.powi(2), 1e-9);
    }
    let told = study(&mean, &law, 1.0, &[1.0, 0.0], &[10], 20_000, &session).unwrap();
    assert!((told[0].efficiency.unwrap() - 1.0).abs() < 0.05, "the mean is efficient: {told:?}");
    let alone =
        study(&mean, &law, 1.0, &[1.0, 0.0], &[10], 20_000, &Session::new(5).with_threads(1)).unwrap();
    assert_eq!(told, alone, "the same on any number of threads");
    // The median of normal numbers has efficiency 2/π in the limit.
    let median = |x: &[f64]| mercer_math::median(x).unwrap();
    let told = study(&median, &law, 1.0, &[1.0, 0.0], &[201], 20_000, &session).unwrap();
    assert!((told[0].efficiency.unwrap() - 2.0 / std::f64::consts::PI).abs() < 0.03, "{told:?}");
}

/// The largest of n uniform numbers: no information, an error that falls with 1/n² and not 1/n, and no normal limit.
#[test]
fn the_uniform_law_is_not_regular() {
    let law = Uniform::new(0.0, 1.0).unwrap();
    let largest = |x: &[f64]| x.iter().copied().fold(0.0, f64::max);
    let told = study(&largest, &law, 1.0, &[0.0, 1.0], &[10, 100], 20_000, &Session::default()).unwrap();
    assert!(told[0].cramer_rao.is_none());
    for s in &told {
        let n = s.n as f64;
        // MSE of the maximum: 2 / ((n + 1)(n + 2)).
        assert!((s.mse.0 - 2.0 / ((n + 1.0) * (n + 2.0))).abs() < 5.0 * s.mse.1, "{s:?}");
    }
}

/// Stein: the risk is d − (d − 2)² E[1 / (d − 2 + 2K)] with K ~ Poisson(‖θ‖²/2), below d everywhere. 40,000 runs, five errors.
#[test]
fn james_and_stein_beat_the_mean() {
    const RUNS: usize = 40_000;
    for length in [0.0, 2.0, 5.0] {
        let d = 8;
        let mut theta = vec![0.0; d];
        theta[0] = length;
        let mut rng: Rng = rng_for(11, length as u64);
        let (mut plain, mut positive) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let x: Vec<f64> = theta.iter().map(|t| t + normal(&mut rng)).collect();
            let loss = |e: &[f64]| e.iter().zip(&theta).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            plain.push(loss(&james_stein(&x, 1.0, false).unwrap()));
            positive.push(loss(&james_stein(&x, 1.0, true).unwrap()));
        }
        let k = Poisson::new((length * length / 2.0f64).max(1e-12)).unwrap();
        let expected: f64 = (0..200).map(|i| k.density(f64::from(i)) / (6.0 + 2.0 * f64::from(i))).sum();
        let risk = 8.0 - 36.0 * expected;
        let told = mercer_math::Moments::of(&plain);
        let error = (told.sample_variance() / RUNS as f64).sqrt();
        assert!((told.mean - risk).abs() < 5.0 * error, "{length}: {} != {risk} ± {error}", told.mean);
        assert!(told.mean < 8.0 - 5.0 * error, "smaller than that of the numbers themselves");
        assert!(mercer_math::Moments::of(&positive).mean <= told.mean + 1e-9);
    }
    assert!(james_stein(&[1.0, 2.0], 1.0, false).is_err());
}

fn law() -> Gaussian {
    let covariance = Mat::from_rows(&[[2.0, 0.3, -0.2], [0.3, 1.0, 0.1], [-0.2, 0.1, 0.7]]).unwrap();
    Gaussian::new(vec![1.0, -1.0, 0.5], covariance).unwrap()
}

/// p(a, b) = p(a | b) p(b), at any point.
#[test]
fn conditionals_and_marginals_multiply_to_the_joint_law() {
    let (law, x) = (law(), [0.3, 0.2, 0.1]);
    for known in [vec![0], vec![2, 0], vec![1, 2]] {
        let values: Vec<f64> = known.iter().map(|&j| x[j]).collect();
        let rest: Vec<f64> = (0..3).filter(|j| !known.contains(j)).map(|j| x[j]).collect();
        let split = law.conditional(&known, &values).unwrap().log_density(&rest).unwrap()
            + law.marginal(&known).unwrap().log_density(&values).unwrap();
        near(split, law.log_density(&x).unwrap(), 1e-12);
    }
    assert!(law.conditional(&[0, 0], &[1.0, 1.0]).is_err() && law.marginal(&[3]).is_err());
}

#[test]
fn products_maps_and_forms() {
    let a = law();
    let b = Gaussian::new(vec![0.0, 1.0, 2.0], Mat::identity(3)).unwrap();
    let (product, log_integral) = a.product(&b).unwrap();
    for x in [[0.3, 0.2, 0.1], [-1.0, 2.0, 0.0]] {
        let both = a.log_density(&x).unwrap() + b.log_density(&x).unwrap();
        near(both, product.log_density(&x).unwrap() + log_integral, 1e-12);
    }
    // The integral is the density of one mean under the sum of the covariances.
    let apart = Gaussian::new(b.mean().to_vec(), a.plus(&b).unwrap().covariance().clone()).unwrap();
    near(log_integral, apart.log_density(a.mean()).unwrap(), 1e-12);
    // Completing the square of a density gives it back, with an integral of one.
    let (again, log_one) = a.quadratic().unwrap().complete().unwrap();
    near(log_one, 0.0, 1e-12);
    again
        .covariance()
        .as_slice()
        .iter()
        .zip(a.covariance().as_slice())
        .for_each(|(a, b)| near(*a, *b, 1e-12));
    assert!(Quadratic { a: Mat::zeros(1, 1), b: vec![0.0], c: 0.0 }.complete().is_err());
    // Of y = Ax + b + ε, the joint law's second block is the map plus noise, and x given y follows from it (Bayes).
    let m = Mat::from_rows(&[[1.0, 2.0, 0.0]]).unwrap();
    let noise = Mat::from_rows(&[[0.5]]).unwrap();
    let joined = a.joined(&m, &[0.25], &noise).unwrap();
    let y = joined.marginal(&[3]).unwrap();
    near(y.mean()[0], 1.0 - 2.0 + 0.25, 1e-14);
    near(y.covariance()[(0, 0)], 2.0 + 4.0 * 0.3 + 4.0 + 0.5, 1e-14);
    let posterior = joined.conditional(&[3], &[1.0]).unwrap();
    let likelihood = Quadratic {
        a: Mat::from_fn(3, 3, |i, j| m[(0, i)] * m[(0, j)] / 0.5),
        b: m.row(0).iter().map(|v| v * 0.75 / 0.5).collect(),
        c: 0.0,
    };
    let (bayes, _) = a.quadratic().unwrap().times(&likelihood).unwrap().complete().unwrap();
    posterior.mean().iter().zip(bayes.mean()).for_each(|(a, b)| near(*a, *b, 1e-12));
    // Moments of a quadratic form of a standard normal vector: a chi-squared law.
    let standard = Gaussian::new(vec![0.0; 4], Mat::identity(4)).unwrap();
    assert_eq!(standard.quadratic_form(&Mat::identity(4)).unwrap(), (4.0, 8.0));
    near(a.divergence(&a).unwrap(), 0.0, 1e-14);
    assert!(a.divergence(&b).unwrap() > 0.0);
}

#[test]
fn updates_are_inverses_of_sums() {
    let a = law().covariance().clone();
    let inverse = mercer_math::pinv(a.view(), None).unwrap();
    let (u, v) = ([1.0, 0.5, -2.0], [0.3, -1.0, 0.2]);
    let identity = |m: &Mat, of: &dyn Fn(usize, usize) -> f64| {
        for i in 0..3 {
            for j in 0..3 {
                let sum: f64 = (0..3).map(|k| m[(i, k)] * of(k, j)).sum();
                near(sum, f64::from(i == j), 1e-12);
            }
        }
    };
    let found = sherman_morrison(&inverse, &u, &v).unwrap().unwrap();
    identity(&found, &|i, j| a[(i, j)] + u[i] * v[j]);
    assert!(sherman_morrison(&Mat::identity(2), &[1.0, 0.0], &[-1.0, 0.0]).unwrap().is_none(), "singular");
    assert!(sherman_morrison(&Mat::identity(2), &[1.0], &[1.0, 0.0]).is_err());
    let (wide, c) =
        (Mat::from_fn(3, 2, |i, j| (i + 2 * j) as f64), Mat::from_rows(&[[2.0, 0.0], [0.0, 4.0]]).unwrap());
    let tall = wide.view().t().to_mat();
    let found = woodbury(&inverse, &wide, &c, &tall).unwrap().unwrap();
    let core = [0.5, 0.25];
    identity(&found, &|i, j| a[(i, j)] + (0..2).map(|k| wide[(i, k)] * core[k] * tall[(k, j)]).sum::<f64>());
}

#[test]
fn definiteness_is_judged_by_eigenvalues() {
    // Its leading minors are 1, 0 and 0, so that Sylvester would let it pass; it has the eigenvalue −1.
    let tricky = Mat::from_rows(&[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -1.0]]).unwrap();
    let told = definiteness(&tricky).unwrap();
    assert!(!told.positive_semidefinite && (told.smallest + 1.0).abs() < 1e-14);
    assert!(definiteness(&Mat::identity(3)).unwrap().positive_definite);
    let singular = definiteness(&Mat::from_rows(&[[1.0, 1.0], [1.0, 1.0]]).unwrap()).unwrap();
    assert!(singular.positive_semidefinite && !singular.positive_definite);
    assert!(definiteness(&Mat::from_rows(&[[1.0, 2.0], [0.0, 1.0]]).unwrap()).is_err());
}

#[test]
fn norms() {
    let x = [3.0, -4.0, 0.0];
    let of = |p: f64| vector_norm(&x, p).unwrap();
    assert_eq!((of(1.0), of(2.0), of(f64::INFINITY), of(0.0)), (7.0, 5.0, 4.0, 2.0));
    assert!(vector_norm(&x, 0.5).is_err() && vector_norm(&[1e308, 1e308], 2.0).unwrap().is_finite());
    let a = Mat::from_rows(&[[1.0, -2.0], [3.0, 4.0]]).unwrap();
    let of = |kind: &str| matrix_norm(a.view(), kind).unwrap();
    near(of("fro"), 30f64.sqrt(), 1e-14);
    near(of("1"), 6.0, 1e-14);
    near(of("inf"), 7.0, 1e-14);
    // Singular values of a matrix of determinant 10: their product is 10, their squares sum to 30.
    near(of("2") * (of("nuc") - of("2")), 10.0, 1e-13);
    assert!(matrix_norm(a.view(), "3").is_err());
}

#[test]
fn closed_forms_need_no_search() {
    let found = mle(family("exponential"), &[1.0, 3.0], None, &[]).unwrap();
    assert_eq!(found.parameters, [0.5]);
    near(found.standard_errors.unwrap()[0], 0.5 / 2f64.sqrt(), 1e-14);
    assert_eq!(Exponential::new(0.5).unwrap().mean(), 2.0);
}
