//! What a learner takes, what its models give, and the laws they keep: one table. What a model gives is an object that
//! it hands out ([`Abilities`]), so that the contract does not grow with what models can do.
//!
//! Adding an ability: its trait in a file of this folder, with the question on [`Asked`](crate::Asked) and the answer
//! of a [`NestedModel`](crate::NestedModel); one line under `gives` below; its mixin in Python.

mod decision;
mod density;
mod explain;
mod intervals;
mod joint;
mod members;
mod neighbours;
mod policy;
mod proba;
mod spread;
mod summary;
mod topics;
mod transform;
mod trees;

pub use decision::Decision;
pub use density::{Densities, Samples};
pub use explain::{Contributions, Explainer, Interactions, MappedExplainer, OutputMap, Outputs};
pub use intervals::{Intervals, Quantiles};
pub use joint::Joint;
pub use members::Members;
pub use neighbours::Neighbours;
pub use policy::Policy;
pub use proba::Proba;
pub use spread::{PredictiveSpread, Spread};
pub use summary::{Influence, Statistic, Summarised, Summary, SummaryRow};
pub use topics::{FoundTopics, Topics};
pub(crate) use transform::named;
pub use transform::{Inverse, Transformer};
pub use trees::{TreeBranch, TreeNode, Trees};

use crate::catalogue;
use crate::contract::Model;
use crate::error::{Error, ErrorKind};
use crate::nested::NestedModel;

