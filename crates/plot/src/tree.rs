//! Decision trees: in each node the histogram of what it asks for, in each leaf that of what it says.

use crate::frame::{Frame, Swatch, dropped_note};
use crate::svg::{Svg, px};
use crate::{Axis, Chart, csv::Csv, nonfinite_json, number, theme};
use serde::{Deserialize, Serialize};

/// Width of a node's picture, height of its histogram, and what a level of the tree takes.
const NODE: (f64, f64) = (108.0, 42.0);
/// Width and height of a leaf's picture.
const LEAF: (f64, f64) = (76.0, 30.0);
/// Space between leaves, between levels, and around everything.
const GAP: (f64, f64) = (16.0, 56.0);
const MARGIN: f64 = 16.0;
/// Trees are cut at this depth at most.
const DEEPEST: usize = 12;

/// A decision tree, the root first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TreeChart {
    /// Heading.
    pub title: String,
    /// What the chart shows, for readers who cannot see it.
    pub description: String,
    /// The names of the groups (classes) that bars are coloured by; none for numbers.
    pub classes: Vec<String>,
    /// The nodes; branches lead to nodes that come later.
    pub nodes: Vec<TreeNode>,
    /// Tests below this many levels are only counted.
    pub max_depth: usize,
}

impl Default for TreeChart {
    fn default() -> Self {
        let (title, description, classes, nodes) = Default::default();
        Self { title, description, classes, nodes, max_depth: 6 }
    }
}

/// A node of a [`TreeChart`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TreeNode {
    /// The feature that is tested, or what a leaf says.
    pub heading: String,
    /// More about the node, as its tooltip.
    pub note: String,
    /// Weight of the rows that come by.
    #[serde(with = "nonfinite_json")]
    pub weight: f64,
    /// One list for each bar: how much of each group.
    #[serde(with = "nonfinite_json")]
    pub counts: Vec<Vec<f64>>,
    /// What each bar stands for.
    pub bars: Vec<String>,
    /// Where the bars begin and end, when they are those of a number.
    #[serde(with = "nonfinite_json")]
    pub range: Option<(f64, f64)>,
    /// Where the number is cut.
    #[serde(with = "nonfinite_json")]
    pub cut: Option<f64>,
    /// The branches; a leaf has none.
    pub branches: Vec<TreeBranch>,
}

/// A branch of a [`TreeNode`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TreeBranch {
    /// What holds of the rows that take it.
    pub label: String,
    /// The node that it leads to.
    pub node: usize,
}

/// Where nodes stand: the middle of each, and its level.
struct TreeLayout {
    at: Vec<Option<(f64, usize)>>,
    next: f64,
    depth: usize,
    hidden: usize,
}

impl TreeChart {
    /// The branches that are drawn: to later nodes, unless the tree is cut here.
    fn drawn(&self, i: usize, depth: usize) -> impl Iterator<Item = &TreeBranch> {
        let open = depth < self.max_depth.clamp(1, DEEPEST);
        let branches = if open { self.nodes[i].branches.as_slice() } else { &[] };
        branches.iter().filter(move |b| b.node > i && b.node < self.nodes.len())
    }

    /// Leaves side by side, each node above the middle of its branches.
    fn place(&self, i: usize, depth: usize, layout: &mut TreeLayout) -> f64 {
        layout.depth = layout.depth.max(depth);
        let mut ends: Option<(f64, f64)> = None;
        for branch in self.drawn(i, depth) {
            if layout.at[branch.node].is_none() {
                let x = self.place(branch.node, depth + 1, layout);
                ends = Some((ends.map_or(x, |e| e.0), x));
            }
        }
        layout.hidden += usize::from(ends.is_none() && !self.nodes[i].branches.is_empty());
        let x = ends.map_or_else(
            || {
                let wide = if self.nodes[i].branches.is_empty() { LEAF.0 } else { NODE.0 };
                layout.next += wide + GAP.0;
                layout.next - GAP.0 - wide / 2.0
            },
            |(first, last)| f64::midpoint(first, last),
        );
        layout.at[i] = Some((x, depth));
        x
    }

    fn top(depth: usize, start: f64) -> f64 {
        start + depth as f64 * (NODE.1 + GAP.1)
    }

