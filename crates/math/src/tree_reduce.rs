//! Reductions whose tree depends on the number of blocks alone: in memory, in parallel, or by streaming.

/// Rows in one block of every blocked sum. Changing it changes last bits of many results.
pub const BLOCK_ROWS: usize = 2048;

/// Merges `leaf(0), ..., leaf(n_blocks - 1)` in parallel, in an order fixed by `n_blocks`; `None` for no block.
///
/// A range of n leaves is split at the largest power of two strictly below n, so the tree is the one a
/// binary counter builds ([`StreamReducer`]): a pass over a file gives the same bits as a pass in memory.
/// Runs in rayon's current pool; `merge` always receives (left, right).
///
/// # Example
/// ```
/// let total = mercer_math::tree_reduce(10, |block| block as f64, |a, b| a + b);
/// assert_eq!(total, Some(45.0));
/// ```
pub fn tree_reduce<T: Send>(
    n_blocks: usize,
    leaf: impl Fn(usize) -> T + Sync,
    merge: impl Fn(T, T) -> T + Sync,
) -> Option<T> {
    (n_blocks > 0).then(|| reduce(0, n_blocks, &leaf, &merge))
}

fn reduce<T, L, M>(start: usize, n: usize, leaf: &L, merge: &M) -> T
where
    T: Send,
    L: Fn(usize) -> T + Sync,
    M: Fn(T, T) -> T + Sync,
{
    if n == 1 {
        return leaf(start);
    }
    let half = n.next_power_of_two() / 2;
    let (left, right) =
        rayon::join(|| reduce(start, half, leaf, merge), || reduce(start + half, n - half, leaf, merge));
    merge(left, right)
}

/// The tree of [`tree_reduce`] built one block at a time, with O(log n) partial results alive.
///
/// # Example
/// ```
/// let mut reducer = mercer_math::StreamReducer::new();
/// for block in 0..10 {
///     reducer.push(block as f64, |a, b| a + b);
/// }
/// assert_eq!(reducer.finish(|a, b| a + b), Some(45.0));
/// ```
#[derive(Clone, Debug)]
pub struct StreamReducer<T> {
    /// Partial results with the number of leaves under each: strictly falling powers of two.
    partial: Vec<(usize, T)>,
}

impl<T> Default for StreamReducer<T> {
    fn default() -> Self {
        Self { partial: Vec::new() }
    }
}

impl<T> StreamReducer<T> {
    /// A reducer that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the summary of the next block.
    pub fn push(&mut self, value: T, merge: impl Fn(T, T) -> T) {
        let (mut size, mut value) = (1, value);
        while let Some((left_size, left)) = self.partial.pop_if(|(left_size, _)| *left_size == size) {
            value = merge(left, value);
            size += left_size;
        }
        self.partial.push((size, value));
    }

    /// Number of blocks seen.
    pub fn n_blocks(&self) -> usize {
        self.partial.iter().map(|(size, _)| size).sum()
    }

    /// Merges what is alive, right to left; `None` when nothing was pushed.
    pub fn finish(self, merge: impl Fn(T, T) -> T) -> Option<T> {
        self.partial.into_iter().rev().map(|(_, value)| value).reduce(|right, left| merge(left, right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streaming_and_joining_agree_to_the_bit() {
        for n in 0..200usize {
            let leaf = |i: usize| ((i * 7919 + 13) as f64).sin() * 10f64.powi((i % 17) as i32 - 8);
            let joined = tree_reduce(n, leaf, |a, b| a + b);
            let mut reducer = StreamReducer::new();
            (0..n).for_each(|i| reducer.push(leaf(i), |a, b| a + b));
            assert_eq!(reducer.n_blocks(), n);
            let streamed = reducer.finish(|a, b| a + b);
            assert_eq!(joined.map(f64::to_bits), streamed.map(f64::to_bits), "n = {n}");
        }
    }

    #[test]
    fn merges_keep_order_and_form_the_same_tree() {
        let merge = |a: String, b: String| format!("({a}{b})");
        for n in 1..70usize {
            let joined = tree_reduce(n, |i| format!("[{i}]"), merge);
            let mut reducer = StreamReducer::new();
            (0..n).for_each(|i| reducer.push(format!("[{i}]"), merge));
            assert_eq!(joined, reducer.finish(merge));
        }
    }

    #[test]
    fn independent_of_the_number_of_threads() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
            pool.install(|| tree_reduce(1001, |i| (i as f64).cos(), |a, b| a + b)).map(f64::to_bits)
        };
        assert_eq!(run(1), run(3));
    }
}
