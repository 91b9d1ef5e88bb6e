//! Draws of topics, one kind of word after the other, over documents that keep only the topics they have.
//!
//! p(topic k) ∝ (n_dk + α_k) b_k with b_k = (n_kw + η) / (n_k + Vη), all without the word itself. While words of one kind are drawn, b changes at
//! two topics a draw. Σ n_dk b_k runs over the topics of the document, eight side by side; Σ α_k b_k is carried along, and its topics are
//! looked at only when one of them is drawn. Each draw is exact: nothing is proposed and refused. The split is that of
//! H.-F. Yu, C.-J. Hsieh, H. Yun, S. V. N. Vishwanathan, I. S. Dhillon, A scalable asynchronous distributed algorithm for topic modeling, WWW 2015.

use super::sampler::Priors;
use mercer_math::{Rng, Wide, prefetch, uniform};

/// Topics side by side; rows of counts are padded to whole chunks of them.
pub(super) const LANES: usize = 8;
/// In a place without a topic: no topic has this number.
const NONE: u16 = u16::MAX;
/// Words ahead whose documents are asked for, and before that the places of these.
const AHEAD: (usize, usize) = (4, 8);

/// A number for each topic that 16 bits can name, so that no place has to be checked.
pub(super) type Factors = [f32; 1 << 16];

/// Eight topics of a document, in no order; none has a count of zero.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Eight {
    counts: [i32; LANES],
    topics: [u16; LANES],
}

const EMPTY: Eight = Eight { counts: [0; LANES], topics: [NONE; LANES] };

/// Documents, with the counts of the topics that they have.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// The first eight topics of each, and how many topics it has.
    places: Vec<(u32, u32)>,
    eights: Vec<Eight>,
}

impl Documents {
    /// Adds a document with these counts of all topics, and room for as many topics as it may ever have.
    pub(super) fn push(&mut self, counts: &[i32]) {
        let first = self.eights.len();
        let length: usize = counts.iter().map(|n| *n as usize).sum();
        self.eights.resize(first + length.min(counts.len()).div_ceil(LANES), EMPTY);
        let had = counts.iter().enumerate().filter(|(_, n)| **n > 0);
        let mut size = 0;
        for (topic, n) in had {
            let eight = &mut self.eights[first + size / LANES];
            (eight.topics[size % LANES], eight.counts[size % LANES]) = (topic as u16, *n);
            size += 1;
        }
        self.places.push((first as u32, size as u32));
    }

    /// The topics that a document has, and how many of its words.
    pub(super) fn topics(&self, doc: usize) -> impl Iterator<Item = (usize, i32)> {
        let flat = |eight: &Eight| std::array::from_fn::<_, LANES, _>(|l| (eight.topics[l], eight.counts[l]));
        let found = self.of(doc).iter().flat_map(flat).filter(|(_, n)| *n > 0);
        found.map(|(topic, n)| (topic as usize, n))
    }

    #[inline(always)]
    fn of(&self, doc: usize) -> &[Eight] {
        let (first, size) = self.places[doc];
        &self.eights[first as usize..][..(size as usize).div_ceil(LANES)]
    }

    /// Counts one word less of a topic that the document has.
    #[inline(always)]
    fn take(&mut self, doc: usize, topic: u16) {
        let (first, size) = &mut self.places[doc];
        let eights = &mut self.eights[*first as usize..];
        let Some((at, lane)) = place(&eights[..(*size as usize).div_ceil(LANES)], topic) else { return };
        eights[at].counts[lane] -= 1;
        if eights[at].counts[lane] == 0 {
            // The last topic takes the place that has become free.
            *size -= 1;
            let (end, last) = (*size as usize / LANES, *size as usize % LANES);
            eights[at].topics[lane] = eights[end].topics[last];
            eights[at].counts[lane] = eights[end].counts[last];
            (eights[end].topics[last], eights[end].counts[last]) = (NONE, 0);
        }
    }

    /// Counts one word more of a topic.
    #[inline(always)]
    fn add(&mut self, doc: usize, topic: u16) {
        let (first, size) = &mut self.places[doc];
        let eights = &mut self.eights[*first as usize..];
        let found = place(&eights[..(*size as usize).div_ceil(LANES)], topic);
        let (at, lane) = found.unwrap_or((*size as usize / LANES, *size as usize % LANES));
        *size += u32::from(found.is_none());
        eights[at].topics[lane] = topic;
        eights[at].counts[lane] += 1;
    }
}

#[inline(always)]
fn place(eights: &[Eight], topic: u16) -> Option<(usize, usize)> {
    let mask = |eight: &Eight| {
        let is = eight.topics.map(|t| t == topic);
        is.iter().enumerate().fold(0u32, |mask, (l, is)| mask | u32::from(*is) << l)
    };
    eights.iter().enumerate().find_map(|(at, eight)| match mask(eight) {
        0 => None,
        mask => Some((at, mask.trailing_zeros() as usize)),
    })
}

