//! Kernel principal components, and Mercer's map: coordinates of points in the feature space of a kernel.
//!
//! # Objective
//! $$ \max_{\lVert v\rVert = 1}\ \operatorname{Var}\langle v, \varphi(x)\rangle, \qquad k(x, y) = \langle\varphi(x), \varphi(y)\rangle $$
//! one direction after the other, each orthogonal to those before. Mercer's map leaves the points where they are about the origin:
//! $K = U\Lambda U^\top$ and $\Phi = U\Lambda^{1/2}$, so that products of coordinates are the kernel.
//!
//! # Algorithm
//! Eigenvectors $u_k$ of the Gram matrix, centred in feature space for principal components: coordinates are $\sqrt{\lambda_k}\,u_k$ for
//! the points of training and $k(x, X)\,u_k/\sqrt{\lambda_k}$ for new ones, with a pseudo-inverse where $\lambda_k = 0$. Few components of
//! many points come from a randomised range with power iterations. Pre-images, where asked for: a kernel ridge regression from
//! coordinates back to the points (Bakır et al.).
//!
//! # Complexity
//! Time O(n² d + n³), or O(n² d + n² k) for few components of many points; memory O(n²).
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_kernels::{Kernel, KernelPCA};
//! use mercer_math::Mat;
//! let circle = |i: usize| i as f64 * 0.2;
//! let x = Mat::from_fn(60, 2, |i, j| (1.0 + (i % 2) as f64) * if j == 0 { circle(i).cos() } else { circle(i).sin() });
//! let model = KernelPCA::default().n_components(Some(2)).kernel(Kernel::rbf_gamma(1.0).into()).fit(&Dataset::new(&x))?;
//! assert_eq!(model.eigenvalues.len(), 2);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Eigenvalues below 1e-12 of the largest are zero; a kernel with larger negative ones is refused by name of the eigenvalue. The
//! largest entry of each eigenvector is positive.
//!
//! # References
//! - B. Schölkopf, A. Smola, K.-R. Müller. Nonlinear component analysis as a kernel eigenvalue problem. Neural Computation 10(5), 1998.
//!   doi:10.1162/089976698300017467
//! - G. H. Bakır, J. Weston, B. Schölkopf. Learning to find pre-images. NIPS 2003.

use super::eigen::{
    EigenSolver, MEANING, RESIDUAL, centred, eigen_attributes, eigen_fits, gram_again, residual, spectrum,
    turned,
};
use super::ridge::{KernelRidge, TargetPenalties};
use crate::kernel::{Held, Kernel, KernelSpec, PairwiseParams, Points, PointsRef};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Error, Evidence, Fit, Fitted, Input, Inverse,
    Kinds, Learn, Params, Result, Rows, Schema, Session, Target, Termination, Trained, Transformer,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// Kernel principal component analysis: the directions of largest variance in the feature space of a kernel.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "kernel-pca kpca",
    canon = "K6",
    rows = 2000,
    task = Transformation,
    python = "decomposition",
    order = "n_components kernel gamma degree coef0 alpha fit_inverse_transform eigen_solver",
    tried = "kernel=rbf(gamma=0.2) | n_components=2,kernel=rbf,fit_inverse_transform=true | n_components=2,eigen_solver=randomized",
    session = "random_state n_jobs",
    door = "kernel_params=None tol=0 max_iter=None iterated_power='auto' copy_X=True",
    mixins = "ComponentsMixin",
    can = "transform inverse sparse scaled counts_rows",
    references = "Schölkopf, Smola, Müller. Nonlinear component analysis as a kernel eigenvalue problem. Neural Computation 10(5), 1998."
)]
pub struct KernelPCA {
    /// How many components to keep; none means all whose variance is not zero.
    #[param(default = None, range = "[1, inf)", search = "int 1..20")]
    pub n_components: Option<usize>,
    /// The kernel.
    #[param(flatten)]
    pub params: PairwiseParams,
    /// The penalty of the regression that learns pre-images.
    #[param(default = 1.0, range = "[0, inf)")]
    pub alpha: f64,
    /// Whether to learn the way back from coordinates to points.
    #[param(default = false)]
    pub fit_inverse_transform: bool,
    /// How the eigenvectors are found.
    #[param(default = EigenSolver::Auto)]
    pub eigen_solver: EigenSolver,
    /// Whether components of variance zero are left out, also where a number of components is given.
    #[param(default = false)]
    pub remove_zero_eig: bool,
}

