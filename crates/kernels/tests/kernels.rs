//! Kernels as values: against scikit-learn and scipy, gradients against differences, and the rules of construction.

use mercer_kernels::{Kernel, PointsRef, PolynomialMap, Side, definiteness, marginalised};
use mercer_math::{Csr, Mat, normal, rng_for, special::bessel_k, uniform};
use mercer_testkit::{assert_close, matrix, numbers, reference};

fn frozen() -> serde_json::Value {
    reference(include_str!("reference/kernels.json"))
}

fn side<'a>(kernel: &Kernel, x: &'a Mat) -> Side<'a> {
    kernel.side(PointsRef::Dense(x.view())).expect("points that the kernel takes")
}

fn random(n: usize, d: usize, seed: u64) -> Mat {
    let mut rng = rng_for(seed, 0);
    Mat::from_fn(n, d, |_, _| normal(&mut rng))
}

fn parse(text: &str) -> Kernel {
    Kernel::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn values_are_those_of_scikit_learn() {
    let all = frozen();
    for (points, group) in [("x y", "pairwise"), ("counts_x counts_y", "counts")] {
        let (x, y) = points.split_once(' ').expect("two names");
        let (x, y) = (matrix(&all[x]), matrix(&all[y]));
        for (text, expected) in all[group].as_object().expect("cases") {
            let kernel = parse(text);
            let found = kernel.cross(&side(&kernel, &x), &side(&kernel, &y));
            assert_close(found.as_slice(), matrix(expected).as_slice(), 1e-13, text);
            let sparse = [&x, &y].map(|m| Csr::from_dense(m.view()));
            let [left, right] =
                [0, 1].map(|i| kernel.side(PointsRef::Sparse(sparse[i].view())).expect("sparse points"));
            assert_close(kernel.cross(&left, &right).as_slice(), found.as_slice(), 1e-12, text);
            let dense = side(&kernel, &x);
            assert_close(kernel.cross(&dense, &right).as_slice(), found.as_slice(), 1e-12, text);
            assert_close(kernel.cross(&left, &side(&kernel, &y)).as_slice(), found.as_slice(), 1e-12, text);
        }
    }
}

#[test]
fn gram_matrices_and_gradients_are_those_of_scikit_learn() {
    let all = frozen();
    let x = matrix(&all["x"]);
    let one = Mat::from_fn(x.n_rows(), 1, |i, _| x[(i, 0)]);
    for (group, x) in [("gp", &x), ("gp_one", &one)] {
        for (text, case) in all[group].as_object().expect("cases") {
            let kernel = parse(text);
            let side = side(&kernel, x);
            assert_close(kernel.gram(&side).as_slice(), matrix(&case["gram"]).as_slice(), 1e-13, text);
            assert_close(&kernel.theta(), &numbers(&case["theta"]), 1e-14, text);
            let found = kernel.gradients(&side);
            let expected = case["gradients"].as_array().expect("a matrix for each hyper-parameter");
            assert_eq!(found.len(), expected.len(), "{text}");
            for (found, expected) in found.iter().zip(expected) {
                assert_close(found.as_slice(), matrix(expected).as_slice(), 1e-12, text);
            }
        }
    }
    for (text, expected) in all["general"].as_object().expect("cases") {
        let kernel = parse(text);
        assert_close(kernel.gram(&side(&kernel, &x)).as_slice(), matrix(expected).as_slice(), 1e-12, text);
    }
}

#[test]
fn bessel_functions_are_those_of_scipy() {
    for case in frozen()["bessel"].as_array().expect("cases") {
        let [nu, z, expected] = numbers(case)[..] else { panic!("three numbers") };
        let found = bessel_k(nu, z);
        assert!((found - expected).abs() <= 2e-13 * expected, "K_{nu}({z}): {found} for {expected}");
    }
}

/// Every kernel with free hyper-parameters, and every rule of construction around one.
fn all_kinds() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = [
        "constant(1.3)",
        "white(0.4)",
        "dot_product(0.8)",
        "polynomial(degree=2, gamma=0.3, coef0=1.2, gamma_bounds=[1e-3, 1e3], coef0_bounds=[1e-3, 1e3])",
        "sigmoid(gamma=0.1, coef0=0.2, gamma_bounds=[1e-3, 1e3], coef0_bounds=[1e-3, 1e3])",
        "rbf(length_scale=1.4)",
        "rbf(length_scale=[0.8, 1.5, 2.0, 0.6, 1.1])",
        "matern(length_scale=[0.8, 1.5, 2.0, 0.6, 1.1], nu=0.5)",
        "matern(length_scale=1.2, nu=1.5)",
        "matern(length_scale=[0.8, 1.5, 2.0, 0.6, 1.1], nu=2.5)",
        "matern(length_scale=[0.8, 1.5, 2.0, 0.6, 1.1], nu=1.7)",
        "rational_quadratic(length_scale=[0.8, 1.5, 2.0, 0.6, 1.1], alpha=0.7)",
        "periodic(length_scale=1.2, periodicity=[1.0, 2.0, 3.0, 1.5, 2.5])",
        "periodic(length_scale=1.2, periodicity=1.7)",
        "laplacian(gamma=0.2)",
        "exp(0.3*rbf(1.2))",
        "power(rbf(1.2)+dot_product(0.5), exponent=3)",
        "polynomial_of(rbf(1.2), coefficients=[0.5, 1.0, 2.0])",
        "normalised(dot_product(0.7)+rbf(1.1))",
        "columns(rbf([1.0, 2.0]), columns=[3, 1])",
        "rbf(1.3)*dot_product(0.9)*constant(2.0)+white(0.1)",
    ]
    .map(parse)
    .into();
    kernels.push(Kernel::rbf(1.1).scaled_by("length", |x| 1.0 + x[0] * x[0]));
    kernels.push(Kernel::rbf(1.1).on("turn", |x| vec![x[1], x[0] * x[2]]));
    kernels
}

