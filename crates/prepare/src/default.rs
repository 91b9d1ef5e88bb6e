//! The default preparation: what a learner needs before it can take a table as people have it.

use crate::columns::ColumnTransformer;
use crate::dates::DateFeatures;
use crate::encode::{HandleUnknown, OneHotEncoder};
use crate::impute::{ImputeStrategy, SimpleImputer};
use crate::pipeline::Pipeline;
use crate::scale::{MaxAbsScaler, MinMaxScaler, StandardScaler};
use crate::select::SelectColumns;
use crate::text::{CountVectorizer, StopWords, TfidfVectorizer};
use mercer_core::{
    Capabilities, Column, ColumnKind, Columns, DataKind, Learner, NestedLearner, Result, Steps, Table, Task,
};

/// A learner with its preparation in front, and what was decided for the user.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The pipeline, or the bare learner where it needs nothing.
    pub learner: Box<dyn Learner>,
    /// A sentence for each decision.
    pub notes: Vec<String>,
    /// What was left out and why, if anything was; it stands among the notes, too.
    pub left_out: Option<String>,
}

/// A column of texts with at least so many words on average is prose, whose words are counted; any other is taken for
/// names or keys, which say nothing about new rows.
const WORDS_OF_PROSE: f64 = 4.0;
/// The words that are kept of each text column.
const MOST_WORDS: usize = 300;
/// The words that are counted of each text column where counts are wanted.
const MOST_COUNTED: usize = 5000;
/// More levels than this are encoded sparse, where the learner takes sparse rows.
const MANY_LEVELS: usize = 200;