/// Fitted kernel principal components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelPcaModel {
    /// The kernel, with all its hyper-parameters.
    pub kernel: Kernel,
    /// The points of training.
    pub points: Points,
    /// The eigenvalues of the centred Gram matrix, falling.
    pub eigenvalues: Vec<f64>,
    /// Its eigenvectors as columns.
    pub eigenvectors: Mat,
    /// The mean of the kernel of each point of training with all, and the mean of these.
    means: Vec<f64>,
    mean: f64,
    /// Coefficients of the way back, points × features.
    back: Option<Mat>,
    certificate: Certificate,
}

/// Mercer's map: coordinates whose products are the kernel.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "mercer-map",
    canon = "K6",
    rows = 2000,
    task = Transformation,
    python = "kernel_approximation",
    order = "n_components kernel gamma degree coef0",
    tried = "kernel=rbf(gamma=0.2) | n_components=2",
    door = "kernel_params=None",
    mixins = "KernelMixin",
    can = "transform sparse scaled counts_rows",
    references = "Mercer. Functions of positive and negative type. Phil. Trans. Roy. Soc. A 209, 1909."
)]
pub struct MercerMap {
    /// How many coordinates to keep; none means all whose eigenvalue is not zero.
    #[param(default = None, range = "[1, inf)", search = "int 1..50")]
    pub n_components: Option<usize>,
    /// The kernel.
    #[param(flatten)]
    pub params: PairwiseParams,
}

/// Fitted coordinates of Mercer's map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MercerMapModel {
    /// The kernel, with all its hyper-parameters.
    pub kernel: Kernel,
    /// The points of training.
    pub points: Points,
    /// The eigenvalues of the Gram matrix, falling.
    pub eigenvalues: Vec<f64>,
    /// Its eigenvectors as columns.
    pub eigenvectors: Mat,
    certificate: Certificate,
}

impl Learn for KernelPCA {
    type Model = KernelPcaModel;

    fn kinds(&self) -> Kinds {
        let kind = self.params.kernel.data_kind();
        Kinds { learns_from: kind, asked_about: kind }
    }

    fn capabilities(&self) -> Capabilities {
        let random = self.eigen_solver == EigenSolver::Randomized && self.n_components.is_some();
        let (inverse, sparse) = (self.fit_inverse_transform, !self.fit_inverse_transform);
        Capabilities { inverse, sparse, random, ..Self::declaration().capabilities }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<KernelPcaModel> {
        let input = data.input();
        let held = Held::new(Self::NAME, self.kinds().learns_from, &input)?;
        let kernel = self.params.resolve(Self::NAME, held.view())?;
        if self.fit_inverse_transform && kernel == Kernel::Precomputed {
            let expected = "false: Cannot fit_inverse_transform with a precomputed kernel";
            return Err(Error::param(Self::NAME, "fit_inverse_transform", expected, true));
        }
        kernel.check_given(Self::NAME, held.view())?;
        let (gram, means, mean) = centred(kernel.gram_in(Self::NAME, &kernel.side(held.view())?, session)?);
        let keep_zero = !self.remove_zero_eig;
        let (eigenvalues, eigenvectors) =
            spectrum(Self::NAME, &gram, self.n_components, keep_zero, self.eigen_solver, session)?;
        let found = residual(&gram, &eigenvalues, &eigenvectors);
        let certificate =
            Certificate::new(Termination::Exact).with_evidence(Evidence::residual(RESIDUAL, found, MEANING));
        let points = kernel.keep_all(held.view());
        let mut model = KernelPcaModel {
            kernel,
            points,
            eigenvalues,
            eigenvectors,
            means,
            mean,
            back: None,
            certificate,
        };
        if self.fit_inverse_transform {
            model.back = Some(model.way_back(self, held.view())?);
        }
        Ok(model)
    }
}

impl KernelPcaModel {
    /// The coordinates of the points of training.
    pub fn fitted(&self) -> Mat {
        Mat::from_fn(self.eigenvectors.n_rows(), self.eigenvalues.len(), |i, k| {
            self.eigenvectors[(i, k)] * self.eigenvalues[k].sqrt()
        })
    }

