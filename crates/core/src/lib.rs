//! The contract of Mercer: data, parameters, session, certificates, errors, learning by sums.
//!
//! Every other crate speaks these words. A learner is a struct of hyper-parameters that derives [`Params`] and
//! implements [`Learn`]; its model implements [`Fitted`]. Users call [`Fit::fit`] and get a [`Trained`]
//! model; pipelines, search and the doors hold `Box<dyn Learner>` and `Box<dyn Model>`.

extern crate self as mercer_core;

mod abilities;
mod asked;
mod cache;
pub mod catalogue;
mod certificate;
mod check;
pub mod compose;
mod contract;
mod count_or_share;
mod cross;
mod dataset;
mod declaration;
mod erased;
mod error;
mod input;
mod nested;
mod params;
mod residents;
mod schema;
mod session;
pub mod sums;
mod table;
mod target;
mod time;
mod trained;
mod value;

pub use abilities::{
    Abilities, Capabilities, Contributions, Decision, Explainer, Interactions, Intervals, Inverse,
    MappedExplainer, OutputMap, Outputs, Proba, Quantiles, Route, Transformer, TreeBranch, TreeNode, Trees,
};
pub use asked::Asked;
pub use cache::StepCache;
pub use certificate::{Certificate, Evidence, Sense, Termination, Verified};
pub use contract::{Attribute, AttributeValues, Encoded, Fit, Fitted, Learn, Learner, Model};
pub use count_or_share::CountOrShare;
pub use cross::{CrossMoments, rows_dot, rows_t_dot};
pub use dataset::Dataset;
pub use declaration::{DataKind, Declaration, ParamDeclaration, ParamKind, Range, Search, Task, When};
pub use error::{Error, ErrorKind, Result, closest};
pub use input::{Input, Matrix, Numbers, NumbersRef, RowData, Rows, SparseMatrix};
pub use mercer_derive::{Choice, ParamGroup, Params};
pub use nested::{ColumnStep, ColumnSteps, Columns, NestedLearner, NestedModel, Steps};
pub use params::{AnyParam, Field, ParamGroup, ParamTable, ParamType, Params};
pub use residents::{Density, LogDensity, Mdp, Outcome};
pub use schema::{Feature, Schema, TargetSchema};
pub use session::{Cancel, Observer, Progress, Session, Unseen};
pub use table::{Column, ColumnKind, MISSING_CODE, Table};
pub use target::{Label, Labels, Prediction, Target, TargetColumn, TargetKind, TargetValues};
pub use time::{MISSING_TIME, Moment, format_time, parse_time};
pub use trained::Trained;
pub use value::{Object, Value};
