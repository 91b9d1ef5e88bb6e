//! What agglomerative clustering learns: the tree of mergers, and the clusters of one cut.

use super::linked::{self, Links};
use super::{AgglomerativeClustering, Linkage, each_row, is_euclidean};
use crate::space::{Assigned, Merger, Space, labels_attribute};
use mercer_core::{
    Attribute, Certificate, Dataset, Evidence, Fitted, Input, Params, Prediction, Result, Schema, Session,
    Termination,
};
use serde::{Deserialize, Serialize};

/// The tree of mergers, and the clusters of one cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgglomerativeModel {
    assigned: Assigned,
    tree: Vec<Merger>,
    linkage: Linkage,
    links: Option<Links>,
    certificate: Certificate,
}

const HEIGHTS: &str = "height residual";
const FALLS: &str = "mergers below the one before";
/// Mergers whose height is taken anew.
const CHECKED: usize = 64;
/// Pairs of rows that a merger may have to be checked.
const PAIRS: usize = 1 << 18;

/// The largest difference of a height and the linkage of its two clusters by definition, over some mergers.
pub(super) fn height_residual(space: &Space, tree: &[Merger], linkage: Linkage) -> f64 {
    let step = tree.len().div_ceil(CHECKED).max(1);
    let mut worst = 0.0f64;
    for m in tree.iter().rev().step_by(step) {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        each_row(tree, m.left as usize, |i| a.push(i));
        each_row(tree, m.right as usize, |i| b.push(i));
        if linkage != Linkage::Ward && a.len() * b.len() > PAIRS {
            continue;
        }
        worst = worst.max((m.height - height(space, &a, &b, linkage)).abs());
    }
    worst
}

/// How far apart two clusters are, by definition.
fn height(space: &Space, a: &[usize], b: &[usize], linkage: Linkage) -> f64 {
    let pairs = || a.iter().flat_map(|&i| b.iter().map(move |&j| space.between(i, j)));
    match linkage {
        Linkage::Single => pairs().fold(f64::INFINITY, f64::min),
        Linkage::Complete => pairs().fold(0.0, f64::max),
        Linkage::Average => pairs().sum::<f64>() / (a.len() * b.len()) as f64,
        Linkage::Ward => {
            let (na, nb) = (a.len() as f64, b.len() as f64);
            let mean = |rows: &[usize], j: usize| {
                rows.iter().map(|&i| space.rows[(i, j)]).sum::<f64>() / rows.len() as f64
            };
            let gap = |j: usize| (mean(a, j) - mean(b, j)).powi(2);
            let square: f64 = (0..space.rows.n_cols()).map(gap).sum();
            (2.0 * na * nb / (na + nb) * square).sqrt()
        }
    }
}

fn falls(tree: &[Merger]) -> usize {
    tree.windows(2).filter(|w| w[1].height < w[0].height).count()
}

impl AgglomerativeModel {
    pub(super) fn new(
        assigned: Assigned,
        tree: Vec<Merger>,
        (linkage, links): (Linkage, Option<Links>),
        residual: f64,
    ) -> Self {
        let top = tree.last().map_or(0.0, |m| m.height);
        // Means of rows far from zero are rounded to their last bits.
        let size = assigned.space.rows.as_slice().iter().fold(0.0f64, |a, v| a.max(v.abs()));
        let scale = if is_euclidean(assigned.space.measure) { top.max(1e-6 * size) } else { top };
        let (meaning, falling) = match links {
            None => (
                "largest difference of a height and the linkage of its two clusters taken anew from the rows, over up to 64 \
                 mergers: zero but for rounding",
                "a hierarchy has none: every cut is nested in the ones above it",
            ),
            Some(_) => (
                "largest difference of a height and that of the hierarchy grown anew from the rows along their connections",
                "a merger may connect what was not connected before, and is nearer than it",
            ),
        };
        let certificate = Certificate::new(Termination::Exact)
            .with_evidence(Evidence::residual(HEIGHTS, residual, meaning).on_scale(scale.max(f64::MIN_POSITIVE)))
            .with_evidence(Evidence::residual(FALLS, falls(&tree) as f64, falling))
            .with_note("a new row has the cluster of the nearest row learnt from; mergers of equal height part by the order of the rows");
        Self { assigned, tree, linkage, links, certificate }
    }

    /// The cluster of each training row.
    pub fn labels(&self) -> &[i32] {
        self.assigned.labels()
    }

    /// The two clusters of each merger: rows below the number of rows n, then n + the number of their merger.
    pub fn children(&self) -> Vec<[u32; 2]> {
        self.tree.iter().map(|m| [m.left, m.right]).collect()
    }

    /// The height of each merger.
    pub fn heights(&self) -> Vec<f64> {
        self.tree.iter().map(|m| m.height).collect()
    }
}

impl Fitted for AgglomerativeModel {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        self.assigned.infer(AgglomerativeClustering::NAME, input, session)
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let space = self.assigned.space.of(AgglomerativeClustering::NAME, data)?;
        let found = match (&self.links, space.len() == self.tree.len() + 1) {
            (_, false) => f64::INFINITY,
            (None, true) => height_residual(&space, &self.tree, self.linkage),
            (Some(links), true) => {
                let anew = linked::tree(&space, links, self.linkage, session)?;
                let gaps = anew.iter().zip(&self.tree).map(|(a, b)| (a.height - b.height).abs());
                gaps.fold(0.0, f64::max)
            }
        };
        Ok(vec![(HEIGHTS.to_owned(), found), (FALLS.to_owned(), falls(&self.tree) as f64)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = self.tree.len() + 1;
        let children = self.tree.iter().flat_map(|m| [i64::from(m.left), i64::from(m.right)]).collect();
        vec![
            labels_attribute(self.labels()),
            Attribute::int(
                "n_clusters_",
                "The number of clusters.",
                &[],
                vec![self.assigned.n_clusters() as i64],
            ),
            Attribute::int("n_leaves_", "The number of rows.", &[], vec![n as i64]),
            Attribute::int(
                "n_connected_components_",
                "The parts that nothing connected with each other.",
                &[],
                vec![self.links.as_ref().map_or(1, |links| links.components as i64)],
            ),
            Attribute::int(
                "children_",
                "The two clusters of each merger; rows come first, then mergers.",
                &[n - 1, 2],
                children,
            ),
            Attribute::real("distances_", "The height of each merger.", &[n - 1], self.heights()),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.assigned.validate(schema.n_features())?;
        let n = self.tree.len() + 1;
        // Every merger is of two different clusters that stand before it, none of which is merged twice.
        let mut seen = vec![false; 2 * n];
        let mut once = |node: u32, i: usize| {
            (node as usize) < n + i && !std::mem::replace(&mut seen[node as usize], true)
        };
        let whole = self.tree.iter().enumerate().all(|(i, m)| once(m.left, i) && once(m.right, i));
        let linked = self.links.as_ref().is_none_or(|links| links.fits(n));
        let fits = self.assigned.labels().len() == n && whole && linked;
        if fits { Ok(()) } else { Err("tree and rows do not fit together".to_owned()) }
    }
}
