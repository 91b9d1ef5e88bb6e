//! Classification forest: how its trees grow, and the model.

use super::binned_columns::BinnedColumns;
use super::ensemble_variance::EnsembleVariance;
use super::grow_forest::{Bags, Forest, ForestTarget, GrownTree, Task};
use super::settings::{ForestParams, Settings};
use super::split_statistics::{Amount, Counted, Shares, SplitStatistics, TwoCounts, Weighted};
use crate::cart::classifier::{ClassificationCriterion, class_totals, factors, monotone, times_factors};
use crate::cart::criterion::classes::{Classes, Impurity};
use crate::cart::criterion::multi_output::MultiOutputClasses;
use crate::cart::training_columns::TrainingColumns;
use crate::class_labels::{ClassLabels, NOTHING, checked_codes};
use crate::limits::{Limits, MaxFeatures};
use crate::packed::PackedTrees;
use mercer_core::class_weight::{WEIGHTS, balanced};
use mercer_core::{
    Abilities, Attribute, Certificate, ClassWeight, Dataset, Error, Evidence, Fitted, Input, Labels,
    ParamGroup, ParamKind, ParamType, Prediction, Proba, Result, Schema, Session, Value,
};
use mercer_math::{Mat, Weights};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How a forest weights classes.
#[derive(Clone, Debug, PartialEq)]
pub enum ForestClassWeight {
    /// As other classifiers do.
    Whole(ClassWeight),
    /// All classes weigh the same in the bag of each tree.
    BalancedSubsample,
}

impl ParamType for ForestClassWeight {
    fn kind() -> ParamKind {
        ParamKind::Choice { words: &["balanced", "balanced_subsample"], number: false }
    }

    fn to_value(&self) -> Value {
        match self {
            ForestClassWeight::Whole(weight) => weight.to_value(),
            ForestClassWeight::BalancedSubsample => Value::Text("balanced_subsample".to_owned()),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(word) if word == "balanced_subsample" => Ok(ForestClassWeight::BalancedSubsample),
            other => ClassWeight::from_value(other)
                .map(ForestClassWeight::Whole)
                .map_err(|_| format!("balanced, balanced_subsample {WEIGHTS}")),
        }
    }
}

/// What forests for classes share.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ForestClassifierParams {
    /// How impure a node is.
    #[param(default = ClassificationCriterion::Gini)]
    pub criterion: ClassificationCriterion,
    /// Trees, bags and features.
    #[param(
        flatten,
        default(tree.max_features = Some(MaxFeatures::Sqrt)),
        doc(monotonic_cst = "Whether the probability of the second of two classes must rise (1) or fall (-1) with a column: signs by place,\nor names with signs.")
    )]
    pub forest: ForestParams,
    /// How classes are weighted: so that all weigh the same, or each by a weight of its own, given by label; none leaves
    /// them as they are.
    #[param(default = None)]
    pub class_weight: Option<ForestClassWeight>,
}

/// The class targets of the kept rows.
pub(crate) struct ClassResponse<'a> {
    /// The codes of each target, and the number of its classes.
    pub(crate) targets: &'a [(Vec<u32>, usize)],
    /// Weights inside the trees, unless all are 1.
    pub(crate) w: Option<&'a [f64]>,
    pub(crate) impurity: Impurity,
    /// Whether classes are balanced in each bag.
    pub(crate) by_bag: bool,
}

