//! Type characteristics: equality at run time, default values, non-emptiness, freedom from references; and bounds.
//!
//! * Arguments of type parameters have what the parameters ask for.
//! * Elements of sets and multisets and keys of maps support equality, in types of compiled code.
//! * `==` in compiled code compares values that support equality, or a value with a constructor without arguments.
//! * Classes without constructors have fields with default values; static constants without values too.

use super::Resolver;
use super::sweep::Root;
use crate::tree::{
    AutoInit, BinaryOp, Characteristics, DeclId, ExprId, ExprKind, MemberId, MemberKind, ModuleId,
    StmtKind, Ty, TyKind, TypeDeclKind, TypeParamId, Witness,
};
use stet_base::{Index, Span};

/// How deep types are looked into; deeper ones count as harmless.
const MAX_DEPTH: u32 = 60;

/// A type as the program writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeUse {
    pub(crate) module: ModuleId,
    pub(crate) span: Span,
    pub(crate) ty: Ty,
    /// In ghost code equality at run time is not needed.
    pub(crate) ghost: bool,
}

impl Resolver<'_> {
    pub(crate) fn supports_equality(&self, ty: Ty) -> bool {
        self.equality_at(ty, &mut Vec::new(), 0)
    }

    fn equality_at(&self, ty: Ty, seen: &mut Vec<DeclId>, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        if self.promises_equality(ty) {
            return true;
        }
        match &*self.program.types.kind(ty) {
            TyKind::Arrow { .. } => false,
            TyKind::Set { finite, .. } => *finite,
            TyKind::Map { finite, value, .. } => {
                *finite && self.equality_at(*value, seen, depth + 1)
            }
            TyKind::Seq(elem) => self.equality_at(*elem, seen, depth + 1),
            TyKind::Tuple(items, ghost) => {
                !ghost.contains(&true)
                    && items.iter().all(|&t| self.equality_at(t, seen, depth + 1))
            }
            TyKind::Param(param) => self.param_equality(*param),
            TyKind::Named { decl, args, .. } => {
                let d = &self.program.decls[*decl];
                match &d.kind {
                    TypeDeclKind::Class { .. } | TypeDeclKind::Iterator(_) => true,
                    TypeDeclKind::Trait { is_reference } => *is_reference,
                    TypeDeclKind::Abstract(c) => c.equality,
                    TypeDeclKind::Synonym(base) => {
                        let base = self.program.instantiate(*base, &d.params, args);
                        self.equality_at(base, seen, depth + 1)
                    }
                    TypeDeclKind::Newtype(c) | TypeDeclKind::Subset(c) => {
                        let base = self.program.instantiate(c.base, &d.params, args);
                        self.equality_at(base, seen, depth + 1)
                    }
                    TypeDeclKind::Datatype { co: true, .. } => false,
                    TypeDeclKind::Datatype { ctors, .. } => {
                        if seen.contains(decl) {
                            return true;
                        }
                        seen.push(*decl);
                        let all = ctors.iter().all(|&ctor| {
                            let c = &self.program.ctors[ctor];
                            !c.ghost
                                && c.formals.iter().all(|&formal| {
                                    let v = &self.program.vars[formal];
                                    let ty = self.program.instantiate(v.ty, &d.params, args);
                                    !v.ghost && self.equality_at(ty, seen, depth + 1)
                                })
                        });
                        seen.pop();
                        all
                    }
                }
            }
            _ => true,
        }
    }

    /// `type T(==) = …`: the promise is checked where the type is declared.
    fn promises_equality(&self, ty: Ty) -> bool {
        let TyKind::Named { decl, .. } = &*self.program.types.kind(ty) else {
            return false;
        };
        let syntax = self.type_syntax.get(decl);
        let promised = syntax.and_then(|s| s.promised.as_ref());
        promised.is_some_and(|p| p.equality)
    }

    /// A type parameter supports equality if it says so, or if its own declaration only makes sense with it.
    fn param_equality(&self, param: TypeParamId) -> bool {
        let p = &self.program.type_params[param];
        p.characteristics.equality
            || self.inferred_equality.contains(&param)
            || p.bounds.iter().any(|&b| self.program.is_reference(b))
    }

    /// What is known about default values.
    pub(crate) fn auto_init(&self, ty: Ty) -> AutoInit {
        self.auto_init_at(ty, &mut Vec::new(), 0)
    }

    fn auto_init_at(&self, ty: Ty, seen: &mut Vec<DeclId>, depth: u32) -> AutoInit {
        if depth > MAX_DEPTH {
            return AutoInit::Compilable;
        }
        match &*self.program.types.kind(ty) {
            // There is an array without elements.
            TyKind::Object { nullable: false } => AutoInit::MaybeEmpty,
            TyKind::Arrow {
                kind: crate::tree::ArrowKind::Total,
                result,
                ..
            } => self.auto_init_at(*result, seen, depth + 1),
            TyKind::Tuple(items, _) => items
                .iter()
                .map(|&t| self.auto_init_at(t, seen, depth + 1))
                .min()
                .unwrap_or(AutoInit::Compilable),
            TyKind::Param(param) => {
                characteristic_init(self.program.type_params[*param].characteristics)
            }
            TyKind::Named {
                decl,
                args,
                nullable,
            } => {
                if *nullable {
                    return AutoInit::Compilable;
                }
                if self.program.hidden.contains(decl) {
                    return AutoInit::MaybeEmpty;
                }
                self.decl_init(*decl, args, seen, depth)
            }
            _ => AutoInit::Compilable,
        }
    }

    fn decl_init(&self, decl: DeclId, args: &[Ty], seen: &mut Vec<DeclId>, depth: u32) -> AutoInit {
        let d = &self.program.decls[decl];
        match &d.kind {
            TypeDeclKind::Class { .. } | TypeDeclKind::Iterator(_) => AutoInit::MaybeEmpty,
            TypeDeclKind::Trait { .. } => AutoInit::MaybeEmpty,
            TypeDeclKind::Abstract(c) => characteristic_init(*c),
            TypeDeclKind::Synonym(base) => {
                let base = self.program.instantiate(*base, &d.params, args);
                self.auto_init_at(base, seen, depth + 1)
            }
            TypeDeclKind::Newtype(c) | TypeDeclKind::Subset(c) => match c.witness {
                Witness::Compiled(_) => AutoInit::Compilable,
                Witness::Ghost(_) => AutoInit::Nonempty,
                Witness::Unknown => AutoInit::MaybeEmpty,
                Witness::Default => {
                    let base = self.program.instantiate(c.base, &d.params, args);
                    self.auto_init_at(base, seen, depth + 1)
                }
            },
            TypeDeclKind::Datatype { ctors, co, .. } => {
                if *co {
                    // A codatatype's default would be built for ever unless it has a constructor without arguments of its kind.
                    let simple = ctors.iter().any(|&c| {
                        self.ctor_init(c, &d.params, args, decl, seen, depth)
                            == AutoInit::Compilable
                    });
                    return if simple {
                        AutoInit::Compilable
                    } else {
                        AutoInit::Nonempty
                    };
                }
                if seen.contains(&decl) {
                    return AutoInit::MaybeEmpty;
                }
                ctors
                    .iter()
                    .map(|&c| self.ctor_init(c, &d.params, args, decl, seen, depth))
                    .max()
                    .unwrap_or(AutoInit::Compilable)
            }
        }
    }

    fn ctor_init(
        &self,
        ctor: crate::tree::CtorId,
        params: &[TypeParamId],
        args: &[Ty],
        decl: DeclId,
        seen: &mut Vec<DeclId>,
        depth: u32,
    ) -> AutoInit {
        if seen.contains(&decl) {
            return AutoInit::MaybeEmpty;
        }
        seen.push(decl);
        let c = &self.program.ctors[ctor];
        let mut least = c
            .formals
            .iter()
            .map(|&f| {
                let ty = self
                    .program
                    .instantiate(self.program.vars[f].ty, params, args);
                let init = self.auto_init_at(ty, seen, depth + 1);
                if self.program.vars[f].ghost && init == AutoInit::Nonempty {
                    AutoInit::Compilable
                } else {
                    init
                }
            })
            .min()
            .unwrap_or(AutoInit::Compilable);
        if c.ghost {
            least = least.min(AutoInit::Nonempty);
        }
        seen.pop();
        least
    }

    /// Type parameters whose own signature uses them where only types with equality go.
    pub(crate) fn infer_equality(&mut self) {
        for member in self.program.members.ids().collect::<Vec<_>>() {
            let types: Vec<Ty> = match &self.program.members[member].kind {
                MemberKind::Function(f) => f
                    .ins
                    .iter()
                    .map(|&v| self.program.vars[v].ty)
                    .chain([f.result])
                    .collect(),
                MemberKind::Method(m) => m
                    .ins
                    .iter()
                    .chain(&m.outs)
                    .map(|&v| self.program.vars[v].ty)
                    .collect(),
                _ => continue,
            };
            let params = self.program.type_params_of(member).to_vec();
            for ty in types {
                self.find_equality(ty, &params, 0);
            }
        }
        for decl in self.program.decls.ids().collect::<Vec<_>>() {
            let params = self.program.decls[decl].params.clone();
            for ctor in self.program.ctors_of(decl).to_vec() {
                for formal in self.program.ctors[ctor].formals.clone() {
                    let v = &self.program.vars[formal];
                    if !v.ghost {
                        self.find_equality(v.ty, &params, 0);
                    }
                }
            }
        }
    }

    fn find_equality(&mut self, ty: Ty, params: &[TypeParamId], depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        let kind = self.program.types.kind(ty);
        let keys: Vec<Ty> = match &*kind {
            TyKind::Set { elem, .. } | TyKind::Multiset(elem) => vec![*elem],
            TyKind::Map { key, .. } => vec![*key],
            TyKind::Named { decl, args, .. } => {
                let formals = self.program.decls[*decl].params.iter();
                formals
                    .zip(args)
                    .filter(|&(&p, _)| self.param_equality(p))
                    .map(|(_, &a)| a)
                    .collect()
            }
            _ => Vec::new(),
        };
        for key in keys {
            if let TyKind::Param(param) = *self.program.types.kind(key)
                && params.contains(&param)
            {
                self.inferred_equality.insert(param);
            }
        }
        for child in self.program.types.children(ty) {
            self.find_equality(child, params, depth + 1);
        }
    }

    /// The advice that ends a message about a type parameter.
    fn advice(&self, ty: Ty, mark: &str, what: &str) -> String {
        let TyKind::Param(param) = *self.program.types.kind(ty) else {
            // A type built from one parameter that lacks the characteristic.
            if mark == "=="
                && let Some(param) = self.lacking(ty, 0)
            {
                return self.advice(param, mark, what);
            }
            return String::new();
        };
        let p = &self.program.type_params[param];
        let name = self.text(p.name);
        if name.starts_with('_') {
            return String::new();
        }
        let line = self.line_of(p.span);
        format!(
            " (perhaps try declaring type parameter '{name}' on line {line} as '{name}({mark})', which says it can only be instantiated with a type that {what})"
        )
    }

    /// The type parameter because of which a type has no equality.
    fn lacking(&self, ty: Ty, depth: u32) -> Option<Ty> {
        if depth > MAX_DEPTH || self.supports_equality(ty) {
            return None;
        }
        if matches!(&*self.program.types.kind(ty), TyKind::Param(_)) {
            return Some(ty);
        }
        if matches!(&*self.program.types.kind(ty), TyKind::Tuple(..)) {
            return None;
        }
        let expanded = self.expand(ty);
        let children = self.program.types.children(expanded);
        children
            .into_iter()
            .find_map(|c| self.lacking(c, depth + 1))
    }

    fn line_of(&self, span: Span) -> u32 {
        let Some(starts) = self.lines.get(span.file.index()) else {
            return 0;
        };
        starts.partition_point(|&start| start <= span.start) as u32
    }

    /// Whether `arg` has what `want` asks; the message otherwise.
    pub(crate) fn lacks(
        &self,
        want: Characteristics,
        arg: Ty,
        ghost: bool,
    ) -> Option<(&'static str, String)> {
        let arg = self.expand(arg);
        if want.equality && !ghost && !self.supports_equality(arg) {
            let advice = self.advice(arg, "==", "supports equality");
            return Some(("support equality", advice));
        }
        let init = self.auto_init(arg);
        if want.auto_init && init < AutoInit::Compilable {
            let advice = self.advice(arg, "0", "supports auto-initialization");
            return Some(("support auto-initialization", advice));
        }
        if want.nonempty && init < AutoInit::Nonempty {
            let advice = self.advice(arg, "00", "is nonempty");
            return Some(("support nonempty", advice));
        }
        if want.no_references && self.program.may_contain_references(arg) {
            let advice = self.advice(arg, "!new", "contains no references");
            return Some(("contain no references", advice));
        }
        None
    }

    pub(crate) fn check_characteristics(&mut self) {
        let failed = self.failed_modules.clone();
        let (members, decls) = (self.sound_members(), self.sound_decls());
        for TypeUse {
            module,
            span,
            ty,
            ghost,
        } in std::mem::take(&mut self.type_uses)
        {
            if !failed.contains(&module) {
                self.frame.module = Some(module);
                self.check_type_use(span, ty, ghost);
            }
        }
        for member in members {
            self.frame.module = Some(self.program.members[member].module);
            self.check_member_init(member);
            let roots = self.compiled_roots(member);
            self.check_calls(&roots);
        }
        for decl in decls {
            self.frame.module = Some(self.program.decls[decl].module);
            self.check_decl_init(decl);
        }
    }

    fn check_type_use(&mut self, span: Span, ty: Ty, ghost: bool) {
        match &*self.program.types.kind(ty) {
            TyKind::Set { elem, .. } if !ghost => self.need_equality(span, "set", *elem),
            TyKind::Multiset(elem) if !ghost => self.need_equality(span, "multiset", *elem),
            TyKind::Map { key, .. } if !ghost => self.need_equality(span, "map domain", *key),
            TyKind::Named { decl, args, .. } => {
                let name = self.text(self.program.decls[*decl].name);
                let params = self.program.decls[*decl].params.clone();
                for (&param, &arg) in params.iter().zip(args) {
                    let p = &self.program.type_params[param];
                    let mut want = p.characteristics;
                    want.equality |= self.inferred_equality.contains(&param);
                    let text = self.text(p.name);
                    self.check_bounds(span, param, &params, args, "type", &name);
                    if let Some((what, advice)) = self.lacks(want, arg, ghost) {
                        let shown = self.program.show_type(arg);
                        self.error(span, format!("type parameter ({text}) passed to type {name} must {what} (got {shown}){advice}"));
                    }
                }
            }
            _ => {}
        }
    }

    /// The argument of a type parameter meets its bounds.
    fn check_bounds(
        &mut self,
        span: Span,
        param: TypeParamId,
        params: &[TypeParamId],
        args: &[Ty],
        word: &str,
        name: &str,
    ) {
        let Some(at) = params.iter().position(|&p| p == param) else {
            return;
        };
        let arg = args[at];
        for bound in self.program.type_params[param].bounds.clone() {
            let bound = self.program.instantiate(bound, params, args);
            if !self.program.is_subtype(arg, bound) {
                let text = self.text(self.program.type_params[param].name);
                let message = format!(
                    "type parameter ('{text}') passed to {word} '{name}' must meet type bound '{}' (got '{}')",
                    self.program.show_type(bound),
                    self.program.show_type(arg)
                );
                self.error(span, message);
            }
        }
    }

    fn need_equality(&mut self, span: Span, what: &str, ty: Ty) {
        if !self.supports_equality(self.expand(ty)) {
            let advice = self.advice(ty, "==", "supports equality");
            let shown = self.program.show_type(ty);
            self.error(
                span,
                format!("{what} argument type must support equality (got {shown}){advice}"),
            );
        }
    }

    fn check_calls(&mut self, roots: &[Root]) {
        let mut found: Vec<(Span, MemberId, Vec<Ty>)> = Vec::new();
        let mut compared: Vec<(ExprId, ExprId)> = Vec::new();
        self.visit_compiled(roots, &mut |r, root| match root {
            Root::Expr(id) => match &r.program.exprs[id].kind {
                ExprKind::Call(call) => {
                    found.push((
                        r.program.exprs[id].tok,
                        call.function,
                        call.type_args.clone(),
                    ));
                }
                ExprKind::Binary(BinaryOp::Eq | BinaryOp::Neq, a, b) => {
                    compared.push((*a, *b));
                }
                _ => {}
            },
            Root::Stmt(id) => {
                if let StmtKind::Call(call) = &r.program.stmts[id].kind {
                    found.push((call.tok, call.method, call.type_args.clone()));
                }
            }
        });
        for (tok, member, args) in found {
            let params = self.program.type_params_of(member).to_vec();
            let word = self.member_word(member);
            let name = self.text(self.program.members[member].name);
            let ghost = self.program.members[member].ghost;
            for (&param, &arg) in params.iter().zip(&args) {
                self.check_bounds(tok, param, &params, &args, word, &name);
                let p = &self.program.type_params[param];
                let (mut want, text) = (p.characteristics, self.text(p.name));
                want.equality |= self.inferred_equality.contains(&param);
                if let Some((what, advice)) = self.lacks(want, arg, ghost) {
                    let shown = self.program.show_type(arg);
                    self.error(tok, format!("type parameter ({text}) passed to {word} {name} must {what} (got {shown}){advice}"));
                }
            }
        }
        for (a, b) in compared {
            self.check_equality(a, b);
        }
    }

    /// What is compiled below the roots: ghost statements and the specification parts of statements and expressions are
    /// left out.
    fn visit_compiled(&self, roots: &[Root], visit: &mut dyn FnMut(&Self, Root)) {
        let mut stack: Vec<Root> = roots.iter().rev().copied().collect();
        while let Some(root) = stack.pop() {
            match root {
                Root::Stmt(stmt) if self.program.stmts[stmt].ghost => {}
                Root::Stmt(stmt) => {
                    visit(self, root);
                    stack.extend(self.compiled_parts(stmt).into_iter().rev());
                }
                Root::Expr(expr) => {
                    visit(self, root);
                    let parts = self.spec_use(expr, &mut |_| {});
                    stack.extend(parts.into_iter().rev().map(Root::Expr));
                }
            }
        }
    }

    fn compiled_parts(&self, stmt: crate::tree::StmtId) -> Vec<Root> {
        let guards = |guard: &crate::tree::Guard| match guard {
            crate::tree::Guard::Expr(e) | crate::tree::Guard::Binding { expr: e, .. } => {
                Some(Root::Expr(*e))
            }
            crate::tree::Guard::Any => None,
        };
        match &self.program.stmts[stmt].kind {
            StmtKind::While { guard, body, .. } => guards(guard)
                .into_iter()
                .chain(body.map(Root::Stmt))
                .collect(),
            StmtKind::WhileCases { cases, .. } => cases
                .iter()
                .flat_map(|c| guards(&c.guard).into_iter().chain([Root::Stmt(c.body)]))
                .collect(),
            StmtKind::For {
                start, end, body, ..
            } => [Root::Expr(*start)]
                .into_iter()
                .chain(end.map(Root::Expr))
                .chain(body.map(Root::Stmt))
                .collect(),
            StmtKind::Forall { range, body, .. } => [Root::Expr(*range)]
                .into_iter()
                .chain(body.map(Root::Stmt))
                .collect(),
            StmtKind::OpaqueBlock { body, .. } => vec![Root::Stmt(*body)],
            StmtKind::ByProof { stmt, .. } => vec![Root::Stmt(*stmt)],
            StmtKind::Modify { body, .. } => body.map(Root::Stmt).into_iter().collect(),
            StmtKind::Call(call) => {
                let MemberKind::Method(m) = &self.program.members[call.method].kind else {
                    return Vec::new();
                };
                let args = call.args.iter().zip(&m.ins);
                let compiled = args.filter(|&(_, &f)| !self.program.vars[f].ghost);
                call.receiver
                    .into_iter()
                    .chain(compiled.map(|(&a, _)| a))
                    .map(Root::Expr)
                    .collect()
            }
            StmtKind::Assign { lhss, rhss } => {
                let pairs = lhss.iter().zip(rhss);
                let compiled = pairs.filter(|&(&lhs, _)| match self.program.exprs[lhs].kind {
                    ExprKind::Var(var) => !self.program.vars[var].ghost,
                    ExprKind::Field { field, .. } => !self.program.members[field].ghost,
                    _ => true,
                });
                compiled
                    .filter_map(|(_, rhs)| match rhs {
                        crate::tree::Rhs::Expr(e) => Some(Root::Expr(*e)),
                        _ => None,
                    })
                    .collect()
            }
            other => other.parts(),
        }
    }

    /// The parts of a member that are compiled.
    fn compiled_roots(&self, member: MemberId) -> Vec<Root> {
        if self.program.members[member].ghost {
            return Vec::new();
        }
        match &self.program.members[member].kind {
            MemberKind::Field { .. } => Vec::new(),
            MemberKind::Const { value, .. } => value.map(Root::Expr).into_iter().collect(),
            MemberKind::Function(f) => match f.by_method {
                Some(block) => vec![Root::Stmt(block)],
                None => f.body.map(Root::Expr).into_iter().collect(),
            },
            MemberKind::Method(m) => {
                let blocks = [m.body, m.body_after_new];
                blocks.into_iter().flatten().map(Root::Stmt).collect()
            }
        }
    }

    fn check_equality(&mut self, a: ExprId, b: ExprId) {
        let tok = self.program.exprs[a].tok;
        let simple = |r: &Self, e: ExprId| match &r.program.exprs[e].kind {
            ExprKind::Ctor { args, .. } => args.is_empty(),
            ExprKind::SeqDisplay(items) | ExprKind::SetDisplay(items) => items.is_empty(),
            ExprKind::MapDisplay(items) => items.is_empty(),
            ExprKind::Null => true,
            _ => false,
        };
        if simple(self, a) || simple(self, b) {
            return;
        }
        let ty = self.program.exprs[a].ty;
        let other = self.program.exprs[b].ty;
        if self.supports_equality(ty) || self.supports_equality(other) {
            return;
        }
        let advice = self.advice(ty, "==", "supports equality");
        let shown = self.program.show_type(ty);
        self.error(tok, format!("== can only be applied to expressions of types that support equality (got {shown}){advice}"));
    }

    /// Static constants without values need a default.
    fn check_member_init(&mut self, member: MemberId) {
        let m = &self.program.members[member];
        let MemberKind::Const { ty, value: None } = m.kind else {
            return;
        };
        let extern_ = self.has_attribute(member, "extern");
        let in_abstract = self.program.modules[m.module].is_abstract;
        let m = &self.program.members[member];
        if !m.is_static || extern_ || in_abstract {
            return;
        }
        let (span, name, ghost, module) = (m.span, self.text(m.name), m.ghost, m.module);
        self.look_from(module);
        let init = self.auto_init(ty);
        self.program.hidden = Default::default();
        let shown = self.show_qualified(ty);
        if !ghost && init < AutoInit::Compilable {
            self.error(span, format!("static non-ghost const field '{name}' of type '{shown}' (which does not have a default compiled value) must give a defining value"));
        } else if ghost && init < AutoInit::Nonempty {
            self.error(span, format!("static ghost const field '{name}' of type '{shown}' (which may be empty) must give a defining value"));
        }
    }

    /// A type with the module of a foreign declaration in front.
    fn show_qualified(&self, ty: Ty) -> String {
        let shown = self.program.show_type(ty);
        if let TyKind::Named { decl, .. } = &*self.program.types.kind(ty)
            && Some(self.program.decls[*decl].module) != self.frame.module
            && self.program.modules[self.program.decls[*decl].module]
                .parent
                .is_some()
        {
            let module = self.program.modules[self.program.decls[*decl].module].name;
            return format!("{}.{shown}", self.text(module));
        }
        shown
    }

    fn check_decl_init(&mut self, decl: DeclId) {
        let d = &self.program.decls[decl];
        match &d.kind {
            TypeDeclKind::Class {
                has_constructor: false,
            } => {
                let (span, name) = (d.span, self.text(d.name));
                let in_abstract = self.program.modules[d.module].is_abstract;
                if in_abstract {
                    return;
                }
                if let Some((field, ty)) = self.uninitialised_field(decl) {
                    let field = self.text(self.program.members[field].name);
                    let shown = self.program.show_type(ty);
                    self.error(span, format!("class '{name}' with fields without known initializers, like '{field}' of type '{shown}', must declare a constructor"));
                }
            }
            TypeDeclKind::Synonym(base) => {
                let base = *base;
                self.check_promise(decl, base);
            }
            TypeDeclKind::Iterator(it) => {
                let fields = it.out_fields.clone();
                self.check_yields(&fields);
            }
            _ => {}
        }
    }

    /// A yield-parameter has a value before anything is yielded.
    fn check_yields(&mut self, fields: &[MemberId]) {
        for &field in fields {
            let m = &self.program.members[field];
            let MemberKind::Field { ty } = m.kind else {
                continue;
            };
            let init = self.auto_init(ty);
            if init == AutoInit::Compilable || (m.ghost && init == AutoInit::Nonempty) {
                continue;
            }
            let shown = self.program.show_type(ty);
            let what = if m.ghost {
                "be nonempty"
            } else {
                "support auto-initialization"
            };
            self.error(
                m.span,
                format!("type of yield-parameter must {what} (got '{shown}')"),
            );
        }
    }

    /// The first field, own or inherited, that needs a constructor.
    fn uninitialised_field(&self, decl: DeclId) -> Option<(MemberId, Ty)> {
        let own = self.this_type(decl);
        let mut queue = vec![own];
        let mut at = 0;
        while at < queue.len() && at < 1000 {
            let ty = queue[at];
            at += 1;
            let TyKind::Named { decl: d, args, .. } = &*self.program.types.kind(ty) else {
                continue;
            };
            for &member in &self.program.decls[*d].members {
                let m = &self.program.members[member];
                let field = match m.kind {
                    MemberKind::Field { ty } | MemberKind::Const { ty, value: None } => ty,
                    _ => continue,
                };
                if m.is_static {
                    continue;
                }
                let params = &self.program.decls[*d].params;
                let field = self.program.instantiate(field, params, args);
                let init = self.auto_init(field);
                let need = if m.ghost {
                    AutoInit::Nonempty
                } else {
                    AutoInit::Compilable
                };
                if init < need {
                    return Some((member, field));
                }
            }
            queue.extend(self.program.parent_traits(ty));
        }
        None
    }

    /// `type T(==) = …` keeps its promise.
    fn check_promise(&mut self, decl: DeclId, base: Ty) {
        let Some(syntax) = self.type_syntax.get(&decl).cloned() else {
            return;
        };
        let Some(promised) = &syntax.promised else {
            return;
        };
        let d = &self.program.decls[decl];
        let (span, name) = (d.span, self.text(d.name));
        if promised.equality && !self.supports_equality(base) {
            let advice = self.advice(base, "==", "supports equality");
            let shown = self.program.show_type(base);
            self.error(span, format!("type '{name}' declared as supporting equality, but the RHS type ({shown}) could not be proved to support equality{advice}"));
        }
    }
}

fn characteristic_init(c: Characteristics) -> AutoInit {
    if c.auto_init {
        AutoInit::Compilable
    } else if c.nonempty {
        AutoInit::Nonempty
    } else {
        AutoInit::MaybeEmpty
    }
}
