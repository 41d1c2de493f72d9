//! From bitcode, archives and IR text to the modules of a program: LLVM's tools only turn files into text, one at a time,
//! and Stet links the modules itself.
//!
//! Each file is read by the first version of the tools that can, newest first: newer ones read older bitcode, not the other
//! way round, so an old version first on the path does no harm, and files of several versions are linked.
//!
//! Libraries are cut down to what the program needs of them by the engine: the C library by definitions, archives by members.

use super::Options;
use super::toolchain::{
    Input, Part, Prepared, VERSIONS, cxx_library, find_clang, problem, read, read_made, shown_ir,
    version_of,
};
use crate::session::Session;
use std::path::{Path, PathBuf};
use std::process::Command;
use stet_diag::Diagnostic;
use stet_explore::{Grain, Library};

/// Reads the files of a program, and the C library in `runtime` if there is one, as modules of the input.
pub(super) fn link(
    session: &mut Session,
    options: &Options,
    input: &mut Input,
    files: &[Part],
    runtime: Option<&Path>,
    scratch: &Path,
) -> Prepared<()> {
    let mut libraries = Vec::new();
    for (number, Part { file, origin }) in files.iter().enumerate() {
        if file.extension().is_some_and(|extension| extension == "a") {
            libraries.extend(archive(
                options,
                file,
                &scratch.join(format!("member{number}")),
            )?);
            continue;
        }
        // without optimisation programs get registers, and keep every error; given files only with the C library
        let is_reduced = options.opt_level == 0 && (runtime.is_some() || file.starts_with(scratch));
        let text = scratch.join(format!("module{number}.ll"));
        let text = text_of(options, file, is_reduced, &text)?;
        match text == *origin {
            true => read(session, input, &text)?,
            false => read_made(session, input, &text, shown_ir(origin))?,
        }
    }
    if let Some(folder) = runtime {
        if let (Some(cxx), true) = (cxx_library(folder), uses_cxx(input)) {
            let clang = find_clang(options)?;
            let support = super::runtime::cxx(&clang, folder, &cxx, scratch)?;
            libraries.extend(cxx_parts(&cxx, support)?);
        }
        libraries.extend(c_library(options, folder, scratch, Gnu::of(input))?);
    }
    let roots = options.keep.iter().chain([&options.entry]);
    let roots = roots.map(String::as_str);
    input
        .program
        .add_libraries(&mut session.sources, &libraries, roots)
}

/// Whether a module names something of the C++ library.
fn uses_cxx(input: &Input) -> bool {
    const NAMES: &[&str] = &[
        "NSt3__1", "NKSt3__1", "@_ZNSt", "@_ZNKSt", "@_ZSt", "@_ZTISt", "@_ZTVSt",
    ];
    let mut texts = input.program.own_texts();
    texts.any(|text| NAMES.iter().any(|name| text.contains(name)))
}

/// The functions that a program expects of glibc and that POSIX, and so musl, has under the same name.
#[derive(Clone, Copy)]
struct Gnu {
    /// `strerror_r` is declared to return a pointer.
    strerror: bool,
    /// `basename` is used by a module for glibc.
    basename: bool,
}

impl Gnu {
    fn of(input: &Input) -> Gnu {
        let mut gnu = Gnu {
            strerror: false,
            basename: false,
        };
        for text in input.program.own_texts() {
            let is_glibc = text.lines().any(|line| {
                line.starts_with("target triple") && line.trim_end().ends_with("linux-gnu\"")
            });
            let declares = |name: &str, line: &str| {
                let (before, _) = line.split_once(name)?;
                let is_declaration = line.starts_with("declare ");
                is_declaration.then(|| before.trim_end().ends_with("ptr"))
            };
            let is_pointer = |name: &str| {
                text.contains(name) && text.lines().any(|line| declares(name, line) == Some(true))
            };
            gnu.strerror |= is_pointer("@strerror_r(");
            gnu.basename |=
                is_glibc && (is_pointer("@basename(") || is_pointer("@__xpg_basename("));
        }
        gnu
    }
}

/// The C++ library: the standard streams are constructed before `main` in programs that use one of them.
fn cxx_parts(folder: &Path, support: PathBuf) -> Prepared<Vec<Library>> {
    let parts = [
        (folder.join("streams.ll"), Grain::Whole),
        (folder.join("libcxx.ll"), Grain::Definition),
        (support, Grain::Definition),
    ];
    let read = parts.into_iter().map(|(file, grain)| {
        Ok(Library {
            name: file.display().to_string(),
            text: crate::input::read_text(&file)?,
            grain,
        })
    });
    read.collect()
}

