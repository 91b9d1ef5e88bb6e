//! Search, nested cross validation, curves and the decomposition of error, on real learners.

use mercer::assess::{
    BiasVariance, Resource, Setting, Space, Strategy, Trial, Truth, Tuning, bias_variance, learning_curve,
    nested, triple, tune, validation_curve,
};
use mercer::linear::Ridge;
use mercer::math::{Mat, Rng, normal, uniform};
use mercer::measure::{Metric, Split, k_fold};
use mercer::{Cancel, Dataset, Error, Fit, Learner, Session, Target, Termination, Value};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// y = 3 x₀ − 2 x₁ + noise, with ten features.
fn data(n: usize) -> (Mat, Target<'static>) {
    let mut rng = mercer::math::rng_for(11, 3);
    let x = Mat::from_fn(n, 10, |_, _| normal(&mut rng));
    let y = (0..n).map(|i| 3.0 * x[(i, 0)] - 2.0 * x[(i, 1)] + normal(&mut rng)).collect::<Vec<_>>();
    (x, Target::real(y))
}

fn silent(_: &Trial) -> mercer::Result<()> {
    Ok(())
}

fn ridge_search(strategy: Strategy, n: usize) -> Tuning {
    let space = Space::parse("alpha=log(1e-3,1e3)").unwrap();
    Tuning::new(space, strategy, Metric::by_name("rmse").unwrap(), k_fold(n, 5, Some(1)).unwrap())
}

#[test]
fn the_grid_is_what_a_loop_finds() {
    let (x, y) = data(120);
    let data = Dataset::new(&x).with_target(y).unwrap();
    let tuning = ridge_search(Strategy::Grid { points: 7 }, 120);
    let tuned = tune(&Ridge::default(), &data, &tuning, &silent, &Session::new(1)).unwrap();
    let by_hand = |alpha: f64| {
        let fold = |s: &Split| {
            let model = Ridge::default().alpha(alpha).fit(&data.subset(&s.train).unwrap()).unwrap();
            let test = data.subset(&s.test).unwrap();
            let p = model.predict(test.input()).unwrap();
            let truth = test.target().unwrap().into_owned();
            mercer::measure::root_mean_squared_error(truth.numbers().unwrap(), p.numbers().unwrap(), None)
                .unwrap()
        };
        tuning.splits.iter().map(fold).sum::<f64>() / 5.0
    };
    assert_eq!(tuned.trials.len(), 7);
    for trial in &tuned.trials {
        let Value::Real(alpha) = trial.setting[0].1 else { panic!("a number") };
        assert!((trial.mean(0) - by_hand(alpha)).abs() < 1e-12);
    }
    let least = tuned.trials.iter().map(|t| t.mean(0)).fold(f64::INFINITY, f64::min);
    assert_eq!(tuned.best_trial().mean(0), least);
    assert_eq!(tuned.learner.get("alpha").unwrap(), tuned.best_trial().setting[0].1);
    assert_eq!(tuned.table().unwrap().n_rows(), 7);
}

