//! Atoms and strings.

use crate::cell::*;
use crate::database::More;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::memory::Memory;
use stet_prolog::{WriteOptions, atom};

pub(super) fn register(m: &mut Machine) {
    m.register("atom_length", 2, |m| length(m, true));
    m.register("string_length", 2, |m| length(m, false));
    m.register("atom_codes", 2, |m| convert(m, Form::Atom, Form::Codes));
    m.register("atom_chars", 2, |m| convert(m, Form::Atom, Form::Chars));
    m.register("char_code", 2, char_code);
    m.register("number_codes", 2, |m| number_text(m, Form::Codes));
    m.register("number_chars", 2, |m| number_text(m, Form::Chars));
    m.register("atom_number", 2, atom_number);
    m.register("number_string", 2, number_string);
    m.register("atom_string", 2, |m| convert(m, Form::Atom, Form::String));
    m.register("string_codes", 2, |m| convert(m, Form::String, Form::Codes));
    m.register("string_chars", 2, |m| convert(m, Form::String, Form::Chars));
    m.register("string_to_atom", 2, |m| {
        convert(m, Form::String, Form::Atom)
    });
    m.register("string_code", 3, |m| {
        let index = m.int_arg(0)?;
        let text = m.text_arg(1)?;
        match text.chars().nth((index - 1).max(0) as usize) {
            Some(c) if index >= 1 => {
                m.unify_result(m.control.x[2], Cell::small(i64::from(u32::from(c))))
            }
            _ => Ok(false),
        }
    });
    m.register("text_to_string", 2, |m| {
        let cell = m.arg(0);
        let text = if cell.is_atom(atom::NIL) {
            String::new()
        } else {
            m.need_text(cell)?
        };
        let string = m.new_string(&text)?;
        m.unify_result(m.control.x[1], string)
    });
    m.register("string", 1, |m| Ok(m.mem.is_string(m.arg(0))));
    m.register("term_to_atom", 2, term_to_atom);
    m.register("term_string", 2, |m| {
        let term = m.arg(0);
        if !m.arg(1).is_var() {
            return term_to_atom(m);
        }
        let text = m.quoted(term);
        let string = m.new_string(&text)?;
        m.unify_result(m.control.x[1], string)
    });
    m.register("sformat_text", 2, |m| {
        let text = m.text_arg(0)?;
        let string = m.new_string(&text)?;
        m.unify_result(m.control.x[1], string)
    });
    m.register("upcase_atom", 2, |m| map(m, upper_case, false));
    m.register("downcase_atom", 2, |m| map(m, lower_case, false));
    m.register("string_upper", 2, |m| map(m, upper_case, true));
    m.register("string_lower", 2, |m| map(m, lower_case, true));
    m.register("normalize_space_text", 2, |m| {
        map(
            m,
            |t| t.split_whitespace().collect::<Vec<_>>().join(" "),
            false,
        )
    });
    m.register("atomic_list_concat", 2, |m| {
        let list = m.arg(0);
        let mut text = String::new();
        for item in m.list_items(list)? {
            text.push_str(&atomic_text(m, item)?);
        }
        let joined = m.mem.atom_cell(&text);
        m.unify_result(m.control.x[1], joined)
    });
    m.register("atomic_list_concat", 3, join_or_split);
    m.register("split_string", 4, split_string);
    m.register("read_term_from_atom", 3, |m| {
        let text = m.text_arg(0)?;
        let term = parse(m, &text)?;
        m.unify_result(m.control.x[1], term)
    });
    m.register("sformat", 2, |m| {
        let text = m.text_arg(1)?;
        let cell = m.new_string(&text)?;
        m.unify_result(m.control.x[0], cell)
    });
    m.register_nondet("atom_concat", 3, |m, state| concat(m, state, false));
    m.program
        .det_when(|m| !m.arg(0).is_var() || !m.arg(1).is_var());
    m.register_nondet("string_concat", 3, |m, state| concat(m, state, true));
    m.program
        .det_when(|m| !m.arg(0).is_var() || !m.arg(1).is_var());
}

/// Each character on its own, as one character: `ß` has no capital of that kind and stays.
fn upper_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_uppercase();
    }
    let upper = |c: char| single(c.to_uppercase()).unwrap_or(c);
    text.chars().map(upper).collect()
}

fn lower_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = |c: char| single(c.to_lowercase()).unwrap_or(c);
    text.chars().map(lower).collect()
}

fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next();
    chars.next().is_none().then_some(first)?
}

/// The form of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Atom,
    Codes,
    Chars,
    String,
}

pub(super) fn make(m: &mut Machine, text: &str, form: Form) -> Result<Cell, PErr> {
    match form {
        Form::Atom => Ok(m.mem.atom_cell(text)),
        Form::Codes => m.codes(text),
        Form::Chars => m.chars(text),
        Form::String => m.new_string(text),
    }
}

fn length(m: &mut Machine, atoms_only: bool) -> Res {
    let cell = m.arg(0);
    if atoms_only && !cell.is_var() && !cell.is_atomic() {
        return Err(m.mem.type_error(atom::ATOM, cell));
    }
    let text = m.need_text(cell)?;
    let wanted = m.arg(1);
    if !wanted.is_var() {
        if !m.mem.is_integer(wanted) {
            return Err(m.mem.type_error(atom::INTEGER, wanted));
        }
        if wanted.is_small() && wanted.small_value() < 0 {
            return Err(m.mem.domain_error(atom::NOT_LESS_THAN_ZERO, wanted));
        }
    }
    m.unify_result(wanted, Cell::small(text.chars().count() as i64))
}

/// `atom_codes` and its relatives: from left to right if the left is known.
fn convert(m: &mut Machine, left: Form, right: Form) -> Res {
    let (a, b) = (m.arg(0), m.arg(1));
    if !a.is_var() {
        if !a.is_atomic() && left == Form::Atom {
            return Err(m.mem.type_error(atom::ATOM, a));
        }
        let made = match a.as_atom() {
            // The text is shared, not copied.
            Some(name) => {
                let text = m.mem.atoms.shared_text(name);
                m.charge(text.len());
                make(m, &text, right)?
            }
            None => {
                let text = m.need_text(a)?;
                make(m, &text, right)?
            }
        };
        return m.unify_result(b, made);
    }
    if matches!(right, Form::Codes | Form::Chars) && !b.is_var() && !m.mem.is_string(b) {
        if b.tag() != LST && !b.is_atom(atom::NIL) {
            return Err(m.mem.type_error(atom::LIST, b));
        }
    }
    let text = list_or_text(m, b)?;
    let made = make(m, &text, left)?;
    m.unify_result(a, made)
}

fn list_or_text(m: &mut Machine, cell: Cell) -> Result<String, PErr> {
    if cell.is_var() {
        return Err(m.mem.instantiation_error());
    }
    if cell.is_atom(atom::NIL) {
        return Ok(String::new());
    }
    if cell.tag() == LST {
        if let Some(text) = m.mem.list_text(cell) {
            return Ok(text);
        }
        let items = m.list_items(cell)?;
        if items.iter().any(|item| item.is_var()) {
            return Err(m.mem.instantiation_error());
        }
        let bad = items.into_iter().find(|&item| {
            let one = m.mem.new_list(item, Cell::atom(atom::NIL));
            m.mem.list_text(one).is_none()
        });
        return Err(match bad {
            Some(item) if item.is_small() => m.mem.representation_error(atom::CHARACTER_CODE),
            Some(item) => m.mem.type_error(atom::CHARACTER, item),
            None => m.mem.type_error(atom::LIST, cell),
        });
    }
    m.need_text(cell)
}

fn char_code(m: &mut Machine) -> Res {
    let (a, b) = (m.arg(0), m.arg(1));
    if !b.is_var() && !m.mem.is_integer(b) {
        return Err(m.mem.type_error(atom::INTEGER, b));
    }
    if !a.is_var() {
        let Some(name) = a.as_atom() else {
            return Err(m.mem.type_error(atom::CHARACTER, a));
        };
        let mut chars = m.mem.atom_text(name).chars();
        return match (chars.next(), chars.next()) {
            (Some(c), None) => m.unify_result(b, Cell::small(i64::from(u32::from(c)))),
            _ => Err(m.mem.type_error(atom::CHARACTER, a)),
        };
    }
    if b.is_var() {
        return Err(m.mem.instantiation_error());
    }
    let code = m.mem.int_of(b)?;
    match u32::try_from(code).ok().and_then(char::from_u32) {
        Some(c) => {
            let cell = Cell::atom(m.mem.atoms.char_atom(c));
            m.unify_result(a, cell)
        }
        None => Err(m.mem.representation_error(atom::CHARACTER_CODE)),
    }
}

