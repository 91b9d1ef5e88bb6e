//! What boosting promises beyond the reference: monotone and interaction constraints, weights, stopping, sampling,
//! ranking, losses of the caller's own, going on, and files that lie.

use mercer_core::{
    Cancel, Capabilities, Column, Dataset, Fit, Fitted, Input, Learn, Proba, Schema, Session, Table, Target,
    Termination,
};
use mercer_math::{Mat, normal, rng_for, uniform};
use mercer_trees::{
    BoostedTrees, Booster, BoosterObjective, Boosting, Categorical, EarlyStopping, Growth,
    HistGradientBoostingClassifier, HistGradientBoostingRegressor, HistRegressionLoss, Interactions,
    Monotonic, Objective,
};

/// Three columns; the target bends with the first two together and rises with the third.
fn numbers(n: usize, seed: u64) -> (Mat, Vec<f64>) {
    let mut rng = rng_for(seed, 0);
    let x = Mat::from_fn(n, 3, |_, _| normal(&mut rng));
    let y = (0..n).map(|i| x[(i, 0)] * x[(i, 1)] + x[(i, 2)] + 0.2 * normal(&mut rng)).collect();
    (x, y)
}

fn data(x: &Mat, y: &[f64]) -> Dataset<'static> {
    Dataset::new(x.clone()).with_target(Target::real(y.to_vec())).unwrap()
}

fn predictions<L: Learn<Model = BoostedTrees>>(learner: &L, data: &Dataset<'_>, x: &Mat) -> Vec<f64> {
    let model = learner.fit(data).unwrap();
    model.predict(x).unwrap().numbers().unwrap().to_vec()
}

fn error(a: &[f64], b: &[f64]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / a.len() as f64).sqrt()
}

#[test]
fn one_split_worked_by_hand() {
    // Residuals around the mean 2 are -2, -2, 4 twice over; the best cut parts the last two, leaves hold -2 and 4.
    let x = Mat::from_fn(6, 1, |i, _| i as f64);
    let y = [0.0, 0.0, 0.0, 0.0, 6.0, 6.0];
    let learner = Booster::default().num_iterations(1).num_leaves(2).min_data_in_leaf(1);
    let model = learner.fit(&data(&x, &y)).unwrap();
    let trees = &model.model().trees;
    assert_eq!(model.model().baseline(), &[2.0]);
    assert_eq!(trees.split(0, 0).unwrap().test, mercer_trees::Test::AtMost(3.5));
    assert!(
        (trees.value(0, 1).unwrap()[0] + 0.2).abs() < 1e-12
            && (trees.value(0, 2).unwrap()[0] - 0.4).abs() < 1e-12
    );
    // With L1 = 2 and L2 = 4: -(|-8| - 2) / (4 + 4) and (8 - 2) / (2 + 4).
    let model = learner.lambda_l1(2.0).lambda_l2(4.0).fit(&data(&x, &y)).unwrap();
    let trees = &model.model().trees;
    assert!(
        (trees.value(0, 1).unwrap()[0] + 0.075).abs() < 1e-12
            && (trees.value(0, 2).unwrap()[0] - 0.1).abs() < 1e-12
    );
}

#[test]
fn monotone_columns_never_turn_back() {
    let (x, y) = numbers(2000, 1);
    let probe = Mat::from_fn(400, 3, |i, j| if j == 2 { i as f64 / 50.0 - 4.0 } else { 0.3 });
    for (sign, grow) in [(1, Growth::Leaf), (-1, Growth::Leaf), (1, Growth::Depth)] {
        let monotone = Some(Monotonic::ByName(vec![("x2".into(), sign)]));
        let learner = Booster::default().monotone_constraints(monotone).grow(grow).num_iterations(40);
        let p = predictions(&learner, &data(&x, &y), &probe);
        assert!(p.windows(2).all(|w| sign as f64 * (w[1] - w[0]) >= -1e-12), "{sign}");
        assert!(sign < 0 || p[399] - p[0] > 3.0);
    }
    let wrong = Some(Monotonic::ByName(vec![("age".into(), 1)]));
    let error = Booster::default().monotone_constraints(wrong).fit(&data(&x, &y)).unwrap_err();
    assert!(error.to_string().contains("age"), "{error}");
}

