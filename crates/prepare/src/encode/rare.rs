//! Rare levels share one group.

use super::frequency::check_frequency;
use mercer_core::{CountOrShare, Result};
use serde::{Deserialize, Serialize};

/// Which levels are too rare to stand alone, as in scikit-learn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rarity {
    pub(crate) min_frequency: Option<CountOrShare>,
    pub(crate) max_categories: Option<usize>,
}

/// Levels in groups: each frequent level alone, in order, and all rare ones in the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Groups {
    /// The group of each level.
    of: Vec<u32>,
    n_groups: u32,
    rare: bool,
}

impl Rarity {
    pub(crate) fn check(&self, owner: &str) -> Result<()> {
        self.min_frequency.map_or(Ok(()), |f| check_frequency(f, owner, "min_frequency"))
    }

    /// Groups levels by the weight of their rows, of `n`.
    pub(crate) fn groups(&self, counts: &[f64], n: f64) -> Groups {
        let least = self.min_frequency.map_or(0.0, |f| f.of(n));
        let mut rare: Vec<bool> = counts.iter().map(|c| *c < least).collect();
        let groups = counts.len() - rare.iter().filter(|r| **r).count() + 1;
        if let Some(most) = self.max_categories.filter(|&most| most < groups) {
            // Ascending and stable: among equals the first levels are the rarer ones.
            let mut order: Vec<usize> = (0..counts.len()).collect();
            order.sort_by(|&a, &b| counts[a].total_cmp(&counts[b]));
            let frequent = most.saturating_sub(1).min(counts.len());
            order[..counts.len() - frequent].iter().for_each(|&level| rare[level] = true);
        }
        let frequent = rare.iter().filter(|r| !**r).count() as u32;
        let mut next = 0;
        let group = |rare: &bool| {
            next += u32::from(!rare);
            if *rare { frequent } else { next - 1 }
        };
        let of = rare.iter().map(group).collect();
        let any = (frequent as usize) < counts.len();
        Groups { of, n_groups: frequent + u32::from(any), rare: any }
    }
}

impl Groups {
    /// Number of groups.
    pub(crate) fn len(&self) -> u32 {
        self.n_groups
    }

    /// The group of each level.
    pub(crate) fn of(&self) -> &[u32] {
        &self.of
    }

    /// The group of the rare levels.
    pub(crate) fn rare(&self) -> Option<u32> {
        self.rare.then(|| self.n_groups - 1)
    }

    /// The level of each group; that of the rare ones is one beyond the levels.
    pub(crate) fn levels(&self) -> Vec<u32> {
        let mut out = vec![self.of.len() as u32; self.n_groups as usize];
        let alone = self.of.iter().enumerate().filter(|(_, g)| Some(**g) != self.rare());
        alone.for_each(|(level, &group)| out[group as usize] = level as u32);
        out
    }

    /// Whether loaded groups fit so many levels.
    pub(crate) fn fit(&self, n_levels: usize) -> bool {
        self.of.len() == n_levels
            && self.n_groups as usize <= n_levels
            && (self.n_groups > 0 || !self.rare)
            && self.of.iter().all(|g| *g < self.n_groups)
    }
}

/// The name of the group of rare levels: `infrequent`, with underscores until no level has that name.
pub(crate) fn rare_name<'a>(levels: impl Iterator<Item = &'a String> + Clone) -> String {
    let mut name = "infrequent".to_owned();
    while levels.clone().any(|l| *l == name) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_levels_share_the_last_group() {
        let counts = [5.0, 1.0, 3.0, 1.0, 2.0];
        let rarity = |min_frequency, max_categories| Rarity { min_frequency, max_categories };
        let by_count = rarity(Some(CountOrShare::Count(2)), None).groups(&counts, 12.0);
        assert_eq!((by_count.of(), by_count.rare()), ([0, 3, 1, 3, 2].as_slice(), Some(3)));
        assert_eq!(by_count.levels(), [0, 2, 4, 5]);
        let by_number = rarity(None, Some(3)).groups(&counts, 12.0);
        assert_eq!((by_number.of(), by_number.len()), ([0, 2, 1, 2, 2].as_slice(), 3));
        let all = rarity(None, Some(1)).groups(&counts, 12.0);
        assert_eq!((all.of(), all.rare()), ([0; 5].as_slice(), Some(0)));
        assert_eq!(rarity(None, None).groups(&counts, 12.0).rare(), None);
    }
}
