//! `stet cache keys`: who signs here, and who is believed.

use crate::exit::ExitStatus;
use crate::session::Session;
use crate::shared;
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;
use stet_diag::Diagnostic;
use stet_remote::keys::{self, Signer};

/// What to do with keys.
#[derive(clap::Subcommand, Debug)]
pub(super) enum Action {
    /// Make a signing key for this user or build server.
    New {
        /// What others will call it, e.g. `ci` or `ann@example.org`.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Believe what is signed with a key.
    Trust {
        /// What to call it here.
        #[arg(value_name = "NAME")]
        name: String,
        /// The public key, as `stet cache keys list` prints it where it was made.
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Believe a signer no longer, also what was fetched before.
    Untrust {
        /// The name it was given here.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Print the own public key and the trusted ones.
    List,
}

/// Carries out an action.
pub(super) fn execute(session: &mut Session, action: &Action) -> ExitStatus {
    let Some(directory) = shared::keys_directory(&session.options) else {
        session.report(
            Diagnostic::error("cache/keys", "there is no place for keys")
                .with_note("set HOME or XDG_CONFIG_HOME, or choose a directory with `--keys`"),
        );
        return ExitStatus::Usage;
    };
    let done = match action {
        Action::New { name } => checked(name).and_then(|()| new(session, &directory, name)),
        Action::Trust { name, key } => {
            checked(name).and_then(|()| trust(session, &directory, name, key))
        }
        Action::Untrust { name } => untrust(session, &directory, name),
        Action::List => list(session, &directory),
    };
    match done {
        Ok(()) => ExitStatus::Clean,
        Err(message) => {
            session.report(Diagnostic::error("cache/keys", message));
            ExitStatus::Usage
        }
    }
}

fn checked(name: &str) -> Result<(), String> {
    match keys::is_name(name) {
        true => Ok(()),
        false => Err(format!(
            "`{name}` cannot be a name: letters, digits and any of `-_.@+` can"
        )),
    }
}

fn new(session: &mut Session, directory: &Path, name: &str) -> Result<(), String> {
    let signer = Signer::generate(name).map_err(|error| error.to_string())?;
    keys::write_signer(directory, &signer).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!(
            "there is a signing key in `{}` already; it is kept",
            directory.display()
        ),
        _ => unwritable(directory, &error),
    })?;
    let key = signer.public_hex();
    session.answer(&format!("{name} {key}"));
    session.say("others believe what it signs after:");
    session.say(&format!("  stet cache keys trust {name} {key}"));
    session.set_result(json!({ "name": name, "key": key }));
    Ok(())
}

fn trust(session: &mut Session, directory: &Path, name: &str, key: &str) -> Result<(), String> {
    let public = keys::public_key(key).ok_or_else(|| format!("`{key}` is not a public key"))?;
    let mut trust = keys::read_trust(directory).map_err(|error| error.to_string())?;
    trust.add(name, public);
    keys::write_trust(directory, &trust).map_err(|error| unwritable(directory, &error))?;
    session.say(&format!("{name} is trusted"));
    Ok(())
}

fn untrust(session: &mut Session, directory: &Path, name: &str) -> Result<(), String> {
    let mut trust = keys::read_trust(directory).map_err(|error| error.to_string())?;
    if !trust.remove(name) {
        return Err(format!("no trusted signer is called `{name}`"));
    }
    keys::write_trust(directory, &trust).map_err(|error| unwritable(directory, &error))?;
    session.say(&format!("{name} is not trusted any more"));
    Ok(())
}

fn list(session: &mut Session, directory: &Path) -> Result<(), String> {
    let signer = keys::read_signer(directory).map_err(|error| error.to_string())?;
    let trust = keys::read_trust(directory).map_err(|error| error.to_string())?;
    let own = signer
        .as_ref()
        .map(|signer| (signer.name().to_owned(), signer.public_hex()));
    match &own {
        Some((name, key)) => session.answer(&format!("signs   {name} {key}")),
        None => session.say("no signing key (`stet cache keys new NAME` makes one)"),
    }
    for (name, key) in trust.list() {
        session.answer(&format!("trusted {name} {key}"));
    }
    let trusted: Vec<_> = trust
        .list()
        .map(|(name, key)| json!({ "name": name, "key": key }))
        .collect();
    let own = own.map(|(name, key)| json!({ "name": name, "key": key }));
    session.set_result(json!({ "own": own, "trusted": trusted }));
    Ok(())
}

fn unwritable(directory: &Path, error: &std::io::Error) -> String {
    format!("cannot write to `{}`: {error}", directory.display())
}
