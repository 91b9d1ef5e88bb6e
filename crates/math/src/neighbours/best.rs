//! The best few of many, by rank and then by index.

/// The `k` pairs of least (rank, index) offered so far: a heap whose root is the worst of them.
#[derive(Clone, Debug)]
pub struct Best {
    k: usize,
    heap: Vec<(f64, u32)>,
}

/// Whether a pair is worse than another: farther, or as far with a higher index.
#[inline(always)]
fn worse(a: (f64, u32), b: (f64, u32)) -> bool {
    a.0 > b.0 || (a.0 == b.0 && a.1 > b.1)
}

impl Best {
    /// Room for `k` pairs.
    pub fn new(k: usize) -> Self {
        Self { k, heap: Vec::with_capacity(k) }
    }

    /// The greatest rank that could still be taken.
    #[inline(always)]
    pub fn limit(&self) -> f64 {
        if self.heap.len() < self.k { f64::INFINITY } else { self.heap.first().map_or(-1.0, |w| w.0) }
    }

    /// Takes a pair where it is among the best. A rank that is not a number never is.
    #[inline]
    pub fn offer(&mut self, rank: f64, index: u32) {
        let pair = (rank, index);
        if rank.is_nan() || self.k == 0 {
            return;
        }
        if self.heap.len() < self.k {
            self.heap.push(pair);
            self.rise(self.heap.len() - 1);
        } else if worse(self.heap[0], pair) {
            self.heap[0] = pair;
            self.sink();
        }
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let above = (at - 1) / 2;
            if !worse(self.heap[at], self.heap[above]) {
                break;
            }
            self.heap.swap(at, above);
            at = above;
        }
    }

    fn sink(&mut self) {
        let mut at = 0;
        loop {
            let left = 2 * at + 1;
            let right = left + 1;
            if left >= self.heap.len() {
                break;
            }
            let below = if right < self.heap.len() && worse(self.heap[right], self.heap[left]) {
                right
            } else {
                left
            };
            if !worse(self.heap[below], self.heap[at]) {
                break;
            }
            self.heap.swap(at, below);
            at = below;
        }
    }

    /// The pairs in order, the best one first; they stay until [`Best::clear`].
    pub fn sorted(&mut self) -> &[(f64, u32)] {
        sort_pairs(&mut self.heap);
        &self.heap
    }

    /// Forgets all pairs.
    pub fn clear(&mut self) {
        self.heap.clear();
    }
}

/// Sorts by rank, then by index.
pub(super) fn sort_pairs(pairs: &mut [(f64, u32)]) {
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}
