//! Losses and regularisers as mathematics: gradients against differences, proximal points against every other point,
//! conjugates against the supremum that defines them.

use mercer_math::{Weights, normal, rng_for, uniform};
use mercer_measure::{Link, Loss, Metric, Regulariser, Scored, log_loss, tweedie_deviance};

fn losses() -> Vec<Loss> {
    let mut all: Vec<Loss> = Loss::all().collect();
    all.extend(["huber(0.3)", "quantile(alpha=0.9)", "quantile(0)", "epsilon_insensitive(0)"].map(parse));
    all.extend(["squared_epsilon_insensitive(epsilon=0.7)", "tweedie(1.1)", "tweedie(power=1.9)"].map(parse));
    all
}

fn parse(text: &str) -> Loss {
    Loss::parse(text).unwrap()
}

/// Truths that a loss takes.
fn truths(loss: Loss) -> Vec<f64> {
    match loss {
        Loss::CrossEntropy => vec![0.0, 0.3, 1.0],
        Loss::Gamma => vec![0.2, 1.0, 3.5],
        Loss::Poisson | Loss::Tweedie { .. } => vec![0.0, 1.0, 3.5],
        _ if loss.is_margin() => vec![-1.0, 1.0],
        _ => vec![-2.0, 0.0, 1.7],
    }
}

/// Losses that have gradients, with truths and a spread of predictions.
fn points() -> Vec<(Loss, f64, f64)> {
    let mut rng = rng_for(5, 0);
    let mut points = Vec::new();
    for loss in losses().into_iter().filter(|l| *l != Loss::ZeroOne) {
        for y in truths(loss) {
            for scale in [0.1, 1.0, 5.0] {
                points.extend((0..20).map(|_| (loss, y, scale * normal(&mut rng))));
            }
        }
    }
    points
}

/// Predictions at which some loss has a kink.
fn kinks(loss: Loss, y: f64) -> Vec<f64> {
    match loss {
        Loss::Perceptron => vec![0.0],
        Loss::Hinge | Loss::SquaredHinge => vec![y],
        Loss::ModifiedHuber => vec![y, -y],
        Loss::Absolute | Loss::Quantile { .. } => vec![y],
        Loss::EpsilonInsensitive { epsilon } | Loss::SquaredEpsilonInsensitive { epsilon } => {
            vec![y - epsilon, y + epsilon]
        }
        Loss::Huber { delta } => vec![y - delta, y + delta],
        _ => vec![],
    }
}

#[test]
fn gradients_and_curvatures_are_those_of_differences() {
    let h = 1e-6;
    for (loss, y, f) in points() {
        if kinks(loss, y).iter().any(|k| (f - k).abs() < 10.0 * h) {
            continue;
        }
        let slope = (loss.value(f + h, y) - loss.value(f - h, y)) / (2.0 * h);
        let gradient = loss.gradient(f, y).unwrap();
        assert!((slope - gradient).abs() < 1e-7 * (1.0 + loss.value(f, y).abs()), "{loss} at {f}, {y}");
        let bend = (loss.gradient(f + h, y).unwrap() - loss.gradient(f - h, y).unwrap()) / (2.0 * h);
        let curvature = loss.curvature(f, y).unwrap();
        assert!((bend - curvature).abs() < 1e-6 * (1.0 + curvature), "{loss} at {f}, {y}");
        assert!(curvature >= 0.0 && curvature <= loss.curvature_bound(), "{loss} at {f}, {y}");
    }
}

/// Rows of a sample: truths that the loss takes, and weights of which some are 0.
fn sample(loss: Loss, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let (mut rng, truths) = (rng_for(seed, 0), truths(loss));
    let one = |i: usize| match loss.is_residual() {
        true => 2.0 * normal(&mut rng),
        false => truths[i % truths.len()],
    };
    let y: Vec<f64> = (0..41).map(one).collect();
    assert!(y.iter().all(|y| loss.takes(*y)), "{loss}");
    let w = (0..y.len()).map(|i| if i % 7 == 0 { 0.0 } else { 0.2 + uniform(&mut rng) }).collect();
    (y, w)
}

