//! `cargo xtask tidy`: the rules of the house that a machine can hold.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// Lines of a file, tests at its end not counted.
const SOFT: usize = 500;
/// The headings of an algorithm's module, in this order.
const HEADINGS: &[&str] = &["Objective", "Algorithm", "Complexity", "Example", "Numerics", "References"];

/// Checks lengths, headings, forbidden words, copied declarations, decisions guessed from names, and
/// whether the wheel shares its build with the tests.
pub fn run(root: &Path) -> Result<()> {
    let (mut problems, mut declaring) = (Vec::new(), Vec::new());
    for path in sources(&root.join("crates")).into_iter().chain(sources(&root.join("xtask"))) {
        let text = std::fs::read_to_string(&path)?;
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        problems.extend(check(&text, !name.contains("/tests/")).into_iter().map(|p| format!("{name}: {p}")));
        if name.contains("/src/") {
            declaring.push((name, text));
        }
    }
    problems.extend(crate::copies::check(declaring.iter().map(|(_, text)| text.as_str())));
    let learners: Vec<String> =
        declaring.iter().flat_map(|(_, text)| crate::guesses::learners(text)).collect();
    for (name, text) in &declaring {
        let found = crate::guesses::check(name, text, &learners);
        problems.extend(found.into_iter().map(|p| format!("{name}, {p}")));
    }
    problems.extend(crate::features::check(root)?);
    if problems.is_empty() {
        return Ok(());
    }
    bail!("{}", problems.join("\n"));
}

/// The Rust sources of a folder, those of builds left out.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut out: Vec<PathBuf> = Vec::new();
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() && path.file_name().is_some_and(|n| n != "target") {
            out.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    out.sort();
    out
}

/// What is wrong with a file; learners of tests need no headings.
fn check(text: &str, is_source: bool) -> Vec<String> {
    let mut problems = Vec::new();
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let lines = code.lines().count();
    if lines > SOFT {
        problems.push(format!("{lines} lines of code, more than {SOFT}: would two modules read better?"));
    }
    if !text.starts_with("//!") {
        problems.push("no module doc".to_owned());
    }
    for word in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("#[ign", "ore"), concat!("todo", "!(")] {
        if text.contains(word) {
            problems.push(format!("`{word}` hides unfinished work"));
        }
    }
    if is_source
        && text.contains(concat!("aliases", " = \""))
        && text.contains(concat!("Para", "ms)]"))
        && !text.contains("proc_macro")
    {
        problems.extend(headings(text));
    }
    problems
}

fn headings(text: &str) -> Vec<String> {
    let mut in_code = false;
    let heading = |line: &str| {
        in_code ^= line.starts_with("//! ```");
        line.strip_prefix("//! # ").filter(|_| !in_code).map(str::to_owned)
    };
    let found: Vec<String> = text.lines().filter_map(heading).collect();
    if found == HEADINGS { Vec::new() } else { vec![format!("headings {found:?}, not {HEADINGS:?}")] }
}
