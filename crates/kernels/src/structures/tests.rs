//! Graphs by their definitions, and structures through all that kernels do.

use super::*;
use crate::{Kernel, definiteness};
use mercer_math::{Mat, rng_for, uniform};

/// A random graph with labels of nodes and edges.
fn random(n: usize, seed: u64) -> Graph {
    let mut rng = rng_for(seed, 0);
    let mut edges = Vec::new();
    for v in 0..n {
        for w in 0..v {
            if uniform(&mut rng) < 0.4 {
                edges.push((v, w, 1.0));
            }
        }
    }
    let mut draw = |many: usize, of: usize| -> Vec<String> {
        (0..many).map(|_| ((uniform(&mut rng) * of as f64) as usize).to_string()).collect()
    };
    let (labels, along) = (draw(n, 2), draw(edges.len(), 2));
    Graph::new(n, &edges, false).unwrap().with_labels(labels).unwrap().with_edge_labels(along).unwrap()
}

fn graphs() -> Vec<Graph> {
    (0..8).map(|i| random(1 + i % 6, i as u64 + 1)).collect()
}

fn gram(text: &str, graphs: &[Graph]) -> Mat {
    let kernel = Kernel::parse(text).unwrap();
    kernel.gram(&kernel.side(PointsRef::Graphs(graphs)).unwrap())
}

/// All walks of up to `length` steps, each as the labels that it meets.
fn walks(graph: &Graph, length: usize, labels: bool, edges: bool) -> Vec<Vec<String>> {
    let label = |v: usize| if labels { graph.label(v).to_owned() } else { String::new() };
    let along = |e: u32| if edges { graph.edge_label(e as usize).to_owned() } else { String::new() };
    let neighbours = graph.neighbours();
    let mut now: Vec<(usize, Vec<String>)> = (0..graph.n_nodes()).map(|v| (v, vec![label(v)])).collect();
    let mut all: Vec<Vec<String>> = now.iter().map(|w| w.1.clone()).collect();
    for _ in 0..length {
        let longer = |(v, met): &(usize, Vec<String>)| {
            let step = |&(to, e, _): &(u32, u32, f64)| {
                let to = to as usize;
                (to, [met.as_slice(), &[along(e), label(to)]].concat())
            };
            neighbours[*v].iter().map(step).collect::<Vec<_>>()
        };
        now = now.iter().flat_map(longer).collect();
        all.extend(now.iter().map(|w| w.1.clone()));
    }
    all
}

#[test]
fn random_walks_are_pairs_of_walks_with_the_same_labels() {
    let graphs = graphs();
    for (labels, edges) in [(false, false), (true, false), (true, true)] {
        let text = format!("random_walk(decay=0.3, length=3, labels={labels}, edges={edges})");
        let found = gram(&text, &graphs);
        for (i, g) in graphs.iter().enumerate() {
            for (j, h) in graphs.iter().enumerate() {
                let mut expected = 0.0;
                for a in walks(g, 3, labels, edges) {
                    for b in walks(h, 3, labels, edges).iter().filter(|b| **b == a) {
                        expected += 0.3f64.powi((b.len() / 2) as i32);
                    }
                }
                assert!((found[(i, j)] - expected).abs() < 1e-10 * expected.max(1.0), "{text} {i} {j}");
            }
        }
    }
    // Without end, walks are those of great length; where they would not add up, they are refused.
    let endless = gram("random_walk(decay=0.02)", &graphs);
    let long = gram("random_walk(decay=0.02, length=400)", &graphs);
    assert!(endless.as_slice().iter().zip(long.as_slice()).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs()));
    let kernel = Kernel::parse("random_walk(decay=1)").unwrap();
    assert!(kernel.side(PointsRef::Graphs(&graphs)).unwrap_err().to_string().contains("decay"));
}

/// The recursion as it is written: all matchings, one after the other.
fn subtrees(g: &Graph, h: &Graph, v: usize, w: usize, height: usize, decay: f64) -> f64 {
    if g.label(v) != h.label(w) {
        return 0.0;
    }
    if height == 1 {
        return 1.0;
    }
    let (a, b) = (&g.neighbours()[v], &h.neighbours()[w]);
    let pairs: Vec<(u32, u32)> = a.iter().flat_map(|x| b.iter().map(move |y| (x.0, y.0))).collect();
    let mut sum = 0.0;
    for chosen in 1u32..1 << pairs.len() {
        let r: Vec<_> = (0..pairs.len()).filter(|i| chosen >> i & 1 == 1).map(|i| pairs[i]).collect();
        let apart = |p: &(u32, u32), q: &(u32, u32)| p.0 != q.0 && p.1 != q.1;
        if r.iter().enumerate().all(|(i, p)| r[..i].iter().all(|q| apart(p, q))) {
            let each = |p: &(u32, u32)| subtrees(g, h, p.0 as usize, p.1 as usize, height - 1, decay);
            sum += r.iter().map(each).product::<f64>();
        }
    }
    decay * sum
}