#[test]
fn starts_minimise_the_sum() {
    for loss in losses() {
        for seed in 0..8 {
            let (y, w) = sample(loss, seed);
            for weights in [Weights::NONE, Weights::from(&w[..])] {
                let start = loss.start(&y, weights);
                let at = |f: f64| loss.total(&y, &vec![f; y.len()], weights);
                let best = at(start);
                let near = (0..12).flat_map(|i| [-1.0, 1.0].map(|s| start + s * 4f64.powi(3 - i)));
                for other in near.chain(y.iter().copied()) {
                    assert!(best <= at(other) + 1e-12 * (1.0 + best.abs()), "{loss}: {start}, not {other}");
                }
            }
        }
    }
    // A weight of two is two copies.
    let (y, w) = ([3.0, -1.0, 2.0], [2.0, 1.0, 0.0]);
    for loss in losses().into_iter().filter(Loss::is_residual) {
        let weighted = loss.start(&y, Weights::from(&w[..]));
        assert!((weighted - loss.start(&[3.0, 3.0, -1.0], Weights::NONE)).abs() < 1e-12, "{loss}");
    }
    // Of one class alone the best score is infinite; the start is not.
    for loss in [Loss::Logistic, Loss::Exponential, Loss::CrossEntropy, Loss::Poisson] {
        assert!(loss.start(&[0.0, 0.0], Weights::NONE).is_finite(), "{loss}");
    }
}

#[test]
fn links_turn_back() {
    for loss in losses() {
        let (low, high) = match loss.link() {
            Link::Identity => (-3.0, 3.0),
            Link::Log => (0.01, 30.0),
            _ => (0.001, 0.999),
        };
        for i in 0..=20 {
            let mean = low + (high - low) * f64::from(i) / 20.0;
            let mut there = [loss.link().score(mean)];
            loss.link().means(&mut there);
            assert!((there[0] - mean).abs() < 1e-13 * (1.0 + mean.abs()), "{loss} at {mean}");
        }
        // The score of least expected loss is that of the mean.
        if loss.link() != Link::Identity {
            let (y, w) = sample(loss, 3);
            let numbers = y.iter().map(|y| if loss.is_margin() { f64::from(*y > 0.0) } else { *y });
            let mean = numbers.zip(&w).map(|(y, w)| w * y).sum::<f64>() / w.iter().sum::<f64>();
            let start = loss.start(&y, Weights::from(&w[..]));
            assert!((start - loss.link().score(mean)).abs() < 1e-12, "{loss}");
        }
    }
}

/// A block says what its rows say, but for the last digits of exponentials.
#[test]
fn blocks_are_their_rows() {
    for loss in losses() {
        let rows: Vec<(f64, f64)> =
            points().into_iter().filter(|p| p.0 == loss).map(|(_, y, f)| (y, f)).collect();
        let (y, f): (Vec<f64>, Vec<f64>) = rows.iter().copied().unzip();
        let w: Vec<f64> = (0..y.len()).map(|i| f64::from(i as u32 % 3)).collect();
        for weights in [Weights::NONE, Weights::from(&w[..])] {
            let (mut g, mut h) = (vec![f64::NAN; y.len()], vec![f64::NAN; y.len()]);
            loss.gradients(&y, &f, weights, &mut g, &mut h);
            let mut alone = g.clone();
            loss.gradients(&y, &f, weights, &mut alone, &mut []);
            assert_eq!(alone, g, "{loss}");
            for (i, &(y, f)) in rows.iter().enumerate() {
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-13 * (1.0 + b.abs());
                let (first, second) = (loss.gradient(f, y).unwrap(), loss.curvature(f, y).unwrap());
                assert!(close(g[i], weights[i] * first), "{loss} at {f}, {y}: {} {first}", g[i]);
                assert!(close(h[i], weights[i] * second), "{loss} at {f}, {y}: {} {second}", h[i]);
            }
            let total: f64 = rows.iter().enumerate().map(|(i, r)| weights[i] * loss.value(r.1, r.0)).sum();
            assert!((loss.total(&y, &f, weights) - total).abs() <= 1e-12 * (1.0 + total.abs()), "{loss}");
        }
    }
}

