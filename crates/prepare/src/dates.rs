//! Features of dates and times: the parts of a calendar that a learner can use as numbers.
//!
//! # Objective
//! A time becomes its year, month, day, weekday, day of the year, hour and minute, the days since the earliest of
//! training, and whether it is a weekend; with `cyclic`, a part $p$ of period $P$ also becomes
//! $(\sin\frac{2\pi p}{P}, \cos\frac{2\pi p}{P})$, so that December lies beside January.
//!
//! # Algorithm
//! Time columns, and columns of text or categories named in `columns` (which are read as ISO 8601), are taken apart in
//! UTC. With `features = auto` the parts that do not vary in training are left out. Other columns pass through.
//!
//! # Complexity
//! Time and memory O(rows × features).
//!
//! # Example
//! ```
//! use mercer_core::{Column, Dataset, Fit, Table};
//! use mercer_prepare::DateFeatures;
//! let days = Column::categories(&[Some("2024-02-28"), Some("2024-03-02")]);
//! let table = Table::new(vec![("day".into(), days)])?;
//! let dates = DateFeatures::default().columns(Some(vec!["day".into()])).fit(&Dataset::new(&table))?;
//! let rows = dates.transform(&table)?.table()?.gather(&[1]);
//! assert_eq!(rows.column("day_month")?.text(0).as_deref(), Some("3"));
//! assert_eq!(rows.column("day_elapsed_days")?.text(0).as_deref(), Some("3"));
//! assert!(rows.column("day_year").is_err(), "all of training is in one year");
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! A missing time gives NaN in every feature. Where no part varies, the elapsed days stay.
//!
//! # References
//! - E. M. Reingold, N. Dershowitz. Calendrical Calculations. Cambridge, 2018. doi:10.1017/9781107415058

use mercer_core::{
    Abilities, Certificate, Choice, Column, ColumnKind, Dataset, Error, ErrorKind, Fitted, Input, Learn,
    MISSING_TIME, Moment, ParamKind, ParamType, Params, Result, RowData, Rows, Schema, Session, Table,
    Termination, Transformer, Value,
};
use mercer_math::Weights;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A part of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum DatePart {
    /// The year.
    Year,
    /// The month, 1 to 12.
    Month,
    /// The day of the month, from 1.
    Day,
    /// The day of the week: 0 is Monday, 6 is Sunday.
    Weekday,
    /// The day of the year, from 1.
    Dayofyear,
    /// The hour, 0 to 23.
    Hour,
    /// The minute.
    Minute,
    /// The days since the earliest time of training, with fractions.
    ElapsedDays,
    /// 1 on Saturday and Sunday, else 0.
    IsWeekend,
}

/// Every part, in the order of the columns.
const PARTS: [DatePart; 9] = [
    DatePart::Year,
    DatePart::Month,
    DatePart::Day,
    DatePart::Weekday,
    DatePart::Dayofyear,
    DatePart::Hour,
    DatePart::Minute,
    DatePart::ElapsedDays,
    DatePart::IsWeekend,
];

/// Which parts become features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DateParts {
    /// Those that vary in training.
    Auto,
    /// These.
    List(Vec<DatePart>),
}

impl ParamType for DateParts {
    fn kind() -> ParamKind {
        Vec::<DatePart>::kind()
    }
    fn to_value(&self) -> Value {
        match self {
            DateParts::Auto => "auto".into(),
            DateParts::List(parts) => parts.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(word) if word == "auto" => Ok(DateParts::Auto),
            value => {
                Vec::from_value(value).map(DateParts::List).map_err(|e| format!("auto, or a list, each {e}"))
            }
        }
    }
}

/// Features of dates and times: year, month, weekday, hour, elapsed days and the like.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "dates date-features",
    canon = "D5",
    task = Transformation,
    python = "preprocessing",
    can = "transform weights missing categorical text times",
    references = "Reingold, Dershowitz. Calendrical Calculations. Cambridge, 2018."
)]
pub struct DateFeatures {
    /// Which parts become features: auto takes those that vary in training.
    #[param(default = DateParts::Auto)]
    pub features: DateParts,
    /// Whether parts that come round again get a sine and a cosine, too.
    #[param(default = false, search = "among true|false")]
    pub cyclic: bool,
    /// Columns of text or categories that hold times, beside the time columns.
    #[param(default = None)]
    pub columns: Option<Vec<String>>,
}

