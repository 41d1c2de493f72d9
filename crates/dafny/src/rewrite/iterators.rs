//! The callables of an iterator's class, written as syntax: the constructor, `Valid`, `MoveNext`, and a method that holds the
//! body. Clauses of the iterator are used where they mean something: its parameters are those of the constructor in
//! `requires`, and fields of the object everywhere else. Fields are added when signatures are resolved.

use crate::ast::{
    Ast, BinOp, Clause, Decl, Decreases, Expr, ExprId, ExprKind, Formal, Frame, FrameItem,
    Function, Iterator, Member, MemberKind, Method, MethodKind, Modifiers, Name, Seg, Spec,
    TypeDecl, TypeDeclKind, TypeExpr, TypeKind, UnOp,
};
use stet_base::{Interner, Span};

/// The name of the method that holds the body; no program can write it.
pub(crate) const BODY: &str = "#body";
/// What `MoveNext` returns.
const MORE: &str = "_more";

pub(super) fn apply(ast: &mut Ast, decls: &mut [Decl], names: &mut Interner) {
    for decl in decls {
        match decl {
            Decl::Module(module) => apply(ast, &mut module.decls, names),
            Decl::Type(ty) => {
                if let TypeDeclKind::Iterator(iterator) = &ty.kind
                    && !ty.refining
                {
                    let iterator = iterator.clone();
                    let mut writer = Writer {
                        ast,
                        names,
                        span: ty.name.span,
                    };
                    writer.members(ty, &iterator);
                }
            }
            _ => {}
        }
    }
}

/// Writes syntax at the place of an iterator's name.
struct Writer<'a> {
    ast: &'a mut Ast,
    names: &'a mut Interner,
    span: Span,
}

