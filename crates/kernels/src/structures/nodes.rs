//! Kernels of the nodes of one graph.
//!
//! With the matrix $A$ of weights, the degrees $D$ and the Laplacian $L = D - A$, or $I - D^{-1/2} A D^{-1/2}$ where it is normalised:
//!
//! - diffusion (Kondor, Lafferty 2002): $e^{-\beta L}$;
//! - the regularised Laplacian (Smola, Kondor 2003): $(I + \beta L)^{-1}$;
//! - random walks of $p$ steps (Smola, Kondor 2003): $(a I - L)^p$, with $a$ at least the largest eigenvalue of $L$;
//! - commute times (Fouss et al. 2007): the pseudo-inverse of $L$;
//! - walks: $\sum_l \lambda^l A^l = (I - \lambda A)^{-1}$, the number of walks between two nodes.
//!
//! All are functions of the eigenvalues. R. I. Kondor, J. Lafferty. Diffusion kernels on graphs and other discrete input spaces. ICML 2002.
//! A. J. Smola, R. Kondor. Kernels and regularization on graphs. COLT 2003, doi:10.1007/978-3-540-45167-9_12. F. Fouss, A. Pirotte,
//! J.-M. Renders, M. Saerens. Random-walk computation of similarities between nodes of a graph. IEEE TKDE 19(3), 2007, doi:10.1109/TKDE.2007.46.

use mercer_core::{Error, Graph, Result};
use mercer_math::{Mat, eigh, matmul};

/// A kernel of the nodes of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeKernel {
    /// e^−βL
    Diffusion {
        /// β
        beta: f64,
    },
    /// (I + βL)⁻¹
    RegularisedLaplacian {
        /// β
        beta: f64,
    },
    /// (aI − L)^p
    Steps {
        /// a
        a: f64,
        /// p
        steps: u32,
    },
    /// L⁺
    CommuteTime,
    /// (I − λA)⁻¹
    Walks {
        /// λ
        decay: f64,
    },
}

const NAME: &str = "a kernel of nodes";

/// The kernel of each node of a graph with each; `normalised` takes the normalised Laplacian, or the normalised weights for walks.
///
/// ```
/// use mercer_core::Graph;
/// use mercer_kernels::{NodeKernel, node_kernel};
/// let edge = Graph::new(2, &[(0, 1, 1.0)], false)?;
/// let k = node_kernel(&edge, NodeKernel::Diffusion { beta: 0.5 }, false)?;
/// assert!((k[(0, 1)] - 0.5 * (1.0 - (-1.0f64).exp())).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn node_kernel(graph: &Graph, kernel: NodeKernel, normalised: bool) -> Result<Mat> {
    if graph.is_directed() {
        return Err(Error::incapable(NAME, "take a directed graph, whose matrix is not symmetric"));
    }
    let walks = matches!(kernel, NodeKernel::Walks { .. });
    let matrix = if walks { weights(graph, normalised) } else { laplacian(graph, normalised) };
    let eigen =
        eigh(&matrix).ok_or_else(|| Error::numeric(NAME, "the eigenvalues of the graph did not converge"))?;
    let largest = eigen.values.iter().copied().fold(0.0, f64::max);
    let zero = 1e-12 * largest.max(1.0) * graph.n_nodes() as f64;
    let value: Box<dyn Fn(f64) -> f64> = match kernel {
        NodeKernel::Diffusion { beta } if beta > 0.0 && beta.is_finite() => {
            Box::new(move |l| (-beta * l).exp())
        }
        NodeKernel::RegularisedLaplacian { beta } if beta > 0.0 && beta.is_finite() => {
            Box::new(move |l| 1.0 / (1.0 + beta * l))
        }
        NodeKernel::Diffusion { beta } | NodeKernel::RegularisedLaplacian { beta } => {
            return Err(Error::param(NAME, "beta", "above 0", beta));
        }
        NodeKernel::Steps { a, steps } => {
            if !(a >= largest - zero && a.is_finite()) {
                return Err(Error::param(
                    NAME,
                    "a",
                    format!("at least {largest:.6}, the largest eigenvalue"),
                    a,
                ));
            }
            Box::new(move |l| (a - l).max(0.0).powi(steps as i32))
        }
        NodeKernel::CommuteTime => Box::new(move |l| if l > zero { 1.0 / l } else { 0.0 }),
        NodeKernel::Walks { decay } => {
            if !(decay > 0.0 && decay * largest < 1.0) {
                let most = format!("above 0 and below {:.6}, so that walks add up", 1.0 / largest);
                return Err(Error::param(NAME, "decay", most, decay));
            }
            Box::new(move |l| 1.0 / (1.0 - decay * l))
        }
    };
    let n = graph.n_nodes();
    let scaled = Mat::from_fn(n, n, |i, j| eigen.vectors[(i, j)] * value(eigen.values[j]));
    Ok(matmul(scaled.view(), eigen.vectors.view().t()))
}

/// The matrix of weights, divided by the roots of both degrees where it is normalised.
fn weights(graph: &Graph, normalised: bool) -> Mat {
    let n = graph.n_nodes();
    let mut out = Mat::zeros(n, n);
    for &(from, to, weight) in graph.edges() {
        let (from, to) = (from as usize, to as usize);
        out[(from, to)] += weight;
        if from != to {
            out[(to, from)] += weight;
        }
    }
    if normalised {
        let root = |i: usize| out.row(i).iter().sum::<f64>().sqrt();
        let roots: Vec<f64> = (0..n).map(root).map(|v| if v > 0.0 { 1.0 / v } else { 0.0 }).collect();
        out = Mat::from_fn(n, n, |i, j| out[(i, j)] * roots[i] * roots[j]);
    }
    out
}

fn laplacian(graph: &Graph, normalised: bool) -> Mat {
    let mut out = weights(graph, normalised);
    for i in 0..out.n_rows() {
        let degree: f64 = out.row(i).iter().sum();
        let own = if normalised { f64::from(degree > 0.0) } else { degree };
        out.row_mut(i).iter_mut().for_each(|v| *v = -*v);
        out[(i, i)] += own;
    }
    out
}
