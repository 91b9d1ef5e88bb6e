//! Per-class scores, confusion and the pairs most confused.

use super::{binary::roc, name_of};
use crate::Multiclass;
use crate::format::{count, fixed, percent};
use crate::view::{Block, Figure, RowView, TableView};
use mercer_plot::{HeatMap, Shade, Size};

pub(crate) fn multiclass(data: &Multiclass) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !data.per_class.is_empty() {
        blocks.push(Block::Table(per_class(data)));
    }
    let mut figures = Vec::new();
    if !data.confusion.is_empty() {
        figures.push(confusion(data));
    }
    if !data.roc.is_empty() {
        figures.push(roc(&data.roc, "ROC, one class against the rest"));
    }
    blocks.extend(Block::figures(figures));
    blocks.extend(confused(data));
    blocks
}

fn per_class(data: &Multiclass) -> TableView {
    let row = |r: &crate::ClassRow| {
        let scores = [r.precision, r.recall, r.f1].map(|v| fixed(v, 3));
        let mut cells = vec![r.class.clone()];
        cells.extend(scores);
        cells.push(count(r.support));
        RowView::new(cells)
    };
    let columns = ["class", "#precision", "#recall", "#F1", "#rows"];
    TableView::new("Scores per class.", &columns, data.per_class.iter().map(row).collect())
}

fn confusion(data: &Multiclass) -> Figure {
    let names: Vec<String> = (0..data.confusion.len()).map(|i| name_of(&data.classes, i, "class")).collect();
    let crowded = names.len() > 9;
    let chart = HeatMap {
        title: "Confusion".into(),
        description: "Rows are actual classes, columns predicted ones; the shade is the share of the row."
            .into(),
        x_label: "predicted".into(),
        y_label: "actual".into(),
        columns: names.clone(),
        rows: names,
        values: data.confusion.iter().map(|r| r.iter().map(|c| *c as f64).collect()).collect(),
        shade: Shade::Row,
        size: Size { width: if crowded { 980.0 } else { 480.0 }, ..Size::default() },
        ..HeatMap::default()
    };
    Figure::new(
        "Confusion",
        "Counts; the shade is the share of the row, so the diagonal shows recall.",
        &chart,
    )
}

/// The ten largest off-diagonal counts.
fn confused(data: &Multiclass) -> Option<Block> {
    let mut pairs: Vec<(u64, usize, usize)> = Vec::new();
    for (i, row) in data.confusion.iter().enumerate() {
        pairs.extend(row.iter().enumerate().filter(|(j, c)| *j != i && **c > 0).map(|(j, c)| (*c, i, j)));
    }
    pairs.sort_by_key(|(c, i, j)| (std::cmp::Reverse(*c), *i, *j));
    pairs.truncate(10);
    let row = |&(c, i, j): &(u64, usize, usize)| {
        let total = data.confusion[i].iter().fold(0_u64, |a, b| a.saturating_add(*b));
        let names = [i, j].map(|k| name_of(&data.classes, k, "class"));
        let [actual, predicted] = names;
        RowView::new(vec![actual, predicted, count(c), percent(c, total)])
    };
    let columns = ["actual", "taken for", "#rows", "#of that class"];
    let table = TableView::new("Most confused pairs.", &columns, pairs.iter().map(row).collect());
    (!pairs.is_empty()).then_some(Block::Table(table))
}