/// Codes 0 and 1 are the classes −1 and 1.
#[test]
fn classes_may_be_codes() {
    for (loss, _, f) in points().into_iter().filter(|p| p.0.is_margin()) {
        assert_eq!(loss.value(f, 0.0), loss.value(f, -1.0));
        assert_eq!(loss.gradient(f, 0.0).unwrap(), loss.gradient(f, -1.0).unwrap());
        assert_eq!(loss.conjugate(f, 0.0), loss.conjugate(f, -1.0));
    }
}

/// A metric that is a mean loss is that of the loss of the same name.
#[test]
fn metrics_are_means_of_losses() {
    let (y, w) = sample(Loss::Squared, 1);
    let f: Vec<f64> = sample(Loss::Squared, 2).0;
    let total =
        |loss: Loss, y: &[f64], f: &[f64]| loss.total(y, f, Weights::from(&w[..])) / w.iter().sum::<f64>();
    let metric = |name: &str, y: &[f64], f: &[f64]| {
        Metric::by_name(name)
            .unwrap()
            .evaluate(&Scored::Numbers { truth: y, predicted: f }, Some(&w))
            .unwrap()
    };
    let close = |a: f64, b: f64, what: &str| assert!((a - b).abs() < 1e-12, "{what}: {a} and {b}");
    for (loss, name) in [
        ("squared_error", "mse"),
        ("absolute_error", "mae"),
        ("pinball(alpha=0.3)", "pinball(alpha=0.3)"),
        ("quantile", "quantile_loss"),
    ] {
        close(total(parse(loss), &y, &f), metric(name, &y, &f), name);
    }
    // Deviances are twice the loss of the logarithm, beyond its least.
    let counts: Vec<f64> = y.iter().map(|y| y.abs().round()).collect();
    let positive: Vec<f64> = y.iter().map(|y| y.abs() + 0.1).collect();
    let log = |v: &[f64]| v.iter().map(|v| v.ln()).collect::<Vec<f64>>();
    let means: Vec<f64> = f.iter().map(|f| f.exp()).collect();
    for (name, y) in [("poisson", &positive), ("gamma", &positive), ("tweedie(power=1.5)", &positive)] {
        let loss = parse(name);
        let found = 2.0 * (total(loss, y, &f) - total(loss, y, &log(y)));
        let name = if name.contains('(') { name.to_owned() } else { format!("{name}_deviance") };
        close(found, metric(&name, y, &means), &name);
    }
    let zero = tweedie_deviance(&counts, &means, 1.5, None).unwrap();
    assert!(zero.is_finite());
    // The log loss of probabilities is the cross-entropy of their logits.
    let classes: Vec<u32> = y.iter().map(|y| u32::from(*y > 0.0)).collect();
    let mut p = f.clone();
    Loss::Logistic.link().means(&mut p);
    let both: Vec<f64> = p.iter().flat_map(|p| [1.0 - p, *p]).collect();
    let proba = mercer_math::MatRef::row_major(&both, p.len(), 2).unwrap();
    let codes: Vec<f64> = classes.iter().map(|&c| f64::from(c)).collect();
    let found = log_loss(&classes, proba, Some(&w)).unwrap();
    close(total(Loss::CrossEntropy, &codes, &f), found, "cross-entropy");
    close(total(Loss::Logistic, &codes, &f), found, "logistic");
}

