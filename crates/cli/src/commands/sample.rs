//! `mercer sample`: draws from a bundled density, with what they say of themselves.

use crate::args::Sample;
use crate::build_report::{build_report, check_report_path};
use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use crate::source;
use crate::text::{line, seconds, table};
use mercer::{Attribute, AttributeValues, Column, Dataset, Model, Table, Task, Value};
use mercer_report::Evaluation;
use serde_json::json;
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(args: &Sample, context: &CommandContext) -> CommandResult {
    args.report.as_deref().map_or(Ok(()), check_report_path)?;
    let density = mercer::bayes::density(&args.density)?;
    let sampler = source::learner(&args.sampler, None)?;
    if sampler.task() != Task::Sampling {
        let told =
            format!("{} is no sampler; `mercer models sampling` lists them", sampler.declaration().name);
        return Err(Failure::new(Code::Usage, told));
    }
    let settings = [("chains", args.chains), ("draws", args.draws), ("warmup", args.warmup)];
    let sampler = settings.into_iter().try_fold(sampler, |sampler, (name, value)| match value {
        Some(value) => sampler.with(name, &Value::from(value)),
        None => Ok(sampler),
    })?;
    sampler.check()?;
    if context.dry_run {
        let spec = sampler.declaration().name;
        return context.would(&format!("draw from {} by {spec}", args.density));
    }
    let started = Instant::now();
    let data = Dataset::new(density);
    let model = sampler.train(&data, &context.session)?;
    let took = started.elapsed().as_secs_f64();
    let draws = Draws::of(model.as_ref());
    if let Some(path) = &args.output {
        draws.write(path, model.as_ref(), context)?;
    }
    if let Some(path) = &args.report {
        build_report(path, &args.density, None, context, |builder| {
            builder.of_model(model.as_ref(), Some(&data), Evaluation::GivenRows, Some(took))
        })?;
    }
    let warnings = draws.warnings();
    warnings.iter().for_each(|warning| context.note(&format!("warning: {warning}")));
    if context.json {
        context.document(draws.json(model.as_ref(), args, took))?;
    } else {
        line(&context.bold(&format!("{} · {} · {}", args.density, model.declaration().name, seconds(took))))?;
        draws.show()?;
        for path in [&args.output, &args.report].into_iter().flatten() {
            context.note(&format!("wrote {}", path.display()));
        }
    }
    match args.strict && !warnings.is_empty() {
        true => Err(Failure::new(Code::NotConverged, "the chains have not mixed (--strict)")),
        false => Ok(()),
    }
}

/// The draws of a model, read from its attributes.
struct Draws {
    attributes: Vec<Attribute>,
    names: Vec<String>,
}

impl Draws {
    fn of(model: &dyn Model) -> Self {
        let attributes = model.attributes();
        let names = attributes.iter().find(|a| a.name == "names_").map(|a| &a.values);
        let dim = attributes.iter().find(|a| a.name == "mean_").map_or(0, |a| a.values.len());
        let names = match names {
            Some(AttributeValues::Text(names)) => names.clone(),
            _ => (1..=dim).map(|j| format!("x[{j}]")).collect(),
        };
        Self { attributes, names }
    }

    fn values(&self, name: &str) -> Vec<f64> {
        match self.attributes.iter().find(|a| a.name == name).map(|a| &a.values) {
            Some(AttributeValues::Real(values)) => values.clone(),
            Some(AttributeValues::Int(values)) => values.iter().map(|v| *v as f64).collect(),
            _ => Vec::new(),
        }
    }

    /// Chains and draws.
    fn shape(&self) -> (usize, usize) {
        let shape = self.attributes.iter().find(|a| a.name == "samples_").map(|a| a.shape.clone());
        shape.map_or((0, 0), |s| (s[0], s[1]))
    }

    fn warnings(&self) -> Vec<String> {
        let r_hat = self.values("r_hat_");
        let worst = r_hat.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let divergences: f64 = self.values("divergences_").iter().sum();
        let mut out = Vec::new();
        if worst > 1.01 {
            out.push(format!("R-hat {worst:.3} is above 1.01: the chains have not mixed, draw more"));
        }
        let still =
            self.names.iter().zip(&r_hat).filter(|(_, r)| !r.is_finite()).map(|(name, _)| name.as_str());
        let still: Vec<&str> = still.collect();
        if !still.is_empty() {
            out.push(format!("no R-hat of {}: the chains never moved there", still.join(", ")));
        }
        if divergences > 0.0 {
            out.push(format!(
                "{divergences} divergent steps: parts of the density were not reached, raise target_accept"
            ));
        }
        out
    }

