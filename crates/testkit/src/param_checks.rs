//! Checks of the declaration and of every parameter.

use crate::fixtures::fixture;
use crate::{Check, CheckResult, expect, text};
use mercer_core::{Dataset, Learner, ParamKind, Search, Session, Value};

pub(crate) const CHECKS: &[Check] = &[
    Check { name: "declaration is complete", run: declaration_is_complete },
    Check { name: "parameters read back as they were set", run: round_trip },
    Check { name: "values beyond a range are refused by name", run: ranges },
    Check { name: "range ends do not panic", run: range_ends },
    Check { name: "unknown parameters are refused with a suggestion", run: unknown },
];

fn declaration_is_complete(learner: &dyn Learner) -> CheckResult {
    let d = learner.declaration();
    expect(!d.summary.is_empty() && d.summary.ends_with('.'), || format!("summary `{}`", d.summary))?;
    expect(!d.canon.is_empty(), || "no canon row".to_owned())?;
    expect(!d.python.is_empty(), || "no Python module".to_owned())?;
    for p in &d.params {
        expect(p.doc.ends_with('.'), || format!("doc of `{}`: {}", p.name, p.doc))?;
        if let Some(search) = p.search {
            expect(Search::parse(search).is_some(), || format!("search range of `{}`: {search}", p.name))?;
        }
    }
    let schema = d.json_schema();
    expect(schema["properties"].as_object().is_some_and(|o| o.len() == d.params.len()), || {
        "schema".to_owned()
    })
}

fn round_trip(learner: &dyn Learner) -> CheckResult {
    for p in &learner.declaration().params {
        let value = text(learner.get(p.name))?;
        let copy = text(learner.with(p.name, &value))?;
        expect(copy.to_object() == learner.to_object(), || {
            format!("`{}` changed by setting it to itself", p.name)
        })?;
        let json = Value::from_json(&value.to_json()).ok_or("no value from its own JSON")?;
        let copy = text(learner.with(p.name, &json))?;
        expect(text(copy.get(p.name))? == value, || format!("`{}` changed through JSON", p.name))?;
        let parsed = text(Value::parse(&value.to_string()))?;
        let copy = text(learner.with(p.name, &parsed))?;
        expect(text(copy.get(p.name))? == value, || format!("`{}` changed through text `{value}`", p.name))?;
    }
    Ok(())
}

fn is_whole(kind: &ParamKind) -> bool {
    match kind {
        ParamKind::Integer => true,
        ParamKind::Optional(inner) => **inner == ParamKind::Integer,
        _ => false,
    }
}

/// The numbers just beyond the ends of a range, as the parameter's own type.
fn beyond(kind: &ParamKind, low: f64, high: f64, low_open: bool, high_open: bool) -> Vec<Value> {
    let mut out = Vec::new();
    if low.is_finite() {
        out.push(if low_open { low } else { low - 1.0 });
    }
    if high.is_finite() {
        out.push(if high_open { high } else { high + 1.0 });
    }
    if is_whole(kind) {
        out.into_iter().filter(|v| *v >= 0.0).map(|v| Value::Int(v as i64)).collect()
    } else {
        out.push(f64::NAN);
        out.into_iter().map(Value::Real).collect()
    }
}

fn ranges(learner: &dyn Learner) -> CheckResult {
    let fixture = fixture(learner, 30);
    for p in &learner.declaration().params {
        let Some(range) = &p.range else { continue };
        for bad in beyond(&p.kind, range.low, range.high, range.low_open, range.high_open) {
            let Ok(changed) = learner.with(p.name, &bad) else { continue };
            match changed.train(&fixture.data, &Session::default()) {
                Ok(_) => return Err(format!("`{}` = {bad} was accepted", p.name)),
                Err(e) => expect(e.to_string().contains(&format!("`{}`", p.name)), || format!("{bad}: {e}"))?,
            }
        }
    }
    Ok(())
}

/// At an end this far out a learner has that many of something, and its other counts stand at their least: what is
/// checked is the end, and trees of one split are as many as deep ones.
const MANY: f64 = 1000.0;

fn range_ends(learner: &dyn Learner) -> CheckResult {
    let fixture = fixture(learner, 30);
    for p in &learner.declaration().params {
        let Some(range) = &p.range else { continue };
        let ends = [(range.low, range.low_open), (range.high, range.high_open)];
        for (end, _) in ends.into_iter().filter(|(v, open)| v.is_finite() && !open) {
            let rest =
                if end < MANY { learner.clone_box() } else { least_counts(learner, p.name, &fixture.data) };
            // Once is enough where both spellings mean the same.
            let spelt = [Value::Real(end), Value::Int(end as i64)];
            let mut made: Vec<Box<dyn Learner>> =
                spelt.iter().filter_map(|value| rest.with(p.name, value).ok()).collect();
            made.dedup_by(|a, b| a.to_object() == b.to_object());
            for changed in made {
                if let Err(e) = changed.train(&fixture.data, &Session::default()) {
                    // A whole number may be in range and still too much for thirty rows; the error must say so.
                    expect(!e.to_string().is_empty(), || format!("`{}` = {end}", p.name))?;
                }
            }
        }
    }
    Ok(())
}

/// The learner with each of its counts, but for one parameter, at the least with which it still trains.
fn least_counts(learner: &dyn Learner, but: &str, data: &Dataset<'_>) -> Box<dyn Learner> {
    let mut out = learner.clone_box();
    for p in learner.declaration().params.iter().filter(|p| p.name != but && is_whole(&p.kind)) {
        let Some(range) = p.range.as_ref().filter(|r| r.low.is_finite() && !r.low_open) else { continue };
        let least = out.with(p.name, &Value::Int(range.low as i64)).ok();
        if let Some(least) = least.filter(|l| l.train(data, &Session::default()).is_ok()) {
            out = least;
        }
    }
    out
}

fn unknown(learner: &dyn Learner) -> CheckResult {
    match learner.with("no_such_parameter", &Value::Int(1)) {
        Ok(_) => Err("accepted".to_owned()),
        Err(e) => expect(e.to_string().contains("no_such_parameter"), || e.to_string()),
    }
}
