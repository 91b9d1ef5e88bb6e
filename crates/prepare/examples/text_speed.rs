//! Times TF-IDF, fit and transform in one: `text_speed [file] [repeats]`.
//!
//! 100,000 documents of about 100 words, drawn by Zipf's law from 50,000 words. With a file name, the documents are
//! written there, one a line, for `text_speed.py` to read.

#![allow(clippy::print_stdout)]

use mercer_core::{Dataset, Fit, Result, Session};
use mercer_math::{below, rng_for, uniform};
use mercer_prepare::TfidfVectorizer;
use std::time::Instant;

const DOCUMENTS: usize = 100_000;
const WORDS: usize = 50_000;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let documents = documents();
    if let Some(file) = args.first() {
        std::fs::write(file, documents.join("\n")).expect("a file that can be written");
    }
    let data = Dataset::new(documents.as_slice());
    for _ in 0..args.get(1).and_then(|v| v.parse().ok()).unwrap_or(3) {
        let start = Instant::now();
        let (model, rows) = TfidfVectorizer::default().fit_transform(&data, &Session::new(0))?;
        let fitted = start.elapsed();
        let start = Instant::now();
        let again = model.transform(documents.as_slice())?;
        let (n, d) = (again.n_rows(), rows.n_features());
        println!("fit_transform {fitted:.3?}, transform {:.3?}: {n} rows, {d} terms", start.elapsed());
    }
    Ok(())
}

fn documents() -> Vec<String> {
    let mut rng = rng_for(1, 0);
    let letters = b"etaoinshrdlucmfwypvbgkjqxz";
    let word = |i: usize| {
        let mut rng = rng_for(2, i as u64);
        let length = 2 + below(&mut rng, 9);
        (0..length).map(|_| letters[below(&mut rng, 26)] as char).collect::<String>()
    };
    let words: Vec<String> = (0..WORDS).map(word).collect();
    // Word of rank r with probability proportional to 1 / r.
    let total: f64 = (1..=WORDS).map(|r| 1.0 / r as f64).sum();
    let mut reached = 0.0;
    let cumulated: Vec<f64> = (1..=WORDS)
        .map(|r| {
            reached += 1.0 / (r as f64 * total);
            reached
        })
        .collect();
    (0..DOCUMENTS)
        .map(|_| {
            let length = 60 + below(&mut rng, 80);
            let mut text = String::new();
            for i in 0..length {
                let u = uniform(&mut rng);
                let rank = cumulated.partition_point(|&c| c < u).min(WORDS - 1);
                text.push_str(if i == 0 {
                    ""
                } else if i % 12 == 0 {
                    ". "
                } else {
                    " "
                });
                text.push_str(&words[rank]);
            }
            text
        })
        .collect()
}
