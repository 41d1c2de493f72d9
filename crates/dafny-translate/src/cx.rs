//! The state of a translation: declarations made so far, what the prelude must hold, instances still to be made.
//!
//! Generic declarations are translated once for every list of type arguments they are used with; those arguments are
//! part of the names. A name depends on the path of a declaration and on type arguments only: no edit elsewhere
//! changes it.

use crate::decl::{Decl, Procedure};
use crate::prelude::Chunk;
use crate::tree::{B, Name, Node, Sort, children, var};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use stet_base::{FastMap, FastSet, Span};
use stet_dafny::tree::source::Given;
use stet_dafny::tree::{
    DeclId, ExprId, ExprKind, LabelId, MemberId, ModuleId, Program, Ty, TypeParamId, VarId,
};

/// Something that this translation does not support, at its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub what: String,
}

/// How deeply type arguments may nest; a polymorphic recursion would go on for ever.
const MAX_TYPE_DEPTH: u32 = 24;

/// A member with arguments for the type parameters of its owner and its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Instance {
    pub(crate) member: MemberId,
    /// Arguments of the owner's type parameters, then of the member's.
    pub(crate) args: Vec<Ty>,
}

/// What remains to be declared.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Work {
    Function(Instance),
    /// The specification of a method as callers see it.
    Call(Instance),
    /// The same for calls whose preconditions were shown elsewhere.
    Shown(Instance),
    /// A datatype by the types of its arguments' representations.
    Datatype(DeclId, Vec<Ty>),
    Const(Instance),
    Field(Instance),
    Class(Ty),
    IsPredicate(Ty),
    AllocPredicate(Ty),
    Rank(Ty),
    /// Equality of values of a datatype or tuple that holds collections.
    Equality(Ty),
    ArrayElements(Ty, u32),
    /// Equality of codata up to a depth; the depth is an ordinal or a number.
    PrefixEq(Ty, bool),
    /// The specification of a prefix lemma as callers see it.
    PrefixCall(Instance),
    Sort(Name),
}

/// The types that type parameters stand for.
pub(crate) type Subst = Rc<Vec<(TypeParamId, Ty)>>;

/// What expressions are translated in.
#[derive(Clone)]
pub(crate) struct Env {
    pub(crate) heap: B,
    /// The heap that `old` means.
    pub(crate) old: B,
    pub(crate) labels: FastMap<LabelId, B>,
    pub(crate) this: Option<B>,
    /// In the first part of a constructor: the local variables that hold the fields of `this`.
    pub(crate) construction: Option<Rc<FastMap<MemberId, Name>>>,
    pub(crate) vars: FastMap<VarId, B>,
    pub(crate) subst: Subst,
    pub(crate) fuel: B,
    /// The strongly connected component being checked.
    pub(crate) scc: u32,
    /// Names of bound variables in use, so that no two on a path are equal.
    pub(crate) bound: Rc<BTreeMap<String, u32>>,
    /// Whether the expression is assumed: its quantifiers are matched by terms with one layer.
    pub(crate) assumed: bool,
    /// Whether `heap` is the state in which the expression is evaluated, not an earlier one.
    pub(crate) is_current: bool,
    /// How program text names what variables stand for.
    pub(crate) given: Rc<Given>,
    /// Which predicates and equalities mean their prefixes.
    pub(crate) focus: Option<Rc<crate::extreme::Focus>>,
    /// Functions whose bodies are hidden here.
    pub(crate) hidden: Rc<crate::hide::Hidden>,
}

