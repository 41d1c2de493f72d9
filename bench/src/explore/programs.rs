//! The programs of [AAQC §VI-A]: where their IR is, which of their input is symbolic, and after how many instructions a run stops.
//!
//! Libraries behind a driver are built by `bench/explore/build`, whole programs by `scripts/explore-programs` and
//! `scripts/explore-coreutils`. What is not built is not an error: [`Program::find`] says what is missing and how to get it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the IR of a program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// IR text, explored by this process's own engine.
    Text,
    /// A file below the builds of `scripts/explore-programs`, explored by `stet explore`.
    Tool(&'static str),
    /// A program of coreutils, explored by `stet explore`.
    Utility,
}

/// One program and how it is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program {
    /// Its name in tables.
    pub name: &'static str,
    /// Where it is.
    pub source: Source,
    /// Options of `stet explore`.
    pub options: &'static [&'static str],
    /// Arguments of the program itself.
    pub arguments: &'static [&'static str],
    /// Instructions after which runs of every mode and model stop; to the end without.
    pub limit: Option<u64>,
}

const fn text(name: &'static str, limit: Option<u64>) -> Program {
    Program {
        name,
        source: Source::Text,
        options: &[],
        arguments: &[],
        limit,
    }
}

const fn utility(name: &'static str, options: &'static [&'static str]) -> Program {
    Program {
        name,
        source: Source::Utility,
        options,
        arguments: &[],
        limit: Some(200_000),
    }
}

/// The programs of Tables II to V, in the paper's order.
pub const PAPER: [Program; 8] = [
    Program {
        name: "m4",
        source: Source::Tool("m4/src/m4"),
        options: &["--sym-stdin", "2"],
        arguments: &["-H", "37", "prefix.m4", "-"],
        limit: Some(2_000_000),
    },
    Program {
        name: "make",
        source: Source::Tool("make/tree/make"),
        options: &["--sym-env", "S=2"],
        arguments: &["-r", "-n", "-f", "prefix.mk"],
        // later on, in the segmented model, the base cache is left with a query that takes the solver more than a minute
        limit: Some(1_400_000),
    },
    text("sqlite", Some(4_000_000)),
    text("apr", None),
    text("libxml2", None),
    text("expat", Some(1_000_000)),
    Program {
        name: "bash",
        source: Source::Tool("bash/bash"),
        options: &["--sym-env", "S=2"],
        arguments: &["-c", "a=1; b=2; c=3; v=${!S}"],
        // later on, an index into a large table is slow to decide
        limit: Some(500_000),
    },
    text("json-c", None),
];

/// The examples of this repository that belong to the tables.
pub const EXAMPLES: [Program; 3] = [
    text("hashtable", None),
    text("matrix", None),
    text("pointers", None),
];

/// The programs that have little use for the address-aware cache [AAQC §VI-D].
pub const OVERHEAD: [Program; 12] = [
    utility("echo", &["--sym-args", "0", "2", "3"]),
    utility("cat", &["--sym-args", "0", "1", "3", "--sym-stdin", "4"]),
    utility("wc", &["--sym-args", "0", "2", "2", "--sym-stdin", "3"]),
    utility("tr", &["--sym-args", "0", "2", "2", "--sym-stdin", "3"]),
    utility("base64", &["--sym-args", "0", "1", "2", "--sym-stdin", "3"]),
    utility("cut", &["--sym-args", "0", "2", "2", "--sym-stdin", "3"]),
    utility("sort", &["--sym-args", "0", "2", "2", "--sym-stdin", "3"]),
    utility("expr", &["--sym-args", "0", "3", "2"]),
    utility("printf", &["--sym-args", "0", "3", "3"]),
    utility("test", &["--sym-args", "0", "3", "2"]),
    text("libyaml", Some(500_000)),
    text("libosip", Some(60_000)),
];

impl Program {
    /// The program of a name: one of the lists, or IR text that is built by `bench/explore/build`, an example, or a file.
    pub fn named(name: &str) -> Program {
        let known = PAPER.iter().chain(&EXAMPLES).chain(&OVERHEAD);
        let found = known.copied().find(|program| program.name == name);
        // names live as long as the process: there are few of them
        found.unwrap_or_else(|| text(String::leak(name.to_owned()), None))
    }

    /// The file to explore, or what is missing.
    pub fn find(&self) -> Result<PathBuf, String> {
        let (file, how) = match self.source {
            Source::Text => return find_text(self.name),
            Source::Tool(path) => (
                cached("STET_PROGRAMS", "programs").join("ir").join(path),
                "scripts/explore-programs",
            ),
            Source::Utility => (
                cached("STET_COREUTILS", "coreutils")
                    .join("ir/src")
                    .join(self.name),
                "scripts/explore-coreutils",
            ),
        };
        match file.is_file() {
            true => Ok(file),
            false => Err(format!("{} is not there; run {how}", file.display())),
        }
    }

    /// What stands before and after the file on the command line of `stet explore`.
    pub fn command(&self) -> (Vec<String>, Vec<String>) {
        let mut options: Vec<String> = self.options.iter().map(|&word| word.to_owned()).collect();
        if matches!(self.source, Source::Tool(_)) {
            let inputs = root().join("bench/explore/inputs");
            options.extend(["--root".to_owned(), inputs.display().to_string()]);
        }
        let arguments = self.arguments.iter().map(|&word| word.to_owned());
        (options, arguments.collect())
    }
}

/// The IR of version 2 of a program: the K-th small edit.
pub fn edited(program: &str, edit: usize) -> Result<PathBuf, String> {
    let edits = cached("STET_BENCH", "bench").join("edits");
    let file = match Program::named(program).source {
        Source::Text => edits.join(format!("{program}-{edit}.ll")),
        _ => edits.join(format!("{program}-{edit}")).join(program),
    };
    match file.is_file() {
        true => Ok(file),
        false => Err(format!(
            "{} is not there; run EDIT={edit} bench/explore/build {program}",
            file.display()
        )),
    }
}

/// What the edits of a program are, in order.
pub fn edits(program: &str) -> Vec<String> {
    let file = root().join("bench/explore/edits").join(program);
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let what = |line: &str| line.rsplit('|').next().map(str::to_owned);
    text.lines().filter_map(what).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder that a variable names, or one in the cache of this user.
fn cached(variable: &str, name: &str) -> PathBuf {
    let path = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    let home = path("XDG_CACHE_HOME").or_else(|| Some(path("HOME")?.join(".cache")));
    let default = || Some(home?.join("stet").join(name));
    path(variable).or_else(default).unwrap_or_default()
}

/// The IR of a program: built before, or an example compiled now.
fn find_text(program: &str) -> Result<PathBuf, String> {
    if program.ends_with(".ll") {
        return Ok(program.into());
    }
    let (name, defines) = program.split_once('+').unwrap_or((program, ""));
    let source = root().join("examples/explore").join(format!("{name}.c"));
    if source.is_file() {
        return compile(&source, program, defines);
    }
    let file = cached("STET_BENCH", "bench").join(format!("{program}.ll"));
    match file.is_file() {
        true => Ok(file),
        false => Err(format!(
            "{} is not there; run bench/explore/build {program}",
            file.display()
        )),
    }
}

/// Compiles an example; `NAME+A=1+B` defines `A` and `B`.
fn compile(source: &Path, program: &str, defines: &str) -> Result<PathBuf, String> {
    let out = std::env::temp_dir().join(format!("stet-bench-{}-{program}.ll", std::process::id()));
    let defines = defines.split('+').filter(|define| !define.is_empty());
    let status = Command::new("clang-19")
        .args(["-O1", "-g", "-fno-vectorize", "-fno-slp-vectorize"])
        .args(["-S", "-emit-llvm", "-I"])
        .arg(root().join("runtime/include"))
        .args(defines.map(|define| format!("-D{define}")))
        .arg(source)
        .arg("-o")
        .arg(&out)
        .status()
        .map_err(|error| format!("clang-19: {error}"))?;
    match status.success() {
        true => Ok(out),
        false => Err(format!("clang-19 cannot compile {}", source.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_edits_of_each_program_are_described() {
        for program in ["expat", "json-c", "m4"] {
            let edits = edits(program);
            assert_eq!(edits.len(), 10, "{program}");
            assert!(edits.iter().all(|what| what.contains(' ')), "{edits:?}");
        }
    }

    #[test]
    fn what_is_not_built_is_said() {
        let missing = text("no-such-program", None).find();
        assert!(missing.is_err_and(|message| message.contains("bench/explore/build")));
    }
}
