//! Gradients of kernels in the logarithms of their hyper-parameters.
//!
//! What an optimiser needs is a weighted sum of the derivatives, $\sum_{ij} W_{ij}\,\partial K_{ij}/\partial\theta_p$, which the rules of
//! construction hand down to their parts with other weights (the chain rule, backwards): a product hands $W \circ K_2$ to its
//! first part, the exponential $W \circ K$, and so on. No matrix for each hyper-parameter is made on the way, and scales of
//! features cost one matrix product together.

use super::evaluate::{Tile, chi2, dense, direct, distances, horner};
use super::radial::Profile;
use super::side::Part;
use super::{Hyper, Kernel, Side};
use mercer_math::{Mat, matmul_parallel};
use rayon::prelude::*;

/// The derivative of a function of a kernel's value.
pub(super) type Slope<'k> = Box<dyn Fn(f64) -> f64 + Sync + 'k>;

impl Kernel {
    /// $\sum_{ij} W_{ij}\,\partial K_{ij}/\partial\theta_p$ for every hyper-parameter in the order of [`Kernel::theta`].
    ///
    /// # Panics
    /// When the weights are not one for each pair of points.
    pub fn gradient_dot(&self, side: &Side<'_>, weights: &Mat) -> Vec<f64> {
        assert_eq!((weights.n_rows(), weights.n_cols()), (side.n, side.n), "one weight for each pair");
        let mut out = Vec::new();
        self.descend(&side.part.dense(), side.n, weights, &mut out);
        out
    }

    /// $\partial K/\partial\theta_p$ for every hyper-parameter, each a whole matrix: for small sets of points.
    pub fn gradients(&self, side: &Side<'_>) -> Vec<Mat> {
        self.matrices(&side.part.dense(), side.n)
    }

    fn gram_of(&self, part: &Part<'_>, n: usize) -> Mat {
        self.gram(&Side { n, n_features: 0, part: part.clone(), panels: Default::default() })
    }

    pub(super) fn n_theta(&self) -> usize {
        let mut n = 0;
        self.visit(&mut |_, h| n += h.n_free());
        n
    }

    /// The derivative of this node's value in the value of its inner kernel, for the rules of one part.
    pub(super) fn outer_slope(&self) -> Option<(&Kernel, Slope<'_>)> {
        Some(match self {
            Kernel::Power(inner, q) => (inner, Box::new(move |k: f64| q * k.powf(q - 1.0))),
            Kernel::Exp(inner) => (inner, Box::new(f64::exp)),
            Kernel::PolynomialOf(inner, a) => {
                let slope: Vec<f64> = a.iter().enumerate().skip(1).map(|(i, a)| i as f64 * a).collect();
                (inner, Box::new(move |k| horner(&slope, k)))
            }
            _ => return None,
        })
    }

    fn descend(&self, part: &Part<'_>, n: usize, weights: &Mat, out: &mut Vec<f64>) {
        if self.n_theta() == 0 {
            return;
        }
        if let Some((inner, slope)) = self.outer_slope() {
            let weights = times(weights, &inner.gram_of(part, n), slope);
            return inner.descend(part, n, &weights, out);
        }
        match (self, part) {
            (Kernel::Sum(parts), Part::All(sides)) => {
                parts.iter().zip(sides).for_each(|(kernel, side)| kernel.descend(side, n, weights, out));
            }
            (Kernel::Product(parts), Part::All(sides)) => {
                for (i, (kernel, side)) in
                    parts.iter().zip(sides).enumerate().filter(|(_, (k, _))| k.n_theta() > 0)
                {
                    let mut rest = weights.clone();
                    for (other, side) in
                        parts.iter().zip(sides).enumerate().filter(|(j, _)| *j != i).map(|(_, o)| o)
                    {
                        rest = times(&rest, &other.gram_of(side, n), |k| k);
                    }
                    kernel.descend(side, n, &rest, out);
                }
            }
            (Kernel::ScaledBy(inner, _), Part::Scaled(g, inside)) => {
                let scaled = Mat::from_fn(n, n, |i, j| weights[(i, j)] * g[i] * g[j]);
                inner.descend(inside, n, &scaled, out);
            }
            (Kernel::Normalised(inner), Part::Scaled(g, inside)) => {
                // With c = k/√(k_ii k_jj): dc = g_i g_j dk − ½ c (dk_ii/k_ii + dk_jj/k_jj), the latter on the diagonal.
                let whole = self.gram_of(part, n);
                let mut own = Mat::from_fn(n, n, |i, j| weights[(i, j)] * g[i] * g[j]);
                for i in 0..n {
                    let pull: f64 = (0..n).map(|j| (weights[(i, j)] + weights[(j, i)]) * whole[(i, j)]).sum();
                    own[(i, i)] -= 0.5 * pull * g[i] * g[i];
                }
                inner.descend(inside, n, &own, out);
            }
            (Kernel::On(inner, _) | Kernel::OnColumns(inner, _), _) => inner.descend(part, n, weights, out),
            _ => self.leaf_dot(part, n, weights, out),
        }
    }

