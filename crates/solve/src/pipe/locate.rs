//! Which prover: its kind, where its executable is, and its identity (part of every key that depends on it).
//!
//! Search order: the path given by the user, then `STET_Z3` or `STET_CVC5`, then the directories of `PATH`.

use super::PipeError;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use stet_key::Digest;

/// The provers Stet speaks with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProverKind {
    /// Z3, the default.
    Z3,
    /// cvc5.
    Cvc5,
}

impl ProverKind {
    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ProverKind::Z3 => "z3",
            ProverKind::Cvc5 => "cvc5",
        }
    }

    fn variable(self) -> &'static str {
        match self {
            ProverKind::Z3 => "STET_Z3",
            ProverKind::Cvc5 => "STET_CVC5",
        }
    }
}

/// How to start a prover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProverConfig {
    pub kind: ProverKind,
    pub path: PathBuf,
    pub arguments: Vec<String>,
    /// The memory it may use, in megabytes.
    pub memory_megabytes: Option<u32>,
    /// Everything sent is also appended to this file.
    pub log: Option<PathBuf>,
}

impl ProverConfig {
    /// The plain configuration for an executable.
    pub fn new(kind: ProverKind, path: PathBuf) -> Self {
        ProverConfig {
            kind,
            path,
            arguments: Vec::new(),
            memory_megabytes: None,
            log: None,
        }
    }

    /// The plain configuration for the executable that [`locate`] finds; if there is none, [`identify`] says so.
    pub fn located(kind: ProverKind, given: Option<&Path>) -> Self {
        let otherwise = given.unwrap_or(Path::new(kind.name()));
        let path = locate(kind, given).unwrap_or_else(|_| otherwise.to_owned());
        ProverConfig::new(kind, path)
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        match self.kind {
            ProverKind::Z3 => {
                command.args(["-smt2", "-in"]);
                if let Some(megabytes) = self.memory_megabytes {
                    command.arg(format!("-memory:{megabytes}"));
                }
            }
            ProverKind::Cvc5 => {
                command.args(["--lang=smt2", "--incremental", "--produce-models"]);
            }
        }
        command.args(&self.arguments);
        // Provers take and return much memory for every question; a quarter of a small question's time is page faults.
        if std::env::var_os(ALLOCATOR_VARIABLE).is_none() {
            command.env(ALLOCATOR_VARIABLE, ALLOCATOR);
        }
        command
    }
}

/// Settings of the C library's allocator (ignored by others): large pages where the system offers them, and memory is
/// not returned to the system between questions.
const ALLOCATOR_VARIABLE: &str = "GLIBC_TUNABLES";
const ALLOCATOR: &str = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216:\
                         glibc.malloc.trim_threshold=268435456:glibc.malloc.mmap_threshold=268435456";

/// Which prover exactly; two provers with equal identities are taken to answer alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProverIdentity {
    pub kind: ProverKind,
    /// What it says its version is, e.g. `Z3 version 4.8.12 - 64 bit`.
    pub version: String,
    /// The digest of its executable: a wrapper may say the same version and answer differently.
    pub executable: Digest,
}

impl ProverIdentity {
    /// The numbers of the version, e.g. `[4, 8, 12]`; empty if it has none.
    pub fn numbers(&self) -> Vec<u32> {
        let start = self.version.find(|c: char| c.is_ascii_digit());
        let digits = start.map_or("", |start| &self.version[start..]);
        // "Z3 version 4.8.12": the digit in the name is not the version.
        let digits = self
            .version
            .split_once("version ")
            .map_or(digits, |(_, rest)| rest);
        let end = digits
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(digits.len());
        digits[..end]
            .split('.')
            .filter_map(|part| part.parse().ok())
            .collect()
    }
}

/// Finds the executable of a prover.
pub fn locate(kind: ProverKind, given: Option<&Path>) -> Result<PathBuf, PipeError> {
    if let Some(path) = given {
        return executable(path).ok_or_else(|| {
            PipeError::NotFound(format!("`{}` is not an executable file", path.display()))
        });
    }
    let variable = kind.variable();
    if let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) {
        let path = PathBuf::from(value);
        return executable(&path).ok_or_else(|| {
            let shown = path.display();
            PipeError::NotFound(format!("{variable}=`{shown}` is not an executable file"))
        });
    }
    let directories = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&directories)
        .find_map(|directory| executable(&directory.join(kind.name())))
        .ok_or_else(|| {
            PipeError::NotFound(format!(
                "`{}` is in no directory of PATH; install it, or name it by --prover-path or {variable}",
                kind.name()
            ))
        })
}

fn executable(path: &Path) -> Option<PathBuf> {
    let metadata = std::fs::metadata(path).ok()?;
    metadata.is_file().then(|| path.to_owned())
}

/// How long a prover may take to say its version.
const IDENTIFY_LIMIT: Duration = Duration::from_secs(10);

/// Asks a prover for its version.
pub fn identify(config: &ProverConfig) -> Result<ProverIdentity, PipeError> {
    if executable(&config.path).is_none() {
        let given = Some(&*config.path).filter(|path| *path != Path::new(config.kind.name()));
        locate(config.kind, given)?;
    }
    let cannot_start = |error: std::io::Error| {
        PipeError::CannotStart(format!("{}: {error}", config.path.display()))
    };
    let mut child = Command::new(&config.path)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(cannot_start)?;
    let (sender, receiver) = std::sync::mpsc::channel();
    if let Some(mut stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut output = Vec::new();
            // What was said before an error is looked at like anything else.
            let _ = stdout.read_to_end(&mut output);
            let _ = sender.send(output);
        });
    }
    let output = receiver.recv_timeout(IDENTIFY_LIMIT);
    // It has said what it had to say, or will not.
    let _ = child.kill();
    let _ = child.wait();
    let output = output.map_err(|_| PipeError::TimedOut)?;
    let text = String::from_utf8_lossy(&output);
    let version = text.lines().next().unwrap_or("").trim();
    if version.is_empty() {
        return Err(PipeError::Garbage("nothing to `--version`".to_owned()));
    }
    Ok(ProverIdentity {
        kind: config.kind,
        version: version.to_owned(),
        executable: executable_digest(&config.path)?,
    })
}

/// The digest of the content of an executable, computed once per process and [stamp](executable_stamp).
pub fn executable_digest(path: &Path) -> Result<Digest, PipeError> {
    static KNOWN: Mutex<Vec<(String, Digest)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let stamp = executable_stamp(path);
    let same = |(known, _): &&(String, Digest)| Some(known) == stamp.as_ref();
    if let Some((_, digest)) = known.iter().find(same) {
        return Ok(*digest);
    }
    let content = std::fs::read(path)
        .map_err(|error| PipeError::CannotStart(format!("{}: {error}", path.display())))?;
    let digest = Digest::of_bytes(&content);
    known.extend(stamp.map(|stamp| (stamp, digest)));
    Ok(digest)
}

/// Identifies the running build of Stet, as far as this machine is concerned.
pub fn running_build() -> Option<String> {
    executable_stamp(&std::env::current_exe().ok()?)
}

/// What changes when an executable is replaced: its real path, size and time of change.
pub fn executable_stamp(path: &Path) -> Option<String> {
    let real = std::fs::canonicalize(path).ok()?;
    let metadata = std::fs::metadata(&real).ok()?;
    let changed = metadata.modified().ok()?;
    let since = changed.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!(
        "{} {} {}.{:09}",
        real.display(),
        metadata.len(),
        since.as_secs(),
        since.subsec_nanos()
    ))
}
