//! Times `read_csv`: `cargo run --release -p mercer-data --example read_speed -- FILE`.
#![allow(clippy::print_stdout)]

fn main() -> mercer_core::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "iris.csv".into());
    for _ in 0..5 {
        let start = std::time::Instant::now();
        let loaded = mercer_data::read(&path, &mercer_data::CsvOptions::default())?;
        let (rows, columns) = (loaded.table.n_rows(), loaded.table.n_columns());
        println!("{:.3} s: {rows} rows, {columns} columns; {loaded}", start.elapsed().as_secs_f64());
    }
    Ok(())
}
