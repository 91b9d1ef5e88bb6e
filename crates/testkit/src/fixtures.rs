//! Small data sets for each kind of learner.

use crate::text;
use mercer_core::{
    DataKind, Dataset, Density, Environment, FixtureRows, Graph, Input, Learner, LogDensity, Mdp, Model,
    Result, RowData, Series, Session, States, Target, Task,
};
use mercer_math::{Mat, Rng, normal, rng_for};
use std::sync::Arc;

/// A data set and the rows to predict for.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// What to learn from.
    pub data: Dataset<'static>,
    /// The features, for rows.
    pub x: Option<Mat>,
    /// The target, where the task has one.
    pub target: Option<Target<'static>>,
}

/// The data on which a learner of this kind and task is checked: `n` rows with four features, one of them
/// constant; three classes; or data of a kind that is no table.
pub fn fixture(learner: &dyn Learner, n: usize) -> Fixture {
    match learner.kinds().learns_from {
        DataKind::Rows => rows(learner, n),
        DataKind::Strings => strings(n),
        DataKind::Density => {
            let density = Density::from_trait("standard normal", Arc::new(StandardNormal));
            Fixture { data: Dataset::new(density), x: None, target: None }
        }
        DataKind::Mdp => Fixture { data: Dataset::new(chain()), x: None, target: None },
        DataKind::States => {
            let states = States::named(chain().states().to_vec());
            Fixture { data: Dataset::new(states), x: None, target: None }
        }
        DataKind::Series => series(learner, n),
        DataKind::Graphs => graphs(learner, n),
        DataKind::Environment => {
            let environment = Environment::of_mdp("chain", chain()).expect("an environment");
            Fixture { data: Dataset::new(environment), x: None, target: None }
        }
    }
}

/// Two independent standard normals, of which all is known that a sampler may ask for.
struct StandardNormal;

impl LogDensity for StandardNormal {
    fn dim(&self) -> usize {
        2
    }
    fn log_density(&self, x: &[f64]) -> Result<f64> {
        Ok(-0.5 * (x[0] * x[0] + x[1] * x[1]))
    }
    fn log_density_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<Result<f64>> {
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = -x);
        Some(self.log_density(x))
    }
    fn draw_conditional(&self, _: usize, _: &[f64], rng: &mut Rng) -> Option<Result<f64>> {
        Some(Ok(normal(rng)))
    }
}

/// The task that decides the target: transformers that learn from one get classes.
pub(crate) fn task_of(learner: &dyn Learner) -> Task {
    let task = learner.task();
    if learner.capabilities().supervised && !task.has_target() { Task::Classification } else { task }
}

fn rows(learner: &dyn Learner, n: usize) -> Fixture {
    let (can, levels) = (learner.capabilities(), learner.declaration().fixture == FixtureRows::Levels);
    let mut rng = rng_for(42, 7);
    let class = |i: usize| i % 3;
    let x = Mat::from_fn(n, 4, |i, j| match j {
        3 => {
            if levels {
                2.0
            } else {
                2.5
            }
        }
        j => {
            let v = (class(i) as f64 - 1.0) * (j as f64 + 0.5) + normal(&mut rng);
            let v = if can.nonnegative { v.abs() } else { v };
            if levels { v.round().clamp(-2.0, 2.0) } else { v }
        }
    });
    let target = target_of(
        task_of(learner),
        || {
            // Labels overlap, so that no learner reaches a degenerate optimum.
            let names = if can.binary { ["ant", "bee", "bee"] } else { ["ant", "bee", "cat"] };
            Target::classes(&(0..n).map(|i| names[class(i + usize::from(i % 7 == 0))]).collect::<Vec<_>>())
        },
        || {
            let y = (0..n).map(|i| 1.0 + 2.0 * x[(i, 0)] - x[(i, 2)] + 0.3 * normal(&mut rng));
            let positive = learner.declaration().fixture == FixtureRows::PositiveTarget;
            Target::real(y.map(|y| if positive { (0.2 * y).exp() } else { y }).collect::<Vec<_>>())
        },
    );
    Fixture { data: dataset(&x, target.as_ref()), x: Some(x), target }
}

/// The target of a task: classes, numbers or none.
pub(crate) fn target_of(
    task: Task,
    classes: impl FnOnce() -> Target<'static>,
    numbers: impl FnOnce() -> Target<'static>,
) -> Option<Target<'static>> {
    match task {
        Task::Classification => Some(classes()),
        Task::Regression => Some(numbers()),
        Task::Clustering
        | Task::Transformation
        | Task::Sampling
        | Task::Planning
        | Task::Composite
        | Task::Outliers
        | Task::Neighbours
        | Task::Densities => None,
    }
}

