//! Operators, which belong to modules.
//!
//! `Machine::ops` holds the operators in force for reading: those of `user` and of the module of the file being
//! loaded. `module_ops` keeps what each module declared for itself; a file has the table of the file that loads it put
//! aside and gets its own ([`Machine::own_operators`]), and what it declared for `user` is added to the restored one.

use crate::cell::*;
use crate::errors::PErr;
use crate::load::Loader;
use crate::machine::{Machine, Res};
use stet_base::FastMap;
use stet_prolog::{Atom, OpClass, OpDef, OpType, Ops, atom};

/// Operators of modules.
#[derive(Default)]
pub(crate) struct ModuleOps {
    /// Those of the system, before any program.
    pub(crate) standard: Ops,
    /// What modules declared for themselves, in order.
    pub(crate) local: FastMap<Atom, Vec<(Atom, OpDef)>>,
    /// What was declared for `user`, in order.
    pub(crate) global: Vec<(Atom, OpDef)>,
}

pub(super) fn register(m: &mut Machine) {
    m.loader.module_ops.standard = m.loader.ops.clone();
    m.register("op", 3, op);
    // '$ops'(Module, List): the operators in force there.
    m.register("$ops", 2, |m| {
        let module = m.atom_arg(0)?;
        let all = m.loader.operators_in(module).all();
        let mut cells = Vec::with_capacity(all.len());
        let name = m.mem.atoms.intern("op");
        for (operator, definition) in all {
            let args = [
                Cell::small(i64::from(definition.priority)),
                Cell::atom(definition.kind.atom()),
                Cell::atom(operator),
            ];
            cells.push(m.mem.new_term(name, &args));
        }
        let list = m.new_proper_list(&cells)?;
        m.unify_result(m.control.x[1], list)
    });
}

impl ModuleOps {
    /// The standard operators, those of `user`, and the module's own.
    fn of(&self, module: Atom) -> Ops {
        let mut ops = self.standard.clone();
        let local = self.local.get(&module).into_iter().flatten();
        for (name, definition) in self.global.iter().chain(local) {
            ops.add(*name, *definition);
        }
        ops
    }
}

impl Loader {
    /// The operators in force in a module.
    pub(crate) fn operators_in(&self, module: Atom) -> Ops {
        if module == self.source_module() {
            return self.ops.clone();
        }
        self.module_ops.of(module)
    }

    /// The operators a file of `module` starts with; libraries do not see those of programs.
    pub(crate) fn own_operators(&self, module: Atom, library: bool) -> Ops {
        if library {
            return self.module_ops.standard.clone();
        }
        self.module_ops.of(module)
    }
}

impl Machine {
    fn define_op(&mut self, module: Atom, name: Atom, definition: OpDef) {
        // The tables are no roots of the collection of atoms.
        let text = self.mem.atom_text(name).to_owned();
        let name = self.mem.atoms.intern(&text);
        if module == atom::USER || module == atom::SYSTEM {
            self.loader.module_ops.global.push((name, definition));
            self.loader.ops.add(name, definition);
            return;
        }
        let local = self.loader.module_ops.local.entry(module).or_default();
        local.push((name, definition));
        if self.loader.source_module() == module {
            self.loader.ops.add(name, definition);
        }
    }
}

fn op(m: &mut Machine) -> Res {
    let (priority, kind) = (m.arg(0), m.arg(1));
    let (_, names) = m.strip_source_module(m.control.x[2])?;
    if priority.is_var() || kind.is_var() || names.is_var() {
        return Err(m.mem.instantiation_error());
    }
    let number = m.mem.int_of(priority)?;
    if !(0..=1200).contains(&number) {
        return Err(m.mem.domain_error(atom::OPERATOR_PRIORITY, priority));
    }
    let kind_name = m.mem.atom_of(kind)?;
    let Some(kind) = OpType::from_atom(kind_name) else {
        return Err(m.mem.domain_error(atom::OPERATOR_SPECIFIER, kind));
    };
    let list = if names.tag() == LST {
        m.list_items(names)?
    } else {
        vec![names]
    };
    let (module, _) = m.strip_source_module(m.control.x[2])?;
    for item in list {
        let (module, item) = m.mem.strip_module_in(module, item)?;
        if item.is_var() {
            return Err(m.mem.instantiation_error());
        }
        if item.is_atom(atom::NIL) && names.tag() != LST {
            return Err(m.mem.permission_error(atom::CREATE, atom::OPERATOR, item));
        }
        let Some(name) = item.as_atom() else {
            let expected = if names.tag() == LST {
                atom::ATOM
            } else {
                atom::LIST
            };
            return Err(m.mem.type_error(expected, item));
        };
        check_operator(m, name, kind, number)?;
        let priority = number as u16;
        m.define_op(module, name, OpDef { priority, kind });
    }
    Ok(true)
}

fn check_operator(m: &mut Machine, name: Atom, kind: OpType, priority: i64) -> Result<(), PErr> {
    let cell = Cell::atom(name);
    if name == atom::COMMA {
        return Err(m.mem.permission_error(atom::MODIFY, atom::OPERATOR, cell));
    }
    if matches!(name, atom::NIL | atom::CURLY) {
        return Err(m.mem.permission_error(atom::CREATE, atom::OPERATOR, cell));
    }
    if name == atom::BAR && (kind.class() != OpClass::Infix || (priority > 0 && priority < 1001)) {
        return Err(m.mem.permission_error(atom::CREATE, atom::OPERATOR, cell));
    }
    let clash = match kind.class() {
        OpClass::Postfix => m.loader.ops.infix(name).is_some(),
        OpClass::Infix => m.loader.ops.postfix(name).is_some(),
        OpClass::Prefix => false,
    };
    if clash && priority > 0 {
        return Err(m.mem.permission_error(atom::CREATE, atom::OPERATOR, cell));
    }
    Ok(())
}
