//! Everything the machine keeps for run-time checks, and the checks themselves.
//!
//! A predicate whose plan automata can decide gets four words of code in front of its own:
//!
//! ```text
//! CheckEntry plan   checks the calls condition; with an exit, saves arguments and status in an environment
//! frame word        size of that environment
//! CheckExit plan    checks the success conditions
//! DeallocProceed
//! ```
//!
//! Without success conditions `CheckEntry` jumps to the plain code, so last calls stay last calls. With checks off
//! the predicate's entry is its plain code again.

use super::cache::Cache;
use super::discharge::{Discharge, Proved};
use super::flags::Flags;
use super::plan::{Plan, PropKind, Reach};
use super::record::Recorded;
use super::regcheck::{Checker, check_graph};
use super::types::Types;
use super::validate::{LoadProblem, PendingFile};
use crate::cell::Cell;
use crate::database::PredId;
use crate::errors::PErr;
use crate::flat::Flat;
use crate::heap::Area;
use crate::machine::Machine;
use std::sync::Arc;
use stet_base::FastMap;
use stet_prolog::Atom;
use stet_prolog::assertions::regtypes::{Automata, StateId};
use stet_prolog::assertions::{Assertion, Modes};

/// Which predicates are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CheckLevel {
    Off,
    /// Those a module exports.
    Exports,
    /// All with assertions.
    #[default]
    All,
}

/// What happens when a condition does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ViolationAction {
    /// A message; the program goes on.
    #[default]
    Report,
    /// `rtcheck/6` is thrown.
    Throw,
    /// `rtcheck/6` is kept for the program.
    Record,
}

/// A property of a native plan: argument and state.
pub(crate) type NativeProp = (u32, StateId);

/// A plan that is installed.
pub(crate) struct Installed {
    pub(crate) pred: PredId,
    pub(crate) module: Atom,
    pub(crate) exported: bool,
    pub(crate) plan: Plan,
    pub(crate) file: Arc<str>,
    /// Where each assertion is: the file, and the place in it.
    pub(crate) files: Vec<Arc<str>>,
    pub(crate) places: Vec<SourceRange>,
    /// Where the predicate's clauses are.
    pub(crate) clause_place: Option<SourceRange>,
    pub(crate) entry: Box<[NativeProp]>,
    pub(crate) exit: Box<[NativeProp]>,
    /// All entry properties form the one precondition.
    pub(crate) simple_entry: bool,
    /// All exit properties form the one postcondition.
    pub(crate) simple_exit: bool,
    /// Address of the checked code, or 0.
    pub(crate) address: u32,
    /// The plan this one is a part of, without what is proved.
    pub(crate) variant_of: Option<usize>,
    /// About calls from outside the module only; `pred` is what these use.
    pub(crate) reach: Reach,
    pub(crate) proved: Proved,
    /// The file no longer has these assertions.
    pub(crate) retired: bool,
    /// The wrapper, if there is no such code.
    pub(crate) wrapper: Option<PredId>,
    /// An own switch, overriding the level.
    pub(crate) switch: Option<bool>,
    pub(crate) counters: Counters,
    /// Counters of the properties on entry and on exit; only filled when asked for.
    pub(crate) prop_counters: [Box<[PropCounters]>; 2],
    /// Violations of each assertion.
    pub(crate) violations: Box<[u64]>,
}

impl Installed {
    /// The same predicate with a part of the plan.
    pub(crate) fn with_plan(&self, of: usize, plan: Plan, map: &[StateId]) -> Installed {
        debug_assert!(
            plan.entry_props.len() <= self.plan.entry_props.len() && plan.arity == self.plan.arity,
            "a variant is a part of the plan"
        );
        Installed {
            pred: self.pred,
            module: self.module,
            exported: self.exported,
            file: self.file.clone(),
            files: self.files.clone(),
            places: self.places.clone(),
            clause_place: self.clause_place,
            entry: native_props(&plan.entry_props, map),
            exit: native_props(&plan.exit_props, map),
            simple_entry: super::install::is_simple_entry(&plan),
            simple_exit: super::install::is_simple_exit(&plan),
            address: 0,
            variant_of: Some(of),
            reach: self.reach,
            proved: Proved::default(),
            retired: false,
            wrapper: None,
            switch: None,
            counters: Counters::default(),
            prop_counters: [plan.entry_props.len(), plan.exit_props.len()]
                .map(|count| vec![PropCounters::default(); count].into_boxed_slice()),
            violations: vec![0; plan.assertions.len()].into_boxed_slice(),
            plan,
        }
    }
}

