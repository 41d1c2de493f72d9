//! From files to IR text: C is compiled by clang, everything else is found and handed to `link`.

use super::database::{self, Unit};
use super::link::link;
use super::{Libc, Options};
use crate::input;
use crate::session::Session;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use stet_base::Span;
use stet_diag::Diagnostic;

/// `klee/klee.h`, for programs compiled here.
const KLEE_HEADER: &str = include_str!("../../../../../runtime/include/klee/klee.h");

/// Versions of LLVM's tools that are looked for, newest first.
pub(super) const VERSIONS: std::ops::RangeInclusive<u32> = 14..=22;

/// What is explored.
pub(crate) struct Input {
    /// The program, with its libraries.
    pub(crate) program: stet_explore::Input,
    /// The first file's name.
    pub(crate) name: String,
    /// Whether a C library was linked.
    pub(crate) has_libc: bool,
    /// The server where workers that explore it meet; `None` to explore it here.
    pub(crate) workers: Option<String>,
}

/// Asks for the C library where KLEE would call the system's: for bitcode, unless the user chose.
pub(crate) fn link_library_to_bitcode(options: &mut Options) {
    let is_bitcode = |file: &PathBuf| file.extension().is_some_and(|e| e == "bc");
    if options.libc.is_none() && library().is_some() && options.files.iter().any(is_bitcode) {
        options.libc = Some(Libc::Musl);
    }
}

/// Reads, compiles and links the input; reports what is wrong with it otherwise.
pub(crate) fn modules(session: &mut Session, options: &Options) -> Option<Input> {
    session.begin_program(&options.files);
    match prepare(session, options) {
        Ok(input) => Some(input),
        Err(diagnostic) => {
            session.report(*diagnostic);
            None
        }
    }
}

pub(crate) type Prepared<T> = Result<T, Box<Diagnostic>>;

pub(crate) fn problem<T>(code: &'static str, message: impl Into<String>) -> Prepared<T> {
    Err(Box::new(Diagnostic::error(code, message)))
}

fn prepare(session: &mut Session, options: &Options) -> Prepared<Input> {
    let mut input = Input {
        program: stet_explore::Input::new(),
        name: options
            .files
            .first()
            .map_or_else(String::new, |file| file.display().to_string()),
        has_libc: false,
        workers: options.workers.clone(),
    };
    let scratch = match tempfile::tempdir() {
        Ok(scratch) => scratch,
        Err(error) => {
            return problem(
                "explore/scratch",
                format!("cannot create a temporary directory: {error}"),
            );
        }
    };
    let mut files = Vec::new();
    let mut from_c = false;
    let units = project(options)?;
    for (number, file) in named_files(options, &units).iter().enumerate() {
        if !file.exists() {
            return Err(Box::new(input::not_found(file)));
        }
        match file.extension().and_then(OsStr::to_str) {
            Some("o") if is_executable(file) => {
                from_c = true;
                files.extend(kept_ir(file)?.into_iter().map(Part::given));
            }
            Some("bc" | "o" | "a") => files.push(Part::given(file.clone())),
            Some("c" | "cc" | "cpp" | "cxx" | "C") => {
                from_c = true;
                let path = file.canonicalize().unwrap_or_else(|_| file.clone());
                let unit = units.iter().find(|unit| unit.file == path);
                let out = scratch.path().join(format!("input{number}.ll"));
                compile(session, options, file, unit, &out)?;
                files.push(Part::made(out, file));
            }
            _ if is_executable(file) => {
                from_c = true;
                files.extend(kept_ir(file)?.into_iter().map(Part::given));
            }
            _ if options.libc == Some(Libc::Musl) => files.push(Part::given(file.clone())),
            _ => read(session, &mut input, file)?,
        }
    }
    if !files.is_empty() {
        let libc = wanted_library(session, options, from_c)?;
        input.has_libc = libc.is_some();
        let libc = libc.as_deref();
        link(session, options, &mut input, &files, libc, scratch.path())?;
    }
    Ok(input)
}

/// The modules of a compiled Rust program: its own text, and the C library below the standard library.
pub(super) fn rust_modules(
    session: &mut Session,
    options: &Options,
    program: &super::rust::Compiled,
    entry: &str,
) -> Prepared<Input> {
    let first = options.files.first();
    let mut input = Input {
        program: stet_explore::Input::new(),
        name: first.map_or_else(String::new, |file| file.display().to_string()),
        has_libc: false,
        workers: options.workers.clone(),
    };
    let scratch = match tempfile::tempdir() {
        Ok(scratch) => scratch,
        Err(error) => {
            let message = format!("cannot create a temporary directory: {error}");
            return problem("explore/scratch", message);
        }
    };
    let shown = shown_ir(Path::new(&input.name));
    read_made(session, &mut input, &program.text, shown)?;
    let libc = wanted_library(session, options, true)?;
    input.has_libc = libc.is_some();
    let mut options = options.clone();
    options.entry = entry.to_owned();
    link(
        session,
        &options,
        &mut input,
        &[],
        libc.as_deref(),
        scratch.path(),
    )?;
    Ok(input)
}

