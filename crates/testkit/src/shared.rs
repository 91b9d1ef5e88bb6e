//! The larger real data sets, which stand beside the project.

use std::path::PathBuf;

/// The text of a file of the shared data sets: in the folder that `MERCER_DATA` names, else in `../shared/data`. Without
/// such a folder the test says that it is skipped, which in continuous integration is a failure.
///
/// # Panics
/// Where nothing may be skipped, or the folder lacks the file.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn shared_data(file: &str) -> Option<String> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("MERCER_DATA").map_or_else(beside, PathBuf::from);
    if !folder.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "shared data absent: {} is no folder", folder.display());
        eprintln!(
            "skipped: shared data absent, MERCER_DATA names no folder and {} is none",
            folder.display()
        );
        return None;
    }
    let path = folder.join(file);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}
