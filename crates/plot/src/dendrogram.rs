//! Dendrograms: which groups are merged, and at which height.

use crate::frame::{Frame, Plane, dropped_note};
use crate::svg::{Svg, px, text_width};
use crate::{Axis, Chart, csv::Csv, nonfinite_json, number, theme};
use serde::{Deserialize, Serialize};

/// Leaves that are drawn at most; the mergers below them are only counted.
const MOST_LEAVES: usize = 200;
/// What a leaf takes of the height.
const ROW: f64 = 15.0;
/// Names of leaves take this much of the width at most.
const NAMES: f64 = 0.35;

/// A tree of mergers, the leaves one below the other and heights to the right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dendrogram {
    /// Heading.
    pub title: String,
    /// What the chart shows, for readers who cannot see it.
    pub description: String,
    /// What heights are.
    pub label: String,
    /// The names of the leaves, one more than there are mergers; numbers are used where missing.
    pub leaves: Vec<String>,
    /// The two groups of each merger: leaves first, then the mergers before it.
    pub mergers: Vec<(usize, usize)>,
    /// The height of each merger.
    #[serde(with = "nonfinite_json")]
    pub heights: Vec<f64>,
    /// Where the tree is cut: groups that are merged below have a colour each.
    #[serde(with = "nonfinite_json")]
    pub cut: Option<f64>,
    /// Width in pixels; the height follows from the leaves.
    #[serde(with = "nonfinite_json")]
    pub width: Option<f64>,
}

impl Dendrogram {
    /// The tree of the last mergers, whose leaves are the groups that they merge: at most so many leaves. Groups are named by `name`,
    /// which is told a row where there is one alone, and the number of rows.
    pub fn top(
        mergers: &[(usize, usize)],
        heights: &[f64],
        most: usize,
        name: impl Fn(Option<usize>, usize) -> String,
    ) -> Self {
        let n = mergers.len() + 1;
        if heights.len() != mergers.len() || !is_tree(mergers) {
            return Self::default();
        }
        let mut sizes = vec![1usize; n];
        mergers.iter().for_each(|&(a, b)| sizes.push(sizes[a] + sizes[b]));
        let kept = mergers.len().min(most.max(2) - 1);
        let first = mergers.len() - kept;
        // Whatever stands below the first merger that is kept is a leaf.
        let (mut leaves, mut places) = (Vec::new(), vec![usize::MAX; n + mergers.len()]);
        for node in mergers[first..].iter().flat_map(|&(a, b)| [a, b]).filter(|&node| node < n + first) {
            places[node] = leaves.len();
            leaves.push(name((node < n).then_some(node), sizes[node]));
        }
        (0..kept).for_each(|m| places[n + first + m] = leaves.len() + m);
        let mergers = mergers[first..].iter().map(|&(a, b)| (places[a], places[b])).collect();
        Self { leaves, mergers, heights: heights[first..].to_vec(), ..Self::default() }
    }

    /// The leaves in drawing order, and where each group stands among them.
    fn places(&self) -> (Vec<usize>, Vec<f64>) {
        let n = self.mergers.len() + 1;
        let (mut order, mut stack) = (Vec::with_capacity(n), vec![2 * n - 2]);
        while let Some(node) = stack.pop() {
            match node.checked_sub(n) {
                None => order.push(node),
                Some(m) => stack.extend([self.mergers[m].1, self.mergers[m].0]),
            }
        }
        let mut places = vec![0.0; 2 * n - 1];
        order.iter().enumerate().for_each(|(row, &leaf)| places[leaf] = row as f64 + 0.5);
        for (m, &(a, b)) in self.mergers.iter().enumerate() {
            places[n + m] = f64::midpoint(places[a], places[b]);
        }
        (order, places)
    }