#[test]
fn every_strategy_gives_the_same_on_one_thread_and_on_two() {
    let (x, y) = data(90);
    let data = Dataset::new(&x).with_target(y).unwrap();
    for strategy in [
        Strategy::Random { trials: 9 },
        Strategy::Tpe { trials: 22 },
        Strategy::Halving { trials: 9, factor: 3.0 },
        Strategy::Hyperband { factor: 3.0, brackets: 3 },
    ] {
        let run = |threads: usize| {
            let session = Session::new(5).with_threads(threads);
            let tuned =
                tune(&Ridge::default(), &data, &ridge_search(strategy.clone(), 90), &silent, &session)
                    .unwrap();
            tuned.trials.iter().map(|t| (t.setting.clone(), t.share, t.scores.clone())).collect::<Vec<_>>()
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(one, two, "{strategy:?}");
        if let Strategy::Random { trials } | Strategy::Tpe { trials } = strategy {
            assert_eq!(one.len(), trials);
        }
    }
}

#[test]
fn halving_drops_two_thirds_and_ends_on_all_rows() {
    let (x, y) = data(300);
    let data = Dataset::new(&x).with_target(y).unwrap();
    let tuning = ridge_search(Strategy::Halving { trials: 27, factor: 3.0 }, 300);
    let tuned = tune(&Ridge::default(), &data, &tuning, &silent, &Session::new(2)).unwrap();
    let shares: Vec<f64> = tuned.trials.iter().map(|t| t.share).collect();
    let count = |s: f64| shares.iter().filter(|x| (*x - s).abs() < 1e-9).count();
    assert_eq!((count(1.0 / 27.0), count(1.0 / 9.0), count(1.0 / 3.0), count(1.0)), (27, 9, 3, 1));
    assert_eq!(tuned.best_trial().share, 1.0);
    // Hyperband with R = 9 and eta = 3 (Li et al. 2018, table 1, scaled): 9, 5 and 3 settings at first.
    let tuning = ridge_search(Strategy::Hyperband { factor: 3.0, brackets: 3 }, 300);
    let tuned = tune(&Ridge::default(), &data, &tuning, &silent, &Session::new(2)).unwrap();
    let shares: Vec<f64> = tuned.trials.iter().map(|t| t.share).collect();
    let count = |s: f64| shares.iter().filter(|x| (*x - s).abs() < 1e-9).count();
    assert_eq!((count(1.0 / 9.0), count(1.0 / 3.0), count(1.0)), (9, 3 + 5, 1 + 1 + 3));
}

#[test]
fn a_parameter_can_be_the_resource() {
    let (x, _) = data(60);
    let y = Target::classes(&(0..60).map(|i| if x[(i, 0)] > 0.0 { "a" } else { "b" }).collect::<Vec<_>>());
    let data = Dataset::new(&x).with_target(y).unwrap();
    let learner = mercer::learner("logistic").unwrap();
    let space = Space::parse("C=log(1e-3,1e3)").unwrap();
    let splits = k_fold(60, 3, Some(1)).unwrap();
    let metric = Metric::by_name("log_loss").unwrap();
    let tuning = Tuning {
        resource: Resource::Param("max_iter".into(), 90),
        ..Tuning::new(space, Strategy::Halving { trials: 9, factor: 3.0 }, metric, splits)
    };
    let tuned = tune(learner.as_ref(), &data, &tuning, &silent, &Session::new(2)).unwrap();
    assert_eq!(tuned.trials.iter().filter(|t| t.share == 1.0).count(), 1);
}

#[test]
fn a_search_that_was_stopped_goes_on_as_if_it_had_not() {
    let (x, y) = data(90);
    let data = Dataset::new(&x).with_target(y).unwrap();
    let tuning = ridge_search(Strategy::Tpe { trials: 24 }, 90);
    let whole = tune(&Ridge::default(), &data, &tuning, &silent, &Session::new(3)).unwrap();
    let journal = Mutex::new(Vec::new());
    let cancel = Cancel::default();
    let seen = AtomicUsize::new(0);
    let record = |t: &Trial| {
        // What a journal writes and reads must come back the same.
        journal.lock().unwrap().push(Trial::from_json(&t.to_json()).unwrap());
        if seen.fetch_add(1, Ordering::Relaxed) == 13 {
            cancel.cancel();
        }
        Ok(())
    };
    let session = Session::new(3).with_cancel(cancel.clone());
    let part = tune(&Ridge::default(), &data, &tuning, &record, &session).unwrap();
    assert_eq!(part.stopped, Some(Termination::Cancelled));
    assert!(part.model.is_some() && part.trials.len() < 24, "{}", part.trials.len());
    assert!(part.model.unwrap().certificate().termination.is_success());
    let known = journal.into_inner().unwrap();
    let fits = AtomicUsize::new(0);
    let count = |_: &Trial| {
        fits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let n_known = known.len();
    let resumed =
        tune(&Ridge::default(), &data, &Tuning { known, ..tuning }, &count, &Session::new(3)).unwrap();
    let key = |t: &Trial| (t.setting.clone(), t.scores.clone());
    assert_eq!(
        resumed.trials.iter().map(key).collect::<Vec<_>>(),
        whole.trials.iter().map(key).collect::<Vec<_>>()
    );
    assert_eq!(fits.into_inner() + n_known, 24);
}

#[test]
fn patience_runs_out_and_failures_are_told() {
    let (x, y) = data(60);
    let data = Dataset::new(&x).with_target(y).unwrap();
    let worse: Vec<Setting> = (0..40).map(|i| vec![("alpha".into(), Value::Real(10f64.powi(i)))]).collect();
    let tuning = Tuning { patience: Some(10), ..ridge_search(Strategy::List(worse), 60) };
    let tuned = tune(&Ridge::default(), &data, &tuning, &silent, &Session::new(1)).unwrap();
    assert!(tuned.out_of_patience && tuned.trials.len() == 16, "{}", tuned.trials.len());
    let bad: Vec<Setting> =
        vec![vec![("alpha".into(), Value::Real(-1.0))], vec![("alpha".into(), 1.0.into())]];
    let tuned = tune(
        &Ridge::default(),
        &data,
        &ridge_search(Strategy::List(bad.clone()), 60),
        &silent,
        &Session::new(1),
    );
    let tuned = tuned.unwrap();
    assert!(tuned.trials[0].error.as_ref().unwrap().contains("alpha") && tuned.best == 1);
    let error = tune(
        &Ridge::default(),
        &data,
        &ridge_search(Strategy::List(bad[..1].to_vec()), 60),
        &silent,
        &Session::new(1),
    );
    assert!(error.unwrap_err().to_string().contains("alpha"));
    let full = |_: &Trial| Err(Error::numeric("journal", "the disk is full"));
    let error = tune(
        &Ridge::default(),
        &data,
        &ridge_search(Strategy::Grid { points: 2 }, 60),
        &full,
        &Session::new(1),
    );
    assert!(error.unwrap_err().to_string().contains("disk is full"));
}

#[test]
fn spaces_come_from_declarations_and_prepared_rows_are_found_again() {
    let (x, _) = data(80);
    let y = Target::classes(&(0..80).map(|i| if x[(i, 0)] > 0.0 { "a" } else { "b" }).collect::<Vec<_>>());
    let data = Dataset::new(&x).with_target(y).unwrap();
    let pipeline = mercer::learner("pipeline:steps=[imputer, standard-scaler, logistic]").unwrap();
    let space = Space::of(pipeline.as_ref()).unwrap();
    let paths: Vec<&str> = space.dimensions.iter().map(|d| d.path.as_str()).collect();
    assert!(paths.contains(&"imputer__strategy") && paths.contains(&"logistic__C"), "{paths:?}");
    let metric = Metric::by_name("log_loss").unwrap();
    let space = Space::parse("logistic__C=log(1e-2,1e2)").unwrap();
    let tuning = Tuning::new(space, Strategy::Grid { points: 6 }, metric, k_fold(80, 4, Some(1)).unwrap());
    let session = Session::new(1).with_threads(1);
    let cached = tune(pipeline.as_ref(), &data, &tuning, &silent, &session).unwrap();
    // Two steps and four folds for six settings: all but the first of each is found.
    assert_eq!(cached.cache_hits, 2 * 4 * 5);
    for trial in &cached.trials {
        let learner = mercer::assess::apply(pipeline.as_ref(), &trial.setting).unwrap();
        let (folds, _) =
            mercer::assess::cross_validate(learner.as_ref(), &data, &tuning.splits, &[metric], &session)
                .unwrap();
        let scores: Vec<Vec<f64>> = folds.into_iter().map(|f| f.scores).collect();
        assert_eq!(scores, trial.scores, "what is found again is what would have been made");
    }
}

/// 004's nested cross validation written out as it is printed, one loop a line.
#[test]
fn nested_cross_validation_is_that_of_the_notes() {
    let (x, y) = data(60);
    let data = Dataset::new(&x).with_target(y).unwrap();
    let space = Space::parse("alpha=log(0.01,1000)").unwrap();
    let settings = space.grid(6);
    let folds = k_fold(60, 4, Some(9)).unwrap();
    let rmse = Metric::by_name("mse").unwrap();
    let outcome =
        nested(&Ridge::default(), &data, &space, &settings, &folds, &[rmse], &Session::new(1)).unwrap();
    let risk = |alpha: f64, train: &[usize], test: &[usize]| {
        let model = Ridge::default().alpha(alpha).fit(&data.subset(train).unwrap()).unwrap();
        let test = data.subset(test).unwrap();
        let (p, t) = (model.predict(test.input()).unwrap(), test.target().unwrap().into_owned());
        mercer::measure::mean_squared_error(t.numbers().unwrap(), p.numbers().unwrap(), None).unwrap()
    };
    let alphas: Vec<f64> =
        settings.iter().map(|s| if let Value::Real(a) = s[0].1 { a } else { f64::NAN }).collect();
    let (mut estimate, mut logs) = (0.0, 0.0);
    for i in 0..4 {
        let mean = |alpha: f64| {
            let others = (0..4).filter(|&j| j != i);
            let inner = others.map(|j| {
                let rows: Vec<usize> =
                    (0..60).filter(|r| !folds[i].test.contains(r) && !folds[j].test.contains(r)).collect();
                risk(alpha, &rows, &folds[j].test)
            });
            inner.sum::<f64>() / 3.0
        };
        let best = alphas.iter().copied().min_by(|a, b| mean(*a).total_cmp(&mean(*b))).unwrap();
        assert_eq!(outcome.rounds[i].setting[0].1, Value::Real(best));
        estimate += risk(best, &folds[i].train, &folds[i].test) / 4.0;
        logs += best.ln() / 4.0;
    }
    assert!((outcome.estimate[0] - estimate).abs() < 1e-12);
    let Value::Real(alpha) = outcome.setting[0].1 else { panic!("a number") };
    assert!((alpha.ln() - logs).abs() < 1e-12);
    assert_eq!(outcome.learner.get("alpha").unwrap(), Value::Real(alpha));
}

#[test]
fn triple_cross_validation_is_that_of_the_notes() {
    let (x, y) = data(90);
    let data = Dataset::new(&x).with_target(y).unwrap();
    let settings = Space::parse("alpha=log(0.01,1000)").unwrap().grid(6);
    let rows: Vec<usize> = (0..90).collect();
    let (l, rest) = rows.split_at(45);
    let (t_prime, t) = rest.split_at(20);
    let mse = Metric::by_name("mse").unwrap();
    let outcome =
        triple(&Ridge::default(), &data, &settings, (l, t_prime, t), &[mse], &Session::new(1)).unwrap();
    let fit = |alpha: &Value, rows: &[usize]| {
        let Value::Real(alpha) = alpha else { panic!("a number") };
        Ridge::default().alpha(*alpha).fit(&data.subset(rows).unwrap()).unwrap()
    };
    let risk = |alpha: &Value, train: &[usize], test: &[usize]| {
        let test = data.subset(test).unwrap();
        let (p, truth) =
            (fit(alpha, train).predict(test.input()).unwrap(), test.target().unwrap().into_owned());
        mercer::measure::mean_squared_error(truth.numbers().unwrap(), p.numbers().unwrap(), None).unwrap()
    };
    let best = settings
        .iter()
        .map(|s| &s[0].1)
        .min_by(|a, b| risk(a, l, t_prime).total_cmp(&risk(b, l, t_prime)))
        .unwrap();
    assert_eq!(&outcome.setting[0].1, best);
    assert_eq!(outcome.estimate[0], risk(best, &rows[..65], t));
    let all = fit(best, &rows);
    let found = outcome.model.predict(&(&x).into(), &Session::default()).unwrap();
    assert_eq!(found.numbers().unwrap(), all.predict(&x).unwrap().numbers().unwrap());
}

#[test]
fn curves_rise_with_rows_and_bend_with_a_parameter() {
    let (x, y) = data(200);
    let data = Dataset::new(&x).with_target(y).unwrap();
    let (splits, r2) = (k_fold(200, 5, Some(1)).unwrap(), Metric::by_name("r2").unwrap());
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let curve =
        learning_curve(&Ridge::default(), &data, &splits, r2, &[0.1, 0.5, 1.0], &Session::new(1)).unwrap();
    assert_eq!(curve.iter().map(|p| p.at.clone()).collect::<Vec<_>>(), [16i64, 80, 160].map(Value::Int));
    assert!(mean(&curve[0].test) < mean(&curve[2].test) && mean(&curve[0].train) > mean(&curve[0].test));
    let values = [1e-3, 1.0, 1e5].map(Value::Real);
    let curve = validation_curve(&Ridge::default(), &data, &splits, r2, ("alpha", &values), &Session::new(1))
        .unwrap();
    assert!(mean(&curve[2].test) < mean(&curve[0].test));
    assert!(learning_curve(&Ridge::default(), &data, &splits, r2, &[0.0], &Session::new(1)).is_err());
}

/// A line through fixed inputs: ridge's bias and variance have closed forms there.
struct FixedLine {
    x: Mat,
    w: Vec<f64>,
    sigma: f64,
}

impl Truth for FixedLine {
    fn inputs(&self, _: usize, _: &mut Rng) -> Mat {
        self.x.clone()
    }
    fn mean(&self, x: &[f64]) -> f64 {
        mercer::math::dot(x, &self.w)
    }
    fn draw(&self, x: &[f64], rng: &mut Rng) -> f64 {
        self.mean(x) + self.sigma * normal(rng)
    }
}

/// 001 eq. 2.15: E[ŵ] − w = −λ(XᵀX+λI)⁻¹w; Var ŵ = σ²(XᵀX+λI)⁻¹XᵀX(XᵀX+λI)⁻¹ (the right form: canon L2).
#[test]
fn ridge_has_the_bias_and_variance_of_its_closed_form() {
    let mut rng = mercer::math::rng_for(4, 4);
    let (n, d, lambda, sigma) = (30, 3, 8.0, 0.7);
    let x = Mat::from_fn(n, d, |_, _| normal(&mut rng));
    let w = vec![1.5, -2.0, 0.5];
    let gram = Mat::from_fn(d, d, |a, b| (0..n).map(|i| x[(i, a)] * x[(i, b)]).sum());
    let regular = Mat::from_fn(d, d, |a, b| gram[(a, b)] + if a == b { lambda } else { 0.0 });
    let inverse = mercer::math::pinv(regular.view(), None).unwrap();
    let product = |a: &Mat, b: &Mat| Mat::from_fn(d, d, |i, j| (0..d).map(|k| a[(i, k)] * b[(k, j)]).sum());
    let covariance = product(&product(&inverse, &gram), &inverse);
    let shift: Vec<f64> = (0..d).map(|a| -lambda * mercer::math::dot(inverse.row(a), &w)).collect();
    let average = |f: &dyn Fn(&[f64]) -> f64| (0..n).map(|i| f(x.row(i))).sum::<f64>() / n as f64;
    let bias = average(&|row| mercer::math::dot(row, &shift).powi(2));
    let quadratic =
        |row: &[f64]| (0..d).map(|a| row[a] * mercer::math::dot(covariance.row(a), row)).sum::<f64>();
    let variance = sigma * sigma * average(&quadratic);
    let truth = FixedLine { x, w, sigma };
    let ridge = Ridge::default().alpha(lambda).fit_intercept(false);
    let sets = 4000;
    let found = bias_variance(&ridge, &truth, (n, n, sets), &Session::new(7)).unwrap();
    // The relative error of a mean of `sets` squares is about sqrt(2/sets): six of those are one chance in 10⁸.
    let close = |a: f64, b: f64| (a - b).abs() <= 6.0 * (2.0 / f64::from(sets as u32)).sqrt() * b.abs();
    assert!(close(found.bias, bias), "bias {} {bias}", found.bias);
    assert!(close(found.variance, variance), "variance {} {variance}", found.variance);
    assert!(close(found.noise, sigma * sigma), "noise {}", found.noise);
}

/// A wave with noise: the parts add up to the total for a learner without a closed form.
struct Wave;

impl Truth for Wave {
    fn inputs(&self, n: usize, rng: &mut Rng) -> Mat {
        Mat::from_fn(n, 1, |_, _| 6.0 * uniform(rng))
    }
    fn mean(&self, x: &[f64]) -> f64 {
        x[0].sin()
    }
    fn draw(&self, x: &[f64], rng: &mut Rng) -> f64 {
        x[0].sin() + 0.3 * normal(rng)
    }
}

#[test]
fn the_parts_add_up_and_trade_off_with_depth() {
    let parts = |spec: &str| -> BiasVariance {
        let learner: Box<dyn Learner> = mercer::learner(spec).unwrap();
        let found = bias_variance(learner.as_ref(), &Wave, (60, 80, 300), &Session::new(2)).unwrap();
        // Five standard errors: one chance in two million.
        assert!((found.total - found.sum()).abs() <= 5.0 * found.error, "{spec} {found:?}");
        found
    };
    let (stump, deep) = (parts("tree-regressor:max_depth=1"), parts("tree-regressor"));
    assert!(stump.bias > 5.0 * deep.bias.abs() && deep.variance > 2.0 * stump.variance);
    assert!((deep.noise - 0.09).abs() < 0.01);
}
