//! Definitions whose axioms would contradict each other, or would be without end, are refused.
//!
//! * A subset type or newtype whose constraint depends on the type itself, through functions and constants.
//! * A datatype with an infinite set of itself in it, or an infinite map from itself: it would have more values than values.
//! * A datatype that contains itself at ever larger types (`datatype T<A> = Node(T<(A, A)>) | Leaf(A)`): there is one sort for every
//!   instance, and they would be without end.
//! * A function that depends on which objects are allocated: its value would change when nothing it reads does.

use crate::cx::Cx;
use crate::walk::{of_function, walk};
use stet_base::FastSet;
use stet_dafny::tree::{
    BinaryOp, DeclId, ExprId, ExprKind, FunctionCall, MemberId, MemberKind, Program, Ty, TyKind,
    TypeDeclKind, VarId,
};

impl Cx<'_> {
    /// Reports such definitions; whether the translation would have an end.
    pub(crate) fn refuse_inconsistent(&mut self) -> bool {
        let p = self.p;
        let mut has_end = true;
        for (decl, declared) in p.decls.iter() {
            match &declared.kind {
                TypeDeclKind::Subset(c) | TypeDeclKind::Newtype(c)
                    if c.constraint.is_some_and(|e| depends_on(p, e, decl)) =>
                {
                    self.unsupported(
                        declared.span,
                        "a type whose constraint depends on the type itself",
                    );
                }
                TypeDeclKind::Datatype { .. } if grows_inside_itself(p, decl) => {
                    has_end = false;
                    self.unsupported(
                        declared.span,
                        "a datatype that contains itself at ever larger types",
                    );
                }
                TypeDeclKind::Datatype { .. } if exceeds_itself(p, decl) => {
                    self.unsupported(
                        declared.span,
                        "a datatype whose cardinality exceeds itself (an infinite set of it, or an infinite map from it, is part of it)",
                    );
                }
                _ => {}
            }
        }
        for (_, member) in p.members.iter() {
            let MemberKind::Function(f) = &member.kind else {
                continue;
            };
            for root in of_function(f) {
                if let Some(e) = allocation_dependent(self, root) {
                    self.unsupported(
                        p.exprs[e].tok,
                        "a function that depends on the set of allocated references",
                    );
                }
            }
        }
        has_end
    }
}

/// Whether the meaning of an expression depends on a type, through the functions and constants it uses.
fn depends_on(p: &Program, root: ExprId, decl: DeclId) -> bool {
    let mut seen: FastSet<MemberId> = FastSet::default();
    let mut pending = vec![root];
    let mut found = false;
    while let Some(root) = pending.pop() {
        walk(p, root, &mut |e| {
            let expr = &p.exprs[e];
            found |= is_part(p, expr.ty, decl, 0);
            let mut bound = |vars: &[VarId]| {
                found |= vars.iter().any(|&v| is_part(p, p.vars[v].ty, decl, 0));
            };
            let member = match &expr.kind {
                ExprKind::Call(call) => Some(call.function),
                ExprKind::FunctionValue { function, .. } => Some(*function),
                ExprKind::StaticConst { member, .. } => Some(*member),
                ExprKind::Field { field, .. } => Some(*field),
                ExprKind::Quantifier(q) => {
                    bound(&q.vars);
                    None
                }
                ExprKind::SetComprehension { vars, .. }
                | ExprKind::MapComprehension { vars, .. }
                | ExprKind::LetSuchThat { vars, .. }
                | ExprKind::Lambda { vars, .. } => {
                    bound(vars);
                    None
                }
                ExprKind::TypeTest(_, ty) | ExprKind::Convert(_, ty) => {
                    found |= is_part(p, *ty, decl, 0);
                    None
                }
                _ => None,
            };
            if let Some(member) = member
                && seen.insert(member)
            {
                match &p.members[member].kind {
                    MemberKind::Function(f) => {
                        let formals = f.ins.iter().map(|&v| p.vars[v].ty).chain([f.result]);
                        found |= formals.into_iter().any(|ty| is_part(p, ty, decl, 0));
                        pending.extend(of_function(f));
                    }
                    MemberKind::Const { ty, value } => {
                        found |= is_part(p, *ty, decl, 0);
                        pending.extend(value);
                    }
                    _ => {}
                }
            }
            !found
        });
        if found {
            return true;
        }
    }
    false
}

/// Whether a declared type is named in a type, or in what that type is made of.
fn is_part(p: &Program, ty: Ty, decl: DeclId, depth: u32) -> bool {
    if depth > 40 {
        return false;
    }
    if let TyKind::Named { decl: d, .. } = &*p.types.kind(ty) {
        if *d == decl {
            return true;
        }
        if let TypeDeclKind::Subset(c) | TypeDeclKind::Newtype(c) = &p.decls[*d].kind
            && is_part(p, c.base, decl, depth + 1)
        {
            return true;
        }
    }
    let children = p.types.children(ty);
    children.into_iter().any(|c| is_part(p, c, decl, depth + 1))
}

/// How deeply the types of fields nest in datatypes that do not grow.
const MAX_NESTING: u32 = 12;

/// Whether the fields of a datatype, and the fields of those, have types of any size.
fn grows_inside_itself(p: &Program, decl: DeclId) -> bool {
    let mut seen: FastSet<Ty> = FastSet::default();
    let mut pending: Vec<Ty> = fields(p, decl).collect();
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        if nests_deeper(p, ty, MAX_NESTING) {
            return true;
        }
        if let TyKind::Named { decl: d, args, .. } = &*p.types.kind(ty)
            && let TypeDeclKind::Datatype { .. } = p.decls[*d].kind
        {
            let params = &p.decls[*d].params;
            pending.extend(fields(p, *d).map(|f| p.instantiate(f, params, args)));
        }
        pending.extend(p.types.children(ty));
    }
    false
}

