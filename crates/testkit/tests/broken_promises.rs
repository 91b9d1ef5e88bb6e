//! Learners that lie about what they take or which laws they keep, one for each: the suite finds each, and by the check
//! that is there for it.

use mercer_core::{
    Abilities, Capabilities, Certificate, Dataset, Error, Fitted, Input, Learn, Learner, Params, Prediction,
    Proba, Result, RowData, Rows, Schema, Session, Task, Termination, Transformer,
};
use mercer_math::Mat;
use mercer_testkit::check_all;
use serde::{Deserialize, Serialize};

/// Each lie, what its teller learns, and the check that finds it.
const LIES: &[(&str, Task, &str)] = &[
    ("weights", Task::Regression, "weights are taken or refused as declared"),
    ("sparse", Task::Regression, "sparse equals dense"),
    ("missing", Task::Regression, "missing values are taken or refused by column and row"),
    ("categorical", Task::Regression, "columns are taken or refused by kind as declared"),
    ("text", Task::Regression, "columns are taken or refused by kind as declared"),
    ("times", Task::Regression, "columns are taken or refused by kind as declared"),
    ("supervised", Task::Transformation, "a target moves nobody who does not learn from it"),
    ("binary", Task::Classification, "three classes are taken or refused as declared"),
    ("multi_output", Task::Regression, "several targets are taken or refused as declared"),
    ("by_sums", Task::Regression, "streams give the bits of memory"),
    ("scaled", Task::Regression, "scale matters as declared"),
    ("nonnegative", Task::Regression, "negative values are taken or refused as declared"),
    ("counts", Task::Regression, "whoever wants counts refuses negative values"),
    ("resumes", Task::Regression, "learning goes on as declared, after saving, too"),
    ("cross_fits", Task::Transformation, "rows learnt from are transformed like others, unless declared"),
    ("thresholded", Task::Classification, "probabilities sum to 1 and agree with predictions"),
    ("counts_rows", Task::Regression, "weight 2 equals two copies, weight 0 no row"),
    ("ordered", Task::Regression, "the order of rows does not matter"),
    ("random", Task::Regression, "seeds matter only where declared"),
    ("fills", Task::Transformation, "what is declared to fill and to encode does"),
    ("encodes", Task::Transformation, "what is declared to fill and to encode does"),
    ("blind", Task::Regression, "a baseline does not look at the features"),
    ("zeroes", Task::Regression, "an L1 penalty alone sets coefficients to zero"),
];

/// A mean, a vote or a shift, which lies about one thing.
#[derive(Clone, Debug, Params)]
#[params(aliases = "promiser", task = Regression)]
struct Promiser {
    /// What it lies about.
    #[param(default = String::new())]
    lie: String,
    /// What it learns.
    #[param(default = "regression".to_owned())]
    learns: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Promised {
    lie: String,
    value: f64,
    task: Task,
    certificate: Certificate,
}

impl Promiser {
    fn refuses(&self, lie: &str, when: bool) -> Result<()> {
        match when && self.lie == lie {
            true => Err(Error::incapable("a liar", format!("take {lie}"))),
            false => Ok(()),
        }
    }

    /// The number that the model answers with.
    fn value(&self, data: &Dataset<'_>, session: &Session) -> Result<f64> {
        let Some(target) = data.target() else { return Ok(0.0) };
        let numbers = |column: usize| match &target.columns()[column].values {
            mercer_core::TargetValues::Numbers(v) => v.to_vec(),
            mercer_core::TargetValues::Codes(v) => v.iter().map(|&c| f64::from(c)).collect(),
        };
        let y = numbers(0);
        let weights = data.weights().map_or_else(|| vec![1.0; y.len()], |w| w.to_vec());
        let mean = match self.lie.as_str() {
            "ordered" => return Ok(y[0]),
            "random" => return Ok(session.seed() as f64),
            "counts_rows" => y.iter().sum::<f64>() / y.len() as f64,
            _ => {
                let mut terms: Vec<f64> = y.iter().zip(&weights).map(|(y, w)| y * w).collect();
                terms.sort_by(f64::total_cmp);
                terms.iter().sum::<f64>() / weights.iter().sum::<f64>()
            }
        };
        Ok(mean)
    }
}

impl Learn for Promiser {
    type Model = Promised;

    fn task(&self) -> Task {
        match self.learns.as_str() {
            "classification" => Task::Classification,
            "transformation" => Task::Transformation,
            _ => Task::Regression,
        }
    }

