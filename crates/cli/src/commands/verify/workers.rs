//! `stet verify --workers URL`: implementations verified by other processes.
//!
//! A job is one part of the program (`--shard`). A worker verifies it with a store of its own and hands back the
//! entries it added; they are put into the store here, and then the program is verified as always. What workers did is
//! found, what they did not do is done here: the report is that of one process. Entries count if a trusted key signed them.

use super::{Options, ProverName, Reuse};
use crate::commands::explore::workers::{redis_url, trusted};
use crate::exit::ExitStatus;
use crate::options::CacheMode;
use crate::session::Session;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stet_diag::Diagnostic;
use stet_key::{DecodeError, Decoder, Encoder};
use stet_remote::jobs::{self, Run};
use stet_store::{Config, Entry, Mode, Store};

/// Changes whenever what travels changes: workers of another version do not take part.
const VERSION: u32 = 2;
/// Into how many parts a program is cut.
const PARTS: u32 = 16;
const WAIT: Duration = Duration::from_millis(100);
const LONELY: Duration = Duration::from_secs(3);

/// A program to verify, as a worker sees it.
pub(crate) struct SharedProgram {
    /// Names and texts of the files.
    files: Vec<(String, String)>,
    /// The options that verdicts depend on.
    arguments: Vec<String>,
}

/// Has the implementations verified by workers and puts their verdicts into the store.
pub(super) fn gather(
    session: &mut Session,
    options: &Options,
    url: &str,
) -> Result<(), ExitStatus> {
    match collect(session, options, url) {
        Ok(()) => Ok(()),
        Err(message) => {
            session.report(Diagnostic::error("verify/workers", message));
            Err(ExitStatus::Usage)
        }
    }
}

fn collect(session: &mut Session, options: &Options, url: &str) -> Result<(), String> {
    let url = redis_url(url).map_err(|diagnostic| diagnostic.message.clone())?;
    if session.options.cache != CacheMode::ReadWrite {
        return Err(
            "`--workers` needs `--cache read-write`: verdicts come through the store".to_owned(),
        );
    }
    let trust = trusted(&session.options).map_err(|diagnostic| diagnostic.message.clone())?;
    let program = SharedProgram {
        files: texts(&options.files)?,
        arguments: arguments(options),
    };
    let jobs: Vec<Vec<u8>> = (1..=PARTS)
        .map(|part| part.to_le_bytes().to_vec())
        .collect();
    let fault =
        |error: stet_remote::LinkError| format!("the server of the workers failed: {error}");
    let mut run = Run::announce(url, &program.write(), &jobs, trust).map_err(fault)?;
    let (start, mut is_told, mut is_refused) = (Instant::now(), false, false);
    let store = session.store().clone();
    while session.budget().check().is_ok() {
        let look = run.look(WAIT).map_err(fault)?;
        for found in look.results {
            if let Ok(mut entry) = Entry::from_bytes(&found.bytes) {
                entry.provenance.signer = Some(found.signer.into());
                store.put(entry);
            }
        }
        if let Some(refusal) = look.refused.first()
            && !is_refused
        {
            is_refused = true;
            let warning = Diagnostic::warning("verify/workers", jobs::explain(refusal));
            session.report(warning.with_note("its part is verified here"));
        }
        if look.open == 0 || look.is_stuck {
            break;
        }
        if !is_told && look.workers == 0 && start.elapsed() > LONELY {
            is_told = true;
            session.say(&format!(
                "no worker yet; start some with `stet worker {url}`"
            ));
        }
    }
    store.flush();
    Ok(())
}

fn texts(files: &[PathBuf]) -> Result<Vec<(String, String)>, String> {
    let read = |file: &PathBuf| {
        let name = file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
        Ok((name.unwrap_or_default(), text))
    };
    let texts: Vec<(String, String)> = files.iter().map(read).collect::<Result<_, String>>()?;
    let mut names: Vec<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match names.len() == texts.len() {
        true => Ok(texts),
        false => Err("two files have the same name: workers keep them in one directory".to_owned()),
    }
}

/// The options that verdicts depend on, as they are given on a command line.
fn arguments(options: &Options) -> Vec<String> {
    let mut arguments = vec![format!("--error-limit={}", options.error_limit)];
    let mut add = |name: &str, value: Option<String>| {
        arguments.extend(value.map(|value| format!("--{name}={value}")));
    };
    add(
        "procedure-time-limit",
        options.procedure_time_limit.map(|limit| limit.to_string()),
    );
    add("resource-limit", Some(options.resource_limit.to_string()));
    add("splits", Some(options.splits.to_string()));
    add(
        "loop-unroll",
        options.loop_unroll.map(|count| count.to_string()),
    );
    add(
        "reuse",
        Some(match options.reuse {
            Reuse::Basic => "basic".to_owned(),
            Reuse::Fine => "fine".to_owned(),
        }),
    );
    add(
        "prover",
        Some(match options.prover {
            ProverName::Z3 => "z3".to_owned(),
            ProverName::Cvc5 => "cvc5".to_owned(),
        }),
    );
    add(
        "prover-memory",
        options.prover_memory.map(|memory| memory.to_string()),
    );
    for option in &options.prover_options {
        add("prover-option", Some(option.clone()));
    }
    for pattern in &options.procedures {
        add("procedure", Some(pattern.clone()));
    }
    let flags = [
        (options.smoke, "--smoke"),
        (options.no_infer, "--no-infer"),
        (options.array_theory, "--array-theory"),
    ];
    let set = flags.iter().filter(|(is_set, _)| *is_set);
    arguments.extend(set.map(|(_, flag)| (*flag).to_owned()));
    arguments
}

impl SharedProgram {
    fn write(&self) -> Vec<u8> {
        let mut e = Encoder::new();
        e.str("verify");
        e.u32(VERSION);
        e.sequence(&self.files, |e, (name, text)| {
            e.str(name);
            e.str(text);
        });
        e.sequence(&self.arguments, |e, argument| e.str(argument));
        e.bytes().to_vec()
    }

    /// The program in these bytes; an error if they are of another kind or version.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut d = Decoder::new(bytes);
        if d.str()? != "verify" || d.u32()? != VERSION {
            return Err(DecodeError::OutOfRange);
        }
        let files = d.sequence(|d| Ok((d.str()?.to_owned(), d.str()?.to_owned())))?;
        let arguments = d.sequence(|d| Ok(d.str()?.to_owned()))?;
        d.finish()?;
        Ok(SharedProgram { files, arguments })
    }

    /// Verifies a part in a process of its own, with an empty store; the entries it added.
    pub(crate) fn verify(&self, job: &[u8]) -> std::io::Result<Vec<Vec<u8>>> {
        let part = u32::from_le_bytes(job.try_into().unwrap_or_default());
        let directory = tempfile::tempdir()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.current_dir(directory.path());
        command.args(["--store", "part.db", "--quiet", "verify"]);
        command.arg(format!("--shard={part}/{PARTS}"));
        command.args(&self.arguments).arg("--");
        for (name, text) in &self.files {
            let name = Path::new(name).file_name().unwrap_or_default();
            std::fs::write(directory.path().join(name), text)?;
            command.arg(Path::new(name));
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status()?;
        let store = Store::open(Config::file(
            directory.path().join("part.db"),
            Mode::ReadOnly,
        ));
        let mut entries = Vec::new();
        store.for_each_entry(|entry| {
            if &*entry.kind != "verify/prover" && &*entry.kind != "verify/program" {
                entries.push(entry.to_bytes());
            }
            true
        });
        Ok(entries)
    }
}
