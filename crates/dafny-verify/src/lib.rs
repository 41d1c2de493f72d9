//! Dafny programs for the verifier: from files to a Boogie program in memory, and errors in Dafny's words.
//!
//! [`load`] parses, resolves and translates; [`front`] is the engine's front end for the result. The command line and the
//! language server call both.

pub mod console;
pub mod paths;
pub mod values;

use std::collections::BTreeMap;
use stet_base::{FileId, SourceMap, Span, Symbol};
pub use stet_dafny::tree::Link;
use stet_dafny::tree::{ForallKind, MemberKind, Program, Stmt, StmtKind, Ty};
use stet_dafny::{Checked, Includes, Phase};
pub use stet_dafny_translate::Translation;
use stet_diag::Diagnostic;
use stet_verify::{CheckKind, ImplementationResult, Model, Origin, Tree, VerificationError};

/// Related places of failing checks, by the start of the check and its message.
type Related = BTreeMap<(u32, String), Vec<(Span, String)>>;

/// A program as far as it could be read.
pub struct Loaded {
    /// How far it got.
    pub phase: Phase,
    /// What the front end says, and what is not supported.
    pub diagnostics: Vec<Diagnostic>,
    /// The translation, if there is one that may be verified.
    pub translation: Option<Translation>,
    /// Statements that are not compiled, the outermost of each nest, for editors.
    pub ghosts: Vec<Span>,
}

/// Parses, resolves and translates a program.
pub fn load(
    sources: &mut SourceMap,
    files: &[FileId],
    includes: &mut (dyn Includes + Send),
) -> Loaded {
    load_with(sources, files, includes, stet_dafny::Options::DEFAULT)
}

/// As [`load`], with options.
pub fn load_with(
    sources: &mut SourceMap,
    files: &[FileId],
    includes: &mut (dyn Includes + Send),
    options: stet_dafny::Options,
) -> Loaded {
    let resolved = resolve(sources, files, includes, options);
    let mut loaded = Loaded {
        phase: resolved.phase,
        diagnostics: resolved.diagnostics,
        translation: None,
        ghosts: resolved.ghosts,
    };
    if let Some(untranslated) = resolved.untranslated {
        let (translation, problems) = untranslated.translate();
        loaded.translation = translation;
        loaded.diagnostics.extend(problems);
    }
    loaded
}

/// A program that was parsed and resolved: an editor shows what is wrong so far before the rest is done.
pub struct Resolved {
    pub phase: Phase,
    pub diagnostics: Vec<Diagnostic>,
    /// As in [`Loaded`].
    pub ghosts: Vec<Span>,
    /// What is left to do, if there are no errors.
    pub untranslated: Option<Untranslated>,
    /// What names stand for, as far as they were resolved.
    pub links: Vec<Link>,
    /// The places of the names of all declarations.
    pub declared: Vec<Declared>,
}

/// The name of a declaration.
pub struct Declared {
    pub place: Span,
    pub name: String,
    /// Its type, if it is a variable, a field or a constant.
    pub ty: Option<String>,
}

/// A resolved program.
pub struct Untranslated {
    program: Program,
    here: Span,
    options: stet_dafny::Options,
}

/// Parses and resolves a program.
pub fn resolve(
    sources: &mut SourceMap,
    files: &[FileId],
    includes: &mut (dyn Includes + Send),
    options: stet_dafny::Options,
) -> Resolved {
    let Checked {
        phase,
        diagnostics,
        program,
        options,
    } = stet_dafny::check_with(sources, files, includes, options);
    let mut resolved = Resolved {
        phase,
        diagnostics,
        ghosts: Vec::new(),
        untranslated: None,
        links: program.links.clone(),
        declared: declared(&program),
    };
    if let (Some(&file), Phase::Done) = (files.first(), phase) {
        resolved.ghosts = ghosts(&program);
        let here = Span {
            file,
            start: 0,
            end: 0,
        };
        resolved.untranslated = Some(Untranslated {
            program,
            here,
            options,
        });
    }
    resolved
}

