//! Types during checking: with synonyms as written, named type parameters of map types, and unknowns.
//!
//! Unlike the canonical [`TypeTable`](crate::TypeTable), this arena keeps what messages show. Unknowns (Boogie's proxies) stand for types still to be inferred:
//! any type, a bit-vector of at least some width, or a map of known arity that was already selected from. [`Inference::unify`]
//! binds them; a failed unification leaves no trace.

use crate::ast::{SynonymId, TypeCtorId, TypeVarId};
use crate::program::{Program, TypeVar};
use crate::types::{Type, TypeId};
use std::sync::Arc;
use stet_base::{FastMap, IdVec, Index, Span, Symbol, define_id};

define_id!(
    /// A type during checking.
    pub(crate) struct Ty;
);
define_id!(
    /// An unknown type.
    pub(crate) struct Unknown;
);

/// The forms of types during checking.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Form {
    Basic(Type),
    Var(TypeVarId),
    Ctor(TypeCtorId, Arc<[Ty]>),
    /// A synonym as written, and what it stands for.
    Synonym(SynonymId, Arc<[Ty]>, Ty),
    Map(Arc<[TypeVarId]>, Arc<[Ty]>, Ty),
    Unknown(Unknown),
    /// A type that could not be resolved; equal to itself only.
    Unresolved(Symbol, Arc<[Ty]>),
}

/// What is known about an unknown.
#[derive(Clone, Debug)]
enum Known {
    Nothing,
    /// A bit-vector of at least this width, and the concatenations it equals.
    Bv(u32, Vec<(Ty, Ty)>),
    /// A map of this arity, and its uses.
    Map(usize, Vec<MapUse>),
    Bound(Ty),
}

/// A selection from a map whose type is not known yet.
#[derive(Clone, Debug)]
pub(crate) struct MapUse {
    pub(crate) args: Vec<Ty>,
    pub(crate) result: Ty,
    /// Where the instantiation of the map's type parameters goes once known.
    pub(crate) slot: usize,
}

/// The arena of types during checking.
#[derive(Clone, Debug)]
pub(crate) struct Inference {
    forms: IdVec<Ty, Form>,
    ids: FastMap<Form, Ty>,
    /// Whether a type contains type variables or unknowns.
    open: IdVec<Ty, bool>,
    /// Whether a type contains unknowns, bound or not.
    unsettled: IdVec<Ty, bool>,
    unknowns: IdVec<Unknown, Known>,
    /// The type that is an unknown, once it was needed.
    unknown_types: IdVec<Unknown, Option<Ty>>,
    /// What to restore if a unification fails.
    trail: Vec<(Unknown, Known)>,
    /// Instantiations of map type parameters.
    pub(crate) slots: Vec<Vec<Ty>>,
    canonical: FastMap<Ty, TypeId>,
    /// Concatenations of known width whose parts are both unknown.
    pending: Vec<(Ty, Ty, u32)>,
    pub(crate) bool: Ty,
    pub(crate) int: Ty,
    pub(crate) real: Ty,
}

impl Inference {
    pub(crate) fn new() -> Self {
        let mut forms = IdVec::new();
        let mut ids = FastMap::default();
        let mut open = IdVec::new();
        let mut unsettled = IdVec::new();
        let mut basic = |ty| {
            let form = Form::Basic(ty);
            open.push(false);
            unsettled.push(false);
            let id = forms.push(form.clone());
            ids.insert(form, id);
            id
        };
        let bool = basic(Type::Bool);
        let int = basic(Type::Int);
        let real = basic(Type::Real);
        Inference {
            forms,
            ids,
            open,
            unsettled,
            unknowns: IdVec::new(),
            unknown_types: IdVec::new(),
            trail: Vec::new(),
            slots: Vec::new(),
            canonical: FastMap::default(),
            pending: Vec::new(),
            bool,
            int,
            real,
        }
    }

