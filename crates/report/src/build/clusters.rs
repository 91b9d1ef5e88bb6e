//! The clusters of rows: their sizes, how far they stand apart, what tells them apart, a map of the rows, and how other numbers of
//! clusters would do.

use super::{Subject, steps};
use crate::model::Report;
use crate::tasks::Clusters;
use mercer_core::{Dataset, Label, Learner, Result, Rows, Session, Value, catalogue};
use mercer_math::{MatRef, Moments, sample_indices};
use mercer_measure::{silhouette, silhouette_of_rows};

/// The space in which clusters are described: features without gaps, as numbers, on one scale.
const SPACE: &str =
    "pipeline:steps=[imputer, one-hot(handle_unknown=ignore, sparse_output=false), standard-scaler]";
/// The map is the plane of largest variance of that space.
const PLANE: &str = "pca:n_components=2";
/// Rows among which distances are measured, since their time grows with the square.
const MEASURED: usize = 1500;
/// Numbers of clusters that are tried beside the model's own.
const TRIED: std::ops::RangeInclusive<i64> = 2..=10;
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
        ..Clusters::default()
    };
    if let Err(error) = described(subject, data, &assignments, &mut clusters) {
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
) -> Result<()> {
    let session = &subject.session.quiet();
    let plain = Dataset::new(data.input());
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
    clusters.choice = choice(subject.model.learner(), &plain, x, &sample, session)?;
    clusters.choice_label = "mean silhouette".to_owned();
    Ok(())
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

/// The mean silhouette that the same learner reaches with other numbers of clusters, on a sample; empty for learners that are not told
/// how many there are.
fn choice(
    learner: &dyn Learner,
    data: &Dataset<'_>,
    x: MatRef<'_>,
    sample: &[usize],
    session: &Session,
) -> Result<Vec<(f64, f64)>> {
    let Some(path) = count_of_clusters(learner) else { return Ok(Vec::new()) };
    let (rows, some) = (x.gather(sample), data.subset(sample)?);
    let input = some.input();
    let mut found = Vec::new();
    for k in TRIED.take_while(|k| *k < sample.len() as i64) {
        let answer = || -> Result<f64> {
            let prediction =
                learner.with(&path, &Value::Int(k))?.train(&some, session)?.predict(&input, session)?;
            session.run(|| silhouette(rows.view(), prediction.class()?.0, None))
        };
        // A number of clusters that cannot be had on the sample is no point of the curve.
        match answer() {
            Ok(value) if value.is_finite() => found.push((k as f64, value)),
            Err(error) if session.interrupted().is_some() => return Err(error),
            _ => {}
        }
    }
    Ok(found)
}

/// The path of the parameter that says how many clusters there are, in the last step where there are steps.
fn count_of_clusters(learner: &dyn Learner) -> Option<String> {
    let last = match learner.get("steps") {
        Ok(_) => format!("{}__", steps(learner).last()?.name),
        Err(_) => String::new(),
    };
    let paths = ["n_clusters", "n_components"].map(|name| format!("{last}{name}"));
    paths.into_iter().find(|path| matches!(learner.get(path), Ok(Value::Int(_))))
}