impl ClassResponse<'_> {
    /// The first target, the only one of binned trees.
    fn y(&self) -> &[u32] {
        &self.targets[0].0
    }

    /// The factors of the classes of each target in a bag.
    fn factors(&self, task: &Task) -> Option<Vec<Arc<[f64]>>> {
        let one = |(y, k): &(Vec<u32>, usize)| {
            let (own, counts): (Vec<u32>, Vec<f64>) =
                task.rows(y.len()).map(|(i, c)| (y[i as usize], f64::from(c))).unzip();
            balanced(&class_totals(&own, &Some(counts), *k)).into()
        };
        self.by_bag.then(|| self.targets.iter().map(one).collect())
    }

    fn weight(&self, row: u32, count: u16, factors: Option<&[Arc<[f64]>]>) -> f64 {
        let one = |((y, _), f): (&(Vec<u32>, usize), &Arc<[f64]>)| f[y[row as usize] as usize];
        let factor: f64 = factors.map_or(1.0, |f| self.targets.iter().zip(f).map(one).product());
        Weights::from(self.w)[row as usize] * f64::from(count) * factor
    }

    fn counted<T: SplitStatistics<Item = Counted>>(
        &self,
        statistics: &T,
        task: Task,
        codes: &BinnedColumns,
        limits: &Limits,
    ) -> GrownTree {
        let item = |row: u32, count: u16| Counted { class: self.y()[row as usize] as u16, count };
        task.binned(statistics, codes, self.y().len(), limits, item)
    }

    fn weighed<T: SplitStatistics<Item = Weighted>>(
        &self,
        statistics: &T,
        task: Task,
        codes: &BinnedColumns,
        limits: &Limits,
    ) -> GrownTree {
        let factors = self.factors(&task);
        let item = |row: u32, count: u16| {
            let weight = self.weight(row, count, factors.as_deref());
            Weighted { class: self.y()[row as usize], weight }
        };
        task.binned(statistics, codes, self.y().len(), limits, item)
    }

    fn shares<A: Amount, const K: usize>(&self) -> Shares<A, K> {
        Shares::new(self.impurity, self.targets[0].1)
    }
}

impl ForestTarget for ClassResponse<'_> {
    /// Histograms know one target of not too many classes, two of the impurities, and no signs.
    fn codes(
        &self,
        training: &TrainingColumns<'_>,
        max_bins: Option<usize>,
        limits: &Limits,
    ) -> Option<BinnedColumns> {
        let few = self.targets.len() == 1 && self.targets[0].1 <= MOST && self.impurity != Impurity::Error;
        (few && limits.monotone.is_none()).then(|| training.codes(max_bins, limits)).flatten()
    }

    fn binned(&self, task: Task, codes: &BinnedColumns, limits: &Limits) -> GrownTree {
        let whole = self.w.is_none() && !self.by_bag;
        match (whole, self.targets[0].1) {
            (true, 2) => self.counted(&TwoCounts { impurity: self.impurity }, task, codes, limits),
            (true, ..=4) => self.counted(&self.shares::<u32, 4>(), task, codes, limits),
            (true, ..=8) => self.counted(&self.shares::<u32, 8>(), task, codes, limits),
            (true, ..=16) => self.counted(&self.shares::<u32, 16>(), task, codes, limits),
            (true, _) => self.counted(&self.shares::<u32, MOST>(), task, codes, limits),
            (false, 2) => self.weighed(&self.shares::<f64, 2>(), task, codes, limits),
            (false, ..=8) => self.weighed(&self.shares::<f64, 8>(), task, codes, limits),
            (false, _) => self.weighed(&self.shares::<f64, MOST>(), task, codes, limits),
        }
    }

    fn exact(&self, task: Task, training: &TrainingColumns<'_>, limits: &Limits) -> GrownTree {
        let (factors, once) = (self.factors(&task), task.counts.is_none() && self.w.is_none());
        let weights = |rows: &[(u32, u16)]| {
            let weigh = |&(i, c): &(u32, u16)| self.weight(i, c, factors.as_deref());
            (!once || self.by_bag).then(|| rows.iter().map(weigh).collect::<Vec<f64>>())
        };
        let classes = |rows: &[(u32, u16)], (y, k): &(Vec<u32>, usize), w: Option<Vec<f64>>| {
            let y = rows.iter().map(|&(i, _)| y[i as usize]).collect();
            Classes { y, w, k: *k, impurity: self.impurity, by_class: None, table: Arc::from([]) }
        };
        match self.targets {
            [one] => task.exact(training, limits, |rows| classes(rows, one, weights(rows))),
            many => task.exact(training, limits, |rows| {
                let w = weights(rows);
                MultiOutputClasses(many.iter().map(|one| classes(rows, one, w.clone())).collect())
            }),
        }
    }
}

/// Most classes of a binned forest; more are split exactly.
const MOST: usize = 64;

