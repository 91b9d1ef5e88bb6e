//! Whatever a person types where data are wanted: a path, a bundled name, or `-`.

use crate::compression::Packing;
use crate::csv::{CsvOptions, read_csv, read_csv_from};
use crate::generate::Generator;
use crate::kinds::{refuse_csv_options, with_kinds};
use crate::{bundled, infer::Loaded, npy, parquet_file, read_arff, read_arrow, read_jsonl, read_svmlight};
use mercer_core::{ErrorKind, Object, Result, closest};
use std::path::Path;

/// The endings of files that [`read`] knows.
const ENDINGS: [&str; 15] = [
    ".csv",
    ".tsv",
    ".txt",
    ".parquet",
    ".arrow",
    ".arrows",
    ".feather",
    ".ipc",
    ".jsonl",
    ".ndjson",
    ".svmlight",
    ".libsvm",
    ".svm",
    ".arff",
    ".npy",
];

/// Reads a file by its ending (.csv, .tsv, .txt, .jsonl, .svmlight, .arff, .npy, each also with .gz or .zst; .parquet,
/// .arrow, .feather), a bundled set by its name, or
/// CSV from standard input for `-`; a generator by its name and parameters, `moons:noise=0.1,seed=3`.
///
/// A file of the name wins over a bundled set.
///
/// # Example
/// ```
/// let iris = mercer_data::read("iris", &mercer_data::CsvOptions::default())?;
/// assert_eq!(iris.table.n_rows(), 150);
/// let error = mercer_data::read("irsi", &mercer_data::CsvOptions::default()).unwrap_err();
/// assert!(error.to_string().contains("did you mean `iris`?"));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn read(source: &str, options: &CsvOptions) -> Result<Loaded> {
    if source == "-" {
        return read_csv_from("standard input", std::io::stdin().lock(), options);
    }
    let ending = Packing::inner(source);
    let is_file = Path::new(source).is_file();
    if !is_file && let Some(set) = bundled::find(source) {
        return set.load(options);
    }
    if !is_file && let Some(made) = generated(source) {
        refuse_csv_options(source, options)?;
        return with_kinds(source, made?, options);
    }
    if !is_file && !ENDINGS.iter().any(|e| ending.ends_with(e)) {
        return Err(unknown(source));
    }
    let Some(ending) = ENDINGS.iter().find(|e| ending.ends_with(**e)).copied() else {
        let reason = format!("the ending is none of {}", ENDINGS.join(", "));
        return Err(ErrorKind::File { path: source.to_owned(), reason }.into());
    };
    if matches!(ending, ".csv" | ".tsv" | ".txt") {
        return read_csv(source, options);
    }
    refuse_csv_options(source, options)?;
    let path = Path::new(source);
    let loaded = match ending {
        ".parquet" => parquet_file::read_file(path, options.max_levels),
        ".jsonl" | ".ndjson" => read_jsonl(source, options),
        ".svmlight" | ".libsvm" | ".svm" => read_svmlight(source)?.table(),
        ".arff" => read_arff(source, options),
        ".npy" => npy::read_table(path),
        _ => read_arrow(source, options),
    };
    with_kinds(source, loaded?, options)
}

/// What a generator makes, for `moons` or `moons:n_samples=200,noise=0.1,seed=3`; `None` where no generator is meant.
fn generated(source: &str) -> Option<Result<Loaded>> {
    let name = source.split(':').next()?;
    let generator = Generator::by_name(name).ok()?;
    Some(Object::parse_spec(source).and_then(|mut object| {
        let seed = match object.params.remove("seed") {
            None => 0,
            Some(mercer_core::Value::Int(seed)) if seed >= 0 => seed as u64,
            Some(other) => {
                return Err(mercer_core::Error::param(name, "seed", "a whole number, at least 0", other));
            }
        };
        generator.table(&object.params, seed)
    }))
}

fn unknown(source: &str) -> mercer_core::Error {
    let names = || bundled::datasets().iter().map(|set| set.name);
    let all = || names().chain(crate::GENERATORS.iter().map(|g| g.name));
    let suggestion = match closest(source, all()) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    };
    let known = names().collect::<Vec<_>>().join(", ");
    let reason = format!(
        "neither a file ({}) nor a bundled data set ({known}) nor a generator{suggestion}",
        ENDINGS.join(", ")
    );
    ErrorKind::File { path: source.to_owned(), reason }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::{Column, ColumnKind, Table};

    #[test]
    fn endings_decide() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let options = CsvOptions::default();
        std::fs::write(path("a.tsv"), "a\tb,c\n1\t2\n").unwrap();
        assert_eq!(&*read(&path("a.tsv"), &options).unwrap().table.names()[1], "b,c");
        let table = Table::new(vec![("x".into(), Column::numbers(vec![1.0]))]).unwrap();
        crate::write_parquet(&table, std::fs::File::create(path("a.parquet")).unwrap()).unwrap();
        assert_eq!(read(&path("a.parquet"), &options).unwrap().table, table);
        std::fs::write(path("a.xlsx"), "x").unwrap();
        assert!(
            read(&path("a.xlsx"), &options).unwrap_err().to_string().contains("the ending is none of .csv")
        );
        assert!(read(&path("gone.csv"), &options).unwrap_err().to_string().contains("gone.csv"));
        let decimal = CsvOptions { decimal: Some(b','), ..Default::default() };
        for other in [path("a.parquet"), "moons".to_owned()] {
            let error = read(&other, &decimal).unwrap_err().to_string();
            assert!(error.contains("`decimal`") && error.contains("left alone"), "{error}");
        }
        let kinds =
            |name: &str, kind| CsvOptions { kinds: [(name.to_owned(), kind)].into(), ..Default::default() };
        let levels = read(&path("a.parquet"), &kinds("x", ColumnKind::Categorical)).unwrap();
        assert_eq!(
            (levels.table.columns()[0].kind(), levels.inferred[0].kind),
            (ColumnKind::Categorical, ColumnKind::Categorical)
        );
        assert!(
            read(&path("a.parquet"), &kinds("z", ColumnKind::Text)).unwrap_err().to_string().contains("`z`")
        );
        std::fs::write(path("a.jsonl"), "{\"x\": \"1\"}\n{\"x\": \"one\"}\n").unwrap();
        let error = read(&path("a.jsonl"), &kinds("x", ColumnKind::Numeric)).unwrap_err().to_string();
        assert!(error.contains("`one`, which is not numeric") && error.contains("row 1"), "{error}");
        assert_eq!(read("moons:n_samples=30", &options).unwrap().table.n_rows(), 30);
        assert!(read("moons:n_samples=x", &options).unwrap_err().to_string().contains("n_samples"));
        let error = read("pengiuns", &options).unwrap_err().to_string();
        assert!(error.contains("did you mean `penguins`?") && error.contains("iris"), "{error}");
    }
}
