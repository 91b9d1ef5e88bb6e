//! What mixtures share: parameters of EM, known components, and how a model answers.

use super::em::{Em, EmFound, EmRuns, Ended, Expectation, judge};
use super::gaussians::CovarianceType;
use super::start::MixtureInit;
use mercer_core::sums::Batches;
use mercer_core::{
    Attribute, Capabilities, Dataset, Error, Label, Labels, ParamGroup, Prediction, Result, Session, Target,
    TargetColumn, TargetKind, TargetValues,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A mixture, and how expectation maximisation runs.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct EmParams {
    /// Number of components.
    #[param(default = 1, range = "[1, inf)", search = "int 1..10")]
    pub n_components: usize,
    /// Change of the objective at which a run ends.
    #[param(default = 1e-3, range = "[0, inf)")]
    pub tol: f64,
    /// Iteration limit of a run.
    #[param(default = 100, range = "[0, inf)")]
    pub max_iter: usize,
    /// Number of runs from other first components, of which the best is kept.
    #[param(default = 1, range = "[1, inf)")]
    pub n_init: usize,
    /// How the first components are found.
    #[param(default = MixtureInit::Kmeans)]
    pub init_params: MixtureInit,
    /// The component of each training row, −1 where it is not known: rows with a known component keep it.
    #[param(default = None)]
    pub labels: Option<Vec<i64>>,
}

/// The covariances of the components of a mixture.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct CovarianceParams {
    /// What the covariances of the components share.
    #[param(default = CovarianceType::Full)]
    pub covariance_type: CovarianceType,
    /// What is added to every variance, so that no component collapses.
    #[param(default = 1e-6, range = "[0, inf)")]
    pub reg_covar: f64,
}

impl EmParams {
    /// The runs of a learner; from where an earlier fit ended (`last` is its objective) there is one.
    fn runs(&self, labelled: bool, last: Option<f64>) -> EmRuns {
        EmRuns {
            n_components: self.n_components,
            tol: self.tol,
            max_iter: self.max_iter,
            n_init: if last.is_some() { 1 } else { self.n_init },
            init: self.init_params,
            labelled,
            last,
        }
    }

    /// Runs EM in memory.
    pub(crate) fn fit<M: Expectation>(
        &self,
        step: &M,
        last: Option<f64>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Ended<M::Theta>> {
        let known = known(step.name(), data, self.labels.as_ref(), self.n_components)?;
        let em = Em {
            model: step,
            runs: self.runs(known.is_some(), last),
            anchors: known.as_ref().map_or(&[], |k| &k.anchors),
            judged: None,
        };
        em.fit(known.as_ref().map_or(data, |k| &k.data), session)
    }

    /// Runs EM over batches.
    pub(crate) fn stream<M: Expectation>(
        &self,
        step: &M,
        can: &Capabilities,
        batches: &mut dyn Batches,
        session: &Session,
    ) -> Result<Ended<M::Theta>> {
        if self.labels.is_some() {
            return Err(Error::incapable(step.name(), "know components of rows that are streamed"));
        }
        Em { model: step, runs: self.runs(false, None), anchors: &[], judged: None }
            .stream(can, batches, session)
    }
}

/// The evidence of a model anew, from data whose rows have these components, where they are known.
pub(crate) fn reproved<M: Expectation>(
    step: &M,
    theta: &M::Theta,
    k: usize,
    last: f64,
    labels: Option<&Vec<i64>>,
    data: &Dataset<'_>,
    session: &Session,
) -> Result<Vec<(String, f64)>> {
    let known = known(step.name(), data, labels, k)?;
    judge(step, theta, last, known.as_ref().map_or(data, |k| &k.data), known.is_some(), session)
}

/// How EM ended, as mixtures tell it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Course {
    pub(crate) converged: bool,
    /// The objective at each iteration of the run that was kept.
    pub(crate) bounds: Vec<f64>,
    /// The components that were known.
    pub(crate) known: Option<Vec<i64>>,
}

impl Course {
    pub(crate) fn of<T>(found: &EmFound<T>, known: Option<Vec<i64>>) -> Self {
        Self { converged: found.converged, bounds: found.objectives.clone(), known }
    }

    /// The objective at the last iteration.
    pub(crate) fn last(&self) -> f64 {
        self.bounds.last().copied().unwrap_or(f64::NEG_INFINITY)
    }

