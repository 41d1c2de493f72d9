//! `stet cache remote`, `push` and `pull`: the explicit exchange with the shared store.
//!
//! What is pushed and pulled by hand lies in one pack, called [`EVERYTHING`]; programs have packs of their own, which
//! `pull` takes by name.

use super::{open_to_read, open_to_write};
use crate::exit::ExitStatus;
use crate::output::counted;
use crate::session::Session;
use crate::shared;
use serde_json::json;
use std::sync::Arc;
use stet_diag::Diagnostic;
use stet_remote::Remote;
use stet_store::{Mode, News, RemoteTier};

/// The pack of `push`.
const EVERYTHING: &str = "everything";

/// Nobody waits for a verdict here.
const PATIENCE: f64 = 10.0;

/// Says whether the shared store can be used.
pub(super) fn remote(session: &mut Session) -> ExitStatus {
    let Some((remote, url)) = connect(session) else {
        return ExitStatus::Usage;
    };
    let signer = shared::people(&session.options).ok().and_then(|people| {
        let signer = people.signer?;
        Some(format!("{} {}", signer.name(), signer.public_hex()))
    });
    session.answer(&format!("shared store {url}"));
    let signs = signer.as_deref().unwrap_or("nobody: nothing is sent");
    session.answer(&format!("signs        {signs}"));
    match remote.ping() {
        Ok(time) => {
            let millis = time.as_secs_f64() * 1000.0;
            session.answer(&format!("answers in   {millis:.1} ms"));
            session.set_result(json!({ "url": url, "signer": signer, "answers_in_ms": millis }));
            ExitStatus::Clean
        }
        Err(error) => trouble(session, &url, &error.to_string()),
    }
}

/// Sends what this machine found out.
pub(super) fn push(session: &mut Session, kind: Option<&str>) -> ExitStatus {
    let Some(store) = open_to_read(session) else {
        return ExitStatus::Usage;
    };
    let Some((remote, url)) = connect(session) else {
        return ExitStatus::Usage;
    };
    if shared::people(&session.options).is_ok_and(|people| people.signer.is_none()) {
        session.report(
            Diagnostic::error(
                "cache/keys",
                "there is no signing key: nobody would believe it",
            )
            .with_note("`stet cache keys new NAME` makes one"),
        );
        return ExitStatus::Usage;
    }
    remote.begin(EVERYTHING);
    store.for_each_entry(|entry| {
        if kind.is_none_or(|kind| kind == &*entry.kind) {
            remote.tell(&Arc::new(entry), News::Added);
        }
        true
    });
    remote.flush();
    if let Some(note) = remote.take_notes().into_iter().next() {
        return trouble(session, &url, &note.message);
    }
    let traffic = remote.traffic();
    session.say(&format!(
        "{} sent to {url}, {} bytes",
        counted(traffic.sent, "verdict"),
        traffic.bytes_sent
    ));
    session.set_result(json!({ "sent": traffic.sent, "bytes": traffic.bytes_sent }));
    ExitStatus::Clean
}

/// Fetches packs, for runs without a connection.
pub(super) fn pull(session: &mut Session, names: &[String]) -> ExitStatus {
    if open_to_write(session).is_none() {
        return ExitStatus::Usage;
    }
    let Some((remote, url)) = connect(session) else {
        return ExitStatus::Usage;
    };
    let everything = [EVERYTHING.to_owned()];
    let names = if names.is_empty() {
        &everything[..]
    } else {
        names
    };
    let mut total = 0;
    for name in names {
        match remote.pull(name) {
            Ok(Some(count)) => total += count as u64,
            Ok(None) => {
                let message = format!("the shared store has no pack called `{name}`");
                session.report(Diagnostic::warning("cache/no-pack", message));
            }
            Err(error) => return trouble(session, &url, &error.to_string()),
        }
    }
    session.say(&format!(
        "{} fetched; each counts when what it is about is checked, and its signer is trusted",
        counted(total, "sealed verdict")
    ));
    session.set_result(json!({ "fetched": total }));
    ExitStatus::Clean
}

fn connect(session: &mut Session) -> Option<(Arc<Remote>, String)> {
    let url = shared::url(&session.options).ok().flatten();
    let Some(url) = url else {
        session.report(
            Diagnostic::error("cache/no-remote", "no shared store is named")
                .with_note("name it with `--remote URL`, or `remote = \"URL\"` in stet.toml"),
        );
        return None;
    };
    let mut options = session.options.clone();
    options.shared.remote_wait.0 = options.shared.remote_wait.0.max(PATIENCE);
    let people = shared::people(&options).ok()?;
    let shown = url.to_string();
    let path = session.store_path();
    let remote = shared::open(
        &options,
        Some(url),
        people,
        path.as_deref(),
        Mode::ReadWrite,
    )?;
    Some((remote, shown))
}

fn trouble(session: &mut Session, url: &str, error: &str) -> ExitStatus {
    session.report(Diagnostic::error(
        "cache/remote",
        format!("the shared store {url} failed: {error}"),
    ));
    ExitStatus::Usage
}
