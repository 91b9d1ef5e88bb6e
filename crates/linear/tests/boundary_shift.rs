//! Least squares as a classifier: rows far on the right side of the boundary move it, as the notes' "boundary shifting" says.
//! Logistic regression, whose loss vanishes there, stays.

use mercer_core::{Dataset, Fit, Target};
use mercer_linear::{LinearRegression, LogisticRegression, RidgeClassifier};
use mercer_math::Mat;

/// Two classes on a line, about −1 and 1, and so many more rows of the second at a distance.
fn rows(far: usize, distance: f64) -> (Mat, Vec<i64>) {
    let near = (0..40).map(|i| {
        let class = i % 2;
        (f64::from(2 * class - 1) + 0.04 * f64::from(i / 2 - 10), i64::from(class))
    });
    let all: Vec<(f64, i64)> = near.chain((0..far).map(|_| (distance, 1))).collect();
    (Mat::from_fn(all.len(), 1, |i, _| all[i].0), all.iter().map(|(_, class)| *class).collect())
}

/// Where the answer turns, and how many rows are on the wrong side.
fn squares(far: usize, distance: f64) -> (f64, usize) {
    let (x, classes) = rows(far, distance);
    let signs: Vec<f64> = classes.iter().map(|c| 2.0 * *c as f64 - 1.0).collect();
    let model =
        LinearRegression::default().fit(&Dataset::new(&x).with_target(Target::real(signs)).unwrap()).unwrap();
    let border = -model.intercept()[0] / model.coef()[(0, 0)];
    let wrong = (0..x.n_rows()).filter(|&i| (x[(i, 0)] > border) != (classes[i] == 1)).count();
    (border, wrong)
}

fn logistic(far: usize, distance: f64) -> (f64, usize) {
    let (x, classes) = rows(far, distance);
    let data = Dataset::new(&x).with_target(Target::classes(&classes)).unwrap();
    let model = LogisticRegression::default().fit(&data).unwrap();
    let scores = model.decision_function(&x).unwrap();
    let wrong = (0..x.n_rows()).filter(|&i| (scores[(i, 0)] > 0.0) != (classes[i] == 1)).count();
    let at = |v: f64| model.decision_function(Mat::from_fn(1, 1, |_, _| v)).unwrap()[(0, 0)];
    (-at(0.0) / (at(1.0) - at(0.0)), wrong)
}

#[test]
fn far_rows_of_the_right_side_move_least_squares_alone() {
    let (border, wrong) = squares(0, 0.0);
    assert!(border.abs() < 0.05 && wrong == 0, "{border} {wrong}");
    let (border, wrong) = logistic(0, 0.0);
    assert!(border.abs() < 0.05 && wrong == 0, "{border} {wrong}");
    let (mut last, mut rows_lost) = (0.0, 0);
    for distance in [5.0, 10.0, 20.0, 50.0] {
        let (border, wrong) = squares(10, distance);
        assert!(border > last, "further rows move it further: {distance} {border}");
        (last, rows_lost) = (border, wrong);
        let (stays, none) = logistic(10, distance);
        assert!(stays.abs() < 0.05 && none == 0, "logistic regression stays: {distance} {stays} {none}");
    }
    // At last rows near the border are on the wrong side of it, though a line without mistakes exists.
    assert!(last > 0.8 && rows_lost > 0, "{last} {rows_lost}");
}

#[test]
fn the_penalty_of_ridge_regression_does_not_help() {
    let (x, classes) = rows(10, 50.0);
    let data = Dataset::new(&x).with_target(Target::classes(&classes)).unwrap();
    for alpha in [0.0, 1.0, 100.0] {
        let model = RidgeClassifier::default().alpha(alpha).fit(&data).unwrap();
        let said = model.predict(&x).unwrap();
        let wrong =
            said.class().unwrap().0.iter().zip(&classes).filter(|(a, b)| i64::from(**a) != **b).count();
        assert!(wrong > 0, "alpha {alpha}");
    }
}
