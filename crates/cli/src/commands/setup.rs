//! `stet setup`: builds the C library, and with `--cxx` the C++ library, that `stet explore` links into programs.
//!
//! The scripts and the few sources of ours they need are carried in this binary; musl and libc++ come from Debian's source packages.

use crate::exit::ExitStatus;
use crate::session::Session;
use std::path::Path;
use std::process::Command;
use stet_diag::Diagnostic;

/// Options of `stet setup`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Build the C++ library, too.
    #[arg(long)]
    cxx: bool,
    /// Build again what is there.
    #[arg(long)]
    force: bool,
}

macro_rules! carried {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../", $name)))),*]
    };
}

/// What the scripts need, below one folder.
const FILES: &[(&str, &str)] = carried![
    "scripts/setup-musl",
    "scripts/setup-cxx",
    "scripts/debian-source",
    "runtime/musl/VERSION",
    "runtime/musl/math.c",
    "runtime/musl/start.c",
    "runtime/musl/threads.c",
    "runtime/musl/overlay/atomic_arch.h",
    "runtime/musl/overlay/pthread_arch.h",
    "runtime/musl/overlay/syscall_arch.h",
];

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let built = build(options);
    match built {
        Ok(()) => ExitStatus::Clean,
        Err(why) => {
            let diagnostic = Diagnostic::error("setup/failed", why);
            session.report(
                diagnostic.with_note("`stet doctor` says what is there and what is missing"),
            );
            ExitStatus::Usage
        }
    }
}

fn build(options: &Options) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("cannot write a temporary file: {error}");
    let folder = tempfile::tempdir().map_err(cannot)?;
    for (name, text) in FILES {
        let path = folder.path().join(name);
        let parent = path.parent().unwrap_or(folder.path());
        std::fs::create_dir_all(parent).map_err(cannot)?;
        std::fs::write(&path, text).map_err(cannot)?;
        make_executable(&path).map_err(cannot)?;
    }
    run(folder.path(), "setup-musl", options.force)?;
    match options.cxx {
        true => run(folder.path(), "setup-cxx", options.force),
        false => Ok(()),
    }
}

fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

/// Runs a script, which says itself what it does.
fn run(folder: &Path, script: &str, force: bool) -> Result<(), String> {
    let mut command = Command::new("bash");
    command.arg(folder.join("scripts").join(script));
    command.args(force.then_some("--force"));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("{script} failed")),
        Err(error) => Err(format!("cannot run bash: {error}")),
    }
}
