//! Laws against scipy's frozen values, and against what mathematics says of them.

use mercer_core::Session;
use mercer_math::{Mat, rng_for};
use mercer_stats::{
    Dirichlet, FAMILIES, Family, Gaussian, InverseWishart, Multinomial, MultivariateStudent, Univariate,
    Wishart, mle,
};
use serde_json::Value;

fn frozen() -> Value {
    serde_json::from_str(include_str!("reference/laws.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}

fn matrix(value: &Value) -> Mat {
    Mat::from_rows(&value.as_array().unwrap().iter().map(numbers).collect::<Vec<_>>()).unwrap()
}

/// scipy's value, or infinite or missing where it has none.
fn close(what: &str, got: f64, expected: f64, tol: f64) {
    if expected.is_nan() {
        assert!(!got.is_finite(), "{what}: {got}, where scipy has no finite value");
    } else {
        assert!((got - expected).abs() <= tol * expected.abs().max(1e-300), "{what}: {got} != {expected}");
    }
}

fn members() -> Vec<(Box<dyn Univariate>, Value)> {
    let cases = frozen()["laws"].as_array().unwrap().clone();
    let make = |case: &Value| {
        Family::named(case["name"].as_str().unwrap()).unwrap().law(&numbers(&case["parameters"]))
    };
    cases.iter().map(|case| (make(case).unwrap(), case.clone())).collect()
}

#[test]
fn every_family_is_among_the_references() {
    let cases = members();
    for family in FAMILIES {
        assert!(cases.iter().any(|(law, _)| law.family().name == family.name), "{}", family.name);
    }
}

#[test]
fn values_are_those_of_scipy() {
    for (law, case) in members() {
        let name = format!("{law:?}");
        for (i, &x) in numbers(&case["x"]).iter().enumerate() {
            // Near zero a logarithm has absolute digits alone.
            let expected = numbers(&case["log_density"])[i];
            assert!(
                (law.log_density(x) - expected).abs() <= 1e-11 * expected.abs().max(1.0),
                "{name} at {x}"
            );
            close(&format!("{name}: cdf at {x}"), law.cdf(x), numbers(&case["cdf"])[i], 1e-10);
            close(&format!("{name}: survival at {x}"), law.survival(x), numbers(&case["survival"])[i], 1e-10);
            close(&format!("{name}: log cdf at {x}"), law.log_cdf(x), numbers(&case["log_cdf"])[i], 1e-10);
            let expected = numbers(&case["log_survival"])[i];
            close(&format!("{name}: log survival at {x}"), law.log_survival(x), expected, 1e-10);
        }
        for (q, x) in numbers(&case["p"]).into_iter().zip(numbers(&case["upper"])) {
            close(&format!("{name}: upper quantile of {q}"), law.upper_quantile(q), x, 1e-10);
        }
        for (order, expected) in (1..).zip(numbers(&case["moments"])) {
            close(&format!("{name}: moment {order}"), law.moment(order), expected, 1e-9);
        }
        assert_eq!(law.moment(0), 1.0, "{name}");
        for (p, q) in numbers(&case["p"]).into_iter().zip(numbers(&case["quantile"])) {
            close(&format!("{name}: quantile of {p}"), law.quantile(p), q, 1e-10);
        }
        close(&format!("{name}: mean"), law.mean(), case["mean"].as_f64().unwrap_or(f64::NAN), 1e-12);
        close(
            &format!("{name}: variance"),
            law.variance(),
            case["variance"].as_f64().unwrap_or(f64::NAN),
            1e-11,
        );
        close(&format!("{name}: entropy"), law.entropy(), case["entropy"].as_f64().unwrap_or(f64::NAN), 1e-8);
    }
}

/// Where other forms cancel, underflow or overflow; mpmath, 40 digits.
#[test]
fn large_parameters_and_far_numbers_keep_their_digits() {
    let law = |name: &str, values: &[f64]| Family::named(name).unwrap().law(values).unwrap();
    let student = |v: f64| law("student_t", &[v, 0.0, 1.0]);
    close("t", student(1e6).log_density(1.5), -2.043_938_642_580_305_5, 1e-14);
    close("t", student(1e10).log_density(1.5), -2.043_938_533_215_61, 1e-14);
    close("t", student(1.0).log_density(1e200), -922.178_767_083_467_7, 1e-14);
    close("cauchy", law("cauchy", &[0.0, 1.0]).log_density(1e200), -922.178_767_083_467_7, 1e-14);
    close("t", student(1e4).survival(1.5), 0.066_822_985_911_809_81, 1e-12);
    close("t", student(1e6).survival(1.5), 0.066_807_359_118_396_38, 1e-12);
    close("t", student(1e10).survival(1.5), 0.066_807_201_284_643_02, 1e-12);
    close("t", student(1e9).entropy(), 1.418_938_534_204_672_7, 1e-14);
    let fisher = |m: f64, n: f64| law("fisher_f", &[m, n]);
    close("F", fisher(3.0, 1e9).log_density(1.2), -0.979_859_323_215_530_8, 1e-13);
    close("F", fisher(1e7, 2e7).log_density(1.001), 4.924_617_240_261_207, 1e-13);
    close("F", fisher(5.0, 9.0).log_density(1e200), -2_526.357_730_530_696, 1e-14);
    close("F", fisher(1e7, 5.0).entropy(), 1.239_925_510_088_674, 1e-13);
    close("F", fisher(5.0, 1e9).entropy(), 0.813_657_181_130_899_3, 1e-13);
    close("beta", law("beta", &[1e8, 2e8]).entropy(), -9.092_746_683_715_924, 1e-14);
    close("beta", law("beta", &[0.5, 1e9]).entropy(), -20.632_655_907_282_42, 1e-14);
    close("inverse gamma", law("inverse_gamma", &[1e9, 2.0]).entropy(), -28.972_813_040_988_33, 1e-14);
    let dirichlet = Dirichlet::new(vec![1e8, 2e8, 0.5]).unwrap();
    close("Dirichlet", dirichlet.entropy(), -28.521_429_788_922_41, 1e-14);
    for (shape, variance) in [
        (50.0, 6.253_425_856_013_038e-4),
        (99.0, 1.635_177_544_774_843e-4),
        (101.0, 1.571_858_521_563_436_5e-4),
        (1e3, 1.640_642_681_484_991e-6),
        (1e6, 1.644_929_763_782_716_2e-12),
    ] {
        close("Weibull", law("weibull", &[shape, 1.0]).variance(), variance, 1e-11);
    }
    close("normal", law("normal", &[1.0, 2.0]).log_cdf(-79.0), -804.608_442_013_753_8, 1e-14);
    close("normal", law("normal", &[1.0, 2.0]).log_survival(81.0), -804.608_442_013_753_8, 1e-14);
    close("laplace", law("laplace", &[1e8, 1e-3]).survival(1e8 + 0.015_625), 0.5 * (-15.625f64).exp(), 1e-14);
    close("gamma", law("gamma", &[1.0, 1.0]).upper_quantile(1e-200), 200.0 * 10f64.ln(), 1e-13);
    close("normal", law("normal", &[0.0, 1.0]).upper_quantile(1e-200), 30.205_594_179_579_64, 1e-14);
}

/// Beyond all numbers there is nothing, and of no number nothing is known.
#[test]
fn ends_of_laws_are_clean() {
    for (law, _) in members() {
        let (low, high) = law.support();
        assert_eq!((law.quantile(0.0), law.quantile(1.0)), (low, high), "{law:?}");
        assert_eq!((law.upper_quantile(1.0), law.upper_quantile(0.0)), (low, high), "{law:?}");
        for x in [f64::NEG_INFINITY, f64::INFINITY] {
            let above = f64::from(u8::from(x > 0.0));
            assert_eq!((law.cdf(x), law.survival(x)), (above, 1.0 - above), "{law:?} at {x}");
            assert_eq!(law.log_cdf(x).exp() + law.log_survival(x).exp(), 1.0, "{law:?} at {x}");
            if law.family().name != "uniform" {
                assert_eq!(law.log_density(x), f64::NEG_INFINITY, "{law:?} at {x}");
            }
        }
        let nan = f64::NAN;
        for value in [law.log_density(nan), law.cdf(nan), law.survival(nan), law.log_cdf(nan)] {
            assert!(value.is_nan(), "{law:?}: {value}");
        }
        for p in [-0.1, 1.1, nan] {
            assert!(law.quantile(p).is_nan() && law.upper_quantile(p).is_nan(), "{law:?} at {p}");
        }
    }
    for (name, values) in [("geometric", vec![0.0]), ("negative_binomial", vec![2.0, 0.0])] {
        let told = Family::named(name).unwrap().law(&values).unwrap_err().to_string();
        assert!(told.contains("(0, 1]"), "{told}");
    }
}

/// Scores and slopes are derivatives, by central differences.
#[test]
fn scores_are_derivatives_of_log_densities() {
    for (law, _) in members() {
        let family = law.family();
        let at = law.parameters();
        for p in [0.11, 0.43, 0.86] {
            let x = law.quantile(p) + if family.discrete { 0.0 } else { 1e-3 };
            for (j, slope) in law.score(x).into_iter().enumerate() {
                if family.parameters[j].domain == mercer_stats::Domain::Count
                    || family.name == "pareto" && j == 1
                {
                    continue;
                }
                let h = 1e-5 * at[j].abs().max(0.1);
                let moved = |by: f64| {
                    let mut values = at.clone();
                    values[j] += by;
                    family.law(&values).unwrap().log_density(x)
                };
                let found = (moved(h) - moved(-h)) / (2.0 * h);
                assert!(
                    (slope - found).abs() < 1e-5 * (1.0 + slope.abs()),
                    "{law:?} {j} at {x}: {slope} != {found}"
                );
            }
            if !family.discrete {
                let h = 1e-6 * x.abs().max(0.1);
                let found = (law.log_density(x + h) - law.log_density(x - h)) / (2.0 * h);
                assert!((law.slope(x) - found).abs() < 1e-4 * (1.0 + found.abs()), "{law:?} at {x}");
            }
        }
    }
}

/// A law that answers everything as another but its information, which is then summed up.
#[derive(Debug)]
struct Summed<'a>(&'a dyn Univariate);

impl Univariate for Summed<'_> {
    fn family(&self) -> &'static Family {
        self.0.family()
    }
    fn parameters(&self) -> Vec<f64> {
        self.0.parameters()
    }
    fn log_density(&self, x: f64) -> f64 {
        self.0.log_density(x)
    }
    fn cdf(&self, x: f64) -> f64 {
        self.0.cdf(x)
    }
    fn survival(&self, x: f64) -> f64 {
        self.0.survival(x)
    }
    fn quantile(&self, p: f64) -> f64 {
        self.0.quantile(p)
    }
    fn support(&self) -> (f64, f64) {
        self.0.support()
    }
    fn moment(&self, order: u32) -> f64 {
        self.0.moment(order)
    }
    fn draw(&self, rng: &mut mercer_math::Rng) -> f64 {
        self.0.draw(rng)
    }
    fn mean(&self) -> f64 {
        self.0.mean()
    }
    fn variance(&self) -> f64 {
        self.0.variance()
    }
    fn entropy(&self) -> f64 {
        self.0.entropy()
    }
    fn score(&self, x: f64) -> Vec<f64> {
        self.0.score(x)
    }
}

