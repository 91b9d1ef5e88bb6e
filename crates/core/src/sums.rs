//! Learning by sums: one definition, three scales.
//!
//! Least squares, principal components, logistic regression, k-means and scaling need the data only through
//! sums over rows. Such a learner implements [`BySums`] once, and runs on threads in memory ([`fit`]),
//! streams over files larger than memory ([`fit_stream`]), or over partitions whose summaries travel as bytes
//! ([`fit_partitions`]). Blocks of a fixed size are merged in a tree fixed by their number, so that the first
//! two give identical bits on any number of threads; partitions cut elsewhere agree to rounding.

use crate::abilities::Capabilities;
use crate::certificate::Termination;
use crate::check_data;
use crate::data_kinds::{Input, Numbers, NumbersRef};
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::Schema;
use crate::session::Session;
use crate::target::{Labels, Target};
use mercer_math::{BLOCK_ROWS, Mat, MatRef, StreamReducer, Weights};
use serde::{Serialize, de::DeserializeOwned};

/// A learner that needs its data only through mergeable summaries.
pub trait BySums: Sync {
    /// What every worker needs to know in a round.
    type State: Serialize + DeserializeOwned + Clone + Send + Sync;
    /// What one block contributes.
    type Summary: Serialize + DeserializeOwned + Send;
    /// State of a block's rows that lives between rounds and can be rebuilt from `State` when it is empty.
    type Local: Default + Send;
    /// What is learnt.
    type Model: Send;

    /// Rows in a block; a function of the shape alone, so that results do not depend on threads.
    fn block_rows(&self, _shape: &Shape) -> usize {
        BLOCK_ROWS
    }
    /// The state of the first round.
    fn begin(&self, shape: &Shape, session: &Session) -> Result<Self::State>;
    /// The zero of merging.
    fn empty(&self, state: &Self::State) -> Self::Summary;
    /// Adds a block to a summary.
    fn absorb(
        &self,
        state: &Self::State,
        block: &Block<'_>,
        local: &mut Self::Local,
        summary: &mut Self::Summary,
    ) -> Result<()>;
    /// Adds a summary to another.
    fn merge(&self, into: &mut Self::Summary, other: Self::Summary);
    /// Ends a round.
    fn advance(
        &self,
        state: Self::State,
        summary: Self::Summary,
        session: &Session,
    ) -> Result<Round<Self::State, Self::Model>>;
    /// The best model so far when the work is stopped between rounds; `None` where there is none yet.
    fn abandon(&self, _state: Self::State, _why: Termination) -> Option<Self::Model> {
        None
    }
}

/// What a round leads to.
#[derive(Debug)]
pub enum Round<S, M> {
    /// Another round.
    Go(S),
    /// The end.
    Done(M),
}

/// What is known of the data before they are seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Number of features.
    pub n_features: usize,
    /// Number of real targets.
    pub n_targets: usize,
    /// Number of classes.
    pub n_classes: usize,
    /// The classes, where there are any.
    pub labels: Option<Labels>,
    /// Whether rows are sparse.
    pub sparse: bool,
    /// Number of rows, where it is known.
    pub n_rows: Option<usize>,
}

/// Some consecutive rows.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The features.
    pub x: NumbersRef<'a>,
    /// The real targets, one column each (no columns where there are none).
    pub targets: MatRef<'a>,
    /// The class of each row (empty where there are none).
    pub classes: &'a [u32],
    /// The weight of each row.
    pub weights: Weights<'a>,
}

impl<'a> Block<'a> {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.x.n_rows()
    }

    /// The weight of row `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights[i]
    }

    /// The features as a dense view; sparse rows go through `scratch`.
    pub fn dense<'s>(&self, scratch: &'s mut Mat) -> MatRef<'s>
    where
        'a: 's,
    {
        match self.x {
            NumbersRef::Dense(x) => x,
            NumbersRef::Sparse(x) => {
                *scratch = x.to_dense();
                scratch.view()
            }
        }
    }
}

/// The data of a fit, converted once: numbers, targets, weights.
struct Source<'a> {
    x: Numbers<'a>,
    targets: Mat,
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    shape: Shape,
}