/// A part of a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceRange {
    /// First and last line.
    pub lines: (u32, u32),
    /// First byte, and one past the last.
    pub bytes: (u32, u32),
}

/// What is counted for each property of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PropCounters {
    pub(crate) checks: u64,
    pub(crate) visits: u64,
    pub(crate) hits: u64,
    pub(crate) max_depth: u64,
}

/// What is counted for each predicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) entries: u64,
    pub(crate) exits: u64,
    pub(crate) violations: u64,
}

/// The types of a module.
#[derive(Default)]
pub(crate) struct ModuleTypes {
    pub(crate) automata: Automata,
    /// Where the states went in [`Types`].
    pub(crate) map: Vec<StateId>,
    /// The declared types, for modules that import them.
    pub(crate) declared: Vec<(Atom, usize, Vec<stet_prolog::Clause>)>,
}

/// A file with assertions that is being loaded.
#[derive(Default)]
pub(crate) struct FileAssertions {
    /// The operators before the package was used; `None`: it is not in use.
    pub(crate) outer_ops: Option<stet_prolog::Ops>,
    pub(crate) assertions: Vec<Assertion>,
    /// The package `nortchecks`: nothing but tests is checked.
    pub(crate) unchecked: bool,
    pub(crate) included: bool,
    pub(crate) clauses: Vec<stet_prolog::Clause>,
    pub(crate) modes: Modes,
}

/// A violated condition, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// `calls`, `success`, `compat`, `comp`, `pp_check`, or `property` if one raised an exception instead of
    /// holding or not.
    pub kind: &'static str,
    /// The predicate with its assertion's variables, qualified.
    pub predicate: String,
    /// What should hold.
    pub required: String,
    /// The values of the variables concerned.
    pub actual: String,
    /// The file of the assertion.
    pub file: String,
    /// Its place there; `None` for program points.
    pub place: Option<SourceRange>,
    /// Where the predicate's clauses are.
    pub clause_place: Option<SourceRange>,
}

/// A test case of a file.
pub(crate) struct TestCase {
    pub(crate) module: Atom,
    pub(crate) assertion: Assertion,
    pub(crate) file: Arc<str>,
    pub(crate) place: SourceRange,
}

/// The state of run-time checking.
#[derive(Default)]
pub(crate) struct RunTimeChecks {
    /// Positive answers of checks, by cell and type.
    pub(crate) cache: Cache,
    pub(crate) types: Types,
    pub(crate) checker: Checker,
    pub(crate) plans: Vec<Installed>,
    pub(crate) modules: FastMap<Atom, ModuleTypes>,
    pub(crate) files: Vec<FileAssertions>,
    pub(crate) level: CheckLevel,
    pub(crate) action: ViolationAction,
    /// The first violations, and how many there were beyond them.
    pub(crate) violations: Vec<Violation>,
    pub(crate) more_violations: u64,
    /// Terms kept by [`ViolationAction::Record`].
    pub(crate) recorded: Vec<Flat>,
    /// Messages are collected by the host, not written.
    pub(crate) quiet: bool,
    /// Recompute every answer and compare.
    pub(crate) verify: bool,
    /// Count visits and hits per predicate.
    pub(crate) detailed: bool,
    /// Keep the transformed program's text.
    pub(crate) print: Option<String>,
    pub(crate) tests: Vec<TestCase>,
    /// Files whose names are looked up when the outermost load ends.
    pub(crate) pending: Vec<PendingFile>,
    pub(crate) problems: Vec<LoadProblem>,
    pub(crate) flags: Flags,
    /// Conditions are to be proved at load.
    pub(crate) analyse: bool,
    /// Initialization goals are not run: the files are only looked at.
    pub(crate) load_only: bool,
    pub(crate) recorded_clauses: FastMap<PredId, Vec<Recorded>>,
    /// Names in directives: predicates called so are called from outside.
    pub(crate) mentioned: Vec<Atom>,
    pub(crate) discharge: Discharge,
    /// The largest heap so far, in cells.
    pub(crate) peak: usize,
}