    /// For each group the number of the cut's group that it belongs to, counted in drawing order; `None` above the cut.
    fn groups(&self, order: &[usize]) -> Vec<Option<usize>> {
        let n = self.mergers.len() + 1;
        let mut groups = vec![None; 2 * n - 1];
        let Some(cut) = self.cut else { return groups };
        let mut above: Vec<usize> = (0..2 * n - 1).collect();
        for (m, &(a, b)) in self.mergers.iter().enumerate().rev() {
            if self.heights[m] <= cut {
                (above[a], above[b]) = (above[n + m], above[n + m]);
            }
        }
        let mut seen: Vec<usize> = Vec::new();
        for &leaf in order {
            if !seen.contains(&above[leaf]) {
                seen.push(above[leaf]);
            }
        }
        for (node, top) in above.iter().enumerate() {
            let joined = node < n || self.heights[node - n] <= cut;
            groups[node] = seen.iter().position(|s| s == top).filter(|_| joined);
        }
        groups
    }

    fn name(&self, leaf: usize) -> String {
        self.leaves.get(leaf).cloned().unwrap_or_else(|| leaf.to_string())
    }

    fn links(
        &self,
        svg: &mut Svg,
        plane: &Plane,
        row: impl Fn(f64) -> f64,
        places: &[f64],
        groups: &[Option<usize>],
    ) {
        let n = self.mergers.len() + 1;
        let height = |node: usize| plane.x.at(node.checked_sub(n).map_or(0.0, |m| self.heights[m]));
        for (m, &(a, b)) in self.mergers.iter().enumerate() {
            let (right, top, low) = (height(n + m), row(places[a]), row(places[b]));
            let path = format!("M{} {}H{}V{}H{}", px(height(a)), px(top), px(right), px(low), px(height(b)));
            let colour = groups[n + m].map_or_else(|| "var(--p-axis)".to_owned(), theme::colour);
            let title = format!("height {}", number(self.heights[m]));
            svg.el("path")
                .path(&path)
                .attr("fill", "none")
                .attr("stroke", &colour)
                .attr("stroke-width", "1.5")
                .titled(&title);
        }
    }
}

/// Whether every merger is of two groups that stand before it, each merged once.
fn is_tree(mergers: &[(usize, usize)]) -> bool {
    let n = mergers.len() + 1;
    let mut seen = vec![false; 2 * n];
    let mut once = |node: usize, m: usize| node < n + m && !std::mem::replace(&mut seen[node], true);
    mergers.iter().enumerate().all(|(m, &(a, b))| once(a, m) && once(b, m))
}

impl Chart for Dendrogram {
    fn to_svg(&self) -> String {
        let width = self.width.filter(|w| w.is_finite()).map_or(560.0, |w| w.clamp(200.0, 4000.0));
        let axis = Axis::new(self.label.clone());
        let bad = self.heights.iter().filter(|h| !axis.shows(**h)).count();
        let whole = !self.mergers.is_empty()
            && self.heights.len() == self.mergers.len()
            && self.mergers.len() < MOST_LEAVES
            && bad == 0
            && is_tree(&self.mergers);
        if !whole {
            let mut frame = Frame::new(&self.title, &self.description, (width, 140.0));
            frame.notes(&dropped_note(bad, "height").into_iter().collect::<Vec<_>>());
            return frame.no_data();
        }
        let (order, places) = self.places();
        let groups = self.groups(&order);
        let size = ROW * order.len() as f64;
        let mut frame = Frame::new(&self.title, &self.description, (width, size + 84.0));
        let widest = order.iter().map(|&l| text_width(&self.name(l), 11.0)).fold(0.0, f64::max);
        let left = 14.0 + widest.min(NAMES * width);
        let top = frame.top + 6.0;
        let high =
            self.heights.iter().copied().chain(self.cut.filter(|c| axis.shows(*c))).fold(0.0, f64::max);
        let ends = (self.heights.iter().copied().fold(0.0, f64::min), if high > 0.0 { high } else { 1.0 });
        let plane = Plane::of((left, width - 18.0, top, top + size), ends);
        frame.columns(&plane, &self.label);
        let row = |place: f64| top + ROW * place;
        self.links(&mut frame.svg, &plane, row, &places, &groups);
        if let Some(cut) = self.cut.filter(|c| axis.shows(*c)) {
            let at = plane.x.at(cut);
            let path = format!("M{} {}V{}", px(at), px(top), px(top + size));
            frame.svg.el("path").path(&path).attr("class", "r").titled(&format!("cut at {}", number(cut)));
        }
        for (at, &leaf) in order.iter().enumerate() {
            let place = [("x", left - 6.0), ("y", row(at as f64 + 0.5) + 3.8)];
            let text = frame.svg.el("text").nums(&place).attr("text-anchor", "end").attr("class", "t");
            text.fitted(&self.name(leaf), NAMES * width, 11.0);
        }
        frame.finish()
    }

