//! Checks of what a learner does with its data.

use crate::fixtures::{dataset, fixture, outputs, target_of, task_of};
use crate::reference::all_alike;
use crate::{Check, CheckResult, expect, text};
use mercer_core::sums::MemoryBatches;
use mercer_core::{DataKind, Dataset, Learner, Session, Target, Task};
use mercer_math::{Csr, Mat, MatRef, rng_for, shuffle};

pub(crate) const CHECKS: &[Check] = &[
    Check { name: "refit equals fit", run: refit },
    Check { name: "one thread equals two", run: threads },
    Check { name: "the order of rows does not matter", run: row_order },
    Check { name: "a view equals its copy", run: views },
    Check { name: "weight 2 equals two copies, weight 0 no row", run: weights },
    Check { name: "weights are taken or refused as declared", run: weights_declared },
    Check { name: "layouts agree", run: layouts },
    Check { name: "sparse equals dense", run: sparse },
    Check { name: "missing values are taken or refused by column and row", run: missing },
    Check { name: "infinities are refused by column and row", run: infinities },
    Check { name: "odd inputs give an answer or an error", run: odd_inputs },
    Check { name: "other kinds of data are refused", run: wrong_kind },
    Check { name: "streams give the bits of memory", run: streams },
];

fn bytes(learner: &dyn Learner, data: &Dataset<'_>, session: &Session) -> Result<Vec<u8>, String> {
    Ok(text(text(learner.train(data, session))?.encode())?.bytes)
}

fn refit(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    let session = Session::new(5);
    let first = bytes(learner, &f.data, &session)?;
    let second = bytes(learner, &f.data, &session)?;
    expect(first == second, || "two fits of the same data differ".to_owned())
}

fn threads(learner: &dyn Learner) -> CheckResult {
    // Hundreds of rows are many blocks, too, for those whose time grows with the cube of their number.
    let f = fixture(learner, if learner.declaration().most_rows.is_some() { 500 } else { 5000 });
    let with = |n| bytes(learner, &f.data, &Session::new(5).with_threads(n));
    expect(with(1)? == with(2)?, || "models differ between 1 and 2 threads".to_owned())
}

fn row_order(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    if learner.capabilities().ordered || f.data.n_rows() == 0 {
        return Ok(());
    }
    let mut order: Vec<usize> = (0..f.data.n_rows()).collect();
    shuffle(&mut rng_for(3, 1), &mut order);
    let session = Session::new(5);
    let model = text(learner.train(&f.data, &session))?;
    let shuffled = text(learner.train(&text(f.data.subset(&order))?, &session))?;
    let (a, b) = (outputs(model.as_ref(), &f.data)?, outputs(shuffled.as_ref(), &f.data)?);
    expect(all_alike(&a, &b, 1e-5), || format!("outputs differ: {:?} … {:?}", head(&a, &b), a.len()))
}

fn head(a: &[f64], b: &[f64]) -> Vec<(f64, f64)> {
    a.iter().zip(b).filter(|(a, b)| (*a - *b).abs() > 1e-9).take(3).map(|(a, b)| (*a, *b)).collect()
}

fn views(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    let (Some(x), session) = (&f.x, Session::new(5)) else { return Ok(()) };
    let rows: Vec<usize> = (0..60).map(|i| i + i % 2).collect();
    let view = bytes(learner, &text(f.data.subset(&rows))?, &session)?;
    let copy = dataset(&x.view().gather(&rows), f.target.as_ref().map(|t| t.gather(&rows)).as_ref());
    expect(view == bytes(learner, &copy, &session)?, || "a subset and its copy differ".to_owned())
}

