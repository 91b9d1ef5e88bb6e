//! The fast way into a large plain file: every worker reads and parses its own segment.
//!
//! Nothing is shared and no byte is kept, so the file need not fit in memory beside the table, and reading it
//! is as parallel as parsing. It works while line ends are record ends, that is without quotes; a quote, a
//! wrong guess about a column or a broken record sends the caller back to the careful way, which also has the
//! bytes at hand to explain an error.

use super::facts::NumberFacts;
use super::{CsvHead, CsvOptions, Loaded, PIECE_BYTES, Piece, assemble, build, count_lines};
use build::{Fault, Reading};
use memchr::memchr;
use mercer_core::Result;
use rayon::prelude::*;
use std::fs::File;
use std::path::Path;

/// Smaller files are read at once.
const MIN_BYTES: u64 = 4 << 20;

/// Reads `path` by segments; `None` when it must be read the careful way.
pub(super) fn read(path: &Path, options: &CsvOptions) -> Result<Option<Loaded>> {
    let Some((file, length)) = open(path) else { return Ok(None) };
    let mut beginning = vec![0; PIECE_BYTES];
    if !read_at(&file, &mut beginning, 0)
        || memchr(b'"', &beginning).is_some()
        || memchr(b'\n', &beginning).is_none()
    {
        return Ok(None);
    }
    let Ok(head) = CsvHead::new(&path.display().to_string(), &beginning, options) else { return Ok(None) };
    let Some(pieces) = parse_segments(&file, length, &head, options) else { return Ok(None) };
    let facts = assemble::facts(&head, &pieces, &[]);
    let turns = |(name, facts): (&String, &NumberFacts)| {
        facts.turn(options.forced(name).is_some(), head.commas).is_some()
    };
    if head.names.iter().zip(&facts).any(turns) {
        return Ok(None);
    }
    let line = |offset: usize| count_lines_in(&file, offset) + 1;
    let never = |_: &[Reading]| Ok(Vec::new());
    assemble::assemble(&head, options, pieces, never, &[], line).map(Some)
}

fn open(path: &Path) -> Option<(File, u64)> {
    let plain = crate::compression::Packing::of(path) == crate::compression::Packing::None;
    let file = File::open(path).ok().filter(|_| plain)?;
    let length = file.metadata().ok().filter(|m| m.is_file())?.len();
    (length >= MIN_BYTES).then_some((file, length))
}

fn parse_segments(file: &File, length: u64, head: &CsvHead, options: &CsvOptions) -> Option<Vec<Piece>> {
    let layout = head.layout(options);
    let size = (PIECE_BYTES.max(2048 * head.names.len().min(1 << 15))) as u64;
    let body = head.body as u64;
    let n_segments = (length - body).div_ceil(size);
    let one = |buffer: &mut Vec<u8>, i: u64| {
        let start = body + i * size;
        let segment = Segment { start, end: (start + size).min(length), first: i == 0, length };
        let range = segment.load(file, buffer).ok_or(Fault::Open { offset: 0 })?;
        let at = (segment.from() as usize) + range.start;
        Piece::parse(&buffer[range], &layout, &head.readings, at)
    };
    let pieces = (0..n_segments).into_par_iter().map_init(Vec::new, one);
    // An early failure stops the rest: the careful way starts over.
    pieces.collect::<Result<Vec<_>, Fault>>().ok()
}

/// The lines that begin in `start..end`, where a line begins after a line end.
struct Segment {
    start: u64,
    end: u64,
    first: bool,
    /// Of the file.
    length: u64,
}

impl Segment {
    /// One byte early, to see whether a line begins at `start` itself.
    fn from(&self) -> u64 {
        self.start - u64::from(!self.first)
    }

    /// Reads the segment; returns where its lines are in the buffer. `None` for a quote or a read error.
    fn load(&self, file: &File, buffer: &mut Vec<u8>) -> Option<std::ops::Range<usize>> {
        let from = self.from();
        let wanted = (self.end - from) as usize;
        let (mut filled, mut reach) = (0, wanted + 4096);
        loop {
            reach = reach.min((self.length - from) as usize);
            if buffer.len() < reach {
                buffer.resize(reach, 0);
            }
            if !read_at(file, &mut buffer[filled..reach], from + filled as u64)
                || memchr(b'"', &buffer[filled..reach]).is_some()
            {
                return None;
            }
            filled = reach;
            let line_end = memchr(b'\n', &buffer[wanted - 1..filled]).map(|i| wanted + i);
            let at_end = from + filled as u64 == self.length;
            if let Some(end) = line_end.or(at_end.then_some(filled)) {
                let begin = if self.first { 0 } else { memchr(b'\n', &buffer[..end]).map_or(end, |i| i + 1) };
                return Some(begin..end);
            }
            reach = 2 * filled;
        }
    }
}

/// Line ends before `offset`.
fn count_lines_in(file: &File, offset: usize) -> u64 {
    let mut buffer = vec![0; PIECE_BYTES];
    let mut lines = 0;
    for start in (0..offset).step_by(PIECE_BYTES) {
        let length = PIECE_BYTES.min(offset - start);
        if read_at(file, &mut buffer[..length], start as u64) {
            lines += count_lines(&buffer[..length]);
        }
    }
    lines
}

/// Fills `buffer` from `offset`, without a position shared between threads.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> bool {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset).is_ok()
}

/// No positioned reads: the careful way it is.
#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> bool {
    false
}
