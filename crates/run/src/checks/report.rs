//! Violated conditions: messages in Ciao's form, and `rtcheck/6` terms.

use super::flags::Flags;
use super::plan::Formula;
use super::runtime::{Violation, ViolationAction};
use crate::cell::Cell;
use crate::errors::PErr;
use crate::machine::Machine;
use crate::memory::Memory;
use stet_base::FastMap;
use stet_prolog::{WriteOptions, atom};

/// Violations shown and kept; more are only counted.
pub(crate) const KEPT: usize = 10_000;

/// Messages show terms down to this depth.
const SHOWN_DEPTH: u32 = 20;

impl Violation {
    /// The message, without a trailing line end.
    pub fn message(&self) -> String {
        self.message_with(&Flags::default())
    }

    /// The message with what the flags ask for.
    pub(crate) fn message_with(&self, flags: &Flags) -> String {
        let place = match self.place.filter(|_| flags.assertion_lines) {
            Some(place) => format!("(lns {}-{}) ", place.lines.0, place.lines.1),
            None => String::new(),
        };
        let clauses = match self.clause_place.filter(|_| flags.clause_lines) {
            Some(place) => format!("\n  (clauses: lns {}-{})", place.lines.0, place.lines.1),
            None => String::new(),
        };
        let predicate = match self.predicate.split_once(':') {
            Some((_, short)) if !flags.long_names && self.kind != "pp_check" => short,
            _ => &self.predicate,
        };
        if self.kind == "property" {
            return format!(
                "{{In {}\nERROR: {place}{predicate} a property raised an exception.\n  Property:\n    {}\n  \
                 Exception:\n    {}\n  The condition is not decided.{clauses}\n}}",
                self.file, self.required, self.actual
            );
        }
        format!(
            "{{In {}\nERROR: {place}{predicate} run-time check failure.\n  Requires in *{}*:\n    {}\n  \
             But instead:\n    {}{clauses}\n}}",
            self.file, self.kind, self.required, self.actual
        )
    }
}

/// What a report is about.
pub(crate) struct Subject<'a> {
    pub(crate) plan: usize,
    pub(crate) assertion: usize,
    pub(crate) kind: &'static str,
    pub(crate) required: String,
    /// The properties that do not hold, as text over the plan's variables.
    pub(crate) failed: Vec<String>,
    pub(crate) args: &'a [Cell],
}

impl Memory {
    fn shown_options(&self, cell: Cell, priority: u16) -> WriteOptions {
        let small = self.shown_variables(cell).is_some();
        WriteOptions {
            max_depth: if small { SHOWN_DEPTH } else { 5 },
            priority,
            ..WriteOptions::WRITEQ
        }
    }

    /// Other variables are `_A`, `_B`, …, so that messages do not depend on where terms are.
    fn name_variables(&self, args: &[Cell], names: &mut FastMap<Cell, String>) {
        let mut fresh = 0;
        for var in args
            .iter()
            .filter_map(|&cell| self.shown_variables(cell))
            .flatten()
        {
            names.entry(var).or_insert_with(|| {
                fresh += 1;
                format!("_{}", stet_prolog::variable_name(fresh - 1))
            });
        }
    }

    /// The variables of what is shown of a term. `None`: it is too large to be shown to this depth, as a shared term
    /// may be beyond all measure.
    fn shown_variables(&self, cell: Cell) -> Option<Vec<Cell>> {
        let mut found = Vec::new();
        let mut work = vec![(cell, SHOWN_DEPTH)];
        let mut seen = 0;
        while let Some((cell, depth)) = work.pop() {
            seen += 1;
            if seen > 2_000 {
                return None;
            }
            let cell = self.deref(cell);
            if cell.is_var() {
                found.push(cell);
            } else if depth > 0
                && let Some((_, arity, args)) = self.compound(cell)
            {
                let args = (args..args + arity).rev();
                work.extend(args.map(|at| (self.at(at), depth - 1)));
            }
        }
        Some(found)
    }

    pub(crate) fn place_term(
        &mut self,
        kind: &str,
        file: &str,
        lines: (u32, u32),
    ) -> Result<Cell, PErr> {
        let file = Cell::atom(self.atoms.intern(file));
        let kind = self.atoms.intern(kind);
        let name = self.atoms.intern("loc");
        self.need(16)?;
        let first = Cell::small(i64::from(lines.0));
        let last = Cell::small(i64::from(lines.1));
        let place = self.new_term(name, &[file, first, last]);
        Ok(self.new_term(kind, &[place]))
    }
}

