//! The nearest neighbours of rows, without a target.
//!
//! # Objective
//! The rows $i$ with the $k$ least distances $d(x, x_i)$, or all with $d(x, x_i) \le r$, for every row $x$ that is asked about.
//!
//! # Algorithm
//! A k-d tree for norms of at most 15 features, else brute force: products of matrices choose candidates, whose distances are
//! then taken directly. Rows in blocks are asked about side by side. All ways find the same rows, and of rows equally far the first ones.
//!
//! # Complexity
//! Time O(d n log n) to build a tree and about O(d log n) a query in few features; O(d n) a query by brute force. Memory O(d n).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Input, Learner, Session};
//! use mercer_kernels::NearestNeighbors;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [5.0]]).unwrap();
//! let learner: Box<dyn Learner> = Box::new(NearestNeighbors::default().n_neighbors(1));
//! let (session, new) = (Session::default(), Input::from(Mat::from_rows(&[[4.0]]).unwrap()));
//! let model = learner.train(&Dataset::new(&x), &session)?;
//! let found = model.on(&new, &session)?.nearest(None)?;
//! assert_eq!(found.of(0), (&[2][..], &[1.0][..]));
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Distances are added up feature by feature in one order, whatever the way of searching.
//!
//! # References
//! - J. L. Bentley. Multidimensional binary search trees. CACM 18(9), 1975. doi:10.1145/361002.361007
//! - J. H. Friedman, J. L. Bentley, R. A. Finkel. An algorithm for finding best matches in logarithmic expected time. ACM TOMS 3(3), 1977. doi:10.1145/355744.355745

use super::index::{Index, Reach};
use super::metric::{MetricName, MetricParams};
use super::model::{attributes, nearest, within};
use super::params::{Algorithm, NeighborParams, StretchParams};
use super::vote::evenly_spaced;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Evidence, Fitted, Input, Kinds, Learn,
    Neighbours, Params, Result, Schema, Session, Termination,
};
use mercer_math::Neighbourhoods;
use serde::{Deserialize, Serialize};

/// The nearest neighbours of rows, without a target.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "nearest-neighbors",
    canon = "E4",
    task = Neighbours,
    python = "neighbors",
    tried = "| algorithm=brute,p=1 | metric=mahalanobis,metric_params=[[VI, [[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]]]",
    session = "n_jobs",
    order = "leaf_size metric p",
    can = "neighbours sparse scaled",
    references = "Bentley. Multidimensional binary search trees. CACM 18(9), 1975."
)]
pub struct NearestNeighbors {
    /// How many neighbours are found, unless a question says otherwise.
    #[param(default = 5, range = "[1, inf)")]
    pub n_neighbors: usize,
    /// How far neighbours are found, unless a question says otherwise.
    #[param(default = 1.0, range = "[0, inf)")]
    pub radius: f64,
    /// How neighbours are searched.
    #[param(flatten)]
    pub neighbors: NeighborParams,
}

/// Rows that are searched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NearestNeighborsModel {
    index: Index,
    n_neighbors: usize,
    radius: f64,
    certificate: Certificate,
}

const WIDTH: &str = "mean distance to the nearest other row";

impl Learn for NearestNeighbors {
    type Model = NearestNeighborsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<NearestNeighborsModel> {
        let index = Index::new(Self::NAME, &self.neighbors, data)?;
        let certificate = Certificate::new(session.interrupted().unwrap_or(Termination::Exact));
        let mut model =
            NearestNeighborsModel { index, n_neighbors: self.n_neighbors, radius: self.radius, certificate };
        let width = model.width(&session.quiet().undisturbed())?;
        let meaning =
            "of evenly spaced rows; every search is exact, so that no row is nearer than those found";
        if width.is_finite() {
            let evidence = Evidence::value(WIDTH, width, meaning).on_scale(width);
            model.certificate = model.certificate.clone().with_evidence(evidence);
        } else {
            model.certificate = model
                .certificate
                .clone()
                .with_note("searches are exact; there are no two rows to show it by");
        }
        Ok(model)
    }

    fn kinds(&self) -> Kinds {
        self.neighbors.kinds()
    }
    fn capabilities(&self) -> Capabilities {
        self.neighbors.capabilities(Self::declaration().capabilities)
    }
}

impl NearestNeighborsModel {
    fn width(&self, session: &Session) -> Result<f64> {
        let which = evenly_spaced(self.index.len(), 16);
        let found = self.index.find_own(&which, Reach::Count(1), session)?;
        Ok(found.distances.iter().map(|d| d / found.distances.len() as f64).sum::<f64>()
            + if found.distances.is_empty() { f64::NAN } else { 0.0 })
    }
}

impl Neighbours for NearestNeighborsModel {
    fn n_rows(&self) -> usize {
        self.index.len()
    }
    fn nearest(
        &self,
        input: Option<&Input<'_>>,
        k: Option<usize>,
        session: &Session,
    ) -> Result<Neighbourhoods> {
        nearest(&self.index, input, k, self.n_neighbors, session)
    }
    fn within(
        &self,
        input: Option<&Input<'_>>,
        radius: Option<f64>,
        session: &Session,
    ) -> Result<Neighbourhoods> {
        within(&self.index, input, radius, self.radius, session)
    }
}

impl Fitted for NearestNeighborsModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { neighbours: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        if self.certificate.evidence.is_empty() {
            return Ok(Vec::new());
        }
        // Of the rows given, the nearest others among those learnt from: the second, since the first is the row itself.
        let which: Vec<usize> = evenly_spaced(data.n_rows(), 16).iter().map(|&i| i as usize).collect();
        let input = data.input().gather(&which);
        let found = self.index.find(NearestNeighbors::NAME, Some(&input), Reach::Count(2), session)?;
        let mean =
            (0..found.len()).map(|i| found.of(i).1.get(1).map_or(0.0, |d| d / found.len() as f64)).sum();
        Ok(vec![(WIDTH.to_owned(), mean)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        attributes(&self.index)
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.index.validate(schema)?;
        let ok = self.n_neighbors > 0 && self.radius >= 0.0;
        if ok { Ok(()) } else { Err("no number of neighbours".to_owned()) }
    }
}