/// How the files of a project are compiled, if the input has a list of that.
fn project(options: &Options) -> Prepared<Vec<Unit>> {
    let mut lists = options
        .files
        .iter()
        .filter(|file| database::is_database(file));
    match (lists.next(), lists.next()) {
        (None, _) => Ok(Vec::new()),
        (Some(list), None) => database::read(list),
        (Some(_), Some(_)) => problem("explore/input", "one compile_commands.json at a time"),
    }
}

/// The files to explore: those of the command line, or all of the project if it names none.
fn named_files(options: &Options, units: &[Unit]) -> Vec<PathBuf> {
    let named = options
        .files
        .iter()
        .filter(|file| !database::is_database(file));
    let named: Vec<PathBuf> = named.cloned().collect();
    match named.is_empty() {
        true => units.iter().map(|unit| unit.file.clone()).collect(),
        false => named,
    }
}

/// Whether a file holds machine code: an executable or an object file.
fn is_executable(file: &Path) -> bool {
    let mut start = [0u8; 4];
    let opened = std::fs::File::open(file);
    opened.is_ok_and(|mut opened| std::io::Read::read_exact(&mut opened, &mut start).is_ok())
        && start == *b"\x7fELF"
}

/// The IR that `stet cc` kept of an executable or object file: beside it, beside what a symbolic link means, or, for one that was installed elsewhere, where its
/// object files were made.
fn kept_ir(file: &Path) -> Prepared<Vec<PathBuf>> {
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let beside = |file: &Path| {
        let mut name = file.as_os_str().to_owned();
        name.push(".bc");
        PathBuf::from(name)
    };
    let found = [beside(file), beside(&real)];
    if let Some(ir) = found.into_iter().find(|ir| ir.exists()) {
        return Ok(vec![ir]);
    }
    let parts = crate::commands::cc::marked(&real).unwrap_or_default();
    if !parts.is_empty() && parts.iter().all(|part| part.exists()) {
        return Ok(parts);
    }
    let message = format!(
        "`{}` is machine code without LLVM IR; build it with `stet cc` as the C compiler",
        file.display()
    );
    problem("explore/input", message)
}

/// A part of the program that is linked: the file, and the one of the user that it was made from.
pub(super) struct Part {
    pub(super) file: PathBuf,
    pub(super) origin: PathBuf,
}

impl Part {
    fn given(file: PathBuf) -> Self {
        Part {
            origin: file.clone(),
            file,
        }
    }

    fn made(file: PathBuf, origin: &Path) -> Self {
        Part {
            file,
            origin: origin.to_owned(),
        }
    }
}

/// What the IR text of a file is called: it is in a temporary file that is gone when somebody reads the name.
pub(super) fn shown_ir(origin: &Path) -> String {
    format!("<{} as LLVM IR>", origin.display())
}

/// Reads a module of IR text that was made from a file of the user.
pub(super) fn read_made(
    session: &mut Session,
    program: &mut Input,
    path: &Path,
    shown: String,
) -> Prepared<()> {
    let text = input::read_text(path)?;
    let Some(file) = session.sources.add_made(shown.clone(), text) else {
        return Err(Box::new(input::too_large(&shown)));
    };
    program.program.add(&session.sources, file)
}

/// Reads a module of IR text.
pub(super) fn read(session: &mut Session, program: &mut Input, path: &Path) -> Prepared<()> {
    let text = input::read_text(path)?;
    let name = path.display().to_string();
    let Some(file) = session.sources.add(name.clone(), text) else {
        return Err(Box::new(input::too_large(&name)));
    };
    program.program.add(&session.sources, file)
}

/// A tool of LLVM on the path: the version given, else the newest. One without a version in its name comes last, because it
/// may be older than the others, and an older reader rejects what a newer compiler wrote.
pub(crate) fn find_tool(name: &str, preferred: Option<u32>) -> Option<PathBuf> {
    let versions = preferred.into_iter().chain(VERSIONS.rev());
    let names: Vec<String> = versions
        .map(|version| format!("{name}-{version}"))
        .chain([name.to_owned()])
        .collect();
    let path = std::env::var_os("PATH")?;
    names.iter().find_map(|name| {
        std::env::split_paths(&path)
            .map(|dir| dir.join(name))
            .find(|candidate| candidate.is_file())
    })
}

