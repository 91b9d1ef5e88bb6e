//! Counting terms: documents are cut into chunks by a fixed rule, each chunk has a vocabulary of its own, and the
//! vocabularies are merged and sorted. Counts are whole numbers, so that nothing depends on threads.

use super::analyze::{Analyzer, Scratch};
use super::interner::Interner;
use super::parts::Parts;
use super::vocabulary::VocabularyParams;
use mercer_core::{Error, ErrorKind, Result, Session};
use rayon::prelude::*;
use std::ops::Range;

/// A chunk ends with the document that reaches this many bytes: large enough that merging vocabularies costs
/// little, small enough that every core has work.
const CHUNK_BYTES: usize = 4 << 20;

/// Fewer bytes than this are worked on in place: entering a pool would cost more.
const SMALL_BYTES: usize = 1 << 15;

/// A term that has no column.
const PRUNED: u32 = u32::MAX;

/// The documents of one chunk as numbers of its own vocabulary.
struct Chunk {
    vocabulary: Interner,
    /// In how many documents each term is, and how often altogether.
    frequency: Vec<u32>,
    total: Vec<u64>,
    /// The terms of all documents, and where each document ends.
    terms: Vec<u32>,
    ends: Vec<usize>,
}

/// Counted documents whose columns are not yet chosen.
pub(crate) struct Counted {
    chunks: Vec<Chunk>,
    /// From the terms of each chunk to those of all.
    maps: Vec<Vec<u32>>,
    vocabulary: Interner,
    frequency: Vec<u64>,
    total: Vec<u64>,
    n_documents: usize,
}

/// The terms that got a column, in order, with the documents that hold each.
pub(crate) struct Chosen {
    pub(crate) terms: Vec<String>,
    pub(crate) frequencies: Vec<f64>,
    columns: Vec<u32>,
}

