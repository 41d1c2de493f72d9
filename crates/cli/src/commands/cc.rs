//! `stet cc` and `stet c++`: compilers that also keep LLVM IR, so that `./configure && make CC="stet cc" CXX="stet c++"` gives programs to
//! explore.
//!
//! Every command goes to the real compiler first, unchanged. An object file then gets its IR beside it (`x.o.bc`) and a
//! section that names it; linkers join such sections, so a linked program says which IR it is made of, members of archives
//! included. That IR, linked, is kept beside the program (`prog.bc`). `STET_CC` and `STET_CXX` are the real compilers (default: clang,
//! clang++); a command whose IR cannot be made is reported and succeeds as the compiler did. IR of C++ is made with the headers of the C++
//! library that `stet explore` links.

mod archives;

use crate::commands::explore::toolchain::{cxx_library, find_tool, library};
use crate::exit::ExitStatus;
use crate::output::error_line;
use crate::session::Session;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The section that names the IR of an object file.
const SECTION: &str = ".stet_ir";

/// Options of `stet cc` and `stet c++`: everything is the compiler's.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// Arguments of the compiler.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

/// What a compiler's arguments ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    sources: Vec<PathBuf>,
    output: Option<PathBuf>,
    /// Compile only.
    compile: bool,
    /// Neither compiles nor links.
    other: bool,
    /// The compiler takes every source for C++.
    is_cxx: bool,
    /// Flags for making IR.
    flags: Vec<String>,
    /// Makes a shared library: its objects' notes are joined in it.
    shared: bool,
    /// Archives and shared libraries that are linked.
    libraries: Vec<PathBuf>,
}

/// `stet c++`.
pub(crate) mod cxx {
    use super::{ExitStatus, Options, Session};

    /// Carries out the command; the exit code is the compiler's.
    pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
        super::drive(session, options, &super::CXX)
    }
}

/// Which compiler stands behind a command.
struct Driver {
    name: &'static str,
    variable: &'static str,
    tool: &'static str,
}

const C: Driver = Driver {
    name: "stet cc",
    variable: "STET_CC",
    tool: "clang",
};
const CXX: Driver = Driver {
    name: "stet c++",
    variable: "STET_CXX",
    tool: "clang++",
};

/// Carries out the command; the exit code is the compiler's.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    drive(session, options, &C)
}

fn drive(session: &mut Session, options: &Options, driver: &Driver) -> ExitStatus {
    let Driver {
        name,
        variable,
        tool,
    } = driver;
    let compiler = std::env::var_os(variable)
        .map(PathBuf::from)
        .or_else(|| find_tool(tool, None));
    let Some(compiler) = compiler else {
        error_line(&format!(
            "{name}: no compiler: {tool} is not on the path, and {variable} is not set"
        ));
        return ExitStatus::Usage;
    };
    let code = match Command::new(&compiler).args(&options.arguments).status() {
        Ok(status) => status.code().unwrap_or(1),
        Err(error) => {
            error_line(&format!(
                "{name}: cannot run `{}`: {error}",
                compiler.display()
            ));
            return ExitStatus::Usage;
        }
    };
    if code != 0 {
        return ExitStatus::Findings;
    }
    let arguments: Vec<String> = options
        .arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let mut request = parse(&arguments);
    request.is_cxx = driver.tool == CXX.tool;
    if request.other || is_probe(&request) {
        return ExitStatus::Clean;
    }
    if let Err(message) = keep_ir(session, &request) {
        error_line(&format!("{name}: no IR: {message}"));
    }
    ExitStatus::Clean
}

/// Tests of `configure` need no IR.
fn is_probe(request: &Request) -> bool {
    let mut files = request.sources.iter().chain(&request.output);
    files.any(|file| {
        let name = file.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with("conftest") || name.starts_with("cmTC_"))
    })
}