#[test]
fn columns_that_may_not_meet_add_up() {
    let (x, y) = numbers(2000, 2);
    let learner = Booster::default().interaction_constraints(Some(Interactions::NoInteractions));
    let model = learner.fit(&data(&x, &y)).unwrap();
    let at = |a: f64, b: f64| {
        model.predict(Mat::from_rows(&[[a, b, 0.1]]).unwrap()).unwrap().numbers().unwrap()[0]
    };
    assert!((at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0)).abs() < 1e-9);
}

#[test]
fn a_weight_of_two_is_two_copies_and_rows_of_weight_zero_are_absent() {
    let (x, y) = numbers(300, 3);
    let weights: Vec<f64> = (0..300).map(|i| f64::from(i % 4)).collect();
    let copies: Vec<usize> = (0..300).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let whole = data(&x, &y);
    for objective in [BoosterObjective::Regression, BoosterObjective::RegressionL1, BoosterObjective::Huber] {
        let learner = Booster::default()
            .objective(objective)
            .min_data_in_leaf(1)
            .min_sum_hessian_in_leaf(20.0)
            .num_iterations(15);
        let weighted = predictions(&learner, &whole.clone().with_weights(weights.clone()).unwrap(), &x);
        let copied = predictions(&learner, &whole.subset(&copies).unwrap(), &x);
        assert!(error(&weighted, &copied) < 1e-6, "{objective:?}: {}", error(&weighted, &copied));
    }
}

#[test]
fn early_stopping_keeps_the_rounds_that_were_best() {
    let (x, y) = numbers(1500, 4);
    let (xv, yv) = numbers(500, 5);
    let learner = HistGradientBoostingRegressor::default().max_iter(400);
    let given = learner.fit(&data(&x, &y).with_valid(data(&xv, &yv))).unwrap();
    let curve = &given.model().attributes().into_iter().find(|a| a.name == "validation_score_").unwrap();
    let mercer_core::AttributeValues::Real(curve) = &curve.values else { panic!() };
    let rounds = given.model().n_rounds();
    assert!(rounds < 400 && curve.len() > rounds && curve.iter().all(|&l| l >= curve[rounds]));
    assert_eq!(given.certificate().termination, Termination::Converged);
    // The curve is the loss of the model cut off there.
    let raw = given.model().raw_after(&Input::from(&xv), rounds, &Session::default()).unwrap();
    assert!((0.5 * error(&raw, &yv).powi(2) - curve[rounds]).abs() < 1e-9);
    let aside = learner.early_stopping(EarlyStopping::Always(true));
    let model = aside.fit(&data(&x, &y)).unwrap();
    assert!(model.model().n_rounds() < 400);
    let verified = model.verify(&data(&x, &y)).unwrap();
    assert!(verified.len() == 1 && verified[0].holds);
}

#[test]
fn every_way_of_boosting_learns() {
    let (x, y) = numbers(3000, 6);
    let (xt, yt) = numbers(1000, 7);
    let base = Booster::default().num_iterations(80);
    let plain = error(&predictions(&base, &data(&x, &y), &xt), &yt);
    assert!(plain < 0.4, "{plain}");
    for learner in [
        base.clone().boosting(Boosting::Dart).learning_rate(0.3),
        base.clone().boosting(Boosting::Goss),
        base.clone().bagging_fraction(0.6).bagging_freq(2),
        base.clone().feature_fraction(0.7),
        base.clone().feature_fraction_bynode(0.6),
        base.clone().grow(Growth::Depth).max_depth(Some(5)),
        base.clone().objective(BoosterObjective::RegressionL1),
        base.clone().objective(BoosterObjective::Huber),
    ] {
        let found = error(&predictions(&learner, &data(&x, &y), &xt), &yt);
        assert!(found < 0.55, "{learner:?}: {found}");
        assert!(learner.fit(&data(&x, &y)).unwrap().verify(&data(&x, &y)).unwrap().iter().all(|v| v.holds));
    }
}

