//! The model of ID3 and C4.5.

use crate::cart::classifier::ERROR;
use crate::cart::tree::with_row;
use crate::class_labels::ClassLabels;
use crate::multiway::MultiwayTree;
use crate::read::{Outline, Picture};
use crate::sorted_columns::columns;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, Evidence, Fitted, Input, Label, Prediction, Proba,
    Result, Schema, Session, Termination,
};
use mercer_math::{Mat, argmax};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows that one task predicts.
const BLOCK: usize = 1024;

/// A grown tree with a branch for every level of a discrete attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiwayTreeModel {
    /// The tree; its values are class shares.
    pub tree: MultiwayTree,
    classes: ClassLabels,
    /// Whether a missing value takes every branch by its weight, or ends the walk.
    fractional: bool,
    certificate: Certificate,
}

impl MultiwayTreeModel {
    /// The model with its certificate: the training error, found by predicting.
    pub(crate) fn new(
        tree: MultiwayTree,
        fractional: bool,
        termination: Termination,
        data: &Dataset<'_>,
    ) -> Result<Self> {
        let certificate = Certificate::new(termination);
        let mut model = Self { tree, classes: ClassLabels::of(data), fractional, certificate };
        let rate = model.classes.error_rate(data, &model.codes(&data.input())?)?;
        let meaning = "share of the training weight that the tree predicts wrongly";
        model.certificate = model.certificate.with_evidence(Evidence::value(ERROR, rate, meaning)).with_note(
            "greedy: each test is the best of its node. That the whole tree is optimal is not claimed: finding a \
             smallest tree is NP-hard (Hyafil, Rivest 1976)",
        );
        Ok(model)
    }

    /// The tree as plain data, from which text, rules and JSON are made.
    pub fn outline(&self, schema: &Schema) -> Outline {
        self.tree.outline(schema, &|value| self.classes.conclusion(value))
    }

    /// The tree as indented text.
    pub fn to_text(&self, schema: &Schema) -> String {
        self.outline(schema).to_text()
    }

    /// The tree as JSON: nodes with feature, test, branches, value, weight and impurity.
    pub fn to_json(&self, schema: &Schema) -> String {
        self.outline(schema).to_json()
    }

    /// The conditions that a row of the input meets, up to a leaf or to a value that is missing or unknown.
    pub fn decision_path(&self, input: &Input<'_>, schema: &Schema, row: usize) -> Result<Vec<String>> {
        let path = with_row("a tree", input, schema, row, |value| self.tree.path(value))?;
        Ok(self.outline(schema).conditions(&path))
    }

    /// The tree with histograms of these rows, for a drawing.
    pub fn picture(&self, data: &Dataset<'_>, schema: &Schema) -> Result<Picture> {
        Picture::draw(&self.outline(schema), data, schema, |value| self.tree.path(value))
    }

    pub(crate) fn labels(&self) -> &[Label] {
        self.classes.first()
    }

    /// Rows × classes.
    fn shares(&self, input: &Input<'_>) -> Result<Vec<f64>> {
        let rows = input.rows("a tree")?;
        let (table, k) = (columns("a tree", rows)?, self.tree.width());
        let mut out = vec![0.0; rows.n_rows() * k];
        out.par_chunks_mut(BLOCK * k).enumerate().for_each(|(b, block)| {
            for (i, out) in block.chunks_mut(k).enumerate() {
                self.tree.add_shares(|j| table[j].number(b * BLOCK + i), self.fractional, out);
            }
        });
        Ok(out)
    }

    fn codes(&self, input: &Input<'_>) -> Result<Vec<u32>> {
        Ok(self.shares(input)?.chunks(self.tree.width()).map(|row| argmax(row) as u32).collect())
    }
}

impl Proba for MultiwayTreeModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let (n, k) = (input.rows("a tree")?.n_rows(), self.tree.width());
        let mut shares = session.run(|| self.shares(input))?;
        for row in shares.chunks_mut(k) {
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|v| *v /= total);
        }
        Mat::from_vec(shares, n, k).ok_or_else(|| Error::shape("probabilities", n * k, 0))
    }
}

impl Fitted for MultiwayTreeModel {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.classes.predicted(&session.run(|| self.codes(input))?, schema)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), trees: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let found = session.run(|| self.codes(&data.input()))?;
        Ok(vec![(ERROR.to_owned(), self.classes.error_rate(data, &found)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let count = |name, doc, n: usize| Attribute::int(name, doc, &[], vec![n as i64]);
        vec![
            count("n_leaves_", "Number of leaves.", self.tree.n_leaves()),
            count("max_depth_", "Tests on the longest way to a leaf.", self.tree.depth()),
            self.classes.n_classes(),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.classes.validate(schema)?;
        self.tree.validate(schema, self.classes.width())
    }
}