fn parse(arguments: &[String]) -> Request {
    let mut request = Request {
        libraries: archives::named(arguments),
        ..Request::default()
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-c" => request.compile = true,
            "-E" | "-S" | "-M" | "-MM" | "-fsyntax-only" | "--version" | "-v" | "-dumpmachine"
            | "-dumpversion" | "-r" => request.other = true,
            "-shared" => request.shared = true,
            "-o" => request.output = rest.next().map(PathBuf::from),
            "-MF" | "-MT" | "-MQ" => drop(rest.next()),
            "-I" | "-isystem" | "-idirafter" | "-iquote" | "-include" | "-D" | "-U" | "-x" => {
                request.flags.push(argument.clone());
                request.flags.extend(rest.next().cloned());
            }
            "-L" | "-l" | "-T" | "-u" | "-z" | "-Xlinker" => drop(rest.next()),
            _ if argument.starts_with("-o") => request.output = Some(PathBuf::from(&argument[2..])),
            _ if [
                "-I", "-D", "-U", "-std=", "-f", "-m", "-W", "-w", "-pthread", "-ansi", "-isystem",
            ]
            .iter()
            .any(|prefix| argument.starts_with(prefix))
                && !argument.starts_with("-Wl,")
                && !argument.starts_with("-flto")
                && !argument.starts_with("-fprofile")
                && !argument.starts_with("-fsanitize")
                && !argument.starts_with("-fstack-protector") =>
            {
                request.flags.push(argument.clone());
            }
            _ if !argument.starts_with('-') && is_source(argument) => {
                request.sources.push(PathBuf::from(argument));
            }
            _ => {}
        }
    }
    request
}

fn is_source(name: &str) -> bool {
    let extension = Path::new(name)
        .extension()
        .and_then(|extension| extension.to_str());
    matches!(
        extension,
        Some("c" | "cc" | "cpp" | "cxx" | "c++" | "cp" | "C" | "CPP")
    )
}

/// What makes IR of C++ fit the library that `stet explore` links.
fn library_flags() -> Result<Vec<OsString>, String> {
    const MISSING: &str = "the C++ library is not set up: run `stet setup --cxx`";
    let runtime = library().ok_or(MISSING)?;
    let cxx = cxx_library(&runtime).ok_or(MISSING)?;
    let mut flags: Vec<OsString> = [
        "--target=x86_64-linux-musl",
        "-nostdlibinc",
        "-nostdinc++",
        "-fmath-errno",
    ]
    .map(OsString::from)
    .into();
    for folder in [cxx.join("v1"), runtime.join("include")] {
        flags.push("-isystem".into());
        flags.push(folder.into());
    }
    Ok(flags)
}

fn keep_ir(session: &mut Session, request: &Request) -> Result<(), String> {
    if request.compile {
        for source in &request.sources {
            let stem = Path::new(source.file_name().unwrap_or_default()).with_extension("o");
            let object = request.output.clone().unwrap_or(stem);
            let ir = compile(request, source, &object)?;
            mark(&object, &[], std::slice::from_ref(&ir))?;
            session.say_verbose(&format!(
                "{} has its IR in {}",
                object.display(),
                ir.display()
            ));
        }
        return Ok(());
    }
    let program = request
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from("a.out"));
    let mut parts = Vec::new();
    for source in &request.sources {
        parts.push(compile(request, source, source)?);
    }
    if request.shared {
        return match parts.is_empty() {
            true => Ok(()),
            false => mark(&program, &marked(&program)?, &parts),
        };
    }
    parts.extend(marked(&program)?);
    parts.dedup();
    if parts.is_empty() {
        return Ok(());
    }
    let linker = find_tool("llvm-link", None).ok_or("llvm-link is not on the path")?;
    let whole = beside(&program);
    run(Command::new(&linker).args(&parts).arg("-o").arg(&whole))?;
    if let Some(names) = find_tool("llvm-nm", None) {
        archives::complete(&linker, &names, &whole, &request.libraries)?;
    }
    session.say_verbose(&format!(
        "{} is {} as IR",
        whole.display(),
        program.display()
    ));
    Ok(())
}