#[test]
fn counts_and_amounts_are_predicted_by_their_means() {
    let mut rng = rng_for(8, 0);
    let x = Mat::from_fn(4000, 1, |i, _| f64::from(u8::from(i % 2 == 1)));
    let y: Vec<f64> =
        (0..4000).map(|i| if i % 2 == 1 { 5.0 } else { 1.0 } * (0.5 + uniform(&mut rng))).collect();
    let mean = |odd: usize| y.iter().skip(odd).step_by(2).sum::<f64>() / 2000.0;
    for objective in [BoosterObjective::Poisson, BoosterObjective::Gamma, BoosterObjective::Tweedie] {
        let p = predictions(&Booster::default().objective(objective), &data(&x, &y), &x);
        assert!((p[0] - mean(0)).abs() < 1e-3 && (p[1] - mean(1)).abs() < 1e-3, "{objective:?}");
    }
    let quantile = |q: f64| {
        let r = HistGradientBoostingRegressor::default().loss(HistRegressionLoss::Quantile).quantile(Some(q));
        let p = predictions(&r, &data(&x, &y), &x);
        y.iter().zip(p).filter(|(y, p)| **y <= *p).count() as f64 / 4000.0
    };
    assert!((quantile(0.9) - 0.9).abs() < 0.01 && (quantile(0.1) - 0.1).abs() < 0.01);
    let negative = Booster::default().objective(BoosterObjective::Poisson);
    let said = negative.fit(&data(&x, &vec![-1.0; 4000])).unwrap_err().to_string();
    assert!(said.contains("-1") && said.contains("row 0"), "{said}");
}

#[test]
fn classes_of_every_number_have_probabilities() {
    let (x, y) = numbers(1200, 9);
    for k in [1i64, 2, 3] {
        let classes: Vec<i64> =
            y.iter().map(|y| (((y + 1.5) * k as f64 / 3.0).floor() as i64).clamp(0, k - 1)).collect();
        let data = Dataset::new(x.clone()).with_target(Target::classes(&classes)).unwrap();
        let model = HistGradientBoostingClassifier::default().fit(&data).unwrap();
        let found = model.predict(&x).unwrap();
        let right =
            found.class().unwrap().0.iter().zip(&classes).filter(|(a, b)| i64::from(**a) == **b).count();
        assert!(right > 1100, "{k}: {right}");
        let p = model.model().probabilities(&Input::from(&x), &Session::default()).unwrap();
        assert_eq!((p.n_rows(), p.n_cols()), (1200, k as usize));
    }
    let balanced =
        HistGradientBoostingClassifier::default().class_weight(Some(mercer_trees::ClassWeight::Balanced));
    let rare: Vec<bool> = y.iter().map(|&y| y > 2.0).collect();
    let data = Dataset::new(x.clone()).with_target(Target::classes(&rare)).unwrap();
    let count = |l: &HistGradientBoostingClassifier| {
        let l = l.clone().max_iter(5);
        l.fit(&data).unwrap().predict(&x).unwrap().class().unwrap().0.iter().filter(|&&c| c == 1).count()
    };
    assert!(count(&balanced) > count(&HistGradientBoostingClassifier::default()));
}

#[test]
fn levels_missing_values_and_unseen_levels_find_a_leaf() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let texts: Vec<Option<&str>> = (0..900).map(|i| (i % 7 < 6).then(|| names[i % 7])).collect();
    let y: Vec<f64> = (0..900).map(|i| [1.0, 5.0, 1.0, 5.0, 1.0, 5.0, 9.0][i % 7]).collect();
    let table = |texts: &[Option<&str>]| Table::new(vec![("c".into(), Column::categories(texts))]).unwrap();
    let data = Dataset::new(table(&texts)).with_target(Target::real(y.clone())).unwrap();
    for one_hot in [0, 4, 20] {
        let learner = Booster::default().max_cat_to_onehot(one_hot).cat_l2(0.0);
        let model = learner.fit(&data).unwrap();
        let found = model.predict(table(&texts)).unwrap();
        assert!(error(found.numbers().unwrap(), &y) < 1e-2, "{one_hot}");
        assert!(model.predict(table(&[Some("zebra"), None, Some("a")])).is_ok());
    }
}

