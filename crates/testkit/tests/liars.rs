//! Learners that lie about what their models give, one for each ability and either way: the suite finds each.

use mercer_core::{
    Abilities, Capabilities, Certificate, Contributions, Dataset, Decision, Densities, Error, Explainer,
    Fitted, FoundTopics, Input, Interactions, Intervals, Inverse, Joint, Learn, Learner, MappedExplainer,
    Members, Model, Neighbours, OutputMap, Outputs, Params, Policy, Prediction, PredictiveSpread, Proba,
    Quantiles, Result, Rows, Samples, Schema, Session, Spread, Summarised, Summary, Termination, Topics,
    Transformer, TreeNode, Trees, Value,
};
use mercer_math::{Mat, Neighbourhoods};
use mercer_testkit::check_all;
use serde::{Deserialize, Serialize};

/// A mean that says of itself what it is told to, and whose model hands out what it is told to.
#[derive(Clone, Debug, Params)]
#[params(aliases = "liar", task = Regression)]
struct Liar {
    /// The ability that is declared.
    #[param(default = String::new())]
    declares: String,
    /// The ability that the model has.
    #[param(default = String::new())]
    has: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct LiarModel {
    has: String,
    mean: f64,
    certificate: Certificate,
}

/// The capabilities with nothing but the one of this name.
macro_rules! only {
    ($name:expr; $($ability:ident),*) => {
        Capabilities { $($ability: $name == stringify!($ability),)* ..Capabilities::NONE }
    };
}

impl Learn for Liar {
    type Model = LiarModel;

    fn capabilities(&self) -> Capabilities {
        only!(self.declares; proba, decision, joint, intervals, quantiles, transform, inverse, explain, explain_mapped, trees, members, spread, summary, neighbours, density, sample, policy, topics)
    }

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<LiarModel> {
        let target = data.need_target(Self::NAME)?;
        let mut y = target.numbers()?.to_vec();
        y.sort_by(f64::total_cmp);
        let mean = y.iter().sum::<f64>() / y.len() as f64;
        let certificate = Certificate::without_evidence(Termination::Exact, "a liar proves nothing");
        Ok(LiarModel { has: self.has.clone(), mean, certificate })
    }
}

impl LiarModel {
    fn constant(&self, input: &Input<'_>, width: usize) -> Mat {
        Mat::from_fn(input.n_units().unwrap_or(0), width, |_, _| self.mean)
    }
}

impl Proba for LiarModel {
    fn probabilities(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        Ok(self.constant(input, 2))
    }
}

impl Decision for LiarModel {
    fn decisions(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        Ok(self.constant(input, 1))
    }
}

impl Joint for LiarModel {
    fn log_joint(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        Ok(self.constant(input, 2))
    }
}

impl Intervals for LiarModel {
    fn intervals(&self, input: &Input<'_>, _: f64, _: &Session) -> Result<Mat> {
        Ok(self.constant(input, 2))
    }
}

impl Quantiles for LiarModel {
    fn quantiles(&self, input: &Input<'_>, quantiles: &[f64], _: &Session) -> Result<Mat> {
        Ok(self.constant(input, quantiles.len()))
    }
}

impl Transformer for LiarModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        Ok(Rows::from(self.constant(input, 4)))
    }
    fn names_out(&self, schema: &Schema) -> Vec<String> {
        schema.features.iter().map(|f| f.name.clone()).collect()
    }
}

impl Inverse for LiarModel {
    fn inverted(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        Ok(Rows::from(self.constant(input, 4)))
    }
}

impl Explainer for LiarModel {
    fn contributions(&self, input: &Input<'_>, _: &Session) -> Result<Contributions> {
        let n = input.n_units().unwrap_or(0);
        let (features, outputs, base) = (Vec::new(), Outputs::Numbers, vec![self.mean]);
        Ok(Contributions { features, outputs, base, values: vec![Mat::zeros(n, 4)] })
    }
    fn interactions(&self, input: &Input<'_>, _: &Session) -> Result<Interactions> {
        Ok(vec![vec![Mat::zeros(4, 4); input.n_units().unwrap_or(0)]])
    }
}

impl MappedExplainer for LiarModel {
    fn mapped_contributions(
        &self,
        input: &Input<'_>,
        _: &OutputMap<'_>,
        session: &Session,
    ) -> Result<Contributions> {
        self.contributions(input, session)
    }
    fn mapped_interactions(
        &self,
        input: &Input<'_>,
        _: &OutputMap<'_>,
        session: &Session,
    ) -> Result<Interactions> {
        self.interactions(input, session)
    }
}

impl Trees for LiarModel {
    fn n_trees(&self) -> usize {
        1
    }
    fn nodes(&self, _: usize, _: &Schema) -> Vec<TreeNode> {
        Vec::new()
    }
    fn path(&self, _: usize, _: &dyn Fn(usize) -> f64) -> Vec<usize> {
        vec![0]
    }
    fn leaves(&self, input: &Input<'_>, _: &Session) -> Result<Vec<u32>> {
        Ok(vec![0; input.n_units().unwrap_or(0)])
    }
}

