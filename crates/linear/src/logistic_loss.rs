//! The logistic loss and its derivatives, summed over one block of rows.
//!
//! Points, gradients and directions are laid out by features: entry `j * columns + k` belongs to feature `j` and
//! score `k`, and the intercepts come last. Two classes have one score, more have one each (softmax). Rows are
//! taken in pieces that stay in cache, so that scores and gradient read them from memory once.

use mercer_core::NumbersRef;
use mercer_core::sums::Block;
use mercer_math::{
    Mat, MatRef, axpy, gemv, gemv_t, hash_row, hash_unit, matmul, sparse_t_add, sparse_times, sum,
    weighted_gram,
};
use mercer_measure::{ClassBlock, Link, softmax};
use serde::{Deserialize, Serialize};

/// The shape of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dims {
    pub(crate) features: usize,
    pub(crate) classes: usize,
    pub(crate) intercept: bool,
}

impl Dims {
    /// Scores of a row.
    pub(crate) fn columns(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    /// Features, with the constant one.
    pub(crate) fn width(&self) -> usize {
        self.features + usize::from(self.intercept)
    }

    /// Length of a point.
    pub(crate) fn len(&self) -> usize {
        self.width() * self.columns()
    }

    /// Length of its penalised part.
    pub(crate) fn penalised(&self) -> usize {
        self.features * self.columns()
    }
}

/// What a pass tells of the second derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Curvature {
    /// Nothing.
    None,
    /// Σ s x² of each feature.
    Diagonal,
    /// Σ s x xᵀ over the rows whose hash is at most this.
    Sample(u64),
    /// The Hessian at the point, a matrix for each pair of scores.
    Full,
}

/// The least and the largest difference of scores between the class of a row and another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Margins {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Default for Margins {
    fn default() -> Self {
        Self { least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

impl Margins {
    fn add(&mut self, least: f64, most: f64) {
        (self.least, self.most) = (self.least.min(least), self.most.max(most));
    }
}

/// What one block contributes to a round of logistic regression.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LogisticSums {
    /// Rows of positive weight.
    pub(crate) rows: u64,
    /// Σ s of each class.
    pub(crate) classes: Vec<f64>,
    /// Σ s |x| of each feature.
    pub(crate) sizes: Vec<f64>,
    /// Σ s x of each feature.
    pub(crate) means: Vec<f64>,
    pub(crate) margins: Margins,
    pub(crate) loss: f64,
    /// The gradient, or the product with the Hessian.
    pub(crate) grad: Vec<f64>,
    pub(crate) diagonal: Vec<f64>,
    /// Lower triangles.
    pub(crate) grams: Vec<Mat>,
    /// Σ s over the sample.
    pub(crate) sampled: f64,
}

impl LogisticSums {
    pub(crate) fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.loss += other.loss;
        self.sampled += other.sampled;
        axpy(1.0, &other.classes, &mut self.classes);
        axpy(1.0, &other.sizes, &mut self.sizes);
        axpy(1.0, &other.means, &mut self.means);
        self.margins.add(other.margins.least, other.margins.most);
        axpy(1.0, &other.grad, &mut self.grad);
        axpy(1.0, &other.diagonal, &mut self.diagonal);
        for (into, gram) in self.grams.iter_mut().zip(&other.grams) {
            axpy(1.0, gram.as_slice(), into.as_mut_slice());
        }
    }

    /// Adds the weights of the classes and the sizes of the features.
    pub(crate) fn count(&mut self, block: &Block<'_>) {
        for (i, &class) in block.classes.iter().enumerate() {
            let weight = block.weight(i);
            match block.x {
                NumbersRef::Dense(x) => {
                    let both = self.sizes.iter_mut().zip(&mut self.means).enumerate();
                    both.for_each(|(j, (s, m))| {
                        let part = weight * x.get(i, j);
                        (*s, *m) = (*s + part.abs(), *m + part);
                    });
                }
                NumbersRef::Sparse(x) => {
                    let (at, values) = x.row(i);
                    at.iter().zip(values).for_each(|(&j, v)| {
                        self.sizes[j as usize] += weight * v.abs();
                        self.means[j as usize] += weight * v;
                    });
                }
            }
            self.rows += u64::from(weight > 0.0);
            if let Some(total) = self.classes.get_mut(class as usize) {
                *total += weight;
            }
        }
    }
}

