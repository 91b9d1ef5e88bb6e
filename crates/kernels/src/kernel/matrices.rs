//! Kernel matrices for learners: refused where there is no memory for them, in double or single precision.

use super::{Kernel, Side};
use mercer_core::{Error, ErrorKind, Result, Session};
use mercer_math::{Mat, symmetrise};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

impl Kernel {
    /// [`Kernel::cross`], refused where sides have another number of features, or there is no memory for it.
    pub fn cross_in(&self, owner: &str, left: &Side<'_>, right: &Side<'_>) -> Result<Mat> {
        same_features(owner, left, right)?;
        no_memory::<f64>(owner, left.n, right.n)?;
        Ok(self.cross(left, right))
    }

    /// [`Kernel::gram`] for a learner: refused where there is no memory for it, given up where the session is stopped.
    pub fn gram_in(&self, owner: &str, side: &Side<'_>, session: &Session) -> Result<Mat> {
        let n = side.n;
        no_memory::<f64>(owner, n, n)?;
        let (mut out, blocks) = (Mat::zeros(n, n), AtomicU64::new(0));
        let all = Some(n.div_ceil(self.rows_at_once()) as u64);
        let go_on = || session.step("kernel", blocks.fetch_add(1, Relaxed), all, None).is_none();
        if !self.lower_gram(side, &mut out, &go_on) {
            return Err(ErrorKind::Cancelled.into());
        }
        symmetrise(&mut out);
        Ok(out)
    }

    /// [`Kernel::cross_in`], or [`Kernel::gram_in`] without a right side, by rows in single precision: values are computed in
    /// double precision, strip by strip, and rounded to nearest. No matrix in double precision is ever there.
    ///
    /// # Example
    /// ```
    /// use mercer_kernels::{Kernel, PointsRef};
    /// # use mercer_core::Session;
    /// # use mercer_math::Mat;
    /// let x = Mat::from_rows(&[[0.0], [1.0]]).expect("rows of one length");
    /// let kernel = Kernel::parse("rbf(1.0)")?;
    /// let side = kernel.side(PointsRef::Dense(x.view()))?;
    /// let gram = kernel.single_in("an example", &side, None, &Session::default())?;
    /// assert_eq!(gram, [1.0, (-0.5f64).exp() as f32, (-0.5f64).exp() as f32, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn single_in(
        &self,
        owner: &str,
        left: &Side<'_>,
        right: Option<&Side<'_>>,
        session: &Session,
    ) -> Result<Vec<f32>> {
        let other = right.unwrap_or(left);
        same_features(owner, left, other)?;
        let (n, m, rows) = (left.len(), other.len(), self.rows_at_once());
        no_memory::<f32>(owner, n, m)?;
        let (mut out, done, whole) = (vec![0.0f32; n * m], AtomicU64::new(0), AtomicBool::new(true));
        let all = Some(n.div_ceil(rows) as u64);
        out.par_chunks_mut(rows * m.max(1)).enumerate().for_each_init(
            || vec![0.0; rows * m],
            |strip, (b, out)| {
                let told = || session.step("kernel", done.fetch_add(1, Relaxed), all, None);
                if !whole.load(Relaxed) || told().is_some() {
                    return whole.store(false, Relaxed);
                }
                let strip = &mut strip[..out.len()];
                self.block(left, b * rows..b * rows + out.len() / m, other, strip);
                out.iter_mut().zip(strip).for_each(|(o, v)| *o = *v as f32);
            },
        );
        if !whole.into_inner() {
            return Err(ErrorKind::Cancelled.into());
        }
        if right.is_none() {
            // Noise is of the same point alone; the halves agree to the last bit.
            self.diagonal(left).into_iter().enumerate().for_each(|(i, v)| out[i * n + i] = v as f32);
            (0..n).for_each(|i| (i + 1..n).for_each(|j| out[i * n + j] = out[j * n + i]));
        }
        Ok(out)
    }
}

/// Refuses sides that have not as many features.
fn same_features(owner: &str, left: &Side<'_>, right: &Side<'_>) -> Result<()> {
    if left.n_features == right.n_features {
        return Ok(());
    }
    let what = format!("features of the second points that {owner} takes");
    Err(Error::shape(what, left.n_features, right.n_features))
}

/// Refuses a matrix of the kernels of so many points with so many that no memory can hold.
fn no_memory<T>(owner: &str, n: usize, m: usize) -> Result<()> {
    if n.checked_mul(m).is_some_and(|cells| Vec::<T>::new().try_reserve_exact(cells).is_ok()) {
        return Ok(());
    }
    let size = n as f64 * m as f64 * size_of::<T>() as f64 * 1e-9;
    let reason = format!("there is no memory for the kernel of {n} points with {m} ({size:.0} GB)");
    Err(Error::numeric(owner, reason + "; Nystroem makes features of a kernel that need less"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::PointsRef;
    use mercer_math::{normal, rng_for};

    #[test]
    fn values_are_those_of_double_precision_rounded_once() {
        let mut rng = rng_for(3, 0);
        let x = Mat::from_fn(77, 5, |_, _| normal(&mut rng));
        let (session, some) = (Session::default(), x.view().rows(0..40));
        for text in ["rbf(1.5)", "2.0*matern(1.0, nu=2.5)+white(0.5)", "polynomial(degree=3)"] {
            let kernel = Kernel::parse(text).expect("a kernel");
            let left = kernel.side(PointsRef::Dense(x.view())).expect("rows");
            let right = kernel.side(PointsRef::Dense(some)).expect("rows");
            let rounded = |m: Mat| m.as_slice().iter().map(|v| *v as f32).collect::<Vec<f32>>();
            let near = |a: &[f32], b: &[f32]| {
                assert_eq!(a.len(), b.len());
                a.iter()
                    .zip(b)
                    .for_each(|(a, b)| assert!((a - b).abs() <= f32::EPSILON * b.abs(), "{a} {b}"));
            };
            let gram = kernel.single_in("a test", &left, None, &session).expect("memory");
            near(&gram, &rounded(kernel.gram(&left)));
            (0..77).for_each(|i| (0..i).for_each(|j| assert_eq!(gram[i * 77 + j], gram[j * 77 + i])));
            let cross = kernel.single_in("a test", &left, Some(&right), &session).expect("memory");
            assert_eq!(cross, rounded(kernel.cross(&left, &right)));
        }
        let kernel = Kernel::parse("rbf(1.0)").expect("a kernel");
        let (left, narrow) = (PointsRef::Dense(x.view()), Mat::zeros(3, 2));
        let (left, right) = (kernel.side(left), kernel.side(PointsRef::Dense(narrow.view())));
        let (left, right) = (left.expect("rows"), right.expect("rows"));
        assert!(kernel.single_in("a test", &left, Some(&right), &session).is_err());
    }
}