/// Central differences of step h err by about h² and the rounding by 1e-16/h, so that 1e-7 is held with h = 1e-5.
#[test]
fn gradients_are_differences() {
    let x = random(9, 5, 3);
    let weights = random(9, 9, 4);
    for kernel in all_kinds() {
        let (side_at, theta) = (side(&kernel, &x), kernel.theta());
        let gradients = kernel.gradients(&side_at);
        let sums = kernel.gradient_dot(&side_at, &weights);
        assert_eq!((gradients.len(), sums.len()), (theta.len(), theta.len()), "{kernel}");
        assert_eq!(kernel.theta_names().len(), theta.len());
        assert_eq!(kernel.bounds().len(), theta.len());
        for p in 0..theta.len() {
            let moved = |step: f64| {
                let mut theta = theta.clone();
                theta[p] += step;
                let kernel = kernel.with_theta(&theta);
                kernel.gram(&side(&kernel, &x))
            };
            let (up, down) = (moved(1e-5), moved(-1e-5));
            let slopes: Vec<f64> =
                up.as_slice().iter().zip(down.as_slice()).map(|(u, d)| (u - d) / 2e-5).collect();
            assert_close(gradients[p].as_slice(), &slopes, 1e-7, &format!("{kernel}, {p}"));
            let sum: f64 = gradients[p].as_slice().iter().zip(weights.as_slice()).map(|(g, w)| g * w).sum();
            assert_close(&[sums[p]], &[sum], 1e-9, &format!("{kernel}, {p}"));
        }
    }
}