    pub(crate) fn intern(&mut self, form: Form) -> Ty {
        if let Form::Unknown(unknown) = form {
            return self.unknown_type(unknown);
        }
        if let Some(&ty) = self.ids.get(&form) {
            return ty;
        }
        let among = |flags: &IdVec<Ty, bool>| match &form {
            Form::Basic(_) | Form::Var(_) | Form::Unknown(_) => false,
            Form::Ctor(_, args) | Form::Unresolved(_, args) => args.iter().any(|&a| flags[a]),
            Form::Synonym(_, args, body) => args.iter().chain([body]).any(|&a| flags[a]),
            Form::Map(_, args, result) => args.iter().chain([result]).any(|&a| flags[a]),
        };
        let open = match &form {
            Form::Var(_) => true,
            Form::Map(params, ..) if !params.is_empty() => true,
            _ => among(&self.open),
        };
        let unsettled = among(&self.unsettled);
        self.open.push(open);
        self.unsettled.push(unsettled);
        let ty = self.forms.push(form.clone());
        self.ids.insert(form, ty);
        ty
    }

    fn unknown_type(&mut self, unknown: Unknown) -> Ty {
        if let Some(ty) = self.unknown_types[unknown] {
            return ty;
        }
        self.open.push(true);
        self.unsettled.push(true);
        let ty = self.forms.push(Form::Unknown(unknown));
        self.unknown_types[unknown] = Some(ty);
        ty
    }

    pub(crate) fn bv(&mut self, width: u32) -> Ty {
        self.intern(Form::Basic(Type::Bv(width)))
    }

    fn unknown(&mut self, known: Known) -> Ty {
        let id = self.number(known);
        self.unknown_type(id)
    }

    fn number(&mut self, known: Known) -> Unknown {
        self.unknown_types.push(None);
        self.unknowns.push(known)
    }

    /// Takes the number of an unknown that would be bound at once; numbers are seen in messages.
    pub(crate) fn skip(&mut self) {
        self.number(Known::Nothing);
    }

    pub(crate) fn fresh(&mut self) -> Ty {
        self.unknown(Known::Nothing)
    }

    pub(crate) fn fresh_bv(&mut self, least: u32) -> Ty {
        self.unknown(Known::Bv(least, Vec::new()))
    }

    /// The type of `a ++ b` for bit-vectors `a` and `b`.
    pub(crate) fn concat(&mut self, a: Ty, b: Ty) -> Ty {
        let (a, b) = (self.expand(a), self.expand(b));
        let least = self.least_width(a).saturating_add(self.least_width(b));
        self.unknown(Known::Bv(least, vec![(a, b)]))
    }

    fn least_width(&self, ty: Ty) -> u32 {
        match &self.forms[ty] {
            Form::Basic(Type::Bv(width)) => *width,
            Form::Unknown(u) => match &self.unknowns[*u] {
                Known::Bv(least, _) => *least,
                _ => 0,
            },
            _ => 0,
        }
    }

    pub(crate) fn fresh_map(&mut self, arity: usize) -> Ty {
        self.unknown(Known::Map(arity, Vec::new()))
    }

    /// Follows bound unknowns, but keeps synonyms.
    pub(crate) fn follow(&self, mut ty: Ty) -> Ty {
        while let Form::Unknown(u) = self.forms[ty]
            && let Known::Bound(to) = self.unknowns[u]
        {
            ty = to;
        }
        ty
    }

    /// Follows bound unknowns and synonyms at the top.
    pub(crate) fn expand(&self, mut ty: Ty) -> Ty {
        loop {
            ty = self.follow(ty);
            match self.forms[ty] {
                Form::Synonym(_, _, body) => ty = body,
                _ => return ty,
            }
        }
    }

    pub(crate) fn form(&self, ty: Ty) -> &Form {
        &self.forms[self.expand(ty)]
    }

    pub(crate) fn is_float(&self, ty: Ty) -> bool {
        matches!(self.form(ty), Form::Basic(Type::Float(..)))
    }

