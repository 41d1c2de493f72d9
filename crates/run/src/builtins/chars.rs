//! Classes of characters (`char_type/2` and `code_type/2`), and texts as bytes of an encoding.

use crate::cell::*;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use stet_prolog::atom;

pub(super) fn register(m: &mut Machine) {
    // '$char_type'(Char, Type, IsCode): checks a known type; the enumeration is in Prolog.
    m.register("$char_type", 3, char_type);
    // '$text_bytes'(Text, Encoding, Bytes) and '$bytes_text'(Bytes, Encoding, String)
    m.register("$text_bytes", 3, |m| {
        let text = m.text_arg(0)?;
        let encoding = encoding_arg(m)?;
        let Some(bytes) = encoding.encode(&text) else {
            let kind = m.mem.atoms.intern("encoding");
            return Err(m.mem.representation_error(kind));
        };
        let cells: Vec<Cell> = bytes.iter().map(|&b| Cell::small(i64::from(b))).collect();
        let list = m.new_proper_list(&cells)?;
        m.unify_result(m.control.x[2], list)
    });
    m.register("$bytes_text", 3, |m| {
        let list = m.arg(0);
        let mut bytes = Vec::new();
        for item in m.list_items(list)? {
            match u8::try_from(m.mem.int_of(item)?) {
                Ok(byte) => bytes.push(byte),
                Err(_) => return Err(m.mem.type_error(atom::BYTE, item)),
            }
        }
        let Some(text) = encoding_arg(m)?.decode(&bytes) else {
            let kind = m.mem.atoms.intern("encoding");
            return Err(m.mem.representation_error(kind));
        };
        let string = m.new_string(&text)?;
        m.unify_result(m.control.x[2], string)
    });
}

/// How characters become bytes.
#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    /// One byte each; characters up to this code exist.
    Bytes(u32),
    Utf16 {
        little_endian: bool,
    },
}

fn encoding_arg(m: &mut Machine) -> Result<Encoding, PErr> {
    let cell = m.arg(1);
    let name = m.mem.atom_of(cell)?;
    Ok(match m.mem.atom_text(name) {
        "utf8" | "text" => Encoding::Utf8,
        "octet" | "iso_latin_1" => Encoding::Bytes(0xff),
        "ascii" => Encoding::Bytes(0x7f),
        "utf16be" | "unicode_be" => Encoding::Utf16 {
            little_endian: false,
        },
        "utf16le" | "unicode_le" => Encoding::Utf16 {
            little_endian: true,
        },
        _ => return Err(m.mem.domain_error(atom::ENCODING, cell)),
    })
}

impl Encoding {
    /// `None`: a character is not in the encoding.
    fn encode(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Encoding::Utf8 => Some(text.as_bytes().to_vec()),
            Encoding::Bytes(last) => text
                .chars()
                .map(|c| u8::try_from(c).ok().filter(|&b| u32::from(b) <= last))
                .collect(),
            Encoding::Utf16 { little_endian } => Some(
                text.encode_utf16()
                    .flat_map(|unit| match little_endian {
                        true => unit.to_le_bytes(),
                        false => unit.to_be_bytes(),
                    })
                    .collect(),
            ),
        }
    }

    /// `None`: the bytes are no text of the encoding.
    fn decode(self, bytes: &[u8]) -> Option<String> {
        match self {
            Encoding::Utf8 => String::from_utf8(bytes.to_vec()).ok(),
            Encoding::Bytes(last) => bytes
                .iter()
                .map(|&b| (u32::from(b) <= last).then_some(char::from(b)))
                .collect(),
            Encoding::Utf16 { little_endian } => {
                let (pairs, rest) = bytes.as_chunks::<2>();
                let units: Vec<u16> = pairs
                    .iter()
                    .map(|&pair| match little_endian {
                        true => u16::from_le_bytes(pair),
                        false => u16::from_be_bytes(pair),
                    })
                    .collect();
                rest.is_empty().then(|| String::from_utf16(&units).ok())?
            }
        }
    }
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
        return Ok(match m.mem.atom_text(name) {
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
            "prolog_var_start" => c.is_uppercase() || c == '_',
            "prolog_atom_start" => c.is_alphabetic() && !c.is_uppercase(),
            "prolog_identifier_continue" => c.is_alphanumeric() || c == '_',
            "prolog_symbol" => "#$&*+-./:<=>?@\\^~".contains(c),
            "digit" => c.is_ascii_digit(),
            _ => return Err(m.mem.domain_error_named("char_type", kind)),
        });
    }
    let Some((name, 1, args)) = m.mem.compound(kind) else {
        return Err(m.mem.instantiation_error());
    };
    let form = |m: &mut Machine, c: char| {
        if code {
            Cell::small(i64::from(u32::from(c)))
        } else {
            Cell::atom(m.mem.atoms.char_atom(c))
        }
    };
    let name = m.mem.atom_text(name).to_owned();
    let argument = m.mem.at(args);
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
            Err(m.mem.domain_error_named("char_type", kind))
        }
    }
}