pub(crate) struct Cx<'a> {
    pub(crate) p: &'a Program,
    pub(crate) decls: Vec<Decl>,
    pub(crate) chunks: BTreeSet<Chunk>,
    pub(crate) errors: Vec<Unsupported>,
    work: VecDeque<Work>,
    seen: FastSet<Work>,
    /// For each function in the Boogie program: its component, for the assumption that it is defined.
    pub(crate) known: BTreeMap<Name, u32>,
    pub(crate) constrained: FastMap<Ty, bool>,
    pub(crate) extensional: FastMap<Ty, bool>,
    pub(crate) heap_readers: FastMap<MemberId, bool>,
    /// Functions made from contents (choices), by name.
    pub(crate) made: BTreeSet<Name>,
    /// The sorts of variables of implementations and axioms, by name.
    pub(crate) var_sorts: FastMap<Name, Sort>,
    /// Local variables that were given literals, with the layers that functions of them need.
    pub(crate) literals: FastMap<Name, u32>,
    /// Procedures with bodies, with their components and modules.
    pub(crate) verified: Vec<(Procedure, u32, Option<ModuleId>)>,
    /// The module whose declarations are being verified.
    pub(crate) module: Option<ModuleId>,
    /// Functions whose bodies some modules or proofs do not see, by name.
    pub(crate) provided: BTreeMap<Name, MemberId>,
    /// What some statement hides.
    pub(crate) hidden_somewhere: crate::hide::Hidden,
    /// Procedures of callees that change the heap.
    pub(crate) heap_modifiers: BTreeSet<Name>,
    /// Whether variables of types with default values need no assignment.
    pub(crate) relaxed: bool,
    /// A quantifier over all values of a type parameter, if there is one.
    pub(crate) unbounded_generic: Option<Span>,
    /// Whether values of type parameters satisfy a predicate that nothing is known of, so that the type may be empty.
    pub(crate) guarded: bool,
    /// Whether that is needed: a type that may be empty is an argument.
    pub(crate) wants_guard: bool,
    /// Which symbols lead to which.
    pub(crate) graph: std::cell::OnceCell<BTreeMap<Name, BTreeSet<Name>>>,
    /// The variables that some statement assigns.
    pub(crate) assigned: std::cell::OnceCell<FastSet<VarId>>,
    /// What `{:fuel}` asks for where the translation is.
    pub(crate) fuels: crate::fuel::Fuels,
    /// The functions that a symbol leads to.
    pub(crate) reach: std::cell::RefCell<BTreeMap<Name, BTreeSet<Name>>>,
    /// Whether the program has functions or lemmas of two states.
    pub(crate) has_two_states: bool,
    /// Whether the program has function values that may read the heap.
    pub(crate) has_general: bool,
    /// Whether assertions are marked `{:only}`.
    pub(crate) has_only: bool,
    /// Whether checks are to say what they assert.
    pub(crate) explains: bool,
    /// Preconditions of methods as program text, by the starts of the call and of the clause.
    pub(crate) call_texts: BTreeMap<(u32, u32), String>,
    /// Where the translation is, for messages about what has no place of its own.
    pub(crate) here: Span,
}

impl<'a> Cx<'a> {
    pub(crate) fn new(p: &'a Program, here: Span) -> Self {
        Cx {
            p,
            decls: Vec::new(),
            chunks: BTreeSet::new(),
            errors: Vec::new(),
            work: VecDeque::new(),
            seen: FastSet::default(),
            known: BTreeMap::new(),
            constrained: FastMap::default(),
            extensional: FastMap::default(),
            heap_readers: FastMap::default(),
            made: BTreeSet::new(),
            var_sorts: FastMap::default(),
            literals: FastMap::default(),
            verified: Vec::new(),
            module: None,
            provided: BTreeMap::new(),
            hidden_somewhere: crate::hide::hidden_somewhere(p),
            heap_modifiers: BTreeSet::new(),
            relaxed: false,
            fuels: Vec::new(),
            assigned: std::cell::OnceCell::new(),
            has_two_states: crate::two_states::has_two_states(p),
            has_general: crate::arrows::has_general(p),
            has_only: crate::only::is_used(p),
            unbounded_generic: crate::empty::unbounded_generic(p),
            guarded: false,
            explains: false,
            call_texts: BTreeMap::new(),
            wants_guard: false,
            graph: std::cell::OnceCell::new(),
            reach: std::cell::RefCell::default(),
            here,
        }
    }

