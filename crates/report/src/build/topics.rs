//! Topics: their words, how large they are, how well their words go together, and how many rows are mostly of each.

use super::Subject;
use crate::format::four_digits;
use crate::model::{Report, Section, Table};
use mercer_core::{Asked, FoundTopics, NumbersRef, Result};
use mercer_math::{Csr, argmax};
use mercer_measure::{Coherence, coherence};
use mercer_plot::{Bar, BarChart};

/// Words that a topic is told by.
const WORDS: usize = 10;

/// The topics of a model that has any.
pub(super) fn add(subject: &Subject<'_>, report: &mut Report) -> Result<()> {
    let Ok(topics) = subject.model.topics() else { return Ok(()) };
    let tops: Vec<Vec<usize>> = (0..topics.sizes.len()).map(|t| topics.top(t, WORDS)).collect();
    let measured = match subject.asked()? {
        Some(asked) => Some(measured(asked, &tops)?),
        None => None,
    };
    report.facts.push(("topics".to_owned(), topics.sizes.len().to_string()));
    report.sections.push(section(&topics, measured.as_ref()));
    Ok(())
}

/// What rows say of topics.
struct Measured {
    coherence: Vec<f64>,
    /// Rows with the largest share in each topic.
    rows: Vec<usize>,
    perplexity: f64,
}

fn measured(asked: &Asked<'_>, tops: &[Vec<usize>]) -> Result<Measured> {
    let numbers = asked.input().rows("the report")?.numbers("the report")?;
    let (coherence, words) = match numbers.view() {
        NumbersRef::Sparse(x) => (coherence(x, tops, Coherence::Npmi)?, x.values().iter().sum::<f64>()),
        NumbersRef::Dense(x) => {
            let x = Csr::from_dense(x);
            (coherence(x.view(), tops, Coherence::Npmi)?, x.view().values().iter().sum())
        }
    };
    let shares = asked.transform()?.dense("the report")?.view().to_mat();
    let mut rows = vec![0; tops.len()];
    (0..shares.n_rows()).for_each(|i| rows[argmax(shares.row(i))] += 1);
    let bound: f64 = asked.log_bounds()?.iter().sum();
    Ok(Measured { coherence, rows, perplexity: (-bound / words).exp() })
}

fn section(topics: &FoundTopics, measured: Option<&Measured>) -> Section {
    let order = topics.by_size();
    let row = |t: usize| {
        let share = format!("{:.1} %", 100.0 * topics.sizes[t]);
        let mut row = vec![format!("topic {t}"), share];
        if let Some(m) = measured {
            row.extend([m.rows[t].to_string(), four_digits(m.coherence[t])]);
        }
        row.push(topics.top_words(t, WORDS).join(", "));
        row
    };
    let mut columns = vec!["topic", "#share of words"];
    if measured.is_some() {
        columns.extend(["#rows mostly of it", "#coherence"]);
    }
    columns.push("words");
    let bar = |t: &usize| Bar { name: format!("topic {t}"), value: topics.sizes[*t], interval: None };
    let chart = BarChart {
        title: "Sizes of topics".into(),
        description: "The share of all words learnt from.".into(),
        x_label: "share of words".into(),
        bars: order.iter().map(bar).collect(),
        max_bars: 30,
        ..BarChart::default()
    };
    let told = measured.map(|m| {
        format!(
            " These rows have a perplexity of at most {}; coherence is the mean normalised pointwise mutual information of top words over \
             these rows, from −1 to 1.",
            four_digits(m.perplexity)
        )
    });
    Section {
        title: "Topics".into(),
        text: format!(
            "Each row is a mixture of topics, each topic a mixture of words, here with those of the largest shares.{}",
            told.unwrap_or_default()
        ),
        charts: vec![chart.into()],
        tables: vec![Table {
            caption: "Topics, the largest first.".into(),
            columns: columns.into_iter().map(str::to_owned).collect(),
            rows: order.into_iter().map(row).collect(),
        }],
    }
}