impl Untranslated {
    /// The translation, unless something in the program is not supported; what is wrong then.
    pub fn translate(&self) -> (Option<Translation>, Vec<Diagnostic>) {
        let translation = stet_dafny_translate::translate(&self.program, self.here, self.options);
        let mut problems = Vec::new();
        for missing in &translation.unsupported {
            let message = format!("not supported: {}", missing.what);
            problems.push(Diagnostic::error("dafny/unsupported", message).at(missing.span));
        }
        for fault in &translation.faults {
            problems.push(
                Diagnostic::error(
                    "internal/translation",
                    format!("the translation is broken: {fault}"),
                )
                .with_note("this is a defect of Stet; please report it with the input"),
            );
        }
        (problems.is_empty().then_some(translation), problems)
    }
}

/// All declarations of a program.
fn declared(program: &Program) -> Vec<Declared> {
    let named = |place: Span, name: Symbol, ty: Option<Ty>| Declared {
        place,
        name: program.text(name).to_owned(),
        ty: ty.map(|ty| program.show_type(ty)),
    };
    let mut found = Vec::new();
    let vars = program.vars.iter().filter(|(_, var)| var.user_named);
    found.extend(vars.map(|(_, v)| named(v.span, v.name, Some(v.ty))));
    found.extend(program.members.iter().map(|(_, m)| {
        let ty = match &m.kind {
            MemberKind::Field { ty } | MemberKind::Const { ty, .. } => Some(*ty),
            _ => None,
        };
        named(m.span, m.name, ty)
    }));
    let ctors = program.ctors.iter();
    found.extend(ctors.map(|(_, c)| named(c.span, c.name, None)));
    let types = program.decls.iter();
    found.extend(types.map(|(_, d)| named(d.span, d.name, None)));
    let params = program.type_params.iter();
    found.extend(params.map(|(_, p)| named(p.span, p.name, None)));
    let modules = program.modules.iter();
    found.extend(modules.map(|(_, m)| named(m.span, m.name, None)));
    found
}

/// The outermost ghost statements.
fn ghosts(program: &Program) -> Vec<Span> {
    let is_ghost = |stmt: &Stmt| match &stmt.kind {
        // What is in a block is told, not the block.
        StmtKind::Block(_) => false,
        _ if stmt.ghost => true,
        StmtKind::Assert { .. }
        | StmtKind::Assume(_)
        | StmtKind::Calc(_)
        | StmtKind::Reveal(_)
        | StmtKind::Hide(_) => true,
        StmtKind::VarDecl { vars, .. } => vars.iter().all(|&var| program.vars[var].ghost),
        StmtKind::Forall { kind, .. } => *kind == ForallKind::Proof,
        _ => false,
    };
    let all = program.stmts.iter().map(|(_, stmt)| stmt);
    let mut spans: Vec<Span> = all.filter(|s| is_ghost(s)).map(|s| s.span).collect();
    spans.sort_by_key(|span| (span.file, span.start, std::cmp::Reverse(span.end)));
    let mut outermost: Vec<Span> = Vec::new();
    for span in spans {
        let is_inside = |outer: &Span| {
            outer.file == span.file && outer.start <= span.start && span.end <= outer.end
        };
        if !outermost.last().is_some_and(is_inside) {
            outermost.push(span);
        }
    }
    outermost
}

/// The front end of the engine for a translated program.
pub fn front(translation: Translation) -> Tree {
    let (related, asserted) = (translation.related, translation.asserted);
    let describe = move |result: &ImplementationResult, error: &VerificationError| {
        let diagnostic = describe(&related, result, error);
        with_assertion(diagnostic, &asserted, error)
    };
    Tree::described(translation.program, Box::new(describe))
}

/// The front end for a translated program whose errors tell the values of variables at the entry and at the failing check.
pub fn front_with_values(mut translation: Translation) -> Tree {
    let fields = values::field_sorts(&translation.program);
    stet_verify::capture_states(&mut translation.program, &|_| Some(AT_ERROR.to_owned()));
    let (related, asserted) = (translation.related, translation.asserted);
    let describe = move |result: &ImplementationResult, error: &VerificationError| {
        let diagnostic = describe(&related, result, error).about(result.name.as_str());
        let diagnostic = with_assertion(diagnostic, &asserted, error);
        match &error.model {
            Some(model) => with_values(diagnostic, model, fields.clone()),
            None => diagnostic,
        }
    };
    Tree::described(translation.program, Box::new(describe))
}

