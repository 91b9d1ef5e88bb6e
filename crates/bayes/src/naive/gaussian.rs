//! Gaussian naive Bayes: features that are normal within each class, each with its own mean and variance there.
//!
//! # Objective
//! $$ \hat y = \arg\max_y\ \ln p_y - \tfrac12\sum_j\Bigl(\ln 2\pi\sigma_{jy}^2 + \frac{(x_j - \mu_{jy})^2}{\sigma_{jy}^2}\Bigr) $$
//! with the means and variances of the rows of each class; $\epsilon$, a share of the largest variance of any feature, is added to all
//! variances. With `shared_variance` the variances are those within all classes together, and the log odds are linear:
//! $w_j = (\mu_{j1} - \mu_{j0})/\sigma_j^2$ (`coef_`, `intercept_`).
//!
//! # Algorithm
//! One pass over the rows: moments of blocks by class, two passes within a block, merged by the update of Chan, Golub and LeVeque.
//!
//! # Complexity
//! Time O(n d) to learn, O(n d k) to predict with k classes; memory O(k d).
//!
//! # Example
//! ```
//! use mercer_bayes::GaussianNB;
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-2.0, -1.0], [-1.0, -1.0], [-1.0, -2.0], [1.0, 1.0], [1.0, 2.0], [2.0, 1.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&[1, 1, 1, 2, 2, 2]))?;
//! let model = GaussianNB::default().fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 0, 1, 1, 1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Quadratic forms are sums of squares, never differences of products, so that values far from zero lose no digits. Unlike
//! scikit-learn, $\epsilon$ is taken from all rows by their weights: a weight of 2 is two copies, and batches are the whole.
//!
//! A feature without spread in a class, such as a column of a category that none of its rows has, outweighs all others there: `compare`
//! does not try this model unasked.
//!
//! # References
//! - T. F. Chan, G. H. Golub, R. J. LeVeque. Updating formulae and a pairwise algorithm for computing sample
//!   variances. Stanford CS-79-773, 1979.
//! - D. J. Hand, K. Yu. Idiot's Bayes: not so stupid after all? Int. Stat. Rev. 69(3), 2001. doi:10.1111/j.1751-5823.2001.tb00465.x

use super::by_sums::by_sums;
use super::gaussian_model::GaussianNBModel;
use super::moments::ClassMoments;
use mercer_core::sums::{self, Batches, Block, BySums, Round, Shape};
use mercer_core::{Capabilities, Dataset, Learn, ParamGroup, Params, Result, Session};
use serde::{Deserialize, Serialize};

/// Gaussian naive Bayes: features that are normal within each class.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "gaussian-nb naive-bayes",
    canon = "B1",
    task = Classification,
    python = "naive_bayes",
    tried = "| shared_variance=true,var_smoothing=0.01 | var_smoothing=0",
    mixins = "MomentsMixin",
    can = "proba joint explain weights by_sums resumes scaled",
    references = "Chan, Golub, LeVeque. Updating formulae and a pairwise algorithm for computing sample variances. 1979."
)]
pub struct GaussianNB {
    /// What is made of the moments.
    #[param(flatten)]
    pub params: GaussianParams,
}

/// What [`GaussianNB`] makes of the moments of its rows.
#[derive(Clone, Debug, PartialEq, ParamGroup, Serialize, Deserialize)]
pub struct GaussianParams {
    /// The share of each class, in place of what the rows say; they sum to 1.
    #[param(default = None)]
    pub priors: Option<Vec<f64>>,
    /// The share of the largest variance of any feature that is added to all variances.
    #[param(default = 1e-9, range = "[0, inf)", search = "log 1e-12..1")]
    pub var_smoothing: f64,
    /// Whether a feature has one variance for all classes, which makes the log odds linear.
    #[param(default = false)]
    pub shared_variance: bool,
}

impl Learn for GaussianNB {
    type Model = GaussianNBModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<GaussianNBModel> {
        sums::fit(Self::NAME, self, data, session)
    }

    fn learn_stream(&self, batches: &mut dyn Batches, session: &Session) -> Option<Result<Self::Model>> {
        Some(sums::fit_stream(Self::NAME, &Learn::capabilities(self), self, batches, session))
    }

    fn resume(
        &self,
        model: Option<&GaussianNBModel>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Option<Result<GaussianNBModel>> {
        let found = sums::fit(Self::NAME, &Totals, data, session);
        Some(found.and_then(|moments| GaussianNBModel::new(&self.params, moments, model)))
    }

    /// What is added to the variances has the units of the widest feature.
    fn capabilities(&self) -> Capabilities {
        Capabilities { scaled: self.params.var_smoothing > 0.0, ..Self::declaration().capabilities }
    }
}

by_sums!(GaussianNB, ClassMoments => GaussianNBModel, |_: &Self| Totals, |own: &Self, moments| {
    GaussianNBModel::new(&own.params, moments, None)
});

/// The moments alone, by sums.
pub(super) struct Totals;

impl BySums for Totals {
    type State = (usize, usize);
    type Summary = ClassMoments;
    type Local = ();
    type Model = ClassMoments;

    fn begin(&self, shape: &Shape, _: &Session) -> Result<(usize, usize)> {
        Ok((shape.n_classes, shape.n_features))
    }
    fn empty(&self, &(k, d): &(usize, usize)) -> ClassMoments {
        ClassMoments::empty(k, d)
    }
    fn absorb(
        &self,
        &(k, d): &(usize, usize),
        block: &Block<'_>,
        (): &mut (),
        summary: &mut ClassMoments,
    ) -> Result<()> {
        summary.add(&ClassMoments::of_block(block, k, d)?);
        Ok(())
    }
    fn merge(&self, into: &mut ClassMoments, other: ClassMoments) {
        into.add(&other);
    }
    fn advance(
        &self,
        _: (usize, usize),
        moments: ClassMoments,
        _: &Session,
    ) -> Result<Round<(usize, usize), ClassMoments>> {
        Ok(Round::Done(moments))
    }
}
