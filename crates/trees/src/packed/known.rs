//! What is known of the nodes of packed trees, for whoever reads one tree by itself.

use super::PackedTrees;

impl PackedTrees {
    /// Number of features.
    pub(crate) fn n_features(&self) -> usize {
        self.n_features as usize
    }

    /// What the nodes of tree `t` say: leaves their own, inner nodes the mean of their leaves by weight.
    pub(crate) fn node_values(&self, t: usize) -> Vec<Vec<f64>> {
        let n = self.n_nodes(t);
        let weight = |i: usize| self.cover(t, i).unwrap_or(0.0);
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); n];
        // Children come after their parents.
        for i in (0..n).rev() {
            values[i] = match self.split(t, i) {
                Some(s) => {
                    let (left, right) = (weight(s.left), weight(s.right));
                    let share = if left + right > 0.0 { left / (left + right) } else { 0.5 };
                    let mean = |(l, r): (&f64, &f64)| share * l + (1.0 - share) * r;
                    values[s.left].iter().zip(&values[s.right]).map(mean).collect()
                }
                None => self.value(t, i).unwrap_or_default().to_vec(),
            };
        }
        values
    }

    /// The number of training rows and the impurity of node `i` of tree `t`, where they are kept.
    pub(crate) fn details(&self, t: usize, i: usize) -> Option<(usize, f64)> {
        let at = self.range(t).start + i;
        Some((*self.rows.get(at)? as usize, *self.impurity.get(at)?))
    }
}
