//! Distinct texts with small codes, in order of first appearance, all bytes in one arena.

use std::ops::Range;

/// A set of byte strings; open addressing over codes, so that a text is stored once and never allocated alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner {
    arena: Vec<u8>,
    ends: Vec<usize>,
    hashes: Vec<u64>,
    /// Code plus one, or zero; a power of two of slots, at most half full.
    slots: Vec<u32>,
}

/// Multiply and fold, eight bytes at a time. Not for adversaries, who can only slow themselves down.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product >> 64) as u64 ^ product as u64
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = fold(bytes.len() as u64 ^ K, 0xd6e8_feb8_6659_fd93);
    for word in words {
        hash = fold(hash ^ u64::from_le_bytes(*word), K);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(hash ^ u64::from_le_bytes(last), K | 1)
}

impl Interner {
    /// Number of distinct texts.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    fn span(&self, code: usize) -> Range<usize> {
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        start..self.ends[code]
    }

    /// The text of a code.
    pub(crate) fn get(&self, code: usize) -> &[u8] {
        &self.arena[self.span(code)]
    }

    /// The code of a text, and whether it is new.
    pub(crate) fn code(&mut self, text: &[u8]) -> (u32, bool) {
        if self.slots.len() < 2 * (self.len() + 1) {
            self.grow();
        }
        let (hash, mask) = (hash_bytes(text), self.slots.len() - 1);
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            let code = self.slots[slot] - 1;
            if self.hashes[code as usize] == hash && self.get(code as usize) == text {
                return (code, false);
            }
            slot = (slot + 1) & mask;
        }
        let code = self.len() as u32;
        self.slots[slot] = code + 1;
        self.hashes.push(hash);
        self.arena.extend_from_slice(text);
        self.ends.push(self.arena.len());
        (code, true)
    }

    fn grow(&mut self) {
        let n_slots = (4 * self.slots.len()).max(16);
        self.slots = vec![0; n_slots];
        for (code, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & (n_slots - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (n_slots - 1);
            }
            self.slots[slot] = code as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_first_appearance() {
        let mut interner = Interner::default();
        let texts: Vec<String> = (0..3000).map(|i| format!("level {}", i % 1000)).collect();
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(interner.code(text.as_bytes()), ((i % 1000) as u32, i < 1000));
        }
        assert_eq!(interner.len(), 1000);
        assert_eq!(interner.get(17), b"level 17");
        assert_eq!(interner.code(b""), (1000, true));
        assert_eq!(interner.get(1000), b"");
    }
}