/// Fisher's information is the mean of score × scoreᵀ, and that is summed up where there is no closed form.
#[test]
fn information_is_the_spread_of_the_score() {
    for (law, _) in members() {
        // The score of Laplace's law jumps at the median, which is a point of the rule of summation.
        let Some(closed) = law.information().filter(|_| law.family().name != "laplace") else { continue };
        let summed = Summed(law.as_ref()).information().unwrap();
        for (a, b) in closed.as_slice().iter().zip(summed.as_slice()) {
            assert!(
                (a - b).abs() <= 1e-6 * closed.as_slice().iter().fold(1e-9, |m: f64, v| m.max(v.abs())),
                "{law:?}: {a} {b}"
            );
        }
    }
}

/// Draws follow their distribution function: Kolmogorov's test of 20,000 for continuous laws, a standard error of 5 for the mean of
/// discrete ones. The false-positive rate of a change that keeps draws right is below 1e-5 over all laws.
#[test]
fn draws_follow_their_law() {
    const N: usize = 20_000;
    for (task, (law, _)) in members().into_iter().enumerate() {
        let mut rng = rng_for(7, task as u64);
        let mut draws: Vec<f64> = (0..N).map(|_| law.draw(&mut rng)).collect();
        draws.sort_by(f64::total_cmp);
        if law.family().discrete {
            let mean = draws.iter().sum::<f64>() / N as f64;
            let error = (law.variance() / N as f64).sqrt();
            assert!((mean - law.mean()).abs() < 5.0 * error, "{law:?}: mean {mean}");
            let square = draws.iter().map(|x| (x - law.mean()).powi(2)).sum::<f64>() / N as f64;
            assert!((square / law.variance() - 1.0).abs() < 0.12, "{law:?}: variance {square}");
            continue;
        }
        let gap = |(i, x): (usize, &f64)| {
            let p = law.cdf(*x);
            (p - i as f64 / N as f64).abs().max((p - (i + 1) as f64 / N as f64).abs())
        };
        let largest = draws.iter().enumerate().map(gap).fold(0.0, f64::max);
        // 2 e^(−2 · 2.7²) is 9e-7.
        assert!(largest * (N as f64).sqrt() < 2.7, "{law:?}: {largest}");
    }
}