#[test]
fn subtrees_are_those_of_all_matchings() {
    let graphs = graphs();
    for height in 1..=3 {
        let found = gram(&format!("subtree(height={height}, decay=0.5)"), &graphs);
        for (i, g) in graphs.iter().enumerate() {
            for (j, h) in graphs.iter().enumerate().filter(|(_, h)| g.n_nodes() * h.n_nodes() <= 25) {
                let nodes = (0..g.n_nodes()).flat_map(|v| (0..h.n_nodes()).map(move |w| (v, w)));
                let expected: f64 = nodes.map(|(v, w)| subtrees(g, h, v, w, height, 0.5)).sum();
                assert!((found[(i, j)] - expected).abs() < 1e-10 * expected.max(1.0), "{height} {i} {j}");
            }
        }
    }
}

/// Labels refined as texts, counted one by one.
#[test]
fn rounds_of_labels_are_those_of_texts() {
    let graphs = graphs();
    let refined = |g: &Graph, edges: bool| {
        let mut own: Vec<String> = (0..g.n_nodes()).map(|v| g.label(v).to_owned()).collect();
        let mut all = own.clone();
        for round in 0..3 {
            let one = |v: usize| {
                let mut around: Vec<String> = g.neighbours()[v]
                    .iter()
                    .map(|n| {
                        format!(
                            "{}:{}",
                            if edges { g.edge_label(n.1 as usize) } else { "" },
                            own[n.0 as usize]
                        )
                    })
                    .collect();
                around.sort();
                format!("{round}<{}|{}>", own[v], around.join(","))
            };
            own = (0..own.len()).map(one).collect();
            all.extend(own.clone());
        }
        all
    };
    for edges in [false, true] {
        let found = gram(&format!("weisfeiler_lehman(rounds=3, edges={edges})"), &graphs);
        for (i, g) in graphs.iter().enumerate() {
            for (j, h) in graphs.iter().enumerate() {
                let (a, b) = (refined(g, edges), refined(h, edges));
                let expected: usize = a.iter().map(|x| b.iter().filter(|y| *y == x).count()).sum();
                assert_eq!(found[(i, j)], expected as f64);
            }
        }
    }
}

#[test]
fn weights_are_lengths_of_shortest_paths() {
    // A triangle whose long side is longer than the way around, and a path of the same lengths.
    let triangle = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 5.0)], false).unwrap();
    let path = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)], false).unwrap();
    let one_way = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)], true).unwrap();
    let found = gram("shortest_path", &[triangle, path, one_way]);
    // Both ways: four pairs at 1 and two at 2; one way: two and one.
    assert_eq!(found.row(0), [20.0, 20.0, 10.0]);
    assert_eq!(found[(2, 2)], 5.0);
    // Lengths that differ by rounding alone are the same: the way of 0.1 and 0.2, and an edge of 0.3.
    let way = Graph::new(3, &[(0, 1, 0.1), (1, 2, 0.2)], false).unwrap();
    let edge = Graph::new(2, &[(0, 1, 0.3)], false).unwrap();
    assert_eq!(gram("shortest_path", &[way, edge])[(0, 1)], 4.0);
}

#[test]
fn kernels_of_structures_are_semidefinite_and_written_as_read() {
    let graphs = graphs();
    for text in [
        "weisfeiler_lehman(edges=true, rounds=2)",
        "shortest_path(labels=false)",
        "random_walk(decay=0.02, edges=true, labels=true, length=4)",
        "subtree(decay=0.5, edges=false, height=2, labels=true)",
        "normalised(weisfeiler_lehman(edges=false, rounds=5))",
    ] {
        assert_eq!(Kernel::parse(text).unwrap().to_string(), text);
        assert!(definiteness(&gram(text, &graphs)).unwrap().is_semidefinite(), "{text}");
    }
    let words = ["abab", "baba", "abba", "b", "", "bbaab"].map(str::to_owned);
    for text in [
        "mismatch(alphabet=20, k=2, m=1)",
        "subsequence(decay=0.5, length=2)",
        "normalised(subsequence(decay=0.9, length=3))",
        "spectrum(blended=true, length=2)",
    ] {
        let kernel = Kernel::parse(text).unwrap();
        assert_eq!(kernel.to_string(), text);
        let side = kernel.side(PointsRef::Strings(&words)).unwrap();
        assert!(definiteness(&kernel.gram(&side)).unwrap().is_semidefinite(), "{text}");
        assert!(kernel.side(PointsRef::Graphs(&graphs)).is_err());
    }
    for text in ["ga(sigma=0.5)", "dtw(gamma=2.0, window=0.1)", "dtw(gamma=2.0, radius=3)", "dtw(gamma=1.0)"]
    {
        assert_eq!(Kernel::parse(text).unwrap().to_string(), text);
    }
    for bad in [
        "mismatch(k=2, m=3)",
        "mismatch(alphabet=1)",
        "subsequence(decay=1.5)",
        "subsequence(length=0)",
        "ga(sigma=0)",
        "dtw(window=2)",
        "dtw(radius=1.5)",
        "weisfeiler_lehman(rounds=-1)",
        "random_walk(decay=inf)",
        "subtree(height=0)",
    ] {
        assert!(Kernel::parse(bad).is_err(), "{bad}");
    }
    let few = Kernel::parse("mismatch(alphabet=2)").unwrap();
    assert!(few.side(PointsRef::Strings(&["abc".to_owned()])).unwrap_err().to_string().contains("alphabet"));
}

