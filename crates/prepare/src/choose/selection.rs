//! What every selection learns: which columns are kept, and why.

use super::leaps;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, Fitted, Input, Inverse, NestedModel, Result, Rows,
    Schema, Session, Transformer,
};
use mercer_math::{Csr, Mat, MatRef};
use serde::{Deserialize, Serialize};

/// A fitted selection of columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SelectionModel {
    n_features: u32,
    kept: Vec<u32>,
    pub(crate) facts: Facts,
    pub(crate) certificate: Certificate,
}

/// What is known about the columns beside which are kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) scores: Option<Vec<f64>>,
    pub(crate) pvalues: Option<Vec<f64>>,
    pub(crate) variances: Option<Vec<f64>>,
    pub(crate) ranking: Option<Vec<u32>>,
    pub(crate) threshold: Option<f64>,
    pub(crate) cv_scores: Option<Vec<f64>>,
    pub(crate) cv_sizes: Option<Vec<u32>>,
    pub(crate) estimator: Option<NestedModel>,
    /// Whether the evidence is the residual sum of squares, and whether of a model with an intercept.
    pub(crate) residual_sum: Option<bool>,
}

impl SelectionModel {
    /// A selection by a mark for each feature. That none is left is a remark.
    pub(crate) fn new(support: &[bool], facts: Facts, certificate: Certificate) -> Self {
        let kept: Vec<u32> = support.iter().zip(0..).filter(|(s, _)| **s).map(|(_, j)| j).collect();
        let certificate = match kept.is_empty() {
            true => certificate.with_note("no feature is kept"),
            false => certificate,
        };
        Self { n_features: support.len() as u32, kept, facts, certificate }
    }

    /// The columns that are kept.
    pub fn kept(&self) -> Vec<usize> {
        self.kept.iter().map(|&j| j as usize).collect()
    }

    /// Whether each column is kept.
    pub fn support(&self) -> Vec<bool> {
        let mut support = vec![false; self.n_features as usize];
        self.kept.iter().for_each(|&j| support[j as usize] = true);
        support
    }
}

/// The features as numbers, in columns: dense, or (rows, values) where they are sparse.
pub(crate) enum ColumnsOf<'a> {
    Dense(MatRef<'a>),
    Sparse(Csr),
}

impl<'a> ColumnsOf<'a> {
    pub(crate) fn new(x: mercer_core::NumbersRef<'a>) -> Self {
        match x {
            mercer_core::NumbersRef::Dense(m) => ColumnsOf::Dense(m),
            mercer_core::NumbersRef::Sparse(m) => ColumnsOf::Sparse(m.transposed()),
        }
    }

    pub(crate) fn n_cols(&self) -> usize {
        match self {
            ColumnsOf::Dense(m) => m.n_cols(),
            ColumnsOf::Sparse(m) => m.n_rows(),
        }
    }

    /// Calls `visit` with (row, value) of each stored value of column `j`, in the order of rows.
    pub(crate) fn each(&self, j: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            ColumnsOf::Dense(m) => (0..m.n_rows()).for_each(|i| visit(i, m.get(i, j))),
            ColumnsOf::Sparse(m) => {
                let (at, values) = m.view().row(j);
                at.iter().zip(values).for_each(|(&i, &v)| visit(i as usize, v));
            }
        }
    }

    /// Column `j` with its zeros.
    pub(crate) fn dense(&self, j: usize, n_rows: usize) -> Vec<f64> {
        let mut out = vec![0.0; n_rows];
        self.each(j, |i, v| out[i] += v);
        out
    }
}

impl Transformer for SelectionModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        input.rows("a selection")?.columns(&self.kept())
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        self.kept.iter().map(|&j| schema.features[j as usize].name.clone()).collect()
    }
}

impl Inverse for SelectionModel {
    /// What was left out comes back as zeros.
    fn inverted(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows("a selection")?;
        if rows.n_features() != self.kept.len() {
            return Err(Error::shape(
                "features of the input to a selection",
                self.kept.len(),
                rows.n_features(),
            ));
        }
        let d = self.n_features as usize;
        match rows.numbers("a selection")?.view() {
            mercer_core::NumbersRef::Dense(x) => {
                let mut out = Mat::zeros(x.n_rows(), d);
                for i in 0..x.n_rows() {
                    self.kept.iter().enumerate().for_each(|(k, &j)| out[(i, j as usize)] = x.get(i, k));
                }
                Ok(out.into())
            }
            mercer_core::NumbersRef::Sparse(x) => Ok(x.remapped(&self.kept, d).into()),
        }
    }
}

impl Fitted for SelectionModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        match self.facts.residual_sum {
            Some(intercept) => {
                Ok(vec![(leaps::EVIDENCE.to_owned(), leaps::residual_sum(data, &self.kept(), intercept)?)])
            }
            None => Ok(Vec::new()),
        }
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = self.n_features as usize;
        let support = self.support().iter().map(|&s| i64::from(s)).collect();
        let mut out = vec![Attribute::int("support_", "Whether each feature is kept.", &[d], support)];
        let facts = &self.facts;
        let mut real = |name, doc, values: &Option<Vec<f64>>| {
            if let Some(v) = values {
                out.push(Attribute::real(name, doc, &[v.len()], v.clone()));
            }
        };
        real("scores_", "The score of each feature.", &facts.scores);
        real("pvalues_", "The p-value of each score.", &facts.pvalues);
        real("variances_", "The variance of each feature.", &facts.variances);
        real("cv_scores_", "The mean score over the folds, by number of features.", &facts.cv_scores);
        let ints = |v: &[u32]| v.iter().map(|&v| i64::from(v)).collect();
        if let Some(v) = &facts.cv_sizes {
            out.push(Attribute::int("cv_n_features_", "The numbers of features tried.", &[v.len()], ints(v)));
        }
        if let Some(v) = &facts.ranking {
            out.push(Attribute::int(
                "ranking_",
                "1 for features that are kept; others by when they went.",
                &[d],
                ints(v),
            ));
            out.push(Attribute::int(
                "n_features_",
                "The number of features kept.",
                &[],
                vec![self.kept.len() as i64],
            ));
        }
        if let Some(v) = facts.threshold {
            out.push(Attribute::real("threshold_", "The least importance that is kept.", &[], vec![v]));
        }
        out
    }

    fn parts(&self) -> Vec<(&str, &NestedModel)> {
        self.facts.estimator.iter().map(|model| ("estimator", model)).collect()
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let fits = |n: Option<usize>| n.is_none_or(|n| n == d);
        let facts = &self.facts;
        let ok = self.n_features as usize == d
            && self.kept.windows(2).all(|w| w[0] < w[1])
            && self.kept.last().is_none_or(|&j| (j as usize) < d)
            && [&facts.scores, &facts.pvalues, &facts.variances]
                .iter()
                .all(|v| fits(v.as_ref().map(Vec::len)))
            && fits(facts.ranking.as_ref().map(Vec::len));
        if ok { Ok(()) } else { Err("the selected columns do not fit the schema".to_owned()) }
    }
}
