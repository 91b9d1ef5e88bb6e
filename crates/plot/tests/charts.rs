//! Properties that every chart must have, whatever it is fed.

use mercer_plot::{
    AnyChart, Axis, Bar, BarChart, Chart, Dot, DotChart, Group, HeatMap, Histogram, LineChart, Mark, Scatter,
    Series, Shade, Size, TreeBranch, TreeChart, TreeNode, page_variables, sparkline,
};

/// Checks that tags are balanced, attributes quoted and no bare `&` or `<` is left.
fn check_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("unclosed tag");
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "odd quotes in <{tag}>");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "unbalanced </{name}>");
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "left open: {open:?}");
    for part in svg.split('&').skip(1) {
        assert!(
            ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|e| part.starts_with(e)),
            "bare &: {part:.20}"
        );
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("<script"));
}

/// One chart of each kind around the same names and values.
fn all(name: &str, values: &[f64]) -> Vec<AnyChart> {
    let name = name.to_string();
    let axis = || Axis::new(name.clone());
    let points: Vec<(f64, f64)> = values.iter().map(|v| (*v, *v)).collect();
    let pairs: Vec<(f64, f64)> = values.iter().map(|v| (v - 1.0, v + 1.0)).collect();
    let interval = pairs.first().copied();
    let series =
        Series { band: pairs, markers: true, step: true, ..Series::new(name.clone(), points.clone()) };
    let line = LineChart {
        title: name.clone(),
        description: name.clone(),
        x: axis(),
        y: Axis { log: true, ..axis() },
        series: vec![series.clone(), series],
        reference: Some((0.0, 1.0)),
        marks: values.iter().map(|v| Mark { x: *v, y: *v, label: name.clone() }).collect(),
        ..LineChart::default()
    };
    let groups =
        vec![Group { name: name.clone(), points: points.clone() }, Group { name: name.clone(), points }];
    let scatter = Scatter { x: axis(), groups, reference: Some((f64::NAN, 1.0)), ..Scatter::default() };
    let bars = values.iter().map(|v| Bar { name: name.clone(), value: *v, interval }).collect();
    let dots = values.iter().map(|v| Dot { name: name.clone(), value: *v, interval, faint: true }).collect();
    let heat = |shade| HeatMap {
        x_label: name.clone(),
        y_label: name.clone(),
        columns: vec![name.clone(); values.len()],
        rows: vec![name.clone()],
        values: vec![values.to_vec(), vec![], values.to_vec()],
        arrows: vec![values.iter().map(|v| Some((*v, 1.0))).collect()],
        shade,
        ..HeatMap::default()
    };
    let histogram = Histogram { title: name.clone(), x: axis(), ..Histogram::of(values, 20) };
    // Branches onwards, back to the node itself, and into nothing.
    let branch = |node: usize| TreeBranch { label: name.clone(), node };
    let node = |(i, v): (usize, &f64)| TreeNode {
        heading: name.clone(),
        note: name.clone(),
        weight: *v,
        counts: vec![vec![*v, 1.0], vec![], vec![*v]],
        bars: vec![name.clone()],
        range: interval,
        cut: Some(*v),
        branches: [i + 1, i + 2, i, 999].map(branch).to_vec(),
    };
    let drawn = values.iter().any(|v| v.is_finite());
    let nodes = values.iter().enumerate().filter(|_| drawn).map(node).collect();
    let tree = TreeChart { classes: vec![name.clone(); 3], nodes, ..TreeChart::default() };
    vec![
        line.into(),
        scatter.into(),
        BarChart { title: name.clone(), x_label: name.clone(), bars, ..BarChart::default() }.into(),
        DotChart { dots, reference: values.first().copied(), ..DotChart::default() }.into(),
        heat(Shade::Row).into(),
        heat(Shade::Whole).into(),
        heat(Shade::Diverging).into(),
        histogram.into(),
        tree.into(),
    ]
}

#[test]
fn any_input_gives_a_well_formed_chart() {
    let huge = "名前 ".repeat(5000);
    let long: Vec<f64> = (0..50).map(f64::from).collect();
    let inputs: [&[f64]; 10] = [
        &[],
        &[f64::NAN],
        &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
        &[1.0],
        &[0.0, 0.0],
        &[5.0, 5.0, f64::NAN],
        &[f64::MAX, f64::MIN, 1.0],
        &[1e300, -1e300],
        &[5e-324, 1e-310, 1.0],
        &long,
    ];
    for name in ["", "age", "<script>alert('x')</script>&\"\u{0}", &huge] {
        for values in inputs {
            for chart in all(name, values) {
                let svg = chart.to_svg();
                check_well_formed(&svg);
                assert!(svg.len() < 400_000, "{}", svg.len());
                assert!(svg.contains("role=\"img\"") && svg.contains("aria-label="));
            }
        }
    }
}

