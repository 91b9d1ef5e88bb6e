//! Class labels of one or several targets. Where a tree has the shares of several targets, they follow each other.

use mercer_core::{
    Attribute, Dataset, Error, Label, Labels, Prediction, Result, Schema, Target, TargetColumn, TargetValues,
};
use mercer_math::{Weights, argmax};
use serde::{Deserialize, Serialize};

/// The code of a row for which nothing was found.
pub(crate) const NOTHING: u32 = u32::MAX;

/// The class labels of every target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClassLabels(Vec<Vec<Label>>);

/// The codes of every target, each in its dictionary.
pub(crate) fn checked_codes<'t>(target: &'t Target<'_>) -> Result<Vec<(&'t [u32], &'t Labels)>> {
    let checked = |column: &'t TargetColumn<'_>| {
        let (TargetValues::Codes(codes), Some(labels)) = (&column.values, column.kind.labels()) else {
            return Err(target.class().err().unwrap_or_else(|| Error::shape("classes", 1, 0)));
        };
        match codes.iter().position(|&c| c as usize >= labels.len()) {
            Some(row) => {
                let what = format!("the class of row {row}, below");
                Err(Error::shape(what, labels.len(), codes[row] as usize))
            }
            None => Ok((codes.as_ref(), labels)),
        }
    };
    target.columns().iter().map(checked).collect()
}

impl ClassLabels {
    /// Those of the target of some data.
    pub(crate) fn of(data: &Dataset<'_>) -> Self {
        let labels = |c: &TargetColumn<'_>| c.kind.labels().map_or_else(Vec::new, |l| l.to_vec());
        Self(data.target().map_or_else(Vec::new, |t| t.columns().iter().map(labels).collect()))
    }

    /// Number of targets.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Classes of all targets.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// The classes of the first target.
    pub(crate) fn first(&self) -> &[Label] {
        self.0.first().map_or(&[], Vec::as_slice)
    }

    /// The dictionary of each target with the shares of its classes.
    fn parts<'a>(&'a self, shares: &'a [f64]) -> impl Iterator<Item = (&'a [Label], &'a [f64])> {
        let mut rest = shares;
        self.0.iter().map(move |labels| {
            let (own, later) = rest.split_at(labels.len().min(rest.len()));
            rest = later;
            (labels.as_slice(), own)
        })
    }

    /// The class of the greatest share, for each target.
    pub(crate) fn codes<'a>(&'a self, shares: &'a [f64]) -> impl Iterator<Item = u32> + 'a {
        self.parts(shares).map(|(_, own)| argmax(own) as u32)
    }

    /// What a node of these shares says.
    pub(crate) fn conclusion(&self, shares: &[f64]) -> String {
        let one = |(labels, own): (&[Label], &[f64])| {
            let best = argmax(own);
            let label = labels.get(best).map_or_else(|| best.to_string(), ToString::to_string);
            format!("class {label} ({:.3})", own.get(best).copied().unwrap_or(f64::NAN))
        };
        self.parts(shares).map(one).collect::<Vec<_>>().join(", ")
    }

    /// Codes, rows × targets, in the shape of the schema.
    pub(crate) fn predicted(&self, codes: &[u32], schema: &Schema) -> Result<Prediction> {
        let q = self.len();
        schema.prediction((0..q).map(|k| codes.iter().skip(k).step_by(q).copied().collect::<Vec<u32>>()))
    }

    /// The share of the weight whose class, by label, is not the one found, a mean over the targets; rows for which
    /// nothing was found are left out. `found` is rows × targets.
    pub(crate) fn error_rate(&self, data: &Dataset<'_>, found: &[u32]) -> Result<f64> {
        let (target, weights, q) = (data.need_target("a tree")?, data.weights(), self.len());
        let (mut wrong, mut total) = (0.0, 0.0);
        for (k, (codes, labels)) in checked_codes(&target)?.into_iter().enumerate().take(q) {
            for (i, &c) in codes.iter().enumerate().filter(|(i, _)| found[i * q + k] != NOTHING) {
                let w = Weights::of(&weights)[i];
                total += w;
                let known = self.0[k].get(found[i * q + k] as usize);
                wrong += if labels.get(c as usize) == known { 0.0 } else { w };
            }
        }
        Ok(wrong / total)
    }

    /// The share of the weight of rows of which every target is found, rows for which nothing was found left out.
    pub(crate) fn exact_rate(&self, data: &Dataset<'_>, found: &[u32]) -> Result<f64> {
        let (weights, q) = (data.weights(), self.len());
        let (own, mut right, mut total) = (self.translated(data)?, 0.0, 0.0);
        for (i, (own, found)) in own.chunks(q).zip(found.chunks(q)).enumerate() {
            if found[0] != NOTHING {
                let w = Weights::of(&weights)[i];
                total += w;
                right += if own == found { w } else { 0.0 };
            }
        }
        Ok(right / total)
    }

    /// The classes of the rows of other data, by label; rows × targets.
    pub(crate) fn translated(&self, data: &Dataset<'_>) -> Result<Vec<u32>> {
        let target = data.need_target("a tree")?;
        let (columns, q) = (checked_codes(&target)?, self.len());
        if columns.len() != q {
            return Err(Error::shape("targets of the validation rows", q, columns.len()));
        }
        let code = |(k, i): (usize, usize)| {
            let (codes, labels) = columns[k];
            let own = self.0[k].iter().position(|l| *l == labels[codes[i] as usize]);
            own.map_or(NOTHING, |c| c as u32)
        };
        Ok((0..data.n_rows()).flat_map(|i| (0..q).map(move |k| (k, i))).map(code).collect())
    }

    /// The attribute of scikit-learn's classifiers.
    pub(crate) fn n_classes(&self) -> Attribute {
        let counts: Vec<i64> = self.0.iter().map(|l| l.len() as i64).collect();
        let shape = if counts.len() == 1 { vec![] } else { vec![counts.len()] };
        Attribute::int("n_classes_", "Number of classes, of each target.", &shape, counts)
    }

    /// Refuses a loaded model whose classes are not those of the schema.
    pub(crate) fn validate(&self, schema: &Schema) -> Result<(), String> {
        let own = |(labels, t): (&Vec<Label>, &mercer_core::TargetSchema)| {
            !labels.is_empty() && t.kind.labels().is_some_and(|l| l[..] == labels[..])
        };
        let same = !self.0.is_empty() && self.len() == schema.targets.len();
        match same && self.0.iter().zip(&schema.targets).all(own) {
            true => Ok(()),
            false => Err("the classes of the model are not those of the schema".to_owned()),
        }
    }
}
