//! The shared store as the command line sets it up: which server, in which role, whose keys.
//!
//! `--store URL` (or `--remote URL` beside a local `--store PATH`) names the server. Keys are in a directory of the
//! user's configuration; a build server may hand the signing key over in `STET_SIGNING_KEY`.

use crate::options::{GlobalOptions, Seconds};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use stet_diag::Diagnostic;
use stet_remote::keys::{self, Signer, Trust};
use stet_remote::{Evidence, Remote, RemoteConfig, Role, Url};
use stet_store::Mode;

/// The variable with the text of a signing key.
pub(crate) const SIGNING_KEY: &str = "STET_SIGNING_KEY";

/// Kinds of which there are too many to send one by one.
const PACKED: &[&str] = &["explore/query"];
/// Kinds that mean nothing on another machine.
const LOCAL: &[&str] = &["verify/prover"];
/// Kinds whose evidence is numbers only: it says nothing to somebody without the program.
const SILENT: &[&str] = &["verify/implementation", "verify/undecided", "debug/check"];

/// Options about the shared store.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Shared store")]
pub(crate) struct SharedOptions {
    /// The store of the team: `redis://`, `s3://`, `https://` or `file://` (docs/SHARED.md).
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) remote: Option<String>,
    /// What may be done with it [default: read-write with a signing key, else read-only].
    #[arg(long, global = true, value_enum, value_name = "ROLE")]
    pub(crate) remote_role: Option<RoleName>,
    /// Go on without it after this many seconds without an answer.
    #[arg(long, global = true, value_name = "SECONDS", default_value = "0.3")]
    pub(crate) remote_wait: Seconds,
    /// How evidence is sent: encrypted (`evidence=sealed`) or not at all (`evidence=none`).
    #[arg(
        long,
        global = true,
        value_name = "WHAT",
        default_value = "evidence=sealed"
    )]
    pub(crate) share: Share,
    /// Signing key and trusted keys [default: stet/keys in the user's configuration directory].
    #[arg(long, global = true, value_name = "DIRECTORY")]
    pub(crate) keys: Option<PathBuf>,
}

/// The roles by name.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RoleName {
    /// Believe its verdicts, send none.
    ReadOnly,
    /// Send verdicts, ask for none.
    WriteOnly,
    /// Both.
    ReadWrite,
}

/// What of the evidence is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share(Evidence);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "evidence=sealed" => Ok(Share(Evidence::Sealed)),
            "evidence=none" => Ok(Share(Evidence::None)),
            _ => Err("`evidence=sealed` or `evidence=none` is expected".to_owned()),
        }
    }
}

/// How much of what is reused is recomputed and compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum CheckCache {
    /// Nothing.
    Off,
    /// A random share of the verdicts, in percent.
    Sample(f64),
    /// Everything.
    All,
}

impl FromStr for CheckCache {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = |text: &str| {
            let percent = text.strip_prefix("sample:")?.strip_suffix('%')?;
            let percent = percent.parse::<f64>().ok()?;
            (0.0..=100.0).contains(&percent).then_some(percent)
        };
        match text {
            "all" | "true" => Ok(CheckCache::All),
            "off" | "false" => Ok(CheckCache::Off),
            _ => share(text)
                .map(CheckCache::Sample)
                .ok_or_else(|| "`all`, `off` or `sample:1%` is expected".to_owned()),
        }
    }
}

/// Whose signature goes on what is sent, and whose entries are believed.
#[derive(Debug)]
pub(crate) struct People {
    pub(crate) signer: Option<Signer>,
    pub(crate) trust: Trust,
}

/// The server that the options name, if any.
pub(crate) fn url(options: &GlobalOptions) -> Result<Option<Url>, Box<Diagnostic>> {
    let Some(text) = url_text(options) else {
        return Ok(None);
    };
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let parsed = Url::parse(&text, &variable);
    parsed.map(Some).map_err(|problem| {
        Box::new(
            Diagnostic::error(
                "cli/usage",
                format!("the shared store cannot be used: {problem}"),
            )
            .with_note("docs/SHARED.md explains the addresses"),
        )
    })
}

fn url_text(options: &GlobalOptions) -> Option<String> {
    let store = options.store.as_ref().and_then(|path| path.to_str());
    let in_store = store.filter(|text| Url::is_meant(text));
    let in_store = in_store.map(str::to_owned);
    options.shared.remote.clone().or(in_store)
}

/// The local file that `--store` names, unless it names a server.
pub(crate) fn local_path(options: &GlobalOptions) -> Option<PathBuf> {
    let path = options.store.clone()?;
    let is_url = path.to_str().is_some_and(Url::is_meant);
    (!is_url).then_some(path)
}

/// The keys of this user.
pub(crate) fn people(options: &GlobalOptions) -> Result<People, Box<Diagnostic>> {
    let fault = |error: std::io::Error| {
        Box::new(Diagnostic::error(
            "cache/keys",
            format!("the keys cannot be read: {error}"),
        ))
    };
    let mut people = People {
        signer: None,
        trust: Trust::default(),
    };
    if let Some(directory) = keys_directory(options) {
        people.trust = keys::read_trust(&directory).map_err(fault)?;
        people.signer = keys::read_signer(&directory).map_err(fault)?;
    }
    if let Some(text) = std::env::var_os(SIGNING_KEY).filter(|text| !text.is_empty()) {
        let signer = text.to_str().and_then(Signer::parse).ok_or_else(|| {
            Box::new(Diagnostic::error(
                "cache/keys",
                format!("{SIGNING_KEY} is not the text of a signing key"),
            ))
        })?;
        people.signer = Some(signer);
    }
    if let Some(signer) = &people.signer {
        people.trust.add(signer.name(), *signer.public().as_bytes());
    }
    Ok(people)
}

/// `--keys`, else `stet/keys` in `$XDG_CONFIG_HOME` or `~/.config`.
pub(crate) fn keys_directory(options: &GlobalOptions) -> Option<PathBuf> {
    if let Some(directory) = &options.shared.keys {
        return Some(directory.clone());
    }
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let base = match set("XDG_CONFIG_HOME") {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(set("HOME")?).join(".config"),
    };
    Some(base.join("stet").join("keys"))
}

/// The layer behind the local file; `None` if nothing is shared.
pub(crate) fn open(
    options: &GlobalOptions,
    url: Option<Url>,
    people: People,
    local: Option<&Path>,
    mode: Mode,
) -> Option<Arc<Remote>> {
    let beside = |ending: &str| {
        let mut path = local?.as_os_str().to_owned();
        path.push(ending);
        Some(PathBuf::from(path))
    };
    let packs = beside(".packs");
    if mode == Mode::Off || (url.is_none() && !packs.as_ref().is_some_and(|path| path.is_dir())) {
        return None;
    }
    let role = match options.shared.remote_role {
        _ if mode != Mode::ReadWrite => Role::ReadOnly,
        Some(RoleName::ReadOnly) => Role::ReadOnly,
        Some(RoleName::WriteOnly) => Role::WriteOnly,
        Some(RoleName::ReadWrite) => Role::ReadWrite,
        None if people.signer.is_some() => Role::ReadWrite,
        None => Role::ReadOnly,
    };
    Some(Remote::open(RemoteConfig {
        url,
        role,
        signer: people.signer,
        trust: people.trust,
        evidence: options.shared.share.0,
        wait: Duration::from_secs_f64(options.shared.remote_wait.0),
        pause_file: beside(".pause"),
        packs,
        packed_kinds: PACKED,
        local_kinds: LOCAL,
        silent_kinds: SILENT,
    }))
}
