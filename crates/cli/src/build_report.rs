//! The report of a command: what the library builds, with the command that was typed, written where it was asked for.

use crate::context::CommandContext;
use crate::fail::{Code, CommandResult, Failure};
use crate::source::Loaded;
use mercer_report::{ProfiledTable, Report, ReportBuilder};
use std::path::Path;

/// Refuses, before anything is trained, a place where the page and its JSON twin would be one file.
pub(crate) fn check_report_path(path: &Path) -> CommandResult {
    Report::check_path(path).map_err(|e| Failure::new(Code::Usage, e.to_string()))
}

/// Builds a report of data by their name, and writes it with its JSON twin.
pub(crate) fn build_report(
    path: &Path,
    source: &str,
    loaded: Option<&Loaded>,
    context: &CommandContext,
    build: impl FnOnce(&ReportBuilder<'_>) -> mercer::Result<Report>,
) -> CommandResult {
    let table = loaded.map(|l| ProfiledTable {
        table: &l.table,
        profile: l.profile(context),
        features: l.features.names(),
    });
    let (command, session) = (context.command.as_str(), &context.session);
    let report = build(&ReportBuilder { title: None, source, command, table, session })?;
    let written = report.save(path).map_err(|e| Failure::new(Code::Run, e.to_string()))?;
    written.iter().for_each(|file| context.detail(&format!("wrote {}", file.display())));
    Ok(())
}
