//! Scopes of local names, and what encloses the code being resolved.

use crate::tree::{DeclId, LabelId, MemberId, ModuleId, StmtId, Ty, TypeParamId, VarId};
use stet_base::Symbol;

/// Local variables and type parameters, innermost last.
#[derive(Default, Debug)]
pub(crate) struct Scope {
    vars: Vec<(Symbol, VarId)>,
    pub(crate) type_params: Vec<(Symbol, TypeParamId)>,
    labels: Vec<(Symbol, LabelId)>,
    /// Labels that are out of scope, in the same body.
    earlier_labels: Vec<(Symbol, LabelId)>,
}

/// A position to return to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    vars: usize,
    labels: usize,
}

impl Scope {
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            vars: self.vars.len(),
            labels: self.labels.len(),
        }
    }

    pub(crate) fn reset(&mut self, mark: Mark) {
        self.vars.truncate(mark.vars);
        let gone = mark.labels.min(self.labels.len());
        self.earlier_labels.extend(self.labels.drain(gone..));
    }

    pub(crate) fn clear(&mut self) {
        self.vars.clear();
        self.labels.clear();
        self.earlier_labels.clear();
        self.type_params.clear();
    }

    pub(crate) fn declare(&mut self, name: Symbol, var: VarId) {
        self.vars.push((name, var));
    }

    pub(crate) fn find(&self, name: Symbol) -> Option<VarId> {
        let found = self.vars.iter().rev().find(|&&(n, _)| n == name);
        found.map(|&(_, var)| var)
    }

    /// Whether the name is declared since the mark.
    pub(crate) fn declared_since(&self, mark: Mark, name: Symbol) -> bool {
        self.vars[mark.vars.min(self.vars.len())..]
            .iter()
            .any(|&(n, _)| n == name)
    }

    pub(crate) fn find_type_param(&self, name: Symbol) -> Option<TypeParamId> {
        let found = self.type_params.iter().rev().find(|&&(n, _)| n == name);
        found.map(|&(_, param)| param)
    }

    pub(crate) fn declare_label(&mut self, name: Symbol, label: LabelId) {
        self.labels.push((name, label));
    }

    pub(crate) fn find_label(&self, name: Symbol) -> Option<LabelId> {
        let found = self.labels.iter().rev().find(|&&(n, _)| n == name);
        found.map(|&(_, label)| label)
    }

    /// A label that may be of a branch that was left: revealing what it names adds nothing here.
    pub(crate) fn find_any_label(&self, name: Symbol) -> Option<LabelId> {
        let earlier = || {
            let mut all = self.earlier_labels.iter().rev();
            all.find(|&&(n, _)| n == name).map(|&(_, label)| label)
        };
        self.find_label(name).or_else(earlier)
    }
}

/// A loop or labelled statement that `break` can name.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) labels: Vec<Symbol>,
    pub(crate) stmt: StmtId,
    pub(crate) is_loop: bool,
}

/// What encloses the code being resolved.
#[derive(Default, Debug)]
pub(crate) struct Frame {
    pub(crate) module: Option<ModuleId>,
    pub(crate) decl: Option<DeclId>,
    pub(crate) member: Option<MemberId>,
    /// No `this`.
    pub(crate) is_static: bool,
    pub(crate) this_type: Option<Ty>,
    /// Two states can be mentioned: method bodies and postconditions, two-state functions and lemmas.
    pub(crate) two_state: bool,
    pub(crate) outs: Vec<VarId>,
    pub(crate) targets: Vec<Target>,
    pub(crate) ghost_context: bool,
    /// In the body of a method, iterator or constructor: names of results can be assigned.
    pub(crate) in_method: bool,
    /// The iterator whose body this is.
    pub(crate) iterator: Option<DeclId>,
    /// Inside a constructor before `new;`.
    pub(crate) before_new: bool,
}