#[test]
fn fits_are_those_of_scipy_or_better() {
    for case in frozen()["fits"].as_array().unwrap() {
        let family = Family::named(case["name"].as_str().unwrap()).unwrap();
        let x = numbers(&case["x"]);
        let found = mle(family, &x, None, &[]).unwrap();
        let theirs = numbers(&case["parameters"]);
        let law = family.law(&theirs).unwrap();
        let their_likelihood: f64 = x.iter().map(|x| law.log_density(*x)).sum();
        assert!(found.log_likelihood >= their_likelihood - 1e-9, "{}", family.name);
        // scipy stops by a simplex of 1e-4 where it has no closed form.
        for (a, b) in found.parameters.iter().zip(&theirs) {
            assert!((a - b).abs() <= 1e-3 * b.abs(), "{}: {a} != {b}", family.name);
        }
        assert!(found.score.unwrap() < 1e-9, "{}: {:?}", family.name, found.score);
        assert_eq!(found.standard_errors.unwrap().len(), theirs.len());
    }
}

#[test]
fn laws_of_many_numbers_are_those_of_scipy() {
    let many = &frozen()["many"];
    let value = |name: &str| many[name].as_f64().unwrap();
    let (scale, point) = (matrix(&many["scale"]), matrix(&many["point"]));
    let wishart = Wishart::new(value("df"), scale.clone()).unwrap();
    close("wishart", wishart.log_density(&point).unwrap(), value("wishart"), 1e-12);
    close("entropy", wishart.entropy().unwrap(), value("wishart_entropy"), 1e-12);
    let inverse = InverseWishart::new(value("df"), scale.clone()).unwrap();
    close("inverse", inverse.log_density(&point).unwrap(), value("inverse_wishart"), 1e-12);
    let dirichlet = Dirichlet::new(numbers(&many["alpha"])).unwrap();
    close("dirichlet", dirichlet.log_density(&numbers(&many["share"])).unwrap(), value("dirichlet"), 1e-12);
    close("entropy", dirichlet.entropy(), value("dirichlet_entropy"), 1e-12);
    close("entropy", inverse.entropy().unwrap(), value("inverse_wishart_entropy"), 1e-12);
    let counts = Multinomial::new(10, &[0.2, 0.3, 0.5]).unwrap();
    close("entropy", counts.entropy(), value("multinomial_entropy"), 1e-12);
    close("multinomial", counts.log_density(&[1.0, 4.0, 5.0]).unwrap(), value("multinomial"), 1e-12);
    let (location, at) = (numbers(&many["location"]), numbers(&many["at"]));
    let gaussian = Gaussian::new(location.clone(), scale.clone()).unwrap();
    close("normal", gaussian.log_density(&at).unwrap(), value("normal"), 1e-12);
    close("entropy", gaussian.entropy().unwrap(), value("normal_entropy"), 1e-12);
    let student = MultivariateStudent::new(4.5, location, scale).unwrap();
    close("student", student.log_density(&at).unwrap(), value("student"), 1e-12);
    close("entropy", student.entropy().unwrap(), value("student_entropy"), 1e-12);
}

