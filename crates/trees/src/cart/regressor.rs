//! Decision tree for numbers.
//!
//! # Objective
//! At each node, the test $x_j \le t$ (or $x_j \in S$ for a category) that minimises the weighted loss of the
//! two children around what they predict: squared error around means, absolute error around medians, or half the
//! Poisson deviance around means, averaged over the outputs. `min_instances` and `reduced_error` (which asks the
//! validation rows) prune before `ccp_alpha` does.
//!
//! # Algorithm
//! As in the tree for classes: sorted lists, parted stably. Squared error needs one division a candidate;
//! absolute error keeps two heaps that meet at the median, O(log n) a candidate. Levels of categories are ordered
//! by the mean response, of which some prefix is optimal for squared error and deviance of one output (Fisher
//! 1958); for absolute error and several outputs (best over the orders by each) that is a heuristic.
//! `monotonic_cst` (of one output) refuses splits whose sides are in the wrong order, or beyond the middle of a monotone
//! split above. `interaction_cst` leaves a node the columns that share a set with all columns met on the way to it;
//! `max_features` draws among these.
//!
//! `max_bins` puts the values of a column into bins of about equal weight first; the tree grows from histograms, by the
//! engine of the forests, with large subtrees in parallel, and cuts in the middle between two bins that a node has rows
//! in. Where every value has a bin of its own, that is the exact tree. Several targets, `criterion=absolute_error` and
//! `monotonic_cst` are split exactly all the same.
//!
//! # Complexity
//! Time O(d n log n) to sort at worst and O(d n) a level (absolute error: × log n); memory 4 d n bytes beyond the
//! data, at most twice that while subtrees grow (d n with `max_bins`); sparse rows are read column by column.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::DecisionTreeRegressor;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 1.0, 5.0, 7.0]))?;
//! let model = DecisionTreeRegressor::default().max_depth(Some(1)).fit(&data)?;
//! assert_eq!(model.predict(&x)?.numbers()?, &[1.0, 1.0, 6.0, 6.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Squared errors are taken around the mean of all rows, variances in two passes: values far from zero lose no
//! digits. A feature after the first has to be better by more than 1e-11 of the score. The median of an even
//! number of rows is the middle of the two. `min_samples_split` and `min_samples_leaf` count rows.
//!
//! # References
//! - L. Breiman, J. Friedman, R. Olshen, C. Stone. Classification and Regression Trees. Wadsworth, 1984.
//! - W. D. Fisher. On grouping for maximum homogeneity. JASA 53, 1958. doi:10.1080/01621459.1958.10501479
//! - L. Hyafil, R. L. Rivest. Constructing optimal binary decision trees is NP-complete. Inf. Process. Lett. 5(1),
//!   1976. doi:10.1016/0020-0190(76)90095-8

use crate::cart::criterion::absolute_error::AbsoluteError;
use crate::cart::criterion::squared_error::{Outputs, SquaredError};
use crate::cart::params::CartParams;
use crate::cart::prune::{self, PruningPath};
use crate::cart::reduced_error::{Loss, ValidationRows};
use crate::cart::training_columns::{TrainingColumns, finish};
use crate::cart::tree::Tree;
use crate::constraints::{Interactions, Monotone, Monotonic};
use crate::forest::ForestTarget;
use crate::forest::regressor_model::NumberResponse;
use crate::grown::Grown;
use crate::limits::{Limits, MaxFeatures, Splitter, Ties, TreeParams};
use crate::read::outline::{Outline, outline_of};
use crate::read::reads_as_tree;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, CountOrShare, Dataset, Error, ErrorKind, Fit,
    Fitted, Input, Learn, Params, Prediction, Result, Rows, Schema, Session, Termination,
};
use mercer_math::Weights;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The loss that splits decrease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum RegressionCriterion {
    /// Squared error around means.
    SquaredError,
    /// Another name of the squared error: Friedman's score chooses the same split.
    FriedmanMse,
    /// Absolute error around medians.
    AbsoluteError,
    /// Half the Poisson deviance around means, for values that are not negative.
    Poisson,
}

/// Decision tree for numbers: CART with exact splits, or splits between bins.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "tree-regressor",
    canon = "T3",
    task = Regression,
    python = "tree",
    twin = "DecisionTreeClassifier",
    tried = "| criterion=absolute_error,max_depth=3 | min_instances=4 | max_bins=16",
    session = "random_state",
    mixins = "TreeMixin",
    order = "ccp_alpha min_instances reduced_error",
    can = "explain explain_mapped trees weights missing categorical sparse multi_output",
    references = "Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. Wadsworth, 1984."
)]
pub struct DecisionTreeRegressor {
    /// The loss that splits decrease.
    #[param(default = RegressionCriterion::SquaredError)]
    pub criterion: RegressionCriterion,
    /// Growth and pruning.
    #[param(flatten)]
    pub cart: CartParams,
}