/// A subgradient, also at kinks: the loss lies above its tangent everywhere.
#[test]
fn gradients_are_subgradients() {
    let mut rng = rng_for(6, 0);
    for (loss, y, f) in points() {
        for at in kinks(loss, y).into_iter().chain([f]) {
            let gradient = loss.gradient(at, y).unwrap();
            for _ in 0..5 {
                let other = at + 3.0 * normal(&mut rng);
                let tangent = loss.value(at, y) + gradient * (other - at);
                assert!(
                    loss.value(other, y) >= tangent - 1e-10 * (1.0 + tangent.abs()),
                    "{loss} at {at}, {y}"
                );
            }
        }
    }
}

#[test]
fn proximal_points_beat_every_other() {
    let mut rng = rng_for(7, 0);
    for (loss, y, v) in points() {
        for step in [1e-3, 0.3, 1.0, 40.0] {
            let z = loss.prox(v, step, y).unwrap();
            let cost = |z: f64| step * loss.value(z, y) + (z - v).powi(2) / 2.0;
            let best = cost(z);
            let near = (0..40).map(|i| z + 10f64.powi(-(i % 8)) * normal(&mut rng));
            let grid = (-40..=40).map(|i| v + f64::from(i) / 40.0 * (z - v + 1.0) * 1.5);
            for other in near.chain(grid).chain(kinks(loss, y)) {
                assert!(
                    best <= cost(other) + 1e-11 * (1.0 + best.abs()),
                    "{loss}: {z} from {v} by {step}, not {other}"
                );
            }
            // Moving from z along the way it came is no better: the first-order condition by value.
            let smooth = kinks(loss, y).is_empty() || kinks(loss, y).iter().all(|k| (k - z).abs() > 1e-9);
            if smooth {
                let off = z - v + step * loss.gradient(z, y).unwrap();
                assert!(off.abs() < 1e-9 * (1.0 + step + v.abs()), "{loss}: {z} from {v} by {step}: {off}");
            }
        }
    }
    for far in [-1e6, -800.0, 800.0, 1e6] {
        for loss in losses().into_iter().filter(|l| *l != Loss::ZeroOne) {
            assert!(loss.prox(far, 2.0, 1.0).unwrap().is_finite(), "{loss} from {far}");
        }
    }
}

#[test]
fn conjugates_are_the_supremum() {
    let mut rng = rng_for(8, 0);
    for (loss, y, f) in points() {
        // Equality at the gradient.
        let u = loss.gradient(f, y).unwrap();
        let gap = loss.value(f, y) + loss.conjugate(u, y) - u * f;
        assert!(gap.abs() < 1e-9 * (1.0 + (u * f).abs()), "{loss} at {f}, {y}: {gap}");
        // Fenchel and Young everywhere.
        let other = 2.0 * normal(&mut rng);
        let gap = loss.value(f, y) + loss.conjugate(other, y) - other * f;
        assert!(gap > -1e-9, "{loss} at {f}, {other}: {gap}");
        // Against a search: concave in f, so thirds close in on the maximum; at a bound the supremum is far out.
        let conjugate = loss.conjugate(other, y);
        if conjugate.is_finite() {
            let of = |f: f64| other * f - loss.value(f, y);
            let (mut low, mut high) = (-60.0, 60.0);
            for _ in 0..300 {
                let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if of(a) < of(b) { low = a } else { high = b }
            }
            assert!((of(low) - conjugate).abs() < 1e-8 * (1.0 + conjugate.abs()), "{loss}* at {other}, {y}");
        }
    }
    // Outside its domain a conjugate is infinite because the supremum is.
    for (text, u) in
        [("hinge", 0.5), ("hinge", -1.5), ("absolute", 1.1), ("exponential", 0.1), ("huber", 2.0)]
    {
        let loss = parse(text);
        assert_eq!(loss.conjugate(u, 1.0), f64::INFINITY);
        let far = u.signum() * if (-1.0..=0.0).contains(&u) { 1.0 } else { 1e6 };
        assert!(u * far - loss.value(far, 1.0) > 1e4, "{text}");
    }
}

