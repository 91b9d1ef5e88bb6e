//! Early stopping by a loss or metric: on validation rows, on rows set aside, or on the training rows.

use super::loss::Loss;
use super::model::BoostedTrees;
use super::settings::{BoostSettings, Job, Patience};
use super::train::Finished;
use crate::bins::Bins;
use crate::limits::least_rows;
use crate::packed::PackedTrees;
use crate::sorted_columns::{Values, scatter};
use mercer_core::{CountOrShare, Dataset, Error, Input, Result, RowData, Rows, Schema, Session, Target};
use mercer_math::{Mat, Weights, hash_row, seed_for};
use mercer_measure::{Metric, Scored};
use rayon::prelude::*;

/// The stopping metric: the loss, or a metric by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoppingMetric {
    loss: Loss,
    metric: Option<&'static Metric>,
}

impl StoppingMetric {
    /// The value for some rows, the smaller the better: metrics that should be great are negated. Scores are output ×
    /// row.
    pub(crate) fn of(self, y: &[f64], w: Option<&[f64]>, scores: &[f64]) -> Result<f64> {
        let Some(metric) = self.metric else { return Ok(self.loss.mean_loss(y, w, scores)) };
        let (n, k) = (y.len(), self.loss.outputs());
        let mut predicted: Vec<f64> = (0..n * k).map(|p| scores[p % k * n + p / k]).collect();
        self.loss.link(&mut predicted);
        let value = if matches!(self.loss, Loss::Logistic | Loss::Exponential | Loss::Softmax(_)) {
            let truth: Vec<u32> = y.iter().map(|&y| y as u32).collect();
            let softmax = matches!(self.loss, Loss::Softmax(_));
            if !softmax {
                predicted = predicted.iter().flat_map(|&p| [1.0 - p, p]).collect();
            }
            let n_classes = if softmax { k } else { 2 };
            let shares = Mat::from_vec(predicted, n, n_classes);
            let probabilities = shares.as_ref().map(Mat::view);
            let (truth, predicted, scores) = (&truth[..], None, None);
            metric.evaluate(&Scored::Classes { truth, n_classes, predicted, probabilities, scores }, w)?
        } else {
            metric.evaluate(&Scored::Numbers { truth: y, predicted: &predicted }, w)?
        };
        Ok(self.turned(value))
    }

    /// A metric that should be great is negated, and back again.
    fn turned(self, value: f64) -> f64 {
        if self.metric.is_some_and(|m| m.greater_is_better) { -value } else { value }
    }
}

/// Early stopping: the curve of the stopping metric from round to round, and the patience with it.
pub(crate) struct EarlyStopper<'a> {
    what: StoppingMetric,
    patience: Option<Patience>,
    rows: Option<ValidationRows<'a>>,
    session: &'a Session,
    n_features: usize,
    train: Vec<f64>,
    valid: Vec<f64>,
}

/// Validation rows with their scores so far.
struct ValidationRows<'a> {
    input: Input<'a>,
    y: Vec<f64>,
    w: Option<Vec<f64>>,
    /// Output × row.
    scores: Vec<f64>,
    /// Rows of the training data, where they were set aside.
    taken: Vec<u32>,
}

impl<'a> EarlyStopper<'a> {
    pub(crate) fn new(
        job: &Job<'a>,
        settings: &BoostSettings,
        (rows, columns): (&Rows<'_>, &[Values<'_>]),
        session: &'a Session,
    ) -> Result<Self> {
        let patience = settings.patience.filter(|_| settings.loss.has_mean());
        let validation = match (patience, job.data.valid()) {
            (Some(_), Some(valid)) => Some(ValidationRows::given(job, valid, session)?),
            (Some(Patience { fraction: Some(size), .. }), None) => {
                Some(ValidationRows::set_aside(job, size, (rows, columns), session)?)
            }
            _ => None,
        };
        let n_features = columns.len();
        let what = StoppingMetric { loss: settings.loss, metric: patience.and_then(|p| p.metric) };
        Ok(Self {
            what,
            patience,
            rows: validation,
            session,
            n_features,
            train: Vec::new(),
            valid: Vec::new(),
        })
    }

    /// The rows of positive weight that are not set aside, unless that is all of them.
    pub(crate) fn kept(&self, n: usize, weights: Option<&[f64]>) -> Option<Vec<u32>> {
        let taken = self.rows.as_ref().map_or(&[][..], |r| &r.taken);
        if taken.is_empty() && weights.is_none_or(|w| !w.contains(&0.0)) {
            return None;
        }
        let here = |i: &u32| Weights::from(weights).counts(*i as usize) && taken.binary_search(i).is_err();
        Some((0..n as u32).filter(here).collect())
    }

    /// The loss before the first round.
    pub(crate) fn begin(&mut self, start: &[f64], job: &Job<'_>, session: &Session) -> Result<()> {
        let k = self.what.loss.outputs();
        if let Some(rows) = &mut self.rows {
            let n = rows.y.len();
            rows.scores = start.iter().flat_map(|&s| std::iter::repeat_n(s, n)).collect();
            if let Some(before) = job.before {
                let raw = before.raw(&rows.input, session)?;
                rows.scores = (0..n * k).map(|p| raw[p % n * k + p / n]).collect();
            }
            self.valid.push(rows.value(self.what)?);
        }
        Ok(())
    }

    /// The newest loss, or value of the metric.
    pub(crate) fn latest(&self) -> Option<f64> {
        self.valid.last().or(self.train.last()).map(|v| self.what.turned(*v))
    }

    /// Takes in the trees of a round; whether to stop is the answer.
    pub(crate) fn should_stop(
        &mut self,
        newest: &[Finished],
        bins: &Bins,
        train: impl Fn(StoppingMetric) -> Result<f64>,
    ) -> Result<bool> {
        let Some(patience) = self.patience else { return Ok(false) };
        self.train.push(train(self.what)?);
        if let Some(rows) = &mut self.rows {
            let k = newest.len();
            let mut packed = PackedTrees::new(self.n_features, 1, k);
            newest.iter().try_for_each(|tree| tree.pack(bins, &mut packed))?;
            let added = packed.sum(&rows.input, self.session, 0..k)?;
            let n = rows.y.len();
            rows.scores.iter_mut().enumerate().for_each(|(p, score)| *score += added[p % n * k + p / n]);
            self.valid.push(rows.value(self.what)?);
        }
        let scores = if self.rows.is_some() { &self.valid } else { &self.train };
        if scores.len() <= patience.rounds {
            return Ok(false);
        }
        let (old, recent) = scores.split_at(scores.len() - patience.rounds);
        let mark = old.last().copied().unwrap_or(f64::INFINITY) - patience.tol;
        Ok(recent.iter().all(|&s| s >= mark || s.is_nan()))
    }

    /// The number of rounds that were best on validation rows, where there are any.
    pub(crate) fn best_round(&self) -> Option<usize> {
        (0..self.valid.len()).min_by(|&a, &b| self.valid[a].total_cmp(&self.valid[b]))
    }

    /// Losses, or values of the metric, of training and validation rows by round.
    pub(crate) fn into_scores(self) -> (Vec<f64>, Vec<f64>) {
        let plain = |values: Vec<f64>| values.into_iter().map(|v| self.what.turned(v)).collect();
        (plain(self.train), plain(self.valid))
    }
}

