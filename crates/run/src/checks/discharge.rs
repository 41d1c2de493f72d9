//! Static discharge: conditions the analysis proves are not checked, and conditions it refutes are errors at load.
//!
//! A predicate has up to three ways in. Its **entry** is what goals outside the program use: calls conditions are checked
//! there, success conditions unless they are proved. Calls whose calls condition is proved use its **alias** instead,
//! which checks nothing that is proved. A predicate that only analysed clauses may call has a **guard** as its entry,
//! whether it has assertions or not, and whether the analysis reached it or not: a goal from outside takes all proofs back
//! before it goes on, since the analysis did not reckon with it. Calls are redirected by changing the predicate in the
//! call instruction.
//!
//! Proofs assume that what is not proved is checked and holds. So they are taken back (everything is checked from then
//! on) with the first violation, when a term is overwritten in place, and while checks are not all on. Under
//! `--check-cache` nothing is left out: what is proved is checked all the same, and a violation of it that is the first
//! of a run is an internal error.

use super::plan::{Formula, Plan, Prop, PropKind};
use super::record;
use super::runtime::{CheckLevel, Installed};
use super::status::{AssertionStatus, PartStatus};
use super::validate::LoadProblem;
use crate::checks::RunTimeChecks;
use crate::code::{Op, op_of, word_imm};
use crate::database::{ClauseId, Kind, PredId};
use crate::emulate::liveness;
use crate::machine::Machine;
use std::collections::BTreeMap;
use std::sync::Arc;
use stet_analyse::{
    Analysis, Callee, Clause, Literal, Pred, Program, Proof, Spec, SuccessSpec, Types,
    automaton_type, goal_of,
};
use stet_base::{FastMap, FastSet};
use stet_prolog::assertions::AssertionKind;
use stet_prolog::assertions::regtypes::{Primitive, StateId};
use stet_prolog::{Atom, atom};
use stet_store::Store;

/// What the analysis says of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proved {
    /// Calls that reach this plan satisfy its calls conditions.
    pub(crate) calls: bool,
    /// By success condition.
    pub(crate) success: Vec<bool>,
    /// The plan without what is proved, for the entry.
    pub(crate) entry: Option<usize>,
    /// And for calls that are proved; `None` if nothing is left to check.
    pub(crate) alias: Option<usize>,
}

/// The state of static discharge.
#[derive(Default)]
pub(crate) struct Discharge {
    /// Where verdicts are kept.
    pub(crate) store: Option<Arc<Store>>,
    /// Why proofs do not count any more.
    pub(crate) withdrawn: Option<&'static str>,
    /// Call instructions that were redirected: clause, its sequence number, address, and the word before.
    patches: Vec<(ClauseId, i64, usize, u64)>,
    /// The alias of each predicate that has one.
    aliases: FastMap<PredId, PredId>,
    /// Predicates with guards, and the guard.
    guards: FastMap<PredId, PredId>,
    /// What is known of each assertion, for `stet check`.
    pub(crate) statuses: Vec<AssertionStatus>,
    /// How many units were analysed, and how many came from the store.
    pub(crate) computed: Vec<String>,
    pub(crate) reused: Vec<String>,
}

impl RunTimeChecks {
    /// Whether proved conditions are left out now.
    pub(crate) fn proofs_in_force(&self) -> bool {
        self.analyse
            && !self.verify
            && self.level == CheckLevel::All
            && self.discharge.withdrawn.is_none()
            && self.plans.iter().all(|plan| plan.switch.is_none())
    }

    /// The plan of a predicate that is checked.
    fn plan_of(&self, id: PredId) -> Option<usize> {
        self.plans
            .iter()
            .position(|p| p.pred == id && !p.retired && p.variant_of.is_none())
    }