fn chunks_of(documents: &[String]) -> Vec<Range<usize>> {
    let (mut out, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (i, document) in documents.iter().enumerate() {
        bytes += document.len() + 64;
        if bytes >= CHUNK_BYTES || i + 1 == documents.len() {
            out.push(start..i + 1);
            (start, bytes) = (i + 1, 0);
        }
    }
    out
}

/// Maps chunks of documents in parallel, and stops where the session says so.
fn by_chunks<T: Send>(
    documents: &[String],
    session: &Session,
    work: impl Fn(&[String]) -> Result<T> + Sync + Send,
) -> Result<Vec<T>> {
    let chunks = chunks_of(documents);
    let one = |chunk: &Range<usize>| {
        let (done, total) = (chunk.start as u64, documents.len() as u64);
        match session.step("documents", done, Some(total), None) {
            Some(_) => Err(ErrorKind::Cancelled.into()),
            None => work(&documents[chunk.clone()]),
        }
    };
    match chunks.as_slice() {
        [only] if documents.iter().map(String::len).sum::<usize>() < SMALL_BYTES => Ok(vec![one(only)?]),
        _ => session.run(|| chunks.par_iter().map(one).collect()),
    }
}

fn too_many() -> Error {
    Error::incapable(
        "the vocabulary",
        "hold more than 4294967293 different terms; HashingVectorizer needs none",
    )
}

/// Counts the terms of documents.
pub(crate) fn count(documents: &[String], analyzer: &Analyzer, session: &Session) -> Result<Counted> {
    let chunks = by_chunks(documents, session, |chunk| count_chunk(chunk, analyzer))?;
    let mut vocabulary = Interner::default();
    let (mut frequency, mut total) = (Vec::new(), Vec::new());
    let mut maps = Vec::with_capacity(chunks.len());
    for chunk in &chunks {
        let mut map = Vec::with_capacity(chunk.vocabulary.len());
        for local in 0..chunk.vocabulary.len() {
            let (term, hash) = (chunk.vocabulary.get(local as u32), chunk.vocabulary.hash_of(local as u32));
            let id = vocabulary.intern_hashed(term, hash).ok_or_else(too_many)?;
            if id as usize == frequency.len() {
                frequency.push(0u64);
                total.push(0u64);
            }
            frequency[id as usize] += u64::from(chunk.frequency[local]);
            total[id as usize] += chunk.total[local];
            map.push(id);
        }
        maps.push(map);
    }
    Ok(Counted { chunks, maps, vocabulary, frequency, total, n_documents: documents.len() })
}

fn count_chunk(documents: &[String], analyzer: &Analyzer) -> Result<Chunk> {
    let mut vocabulary = Interner::default();
    // For each term: the last document that held it, how many documents did, how often it came.
    let mut seen: Vec<(u32, u32, u64)> = Vec::new();
    let (mut terms, mut ends) = (Vec::new(), Vec::with_capacity(documents.len()));
    let (mut scratch, mut full) = (Scratch::default(), false);
    for (i, document) in documents.iter().enumerate() {
        let stamp = i as u32 + 1;
        analyzer.each(document, &mut scratch, |term| {
            let Some(id) = vocabulary.intern(term) else { return full = true };
            match seen.get_mut(id as usize) {
                Some(entry) => {
                    entry.1 += u32::from(entry.0 != stamp);
                    (entry.0, entry.2) = (stamp, entry.2 + 1);
                }
                None => seen.push((stamp, 1, 1)),
            }
            terms.push(id);
        });
        ends.push(terms.len());
    }
    if full {
        return Err(too_many());
    }
    let (frequency, total) = seen.iter().map(|s| (s.1, s.2)).unzip();
    Ok(Chunk { vocabulary, frequency, total, terms, ends })
}

impl Counted {
    /// Chooses the terms that get a column, in the order of the alphabet (that of code points).
    pub(crate) fn choose(&self, owner: &str, limits: &VocabularyParams) -> Result<Chosen> {
        let n = self.n_documents as f64;
        let (low, high) = (limits.min_df.of(n), limits.max_df.of(n));
        if high < low {
            return Err(Error::param(owner, "max_df", "at least min_df, counted in documents", high));
        }
        if self.vocabulary.len() == 0 {
            return Err(Error::too_few(owner, "terms (the documents hold nothing but stop words)", 1, 0));
        }
        let within = |&id: &u32| (low..=high).contains(&(self.frequency[id as usize] as f64));
        let mut kept: Vec<u32> = (0..self.vocabulary.len() as u32).filter(within).collect();
        kept.par_sort_unstable_by(|&a, &b| self.vocabulary.get(a).cmp(self.vocabulary.get(b)));
        if let Some(most) = limits.max_features.filter(|&m| m < kept.len()) {
            let uses =
                |id: u32| if limits.binary { self.frequency[id as usize] } else { self.total[id as usize] };
            let mut ranked: Vec<usize> = (0..kept.len()).collect();
            ranked.sort_by_key(|&at| std::cmp::Reverse(uses(kept[at])));
            ranked.truncate(most);
            ranked.sort_unstable();
            kept = ranked.into_iter().map(|at| kept[at]).collect();
        }
        if kept.is_empty() {
            return Err(Error::too_few(owner, "terms within min_df and max_df", 1, 0));
        }
        let mut columns = vec![PRUNED; self.vocabulary.len()];
        kept.iter().enumerate().for_each(|(column, &id)| columns[id as usize] = column as u32);
        let text = |&id: &u32| String::from_utf8_lossy(self.vocabulary.get(id)).into_owned();
        Ok(Chosen {
            terms: kept.iter().map(text).collect(),
            frequencies: kept.iter().map(|&id| self.frequency[id as usize] as f64).collect(),
            columns,
        })
    }

    /// The documents as rows of counts.
    pub(crate) fn rows(self, chosen: &Chosen) -> Parts {
        let maps: Vec<Vec<u32>> = self
            .maps
            .into_par_iter()
            .map(|map| map.into_iter().map(|id| chosen.columns[id as usize]).collect())
            .collect();
        // What a chunk contributes is known before it is made: its documents for each of its kept terms.
        let size = |(chunk, map): (&Chunk, &Vec<u32>)| -> usize {
            let kept = chunk.frequency.iter().zip(map).filter(|(_, m)| **m != PRUNED);
            kept.map(|(f, _)| *f as usize).sum()
        };
        let sizes: Vec<usize> = self.chunks.iter().zip(&maps).map(size).collect();
        let total = sizes.iter().sum();
        let mut parts = Parts { indptr: Vec::new(), indices: vec![0; total], values: vec![0.0; total] };
        let lengths: Vec<Vec<u32>> = parts
            .split(&sizes)
            .into_par_iter()
            .zip(self.chunks.into_par_iter().zip(&maps))
            .map(|((indices, values), (chunk, map))| fill_chunk(&chunk, map, indices, values))
            .collect();
        let mut at = 0;
        let ends = lengths.iter().flatten().map(|&length| {
            at += length as usize;
            at
        });
        parts.indptr = std::iter::once(0).chain(ends).collect();
        parts
    }
}

/// Writes the rows of a chunk, and returns their lengths.
fn fill_chunk(chunk: &Chunk, map: &[u32], indices: &mut [u32], values: &mut [f64]) -> Vec<u32> {
    let (mut columns, mut start, mut at) = (Vec::new(), 0, 0);
    let mut lengths = Vec::with_capacity(chunk.ends.len());
    for &end in &chunk.ends {
        columns.clear();
        columns.extend(chunk.terms[start..end].iter().map(|&t| map[t as usize]).filter(|&c| c != PRUNED));
        start = end;
        let before = at;
        runs(&mut columns, |column, count| {
            (indices[at], values[at]) = (column, f64::from(count));
            at += 1;
        });
        lengths.push((at - before) as u32);
    }
    lengths
}

/// Each different number, in order, with how often it is there.
fn runs(columns: &mut [u32], mut emit: impl FnMut(u32, u32)) {
    columns.sort_unstable();
    for run in columns.chunk_by(|a, b| a == b) {
        emit(run[0], run.len() as u32);
    }
}

/// Documents as rows of counts of known terms; others are passed over.
pub(crate) fn known_rows(
    documents: &[String],
    analyzer: &Analyzer,
    vocabulary: &Interner,
    session: &Session,
) -> Result<Parts> {
    let pieces = by_chunks(documents, session, |chunk| {
        let (mut lengths, mut indices, mut values) =
            (Vec::with_capacity(chunk.len()), Vec::new(), Vec::new());
        let (mut scratch, mut columns) = (Scratch::default(), Vec::new());
        for document in chunk {
            columns.clear();
            analyzer.each(document, &mut scratch, |term| columns.extend(vocabulary.find(term)));
            let before = indices.len();
            runs(&mut columns, |column, count| {
                indices.push(column);
                values.push(f64::from(count));
            });
            lengths.push((indices.len() - before) as u32);
        }
        Ok((lengths, indices, values))
    })?;
    Ok(Parts::concat(&pieces, session))
}

/// Documents as rows of signed counts of hashed terms.
pub(crate) fn hashed_rows(
    documents: &[String],
    analyzer: &Analyzer,
    place: impl Fn(&[u8]) -> (u32, f64) + Sync + Send,
    session: &Session,
) -> Result<Parts> {
    let pieces = by_chunks(documents, session, |chunk| {
        let (mut lengths, mut indices, mut values) =
            (Vec::with_capacity(chunk.len()), Vec::new(), Vec::new());
        let (mut scratch, mut entries) = (Scratch::default(), Vec::<(u32, f64)>::new());
        for document in chunk {
            entries.clear();
            analyzer.each(document, &mut scratch, |term| entries.push(place(term)));
            entries.sort_unstable_by_key(|e| e.0);
            let before = indices.len();
            for run in entries.chunk_by(|a, b| a.0 == b.0) {
                indices.push(run[0].0);
                values.push(run.iter().map(|e| e.1).sum());
            }
            lengths.push((indices.len() - before) as u32);
        }
        Ok((lengths, indices, values))
    })?;
    Ok(Parts::concat(&pieces, session))
}
