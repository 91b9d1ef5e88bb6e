//! Decision tree for classes.
//!
//! # Objective
//! At each node, the test $x_j \le t$ (or $x_j \in S$ for a category) that minimises
//! $$ \tfrac{W_L}{W} H(L) + \tfrac{W_R}{W} H(R), \qquad
//!    H = 1 - \sum_k p_k^2 \text{ (gini)},\ -\sum_k p_k \log_2 p_k \text{ (entropy)},\ 1 - \max_k p_k \text{ (error)} $$
//! over weighted class shares $p_k$, until a node is pure or a limit is reached; then, with `ccp_alpha`, the
//! smallest subtree that minimises impurity + `ccp_alpha` × leaves. Two more ways to prune come before that:
//! `min_instances` and `reduced_error`, which asks the validation rows.
//!
//! # Algorithm
//! CART with exact splits. Every column is sorted once (radix sort); a split parts the sorted lists stably, so a
//! level of the tree costs one pass over the lists. Large nodes share their features among the threads, small
//! ones become subtrees with lists of their own that fit the cache. Ties go to the lowest feature, then to the
//! lowest threshold (those of `error`, which are many, to Gini's index first); thresholds are the middle of two values, never rounded up to the upper one.
//! `max_leaf_nodes` splits the leaf of the greatest improvement first. `max_features` counts features that can be
//! cut, drawn from a stream of the node's own, which depends on its path from the root alone.
//!
//! Missing values: both directions are tried, and present against missing. Where a node saw none in training,
//! they follow the heavier child. Categories: levels are ordered by the share of the second class, and some prefix
//! is an optimal subset (Fisher 1958, Breiman et al. 1984); with more classes, the best prefix over the orders by
//! each class's share, a heuristic. Levels that a node has not seen follow its missing values.
//!
//! Several targets are split together: a node is as impure as its targets are on average, and a leaf has the shares of
//! each. `monotonic_cst` (of two classes) refuses splits whose sides are in the wrong order, or beyond the middle of a
//! monotone split above. `interaction_cst` says which columns may meet on a way from the root to a leaf: below a split,
//! only columns are left that share a set with all columns met so far, and `max_features` draws among these.
//!
//! `max_bins` puts the values of a column into bins of about equal weight first; the tree grows from histograms, by the
//! engine of the forests, with large subtrees in parallel, and cuts in the middle between two bins that a node has rows
//! in. Where every value has a bin of its own, that is the exact tree. More than 64 classes, several targets,
//! `criterion=error` and `monotonic_cst` are split exactly all the same.
//!
//! # Complexity
//! Time O(d n log n) to sort at worst and O(d n) a level; memory 4 d n bytes beyond the data, at most twice that
//! while subtrees grow (d n with `max_bins`); sparse rows are read column by column. A prediction costs one comparison
//! a level.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::DecisionTreeClassifier;
//! let x = Mat::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["no", "no", "yes", "yes"]))?;
//! let model = DecisionTreeClassifier::default().fit(&data)?;
//! assert_eq!(model.tree.n_leaves(), 2);
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 1, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Whole weights are summed exactly. A feature after the first has to be better by more than 1e-11 of the score,
//! so that rounding does not decide between features that part the rows alike. Rows of weight 0 are not there;
//! `min_samples_split` and `min_samples_leaf` count rows, everything else weighs them. `class_weight=balanced`
//! balances weights: a weight of 2 is two copies there, too.
//!
//! # References
//! - L. Breiman, J. Friedman, R. Olshen, C. Stone. Classification and Regression Trees. Wadsworth, 1984.
//! - W. D. Fisher. On grouping for maximum homogeneity. JASA 53, 1958. doi:10.1080/01621459.1958.10501479
//! - L. Hyafil, R. L. Rivest. Constructing optimal binary decision trees is NP-complete. Inf. Process. Lett. 5(1),
//!   1976. doi:10.1016/0020-0190(76)90095-8
//! - J. Shafer, R. Agrawal, M. Mehta. SPRINT: a scalable parallel classifier for data mining. VLDB, 1996.

