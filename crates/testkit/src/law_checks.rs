//! Checks of what a learner takes beyond rows of numbers, and of the laws that it keeps.

use crate::fixtures::{dataset, fixture, outputs, task_of};
use crate::reference::all_alike;
use crate::{Check, CheckResult, expect, text};
use mercer_core::{
    AttributeValues, Column, Dataset, Input, Learner, Model, Rows, Session, Table, Target, Task,
};
use mercer_math::{Mat, normal, rng_for};

pub(crate) const CHECKS: &[Check] = &[
    Check { name: "columns are taken or refused by kind as declared", run: column_kinds },
    Check { name: "several targets are taken or refused as declared", run: multi_output },
    Check { name: "three classes are taken or refused as declared", run: binary },
    Check { name: "a target moves nobody who does not learn from it", run: supervised },
    Check { name: "scale matters as declared", run: scaled },
    Check { name: "negative values are taken or refused as declared", run: nonnegative },
    Check { name: "whoever wants counts refuses negative values", run: counts },
    Check { name: "rows learnt from are transformed like others, unless declared", run: cross_fits },
    Check { name: "seeds matter only where declared", run: random },
    Check { name: "what is declared to fill and to encode does", run: fills_and_encodes },
    Check { name: "a baseline does not look at the features", run: blind },
    Check { name: "an L1 penalty alone sets coefficients to zero", run: zeroes },
    Check { name: "learning goes on as declared, after saving, too", run: resumes },
];

/// The rows of the fixture as a table whose last column, which is constant, is another one.
fn with_column(x: &Mat, column: Column<'static>) -> Table<'static> {
    let last = x.n_cols() - 1;
    let numbers = (0..last).map(|j| {
        let values: Vec<f64> = (0..x.n_rows()).map(|i| x[(i, j)]).collect();
        (format!("x{j}"), Column::numbers(values))
    });
    Table::new(numbers.chain([(format!("x{last}"), column)]).collect()).expect("columns of equal lengths")
}

fn targeted(input: impl Into<Input<'static>>, target: Option<&Target<'static>>) -> Dataset<'static> {
    let data = Dataset::new(input);
    match target {
        Some(target) => data.with_target(target.clone()).expect("equal lengths"),
        None => data,
    }
}

fn levels(n: usize) -> Column<'static> {
    Column::categories(&(0..n).map(|i| Some(["red", "green", "blue"][i % 3])).collect::<Vec<_>>())
}