/// What one evaluation reads.
pub(crate) struct Evaluation<'a> {
    pub(crate) heap: &'a Area,
    pub(crate) types: &'a Types,
    pub(crate) cache: &'a mut Cache,
    pub(crate) checker: &'a mut Checker,
    pub(crate) verify: bool,
    pub(crate) limits: (usize, usize),
}

impl Evaluation<'_> {
    #[inline(always)]
    pub(crate) fn holds(&mut self, cell: Cell, state: StateId) -> bool {
        let found = self
            .checker
            .check(self.heap, self.types, self.cache, cell, state, self.limits);
        if self.verify {
            self.compare(cell, state, found);
        }
        found
    }

    /// The same, with what it took added to the counters of a property.
    fn counted(&mut self, cell: Cell, state: StateId, counters: &mut PropCounters) -> bool {
        let before = self.cache.stats;
        self.cache.stats.max_depth = 0;
        let found = self.holds(cell, state);
        let after = &mut self.cache.stats;
        counters.checks += 1;
        counters.visits += after.visits - before.visits;
        counters.hits += after.hits - before.hits;
        counters.max_depth = counters.max_depth.max(after.max_depth);
        after.max_depth = after.max_depth.max(before.max_depth);
        found
    }

    #[cold]
    fn compare(&mut self, cell: Cell, state: StateId, found: bool) {
        if check_graph(self.heap, self.types, cell, state) != found {
            self.cache.stats.mismatches += 1;
        }
    }
}

impl Machine {
    /// The calls condition in the common case; `None` if something needs a closer look.
    #[inline(always)]
    pub(crate) fn check_entry(&mut self, plan: usize) -> Option<u64> {
        let (mem, x, checks) = (&self.mem, &self.control.x, &mut self.checks);
        checks.peak = checks.peak.max(mem.h);
        let installed = &mut checks.plans[plan];
        installed.counters.entries += 1;
        if !installed.simple_entry || checks.detailed {
            return None;
        }
        let mut evaluation = Evaluation {
            heap: &mem.heap,
            types: &checks.types,
            cache: &mut checks.cache,
            checker: &mut checks.checker,
            verify: checks.verify,
            limits: (mem.h, checks.peak * 8),
        };
        for &(argument, state) in &installed.entry {
            if !evaluation.holds(x[argument as usize], state) {
                return None;
            }
        }
        Some(1)
    }

    /// The success condition in the common case; arguments are in the environment from `base` on.
    #[inline(always)]
    pub(crate) fn check_exit(&mut self, plan: usize, base: usize, status: u64) -> bool {
        let (mem, checks) = (&self.mem, &mut self.checks);
        checks.peak = checks.peak.max(mem.h);
        let installed = &mut checks.plans[plan];
        installed.counters.exits += 1;
        if !installed.simple_exit || checks.detailed {
            return false;
        }
        debug_assert_eq!(
            installed.plan.success.len(),
            1,
            "a simple exit has one postcondition"
        );
        if status & 1 == 0 && installed.plan.success[0].pre.is_some() {
            return true;
        }
        let mut evaluation = Evaluation {
            heap: &mem.heap,
            types: &checks.types,
            cache: &mut checks.cache,
            checker: &mut checks.checker,
            verify: checks.verify,
            limits: (mem.h, checks.peak * 8),
        };
        installed.exit.iter().all(|&(argument, state)| {
            evaluation.holds(mem.env.cell(base + argument as usize), state)
        })
    }

    /// The general case on entry: evaluates every property once, reports, and returns the status of each
    /// precondition as a bit.
    #[cold]
    pub(crate) fn check_entry_slowly(&mut self, plan: usize) -> Result<u64, PErr> {
        let arity = self.checks.plans[plan].plan.arity;
        let args: Vec<Cell> = self.control.x[..arity].to_vec();
        let bits = self.property_bits(plan, &args, false);
        let installed = &self.checks.plans[plan];
        debug_assert!(
            installed.plan.pres.len() <= 60 && installed.entry.len() <= 60,
            "the status of a call has a bit for every precondition"
        );
        let pres = &installed.plan.pres;
        let mut status = 0_u64;
        for (index, formula) in pres.iter().enumerate() {
            if formula_holds(formula, bits) {
                status |= 1 << index;
            }
        }
        let failed: Vec<usize> = installed
            .plan
            .calls
            .iter()
            .enumerate()
            .filter(|(_, c)| c.any_of.iter().all(|&pre| status >> pre & 1 == 0))
            .map(|(index, _)| index)
            .collect();
        for index in failed {
            self.calls_violation(plan, index, &args)?;
        }
        Ok(status)
    }

