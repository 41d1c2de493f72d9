//! `{:autocontracts}` on a class: the idiom of dynamic frames, written by the compiler.
//!
//! * `ghost var Repr: set<object?>` and `ghost predicate Valid()`, unless the class has them.
//! * `Valid`: `reads this, Repr`, `ensures Valid() ==> this in Repr`; its body starts with `this in Repr && null !in Repr`,
//!   `A in Repr` for every array, `F in Repr && F.Repr <= Repr && this !in F.Repr && F.Valid()` for every object with `Repr`.
//! * Constructors: `ensures Valid() && fresh(Repr)`, and `Repr` is set at the end.
//! * Methods that change something: `requires Valid()`, `modifies Repr` unless one is given, `ensures Valid() &&
//!   fresh(Repr - old(Repr))`, and new arrays and objects are added to `Repr` at the end. Other methods: `requires Valid()`.
//! * Functions: `requires Valid()`, `reads this, Repr` unless one is given.
//!
//! Members with `{:autocontracts false}` are left alone. A class that refines one with the attribute has it too. What the rewriting
//! cannot decide from syntax is refused.

use super::flag;
use crate::ast::{
    Ast, BinOp, Clause, Coll, Decl, Expr, ExprId, ExprKind, Frame, FrameItem, Function, Guard,
    Member, MemberKind, Method, MethodKind, Modifiers, Name, Rhs, Seg, Spec, Stmt, StmtId,
    StmtKind, TypeDecl, TypeDeclKind, TypeExpr, TypeId, TypeKind, Update,
};
use std::collections::{BTreeMap, BTreeSet};
use stet_base::{Interner, Span, Symbol};
use stet_diag::Diagnostic;

/// What is known of the types and members of all files, by name.
#[derive(Default)]
struct Index {
    /// Declared types, by their last name: those with `Repr` and `Valid`, and others.
    with_repr: BTreeMap<Symbol, usize>,
    others: BTreeMap<Symbol, usize>,
}

/// A field that takes part in the frame of its object.
struct Part {
    field: Name,
    nullable: bool,
    /// Whether its class has `Repr` and `Valid`; an array otherwise.
    has_repr: bool,
}

/// Rewrites the classes with `{:autocontracts}`.
pub(super) fn apply(
    ast: &mut Ast,
    decls: &mut [Decl],
    names: &mut Interner,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if !mentions(ast, decls, names) {
        return;
    }
    let mut index = Index::default();
    collect(ast, decls, names, &mut index);
    let [repr, valid] = ["Repr", "Valid"].map(|text| names.intern(text));
    let mut writer = Writer {
        ast,
        names,
        diagnostics,
        index,
        repr,
        valid,
        span: None,
    };
    let refined = Refined::of(writer.ast, decls, writer.names);
    writer.decls(decls, &mut Vec::new(), &refined);
}

/// Classes by module and name: which are marked, which members they declare, and what they refine.
struct Refined {
    bases: BTreeMap<Vec<Symbol>, Vec<Symbol>>,
    classes: BTreeMap<(Vec<Symbol>, Symbol), (bool, BTreeSet<Symbol>)>,
}

impl Refined {
    fn of(ast: &Ast, decls: &[Decl], names: &Interner) -> Refined {
        let mut refined = Refined {
            bases: super::skeleton::bases(decls),
            classes: BTreeMap::new(),
        };
        refined.collect(ast, decls, names, &mut Vec::new());
        refined
    }

    fn collect(&mut self, ast: &Ast, decls: &[Decl], names: &Interner, path: &mut Vec<Symbol>) {
        for decl in decls {
            match decl {
                Decl::Module(module) => {
                    let depth = path.len();
                    path.extend(module.path.iter().map(|n| n.sym));
                    self.collect(ast, &module.decls, names, path);
                    path.truncate(depth);
                }
                Decl::Type(ty) => {
                    let members = ty.members.iter().map(|m| m.name.sym).collect();
                    let entry = (is_marked(ast, ty, names), members);
                    self.classes.insert((path.clone(), ty.name.sym), entry);
                }
                _ => {}
            }
        }
    }

