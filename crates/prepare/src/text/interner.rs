//! A dictionary from byte strings to consecutive numbers, without an allocation for each entry.

/// Byte strings numbered in order of first appearance. Open addressing with linear probing; a slot holds 32 bits
/// of the hash beside the number, so that most misses touch no bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner {
    /// Tag and number + 1; (_, 0) is free. The length is a power of two, or zero.
    slots: Vec<(u32, u32)>,
    hashes: Vec<u64>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// A hash of short byte strings by folded multiplication, eight bytes at a time.
#[inline]
pub(crate) fn hash(key: &[u8]) -> u64 {
    const A: u64 = 0x9e37_79b9_7f4a_7c15;
    const B: u64 = 0xd6e8_feb8_6659_fd93;
    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        (wide as u64) ^ ((wide >> 64) as u64)
    };
    let mut state = A ^ key.len() as u64;
    if let (Some(first), Some(last)) = (key.first_chunk::<4>(), key.last_chunk::<4>())
        && key.len() <= 8
    {
        let halves = (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)));
        state = fold(state ^ (halves.0 | halves.1 << 32), B);
    } else if let Some(last) = key.last_chunk::<8>() {
        // Whole eights, and the last eight bytes, which may overlap them.
        for eight in key[..key.len() - 1].as_chunks::<8>().0 {
            state = fold(state ^ u64::from_le_bytes(*eight), B);
        }
        state = fold(state ^ u64::from_le_bytes(*last), B);
    } else if let (Some(first), Some(last)) = (key.first(), key.last()) {
        let bytes = [*first, key[key.len() / 2], *last, 0, 0, 0, 0, 0];
        state = fold(state ^ u64::from_le_bytes(bytes), B);
    }
    fold(state, A)
}

impl Interner {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string of a number.
    pub(crate) fn get(&self, id: u32) -> &[u8] {
        let id = id as usize;
        &self.bytes[if id == 0 { 0 } else { self.ends[id - 1] }..self.ends[id]]
    }

    /// The hash of a number's string.
    pub(crate) fn hash_of(&self, id: u32) -> u64 {
        self.hashes[id as usize]
    }

    /// The number of a string, where it has one.
    pub(crate) fn find(&self, key: &[u8]) -> Option<u32> {
        if self.slots.is_empty() { None } else { self.look(key, hash(key)).ok() }
    }

    /// The number of a string, which gets the next one where it is new; `None` when there is none left.
    #[inline]
    pub(crate) fn intern(&mut self, key: &[u8]) -> Option<u32> {
        self.intern_hashed(key, hash(key))
    }

    /// As [`Interner::intern`], with the hash at hand.
    #[inline]
    pub(crate) fn intern_hashed(&mut self, key: &[u8], hash: u64) -> Option<u32> {
        if 2 * self.len() >= self.slots.len() {
            self.grow();
        }
        match self.look(key, hash) {
            Ok(id) => Some(id),
            Err(slot) => {
                let id = u32::try_from(self.len()).ok().filter(|id| *id < u32::MAX - 1)?;
                self.slots[slot] = (tag(hash), id + 1);
                self.bytes.extend_from_slice(key);
                self.ends.push(self.bytes.len());
                self.hashes.push(hash);
                Some(id)
            }
        }
    }

    /// The number of a string, or the free slot where it belongs.
    #[inline]
    fn look(&self, key: &[u8], hash: u64) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let (tag, mut slot) = (tag(hash), hash as usize & mask);
        loop {
            match self.slots[slot] {
                (_, 0) => return Err(slot),
                (t, next) if t == tag && self.get(next - 1) == key => return Ok(next - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(1024);
        self.slots = vec![(0, 0); size];
        for (id, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & (size - 1);
            while self.slots[slot].1 != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = (tag(hash), id as u32 + 1);
        }
    }
}

/// The upper half of the hash; the lower one chose the slot.
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_in_order_and_found_again() {
        let mut interner = Interner::default();
        assert_eq!(interner.find(b"x"), None);
        let keys: Vec<String> = (0..5000).map(|i| "k".repeat(i % 40) + &i.to_string()).collect();
        for (i, key) in keys.iter().enumerate() {
            assert_eq!(interner.intern(key.as_bytes()), Some(i as u32));
        }
        assert_eq!(interner.intern(b""), Some(5000));
        for (i, key) in keys.iter().enumerate() {
            assert_eq!(interner.intern(key.as_bytes()), Some(i as u32));
            assert_eq!(interner.get(i as u32), key.as_bytes());
        }
        assert_eq!(interner.find(b"nothing"), None);
    }
}
