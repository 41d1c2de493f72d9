//! Datatypes that have values: some constructor whose arguments exist already. A datatype without values is remarked upon;
//! one that occurs left of an arrow in its own constructors is refused.

use super::Resolver;
use crate::tree::{DeclId, Ty, TyKind, TypeDeclKind, TypeParamId};
use stet_base::FastMap;
use stet_diag::Diagnostic;

/// How deep types are looked into.
const MAX_DEPTH: u32 = 50;

/// How many ways to make a value are told apart; a type with more certainly has values.
const MAX_WAYS: usize = 16;

/// Ways to make a value: for each, of which type parameters values are needed, as bits. None: there is no value.
type Ways = Vec<u64>;

/// How values of the datatypes are made.
type Ground = FastMap<DeclId, Ways>;

impl Resolver<'_> {
    pub(crate) fn check_datatypes(&mut self) {
        let decls: Vec<DeclId> = self.program.decls.ids().collect();
        let mut ground = Ground::default();
        loop {
            let mut changed = false;
            for &decl in &decls {
                changed |= self.find_ways(decl, &mut ground);
            }
            if !changed {
                break;
            }
        }
        for decl in decls {
            let is_datatype = !self.program.ctors_of(decl).is_empty();
            if is_datatype && !ground.contains_key(&decl) {
                self.warn_empty(decl);
            }
            self.check_positivity(decl);
        }
    }

    /// Adds the ways to make a value of a datatype that the ways known so far give; whether there are new ones.
    fn find_ways(&mut self, decl: DeclId, ground: &mut Ground) -> bool {
        if ground.get(&decl).is_some_and(|ways| *ways == [0]) {
            return false;
        }
        let ctors = self.program.ctors_of(decl).to_vec();
        let kind = &self.program.decls[decl].kind;
        let co = matches!(kind, TypeDeclKind::Datatype { co: true, .. });
        let params = &self.program.decls[decl].params;
        let mut first = None;
        let mut ways = if co { vec![0] } else { Ways::new() };
        for &ctor in &ctors {
            let formals = &self.program.ctors[ctor].formals;
            let types = formals.iter().map(|&f| self.program.vars[f].ty);
            let found = self.ways_of_all(types, params, ground, 0);
            if !found.is_empty() {
                first = first.or(Some(ctor));
            }
            ways.extend(found);
        }
        let ways = least(ways);
        if ways.is_empty() || ground.get(&decl) == Some(&ways) {
            return false;
        }
        if ground.insert(decl, ways).is_none()
            && let TypeDeclKind::Datatype { grounding_ctor, .. } =
                &mut self.program.decls[decl].kind
        {
            *grounding_ctor = first.or(ctors.first().copied());
        }
        true
    }

    /// The ways to make a value of each of these types.
    fn ways_of_all(
        &self,
        types: impl Iterator<Item = Ty>,
        params: &[TypeParamId],
        ground: &Ground,
        depth: u32,
    ) -> Ways {
        let mut all = vec![0];
        for ty in types {
            let next = self.ways_of(ty, params, ground, depth);
            let both = |a: &u64| next.iter().map(|b| a | b).collect::<Vec<u64>>();
            all = least(all.iter().flat_map(both).collect());
        }
        all
    }

    /// The ways to make a value of a type.
    fn ways_of(&self, ty: Ty, params: &[TypeParamId], ground: &Ground, depth: u32) -> Ways {
        if depth > MAX_DEPTH {
            return vec![0];
        }
        match &*self.program.types.kind(self.program.base_type(ty)) {
            TyKind::Param(p) => match params.iter().position(|q| q == p) {
                Some(at) if at < 64 => vec![1 << at],
                _ => vec![0],
            },
            TyKind::Named { decl, args, .. } if !self.program.ctors_of(*decl).is_empty() => {
                let mut all = Ways::new();
                for way in ground.get(decl).into_iter().flatten() {
                    let needed = args.iter().enumerate();
                    let needed = needed.filter(|(i, _)| *i < 64 && way >> i & 1 == 1);
                    let types = needed.map(|(_, &arg)| arg);
                    all.extend(self.ways_of_all(types, params, ground, depth + 1));
                }
                least(all)
            }
            TyKind::Tuple(items, _) => {
                self.ways_of_all(items.iter().copied(), params, ground, depth + 1)
            }
            _ => vec![0],
        }
    }

    fn warn_empty(&mut self, decl: DeclId) {
        let declared = &self.program.decls[decl];
        let (module, span) = (declared.module, declared.span);
        let name = self.text(declared.name);
        let message = format!(
            "because of cyclic dependencies among constructor argument types, no instances of datatype '{name}' can be constructed"
        );
        let diagnostic = Diagnostic::warning("dafny/empty-datatype", message).at(span);
        self.diagnostics.push(diagnostic);
        self.blamed.push(module);
    }

    fn check_positivity(&mut self, decl: DeclId) {
        let name = self.text(self.program.decls[decl].name);
        for ctor in self.program.ctors_of(decl).to_vec() {
            for formal in self.program.ctors[ctor].formals.clone() {
                if self.left_of_arrow(self.program.vars[formal].ty, decl, false, 0) {
                    let at = self.program.vars[formal].span;
                    self.error(at, format!("datatype '{name}' is used in its own definition to the left of an arrow, which violates strict positivity"));
                }
            }
        }
    }

    fn left_of_arrow(&self, ty: Ty, decl: DeclId, left: bool, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        match &*self.program.types.kind(ty) {
            TyKind::Arrow { params, result, .. } => {
                params
                    .iter()
                    .any(|&p| self.left_of_arrow(p, decl, true, depth + 1))
                    || self.left_of_arrow(*result, decl, left, depth + 1)
            }
            TyKind::Named { decl: d, args, .. } => {
                (left && *d == decl)
                    || args
                        .iter()
                        .any(|&a| self.left_of_arrow(a, decl, left, depth + 1))
            }
            _ => {
                let children = self.program.types.children(ty);
                children
                    .into_iter()
                    .any(|c| self.left_of_arrow(c, decl, left, depth + 1))
            }
        }
    }
}

/// Ways without those that need more than another.
fn least(mut ways: Ways) -> Ways {
    ways.sort_unstable();
    ways.dedup();
    let all = ways.clone();
    ways.retain(|a| !all.iter().any(|b| b != a && a & b == *b));
    match ways.len() > MAX_WAYS {
        true => vec![0],
        false => ways,
    }
}
