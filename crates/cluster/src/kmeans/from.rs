//! K-means from given first centres.

use super::model::KMeansModel;
use super::state::{KMeansLocal, KMeansState, KMeansSums, Phase};
use super::{KMeans, KMeansRuns};
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{Error, Learn, Params, Result, Session, Termination};
use mercer_math::Mat;

impl KMeans {
    /// Learns from a stream, from the given centres where there are any.
    pub(crate) fn stream(&self, batches: &mut dyn Batches, session: &Session) -> Result<KMeansModel> {
        let can = self.capabilities();
        match self.first_centres(batches.schema()?.n_features())? {
            Some(centres) => {
                let from = From { params: self, centres: &centres };
                sums::fit_stream(Self::NAME, &can, &from, batches, session)
            }
            None => sums::fit_stream(Self::NAME, &can, self, batches, session),
        }
    }

    /// The centres that are given, checked.
    pub(crate) fn first_centres(&self, d: usize) -> Result<Option<Mat>> {
        let Some(given) = &self.centres else { return Ok(None) };
        let whole = given.len() == self.n_clusters && given.iter().all(|centre| centre.len() == d);
        let centres = whole.then(|| Mat::from_fn(self.n_clusters, d, |c, j| given[c][j]));
        let centres = centres.filter(|m| m.view().find_non_finite().is_none());
        let expected = format!("{} finite centres of {d} coordinates", self.n_clusters);
        centres.map(Some).ok_or_else(|| Error::param(Self::NAME, "centres", expected, given.len()))
    }
}

/// [`KMeans`] from given first centres, in one run.
pub(crate) struct From<'a> {
    pub(crate) params: &'a KMeans,
    pub(crate) centres: &'a Mat,
}

impl BySums for From<'_> {
    type State = KMeansState;
    type Summary = KMeansSums;
    type Local = KMeansLocal;
    type Model = KMeansModel;

    fn block_rows(&self, shape: &Shape) -> usize {
        self.params.block_rows(shape)
    }
    fn begin(&self, shape: &Shape, session: &Session) -> Result<KMeansState> {
        self.params.begin(shape, session)
    }
    fn empty(&self, state: &KMeansState) -> KMeansSums {
        self.params.empty(state)
    }
    fn absorb(
        &self,
        s: &KMeansState,
        block: &Block<'_>,
        l: &mut KMeansLocal,
        sums: &mut KMeansSums,
    ) -> Result<()> {
        self.params.absorb(s, block, l, sums)
    }
    fn merge(&self, into: &mut KMeansSums, other: KMeansSums) {
        self.params.merge(into, other);
    }
    fn advance(
        &self,
        s: KMeansState,
        sums: KMeansSums,
        session: &Session,
    ) -> Result<Round<KMeansState, KMeansModel>> {
        let scanned = s.phase == Phase::Scan;
        let one_run = self.params.clone().n_init(KMeansRuns::Count(1));
        let mut round = one_run.advance(s, sums, session)?;
        if let (Round::Go(state), true) = (&mut round, scanned) {
            state.centres = self.centres.clone();
            one_run.start(state);
        }
        Ok(round)
    }
    fn abandon(&self, state: KMeansState, why: Termination) -> Option<KMeansModel> {
        self.params.abandon(state, why)
    }
}
