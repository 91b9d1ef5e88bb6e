//! Support vector classification through a kernel.
//!
//! # Objective
//! $$ \min_{w,b}\ \tfrac12\lVert w\rVert^2 + C\sum_i s_i \max(0,\ 1 - y_i(\langle w,\varphi(x_i)\rangle + b)) $$
//! for two classes $y_i = \pm1$, with $\langle\varphi(x),\varphi(z)\rangle = k(x, z)$ and weights $s_i$ of rows and classes. `C=inf` is
//! the hard margin. Its dual, in $\beta_i = y_i\alpha_i$: $\min \tfrac12\beta^\top K\beta - y^\top\beta$ with $\sum\beta_i = 0$ and
//! $0 \le y_i\beta_i \le Cs_i$. More classes: one machine for each pair, which vote (as in LIBSVM), each against the rest, or all in
//! one problem (`crammer_singer`):
//! $$ \min_{w}\ \tfrac12\sum_m\lVert w_m\rVert^2 + C\sum_i s_i \max_m\big(\langle w_m - w_{y_i},\varphi(x_i)\rangle + [m \ne y_i]\big) $$
//!
//! # Algorithm
//! Decomposition: the worst violators, up to 1024 at a time, are solved for by sequential minimal optimisation with second-order
//! selection on their own kernel values; what they changed is then added to the slopes of all rows. Rows of the kernel
//! are computed in blocks by matrix products, on all threads, and kept within `cache_size`. Rows that are settled at a bound are
//! left out, and looked at again in the end. Crammer and Singer's machine: blocks of the worst rows, in which every step solves
//! for all classes of one row exactly, without leaving rows out. Probabilities: Platt's sigmoids on five folds, coupled over pairs.
//!
//! # Complexity
//! Time O(n² d) to O(n³) in practice; memory `cache_size` and O(n) beyond the data. A prediction takes O(d) for each support vector.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_kernels::SVC;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::classes(&["same", "same", "other", "other"]))?;
//! let model = SVC::default().c(10.0).fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[1, 1, 0, 0]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! `tol` bounds the violation of the optimality conditions, in units of the margin. Of large data, kernel values are kept in single
//! precision; slopes are summed up in double precision and computed afresh before the end. The certificate has the duality
//! gap. With `C=inf`, classes that cannot be separated are an error that says by which bound on the margin.
//!
//! # References
//! - C. Cortes, V. Vapnik. Support-vector networks. Machine Learning 20, 1995. doi:10.1007/BF00994018
//! - C.-C. Chang, C.-J. Lin. LIBSVM: a library for support vector machines. ACM TIST 2(3), 2011. doi:10.1145/1961189.1961199
//! - R.-E. Fan, P.-H. Chen, C.-J. Lin. Working set selection using second order information. JMLR 6, 2005.
//! - K. Crammer, Y. Singer. On the algorithmic implementation of multiclass kernel-based vector machines. JMLR 2, 2001.
//! - S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh, C.-J. Lin. A sequential dual method for large scale multi-class
//!   linear SVMs. KDD 2008. doi:10.1145/1401890.1401942
//! - Z. Wen, J. Shi, Q. Li, B. He, J. Chen. ThunderSVM: a fast SVM library on GPUs and CPUs. JMLR 19, 2018.

use super::form::Form;
use super::machine::Machine;
use super::model::{Scheme, SvmModel};
use super::params::{ClassMachineParams, DecisionShape, MachineParams, SvcClasses};
use crate::kernel::{Gamma, KernelParams, KernelSpec};
use mercer_core::{Capabilities, ClassWeight, Dataset, Error, Kinds, Learn, Params, Result, Session};

