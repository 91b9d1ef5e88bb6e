//! Mixtures against scikit-learn, SciPy and published values, and against what the theory says of them.

use mercer_cluster::{
    BayesianGaussianMixture, BernoulliMixture, CovarianceType, DirichletProcessMixture, GaussianMixture,
    MixtureInit, StudentMixture, WeightPrior,
};
use mercer_core::{AttributeValues, Dataset, Fit, Input, Learner, Session};
use mercer_math::{Mat, normal, rng_for, uniform};
use mercer_testkit::{assert_close, numbers, reference, shared_data};

const REFERENCE: &str = include_str!("reference/mixture.json");
const IRIS: &str = include_str!("../../data/sets/iris.csv");

fn table(text: &str, d: usize) -> Mat {
    let row = |line: &str| line.split(',').take(d).map(|v| v.parse().unwrap()).collect::<Vec<f64>>();
    Mat::from_rows(&text.lines().skip(1).map(row).collect::<Vec<_>>()).unwrap()
}

fn form(name: &str) -> CovarianceType {
    match name {
        "full" => CovarianceType::Full,
        "tied" => CovarianceType::Tied,
        "diag" => CovarianceType::Diag,
        _ => CovarianceType::Spherical,
    }
}

fn gaussian(k: usize, form: CovarianceType, tol: f64, max_iter: usize) -> GaussianMixture {
    let mut learner = GaussianMixture::default().n_components(k).covariance_type(form);
    (learner.em.tol, learner.em.max_iter) = (tol, max_iter);
    learner
}

#[test]
fn equals_scikit_learn_from_the_same_start() {
    let Some(faithful) = shared_data("faithful.csv") else { return };
    for case in reference(REFERENCE)["cases"].as_array().unwrap() {
        let x = if case["set"] == "iris" { table(IRIS, 4) } else { table(&faithful, 2) };
        let k = case["k"].as_u64().unwrap() as usize;
        let form = form(case["form"].as_str().unwrap());
        let mut learner = gaussian(k, form, 0.0, case["steps"].as_u64().unwrap() as usize);
        let rows = |v: &serde_json::Value| v.as_array().unwrap().iter().map(numbers).collect::<Vec<_>>();
        learner.weights_init = Some(numbers(&case["weights_init"]));
        learner.means_init = Some(rows(&case["means_init"]));
        learner.precisions_init = Some(numbers(&case["precisions_init"]));
        let name = case["name"].as_str().unwrap();
        let model = learner.fit(&Dataset::new(&x)).unwrap();
        assert_close(&model.components.weights, &numbers(&case["weights"]), 1e-10, name);
        assert_close(model.components.means.as_slice(), &numbers(&case["means"]), 1e-10, name);
        assert_close(&model.components.covariances, &numbers(&case["covariances"]), 1e-10, name);
        assert_close(&model.components.factors, &numbers(&case["precisions_cholesky"]), 1e-9, name);
        assert_close(
            &[*model.lower_bounds().last().unwrap()],
            &[case["lower_bound"].as_f64().unwrap()],
            1e-10,
            name,
        );
        let erased: Box<dyn Learner> = Box::new(learner);
        let trained = erased.train(&Dataset::new(&x), &Session::default()).unwrap();
        let (input, session) = (Input::from(x.view().rows(0..5).to_mat()), Session::default());
        let asked = trained.on(&input, &session).unwrap();
        assert_close(&asked.log_densities().unwrap(), &numbers(&case["log_densities"]), 1e-9, name);
        assert_close(asked.proba().unwrap().as_slice(), &numbers(&case["shares"]), 1e-9, name);
        let total = model.lower_bounds().len();
        let n = x.n_rows() as f64;
        let all = Input::from(x.clone());
        let likelihood: f64 = trained.on(&all, &session).unwrap().log_densities().unwrap().iter().sum();
        let bic = -2.0 * likelihood + model.n_parameters() as f64 * n.ln();
        assert_close(&[bic], &[case["bic"].as_f64().unwrap()], 1e-10, name);
        assert_eq!(total as u64, case["steps"].as_u64().unwrap());
    }
}

