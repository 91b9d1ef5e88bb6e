//! Kernel density estimation (Parzen windows).
//!
//! # Objective
//! $$ \hat p(x) = \frac{1}{\sum_i s_i}\sum_i s_i\, \frac{1}{c_K h^d} K\!\left(\frac{d(x, x_i)}{h}\right) $$
//! with sample weights $s_i$, bandwidth $h$ and $c_K$ the integral of the kernel over $d$ features.
//!
//! # Algorithm
//! Sums over the boxes of a k-d tree: a box whose kernels differ by less than its share of the tolerance is added as a whole, all
//! others are opened, the nearest ones first. Without a tolerance only what is below the last bit of a density is left
//! out. `bandwidth=loo` maximises the likelihood of rows that are left out, one after the other. Metrics that are no norm
//! are summed over every row.
//!
//! # Complexity
//! Time O(d n log n) to build the tree; between O(d log n) and O(d n) a row asked about. Memory O(d n).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Input, Learner, Session};
//! use mercer_kernels::{Bandwidth, KernelDensity};
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0]]).unwrap();
//! let learner: Box<dyn Learner> = Box::new(KernelDensity::default().bandwidth(Bandwidth::Number(2.0)));
//! let (session, new) = (Session::default(), Input::from(Mat::from_rows(&[[2.0]]).unwrap()));
//! let model = learner.train(&Dataset::new(&x), &session)?;
//! let log = model.on(&new, &session)?.log_densities()?[0];
//! assert!((log.exp() - 0.120985).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Far from all rows, where kernels underflow, they are summed relative to the greatest one: logarithms of densities stay
//! finite for kernels without an end. The integral of the cosine kernel is the true one; scikit-learn leaves out a term where the number of features is
//! even, so that its densities do not integrate to 1 there.
//!
//! # References
//! - E. Parzen. On estimation of a probability density function and mode. Ann. Math. Statist. 33(3), 1962. doi:10.1214/aoms/1177704472
//! - A. G. Gray, A. W. Moore. Nonparametric density estimation: toward computational tractability. SDM 2003. doi:10.1137/1.9781611972733.19
//! - R. P. W. Duin. On the choice of smoothing parameters for Parzen estimators. IEEE Trans. Comput. C-25, 1976. doi:10.1109/TC.1976.1674577

use super::kernel::{Bandwidth, LocalKernelName, best_bandwidth, usual_bandwidth};
use super::nadaraya_watson::ShapeParams;
use crate::neighbors::StretchParams;
use crate::neighbors::{Algorithm, MetricName, MetricParams, NeighborParams, NormKind};
use crate::neighbors::{Index, evenly_spaced};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Densities, Error, ErrorKind, Evidence, Fitted,
    Input, Learn, ParamType, Params, Result, Rows, Samples, Schema, Session, Termination,
};
use mercer_math::{
    KernelSums, LocalKernel, Mat, MatRef, by_weight, log_sum_exp, normal, running_sums, uniform,
};
use serde::{Deserialize, Serialize};

/// Kernel density estimation (Parzen windows).
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kde",
    canon = "K7",
    task = Densities,
    python = "neighbors",
    tried = "| kernel=epanechnikov,bandwidth=silverman | bandwidth=loo | metric=cosine",
    session = "",
    can = "weights density sample scaled",
    references = "Parzen. On estimation of a probability density function and mode. Ann. Math. Statist. 33(3), 1962.|Gray, Moore. Nonparametric density estimation: toward computational tractability. SDM 2003."
)]
pub struct KernelDensity {
    /// The bandwidth: a number, the rule of Scott or Silverman, or the best for rows that are left out.
    #[param(default = Bandwidth::Number(1.0), range = "(0, inf)", search = "log 0.01..10")]
    pub bandwidth: Bandwidth,
    /// How rows are searched; all ways are one here.
    #[param(default = Algorithm::Auto)]
    pub algorithm: Algorithm,
    /// The kernel.
    #[param(flatten)]
    pub shape: ShapeParams,
    /// What is near to what; densities integrate to 1 for the Euclidean metric.
    #[param(default = MetricName::Euclidean)]
    pub metric: MetricName,
    /// How much a density may be wrong, absolutely.
    #[param(default = 0.0, range = "[0, inf)")]
    pub atol: f64,
    /// How much a density may be wrong, relative to itself.
    #[param(default = 0.0, range = "[0, 1]")]
    pub rtol: f64,
    /// Accepted for scikit-learn's sake; the nearest boxes are always opened first.
    #[param(default = true)]
    pub breadth_first: bool,
    /// Rows in a leaf of the tree, which changes the speed alone.
    #[param(default = 40, range = "[1, inf)")]
    pub leaf_size: usize,
    /// What the metric takes.
    #[param(flatten)]
    pub stretch: StretchParams,
}

