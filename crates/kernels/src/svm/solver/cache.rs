//! Rows of the kernel's matrix that were computed lately, within a bound of memory.

use super::element::Element;

/// Rows by the place of their point; those asked for longest ago make room.
pub(crate) struct RowCache<E> {
    /// The slot of each point's row.
    slots: Vec<Option<u32>>,
    /// The point of each slot, when it was asked for last, and its values.
    rows: Vec<Slot<E>>,
    capacity: usize,
    width: usize,
    clock: u64,
}

struct Slot<E> {
    point: usize,
    asked: u64,
    values: Vec<E>,
}

impl<E: Element> RowCache<E> {
    /// A cache of rows of `width` values in `bytes`, for at least `least` rows.
    pub(crate) fn new(width: usize, bytes: usize, least: usize) -> Self {
        let capacity = Self::rows_in(bytes, width).max(least).min(width);
        Self { slots: vec![None; width], rows: Vec::new(), capacity, width, clock: 0 }
    }

    /// How many rows of a width fit.
    pub(crate) fn rows_in(bytes: usize, width: usize) -> usize {
        bytes / (width.max(1) * size_of::<E>())
    }

    pub(crate) fn row(&self, point: usize) -> &[E] {
        self.slots[point].map_or(&[], |slot| &self.rows[slot as usize].values)
    }

    /// Those of the points whose rows are not here. The others are asked for now.
    pub(crate) fn missing(&mut self, points: &[usize]) -> Vec<usize> {
        self.clock += 1;
        for slot in points.iter().filter_map(|&p| self.slots[p]) {
            self.rows[slot as usize].asked = self.clock;
        }
        points.iter().copied().filter(|&p| self.slots[p].is_none()).collect()
    }

    /// Memory for rows that are not here, to be filled; rows that were not asked for now make room.
    pub(crate) fn room(&mut self, n: usize) -> Vec<Vec<E>> {
        let fresh = n.min(self.capacity.saturating_sub(self.rows.len()));
        let mut room: Vec<Vec<E>> = (0..fresh).map(|_| vec![E::default(); self.width]).collect();
        let mut old: Vec<u32> =
            (0..self.rows.len() as u32).filter(|&s| self.rows[s as usize].asked < self.clock).collect();
        old.sort_unstable_by_key(|&s| (self.rows[s as usize].asked, self.rows[s as usize].point));
        old.truncate(n - fresh);
        // From the back, so that the slots that are still to be taken stay where they are.
        old.sort_unstable_by(|a, b| b.cmp(a));
        for slot in old {
            let taken = self.rows.swap_remove(slot as usize);
            self.slots[taken.point] = None;
            if let Some(moved) = self.rows.get(slot as usize) {
                self.slots[moved.point] = Some(slot);
            }
            room.push(taken.values);
        }
        room.resize_with(n, || vec![E::default(); self.width]);
        room
    }

    /// Rows that were computed.
    pub(crate) fn insert(&mut self, points: &[usize], rows: Vec<Vec<E>>) {
        for (&point, values) in points.iter().zip(rows) {
            self.slots[point] = Some(self.rows.len() as u32);
            self.rows.push(Slot { point, asked: self.clock, values });
        }
    }

    /// The cache of some of the points alone, by their new places, which are in order; memory that is freed holds more rows. Rows are
    /// made narrow where they stand, so that there are never two of them.
    pub(crate) fn narrowed(mut self, keep: &[usize], bytes: usize, least: usize) -> Self {
        let mut narrow = Self::new(keep.len(), bytes, least);
        narrow.clock = self.clock;
        let kept: Vec<Option<u32>> = keep.iter().map(|&p| self.slots[p]).collect();
        let mut left = vec![true; self.rows.len()];
        kept.iter().flatten().for_each(|&slot| left[slot as usize] = false);
        self.rows.iter_mut().zip(left).filter(|(_, left)| *left).for_each(|(row, _)| row.values = Vec::new());
        for (place, slot) in kept.into_iter().enumerate() {
            let Some(slot) = slot else { continue };
            let from = &mut self.rows[slot as usize];
            let mut values = std::mem::take(&mut from.values);
            keep.iter().enumerate().for_each(|(at, &k)| values[at] = values[k]);
            values.truncate(keep.len());
            values.shrink_to_fit();
            narrow.slots[place] = Some(narrow.rows.len() as u32);
            narrow.rows.push(Slot { point: place, asked: from.asked, values });
        }
        narrow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for rows, which have their point's number and their place as values.
    fn ask(cache: &mut RowCache<f32>, names: &[usize], points: &[usize]) {
        let missing = cache.missing(points);
        let mut room = cache.room(missing.len());
        for (row, &p) in room.iter_mut().zip(&missing) {
            row.iter_mut().zip(names).for_each(|(v, &name)| *v = (1000 * names[p] + name) as f32);
        }
        cache.insert(&missing, room);
        for &p in points {
            let expected: Vec<f32> = names.iter().map(|&name| (1000 * names[p] + name) as f32).collect();
            assert_eq!(cache.row(p), expected);
        }
    }

    #[test]
    fn rows_stay_within_their_memory() {
        let bytes = 10_000;
        let held = |cache: &RowCache<f32>| cache.rows.iter().map(|r| 4 * r.values.capacity()).sum::<usize>();
        let mut names: Vec<usize> = (0..100).collect();
        let mut cache = RowCache::<f32>::new(100, bytes, 16);
        for round in 0..40 {
            let points: Vec<usize> = (0..20).map(|k| (k * 7 + round * 13) % names.len()).collect();
            let mut distinct = points.clone();
            distinct.sort_unstable();
            distinct.dedup();
            ask(&mut cache, &names, &distinct);
            assert!(held(&cache) <= bytes, "{} bytes", held(&cache));
            if round % 10 == 9 {
                let keep: Vec<usize> = (0..names.len()).filter(|p| p % 5 != 0).collect();
                let before = held(&cache);
                cache = cache.narrowed(&keep, bytes, 16);
                assert!(held(&cache) <= before && held(&cache) > 0);
                names = keep.iter().map(|&p| names[p]).collect();
                (0..names.len()).filter(|&p| cache.slots[p].is_some()).for_each(|p| {
                    assert_eq!(cache.row(p)[0], (1000 * names[p] + names[0]) as f32);
                });
            }
        }
    }
}
