//! Learners that need centred moments alone, in one round of sums.

use mercer_core::sums::{Block, BySums, Round, Shape};
use mercer_core::{CrossMoments, Result, Session};
use mercer_math::symmetrise;

/// What is made of the moments of all rows, about their means where there is an intercept, else about zero; beside them
/// the means of the features.
pub(crate) struct OnMoments<'a, M> {
    pub(crate) fit_intercept: bool,
    pub(crate) finish: &'a (dyn Fn(&CrossMoments, Vec<f64>, &Session) -> Result<M> + Sync),
}

impl<M: Send> BySums for OnMoments<'_, M> {
    type State = (usize, usize);
    type Summary = CrossMoments;
    type Local = ();
    type Model = M;

    fn begin(&self, shape: &Shape, _: &Session) -> Result<Self::State> {
        Ok((shape.n_features, shape.n_targets))
    }

    fn empty(&self, &(n_features, n_targets): &Self::State) -> CrossMoments {
        CrossMoments::empty(n_features, n_targets)
    }

    fn absorb(&self, _: &Self::State, block: &Block<'_>, _: &mut (), summary: &mut CrossMoments) -> Result<()> {
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
        let mut moments = if self.fit_intercept { moments } else { moments.about_zero() };
        symmetrise(&mut moments.xx);
        (self.finish)(&moments, means, session).map(Round::Done)
    }
}