macro_rules! capabilities {
    (
        takes { $($(#[$takes_doc:meta])* $takes:ident,)* }
        gives { $($(#[$gives_doc:meta])* $gives:ident: $object:ident, $phrase:literal;)* }
        keeps { $($(#[$keeps_doc:meta])* $keeps:ident,)* }
    ) => {
        /// What a learner takes, what its models give, and the laws that it keeps; the contract suite holds it to each.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Capabilities {
            $($(#[$gives_doc])* pub $gives: bool,)*
            $($(#[$takes_doc])* pub $takes: bool,)*
            $($(#[$keeps_doc])* pub $keeps: bool,)*
        }

        impl Capabilities {
            /// Nothing at all.
            pub const NONE: Self = Self {
                $($gives: false,)*
                $($takes: false,)*
                $($keeps: false,)*
            };
            /// What is taken, by name.
            pub const TAKES: &[&str] = &[$(stringify!($takes)),*];
            /// What is given, by name.
            pub const GIVES: &[&str] = &[$(stringify!($gives)),*];
            /// What is kept, by name.
            pub const KEEPS: &[&str] = &[$(stringify!($keeps)),*];

            /// The names of what is true: what is given, taken, kept.
            pub fn names(&self) -> Vec<&'static str> {
                let all = [
                    $((stringify!($gives), self.$gives),)*
                    $((stringify!($takes), self.$takes),)*
                    $((stringify!($keeps), self.$keeps),)*
                ];
                all.into_iter().filter(|(_, yes)| *yes).map(|(name, _)| name).collect()
            }

            /// Whether the one of this name is true; `None` where there is none of this name.
            pub fn has(&self, name: &str) -> Option<bool> {
                match name {
                    $(stringify!($gives) => Some(self.$gives),)*
                    $(stringify!($takes) => Some(self.$takes),)*
                    $(stringify!($keeps) => Some(self.$keeps),)*
                    _ => None,
                }
            }

            /// The same takings and laws with nothing given.
            #[must_use]
            pub fn giving_nothing(self) -> Self {
                Self { $($gives: false,)* ..self }
            }
        }

        /// What a model can be asked for beyond its prediction: an object for each ability that it has.
        ///
        /// The objects want rows that are aligned to the schema and checked: [`Model::on`] makes such rows and asks.
        #[derive(Clone, Copy, Default)]
        pub struct Abilities<'m> {
            $($(#[$gives_doc])* pub $gives: Option<&'m dyn $object>,)*
            /// The model that answers everything in this one's place, and the steps that make its rows.
            pub route: Option<Route<'m>>,
        }

        impl Abilities<'_> {
            /// The capabilities with what is given read from these objects.
            pub(crate) fn given(&self, learner: Capabilities) -> Capabilities {
                Capabilities { $($gives: self.$gives.is_some(),)* ..learner }
            }
        }

        impl NestedModel {
            /// The abilities of the model inside as objects that prepare the rows themselves, for wrappers that pass
            /// their rows on unchanged.
            pub fn abilities(&self) -> Abilities<'_> {
                let can = self.0.can();
                Abilities {
                    $($gives: can.$gives.then_some(self as &dyn $object),)*
                    ..Abilities::default()
                }
            }
        }

        /// What a model without an ability cannot do, in words.
        pub(crate) fn phrase(ability: &str) -> &'static str {
            match ability {
                $(stringify!($gives) => $phrase,)*
                _ => "do this",
            }
        }
    };
}

capabilities! {
    takes {
        /// `fit` honours sample weights.
        weights,
        /// Sparse rows are taken without making them dense.
        sparse,
        /// Missing values are taken.
        missing,
        /// Categorical columns are taken.
        categorical,
        /// Text columns are taken.
        text,
        /// Columns of dates and times are taken.
        times,
        /// A transformer that learns from the target, too.
        supervised,
        /// Takes a target of exactly two classes.
        binary,
        /// Several targets at once.
        multi_output,
        /// Learns by sums: in memory, streamed, or distributed.
        by_sums,
        /// Wants its columns on one scale, since it measures distances or penalises coefficients.
        scaled,
        /// Takes no negative values.
        nonnegative,
        /// Wants counts as they are: texts become counts of their words, and nothing is scaled.
        counts,
        /// A fitted model goes on learning from more rows (`partial_fit`).
        resumes,
    }
    gives {
        /// Class probabilities.
        proba: Proba, "give probabilities";
        /// Decision values.
        decision: Decision, "give decision values";
        /// Joint probabilities of rows and classes, in logarithms.
        joint: Joint, "give joint probabilities";
        /// Prediction intervals.
        intervals: Intervals, "give prediction intervals";
        /// Quantiles of the answer.
        quantiles: Quantiles, "give quantiles";
        /// A predictive distribution: mean, and variance for want of data and by noise.
        spread: Spread, "give a predictive distribution";
        /// A statistical summary: standard errors, tests, confidence intervals.
        summary: Summarised, "give a statistical summary";
        /// Transformed rows.
        transform: Transformer, "transform";
        /// The rows that would be transformed into given ones.
        inverse: Inverse, "be inverted";
        /// Exact contributions of the features.
        explain: Explainer, "explain itself by exact contributions";
        /// Exact contributions to a function of what the model says.
        explain_mapped: MappedExplainer, "be explained through a function of what it says";
        /// Decision trees.
        trees: Trees, "show its trees";
        /// The models that it is made of.
        members: Members, "hand out its members";
        /// The nearest of the rows learnt from.
        neighbours: Neighbours, "find neighbours";
        /// The logarithm of the density at rows.
        density: Densities, "give densities";
        /// New rows, drawn from what was learnt.
        sample: Samples, "draw rows";
        /// What to do in an environment.
        policy: Policy, "act";
        /// Topics: shares of the features that rows of counts are mixtures of.
        topics: Topics, "show topics";
    }
    keeps {
        /// What `fit` makes of its own rows is not what `transform` would: no row helped to make its own value.
        cross_fits,
        /// Classes are cut at a threshold of the model's own, and need not be the most probable ones.
        thresholded,
        /// A weight of 2 is not the same as two copies, since the learner counts rows.
        counts_rows,
        /// The result depends on the order of the rows.
        ordered,
        /// Other results for another seed.
        random,
        /// What comes out of its transformation has no missing values.
        fills,
        /// What comes out of its transformation is all numbers.
        encodes,
        /// Looks at the target alone: a baseline for whoever looks at the features, too.
        blind,
        /// Its penalty is an L1 norm alone, which sets coefficients to exactly zero.
        zeroes,
    }
}

/// The way to the model that answers in another's place.
#[derive(Clone, Copy, Debug)]
pub struct Route<'m> {
    /// The steps that make its rows, by name, the first one first.
    pub steps: &'m [(String, NestedModel)],
    /// The model that answers.
    pub last: &'m dyn Model,
}

impl<'m> Abilities<'m> {
    /// The abilities of a model that answers behind some steps, which prepare its rows.
    pub fn behind(steps: &'m [(String, NestedModel)], last: &'m dyn Model) -> Self {
        let own = last.abilities();
        // Rows are led back through all steps, or not at all.
        let inverse = own.inverse.filter(|_| steps.iter().all(|(_, step)| step.0.can().inverse));
        Self { inverse, route: Some(Route { steps, last }), ..own }
    }
}

impl std::fmt::Debug for Abilities<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.given(Capabilities::default()).names()).finish()
    }
}

/// The model that answers for `model`: itself, or the last one behind its steps.
pub(crate) fn answering(model: &dyn Model) -> &dyn Model {
    model.abilities().route.map_or(model, |route| answering(route.last))
}

/// The error of a model that lacks an ability: why, where it says so, else which learners of the catalogue have it.
pub(crate) fn lacks(model: &dyn Model, ability: &str) -> Error {
    let who = model.declaration().name;
    let reason = model.why_not(ability).map(|why| format!(": {why}"));
    let what = format!("{}{}", phrase(ability), reason.as_deref().unwrap_or_default());
    let has = |e: &catalogue::Entry| (e.declaration)().capabilities.has(ability) == Some(true);
    let able: Vec<&str> =
        catalogue::entries().iter().filter(|e| has(e)).map(|e| (e.declaration)().name).collect();
    let hint = match (reason, able.as_slice()) {
        (Some(_), _) | (None, []) => String::new(),
        (None, [one]) => format!("; {one} can"),
        (None, some) if some.len() <= 16 => format!("; {} can", some.join(", ")),
        (None, some) => format!("; {} and {} more can", some[..15].join(", "), some.len() - 15),
    };
    ErrorKind::Incapable { who: who.to_owned(), what, hint }.into()
}