/// Probabilities of a block's rows at the point of an iteration of [`crate::LogisticRegression`].
#[derive(Debug, Default)]
pub struct LogisticLocal {
    pub(crate) iteration: usize,
    /// Scores as they were kept, or probabilities once these are `ready`.
    pub(crate) values: Vec<f64>,
    pub(crate) ready: bool,
}

impl LogisticLocal {
    pub(crate) fn begin(&mut self, iteration: usize) -> &mut Vec<f64> {
        self.values.clear();
        (self.iteration, self.ready) = (iteration, false);
        &mut self.values
    }
}

/// One point of a problem, to be evaluated on blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass<'a> {
    pub(crate) dims: Dims,
    pub(crate) point: &'a [f64],
    /// The weight of each class; those that do not occur have none.
    pub(crate) scale: &'a [f64],
}

/// The score of a class that does not occur in training: below all others, yet a number.
pub(crate) const ABSENT: f64 = -1e300;

/// A few rows with what belongs to them.
#[derive(Clone, Copy)]
struct Piece<'a> {
    x: NumbersRef<'a>,
    rows: ClassBlock<'a>,
}

fn pieces<'a>(block: &Block<'a>, scale: &'a [f64]) -> impl Iterator<Item = Piece<'a>> {
    let rows = match block.x {
        // 128 kB of a row-major matrix; longer stretches of contiguous columns.
        NumbersRef::Dense(x) if x.has_contiguous_rows() => ((1 << 14) / x.n_cols().max(1)).clamp(16, 512),
        NumbersRef::Dense(_) => 512,
        NumbersRef::Sparse(_) => 256,
    };
    let (block, n) = (*block, block.n_rows());
    (0..n).step_by(rows).map(move |start| {
        let range = start..(start + rows).min(n);
        Piece {
            x: block.x.rows(range.clone()),
            rows: ClassBlock {
                classes: &block.classes[range.clone()],
                weights: block.weights.rows(range),
                scale,
            },
        }
    })
}