/// Old Faithful as mclust has it (Scrucca et al., The R Journal 8(1), 2016: EEE with three components, −1126.326, which stops at
/// 1e-5), and the best of twenty runs of scikit-learn.
#[test]
fn old_faithful_as_published() {
    let Some(text) = shared_data("faithful.csv") else { return };
    let x = table(&text, 2);
    for best in reference(REFERENCE)["best"].as_array().unwrap() {
        let k = best["k"].as_u64().unwrap() as usize;
        let mut learner = gaussian(k, form(best["form"].as_str().unwrap()), 1e-12, 5000);
        (learner.em.n_init, learner.shape.reg_covar) = (20, 1e-10);
        let model = learner.fit(&Dataset::new(&x)).unwrap();
        let found = model.certificate().objective.unwrap() * 272.0;
        assert!((found - best["log_likelihood"].as_f64().unwrap()).abs() < 1e-4, "{found} {best}");
        if k == 3 {
            assert!((found + 1126.326).abs() < 0.02, "{found}");
        }
    }
}

/// The galaxies (Roeder 1990) in 1000 km/s: mclust's four components of unequal variance have −199.254, a local optimum;
/// from the gaps that the eye sees EM climbs to a higher one.
#[test]
fn galaxies_as_published() {
    let Some(text) = shared_data("galaxies.csv") else { return };
    let x = table(&text, 1);
    let x = Mat::from_fn(x.n_rows(), 1, |i, _| x[(i, 0)] / 1000.0);
    let mut learner = gaussian(4, CovarianceType::Full, 1e-10, 5000);
    (learner.shape.reg_covar, learner.means_init) =
        (1e-10, Some(vec![vec![9.7], vec![19.8], vec![23.0], vec![33.0]]));
    let found = learner.fit(&Dataset::new(&x)).unwrap().certificate().objective.unwrap() * 82.0;
    assert!((-199.254..-190.0).contains(&found), "{found}");
}

/// Without `reg_covar` no iteration lowers the likelihood, and one more iteration moves nothing at the end.
#[test]
fn climbs_and_ends_at_a_fixed_point() {
    let mut rng = rng_for(4, 1);
    let x = Mat::from_fn(400, 4, |i, j| (i % 3 * (j + 1)) as f64 + (1 + i % 2) as f64 * normal(&mut rng));
    for form in [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical]
    {
        let mut learner = gaussian(3, form, 1e-14, 3000);
        learner.shape.reg_covar = 0.0;
        let model = learner.fit(&Dataset::new(&x)).unwrap();
        let fell = model.lower_bounds().windows(2).map(|w| w[0] - w[1]).fold(0.0, f64::max);
        assert!(fell < 1e-12, "{form:?} fell by {fell}");
        let evidence = &model.certificate().evidence;
        let residual = evidence.iter().find(|e| e.name == "fixed-point residual").unwrap().value;
        assert!(residual < 1e-5, "{form:?}: {residual}");
    }
}

/// A fall that `reg_covar` makes is told.
#[test]
fn a_fall_is_evidence() {
    let x = Mat::from_fn(60, 1, |i, _| f64::from(u32::try_from(i).unwrap() % 3) + 1e-3 * (i as f64).sin());
    let mut learner = gaussian(3, CovarianceType::Full, 0.0, 4);
    (learner.shape.reg_covar, learner.precisions_init) = (1.0, Some(vec![1e6; 3]));
    let model = learner.fit(&Dataset::new(&x)).unwrap();
    let fall = model.certificate().evidence.iter().find(|e| e.name.contains("fall")).unwrap().value;
    let told = model.certificate().notes.iter().any(|n| n.contains("lowered"));
    assert_eq!(fall > 1e-8, told, "{fall}: {:?}", model.certificate().notes);
    assert!(told, "{:?}", model.lower_bounds());
}

/// Far from zero and with a tiny spread, the whitened way is taken, and gives what the data near zero give.
#[test]
fn far_and_narrow_components_lose_no_digits() {
    let mut rng = rng_for(5, 1);
    let near = Mat::from_fn(3000, 5, |i, j| ((i % 2) * (j + 1)) as f64 * 3.0 + normal(&mut rng));
    let learner = gaussian(2, CovarianceType::Full, 1e-8, 200);
    let a = learner.fit(&Dataset::new(&near)).unwrap();
    let far = Mat::from_fn(3000, 5, |i, j| near[(i, j)] + if i % 2 == 0 { 0.0 } else { 8192.0 });
    let b = gaussian(2, CovarianceType::Full, 1e-8, 200).fit(&Dataset::new(&far)).unwrap();
    let order = |m: &Mat| if m[(0, 0)] < m[(1, 0)] { [0, 1] } else { [1, 0] };
    let (oa, ob) = (order(&a.components.means), order(&b.components.means));
    for c in 0..2 {
        let at = |v: &[f64], c: usize| v[c * 25..(c + 1) * 25].to_vec();
        let (p, q) = (at(&a.components.covariances, oa[c]), at(&b.components.covariances, ob[c]));
        assert_close(&q, &p, 2e-3, "covariance");
    }
}

