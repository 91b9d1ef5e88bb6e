//! Boosting of several number targets at once.

use mercer_core::{Dataset, Fit, Model, Session, Target, Trained};
use mercer_math::{Mat, normal, rng_for};
use mercer_trees::{Booster, BoosterObjective};

/// One tree for each target and round, as if each target were alone.
#[test]
fn several_targets_are_boosted_side_by_side() {
    let mut rng = rng_for(21, 1);
    let x = Mat::from_fn(800, 4, |_, _| normal(&mut rng));
    let first: Vec<f64> = (0..800).map(|i| x[(i, 0)] * x[(i, 1)] + 0.1 * normal(&mut rng)).collect();
    let second: Vec<f64> = (0..800).map(|i| f64::from(u8::from(x[(i, 2)] > 0.0))).collect();
    let valid: Vec<usize> = (0..800).step_by(4).collect();
    let data = |columns: Vec<Vec<f64>>| {
        let all = Dataset::new(&x).with_target(Target::multi(columns).unwrap()).unwrap();
        all.clone().with_valid(all.subset(&valid).unwrap())
    };
    let both = data(vec![first.clone(), second.clone()]);
    let base = Booster { num_iterations: 60, ..Booster::default() };
    for learner in [
        base.clone(),
        base.clone().objective(BoosterObjective::RegressionL1),
        Booster { early_stopping_round: 3, ..base.clone() },
        Booster { bagging_fraction: 0.5, bagging_freq: 1, ..base },
    ] {
        let model = learner.fit(&both).unwrap();
        let found = model.predict(&x).unwrap();
        assert_eq!(found.n_columns(), 2);
        for (k, target) in [&first, &second].into_iter().enumerate() {
            let alone = learner.fit(&data(vec![target.clone()])).unwrap();
            assert_eq!(found.numbers_of(k).unwrap(), alone.predict(&x).unwrap().numbers().unwrap());
            assert!(model.n_rounds() >= alone.n_rounds());
        }
        assert!(model.verify(&both).unwrap().iter().all(|v| v.holds && v.claimed.value.is_finite()));
        let bytes = Model::encode(&model).unwrap();
        let again = Trained::<Booster>::decode(bytes.version, &bytes.bytes).unwrap();
        assert_eq!(again.predict(&x).unwrap(), found);
        let parts = Model::contributions(&model, &(&x).into(), &Session::default()).unwrap();
        let sum = parts.base[1] + parts.values[1].row(5).iter().sum::<f64>();
        assert!((sum - found.numbers_of(1).unwrap()[5]).abs() < 1e-9);
    }
    assert!(Booster::default().objective(BoosterObjective::Lambdarank).fit(&both).is_err());
    let model = Booster::default().num_iterations(3).fit(&both).unwrap();
    assert!(Booster::default().fit_from(&model, &data(vec![first]), &Session::default()).is_err());
}
