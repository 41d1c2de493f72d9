//! The parts of Dafny expressions and statements, for questions about whole trees.

use stet_dafny::tree::*;

/// Calls `visit` with an expression and everything in it, statements inside included; `visit` says whether to go on
/// into the parts.
pub(crate) fn walk(p: &Program, root: ExprId, visit: &mut dyn FnMut(ExprId) -> bool) {
    let mut pending = vec![root];
    while let Some(e) = pending.pop() {
        if visit(e) {
            parts(p, e, &mut pending);
        }
    }
}

fn parts(p: &Program, e: ExprId, out: &mut Vec<ExprId>) {
    match &p.exprs[e].kind {
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Char(_)
        | ExprKind::Str(_)
        | ExprKind::Null
        | ExprKind::Var(_)
        | ExprKind::This
        | ExprKind::StaticConst { .. }
        | ExprKind::Error => {}
        ExprKind::Field { object: a, .. }
        | ExprKind::Destructor { value: a, .. }
        | ExprKind::TupleSelect(a, _)
        | ExprKind::Discriminator(a, _)
        | ExprKind::Property(_, a)
        | ExprKind::FnProperty(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Old(a, _)
        | ExprKind::Fresh(a, _)
        | ExprKind::Allocated(a)
        | ExprKind::MultisetOf(a)
        | ExprKind::Convert(a, _)
        | ExprKind::TypeTest(a, _) => out.push(*a),
        ExprKind::Call(call) => {
            out.extend(call.receiver);
            out.extend(&call.args);
            out.extend(call.prefix);
        }
        ExprKind::FunctionValue { receiver, .. } => out.extend(receiver),
        ExprKind::Apply(f, args) | ExprKind::FnRequires(f, args) | ExprKind::FnReads(f, args) => {
            out.push(*f);
            out.extend(args);
        }
        ExprKind::ArrayIndex(a, args) => {
            out.push(*a);
            out.extend(args);
        }
        ExprKind::Ctor { args, .. }
        | ExprKind::Tuple(args)
        | ExprKind::SetDisplay(args)
        | ExprKind::MultisetDisplay(args)
        | ExprKind::SeqDisplay(args) => out.extend(args),
        ExprKind::Binary(_, a, b)
        | ExprKind::Index(a, b)
        | ExprKind::Rotate(a, b, _)
        | ExprKind::SeqConstruct(a, b) => out.extend([a, b]),
        ExprKind::PrefixEq { k, left, right, .. } => out.extend([k, left, right]),
        ExprKind::Unchanged(frame, _) => out.extend(frame.items.iter().map(|i| i.expr)),
        ExprKind::Slice(a, lo, hi) => {
            out.push(*a);
            out.extend(lo);
            out.extend(hi);
        }
        ExprKind::Update(a, b, c) | ExprKind::Ite(a, b, c) => out.extend([a, b, c]),
        ExprKind::DatatypeUpdate { value, updates, .. } => {
            out.push(*value);
            out.extend(updates.iter().map(|(_, e)| *e));
        }
        ExprKind::MapDisplay(entries) => {
            out.extend(entries.iter().flat_map(|(k, v)| [*k, *v]));
        }
        ExprKind::Match { scrutinee, cases } => {
            out.push(*scrutinee);
            out.extend(cases.iter().map(|c| c.body));
        }
        ExprKind::Let { values, body, .. } => {
            out.extend(values);
            out.push(*body);
        }
        ExprKind::LetSuchThat {
            condition, body, ..
        } => out.extend([condition, body]),
        ExprKind::Quantifier(q) => {
            out.extend(q.range);
            out.push(q.body);
        }
        ExprKind::SetComprehension { range, term, .. } => out.extend([range, term]),
        ExprKind::MapComprehension {
            range, key, value, ..
        } => {
            out.extend([range, value]);
            out.extend(key);
        }
        ExprKind::Lambda {
            requires,
            reads,
            body,
            ..
        } => {
            out.extend(requires);
            out.extend(reads.items.iter().map(|i| i.expr));
            out.push(*body);
        }
        // What statements in expressions say is not part of the value.
        ExprKind::StmtExpr(_, inner) => out.push(*inner),
        ExprKind::DecreasesTo { old, new, .. } => {
            out.extend(old);
            out.extend(new);
        }
    }
}

/// The expressions that the meaning of a function depends on.
pub(crate) fn of_function(f: &Function) -> Vec<ExprId> {
    let clauses = f.requires.iter().chain(&f.ensures).map(|c| c.expr);
    let frame = f.reads.items.iter().map(|i| i.expr);
    let measure = f.decreases.exprs.iter().copied();
    clauses.chain(frame).chain(measure).chain(f.body).collect()
}
