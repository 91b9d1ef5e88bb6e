//! A content hash of tables, for the block that says what a result was computed from.

use mercer_core::{Column, Table};

/// FNV-1a over 64 bits, eight bytes a step.
struct Hash(u64);

impl Hash {
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        for chunk in text.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }
}

/// A hash of names, kinds and values, the same on every machine and in every version.
///
/// It sees values, not how they are held: all NaNs are one, -0.0 is 0.0, a category is its text, and the order of
/// the dictionary does not matter. The order of rows and columns does. Not cryptographic.
///
/// # Example
/// ```
/// let iris = mercer_data::bundled("iris")?;
/// assert_ne!(mercer_data::table_hash(&iris), mercer_data::table_hash(&iris.without(&["species"])?));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn table_hash(table: &Table<'_>) -> u64 {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.word(table.n_rows() as u64);
    for (name, column) in table.iter() {
        hash.text(name);
        column_hash(&mut hash, column);
    }
    hash.0
}

fn column_hash(hash: &mut Hash, column: &Column<'_>) {
    hash.text(&column.kind().to_string());
    match column {
        Column::Numeric(values) => {
            for &v in values.iter() {
                // Adding zero turns -0.0 into 0.0.
                hash.word(if v.is_nan() { f64::NAN.to_bits() } else { (v + 0.0).to_bits() });
            }
        }
        Column::Boolean(values) => values.iter().for_each(|v| hash.word(v.map_or(2, u64::from))),
        Column::Categorical { .. } | Column::Text(_) | Column::Time(_) => {
            (0..column.len()).for_each(|i| match column.text(i) {
                Some(text) => hash.text(&text),
                None => hash.word(u64::MAX),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(column: Column<'static>) -> u64 {
        table_hash(&Table::new(vec![("x".into(), column)]).unwrap())
    }

    #[test]
    fn equal_content_has_equal_hashes() {
        let numbers = |v: Vec<f64>| hash(Column::numbers(v));
        assert_eq!(numbers(vec![0.0, f64::NAN]), numbers(vec![-0.0, -f64::NAN]));
        assert_ne!(numbers(vec![1.0, 2.0]), numbers(vec![2.0, 1.0]));
        assert_ne!(hash(Column::categories(&[Some("1")])), numbers(vec![1.0]));
        let levels = |codes: Vec<u32>, levels: [&str; 2]| {
            hash(Column::Categorical { codes: codes.into(), levels: levels.map(str::to_owned).into() })
        };
        assert_eq!(levels(vec![0, 1], ["a", "b"]), levels(vec![1, 0], ["b", "a"]));
        let texts = |v: [&str; 2]| hash(Column::Text(v.map(|t| Some(t.to_owned())).to_vec().into()));
        assert_ne!(texts(["ab", "c"]), texts(["a", "bc"]));
    }

    #[test]
    fn value_stability() {
        assert_eq!(table_hash(&crate::bundled("iris").unwrap()), 4_102_505_632_519_197_926);
    }
}
