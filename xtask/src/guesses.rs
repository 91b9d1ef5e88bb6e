//! Decisions guessed from a learner's name or Python module: what a learner is like stands in its declaration.

/// Where names are looked up rather than judged: the catalogue, and the converters of the doors.
const LOOKED_UP: &[&str] = &["crates/core/src/catalogue.rs", "crates/python/src/", "xtask/generate/src/"];
/// What asks a learner for its name or module.
const ASKED: &[&str] = &["declaration().name", "declaration().python", "::NAME", "d.name", "d.python"];
/// What judges it.
const JUDGED: &[&str] = &["==", "!=", ".contains(", ".starts_with(", ".ends_with("];

/// The names of the learners that a source declares.
pub fn learners(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for declared in text.split("\n#[params(").skip(1) {
        let name = declared.split_once("\npub struct ").map(|(_, rest)| rest);
        let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric()).collect::<String>();
        out.extend(name.map(word));
    }
    out
}

/// The lines of a source that compare a learner's name or Python module.
pub fn check(file: &str, text: &str, learners: &[String]) -> Vec<String> {
    if LOOKED_UP.iter().any(|at| file.starts_with(at)) {
        return Vec::new();
    }
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let guesses = |line: &&str| {
        let line: String = line.split_whitespace().collect();
        let asks = ASKED.iter().any(|asked| {
            let matched = line.contains("matches!(") && line.contains(&format!("{asked},"));
            line.match_indices(asked).any(|(at, _)| {
                let (before, after) = (&line[..at], &line[at + asked.len()..]);
                // `d` is the name of a declaration, not the end of another name.
                let whole = !asked.starts_with("d.") || !before.ends_with(char::is_alphanumeric);
                let judged = JUDGED.iter().any(|judged| after.starts_with(judged));
                whole && (matched || judged || follows_comparison(before))
            })
        });
        let names = || {
            learners.iter().map(|name| format!("\"{name}\"")).any(|name| {
                line.match_indices(&name).any(|(at, _)| {
                    let (before, after) = (&line[..at], &line[at + name.len()..]);
                    let searched = [".contains(", ".starts_with("].iter().any(|c| before.ends_with(c));
                    searched
                        || follows_comparison(before)
                        || after.starts_with("=>")
                        || after.starts_with('|')
                })
            })
        };
        !line.starts_with("//") && (asks || names())
    };
    let found = code.lines().enumerate().filter(|(_, line)| guesses(line));
    found.map(|(i, line)| format!("line {}: decided by a name: `{}`", i + 1, line.trim())).collect()
}

/// Whether the path or value that comes next is compared with what stands before it.
fn follows_comparison(before: &str) -> bool {
    let path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '(' | ')' | '&');
    let before = before.trim_end_matches(path);
    before.ends_with("==") || before.ends_with("!=")
}

#[cfg(test)]
mod tests {
    use super::{check, learners};

    #[test]
    fn comparisons_of_names_and_modules_are_found() {
        let known = learners("\n#[params(\n    aliases = \"ridge\"\n)]\npub struct Ridge {\n}");
        assert_eq!(known, ["Ridge"]);
        for guess in [
            "if learner.declaration().name == \"Lasso\" {",
            "learner.declaration().name.contains(word)",
            "let plain = kind != Pipeline::NAME;",
            "matches!(d.python, \"tree\" | \"dummy\")",
            "\"Ridge\" => true,",
        ] {
            assert_eq!(check("crates/x/src/a.rs", guess, &known).len(), 1, "{guess}");
            assert_eq!(check("crates/python/src/a.rs", guess, &known).len(), 0, "{guess}");
        }
        for honest in
            ["// as for \"Ridge\" == 1", "resolve(given, \"Ridge\")", "let who = declaration().name;"]
        {
            assert_eq!(check("crates/x/src/a.rs", honest, &known).len(), 0, "{honest}");
        }
    }
}
