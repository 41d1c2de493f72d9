//! `sub_atom/5` and `sub_string/5`: parts of a text, one at a time.
//!
//! While answers are enumerated the text is an atom, so that a step neither copies nor counts it: how many characters
//! it has, and whether all are ASCII, is remembered for the atom looked at last.

use super::atoms::{Form, make};
use crate::cell::*;
use crate::database::More;
use crate::errors::PErr;
use crate::machine::{Machine, choice};
use stet_prolog::{Atom, atom};

pub(super) fn register(m: &mut Machine) {
    m.register_nondet("sub_atom", 5, |m, state| sub_text(m, state, Form::Atom));
    m.program
        .det_when(|m| !m.arg(1).is_var() && !m.arg(2).is_var());
    m.register_nondet("sub_string", 5, |m, state| sub_text(m, state, Form::String));
    m.program
        .det_when(|m| !m.arg(1).is_var() && !m.arg(2).is_var());
}

/// The length of a text in characters.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    name: Atom,
    sweeps: u64,
    count: usize,
    ascii: bool,
}

impl Measured {
    /// The byte at which character number `n` starts.
    fn byte(self, text: &str, n: usize) -> usize {
        match self.ascii {
            true => n,
            false => text.char_indices().nth(n).map_or(text.len(), |(at, _)| at),
        }
    }

    /// How many characters there are before a byte.
    fn character(self, text: &str, byte: usize) -> usize {
        match self.ascii {
            true => byte,
            false => text[..byte].chars().count(),
        }
    }
}

impl Machine {
    fn measured(&mut self, name: Atom) -> Measured {
        let sweeps = self.watch.stats.atom_sweeps;
        if let Some(known) = self.mem.measured_text {
            if known.name == name && known.sweeps == sweeps {
                return known;
            }
        }
        let text = self.mem.atom_text(name);
        let measured = Measured {
            name,
            sweeps,
            count: text.chars().count(),
            ascii: text.is_ascii(),
        };
        self.mem.measured_text = Some(measured);
        measured
    }
}

fn position_arg(m: &mut Machine, index: usize) -> Result<Option<usize>, PErr> {
    let cell = m.arg(index);
    if cell.is_var() {
        return Ok(None);
    }
    if !m.mem.is_integer(cell) {
        return Err(m.mem.type_error(atom::INTEGER, cell));
    }
    if cell.is_small() && cell.small_value() >= 0 {
        return Ok(Some(cell.small_value() as usize));
    }
    Err(m.mem.domain_error(atom::NOT_LESS_THAN_ZERO, cell))
}

/// The text as an atom; where there is a choice point it holds the atom from now on.
fn whole_text(m: &mut Machine, state: u64, form: Form) -> Result<Atom, PErr> {
    let whole = m.arg(0);
    if let Some(name) = whole.as_atom().filter(|_| !whole.is_atom(atom::NIL)) {
        return Ok(name);
    }
    if !whole.is_var() && !whole.is_atomic() && form == Form::Atom {
        return Err(m.mem.type_error(atom::ATOM, whole));
    }
    let text = m.need_text(whole)?;
    let name = m.mem.atoms.intern_temporary(&text);
    let open = m.arg(1).is_var() || m.arg(2).is_var();
    if state == 0 && open {
        m.mem
            .choice
            .put(m.control.b + choice::ARGS, Cell::atom(name));
    }
    Ok(name)
}

