//! What bisecting k-means learns: a tree of centres, whose leaves are the clusters.

use super::BisectingKMeans;
use crate::kmeans::{by_blocks, different, distances, rows_at_once};
use crate::space::clusters_of;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Evidence, Fitted, Input, NumbersRef, Params, Prediction,
    Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{Mat, sq_dist};
use serde::{Deserialize, Serialize};

/// A squared distance must be less by this share for a row to go to the second part.
const TIE: f64 = 1e-12;

/// Clusters in clusters. The first node holds all rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tree {
    d: usize,
    /// The centres of all nodes, one after the other.
    centres: Vec<f64>,
    /// The first of the two parts of a node, which the second follows; none for leaves.
    parts: Vec<Option<u32>>,
}

impl Tree {
    pub(super) fn new(centre: &[f64]) -> Self {
        Self { d: centre.len(), centres: centre.to_vec(), parts: vec![None] }
    }

    pub(super) fn centre(&self, node: usize) -> &[f64] {
        &self.centres[node * self.d..][..self.d]
    }

    /// Parts a leaf: the numbers of the two that it becomes.
    pub(super) fn part(&mut self, node: usize, left: &[f64], right: &[f64]) -> [usize; 2] {
        let first = self.parts.len();
        self.parts[node] = Some(first as u32);
        self.parts.extend([None, None]);
        self.centres.extend_from_slice(left);
        self.centres.extend_from_slice(right);
        [first, first + 1]
    }

    /// The side that a row is nearer to, and its squared distance from there.
    fn side(&self, row: &[f64], [left, right]: [usize; 2]) -> (usize, f64) {
        let (near, far) = (sq_dist(row, self.centre(left)), sq_dist(row, self.centre(right)));
        if far < near * (1.0 - TIE) { (1, far) } else { (0, near) }
    }

    fn parts(&self, node: usize) -> Option<[usize; 2]> {
        self.parts[node].map(|first| [first as usize, first as usize + 1])
    }

    /// The nodes that a row comes through, the leaf last, without the first node.
    fn way(&self, row: &[f64], mut through: impl FnMut(usize)) -> usize {
        let mut node = 0;
        while let Some(parts) = self.parts(node) {
            node = parts[self.side(row, parts).0];
            through(node);
        }
        node
    }

    /// The leaves from left to right.
    fn leaves(&self) -> Vec<usize> {
        let (mut stack, mut out) = (vec![0], Vec::new());
        while let Some(node) = stack.pop() {
            match self.parts(node) {
                None => out.push(node),
                Some([left, right]) => stack.extend([right, left]),
            }
        }
        out
    }

    /// Whether every node but the first is a part of one that stands before it.
    fn is_whole(&self) -> bool {
        let n = self.parts.len();
        let mut firsts: Vec<u32> = self.parts.iter().flatten().copied().collect();
        firsts.sort_unstable();
        let below = self.parts.iter().enumerate().all(|(i, p)| p.is_none_or(|first| first as usize > i));
        n % 2 == 1
            && below
            && firsts.iter().copied().eq((1..n as u32).step_by(2))
            && Some(self.centres.len()) == n.checked_mul(self.d)
            && self.centres.iter().all(|v| v.is_finite())
    }
}

/// The side of each row, and its squared distance from there.
pub(super) fn sides(x: NumbersRef<'_>, tree: &Tree, parts: [usize; 2]) -> Vec<(usize, f64)> {
    let mut out = vec![(0, 0.0); x.n_rows()];
    by_blocks(x, 1, &mut out, |x, _, out| {
        out.iter_mut().zip(x.chunks_exact(tree.d)).for_each(|(out, row)| *out = tree.side(row, parts));
    });
    out
}

/// A tree of centres, whose leaves are the clusters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectingKMeansModel {
    tree: Tree,
    inertia: f64,
    /// The cluster of each training row. Not saved: they are the predictions of those rows.
    #[serde(skip)]
    labels: Vec<i32>,
    certificate: Certificate,
}

const INERTIA: &str = "inertia";
const RESIDUAL: &str = "fixed-point residual";

impl BisectingKMeansModel {
    pub(super) fn new(tree: Tree, data: &Dataset<'_>, iterations: u64, why: Termination) -> Result<Self> {
        let (certificate, labels) = (Certificate::new(why).with_iterations(iterations), Vec::new());
        let mut model = Self { tree, inertia: 0.0, labels, certificate };
        let (inertia, residual) = model.prove(data)?;
        let size = model.size(inertia);
        let meaning = "weighted sum of squared distances of the rows from the centres of their clusters";
        let fixed = "largest distance of a centre and the mean of the rows that come to it: zero where every parting is a local \
                     optimum of two clusters";
        model.inertia = inertia;
        model.certificate = model
            .certificate
            .with_objective(inertia)
            .with_evidence(Evidence::value(INERTIA, inertia, meaning).on_scale(size * size))
            .with_evidence(Evidence::residual(RESIDUAL, residual, fixed).on_scale(size))
            .with_note("no optimum of all clusters together: k-means from these centres goes on to one");
        let (different, k) = (different(&model.centres()), model.n_clusters());
        if different < k {
            let note = format!("only {different} of the {k} centres are different: so few rows are");
            model.certificate = model.certificate.with_note(note);
        }
        model.labels = model.codes(data.numbers(BisectingKMeans::NAME)?.view());
        Ok(model)
    }