impl<'a> Source<'a> {
    fn new(name: &str, data: &Dataset<'a>) -> Result<Self> {
        let x = data.numbers(name)?;
        let (targets, classes, n_classes) = match data.target() {
            Some(target) => split_target(&target)?,
            None => (Mat::zeros(data.n_rows(), 0), Vec::new(), 0),
        };
        let weights = data.weights().map(|w| w.into_owned());
        let shape = Shape {
            n_features: x.view().n_cols(),
            n_targets: targets.n_cols(),
            n_classes,
            labels: data.labels().cloned(),
            sparse: matches!(x, Numbers::Sparse(_)),
            n_rows: Some(data.n_rows()),
        };
        Ok(Self { x, targets, classes, weights, shape })
    }

    fn block(&self, range: std::ops::Range<usize>) -> Block<'_> {
        Block {
            x: self.x.view().rows(range.clone()),
            targets: self.targets.view().rows(range.clone()),
            classes: self.classes.get(range.clone()).unwrap_or(&[]),
            weights: Weights::of(&self.weights).rows(range),
        }
    }
}

fn split_target(target: &Target<'_>) -> Result<(Mat, Vec<u32>, usize)> {
    if let Ok((codes, labels)) = target.class() {
        return Ok((Mat::zeros(codes.len(), 0), codes.to_vec(), labels.len()));
    }
    let columns = (0..target.n_columns()).map(|k| target.numbers_of(k)).collect::<Result<Vec<_>>>()?;
    let mat = Mat::from_fn(target.n_rows(), columns.len(), |i, k| columns[k][i]);
    Ok((mat, Vec::new(), 0))
}

/// Learns in memory, on the threads of the current pool.
pub fn fit<L: BySums>(name: &str, learner: &L, data: &Dataset<'_>, session: &Session) -> Result<L::Model> {
    let source = Source::new(name, data)?;
    let size = learner.block_rows(&source.shape).max(1);
    let mut locals: Vec<L::Local> = Vec::new();
    locals.resize_with(data.n_rows().div_ceil(size), L::Local::default);
    rounds(learner, &source.shape, session, |state| {
        Ok(reduce(learner, state, &source, size, 0, &mut locals, session)
            .transpose()?
            .unwrap_or_else(|| learner.empty(state)))
    })
}

/// Runs rounds until the learner is done or the session stops it. Streams and partitions are read on the caller's thread: what the learner does
/// runs in the session's pool all the same.
fn rounds<L: BySums>(
    learner: &L,
    shape: &Shape,
    session: &Session,
    mut pass: impl FnMut(&L::State) -> Result<L::Summary>,
) -> Result<L::Model> {
    let mut state = session.run(|| learner.begin(shape, session))?;
    for round in 0.. {
        let stop = session.step("round", round, None, None);
        let summary = match stop {
            Some(why) => Err(why),
            None => pass(&state).map(Ok).or_else(|e| match (e.kind(), session.interrupted()) {
                (ErrorKind::Cancelled, Some(why)) => Ok(Err(why)),
                _ => Err(e),
            })?,
        };
        match summary {
            Err(why) => return learner.abandon(state, why).ok_or_else(|| ErrorKind::Cancelled.into()),
            Ok(summary) => match session.run(|| learner.advance(state, summary, session))? {
                Round::Go(next) => state = next,
                Round::Done(model) => return Ok(model),
            },
        }
    }
    unreachable!("the loop above has no end of its own")
}

/// The summary of the blocks from `first` on, one for each of `locals`; `None` where there is no block.
/// Splits at the largest power of two below the number of blocks, as [`StreamReducer`] does.
fn reduce<L: BySums>(
    learner: &L,
    state: &L::State,
    source: &Source<'_>,
    size: usize,
    first: usize,
    locals: &mut [L::Local],
    session: &Session,
) -> Option<Result<L::Summary>> {
    match locals {
        [] => None,
        [local] => Some((|| {
            if session.interrupted().is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            let end = ((first + 1) * size).min(source.shape.n_rows.unwrap_or(0));
            let mut summary = learner.empty(state);
            learner.absorb(state, &source.block(first * size..end), local, &mut summary)?;
            Ok(summary)
        })()),
        many => {
            let middle = many.len().next_power_of_two() / 2;
            let (left, right) = many.split_at_mut(middle);
            let (a, b) = rayon::join(
                || reduce(learner, state, source, size, first, left, session),
                || reduce(learner, state, source, size, first + middle, right, session),
            );
            Some(a.into_iter().chain(b).reduce(|a, b| {
                let (mut a, b) = (a?, b?);
                learner.merge(&mut a, b);
                Ok(a)
            })?)
        }
    }
}

