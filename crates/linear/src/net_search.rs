//! The search along paths for the setting with the least error on rows held out.

use crate::net::{Net, is_tall, moments};
use crate::net_cv::{ElasticNetCvModel, PathCvParams, Ratios};
use crate::paths::{Alphas, Source};
use mercer_core::{CrossMoments, Dataset, Error, ErrorKind, Learner, Model, NumbersRef, Result, Session};
use mercer_math::{Mat, Weights, matmul};
use mercer_measure::Split;
use rayon::prelude::*;
use std::any::Any;

/// A search along paths, whoever asks for it.
pub(crate) struct Search<'a> {
    pub(crate) name: &'a str,
    pub(crate) net: Net,
    pub(crate) ratios: Ratios,
    pub(crate) path: &'a PathCvParams,
}

impl Search<'_> {
    pub(crate) fn check(&self) -> Result<()> {
        self.path.alphas.check(self.name)?;
        let ratios = self.ratios.all();
        if ratios.is_empty() {
            return Err(Error::param(self.name, "l1_ratio", "at least one share", "[]"));
        }
        if matches!(self.path.alphas, Alphas::Count(_)) && ratios.contains(&0.0) {
            return Err(Error::param(self.name, "l1_ratio", "above 0 where `alphas` are not given", 0));
        }
        Ok(())
    }

    pub(crate) fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetCvModel> {
        let folds = mercer_measure::folds(data, self.path.cv.unwrap_or(5), None)?;
        self.on(data, &folds, session)
    }

    /// Learns on folds that are given.
    pub(crate) fn on(
        &self,
        data: &Dataset<'_>,
        folds: &[Split],
        session: &Session,
    ) -> Result<ElasticNetCvModel> {
        check_folds(self.name, folds, data.n_rows())?;
        let centre = self.net.descent.fit_intercept;
        let tests = folds.iter().map(|f| part(data, &f.test)).collect::<Result<Vec<_>>>()?;
        let (sources, whole) = match is_tall(self.name, data)? && is_partition(folds, data.n_rows()) {
            true => self.tall(&tests, session)?,
            false => {
                let train = |f: &Split| Source::of(self.name, &part(data, &f.train)?, centre, session);
                let sources: Vec<Result<Source>> = folds.iter().map(train).collect();
                let sources = sources.into_iter().collect::<Result<Vec<_>>>()?;
                (sources, Source::of(self.name, data, centre, session)?)
            }
        };
        let grid = |l1_ratio: &f64| {
            self.path.alphas.of(whole.alpha_max(*l1_ratio, self.net.positive), self.path.eps)
        };
        let alphas: Vec<Vec<f64>> = self.ratios.all().iter().map(grid).collect();
        drop(whole);
        let tasks: Vec<(usize, usize)> =
            (0..alphas.len()).flat_map(|r| (0..folds.len()).map(move |f| (r, f))).collect();
        let error = |&(r, f): &(usize, usize)| {
            let net = Net { l1_ratio: self.ratios.all()[r], ..self.net.clone() };
            errors(self.name, &sources[f], &net, &alphas[r], &tests[f], &session.quiet())
        };
        let errors: Vec<Result<Vec<f64>>> = tasks.par_iter().map(error).collect();
        let errors = errors.into_iter().collect::<Result<Vec<_>>>()?;
        if session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let weights: Option<Vec<f64>> = data
            .weights()
            .map(|_| tests.iter().map(|t| Weights::of(&t.weights()).total(t.n_rows())).collect());
        self.chosen(data, session, &alphas, &errors, weights.as_deref())
    }

    /// Training moments of every fold, merged from the moments of all others, and those of all rows.
    fn tall(&self, tests: &[Dataset<'_>], session: &Session) -> Result<(Vec<Source>, Source)> {
        let centre = self.net.descent.fit_intercept;
        let of = |test: &Dataset<'_>| moments(self.name, test, session);
        let parts = tests.iter().map(of).collect::<Result<Vec<CrossMoments>>>()?;
        let merged = |without: Option<usize>| {
            let (d, t) = (parts[0].mean_x.len(), parts[0].mean_y.len());
            let mut all = CrossMoments::empty(d, t);
            let others = parts.iter().enumerate().filter(|(f, _)| Some(*f) != without);
            others.for_each(|(_, part)| all.merge(part.clone()));
            Source::tall(all, centre)
        };
        let sources = (0..parts.len()).into_par_iter().map(|f| merged(Some(f))).collect();
        Ok((sources, merged(None)))
    }

    /// The setting of least error, fitted to all rows.
    fn chosen(
        &self,
        data: &Dataset<'_>,
        session: &Session,
        alphas: &[Vec<f64>],
        errors: &[Vec<f64>],
        weights: Option<&[f64]>,
    ) -> Result<ElasticNetCvModel> {
        let n_folds = errors.len() / alphas.len();
        let total = weights.map_or(n_folds as f64, mercer_math::sum);
        let (mut mse_path, mut best) = (Vec::new(), (f64::INFINITY, 0, 0));
        for (r, alphas) in alphas.iter().enumerate() {
            let folds = &errors[r * n_folds..(r + 1) * n_folds];
            for a in 0..alphas.len() {
                let weigh = |(f, e): (usize, &Vec<f64>)| e[a] * weights.map_or(1.0, |w| w[f]);
                let mean = folds.iter().enumerate().map(weigh).sum::<f64>() / total;
                mse_path.extend(folds.iter().map(|e| e[a]));
                if mean < best.0 {
                    best = (mean, r, a);
                }
            }
        }
        if !best.0.is_finite() {
            return Err(Error::numeric(self.name, "no strength has a finite error on the rows held out"));
        }
        let (alpha, l1_ratio) = (alphas[best.1][best.2], self.ratios.all()[best.1]);
        let net = Net { alpha, l1_ratio, ..self.net.clone() }.learn(self.name, data, session)?;
        Ok(ElasticNetCvModel {
            net,
            alpha,
            l1_ratio,
            one_ratio: matches!(self.ratios, Ratios::One(_)),
            given: matches!(self.path.alphas, Alphas::These(_)),
            alphas: Mat::from_fn(alphas.len(), alphas[0].len(), |r, a| alphas[r][a]),
            mse_path,
            n_folds,
        })
    }
}

