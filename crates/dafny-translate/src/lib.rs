//! Resolved Dafny programs to Boogie programs.
//!
//! [`translate`] makes one Boogie program of a resolved Dafny program: declarations for what the program declares, the
//! axioms of the prelude that it needs, and one implementation for everything that is to be checked. The translation is
//! monomorphic: every type has a sort of its own, generic declarations are made once for every list of type
//! arguments; only values in the heap are boxed.
//!
//! | file | holds |
//! |---|---|
//! | `types`, `data`, `codata`, `classes` | types, their predicates, datatypes, codatatypes, classes, constants |
//! | `expr`, `objects`, `operators`, `equality`, `collections`, `functions` | values of expressions |
//! | `wf`, `wf_calls`, `wf_collections`, `wf_more`, `newtypes`, `exist`, `frame`, `measure`, `consistency` | checks |
//! | `older` | `older` parameters |
//! | `defaults` | default values of parameters |
//! | `stmt`, `assign`, `loops`, `methods`, `overrides`, `construct` | statements and callables |
//! | `iterators` | the bodies of iterators |
//! | `extreme`, `two_states` | least and greatest predicates and lemmas; states that follow another |
//! | `split` | conditions taken apart |
//! | `only` | assertions that alone are checked |
//! | `hide` | functions whose bodies a proof hides |
//! | `trigger` | triggers of quantifiers |
//! | `hints`, `co_notes`, `explain` | what messages propose, and what checks assert as program text |
//! | `prelude` | axioms by feature |
//! | `tree`, `decl`, `lower` | the Boogie program |

mod arrows;
mod assign;
mod blocks;
mod calls;
mod classes;
mod co_notes;
mod codata;
mod collections;
mod consistency;
mod construct;
mod cx;
mod data;
mod decl;
mod defaults;
mod empty;
mod equality;
mod exist;
mod explain;
mod expr;
mod extreme;
mod forall;
mod frame;
mod fuel;
mod function_wf;
mod functions;
mod hide;
mod hints;
mod induction;
mod iterators;
mod known;
mod literals;
mod loops;
mod lower;
mod measure;
mod methods;
mod newtypes;
mod objects;
mod older;
mod only;
mod operators;
mod overrides;
mod prelude;
mod split;
mod stmt;
mod sums;
mod tree;
mod trigger;
mod two_states;
mod types;
mod walk;
mod wf;
mod wf_calls;
mod wf_collections;
mod wf_more;

pub use cx::Unsupported;
pub use lower::plain_message;

use cx::{Cx, Work};
use decl::Decl;
use std::collections::BTreeMap;
use stet_base::{SourceMap, Span};
use stet_dafny::tree::{DeclId, MemberId, MemberKind, ModuleId, Program};

/// A translated program.
pub struct Translation {
    /// The Boogie program, resolved and typed.
    pub program: stet_boogie::Program,
    /// What is not supported; if there is anything, nothing may be said about the program.
    pub unsupported: Vec<Unsupported>,
    /// Defects of the translation: messages of the Boogie front end.
    pub faults: Vec<String>,
    /// Places that belong to failing checks, by the start of the check and its message.
    pub related: BTreeMap<(u32, String), Vec<(Span, String)>>,
    /// What failing checks assert, as program text, if that was asked for.
    pub asserted: AssertedTexts,
}

/// What checks assert, as program text.
#[derive(Clone, Default, Debug)]
pub struct AssertedTexts {
    /// By the start of the check and its message.
    pub checks: BTreeMap<(u32, String), String>,
    /// Preconditions of methods, by the starts of the call and of the clause.
    pub calls: BTreeMap<(u32, u32), String>,
}

impl Translation {
    /// The same program once more: a front end takes it away.
    pub fn copy(&self) -> Translation {
        Translation {
            program: self.program.clone(),
            unsupported: Vec::new(),
            faults: Vec::new(),
            related: self.related.clone(),
            asserted: self.asserted.clone(),
        }
    }
}

/// A translated program as Boogie text.
pub fn boogie_text(program: &stet_boogie::Program) -> String {
    let mut program = program.clone();
    // Selectors and testers come with the constructors.
    let funcs = std::mem::take(&mut program.funcs);
    program.decls.retain(|decl| match decl {
        stet_boogie::Decl::Function(f) => !matches!(
            funcs[*f].datatype,
            stet_boogie::DatatypeRole::Selector { .. } | stet_boogie::DatatypeRole::Tester { .. }
        ),
        _ => true,
    });
    program.funcs = funcs;
    let options = stet_boogie::print::PrintOptions {
        pretty: false,
        bodies: stet_boogie::print::Bodies::Structured,
    };
    stet_boogie::print::print_program(&program, options)
}

