//! The components of a mixture: their shares, means and spreads in the units of the data, and where they lie on the map.

use super::Subject;
use crate::tasks::{Clusters, Component};
use mercer_core::{Dataset, Result};
use mercer_math::Mat;

/// Points of a closed line.
const POINTS: usize = 48;
/// How many standard deviations of a component its line encloses.
const SPREADS: f64 = 2.0;

/// The components, in so far as the model gives the share of each in every row. At the end of EM they are the moments of the rows
/// under these shares, so that they can be had in any units and on any plane.
pub(super) fn add(subject: &Subject<'_>, data: &Dataset<'_>, clusters: &mut Clusters) -> Result<()> {
    let Some(asked) = subject.asked()? else { return Ok(()) };
    if asked.abilities().density.is_none() || asked.abilities().proba.is_none() {
        return Ok(());
    }
    let shares = asked.proba()?;
    let input = data.input();
    let table = input.rows("the report")?.table()?;
    let columns: Vec<(&str, Vec<f64>)> =
        table.iter().filter_map(|(name, column)| Some((name, column.to_numbers()?.into_owned()))).collect();
    let components = told(&clusters.names, &columns, &shares);
    let line = |c: usize| match components[c].share > 0.0 {
        true => outline(&clusters.map, &shares, c),
        false => Vec::new(),
    };
    let outlines = match clusters.map.len() == shares.n_rows() {
        true => (0..shares.n_cols()).map(line).collect(),
        false => Vec::new(),
    };
    (clusters.components, clusters.outlines) = (components, outlines);
    Ok(())
}

/// What the rows say of each component by their shares of it. A component that no row has a share of has no moments of rows.
fn told(names: &[String], columns: &[(&str, Vec<f64>)], shares: &Mat) -> Vec<Component> {
    let component = |c: usize| {
        let share = (0..shares.n_rows()).map(|i| shares[(i, c)]).sum::<f64>() / shares.n_rows() as f64;
        let moments_of = |(name, values): &(&str, Vec<f64>)| ((*name).to_owned(), moments(values, shares, c));
        Component {
            name: names.get(c).cloned().unwrap_or_else(|| format!("component {c}")),
            share,
            features: columns.iter().filter(|_| share > 0.0).map(moments_of).collect(),
        }
    };
    (0..shares.n_cols()).map(component).collect()
}

/// Mean and standard deviation of the values that are there, by the shares of a component.
fn moments(values: &[f64], shares: &Mat, c: usize) -> (f64, f64) {
    let known = || values.iter().enumerate().filter(|(_, v)| !v.is_nan()).map(|(i, v)| (shares[(i, c)], *v));
    let total: f64 = known().map(|(w, _)| w).sum();
    let mean = known().map(|(w, v)| w / total * v).sum::<f64>();
    let variance = known().map(|(w, v)| w / total * (v - mean).powi(2)).sum::<f64>();
    (mean, variance.sqrt())
}

/// The ellipse of so many standard deviations of the rows on the map, by the shares of a component.
fn outline(map: &[(f64, f64)], shares: &Mat, c: usize) -> Vec<(f64, f64)> {
    let total: f64 = (0..map.len()).map(|i| shares[(i, c)]).sum();
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| {
        map.iter().enumerate().map(|(i, p)| shares[(i, c)] / total * of(p)).sum::<f64>()
    };
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let (xx, yy) = (mean(&|p| (p.0 - x).powi(2)), mean(&|p| (p.1 - y).powi(2)));
    let xy = mean(&|p| (p.0 - x) * (p.1 - y));
    // The Cholesky factor of the covariance turns a circle into the ellipse.
    let a = xx.sqrt();
    let b = if a > 0.0 { xy / a } else { 0.0 };
    let d = (yy - b * b).max(0.0).sqrt();
    let point = |k: usize| {
        let (sin, cos) = (k as f64 / POINTS as f64 * std::f64::consts::TAU).sin_cos();
        (x + SPREADS * a * cos, y + SPREADS * (b * cos + d * sin))
    };
    (0..POINTS).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_without_rows_has_no_moments() {
        let shares = Mat::from_rows(&[[1.0, 0.0], [1.0, 0.0]]).unwrap();
        let all = told(&["near".to_owned()], &[("width", vec![1.0, 3.0])], &shares);
        assert_eq!((all[0].name.as_str(), all[0].share), ("near", 1.0));
        assert_eq!(all[0].features, [("width".to_owned(), (2.0, 1.0))]);
        assert_eq!((all[1].name.as_str(), all[1].share, all[1].features.len()), ("component 1", 0.0, 0));
    }
}
