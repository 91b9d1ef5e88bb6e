//! A way to split as a value, read from text.
//!
//! | text | splits |
//! |---|---|
//! | `5` | what suits the data: by group where there are groups, else stratified for classes, else plain; shuffled by the seed |
//! | `kfold(k=5,shuffle=false)` | folds of consecutive rows, or shuffled |
//! | `stratified(k=5,shuffle=false)` | folds with the shares of the classes |
//! | `group(k=5)` | folds of whole groups |
//! | `stratified_group(k=5,shuffle=false)` | both |
//! | `repeated(k=5,times=10)`, `repeated_stratified(k=5,times=10)` | shuffled folds, again and again |
//! | `holdout(test=0.25)`, `stratified_holdout(test=0.25)` | one random split |
//! | `shuffle(n=10,test=0.1)`, `stratified_shuffle(…)`, `group_shuffle(n=10,test=0.2)` | random splits |
//! | `loo`, `lpo(p=2)`, `logo` | leave one row, `p` rows, one group out |
//! | `timeseries(k=5,gap=0,max_train=none,test_size=none)` | test on what follows |
//! | `bootstrap(n=20)` | draw with replacement, test out of bag |
//!
//! scikit-learn's class names (`StratifiedKFold`, …) are read, too.

use crate::spec::Spec;
use crate::split_random::{self as random, TimeSeries};
use crate::{Split, split_groups, splits};
use mercer_core::{Error, Result, Value};
use std::fmt;

/// A way to split; see the [table](crate::splitter).
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // The fields are those of the table: k folds, times or n rounds, test share, p rows.
pub enum Splitter {
    /// What suits the data.
    Auto { k: usize },
    /// Folds of rows.
    KFold { k: usize, shuffle: bool },
    /// Folds with the shares of the classes.
    Stratified { k: usize, shuffle: bool },
    /// Folds of whole groups.
    Group { k: usize },
    /// Folds of whole groups with about the shares of the classes.
    StratifiedGroup { k: usize, shuffle: bool },
    /// Shuffled folds, several times.
    Repeated { k: usize, times: usize, stratified: bool },
    /// One random split.
    HoldOut { test: f64, stratified: bool },
    /// Random splits.
    Shuffle { n: usize, test: f64, stratified: bool },
    /// Random splits of whole groups.
    GroupShuffle { n: usize, test: f64 },
    /// Each set of `p` rows once.
    LeavePOut { p: usize },
    /// Each group once.
    LeaveOneGroupOut,
    /// Rows in the order of time.
    TimeSeries(TimeSeries),
    /// Draws with replacement.
    Bootstrap { n: usize },
}

const NAMES: [&str; 18] = [
    "kfold",
    "stratified",
    "group",
    "stratified_group",
    "repeated",
    "repeated_stratified",
    "holdout",
    "stratified_holdout",
    "shuffle",
    "stratified_shuffle",
    "group_shuffle",
    "loo",
    "lpo",
    "logo",
    "timeseries",
    "bootstrap",
    "leave_one_out",
    "leave_p_out",
];

