//! The two schemes in which note 004 chooses a hyper-parameter λ and assesses the model all the same: triple and
//! nested cross validation, as sets of rows, and the average of the λ's that the rounds choose.

use crate::splits::{Split, check_k, from_folds, suited_folds, train_test};
use mercer_core::{Error, Result, Search, Value};
use mercer_math::seed_for;

/// One round of triple cross validation.
///
/// For every λ train on `train` (L) and measure on `validation` (T′); with the best λ train on [`refit`](Self::refit)
/// (L ∪ T′) and measure on `test` (T): that is the estimate. The model returned is trained on all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripleRound {
    /// L: rows to learn from.
    pub train: Vec<usize>,
    /// T′: rows to choose λ by.
    pub validation: Vec<usize>,
    /// T: rows to assess on.
    pub test: Vec<usize>,
}

impl TripleRound {
    /// L ∪ T′, the rows to learn from once λ is chosen, in rising order.
    pub fn refit(&self) -> Vec<usize> {
        union(&self.train, &self.validation)
    }
}

fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut rows: Vec<usize> = a.iter().chain(b).copied().collect();
    rows.sort_unstable();
    rows
}

/// Note 004's triple split: `test_fraction` of the rows to assess on, `validation_fraction` to choose λ by, the rest to
/// learn from; by class where `stratify` is given.
pub fn triple_split(
    n: usize,
    validation_fraction: f64,
    test_fraction: f64,
    seed: u64,
    stratify: Option<&[u32]>,
) -> Result<TripleRound> {
    for (name, share) in [("validation_fraction", validation_fraction), ("test_fraction", test_fraction)] {
        if !(share > 0.0 && share < 1.0) {
            return Err(Error::param("triple_split", name, "in (0, 1)", share));
        }
    }
    if validation_fraction + test_fraction >= 1.0 {
        let sum = validation_fraction + test_fraction;
        return Err(Error::param("triple_split", "validation_fraction + test_fraction", "below 1", sum));
    }
    if n < 3 {
        return Err(Error::too_few("triple_split", "rows", 3, n));
    }
    let outer = train_test(n, test_fraction.min(1.0 - 2.0 / n as f64), seed_for(seed, 0), stratify)?;
    let strata: Option<Vec<u32>> = stratify.map(|codes| outer.train.iter().map(|&i| codes[i]).collect());
    let share = validation_fraction * n as f64 / outer.train.len() as f64;
    let share = share.min(1.0 - 0.5 / outer.train.len() as f64);
    let inner = train_test(outer.train.len(), share, seed_for(seed, 1), strata.as_deref())?;
    let rows = |places: &[usize]| places.iter().map(|&i| outer.train[i]).collect();
    Ok(TripleRound { train: rows(&inner.train), validation: rows(&inner.test), test: outer.test })
}

/// Triple cross validation in turns: the rows in `k` folds, at least 3; round `i` assesses on fold `i`, chooses λ by
/// fold `i + 1` (after the last the first) and learns from the rest. Each round is one triple split of note 004.
///
/// Folds are shuffled by a seed, and stratified where `classes` are given.
pub fn triple(n: usize, k: usize, seed: Option<u64>, classes: Option<&[u32]>) -> Result<Vec<TripleRound>> {
    if k < 3 {
        return Err(Error::param("triple", "k", "at least 3", k));
    }
    let folds = folds(n, k, seed, classes)?;
    let round = |i: usize| {
        let (test, validation) = (&folds[i].test, &folds[(i + 1) % k].test);
        let train = folds[i].train.iter().copied().filter(|row| validation.binary_search(row).is_err());
        TripleRound { train: train.collect(), validation: validation.clone(), test: test.clone() }
    };
    Ok((0..k).map(round).collect())
}

/// One outer round of nested cross validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedRound {
    /// S \ S_i to learn from with the λ_i chosen, and S_i to assess on.
    pub outer: Split,
    /// For every λ: learn from `train`, measure on `test`, average; λ_i is the best on average. All rows lie in
    /// `outer.train`.
    pub inner: Vec<Split>,
}

