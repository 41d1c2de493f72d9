//! What Dafny remarks about a program that it accepts: quantifiers without triggers, `old` without effect, and, as hints, the
//! native types of newtypes.

use crate::check::Options;
use crate::tree::{
    Attribute, ExprId, ExprKind, ForallKind, MemberKind, Program, StmtKind, TypeDeclKind, VarId,
};
use stet_base::{FastSet, Span};
use stet_diag::Diagnostic;

const NO_TRIGGER: &str = "Could not find a trigger for this quantifier. Without a trigger, the quantifier may cause brittle verification. To silence this warning, add an explicit trigger using the {:trigger} attribute. For more information, see the section on quantifier instantiation rules in the reference manual.";

const OLD_WITHOUT_EFFECT: &str =
    "Argument to 'old' does not dereference the mutable heap, so this use of 'old' has no effect";

/// The remarks, in the order of the program.
pub(crate) fn advice(p: &Program, options: Options) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut seen: FastSet<(Span, &'static str)> = FastSet::default();
    let mut warn = |span: Span, code: &'static str, message: &'static str| {
        if seen.insert((span, code)) {
            found.push(Diagnostic::warning(code, message).at(span));
        }
    };
    for (id, expr) in p.exprs.iter() {
        if lacks_trigger(p, id) {
            warn(expr.tok, "dafny/no-trigger", NO_TRIGGER);
        }
        if let ExprKind::Old(inner, _) = expr.kind
            && !reads_heap(p, inner)
        {
            warn(expr.tok, "dafny/old", OLD_WITHOUT_EFFECT);
        }
    }
    for (_, stmt) in p.stmts.iter() {
        if let StmtKind::Forall {
            vars,
            range,
            ensures,
            kind: ForallKind::Proof,
            ..
        } = &stmt.kind
        {
            let roots: Vec<ExprId> = [*range]
                .into_iter()
                .chain(ensures.iter().map(|c| c.expr))
                .collect();
            let is_open = !ensures.is_empty() && !has_say(p, &stmt.attributes);
            if is_open && !vars.is_empty() && !p.has_trigger(vars, &roots) {
                warn(stmt.tok, "dafny/no-trigger", NO_TRIGGER);
            }
        }
    }
    for (_, stmt) in p.stmts.iter() {
        if let StmtKind::While {
            guard,
            spec,
            body: None,
        } = &stmt.kind
        {
            let (vars, heap) = p.loop_frame(guard, spec);
            let mut names: Vec<&str> = vars.iter().map(|&v| p.text(p.vars[v].name)).collect();
            if heap {
                names.push("$Heap");
            }
            let frame = match names.is_empty() {
                true => String::new(),
                false => format!(" (loop frame: {})", names.join(", ")),
            };
            let message = format!("this loop has no body{frame}");
            found.push(Diagnostic::warning("dafny/no-body", message).at(stmt.tok));
        }
    }
    for (_, member) in p.members.iter() {
        let mut attributes = member.attributes.iter();
        if let Some(only) = attributes.find(|a| p.text(a.name) == "only") {
            let message = "Members with {:only} temporarily disable the verification of other members in the entire file";
            found.push(Diagnostic::warning("dafny/only", message).at(only.span));
        }
    }
    if options.show_hints {
        found.extend(crate::native::hints(p));
    }
    found.sort_by_key(|d| d.primary.as_ref().map(|l| (l.span.file, l.span.start)));
    found
}

/// Whether the user chose triggers, or asks for no warning.
fn has_say(p: &Program, attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|a| matches!(p.text(a.name), "trigger" | "nowarn" | "autotriggers"))
}

fn lacks_trigger(p: &Program, id: ExprId) -> bool {
    let (vars, roots, attributes): (&[VarId], Vec<ExprId>, &[Attribute]) = match &p.exprs[id].kind {
        ExprKind::Quantifier(q) => (
            &q.vars,
            q.range.into_iter().chain([q.body]).collect(),
            &q.attributes,
        ),
        ExprKind::SetComprehension {
            vars,
            range,
            term,
            attributes,
            ..
        } => (vars, vec![*range, *term], attributes),
        ExprKind::MapComprehension {
            vars,
            range,
            key,
            value,
            attributes,
            ..
        } => (
            vars,
            [*range, *value].into_iter().chain(*key).collect(),
            attributes,
        ),
        _ => return false,
    };
    !vars.is_empty() && !has_say(p, attributes) && !p.has_trigger(vars, &roots)
}

/// Whether the value of an expression depends on the state.
fn reads_heap(p: &Program, root: ExprId) -> bool {
    let mut pending = vec![root];
    while let Some(e) = pending.pop() {
        let reads = match &p.exprs[e].kind {
            ExprKind::Field { field, .. } => {
                matches!(p.members[*field].kind, MemberKind::Field { .. })
            }
            ExprKind::ArrayIndex(..)
            | ExprKind::Fresh(..)
            | ExprKind::Unchanged(..)
            | ExprKind::Allocated(_)
            | ExprKind::Apply(..)
            | ExprKind::FnRequires(..)
            | ExprKind::FnReads(..)
            | ExprKind::FunctionValue { .. }
            | ExprKind::Error
            | ExprKind::StmtExpr(..) => true,
            ExprKind::Slice(of, ..) | ExprKind::MultisetOf(of) => {
                p.is_reference(p.ty(*of)) || p.may_contain_references(p.ty(*of))
            }
            ExprKind::Call(call) => match &p.members[call.function].kind {
                MemberKind::Function(f) => f.reads.star || !f.reads.items.is_empty() || f.twostate,
                _ => true,
            },
            ExprKind::Quantifier(q) => over_references(p, &q.vars),
            ExprKind::SetComprehension { vars, .. }
            | ExprKind::MapComprehension { vars, .. }
            | ExprKind::LetSuchThat { vars, .. } => over_references(p, vars),
            _ => false,
        };
        if reads {
            return true;
        }
        pending.extend(p.exprs[e].kind.children());
    }
    false
}

fn over_references(p: &Program, vars: &[VarId]) -> bool {
    vars.iter().any(|&v| p.may_contain_references(p.vars[v].ty))
}

/// Newtypes, with their declarations.
pub(crate) fn newtypes(
    p: &Program,
) -> impl Iterator<Item = (&crate::tree::TypeDecl, &crate::tree::Constrained)> {
    p.decls.iter().filter_map(|(_, d)| match &d.kind {
        TypeDeclKind::Newtype(c) => Some((d, c)),
        _ => None,
    })
}