    fn show(&self) -> CommandResult {
        let columns = ["mean_", "std_", "hdi_", "r_hat_", "ess_bulk_", "ess_tail_", "mcse_mean_"];
        let [mean, sd, hdi, r_hat, bulk, tail, mcse] = columns.map(|name| self.values(name));
        let row = |(j, name): (usize, &String)| {
            let mut row = vec![name.clone()];
            row.extend([mean[j], sd[j], hdi[2 * j], hdi[2 * j + 1]].map(|v| format!("{v:.3}")));
            row.extend([format!("{:.3}", r_hat[j]), format!("{:.0}", bulk[j]), format!("{:.0}", tail[j])]);
            row.push(format!("{:.3}", mcse[j]));
            row
        };
        let rows: Vec<Vec<String>> = self.names.iter().enumerate().map(row).collect();
        let header = ["", "mean", "sd", "hdi_3%", "hdi_97%", "r_hat", "ess_bulk", "ess_tail", "mcse_mean"];
        line(&table(&header, &rows))?;
        let (chains, draws) = self.shape();
        let accepted = self.values("acceptance_");
        let accepted = accepted.iter().sum::<f64>() / accepted.len().max(1) as f64;
        line(&format!("{chains} chains × {draws} draws, mean acceptance {accepted:.2}"))
    }

    fn json(&self, model: &dyn Model, args: &Sample, took: f64) -> serde_json::Value {
        let columns = ["mean_", "std_", "hdi_", "r_hat_", "ess_bulk_", "ess_tail_", "mcse_mean_", "mcse_sd_"];
        let [mean, sd, hdi, r_hat, bulk, tail, mcse, mcse_sd] = columns.map(|name| self.values(name));
        let coordinate = |(j, name): (usize, &String)| {
            json!({
                "name": name, "mean": mean[j], "sd": sd[j], "hdi": [hdi[2 * j], hdi[2 * j + 1]], "r_hat": r_hat[j],
                "ess_bulk": bulk[j], "ess_tail": tail[j], "mcse_mean": mcse[j], "mcse_sd": mcse_sd[j],
            })
        };
        let (chains, draws) = self.shape();
        json!({
            "schema_version": 1, "density": args.density, "sampler": model.declaration().name, "chains": chains,
            "draws": draws, "seconds": took, "divergences": self.values("divergences_"),
            "acceptance": self.values("acceptance_"), "step_size": self.values("step_size_"),
            "coordinates": self.names.iter().enumerate().map(coordinate).collect::<Vec<_>>(),
            "output": args.output.as_ref().map(|p| p.display().to_string()),
            "report": args.report.as_ref().map(|p| p.display().to_string()),
        })
    }

    /// Writes the draws as a table, or the model.
    fn write(&self, path: &Path, model: &dyn Model, context: &CommandContext) -> CommandResult {
        if path.extension().is_some_and(|e| e == "csv") {
            let mut text = Vec::new();
            mercer::data::write_csv(&self.table()?, &mut text)?;
            mercer::files::write(path, &text)?;
        } else {
            mercer::files::save(model, path, Some(&context.command))?;
        }
        Ok(())
    }

    /// One row a draw: chain, draw, coordinates.
    fn table(&self) -> CommandResult<Table<'static>> {
        let (samples, (chains, draws), dim) = (self.values("samples_"), self.shape(), self.names.len());
        let numbers =
            |f: &dyn Fn(usize) -> f64| Column::numbers((0..chains * draws).map(f).collect::<Vec<f64>>());
        let mut columns = vec![
            ("chain".to_owned(), numbers(&|i| (i / draws) as f64)),
            ("draw".to_owned(), numbers(&|i| (i % draws) as f64)),
        ];
        for (j, name) in self.names.iter().enumerate() {
            columns.push((name.clone(), numbers(&|i| samples[i * dim + j])));
        }
        Ok(Table::new(columns)?)
    }
}