/// What the model says of the rows, whatever it is for.
fn answers(model: &dyn Model, data: &Dataset<'_>) -> mercer_core::Result<Option<Rows<'static>>> {
    let (input, session) = (data.input(), Session::default());
    let asked = model.on(&input, &session)?;
    match model.learner().task() {
        Task::Transformation => asked.transform().map(Some),
        Task::Neighbours => asked.nearest(None).map(|_| None),
        Task::Densities => asked.log_densities().map(|_| None),
        _ => asked.predict().map(|_| None),
    }
}

fn column_kinds(learner: &dyn Learner) -> CheckResult {
    let (f, can) = (fixture(learner, 90), learner.capabilities());
    let Some(x) = &f.x else { return Ok(()) };
    let texts: Vec<Option<String>> =
        (0..90).map(|i| Some(format!("word{} and word{}", i % 5, i % 7))).collect();
    let times: Vec<i64> = (0..90).map(|i| 1_600_000_000_000_000 + i * 86_400_000_000).collect();
    let kinds = [
        ("categorical", can.categorical, levels(90)),
        ("text", can.text, Column::Text(texts.into())),
        ("times", can.times, Column::Time(times.into())),
    ];
    for (kind, declared, column) in kinds {
        let data = targeted(with_column(x, column), f.target.as_ref());
        let took = learner.train(&data, &Session::new(5)).and_then(|model| answers(model.as_ref(), &data));
        let why = took.as_ref().err().map(ToString::to_string);
        expect(took.is_ok() == declared, || format!("`{kind}` is declared {declared}, but {why:?}"))?;
    }
    Ok(())
}

fn multi_output(learner: &dyn Learner) -> CheckResult {
    let (f, declared) = (fixture(learner, 90), learner.capabilities().multi_output);
    let (Some(x), Some(target)) = (&f.x, &f.target) else { return Ok(()) };
    let twice = text(Target::new([target.columns(), target.columns()].concat()))?;
    let data = targeted(x.clone(), Some(&twice));
    let took = learner.train(&data, &Session::new(5)).and_then(|model| answers(model.as_ref(), &data));
    let why = took.as_ref().err().map(ToString::to_string);
    expect(took.is_ok() == declared, || format!("declared {declared}, but {why:?}"))
}

fn binary(learner: &dyn Learner) -> CheckResult {
    let (f, declared) = (fixture(learner, 90), learner.capabilities().binary);
    let Some(x) = f.x.as_ref().filter(|_| learner.task() == Task::Classification) else { return Ok(()) };
    let three = Target::classes(&(0..90).map(|i| ["ant", "bee", "cat"][(i / 2) % 3]).collect::<Vec<_>>());
    let took = learner.train(&dataset(x, Some(&three)), &Session::new(5));
    let why = took.as_ref().err().map(ToString::to_string);
    expect(took.is_err() == declared, || format!("declared {declared}, but {why:?}"))
}

fn supervised(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    let Some(x) = &f.x else { return Ok(()) };
    if matches!(learner.task(), Task::Classification | Task::Regression) {
        return Ok(());
    }
    let target = Target::classes(&(0..90).map(|i| i % 2).collect::<Vec<i64>>());
    let (with, without) = (dataset(x, Some(&target)), dataset(x, None));
    let alone = learner.train(&without, &Session::new(5));
    if learner.capabilities().supervised {
        return expect(alone.is_err(), || "declared, but learns without a target".to_owned());
    }
    let told = text(learner.train(&with, &Session::new(5)))?;
    let (a, b) = (outputs(text(alone)?.as_ref(), &without)?, outputs(told.as_ref(), &without)?);
    expect(all_alike(&a, &b, 0.0), || "a target changed what was learnt".to_owned())
}

/// All that a model says of rows: predictions, probabilities, decision values.
fn says(model: &dyn Model, data: &Dataset<'_>) -> Result<Vec<f64>, String> {
    let mut out = outputs(model, data)?;
    let (input, session) = (data.input(), Session::default());
    let asked = text(model.on(&input, &session))?;
    if model.can().proba {
        out.extend(text(asked.proba())?.into_vec());
    }
    if model.can().decision {
        out.extend(text(asked.decision())?.into_vec());
    }
    Ok(out)
}

/// Powers of two scale without rounding: whoever is not moved by scale says the same to the last bits.
fn scaled(learner: &dyn Learner) -> CheckResult {
    let (f, declared) = (fixture(learner, 90), learner.capabilities().scaled);
    let predicts =
        matches!(learner.task(), Task::Classification | Task::Regression | Task::Clustering | Task::Outliers);
    let Some(x) = f.x.as_ref().filter(|_| predicts && learner.declaration().task != Task::Composite) else {
        return Ok(());
    };
    let factors = [16.0, 2.0, 4.0, 1.0];
    let wide = dataset(&Mat::from_fn(90, 4, |i, j| factors[j] * x[(i, j)]), f.target.as_ref());
    let train = |data: &Dataset<'_>| text(learner.train(data, &Session::new(5)));
    let a = says(train(&f.data)?.as_ref(), &f.data)?;
    let b = says(train(&wide)?.as_ref(), &wide)?;
    let same = all_alike(&a, &b, 1e-9);
    expect(same != declared, || format!("declared {declared}, but answers are the same: {same}"))
}

fn nonnegative(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    let Some(x) = f.x.as_ref().filter(|_| learner.capabilities().nonnegative) else {
        // The rows of the other checks have negative values.
        return expect(f.x.as_ref().is_none_or(|x| x.as_slice().iter().any(|v| *v < 0.0)), || {
            "no negative value was tried".to_owned()
        });
    };
    let negative = Mat::from_fn(90, 4, |i, j| -x[(i, j)]);
    let took = learner.train(&dataset(&negative, f.target.as_ref()), &Session::new(5));
    expect(took.is_err(), || "negative values were taken though declared refused".to_owned())
}

fn counts(learner: &dyn Learner) -> CheckResult {
    let can = learner.capabilities();
    expect(!can.counts || can.nonnegative, || "counts are wanted, but negative values are taken".to_owned())
}

fn cross_fits(learner: &dyn Learner) -> CheckResult {
    let (f, can) = (fixture(learner, 90), learner.capabilities());
    let Some(x) = f.x.as_ref().filter(|_| can.transform && learner.task() == Task::Transformation) else {
        return Ok(());
    };
    let data = match can.categorical {
        true => targeted(with_column(x, levels(90)), f.target.as_ref()),
        false => f.data.clone(),
    };
    let (model, rows) = text(learner.train_transform(&data, &Session::new(5)))?;
    let again = text(model.transform(&data.input(), &Session::default()))?;
    let same = format!("{:?}", rows.data()) == format!("{:?}", again.data());
    expect(same != can.cross_fits, || format!("declared {}, but the same: {same}", can.cross_fits))
}

fn random(learner: &dyn Learner) -> CheckResult {
    if learner.capabilities().random {
        return Ok(());
    }
    let f = fixture(learner, 90);
    let trained = |seed| text(learner.train(&f.data, &Session::new(seed)));
    let (a, b) = (outputs(trained(5)?.as_ref(), &f.data)?, outputs(trained(6)?.as_ref(), &f.data)?);
    expect(all_alike(&a, &b, 0.0), || "another seed, another answer".to_owned())
}

fn fills_and_encodes(learner: &dyn Learner) -> CheckResult {
    let (f, can) = (fixture(learner, 90), learner.capabilities());
    let Some(x) = &f.x else { return Ok(()) };
    if can.fills && can.missing && can.transform {
        let holes = Mat::from_fn(90, 4, |i, j| if (i + j) % 7 == 0 { f64::NAN } else { x[(i, j)] });
        let data = dataset(&holes, f.target.as_ref());
        let model = text(learner.train(&data, &Session::new(5)))?;
        let full = outputs(model.as_ref(), &data)?.iter().all(|v| !v.is_nan());
        expect(full, || "`fills` is declared, but values are missing".to_owned())?;
    }
    if can.encodes && can.categorical && can.transform {
        let data = targeted(with_column(x, levels(90)), f.target.as_ref());
        let model = text(learner.train(&data, &Session::new(5)))?;
        let rows = text(model.transform(&data.input(), &Session::default()))?;
        let numbers = rows.numbers("the suite").map(|_| ());
        expect(numbers.is_ok(), || format!("`encodes` is declared, but {numbers:?}"))?;
    }
    Ok(())
}

/// Whoever looks at the target alone says the same whatever the features are.
fn blind(learner: &dyn Learner) -> CheckResult {
    let f = fixture(learner, 90);
    let Some(x) = f.x.as_ref().filter(|_| learner.capabilities().blind) else { return Ok(()) };
    let other = dataset(&Mat::from_fn(90, 4, |i, j| x[(89 - i, j)]), f.target.as_ref());
    let train = |data: &Dataset<'_>| text(learner.train(data, &Session::new(5)));
    let (a, b) = (says(train(&f.data)?.as_ref(), &f.data)?, says(train(&other)?.as_ref(), &other)?);
    expect(all_alike(&a, &b, 0.0), || "declared, but other features gave other answers".to_owned())
}

/// Of twenty columns of noise an L1 penalty leaves some out.
fn zeroes(learner: &dyn Learner) -> CheckResult {
    if !learner.capabilities().zeroes || learner.declaration().task == Task::Composite {
        return Ok(());
    }
    let mut rng = rng_for(11, 3);
    let x = Mat::from_fn(60, 20, |_, _| normal(&mut rng));
    let target = match task_of(learner) {
        Task::Classification => Target::classes(&(0..60).map(|i| i % 2).collect::<Vec<i64>>()),
        _ => Target::real((0..60).map(|_| normal(&mut rng)).collect::<Vec<_>>()),
    };
    let model = text(learner.train(&dataset(&x, Some(&target)), &Session::new(5)))?;
    let attributes = model.attributes();
    let coefficients = attributes.iter().find(|a| a.name == "coef_").map(|a| &a.values);
    let zero = matches!(coefficients, Some(AttributeValues::Real(v)) if v.contains(&0.0));
    expect(zero, || "declared, but no coefficient is zero".to_owned())
}

/// Three batches one after the other: the same bits again, and the same bits where the model is saved and loaded between.
/// The first batch has not all classes, and a class that is not known is refused.
fn resumes(learner: &dyn Learner) -> CheckResult {
    let (f, session) = (fixture(learner, 90), Session::new(5));
    if f.data.n_rows() == 0 {
        return Ok(());
    }
    // Whoever stops by held out rows, or balances classes, needs all rows at once.
    let alone = learner.with("early_stopping", &false.into()).unwrap_or_else(|_| learner.clone_box());
    let alone = match alone.get("class_weight") {
        Ok(value) if value.to_string() == "balanced" => {
            text(alone.with("class_weight", &mercer_core::Value::Null))?
        }
        _ => alone,
    };
    let batch = |b: usize| {
        text(f.data.subset(&(0..90).filter(|i| i / 30 == b && (b > 0 || i % 3 > 0)).collect::<Vec<_>>()))
    };
    let begun = alone.train_more(None, &batch(0)?, &session);
    if !learner.capabilities().resumes {
        return expect(begun.is_err(), || "goes on learning though not declared".to_owned());
    }
    let run = |saved: bool| -> Result<Vec<u8>, String> {
        let mut model = text(alone.train_more(None, &batch(0)?, &session))?;
        for b in 1..3 {
            if saved {
                let bytes = text(mercer_files::to_bytes(model.as_ref(), None))?;
                model = text(mercer_files::from_bytes(&bytes))?.model;
            }
            model = text(alone.train_more(Some(model.as_ref()), &batch(b)?, &session))?;
        }
        text(model.verify(&batch(2)?, &session))?
            .iter()
            .try_for_each(|v| expect(v.holds, || format!("{v:?}")))?;
        Ok(text(model.encode())?.bytes)
    };
    let first = run(false)?;
    expect(first == run(false)?, || "the same batches gave another model".to_owned())?;
    expect(first == run(true)?, || "a saved model goes on in another way".to_owned())?;
    let (Some(x), Task::Classification) = (&f.x, learner.task()) else { return Ok(()) };
    let strange = dataset(x, Some(&Target::classes(&(0..90).map(|i| 700 + i % 2).collect::<Vec<i64>>())));
    let refused = alone.train_more(Some(text(begun)?.as_ref()), &strange, &session).err();
    expect(refused.is_some_and(|e| e.to_string().contains("700")), || "an unknown class was taken".to_owned())
}
