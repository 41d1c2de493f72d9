//! `stet replay`: run a program natively on recorded test cases.
//!
//! A source or bitcode file, a Rust program or a package is first compiled with the replay library; an executable must have been
//! linked with it (runtime/replay/replay.c). The library takes the values of symbolic objects from the file named by `KTEST_FILE`.

pub(crate) mod native;
mod predicted;
pub(crate) mod rights;
mod rust;

use crate::commands::explore::toolchain;
use crate::exit::ExitStatus;
use crate::output::error_line;
use crate::session::Session;
use predicted::{Judgement, Prediction, Predictions};
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
    /// Recorded test cases, or folders with them, whose runs are compared with what the exploration said.
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

/// A recorded test case.
struct Test {
    path: PathBuf,
    run: native::NativeRun,
    prediction: Option<Prediction>,
    /// It was named by its folder, one of many.
    of_folder: bool,
}

/// How the runs of a folder's tests ended.
#[derive(Debug, Default)]
struct Counts {
    as_predicted: usize,
    otherwise: usize,
    unnoticed: usize,
    apart: usize,
}

/// Carries out the command: clean if every run ended as its exploration predicted, and well where nothing is known of that; inconclusive
/// if some of a folder's runs cannot be compared.
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
    let tests = match read_tests(&options.tests) {
        Ok(tests) => tests,
        Err(diagnostic) => {
            session.report(*diagnostic);
            return ExitStatus::Usage;
        }
    };
    let entry = tests.first().and_then(|test| test.run.entry.as_deref());
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
    let mut counts = Counts::default();
    for test in &tests {
        let ended = match run(test, &program, scratch.path(), rights) {
            Ok(ended) => ended,
            Err(error) => {
                return refuse(
                    session,
                    format!("cannot run `{}`: {error}", program.display()),
                );
            }
        };
        let judgement = match test.run.cannot_be_made() {
            Some(why) => Judgement::Apart(why),
            None => Judgement::of(test.prediction.as_ref(), ended),
        };
        status = match (status, status_of(test, &judgement, ended)) {
            (ExitStatus::Findings, _) | (_, ExitStatus::Findings) => ExitStatus::Findings,
            (ExitStatus::Inconclusive, _) => ExitStatus::Inconclusive,
            (_, status) => status,
        };
        counts.add(&judgement);
        tell(session, test, &judgement, ended);
    }
    if tests.iter().any(|test| test.of_folder) {
        session.answer(&counts.to_string());
    }
    status
}

/// The tests that were named, and those of named folders.
fn read_tests(named: &[PathBuf]) -> Result<Vec<Test>, Box<Diagnostic>> {
    let mut predictions = Predictions::default();
    let mut tests = Vec::new();
    for path in named {
        let of_folder = path.is_dir();
        let files = match of_folder {
            true => tests_of(path)?,
            false => vec![path.clone()],
        };
        for path in files {
            let decoded = crate::input::read_test(&path)?;
            tests.push(Test {
                run: native::NativeRun::of(&decoded),
                prediction: predictions.of(&path),
                path,
                of_folder,
            });
        }
    }
    Ok(tests)
}

/// The tests in a folder, in the order of their names.
fn tests_of(folder: &Path) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    let refused = |what: String| {
        let message = format!("cannot read tests of `{}`: {what}", folder.display());
        Box::new(Diagnostic::error("replay/input", message))
    };
    let entries = std::fs::read_dir(folder).map_err(|error| refused(error.to_string()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut tests: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ext| ext == "ktest"))
        .collect();
    tests.sort();
    match tests.is_empty() {
        true => Err(refused("it has none".to_owned())),
        false => Ok(tests),
    }
}

fn run(
    test: &Test,
    program: &Path,
    scratch: &Path,
    rights: rights::Rights,
) -> std::io::Result<Option<NativeStatus>> {
    let path = test.path.canonicalize();
    let path = path.unwrap_or_else(|_| test.path.clone());
    // the folder above is the model's: one like /tmp, for everybody
    let above = scratch.join("above");
    let place = above.join("files");
    // what one test left behind is no input of the next
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place)?;
    open_as_tmp(&above)?;
    test.run.execute(
        program,
        &place,
        &[("KTEST_FILE", &path)],
        TIME_LIMIT,
        native::How {
            rights,
            quiet: test.of_folder,
        },
    )
}

/// What one run means for the exit status: of a folder's tests, one that cannot be compared leaves the answer open.
fn status_of(test: &Test, judgement: &Judgement, ended: Option<NativeStatus>) -> ExitStatus {
    let is_error = matches!(test.prediction, Some(Prediction::Error(_)));
    match judgement {
        Judgement::AsPredicted if is_error => ExitStatus::Findings,
        Judgement::AsPredicted => ExitStatus::Clean,
        Judgement::Otherwise(_) | Judgement::Unnoticed(_) => ExitStatus::Findings,
        _ if test.of_folder => ExitStatus::Inconclusive,
        _ if ended.is_some_and(|ended| ended.success()) => ExitStatus::Clean,
        _ => ExitStatus::Findings,
    }
}

/// Says how a run ended; of a folder's tests only what was not expected.
fn tell(session: &Session, test: &Test, judgement: &Judgement, ended: Option<NativeStatus>) {
    let name = test.path.display();
    let end = match ended {
        Some(ended) => describe(ended),
        None => format!("stopped after {} s", TIME_LIMIT.as_secs()),
    };
    match judgement {
        Judgement::Otherwise(why) | Judgement::Unnoticed(why) | Judgement::Leaning(why) => {
            session.say(&format!("{name}: {end}; {why}"));
        }
        Judgement::AsPredicted if !test.of_folder => {
            session.say(&format!("{name}: {end}, as predicted"));
        }
        Judgement::Apart(why) if !test.of_folder => {
            session.say(&format!("{name}: {end}; {why}"));
        }
        Judgement::Open if !test.of_folder => session.say(&format!("{name}: {end}")),
        Judgement::AsPredicted | Judgement::Open | Judgement::Apart(_) => {}
    }
}

impl Counts {
    fn add(&mut self, judgement: &Judgement) {
        let count = match judgement {
            Judgement::AsPredicted => &mut self.as_predicted,
            Judgement::Otherwise(_) => &mut self.otherwise,
            Judgement::Unnoticed(_) => &mut self.unnoticed,
            Judgement::Open | Judgement::Apart(_) | Judgement::Leaning(_) => &mut self.apart,
        };
        *count += 1;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} tests ended as predicted, {} otherwise, {} errors had no effect, {} cannot be compared",
            self.as_predicted, self.otherwise, self.unnoticed, self.apart
        )
    }
}

/// Everybody may make files in a folder, and nobody may remove those of others.
fn open_as_tmp(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o1777))
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
