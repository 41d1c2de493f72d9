//! From the assertions of a file to checked predicates.
//!
//! While a file with the `assertions` package is read, its directives and clauses pass by here. At its end types
//! become automata, the assertions of each predicate a plan, and each plan code: the four words of
//! [`super::runtime`] if automata decide everything, else a wrapper clause in Prolog.

use super::discharge::Proved;
use super::plan::{Plan, PlanContext, Prop, PropKind, Reach};
use super::print;
use super::runtime::{
    CheckLevel, Counters, FileAssertions, Installed, PropCounters, SourceRange, TestCase,
    native_props,
};
use super::validate::{LoadProblem, PendingFile};
use crate::checks::RunTimeChecks;
use crate::code::{Op, frame_word, word_imm};
use crate::database::{Kind, PredId};
use crate::machine::Machine;
use std::sync::Arc;
use stet_prolog::assertions::{
    Assertion, AssertionKind, add_assertion_operators, parse_assertion, remove_assertion_operators,
};
use stet_prolog::{Atom, AtomTable, Clause, Place, SyntaxError, atom};

/// Packages that bring the assertion language with them.
const PACKAGES: &[&str] = &[
    "assertions",
    "regtypes",
    "rtchecks",
    "isomodes",
    "basicmodes",
    "unittestdecls",
];

/// The largest arity whose environment mask fits one word.
const MAX_NATIVE_ARITY: usize = 30;

impl RunTimeChecks {
    /// A file starts to be read; one that is included is a part of the one that includes it.
    pub(crate) fn assertions_open(&mut self, included: bool) {
        let mut file = FileAssertions::default();
        if let Some(outer) = self.files.last().filter(|_| included) {
            file.outer_ops.clone_from(&outer.outer_ops);
            file.modes = outer.modes.clone();
            file.unchecked = outer.unchecked;
            file.included = true;
        }
        self.files.push(file);
    }

    /// An included file is read; what it says gets the place of the directive.
    fn include_assertions(&mut self, file: FileAssertions, place: Place) {
        let Some(outer) = self.files.last_mut() else {
            return;
        };
        let at_directive = |mut assertion: Assertion| {
            assertion.place = place;
            assertion
        };
        outer
            .assertions
            .extend(file.assertions.into_iter().map(at_directive));
        outer
            .clauses
            .extend(file.clauses.into_iter().map(|mut clause| {
                clause.place = place;
                clause
            }));
        outer.modes = file.modes;
        outer.unchecked |= file.unchecked;
        if outer.outer_ops.is_none() {
            outer.outer_ops = file.outer_ops;
        }
    }

    fn has_plan(&self, pred: PredId) -> bool {
        self.plans
            .iter()
            .any(|plan| plan.pred == pred && !plan.retired && plan.variant_of.is_none())
    }
}

impl Machine {
    /// The file uses a package or library; returns whether it is one of the assertion language.
    pub(crate) fn assertions_package(&mut self, name: Atom) -> bool {
        let is_off = self.mem.atoms.text(name) == "nortchecks";
        if let Some(file) = self.checks.files.last_mut().filter(|_| is_off) {
            file.unchecked = true;
        }
        if !PACKAGES.contains(&self.mem.atoms.text(name)) {
            return false;
        }
        if let Some(file) = self.checks.files.last_mut() {
            file.modes.use_package(self.mem.atoms.text(name));
        }
        if let Some(file) = self.checks.files.last_mut()
            && file.outer_ops.is_none()
        {
            file.outer_ops = Some(self.loader.ops.clone());
            add_assertion_operators(&mut self.loader.ops, &mut self.mem.atoms);
        }
        true
    }

