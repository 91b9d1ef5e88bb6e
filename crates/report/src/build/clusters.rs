//! The clusters of rows: their sizes, and a map of the rows.

use super::Subject;
use crate::model::Report;
use crate::tasks::Clusters;
use mercer_core::{Dataset, Result, Session, catalogue};

/// The map is the plane of largest variance of the prepared rows.
const PLANE: &str = "pipeline:steps=[imputer, one-hot(handle_unknown=ignore, sparse_output=false), standard-scaler, pca(n_components=2)]";

/// The sizes of the clusters, and the rows on a plane.
pub(super) fn add(subject: &Subject<'_>, report: &mut Report) -> Result<()> {
    let (Some(asked), Some(data)) = (subject.asked()?, subject.data) else { return Ok(()) };
    let prediction = asked.predict()?;
    let Ok((codes, labels)) = prediction.class() else { return Ok(()) };
    let mut sizes = vec![0u64; labels.len()];
    codes.iter().for_each(|&c| sizes[c as usize] += 1);
    let map = map(data, subject.session).unwrap_or_else(|e| {
        report.left_out("the map of the rows", &e);
        Vec::new()
    });
    let assignments =
        if map.is_empty() { Vec::new() } else { codes.iter().map(|&c| Some(c as usize)).collect() };
    report.clusters = Some(Clusters {
        names: labels.iter().map(|l| format!("cluster {l}")).collect(),
        map,
        assignments,
        map_axes: ("first principal component".to_owned(), "second principal component".to_owned()),
        sizes,
        ..Clusters::default()
    });
    Ok(())
}

/// The rows on the plane; empty where they have none.
fn map(data: &Dataset<'_>, session: &Session) -> Result<Vec<(f64, f64)>> {
    let plane = catalogue::make_spec(PLANE)?.train(data, session)?;
    let rows = plane.transform(&data.input(), session)?.dense("map")?;
    let view = rows.view();
    let point = |i: usize| (view.get(i, 0), view.get(i, 1));
    Ok(if view.n_cols() >= 2 { (0..view.n_rows()).map(point).collect() } else { Vec::new() })
}
