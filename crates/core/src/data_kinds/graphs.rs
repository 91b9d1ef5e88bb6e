//! Graphs: nodes and edges, with labels and weights, reached through a kernel.

use super::Input;
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::target::Target;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A graph. Nodes are numbered from 0; labels are texts, and absent labels are all alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    n_nodes: usize,
    directed: bool,
    /// Both ends and the weight of each edge.
    edges: Vec<(u32, u32, f64)>,
    /// A label for each node, or none.
    labels: Vec<String>,
    /// A label for each edge, or none.
    edge_labels: Vec<String>,
}

/// The file form of one graph.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GraphFile {
    nodes: usize,
    /// Each `[from, to]` or `[from, to, weight]`.
    edges: Vec<Vec<f64>>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    edge_labels: Vec<String>,
    #[serde(default)]
    directed: bool,
    /// What is known of the graph.
    #[serde(default)]
    target: Option<serde_json::Value>,
}

impl Graph {
    /// A graph of so many nodes with its edges `(from, to, weight)`. Weights are at least 0; each edge stands once, and
    /// goes both ways unless the graph is directed.
    ///
    /// ```
    /// let path = mercer_core::Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)], false)?.with_labels(["C", "O", "C"])?;
    /// assert_eq!(path.label(1), "O");
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn new(n_nodes: usize, edges: &[(usize, usize, f64)], directed: bool) -> Result<Self> {
        if n_nodes >= u32::MAX as usize {
            return Err(Error::shape("nodes of a graph at most", u32::MAX as usize - 1, n_nodes));
        }
        for (row, &(from, to, weight)) in edges.iter().enumerate() {
            let bad = |value: String, column: &str, hint: &str| ErrorKind::BadValue {
                learner: "a Graph".to_owned(),
                value,
                column: column.to_owned(),
                row,
                hint: hint.to_owned(),
            };
            if from.max(to) >= n_nodes {
                return Err(bad(
                    format!("the node {}", from.max(to)),
                    "edges",
                    "; nodes are numbered from 0",
                )
                .into());
            }
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(bad(format!("the weight {weight}"), "weight", "; weights are at least 0").into());
            }
        }
        let edges = edges.iter().map(|&(from, to, weight)| (from as u32, to as u32, weight)).collect();
        Ok(Self { n_nodes, directed, edges, labels: Vec::new(), edge_labels: Vec::new() })
    }

    /// The graph with a label for each node.
    pub fn with_labels<S: Into<String>>(mut self, labels: impl IntoIterator<Item = S>) -> Result<Self> {
        self.labels = labels.into_iter().map(Into::into).collect();
        match self.labels.len() == self.n_nodes {
            true => Ok(self),
            false => Err(Error::shape("labels of the nodes of a graph", self.n_nodes, self.labels.len())),
        }
    }

    /// The graph with a label for each edge.
    pub fn with_edge_labels<S: Into<String>>(mut self, labels: impl IntoIterator<Item = S>) -> Result<Self> {
        self.edge_labels = labels.into_iter().map(Into::into).collect();
        match self.edge_labels.len() == self.edges.len() {
            true => Ok(self),
            false => {
                Err(Error::shape("labels of the edges of a graph", self.edges.len(), self.edge_labels.len()))
            }
        }
    }

    /// The number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// Whether edges go one way.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// Both ends and the weight of each edge.
    pub fn edges(&self) -> &[(u32, u32, f64)] {
        &self.edges
    }

    /// The label of a node; empty where nodes have none.
    pub fn label(&self, node: usize) -> &str {
        self.labels.get(node).map_or("", String::as_str)
    }

    /// The label of an edge; empty where edges have none.
    pub fn edge_label(&self, edge: usize) -> &str {
        self.edge_labels.get(edge).map_or("", String::as_str)
    }

    /// The neighbours of each node, each with the place and the weight of its edge: those that edges lead to.
    pub fn neighbours(&self) -> Vec<Vec<(u32, u32, f64)>> {
        let mut out = vec![Vec::new(); self.n_nodes];
        for (place, &(from, to, weight)) in self.edges.iter().enumerate() {
            out[from as usize].push((to, place as u32, weight));
            if !self.directed && from != to {
                out[to as usize].push((from, place as u32, weight));
            }
        }
        out
    }

    /// Whether what was loaded fits together.
    pub fn is_consistent(&self) -> bool {
        let ends =
            |e: &(u32, u32, f64)| (e.0.max(e.1) as usize) < self.n_nodes && e.2.is_finite() && e.2 >= 0.0;
        self.edges.iter().all(ends)
            && (self.labels.is_empty() || self.labels.len() == self.n_nodes)
            && (self.edge_labels.is_empty() || self.edge_labels.len() == self.edges.len())
    }

    /// Reads the JSON form, a list of graphs: `[{"nodes": 3, "edges": [[0, 1], [1, 2, 0.5]], "labels": ["C", "O", "C"],
    /// "edge_labels": ["single", "double"], "directed": false, "target": "yes"}, …]`. Targets are classes where they are
    /// texts or truths, else numbers; all graphs have one, or none.
    pub fn data_from_json(text: &str) -> Result<Dataset<'static>> {
        let parse = |e: serde_json::Error| ErrorKind::Parse {
            source_name: "graphs".to_owned(),
            line: e.line() as u64,
            column: e.column() as u64,
            reason: e.to_string(),
        };
        let files: Vec<GraphFile> = serde_json::from_str(text).map_err(parse)?;
        let graphs = files.iter().map(GraphFile::graph).collect::<Result<Vec<_>>>()?;
        let data = Dataset::new(Input::Graphs(Cow::Owned(graphs)));
        let targets: Vec<&serde_json::Value> = files.iter().filter_map(|f| f.target.as_ref()).collect();
        if targets.is_empty() {
            return Ok(data);
        }
        if targets.len() != files.len() {
            return Err(Error::shape("targets of graphs", files.len(), targets.len()));
        }
        let numbers: Option<Vec<f64>> = targets.iter().map(|t| t.as_f64()).collect();
        data.with_target(match numbers {
            Some(numbers) => Target::real(numbers),
            None => {
                let text = |t: &&serde_json::Value| t.as_str().map_or_else(|| t.to_string(), str::to_owned);
                Target::classes(&targets.iter().map(text).collect::<Vec<_>>())
            }
        })
    }
}