    /// A clause or directive was read. `Some`: it is an assertion and done with.
    pub(crate) fn assertions_clause(&mut self, clause: &Clause) -> Option<Result<(), SyntaxError>> {
        for (name, _) in packages_in(clause, &self.mem.atoms, true) {
            self.assertions_package(name);
        }
        self.unknown_packages(clause);
        let file = self.checks.files.last_mut()?;
        file.outer_ops.as_ref()?;
        match parse_assertion(clause, &mut self.mem.atoms, &mut file.modes) {
            Some(Ok(found)) => {
                file.assertions.extend(found);
                Some(Ok(()))
            }
            Some(Err(error)) => Some(Err(error)),
            None => {
                if matches!(clause.terms.functor(clause.root), Some((atom::NECK, 1))) {
                    if declares_module(clause) {
                        return None;
                    }
                    for node in 0..clause.terms.len() {
                        let id = stet_prolog::TermId(node as u32);
                        let name = clause.terms.functor(id).map(|found| found.0);
                        self.checks.mentioned.extend(name);
                    }
                    return None;
                }
                if !matches!(clause.terms.functor(clause.root), Some((atom::NECK, 1))) {
                    file.clauses.push(clause.clone());
                }
                None
            }
        }
    }

    /// The file is read: installs its checks.
    pub(crate) fn assertions_close(&mut self, module: Atom, path: &str, text: &Arc<str>) {
        let Some(file) = self.checks.files.pop() else {
            return;
        };
        if file.included {
            let outer = self.loader.files.frames.iter().rev().nth(1);
            let place = outer.map_or_else(Place::default, |frame| Place {
                start: frame.counted as u32,
                end: frame.at.max(frame.counted) as u32,
            });
            self.checks.include_assertions(file, place);
            return;
        }
        // What an earlier version of the file asserted and tested is gone.
        for plan in &mut self.checks.plans {
            plan.retired |= *plan.file == *path;
        }
        self.checks.tests.retain(|test| *test.file != *path);
        if let Some(outer) = &file.outer_ops {
            remove_assertion_operators(&mut self.loader.ops, outer, &mut self.mem.atoms);
            self.install_file(module, path, text, file);
        }
        // Libraries that are loaded while the program runs change nothing.
        if self.loader.files.frames.len() <= 1 && !self.checks.pending.is_empty() {
            self.validate_assertions();
            self.discharge_assertions();
        }
    }

    fn install_file(&mut self, module: Atom, path: &str, text: &Arc<str>, file: FileAssertions) {
        self.define_types(module, &file);
        let path: Arc<str> = Arc::from(path);
        let mut done: Vec<(Atom, usize)> = Vec::new();
        for assertion in &file.assertions {
            let key = (assertion.name, assertion.head.len());
            let is_test = matches!(assertion.kind, AssertionKind::Test | AssertionKind::Texec);
            if file.unchecked && !is_test {
                continue;
            }
            if is_test {
                self.checks.tests.push(TestCase {
                    module,
                    assertion: assertion.clone(),
                    file: path.clone(),
                    place: range_of(text, assertion.place),
                });
            } else if !done.contains(&key) {
                done.push(key);
                self.install(module, key, &file, &path, text);
            }
        }
        if self.checks.print.is_some() {
            self.print_file(module, &file);
        }
        self.apply_check_level();
        self.checks.pending.push(PendingFile {
            module,
            path,
            text: text.clone(),
            file,
        });
    }

    /// Reports the packages of a directive that do not exist.
    fn unknown_packages(&mut self, clause: &Clause) {
        for (name, place) in packages_in(clause, &self.mem.atoms, false) {
            let text = self.mem.atoms.text(name);
            let known = crate::libraries::PACKAGES.contains(&text)
                || crate::libraries::BUILTIN_LIBRARIES.contains(&text)
                || crate::libraries::LIBRARIES.iter().any(|l| l.0 == text);
            let Some(frame) = self.loader.files.frames.last().filter(|_| !known) else {
                continue;
            };
            let problem = LoadProblem {
                code: "run/unknown-package",
                error: true,
                message: format!("package `{text}` does not exist"),
                file: self.mem.atoms.text(frame.file).to_string(),
                place: Some(range_of(&frame.text, place)),
            };
            self.load_problem(problem);
        }
    }

    /// Takes the checks of a predicate away.
    pub(crate) fn retire_plan(&mut self, module: Atom, (name, arity): (Atom, usize)) {
        let Some(pred) = self.program.db.find(module, name, arity) else {
            return;
        };
        let outside = self.program.db.pred(pred).outside;
        for plan in &mut self.checks.plans {
            plan.retired |= plan.pred == pred || Some(plan.pred) == outside;
        }
    }