/// Closed forms of Kondor and Lafferty (2002): the complete graph of n nodes and the closed chain.
#[test]
fn diffusion_is_that_of_the_closed_forms() {
    let n = 6;
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j, 1.0)));
    let complete = Graph::new(n, &pairs.collect::<Vec<_>>(), false).unwrap();
    let chain = Graph::new(n, &(0..n).map(|i| (i, (i + 1) % n, 1.0)).collect::<Vec<_>>(), false).unwrap();
    let beta = 0.3;
    let found = node_kernel(&complete, NodeKernel::Diffusion { beta }, false).unwrap();
    let (nf, decay) = (n as f64, (-(n as f64) * beta).exp());
    let around = node_kernel(&chain, NodeKernel::Diffusion { beta }, false).unwrap();
    for i in 0..n {
        for j in 0..n {
            let expected = if i == j { (1.0 + (nf - 1.0) * decay) / nf } else { (1.0 - decay) / nf };
            assert!((found[(i, j)] - expected).abs() < 1e-14);
            let wave = |v: usize| std::f64::consts::TAU * v as f64 / nf;
            let term = |v: usize| {
                (-2.0 * beta * (1.0 - wave(v).cos())).exp() * (wave(v) * (i as f64 - j as f64)).cos()
            };
            let expected = (0..n).map(term).sum::<f64>() / nf;
            assert!((around[(i, j)] - expected).abs() < 1e-14);
        }
    }
}

#[test]
fn kernels_of_nodes_are_inverses_and_powers() {
    let graph = random(7, 3);
    let n = graph.n_nodes();
    let product = |a: &Mat, b: &Mat| mercer_math::matmul(a.view(), b.view());
    let mut adjacency = Mat::zeros(n, n);
    graph.edges().iter().for_each(|&(v, w, _)| {
        adjacency[(v as usize, w as usize)] = 1.0;
        adjacency[(w as usize, v as usize)] = 1.0;
    });
    let degree = |i: usize| adjacency.row(i).iter().sum::<f64>();
    let l = Mat::from_fn(n, n, |i, j| if i == j { degree(i) } else { -adjacency[(i, j)] });
    let identity = |i: usize, j: usize| f64::from(i == j);
    let near = |a: &Mat, b: &Mat| a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() < 1e-10);
    let eye = Mat::from_fn(n, n, identity);
    let regular = node_kernel(&graph, NodeKernel::RegularisedLaplacian { beta: 0.7 }, false).unwrap();
    assert!(near(&product(&regular, &Mat::from_fn(n, n, |i, j| identity(i, j) + 0.7 * l[(i, j)])), &eye));
    let walks = node_kernel(&graph, NodeKernel::Walks { decay: 0.1 }, false).unwrap();
    assert!(near(
        &product(&walks, &Mat::from_fn(n, n, |i, j| identity(i, j) - 0.1 * adjacency[(i, j)])),
        &eye
    ));
    let steps = node_kernel(&graph, NodeKernel::Steps { a: 20.0, steps: 2 }, false).unwrap();
    let once = Mat::from_fn(n, n, |i, j| 20.0 * identity(i, j) - l[(i, j)]);
    assert!(near(&steps, &product(&once, &once)));
    let commute = node_kernel(&graph, NodeKernel::CommuteTime, false).unwrap();
    assert!(near(&product(&product(&l, &commute), &l), &l));
    // All eigenvalues of a normalised Laplacian are at most 2.
    assert!(node_kernel(&graph, NodeKernel::Steps { a: 2.0, steps: 3 }, true).is_ok());
    for bad in [
        NodeKernel::Steps { a: 0.5, steps: 2 },
        NodeKernel::Walks { decay: 1.0 },
        NodeKernel::Diffusion { beta: -1.0 },
        NodeKernel::RegularisedLaplacian { beta: f64::NAN },
    ] {
        assert!(node_kernel(&graph, bad, false).is_err(), "{bad:?}");
    }
    let directed = Graph::new(2, &[(0, 1, 1.0)], true).unwrap();
    assert!(node_kernel(&directed, NodeKernel::CommuteTime, false).is_err());
}
