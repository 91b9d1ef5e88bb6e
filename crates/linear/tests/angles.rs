//! Least angles by folds and criteria, and matching pursuit, against scikit-learn and against what they promise.

use mercer_core::{Dataset, Fit, Session, Target};
use mercer_linear::{
    AnglesParams, Criterion, LarsCV, LassoLarsCV, LassoLarsIC, LinearDiscriminantAnalysis,
    OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV, QuadraticDiscriminantAnalysis, Ridge, Shrinkage,
    lars_path, lars_path_gram, orthogonal_mp, orthogonal_mp_gram,
};
use mercer_math::{Csr, Mat, matmul, normal, rng_for};
use mercer_testkit::{assert_close, assert_within, matrix, numbers, reference};
use serde_json::Value;

fn all() -> (Value, Mat, Vec<f64>) {
    let all = reference(include_str!("reference/angles.json"));
    let (x, y) = (matrix(&all["x"]), numbers(&all["y"]));
    (all, x, y)
}

fn one<'a>(x: &'a Mat, y: &[f64]) -> Dataset<'a> {
    Dataset::new(x).with_target(Target::real(y.to_vec())).unwrap()
}

#[test]
fn folds_choose_what_scikit_learn_chooses() {
    let (all, x, y) = all();
    let data = one(&x, &y);
    let lasso = LassoLarsCV::default().cv(Some(4)).fit(&data).unwrap();
    let (plain, easy) = (matrix(&all["plain"]), numbers(&all["easy"]));
    let lars = LarsCV::default().cv(Some(4)).fit(&one(&plain, &easy)).unwrap();
    for (model, name) in [(&*lasso, "lasso_lars_cv"), (&*lars, "lars_cv")] {
        let want = |what: &str| numbers(&all[name][what]);
        assert_within(&[model.alpha()], &want("alpha_"), 1e-8, name);
        assert_within(model.coef(), &want("coef_"), 1e-7, name);
        // Both have the same strengths down to the end of the path, which each writes as its own rounding of zero.
        let strengths: Vec<f64> = model.alphas().iter().copied().filter(|a| *a > 1e-9).collect();
        let known: Vec<f64> = want("cv_alphas_").into_iter().filter(|a| *a > 1e-9).collect();
        assert_within(&strengths, &known, 1e-8, name);
        let folds = model.mse_path().len() / model.alphas().len();
        let tail = |errors: &[f64]| errors[errors.len() - strengths.len() * folds..].to_vec();
        assert_within(&tail(model.mse_path()), &tail(&want("mse_path_")), 1e-7, name);
    }
    let positive = LassoLarsCV::default().cv(Some(4)).positive(true).fit(&data).unwrap();
    assert!(positive.coef().iter().all(|w| *w >= 0.0));
    assert!(positive.certificate().evidence[0].value < 1e-10);
    assert!(lasso.verify(&data).unwrap().iter().all(|v| v.holds));
}

#[test]
fn criteria_are_those_of_zou_hastie_and_tibshirani() {
    let (all, x, y) = all();
    let data = one(&x, &y);
    let aic = LassoLarsIC::default().fit(&data).unwrap();
    let bic = LassoLarsIC::default().criterion(Criterion::Bic).noise_variance(Some(0.5)).fit(&data).unwrap();
    for (model, name) in [(&aic, "aic"), (&bic, "bic")] {
        let want = |what: &str| numbers(&all[name][what]);
        assert_within(&[model.noise_variance()], &want("noise_variance_"), 1e-10, name);
        assert_within(model.criterion(), &want("criterion_"), 1e-8, name);
        assert_within(&[model.alpha()], &want("alpha_"), 1e-8, name);
        assert_within(model.coef(), &want("coef_"), 1e-8, name);
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    }
    let few: Vec<usize> = (0..9).collect();
    let refused = LassoLarsIC::default().fit(&data.subset(&few).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("give noise_variance"), "{refused}");
}

#[test]
fn pursuit_is_scikit_learns() {
    let (all, x, y) = all();
    let both = Target::multi(vec![y.clone(), numbers(&all["other"])]).unwrap();
    let data = Dataset::new(&x).with_target(both).unwrap();
    let model = OrthogonalMatchingPursuit::default().n_nonzero_coefs(Some(3)).fit(&data).unwrap();
    assert_within(model.coef(), &numbers(&all["omp"]["coef_"]), 1e-9, "coefficients of two targets");
    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    let data = one(&x, &y);
    let model = OrthogonalMatchingPursuit::default().tol(Some(60.0)).fit(&data).unwrap();
    assert_within(model.coef(), &numbers(&all["omp_tol"]["coef_"]), 1e-9, "to a tolerance");
    let model = OrthogonalMatchingPursuitCV::default().cv(Some(4)).max_iter(Some(7)).fit(&data).unwrap();
    assert_within(model.coef(), &numbers(&all["omp_cv"]["coef_"]), 1e-9, "by folds");
    let path = orthogonal_mp(&data, 5, None, &Session::default()).unwrap();
    let want = matrix(&all["omp_path"]);
    assert_within(path.paths[0].view().t().to_mat().as_slice(), want.as_slice(), 1e-9, "path");
}