impl Writer<'_> {
    fn members(&mut self, ty: &mut TypeDecl, iterator: &Iterator) {
        let constructor = self.constructor(iterator);
        let valid = self.valid();
        let move_next = self.move_next(iterator);
        let mut callables = vec![
            ("_ctor", MemberKind::Method(Box::new(constructor))),
            ("Valid", MemberKind::Function(Box::new(valid))),
            ("MoveNext", MemberKind::Method(Box::new(move_next))),
        ];
        if iterator.body.is_some() {
            let body = self.body(iterator);
            callables.push((BODY, MemberKind::Method(Box::new(body))));
        }
        for (name, kind) in callables {
            let is_ghost = matches!(kind, MemberKind::Function(_));
            let member = Member {
                name: self.name(name),
                mods: Modifiers {
                    ghost: is_ghost.then_some(self.span),
                    ..Modifiers::default()
                },
                attrs: ty.attrs.clone(),
                kind,
                span: ty.span,
                verify: ty.verify,
            };
            ty.members.push(member);
        }
    }

    fn method(&self, kind: MethodKind, spec: Spec) -> Method {
        Method {
            kind,
            extreme: None,
            params: Vec::new(),
            ins: Vec::new(),
            outs: Vec::new(),
            spec,
            body: None,
            after_new: None,
            refining: false,
            has_signature: true,
        }
    }

    /// What it says of `_reads`, `_modifies` and the measure, the translator adds.
    fn constructor(&mut self, iterator: &Iterator) -> Method {
        let mut ensures = Vec::new();
        for formal in &iterator.ins {
            if let Some(name) = formal.name {
                let (field, given) = (self.field(name), self.plain(name));
                let same = self.binary(BinOp::Eq, field, given);
                ensures.push(self.clause(same));
            }
        }
        for formal in &iterator.outs {
            if let Some(name) = formal.name {
                let (history, none) = (self.history(name), self.expr(ExprKind::Seq(Vec::new())));
                let same = self.binary(BinOp::Eq, history, none);
                ensures.push(self.clause(same));
            }
        }
        let new = self.named_field("_new");
        let none = self.expr(ExprKind::Set(true, Vec::new()));
        let same = self.binary(BinOp::Eq, new, none);
        ensures.push(self.clause(same));
        let valid = self.is_valid();
        ensures.push(self.clause(valid));
        let spec = Spec {
            requires: iterator.spec.requires.clone(),
            ensures,
            ..Spec::default()
        };
        Method {
            ins: iterator.ins.clone(),
            ..self.method(MethodKind::Constructor, spec)
        }
    }

    fn valid(&mut self) -> Function {
        let this = self.expr(ExprKind::This);
        let (reads, new) = (self.named_field("_reads"), self.named_field("_new"));
        Function {
            is_predicate: true,
            twostate: false,
            extreme: None,
            params: Vec::new(),
            ins: Vec::new(),
            result_name: None,
            result: None,
            spec: Spec {
                reads: self.frame(&[this, reads, new]),
                ..Spec::default()
            },
            body: None,
            by_method: None,
            refining: false,
        }
    }

    fn move_next(&mut self, iterator: &Iterator) -> Method {
        let valid = self.is_valid();
        let mut requires = vec![self.clause(valid)];
        requires.extend(iterator.spec.yield_requires.iter().cloned());
        let spec = Spec {
            requires,
            ensures: self.move_next_ensures(iterator),
            modifies: self.owned(),
            decreases: self.measure(iterator),
            ..Spec::default()
        };
        let ty = self.ast.types.push(TypeExpr {
            kind: TypeKind::Bool,
            span: self.span,
        });
        let more = Formal {
            name: Some(self.name(MORE)),
            ty,
            ghost: false,
            is_new: false,
            is_older: false,
            nameonly: false,
            default: None,
            attrs: Vec::new(),
            span: self.span,
        };
        Method {
            outs: vec![more],
            ..self.method(MethodKind::Method, spec)
        }
    }

    /// `fresh(_new - old(_new))`; with more to come, the object is valid, each value is the last of its history, and what
    /// the iterator ensures of a `yield` holds; otherwise what it ensures of its end.
    fn move_next_ensures(&mut self, iterator: &Iterator) -> Vec<Clause> {
        let (new, again) = (self.named_field("_new"), self.named_field("_new"));
        let before = self.expr(ExprKind::Old(again, None));
        let added = self.binary(BinOp::Sub, new, before);
        let fresh = self.expr(ExprKind::Fresh(added, None));
        let mut ensures = vec![self.clause(fresh)];
        let valid = self.is_valid();
        let stays = self.when_more(valid);
        ensures.push(self.clause(stays));
        for formal in &iterator.outs {
            if let Some(name) = formal.name {
                let grows = self.history_grows(name);
                ensures.push(self.clause(grows));
            }
        }
        for clause in &iterator.spec.yield_ensures {
            let expr = self.when_more(clause.expr);
            ensures.push(self.guarded(clause, expr));
        }
        for clause in &iterator.spec.ensures {
            let more = self.more();
            let done = self.expr(ExprKind::Unary(UnOp::Not, more));
            let expr = self.binary(BinOp::Imp, done, clause.expr);
            ensures.push(self.guarded(clause, expr));
        }
        ensures
    }

    /// `ys == if more then old(ys) + [y] else old(ys)`
    fn history_grows(&mut self, name: Name) -> ExprId {
        let [a, b, c] = [(); 3].map(|()| self.history(name));
        let (then, els) = (
            self.expr(ExprKind::Old(b, None)),
            self.expr(ExprKind::Old(c, None)),
        );
        let value = self.field(name);
        let last = self.expr(ExprKind::Seq(vec![value]));
        let longer = self.binary(BinOp::Add, then, last);
        let more = self.more();
        let now = self.expr(ExprKind::Ite(more, longer, els));
        self.binary(BinOp::Eq, a, now)
    }

    fn body(&mut self, iterator: &Iterator) -> Method {
        let spec = Spec {
            ensures: iterator.spec.ensures.clone(),
            modifies: self.owned(),
            decreases: self.measure(iterator),
            ..Spec::default()
        };
        Method {
            body: iterator.body,
            ..self.method(MethodKind::Method, spec)
        }
    }

    /// The objects an iterator may change: itself, those it said, and those it made.
    fn owned(&mut self) -> Frame {
        let this = self.expr(ExprKind::This);
        let (modifies, new) = (self.named_field("_modifies"), self.named_field("_new"));
        self.frame(&[this, modifies, new])
    }

    /// The measure as the constructor found it; nothing if the program gives none.
    fn measure(&mut self, iterator: &Iterator) -> Decreases {
        let given = &iterator.spec.decreases;
        let mut exprs = Vec::new();
        for (i, &expr) in given.exprs.iter().enumerate() {
            if matches!(self.ast.exprs[expr].kind, ExprKind::Wild) {
                exprs.push(expr);
            } else {
                exprs.push(self.named_field(&format!("_decreases{i}")));
            }
        }
        Decreases {
            exprs,
            attrs: Vec::new(),
            given: given.given,
        }
    }

    fn expr(&mut self, kind: ExprKind) -> ExprId {
        let span = self.span;
        self.ast.exprs.push(Expr {
            kind,
            span,
            tok: span,
        })
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.expr(ExprKind::Binary(op, a, b))
    }

    fn name(&mut self, text: &str) -> Name {
        Name {
            sym: self.names.intern(text),
            span: self.span,
        }
    }

    fn plain(&mut self, name: Name) -> ExprId {
        self.expr(ExprKind::Name(Seg { name, args: None }))
    }

    fn field(&mut self, name: Name) -> ExprId {
        let this = self.expr(ExprKind::This);
        self.expr(ExprKind::Dot(this, Seg { name, args: None }))
    }

    fn named_field(&mut self, text: &str) -> ExprId {
        let name = self.name(text);
        self.field(name)
    }

    fn history(&mut self, name: Name) -> ExprId {
        let text = format!("{}s", self.names.text(name.sym));
        self.named_field(&text)
    }

    fn more(&mut self) -> ExprId {
        let name = self.name(MORE);
        self.plain(name)
    }

    fn when_more(&mut self, cond: ExprId) -> ExprId {
        let more = self.more();
        self.binary(BinOp::Imp, more, cond)
    }

    fn is_valid(&mut self) -> ExprId {
        let callee = self.named_field("Valid");
        self.expr(ExprKind::Apply {
            callee,
            args: Vec::new(),
            at: None,
            prefix: None,
        })
    }

    fn clause(&self, expr: ExprId) -> Clause {
        Clause {
            expr,
            label: None,
            attrs: Vec::new(),
            free: false,
            span: self.span,
        }
    }

    /// A clause of the iterator with another condition.
    fn guarded(&mut self, clause: &Clause, expr: ExprId) -> Clause {
        let place = self.ast.exprs[clause.expr].tok;
        self.ast.exprs[expr].tok = place;
        Clause {
            expr,
            label: None,
            ..clause.clone()
        }
    }

    fn frame(&self, exprs: &[ExprId]) -> Frame {
        let item = |&expr: &ExprId| FrameItem {
            expr,
            field: None,
            span: self.span,
        };
        Frame {
            items: exprs.iter().map(item).collect(),
            attrs: Vec::new(),
            given: Some(self.span),
        }
    }
}
