//! Best subset: least squares with a limit or a price on the number of features (L0), solved exactly.
//!
//! # Objective
//! $$ \min_{S}\ c(\mathrm{RSS}(S), |S|), \qquad \mathrm{RSS}(S) = \min_{w,b} \lVert y - X_S w - b\rVert_2^2 $$
//! with $|S| = k$ given, or $c$ = $n\ln(\mathrm{RSS}/n) + 2|S|$ (AIC), $n\ln(\mathrm{RSS}/n) + |S|\ln n$ (BIC), or
//! $\mathrm{RSS}/\hat\sigma^2 - n + 2|S|$ (Mallows' C_p, with $\hat\sigma^2$ of all features).
//!
//! # Algorithm
//! Leaps and bounds on the Gram matrix: a branch and bound over subsets, in which the residual sum of a set bounds those
//! of all its subsets. Classes whose labels are no numbers are regressed by an indicator a class, and their residual
//! sums are added.
//!
//! # Complexity
//! O(n d²), then a search that is exponential at worst: seconds for 30 features, of which some matter. More than 40 are
//! refused.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_math::Mat;
//! use mercer_prepare::BestSubset;
//! let x = Mat::from_fn(20, 3, |i, j| ((i * (j + 2)) % 7) as f64);
//! let y: Vec<f64> = (0..20).map(|i| 2.0 * x[(i, 1)] + 1.0).collect();
//! let model = BestSubset::default().fit(&Dataset::new(&x).with_target(Target::real(y))?)?;
//! assert_eq!(model.kept(), [1]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A residual sum below 1e-14 of the total counts as that, so that a perfect fit needs no more features. Columns that
//! depend on others add nothing.
//!
//! # References
//! - G. M. Furnival, R. W. Wilson. Regressions by leaps and bounds. Technometrics 16(4), 1974. doi:10.1080/00401706.1974.10489231
//! - C. L. Mallows. Some comments on C_p. Technometrics 15(4), 1973.

use super::leaps::{EVIDENCE, Moments, search};
use super::selection::{Facts, SelectionModel};
use mercer_core::{
    Certificate, Choice, Dataset, Error, Evidence, Learn, Params, Result, Session, Termination,
};

/// What the best subset is best by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum SubsetCriterion {
    /// The residual sum, with `k` features.
    K,
    /// Schwarz's criterion.
    Bic,
    /// Akaike's criterion.
    Aic,
    /// Mallows' criterion.
    Cp,
}

/// Best subset: the features of the best least squares, by exact search (L0).
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "best-subset",
    canon = "A7 D5",
    task = Transformation,
    python = "feature_selection",
    mixins = "SelectorMixin",
    can = "transform inverse supervised weights",
    references = "Furnival, Wilson. Regressions by leaps and bounds. Technometrics 16(4), 1974."
)]
pub struct BestSubset {
    /// What the subset is best by: the residual sum of `k` features, or a criterion that prices them.
    #[param(default = SubsetCriterion::Bic, search = "among bic|aic|cp")]
    pub criterion: SubsetCriterion,
    /// The number of features, for the criterion `k`; none means half.
    #[param(default = None, range = "[1, inf)")]
    pub k: Option<usize>,
    /// Whether the least squares have an intercept.
    #[param(default = true)]
    pub fit_intercept: bool,
    /// Most sets that are looked at; beyond, the best so far.
    #[param(default = 20_000_000, range = "[1, inf)")]
    pub max_iter: usize,
}

/// More features than this are refused.
const MOST: usize = 40;

impl BestSubset {
    /// The value of a subset by its residual sum and size.
    fn value<'m>(&self, moments: &'m Moments, d: usize) -> Result<Box<dyn Fn(f64, usize) -> f64 + 'm>> {
        let (n, floor) = (moments.n, 1e-14 * moments.yy + f64::MIN_POSITIVE);
        let price = |per: f64| move |sum: f64, size: usize| n * (sum.max(floor) / n).ln() + per * size as f64;
        Ok(match self.criterion {
            SubsetCriterion::K => {
                let k = self.k.unwrap_or(d / 2).clamp(1, d);
                Box::new(move |sum, size| if size == k { sum } else { f64::INFINITY })
            }
            SubsetCriterion::Bic => Box::new(price(n.ln())),
            SubsetCriterion::Aic => Box::new(price(2.0)),
            SubsetCriterion::Cp => {
                let freedom = n - d as f64 - f64::from(u8::from(self.fit_intercept));
                if freedom < 1.0 {
                    let what = "rows for cp (more than features)";
                    return Err(Error::too_few(Self::NAME, what, d + 2, n as usize));
                }
                let all = search(
                    moments,
                    &|sum, size| if size == d { sum } else { f64::INFINITY },
                    1,
                    &Session::default(),
                );
                let variance = all.sum.max(floor) / freedom;
                Box::new(move |sum, size| sum.max(floor) / variance - n + 2.0 * size as f64)
            }
        })
    }
}