/// Words of one group in the documents of one part, word after word.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Places of words in the group's table, with the ends of their occurrences.
    pub(super) runs: Vec<(u32, usize)>,
    /// The document of each occurrence.
    pub(super) docs: Vec<u32>,
    pub(super) topics: Vec<u16>,
}

impl Block {
    /// A block of these words, documents and topics.
    pub(super) fn new(mut drawn: Vec<(u32, u32, u16)>) -> Self {
        drawn.sort_unstable();
        let mut out = Self::default();
        for (word, doc, topic) in drawn {
            out.docs.push(doc);
            out.topics.push(topic);
            match out.runs.last_mut() {
                Some(run) if run.0 == word => run.1 += 1,
                _ => out.runs.push((word, out.docs.len())),
            }
        }
        out
    }
}

/// The priors as draws need them.
pub(super) struct Weights {
    alpha: Vec<f32>,
    eta: f32,
    all: f32,
}

impl Weights {
    /// Of topics padded to `stride`, and `d` words.
    pub(super) fn new(priors: &Priors, stride: usize, d: usize) -> Self {
        let mut alpha: Vec<f32> = priors.alpha.iter().map(|a| *a as f32).collect();
        // No padding is ever drawn.
        alpha.resize(stride, 0.0);
        Self { alpha, eta: priors.eta as f32, all: (priors.eta * d as f64) as f32 }
    }
}

/// The topics of a block's words, drawn anew.
pub(super) struct Draw<'a> {
    pub(super) weights: &'a Weights,
    pub(super) block: &'a mut Block,
    pub(super) documents: &'a mut Documents,
    /// The counts of topics of the group's words, words × topics.
    pub(super) table: &'a mut [i32],
    /// Words of each topic.
    pub(super) totals: &'a mut [i64],
    /// b of the word whose occurrences are drawn; beyond the topics, zero.
    pub(super) factors: &'a mut Factors,
    pub(super) rng: &'a mut Rng,
}

impl Wide for Draw<'_> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        let stride = self.totals.len();
        let scales = self.totals.iter().map(|n| 1.0 / (*n as f32 + self.weights.all)).collect();
        let sums = vec![[0.0; LANES]; stride / LANES];
        let Block { runs, docs, topics } = self.block;
        let (documents, table, rng) = (self.documents, self.table, self.rng);
        let (weights, totals, factors) = (self.weights, self.totals, self.factors);
        let mut word = Word { weights, totals, factors, scales, sums, smooth: 0.0 };
        let mut at = 0;
        for &(place, end) in &*runs {
            let row = &mut table[place as usize * stride..][..stride];
            word.begin(row);
            for (at, topic) in (at..).zip(&mut topics[at..end]) {
                ask(documents, docs, at);
                word.draw_again(documents, docs[at] as usize, row, topic, rng);
            }
            at = end;
        }
    }
}

/// Asks for the topics of documents that come soon.
#[inline(always)]
fn ask(documents: &Documents, docs: &[u32], at: usize) {
    if let Some(doc) = docs.get(at + AHEAD.1) {
        prefetch(&documents.places, *doc as usize);
    }
    if let Some(doc) = docs.get(at + AHEAD.0) {
        let first = documents.places[*doc as usize].0 as usize;
        (first..first + 4).for_each(|i| prefetch(&documents.eights, i));
    }
}

/// What the occurrences of one word have in common.
struct Word<'a> {
    weights: &'a Weights,
    totals: &'a mut [i64],
    factors: &'a mut Factors,
    /// 1 / (n_k + Vη).
    scales: Vec<f32>,
    /// Running sums over chunks of topics, lane by lane.
    sums: Vec<[f32; LANES]>,
    /// Σ α_k b_k; in double, so that what changes add up to does not stray.
    smooth: f64,
}