    fn way_back(&self, learner: &KernelPCA, points: PointsRef<'_>) -> Result<Mat> {
        let PointsRef::Dense(x) = points else {
            let expected = "false for sparse rows and what is no row: pre-images are dense rows";
            return Err(Error::param(KernelPCA::NAME, "fit_inverse_transform", expected, true));
        };
        if self.kernel == Kernel::Precomputed {
            let expected =
                "false for a kernel that is given: Cannot fit_inverse_transform with a precomputed kernel";
            return Err(Error::param(KernelPCA::NAME, "fit_inverse_transform", expected, true));
        }
        let fitted = self.fitted();
        let columns = (0..x.n_cols()).map(|j| x.col_cow(j).into_owned()).collect();
        let data = Dataset::new(&fitted).with_target(Target::multi(columns)?)?;
        let ridge = KernelRidge::default()
            .alphas(TargetPenalties(vec![learner.alpha]))
            .kernel(self.kernel.clone().into());
        let trained: Trained<KernelRidge> = ridge.fit(&data)?;
        Ok(trained.dual_coef.clone())
    }
}

impl Transformer for KernelPcaModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let held = Held::new(KernelPCA::NAME, self.kernel.data_kind(), input)?;
        let n = self.points.len();
        let coef = turned(&self.eigenvalues, &self.eigenvectors);
        // With ones beside the coefficients, the mean of each new point's kernel comes out of the same product. The
        // centred kernel is k − k̄(x) − k̄(xᵢ) + k̄, and eigenvectors of eigenvalues that are not zero sum to zero; their
        // sums by rounding are taken off all the same.
        let k = self.eigenvalues.len();
        let wide = Mat::from_fn(n, k + 1, |i, j| if j < k { coef[(i, j)] } else { 1.0 / n as f64 });
        let raw = session.run(|| self.kernel.sums_of(held.view(), &self.points, &wide))?;
        let sums: Vec<f64> = (0..k).map(|j| (0..n).map(|i| coef[(i, j)]).sum()).collect();
        let shifts: Vec<f64> = (0..k).map(|j| (0..n).map(|i| coef[(i, j)] * self.means[i]).sum()).collect();
        let out = Mat::from_fn(raw.n_rows(), k, |r, j| {
            raw[(r, j)] - shifts[j] - (raw[(r, k)] - self.mean) * sums[j]
        });
        Ok(out.into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.eigenvalues.len()).map(|k| format!("kernelpca{k}")).collect()
    }
}

impl Inverse for KernelPcaModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let Some(back) = &self.back else {
            return Err(Error::incapable(KernelPCA::NAME, "be inverted; fit it with fit_inverse_transform"));
        };
        let x = input.rows(KernelPCA::NAME)?.dense(KernelPCA::NAME)?;
        if x.view().n_cols() != self.eigenvalues.len() {
            let (expected, got) = (self.eigenvalues.len(), x.view().n_cols());
            return Err(Error::shape("components of the input to KernelPCA", expected, got));
        }
        let fitted = Points::Dense(self.fitted());
        let out = session.run(|| self.kernel.sums_of(PointsRef::Dense(x.view()), &fitted, back))?;
        Ok(out.into())
    }
}

