//! What the learners of many classes learn: models of two classes, and how their answers are put together.

use super::{Classes, confidence};
use crate::base;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Fitted, Input, Labels, Model, NestedModel, Params,
    Prediction, Proba, Result, Schema, Session, Target, Task, Termination,
};
use mercer_math::{Mat, argmax};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Models of two classes that tell many apart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MulticlassModel {
    scheme: Scheme,
    labels: Labels,
    /// The classes that occurred in training, in rising order.
    present: Vec<u32>,
    members: Vec<NestedModel>,
    certificate: Certificate,
}

/// What the members are asked, and how their answers are put together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Scheme {
    /// Each present class against the others; of two, the second against the first.
    Rest,
    /// Each pair of present classes, (0, 1), (0, 2), …, (1, 2), …: is it the second?
    Pairs,
    /// One bit of the word of a class each.
    Codes {
        /// Present classes × bits, as `code_book_` shows it.
        book: Mat,
    },
}

/// The decision value of a class that did not occur in training.
const ABSENT: f64 = -1e300;

impl Scheme {
    /// The number of members that `k` classes need.
    fn n_members(&self, k: usize) -> usize {
        match self {
            Scheme::Rest if k > 2 => k,
            Scheme::Rest => k.saturating_sub(1),
            Scheme::Pairs => k * (k - 1) / 2,
            Scheme::Codes { book } => book.n_cols(),
        }
    }
}

impl MulticlassModel {
    /// The model of trained members, named by `name`, with its certificate.
    pub(super) fn new<L: Params>(
        scheme: Scheme,
        classes: Classes,
        members: Vec<NestedModel>,
        data: &Dataset<'_>,
        session: &Session,
        name: impl Fn(usize) -> String,
    ) -> Result<Self> {
        let termination = session.interrupted().unwrap_or(Termination::Exact);
        let certificate = base::certificate(termination, (0..).map(name).zip(&members));
        let Classes { labels, present, .. } = classes;
        let mut model = Self { scheme, labels, present, members, certificate: Certificate::new(termination) };
        let evidence = base::fit_evidence(data, &model.found(&data.input(), session)?, L::NAME)?;
        model.certificate = base::certified(certificate, evidence, data)?;
        Ok(model)
    }

    /// How sure each member is, members × rows.
    fn answers(&self, input: &Input<'_>, session: &Session) -> Result<Vec<Vec<f64>>> {
        let quiet = session.quiet();
        session.run(|| self.members.par_iter().map(|m| confidence(m, input, &quiet)).collect())
    }

    /// What speaks for each present class, rows × present classes: the greatest wins.
    fn scores(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let (n, k) = (input.n_units().unwrap_or(0), self.present.len());
        let answers = self.answers(input, session)?;
        Ok(match &self.scheme {
            // The only class that occurs, one of several labels that all rows have or none.
            Scheme::Rest if k == 1 => Mat::from_fn(n, 1, |_, _| 1.0),
            Scheme::Rest if k == 2 => {
                Mat::from_fn(n, 2, |i, c| if c == 1 { answers[0][i] } else { -answers[0][i] })
            }
            Scheme::Rest => Mat::from_fn(n, k, |i, c| answers[c][i]),
            Scheme::Pairs => {
                let votes = self.members.iter().zip(&answers).map(|(m, a)| votes(m, a, input, session));
                pairwise(&votes.collect::<Result<Vec<_>>>()?, &answers, n, k)
            }
            Scheme::Codes { book } => Mat::from_fn(n, k, |i, c| {
                // Confidences lie around 0; words of 0 and 1 lie around a half.
                let word = |bit: f64| if bit > 0.0 { self.reach() } else { -self.reach() };
                let off = |(&bit, answer): (&f64, &Vec<f64>)| (answer[i] - word(bit)).powi(2);
                -book.row(c).iter().zip(&answers).map(off).sum::<f64>()
            }),
        })
    }

    /// How far from 0 a sure answer lies: decision values are compared with 1 and -1, all others with 1 and 0.
    fn reach(&self) -> f64 {
        if self.members.first().is_some_and(|m| m.0.can().decision) { 1.0 } else { 0.5 }
    }

    /// The predicted classes, in the labels of training.
    pub(super) fn found(&self, input: &Input<'_>, session: &Session) -> Result<Prediction> {
        Ok(Target::coded(self.codes(input, session)?, self.labels.clone()))
    }

    pub(super) fn codes(&self, input: &Input<'_>, session: &Session) -> Result<Vec<u32>> {
        let scores = self.scores(input, session)?;
        Ok((0..scores.n_rows()).map(|i| self.present[argmax(scores.row(i))]).collect())
    }

    /// Values of the present classes among all classes.
    fn spread_out(&self, values: &Mat, absent: f64) -> Mat {
        let mut out = Mat::from_fn(values.n_rows(), self.labels.len(), |_, _| absent);
        for i in 0..values.n_rows() {
            self.present.iter().zip(values.row(i)).for_each(|(&c, v)| out[(i, c as usize)] = *v);
        }
        out
    }

    fn all(&self, can: impl Fn(&dyn Model) -> bool) -> bool {
        self.members.iter().all(|m| m.0.learner().task() == Task::Classification && can(m.0.as_ref()))
    }
}