/// Support vector classification through a kernel, for two classes or more.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "svc svm",
    canon = "K4",
    task = Classification,
    twin = "SVR",
    python = "svm",
    best = "| C=10",
    tried = "gamma=0.3,tol=1e-7 | kernel=linear,C=0.5,class_weight=balanced,tol=1e-5 | multi_class=ovr,kernel=poly,gamma=auto,degree=2,coef0=1,tol=1e-5,shrinking=false | multi_class=crammer_singer,gamma=0.3,tol=1e-6 | probability=true,C=2,break_ties=true",
    session = "random_state verbose",
    mixins = "SvmMixin SvcMixin",
    can = "decision weights sparse scaled ordered",
    references = "Cortes, Vapnik. Support-vector networks. Machine Learning 20, 1995.|Chang, Lin. LIBSVM: a library for support vector machines. ACM TIST 2(3), 2011.|Fan, Chen, Lin. Working set selection using second order information for training support vector machines. JMLR 6, 2005.|Platt. Probabilistic outputs for support vector machines. 1999."
)]
pub struct SVC {
    /// The cost of rows within the margin: smaller is simpler, infinity allows none.
    #[param(name = "C", default = 1.0, range = "(0, inf]", search = "log 1e-2..1e3")]
    pub c: f64,
    /// The kernel, and how the solution is found.
    #[param(flatten)]
    pub machine: MachineParams,
    /// Weights of classes, and what is said of rows.
    #[param(flatten)]
    pub classes: ClassMachineParams,
    /// How more than two classes are told apart.
    #[param(default = SvcClasses::Ovo)]
    pub multi_class: SvcClasses,
}

impl Learn for SVC {
    type Model = SvmModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<SvmModel> {
        let scheme = scheme(self.multi_class, data);
        classifier(
            Self::NAME,
            Form::Classes { c: self.c },
            scheme,
            &self.machine,
            &self.classes,
            data,
            session,
        )
    }

    fn kinds(&self) -> Kinds {
        kinds(&self.machine)
    }

    fn capabilities(&self) -> Capabilities {
        told(&self.machine, self.classes.probability, Self::declaration().capabilities)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        if self.multi_class == SvcClasses::CrammerSinger {
            let bad = |name: &str, allowed: &str, got: f64| Err(Error::param(Self::NAME, name, allowed, got));
            if self.c.is_infinite() {
                return bad("C", "finite for multi_class=crammer_singer", self.c);
            }
            if self.classes.probability {
                return Err(Error::param(
                    Self::NAME,
                    "probability",
                    "false for multi_class=crammer_singer",
                    true,
                ));
            }
        }
        check_ties(Self::NAME, &self.classes)
    }
}

/// Two classes are one pair, however more are taken.
pub(super) fn scheme(classes: SvcClasses, data: &Dataset<'_>) -> Scheme {
    match classes {
        _ if data.labels().is_none_or(|l| l.len() <= 2) => Scheme::Pairs,
        SvcClasses::Ovo => Scheme::Pairs,
        SvcClasses::Ovr => Scheme::Rest,
        SvcClasses::CrammerSinger => Scheme::Joint,
    }
}

/// Learns to tell classes apart.
pub(super) fn classifier(
    name: &str,
    form: Form,
    scheme: Scheme,
    machine: &MachineParams,
    classes: &ClassMachineParams,
    data: &Dataset<'_>,
    session: &Session,
) -> Result<SvmModel> {
    let class_weight = classes.class_weight.clone();
    let solver = Machine { name: name.to_owned(), form, scheme, class_weight };
    let model = solver.learn(data, &machine.kernel, &machine.settings(), classes.probability, session)?;
    Ok(model.telling(classes.decision_function_shape, classes.break_ties))
}

/// The kind of data that the kernel takes.
pub(super) fn kinds(machine: &MachineParams) -> Kinds {
    let kind = machine.kernel.kernel.data_kind();
    Kinds { learns_from: kind, asked_about: kind }
}

/// Capabilities as they follow from the kernel, and from whether probabilities are learnt.
pub(super) fn told(machine: &MachineParams, probability: bool, usual: Capabilities) -> Capabilities {
    let sparse = usual.sparse && !machine.kernel.kernel.is_precomputed();
    // The usual γ is taken from the variance of the rows, whatever they weigh; folds count rows, too.
    let linear = machine.kernel.kernel == KernelSpec::word("linear");
    let counts_rows = probability || (machine.kernel.gamma == Gamma::Scale && !linear);
    // Probabilities come from folds, whose rows are drawn, and classes from votes.
    Capabilities {
        sparse,
        counts_rows,
        proba: probability,
        random: probability,
        thresholded: probability,
        ..usual
    }
}

pub(super) fn check_ties(name: &str, classes: &ClassMachineParams) -> Result<()> {
    match classes.break_ties && classes.decision_function_shape == DecisionShape::Ovo {
        true => Err(Error::param(name, "break_ties", "false for decision_function_shape=ovo", true)),
        false => Ok(()),
    }
}
