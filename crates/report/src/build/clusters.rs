//! The clusters of rows: their sizes, how far they stand apart, what tells them apart, a map of the rows, and how other numbers of
//! clusters would do.

use super::comparison::check;
use super::{Subject, mixture};
use crate::model::{Level, Report};
use crate::tasks::{Clusters, CountCriterion};
use mercer_assess::{KCriterion, KOptions, choose_k, count_path};
use mercer_core::{AttributeValues, Column, Dataset, Label, Model, Result, Rows, Session, catalogue};
use mercer_math::{MatRef, Moments, sample_indices};
use mercer_measure::silhouette_of_rows;
use mercer_plot::Dendrogram;

/// The space in which clusters are described: features without gaps, as numbers, on one scale.
const SPACE: &str =
    "pipeline:steps=[imputer, one-hot(handle_unknown=ignore, sparse_output=false), standard-scaler]";
/// The map is the plane of largest variance of that space.
const PLANE: &str = "pca:n_components=2";
/// Rows among which distances are measured, since their time grows with the square.
const MEASURED: usize = 1500;
/// Numbers of clusters that are tried beside the model's own.
const TRIED: std::ops::RangeInclusive<usize> = 1..=10;
/// The same for learners whose time grows with a power of the rows.
const FEW: usize = 400;
/// Where one fit takes longer, in seconds, what learns hundreds of times is left out.
const SLOW: f64 = 0.5;
/// Leaves of the hierarchy that are shown.
const LEAVES: usize = 40;
/// A mean so many standard deviations away from that of all rows is worth a word.
const NOTABLE: f64 = 0.5;

/// The clusters, in so far as the rows have a space to describe them in.
pub(super) fn add(subject: &Subject<'_>, report: &mut Report) -> Result<()> {
    let (Some(asked), Some(data)) = (subject.asked()?, subject.data) else { return Ok(()) };
    let prediction = asked.predict()?;
    let Ok((codes, labels)) = prediction.class() else { return Ok(()) };
    // Noise is no cluster: its label is -1 in every learner that knows it.
    let named: Vec<&Label> = labels.iter().filter(|l| **l != Label::Int(-1)).collect();
    let place = |code: u32| named.iter().position(|l| **l == labels[code as usize]);
    let assignments: Vec<Option<usize>> = codes.iter().map(|&c| place(c)).collect();
    let mut sizes = vec![0u64; named.len()];
    assignments.iter().flatten().for_each(|&c| sizes[c] += 1);
    let noise = assignments.iter().filter(|c| c.is_none()).count();
    if noise > 0 {
        report.facts.push(("noise".to_owned(), format!("{noise} of {} rows", assignments.len())));
    }
    let mut clusters = Clusters {
        names: named.iter().map(|l| format!("cluster {l}")).collect(),
        sizes,
        map_axes: ("first principal component".to_owned(), "second principal component".to_owned()),
        mergers: mergers(subject.model),
        ..Clusters::default()
    };
    if let Err(error) = described(subject, data, &assignments, &mut clusters, report) {
        report.left_out("the map and the description of the clusters", &error);
    }
    report.clusters = Some(clusters);
    Ok(())
}

/// All that needs the rows on one scale.
fn described(
    subject: &Subject<'_>,
    data: &Dataset<'_>,
    assignments: &[Option<usize>],
    clusters: &mut Clusters,
    report: &mut Report,
) -> Result<()> {
    let session = &subject.session.quiet();
    let whole = Dataset::new(data.input());
    let plain = Dataset::new(described_columns(&whole)?);
    let (_, rows) = catalogue::make_spec(SPACE)?.train_transform(&plain, session)?;
    let dense = rows.dense("the report")?;
    let x = dense.view();
    clusters.map = map(&rows, session)?;
    if !clusters.map.is_empty() {
        clusters.assignments = assignments.to_vec();
    }
    let mut sample = sample_indices(&mut session.rng(0), x.n_rows(), MEASURED);
    sample.sort_unstable();
    clusters.profiles = profiles(&rows, x, assignments, clusters.sizes.len());
    clusters.silhouette = silhouettes(x, &sample, assignments, clusters.sizes.len(), session)?;
    mixture::add(subject, &plain, clusters)?;
    clusters.choice = choice(subject, &whole, session, report)?;
    Ok(())
}