/// Puts in front of `learner` what it needs to take `table`: dates taken apart, prose turned into weighted words, other
/// texts and all-missing columns dropped, missing values imputed, categories encoded, numbers scaled where scale
/// matters.
pub fn prepared(learner: Box<dyn Learner>, table: &Table<'_>) -> Result<Prepared> {
    // A learner whose task is that of its last step has steps of its own.
    if learner.kinds().learns_from != DataKind::Rows || learner.declaration().task == Task::Composite {
        return Ok(Prepared { learner, notes: Vec::new(), left_out: None });
    }
    let can = learner.capabilities();
    let mut chosen = DefaultSteps { can, steps: Vec::new(), notes: Vec::new() };
    let is_text = |c: &Column<'_>| matches!(c, Column::Text(_)) && !can.text;
    let unusable = |c: &Column<'_>| (is_text(c) && !is_prose(c)) || c.n_missing() == c.len();
    let dropped: Vec<String> =
        table.iter().filter(|(_, c)| unusable(c)).map(|(name, _)| name.to_owned()).collect();
    let mut left_out = None;
    if !dropped.is_empty() {
        left_out = Some(told(table, &dropped));
        chosen.notes.extend(left_out.clone());
        chosen.push("select", Box::new(SelectColumns::default().drop(dropped.clone())));
    }
    let kept: Vec<(&str, &Column<'_>)> = table
        .iter()
        .filter(|(name, _)| !dropped.iter().any(|d| d == name))
        .map(|(name, c)| (name, c.as_ref()))
        .collect();
    if !can.times && kept.iter().any(|(_, c)| matches!(c, Column::Time(_))) {
        chosen
            .notes
            .push("dates and times: taken apart into years, months, weekdays and the like".to_owned());
        chosen.push("dates", Box::<DateFeatures>::default());
    }
    let texts: Vec<String> =
        kept.iter().filter(|(_, c)| is_text(c)).map(|(name, _)| (*name).to_owned()).collect();
    let rest: Vec<&Column<'_>> = kept.iter().filter(|(_, c)| !is_text(c)).map(|(_, c)| *c).collect();
    if texts.is_empty() {
        chosen.numbers(&rest);
    } else if can.counts {
        // What is no text would count as words do.
        let others = kept.iter().filter(|(_, c)| !is_text(c)).map(|(name, _)| (*name).to_owned());
        chosen.counted(&texts, &others.collect::<Vec<_>>());
    } else {
        chosen.words(&texts, &rest);
    }
    let DefaultSteps { mut steps, notes, .. } = chosen;
    if steps.is_empty() {
        return Ok(Prepared { learner, notes, left_out });
    }
    steps.push((learner.declaration().alias().to_owned(), NestedLearner(learner)));
    Ok(Prepared { learner: Box::new(Pipeline { steps: Steps(steps) }), notes, left_out })
}

/// The default steps, as they are decided on.
struct DefaultSteps {
    can: Capabilities,
    steps: Vec<(String, NestedLearner)>,
    notes: Vec<String>,
}

impl DefaultSteps {
    fn push(&mut self, name: &str, step: Box<dyn Learner>) {
        self.steps.push((name.to_owned(), NestedLearner(step)));
    }

    /// Steps that make numbers of columns without text.
    fn numbers(&mut self, columns: &[&Column<'_>]) {
        if !self.can.missing {
            // Always there: new rows may lack values even when training rows do not.
            if columns.iter().any(|c| c.n_missing() > 0) {
                let note = "missing values: median of numbers, most frequent level of categories";
                self.notes.push(note.to_owned());
            }
            self.push("impute", Box::new(SimpleImputer::default().strategy(ImputeStrategy::Median)));
        }
        let levels_of =
            |c: &&Column<'_>| if let Column::Categorical { levels, .. } = c { levels.len() } else { 0 };
        let levels: usize = columns.iter().map(levels_of).sum();
        let categorical = columns.iter().any(|c| matches!(c, Column::Categorical { .. }));
        let mut sparse = false;
        if categorical && !self.can.categorical {
            sparse = levels > MANY_LEVELS && self.can.sparse;
            self.notes.push(format!("categories: one-hot, {levels} levels"));
            let encoder =
                OneHotEncoder::default().handle_unknown(HandleUnknown::Ignore).sparse_output(sparse);
            self.push("encode", Box::new(encoder));
        }
        match (self.can.scaled && !self.can.counts, self.can.nonnegative) {
            (true, false) => self.push("scale", Box::new(StandardScaler::default().with_mean(!sparse))),
            (true, true) if sparse => self.push("scale", Box::<MaxAbsScaler>::default()),
            (true, true) => self.push("scale", Box::<MinMaxScaler>::default()),
            (false, _) => {}
        }
    }

    /// Counts of the words of the texts, and of nothing else; words of a single text keep their names.
    fn counted(&mut self, texts: &[String], others: &[String]) {
        let note = format!("counts of the {MOST_COUNTED} most frequent words without English stop words");
        self.notes.push(format!("texts {}: {note}", quoted(texts)));
        if !others.is_empty() {
            self.notes.push(format!("left out {}: counts of words stand alone", quoted(others)));
        }
        let words =
            CountVectorizer::default().max_features(Some(MOST_COUNTED)).stop_words(Some(StopWords::English));
        let part: (&str, Box<dyn Learner>, Columns) =
            ("words", Box::new(words), Columns::Kind(ColumnKind::Text));
        let threshold = if self.can.sparse { 0.3 } else { 0.0 };
        let columns = ColumnTransformer::of(vec![part])
            .sparse_threshold(threshold)
            .verbose_feature_names_out(texts.len() > 1);
        self.push("columns", Box::new(columns));
    }

    /// Words of the texts beside what the other columns become.
    fn words(&mut self, texts: &[String], rest: &[&Column<'_>]) {
        self.notes.push(format!("texts {}: the {MOST_WORDS} most frequent words, by TF-IDF", quoted(texts)));
        let words = TfidfVectorizer::default().max_features(Some(MOST_WORDS)).sublinear_tf(true);
        let mut parts: Vec<(&str, Box<dyn Learner>, Columns)> =
            vec![("words", Box::new(words), Columns::Kind(ColumnKind::Text))];
        if !rest.is_empty() {
            let mut inner = DefaultSteps { can: self.can, steps: Vec::new(), notes: Vec::new() };
            inner.can.categorical = false;
            inner.numbers(rest);
            self.notes.append(&mut inner.notes);
            let learner: Box<dyn Learner> = match inner.steps.is_empty() {
                true => Box::<SelectColumns>::default(),
                false => Box::new(Pipeline { steps: Steps(inner.steps) }),
            };
            parts.push(("rest", learner, Columns::Rest));
        }
        let threshold = if self.can.sparse { 0.3 } else { 0.0 };
        self.push("columns", Box::new(ColumnTransformer::of(parts).sparse_threshold(threshold)));
    }
}

/// Whether a column of texts is prose rather than names or keys.
fn is_prose(column: &Column<'_>) -> bool {
    let Column::Text(texts) = column else { return false };
    let words: Vec<usize> = texts.iter().flatten().map(|t| t.split_whitespace().count()).collect();
    !words.is_empty() && words.iter().sum::<usize>() as f64 / words.len() as f64 >= WORDS_OF_PROSE
}

/// Which columns were left out, and why each was.
fn told(table: &Table<'_>, dropped: &[String]) -> String {
    let empty = |name: &&String| table.column(name).is_ok_and(|c| c.n_missing() == c.len());
    let (empty, keys): (Vec<&String>, Vec<&String>) = dropped.iter().partition(empty);
    let part = |names: Vec<&String>, why: &str| {
        let names: Vec<String> = names.into_iter().cloned().collect();
        (!names.is_empty()).then(|| format!("{} ({why})", quoted(&names)))
    };
    let parts = [part(keys, "texts of few words: names or keys"), part(empty, "nothing but missing values")];
    format!("left out {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}
