//! Whether the wheel is built of the same crates with the same features as the tests, so that both share one build.

use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Crates that the wheel would build again, since cargo resolves other features for it alone.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let tests = resolved(root, &["--workspace", "--edges", "normal,build,dev"])?;
    let wheel = resolved(root, &["--package", "mercer-python", "--edges", "normal,build"])?;
    let say =
        |line: &String| format!("crates/python/Cargo.toml: the wheel builds `{line}`, the tests do not");
    Ok(wheel.difference(&tests).map(say).collect())
}

/// Each crate with its features.
fn resolved(root: &Path, selection: &[&str]) -> Result<BTreeSet<String>> {
    let tree = ["tree", "--quiet", "--prefix", "none", "--format", "{p} with {f}"];
    let out = Command::new("cargo").args(tree).args(selection).current_dir(root).output();
    let out = out.context("cannot run cargo tree")?;
    if !out.status.success() {
        bail!("cargo tree failed: {}", String::from_utf8_lossy(&out.stderr));
    }
    let text = String::from_utf8_lossy(&out.stdout);
    Ok(text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect())
}
