//! The predicates behind run-time checks that Prolog code calls: evaluating, reporting, switching.

use super::answers;
use super::regcheck::compatible;
use super::report::Subject;
use super::runtime::{CheckLevel, SourceRange, Violation, ViolationAction};
use crate::cell::*;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::memory::Memory;
use stet_prolog::assertions::regtypes::StateId;
use stet_prolog::{Atom, Node, Place, TermId, Terms, atom};

/// Type expressions nested deeper than this are not looked up.
const MAX_TYPE_DEPTH: usize = 50;

/// Registers all predicates.
pub(crate) fn register(machine: &mut Machine) {
    machine.register("$rtc_type", 5, rtc_type);
    machine.register("$rtc_compat_type", 3, rtc_compat_type);
    machine.register("$rtc_count", 2, rtc_count);
    machine.register("$rtc_require", 6, rtc_require);
    machine.register("$rtc_comp_violation", 4, rtc_comp_violation);
    machine.register("$rtc_point_violation", 3, rtc_point_violation);
    machine.register("$rtc_type_literal", 3, rtc_type_literal);
    machine.register("$rtc_compat_literal", 3, rtc_compat_literal);
    machine.register("$rtc_action", 2, rtc_action);
    machine.register("$rtc_take_errors", 1, rtc_take_errors);
    machine.register("$rtc_keep_errors", 1, rtc_keep_errors);
    machine.register("$rtc_switch", 2, rtc_switch);
    machine.register("$rtc_property_raised", 3, rtc_property_raised);
    machine.register("$rtc_withdraw", 0, |m| {
        m.withdraw_proofs("a predicate was called in a way the analysis did not reckon with");
        Ok(true)
    });
    answers::register(machine);
}

fn argument(machine: &Machine, index: usize) -> Cell {
    machine.mem.deref(machine.control.x[index])
}

/// The truth value of a property: 3 or 0.
fn truth(holds: bool) -> Cell {
    Cell::small(if holds { 3 } else { 0 })
}

/// `'$rtc_count'(Plan, Side)`: a call (0) or success (1) of a predicate with a wrapper.
fn rtc_count(machine: &mut Machine) -> Res {
    let plan = argument(machine, 0).small_value() as usize;
    let exit = argument(machine, 1) == Cell::small(1);
    let counters = &mut machine.checks.plans[plan].counters;
    *(if exit {
        &mut counters.exits
    } else {
        &mut counters.entries
    }) += 1;
    Ok(true)
}

/// `'$rtc_compat_type'(State, X, R)`.
fn rtc_compat_type(machine: &mut Machine) -> Res {
    let state = argument(machine, 0).small_value() as StateId;
    let subject = machine.control.x[1];
    let holds = compatible(&machine.mem.heap, &machine.checks.types, subject, state);
    let result = machine.control.x[2];
    machine.unify_result(result, truth(holds))
}

/// `'$rtc_type'(State, X, R, Plan, Property)`; properties on exit count from -1 down.
fn rtc_type(machine: &mut Machine) -> Res {
    let state = argument(machine, 0).small_value() as StateId;
    let subject = machine.control.x[1];
    let plan = argument(machine, 3).small_value() as usize;
    let property = argument(machine, 4).small_value();
    let index = if property < 0 {
        -1 - property
    } else {
        property
    };
    let holds = machine.property_of(subject, state, Some((plan, property < 0, index as usize)));
    let result = machine.control.x[2];
    machine.unify_result(result, truth(holds))
}

/// `'$rtc_require'(Expression, Plan, Kind, Condition, Args, Values)`; `Values` are those of the exit properties.
fn rtc_require(machine: &mut Machine) -> Res {
    let expression = machine.control.x[0];
    let value = machine.eval_cell(expression)?;
    if value != Cell::small(0) {
        return Ok(true);
    }
    let plan = argument(machine, 1).small_value() as usize;
    let condition = argument(machine, 3).small_value() as usize;
    let kind = argument(machine, 2).as_atom().unwrap_or(atom::NIL);
    let list = machine.control.x[4];
    let args = machine.list_items(list)?;
    match machine.mem.atoms.text(kind) {
        "calls" => machine.calls_violation(plan, condition, &args)?,
        "compat" => machine.compat_violation(plan, condition, &args)?,
        _ => {
            let values = machine.control.x[5];
            let bits = machine
                .list_items(values)?
                .iter()
                .enumerate()
                .filter(|(_, value)| machine.mem.deref(**value) != Cell::small(0))
                .fold(0, |bits, (index, _)| bits | 1 << index.min(63));
            machine.success_violation(plan, condition, &args, bits)?;
        }
    }
    Ok(true)
}