use crate::cart::criterion::classes::{Classes, Impurity, TwoClasses};
use crate::cart::criterion::multi_output::MultiOutputClasses;
use crate::cart::params::CartParams;
use crate::cart::prune::{self, PruningPath};
use crate::cart::reduced_error::{Loss, ValidationRows};
use crate::cart::training_columns::{TrainingColumns, finish};
use crate::cart::tree::Tree;
use crate::class_labels::{ClassLabels, checked_codes};
use crate::constraints::{Interactions, Monotone, Monotonic};
use crate::forest::ForestTarget;
use crate::forest::classifier_model::ClassResponse;
use crate::grown::Grown;
use crate::limits::{Limits, MaxFeatures, Splitter, Ties, TreeParams};
use crate::read::outline::{Outline, outline_of};
use crate::read::reads_as_tree;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, ClassWeight, CountOrShare, Dataset, Error, Fit,
    Fitted, Input, Labels, Learn, Params, Prediction, Proba, Result, Rows, Schema, Session, Termination,
};
use mercer_math::{Mat, Weights};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// How impure a node of classes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ClassificationCriterion {
    /// Gini's index: the chance that two rows differ in class.
    Gini,
    /// Shannon's entropy, in bits.
    Entropy,
    /// Another name of entropy.
    LogLoss,
    /// The share of rows that are not of the most frequent class.
    Error,
}

/// Decision tree for classes: CART with exact splits, or splits between bins.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "tree",
    canon = "T3",
    task = Classification,
    python = "tree",
    twin = "DecisionTreeRegressor",
    quick = "min_samples_leaf=10 | max_depth=3,min_samples_leaf=10",
    explain = "max_depth=3 | max_depth=5",
    best = "max_depth=4 | max_depth=8 | min_samples_leaf=10 |",
    tried = "| max_depth=3,criterion=entropy | criterion=error,min_instances=4 | max_bins=16,interaction_cst=no_interactions",
    session = "random_state",
    mixins = "TreeMixin",
    order = "min_impurity_decrease class_weight, ccp_alpha min_instances reduced_error",
    can = "proba explain explain_mapped trees weights missing categorical sparse multi_output",
    references = "Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. Wadsworth, 1984."
)]
pub struct DecisionTreeClassifier {
    /// How impure a node is.
    #[param(default = ClassificationCriterion::Gini)]
    pub criterion: ClassificationCriterion,
    /// Growth and pruning.
    #[param(
        flatten,
        doc(
            monotonic_cst = "Whether the probability of the second of two classes must rise (1) or fall (-1) with a column: signs by place,\nor names with signs."
        )
    )]
    pub cart: CartParams,
    /// How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
    /// them as they are.
    #[param(default = None)]
    pub class_weight: Option<ClassWeight>,
}

