//! Declarations of sorts, datatypes and symbols, each once per printer.

use super::{Printer, quoted};
use crate::{Sort, SortKind, Sym, Term};
use std::fmt::Write;

/// A state of the printer's declarations to go back to, as after a `pop`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declared {
    symbols: usize,
    sorts: usize,
}

impl Printer<'_> {
    /// Appends the declarations that terms need and that are not written yet.
    pub fn declare(&mut self, roots: &[Term], out: &mut String) {
        let mut symbols: Vec<Sym> = Vec::new();
        let mut sorts: Vec<Sort> = Vec::new();
        self.terms.post_order(roots, |term| {
            let node = self.terms.node(term);
            sorts.push(node.sort);
            if let crate::Op::Symbol(symbol) | crate::Op::Apply(symbol) = node.op {
                symbols.push(symbol);
            }
        });
        for sort in sorts {
            self.declare_sort(sort, out);
        }
        for symbol in symbols {
            self.declare_symbol(symbol, out);
        }
    }

    /// What is declared so far.
    pub fn declared(&self) -> Declared {
        Declared {
            symbols: self.declared_order.len(),
            sorts: self.declared_sort_order.len(),
        }
    }

    /// Forgets declarations made since, as a solver's `pop` does.
    pub fn forget_since(&mut self, state: Declared) {
        for symbol in self.declared_order.drain(state.symbols..) {
            self.declared.remove(&symbol);
        }
        for sort in self.declared_sort_order.drain(state.sorts..) {
            self.declared_sorts.remove(&sort);
        }
    }

    /// Appends the declaration of a symbol, unless it is bound or declared already.
    pub fn declare_symbol(&mut self, symbol: Sym, out: &mut String) {
        let info = self.terms.symbol_info(symbol);
        if info.bound || !self.declared.insert(symbol) {
            return;
        }
        self.declared_order.push(symbol);
        for &sort in info.params.iter() {
            self.declare_sort(sort, out);
        }
        self.declare_sort(info.sort, out);
        let _ = write!(out, "(declare-fun {} (", quoted(&info.name));
        for (i, &sort) in info.params.iter().enumerate() {
            out.push_str(if i > 0 { " " } else { "" });
            out.push_str(&self.terms.sort_text(sort));
        }
        let _ = writeln!(out, ") {})", self.terms.sort_text(info.sort));
    }

    fn note_sort(&mut self, sort: Sort) -> bool {
        let new = self.declared_sorts.insert(sort);
        if new {
            self.declared_sort_order.push(sort);
        }
        new
    }

    /// Appends the declaration of a sort and of what it mentions.
    pub fn declare_sort(&mut self, root: Sort, out: &mut String) {
        let terms = self.terms;
        let mut stack = vec![root];
        let mut datatypes = Vec::new();
        while let Some(sort) = stack.pop() {
            match terms.sort_kind(sort) {
                SortKind::Array { index, element } => stack.extend([index, element]),
                SortKind::Uninterpreted { name, args } => {
                    stack.extend(args);
                    // A sort constructor is declared once, whatever it is applied to.
                    let family = terms.uninterpreted_sort(name, &vec![Sort::BOOL; args.len()]);
                    if self.note_sort(family) {
                        let _ = writeln!(out, "(declare-sort {} {})", quoted(name), args.len());
                    }
                }
                SortKind::Datatype { .. } if self.note_sort(sort) => {
                    datatypes.push(sort);
                    for constructor in terms.constructors(sort) {
                        stack.extend(constructor.fields.iter().map(|field| field.1));
                    }
                }
                _ => {}
            }
        }
        if !datatypes.is_empty() {
            self.write_datatypes(&datatypes, out);
        }
    }

    fn write_datatypes(&self, datatypes: &[Sort], out: &mut String) {
        out.push_str("(declare-datatypes (");
        for &sort in datatypes {
            let _ = write!(out, "({} 0)", self.terms.sort_text(sort));
        }
        out.push_str(") (");
        for &sort in datatypes {
            out.push('(');
            for constructor in self.terms.constructors(sort) {
                let _ = write!(out, "({}", quoted(&constructor.name));
                for (name, sort) in &constructor.fields {
                    let _ = write!(out, " ({} {})", quoted(name), self.terms.sort_text(*sort));
                }
                out.push(')');
            }
            out.push(')');
        }
        out.push_str("))\n");
    }
}