impl Members for LiarModel {
    fn n_members(&self) -> usize {
        0
    }
    fn member(&self, _: usize, _: &dyn Model) -> Result<Box<dyn Model>> {
        Err(Error::incapable("a liar", "have members"))
    }
}

impl Spread for LiarModel {
    fn spread(&self, input: &Input<'_>, _: &Session) -> Result<PredictiveSpread> {
        let n = input.n_units().unwrap_or(0);
        let mean = vec![self.mean; n];
        Ok(PredictiveSpread { mean, epistemic: vec![0.0; n], aleatoric: vec![1.0; n] })
    }
    fn covariance(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        Ok(Mat::identity(input.n_units().unwrap_or(0)))
    }
}

impl Neighbours for LiarModel {
    fn n_rows(&self) -> usize {
        0
    }
    fn nearest(&self, _: Option<&Input<'_>>, _: Option<usize>, _: &Session) -> Result<Neighbourhoods> {
        Err(Error::incapable("a liar", "find neighbours"))
    }
    fn within(&self, _: Option<&Input<'_>>, _: Option<f64>, _: &Session) -> Result<Neighbourhoods> {
        Err(Error::incapable("a liar", "find neighbours"))
    }
}

impl Densities for LiarModel {
    fn log_densities(&self, input: &Input<'_>, _: &Session) -> Result<Vec<f64>> {
        Ok(vec![0.0; input.n_units().unwrap_or(0)])
    }
}

impl Policy for LiarModel {
    fn action_probabilities(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        Ok(Mat::from_fn(input.n_units().unwrap_or(0), 2, |_, _| 0.5))
    }
}

impl Topics for LiarModel {
    fn found(&self, _: &Schema) -> FoundTopics {
        FoundTopics::default()
    }
    fn log_bounds(&self, input: &Input<'_>, _: &Session) -> Result<Vec<f64>> {
        Ok(vec![0.0; input.n_units().unwrap_or(0)])
    }
}

impl Samples for LiarModel {
    fn sample(&self, n: usize, _: &Session) -> Result<Rows<'static>> {
        Ok(Rows::from(Mat::zeros(n, 4)))
    }
}

impl Summarised for LiarModel {
    fn summary(&self, _: f64, _: &Schema) -> Result<Summary> {
        Err(Error::incapable("a liar", "have a summary"))
    }
}

impl Fitted for LiarModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, _: &Session) -> Result<Prediction> {
        schema.prediction([vec![self.mean; input.n_units().unwrap_or(0)]])
    }

    fn abilities(&self) -> Abilities<'_> {
        let has = |name: &str| self.has == name;
        Abilities {
            proba: has("proba").then_some(self as _),
            decision: has("decision").then_some(self as _),
            joint: has("joint").then_some(self as _),
            intervals: has("intervals").then_some(self as _),
            quantiles: has("quantiles").then_some(self as _),
            transform: has("transform").then_some(self as _),
            inverse: has("inverse").then_some(self as _),
            explain: has("explain").then_some(self as _),
            explain_mapped: has("explain_mapped").then_some(self as _),
            trees: has("trees").then_some(self as _),
            members: has("members").then_some(self as _),
            spread: has("spread").then_some(self as _),
            summary: has("summary").then_some(self as _),
            neighbours: has("neighbours").then_some(self as _),
            density: has("density").then_some(self as _),
            sample: has("sample").then_some(self as _),
            policy: has("policy").then_some(self as _),
            topics: has("topics").then_some(self as _),
            ..Abilities::default()
        }
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        if self.mean.is_finite() { Ok(()) } else { Err("no mean".to_owned()) }
    }
}

fn liar(declares: &str, has: &str) -> Box<dyn Learner> {
    let learner: Box<dyn Learner> = Box::new(Liar::default());
    let learner = learner.with("declares", &Value::Text(declares.to_owned())).unwrap();
    learner.with("has", &Value::Text(has.to_owned())).unwrap()
}

/// What the suite says of abilities.
fn found(learner: &dyn Learner) -> Vec<String> {
    mercer_core::catalogue::register(&[mercer_core::catalogue::Entry::of::<Liar>()]);
    check_all(learner).into_iter().filter(|why| why.starts_with("capabilities are true")).collect()
}

#[test]
fn whoever_lies_about_an_ability_is_found() {
    assert_eq!(found(liar("", "").as_ref()), Vec::<String>::new(), "an honest learner passes");
    for ability in Capabilities::GIVES {
        let promises = found(liar(ability, "").as_ref());
        assert!(promises.iter().any(|why| why.contains(ability)), "`{ability}` without a model that has it");
        let hides = found(liar("", ability).as_ref());
        assert!(hides.iter().any(|why| why.contains(ability)), "`{ability}` that is not declared");
    }
}
