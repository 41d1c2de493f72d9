//! Rust programs: `rustc` makes one text of the program and the standard library, with panics that abort.
//!
//! The crate `stet` (symbolic values, assumptions, `#[stet::explore]`) is carried in this binary and compiled beside the program.
//! [`compile`] takes one source file; packages go through `package`. What rustc wrote is then completed ([`complete`]): each
//! marked function gets an entry, and a `main` without arguments is called directly where no C library is there to start it.

use super::Options;
use super::toolchain::{Prepared, problem};
use std::path::{Path, PathBuf};
use std::process::Command;
use stet_diag::Diagnostic;

const CRATE: &str = include_str!("../../../../../runtime/rust/stet.rs");
const MACROS: &str = include_str!("../../../../../runtime/rust/macros.rs");

/// The name of the crate of a program that is one file.
const PROGRAM: &str = "explored";

/// The section that `#[stet::explore]` puts its entries in.
const SECTION: &str = "section \"stet_explore\"";

/// A function to explore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Its path in the program.
    pub(crate) name: String,
    /// The function of the module to start at.
    pub(crate) symbol: String,
}

/// A Rust program as one module of IR with the standard library in it.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The IR text, the standard library included.
    pub(crate) text: PathBuf,
    /// The marked functions, or `main` alone if there are none.
    pub(crate) entries: Vec<Entry>,
}

/// The flags for code that is explored; without any optimisation most of the time goes into the standard library's own calls,
/// and what Rust checks at run time survives all of it.
pub(super) fn code_flags(options: &Options) -> Vec<String> {
    let level = format!("opt-level={}", options.opt_level.max(1));
    let flags = [
        "panic=abort",
        "lto=fat",
        "codegen-units=1",
        "debuginfo=line-tables-only",
        "overflow-checks=on",
        "debug-assertions=on",
        "no-vectorize-loops",
        "no-vectorize-slp",
        &level,
    ];
    flags
        .iter()
        .flat_map(|flag| ["-C".to_owned(), (*flag).to_owned()])
        .collect()
}

/// Compiles a program of one file.
pub(crate) fn compile(options: &Options, file: &Path, scratch: &Path) -> Prepared<Compiled> {
    let library = build_crate(scratch)?;
    let text = scratch.join("rust.ll");
    let source = std::fs::read_to_string(file).unwrap_or_default();
    let mut command = Command::new("rustc");
    command.args([
        "--edition",
        "2024",
        "--crate-name",
        PROGRAM,
        "--cfg",
        "stet",
    ]);
    // the link step is where the standard library joins; its result is not needed
    command.args(["-C", "linker=true"]);
    command.args(code_flags(options));
    if source.contains("stet::explore]") {
        command.args(["--crate-type", "staticlib", "-A", "dead-code"]);
    }
    command.arg("--extern");
    command.arg(format!("stet={}", library.display()));
    command.arg("-L").arg(scratch);
    command.arg("--emit").arg(format!(
        "llvm-ir={},link={}",
        text.display(),
        scratch.join("rust.out").display()
    ));
    command.args(&options.cflag).arg(file);
    run(&mut command, &file.display().to_string())?;
    complete(&text, &scratch.join("explored.ll"), PROGRAM)
}

/// Builds a program of one file natively, with objects that are linked to it.
pub(crate) fn native(
    flags: &[String],
    file: &Path,
    objects: &[PathBuf],
    scratch: &Path,
) -> Prepared<Native> {
    let library = build_crate(scratch)?;
    let source = std::fs::read_to_string(file).unwrap_or_default();
    let is_library = source.contains("stet::explore]");
    let out = scratch.join(if is_library {
        "libprogram.a"
    } else {
        "program"
    });
    let mut command = Command::new("rustc");
    command.args(["--edition", "2024", "--crate-name", PROGRAM]);
    command.args(["--cfg", "stet", "-g", "-C", "panic=abort"]);
    command.args(["-C", "overflow-checks=on", "-C", "debug-assertions=on"]);
    match is_library {
        true => command.args(["--crate-type", "staticlib", "-A", "dead-code"]),
        false => command.args(link_flags(objects)),
    };
    command
        .arg("--extern")
        .arg(format!("stet={}", library.display()));
    command.arg("-L").arg(scratch).args(flags);
    command.arg(file).arg("-o").arg(&out);
    run(&mut command, &file.display().to_string())?;
    Ok(match is_library {
        true => Native::Library(out),
        false => Native::Program(out),
    })
}