/// The parts of the C library, in the order in which they are asked for names.
fn c_library(options: &Options, folder: &Path, scratch: &Path, gnu: Gnu) -> Prepared<Vec<Library>> {
    let clang = find_clang(options)?;
    let mut files = vec![
        folder.join("start.ll"),
        super::runtime::posix(&clang, folder, scratch)?,
        super::runtime::compat(&clang, folder, scratch)?,
        folder.join("libc.ll"),
    ];
    if gnu.strerror {
        files.insert(0, super::runtime::gnu_strerror(&clang, folder, scratch)?);
    }
    if gnu.basename {
        files.insert(0, super::runtime::gnu_basename(&clang, folder, scratch)?);
    }
    let read = files.iter().map(|file| {
        Ok(Library {
            name: file.display().to_string(),
            text: crate::input::read_text(file)?,
            grain: Grain::Definition,
        })
    });
    read.collect()
}

/// A file as IR text: the file itself, or the one that a tool wrote.
fn text_of(options: &Options, file: &Path, is_reduced: bool, text: &Path) -> Prepared<PathBuf> {
    let is_bitcode = is_bitcode(file);
    let preferred = find_clang(options)
        .ok()
        .and_then(|clang| version_of(&clang));
    let mut refusals = Vec::new();
    if is_reduced {
        let passes = ["-S", "-passes=function(mem2reg)"];
        for tool in versions("opt", preferred) {
            match run(&tool, &passes, file, text) {
                Ok(()) => return Ok(text.to_owned()),
                Err(refusal) => refusals.push(refusal),
            }
        }
    }
    if !is_bitcode {
        return Ok(file.to_owned());
    }
    let tools = versions("llvm-dis", None);
    if tools.is_empty() {
        return problem(
            "explore/no-llvm-dis",
            "bitcode needs llvm-dis, which is not on the path",
        );
    }
    for tool in &tools {
        match run(tool, &[], file, text) {
            Ok(()) => return Ok(text.to_owned()),
            Err(refusal) => refusals.push(refusal),
        }
    }
    let message = format!("no llvm-dis on the path reads `{}`", file.display());
    let diagnostic = Diagnostic::error("explore/tool", message);
    let noted = refusals.into_iter().fold(diagnostic, Diagnostic::with_note);
    Err(Box::new(noted))
}

/// Whether a file is bitcode: by its name or its first bytes.
fn is_bitcode(file: &Path) -> bool {
    let mut start = [0u8; 4];
    let opened = std::fs::File::open(file);
    let is_read = opened.and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    let is_named = file.extension().is_some_and(|e| e == "bc" || e == "o");
    is_named || is_read.is_ok() && (is_bitcode_start(&start) || start == *b"\x7fELF")
}

fn is_bitcode_start(start: &[u8]) -> bool {
    start.starts_with(b"BC\xc0\xde") || start.starts_with(&[0xde, 0xc0, 0x17, 0x0b])
}

