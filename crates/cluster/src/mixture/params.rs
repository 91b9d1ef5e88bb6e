//! What mixtures share: parameters of EM, known components, and how a model answers.

use super::em::EmRuns;
use super::start::MixtureInit;
use mercer_core::{
    Dataset, Error, Label, Labels, ParamGroup, Prediction, Result, Target, TargetColumn, TargetKind,
    TargetValues,
};
use mercer_math::Mat;
use std::borrow::Cow;

/// How expectation maximisation runs.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct EmParams {
    /// Change of the objective per row at which a run ends.
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
}

impl EmParams {
    /// The runs of a learner; from where an earlier fit ended (`last` is its objective) there is one.
    pub(crate) fn runs(&self, n_components: usize, labelled: bool, last: Option<f64>) -> EmRuns {
        EmRuns {
            n_components,
            tol: self.tol,
            max_iter: self.max_iter,
            n_init: if last.is_some() { 1 } else { self.n_init },
            init: self.init_params,
            labelled,
            last,
        }
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

/// Rows whose component is known, ready to learn from: the data with those components for classes, and the mean of the
/// rows of each.
pub(crate) struct Known<'a> {
    pub(crate) data: Dataset<'a>,
    pub(crate) anchors: Vec<Option<Vec<f64>>>,
}

impl<'a> Known<'a> {
    /// Checks `labels`: one for each row, a component or −1.
    pub(crate) fn new(name: &str, data: &Dataset<'a>, labels: &[i64], k: usize) -> Result<Self> {
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
