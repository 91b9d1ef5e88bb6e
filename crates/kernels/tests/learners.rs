//! Learners on any kernel: against scikit-learn, closed forms and the theory.

use mercer_core::catalogue::Entry;
use mercer_core::{Dataset, Fit, Object, Params, Session, Target};
use mercer_kernels::{
    Kernel, KernelPCA, KernelPerceptron, KernelRidge, KernelSpec, MercerMap, Nystroem, PointsRef, RBFSampler,
    SamplerGamma, learners,
};
use mercer_math::{Csr, Mat, matmul, normal, rng_for};
use mercer_testkit::{assert_close, matrix, numbers, reference};

fn frozen() -> serde_json::Value {
    reference(include_str!("reference/learners.json"))
}

fn made<L: Params>(settings: &str) -> L {
    L::from_object(&Object::parse_spec(&format!("{}:{settings}", L::NAME)).expect("settings"))
        .expect("parameters")
}

fn random(n: usize, d: usize, seed: u64) -> Mat {
    let mut rng = rng_for(seed, 0);
    Mat::from_fn(n, d, |_, _| normal(&mut rng))
}

#[test]
fn kernel_ridge_is_that_of_scikit_learn() {
    let all = frozen();
    let (x, new, y, z, s) =
        (matrix(&all["x"]), matrix(&all["new"]), numbers(&all["y"]), numbers(&all["z"]), numbers(&all["s"]));
    let sparse = Csr::from_dense(x.view());
    for (settings, expected) in all["ridge"].as_object().expect("cases") {
        let learner: KernelRidge = made(settings);
        let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
        let model = learner.fit(&data).unwrap();
        assert_close(&model.dual_coef.col(0), &numbers(&expected["dual_coef"]), 1e-9, settings);
        assert_close(
            model.predict(&new).unwrap().numbers().unwrap(),
            &numbers(&expected["predict"]),
            1e-10,
            settings,
        );
        let model = learner.fit(&data.clone().with_weights(s.clone()).unwrap()).unwrap();
        assert_close(
            model.predict(&new).unwrap().numbers().unwrap(),
            &numbers(&expected["weighted"]),
            1e-10,
            settings,
        );
        let two = Dataset::new(&x).with_target(Target::multi(vec![y.clone(), z.clone()]).unwrap()).unwrap();
        let found = learner.fit(&two).unwrap().predict(&new).unwrap();
        let two = matrix(&expected["two"]);
        for k in 0..2 {
            assert_close(found.numbers_of(k).unwrap(), &two.col(k), 1e-10, settings);
        }
        let thin = Dataset::new(&sparse).with_target(Target::real(y.clone())).unwrap();
        let found = learner.fit(&thin).unwrap().predict(&new).unwrap();
        assert_close(found.numbers().unwrap(), &numbers(&expected["predict"]), 1e-10, settings);
    }
    let (gram, cross) = (matrix(&all["gram"]), matrix(&all["cross"]));
    let given = made::<KernelRidge>("alpha=0.1,kernel=precomputed");
    let data = Dataset::new(&gram).with_target(Target::real(y.clone())).unwrap();
    let model = given.fit(&data).unwrap();
    let expected = numbers(&all["ridge"]["alpha=0.1,kernel=rbf,gamma=0.4"]["predict"]);
    assert_close(model.predict(&cross).unwrap().numbers().unwrap(), &expected, 1e-10, "precomputed");
    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds), "evidence of a given kernel");
    let wide = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    assert!(given.fit(&wide).unwrap_err().to_string().contains("Gram matrix"));
}

#[test]
fn leaving_one_out_is_fitting_without_it() {
    let (x, mut rng) = (random(25, 2, 1), rng_for(2, 0));
    let y: Vec<f64> = (0..25).map(|i| x[(i, 0)].sin() + 0.1 * normal(&mut rng)).collect();
    let weights: Vec<f64> = (0..25).map(|i| 0.5 + (i % 3) as f64).collect();
    let learner: KernelRidge = made("alpha=0.2,kernel=rbf(gamma=0.7)");
    for weights in [None, Some(weights)] {
        let data = Dataset::new(&x).with_target(Target::real(y.clone())).unwrap();
        let data = match &weights {
            Some(w) => data.with_weights(w.clone()).unwrap(),
            None => data,
        };
        let found = learner.fit(&data).unwrap().leave_one_out(None).unwrap();
        for i in 0..25 {
            let rest: Vec<usize> = (0..25).filter(|&j| j != i).collect();
            let model = learner.fit(&data.subset(&rest).unwrap()).unwrap();
            let own = x.view().gather(&[i]);
            assert_close(&[found[(i, 0)]], model.predict(&own).unwrap().numbers().unwrap(), 1e-9, "left out");
        }
    }
}