impl GraphFile {
    fn graph(&self) -> Result<Graph> {
        let whole = |v: f64| if v >= 0.0 && v.fract() == 0.0 { v as usize } else { usize::MAX };
        let edge = |e: &Vec<f64>| match e.as_slice() {
            [from, to] => Ok((whole(*from), whole(*to), 1.0)),
            [from, to, weight] => Ok((whole(*from), whole(*to), *weight)),
            other => Err(Error::shape("numbers of an edge", 2, other.len())),
        };
        let edges = self.edges.iter().map(edge).collect::<Result<Vec<_>>>()?;
        let mut graph = Graph::new(self.nodes, &edges, self.directed)?;
        if !self.labels.is_empty() {
            graph = graph.with_labels(self.labels.iter().cloned())?;
        }
        if !self.edge_labels.is_empty() {
            graph = graph.with_edge_labels(self.edge_labels.iter().cloned())?;
        }
        Ok(graph)
    }
}

/// The chosen graphs, copied.
pub(super) fn gather(graphs: &[Graph], chosen: &[usize]) -> Cow<'static, [Graph]> {
    chosen.iter().map(|&i| graphs[i].clone()).collect()
}

impl<'a> From<&'a [Graph]> for Input<'a> {
    fn from(graphs: &'a [Graph]) -> Self {
        Input::Graphs(Cow::Borrowed(graphs))
    }
}

impl From<Vec<Graph>> for Input<'_> {
    fn from(graphs: Vec<Graph>) -> Self {
        Input::Graphs(Cow::Owned(graphs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_are_read_and_checked() {
        let text = r#"[{"nodes": 2, "edges": [[0, 1, 0.5]], "labels": ["C", "O"], "target": "yes"},
                       {"nodes": 1, "edges": [], "target": "no"}]"#;
        let data = Graph::data_from_json(text).unwrap();
        let Input::Graphs(graphs) = data.whole_input() else { panic!() };
        assert_eq!(graphs[0].neighbours(), [vec![(1, 0, 0.5)], vec![(0, 0, 0.5)]]);
        assert_eq!((graphs[0].label(1), graphs[1].label(0), data.labels().unwrap().len()), ("O", "", 2));
        for (from, to, part) in [
            ("[0, 1, 0.5]", "[0, 2, 0.5]", "the node 2"),
            ("[0, 1, 0.5]", "[0, 1, -1]", "weight -1"),
            ("[0, 1, 0.5]", "[0]", "numbers of an edge"),
            (r#"["C", "O"]"#, r#"["C"]"#, "labels"),
            (r#", "target": "no""#, "", "targets"),
            ("nodes", "knots", "unknown field"),
        ] {
            let error = Graph::data_from_json(&text.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
