//! Rows that a model is asked several things of are prepared once, and wrappers forward what is asked.

use mercer::assess::{Answers, permutation_importance};
use mercer::measure::Metric;
use mercer::prelude::*;
use mercer::{
    Abilities, Capabilities, Certificate, Fitted, Learn, Params, Rows, Schema, Termination, Transformer,
};
use mercer_report::{Evaluation, ReportBuilder};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};

static TRANSFORMED: AtomicUsize = AtomicUsize::new(0);

/// A step that counts how often it is asked.
#[derive(Clone, Debug, Params)]
#[params(aliases = "counting", can = "transform weights")]
struct Counting {
    /// Of no meaning.
    #[param(default = false)]
    idle: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct CountingModel {
    certificate: Certificate,
    width: usize,
}

impl Learn for Counting {
    type Model = CountingModel;

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> mercer::Result<CountingModel> {
        let certificate = Certificate::without_evidence(Termination::Exact, "nothing is learnt");
        Ok(CountingModel { certificate, width: data.n_features() })
    }
}

impl Transformer for CountingModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> mercer::Result<Rows<'static>> {
        TRANSFORMED.fetch_add(1, Ordering::Relaxed);
        Ok(Rows::from(input.rows("Counting")?.dense("Counting")?.view().to_mat()))
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        schema.features.iter().map(|f| f.name.clone()).collect()
    }
}

impl Fitted for CountingModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        if schema.n_features() == self.width { Ok(()) } else { Err("another width".to_owned()) }
    }
}

fn counted<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = TRANSFORMED.load(Ordering::Relaxed);
    let out = work();
    (TRANSFORMED.load(Ordering::Relaxed) - before, out)
}

/// One test, since the count is one.
#[test]
fn rows_are_prepared_once_for_all_questions() {
    mercer::catalogue();
    let x = Mat::from_fn(40, 2, |i, j| ((i * 7 + j * 3) % 11) as f64);
    let classes: Vec<i64> = (0..40).map(|i| i64::from(x[(i, 0)] > 5.0)).collect();
    let data = Dataset::new(&x).with_target(Target::classes(&classes)).unwrap();
    let tree: Box<dyn Learner> = mercer::learner("tree:max_depth=3").unwrap();
    let pipeline = Pipeline::of(vec![("count", Box::new(Counting::default())), ("tree", tree)]);
    let session = Session::default();
    let (fits, model) = counted(|| (&pipeline as &dyn Learner).train(&data, &session).unwrap());
    assert_eq!(fits, 1, "training rows are transformed once");

    let input = data.input();
    let (asked, handle) = counted(|| model.on(&input, &session).unwrap());
    assert_eq!(asked, 1);
    let (more, found) = counted(|| {
        let found = (handle.predict().unwrap(), handle.proba().unwrap());
        let _ = (handle.contributions().unwrap(), handle.interactions().unwrap(), handle.leaves().unwrap());
        found
    });
    assert_eq!(more, 0, "every further question is asked of the same prepared rows");
    assert_eq!(found.1, model.predict_proba(&input, &session).unwrap());

    let (scoring, _) = counted(|| Answers::of(model.as_ref(), &data, &session).unwrap());
    assert_eq!(scoring, 1, "scoring prepares its rows once, whatever the metric needs");
    let metric = Metric::by_name("log_loss").unwrap();
    let (permuting, _) =
        counted(|| permutation_importance(model.as_ref(), &data, metric, 3, &session).unwrap());
    assert_eq!(permuting, 1 + 2 * 3, "once for the rows as they are, once for each exchange");
    report_prepares_once(model.as_ref(), &data, &session);
}

/// The report scores, measures what matters, draws the tree and explains: all of the same rows.
fn report_prepares_once(model: &dyn Model, data: &Dataset<'_>, session: &Session) {
    let builder = ReportBuilder { title: None, source: "", command: "", table: None, session };
    let (building, report) =
        counted(|| builder.of_model(model, Some(data), Evaluation::GivenRows, None).unwrap());
    assert!(report.binary.is_some() && report.importance.len() == 1 && report.explanations.len() == 3);
    let moved = 2 * 5 + 11;
    assert_eq!(
        building,
        1 + moved,
        "once as they are, then five shuffles a column and one column at 11 values"
    );
}

/// A pipeline gives what its last step gives, without a word for each ability.
#[test]
fn a_pipeline_forwards_every_ability() {
    let x = Mat::from_fn(60, 2, |i, j| ((i * 5 + j) % 13) as f64);
    let y: Vec<f64> = (0..60).map(|i| x[(i, 0)] - x[(i, 1)]).collect();
    let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
    for last in ["forest-regressor(n_estimators=3,quantiles=true)", "tree-regressor", "ridge"] {
        let alone = mercer::learner(&last.replacen('(', ":", 1).replace(')', "")).unwrap();
        let alone = alone.train(&data, &Session::default()).unwrap().can();
        let whole = mercer::learner(&format!("pipeline:steps=[standard-scaler, {last}]")).unwrap();
        let whole = whole.train(&data, &Session::default()).unwrap().can();
        for ability in Capabilities::GIVES {
            assert_eq!(whole.has(ability), alone.has(ability), "{ability} of {last}");
        }
    }
}
