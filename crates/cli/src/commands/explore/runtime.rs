//! The parts of the run-time library that are carried in this binary: their sources, compiled on first use into the folder
//! of the C library.

use super::toolchain::{Prepared, problem};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of the library: its name below the source folder, and its text.
type Source = (&'static str, &'static str);

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../../runtime/", $name)))),*]
    };
}

/// The model of the system behind the C library.
const POSIX: &[Source] = sources![
    "posix/posix.c",
    "posix/model.h",
    "posix/path.c",
    "posix/files.c",
    "posix/names.c",
    "posix/process.c",
    "posix/signals.c",
    "posix/threads.c",
    "posix/setup.c",
    "posix/calls.c",
    "include/klee/klee.h",
];

/// What programs compiled against glibc's headers expect.
const COMPAT: &[Source] = sources![
    "compat/compat.c",
    "compat/obstack.c",
    "compat/getopt.c",
    "compat/argp.c",
    "compat/random.c",
    "compat/sort.c",
    "compat/regex.c",
    "compat/locale.c",
    "compat/statx.c",
    "compat/number.c",
    "compat/text.c",
    "compat/time.c",
    "compat/support.c",
    "compat/legacy.c",
];

/// A function of glibc that has the name of another one.
const GNU_STRERROR: &[Source] = sources!["compat/strerror.c"];
const GNU_BASENAME: &[Source] = sources!["compat/basename.c"];

/// What the C++ library and the engine leave of the C++ runtime.
const CXX: &[Source] = sources!["cxx/support.cpp"];

/// Entry points of glibc that musl does not have as IR text.
pub(crate) fn compat(clang: &Path, runtime: &Path, scratch: &Path) -> Prepared<PathBuf> {
    built(clang, runtime, scratch, "compat", COMPAT, &[])
}

/// glibc's `strerror_r` as IR text.
pub(crate) fn gnu_strerror(clang: &Path, runtime: &Path, scratch: &Path) -> Prepared<PathBuf> {
    built(clang, runtime, scratch, "strerror", GNU_STRERROR, &[])
}

/// glibc's `basename` as IR text.
pub(crate) fn gnu_basename(clang: &Path, runtime: &Path, scratch: &Path) -> Prepared<PathBuf> {
    built(clang, runtime, scratch, "basename", GNU_BASENAME, &[])
}

/// The model of the system as IR text.
pub(crate) fn posix(clang: &Path, runtime: &Path, scratch: &Path) -> Prepared<PathBuf> {
    built(clang, runtime, scratch, "posix", POSIX, &[])
}

/// The C++ runtime as IR text, for the C++ library in a folder.
pub(crate) fn cxx(
    clang: &Path,
    runtime: &Path,
    library: &Path,
    scratch: &Path,
) -> Prepared<PathBuf> {
    let headers = library.join("v1");
    let mut flags: Vec<&OsStr> = ["-std=c++20", "-nostdinc++", "-isystem"]
        .map(OsStr::new)
        .into();
    flags.push(headers.as_os_str());
    built(clang, runtime, scratch, "cxx", CXX, &flags)
}

/// Sources as IR text; the first is compiled and includes the others.
fn built(
    clang: &Path,
    runtime: &Path,
    scratch: &Path,
    name: &str,
    sources: &[Source],
    flags: &[&OsStr],
) -> Prepared<PathBuf> {
    let Some((main, _)) = sources.first() else {
        return problem("explore/runtime", "a part of the run-time library is empty");
    };
    let mut digest = stet_key::Encoder::new();
    for (path, text) in sources {
        digest.str(path);
        digest.str(text);
    }
    digest.str(&clang.to_string_lossy());
    let digest = digest.digest_of_all().to_hex();
    let kept = runtime.join(format!("{name}-{}.ll", &digest[..16]));
    if kept.exists() {
        return Ok(kept);
    }
    let folder = scratch.join(name);
    for (path, text) in sources {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(&folder);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text));
        if let Err(error) = written {
            return problem(
                "explore/scratch",
                format!("cannot write `{}`: {error}", path.display()),
            );
        }
    }
    let fresh = scratch.join(format!("{name}.ll"));
    compile(clang, runtime, &folder, flags, main, &fresh)?;
    // other processes may do the same: a rename is all or nothing, and a failure only costs time
    let staged = runtime.join(format!("{name}-{}.{}", &digest[..16], std::process::id()));
    let is_kept = std::fs::copy(&fresh, &staged).is_ok() && std::fs::rename(&staged, &kept).is_ok();
    Ok(if is_kept { kept } else { fresh })
}

fn compile(
    clang: &Path,
    runtime: &Path,
    folder: &Path,
    further: &[&OsStr],
    main: &str,
    out: &Path,
) -> Prepared<()> {
    let flags = [
        "--target=x86_64-linux-musl",
        "-fno-pic",
        "-nostdlibinc",
        "-O1",
        "-g",
        "-w",
        "-ffreestanding",
        "-fno-vectorize",
        "-fno-slp-vectorize",
        "-ffp-contract=off",
        "-D_GNU_SOURCE",
        "-emit-llvm",
        "-S",
    ];
    let output = Command::new(clang)
        .current_dir(folder)
        .args(flags)
        .args(further)
        .arg("-isystem")
        .arg(runtime.join("include"))
        .arg("-I")
        .arg(folder.join("include"))
        .arg(format!("-fdebug-prefix-map={}=stet", folder.display()))
        .arg(main)
        .arg("-o")
        .arg(out)
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let first = text.lines().next().unwrap_or("").to_owned();
            problem(
                "explore/runtime",
                format!("the run-time library does not compile: {first}"),
            )
        }
        Err(error) => problem(
            "explore/clang",
            format!("cannot run `{}`: {error}", clang.display()),
        ),
    }
}
