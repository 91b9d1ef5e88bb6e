//! Collapsed Gibbs sampling of topics: one chain, whose state are the topics of all words.
//!
//! Documents are cut into parts, words into as many groups. In step s of a sweep, part g draws the topics of its words of group (g + s),
//! so that no count is written by two; only the totals of the topics are those of the step's beginning, as all parts but one's own know
//! them. How many parts there are depends on the data alone, and there is one for few words: then the chain is exact.

use mercer_core::{NumbersRef, Session, Termination};
use mercer_math::special::lgamma;
use mercer_math::{Rng, below, run_wide};
use rayon::prelude::*;

use super::draws::{Block, Documents, Draw, Factors, LANES, Weights};
use super::prior::{Tally, from_counts, from_counts_alike};

/// Words for which a part is worth while, and the most parts.
const PART_WORDS: usize = 1 << 15;
const MOST_PARTS: usize = 16;
/// Rounds of a fixed point each time that priors are learnt.
const PRIOR_ROUNDS: usize = 5;

/// The priors of documents and of topics.
#[derive(Clone, Debug)]
pub(super) struct Priors {
    pub(super) alpha: Vec<f64>,
    pub(super) eta: f64,
}

/// A chain.
#[derive(Debug)]
pub(super) struct Chain {
    k: usize,
    /// Topics of a row of counts, padded.
    stride: usize,
    parts: Vec<Part>,
    /// The counts of topics of each group's words, words × topics.
    tables: Vec<Vec<i32>>,
    /// The group and place of each word.
    places: Vec<(u32, u32)>,
    /// Words of each topic.
    totals: Vec<i64>,
    pub(super) priors: Priors,
    n_words: u64,
    sweeps: u64,
}

/// Some documents, and their words by group.
#[derive(Debug)]
struct Part {
    documents: Documents,
    lengths: Vec<u32>,
    blocks: Vec<Block>,
    factors: Box<Factors>,
}

impl Chain {
    /// A chain over rows of whole counts that begins at random topics. (Topics drawn given those of the words before are likelier from the
    /// start, but after a hundred sweeps predict worse: perplexities near 2,100 in place of 2,030 on the texts of `bench/tasks/lda_gibbs`.)
    pub(super) fn new(x: NumbersRef<'_>, k: usize, priors: Priors, session: &Session) -> Self {
        let mut work = super::inference::Work::default();
        let (n, d) = (x.n_rows(), x.n_cols());
        let (mut lengths, mut sizes) = (vec![0u64; n], vec![0u64; d]);
        for (i, length) in lengths.iter_mut().enumerate() {
            work.read(x, i);
            for (j, c) in work.words.iter().zip(&work.counts) {
                *length += *c as u64;
                sizes[*j as usize] += *c as u64;
            }
        }
        let n_words: u64 = lengths.iter().sum();
        let most = (n_words as usize / PART_WORDS).clamp(1, MOST_PARTS);
        let count = most.min(n).min(d).max(1);
        let places = grouped(&sizes, count);
        let stride = k.next_multiple_of(LANES);
        let mut tables: Vec<Vec<i32>> = vec![Vec::new(); count];
        places.iter().for_each(|(g, _)| {
            let table = &mut tables[*g as usize];
            table.resize(table.len() + stride, 0);
        });
        let mut out = Self {
            k,
            stride,
            parts: Vec::new(),
            tables,
            places,
            totals: vec![0; stride],
            priors,
            n_words,
            sweeps: 0,
        };
        let (mut from, mut seen) = (0, 0);
        for g in 0..count {
            let goal = n_words * (g as u64 + 1) / count as u64;
            let mut to = from;
            while to < n && (seen < goal || g + 1 == count) {
                seen += lengths[to];
                to += 1;
            }
            let part = out.part(x, from..to, &mut session.rng(g as u64));
            out.parts.push(part);
            from = to;
        }
        out
    }

