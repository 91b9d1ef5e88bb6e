//! The gap statistic: how much tighter clusters are than those of rows without any.

use super::{KCriterion, KOptions, Told, WHO, checked};
use mercer_core::{Dataset, Error, ErrorKind, Learner, Result, Session};
use mercer_math::{Mat, Rng, eigh, matmul, uniform};
use rayon::prelude::*;

/// How rows without clusters are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapReference {
    /// Evenly in the box of the rows along their principal axes.
    #[default]
    Principal,
    /// Evenly in the box of the rows along the features.
    Features,
}

/// The gap statistic of each number of clusters (Tibshirani, Walther and Hastie 2001, doi:10.1111/1467-9868.00293).
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The numbers of clusters.
    pub counts: Vec<usize>,
    /// log W: the logarithm of the squared distances of the rows from the means of their clusters.
    pub log_within: Vec<f64>,
    /// The mean of log W over rows without clusters.
    pub expected: Vec<f64>,
    /// The standard deviation of log W over such rows, with the error of their finite number: s_k = sd √(1 + 1/B).
    pub errors: Vec<f64>,
    /// `expected` − `log_within`.
    pub gaps: Vec<f64>,
    /// The smallest k with gap(k) ≥ gap(k+1) − s(k+1).
    pub chosen: Option<usize>,
}

impl Gap {
    /// As one criterion among others.
    pub(super) fn criterion(self, counts: &[usize]) -> KCriterion {
        let rule = "the smallest whose gap is at least that of the next but one standard error";
        let at = |values: &[f64], k: &usize| {
            self.counts.iter().position(|c| c == k).map_or(f64::NAN, |place| values[place])
        };
        KCriterion {
            name: "gap",
            label: "gap statistic",
            rule,
            values: counts.iter().map(|k| at(&self.gaps, k)).collect(),
            errors: Some(counts.iter().map(|k| at(&self.errors, k)).collect()),
            chosen: self.chosen,
        }
    }
}

/// The gap statistic of a learner that is told the number of clusters, on rows of numbers.
pub fn gap_statistic(learner: &dyn Learner, x: &Mat, options: &KOptions, session: &Session) -> Result<Gap> {
    let (told, counts) = (Told::new(learner)?, checked(&options.counts)?);
    if options.references == 0 {
        return Err(Error::param(WHO, "references", "at least 1", 0));
    }
    if x.n_rows() < 2 || x.n_cols() == 0 {
        return Err(Error::too_few(WHO, "rows with a feature", 2, x.n_rows()));
    }
    let box_of = ReferenceBox::new(x, options.reference)?;
    let fits = (options.references + 1) * counts.len();
    let one = |task: usize| -> Result<f64> {
        if session.step("gap statistic", task as u64, Some(fits as u64), None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let (set, k) = (task / counts.len(), counts[task % counts.len()]);
        let own = session.split(1 + task as u64).quiet();
        // The first set is the rows themselves; all numbers of clusters see the same drawn rows.
        let drawn = (set > 0).then(|| box_of.draw(x.n_rows(), &mut session.split(set as u64).rng(1)));
        log_within(&told, k, drawn.as_ref().unwrap_or(x), &own)
    };
    let values =
        session.run(|| (0..fits).into_par_iter().with_max_len(1).map(one).collect::<Result<Vec<_>>>())?;
    Ok(summed(counts, &values, options.references))
}

fn summed(counts: Vec<usize>, values: &[f64], references: usize) -> Gap {
    let (m, b) = (counts.len(), references as f64);
    let of = |k: usize| (1..=references).map(move |set| values[set * m + k]);
    let log_within = values[..m].to_vec();
    let expected: Vec<f64> = (0..m).map(|k| of(k).sum::<f64>() / b).collect();
    let spread = |k: usize| (of(k).map(|v| (v - expected[k]).powi(2)).sum::<f64>() / b).sqrt();
    let errors: Vec<f64> = (0..m).map(|k| spread(k) * (1.0 + 1.0 / b).sqrt()).collect();
    let gaps: Vec<f64> = expected.iter().zip(&log_within).map(|(e, w)| e - w).collect();
    // The last number has no next one: it is chosen where none before it is.
    let enough = |k: usize| k + 1 == m || gaps[k] >= gaps[k + 1] - errors[k + 1];
    let chosen = (0..m).find(|&k| gaps[k].is_finite() && enough(k)).map(|k| counts[k]);
    Gap { counts, log_within, expected, errors, gaps, chosen }
}

/// log W of the clusters that a learner finds in rows; where it finds fewer than asked for, those that it finds count.
fn log_within(told: &Told<'_>, k: usize, x: &Mat, session: &Session) -> Result<f64> {
    let model = told.with(k)?.train(&Dataset::new(x), session)?;
    let prediction = model.predict(&x.into(), session)?;
    let codes = prediction.class()?.0;
    Ok(within(x, codes).ln())
}

/// The squared distances of rows from the means of their clusters.
fn within(x: &Mat, codes: &[u32]) -> f64 {
    let (k, d) = (codes.iter().max().map_or(0, |c| *c as usize + 1), x.n_cols());
    let (mut means, mut sizes) = (Mat::zeros(k, d), vec![0.0; k]);
    for (i, &c) in codes.iter().enumerate() {
        sizes[c as usize] += 1.0;
        let share = 1.0 / sizes[c as usize];
        means.row_mut(c as usize).iter_mut().zip(x.row(i)).for_each(|(m, v)| *m += share * (v - *m));
    }
    codes.iter().enumerate().map(|(i, &c)| mercer_math::sq_dist(x.row(i), means.row(c as usize))).sum()
}

/// The box that rows without clusters are drawn in.
struct ReferenceBox {
    origin: Vec<f64>,
    /// The axes, one a column; none for the features themselves.
    axes: Option<Mat>,
    ranges: Vec<(f64, f64)>,
}

impl ReferenceBox {
    fn new(x: &Mat, reference: GapReference) -> Result<Self> {
        let (n, d) = (x.n_rows(), x.n_cols());
        let origin: Vec<f64> = mercer_math::ColumnMoments::of(x.view(), None).means();
        let centred = Mat::from_fn(n, d, |i, j| x[(i, j)] - origin[j]);
        let axes = match reference {
            GapReference::Features => None,
            GapReference::Principal => {
                let products = matmul(centred.view().t(), centred.view());
                let eigen = eigh(&products)
                    .ok_or_else(|| Error::numeric(WHO, "values too large for products: scale them"))?;
                Some(eigen.vectors)
            }
        };
        let turned = axes.as_ref().map_or_else(|| centred.clone(), |a| matmul(centred.view(), a.view()));
        let range = |j: usize| {
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            (0..n).fold(ends, |(a, b), i| (a.min(turned[(i, j)]), b.max(turned[(i, j)])))
        };
        Ok(Self { origin, ranges: (0..turned.n_cols()).map(range).collect(), axes })
    }

    fn draw(&self, n: usize, rng: &mut Rng) -> Mat {
        let d = self.ranges.len();
        let mut drawn = Mat::zeros(n, d);
        for i in 0..n {
            let row = drawn.row_mut(i).iter_mut().zip(&self.ranges);
            row.for_each(|(v, (low, high))| *v = low + uniform(rng) * (high - low));
        }
        let back = match &self.axes {
            Some(axes) => matmul(drawn.view(), axes.view().t()),
            None => drawn,
        };
        Mat::from_fn(n, self.origin.len(), |i, j| back[(i, j)] + self.origin[j])
    }
}
