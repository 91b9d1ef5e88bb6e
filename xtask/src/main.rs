//! The project's chores: `cargo xtask test | compat | tidy | docs | python | bench | new-algorithm`.

mod bench;
mod browser;
mod copies;
mod features;
mod guesses;
mod new_algorithm;
mod test;
mod tidy;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let root = root();
    let check = arguments.iter().any(|a| a == "--check");
    match arguments.first().map(String::as_str) {
        Some("test") => test::run(&root, &arguments[1..]),
        Some("compat") => test::compat(&root, &arguments[1..]),
        Some("tidy") => tidy::run(&root),
        Some(what @ ("docs" | "python")) => generate(&root, what, check),
        Some("new-algorithm") => new_algorithm::run(&root, &arguments[1..]),
        Some("bench") => bench::run(&root, &arguments[1..]),
        _ => {
            println!(
                "cargo xtask test [STEP…]   format, lints, tests, wheel, browser (all, or some of the steps)"
            );
            println!("cargo xtask compat [MODULE…]  scikit-learn's own tests, and which of them pass");
            println!("cargo xtask tidy           lengths, headings, and whether generated files are fresh");
            println!("cargo xtask docs           writes docs/canon.md and docs/models.md from the catalogue");
            println!("cargo xtask python         writes the Python classes from the catalogue");
            println!("cargo xtask bench [TASK…]  compares with the peers");
            println!("cargo xtask new-algorithm FAMILY NAME CANON   a learner that compiles, to be written");
            Ok(())
        }
    }
}

/// Writes what is generated from the catalogue, or checks that it is fresh. A program of its own: the other chores do
/// without compiling the toolkit. It is built as part of the workspace, so that it shares what the tests have built.
fn generate(root: &Path, what: &str, check: bool) -> Result<()> {
    sh(root, "cargo", &["build", "--quiet", "--workspace", "--bin", "mercer-generate"])?;
    let arguments: Vec<&str> = std::iter::once(what).chain(check.then_some("--check")).collect();
    sh(root, target(root).join("debug/mercer-generate"), &arguments)
}

/// The root of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Whether this runs in continuous integration, where nothing may be skipped.
fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|v| v == "true")
}

/// Where builds and virtual environments go.
fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Runs a command and fails when it does, with the command in the message.
fn sh(folder: &Path, program: impl AsRef<Path>, arguments: &[&str]) -> Result<()> {
    let program = program.as_ref();
    println!("$ {} {}", program.display(), arguments.join(" "));
    let status = Command::new(program).args(arguments).current_dir(folder).status();
    let status = status.with_context(|| format!("cannot run {}", program.display()))?;
    if !status.success() {
        bail!("`{} {}` failed ({status})", program.display(), arguments.join(" "));
    }
    Ok(())
}

/// Whether a program can be run at all.
fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
}

/// A virtual environment with the packages of a requirements file, made once for each content of the file.
fn venv(place: &Path, requirements: &Path) -> Result<PathBuf> {
    let python = place.join("bin/python");
    let wanted = std::fs::read_to_string(requirements).with_context(|| requirements.display().to_string())?;
    let stamp = place.join("requirements.stamp");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) && python.is_file() {
        return Ok(python);
    }
    if !has("python3") {
        bail!(
            "python3 is not there; install Python 3.10 or later (Debian: apt-get install python3 python3-venv)"
        );
    }
    let folder = place.parent().unwrap_or(place);
    std::fs::create_dir_all(folder)?;
    sh(folder, "python3", &["-m", "venv", "--clear", &place.display().to_string()])?;
    sh(folder, &python, &["-m", "pip", "install", "--quiet", "-r", &requirements.display().to_string()])?;
    std::fs::write(stamp, wanted)?;
    Ok(python)
}