/// Known rows keep their component, and pull it to where they are.
#[test]
fn known_rows_keep_their_component() {
    let mut rng = rng_for(6, 1);
    let x = Mat::from_fn(300, 2, |i, _| (i % 3) as f64 * 6.0 + normal(&mut rng));
    let mut learner = gaussian(3, CovarianceType::Full, 1e-6, 100);
    // Components in the order that the labels say, a few of each.
    learner.em.labels = Some((0..300).map(|i| if i < 30 { 2 - i % 3 } else { -1 }).collect());
    let model = learner.fit(&Dataset::new(&x)).unwrap();
    for c in 0..3 {
        let expected = (2 - c) as f64 * 6.0;
        assert!((model.components.means[(c, 0)] - expected).abs() < 0.5, "{:?}", model.components.means);
    }
    let erased: Box<dyn Learner> = Box::new(learner.clone());
    let trained = erased.train(&Dataset::new(&x), &Session::default()).unwrap();
    assert!(trained.verify(&Dataset::new(&x), &Session::default()).unwrap().iter().all(|v| v.holds));
    learner.em.labels = Some(vec![3; 300]);
    let refused = learner.fit(&Dataset::new(&x)).unwrap_err().to_string();
    assert!(refused.contains("labels") && refused.contains("row 0"), "{refused}");
    learner.em.labels = Some(vec![0; 7]);
    assert!(learner.fit(&Dataset::new(&x)).is_err());
}

/// One component of one feature is the maximum likelihood t distribution, which SciPy finds by another way.
#[test]
fn student_equals_scipy() {
    let frozen = &reference(REFERENCE)["student"];
    let x = numbers(&frozen["x"]);
    let x = Mat::from_vec(x.clone(), x.len(), 1).unwrap();
    let mut learner = StudentMixture::default();
    (learner.em.tol, learner.em.max_iter, learner.shape.reg_covar) = (1e-14, 5000, 0.0);
    let model = learner.fit(&Dataset::new(&x)).unwrap();
    let value = |name: &str| frozen[name].as_f64().unwrap();
    let likelihood = model.certificate().objective.unwrap() * x.n_rows() as f64;
    assert!(likelihood >= value("log_likelihood") - 1e-8, "{likelihood}");
    assert_close(&model.degrees, &[value("degrees")], 1e-3, "degrees");
    assert_close(model.components.means.as_slice(), &[value("mean")], 1e-4, "mean");
    assert_close(&[model.components.covariances[0].sqrt()], &[value("scale")], 1e-4, "scale");
}

/// With many degrees of freedom a t mixture is a Gaussian mixture; with few, outliers do not move it.
#[test]
fn student_between_gaussians_and_outliers() {
    let x = table(IRIS, 4);
    let mut learner = StudentMixture::default().n_components(3).degrees(Some(1e9));
    (learner.em.tol, learner.em.max_iter) = (1e-9, 500);
    let student = learner.fit(&Dataset::new(&x)).unwrap();
    let gaussian = gaussian(3, CovarianceType::Full, 1e-9, 500).fit(&Dataset::new(&x)).unwrap();
    let (a, b) = (&student.components, &gaussian.components);
    assert_close(a.means.as_slice(), b.means.as_slice(), 1e-4, "means");
    let mut rng = rng_for(8, 1);
    let x =
        Mat::from_fn(420, 1, |i, _| if i >= 400 { 60.0 } else { (i % 2) as f64 * 10.0 + normal(&mut rng) });
    let mut learner = StudentMixture::default().n_components(2);
    (learner.em.max_iter, learner.em.init_params, learner.em.n_init) = (500, MixtureInit::PlusPlus, 5);
    learner.em.labels = Some((0..420).map(|i| if i < 20 { i % 2 } else { -1 }).collect());
    let model = learner.fit(&Dataset::new(&x)).unwrap();
    let means = model.components.means.as_slice();
    assert!(means[0].abs() < 0.5 && (means[1] - 10.0).abs() < 1.0, "{means:?}");
}

