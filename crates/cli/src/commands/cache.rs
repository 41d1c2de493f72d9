//! `stet cache`: inspect and maintain the store of verdicts.
//!
//! Every action prints text for people, or with `--format json` the same facts as `result`.

mod exchange;
mod keys;
mod team;
mod why;

use crate::exit::ExitStatus;
use crate::options::{ByteSize, CacheMode};
use crate::output::counted;
use crate::session::Session;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stet_diag::{Diagnostic, utc};
use stet_store::{Mode, Statistics, Store};

const EXAMPLES: &str = "\
Examples:
  stet cache stats                             what the store holds
  stet cache why program.bpl:Proc              why the latest verdict was not reused
  stet cache export verdicts.stet              to take elsewhere: stet cache import verdicts.stet
More: docs/CACHE.md";

/// Options of `stet cache`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// What to do with the store.
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Print where the store is.
    Path,
    /// Count what the store holds.
    Stats,
    /// Remove the verdicts not used for the longest time until the store is small enough.
    Gc {
        /// The size to get below, e.g. `500M` [default: the limit set by --store-limit].
        #[arg(long, value_name = "SIZE")]
        max_size: Option<ByteSize>,
    },
    /// Check every verdict and the file itself; remove what is damaged.
    Verify,
    /// Remove all verdicts.
    Clear {
        /// Only those of this kind, e.g. `verify/implementation`.
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
    },
    /// Explain the latest miss: which part of the key differed first.
    Why {
        /// What was checked, e.g. `file.bpl:Proc`, or the first digits of a key.
        #[arg(value_name = "SUBJECT|KEY")]
        what: String,
    },
    /// Write the verdicts to a file for another machine.
    Export {
        /// The file to write; `-` is the standard output.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Only those of this kind.
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
    },
    /// Take over the verdicts of an exported file.
    Import {
        /// The file to read.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Say which shared store is used and whether it answers.
    Remote,
    /// Send the verdicts found on this machine to the shared store.
    Push {
        /// Only those of this kind.
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
    },
    /// Fetch verdicts of the shared store, for runs without a connection.
    Pull {
        /// Packs to fetch, e.g. `verify program.bpl` [default: what was pushed].
        #[arg(value_name = "PACK")]
        packs: Vec<String>,
    },
    /// Who signs verdicts, and who is believed.
    Keys {
        /// What to do with keys.
        #[command(subcommand)]
        action: keys::Action,
    },
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    match &options.action {
        Action::Path => path(session),
        Action::Stats => stats(session),
        Action::Gc { max_size } => gc(session, *max_size),
        Action::Verify => verify(session),
        Action::Clear { kind } => clear(session, kind.as_deref()),
        Action::Why { what } => why::why(session, what),
        Action::Export { file, kind } => exchange::export(session, file, kind.as_deref()),
        Action::Import { file } => exchange::import(session, file),
        Action::Remote => team::remote(session),
        Action::Push { kind } => team::push(session, kind.as_deref()),
        Action::Pull { packs } => team::pull(session, packs),
        Action::Keys { action } => keys::execute(session, action),
    }
}

fn path(session: &mut Session) -> ExitStatus {
    let Some(path) = session.store_path() else {
        session.report(
            Diagnostic::error("cache/no-path", "there is no place for a store")
                .with_note("set HOME or XDG_CACHE_HOME, or choose a file with `--store`"),
        );
        return ExitStatus::Usage;
    };
    session.answer(&path.display().to_string());
    session.set_result(json!({ "path": path.display().to_string(), "exists": path.exists() }));
    ExitStatus::Clean
}

/// The store for looking; says so if there is none.
fn open_to_read(session: &mut Session) -> Option<Arc<Store>> {
    let path = session.store_path();
    if !path.as_ref().is_some_and(|path| path.exists()) {
        let shown = path.map_or_else(String::new, |path| format!(" at {}", path.display()));
        session.say(&format!("there is no store yet{shown}"));
        session.set_result(json!({ "exists": false }));
        return None;
    }
    let store = session.open_store(Mode::ReadOnly);
    usable(session, store)
}

/// The store for changing, unless `--cache` forbids it.
fn open_to_write(session: &mut Session) -> Option<Arc<Store>> {
    if session.options.cache != CacheMode::ReadWrite {
        session.report(Diagnostic::error(
            "cache/read-only",
            "this changes the store, which `--cache` forbids",
        ));
        return None;
    }
    let store = session.open_store(Mode::ReadWrite);
    usable(session, store)
}

fn usable(session: &mut Session, store: Arc<Store>) -> Option<Arc<Store>> {
    if store.path().is_some() {
        return Some(store);
    }
    session.tell_store_notes(&store);
    session.report(Diagnostic::error(
        "cache/unusable",
        "there is no usable store",
    ));
    None
}

