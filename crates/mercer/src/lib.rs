//! Mercer: the whole classical canon of machine learning in one toolkit.
//!
//! ```
//! use mercer::prelude::*;
//!
//! let penguins = mercer::data::bundled("penguins")?;
//! let x = penguins.select(&["bill_length_mm", "bill_depth_mm"])?;
//! let y = Target::from_column("species", penguins.column("species")?, true)?;
//! let data = Dataset::new(&x).with_target(y)?;
//!
//! // Missing values, categories and scales are taken care of by the default preparation.
//! let learner = mercer::prepare::prepared(Box::new(LogisticRegression::default()), &x)?.learner;
//! let model = learner.train(&data, &Session::new(7))?;
//! println!("{}", model.certificate());
//! assert_eq!(model.predict(&Input::from(&x), &Session::default())?.n_rows(), 344);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! Three types an algorithm: hyper-parameters ([`linear::Ridge`]), `fit(&data)?`, model. The same learners stand
//! behind the object-safe [`Learner`] and [`Model`], which pipelines, search, the command line and Python use;
//! [`catalogue`] lists them all.

pub use mercer_assess as assess;
pub use mercer_bayes as bayes;
pub use mercer_cluster as cluster;
pub use mercer_core as core;
pub use mercer_data as data;
pub use mercer_embed as embed;
pub use mercer_ensemble as ensemble;
pub use mercer_files as files;
pub use mercer_kernels as kernels;
pub use mercer_linear as linear;
pub use mercer_math as math;
pub use mercer_measure as measure;
pub use mercer_optim as optim;
pub use mercer_plot as plot;
pub use mercer_prepare as prepare;
pub use mercer_rl as rl;
pub use mercer_stats as stats;
pub use mercer_trees as trees;

pub use mercer_core::*;

use mercer_core::catalogue::{self as registry, Entry};
use std::path::Path;
use std::sync::Once;

/// What most programs need.
pub mod prelude {
    pub use crate::Fit;
    pub use mercer_assess::{DummyClassifier, DummyRegressor};
    pub use mercer_bayes::Metropolis;
    pub use mercer_cluster::KMeans;
    pub use mercer_core::{
        Cancel, Certificate, Column, Dataset, Density, Error, Input, Learner, Mdp, Model, Result, Session,
        Table, Target,
    };
    pub use mercer_embed::Pca;
    pub use mercer_ensemble::{
        AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier, BaggingRegressor,
        GradientBoostingClassifier, GradientBoostingRegressor, StackingClassifier, StackingRegressor,
        VotingClassifier, VotingRegressor,
    };
    pub use mercer_kernels::SpectrumPerceptron;
    pub use mercer_linear::{ElasticNet, Lasso, LogisticRegression, Ridge};
    pub use mercer_math::{Csr, CsrRef, Mat, MatRef};
    pub use mercer_prepare::{ColumnTransformer, OneHotEncoder, Pipeline, SimpleImputer, StandardScaler};
    pub use mercer_rl::{PolicyIteration, ValueIteration};
    pub use mercer_trees::{
        Booster, C45, DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreesClassifier,
        ExtraTreesRegressor, HistGradientBoostingClassifier, HistGradientBoostingRegressor, Id3,
        IsolationForest, ModelTree, RandomForestClassifier, RandomForestRegressor,
    };
}

/// What users of the typed side call: [`mercer_core::Fit`] with the catalogue filled, since ensembles take the learners that
/// they are made of from there.
pub trait Fit: Learn {
    /// Learns with the default session.
    fn fit(&self, data: &Dataset<'_>) -> Result<Trained<Self>> {
        catalogue();
        mercer_core::Fit::fit(self, data)
    }

    /// Learns in a session.
    fn fit_in(&self, data: &Dataset<'_>, session: &Session) -> Result<Trained<Self>> {
        catalogue();
        mercer_core::Fit::fit_in(self, data, session)
    }

    /// Learns, and transforms the rows learnt from: out of fold for transformers that cross-fit.
    fn fit_transform(&self, data: &Dataset<'_>, session: &Session) -> Result<(Trained<Self>, Rows<'static>)> {
        catalogue();
        mercer_core::Fit::fit_transform(self, data, session)
    }

    /// Learns from batches, for learners that learn by sums.
    fn fit_stream(&self, batches: &mut dyn sums::Batches, session: &Session) -> Result<Trained<Self>> {
        catalogue();
        mercer_core::Fit::fit_stream(self, batches, session)
    }
}

impl<L: Learn> Fit for L {}

/// The families of learners, in the order of the canon.
const FAMILIES: &[fn() -> &'static [Entry]] = &[
    mercer_prepare::learners,
    mercer_assess::learners,
    mercer_linear::learners,
    mercer_trees::learners,
    mercer_ensemble::learners,
    mercer_kernels::learners,
    mercer_bayes::learners,
    mercer_cluster::learners,
    mercer_embed::learners,
    mercer_rl::learners,
];

/// Every learner of Mercer. The first call registers them, so that names and model files can be read.
pub fn catalogue() -> Vec<Entry> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| FAMILIES.iter().for_each(|family| registry::register(family())));
    registry::entries()
}

/// A learner from the text of `-m`: `ridge:alpha=0.1`.
///
/// ```
/// let learner = mercer::learner("logistic:C=10")?;
/// assert_eq!(learner.get("C")?, mercer::Value::Real(10.0));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn learner(spec: &str) -> Result<Box<dyn Learner>> {
    catalogue();
    registry::make_spec(spec)
}

/// Reads a model file.
pub fn load(path: impl AsRef<Path>) -> Result<Box<dyn Model>> {
    catalogue();
    mercer_files::load(path.as_ref()).map(|loaded| loaded.model)
}

/// Writes a model file, atomically.
pub fn save(model: &dyn Model, path: impl AsRef<Path>) -> Result<()> {
    mercer_files::save(model, path.as_ref(), None).map(|_| ())
}

/// The code of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
