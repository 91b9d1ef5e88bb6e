//! What one fold's models say of a row before calibration: a point, or two ends.

use mercer_core::{Dataset, Error, Input, Learner, NestedModel, Object, Result, Schema, Session, Value};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// The models of a fold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Bounds {
    /// A point is both ends.
    Point(NestedModel),
    /// Intervals of the model's own, at this level.
    Own(NestedModel, f64),
    /// Models of the lower quantile, the median and the upper quantile.
    Quantiles(Box<[NestedModel; 3]>),
}

/// Where the learner inside pipelines sits: the path of its parameters.
fn prefix(learner: &dyn Learner) -> String {
    let Ok(Value::List(steps)) = learner.get("steps") else { return String::new() };
    let Some(Value::List(last)) = steps.last() else { return String::new() };
    let [Value::Text(name), inner] = last.as_slice() else { return String::new() };
    let deeper = match inner {
        Value::Object(object) => mercer_core::catalogue::make(object).map(|l| prefix(l.as_ref())),
        _ => Ok(String::new()),
    };
    format!("{name}__{}", deeper.unwrap_or_default())
}

/// The learner that fits the quantile `q`, where it has a loss for that.
pub(crate) fn at_quantile(learner: &dyn Learner, q: f64) -> Option<Box<dyn Learner>> {
    let path = prefix(learner);
    let with =
        |learner: &dyn Learner, name: &str, value: &Value| learner.with(&format!("{path}{name}"), value);
    let word = Value::Text("quantile".to_owned());
    let typed = Object { kind: "quantile".to_owned(), params: [("alpha".to_owned(), Value::Real(q))].into() };
    // As HistGradientBoostingRegressor, Booster and GradientBoostingRegressor spell it.
    [
        ("loss", &word, Some("quantile")),
        ("objective", &word, Some("alpha")),
        ("loss", &Value::Object(typed), None),
    ]
    .into_iter()
    .find_map(|(loss, value, level)| {
        let made = with(learner, loss, value).ok()?;
        let made = match level {
            Some(level) => with(made.as_ref(), level, &Value::Real(q)).ok()?,
            None => made,
        };
        made.check().ok().map(|()| made)
    })
}

impl Bounds {
    /// Trains on some rows; `quantiles` asks for two ends at the level.
    pub(crate) fn train(
        learner: &dyn Learner,
        quantiles: Option<f64>,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Self> {
        let Some(level) = quantiles else {
            return Ok(Bounds::Point(NestedModel(learner.train(data, session)?)));
        };
        if learner.capabilities().intervals {
            return Ok(Bounds::Own(NestedModel(learner.train(data, session)?), level));
        }
        let at = |q: f64| -> Result<NestedModel> {
            let name = learner.declaration().name;
            let own = at_quantile(learner, q).ok_or_else(|| Error::incapable(name, "fit quantiles"))?;
            own.train(data, session).map(NestedModel)
        };
        Ok(Bounds::Quantiles(Box::new([at((1.0 - level) / 2.0)?, at(0.5)?, at((1.0 + level) / 2.0)?])))
    }

    pub(crate) fn models(&self) -> &[NestedModel] {
        match self {
            Bounds::Point(model) | Bounds::Own(model, _) => std::slice::from_ref(model),
            Bounds::Quantiles(models) => models.as_slice(),
        }
    }

    /// The best single number for each row.
    pub(crate) fn point(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        let model = match self {
            Bounds::Point(model) | Bounds::Own(model, _) => model,
            Bounds::Quantiles(models) => &models[1],
        };
        predicted(model, input, session)
    }

    /// Both ends for each row, before calibration.
    pub(crate) fn ends(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let columns = match self {
            Bounds::Own(model, level) => return model.0.intervals(input, *level, session),
            Bounds::Point(model) => {
                let point = predicted(model, input, session)?;
                [point.clone(), point]
            }
            Bounds::Quantiles(models) => {
                [predicted(&models[0], input, session)?, predicted(&models[2], input, session)?]
            }
        };
        Ok(Mat::from_fn(columns[0].len(), 2, |i, k| columns[k][i]))
    }

    pub(crate) fn is_valid(&self, schema: &Schema) -> bool {
        let fits = |m: &NestedModel| m.0.schema().targets == schema.targets;
        let able = match self {
            Bounds::Own(model, level) => model.0.can().intervals && *level > 0.0 && *level < 1.0,
            _ => true,
        };
        able && self.models().iter().all(fits)
    }
}

fn predicted(model: &NestedModel, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
    Ok(model.0.predict(input, session)?.numbers()?.to_vec())
}
