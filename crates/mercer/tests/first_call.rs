//! What stands alone in a process of its own: no other test may have filled the catalogue before.

use mercer::prelude::*;

#[test]
fn ensembles_find_their_weak_learners_without_being_told_of_the_catalogue() {
    let x = Mat::from_fn(40, 2, |i, j| ((i * (j + 3)) % 11) as f64);
    let y = Target::classes(&(0..40).map(|i| i64::from(i * 3 % 11 > 5)).collect::<Vec<_>>());
    let data = Dataset::new(&x).with_target(y).unwrap();
    let model = AdaBoostClassifier::default().fit(&data).unwrap();
    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
}