/// `x.o` to `x.o.bc`, absolute.
fn beside(file: &Path) -> PathBuf {
    let mut name = std::path::absolute(file)
        .unwrap_or_else(|_| file.to_owned())
        .into_os_string();
    name.push(".bc");
    PathBuf::from(name)
}

/// Compiles without optimisation, and without the inline versions of library functions that optimisation brings.
fn compile(request: &Request, source: &Path, object: &Path) -> Result<PathBuf, String> {
    let is_c = source.extension().is_some_and(|extension| extension == "c");
    let is_cxx = request.is_cxx || !is_c;
    let tool = if is_cxx { CXX.tool } else { C.tool };
    let clang = find_tool(tool, None).ok_or_else(|| format!("{tool} is not on the path"))?;
    let library = match is_cxx {
        true => library_flags()?,
        false => Vec::new(),
    };
    let ir = beside(object);
    let fixed = [
        "-c",
        "-emit-llvm",
        "-g",
        "-O0",
        "-Xclang",
        "-disable-O0-optnone",
        "-fno-vectorize",
        "-fno-slp-vectorize",
        "-ffp-contract=off",
        "-w",
    ];
    run(Command::new(clang)
        .args(&request.flags)
        .args(fixed)
        .args(library)
        .args([
            "-U_FORTIFY_SOURCE",
            "-D_FORTIFY_SOURCE=0",
            "-D__NO_STRING_INLINES",
            "-D__NO_CTYPE",
        ])
        .arg(source)
        .arg("-o")
        .arg(&ir))?;
    Ok(ir)
}

fn objcopy() -> Result<PathBuf, String> {
    let found = find_tool("llvm-objcopy", None).or_else(|| find_tool("objcopy", None));
    found.ok_or_else(|| "neither llvm-objcopy nor objcopy is on the path".to_owned())
}

/// Notes in an object file or shared library where its IR is; `known` is what it notes already.
fn mark(object: &Path, known: &[PathBuf], parts: &[PathBuf]) -> Result<(), String> {
    let verb = match known.is_empty() {
        true => "add",
        false => "update",
    };
    let all = known.iter().chain(parts);
    let lines: String = all.map(|ir| format!("{}\n", ir.display())).collect();
    let mut note = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    std::io::Write::write_all(&mut note, lines.as_bytes()).map_err(|error| error.to_string())?;
    let mut section = OsString::from(format!("--{verb}-section={SECTION}="));
    section.push(note.path());
    run(Command::new(objcopy()?).arg(section).arg(object))
}

/// The IR that a linked program's objects name.
pub(crate) fn marked(program: &Path) -> Result<Vec<PathBuf>, String> {
    let note = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    let scratch = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    let mut section = OsString::from(format!("--dump-section={SECTION}="));
    section.push(note.path());
    let dumped = run(Command::new(objcopy()?)
        .arg(section)
        .arg(program)
        .arg(scratch.path()));
    if dumped.is_err() {
        return Ok(Vec::new());
    }
    let bytes = std::fs::read(note.path()).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text
        .lines()
        .map(|line| line.trim_matches('\0'))
        .filter(|line| !line.is_empty());
    let mut seen = std::collections::BTreeSet::new();
    Ok(lines
        .filter(|line| seen.insert(*line))
        .map(PathBuf::from)
        .collect())
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("cannot run `{name}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text
        .lines()
        .find(|line| line.contains("error"))
        .or(text.lines().next());
    Err(format!("`{name}` failed: {}", line.unwrap_or("no message")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_the_compiler_are_understood() {
        let arguments = "-DX=1 -I. -O2 -MT a.o -MD -MF dep -c -o out/a.o src/a.c -Wl,-z";
        let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        let request = parse(&arguments);
        assert_eq!(request.sources, [PathBuf::from("src/a.c")]);
        assert_eq!(request.output, Some(PathBuf::from("out/a.o")));
        assert_eq!(request.flags, ["-DX=1", "-I."]);
        assert!(request.compile && !request.other && !is_probe(&request));
        assert!(is_probe(&parse(&["conftest.c".to_owned()])));
        assert!(parse(&["-E".to_owned()]).other);
    }
}