/// The versions of a tool on the path: the preferred one, then newest first; the one without a version in its name last,
/// because it may be older than the others.
fn versions(name: &str, preferred: Option<u32>) -> Vec<PathBuf> {
    let numbers = preferred.into_iter().chain(VERSIONS.rev());
    let names = numbers.map(|version| format!("{name}-{version}"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found: Vec<PathBuf> = Vec::new();
    for file in names.chain([name.to_owned()]) {
        let mut places = std::env::split_paths(&path).map(|folder| folder.join(&file));
        if let Some(place) = places.find(|place| place.is_file())
            && !found.contains(&place)
        {
            found.push(place);
        }
    }
    found
}

/// The members of an archive of bitcode.
fn archive(options: &Options, file: &Path, scratch: &Path) -> Prepared<Vec<Library>> {
    let bytes = crate::input::read_bytes(file)?;
    let shown = file.display();
    let members = match members(&bytes) {
        Ok(members) => members,
        Err(why) => return problem("explore/input", format!("`{shown}` {why}")),
    };
    let cannot = |error: std::io::Error| {
        let message = format!("cannot write a temporary file: {error}");
        Box::new(Diagnostic::error("explore/scratch", message))
    };
    std::fs::create_dir_all(scratch).map_err(cannot)?;
    let mut libraries = Vec::new();
    for (number, member) in members.into_iter().enumerate() {
        if !is_bitcode_start(member.bytes) {
            let message = format!("`{}` in `{shown}` is not bitcode", member.name);
            return problem("explore/input", message);
        }
        let bitcode = scratch.join(format!("{number}.bc"));
        std::fs::write(&bitcode, member.bytes).map_err(cannot)?;
        let text = text_of(options, &bitcode, false, &bitcode.with_extension("ll"))?;
        libraries.push(Library {
            name: format!("{shown}({})", member.name),
            text: crate::input::read_text(&text)?,
            grain: Grain::Whole,
        });
    }
    Ok(libraries)
}

/// A file in an archive.
#[derive(Debug)]
struct Member<'a> {
    name: String,
    bytes: &'a [u8],
}

/// The files of an archive, without its symbol table.
fn members(archive: &[u8]) -> Result<Vec<Member<'_>>, &'static str> {
    const HEADER: usize = 60;
    let Some(mut rest) = archive.strip_prefix(b"!<arch>\n") else {
        return Err(match archive.starts_with(b"!<thin>\n") {
            true => "is a thin archive, whose members are elsewhere",
            false => "is not an archive",
        });
    };
    let (mut members, mut names): (Vec<Member<'_>>, &[u8]) = (Vec::new(), &[]);
    while !rest.is_empty() {
        let header = rest.get(..HEADER).ok_or("is a cut-off archive")?;
        let field = |range| std::str::from_utf8(&header[range]).unwrap_or("").trim_end();
        let (name, size) = (field(0..16), field(48..58));
        let size: usize = size.parse().map_err(|_| "is a damaged archive")?;
        let bytes = rest.get(HEADER..).and_then(|bytes| bytes.get(..size));
        let bytes = bytes.ok_or("is a cut-off archive")?;
        match name {
            "/" | "/SYM64/" => {}
            "//" => names = bytes,
            _ => members.push(Member {
                name: member_name(name, names),
                bytes,
            }),
        }
        let next = (HEADER + size + size % 2).min(rest.len());
        rest = &rest[next..];
    }
    Ok(members)
}

/// The name of a member: in its header, or at a position of the table of long names.
fn member_name(field: &str, names: &[u8]) -> String {
    let place = field
        .strip_prefix('/')
        .and_then(|digits| digits.parse().ok());
    let long = place.and_then(|place: usize| names.get(place..));
    match long {
        Some(long) => {
            let end = long.iter().position(|&byte| byte == b'\n');
            let name = &long[..end.unwrap_or(long.len())];
            String::from_utf8_lossy(name)
                .trim_end_matches('/')
                .to_owned()
        }
        None => field.trim_end_matches('/').to_owned(),
    }
}

/// Runs a tool of LLVM; the first line it says if it fails.
fn run(program: &Path, flags: &[&str], input: &Path, output: &Path) -> Result<(), String> {
    let result = Command::new(program)
        .args(flags)
        .arg(input)
        .arg("-o")
        .arg(output)
        .output();
    let name = program.display();
    match result {
        Err(error) => Err(format!("cannot run `{name}`: {error}")),
        Ok(result) if result.status.success() => Ok(()),
        Ok(result) => {
            let text = String::from_utf8_lossy(&result.stderr);
            let first = text.lines().next().unwrap_or("failed");
            Err(format!("{name}: {first}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, size: usize) -> Vec<u8> {
        format!("{name:<16}{:<32}{size:<10}`\n", "0").into_bytes()
    }

    #[test]
    fn archives_are_taken_apart() {
        let mut bytes = b"!<arch>\n".to_vec();
        bytes.extend(header("/", 3));
        bytes.extend(b"sym\n");
        bytes.extend(header("//", 22));
        bytes.extend(b"a_very_long_name.bc/\n\n");
        bytes.extend(header("short.o/", 3));
        bytes.extend(b"one\n");
        bytes.extend(header("/0", 4));
        bytes.extend(b"four");
        let found = members(&bytes).unwrap();
        let shown: Vec<(&str, &[u8])> = found
            .iter()
            .map(|member| (member.name.as_str(), member.bytes))
            .collect();
        assert_eq!(
            shown,
            [
                ("short.o", &b"one"[..]),
                ("a_very_long_name.bc", &b"four"[..])
            ]
        );
    }

    #[test]
    fn damaged_archives_are_refused_with_a_reason() {
        for (bytes, why) in [
            (&b"BC\xc0\xde"[..], "is not an archive"),
            (
                b"!<thin>\n",
                "is a thin archive, whose members are elsewhere",
            ),
            (b"!<arch>\nname", "is a cut-off archive"),
        ] {
            assert_eq!(members(bytes).unwrap_err(), why);
        }
        let mut cut = b"!<arch>\n".to_vec();
        cut.extend(header("a/", 100));
        assert_eq!(members(&cut).unwrap_err(), "is a cut-off archive");
    }
}
