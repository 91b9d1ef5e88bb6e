//! Readers, writers, bundled data sets and profiles of tables.
//!
//! CSV ([`read_csv`], [`CsvBatches`], [`write_csv`]), Parquet ([`read_parquet`], [`write_parquet`]), small sets
//! that travel with Mercer ([`bundled`]), and [`read`] for whatever a person may type. Parallel work runs in
//! rayon's current pool: install the session's around a call.

mod bundled;
mod csv;
mod generate;
mod hash;
mod infer;
mod leaks;
mod open;
mod parquet_file;
mod profile;

pub use bundled::{Bundled, bundled, datasets};
pub use csv::{
    CsvBatches, CsvOptions, DEFAULT_MISSING, read_csv, read_csv_bytes, read_csv_from, write_csv,
    write_csv_with,
};
pub use generate::{
    GENERATORS, Generated, GeneratedTarget, Generator, GeneratorParam, friedman_inputs, friedman_mean,
    generate,
};
pub use hash::table_hash;
pub use infer::{DEFAULT_MAX_LEVELS, Inferred, Loaded};
pub use leaks::{Leak, LeakKind, leaks};
pub use open::read;
pub use parquet_file::{read_parquet, read_parquet_bytes, write_parquet};
pub use profile::{ColumnProfile, NumberSummary, profile};