/// Probabilities that rows were drawn with are found again, and the likelihood of the best two components is no less than that of
/// the truth.
#[test]
fn bernoulli_finds_what_was_drawn() {
    let truth = [[0.9, 0.8, 0.1, 0.2, 0.9, 0.1], [0.1, 0.2, 0.9, 0.7, 0.1, 0.8]];
    let mut rng = rng_for(9, 1);
    let x = Mat::from_fn(4000, 6, |i, j| {
        f64::from(u8::from(uniform(&mut rng) < truth[usize::from(i % 4 == 0)][j]))
    });
    let mut learner = BernoulliMixture::default().n_components(2).alpha(0.0);
    (learner.em.tol, learner.em.max_iter) = (1e-10, 1000);
    let model = learner.fit(&Dataset::new(&x)).unwrap();
    let first = usize::from(model.weights[0] < 0.5);
    // Standard errors are below 0.02: five of them.
    for (c, truth) in truth.iter().enumerate() {
        let found = model.probabilities.row(if c == 0 { first } else { 1 - first });
        found.iter().zip(truth).for_each(|(p, t)| assert!((p - t).abs() < 0.1, "{p} for {t}"));
    }
    let likelihood = |i: usize| {
        let one = |c: usize| {
            let chance = |j: usize| if x[(i, j)] > 0.5 { truth[c][j] } else { 1.0 - truth[c][j] };
            (0..6).map(chance).product::<f64>() * if c == 0 { 0.75 } else { 0.25 }
        };
        (one(0) + one(1)).ln()
    };
    let of_truth = (0..4000).map(likelihood).sum::<f64>() / 4000.0;
    assert!(model.certificate().objective.unwrap() >= of_truth);
}

/// Rows so far that every density underflows have the density zero, and say nothing of the components.
#[test]
fn rows_beyond_all_components_have_no_density_and_even_shares() {
    let x = table(IRIS, 4);
    let far = Mat::from_rows(&[[1e200, -1e200, 1e200, 1e200], [1e308; 4], [5.0, 3.4, 1.5, 0.2]]).unwrap();
    let session = Session::default();
    for form in [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical]
    {
        let model = gaussian(2, form, 1e-3, 100).fit(&Dataset::new(&x)).unwrap();
        let input = Input::from(far.clone());
        let asked = model.as_model().on(&input, &session).unwrap();
        let (shares, densities) = (asked.proba().unwrap(), asked.log_densities().unwrap());
        assert_eq!(&shares.as_slice()[..4], &[0.5; 4], "{form:?}");
        assert_eq!(&densities[..2], &[f64::NEG_INFINITY; 2], "{form:?}");
        assert!(densities[2].is_finite() && (shares[(2, 0)] + shares[(2, 1)] - 1.0).abs() < 1e-12);
    }
}

/// What is no share is refused from a stream as from memory.
#[test]
fn streams_of_no_shares_are_refused() {
    let x = Mat::from_rows(&[[0.0, 1.0], [0.5, 3.0], [1.0, 0.0]]).unwrap();
    let data = Dataset::new(&x);
    let learner = BernoulliMixture::default().binarize(None);
    let told = learner.fit(&data).unwrap_err().to_string();
    assert!(told.contains("3 in column 1, row 1"), "{told}");
    let mut batches = mercer_core::sums::MemoryBatches::new(&data, 2);
    let told = learner.fit_stream(&mut batches, &Session::default()).unwrap_err().to_string();
    assert!(told.contains("3 in column 1"), "{told}");
}

/// Draws have the moments of the mixture: a false alarm in about one of 10⁶ runs of other seeds.
#[test]
fn draws_have_the_moments_of_the_mixture() {
    let x = table(IRIS, 4);
    let learner: Box<dyn Learner> = Box::new(gaussian(3, CovarianceType::Tied, 1e-3, 100));
    let model = learner.train(&Dataset::new(&x), &Session::default()).unwrap();
    let n = 20_000;
    let rows = model.sample(n, &Session::new(3)).unwrap();
    let drawn = rows.dense("test").unwrap().view().to_mat();
    for j in 0..4 {
        let column = x.col(j);
        let mean = column.iter().sum::<f64>() / 150.0;
        let spread = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 150.0).sqrt();
        let found = drawn.col(j).iter().sum::<f64>() / n as f64;
        // The mean of a fitted mixture is the mean of the rows, and so is its variance.
        assert!((found - mean).abs() < 5.0 * spread / (n as f64).sqrt(), "{found} for {mean}");
    }
}

