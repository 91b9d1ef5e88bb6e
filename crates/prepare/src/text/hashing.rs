//! Hashed term counts: terms find their column by a hash, so that there is nothing to learn or to store.
//!
//! # Objective
//! $x_{ij} = \sum_{t:\,h(t) = j} s(t)\,c_i(t)$ for counts $c_i(t)$, a hash $h$ and, with `alternate_sign`, a sign
//! $s(t) = ±1$ of the term, so that collisions cancel on average and inner products are kept in expectation.
//!
//! # Algorithm
//! MurmurHash3 (32 bits, seed 0) of the term's UTF-8 bytes: its absolute value modulo `n_features` is the column,
//! its sign the sign, as in scikit-learn.
//!
//! # Complexity
//! Time O(bytes × n-gram sizes), memory O(terms of the documents).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_prepare::HashingVectorizer;
//! let documents: Vec<String> = vec!["cats chase mice".into(), "mice".into()];
//! let hashing = HashingVectorizer::default().n_features(64).fit(&Dataset::new(documents.as_slice()))?;
//! assert_eq!(hashing.transform(documents.as_slice())?.n_features(), 64);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Terms that collide with opposite signs may leave an explicit zero. Columns have no names.
//!
//! # References
//! - K. Weinberger et al. Feature hashing for large scale multitask learning. ICML 2009. doi:10.1145/1553374.1553516

use super::analyze::Analyzer;
use super::count::hashed_rows;
use super::terms::{StopWords, StripAccents, TermParams, TextAnalyzer};
use super::tfidf::RowNorm;
use mercer_core::{
    Abilities, Certificate, DataKind, Dataset, Fitted, Input, Learn, Params, Result, Rows, Schema, Session,
    Termination, Transformer,
};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// Hashed term counts: a sparse row for each document, without a vocabulary.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "hashing hashing-vectorizer",
    canon = "D4",
    task = Transformation,
    learns_from = Strings,
    python = "feature_extraction.text",
    door = "input='content' encoding='utf-8' decode_error='strict' preprocessor=None tokenizer=None dtype=float",
    mixins = "StatelessMixin VectorizerMixin",
    can = "transform fills encodes",
    order = "ngram_range analyzer",
    references = "Weinberger et al. Feature hashing for large scale multitask learning. ICML 2009."
)]
pub struct HashingVectorizer {
    /// How a document becomes terms.
    #[param(flatten)]
    pub terms: TermParams,
    /// Number of columns.
    #[param(default = 1 << 20, range = "[1, 2147483647]")]
    pub n_features: usize,
    /// Whether every entry is 1.
    #[param(default = false)]
    pub binary: bool,
    /// To what length rows are scaled; none leaves them.
    #[param(default = Some(RowNorm::L2), search = "among l1|l2|none")]
    pub norm: Option<RowNorm>,
    /// Whether half of the terms count negatively, so that collisions cancel on average.
    #[param(default = true)]
    pub alternate_sign: bool,
}

/// A recipe; hashing learns nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HashingVectorizerModel {
    terms: TermParams,
    n_features: u32,
    binary: bool,
    norm: Option<RowNorm>,
    alternate_sign: bool,
    certificate: Certificate,
    #[serde(skip)]
    ready: OnceLock<Arc<Analyzer>>,
}

impl Learn for HashingVectorizer {
    type Model = HashingVectorizerModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.terms.analyzer(Self::NAME).map(drop)
    }

    fn learn(&self, _: &Dataset<'_>, _: &Session) -> Result<HashingVectorizerModel> {
        let why = "hashing learns nothing, and so proves nothing";
        Ok(HashingVectorizerModel {
            terms: self.terms.clone(),
            n_features: self.n_features as u32,
            binary: self.binary,
            norm: self.norm,
            alternate_sign: self.alternate_sign,
            certificate: Certificate::without_evidence(Termination::Exact, why),
            ready: OnceLock::new(),
        })
    }
}

impl HashingVectorizerModel {
    fn analyzer(&self) -> Result<&Analyzer> {
        if let Some(ready) = self.ready.get() {
            return Ok(ready);
        }
        let made = Arc::new(self.terms.analyzer(HashingVectorizer::NAME)?);
        Ok(self.ready.get_or_init(|| made))
    }

    fn place(&self, term: &[u8]) -> (u32, f64) {
        let hash = murmur3(term) as i32;
        let sign = if self.alternate_sign && hash < 0 { -1.0 } else { 1.0 };
        // scikit-learn's exception for the number without a positive twin.
        let size = self.n_features;
        let column =
            if hash == i32::MIN { (i32::MAX as u32 - (size - 1)) % size } else { hash.unsigned_abs() % size };
        (column, sign)
    }
}

/// MurmurHash3 of A. Appleby, x86, 32 bits, seed 0 (public domain).
fn murmur3(key: &[u8]) -> u32 {
    let mix = |k: u32| k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (blocks, tail) = key.as_chunks::<4>();
    let mut h = 0u32;
    for block in blocks {
        h = (h ^ mix(u32::from_le_bytes(*block))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let last = tail.iter().rev().fold(0u32, |k, &b| k << 8 | u32::from(b));
    h ^= if tail.is_empty() { 0 } else { mix(last) };
    h ^= key.len() as u32;
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

impl Transformer for HashingVectorizerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let documents = input.strings(HashingVectorizer::NAME)?;
        let mut parts = hashed_rows(documents, self.analyzer()?, |term| self.place(term), session)?;
        parts.for_rows(session, |_, values| {
            if self.binary {
                values.fill(1.0);
            }
            self.norm.iter().for_each(|norm| norm.scale(values));
        });
        Ok(parts.finish(self.n_features as usize)?.into())
    }

    /// Any number of terms share a column: it has no name.
    fn names_out(&self, _: &Schema) -> Vec<String> {
        Vec::new()
    }
}

impl Fitted for HashingVectorizerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.analyzer().map_err(|e| e.to_string())?;
        let ok = schema.kind == DataKind::Strings && (1..=i32::MAX as u32).contains(&self.n_features);
        if ok { Ok(()) } else { Err("columns do not fit".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_murmur3() {
        // sklearn.utils.murmurhash3_32(key, seed=0, positive=True)
        assert_eq!(murmur3(b""), 0);
        assert_eq!(murmur3(b"foo"), 4_138_058_784);
        assert_eq!(murmur3(b"hello"), 613_153_351);
    }
}
