//! Feature agglomeration: features that are alike become one.
//!
//! # Objective
//! The greedy hierarchy of [`AgglomerativeClustering`](crate::AgglomerativeClustering) over the columns, cut at `n_clusters` groups or
//! at a height.
//!
//! # Algorithm
//! Columns are merged one pair of groups after the other, the nearest first. A row becomes the mean (or median, least, greatest) of its
//! values in each group; undone, every feature has the value of its group.
//!
//! # Complexity
//! Time O(d² n) for d features, memory O(n d); O(n d) for the rows that are transformed.
//!
//! # Example
//! ```
//! use mercer_cluster::FeatureAgglomeration;
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[1.0, 3.0, 50.0], [2.0, 4.0, 70.0], [0.0, 2.0, 10.0]]).unwrap();
//! let model = FeatureAgglomeration::default().fit(&Dataset::new(&x))?;
//! let pooled = model.transform(&x)?.dense("pooled")?.view().to_mat();
//! assert_eq!(pooled.row(0), [2.0, 50.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Features on different scales are far from each other whatever they say: scale them first. Groups are numbered as scikit-learn
//! numbers them.
//!
//! # References
//! - F. Murtagh. A survey of recent advances in hierarchical clustering algorithms. Comput. J. 26(4), 1983. doi:10.1093/comjnl/26.4.354

use crate::hierarchical::{AgglomerativeClustering, Grown, Linkage};
use crate::space::{ClusterMetric, Space};
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, Error, Fitted, Input, Inverse, Learn, Params, Result,
    Rows, Schema, Session, Transformer,
};
use mercer_math::{Mat, median};
use serde::{Deserialize, Serialize};

/// What a row's values in a group of features become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// Their median.
    Median,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// Features that are alike become one.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "feature-agglomeration",
    canon = "C1",
    task = Transformation,
    python = "cluster",
    tried = "| n_clusters=3,linkage=average,pooling_func=median | n_clusters=none,distance_threshold=2,linkage=complete,metric=manhattan",
    door = "memory=None compute_full_tree='auto' compute_distances=False",
    order = "n_clusters metric connectivity linkage pooling_func distance_threshold",
    mixins = "FeatureAgglomerationMixin",
    can = "transform inverse scaled counts_rows",
    references = "Murtagh. A survey of recent advances in hierarchical clustering algorithms. Comput. J. 26(4), 1983."
)]
pub struct FeatureAgglomeration {
    /// Number of groups of features; none where `distance_threshold` decides.
    #[param(default = Some(2), range = "[1, inf)", search = "int 2..20")]
    pub n_clusters: Option<usize>,
    /// The distance of two features over the rows; Ward's linkage takes the Euclidean one alone.
    #[param(default = ClusterMetric::Euclidean)]
    pub metric: ClusterMetric,
    /// How far apart two groups are.
    #[param(default = Linkage::Ward)]
    pub linkage: Linkage,
    /// What a row's values in a group become.
    #[param(default = Pooling::Mean)]
    pub pooling_func: Pooling,
    /// Groups that are at least so far apart are not merged, in place of `n_clusters`.
    #[param(default = None, range = "[0, inf)")]
    pub distance_threshold: Option<f64>,
    /// Pairs of features that are connected, as those of pixels side by side: groups merge only along them. All may merge where they
    /// are not given.
    #[param(default = None)]
    pub connectivity: Option<Vec<Vec<f64>>>,
}

impl FeatureAgglomeration {
    fn clusters(&self) -> AgglomerativeClustering {
        AgglomerativeClustering {
            n_clusters: self.n_clusters,
            metric: self.metric,
            linkage: self.linkage,
            distance_threshold: self.distance_threshold,
            connectivity: self.connectivity.clone(),
        }
    }
}

/// The columns of a data set as rows of a space.
fn columns(data: &Dataset<'_>, metric: ClusterMetric) -> Result<Space> {
    const WHO: &str = FeatureAgglomeration::NAME;
    let dense = data.dense(WHO)?;
    let turned = dense.view().t().to_mat();
    Space::new(WHO, &Dataset::new(&turned), metric, 2.0)
}

