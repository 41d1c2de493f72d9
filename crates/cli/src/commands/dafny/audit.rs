//! `stet dafny audit`: what a program takes for granted.
//!
//! Listed: `assume` statements, declarations with `{:axiom}`, bodiless lemmas and methods with postconditions, `{:verify false}`,
//! `{:extern}` with a contract, `decreases *`. One warning each, with the declaration it is in.

use stet_base::Span;
use stet_dafny::tree::{
    Attribute, Clause, Member, MemberKind, Owner, Part, Program, StmtKind, TypeDeclKind,
};

/// Something a program takes for granted.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) span: Span,
    pub(crate) message: String,
}

/// Everything that is taken for granted in the files the user named, in the order of the text.
pub(crate) fn findings(program: &Program) -> Vec<Finding> {
    let mut out = Vec::new();
    for (id, member) in program.members.iter() {
        if member.verify && !is_of_iterator(program, member) {
            let name = program.member_path(id);
            audit_member(program, member, &name, &mut out);
        }
    }
    out.sort_by_key(|f| (f.span.file, f.span.start));
    out
}

/// What a class of an iterator with a body has is shown by that body.
fn is_of_iterator(program: &Program, member: &Member) -> bool {
    let Owner::Type(decl) = member.owner else {
        return false;
    };
    match &program.decls[decl].kind {
        TypeDeclKind::Iterator(it) => {
            let has_body = matches!(&member.kind, MemberKind::Method(m) if m.body.is_some());
            it.body.is_some() && !has_body
        }
        _ => false,
    }
}

fn audit_member(program: &Program, member: &Member, name: &str, out: &mut Vec<Finding>) {
    let mut add = |span: Span, text: &str, mitigation: &str| {
        out.push(Finding {
            span,
            message: format!("{name}: {text} Possible mitigation: {mitigation}"),
        });
    };
    let has = |word: &str| attribute(program, &member.attributes, word).is_some();
    let (ensures, requires, has_body, star): (&[Clause], &[Clause], bool, bool) = match &member.kind
    {
        MemberKind::Function(f) => (&f.ensures, &f.requires, f.body.is_some(), f.decreases.star),
        MemberKind::Method(m) => (&m.ensures, &m.requires, m.body.is_some(), m.decreases.star),
        _ => return,
    };
    if has("axiom") {
        add(
            member.span,
            "Declaration has explicit `{:axiom}` attribute.",
            "Provide a proof or test.",
        );
    } else if !has_body && !ensures.is_empty() {
        let ghost = if member.ghost { "Ghost" } else { "Compiled" };
        add(
            member.span,
            &format!("{ghost} declaration has no body and has an ensures clause."),
            "Provide a body or add `{:axiom}`.",
        );
    }
    if has("extern") {
        if !ensures.is_empty() {
            add(
                member.span,
                "Declaration with `{:extern}` has an ensures clause.",
                "Test any external callee (maybe with `/testContracts`).",
            );
        }
        if !requires.is_empty() {
            add(
                member.span,
                "Declaration with `{:extern}` has a requires clause.",
                "Test any external caller (maybe with `/testContracts`).",
            );
        }
    }
    if not_verified(program, &member.attributes) {
        add(
            member.span,
            "Declaration has `{:verify false}` attribute.",
            "Remove and prove if possible.",
        );
    }
    if star {
        add(
            member.span,
            "Method may not terminate (uses `decreases *`).",
            "Provide a valid `decreases` clause.",
        );
    }
    for (span, axiom) in assumptions(program, member) {
        let (text, mitigation) = if axiom {
            (
                "Definition has `assume {:axiom}` statement in body.",
                "Prove condition or test with `expect`.",
            )
        } else {
            (
                "Definition has `assume` statement in body.",
                "Replace with `assert` and prove or add `{:axiom}`.",
            )
        };
        add(span, text, mitigation);
    }
}

fn attribute<'a>(
    program: &Program,
    attributes: &'a [Attribute],
    name: &str,
) -> Option<&'a Attribute> {
    attributes.iter().find(|a| program.text(a.name) == name)
}

fn not_verified(program: &Program, attributes: &[Attribute]) -> bool {
    attribute(program, attributes, "verify").is_some_and(|a| {
        a.args.first().is_some_and(|&e| {
            matches!(
                program.exprs[e].kind,
                stet_dafny::tree::ExprKind::Bool(false)
            )
        })
    })
}

/// The `assume` statements of a member, and whether each is meant as an axiom.
fn assumptions(program: &Program, member: &Member) -> Vec<(Span, bool)> {
    let roots: Vec<Part> = match &member.kind {
        MemberKind::Method(m) => [m.body, m.body_after_new]
            .into_iter()
            .flatten()
            .map(Part::Stmt)
            .collect(),
        MemberKind::Function(f) => f
            .body
            .map(Part::Expr)
            .into_iter()
            .chain(f.by_method.map(Part::Stmt))
            .collect(),
        _ => Vec::new(),
    };
    let mut out = Vec::new();
    for id in program.stmts_below(&roots) {
        let stmt = &program.stmts[id];
        let axiom = attribute(program, &stmt.attributes, "axiom").is_some();
        if matches!(
            stmt.kind,
            StmtKind::Assume(_) | StmtKind::AssignSuchThat { assume: true, .. }
        ) {
            out.push((stmt.tok, axiom));
        }
    }
    out
}
