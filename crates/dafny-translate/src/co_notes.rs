//! Why a recursive call of a function with codata as its result is not co-recursive: a note for calls that are not shown to end.

use crate::cx::Cx;
use stet_base::{FastMap, Span};
use stet_dafny::tree::{ExprId, ExprKind, Function, FunctionCall, MemberId, TypeDeclKind};

/// Where a call is in the body of a function.
#[derive(Clone, Copy, Default)]
struct Context {
    /// Below a constructor of a codatatype.
    guarded: bool,
    /// In an argument of a function that may look at its arguments.
    inside: Option<MemberId>,
    /// Its value is looked at.
    destructive: bool,
}

impl Cx<'_> {
    /// Notes about the recursive calls in the body of a function, by their places.
    pub(crate) fn co_notes(&mut self, f: &Function) -> FastMap<Span, String> {
        let rep = self.rep(f.result);
        let (Some(body), true, true) = (f.body, f.recursive, self.is_codata(rep)) else {
            return FastMap::default();
        };
        let mut calls: Vec<(Span, &FunctionCall, Context)> = Vec::new();
        let mut pending = vec![(body, Context::default())];
        while let Some((e, context)) = pending.pop() {
            if let ExprKind::Call(call) = &self.p.exprs[e].kind
                && self.function(call.function).is_some_and(|g| g.scc == f.scc)
            {
                calls.push((self.p.exprs[e].tok, call, context));
            }
            self.co_parts(e, context, &mut pending);
        }
        let is_examined = calls.iter().any(|(_, _, context)| context.destructive);
        calls
            .into_iter()
            .filter(|(_, call, _)| !call.co_call)
            .filter_map(|(at, call, c)| Some((at, self.co_note(call, c, is_examined)?)))
            .collect()
    }

    /// The parts of an expression, each with its context.
    fn co_parts(&self, e: ExprId, context: Context, pending: &mut Vec<(ExprId, Context)>) {
        let looked_at = Context {
            destructive: true,
            ..context
        };
        match &self.p.exprs[e].kind {
            ExprKind::Ite(test, a, b) => {
                pending.extend([(*test, looked_at), (*a, context), (*b, context)]);
            }
            ExprKind::Match { scrutinee, cases } => {
                pending.push((*scrutinee, looked_at));
                pending.extend(cases.iter().map(|c| (c.body, context)));
            }
            ExprKind::Let { values, body, .. } => {
                pending.extend(values.iter().map(|&v| (v, looked_at)));
                pending.push((*body, context));
            }
            ExprKind::LetSuchThat { body, .. } | ExprKind::StmtExpr(_, body) => {
                pending.push((*body, context));
            }
            ExprKind::Ctor { ctor, args, .. } => {
                let kind = &self.p.decls[self.p.ctors[*ctor].decl].kind;
                let co = matches!(kind, TypeDeclKind::Datatype { co: true, .. });
                let inner = Context {
                    guarded: context.guarded || co,
                    ..context
                };
                pending.extend(args.iter().map(|&a| (a, inner)));
            }
            ExprKind::Call(call) => {
                let mut attributes = self.p.members[call.function].attributes.iter();
                let is_abstemious = attributes.any(|a| self.p.text(a.name) == "abstemious");
                let inner = Context {
                    inside: match is_abstemious {
                        true => context.inside,
                        false => context.inside.or(Some(call.function)),
                    },
                    ..context
                };
                pending.extend(call.args.iter().map(|&a| (a, inner)));
            }
            kind => {
                let all = kind.children().into_iter();
                pending.extend(all.map(|part| (part, looked_at)));
            }
        }
    }

    fn co_note(&self, call: &FunctionCall, context: Context, is_examined: bool) -> Option<String> {
        let callee = self.function(call.function)?;
        let note = if callee.reads.star || !callee.reads.items.is_empty() {
            "only functions without side effects can be called co-recursively".into()
        } else if !callee.ensures.is_empty() {
            "only functions without any ensures clause can be called co-recursively".into()
        } else if !context.guarded {
            "the call is not sufficiently guarded to be used co-recursively".into()
        } else if let Some(function) = context.inside {
            let name = self.p.text(self.p.members[function].name);
            format!(
                "calls cannot be co-recursive in this context; perhaps try declaring function '{name}' with '{{:abstemious}}'"
            )
        } else if is_examined {
            "a call can be co-recursive only if all intra-cluster calls are in non-destructive contexts".into()
        } else {
            return None;
        };
        Some(format!(" (note that {note})"))
    }
}