#[test]
fn text_is_read_back() {
    for kernel in all_kinds() {
        let text = kernel.to_string();
        assert_eq!(parse(&text), kernel, "{text}");
        assert_eq!(parse(&text).to_string(), text);
    }
    let many = (0..30).fold(Kernel::linear(), |sum, i| sum + Kernel::constant(f64::from(i) + 0.5));
    assert_eq!(parse(&many.to_string()), many);
    for (bad, why) in [
        ("rbs", "did you mean `rbf`"),
        ("rbf(length_scale=0)", "above 0"),
        ("rbf(length=1)", "no parameter `length`"),
        ("matern(nu=-1)", "above 0"),
        ("polynomial_of(rbf, coefficients=[1, -1])", "coefficients"),
        ("rbf(length_scale_bounds=[2, 1])", "low <= high"),
        ("bilinear(matrix=[[1, 2], [2, 1]])", "positive semi-definite"),
        ("bilinear(matrix=[[1, 2], [3, 1]])", "symmetric"),
        ("sum()", "needs kernels"),
        ("rbf+precomputed", "stands alone"),
        ("[1, 2]", "a kernel"),
    ] {
        let error = Kernel::parse(bad).expect_err(bad);
        assert!(error.contains(why), "{bad}: {error}");
    }
}

/// All ten rules of construction keep a kernel positive semi-definite; sigmoid, and the periodic kernel of the distance in two
/// dimensions, are not.
#[test]
fn rules_of_construction_keep_semi_definiteness() {
    let mut rng = rng_for(8, 0);
    let x = Mat::from_fn(40, 5, |_, _| 3.0 * uniform(&mut rng) - 1.0);
    let mut kernels = all_kinds();
    kernels.retain(|k| !k.to_string().starts_with("sigmoid"));
    let root = random(5, 5, 5);
    let square = mercer_math::matmul(root.view(), root.view().t());
    kernels
        .push(Kernel::bilinear(Mat::from_fn(5, 5, |i, j| 0.5 * (square[(i, j)] + square[(j, i)]))).unwrap());
    kernels.push(parse("cosine"));
    for kernel in &kernels {
        let found = definiteness(&kernel.gram(&side(kernel, &x))).unwrap();
        assert!(found.is_semidefinite(), "{kernel}: {found:?}");
    }
    let sigmoid = Kernel::sigmoid(1.0, -1.0);
    let found = definiteness(&sigmoid.gram(&side(&sigmoid, &x))).unwrap();
    assert!(found.least < -1e-3, "{found:?}");
    let error = found.require("sigmoid").unwrap_err().to_string();
    assert!(error.contains("the smallest -"), "{error}");
    let grid = Mat::from_fn(64, 2, |i, j| if j == 0 { (i % 8) as f64 } else { (i / 8) as f64 } * 0.25);
    let of_distance = Mat::from_fn(64, 64, |i, j| {
        let d = mercer_math::sq_dist(grid.row(i), grid.row(j)).sqrt();
        (-2.0 * (std::f64::consts::PI * d).sin().powi(2)).exp()
    });
    assert!(definiteness(&of_distance).unwrap().least < -1e-3);
    let product = Kernel::periodic(1.0, 1.0);
    assert!(definiteness(&product.gram(&side(&product, &grid))).unwrap().is_semidefinite());
}

#[test]
fn far_points_lose_no_digits() {
    let near = random(20, 8, 6);
    let far = Mat::from_fn(20, 8, |i, j| near[(i, j)] + 1e7);
    // What is left of the points after adding and taking off 1e7.
    let back = Mat::from_fn(20, 8, |i, j| far[(i, j)] - 1e7);
    let kernel = Kernel::rbf(1.5);
    let expected = kernel.gram(&side(&kernel, &back));
    assert_close(kernel.gram(&side(&kernel, &far)).as_slice(), expected.as_slice(), 1e-9, "far points");
}

