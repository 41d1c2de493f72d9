//! Types that replace abstract types of a refined module keep what those promise: `type T(00)` is not replaced by a type
//! that may be empty. Proofs of the refined module rely on it and are not repeated.

use super::Resolver;
use crate::tree::{Characteristics, DeclId, ModuleId, TyKind, TypeDeclKind};

impl Resolver<'_> {
    /// Checks the types of modules that refine others.
    pub(crate) fn check_refined_types(&mut self) {
        for decl in self.sound_decls() {
            let Some((base, want)) = self.replaced(decl) else {
                continue;
            };
            let d = &self.program.decls[decl];
            let (module, span) = (d.module, d.span);
            self.frame.module = Some(module);
            let args = d.params.iter();
            let args = args.map(|&p| self.program.types.intern(TyKind::Param(p)));
            let ty = TyKind::Named {
                decl,
                args: args.collect(),
                nullable: false,
            };
            let ty = self.program.types.intern(ty);
            let Some((lack, _)) = self.lacks(want, ty, false) else {
                continue;
            };
            let lack = match lack {
                "support nonempty" => "be nonempty",
                other => other,
            };
            let (above, own) = (self.qualified(base), self.qualified(decl));
            let word = self.decl_kind_word(decl);
            let promised = promises(want);
            self.error(
                span,
                format!("to be a refinement of abstract type '{above}' declared with ({promised}), {word} '{own}' must {lack}"),
            );
        }
    }

    /// The abstract type of a refined module that a type replaces, and what it promises.
    fn replaced(&self, decl: DeclId) -> Option<(DeclId, Characteristics)> {
        let d = &self.program.decls[decl];
        let mut at = self.program.modules[d.module].refines;
        let mut seen: Vec<ModuleId> = Vec::new();
        while let Some(module) = at.filter(|m| !seen.contains(m)) {
            seen.push(module);
            let mut all = self.program.decls.iter();
            let found = all.find(|(_, b)| b.module == module && b.name == d.name);
            // What is copied from the refined module is the same declaration.
            if let Some((base, b)) = found
                && b.span != d.span
                && let TypeDeclKind::Abstract(want) = b.kind
            {
                return Some((base, want));
            }
            at = self.program.modules[module].refines;
        }
        None
    }

    fn qualified(&self, decl: DeclId) -> String {
        let d = &self.program.decls[decl];
        let module = self.program.modules[d.module].name;
        format!("{}.{}", self.text(module), self.text(d.name))
    }
}

fn promises(c: Characteristics) -> String {
    let all = [
        (c.equality, "=="),
        (c.auto_init, "0"),
        (c.nonempty && !c.auto_init, "00"),
        (c.no_references, "!new"),
    ];
    let given: Vec<&str> = all.iter().filter(|(is, _)| *is).map(|(_, t)| *t).collect();
    given.join(",")
}
