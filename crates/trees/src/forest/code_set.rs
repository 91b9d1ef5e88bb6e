//! A bit set of the codes of a binned column.

/// A set of codes, one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CodeSet(pub(super) [u64; 4]);

impl CodeSet {
    /// The codes up to `bin`.
    pub(super) fn up_to(bin: u8) -> Self {
        Self(std::array::from_fn(|w| match (bin >> 6) as usize {
            last if w < last => u64::MAX,
            last if w == last => u64::MAX >> (63 - (bin & 63)),
            _ => 0,
        }))
    }

    #[inline]
    pub(super) fn has(&self, code: u8) -> bool {
        self.0[(code >> 6) as usize] >> (code & 63) & 1 == 1
    }

    #[inline]
    pub(super) fn insert(&mut self, code: u8) {
        self.0[(code >> 6) as usize] |= 1 << (code & 63);
    }

    pub(super) fn remove(&mut self, code: u8) {
        self.0[(code >> 6) as usize] &= !(1 << (code & 63));
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    /// The codes, rising.
    pub(super) fn codes(&self) -> impl Iterator<Item = u8> + Clone + use<> {
        let words = self.0;
        (0..4u8).flat_map(move |w| {
            let mut word = words[w as usize];
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as u8;
                    word &= word - 1;
                    w << 6 | bit
                })
            })
        })
    }
}