/// What an action returns when the store gave no answer: the notes say why.
fn failed(session: &mut Session, store: &Store) -> ExitStatus {
    session.tell_store_notes(store);
    session.report(Diagnostic::error(
        "cache/failed",
        "the store could not be read or written",
    ));
    ExitStatus::Usage
}

/// "No store" is an empty store to somebody who looks; an unusable one is an error.
fn status_without_store(session: &Session) -> ExitStatus {
    match session.status_of_diagnostics() {
        ExitStatus::Clean => ExitStatus::Clean,
        _ => ExitStatus::Usage,
    }
}

fn stats(session: &mut Session) -> ExitStatus {
    let Some(store) = open_to_read(session) else {
        return status_without_store(session);
    };
    let Some(statistics) = store.statistics() else {
        return failed(session, &store);
    };
    let path = store.path().unwrap_or(Path::new("")).display().to_string();
    session.set_result(stats_json(&path, session, &statistics));
    session.answer(&format!("store    {path}"));
    session.answer(&format!(
        "size     {} of at most {}",
        human_size(statistics.used_bytes),
        human_size(session.options.store_limit.0)
    ));
    session.answer(&format!("verdicts {}", statistics.total()));
    for ((kind, outcome), counted) in &statistics.entries {
        session.answer(&format!(
            "  {:>8}  {kind}: {outcome}, {}, {} to {}",
            counted.count,
            human_size(counted.bytes),
            utc(counted.oldest),
            utc(counted.newest)
        ));
    }
    session.answer(&format!("subjects {}", statistics.subjects));
    if statistics.damaged > 0 {
        session.answer(&format!(
            "damaged  {} (`stet cache verify` removes them)",
            statistics.damaged
        ));
    }
    ExitStatus::Clean
}

fn stats_json(path: &str, session: &Session, statistics: &Statistics) -> Value {
    let kinds: Vec<Value> = statistics
        .entries
        .iter()
        .map(|((kind, outcome), counted)| {
            json!({
                "kind": kind, "outcome": outcome, "count": counted.count, "bytes": counted.bytes,
                "oldest": counted.oldest, "newest": counted.newest,
            })
        })
        .collect();
    json!({
        "exists": true,
        "path": path,
        "used_bytes": statistics.used_bytes,
        "limit_bytes": session.options.store_limit.0,
        "verdicts": statistics.total(),
        "damaged": statistics.damaged,
        "subjects": statistics.subjects,
        "kinds": kinds,
    })
}

fn gc(session: &mut Session, max_size: Option<ByteSize>) -> ExitStatus {
    if !session.store_path().is_some_and(|path| path.exists()) {
        return removed(session, 0);
    }
    let Some(store) = open_to_write(session) else {
        return ExitStatus::Usage;
    };
    let target = max_size.unwrap_or(session.options.store_limit).0;
    match store.evict_to(target) {
        Some(count) => removed(session, count),
        None => failed(session, &store),
    }
}

fn clear(session: &mut Session, kind: Option<&str>) -> ExitStatus {
    if !session.store_path().is_some_and(|path| path.exists()) {
        return removed(session, 0);
    }
    let Some(store) = open_to_write(session) else {
        return ExitStatus::Usage;
    };
    match store.clear(kind) {
        Some(count) => removed(session, count),
        None => failed(session, &store),
    }
}

fn removed(session: &mut Session, count: u64) -> ExitStatus {
    session.say(&format!("{} removed", counted(count, "verdict")));
    session.set_result(json!({ "removed": count }));
    ExitStatus::Clean
}

fn verify(session: &mut Session) -> ExitStatus {
    let exists = session.store_path().is_some_and(|path| path.exists());
    let store = if exists && session.options.cache == CacheMode::ReadWrite {
        open_to_write(session)
    } else {
        open_to_read(session)
    };
    let Some(store) = store else {
        return status_without_store(session);
    };
    let Some(verification) = store.verify() else {
        return failed(session, &store);
    };
    session.set_result(json!({
        "sound": verification.sound,
        "damaged": verification.damaged,
        "file_problems": verification.file_problems,
    }));
    session.say(&format!(
        "sound: {}",
        counted(verification.sound, "verdict")
    ));
    if verification.damaged > 0 {
        session.report(Diagnostic::error(
            "cache/damaged-entries",
            format!("damaged: {}", counted(verification.damaged, "verdict")),
        ));
    }
    if !verification.file_problems.is_empty() {
        let mut diagnostic = Diagnostic::error("cache/damaged-file", "the file is damaged");
        diagnostic.notes = verification.file_problems;
        session.report(diagnostic);
    }
    session.status_of_diagnostics()
}

/// A number of bytes as people read it.
fn human_size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut size = bytes as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", units[unit])
}
