//! The contract of Mercer: data, parameters, session, certificates, errors, learning by sums.
//!
//! Every other crate speaks these words. A learner is a struct of hyper-parameters that derives [`Params`] and
//! implements [`Learn`]; its model implements [`Fitted`]. Users call [`Fit::fit`] and get a [`Trained`]
//! model; pipelines, search and the doors hold `Box<dyn Learner>` and `Box<dyn Model>`.

extern crate self as mercer_core;

mod abilities;
mod asked;
pub mod catalogue;
mod certificate;
mod check_data;
pub mod class_weight;
pub mod compose;
mod contract;
mod count_or_share;
mod cross_moments;
mod data_kinds;
mod dataset;
mod declaration;
mod erased;
mod error;
mod nested;
mod params;
mod schema;
mod session;
mod step_cache;
pub mod sums;
mod table;
mod target;
mod time;
mod trained;
mod value;

pub use abilities::{
    Abilities, Capabilities, Contributions, Decision, Densities, Explainer, FoundTopics, Influence,
    Interactions, Intervals, Inverse, Joint, MappedExplainer, Members, Neighbours, OutputMap, Outputs,
    Policy, PredictiveSpread, Proba, Quantiles, Route, Samples, Spread, Statistic, Summarised, Summary,
    SummaryRow, Topics, Transformer, TreeBranch, TreeNode, Trees,
};
pub use asked::Asked;
pub use certificate::{Certificate, Evidence, Sense, Termination, Verified};
pub use class_weight::{ClassWeight, LabelWeights};
pub use contract::{Attribute, AttributeValues, Encoded, Fit, Fitted, Learn, Learner, Model};
pub use count_or_share::{CountOrShare, MaxFeatures};
pub use cross_moments::{CrossMoments, rows_dot, rows_t_dot};
pub use data_kinds::{
    DataKind, Density, Dynamics, Environment, Graph, Input, Kinds, LogDensity, Matrix, Mdp, MdpWalk, Numbers,
    NumbersRef, Outcome, Pairs, RowData, Rows, Series, SeriesRef, Simulation, Space, SparseMatrix, States,
    Transition,
};
pub use dataset::Dataset;
pub use declaration::{
    Declaration, FixtureRows, ParamDeclaration, ParamKind, Preset, Range, Search, Task, When,
};
pub use error::{Error, ErrorKind, Result, closest};
pub use mercer_derive::{Choice, ParamGroup, Params};
pub use nested::{ColumnStep, ColumnSteps, Columns, NestedLearner, NestedModel, Steps};
pub use params::{AnyParam, Field, ParamGroup, ParamTable, ParamType, Params};
pub use schema::{Feature, Schema, TargetSchema};
pub use session::{Cancel, Observer, Progress, Session, Unseen};
pub use step_cache::StepCache;
pub use table::{Column, ColumnKind, MISSING_CODE, Table};
pub use target::{Label, Labels, Prediction, Target, TargetColumn, TargetKind, TargetValues};
pub use time::{MISSING_TIME, Moment, format_time, parse_time};
pub use trained::Trained;
pub use value::{Object, Value};
