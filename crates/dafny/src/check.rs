//! The one entry: parse the named files and what they include, then resolve.

use crate::ast::{Ast, Decl};
use crate::parse::parse_file;
use crate::tree::Program;
use std::sync::Arc;
use stet_base::{FileId, Index, SourceMap, Span};
use stet_diag::Diagnostic;

/// Where included files come from; the crate itself reads none.
pub trait Includes {
    /// The canonical name and text of the file `path`, as written in the file `from`; or why there is none.
    fn load(&mut self, from: &str, path: &str) -> Result<(String, Arc<str>), String>;
}

/// A provider for programs without includes.
#[derive(Clone, Copy, Debug)]
pub struct NoIncludes;

impl Includes for NoIncludes {
    fn load(&mut self, _from: &str, path: &str) -> Result<(String, Arc<str>), String> {
        Err(format!("file {path} cannot be read here"))
    }
}

/// How far a program got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// There are syntax errors.
    Parse,
    /// There are resolution errors.
    Resolve,
    /// The program can be translated.
    Done,
}

/// A program with everything found out about it.
#[derive(Debug)]
pub struct Checked {
    /// The resolved program; translate it only when `phase` is [`Phase::Done`].
    pub program: Program,
    /// Errors and warnings, in the order Dafny reports them.
    pub diagnostics: Vec<Diagnostic>,
    /// How far it got.
    pub phase: Phase,
}

/// How many files may be included, directly and indirectly.
const MAX_FILES: usize = 10_000;

/// Options of Dafny that change which programs are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// `--reads-clauses-on-methods`
    pub reads_clauses_on_methods: bool,
    /// `--relax-definite-assignment`: variables of types with default values need no assignment.
    pub relax_definite_assignment: bool,
}

impl Options {
    /// As Dafny has them when no option is given.
    pub const DEFAULT: Options = Options {
        reads_clauses_on_methods: false,
        relax_definite_assignment: false,
    };
}

/// Parses and resolves the files `roots` of `sources`; included files are added to `sources`.
pub fn check(
    sources: &mut SourceMap,
    roots: &[FileId],
    includes: &mut (dyn Includes + Send),
) -> Checked {
    check_with(sources, roots, includes, Options::DEFAULT)
}

/// As [`check`], with options.
pub fn check_with(
    sources: &mut SourceMap,
    roots: &[FileId],
    includes: &mut (dyn Includes + Send),
    options: Options,
) -> Checked {
    stet_base::deep_stack(|| check_here(sources, roots, includes, options))
}

fn check_here(
    sources: &mut SourceMap,
    roots: &[FileId],
    includes: &mut dyn Includes,
    options: Options,
) -> Checked {
    let mut ast = Ast::default();
    let mut program = Program::default();
    let mut diagnostics = Vec::new();
    let mut decls: Vec<Decl> = Vec::new();
    let mut seen: Vec<String> = roots
        .iter()
        .map(|&file| sources.file(file).name().to_owned())
        .collect();
    let mut queue: Vec<(FileId, bool)> = roots.iter().map(|&file| (file, true)).collect();
    let mut at = 0;
    while at < queue.len() && at < MAX_FILES {
        let (file, verify) = queue[at];
        at += 1;
        let text = sources.file(file).text().clone();
        let parsed = parse_file(
            &text,
            file,
            verify,
            &mut ast,
            &mut program.names,
            &mut diagnostics,
        );
        decls.extend(parsed.decls);
        for (path, span) in parsed.includes {
            let from = sources.file(file).name().to_owned();
            if let Some(new) = include(
                sources,
                includes,
                &from,
                &path,
                span,
                &mut seen,
                &mut diagnostics,
            ) {
                queue.push((new, false));
            }
        }
    }
    let mut phase = Phase::Parse;
    if !diagnostics.iter().any(Diagnostic::is_error) {
        let lines = line_starts(sources, &queue);
        program = crate::resolve::resolve(&ast, program, decls, lines, options, &mut diagnostics);
        let failed = diagnostics.iter().any(Diagnostic::is_error);
        phase = if failed { Phase::Resolve } else { Phase::Done };
    }
    Checked {
        program,
        diagnostics,
        phase,
    }
}

/// Where the lines of each file begin, by file.
fn line_starts(sources: &SourceMap, files: &[(FileId, bool)]) -> Vec<Vec<u32>> {
    let count = files.iter().map(|(file, _)| file.index() + 1).max();
    let mut out = vec![Vec::new(); count.unwrap_or(0)];
    for &(file, _) in files {
        let text = sources.file(file).text().clone();
        let breaks = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        out[file.index()] = [0]
            .into_iter()
            .chain(breaks.map(|(i, _)| i as u32 + 1))
            .collect();
    }
    out
}

fn include(
    sources: &mut SourceMap,
    includes: &mut dyn Includes,
    from: &str,
    path: &str,
    span: Span,
    seen: &mut Vec<String>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<FileId> {
    match includes.load(from, path) {
        Ok((name, _)) if seen.contains(&name) => None,
        Ok((name, text)) => {
            seen.push(name.clone());
            sources.add(name, text)
        }
        Err(why) => {
            diagnostics.push(Diagnostic::error("dafny/include", why).at(span));
            None
        }
    }
}
