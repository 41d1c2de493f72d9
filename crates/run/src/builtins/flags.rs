//! Flags.

use crate::cell::{Cell, MAX_SMALL, MIN_SMALL};
use crate::flat::Flat;
use crate::load::Loader;
use crate::machine::{Machine, Res};
use stet_prolog::{Atom, Quotes, atom};

pub(super) fn register(m: &mut Machine) {
    m.register("set_prolog_flag", 2, set_flag);
    m.register("create_prolog_flag", 3, |m| {
        let name = m.atom_arg(0)?;
        let value = m.flatten(m.control.x[1], false);
        m.loader.store_flag(name, value);
        Ok(true)
    });
    m.register("$flags", 1, all_flags);
    for (name, value) in [
        ("bounded", "false"),
        ("integer_rounding_function", "toward_zero"),
        ("debug", "off"),
        ("char_conversion", "off"),
        ("unknown", "error"),
        ("occurs_check", "false"),
        ("double_quotes", "codes"),
        ("back_quotes", "codes"),
        ("dialect", "stet"),
        ("character_escapes", "true"),
        ("gc", "true"),
        ("last_call_optimisation", "true"),
        ("optimise", "true"),
        ("toplevel_prompt", "?- "),
        ("verbose", "silent"),
        ("generate_debug_info", "false"),
        ("prefer_rationals", "false"),
        ("iso", "false"),
        ("protect_static_code", "false"),
        ("autoload", "true"),
        ("verbose_load", "silent"),
        ("verbose_autoload", "false"),
        ("encoding", "utf8"),
        ("color_term", "true"),
        ("report_error", "true"),
        ("debug_on_error", "false"),
        ("answer_write_options", "[]"),
        ("print_write_options", "[]"),
        ("debugger_write_options", "[]"),
        ("toplevel_print_anon", "true"),
        ("toplevel_var_size", "1000"),
        ("stack_limit", "default"),
        ("table_space", "default"),
        ("agc_margin", "default"),
        ("history", "0"),
        ("tty_control", "true"),
        ("optimise_unify", "true"),
        ("warn_override_implicit_import", "true"),
        ("stream_type_check", "loose"),
    ] {
        let name = m.mem.atoms.intern(name);
        let value = m.mem.atom_cell(value);
        m.loader.store_flag(name, Flat::atomic(value));
    }
    for &(name, values) in crate::checks::FLAGS {
        let name = m.mem.atoms.intern(name);
        let value = m.mem.atom_cell(values.first().copied().unwrap_or_default());
        m.loader.store_flag(name, Flat::atomic(value));
    }
    for (name, value) in [
        ("max_arity", crate::machine::MAX_ARITY as i64),
        ("max_tagged_integer", MAX_SMALL),
        ("min_tagged_integer", MIN_SMALL),
        ("version", 100),
        ("max_char_code", 0x10ffff),
    ] {
        let name = m.mem.atoms.intern(name);
        m.loader.store_flag(name, Flat::atomic(Cell::small(value)));
    }
}

impl Loader {
    fn store_flag(&mut self, name: Atom, value: Flat) {
        match self.flags.iter_mut().find(|(found, _)| *found == name) {
            Some((_, old)) => *old = value,
            None => self.flags.push((name, value)),
        }
    }

    /// The value of a flag whose value is an atom.
    pub(crate) fn flag_atom(&self, name: Atom) -> Option<Atom> {
        let (_, flat) = self.flags.iter().find(|(found, _)| *found == name)?;
        Cell(flat.words[0]).as_atom()
    }
}

const READ_ONLY: &[&str] = &[
    "bounded",
    "integer_rounding_function",
    "max_arity",
    "max_tagged_integer",
    "min_tagged_integer",
    "dialect",
    "version",
];

fn set_flag(m: &mut Machine) -> Res {
    let (mut name_cell, value) = (m.arg(0), m.arg(1));
    // Flags of a module are those of all modules.
    if let Some(args) = m.mem.structure(name_cell, atom::COLON, 2) {
        name_cell = m.mem.at(args + 1);
    }
    if name_cell.is_var() || value.is_var() {
        return Err(m.mem.instantiation_error());
    }
    let name = m.mem.atom_of(name_cell)?;
    if !m.loader.flags.iter().any(|(found, _)| *found == name) {
        return Err(m.mem.domain_error(atom::PROLOG_FLAG, name_cell));
    }
    let text = m.mem.atom_text(name).to_owned();
    if READ_ONLY.contains(&text.as_str()) {
        return Err(m.mem.permission_error(atom::MODIFY, atom::FLAG, name_cell));
    }
    let word = value
        .as_atom()
        .map(|value| m.mem.atom_text(value).to_owned());
    let word = word.as_deref().unwrap_or("");
    let valid = match text.as_str() {
        "iso" => {
            m.loader.read_flags.iso = word == "true";
            matches!(word, "true" | "false")
        }
        "double_quotes" | "back_quotes" => match quotes(word) {
            Some(found) => {
                if text == "double_quotes" {
                    m.loader.read_flags.double_quotes = found;
                } else {
                    m.loader.read_flags.back_quotes = found;
                }
                true
            }
            None => false,
        },
        "unknown" => matches!(word, "error" | "fail" | "warning"),
        "occurs_check" => {
            m.loader.occurs_check = word == "true";
            if word == "error" {
                let what = m.mem.atom_cell("flag occurs_check with value error");
                let name = m.mem.atoms.intern("not_supported");
                let formal = m.mem.new_term(name, &[what]);
                return Err(m.mem.iso_error(formal));
            }
            matches!(word, "true" | "false")
        }
        "protect_static_code" => matches!(word, "true" | "false"),
        "debug" | "char_conversion" => matches!(word, "on" | "off" | "true" | "false"),
        _ => m.set_checks_flag(&text, word).unwrap_or(true),
    };
    if !valid {
        let culprit = m.mem.new_term(atom::PLUS, &[name_cell, value]);
        return Err(m.mem.domain_error(atom::FLAG_VALUE, culprit));
    }
    let flat = m.flatten(value, false);
    m.loader.store_flag(name, flat);
    Ok(true)
}

pub(super) fn quotes(word: &str) -> Option<Quotes> {
    Some(match word {
        "codes" => Quotes::Codes,
        "chars" => Quotes::Chars,
        "atom" | "symbol_char" => Quotes::Atom,
        "string" => Quotes::String,
        _ => return None,
    })
}

fn all_flags(m: &mut Machine) -> Res {
    let flags = m.loader.flags.clone();
    let quotes = m.loader.read_flags.double_quotes;
    let mut cells = Vec::with_capacity(flags.len());
    for (name, flat) in flags {
        let value = if name == atom::DOUBLE_QUOTES {
            Cell::atom(match quotes {
                Quotes::Codes => atom::CODES,
                Quotes::Chars => atom::CHARS,
                Quotes::Atom => atom::ATOM,
                Quotes::String => atom::STRING,
            })
        } else {
            m.unflatten(&flat)?
        };
        cells.push(m.mem.new_term(atom::MINUS, &[Cell::atom(name), value]));
    }
    let list = m.new_proper_list(&cells)?;
    m.unify_result(m.control.x[0], list)
}
