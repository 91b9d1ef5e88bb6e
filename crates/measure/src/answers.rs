//! What a model answers for some rows, beside the truth: all that metrics and reports need.

use crate::metric::{Metric, Needs};
use crate::scored::Scored;
use mercer_core::{Asked, Dataset, Error, Labels, Model, Result, Session, Target};
use mercer_math::Mat;

/// Answers beside the truth.
#[derive(Clone, Debug)]
pub enum Answers {
    /// Classes.
    Classes {
        /// The dictionary.
        labels: Labels,
        /// True codes.
        truth: Vec<u32>,
        /// Predicted codes.
        predicted: Vec<u32>,
        /// Probabilities, where the model gives them.
        probabilities: Option<Mat>,
        /// Decision values, where the model gives them.
        scores: Option<Mat>,
        /// Weights.
        weights: Option<Vec<f64>>,
    },
    /// Numbers, one entry a target.
    Numbers {
        /// True numbers.
        truth: Vec<Vec<f64>>,
        /// Predicted numbers.
        predicted: Vec<Vec<f64>>,
        /// Weights.
        weights: Option<Vec<f64>>,
    },
}

impl Answers {
    /// Asks a model about the rows of a data set that has a target. Labels that the model does not know are an
    /// error that names them.
    pub fn of(model: &dyn Model, data: &Dataset<'_>, session: &Session) -> Result<Self> {
        data.need_target(model.declaration().name)?;
        Self::of_asked(&model.on(&data.input(), session)?, data)
    }

    /// The same of a model that has the rows of the data already.
    pub fn of_asked(asked: &Asked<'_>, data: &Dataset<'_>) -> Result<Self> {
        Self::with(asked, data, (true, true))
    }

    /// [`Answers::of`], with probabilities and decision values only as far as a metric looks at them.
    pub fn for_metric(
        model: &dyn Model,
        data: &Dataset<'_>,
        metric: &Metric,
        session: &Session,
    ) -> Result<Self> {
        data.need_target(model.declaration().name)?;
        let looked_at = (metric.needs != Needs::Labels, metric.needs == Needs::Scores);
        Self::with(&model.on(&data.input(), session)?, data, looked_at)
    }