impl Word<'_> {
    #[inline(always)]
    fn begin(&mut self, row: &[i32]) {
        let priors = self.weights.alpha.as_chunks::<LANES>().0;
        let (factors, scales) = (self.factors.as_chunks_mut::<LANES>().0, self.scales.as_chunks::<LANES>().0);
        let mut lanes = [0.0f32; LANES];
        for (((row, factors), scales), alpha) in
            row.as_chunks::<LANES>().0.iter().zip(factors).zip(scales).zip(priors)
        {
            // Made apart from where they go, which the compiler does not know to be no place that is read.
            let made: [f32; LANES] = std::array::from_fn(|l| (row[l] as f32 + self.weights.eta) * scales[l]);
            lanes = std::array::from_fn(|l| lanes[l] + made[l] * alpha[l]);
            *factors = made;
        }
        self.smooth = lanes.iter().map(|v| f64::from(*v)).sum();
    }

    /// Draws the topic of one occurrence given all other words.
    #[inline(always)]
    fn draw_again(
        &mut self,
        documents: &mut Documents,
        doc: usize,
        row: &mut [i32],
        topic: &mut u16,
        rng: &mut Rng,
    ) {
        let (old, k) = (*topic, *topic as usize);
        let before = (self.factors[k], self.smooth);
        self.weigh(k, row[k] - 1, self.totals[k] - 1);
        let new = self.draw(documents.of(doc), old, rng).unwrap_or(old);
        if new == old {
            // Mostly nothing changes.
            (self.factors[k], self.smooth) = before;
            return;
        }
        documents.take(doc, old);
        self.count(row, old, -1);
        documents.add(doc, new);
        self.count(row, new, 1);
        *topic = new;
    }

    /// Adds a word to a topic, or takes one away.
    #[inline(always)]
    fn count(&mut self, row: &mut [i32], topic: u16, by: i32) {
        let k = topic as usize;
        row[k] += by;
        self.totals[k] += i64::from(by);
        self.scales[k] = self.weigh(k, row[k], self.totals[k]);
    }

    /// Makes a topic's factor of its counts; its scale.
    #[inline(always)]
    fn weigh(&mut self, topic: usize, n: i32, total: i64) -> f32 {
        let scale = 1.0 / (total as f32 + self.weights.all);
        let factor = (n as f32 + self.weights.eta) * scale;
        let change = f64::from(factor) - f64::from(self.factors[topic]);
        self.smooth += change * f64::from(self.weights.alpha[topic]);
        self.factors[topic] = factor;
        scale
    }

    /// A topic for a word of a document that still counts it as `old`; none where rounding leaves a crumb behind the last one.
    #[inline(always)]
    fn draw(&mut self, document: &[Eight], old: u16, rng: &mut Rng) -> Option<u16> {
        let mut lanes = [0.0f32; LANES];
        for (eight, sums) in document.iter().zip(&mut self.sums) {
            let factors = eight.topics.map(|t| self.factors[t as usize]);
            let n: [i32; LANES] =
                std::array::from_fn(|l| eight.counts[l] - i32::from(eight.topics[l] == old));
            lanes = std::array::from_fn(|l| lanes[l] + n[l] as f32 * factors[l]);
            keep(&lanes, sums);
        }
        let own = total(&lanes);
        let left = uniform(rng) as f32 * (own + self.smooth as f32);
        if left >= own {
            return self.draw_smooth(rng);
        }
        let (at, lane) = pick(&self.sums[..document.len()], &lanes, left)?;
        Some(document[at].topics[lane])
    }

    /// A topic by α_k b_k.
    #[inline(always)]
    fn draw_smooth(&mut self, rng: &mut Rng) -> Option<u16> {
        let mut lanes = [0.0f32; LANES];
        let terms = self.weights.alpha.as_chunks::<LANES>().0.iter().zip(self.factors.as_chunks::<LANES>().0);
        for ((alpha, factors), sums) in terms.zip(&mut self.sums) {
            lanes = std::array::from_fn(|l| lanes[l] + alpha[l] * factors[l]);
            keep(&lanes, sums);
        }
        let (at, lane) = pick(&self.sums, &lanes, uniform(rng) as f32 * total(&lanes))?;
        Some((at * LANES + lane) as u16)
    }
}

/// Copies lanes by halves, in which the compiler holds them: to be copied as a whole they would first have to meet in memory.
#[inline(always)]
fn keep(lanes: &[f32; LANES], to: &mut [f32; LANES]) {
    let ((low, high), (own_low, own_high)) = (lanes.split_at(LANES / 2), to.split_at_mut(LANES / 2));
    own_low.copy_from_slice(low);
    own_high.copy_from_slice(high);
}

#[inline(always)]
fn halves(lanes: &[f32; LANES]) -> ([f32; 4], [f32; 2]) {
    let four: [f32; 4] = std::array::from_fn(|l| lanes[l] + lanes[l + 4]);
    (four, [four[0] + four[2], four[1] + four[3]])
}

/// The sum of all lanes, as [`pick`] adds them.
#[inline(always)]
fn total(lanes: &[f32; LANES]) -> f32 {
    let [first, second] = halves(lanes).1;
    first + second
}

/// Where running sums exceed what is `left` of their total, found by halving the lanes without a branch: chunk and lane.
#[inline(always)]
fn pick(sums: &[[f32; LANES]], lanes: &[f32; LANES], mut left: f32) -> Option<(usize, usize)> {
    let (four, two) = halves(lanes);
    let mut lane = 0;
    for (weights, step) in [(&two[..], 1), (&four[..], 2), (&lanes[..], 4)] {
        let weight = weights[lane];
        let beyond = left >= weight;
        left -= if beyond { weight } else { 0.0 };
        lane += if beyond { step } else { 0 };
    }
    let at: usize = sums.iter().map(|sums| usize::from(sums[lane] <= left)).sum();
    (at < sums.len()).then_some((at, lane))
}
