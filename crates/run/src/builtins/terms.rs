//! Looking at, building, comparing and copying terms.

use crate::cell::*;
use crate::database::More;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use std::cmp::Ordering;
use stet_prolog::{Atom, atom};

pub(super) fn register(m: &mut Machine) {
    type_tests(m);
    comparison(m);
    m.register("functor", 3, functor);
    m.register_nondet("arg", 3, arg);
    m.program.det_when(|m| !m.arg(0).is_var());
    m.register("=..", 2, univ);
    m.register("copy_term", 2, |m| {
        let copy = m.copy_term(m.control.x[0], true)?;
        m.unify_result(m.control.x[1], copy)
    });
    m.register("copy_term_nat", 2, |m| {
        let copy = m.copy_term(m.control.x[0], false)?;
        m.unify_result(m.control.x[1], copy)
    });
    m.register("duplicate_term", 2, |m| {
        let copy = m.copy_term(m.control.x[0], true)?;
        m.unify_result(m.control.x[1], copy)
    });
    m.register("term_variables", 2, |m| {
        let given = m.arg(1);
        match m.mem.list_end(given) {
            Some(end) if end.is_var() || end.is_atom(atom::NIL) => {}
            _ => return Err(m.mem.type_error(atom::LIST, given)),
        }
        let found = m.mem.variables_of(m.control.x[0]);
        let list = m.new_proper_list(&found)?;
        m.unify_result(m.control.x[1], list)
    });
    m.register("term_variables", 3, |m| {
        let found = m.mem.variables_of(m.control.x[0]);
        let list = m.list_with_tail(&found, m.control.x[2])?;
        m.unify_result(m.control.x[1], list)
    });
    m.register("term_singletons", 2, |m| {
        let found = m.mem.singletons_of(m.control.x[0]);
        let list = m.new_proper_list(&found)?;
        m.unify_result(m.control.x[1], list)
    });
    m.register("setarg", 3, |m| set_arg(m, true));
    m.register("nb_setarg", 3, |m| set_arg(m, false));
    m.register("$numbervars", 3, numbervars);
    m.register("term_hash", 2, term_hash);
    m.register("compound_name_arity", 3, compound_name_arity);
    m.register("compound_name_arguments", 3, compound_name_arguments);
    m.register("unifiable", 3, unifiable);
    m.register("functor", 4, functor_of_type);
    m.register("subsumes_term", 2, subsumes);
    m.register("term_size_", 2, |m| {
        let mut count = 0;
        m.mem.walk(m.control.x[0], |_| {
            count += 1;
            true
        });
        m.unify_result(m.control.x[1], Cell::small(count))
    });
}

fn type_tests(m: &mut Machine) {
    m.register("var", 1, |m| Ok(m.arg(0).is_var()));
    m.register("nonvar", 1, |m| Ok(!m.arg(0).is_var()));
    m.register("atom", 1, |m| Ok(m.arg(0).as_atom().is_some()));
    m.register("integer", 1, |m| Ok(m.mem.is_integer(m.arg(0))));
    m.register("float", 1, |m| Ok(m.mem.is_float(m.arg(0))));
    m.register("number", 1, |m| Ok(m.mem.is_number(m.arg(0))));
    m.register("rational", 1, |m| {
        let cell = m.arg(0);
        Ok(m.mem.is_integer(cell) || m.mem.box_kind(cell) == Some(KIND_RATIO))
    });
    m.register("rational", 3, |m| {
        let cell = m.arg(0);
        let (numerator, denominator) = match m.mem.box_kind(cell) {
            Some(KIND_RATIO) => {
                let ratio = m.mem.ratio_value(cell);
                (
                    m.mem.new_big(ratio.numerator())?,
                    m.mem.new_big(ratio.denominator())?,
                )
            }
            _ if m.mem.is_integer(cell) => (cell, Cell::small(1)),
            _ => return Ok(false),
        };
        Ok(m.unify_result(m.control.x[1], numerator)?
            && m.unify_result(m.control.x[2], denominator)?)
    });
    m.register("atomic", 1, |m| Ok(m.arg(0).is_atomic()));
    m.register("compound", 1, |m| Ok(m.mem.compound(m.arg(0)).is_some()));
    m.register("callable", 1, |m| Ok(m.mem.is_callable(m.arg(0))));
    m.register("string", 1, |m| Ok(m.mem.is_string(m.arg(0))));
    m.register("is_list", 1, |m| Ok(m.mem.is_proper_list(m.control.x[0])));
    m.register("ground", 1, |m| Ok(m.mem.is_ground(m.control.x[0])));
    m.register("acyclic_term", 1, |m| Ok(m.mem.is_acyclic(m.control.x[0])));
    m.register("cyclic_term", 1, |m| Ok(!m.mem.is_acyclic(m.control.x[0])));
    m.register("is_assoc_", 1, |m| Ok(m.mem.compound(m.arg(0)).is_some()));
    m.register("attvar", 1, |m| Ok(m.arg(0).tag() == ATT));
    m.register("is_dict", 1, |_| Ok(false));
    m.register("is_stream", 1, |m| {
        let cell = m.arg(0);
        Ok(m.stream_id(cell).is_ok())
    });
}

