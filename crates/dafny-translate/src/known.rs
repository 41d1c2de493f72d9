//! Which functions an implementation may know.
//!
//! An implementation assumes `$known.f` for every function `f` that its text can lead to, through definitions and
//! specifications, and that is in a lower component of the call graph than its own. What it does not lead to is not
//! mentioned, so that unrelated functions are not part of its question.

use crate::cx::Cx;
use crate::decl::{Decl, Procedure};
use crate::tree::{B, Check, Name, Node, S, children, conj, var};
use std::collections::{BTreeMap, BTreeSet};
use stet_dafny::tree::ModuleId;

/// Adds the assumption.
pub(crate) fn assume_known(
    procedure: &mut Procedure,
    scc: u32,
    module: Option<ModuleId>,
    cx: &Cx<'_>,
) {
    let graph = cx.mentions();
    let mut names = BTreeSet::new();
    of_procedure(procedure, &mut names);
    let mut pending: Vec<Name> = names.iter().cloned().collect();
    while let Some(name) = pending.pop() {
        for next in graph.get(&name).into_iter().flatten() {
            if names.insert(next.clone()) {
                pending.push(next.clone());
            }
        }
    }
    let usable = cx
        .known
        .iter()
        .filter(|(name, at)| **at < scc && names.contains(*name))
        .map(|(name, _)| var(&format!("$known.{name}")));
    let shown = cx
        .provided
        .iter()
        .filter(|(name, f)| names.contains(*name) && cx.p.sees_body(module, **f))
        .map(|(name, _)| var(&format!("$shown.{name}")));
    let fact = conj(usable.chain(shown));
    if crate::tree::is_true(&fact) {
        return;
    }
    if let Some(body) = &mut procedure.body {
        body.stmts.insert(0, S::Assume(fact));
    }
}

impl Cx<'_> {
    /// For every symbol, the symbols of the axioms and specifications that speak of it.
    fn mentions(&self) -> &BTreeMap<Name, BTreeSet<Name>> {
        self.graph.get_or_init(|| {
            let mut graph: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
            for decl in &self.decls {
                let mut names = BTreeSet::new();
                match decl {
                    Decl::Axiom(axiom) => {
                        of_expr(axiom, &mut names);
                        // What can wake the axiom leads to all of it.
                        for name in &wakers(axiom, &names) {
                            let entry = graph.entry(name.clone()).or_default();
                            entry.extend(names.iter().cloned());
                        }
                    }
                    Decl::Procedure(procedure) => {
                        of_procedure(procedure, &mut names);
                        graph
                            .entry(procedure.name.clone())
                            .or_default()
                            .extend(names);
                    }
                    _ => {}
                }
            }
            graph
        })
    }
}

/// The symbols of the triggers of an axiom, those of the prelude only if there are no others.
fn wakers(axiom: &B, all: &BTreeSet<Name>) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    match &**axiom {
        Node::Quant { triggers, .. } if !triggers.is_empty() => {
            triggers
                .iter()
                .flatten()
                .for_each(|t| of_expr(t, &mut found));
        }
        _ => match all.iter().find_map(|name| name.strip_prefix("$known.")) {
            // A fact about a function without parameters is reached through that function.
            Some(function) => {
                found.insert(function.into());
            }
            None => found.clone_from(all),
        },
    }
    let prelude = [
        "$Unbox$",
        "$Box",
        "$Seq",
        "$Set",
        "$ISet",
        "$Map",
        "$IMap",
        "$MultiSet",
        "$LS",
        "$LZ",
        "$Heap",
        "$char",
    ];
    let own = |name: &&Name| !prelude.iter().any(|p| name.starts_with(p));
    let specific: BTreeSet<Name> = found.iter().filter(own).cloned().collect();
    if specific.is_empty() { found } else { specific }
}

fn of_procedure(procedure: &Procedure, names: &mut BTreeSet<Name>) {
    for clause in procedure.requires.iter().chain(&procedure.ensures) {
        of_expr(&clause.check.cond, names);
    }
    if let Some(body) = &procedure.body {
        of_stmts(&body.stmts, names);
    }
}

fn of_check(check: &Check, names: &mut BTreeSet<Name>) {
    of_expr(&check.cond, names);
}

fn of_stmts(stmts: &[S], names: &mut BTreeSet<Name>) {
    for stmt in stmts {
        match stmt {
            S::Assert(check) => of_check(check, names),
            S::Assume(e) | S::Assign(_, e) => of_expr(e, names),
            S::If(guard, a, b) => {
                guard.iter().for_each(|g| of_expr(g, names));
                of_stmts(a, names);
                of_stmts(b, names);
            }
            S::Loop {
                invariants, body, ..
            } => {
                invariants.iter().for_each(|i| of_check(&i.check, names));
                of_stmts(body, names);
            }
            S::Call { proc, ins, .. } => {
                names.insert(proc.clone());
                ins.iter().for_each(|e| of_expr(e, names));
            }
            S::Settled | S::Mark(_) | S::Havoc(_) | S::Label(_) | S::Goto(_) | S::Return(_) => {}
        }
    }
}

fn of_expr(e: &B, names: &mut BTreeSet<Name>) {
    let mut pending = vec![e];
    while let Some(e) = pending.pop() {
        match &**e {
            Node::App(name, _) => {
                names.insert(name.clone());
            }
            Node::Var(name) if name.starts_with('$') => {
                names.insert(name.clone());
            }
            Node::Quant { triggers, .. } => pending.extend(triggers.iter().flatten()),
            _ => {}
        }
        pending.extend(children(e));
    }
}