impl Machine {
    pub(crate) fn calls_violation(
        &mut self,
        plan: usize,
        index: usize,
        args: &[Cell],
    ) -> Result<(), PErr> {
        self.notice_violation(self.checks.plans[plan].proved.calls);
        let installed = &self.checks.plans[plan];
        let source = &installed.plan;
        let condition = &source.calls[index];
        let texts: Vec<String> = source.entry_props.iter().map(|p| p.text.clone()).collect();
        let required: Vec<String> = condition
            .any_of
            .iter()
            .map(|&pre| formula_text(&source.pres[pre], &texts))
            .collect();
        let required = required.join(" ; ");
        self.violated(&Subject {
            plan,
            assertion: condition.assertions[0],
            kind: "calls",
            failed: vec![required.clone()],
            required,
            args,
        })
    }

    pub(crate) fn success_violation(
        &mut self,
        plan: usize,
        index: usize,
        args: &[Cell],
        bits: u64,
    ) -> Result<(), PErr> {
        let proved = &self.checks.plans[plan].proved.success;
        self.notice_violation(proved.get(index).copied().unwrap_or(false));
        let source = &self.checks.plans[plan].plan;
        let condition = &source.success[index];
        let texts: Vec<String> = source.exit_props.iter().map(|p| p.text.clone()).collect();
        // With one conjunction the properties at fault are known; otherwise the whole condition is.
        let failed = match &condition.post[..] {
            [single] => single
                .iter()
                .filter(|&&prop| bits >> prop & 1 == 0)
                .map(|&prop| texts[prop].clone())
                .collect(),
            _ => vec![formula_text(&condition.post, &texts)],
        };
        let required = formula_text(&condition.post, &texts);
        let assertion = condition.assertion;
        self.violated(&Subject {
            plan,
            assertion,
            kind: "success",
            required,
            failed,
            args,
        })
    }

    pub(crate) fn compat_violation(
        &mut self,
        plan: usize,
        index: usize,
        args: &[Cell],
    ) -> Result<(), PErr> {
        let source = &self.checks.plans[plan].plan;
        let (formula, assertion) = &source.compat[index];
        let texts: Vec<String> = source.compat_props.iter().map(|p| p.text.clone()).collect();
        let required = formula_text(formula, &texts);
        let assertion = *assertion;
        self.violated(&Subject {
            plan,
            assertion,
            kind: "compat",
            failed: vec![required.clone()],
            required,
            args,
        })
    }

    /// A condition does not hold. The first time that was proved impossible, a proof is wrong; after it, proofs that
    /// assumed it count no more.
    fn notice_violation(&mut self, proved: bool) {
        if self.checks.discharge.withdrawn.is_none() && self.checks.analyse {
            self.checks.cache.stats.mismatches += u64::from(proved && self.checks.verify);
            self.withdraw_proofs("an assertion was violated");
        }
    }

    pub(crate) fn violated(&mut self, subject: &Subject<'_>) -> Result<(), PErr> {
        self.violated_with(subject, None)
    }

    /// Reports, throws or records; `actual` replaces the bindings in the message.
    pub(crate) fn violated_with(
        &mut self,
        subject: &Subject<'_>,
        actual: Option<String>,
    ) -> Result<(), PErr> {
        self.notice_violation(false);
        self.checks.cache.stats.violations += 1;
        let installed = &mut self.checks.plans[subject.plan];
        installed.counters.violations += 1;
        installed.violations[subject.assertion] += 1;
        let mut violation = self.describe(subject);
        if let Some(actual) = actual {
            violation.actual = actual;
        }
        match self.checks.action {
            ViolationAction::Report => {
                self.tell_violation(violation);
                Ok(())
            }
            ViolationAction::Throw => Err(PErr::Throw(self.violation_term(subject, &violation)?)),
            ViolationAction::Record => {
                let term = self.violation_term(subject, &violation)?;
                let flat = self.flatten(term, false);
                self.checks.recorded.push(flat);
                Ok(())
            }
        }
    }

    /// Writes and keeps a violation.
    pub(crate) fn tell_violation(&mut self, violation: Violation) {
        if !self.checks.quiet && self.checks.violations.len() < KEPT {
            let message = violation.message_with(&self.checks.flags);
            self.io.host.write_error(&format!("{message}\n"));
        }
        self.keep_violation(violation);
    }

    /// Keeps a violation for the host: the first ones, and the number of the rest.
    pub(crate) fn keep_violation(&mut self, violation: Violation) {
        if self.checks.violations.len() < KEPT {
            self.checks.violations.push(violation);
            return;
        }
        self.checks.more_violations += 1;
        if self.checks.more_violations == 1 && !self.checks.quiet {
            self.io.host.write_error(&format!(
                "{{More than {KEPT} violations: the rest is counted, not shown}}\n"
            ));
        }
    }