    /// Adds a use to an unknown map type; its result type is returned.
    pub(crate) fn use_unknown_map(&mut self, map: Ty, args: Vec<Ty>, slot: usize) -> Ty {
        let result = self.fresh();
        let map = self.expand(map);
        if let Form::Unknown(u) = self.forms[map]
            && let Known::Map(_, uses) = &mut self.unknowns[u]
        {
            uses.push(MapUse { args, result, slot });
        }
        result
    }

    /// Unifies two types, or leaves everything as it was.
    pub(crate) fn unify(&mut self, a: Ty, b: Ty) -> bool {
        if a == b {
            return true;
        }
        let mark = self.trail.len();
        let done = self.unify_inner(a, b, &mut Vec::new());
        if done {
            if mark == 0 {
                self.trail.clear();
            }
        } else {
            self.undo(mark);
        }
        done
    }

    /// Whether two types have a common instance; binds unknowns only if that needs no type variable.
    pub(crate) fn comparable(&mut self, a: Ty, b: Ty) -> bool {
        if self.unify(a, b) {
            return true;
        }
        let mut subst = FastMap::default();
        let mut free = Vec::new();
        self.free_vars(a, &mut Vec::new(), &mut free);
        self.free_vars(b, &mut Vec::new(), &mut free);
        if free.is_empty() {
            return false;
        }
        for var in free {
            let unknown = self.fresh();
            subst.insert(var, unknown);
        }
        let a = self.substitute(a, &subst);
        let b = self.substitute(b, &subst);
        let mark = self.trail.len();
        let done = self.unify_inner(a, b, &mut Vec::new());
        self.undo(mark);
        done
    }

    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some((unknown, known)) = self.trail.pop() {
                self.unknowns[unknown] = known;
            }
        }
    }

    fn set(&mut self, unknown: Unknown, known: Known) {
        let old = std::mem::replace(&mut self.unknowns[unknown], known);
        self.trail.push((unknown, old));
    }

    /// `pairs` are the corresponding parameters of the map types around `a` and `b`.
    fn unify_inner(&mut self, a: Ty, b: Ty, pairs: &mut Vec<(TypeVarId, TypeVarId)>) -> bool {
        let (a, b) = (self.expand(a), self.expand(b));
        if a == b && (pairs.is_empty() || !self.open[a]) {
            return true;
        }
        match (self.forms[a].clone(), self.forms[b].clone()) {
            (Form::Unknown(x), Form::Unknown(y)) if x == y => true,
            (Form::Unknown(x), _) => self.bind(x, b, pairs),
            (_, Form::Unknown(y)) => self.bind(y, a, pairs),
            (Form::Var(x), Form::Var(y)) => {
                match pairs.iter().rev().find(|p| p.0 == x || p.1 == y) {
                    Some(&(p, q)) => p == x && q == y,
                    None => x == y,
                }
            }
            (Form::Basic(x), Form::Basic(y)) => x == y,
            (Form::Ctor(x, xs), Form::Ctor(y, ys)) => {
                x == y && xs.len() == ys.len() && self.unify_all(&xs, &ys, pairs)
            }
            (Form::Map(ps, xs, x), Form::Map(qs, ys, y)) => {
                if ps.len() != qs.len() || xs.len() != ys.len() {
                    return false;
                }
                let depth = pairs.len();
                pairs.extend(ps.iter().copied().zip(qs.iter().copied()));
                let done = self.unify_all(&xs, &ys, pairs) && self.unify_inner(x, y, pairs);
                pairs.truncate(depth);
                done
            }
            (Form::Unresolved(x, xs), Form::Unresolved(y, ys)) => {
                x == y && xs.len() == ys.len() && self.unify_all(&xs, &ys, pairs)
            }
            _ => false,
        }
    }

    fn unify_all(&mut self, xs: &[Ty], ys: &[Ty], pairs: &mut Vec<(TypeVarId, TypeVarId)>) -> bool {
        xs.iter()
            .zip(ys)
            .all(|(&x, &y)| self.unify_inner(x, y, pairs))
    }

    fn bind(&mut self, unknown: Unknown, to: Ty, pairs: &[(TypeVarId, TypeVarId)]) -> bool {
        if self.mentions(to, unknown) {
            return false;
        }
        if !pairs.is_empty() {
            let mut free = Vec::new();
            self.free_vars(to, &mut Vec::new(), &mut free);
            // A parameter of a map type around both sides must not escape.
            if free
                .iter()
                .any(|v| pairs.iter().any(|p| p.0 == *v || p.1 == *v))
            {
                return false;
            }
        }
        match (self.unknowns[unknown].clone(), self.forms[to].clone()) {
            (Known::Nothing, _) => {
                self.set(unknown, Known::Bound(to));
                true
            }
            (Known::Bv(least, parts), form) => self.bind_bv(unknown, least, parts, to, form),
            (Known::Map(arity, uses), form) => self.bind_map(unknown, arity, uses, to, form),
            (Known::Bound(_), _) => false,
        }
    }

    fn bind_bv(
        &mut self,
        unknown: Unknown,
        least: u32,
        parts: Vec<(Ty, Ty)>,
        to: Ty,
        form: Form,
    ) -> bool {
        match form {
            Form::Basic(Type::Bv(width)) => {
                if width < least {
                    return false;
                }
                self.set(unknown, Known::Bound(to));
                parts.iter().all(|&(a, b)| self.split_width(a, b, width))
            }
            Form::Unknown(other) => match self.unknowns[other].clone() {
                Known::Nothing => {
                    let this = self.intern(Form::Unknown(unknown));
                    self.set(other, Known::Bound(this));
                    true
                }
                Known::Bv(other_least, other_parts) => {
                    // As in Boogie, the two become a third; its number is seen in messages.
                    let mut all = other_parts;
                    all.extend(parts);
                    let merged = self.unknown(Known::Bv(least.max(other_least), all));
                    self.set(other, Known::Bound(merged));
                    self.set(unknown, Known::Bound(merged));
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// `a ++ b` has this width: whichever side is known determines the other.
    fn split_width(&mut self, a: Ty, b: Ty, width: u32) -> bool {
        let (a, b) = (self.expand(a), self.expand(b));
        let known = |this: &Self, ty: Ty| match this.forms[ty] {
            Form::Basic(Type::Bv(w)) => Some(w),
            _ => None,
        };
        let (other, rest) = match (known(self, a), known(self, b)) {
            (Some(x), Some(y)) => return x.checked_add(y) == Some(width),
            (Some(x), None) => (b, width.checked_sub(x)),
            (None, Some(y)) => (a, width.checked_sub(y)),
            (None, None) => {
                self.pending.push((a, b, width));
                return true;
            }
        };
        let Some(rest) = rest else { return false };
        let bv = self.bv(rest);
        self.unify_inner(other, bv, &mut Vec::new())
    }

    fn bind_map(
        &mut self,
        unknown: Unknown,
        arity: usize,
        uses: Vec<MapUse>,
        to: Ty,
        form: Form,
    ) -> bool {
        match form {
            Form::Map(_, ref args, _) => {
                if args.len() != arity {
                    return false;
                }
                self.set(unknown, Known::Bound(to));
                uses.iter().all(|u| self.apply_use(to, u))
            }
            Form::Unknown(other) => match self.unknowns[other].clone() {
                Known::Nothing => {
                    let this = self.intern(Form::Unknown(unknown));
                    self.set(other, Known::Bound(this));
                    true
                }
                Known::Map(other_arity, other_uses) if other_arity == arity => {
                    let mut all = other_uses;
                    all.extend(uses);
                    self.set(other, Known::Map(arity, all));
                    self.set(unknown, Known::Bound(to));
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn apply_use(&mut self, map: Ty, map_use: &MapUse) -> bool {
        let Some((type_args, args, result)) = self.open_map(map) else {
            return false;
        };
        self.slots[map_use.slot] = type_args;
        self.unify_all(&args, &map_use.args, &mut Vec::new())
            && self.unify_inner(result, map_use.result, &mut Vec::new())
    }

    /// A map type with its parameters replaced by fresh unknowns: those, the index types, the value type.
    pub(crate) fn open_map(&mut self, map: Ty) -> Option<(Vec<Ty>, Vec<Ty>, Ty)> {
        let Form::Map(params, args, result) = self.form(map).clone() else {
            return None;
        };
        if params.is_empty() {
            return Some((Vec::new(), args.to_vec(), result));
        }
        let (subst, type_args) = self.instantiate(&params);
        let args = args.iter().map(|&a| self.substitute(a, &subst)).collect();
        let result = self.substitute(result, &subst);
        Some((type_args, args, result))
    }

    /// Fresh unknowns for type parameters.
    pub(crate) fn instantiate(
        &mut self,
        params: &[TypeVarId],
    ) -> (FastMap<TypeVarId, Ty>, Vec<Ty>) {
        let type_args: Vec<Ty> = params.iter().map(|_| self.fresh()).collect();
        let subst = params
            .iter()
            .copied()
            .zip(type_args.iter().copied())
            .collect();
        (subst, type_args)
    }

    fn mentions(&self, ty: Ty, unknown: Unknown) -> bool {
        let ty = self.expand(ty);
        if !self.open[ty] {
            return false;
        }
        match &self.forms[ty] {
            Form::Unknown(u) => *u == unknown,
            Form::Ctor(_, args) | Form::Unresolved(_, args) => {
                args.iter().any(|&a| self.mentions(a, unknown))
            }
            Form::Map(_, args, result) => args
                .iter()
                .chain([result])
                .any(|&a| self.mentions(a, unknown)),
            _ => false,
        }
    }

    pub(crate) fn substitute(&mut self, ty: Ty, subst: &FastMap<TypeVarId, Ty>) -> Ty {
        if subst.is_empty() || !self.open[ty] {
            return ty;
        }
        match self.forms[ty].clone() {
            Form::Basic(_) => ty,
            Form::Var(var) => subst.get(&var).copied().unwrap_or(ty),
            Form::Unknown(u) => match self.unknowns[u] {
                Known::Bound(to) => self.substitute(to, subst),
                _ => ty,
            },
            Form::Ctor(ctor, args) => {
                let args = self.substitute_all(&args, subst);
                self.intern(Form::Ctor(ctor, args))
            }
            Form::Unresolved(name, args) => {
                let args = self.substitute_all(&args, subst);
                self.intern(Form::Unresolved(name, args))
            }
            Form::Synonym(synonym, args, body) => {
                let args = self.substitute_all(&args, subst);
                let body = self.substitute(body, subst);
                self.intern(Form::Synonym(synonym, args, body))
            }
            Form::Map(params, args, result) => {
                let args = self.substitute_all(&args, subst);
                let result = self.substitute(result, subst);
                self.intern(Form::Map(params, args, result))
            }
        }
    }

    fn substitute_all(&mut self, tys: &[Ty], subst: &FastMap<TypeVarId, Ty>) -> Arc<[Ty]> {
        tys.iter().map(|&t| self.substitute(t, subst)).collect()
    }

    /// The free type variables in order of first occurrence.
    pub(crate) fn free_vars(&self, ty: Ty, bound: &mut Vec<TypeVarId>, free: &mut Vec<TypeVarId>) {
        let ty = self.expand(ty);
        if !self.open[ty] {
            return;
        }
        match &self.forms[ty] {
            Form::Var(var) if !bound.contains(var) && !free.contains(var) => free.push(*var),
            Form::Ctor(_, args) | Form::Unresolved(_, args) => {
                for &arg in args.iter() {
                    self.free_vars(arg, bound, free);
                }
            }
            Form::Map(params, args, result) => {
                let depth = bound.len();
                bound.extend(params.iter());
                for &arg in args.iter().chain([result]) {
                    self.free_vars(arg, bound, free);
                }
                bound.truncate(depth);
            }
            _ => {}
        }
    }

    /// Settles unknowns left over in a type: `int`, the narrowest bit-vector, a fully polymorphic map. Says whether there were any.
    pub(crate) fn settle(&mut self, program: &mut Program, at: Span, ty: Ty) -> bool {
        let ty = self.expand(ty);
        if !self.open[ty] {
            return false;
        }
        let parts: Vec<Ty> = match self.forms[ty].clone() {
            Form::Unknown(unknown) => {
                let to = match self.unknowns[unknown].clone() {
                    Known::Bv(least, _) => self.settled_width(ty, least),
                    Known::Map(arity, _) => self.polymorphic_map(program, at, arity),
                    _ => self.int,
                };
                if !self.unify(ty, to) {
                    self.unknowns[unknown] = Known::Bound(to);
                }
                return true;
            }
            Form::Ctor(_, args) | Form::Unresolved(_, args) => args.to_vec(),
            Form::Map(_, args, result) => args.iter().copied().chain([result]).collect(),
            _ => return false,
        };
        let mut found = false;
        for part in parts {
            found |= self.settle(program, at, part);
        }
        found
    }

    /// The width of a bit-vector nothing determines: the narrowest, or what a concatenation leaves.
    fn settled_width(&mut self, ty: Ty, least: u32) -> Ty {
        let mut width = least;
        for (a, b, whole) in self.pending.clone() {
            let (a, b) = (self.expand(a), self.expand(b));
            if a == ty {
                width = width.max(whole.saturating_sub(self.least_width(b)));
            } else if b == ty {
                width = width.max(whole.saturating_sub(self.least_width(a)));
            }
        }
        self.bv(width)
    }

    /// Whether a type contains unknowns that are not bound.
    pub(crate) fn is_undetermined(&self, ty: Ty) -> bool {
        let ty = self.expand(ty);
        self.open[ty]
            && match &self.forms[ty] {
                Form::Unknown(_) => true,
                Form::Ctor(_, args) | Form::Unresolved(_, args) => {
                    args.iter().any(|&a| self.is_undetermined(a))
                }
                Form::Map(_, args, result) => args
                    .iter()
                    .chain([result])
                    .any(|&a| self.is_undetermined(a)),
                _ => false,
            }
    }

    fn polymorphic_map(&mut self, program: &mut Program, at: Span, arity: usize) -> Ty {
        let mut var = |name: &str| {
            let name = program.names.intern(name);
            program.type_vars.push(TypeVar { name, span: at })
        };
        let mut params: Vec<TypeVarId> = (0..arity).map(|i| var(&format!("arg{i}"))).collect();
        params.push(var("res"));
        let mut tys: Vec<Ty> = params.iter().map(|&p| self.intern(Form::Var(p))).collect();
        let result = tys.pop().unwrap_or(self.int);
        self.intern(Form::Map(params.into(), tys.into(), result))
    }

    /// The canonical form: no synonyms, no unknowns (left-over ones become `int`), map parameters by position.
    pub(crate) fn canonical(&mut self, program: &mut Program, ty: Ty) -> TypeId {
        let ty = self.expand(ty);
        if let Some(&id) = self.canonical.get(&ty) {
            return id;
        }
        let id = self.canonical_inner(program, ty, &mut Vec::new());
        if !self.unsettled[ty] {
            self.canonical.insert(ty, id);
        }
        id
    }

    fn canonical_inner(
        &mut self,
        program: &mut Program,
        ty: Ty,
        bound: &mut Vec<Arc<[TypeVarId]>>,
    ) -> TypeId {
        let ty = self.expand(ty);
        let form = match self.forms[ty].clone() {
            Form::Basic(basic) => basic,
            Form::Var(var) => {
                let found = bound.iter().rev().enumerate().find_map(|(depth, params)| {
                    let index = params.iter().position(|&p| p == var)?;
                    Some(Type::Bound {
                        depth: depth as u32,
                        index: index as u32,
                    })
                });
                found.unwrap_or(Type::Var(var))
            }
            Form::Ctor(ctor, args) => {
                let args = args
                    .iter()
                    .map(|&a| self.canonical_inner(program, a, bound))
                    .collect();
                Type::Ctor(ctor, args)
            }
            Form::Map(params, args, result) => {
                let count = params.len() as u32;
                if count > 0 {
                    bound.push(params);
                }
                let args = args
                    .iter()
                    .map(|&a| self.canonical_inner(program, a, bound))
                    .collect();
                let result = self.canonical_inner(program, result, bound);
                if count > 0 {
                    bound.pop();
                }
                Type::Map {
                    params: count,
                    args,
                    result,
                }
            }
            Form::Synonym(..) | Form::Unknown(_) | Form::Unresolved(..) => Type::Int,
        };
        program.types.intern(form)
    }

    /// The type as messages show it.
    pub(crate) fn show(&self, program: &Program, ty: Ty) -> String {
        let mut out = String::new();
        self.write(program, ty, 0, &mut out);
        out
    }

    /// `context`: 0 anywhere, 1 an argument of a constructor that may be a map type, 2 one that may not.
    fn write(&self, program: &Program, ty: Ty, context: u8, out: &mut String) {
        let ty = self.follow(ty);
        let applied = |name: Symbol, args: &[Ty], out: &mut String| {
            let open = context > 0 && !args.is_empty();
            if open {
                out.push('(');
            }
            out.push_str(&crate::print::quoted(program.name(name)));
            for (i, &arg) in args.iter().enumerate() {
                out.push(' ');
                self.write(program, arg, if i + 1 == args.len() { 1 } else { 2 }, out);
            }
            if open {
                out.push(')');
            }
        };
        match &self.forms[ty] {
            Form::Basic(basic) => out.push_str(&basic_name(basic)),
            Form::Var(var) => out.push_str(&crate::print::quoted(
                program.name(program.type_vars[*var].name),
            )),
            Form::Ctor(ctor, args) => applied(program.type_ctors[*ctor].name, args, out),
            Form::Synonym(synonym, args, _) => applied(program.synonyms[*synonym].name, args, out),
            Form::Unresolved(name, args) => applied(*name, args, out),
            Form::Unknown(u) => match &self.unknowns[*u] {
                Known::Map(arity, _) => {
                    out.push('[');
                    let marks = vec!["?"; *arity];
                    out.push_str(&marks.join(", "));
                    out.push_str("]?");
                }
                Known::Bv(_, parts) => {
                    let what = if parts.is_empty() {
                        "extract"
                    } else {
                        "concat"
                    };
                    out.push_str(&format!("{what}$bvproxy#{}", u.index()));
                }
                _ => out.push('?'),
            },
            Form::Map(params, args, result) => {
                if context > 1 {
                    out.push('(');
                }
                if !params.is_empty() {
                    let names: Vec<&str> = params
                        .iter()
                        .map(|&p| program.name(program.type_vars[p].name))
                        .collect();
                    out.push('<');
                    out.push_str(&names.join(","));
                    out.push('>');
                }
                out.push('[');
                for (i, &arg) in args.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    self.write(program, arg, 0, out);
                }
                out.push(']');
                self.write(program, *result, 0, out);
                if context > 1 {
                    out.push(')');
                }
            }
        }
    }
}

/// The name of a type without parts.
pub(crate) fn basic_name(ty: &Type) -> String {
    match ty {
        Type::Int => "int".to_owned(),
        Type::Real => "real".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::RMode => "rmode".to_owned(),
        Type::Str => "string".to_owned(),
        Type::RegEx => "regex".to_owned(),
        Type::Bv(width) => format!("bv{width}"),
        Type::Float(significand, exponent) => format!("float{significand}e{exponent}"),
        Type::Var(_) | Type::Bound { .. } | Type::Ctor(..) | Type::Map { .. } => "?".to_owned(),
    }
}
