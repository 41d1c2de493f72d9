//! Exploring a function of a C file for an editor: this executable is started again as `stet explore --entry`, as a run may need
//! compilers and much memory, and its report is read.

use crate::again;
use crate::catalog::CATALOG;
use crate::session::Session;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use stet_base::Budget;
use stet_lsp::{Explored, Explorer, Finding};

/// How long a function is explored for an editor.
const SECONDS: &str = "60";

pub(super) struct Functions {
    store: Option<PathBuf>,
}

impl Functions {
    pub(super) fn new(session: &Session) -> Functions {
        Functions {
            store: session.store_path(),
        }
    }

    fn command(&self, path: &str, function: &str) -> std::io::Result<Command> {
        let mut command = again::stet()?;
        command.args(["--format", "json", "--time-limit", SECONDS]);
        if let Some(store) = &self.store {
            command.arg("--store").arg(store);
        }
        command.args(["explore", "--entry", function, path]);
        if let Some(folder) = Path::new(path).parent() {
            command.current_dir(folder);
        }
        Ok(command)
    }
}

impl Explorer for Functions {
    fn explore(&self, path: &str, text: &str, function: &str, budget: &Budget) -> Explored {
        let failed = |why: String| Explored {
            findings: Vec::new(),
            summary: why,
        };
        if std::fs::read_to_string(path).ok().as_deref() != Some(text) {
            return failed("save the file first: what is explored is the file on disk".to_owned());
        }
        let command = self.command(path, function);
        let printed = command.and_then(|command| again::run(command, &|| budget.is_cancelled()));
        let report = match printed {
            Ok(Some(printed)) => printed.output,
            Ok(None) => return failed("stopped".to_owned()),
            Err(error) => return failed(format!("cannot be explored: {error}")),
        };
        match serde_json::from_str(&report) {
            Ok(report) => read(path, &report),
            Err(_) => failed("exploring gave no report".to_owned()),
        }
    }
}

/// What a report says about a file.
fn read(path: &str, report: &Value) -> Explored {
    let diagnostics = report["diagnostics"].as_array().into_iter().flatten();
    let errors = diagnostics.filter(|d| d["severity"] == "error");
    let findings: Vec<Finding> = errors
        .map(|diagnostic| {
            let code = diagnostic["code"].as_str().unwrap_or_default();
            let notes = diagnostic["notes"].as_array().into_iter().flatten();
            let mut message = diagnostic["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            for note in notes.filter_map(Value::as_str) {
                message += &format!("\n{note}");
            }
            let primary = &diagnostic["primary"];
            let is_here = primary["file"].as_str().is_some_and(|file| {
                Path::new(file) == Path::new(path) || Path::new(path).ends_with(file)
            });
            let offset = |end: &str| primary[end]["offset"].as_u64().map(|at| at as usize);
            Finding {
                code: CATALOG
                    .find(code)
                    .map_or("explore/unsupported", |code| code.id),
                message,
                place: offset("start").zip(offset("end")).filter(|_| is_here),
            }
        })
        .collect();
    let result = &report["result"];
    let ended = result["paths"]["ended"].as_u64().unwrap_or(0);
    let how = result["ended"].as_str().unwrap_or("no path was explored");
    let is_complete = result["complete"] == true;
    let complete = if is_complete {
        "complete"
    } else {
        "not complete"
    };
    Explored {
        summary: format!(
            "{ended} paths, {} findings, {complete}: {how}",
            findings.len()
        ),
        findings,
    }
}