/// `'$rtc_comp_violation'(Plan, Assertion, Prop, Actual)`.
fn rtc_comp_violation(machine: &mut Machine) -> Res {
    let plan = argument(machine, 0).small_value() as usize;
    let assertion = argument(machine, 1).small_value() as usize;
    let actual = machine.shown(machine.control.x[3], 1200);
    comp_violation(machine, (plan, assertion), machine.control.x[2], actual)?;
    Ok(true)
}

/// A computational property of a plan's assertion does not hold.
pub(super) fn comp_violation(
    machine: &mut Machine,
    (plan, assertion): (usize, usize),
    property: Cell,
    actual: String,
) -> Result<(), PErr> {
    let required = machine.shown(property, 1200);
    let subject = Subject {
        plan,
        assertion,
        kind: "comp",
        failed: vec![required.clone()],
        required,
        args: &[],
    };
    machine.violated_with(&subject, Some(actual))
}

/// `'$rtc_property_raised'(Plan, Property, Ball)`: a property raised an exception; `Plan` is a module for program
/// points and tests.
fn rtc_property_raised(machine: &mut Machine) -> Res {
    machine.withdraw_proofs("a property raised an exception");
    let ball = machine.control.x[2];
    if machine.checks.action == ViolationAction::Throw {
        return Err(PErr::Throw(machine.mem.deref(ball)));
    }
    let mut plan = argument(machine, 0);
    let mut assertion = 0;
    if let Some((_, 2, args)) = machine.mem.compound(plan) {
        assertion = machine.mem.at(args + 1).small_value() as usize;
        plan = machine.mem.at(args);
    }
    let installed = plan
        .is_small()
        .then(|| machine.checks.plans.get(plan.small_value() as usize))
        .flatten();
    let (predicate, file, place, clause_place) = match installed {
        Some(installed) => (
            format!(
                "{}:{}/{}",
                machine.mem.atoms.text(installed.module),
                stet_prolog::quote_atom(&installed.plan.name),
                installed.plan.arity
            ),
            installed
                .files
                .get(assertion)
                .unwrap_or(&installed.file)
                .to_string(),
            installed.places.get(assertion).copied(),
            installed.clause_place,
        ),
        None => (
            machine.quoted(plan),
            "program point".to_string(),
            None,
            None,
        ),
    };
    let mut property = argument(machine, 1);
    if let Some(args) = machine.mem.structure(property, atom::COLON, 2) {
        property = machine.mem.at(args + 1);
    }
    let violation = Violation {
        kind: "property",
        predicate,
        required: machine.shown(property, 1200),
        actual: machine.shown(ball, 1200),
        file,
        place,
        clause_place,
    };
    machine.tell_violation(violation);
    Ok(true)
}

/// The file and range in a term `place(File, FirstLine, LastLine, FirstByte, LastByte)`.
fn place_of(machine: &Machine, cell: Cell) -> Option<(String, SourceRange)> {
    let (_, 5, args) = machine.mem.compound(machine.mem.deref(cell))? else {
        return None;
    };
    let number = |i: usize| machine.mem.at(args + i).small_value() as u32;
    let range = SourceRange {
        lines: (number(1), number(2)),
        bytes: (number(3), number(4)),
    };
    Some((machine.mem.text_of(machine.mem.at(args))?, range))
}

