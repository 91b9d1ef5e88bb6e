//! `cargo xtask test`: everything that must hold, from a clean clone.

use crate::{browser, generate, in_ci, sh, target, tidy, venv};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::time::Instant;

type Step = (&'static str, fn(&Path) -> Result<()>);

/// In the order of cost: what fails fast comes first.
const STEPS: &[Step] = &[
    ("format", |root| sh(root, "cargo", &["fmt", "--all", "--check"])),
    ("tidy", tidy::run),
    ("generated", |root| generate(root, "docs", true).and_then(|()| generate(root, "python", true))),
    ("lint", |root| sh(root, "cargo", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])),
    ("rust", |root| sh(root, "cargo", &["test", "--workspace", "--no-fail-fast"])),
    ("python", wheel),
    ("browser", browser::run),
];

/// Runs all steps, or those named.
pub fn run(root: &Path, only: &[String]) -> Result<()> {
    if let Some(unknown) = only.iter().find(|o| STEPS.iter().all(|(name, _)| name != o)) {
        let names: Vec<&str> = STEPS.iter().map(|s| s.0).collect();
        bail!("no step is called `{unknown}`; there are {}", names.join(", "));
    }
    if std::env::var_os("MERCER_DATA").is_none_or(|folder| !Path::new(&folder).is_dir()) {
        if in_ci() {
            bail!(
                "MERCER_DATA names no folder: tests on real data would be skipped, and here nothing may be"
            );
        }
        println!(
            "note: MERCER_DATA is not set, so tests on the larger real data sets say that they are skipped"
        );
    }
    for (name, step) in STEPS.iter().filter(|(name, _)| only.is_empty() || only.iter().any(|o| o == name)) {
        let started = Instant::now();
        println!("== {name}");
        step(root)?;
        println!("== {name}: ok in {:.0} s", started.elapsed().as_secs_f64());
    }
    println!("all steps passed");
    Ok(())
}

/// Runs the Python tests against the wheel, then a sample of scikit-learn's own.
fn wheel(root: &Path) -> Result<()> {
    let Some(python) = installed(root)? else { return Ok(()) };
    sh(root, &python, &["-m", "pytest", "-q", "-p", "no:cacheprovider", "crates/python/tests"])?;
    sh(root, &python, &["crates/python/tests/compat/run.py", "--sample", "8"])
}

/// Runs scikit-learn's own tests against the wheel: `cargo xtask compat [MODULE…] [--write] [--show]`.
pub fn compat(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(python) = installed(root)? else { return Ok(()) };
    let arguments: Vec<&str> = std::iter::once("crates/python/tests/compat/run.py")
        .chain(arguments.iter().map(String::as_str))
        .collect();
    sh(root, &python, &arguments)
}

/// Builds the wheel and installs it in a virtual environment of its own, whose Python is returned; `None` where there can be
/// none, outside of CI. The wheel is built under the profile of the Rust tests, so that it shares what they have built.
fn installed(root: &Path) -> Result<Option<PathBuf>> {
    let place = target(root).join("venv-test");
    let requirements = root.join("crates/python/requirements-test.txt");
    let python = match venv(&place, &requirements) {
        Ok(python) => python,
        Err(error) if !in_ci() => {
            println!("SKIPPED the Python tests: {error:#}");
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let wheels = target(root).join("wheels-test");
    let _ = std::fs::remove_dir_all(&wheels);
    let out = wheels.display().to_string();
    let crate_dir = root.join("crates/python");
    sh(&crate_dir, place.join("bin/maturin"), &["build", "--profile", "dev", "--out", &out, "--quiet"])?;
    let wheel = std::fs::read_dir(&wheels)?
        .flatten()
        .map(|e| e.path())
        .find(|p| p.extension().is_some_and(|e| e == "whl"));
    let Some(wheel) = wheel else { bail!("maturin built no wheel") };
    let wheel = wheel.display().to_string();
    sh(root, &python, &["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", &wheel])?;
    Ok(Some(python))
}
