//! Small data sets that travel with Mercer; sources and licences are in `crates/data/sets/README.md`.

use crate::csv::{CsvOptions, read_csv_bytes, unzip};
use crate::infer::Loaded;
use mercer_core::{ColumnKind, Error, Result, Table, Task};

/// A bundled data set.
#[derive(Clone, Copy, Debug)]
pub struct Bundled {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// The file in `crates/data/sets`.
    pub file: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns, the target included.
    pub columns: usize,
    /// The column usually predicted.
    pub target: &'static str,
    /// What is usually learnt from it.
    pub task: Task,
    /// One line about it.
    pub description: &'static str,
    /// The licence of the data.
    pub licence: &'static str,
    /// Whom to cite.
    pub citation: &'static str,
    /// Columns whose numbers are names of classes.
    labels: &'static [&'static str],
    bytes: &'static [u8],
}

const UCI: &str = "CC BY 4.0 (UCI Machine Learning Repository)";

macro_rules! set {
    ($name:literal, $file:literal, $rows:literal x $columns:literal, $target:literal, $task:ident, $labels:expr,
     $description:literal, $licence:expr, $citation:literal) => {
        Bundled {
            name: $name,
            file: $file,
            rows: $rows,
            columns: $columns,
            target: $target,
            task: Task::$task,
            description: $description,
            licence: $licence,
            citation: $citation,
            labels: $labels,
            bytes: include_bytes!(concat!("../sets/", $file)),
        }
    };
}

#[rustfmt::skip]
static SETS: &[Bundled] = &[
    set!("airfoil-self-noise", "airfoil-self-noise.csv", 1503 x 6, "sound_pressure", Regression, &[],
        "Noise of aerofoil sections in a wind tunnel.", UCI, "Brooks, Pope, Marcolini 1989; UCI Airfoil Self-Noise"),
    set!("breast-cancer", "breast-cancer.csv.gz", 569 x 31, "diagnosis", Classification, &["diagnosis"],
        "Benign or malignant from measurements of cell nuclei.", UCI, "Street, Wolberg, Mangasarian 1993; UCI Breast Cancer Wisconsin (Diagnostic)"),
    set!("co2-weekly", "co2-weekly.csv", 2284 x 2, "co2", Regression, &[],
        "Carbon dioxide over Mauna Loa, weekly 1958-2001, some weeks missing.", "public domain", "Keeling, Whorf 2004"),
    set!("concrete", "concrete.csv", 1030 x 9, "compressive_strength", Regression, &[],
        "Strength of concrete from mixture and age.", UCI, "Yeh 1998; UCI Concrete Compressive Strength"),
    set!("diabetes", "diabetes.csv", 442 x 11, "progression", Regression, &[],
        "Progression of diabetes after a year, raw units.", "freely distributed by the authors; BSD-3-Clause package", "Efron, Hastie, Johnstone, Tibshirani 2004, doi:10.1214/009053604000000067"),
    set!("digits", "digits.csv.gz", 1797 x 65, "digit", Classification, &["digit"],
        "Handwritten digits as 8 x 8 images.", UCI, "Alpaydin, Kaynak 1998; UCI Optical Recognition of Handwritten Digits"),
    set!("engel-food", "engel-food.csv", 235 x 2, "foodexp", Regression, &[],
        "Household income and expenditure on food in Belgium, 1857.", "public domain", "Engel 1857; Koenker, Bassett 1982"),
    set!("forest-fires", "forest-fires.csv", 517 x 13, "area", Regression, &[],
        "Area burnt by forest fires in Portugal; a heavy tail.", UCI, "Cortez, Morais 2007; UCI Forest Fires"),
    set!("iris", "iris.csv", 150 x 5, "species", Classification, &[],
        "Species of iris from the sizes of petals and sepals.", "public domain", "Fisher 1936, doi:10.1111/j.1469-1809.1936.tb02137.x"),
    set!("linnerud", "linnerud.csv", 20 x 6, "Weight", Regression, &[],
        "Exercises and physiology of twenty men; three targets: Weight, Waist, Pulse.", "BSD-3-Clause package", "Tenenhaus 1998"),
    set!("penguins", "penguins.csv", 344 x 8, "species", Classification, &[],
        "Species of penguin from body measures, island and sex; some missing.", "CC0 1.0", "Horst, Hill, Gorman 2020, doi:10.5281/zenodo.3960218; Gorman, Williams, Fraser 2014"),
    set!("wine", "wine.csv", 178 x 14, "cultivar", Classification, &["cultivar"],
        "Cultivar of wine from its chemistry.", UCI, "Forina et al. 1991; UCI Wine"),
    set!("yacht", "yacht.csv", 308 x 7, "residuary_resistance", Regression, &[],
        "Resistance of sailing yachts from the shape of the hull.", UCI, "Gerritsma, Onnink, Versluis 1981; UCI Yacht Hydrodynamics"),
];

/// The bundled data sets, by name.
pub fn datasets() -> &'static [Bundled] {
    SETS
}

pub(crate) fn find(name: &str) -> Option<&'static Bundled> {
    SETS.iter().find(|set| set.name == name)
}

/// A bundled data set as a table; the error suggests the closest name.
///
/// # Example
/// ```
/// let penguins = mercer_data::bundled("penguins")?;
/// assert_eq!((penguins.n_rows(), penguins.n_columns()), (344, 8));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn bundled(name: &str) -> Result<Table<'static>> {
    let set = find(name).ok_or_else(|| Error::unknown("data set", name, SETS.iter().map(|set| set.name)))?;
    Ok(set.load(&CsvOptions::default())?.table)
}

impl Bundled {
    /// Reads the set; classes that are written as numbers become categories unless the options say otherwise.
    pub fn load(&self, options: &CsvOptions) -> Result<Loaded> {
        let mut options = options.clone();
        for label in self.labels {
            options.kinds.entry((*label).to_owned()).or_insert(ColumnKind::Categorical);
        }
        if self.file.ends_with(".gz") {
            return read_csv_bytes(self.name, &unzip(self.name, self.bytes)?, &options);
        }
        read_csv_bytes(self.name, self.bytes, &options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_what_its_row_says() {
        assert!(SETS.is_sorted_by_key(|set| set.name));
        for set in datasets() {
            let table = bundled(set.name).unwrap();
            assert_eq!((table.n_rows(), table.n_columns()), (set.rows, set.columns), "{}", set.name);
            let kind = table.column(set.target).unwrap().kind();
            let expected =
                if set.task == Task::Classification { ColumnKind::Categorical } else { ColumnKind::Numeric };
            assert_eq!(kind, expected, "{}", set.name);
        }
        assert!(SETS.iter().map(|set| set.bytes.len()).sum::<usize>() < 700_000);
        assert!(bundled("irsi").unwrap_err().to_string().contains("`iris`"));
    }

    #[test]
    fn the_readme_names_every_file() {
        let readme = include_str!("../sets/README.md");
        for set in datasets() {
            assert!(readme.contains(&format!("`{}`", set.file)), "{}", set.file);
            assert!(readme.contains(set.citation), "{}", set.citation);
        }
    }
}
