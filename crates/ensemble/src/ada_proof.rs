//! What is proved of AdaBoost on its training rows: the bound on the error, the error, and the margins.

use crate::ada::AdaBoostModel;
use crate::base;
use mercer_core::{Certificate, Dataset, Evidence, Result, Session};

/// What the training rows say of the members, replayed from the first weights on.
pub(crate) struct Proof {
    /// ε of each member.
    errors: Vec<f64>,
    /// The weight of rows that the whole gets wrong.
    wrong: f64,
    /// Σ α y h / Σ α of each row, with y = ±1 for right and wrong.
    margins: Vec<f64>,
    weights: Vec<f64>,
}

const ERROR: &str = "training error rate";
const PRODUCT: &str = "training error bound Π 2√(ε(1−ε))";
const EXPONENT: &str = "training error bound exp(−2Σγ²)";
const MARGIN: [(&str, f64); 3] =
    [("margin, 1st decile", 0.1), ("margin, median", 0.5), ("margin, least", 0.0)];

impl Proof {
    pub(crate) fn of(model: &AdaBoostModel, data: &Dataset<'_>, session: &Session) -> Result<Self> {
        let target = data.need_target("AdaBoostClassifier")?;
        let (truth, _) = target.class()?;
        let (n, k) = (truth.len(), model.n_classes());
        let mut boost = model.boost(truth, data.weights().as_deref());
        let weights = boost.weights.clone();
        let (mut votes, mut total) = (vec![0.0; n * k], 0.0);
        let mut errors = Vec::new();
        for (member, alpha) in model.stages() {
            let found = base::codes(member, &data.input(), session)?;
            found.iter().enumerate().for_each(|(i, &c)| votes[i * k + c as usize] += alpha);
            total += alpha;
            errors.push(boost.round(&found).1.error);
        }
        let mut wrong = 0.0;
        let mut margins = Vec::with_capacity(n);
        for (i, row) in votes.chunks(k.max(1)).enumerate() {
            let own = row.get(truth[i] as usize).copied().unwrap_or(0.0);
            let best = row.iter().enumerate().filter(|(c, _)| *c != truth[i] as usize);
            margins.push((own - best.fold(0.0f64, |m, (_, v)| m.max(*v))) / total);
            wrong += if mercer_math::argmax(row) == truth[i] as usize { 0.0 } else { weights[i] };
        }
        Ok(Self { errors, wrong, margins, weights })
    }

    /// The margin below which lies this share of the weight.
    fn margin(&self, share: f64) -> f64 {
        let mut below = 0.0;
        let order = mercer_math::argsort(&self.margins);
        let there: Vec<usize> = order.into_iter().filter(|&i| self.weights[i] > 0.0).collect();
        for &i in &there {
            below += self.weights[i];
            if below > share + 1e-12 || (share == 0.0 && below > 0.0) {
                return self.margins[i];
            }
        }
        there.last().map_or(f64::NAN, |&i| self.margins[i])
    }

    /// Each piece of evidence by its name. The bounds hold for two classes and whole steps.
    pub(crate) fn values(&self, n_classes: usize, learning_rate: f64) -> Vec<(String, f64)> {
        let mut all = vec![(ERROR.to_owned(), self.wrong)];
        if n_classes == 2 && learning_rate == 1.0 {
            let product = self.errors.iter().map(|e| 2.0 * (e * (1.0 - e)).sqrt()).product::<f64>();
            let exponent = (-2.0 * self.errors.iter().map(|e| (0.5 - e).powi(2)).sum::<f64>()).exp();
            all.extend([(PRODUCT.to_owned(), product), (EXPONENT.to_owned(), exponent)]);
        }
        all.extend(MARGIN.iter().map(|(name, share)| ((*name).to_owned(), self.margin(*share))));
        all
    }

    pub(crate) fn certify(
        &self,
        mut certificate: Certificate,
        n_classes: usize,
        learning_rate: f64,
    ) -> Certificate {
        for (name, value) in self.values(n_classes, learning_rate) {
            certificate = certificate.with_evidence(match name.as_str() {
                ERROR => Evidence::value(
                    ERROR,
                    value,
                    "share of the training weight that the ensemble predicts wrongly",
                ),
                PRODUCT | EXPONENT => Evidence::bound(
                    &name,
                    value,
                    "Freund and Schapire 1997: the training error is at most this",
                ),
                _ => Evidence::value(
                    &name,
                    value,
                    "Σ α over members that are right less those for the best other class, over Σ α",
                ),
            });
        }
        if n_classes != 2 || learning_rate != 1.0 {
            certificate = certificate
                .with_note("the bound on the training error is for two classes and a learning rate of 1");
        }
        certificate
    }
}
