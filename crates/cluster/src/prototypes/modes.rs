//! K-modes: clusters of rows of categories about their modes.
//!
//! # Objective
//! $$ \min_{z,c}\ \sum_i w_i\,\#\{j : a_{ij} \ne z_{c(i)j}\} $$
//! over modes $z$: the weighted number of categories that differ from those of the cluster.
//!
//! # Algorithm
//! That of [`KPrototypes`](crate::KPrototypes) without numbers: a number stands for a category here, and a missing value is a category of
//! its own.
//!
//! # Complexity
//! Time O(n k q) a round for n rows of q categories, memory O(n q + k Σ levels).
//!
//! # Example
//! ```
//! use mercer_cluster::KModes;
//! use mercer_core::{Column, Dataset, Fit, Table};
//! let column = |values: [&str; 4]| Column::categories(&values.map(Some));
//! let table = Table::new(vec![
//!     ("class".into(), column(["first", "first", "crew", "crew"])),
//!     ("sex".into(), column(["female", "female", "male", "male"])),
//! ])?;
//! let model = KModes::default().n_clusters(2).fit(&Dataset::new(&table))?;
//! assert_eq!(model.cost, 0.0);
//! assert_ne!(model.labels[0], model.labels[3]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Costs of unweighted rows are whole numbers. Ties go to the first prototype, and between levels to the first.
//!
//! # References
//! - Z. Huang. A fast clustering algorithm to cluster very large categorical data sets in data mining. DMKD 1997.
//! - Z. Huang. Extensions to the k-means algorithm for clustering large data sets with categorical values. Data Min. Knowl. Discov. 2,
//!   1998. doi:10.1023/A:1009769707641
//! - F. Cao, J. Liang, L. Bai. A new initialization method for categorical data clustering. Expert Syst. Appl. 36, 2009.
//!   doi:10.1016/j.eswa.2009.01.060

use super::mixed::Roles;
use super::{PrototypeInit, PrototypeParams, PrototypesModel, Settings};
use mercer_core::{Dataset, Learn, Params, Result, Session};

/// Clusters of rows of categories about their modes.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kmodes",
    canon = "C1",
    task = Clustering,
    python = "cluster",
    fixture = Levels,
    tried = "n_clusters=3 | n_clusters=4,init=huang,n_init=2 | n_clusters=2,init=random",
    session = "verbose random_state",
    order = "n_clusters init n_init max_iter first",
    can = "transform weights missing categorical ordered random",
    references = "Huang. Extensions to the k-means algorithm for clustering large data sets with categorical values. Data Min. Knowl. Discov. 2, 1998.|Cao, Liang, Bai. A new initialization method for categorical data clustering. Expert Syst. Appl. 36, 2009."
)]
pub struct KModes {
    /// How many modes there are, and how they are sought.
    #[param(flatten)]
    pub search: PrototypeParams,
    /// How the first modes are found.
    #[param(default = PrototypeInit::Cao)]
    pub init: PrototypeInit,
}

impl Learn for KModes {
    type Model = PrototypesModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<PrototypesModel> {
        let roles = Roles::of(data.input().rows(Self::NAME)?, false)?;
        let settings = Settings { who: Self::NAME, search: &self.search, init: self.init, gamma: Some(1.0) };
        settings.learn(roles, data, session)
    }
}
