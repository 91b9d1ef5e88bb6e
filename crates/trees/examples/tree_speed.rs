//! Times the trees on made data: 30 features of which 10 matter, two classes, 5 % label noise.
//!
//! `cargo run --release -p mercer-trees --example tree_speed [rows] [features] [repeats] [dump.f64]` prints minima over
//! the repeats; with a fourth argument it writes the rows and classes as raw little-endian f64, for a peer.
#![allow(clippy::print_stdout)]

use mercer_core::{Dataset, Fit, Input, Model, Session, Target};
use mercer_math::{Mat, normal, rng_for, uniform};
use mercer_trees::{DecisionTreeClassifier, DecisionTreeRegressor};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize, default: usize| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (n, d, repeats) = (number(1, 200_000), number(2, 30), number(3, 3));
    let mut rng = rng_for(7, 0);
    let x = Mat::from_fn(n, d, |_, _| f64::from(normal(&mut rng) as f32));
    let mut classes = Vec::with_capacity(n);
    let mut real = Vec::with_capacity(n);
    for i in 0..n {
        let r = |j: usize| x.row(i)[j % d];
        let score =
            r(0) * r(1) + r(2) + 0.7 * r(3) - 0.5 * r(4) * r(5) + (2.0 * r(6)).sin() + 0.4 * r(7) * r(8)
                - r(9).abs()
                + 0.8;
        let flip = uniform(&mut rng) < 0.05;
        classes.push(i64::from((score > 0.0) != flip));
        real.push(f64::from((score + 0.3 * normal(&mut rng)) as f32));
    }
    if let Some(path) = args.get(4) {
        let all =
            x.as_slice().iter().copied().chain(classes.iter().map(|&c| c as f64)).chain(real.iter().copied());
        std::fs::write(path, all.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())?;
    }
    let (half, session) = (n / 2, Session::new(0).with_threads(2));
    let data = Dataset::new(&x).with_target(Target::classes(&classes))?;
    let numbers = Dataset::new(&x).with_target(Target::real(real))?;
    let train: Vec<usize> = (0..half).collect();
    let test = x.view().rows(half..n);
    for depth in [None, Some(10)] {
        let learner = DecisionTreeClassifier::default().max_depth(depth);
        let (mut fit, mut predict, mut nodes) = (f64::INFINITY, f64::INFINITY, 0);
        for _ in 0..repeats {
            let start = Instant::now();
            let model = learner.fit_in(&data, &session)?;
            fit = fit.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            std::hint::black_box(Model::predict(&model, &Input::from(&x), &session)?);
            predict = predict.min(start.elapsed().as_secs_f64());
            nodes = model.tree.n_nodes();
        }
        let model = learner.fit_in(&data.subset(&train)?, &session)?;
        let found = model.predict(test)?;
        let right =
            found.class()?.0.iter().zip(&classes[half..]).filter(|(f, c)| i64::from(**f) == **c).count();
        let accuracy = right as f64 / (n - half) as f64;
        println!(
            "classes max_depth={depth:?}: fit {fit:.3} s, predict {predict:.4} s, nodes {nodes}, accuracy {accuracy:.4}"
        );
        let row = Input::from(x.view().rows(0..1));
        let start = Instant::now();
        for _ in 0..100_000 {
            std::hint::black_box(Model::predict(&model, &row, &session)?);
        }
        println!("  one row {:.0} ns", start.elapsed().as_secs_f64() * 1e4);
    }
    let mut fit = f64::INFINITY;
    for _ in 0..repeats {
        let start = Instant::now();
        std::hint::black_box(DecisionTreeRegressor::default().fit_in(&numbers, &session)?);
        fit = fit.min(start.elapsed().as_secs_f64());
    }
    println!("numbers max_depth=None: fit {fit:.3} s");
    Ok(())
}
