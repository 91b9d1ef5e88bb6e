//! Leaps and bounds: the best subset of features for least squares, without looking at all of them.

use super::base::labels_as_numbers;
use mercer_core::{Dataset, Result, Session, Termination};
use mercer_math::{Mat, Weights, dot};

/// The name of the evidence.
pub(crate) const EVIDENCE: &str = "residual sum of squares";

/// Least squares by its moments: products of features, of features and responses, and of responses.
pub(crate) struct Moments {
    xx: Mat,
    xy: Mat,
    /// Σ y² over all responses, about their means where there is an intercept.
    pub(crate) yy: f64,
    /// The weight of all rows.
    pub(crate) n: f64,
}

impl Moments {
    /// The moments of a data set. Classes whose labels are no numbers have one response a class, 1 for its rows.
    pub(crate) fn of(learner: &str, data: &Dataset<'_>, centre: bool) -> Result<Self> {
        let x = data.dense(learner)?;
        let (x, target) = (x.view(), data.need_target(learner)?);
        let responses: Vec<Vec<f64>> = match (target.numbers(), labels_as_numbers(&target)) {
            (Ok(y), _) => vec![y.to_vec()],
            (_, Some(y)) => vec![y],
            _ => {
                let (codes, labels) = target.class()?;
                let of = |c: usize| codes.iter().map(|&k| f64::from(u8::from(k as usize == c))).collect();
                (0..labels.len()).map(of).collect()
            }
        };
        let weights = Weights::of(&data.weights()).to_vec(x.n_rows());
        let n = mercer_math::sum(&weights);
        let centred = |v: &[f64]| -> Vec<f64> {
            let o = if centre { v.first().copied().unwrap_or(0.0) } else { 0.0 };
            let mean =
                if centre { v.iter().zip(&weights).map(|(v, w)| w * (v - o)).sum::<f64>() / n } else { 0.0 };
            v.iter().zip(&weights).map(|(v, w)| w.sqrt() * (v - o - mean)).collect()
        };
        let columns: Vec<Vec<f64>> = (0..x.n_cols()).map(|j| centred(&x.col_cow(j))).collect();
        let responses: Vec<Vec<f64>> = responses.iter().map(|y| centred(y)).collect();
        let d = columns.len();
        Ok(Self {
            xx: Mat::from_fn(d, d, |a, b| dot(&columns[a], &columns[b])),
            xy: Mat::from_fn(d, responses.len(), |a, k| dot(&columns[a], &responses[k])),
            yy: responses.iter().map(|y| dot(y, y)).sum(),
            n,
        })
    }

    /// The residual sums of the first 0, 1, … of some columns, and whether each column is independent of those before.
    /// A column that depends on others adds nothing.
    fn sums(&self, columns: &[usize], factor: &mut Factor) -> bool {
        let (m, t) = (columns.len(), self.xy.n_cols());
        factor.sums.clear();
        factor.sums.push(self.yy);
        let mut independent = true;
        for a in 0..m {
            for b in 0..a {
                let known = dot(&factor.l.row(a)[..b], &factor.l.row(b)[..b]);
                let pivot = factor.l[(b, b)];
                factor.l[(a, b)] =
                    if pivot > 0.0 { (self.xx[(columns[a], columns[b])] - known) / pivot } else { 0.0 };
            }
            let own = self.xx[(columns[a], columns[a])];
            let left = own - dot(&factor.l.row(a)[..a], &factor.l.row(a)[..a]);
            let regular = left > 1e-11 * own && own > 0.0;
            independent &= regular;
            factor.l[(a, a)] = if regular { left.sqrt() } else { 0.0 };
            let mut gained = 0.0;
            for k in 0..t {
                let known: f64 = (0..a).map(|b| factor.l[(a, b)] * factor.z[(b, k)]).sum();
                let z = if regular { (self.xy[(columns[a], k)] - known) / factor.l[(a, a)] } else { 0.0 };
                factor.z[(a, k)] = z;
                gained += z * z;
            }
            let last = factor.sums[a];
            factor.sums.push((last - gained).max(0.0));
        }
        independent
    }

    /// How much the residual sum grows when each of the columns alone is taken out: β_j² / (G⁻¹)_jj.
    fn growth(&self, m: usize, factor: &Factor) -> Vec<f64> {
        let t = self.xy.n_cols();
        // Rows of L⁻ᵀ: column j of L⁻¹, from the bottom of the triangle up.
        let mut growth = vec![0.0; m];
        let mut inverse = vec![0.0; m];
        for j in 0..m {
            inverse[j] = 1.0 / factor.l[(j, j)];
            for a in j + 1..m {
                let known: f64 = (j..a).map(|b| factor.l[(a, b)] * inverse[b]).sum();
                inverse[a] = -known / factor.l[(a, a)];
            }
            let diagonal: f64 = inverse[j..m].iter().map(|v| v * v).sum();
            for k in 0..t {
                let beta: f64 = (j..m).map(|a| inverse[a] * factor.z[(a, k)]).sum();
                growth[j] += beta * beta / diagonal;
            }
        }
        growth
    }
}

