//! What agglomerative clustering learns: the tree of mergers, and the clusters of one cut.

use super::linked::{self, Links};
use super::{AgglomerativeClustering, Linkage, each_row, is_euclidean};
use crate::space::{Assigned, Merger, Space, labels_attribute};
use mercer_core::{
    Attribute, Certificate, Dataset, Evidence, Fitted, Input, Params, Prediction, Result, Schema, Session,
    Termination,
};
use serde::{Deserialize, Serialize};

/// The tree of mergers, and how it was grown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Grown {
    tree: Vec<Merger>,
    linkage: Linkage,
    links: Option<Links>,
}

/// The tree of mergers, and the clusters of one cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgglomerativeModel {
    assigned: Assigned,
    grown: Grown,
    certificate: Certificate,
}

const HEIGHTS: &str = "height residual";
const FALLS: &str = "mergers below the one before";
/// Mergers whose height is taken anew.
const CHECKED: usize = 64;
/// Pairs of rows that a merger may have to be checked.
const PAIRS: usize = 1 << 18;

/// The largest difference of a height and the linkage of its two clusters by definition, over some mergers.
fn height_residual(space: &Space, tree: &[Merger], linkage: Linkage) -> f64 {
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

impl Grown {
    pub(super) fn new(tree: Vec<Merger>, linkage: Linkage, links: Option<Links>) -> Self {
        Self { tree, linkage, links }
    }

    /// How far heights are from those that the rows of a space give.
    fn residual(&self, space: &Space, session: &Session) -> Result<f64> {
        Ok(match (&self.links, space.len() == self.tree.len() + 1) {
            (_, false) => f64::INFINITY,
            (None, true) => height_residual(space, &self.tree, self.linkage),
            (Some(links), true) => {
                let anew = linked::tree(space, links, self.linkage, session)?;
                let gaps = anew.iter().zip(&self.tree).map(|(a, b)| (a.height - b.height).abs());
                gaps.fold(0.0, f64::max)
            }
        })
    }

    /// What is proved of the tree anew.
    pub(crate) fn reproved(&self, space: &Space, session: &Session) -> Result<Vec<(String, f64)>> {
        let (found, falls) = (self.residual(space, session)?, falls(&self.tree) as f64);
        Ok(vec![(HEIGHTS.to_owned(), found), (FALLS.to_owned(), falls)])
    }

    /// What is proved of the tree.
    pub(crate) fn certificate(&self, space: &Space) -> Certificate {
        let top = self.tree.last().map_or(0.0, |m| m.height);
        // Means of rows far from zero are rounded to their last bits.
        let size = space.rows.as_slice().iter().fold(0.0f64, |a, v| a.max(v.abs()));
        let scale = if is_euclidean(space.measure) { top.max(1e-6 * size) } else { top };
        // Along connections heights are grown, not checked: they are what growing them anew gives.
        let residual = match self.links {
            None => height_residual(space, &self.tree, self.linkage),
            Some(_) => 0.0,
        };
        let (meaning, falling) = match self.links {
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
        Certificate::new(Termination::Exact)
            .with_evidence(
                Evidence::residual(HEIGHTS, residual, meaning).on_scale(scale.max(f64::MIN_POSITIVE)),
            )
            .with_evidence(Evidence::residual(FALLS, falls(&self.tree) as f64, falling))
    }

    /// The number of rows or features that were merged.
    pub(crate) fn n_leaves(&self) -> usize {
        self.tree.len() + 1
    }

    pub(crate) fn attributes(&self, n_clusters: usize) -> Vec<Attribute> {
        let n = self.n_leaves();
        let children = self.tree.iter().flat_map(|m| [i64::from(m.left), i64::from(m.right)]).collect();
        let heights = self.tree.iter().map(|m| m.height).collect();
        let parts = self.links.as_ref().map_or(1, |links| links.components as i64);
        let one = |name, doc, value| Attribute::int(name, doc, &[], vec![value]);
        vec![
            one("n_clusters_", "The number of clusters.", n_clusters as i64),
            one("n_leaves_", "The number of what was merged.", n as i64),
            one("n_connected_components_", "The parts that nothing connected with each other.", parts),
            Attribute::int(
                "children_",
                "The two clusters of each merger; what was merged comes first, then mergers.",
                &[n - 1, 2],
                children,
            ),
            Attribute::real("distances_", "The height of each merger.", &[n - 1], heights),
        ]
    }

    /// Whether every merger is of two different clusters that stand before it, none of which is merged twice.
    pub(crate) fn is_whole(&self) -> bool {
        let n = self.n_leaves();
        let mut seen = vec![false; 2 * n];
        let mut once = |node: u32, i: usize| {
            (node as usize) < n + i && !std::mem::replace(&mut seen[node as usize], true)
        };
        let whole = self.tree.iter().enumerate().all(|(i, m)| once(m.left, i) && once(m.right, i));
        whole && self.links.as_ref().is_none_or(|links| links.fits(n))
    }
}

impl AgglomerativeModel {
    pub(super) fn new(assigned: Assigned, grown: Grown) -> Self {
        let certificate = grown.certificate(&assigned.space).with_note(
            "a new row has the cluster of the nearest row learnt from; mergers of equal height part by the order of the rows",
        );
        Self { assigned, grown, certificate }
    }

    /// The cluster of each training row.
    pub fn labels(&self) -> &[i32] {
        self.assigned.labels()
    }

    /// The two clusters of each merger: rows below the number of rows n, then n + the number of their merger.
    pub fn children(&self) -> Vec<[u32; 2]> {
        self.grown.tree.iter().map(|m| [m.left, m.right]).collect()
    }

    /// The height of each merger.
    pub fn heights(&self) -> Vec<f64> {
        self.grown.tree.iter().map(|m| m.height).collect()
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
        self.grown.reproved(&space, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut out = vec![labels_attribute(self.labels())];
        out.extend(self.grown.attributes(self.assigned.n_clusters()));
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.assigned.validate(schema.n_features())?;
        let fits = self.assigned.labels().len() == self.grown.n_leaves() && self.grown.is_whole();
        if fits { Ok(()) } else { Err("tree and rows do not fit together".to_owned()) }
    }
}
