//! Refinement: merging the syntax of a module with that of its base.

use super::Resolver;
use crate::ast::{
    Decl, Formal, Function, Member, MemberKind, Method, Name, Spec, TypeDecl, TypeDeclKind,
};
use stet_base::FastMap;

fn name_of(decl: &Decl) -> Option<Name> {
    match decl {
        Decl::Type(t) => Some(t.name),
        Decl::Member(m) => Some(m.name),
        _ => None,
    }
}

impl Resolver<'_> {
    /// The base's declarations, each merged with the refining module's of the same name, then the new ones.
    pub(crate) fn merge_decls(&mut self, base: Vec<Decl>, own: Vec<Decl>) -> Vec<Decl> {
        let mut by_name = FastMap::default();
        let mut merged: Vec<Decl> = base;
        for (i, decl) in merged.iter().enumerate() {
            if let Some(name) = name_of(decl) {
                by_name.insert(name.sym, i);
            }
        }
        for decl in own {
            let at = name_of(&decl).and_then(|name| by_name.get(&name.sym).copied());
            match at {
                Some(i) => {
                    let old = merged[i].clone();
                    merged[i] = self.merge_decl(old, decl);
                }
                None => merged.push(decl),
            }
        }
        merged
    }

    fn merge_decl(&mut self, base: Decl, own: Decl) -> Decl {
        match (base, own) {
            (Decl::Member(base), Decl::Member(own)) => {
                Decl::Member(Box::new(self.merge_member(*base, *own)))
            }
            (Decl::Type(base), Decl::Type(own)) => {
                Decl::Type(Box::new(self.merge_type(*base, *own)))
            }
            (_, own) => own,
        }
    }

    fn merge_type(&mut self, base: TypeDecl, mut own: TypeDecl) -> TypeDecl {
        self.check_refined_type(&base, &own);
        if let (TypeDeclKind::Iterator(_), TypeDeclKind::Iterator(_)) = (&base.kind, &own.kind) {
            self.error(own.name.span, "not supported: refining an iterator");
        }
        if let TypeDeclKind::Abstract(_) = base.kind {
            // An abstract type may become anything, but keeps its members.
            own.members = self.merge_members(base.members, own.members);
            own.refining = false;
            return own;
        }
        if own.refining {
            own.kind = base.kind;
            if own.params.is_empty() {
                own.params = base.params;
            }
            own.parents = base.parents.into_iter().chain(own.parents).collect();
        } else if matches!(
            (&base.kind, &own.kind),
            (TypeDeclKind::Class, TypeDeclKind::Class) | (TypeDeclKind::Trait, TypeDeclKind::Trait)
        ) {
            own.parents = base.parents.into_iter().chain(own.parents).collect();
        }
        own.members = self.merge_members(base.members, own.members);
        own.refining = false;
        own
    }

    /// What may replace a type of the refined module.
    fn check_refined_type(&mut self, base: &TypeDecl, own: &TypeDecl) {
        let name = self.text(own.name.sym);
        let refined = self
            .merging
            .map(|m| self.text(self.program.modules[m].name));
        let refined = refined.unwrap_or_default();
        let (base_word, own_word) = (type_word(base), type_word(own));
        let synonym = |word: &str| matches!(word, "type synonym" | "subset type");
        if matches!(base.kind, TypeDeclKind::Abstract(_)) {
            self.check_refined_params(base, own);
            return;
        }
        if matches!(own.kind, TypeDeclKind::Abstract(_)) {
            self.error(own.name.span, format!("an abstract type declaration ({name}) in a refining module cannot replace a more specific type declaration in the refinement base"));
        } else if synonym(own_word) {
            if synonym(base_word) {
                self.error(own.name.span, format!("a {own_word} ({name}) is not allowed to replace a {base_word} from the refined module ({refined}), even if it denotes the same type"));
            } else {
                self.error(own.name.span, format!("a {own_word} ({name}) is not allowed to replace a {base_word} from the refined module ({refined})"));
            }
        } else if own_word != base_word {
            self.error(own.name.span, format!("a {own_word} declaration ({name}) in a refinement module can only refine a {own_word} declaration or replace an abstract type declaration"));
        } else {
            self.check_refined_params(base, own);
        }
    }

    fn check_refined_params(&mut self, base: &TypeDecl, own: &TypeDecl) {
        let name = self.text(own.name.sym);
        let word = match type_word(own) {
            "type synonym" | "subset type" => "type",
            other => other,
        };
        if base.params.len() != own.params.len() {
            if own.refining && own.params.is_empty() {
                return;
            }
            self.error(own.name.span, format!("{word} '{name}' is declared with a different number of type parameters ({} instead of {}) than the corresponding {word} in the module it refines", own.params.len(), base.params.len()));
            return;
        }
        for (b, o) in base.params.iter().zip(&own.params) {
            if b.name.sym != o.name.sym {
                let (expected, found) = (self.text(b.name.sym), self.text(o.name.sym));
                self.error(o.name.span, format!("type parameters are not allowed to be renamed from the names given in the {word} in the module being refined (expected '{expected}', found '{found}')"));
            }
        }
    }

    fn merge_members(&mut self, base: Vec<Member>, own: Vec<Member>) -> Vec<Member> {
        let base = base
            .into_iter()
            .map(|m| Decl::Member(Box::new(m)))
            .collect();
        let own = own.into_iter().map(|m| Decl::Member(Box::new(m))).collect();
        let merged = self.merge_decls(base, own);
        merged
            .into_iter()
            .filter_map(|decl| match decl {
                Decl::Member(m) => Some(*m),
                _ => None,
            })
            .collect()
    }

    fn merge_member(&mut self, base: Member, mut own: Member) -> Member {
        own.mods.is_static = own.mods.is_static.or(base.mods.is_static);
        let kind = match (base.kind, own.kind) {
            (MemberKind::Function(base), MemberKind::Function(new)) => {
                if base.body.is_some() && new.body.is_some() {
                    let word = if new.is_predicate {
                        "predicate"
                    } else {
                        "function"
                    };
                    self.error(
                        own.name.span,
                        format!("a refining {word} is not allowed to extend/change the body"),
                    );
                }
                MemberKind::Function(Box::new(merge_function(*base, *new)))
            }
            (MemberKind::Method(base), MemberKind::Method(new)) => {
                if let (Some(_), Some(item)) = (new.spec.reads.given, new.spec.reads.items.first())
                {
                    let span = self.ast.exprs[item.expr].tok;
                    self.error(
                        span,
                        "a refining method is not allowed to extend the reads clause",
                    );
                }
                MemberKind::Method(Box::new(merge_method(*base, *new)))
            }
            (MemberKind::Const(ty, value, _), MemberKind::Const(new_ty, new_value, _)) => {
                MemberKind::Const(new_ty.or(ty), new_value.or(value), false)
            }
            (_, own) => own,
        };
        Member {
            kind,
            name: own.name,
            mods: own.mods,
            attrs: own.attrs.into_iter().chain(base.attrs).collect(),
            span: own.span,
            verify: own.verify,
        }
    }
}

