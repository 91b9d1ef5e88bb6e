//! Files that are compressed: by the last ending of their name.

use crate::csv::file_error;
use mercer_core::Result;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// By the name's last ending: `.gz`, `.zst`, or anything else.
    pub(crate) fn of(path: &Path) -> Self {
        match path.extension().map(|e| e.to_ascii_lowercase()) {
            Some(e) if e == "gz" => Packing::Gzip,
            Some(e) if e == "zst" || e == "zstd" => Packing::Zstd,
            _ => Packing::None,
        }
    }

    /// The name without that ending, in small letters: what the file holds once it is unpacked.
    pub(crate) fn inner(name: &str) -> String {
        let name = name.to_lowercase();
        let stem = [".gz", ".zst", ".zstd"].iter().find_map(|e| name.strip_suffix(e));
        stem.unwrap_or(&name).to_owned()
    }
}

/// Opens a file, unpacking it on the way.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    let named = |e: std::io::Error| file_error(&path.display().to_string(), &e);
    let file = File::open(path).map_err(named)?;
    Ok(match Packing::of(path) {
        Packing::None => Box::new(file),
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Packing::Zstd => Box::new(zstd::stream::read::Decoder::new(file).map_err(named)?),
    })
}

/// The whole of a file, unpacked.
pub(crate) fn read_all(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|e| file_error(&path.display().to_string(), &e))?;
    Ok(bytes)
}