    fn spec_of(&self, id: PredId, types: &mut Types) -> Spec {
        let Some(plan) = self.plan_of(id) else {
            return Spec::default();
        };
        let installed = &self.plans[plan];
        let plan = &installed.plan;
        let entry = self.literals(installed, &plan.entry_props, types);
        let exit = self.literals(installed, &plan.exit_props, types);
        let dnf = |formula: &Formula, literals: &[Literal]| -> Vec<Vec<Literal>> {
            formula
                .iter()
                .map(|props| props.iter().map(|&prop| literals[prop]).collect())
                .collect()
        };
        Spec {
            pres: plan.pres.iter().map(|pre| dnf(pre, &entry)).collect(),
            calls: plan.calls.iter().map(|c| c.any_of.clone()).collect(),
            success: plan
                .success
                .iter()
                .map(|condition| SuccessSpec {
                    pre: condition.pre,
                    post: dnf(&condition.post, &exit),
                })
                .collect(),
            trusted: Vec::new(),
        }
    }

    fn literals(&self, installed: &Installed, props: &[Prop], types: &mut Types) -> Vec<Literal> {
        let Some(module) = self.modules.get(&installed.module) else {
            return vec![Literal::Unknown; props.len()];
        };
        let states = module.automata.states();
        let mut known: FastMap<StateId, Literal> = FastMap::default();
        props
            .iter()
            .map(|prop| match prop.kind {
                PropKind::Goal => Literal::Unknown,
                PropKind::Native(arg, state) => {
                    let found = &states[state as usize];
                    let only_var = found.primitives == [Primitive::Var]
                        && found.constants.is_empty()
                        && found.rules.is_empty();
                    if only_var {
                        return Literal::Free(arg);
                    }
                    let literal = *known.entry(state).or_insert_with(|| {
                        let (over, under) = automaton_type(types, states, state);
                        Literal::In {
                            arg: 0,
                            over,
                            under,
                        }
                    });
                    match literal {
                        Literal::In { over, under, .. } => Literal::In { arg, over, under },
                        other => other,
                    }
                }
            })
            .collect()
    }
}

impl crate::program::Program {
    /// Whether goals outside the program can name a predicate without its module.
    fn is_reachable(&self, id: PredId) -> bool {
        let pred = self.db.pred(id);
        pred.module == atom::USER
            || self
                .db
                .modules
                .get(&pred.module)
                .is_some_and(|m| m.is_exported(pred.name, pred.arity))
    }
}

impl Machine {
    /// Keeps verdicts of the static analysis in a store.
    pub fn set_analysis_store(&mut self, store: Arc<Store>) {
        self.checks.discharge.store = Some(store);
    }

    /// What is known of every assertion of the files loaded.
    pub fn assertion_statuses(&self) -> &[AssertionStatus] {
        &self.checks.discharge.statuses
    }

    /// The units of the last analysis: analysed, and taken from the store.
    pub fn analysed_units(&self) -> (&[String], &[String]) {
        let discharge = &self.checks.discharge;
        (&discharge.computed, &discharge.reused)
    }