impl Splitter {
    /// Reads a way to split.
    ///
    /// # Example
    /// ```
    /// use mercer_measure::Splitter;
    /// let splitter = Splitter::parse("timeseries(k=3, gap=1)")?;
    /// let splits = splitter.splits(9, None, None, 0)?;
    /// assert_eq!((&splits[0].train[..], &splits[0].test[..]), (&[0, 1][..], &[3, 4][..]));
    /// assert_eq!(Splitter::parse("5")?, Splitter::Auto { k: 5 });
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        Self::from_value(&Value::parse(text)?)
    }

    /// Reads a way to split from a parameter's value.
    pub fn from_value(value: &Value) -> Result<Self> {
        if let Value::Int(k) = value {
            let k = usize::try_from(*k).ok().filter(|k| *k >= 2);
            return k
                .map(|k| Splitter::Auto { k })
                .ok_or_else(|| Error::param("cv", "k", "at least 2", value));
        }
        Self::read(Spec::of("way to split", value)?)
    }

    fn read(mut spec: Spec) -> Result<Self> {
        let kind = alias(&spec.kind).to_owned();
        let kind = kind.as_str();
        let names: &[&str] = match kind {
            "auto" | "group" => &["k"],
            "kfold" | "stratified" | "stratified_group" => &["k", "shuffle"],
            "repeated" | "repeated_stratified" => &["k", "times"],
            "holdout" | "stratified_holdout" => &["test"],
            "shuffle" | "stratified_shuffle" | "group_shuffle" => &["n", "test"],
            "loo" | "logo" => &[],
            "lpo" => &["p"],
            "timeseries" => &["k", "gap", "max_train", "test_size"],
            "bootstrap" => &["n"],
            other => return Err(Error::unknown("way to split", other, NAMES)),
        };
        spec.name_all(names)?;
        let folds = || Ok::<_, Error>(spec.count("k", 2)?.unwrap_or(5));
        let count = |name, default| Ok::<_, Error>(spec.count(name, 1)?.unwrap_or(default));
        let share = |default| spec.real("test", default, "in (0, 1)", |v| v > 0.0 && v < 1.0);
        let shuffle = || spec.flag("shuffle", false);
        Ok(match kind {
            "auto" => Splitter::Auto { k: folds()? },
            "kfold" => Splitter::KFold { k: folds()?, shuffle: shuffle()? },
            "stratified" => Splitter::Stratified { k: folds()?, shuffle: shuffle()? },
            "group" => Splitter::Group { k: folds()? },
            "stratified_group" => Splitter::StratifiedGroup { k: folds()?, shuffle: shuffle()? },
            "repeated" | "repeated_stratified" => {
                let stratified = kind == "repeated_stratified";
                Splitter::Repeated { k: folds()?, times: count("times", 10)?, stratified }
            }
            "holdout" | "stratified_holdout" => {
                Splitter::HoldOut { test: share(0.25)?, stratified: kind == "stratified_holdout" }
            }
            "shuffle" | "stratified_shuffle" => {
                let stratified = kind == "stratified_shuffle";
                Splitter::Shuffle { n: count("n", 10)?, test: share(0.1)?, stratified }
            }
            "group_shuffle" => Splitter::GroupShuffle { n: count("n", 10)?, test: share(0.2)? },
            "loo" => Splitter::LeavePOut { p: 1 },
            "lpo" => Splitter::LeavePOut { p: count("p", 2)? },
            "logo" => Splitter::LeaveOneGroupOut,
            "timeseries" => Splitter::TimeSeries(TimeSeries {
                k: folds()?,
                gap: spec.count("gap", 0)?.unwrap_or(0),
                max_train: spec.count("max_train", 1)?,
                test_size: spec.count("test_size", 1)?,
            }),
            _ => Splitter::Bootstrap { n: count("n", 20)? },
        })
    }

    /// The splits of `n` rows. Classes and groups are needed by those that look at them; only shuffling and drawing
    /// look at the seed.
    pub fn splits(
        &self,
        n: usize,
        classes: Option<&[u32]>,
        groups: Option<&[u64]>,
        seed: u64,
    ) -> Result<Vec<Split>> {
        for (what, length) in [("classes", classes.map(<[u32]>::len)), ("groups", groups.map(<[u64]>::len))] {
            length.map_or(Ok(()), |length| crate::check::same_length(what, n, length))?;
        }
        let lacks = |what: &str| Error::incapable(&self.to_string(), format!("split without {what}"));
        let by_class = || classes.ok_or_else(|| lacks("classes"));
        let by_group = || groups.ok_or_else(|| lacks("groups"));
        let strata = |stratified: bool| if stratified { by_class().map(Some) } else { Ok(None) };
        let shuffled = |shuffle: bool| shuffle.then_some(seed);
        match *self {
            Splitter::Auto { k } => splits::suited_folds(n, k, classes, groups, Some(seed)),
            Splitter::KFold { k, shuffle } => splits::k_fold(n, k, shuffled(shuffle)),
            Splitter::Stratified { k, shuffle } => {
                splits::stratified_k_fold(by_class()?, k, shuffled(shuffle))
            }
            Splitter::Group { k } => split_groups::group_k_fold(by_group()?, k),
            Splitter::StratifiedGroup { k, shuffle } => {
                split_groups::stratified_group_k_fold(by_class()?, by_group()?, k, shuffled(shuffle))
            }
            Splitter::Repeated { k, times, stratified: false } => random::repeated_k_fold(n, k, times, seed),
            Splitter::Repeated { k, times, .. } => {
                random::repeated_stratified_k_fold(by_class()?, k, times, seed)
            }
            Splitter::HoldOut { test, stratified } => {
                Ok(vec![splits::train_test(n, test, seed, strata(stratified)?)?])
            }
            Splitter::Shuffle { n: times, test, stratified } => {
                random::shuffle_split(n, times, test, seed, strata(stratified)?)
            }
            Splitter::GroupShuffle { n: times, test } => {
                split_groups::group_shuffle_split(by_group()?, times, test, seed)
            }
            Splitter::LeavePOut { p } => random::leave_p_out(n, p),
            Splitter::LeaveOneGroupOut => split_groups::leave_one_group_out(by_group()?),
            Splitter::TimeSeries(by) => random::time_series_split(n, by),
            Splitter::Bootstrap { n: times } => random::bootstrap_splits(n, times, seed),
        }
    }
}