/// The name of the states after the entry: the last one before the failing check counts.
const AT_ERROR: &str = "at the error";

/// Adds the values at the entry, and those that are different at the failing check.
fn with_values(
    mut diagnostic: Diagnostic,
    model: &Model,
    fields: BTreeMap<String, String>,
) -> Diagnostic {
    let mut reader = values::Values::with_fields(model, fields);
    let states: Vec<Vec<(String, String)>> = model.states.iter().map(|s| reader.state(s)).collect();
    let Some((entry, later)) = states.split_first() else {
        return diagnostic;
    };
    let is_new = |value: &&(String, String)| !entry.contains(value);
    let at_error: Vec<_> = later.last().into_iter().flatten().filter(is_new).collect();
    for (name, values) in [
        ("at the entry", entry.iter().collect()),
        (AT_ERROR, at_error),
    ] {
        let values: Vec<String> = values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        if !values.is_empty() {
            diagnostic = diagnostic.with_note(format!("{name}: {}", values.join(", ")));
        }
    }
    diagnostic
}

/// An error in Dafny's words.
fn describe(
    related: &Related,
    result: &ImplementationResult,
    error: &VerificationError,
) -> Diagnostic {
    let (code, message, place) = match error.kind {
        CheckKind::Assert => ("dafny/assertion", "assertion could not be proved", ""),
        CheckKind::Requires => (
            "dafny/precondition",
            "a precondition for this call could not be proved",
            "this is the precondition that could not be proved",
        ),
        CheckKind::Ensures => (
            "dafny/postcondition",
            "a postcondition could not be proved on this return path",
            "this is the postcondition that could not be proved",
        ),
        CheckKind::InvariantEntry => (
            "dafny/invariant-entry",
            "this loop invariant could not be proved on entry",
            "",
        ),
        CheckKind::InvariantMaintained => (
            "dafny/invariant-maintained",
            "this invariant could not be proved to be maintained by the loop",
            "",
        ),
    };
    let given = error.message.as_deref().unwrap_or_default();
    let message = match error.kind {
        CheckKind::Assert if !given.is_empty() => stet_dafny_translate::plain_message(given),
        _ => message,
    };
    let mut diagnostic = Diagnostic::error(code, message).at(error.span);
    if let Some(span) = error.related
        && !place.is_empty()
    {
        diagnostic = diagnostic.related(span, place);
    }
    let key = (clause_of(error).start, given.to_owned());
    for (span, text) in related.get(&key).into_iter().flatten() {
        diagnostic = diagnostic.related(*span, text.as_str());
    }
    if error.origin != Origin::Solved {
        diagnostic = diagnostic.cached(result.recorded);
    }
    diagnostic
}

/// Where the clause is that fails: not where it is called or returned from.
fn clause_of(error: &VerificationError) -> Span {
    match error.kind {
        CheckKind::Requires | CheckKind::Ensures => error.related.unwrap_or(error.span),
        _ => error.span,
    }
}

/// Notes that tell what a failing check asserts begin with this.
pub const ASSERTED: &str = "Asserted expression: ";

/// Adds what the failing check asserts, if that was asked for.
fn with_assertion(
    diagnostic: Diagnostic,
    asserted: &stet_dafny_translate::AssertedTexts,
    error: &VerificationError,
) -> Diagnostic {
    let clause = clause_of(error);
    let given = error.message.clone().unwrap_or_default();
    let text = match error.kind {
        CheckKind::Requires => asserted.calls.get(&(error.span.start, clause.start)),
        _ => asserted.checks.get(&(clause.start, given)),
    };
    match text {
        Some(text) => diagnostic.with_note(format!("{ASSERTED}{text}")),
        None => diagnostic,
    }
}
