//! Classification and regression by the neighbours within a radius.
//!
//! # Objective
//! With $N_r(x)$ the rows within distance $r$ of $x$ and weights $w_i = 1$ or $1/d(x, x_i)$,
//! $$ \hat p_c(x) = \frac{\sum_{i \in N_r(x)} w_i [y_i = c]}{\sum_{i \in N_r(x)} w_i}, \qquad
//!    \hat f(x) = \frac{\sum_{i \in N_r(x)} w_i y_i}{\sum_{i \in N_r(x)} w_i}. $$
//!
//! # Algorithm
//! The exact search of `KNeighborsClassifier`, to a distance in place of a number. A row without neighbours has the class
//! `outlier_label`, or is refused where there is none; its number is missing.
//!
//! # Complexity
//! Time O(d n log n) to build a tree; a query costs O(d) for each row that it finds and each leaf that it meets. Memory O(d n).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::RadiusNeighborsRegressor;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0], [1.0], [5.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![1.0, 3.0, 9.0]))?;
//! let model = RadiusNeighborsRegressor::default().radius(1.0).fit(&data)?;
//! let new = Mat::from_rows(&[[0.5], [5.5]]).unwrap();
//! assert_eq!(model.predict(&new)?.numbers()?, &[2.0, 9.0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Distances are compared by their powers, without a root: a row whose distance equals the radius to rounding may fall on
//! either side.
//!
//! # References
//! - E. Fix, J. L. Hodges. Discriminatory analysis: nonparametric discrimination. 1951. doi:10.2307/1403797
//! - J. L. Bentley. Multidimensional binary search trees. CACM 18(9), 1975. doi:10.1145/361002.361007

use super::index::{Index, Reach};
use super::metric::{MetricName, MetricParams};
use super::model::NeighborsModel;
use super::params::{Algorithm, NeighborParams, NeighborWeights, StretchParams, VoteParams};
use super::vote::Said;
use mercer_core::{
    Capabilities, Dataset, Error, Kinds, Learn, ParamGroup, ParamKind, ParamType, Params, Result, Session,
    Value,
};

/// How far neighbours answer, and how they are found.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct RadiusParams {
    /// How far neighbours answer.
    #[param(default = 1.0, range = "[0, inf)", search = "log 0.1..10")]
    pub radius: f64,
    /// How much neighbours count.
    #[param(flatten)]
    pub votes: VoteParams,
    /// How neighbours are searched.
    #[param(flatten)]
    pub neighbors: NeighborParams,
}

/// The class of rows without neighbours.
#[derive(Clone, Debug, PartialEq)]
pub enum OutlierLabel {
    /// The most frequent one of the rows learnt from.
    MostFrequent,
    /// This one; of several targets, one for each or the same for all.
    Labels(Vec<Value>),
}

impl ParamType for OutlierLabel {
    fn kind() -> ParamKind {
        ParamKind::Text
    }
    fn to_value(&self) -> Value {
        match self {
            OutlierLabel::MostFrequent => Value::from("most_frequent"),
            OutlierLabel::Labels(labels) => match labels.as_slice() {
                [one] => one.clone(),
                many => Value::List(many.to_vec()),
            },
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(word) if word == "most_frequent" => Ok(OutlierLabel::MostFrequent),
            Value::Text(_) | Value::Int(_) | Value::Real(_) | Value::Bool(_) => {
                Ok(OutlierLabel::Labels(vec![value.clone()]))
            }
            Value::List(labels) if !labels.is_empty() => Ok(OutlierLabel::Labels(labels.clone())),
            _ => Err("most_frequent, a class, or a list with one for each target".to_owned()),
        }
    }
}