/// Grows a forest for classes.
pub(crate) fn grow(
    settings: Settings<'_>,
    ForestClassifierParams { criterion, class_weight, .. }: &ForestClassifierParams,
    data: &Dataset<'_>,
    session: &Session,
) -> Result<ForestClassifierModel> {
    let rows = data.rows(settings.owner)?;
    let target = data.need_target(settings.owner)?;
    let columns = checked_codes(&target)?;
    let training = TrainingColumns::new(settings.owner, &rows, data)?;
    let (n, d) = (training.n_kept(), rows.n_features());
    let targets: Vec<(Vec<u32>, usize)> =
        columns.iter().map(|(codes, labels)| (training.pick(codes), labels.len())).collect();
    let classes = ClassLabels::of(data);
    let by_bag = *class_weight == Some(ForestClassWeight::BalancedSubsample) && settings.params.bootstrap;
    let whole = match class_weight {
        Some(ForestClassWeight::Whole(weight)) => Some(weight.clone()),
        Some(ForestClassWeight::BalancedSubsample) if !by_bag => Some(ClassWeight::Balanced),
        _ => None,
    };
    let w = weighted(settings.owner, whole.as_ref(), &columns, &targets, &training.weights)?;
    let mut plan = settings.plan(n, d, w.as_deref(), session);
    plan.limits.monotone =
        monotone(settings.owner, &training, settings.params.tree.monotonic_cst.as_ref(), &rows, &columns)?;
    plan.limits.interactions = settings.interactions(&rows)?;
    let impurity = match criterion {
        ClassificationCriterion::Gini => Impurity::Gini,
        ClassificationCriterion::Error => Impurity::Error,
        ClassificationCriterion::Entropy | ClassificationCriterion::LogLoss => Impurity::Entropy,
    };
    // A bag has drawn by weight already.
    let w = w.as_deref().filter(|_| !settings.params.bootstrap);
    let response = ClassResponse { targets: &targets, w, impurity, by_bag };
    let (forest, termination) =
        response.forest(plan, (&training, settings.params.tree.max_bins), classes.width(), session)?;
    let mut model = ForestClassifierModel {
        forest,
        classes,
        class_weight: whole,
        oob: None,
        oob_score: None,
        certificate: Certificate::new(termination),
    };
    model.certify(data, settings.params.oob_score, session)?;
    Ok(model)
}

/// The weights of rows times those of their classes.
fn weighted(
    owner: &str,
    given: Option<&ClassWeight>,
    columns: &[(&[u32], &Labels)],
    targets: &[(Vec<u32>, usize)],
    w: &Option<Vec<f64>>,
) -> Result<Option<Vec<f64>>> {
    let Some(given) = given else { return Ok(w.clone()) };
    let labels: Vec<&Labels> = columns.iter().map(|(_, labels)| *labels).collect();
    let factors = factors(owner, given, &labels, targets, w)?;
    Ok(Some(times_factors(targets, w, &factors)))
}

/// A grown forest for classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForestClassifierModel {
    pub(super) forest: Forest,
    pub(super) classes: ClassLabels,
    /// How the classes of the rows weighed that were drawn.
    class_weight: Option<ClassWeight>,
    /// Rows × classes.
    oob: Option<Vec<f64>>,
    oob_score: Option<f64>,
    certificate: Certificate,
}

