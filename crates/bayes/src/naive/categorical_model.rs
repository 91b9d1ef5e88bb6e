//! The model of categorical naive Bayes.

use super::categorical::{
    CategoricalNB, CategoricalParams, CategorySums, MinCategories, Unseen, count, few_enough, refused,
    value_of, values_of,
};
use super::posterior::{GAP, LIKELIHOOD, alone, best_classes, certificate, gap, in_blocks, probabilities};
use mercer_core::{
    Abilities, Attribute, AttributeValues, Certificate, Contributions, Dataset, Error, ErrorKind, Explainer,
    Fitted, Input, Interactions, Joint, Outputs, Params, Prediction, Proba, Result, Rows, Schema, Session,
};
use mercer_math::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// The chances of the values of each feature in each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CategoricalNBModel {
    params: CategoricalParams,
    counts: CategorySums,
    /// The counts before the last batch, where learning went on.
    before: Option<CategorySums>,
    /// The levels of each column of categories; 0 for numbers.
    levels: Vec<usize>,
    /// For each feature, values × classes; a last row is that of values that were not seen, where these are smoothed.
    logs: Vec<Vec<f64>>,
    /// The logarithm of the share of each class.
    pub class_log_prior: Vec<f64>,
    /// The logarithm of the share of a class that was never seen, where classes are smoothed.
    pub unseen_class_log_prior: Option<f64>,
    certificate: Certificate,
}

const WHO: &str = CategoricalNB::NAME;

/// Makes the counts of every feature as long as it has values at least.
fn widen(params: &CategoricalParams, levels: &[usize], counts: &mut CategorySums) -> Result<()> {
    let (k, d) = (counts.class.len(), counts.features.len());
    let least = |j: usize| match &params.min_categories {
        None => Ok(1),
        Some(MinCategories::One(n)) => Ok(*n),
        Some(MinCategories::Each(all)) if all.len() == d => Ok(all[j]),
        Some(MinCategories::Each(all)) => {
            let expected = format!(
                "a number, or one for each of {d} features ('min_categories' should have shape ({d},))"
            );
            Err(Error::param(WHO, "min_categories", expected, format!("{} numbers", all.len())))
        }
    };
    let mut cells = 0;
    for (j, counts) in counts.features.iter_mut().enumerate() {
        let values = least(j)?.max(levels[j]).max(counts.len() / k.max(1));
        if values > 1 << 24 {
            return Err(Error::param(WHO, "min_categories", "at most 16777216", values));
        }
        cells += values * k;
        few_enough(cells)?;
        counts.resize(values * k, 0.0);
    }
    Ok(())
}

/// The logarithms of the chances of one feature's values, values × classes.
fn log_chances(params: &CategoricalParams, counts: &[f64], k: usize) -> Vec<f64> {
    let alpha = params.prior.smooth(params.alpha);
    let mut smoothed: Vec<f64> = counts.iter().map(|n| n + alpha).collect();
    if params.unseen == Unseen::Smooth {
        smoothed.extend(std::iter::repeat_n(alpha, k));
    }
    let even = -((smoothed.len() / k.max(1)) as f64).ln();
    for c in 0..k {
        let total: f64 = smoothed.iter().skip(c).step_by(k).sum();
        let logs = smoothed.iter_mut().skip(c).step_by(k);
        // Where neither rows nor pseudo-counts say anything, all values are alike.
        logs.for_each(|n| *n = if total > 0.0 { n.ln() - total.ln() } else { even });
    }
    smoothed
}

impl CategoricalNBModel {
    /// The model of these counts, and of those that an earlier one has.
    pub(super) fn new(
        params: &CategoricalParams,
        counts: CategorySums,
        levels: Vec<usize>,
        earlier: Option<&Self>,
    ) -> Result<Self> {
        let before = earlier.map(|model| model.counts.clone());
        let mut all = counts;
        before.iter().for_each(|before| all.add(before));
        widen(params, &levels, &mut all)?;
        let k = all.class.len();
        let prior = params.prior.log_priors(WHO, &all.class)?;
        let mut model = Self {
            params: params.clone(),
            logs: all.features.iter().map(|counts| log_chances(params, counts, k)).collect(),
            counts: all,
            before,
            levels,
            class_log_prior: prior.known,
            unseen_class_log_prior: prior.unseen,
            certificate: certificate(None, false),
        };
        model.certificate = certificate(Some(model.likelihood(&model.counts)), model.before.is_some());
        Ok(model)
    }

