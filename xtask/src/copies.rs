//! Parameters that are declared twice: what several learners share is a group that they flatten.

use std::collections::BTreeMap;

/// Copies that may stand: single parameters, for which a group would be more to read than the copy.
const MOST: usize = 15;

/// One parameter as the source declares it, white space aside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Declared {
    name_and_type: String,
    doc: String,
    attribute: String,
}

/// Refuses more copies than may stand, over the files of the whole workspace.
pub fn check<'a>(files: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut owners: BTreeMap<Declared, Vec<String>> = BTreeMap::new();
    for text in files {
        for (owner, declared) in declarations(text) {
            owners.entry(declared).or_default().push(owner);
        }
    }
    let copies: usize = owners.values().map(|o| o.len() - 1).sum();
    if copies <= MOST {
        return None;
    }
    let all: usize = owners.values().map(Vec::len).sum();
    let mut lines = vec![format!("{copies} of {all} parameters are declared twice, more than {MOST}:")];
    let twice = owners.iter().filter(|(_, owners)| owners.len() > 1);
    lines.extend(twice.map(|(d, owners)| format!("  {} of {}", d.name_and_type, owners.join(", "))));
    Some(lines.join("\n"))
}

/// The parameters of a file, each with the struct that declares it.
fn declarations(text: &str) -> Vec<(String, Declared)> {
    let (mut found, mut derives, mut owner) = (Vec::new(), false, None);
    let (mut doc, mut attribute) = (String::new(), String::new());
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("#[derive(") {
            derives = line.contains("Params)") || line.contains("Params,") || line.contains("ParamGroup");
        } else if let (true, Some(name)) = (derives, line.strip_prefix("pub struct ")) {
            owner = Some(name.trim_end_matches(" {").to_owned());
            (doc, attribute, derives) = (String::new(), String::new(), false);
        } else if line == "}" {
            owner = None;
        } else if let Some(text) = line.strip_prefix("///") {
            doc += text;
        } else if let (Some(owner), Some(field)) = (&owner, line.strip_prefix("pub ")) {
            let name_and_type = field.trim_end_matches(',').to_owned();
            let declared = Declared {
                name_and_type,
                doc: std::mem::take(&mut doc),
                attribute: std::mem::take(&mut attribute),
            };
            if !declared.attribute.starts_with("#[param(flatten") {
                found.push((owner.clone(), declared));
            }
        } else {
            attribute.extend(line.chars().filter(|c| !c.is_whitespace()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_copy_when_all_of_it_is() {
        let learner = |name: &str, doc: &str, default: &str| {
            format!(
                "/// A learner.\n#[derive(Clone, Params)]\n#[params(\n    aliases = \"a\"\n)]\npub struct {name} {{\n    \
                 /// {doc}\n    #[param(default = {default})]\n    pub tol: f64,\n    \
                 /// Group.\n    #[param(flatten)]\n    pub group: Group,\n}}\n"
            )
        };
        let files = [
            learner("One", "Gain.", "1.0"),
            learner("Two", "Gain.", "1.0"),
            learner("Three", "Gain.", "2.0"),
        ];
        let found: Vec<_> = files.iter().flat_map(|f| declarations(f)).collect();
        let owners: Vec<&str> = found.iter().map(|(owner, _)| owner.as_str()).collect();
        assert_eq!(owners, ["One", "Two", "Three"], "the flattened group is no parameter of its own");
        assert_eq!(found[0].1, found[1].1);
        assert_ne!(found[0].1, found[2].1);
        assert_eq!(found[0].1.name_and_type, "tol: f64");
    }

    #[test]
    fn too_many_copies_are_named() {
        let file = |name: usize| {
            format!(
                "#[derive(ParamGroup)]\npub struct S{name} {{\n    /// Gain.\n    #[param(default = 1.0)]\n    pub tol: f64,\n}}\n"
            )
        };
        let files: Vec<String> = (0..MOST + 2).map(file).collect();
        let texts = || files.iter().map(String::as_str);
        assert_eq!(check(texts().take(MOST + 1)), None);
        let problem = check(texts()).unwrap();
        assert!(problem.starts_with(&format!("{} of {} parameters", MOST + 1, MOST + 2)), "{problem}");
        assert!(problem.contains("tol: f64 of S0, S1"), "{problem}");
    }
}
