//! Many classes by learners of two: against frozen values of scikit-learn, and what the schemes promise.

use mercer_core::{Dataset, Fit, Input, Label, NestedLearner, Session, Target, catalogue};
use mercer_ensemble::{OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier};
use mercer_math::Mat;
use mercer_testkit::{assert_close, case, matrix, numbers, reference};

const FROZEN: &str = include_str!("reference/multiclass.json");

fn frozen() -> (Mat, Vec<i64>) {
    for family in [mercer_ensemble::learners(), mercer_linear::learners(), mercer_trees::learners()] {
        catalogue::register(family);
    }
    let all = reference(FROZEN);
    (matrix(&all["x"]), numbers(&all["y"]).iter().map(|v| *v as i64).collect())
}

fn spec(text: &str) -> Option<NestedLearner> {
    Some(NestedLearner(catalogue::make_spec(text).unwrap()))
}

fn classes(y: &[i64], k: i64) -> Target<'static> {
    Target::classes(&y.iter().map(|&c| c.min(k - 1)).collect::<Vec<i64>>())
}

fn codes(prediction: &Target<'_>) -> Vec<f64> {
    prediction.class().unwrap().0.iter().map(|&c| f64::from(c)).collect()
}

#[test]
fn both_schemes_agree_with_scikit_learn() {
    let ((x, y), all) = (frozen(), reference(FROZEN));
    for k in [2, 4] {
        let data = Dataset::new(&x).with_target(classes(&y, k)).unwrap();
        let estimator = spec("logistic:tol=1e-10,max_iter=10000");
        let rest = OneVsRestClassifier { estimator: estimator.clone() }.fit(&data).unwrap();
        let known = case(&all, &format!("rest {k}"));
        let found = rest.decision_function(&x).unwrap();
        assert_close(&codes(&rest.predict(&x).unwrap()), &numbers(&known["predict"]), 0.0, "classes");
        assert_close(found.as_slice(), &numbers(&known["decision"]), 1e-5, "decisions");
        let found = rest.predict_proba(&x).unwrap();
        assert_close(found.as_slice(), &numbers(&known["proba"]), 1e-6, "probabilities");
        let pairs = OneVsOneClassifier { estimator }.fit(&data).unwrap();
        let known = case(&all, &format!("pairs {k}"));
        assert_close(&codes(&pairs.predict(&x).unwrap()), &numbers(&known["predict"]), 0.0, "votes");
        let found = pairs.decision_function(&x).unwrap();
        assert_close(found.as_slice(), &numbers(&known["decision"]), 1e-5, "votes and confidence");
        let (members, _) = pairs.as_model().members().unwrap();
        assert_eq!(members.n_members(), (k * (k - 1) / 2) as usize);
        assert_eq!(pairs.certificate().children.len(), members.n_members());
    }
}

#[test]
fn regressors_answer_by_their_numbers() {
    let ((x, y), all) = (frozen(), reference(FROZEN));
    let data = Dataset::new(&x).with_target(classes(&y, 4)).unwrap();
    let model = OneVsRestClassifier { estimator: spec("ridge") }.fit(&data).unwrap();
    let known = numbers(&case(&all, "rest of ridge")["predict"]);
    assert_close(&codes(&model.predict(&x).unwrap()), &known, 0.0, "classes");
    assert!(model.predict_proba(&x).is_err() && model.decision_function(&x).is_err());
    let pairs = OneVsOneClassifier { estimator: spec("ridge") }.fit(&data).unwrap();
    let right = codes(&pairs.predict(&x).unwrap()).iter().zip(&y).filter(|(f, y)| **f == **y as f64).count();
    assert!(right * 10 > y.len() * 7, "{right} of {}", y.len());
}

#[test]
fn a_class_that_does_not_occur_is_never_predicted() {
    let (x, y) = frozen();
    let labels = [0i64, 1, 2, 3, 9].map(Label::Int);
    let target = Target::coded(y.iter().map(|&c| c as u32).collect(), labels.into());
    let rows: Vec<usize> = (0..y.len()).filter(|&i| y[i] != 1).collect();
    let data = Dataset::new(&x).with_target(target).unwrap().subset(&rows).unwrap();
    let session = Session::default();
    for model in [
        OneVsRestClassifier { estimator: None }.fit(&data).unwrap().into_model(),
        OneVsOneClassifier { estimator: None }.fit(&data).unwrap().into_model(),
        OutputCodeClassifier { code_size: 5.0, ..OutputCodeClassifier::default() }
            .fit(&data)
            .unwrap()
            .into_model(),
    ] {
        let found = model.predict(&Input::from(&x), &session).unwrap();
        assert!(found.class().unwrap().0.iter().all(|&c| c != 1 && c != 4));
    }
    let one: Vec<usize> = (0..y.len()).filter(|&i| y[i] == 1).collect();
    let one = Dataset::new(&x).with_target(classes(&y, 4)).unwrap().subset(&one).unwrap();
    let refused = OneVsRestClassifier { estimator: None }.fit(&one).unwrap_err().to_string();
    assert!(refused.contains("classes"), "{refused}");
}

#[test]
fn codes_tell_classes_apart_that_lie_apart() {
    let (_, y) = frozen();
    let x = Mat::from_fn(y.len(), 4, |i, j| f64::from(u8::from(y[i] == j as i64)) + 1e-3 * (i % 7) as f64);
    let data = Dataset::new(&x).with_target(classes(&y, 4)).unwrap();
    for estimator in [None, spec("tree:max_depth=3"), spec("ridge:alpha=0.01")] {
        let model = OutputCodeClassifier { estimator, code_size: 5.0 }.fit(&data).unwrap();
        assert_eq!(model.certificate().evidence[0].value, 0.0);
        let book = model.attributes().into_iter().find(|a| a.name == "code_book_").unwrap();
        assert_eq!(book.shape, [4, 20]);
        assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    }
}

#[test]
fn several_labels_at_once_are_each_learnt_on_their_own() {
    let (x, y) = frozen();
    let label = |c: i64| Target::classes(&y.iter().map(|&v| i64::from(v == c)).collect::<Vec<i64>>());
    let every = Target::coded(vec![1; y.len()], [Label::Int(0), Label::Int(1)].into());
    let columns = [label(0), label(2), every].iter().flat_map(|t| t.columns().to_vec()).collect();
    let data = Dataset::new(&x).with_target(Target::new(columns).unwrap()).unwrap();
    let model = OneVsRestClassifier { estimator: None }.fit(&data).unwrap();
    let found = model.predict(&x).unwrap();
    assert_eq!(found.n_columns(), 3);
    let alone = OneVsRestClassifier { estimator: None };
    for (t, c) in [(0, 0), (1, 2)] {
        let own = alone.fit(&Dataset::new(&x).with_target(label(c)).unwrap()).unwrap();
        let (known, p) = (own.predict(&x).unwrap(), own.predict_proba(&x).unwrap());
        assert_eq!(found.columns()[t].values, known.columns()[0].values);
        let together = model.predict_proba(&x).unwrap();
        assert!((0..x.n_rows()).all(|i| together[(i, 2 * t + 1)] == p[(i, 1)]));
    }
    assert!((0..x.n_rows()).all(|i| model.predict_proba(&x).unwrap()[(i, 5)] == 1.0));
    let (members, _) = model.as_model().members().unwrap();
    assert_eq!(members.n_members(), 2);
    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
    let told = model.as_model().attributes();
    assert!(told.iter().any(|a| a.name == "multilabel_"));
}