impl Machine {
    /// Whether the first two arguments unify, and whether that would wake goals; nothing is bound.
    fn try_unify(&mut self) -> (bool, bool) {
        let mark = self.mem.tr;
        let (hb, h, pending) = (self.mem.hb, self.mem.h, self.control.pending);
        // Every binding must be undone: make all of them older than the (pretended) choice point.
        self.mem.hb = self.mem.h;
        let result = self.unify(self.control.x[0], self.control.x[1]);
        let woken = self.control.pending != pending;
        self.mem.undo_to(mark);
        self.mem.hb = hb;
        self.mem.h = h;
        self.control.pending = pending;
        (result, woken)
    }
}

fn comparison(m: &mut Machine) {
    m.register("=", 2, |m| m.unify_result(m.control.x[0], m.control.x[1]));
    m.register("\\=", 2, |m| {
        let (result, woken) = m.try_unify();
        if result && woken {
            // Whether the two can be equal is for the woken goals to say.
            let pair = [m.control.x[0], m.control.x[1]];
            m.push_pending("$not_unifiable", &pair);
            return Ok(true);
        }
        Ok(!result)
    });
    // '$different'(X, Y): no unifier, whatever goals wait on the variables.
    m.register("$different", 2, |m| Ok(!m.try_unify().0));
    m.register("unify_with_occurs_check", 2, |m| {
        Ok(m.unify_occurs(m.control.x[0], m.control.x[1]))
    });
    m.register("==", 2, |m| {
        Ok(m.mem.compare(m.control.x[0], m.control.x[1]).is_eq())
    });
    m.register("\\==", 2, |m| {
        Ok(m.mem.compare(m.control.x[0], m.control.x[1]).is_ne())
    });
    m.register("@<", 2, |m| {
        Ok(m.mem.compare(m.control.x[0], m.control.x[1]).is_lt())
    });
    m.register("@>", 2, |m| {
        Ok(m.mem.compare(m.control.x[0], m.control.x[1]).is_gt())
    });
    m.register("@=<", 2, |m| {
        Ok(m.mem.compare(m.control.x[0], m.control.x[1]).is_le())
    });
    m.register("@>=", 2, |m| {
        Ok(m.mem.compare(m.control.x[0], m.control.x[1]).is_ge())
    });
    m.register("compare", 3, |m| {
        let order = m.arg(0);
        if !order.is_var() {
            let name = m.mem.atom_of(order)?;
            if !matches!(name, atom::ARITH_LT | atom::ARITH_GT | atom::EQUALS) {
                return Err(m.mem.domain_error(atom::ORDER, order));
            }
        }
        let name = match m.mem.compare(m.control.x[1], m.control.x[2]) {
            Ordering::Less => atom::ARITH_LT,
            Ordering::Equal => atom::EQUALS,
            Ordering::Greater => atom::ARITH_GT,
        };
        m.unify_result(order, Cell::atom(name))
    });
    m.register("=@=", 2, |m| Ok(variant(m)));
    m.register("\\=@=", 2, |m| Ok(!variant(m)));
    m.register("same_term", 2, |m| Ok(m.arg(0) == m.arg(1)));
}

fn variant(m: &mut Machine) -> bool {
    let (a, b) = (m.control.x[0], m.control.x[1]);
    let mut stack = vec![(a, b)];
    let mut left = stet_base::FastMap::default();
    let mut right = stet_base::FastMap::default();
    let mut seen = stet_base::FastSet::default();
    while let Some((a, b)) = stack.pop() {
        let (a, b) = (m.mem.deref(a), m.mem.deref(b));
        match (a.is_var(), b.is_var()) {
            (true, true) => {
                if *left.entry(a).or_insert(b) != b || *right.entry(b).or_insert(a) != a {
                    return false;
                }
            }
            (false, false) => match (m.mem.compound(a), m.mem.compound(b)) {
                (Some((f, n, x)), Some((g, k, y))) => {
                    if f != g || n != k {
                        return false;
                    }
                    if seen.insert((a, b)) {
                        for i in (0..n).rev() {
                            stack.push((m.mem.heap.cell(x + i), m.mem.heap.cell(y + i)));
                        }
                    }
                }
                (None, None) => {
                    if m.mem.compare(a, b).is_ne() {
                        return false;
                    }
                }
                _ => return false,
            },
            _ => return false,
        }
    }
    true
}

