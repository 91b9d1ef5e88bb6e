//! Multi-output class impurity: a node is as impure as its targets are on average.

use crate::cart::criterion::classes::{ClassSides, Classes};
use crate::cart::criterion::{Criterion, NodeSummary, Sides};

/// The classes of each target; all have the same weights.
#[derive(Debug)]
pub(crate) struct MultiOutputClasses(pub(crate) Vec<Classes>);

impl Criterion for MultiOutputClasses {
    type Sides<'a> = ManySides<'a>;

    fn gather(&self, rows: &[u32]) -> Self {
        Self(self.0.iter().map(|one| one.gather(rows)).collect())
    }

    fn summary(&self, rows: &mut dyn Iterator<Item = u32>) -> NodeSummary {
        let rows: Vec<u32> = rows.collect();
        let parts: Vec<NodeSummary> =
            self.0.iter().map(|one| one.summary(&mut rows.iter().copied())).collect();
        let mean = |of: fn(&NodeSummary) -> f64| parts.iter().map(of).sum::<f64>() / parts.len() as f64;
        NodeSummary {
            rows: rows.len(),
            weight: parts.first().map_or(0.0, |p| p.weight),
            impurity: mean(|p| p.impurity),
            value: parts.iter().flat_map(|p| p.value.iter().copied()).collect(),
            totals: parts.iter().flat_map(|p| p.totals.iter().copied()).collect(),
            loss: mean(|p| p.loss),
        }
    }

    fn sides(&self) -> ManySides<'_> {
        ManySides(self.0.iter().map(Criterion::sides).collect())
    }

    fn orders(&self) -> usize {
        self.0.iter().map(Criterion::orders).sum()
    }

    fn key(&self, mut order: usize, rows: &[u32]) -> f64 {
        for one in &self.0 {
            if order < one.orders() {
                return one.key(order, rows);
            }
            order -= one.orders();
        }
        f64::NAN
    }
}

/// The sides of each target.
#[derive(Debug)]
pub(crate) struct ManySides<'a>(Vec<ClassSides<'a>>);

impl Sides for ManySides<'_> {
    fn start(&mut self, node: &NodeSummary) {
        let mut rest = &node.totals[..];
        for one in &mut self.0 {
            let (own, later) = rest.split_at(one.n_classes());
            one.start_with(own, node.weight);
            rest = later;
        }
    }

    fn add(&mut self, row: u32) {
        self.0.iter_mut().for_each(|one| one.add(row));
    }

    fn score(&self) -> f64 {
        self.0.iter().map(Sides::score).sum()
    }

    fn weight(&self) -> f64 {
        self.0.first().map_or(0.0, Sides::weight)
    }

    fn values(&self) -> (f64, f64) {
        self.0.first().map_or((0.0, 0.0), Sides::values)
    }
}
