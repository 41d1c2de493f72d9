//! Terms of the machine as text.

use crate::cell::*;
use crate::errors::PErr;
use crate::machine::Machine;
use crate::memory::Memory;
use stet_base::FastMap;
use stet_prolog::{TermView, View, WriteOptions, atom, write_term};

/// The most places where a cyclic term contains itself that are looked at closely.
const FACTORS: usize = 200;

/// The machine's terms for the writer.
struct MachineView<'a> {
    machine: &'a Machine,
    names: Option<&'a FastMap<Cell, String>>,
}

/// A term, and whether it is written out although it has a name.
type Term = (Cell, bool);

impl TermView for MachineView<'_> {
    type Term = Term;

    fn view(&self, (term, in_full): Term) -> View<Term> {
        let cell = self.machine.mem.deref(term);
        match cell.tag() {
            REF | ATT => match self.names.and_then(|names| names.get(&cell)) {
                Some(name) => View::Var(name.clone()),
                None => View::Var(format!("_G{}", cell.index())),
            },
            CON => View::Atom(cell.as_atom().unwrap_or(atom::NIL)),
            INT => View::Int(cell.small_value()),
            BOX => match self.machine.mem.heap.cell(cell.index()).kind() {
                KIND_FLOAT => View::Float(self.machine.mem.float_value(cell)),
                KIND_BIG => View::Big(self.machine.mem.big_value(cell)),
                KIND_RATIO => View::Ratio(self.machine.mem.ratio_value(cell).to_string()),
                _ => View::Str(self.machine.mem.string_value(cell)),
            },
            _ if !in_full && self.names.is_some_and(|names| names.contains_key(&cell)) => {
                let name = self.names.and_then(|names| names.get(&cell));
                View::Var(name.cloned().unwrap_or_default())
            }
            _ => match self.machine.mem.compound(cell) {
                Some((atom::STREAM_FUNCTOR, 1, args)) => View::Verbatim(format!(
                    "<stream>({})",
                    self.machine.mem.at(args).small_value()
                )),
                Some((atom::PORTRAYED, 1, args))
                    if self.machine.mem.is_string(self.machine.mem.at(args)) =>
                {
                    View::Verbatim(self.machine.mem.string_value(self.machine.mem.at(args)))
                }
                Some((name, arity, _)) => View::Compound(name, arity),
                None => View::Verbatim("?".to_owned()),
            },
        }
    }

    fn arg(&self, (term, _): Term, index: usize) -> Term {
        match self.machine.mem.compound(self.machine.mem.deref(term)) {
            Some((_, _, args)) => (self.machine.mem.heap.cell(args + index), false),
            None => (Cell::atom(atom::NIL), false),
        }
    }

    fn may_continue(&self, length: usize) -> bool {
        let fits = length < self.machine.config.memory / 2;
        let go_on = fits && self.machine.config.budget.check().is_ok();
        if !go_on {
            self.machine.io.write_stopped.set(true);
        }
        go_on
    }
}

impl Memory {
    /// The subterms of a cyclic term that must have names for the rest to be finite.
    fn factors(&self, term: Cell) -> Vec<Cell> {
        let mut heads = Vec::new();
        self.loop_heads(term, usize::MAX, &mut heads);
        let shared = self.shared_subterms(term, FACTORS);
        if shared.len() >= FACTORS {
            return heads;
        }
        // A shared subterm that contains itself only through others is written out in their place.
        let mut named: stet_base::FastSet<Cell> = shared.iter().copied().collect();
        let mut kept = Vec::new();
        for cell in shared {
            named.remove(&cell);
            if self.reaches(cell, cell, &named) {
                named.insert(cell);
                kept.push(cell);
            }
        }
        kept
    }

