//! `stet debug`: hidden; makes Stet misbehave so that the conventions for such cases can be tested.

use crate::exit::ExitStatus;
use crate::session::Session;
use std::time::Duration;
use stet_diag::Diagnostic;
use stet_key::KeyBuilder;
use stet_store::{Entry, Outcome, Provenance};

/// Options of `stet debug`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// What to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Panic, as a broken Stet would.
    Panic,
    /// Put a verdict, report a finding, then wait for Ctrl-C or the time limit.
    Wait,
    /// Look a verdict up and put it if it is missing.
    Check {
        /// What the verdict depends on.
        value: u64,
    },
    /// Put a wrong verdict, as a lying signer would.
    Lie {
        /// What the verdict depends on.
        value: u64,
    },
    /// Print many lines.
    Lines,
    /// Loop without ever looking at the budget.
    Spin,
    /// Take memory without end, looking at the budget or not.
    Hoard {
        /// Do not look at the budget.
        #[arg(long)]
        blind: bool,
    },
    /// Read a file and report its first character.
    Read {
        /// The file.
        file: std::path::PathBuf,
    },
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    match options.action {
        Action::Panic => deliberate_panic(),
        Action::Wait => wait(session),
        Action::Check { value } => check(session, value),
        Action::Spin => loop {
            std::hint::spin_loop();
        },
        Action::Hoard { blind } => hoard(session, blind),
        Action::Lie { value } => {
            put(session, value, Outcome::Fails);
            ExitStatus::Clean
        }
        Action::Read { ref file } => read(session, file),
        Action::Lines => {
            (0..100_000).for_each(|n| session.say(&format!("line {n}")));
            ExitStatus::Clean
        }
    }
}

fn hoard(session: &mut Session, blind: bool) -> ExitStatus {
    let mut taken = Vec::new();
    while blind || session.budget().check().is_ok() {
        taken.push(vec![1u8; 1 << 20]);
    }
    session.say(&format!("{} MiB taken", taken.len()));
    ExitStatus::Inconclusive
}

fn read(session: &mut Session, file: &std::path::Path) -> ExitStatus {
    let Some(file) = session.read_source(file) else {
        return ExitStatus::Usage;
    };
    let span = stet_base::Span {
        file,
        start: 0,
        end: 1,
    };
    let finding = Diagnostic::error("debug/found", "a character was found");
    session.report(finding.at_with(span, "here"));
    session.status_of_diagnostics()
}

fn deliberate_panic() -> ExitStatus {
    panic!("a deliberate panic")
}

fn wait(session: &mut Session) -> ExitStatus {
    check(session, 1);
    session.report(Diagnostic::note("debug/waiting", "waiting"));
    while session.budget().check().is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
    session.say("partial results");
    ExitStatus::Inconclusive
}

fn key(value: u64) -> (stet_key::Digest, stet_key::KeyParts) {
    let mut builder = KeyBuilder::new("debug/check");
    builder.part("engine", |e| e.str("debug 1"));
    builder.part("value", |e| e.u64(value));
    builder.finish()
}

fn put(session: &Session, value: u64, outcome: Outcome) {
    let (key, parts) = key(value);
    session.store().put(Entry {
        key,
        kind: "debug/check".into(),
        subject: Some("debug:check".into()),
        outcome,
        evidence: Vec::new(),
        provenance: Provenance::now("debug", "1", ""),
        parts,
    });
}

/// Every obligation of this engine holds.
fn check(session: &mut Session, value: u64) -> ExitStatus {
    let (key, parts) = key(value);
    let request = stet_store::Request {
        kind: "debug/check",
        subject: "debug:check",
        key,
        parts: &parts,
    };
    let store = session.store().clone();
    let Some(entry) = store.lookup(&request) else {
        put(session, value, Outcome::Holds);
        session.report(Diagnostic::note("debug/check", "it holds"));
        return ExitStatus::Clean;
    };
    let since = Some(entry.provenance.created);
    if entry.outcome == Outcome::Holds {
        session.report(Diagnostic::note("debug/check", "it holds").cached(since));
        return ExitStatus::Clean;
    }
    if session.check_cache() || stet_store::is_rechecked(&key) {
        return session.report_cache_mismatch(&key, &key, "it holds");
    }
    session.report(Diagnostic::error("debug/check", "it fails").cached(since));
    ExitStatus::Findings
}