/// A source of batches that can be read again from its start, such as a file larger than memory.
pub trait Batches {
    /// The schema of all batches: features, targets and the dictionary of classes.
    fn schema(&mut self) -> Result<Schema>;
    /// The next batch; `None` at the end.
    fn next_batch(&mut self) -> Result<Option<Dataset<'static>>>;
    /// Back to the start.
    fn rewind(&mut self) -> Result<()>;
}

/// Learns from a stream, with the same bits as [`fit`] on the same rows; O(log n) summaries are alive.
pub fn fit_stream<L: BySums>(
    name: &str,
    can: &Capabilities,
    learner: &L,
    batches: &mut dyn Batches,
    session: &Session,
) -> Result<L::Model> {
    let schema = batches.schema()?;
    let n_classes = schema.labels().map_or(0, |l| l.len());
    let n_targets = if n_classes > 0 { 0 } else { schema.targets.len() };
    let shape = Shape {
        n_features: schema.n_features(),
        n_targets,
        n_classes,
        labels: schema.labels().cloned(),
        sparse: false,
        n_rows: None,
    };
    let size = learner.block_rows(&shape).max(1);
    rounds(learner, &shape, session, |state| {
        batches.rewind()?;
        let merge = |mut a: L::Summary, b| {
            learner.merge(&mut a, b);
            a
        };
        let mut reducer = StreamReducer::new();
        let mut pending = Pending::new(&shape);
        while let Some(batch) = batches.next_batch()? {
            if session.interrupted().is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            session.run(|| check_data::values(name, can, batch.whole_input()))?;
            pending.push(name, &batch)?;
            while pending.len() >= size {
                reducer.push(session.run(|| pending.summarise(learner, state, size))?, merge);
            }
        }
        if pending.len() > 0 {
            let rest = pending.len();
            reducer.push(session.run(|| pending.summarise(learner, state, rest))?, merge);
        }
        let total = reducer.finish(merge);
        total.ok_or_else(|| Error::too_few(name, "rows", 1, 0))
    })
}

/// Rows read but not yet summarised.
struct Pending {
    x: Vec<f64>,
    targets: Vec<f64>,
    classes: Vec<u32>,
    weights: Vec<f64>,
    weighted: bool,
    n_rows: usize,
    n_features: usize,
    n_targets: usize,
}

impl Pending {
    fn new(shape: &Shape) -> Self {
        let (x, targets, classes, weights) = Default::default();
        let Shape { n_features, n_targets, .. } = *shape;
        Self { x, targets, classes, weights, weighted: false, n_rows: 0, n_features, n_targets }
    }

    fn len(&self) -> usize {
        self.n_rows
    }

    fn push(&mut self, name: &str, batch: &Dataset<'static>) -> Result<()> {
        let x = batch.dense(name)?;
        let x = x.view();
        for i in 0..x.n_rows() {
            self.x.extend_from_slice(&x.row_cow(i));
        }
        if let Some(target) = batch.target() {
            match target.class() {
                Ok((codes, _)) => self.classes.extend_from_slice(codes),
                Err(_) => {
                    let (mat, _, _) = split_target(&target)?;
                    self.targets.extend_from_slice(mat.as_slice());
                }
            }
        }
        match batch.weights() {
            Some(w) => {
                self.weighted = true;
                self.weights.extend_from_slice(&w);
            }
            None => self.weights.resize(self.n_rows + x.n_rows(), 1.0),
        }
        self.n_rows += x.n_rows();
        Ok(())
    }

    /// Takes the first `size` rows away and summarises them.
    fn summarise<L: BySums>(&mut self, learner: &L, state: &L::State, size: usize) -> Result<L::Summary> {
        let take = |v: &mut Vec<f64>, n: usize| v.drain(..n).collect::<Vec<f64>>();
        let x = take(&mut self.x, size * self.n_features);
        let targets = take(&mut self.targets, size * self.n_targets);
        let weights = take(&mut self.weights, size);
        let n_classes = size.min(self.classes.len());
        let classes: Vec<u32> = self.classes.drain(..n_classes).collect();
        self.n_rows -= size;
        let shape_error = || Error::shape("rows of a batch", size, n_classes);
        let block = Block {
            x: NumbersRef::Dense(MatRef::row_major(&x, size, self.n_features).ok_or_else(shape_error)?),
            targets: MatRef::row_major(&targets, size, self.n_targets).ok_or_else(shape_error)?,
            classes: &classes,
            weights: self.weighted.then_some(weights.as_slice()).into(),
        };
        let mut summary = learner.empty(state);
        learner.absorb(state, &block, &mut L::Local::default(), &mut summary)?;
        Ok(summary)
    }
}

