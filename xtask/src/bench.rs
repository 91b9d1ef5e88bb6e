//! `cargo xtask bench [TASK…]`: both sides on the same data in one run, in a virtual environment with pinned peers.

use crate::{sh, target, venv};
use anyhow::{Result, bail};
use std::path::Path;

/// Builds the release wheel, installs it beside the peers, and runs the tasks.
pub fn run(root: &Path, tasks: &[String]) -> Result<()> {
    let place = target(root).join("venv-bench");
    let python = venv(&place, &root.join("bench/requirements.txt"))?;
    // Their declared limits would keep the other peers back; a second call finds them there.
    let alone = root.join("bench/requirements-alone.txt").display().to_string();
    sh(root, &python, &["-m", "pip", "install", "--quiet", "--no-deps", "-r", &alone])?;
    let wheels = target(root).join("wheels-bench");
    let _ = std::fs::remove_dir_all(&wheels);
    let crate_dir = root.join("crates/python");
    let out = wheels.display().to_string();
    sh(&crate_dir, place.join("bin/maturin"), &["build", "--release", "--out", &out, "--quiet"])?;
    let wheel = std::fs::read_dir(&wheels)?
        .flatten()
        .map(|e| e.path())
        .find(|p| p.extension().is_some_and(|e| e == "whl"));
    let Some(wheel) = wheel else { bail!("maturin built no wheel") };
    let wheel = wheel.display().to_string();
    sh(root, &python, &["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", &wheel])?;
    let mut arguments = vec!["bench/run.py"];
    arguments.extend(tasks.iter().map(String::as_str));
    sh(root, &python, &arguments)
}