/// `'$rtc_point_violation'(Module, Formula, Place)`.
fn rtc_point_violation(machine: &mut Machine) -> Res {
    let module = machine.quoted(machine.control.x[0]);
    let formula = machine.shown(machine.control.x[1], 1200);
    let place = place_of(machine, machine.control.x[2]);
    machine.checks.cache.stats.violations += 1;
    let violation = Violation {
        kind: "pp_check",
        predicate: module,
        actual: format!("{formula} does not hold"),
        required: formula,
        file: match &place {
            Some((file, _)) => file.clone(),
            None => "program point".to_string(),
        },
        place: place.as_ref().map(|&(_, range)| range),
        clause_place: None,
    };
    if machine.checks.action == ViolationAction::Report {
        machine.tell_violation(violation);
        return Ok(true);
    }
    let name = machine.mem.atoms.intern("rtcheck");
    let kind = Cell::atom(machine.mem.atoms.intern("pp_check"));
    let nil = Cell::atom(atom::NIL);
    let (module, formula) = (machine.control.x[0], machine.control.x[1]);
    machine.mem.need(16)?;
    let props = machine.new_proper_list(&[formula])?;
    let places = match &place {
        Some((file, range)) => vec![machine.mem.place_term("pploc", file, range.lines)?],
        None => Vec::new(),
    };
    let places = machine.new_proper_list(&places)?;
    machine.mem.need(16)?;
    let term = machine
        .mem
        .new_term(name, &[kind, module, nil, props, nil, places]);
    if machine.checks.action == ViolationAction::Throw {
        return Err(PErr::Throw(term));
    }
    let flat = machine.flatten(term, false);
    machine.checks.recorded.push(flat);
    Ok(true)
}

/// `'$rtc_type_literal'(Module, Literal, R)`: fails if the literal is no type.
fn rtc_type_literal(machine: &mut Machine) -> Res {
    let module = argument(machine, 0).as_atom().unwrap_or(atom::USER);
    let literal = machine.control.x[1];
    let Some((subject, state)) = machine.literal_state(module, literal) else {
        return Ok(false);
    };
    let holds = machine.term_in_type(subject, state);
    let result = machine.control.x[2];
    machine.unify_result(result, truth(holds))
}

/// `'$rtc_compat_literal'(Module, Literal, R)`: whether some instance is in the type; fails if the literal is no type.
fn rtc_compat_literal(machine: &mut Machine) -> Res {
    let module = argument(machine, 0).as_atom().unwrap_or(atom::USER);
    let literal = machine.control.x[1];
    let Some((subject, state)) = machine.literal_state(module, literal) else {
        return Ok(false);
    };
    let holds = compatible(&machine.mem.heap, &machine.checks.types, subject, state);
    let result = machine.control.x[2];
    machine.unify_result(result, truth(holds))
}

impl Memory {
    fn type_expression(&self, terms: &mut Terms, cell: Cell, depth: usize) -> Option<TermId> {
        let cell = self.deref(cell);
        if let Some(name) = cell.as_atom() {
            return Some(terms.add(Node::Atom(name), Place::default()));
        }
        let (name, arity, args) = self.compound(cell)?;
        if depth > MAX_TYPE_DEPTH {
            return None;
        }
        let mut nodes = Vec::new();
        for i in args..args + arity {
            nodes.push(self.type_expression(terms, self.heap.cell(i), depth + 1)?);
        }
        Some(terms.compound(name, &nodes, Place::default()))
    }
}

impl Machine {
    /// The checked argument and the state of a literal on the heap.
    pub(crate) fn literal_state(&mut self, module: Atom, literal: Cell) -> Option<(Cell, StateId)> {
        let literal = self.mem.deref(literal);
        let (name, arity, args) = self.mem.compound(literal)?;
        let args: Vec<Cell> = (args..args + arity)
            .map(|i| self.mem.heap.cell(i))
            .collect();
        for checked in [arity - 1, 0] {
            let mut terms = Terms::new();
            let mut nodes = Vec::new();
            let place = Place::default();
            for (i, &arg) in args.iter().enumerate() {
                if i == checked {
                    nodes.push(terms.add(Node::Var(0), place));
                } else if let Some(node) = self.mem.type_expression(&mut terms, arg, 0) {
                    nodes.push(node);
                }
            }
            if nodes.len() != arity {
                continue;
            }
            let root = terms.compound(name, &nodes, place);
            let types = self.checks.modules.entry(module).or_default();
            if let Some(Ok((_, state))) = types.automata.literal(&self.mem.atoms, &terms, root) {
                self.checks.types.add(&types.automata, &mut types.map);
                return Some((args[checked], types.map[state as usize]));
            }
        }
        None
    }
}