/// The features made of one time column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ColumnFeatures {
    earliest: i64,
    parts: Vec<DatePart>,
}

/// Fitted choice of parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DateFeaturesModel {
    /// One for each column; none passes through.
    features: Vec<Option<ColumnFeatures>>,
    cyclic: bool,
    certificate: Certificate,
}

impl DatePart {
    fn of(self, time: i64, earliest: i64) -> f64 {
        if time == MISSING_TIME {
            return f64::NAN;
        }
        let moment = Moment::of(time);
        match self {
            DatePart::Year => moment.year as f64,
            DatePart::Month => f64::from(moment.month),
            DatePart::Day => f64::from(moment.day),
            DatePart::Weekday => f64::from(moment.weekday),
            DatePart::Dayofyear => f64::from(moment.yearday),
            DatePart::Hour => f64::from(moment.hour),
            DatePart::Minute => f64::from(moment.minute),
            DatePart::ElapsedDays => (i128::from(time) - i128::from(earliest)) as f64 / 86_400e6,
            DatePart::IsWeekend => f64::from(u8::from(moment.weekday >= 5)),
        }
    }

    /// The first value and the period of a part that comes round again.
    fn cycle(self) -> Option<(f64, f64)> {
        match self {
            DatePart::Month => Some((1.0, 12.0)),
            DatePart::Day => Some((1.0, 31.0)),
            DatePart::Weekday => Some((0.0, 7.0)),
            DatePart::Dayofyear => Some((1.0, 366.0)),
            DatePart::Hour => Some((0.0, 24.0)),
            DatePart::Minute => Some((0.0, 60.0)),
            DatePart::Year | DatePart::ElapsedDays | DatePart::IsWeekend => None,
        }
    }

    /// The names of its features, after that of the column.
    fn names(self, cyclic: bool) -> Vec<String> {
        let word = match self.to_value() {
            Value::Text(word) => word,
            other => other.to_string(),
        };
        match self.cycle().filter(|_| cyclic) {
            Some(_) => vec![word.clone(), format!("{word}_sin"), format!("{word}_cos")],
            None => vec![word],
        }
    }

    /// Its features for each time.
    fn columns(self, times: &[i64], earliest: i64, cyclic: bool) -> Vec<Vec<f64>> {
        let values: Vec<f64> = times.iter().map(|&t| self.of(t, earliest)).collect();
        match self.cycle().filter(|_| cyclic) {
            Some((first, period)) => {
                let angle =
                    |f: fn(f64) -> f64| values.iter().map(|v| f(TAU * (v - first) / period)).collect();
                let (sin, cos) = (angle(f64::sin), angle(f64::cos));
                vec![values, sin, cos]
            }
            None => vec![values],
        }
    }
}

impl DateFeatures {
    fn features_of(&self, times: &[i64], seen: &dyn Fn(usize) -> bool) -> ColumnFeatures {
        let known: Vec<i64> =
            (0..times.len()).filter(|&i| seen(i) && times[i] != MISSING_TIME).map(|i| times[i]).collect();
        let earliest = known.iter().copied().min().unwrap_or(0);
        let parts = match &self.features {
            DateParts::List(parts) => parts.clone(),
            DateParts::Auto => {
                let varies = |part: &DatePart| {
                    let first = known.first().map(|&t| part.of(t, earliest));
                    known.iter().any(|&t| Some(part.of(t, earliest)) != first)
                };
                let varying: Vec<DatePart> = PARTS.into_iter().filter(varies).collect();
                if varying.is_empty() { vec![DatePart::ElapsedDays] } else { varying }
            }
        };
        ColumnFeatures { earliest, parts }
    }
}