/// What a native build made.
#[derive(Debug)]
pub(crate) enum Native {
    Program(PathBuf),
    /// An archive, to be linked.
    Library(PathBuf),
}

/// The flags that link objects, and keep the entries that only they look at.
pub(super) fn link_flags(objects: &[PathBuf]) -> Vec<String> {
    let objects = objects.iter().map(|object| object.display().to_string());
    let all = objects.chain(["-Wl,--no-gc-sections".to_owned()]);
    all.flat_map(|flag| ["-C".to_owned(), format!("link-arg={flag}")])
        .collect()
}

/// Compiles the crate `stet` and its macros into a folder; the path of the library.
pub(super) fn build_crate(folder: &Path) -> Prepared<PathBuf> {
    let library = folder.join("libstet.rlib");
    let macros = folder.join(format!(
        "{}stet_macros{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    for (name, text) in [("macros.rs", MACROS), ("stet.rs", CRATE)] {
        if let Err(error) = std::fs::write(folder.join(name), text) {
            let message = format!("cannot write `{}`: {error}", folder.join(name).display());
            return problem("explore/scratch", message);
        }
    }
    let common = ["--edition", "2024", "-C", "opt-level=1"];
    let mut command = Command::new("rustc");
    command
        .args(common)
        .args(["--crate-name", "stet_macros", "--crate-type", "proc-macro"]);
    command.arg(folder.join("macros.rs")).arg("-o").arg(&macros);
    run(&mut command, "the crate `stet`")?;
    let mut command = Command::new("rustc");
    command
        .args(common)
        .args(["--crate-name", "stet", "--crate-type", "rlib"]);
    command.args(["-C", "panic=abort", "--extern"]);
    command.arg(format!("stet_macros={}", macros.display()));
    command.arg(folder.join("stet.rs")).arg("-o").arg(&library);
    run(&mut command, "the crate `stet`")?;
    Ok(library)
}

/// The digest of everything that decides what [`build_crate`] builds.
pub(super) fn crate_digest() -> String {
    let mut digest = stet_key::Encoder::new();
    digest.str(CRATE);
    digest.str(MACROS);
    digest.str(&version().unwrap_or_default());
    digest.digest_of_all().to_hex()
}

/// What `rustc -vV` says.
pub(super) fn version() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok()?;
    let is_good = output.status.success();
    is_good.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a compiler; what it says if it fails.
pub(super) fn run(command: &mut Command, what: &str) -> Prepared<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Err(error) => problem(
            "explore/rustc",
            format!("Rust input needs {name}, which cannot be run: {error}"),
        ),
        Ok(output) if !output.status.success() => {
            let mut diagnostic =
                Diagnostic::error("explore/rustc", format!("{what} does not compile"));
            for line in String::from_utf8_lossy(&output.stderr).lines().take(40) {
                diagnostic = diagnostic.with_note(line.to_owned());
            }
            Err(Box::new(diagnostic))
        }
        Ok(_) => Ok(()),
    }
}