impl Learn for DecisionTreeClassifier {
    type Model = DecisionTreeClassifierModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        let (mut grown, termination, limits) = self.grow(data, session)?;
        let classes = ClassLabels::of(data);
        if self.cart.reduced_error {
            let validation =
                ValidationRows::new(Self::NAME, data, session, |valid| errors(valid, classes.clone()))?;
            validation.prune(&mut grown, data.n_features())?;
        }
        let total = Weights::of(&data.weights()).total(data.n_rows());
        let meaning = "share of the training weight that the tree predicts wrongly";
        let (grown, certificate) = finish(grown, termination, &limits, total, (ERROR, meaning), 1.0);
        let tree = Tree::new(&grown, data.n_features());
        let mut model = DecisionTreeClassifierModel { tree, classes, certificate };
        let unknown = model.certificate.evidence.iter().any(|e| e.value.is_nan());
        if unknown || limits.monotone.is_some() || (self.class_weight.is_some() && model.classes.len() > 1) {
            // Nodes do not know the loss of a clipped value, nor of one target from products of weights of several;
            // binned ones know none.
            let rate = model.error_rate(data, session)?;
            model.certificate.evidence.iter_mut().for_each(|e| e.value = rate);
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

/// The name of the certificate's evidence.
pub(crate) const ERROR: &str = "training error rate";

impl DecisionTreeClassifier {
    /// The strengths of `ccp_alpha` at which the tree of these data gets smaller.
    pub fn cost_complexity_pruning_path(&self, data: &Dataset<'_>, session: &Session) -> Result<PruningPath> {
        let (grown, ..) = session.run(|| self.grow(&self.checked(data)?, session))?;
        Ok(prune::path(grown))
    }

    fn grow(&self, data: &Dataset<'_>, session: &Session) -> Result<(Grown, Termination, Limits)> {
        let rows = data.rows(Self::NAME)?;
        let target = data.need_target(Self::NAME)?;
        let columns = checked_codes(&target)?;
        let training = TrainingColumns::new(Self::NAME, &rows, data)?;
        let mut limits = self.cart.limits(Self::NAME, &rows, training.n_kept())?;
        limits.monotone =
            monotone(Self::NAME, &training, self.cart.tree.monotonic_cst.as_ref(), &rows, &columns)?;
        let impurity = match self.criterion {
            ClassificationCriterion::Gini => Impurity::Gini,
            ClassificationCriterion::Error => Impurity::Error,
            _ => Impurity::Entropy,
        };
        let mut targets: Vec<(Vec<u32>, usize)> =
            columns.iter().map(|(codes, labels)| (training.pick(codes), labels.len())).collect();
        let labels: Vec<&Labels> = columns.iter().map(|(_, labels)| *labels).collect();
        let weigh = |given: &ClassWeight| factors(Self::NAME, given, &labels, &targets, &training.weights);
        let factors = self.class_weight.as_ref().map(weigh).transpose()?;
        let w = match &factors {
            Some(factors) => Some(times_factors(&targets, &training.weights, factors)),
            None => training.weights.clone(),
        };
        let binned = ClassResponse { targets: &targets, w: w.as_deref(), impurity, by_bag: false };
        if let Some((grown, termination)) =
            binned.single(&training, self.cart.tree.max_bins, &limits, session)
        {
            return Ok((grown, termination, limits));
        }
        if let ([(y, 2)], None, Impurity::Gini) = (&targets[..], &w, impurity) {
            let y = y.iter().map(|&c| c as u8).collect();
            let (grown, termination) = training.grow(&TwoClasses { y }, &limits, session);
            return Ok((grown, termination, limits));
        }
        let tabled = w.is_none() && impurity == Impurity::Entropy;
        let table = if tabled { Classes::table(training.n_kept()) } else { Arc::from([]) };
        let by_class = factors.filter(|f| f.len() == 1).map(|mut f| f.remove(0));
        let one = |(y, k): (Vec<u32>, usize)| {
            let (w, by_class, table) = (w.clone(), by_class.clone(), table.clone());
            Classes { y, w, k, impurity, by_class, table }
        };
        let (grown, termination) = match targets.len() {
            1 => training.grow(&one(targets.remove(0)), &limits, session),
            _ => training.grow(&MultiOutputClasses(targets.into_iter().map(one).collect()), &limits, session),
        };
        Ok((grown, termination, limits))
    }
}

/// The weight of the rows of each class.
pub(crate) fn class_totals(y: &[u32], w: &Option<Vec<f64>>, k: usize) -> Vec<f64> {
    let mut totals = vec![0.0; k];
    y.iter().enumerate().for_each(|(i, &c)| totals[c as usize] += Weights::of(w)[i]);
    totals
}

/// The signs of `monotonic_cst`, which two classes of one target can have.
pub(crate) fn monotone(
    owner: &str,
    training: &TrainingColumns<'_>,
    given: Option<&Monotonic>,
    rows: &Rows<'_>,
    columns: &[(&[u32], &Labels)],
) -> Result<Option<Monotone>> {
    match columns {
        [(_, labels)] if labels.len() <= 2 => {
            training.monotone(owner, given, rows, labels.len().saturating_sub(1))
        }
        _ if given.is_none() => Ok(None),
        _ => Err(Error::param(owner, "monotonic_cst", "none, unless the target has two classes", "signs")),
    }
}

/// The factors of the classes of each target; weights that are given are those of one target.
pub(crate) fn factors(
    owner: &str,
    given: &ClassWeight,
    labels: &[&Labels],
    targets: &[(Vec<u32>, usize)],
    w: &Option<Vec<f64>>,
) -> Result<Vec<Arc<[f64]>>> {
    if matches!(given, ClassWeight::Given(_)) && targets.len() > 1 {
        return Err(Error::param(owner, "class_weight", "balanced or none for several targets", "weights"));
    }
    let one = |((y, k), labels): (&(Vec<u32>, usize), &&Labels)| {
        given.factors(owner, labels, &class_totals(y, w, *k)).map(Arc::from)
    };
    targets.iter().zip(labels).map(one).collect()
}

/// The weights times the factors of the classes of every target.
pub(crate) fn times_factors(
    targets: &[(Vec<u32>, usize)],
    w: &Option<Vec<f64>>,
    factors: &[Arc<[f64]>],
) -> Vec<f64> {
    let n = targets.first().map_or(0, |(y, _)| y.len());
    let of = |i: usize| targets.iter().zip(factors).map(move |((y, _), f)| f[y[i] as usize]).product::<f64>();
    (0..n).map(|i| Weights::of(w)[i] * of(i)).collect()
}

/// What validation rows lose: their weight, times the share of the targets whose class is another than theirs.
fn errors<'a>(valid: &Dataset<'_>, classes: ClassLabels) -> Result<Loss<'a>> {
    let codes = classes.translated(valid)?;
    let weights = valid.weights().map(Cow::into_owned);
    let q = classes.len();
    Ok(Box::new(move |i, value| {
        let wrong = classes.codes(value).zip(&codes[i * q..]).filter(|(found, own)| found != *own).count();
        Weights::of(&weights)[i] * wrong as f64 / q as f64
    }))
}