/// The columns that the space can hold: texts and times have no place in it.
fn described_columns(data: &Dataset<'_>) -> Result<Rows<'static>> {
    let input = data.input();
    let rows = input.rows("the report")?;
    let table = rows.table()?;
    let held = |j: &usize| !matches!(table.columns()[*j].as_ref(), Column::Text(_) | Column::Time(_));
    rows.columns(&(0..rows.n_features()).filter(held).collect::<Vec<_>>())
}

/// The rows on the plane; empty where they have none.
fn map(rows: &Rows<'_>, session: &Session) -> Result<Vec<(f64, f64)>> {
    if rows.n_features() < 2 || rows.n_rows() < 2 {
        return Ok(Vec::new());
    }
    let data = Dataset::new(rows.clone());
    let plane = catalogue::make_spec(PLANE)?.train(&data, session)?;
    let rows = plane.transform(&data.input(), session)?.dense("map")?;
    let view = rows.view();
    Ok((0..view.n_rows()).map(|i| (view.get(i, 0), view.get(i, 1))).collect())
}

/// The mean silhouette of each cluster over a sample of the rows; empty where there are fewer than two clusters.
fn silhouettes(
    x: MatRef<'_>,
    sample: &[usize],
    assignments: &[Option<usize>],
    n_clusters: usize,
    session: &Session,
) -> Result<Vec<f64>> {
    let kept: Vec<usize> = sample.iter().copied().filter(|&i| assignments[i].is_some()).collect();
    let codes: Vec<u32> = kept.iter().filter_map(|&i| assignments[i]).map(|c| c as u32).collect();
    if codes.iter().min() == codes.iter().max() {
        return Ok(Vec::new());
    }
    let rows = x.gather(&kept);
    let each = session.run(|| silhouette_of_rows(rows.view(), &codes, None, session))?;
    let mean = |cluster: usize| {
        let own: Vec<f64> =
            each.iter().zip(&codes).filter(|(_, c)| **c as usize == cluster).map(|(s, _)| *s).collect();
        if own.is_empty() { f64::NAN } else { Moments::of(&own).mean }
    };
    Ok((0..n_clusters).map(mean).collect())
}

/// What is notable of the means of each cluster, in standard deviations of all rows.
fn profiles(rows: &Rows<'_>, x: MatRef<'_>, assignments: &[Option<usize>], n_clusters: usize) -> Vec<String> {
    let d = x.n_cols();
    let mut sums = vec![vec![0.0; d]; n_clusters];
    let mut sizes = vec![0.0; n_clusters];
    for (i, cluster) in assignments.iter().enumerate().filter_map(|(i, c)| c.map(|c| (i, c))) {
        sizes[cluster] += 1.0;
        sums[cluster].iter_mut().enumerate().for_each(|(j, s)| *s += x.get(i, j));
    }
    let profile = |(sums, size): (&Vec<f64>, &f64)| {
        let mut means: Vec<(f64, usize)> = sums.iter().enumerate().map(|(j, s)| (s / size, j)).collect();
        means.retain(|(mean, _)| mean.abs() >= NOTABLE);
        means.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let word = |(mean, j): &(f64, usize)| {
            format!("{} {} ({mean:+.1} sd)", if *mean > 0.0 { "high" } else { "low" }, rows.name(*j))
        };
        match means.is_empty() {
            true => "near the mean in every feature".to_owned(),
            false => means.iter().take(4).map(word).collect::<Vec<_>>().join(", "),
        }
    };
    sums.iter().zip(&sizes).map(profile).collect()
}

/// What criteria say of other numbers of clusters, on a sample; empty for learners that are not told how many there are.
fn choice(
    subject: &Subject<'_>,
    data: &Dataset<'_>,
    session: &Session,
    report: &mut Report,
) -> Result<Vec<CountCriterion>> {
    let learner = subject.model.learner();
    if count_path(learner).is_none() {
        return Ok(Vec::new());
    }
    let slow = subject.fit_seconds.is_some_and(|s| s > SLOW);
    if slow {
        let note = format!(
            "not shown: gap statistic and stability, which learn often, since one fit took more than {SLOW} s"
        );
        report.checks.push(check("K005", Level::Note, note));
    }
    let options = KOptions {
        counts: TRIED.filter(|k| *k < data.n_rows()).collect(),
        references: if slow { 0 } else { 8 },
        resamples: if slow { 0 } else { 4 },
        most_rows: if answering(subject.model).declaration().most_rows.is_some() { FEW } else { MEASURED },
        ..KOptions::default()
    };
    let found = choose_k(learner, data, &options, session)?;
    let curve = |c: &KCriterion| {
        let known: Vec<usize> = (0..found.counts.len()).filter(|&i| c.values[i].is_finite()).collect();
        let errors = c.errors.as_ref().map(|e| known.iter().map(|&i| e[i]).collect());
        CountCriterion {
            name: c.label.to_owned(),
            points: known.iter().map(|&i| (found.counts[i] as f64, c.values[i])).collect(),
            errors: errors.unwrap_or_default(),
            chosen: c.chosen.map(|k| k as u64),
            rule: c.rule.to_owned(),
        }
    };
    Ok(found.criteria.iter().map(curve).filter(|c| !c.points.is_empty()).collect())
}

/// The model that answers: the last one behind the steps of a pipeline.
fn answering(model: &dyn Model) -> &dyn Model {
    model.abilities().route.map_or(model, |route| answering(route.last))
}

/// The last mergers of a hierarchy, with its cut.
fn mergers(model: &dyn Model) -> Option<Dendrogram> {
    let attributes = answering(model).attributes();
    let find = |name: &str| attributes.iter().find(|a| a.name == name).map(|a| &a.values);
    let (children, heights, k) = match (find("children_")?, find("distances_")?, find("n_clusters_")?) {
        (AttributeValues::Int(children), AttributeValues::Real(heights), AttributeValues::Int(k)) => {
            (children, heights, *k.first()? as usize)
        }
        _ => return None,
    };
    let pairs: Vec<(usize, usize)> =
        children.chunks_exact(2).map(|p| (p[0] as usize, p[1] as usize)).collect();
    let name =
        |row: Option<usize>, rows: usize| row.map_or_else(|| format!("{rows} rows"), |i| format!("row {i}"));
    // Between the last merger that was made and the first that was not.
    let below = heights.len().checked_sub(k).and_then(|i| heights.get(i).copied());
    let above = heights.len().checked_sub(k.max(1) - 1).and_then(|i| heights.get(i).copied());
    let cut = match (below, above) {
        (Some(low), Some(high)) => Some(f64::midpoint(low, high)),
        (Some(low), None) => Some(low),
        (None, high) => high.map(|h| 0.5 * h),
    };
    let chart = Dendrogram {
        title: "Dendrogram".to_owned(),
        description: "The last mergers of the hierarchy, and where it is cut.".to_owned(),
        label: "height".to_owned(),
        cut,
        ..Dendrogram::top(&pairs, heights, LEAVES, name)
    };
    (!chart.mergers.is_empty()).then_some(chart)
}