fn number_text(m: &mut Machine, form: Form) -> Res {
    let (a, b) = (m.arg(0), m.arg(1));
    if !a.is_var() && !m.mem.is_number(a) {
        return Err(m.mem.type_error(atom::NUMBER, a));
    }
    if !b.is_var() && m.mem.is_proper_list(b) && m.mem.is_ground(b) {
        let text = list_or_text(m, b)?;
        return match m.parse_number(&text)? {
            Some(number) => m.unify_result(a, number),
            None => Err(m.mem.syntax_error("illegal_number")),
        };
    }
    if !m.mem.could_be_list(b) && !m.mem.is_string(b) {
        return Err(m.mem.type_error(atom::LIST, b));
    }
    if a.is_var() {
        if b.is_var() || b.tag() == LST {
            return Err(m.mem.instantiation_error());
        }
        if !m.mem.is_string(b) {
            return Err(m.mem.type_error(atom::LIST, b));
        }
        let text = m.need_text(b)?;
        return match m.parse_number(&text)? {
            Some(number) => m.unify_result(a, number),
            None => Err(m.mem.syntax_error("illegal_number")),
        };
    }
    let text = m.need_text(a)?;
    let made = make(m, &text, form)?;
    m.unify_result(b, made)
}

impl Memory {
    /// Whether a term is a list or can become one.
    fn could_be_list(&self, list: Cell) -> bool {
        let mut cell = self.deref(list);
        let mut steps = 0;
        while cell.tag() == LST && steps <= self.h {
            cell = self.at(cell.index() + 1);
            steps += 1;
        }
        cell.is_var() || cell.is_atom(atom::NIL)
    }
}

fn atom_number(m: &mut Machine) -> Res {
    let (a, b) = (m.arg(0), m.arg(1));
    if a.is_var() {
        if b.is_var() {
            return Err(m.mem.instantiation_error());
        }
        if !m.mem.is_number(b) {
            return Err(m.mem.type_error(atom::NUMBER, b));
        }
        let mut text = String::with_capacity(24);
        m.append_text(b, &mut text)?;
        let made = m.mem.atom_cell(&text);
        return m.unify_result(a, made);
    }
    let text = m.need_text(a)?;
    match m.parse_number(&text)? {
        Some(number) => m.unify_result(b, number),
        None => Ok(false),
    }
}

fn number_string(m: &mut Machine) -> Res {
    let (a, b) = (m.arg(0), m.arg(1));
    if !b.is_var() {
        let text = m.need_text(b)?;
        return match m.parse_number(text.trim())? {
            Some(number) => m.unify_result(a, number),
            None => Ok(false),
        };
    }
    let text = m.need_text(a)?;
    let made = m.new_string(&text)?;
    m.unify_result(b, made)
}

fn parse(m: &mut Machine, text: &str) -> Result<Cell, PErr> {
    match m.parse_term(text) {
        Ok(found) => Ok(found.term),
        Err(message) => Err(m.mem.syntax_error(&message)),
    }
}

fn term_to_atom(m: &mut Machine) -> Res {
    let (a, b) = (m.arg(0), m.arg(1));
    if !b.is_var() {
        let text = m.need_text(b)?;
        let term = parse(m, &text)?;
        return m.unify_result(a, term);
    }
    let text = m.format_term(a, &WriteOptions::WRITEQ);
    m.check_written()?;
    let made = m.mem.atom_cell(&text);
    m.unify_result(b, made)
}

fn map(m: &mut Machine, change: fn(&str) -> String, string: bool) -> Res {
    let text = m.text_arg(0)?;
    let changed = change(&text);
    let made = if string {
        m.new_string(&changed)?
    } else {
        m.mem.atom_cell(&changed)
    };
    m.unify_result(m.control.x[1], made)
}

/// The text of an item that is to be joined with others.
fn atomic_text(m: &mut Machine, item: Cell) -> Result<String, PErr> {
    if !item.is_var() && !item.is_atomic() {
        return Err(m.mem.type_error(atom::TEXT, item));
    }
    m.need_text(item)
}