    fn define_types(&mut self, module: Atom, file: &FileAssertions) {
        let imported = self.imported_types(module);
        // Clauses that come and go, or come from elsewhere too, are called: no automaton would follow them.
        let is_fixed = |machine: &Machine, key: (Atom, usize), clauses: usize| {
            machine
                .program
                .db
                .find(module, key.0, key.1)
                .map(|id| machine.program.db.pred(id))
                .is_some_and(|pred| {
                    pred.kind == Kind::Static && !pred.multifile && pred.clauses.len() == clauses
                })
        };
        let mut defined = Vec::new();
        for assertion in &file.assertions {
            let key = (assertion.name, assertion.head.len());
            let count = file
                .clauses
                .iter()
                .filter(|c| clause_key(c) == Some(key))
                .count();
            if assertion.kind == AssertionKind::Regtype && is_fixed(self, key, count) {
                defined.push(key);
            }
        }
        let own = self.checks.modules.entry(module).or_default();
        for assertion in &file.assertions {
            let (name, arity) = (assertion.name, assertion.head.len());
            if !defined.contains(&(name, arity)) {
                own.automata.forget(name, arity);
                own.declared.retain(|(n, a, _)| (*n, *a) != (name, arity));
            }
            if assertion.kind != AssertionKind::Regtype || !defined.contains(&(name, arity)) {
                continue;
            }
            let clauses: Vec<Clause> = file
                .clauses
                .iter()
                .filter(|c| clause_key(c) == Some((name, arity)))
                .cloned()
                .collect();
            if clauses.is_empty() {
                continue;
            }
            own.automata.define(name, arity, clauses.clone());
            own.declared.retain(|(n, a, _)| (*n, *a) != (name, arity));
            own.declared.push((name, arity, clauses));
        }
        for (name, arity, clauses) in imported {
            if !own
                .declared
                .iter()
                .any(|(n, a, _)| (*n, *a) == (name, arity))
            {
                own.automata.define(name, arity, clauses);
            }
        }
    }