    fn part(&mut self, x: NumbersRef<'_>, rows: std::ops::Range<usize>, rng: &mut Rng) -> Part {
        let mut work = super::inference::Work::default();
        let (mut documents, mut lengths) = (Documents::default(), Vec::with_capacity(rows.len()));
        let mut drawn = vec![Vec::new(); self.tables.len()];
        let mut counts = vec![0; self.k];
        for (doc, i) in rows.enumerate() {
            work.read(x, i);
            counts.fill(0);
            for (j, c) in work.words.iter().zip(&work.counts) {
                let (group, place) = self.places[*j as usize];
                for _ in 0..*c as usize {
                    let topic = below(rng, self.k);
                    drawn[group as usize].push((place, doc as u32, topic as u16));
                    self.tables[group as usize][place as usize * self.stride + topic] += 1;
                    self.totals[topic] += 1;
                    counts[topic] += 1;
                }
            }
            lengths.push(work.length() as u32);
            documents.push(&counts);
        }
        let blocks = drawn.into_iter().map(Block::new).collect();
        Part { documents, lengths, blocks, factors: Box::new([0.0; 1 << 16]) }
    }

    pub(super) fn n_words(&self) -> u64 {
        self.n_words
    }

    /// Draws the topic of every word anew; why it was stopped on the way, where it was.
    pub(super) fn sweep(&mut self, session: &Session) -> Option<Termination> {
        let count = self.parts.len();
        for step in 0..count {
            if let Some(why) = session.interrupted() {
                // Tables are where they were after a whole sweep alone.
                self.tables.rotate_right(step);
                return Some(why);
            }
            let task = |g: usize| {
                ((self.sweeps + 1) * MOST_PARTS as u64 + g as u64) * MOST_PARTS as u64 + step as u64
            };
            let weights = Weights::new(&self.priors, self.stride, self.places.len());
            let totals = &self.totals;
            let parts = self.parts.par_iter_mut().zip(self.tables.par_iter_mut()).enumerate();
            let moved: Vec<Vec<i64>> = parts
                .map(|(g, (part, table))| {
                    let mut own = totals.clone();
                    let block = &mut part.blocks[(g + step) % count];
                    let mut rng = session.rng(task(g));
                    run_wide(Draw {
                        weights: &weights,
                        block,
                        documents: &mut part.documents,
                        table,
                        totals: &mut own,
                        factors: &mut part.factors,
                        rng: &mut rng,
                    });
                    own
                })
                .collect();
            let before = self.totals.clone();
            for own in moved {
                let change = own.iter().zip(&before);
                self.totals.iter_mut().zip(change).for_each(|(all, (own, before))| *all += own - before);
            }
            self.tables.rotate_left(1);
        }
        self.sweeps += 1;
        None
    }

    /// Learns the priors from the counts, by a few rounds of Minka's fixed point.
    pub(super) fn learn_priors(&mut self, documents: bool, topics: bool) {
        if documents {
            let (mut shares, mut totals) = (vec![Tally::default(); self.k], Tally::default());
            for part in &self.parts {
                for (doc, length) in part.lengths.iter().enumerate() {
                    part.documents.topics(doc).for_each(|(topic, n)| shares[topic].add(n as usize));
                    totals.add(*length as usize);
                }
            }
            from_counts(&shares, &totals, &mut self.priors.alpha, PRIOR_ROUNDS);
        }
        if topics {
            let mut shares = Tally::default();
            let rows = self.tables.iter().flat_map(|t| t.chunks_exact(self.stride));
            rows.for_each(|row| row[..self.k].iter().for_each(|n| shares.add(*n as usize)));
            // Totals of topics are few and large: their tally would be long, and ψ is asked instead.
            let eta = &mut self.priors.eta;
            from_counts_alike(&shares, &self.totals[..self.k], self.places.len(), eta, PRIOR_ROUNDS);
        }
    }

    /// ln p(words, topics | priors).
    pub(super) fn log_joint(&self) -> f64 {
        let Priors { alpha, eta } = &self.priors;
        let whole: f64 = alpha.iter().sum();
        let documents = |part: &Part| {
            let one = |(doc, length): (usize, &u32)| {
                let shares = part.documents.topics(doc).map(|(topic, n)| (f64::from(n), alpha[topic]));
                shares.map(|(n, a)| lgamma(n + a) - lgamma(a)).sum::<f64>() + lgamma(whole)
                    - lgamma(f64::from(*length) + whole)
            };
            part.lengths.iter().enumerate().map(one).sum::<f64>()
        };
        let prior = lgamma(*eta);
        let words = |table: &Vec<i32>| {
            let seen = table.iter().filter(|n| **n > 0);
            seen.map(|n| lgamma(f64::from(*n) + eta) - prior).sum::<f64>()
        };
        let all = eta * self.places.len() as f64;
        let ends = self.totals[..self.k].iter().map(|n| lgamma(all) - lgamma(*n as f64 + all));
        let documents: Vec<f64> = self.parts.par_iter().map(documents).collect();
        let words: Vec<f64> = self.tables.par_iter().map(words).collect();
        documents.iter().sum::<f64>() + words.iter().sum::<f64>() + ends.sum::<f64>()
    }