/// Means of draws within five standard errors: the false-positive rate over the twenty or so comparisons is below 1e-4.
#[test]
fn draws_of_many_numbers_have_their_moments() {
    const N: usize = 20_000;
    let mut rng = rng_for(3, 0);
    let scale = matrix(&frozen()["many"]["scale"]);
    let (wishart, inverse) =
        (Wishart::new(8.0, scale.clone()).unwrap(), InverseWishart::new(12.0, scale.clone()).unwrap());
    let dirichlet = Dirichlet::new(vec![0.7, 2.0, 4.5]).unwrap();
    let counts = Multinomial::new(30, &[0.2, 0.0, 0.5, 0.3]).unwrap();
    let student = MultivariateStudent::new(9.0, vec![1.0, -1.0, 0.5], scale.clone()).unwrap();
    let mut check =
        |name: &str, expected: &[f64], draw: &mut dyn FnMut(&mut mercer_math::Rng) -> Vec<f64>| {
            let draws: Vec<Vec<f64>> = (0..N).map(|_| draw(&mut rng)).collect();
            for (j, e) in expected.iter().enumerate() {
                let column: Vec<f64> = draws.iter().map(|d| d[j]).collect();
                let moments = mercer_math::Moments::of(&column);
                let error = (moments.sample_variance() / N as f64).sqrt();
                assert!(
                    (moments.mean - e).abs() <= 5.0 * error + 1e-12,
                    "{name} {j}: {} != {e} ± {error}",
                    moments.mean
                );
            }
        };
    check("wishart", wishart.mean().as_slice(), &mut |r| wishart.draw(r).unwrap().into_vec());
    check("inverse", inverse.mean().as_slice(), &mut |r| inverse.draw(r).unwrap().into_vec());
    check("dirichlet", &dirichlet.mean(), &mut |r| dirichlet.draw(r));
    check("multinomial", &counts.mean(), &mut |r| counts.draw(r));
    check("student", &[1.0, -1.0, 0.5], &mut |r| student.draw(r).unwrap());
    let outer = student.covariance();
    check("student's spread", outer.as_slice(), &mut |r| {
        let x = student.draw(r).unwrap();
        let away = [x[0] - 1.0, x[1] + 1.0, x[2] - 0.5];
        away.iter().flat_map(|a| away.iter().map(move |b| a * b)).collect()
    });
}

