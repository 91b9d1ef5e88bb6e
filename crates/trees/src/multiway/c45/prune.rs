//! Error-based pruning: subtree replacement and subtree raising.

use crate::multiway::GrowingNode;
use crate::multiway::attributes::{Item, Problem};
use mercer_core::{Session, Termination};
use mercer_math::argmax;

/// Confidences and the normal deviates that C4.5 interpolates between.
const DEVIATES: [(f64, f64); 9] = [
    (0.0, 4.0),
    (0.001, 3.09),
    (0.005, 2.58),
    (0.01, 2.33),
    (0.05, 1.65),
    (0.10, 1.28),
    (0.20, 0.84),
    (0.40, 0.25),
    (1.0, 0.0),
];

/// The upper limit of the share of errors where `e` of `n` are wrong, at confidence `cf`: Quinlan's U_CF(E, N).
pub(crate) fn upper_limit(e: f64, n: f64, cf: f64) -> f64 {
    if e < 1e-6 {
        return 1.0 - (cf.ln() / n).exp();
    }
    if e < 0.9999 {
        let none = upper_limit(0.0, n, cf);
        // A fraction of an error lies between none and one.
        return none + e * (upper_limit(1.0, n, cf) - none);
    }
    if e + 0.5 >= n {
        return (e + 0.67 * (n - e)) / n;
    }
    let above = DEVIATES.windows(2).find(|w| cf <= w[1].0).unwrap_or(&DEVIATES[7..9]);
    let ((c0, d0), (c1, d1)) = (above[0], above[1]);
    let z = d0 + (d1 - d0) * (cf - c0) / (c1 - c0);
    let (z2, e) = (z * z, e + 0.5);
    (e + z2 / 2.0 + (z2 * (e * (1.0 - e / n) + z2 / 4.0)).sqrt()) / (n + z2)
}

/// Makes leaves of subtrees that make as many training errors as a leaf would; returns the errors.
pub(crate) fn collapse(node: &mut GrowingNode) -> f64 {
    let own = errors(&node.totals);
    if node.split.is_none() {
        return own;
    }
    let below: f64 = node.children.iter_mut().map(|(_, child)| collapse(child)).sum();
    if below >= own - super::SLACK {
        *node = GrowingNode::leaf(std::mem::take(&mut node.totals));
    }
    below.min(own)
}

fn errors(totals: &[f64]) -> f64 {
    totals.iter().sum::<f64>() - totals[argmax(totals)]
}

/// Prunes a tree by the errors that it must be expected to make.
pub(crate) struct Pruner<'a> {
    problem: &'a Problem,
    cf: f64,
    raising: bool,
    session: &'a Session,
    pub(crate) stopped: Option<Termination>,
}

impl<'a> Pruner<'a> {
    pub(crate) fn new(problem: &'a Problem, cf: f64, raising: bool, session: &'a Session) -> Self {
        Self { problem, cf, raising, session, stopped: None }
    }

    fn leaf_errors(&self, totals: &[f64]) -> f64 {
        let n: f64 = totals.iter().sum();
        n * upper_limit(errors(totals), n, self.cf)
    }

    /// The errors to expect of a subtree on these rows, leaving it as it is.
    fn estimate(&self, node: &GrowingNode, items: &[Item]) -> f64 {
        let Some(split) = node.split else { return self.leaf_errors(&self.problem.totals(items)) };
        let parts = self.problem.part(split, items, true);
        if parts.is_empty() {
            return self.leaf_errors(&self.problem.totals(items));
        }
        let branch = |(code, part): &(u32, Vec<Item>)| {
            match node.children.binary_search_by(|(own, _)| own.cmp(code)) {
                Ok(at) => self.estimate(&node.children[at].1, part),
                // No row of the subtree's own took this branch: it would be a leaf of the node's class.
                Err(_) => {
                    let (class, totals) = (argmax(&node.totals), self.problem.totals(part));
                    let n: f64 = totals.iter().sum();
                    n * upper_limit(n - totals[class], n, self.cf)
                }
            }
        };
        parts.iter().map(branch).sum()
    }

    /// Prunes a subtree on the rows that come by it, and returns the errors to expect of it.
    pub(crate) fn prune(&mut self, node: &mut GrowingNode, items: &[Item]) -> f64 {
        node.totals = self.problem.totals(items);
        let leaf = self.leaf_errors(&node.totals);
        self.stopped = self.stopped.or_else(|| self.session.interrupted());
        let Some(split) = node.split else { return leaf };
        if self.stopped.is_some() {
            return leaf;
        }
        let parts = self.problem.part(split, items, true);
        // Rows that a raised test sends where none went before get a leaf.
        for (code, part) in &parts {
            if let Err(at) = node.children.binary_search_by(|(own, _)| own.cmp(code)) {
                node.children.insert(at, (*code, GrowingNode::leaf(self.problem.totals(part))));
            }
        }
        let mut subtree = 0.0;
        for ((_, child), (_, part)) in node.children.iter_mut().zip(&parts) {
            subtree += self.prune(child, part);
        }
        let weight = |(_, child): &(u32, GrowingNode)| child.totals.iter().sum::<f64>();
        let heaviest = argmax(&node.children.iter().map(weight).collect::<Vec<_>>());
        let raised = match self.raising {
            true => self.estimate(&node.children[heaviest].1, items),
            false => f64::INFINITY,
        };
        // A tenth of an error is not worth a test.
        if leaf <= raised + 0.1 && leaf <= subtree + 0.1 {
            *node = GrowingNode::leaf(std::mem::take(&mut node.totals));
            return leaf;
        }
        if raised <= subtree + 0.1 {
            *node = node.children.swap_remove(heaviest).1;
            return self.prune(node, items);
        }
        subtree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_that_quinlan_prints() {
        for ((e, n), printed) in
            [((0.0, 6.0), 0.206), ((0.0, 9.0), 0.143), ((0.0, 1.0), 0.750), ((1.0, 16.0), 0.157)]
        {
            assert!((upper_limit(e, n, 0.25) - printed).abs() < 5e-4, "{e} {n}");
        }
        // The subtree of the votes: 6, 9 and 1 rows without errors are expected to make 3.273, one leaf of 16 rows
        // with one error 2.512, so the subtree goes.
        let subtree: f64 = [6.0, 9.0, 1.0].iter().map(|n| n * upper_limit(0.0, *n, 0.25)).sum();
        assert!((subtree - 3.273).abs() < 5e-3 && 16.0 * upper_limit(1.0, 16.0, 0.25) < subtree);
    }

    #[test]
    fn limits_grow_with_errors_and_with_confidence_in_them() {
        let mut last = 0.0;
        for e in 0..=36 {
            let limit = upper_limit(f64::from(e) / 4.0, 10.0, 0.25);
            assert!(limit >= last - 1e-12 && limit <= 1.0 + 1e-12, "{e}: {limit} after {last}");
            last = limit;
        }
        assert!(upper_limit(2.0, 10.0, 0.05) > upper_limit(2.0, 10.0, 0.25));
        assert!(upper_limit(2.0, 10.0, 1.0) > 0.2);
    }
}