impl<'a> ValidationRows<'a> {
    /// The validation rows that the data bring.
    fn given(job: &Job<'_>, valid: &Dataset<'a>, session: &Session) -> Result<Self> {
        let input = Schema::of(job.data).align(job.learner, &valid.input(), session.unseen())?.into_owned();
        let target = valid.need_target(job.learner)?;
        let y = if job.labels.is_empty() { target.numbers()?.to_vec() } else { codes(job, &target)? };
        let (w, scores, taken) = (valid.weights().map(|w| w.to_vec()), Vec::new(), Vec::new());
        if y.is_empty() {
            return Err(Error::too_few(job.learner, "validation rows", 1, 0));
        }
        Ok(Self { input, y, w, scores, taken })
    }

    /// A share of the training rows, drawn by a hash of what they hold, so that neither their order nor copies of them
    /// decide.
    fn set_aside(
        job: &Job<'a>,
        size: CountOrShare,
        (rows, columns): (&Rows<'_>, &[Values<'_>]),
        session: &Session,
    ) -> Result<Self> {
        let seed = seed_for(session.seed(), 0x5E7);
        let hash = |i: usize| match rows.data() {
            RowData::Sparse(m) => {
                let mut row = vec![0.0; columns.len()];
                scatter(m.view(), i, &mut row);
                hash_row(&row, seed)
            }
            _ => hash_row(&columns.iter().map(|c| c.number(i)).collect::<Vec<_>>(), seed),
        };
        let here: Vec<usize> = (0..job.y.len()).filter(|&i| Weights::of(&job.weights).counts(i)).collect();
        let mut keys: Vec<(u64, usize)> = here.par_iter().map(|&i| (hash(i), i)).collect();
        keys.sort_unstable();
        let wanted = least_rows(size, keys.len()).min(keys.len().saturating_sub(1));
        let mut chosen: Vec<usize> = keys[..wanted].iter().map(|k| k.1).collect();
        if chosen.is_empty() {
            return Err(Error::too_few(job.learner, "rows to set some aside", 2, keys.len()));
        }
        chosen.sort_unstable();
        let y = chosen.iter().map(|&i| job.y[i]).collect();
        let w = job.weights.as_ref().map(|w| chosen.iter().map(|&i| w[i]).collect());
        let input = job.data.subset(&chosen)?.input();
        let taken = chosen.iter().map(|&i| i as u32).collect();
        Ok(Self { input, y, w, scores: Vec::new(), taken })
    }

    fn value(&self, what: StoppingMetric) -> Result<f64> {
        what.of(&self.y, self.w.as_deref(), &self.scores)
    }
}

/// The classes of validation rows by the dictionary of training.
fn codes(job: &Job<'_>, target: &Target<'_>) -> Result<Vec<f64>> {
    let (codes, labels) = target.class()?;
    let of = |label| job.labels.iter().position(|l| l == label);
    let map: Vec<Option<usize>> = labels.iter().map(of).collect();
    let one = |(row, &c): (usize, &u32)| match map.get(c as usize).copied().flatten() {
        Some(code) => Ok(code as f64),
        None => Err(Error::shape(
            format!("the class of validation row {row}, below"),
            job.labels.len(),
            c as usize,
        )),
    };
    codes.iter().enumerate().map(one).collect()
}

impl BoostedTrees {
    /// The mean loss of some rows with their targets; of several targets, one after the other, the mean over them.
    pub(crate) fn mean_loss(
        &self,
        input: &Input<'_>,
        y: &[f64],
        weights: Option<&[f64]>,
        session: &Session,
    ) -> Result<f64> {
        let (raw, k, own) = (self.raw(input, session)?, self.outputs(), self.loss.outputs());
        let n = raw.len() / k;
        let scores: Vec<f64> = (0..n * k).map(|p| raw[p % n * k + p / n]).collect();
        let of = |(y, scores): (&[f64], &[f64])| self.loss.mean_loss(y, weights, scores);
        let losses = y.chunks(n.max(1)).zip(scores.chunks((n * own).max(1))).map(of);
        Ok(losses.sum::<f64>() * own as f64 / k as f64)
    }
}
