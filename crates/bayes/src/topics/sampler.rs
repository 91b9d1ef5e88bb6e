//! Collapsed Gibbs sampling of topics: one chain, whose state are the topics of all words.
//!
//! Documents are cut into parts, words into as many groups. In step s of a sweep, part g draws the topics of its words of group (g + s),
//! so that no count is written by two; only the totals of the topics are those of the step's beginning, as all parts but one's own know
//! them. How many parts there are depends on the data alone, and there is one for few words: then the chain is exact.

use mercer_core::{NumbersRef, Session, Termination};
use mercer_math::special::lgamma;
use mercer_math::{Rng, below, prefetch, uniform, wide};
use rayon::prelude::*;

use super::prior::{Tally, from_counts, from_counts_alike};

/// Topics side by side; rows of counts are padded to whole chunks of them.
const LANES: usize = 16;
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

/// Some documents: their counts of topics, and their words by group.
#[derive(Debug)]
struct Part {
    /// Documents × topics.
    counts: Vec<i32>,
    lengths: Vec<u32>,
    blocks: Vec<Block>,
}

/// Words of one group in the documents of one part.
#[derive(Debug, Default)]
struct Block {
    /// Documents with the ends of their words.
    runs: Vec<(u32, usize)>,
    /// Places of the words in the group's table.
    words: Vec<u32>,
    topics: Vec<u16>,
}

impl Chain {
    /// A chain over rows of whole counts that begins at random topics.
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
        let mut counts = vec![0; rows.len() * self.stride];
        let mut blocks: Vec<Block> = Vec::new();
        blocks.resize_with(self.tables.len(), Block::default);
        let mut lengths = Vec::with_capacity(rows.len());
        for (doc, i) in rows.enumerate() {
            work.read(x, i);
            lengths.push(work.length() as u32);
            for (j, c) in work.words.iter().zip(&work.counts) {
                let (group, place) = self.places[*j as usize];
                let block = &mut blocks[group as usize];
                for _ in 0..*c as usize {
                    let topic = below(rng, self.k);
                    block.words.push(place);
                    block.topics.push(topic as u16);
                    counts[doc * self.stride + topic] += 1;
                    self.tables[group as usize][place as usize * self.stride + topic] += 1;
                    self.totals[topic] += 1;
                }
            }
            for block in &mut blocks {
                let before = block.runs.last().map_or(0, |run| run.1);
                if block.words.len() > before {
                    block.runs.push((doc as u32, block.words.len()));
                }
            }
        }
        Part { counts, lengths, blocks }
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
                    let mut draw = Draw::new(&weights, &mut own);
                    wide(|| draw.block(block, &mut part.counts, table, &mut rng));
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
                for (row, length) in part.counts.chunks_exact(self.stride).zip(&part.lengths) {
                    shares.iter_mut().zip(row).for_each(|(tally, n)| tally.add(*n as usize));
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
            let one = |(row, n): (&[i32], &u32)| {
                let shares = row.iter().zip(alpha).filter(|(n, _)| **n > 0);
                shares.map(|(n, a)| lgamma(f64::from(*n) + a) - lgamma(*a)).sum::<f64>() + lgamma(whole)
                    - lgamma(f64::from(*n) + whole)
            };
            part.counts.chunks_exact(self.stride).zip(&part.lengths).map(one).sum::<f64>()
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
        self.parts[0].blocks[0].topics.clone()
    }

    pub(super) fn n_parts(&self) -> usize {
        self.parts.len()
    }