#[test]
fn products_lead_along_the_same_paths_as_rows() {
    let (all, x, y) = all();
    let session = Session::default();
    let (plain, easy) = (matrix(&all["plain"]), numbers(&all["easy"]));
    for (method, lasso, x, y) in [("lar", false, &plain, &easy), ("lasso", true, &x, &y)] {
        let (gram, xy) = (matmul(x.view().t(), x.view()), mercer_math::gemv_t(x.view(), y));
        let params = AnglesParams { lasso, positive: false, max_iter: 500, alpha_min: 0.0 };
        let rows = lars_path(&one(x, y), &params, &session).unwrap();
        let products = lars_path_gram(&gram, &xy, y.len() as f64, &params, &session).unwrap();
        for path in [&rows, &products] {
            let active: Vec<f64> = path.active.iter().map(|j| *j as f64).collect();
            assert_close(&active, &numbers(&all[method]["active"]), 0.0, method);
            assert_within(&path.alphas, &numbers(&all[method]["alphas"]), 1e-8, method);
            let want = matrix(&all[method]["path"]);
            assert_within(path.coefs.view().t().to_mat().as_slice(), want.as_slice(), 1e-8, method);
        }
    }
    let (data, gram) = (one(&x, &y), matmul(x.view().t(), x.view()));
    let xy = mercer_math::gemv_t(x.view(), &y);
    let yy = mercer_math::dot(&y, &y);
    let rows = orthogonal_mp(&data, 4, None, &session).unwrap();
    let products = orthogonal_mp_gram(&gram, &[(xy, yy)], 4, None, &session).unwrap();
    assert_within(products.paths[0].as_slice(), rows.paths[0].as_slice(), 1e-9, "pursuit");
    assert!(orthogonal_mp(&data, 9, None, &session).is_err());
}

#[test]
fn pursuit_of_all_features_is_least_squares_and_ends_where_nothing_is_left() {
    let mut rng = rng_for(5, 0);
    let x = Mat::from_fn(30, 6, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..30).map(|i| x[(i, 0)] + normal(&mut rng)).collect();
    let data = one(&x, &y);
    let model = OrthogonalMatchingPursuit::default().n_nonzero_coefs(Some(6)).fit(&data).unwrap();
    let least = Ridge::default().alpha(0.0).fit(&data).unwrap();
    assert_within(model.coef(), least.coef.as_slice(), 1e-10, "least squares");
    // A copy of a column adds nothing.
    let twice = Mat::from_fn(30, 3, |i, j| x[(i, j % 2)]);
    let y: Vec<f64> = (0..30).map(|i| 2.0 * x[(i, 0)] - x[(i, 1)]).collect();
    let data = one(&twice, &y);
    let model = OrthogonalMatchingPursuit::default().n_nonzero_coefs(Some(3)).fit(&data).unwrap();
    assert_eq!(model.active()[0].len(), 2);
    assert!(model.certificate().notes.iter().any(|n| n.contains("ended early")), "{}", model.certificate());
    let sparse = Csr::from_dense(twice.view());
    let same = Dataset::new(sparse).with_target(Target::real(y)).unwrap();
    let found = OrthogonalMatchingPursuit::default().n_nonzero_coefs(Some(3)).fit(&same).unwrap();
    assert_within(found.coef(), model.coef(), 1e-12, "sparse rows");
}

#[test]
fn oracle_shrinkage_is_scikit_learns_and_covariances_may_be_given() {
    let (all, x, _) = all();
    let labels: Vec<i64> = numbers(&all["label"]).iter().map(|v| *v as i64).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&labels)).unwrap();
    let own: Vec<Mat> = all["oas"].as_array().unwrap().iter().map(|c| matrix(&c["covariance"])).collect();
    let spec = |text: &str| mercer_core::catalogue::make_spec(text).unwrap();
    mercer_core::catalogue::register(mercer_linear::learners());
    let attribute = |model: &dyn mercer_core::Model, name: &str| {
        let found = model.attributes().into_iter().find(|a| a.name == name).unwrap();
        match found.values {
            mercer_core::AttributeValues::Real(values) => values,
            other => panic!("{other:?}"),
        }
    };
    let qda = spec("qda:solver=eigen,shrinkage=oas,store_covariance=true");
    let model = qda.train(&data, &Session::default()).unwrap();
    let want: Vec<f64> = own.iter().flat_map(|c| c.as_slice().to_vec()).collect();
    assert_within(&attribute(model.as_ref(), "covariance_"), &want, 1e-9, "covariances of classes");
    let lda =
        LinearDiscriminantAnalysis { solver: mercer_linear::DiscriminantSolver::Lsqr, ..Default::default() };
    let mut by_share = lda.clone();
    by_share.classes.shrinkage = Some(Shrinkage::Oas);
    let mut given = lda;
    given.classes.covariances = Some(want.clone());
    let (a, b) = (by_share.fit(&data).unwrap(), given.fit(&data).unwrap());
    assert_within(b.coef.as_slice(), a.coef.as_slice(), 1e-8, "given covariances");
    let mut refused = QuadraticDiscriminantAnalysis::default();
    refused.classes.covariances = Some(want);
    assert!(refused.fit(&data).unwrap_err().to_string().contains("eigen with covariances"));
}