/// Translates a program; `here` is where messages without a place of their own point.
pub fn translate(program: &Program, here: Span, options: stet_dafny::Options) -> Translation {
    stet_base::deep_stack(|| translate_here(program, here, options))
}

fn translate_here(program: &Program, here: Span, options: stet_dafny::Options) -> Translation {
    let mut cx = Cx::new(program, here);
    cx.explains = options.show_proof_obligation_expressions;
    if !translate_all(&mut cx, options) {
        return finish(cx, here);
    }
    if cx.wants_guard {
        cx = Cx::new(program, here);
        cx.explains = options.show_proof_obligation_expressions;
        cx.guarded = true;
        translate_all(&mut cx, options);
    }
    let mut verified = std::mem::take(&mut cx.verified);
    // What is found comes module by module, and in each in the order of the text: types between members.
    verified
        .sort_by_key(|(procedure, _, module)| (*module, procedure.span.file, procedure.span.start));
    let mut procedures = Vec::new();
    for (mut procedure, scc, module) in verified {
        known::assume_known(&mut procedure, scc, module, &cx);
        procedures.push(Decl::Procedure(Box::new(procedure)));
    }
    cx.decls.extend(procedures);
    finish(cx, here)
}

/// Makes all declarations; not if the program contradicts itself.
fn translate_all(cx: &mut Cx<'_>, options: stet_dafny::Options) -> bool {
    cx.relaxed = options.relax_definite_assignment;
    if !cx.refuse_inconsistent() {
        return false;
    }
    cx.verify_all();
    while let Some(work) = cx.next_work() {
        cx.declare(work);
    }
    true
}

fn finish(cx: Cx<'_>, here: Span) -> Translation {
    let mut boogie = stet_boogie::Program::default();
    let mut found = Vec::new();
    let mut sources = SourceMap::new();
    if let Some(file) = sources.add_made("<prelude>", prelude::text(&cx.chunks)) {
        found.extend(stet_boogie::parse(&mut boogie, &sources, file, &[]));
    }
    let nowhere = stet_boogie::nowhere(here);
    lower::forget_places(&mut boogie, nowhere);
    let mut lowering = lower::Lowering::new(&mut boogie, nowhere);
    for decl in &cx.decls {
        lowering.decl(decl);
    }
    let related = std::mem::take(&mut lowering.related);
    let asserted = AssertedTexts {
        checks: std::mem::take(&mut lowering.asserted),
        calls: cx.call_texts,
    };
    found.append(&mut lowering.messages);
    if cx.errors.is_empty() && found.is_empty() {
        let (resolved, messages) = stet_boogie::resolve(&mut boogie);
        found.extend(messages);
        if !found.iter().any(stet_diag::Diagnostic::is_error) {
            found.extend(stet_boogie::typecheck(&mut boogie, resolved));
        }
    }
    let errors = found.iter().filter(|d| d.is_error());
    Translation {
        faults: errors.map(|d| d.message.clone()).collect(),
        program: boogie,
        unsupported: cx.errors,
        related,
        asserted,
    }
}

/// `{:only}` on a member.
fn is_only(p: &Program, member: &stet_dafny::tree::Member) -> bool {
    member.attributes.iter().any(|a| p.text(a.name) == "only")
}

/// The files with members that alone are to be verified; a warning says so.
fn only_members(p: &Program) -> Vec<stet_base::FileId> {
    let all = p.members.iter();
    all.filter(|(_, m)| is_only(p, m))
        .map(|(_, m)| m.span.file)
        .collect()
}