pub(super) fn find_clang(options: &Options) -> Prepared<PathBuf> {
    if let Some(clang) = &options.clang {
        return Ok(clang.clone());
    }
    match find_tool("clang", None) {
        Some(clang) => Ok(clang),
        None => problem(
            "explore/no-clang",
            "C input needs clang, which is not on the path (tried clang and clang-22 to clang-14)",
        ),
    }
}

/// The version of a tool by its file name, to pick others of the same version.
pub(super) fn version_of(tool: &Path) -> Option<u32> {
    let name = tool.file_name()?.to_str()?;
    name.rsplit_once('-')?.1.parse().ok()
}

/// The C library to link: asked for, or for C without being asked, if it is built.
fn wanted_library(
    session: &mut Session,
    options: &Options,
    from_c: bool,
) -> Prepared<Option<PathBuf>> {
    const ADVICE: &str = "build it once with scripts/setup-musl, or say --libc none";
    let is_wanted = match options.libc {
        Some(libc) => libc == Libc::Musl,
        None => from_c,
    };
    let found = library().filter(|_| is_wanted);
    if is_wanted && found.is_none() {
        let missing = "the C library is not built";
        if options.libc.is_some() {
            let diagnostic = Diagnostic::error("explore/no-libc", missing).with_note(ADVICE);
            return Err(Box::new(diagnostic));
        }
        let message = format!("{missing}, so none is linked");
        session.report(Diagnostic::note("explore/no-libc", message).with_note(ADVICE));
    }
    Ok(found)
}

/// The version of the C library that this program goes with: code compiled here must agree with it on types and calls.
const RUNTIME: &str = include_str!("../../../../../runtime/musl/VERSION").trim_ascii();

/// Where the C library is, if it is built.
pub(crate) fn library() -> Option<PathBuf> {
    let cache = || {
        let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        Some(
            base.or_else(home)?
                .join("stet")
                .join(format!("runtime-{RUNTIME}")),
        )
    };
    let folder = std::env::var_os("STET_RUNTIME")
        .map(PathBuf::from)
        .or_else(cache)?;
    let is_complete = ["include", "libc.ll", "start.ll"]
        .iter()
        .all(|part| folder.join(part).exists());
    let version = std::fs::read_to_string(folder.join("version")).unwrap_or_default();
    (is_complete && version.trim() == RUNTIME).then_some(folder)
}

/// Where the C++ library is that scripts/setup-cxx built for a C library.
pub(crate) fn cxx_library(runtime: &Path) -> Option<PathBuf> {
    let folder = runtime.join("cxx");
    let version = std::fs::read_to_string(folder.join("version")).ok()?;
    let fits = version.trim().ends_with(&format!(" {RUNTIME}"));
    fits.then_some(folder)
}

fn compile(
    session: &mut Session,
    options: &Options,
    file: &Path,
    unit: Option<&Unit>,
    out: &Path,
) -> Prepared<()> {
    let clang = find_clang(options)?;
    let include = out.with_file_name("include");
    let header = include.join("klee");
    let written = std::fs::create_dir_all(&header)
        .and_then(|()| std::fs::write(header.join("klee.h"), KLEE_HEADER));
    if let Err(error) = written {
        return problem(
            "explore/scratch",
            format!("cannot write a temporary file: {error}"),
        );
    }
    let runtime = library().filter(|_| options.libc != Some(Libc::None));
    let cxx = runtime.as_deref().and_then(cxx_library);
    let headers = match &runtime {
        Some(runtime) if is_cxx(file) => {
            cxx.map(|cxx| [cxx.join("v1"), runtime.join("include")].into())
        }
        Some(runtime) => Some(vec![runtime.join("include")]),
        None => None,
    };
    let run = |headers: Option<&[PathBuf]>| {
        let mut command = Command::new(&clang);
        if let Some(unit) = unit {
            command.current_dir(&unit.directory);
        }
        let file = unit.map_or(file, |unit| &unit.file);
        let flags = clang_flags(options, headers, &include, unit, file);
        let output = command.args(&flags).arg(file).arg("-o").arg(out).output();
        output.map_err(|error| {
            let message = format!("cannot run `{}`: {error}", clang.display());
            Box::new(Diagnostic::error("explore/clang", message))
        })
    };
    let output = run(headers.as_deref())?;
    let mut errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut is_compiled = output.status.success();
    if !is_compiled
        && !is_cxx(file)
        && headers.is_some()
        && let Some(header) = missing_header(&errors)
    {
        // headers that only glibc has; the library has what they declare, or the run says what it lacks
        let again = run(None)?;
        let others = String::from_utf8_lossy(&again.stderr).into_owned();
        is_compiled = again.status.success();
        if is_compiled {
            session.say_verbose(&format!("`{header}` is a header of the system's C library"));
        } else if missing_header(&others).is_none() {
            errors = others;
        }
    }
    if !is_compiled {
        return Err(Box::new(refused(session, file, &errors)));
    }
    session.say_verbose(&format!(
        "compiled {} with {}",
        file.display(),
        clang.display()
    ));
    Ok(())
}

