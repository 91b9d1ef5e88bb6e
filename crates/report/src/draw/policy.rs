//! Value and policy of an agent.

use crate::format::{decimals, fixed};
use crate::view::{Block, Figure, RowView, TableView};
use crate::{GridPolicy, Policy};
use mercer_plot::{HeatMap, Shade};

pub(crate) fn policy(data: &Policy) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(grid) = data.grid.as_ref().filter(|g| g.n_columns > 0 && !g.values.is_empty()) {
        let mut figures = Vec::new();
        if grid.values.iter().any(|v| !v.is_nan()) {
            figures.push(map(grid, "Value map", "Grey cells are walls, or end an episode.", false));
        }
        if !grid.moves.is_empty() {
            figures.push(map(grid, "Policy map", "Arrows show the action taken; a dot is no move.", true));
        }
        blocks.extend(Block::figures(figures));
    }
    if !data.states.is_empty() {
        let digits = decimals(data.states.iter().map(|s| s.value));
        // Who judges a policy has no actions, and who draws by preferences has no values.
        let valued = data.states.iter().any(|s| !s.value.is_nan());
        let acting = data.states.iter().any(|s| !s.action.is_empty());
        let shown = |state: String, value: String, action: String| {
            let cells = [(state, true), (value, valued), (action, acting)];
            cells.into_iter().filter(|(_, there)| *there).map(|(cell, _)| cell).collect::<Vec<String>>()
        };
        let row = |s: &crate::StateRow| {
            RowView::new(shown(s.state.clone(), fixed(s.value, digits), s.action.clone()))
        };
        let columns = shown("state".into(), "#value".into(), "action".into());
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
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
