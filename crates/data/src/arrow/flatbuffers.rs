//! Just enough of FlatBuffers to read Arrow's metadata: tables, vectors and strings, every access checked.

/// A table inside a buffer; `None` from any accessor means that the buffer does not hold what it should.
#[derive(Clone, Copy)]
pub(super) struct Flat<'a> {
    bytes: &'a [u8],
    at: usize,
}

fn fixed<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

impl<'a> Flat<'a> {
    /// The root table.
    pub(super) fn root(bytes: &'a [u8]) -> Option<Self> {
        let at = u32::from_le_bytes(fixed(bytes, 0)?) as usize;
        (at < bytes.len()).then_some(Self { bytes, at })
    }

    /// Where field `n` lies; `None` where it is left at its default.
    fn field(&self, n: usize) -> Option<usize> {
        let back = i32::from_le_bytes(fixed(self.bytes, self.at)?) as i64;
        let table = usize::try_from(self.at as i64 - back).ok()?;
        let size = usize::from(u16::from_le_bytes(fixed(self.bytes, table)?));
        let slot = 4 + 2 * n;
        if slot + 2 > size {
            return None;
        }
        let offset = usize::from(u16::from_le_bytes(fixed(self.bytes, table + slot)?));
        (offset != 0).then(|| self.at + offset)
    }

    pub(super) fn u8(&self, n: usize, default: u8) -> u8 {
        self.field(n).and_then(|at| self.bytes.get(at).copied()).unwrap_or(default)
    }

    pub(super) fn i16(&self, n: usize, default: i16) -> i16 {
        self.field(n).and_then(|at| fixed(self.bytes, at)).map_or(default, i16::from_le_bytes)
    }

    pub(super) fn i32(&self, n: usize, default: i32) -> i32 {
        self.field(n).and_then(|at| fixed(self.bytes, at)).map_or(default, i32::from_le_bytes)
    }

    pub(super) fn i64(&self, n: usize, default: i64) -> i64 {
        self.field(n).and_then(|at| fixed(self.bytes, at)).map_or(default, i64::from_le_bytes)
    }

    /// Where an offset leads.
    fn follow(&self, at: usize) -> Option<usize> {
        let next = at.checked_add(u32::from_le_bytes(fixed(self.bytes, at)?) as usize)?;
        (next < self.bytes.len()).then_some(next)
    }

    pub(super) fn table(&self, n: usize) -> Option<Flat<'a>> {
        let at = self.follow(self.field(n)?)?;
        Some(Flat { bytes: self.bytes, at })
    }

    pub(super) fn text(&self, n: usize) -> Option<&'a str> {
        let (start, length) = self.vector(n)?;
        std::str::from_utf8(self.bytes.get(start..start.checked_add(length)?)?).ok()
    }

    /// The first element and the number of elements of a vector.
    fn vector(&self, n: usize) -> Option<(usize, usize)> {
        let at = self.follow(self.field(n)?)?;
        Some((at + 4, u32::from_le_bytes(fixed(self.bytes, at)?) as usize))
    }

    /// A vector of tables.
    pub(super) fn tables(&self, n: usize) -> Option<Vec<Flat<'a>>> {
        let Some((start, length)) = self.vector(n) else { return Some(Vec::new()) };
        if length > self.bytes.len() {
            return None;
        }
        (0..length).map(|i| Some(Flat { bytes: self.bytes, at: self.follow(start + 4 * i)? })).collect()
    }

    /// A vector of structs of `N` 64-bit numbers.
    pub(super) fn longs<const N: usize>(&self, n: usize) -> Option<Vec<[i64; N]>> {
        let Some((start, length)) = self.vector(n) else { return Some(Vec::new()) };
        if length > self.bytes.len() {
            return None;
        }
        let one = |i: usize| -> Option<[i64; N]> {
            let mut out = [0; N];
            for (k, slot) in out.iter_mut().enumerate() {
                *slot = i64::from_le_bytes(fixed(self.bytes, start + 8 * (N * i + k))?);
            }
            Some(out)
        };
        (0..length).map(one).collect()
    }
}