impl Learn for BestSubset {
    type Model = SelectionModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SelectionModel> {
        let d = data.n_features();
        if d > MOST {
            let what = format!("search {d} features, at most {MOST}; put SelectKBest or a lasso before it");
            return Err(Error::incapable(Self::NAME, what));
        }
        let moments = Moments::of(Self::NAME, data, self.fit_intercept)?;
        if !moments.yy.is_finite() {
            return Err(Error::numeric(Self::NAME, "the squares of the values are too large"));
        }
        let value = self.value(&moments, d)?;
        let found = search(&moments, value.as_ref(), self.max_iter as u64, session);
        let mut support = vec![false; d];
        found.columns.iter().for_each(|&j| support[j] = true);
        let best = match found.termination {
            Termination::Exact => "the search is complete: no subset has a better value",
            _ => "the search was not completed: the best subset so far",
        };
        let certificate = Certificate::new(found.termination)
            .with_iterations(found.nodes)
            .with_objective(found.value)
            .with_evidence(
                Evidence::value(EVIDENCE, found.sum, "of the least squares on the features kept")
                    .on_scale(moments.yy),
            )
            .with_note(best);
        let facts = Facts { residual_sum: Some(self.fit_intercept), ..Facts::default() };
        Ok(SelectionModel::new(&support, facts, certificate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::leaps::residual_sum;
    use mercer_core::{Fit, Target};
    use mercer_math::{Mat, normal, rng_for};

    fn problem(n: usize, d: usize, task: u64) -> (Mat, Vec<f64>) {
        let mut rng = rng_for(9, task);
        let base: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        let x = Mat::from_fn(n, d, |i, _| 5.0 + 0.7 * base[i] + normal(&mut rng));
        let y = (0..n)
            .map(|i| x[(i, 0)] - 0.8 * x[(i, d / 2)] + 0.3 * x[(i, d - 1)] + normal(&mut rng))
            .collect();
        (x, y)
    }

    #[test]
    fn every_criterion_finds_what_enumeration_finds() {
        for task in 0..12 {
            let d = 3 + task as usize % 8;
            let (x, y) = problem(25 + 3 * task as usize, d, task);
            let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
            for criterion in
                [SubsetCriterion::K, SubsetCriterion::Bic, SubsetCriterion::Aic, SubsetCriterion::Cp]
            {
                for intercept in [true, false] {
                    let learner = BestSubset::default().criterion(criterion).fit_intercept(intercept);
                    let model = learner.fit(&data).unwrap();
                    let moments = Moments::of("x", &data, intercept).unwrap();
                    let value = learner.value(&moments, d).unwrap();
                    let sets = (0..1usize << d)
                        .map(|bits| (0..d).filter(|j| bits >> j & 1 == 1).collect::<Vec<_>>());
                    let best = sets
                        .map(|s| value(residual_sum(&data, &s, intercept).unwrap(), s.len()))
                        .fold(f64::INFINITY, f64::min);
                    let found = model.certificate().objective.unwrap();
                    assert!(
                        (found - best).abs() <= 1e-9 * (1.0 + best.abs()),
                        "{criterion:?}: {found} {best}"
                    );
                    assert_eq!(model.certificate().termination, Termination::Exact);
                    assert!(model.verify(&data).unwrap().iter().all(|v| v.holds));
                }
            }
        }
    }

    #[test]
    fn thirty_features_are_searched_and_weights_are_copies() {
        let (x, y) = problem(200, 30, 77);
        let weights: Vec<f64> = (0..200).map(|i| f64::from(i % 3)).collect();
        let copies: Vec<usize> = (0..200).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
        let data = Dataset::new(&x).with_target(Target::real(y)).unwrap();
        let copied = BestSubset::default().fit(&data.subset(&copies).unwrap()).unwrap();
        let weighted = BestSubset::default().fit(&data.clone().with_weights(weights).unwrap()).unwrap();
        assert_eq!(copied.kept(), weighted.kept());
        assert_eq!(copied.certificate().termination, Termination::Exact);
        assert!(copied.certificate().iterations.unwrap() < 1 << 20, "{:?}", copied.certificate().iterations);
    }

    #[test]
    fn repeated_columns_are_taken_once() {
        let (x, y) = problem(40, 4, 3);
        let twice = Mat::from_fn(40, 8, |i, j| x[(i, j % 4)]);
        let data = Dataset::new(&twice).with_target(Target::real(y)).unwrap();
        let kept = BestSubset::default().fit(&data).unwrap().kept();
        let mut origin: Vec<usize> = kept.iter().map(|j| j % 4).collect();
        origin.sort_unstable();
        origin.dedup();
        assert_eq!(origin.len(), kept.len());
    }
}
