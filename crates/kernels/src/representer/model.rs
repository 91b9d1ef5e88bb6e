//! The model of a machine with a convex loss.

use super::{Ascent, AscentParams, ConvexLoss, Targets, targets};
use crate::kernel::{Held, Kernel, Points, PointsRef};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Error, Evidence, Fitted, Input, Prediction, Proba,
    Result, Schema, Session,
};
use mercer_math::{Mat, Weights, argmax, sigmoid_slice};
use serde::{Deserialize, Serialize};

/// A sum of kernels with what proves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelMachineModel {
    /// The kernel, with all its hyper-parameters.
    pub kernel: Kernel,
    /// The points whose coefficient is not zero.
    pub points: Points,
    /// Their places among the points of training.
    support: Vec<u64>,
    /// Their coefficients, points × outputs.
    pub dual_coef: Mat,
    loss: ConvexLoss,
    alpha: f64,
    classes: bool,
    passes: u64,
    certificate: Certificate,
}

const GAP: &str = "relative duality gap";
const NAME: &str = "a kernel machine";

impl KernelMachineModel {
    pub(super) fn learn(
        who: &str,
        loss: ConvexLoss,
        params: &AscentParams,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Self> {
        let (input, weights) = (data.input(), data.weights());
        let held = Held::new(who, params.kinds().learns_from, &input)?;
        let kernel = params.kernel.resolve(who, held.view())?;
        kernel.check_given(who, held.view())?;
        let side = kernel.side(held.view())?;
        let targets = targets(who, data, loss, Weights::of(&weights))?;
        let ascent = Ascent {
            owner: who,
            kernel: &kernel,
            side: &side,
            targets: &targets,
            loss,
            alpha: params.alpha,
            tol: params.tol,
            max_iter: params.max_iter,
        };
        let reached = ascent.climb(session)?;
        let (n, outputs) = (targets.t.n_rows(), targets.t.n_cols());
        let support: Vec<usize> = (0..n).filter(|&i| reached.dual.row(i).iter().any(|b| *b != 0.0)).collect();
        let coef = |s: usize, k: usize| {
            let i = support[s];
            targets.sign(i, k) * reached.dual[(i, k)] / params.alpha
        };
        let dual_coef = Mat::from_fn(support.len(), outputs, coef);
        if dual_coef.as_slice().iter().any(|v| !v.is_finite()) {
            return Err(Error::numeric(who, "values of the kernel or the target are too large"));
        }
        let points = kernel.keep(held.view(), &support);
        let largest = kernel.diagonal(&side).into_iter().fold(0.0, f64::max);
        let certificate = Certificate::new(reached.termination).with_iterations(reached.passes);
        let mut model = Self {
            kernel,
            points,
            support: support.iter().map(|&i| i as u64).collect(),
            dual_coef,
            loss,
            alpha: params.alpha,
            classes: data.labels().is_some(),
            passes: reached.passes,
            certificate,
        };
        // A last look at the outputs, made anew: what was added up on the way has rounding of its own.
        let outputs = session.run(|| model.kernel.sums_of(held.view(), &model.points, &model.dual_coef))?;
        let (gap, zero) = model.gap(&targets, &outputs);
        if !gap.is_finite() {
            return Err(Error::numeric(who, "values of the kernel or the target are too large"));
        }
        let meaning = "how far the objective may lie above the minimum, relative to the loss of the function that is zero";
        let bound = (2.0 * gap * zero * largest / model.alpha).sqrt();
        let note = format!(
            "each training point's output is within {bound:.3e} of the exact minimum's, and any point's within √(2·gap·k(x,x)/α)"
        );
        model.certificate =
            model.certificate.clone().with_evidence(Evidence::residual(GAP, gap, meaning)).with_note(note);
        Ok(model)
    }

    /// The duality gap over the loss of zero, and that.
    fn gap(&self, targets: &Targets<'_>, outputs: &Mat) -> (f64, f64) {
        let mut dual = Mat::zeros(outputs.n_rows(), outputs.n_cols());
        for (s, &i) in self.support.iter().enumerate() {
            for k in 0..outputs.n_cols() {
                let b = self.alpha * targets.sign(i as usize, k) * self.dual_coef[(s, k)];
                dual[(i as usize, k)] = b;
            }
        }
        let zero = targets.loss_of_zero(self.loss);
        let gap = targets.gap(self.loss, outputs, &dual);
        (if zero > 0.0 { gap / zero } else { gap }, zero)
    }

    fn outputs(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let held = Held::new(NAME, self.kernel.data_kind(), input)?;
        session.run(|| self.kernel.sums_of(held.view(), &self.points, &self.dual_coef))
    }
}

impl Decision for KernelMachineModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.outputs(input, session)
    }
}