/// Nested cross validation with `outer` folds S_1 … S_k.
///
/// Without `inner` as note 004 draws it: the inner folds of round `i` are the other outer folds, so the inner splits
/// are (S \ S_i \ S_j, S_j) for all j ≠ i, and `outer` is at least 3. With it, S \ S_i is cut anew into `inner` folds.
/// Folds are shuffled by a seed, and stratified where `classes` are given. The estimate is the mean over the outer
/// rounds; λ* is [`average_values`] of the λ_i; the model returned is trained with it on all rows.
pub fn nested(
    n: usize,
    outer: usize,
    inner: Option<usize>,
    seed: Option<u64>,
    classes: Option<&[u32]>,
) -> Result<Vec<NestedRound>> {
    if inner.is_none() && outer < 3 {
        return Err(Error::param("nested", "outer", "at least 3, or `inner` given", outer));
    }
    let rounds = folds(n, outer, seed.map(|s| seed_for(s, 0)), classes)?;
    let inner_of = |i: usize| -> Result<Vec<Split>> {
        let rows = &rounds[i].train;
        let Some(k) = inner else {
            let without = |j: usize| {
                let train = rows.iter().copied().filter(|row| rounds[j].test.binary_search(row).is_err());
                Split { train: train.collect(), test: rounds[j].test.clone() }
            };
            return Ok((0..outer).filter(|&j| j != i).map(without).collect());
        };
        let strata: Option<Vec<u32>> = classes.map(|codes| rows.iter().map(|&r| codes[r]).collect());
        let splits = folds(rows.len(), k, seed.map(|s| seed_for(s, i as u64 + 1)), strata.as_deref())?;
        let back = |places: &[usize]| places.iter().map(|&place| rows[place]).collect();
        Ok(splits.iter().map(|s| Split { train: back(&s.train), test: back(&s.test) }).collect())
    };
    (0..outer).map(|i| Ok(NestedRound { outer: rounds[i].clone(), inner: inner_of(i)? })).collect()
}

fn folds(n: usize, k: usize, seed: Option<u64>, classes: Option<&[u32]>) -> Result<Vec<Split>> {
    classes.map_or(Ok(()), |codes| crate::check::same_length("classes", n, codes.len()))?;
    suited_folds(n, k, classes, None, seed)
}

/// The nested scheme over folds that are given (groups, time …), as note 004 draws it.
pub fn nested_over(fold_of: &[usize], k: usize) -> Result<Vec<NestedRound>> {
    check_k("nested_over", k, "rows", fold_of.len())?;
    if let Some(row) = fold_of.iter().position(|&f| f >= k) {
        return Err(Error::numeric("nested_over", format!("row {row} is in fold {}, of {k}", fold_of[row])));
    }
    let rounds = from_folds(fold_of, k);
    let inner = |i: usize, j: usize| {
        let train = rounds[i].train.iter().copied().filter(|&row| fold_of[row] != j);
        Split { train: train.collect(), test: rounds[j].test.clone() }
    };
    let round = |i: usize| NestedRound {
        outer: rounds[i].clone(),
        inner: (0..k).filter(|&j| j != i).map(|j| inner(i, j)).collect(),
    };
    Ok((0..k).map(round).collect())
}

/// The scale on which values of a hyper-parameter are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scale {
    /// The mean.
    #[default]
    Linear,
    /// The geometric mean, for values above 0.
    Log,
    /// The most frequent; of equals the first to appear.
    Category,
}

impl From<&Search> for Scale {
    fn from(search: &Search) -> Self {
        match search {
            Search::Log(..) => Scale::Log,
            Search::Among(_) => Scale::Category,
            _ => Scale::Linear,
        }
    }
}

/// λ* from the λ_i of the outer rounds: the mean, the geometric mean, or the most frequent value.
///
/// Whole numbers stay whole: their mean is rounded, halves away from 0. Values that are not all numbers (words, truth
/// values, `none` among numbers) are taken as categories whatever the scale.
///
/// # Example
/// ```
/// use mercer_core::Value;
/// use mercer_measure::{Scale, average_values};
/// let chosen = [Value::Real(1.0), Value::Real(4.0)];
/// assert_eq!(average_values(&chosen, Scale::Log)?, Value::Real(2.0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn average_values(values: &[Value], scale: Scale) -> Result<Value> {
    let Some(first) = values.first() else { return Err(Error::too_few("average_values", "values", 1, 0)) };
    let number = |value: &Value| match value {
        Value::Int(i) => Some(*i as f64),
        Value::Real(r) => Some(*r),
        _ => None,
    };
    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
    let (Some(numbers), true) = (numbers, scale != Scale::Category) else {
        return Ok(mode(values).unwrap_or(first).clone());
    };
    if numbers.iter().all(|v| *v == numbers[0]) {
        return Ok(first.clone());
    }
    let n = numbers.len() as f64;
    let mean = match scale {
        Scale::Log => {
            crate::check::every("the geometric mean", "value", &numbers, "above 0", |v| v > 0.0)?;
            (numbers.iter().map(|v| v.ln()).sum::<f64>() / n).exp()
        }
        _ => numbers.iter().map(|v| v / n).sum::<f64>(),
    };
    let whole = values.iter().all(|v| matches!(v, Value::Int(_)));
    Ok(if whole { Value::Int(mean.round() as i64) } else { Value::Real(mean) })
}