#[test]
fn the_zero_one_loss_has_values_only() {
    let loss = Loss::ZeroOne;
    // One where the sign does not match (note 004 prints the reverse), zero counts as a mistake.
    assert_eq!([loss.value(2.0, 1.0), loss.value(-2.0, 1.0), loss.value(0.0, -1.0)], [0.0, 1.0, 1.0]);
    let message = loss.gradient(1.0, 1.0).unwrap_err().to_string();
    assert_eq!(message, "the 0-1 loss cannot give a gradient");
    assert!(loss.curvature(1.0, 1.0).is_err() && loss.prox(1.0, 1.0, 1.0).is_err());
    assert_eq!((loss.conjugate(0.0, 1.0), loss.conjugate(0.1, 1.0)), (0.0, f64::INFINITY));
    // Note 000 prints L_exp(0) = 0.
    assert_eq!(Loss::Exponential.value(0.0, 1.0), 1.0);
}

#[test]
fn names_are_read_and_written() {
    for loss in losses() {
        assert_eq!(parse(&loss.to_string()), loss);
    }
    assert_eq!(parse("pinball(alpha=0.9)"), Loss::Quantile { alpha: 0.9 });
    assert_eq!(parse("squared_error"), Loss::Squared);
    assert_eq!(parse("huber"), Loss::Huber { delta: 1.35 });
    let wrong = |text: &str, expect: &str| {
        let error = Loss::parse(text).unwrap_err().to_string();
        assert!(error.contains(expect), "{text}: {error}");
    };
    wrong("hinj", "did you mean `hinge`");
    wrong("huber(delta=0)", "in (0, inf)");
    wrong("quantile(alpha=2)", "in [0, 1]");
    wrong("hinge(1)", "has no parameter");
    assert!(Loss::Hinge.prox(1.0, 0.0, 1.0).is_err() && Loss::Hinge.prox(1.0, f64::NAN, 1.0).is_err());
    for text in
        ["l0(lambda=2)", "l1", "l2(0.5)", "elastic_net(l1=0.1,l2=3)", "group_l2(lambda=1,sizes=[2, 1])"]
    {
        let regulariser = Regulariser::parse(text).unwrap();
        assert_eq!(Regulariser::parse(&regulariser.to_string()).unwrap(), regulariser, "{text}");
    }
    assert!(Regulariser::parse("l3").unwrap_err().to_string().contains("no regulariser is called `l3`"));
    assert!(Regulariser::parse("l1(lambda=-1)").is_err() && Regulariser::parse("group_l2(sizes=3)").is_err());
}

fn regularisers() -> Vec<Regulariser> {
    ["l0(lambda=0.4)", "l1(lambda=0.7)", "l2(lambda=0.3)", "elastic_net(l1=0.5,l2=0.2)", "l2(lambda=0)"]
        .into_iter()
        .chain(["group_l2(lambda=0.6,sizes=[2,3])", "group_l2(lambda=0.6,sizes=[9])", "group_l2"])
        .map(|text| Regulariser::parse(text).unwrap())
        .collect()
}

