//! Cross-validation along the path: which strength and which share of the L1 penalty.
//!
//! # Objective
//! The strength $\alpha$ and share $\rho$ of [`ElasticNet`](crate::ElasticNet) (for several tasks of
//! [`MultiTaskElasticNet`](crate::MultiTaskElasticNet)) with the least mean squared error on rows held out, averaged
//! over folds, by the weight of their rows where there are weights.
//!
//! # Algorithm
//! Folds and shares run side by side; in each, the path of strengths is followed from the strongest, each solution from
//! the one before. Where there are more rows than features, the moments of every fold are taken once, and those of its
//! training rows are merged from all others. The best setting is fitted to all rows.
//!
//! # Complexity
//! One pass over the rows for all folds (tall), then O(d²) an iteration; `cv` paths (wide).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LassoCv;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(30, 2, |i, j| ((i * (j + 2)) % 7) as f64);
//! let y: Vec<f64> = (0..30).map(|i| 3.0 * x[(i, 0)] + 1.0).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let model = LassoCv::default().fit(&data)?;
//! assert!((model.coef()[0] - 3.0).abs() < 0.05);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Folds are of consecutive rows, as scikit-learn's are for `cv` a number (of whole groups where there are groups). Of
//! equal errors the larger strength wins, and the first share. The certificate is that of the final fit; what is proved
//! says nothing of the choice.
//!
//! # References
//! - J. Friedman, T. Hastie, R. Tibshirani. Regularization paths for generalized linear models via coordinate descent.
//!   JSS 33(1), 2010. doi:10.18637/jss.v033.i01

use crate::lasso::{CoordinateDescentParams, SignParams, Visit};
use crate::net::{ElasticNetModel, Net, is_tall, moments};
use crate::paths::{Alphas, Source};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, CrossMoments, Dataset, Error, ErrorKind, Fitted, Input,
    Learn, NumbersRef, ParamGroup, ParamKind, ParamType, Params, Prediction, Result, Schema, Session, Value,
};
use mercer_math::{Mat, Weights, matmul};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// One share of the L1 penalty, or several to choose from.
#[derive(Clone, Debug, PartialEq)]
pub enum Ratios {
    /// This one.
    One(f64),
    /// The best of these.
    Several(Vec<f64>),
}

impl ParamType for Ratios {
    fn kind() -> ParamKind {
        ParamKind::List(Box::new(ParamKind::Real))
    }
    fn to_value(&self) -> Value {
        match self {
            Ratios::One(ratio) => ratio.to_value(),
            Ratios::Several(ratios) => ratios.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(_) => Vec::from_value(value).map(Ratios::Several),
            value => f64::from_value(value).map(Ratios::One).map_err(|e| format!("{e}, or a list")),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        self.all().iter().for_each(|v| visit(*v));
    }
}

impl Ratios {
    fn all(&self) -> &[f64] {
        match self {
            Ratios::One(ratio) => std::slice::from_ref(ratio),
            Ratios::Several(ratios) => ratios,
        }
    }
}

/// The share of the L1 penalty.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ShareParams {
    /// The share of the L1 penalty, or several to choose from.
    #[param(default = Ratios::One(0.5), range = "[0, 1]")]
    pub l1_ratio: Ratios,
}

/// The strengths and the folds that they are tried on.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct PathCvParams {
    /// The smallest strength over the largest, where strengths are not given.
    #[param(default = 1e-3, range = "(0, inf)")]
    pub eps: f64,
    /// How many strengths, or which.
    #[param(default = Alphas::Count(100), range = "[0, inf)")]
    pub alphas: Alphas,
    /// Number of folds; none means 5.
    #[param(default = None, range = "[2, inf)")]
    pub cv: Option<usize>,
}

/// Lasso whose strength is chosen by cross-validation along the path.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "LassoCV",
    aliases = "lasso-cv",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state n_jobs verbose",
    door = "precompute='auto' copy_X=True",
    can = "explain weights sparse scaled zeroes counts_rows ordered",
    references = "Friedman, Hastie, Tibshirani. Regularization paths for generalized linear models via coordinate descent. JSS 33(1), 2010."
)]
pub struct LassoCv {
    /// The strengths and the folds.
    #[param(flatten)]
    pub path: PathCvParams,
    /// The intercept, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
    /// What coefficients may be.
    #[param(flatten)]
    pub sign: SignParams,
}

