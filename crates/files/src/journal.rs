//! A journal: a file of JSON lines that long work appends to, so that it can go on where it was stopped.
//!
//! The first line says what the work is; every other line is one result. A line is written whole and flushed before
//! the work goes on. A last line that was cut off (the machine went down) is dropped on reading, any other damage is an
//! error with its line.

use mercer_core::{Error, ErrorKind, Result};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// An open journal. Lines may be appended from any thread.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Begins a journal; a file that exists is left alone and is an error.
    pub fn create(path: &Path, header: &Value) -> Result<Self> {
        let file =
            OpenOptions::new().write(true).create_new(true).open(path).map_err(|e| broken(path, &e))?;
        let journal = Self { path: path.to_owned(), file: Mutex::new(file) };
        journal.append(header)?;
        Ok(journal)
    }

    /// Opens a journal to go on with: its lines behind the header, which must be the one given.
    pub fn resume(path: &Path, header: &Value) -> Result<(Self, Vec<Value>)> {
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(|e| broken(path, &e))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|e| broken(path, &e))?;
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let mut lines = Vec::new();
        for (number, line) in bytes[..whole].split(|&b| b == b'\n').enumerate().filter(|(_, l)| !l.is_empty())
        {
            let parsed = serde_json::from_slice(line).map_err(|e| ErrorKind::Parse {
                source_name: path.display().to_string(),
                line: number as u64 + 1,
                column: e.column() as u64,
                reason: e.to_string(),
            })?;
            lines.push(parsed);
        }
        if lines.is_empty() {
            return Err(problem(path, "it has no first line that says what it is about"));
        }
        let first = lines.remove(0);
        if let Some(field) = difference(&first, header) {
            return Err(problem(path, &format!("it is the journal of other work: `{field}` differs")));
        }
        file.set_len(whole as u64).map_err(|e| broken(path, &e))?;
        file.seek(SeekFrom::End(0)).map_err(|e| broken(path, &e))?;
        Ok((Self { path: path.to_owned(), file: Mutex::new(file) }, lines))
    }

    /// Appends a line.
    pub fn append(&self, line: &Value) -> Result<()> {
        let mut text = line.to_string();
        text.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(|e| broken(&self.path, &e))
    }
}

/// The first field in which two headers differ.
fn difference(a: &Value, b: &Value) -> Option<String> {
    match (a.as_object(), b.as_object()) {
        (Some(x), Some(y)) => x.keys().chain(y.keys()).find(|k| x.get(*k) != y.get(*k)).cloned(),
        _ => (a != b).then(|| "header".to_owned()),
    }
}

fn problem(path: &Path, reason: &str) -> Error {
    ErrorKind::File { path: path.display().to_string(), reason: reason.to_owned() }.into()
}

fn broken(path: &Path, error: &std::io::Error) -> Error {
    problem(path, &error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_come_back_and_a_cut_one_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let header = json!({ "what": "a search", "seed": 1 });
        let journal = Journal::create(&path, &header).unwrap();
        journal.append(&json!({ "n": 1 })).unwrap();
        journal.append(&json!({ "n": 2 })).unwrap();
        drop(journal);
        assert!(Journal::create(&path, &header).is_err(), "what exists is not overwritten");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}{{\"n\": 3, \"cut")).unwrap();
        let (journal, lines) = Journal::resume(&path, &header).unwrap();
        assert_eq!(lines, [json!({ "n": 1 }), json!({ "n": 2 })]);
        journal.append(&json!({ "n": 3 })).unwrap();
        assert_eq!(Journal::resume(&path, &header).unwrap().1.len(), 3);
    }

    #[test]
    fn other_work_and_damage_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let error = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Journal::resume(&path, &json!({ "seed": 1 })).unwrap_err().to_string()
        };
        assert!(error("{\"seed\":2}\n").contains("`seed` differs"));
        assert!(error("").contains("no first line"));
        assert!(error("{\"seed\":1}\nnonsense\n{}\n").contains("line 2"));
        assert!(Journal::resume(&folder.path().join("none"), &json!({})).is_err());
    }
}