    fn with(asked: &Asked<'_>, data: &Dataset<'_>, (proba, decision): (bool, bool)) -> Result<Self> {
        let target = data.need_target("a score")?;
        let (prediction, can) = (asked.predict()?, asked.abilities());
        let weights = data.weights().map(|w| w.into_owned());
        match asked.schema().labels() {
            Some(labels) => Ok(Answers::Classes {
                truth: recode(&target, labels)?,
                predicted: prediction.class()?.0.to_vec(),
                probabilities: can.proba.filter(|_| proba).map(|_| asked.proba()).transpose()?,
                scores: can.decision.filter(|_| decision).map(|_| asked.decision()).transpose()?,
                labels: labels.clone(),
                weights,
            }),
            None => {
                let columns = |t: &Target<'_>| {
                    (0..t.n_columns())
                        .map(|k| t.numbers_of(k).map(<[f64]>::to_vec))
                        .collect::<Result<Vec<_>>>()
                };
                Ok(Answers::Numbers { truth: columns(&target)?, predicted: columns(&prediction)?, weights })
            }
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Answers::Classes { truth, .. } => truth.len(),
            Answers::Numbers { truth, .. } => truth.first().map_or(0, Vec::len),
        }
    }

    /// The value of a metric; of several targets, the mean over them.
    pub fn score(&self, metric: &Metric) -> Result<f64> {
        match self {
            Answers::Classes { labels, truth, predicted, probabilities, scores, weights } => metric.evaluate(
                &Scored::Classes {
                    truth,
                    n_classes: labels.len(),
                    predicted: Some(predicted),
                    probabilities: probabilities.as_ref().map(Mat::view),
                    scores: scores.as_ref().map(Mat::view),
                },
                weights.as_deref(),
            ),
            Answers::Numbers { truth, predicted, weights } => {
                let each = truth
                    .iter()
                    .zip(predicted)
                    .map(|(truth, predicted)| {
                        metric.evaluate(&Scored::Numbers { truth, predicted }, weights.as_deref())
                    })
                    .collect::<Result<Vec<_>>>()?;
                Ok(each.iter().sum::<f64>() / each.len().max(1) as f64)
            }
        }
    }

    /// The answers for some of the rows, which may repeat.
    #[must_use]
    pub fn subset(&self, rows: &[usize]) -> Answers {
        fn pick<T: Copy>(v: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&i| v[i]).collect()
        }
        let mat = |m: &Option<Mat>| m.as_ref().map(|m| m.view().gather(rows));
        match self {
            Answers::Classes { labels, truth, predicted, probabilities, scores, weights } => {
                Answers::Classes {
                    labels: labels.clone(),
                    truth: pick(truth, rows),
                    predicted: pick(predicted, rows),
                    probabilities: mat(probabilities),
                    scores: mat(scores),
                    weights: weights.as_ref().map(|w| pick(w, rows)),
                }
            }
            Answers::Numbers { truth, predicted, weights } => Answers::Numbers {
                truth: truth.iter().map(|v| pick(v, rows)).collect(),
                predicted: predicted.iter().map(|v| pick(v, rows)).collect(),
                weights: weights.as_ref().map(|w| pick(w, rows)),
            },
        }
    }

    /// The answers of several folds put back in the order of the rows; `None` where there are none.
    pub fn merge(parts: &[(Vec<usize>, Answers)], n_rows: usize) -> Option<Answers> {
        let rows: Vec<usize> = parts.iter().flat_map(|(rows, _)| rows.iter().copied()).collect();
        let mut place = vec![usize::MAX; n_rows];
        rows.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        let order: Vec<usize> = place.into_iter().filter(|&at| at != usize::MAX).collect();
        let joined = parts.iter().map(|(_, a)| a.clone()).reduce(Answers::join)?;
        Some(joined.subset(&order))
    }

    fn join(self, other: Answers) -> Answers {
        fn stack(a: Option<Mat>, b: Option<Mat>) -> Option<Mat> {
            let (a, b) = (a?, b?);
            let (n, d) = (a.n_rows() + b.n_rows(), a.n_cols());
            Mat::from_vec([a.into_vec(), b.into_vec()].concat(), n, d)
        }
        let both = |a: Option<Vec<f64>>, b: Option<Vec<f64>>| Some([a?, b?].concat());
        match (self, other) {
            (
                Answers::Classes { labels, truth, predicted, probabilities, scores, weights },
                Answers::Classes { truth: t, predicted: p, probabilities: q, scores: s, weights: w, .. },
            ) => Answers::Classes {
                labels,
                truth: [truth, t].concat(),
                predicted: [predicted, p].concat(),
                probabilities: stack(probabilities, q),
                scores: stack(scores, s),
                weights: both(weights, w),
            },
            (
                Answers::Numbers { truth, predicted, weights },
                Answers::Numbers { truth: t, predicted: p, weights: w },
            ) => {
                let columns = |a: Vec<Vec<f64>>, b: Vec<Vec<f64>>| {
                    a.into_iter().zip(b).map(|(a, b)| [a, b].concat()).collect()
                };
                Answers::Numbers {
                    truth: columns(truth, t),
                    predicted: columns(predicted, p),
                    weights: both(weights, w),
                }
            }
            (first @ (Answers::Classes { .. } | Answers::Numbers { .. }), _) => first,
        }
    }
}

/// The codes of a target in the dictionary of a model.
fn recode(target: &Target<'_>, labels: &Labels) -> Result<Vec<u32>> {
    let (codes, own) = target.class()?;
    if let Some(row) = codes.iter().position(|&c| c as usize >= own.len()) {
        let column = target.columns().first().and_then(|c| c.name.clone()).unwrap_or_default();
        let (learner, value) = ("scoring".to_owned(), "a missing label".to_owned());
        let hint = "leave such rows out".to_owned();
        return Err(mercer_core::ErrorKind::BadValue { learner, value, column, row, hint }.into());
    }
    if own == labels {
        return Ok(codes.to_vec());
    }
    // Labels read from another file may be of another type: "1" there, 1 here. Their texts decide.
    let place = |label: &mercer_core::Label| {
        labels.iter().position(|l| l == label || l.to_string() == label.to_string())
    };
    let map: Vec<Option<u32>> = own.iter().map(|l| place(l).map(|p| p as u32)).collect();
    codes
        .iter()
        .map(|&c| {
            map[c as usize].ok_or_else(|| {
                let known: Vec<String> = labels.iter().map(ToString::to_string).collect();
                Error::unknown(
                    "class of the model",
                    &own[c as usize].to_string(),
                    known.iter().map(String::as_str),
                )
            })
        })
        .collect()
}
