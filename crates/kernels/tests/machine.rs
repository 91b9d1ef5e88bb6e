//! Machines with any convex loss: against kernel ridge regression, scikit-learn's linear models, and their own duality gap.

use mercer_core::{Dataset, Fit, Object, Params, Session, Target};
use mercer_kernels::{KernelMachineClassifier, KernelMachineRegressor, KernelRidge};
use mercer_math::{Mat, matmul, normal, rng_for};
use mercer_testkit::{assert_close, matrix, numbers, reference};

fn made<L: Params>(settings: &str) -> L {
    L::from_object(&Object::parse_spec(&format!("{}:{settings}", L::NAME)).expect("settings"))
        .expect("parameters")
}

fn noisy(n: usize) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(7, 0);
    let x = Mat::from_fn(n, 3, |_, _| normal(&mut rng));
    let y = (0..n).map(|i| x[(i, 0)].sin() + x[(i, 1)] * x[(i, 2)] + 0.1 * normal(&mut rng)).collect();
    (x, y)
}

#[test]
fn squares_are_those_of_kernel_ridge_regression() {
    let (x, y) = noisy(150);
    let weights: Vec<f64> = (0..150).map(|i| f64::from(i % 4)).collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap().with_weights(weights).unwrap();
    for kernel in ["rbf(gamma=0.5)", "laplacian(gamma=0.2)", "polynomial(degree=2,gamma=0.3,coef0=1)"] {
        let exact: KernelRidge = made(&format!("alpha=0.5,kernel={kernel}"));
        let climbed: KernelMachineRegressor =
            made(&format!("alpha=0.5,kernel={kernel},tol=1e-15,max_iter=20000"));
        let (a, b) = (exact.fit(&data).unwrap(), climbed.fit(&data).unwrap());
        let (a, b) = (a.predict(&x).unwrap(), b.predict(&x).unwrap());
        assert_close(b.numbers().unwrap(), a.numbers().unwrap(), 1e-6, kernel);
    }
}

#[test]
fn linear_machines_are_those_of_scikit_learn() {
    let all = reference(include_str!("reference/machine.json"));
    let (x, y, alpha) = (matrix(&all["x"]), numbers(&all["y"]), all["alpha"].as_f64().unwrap());
    let label: Vec<String> = numbers(&all["label"]).iter().map(|l| l.to_string()).collect();
    let classes = Dataset::new(&x).with_target(Target::classes(&label)).unwrap();
    let real = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    for (loss, coef) in all["coef"].as_object().expect("cases") {
        let coef = numbers(coef);
        let expected = matmul(x.view(), Mat::from_fn(4, 1, |j, _| coef[j]).view());
        let settings = format!("alpha={alpha},kernel=linear,loss={loss},tol=1e-14,max_iter=20000");
        let found = if loss.contains("epsilon") {
            let learner: KernelMachineRegressor = made(&format!("{settings},epsilon=0.2"));
            learner.fit(&real).unwrap().predict(&x).unwrap().numbers().unwrap().to_vec()
        } else {
            let learner: KernelMachineClassifier = made(&settings);
            let trained: Box<dyn mercer_core::Learner> = Box::new(learner);
            let session = Session::default();
            let model = trained.train(&classes, &session).unwrap();
            let input = mercer_core::Input::from(&x);
            model.on(&input, &session).unwrap().decision().unwrap().col(0)
        };
        assert_close(&found, expected.as_slice(), 1e-5, loss);
    }
}

/// More points than a Gram matrix is kept for: rows of it are made as they are needed.
#[test]
fn the_gap_closes_without_a_gram_matrix() {
    let (x, y) = noisy(5000);
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    let learner: KernelMachineRegressor = made("loss=huber,epsilon=0.3,kernel=rbf(gamma=0.5),tol=1e-3");
    let model = learner.fit(&data).unwrap();
    let gap = model.certificate().evidence[0].value;
    assert!(gap <= 1e-3, "{gap}");
    assert!(model.certificate().termination.is_success());
}