    /// The members of the marked classes that a class refines; nothing if there is none.
    fn inherited(&self, path: &[Symbol], class: Symbol) -> Option<BTreeSet<Symbol>> {
        let mut members = BTreeSet::new();
        let mut is_any = false;
        let mut at = path.to_vec();
        for _ in 0..=self.bases.len() {
            let Some(base) = self.bases.get(&at) else {
                break;
            };
            at = base.clone();
            if let Some((marked, own)) = self.classes.get(&(at.clone(), class)) {
                is_any |= marked;
                members.extend(own);
            }
        }
        is_any.then_some(members)
    }
}

fn is_marked(ast: &Ast, decl: &TypeDecl, names: &Interner) -> bool {
    flag(ast, &decl.attrs, names, "autocontracts") == Some(true)
}

fn mentions(ast: &Ast, decls: &[Decl], names: &Interner) -> bool {
    decls.iter().any(|decl| match decl {
        Decl::Module(module) => mentions(ast, &module.decls, names),
        Decl::Type(ty) => is_marked(ast, ty, names),
        _ => false,
    })
}

fn collect(ast: &Ast, decls: &[Decl], names: &Interner, index: &mut Index) {
    for decl in decls {
        match decl {
            Decl::Module(module) => collect(ast, &module.decls, names, index),
            Decl::Type(ty) => {
                let has = |text: &str| ty.members.iter().any(|m| names.text(m.name.sym) == text);
                let is_class = matches!(ty.kind, TypeDeclKind::Class | TypeDeclKind::Trait);
                let counts = if is_class && (is_marked(ast, ty, names) || has("Repr")) {
                    &mut index.with_repr
                } else {
                    &mut index.others
                };
                *counts.entry(ty.name.sym).or_default() += 1;
            }
            _ => {}
        }
    }
}

struct Writer<'a> {
    ast: &'a mut Ast,
    names: &'a mut Interner,
    diagnostics: &'a mut Vec<Diagnostic>,
    index: Index,
    repr: Symbol,
    valid: Symbol,
    /// Where what is written has its place.
    span: Option<Span>,
}

