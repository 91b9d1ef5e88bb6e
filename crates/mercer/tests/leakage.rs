//! What is learnt from the target must be learnt within the folds.
//!
//! The target is pure chance, so that no honest estimate of accuracy lies far from one half. Choosing features by the
//! target on all rows, before the folds, finds some that fit by luck in the held-out rows, too; choosing within the
//! folds, in a pipeline, cannot.

use mercer::prelude::*;

use mercer::math::{normal, rng_for, uniform};
use mercer::measure::{Metric, stratified_k_fold};

const ROWS: usize = 100;

/// The mean accuracy over five stratified folds.
fn accuracy(learner: &dyn Learner, data: &Dataset<'_>) -> f64 {
    let target = data.target().unwrap();
    let splits = stratified_k_fold(target.class().unwrap().0, 5, Some(1)).unwrap();
    let metric = Metric::by_name("accuracy").unwrap();
    let (folds, _) =
        mercer::assess::cross_validate(learner, data, &splits, &[metric], &Session::new(1)).unwrap();
    folds.iter().map(|f| f.scores[0]).sum::<f64>() / folds.len() as f64
}

fn coin(seed: u64) -> Target<'static> {
    let mut rng = rng_for(seed, 2);
    Target::classes(&(0..ROWS).map(|_| uniform(&mut rng) < 0.5).collect::<Vec<_>>())
}

/// Five data sets of 100 rows. The mean accuracy of an honest procedure over all of them has a standard error of at
/// most sqrt(0.25 / 500) = 0.0224, if rows count as independent; folds that share rows widen that, to less than 0.03.
/// Beyond 0.5 ± 0.12 it comes by chance less than once in ten thousand runs; seeds are fixed all the same.
const HONEST: std::ops::RangeInclusive<f64> = 0.38..=0.62;
/// Far beyond that.
const LEAKY: f64 = 0.75;

#[test]
fn selection_outside_the_folds_finds_what_is_not_there() {
    let (mut outside, mut inside) = (0.0, 0.0);
    for seed in 0..5 {
        let mut rng = rng_for(seed, 1);
        let x = Mat::from_fn(ROWS, 2000, |_, _| normal(&mut rng));
        let data = Dataset::new(&x).with_target(coin(seed)).unwrap();
        let select = mercer::learner("select-k-best:k=20").unwrap();
        let (_, chosen) = select.train_transform(&data, &Session::new(1)).unwrap();
        let leaked = data.with_input(Input::from(chosen)).unwrap();
        let logistic = mercer::learner("logistic").unwrap();
        outside += accuracy(logistic.as_ref(), &leaked) / 5.0;
        let pipeline = mercer::learner("pipeline:steps=[select-k-best(k=20), logistic]").unwrap();
        inside += accuracy(pipeline.as_ref(), &data) / 5.0;
    }
    assert!(outside > LEAKY, "{outside}");
    assert!(HONEST.contains(&inside), "{inside}");
}

#[test]
fn target_encoding_outside_the_folds_finds_what_is_not_there() {
    let (mut outside, mut inside) = (0.0, 0.0);
    for seed in 0..5 {
        let mut rng = rng_for(seed, 3);
        let level: Vec<String> =
            (0..ROWS).map(|_| format!("v{}", (60.0 * uniform(&mut rng)) as usize)).collect();
        let level: Vec<Option<&str>> = level.iter().map(|l| Some(l.as_str())).collect();
        let table = Table::new(vec![("level".into(), Column::categories(&level))]).unwrap();
        let data = Dataset::new(&table).with_target(coin(seed)).unwrap();
        // `transform` of the rows learnt from, as a careless user would call it; `fit_transform` encodes out of fold.
        let model = mercer::learner("target-encoder").unwrap().train(&data, &Session::new(1)).unwrap();
        let leaked = model.transform(&data.input(), &Session::new(1)).unwrap();
        let leaked = data.with_input(Input::from(leaked)).unwrap();
        outside += accuracy(mercer::learner("logistic").unwrap().as_ref(), &leaked) / 5.0;
        let pipeline = mercer::learner("pipeline:steps=[target-encoder, logistic]").unwrap();
        inside += accuracy(pipeline.as_ref(), &data) / 5.0;
    }
    assert!(outside > LEAKY - 0.05, "{outside}");
    assert!(HONEST.contains(&inside), "{inside}");
}
