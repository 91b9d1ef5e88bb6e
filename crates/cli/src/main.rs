//! The mercer command line.
fn main() {}