/// scikit-learn's names, and other usual ones, by ours.
fn alias(name: &str) -> &str {
    match name {
        "k_fold" => "kfold",
        "stratified_k_fold" | "stratifiedkfold" | "stratified_kfold" => "stratified",
        "group_k_fold" | "groupkfold" | "group_kfold" => "group",
        "stratified_group_k_fold" | "stratifiedgroupkfold" => "stratified_group",
        "repeated_k_fold" | "repeatedkfold" => "repeated",
        "repeated_stratified_k_fold" | "repeatedstratifiedkfold" => "repeated_stratified",
        "hold_out" | "train_test" => "holdout",
        "shuffle_split" | "shufflesplit" => "shuffle",
        "stratified_shuffle_split" | "stratifiedshufflesplit" => "stratified_shuffle",
        "group_shuffle_split" | "groupshufflesplit" => "group_shuffle",
        "leave_one_out" | "leaveoneout" => "loo",
        "leave_p_out" | "leavepout" => "lpo",
        "leave_one_group_out" | "leaveonegroupout" => "logo",
        "time_series" | "time_series_split" | "timeseriessplit" => "timeseries",
        other => other,
    }
}

impl fmt::Display for Splitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let strata = |stratified: &bool| if *stratified { "stratified_" } else { "" };
        match self {
            Splitter::Auto { k } => write!(f, "{k}"),
            Splitter::KFold { k, shuffle } => write!(f, "kfold(k={k},shuffle={shuffle})"),
            Splitter::Stratified { k, shuffle } => write!(f, "stratified(k={k},shuffle={shuffle})"),
            Splitter::Group { k } => write!(f, "group(k={k})"),
            Splitter::StratifiedGroup { k, shuffle } => {
                write!(f, "stratified_group(k={k},shuffle={shuffle})")
            }
            Splitter::Repeated { k, times, stratified } => {
                write!(f, "repeated{}(k={k},times={times})", if *stratified { "_stratified" } else { "" })
            }
            Splitter::HoldOut { test, stratified } => write!(f, "{}holdout(test={test})", strata(stratified)),
            Splitter::Shuffle { n, test, stratified } => {
                write!(f, "{}shuffle(n={n},test={test})", strata(stratified))
            }
            Splitter::GroupShuffle { n, test } => write!(f, "group_shuffle(n={n},test={test})"),
            Splitter::LeavePOut { p: 1 } => f.write_str("loo"),
            Splitter::LeavePOut { p } => write!(f, "lpo(p={p})"),
            Splitter::LeaveOneGroupOut => f.write_str("logo"),
            Splitter::TimeSeries(TimeSeries { k, gap, max_train, test_size }) => {
                let text = |size: &Option<usize>| size.map_or("none".to_owned(), |size| size.to_string());
                let (most, test) = (text(max_train), text(test_size));
                write!(f, "timeseries(k={k},gap={gap},max_train={most},test_size={test})")
            }
            Splitter::Bootstrap { n } => write!(f, "bootstrap(n={n})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_read_written_and_splits() {
        let classes: Vec<u32> = (0..24).map(|i| i % 2).collect();
        let groups: Vec<u64> = (0..24).map(|i| i / 4).collect();
        for (text, n) in [
            ("5", 5),
            ("kfold(k=4,shuffle=true)", 4),
            ("KFold", 5),
            ("stratified(k=3)", 3),
            ("StratifiedKFold(3)", 3),
            ("group(k=3)", 3),
            ("stratified_group(k=3)", 3),
            ("repeated(k=5,times=3)", 15),
            ("repeated_stratified(k=2,times=3)", 6),
            ("holdout(test=0.2)", 1),
            ("stratified_holdout", 1),
            ("shuffle(n=7,test=0.5)", 7),
            ("stratified-shuffle(n=2)", 2),
            ("group_shuffle(n=3)", 3),
            ("loo", 24),
            ("lpo(p=2)", 276),
            ("logo", 6),
            ("timeseries(k=5,gap=2,max_train=100)", 5),
            ("timeseries(k=2,test_size=3,max_train=none)", 2),
            ("bootstrap(n=20)", 20),
        ] {
            let splitter = Splitter::parse(text).unwrap();
            assert_eq!(Splitter::parse(&splitter.to_string()).unwrap(), splitter, "{text}");
            let splits = splitter.splits(24, Some(&classes), Some(&groups), 1).unwrap();
            assert_eq!(splits.len(), n, "{text}");
            assert!(
                splits.iter().all(|s| s.test.iter().all(|i| s.train.binary_search(i).is_err())),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |text: &str, expect: &str| {
            let error =
                Splitter::parse(text).and_then(|s| s.splits(10, None, None, 0)).unwrap_err().to_string();
            assert!(error.contains(expect), "{text}: {error}");
        };
        wrong("1", "at least 2");
        wrong("kfold(k=1)", "at least 2");
        wrong("kfold(folds=3)", "no parameter `folds`");
        wrong("kfld", "did you mean `kfold`");
        wrong("stratified", "without classes");
        wrong("group", "without groups");
        wrong("holdout(test=2)", "in (0, 1)");
        wrong("kfold(shuffle=3)", "true or false");
        wrong("11", "at least 11 rows, got 10");
        assert!(Splitter::Auto { k: 2 }.splits(3, Some(&[1]), None, 0).is_err());
    }
}
