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

    /// The project that the file `root` belongs to; or what is wrong with it.
    fn project(&mut self, root: &str) -> Result<Project, String> {
        let _ = root;
        Ok(Project::default())
    }
}

/// What a project file says about a file of the project.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Project {
    /// Other files, which are read as if that file included them.
    pub files: Vec<String>,
    /// The options of the language, in place of those of the caller.
    pub options: Option<Options>,
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
    /// The options it was read with: the caller's, or those of its project.
    pub options: Options,
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
    /// `--show-hints`
    pub show_hints: bool,
    /// `--show-proof-obligation-expressions`: failing checks say what they assert.
    pub show_proof_obligation_expressions: bool,
    /// `--allow-axioms`: postconditions that nothing proves are no reason for a warning.
    pub allow_axioms: bool,
}

impl Options {
    /// As Dafny has them when no option is given; but `stet dafny audit` lists axioms, nothing else warns about them.
    pub const DEFAULT: Options = Options {
        reads_clauses_on_methods: false,
        relax_definite_assignment: false,
        show_hints: false,
        show_proof_obligation_expressions: false,
        allow_axioms: true,
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
    mut options: Options,
) -> Checked {
    let mut ast = Ast::default();
    let mut program = Program::default();
    let mut decls: Vec<Decl> = Vec::new();
    let mut reader = Reader::new(sources, roots, includes);
    let mut queue: Vec<(FileId, bool)> = roots.iter().map(|&file| (file, true)).collect();
    for &root in roots {
        let (files, asked) = reader.project(root);
        queue.extend(files.into_iter().map(|file| (file, false)));
        options = asked.unwrap_or(options);
    }
    let mut at = 0;
    while at < queue.len() && at < MAX_FILES {
        let (file, verify) = queue[at];
        at += 1;
        let text = reader.sources.file(file).text().clone();
        let parsed = parse_file(
            &text,
            file,
            verify,
            &mut ast,
            &mut program.names,
            &mut reader.diagnostics,
        );
        decls.extend(parsed.decls);
        for (path, span) in parsed.includes {
            let new = reader.include(file, &path, span);
            queue.extend(new.map(|file| (file, false)));
        }
    }
    let mut diagnostics = reader.diagnostics;
    if crate::library::is_needed(&decls, &program.names)
        && let Some(file) = sources.add_made(crate::library::NAME, crate::library::TEXT)
    {
        let (names, text) = (&mut program.names, crate::library::TEXT);
        let parsed = parse_file(text, file, false, &mut ast, names, &mut diagnostics);
        decls.extend(parsed.decls);
        queue.push((file, false));
    }
    let mut phase = Phase::Parse;
    if !diagnostics.iter().any(Diagnostic::is_error) {
        let names = &mut program.names;
        crate::rewrite::rewrite(&mut ast, &mut decls, names, &mut diagnostics);
        let lines = line_starts(sources, &queue);
        program = crate::resolve::resolve(&ast, program, decls, lines, options, &mut diagnostics);
        let failed = diagnostics.iter().any(Diagnostic::is_error);
        phase = if failed { Phase::Resolve } else { Phase::Done };
        if phase == Phase::Done {
            diagnostics.extend(crate::advice::advice(&program, options));
        }
    }
    Checked {
        program,
        diagnostics,
        phase,
        options,
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

/// Brings files into the program, each once.
struct Reader<'r> {
    sources: &'r mut SourceMap,
    includes: &'r mut dyn Includes,
    /// The names of the files so far.
    seen: Vec<String>,
    diagnostics: Vec<Diagnostic>,
}

impl<'r> Reader<'r> {
    fn new(sources: &'r mut SourceMap, roots: &[FileId], includes: &'r mut dyn Includes) -> Self {
        let names = roots.iter().map(|&file| sources.file(file).name());
        let seen = names.map(str::to_owned).collect();
        Reader {
            sources,
            includes,
            seen,
            diagnostics: Vec::new(),
        }
    }

    /// The other files of a root's project, and its options.
    fn project(&mut self, root: FileId) -> (Vec<FileId>, Option<Options>) {
        let start = Span {
            file: root,
            start: 0,
            end: 0,
        };
        let name = self.sources.file(root).name().to_owned();
        let project = self.includes.project(&name).unwrap_or_else(|why| {
            let wrong = Diagnostic::error("dafny/include", why).at(start);
            self.diagnostics.push(wrong);
            Project::default()
        });
        let files = project.files.iter().take(MAX_FILES);
        let files = files
            .filter_map(|path| self.include(root, path, start))
            .collect();
        (files, project.options)
    }

    /// The file that a directive at `span` names, if it is new.
    fn include(&mut self, from: FileId, path: &str, span: Span) -> Option<FileId> {
        let from = self.sources.file(from).name().to_owned();
        match self.includes.load(&from, path) {
            Ok((name, _)) if self.seen.contains(&name) => None,
            Ok((name, text)) => {
                self.seen.push(name.clone());
                self.sources.add(name, text)
            }
            Err(why) => {
                let wrong = Diagnostic::error("dafny/include", why).at(span);
                self.diagnostics.push(wrong);
                None
            }
        }
    }
}
