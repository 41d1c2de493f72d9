//! Helpers of the end-to-end tests: IR text or C in, paths out.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "shared by several tests, which may stop and say why they skip"
)]

use std::process::Command;
use stet_base::{Budget, SourceMap};
use stet_explore::query::CacheMode;
use stet_explore::{
    Config, Engine, ErrorKind, Input, Outcome, PathEnd, ProgramError, Progress, Request, Sink,
    Summary,
};

/// What an exploration found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) paths: Vec<PathEnd>,
    pub(crate) warnings: Vec<String>,
    pub(crate) messages: Vec<String>,
    pub(crate) summary: Summary,
}

#[derive(Default)]
struct Collect {
    paths: Vec<PathEnd>,
    warnings: Vec<String>,
    messages: Vec<String>,
}

impl Sink for Collect {
    fn path(&mut self, end: PathEnd) {
        self.paths.push(end);
    }
    fn warning(&mut self, message: &str) {
        self.warnings.push(message.to_owned());
    }
    fn message(&mut self, message: &str) {
        self.messages.push(message.to_owned());
    }
    fn progress(&mut self, _: &Progress) {}
}

impl Found {
    /// The kinds of errors, sorted.
    pub(crate) fn errors(&self) -> Vec<ErrorKind> {
        let kind = |end: &PathEnd| match &end.outcome {
            Outcome::Error(kind, _) => Some(*kind),
            _ => None,
        };
        let mut kinds: Vec<ErrorKind> = self.paths.iter().filter_map(kind).collect();
        kinds.sort();
        kinds
    }

    /// The exit statuses, sorted.
    pub(crate) fn exits(&self) -> Vec<i32> {
        let status = |end: &PathEnd| match end.outcome {
            Outcome::Exit(status) => Some(status),
            _ => None,
        };
        let mut statuses: Vec<i32> = self.paths.iter().filter_map(status).collect();
        statuses.sort_unstable();
        statuses
    }

    /// Every path as text without what may differ between runs (the order and the chosen inputs), sorted.
    pub(crate) fn shapes(&self) -> Vec<String> {
        let mut shapes: Vec<String> = self
            .paths
            .iter()
            .map(|end| match &end.outcome {
                Outcome::Exit(_) => format!("exit after {}", end.instructions),
                Outcome::Error(kind, _) => format!("{kind:?} after {}", end.instructions),
                other => format!("{other:?}"),
            })
            .collect();
        shapes.sort();
        shapes
    }
}

/// The configuration with a query cache of a kind.
pub(crate) fn with_cache(mode: CacheMode) -> Config {
    let mut config = Config::standard();
    config.query.query_cache = mode;
    config
}

/// Explores IR text that can be run.
pub(crate) fn explore_text(text: &str, config: &Config) -> Found {
    try_explore_text(text, config).unwrap()
}

/// Explores IR text.
pub(crate) fn try_explore_text(text: &str, config: &Config) -> Result<Found, ProgramError> {
    let mut sources = SourceMap::new();
    let input = match Input::of_text(&mut sources, "t.ll", text) {
        Ok(input) => input,
        Err(diagnostic) => panic!("{}", stet_diag::full(&sources, &diagnostic)),
    };
    let mut sink = Collect::default();
    let request = Request {
        input,
        config,
        store: None,
        budget: &Budget::unlimited(),
        part: None,
    };
    let summary = Engine::new().explore(request, &mut sink)?;
    Ok(Found {
        paths: sink.paths,
        warnings: sink.warnings,
        messages: sink.messages,
        summary,
    })
}

/// Explores the body of `main`, with declarations of KLEE's interface in front.
pub(crate) fn explore_main(body: &str) -> Found {
    explore_text(&program(body), &Config::standard())
}

/// A module whose `main` has a body; other definitions may follow the closing brace.
pub(crate) fn program(body: &str) -> String {
    format!(
        "@n = private constant [2 x i8] c\"x\\00\"\n\
         declare void @klee_make_symbolic(ptr, i64, ptr)\ndeclare void @klee_assume(i64)\ndeclare i32 @klee_int(ptr)\n\
         declare i32 @klee_range(i32, i32, ptr)\ndeclare ptr @malloc(i64)\ndeclare void @free(ptr)\ndeclare ptr @realloc(ptr, i64)\n\
         declare ptr @calloc(i64, i64)\ndeclare void @abort()\ndeclare void @exit(i32)\n\
         declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n\
         declare void @llvm.lifetime.start.p0(i64, ptr)\n\
         define i32 @main(i32 %argc, ptr %argv) {{\n{body}\n}}\n"
    )
}

/// The installed clang, if any.
pub(crate) fn clang() -> Option<&'static str> {
    let names = [
        "clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14",
    ];
    let found = names.into_iter().find(|name| {
        let output = Command::new(name).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        stet_testkit::skip("clang");
    }
    found
}

/// Compiles C to IR text.
pub(crate) fn compile(clang: &str, source: &str, flags: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("p.c");
    std::fs::write(&input, source).unwrap();
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime/include");
    let output = Command::new(clang)
        .args(["-S", "-emit-llvm", "-g", "-w", "-I", header, "-o", "-"])
        .args(flags)
        .arg(&input)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