fn functor(m: &mut Machine) -> Res {
    let term = m.arg(0);
    if let Some((name, arity, _)) = m.mem.compound(term) {
        return Ok(m.unify(m.control.x[1], Cell::atom(name))
            && m.unify(m.control.x[2], Cell::small(arity as i64)));
    }
    if !term.is_var() {
        return Ok(m.unify(m.control.x[1], term) && m.unify(m.control.x[2], Cell::small(0)));
    }
    let (name, arity) = (m.arg(1), m.arg(2));
    if name.is_var() || arity.is_var() {
        return Err(m.mem.instantiation_error());
    }
    let count = m.mem.int_of(arity)?;
    if count < 0 {
        return Err(m.mem.domain_error(atom::NOT_LESS_THAN_ZERO, arity));
    }
    if count == 0 {
        if !name.is_atomic() {
            return Err(m.mem.type_error(atom::ATOMIC, name));
        }
        return m.unify_result(term, name);
    }
    if count as usize > MAX_SIZE {
        return Err(m.mem.representation_error(atom::MAX_ARITY));
    }
    let Some(functor) = name.as_atom() else {
        let expected = if name.is_atomic() {
            atom::ATOM
        } else {
            atom::ATOMIC
        };
        return Err(m.mem.type_error(expected, name));
    };
    let made = new_structure(m, functor, count as usize)?;
    m.unify_result(term, made)
}

/// `functor/4`: as `functor/3`, with the type of the term.
fn functor_of_type(m: &mut Machine) -> Res {
    let (term, wanted) = (m.arg(0), m.arg(3));
    if !wanted.is_var() {
        let name = m.mem.atom_of(wanted)?;
        let known = ["atom", "compound", "callable", "atomic"];
        if !known.contains(&m.mem.atom_text(name)) {
            return Err(m.mem.domain_error_named("functor_type", wanted));
        }
    }
    if term.is_var() && m.arg(2) == Cell::small(0) {
        let name = m.arg(1);
        let wanted = wanted
            .as_atom()
            .map(|name| m.mem.atom_text(name).to_owned());
        match wanted.as_deref() {
            Some("compound") => {
                let what = m
                    .mem
                    .atom_cell("compound terms without arguments (functor/4)");
                let refused = m.mem.atoms.intern("not_supported");
                let formal = m.mem.new_term(refused, &[what]);
                return Err(m.mem.iso_error(formal));
            }
            None if name.as_atom().is_some() => return Err(m.mem.instantiation_error()),
            Some("atom" | "callable") if name.as_atom().is_none() && !name.is_var() => {
                return Err(m.mem.type_error(atom::ATOM, name));
            }
            _ => {}
        }
    }
    if !functor(m)? {
        return Ok(false);
    }
    let made = m.arg(0);
    let (kind, also) = match (m.mem.compound(made).is_some(), made.as_atom().is_some()) {
        (true, _) => ("compound", "callable"),
        (false, true) => ("atom", "callable"),
        _ => ("atomic", "atomic"),
    };
    if let Some(name) = wanted.as_atom() {
        let text = m.mem.atom_text(name);
        return Ok(text == kind || text == also || text == "atomic" && kind == "atom");
    }
    let kind = m.mem.atom_cell(kind);
    m.unify_result(wanted, kind)
}

/// `unifiable/3`: the bindings a unification makes, newest first, without making them.
fn unifiable(m: &mut Machine) -> Res {
    let (a, b) = (m.arg(0), m.arg(1));
    if a.is_var() && b.is_var() {
        let pairs = match a == b {
            true => Vec::new(),
            false => vec![(a, b)],
        };
        return equations(m, pairs);
    }
    let mark = m.mem.tr;
    let (hb, pending) = (m.mem.hb, m.control.pending);
    // Every binding must be on the trail: make all variables older than the (pretended) choice point.
    m.mem.hb = m.mem.h;
    let unified = m.unify(a, b);
    let mut pairs = Vec::new();
    let mut at = m.mem.tr;
    while unified && at > mark {
        let entry = m.mem.trail.get(at - 1);
        let index = (entry >> 3) as usize;
        let (tag, size) = match entry & 7 {
            0 => (REF, 1),
            _ => (ATT, 2),
        };
        pairs.push((Cell::pointer(tag, index), m.mem.heap.cell(index)));
        at -= size;
    }
    m.mem.undo_to(mark);
    m.mem.hb = hb;
    m.control.pending = pending;
    if !unified {
        return Ok(false);
    }
    equations(m, pairs)
}