    /// Why static verdicts were taken back, if they were.
    pub fn proofs_withdrawn(&self) -> Option<&'static str> {
        self.checks.discharge.withdrawn
    }

    /// Everything is checked from now on.
    #[cold]
    pub(crate) fn withdraw_proofs(&mut self, why: &'static str) {
        if self.checks.analyse && self.checks.discharge.withdrawn.is_none() {
            self.checks.discharge.withdrawn = Some(why);
            self.apply_check_level();
        }
    }

    /// Analyses what is loaded and leaves out what is proved.
    pub(crate) fn discharge_assertions(&mut self) {
        if !self.checks.analyse || self.checks.level != CheckLevel::All {
            return;
        }
        self.forget_proofs();
        let (program, ids, sites) = self.program_to_analyse();
        if program.preds.is_empty() {
            self.apply_check_level();
            return;
        }
        let store = self.checks.discharge.store.clone();
        let budget = self.config.budget.clone();
        let external: Vec<bool> = program.preds.iter().map(|pred| pred.external).collect();
        let analysis = stet_analyse::analyse(
            program,
            &self.mem.atoms,
            store.as_deref(),
            self.checks.verify,
            &budget,
        );
        self.checks.cache.stats.mismatches += analysis.mismatches.len() as u64;
        let found = Found {
            analysis: &analysis,
            ids: &ids,
            external: &external,
            sites: &sites,
        };
        self.take_proofs(&found);
        self.redirect_calls(&found);
        self.apply_check_level();
        self.report_refuted(&found);
        self.checks.discharge.computed = analysis.computed;
        self.checks.discharge.reused = analysis.reused;
    }

    /// Undoes what the last analysis did, but for taking proofs back.
    fn forget_proofs(&mut self) {
        for (clause, seq, address, word) in std::mem::take(&mut self.checks.discharge.patches) {
            let same = self.program.db.clause(clause).is_some_and(|c| {
                let code = c.code as usize..(c.code + c.len) as usize;
                c.seq == seq && code.contains(&address)
            });
            if same {
                self.program.code.set(address, word);
            }
        }
        for plan in &mut self.checks.plans {
            plan.proved = Proved::default();
            plan.retired |= plan.variant_of.is_some();
        }
        let guards = std::mem::take(&mut self.checks.discharge.guards);
        for (pred, _) in sorted(&guards) {
            if self
                .checks
                .plans
                .iter()
                .all(|plan| plan.pred != pred || plan.retired)
            {
                self.set_checked_entry(pred, None);
            }
        }
        // Once withdrawn, proofs stay so: what they assume was broken in this very run.
        self.checks.discharge.statuses.clear();
    }

    /// The predicates all of whose clauses are recorded, with their conditions.
    fn program_to_analyse(&mut self) -> (Program, Vec<PredId>, Vec<Vec<Vec<Site>>>) {
        let mut ids: Vec<PredId> = self
            .checks
            .recorded_clauses
            .keys()
            .copied()
            .filter(|&id| self.is_recorded(id))
            .collect();
        ids.sort_unstable();
        let index: FastMap<PredId, usize> =
            ids.iter().enumerate().map(|(i, &id)| (id, i)).collect();
        let mut mentioned: Vec<Atom> = self.checks.mentioned.clone();
        for id in &ids {
            for recorded in &self.checks.recorded_clauses[id] {
                record::mentioned_as_data(&recorded.raw, &mut mentioned);
            }
        }
        let mentioned: FastSet<Atom> = mentioned.into_iter().collect();
        let mut types = Types::default();
        let specs: Vec<Spec> = ids
            .iter()
            .map(|&id| self.checks.spec_of(id, &mut types))
            .collect();
        let resolve =
            |module: Atom, name: Atom, arity: usize| self.callee(&index, module, name, arity);
        let mut preds = Vec::new();
        let mut sites = Vec::new();
        for (&id, spec) in ids.iter().zip(specs) {
            let pred = self.program.db.pred(id);
            let mut clauses = Vec::new();
            let mut clause_sites = Vec::new();
            for recorded in &self.checks.recorded_clauses[&id] {
                let (body, called) = goal_of(&recorded.raw, &self.mem.atoms, &resolve);
                clauses.push(Clause {
                    variables: recorded.raw.variables,
                    head: recorded.raw.head.clone(),
                    body,
                });
                clause_sites.push(
                    called
                        .into_iter()
                        .map(|(pred, module, name, arity)| Site {
                            pred,
                            called: self.program.db.find(module, name, arity),
                        })
                        .collect(),
                );
            }
            let exported = self
                .program
                .db
                .modules
                .get(&pred.module)
                .is_some_and(|m| m.is_exported(pred.name, pred.arity));
            preds.push(Pred {
                name: format!(
                    "{}:{}/{}",
                    self.mem.atoms.text(pred.module),
                    self.mem.atoms.text(pred.name),
                    pred.arity
                ),
                arity: pred.arity,
                clauses,
                external: exported
                    || pred.module == atom::USER
                    || mentioned.contains(&pred.name)
                    || !spec.calls.is_empty(),
                spec,
            });
            sites.push(clause_sites);
        }
        (Program { preds, types }, ids, sites)
    }

    /// Whether the analysis knows every clause of a predicate.
    fn is_recorded(&self, id: PredId) -> bool {
        let pred = self.program.db.pred(id);
        let Some(recorded) = self.checks.recorded_clauses.get(&id) else {
            return false;
        };
        let live: Vec<i64> = pred
            .clauses
            .iter()
            .filter(|(_, number)| {
                self.program
                    .db
                    .clause(*number)
                    .is_some_and(|c| c.died == u64::MAX)
            })
            .map(|(seq, _)| *seq)
            .collect();
        pred.kind == Kind::Static
            && !pred.multifile
            && recorded.iter().map(|r| r.seq).eq(live.iter().copied())
    }

    fn callee(
        &self,
        index: &FastMap<PredId, usize>,
        module: Atom,
        name: Atom,
        arity: usize,
    ) -> Callee {
        match self.program.resolve(module, name, arity) {
            Some(id) => match index.get(&id) {
                Some(&pred) => Callee::User(pred),
                None => {
                    let pred = self.program.db.pred(id);
                    let library = pred
                        .file
                        .is_some_and(|file| self.mem.atoms.text(file).starts_with("library:"));
                    match pred.module == atom::SYSTEM || library {
                        true => Callee::System,
                        false => Callee::Opaque,
                    }
                }
            },
            None => {
                let functor = crate::cell::Cell::functor(name, arity).0;
                match self.loader.files.library_index.contains_key(&functor) {
                    true => Callee::System,
                    false => Callee::Opaque,
                }
            }
        }
    }

    /// Makes plans without what is proved, and notes the status of every assertion.
    fn take_proofs(&mut self, found: &Found<'_>) {
        let calls = found.calls_proofs();
        let index: FastMap<PredId, usize> = found
            .ids
            .iter()
            .enumerate()
            .map(|(i, &id)| (id, i))
            .collect();
        for plan in 0..self.checks.plans.len() {
            if self.checks.plans[plan].retired || self.checks.plans[plan].variant_of.is_some() {
                continue;
            }
            let pred = index.get(&self.checks.plans[plan].pred).copied();
            let success: Vec<Proof> = (0..self.checks.plans[plan].plan.success.len())
                .map(|number| match pred {
                    Some(pred) => found.success(pred, number),
                    None => Proof::Unknown,
                })
                .collect();
            let external = pred.is_none_or(|pred| found.external[pred]);
            let of_calls = pred.map_or(Proof::Unknown, |pred| match calls.get(&pred) {
                Some(&proof) => proof,
                // Only entries from outside call it, and these keep their checks.
                None if external => Proof::Proved,
                // Nothing in the program does; a goal that names the module still can.
                None => Proof::Unknown,
            });
            self.note_statuses(
                plan,
                (of_calls, &success),
                external && pred.is_none_or(|p| self.program.is_reachable(found.ids[p])),
            );
            let proved: Vec<bool> = success.iter().map(|&p| p == Proof::Proved).collect();
            self.checks.plans[plan].proved.success = proved.clone();
            if pred.is_none() || self.checks.verify {
                continue;
            }
            if proved.contains(&true) {
                let reduced = reduced(&self.checks.plans[plan].plan, &proved, false);
                let entry = self.add_variant(plan, reduced);
                self.checks.plans[plan].proved.entry = Some(entry);
            }
            let reduced = reduced(&self.checks.plans[plan].plan, &proved, true);
            if !reduced.is_empty() {
                let alias = self.add_variant(plan, reduced);
                self.checks.plans[plan].proved.alias = Some(alias);
            }
        }
        if self.checks.verify {
            self.add_checked_aliases();
        }
    }

    /// Under `--check-cache`: proved calls go through the whole plan, marked so that a violation is noticed.
    fn add_checked_aliases(&mut self) {
        for plan in 0..self.checks.plans.len() {
            let installed = &self.checks.plans[plan];
            if installed.retired || installed.variant_of.is_some() {
                continue;
            }
            let (whole, success) = (installed.plan.clone(), installed.proved.success.clone());
            let alias = self.add_variant(plan, whole);
            self.checks.plans[alias].proved.calls = true;
            self.checks.plans[alias].proved.success = success;
            self.checks.plans[plan].proved.alias = Some(alias);
        }
    }

    fn note_statuses(&mut self, plan: usize, proofs: (Proof, &[Proof]), external: bool) {
        let (calls, success) = proofs;
        let status = |proof| match proof {
            Proof::Proved => PartStatus::Checked,
            Proof::Refuted => PartStatus::False,
            Proof::Unknown => PartStatus::Check,
        };
        let installed = &self.checks.plans[plan];
        let mut statuses = Vec::new();
        for (index, assertion) in installed.plan.assertions.iter().enumerate() {
            let mut parts = Vec::new();
            let asserted = matches!(
                assertion.kind,
                AssertionKind::Pred | AssertionKind::Calls | AssertionKind::Entry
            );
            if asserted
                && installed
                    .plan
                    .calls
                    .iter()
                    .any(|c| c.assertions.contains(&index))
            {
                parts.push(("calls", status(calls)));
            }
            for (condition, &proof) in installed.plan.success.iter().zip(success) {
                if condition.assertion == index {
                    parts.push(("success", status(proof)));
                }
            }
            if installed.plan.comp.iter().any(|c| c.assertion == index) {
                parts.push(("comp", PartStatus::Check));
            }
            if installed.plan.compat.iter().any(|c| c.1 == index) {
                parts.push(("compat", PartStatus::Check));
            }
            statuses.push(AssertionStatus {
                predicate: format!(
                    "{}:{}/{}",
                    self.mem.atoms.text(installed.module),
                    installed.plan.name,
                    installed.plan.arity
                ),
                file: installed.files[index].to_string(),
                place: installed.places[index],
                parts,
                external,
            });
        }
        self.checks.discharge.statuses.extend(statuses);
    }

    fn add_variant(&mut self, of: usize, plan: Plan) -> usize {
        let index = self.checks.plans.len();
        let map = &self.checks.modules[&self.checks.plans[of].module].map;
        let variant = self.checks.plans[of].with_plan(of, plan, map);
        self.checks.plans.push(variant);
        if !self.checks.plans[index].plan.is_empty() {
            self.emit_checks(index);
        }
        index
    }

    /// Points calls that are proved, and calls of predicates with guards, to aliases.
    fn redirect_calls(&mut self, found: &Found<'_>) {
        for (caller, clauses) in found.sites.iter().enumerate() {
            for (clause, sites) in clauses.iter().enumerate() {
                // All calls of a predicate in a clause go the same way.
                let mut called: BTreeMap<(usize, Option<PredId>), bool> = BTreeMap::new();
                for (site, Site { pred, called: name }) in sites.iter().enumerate() {
                    let proved = found.is_proved(caller, clause, site, *pred, self);
                    *called.entry((*pred, *name)).or_insert(true) &= proved;
                }
                for ((pred, name), proved) in called {
                    let Some(name) = name.filter(|_| proved) else {
                        continue;
                    };
                    let recorded = &self.checks.recorded_clauses[&found.ids[caller]][clause];
                    let at = (recorded.number, recorded.seq);
                    self.redirect(at, (name, found.ids[pred]));
                }
            }
        }
        if !found.analysis.complete {
            return;
        }
        for (pred, &id) in found.ids.iter().enumerate() {
            if !found.external[pred]
                && let Some(guard) = self.compile_guard(id)
            {
                self.checks.discharge.guards.insert(id, guard);
            }
        }
    }

    /// Changes the calls of one predicate in a clause.
    fn redirect(&mut self, (number, seq): (ClauseId, i64), (called, target): (PredId, PredId)) {
        let Some(clause) = self.program.db.clause(number).filter(|c| c.seq == seq) else {
            return;
        };
        let (from, to) = (clause.code as usize, (clause.code + clause.len) as usize);
        let alias = self.alias_of(target);
        let mut at = from;
        while at < to {
            let word = self.program.code.get(at);
            let calls = matches!(op_of(word), Op::Call | Op::Execute | Op::DeallocExecute);
            if calls && (word >> 32) as u32 == called {
                let patched = word & 0xffff_ffff | u64::from(alias) << 32;
                self.program.code.set(at, patched);
                self.checks.discharge.patches.push((number, seq, at, word));
            }
            at += liveness::length(word).max(1);
        }
    }

    fn alias_of(&mut self, target: PredId) -> PredId {
        if let Some(&known) = self.checks.discharge.aliases.get(&target) {
            return known;
        }
        let name = format!(
            "$proved:{}",
            self.mem.atoms.text(self.program.db.pred(target).name)
        );
        let name = self.mem.atoms.intern(&name);
        let alias = self.plain_alias(target, name);
        self.checks.discharge.aliases.insert(target, alias);
        alias
    }

    /// A predicate that takes proofs back and goes on with what the entry is then.
    fn compile_guard(&mut self, id: PredId) -> Option<PredId> {
        let (module, arity) = (
            self.program.db.pred(id).module,
            self.program.db.pred(id).arity,
        );
        let name = self
            .mem
            .atoms
            .text(self.program.db.pred(id).name)
            .to_string();
        let args: Vec<String> = (1..=arity).map(|i| format!("A{i}")).collect();
        let call = |name: &str| {
            let name = stet_prolog::quote_atom(name);
            match args.is_empty() {
                true => name,
                false => format!("{name}({})", args.join(",")),
            }
        };
        let text = format!(
            "{} :- '$rtc_withdraw', {}",
            call(&format!("$guard:{name}")),
            call(&name)
        );
        self.compile_private_clause(module, &format!("$guard:{name}"), arity, &text)
    }

    /// Entries of aliases and guards, as proofs are in force or not.
    pub(crate) fn apply_proofs(&mut self) {
        let in_force = self.checks.proofs_in_force();
        let verify = self.checks.verify && self.checks.discharge.withdrawn.is_none();
        for (pred, alias) in sorted(&self.checks.discharge.aliases) {
            let stub = self.program.db.pred(pred).stub;
            let plan = self.checks.plan_of(pred);
            let variant = plan.and_then(|plan| self.checks.plans[plan].proved.alias);
            let through_entry = self.execute_word(pred);
            let address = match (plan, variant) {
                (None, _) => stub + 1,
                (Some(_), None) if in_force => stub + 1,
                (Some(_), Some(variant)) if in_force || verify => {
                    let variant = &self.checks.plans[variant];
                    match (variant.address, variant.wrapper) {
                        (0, Some(wrapper)) => self.execute_word(wrapper),
                        (0, None) => through_entry,
                        (address, _) => address,
                    }
                }
                _ => through_entry,
            };
            self.program.set_entry(alias, address);
        }
        // Without proofs a plan's entry is what the level made it.
        for (pred, guard) in sorted(&self.checks.discharge.guards) {
            if in_force || verify {
                self.set_checked_entry(pred, Some(guard));
            } else if self.checks.plan_of(pred).is_none() {
                self.set_checked_entry(pred, None);
            }
        }
    }

    fn execute_word(&mut self, pred: PredId) -> u32 {
        let word = [word_imm(Op::Execute, 0, 0, pred)];
        match self.alloc_code(&word) {
            Ok(address) => address,
            Err(_) => self.program.db.pred(pred).stub + 1,
        }
    }

    /// A condition that never holds is an error of the program.
    fn report_refuted(&mut self, found: &Found<'_>) {
        let mut problems = Vec::new();
        for (&(caller, clause, site), verdict) in &found.analysis.sites {
            if verdict.proof != Proof::Refuted {
                continue;
            }
            let target = found.sites[caller][clause][site].pred;
            let Some(plan) = self.checks.plan_of(found.ids[target]) else {
                continue;
            };
            let number = self.checks.recorded_clauses[&found.ids[caller]][clause].number;
            let line = self.program.db.clause(number).map_or(0, |c| c.line);
            let installed = &self.checks.plans[plan];
            problems.push(LoadProblem {
                code: "run/refuted-assertion",
                error: true,
                message: format!(
                    "the call on line {line} violates the calls condition whenever it is reached: {}",
                    verdict.call
                ),
                file: installed.file.to_string(),
                place: installed.places.first().copied(),
            });
        }
        for (&(pred, number), (proof, success)) in &found.analysis.success {
            let Some(plan) = self
                .checks
                .plan_of(found.ids[pred])
                .filter(|_| *proof == Proof::Refuted)
            else {
                continue;
            };
            let installed = &self.checks.plans[plan];
            let assertion = installed.plan.success[number].assertion;
            problems.push(LoadProblem {
                code: "run/refuted-assertion",
                error: true,
                message: format!("no answer satisfies the success condition: {success}"),
                file: installed.files[assertion].to_string(),
                place: Some(installed.places[assertion]),
            });
        }
        for problem in problems {
            self.load_problem(problem);
        }
    }
}