/// Some rows, gathered.
fn part<'a>(data: &Dataset<'a>, rows: &[usize]) -> Result<Dataset<'a>> {
    let part = data.subset(rows)?;
    part.with_input(part.input())
}

/// The mean squared error on held-out rows for each strength.
fn errors(
    name: &str,
    source: &Source,
    net: &Net,
    alphas: &[f64],
    test: &Dataset<'_>,
    session: &Session,
) -> Result<Vec<f64>> {
    let solved = source.solve(net, alphas, session);
    let (mean_x, mean_y, _) = source.means();
    let (numbers, target) = (test.numbers(name)?, test.need_target(name)?);
    let (n, t, d) = (test.n_rows(), mean_y.len(), mean_x.len());
    let weights = test.weights();
    let (weights, total) = (Weights::of(&weights), Weights::of(&weights).total(n));
    let mut out = vec![0.0; alphas.len()];
    for (k, mean) in mean_y.iter().enumerate() {
        let w = Mat::from_fn(d, alphas.len(), |j, a| solved[a].w[j * t + k]);
        let bias: Vec<f64> = (0..alphas.len())
            .map(|a| mean - mean_x.iter().enumerate().map(|(j, m)| m * w[(j, a)]).sum::<f64>())
            .collect();
        let y = target.numbers_of(k)?;
        let fitted = match numbers.view() {
            NumbersRef::Dense(x) => matmul(x, w.view()),
            NumbersRef::Sparse(_) => {
                let rows = w.view().t().to_mat();
                Mat::from_fn(n, alphas.len(), |i, a| numbers.view().dot_row(i, rows.row(a)))
            }
        };
        for i in 0..n {
            let each = out.iter_mut().zip(fitted.row(i)).zip(&bias);
            each.for_each(|((o, f), b)| *o += weights[i] * (y[i] - f - b).powi(2));
        }
    }
    out.iter_mut().for_each(|o| *o /= total * t as f64);
    Ok(out)
}

/// Refuses folds that are not of these rows.
fn check_folds(who: &str, folds: &[Split], n: usize) -> Result<()> {
    if folds.is_empty() {
        return Err(Error::too_few(who, "folds", 1, 0));
    }
    for rows in folds.iter().flat_map(|f| [&f.train, &f.test]) {
        if rows.is_empty() {
            return Err(Error::too_few(who, "rows in every part of a fold", 1, 0));
        }
        if let Some(bad) = rows.iter().find(|i| **i >= n) {
            return Err(Error::param(who, "cv", format!("folds of {n} rows"), format!("row {bad}")));
        }
    }
    Ok(())
}

/// Whether every row is held out once, and learnt from in all other folds.
fn is_partition(folds: &[Split], n: usize) -> bool {
    let mut held = vec![0u32; n];
    folds.iter().flat_map(|f| &f.test).for_each(|&i| held[i] += 1);
    let once = |f: &Split| {
        let mut seen = vec![false; n];
        f.test.iter().for_each(|&i| seen[i] = true);
        f.train.len() + f.test.len() == n && f.train.iter().all(|&i| !std::mem::replace(&mut seen[i], true))
    };
    held.iter().all(|h| *h == 1) && folds.iter().all(once)
}

/// Learns a net that is chosen by cross-validation on the caller's folds, whichever of them the learner is.
pub fn fit_net_on(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    folds: &[Split],
    session: &Session,
) -> Result<Box<dyn Model>> {
    let any: &dyn Any = learner;
    if let Some(learner) = any.downcast_ref::<crate::LassoCv>() {
        return Ok(learner.fit_on(data, folds, session)?.into_model());
    }
    if let Some(learner) = any.downcast_ref::<crate::ElasticNetCv>() {
        return Ok(learner.fit_on(data, folds, session)?.into_model());
    }
    if let Some(learner) = any.downcast_ref::<crate::MultiTaskLassoCv>() {
        return Ok(learner.fit_on(data, folds, session)?.into_model());
    }
    if let Some(learner) = any.downcast_ref::<crate::MultiTaskElasticNetCv>() {
        return Ok(learner.fit_on(data, folds, session)?.into_model());
    }
    Err(Error::incapable(learner.declaration().name, "learn on given folds"))
}

/// What learners that search along paths share.
macro_rules! searches {
    ($($learner:ident),*) => {$(
        impl $learner {
            /// Learns with folds of the caller's in the place of `cv`; they may overlap, and need not hold out every row.
            pub fn fit_on(&self, data: &Dataset<'_>, folds: &[Split], session: &Session) -> Result<Trained<Self>> {
                let data = self.checked(data)?;
                let model = session.run(|| self.search().on(&data, folds, session))?;
                Trained::assembled(self, model, Schema::of(&data), session.seed())
            }
        }

        impl Learn for $learner {
            type Model = ElasticNetCvModel;

            fn check(&self) -> Result<()> {
                self.check_params()?;
                self.search().check()
            }

            fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetCvModel> {
                self.search().learn(data, session)
            }

            fn capabilities(&self) -> Capabilities {
                self.search().net.capabilities(Self::declaration().capabilities)
            }
        }
    )*};
}
pub(crate) use searches;