/// The name of the evidence, the classes found (rows × targets), and their shares out of bag.
type Found = (&'static str, Vec<u32>, Option<Vec<f64>>);

/// The names of the certificate's evidence.
const OUTSIDE: &str = "out-of-bag error rate";
const INSIDE: &str = "training error rate";

impl ForestClassifierModel {
    /// The trees; their leaves hold class shares.
    pub fn trees(&self) -> &PackedTrees {
        &self.forest.packed
    }

    /// What a node of these class shares says.
    pub(crate) fn conclusion(&self, shares: &[f64]) -> String {
        self.classes.conclusion(shares)
    }

    /// The decrease of impurity that each feature brought, a mean over the trees, summing to 1.
    pub fn feature_importances(&self) -> &[f64] {
        &self.forest.importances
    }

    /// The class shares of every training row over the trees whose bags it is not in (NaN where there is none), rows
    /// × classes; with `oob_score`.
    pub fn oob_decision_function(&self) -> Option<&[f64]> {
        self.oob.as_deref()
    }

    /// The share of training rows that those trees predict rightly; with `oob_score`.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// For each row of `a` and of `b`, the share of trees in which both end in the same leaf.
    pub fn proximity(&self, a: &Input<'_>, b: &Input<'_>, session: &Session) -> Result<Mat> {
        self.forest.proximity(a, b, session)
    }

    /// The spread of the trees: how much averaging them helps, and how much more could.
    pub fn ensemble_variance(&self, data: &Dataset<'_>, session: &Session) -> Result<EnsembleVariance> {
        let target = data.need_target("a forest")?;
        let (codes, k) = (target.class()?.0, self.classes.width());
        // The error of a tree is one minus the share that it gives the true class.
        let error = |i: usize, value: &[f64]| 1.0 - value.get((codes[i] as usize).min(k)).unwrap_or(&0.0);
        EnsembleVariance::measure(&self.forest.packed, data, session, error)
    }

    fn certify(&mut self, data: &Dataset<'_>, keep: bool, session: &Session) -> Result<()> {
        let mut certificate = self.certificate.clone().with_iterations(self.forest.packed.n_trees() as u64);
        if session.interrupted().is_some() {
            self.certificate = certificate.with_note("stopped before its error was measured");
            return Ok(());
        }
        let (name, codes, shares) = self.found(data, session)?;
        let error = self.classes.error_rate(data, &codes)?;
        certificate = if error.is_nan() {
            certificate.with_note("no evidence: no row is outside of any bag")
        } else {
            let meaning = match name {
                OUTSIDE => "share of the weight that the trees grown without a row predict wrongly for it",
                _ => "share of the training weight that the forest predicts wrongly",
            };
            certificate.with_evidence(Evidence::value(name, error, meaning))
        };
        if keep {
            (self.oob, self.oob_score) = (shares, Some(self.classes.exact_rate(data, &codes)?));
        }
        self.certificate = certificate;
        Ok(())
    }

    /// The classes found for the rows grown on: out of bag where there are bags.
    fn found(&self, data: &Dataset<'_>, session: &Session) -> Result<Found> {
        let (name, shares) = match &self.forest.bags {
            Some(bags) => (OUTSIDE, self.out_of_bag(bags, data, session)?),
            None => (INSIDE, self.forest.mean(&data.input(), session)?),
        };
        let q = self.classes.len();
        let found = |row: &[f64]| -> Vec<u32> {
            if row[0].is_nan() { vec![NOTHING; q] } else { self.classes.codes(row).collect() }
        };
        let codes: Vec<u32> = shares.chunks(self.classes.width()).flat_map(found).collect();
        Ok((name, codes, self.forest.bags.is_some().then_some(shares)))
    }

    fn out_of_bag(&self, bags: &Bags, data: &Dataset<'_>, session: &Session) -> Result<Vec<f64>> {
        let weights = data.weights();
        let own = weights.as_deref().map(<[f64]>::to_vec);
        let target = data.need_target("a forest")?;
        let columns = checked_codes(&target)?;
        let targets: Vec<_> = columns.iter().map(|(codes, l)| (codes.to_vec(), l.len())).collect();
        let drawn_by = weighted("a forest", self.class_weight.as_ref(), &columns, &targets, &own)?;
        self.forest.out_of_bag(bags, data, drawn_by.as_deref(), session)
    }

    fn shares(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        self.forest.mean(input, session)
    }
}

impl Proba for ForestClassifierModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let (n, k) = (input.rows("a forest")?.n_rows(), self.classes.width());
        let shares = self.shares(input, session)?;
        Mat::from_vec(shares, n, k).ok_or_else(|| Error::shape("probabilities", n * k, 0))
    }
}

impl Fitted for ForestClassifierModel {
    const VERSION: u32 = 3;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let shares = self.shares(input, session)?;
        let codes: Vec<u32> =
            shares.chunks(self.classes.width()).flat_map(|row| self.classes.codes(row)).collect();
        self.classes.predicted(&codes, schema)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            proba: Some(self),
            explain: Some(self),
            trees: Some(self),
            members: Some(self),
            ..Abilities::default()
        }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (name, codes, _) = self.found(data, session)?;
        Ok(vec![(name.to_owned(), self.classes.error_rate(data, &codes)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = super::attributes(&self.forest);
        let k = self.classes.width();
        all.push(self.classes.n_classes());
        if let (Some(oob), Some(score)) = (&self.oob, self.oob_score) {
            let doc = "Class shares of the training rows over the trees grown without them.";
            all.push(Attribute::real("oob_decision_function_", doc, &[oob.len() / k, k], oob.clone()));
            all.push(Attribute::real(
                "oob_score_",
                "Share of rows that they predict rightly.",
                &[],
                vec![score],
            ));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.classes.validate(schema)?;
        self.forest.validate(schema, self.classes.width(), self.oob.as_deref())
    }
}