fn nests_deeper(p: &Program, ty: Ty, left: u32) -> bool {
    let children = p.types.children(ty);
    let mut children = children.into_iter();
    match left {
        0 => children.next().is_some(),
        _ => children.any(|child| nests_deeper(p, child, left - 1)),
    }
}

/// Whether a datatype is reached from itself through the elements of an infinite set or the keys of an infinite map.
fn exceeds_itself(p: &Program, decl: DeclId) -> bool {
    let mut seen: FastSet<(Ty, bool)> = FastSet::default();
    let mut pending: Vec<(Ty, bool)> = fields(p, decl).map(|ty| (ty, false)).collect();
    while let Some((ty, inside)) = pending.pop() {
        let ty = p.representation(ty);
        if !seen.insert((ty, inside)) || seen.len() > 10_000 {
            continue;
        }
        match &*p.types.kind(ty) {
            TyKind::Set {
                finite: false,
                elem,
            } => pending.push((*elem, true)),
            TyKind::Map {
                finite: false,
                key,
                value,
            } => pending.extend([(*key, true), (*value, inside)]),
            TyKind::Array { .. } | TyKind::Object { .. } => {}
            TyKind::Named { decl: d, args, .. } => {
                if *d == decl && inside {
                    return true;
                }
                let declared = &p.decls[*d];
                if let TypeDeclKind::Datatype { .. } = declared.kind {
                    let own = fields(p, *d);
                    let own = own.map(|f| p.instantiate(f, &declared.params, args));
                    pending.extend(own.map(|f| (f, inside)));
                }
            }
            _ => pending.extend(p.types.children(ty).into_iter().map(|c| (c, inside))),
        }
    }
    false
}

fn fields(p: &Program, decl: DeclId) -> impl Iterator<Item = Ty> + '_ {
    let ctors = p.ctors_of(decl).iter();
    let formals = ctors.flat_map(|&c| p.ctors[c].formals.iter());
    formals.map(|&v| p.vars[v].ty)
}

/// A binder over all allocated objects.
pub(crate) fn allocation_dependent(cx: &Cx<'_>, root: ExprId) -> Option<ExprId> {
    let p = cx.p;
    let mut found = None;
    walk(p, root, &mut |e| {
        let mut conditions = Vec::new();
        let vars: &[VarId] = match &p.exprs[e].kind {
            ExprKind::Quantifier(q) => {
                conditions.extend(q.range);
                let mut body = q.body;
                while let (true, ExprKind::Binary(BinaryOp::Imp, a, b)) =
                    (q.forall, &p.exprs[body].kind)
                {
                    conditions.push(*a);
                    body = *b;
                }
                if !q.forall {
                    conditions.push(body);
                }
                &q.vars
            }
            ExprKind::SetComprehension { vars, range, .. }
            | ExprKind::MapComprehension { vars, range, .. } => {
                conditions.push(*range);
                vars
            }
            ExprKind::LetSuchThat {
                vars, condition, ..
            } => {
                conditions.push(*condition);
                vars
            }
            // Not the question about references that the type shows: arguments are allocated.
            ExprKind::Allocated(inner)
                if cx.hides_references(p.exprs[*inner].ty, &mut Vec::new()) =>
            {
                found.get_or_insert(e);
                return false;
            }
            _ => return found.is_none(),
        };
        let is_open = |v: &VarId| {
            cx.has_references(p.vars[*v].ty, &mut Vec::new()) && !is_bounded(p, &conditions, *v)
        };
        if vars.iter().any(is_open) {
            found.get_or_insert(e);
        }
        found.is_none()
    });
    found
}

/// Whether conditions say that a variable is in a collection, or equal to something.
fn is_bounded(p: &Program, conditions: &[ExprId], v: VarId) -> bool {
    let mut pending = conditions.to_vec();
    let is_v = |e: ExprId| matches!(p.exprs[e].kind, ExprKind::Var(w) if w == v);
    while let Some(e) = pending.pop() {
        match &p.exprs[e].kind {
            ExprKind::Binary(BinaryOp::And, a, b) => pending.extend([a, b]),
            ExprKind::Binary(BinaryOp::In | BinaryOp::Eq, a, _) if is_v(*a) => return true,
            ExprKind::Binary(BinaryOp::Eq, _, b) if is_v(*b) => return true,
            ExprKind::Binary(BinaryOp::Subset | BinaryOp::ProperSubset, a, _) if is_v(*a) => {
                return true;
            }
            ExprKind::StmtExpr(_, inner) => pending.push(*inner),
            ExprKind::Call(call) if is_older_argument(p, call, v) => return true,
            _ => {}
        }
    }
    false
}

/// Whether a predicate says that a variable is in every heap that its other arguments are in.
fn is_older_argument(p: &Program, call: &FunctionCall, v: VarId) -> bool {
    let MemberKind::Function(f) = &p.members[call.function].kind else {
        return false;
    };
    let mut pairs = f.ins.iter().zip(&call.args);
    pairs.any(|(&formal, &arg)| {
        p.vars[formal].is_older && matches!(p.exprs[arg].kind, ExprKind::Var(w) if w == v)
    })
}