/// Elastic net whose strength and share are chosen by cross-validation along the path.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "ElasticNetCV",
    aliases = "elastic-net-cv",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state n_jobs verbose",
    door = "precompute='auto' copy_X=True",
    tried = "alphas=20 | alphas=10,l1_ratio=[0.5,0.9]",
    can = "explain weights sparse scaled counts_rows ordered",
    references = "Friedman, Hastie, Tibshirani. Regularization paths for generalized linear models via coordinate descent. JSS 33(1), 2010."
)]
pub struct ElasticNetCv {
    /// The share of the L1 penalty.
    #[param(flatten)]
    pub share: ShareParams,
    /// The strengths and the folds.
    #[param(flatten)]
    pub path: PathCvParams,
    /// The intercept, and how the coefficients are found.
    #[param(flatten)]
    pub descent: CoordinateDescentParams,
    /// What coefficients may be.
    #[param(flatten)]
    pub sign: SignParams,
}

/// A net chosen by cross-validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElasticNetCvModel {
    net: ElasticNetModel,
    alpha: f64,
    l1_ratio: f64,
    /// Whether one share was given, not a list.
    one_ratio: bool,
    /// Whether strengths were given, which are then those of every share.
    given: bool,
    /// The strengths for each share.
    alphas: Mat,
    /// The errors, shares × strengths × folds.
    mse_path: Vec<f64>,
    n_folds: usize,
}

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
        let centre = self.net.descent.fit_intercept;
        let tests = folds.iter().map(|f| part(data, &f.test)).collect::<Result<Vec<_>>>()?;
        let (sources, whole) = match is_tall(self.name, data)? {
            true => self.tall(&tests, session)?,
            false => {
                let train = |f: &mercer_measure::Split| {
                    Source::of(self.name, &part(data, &f.train)?, centre, session)
                };
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

impl LassoCv {
    fn search(&self) -> Search<'_> {
        let (positive, descent) = (self.sign.positive, self.descent.clone());
        let net = Net { alpha: 0.0, l1_ratio: 1.0, positive, together: false, descent };
        Search { name: Self::NAME, net, ratios: Ratios::One(1.0), path: &self.path }
    }
}

impl ElasticNetCv {
    fn search(&self) -> Search<'_> {
        let (positive, descent) = (self.sign.positive, self.descent.clone());
        let net = Net { alpha: 0.0, l1_ratio: 1.0, positive, together: false, descent };
        Search { name: Self::NAME, net, ratios: self.share.l1_ratio.clone(), path: &self.path }
    }
}

impl Learn for LassoCv {
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

impl Learn for ElasticNetCv {
    type Model = ElasticNetCvModel;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.search().check()
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ElasticNetCvModel> {
        self.search().learn(data, session)
    }

    fn capabilities(&self) -> Capabilities {
        let random = self.search().net.capabilities(Self::declaration().capabilities);
        Capabilities { zeroes: false, ..random }
    }
}

impl ElasticNetCvModel {
    /// The coefficients, target by target.
    pub fn coef(&self) -> &[f64] {
        self.net.coef()
    }

    /// The intercept, of the first of several targets.
    pub fn intercept(&self) -> f64 {
        self.net.intercept()
    }

    /// The strength that was chosen.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The share of the L1 penalty that was chosen.
    pub fn l1_ratio(&self) -> f64 {
        self.l1_ratio
    }

    /// The mean squared errors on rows held out, shares × strengths × folds.
    pub fn mse_path(&self) -> &[f64] {
        &self.mse_path
    }

    /// The strengths that were tried, for each share, from the largest.
    pub fn alphas(&self) -> &Mat {
        &self.alphas
    }
}

impl Fitted for ElasticNetCvModel {
    fn certificate(&self) -> &Certificate {
        self.net.certificate()
    }

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.net.infer(input, schema, session)
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        self.net.reprove(data, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.net.attributes();
        let (r, a) = (self.alphas.n_rows(), self.alphas.n_cols());
        let (alphas, shape) = match self.one_ratio {
            true => (vec![a], vec![a, self.n_folds]),
            false => (if self.given { vec![a] } else { vec![r, a] }, vec![r, a, self.n_folds]),
        };
        let tried = self.alphas.as_slice()[..alphas.iter().product()].to_vec();
        all.push(Attribute::real("alpha_", "The strength chosen.", &[], vec![self.alpha]));
        all.push(Attribute::real(
            "l1_ratio_",
            "The share of the L1 penalty chosen.",
            &[],
            vec![self.l1_ratio],
        ));
        all.push(Attribute::real("alphas_", "The strengths tried.", &alphas, tried));
        let doc = "The mean squared error on rows held out, for each strength and fold.";
        all.push(Attribute::real("mse_path_", doc, &shape, self.mse_path.clone()));
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let errors = self.alphas.n_rows() * self.alphas.n_cols() * self.n_folds;
        if !self.alphas.is_consistent() || self.alphas.n_rows() == 0 || self.mse_path.len() != errors {
            return Err("errors do not fit the strengths and folds".to_owned());
        }
        self.net.validate(schema)
    }
}
