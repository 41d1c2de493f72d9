//! `stet doctor`: what Stet finds on this machine, what is missing, and how to get it.

use super::explore::toolchain;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::{output, version, watchdog};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use stet_solve::pipe::{self, ProverKind};

/// Options of `stet doctor`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {}

/// One thing that was looked for.
struct Finding {
    name: &'static str,
    /// Which commands need it.
    used_by: &'static str,
    /// Where it is and which version, or `None`.
    found: Option<(PathBuf, String)>,
    /// How to get it.
    advice: &'static str,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, _: &Options) -> ExitStatus {
    session.answer(version::line());
    let findings = findings();
    for finding in &findings {
        session.answer(&line(finding));
    }
    let store = session.store_path();
    let usable = session.store().path().is_some();
    session.answer(&format!(
        "  store        {}{}",
        store.as_deref().map_or(
            "none: set HOME or XDG_CACHE_HOME, or use --store".into(),
            Path::to_string_lossy
        ),
        if usable {
            ""
        } else {
            " (not usable: see `stet cache stats`)"
        }
    ));
    let memory = watchdog::default_memory() >> 20;
    session.answer(&format!(
        "  limits       {} workers, {memory} MiB of memory by default",
        session.jobs()
    ));
    let missing = findings
        .iter()
        .filter(|finding| finding.found.is_none())
        .count();
    session.answer(&match missing {
        0 => "everything is there".to_owned(),
        _ => format!("missing: {}", output::counted(missing as u64, "tool")),
    });
    let tools: Vec<Value> = findings.iter().map(as_json).collect();
    session.set_result(json!({ "tools": tools, "store": store, "memory_limit_mib": memory }));
    if missing == 0 {
        ExitStatus::Clean
    } else {
        ExitStatus::Findings
    }
}

fn findings() -> Vec<Finding> {
    let prover = |kind| pipe::locate(kind, None).ok();
    let runtime = toolchain::library();
    let cxx = runtime.as_deref().and_then(toolchain::cxx_library);
    vec![
        Finding {
            name: "z3",
            used_by: "verify",
            found: with_version(prover(ProverKind::Z3)),
            advice: "Debian package z3, or PyPI package z3-solver; STET_Z3 names another",
        },
        Finding {
            name: "cvc5",
            used_by: "verify --prover cvc5",
            found: with_version(prover(ProverKind::Cvc5)),
            advice: "Debian package cvc5; STET_CVC5 names another",
        },
        Finding {
            name: "clang",
            used_by: "explore on C and C++",
            found: with_version(toolchain::find_tool("clang", None)),
            advice: "Debian package clang-19 (14 to 22 work)",
        },
        Finding {
            name: "llvm-dis",
            used_by: "explore on bitcode",
            found: with_version(toolchain::find_tool("llvm-dis", None)),
            advice: "Debian package llvm-19, at least as new as the bitcode",
        },
        Finding {
            name: "rustc",
            used_by: "compiling Rust to LLVM IR",
            found: with_version(in_path("rustc")),
            advice: "a Rust toolchain",
        },
        Finding {
            name: "C library",
            used_by: "explore on programs that use it",
            found: runtime.map(|folder| {
                let stamp = std::fs::read_to_string(folder.join("version")).unwrap_or_default();
                (folder, format!("musl as IR, build {}", stamp.trim()))
            }),
            advice: "`stet setup`, or scripts/setup core in the source tree",
        },
        Finding {
            name: "C++ library",
            used_by: "explore on C++ programs that use it",
            found: cxx.map(|folder| (folder, "libc++ as IR".to_owned())),
            advice: "`stet setup --cxx`",
        },
    ]
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The tool with the first line of its `--version` that names a number.
fn with_version(tool: Option<PathBuf>) -> Option<(PathBuf, String)> {
    let tool = tool?;
    let output = Command::new(&tool).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .find(|line| line.chars().any(|c| c.is_ascii_digit()))
        .unwrap_or("of unknown version");
    Some((tool, line.trim().to_owned()))
}

fn line(finding: &Finding) -> String {
    match &finding.found {
        Some((path, version)) => {
            format!("  {:<12} {version} ({})", finding.name, path.display())
        }
        None => format!(
            "  {:<12} missing; needed for {}: {}",
            finding.name, finding.used_by, finding.advice
        ),
    }
}

fn as_json(finding: &Finding) -> Value {
    json!({
        "name": finding.name,
        "used_by": finding.used_by,
        "path": finding.found.as_ref().map(|(path, _)| path),
        "version": finding.found.as_ref().map(|(_, version)| version),
        "advice": finding.advice,
    })
}