    /// Makes all counts anew from the topics of the words.
    pub(super) fn assert_consistent(&self) {
        let mut tables: Vec<Vec<i32>> = self.tables.iter().map(|t| vec![0; t.len()]).collect();
        let mut totals = vec![0; self.stride];
        for part in &self.parts {
            let mut counts = vec![0; part.counts.len()];
            for (block, table) in part.blocks.iter().zip(&mut tables) {
                let mut at = 0;
                for &(doc, end) in &block.runs {
                    for i in at..end {
                        let topic = block.topics[i] as usize;
                        counts[doc as usize * self.stride + topic] += 1;
                        table[block.words[i] as usize * self.stride + topic] += 1;
                        totals[topic] += 1;
                    }
                    at = end;
                }
            }
            assert_eq!(counts, part.counts);
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

/// The priors as draws need them.
struct Weights {
    alpha: Vec<f32>,
    eta: f32,
    all: f32,
}

impl Weights {
    fn new(priors: &Priors, stride: usize, d: usize) -> Self {
        let mut alpha: Vec<f32> = priors.alpha.iter().map(|a| *a as f32).collect();
        // No padding is ever drawn.
        alpha.resize(stride, 0.0);
        Self { alpha, eta: priors.eta as f32, all: (priors.eta * d as f64) as f32 }
    }
}

/// Draws of topics: p(topic k) ∝ (n_dk + α_k) / (n_k + Vη) · (n_kw + η), without the word itself.
///
/// The first factor of all topics is kept while a document's words are drawn, as a word changes two of its values only; the second is read from
/// the word's row. All K weights are made for each word: with sixteen side by side that costs less than to follow which of them are
/// not small, up to some hundred topics.
struct Draw<'a> {
    weights: &'a Weights,
    totals: &'a mut [i64],
    /// 1 / (n_k + Vη).
    scales: Vec<f32>,
    factors: Vec<f32>,
    /// Running sums over chunks of topics, lane by lane.
    sums: Vec<[f32; LANES]>,
}

impl<'a> Draw<'a> {
    fn new(weights: &'a Weights, totals: &'a mut [i64]) -> Self {
        let stride = totals.len();
        let scales = totals.iter().map(|n| 1.0 / (*n as f32 + weights.all)).collect();
        Self { weights, totals, scales, factors: vec![0.0; stride], sums: vec![[0.0; LANES]; stride / LANES] }
    }

    #[inline(always)]
    fn block(&mut self, block: &mut Block, counts: &mut [i32], table: &mut [i32], rng: &mut Rng) {
        let stride = self.totals.len();
        let mut at = 0;
        for &(doc, end) in &block.runs {
            let counts = &mut counts[doc as usize * stride..][..stride];
            for (k, factor) in self.factors.iter_mut().enumerate() {
                *factor = (counts[k] as f32 + self.weights.alpha[k]) * self.scales[k];
            }
            while at < end {
                if let Some(next) = block.words.get(at + 4) {
                    prefetch(table, *next as usize * stride);
                }
                let row = &mut table[block.words[at] as usize * stride..][..stride];
                let old = block.topics[at] as usize;
                // With the word itself still counted only its own topic has too large a weight: what is drawn otherwise is right as it is, and its own
                // topic stays with the probability that is left of it. Nothing is written then. Else the word is taken away and drawn.
                match self.draw(row, rng) {
                    Some(new) if new != old => {
                        self.change(old, -1, counts, row);
                        self.change(new, 1, counts, row);
                        block.topics[at] = new as u16;
                    }
                    Some(_) if (uniform(rng) as f32) < self.rest(old, counts, row) => {}
                    _ => {
                        self.change(old, -1, counts, row);
                        let new = self.draw(row, rng).unwrap_or(old);
                        self.change(new, 1, counts, row);
                        block.topics[at] = new as u16;
                    }
                }
                at += 1;
            }
        }
    }

    /// Adds a word to a topic, or takes one away.
    #[inline(always)]
    fn change(&mut self, topic: usize, by: i32, counts: &mut [i32], row: &mut [i32]) {
        counts[topic] += by;
        row[topic] += by;
        self.totals[topic] += i64::from(by);
        self.scales[topic] = 1.0 / (self.totals[topic] as f32 + self.weights.all);
        self.factors[topic] = (counts[topic] as f32 + self.weights.alpha[topic]) * self.scales[topic];
    }

    /// What is left of a topic's weight without one of its words.
    #[inline(always)]
    fn rest(&self, topic: usize, counts: &[i32], row: &[i32]) -> f32 {
        let (alpha, eta, all) = (self.weights.alpha[topic], self.weights.eta, self.weights.all);
        let (doc, word, total) = (counts[topic] as f32, row[topic] as f32, self.totals[topic] as f32);
        (doc - 1.0 + alpha) * (word - 1.0 + eta) * (total + all)
            / ((doc + alpha) * (word + eta) * (total - 1.0 + all))
    }

    /// A topic by weight, found by halving the lanes without a branch; none where rounding leaves a crumb behind the last one.
    #[inline(always)]
    fn draw(&mut self, row: &[i32], rng: &mut Rng) -> Option<usize> {
        let (factors, row) = (self.factors.as_chunks::<LANES>().0, row.as_chunks::<LANES>().0);
        let mut lanes = [0.0f32; LANES];
        for ((factors, row), sums) in factors.iter().zip(row).zip(&mut self.sums) {
            for l in 0..LANES {
                lanes[l] += factors[l] * (row[l] as f32 + self.weights.eta);
            }
            *sums = lanes;
        }
        let eight: [f32; 8] = std::array::from_fn(|l| lanes[l] + lanes[l + 8]);
        let four: [f32; 4] = std::array::from_fn(|l| eight[l] + eight[l + 4]);
        let two = [four[0] + four[2], four[1] + four[3]];
        let mut left = uniform(rng) as f32 * (two[0] + two[1]);
        let mut lane = 0;
        for (weights, step) in [(&two[..], 1), (&four[..], 2), (&eight[..], 4), (&lanes[..], 8)] {
            let weight = weights[lane];
            let beyond = left >= weight;
            left -= if beyond { weight } else { 0.0 };
            lane += if beyond { step } else { 0 };
        }
        let chunk: usize = self.sums.iter().map(|sums| usize::from(sums[lane] <= left)).sum();
        (chunk < self.sums.len()).then_some(chunk * LANES + lane)
    }
}