fn is_cxx(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension != "c")
}

/// What clang is called with, for a library with its headers in these folders (or for the system's own), but for the files.
fn clang_flags(
    options: &Options,
    headers: Option<&[PathBuf]>,
    include: &Path,
    unit: Option<&Unit>,
    file: &Path,
) -> Vec<OsString> {
    let mut flags: Vec<OsString> = [
        "-S",
        "-emit-llvm",
        "-g",
        "-fno-vectorize",
        "-fno-slp-vectorize",
        "-ffp-contract=off",
    ]
    .map(OsString::from)
    .into();
    match options.opt_level {
        // no pass runs, so no error is optimised away; `opt` then only builds registers
        0 => flags.extend(["-O0", "-Xclang", "-disable-O0-optnone"].map(OsString::from)),
        level => flags.push(format!("-O{level}").into()),
    }
    if let Some(headers) = headers {
        // mathematical functions are the library's, which sets errno, and not intrinsics
        let musl = [
            "--target=x86_64-linux-musl",
            "-fno-pic",
            "-nostdlibinc",
            "-fmath-errno",
        ];
        flags.extend(musl.map(OsString::from));
        if is_cxx(file) {
            flags.push("-nostdinc++".into());
        }
        for folder in headers {
            flags.extend(["-isystem".into(), folder.into()]);
        }
    } else {
        // optimisation brings functions of these headers that know how the system's library is made inside
        flags.extend(["-U_FORTIFY_SOURCE", "-D__NO_INLINE__"].map(OsString::from));
    }
    flags.extend(["-I".into(), include.into()]);
    let own = unit.into_iter().flat_map(|unit| &unit.flags);
    flags.extend(own.map(OsString::from));
    flags.extend(options.cflag.iter().map(OsString::from));
    flags
}

/// The header that the compiler did not find, if that is what it complains of.
fn missing_header(errors: &str) -> Option<&str> {
    let line = errors
        .lines()
        .find(|line| line.contains(": fatal error: "))?;
    let (_, text) = line.split_once(": fatal error: ")?;
    text.strip_suffix(" file not found")
        .map(|name| name.trim_matches('\''))
}

/// A file that the compiler refuses: at the place of the first error, with what the compiler says.
fn refused(session: &mut Session, file: &Path, errors: &str) -> Diagnostic {
    let message = format!("`{}` does not compile", file.display());
    let mut diagnostic = Diagnostic::error("explore/clang", message);
    if let Some((file, line, column, text)) = errors.lines().find_map(first_error)
        && let Ok(source) = crate::input::read_text(Path::new(file))
        && let Some(id) = session.sources.add(file, source)
        && let Some(start) = session.sources.file(id).line_start(line)
    {
        let before = column
            .saturating_sub(1)
            .min(session.sources.file(id).line(line).len() as u32);
        let place = Span {
            file: id,
            start: start + before,
            end: start + before,
        };
        diagnostic.message.push_str(": ");
        diagnostic.message.push_str(text);
        diagnostic = diagnostic.at(place);
    }
    for line in errors.lines().take(20) {
        diagnostic = diagnostic.with_note(line.to_owned());
    }
    diagnostic
}

/// The parts of `FILE:LINE:COLUMN: error: TEXT`; columns are bytes.
fn first_error(line: &str) -> Option<(&str, u32, u32, &str)> {
    let (place, text) = line
        .split_once(": error: ")
        .or_else(|| line.split_once(": fatal error: "))?;
    let mut parts = place.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((file, line.parse().ok()?, column.parse().ok()?, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_compiler_have_places() {
        let error = first_error("a b.c:3:14: error: expected ')': here");
        assert_eq!(error, Some(("a b.c", 3, 14, "expected ')': here")));
        let fatal = first_error("x.c:1:10: fatal error: 'y.h' file not found");
        assert_eq!(fatal, Some(("x.c", 1, 10, "'y.h' file not found")));
        for other in [
            "x.c:1:10: warning: w",
            "error: no such file",
            "    1 | int main( { }",
        ] {
            assert_eq!(first_error(other), None, "{other}");
        }
    }
}
