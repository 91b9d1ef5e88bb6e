//! What a drawing of a tree needs: in each inner node the histogram of the feature that is tested, by class; in each
//! leaf that of the target. Plain data, whose JSON is that of the plot crate's tree chart.

use super::{Outline, TreesView};
use crate::sorted_columns::{Values, columns};
use mercer_core::{
    Dataset, Error, Input, Result, Schema, Session, TargetValues, TreeBranch, TreeNode, Unseen,
};
use mercer_math::{Weights, argmax};
use serde::Serialize;

/// Bars of a number's histogram.
const BARS: usize = 14;
/// Bars of a category's histogram; the last counts all further levels.
const LEVELS: usize = 14;

/// A tree with histograms, the root first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Picture {
    /// The names of the classes; none for numbers.
    pub classes: Vec<String>,
    /// The nodes, as in the outline.
    pub nodes: Vec<PictureNode>,
}

/// One node of a [`Picture`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PictureNode {
    /// The feature that is tested, or what a leaf says.
    pub heading: String,
    /// Weight, impurity and prediction in words.
    pub note: String,
    /// Weight of the training rows.
    pub weight: f64,
    /// One list for each bar: the weight of each class, or all of it for numbers.
    pub counts: Vec<Vec<f64>>,
    /// What each bar stands for.
    pub bars: Vec<String>,
    /// Where the bars begin and end, when they are those of a number.
    pub range: Option<(f64, f64)>,
    /// Where the number is cut.
    pub cut: Option<f64>,
    /// The branches; a leaf has none.
    pub branches: Vec<PictureBranch>,
}

/// A branch of a [`PictureNode`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PictureBranch {
    /// What holds of the feature.
    pub label: String,
    /// The node that it leads to.
    pub node: usize,
}

/// The target of the rows: a class each, or a number.
enum Answers {
    Classes(Vec<u32>, Vec<String>),
    Numbers(Vec<f64>),
}

/// The bars of one variable.
struct Bars {
    names: Vec<String>,
    range: Option<(f64, f64)>,
    /// The bar of each row; `None` where the value is missing.
    bar: Vec<Option<usize>>,
}

impl Bars {
    /// Equal bins between the least and the greatest number.
    fn numbers(values: &[f64]) -> Self {
        let known = || values.iter().copied().filter(|v| v.is_finite());
        let (low, high) = known().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let wide = high - low;
        if !(wide.is_finite() && wide > 0.0) {
            let bar = values.iter().map(|v| v.is_finite().then_some(0)).collect();
            let names = known().next().map(|v| v.to_string()).into_iter().collect();
            return Self { names, range: None, bar };
        }
        let bin = |v: f64| (((v - low) / wide * BARS as f64) as usize).min(BARS - 1);
        let edge = |b: usize| short(low + wide * b as f64 / BARS as f64);
        Self {
            names: (0..BARS).map(|b| format!("{} to {}", edge(b), edge(b + 1))).collect(),
            range: Some((low, high)),
            bar: values.iter().map(|v| v.is_finite().then(|| bin(*v))).collect(),
        }
    }

    /// A bar for each level.
    fn levels(codes: &[u32], levels: &[String]) -> Self {
        let mut names: Vec<String> = levels.iter().take(LEVELS).cloned().collect();
        if levels.len() > LEVELS {
            names[LEVELS - 1] = format!("{} others", levels.len() - LEVELS + 1);
        }
        let bar = |&c: &u32| ((c as usize) < levels.len()).then(|| (c as usize).min(LEVELS - 1));
        Self { bar: codes.iter().map(bar).collect(), names, range: None }
    }
}