fn weights(learner: &dyn Learner) -> CheckResult {
    let can = learner.capabilities();
    let f = fixture(learner, 90);
    let Some(x) = &f.x else { return Ok(()) };
    if !can.weights || can.counts_rows {
        return Ok(());
    }
    let weights: Vec<f64> = (0..90).map(|i| f64::from(((i * 7) % 3) as u32)).collect();
    let copies: Vec<usize> = (0..90).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let session = Session::new(5);
    let weighted =
        text(learner.train(&text(dataset(x, f.target.as_ref()).with_weights(weights))?, &session))?;
    let copied = text(learner.train(&text(f.data.subset(&copies))?, &session))?;
    let seen = text(f.data.subset(&copies))?;
    let (a, b) = (outputs(weighted.as_ref(), &seen)?, outputs(copied.as_ref(), &seen)?);
    expect(all_alike(&a, &b, 1e-5), || format!("outputs differ: {:?}", head(&a, &b)))
}

fn weights_declared(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    if f.data.n_rows() == 0 {
        return Ok(());
    }
    let weighted = text(f.data.clone().with_weights(vec![1.0; 90]))?;
    let (took, says) = (learner.train(&weighted, &Session::default()), learner.capabilities().weights);
    expect(took.is_ok() == says, || format!("declared {says}, but {:?}", took.err().map(|e| e.to_string())))?;
    let zero = text(f.data.clone().with_weights(vec![0.0; 90]))?;
    expect(learner.train(&zero, &Session::default()).is_err(), || {
        "weights that are all zero were taken".to_owned()
    })
}

fn layouts(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    let (Some(x), session) = (&f.x, Session::new(5)) else { return Ok(()) };
    let columns = x.view().t().to_mat();
    let by_columns = MatRef::col_major(columns.as_slice(), 90, 4).ok_or("shape")?;
    let mut data = Dataset::new(by_columns);
    if let Some(target) = &f.target {
        data = text(data.with_target(target.clone()))?;
    }
    let (rows, columns) = (text(learner.train(&f.data, &session))?, text(learner.train(&data, &session))?);
    let (a, b) = (outputs(rows.as_ref(), &f.data)?, outputs(columns.as_ref(), &data)?);
    expect(all_alike(&a, &b, 1e-7), || format!("outputs differ: {:?}", head(&a, &b)))
}

fn sparse(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    let (Some(x), session) = (&f.x, Session::new(5)) else { return Ok(()) };
    let holes = Mat::from_fn(90, 4, |i, j| if (i + j) % 3 == 0 { 0.0 } else { x[(i, j)] });
    let mut csr = Dataset::new(Csr::from_dense(holes.view()));
    if let Some(target) = &f.target {
        csr = text(csr.with_target(target.clone()))?;
    }
    // A scaler that centres cannot keep rows sparse; without centring it must.
    let learner = learner.with("with_mean", &false.into()).unwrap_or_else(|_| learner.clone_box());
    let trained = learner.train(&csr, &session);
    if !learner.capabilities().sparse {
        return expect(trained.is_err(), || "sparse rows were taken though not declared".to_owned());
    }
    let (sparse, data) = (text(trained)?, dataset(&holes, f.target.as_ref()));
    let dense = text(learner.train(&data, &session))?;
    let (a, b) = (outputs(sparse.as_ref(), &csr)?, outputs(dense.as_ref(), &data)?);
    expect(all_alike(&a, &b, 1e-4), || format!("outputs differ: {:?}", head(&a, &b)))
}

fn spoiled(
    learner: &dyn Learner,
    value: f64,
) -> Result<Option<(Dataset<'static>, Dataset<'static>)>, String> {
    let f = fixture(learner, 30);
    let Some(x) = &f.x else { return Ok(None) };
    let mut bad = x.clone();
    bad[(17, 2)] = value;
    Ok(Some((f.data.clone(), dataset(&bad, f.target.as_ref()))))
}

fn missing(learner: &dyn Learner) -> CheckResult {
    let Some((good, bad)) = spoiled(learner, f64::NAN)? else { return Ok(()) };
    let (trained, says) = (learner.train(&bad, &Session::default()), learner.capabilities().missing);
    match (trained, says) {
        (Ok(_), true) => Ok(()),
        (Ok(_), false) => Err("NaN was taken though not declared".to_owned()),
        (Err(e), true) => Err(format!("declared, but {e}")),
        (Err(e), false) => {
            let message = e.to_string();
            expect(message.contains("x2") && message.contains("17"), || message)?;
            let model = text(learner.train(&good, &Session::default()))?;
            expect(outputs(model.as_ref(), &bad).is_err(), || "predict took NaN".to_owned())
        }
    }
}