/// Rows with a kernel about each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KernelDensityModel {
    index: Index,
    weights: Option<Vec<f64>>,
    kernel: LocalKernel,
    bandwidth: f64,
    atol: f64,
    rtol: f64,
    certificate: Certificate,
}

const MEAN: &str = "mean log density";
/// Rows by which bandwidths are compared, and certificates given.
const SOME_ROWS: usize = 1000;
/// Pairs of rows that a bandwidth is chosen by.
const PAIRS: usize = 1_000_000;

impl Learn for KernelDensity {
    type Model = KernelDensityModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<KernelDensityModel> {
        let params = NeighborParams {
            algorithm: if self.metric.is_norm() { Algorithm::KdTree } else { Algorithm::Auto },
            leaf_size: self.leaf_size,
            metric: self.metric,
            stretch: self.stretch.clone(),
            ..NeighborParams::default()
        };
        let index = Index::new(Self::NAME, &params, data)?;
        let certificate = Certificate::new(Termination::Exact);
        let mut model = KernelDensityModel {
            index,
            weights: data.weights().map(|w| w.to_vec()),
            kernel: self.shape.kernel.kernel(),
            bandwidth: 1.0,
            atol: self.atol,
            rtol: self.rtol,
            certificate,
        };
        self.choose(&mut model, data, session)?;
        let mean = model.mean(&data.input(), &session.quiet().undisturbed())?;
        if mean.is_finite() {
            let meaning = "of training rows, evenly spaced ones where there are many: their likelihood, on a logarithmic scale";
            model.certificate = model.certificate.clone().with_evidence(Evidence::value(MEAN, mean, meaning));
        }
        let note = match (self.atol, self.rtol) {
            (0.0, 0.0) => "every density is exact to rounding".to_owned(),
            (a, r) => format!("every density is within {a:e} + {r:e} times itself of the exact one"),
        };
        model.certificate = model.certificate.clone().with_note(note);
        Ok(model)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { counts_rows: self.bandwidth.counts_rows(), ..Self::declaration().capabilities }
    }

    fn check(&self) -> Result<()> {
        if let Bandwidth::Several(all) = &self.bandwidth {
            let given = format!("{} numbers", all.len());
            return Err(Error::param(Self::NAME, "bandwidth", "one number, scott, silverman or loo", given));
        }
        use MetricName::{Dtw, Kernel, Levenshtein, Precomputed};
        if matches!(self.metric, Precomputed | Levenshtein | Dtw | Kernel) {
            return Err(Error::param(Self::NAME, "metric", "a metric of rows", self.metric.to_value()));
        }
        self.check_params()
    }
}

impl KernelDensity {
    fn choose(&self, model: &mut KernelDensityModel, data: &Dataset<'_>, session: &Session) -> Result<()> {
        let (n, d) = (data.n_rows(), data.n_features());
        if let Some((_, h)) = self.bandwidth.fixed(Self::NAME, n, d)? {
            model.bandwidth = h;
            return Ok(());
        }
        let dense = data.dense(Self::NAME)?;
        let usual = usual_bandwidth(model.index.stored().map_or(dense.view(), Mat::view));
        let which = evenly_spaced(n, (PAIRS / n).clamp(64, SOME_ROWS));
        let weights = data.weights();
        let loss = |hs: &[f64]| {
            let one = |&h: &f64| {
                let logs = model.left_out(&which, h)?;
                if session.step("bandwidth", 0, None, None).is_some() {
                    return Err(ErrorKind::Cancelled.into());
                }
                let each = which
                    .iter()
                    .zip(&logs)
                    .map(|(&i, l)| weights.as_ref().map_or(1.0, |w| w[i as usize]) * l);
                Ok(-each.filter(|v| !v.is_nan()).sum::<f64>())
            };
            hs.iter().map(one).collect::<Result<Vec<f64>>>()
        };
        let Some((h, loss)) = best_bandwidth(usual, session, loss)? else {
            return Err(Error::numeric(
                Self::NAME,
                "no bandwidth gives every row a density by the others; give one",
            ));
        };
        model.bandwidth = h;
        model.certificate = model.certificate.clone().with_objective(loss);
        Ok(())
    }
}

