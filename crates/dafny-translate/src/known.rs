//! Visibility of function axioms: which functions an implementation may assume, and from which point on.
//!
//! An implementation assumes `$known.f` for every function `f` that its text can lead to, through definitions and
//! specifications, and that is in a lower component of the call graph than its own. What it does not lead to is not
//! mentioned, so that unrelated functions are not part of its question.
//!
//! The assumption stands before the first statement that leads to the function, on every path: preconditions and types at the
//! entry, postconditions at the exits. So the definition of a function is nothing that checks before its first use depend on, and
//! an edit of it leaves their verdicts standing.

use crate::cx::Cx;
use crate::decl::{Decl, Procedure};
use crate::hide::Hidden;
use crate::tree::{B, Check, Name, Node, S, children, conj, var};
use crate::wf::has_check;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use stet_dafny::tree::{MemberId, ModuleId};

/// Adds the assumptions.
pub(crate) fn assume_known(
    procedure: &mut Procedure,
    scc: u32,
    module: Option<ModuleId>,
    cx: &Cx<'_>,
) {
    let mut names = BTreeSet::new();
    of_procedure(procedure, &mut names);
    let mut usable: BTreeMap<Name, Usable> = BTreeMap::new();
    for name in cx.functions_of(&names) {
        let known = cx.known.get(&name).is_some_and(|at| *at < scc);
        let provided = cx.provided.get(&name).copied();
        let flags = Usable {
            known: known.then(|| format!("$known.{name}").into()),
            shown: provided
                .filter(|f| cx.p.sees_body(module, *f))
                .map(|f| (f, format!("$shown.{name}").into())),
        };
        if flags.known.is_some() || flags.shown.is_some() {
            usable.insert(name, flags);
        }
    }
    if usable.is_empty() {
        return;
    }
    let placing = Placing { cx, usable };
    let mut entry = BTreeSet::new();
    for clause in &procedure.requires {
        of_expr(&clause.check.cond, &mut entry);
    }
    let mut exit = BTreeSet::new();
    for clause in procedure.ensures.iter().filter(|clause| !clause.free) {
        of_expr(&clause.check.cond, &mut exit);
    }
    let variables = procedure.ins.iter().chain(&procedure.outs);
    let locals = procedure.body.iter().flat_map(|body| &body.locals);
    for variable in variables.chain(locals) {
        variable
            .constraint
            .iter()
            .for_each(|constraint| of_expr(constraint, &mut entry));
    }
    let Some(body) = &mut procedure.body else {
        return;
    };
    // What is known at the entry is used from the first check on.
    let visible = body.stmts.iter().map_while(|stmt| match stmt {
        S::Visible(hidden) => Some(Some(hidden.clone())),
        stmt => (!has_check(stmt)).then_some(None),
    });
    let mut path = Path {
        stmts: Vec::new(),
        has: Some(BTreeSet::new()),
        hidden: visible.flatten().last().unwrap_or_default(),
    };
    let mut labels = BTreeMap::new();
    placing.need(&entry, &mut path);
    placing.stmts(&body.stmts, &exit, &mut labels, &mut path);
    placing.need(&exit, &mut path);
    body.stmts = path.stmts;
}

/// The assumptions of one procedure being put in.
struct Placing<'a, 'p> {
    cx: &'a Cx<'p>,
    /// The flags of the functions that may be known.
    usable: BTreeMap<Name, Usable>,
}

/// What may be assumed of a function.
struct Usable {
    known: Option<Name>,
    /// That its body is seen, where the proof does not hide it.
    shown: Option<(MemberId, Name)>,
}

/// Statements made so far, and which functions are known after them; nothing if their end is not reached.
struct Path {
    stmts: Vec<S>,
    has: Option<BTreeSet<Name>>,
    hidden: Rc<Hidden>,
}

impl Path {
    /// The statements of a branch from here.
    fn branch(&self) -> Path {
        Path {
            stmts: Vec::new(),
            has: self.has.clone(),
            hidden: self.hidden.clone(),
        }
    }
}

/// What is known after paths join.
fn join(a: Option<BTreeSet<Name>>, b: Option<BTreeSet<Name>>) -> Option<BTreeSet<Name>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.intersection(&b).cloned().collect()),
        (a, b) => a.or(b),
    }
}

/// What is known where a label is jumped to.
type Labels = BTreeMap<Name, Option<BTreeSet<Name>>>;

