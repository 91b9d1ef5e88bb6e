//! Writes the documents and the Python classes that are made from the catalogue: `docs`, `python`, each with `--check`.

mod docs;
mod python;
mod python_class;

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).unwrap_or(here);
    let check = arguments.iter().any(|a| a == "--check");
    let made = match arguments.first().map(String::as_str) {
        Some("docs") => docs::generate(root, check),
        Some("python") => python::generate(root, check),
        _ => Err(anyhow::anyhow!("say `docs` or `python`")),
    };
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("generate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Writes a generated file; with `check`, fails when the file on disk differs.
fn write_or_check(path: &Path, text: &str, check: bool) -> Result<()> {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    if old == text {
        return Ok(());
    }
    if check {
        bail!("{} is stale: run `cargo xtask docs` and `cargo xtask python`", path.display());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())?;
    println!("wrote {}", path.display());
    Ok(())
}