impl Learn for DecisionTreeRegressor {
    type Model = DecisionTreeRegressorModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        let (mut grown, termination, limits) = self.grow(data, session)?;
        let outputs = data.need_target(Self::NAME)?.n_columns();
        let total = Weights::of(&data.weights()).total(data.n_rows()) * outputs as f64;
        let absolute = self.criterion == RegressionCriterion::AbsoluteError;
        if self.cart.reduced_error {
            let validation =
                ValidationRows::new(Self::NAME, data, session, |valid| residuals(valid, outputs, absolute))?;
            validation.prune(&mut grown, data.n_features())?;
        }
        let evidence = if absolute {
            (ABSOLUTE, "mean absolute error on the training rows")
        } else {
            (SQUARED, "mean squared error on the training rows")
        };
        let (grown, certificate) =
            finish(grown, termination, &limits, total, evidence, data.target_spread(absolute)?);
        let tree = Tree::new(&grown, data.n_features());
        let mut model = DecisionTreeRegressorModel { tree, absolute, certificate };
        if limits.monotone.is_some() || model.certificate.evidence.iter().any(|e| e.value.is_nan()) {
            // Nodes do not know the loss of a clipped value, and binned ones none.
            let found = model.reprove(data, session)?;
            model.certificate.evidence.iter_mut().zip(found).for_each(|(e, (_, loss))| e.value = loss);
        }
        Ok(model)
    }

    fn capabilities(&self) -> Capabilities {
        self.cart.capabilities(Self::declaration().capabilities)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.cart.tree.check(Self::NAME)
    }
}

/// The names of the certificate's evidence.
const SQUARED: &str = "training mean squared error";
const ABSOLUTE: &str = "training mean absolute error";

impl DecisionTreeRegressor {
    /// The strengths of `ccp_alpha` at which the tree of these data gets smaller.
    pub fn cost_complexity_pruning_path(&self, data: &Dataset<'_>, session: &Session) -> Result<PruningPath> {
        let (grown, ..) = session.run(|| self.grow(&self.checked(data)?, session))?;
        Ok(prune::path(grown))
    }

    fn grow(&self, data: &Dataset<'_>, session: &Session) -> Result<(Grown, Termination, Limits)> {
        let rows = data.rows(Self::NAME)?;
        let target = data.need_target(Self::NAME)?;
        let training = TrainingColumns::new(Self::NAME, &rows, data)?;
        let q = target.n_columns();
        let outputs = (0..q)
            .map(|k| target.numbers_of(k).map(|y| training.pick(y)))
            .collect::<Result<Vec<Vec<f64>>>>()?;
        let n = training.n_kept();
        let mut limits = self.cart.limits(Self::NAME, &rows, n)?;
        limits.monotone = monotone(Self::NAME, &training, self.cart.tree.monotonic_cst.as_ref(), &rows, q)?;
        let w = training.weights.clone();
        let by_rows = |offsets: &[f64]| -> Vec<f64> {
            (0..n).flat_map(|i| outputs.iter().zip(offsets).map(move |(y, o)| y[i] - o)).collect()
        };
        let means: Vec<f64> = outputs.iter().map(|y| mean(y, &w)).collect();
        if self.cart.tree.max_bins.is_some() || rows.is_sparse() {
            let binned = NumberResponse::new(&outputs, &means, w.clone(), self.criterion)?;
            if let Some((grown, termination)) =
                binned.single(&training, self.cart.tree.max_bins, &limits, session)
            {
                return Ok((grown, termination, limits));
            }
        }
        let (grown, termination) = match self.criterion {
            RegressionCriterion::SquaredError | RegressionCriterion::FriedmanMse if q == 1 => {
                training.grow(&SquaredError { y: by_rows(&means), w, offset: means[0] }, &limits, session)
            }
            RegressionCriterion::SquaredError | RegressionCriterion::FriedmanMse => {
                let response = Outputs { y: by_rows(&means), w, offsets: means.into(), poisson: false };
                training.grow(&response, &limits, session)
            }
            RegressionCriterion::Poisson => {
                check_counts(&outputs, &means)?;
                let zeros = vec![0.0; q];
                let response = Outputs { y: by_rows(&zeros), w, offsets: Arc::from(zeros), poisson: true };
                training.grow(&response, &limits, session)
            }
            RegressionCriterion::AbsoluteError => {
                training.grow(&AbsoluteError { y: by_rows(&vec![0.0; q]), w, q }, &limits, session)
            }
        };
        Ok((grown, termination, limits))
    }
}

/// The signs of `monotonic_cst`, which one target can have.
pub(crate) fn monotone(
    owner: &str,
    training: &TrainingColumns<'_>,
    given: Option<&Monotonic>,
    rows: &Rows<'_>,
    n_targets: usize,
) -> Result<Option<Monotone>> {
    if given.is_some() && n_targets > 1 {
        return Err(Error::param(owner, "monotonic_cst", "none for several targets", "signs"));
    }
    training.monotone(owner, given, rows, 0)
}