    fn describe(&self, subject: &Subject<'_>) -> Violation {
        let installed = &self.checks.plans[subject.plan];
        let vars = &installed.plan.vars;
        let module = self.mem.atoms.text(installed.module);
        let name = stet_prolog::quote_atom(&installed.plan.name);
        let head = if vars.is_empty() {
            format!("{module}:{name}")
        } else {
            format!("{module}:{name}({})", vars.join(","))
        };
        // Unbound arguments keep their names.
        let mut names: FastMap<Cell, String> = FastMap::default();
        for (name, &cell) in vars.iter().zip(subject.args) {
            let cell = self.mem.deref(cell);
            if cell.is_var() {
                names.insert(cell, name.clone());
            }
        }
        self.mem.name_variables(subject.args, &mut names);
        let mentioned = |name: &str| subject.failed.iter().any(|text| mentions(text, name));
        let actual: Vec<String> = vars
            .iter()
            .zip(subject.args)
            .filter(|(name, _)| mentioned(name))
            .map(|(name, &cell)| {
                if self.mem.deref(cell).is_var() {
                    return format!("var({name})");
                }
                let options = self.mem.shown_options(cell, 699);
                format!(
                    "{name} = {}",
                    self.format_named(cell, &options, Some(&names))
                )
            })
            .collect();
        let actual = if actual.is_empty() {
            "the property does not hold".to_string()
        } else {
            actual.join(", ")
        };
        Violation {
            kind: subject.kind,
            predicate: head,
            required: subject.required.clone(),
            actual,
            file: installed.files[subject.assertion].to_string(),
            place: Some(installed.places[subject.assertion]),
            clause_place: installed.clause_place,
        }
    }

    /// A term as messages show it.
    pub(crate) fn shown(&self, cell: Cell, priority: u16) -> String {
        let mut names = FastMap::default();
        self.mem.name_variables(&[cell], &mut names);
        let options = self.mem.shown_options(cell, priority);
        self.format_named(cell, &options, Some(&names))
    }

    /// `rtcheck(Type, Pred, Dict, Prop, Actual, Locs)`.
    fn violation_term(
        &mut self,
        subject: &Subject<'_>,
        violation: &Violation,
    ) -> Result<Cell, PErr> {
        let installed = &self.checks.plans[subject.plan];
        let (module, name) = (installed.module, installed.plan.name.clone());
        let vars = installed.plan.vars.clone();
        let goal_name = self.mem.atoms.intern(&name);
        let goal = match subject.args {
            [] => Cell::atom(goal_name),
            args => {
                self.mem.need(args.len() + 1)?;
                self.mem.new_term(goal_name, args)
            }
        };
        self.mem.need(64 + 8 * vars.len())?;
        let pred = self.mem.new_term(atom::COLON, &[Cell::atom(module), goal]);
        let mut dict = Vec::new();
        let mut actual = Vec::new();
        for (var, &cell) in vars.iter().zip(subject.args) {
            let var_name = Cell::atom(self.mem.atoms.intern(var));
            self.mem.need(8)?;
            let pair = self.mem.new_term(atom::EQUALS, &[var_name, cell]);
            dict.push(pair);
            if subject.failed.iter().any(|text| mentions(text, var)) {
                actual.push(pair);
            }
        }
        let dict = self.new_proper_list(&dict)?;
        let actual = self.new_proper_list(&actual)?;
        let mut props = Vec::new();
        for text in &subject.failed {
            props.push(self.instantiated(text, &vars, subject.args)?);
        }
        let props = self.new_proper_list(&props)?;
        let mut places = Vec::new();
        for (kind, place) in [
            ("asrloc", violation.place),
            ("pploc", violation.clause_place),
        ] {
            if let Some(place) = place {
                places.push(self.mem.place_term(kind, &violation.file, place.lines)?);
            }
        }
        let places = self.new_proper_list(&places)?;
        let kind = Cell::atom(self.mem.atoms.intern(violation.kind));
        let name = self.mem.atoms.intern("rtcheck");
        self.mem.need(8)?;
        Ok(self
            .mem
            .new_term(name, &[kind, pred, dict, props, actual, places]))
    }

    /// A property over the plan's variables with the actual arguments in place of them.
    fn instantiated(&mut self, text: &str, vars: &[String], args: &[Cell]) -> Result<Cell, PErr> {
        let Ok(parsed) = self.parse_term(text) else {
            return Ok(Cell::atom(self.mem.atoms.intern(text)));
        };
        for (name, cell) in &parsed.variables {
            if let Some(at) = vars.iter().position(|var| var == name) {
                self.unify(*cell, args[at]);
            }
        }
        Ok(parsed.term)
    }
}

/// A condition as text: `(int(X),var(Y)) ; atm(X)`.
pub(crate) fn formula_text(formula: &Formula, texts: &[String]) -> String {
    let parts: Vec<String> = formula
        .iter()
        .map(|conjunction| {
            let literals: Vec<&str> = conjunction.iter().map(|&p| texts[p].as_str()).collect();
            match literals.len() {
                1 => literals[0].to_string(),
                _ => format!("({})", literals.join(",")),
            }
        })
        .collect();
    parts.join(" ; ")
}

/// Whether a variable's name occurs in a text as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(word) && !after.is_some_and(word)
    })
}
