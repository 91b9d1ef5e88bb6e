//! The report in a real browser: headless Chromium driven by playwright-core.

use crate::{has, in_ci, sh, target};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

/// Makes reports with the command line and opens them in the browser.
pub fn run(root: &Path) -> Result<()> {
    if let Err(error) = install(root) {
        if in_ci() {
            return Err(error);
        }
        println!("SKIPPED the browser tests: {error:#}");
        return Ok(());
    }
    // The binary that the Rust tests have built; on its own, this step builds it.
    let mercer = target(root).join("debug/mercer");
    if !mercer.is_file() {
        sh(root, "cargo", &["build", "--package", "mercer-cli"])?;
    }
    let place = target(root).join("browser");
    let report = |name: &str| place.join(name).display().to_string();
    let (multi, binary, numbers) =
        (report("multiclass.html"), report("binary.html"), report("regression.html"));
    for (data, target, path) in [
        ("penguins", "species", &multi),
        ("breast-cancer", "diagnosis", &binary),
        ("diabetes", "progression", &numbers),
    ] {
        sh(root, &mercer, &["compare", data, "-t", target, "--report", path])?;
    }
    let script = root.join("crates/report/tests/browser.mjs");
    let copy = place.join("browser.mjs");
    std::fs::copy(script, &copy)?;
    sh(&place, "node", &["browser.mjs", &multi, &binary, &numbers])
}

/// Chromium from Debian's packages and playwright-core from the npm registry, where they are not there yet.
fn install(root: &Path) -> Result<()> {
    if !has("node") || !has("npm") {
        bail!("node and npm are not there (Debian: apt-get install nodejs npm)");
    }
    if !has("chromium") {
        let quiet = |arguments: &[&str]| {
            Command::new("apt-get")
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive")
                .output()
                .is_ok_and(|o| o.status.success())
        };
        if !(quiet(&["update"]) && quiet(&["install", "-y", "--no-install-recommends", "chromium"])) {
            bail!("chromium is not there and could not be installed (Debian: apt-get install chromium)");
        }
    }
    let place = target(root).join("browser");
    std::fs::create_dir_all(&place)?;
    if !place.join("node_modules/playwright-core").is_dir() {
        std::fs::write(place.join("package.json"), "{\"private\": true}\n")?;
        sh(&place, "npm", &["install", "--silent", "--no-audit", "--no-fund", "playwright-core@1.64.1"])?;
    }
    Ok(())
}
