//! Views, SIMD kernels, factorisations, distributions: the arithmetic under everything.
//!
//! Everything is `f64`. Results never depend on the number of threads: parallel sums are taken over blocks
//! of [`BLOCK_ROWS`] rows and merged in a tree fixed by the number of blocks ([`tree_reduce`]).
//! Functions that say "in parallel" use rayon's current pool; install the session's pool around them.

mod cholesky;
mod dense;
mod double;
mod factor;
mod gemm;
mod gram;
mod huge_pages;
mod nearest;
mod neighbours;
mod random;
mod randomized;
mod rbf;
mod root;
mod simd;
mod sparse;
mod sparse_product;
pub mod special;
mod stats;
mod tree_reduce;
mod vexp;
mod weights;

pub use cholesky::{BlockCholesky, NoFactor, solve_lower_rows};
pub use dense::{Mat, MatRef};
pub use double::Double;
pub use factor::{Cholesky, Eigh, Svd, eigh, eigvalsh, lstsq, pinv, qr_r, qr_thin, solve_spd, svd};
pub use gemm::{gemm, gemm_into, gemv, gemv_t, matmul, matmul_parallel};
pub use gram::{gram_blocked, symmetrise, weighted_gram};
pub use nearest::{Centres, FewPoints, Nearest, add_differences, sq_dists_own, sq_dists_to};
pub use neighbours::{
    Best, KdTree, KernelSums, LocalKernel, NearestRows, Neighbourhoods, Norm, PairMetric, SearchMethod,
    nearest_by, within_by,
};
pub use random::{
    Rng, below, by_weight, hash_row, hash_unit, normal, rng_for, running_sums, sample_indices, seed_for,
    shuffle, uniform, weighted_index,
};
pub use randomized::{randomized_svd, randomized_svd_with};
pub use rbf::{DoublePanels, SinglePoints, rbf_double, rbf_single};
pub use root::rising_root;
pub use simd::{Wide, axpy, dot, prefetch, run_wide, scale, sq_dist, sum, wide};
pub use sparse::{Csr, CsrRef};
pub use sparse_product::{sparse_dot, sparse_t_add, sparse_times};
pub use stats::{
    ColumnMoments, Moments, argmax, argsort, median, pairwise_sum, quantile_sorted, weighted_quantile,
};
pub use tree_reduce::{BLOCK_ROWS, StreamReducer, tree_reduce};
pub use vexp::{exp_slice, log_sum_exp, log1p_exp, sigmoid_slice, softmax_in_place};
pub use weights::Weights;
