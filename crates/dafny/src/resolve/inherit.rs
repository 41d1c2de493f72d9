//! Inheritance from traits: inherited members and allowed redeclarations.
//!
//! * Traits do not extend themselves; a trait is extended with one list of type arguments only.
//! * Members of the same name come from one trait, or one of them overrides the other.
//! * Fields, constants, static members and functions with bodies are not redeclared.
//! * An override has the kind, the ghost status and the signature of what it overrides.
//! * A class implements everything its traits leave without a body.

use super::{Resolver, TypeMember};
use crate::tree::{
    DeclId, MemberId, MemberKind, Owner, Ty, TyKind, TypeDeclKind, TypeParamId, VarId,
};
use stet_base::{FastMap, Symbol};

/// How many inherited members of one type are looked at.
const MAX_INHERITED: usize = 100_000;

/// A member of a trait, as an heir sees it.
#[derive(Clone, Copy, Debug)]
struct Inherited {
    member: MemberId,
    /// The instance of the trait that declares it.
    owner: Ty,
}

impl Resolver<'_> {
    /// Checks inheritance of all types; runs when all signatures are known.
    pub(crate) fn check_inheritance(&mut self) {
        let decls: Vec<DeclId> = self.program.decls.ids().collect();
        for decl in decls {
            if self.program.decls[decl].parents.is_empty() {
                continue;
            }
            self.frame.module = Some(self.program.decls[decl].module);
            self.check_parents(decl);
            let inherited = self.inherited_members(decl);
            let (inherited, conflicts) = inherited;
            self.check_redeclared(decl, &inherited);
            self.check_implemented(decl, &inherited, &conflicts);
        }
    }

    /// The same trait is extended with the same arguments everywhere.
    fn check_parents(&mut self, decl: DeclId) {
        let mut seen: FastMap<DeclId, (Ty, String)> = FastMap::default();
        let mut reported: Vec<(DeclId, Ty)> = Vec::new();
        let own = self.this_type(decl);
        let mut stack: Vec<(Ty, Vec<String>)> = Vec::new();
        let push = |r: &Self, ty: Ty, via: &[String], stack: &mut Vec<(Ty, Vec<String>)>| {
            for parent in r.program.parent_traits(ty).into_iter().rev() {
                stack.push((r.expand(parent), via.to_vec()));
            }
        };
        push(self, own, &[], &mut stack);
        let mut budget = 10_000;
        while let Some((ty, via)) = stack.pop() {
            budget -= 1;
            if budget == 0 {
                return;
            }
            let TyKind::Named { decl: head, .. } = &*self.program.types.kind(ty) else {
                continue;
            };
            let text = if via.is_empty() {
                self.program.show_type(ty)
            } else {
                format!("{} (via {})", self.program.show_type(ty), via.join(", "))
            };
            match seen.get(head) {
                None => {
                    seen.insert(*head, (ty, text));
                    let mut next = via.clone();
                    next.push(self.text(self.program.decls[*head].name));
                    push(self, ty, &next, &mut stack);
                }
                Some((first, _)) if *first == ty => {}
                Some((_, shown)) => {
                    if reported.contains(&(*head, ty)) {
                        continue;
                    }
                    reported.push((*head, ty));
                    let span = self.program.decls[decl].span;
                    let message = format!(
                        "duplicate trait parents with the same head type must also have the same type arguments; got {shown} and {text}"
                    );
                    self.error(span, message);
                }
            }
        }
    }

    /// All members that `decl` inherits, by name; conflicts are reported.
    fn inherited_members(&mut self, decl: DeclId) -> (Vec<Inherited>, Vec<Symbol>) {
        let mut conflicts = Vec::new();
        let mut found: Vec<Inherited> = Vec::new();
        let mut by_name: FastMap<Symbol, usize> = FastMap::default();
        let own = self.this_type(decl);
        let mut stack: Vec<Ty> = self.program.parent_traits(own);
        stack.reverse();
        let mut seen: Vec<Ty> = Vec::new();
        while let Some(ty) = stack.pop() {
            if seen.contains(&ty) || found.len() > MAX_INHERITED {
                continue;
            }
            seen.push(ty);
            let TyKind::Named { decl: head, .. } = &*self.program.types.kind(ty) else {
                continue;
            };
            for member in self.program.decls[*head].members.clone() {
                let name = self.program.members[member].name;
                let next = Inherited { member, owner: ty };
                match by_name.get(&name) {
                    None => {
                        by_name.insert(name, found.len());
                        found.push(next);
                    }
                    Some(&at) => {
                        if let Some(best) = self.nearer(found[at], next) {
                            found[at] = best;
                        } else {
                            conflicts.push(name);
                            self.conflict(decl, found[at], next);
                        }
                    }
                }
            }
            let mut parents = self.program.parent_traits(ty);
            parents.reverse();
            stack.extend(parents);
        }
        (found, conflicts)
    }

    fn owner_of(&self, inherited: Inherited) -> Option<DeclId> {
        match self.program.members[inherited.member].owner {
            Owner::Type(decl) => Some(decl),
            Owner::Module(_) => None,
        }
    }

    /// The one of two members that overrides the other.
    fn nearer(&self, a: Inherited, b: Inherited) -> Option<Inherited> {
        if a.member == b.member {
            return Some(a);
        }
        if super::infer::reaches(&self.program, a.owner, b.owner, 0) {
            return Some(a);
        }
        super::infer::reaches(&self.program, b.owner, a.owner, 0).then_some(b)
    }

    fn conflict(&mut self, decl: DeclId, a: Inherited, b: Inherited) {
        let name = self.program.members[a.member].name;
        // What the type declares itself settles the matter.
        if self.type_members.contains_key(&(decl, name)) {
            return;
        }
        let what = self.decl_kind_word(decl);
        let own = self.text(self.program.decls[decl].name);
        let text = self.text(name);
        let mut owners = [a, b].map(|i| match self.owner_of(i) {
            Some(d) => self.text(self.program.decls[d].name),
            None => String::new(),
        });
        let [first, second] = &mut owners;
        let message = format!(
            "{what} '{own}' inherits a member named '{text}' from both trait '{first}' and trait '{second}'"
        );
        self.error(self.program.decls[decl].span, message);
    }

    fn check_redeclared(&mut self, decl: DeclId, inherited: &[Inherited]) {
        for &base in inherited {
            let name = self.program.members[base.member].name;
            let Some(TypeMember::Member(own)) = self.type_members.get(&(decl, name)) else {
                continue;
            };
            let own = *own;
            if self.check_override_kind(decl, own, base) {
                self.check_override_signature(own, base);
            }
        }
    }

    fn trait_name(&self, base: Inherited) -> String {
        self.owner_of(base)
            .map(|d| self.text(self.program.decls[d].name))
            .unwrap_or_default()
    }

    /// Whether a member may be overridden at all, and by a member of this kind.
    fn check_override_kind(&mut self, decl: DeclId, own: MemberId, base: Inherited) -> bool {
        let (b, o) = (
            &self.program.members[base.member],
            &self.program.members[own],
        );
        let span = o.span;
        let name = self.text(o.name);
        let trait_name = self.trait_name(base);
        let word = self.field_word(base.member);
        let fixed = matches!(b.kind, MemberKind::Field { .. } | MemberKind::Const { .. });
        let full = matches!(&b.kind, MemberKind::Function(_)) && self.has_body(base.member);
        if b.is_static || fixed || full {
            let mark = match (b.is_static, full) {
                (true, _) => "static ",
                (false, true) => "fully defined ",
                _ => "",
            };
            self.error(
                span,
                format!("{mark}{word} '{name}' is inherited from trait '{trait_name}' and is not allowed to be re-declared"),
            );
            return false;
        }
        let (base_ghost, own_ghost, is_static) = (b.ghost, o.ghost, o.is_static);
        if is_static {
            self.error(
                span,
                format!(
                    "static member '{name}' overrides non-static member in trait '{trait_name}'"
                ),
            );
            return false;
        }
        let own_word = self.field_word(own);
        if !same_kind(word, own_word) {
            self.error(
                span,
                format!("{word} '{name}' in trait '{trait_name}' can only be overridden by a {word} (got {own_word})"),
            );
            return false;
        }
        if base_ghost != own_ghost {
            let kind = if word.contains("method") || word.contains("lemma") {
                "method"
            } else {
                "function"
            };
            let own_type = self.text(self.program.decls[decl].name);
            self.error(
                span,
                format!("overridden {kind} '{name}' in '{own_type}' has different ghost/compiled status than in trait '{trait_name}'"),
            );
            return false;
        }
        true
    }

    /// As `member_word`, with constants called fields.
    pub(crate) fn field_word(&self, member: MemberId) -> &'static str {
        match self.member_word(member) {
            "const" => "const field",
            other => other,
        }
    }

    /// Whether the program gives the member a body.
    pub(crate) fn has_body(&self, member: MemberId) -> bool {
        let Some(syntax) = self.member_syntax.get(&member) else {
            return true;
        };
        match &syntax.kind {
            crate::ast::MemberKind::Function(f) => f.body.is_some(),
            crate::ast::MemberKind::Method(m) => m.body.is_some(),
            _ => true,
        }
    }

    fn check_override_signature(&mut self, own: MemberId, base: Inherited) {
        let own_params = self.program.type_params_of(own).to_vec();
        let base_params = self.program.type_params_of(base.member).to_vec();
        let word = self.field_word(own);
        let name = self.text(self.program.members[own].name);
        let span = self.program.members[own].span;
        if own_params.len() != base_params.len() {
            self.error(
                span,
                format!(
                    "{word} '{name}' is declared with a different number of type parameters ({} instead of {}) than in the overridden {word}",
                    own_params.len(),
                    base_params.len()
                ),
            );
            return;
        }
        self.check_extreme_override(own, base.member);
        for (&o, &b) in own_params.iter().zip(&base_params) {
            self.same_characteristics(o, b);
        }
        let to_own = Instance::new(self, own, base, &own_params, &base_params);
        match (
            &self.program.members[own].kind,
            &self.program.members[base.member].kind,
        ) {
            (MemberKind::Function(o), MemberKind::Function(b)) => {
                let (oi, bi, or, br) = (o.ins.clone(), b.ins.clone(), o.result, b.result);
                if oi.len() != bi.len() {
                    self.error(span, format!("function '{name}' is declared with a different number of parameter ({} instead of {}) than in the overridden function", oi.len(), bi.len()));
                    return;
                }
                self.same_types(&oi, &bi, &to_own, "parameter", "function");
                let want = self.expand(to_own.apply(self, br));
                if self.expand(or) != want {
                    let message = format!(
                        "the result type of function '{name}' ({}) differs from that in the overridden function ({})",
                        self.program.show_type(or),
                        self.program.show_type(want)
                    );
                    self.error(span, message);
                }
            }
            (MemberKind::Method(o), MemberKind::Method(b)) => {
                let (oi, bi) = (o.ins.clone(), b.ins.clone());
                let (oo, bo) = (o.outs.clone(), b.outs.clone());
                for (own, base, what) in [(&oi, &bi, "in"), (&oo, &bo, "out")] {
                    if own.len() != base.len() {
                        self.error(span, format!("{word} '{name}' is declared with a different number of {what}-parameters ({} instead of {}) than in the overridden {word}", own.len(), base.len()));
                        return;
                    }
                }
                self.same_types(&oi, &bi, &to_own, "in-parameter", "method");
                self.same_types(&oo, &bo, &to_own, "out-parameter", "method");
            }
            _ => {}
        }
    }

    fn check_extreme_override(&mut self, own: MemberId, base: MemberId) {
        let extreme = |r: &Self, m: MemberId| match &r.program.members[m].kind {
            MemberKind::Function(f) => f.extreme,
            MemberKind::Method(m) => m.extreme,
            _ => None,
        };
        if let (Some(o), Some(b)) = (extreme(self, own), extreme(self, base))
            && o.k_type != b.k_type
        {
            let word = self.field_word(own);
            let name = self.text(self.program.members[own].name);
            let message = format!(
                "the type of special parameter '_k' of {word} '{name}' ({}) must be the same as in the overridden {word} ({})",
                self.program.show_type(o.k_type),
                self.program.show_type(b.k_type)
            );
            self.error(self.program.members[own].span, message);
        }
    }

    /// Type parameters keep their characteristics.
    pub(crate) fn same_characteristics(&mut self, own: TypeParamId, base: TypeParamId) {
        let p = &self.program.type_params[own];
        let (span, name, o) = (p.span, self.text(p.name), p.characteristics);
        let b = self.program.type_params[base].characteristics;
        if o.equality != b.equality {
            self.error(span, format!("type parameter '{name}' is not allowed to change the requirement of supporting equality"));
        }
        if o.auto_init != b.auto_init {
            self.error(span, format!("type parameter '{name}' is not allowed to change the requirement of supporting auto-initialization"));
        } else if (o.nonempty || o.auto_init) != (b.nonempty || b.auto_init) {
            self.error(span, format!("type parameter '{name}' is not allowed to change the requirement of being nonempty"));
        }
        if o.no_references != b.no_references {
            self.error(span, format!("type parameter '{name}' is not allowed to change the no-reference-type requirement"));
        }
    }

    fn same_types(
        &mut self,
        own: &[VarId],
        base: &[VarId],
        to_own: &Instance,
        what: &str,
        kind: &str,
    ) {
        for (&o, &b) in own.iter().zip(base) {
            let v = &self.program.vars[o];
            let (span, name, ty, ghost) = (v.span, self.text(v.name), v.ty, v.ghost);
            let bv = &self.program.vars[b];
            let (want, base_ghost) = (to_own.apply(self, bv.ty), bv.ghost);
            let want = self.expand(want);
            if ghost != base_ghost {
                let (from, to) = if base_ghost {
                    ("ghost", "non-ghost")
                } else {
                    ("non-ghost", "ghost")
                };
                self.error(span, format!("{what} '{name}' of {kind} cannot be changed, compared to in the overridden {kind}, from {from} to {to}"));
            } else if self.expand(ty) != want {
                let message = format!(
                    "the type of {what} '{name}' is different from the type of the corresponding {what} in trait {kind} ('{}' instead of '{}')",
                    self.program.show_type(ty),
                    self.program.show_type(want)
                );
                self.error(span, message);
            }
        }
    }

    /// Everything without a body is implemented; traits may leave it to others.
    fn check_implemented(&mut self, decl: DeclId, inherited: &[Inherited], conflicts: &[Symbol]) {
        let d = &self.program.decls[decl];
        if matches!(
            d.kind,
            TypeDeclKind::Trait { .. } | TypeDeclKind::Abstract(_)
        ) {
            return;
        }
        let (span, own) = (d.span, self.text(d.name));
        let what = self.decl_kind_word(decl);
        for &base in inherited {
            let b = &self.program.members[base.member];
            let callable = matches!(b.kind, MemberKind::Function(_) | MemberKind::Method(_));
            if !callable
                || b.is_static
                || conflicts.contains(&b.name)
                || self.has_body(base.member)
                || self.type_members.contains_key(&(decl, b.name))
                || self.has_attribute(base.member, "extern")
            {
                continue;
            }
            let word = match &b.kind {
                MemberKind::Function(_) => "function",
                _ => "method",
            };
            let name = self.text(b.name);
            let trait_name = self.trait_name(base);
            self.error(
                span,
                format!("{what} '{own}' does not implement trait {word} '{trait_name}.{name}'"),
            );
        }
    }

    pub(crate) fn has_attribute(&self, member: MemberId, name: &str) -> bool {
        let Some(syntax) = self.member_syntax.get(&member) else {
            return false;
        };
        let attrs = syntax.attrs.iter();
        attrs
            .into_iter()
            .any(|a| self.program.text(a.name.sym) == name)
    }
}

fn same_kind(base: &str, own: &str) -> bool {
    let plain = |word: &'static str| match word {
        "predicate" => "function",
        "twostate predicate" => "twostate function",
        other => other,
    };
    // Lifetimes: both words are literals.
    let find = |word: &str| {
        ["predicate", "twostate predicate"]
            .into_iter()
            .find(|&w| w == word)
            .map(plain)
    };
    find(base).unwrap_or(base) == find(own).unwrap_or(own)
}

/// How types of a trait's member look in an heir.
struct Instance {
    params: Vec<TypeParamId>,
    args: Vec<Ty>,
}

impl Instance {
    fn new(
        r: &Resolver<'_>,
        _own: MemberId,
        base: Inherited,
        own_params: &[TypeParamId],
        base_params: &[TypeParamId],
    ) -> Self {
        let mut params = r.program.owner_params(base.member).to_vec();
        let mut args = r.program.types.children(base.owner);
        params.extend(base_params);
        args.extend(r.own_args(own_params));
        Instance { params, args }
    }

    fn apply(&self, r: &Resolver<'_>, ty: Ty) -> Ty {
        r.program.instantiate(ty, &self.params, &self.args)
    }
}
