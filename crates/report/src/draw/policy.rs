//! Value and policy of an agent.

use crate::format::{decimals, fixed};
use crate::view::{Block, Figure, RowView, TableView};
use crate::{GridPolicy, Policy};
use mercer_plot::{HeatMap, Shade};

pub(crate) fn policy(data: &Policy) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(grid) = data.grid.as_ref().filter(|g| g.n_columns > 0 && !g.values.is_empty()) {
        let mut figures = vec![map(grid, "Value map", "Cells without shade are walls.", false)];
        if !grid.moves.is_empty() {
            figures.push(map(grid, "Policy map", "Arrows show the action taken; a dot is no move.", true));
        }
        blocks.extend(Block::figures(figures));
    }
    if !data.states.is_empty() {
        let digits = decimals(data.states.iter().map(|s| s.value));
        let row = |s: &crate::StateRow| {
            RowView::new(vec![s.state.clone(), fixed(s.value, digits), s.action.clone()])
        };
        let columns = ["state", "#value", "action"];
        let rows = data.states.iter().map(row).collect();
        blocks.push(Block::Table(TableView::new("Value and action by state.", &columns, rows)));
    }
    blocks
}

fn map(grid: &GridPolicy, title: &str, caption: &str, arrows: bool) -> Figure {
    let negative = grid.values.iter().any(|v| *v < 0.0);
    let chart = HeatMap {
        title: title.into(),
        description: caption.into(),
        values: grid.values.chunks(grid.n_columns).map(<[f64]>::to_vec).collect(),
        shade: if negative { Shade::Diverging } else { Shade::Whole },
        arrows: if arrows {
            grid.moves.chunks(grid.n_columns).map(<[_]>::to_vec).collect()
        } else {
            Vec::new()
        },
        ..HeatMap::default()
    };
    Figure::new(title, caption, &chart)
}