/// Room for one triangular factor.
struct Factor {
    l: Mat,
    z: Mat,
    sums: Vec<f64>,
}

/// The residual sum of squares of some columns of a data set.
pub(crate) fn residual_sum(data: &Dataset<'_>, columns: &[usize], centre: bool) -> Result<f64> {
    let moments = Moments::of("a selection", data, centre)?;
    let mut factor = Factor::new(columns.len(), moments.xy.n_cols());
    moments.sums(columns, &mut factor);
    Ok(factor.sums[columns.len()])
}

impl Factor {
    fn new(d: usize, t: usize) -> Self {
        Self { l: Mat::zeros(d, d), z: Mat::zeros(d, t), sums: Vec::with_capacity(d + 1) }
    }
}

/// What the search found.
pub(crate) struct Found {
    pub(crate) columns: Vec<usize>,
    pub(crate) sum: f64,
    pub(crate) value: f64,
    pub(crate) nodes: u64,
    pub(crate) termination: Termination,
}

/// min over subsets S of value(RSS(S), |S|), for a value that never falls when RSS grows.
///
/// A node is a list of columns, the first `fixed` of which stay. Taking columns out never lowers the residual sum, so
/// that a node's own sum bounds all its subsets: where no size that they can have beats the best so far, they are not
/// looked at. Important columns come first, so that large subtrees are those without them, which are cut first.
/// Furnival and Wilson, Technometrics 16(4), 1974.
pub(crate) fn search(
    moments: &Moments,
    value: &dyn Fn(f64, usize) -> f64,
    max_nodes: u64,
    session: &Session,
) -> Found {
    let d = moments.xx.n_rows();
    let mut search = Search {
        moments,
        value,
        factor: Factor::new(d, moments.xy.n_cols()),
        found: Found {
            columns: Vec::new(),
            sum: moments.yy,
            value: value(moments.yy, 0),
            nodes: 0,
            termination: Termination::Exact,
        },
        max_nodes,
        session,
    };
    search.visit((0..d).collect(), 0);
    search.found
}

struct Search<'a> {
    moments: &'a Moments,
    value: &'a dyn Fn(f64, usize) -> f64,
    factor: Factor,
    found: Found,
    max_nodes: u64,
    session: &'a Session,
}

impl Search<'_> {
    /// Whether a set of this residual sum can have a better subset, of a size in the range.
    fn hopeful(&self, sum: f64, mut sizes: std::ops::Range<usize>) -> bool {
        sizes.any(|s| (self.value)(sum, s) < self.found.value)
    }

    fn look(&mut self, columns: &[usize]) {
        for size in 0..=columns.len() {
            let (sum, value) = (self.factor.sums[size], (self.value)(self.factor.sums[size], size));
            if value < self.found.value {
                let columns = columns[..size].to_vec();
                (self.found.columns, self.found.sum, self.found.value) = (columns, sum, value);
            }
        }
    }

    /// Depth is at most the number of columns.
    fn visit(&mut self, mut columns: Vec<usize>, fixed: usize) {
        self.found.nodes += 1;
        if self.found.nodes >= self.max_nodes {
            self.found.termination = Termination::IterationLimit;
        } else if self.found.nodes % 512 == 1
            && let Some(why) = self.session.step("leaps", self.found.nodes, None, Some(self.found.value))
        {
            self.found.termination = why;
        }
        let m = columns.len();
        let independent = self.moments.sums(&columns, &mut self.factor);
        self.look(&columns);
        let full = self.factor.sums[m];
        let mut bounds = vec![full; m];
        if independent && m > fixed {
            let growth = self.moments.growth(m, &self.factor);
            let mut order: Vec<usize> = (fixed..m).collect();
            order.sort_by(|&a, &b| growth[b].total_cmp(&growth[a]));
            let sorted: Vec<usize> = order.iter().map(|&a| columns[a]).collect();
            order.iter().enumerate().for_each(|(k, &a)| bounds[fixed + k] = full + growth[a] * (1.0 - 1e-9));
            columns[fixed..].copy_from_slice(&sorted);
            self.moments.sums(&columns, &mut self.factor);
            self.look(&columns);
        }
        // The child without column j keeps those before it. The last ones have the smallest subtrees.
        for j in (fixed..m).rev() {
            if self.found.termination != Termination::Exact {
                return;
            }
            if self.hopeful(bounds[j], j..m) {
                let child = columns.iter().copied().filter(|&c| c != columns[j]).collect();
                self.visit(child, j);
            }
        }
    }
}