    /// The size of distances, and no less than rounding of rows far from zero leaves.
    fn size(&self, inertia: f64) -> f64 {
        let origin = self.tree.centre(0);
        let far = |row: &[f64]| row.iter().zip(origin).fold(0.0f64, |a, (v, o)| a.max((v - o).abs()));
        let apart = self.tree.centres.chunks_exact(self.tree.d).map(far).fold(0.0, f64::max);
        let offset = origin.iter().fold(0.0f64, |a, o| a.max(o.abs()));
        apart.max(inertia.sqrt()).max(1e-8 * offset)
    }

    /// The centres of the clusters, one a row.
    pub fn centres(&self) -> Mat {
        let leaves = self.tree.leaves();
        Mat::from_fn(leaves.len(), self.tree.d, |c, j| self.tree.centre(leaves[c])[j])
    }

    /// The number of clusters.
    pub fn n_clusters(&self) -> usize {
        self.tree.parts.len().div_ceil(2)
    }

    /// The weighted sum of squared distances of the training rows from the centres of their clusters.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }

    /// The cluster of each training row, after a fit.
    pub fn labels(&self) -> &[i32] {
        &self.labels
    }

    fn codes(&self, x: NumbersRef<'_>) -> Vec<i32> {
        let mut number = vec![0; self.tree.parts.len()];
        self.tree.leaves().iter().enumerate().for_each(|(c, &node)| number[node] = c as i32);
        let mut out = vec![0; x.n_rows()];
        by_blocks(x, 1, &mut out, |x, _, out| {
            let rows = x.chunks_exact(self.tree.d);
            out.iter_mut().zip(rows).for_each(|(out, row)| *out = number[self.tree.way(row, |_| ())]);
        });
        out
    }

    /// Inertia, and the largest distance of a centre from the mean of the rows that come to it.
    fn prove(&self, data: &Dataset<'_>) -> Result<(f64, f64)> {
        let numbers = data.numbers(BisectingKMeans::NAME)?;
        let (x, weights, tree) = (numbers.view(), data.weights(), &self.tree);
        let (mut inertia, mut moves, mut totals) =
            (0.0, vec![0.0; tree.centres.len()], vec![0.0; tree.parts.len()]);
        let rows = rows_at_once(tree.d);
        for start in (0..x.n_rows()).step_by(rows) {
            let block = match x.rows(start..(start + rows).min(x.n_rows())) {
                NumbersRef::Dense(x) => x.to_mat(),
                NumbersRef::Sparse(x) => x.to_dense(),
            };
            for i in 0..block.n_rows() {
                let (row, weight) = (block.row(i), weights.as_ref().map_or(1.0, |w| w[start + i]));
                let mut add = |node: usize| {
                    totals[node] += weight;
                    let moves = &mut moves[node * tree.d..][..tree.d];
                    let pairs = row.iter().zip(tree.centre(node));
                    moves.iter_mut().zip(pairs).for_each(|(m, (v, c))| *m += weight * (v - c));
                };
                add(0);
                let leaf = tree.way(row, add);
                inertia += weight * sq_dist(row, tree.centre(leaf));
            }
        }
        let length =
            |(moves, total): (&[f64], &f64)| moves.iter().map(|m| (m / total).powi(2)).sum::<f64>().sqrt();
        let reached = moves.chunks_exact(tree.d).zip(&totals).filter(|(_, total)| **total > 0.0);
        Ok((inertia, reached.map(length).fold(0.0, f64::max)))
    }
}

impl Transformer for BisectingKMeansModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let numbers = input.rows(BisectingKMeans::NAME)?.numbers(BisectingKMeans::NAME)?;
        Ok(distances(&self.centres(), numbers.view(), session).into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.n_clusters()).map(|c| format!("bisectingkmeans{c}")).collect()
    }
}

impl Fitted for BisectingKMeansModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        let numbers = input.rows(BisectingKMeans::NAME)?.numbers(BisectingKMeans::NAME)?;
        clusters_of(&session.run(|| self.codes(numbers.view())), self.n_clusters())
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let (inertia, residual) = self.prove(data)?;
        Ok(vec![(INERTIA.to_owned(), inertia), (RESIDUAL.to_owned(), residual)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.n_clusters(), self.tree.d);
        let mut out = vec![
            Attribute::real(
                "cluster_centers_",
                "The centres of the clusters, one a row.",
                &[k, d],
                self.centres().into_vec(),
            ),
            Attribute::real(
                "inertia_",
                "The sum of squared distances from the centres.",
                &[],
                vec![self.inertia],
            ),
        ];
        if !self.labels.is_empty() {
            out.push(crate::space::labels_attribute(&self.labels));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = self.tree.d == schema.n_features() && self.tree.d > 0 && self.tree.is_whole();
        if fits { Ok(()) } else { Err("the tree of centres does not fit the schema".to_owned()) }
    }
}
