//! Whether predicted probabilities come true as often as they say.

use crate::check::{self, mean};
use mercer_core::{Error, Result};
use mercer_math::Weights;

/// How bins of predicted probabilities are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Binning {
    /// Equal widths over [0, 1].
    #[default]
    Uniform,
    /// About equal numbers of rows.
    Quantile,
}

/// One bin of a calibration curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// Lower edge.
    pub lower: f64,
    /// Upper edge, inclusive.
    pub upper: f64,
    /// Mean predicted probability of the rows in the bin.
    pub predicted: f64,
    /// Share of positives among them.
    pub observed: f64,
    /// Their weight.
    pub weight: f64,
}

/// Predicted against observed frequency, by bins of the prediction; empty bins are left out.
pub fn calibration_curve(
    truth: &[bool],
    probabilities: &[f64],
    n_bins: usize,
    binning: Binning,
    weights: Option<&[f64]>,
) -> Result<Vec<CalibrationBin>> {
    check::lengths(truth.len(), probabilities.len(), weights)?;
    if n_bins == 0 {
        return Err(Error::param("calibration_curve", "n_bins", "at least 1", 0));
    }
    if let Some(row) = probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
        let reason = format!("the probability of row {row} is {}, outside [0, 1]", probabilities[row]);
        return Err(Error::numeric("calibration_curve", reason));
    }
    let edges = bin_edges(probabilities, n_bins, binning);
    let inner = &edges[1..n_bins];
    let mut bins = vec![[0.0; 3]; n_bins];
    for (i, &p) in probabilities.iter().enumerate() {
        let w = Weights::from(weights)[i];
        let bin = &mut bins[inner.partition_point(|&edge| edge < p)];
        bin[0] += w;
        bin[1] += w * p;
        bin[2] += w * f64::from(truth[i]);
    }
    let filled = bins.iter().enumerate().filter(|(_, bin)| bin[0] > 0.0);
    let bin = |(b, &[weight, p, y]): (usize, &[f64; 3])| CalibrationBin {
        lower: edges[b],
        upper: edges[b + 1],
        predicted: p / weight,
        observed: y / weight,
        weight,
    };
    Ok(filled.map(bin).collect())
}

fn bin_edges(probabilities: &[f64], n_bins: usize, binning: Binning) -> Vec<f64> {
    let share = |b: usize| b as f64 / n_bins as f64;
    if binning == Binning::Uniform || probabilities.is_empty() {
        return (0..=n_bins).map(share).collect();
    }
    let mut sorted = probabilities.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    (0..=n_bins).map(|b| crate::intervals::quantile(&sorted, share(b))).collect()
}

/// The expected calibration error: the mean over rows of |predicted - observed| of their bin. NaN without rows.
pub fn expected_calibration_error(bins: &[CalibrationBin]) -> f64 {
    let weights: Vec<f64> = bins.iter().map(|b| b.weight).collect();
    mean(bins.len(), Some(&weights), |b| (bins[b].predicted - bins[b].observed).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibrated_predictions_have_no_error() {
        let bins =
            calibration_curve(&[true, false, true, true], &[0.5, 0.5, 1.0, 1.0], 4, Binning::Uniform, None)
                .unwrap();
        assert_eq!(bins.len(), 2);
        assert_eq!(expected_calibration_error(&bins), 0.0);
        assert!(calibration_curve(&[true], &[1.5], 4, Binning::Uniform, None).is_err());
        assert!(calibration_curve(&[true], &[0.5], 0, Binning::Uniform, None).is_err());
    }
}