fn equations(m: &mut Machine, pairs: Vec<(Cell, Cell)>) -> Res {
    m.mem.need(5 * pairs.len() + 2)?;
    let mut items = Vec::with_capacity(pairs.len());
    for (variable, value) in pairs {
        items.push(m.mem.new_term(atom::EQUALS, &[variable, value]));
    }
    let list = m.new_proper_list(&items)?;
    m.unify_result(m.control.x[2], list)
}

fn new_structure(m: &mut Machine, name: Atom, arity: usize) -> Result<Cell, PErr> {
    m.mem.need(arity + 2)?;
    if name == atom::DOT && arity == 2 {
        let (head, tail) = (m.mem.new_var(), m.mem.new_var());
        let _ = tail;
        return Ok(Cell::pointer(LST, head.index()));
    }
    let index = m.mem.push(Cell::functor(name, arity));
    for _ in 0..arity {
        m.mem.new_var();
    }
    Ok(Cell::pointer(STR, index))
}

fn arg(m: &mut Machine, state: u64) -> Result<More, PErr> {
    let (n, term) = (m.arg(0), m.arg(1));
    if term.is_var() {
        return Err(m.mem.instantiation_error());
    }
    let Some((_, arity, args)) = m.mem.compound(term) else {
        return Err(m.mem.type_error(atom::COMPOUND, term));
    };
    if !n.is_var() {
        if !m.mem.is_integer(n) {
            return Err(m.mem.type_error(atom::INTEGER, n));
        }
        if n.is_small() && n.small_value() < 0 {
            return Err(m.mem.domain_error(atom::NOT_LESS_THAN_ZERO, n));
        }
        if !n.is_small() || n.small_value() < 1 || n.small_value() > arity as i64 {
            return Ok(More::Fail);
        }
        let cell = m.mem.heap.cell(args + n.small_value() as usize - 1);
        return Ok(if m.unify(m.control.x[2], cell) {
            More::Last
        } else {
            More::Fail
        });
    }
    for i in state as usize..arity {
        let mark = m.mem.tr;
        let cell = m.mem.heap.cell(args + i);
        if m.unify(m.control.x[2], cell) && m.unify(n, Cell::small(i as i64 + 1)) {
            return Ok(if i + 1 == arity {
                More::Last
            } else {
                More::State(i as u64 + 1)
            });
        }
        m.mem.undo_to(mark);
    }
    Ok(More::Fail)
}

fn univ(m: &mut Machine) -> Res {
    let term = m.arg(0);
    let list = m.arg(1);
    let end = m.mem.list_end(list);
    if !term.is_var() && end.is_some_and(|end| !end.is_var() && !end.is_atom(atom::NIL)) {
        return Err(m.mem.type_error_strict(atom::LIST, list));
    }
    if let Some((name, arity, args)) = m.mem.compound(term) {
        let mut items = vec![Cell::atom(name)];
        items.extend((0..arity).map(|i| m.mem.heap.cell(args + i)));
        let list = m.new_proper_list(&items)?;
        return m.unify_result(m.control.x[1], list);
    }
    if !term.is_var() {
        let list = m.new_proper_list(&[term])?;
        return m.unify_result(m.control.x[1], list);
    }
    let list = m.arg(1);
    let items = m.list_items(list)?;
    let Some((&head, args)) = items.split_first() else {
        let nil = Cell::atom(atom::NIL);
        let domain = m.mem.atoms.intern("non_empty_list");
        return Err(m.mem.domain_error(domain, nil));
    };
    if head.is_var() {
        return Err(m.mem.instantiation_error());
    }
    if args.is_empty() {
        if !head.is_atomic() {
            return Err(m.mem.type_error(atom::ATOMIC, head));
        }
        return m.unify_result(term, head);
    }
    let Some(name) = head.as_atom() else {
        let expected = if head.is_atomic() {
            atom::ATOM
        } else {
            atom::ATOMIC
        };
        return Err(m.mem.type_error(expected, head));
    };
    if args.len() > MAX_SIZE {
        return Err(m.mem.representation_error(atom::MAX_ARITY));
    }
    m.mem.need(args.len() + 1)?;
    let made = m.mem.new_term(name, args);
    m.unify_result(term, made)
}