/// Six variational iterations from where scikit-learn stood after its first.
#[test]
fn variational_steps_equal_scikit_learn() {
    let Some(faithful) = shared_data("faithful.csv") else { return };
    for case in reference(REFERENCE)["bayes"].as_array().unwrap() {
        let x = if case["set"] == "iris" { table(IRIS, 4) } else { table(&faithful, 2) };
        let k = case["k"].as_u64().unwrap() as usize;
        let form = form(case["form"].as_str().unwrap());
        let mut learner = BayesianGaussianMixture::default().n_components(k).covariance_type(form);
        (learner.em.tol, learner.em.max_iter, learner.mean_precision_prior) = (0.0, 6, Some(0.5));
        if case["prior"] == "dirichlet_distribution" {
            learner.weight_concentration_prior_type = WeightPrior::DirichletDistribution;
        }
        let session = Session::default().with_start(numbers(&case["start"]));
        let model = learner.fit_in(&Dataset::new(&x), &session).unwrap();
        let attributes = model.attributes();
        let real = |name: &str| match &attributes.iter().find(|a| a.name == name).unwrap().values {
            AttributeValues::Real(v) => v.clone(),
            _ => panic!("{name} is no number"),
        };
        let names = [
            "lower_bound_",
            "means_",
            "precisions_cholesky_",
            "weight_concentration_",
            "mean_precision_",
            "degrees_of_freedom_",
        ];
        let found: Vec<f64> = names.iter().flat_map(|name| real(name)).collect();
        let name = case["name"].as_str().unwrap();
        assert_close(&found, &numbers(&case["end"]), 1e-8, name);
        assert_close(&real("weights_"), &numbers(&case["weights"]), 1e-8, name);
    }
}

/// The bound never falls, and components that no row asks for end with next to no weight.
#[test]
fn the_bound_climbs_and_superfluous_components_end() {
    let mut rng = rng_for(14, 1);
    let x = Mat::from_fn(400, 2, |i, _| (i % 2) as f64 * 8.0 + normal(&mut rng));
    for form in [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical]
    {
        let mut learner = BayesianGaussianMixture::default().n_components(8).covariance_type(form);
        (learner.em.tol, learner.em.max_iter, learner.shape.reg_covar) = (1e-9, 3000, 0.0);
        learner.weight_concentration_prior = Some(1e-3);
        let model = learner.fit(&Dataset::new(&x)).unwrap();
        let bounds = model.lower_bounds();
        let fell = bounds.windows(2).map(|w| w[0] - w[1]).fold(0.0, f64::max);
        assert!(fell < 1e-7, "{form:?} fell by {fell}");
        let large = model.components.weights.iter().filter(|w| **w > 0.05).count();
        assert!(large <= 4, "{form:?}: {:?}", model.components.weights);
    }
}

/// The galaxies under a Dirichlet process: Escobar and West (1995) and Richardson and Green (1997) find between three and ten
/// clusters, most likely five to seven; the density integrates to one.
#[test]
fn galaxies_have_several_clusters() {
    let Some(text) = shared_data("galaxies.csv") else { return };
    let x = table(&text, 1);
    let x = Mat::from_fn(x.n_rows(), 1, |i, _| x[(i, 0)] / 1000.0);
    // Their prior of the concentration is Gamma(2, 4).
    let learner = DirichletProcessMixture::default().alpha_shape(2.0).alpha_rate(4.0);
    let model = learner.fit(&Dataset::new(&x)).unwrap();
    let chances = model.cluster_probabilities();
    let mode = mercer_math::argmax(chances);
    let within: f64 = chances.iter().skip(3).take(8).sum();
    assert!((4..=8).contains(&mode) && within > 0.9, "{chances:?}");
    let boxed: Box<dyn Learner> = Box::new(learner);
    let trained = boxed.train(&Dataset::new(&x), &Session::default()).unwrap();
    let grid = Mat::from_fn(8001, 1, |i, _| -150.0 + 0.05 * i as f64);
    let (input, session) = (Input::from(grid), Session::default());
    let densities = trained.on(&input, &session).unwrap().log_densities().unwrap();
    let mass: f64 = densities.iter().map(|l| 0.05 * l.exp()).sum();
    assert!((mass - 1.0).abs() < 0.02, "{mass}");
}
