//! `cargo xtask docs`: documents made from the catalogue, so that no fact is written twice.

use anyhow::{Context, Result};
use mercer::{Capabilities, Declaration, Kinds};
use std::fmt::Write;
use std::path::Path;

/// Writes the generated documents, or with `check` fails when one is stale.
pub fn generate(root: &Path, check: bool) -> Result<()> {
    let entries = mercer::catalogue();
    let declarations: Vec<&Declaration> = entries.iter().map(|e| (e.declaration)()).collect();
    let rows = std::fs::read_to_string(root.join("docs/canon.tsv")).context("docs/canon.tsv")?;
    crate::write_or_check(&root.join("docs/canon.md"), &canon(&rows, &declarations), check)?;
    crate::write_or_check(&root.join("docs/models.md"), &models(&declarations), check)
}

fn canon(rows: &str, declarations: &[&Declaration]) -> String {
    let mut out = String::from(
        "# The canon, and what covers it\n\n\
         Generated from the catalogue by `cargo xtask docs`; the rows are those of `docs/canon.tsv`. A row names the\n\
         learners that declare it, and says whether it is whole, or what is still missing; \"not yet\" means that nothing\n\
         covers it.\n",
    );
    let mut section = "";
    let (mut covered, mut whole, mut total) = (0, 0, 0);
    for line in rows.lines().skip(1) {
        let mut cells = line.split('\t');
        let (Some(own), Some(id), Some(what)) = (cells.next(), cells.next(), cells.next()) else { continue };
        let missing = cells.next().unwrap_or_default();
        if own != section {
            section = own;
            let _ = write!(out, "\n## {section}\n| id | what | state | covered by |\n|---|---|---|---|\n");
        }
        let names: Vec<&str> =
            declarations.iter().filter(|d| d.canon.contains(&id)).map(|d| d.name).collect();
        let names = [names, rooms(id)].concat();
        total += 1;
        let state = match (names.is_empty(), missing.is_empty()) {
            (true, _) => "not yet".to_owned(),
            (false, true) => "whole".to_owned(),
            (false, false) => format!("part (missing: {})", missing.replace('|', "\\|")),
        };
        covered += usize::from(!names.is_empty());
        whole += usize::from(state == "whole");
        let by = names.join(", ");
        let _ = writeln!(out, "| {id} | {} | {state} | {by} |", what.replace('|', "\\|"));
    }
    let _ = write!(out, "\n{whole} of {total} rows are whole, {} are covered in part.\n", covered - whole);
    out
}

/// Rows covered by rooms of the house rather than by a learner.
fn rooms(id: &str) -> Vec<&'static str> {
    match id {
        "D1" => vec!["`mercer::Table`, `mercer::Dataset`"],
        "D2" => vec!["`mercer::data` (CSV, Parquet, Arrow IPC, JSON lines, svmlight, ARFF, NumPy)"],
        "D6" => vec!["`mercer::data::datasets`, `mercer::data::GENERATORS`"],
        "K1" => vec!["`mercer::kernels::Kernel`"],
        "K2" => vec!["`mercer::kernels::{Kernel, PolynomialMap, definiteness, marginalised}`"],
        "K3" => vec!["`mercer::kernels::{Kernel, dtw, node_kernel}`"],
        "A1" | "A2" | "A3" => vec!["`mercer::measure`"],
        "A4" => vec!["`mercer::measure::Splitter`, `mercer::assess::{triple, nested}`"],
        "A5" => vec!["`mercer::assess::tune`"],
        "A6" => vec!["`mercer::assess::bias_variance`"],
        "A7" => vec!["`mercer::measure::{Loss, Regulariser}`"],
        "O1" | "O2" | "O3" | "O4" => vec!["`mercer::optim`"],
        "B2" => vec!["`mercer::stats::{Family, mle, map_estimate, study, james_stein, average}`"],
        "B3" => vec![
            "`mercer::stats::{Gaussian, Quadratic, sherman_morrison, woodbury, definiteness, FAMILIES}`",
            "`mercer::math::pinv`",
        ],
        "R1" => vec!["`mercer::rl::bandits`"],
        "R5" => vec!["`mercer::rl::{environment, environments}`"],
        "T9" => vec!["`mercer::assess::permutation_importance`"],
        "P5" => vec!["`Certificate`, on every model"],
        _ => Vec::new(),
    }
}

fn models(declarations: &[&Declaration]) -> String {
    let mut out = String::from(
        "# Models and their parameters\n\n\
         Generated from the catalogue by `cargo xtask docs`. The same parameters hold in Rust, in Python and for\n\
         `mercer fit -m MODEL:k=v`; seed and threads belong to the session (`--seed`, `--threads`, `random_state`).\n",
    );
    for d in declarations {
        let takes = match d.kinds {
            Kinds { learns_from, asked_about } if learns_from == asked_about => learns_from.to_string(),
            Kinds { learns_from, asked_about } => format!("{learns_from}; asked about {asked_about}"),
        };
        let _ = write!(out, "\n## {}\n{} Task: {}. Takes {takes}.\n\n", d.name, d.summary, d.task);
        let _ = writeln!(out, "- command line: `-m {}`", d.aliases.join("` or `-m "));
        let _ = writeln!(out, "- Python: `mercer.{}.{}`", d.python, d.name);
        let _ = writeln!(out, "- canon: {}", d.canon.join(", "));
        let _ = writeln!(out, "- file: `{}`", d.file);
        let can = d.capabilities.names();
        for (part, all) in
            [("gives", Capabilities::GIVES), ("takes", Capabilities::TAKES), ("keeps", Capabilities::KEEPS)]
        {
            let own: Vec<&str> = can.iter().filter(|name| all.contains(name)).copied().collect();
            if !own.is_empty() {
                let _ = writeln!(out, "- {part}: {}", own.join(", "));
            }
        }
        d.references.iter().for_each(|r| {
            let _ = writeln!(out, "- {r}");
        });
        if d.params.is_empty() {
            continue;
        }
        out.push_str("\n| parameter | default | allowed | search | meaning |\n|---|---|---|---|---|\n");
        for p in &d.params {
            let allowed = p.allowed().replace('|', "\\|");
            let search = p.search.unwrap_or_default().replace('|', "\\|");
            let meaning = p.doc.replace('\n', " ").replace('|', "\\|");
            let _ = writeln!(out, "| `{}` | `{}` | {allowed} | {search} | {meaning} |", p.name, p.default);
        }
    }
    out
}