    fn node(&self, svg: &mut Svg, i: usize, (x, top): (f64, f64)) {
        let node = &self.nodes[i];
        let (wide, high) = if node.branches.is_empty() { LEAF } else { NODE };
        let left = x - wide / 2.0;
        let tall = high + if node.branches.is_empty() { 30.0 } else { 22.0 };
        let place = [("x", left - 4.0), ("y", top - 4.0), ("width", wide + 8.0), ("height", tall)];
        let frame = svg.el("rect").nums(&place).attr("rx", "4").attr("fill", "var(--p-paper)");
        frame.attr("stroke", "var(--p-grid)").titled(&node.note);
        let anchor = [("x", x), ("y", top + 7.0)];
        svg.el("text").nums(&anchor).attr("text-anchor", "middle").fitted(&node.heading, wide, 11.0);
        self.histogram(svg, node, (left, top + 12.0, wide, high));
        if node.branches.is_empty() {
            let under = [("x", x), ("y", top + high + 22.0)];
            let size =
                if node.weight.is_finite() { format!("n = {}", number(node.weight)) } else { String::new() };
            svg.el("text")
                .nums(&under)
                .attr("text-anchor", "middle")
                .attr("class", "n")
                .fitted(&size, wide, 10.0);
        }
    }

    fn histogram(&self, svg: &mut Svg, node: &TreeNode, (left, top, wide, high): (f64, f64, f64, f64)) {
        let (axis, floor) = (Axis::default(), top + high);
        let good = |v: &f64| axis.shows(*v) && *v > 0.0;
        let sum = |bar: &Vec<f64>| bar.iter().filter(|v| good(v)).sum::<f64>();
        let most = node.counts.iter().map(sum).fold(0.0, f64::max);
        let step = wide / node.counts.len().max(1) as f64;
        for (b, bar) in node.counts.iter().enumerate().filter(|_| most > 0.0) {
            let mut y = floor;
            for (group, count) in bar.iter().enumerate().filter(|(_, v)| good(v)) {
                let tall = count / most * high;
                y -= tall;
                let slim = if step > 6.0 { 1.0 } else { 0.3 };
                let place =
                    [("x", left + step * b as f64), ("y", y), ("width", step - slim), ("height", tall)];
                let title = self.title_of(node, b, group, *count);
                svg.el("rect").nums(&place).attr("fill", &theme::colour(group)).titled(&title);
            }
        }
        let base = [("x1", left), ("x2", left + wide), ("y1", floor), ("y2", floor)];
        svg.el("line").nums(&base).attr("class", "a").end();
        if let (Some((low, high_end)), Some(cut)) = (node.range, node.cut)
            && axis.shows(low)
            && axis.shows(high_end)
            && low < high_end
            && axis.shows(cut)
        {
            let at = left + wide * ((cut - low) / (high_end - low)).clamp(0.0, 1.0);
            let path = format!("M{} {}v{}", px(at), px(top), px(high + 3.0));
            svg.el("path").path(&path).attr("stroke", "var(--p-ink)").attr("stroke-dasharray", "3 2").end();
            let arrow = format!("M{} {}l4 6h-8z", px(at), px(floor));
            svg.el("path").path(&arrow).attr("fill", "var(--p-ink)").end();
        }
    }

    fn title_of(&self, node: &TreeNode, bar: usize, group: usize, count: f64) -> String {
        let what = node.bars.get(bar).map_or("", String::as_str);
        match self.classes.get(group).filter(|class| *class != what) {
            Some(class) => format!("{what}, {class}: {}", number(count)),
            None => format!("{what}: {}", number(count)),
        }
    }

    fn link(&self, svg: &mut Svg, from: (f64, f64), to: (f64, f64), branch: &TreeBranch) {
        let share = self.nodes[branch.node].weight / self.nodes[0].weight;
        let thick = if share.is_finite() { 1.0 + 4.0 * share.clamp(0.0, 1.0) } else { 1.0 };
        let middle = f64::midpoint(from.1, to.1);
        let curve = [from.0, from.1, from.0, middle, to.0, middle, to.0, to.1].map(px);
        let path = format!(
            "M{} {}C{} {} {} {} {} {}",
            curve[0], curve[1], curve[2], curve[3], curve[4], curve[5], curve[6], curve[7]
        );
        svg.el("path").path(&path).attr("class", "a").attr("fill", "none").num("stroke-width", thick).end();
    }