    /// Compound subterms that are met more than once, in order, `limit` at most.
    fn shared_subterms(&self, term: Cell, limit: usize) -> Vec<Cell> {
        let mut seen: FastMap<Cell, (usize, bool)> = FastMap::default();
        let mut stack = vec![term];
        let mut shared = Vec::new();
        while let Some(cell) = stack.pop() {
            let cell = self.deref(cell);
            let Some((_, arity, args)) = self.compound(cell) else {
                continue;
            };
            let order = seen.len();
            match seen.get_mut(&cell) {
                Some((_, true)) => {}
                Some((order, again)) => {
                    *again = true;
                    shared.push((*order, cell));
                    if shared.len() >= limit {
                        break;
                    }
                }
                None => {
                    seen.insert(cell, (order, false));
                    stack.extend((0..arity).rev().map(|i| self.heap.cell(args + i)));
                }
            }
        }
        shared.sort_unstable_by_key(|&(order, _)| order);
        shared.into_iter().map(|(_, cell)| cell).collect()
    }

    /// Whether `target` is below `from` without going through any of the `named`.
    fn reaches(&self, from: Cell, target: Cell, named: &stet_base::FastSet<Cell>) -> bool {
        let mut seen = stet_base::FastSet::default();
        let mut stack = vec![from];
        while let Some(cell) = stack.pop() {
            let cell = self.deref(cell);
            let Some((_, arity, args)) = self.compound(cell) else {
                continue;
            };
            if !seen.insert(cell) {
                continue;
            }
            for i in 0..arity {
                let next = self.at(args + i);
                if next == target {
                    return true;
                }
                if !named.contains(&next) {
                    stack.push(next);
                }
            }
        }
        false
    }

    /// A quick test: small terms are walked to their end, anything else may be cyclic.
    pub(crate) fn may_be_cyclic(&self, term: Cell) -> bool {
        let mut count = 0;
        self.walk(term, |_| {
            count += 1;
            count < 1000
        });
        count >= 1000
    }
}

impl Machine {
    /// Writes a term with options.
    pub(crate) fn format_term(&self, term: Cell, options: &WriteOptions) -> String {
        self.format_named(term, options, None)
    }

    /// Writes a term whose variables have names. A cyclic term is written as `@(Template, [Name=Value, …])`.
    pub(crate) fn format_named(
        &self,
        term: Cell,
        options: &WriteOptions,
        names: Option<&FastMap<Cell, String>>,
    ) -> String {
        if options.max_depth > 0 || !self.mem.may_be_cyclic(term) || self.mem.is_acyclic(term) {
            return self.format_folded(term, options, names);
        }
        let mut names = names.cloned().unwrap_or_default();
        let factors = self.mem.factors(term);
        for (i, &cell) in factors.iter().enumerate() {
            names.entry(cell).or_insert_with(|| format!("S_{}", i + 1));
        }
        let inner = |priority: u16| WriteOptions {
            priority,
            ..*options
        };
        let template = self.format_folded(term, &inner(999), Some(&names));
        let values: Vec<String> = factors
            .iter()
            .map(|&cell| {
                let value = self.format_in_full(cell, &inner(699), &names);
                let name = &names[&cell];
                match options.ignore_ops {
                    true => format!("=({name},{value})"),
                    false => format!("{name}={value}"),
                }
            })
            .collect();
        format!("@({template},[{}])", values.join(","))
    }

    /// Writes a term whose variables, and the places where it contains itself, have names.
    pub(crate) fn format_folded(
        &self,
        term: Cell,
        options: &WriteOptions,
        names: Option<&FastMap<Cell, String>>,
    ) -> String {
        let view = MachineView {
            machine: self,
            names,
        };
        write_term(
            &view,
            (term, false),
            &self.mem.atoms,
            &self.loader.ops,
            options,
        )
    }

    /// The same for a term that has a name itself.
    fn format_in_full(
        &self,
        term: Cell,
        options: &WriteOptions,
        names: &FastMap<Cell, String>,
    ) -> String {
        let view = MachineView {
            machine: self,
            names: Some(names),
        };
        write_term(
            &view,
            (term, true),
            &self.mem.atoms,
            &self.loader.ops,
            options,
        )
    }

    /// An exception if a text was cut short by a limit.
    pub(crate) fn check_written(&mut self) -> Result<(), PErr> {
        if !self.io.write_stopped.replace(false) {
            return Ok(());
        }
        self.look()?;
        Err(self.mem.resource_error(atom::MEMORY))
    }

    /// As `writeq/1` would print.
    pub(crate) fn quoted(&self, term: Cell) -> String {
        self.format_term(term, &WriteOptions::WRITEQ)
    }
}