    /// The levels of each column of categories; 0 for numbers.
    pub(super) fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// Refuses a level that the first batch did not have: the dictionary of a model does not grow.
    pub(super) fn knows_levels(&self, levels: &[usize], rows: &Rows<'_>) -> Result<()> {
        let Some(j) = (0..levels.len()).find(|&j| levels[j] > self.levels[j]) else { return Ok(()) };
        let values = values_of(rows)?.dense(WHO)?;
        let unknown = |i: &usize| values.view().get(*i, j) >= self.levels[j] as f64;
        let row = (0..values.view().n_rows()).find(unknown);
        row.map_or(Ok(()), |row| {
            Err(unseen(rows, row, j, "; all levels must be known from the first batch on"))
        })
    }

    fn n_classes(&self) -> usize {
        self.class_log_prior.len()
    }

    fn n_values(&self, j: usize) -> usize {
        self.counts.features[j].len() / self.n_classes().max(1)
    }

    /// The mean log likelihood of rows with these counts.
    fn likelihood(&self, counts: &CategorySums) -> f64 {
        let term = |n: f64, log: f64| if n == 0.0 { 0.0 } else { n * log };
        let mut sum: f64 =
            counts.class.iter().zip(&self.class_log_prior).map(|(n, log)| term(*n, *log)).sum();
        for (counts, logs) in counts.features.iter().zip(&self.logs) {
            sum += counts.iter().zip(logs).map(|(n, log)| term(*n, *log)).sum::<f64>();
        }
        sum / counts.class.iter().sum::<f64>()
    }

    /// The rows as values; an error names the first that is none, or that was not seen where these are not smoothed.
    fn values<'a>(&self, input: &'a Input<'_>) -> Result<mercer_core::Matrix<'a>> {
        let rows = input.rows(WHO)?;
        let values = values_of(rows)?.dense(WHO)?;
        if let Some(error) = values.view().find(|v| value_of(v).is_err()).and_then(|_| refused(rows)) {
            return Err(error);
        }
        if self.params.unseen == Unseen::Error {
            let x = values.view();
            let known: Vec<f64> = (0..x.n_cols()).map(|j| self.n_values(j) as f64).collect();
            let strange = |i: usize| (0..x.n_cols()).find(|&j| x.get(i, j) >= known[j]).map(|j| (i, j));
            if let Some((row, j)) = (0..x.n_rows()).find_map(strange) {
                return Err(unseen(
                    rows,
                    row,
                    j,
                    "; set unseen=smooth to give it a probability, or min_categories",
                ));
            }
        }
        Ok(values)
    }

    /// The place of a value of feature `j` among its logarithms: the last one is that of those not seen.
    fn place(&self, j: usize, v: f64) -> usize {
        (v as usize).min(self.logs[j].len() / self.n_classes() - 1)
    }

    fn joint(&self, x: MatRef<'_>, session: &Session) -> Mat {
        let k = self.n_classes();
        in_blocks(x.n_rows(), k, session, |rows, out| {
            for (i, out) in rows.zip(out.chunks_exact_mut(k)) {
                out.copy_from_slice(&self.class_log_prior);
                for (j, logs) in self.logs.iter().enumerate() {
                    let logs = &logs[self.place(j, x.get(i, j)) * k..][..k];
                    out.iter_mut().zip(logs).for_each(|(o, log)| *o += log);
                }
            }
        })
    }
}

/// The error of a value that was not seen.
fn unseen(rows: &Rows<'_>, row: usize, j: usize, hint: &str) -> Error {
    let text = rows.table().ok().and_then(|t| t.columns()[j].text(row).map(std::borrow::Cow::into_owned));
    ErrorKind::BadValue {
        learner: WHO.to_owned(),
        value: format!("the category `{}`, which was not seen in training", text.unwrap_or_default()),
        column: rows.name(j),
        row,
        hint: hint.to_owned(),
    }
    .into()
}

/// Values × classes as classes × values.
fn by_class(values: &[f64], k: usize) -> Vec<f64> {
    (0..k).flat_map(|c| values.iter().skip(c).step_by(k).copied()).collect()
}

