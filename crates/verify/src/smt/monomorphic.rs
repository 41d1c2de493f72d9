//! Programs without polymorphism: every type has a sort of its own, every map type its select and store.
//!
//! No casts, no type terms, no premises; the prover has less to look at. What is polymorphic after all (an
//! expression of an older snapshot) is refused, never translated wrongly.

use super::names::{self, digits, quoted};
use super::{Feature, Native, Smt, Unit};
use std::fmt::Write;
use std::rc::Rc;
use stet_boogie::ast::{BinaryOp, ExprKind};
use stet_boogie::{Program, Type, TypeId};

/// Whether a program can be encoded this way: it has no type parameters anywhere and does not use `<:`.
pub(crate) fn is_monomorphic(program: &Program) -> bool {
    let plain = |params: &[_]| params.is_empty();
    program.funcs.iter().all(|(_, f)| plain(&f.type_params))
        && program.procs.iter().all(|(_, p)| plain(&p.type_params))
        && program.impls.iter().all(|(_, i)| plain(&i.type_params))
        && program
            .consts
            .iter()
            .all(|(_, c)| c.parents.is_none() && !c.complete)
        && program.exprs.iter().all(|(_, expr)| match &expr.kind {
            ExprKind::Binder(binder) => plain(&binder.type_params),
            ExprKind::Binary(BinaryOp::Subtype, ..) => false,
            _ => true,
        })
        && program
            .types
            .all()
            .all(|ty| !matches!(ty, Type::Map { params: 1.., .. }))
        && program
            .type_ctors
            .iter()
            .all(|(_, ctor)| ctor.constructors.is_empty() || ctor.params.is_empty())
}

impl Smt {
    /// The sort of a declared type or map type.
    pub(super) fn own_sort(&mut self, program: &Program, ty: TypeId) -> String {
        let name: Rc<str> = names::sort(&self.type_text(program, ty)).into();
        if matches!(program.types.get(ty), Type::Map { .. }) {
            self.map_sorts.insert(name.clone(), ty);
            self.need(Feature::MapSort(name.clone()));
        } else {
            self.need(Feature::Sort(name.clone()));
        }
        name.to_string()
    }

    /// A text that differs for different types, for the names of sorts and functions.
    fn type_text(&mut self, program: &Program, ty: TypeId) -> String {
        match program.types.get(ty).clone() {
            Type::Ctor(ctor, args) => {
                let name = program.name(program.type_ctors[ctor].name);
                let mut text = name.to_owned();
                if name.contains(['|', '\\']) {
                    // Such characters cannot stand in a symbol.
                    let _ = write!(text, "@{}", digits(name));
                }
                for &arg in args.iter() {
                    let _ = write!(text, "({})", self.type_text(program, arg));
                }
                text
            }
            Type::Map { args, result, .. } => {
                let args: Vec<String> = args
                    .iter()
                    .map(|&arg| self.type_text(program, arg))
                    .collect();
                format!("[{}]{}", args.join(","), self.type_text(program, result))
            }
            _ => match self.native(program, ty) {
                Some(native) => self.native_tag(program, native),
                None => {
                    self.unsupported
                        .get_or_insert_with(|| "a type parameter in this position".to_owned());
                    "?".to_owned()
                }
            },
        }
    }

    /// The name of an operation on maps of a type with a sort of its own.
    pub(super) fn map_operation(&mut self, program: &Program, op: &str, ty: TypeId) -> String {
        self.native_sort(program, Native::Map(ty));
        quoted(&format!("{op}_{}", self.type_text(program, ty)))
    }

    /// A map type with a sort of its own: McCarthy's axioms, as Boogie states them.
    pub(super) fn map_sort_unit(&mut self, program: &Program, name: &Rc<str>, unit: &mut Unit) {
        let Some(&ty) = self.map_sorts.get(name) else {
            return;
        };
        let Type::Map { args, result, .. } = program.types.get(ty).clone() else {
            return;
        };
        let _ = writeln!(unit.sorts, "(declare-sort {name} 0)");
        let sorts: Vec<String> = args.iter().map(|&arg| self.sort(program, arg)).collect();
        let value = self.sort(program, result);
        let select = self.map_operation(program, "Select", ty);
        let store = self.map_operation(program, "Store", ty);
        let _ = write!(
            unit.declarations,
            "(declare-fun {select} ({name} {list}) {value})\n\
             (declare-fun {store} ({name} {list} {value}) {name})\n",
            list = sorts.join(" ")
        );
        let list = |prefix: &str| -> (String, String) {
            let heads = sorts.iter().enumerate();
            let heads = heads.map(|(i, sort)| format!("({prefix}{i} {sort}) "));
            let names = (0..sorts.len()).map(|i| format!(" {prefix}{i}"));
            (heads.collect(), names.collect())
        };
        let ((xs, x), (ys, y)) = (list("x"), list("y"));
        let stored = format!("({store} m{x} v)");
        let _ = writeln!(
            unit.axioms,
            "(assert (forall ((m {name}) {xs}(v {value})) (= ({select} {stored}{x}) v)))"
        );
        for i in 0..sorts.len() {
            let _ = writeln!(
                unit.axioms,
                "(assert (forall ((m {name}) {xs}{ys}(v {value})) (=> (not (= x{i} y{i})) \
                 (= ({select} {stored}{y}) ({select} m{y})))))"
            );
        }
    }
}