impl Fitted for KernelPcaModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        let inverse = self.back.as_ref().map(|_| self as &dyn Inverse);
        Abilities { transform: Some(self), inverse, ..Abilities::default() }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        (ability == "inverse").then(|| "it was fitted without fit_inverse_transform".to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let gram = gram_again(KernelPCA::NAME, &self.kernel, self.points.len(), data)?;
        let (gram, ..) = centred(gram);
        Ok(vec![(RESIDUAL.to_owned(), residual(&gram, &self.eigenvalues, &self.eigenvectors))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = eigen_attributes(&self.eigenvalues, &self.eigenvectors, &self.points);
        if let Some(back) = &self.back {
            let fitted = self.fitted();
            let shape = [fitted.n_rows(), fitted.n_cols()];
            all.push(Attribute::real(
                "X_transformed_fit_",
                "The coordinates of the points of training.",
                &shape,
                fitted.into_vec(),
            ));
            let shape = [back.n_rows(), back.n_cols()];
            all.push(Attribute::real(
                "dual_coef_",
                "Coefficients of the way back.",
                &shape,
                back.as_slice().to_vec(),
            ));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let (n, k) = (self.points.len(), self.eigenvalues.len());
        let back = self
            .back
            .as_ref()
            .is_none_or(|b| b.is_consistent() && b.n_rows() == n && b.n_cols() == schema.n_features());
        let fits = eigen_fits(&self.kernel, &self.points, &self.eigenvalues, &self.eigenvectors, schema)
            && self.means.len() == n
            && k > 0
            && back;
        if fits { Ok(()) } else { Err("components do not fit the points".to_owned()) }
    }
}

impl Learn for MercerMap {
    type Model = MercerMapModel;

    fn kinds(&self) -> Kinds {
        let kind = self.params.kernel.data_kind();
        Kinds { learns_from: kind, asked_about: kind }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<MercerMapModel> {
        let input = data.input();
        let held = Held::new(Self::NAME, self.kinds().learns_from, &input)?;
        let kernel = self.params.resolve(Self::NAME, held.view())?;
        kernel.check_given(Self::NAME, held.view())?;
        let gram = kernel.gram_in(Self::NAME, &kernel.side(held.view())?, session)?;
        let (eigenvalues, eigenvectors) =
            spectrum(Self::NAME, &gram, self.n_components, false, EigenSolver::Dense, session)?;
        let found = residual(&gram, &eigenvalues, &eigenvectors);
        let certificate =
            Certificate::new(Termination::Exact).with_evidence(Evidence::residual(RESIDUAL, found, MEANING));
        let points = kernel.keep_all(held.view());
        Ok(MercerMapModel { kernel, points, eigenvalues, eigenvectors, certificate })
    }
}

impl Transformer for MercerMapModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let held = Held::new(MercerMap::NAME, self.kernel.data_kind(), input)?;
        let coef = turned(&self.eigenvalues, &self.eigenvectors);
        Ok(session.run(|| self.kernel.sums_of(held.view(), &self.points, &coef))?.into())
    }

    fn names_out(&self, _: &Schema) -> Vec<String> {
        (0..self.eigenvalues.len()).map(|k| format!("mercermap{k}")).collect()
    }
}

impl Fitted for MercerMapModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let gram = gram_again(MercerMap::NAME, &self.kernel, self.points.len(), data)?;
        Ok(vec![(RESIDUAL.to_owned(), residual(&gram, &self.eigenvalues, &self.eigenvectors))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        eigen_attributes(&self.eigenvalues, &self.eigenvectors, &self.points)
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = eigen_fits(&self.kernel, &self.points, &self.eigenvalues, &self.eigenvectors, schema)
            && !self.eigenvalues.is_empty();
        if fits { Ok(()) } else { Err("coordinates do not fit the points".to_owned()) }
    }
}
