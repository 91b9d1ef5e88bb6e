//! What k-means learns: centres.

use super::KMeans;
use super::lloyd::Labeller;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Evidence, Fitted, Input, Label, NumbersRef, Params,
    Prediction, Result, Rows, Schema, Session, Target, TargetColumn, TargetKind, TargetValues, Termination,
    Transformer,
};
use mercer_math::{Mat, Nearest, Weights, add_differences, sq_dists_own, sq_dists_to};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Fitted centres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMeansModel {
    /// The centres, one a row.
    pub centres: Mat,
    /// The weighted sum of squared distances of the training rows from their centres.
    pub inertia: f64,
    /// The number of iterations of the run that was kept.
    pub n_iter: u64,
    /// The cluster of each training row, after a fit in memory. Not saved: they are the predictions of those rows.
    #[serde(skip)]
    pub labels: Vec<u32>,
    /// Near the data; distances are taken from it.
    origin: Vec<f64>,
    certificate: Certificate,
}

/// What a run has found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) centres: Mat,
    pub(crate) inertia: f64,
    /// The largest move of a centre in one more iteration, where it is known.
    pub(crate) residual: Option<f64>,
    pub(crate) iterations: u64,
    pub(crate) converged: bool,
}

/// Inertias that differ by less than this share are equal: the earlier run is kept.
const RUN_SLACK: f64 = 1e-9;
const INERTIA: &str = "inertia";
const RESIDUAL: &str = "fixed-point residual";

impl Found {
    pub(crate) fn or_better(self, other: Found) -> Found {
        if other.inertia < self.inertia * (1.0 - RUN_SLACK) { other } else { self }
    }

    /// The size of distances: that of the centres from the origin and of the rows from the centres, and no less than
    /// rounding of rows far from zero leaves.
    fn size(&self, origin: &[f64]) -> f64 {
        let far = |c: usize| self.centres.row(c).iter().zip(origin).map(|(c, o)| (c - o).abs());
        let apart = (0..self.centres.n_rows()).flat_map(far).fold(0.0, f64::max);
        let offset = origin.iter().fold(0.0f64, |a, o| a.max(o.abs()));
        apart.max(self.inertia.sqrt()).max(1e-8 * offset)
    }

    pub(crate) fn model(self, origin: Vec<f64>, why: Termination) -> KMeansModel {
        let size = self.size(&origin);
        let meaning =
            "weighted sum of squared distances from the nearest centres: the objective at these centres";
        let mut certificate = Certificate::new(why)
            .with_iterations(self.iterations)
            .with_objective(self.inertia)
            .with_evidence(Evidence::value(INERTIA, self.inertia, meaning).on_scale(size * size));
        if let Some(residual) = self.residual {
            let meaning = "largest move of a centre in one more iteration: zero at a local optimum of Lloyd's iteration";
            certificate =
                certificate.with_evidence(Evidence::residual(RESIDUAL, residual, meaning).on_scale(size));
        }
        certificate = certificate.with_note(
            "a local optimum: the global one is NP-hard (Aloise et al. 2009); k-means++ seeds of different rows are \
             within a factor O(log k) of it in expectation (Arthur and Vassilvitskii 2007, for draws without the \
             greedy choice)",
        );
        let (centres, inertia, n_iter) = (self.centres, self.inertia, self.iterations);
        let different = different(&centres);
        if different < centres.n_rows() {
            let note = format!(
                "only {different} of the {} centres are different: so few rows are",
                centres.n_rows()
            );
            certificate = certificate.with_note(note);
        }
        KMeansModel { centres, inertia, n_iter, labels: Vec::new(), origin, certificate }
    }
}

/// The number of different centres.
pub(crate) fn different(centres: &Mat) -> usize {
    let mut rows: Vec<Vec<u64>> =
        (0..centres.n_rows()).map(|c| centres.row(c).iter().map(|v| (v + 0.0).to_bits()).collect()).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.len()
}

/// Rows that are labelled or measured at a time.
const ROWS: usize = 1024;

/// So many of them where they are wide.
pub(crate) fn rows_at_once(d: usize) -> usize {
    (ROWS * 64 / d.max(1)).clamp(16, ROWS)
}

/// Calls `f` with packed rows, block by block, and their first row and the block's piece of `out` (`width` a row).
pub(crate) fn by_blocks<T: Send>(
    x: NumbersRef<'_>,
    width: usize,
    out: &mut [T],
    f: impl Fn(&[f64], usize, &mut [T]) + Sync,
) {
    let rows = rows_at_once(x.n_cols());
    let work = |(b, out): (usize, &mut [T])| {
        let (start, end) = (b * rows, ((b + 1) * rows).min(x.n_rows()));
        let dense = match x.rows(start..end) {
            NumbersRef::Dense(x) if x.has_contiguous_rows() && x.row_stride() == x.n_cols() => {
                return f(&x.data()[..(end - start) * x.n_cols()], start, out);
            }
            NumbersRef::Dense(x) => x.to_mat(),
            NumbersRef::Sparse(x) => x.to_dense(),
        };
        f(dense.as_slice(), start, out);
    };
    if x.n_rows() <= rows {
        out.chunks_mut(rows * width.max(1)).enumerate().for_each(work);
    } else {
        out.par_chunks_mut(rows * width.max(1)).enumerate().for_each(work);
    }
}

