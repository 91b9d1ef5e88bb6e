//! Learners whose model is made of sums that something else adds up.

/// Implements [`BySums`](mercer_core::sums::BySums) for a learner: sums as the tally makes them, and a model of them at the end.
macro_rules! by_sums {
    ($learner:ident, $sums:ty => $model:ty, $tally:expr, $build:expr) => {
        impl mercer_core::sums::BySums for $learner {
            type State = (usize, usize);
            type Summary = $sums;
            type Local = ();
            type Model = $model;

            fn block_rows(&self, shape: &mercer_core::sums::Shape) -> usize {
                $tally(self).block_rows(shape)
            }
            fn begin(
                &self,
                shape: &mercer_core::sums::Shape,
                session: &mercer_core::Session,
            ) -> mercer_core::Result<Self::State> {
                $tally(self).begin(shape, session)
            }
            fn empty(&self, state: &Self::State) -> Self::Summary {
                $tally(self).empty(state)
            }
            fn absorb(
                &self,
                state: &Self::State,
                block: &mercer_core::sums::Block<'_>,
                local: &mut (),
                summary: &mut Self::Summary,
            ) -> mercer_core::Result<()> {
                $tally(self).absorb(state, block, local, summary)
            }
            fn merge(&self, into: &mut Self::Summary, other: Self::Summary) {
                into.add(&other);
            }
            fn advance(
                &self,
                _: Self::State,
                sums: Self::Summary,
                _: &mercer_core::Session,
            ) -> mercer_core::Result<mercer_core::sums::Round<Self::State, Self::Model>> {
                $build(self, sums).map(mercer_core::sums::Round::Done)
            }
        }
    };
}
pub(super) use by_sums;