    /// Adds this state's shares of words, words × topics, and of topics.
    pub(super) fn add_shares(&self, shares: &mut [f64], sizes: &mut [f64]) {
        let (eta, k) = (self.priors.eta, self.k);
        let all = eta * self.places.len() as f64;
        let scales: Vec<f64> = self.totals[..k].iter().map(|n| 1.0 / (*n as f64 + all)).collect();
        for (out, (group, place)) in shares.chunks_exact_mut(k).zip(&self.places) {
            let row = &self.tables[*group as usize][*place as usize * self.stride..][..k];
            let terms = row.iter().zip(&scales);
            out.iter_mut().zip(terms).for_each(|(out, (n, s))| *out += (f64::from(*n) + eta) * s);
        }
        let words = self.n_words.max(1) as f64;
        sizes.iter_mut().zip(&self.totals).for_each(|(out, n)| *out += *n as f64 / words);
    }
}

#[cfg(test)]
impl Chain {
    /// The topics of all words, document after document and word after word.
    pub(super) fn assignments(&self) -> Vec<u16> {
        assert_eq!(self.parts.len(), 1, "in order only where there is one part");
        let mut all: Vec<(u32, usize, u16)> = Vec::new();
        let block = &self.parts[0].blocks[0];
        let mut at = 0;
        for &(place, end) in &block.runs {
            let word = self.places.iter().position(|p| p.1 == place).unwrap();
            all.extend((at..end).map(|i| (block.docs[i], word, block.topics[i])));
            at = end;
        }
        all.sort_by_key(|(doc, word, _)| (*doc, *word));
        all.into_iter().map(|(_, _, topic)| topic).collect()
    }

    pub(super) fn n_parts(&self) -> usize {
        self.parts.len()
    }

    /// Makes all counts anew from the topics of the words.
    pub(super) fn assert_consistent(&self) {
        let mut tables: Vec<Vec<i32>> = self.tables.iter().map(|t| vec![0; t.len()]).collect();
        let mut totals = vec![0; self.stride];
        for part in &self.parts {
            let mut counts = vec![vec![0; self.k]; part.lengths.len()];
            for (block, table) in part.blocks.iter().zip(&mut tables) {
                let mut at = 0;
                for &(place, end) in &block.runs {
                    for i in at..end {
                        let topic = block.topics[i] as usize;
                        counts[block.docs[i] as usize][topic] += 1;
                        table[place as usize * self.stride + topic] += 1;
                        totals[topic] += 1;
                    }
                    at = end;
                }
            }
            for (doc, counts) in counts.iter().enumerate() {
                let mut found: Vec<(usize, i32)> = part.documents.topics(doc).collect();
                found.sort_unstable();
                let expected = counts.iter().copied().enumerate().filter(|(_, n)| *n > 0);
                assert_eq!(found, expected.collect::<Vec<_>>());
            }
        }
        assert_eq!((tables, totals), (self.tables.clone(), self.totals.clone()));
    }
}

/// Groups of words of like size: each word, the most frequent first, to the smallest group; its place there.
fn grouped(sizes: &[u64], count: usize) -> Vec<(u32, u32)> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|j| (u64::MAX - sizes[*j], *j));
    let (mut filled, mut held) = (vec![0u64; count], vec![0u32; count]);
    let mut out = vec![(0, 0); sizes.len()];
    for j in order {
        let group = (0..count).min_by_key(|g| (filled[*g], held[*g])).unwrap_or(0);
        out[j] = (group as u32, held[group]);
        filled[group] += sizes[j];
        held[group] += 1;
    }
    out
}