    /// The labels of branches stand between the ends of links and their nodes, with a rim of paper.
    fn label(svg: &mut Svg, (x, y): (f64, f64), label: &str, room: f64) {
        let text =
            svg.el("text").nums(&[("x", x), ("y", y - 9.0)]).attr("text-anchor", "middle").attr("class", "t");
        let text =
            text.attr("stroke", "var(--p-paper)").attr("stroke-width", "4").attr("paint-order", "stroke");
        text.fitted(label, room, 11.0);
    }

    fn notes(&self, layout: &TreeLayout) -> Vec<String> {
        let bad =
            self.nodes.iter().flat_map(|n| n.counts.iter().flatten()).filter(|v| !v.is_finite()).count();
        let cut =
            (layout.hidden > 0).then(|| format!("{} subtrees below this depth not shown", layout.hidden));
        cut.into_iter().chain(dropped_note(bad, "bar")).collect()
    }
}

impl Chart for TreeChart {
    fn to_svg(&self) -> String {
        let mut layout = TreeLayout { at: vec![None; self.nodes.len()], next: MARGIN, depth: 0, hidden: 0 };
        if self.nodes.is_empty() {
            return Frame::new(&self.title, &self.description, (320.0, 120.0)).no_data();
        }
        self.place(0, 0, &mut layout);
        let width = (layout.next - GAP.0 + MARGIN).max(320.0);
        let notes = self.notes(&layout);
        let keys = if self.classes.len() > 1 {
            20.0 * (1.0 + (self.classes.len() as f64 / 3.0).floor())
        } else {
            0.0
        };
        let levels = (layout.depth + 1) as f64 * (NODE.1 + GAP.1) - GAP.1 + 22.0;
        let height = 44.0 + keys + levels + 14.0 * notes.len() as f64 + MARGIN;
        let mut frame = Frame::new(&self.title, &self.description, (width, height));
        frame.notes(&notes);
        let classes: Vec<&str> = self.classes.iter().map(String::as_str).collect();
        frame.legend(&classes, Swatch::Solid);
        // A narrow tree stands in the middle of its paper.
        let shift = ((width - (layout.next - GAP.0 + MARGIN)) / 2.0).max(0.0);
        let start = frame.top + 10.0;
        let spot = |i: usize| layout.at[i].map(|(x, depth)| (x + shift, Self::top(depth, start), depth));
        let mut labels = Vec::new();
        for i in 0..self.nodes.len() {
            let Some((x, top, depth)) = spot(i) else { continue };
            for branch in self.drawn(i, depth) {
                if let Some((to, below, _)) = spot(branch.node) {
                    self.link(&mut frame.svg, (x, top + NODE.1 + 18.0), (to, below - 20.0), branch);
                    let leaf = self.nodes[branch.node].branches.is_empty();
                    let room = if leaf { LEAF.0 + 0.6 * GAP.0 } else { NODE.0 };
                    labels.push(((to, below), branch.label.as_str(), room));
                }
            }
        }
        for i in 0..self.nodes.len() {
            if let Some((x, top, _)) = spot(i) {
                self.node(&mut frame.svg, i, (x, top));
            }
        }
        labels.into_iter().for_each(|(at, label, room)| Self::label(&mut frame.svg, at, label, room));
        frame.finish()
    }

    fn to_csv(&self) -> String {
        let mut csv = Csv::new("branch,heading,note,node,parent,weight");
        let mut parents = vec![(None, ""); self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            for branch in &node.branches {
                if let Some(slot) = parents.get_mut(branch.node) {
                    *slot = (Some(i as f64), &branch.label);
                }
            }
        }
        for (i, node) in self.nodes.iter().enumerate() {
            let (parent, label) = parents[i];
            csv.row(&[label, &node.heading, &node.note], &[Some(i as f64), parent, Some(node.weight)]);
        }
        csv.finish()
    }
}