    /// Types declared in the modules this one imports from, with all they are defined by.
    fn imported_types(&self, module: Atom) -> Vec<(Atom, usize, Vec<Clause>)> {
        let mut found = Vec::new();
        let Some(imports) = self.program.db.modules.get(&module).map(|m| &m.imports) else {
            return found;
        };
        let mut sources: Vec<Atom> = imports
            .values()
            .map(|&pred| self.program.db.pred(pred).module)
            .filter(|source| *source != module)
            .collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            if let Some(types) = self.checks.modules.get(&source) {
                found.extend(types.declared.iter().cloned());
            }
        }
        found
    }

    /// Installs what a file asserts about one predicate.
    pub(crate) fn install(
        &mut self,
        module: Atom,
        (name, arity): (Atom, usize),
        file: &FileAssertions,
        path: &Arc<str>,
        text: &str,
    ) {
        let of_predicate: Vec<Assertion> = file
            .assertions
            .iter()
            .filter(|a| (a.name, a.head.len()) == (name, arity))
            .cloned()
            .collect();
        for reach in [Reach::All, Reach::Outside] {
            self.install_plan(module, &of_predicate, reach, file, (path, text));
        }
    }

    /// What other files asserted of a predicate that is multifile, with where they did.
    fn earlier_assertions(
        &self,
        (module, name, arity): (Atom, Atom, usize),
        reach: Reach,
        path: &Arc<str>,
    ) -> Vec<(Assertion, Arc<str>, SourceRange)> {
        let pred = self.program.db.find(module, name, arity);
        let Some(pred) = pred.filter(|&id| self.program.db.pred(id).multifile) else {
            return Vec::new();
        };
        let pred = match reach {
            Reach::All => Some(pred),
            Reach::Outside => self.program.db.pred(pred).outside,
        };
        let known = |plan: &&Installed| Some(plan.pred) == pred && plan.variant_of.is_none();
        let Some(installed) = self.checks.plans.iter().find(known) else {
            return Vec::new();
        };
        let assertions = installed.plan.assertions.iter();
        assertions
            .zip(&installed.files)
            .zip(&installed.places)
            .filter(|((assertion, file), _)| *file != path && self.checks.flags.checks(assertion))
            .map(|((assertion, file), place)| (assertion.clone(), file.clone(), *place))
            .collect()
    }

    fn install_plan(
        &mut self,
        module: Atom,
        of_predicate: &[Assertion],
        reach: Reach,
        file: &FileAssertions,
        (path, text): (&Arc<str>, &str),
    ) {
        let Some((name, arity)) = of_predicate.first().map(|a| (a.name, a.head.len())) else {
            return;
        };
        let earlier = self.earlier_assertions((module, name, arity), reach, path);
        let mut all: Vec<Assertion> = earlier.iter().map(|(a, ..)| a.clone()).collect();
        all.extend_from_slice(of_predicate);
        let types = self.checks.modules.entry(module).or_default();
        let mut context = PlanContext {
            atoms: &self.mem.atoms,
            ops: &self.loader.ops,
            automata: &mut types.automata,
            flags: self.checks.flags,
        };
        let Some(plan) = Plan::build(&mut context, (name, arity), &all, reach) else {
            return;
        };
        self.checks.types.add(&types.automata, &mut types.map);
        let places: Vec<_> = file
            .clauses
            .iter()
            .filter(|c| clause_key(c) == Some((name, arity)))
            .map(|c| range_of(text, c.place))
            .collect();
        let clause_place = match (places.first(), places.last()) {
            (Some(first), Some(last)) => Some(SourceRange {
                lines: (first.lines.0, last.lines.1),
                bytes: (first.bytes.0, last.bytes.1),
            }),
            _ => None,
        };
        let mut origins: Vec<(Arc<str>, SourceRange)> = earlier
            .into_iter()
            .map(|(_, file, place)| (file, place))
            .collect();
        let own = plan.assertions.iter().skip(origins.len());
        origins.extend(own.map(|a| (path.clone(), range_of(text, a.place))));
        let (files, places) = origins.into_iter().unzip();
        let mut pred = self.pred_id(module, name, arity);
        if reach == Reach::Outside {
            let Some(outside) = self.outside_of(pred) else {
                return;
            };
            pred = outside;
        }
        let exported = module == atom::USER
            || self
                .program
                .db
                .modules
                .get(&module)
                .is_some_and(|m| m.is_exported(name, arity));
        let map = &self.checks.modules[&module].map;
        let installed = Installed {
            pred,
            module,
            exported,
            file: path.clone(),
            files,
            places,
            clause_place,
            entry: native_props(&plan.entry_props, map),
            exit: native_props(&plan.exit_props, map),
            simple_entry: is_simple_entry(&plan),
            simple_exit: is_simple_exit(&plan),
            address: 0,
            variant_of: None,
            reach,
            proved: Proved::default(),
            retired: false,
            wrapper: None,
            switch: None,
            counters: Counters::default(),
            prop_counters: [plan.entry_props.len(), plan.exit_props.len()]
                .map(|count| vec![PropCounters::default(); count].into_boxed_slice()),
            violations: vec![0; plan.assertions.len()].into_boxed_slice(),
            plan,
        };
        let at = self
            .checks
            .plans
            .iter()
            .position(|p| p.pred == pred && p.variant_of.is_none());
        let index = match at {
            Some(at) => {
                self.checks.plans[at] = installed;
                at
            }
            None => {
                self.checks.plans.push(installed);
                self.checks.plans.len() - 1
            }
        };
        self.emit_checks(index);
    }

    /// The checked code of a plan.
    pub(crate) fn emit_checks(&mut self, index: usize) {
        let plan = &self.checks.plans[index].plan;
        if plan.is_native() && plan.arity <= MAX_NATIVE_ARITY {
            let (arity, exit) = (plan.arity, plan.has_exit());
            let slots = arity + 1;
            let words = [
                word_imm(Op::CheckEntry, u8::from(exit), arity as u16, index as u32),
                frame_word(slots, (1_u32 << slots) - 1),
                word_imm(Op::CheckExit, 0, arity as u16, index as u32),
                word_imm(Op::DeallocProceed, 0, 0, 0),
            ];
            if let Ok(address) = self.alloc_code(&words) {
                self.checks.plans[index].address = address;
            }
            return;
        }
        self.checks.plans[index].wrapper = self.compile_wrapper(index);
    }

    fn compile_wrapper(&mut self, index: usize) -> Option<PredId> {
        let installed = &self.checks.plans[index];
        let (pred, module) = (installed.pred, installed.module);
        let (name, arity) = (installed.plan.name.clone(), installed.plan.arity);
        let plain = format!("$plain:{name}");
        // Plans of one predicate have wrappers of their own.
        let checked = match installed.variant_of {
            None => format!("$checked:{name}"),
            Some(_) => format!("$checked{index}:{name}"),
        };
        let states = |props: &[Prop]| -> Vec<Option<u32>> {
            let map = &self.checks.modules[&module].map;
            props
                .iter()
                .map(|p| match p.kind {
                    PropKind::Native(_, state) => Some(map[state as usize]),
                    PropKind::Goal => None,
                })
                .collect()
        };
        let states = (
            states(&installed.plan.entry_props),
            states(&installed.plan.exit_props),
            states(&installed.plan.compat_props),
        );
        let module_text = stet_prolog::quote_atom(self.mem.atoms.text(module));
        let text = super::wrapper::wrapper_clause(
            &installed.plan,
            index,
            (&checked, &plain),
            &module_text,
            &states,
        );
        let plain = self.mem.atoms.intern(&plain);
        self.plain_alias(pred, plain);
        self.compile_private_clause(module, &checked, arity, &text)
    }

    /// Compiles a clause of the machine's own; it replaces the predicate's other clauses.
    pub(crate) fn compile_private_clause(
        &mut self,
        module: Atom,
        name: &str,
        arity: usize,
        text: &str,
    ) -> Option<PredId> {
        let mark = self.mem.h;
        let parsed = self.parse_term(text);
        let added = match &parsed {
            Ok(parsed) => self
                .mem
                .structure(parsed.term, atom::NECK, 2)
                .and_then(|args| {
                    let (head, body) = (self.mem.at(args), self.mem.at(args + 1));
                    let name = self.mem.atoms.intern(name);
                    let id = self.pred_id(module, name, arity);
                    let data = self.compile_clause(module, id, head, body).ok()?;
                    let old: Vec<_> = self
                        .program
                        .db
                        .pred(id)
                        .clauses
                        .iter()
                        .map(|c| c.1)
                        .collect();
                    for clause in old {
                        self.erase_clause(clause);
                    }
                    self.add_clause(data, true);
                    Some(id)
                }),
            Err(_) => None,
        };
        self.mem.h = mark;
        stet_base::always!(added.is_some(), "wrapper {text}: {:?}", parsed.err());
        added
    }

    /// Points every predicate's entry to its plain or checked code, as the level and switches say.
    pub(crate) fn apply_check_level(&mut self) {
        let in_force = self.checks.proofs_in_force();
        self.check_inside_again();
        for index in 0..self.checks.plans.len() {
            let installed = &self.checks.plans[index];
            if installed.variant_of.is_some() {
                continue;
            }
            let on = !installed.retired
                && installed.switch.unwrap_or(match self.checks.level {
                    CheckLevel::Off => false,
                    CheckLevel::Exports => installed.exported,
                    CheckLevel::All => true,
                });
            let pred = installed.pred;
            // Of two plans of a predicate, one was retired: the other counts.
            if installed.retired && self.checks.has_plan(pred) {
                continue;
            }
            let shown = match installed.proved.entry.filter(|_| in_force) {
                Some(variant) => &self.checks.plans[variant],
                None => installed,
            };
            let (address, wrapper) = (shown.address, shown.wrapper);
            let from_outside = self.checks.level == CheckLevel::Exports
                && installed.switch.is_none()
                && installed.reach == Reach::All;
            if on && from_outside {
                self.set_checked_entry(pred, None);
                self.check_from_outside(pred, address, wrapper);
            } else if on && address != 0 {
                self.program.db.pred_mut(pred).checked = Some(pred);
                self.program.entries.set(pred as usize, u64::from(address));
            } else if on && wrapper.is_some() {
                self.set_checked_entry(pred, wrapper);
            } else {
                self.set_checked_entry(pred, None);
            }
        }
        self.apply_proofs();
    }

    /// Appends a file's transformed program to the text asked for.
    fn print_file(&mut self, module: Atom, file: &FileAssertions) {
        let plans: Vec<&Plan> = self
            .checks
            .plans
            .iter()
            .filter(|p| p.module == module && !p.retired && p.variant_of.is_none())
            .filter(|p| p.reach == Reach::All)
            .map(|p| &p.plan)
            .collect();
        let text = print::program_text(&plans, &file.clauses, &self.mem.atoms, &self.loader.ops);
        if let Some(all) = &mut self.checks.print {
            all.push_str(&text);
        }
    }
}