impl Proba for KernelMachineModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let mut shares = self.outputs(input, session)?;
        sigmoid_slice(shares.as_mut_slice());
        if shares.n_cols() == 1 {
            return Ok(Mat::from_fn(shares.n_rows(), 2, |i, k| {
                if k == 1 { shares[(i, 0)] } else { 1.0 - shares[(i, 0)] }
            }));
        }
        for i in 0..shares.n_rows() {
            let total: f64 = shares.row(i).iter().sum();
            let even = 1.0 / shares.n_cols() as f64;
            shares.row_mut(i).iter_mut().for_each(|p| *p = if total > 0.0 { *p / total } else { even });
        }
        Ok(shares)
    }
}

impl Fitted for KernelMachineModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let outputs = self.outputs(input, session)?;
        if !self.classes {
            return schema.prediction((0..outputs.n_cols()).map(|k| outputs.col(k)));
        }
        let class = |row: &[f64]| match row {
            [one] => u32::from(*one > 0.0),
            several => argmax(several) as u32,
        };
        schema.prediction([(0..outputs.n_rows()).map(|i| class(outputs.row(i))).collect::<Vec<u32>>()])
    }

    fn abilities(&self) -> Abilities<'_> {
        let proba = self.classes && self.loss == ConvexLoss::Log;
        Abilities {
            decision: self.classes.then_some(self as _),
            proba: proba.then_some(self as _),
            ..Abilities::default()
        }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let (input, weights) = (data.input(), data.weights());
        let targets = targets(NAME, data, self.loss, Weights::of(&weights))?;
        let least = self.support.iter().max().map_or(0, |&i| i as usize + 1);
        if targets.t.n_rows() < least || targets.t.n_cols() != self.dual_coef.n_cols() {
            return Err(Error::shape(
                "points that the machine learnt from, at least",
                least,
                targets.t.n_rows(),
            ));
        }
        let outputs = self.outputs(&input, session)?;
        Ok(vec![(GAP.to_owned(), self.gap(&targets, &outputs).0)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (n, k) = (self.dual_coef.n_rows(), self.dual_coef.n_cols());
        let support = self.support.iter().map(|&i| i as i64).collect();
        let coef = self.dual_coef.as_slice().to_vec();
        let mut all = vec![
            Attribute::real("dual_coef_", "The coefficient of each point for each output.", &[n, k], coef),
            Attribute::int("support_", "The places of the points.", &[n], support),
            Attribute::int("n_iter_", "The number of passes.", &[], vec![self.passes as i64]),
        ];
        if let PointsRef::Dense(x) = self.points.view() {
            let (shape, values) = ([x.n_rows(), x.n_cols()], x.to_mat().into_vec());
            all.push(Attribute::real("support_vectors_", "The points.", &shape, values));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let n = self.points.len();
        let outputs = match schema.labels().map(|l| l.len()) {
            Some(2) => 1,
            Some(several) => several,
            None => schema.targets.len(),
        };
        let fits = self.points.fits(schema.n_features())
            && self.dual_coef.is_consistent()
            && self.dual_coef.n_rows() == n
            && self.dual_coef.n_cols() == outputs
            && outputs > 0
            && self.support.len() == n
            && self.alpha > 0.0
            && self.classes == schema.labels().is_some()
            && self.kernel.takes(self.points.view());
        if fits { Ok(()) } else { Err("coefficients do not fit the points".to_owned()) }
    }
}