    pub(crate) fn attributes(&self) -> Vec<Attribute> {
        let (n, converged) = (self.bounds.len(), i64::from(self.converged));
        vec![
            Attribute::int(
                "converged_",
                "Whether the run that was kept reached the tolerance.",
                &[],
                vec![converged],
            ),
            Attribute::int("n_iter_", "The iterations of the run that was kept.", &[], vec![n as i64]),
            Attribute::real("lower_bound_", "The objective at the last iteration.", &[], vec![self.last()]),
            Attribute::real("lower_bounds_", "The objective at each iteration.", &[n], self.bounds.clone()),
        ]
    }
}

/// Numbers of all components together, at most.
const COMPONENT_VALUES: usize = 1 << 28;

/// Refuses more components than memory holds.
pub(crate) fn check_size(name: &str, k: usize, numbers: usize) -> Result<()> {
    if k > COMPONENT_VALUES / numbers.max(1) {
        let expected = format!("at most {} for {numbers} numbers each", COMPONENT_VALUES / numbers.max(1));
        return Err(Error::param(name, "n_components", expected, k));
    }
    Ok(())
}

/// The rows with their known components, where there are any.
fn known<'a>(
    name: &str,
    data: &Dataset<'a>,
    labels: Option<&Vec<i64>>,
    k: usize,
) -> Result<Option<Known<'a>>> {
    labels.map(|labels| Known::new(name, data, labels, k)).transpose()
}

/// Rows whose component is known, ready to learn from: the data with those components for classes, and the mean of the
/// rows of each.
struct Known<'a> {
    data: Dataset<'a>,
    anchors: Vec<Option<Vec<f64>>>,
}

impl<'a> Known<'a> {
    /// Checks `labels`: one for each row, a component or −1.
    fn new(name: &str, data: &Dataset<'a>, labels: &[i64], k: usize) -> Result<Self> {
        if labels.len() != data.n_rows() {
            let expected = format!("{} numbers, one for each row", data.n_rows());
            return Err(Error::param(name, "labels", expected, labels.len()));
        }
        if let Some(row) = labels.iter().position(|l| *l < -1 || *l >= k as i64) {
            let expected = format!("a component below {k}, or -1, for each row");
            return Err(Error::param(name, "labels", expected, format!("{} in row {row}", labels[row])));
        }
        let numbers = data.numbers(name)?;
        let (x, weights) = (numbers.view(), data.weights());
        let d = x.n_cols();
        let (mut means, mut totals) = (Mat::zeros(k, d), vec![0.0; k]);
        for (i, label) in labels.iter().enumerate().filter(|(_, l)| **l >= 0) {
            let (c, w) = (*label as usize, weights.as_ref().map_or(1.0, |w| w[i]));
            totals[c] += w;
            if totals[c] > 0.0 {
                let row = match x.rows(i..i + 1) {
                    mercer_core::NumbersRef::Dense(x) => x.to_mat(),
                    mercer_core::NumbersRef::Sparse(x) => x.to_dense(),
                };
                let step = w / totals[c];
                means.row_mut(c).iter_mut().zip(row.as_slice()).for_each(|(m, v)| *m += step * (v - *m));
            }
        }
        let anchors = (0..k).map(|c| (totals[c] > 0.0).then(|| means.row(c).to_vec())).collect();
        // The class after the last one means that the component is not known.
        let codes = labels.iter().map(|l| u32::try_from(*l).unwrap_or(k as u32)).collect();
        let classes: Labels = (0..=k as i64).map(Label::Int).collect::<Vec<_>>().into();
        Ok(Self { data: data.clone().with_target(Target::coded(codes, classes))?, anchors })
    }
}

/// The components of rows as a prediction.
pub(crate) fn clusters(codes: Vec<u32>, k: usize) -> Result<Prediction> {
    let labels: Vec<Label> = (0..k as i64).map(Label::Int).collect();
    Target::new(vec![TargetColumn {
        name: Some("cluster".to_owned()),
        kind: TargetKind::Class(labels.into()),
        values: TargetValues::Codes(Cow::Owned(codes)),
    }])
}

/// The component of the largest share in each row, the first of equal ones.
pub(crate) fn likeliest(shares: &Mat) -> Vec<u32> {
    let best = |i: usize| mercer_math::argmax(shares.row(i)) as u32;
    (0..shares.n_rows()).map(best).collect()
}