fn compound_name_arity(m: &mut Machine) -> Res {
    let term = m.arg(0);
    if let Some((name, arity, _)) = m.mem.compound(term) {
        return Ok(m.unify(m.control.x[1], Cell::atom(name))
            && m.unify(m.control.x[2], Cell::small(arity as i64)));
    }
    if !term.is_var() {
        return Err(m.mem.type_error(atom::COMPOUND, term));
    }
    let name = m.atom_arg(1)?;
    let arity = m.int_arg(2)?;
    if arity < 1 || arity as usize > MAX_SIZE {
        return Err(m.mem.representation_error(atom::MAX_ARITY));
    }
    let made = new_structure(m, name, arity as usize)?;
    m.unify_result(term, made)
}

fn compound_name_arguments(m: &mut Machine) -> Res {
    let term = m.arg(0);
    if let Some((name, arity, args)) = m.mem.compound(term) {
        let items: Vec<Cell> = (0..arity).map(|i| m.mem.heap.cell(args + i)).collect();
        let list = m.new_proper_list(&items)?;
        return Ok(m.unify(m.control.x[1], Cell::atom(name)) && m.unify(m.control.x[2], list));
    }
    if !term.is_var() {
        return Err(m.mem.type_error(atom::COMPOUND, term));
    }
    let name = m.atom_arg(1)?;
    let list = m.arg(2);
    let items = m.list_items(list)?;
    let made = m.mem.new_term(name, &items);
    m.unify_result(term, made)
}

fn set_arg(m: &mut Machine, backtrackable: bool) -> Res {
    let n = m.int_arg(0)?;
    let term = m.arg(1);
    let Some((_, arity, args)) = m.mem.compound(term) else {
        return Err(m.mem.type_error(atom::COMPOUND, term));
    };
    if n < 1 || n > arity as i64 {
        return Ok(false);
    }
    let at = args + n as usize - 1;
    m.checks.cache.on_destructive_assignment();
    m.withdraw_proofs("a term was overwritten in place");
    if backtrackable {
        m.mem.trail_value(at);
        let value = m.arg(2);
        m.mem.heap.put(at, value);
        return Ok(true);
    }
    let value = m.arg(2);
    let value = if value.is_pointer() {
        let copy = m.copy_term(value, true)?;
        m.protect_heap();
        copy
    } else {
        value
    };
    m.mem.heap.put(at, value);
    Ok(true)
}

impl Machine {
    /// Makes everything on the heap now survive backtracking: choice points give up their claim to it.
    pub(crate) fn protect_heap(&mut self) {
        let mut b = self.control.b;
        loop {
            self.mem
                .choice
                .set(b + crate::machine::choice::HEAP, self.mem.h as u64);
            if b == 0 {
                break;
            }
            b = self.mem.choice.get(b + crate::machine::choice::PREV) as usize;
        }
        self.mem.hb = self.mem.h;
    }
}

/// `'$numbervars'(Term, Start, End)`.
fn numbervars(m: &mut Machine) -> Res {
    let start = m.int_arg(1)?;
    let found = m.mem.variables_of(m.control.x[0]);
    for (i, &var) in found.iter().enumerate() {
        let number = m.mem.new_int(start + i as i64);
        let name = m.mem.new_term(atom::DVAR, &[number]);
        m.bind(var, name);
    }
    m.unify_result(m.control.x[2], Cell::small(start + found.len() as i64))
}

fn term_hash(m: &mut Machine) -> Res {
    if !m.mem.is_ground(m.control.x[0]) {
        return Ok(true);
    }
    let text = m.quoted(m.control.x[0]);
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    m.unify_result(m.control.x[1], Cell::small((hash >> 40) as i64))
}

fn subsumes(m: &mut Machine) -> Res {
    let (general, specific) = (m.control.x[0], m.control.x[1]);
    let mark = m.mem.tr;
    let (hb, h, pending) = (m.mem.hb, m.mem.h, m.control.pending);
    m.mem.hb = m.mem.h;
    let before = m.mem.variables_of(specific);
    let mut result = m.unify(general, specific);
    if result {
        // The specific term must not have been changed.
        let after = before.iter().map(|&v| m.mem.deref(v)).collect::<Vec<_>>();
        let mut seen = stet_base::FastSet::default();
        result = after.iter().all(|cell| cell.is_var() && seen.insert(*cell));
    }
    m.mem.undo_to(mark);
    m.mem.hb = hb;
    m.mem.h = h;
    m.control.pending = pending;
    Ok(result)
}