fn join_or_split(m: &mut Machine) -> Res {
    let separator = m.text_arg(1)?;
    let list = m.arg(0);
    if m.mem.is_proper_list(list) {
        let items = m.list_items(list)?;
        if items.iter().all(|item| !item.is_var()) {
            let mut text = String::with_capacity(64);
            for (i, item) in items.into_iter().enumerate() {
                if i > 0 {
                    text.push_str(&separator);
                }
                match item.is_atom(atom::NIL) || !item.is_atomic() {
                    true => text.push_str(&atomic_text(m, item)?),
                    false => m.append_text(item, &mut text)?,
                }
            }
            let joined = m.mem.atom_cell(&text);
            return m.unify_result(m.control.x[2], joined);
        }
    }
    if !list.is_var() && list.tag() != LST && !list.is_atom(atom::NIL) {
        return Err(m.mem.type_error(atom::LIST, list));
    }
    if separator.is_empty() {
        let cell = m.arg(1);
        let domain = m.mem.atoms.intern("non_empty_atom");
        return Err(m.mem.domain_error(domain, cell));
    }
    let text = m.text_arg(2)?;
    let parts: Vec<Cell> = text
        .split(&separator)
        .map(|part| m.mem.atom_cell(part))
        .collect();
    let list = m.new_proper_list(&parts)?;
    m.unify_result(m.control.x[0], list)
}

fn split_string(m: &mut Machine) -> Res {
    let text = m.text_arg(0)?;
    let separators = empty_list_text(m, 1)?;
    let padding = empty_list_text(m, 2)?;
    let is_pad = |c: char| padding.contains(c);
    let mut cells = Vec::new();
    let mut rest = Some(text.trim_matches(is_pad));
    while let Some(text) = rest {
        // padding goes before the end is looked for: adjacent separators that are padding too act as one
        let text = text.trim_start_matches(is_pad);
        let (part, after) = match text.split_once(|c| separators.contains(c)) {
            Some((part, after)) => (part, Some(after)),
            None => (text, None),
        };
        cells.push(m.new_string(part.trim_end_matches(is_pad))?);
        rest = after;
    }
    let list = m.new_proper_list(&cells)?;
    m.unify_result(m.control.x[3], list)
}

fn empty_list_text(m: &mut Machine, index: usize) -> Result<String, PErr> {
    if m.arg(index).is_atom(atom::NIL) {
        return Ok(String::new());
    }
    m.text_arg(index)
}

/// `atom_concat(?, ?, +)` enumerates; the state is the byte position of the split, plus one.
fn concat(m: &mut Machine, state: u64, string: bool) -> Result<More, PErr> {
    let (a, b, c) = (m.arg(0), m.arg(1), m.arg(2));
    let form = if string { Form::String } else { Form::Atom };
    let done = |found: bool| if found { More::Last } else { More::Fail };
    for cell in [a, b, c] {
        if m.mem.compound(cell).is_some() && (!string || m.mem.text_of(cell).is_none()) {
            return Err(m.mem.type_error(atom::ATOMIC, cell));
        }
    }
    if !a.is_var() && !b.is_var() {
        let mut text = String::with_capacity(64);
        m.append_text(a, &mut text)?;
        m.append_text(b, &mut text)?;
        if string && !c.is_var() {
            return Ok(done(m.need_text(c)? == text));
        }
        let made = make(m, &text, form)?;
        return Ok(done(m.unify(c, made)));
    }
    if c.is_var() {
        return Err(m.mem.instantiation_error());
    }
    let whole = m.need_text(c)?;
    if !a.is_var() {
        let prefix = m.need_text(a)?;
        return match whole.strip_prefix(&prefix) {
            Some(rest) => {
                let made = make(m, rest, form)?;
                Ok(done(m.unify(b, made)))
            }
            None => Ok(More::Fail),
        };
    }
    if !b.is_var() {
        let suffix = m.need_text(b)?;
        return match whole.strip_suffix(&suffix) {
            Some(rest) => {
                let made = make(m, rest, form)?;
                Ok(done(m.unify(a, made)))
            }
            None => Ok(More::Fail),
        };
    }
    let mut at = state.saturating_sub(1) as usize;
    loop {
        let (left, right) = whole.split_at(at);
        let next = right.chars().next().map(|c| at + c.len_utf8());
        let mark = m.mem.tr;
        let (left, right) = (make(m, left, form)?, make(m, right, form)?);
        if m.unify(a, left) && m.unify(b, right) {
            return Ok(next.map_or(More::Last, |next| More::State(next as u64 + 1)));
        }
        // The same variable twice: most splits are no answers.
        m.mem.undo_to(mark);
        match next {
            Some(next) => at = next,
            None => return Ok(More::Fail),
        }
    }
}
