//! Imputation and the scores of features against scikit-learn and against closed forms.

use mercer_core::{Attribute, AttributeValues, Column, Dataset, Fit, Input, Rows, Session, Table, Target};
use mercer_math::{Csr, Mat, normal, rng_for};
use mercer_prepare::{
    ImputeStrategy, KBest, KnnImputer, MissingIndicator, NeighbourWeights, ScoreFunction, SelectFdr,
    SelectFpr, SelectFwe, SelectKBest, SelectPercentile, SimpleImputer, VarianceThreshold,
};
use mercer_testkit::{assert_alike, numbers, reference};

struct Reference(serde_json::Value);

impl Reference {
    fn read() -> Self {
        Self(reference(include_str!("reference/choose.json")))
    }
    fn numbers(&self, path: &[&str]) -> Vec<f64> {
        let value = path.iter().fold(&self.0, |v, key| &v[*key]);
        numbers(value)
    }
    fn matrix(&self, name: &str) -> Mat {
        Mat::from_vec(self.numbers(&[name]), 80, 7).unwrap()
    }
    fn classes(&self) -> Target<'static> {
        let codes: Vec<i64> = self.numbers(&["c"]).iter().map(|v| *v as i64).collect();
        Target::classes(&codes)
    }
    fn real(&self) -> Target<'static> {
        Target::real(self.numbers(&["y"]))
    }
    fn support(&self, name: &str) -> Vec<bool> {
        self.numbers(&["support", name, "support"]).iter().map(|v| *v == 1.0).collect()
    }
}

fn values(rows: &Rows<'_>) -> Vec<f64> {
    rows.dense("x").unwrap().view().to_mat().into_vec()
}

