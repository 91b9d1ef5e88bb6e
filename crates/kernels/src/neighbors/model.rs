//! The models of learners from neighbours.

use super::index::{Index, Reach};
use super::params::NeighborWeights;
use super::vote::{Said, evenly_spaced};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, Evidence, Fitted, Input, Neighbours, Prediction,
    Proba, Result, Schema, Session, Termination,
};
use mercer_math::{Mat, Neighbourhoods, argmax};
use serde::{Deserialize, Serialize};

/// Rows with what is known of them, asked for the answers of neighbours.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NeighborsModel {
    pub(crate) index: Index,
    pub(crate) said: Said,
    pub(crate) reach: Reach,
    /// The reach of the other kind, for questions about neighbours.
    pub(crate) weights: NeighborWeights,
    /// The class of each target for rows without neighbours.
    pub(crate) outlier: Option<Vec<u32>>,
    pub(crate) certificate: Certificate,
}

const ERROR: &str = "leave-one-out error";
const TRAINING: &str = "training error";
const SQUARES: &str = "leave-one-out squared error";
/// Leaving rows out may cost so many multiplications in all.
const PROOF_WORK: usize = 200_000_000;
/// Rows that are left out at most.
const PROOF_ROWS: usize = 1000;

impl NeighborsModel {
    pub(crate) fn learn(
        who: &str,
        index: Index,
        data: &Dataset<'_>,
        reach: Reach,
        weights: NeighborWeights,
        session: &Session,
    ) -> Result<Self> {
        let said = Said::of(&*data.need_target(who)?)?;
        let certificate = Certificate::new(session.interrupted().unwrap_or(Termination::Exact));
        let mut model = Self { index, said, reach, weights, outlier: None, certificate };
        let which = model.left_out();
        let found = model.leave_one_out(data, &session.quiet().undisturbed())?;
        let many = if which.len() == model.index.len() {
            "each training row".to_owned()
        } else {
            format!("{} evenly spaced training rows", which.len())
        };
        let evidence = match &model.said {
            Said::Classes(_) => {
                let meaning =
                    format!("share of wrong answers for {many} by the other rows, which did not see it");
                Evidence::value(ERROR, found, meaning)
            }
            Said::Numbers(_) => {
                let meaning =
                    format!("mean squared error for {many} by the other rows, which did not see it");
                Evidence::value(SQUARES, found, meaning).on_scale(data.target_spread(false)?)
            }
        };
        model.certificate = model.certificate.clone().with_evidence(evidence).with_note(model.theory());
        if let Reach::Radius(_) = reach {
            // Where no row has another in reach, leaving it out says nothing of the model.
            let found = model.training_error(data, &session.quiet().undisturbed())?;
            let scale = data.target_spread(false).unwrap_or(1.0);
            let evidence =
                Evidence::value(TRAINING, found, "the same, with each row among those that answer");
            model.certificate = model.certificate.clone().with_evidence(evidence.on_scale(scale));
        }
        Ok(model)
    }