impl Placing<'_, '_> {
    /// Assumes what these symbols lead to, as far as that was not done.
    fn need(&self, names: &BTreeSet<Name>, path: &mut Path) {
        let has = path.has.get_or_insert_default();
        let mut flags = Vec::new();
        for name in self.cx.functions_of(names) {
            let Some(of_function) = self.usable.get(&name) else {
                continue;
            };
            if has.insert(name) {
                flags.extend(of_function.known.iter().map(|flag| var(flag)));
            }
            if let Some((function, shown)) = &of_function.shown
                && !path.hidden.hides(*function)
                && has.insert(shown.clone())
            {
                flags.push(var(shown));
            }
        }
        if !flags.is_empty() {
            path.stmts.push(S::Assume(conj(flags)));
        }
    }

    fn stmts(&self, stmts: &[S], exit: &BTreeSet<Name>, labels: &mut Labels, path: &mut Path) {
        for stmt in stmts {
            let mut names = BTreeSet::new();
            of_head(stmt, &mut names);
            if let S::Return(_) = stmt {
                names.clone_from(exit);
            }
            if let S::Label(label) = stmt {
                path.has = join(path.has.take(), labels.remove(label).flatten());
            }
            if !names.is_empty() {
                self.need(&names, path);
            }
            if let S::Visible(hidden) = stmt {
                path.hidden = hidden.clone();
                // What was used before may be visible now.
                let mut used = path.has.clone().unwrap_or_default();
                used.retain(|name| self.usable.contains_key(name));
                self.need(&used, path);
                continue;
            }
            let made = match stmt {
                S::If(guard, a, b) => {
                    let (mut first, mut second) = (path.branch(), path.branch());
                    self.stmts(a, exit, labels, &mut first);
                    self.stmts(b, exit, labels, &mut second);
                    path.has = join(first.has, second.has);
                    S::If(guard.clone(), first.stmts, second.stmts)
                }
                S::Loop {
                    invariants,
                    body,
                    span,
                } => {
                    let mut inner = path.branch();
                    self.stmts(body, exit, labels, &mut inner);
                    path.has = None;
                    S::Loop {
                        invariants: invariants.clone(),
                        body: inner.stmts,
                        span: *span,
                    }
                }
                S::Goto(label) => {
                    let here = path.has.take();
                    let before = labels.remove(label).flatten();
                    labels.insert(label.clone(), join(before, here));
                    stmt.clone()
                }
                S::Return(_) => {
                    path.has = None;
                    stmt.clone()
                }
                _ => stmt.clone(),
            };
            path.stmts.push(made);
        }
    }
}

impl Cx<'_> {
    /// The functions that these symbols lead to.
    fn functions_of(&self, names: &BTreeSet<Name>) -> BTreeSet<Name> {
        let graph = self.mentions();
        let mut reach = self.reach.borrow_mut();
        let mut found = BTreeSet::new();
        for name in names {
            if !reach.contains_key(name) {
                let mut seen = BTreeSet::from([name.clone()]);
                let mut pending = vec![name];
                while let Some(name) = pending.pop() {
                    let next = graph.get(name).into_iter().flatten();
                    pending.extend(next.filter(|next| seen.insert(Name::clone(next))));
                }
                let is_function =
                    |n: &Name| self.known.contains_key(n) || self.provided.contains_key(n);
                seen.retain(is_function);
                reach.insert(name.clone(), seen);
            }
            found.extend(reach[name].iter().cloned());
        }
        found
    }

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
        of_head(stmt, names);
        match stmt {
            S::If(_, a, b) => {
                of_stmts(a, names);
                of_stmts(b, names);
            }
            S::Loop { body, .. } => of_stmts(body, names),
            _ => {}
        }
    }
}

/// The symbols of a statement without those of the statements in it.
fn of_head(stmt: &S, names: &mut BTreeSet<Name>) {
    match stmt {
        S::Assert(check) => of_check(check, names),
        S::Assume(e) | S::Assign(_, e) => of_expr(e, names),
        S::If(guard, ..) => guard.iter().for_each(|g| of_expr(g, names)),
        S::Loop { invariants, .. } => {
            invariants.iter().for_each(|i| of_check(&i.check, names));
        }
        S::Call { proc, ins, .. } => {
            names.insert(proc.clone());
            ins.iter().for_each(|e| of_expr(e, names));
        }
        S::Settled
        | S::Mark(_)
        | S::Visible(_)
        | S::Havoc(_)
        | S::Label(_)
        | S::Goto(_)
        | S::Return(_) => {}
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
