//! The model file `.mercer`, and [`Journal`], to which long work writes what it has.
//!
//! ```text
//! offset  size  content
//! 0       8     magic "MERCER\r\n" (the line end shows a file mangled by text transfer)
//! 8       4     format version, little endian
//! 12      8     length of the header h
//! 20      8     length of the payload p
//! 28      h     header, JSON: schema, categories, parameters, versions, command, test vector
//! 28+h    p     payload: the model's bytes (postcard)
//! 28+h+p  4     CRC-32 of everything before
//! ```
//!
//! Loading runs no code, allocates no more than the file's own size justifies, checks the sum before anything
//! is parsed, and reproduces the test vector before the model is handed out. Rows of the test vector are
//! synthetic, made from the schema alone, never the user's.

mod header;
mod journal;

pub use header::{Header, TestVector};
pub use journal::Journal;

use mercer_core::{Encoded, Error, ErrorKind, Model, Result, Session, catalogue};
use std::io::{Read, Write};
use std::path::Path;

/// The first bytes of every model file.
pub const MAGIC: &[u8; 8] = b"MERCER\r\n";
/// The version of the format that this program writes.
pub const FORMAT_VERSION: u32 = 2;
/// Files beyond this are refused before they are read (16 GiB).
pub const MAX_FILE: u64 = 16 << 30;
const PREFIX: usize = 28;

/// A model read from a file, with the header that lay beside it.
#[derive(Debug)]
pub struct Loaded {
    /// The model.
    pub model: Box<dyn Model>,
    /// What the file says of it.
    pub header: Header,
}

/// The bytes of a model file.
pub fn to_bytes(model: &dyn Model, command: Option<&str>) -> Result<Vec<u8>> {
    let encoded = model.encode()?;
    let header = Header::new(model, &encoded, command)?;
    let header = serde_json::to_vec(&header).map_err(|e| Error::format(e.to_string()))?;
    let payload = encoded.bytes;
    let mut out = Vec::with_capacity(PREFIX + header.len() + payload.len() + 4);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    out.extend_from_slice(&(header.len() as u64).to_le_bytes());
    out.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    out.extend_from_slice(&header);
    out.extend_from_slice(&payload);
    out.extend_from_slice(&checksum(&out).to_le_bytes());
    Ok(out)
}

/// Reads the bytes of a model file.
pub fn from_bytes(bytes: &[u8]) -> Result<Loaded> {
    let (header, payload) = split(bytes)?;
    let encoded =
        Encoded { name: header.learner.clone(), version: header.model_version, bytes: payload.to_vec() };
    let model = catalogue::decode(&encoded)?;
    header.check(model.as_ref(), &Session::default())?;
    Ok(Loaded { model, header })
}

/// Reads the header alone, without making the model.
pub fn inspect_bytes(bytes: &[u8]) -> Result<Header> {
    split(bytes).map(|(header, _)| header)
}

fn split(bytes: &[u8]) -> Result<(Header, &[u8])> {
    let broken = |reason: &str, byte: u64| {
        Error::from(ErrorKind::Format { reason: reason.to_owned(), byte: Some(byte) })
    };
    let number = |at: usize| {
        let field = bytes.get(at..at + 8)?;
        Some(u64::from_le_bytes(field.try_into().ok()?))
    };
    if bytes.get(..8) != Some(MAGIC) {
        return Err(broken("it does not start as a model file does", 0));
    }
    let version = bytes.get(8..12).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    match version {
        Some(FORMAT_VERSION) => {}
        Some(v) => return Err(broken(&format!("format {v}; this program reads format {FORMAT_VERSION}"), 8)),
        None => return Err(broken("the file ends early", bytes.len() as u64)),
    }
    let (Some(h), Some(p)) = (number(12), number(20)) else {
        return Err(broken("the file ends early", bytes.len() as u64));
    };
    let end = (PREFIX as u64).checked_add(h).and_then(|n| n.checked_add(p));
    if end.and_then(|n| n.checked_add(4)) != Some(bytes.len() as u64) {
        return Err(broken("its lengths do not add up to its size", 12));
    }
    let (body, sum) = bytes.split_at(bytes.len() - 4);
    if checksum(body).to_le_bytes() != sum {
        return Err(broken("its checksum is wrong, so it was damaged", body.len() as u64));
    }
    let middle = PREFIX + h as usize;
    let header: Header = serde_json::from_slice(&body[PREFIX..middle])
        .map_err(|e| broken(&format!("its header cannot be read ({e})"), (PREFIX + e.column()) as u64))?;
    Ok((header, &body[middle..]))
}

/// Writes a model file: to a temporary file beside it first, so that the old one is never lost half-way.
pub fn save(model: &dyn Model, path: &Path, command: Option<&str>) -> Result<u64> {
    let bytes = to_bytes(model, command)?;
    write(path, &bytes)?;
    Ok(bytes.len() as u64)
}

/// Writes a file whole or not at all: what was there before stays until all bytes of the new one are on the disk.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |e: std::io::Error| file_error(path, &e.to_string());
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = beside(folder).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// A new file beside the old one. A temporary file is for its owner alone; a model is as open as any other file.
fn beside(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Reads a model file.
pub fn load(path: &Path) -> Result<Loaded> {
    from_bytes(&read_capped(path)?)
}

/// Reads the header of a model file.
pub fn inspect(path: &Path) -> Result<Header> {
    inspect_bytes(&read_capped(path)?)
}

fn read_capped(path: &Path) -> Result<Vec<u8>> {
    let failed = |e: std::io::Error| file_error(path, &e.to_string());
    let file = std::fs::File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    if size > MAX_FILE {
        return Err(file_error(path, &format!("{size} bytes are more than a model file may have")));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn file_error(path: &Path, reason: &str) -> Error {
    ErrorKind::File { path: path.display().to_string(), reason: reason.to_owned() }.into()
}

/// The checksum that ends a model file.
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
