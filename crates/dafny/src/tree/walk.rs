//! The direct subexpressions of an expression.

use super::{ExprId, ExprKind, Frame};

fn frame(frame: &Frame, out: &mut Vec<ExprId>) {
    out.extend(frame.items.iter().map(|item| item.expr));
}

impl ExprKind {
    /// The direct subexpressions, in the order they are written; statements inside (`StmtExpr`), attributes and triggers excluded.
    pub fn children(&self) -> Vec<ExprId> {
        let mut out = Vec::new();
        match self {
            ExprKind::Field { object: e, .. }
            | ExprKind::Destructor { value: e, .. }
            | ExprKind::TupleSelect(e, _)
            | ExprKind::Discriminator(e, _)
            | ExprKind::Property(_, e)
            | ExprKind::FnProperty(e, _)
            | ExprKind::Unary(_, e)
            | ExprKind::Old(e, _)
            | ExprKind::Fresh(e, _)
            | ExprKind::Allocated(e)
            | ExprKind::MultisetOf(e)
            | ExprKind::StmtExpr(_, e)
            | ExprKind::Convert(e, _)
            | ExprKind::TypeTest(e, _) => out.push(*e),
            ExprKind::Call(call) => {
                out.extend(call.receiver);
                out.extend(call.prefix);
                out.extend(&call.args);
            }
            ExprKind::FunctionValue { receiver, .. } => out.extend(*receiver),
            ExprKind::Apply(f, args)
            | ExprKind::FnRequires(f, args)
            | ExprKind::FnReads(f, args) => {
                out.push(*f);
                out.extend(args);
            }
            ExprKind::ArrayIndex(f, args) => {
                out.push(*f);
                out.extend(args);
            }
            ExprKind::Ctor { args, .. }
            | ExprKind::Tuple(args)
            | ExprKind::SetDisplay(args)
            | ExprKind::MultisetDisplay(args)
            | ExprKind::SeqDisplay(args) => out.extend(args),
            ExprKind::Binary(_, a, b)
            | ExprKind::Index(a, b)
            | ExprKind::SeqConstruct(a, b)
            | ExprKind::Rotate(a, b, _) => out.extend([*a, *b]),
            ExprKind::PrefixEq { k, left, right, .. } => out.extend([*k, *left, *right]),
            ExprKind::Update(a, b, c) | ExprKind::Ite(a, b, c) => out.extend([*a, *b, *c]),
            ExprKind::Slice(a, lo, hi) => {
                out.push(*a);
                out.extend(*lo);
                out.extend(*hi);
            }
            ExprKind::Unchanged(items, _) => frame(items, &mut out),
            ExprKind::DatatypeUpdate { value, updates, .. } => {
                out.push(*value);
                out.extend(updates.iter().map(|&(_, e)| e));
            }
            ExprKind::MapDisplay(entries) => {
                out.extend(entries.iter().flat_map(|&(k, v)| [k, v]));
            }
            ExprKind::DecreasesTo { old, new, .. } => {
                out.extend(old);
                out.extend(new);
            }
            _ => self.binder_children(&mut out),
        }
        out
    }

    fn binder_children(&self, out: &mut Vec<ExprId>) {
        match self {
            ExprKind::Match { scrutinee, cases } => {
                out.push(*scrutinee);
                out.extend(cases.iter().map(|case| case.body));
            }
            ExprKind::Let { values, body, .. } => {
                out.extend(values);
                out.push(*body);
            }
            ExprKind::LetSuchThat {
                condition, body, ..
            } => out.extend([*condition, *body]),
            ExprKind::Quantifier(q) => {
                out.extend(q.range);
                out.push(q.body);
            }
            ExprKind::SetComprehension { range, term, .. } => out.extend([*range, *term]),
            ExprKind::MapComprehension {
                range, key, value, ..
            } => {
                out.push(*range);
                out.extend(*key);
                out.push(*value);
            }
            ExprKind::Lambda {
                requires,
                reads,
                body,
                ..
            } => {
                out.extend(*requires);
                frame(reads, out);
                out.push(*body);
            }
            _ => {}
        }
    }
}