#[test]
fn a_singular_kernel_has_the_solution_of_least_norm() {
    let x = Mat::from_rows(&[[1.0], [1.0], [2.0]]).unwrap();
    let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 3.0, 4.0])).unwrap();
    let model = made::<KernelRidge>("alpha=0").fit(&data).unwrap();
    // Least squares through the origin: w = Σxy/Σx² = 12/6.
    assert_close(model.predict(&x).unwrap().numbers().unwrap(), &[2.0, 2.0, 4.0], 1e-10, "least squares");
}

#[test]
fn kernel_components_are_those_of_scikit_learn() {
    let all = frozen();
    let (x, new) = (matrix(&all["x"]), matrix(&all["new"]));
    for (settings, expected) in all["pca"].as_object().expect("cases") {
        let model = made::<KernelPCA>(settings).fit(&Dataset::new(&x)).unwrap();
        assert_close(&model.eigenvalues, &numbers(&expected["eigenvalues"]), 1e-10, settings);
        let rows = model.transform(&new).unwrap();
        let found = rows.dense("").unwrap().view().to_mat();
        assert_close(found.as_slice(), matrix(&expected["transform"]).as_slice(), 1e-9, settings);
        if !expected["inverse"].is_null() {
            let back = model.inverse_transform(found.view()).unwrap().dense("").unwrap().view().to_mat();
            assert_close(back.as_slice(), matrix(&expected["inverse"]).as_slice(), 1e-9, settings);
        }
    }
    let model = KernelPCA::default().fit(&Dataset::new(&x)).unwrap();
    let error = model.inverse_transform(x.view()).unwrap_err().to_string();
    assert!(error.contains("fit_inverse_transform"), "{error}");
    let error = made::<KernelPCA>("kernel=sigmoid(gamma=1.0, coef0=-1.0)")
        .fit(&Dataset::new(&x))
        .unwrap_err()
        .to_string();
    assert!(error.contains("eigenvalue"), "{error}");
}

#[test]
fn randomised_components_are_the_exact_ones() {
    let x = random(300, 4, 3);
    let fit = |solver: &str| {
        let settings = format!("n_components=3,kernel=rbf,gamma=0.05,eigen_solver={solver}");
        made::<KernelPCA>(&settings).fit(&Dataset::new(&x)).unwrap()
    };
    let (exact, drawn) = (fit("dense"), fit("randomized"));
    assert_close(&drawn.eigenvalues, &exact.eigenvalues, 1e-8, "eigenvalues");
    let rows =
        |m: &mercer_core::Trained<KernelPCA>| m.transform(&x).unwrap().dense("").unwrap().view().to_mat();
    assert_close(rows(&drawn).as_slice(), rows(&exact).as_slice(), 1e-5, "coordinates");
}

/// Products of coordinates are the kernel: among the points of training, and of new points with them.
#[test]
fn mercers_map_multiplies_to_the_kernel() {
    let (x, new) = (random(30, 3, 4), random(7, 3, 5));
    let learner: MercerMap = made("kernel=rbf(gamma=0.3)");
    let model = learner.fit(&Dataset::new(&x)).unwrap();
    let rows = |x: &Mat| model.transform(x).unwrap().dense("").unwrap().view().to_mat();
    let (train, test) = (rows(&x), rows(&new));
    let kernel = Kernel::rbf_gamma(0.3);
    let sides = [&x, &new].map(|m| kernel.side(PointsRef::Dense(m.view())).unwrap());
    let found = matmul(train.view(), train.view().t());
    assert_close(found.as_slice(), kernel.gram(&sides[0]).as_slice(), 1e-9, "training");
    let found = matmul(test.view(), train.view().t());
    assert_close(found.as_slice(), kernel.cross(&sides[1], &sides[0]).as_slice(), 1e-6, "new points");
}

#[test]
fn nystroem_with_all_points_is_the_kernel() {
    let x = random(40, 3, 6);
    let model = made::<Nystroem>("n_components=40,gamma=0.4").fit(&Dataset::new(&x)).unwrap();
    let rows = model.transform(&x).unwrap().dense("").unwrap().view().to_mat();
    let kernel = Kernel::rbf_gamma(0.4);
    let gram = kernel.gram(&kernel.side(PointsRef::Dense(x.view())).unwrap());
    assert_close(matmul(rows.view(), rows.view().t()).as_slice(), gram.as_slice(), 1e-8, "all points");
    let fewer =
        made::<Nystroem>("n_components=12,gamma=0.4").fit_in(&Dataset::new(&x), &Session::new(3)).unwrap();
    assert_eq!(fewer.indices.len(), 12);
}