fn vectors() -> Vec<Vec<f64>> {
    let mut rng = rng_for(9, 0);
    let one = |i: usize| {
        let scale = [0.3, 1.0, 4.0][i % 3];
        (0..6).map(|_| if uniform(&mut rng) < 0.2 { 0.0 } else { scale * normal(&mut rng) }).collect()
    };
    (0..30).map(one).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn regularisers_have_subgradients_and_curvatures() {
    let mut rng = rng_for(10, 0);
    let h = 1e-6;
    for r in regularisers().into_iter().skip(1) {
        for w in vectors() {
            let gradient = r.gradient(&w).unwrap();
            let along: Vec<f64> = w.iter().map(|v| if *v == 0.0 { 0.0 } else { normal(&mut rng) }).collect();
            let at = |t: f64| w.iter().zip(&along).map(|(w, d)| w + t * d).collect::<Vec<_>>();
            let slope = (r.value(&at(h)) - r.value(&at(-h))) / (2.0 * h);
            assert!((slope - dot(&gradient, &along)).abs() < 1e-6, "{r}");
            let difference: Vec<f64> = r
                .gradient(&at(h))
                .unwrap()
                .iter()
                .zip(r.gradient(&at(-h)).unwrap())
                .map(|(a, b)| a - b)
                .collect();
            let bend = dot(&difference, &along) / (2.0 * h);
            let bound = r.curvature(&w).unwrap() * dot(&along, &along);
            assert!(bend <= bound * (1.0 + 1e-4) + 1e-6, "{r}: {bend} > {bound}");
            // Above its tangent, also where weights are 0.
            let other: Vec<f64> = w.iter().map(|_| 2.0 * normal(&mut rng)).collect();
            let away: Vec<f64> = other.iter().zip(&w).map(|(a, b)| a - b).collect();
            assert!(r.value(&other) >= r.value(&w) + dot(&gradient, &away) - 1e-12, "{r}");
        }
    }
    let l0 = &regularisers()[0];
    assert!(l0.gradient(&[1.0]).is_err() && l0.curvature(&[1.0]).is_err());
    assert_eq!(l0.value(&[0.0, 2.0, -1.0]), 0.8);
}

#[test]
fn proximal_points_of_regularisers_beat_every_other() {
    let mut rng = rng_for(11, 0);
    for r in regularisers() {
        for v in vectors() {
            for step in [0.1, 1.0, 5.0] {
                let z = r.prox(&v, step).unwrap();
                let cost = |z: &[f64]| {
                    step * r.value(z) + z.iter().zip(&v).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 2.0
                };
                let best = cost(&z);
                for i in 0..60 {
                    let scale = 10f64.powi(-(i % 6));
                    let other: Vec<f64> = match i % 3 {
                        0 => z.iter().map(|z| z + scale * normal(&mut rng)).collect(),
                        1 => z
                            .iter()
                            .zip(&v)
                            .map(|(z, v)| if uniform(&mut rng) < 0.5 { *z } else { *v })
                            .collect(),
                        _ => z.iter().map(|z| if uniform(&mut rng) < 0.5 { *z } else { 0.0 }).collect(),
                    };
                    assert!(best <= cost(&other) + 1e-12 * (1.0 + best), "{r} from {v:?} by {step}");
                }
            }
        }
        assert!(r.prox(&[1.0], -1.0).is_err() && r.prox(&[1.0], f64::INFINITY).is_err());
    }
}

#[test]
fn conjugates_of_regularisers_obey_fenchel_and_young() {
    let mut rng = rng_for(12, 0);
    for r in regularisers() {
        for w in vectors() {
            if let Ok(u) = r.gradient(&w) {
                // Rounding may push a gradient of length lambda just out of the ball.
                let u: Vec<f64> = u.iter().map(|u| u * (1.0 - 1e-12)).collect();
                let gap = r.value(&w) + r.conjugate(&u) - dot(&u, &w);
                assert!(gap.abs() < 1e-9, "{r} at {w:?}: {gap}");
            }
            let u: Vec<f64> = w.iter().map(|_| normal(&mut rng)).collect();
            let gap = r.value(&w) + r.conjugate(&u) - dot(&u, &w);
            assert!(gap >= -1e-12, "{r} at {w:?}, {u:?}: {gap}");
        }
        assert_eq!(r.conjugate(&[0.0; 6]), 0.0, "{r}");
    }
    assert_eq!(Regulariser::L1 { lambda: 1.0 }.conjugate(&[1.0, -1.1]), f64::INFINITY);
    assert_eq!(Regulariser::L2 { lambda: 2.0 }.conjugate(&[4.0, 0.0]), 2.0);
    assert_eq!(Regulariser::L2 { lambda: 0.0 }.conjugate(&[1e-3]), f64::INFINITY);
}