/// The most frequent value; of equals the first to appear.
fn mode(values: &[Value]) -> Option<&Value> {
    let count = |value: &Value| values.iter().filter(|v| *v == value).count();
    let mut best: Option<(&Value, usize)> = None;
    for value in values {
        let n = count(value);
        if best.is_none_or(|(_, most)| n > most) {
            best = Some((value, n));
        }
    }
    best.map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triple_rounds_are_three_parts_of_the_rows() {
        let codes: Vec<u32> = (0..40).map(|i| i % 2).collect();
        let mut rounds = triple(40, 5, Some(1), Some(&codes)).unwrap();
        rounds.extend(triple(40, 4, None, None).unwrap());
        rounds.push(triple_split(40, 0.2, 0.3, 7, Some(&codes)).unwrap());
        rounds.push(triple_split(3, 0.9, 0.05, 7, None).unwrap());
        for round in &rounds[..10] {
            assert_eq!(union(&round.refit(), &round.test), (0..40).collect::<Vec<_>>());
        }
        assert_eq!((rounds[9].train.len(), rounds[9].validation.len(), rounds[9].test.len()), (20, 8, 12));
        assert_eq!((rounds[10].train.len(), rounds[10].validation.len()), (1, 1));
        assert_eq!(rounds[5].test, (0..10).collect::<Vec<_>>());
        assert_eq!(rounds[5].validation, (10..20).collect::<Vec<_>>());
        assert_eq!(rounds[8].validation, (0..10).collect::<Vec<_>>());
        assert!(triple(9, 2, None, None).is_err() && triple(2, 3, None, None).is_err());
        assert!(
            triple_split(9, 0.5, 0.5, 0, None).is_err() && triple_split(9, f64::NAN, 0.5, 0, None).is_err()
        );
        assert!(triple_split(2, 0.3, 0.3, 0, None).is_err() && triple(9, 3, None, Some(&[1])).is_err());
    }

    #[test]
    fn nested_rounds_are_those_that_the_note_draws() {
        let rounds = nested(9, 3, None, None, None).unwrap();
        assert_eq!(rounds.len(), 3);
        assert_eq!(rounds[1].outer.test, [3, 4, 5]);
        // S \ S_2 \ S_1 and S_1; S \ S_2 \ S_3 and S_3.
        let expected = [
            Split { train: vec![6, 7, 8], test: vec![0, 1, 2] },
            Split { train: vec![0, 1, 2], test: vec![6, 7, 8] },
        ];
        assert_eq!(rounds[1].inner, expected);
        assert_eq!(nested_over(&[0, 0, 0, 1, 1, 1, 2, 2, 2], 3).unwrap(), rounds);
        let codes: Vec<u32> = (0..60).map(|i| u32::from(i % 3 == 0)).collect();
        for round in nested(60, 4, Some(3), Some(5), Some(&codes)).unwrap() {
            assert_eq!(round.inner.len(), 3);
            for split in &round.inner {
                assert_eq!(union(&split.train, &split.test), round.outer.train);
                assert_eq!(split.test.iter().filter(|&&i| codes[i] == 1).count(), 5);
            }
        }
        assert!(nested(9, 2, None, None, None).is_err() && nested(9, 2, Some(9), None, None).is_err());
        assert!(nested_over(&[0, 5], 2).is_err());
    }

    #[test]
    fn chosen_values_are_averaged_on_their_scale() {
        let average = |text: &str, scale| {
            let Value::List(values) = Value::parse(text).unwrap() else { panic!("a list") };
            average_values(&values, scale).map(|v| v.to_string())
        };
        assert_eq!(average("[1, 2, 4]", Scale::Linear).unwrap(), "2");
        assert_eq!(average("[1.0, 2.0]", Scale::Linear).unwrap(), "1.5");
        assert_eq!(average("[1, 100]", Scale::Log).unwrap(), "10");
        assert_eq!(average("[gini, entropy, entropy, gini]", Scale::Linear).unwrap(), "gini");
        assert_eq!(average("[3, none, none]", Scale::Linear).unwrap(), "none");
        assert_eq!(average("[3, 5, 5]", Scale::Category).unwrap(), "5");
        assert_eq!(average("[inf, inf]", Scale::Log).unwrap(), "inf");
        assert!(average("[0.0, 1.0]", Scale::Log).is_err() && average("[]", Scale::Log).is_err());
        assert_eq!(Scale::from(&Search::Log(1.0, 2.0)), Scale::Log);
    }
}