impl KernelDensityModel {
    /// The bandwidth.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    fn dim(&self) -> usize {
        self.index.stored().map_or(0, Mat::n_cols)
    }

    /// What is taken from the logarithm of a sum of kernels, of weight `total`, to make it that of a density.
    fn log_norm(&self, total: f64, h: f64) -> f64 {
        total.ln() + self.kernel.log_integral(h, self.dim())
    }

    fn total(&self) -> f64 {
        self.weights.as_ref().map_or(self.index.len() as f64, |w| w.iter().sum())
    }

    /// The log densities of rows, in the space of the norm, by a tree.
    fn by_tree(
        &self,
        rows: MatRef<'_>,
        h: f64,
        own: Option<&[u32]>,
        session: &Session,
    ) -> Result<Option<Vec<f64>>> {
        let Some(tree) = self.index.rows().and_then(|rows| rows.tree()) else { return Ok(None) };
        let sums = KernelSums::new(tree, self.kernel, h, self.weights.as_deref());
        let norm = self.log_norm(self.total(), h);
        let mut logs = Vec::with_capacity(rows.n_rows());
        for start in (0..rows.n_rows()).step_by(4096) {
            let range = start..(start + 4096).min(rows.n_rows());
            let own = own.map(|own| &own[range.clone()]);
            let absolute = (self.atol * norm.min(600.0).exp()).min(1e290);
            logs.extend(session.run(|| sums.log_sums(rows.rows(range), absolute, self.rtol, own)));
            if session.interrupted().is_some() && logs.len() < rows.n_rows() {
                return Err(ErrorKind::Cancelled.into());
            }
        }
        logs.iter_mut().for_each(|v| *v -= norm);
        Ok(Some(logs))
    }

    /// The log densities of some training rows by all others.
    fn left_out(&self, which: &[u32], h: f64) -> Result<Vec<f64>> {
        let rows: Vec<usize> = which.iter().map(|&i| i as usize).collect();
        let stored = self.index.stored().map(|x| x.view().gather(&rows)).unwrap_or_else(|| Mat::zeros(0, 0));
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |w| w[i]);
        let rest = |i: usize| self.total() - weight(i);
        let whole = self.log_norm(self.total(), h);
        if let Some(mut logs) = self.by_tree(stored.view(), h, Some(which), &Session::default())? {
            logs.iter_mut().zip(&rows).for_each(|(l, &i)| *l += whole - self.log_norm(rest(i), h));
            return Ok(logs);
        }
        self.index.each_distances(KernelDensity::NAME, &Input::from(stored), |at, distances| {
            self.kernel.logs(distances, h);
            self.add_weights(distances);
            distances[rows[at]] = f64::NEG_INFINITY;
            log_sum_exp(distances) - self.log_norm(rest(rows[at]), h)
        })
    }

    fn add_weights(&self, logs: &mut [f64]) {
        if let Some(weights) = &self.weights {
            logs.iter_mut().zip(weights).for_each(|(l, w)| *l += w.ln());
        }
    }

    /// The mean log density of rows, evenly spaced ones where there are many.
    fn mean(&self, input: &Input<'_>, session: &Session) -> Result<f64> {
        let which: Vec<usize> =
            evenly_spaced(input.n_units().unwrap_or(0), SOME_ROWS).iter().map(|&i| i as usize).collect();
        // Rows of weight 0 are not there.
        let counts = |i: &usize| self.weights.as_ref().is_none_or(|w| w.get(*i).is_none_or(|w| *w > 0.0));
        let which: Vec<usize> = which.into_iter().filter(counts).collect();
        let logs = self.log_densities(&input.gather(&which), session)?;
        Ok(logs.iter().sum::<f64>() / logs.len() as f64)
    }
}