#[test]
fn empty_charts_say_so() {
    for values in [&[][..], &[f64::NAN][..]] {
        for chart in all("x", values) {
            assert!(chart.to_svg().contains(">no data<"), "{chart:?}");
        }
    }
}

#[test]
fn dropped_points_are_counted() {
    let series = Series::new("a", vec![(0.0, 1.0), (1.0, f64::NAN), (f64::INFINITY, 1.0), (2.0, 2.0)]);
    let chart = LineChart { series: vec![series], ..LineChart::default() };
    assert!(chart.to_svg().contains("2 points dropped"));
    assert_eq!(chart.to_csv(), "series,x,y,lower,upper\na,0,1,,\na,2,2,,\n");
}

#[test]
fn scatter_thins_and_says_so() {
    let points: Vec<(f64, f64)> = (0..50_000).map(|i| (f64::from(i), f64::from(i % 977))).collect();
    let few = Group { name: "rare".into(), points: vec![(1.0, 1.0)] };
    let chart = Scatter { groups: vec![Group { name: "common".into(), points }, few], ..Scatter::default() };
    let svg = chart.to_svg();
    assert!(svg.contains("of 50001 points shown") && svg.len() < 200_000, "{}", svg.len());
    assert_eq!(svg, chart.to_svg());
    assert!(chart.to_csv().lines().count() < 2010 && chart.to_csv().contains("rare,1,1"));
}

#[test]
fn many_classes_fit() {
    let groups =
        (0..50).map(|i| Group { name: format!("class {i}"), points: vec![(f64::from(i), 1.0)] }).collect();
    let svg = Scatter { groups, ..Scatter::default() }.to_svg();
    assert!(svg.contains("and 38 more"));
    let names: Vec<String> = (0..50).map(|i| format!("class {i}")).collect();
    let values = vec![vec![1.0; 50]; 50];
    check_well_formed(
        &HeatMap { rows: names.clone(), columns: names, values, ..HeatMap::default() }.to_svg(),
    );
}

#[test]
fn colours_follow_the_reader_and_the_page() {
    let svg = Histogram::of(&[1.0, 2.0], 2).to_svg();
    assert!(svg.contains("prefers-color-scheme:dark") && svg.contains("var(--mercer-ink,"));
    assert!(page_variables(true).contains("--mercer-ink:") && page_variables(true) != page_variables(false));
}

#[test]
fn long_lines_are_drawn_to_their_end() {
    let points = (0..500).map(|i| (f64::from(i), f64::from(i))).collect();
    let x = Axis::new("x").with_range(0.0, 499.0);
    let svg = LineChart { series: vec![Series::new("a", points)], x, ..LineChart::default() }.to_svg();
    let path = svg.split("<path d=\"").nth(1).and_then(|p| p.split('"').next()).unwrap();
    assert_eq!(path.matches('L').count(), 499);
    assert!(path.contains("L462 "), "{path}");
}

#[test]
fn csv_is_quoted() {
    let bars = vec![Bar { name: "a,\"b\"".into(), value: 0.5, interval: Some((0.4, 0.6)) }];
    let chart = BarChart { bars, ..BarChart::default() };
    assert_eq!(chart.to_csv(), "name,value,lower,upper\n\"a,\"\"b\"\"\",0.5,0.4,0.6\n");
}

#[test]
fn charts_survive_json() {
    for chart in all("x", &[1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]) {
        let text = serde_json::to_string(&chart).unwrap();
        let back: AnyChart = serde_json::from_str(&text).unwrap();
        // Debug, since NaN is not equal to itself.
        assert_eq!(format!("{back:?}"), format!("{chart:?}"));
    }
}

#[test]
fn histogram_counts_everything() {
    let values: Vec<f64> = (0..1000).map(|i| f64::from(i % 10)).chain([f64::NAN]).collect();
    let histogram = Histogram::of(&values, 10);
    assert_eq!(histogram.counts, vec![100.0; 10]);
    assert_eq!(histogram.dropped, 1);
    assert_eq!(Histogram::of(&[3.0, 3.0], 10).counts, [2.0]);
}

#[test]
fn sizes_are_clamped() {
    for width in [f64::NAN, -1.0, 1e12] {
        let size = Size { width, height: width };
        let svg =
            LineChart { series: vec![Series::new("a", vec![(0.0, 0.0)])], size, ..LineChart::default() }
                .to_svg();
        check_well_formed(&svg);
        assert!(!svg.contains("1000000000000"));
    }
}

#[test]
fn sparklines_are_small() {
    assert_eq!(sparkline(&[]), "");
    assert_eq!(sparkline(&[0.0, f64::NAN]), "");
    check_well_formed(&sparkline(&[1.0, 2.0, f64::INFINITY]));
}