#[test]
fn bad_parameters_and_observations_are_named() {
    let family = |name: &str| Family::named(name).unwrap();
    let error = family("normal").law(&[0.0, -1.0]).unwrap_err().to_string();
    assert!(error.contains("sigma") && error.contains("-1"), "{error}");
    assert!(family("normal").law(&[f64::NAN, 1.0]).is_err() && family("normal").law(&[0.0]).is_err());
    assert!(family("uniform").law(&[2.0, 1.0]).unwrap_err().to_string().contains("above low"));
    assert!(Family::named("normall").unwrap_err().to_string().contains("normal"));
    let error = mle(family("gamma"), &[1.0, -2.0], None, &[]).unwrap_err().to_string();
    assert!(error.contains("row 1"), "{error}");
    assert!(mle(family("normal"), &[], None, &[]).is_err());
    assert!(mle(family("normal"), &[1.0, 1.0], None, &[]).is_err(), "no spread, no maximum");
    assert!(mle(family("binomial"), &[1.0, 2.0], None, &[]).unwrap_err().to_string().contains("given"));
    assert!(mle(family("gamma"), &[2.0, 2.0], None, &[]).is_err());
    assert!(mle(family("normal"), &[1.0, 2.0], Some(&[1.0]), &[]).is_err());
    assert!(Wishart::new(1.0, Mat::identity(3)).is_err() && Dirichlet::new(vec![1.0, 0.0]).is_err());
    assert!(Gaussian::new(vec![0.0, 0.0], Mat::from_rows(&[[1.0, 2.0], [2.0, 1.0]]).unwrap()).is_err());
    let session = Session::default();
    let none = mercer_stats::study(
        &|_| f64::NAN,
        family("normal").law(&[0.0, 1.0]).unwrap().as_ref(),
        0.0,
        &[1.0, 0.0],
        &[5],
        10,
        &session,
    );
    assert!(none.is_err());
}