fn infinities(learner: &dyn Learner) -> CheckResult {
    for value in [f64::INFINITY, f64::NEG_INFINITY] {
        let Some((_, bad)) = spoiled(learner, value)? else { return Ok(()) };
        match learner.train(&bad, &Session::default()) {
            Ok(_) => return Err(format!("{value} was taken")),
            Err(e) => expect(e.to_string().contains("x2") && e.to_string().contains("17"), || e.to_string())?,
        }
    }
    Ok(())
}

/// Nothing here may panic; an error must say something, and a model must answer for its own rows.
fn odd_inputs(learner: &dyn Learner) -> CheckResult {
    if learner.kinds().learns_from != DataKind::Rows {
        return Ok(());
    }
    let target = |x: &Mat| {
        let classes = || Target::classes(&(0..x.n_rows()).map(|i| i64::from(i % 2 == 1)).collect::<Vec<_>>());
        let numbers = || Target::real((0..x.n_rows()).map(|i| i as f64).collect::<Vec<_>>());
        target_of(task_of(learner), classes, numbers)
    };
    let odd = [
        Mat::zeros(0, 3),
        Mat::zeros(5, 0),
        Mat::zeros(1, 1),
        Mat::zeros(2, 3),
        Mat::from_fn(10, 2, |_, _| 7.0),
        Mat::from_fn(10, 2, |i, _| i as f64 * 1e300),
        Mat::from_fn(10, 2, |i, _| i as f64 * 1e-300),
        Mat::from_fn(3, 200, |i, j| ((i * j) % 5) as f64),
    ];
    for (k, x) in odd.iter().enumerate() {
        let data = dataset(x, target(x).as_ref());
        match learner.train(&data, &Session::default()) {
            Err(e) => expect(!e.to_string().is_empty(), || format!("case {k}"))?,
            Ok(_) if k < 2 => return Err(format!("case {k}: nothing was learnt from")),
            Ok(model) => {
                outputs(model.as_ref(), &data).map_err(|e| format!("case {k}: {e}"))?;
            }
        }
    }
    one_class(learner)
}

fn one_class(learner: &dyn Learner) -> CheckResult {
    if learner.task() != Task::Classification {
        return Ok(());
    }
    let x = Mat::from_fn(10, 2, |i, j| (i * (j + 1)) as f64);
    let data = dataset(&x, Some(&Target::classes(&["only"; 10])));
    match learner.train(&data, &Session::default()) {
        Err(e) => expect(e.to_string().contains("class"), || e.to_string()),
        Ok(model) => {
            let out = outputs(model.as_ref(), &data)?;
            expect(out.iter().all(|&c| c == 0.0), || "another class than the only one".to_owned())
        }
    }
}

fn wrong_kind(learner: &dyn Learner) -> CheckResult {
    let data = match learner.kinds().learns_from {
        // Rows are taken for series of equal length.
        DataKind::Rows | DataKind::Series => Dataset::new(mercer_core::Density::new("d", 1, |_| Ok(0.0))),
        DataKind::Strings
        | DataKind::Density
        | DataKind::Mdp
        | DataKind::States
        | DataKind::Graphs
        | DataKind::Environment => Dataset::new(Mat::zeros(3, 2)),
    };
    match learner.train(&data, &Session::default()) {
        Ok(_) => Err("data of another kind were taken".to_owned()),
        Err(e) => expect(e.to_string().contains(" takes "), || e.to_string()),
    }
}

fn streams(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 5000);
    if f.x.is_none() {
        return Ok(());
    }
    let session = Session::new(5);
    let streamed = learner.train_stream(&mut MemoryBatches::new(&f.data, 777), &session);
    if !learner.capabilities().by_sums {
        return expect(streamed.is_err(), || "learns by sums though not declared".to_owned());
    }
    let streamed = text(text(streamed)?.encode())?.bytes;
    expect(streamed == bytes(learner, &f.data, &session)?, || "the streamed model differs".to_owned())
}
