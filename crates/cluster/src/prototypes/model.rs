//! What k-prototypes and k-modes learn: means and modes.

use super::mixed::{Mixed, Roles};
use super::run::{Found, Prototypes, Work, judge};
use super::{KModes, KPrototypes};
use crate::space::{clusters_of, labels_attribute};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Evidence, Fitted, Input, Params, Prediction, Result, Rows,
    Schema, Session, Transformer,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// Prototypes of clusters: means of numbers, and modes of categories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrototypesModel {
    /// The weighted sum of dissimilarities of the training rows from their prototypes.
    pub cost: f64,
    /// The cluster of each training row. Not saved: they are the predictions of those rows.
    #[serde(skip)]
    pub labels: Vec<i32>,
    roles: Roles,
    prototypes: Prototypes,
    /// The means of the numbers, which everything is taken from.
    origin: Vec<f64>,
    certificate: Certificate,
}

const COST: &str = "cost";
const GAIN: &str = "gain of new prototypes";

impl PrototypesModel {
    pub(super) fn new((roles, origin): (Roles, Vec<f64>), found: Found, (cost, gain): (f64, f64)) -> Self {
        let size = cost.max(f64::MIN_POSITIVE);
        let objective = "weighted sum of dissimilarities from the nearest prototypes: the objective";
        let fixed = "what the objective would lose if means and modes were taken anew from the rows nearest to them: zero at a \
                     fixed point";
        let certificate = Certificate::new(found.why)
            .with_iterations(found.rounds)
            .with_objective(cost)
            .with_evidence(Evidence::value(COST, cost, objective).on_scale(size))
            .with_evidence(Evidence::residual(GAIN, gain, fixed).on_scale(size))
            .with_note("a local optimum, which depends on the first prototypes and on the order of the rows");
        Self { cost, labels: Vec::new(), roles, prototypes: found.prototypes, origin, certificate }
    }

    /// With the clusters of the rows learnt from.
    pub(super) fn labelled(mut self, data: &Dataset<'_>) -> Result<Self> {
        self.labels = self.nearest(&self.read(&data.input())?);
        Ok(self)
    }

    /// The means of the numbers, a row for each cluster.
    pub fn means(&self) -> Mat {
        let means = &self.prototypes.means;
        Mat::from_fn(means.n_rows(), means.n_cols(), |c, j| means[(c, j)] + self.origin[j])
    }

    /// The modes of the categories, a list of levels for each cluster.
    pub fn modes(&self) -> Vec<Vec<String>> {
        let of = |c: usize| {
            self.roles.categories().zip(self.prototypes.mode(c)).map(|(r, m)| r.name(*m)).collect()
        };
        (0..self.prototypes.len()).map(of).collect()
    }

    /// What a differing category costs.
    pub fn gamma(&self) -> f64 {
        self.prototypes.gamma
    }

    fn who(&self) -> &'static str {
        if self.roles.n_numbers() > 0 { KPrototypes::NAME } else { KModes::NAME }
    }

    fn read(&self, input: &Input<'_>) -> Result<Mixed> {
        Ok(self.roles.read(input.rows(self.who())?)?.centred(&self.origin))
    }

    fn nearest(&self, data: &Mixed) -> Vec<i32> {
        self.prototypes.label(data).into_iter().map(|(c, _)| c as i32).collect()
    }
}

impl Transformer for PrototypesModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let data = self.read(input)?;
        let far = |i, c| self.prototypes.between(&data, i, c);
        Ok(Mat::from_fn(data.len(), self.prototypes.len(), far).into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        let alias = self.who().to_lowercase();
        (0..self.prototypes.len()).map(|c| format!("{alias}{c}")).collect()
    }
}

impl Fitted for PrototypesModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        let data = self.read(input)?;
        clusters_of(&session.run(|| self.nearest(&data)), self.prototypes.len())
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let (mixed, weights, _) = self.roles.weighted(self.who(), data)?;
        let mixed = mixed.centred(&self.origin);
        let n_codes = self.roles.n_codes();
        let work = Work { data: &mixed, weights: &weights, n_codes: &n_codes, lots: &[] };
        let (cost, gain) = judge(work, &self.prototypes);
        Ok(vec![(COST.to_owned(), cost), (GAIN.to_owned(), gain)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, p) = (self.prototypes.len(), self.origin.len());
        let rounds = self.certificate.iterations.unwrap_or(0) as i64;
        let mut out = vec![
            Attribute::real("cost_", "The sum of dissimilarities from the prototypes.", &[], vec![self.cost]),
            Attribute::real("gamma_", "What a differing category costs.", &[], vec![self.gamma()]),
            Attribute::int(
                "n_iter_",
                "The rounds over all rows of the run that was kept.",
                &[],
                vec![rounds],
            ),
        ];
        if p > 0 {
            let means = self.means().into_vec();
            out.push(Attribute::real(
                "means_",
                "The means of the numbers, a row for each cluster.",
                &[k, p],
                means,
            ));
        }
        let modes: Vec<String> = self.modes().concat();
        if !modes.is_empty() {
            let (q, doc) = (modes.len() / k, "The modes of the categories, a row for each cluster.");
            out.push(Attribute { shape: vec![k, q], ..Attribute::text("modes_", doc, modes) });
        }
        if !self.labels.is_empty() {
            out.push(labels_attribute(&self.labels));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (k, codes) = (self.prototypes.means.n_rows(), self.roles.n_codes());
        let known = |m: &[u32]| m.iter().zip(&codes).all(|(m, n)| (*m as usize) < *n);
        let fits = self.roles.validate(schema.n_features())
            && self.prototypes.means.is_consistent()
            && (1..=i32::MAX as usize).contains(&k)
            && self.prototypes.means.n_cols() == self.roles.n_numbers()
            && self.origin.len() == self.roles.n_numbers()
            && self.prototypes.modes.len() == k * codes.len()
            && (0..k).all(|c| known(self.prototypes.mode(c)))
            && self.prototypes.gamma >= 0.0;
        if fits { Ok(()) } else { Err("prototypes do not fit the schema".to_owned()) }
    }
}
