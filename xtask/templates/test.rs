//! [`NewLearner`] against closed forms.

use mercer_core::{Dataset, Fit, Target};
use mercer_family::NewLearner;
use mercer_math::Mat;

#[test]
fn the_penalty_draws_the_mean_towards_zero() {
    let x = Mat::zeros(4, 1);
    let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 2.0, 3.0, 6.0])).unwrap();
    for (alpha, expected) in [(0.0, 3.0), (4.0, 1.5), (8.0, 1.0)] {
        let model = NewLearner::default().alpha(alpha).fit(&data).unwrap();
        assert_eq!(model.constant, expected);
        assert_eq!(model.certificate().evidence[0].value, 0.0);
    }
}
