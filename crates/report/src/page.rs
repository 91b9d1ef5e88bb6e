//! The page: parts in their order, then the template.

use crate::view::{Block, Page, Part};
use crate::{Error, ErrorKind, Report, draw};
use mercer_plot::page_variables;
use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;

const TEMPLATE: &str = include_str!("report.html");
const CSS: &str = include_str!("report.css");
const JS: &str = include_str!("report.js");

/// Renders a report. The name ends in `.html`, which turns automatic escaping on.
pub(crate) fn render(report: &Report) -> Result<String, Error> {
    let template = |e| Error::new(ErrorKind::Template, e);
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(template)?;
    environment.set_syntax(syntax);
    environment.add_template("report.html", TEMPLATE).map_err(template)?;
    let page = Serde(page(report));
    environment.get_template("report.html").and_then(|t| t.render(page)).map_err(template)
}

fn page(report: &Report) -> Page {
    let title = if report.title.is_empty() { "Report".to_string() } else { report.title.clone() };
    let version = &report.reproducibility.version;
    Page {
        title,
        task: report.task.clone(),
        verdict: report.verdict.clone(),
        facts: report.facts.clone(),
        parts: parts(report),
        footer: if version.is_empty() {
            "Made by Mercer.".into()
        } else {
            format!("Made by Mercer {version}.")
        },
        css: style(),
        js: JS,
    }
}

/// The style sheet: page and charts share the variables, so that one switch turns both.
fn style() -> String {
    let (light, dark) = (page_variables(false), page_variables(true));
    format!(
        ":root{{{light}color-scheme:light}}\
         @media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}\
         :root[data-theme=dark]{{{dark}color-scheme:dark}}\
         @media print{{:root,:root:not([data-theme=light]),:root[data-theme=dark]{{{light}color-scheme:light}}}}\n{CSS}"
    )
}

/// The parts that have content, in the order of the interface.
fn parts(report: &Report) -> Vec<Part> {
    let leaderboard = report.leaderboard.as_ref().map(draw::leaderboard).unwrap_or_default();
    let mut explanations = draw::importance(&report.importance);
    explanations.extend(report.explanations.iter().flat_map(draw::section));
    let rows = report.reproducibility.n_rows;
    let parts = [
        ("leaderboard", "Leaderboard", leaderboard),
        ("checks", "Checks", draw::checks(&report.checks)),
        ("plots", "Main plots", main_plots(report)),
        ("explanations", "Explanations", explanations),
        ("data", "Data", draw::profile(&report.profile, rows)),
        ("pipeline", "Pipeline", draw::pipeline(&report.pipeline)),
        ("certificate", "Certificate", draw::certificates(&report.certificates)),
        ("reproducibility", "Reproducibility", draw::reproducibility(&report.reproducibility)),
    ];
    let part = |(id, title, blocks)| Part { id, title, blocks };
    parts.into_iter().map(part).filter(|p| !p.blocks.is_empty()).collect()
}

fn main_plots(report: &Report) -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.extend(report.binary.iter().flat_map(draw::binary));
    blocks.extend(report.multiclass.iter().flat_map(draw::multiclass));
    blocks.extend(report.regression.iter().flat_map(draw::regression));
    blocks.extend(report.clusters.iter().flat_map(draw::clusters));
    blocks.extend(report.chains.iter().flat_map(draw::chains));
    blocks.extend(report.sections.iter().flat_map(draw::section));
    // After the learning curve, which a table of many states would push off the page.
    blocks.extend(report.policy.iter().flat_map(draw::policy));
    blocks
}