fn attribute(all: &[Attribute], name: &str) -> Vec<f64> {
    match &all.iter().find(|a| a.name == name).unwrap().values {
        AttributeValues::Real(v) => v.clone(),
        AttributeValues::Int(v) => v.iter().map(|v| *v as f64).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn imputers_match_reference() {
    let r = Reference::read();
    let x = r.matrix("holes");
    let data = Dataset::new(&x);
    for (strategy, name) in [(ImputeStrategy::Mean, "simple_mean"), (ImputeStrategy::Median, "simple_median")]
    {
        let model = SimpleImputer::default().strategy(strategy).fit(&data).unwrap();
        assert_alike(&values(&model.transform(&x).unwrap()), &r.numbers(&["impute", name]), 1e-12, "choose");
    }
    let rounded = Mat::from_fn(80, 7, |i, j| x[(i, j)].round_ties_even());
    let mode =
        SimpleImputer::default().strategy(ImputeStrategy::MostFrequent).fit(&Dataset::new(&rounded)).unwrap();
    assert_alike(
        &values(&mode.transform(&rounded).unwrap()),
        &r.numbers(&["impute", "simple_most_frequent"]),
        1e-12,
        "choose",
    );
    let knn = KnnImputer::default().fit(&data).unwrap();
    assert_alike(
        &values(&knn.transform(&x).unwrap()),
        &r.numbers(&["impute", "knn_uniform"]),
        1e-10,
        "choose",
    );
    let knn = KnnImputer::default().n_neighbors(3).weights(NeighbourWeights::Distance).fit(&data).unwrap();
    assert_alike(
        &values(&knn.transform(&x).unwrap()),
        &r.numbers(&["impute", "knn_distance"]),
        1e-10,
        "choose",
    );
    let first: Vec<usize> = (0..50).collect();
    let last: Vec<usize> = (50..80).collect();
    let knn = KnnImputer::default().n_neighbors(4).fit(&data.subset(&first).unwrap()).unwrap();
    let new = x.view().gather(&last);
    assert_alike(&values(&knn.transform(&new).unwrap()), &r.numbers(&["impute", "knn_new"]), 1e-10, "choose");
}

#[test]
fn tables_keep_their_other_columns_and_gain_indicators() {
    let table = Table::new(vec![
        ("size".into(), Column::numbers(vec![1.0, f64::NAN, 3.0])),
        ("kind".into(), Column::categories(&[Some("a"), None, Some("b")])),
        ("age".into(), Column::numbers(vec![10.0, 11.0, 30.0])),
    ])
    .unwrap();
    let model = KnnImputer::default().n_neighbors(1).add_indicator(true).fit(&Dataset::new(&table)).unwrap();
    let out = model.transform(&table).unwrap();
    let out = out.table().unwrap();
    assert_eq!(out.names().to_vec(), ["size", "kind", "age", "missingindicator_size"]);
    assert_eq!(out.column("size").unwrap().to_numbers().unwrap()[1], 1.0);
    assert!(out.column("kind").unwrap().is_missing(1));
    let marks = MissingIndicator::default().fit(&Dataset::new(&table)).unwrap();
    assert_eq!(values(&marks.transform(&table).unwrap()), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    let new = table.with("age", Column::numbers(vec![f64::NAN, 1.0, 2.0])).unwrap();
    assert!(marks.transform(&new).unwrap_err().to_string().contains("age"));
    let sparse = Csr::from_dense(Mat::from_rows(&[[0.0, f64::NAN], [1.0, 0.0]]).unwrap().view());
    let marks = MissingIndicator::default().fit(&Dataset::new(&sparse)).unwrap();
    let out = marks.transform(&sparse).unwrap();
    assert!(out.is_sparse() && values(&out) == [1.0, 0.0]);
}

fn scores(r: &Reference, function: ScoreFunction) -> Vec<Attribute> {
    let x = if function == ScoreFunction::Chi2 { r.matrix("counts") } else { r.matrix("x") };
    let regression =
        [ScoreFunction::FRegression, ScoreFunction::RRegression, ScoreFunction::MutualInfoRegression];
    let target = if regression.contains(&function) { r.real() } else { r.classes() };
    let data = Dataset::new(&x).with_target(target).unwrap();
    SelectKBest::default().score_func(function).fit(&data).unwrap().attributes()
}

#[test]
fn scores_match_reference() {
    let r = Reference::read();
    for (function, name) in [
        (ScoreFunction::FClassif, "f_classif"),
        (ScoreFunction::FRegression, "f_regression"),
        (ScoreFunction::Chi2, "chi2"),
    ] {
        let found = scores(&r, function);
        assert_alike(&attribute(&found, "scores_"), &r.numbers(&["scores", name, "scores"]), 1e-10, "choose");
        for (p, q) in attribute(&found, "pvalues_").iter().zip(r.numbers(&["scores", name, "pvalues"])) {
            assert!((p - q).abs() <= 1e-9 * q, "{name}: {p} {q}");
        }
    }
    let found = attribute(&scores(&r, ScoreFunction::RRegression), "scores_");
    assert_alike(&found, &r.numbers(&["scores", "r_regression", "scores"]), 1e-12, "choose");
    // The jitter of 1e-10 can move a neighbour across a border in rare rows only: one such move changes the mean of
    // 80 digammas by less than 1/80.
    for (function, name) in [
        (ScoreFunction::MutualInfoClassif, "mutual_info_classif"),
        (ScoreFunction::MutualInfoRegression, "mutual_info_regression"),
    ] {
        assert_alike(
            &attribute(&scores(&r, function), "scores_"),
            &r.numbers(&["scores", name, "scores"]),
            1e-9,
            "choose",
        );
    }
}

#[test]
fn rules_match_reference() {
    let r = Reference::read();
    let (x, counts) = (r.matrix("x"), r.matrix("counts"));
    let classes = Dataset::new(&x).with_target(r.classes()).unwrap();
    let real = Dataset::new(&x).with_target(r.real()).unwrap();
    let counted = Dataset::new(&counts).with_target(r.classes()).unwrap();
    let check = |name: &str, found: Vec<bool>| assert_eq!(found, r.support(name), "{name}");
    check("SelectKBest(k=3)", SelectKBest::default().k(KBest::Number(3)).fit(&classes).unwrap().support());
    let best = SelectKBest::default().k(KBest::Number(2)).score_func(ScoreFunction::RRegression);
    check("SelectKBest(k=2,score_func=r_regression)", best.fit(&real).unwrap().support());
    let share = SelectPercentile::default().percentile(40.0);
    check("SelectPercentile(percentile=40)", share.fit(&classes).unwrap().support());
    let share = SelectPercentile::default().percentile(30.0).score_func(ScoreFunction::Chi2);
    check("SelectPercentile(percentile=30,score_func=chi2)", share.fit(&counted).unwrap().support());
    check("SelectFpr(alpha=0.001)", SelectFpr::default().alpha(0.001).fit(&classes).unwrap().support());
    let fdr = SelectFdr::default().alpha(0.01).score_func(ScoreFunction::FRegression);
    check("SelectFdr(alpha=0.01,score_func=f_regression)", fdr.fit(&real).unwrap().support());
    let fwe = SelectFwe::default().alpha(0.01).score_func(ScoreFunction::FRegression);
    check("SelectFwe(alpha=0.01,score_func=f_regression)", fwe.fit(&real).unwrap().support());
    let variance = VarianceThreshold::default().threshold(1.2).fit(&Dataset::new(&x)).unwrap();
    check("VarianceThreshold(threshold=1.2)", variance.support());
}

/// Information of two normal variables is −½ ln(1 − ρ²). Over ten seeds of 2000 rows the mean of the estimates has a
/// standard error of about 0.006 (the spread of one is about 0.02): off by 0.03 once in a million runs.
#[test]
fn information_of_normal_variables_has_its_closed_form() {
    for rho in [0.0, 0.5, 0.9] {
        let mut sum = 0.0;
        for seed in 0..10 {
            let mut rng = rng_for(seed, 5);
            let pairs: Vec<(f64, f64)> = (0..2000)
                .map(|_| {
                    let (a, b) = (normal(&mut rng), normal(&mut rng));
                    (a, rho * a + (1.0 - rho * rho).sqrt() * b)
                })
                .collect();
            let x = Mat::from_fn(2000, 1, |i, _| pairs[i].0);
            let target = Target::real(pairs.iter().map(|p| p.1).collect::<Vec<_>>());
            let learner = SelectKBest::default().score_func(ScoreFunction::MutualInfoRegression);
            let model = learner.fit(&Dataset::new(&x).with_target(target).unwrap()).unwrap();
            sum += attribute(&model.attributes(), "scores_")[0] / 10.0;
        }
        let expect = -0.5 * f64::ln(1.0 - rho * rho);
        assert!((sum - expect).abs() < 0.03, "{rho}: {sum} {expect}");
    }
}

#[test]
fn sparse_rows_stay_sparse_and_come_back_with_zeros() {
    let r = Reference::read();
    let counts = r.matrix("counts");
    let csr = Csr::from_dense(counts.view());
    let learner = SelectKBest::default().score_func(ScoreFunction::Chi2).k(KBest::Number(3));
    let dense = learner.fit(&Dataset::new(&counts).with_target(r.classes()).unwrap()).unwrap();
    let sparse = learner.fit(&Dataset::new(&csr).with_target(r.classes()).unwrap()).unwrap();
    assert_eq!(dense.kept(), sparse.kept());
    let (a, b) = (dense.transform(&counts).unwrap(), sparse.transform(&csr).unwrap());
    assert!(b.is_sparse() && values(&a) == values(&b));
    let back = sparse.as_model().inverse_transform(&Input::from(b), &Session::default()).unwrap();
    assert!(back.is_sparse());
    let kept = sparse.support();
    let expect = Mat::from_fn(80, 7, |i, j| if kept[j] { counts[(i, j)] } else { 0.0 });
    assert_eq!(values(&back), expect.into_vec());
    assert_eq!(
        values(&dense.as_model().inverse_transform(&Input::from(a), &Session::default()).unwrap()),
        values(&back)
    );
}
