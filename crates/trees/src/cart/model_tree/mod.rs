//! Model tree: a regression tree with linear models in its leaves (M5').
//!
//! # Objective
//! At each node, the test that most decreases the standard deviation of the target,
//! $$ \mathrm{SDR} = \sigma(D) - \sum_i \tfrac{|D_i|}{|D|} \sigma(D_i), $$
//! until a node deviates less than `min_deviation` times the whole; then linear models by least squares, and the
//! subtree that minimises the error to expect, $\overline{|r|}\,\tfrac{n + v}{n - v}$ for n rows and v parameters.
//!
//! # Algorithm
//! 1. Grow with the exact splits of the regression tree, by SDR; categories are cut into subsets by their means.
//! 2. Fit a linear model at every node, on the numeric features that its subtree tests (`terms=all`: on all of them,
//!    as a tree of linear regressions does without pruning and smoothing), and drop its smallest standardised term
//!    as long as the error to expect does not grow.
//! 3. Prune from the leaves up where a node's model expects no more error than its subtree.
//! 4. Smooth: the prediction p of a child of n rows passes its parent, whose model says q, as
//!    $(n p + k q) / (n + k)$ with k = `smoothing_k`. As all models are linear, the smoothed model of each leaf is
//!    worked out once.
//!
//! Missing values follow the test's missing side, and count as the training mean in linear models.
//!
//! # Complexity
//! Time O(d n log n) to sort and O(d n) a level to grow; O(n v²) a level for the models of v terms.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_trees::ModelTree;
//! let x = Mat::from_fn(40, 1, |i, _| i as f64);
//! let y: Vec<f64> = (0..40).map(|i| if i < 20 { f64::from(i) } else { 200.0 - f64::from(i) }).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let model = ModelTree::default().smoothing_k(0.0).fit(&data)?;
//! assert_eq!(model.tree.n_leaves(), 2);
//! assert!((model.predict(&x)?.numbers()?[30] - 170.0).abs() < 1e-9);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Columns are centred and scaled within a node, and constant ones left out; the normal equations are solved by
//! singular values, so that columns that depend on each other share their weight. A model that is worse than another by less
//! than 1e-10 of the target's deviation counts as equal to it. Everything counts by weight. With `terms=all`, the
//! models of small leaves extrapolate wildly: give them a larger `min_instances`.
//!
//! # References
//! - J. R. Quinlan. Learning with continuous classes. Australian Joint Conference on AI, 1992.
//! - Y. Wang, I. H. Witten. Inducing model trees for continuous classes. ECML poster papers, 1997.

mod lines;

use crate::cart::criterion::squared_error::StandardDeviation;
use crate::cart::training_columns::TrainingColumns;
use crate::cart::tree::Tree;
use crate::grown::Grown;
use crate::limits::{Limits, Splitter, Ties};
use crate::read::outline::{Outline, outline_of};
use crate::read::reads_as_tree;
use crate::sorted_columns::{Values, columns};
use lines::{Fitter, Line};
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, Evidence, Fitted, Input, Learn, Params, Prediction,
    Result, Schema, Session, Termination,
};
use mercer_math::Weights;
use serde::{Deserialize, Serialize};

/// Which features the linear model of a node may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Terms {
    /// Those that the subtree of the node tests.
    Tested,
    /// All numeric ones.
    All,
}

/// Model tree: a regression tree with linear models in its leaves (M5').
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "model-tree",
    canon = "T4",
    task = Regression,
    python = "tree",
    tried = "| terms=all,prune=false,min_instances=8",
    mixins = "TreeMixin",
    can = "trees weights missing categorical",
    references = "Wang, Witten. Inducing model trees for continuous classes. ECML, 1997."
)]
pub struct ModelTree {
    /// Most splits on the way to a leaf; none is without limit.
    #[param(default = None, range = "[1, inf)", search = "int 1..16")]
    pub max_depth: Option<usize>,
    /// Least weight of a leaf while growing.
    #[param(default = 2.0, range = "(0, inf)", search = "log 2..64")]
    pub min_instances: f64,
    /// Nodes that deviate less than this share of the target's standard deviation are not split.
    #[param(default = 0.05, range = "[0, 1]")]
    pub min_deviation: f64,
    /// Which features linear models may use.
    #[param(default = Terms::Tested)]
    pub terms: Terms,
    /// Whether terms and subtrees go where less error is expected without them.
    #[param(default = true)]
    pub prune: bool,
    /// How much the models on the way to a leaf count; 0 does not smooth.
    #[param(default = 15.0, range = "[0, inf)", search = "among 0|5|15|50")]
    pub smoothing_k: f64,
}