impl Writer<'_> {
    fn decls(&mut self, decls: &mut [Decl], path: &mut Vec<Symbol>, refined: &Refined) {
        for decl in decls {
            match decl {
                Decl::Module(module) => {
                    let depth = path.len();
                    path.extend(module.path.iter().map(|n| n.sym));
                    self.decls(&mut module.decls, path, refined);
                    path.truncate(depth);
                }
                Decl::Type(ty) => match refined.inherited(path, ty.name.sym) {
                    Some(known) => self.refining_class(ty, &known),
                    None if is_marked(self.ast, ty, self.names) => self.class(ty),
                    None => {}
                },
                _ => {}
            }
        }
    }

    fn refuse(&mut self, span: Span, what: &str) {
        let message = format!("not supported: {{:autocontracts}} {what}");
        self.diagnostics
            .push(Diagnostic::error("dafny/unsupported", message).at(span));
    }

    /// A class that refines a marked one: its new members have contracts; those it refines have them already.
    fn refining_class(&mut self, ty: &mut TypeDecl, known: &BTreeSet<Symbol>) {
        let params: Vec<Symbol> = ty.params.iter().map(|p| p.name.sym).collect();
        if let Some(part) = self.parts(&ty.members, &params).first() {
            self.refuse(
                part.field.span,
                "on a class whose refinement adds arrays or objects",
            );
        }
        let fields = fields(&ty.members);
        for member in &mut ty.members {
            if member.name.sym == self.valid
                && matches!(&member.kind, MemberKind::Function(f) if f.body.is_some())
            {
                self.refuse(
                    member.name.span,
                    "on a class whose refinement defines Valid",
                );
            }
            if !known.contains(&member.name.sym) {
                self.contract(member, &[], &fields);
            }
        }
    }

    fn class(&mut self, ty: &mut TypeDecl) {
        let at = ty.name.span;
        match ty.kind {
            TypeDeclKind::Class if ty.refining => {
                return self.refuse(at, "on a class that refines one without it");
            }
            TypeDeclKind::Class if !ty.parents.is_empty() => {
                return self.refuse(at, "on a class that extends traits");
            }
            TypeDeclKind::Class => {}
            _ => return self.refuse(at, "on something else than a class"),
        }
        self.span = Some(at);
        let is_static = |m: &Member| m.mods.is_static.is_some();
        let has_repr = ty
            .members
            .iter()
            .any(|m| m.name.sym == self.repr && matches!(m.kind, MemberKind::Field(_)));
        if !has_repr {
            let field = self.repr_field(ty.verify);
            ty.members.push(field);
        }
        let has_valid = ty.members.iter().any(|m| {
            m.name.sym == self.valid && matches!(m.kind, MemberKind::Function(_)) && !is_static(m)
        });
        if !has_valid {
            let predicate = self.valid_predicate(ty.verify);
            ty.members.push(predicate);
        }
        let params: Vec<Symbol> = ty.params.iter().map(|p| p.name.sym).collect();
        let parts = self.parts(&ty.members, &params);
        let fields = fields(&ty.members);
        for member in &mut ty.members {
            self.contract(member, &parts, &fields);
        }
    }

    /// Writes the contract of a member.
    fn contract(&mut self, member: &mut Member, parts: &[Part], fields: &BTreeSet<Symbol>) {
        let excluded = flag(self.ast, &member.attrs, self.names, "autocontracts") == Some(false);
        if excluded || member.mods.is_static.is_some() {
            return;
        }
        self.span = Some(member.name.span);
        let ghost = member.mods.ghost.is_some();
        let name = member.name;
        match &mut member.kind {
            MemberKind::Function(f) if name.sym == self.valid => self.valid_spec(f, parts),
            MemberKind::Function(f) => self.function(f),
            MemberKind::Method(m) => self.method(m, ghost, name, parts, fields),
            _ => {}
        }
    }

    /// The fields that take part in the frame.
    fn parts(&mut self, members: &[Member], params: &[Symbol]) -> Vec<Part> {
        let mut parts = Vec::new();
        for member in members {
            let (MemberKind::Field(ty) | MemberKind::Const(Some(ty), ..)) = member.kind else {
                if let MemberKind::Const(None, ..) = member.kind {
                    self.refuse(member.name.span, "with a constant without a type");
                }
                continue;
            };
            let excluded =
                flag(self.ast, &member.attrs, self.names, "autocontracts") == Some(false);
            if excluded || member.mods.is_static.is_some() || member.name.sym == self.repr {
                continue;
            }
            let part = |nullable, has_repr| Part {
                field: member.name,
                nullable,
                has_repr,
            };
            match &self.ast.types[ty].kind {
                TypeKind::Array { nullable, .. } => parts.push(part(*nullable, false)),
                TypeKind::Path(path) => {
                    let Some(last) = path.last() else { continue };
                    let text = self.names.text(last.name.sym);
                    let (plain, nullable) = match text.strip_suffix('?') {
                        Some(plain) => (plain.to_owned(), true),
                        None => (text.to_owned(), false),
                    };
                    let name = self.names.intern(&plain);
                    if path.len() == 1 && params.contains(&name) {
                        continue;
                    }
                    let has = self.index.with_repr.contains_key(&name);
                    let other = self.index.others.contains_key(&name);
                    match (has, other) {
                        (true, false) => parts.push(part(nullable, true)),
                        (true, true) => {
                            self.refuse(
                                member.name.span,
                                "with a field whose type has a name that several types have",
                            );
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        parts
    }

    fn repr_field(&mut self, verify: bool) -> Member {
        let object = self.type_expr(TypeKind::Object(true));
        let set = self.type_expr(TypeKind::Coll(Coll::Set, Some(vec![object])));
        self.member(self.repr, MemberKind::Field(set), verify)
    }

    fn valid_predicate(&mut self, verify: bool) -> Member {
        let body = self.expr(ExprKind::Bool(true));
        let predicate = Function {
            is_predicate: true,
            twostate: false,
            extreme: None,
            params: Vec::new(),
            ins: Vec::new(),
            result_name: None,
            result: None,
            spec: Spec::default(),
            body: Some(body),
            by_method: None,
            refining: false,
        };
        self.member(
            self.valid,
            MemberKind::Function(Box::new(predicate)),
            verify,
        )
    }

    fn member(&self, sym: Symbol, kind: MemberKind, verify: bool) -> Member {
        let span = self.here();
        Member {
            name: Name { sym, span },
            mods: Modifiers {
                ghost: Some(span),
                ..Modifiers::default()
            },
            attrs: Vec::new(),
            kind,
            span,
            verify,
        }
    }

    fn valid_spec(&mut self, f: &mut Function, parts: &[Part]) {
        self.reads(&mut f.spec);
        let (valid, inside) = (self.valid_call(None), self.this_in_repr());
        let post = self.binary(BinOp::Imp, valid, inside);
        f.spec.ensures.insert(0, self.clause(post));
        let Some(body) = f.body else {
            return;
        };
        let mut all = self.this_in_repr();
        let (null, repr) = (self.expr(ExprKind::Null), self.repr_of(None));
        let no_null = self.binary(BinOp::NotIn, null, repr);
        all = self.binary(BinOp::And, all, no_null);
        for part in parts {
            let fact = self.part_inside(part);
            all = self.binary(BinOp::And, all, fact);
        }
        let body = self.ast.exprs.push(Expr {
            kind: ExprKind::Paren(body),
            span: self.ast.exprs[body].span,
            tok: self.ast.exprs[body].tok,
        });
        f.body = Some(self.binary(BinOp::And, all, body));
    }

    /// That the object or array of a field belongs to this object, if there is one.
    fn part_inside(&mut self, part: &Part) -> ExprId {
        let (field, repr) = (self.field(part), self.repr_of(None));
        let mut fact = self.binary(BinOp::In, field, repr);
        if part.has_repr {
            let inner = self.repr_of(Some(part));
            let outer = self.repr_of(None);
            let subset = self.binary(BinOp::Le, inner, outer);
            fact = self.binary(BinOp::And, fact, subset);
            let (this, inner) = (self.expr(ExprKind::This), self.repr_of(Some(part)));
            let apart = self.binary(BinOp::NotIn, this, inner);
            fact = self.binary(BinOp::And, fact, apart);
            let valid = self.valid_call(Some(part));
            fact = self.binary(BinOp::And, fact, valid);
        }
        if part.nullable {
            let there = self.is_there(part);
            fact = self.binary(BinOp::Imp, there, fact);
        }
        self.expr(ExprKind::Paren(fact))
    }

    fn function(&mut self, f: &mut Function) {
        if f.spec.reads.items.is_empty() {
            self.reads(&mut f.spec);
        }
        let valid = self.valid_call(None);
        let valid = match f.twostate {
            true => self.expr(ExprKind::Old(valid, None)),
            false => valid,
        };
        f.spec.requires.insert(0, self.clause(valid));
    }

    fn method(
        &mut self,
        m: &mut Method,
        ghost: bool,
        name: Name,
        parts: &[Part],
        fields: &BTreeSet<Symbol>,
    ) {
        if m.kind == MethodKind::Constructor {
            return self.constructor(m, parts);
        }
        let valid = self.valid_call(None);
        if m.kind == MethodKind::TwostateLemma {
            let valid = self.expr(ExprKind::Old(valid, None));
            m.spec.requires.insert(0, self.clause(valid));
            return;
        }
        m.spec.requires.insert(0, self.clause(valid));
        if ghost || m.kind == MethodKind::Lemma || self.is_query(m, name, fields) {
            return;
        }
        if m.spec.modifies.items.is_empty() {
            let repr = self.repr_of(None);
            self.add(&mut m.spec.modifies, repr);
        }
        let (now, then) = (self.repr_of(None), self.repr_of(None));
        let then = self.expr(ExprKind::Old(then, None));
        let new = self.binary(BinOp::Sub, now, then);
        self.stays_valid(m, new);
        let added = parts.iter().map(|part| self.grow(part, true)).collect();
        append(self.ast, m.body, added);
    }

    fn constructor(&mut self, m: &mut Method, parts: &[Part]) {
        let repr = self.repr_of(None);
        self.stays_valid(m, repr);
        let Some(body) = m.body else {
            return;
        };
        let this = self.expr(ExprKind::This);
        let only = self.expr(ExprKind::Set(true, vec![this]));
        let mut added = vec![self.assign_repr(only)];
        added.extend(parts.iter().map(|part| self.grow(part, false)));
        if m.after_new.is_none() {
            // Fields of parts are read, which only the second part of a constructor may do.
            let Stmt { span, tok, .. } = self.ast.stmts[body].clone();
            m.after_new = Some(self.ast.stmts.push(Stmt {
                kind: StmtKind::Block(Vec::new()),
                span,
                tok,
                labels: Vec::new(),
                attrs: Vec::new(),
            }));
        }
        append(self.ast, m.after_new, added);
    }

    /// `ensures Valid()` and `ensures fresh(objects)`
    fn stays_valid(&mut self, m: &mut Method, objects: ExprId) {
        let valid = self.valid_call(None);
        m.spec.ensures.insert(0, self.clause(valid));
        let fresh = self.expr(ExprKind::Fresh(objects, None));
        m.spec.ensures.insert(1, self.clause(fresh));
    }

    /// `if (F != null && !(F in Repr && F.Repr <= Repr)) { Repr := Repr + {F} + F.Repr; }`
    fn grow(&mut self, part: &Part, only_new: bool) -> StmtId {
        let (repr, field) = (self.repr_of(None), self.field(part));
        let one = self.expr(ExprKind::Set(true, vec![field]));
        let mut sum = self.binary(BinOp::Add, repr, one);
        if part.has_repr {
            let inner = self.repr_of(Some(part));
            sum = self.binary(BinOp::Add, sum, inner);
        }
        let assign = self.assign_repr(sum);
        let mut guard = match part.nullable {
            true => self.is_there(part),
            false => self.expr(ExprKind::Bool(true)),
        };
        if only_new {
            let (field, repr) = (self.field(part), self.repr_of(None));
            let mut known = self.binary(BinOp::In, field, repr);
            if part.has_repr {
                let (inner, outer) = (self.repr_of(Some(part)), self.repr_of(None));
                let subset = self.binary(BinOp::Le, inner, outer);
                known = self.binary(BinOp::And, known, subset);
            }
            let known = self.expr(ExprKind::Paren(known));
            let unknown = self.expr(ExprKind::Unary(crate::ast::UnOp::Not, known));
            guard = self.binary(BinOp::And, guard, unknown);
        }
        let then = self.stmt(StmtKind::Block(vec![assign]));
        self.stmt(StmtKind::If {
            guard: Guard::Expr(guard),
            then,
            els: None,
        })
    }

    fn assign_repr(&mut self, value: ExprId) -> StmtId {
        let lhs = self.repr_of(None);
        let update = Update::Assign(vec![Rhs::Expr(value, Vec::new())], self.here());
        self.stmt(StmtKind::Update {
            lhss: vec![lhs],
            update: Some(update),
        })
    }

    /// Whether a method has results, changes nothing but local variables, and does not speak of the state before.
    fn is_query(&mut self, m: &Method, name: Name, fields: &BTreeSet<Symbol>) -> bool {
        let Some(body) = m.body.filter(|_| !m.outs.is_empty()) else {
            return false;
        };
        let formals = m.ins.iter().chain(&m.outs);
        let locals = formals.filter_map(|f| f.name.map(|n| n.sym)).collect();
        let mut walk = Query {
            writer: self,
            locals,
            fields,
            unclear: false,
        };
        let is_query = walk.stmt(body);
        if walk.unclear {
            self.refuse(name.span, "on a method for which it is not clear whether it changes anything; declare its effects and write {:autocontracts false}");
        }
        let mentions_old = m.spec.ensures.iter().any(|c| old_below(self.ast, c.expr));
        is_query && !mentions_old
    }

    fn reads(&mut self, spec: &mut Spec) {
        let (this, repr) = (self.expr(ExprKind::This), self.repr_of(None));
        self.add(&mut spec.reads, this);
        self.add(&mut spec.reads, repr);
    }

    fn add(&self, frame: &mut Frame, expr: ExprId) {
        let span = self.here();
        frame.given.get_or_insert(span);
        frame.items.push(FrameItem {
            expr,
            field: None,
            span,
        });
    }

    fn clause(&self, expr: ExprId) -> Clause {
        Clause {
            expr,
            label: None,
            attrs: Vec::new(),
            free: false,
            span: self.here(),
        }
    }

    fn here(&self) -> Span {
        self.span.expect("set before anything is written")
    }

    fn expr(&mut self, kind: ExprKind) -> ExprId {
        let span = self.here();
        self.ast.exprs.push(Expr {
            kind,
            span,
            tok: span,
        })
    }

    fn stmt(&mut self, kind: StmtKind) -> StmtId {
        let span = self.here();
        self.ast.stmts.push(Stmt {
            kind,
            span,
            tok: span,
            labels: Vec::new(),
            attrs: Vec::new(),
        })
    }

    fn type_expr(&mut self, kind: TypeKind) -> TypeId {
        let span = self.here();
        self.ast.types.push(TypeExpr { kind, span })
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.expr(ExprKind::Binary(op, a, b))
    }

    fn seg(&self, sym: Symbol) -> Seg {
        Seg {
            name: Name {
                sym,
                span: self.here(),
            },
            args: None,
        }
    }

    fn field(&mut self, part: &Part) -> ExprId {
        let this = self.expr(ExprKind::This);
        let seg = self.seg(part.field.sym);
        self.expr(ExprKind::Dot(this, seg))
    }

    fn repr_of(&mut self, part: Option<&Part>) -> ExprId {
        let of = match part {
            Some(part) => self.field(part),
            None => self.expr(ExprKind::This),
        };
        let seg = self.seg(self.repr);
        self.expr(ExprKind::Dot(of, seg))
    }

    fn valid_call(&mut self, part: Option<&Part>) -> ExprId {
        let of = match part {
            Some(part) => self.field(part),
            None => self.expr(ExprKind::This),
        };
        let seg = self.seg(self.valid);
        let callee = self.expr(ExprKind::Dot(of, seg));
        self.expr(ExprKind::Apply {
            callee,
            args: Vec::new(),
            at: None,
            prefix: None,
        })
    }

    fn this_in_repr(&mut self) -> ExprId {
        let (this, repr) = (self.expr(ExprKind::This), self.repr_of(None));
        self.binary(BinOp::In, this, repr)
    }

    fn is_there(&mut self, part: &Part) -> ExprId {
        let (field, null) = (self.field(part), self.expr(ExprKind::Null));
        self.binary(BinOp::Neq, field, null)
    }
}

fn fields(members: &[Member]) -> BTreeSet<Symbol> {
    let is_field = |m: &&Member| matches!(m.kind, MemberKind::Field(_) | MemberKind::Const(..));
    let fields = members.iter().filter(is_field);
    fields.map(|m| m.name.sym).collect()
}

fn append(ast: &mut Ast, body: Option<StmtId>, added: Vec<StmtId>) {
    if let Some(body) = body
        && let StmtKind::Block(stmts) = &mut ast.stmts[body].kind
    {
        stmts.extend(added);
    }
}

/// The walk that looks for effects.
struct Query<'w, 'a> {
    writer: &'w mut Writer<'a>,
    locals: BTreeSet<Symbol>,
    fields: &'w BTreeSet<Symbol>,
    unclear: bool,
}

impl Query<'_, '_> {
    fn all(&mut self, stmts: &[StmtId]) -> bool {
        stmts.iter().all(|&s| self.stmt(s))
    }

    fn stmt(&mut self, s: StmtId) -> bool {
        match self.writer.ast.stmts[s].kind.clone() {
            StmtKind::Block(stmts) => self.all(&stmts),
            StmtKind::OpaqueBlock(_, inner) => self.stmt(inner),
            StmtKind::By(stmt, _) => self.stmt(stmt),
            StmtKind::Var { vars, .. } => {
                self.locals.extend(vars.iter().map(|v| v.name.sym));
                true
            }
            // A call may be of a method: what it changes must be new, as nothing else may be changed.
            StmtKind::Update { update: None, .. } => true,
            StmtKind::Update { lhss, .. } => lhss.iter().all(|&e| self.is_local(e)),
            StmtKind::If { then, els, .. } => self.stmt(then) && els.is_none_or(|e| self.stmt(e)),
            StmtKind::While { body, .. } => body.is_none_or(|b| self.stmt(b)),
            StmtKind::For { var, body, .. } => {
                self.locals.insert(var.name.sym);
                body.is_none_or(|b| self.stmt(b))
            }
            StmtKind::IfCases(cases, _) | StmtKind::WhileCases { cases, .. } => {
                cases.iter().all(|c| self.all(&c.body))
            }
            StmtKind::Match(_, cases, _) => cases.iter().all(|c| self.all(&c.body)),
            StmtKind::Forall { body, .. } => body.is_none_or(|b| self.stmt(b)),
            StmtKind::Modify { .. } | StmtKind::Yield(_) | StmtKind::Skeleton => false,
            _ => true,
        }
    }

    fn is_local(&mut self, e: ExprId) -> bool {
        match &self.writer.ast.exprs[e].kind {
            ExprKind::Name(seg) if self.locals.contains(&seg.name.sym) => {
                // A field of the same name, out of the scope of the variable, would be another thing.
                self.unclear |= self.fields.contains(&seg.name.sym);
                true
            }
            _ => false,
        }
    }
}

/// Whether an expression mentions the state before.
fn old_below(ast: &Ast, root: ExprId) -> bool {
    let mut pending = vec![root];
    let mut steps = 0_u32;
    while let Some(e) = pending.pop() {
        steps += 1;
        // What is too large to look at counts as mentioning it.
        if steps > 100_000 {
            return true;
        }
        match &ast.exprs[e].kind {
            ExprKind::Old(..) | ExprKind::Fresh(..) | ExprKind::Unchanged(..) => return true,
            ExprKind::Dot(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::Paren(a)
            | ExprKind::Convert(a, _)
            | ExprKind::Test(a, _)
            | ExprKind::MultisetOf(a)
            | ExprKind::Allocated(a) => pending.push(*a),
            ExprKind::Binary(_, a, b) => pending.extend([a, b]),
            ExprKind::Apply { callee, args, .. } => {
                pending.push(*callee);
                pending.extend(args.iter().map(|a| a.value));
            }
            ExprKind::Index(a, list) | ExprKind::MultiSlice(a, list, _) => {
                pending.push(*a);
                pending.extend(list);
            }
            ExprKind::Slice(a, b, c) => {
                pending.push(*a);
                pending.extend(b.iter().chain(c));
            }
            ExprKind::Update(a, b, c) | ExprKind::Ite(a, b, c) => pending.extend([a, b, c]),
            ExprKind::Chain(list, _)
            | ExprKind::Set(_, list)
            | ExprKind::Multiset(list)
            | ExprKind::Seq(list) => pending.extend(list),
            ExprKind::Map(_, pairs) => pending.extend(pairs.iter().flat_map(|(a, b)| [a, b])),
            ExprKind::Quant { range, body, .. } => {
                pending.extend(range);
                pending.push(*body);
            }
            ExprKind::SetComp { range, term, .. } => pending.extend(range.iter().chain(term)),
            ExprKind::MapComp {
                range, key, value, ..
            } => {
                pending.extend(range.iter().chain(key));
                pending.push(*value);
            }
            ExprKind::Let { values, body, .. } => {
                pending.extend(values);
                pending.push(*body);
            }
            ExprKind::Match(of, cases) => {
                pending.push(*of);
                pending.extend(cases.iter().map(|c| c.body));
            }
            ExprKind::Tuple(args) => pending.extend(args.iter().map(|a| a.value)),
            ExprKind::Lambda { body, .. } | ExprKind::StmtIn(_, body) => pending.push(*body),
            ExprKind::LetSuchThat {
                condition, body, ..
            } => pending.extend([condition, body]),
            _ => {}
        }
    }
    false
}