    fn capabilities(&self) -> Capabilities {
        let is = |name: &str| self.lie == name;
        Capabilities {
            weights: is("weights") || is("counts_rows"),
            sparse: is("sparse"),
            missing: is("missing") || is("fills"),
            categorical: is("categorical") || is("encodes"),
            text: is("text"),
            times: is("times"),
            multi_output: is("multi_output"),
            by_sums: is("by_sums"),
            scaled: is("scaled"),
            resumes: is("resumes"),
            nonnegative: is("nonnegative"),
            counts: is("counts"),
            cross_fits: is("cross_fits"),
            fills: is("fills"),
            encodes: is("encodes"),
            blind: is("blind"),
            zeroes: is("zeroes"),
            proba: Learn::task(self) == Task::Classification,
            transform: Learn::task(self) == Task::Transformation,
            ..Capabilities::NONE
        }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<Promised> {
        self.refuses("weights", data.weights().is_some())?;
        self.refuses("multi_output", data.target().is_some_and(|t| t.n_columns() > 1))?;
        self.refuses("binary", data.labels().is_some_and(|l| l.len() > 2))?;
        let rows = data.rows(Self::NAME)?;
        self.refuses("sparse", rows.is_sparse())?;
        let table = rows.table()?;
        for column in table.columns() {
            self.refuses("missing", column.n_missing() > 0)?;
            self.refuses(&column.kind().to_string().replace("time", "times"), true)?;
        }
        let certificate = Certificate::without_evidence(Termination::Exact, "a liar proves nothing");
        let value = match (Learn::task(self), self.lie.as_str()) {
            (Task::Transformation, "supervised") | (Task::Regression | Task::Classification, _) => {
                self.value(data, session)?
            }
            _ => 0.0,
        };
        Ok(Promised { lie: self.lie.clone(), value, task: Learn::task(self), certificate })
    }
}

impl Proba for Promised {
    fn probabilities(&self, input: &Input<'_>, _: &Session) -> Result<Mat> {
        Ok(Mat::from_fn(input.n_units().unwrap_or(0), 3, |_, j| [0.5, 0.25, 0.25][j]))
    }
}

impl Transformer for Promised {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows("a liar")?;
        if let RowData::Table(_) = rows.data() {
            return Ok(rows.gather(&(0..rows.n_rows()).collect::<Vec<_>>()));
        }
        let x = rows.dense("a liar")?;
        Ok(Rows::from(Mat::from_fn(x.view().n_rows(), x.view().n_cols(), |i, j| {
            x.view().get(i, j) + self.value
        })))
    }
    fn names_out(&self, schema: &Schema) -> Vec<String> {
        schema.features.iter().map(|f| f.name.clone()).collect()
    }
}

impl Fitted for Promised {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, _: &Session) -> Result<Prediction> {
        let n = input.n_units().unwrap_or(0);
        let first = |i: usize| input.rows("a liar").and_then(|r| Ok(r.dense("a liar")?.view().get(i, 0)));
        let values = match self.lie.as_str() {
            "blind" => (0..n).map(first).collect::<Result<Vec<f64>>>()?,
            "thresholded" => vec![1.0; n],
            _ if schema.labels().is_some() => vec![0.0; n],
            _ => vec![self.value; n],
        };
        match schema.labels() {
            Some(_) => schema.prediction([values.iter().map(|&v| v as u32).collect::<Vec<u32>>()]),
            None => schema.prediction([values]),
        }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            proba: (self.task == Task::Classification).then_some(self as _),
            transform: (self.task == Task::Transformation).then_some(self as _),
            ..Abilities::default()
        }
    }

    fn validate(&self, _: &Schema) -> Result<(), String> {
        Ok(())
    }
}

fn promiser(lie: &str, task: Task) -> Box<dyn Learner> {
    mercer_core::catalogue::register(&[mercer_core::catalogue::Entry::of::<Promiser>()]);
    let lie = lie.to_owned();
    Box::new(Promiser { lie, learns: task.to_string() })
}

/// Whether the check of this name fails.
fn fails(learner: &dyn Learner, check: &str) -> bool {
    check_all(learner).iter().any(|why| why.starts_with(&format!("{check}: ")))
}

#[test]
fn whoever_lies_about_what_it_takes_or_keeps_is_found() {
    let told: Vec<&str> = LIES.iter().map(|(lie, ..)| *lie).collect();
    let all: Vec<&str> = Capabilities::TAKES.iter().chain(Capabilities::KEEPS).copied().collect();
    assert_eq!(told, all, "a liar for each");
    for &(lie, task, check) in LIES {
        assert!(fails(promiser(lie, task).as_ref(), check), "a lie about `{lie}` was not found by `{check}`");
        assert!(!fails(promiser("", task).as_ref(), check), "an honest learner fails `{check}`");
    }
}