/// The distances of rows from centres.
pub(crate) fn distances(centres: &Mat, x: NumbersRef<'_>, session: &Session) -> Mat {
    let (k, d) = (centres.n_rows(), centres.n_cols());
    let mut out = Mat::zeros(x.n_rows(), k);
    let all: Vec<u32> = (0..k as u32).collect();
    let measure = |x: &[f64], _: usize, out: &mut [f64]| {
        for (row, out) in x.chunks_exact(d).zip(out.chunks_mut(k)) {
            sq_dists_to(centres.as_slice(), &all, row, out);
            out.iter_mut().for_each(|v| *v = v.sqrt());
        }
    };
    if x.n_rows() <= 16 {
        by_blocks(x, k, out.as_mut_slice(), measure);
    } else {
        session.run(|| by_blocks(x, k, out.as_mut_slice(), measure));
    }
    out
}

impl KMeansModel {
    /// A model of centres that were found in another way.
    pub(crate) fn of(
        centres: Mat,
        origin: Vec<f64>,
        (inertia, n_iter): (f64, u64),
        certificate: Certificate,
    ) -> Self {
        Self { centres, inertia, n_iter, labels: Vec::new(), origin, certificate }
    }

    /// The centres, and the origin that distances are taken from.
    pub(crate) fn into_parts(self) -> (Mat, Vec<f64>) {
        (self.centres, self.origin)
    }

    /// How learning ended.
    pub(crate) fn termination(&self) -> Termination {
        self.certificate.termination
    }

    /// The inertia of rows, and the nearest centre of each.
    pub(crate) fn measure(&self, data: &Dataset<'_>) -> Result<(f64, Vec<u32>)> {
        Ok((self.prove(data)?.0, self.nearest(data.numbers(KMeans::NAME)?.view())))
    }

    /// The nearest centre of each row.
    pub(crate) fn nearest(&self, x: NumbersRef<'_>) -> Vec<u32> {
        let mut labels = vec![0u32; x.n_rows()];
        by_blocks(x, 1, &mut labels, |x, _, out| {
            let rows: Vec<u32> = (0..out.len() as u32).collect();
            let mut found = vec![Nearest::default(); out.len()];
            Labeller::new(&self.centres, &self.origin).label(x, &rows, &mut found);
            out.iter_mut().zip(&found).for_each(|(out, found)| *out = found.label);
        });
        labels
    }

    /// Inertia, and the largest move of a centre in one more iteration.
    fn prove(&self, data: &Dataset<'_>) -> Result<(f64, f64)> {
        let numbers = data.numbers(KMeans::NAME)?;
        let (x, weights) = (numbers.view(), data.weights());
        let labels = self.nearest(x);
        let (k, d) = (self.centres.n_rows(), self.centres.n_cols());
        let (mut inertia, mut moves, mut totals) = (0.0, Mat::zeros(k, d), vec![0.0; k]);
        let rows = rows_at_once(d);
        for start in (0..x.n_rows()).step_by(rows) {
            let end = (start + rows).min(x.n_rows());
            let dense = match x.rows(start..end) {
                NumbersRef::Dense(x) => x.to_mat(),
                NumbersRef::Sparse(x) => x.to_dense(),
            };
            let (labels, weights) = (&labels[start..end], Weights::of(&weights).rows(start..end));
            let mut own = vec![0.0; end - start];
            sq_dists_own(dense.as_slice(), labels, &self.centres, &mut own);
            add_differences(dense.as_slice(), labels, weights.given(), &self.centres, &mut moves);
            for (i, own) in own.iter().enumerate() {
                let weight = weights[i];
                inertia += weight * own;
                totals[labels[i] as usize] += weight;
            }
        }
        let length = |c: usize| moves.row(c).iter().map(|v| (v / totals[c]).powi(2)).sum::<f64>().sqrt();
        let residual = (0..k).filter(|&c| totals[c] > 0.0).map(length).fold(0.0, f64::max);
        Ok((inertia, residual))
    }
}

impl Transformer for KMeansModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let numbers = input.rows(KMeans::NAME)?.numbers(KMeans::NAME)?;
        Ok(distances(&self.centres, numbers.view(), session).into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.centres.n_rows()).map(|c| format!("kmeans{c}")).collect()
    }
}

impl Fitted for KMeansModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, _: &Schema, session: &Session) -> Result<Prediction> {
        let numbers = input.rows(KMeans::NAME)?.numbers(KMeans::NAME)?;
        let x = numbers.view();
        let codes = if x.n_rows() <= 16 { self.nearest(x) } else { session.run(|| self.nearest(x)) };
        let labels: Vec<Label> = (0..self.centres.n_rows() as i64).map(Label::Int).collect();
        Target::new(vec![TargetColumn {
            name: Some("cluster".to_owned()),
            kind: TargetKind::Class(labels.into()),
            values: TargetValues::Codes(Cow::Owned(codes)),
        }])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let (inertia, residual) = self.prove(data)?;
        Ok(vec![(INERTIA.to_owned(), inertia), (RESIDUAL.to_owned(), residual)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.centres.n_rows(), self.centres.n_cols());
        let mut out = vec![
            Attribute::real(
                "cluster_centers_",
                "The centres, one a row.",
                &[k, d],
                self.centres.as_slice().to_vec(),
            ),
            Attribute::real(
                "inertia_",
                "The sum of squared distances from the centres.",
                &[],
                vec![self.inertia],
            ),
            Attribute::int(
                "n_iter_",
                "The iterations of the run that was kept.",
                &[],
                vec![self.n_iter as i64],
            ),
        ];
        if !self.labels.is_empty() {
            let labels = self.labels.iter().map(|&l| i64::from(l)).collect();
            out.push(Attribute::int(
                "labels_",
                "The cluster of each training row.",
                &[self.labels.len()],
                labels,
            ));
        }
        out
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let fits = self.centres.is_consistent()
            && self.centres.n_cols() == d
            && d > 0
            && (1..=u32::MAX as usize).contains(&self.centres.n_rows())
            && self.origin.len() == d;
        if fits { Ok(()) } else { Err("centres do not fit the schema".to_owned()) }
    }
}
