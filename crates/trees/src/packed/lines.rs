//! Linear leaves: leaves that hold a linear function of the row beside their constant.

use mercer_core::{ColumnKind, Schema};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A linear function of some features.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line {
    pub(crate) intercept: f64,
    /// Features with their coefficients.
    pub(crate) terms: Vec<(u32, f64)>,
}

impl Line {
    /// What the line says of a row; `None` where a value that it needs is missing.
    pub(crate) fn at(&self, value: impl Fn(usize) -> f64) -> Option<f64> {
        evaluate(self.intercept, &self.terms, value)
    }

    /// The line times a number.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.intercept *= factor;
        self.terms.iter_mut().for_each(|term| term.1 *= factor);
    }
}

#[inline]
fn evaluate(intercept: f64, terms: &[(u32, f64)], value: impl Fn(usize) -> f64) -> Option<f64> {
    let sum = terms.iter().fold(intercept, |sum, &(j, c)| sum + c * value(j as usize));
    sum.is_finite().then_some(sum)
}

/// The lines of all leaves; empty where none has any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Lines {
    /// Where the terms of each node start; one more than there are nodes.
    starts: Vec<u32>,
    /// The intercept of a line, under feature 0, then its features with their coefficients.
    terms: Vec<(u32, f64)>,
}

impl Lines {
    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Makes room for lines beside so many nodes that have none.
    pub(super) fn begin(&mut self, n_nodes: usize) {
        if self.is_empty() {
            self.starts = vec![0; n_nodes + 1];
        }
    }

    /// Adds a node after [`Lines::begin`].
    pub(super) fn push(&mut self, line: Option<&Line>) {
        if let Some(line) = line {
            self.terms.push((0, line.intercept));
            self.terms.extend_from_slice(&line.terms);
        }
        self.starts.push(self.terms.len() as u32);
    }

    /// Adds the lines of other trees, of so many nodes, after so many.
    pub(super) fn append(&mut self, n_nodes: usize, other: &Lines, n_others: usize) {
        if self.is_empty() && other.is_empty() {
            return;
        }
        self.begin(n_nodes);
        let end = self.terms.len() as u32;
        match other.starts.split_first() {
            Some((_, starts)) => self.starts.extend(starts.iter().map(|s| s + end)),
            None => self.starts.extend(std::iter::repeat_n(end, n_others)),
        }
        self.terms.extend_from_slice(&other.terms);
    }

    /// The intercept and the terms of a node's line.
    pub(super) fn line(&self, node: usize) -> Option<(f64, &[(u32, f64)])> {
        let Range { start, end } = *self.starts.get(node)? as usize..*self.starts.get(node + 1)? as usize;
        self.terms[start..end].split_first().map(|(first, terms)| (first.1, terms))
    }

    /// What the line of a node says of a row.
    #[inline]
    pub(super) fn at(&self, node: u32, row: &[f64]) -> Option<f64> {
        let (intercept, terms) = self.line(node as usize)?;
        evaluate(intercept, terms, |j| row[j])
    }

    /// Refuses lines that do not fit the nodes or the schema.
    pub(super) fn validate(
        &self,
        schema: &Schema,
        is_leaf: impl Fn(usize) -> bool,
        n: usize,
    ) -> Result<(), String> {
        if self.is_empty() && self.terms.is_empty() {
            return Ok(());
        }
        let rising = self.starts.windows(2).all(|w| w[0] <= w[1]);
        let ends = (self.starts.first(), self.starts.last()) == (Some(&0), Some(&(self.terms.len() as u32)));
        if self.starts.len() != n + 1 || !rising || !ends || self.terms.len() >= u32::MAX as usize {
            return Err("the lines of the leaves overlap or leave gaps".to_owned());
        }
        let numeric =
            |j: u32| schema.features.get(j as usize).is_some_and(|f| f.kind != ColumnKind::Categorical);
        for node in 0..n {
            let Some((intercept, terms)) = self.line(node) else { continue };
            let good = terms.iter().all(|&(j, c)| numeric(j) && c.is_finite()) && intercept.is_finite();
            if !good || !is_leaf(node) {
                return Err(format!("the line of node {node} does not fit it or the features"));
            }
        }
        Ok(())
    }
}