    /// What is known of such models without looking at the data.
    fn theory(&self) -> &'static str {
        match (&self.said, self.reach) {
            (Said::Classes(_), Reach::Count(1)) => {
                "for independent rows, ever more of them, the error tends to at most twice that of the best rule there is (Cover and Hart 1967); of finitely many rows this says nothing"
            }
            (Said::Classes(_), _) => {
                "for independent rows, the error tends to that of the best rule there is as neighbours grow in number and shrink in share of the rows (Stone 1977); of finitely many rows this says nothing"
            }
            (Said::Numbers(_), _) => {
                "for independent rows, predictions tend to the mean given the features as neighbours grow in number and shrink in share of the rows (Stone 1977); of finitely many rows this says nothing"
            }
        }
    }

    /// The rows that the certificate leaves out: as many as can be asked about in little time.
    fn left_out(&self) -> Vec<u32> {
        let n = self.index.len();
        let most = match self.reach {
            Reach::Count(_) => PROOF_WORK / self.index.cost(),
            // Within a radius there may be any number of rows.
            Reach::Radius(_) => (PROOF_WORK / 40 / n).min(PROOF_WORK / self.index.cost()),
        };
        evenly_spaced(n, most.clamp(16, PROOF_ROWS))
    }

    /// The error for rows that are left out, against the targets of `data`, whose rows are those learnt from. Rows without
    /// neighbours count as wrong, and as far as the mean.
    fn leave_one_out(&self, data: &Dataset<'_>, session: &Session) -> Result<f64> {
        let which = self.left_out();
        let found = self.index.find_own(&which, self.reach, session)?;
        self.error(data, &which, &found)
    }

    /// The error for the rows of the certificate, each of which sees itself, too.
    fn training_error(&self, data: &Dataset<'_>, session: &Session) -> Result<f64> {
        let which = self.left_out();
        let rows: Vec<usize> = which.iter().map(|&i| i as usize).collect();
        let found = self.index.find(NAME, Some(&data.input().gather(&rows)), self.reach, session)?;
        self.error(data, &which, &found)
    }

    /// The error of what neighbours say of some rows of `data`.
    fn error(&self, data: &Dataset<'_>, which: &[u32], found: &Neighbourhoods) -> Result<f64> {
        let truth = Said::of(&*data.need_target("the proof")?)?;
        if data.n_rows() != self.index.len() {
            return Err(Error::shape("rows to prove on", self.index.len(), data.n_rows()));
        }
        let heard = self.said.heard(found, self.weights);
        let mut loss = 0.0;
        for (at, &row) in which.iter().enumerate() {
            loss += match &truth {
                Said::Classes(columns) => {
                    let found = self.classes_of(heard.row(at));
                    let right = found.iter().zip(columns).filter(|(found, (codes, _))| {
                        found.is_some() && **found == codes.get(row as usize).copied()
                    });
                    1.0 - right.count() as f64 / columns.len() as f64
                }
                Said::Numbers(columns) => {
                    let each = columns.iter().enumerate().map(|(k, y)| {
                        let said = heard.row(at).get(k).copied().filter(|v| !v.is_nan());
                        let mean = || y.iter().sum::<f64>() / y.len() as f64;
                        (y[row as usize] - said.unwrap_or_else(mean)).powi(2)
                    });
                    each.sum::<f64>() / columns.len() as f64
                }
            };
        }
        Ok(loss / which.len() as f64)
    }

    /// The class of each target that has the greatest share; `None` where there was no neighbour.
    fn classes_of(&self, shares: &[f64]) -> Vec<Option<u32>> {
        let mut start = 0;
        let mut one = |n_classes: usize| {
            let own = shares.get(start..start + n_classes).unwrap_or_default();
            start += n_classes;
            (own.iter().any(|v| *v > 0.0)).then(|| argmax(own) as u32)
        };
        self.said.n_classes().into_iter().map(&mut one).collect()
    }

    fn heard(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let found = self.index.find(NAME, Some(input), self.reach, session)?;
        Ok(session.run(|| self.said.heard(&found, self.weights)))
    }
}

const NAME: &str = "a model of neighbours";

impl Proba for NeighborsModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let mut shares = self.heard(input, session)?;
        for i in 0..shares.n_rows() {
            if shares.row(i).iter().all(|v| *v == 0.0) {
                let outlier = self.outlier.as_ref().ok_or_else(|| alone(i))?;
                let mut start = 0;
                for (class, n_classes) in outlier.iter().zip(self.said.n_classes()) {
                    shares.row_mut(i)[start + *class as usize] = 1.0;
                    start += n_classes;
                }
            }
        }
        Ok(shares)
    }
}

fn alone(row: usize) -> Error {
    let reason =
        format!("row {row} has no neighbour within the radius: take a larger one, or give an outlier_label");
    Error::numeric("RadiusNeighborsClassifier", reason)
}

