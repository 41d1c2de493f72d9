//! Warnings and hints about accepted programs: quantifiers without triggers, `old` without effect, and, as hints, the
//! native types of newtypes.

use crate::check::Options;
use crate::tree::{
    Attribute, ExprId, ExprKind, ForallKind, Guard, MemberKind, Owner, Pattern, Program, StmtKind,
    TypeDeclKind, VarId,
};
use stet_base::{FastSet, Span};
use stet_diag::Diagnostic;

const NO_TRIGGER: &str = "Could not find a trigger for this quantifier. Without a trigger, the quantifier may cause brittle verification. To silence this warning, add an explicit trigger using the {:trigger} attribute. For more information, see the section on quantifier instantiation rules in the reference manual.";

const NO_INDUCTION_TRIGGER: &str = "Could not find a trigger for the induction hypothesis. Without a trigger, this may cause brittle verification. Change or remove the {:induction} attribute to generate a different induction hypothesis, or add {:nowarn} to silence this warning. For more information, see the section on quantifier instantiation rules in the reference manual.";

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
    for guard in p.stmts.iter().flat_map(|(_, stmt)| guards(&stmt.kind)) {
        if let Guard::Binding {
            vars,
            expr,
            attributes,
            tok,
            ..
        } = guard
            && !has_say(p, attributes)
            && !p.has_trigger(vars, &[*expr])
        {
            warn(*tok, "dafny/no-trigger", NO_TRIGGER);
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
    if !options.allow_axioms {
        unproved_promises(p, &mut found);
    }
    only_assertions(p, &mut found);
    redundant_cases(p, &mut found);
    induction_without_trigger(p, &mut found);
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

/// Postconditions of callables without bodies that are not marked as axioms. What a trait or an abstract module says is
/// proved elsewhere.
fn unproved_promises(p: &Program, found: &mut Vec<Diagnostic>) {
    let is_marked = |all: &[Attribute], names: &[&str]| {
        let mut all = all.iter();
        all.any(|a| names.contains(&p.text(a.name)))
    };
    for (_, member) in p.members.iter() {
        let (ensures, word) = match &member.kind {
            MemberKind::Function(f) if f.body.is_none() => (&f.ensures, "function"),
            MemberKind::Method(m) if m.body.is_none() => (&m.ensures, "method"),
            _ => continue,
        };
        let is_elsewhere = match member.owner {
            Owner::Module(_) => false,
            Owner::Type(decl) => matches!(
                p.decls[decl].kind,
                TypeDeclKind::Trait { .. } | TypeDeclKind::Iterator(_)
            ),
        };
        let mut module = Some(member.module);
        let mut in_abstract = false;
        while let Some(at) = module {
            in_abstract |= p.modules[at].is_abstract;
            module = p.modules[at].parent;
        }
        let is_silent = is_elsewhere || in_abstract || !member.verify;
        if is_silent || is_marked(&member.attributes, &["axiom", "extern"]) {
            continue;
        }
        for clause in ensures {
            if !is_marked(&clause.attributes, &["axiom"]) {
                let message = format!(
                    "This ensures clause is part of a bodyless {word}. Add the {{:axiom}} attribute to it or the enclosing {word} to suppress this warning"
                );
                let place = p.exprs[clause.expr].tok;
                found.push(Diagnostic::warning("dafny/axiom", message).at(place));
            }
        }
    }
}

/// The conditions of a statement's branches.
fn guards(stmt: &StmtKind) -> Vec<&Guard> {
    match stmt {
        StmtKind::If { guard, .. } | StmtKind::While { guard, .. } => vec![guard],
        StmtKind::IfCases(cases) | StmtKind::WhileCases { cases, .. } => {
            cases.iter().map(|case| &case.guard).collect()
        }
        _ => Vec::new(),
    }
}

/// Induction hypotheses that the program asks for and that no terms find.
fn induction_without_trigger(p: &Program, found: &mut Vec<Diagnostic>) {
    for (_, member) in p.members.iter() {
        let MemberKind::Method(m) = &member.kind else {
            continue;
        };
        let given = |name: &str| member.attributes.iter().find(|a| p.text(a.name) == name);
        let Some(induction) = given("induction") else {
            continue;
        };
        let is_silent = given("nowarn").is_some() || given("inductionTrigger").is_some();
        let Some(vars) = p.induction_variables(m, induction).filter(|_| !is_silent) else {
            continue;
        };
        let specs = m.ensures.iter().chain(&m.requires);
        let roots: Vec<ExprId> = specs.map(|spec| spec.expr).collect();
        if !vars.is_empty() && member.verify && !p.has_trigger(&vars, &roots) {
            let warning = Diagnostic::warning("dafny/no-trigger", NO_INDUCTION_TRIGGER);
            found.push(warning.at(member.span));
        }
    }
}

/// Cases that nothing is left for.
fn redundant_cases(p: &Program, found: &mut Vec<Diagnostic>) {
    let mut look = |cases: Vec<(&Pattern, Span)>| {
        for (at, &(pattern, span)) in cases.iter().enumerate() {
            let before = cases[..at].iter().map(|(pattern, _)| *pattern);
            if at > 0 && p.is_redundant(before, pattern) {
                let message = "this branch is redundant";
                found.push(Diagnostic::warning("dafny/redundant-case", message).at(span));
            }
        }
    };
    for (_, expr) in p.exprs.iter() {
        if let ExprKind::Match { cases, .. } = &expr.kind {
            look(cases.iter().map(|c| (&c.pattern, c.span)).collect());
        }
    }
    for (_, stmt) in p.stmts.iter() {
        if let StmtKind::Match { cases, .. } = &stmt.kind {
            look(cases.iter().map(|c| (&c.pattern, c.span)).collect());
        }
    }
}

/// Assertions that are checked instead of others.
fn only_assertions(p: &Program, found: &mut Vec<Diagnostic>) {
    let assertions = p.stmts.iter().filter_map(|(_, stmt)| match stmt.kind {
        StmtKind::Assert { .. } => Some(&stmt.attributes),
        _ => None,
    });
    for only in assertions.flatten().filter(|a| p.text(a.name) == "only") {
        let message =
            "Assertion with {:only} temporarily transforms other assertions into assumptions";
        found.push(Diagnostic::warning("dafny/only", message).at(only.span));
        let is_word = |e: ExprId, word: &str| match &p.exprs[e].kind {
            ExprKind::Str(text) => text.iter().copied().eq(word.chars().map(u32::from)),
            _ => false,
        };
        if let Some(&arg) = only.args.first()
            && !is_word(arg, "before")
            && !is_word(arg, "after")
        {
            let message = "{:only} only accepts \"before\" or \"after\" as an optional argument";
            found.push(Diagnostic::warning("dafny/only", message).at(p.exprs[arg].tok));
        }
    }
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
        // With keys of their own, terms for the variables come from what the keys are made of.
        ExprKind::MapComprehension {
            vars,
            range,
            key: None,
            value,
            attributes,
            ..
        } => (vars, vec![*range, *value], attributes),
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
