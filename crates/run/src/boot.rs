//! The part of the system that is written in Prolog: loaded into module `system` when a machine is made.

use crate::cell::Cell;
use crate::database::ClauseData;
use crate::errors::PErr;
use crate::libraries::{LIBRARIES, NOT_AUTOLOADED};
use crate::load::Loader;
use crate::machine::Machine;
use stet_prolog::{Node, WriteOptions, atom};

const BOOT: &[&str] = &[
    include_str!("boot/control.pl"),
    include_str!("boot/load.pl"),
    include_str!("boot/modules.pl"),
    include_str!("boot/transparent.pl"),
    include_str!("boot/expand.pl"),
    include_str!("boot/dcg.pl"),
    include_str!("boot/solutions.pl"),
    include_str!("boot/terms.pl"),
    include_str!("boot/extras.pl"),
    include_str!("boot/swi.pl"),
    include_str!("boot/tools.pl"),
    include_str!("boot/messages.pl"),
];

/// Loads the boot files; they must be right, so any error is a fault of the build.
pub(crate) fn load_boot(machine: &mut Machine) {
    machine.loader.files.module = atom::SYSTEM;
    for text in BOOT {
        let mut at = 0;
        loop {
            let (result, next) = machine.read_text(text, at);
            at = next;
            match result {
                Ok(None) => break,
                Ok(Some(clause)) => {
                    let mark = machine.mem.h;
                    if let Err(error) = add_boot_clause(machine, &clause) {
                        let PErr::Throw(ball) = error else { continue };
                        let ball = machine.format_term(ball, &WriteOptions::WRITEQ);
                        stet_base::never!("boot clause at {}: {ball}", clause.place.start);
                    }
                    machine.mem.h = mark;
                }
                Err(error) => {
                    stet_base::never!("boot syntax at {}: {}", error.place.start, error.message);
                }
            }
        }
    }
    for pred in &mut machine.program.db.preds {
        if pred.module == atom::SYSTEM && !pred.clauses.is_empty() {
            pred.core = !pred.multifile;
        }
    }
    machine.loader.files.module = atom::USER;
    index_libraries(machine);
}

fn add_boot_clause(machine: &mut Machine, clause: &stet_prolog::Clause) -> Result<(), PErr> {
    let term = machine.term_from_ast(clause)?.term;
    if let Some(args) = machine.mem.structure(term, atom::NECK, 1) {
        let directive = machine.mem.at(args);
        if let Some(args) = machine.mem.structure(directive, atom::DYNAMIC, 1) {
            let spec = machine.mem.at(args);
            if let Some(args) = machine.mem.structure(spec, atom::SLASH, 2) {
                let (name, arity) = (machine.mem.at(args), machine.mem.at(args + 1));
                if let Some(name) = name.as_atom() {
                    let id = machine.pred_id(atom::USER, name, arity.small_value() as usize);
                    machine.make_dynamic(id)?;
                    machine.program.db.pred_mut(id).multifile = true;
                }
            }
        }
        if let Some(args) = machine.mem.structure(directive, atom::META_PREDICATE, 1) {
            let spec = machine.mem.at(args);
            machine.declare_meta(atom::SYSTEM, spec)?;
        }
        return Ok(());
    }
    let (head, body) = match machine.mem.structure(term, atom::NECK, 2) {
        Some(args) => (machine.mem.at(args), machine.mem.at(args + 1)),
        None => (term, Cell::atom(atom::TRUE)),
    };
    let Some((name, arity, _)) = machine.mem.callable(head) else {
        return Err(machine.mem.type_error(atom::CALLABLE, head));
    };
    let pred = machine.pred_id(atom::SYSTEM, name, arity);
    let data: ClauseData = machine.compile_clause(atom::SYSTEM, pred, head, body)?;
    machine.add_clause(data, true);
    Ok(())
}

/// Notes which library exports which predicate, for autoloading. Only the module headers are read.
fn index_libraries(machine: &mut Machine) {
    let found = LIBRARIES
        .iter()
        .filter(|(name, _)| !NOT_AUTOLOADED.contains(name));
    for (name, text) in found {
        let (result, _) = machine.read_text(text, 0);
        let Ok(Some(clause)) = result else { continue };
        let library = machine.mem.atoms.intern(name);
        let terms = &clause.terms;
        let [directive] = terms.args(clause.root) else {
            continue;
        };
        let Some(&exports) = terms.args(*directive).get(1) else {
            continue;
        };
        let mut list = exports;
        while let [head, tail] = terms.args(list) {
            if let [name, arity] = terms.args(*head) {
                if let (Node::Atom(name), Node::Int(arity)) =
                    (terms.node(*name), terms.node(*arity))
                {
                    // `name//arity` exports a grammar rule, with two more arguments.
                    let extra = match terms.functor(*head) {
                        Some((atom::INT_DIV, _)) => 2,
                        _ => 0,
                    };
                    let key = Cell::functor(*name, *arity as usize + extra).0;
                    machine
                        .loader
                        .files
                        .library_index
                        .entry(key)
                        .or_insert(library);
                }
            }
            list = *tail;
        }
    }
}

impl Loader {
    /// The library that exports a predicate.
    pub(crate) fn library_with(
        &self,
        name: stet_prolog::Atom,
        arity: usize,
    ) -> Option<stet_prolog::Atom> {
        let key = Cell::functor(name, arity).0;
        self.files.library_index.get(&key).copied()
    }
}