/// Adds entries to a text of rustc's and finds the functions to explore.
pub(super) fn complete(text: &Path, completed: &Path, crate_name: &str) -> Prepared<Compiled> {
    let mut module = match std::fs::read_to_string(text) {
        Ok(module) => module,
        Err(error) => {
            let message = format!("rustc wrote no LLVM IR to `{}`: {error}", text.display());
            return problem("explore/rustc", message);
        }
    };
    let mut entries = Vec::new();
    let mut added = String::new();
    for (name, function) in marked_functions(&module) {
        let symbol = format!("stet.explore.{}", entries.len());
        added +=
            &format!("\ndefine void @{symbol}() {{\n  call void {function}()\n  ret void\n}}\n");
        entries.push(Entry { name, symbol });
    }
    if let Some(own) = own_main(&module, crate_name) {
        added += &format!("\ndefine i32 @stet.main() {{\n  call void {own}()\n  ret i32 0\n}}\n");
    }
    if entries.is_empty() && module.contains("@main(") {
        let symbol = "main".to_owned();
        let name = symbol.clone();
        entries.push(Entry { name, symbol });
    }
    module += &added;
    match std::fs::write(completed, module) {
        Ok(()) => Ok(Compiled {
            text: completed.to_owned(),
            entries,
        }),
        Err(error) => problem(
            "explore/scratch",
            format!("cannot write a temporary file: {error}"),
        ),
    }
}

/// The functions that `#[stet::explore]` marks: their paths, and their names in the module; in the order of their paths.
fn marked_functions(module: &str) -> Vec<(String, String)> {
    let lines = module.lines().filter(|line| line.contains(SECTION));
    let mut found: Vec<(String, String)> = lines
        .filter_map(|line| {
            let (_, value) = line.split_once("<{ ptr @")?;
            let (function, rest) = value.split_once(',')?;
            let (_, text) = rest.split_once("c\"")?;
            let (name, _) = text.split_once('"')?;
            let name = name.trim_end_matches("\\00");
            Some((name.to_owned(), format!("@{function}")))
        })
        .collect();
    found.sort();
    found
}

/// The name of the program's main function, mangled in either way, if it takes and returns nothing.
fn own_main(module: &str, crate_name: &str) -> Option<String> {
    let is_own = |name: &str| {
        let mangled = format!("{}{crate_name}4main", crate_name.len());
        let old = name.starts_with(&format!("_ZN{mangled}17h"));
        old || name.starts_with("_RNvC") && name.ends_with(&mangled)
    };
    let lines = module.lines().filter(|line| line.starts_with("define "));
    let mut names = lines.filter_map(|line| {
        let (_, rest) = line.split_once(" void @")?;
        let (name, _) = rest.split_once("()")?;
        is_own(name.trim_matches('"')).then(|| format!("@{name}"))
    });
    names.next()
}

#[cfg(test)]
mod tests {
    use super::{marked_functions, own_main};

    #[test]
    fn the_main_function_is_found_however_it_is_mangled() {
        let old = "define internal void @_ZN8explored4main17h8da7fa642d137fc6E() unnamed_addr #2 {";
        let found = own_main(old, "explored");
        assert_eq!(
            found.as_deref(),
            Some("@_ZN8explored4main17h8da7fa642d137fc6E")
        );
        let new = "define internal void @_RNvCs4fqI2P2rA04_8explored4main() {";
        let found = own_main(new, "explored");
        assert_eq!(found.as_deref(), Some("@_RNvCs4fqI2P2rA04_8explored4main"));
        assert_eq!(own_main("define i32 @main(i32 %0) {", "explored"), None);
        let other = "define void @_RNvCs4fqI2P2rA04_5other4main() {";
        assert_eq!(own_main(other, "explored"), None);
    }

    #[test]
    fn marked_functions_come_with_their_paths() {
        let text = "@_ZN1E = internal constant <{ ptr, [14 x i8], [2 x i8] }> <{ ptr @_ZN3runE, [14 x i8] c\"a::inner::fine\", \
                    [2 x i8] undef }>, section \"stet_explore\", align 8\n@other = constant <{ ptr }> <{ ptr @x }>\n";
        let expected = ("a::inner::fine".to_owned(), "@_ZN3runE".to_owned());
        assert_eq!(marked_functions(text), [expected]);
    }
}