/// Whether each row is of the second class of a pair: what a classifier predicts, or a number above a half.
fn votes(model: &NestedModel, sure: &[f64], input: &Input<'_>, session: &Session) -> Result<Vec<bool>> {
    Ok(match model.0.learner().task() {
        Task::Regression => sure.iter().map(|v| *v > 0.0).collect(),
        _ => base::codes(model.0.as_ref(), input, session)?.iter().map(|&c| c == 1).collect(),
    })
}

/// Votes of the pairs for each class, and less than half a vote for how sure they were together, which breaks ties.
fn pairwise(votes: &[Vec<bool>], answers: &[Vec<f64>], n: usize, k: usize) -> Mat {
    let pairs: Vec<(usize, usize)> = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).collect();
    let (mut out, mut sure) = (Mat::zeros(n, k), vec![0.0; k]);
    for i in 0..n {
        sure.fill(0.0);
        for (&(a, b), (vote, answer)) in pairs.iter().zip(votes.iter().zip(answers)) {
            out[(i, if vote[i] { b } else { a })] += 1.0;
            sure[a] -= answer[i];
            sure[b] += answer[i];
        }
        out.row_mut(i).iter_mut().zip(&sure).for_each(|(o, s)| *o += squashed(*s));
    }
    out
}

/// A number of any size between -1/3 and 1/3, so that it decides between equal votes only.
fn squashed(sure: f64) -> f64 {
    if sure.is_infinite() { sure.signum() / 3.0 } else { sure / (3.0 * (sure.abs() + 1.0)) }
}

impl Decision for MulticlassModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let values = self.spread_out(&self.scores(input, session)?, ABSENT);
        Ok(match self.labels.len() {
            2 => Mat::from_fn(values.n_rows(), 1, |i, _| values[(i, 1)]),
            _ => values,
        })
    }
}

impl Proba for MulticlassModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let quiet = session.quiet();
        let yes = |m: &NestedModel| m.0.predict_proba(input, &quiet);
        let yes: Vec<Mat> = session.run(|| self.members.par_iter().map(yes).collect::<Result<Vec<_>>>())?;
        let (n, k) = (input.n_units().unwrap_or(0), self.present.len());
        let values = Mat::from_fn(n, k, |i, c| match k {
            1 => 1.0,
            2 => yes[0][(i, c)],
            _ => yes[c][(i, 1)],
        });
        let mut out = self.spread_out(&values, 0.0);
        for i in 0..n {
            let total: f64 = out.row(i).iter().sum();
            if total > 0.0 {
                out.row_mut(i).iter_mut().for_each(|p| *p /= total);
            } else {
                // Nobody claims the row: all classes are as likely.
                self.present.iter().for_each(|&c| out[(i, c as usize)] = 1.0 / k as f64);
            }
        }
        Ok(out)
    }
}

base::members_of!(MulticlassModel, members);

impl Fitted for MulticlassModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        schema.prediction([self.codes(input, session)?])
    }

    fn abilities(&self) -> Abilities<'_> {
        let rest = self.scheme == Scheme::Rest;
        let decides = self.scheme == Scheme::Pairs || (rest && self.all(|m| m.can().decision));
        Abilities {
            proba: (rest && self.all(|m| m.can().proba)).then_some(self as _),
            decision: decides.then_some(self as _),
            members: Some(self),
            ..Abilities::default()
        }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let found = self.found(&data.input(), session)?;
        let (name, value) = base::fit_evidence(data, &found, "a classifier of many classes")?;
        Ok(vec![(name.to_owned(), value)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = Attribute::int("n_classes_", "Number of classes.", &[], vec![self.labels.len() as i64]);
        match &self.scheme {
            Scheme::Rest => {
                let doc = "Whether the target is several labels at once.";
                vec![n, Attribute::int("multilabel_", doc, &[], vec![0])]
            }
            Scheme::Pairs => vec![n],
            Scheme::Codes { book } => {
                let shape = [book.n_rows(), book.n_cols()];
                let doc = "The word of each class, classes × bits.";
                vec![n, Attribute::real("code_book_", doc, &shape, book.as_slice().to_vec())]
            }
        }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        match (schema.labels(), self.present.len()) {
            (Some(labels), 2..) => self.suits(schema, labels),
            _ => Err("members that do not fit the schema".to_owned()),
        }
    }
}

impl MulticlassModel {
    /// Whether the members fit the rows of a schema, and these classes.
    pub(super) fn suits(&self, schema: &Schema, labels: &Labels) -> Result<(), String> {
        let k = self.present.len();
        let suits = |m: &NestedModel| {
            let own = m.0.schema();
            let two = match own.labels() {
                Some(labels) => labels.len() == 2 && (m.0.can().decision || m.0.can().proba),
                None => m.0.learner().task() == Task::Regression && own.targets.len() == 1,
            };
            own.kind == schema.kind && own.n_features() == schema.n_features() && two
        };
        let booked = match &self.scheme {
            Scheme::Rest | Scheme::Pairs => true,
            Scheme::Codes { book } => book.is_consistent() && book.n_rows() == k,
        };
        let ok = labels == &self.labels
            && k >= 1
            && self.present.windows(2).all(|w| w[0] < w[1])
            && self.present.last().is_some_and(|&c| (c as usize) < self.labels.len())
            && self.members.len() == self.scheme.n_members(k)
            && self.members.iter().all(suits)
            && booked;
        if ok { Ok(()) } else { Err("members that do not fit the schema".to_owned()) }
    }
}