/// Learns over partitions as a distributed engine would: each summarises its own rows, and states and
/// summaries travel as bytes.
pub fn fit_partitions<L: BySums>(
    name: &str,
    learner: &L,
    partitions: &[Dataset<'_>],
    session: &Session,
) -> Result<L::Model> {
    let sources = partitions.iter().map(|p| Source::new(name, p)).collect::<Result<Vec<_>>>()?;
    let Some(first) = sources.first() else { return Err(Error::too_few(name, "partitions", 1, 0)) };
    let shape = Shape { n_rows: None, ..first.shape.clone() };
    let size = learner.block_rows(&shape).max(1);
    let travel = |e: postcard::Error| Error::format(format!("a summary of {name}: {e}"));
    rounds(learner, &shape, session, |state| {
        let state_bytes = postcard::to_stdvec(state).map_err(travel)?;
        let mut total: Option<L::Summary> = None;
        for source in &sources {
            let state: L::State = postcard::from_bytes(&state_bytes).map_err(travel)?;
            let mut locals: Vec<L::Local> = Vec::new();
            locals.resize_with(source.shape.n_rows.unwrap_or(0).div_ceil(size), L::Local::default);
            let summary = session.run(|| reduce(learner, &state, source, size, 0, &mut locals, session));
            let Some(summary) = summary else { continue };
            let bytes = postcard::to_stdvec(&summary?).map_err(travel)?;
            let summary: L::Summary = postcard::from_bytes(&bytes).map_err(travel)?;
            match &mut total {
                Some(total) => learner.merge(total, summary),
                None => total = Some(summary),
            }
        }
        total.ok_or_else(|| Error::too_few(name, "rows", 1, 0))
    })
}

/// Batches from memory: a data set cut into pieces of `batch_rows`.
#[derive(Debug)]
pub struct MemoryBatches<'a> {
    data: &'a Dataset<'a>,
    batch_rows: usize,
    at: usize,
}

impl<'a> MemoryBatches<'a> {
    /// Cuts `data`.
    pub fn new(data: &'a Dataset<'a>, batch_rows: usize) -> Self {
        Self { data, batch_rows: batch_rows.max(1), at: 0 }
    }
}

impl Batches for MemoryBatches<'_> {
    fn schema(&mut self) -> Result<Schema> {
        Ok(Schema::of(self.data))
    }
    fn next_batch(&mut self) -> Result<Option<Dataset<'static>>> {
        let end = (self.at + self.batch_rows).min(self.data.n_rows());
        if self.at == end {
            return Ok(None);
        }
        let rows: Vec<usize> = (self.at..end).collect();
        self.at = end;
        owned(&self.data.subset(&rows)?).map(Some)
    }
    fn rewind(&mut self) -> Result<()> {
        self.at = 0;
        Ok(())
    }
}

/// A copy of the rows of a view that borrows nothing.
fn owned(view: &Dataset<'_>) -> Result<Dataset<'static>> {
    let rows: Vec<usize> = (0..view.n_rows()).collect();
    let input: Input<'static> = match view.input() {
        Input::Rows(rows_in) => Input::Rows(rows_in.gather(&rows)),
        other @ (Input::Strings(_)
        | Input::Density(_)
        | Input::Mdp(_)
        | Input::States(_)
        | Input::Series(_)
        | Input::Graphs(_)
        | Input::Environment(_)) => {
            return Err(Error::incapable(&other.kind().to_string(), "be streamed"));
        }
    };
    let mut out = Dataset::new(input);
    if let Some(target) = view.target() {
        out = out.with_target(target.gather(&rows))?;
    }
    if let Some(weights) = view.weights() {
        out = out.with_weights(weights.into_owned())?;
    }
    Ok(out)
}