    /// The general case on exit.
    #[cold]
    pub(crate) fn check_exit_slowly(
        &mut self,
        plan: usize,
        base: usize,
        status: u64,
    ) -> Result<(), PErr> {
        let arity = self.checks.plans[plan].plan.arity;
        let args: Vec<Cell> = (base..base + arity).map(|i| self.mem.env.cell(i)).collect();
        let bits = self.property_bits(plan, &args, true);
        let failed: Vec<usize> = self.checks.plans[plan]
            .plan
            .success
            .iter()
            .enumerate()
            .filter(|(_, s)| s.pre.is_none_or(|pre| status >> pre & 1 == 1))
            .filter(|(_, s)| !formula_holds(&s.post, bits))
            .map(|(index, _)| index)
            .collect();
        for index in failed {
            self.success_violation(plan, index, &args, bits)?;
        }
        Ok(())
    }

    /// Evaluates all properties of one side; bit `i` is the answer of property `i`.
    fn property_bits(&mut self, plan: usize, args: &[Cell], exit: bool) -> u64 {
        let (mem, checks) = (&self.mem, &mut self.checks);
        let installed = &mut checks.plans[plan];
        let counters = &mut installed.prop_counters[usize::from(exit)];
        let mut evaluation = Evaluation {
            heap: &mem.heap,
            types: &checks.types,
            cache: &mut checks.cache,
            checker: &mut checks.checker,
            verify: checks.verify,
            limits: (mem.h, checks.peak * 8),
        };
        let props = if exit {
            &installed.exit
        } else {
            &installed.entry
        };
        debug_assert!(props.len() <= 64, "a bit for every property");
        debug_assert!(
            !checks.detailed || counters.len() >= props.len(),
            "counters for every property"
        );
        let mut bits = 0_u64;
        for (index, &(argument, state)) in props.iter().enumerate() {
            let cell = args[argument as usize];
            let holds = match checks.detailed {
                true => evaluation.counted(cell, state, &mut counters[index]),
                false => evaluation.holds(cell, state),
            };
            bits |= u64::from(holds) << index;
        }
        bits
    }

    /// Whether a term is in a type, for wrappers in Prolog and program points.
    pub(crate) fn term_in_type(&mut self, cell: Cell, state: StateId) -> bool {
        self.property_of(cell, state, None)
    }

    /// The same, counted for a property (plan, on exit, index) if details are asked for.
    pub(crate) fn property_of(
        &mut self,
        cell: Cell,
        state: StateId,
        property: Option<(usize, bool, usize)>,
    ) -> bool {
        let (mem, checks) = (&self.mem, &mut self.checks);
        checks.peak = checks.peak.max(mem.h);
        let mut evaluation = Evaluation {
            heap: &mem.heap,
            types: &checks.types,
            cache: &mut checks.cache,
            checker: &mut checks.checker,
            verify: checks.verify,
            limits: (mem.h, checks.peak * 8),
        };
        match property {
            Some((plan, exit, index)) if checks.detailed => {
                let counters = &mut checks.plans[plan].prop_counters[usize::from(exit)][index];
                evaluation.counted(cell, state, counters)
            }
            _ => evaluation.holds(cell, state),
        }
    }
}

/// Whether a disjunction of conjunctions of properties holds.
pub(crate) fn formula_holds(formula: &[Vec<usize>], bits: u64) -> bool {
    formula
        .iter()
        .any(|conjunction| conjunction.iter().all(|&prop| bits >> prop & 1 == 1))
}

/// The native properties of one side of a plan, in the machine's states.
pub(crate) fn native_props(props: &[super::plan::Prop], map: &[StateId]) -> Box<[NativeProp]> {
    props
        .iter()
        .filter_map(|prop| match prop.kind {
            PropKind::Native(argument, state) => Some((argument as u32, map[state as usize])),
            PropKind::Goal => None,
        })
        .collect()
}