impl Pass<'_> {
    /// Adds loss and gradient, and what is asked of the curvature; the scores go to `keep`.
    pub(crate) fn value(
        &self,
        block: &Block<'_>,
        curvature: Curvature,
        mut keep: Option<&mut Vec<f64>>,
        out: &mut LogisticSums,
    ) {
        let mark: Vec<f64> = match curvature {
            Curvature::Sample(limit) if limit < u64::MAX => {
                (0..self.dims.features as u64).map(|j| hash_unit(hash_row(&[j as f64], 1)) - 0.5).collect()
            }
            _ => Vec::new(),
        };
        for piece in pieces(block, self.scale) {
            let mut z = self.present(piece.x);
            if let Some(keep) = &mut keep {
                keep.extend_from_slice(&z);
            }
            let loss = match self.dims.columns() {
                1 => self.binary(&piece, &mut z, curvature, out),
                _ => self.softmax(&piece, &mut z, curvature, out),
            };
            out.loss += loss;
            self.back(piece.x, &z, &mut out.grad);
            match curvature {
                Curvature::Diagonal => self.squares(&piece, &mut out.diagonal),
                Curvature::Sample(limit) => self.sample(&piece, &mark, limit, out),
                Curvature::None | Curvature::Full => {}
            }
        }
    }

    /// The probabilities of the rows at the point; `scores` are what [`Pass::value`] kept there, or empty.
    pub(crate) fn probabilities(&self, block: &Block<'_>, scores: &mut Vec<f64>) {
        let k = self.dims.columns();
        if scores.len() != block.n_rows() * k {
            scores.clear();
            pieces(block, self.scale).for_each(|piece| scores.extend_from_slice(&self.present(piece.x)));
        }
        match k {
            1 => Link::Logit(1.0).means(scores),
            k => softmax::means(k, scores),
        }
    }

    /// Adds the product of the Hessian with `vector`, given the probabilities of the rows.
    pub(crate) fn product(&self, block: &Block<'_>, vector: &[f64], p: &[f64], out: &mut LogisticSums) {
        let k = self.dims.columns();
        let mut at = 0;
        for piece in pieces(block, self.scale) {
            let mut q = self.scores(piece.x, vector);
            let p = &p[at..at + q.len()];
            at += q.len();
            piece.rows.hessian_product(k, p, &mut q);
            self.back(piece.x, &q, &mut out.grad);
        }
    }

    /// Widens the margins by those of the rows for coefficients or along a direction.
    pub(crate) fn margins(&self, block: &Block<'_>, vector: &[f64], out: &mut LogisticSums) {
        let k = self.dims.columns();
        for piece in pieces(block, self.scale) {
            let z = self.scores(piece.x, vector);
            for (i, z) in z.chunks_exact(k).enumerate().filter(|(i, _)| piece.rows.weight(*i) > 0.0) {
                let own = piece.rows.classes[i] as usize;
                if let [z] = z {
                    let margin = if own == 1 { *z } else { -z };
                    out.margins.add(margin, margin);
                    continue;
                }
                let others = (0..k).filter(|&c| c != own && self.scale[c] > 0.0);
                others.map(|c| z[own] - z[c]).for_each(|margin| out.margins.add(margin, margin));
            }
        }
    }

    /// The scores at the point, with those of absent classes out of the way.
    fn present(&self, x: NumbersRef<'_>) -> Vec<f64> {
        let (mut z, k) = (self.scores(x, self.point), self.dims.columns());
        if k > 1 {
            for absent in (0..k).filter(|&c| self.scale[c] == 0.0) {
                z.iter_mut().skip(absent).step_by(k).for_each(|z| *z = ABSENT);
            }
        }
        z
    }

    /// X W + b, rows × columns.
    pub(crate) fn scores(&self, x: NumbersRef<'_>, point: &[f64]) -> Vec<f64> {
        let k = self.dims.columns();
        let (w, b) = point.split_at(self.dims.penalised());
        let mut z = match x {
            NumbersRef::Dense(x) if k == 1 => gemv(x, w),
            NumbersRef::Dense(x) => match MatRef::row_major(w, self.dims.features, k) {
                Some(w) => matmul(x, w).into_vec(),
                None => vec![f64::NAN; x.n_rows() * k],
            },
            NumbersRef::Sparse(x) => {
                let mut z = vec![0.0; x.n_rows() * k];
                sparse_times(x, w, k, &mut z);
                z
            }
        };
        if !b.is_empty() {
            z.chunks_exact_mut(k).for_each(|z| z.iter_mut().zip(b).for_each(|(z, b)| *z += b));
        }
        z
    }

    /// Adds Xᵀ R, and the column sums of R for the intercepts.
    fn back(&self, x: NumbersRef<'_>, r: &[f64], grad: &mut [f64]) {
        let k = self.dims.columns();
        let (w, b) = grad.split_at_mut(self.dims.penalised());
        match x {
            NumbersRef::Dense(x) if k == 1 => axpy(1.0, &gemv_t(x, r), w),
            NumbersRef::Dense(x) => {
                if let Some(r) = MatRef::row_major(r, x.n_rows(), k) {
                    axpy(1.0, matmul(x.t(), r).as_slice(), w);
                }
            }
            NumbersRef::Sparse(x) => sparse_t_add(x, r, k, w),
        }
        match b {
            [] => {}
            [b] => *b += sum(r),
            many => r.chunks_exact(k).for_each(|r| many.iter_mut().zip(r).for_each(|(b, r)| *b += r)),
        }
    }

    /// Turns scores into residuals p − y, weighted; returns the loss Σ s ln(1 + exp(∓z)).
    fn binary(&self, piece: &Piece<'_>, z: &mut [f64], curvature: Curvature, out: &mut LogisticSums) -> f64 {
        let (loss, right) = piece.rows.binary(z);
        if curvature == Curvature::Full {
            let roots: Vec<f64> = piece.rows.binary_curvature(&right).into_iter().map(f64::sqrt).collect();
            let rows: Vec<usize> = (0..z.len()).collect();
            weighted_gram(self.widened(piece.x, &rows, &roots).view(), None, None, &mut out.grams[0]);
        }
        loss
    }

    /// Turns scores into residuals p − y, weighted; returns the loss.
    fn softmax(&self, piece: &Piece<'_>, z: &mut [f64], curvature: Curvature, out: &mut LogisticSums) -> f64 {
        let k = self.dims.columns();
        let loss = piece.rows.softmax(k, z);
        if curvature == Curvature::Full {
            self.softmax_hessian(piece, z, out);
        }
        piece.rows.softmax_gradients(k, z);
        loss
    }

    /// Adds Σ s p_a (1{a = b} − p_b) x xᵀ for each pair a >= b.
    fn softmax_hessian(&self, piece: &Piece<'_>, p: &[f64], out: &mut LogisticSums) {
        let (k, n) = (self.dims.columns(), piece.rows.classes.len());
        let rows: Vec<usize> = (0..n).collect();
        let x = self.widened(piece.x, &rows, &vec![1.0; n]);
        let mut pair = 0;
        for a in 0..k {
            for b in 0..=a {
                let weights = piece.rows.softmax_curvature(k, p, a, b);
                weighted_gram(x.view(), Some(&weights), None, &mut out.grams[pair]);
                pair += 1;
            }
        }
    }

    /// Σ s x² of each feature, and Σ s for the intercept.
    fn squares(&self, piece: &Piece<'_>, diagonal: &mut [f64]) {
        for i in 0..piece.rows.classes.len() {
            let weight = piece.rows.weight(i);
            match piece.x {
                NumbersRef::Dense(x) => {
                    x.row_cow(i).iter().zip(diagonal.iter_mut()).for_each(|(v, d)| *d += weight * v * v);
                }
                NumbersRef::Sparse(x) => {
                    let (columns, values) = x.row(i);
                    columns.iter().zip(values).for_each(|(&j, v)| diagonal[j as usize] += weight * v * v);
                }
            }
            if self.dims.intercept {
                diagonal[self.dims.features] += weight;
            }
        }
    }

    /// Σ s x xᵀ over rows chosen by a hash of their content, through a random mark of each: so the choice depends
    /// neither on order nor on cuts, and copies of a row are chosen together.
    fn sample(&self, piece: &Piece<'_>, mark: &[f64], limit: u64, out: &mut LogisticSums) {
        let n = piece.rows.classes.len();
        let chosen: Vec<usize> = if mark.is_empty() {
            (0..n).collect()
        } else {
            let one = Pass { dims: Dims { classes: 2, intercept: false, ..self.dims }, ..*self };
            let marks = one.scores(piece.x, mark);
            (0..n).filter(|&i| hash_row(&[marks[i]], 2) <= limit).collect()
        };
        let weights: Vec<f64> = chosen.iter().map(|&i| piece.rows.weight(i)).collect();
        out.sampled += weights.iter().sum::<f64>();
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        weighted_gram(self.widened(piece.x, &chosen, &roots).view(), None, None, &mut out.grams[0]);
    }

    /// The chosen rows times a factor each, with the constant feature.
    fn widened(&self, x: NumbersRef<'_>, rows: &[usize], factors: &[f64]) -> Mat {
        let mut out = Mat::zeros(rows.len(), self.dims.width());
        for (at, (&i, &factor)) in rows.iter().zip(factors).enumerate() {
            let row = out.row_mut(at);
            match x {
                NumbersRef::Dense(x) => {
                    row.iter_mut().zip(x.row_cow(i).iter()).for_each(|(o, v)| *o = factor * v);
                }
                NumbersRef::Sparse(x) => {
                    let (columns, values) = x.row(i);
                    columns.iter().zip(values).for_each(|(&j, v)| row[j as usize] += factor * v);
                }
            }
            if let (true, Some(last)) = (self.dims.intercept, row.last_mut()) {
                *last = factor;
            }
        }
        out
    }
}