impl Densities for KernelDensityModel {
    fn log_densities(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        if self.index.norm().is_some() {
            let rows = self.index.stretched(KernelDensity::NAME, input)?;
            if let Some(logs) = self.by_tree(rows.view(), self.bandwidth, None, session)? {
                return Ok(logs);
            }
        }
        let norm = self.log_norm(self.total(), self.bandwidth);
        let log = |_: usize, distances: &mut [f64]| {
            self.kernel.logs(distances, self.bandwidth);
            self.add_weights(distances);
            log_sum_exp(distances) - norm
        };
        session.run(|| self.index.each_distances(KernelDensity::NAME, input, log))
    }
}

impl Samples for KernelDensityModel {
    /// A row by its weight, and a step from it by the kernel.
    fn sample(&self, n: usize, session: &Session) -> Result<Rows<'static>> {
        let plain = self.index.norm() == Some(NormKind::Euclidean) && self.index.is_plain();
        let Some(x) = self.index.stored().filter(|_| plain) else {
            return Err(Error::incapable(
                KernelDensity::NAME,
                "draw rows for a metric that is not Euclidean",
            ));
        };
        let mut rng = session.rng(0);
        let sums = self.weights.as_ref().map(|w| running_sums(w.iter().copied()));
        let mut out = Mat::zeros(n, x.n_cols());
        for i in 0..n {
            let row = match &sums {
                Some(sums) => by_weight(&mut rng, sums),
                None => mercer_math::below(&mut rng, x.n_rows()),
            };
            step(self.kernel, self.bandwidth, &mut rng, out.row_mut(i));
            out.row_mut(i).iter_mut().zip(x.row(row)).for_each(|(v, x)| *v += x);
        }
        Ok(Rows::from(out))
    }
}

/// A draw from the kernel about zero: a direction, and a length by its distribution; kernels with an end are drawn by
/// rejection from the ball.
fn step(kernel: LocalKernel, h: f64, rng: &mut mercer_math::Rng, out: &mut [f64]) {
    let d = out.len();
    out.iter_mut().for_each(|v| *v = normal(rng));
    if kernel == LocalKernel::Gaussian {
        out.iter_mut().for_each(|v| *v *= h);
        return;
    }
    let length = out.iter().map(|v| v * v).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    let radius = match kernel {
        LocalKernel::Exponential => (0..d).map(|_| -(1.0 - uniform(rng)).ln()).sum::<f64>(),
        _ => loop {
            let r = uniform(rng).powf(1.0 / d as f64);
            let mut value = [r];
            kernel.values(&mut value, 1.0);
            if uniform(rng) < value[0] {
                break r;
            }
        },
    };
    out.iter_mut().for_each(|v| *v *= h * radius / length);
}

impl Fitted for KernelDensityModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        let plain = self.index.norm() == Some(NormKind::Euclidean) && self.index.is_plain();
        Abilities { density: Some(self), sample: plain.then_some(self as _), ..Abilities::default() }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        (ability == "sample").then(|| "its metric is not Euclidean".to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        Ok(vec![(MEAN.to_owned(), self.mean(&data.input(), session)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        vec![Attribute::real("bandwidth_", "The bandwidth.", &[], vec![self.bandwidth])]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.index.validate(schema)?;
        let n = self.index.len();
        let weights = self.weights.as_ref().is_none_or(|w| {
            w.len() == n && w.iter().all(|w| w.is_finite() && *w >= 0.0) && w.iter().any(|w| *w > 0.0)
        });
        let ok = weights
            && self.bandwidth > 0.0
            && self.bandwidth.is_finite()
            && self.atol >= 0.0
            && self.rtol >= 0.0;
        if ok { Ok(()) } else { Err("weights or bandwidth do not fit".to_owned()) }
    }
}