/// `sub_atom(+, ?B, ?L, ?A, ?Sub)`; the state counts start and length for the open cases.
fn sub_text(m: &mut Machine, state: u64, form: Form) -> Result<More, PErr> {
    let name = whole_text(m, state, form)?;
    let sub = m.arg(4);
    let is_part = match form {
        Form::Atom => sub.as_atom().is_some() || m.mem.is_string(sub),
        _ => sub.is_atomic() || m.mem.list_text(sub).is_some(),
    };
    if !sub.is_var() && !is_part {
        return Err(m.mem.type_error(atom::ATOM, sub));
    }
    let (before, length, after) = (
        position_arg(m, 1)?,
        position_arg(m, 2)?,
        position_arg(m, 3)?,
    );
    let measured = m.measured(name);
    let wanted = match sub.is_var() {
        true => None,
        false => Some(m.need_text(sub)?),
    };
    let mark = m.mem.tr;
    let mut state = state;
    loop {
        let found = match &wanted {
            Some(wanted) => known_place(m, measured, wanted, state, (before, after)),
            None => place(measured.count, state, (before, length, after)),
        };
        let Some((start, size, next)) = found else {
            return Ok(More::Fail);
        };
        let matched = unify_place(m, measured, start, size)
            && match wanted {
                Some(_) => true,
                None => {
                    let made = part(m, measured, (start, size), form)?;
                    m.unify(sub, made)
                }
            };
        match (matched, next) {
            (true, next) => return Ok(next.map_or(More::Last, More::State)),
            (false, None) => return Ok(More::Fail),
            // The same variable twice: most places are no answers.
            (false, Some(next)) => {
                m.mem.undo_to(mark);
                state = next;
            }
        }
    }
}

fn unify_place(m: &mut Machine, measured: Measured, start: usize, size: usize) -> bool {
    let rest = measured.count - start - size;
    m.unify(m.control.x[1], Cell::small(start as i64))
        && m.unify(m.control.x[2], Cell::small(size as i64))
        && m.unify(m.control.x[3], Cell::small(rest as i64))
}

fn part(
    m: &mut Machine,
    measured: Measured,
    (start, size): (usize, usize),
    form: Form,
) -> Result<Cell, PErr> {
    let text = m.mem.atom_text(measured.name);
    let from = measured.byte(text, start);
    let end = from + measured.byte(&text[from..], size);
    let part = text[from..end].to_owned();
    make(m, &part, form)
}

type Positions = (Option<usize>, Option<usize>, Option<usize>);

/// Start and length of the part a state means among `count` characters, and the next state.
fn place(count: usize, state: u64, known: Positions) -> Option<(usize, usize, Option<u64>)> {
    let found = match known {
        (Some(b), Some(l), _) => (b, l, None),
        (Some(b), None, Some(a)) => (b, count.checked_sub(a)?.checked_sub(b)?, None),
        (None, Some(l), Some(a)) => (count.checked_sub(l)?.checked_sub(a)?, l, None),
        (Some(b), None, None) => {
            let l = state as usize;
            (b, l, (b.checked_add(l)? < count).then_some(state + 1))
        }
        (None, Some(l), None) => {
            let b = state as usize;
            (b, l, (b.checked_add(l)? < count).then_some(state + 1))
        }
        (None, None, Some(a)) => {
            let b = state as usize;
            let last = count.checked_sub(a)?;
            (b, last.checked_sub(b)?, (b < last).then_some(state + 1))
        }
        (None, None, None) => {
            let (b, l) = ((state >> 30) as usize, (state & ((1 << 30) - 1)) as usize);
            let more = match (b + l < count, b < count) {
                (true, _) => Some((b as u64) << 30 | (l as u64 + 1)),
                (false, true) => Some((b as u64 + 1) << 30),
                (false, false) => None,
            };
            (b, l, more)
        }
    };
    (found.0.checked_add(found.1)? <= count).then_some(found)
}

/// The next place of a known part; the state is the byte from which to search, plus one.
fn known_place(
    m: &mut Machine,
    measured: Measured,
    wanted: &str,
    state: u64,
    (before, after): (Option<usize>, Option<usize>),
) -> Option<(usize, usize, Option<u64>)> {
    let length = wanted.chars().count();
    let fixed = match (before, after) {
        (Some(b), _) => Some(b),
        (None, Some(a)) => Some(measured.count.checked_sub(a)?.checked_sub(length)?),
        _ => None,
    };
    let text = m.mem.atom_text(measured.name);
    if let Some(start) = fixed {
        let at = measured.byte(text, start);
        let here = start <= measured.count && text.get(at..)?.starts_with(wanted);
        return here.then_some((start, length, None));
    }
    let from = state.saturating_sub(1) as usize;
    let at = from + text.get(from..)?.find(wanted)?;
    let start = measured.character(text, at);
    let next = at + text[at..].chars().next().map_or(1, char::len_utf8);
    let more = next <= text.len() && text[next..].contains(wanted);
    m.charge(next - from);
    Some((start, length, more.then_some(next as u64 + 1)))
}