impl Learn for DateFeatures {
    type Model = DateFeaturesModel;
    // A date that training did not see as a category is still a date.
    const MEETS_UNSEEN: bool = true;

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let DateParts::List(parts) = &self.features else { return Ok(()) };
        match (0..parts.len()).find(|&i| parts[..i].contains(&parts[i])) {
            _ if parts.is_empty() => Err(Error::param(Self::NAME, "features", "one part at least", "[]")),
            Some(i) => Err(Error::param(Self::NAME, "features", "different parts", parts[i].to_value())),
            None => Ok(()),
        }
    }

    fn learn(&self, data: &Dataset<'_>, _: &Session) -> Result<DateFeaturesModel> {
        let rows = data.rows(Self::NAME)?;
        let table = rows.table()?;
        let weights = data.weights();
        let seen = |i: usize| Weights::of(&weights).counts(i);
        let named = self.columns.as_deref().unwrap_or_default();
        for name in named {
            let column = &table.columns()[table.position(name)?];
            if matches!(column.kind(), ColumnKind::Numeric | ColumnKind::Boolean)
                && column.n_missing() < column.len()
            {
                let takes = format!("the column `{name}` as time, text or categories");
                let (learner, got) = (Self::NAME.to_owned(), column.kind().to_string());
                return Err(ErrorKind::Kind { learner, takes, got }.into());
            }
        }
        let mut features = Vec::with_capacity(table.n_columns());
        for (name, column) in table.iter() {
            let is_time = column.kind() == ColumnKind::Time || named.iter().any(|n| n == name);
            features.push(match is_time {
                true => Some(self.features_of(&times(name, column)?, &seen)),
                false => None,
            });
        }
        let why = "parts of a calendar, with nothing left to prove";
        let certificate = Certificate::without_evidence(Termination::Exact, why);
        let model = DateFeaturesModel { features, cyclic: self.cyclic, certificate };
        // Names that collide are refused now, not when rows are transformed.
        let names = model.names(table.names().iter());
        Table::new(names.into_iter().map(|n| (n, Column::numbers(Vec::new()))).collect())?;
        Ok(model)
    }
}

/// A column as times; the error names column and row.
fn times<'c>(name: &str, column: &'c Column<'_>) -> Result<Cow<'c, [i64]>> {
    column.to_times().map_err(|row| {
        ErrorKind::BadValue {
            learner: DateFeatures::NAME.to_owned(),
            value: format!("`{}`, which is no date or time", column.text(row).unwrap_or_default()),
            column: name.to_owned(),
            row,
            hint: "; write 2024-02-29 or 2024-02-29T12:30:00".to_owned(),
        }
        .into()
    })
}

impl DateFeaturesModel {
    fn names<'n>(&self, names: impl Iterator<Item = &'n String>) -> Vec<String> {
        let one = |(name, made): (&String, &Option<ColumnFeatures>)| match made {
            None => vec![name.clone()],
            Some(made) => {
                let parts = made.parts.iter().flat_map(|p| p.names(self.cyclic));
                parts.map(|part| format!("{name}_{part}")).collect()
            }
        };
        names.zip(&self.features).flat_map(one).collect()
    }
}

impl Transformer for DateFeaturesModel {
    fn transformed(&self, input: &Input<'_>, _: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(DateFeatures::NAME)?;
        if let RowData::Dense(m) = rows.data() {
            return Ok(m.view().to_mat().into());
        }
        let table = rows.table()?;
        let mut columns: Vec<Arc<Column<'static>>> = Vec::new();
        for ((name, column), made) in table.iter().zip(&self.features) {
            match made {
                None => columns.push(Arc::new(column.as_ref().clone().into_owned())),
                Some(made) => {
                    let times = times(name, column)?;
                    let parts = made.parts.iter().flat_map(|p| p.columns(&times, made.earliest, self.cyclic));
                    columns.extend(parts.map(|values| Arc::new(Column::numbers(values))));
                }
            }
        }
        let names = self.names(table.names().iter());
        Ok(Table::from_shared(names.into_iter().zip(columns).collect())?.into())
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        let names: Vec<String> = schema.features.iter().map(|f| f.name.clone()).collect();
        self.names(names.iter())
    }
}

