//! Parquet: flat files to tables and back, without Arrow.

mod read;
mod write;

pub(crate) use read::read_file;
pub use read::{read_parquet, read_parquet_bytes};
pub use write::write_parquet;

#[cfg(test)]
mod tests;
