//! `cargo xtask new-algorithm FAMILY NAME CANON`: the module of a new learner, which compiles and keeps the contract, with
//! its test, its benchmark and what its canon row still misses.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a learner, with the placeholders that [`Names::fill`] replaces.
const MODULE: &str = include_str!("../templates/learner.rs");
const TEST: &str = include_str!("../templates/test.rs");
const BENCH: &str = include_str!("../templates/bench.py");

/// Writes the files, or nothing where something does not fit.
pub fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let [family, name, canon] = arguments else {
        bail!("cargo xtask new-algorithm FAMILY NAME CANON: say `linear HuberRegressor L1`");
    };
    let names = Names::new(root, family, name, canon)?;
    let folder = root.join("crates").join(family);
    let (lib, rows) = (folder.join("src/lib.rs"), root.join("docs/canon.tsv"));
    let changed =
        [(lib.clone(), listed(&fs::read_to_string(&lib)?, &names)?), (rows.clone(), missing(&rows, &names)?)];
    let files: [(PathBuf, &str); 3] = [
        (folder.join(format!("src/{}.rs", names.snake)), MODULE),
        (folder.join(format!("tests/{}.rs", names.snake)), TEST),
        (root.join(format!("bench/tasks/{}.py", names.snake)), BENCH),
    ];
    if let Some((there, _)) = files.iter().find(|(path, _)| path.exists()) {
        bail!("{} is there already", there.display());
    }
    for (path, text) in
        files.iter().map(|(p, t)| (p, names.fill(t))).chain(changed.iter().map(|(p, t)| (p, t.clone())))
    {
        fs::write(path, text).with_context(|| path.display().to_string())?;
        println!("wrote {}", path.strip_prefix(root).unwrap_or(path).display());
    }
    crate::sh(root, "cargo", &["fmt", "--all"])?;
    println!(
        "now write the algorithm; then `cargo xtask docs`, `cargo xtask python`, a line in CHANGELOG.md"
    );
    println!("try it: cargo test --workspace --test contract -- {name}");
    Ok(())
}

/// The spellings of a new learner.
struct Names {
    family: String,
    name: String,
    snake: String,
    alias: String,
    python: String,
    canon: String,
}

impl Names {
    fn new(root: &Path, family: &str, name: &str, canon: &str) -> Result<Self> {
        let sources = root.join("crates").join(family).join("src");
        let all = crate::tidy::sources(&root.join("crates"));
        let texts: Vec<(PathBuf, String)> =
            all.into_iter().map(|p| Ok((p.clone(), fs::read_to_string(p)?))).collect::<Result<_>>()?;
        let own = || texts.iter().filter(|(path, _)| path.starts_with(&sources)).map(|(_, text)| text);
        let Some(python) = own().find_map(|text| text.split_once("\n    python = \"")) else {
            bail!("`{family}` is no family: no learner is declared in {}", sources.display());
        };
        let python = python.1.split('"').next().unwrap_or_default().to_owned();
        let camel = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric());
        if !camel {
            bail!("`{name}` is no name of a type: say `HuberRegressor`");
        }
        if let Some((path, _)) = texts.iter().find(|(_, text)| text.contains(&format!("pub struct {name} ")))
        {
            bail!("{name} is there already, in {}", path.display());
        }
        let snake = snake_case(name);
        let alias = snake.replace('_', "-");
        let [family, name, canon] = [family, name, canon].map(str::to_owned);
        Ok(Self { family, name, snake, alias, python, canon })
    }

    /// The template with the names of this learner.
    fn fill(&self, template: &str) -> String {
        let words = [
            ("NewLearner", &self.name),
            ("new-alias", &self.alias),
            ("mercer_family", &format!("mercer_{}", self.family)),
            ("python_module", &self.python),
            ("CANON", &self.canon),
        ];
        words.iter().fold(template.to_owned(), |text, (word, name)| text.replace(word, name))
    }
}

