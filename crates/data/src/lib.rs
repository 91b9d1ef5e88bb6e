//! Readers, writers, bundled data sets and profiles of tables.
//!
//! CSV ([`read_csv`], [`CsvBatches`], [`write_csv`]), Parquet ([`read_parquet`], [`write_parquet`]), JSON lines
//! ([`read_jsonl`], [`write_jsonl`]), Arrow IPC ([`read_arrow`]), svmlight ([`read_svmlight`]), ARFF ([`read_arff`]) and
//! NumPy files ([`read_npy`]), each also compressed with gzip or Zstandard where that is usual; small sets
//! that travel with Mercer ([`bundled`]), and [`read`] for whatever a person may type. Parallel work runs in
//! rayon's current pool: install the session's around a call.

mod arff;
mod arrow;
mod bundled;
mod columns;
mod compression;
mod csv;
mod generate;
mod hash;
mod infer;
mod jsonl;
mod kinds;
mod leaks;
mod npy;
mod open;
mod parquet_file;
mod profile;
mod svmlight;

pub use arff::{read_arff, read_arff_bytes};
pub use arrow::{read_arrow, read_arrow_bytes};
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
pub use jsonl::{read_jsonl, read_jsonl_from, write_jsonl};
pub use leaks::{Leak, LeakKind, leaks};
pub use npy::{read_npy, read_npy_bytes};
pub use open::read;
pub use parquet_file::{read_parquet, read_parquet_bytes, write_parquet};
pub use profile::{ColumnProfile, Identifier, NumberSummary, identifier, profile};
pub use svmlight::{Svmlight, read_svmlight, read_svmlight_bytes};