#[test]
fn many_levels_are_better_told_by_their_targets() {
    let mut rng = rng_for(14, 0);
    let effects: Vec<f64> = (0..400).map(|_| normal(&mut rng)).collect();
    let codes: Vec<u32> = (0..6000).map(|_| (uniform(&mut rng) * 400.0) as u32).collect();
    let y: Vec<f64> = codes.iter().map(|&c| effects[c as usize] + normal(&mut rng)).collect();
    let levels: std::sync::Arc<[String]> = (0..400).map(|l| l.to_string()).collect::<Vec<_>>().into();
    let table = |rows: std::ops::Range<usize>| {
        let column = Column::Categorical { codes: codes[rows].to_vec().into(), levels: levels.clone() };
        Table::new(vec![("c".into(), column)]).unwrap()
    };
    let train = Dataset::new(table(0..4000)).with_target(Target::real(y[..4000].to_vec())).unwrap();
    let found = |categorical| {
        let model = Booster::default().categorical(categorical).fit(&train).unwrap();
        let p = model.predict(table(4000..6000)).unwrap();
        error(p.numbers().unwrap(), &y[4000..])
    };
    let (target, both) = (found(Categorical::Target), found(Categorical::Auto));
    let partition = found(Categorical::Partition);
    // About ten rows a level leave 1/11 of the effects' variance beside the noise of 1.
    assert!(target < 1.1 && target < partition, "{target} {partition}");
    assert!(both < 1.15 && both < partition, "{both} {partition}");
}

/// Levels whose effect is another one for each sign of a number: means of the target say nothing, sets do.
#[test]
fn levels_that_act_with_a_number_are_told_by_sets() {
    let mut rng = rng_for(15, 0);
    let n = 12_000;
    let effects: Vec<f64> = (0..60).map(|_| normal(&mut rng)).collect();
    let codes: Vec<u32> = (0..n).map(|_| (uniform(&mut rng) * 60.0) as u32).collect();
    let x: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
    let y: Vec<f64> =
        (0..n).map(|i| x[i].signum() * effects[codes[i] as usize] + 0.5 * normal(&mut rng)).collect();
    let levels: std::sync::Arc<[String]> = (0..60).map(|l| l.to_string()).collect::<Vec<_>>().into();
    let table = |rows: std::ops::Range<usize>| {
        let codes = codes[rows.clone()].to_vec().into();
        let column = Column::Categorical { codes, levels: levels.clone() };
        Table::new(vec![("c".into(), column), ("x".into(), Column::numbers(x[rows].to_vec()))]).unwrap()
    };
    let train = Dataset::new(table(0..8000)).with_target(Target::real(y[..8000].to_vec())).unwrap();
    let found = |categorical| {
        let model = Booster::default().categorical(categorical).fit(&train).unwrap();
        let p = model.predict(table(8000..n)).unwrap();
        error(p.numbers().unwrap(), &y[8000..])
    };
    // The noise alone is 0.5.
    let (both, target) = (found(Categorical::Auto), found(Categorical::Target));
    assert!(both < 0.52 && both < 0.6 * target, "{both} {target}");
}

#[test]
fn queries_are_ranked() {
    let mut rng = rng_for(10, 0);
    let x = Mat::from_fn(1000, 2, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..1000).map(|i| (2.0 + x[(i, 0)]).clamp(0.0, 4.0).floor()).collect();
    let groups: Vec<u32> = (0..1000).map(|i| i / 20).collect();
    let ranker = Booster::default().objective(BoosterObjective::Lambdarank).num_iterations(30);
    assert!(ranker.fit(&data(&x, &y)).unwrap_err().to_string().contains("groups"));
    let p = predictions(&ranker, &data(&x, &y).with_groups(groups).unwrap(), &x);
    let (mut right, mut all) = (0, 0);
    for i in 0..1000 {
        for j in (i / 20 * 20..(i / 20 + 1) * 20).filter(|&j| y[i] > y[j]) {
            (right, all) = (right + usize::from(p[i] > p[j]), all + 1);
        }
    }
    assert!(right as f64 > 0.97 * all as f64, "{right} of {all}");
}

/// Half the squared error, written by a caller.
struct Own;