impl Neighbours for NeighborsModel {
    fn n_rows(&self) -> usize {
        self.index.len()
    }
    fn nearest(
        &self,
        input: Option<&Input<'_>>,
        k: Option<usize>,
        session: &Session,
    ) -> Result<Neighbourhoods> {
        let own = match self.reach {
            Reach::Count(k) => k,
            Reach::Radius(_) => 5,
        };
        nearest(&self.index, input, k, own, session)
    }
    fn within(
        &self,
        input: Option<&Input<'_>>,
        radius: Option<f64>,
        session: &Session,
    ) -> Result<Neighbourhoods> {
        let own = match self.reach {
            Reach::Count(_) => 1.0,
            Reach::Radius(radius) => radius,
        };
        within(&self.index, input, radius, own, session)
    }
}

/// So many neighbours: as many as were asked for, else `own`, or all where these are more than there are.
pub(crate) fn nearest(
    index: &Index,
    input: Option<&Input<'_>>,
    k: Option<usize>,
    own: usize,
    session: &Session,
) -> Result<Neighbourhoods> {
    let most = index.len() - usize::from(input.is_none());
    if let Some(k) = k.filter(|k| !(1..=most).contains(k)) {
        return Err(Error::param(
            "a search",
            "n_neighbors",
            format!("in [1, {most}], the rows there are"),
            k,
        ));
    }
    index.find(NAME, input, Reach::Count(k.unwrap_or(own.min(most))), session)
}

pub(crate) fn within(
    index: &Index,
    input: Option<&Input<'_>>,
    radius: Option<f64>,
    own: f64,
    session: &Session,
) -> Result<Neighbourhoods> {
    let radius = radius.unwrap_or(own);
    if radius.is_nan() || radius < 0.0 {
        return Err(Error::param("a search", "radius", "in [0, inf)", radius));
    }
    index.find(NAME, input, Reach::Radius(radius), session)
}

/// The attributes that all models of neighbours have.
pub(crate) fn attributes(index: &Index) -> Vec<Attribute> {
    let mut effective =
        Attribute::text("effective_metric_", "The metric that is measured.", vec![index.effective.clone()]);
    effective.shape = Vec::new();
    vec![
        effective,
        Attribute::int("n_samples_fit_", "The number of rows learnt from.", &[], vec![index.len() as i64]),
    ]
}

impl Fitted for NeighborsModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let heard = self.heard(input, session)?;
        if let Said::Numbers(columns) = &self.said {
            return schema.prediction((0..columns.len()).map(|k| heard.col(k)));
        }
        let mut codes = vec![Vec::with_capacity(heard.n_rows()); self.said.n_classes().len()];
        for i in 0..heard.n_rows() {
            for (k, class) in self.classes_of(heard.row(i)).into_iter().enumerate() {
                let outlier =
                    || self.outlier.as_ref().and_then(|o| o.get(k)).copied().ok_or_else(|| alone(i));
                codes[k].push(class.map_or_else(outlier, Ok)?);
            }
        }
        schema.prediction(codes)
    }

    fn abilities(&self) -> Abilities<'_> {
        let classes = matches!(self.said, Said::Classes(_));
        Abilities { proba: classes.then_some(self as _), neighbours: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let name = if matches!(self.said, Said::Classes(_)) { ERROR } else { SQUARES };
        let mut found = vec![(name.to_owned(), self.leave_one_out(data, session)?)];
        if let Reach::Radius(_) = self.reach {
            found.push((TRAINING.to_owned(), self.training_error(data, session)?));
        }
        Ok(found)
    }

    fn attributes(&self) -> Vec<Attribute> {
        attributes(&self.index)
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.index.validate(schema)?;
        let reach = match self.reach {
            Reach::Count(k) => k > 0,
            Reach::Radius(radius) => radius >= 0.0,
        };
        let classes = self.said.n_classes();
        let outlier = self.outlier.as_ref().is_none_or(|outlier| {
            outlier.len() == classes.len() && outlier.iter().zip(&classes).all(|(c, n)| (*c as usize) < *n)
        });
        let ok = reach && outlier && self.said.fits(self.index.len(), schema);
        if ok { Ok(()) } else { Err("targets do not fit the rows".to_owned()) }
    }
}
