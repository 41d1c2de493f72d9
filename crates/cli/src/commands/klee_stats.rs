//! `stet klee-stats`: the statistics of output directories (`run.stats`) as a table, as KLEE's tool of that name.

use crate::exit::ExitStatus;
use crate::input;
use crate::session::Session;
use std::path::{Path, PathBuf};
use stet_diag::Diagnostic;

/// Options of `stet klee-stats`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Output directories.
    #[arg(required = true, value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// All columns there are.
    #[arg(long)]
    print_all: bool,
    /// One line of values, separated by commas, for each directory.
    #[arg(long)]
    to_csv: bool,
}

/// A table: names of columns, and a row for each directory.
type Table = (Vec<String>, Vec<Vec<String>>);

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let mut runs = Vec::new();
    for directory in &options.directories {
        match last_row(directory) {
            Ok(row) => runs.push((directory.display().to_string(), row)),
            Err(diagnostic) => {
                session.report(*diagnostic);
                return ExitStatus::Usage;
            }
        }
    }
    let (columns, rows) = match options.print_all {
        true => all_columns(&runs),
        false => usual_columns(&runs),
    };
    match options.to_csv {
        true => {
            session.output.line(&columns.join(","));
            for row in rows {
                session.output.line(&row.join(","));
            }
        }
        false => session.output.line(&table(&columns, &rows)),
    }
    ExitStatus::Clean
}

type Row = Vec<(String, f64)>;

/// The newest row of a directory's statistics.
fn last_row(directory: &Path) -> Result<Row, Box<Diagnostic>> {
    let file = directory.join("run.stats");
    let wrong = |error: rusqlite::Error| {
        let message = format!("cannot read `{}`: {error}", file.display());
        Box::new(Diagnostic::error("input/unreadable", message))
    };
    if !file.exists() {
        return Err(Box::new(input::not_found(&file)));
    }
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = rusqlite::Connection::open_with_flags(&file, flags).map_err(wrong)?;
    let mut statement = connection
        .prepare("SELECT * FROM stats ORDER BY rowid DESC LIMIT 1")
        .map_err(wrong)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([]).map_err(wrong)?;
    let Some(row) = rows.next().map_err(wrong)? else {
        return Ok(Vec::new());
    };
    let value = |k: usize| match row.get_ref(k) {
        Ok(rusqlite::types::ValueRef::Integer(value)) => value as f64,
        Ok(rusqlite::types::ValueRef::Real(value)) => value,
        _ => 0.0,
    };
    Ok(names
        .into_iter()
        .enumerate()
        .map(|(k, name)| (name, value(k)))
        .collect())
}

fn number(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => format!("{}", value as i64),
        false => format!("{value:.2}"),
    }
}

fn all_columns(runs: &[(String, Row)]) -> Table {
    let mut columns = vec!["Path".to_owned()];
    for (name, _) in runs.iter().flat_map(|(_, row)| row) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    let rows = runs.iter().map(|(path, row)| {
        let value = |name: &String| row.iter().find(|(known, _)| known == name);
        let rest = columns[1..]
            .iter()
            .map(|name| value(name).map_or_else(String::new, |(_, v)| number(*v)));
        std::iter::once(path.clone()).chain(rest).collect()
    });
    (columns.clone(), rows.collect())
}

fn usual_columns(runs: &[(String, Row)]) -> Table {
    let columns = [
        "Path",
        "Instrs",
        "Time(s)",
        "ICov(%)",
        "ICount",
        "TSolver(%)",
        "States",
        "Paths",
    ];
    let rows = runs.iter().map(|(path, row)| {
        let get = |name: &str| {
            row.iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| *value)
        };
        // KLEE counts time in microseconds, Stet in seconds
        let scale = if get("AddressAwareHits").is_some() {
            1.0
        } else {
            1e-6
        };
        let time = get("WallTime").map(|time| time * scale);
        let (covered, uncovered) = (get("CoveredInstructions"), get("UncoveredInstructions"));
        let all = covered
            .zip(uncovered)
            .map(|(covered, uncovered)| covered + uncovered);
        let share = |part: Option<f64>, whole: Option<f64>| match (part, whole) {
            (Some(part), Some(whole)) if whole > 0.0 => format!("{:.2}", 100.0 * part / whole),
            _ => String::new(),
        };
        let show = |value: Option<f64>| value.map_or_else(String::new, number);
        vec![
            path.clone(),
            show(get("Instructions")),
            time.map_or_else(String::new, |time| format!("{time:.2}")),
            share(covered, all),
            show(all),
            share(get("SolverTime").map(|solver| solver * scale), time),
            show(get("NumStates")),
            show(get("Paths").or_else(|| get("TerminatedStates"))),
        ]
    });
    (columns.map(str::to_owned).to_vec(), rows.collect())
}

/// Names in the middle of their column, numbers at its right.
fn table(columns: &[String], rows: &[Vec<String>]) -> String {
    let width = |k: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(k))
            .chain(columns.get(k));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let rule: String = widths
        .iter()
        .map(|width| "-".repeat(*width) + "-")
        .collect();
    let rule = format!("-{rule}");
    let line = |cells: &[String], centred: bool| {
        let cells = cells
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(k, (cell, &width))| match centred || k == 0 {
                true => format!("{cell:^width$}"),
                false => format!("{cell:>width$}"),
            });
        format!("|{}|", cells.collect::<Vec<String>>().join("|"))
    };
    let mut lines = vec![rule.clone(), line(columns, true), rule.clone()];
    lines.extend(rows.iter().map(|row| line(row, false)));
    lines.push(rule);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_columns_are_left_empty() {
        let runs = [
            ("a".to_owned(), vec![("Instructions".to_owned(), 3.0)]),
            ("longer".to_owned(), vec![("Extra".to_owned(), 0.5)]),
        ];
        let (columns, rows) = all_columns(&runs);
        let text = table(&columns, &rows);
        assert!(text.contains("|  a   |           3|     |"), "{text}");
        assert!(text.contains("|longer|            | 0.50|"), "{text}");
    }
}