impl Objective for Own {
    fn gradient(&self, y: f64, score: f64) -> (f64, f64) {
        (score - y, 1.0)
    }
    fn loss(&self, y: f64, score: f64) -> f64 {
        0.5 * (score - y) * (score - y)
    }
    fn start(&self, y: &[f64], _: Option<&[f64]>) -> f64 {
        y.iter().sum::<f64>() / y.len() as f64
    }
}

#[test]
fn losses_of_the_callers_and_going_on_give_the_same_trees() {
    let (x, y) = numbers(800, 11);
    let (data, session) = (data(&x, &y), Session::default());
    let learner = Booster::default().num_iterations(20);
    let whole = learner.fit(&data).unwrap();
    let raw = |m: &BoostedTrees| m.raw_after(&Input::from(&x), usize::MAX, &session).unwrap();
    let own = learner.fit_with(&data, &session, &Own).unwrap();
    assert!(error(&raw(&own), &raw(whole.model())) < 0.05);
    let half = learner.num_iterations(10).fit(&data).unwrap();
    let on = Booster::default().num_iterations(10);
    let gone_on = on.fit_from(half.model(), &data, &session).unwrap();
    assert_eq!(gone_on.n_rounds(), 20);
    assert!(error(&raw(&gone_on), &raw(whole.model())) < 0.05);
    assert!(error(&raw(&gone_on), &y) < error(&raw(half.model()), &y));
    let other = on.objective(BoosterObjective::Huber);
    assert!(other.fit_from(half.model(), &data, &session).is_err());
}

#[test]
fn threads_change_nothing_and_a_cancelled_model_is_whole() {
    let (x, y) = numbers(40_000, 12);
    let data = data(&x, &y);
    let learner = Booster::default().num_iterations(5).bagging_fraction(0.7).bagging_freq(1);
    let with = |learner: &Booster, threads| {
        learner.fit_in(&data, &Session::new(3).with_threads(threads)).unwrap().model().clone()
    };
    // As many leaves are divided at once as there are threads.
    let drawn = learner.clone().feature_fraction_bynode(0.5).num_leaves(13);
    let pairs = learner.clone().interaction_constraints(Some(Interactions::Pairwise));
    let levels = learner.clone().grow(Growth::Depth).num_leaves(20);
    for learner in [&learner, &drawn, &pairs, &levels] {
        let one = with(learner, 1);
        assert!(one == with(learner, 2) && one == with(learner, 7));
    }
    let cancel = Cancel::default();
    cancel.cancel();
    let model = learner.fit_in(&data, &Session::new(1).with_cancel(cancel)).unwrap();
    assert_eq!(model.certificate().termination, Termination::Cancelled);
    assert_eq!(model.predict(&x).unwrap().n_rows(), 40_000);
}

#[test]
fn capabilities_follow_the_objective() {
    let can = |objective| Booster::default().objective(objective).capabilities();
    let classes: Capabilities = can(BoosterObjective::Binary);
    assert!(classes.proba && classes.decision && classes.binary);
    assert!(!can(BoosterObjective::Regression).proba);
    for bad in [
        Booster::default().objective(BoosterObjective::Quantile).alpha(2.0),
        Booster::default().boosting(Boosting::Goss).top_rate(0.7).other_rate(0.7),
        Booster::default().boosting(Boosting::Dart).early_stopping_round(3),
        Booster::default().learning_rate(f64::NAN),
    ] {
        assert!(Learn::check(&bad).is_err(), "{bad:?}");
    }
}

#[test]
fn models_that_lie_are_refused() {
    let (x, y) = numbers(200, 13);
    let data = data(&x, &y);
    let model = Booster::default().num_iterations(3).fit(&data).unwrap().model().clone();
    let schema = Schema::of(&data);
    assert!(model.validate(&schema).is_ok());
    let json = serde_json::to_value(&model).unwrap();
    for (key, value) in [
        ("start", serde_json::json!([0.0, 1.0])),
        ("gains", serde_json::json!([])),
        ("loss", serde_json::json!({ "Softmax": 3 })),
        ("loss", serde_json::json!({ "Softmax": 0 })),
        ("loss", serde_json::json!("Logistic")),
    ] {
        let mut lie = json.clone();
        lie[key] = value;
        let lie: BoostedTrees = serde_json::from_value(lie).unwrap();
        assert!(lie.validate(&schema).is_err(), "{key}");
    }
}
