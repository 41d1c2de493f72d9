//! Which declaration every name stands for, for editors: a pair of places for each name that was resolved.
//!
//! A declaration is known by the place of its name: copies of it in refining modules have the same one. Names that are one for
//! their readers are linked to each other: a member and what it overrides or refines, destructors of several constructors.

use super::{Entity, Resolver, TypeMember};
use crate::ast;
use crate::tree::{CtorId, LabelId, Link, MemberId, ModuleId, TypeParamId, VarId};
use stet_base::{Index, Span};

impl Resolver<'_> {
    fn link(&mut self, at: Span, of: Span) {
        if at != of {
            self.program.links.push(Link { at, of });
        }
    }

    pub(crate) fn link_var(&mut self, name: ast::Name, var: VarId) {
        self.link(name.span, self.program.vars[var].span);
    }

    pub(crate) fn link_param(&mut self, name: ast::Name, param: TypeParamId) {
        self.link(name.span, self.program.type_params[param].span);
    }

    pub(crate) fn link_label(&mut self, name: ast::Name, label: LabelId) {
        self.link(name.span, self.program.labels[label].span);
    }

    pub(crate) fn link_ctor(&mut self, name: ast::Name, ctor: CtorId) {
        self.link(name.span, self.program.ctors[ctor].span);
    }

    pub(crate) fn link_member(&mut self, name: ast::Name, member: MemberId) {
        self.link(name.span, self.program.members[member].span);
    }

    pub(crate) fn link_entity(&mut self, name: ast::Name, entity: Entity) {
        let of = match entity {
            Entity::Module(module) => self.program.modules[module].span,
            Entity::Type(decl) => self.program.decls[decl].span,
            Entity::Member(member) => self.program.members[member].span,
        };
        self.link(name.span, of);
    }

    pub(crate) fn link_type_member(&mut self, name: ast::Name, found: &TypeMember) {
        match found {
            TypeMember::Member(member) => self.link_member(name, *member),
            TypeMember::Discriminator(ctor) => self.link_ctor(name, *ctor),
            TypeMember::Destructor(ctors) => {
                let places = ctors.iter().filter_map(|&(ctor, position)| {
                    let formals = &self.program.ctors[ctor].formals;
                    let formal = *formals.get(position as usize)?;
                    Some(self.program.vars[formal].span)
                });
                let places: Vec<Span> = places.collect();
                for of in places {
                    self.link(name.span, of);
                }
            }
        }
    }

    /// The names of a path of modules that leads from `from`, or from a module around it.
    pub(crate) fn link_modules(&mut self, from: ModuleId, path: &[ast::Name]) {
        let Some(first) = path.first() else {
            return;
        };
        let mut scope = Some(from);
        while let Some(module) = scope {
            if let Some(&Entity::Module(start)) = self.modules[module.index()].own.get(&first.sym) {
                return self.link_path(start, path);
            }
            scope = self.program.modules[module].parent;
        }
    }

    /// The names of a path, the first of which stands for `start`.
    pub(crate) fn link_path(&mut self, start: ModuleId, path: &[ast::Name]) {
        let mut at = start;
        for (number, &name) in path.iter().enumerate() {
            if number > 0 {
                match self.modules[at.index()].own.get(&name.sym) {
                    Some(&Entity::Module(inner)) => at = inner,
                    _ => return,
                }
            }
            self.link_entity(name, Entity::Module(at));
        }
    }

    /// Members and what they override or refine.
    pub(crate) fn link_related(&mut self) {
        let mut found = Vec::new();
        for (_, member) in self.program.members.iter() {
            let others = member.overrides.iter().chain(&member.refines);
            found.extend(others.map(|&other| (member.span, self.program.members[other].span)));
        }
        for (_, decl) in self.program.decls.iter() {
            let other = decl.refines.map(|other| self.program.decls[other].span);
            found.extend(other.map(|other| (decl.span, other)));
        }
        for (at, of) in found {
            self.link(at, of);
        }
    }
}