    fn to_csv(&self) -> String {
        let mut csv = Csv::new("first,second,merger,height");
        let n = self.mergers.len() + 1;
        let name = |node: usize| match node.checked_sub(n) {
            None => self.name(node),
            Some(m) => format!("merger {m}"),
        };
        for (m, (&(a, b), height)) in self.mergers.iter().zip(&self.heights).enumerate() {
            csv.row(&[&name(a), &name(b)], &[Some(m as f64), Some(*height)]);
        }
        csv.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows 0 and 1 merge, then 2 and 3, then the two pairs, then row 4 with all.
    fn tree() -> (Vec<(usize, usize)>, Vec<f64>) {
        (vec![(0, 1), (2, 3), (5, 6), (4, 7)], vec![1.0, 2.0, 5.0, 9.0])
    }

    #[test]
    fn leaves_stand_side_by_side_and_groups_of_the_cut_have_colours() {
        let (mergers, heights) = tree();
        let chart = Dendrogram { mergers, heights, cut: Some(3.0), ..Dendrogram::default() };
        let (order, places) = chart.places();
        assert_eq!(order, [4, 0, 1, 2, 3]);
        assert_eq!(places[5], 2.0);
        assert_eq!(
            chart.groups(&order),
            [Some(1), Some(1), Some(2), Some(2), Some(0), Some(1), Some(2), None, None]
        );
        let svg = chart.to_svg();
        assert_eq!(svg.matches("height 5").count(), 1);
        assert!(svg.contains("cut at 3"));
        assert!(chart.to_csv().contains("merger 0,merger 1,2,5"));
    }

    #[test]
    fn the_top_of_a_tree_counts_what_is_below() {
        let (mergers, heights) = tree();
        let name =
            |row: Option<usize>, size: usize| row.map_or(format!("{size} rows"), |r| format!("row {r}"));
        let top = Dendrogram::top(&mergers, &heights, 3, name);
        assert_eq!(top.leaves, ["2 rows", "2 rows", "row 4"]);
        assert_eq!((top.mergers, top.heights), (vec![(0, 1), (2, 3)], vec![5.0, 9.0]));
        let all = Dendrogram::top(&mergers, &heights, 99, name);
        assert_eq!((all.mergers.len(), all.leaves.len()), (4, 5));
    }

    #[test]
    fn what_is_no_tree_is_no_chart() {
        let odd = |mergers: Vec<(usize, usize)>, heights: Vec<f64>| {
            Dendrogram { mergers, heights, ..Dendrogram::default() }.to_svg()
        };
        for svg in [
            odd(vec![], vec![]),
            odd(vec![(0, 0)], vec![1.0]),
            odd(vec![(0, 5)], vec![1.0]),
            odd(vec![(0, 1)], vec![]),
            odd(vec![(0, 1)], vec![f64::NAN]),
            odd(vec![(0, usize::MAX)], vec![1.0]),
        ] {
            assert!(svg.contains("no data"));
        }
        assert_eq!(Dendrogram::top(&[(0, 0)], &[1.0], 9, |_, _| String::new()), Dendrogram::default());
    }
}