    /// Records that something is not supported; translation goes on to find more.
    pub(crate) fn unsupported(&mut self, span: Span, what: impl Into<String>) {
        let what = what.into();
        let error = Unsupported { span, what };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    pub(crate) fn need(&mut self, chunk: Chunk) {
        self.chunks.insert(chunk);
    }

    pub(crate) fn request(&mut self, work: Work) {
        if self.seen.insert(work.clone()) {
            self.work.push_back(work);
        }
    }

    pub(crate) fn next_work(&mut self) -> Option<Work> {
        self.work.pop_front()
    }

    /// The type with the type parameters of `env` replaced.
    pub(crate) fn subst(&mut self, subst: &Subst, ty: Ty) -> Ty {
        let new = if subst.is_empty() {
            ty
        } else {
            self.p.types.substitute(ty, &|param| {
                subst.iter().find(|(p, _)| *p == param).map(|(_, t)| *t)
            })
        };
        if self.depth(new, 0) > MAX_TYPE_DEPTH {
            self.unsupported(self.here, "recursion at ever larger types");
            return self.p.types.int;
        }
        new
    }

    fn depth(&self, ty: Ty, at: u32) -> u32 {
        if at > MAX_TYPE_DEPTH {
            return at;
        }
        let children = self.p.types.children(ty);
        children
            .into_iter()
            .map(|c| self.depth(c, at + 1))
            .max()
            .unwrap_or(at)
    }

    /// The substitution that an instance stands for.
    pub(crate) fn subst_of(&self, instance: &Instance) -> Subst {
        let owner = self.p.owner_params(instance.member).iter();
        let own = self.p.type_params_of(instance.member).iter();
        Rc::new(
            owner
                .chain(own)
                .copied()
                .zip(instance.args.iter().copied())
                .collect(),
        )
    }

    /// The instance whose type parameters stand for themselves.
    pub(crate) fn generic(&self, member: MemberId) -> Instance {
        let owner = self.p.owner_params(member).iter();
        let own = self.p.type_params_of(member).iter();
        let param = |&t: &TypeParamId| self.p.types.intern(stet_dafny::tree::TyKind::Param(t));
        Instance {
            member,
            args: owner.chain(own).map(param).collect(),
        }
    }

    /// The sort of a variable that axioms made from contents may depend on; nothing for constants.
    pub(crate) fn sort_of_var(&self, name: &str) -> Option<Sort> {
        if matches!(name, "$Heap" | "h" | "h0") {
            return Some(Sort::named("$HeapType"));
        }
        self.var_sorts.get(name).cloned()
    }

    /// The name of an instance.
    pub(crate) fn instance_name(&mut self, instance: &Instance) -> String {
        let mut name = self.p.member_path(instance.member);
        for &arg in &instance.args {
            name.push('$');
            name.push_str(&self.mangle(arg));
        }
        name
    }
}

impl Env {
    pub(crate) fn new(subst: Subst, scc: u32) -> Env {
        Env {
            heap: var("$Heap"),
            old: crate::tree::old(var("$Heap")),
            labels: FastMap::default(),
            this: None,
            construction: None,
            vars: FastMap::default(),
            subst,
            fuel: crate::functions::fuel(1),
            scc,
            bound: Rc::new(BTreeMap::new()),
            assumed: false,
            is_current: true,
            given: Rc::default(),
            focus: None,
            hidden: Rc::default(),
        }
    }

    /// A name for a bound variable that no enclosing binder uses.
    pub(crate) fn fresh_bound(&mut self, name: &str) -> Name {
        let bound = Rc::make_mut(&mut self.bound);
        let count = bound.entry(name.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 {
            format!("{name}~").into()
        } else {
            format!("{name}~{count}").into()
        }
    }

    /// Keeps the names that are bound inside an expression from being used around it.
    pub(crate) fn reserve(&mut self, e: &B) {
        let mut pending = vec![e.clone()];
        while let Some(e) = pending.pop() {
            if let Node::Quant { vars, .. } | Node::Lambda { vars, .. } = &*e {
                for (name, _) in vars {
                    if let Some((text, count)) = name.split_once('~') {
                        let count = count.parse().unwrap_or(1);
                        let bound = Rc::make_mut(&mut self.bound);
                        let known = bound.entry(text.to_owned()).or_insert(0);
                        *known = count.max(*known);
                    }
                }
            }
            pending.extend(children(&e).into_iter().cloned());
        }
    }

    /// The local variable that holds a field of `this` while it is being constructed.
    pub(crate) fn field_local(
        &self,
        p: &Program,
        object: ExprId,
        field: MemberId,
    ) -> Option<&Name> {
        let fields = self.construction.as_ref()?;
        matches!(p.exprs[object].kind, ExprKind::This)
            .then(|| fields.get(&field))
            .flatten()
    }

    /// The same place with another heap.
    pub(crate) fn at_heap(&self, heap: B) -> Env {
        Env {
            is_current: self.is_current && heap == self.heap,
            heap,
            ..self.clone()
        }
    }

    /// The same place with more fuel, for what is to be proved.
    pub(crate) fn with_fuel(&self, fuel: B) -> Env {
        Env {
            fuel,
            ..self.clone()
        }
    }
}