/// A data set of owned copies.
pub(crate) fn dataset(x: &Mat, target: Option<&Target<'static>>) -> Dataset<'static> {
    let data = Dataset::new(x.clone());
    match target {
        Some(target) => data.with_target(target.clone()).expect("the fixture's rows and targets agree"),
        None => data,
    }
}

fn strings(n: usize) -> Fixture {
    let words = ["abcab", "bcabc", "xyzxy", "zyxzy"];
    let strings: Vec<String> =
        (0..n).map(|i| format!("{}{}", words[i % 4], &words[(i / 4) % 4][..1 + i % 3])).collect();
    let target =
        Target::classes(&(0..n).map(|i| if i % 4 < 2 { "front" } else { "back" }).collect::<Vec<_>>());
    let data =
        Dataset::new(Input::Strings(strings.into())).with_target(target.clone()).expect("equal lengths");
    Fixture { data, x: None, target: Some(target) }
}

/// Waves of two frequencies and of several lengths.
fn series(learner: &dyn Learner, n: usize) -> Fixture {
    let mut rng = rng_for(42, 8);
    let (mut starts, mut values) = (vec![0], Vec::new());
    for i in 0..n {
        let wave = |t: usize| (0.4 * (1 + i % 2) as f64 * t as f64).sin();
        values.extend((0..10 + i % 5).map(|t| wave(t) + 0.3 * normal(&mut rng)));
        starts.push(values.len());
    }
    let series = Series::new(1, starts, values).expect("whole points");
    of_two(learner, n, series.into())
}

/// Rings and paths of several lengths.
fn graphs(learner: &dyn Learner, n: usize) -> Fixture {
    let graph = |i: usize| {
        let m = 4 + i % 4;
        let edges: Vec<_> = (0..m - i % 2).map(|v| (v, (v + 1) % m, 1.0)).collect();
        let labels = (0..m).map(|v| ["C", "O"][usize::from(v % 3 == i % 5)]);
        Graph::new(m, &edges, false).and_then(|g| g.with_labels(labels)).expect("a graph")
    };
    of_two(learner, n, (0..n).map(graph).collect::<Vec<_>>().into())
}

/// Units of which every second is of another class, but for a few.
fn of_two(learner: &dyn Learner, n: usize, input: Input<'static>) -> Fixture {
    let other = |i: usize| (i + usize::from(i.is_multiple_of(7))) % 2;
    let target = target_of(
        task_of(learner),
        || Target::classes(&(0..n).map(|i| ["ant", "bee"][other(i)]).collect::<Vec<_>>()),
        || Target::real((0..n).map(|i| other(i) as f64 + 0.1 * (i % 3) as f64).collect::<Vec<_>>()),
    );
    let data = Dataset::new(input);
    let data = match &target {
        Some(target) => data.with_target(target.clone()).expect("equal lengths"),
        None => data,
    };
    Fixture { data, x: None, target }
}

/// Three states in a row with a reward at the end.
fn chain() -> Mdp {
    let names = |n: &[&str]| n.iter().map(|s| (*s).to_owned()).collect();
    let transitions = [
        (0, 0, 1, 0.9, 0.0),
        (0, 0, 0, 0.1, 0.0),
        (0, 1, 0, 1.0, 0.1),
        (1, 0, 2, 1.0, 1.0),
        (1, 1, 0, 1.0, 0.0),
    ];
    Mdp::new(names(&["a", "b", "end"]), names(&["go", "stay"]), &transitions, Some(0.9))
        .expect("a valid process")
}

/// What a model says about the rows it was trained on, as numbers: predictions, transformed rows, distances of neighbours or densities.
pub(crate) fn outputs(model: &dyn Model, data: &Dataset<'_>) -> Result<Vec<f64>, String> {
    let session = Session::default();
    let input = match data.whole_input() {
        Input::Mdp(mdp) => States::named(mdp.states()[..2].to_vec()).into(),
        Input::Environment(_) => Mat::from_fn(2, 1, |i, _| i as f64).into(),
        Input::Density(_) => {
            return Ok(model
                .attributes()
                .into_iter()
                .filter_map(|a| match a.values {
                    mercer_core::AttributeValues::Real(v) => Some(v),
                    _ => None,
                })
                .flatten()
                .collect());
        }
        Input::Rows(_) | Input::Strings(_) | Input::States(_) | Input::Series(_) | Input::Graphs(_) => {
            data.input()
        }
    };
    if model.can().transform && model.learner().task() == Task::Transformation {
        let rows = model.transform(&input, &session).map_err(|e| e.to_string())?;
        if let (RowData::Sparse(m), true) = (rows.data(), rows.n_rows() * rows.n_features() > 1 << 22) {
            return Ok(m.view().values().to_vec());
        }
        let dense = rows.dense("outputs").map_err(|e| e.to_string())?;
        return Ok(dense.view().to_mat().into_vec());
    }
    // Indices are those of the rows learnt from, distances are the same in any order of them.
    match model.learner().task() {
        Task::Neighbours => {
            return text(text(model.on(&input, &session))?.nearest(None)).map(|found| found.distances);
        }
        Task::Densities => return text(text(model.on(&input, &session))?.log_densities()),
        _ => {}
    }
    let prediction = model.predict(&input, &session).map_err(|e| e.to_string())?;
    let column = |c: &mercer_core::TargetColumn<'_>| match &c.values {
        mercer_core::TargetValues::Numbers(v) => v.to_vec(),
        mercer_core::TargetValues::Codes(v) => v.iter().map(|&c| f64::from(c)).collect(),
    };
    let mut out: Vec<f64> = prediction.columns().iter().flat_map(column).collect();
    if model.can().intervals {
        out.extend(model.intervals(&input, 0.8, &session).map_err(|e| e.to_string())?.into_vec());
    }
    Ok(out)
}
