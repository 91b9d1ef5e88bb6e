//! Times one-hot encoding, fit and transform, of 1,000,000 rows of five categorical columns: `encode_speed [repeats]`.
//! `encode_speed.py` times scikit-learn on the same numbers of levels.

#![allow(clippy::print_stdout)]

use mercer_core::{Column, Dataset, Fit, Result, Session, Table};
use mercer_math::{Mat, below, rng_for};
use mercer_prepare::OneHotEncoder;
use std::time::Instant;

const ROWS: usize = 1_000_000;
const LEVELS: [usize; 5] = [3, 10, 50, 200, 1000];

fn main() -> Result<()> {
    let repeats = std::env::args().nth(1).and_then(|v| v.parse().ok()).unwrap_or(3);
    let mut rng = rng_for(1, 0);
    let codes: Vec<Vec<u32>> =
        LEVELS.iter().map(|&m| (0..ROWS).map(|_| below(&mut rng, m) as u32).collect()).collect();
    let column = |(j, codes): (usize, &Vec<u32>)| {
        let levels = (0..LEVELS[j]).map(|l| format!("level{l:04}")).collect();
        (format!("c{j}"), Column::Categorical { codes: codes.clone().into(), levels })
    };
    let table = Table::new(codes.iter().enumerate().map(column).collect())?;
    let matrix = Mat::from_fn(ROWS, LEVELS.len(), |i, j| f64::from(codes[j][i]));
    for _ in 0..repeats {
        for (name, data) in [("categories", Dataset::new(&table)), ("numbers", Dataset::new(&matrix))] {
            let start = Instant::now();
            let (_, rows) = OneHotEncoder::default().fit_transform(&data, &Session::new(0))?;
            println!("{name}: {:.3?}, {} columns", start.elapsed(), rows.n_features());
        }
    }
    Ok(())
}