/// `'$rtc_action'(Old, New)`.
fn rtc_action(machine: &mut Machine) -> Res {
    let old = match machine.checks.action {
        ViolationAction::Report => "report",
        ViolationAction::Throw => "throw",
        ViolationAction::Record => "record",
    };
    let old = Cell::atom(machine.mem.atoms.intern(old));
    let first = machine.control.x[0];
    let new = argument(machine, 1);
    if !machine.unify_result(first, old)? {
        return Ok(false);
    }
    let Some(name) = new.as_atom() else {
        return Err(machine.mem.type_error(atom::ATOM, new));
    };
    machine.checks.action = match machine.mem.atoms.text(name) {
        "report" => ViolationAction::Report,
        "throw" => ViolationAction::Throw,
        "record" => ViolationAction::Record,
        _ => return Err(machine.mem.domain_error_named("rtchecks_action", new)),
    };
    Ok(true)
}

/// `'$rtc_take_errors'(List)`.
fn rtc_take_errors(machine: &mut Machine) -> Res {
    let recorded = std::mem::take(&mut machine.checks.recorded);
    let mut cells = Vec::new();
    for flat in &recorded {
        cells.push(machine.unflatten(flat)?);
    }
    let list = machine.new_proper_list(&cells)?;
    let result = machine.control.x[0];
    machine.unify_result(result, list)
}

/// `'$rtc_keep_errors'(List)`.
fn rtc_keep_errors(machine: &mut Machine) -> Res {
    let list = machine.control.x[0];
    for cell in machine.list_items(list)? {
        let flat = machine.flatten(cell, false);
        machine.checks.recorded.push(flat);
    }
    Ok(true)
}

/// `'$rtc_switch'(Spec, on/off)`: `all`, `exports`, a module, or `Module:Name/Arity`.
fn rtc_switch(machine: &mut Machine) -> Res {
    let spec = argument(machine, 0);
    let on = argument(machine, 1)
        .as_atom()
        .is_some_and(|name| machine.mem.atoms.text(name) == "on");
    if spec.is_var() {
        return Err(machine.mem.instantiation_error());
    }
    let target = match machine.mem.switch_target(spec) {
        Some(target) => target,
        None => {
            return Err(machine
                .mem
                .domain_error_named("rtchecks_specification", spec));
        }
    };
    match target {
        Target::Level(level) => {
            machine.checks.level = if on { level } else { CheckLevel::Off };
            machine
                .checks
                .plans
                .iter_mut()
                .for_each(|p| p.switch = None);
        }
        Target::Module(module) => {
            for plan in &mut machine.checks.plans {
                if plan.module == module {
                    plan.switch = Some(on);
                }
            }
        }
        Target::Predicate(module, name, arity) => {
            let text = machine.mem.atoms.text(name).to_string();
            for plan in &mut machine.checks.plans {
                if plan.module == module && plan.plan.name == text && plan.plan.arity == arity {
                    plan.switch = Some(on);
                }
            }
        }
    }
    machine.apply_check_level();
    Ok(true)
}

enum Target {
    Level(CheckLevel),
    Module(Atom),
    Predicate(Atom, Atom, usize),
}

impl Memory {
    fn switch_target(&self, spec: Cell) -> Option<Target> {
        if let Some(name) = spec.as_atom() {
            return Some(match self.atoms.text(name) {
                "all" => Target::Level(CheckLevel::All),
                "exports" => Target::Level(CheckLevel::Exports),
                _ => Target::Module(name),
            });
        }
        let (module, indicator) = match self.structure(spec, atom::COLON, 2) {
            Some(args) => (self.at(args).as_atom()?, self.at(args + 1)),
            None => (atom::USER, spec),
        };
        let args = self.structure(indicator, atom::SLASH, 2)?;
        let (name, arity) = (self.at(args).as_atom()?, self.at(args + 1));
        if !arity.is_small() {
            return None;
        }
        Some(Target::Predicate(
            module,
            name,
            arity.small_value() as usize,
        ))
    }
}