/// Six digits at most.
fn short(v: f64) -> String {
    let text = format!("{v:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.len() > 9 { format!("{v:.3e}") } else { text.to_owned() }
}

impl Picture {
    /// Tree `t` of a model, which `outline` is of, with the histograms of some rows, normally those of training.
    pub fn of(
        view: &TreesView<'_>,
        (t, outline): (usize, &Outline),
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Self> {
        let input = data.input();
        Self::of_prepared(view, (t, outline), data, view.prepared(&input, session)?)
    }

    /// The same with the rows of the data as the trees see them, which a handle on the model has.
    pub fn of_prepared<'a>(
        view: &TreesView<'_>,
        (t, outline): (usize, &Outline),
        data: &Dataset<'a>,
        prepared: Input<'a>,
    ) -> Result<Self> {
        let data = data.with_input(prepared)?;
        Self::draw(outline, &data, view.schema(), |value| view.path(t, value).unwrap_or_default())
    }

    /// A tree without any rows: its nodes show the class shares that they have kept, where they have.
    pub fn bare(outline: &Outline, schema: &Schema) -> Self {
        let classes: Vec<String> =
            schema.labels().map_or_else(Vec::new, |labels| labels.iter().map(ToString::to_string).collect());
        let node = |node: &TreeNode| {
            let kept = if node.value.len() == classes.len() { node.value.len() } else { 0 };
            let names = classes[..kept].to_vec();
            let mut out = described(node, &Bars { names, range: None, bar: Vec::new() }, &classes);
            let bar = |k: usize| {
                (0..kept).map(|c| if c == k { node.value[c] * node.weight } else { 0.0 }).collect()
            };
            out.counts = (0..kept).map(bar).collect();
            out.cut = None;
            out
        };
        Self { nodes: outline.nodes.iter().map(node).collect(), classes }
    }

    /// An outline with the histograms of some rows; `path` gives the nodes that a row comes by.
    pub(crate) fn draw(
        outline: &Outline,
        data: &Dataset<'_>,
        schema: &Schema,
        path: impl Fn(&dyn Fn(usize) -> f64) -> Vec<usize>,
    ) -> Result<Self> {
        let input = data.input();
        let input = schema.align("a tree", &input, Unseen::Missing)?;
        let rows = input.rows("a tree")?;
        let table = columns("a tree", rows)?;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); outline.nodes.len()];
        for i in 0..rows.n_rows() {
            for at in path(&|j| table[j].number(i)) {
                members[at].push(i as u32);
            }
        }
        let target = data.need_target("a tree")?;
        let column = target.columns().first().ok_or_else(|| Error::too_few("a drawing", "targets", 1, 0))?;
        let answers = match &column.values {
            TargetValues::Codes(codes) => {
                // The classes are those of the model, whatever the dictionary of these rows.
                let known = schema.targets.first().and_then(|t| t.kind.labels()).map_or(&[][..], |l| l);
                let own = column.kind.labels();
                let place = |&c: &u32| {
                    let label = own.and_then(|l| l.get(c as usize));
                    known.iter().position(|l| Some(l) == label).map_or(u32::MAX, |c| c as u32)
                };
                let codes = codes.iter().map(place).collect();
                Answers::Classes(codes, known.iter().map(ToString::to_string).collect())
            }
            TargetValues::Numbers(numbers) => Answers::Numbers(numbers.to_vec()),
        };
        let weights = data.weights();
        let weight = Weights::of(&weights);
        let node = |(node, rows): (&TreeNode, &Vec<u32>)| {
            let bars = bars(node, rows, &table, schema, &answers);
            let classes = if let Answers::Classes(_, labels) = &answers { &labels[..] } else { &[] };
            let mut out = described(node, &bars, classes);
            out.counts = vec![vec![0.0; classes.len().max(1)]; bars.names.len()];
            for (&i, bar) in rows.iter().zip(&bars.bar) {
                let group =
                    if let Answers::Classes(codes, _) = &answers { codes[i as usize] as usize } else { 0 };
                if let Some(count) = bar.and_then(|b| out.counts.get_mut(b)).and_then(|b| b.get_mut(group)) {
                    *count += weight[i as usize];
                }
            }
            out
        };
        let nodes = outline.nodes.iter().zip(&members).map(node).collect();
        let classes = if let Answers::Classes(_, labels) = answers { labels } else { Vec::new() };
        Ok(Self { classes, nodes })
    }
}

/// The bars of the feature that a node tests, or of the target in a leaf.
fn bars(node: &TreeNode, rows: &[u32], table: &[Values<'_>], schema: &Schema, answers: &Answers) -> Bars {
    match (node.feature.and_then(|f| table.get(f).map(|c| (f, c))), answers) {
        (Some((f, Values::Codes(codes))), _) => {
            let own: Vec<u32> = rows.iter().map(|&i| codes[i as usize]).collect();
            Bars::levels(&own, schema.features.get(f).map_or(&[][..], |f| &f.levels))
        }
        (Some((_, column)), _) => {
            Bars::numbers(&rows.iter().map(|&i| column.number(i as usize)).collect::<Vec<_>>())
        }
        (None, Answers::Classes(codes, labels)) => {
            Bars::levels(&rows.iter().map(|&i| codes[i as usize]).collect::<Vec<_>>(), labels)
        }
        (None, Answers::Numbers(y)) => {
            Bars::numbers(&rows.iter().map(|&i| y[i as usize]).collect::<Vec<_>>())
        }
    }
}

/// Heading, note and branches of a node.
fn described(node: &TreeNode, bars: &Bars, classes: &[String]) -> PictureNode {
    let name = node.name.as_deref().unwrap_or("");
    // A leaf says its class, or the mean where it holds a number, a score or a linear model.
    let mean = node.value.first().map_or_else(String::new, |v| short(*v));
    let shares = node.value.get(..classes.len());
    let leaf = shares.and_then(|shares| classes.get(argmax(shares))).unwrap_or(&mean);
    let impure =
        if node.impurity.is_nan() { String::new() } else { format!(", impurity {}", short(node.impurity)) };
    let label = |condition: &str| {
        let rest = condition.strip_prefix(name).unwrap_or(condition).trim();
        let rest = rest.strip_prefix("= ").unwrap_or(rest).replace(" or missing", "");
        match rest.split_once(' ') {
            Some((sign @ ("<=" | ">"), number)) => {
                let number = number.parse().map_or_else(|_| number.to_owned(), short);
                format!("{} {number}", if sign == "<=" { "≤" } else { sign })
            }
            _ => rest,
        }
    };
    let branch = |b: &TreeBranch| PictureBranch { label: label(&b.condition), node: b.node };
    PictureNode {
        heading: if node.branches.is_empty() { leaf.to_owned() } else { name.to_owned() },
        note: format!("{}; weight {}{impure}", node.conclusion, short(node.weight)),
        weight: node.weight,
        bars: bars.names.clone(),
        range: bars.range,
        cut: node.threshold.filter(|t| t.is_finite()),
        branches: node.branches.iter().map(branch).collect(),
        ..PictureNode::default()
    }
}