/// A call in a clause: the predicate, and the one its instruction names.
pub(crate) struct Site {
    pred: usize,
    called: Option<PredId>,
}

struct Found<'a> {
    analysis: &'a Analysis,
    ids: &'a [PredId],
    external: &'a [bool],
    sites: &'a [Vec<Vec<Site>>],
}

impl Found<'_> {
    fn success(&self, pred: usize, number: usize) -> Proof {
        match self.analysis.success.get(&(pred, number)) {
            Some((proof, _)) if self.analysis.complete => *proof,
            Some(_) => Proof::Unknown,
            // Nothing calls it in the program; a goal that names its module still can.
            None => Proof::Unknown,
        }
    }

    /// What holds of all calls of each predicate.
    fn calls_proofs(&self) -> BTreeMap<usize, Proof> {
        let mut proofs: BTreeMap<usize, Proof> = BTreeMap::new();
        for (&(caller, clause, site), verdict) in &self.analysis.sites {
            let pred = self.sites[caller][clause][site].pred;
            let entry = proofs.entry(pred).or_insert(verdict.proof);
            if *entry != verdict.proof {
                *entry = match (*entry, verdict.proof) {
                    (Proof::Refuted, _) | (_, Proof::Refuted) => Proof::Refuted,
                    _ => Proof::Unknown,
                };
            }
        }
        if !self.analysis.complete {
            (0..self.ids.len()).for_each(|pred| {
                proofs.insert(pred, Proof::Unknown);
            });
        }
        proofs
    }

    /// Whether a call may use the alias.
    fn is_proved(
        &self,
        caller: usize,
        clause: usize,
        site: usize,
        pred: usize,
        machine: &Machine,
    ) -> bool {
        if !self.analysis.complete {
            return false;
        }
        let has_calls = machine
            .checks
            .plan_of(self.ids[pred])
            .is_some_and(|plan| !machine.checks.plans[plan].plan.calls.is_empty());
        if !has_calls {
            // Only guards need the redirection then, and plans whose success is proved.
            return true;
        }
        match self.analysis.sites.get(&(caller, clause, site)) {
            Some(verdict) => verdict.proof == Proof::Proved,
            // Never reached by the analysis, so nothing was proved.
            None => false,
        }
    }
}

/// A map in the order of its keys.
fn sorted(map: &FastMap<PredId, PredId>) -> Vec<(PredId, PredId)> {
    let mut items: Vec<(PredId, PredId)> = map.iter().map(|(&a, &b)| (a, b)).collect();
    items.sort_unstable();
    items
}

/// The plan without the success conditions that are proved, and without calls conditions if these are.
fn reduced(plan: &Plan, proved: &[bool], calls: bool) -> Plan {
    let mut reduced = plan.clone();
    let mut flags = proved.iter();
    reduced
        .success
        .retain(|_| !flags.next().copied().unwrap_or(false));
    if calls {
        reduced.calls.clear();
    }
    reduced.drop_unused();
    reduced
}