impl Fitted for DateFeaturesModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), ..Abilities::default() }
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = |(made, kind): (&Option<ColumnFeatures>, ColumnKind)| match made {
            Some(made) => !made.parts.is_empty(),
            None => kind != ColumnKind::Time,
        };
        let kinds = schema.features.iter().map(|f| f.kind);
        let ok = self.features.len() == schema.n_features() && self.features.iter().zip(kinds).all(fits);
        if ok { Ok(()) } else { Err("parts do not fit the schema".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::{Fit, parse_time};

    fn table(days: &[Option<&str>]) -> Table<'static> {
        let time = |d: &Option<&str>| d.map_or(MISSING_TIME, |d| parse_time(d).unwrap());
        Table::new(vec![
            ("t".into(), Column::Time(days.iter().map(time).collect())),
            ("n".into(), Column::numbers(vec![1.0; days.len()])),
        ])
        .unwrap()
    }

    fn row(rows: &Rows<'_>, i: usize) -> Vec<f64> {
        let table = rows.table().unwrap();
        table.columns().iter().map(|c| c.to_numbers().unwrap()[i]).collect()
    }

    #[test]
    fn parts_are_those_of_the_calendar() {
        let train =
            table(&[Some("2024-02-29 12:30:00"), None, Some("2023-12-31"), Some("2024-03-01T06:00:00")]);
        let all = DateFeatures::default().features(DateParts::List(PARTS.to_vec()));
        let rows = all.fit(&Dataset::new(&train)).unwrap().transform(&train).unwrap();
        assert_eq!(row(&rows, 0), [2024.0, 2.0, 29.0, 3.0, 60.0, 12.0, 30.0, 60.0 + 12.5 / 24.0, 0.0, 1.0]);
        assert_eq!(row(&rows, 2), [2023.0, 12.0, 31.0, 6.0, 365.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        assert!(row(&rows, 1)[..9].iter().all(|v| v.is_nan()));
    }

    #[test]
    fn auto_leaves_out_what_does_not_vary() {
        let train = table(&[Some("2024-01-01"), Some("2024-01-02"), Some("2024-02-03")]);
        let model = DateFeatures::default().cyclic(true).fit(&Dataset::new(&train)).unwrap();
        let names = model.transform(&train).unwrap().names().unwrap().to_vec();
        assert!(names.contains(&"t_month_sin".to_owned()) && names.contains(&"n".to_owned()), "{names:?}");
        assert!(!names.iter().any(|n| n.contains("hour") || n == "t_year"), "{names:?}");
        let single = table(&[Some("2024-01-01")]);
        let model = DateFeatures::default().fit(&Dataset::new(&single)).unwrap();
        assert_eq!(model.transform(&train).unwrap().names().unwrap().to_vec(), ["t_elapsed_days", "n"]);
    }

    #[test]
    fn named_columns_are_read_and_errors_name_the_row() {
        let column = |v: &[Option<&str>]| Table::new(vec![("d".into(), Column::categories(v))]).unwrap();
        let train = column(&[Some("2024-01-01"), None, Some("2024-01-05")]);
        let dates = DateFeatures::default().columns(Some(vec!["d".to_owned()]));
        let model = dates.fit(&Dataset::new(&train)).unwrap();
        let new = model.transform(column(&[Some("2024-01-09")])).unwrap();
        assert_eq!(new.table().unwrap().column("d_elapsed_days").unwrap().text(0).as_deref(), Some("8"));
        let error = model.transform(column(&[Some("2024-01-09"), Some("soon")])).unwrap_err().to_string();
        assert!(error.contains("`soon`") && error.contains("row 1") && error.contains("`d`"), "{error}");
        assert!(dates.clone().columns(Some(vec!["e".to_owned()])).fit(&Dataset::new(&train)).is_err());
        let plain = DateFeatures::default().fit(&Dataset::new(&train)).unwrap();
        assert_eq!(plain.transform(&train).unwrap().table().unwrap(), train, "others pass through");
    }
}
