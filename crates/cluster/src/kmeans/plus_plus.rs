//! The rows at which k-means begins, by themselves.

use super::KMeans;
use super::model::by_blocks;
use super::state::{KMeansLocal, KMeansState, KMeansSums, Phase};
use mercer_core::sums::{self, Block, BySums, Round, Shape};
use mercer_core::{Dataset, Error, Learn, Result, Session};
use mercer_math::{Mat, hash_row};
use std::collections::HashMap;

/// Rows far from each other, by greedy k-means++: the rows, and where they stand first. Of `trials` rows that are drawn for a centre the
/// one is kept that lowers the inertia the most; 2 + ln k of them where nothing is said. Where there are fewer different rows than
/// `n_clusters`, some occur again.
pub fn kmeans_plusplus(
    data: &Dataset<'_>,
    n_clusters: usize,
    trials: Option<usize>,
    session: &Session,
) -> Result<(Mat, Vec<usize>)> {
    if trials == Some(0) {
        return Err(Error::param("kmeans_plusplus", "trials", "at least 1", 0));
    }
    let params = KMeans::default().n_clusters(n_clusters);
    params.check()?;
    let seeds = sums::fit("kmeans_plusplus", &Seeds { params: &params, trials }, data, session)?;
    let places = places(data, &seeds)?;
    Ok((seeds, places))
}

/// Where each seed stands first among the rows.
fn places(data: &Dataset<'_>, seeds: &Mat) -> Result<Vec<usize>> {
    let mut wanted: HashMap<u64, Vec<usize>> = HashMap::new();
    (0..seeds.n_rows()).for_each(|c| wanted.entry(hash_row(seeds.row(c), 0)).or_default().push(c));
    let (numbers, d) = (data.numbers("kmeans_plusplus")?, seeds.n_cols());
    let mut hashes = vec![None; data.n_rows()];
    by_blocks(numbers.view(), 1, &mut hashes, |x, _, out| {
        for (row, out) in x.chunks_exact(d).zip(out) {
            let hash = hash_row(row, 0);
            let same =
                wanted.get(&hash).is_some_and(|seeds_of| seeds_of.iter().any(|&c| seeds.row(c) == row));
            *out = same.then_some(hash);
        }
    });
    let mut places = vec![usize::MAX; seeds.n_rows()];
    for (i, hash) in hashes.into_iter().enumerate() {
        for &c in hash.and_then(|hash| wanted.get(&hash)).into_iter().flatten() {
            places[c] = places[c].min(i);
        }
    }
    Ok(places)
}

/// [`KMeans`] as far as its first centres.
struct Seeds<'a> {
    params: &'a KMeans,
    trials: Option<usize>,
}

impl BySums for Seeds<'_> {
    type State = KMeansState;
    type Summary = KMeansSums;
    type Local = KMeansLocal;
    type Model = Mat;

    fn block_rows(&self, shape: &Shape) -> usize {
        self.params.block_rows(shape)
    }
    fn begin(&self, shape: &Shape, session: &Session) -> Result<KMeansState> {
        let state = self.params.begin(shape, session)?;
        Ok(KMeansState { trials: self.trials.unwrap_or(state.trials), ..state })
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
    ) -> Result<Round<KMeansState, Mat>> {
        Ok(match self.params.advance(s, sums, session)? {
            Round::Go(state) if state.phase == Phase::Iterate => Round::Done(state.centres),
            Round::Go(state) => Round::Go(state),
            Round::Done(model) => Round::Done(model.centres),
        })
    }
}