impl Fitted for CategoricalNBModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        schema.prediction([best_classes(&self.log_joint(input, session)?)])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: Some(self), joint: Some(self), explain: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (mut found, _) = count(data, session)?;
        self.before.iter().for_each(|before| found.add(before));
        widen(&self.params, &self.levels, &mut found)?;
        let prior = self.params.prior.log_priors(WHO, &found.class)?.known;
        let mut apart = gap(&prior, &self.class_log_prior);
        for (counts, logs) in found.features.iter().zip(&self.logs) {
            let own = log_chances(&self.params, counts, self.n_classes());
            apart = apart.max(if own.len() == logs.len() { gap(&own, logs) } else { f64::INFINITY });
        }
        Ok(vec![(GAP.to_owned(), apart), (LIKELIHOOD.to_owned(), self.likelihood(&found))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.n_classes(), self.logs.len());
        let matrix = |name, doc, all: &[Vec<f64>]| {
            let arrays = all
                .iter()
                .zip(0..)
                .map(|(values, j)| AttributeValues::Real(by_class(&values[..self.n_values(j) * k], k)));
            Attribute::several(name, doc, arrays.collect())
        };
        let real =
            |name, doc, shape: &[usize], values: &[f64]| Attribute::real(name, doc, shape, values.to_vec());
        let values: Vec<i64> = (0..d).map(|j| self.n_values(j) as i64).collect();
        let mut all = vec![
            real("class_count_", "The weight of the rows of each class.", &[k], &self.counts.class),
            real(
                "class_log_prior_",
                "The logarithm of the share of each class.",
                &[k],
                &self.class_log_prior,
            ),
            matrix(
                "category_count_",
                "How often each value occurs in each class, by feature.",
                &self.counts.features,
            ),
            matrix(
                "feature_log_prob_",
                "The logarithm of the chance of each value in each class, by feature.",
                &self.logs,
            ),
            Attribute::int("n_categories_", "The number of values of each feature.", &[d], values),
        ];
        if self.params.unseen == Unseen::Smooth {
            let last: Vec<f64> =
                (0..k).flat_map(|c| self.logs.iter().map(move |logs| logs[logs.len() - k + c])).collect();
            let doc = "The logarithm of the chance of a value that was not seen, classes × features.";
            all.push(real("unseen_log_prob_", doc, &[k, d], &last));
        }
        if let Some(unseen) = self.unseen_class_log_prior {
            let doc = "The logarithm of the share of a class that was never seen.";
            all.push(real("unseen_class_log_prior_", doc, &[], &[unseen]));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (k, d) = (schema.labels().map_or(0, |l| l.len()), schema.n_features());
        let more = usize::from(self.params.unseen == Unseen::Smooth);
        let fits = |(counts, logs): (&Vec<f64>, &Vec<f64>)| {
            !counts.is_empty()
                && counts.len().is_multiple_of(k.max(1))
                && counts.len() + more * k == logs.len()
        };
        let whole = |c: &CategorySums| {
            let features =
                c.features.len() == d && c.features.iter().all(|f| f.len().is_multiple_of(k.max(1)));
            c.class.len() == k && features
        };
        let all = k > 0
            && whole(&self.counts)
            && self.before.as_ref().is_none_or(whole)
            && self.levels.len() == d
            && self.logs.len() == d
            && self.counts.features.iter().zip(&self.logs).all(fits)
            && self.class_log_prior.len() == k;
        if all { Ok(()) } else { Err("counts do not fit the schema".to_owned()) }
    }
}

impl Joint for CategoricalNBModel {
    fn log_joint(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        Ok(self.joint(self.values(input)?.view(), session))
    }
}

impl Proba for CategoricalNBModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        Ok(probabilities(self.log_joint(input, session)?, session))
    }
}

/// The joint log probability is a sum over features: each one's term less its mean over the training rows.
impl Explainer for CategoricalNBModel {
    fn contributions(&self, input: &Input<'_>, _: &Session) -> Result<Contributions> {
        if !self.logs.iter().flatten().all(|log| log.is_finite()) {
            return Err(Error::numeric(
                WHO,
                "a value that excludes a class has no finite part: take `alpha` above 0",
            ));
        }
        let values = self.values(input)?;
        let (x, k, total) = (values.view(), self.n_classes(), self.counts.class.iter().sum::<f64>());
        let usual = |c: usize, j: usize| {
            let rows = self.counts.features[j].chunks_exact(k).zip(self.logs[j].chunks_exact(k));
            rows.map(|(counts, logs)| counts.iter().sum::<f64>() / total * logs[c]).sum::<f64>()
        };
        let usual = Mat::from_fn(k, x.n_cols(), usual);
        let part = |c: usize| {
            Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| {
                self.logs[j][self.place(j, x.get(i, j)) * k + c] - usual[(c, j)]
            })
        };
        let base = (0..k).map(|c| self.class_log_prior[c] + usual.row(c).iter().sum::<f64>()).collect();
        let values = (0..k).map(part).collect();
        Ok(Contributions { features: Vec::new(), outputs: Outputs::Joint, base, values })
    }

    /// Nothing acts together: all stands on the diagonal.
    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        Ok(alone(&self.contributions(input, session)?.values))
    }
}