/// The name of the certificate's evidence.
const SQUARED: &str = "training mean squared error";

impl Learn for ModelTree {
    type Model = ModelTreeModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Self::Model> {
        let rows = data.rows(Self::NAME)?;
        let target = data.need_target(Self::NAME)?;
        let training = TrainingColumns::new(Self::NAME, &rows, data)?;
        let y = training.pick(target.numbers()?);
        let weights = training.weights.clone().unwrap_or_else(|| vec![1.0; y.len()]);
        let total = mercer_math::sum(&weights);
        let offset = mercer_math::dot(&y, &weights) / total;
        let centred: Vec<f64> = y.iter().map(|v| v - offset).collect();
        let squares: f64 = centred.iter().zip(&weights).map(|(v, w)| w * v * v).sum();
        let deviation = (squares / total).sqrt();
        let limits = self.limits(total, rows.n_features());
        let least = self.min_deviation * deviation;
        let response = StandardDeviation { y: centred, w: training.weights.clone(), offset, least };
        let (mut grown, termination) = training.grow(&response, &limits, session);

        let table = columns(Self::NAME, &rows)?;
        let kept = training.pick(&(0..rows.n_rows() as u32).collect::<Vec<_>>());
        let fitter = Fitter::new(&table, &kept, y, weights, self.prune, session);
        let tree = Tree::new(&grown, rows.n_features());
        let inner = self.prune || self.smoothing_k > 0.0;
        let mut fits = fitter.fit_all(&tree, &grown.preorder(), self.terms == Terms::All, inner);
        if self.prune {
            lines::prune(&mut grown, &mut fits, 1e-10 * deviation);
        }
        let leaves = lines::smoothed(&grown, &fits, self.smoothing_k);
        let termination = fitter.stopped().unwrap_or(termination);
        ModelTreeModel::new(&grown, leaves, fitter.means, termination, data)
    }
}

impl ModelTree {
    fn limits(&self, total: f64, d: usize) -> Limits {
        Limits {
            splitter: Splitter::Best,
            ties: Ties::First,
            max_depth: self.max_depth.unwrap_or(usize::MAX),
            min_samples_split: 2,
            min_samples_leaf: 1,
            // A share of the whole, less a rounding.
            min_weight_leaf: self.min_instances * (1.0 - 1e-12) / total,
            max_features: d,
            max_leaf_nodes: None,
            min_impurity_decrease: 0.0,
            ccp_alpha: 0.0,
            min_instances: 0.0,
            monotone: None,
            interactions: None,
        }
    }
}

/// A grown model tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelTreeModel {
    /// The tree; its values are means, which the linear models of the leaves replace.
    pub tree: Tree,
    /// The constant of each node's model; those of inner nodes are not used.
    intercepts: Vec<f64>,
    /// Where the terms of each node start; one more than there are nodes.
    starts: Vec<u32>,
    features: Vec<u32>,
    coefficients: Vec<f64>,
    /// What stands for a missing value of each feature.
    means: Vec<f64>,
    certificate: Certificate,
}

reads_as_tree!(ModelTreeModel, ModelTree::NAME);

impl ModelTreeModel {
    fn new(
        grown: &Grown,
        lines: Vec<Line>,
        means: Vec<f64>,
        termination: Termination,
        data: &Dataset<'_>,
    ) -> Result<Self> {
        let mut starts = vec![0];
        let (mut features, mut coefficients) = (Vec::new(), Vec::new());
        for line in &lines {
            features.extend(line.terms.iter().map(|t| t.0));
            coefficients.extend(line.terms.iter().map(|t| t.1));
            starts.push(features.len() as u32);
        }
        let intercepts = lines.iter().map(|line| line.intercept).collect();
        let (tree, certificate) = (Tree::new(grown, data.n_features()), Certificate::new(termination));
        let mut model = Self { tree, intercepts, starts, features, coefficients, means, certificate };
        let error = model.error(data)?;
        let meaning = "mean squared error on the training rows";
        let evidence = Evidence::value(SQUARED, error, meaning).on_scale(data.target_spread(false)?);
        model.certificate = model.certificate.with_evidence(evidence).with_note(
            "greedy: each split is the best of its node, each model least squares on its rows less terms that do \
             not pay. That the whole tree is optimal is not claimed",
        );
        Ok(model)
    }