    fn leaf_dot(&self, part: &Part<'_>, n: usize, weights: &Mat, out: &mut Vec<f64>) {
        if let (Some(profile), Some(scale), Part::Dense(..)) = (Profile::of(self), self.length_scale(), part)
            && scale.n_free() > 1
        {
            // Both scale and α have free values; the order is that of the names.
            if let Kernel::RationalQuadratic { alpha, .. } = self
                && alpha.is_free()
            {
                out.push(weighted(weights, &self.leaf_gradient(part, n, 0)));
            }
            out.extend(self.scales_dot(profile, part, n, weights));
            return;
        }
        (0..self.n_theta()).for_each(|p| out.push(weighted(weights, &self.leaf_gradient(part, n, p))));
    }

    /// The scales of features: with M = W∘f′(s) and rows x divided by their scales, the sum for feature j is
    /// −2 Σ M_ab (x_aj − x_bj)², which is −2 (Σ_a (r_a + c_a) x_aj² − 2 Σ_a x_aj (M x)_aj) by row and column sums of M.
    fn scales_dot(&self, profile: Profile, part: &Part<'_>, n: usize, weights: &Mat) -> Vec<f64> {
        let mut slopes = self.squared_distances(part, n);
        slopes.as_mut_slice().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, line)| {
            profile.slopes(line);
            line.iter_mut().zip(weights.row(i)).for_each(|(m, w)| *m *= w);
        });
        let x = dense(part);
        let product = matmul_parallel(slopes.view(), x);
        let mut sums = vec![0.0; n];
        for i in 0..n {
            sums[i] += slopes.row(i).iter().sum::<f64>();
            sums.iter_mut().zip(slopes.row(i)).for_each(|(s, m)| *s += m);
        }
        let feature = |j: usize| {
            let square: f64 = (0..n).map(|a| sums[a] * x.get(a, j) * x.get(a, j)).sum();
            let mixed: f64 = (0..n).map(|a| x.get(a, j) * product[(a, j)]).sum();
            -2.0 * (square - 2.0 * mixed)
        };
        (0..x.n_cols()).map(feature).collect()
    }

    pub(super) fn length_scale(&self) -> Option<&Hyper> {
        match self {
            Kernel::Rbf(h)
            | Kernel::Matern { length_scale: h, .. }
            | Kernel::RationalQuadratic { length_scale: h, .. }
            | Kernel::Periodic { length_scale: h, .. } => Some(h),
            _ => None,
        }
    }

    /// The scaled squared distances of a radial leaf.
    fn squared_distances(&self, part: &Part<'_>, n: usize) -> Mat {
        let mut out = Mat::zeros(n, n);
        out.as_mut_slice().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, line)| {
            distances(
                part.rows(),
                part.rows(),
                self.unit(),
                &Tile { rows: i..i + 1, cols: 0..n, same: true },
                line,
            );
        });
        out
    }

    /// ∂K/∂θ_p of a leaf.
    fn leaf_gradient(&self, part: &Part<'_>, n: usize, p: usize) -> Mat {
        // Which of the leaf's own hyper-parameters, and which of its values.
        let mut place = p;
        let hypers = self.own_hypers();
        let (name, hyper) = hypers
            .iter()
            .find(|(_, h)| {
                let found = place < h.n_free();
                place -= if found { 0 } else { h.n_free() };
                found
            })
            .expect("a free hyper-parameter has this place");
        match (self, *name) {
            (Kernel::Constant(c), _) => Mat::from_fn(n, n, |_, _| c.value()),
            (Kernel::White(c), _) => Mat::from_fn(n, n, |i, j| if i == j { c.value() } else { 0.0 }),
            (Kernel::Linear(sigma), _) => Mat::from_fn(n, n, |_, _| 2.0 * sigma.value() * sigma.value()),
            (Kernel::Polynomial { gamma, coef0, degree }, name) => {
                let dots = Kernel::linear().gram_of(part, n);
                let inner = |d: f64| gamma.value() * d + coef0.value();
                let own = |d: f64| if name == "gamma" { gamma.value() * d } else { coef0.value() };
                mapped(&dots, |d| degree * inner(d).powf(degree - 1.0) * own(d))
            }
            (Kernel::Sigmoid { gamma, coef0 }, name) => {
                let dots = Kernel::linear().gram_of(part, n);
                let own = |d: f64| if name == "gamma" { gamma.value() * d } else { coef0.value() };
                mapped(&dots, |d| (1.0 - (gamma.value() * d + coef0.value()).tanh().powi(2)) * own(d))
            }
            (Kernel::Laplacian(gamma) | Kernel::Chi2(gamma), _) => {
                let mut out = Mat::zeros(n, n);
                let distance = |x: &[f64], y: &[f64]| match self {
                    Kernel::Chi2(_) => chi2(x, y),
                    _ => x.iter().zip(y).map(|(x, y)| (x - y).abs()).sum(),
                };
                let log_slope = |x: &[f64], y: &[f64]| {
                    let g = gamma.value() * distance(x, y);
                    -g * (-g).exp()
                };
                let all = Tile { rows: 0..n, cols: 0..n, same: true };
                direct(part, part, &all, out.as_mut_slice(), log_slope);
                out
            }
            (Kernel::RationalQuadratic { alpha, .. }, "alpha") => {
                let alpha = alpha.value();
                mapped(&self.squared_distances(part, n), |s| {
                    let u = s / (2.0 * alpha);
                    alpha * (1.0 + u).powf(-alpha) * (u / (1.0 + u) - u.ln_1p())
                })
            }
            (Kernel::Periodic { length_scale, .. }, "periodicity") => {
                self.period_slope(part, n, length_scale, place, hyper.values.len())
            }
            (_, _) => self.scale_slope(part, n, place, hyper.values.len()),
        }
    }

    /// ∂K/∂ln ℓ_j of a radial kernel: −2 f′(s) times the part of s that comes from feature j, or all of it.
    fn scale_slope(&self, part: &Part<'_>, n: usize, j: usize, n_scales: usize) -> Mat {
        let profile = Profile::of(self).expect("only radial kernels have length scales");
        let distances = self.squared_distances(part, n);
        let mut slopes = distances.clone();
        slopes.as_mut_slice().par_chunks_mut(n.max(1)).for_each(|line| profile.slopes(line));
        let own = |a: usize, b: usize| match n_scales {
            1 => distances[(a, b)],
            _ => (dense(part).get(a, j) - dense(part).get(b, j)).powi(2),
        };
        Mat::from_fn(n, n, |a, b| -2.0 * slopes[(a, b)] * own(a, b))
    }

    /// ∂K/∂ln p of the periodic kernel, from the points on their circles: with u = π(x − y)/p the exponent is −2 Σ sin²u/ℓ²,
    /// and its slope 2 Σ u sin 2u/ℓ². The angle itself, not its place on the circle, is needed for u.
    fn period_slope(
        &self,
        part: &Part<'_>,
        n: usize,
        length_scale: &Hyper,
        j: usize,
        n_periods: usize,
    ) -> Mat {
        let Part::Turned(angles, _) = part else {
            unreachable!("periodic kernels keep the angles of points")
        };
        let gram = self.gram_of(part, n);
        let d = angles.n_cols();
        let columns = if n_periods == 1 { 0..d } else { j..j + 1 };
        let unit = length_scale.value() * length_scale.value();
        Mat::from_fn(n, n, |a, b| {
            let u = |j: usize| 0.5 * (angles[(a, j)] - angles[(b, j)]);
            let slope: f64 = columns.clone().map(|j| u(j) * (2.0 * u(j)).sin()).sum();
            gram[(a, b)] * 2.0 * slope / unit
        })
    }

    fn matrices(&self, part: &Part<'_>, n: usize) -> Vec<Mat> {
        if self.n_theta() == 0 {
            return Vec::new();
        }
        if let Some((inner, slope)) = self.outer_slope() {
            let gram = inner.gram_of(part, n);
            return inner.matrices(part, n).into_iter().map(|m| times(&m, &gram, &slope)).collect();
        }
        match (self, part) {
            (Kernel::Sum(parts), Part::All(sides)) => {
                parts.iter().zip(sides).flat_map(|(kernel, side)| kernel.matrices(side, n)).collect()
            }
            (Kernel::Product(parts), Part::All(sides)) => {
                let grams: Vec<Mat> = parts.iter().zip(sides).map(|(k, side)| k.gram_of(side, n)).collect();
                let others = |i: usize, m: Mat| {
                    let rest = grams.iter().enumerate().filter(|(j, _)| *j != i);
                    rest.fold(m, |m, (_, gram)| times(&m, gram, |k| k))
                };
                let each = parts.iter().zip(sides).enumerate();
                each.flat_map(|(i, (kernel, side))| {
                    kernel.matrices(side, n).into_iter().map(|m| others(i, m)).collect::<Vec<_>>()
                })
                .collect()
            }
            (Kernel::ScaledBy(inner, _), Part::Scaled(g, inside)) => {
                let scaled = |m: Mat| Mat::from_fn(n, n, |i, j| m[(i, j)] * g[i] * g[j]);
                inner.matrices(inside, n).into_iter().map(scaled).collect()
            }
            (Kernel::Normalised(inner), Part::Scaled(g, inside)) => {
                let whole = self.gram_of(part, n);
                let turned = |m: Mat| {
                    let own = |i: usize| m[(i, i)] * g[i] * g[i];
                    Mat::from_fn(n, n, |i, j| {
                        m[(i, j)] * g[i] * g[j] - 0.5 * whole[(i, j)] * (own(i) + own(j))
                    })
                };
                inner.matrices(inside, n).into_iter().map(turned).collect()
            }
            (Kernel::On(inner, _) | Kernel::OnColumns(inner, _), _) => inner.matrices(part, n),
            _ => (0..self.n_theta()).map(|p| self.leaf_gradient(part, n, p)).collect(),
        }
    }
}

fn mapped(m: &Mat, f: impl Fn(f64) -> f64) -> Mat {
    Mat::from_fn(m.n_rows(), m.n_cols(), |i, j| f(m[(i, j)]))
}

/// W ∘ f(K)
fn times(weights: &Mat, gram: &Mat, f: impl Fn(f64) -> f64 + Sync) -> Mat {
    let mut out = weights.clone();
    let n = gram.n_cols().max(1);
    out.as_mut_slice().par_chunks_mut(n).zip(gram.as_slice().par_chunks(n)).for_each(|(out, gram)| {
        out.iter_mut().zip(gram).for_each(|(o, k)| *o *= f(*k));
    });
    out
}

/// Σ W_ij D_ij, by rows in order.
fn weighted(weights: &Mat, derivative: &Mat) -> f64 {
    let rows = (0..weights.n_rows()).map(|i| mercer_math::dot(weights.row(i), derivative.row(i)));
    rows.sum()
}
