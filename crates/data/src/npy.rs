//! NumPy's `.npy` files: numbers of one type in one or two dimensions.

use crate::compression;
use crate::infer::{Inferred, Loaded, count_distinct};
use mercer_core::{Column, ColumnKind, Error, ErrorKind, Result, Table};
use mercer_math::Mat;
use std::path::Path;

/// Reads an `.npy` file of one or two dimensions; one dimension is one column. Objects are refused: they are pickles.
pub fn read_npy(path: impl AsRef<Path>) -> Result<Mat> {
    let path = path.as_ref();
    read_npy_bytes(&path.display().to_string(), &compression::read_all(path)?)
}

/// Reads an `.npy` file as a table with the columns `x0`, `x1`, ….
pub(crate) fn read_table(path: &Path) -> Result<Loaded> {
    let mat = read_npy(path)?;
    let columns: Vec<_> = (0..mat.n_cols()).map(|j| (format!("x{j}"), Column::numbers(mat.col(j)))).collect();
    let note = |(name, column): &(String, Column<'static>)| Inferred {
        column: name.clone(),
        kind: ColumnKind::Numeric,
        notes: Vec::new(),
        n_missing: column.n_missing(),
        n_unique: column.to_numbers().and_then(|v| count_distinct(&v, 1000)),
    };
    let inferred = columns.iter().map(note).collect();
    Ok(Loaded { table: Table::new(columns)?, inferred })
}

fn broken(name: &str, reason: impl Into<String>) -> Error {
    ErrorKind::File { path: name.to_owned(), reason: reason.into() }.into()
}

/// Reads an `.npy` file from memory.
pub fn read_npy_bytes(name: &str, bytes: &[u8]) -> Result<Mat> {
    let head = bytes
        .get(..10)
        .filter(|h| h.starts_with(b"\x93NUMPY"))
        .ok_or_else(|| broken(name, "not an .npy file"))?;
    let (length, start) = match head[6] {
        1 => (usize::from(u16::from_le_bytes([head[8], head[9]])), 10usize),
        2 | 3 => {
            let four = bytes.get(8..12).ok_or_else(|| broken(name, "cut off in its header"))?;
            (u32::from_le_bytes([four[0], four[1], four[2], four[3]]) as usize, 12)
        }
        version => return Err(broken(name, format!("version {version} of .npy is not known"))),
    };
    let header = bytes
        .get(start..start.saturating_add(length))
        .ok_or_else(|| broken(name, "cut off in its header"))?;
    let header = std::str::from_utf8(header).map_err(|_| broken(name, "a header that is no text"))?;
    let field = |key: &str| {
        let at = header.find(&format!("'{key}'"))? + key.len() + 2;
        Some(header[at..].trim_start().strip_prefix(':')?.trim_start())
    };
    let (Some(descr), Some(order), Some(shape)) = (field("descr"), field("fortran_order"), field("shape"))
    else {
        return Err(broken(name, "a header without descr, fortran_order and shape"));
    };
    let descr = descr.trim_start_matches(['\'', '"']).split(['\'', '"']).next().unwrap_or_default();
    let by_columns = order.starts_with("True");
    let inside = shape.strip_prefix('(').and_then(|s| s.split(')').next()).unwrap_or_default();
    let sizes = inside.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::parse::<usize>);
    let sizes =
        sizes.collect::<Result<Vec<_>, _>>().map_err(|_| broken(name, "a shape that is no numbers"))?;
    let (n, d) = match sizes.as_slice() {
        [n] => (*n, 1),
        [n, d] => (*n, *d),
        other => return Err(broken(name, format!("{} dimensions; one or two can be read", other.len()))),
    };
    let data = &bytes[start + length..];
    let values =
        numbers(name, descr, data, n.checked_mul(d).ok_or_else(|| broken(name, "a shape beyond memory"))?)?;
    Ok(match by_columns && d > 1 {
        true => Mat::from_fn(n, d, |i, j| values[j * n + i]),
        false => {
            Mat::from_vec(values, n, d).ok_or_else(|| broken(name, "a shape that does not fit its values"))?
        }
    })
}

fn numbers(name: &str, descr: &str, data: &[u8], count: usize) -> Result<Vec<f64>> {
    let (order, kind) = match descr.strip_prefix(['<', '>', '=', '|']) {
        Some(kind) => (&descr[..1], kind),
        None => ("=", descr),
    };
    let big = order == ">";
    macro_rules! read {
        ($t:ty) => {{
            const SIZE: usize = size_of::<$t>();
            let needed = count.checked_mul(SIZE).filter(|n| *n <= data.len());
            let needed = needed.ok_or_else(|| {
                broken(name, format!("cut off: {count} values of {SIZE} bytes are missing"))
            })?;
            let one = |chunk: &[u8]| {
                let mut bytes = [0; SIZE];
                bytes.copy_from_slice(chunk);
                if big { <$t>::from_be_bytes(bytes) as f64 } else { <$t>::from_le_bytes(bytes) as f64 }
            };
            Ok(data[..needed].chunks_exact(SIZE).map(one).collect())
        }};
    }
    match kind {
        "f8" => read!(f64),
        "f4" => read!(f32),
        "i8" => read!(i64),
        "i4" => read!(i32),
        "i2" => read!(i16),
        "i1" => read!(i8),
        "u8" => read!(u64),
        "u4" => read!(u32),
        "u2" => read!(u16),
        "u1" | "b1" => read!(u8),
        other => Err(broken(name, format!("the type `{other}` is no plain number"))),
    }
}