/// Classification by the neighbours within a radius.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "radius-knn",
    canon = "E4",
    task = Classification,
    python = "neighbors",
    twin = "RadiusNeighborsRegressor",
    tried = "| radius=3,outlier_label=most_frequent",
    session = "n_jobs",
    mixins = "VotesMixin",
    order = "metric outlier_label",
    can = "proba neighbours multi_output sparse scaled",
    references = "Fix, Hodges. Discriminatory analysis: nonparametric discrimination. 1951."
)]
pub struct RadiusNeighborsClassifier {
    /// How far neighbours answer, and how they are found.
    #[param(flatten)]
    pub params: RadiusParams,
    /// The class of rows without neighbours; none refuses them.
    #[param(default = None)]
    pub outlier_label: Option<OutlierLabel>,
}

/// Regression by the neighbours within a radius.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "radius-knn-regressor",
    canon = "E4",
    task = Regression,
    python = "neighbors",
    twin = "RadiusNeighborsClassifier",
    tried = "| radius=3,p=inf",
    session = "n_jobs",
    mixins = "VotesMixin",
    can = "neighbours multi_output sparse scaled",
    references = "Fix, Hodges. Discriminatory analysis: nonparametric discrimination. 1951."
)]
pub struct RadiusNeighborsRegressor {
    /// How far neighbours answer, and how they are found.
    #[param(flatten)]
    pub params: RadiusParams,
}

impl RadiusParams {
    fn learn(&self, who: &str, data: &Dataset<'_>, session: &Session) -> Result<NeighborsModel> {
        let index = Index::new(who, &self.neighbors, data)?;
        NeighborsModel::learn(who, index, data, Reach::Radius(self.radius), self.votes.weights, session)
    }
}

impl Learn for RadiusNeighborsClassifier {
    type Model = NeighborsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<NeighborsModel> {
        let outlier = self.outlier_label.as_ref().map(|label| self.outlier(label, data)).transpose()?;
        let model = self.params.learn(Self::NAME, data, session)?;
        Ok(NeighborsModel { outlier, ..model })
    }
    fn kinds(&self) -> Kinds {
        self.params.neighbors.kinds()
    }
    fn capabilities(&self) -> Capabilities {
        self.params.neighbors.capabilities(Self::declaration().capabilities)
    }
}

impl RadiusNeighborsClassifier {
    fn outlier(&self, label: &OutlierLabel, data: &Dataset<'_>) -> Result<Vec<u32>> {
        let target = data.need_target(Self::NAME)?;
        let Said::Classes(columns) = Said::of(&target)? else { return Ok(Vec::new()) };
        if let OutlierLabel::Labels(labels) = label
            && !(labels.len() == 1 || labels.len() == columns.len())
        {
            return Err(Error::shape("outlier labels, one for each target", columns.len(), labels.len()));
        }
        let one = |(k, (codes, n_classes)): (usize, &(Vec<u32>, usize))| match label {
            OutlierLabel::MostFrequent => {
                let mut counts = vec![0.0; *n_classes];
                codes.iter().for_each(|&c| counts[c as usize] += 1.0);
                Ok(mercer_math::argmax(&counts) as u32)
            }
            OutlierLabel::Labels(labels) => {
                let label = labels.get(k).unwrap_or(&labels[0]);
                let wanted = match label {
                    Value::Text(text) => text.clone(),
                    other => other.to_string(),
                };
                let known = target.columns()[k].kind.labels();
                let at = known.and_then(|l| l.iter().position(|l| l.to_string() == wanted));
                at.map(|c| c as u32)
                    .ok_or_else(|| Error::param(Self::NAME, "outlier_label", "a class of the target", label))
            }
        };
        columns.iter().enumerate().map(one).collect()
    }
}

impl Learn for RadiusNeighborsRegressor {
    type Model = NeighborsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<NeighborsModel> {
        self.params.learn(Self::NAME, data, session)
    }
    fn kinds(&self) -> Kinds {
        self.params.neighbors.kinds()
    }
    fn capabilities(&self) -> Capabilities {
        self.params.neighbors.capabilities(Self::declaration().capabilities)
    }
}
