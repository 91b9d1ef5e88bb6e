//! What OPTICS learns: the order of the rows, and clusters taken from it.

use super::order::Order;
use super::{OPTICS, cores, rounded};
use crate::space::{Assigned, ClusterSearch, labels_attribute};
use mercer_core::{
    Attribute, Certificate, Dataset, Evidence, Fitted, Input, Params, Prediction, Result, Schema, Session,
    Termination,
};
use serde::{Deserialize, Serialize};

/// The order of the rows, and clusters taken from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpticsModel {
    assigned: Assigned,
    order: Order,
    cores: Vec<f64>,
    near: usize,
    max_eps: f64,
    hierarchy: Vec<[u32; 2]>,
    certificate: Certificate,
}

const WRONG: &str = "rows out of order";

impl OpticsModel {
    pub(super) fn new(
        assigned: Assigned,
        order: Order,
        cores: Vec<f64>,
        (near, max_eps): (usize, f64),
        hierarchy: Vec<[u32; 2]>,
    ) -> Self {
        let meaning = "rows whose reachability is not the greater of their distance from the row that reached them and that \
                       row's core distance, or which stand before it: zero for an order by the definition";
        let mut certificate = Certificate::new(Termination::Exact)
            .with_evidence(Evidence::residual(WRONG, 0.0, meaning))
            .with_note("a new row has the cluster of the nearest row learnt from; of rows equally reachable the first comes next");
        if order.reach.iter().all(|r| r.is_infinite()) {
            certificate =
                certificate.with_note("nothing reaches anything within max_eps: all rows are outliers");
        }
        Self { assigned, order, cores, near, max_eps, hierarchy, certificate }
    }

    /// The cluster of each training row; -1 is noise.
    pub fn labels(&self) -> &[i32] {
        self.assigned.labels()
    }

    fn wrong(&self, data: &Dataset<'_>, session: &Session) -> Result<usize> {
        let n = self.cores.len();
        if data.n_rows() != n {
            return Ok(n);
        }
        let space = self.assigned.space.of(OPTICS::NAME, data)?;
        let cores = cores(&space, ClusterSearch::Brute, 30, (self.near, self.max_eps), session)?;
        let mut place = vec![0; n];
        self.order.rows.iter().enumerate().for_each(|(p, &i)| place[i as usize] = p);
        let slack = |v: f64| 1e-9 * v.max(1e-6);
        let bad = |i: &usize| match self.order.from[*i] {
            None => self.order.reach[*i].is_finite(),
            Some(from) => {
                let reach = rounded(space.between(from as usize, *i).max(cores[from as usize]));
                let right = (self.order.reach[*i] - reach).abs() <= slack(reach);
                !right || place[from as usize] >= place[*i]
            }
        };
        Ok((0..n).filter(bad).count())
    }
}

impl Fitted for OpticsModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        self.assigned.infer(OPTICS::NAME, input, session)
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let wrong = session.run(|| self.wrong(data, session))?;
        Ok(vec![(WRONG.to_owned(), wrong as f64)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = self.cores.len();
        let from = self.order.from.iter().map(|f| f.map_or(-1, i64::from)).collect();
        let mut out = vec![
            labels_attribute(self.labels()),
            Attribute::real("reachability_", "The reachability of each row.", &[n], self.order.reach.clone()),
            Attribute::int(
                "ordering_",
                "The rows in their order.",
                &[n],
                self.order.rows.iter().map(|&i| i64::from(i)).collect(),
            ),
            Attribute::real("core_distances_", "The core distance of each row.", &[n], self.cores.clone()),
            Attribute::int("predecessor_", "The row that reached each row; -1 for none.", &[n], from),
        ];
        if !self.hierarchy.is_empty() {
            let ends = self.hierarchy.iter().flatten().map(|&i| i64::from(i)).collect();
            let shape = [self.hierarchy.len(), 2];
            out.push(Attribute::int(
                "cluster_hierarchy_",
                "The first and last place of each valley in the order.",
                &shape,
                ends,
            ));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.assigned.validate(schema.n_features())?;
        let n = self.assigned.labels().len();
        let fits =
            self.order.rows.len() == n && self.order.is_whole() && self.cores.len() == n && self.near > 0;
        if fits { Ok(()) } else { Err("order and rows do not fit together".to_owned()) }
    }
}