/// The atoms in the package list of `:- module(_,_,Packages)` and `:- use_package(Packages)`, and with `libraries` of
/// `:- use_module(library(Package))`.
fn packages_in(clause: &Clause, atoms: &AtomTable, libraries: bool) -> Vec<(Atom, Place)> {
    let terms = &clause.terms;
    let Some((atom::NECK, 1)) = terms.functor(clause.root) else {
        return Vec::new();
    };
    let directive = terms.args(clause.root)[0];
    let args = terms.args(directive);
    let list = match terms.functor(directive) {
        Some((atom::MODULE, 3)) => args[2],
        Some((name, 1)) if atoms.text(name) == "use_package" => args[0],
        Some((atom::USE_MODULE, 1)) if libraries => match terms.functor(args[0]) {
            Some((name, 1)) if atoms.text(name) == "library" => terms.args(args[0])[0],
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut at = list;
    while let [head, tail] = *terms.args(at) {
        found.extend(
            terms
                .functor(head)
                .filter(|f| f.1 == 0)
                .map(|f| (f.0, terms.place(head))),
        );
        at = tail;
    }
    found.extend(
        terms
            .functor(at)
            .filter(|f| f.1 == 0 && f.0 != atom::NIL)
            .map(|f| (f.0, terms.place(at))),
    );
    found
}

pub(crate) fn is_simple_entry(plan: &Plan) -> bool {
    match (&plan.pres[..], &plan.calls[..]) {
        ([], []) => plan.entry_props.is_empty(),
        ([formula], _) => formula.len() == 1 && formula[0].len() == plan.entry_props.len(),
        _ => false,
    }
}

pub(crate) fn is_simple_exit(plan: &Plan) -> bool {
    match &plan.success[..] {
        [one] => one.post.len() == 1 && one.post[0].len() == plan.exit_props.len(),
        _ => false,
    }
}

/// Name and arity of a clause's head.
pub(crate) fn clause_key(clause: &Clause) -> Option<(Atom, usize)> {
    let terms = &clause.terms;
    match terms.functor(clause.root)? {
        (atom::NECK, 2) => terms.functor(terms.args(clause.root)[0]),
        other => Some(other),
    }
}

/// A place with its lines.
pub(crate) fn range_of(text: &str, place: stet_prolog::Place) -> SourceRange {
    let line = |at: u32| {
        let end = (at as usize).min(text.len());
        1 + text.as_bytes()[..end]
            .iter()
            .filter(|&&b| b == b'\n')
            .count() as u32
    };
    SourceRange {
        lines: (line(place.start), line(place.end.saturating_sub(1))),
        bytes: (place.start, place.end),
    }
}

/// Whether a directive only names what a module exports: that is no goal, and exports are known with their arities.
fn declares_module(clause: &Clause) -> bool {
    let goal = clause.terms.args(clause.root).first().copied();
    goal.is_some_and(|goal| matches!(clause.terms.functor(goal), Some((atom::MODULE, 2 | 3))))
}
