//! What mini-batch k-means learns: centres, and how many rows moved each.

use super::MiniBatchKMeans;
use crate::kmeans::{KMeansModel, Labeller, rows_at_once};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Evidence, Fitted, Input, NumbersRef, Params, Prediction,
    Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::{ColumnMoments, Mat, Nearest, Rng, add_differences, sample_indices, sq_dists_own};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// All that going on needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Going {
    pub(super) centres: Mat,
    /// Near the data; distances are taken from it.
    pub(super) origin: Vec<f64>,
    /// The weight of the rows that moved each centre.
    pub(super) counts: Vec<f64>,
    /// Rows since centres were last moved for want of rows.
    pub(super) since: usize,
    pub(super) n_steps: u64,
    /// The mean variance of the features.
    pub(super) variance: f64,
}

/// Rows that are labelled in one go.
const ROWS: usize = 256;

/// The mean variance of the features.
pub(super) fn mean_variance(data: &Dataset<'_>) -> Result<f64> {
    let numbers = data.numbers(MiniBatchKMeans::NAME)?;
    let variances = match numbers.view() {
        NumbersRef::Dense(x) => ColumnMoments::of(x, None).variances(),
        // Block by block: all rows of a large vocabulary have no place in memory when dense.
        NumbersRef::Sparse(x) => {
            let rows = rows_at_once(x.n_cols());
            let block = |first: usize| {
                let block = x.rows(first..(first + rows).min(x.n_rows())).to_dense();
                ColumnMoments::of_block(block.view(), None)
            };
            let all = (0..x.n_rows()).step_by(rows).map(block);
            all.fold(ColumnMoments::empty(x.n_cols()), ColumnMoments::merge).variances()
        }
    };
    Ok(variances.iter().sum::<f64>() / variances.len().max(1) as f64)
}

impl Going {
    /// Every centre moves to the mean of all rows that were ever nearest to it. The inertia before the move.
    pub(super) fn learn(&mut self, batch: &Mat, weights: Option<&[f64]>) -> f64 {
        let (k, d, n) = (self.centres.n_rows(), batch.n_cols(), batch.n_rows());
        let mut labels = vec![0u32; n];
        let look = |(x, labels): (&[f64], &mut [u32])| {
            let rows: Vec<u32> = (0..labels.len() as u32).collect();
            let mut found = vec![Nearest::default(); labels.len()];
            Labeller::new(&self.centres, &self.origin).label(x, &rows, &mut found);
            labels.iter_mut().zip(&found).for_each(|(l, f)| *l = f.label);
        };
        let parts = batch.as_slice().par_chunks(ROWS * d.max(1)).zip(labels.par_chunks_mut(ROWS));
        if n * k * d > 1 << 18 {
            parts.for_each(look);
        } else {
            batch.as_slice().chunks(ROWS * d.max(1)).zip(labels.chunks_mut(ROWS)).for_each(look);
        }
        let (mut own, mut moves) = (vec![0.0; n], Mat::zeros(k, d));
        sq_dists_own(batch.as_slice(), &labels, &self.centres, &mut own);
        add_differences(batch.as_slice(), &labels, weights, &self.centres, &mut moves);
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        (0..n).for_each(|i| self.counts[labels[i] as usize] += weight(i));
        for c in (0..k).filter(|&c| self.counts[c] > 0.0) {
            let count = self.counts[c];
            self.centres.row_mut(c).iter_mut().zip(moves.row(c)).for_each(|(v, m)| *v += m / count);
        }
        own.iter().enumerate().map(|(i, far)| weight(i) * far).sum()
    }

    /// Moves centres with few rows to random rows of a batch: at most half as many as it has rows.
    pub(super) fn reassign(&mut self, batch: &Mat, ratio: f64, rng: &mut Rng) {
        let most = self.counts.iter().fold(0.0f64, |a, c| a.max(*c));
        // The richest centre stays, whatever the ratio: the others take their count from what stays.
        let is_poor = |c: &usize| self.counts[*c] < ratio * most && self.counts[*c] < most;
        let mut poor: Vec<usize> = (0..self.counts.len()).filter(is_poor).collect();
        poor.sort_by(|a, b| self.counts[*a].total_cmp(&self.counts[*b]).then(a.cmp(b)));
        poor.truncate(batch.n_rows() / 2);
        if poor.is_empty() {
            return;
        }
        let others = (0..self.counts.len()).filter(|c| !poor.contains(c)).map(|c| self.counts[c]);
        let least = others.fold(f64::INFINITY, f64::min);
        for (&c, row) in poor.iter().zip(sample_indices(rng, batch.n_rows(), poor.len())) {
            self.centres.row_mut(c).copy_from_slice(batch.row(row));
            self.counts[c] = least;
        }
    }
}

/// Fitted centres, and all that going on needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MiniBatchModel {
    going: Going,
    model: KMeansModel,
}

const INERTIA: &str = "inertia";

impl MiniBatchModel {
    /// Labels the rows where there are any; else the inertia is what batches say.
    pub(super) fn new(
        going: Going,
        data: Option<&Dataset<'_>>,
        (n_iter, guess): (u64, f64),
        why: Termination,
    ) -> Self {
        let certificate = Certificate::new(why).with_iterations(going.n_steps).with_note(
            "centres of random batches are no fixed point of Lloyd's iteration; k-means started at them goes on to one",
        );
        let mut model = KMeansModel::of(
            going.centres.clone(),
            going.origin.clone(),
            (guess, n_iter),
            certificate.clone(),
        );
        if let Some((inertia, labels)) = data.and_then(|data| model.measure(data).ok()) {
            let size = inertia.max(going.variance);
            let meaning = "weighted sum of squared distances of the rows learnt from (of the last batch, where learning went on) from the nearest centres";
            let proved = Evidence::value(INERTIA, inertia, meaning).on_scale(size);
            let certificate = certificate.with_objective(inertia).with_evidence(proved);
            model =
                KMeansModel::of(going.centres.clone(), going.origin.clone(), (inertia, n_iter), certificate);
            model.labels = labels;
        }
        Self { going, model }
    }

    pub(super) fn going(&self) -> &Going {
        &self.going
    }

    /// The weighted sum of squared distances from the nearest centres.
    pub fn inertia(&self) -> f64 {
        self.model.inertia
    }

    /// The centres, one a row.
    pub fn centres(&self) -> &Mat {
        &self.model.centres
    }
}

impl Transformer for MiniBatchModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        self.model.transformed(input, session)
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.model.centres.n_rows()).map(|c| format!("minibatchkmeans{c}")).collect()
    }
}

impl Fitted for MiniBatchModel {
    fn certificate(&self) -> &Certificate {
        self.model.certificate()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.model.infer(input, schema, session)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        Ok(vec![(INERTIA.to_owned(), self.model.measure(data)?.0)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut out = self.model.attributes();
        out.push(Attribute::int("n_steps_", "The number of batches.", &[], vec![self.going.n_steps as i64]));
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.model.validate(schema)?;
        let (k, d) = (self.model.centres.n_rows(), schema.n_features());
        let going = &self.going;
        let fits = going.centres.is_consistent()
            && (going.centres.n_rows(), going.centres.n_cols()) == (k, d)
            && going.origin.len() == d
            && going.counts.len() == k;
        if fits { Ok(()) } else { Err("centres and counts do not fit together".to_owned()) }
    }
}
