//! Rust programs and packages, built natively with the replay library. Panics abort, as they do where they are explored.

use super::{Options, write_library};
use crate::commands::explore::{package, rust};
use std::path::{Path, PathBuf};
use std::process::Command;
use stet_diag::Diagnostic;

const ENTRIES: &str = include_str!("../../../../../runtime/replay/rust.c");

/// Whether a program is a Rust source file, a manifest or the folder of one.
pub(super) fn is_rust(program: &Path) -> bool {
    let is_source = program.extension().is_some_and(|end| end == "rs");
    is_source || package::manifest(program).is_some()
}

/// The executable; `entry` is the marked function that the tests are of.
pub(super) fn build(
    clang: &Path,
    options: &Options,
    entry: Option<&str>,
    scratch: &Path,
) -> Result<PathBuf, String> {
    let library = write_library(scratch)?;
    let entries = library.with_file_name("rust.c");
    std::fs::write(&entries, ENTRIES)
        .map_err(|error| format!("cannot write a temporary file: {error}"))?;
    let mut objects = Vec::new();
    for source in [library, entries] {
        let object = source.with_extension("o");
        let mut command = Command::new(clang);
        command.args(["-g", "-w", "-fPIC", "-c", "-I"]);
        command.arg(scratch.join("include")).arg(&source);
        run(command.arg("-o").arg(&object))?;
        objects.push(object);
    }
    let message = |problem: Box<Diagnostic>| {
        let notes = problem.notes.iter().map(|note| format!("\n{note}"));
        format!("{}{}", problem.message, notes.collect::<String>())
    };
    let built = match package::manifest(&options.program) {
        Some(manifest) => package::native(&options.cflag, &manifest, entry, &objects),
        None => rust::native(&options.cflag, &options.program, &objects, scratch),
    };
    match built.map_err(message)? {
        rust::Native::Program(program) => Ok(program),
        rust::Native::Library(archive) => {
            let program = scratch.join("program");
            let mut command = Command::new(clang);
            // nothing refers to the entries by name
            command.args(&objects).arg("-Wl,--whole-archive");
            command.arg(archive).arg("-Wl,--no-whole-archive");
            command.args([
                "-lgcc_s",
                "-lutil",
                "-lrt",
                "-lpthread",
                "-lm",
                "-ldl",
                "-o",
            ]);
            run(command.arg(&program))?;
            Ok(program)
        }
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output();
    let output = output.map_err(|error| format!("cannot run `{name}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().next().unwrap_or("no message").to_owned();
    Err(format!("`{name}` failed: {first}"))
}