/// What messages call a declared type.
fn type_word(decl: &TypeDecl) -> &'static str {
    match &decl.kind {
        TypeDeclKind::Class => "class",
        TypeDeclKind::Trait => "trait",
        TypeDeclKind::Datatype { co: false, .. } => "datatype",
        TypeDeclKind::Datatype { co: true, .. } => "codatatype",
        TypeDeclKind::Newtype(_) => "newtype",
        TypeDeclKind::Subset(_) => "subset type",
        TypeDeclKind::Synonym(_) => "type synonym",
        TypeDeclKind::Abstract(_) => "abstract type",
        TypeDeclKind::Iterator(_) => "iterator",
    }
}

fn merge_spec(mut base: Spec, own: Spec) -> Spec {
    base.requires.extend(own.requires);
    base.ensures.extend(own.ensures);
    base.invariants.extend(own.invariants);
    if own.reads.given.is_some() {
        base.reads.given = own.reads.given;
        base.reads.items.extend(own.reads.items);
    }
    if own.modifies.given.is_some() {
        base.modifies.given = own.modifies.given;
        base.modifies.items.extend(own.modifies.items);
    }
    if own.decreases.given.is_some() {
        base.decreases = own.decreases;
    }
    base
}

/// Parameters keep the default values of the refined module.
fn inherit_defaults(own: &mut [Formal], base: &[Formal]) {
    for (own, base) in own.iter_mut().zip(base) {
        own.default = own.default.or(base.default);
    }
}

fn merge_function(base: Function, own: Function) -> Function {
    let signature = if own.refining {
        base.clone()
    } else {
        own.clone()
    };
    let mut ins = signature.ins;
    inherit_defaults(&mut ins, &base.ins);
    Function {
        ins,
        result_name: signature.result_name.or(base.result_name),
        spec: merge_spec(base.spec, own.spec),
        body: own.body.or(base.body),
        by_method: own.by_method.or(base.by_method),
        refining: false,
        ..signature
    }
}

fn merge_method(base: Method, own: Method) -> Method {
    let signature = if own.refining {
        base.clone()
    } else {
        own.clone()
    };
    let mut ins = signature.ins;
    inherit_defaults(&mut ins, &base.ins);
    Method {
        ins,
        spec: merge_spec(base.spec, own.spec),
        after_new: if own.body.is_some() {
            own.after_new
        } else {
            base.after_new
        },
        body: own.body.or(base.body),
        refining: false,
        ..signature
    }
}
