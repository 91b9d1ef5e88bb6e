//! Learners that need centred moments alone, in one round of sums.

use mercer_core::sums::{Block, BySums, Round, Shape};
use mercer_core::{CrossMoments, Result, Session};
use mercer_math::symmetrise;

/// A learner that makes its model of moments.
pub(crate) trait FromMoments: Sync {
    /// What is learnt.
    type Made: Send;
    /// Whether moments are about the means, else about zero.
    fn about_means(&self) -> bool;
    /// The model of the moments of all rows, beside the means of the features and the variance of the target about its own.
    fn finish(&self, moments: &CrossMoments, about: (Vec<f64>, f64), session: &Session)
    -> Result<Self::Made>;
}

/// Such a learner, by sums.
pub(crate) struct OnMoments<'a, L>(pub(crate) &'a L);

impl<L: FromMoments> BySums for OnMoments<'_, L> {
    type State = (usize, usize);
    type Summary = CrossMoments;
    type Local = ();
    type Model = L::Made;

    fn begin(&self, shape: &Shape, _: &Session) -> Result<Self::State> {
        Ok((shape.n_features, shape.n_targets))
    }

    fn empty(&self, &(n_features, n_targets): &Self::State) -> CrossMoments {
        CrossMoments::empty(n_features, n_targets)
    }

    fn absorb(
        &self,
        _: &Self::State,
        block: &Block<'_>,
        _: &mut (),
        summary: &mut CrossMoments,
    ) -> Result<()> {
        summary.merge(CrossMoments::of_block(block));
        Ok(())
    }

    fn merge(&self, into: &mut CrossMoments, other: CrossMoments) {
        into.merge(other);
    }

    fn advance(
        &self,
        _: Self::State,
        moments: CrossMoments,
        session: &Session,
    ) -> Result<Round<Self::State, Self::Model>> {
        let means = moments.mean_x.clone();
        let spread = moments.yy.first().map_or(0.0, |yy| yy / moments.weight);
        let mut moments = if self.0.about_means() { moments } else { moments.about_zero() };
        symmetrise(&mut moments.xx);
        self.0.finish(&moments, (means, spread), session).map(Round::Done)
    }
}
