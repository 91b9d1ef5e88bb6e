//! A file as blocks of whole records, in bounded memory.

use super::lex::{self, OpenQuote};
use super::{count_lines, file_error, parse_error};
use memchr::{memchr, memrchr};
use mercer_core::Result;
use std::io::Read;
use std::path::Path;

/// Bytes wanted in one block.
pub(super) const BLOCK_BYTES: usize = 4 << 20;

/// A record longer than this is taken for an unclosed quote rather than buffered.
const MAX_RECORD: usize = 256 << 20;

/// Reads a file block by block; each block ends where a record ends.
pub(super) struct Blocks {
    source: Box<dyn Read + Send>,
    name: String,
    delimiter: u8,
    wanted: usize,
    buffer: Vec<u8>,
    /// Bytes of the buffer that the previous block used up.
    used: usize,
    /// Line ends before the current block.
    lines_before: u64,
    finished: bool,
}

impl std::fmt::Debug for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blocks").field("name", &self.name).field("buffer", &self.buffer.len()).finish()
    }
}

impl Blocks {
    /// Opens `path`; the first block is not read yet.
    pub(super) fn open(path: &Path, delimiter: u8, wanted: usize) -> Result<Self> {
        Ok(Self {
            source: crate::compression::open(path)?,
            name: path.display().to_string(),
            delimiter,
            wanted,
            buffer: Vec::new(),
            used: 0,
            lines_before: 0,
            finished: false,
        })
    }

    /// Bytes that the buffer holds at most so far.
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// Appends up to `n` bytes; notes the end of the file.
    fn fill(&mut self, n: usize) -> Result<()> {
        let before = self.buffer.len();
        // Grow by exactly what is needed: doubling would waste half of the bound.
        self.buffer.reserve_exact(n);
        let taken = self.source.by_ref().take(n as u64).read_to_end(&mut self.buffer);
        taken.map_err(|e| file_error(&self.name, &e))?;
        self.finished = self.buffer.len() - before < n;
        Ok(())
    }

    /// The first bytes, at least one record and about one block; they are read again by [`Blocks::next`].
    pub(super) fn peek(&mut self) -> Result<&[u8]> {
        self.fill(self.wanted)?;
        while !self.finished && last_boundary(&self.buffer, self.delimiter).0.is_none() {
            self.fill(self.buffer.len())?;
        }
        Ok(&self.buffer)
    }

    /// Drops the first `n` bytes of the file, which [`Blocks::peek`] has shown.
    pub(super) fn skip(&mut self, n: usize) {
        self.used = n;
    }

    /// Leaves the current block behind; returns the number of line ends before the next one.
    pub(super) fn advance_lines(&mut self) -> u64 {
        self.lines_before += count_lines(&self.buffer[..self.used]);
        self.buffer.drain(..self.used);
        self.used = 0;
        self.lines_before
    }

    /// The next block of whole records; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>> {
        self.advance_lines();
        loop {
            if self.buffer.len() < self.wanted && !self.finished {
                self.fill(self.wanted - self.buffer.len())?;
            }
            if self.finished {
                self.used = self.buffer.len();
                return Ok((self.used > 0).then_some(&self.buffer));
            }
            let (end, open) = last_boundary(&self.buffer, self.delimiter);
            if let Some(end) = end {
                self.used = end;
                return Ok(Some(&self.buffer[..end]));
            }
            if self.buffer.len() >= MAX_RECORD {
                let at = open.map_or(0, |OpenQuote(at)| at);
                let line = self.lines_before + count_lines(&self.buffer[..at]) + 1;
                let reason = format!("the record on line {line} is longer than 256 MB; is a quote unclosed?");
                return Err(parse_error(&self.name, line, 0, reason));
            }
            self.fill(self.buffer.len())?;
        }
    }
}

/// The end of the last whole record, and the quote that is still open, if any.
fn last_boundary(bytes: &[u8], delimiter: u8) -> (Option<usize>, Option<OpenQuote>) {
    if memchr(b'"', bytes).is_none() {
        return (memrchr(b'\n', bytes).map(|i| i + 1), None);
    }
    let mut boundaries = lex::Boundaries::new(bytes, delimiter);
    let mut last = None;
    // Steps of a 64th of the block: the remainder that is read again stays small, and so does the search.
    let step = (bytes.len() / 64).max(1);
    let mut wanted = 0;
    loop {
        match boundaries.at_least(wanted) {
            Ok(Some(end)) => {
                last = Some(end);
                wanted = end + step - 1;
                if wanted >= bytes.len() {
                    return (last, None);
                }
            }
            Ok(None) => return (last, None),
            Err(open) => return (last, Some(open)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_boundary_lies_outside_quotes() {
        assert_eq!(last_boundary(b"a,b\n1,2\n3", b','), (Some(8), None));
        assert_eq!(last_boundary(b"a,\"b\n", b','), (None, Some(OpenQuote(2))));
        assert_eq!(last_boundary(b"a\n\"b\nc", b','), (Some(2), Some(OpenQuote(2))));
        assert_eq!(last_boundary(b"a", b','), (None, None));
    }
}
