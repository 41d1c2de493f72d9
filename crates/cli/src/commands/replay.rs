//! `stet replay`: run a program natively on recorded test cases.
//!
//! A source or bitcode file, a Rust program or a package is first compiled with the replay library; an executable must have been
//! linked with it (runtime/replay/replay.c). The library takes the values of symbolic objects from the file named by `KTEST_FILE`.

pub(crate) mod native;
pub(crate) mod rights;
mod rust;

use crate::commands::explore::toolchain;
use crate::exit::ExitStatus;
use crate::output::error_line;
use crate::session::Session;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus as NativeStatus};
use stet_diag::Diagnostic;

/// The time for one run.
const TIME_LIMIT: std::time::Duration = std::time::Duration::from_secs(60);

const LIBRARY: &str = include_str!("../../../../runtime/replay/replay.c");
const HEADER: &str = include_str!("../../../../runtime/include/klee/klee.h");

/// Options of `stet replay`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// The program: C, C++, LLVM IR, Rust (a file, a Cargo.toml or its folder), or an executable linked with the replay library.
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The recorded test cases.
    #[arg(required = true, value_name = "TEST")]
    tests: Vec<PathBuf>,
    /// The compiler [default: clang, clang-19, … on the path].
    #[arg(long, value_name = "PATH")]
    clang: Option<PathBuf>,
    /// Build without AddressSanitizer.
    #[arg(long)]
    plain: bool,
    /// A further flag for the compiler; may be repeated.
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    cflag: Vec<String>,
    /// Run the program with root's rights, not as user `nobody`, if root replays.
    #[arg(long)]
    as_root: bool,
}

/// Carries out the command: clean if every run ended with status 0.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let scratch = match tempfile::tempdir() {
        Ok(scratch) => scratch,
        Err(error) => {
            return refuse(
                session,
                format!("cannot create a temporary directory: {error}"),
            );
        }
    };
    let mut runs = Vec::new();
    for test in &options.tests {
        match crate::input::read_test(test) {
            Ok(decoded) => runs.push((test, native::NativeRun::of(&decoded))),
            Err(diagnostic) => {
                session.report(*diagnostic);
                return ExitStatus::Usage;
            }
        }
    }
    let entry = runs.first().and_then(|(_, run)| run.entry.as_deref());
    let program = match build(options, entry, scratch.path()) {
        Ok(program) => program,
        Err(message) => return refuse(session, message),
    };
    let rights = rights::Rights::of_caller(options.as_root);
    if let Some(note) = rights.note() {
        error_line(&format!("stet replay: {note}"));
        open_to_all(scratch.path());
    }
    let mut status = ExitStatus::Clean;
    for (test, run) in &runs {
        let path = test.canonicalize().unwrap_or_else(|_| test.to_path_buf());
        if run.needs_terminal {
            session.say(&format!(
                "{}: a stream is a terminal in this test, and is none here",
                test.display()
            ));
        }
        let place = scratch.path().join("files");
        let made = std::fs::create_dir_all(&place);
        let ended = made.and_then(|()| {
            run.execute(
                &program,
                &place,
                &[("KTEST_FILE", &path)],
                TIME_LIMIT,
                native::How {
                    rights,
                    quiet: false,
                },
            )
        });
        match ended {
            Ok(None) => {
                session.say(&format!(
                    "{}: stopped after {} s",
                    test.display(),
                    TIME_LIMIT.as_secs()
                ));
                status = ExitStatus::Findings;
            }
            Ok(Some(ended)) => {
                session.say(&format!("{}: {}", test.display(), describe(ended)));
                if !ended.success() {
                    status = ExitStatus::Findings;
                }
            }
            Err(error) => {
                return refuse(
                    session,
                    format!("cannot run `{}`: {error}", program.display()),
                );
            }
        }
    }
    status
}

/// Another user finds the program in a folder of ours.
fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    // without it the program is copied
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755));
}

fn refuse(session: &mut Session, message: String) -> ExitStatus {
    session.report(Diagnostic::error("replay/input", message));
    ExitStatus::Usage
}

fn describe(status: NativeStatus) -> String {
    if let Some(code) = status.code() {
        return format!("exit status {code}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("killed by signal {signal}");
        }
    }
    "ended abnormally".to_owned()
}

fn find_clang(options: &Options) -> Result<PathBuf, String> {
    let given = options.clang.clone();
    let found = given.or_else(|| toolchain::find_tool("clang", None));
    found.ok_or_else(|| "compiling needs clang, which is not on the path".to_owned())
}

/// Writes the replay library and its header; the path of its source.
fn write_library(scratch: &Path) -> Result<PathBuf, String> {
    let include = scratch.join("include").join("klee");
    let library = scratch.join("replay").join("replay.c");
    let write = || {
        std::fs::create_dir_all(&include)?;
        std::fs::create_dir_all(scratch.join("replay"))?;
        std::fs::write(include.join("klee.h"), HEADER)?;
        std::fs::write(&library, LIBRARY)
    };
    let written = write();
    written.map_err(|error: std::io::Error| format!("cannot write a temporary file: {error}"))?;
    Ok(library)
}

/// Faults of memory are shown where they happen, unless the user wants the plain program.
fn sanitizer(options: &Options) -> &'static [&'static str] {
    match options.plain {
        true => &[],
        false => &["-fsanitize=address", "-fno-omit-frame-pointer"],
    }
}

/// The executable to run.
fn build(options: &Options, entry: Option<&str>, scratch: &Path) -> Result<PathBuf, String> {
    let program = &options.program;
    if !program.exists() {
        return Err(format!("cannot read `{}`: no such file", program.display()));
    }
    if rust::is_rust(program) {
        let clang = find_clang(options)?;
        return rust::build(&clang, options, entry, scratch);
    }
    let extension = program.extension().and_then(|extension| extension.to_str());
    if !matches!(extension, Some("c" | "cc" | "cpp" | "cxx" | "ll" | "bc")) {
        return Ok(std::path::absolute(program).unwrap_or_else(|_| program.clone()));
    }
    let clang = find_clang(options)?;
    let library = write_library(scratch)?;
    let executable = scratch.join("program");
    let compile = |sanitizer: &[&str]| {
        Command::new(&clang)
            .args(["-g", "-w"])
            .args(sanitizer)
            .arg("-I")
            .arg(scratch.join("include"))
            .args(&options.cflag)
            .arg(program)
            .arg(&library)
            .args(["-lm", "-o"])
            .arg(&executable)
            .output()
            .map_err(|error| format!("cannot run `{}`: {error}", clang.display()))
    };
    let mut output = compile(sanitizer(options))?;
    // Debian has the sanitizer's runtime in a package of its own; the plain program still shows how it ends.
    if String::from_utf8_lossy(&output.stderr).contains("libclang_rt.asan") {
        error_line(
            "stet replay: AddressSanitizer is not installed (Debian: libclang-rt-19-dev); built without it",
        );
        output = compile(&[])?;
    }
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let first = text.lines().next().unwrap_or("").to_owned();
        return Err(format!("`{}` does not compile: {first}", program.display()));
    }
    Ok(executable)
}
