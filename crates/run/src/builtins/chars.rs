//! Classes of characters: `char_type/2` and `code_type/2`.

use crate::cell::*;
use crate::machine::{Machine, Res};
use stet_prolog::atom;

pub(super) fn register(m: &mut Machine) {
    // '$char_type'(Char, Type, IsCode): checks a known type; the enumeration is in Prolog.
    m.register("$char_type", 3, char_type);
}

fn char_type(m: &mut Machine) -> Res {
    let cell = m.arg(0);
    let code = m.arg(2).is_small() && m.arg(2).small_value() == 1;
    let c = if cell.is_small() {
        u32::try_from(cell.small_value())
            .ok()
            .and_then(char::from_u32)
    } else {
        let text = m.need_text(cell)?;
        text.chars().next()
    };
    let Some(c) = c else { return Ok(false) };
    let kind = m.arg(1);
    if let Some(name) = kind.as_atom() {
        return Ok(match m.atom_text(name) {
            "alnum" => c.is_alphanumeric(),
            "alpha" => c.is_alphabetic() || c == '_' || c.is_numeric(),
            "csym" => c.is_alphanumeric() || c == '_',
            "csymf" => c.is_alphabetic() || c == '_',
            "ascii" => c.is_ascii(),
            "white" => c == ' ' || c == '\t',
            "cntrl" => c.is_control(),
            "space" => c.is_whitespace(),
            "end_of_line" => matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}'),
            "lower" => c.is_lowercase(),
            "upper" => c.is_uppercase(),
            "punct" => !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control(),
            "graph" => !c.is_whitespace() && !c.is_control(),
            "print" => !c.is_control(),
            "period" => matches!(c, '.' | '?' | '!'),
            "quote" => matches!(c, '\'' | '"' | '`'),
            "paren" => matches!(c, '(' | ')' | '[' | ']' | '{' | '}'),
            "newline" => c == '\n',
            "digit" => c.is_ascii_digit(),
            _ => return Err(m.domain_error_named("char_type", kind)),
        });
    }
    let Some((name, 1, args)) = m.compound(kind) else {
        return Err(m.instantiation_error());
    };
    let form = |m: &mut Machine, c: char| {
        if code {
            Cell::small(i64::from(u32::from(c)))
        } else {
            Cell::atom(m.atoms.char_atom(c))
        }
    };
    let name = m.atom_text(name).to_owned();
    let argument = m.at(args);
    match name.as_str() {
        "digit" => match c.to_digit(10) {
            Some(weight) => m.unify_result(argument, Cell::small(i64::from(weight))),
            None => Ok(false),
        },
        "xdigit" => match c.to_digit(16) {
            Some(weight) => m.unify_result(argument, Cell::small(i64::from(weight))),
            None => Ok(false),
        },
        // upper(L): an upper case letter with lower case L; lower(U): the converse.
        "upper" if c.is_uppercase() => {
            let other = form(m, c.to_lowercase().next().unwrap_or(c));
            m.unify_result(argument, other)
        }
        "lower" if c.is_lowercase() => {
            let other = form(m, c.to_uppercase().next().unwrap_or(c));
            m.unify_result(argument, other)
        }
        "upper" | "lower" => Ok(false),
        // As in SWI-Prolog: what the character is the lower (upper) case of.
        "to_upper" => {
            let other = form(m, c.to_lowercase().next().unwrap_or(c));
            m.unify_result(argument, other)
        }
        "to_lower" => {
            let other = form(m, c.to_uppercase().next().unwrap_or(c));
            m.unify_result(argument, other)
        }
        "code" => m.unify_result(argument, Cell::small(i64::from(u32::from(c)))),
        _ => {
            let _ = atom::CHAR;
            Err(m.domain_error_named("char_type", kind))
        }
    }
}