impl Learn for FeatureAgglomeration {
    type Model = FeatureAgglomerationModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<FeatureAgglomerationModel> {
        let d = data.n_features();
        if d < 2 {
            return Err(Error::too_few(Self::NAME, "features", 2, d));
        }
        if let Some(k) = self.n_clusters.filter(|k| *k > d) {
            return Err(Error::param(Self::NAME, "n_clusters", format!("at most the {d} features"), k));
        }
        let space = columns(data, self.metric)?;
        let (grown, labels) = self.clusters().grow(&space, session)?;
        let certificate = grown.certificate(&space).with_note(
            "of features, in place of rows; mergers of equal height part by the order of the features",
        );
        Ok(FeatureAgglomerationModel {
            grown,
            labels,
            metric: self.metric,
            pooling: self.pooling_func,
            certificate,
        })
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if self.metric == ClusterMetric::Precomputed {
            return Err(Error::param(Self::NAME, "metric", "one that is measured", "precomputed"));
        }
        self.clusters().check()
    }
}

/// Groups of features, and the tree that they are cut from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureAgglomerationModel {
    grown: Grown,
    labels: Vec<i32>,
    metric: ClusterMetric,
    pooling: Pooling,
    certificate: Certificate,
}

impl FeatureAgglomerationModel {
    /// The group of each feature.
    pub fn labels(&self) -> &[i32] {
        &self.labels
    }

    /// The number of groups.
    pub fn n_clusters(&self) -> usize {
        self.labels.iter().max().map_or(0, |l| *l as usize + 1)
    }

    /// The features of each group.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); self.n_clusters()];
        self.labels.iter().enumerate().for_each(|(j, l)| out[*l as usize].push(j));
        out
    }
}

impl Transformer for FeatureAgglomerationModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let dense = input.rows(FeatureAgglomeration::NAME)?.dense(FeatureAgglomeration::NAME)?;
        let (x, groups) = (dense.view(), self.groups());
        let mut out = Mat::zeros(x.n_rows(), groups.len());
        let mut values = Vec::new();
        for i in 0..x.n_rows() {
            let row = x.row_cow(i);
            for (pooled, group) in out.row_mut(i).iter_mut().zip(&groups) {
                values.clear();
                values.extend(group.iter().map(|&j| row[j]));
                *pooled = match self.pooling {
                    Pooling::Mean => values.iter().sum::<f64>() / values.len() as f64,
                    Pooling::Median => median(&values).unwrap_or(f64::NAN),
                    Pooling::Min => values.iter().fold(f64::INFINITY, |a, v| a.min(*v)),
                    Pooling::Max => values.iter().fold(f64::NEG_INFINITY, |a, v| a.max(*v)),
                };
            }
        }
        Ok(out.into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.n_clusters()).map(|c| format!("featureagglomeration{c}")).collect()
    }
}

impl Inverse for FeatureAgglomerationModel {
    fn inverted(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let dense = input.rows(FeatureAgglomeration::NAME)?.dense(FeatureAgglomeration::NAME)?;
        let (x, k) = (dense.view(), self.n_clusters());
        if x.n_cols() != k {
            return Err(Error::shape("groups of features", k, x.n_cols()));
        }
        Ok(Mat::from_fn(x.n_rows(), self.labels.len(), |i, j| x.get(i, self.labels[j] as usize)).into())
    }
}

impl Fitted for FeatureAgglomerationModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let space = columns(data, self.metric)?;
        session.run(|| self.grown.reproved(&space, session))
    }

    fn attributes(&self) -> Vec<Attribute> {
        let labels = self.labels.iter().map(|&l| i64::from(l)).collect();
        let mut out =
            vec![Attribute::int("labels_", "The group of each feature.", &[self.labels.len()], labels)];
        out.extend(self.grown.attributes(self.n_clusters()));
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let fits = self.labels.len() == d
            && self.grown.n_leaves() == d
            && self.grown.is_whole()
            && self.labels.iter().all(|l| (0..d as i32).contains(l))
            && self.groups().iter().all(|group| !group.is_empty());
        if fits { Ok(()) } else { Err("groups of features do not fit the schema".to_owned()) }
    }
}