impl Cx<'_> {
    /// Makes the implementations of everything that is to be verified.
    fn verify_all(&mut self) {
        let p = self.p;
        for (decl, declared) in p.decls.iter() {
            if p.modules[declared.module].verify && !self.is_copied_type(decl) {
                self.module = Some(declared.module);
                self.verify_type(decl);
                self.verify_ctor_defaults(decl);
            }
        }
        let only = only_members(p);
        for (member, declared) in p.members.iter() {
            let is_wanted = is_only(p, declared) || !only.contains(&declared.span.file);
            if !is_wanted || !declared.verify || self.is_skipped(&declared.attributes) {
                continue;
            }
            if self.copied_from(member).is_some() && !self.recurs_anew(member) {
                continue;
            }
            self.module = Some(declared.module);
            match &declared.kind {
                MemberKind::Function(_) => self.verify_function(member),
                MemberKind::Method(_) => self.verify_method(member),
                MemberKind::Const { .. } => self.verify_const(member),
                MemberKind::Field { .. } => {}
            }
        }
    }

    /// The member of a refined module that this one is a copy of: what was verified there holds here, as a refinement only
    /// adds to what is known. Recursion may be new: then the copy is verified too.
    pub(crate) fn copied_from(&self, member: MemberId) -> Option<MemberId> {
        let declared = &self.p.members[member];
        let bases = self.refined(declared.module);
        if bases.is_empty() {
            return None;
        }
        let mut all = self.p.members.iter();
        all.find(|(_, m)| {
            m.verify
                && m.span == declared.span
                && m.name == declared.name
                && bases.contains(&m.module)
        })
        .map(|(id, _)| id)
    }

    fn is_copied_type(&self, decl: DeclId) -> bool {
        let declared = &self.p.decls[decl];
        let bases = self.refined(declared.module);
        let mut all = self.p.decls.iter();
        let text = self.constraint_place(decl);
        let is_same = |id: DeclId, d: &stet_dafny::tree::TypeDecl| {
            // `newtype N ... { }` adds members only.
            let adds = d.name == declared.name && text.is_some();
            d.span == declared.span || (adds && self.constraint_place(id) == text)
        };
        !bases.is_empty() && all.any(|(id, d)| bases.contains(&d.module) && is_same(id, d))
    }

    /// Where the constraint of a type is written.
    fn constraint_place(&self, decl: DeclId) -> Option<Span> {
        use stet_dafny::tree::TypeDeclKind::{Newtype, Subset};
        match &self.p.decls[decl].kind {
            Newtype(c) | Subset(c) => c.constraint.map(|e| self.p.exprs[e].span),
            _ => None,
        }
    }

    /// The modules that a module refines, directly or not.
    fn refined(&self, module: ModuleId) -> Vec<ModuleId> {
        let mut found = Vec::new();
        let mut at = self.p.modules[module].refines;
        while let Some(base) = at.filter(|base| !found.contains(base)) {
            found.push(base);
            at = self.p.modules[base].refines;
        }
        found
    }

    /// Whether a copy is recursive through something that is not a copy of what the original is recursive through.
    fn recurs_anew(&self, member: MemberId) -> bool {
        let component = |member: MemberId| match &self.p.members[member].kind {
            MemberKind::Function(f) if f.recursive => Some(f.scc),
            MemberKind::Method(m) if m.recursive => Some(m.scc),
            _ => None,
        };
        let Some(scc) = component(member) else {
            return false;
        };
        let mut originals = self.p.members.ids().filter(|&m| component(m) == Some(scc));
        let first = self.copied_from(member).and_then(component);
        first.is_none() || originals.any(|m| self.copied_from(m).and_then(component) != first)
    }

    fn declare(&mut self, work: Work) {
        match work {
            Work::Function(instance) => self.declare_function(&instance),
            Work::Call(instance) => self.declare_call(&instance),
            Work::Shown(instance) => self.declare_shown(&instance),
            Work::Datatype(decl, args) => self.declare_datatype(decl, &args),
            Work::Const(instance) => self.declare_const(&instance),
            Work::Field(instance) => self.declare_field(&instance),
            Work::Class(ty) => self.declare_class(ty),
            Work::IsPredicate(ty) => self.declare_is(ty),
            Work::AllocPredicate(ty) => self.declare_is_alloc(ty),
            Work::Rank(ty) => self.declare_rank(ty),
            Work::Equality(ty) => self.declare_equality(ty),
            Work::ArrayElements(elem, dims) => self.declare_elements(elem, dims),
            Work::PrefixEq(rep, is_ordinal) => self.declare_prefix_eq(rep, is_ordinal),
            Work::PrefixCall(instance) => self.declare_prefix_call(&instance),
            Work::Sort(name) => self.decls.push(Decl::Type {
                name,
                datatype: false,
            }),
        }
    }
}
