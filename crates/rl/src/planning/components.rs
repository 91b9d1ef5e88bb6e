//! Strongly connected components of a directed graph.

/// The strongly connected components of `n` nodes, each behind those that it leads to (Tarjan 1972, without recursion).
pub(crate) fn components<'a>(n: usize, next: impl Fn(usize) -> &'a [u32]) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    // Of a node that is open: the least number that is known to be reached from it.
    let mut low = vec![UNSEEN; n];
    let (mut open, mut path, mut found) = (Vec::<u32>::new(), Vec::<(usize, usize, u32)>::new(), Vec::new());
    let mut count = 0;
    for root in 0..n {
        if low[root] != UNSEEN {
            continue;
        }
        path.push((root, 0, count));
        while let Some((node, at, number)) = path.pop() {
            if at == 0 {
                low[node] = number;
                count += 1;
                open.push(node as u32);
            } else {
                let child = next(node)[at - 1] as usize;
                low[node] = low[node].min(if low[child] == DONE { UNSEEN } else { low[child] });
            }
            let successors = next(node);
            // Nodes that are seen have told all that they know; the first that is not is gone into.
            let mut at = at;
            while at < successors.len() && low[successors[at] as usize] != UNSEEN {
                let child = successors[at] as usize;
                if low[child] != DONE {
                    low[node] = low[node].min(low[child]);
                }
                at += 1;
            }
            if let Some(&child) = successors.get(at) {
                path.push((node, at + 1, number));
                path.push((child as usize, 0, count));
            } else if low[node] == number {
                let start = open.iter().rposition(|&o| o as usize == node).unwrap_or(0);
                let component = open.split_off(start);
                component.iter().for_each(|&o| low[o as usize] = DONE);
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{below, rng_for};

    /// Two nodes are of one component where each is reached from the other; no component leads to a later one.
    #[test]
    fn components_are_those_of_reachability() {
        for seed in 0..300 {
            let mut rng = rng_for(seed, 0);
            let n = 1 + below(&mut rng, 9);
            let edges: Vec<Vec<u32>> = (0..n)
                .map(|_| (0..below(&mut rng, 3)).map(|_| below(&mut rng, n) as u32).collect())
                .collect();
            let mut reach: Vec<Vec<bool>> = (0..n).map(|i| (0..n).map(|j| i == j).collect()).collect();
            for _ in 0..n {
                for i in 0..n {
                    for k in edges[i].iter().map(|&k| k as usize) {
                        let beyond = reach[k].clone();
                        reach[i].iter_mut().zip(beyond).for_each(|(own, more)| *own |= more);
                    }
                }
            }
            let found = components(n, |i| &edges[i]);
            assert_eq!(found.iter().map(Vec::len).sum::<usize>(), n);
            let home = super::super::chain::homes(&found, n);
            for i in 0..n {
                for j in 0..n {
                    assert_eq!(home[i] == home[j], reach[i][j] && reach[j][i], "{edges:?} {found:?}");
                    assert!(!reach[i][j] || home[j] <= home[i], "{edges:?} {found:?}");
                }
            }
        }
    }

    /// A path of a hundred thousand nodes would overflow a stack of calls.
    #[test]
    fn long_paths_are_walked() {
        let next: Vec<u32> = (1..100_000).collect();
        let found = components(100_000, |i| next.get(i..=i).unwrap_or(&[]));
        assert_eq!((found.len(), found[0][0]), (100_000, 99_999));
    }
}