/// A grown decision tree for classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionTreeClassifierModel {
    /// The tree; its values are class shares.
    pub tree: Tree,
    pub(crate) classes: ClassLabels,
    pub(crate) certificate: Certificate,
}

reads_as_tree!(DecisionTreeClassifierModel, DecisionTreeClassifier::NAME);

impl DecisionTreeClassifierModel {
    /// The tree as plain data, from which text, rules and JSON are made.
    pub fn outline(&self, schema: &Schema) -> Outline {
        outline_of(&self.tree, schema, &|value| self.classes.conclusion(value))
    }

    /// Rows × targets.
    fn codes(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
        self.tree.predict(input, session, self.classes.len(), |leaf, out| {
            let codes = self.classes.codes(self.tree.value(leaf));
            out.iter_mut().zip(codes).for_each(|(out, code)| *out = code);
        })
    }

    fn error_rate(&self, data: &Dataset<'_>, session: &Session) -> Result<f64> {
        self.classes.error_rate(data, &self.codes(&data.input(), session)?)
    }
}

impl Proba for DecisionTreeClassifierModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let (n, k) = (input.rows(DecisionTreeClassifier::NAME)?.n_rows(), self.tree.width());
        let shares =
            self.tree.predict(input, session, k, |leaf, out| out.copy_from_slice(self.tree.value(leaf)))?;
        Mat::from_vec(shares, n, k).ok_or_else(|| Error::shape("probabilities", n * k, 0))
    }
}

impl Fitted for DecisionTreeClassifierModel {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.classes.predicted(&self.codes(input, session)?, schema)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            proba: Some(self),
            explain: Some(self),
            explain_mapped: Some(self),
            trees: Some(self),
            ..Abilities::default()
        }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        Ok(vec![(ERROR.to_owned(), self.error_rate(data, session)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.tree.attributes();
        all.push(self.classes.n_classes());
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.classes.validate(schema)?;
        self.tree.validate(schema, self.classes.width())
    }
}