/// `HuberRegressor` as `huber_regressor`; runs of capitals stay together.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (i, c) in letters.iter().enumerate() {
        let after_lower = i > 0 && !letters[i - 1].is_ascii_uppercase();
        let before_lower = letters.get(i + 1).is_some_and(char::is_ascii_lowercase);
        if i > 0 && c.is_ascii_uppercase() && (after_lower || before_lower) {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The family's `lib.rs` with the module, its types and its entry in the list.
fn listed(lib: &str, names: &Names) -> Result<String> {
    let Names { name, snake, .. } = names;
    let mut lines: Vec<String> = lib.lines().map(str::to_owned).collect();
    let mut insert = |start: &str, line: String| -> Result<()> {
        let after = lines.iter().rposition(|l| l.starts_with(start) && l.ends_with(';'));
        let before = lines.iter().position(|l| l.starts_with(start) && *l > line);
        let Some(at) = before.or(after.map(|at| at + 1)) else { bail!("lib.rs has no line `{start}…`") };
        lines.insert(at, line);
        Ok(())
    };
    insert("mod ", format!("mod {snake};"))?;
    insert("pub use ", format!("pub use {snake}::{{{name}, {name}Model}};"))?;
    let text = lines.join("\n") + "\n";
    let Some((head, last)) = text.rsplit_once("Entry::of::<") else { bail!("lib.rs lists no learners") };
    let Some((last, tail)) = last.split_once("()") else { bail!("lib.rs lists no learners") };
    Ok(format!("{head}Entry::of::<{last}(), Entry::of::<{name}>(){tail}"))
}

/// The canon with what the row still misses: the algorithm itself.
fn missing(path: &Path, names: &Names) -> Result<String> {
    let text = fs::read_to_string(path)?;
    let is_row = |line: &str| line.split('\t').nth(1) == Some(&names.canon);
    if !text.lines().any(is_row) {
        bail!("{} has no row {}", path.display(), names.canon);
    }
    let what = format!("{} (a mean so far)", names.name);
    let line = |line: &str| match (is_row(line), line.ends_with('\t')) {
        (true, true) => format!("{line}{what}\n"),
        (true, false) => format!("{line}; {what}\n"),
        (false, _) => format!("{line}\n"),
    };
    Ok(text.lines().map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::{Names, listed, snake_case};

    fn names() -> Names {
        let [family, name, snake, alias, python, canon] =
            ["linear", "HuberRegressor", "huber_regressor", "huber-regressor", "linear_model", "L1"]
                .map(str::to_owned);
        Names { family, name, snake, alias, python, canon }
    }

    #[test]
    fn names_are_spelt_for_each_door() {
        assert_eq!(snake_case("HuberRegressor"), "huber_regressor");
        assert_eq!(snake_case("SGDClassifier"), "sgd_classifier");
        assert_eq!(snake_case("PCA"), "pca");
        for template in [super::MODULE, super::TEST, super::BENCH] {
            let text = names().fill(template);
            assert!(text.contains("HuberRegressor"));
            assert!(
                !["NewLearner", "new-alias", "mercer_family", "python_module", "CANON"]
                    .iter()
                    .any(|w| text.contains(w))
            );
        }
    }

    #[test]
    fn a_learner_is_listed_once_everywhere() {
        let lib = "//! Doc.\n\nmod lasso;\nmod ridge;\n\npub use lasso::Lasso;\npub use ridge::Ridge;\n\nuse mercer_core::catalogue::Entry;\n\npub fn learners() -> &'static [Entry] {\n    const { &[Entry::of::<Ridge>(), Entry::of::<Lasso>()] }\n}\n";
        let text = listed(lib, &names()).unwrap();
        assert!(text.contains("\nmod huber_regressor;\nmod lasso;"), "{text}");
        assert!(
            text.contains("\npub use huber_regressor::{HuberRegressor, HuberRegressorModel};\npub use lasso"),
            "{text}"
        );
        assert!(text.contains("Entry::of::<Lasso>(), Entry::of::<HuberRegressor>()] }"), "{text}");
    }
}