    /// The tree as plain data; leaves say their linear model.
    pub fn outline(&self, schema: &Schema) -> Outline {
        let mut outline = outline_of(&self.tree, schema, &|_| String::new());
        for (i, node) in outline.nodes.iter_mut().enumerate().filter(|(_, n)| n.branches.is_empty()) {
            node.conclusion = format!("{:.6}", self.intercepts[i]);
            for (feature, coefficient) in self.terms(i) {
                let name = schema.features.get(feature).map_or("?", |f| f.name.as_str());
                let sign = if coefficient < 0.0 { '-' } else { '+' };
                node.conclusion += &format!(" {sign} {:.6} {name}", coefficient.abs());
            }
        }
        outline
    }

    /// The constant and the terms (feature, coefficient) of the linear model of leaf `i`.
    pub fn line(&self, i: usize) -> Option<(f64, Vec<(usize, f64)>)> {
        let intercept = *self.intercepts.get(i)?;
        self.tree.node(i)?.split.is_none().then(|| (intercept, self.terms(i).collect()))
    }

    fn terms(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        let features = self.features[range.clone()].iter().map(|&f| f as usize);
        features.zip(self.coefficients[range].iter().copied())
    }

    fn numbers(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        let leaves = self.tree.apply(input, session)?;
        let table = columns(ModelTree::NAME, input.rows(ModelTree::NAME)?)?;
        let term = |(feature, coefficient): (usize, f64), i: usize| {
            let v = table[feature].number(i);
            coefficient * if v.is_nan() { self.means[feature] } else { v }
        };
        let predict = |(i, &leaf): (usize, &u32)| {
            let leaf = leaf as usize;
            self.intercepts[leaf] + self.terms(leaf).map(|t| term(t, i)).sum::<f64>()
        };
        Ok(leaves.iter().enumerate().map(predict).collect())
    }

    fn error(&self, data: &Dataset<'_>) -> Result<f64> {
        let found = self.numbers(&data.input(), &Session::default())?;
        let target = data.need_target(ModelTree::NAME)?;
        let weights = data.weights();
        let (mut loss, mut total) = (0.0, 0.0);
        for (i, (y, f)) in target.numbers()?.iter().zip(found).enumerate() {
            let w = Weights::of(&weights)[i];
            total += w;
            loss += w * (y - f) * (y - f);
        }
        Ok(loss / total)
    }
}

impl Fitted for ModelTreeModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        schema.prediction([self.numbers(input, session)?])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { trees: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        Ok(vec![(SQUARED.to_owned(), self.error(data)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        self.tree.attributes()
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        if schema.targets.len() != 1 {
            return Err("the schema has not one target".to_owned());
        }
        self.tree.validate(schema, 1)?;
        let n = self.tree.n_nodes();
        let sized = self.intercepts.len() == n
            && self.starts.len() == n + 1
            && self.starts.first() == Some(&0)
            && self.starts.windows(2).all(|w| w[0] <= w[1])
            && self.starts.last().is_some_and(|&end| end as usize == self.features.len())
            && self.features.len() == self.coefficients.len()
            && self.means.len() == schema.n_features();
        let known = self.features.iter().all(|&f| (f as usize) < schema.n_features());
        let numbers = [&self.intercepts, &self.coefficients, &self.means].into_iter().flatten();
        if sized && known && numbers.copied().all(f64::is_finite) {
            Ok(())
        } else {
            Err("the linear models do not fit the tree or the schema".to_owned())
        }
    }
}

/// Whether a column is one of numbers.
fn is_numeric(column: &Values<'_>) -> bool {
    !column.is_categorical()
}