/// By Hoeffding's inequality the mean of m products in [−2, 2] is within 4√(ln(2/δ)/2m) of the kernel; with m = 20,000 and 45 pairs,
/// δ = 1e-6/45 allows 0.12, which this test passes but for one draw in a million.
#[test]
fn fourier_features_have_the_kernel_as_their_mean() {
    let x = random(10, 3, 7);
    let learner = RBFSampler::default().n_components(20_000).gamma(SamplerGamma::Of(0.5));
    let rows =
        learner.fit(&Dataset::new(&x)).unwrap().transform(&x).unwrap().dense("").unwrap().view().to_mat();
    let kernel = Kernel::rbf_gamma(0.5);
    let gram = kernel.gram(&kernel.side(PointsRef::Dense(x.view())).unwrap());
    let product = matmul(rows.view(), rows.view().t());
    let worst =
        product.as_slice().iter().zip(gram.as_slice()).map(|(p, k)| (p - k).abs()).fold(0.0, f64::max);
    assert!(worst < 0.12, "{worst}");
}

/// Two rings that no line separates: no mistake is left, and Novikoff's bound holds for those that were made.
#[test]
fn kernel_perceptron_separates_rings() {
    let x = Mat::from_fn(80, 2, |i, j| {
        let angle = i as f64 * 0.37;
        (1.0 + 2.0 * (i % 2) as f64) * if j == 0 { angle.cos() } else { angle.sin() }
    });
    let target =
        Target::classes(&(0..80).map(|i| if i % 2 == 0 { "inner" } else { "outer" }).collect::<Vec<_>>());
    let data = Dataset::new(&x).with_target(target.clone()).unwrap();
    let learner =
        KernelPerceptron::default().kernel(KernelSpec::from(Kernel::rbf_gamma(0.5))).averaged(false);
    let model = learner.fit(&data).unwrap();
    let found = model.predict(&x).unwrap();
    assert!((0..80).all(|i| found.columns()[0].text(i) == target.columns()[0].text(i)));
    assert!(model.certificate().is_success());
    let note = model.certificate().notes.join(" ");
    let number = |word: &str| {
        note.split_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit()) && note.contains(word))
    };
    let mistakes: f64 = number("mistakes").and_then(|n| n.parse().ok()).expect("a count of mistakes");
    let bound: f64 = note.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a bound");
    assert!(mistakes <= bound, "{note}");
    // A cache of one row gives the same model.
    assert_eq!(learner.cache_size(1e-6).fit(&data).unwrap().dual_coef, model.dual_coef);
}

/// A kernel on strings is taken by every learner, as it is by the perceptron that counts substrings.
#[test]
fn learners_take_strings_through_a_kernel() {
    let words: Vec<String> =
        ["abab", "baba", "abba", "baab", "xyxy", "yxyx", "xyyx", "yxxy"].map(String::from).into();
    let y = vec![1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
    let data = Dataset::new(&words[..]).with_target(Target::real(y.clone())).unwrap();
    let model = made::<KernelRidge>("alpha=0.01,kernel=normalised(spectrum(length=2, blended=true))")
        .fit(&data)
        .unwrap();
    let found = model.predict(&["abaab".to_owned(), "xyxx".to_owned()][..]).unwrap();
    assert!(found.numbers().unwrap()[0] > 0.5 && found.numbers().unwrap()[1] < -0.5);
    let map =
        made::<KernelPCA>("n_components=1,kernel=spectrum(length=1)").fit(&Dataset::new(&words[..])).unwrap();
    let rows = map.transform(&words[..]).unwrap().dense("").unwrap().view().to_mat();
    assert!((0..4).all(|i| rows[(i, 0)] * rows[(i + 4, 0)] < 0.0));
    let error = made::<KernelRidge>("kernel=spectrum")
        .fit(&Dataset::new(random(3, 2, 1)).with_target(Target::real(vec![0.0; 3])).unwrap());
    assert!(error.unwrap_err().to_string().contains("Strings"));
}

#[test]
fn every_learner_is_listed_once() {
    let names: Vec<&str> = learners().iter().map(|e: &Entry| (e.declaration)().name).collect();
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
}
