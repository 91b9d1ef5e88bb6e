//! Groups that grow together: a union-find over numbered items.

/// Disjoint groups of items.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    above: Vec<u32>,
}

impl Groups {
    /// Every item alone.
    pub(crate) fn new(n: usize) -> Self {
        Self { above: (0..n as u32).collect() }
    }

    /// The item that stands for the group of `i`.
    pub(crate) fn find(&mut self, i: u32) -> u32 {
        let mut root = i;
        while self.above[root as usize] != root {
            // Halving the way keeps trees flat.
            let next = self.above[self.above[root as usize] as usize];
            self.above[root as usize] = next;
            root = next;
        }
        root
    }

    /// Joins the groups of two items; the lower number stands for both.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.above[a.max(b) as usize] = a.min(b);
    }
}