#[test]
fn blocks_do_not_depend_on_threads_or_cuts() {
    let x = random(150, 7, 9);
    let kernel = parse("2*rbf(1.5)+polynomial(degree=2)");
    let side = side(&kernel, &x);
    let whole = kernel.cross(&side, &side);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("pool");
    assert_eq!(pool.install(|| kernel.cross(&side, &side)), whole);
    let mut part = vec![0.0; 3 * 150];
    kernel.block(&side, 40..43, &side, &mut part);
    assert_close(&part, &whole.as_slice()[40 * 150..43 * 150], 1e-14, "a cut");
}

#[test]
fn polynomial_maps_are_their_kernels() {
    let x = random(12, 3, 10);
    for (degree, coef0) in [(1, 0.0), (2, 1.0), (3, 0.5), (4, 0.0)] {
        let map = PolynomialMap::new(3, degree, coef0).unwrap();
        let features: Vec<Vec<f64>> = (0..12).map(|i| map.features(x.row(i))).collect();
        let kernel = Kernel::polynomial(f64::from(degree), 1.0, coef0);
        let gram = kernel.gram(&side(&kernel, &x));
        let product =
            Mat::from_fn(12, 12, |i, j| features[i].iter().zip(&features[j]).map(|(a, b)| a * b).sum());
        assert_close(product.as_slice(), gram.as_slice(), 1e-12, "polynomial map");
    }
    assert_eq!(PolynomialMap::new(4, 3, 1.0).unwrap().n_features(), 35); // C(4 + 3, 3)
    assert!(PolynomialMap::new(1000, 8, 1.0).is_err());
}

/// Summed by hand over the hidden states, and positive semi-definite.
#[test]
fn marginalised_kernels_sum_over_hidden_states() {
    let (x, states) = (random(6, 2, 11), Mat::from_rows(&[[0.0], [1.5]]).unwrap());
    let posterior =
        Mat::from_fn(6, 2, |i, h| if h == 0 { 0.1 + 0.1 * i as f64 } else { 0.9 - 0.1 * i as f64 });
    let kernel = Kernel::rbf(1.0);
    let found = marginalised(&kernel, &x, &states, &posterior).unwrap();
    let k = |i: usize, h: usize, j: usize, g: usize| {
        let s = mercer_math::sq_dist(x.row(i), x.row(j)) + (states[(h, 0)] - states[(g, 0)]).powi(2);
        (-0.5 * s).exp() * posterior[(i, h)] * posterior[(j, g)]
    };
    let expected = Mat::from_fn(6, 6, |i, j| {
        (0..2).flat_map(|h| (0..2).map(move |g| (h, g))).map(|(h, g)| k(i, h, j, g)).sum()
    });
    assert_close(found.as_slice(), expected.as_slice(), 1e-14, "marginalised");
    assert!(definiteness(&found).unwrap().is_semidefinite());
    assert!(marginalised(&kernel, &x, &states, &random(5, 2, 1)).is_err());
}

#[test]
fn points_of_another_kind_are_refused() {
    let words = ["abc".to_owned()];
    assert!(Kernel::rbf(1.0).side(PointsRef::Strings(&words)).is_err());
    let spectrum = parse("normalised(spectrum(length=2))");
    let side = spectrum.side(PointsRef::Strings(&words)).unwrap();
    assert_eq!(spectrum.gram(&side).as_slice(), [1.0]);
    let x = Mat::from_rows(&[[1.0, -2.0]]).unwrap();
    assert!(spectrum.side(PointsRef::Dense(x.view())).is_err());
    let error = Kernel::chi2(1.0).side(PointsRef::Dense(x.view())).unwrap_err().to_string();
    assert!(error.contains("-2") && error.contains("x1"), "{error}");
    assert!(parse("rbf([1.0, 2.0, 3.0])").side(PointsRef::Dense(x.view())).is_err());
    assert!(parse("columns(rbf, columns=[7])").side(PointsRef::Dense(x.view())).is_err());
    assert!(
        parse("scaled_by(rbf, function=g)")
            .side(PointsRef::Dense(x.view()))
            .unwrap_err()
            .to_string()
            .contains("`g`")
    );
}