/// A prediction of `q` numbers a row in the shape of the schema.
pub(crate) fn predicted(values: &[f64], q: usize, schema: &Schema) -> Result<Prediction> {
    if schema.targets.len() != q {
        return Err(Error::shape("targets of the schema", q, schema.targets.len()));
    }
    schema.prediction((0..q).map(|k| values.iter().skip(k).step_by(q).copied().collect::<Vec<f64>>()))
}

/// The weighted mean of squared or absolute residuals; rows for which nothing was found (NaN) are left out.
pub(crate) fn mean_loss(data: &Dataset<'_>, found: &[f64], q: usize, absolute: bool) -> Result<f64> {
    let target = data.need_target(DecisionTreeRegressor::NAME)?;
    let weights = data.weights();
    let (mut loss, mut total) = (0.0, 0.0);
    for k in 0..q {
        for (i, y) in target.numbers_of(k)?.iter().enumerate().filter(|(i, _)| !found[i * q + k].is_nan()) {
            let w = Weights::of(&weights)[i];
            let residual = y - found[i * q + k];
            total += w;
            loss += w * if absolute { residual.abs() } else { residual * residual };
        }
    }
    Ok(loss / total)
}

pub(crate) fn mean(y: &[f64], w: &Option<Vec<f64>>) -> f64 {
    match w {
        Some(w) => mercer_math::dot(y, w) / mercer_math::sum(w),
        None => mercer_math::sum(y) / y.len() as f64,
    }
}

pub(crate) fn check_counts(outputs: &[Vec<f64>], means: &[f64]) -> Result<()> {
    for (k, y) in outputs.iter().enumerate() {
        let negative = y.iter().position(|v| *v < 0.0);
        if negative.is_some() || means[k] <= 0.0 {
            return Err(ErrorKind::BadValue {
                learner: DecisionTreeRegressor::NAME.to_owned(),
                value: negative
                    .map_or("a target that is all zero".to_owned(), |i| format!("the target {}", y[i])),
                column: format!("target {k}"),
                row: negative.unwrap_or(0),
                hint: "; criterion=poisson needs values of at least 0 and a positive sum".to_owned(),
            }
            .into());
        }
    }
    Ok(())
}

/// What validation rows lose: squared or absolute residuals, summed over the outputs.
fn residuals<'a>(valid: &Dataset<'_>, outputs: usize, absolute: bool) -> Result<Loss<'a>> {
    let target = valid.need_target(DecisionTreeRegressor::NAME)?;
    let y = (0..outputs).map(|k| target.numbers_of(k).map(<[f64]>::to_vec)).collect::<Result<Vec<_>>>()?;
    let weights = valid.weights().map(Cow::into_owned);
    let size = move |r: f64| if absolute { r.abs() } else { r * r };
    Ok(Box::new(move |i, value| {
        let loss: f64 = y.iter().zip(value).map(|(y, v)| size(y[i] - v)).sum();
        loss * Weights::of(&weights)[i]
    }))
}

/// A grown decision tree for numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionTreeRegressorModel {
    /// The tree; its values are means or medians.
    pub tree: Tree,
    pub(crate) absolute: bool,
    pub(crate) certificate: Certificate,
}

reads_as_tree!(DecisionTreeRegressorModel, DecisionTreeRegressor::NAME);

impl DecisionTreeRegressorModel {
    /// The tree as plain data, from which text, rules and JSON are made.
    pub fn outline(&self, schema: &Schema) -> Outline {
        outline_of(&self.tree, schema, &conclusion)
    }

    fn numbers(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        let q = self.tree.width();
        self.tree.predict(input, session, q, |leaf, out| out.copy_from_slice(self.tree.value(leaf)))
    }
}

/// What a node of these numbers says.
pub(crate) fn conclusion(value: &[f64]) -> String {
    value.iter().map(|v| format!("{v:.6}")).collect::<Vec<_>>().join(", ")
}

impl Fitted for DecisionTreeRegressorModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        predicted(&self.numbers(input, session)?, self.tree.width(), schema)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            explain: Some(self),
            explain_mapped: Some(self),
            trees: Some(self),
            ..Abilities::default()
        }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (found, q) = (self.numbers(&data.input(), session)?, self.tree.width());
        let loss = mean_loss(data, &found, q, self.absolute)?;
        let name = if self.absolute { ABSOLUTE } else { SQUARED };
        Ok(vec![(name.to_owned(), loss)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        self.tree.attributes()
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        if schema.targets.is_empty() {
            return Err("the schema has no target".to_owned());
        }
        self.tree.validate(schema, schema.targets.len())
    }
}
